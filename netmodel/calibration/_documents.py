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

    Returns
    -------
    selection : Selection
        One observation for each figure, within the rounding of its digits.
        Left out are figures whose cell is flagged, or that of a condition. The notes list these,
        and the known faults of the dataset.

    Raises
    ------
    DomainError
        If a column holds no such quantity, or that of another
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
    if conditions is None:
        names = [each.name for each in table.columns if base_quantity(each) is None]
        conditions = [name for name in names if name not in source.identifiers]
    names = [name for name in conditions if name not in columns]
    side = {"side": source.side.value} if source.side else {}
    at = conditions_of({name: table.text(name) for name in names}, table.row_count)
    flags = [each for each in source.flags if each.file == f"{table.name}.csv"]
    seen, notes, of_quantity = list[Observed](), list[str](), dict[str, str]()
    for name in columns:
        column = table.column(name)
        is_open = column.unit in _AMBIGUOUS and column.taken_as is None
        of_unit = None if is_open else base_quantity(column)
        if of_unit is None:
            why = "; taken_as must say whether MB is 10^6 or 2^20 byte" if is_open else ""
            raise DomainError(
                f"{source.id}: column {name} holds no quantity that models have: its unit is "
                f"{column.unit or 'none'}{why}"
            )
        quantity, scale = of_unit
        other = of_quantity.setdefault(quantity, name)
        if other != name:
            raise DomainError(f"{source.id}: {other} and {name} are both {quantity}: choose one")
        figures = (table.row_numbers, table.numbers(name), table.half_widths(name), at)
        for row, number, half, own in zip(*figures, strict=True):
            if math.isnan(number):
                continue
            place = f"{source.id}, {table.name}, row {row}, {name}"
            # flags of the cell, of a condition, of the row, or of the whole table
            faults = [
                f"{flag.message} ({flag.kind}, {flag.severity})"
                for flag in flags
                if flag.row in (None, row)
                and (flag.column is None or flag.column in (name, *side, *own))
            ]
            if faults:
                notes.append(f"{place}: refused: {'; '.join(faults)}")
                continue
            value = float(number * scale)
            low, high = allowed_by(Relation.EQUAL, value, float(half * scale))
            seen.append(
                Observed(
                    quantity=quantity,
                    at={**side, **own},
                    low=low,
                    high=high,
                    value=value,
                    place=place,
                    is_published=source.document_title is not None,
                )
            )
    known = (f"known fault of {source.id}: {fault}" for fault in source.known_faults)
    return Selection(tuple(seen), (*notes, *known))
