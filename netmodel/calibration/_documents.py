"""Observations from tables of datasets."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from netmodel.calibration.observations import (
    Observed,
    Selection,
    allowed_by,
    base_quantity,
    conditions_of,
)
from netmodel.errors import DomainError
from netmodel.records import Relation

if TYPE_CHECKING:
    from netmodel.records import Dataset, Table

_AMBIGUOUS = frozenset({"MB/s", "ms/MB"})
"""Units in which MB is 10^6 byte to some and 2^20 to others."""


def observed_from_dataset(
    source: "Dataset",
    table: "Table",
    columns: Sequence[str],
    *,
    conditions: Sequence[str] | None = None,
    also_conditions: Sequence[str] = (),
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
        With figures. Their units decide the quantities: bits or bytes per second
        `throughput_bps`, transactions per second `transaction_rate_tps`, times
        `transaction_time_s`, times per data `cpu_us_per_gbit`, times per
        transaction `cpu_s_per_transaction`.
    conditions : sequence of str, optional
        Columns that become conditions of the same names, in their units. When
        left out, columns without such a quantity that do not identify runs.
    also_conditions : sequence of str
        More of them.

    Returns
    -------
    selection : Selection
        One observation for each figure, within the rounding of its digits.
        Left out are figures whose cell is flagged, or that of a condition. The notes list these,
        and the known faults of the dataset.

    Raises
    ------
    DomainError
        If the table is not of the dataset, a column holds no such quantity, or that of another
        one, or a unit in which MB is not defined as 10^6 or 2^20 byte.
    UnknownRecordError
        If there is no such column.

    Examples
    --------
    >>> from netmodel.records import dataset
    >>> comparison = dataset("zvm-layer2-layer3")
    >>> runs = comparison.tables["measurements"].where(table=11)
    >>> result = observed_from_dataset(comparison, runs, ["total_cpu_ms_per_transaction"])
    >>> len(result.observed), runs.row_count
    (3, 16)
    """
    if table.name not in source.tables:
        raise DomainError(f"{source.id} has no table {table.name}")
    if conditions is None:
        conditions = [
            column.name
            for column in table.columns
            if column.name not in source.identifiers and base_quantity(column) is None
        ]
    names = [name for name in (*conditions, *also_conditions) if name not in columns]
    at = conditions_of({name: table.text(name) for name in names}, table.row_count)
    side = {"side": source.side.value} if source.side else {}
    seen: list[Observed] = []
    notes: list[str] = []
    of_quantity: dict[str, str] = {}
    for name in columns:
        column = table.column(name)
        if column.unit in _AMBIGUOUS and column.taken_as is None:
            raise DomainError(
                f"{source.id}: column {name} is in {column.unit}, and taken_as does not say "
                "whether MB is 10^6 or 2^20 byte"
            )
        of_unit = base_quantity(column)
        if of_unit is None:
            raise DomainError(
                f"{source.id}: column {name} holds no quantity that models have: "
                f"its unit is {column.unit or 'none'}"
            )
        quantity, scale = of_unit
        other = of_quantity.setdefault(quantity, name)
        if other != name:
            raise DomainError(f"{source.id}: {other} and {name} are both {quantity}: choose one")
        values, halves = table.numbers(name) * scale, table.half_widths(name) * scale
        for row, value, half, own in zip(table.row_numbers, values, halves, at, strict=True):
            if math.isnan(value):
                continue
            place = f"{source.id}, {table.name}, row {row}, {name}"
            # flags of the cell, of a condition, of the row, or of the whole table
            faults = [
                f"{flag.message} ({flag.kind}, {flag.severity})"
                for flag in source.flags
                if flag.file == f"{table.name}.csv"
                and flag.row in (None, row)
                and (flag.column is None or flag.column in (name, *side, *own))
            ]
            if faults:
                notes.append(f"{place}: refused: {'; '.join(faults)}")
                continue
            low, high = allowed_by(Relation.EQUAL, float(value), float(half))
            seen.append(
                Observed(
                    quantity=quantity,
                    at={**side, **own},
                    low=low,
                    high=high,
                    value=float(value),
                    place=place,
                    grade=source.grade,
                    is_published=source.document_title is not None,
                )
            )
    known = (f"known fault of {source.id}: {fault}" for fault in source.known_faults)
    return Selection(tuple(seen), (*notes, *known))
