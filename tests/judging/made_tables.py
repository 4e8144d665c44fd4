"""Tables made on purpose, and their audit."""

from collections.abc import Mapping, Sequence

from netmodel.judging import audit_dataset
from netmodel.judging._audit_findings import Audit
from netmodel.records import Dataset, Grade, Table
from netmodel.records._datasets import ChangeCheck, Check
from netmodel.records._tables import Column

__all__ = ["CHANGE", "audit_of", "table_of"]

CHANGE = ChangeCheck(
    file="changes",
    change="change",
    quantity="of",
    figures="runs",
    keys=("load",),
    compared="mode",
    before="old",
    after="new",
)
"""Changes from old to new of the runs with the same load."""


def table_of(
    name: str, lines: Sequence[Mapping[str, str]], *, units: Mapping[str, str | None]
) -> Table:
    """A table of lines; columns without an entry in `units` have no unit."""
    columns = tuple(Column(name=key, unit=units.get(key), meaning=key) for key in lines[0])
    cells = tuple(tuple(line.values()) for line in lines)
    return Table(name, columns, cells, tuple(range(1, len(cells) + 1)))


def audit_of(*tables: Table, checks: tuple[Check, ...]) -> Audit:
    """The audit of a dataset of these tables alone."""
    return audit_dataset(
        Dataset(
            id="made",
            title="made on purpose",
            source="none",
            locator="none",
            grade=Grade.MEASURED,
            tables={each.name: each for each in tables},
            checks=checks,
        )
    )
