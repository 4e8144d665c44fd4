"""Measured tables against themselves and against physics."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from netmodel._numeric import ROUNDING_RATIO
from netmodel._text import cell_text
from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import tcp_stack
from netmodel.judging._audit_changes import (
    change_coverage,
    change_findings,
    changes_agree_findings,
)
from netmodel.judging._audit_findings import Audit, Finding, Severity
from netmodel.judging._audit_tables import (
    SECONDS,
    Source,
    Tally,
    bits_per_s,
    cpu_scale,
    factor,
    groups,
    intervals_of,
    looked_up,
    other_table,
    require_one_unit,
    rows_with,
    span,
)
from netmodel.records import Dataset, Table
from netmodel.records._datasets import (
    CeilingCheck,
    Check,
    IdentifierCheck,
    LittleCheck,
    PartsCheck,
    QuantisedCheck,
    UnitCheck,
    UtilisationCheck,
)
from netmodel.units._prefixes import BITS_PER_BYTE, MEBI

_BYTES_OF_MB = {"MB": 10**6, "MiB": MEBI}
_FULL_LINE = (0.995, 1.0)
"""Shares of a line that count as filling it, with the rounding of three digits below."""
_FLAT_RATIO = 0.002
"""Rates within this of each other reached the same limit: figures have three or four digits."""
_LLC_SNAP_BYTES = 8
"""1492 and 8992 are 1500 and 9000 less LLC and SNAP, whether or not frames have them."""
_LOG_OF_CHANCE = math.log(1e-6)
"""Log of the probability below which a pattern is no coincidence."""
_SUM_ROUNDING_RATIO = 1e-12
"""More than the sum of a few floats is rounded, less than any printed digit."""
_SHOWN_COUNT = 4
"""Figures that a finding quotes from a column: they show a pattern on one line."""
_FEWEST_ROWS = 3
"""Fewer rows show no pattern."""
_TRANSACTIONS = {"transaction/s": 1.0, "1/s": 1.0}


def audit_dataset(dataset: Dataset) -> Audit:
    """
    Check the tables of a dataset by the laws that it declares.

    Parameters
    ----------
    dataset : Dataset
        Dataset with declared checks.

    Returns
    -------
    audit : Audit
        Findings beyond rounding.

    Raises
    ------
    DomainError
        If a declared check names columns with incompatible units.
    UnknownRecordError
        If a declared check names a missing column.

    Examples
    --------
    >>> from netmodel.records import dataset
    >>> findings = audit_dataset(dataset("zvm-layer2-layer3"))
    >>> next(each.message for each in findings if each.kind == "parts")
    '0.25 + 0.38 do not add up to 0.60; explained by whole percents of all CPUs'
    """
    source = Source(dataset.id, dataset.tables, dataset.place, dataset.heading)
    return replace(_audit(source, dataset.checks), known_faults=dataset.known_faults)


def audit_table(table: Table) -> Audit:
    """
    Check the columns of a user's own table by the laws that their names imply.

    Parameters
    ----------
    table : Table
        Table with column names of netmodel's CSV.

    Returns
    -------
    audit : Audit
        Findings beyond rounding.

    Raises
    ------
    DomainError
        If no columns have names that a law connects.

    Examples
    --------
    One connection cannot keep more than one transaction in flight (1100 times 1 ms):

    >>> import tempfile
    >>> from pathlib import Path
    >>> from netmodel.records import load_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.csv")
    ...     header = "transaction_rate_tps,transaction_time_s,connection_count"
    ...     _ = file.write_text(header + "\\n1100,0.0010,1\\n", encoding="utf-8")
    ...     (finding,) = audit_table(load_table(file))
    >>> finding.message
    '1.045 to 1.156 transactions would be in flight, more than the number of connections, 1'
    """
    names = {column.name for column in table.columns}
    checks = tuple(
        check(table.name, *columns) for columns, check in _LAWS.items() if names.issuperset(columns)
    )
    if "run_id" in names:
        checks += (IdentifierCheck(file=table.name, column="run_id"),)
    if not checks:
        known = "; ".join(", ".join(names) for names in _LAWS)
        raise DomainError(f"{table.name}.csv has no columns that a law connects: {known}; run_id")

    def place(table: Table, row: int, column: str) -> str:
        return f"line {table.line(row)}, column {column}"

    return _audit(Source(f"{table.name}.csv", {table.name: table}, place, str), checks)


def flags_csv(audit: Audit) -> str:
    """
    Faults of an audit in the form of ``flags.csv`` of a dataset.

    Parameters
    ----------
    audit : Audit
        Of a dataset.

    Returns
    -------
    text : str
        A line of column names, and a line for each fault.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("file", "row", "column", "kind", "severity", "message"))
    for fault in audit.faults:
        law = (fault.kind, fault.severity.value)
        # any of several suspects may be the wrong one, so that none is to be used
        for each in fault.suspects:
            if not each.is_confirmed:
                others = f"the other changes between the same figures give {each.allowed}"
                message = f"{each.printed}, where {others}"
                names = map(cell_text, (each.file, each.row, each.column))
                writer.writerow((*names, *law, message))
        if not fault.suspects:
            row = "" if fault.row is None else fault.row
            names = map(cell_text, (fault.file, row, fault.column))
            writer.writerow((*names, *law, cell_text(fault.message)))
    return text.getvalue()


def _utilisation_check(file: str, rate: str, cost: str, cpu_count: str) -> Check:
    return UtilisationCheck(file=file, rate=rate, cost=cost, cpu_count=cpu_count)


def _audit(source: Source, checks: tuple[Check, ...]) -> Audit:
    findings: dict[int, list[Finding]] = {}
    checked: Counter[str] = Counter()
    explained: Counter[str] = Counter()
    tally = Tally()
    # changes are first compared with figures, which may confirm one of several that disagree
    for place, check in sorted(enumerate(checks), key=lambda each: each[1].kind == "changes_agree"):
        tally.checked = tally.explained = 0
        findings[place] = list(_run_check(source, check, tally))
        checked[check.kind] += tally.checked
        explained[check.kind] += tally.explained
    in_order = (finding for _, each in sorted(findings.items()) for finding in each)
    coverage = tuple(change_coverage(source, checks, tally))
    return Audit(source.name, tuple(in_order), checked, explained, coverage)


def _run_check(source: Source, check: Check, tally: Tally) -> Iterator[Finding]:
    """Findings of one declared check in the tables of a dataset."""
    try:
        table = other_table(source.tables, check.file)
        yield from _CHECKS[check.kind](source, table, check, tally)
    except DomainError as error:
        raise DomainError(f"{source.name}, check {check.kind}: {error}") from error


def _parts(source: Source, table: Table, check: PartsCheck, tally: Tally) -> Iterator[Finding]:
    """Law: parts add up to their total."""
    names = (check.total, *check.parts)
    rows = rows_with(*(table.numbers(name) for name in names))
    require_one_unit(table, names)
    total, *parts = (intervals_of(table, name).rows(rows) for name in names)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    summed = sum(table.numbers(name)[rows] for name in check.parts)
    is_fault = whole.is_apart_from(total)
    totals = table.numbers(check.total)[rows]
    tally.count(~np.isclose(summed, totals, rtol=_SUM_ROUNDING_RATIO), is_fault)
    is_coarse = np.zeros(rows.size, dtype=bool)
    if check.rate is not None and check.cpu_count is not None:
        # each figure may be off by half a percent of all CPUs at the rate of its row
        cpus = looked_up(source.tables, table, check.cpu_count)[rows]
        scale = cpu_scale(table, check.rate, check.total)
        with np.errstate(divide="ignore"):
            per_cent_costs = cpus / (100 * scale * table.numbers(check.rate)[rows])
        gaps = np.maximum(whole.low - total.high, total.low - whole.high)
        is_coarse = gaps <= per_cent_costs * len(names) / 2
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        cells = " + ".join(table.text(name)[row] for name in check.parts)
        yield source.finding(
            table,
            row,
            check.total,
            kind="parts",
            severity=Severity.NOTE if is_coarse[place] else Severity.FAULT,
            printed=table.text(check.total)[row],
            allowed=span(whole, place),
            message=f"{cells} do not add up to {table.text(check.total)[row]}"
            + ("; explained by whole percents of all CPUs" if is_coarse[place] else ""),
        )


def _product(
    source: Source, table: Table, check: UtilisationCheck | LittleCheck, tally: Tally
) -> Iterator[Finding]:
    """Little's law: a rate times a time is at most the connections, or the CPUs, that there are."""
    if isinstance(check, LittleCheck):
        time_name, unit = check.time, "connections"
        available = table.numbers(check.connection_count)
        scale = factor(table, check.rate, _TRANSACTIONS) * factor(table, check.time, SECONDS)
        law = "{} transactions would be in flight, more than the number of connections, {:g}"
    else:
        time_name, unit = check.cost, "CPUs"
        available = looked_up(source.tables, table, check.cpu_count)
        scale = cpu_scale(table, check.rate, check.cost)
        law = "{} CPUs would be busy, where {:g} are installed"
    rates, times = table.numbers(check.rate), table.numbers(time_name)
    rows = rows_with(rates, times, available)
    rate, time = (intervals_of(table, name).rows(rows) for name in (check.rate, time_name))
    used = (rate * time).scaled(scale)
    most = available[rows] * (1 + ROUNDING_RATIO)
    is_fault = used.low > most
    tally.count(scale * rates[rows] * times[rows] > most, is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        yield source.finding(
            table,
            row,
            time_name,
            kind=check.kind,
            severity=Severity.FAULT,
            printed=f"{table.text(check.rate)[row]} x {table.text(time_name)[row]}",
            allowed=f"at most {available[row]:g} {unit}",
            message=law.format(span(used, place), available[row]),
        )


def _ceiling(source: Source, table: Table, check: CeilingCheck, tally: Tally) -> Iterator[Finding]:
    """Law: a payload rate is at most that of its line, with the shortest headers of TCP."""
    names = (check.rate, check.line_rate, check.mtu)
    rows = rows_with(*(table.numbers(name) for name in names))
    rates = intervals_of(table, check.rate).rows(rows).scaled(bits_per_s(table, check.rate))
    ceilings = np.array(
        [
            line_ceiling(line_bps, int(mtu), tcp_stack(timestamps=False)).payload_rate_bps
            for line_bps, mtu in zip(
                table.numbers(check.line_rate)[rows] * bits_per_s(table, check.line_rate),
                table.numbers(check.mtu)[rows],
                strict=True,
            )
        ]
    )
    is_fault = rates.low > ceilings * (1 + ROUNDING_RATIO)
    printed = table.numbers(check.rate)[rows] * bits_per_s(table, check.rate)
    tally.count(printed > ceilings, is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        yield source.finding(
            table,
            row,
            check.rate,
            kind="ceiling",
            severity=Severity.FAULT,
            printed=table.text(check.rate)[row],
            allowed=f"at most {ceilings[place] / bits_per_s(table, check.rate):.6g}",
            message="exceeds the TCP payload rate of the line at this MTU",
        )


class _Reading(NamedTuple):
    """A possible meaning of MB, and possible headers of a frame."""

    unit: str
    timestamps: bool
    vlan_tags: int

    def __str__(self) -> str:
        tags = f" and {self.vlan_tags} VLAN tag" if self.vlan_tags else ""
        with_or_without = "with" if self.timestamps else "without"
        size = _BYTES_OF_MB[self.unit]
        return f"MB of {size} byte {with_or_without} TCP timestamps{tags}"


class _Plateau(NamedTuple):
    """Printed rates that no longer grow, and the line that may limit them."""

    low: float
    high: float
    line_rate_bps: float
    mtu_bytes: int

    def share(self, reading: _Reading, more_mtu_bytes: int = 0) -> tuple[float, float]:
        """Share of the line's payload ceiling in one reading."""
        stack = tcp_stack(timestamps=reading.timestamps, vlan_tags=reading.vlan_tags)
        ceiling = line_ceiling(self.line_rate_bps, self.mtu_bytes + more_mtu_bytes, stack)
        bits_per_printed = BITS_PER_BYTE * _BYTES_OF_MB[reading.unit] / ceiling.payload_rate_bps
        return self.low * bits_per_printed, self.high * bits_per_printed

    def fills(self, reading: _Reading, more_mtu_bytes: int = 0) -> bool:
        """Whether the line is full in a reading, and not overfull."""
        low, high = self.share(reading, more_mtu_bytes)
        return low <= _FULL_LINE[1] and high >= _FULL_LINE[0]


def _unit(source: Source, table: Table, check: UnitCheck, tally: Tally) -> Iterator[Finding]:
    """Readings of an ambiguous unit in which all plateaus fill the line."""
    plateaus = list(_plateaus(table, check))
    if not plateaus:
        return
    tally.checked += len(_READINGS)
    fitting = [each for each in _READINGS if all(plateau.fills(each) for plateau in plateaus)]
    allowed = " or ".join(map(str, fitting))
    message = f"no reading of the unit brings all {len(plateaus)} plateaus to the line"
    if fitting:
        usual = _READINGS[0]
        shares = [share for plateau in plateaus for share in plateau.share(usual)]
        beyond = sum(any(plateau.share(each)[0] > 1 for plateau in plateaus) for each in _READINGS)
        wider = all(plateau.fills(fitting[0], _LLC_SNAP_BYTES) for plateau in plateaus)
        message = (
            f"of {len(_READINGS)} readings only {allowed} brings all {len(plateaus)} plateaus to "
            f"the line; {beyond} put one above it, and {usual} would fill {min(shares):.3f} to "
            f"{max(shares):.3f}"
            + (f"; an MTU {_LLC_SNAP_BYTES} byte larger fits too" if wider else "")
        )
    yield source.finding(
        table,
        None,
        check.rate,
        kind="unit",
        severity=Severity.NOTE,
        printed=table.column(check.rate).unit or "",
        allowed=allowed or "no reading",
        message=message,
    )


def _plateaus(table: Table, check: UnitCheck) -> Iterator[_Plateau]:
    """Groups in which the two or more largest rates are almost equal."""
    rates, numbers = intervals_of(table, check.rate), table.numbers(check.rate)
    lines = table.numbers(check.line_rate) * bits_per_s(table, check.line_rate)
    mtus = table.numbers(check.mtu)
    printed = set(rows_with(numbers, lines, mtus).tolist())
    for group in groups(table, check.group).values():
        rows = np.array(sorted(printed.intersection(group)), dtype=int)
        top = rows[np.argsort(numbers[rows])[::-1]][: max(2, rows.size // 2)]
        if top.size < 2 or np.ptp(numbers[top]) > _FLAT_RATIO * numbers[top].max():
            continue
        yield _Plateau(
            float(rates.low[top].max()),
            float(rates.high[top].max()),
            float(lines[top[0]]),
            int(mtus[top[0]]),
        )


def _identifier(
    source: Source, table: Table, check: IdentifierCheck, tally: Tally
) -> Iterator[Finding]:
    """Law: each row has a unique name, and the names of a group have one pattern."""
    cells = table.text(check.column)
    tally.checked += sum(map(bool, cells))
    first: dict[str, int] = {}
    for row, cell in enumerate(cells):
        if cell and first.setdefault(cell, row) != row:
            yield source.finding(
                table,
                row,
                check.column,
                kind="identifier",
                severity=Severity.FAULT,
                printed=cell,
                allowed="a unique name",
                message=f"{cell} is also in {source.place(table, first[cell], check.column)}",
            )
    for group in groups(table, check.group).values():
        named = [row for row in group if cells[row]]
        patterns = Counter(_pattern(cells[row]) for row in named)
        if len(named) < _FEWEST_ROWS:
            continue
        usual, often = patterns.most_common(1)[0]
        for row in named:
            if 2 * often > len(named) and _pattern(cells[row]) != usual:
                yield source.finding(
                    table,
                    row,
                    check.column,
                    kind="identifier",
                    severity=Severity.NOTE,
                    printed=cells[row],
                    allowed=f"{usual}, a for letters and 9 for digits",
                    message=f"{cells[row]} has another pattern than the others",
                )


def _pattern(text: str) -> str:
    return re.sub(r"[0-9]", "9", re.sub(r"[^\W\d_]", "a", text))


def _quantised(
    source: Source, table: Table, check: QuantisedCheck, tally: Tally
) -> Iterator[Finding]:
    """Costs that, times their rate, are whole percents of a CPU, or of all CPUs, in all rows."""
    per_cent = 100 * cpu_scale(table, check.rate, check.cost)
    rates, costs = table.numbers(check.rate), table.numbers(check.cost)
    cpus = {"a CPU": np.ones(table.row_count)}
    if check.cpu_count is not None:
        cpus = {"all CPUs": looked_up(source.tables, table, check.cpu_count), **cpus}
    usable = set(rows_with(np.where(rates > 0, rates, np.nan), costs, *cpus.values()).tolist())
    for names, group in groups(table, check.group).items():
        rows = np.array(sorted(usable.intersection(group)), dtype=int)
        if rows.size < _FEWEST_ROWS:
            continue
        tally.checked += 1
        busy = per_cent * rates[rows] * costs[rows]
        widths = per_cent * rates[rows] * table.half_widths(check.cost)[rows]
        for step, counts in cpus.items():
            shown, half_widths = busy / counts[rows], widths / counts[rows]
            is_whole = np.abs(shown - np.round(shown)) <= half_widths * (1 + ROUNDING_RATIO)
            # values at random are all this close to whole ones with this probability
            log_chance = np.log(np.minimum(1, 2 * half_widths)).sum()
            if not is_whole.all() or log_chance >= _LOG_OF_CHANCE:
                continue
            group_text = ", ".join(map(" ".join, zip(check.group, names, strict=True)))
            yield source.finding(
                table,
                None,
                check.cost,
                kind="quantised",
                severity=Severity.NOTE,
                place=f"{group_text}, {source.heading(check.cost)}",
                printed=", ".join(f"{value:.2f}" for value in shown[:_SHOWN_COUNT]) + " % ...",
                allowed="figures that are not all whole",
                message=(
                    f"times its rate it is a whole percent of {step} in all {rows.size} rows: "
                    "no finer resolution"
                ),
            )
            break


_READINGS = tuple(_Reading(*choices) for choices in product(_BYTES_OF_MB, (True, False), (0, 1)))
_CHECKS: Mapping[str, Callable[[Source, Table, Any, Tally], Iterator[Finding]]] = {
    "parts": _parts,
    "utilisation": _product,
    "littles_law": _product,
    "change": change_findings,
    "changes_agree": changes_agree_findings,
    "ceiling": _ceiling,
    "unit": _unit,
    "identifier": _identifier,
    "quantised": _quantised,
}
_LAWS: Mapping[tuple[str, str, str], Callable[[str, str, str, str], Check]] = {
    ("transaction_rate_tps", "cpu_s_per_transaction", "cpu_count"): _utilisation_check,
    ("throughput_bps", "cpu_us_per_gbit", "cpu_count"): _utilisation_check,
    ("transaction_rate_tps", "transaction_time_s", "connection_count"): (
        lambda file, rate, time, count: LittleCheck(
            file=file, rate=rate, time=time, connection_count=count
        )
    ),
    ("throughput_bps", "line_rate_bps", "mtu_bytes"): (
        lambda file, rate, line_rate, mtu: CeilingCheck(
            file=file, rate=rate, line_rate=line_rate, mtu=mtu
        )
    ),
}
"""Names of columns that belong together, and the law that they must satisfy."""
