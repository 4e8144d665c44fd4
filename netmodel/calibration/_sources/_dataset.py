"""Observations from datasets."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from netmodel._text import listed
from netmodel.calibration._observed import Conditions, Observed, allowed_by
from netmodel.calibration._sources._columns import base_quantity, conditions_of
from netmodel.calibration._sources._selection import Flagged, Selection, with_flag
from netmodel.errors import DomainError
from netmodel.records import Dataset, Relation, Table
from netmodel.records._datasets import IdentifierCheck, PartsCheck
from netmodel.records._tables import Column

_AMBIGUOUS = frozenset({"MB/s", "ms/MB"})


def observed_from_dataset(
    source: Dataset,
    table: Table,
    columns: Sequence[str],
    *,
    conditions: Sequence[str] | None = None,
    also_conditions: Sequence[str] = (),
    flagged: Flagged = Flagged.REFUSED,
) -> Selection:
    """
    Observations from columns of a table of a dataset.

    Parameters
    ----------
    source : Dataset
        Its flags and checks count, and its side becomes a condition.
    table : Table
        One of its tables, or the rows of one that `Table.where` leaves.
    columns : sequence of str
        With figures. Their units tell the quantities: bits or bytes per second
        `throughput_bps`, transactions per second `transaction_rate_tps`, times
        `transaction_time_s`, times per data `cpu_us_per_gbit`, times per
        transaction `cpu_s_per_transaction`.
    conditions : sequence of str, optional
        Columns that become conditions of the same names, in their units. When
        left out all that hold none of these quantities and identify no run.
    also_conditions : sequence of str
        More of them.
    flagged : Flagged
        What becomes of figures whose cell is flagged, or that of a condition.

    Returns
    -------
    selection : Selection
        One observation for each figure, within the rounding of its digits.
        A column that a check calls a part of a total has the condition
        ``part``, so that none is taken for the total. The notes tell each flag that matters,
        and the known faults of the dataset.

    Raises
    ------
    DomainError
        If the table is not of the dataset, or a column holds no such quantity,
        or a unit in which MB is not said to be 10^6 or 2^20 byte.
    UnknownRecordError
        If there is no such column.

    Examples
    --------
    >>> from netmodel.records import dataset
    >>> comparison = dataset("zvm-layer2-layer3")
    >>> runs = comparison.tables["measurements"].where(table=11)
    >>> found = observed_from_dataset(comparison, runs, ["total_cpu_ms_per_transaction"])
    >>> len(found.observed), runs.row_count
    (3, 16)
    """
    if table.name not in source.tables:
        raise DomainError(f"{source.id} has no table {table.name}")
    if conditions is None:
        conditions = _default_conditions(source, table)
    names = (*conditions, *also_conditions)
    at = conditions_of(table, {name: name for name in names if name not in columns})
    parts = (_of_column(source, table, name, at, flagged) for name in columns)
    faults = tuple(f"known fault of {source.id}: {fault}" for fault in source.known_faults)
    return sum(parts, Selection(())) + Selection((), faults)


def chosen_rows(table: Table, where: Mapping[str, Sequence[object]]) -> Table:
    """
    Rows whose columns hold one of the values wanted there.

    Raises
    ------
    DomainError
        If no row is left.
    UnknownRecordError
        If there is no such column.
    """
    chosen = table
    for column, values in where.items():
        wanted = {n for value in values for n in chosen.where(**{column: value}).row_numbers}
        kept = [place for place, n in enumerate(chosen.row_numbers) if n in wanted]
        chosen = replace(
            chosen,
            cells=tuple(chosen.cells[place] for place in kept),
            row_numbers=tuple(chosen.row_numbers[place] for place in kept),
        )
    if not chosen.row_count:
        rule = ", ".join(f"{column} {listed(values)}" for column, values in where.items())
        raise DomainError(f"{table.name}: no row has {rule}")
    return chosen


def _default_conditions(source: Dataset, table: Table) -> list[str]:
    identifiers = {
        check.column
        for check in source.checks
        if isinstance(check, IdentifierCheck) and check.file == table.name
    }
    return [
        column.name
        for column in table.columns
        if column.name not in identifiers and base_quantity(column) is None
    ]


def _of_column(
    source: Dataset,
    table: Table,
    name: str,
    conditions: Sequence[Conditions],
    flagged: Flagged,
) -> Selection:
    quantity, scale = _quantity(source, table.column(name))
    fixed = _part(source, table, name) | ({"side": source.side.value} if source.side else {})
    figures = zip(table.row_numbers, table.numbers(name), table.half_widths(name), strict=True)
    found = Selection(())
    for (row, number, half_width), at in zip(figures, conditions, strict=True):
        if math.isnan(number):
            continue
        value = float(number) * scale
        low, high = allowed_by(Relation.EQUAL, value, float(half_width) * scale)
        seen = Observed(
            quantity=quantity,
            at={**fixed, **at},
            low=low,
            high=high,
            value=value,
            place=f"{source.id}, {table.name}, row {row}, {name}",
            grade=source.grade,
            is_published=source.document_title is not None,
        )
        told = "; ".join(_flags(source, table, row, (name, *at)))
        found += with_flag(seen, told, flagged) if told else Selection((seen,))
    return found


def _quantity(source: Dataset, column: Column) -> tuple[str, float]:
    if column.unit in _AMBIGUOUS and column.taken_as is None:
        raise DomainError(
            f"{source.id}: column {column.name} is in {column.unit}, and taken_as does not say "
            "whether MB is 10^6 or 2^20 byte"
        )
    found = base_quantity(column)
    if found is None:
        raise DomainError(
            f"{source.id}: column {column.name} holds no quantity that models have: "
            f"its unit is {column.unit or 'none'}"
        )
    return found


def _part(source: Dataset, table: Table, name: str) -> dict[str, float | str | bool]:
    """The condition of a column that is a part of a total: what its name has instead of "total"."""
    for check in source.checks:
        if isinstance(check, PartsCheck) and check.file == table.name and name in check.parts:
            words, total = name.split("_"), check.total.split("_")
            while len(words) > 1 and total and words[-1] == total[-1]:
                words.pop(), total.pop()
            return {"part": "_".join(words)}
    return {}


def _flags(source: Dataset, table: Table, row: int, columns: Sequence[str]) -> Iterator[str]:
    """What is told against a figure: of its cell, a condition, its row or its whole table."""
    for flag in source.flags:
        if (
            flag.file == f"{table.name}.csv"
            and flag.row in (None, row)
            and (flag.column is None or flag.column in columns)
        ):
            yield f"{flag.message} ({flag.kind}, {flag.severity})"
