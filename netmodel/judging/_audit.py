"""Measured tables against themselves and against physics."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from netmodel.errors import DomainError
from netmodel.judging._audit_checks import run_check
from netmodel.judging._columns import Tally
from netmodel.judging._findings import Audit, Finding
from netmodel.records import Dataset, Table
from netmodel.records._datasets import (
    CeilingCheck,
    Check,
    IdentifierCheck,
    LittleCheck,
    UtilisationCheck,
)

__all__ = ["audit_dataset", "audit_table", "flags_csv"]


def _utilisation(file: str, rate: str, cost: str, cpu_count: str) -> Check:
    return UtilisationCheck(file=file, rate=rate, cost=cost, cpu_count=cpu_count)


def _little(file: str, rate: str, time: str, connection_count: str) -> Check:
    return LittleCheck(file=file, rate=rate, time=time, connection_count=connection_count)


def _ceiling(file: str, rate: str, line_rate: str, mtu: str) -> Check:
    return CeilingCheck(file=file, rate=rate, line_rate=line_rate, mtu=mtu)


_LAWS: Mapping[tuple[str, str, str], Callable[[str, str, str, str], Check]] = {
    ("transaction_rate_tps", "cpu_s_per_transaction", "cpu_count"): _utilisation,
    ("throughput_bps", "cpu_us_per_gbit", "cpu_count"): _utilisation,
    ("transaction_rate_tps", "transaction_time_s", "connection_count"): _little,
    ("throughput_bps", "line_rate_bps", "mtu_bytes"): _ceiling,
}
"""Columns that belong together by their names, and the law that they obey."""


def audit_dataset(dataset: Dataset) -> Audit:
    """
    Hold the tables of a dataset against each other, as it declares.

    Parameters
    ----------
    dataset : Dataset
        With the checks that its columns allow.

    Returns
    -------
    audit : Audit
        What does not agree beyond rounding.

    Raises
    ------
    DomainError
        If a declared check names columns whose units do not go together.
    UnknownRecordError
        If a declared check names a column that there is not.
    """
    return _audit(dataset.id, dataset.tables, dataset.checks)


def audit_table(table: Table) -> Audit:
    """
    Hold the columns of a user's own table against each other, by their names.

    Parameters
    ----------
    table : Table
        With names as netmodel's own CSV has them.

    Returns
    -------
    audit : Audit
        What does not agree beyond rounding.

    Raises
    ------
    DomainError
        If no two columns have names that are known to belong together.
    """
    checks = tuple(_checks_by_name(table))
    if not checks:
        known = "; ".join(", ".join(names) for names in _LAWS)
        raise DomainError(
            f"{table.name}.csv has no columns that are known to belong together: {known}; run_id"
        )
    return _audit(f"{table.name}.csv", {table.name: table}, checks)


def flags_csv(audit: Audit) -> str:
    """
    The faults of an audit as a dataset keeps them in ``flags.csv``.

    Parameters
    ----------
    audit : Audit
        Of a dataset.

    Returns
    -------
    text : str
        A line of column names, and one for each fault.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("file", "row", "column", "kind", "severity", "message"))
    for fault in audit.faults:
        row = "" if fault.row is None else fault.row
        told = (fault.kind, fault.severity.value, fault.message)
        writer.writerow((fault.file, row, fault.column, *told))
    return text.getvalue()


def _audit(name: str, tables: Mapping[str, Table], checks: tuple[Check, ...]) -> Audit:
    findings: list[Finding] = []
    checked: Counter[str] = Counter()
    explained: Counter[str] = Counter()
    for check in checks:
        tally = Tally()
        findings += run_check(name, tables, check, tally)
        checked[check.kind] += tally.checked
        explained[check.kind] += tally.explained
    return Audit(name, tuple(findings), checked, explained)


def _checks_by_name(table: Table) -> Iterator[Check]:
    """Which laws the columns of a table allow to test."""
    names = {column.name for column in table.columns}
    for columns, check in _LAWS.items():
        if names.issuperset(columns):
            yield check(table.name, *columns)
    if "run_id" in names:
        yield IdentifierCheck(file=table.name, column="run_id")
