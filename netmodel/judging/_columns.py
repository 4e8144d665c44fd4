"""Columns of audited tables: rows, units, groups, and what other files say of a row."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel._numeric import Floats
from netmodel.errors import DomainError
from netmodel.judging._intervals import Intervals
from netmodel.records import Table
from netmodel.records._datasets import Lookup

__all__ = [
    "SECONDS",
    "Floats",
    "Rows",
    "Tables",
    "Tally",
    "bits_per_s",
    "cells_of",
    "cpu_scale",
    "factor",
    "groups",
    "keys",
    "looked_up",
    "other_table",
    "require_one_unit",
    "rows_with",
    "span",
    "texts_looked_up",
]

Tables: TypeAlias = Mapping[str, Table]
Rows: TypeAlias = npt.NDArray[np.intp]

SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9}
_AMOUNTS = {"bit": 1.0, "Mbit": 1e6, "Gbit": 1e9, "MB": 8e6, "MiB": 8 * 2.0**20}
_BITS_PER_S = {"bit/s": 1.0, "Mbit/s": 1e6, "Gbit/s": 1e9, "MiB/s": 8 * 2.0**20}


@dataclass(slots=True)
class Tally:
    """How many comparisons were made, and how many only rounding explains."""

    checked: int = 0
    explained: int = 0

    def count(self, is_off: npt.NDArray[np.bool_], is_fault: npt.NDArray[np.bool_]) -> None:
        """Add comparisons that may be off as printed, and may be off beyond rounding."""
        self.checked += is_off.size
        self.explained += int((is_off & ~is_fault).sum())


def other_table(tables: Tables, name: str) -> Table:
    """A table of the same dataset; DomainError where there is none of the name."""
    if name not in tables:
        raise DomainError(f"there is no file {name}, but {', '.join(tables)}")
    return tables[name]


def rows_with(*columns: Floats) -> Rows:
    """Rows in which all columns have a figure."""
    return np.flatnonzero(~np.isnan(np.array(columns)).any(axis=0))


def cells_of(table: Table, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Cells of some columns, row by row."""
    texts = [table.text(name) for name in columns]
    return list(zip(*texts, strict=True)) if texts else [()] * table.row_count


def keys(table: Table, columns: Sequence[str]) -> dict[tuple[str, ...], int]:
    """Rows by the cells of some columns."""
    return {cells: row for row, cells in enumerate(cells_of(table, columns))}


def groups(table: Table, columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """All rows that have the same cells in some columns."""
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, cells in enumerate(cells_of(table, columns)):
        found[cells].append(row)
    return dict(found)


def texts_looked_up(tables: Tables, table: Table, lookup: Lookup) -> list[str]:
    """The cell of another file that belongs to each row; empty where none does."""
    other = other_table(tables, lookup.file)
    cells = dict(zip(other.text(lookup.key), other.text(lookup.column), strict=True))
    return [cells.get(key, "") for key in table.text(lookup.key)]


def looked_up(tables: Tables, table: Table, where: Lookup | str) -> Floats:
    """A column of the table or, row by row, figures of another file."""
    if isinstance(where, str):
        return table.numbers(where)
    other = other_table(tables, where.file)
    figures = dict(zip(other.text(where.key), other.numbers(where.column), strict=True))
    return np.array([figures.get(key, np.nan) for key in table.text(where.key)])


def factor(table: Table, column: str, known: Mapping[str, float]) -> float:
    """What makes the figures of a column base units."""
    unit = table.column(column).taken_as or table.column(column).unit or "none"
    if unit not in known:
        raise DomainError(f"{table.name}, {column}: unit {unit} is not one of {', '.join(known)}")
    return known[unit]


def bits_per_s(table: Table, column: str) -> float:
    """What makes the figures of a column bit/s."""
    return factor(table, column, _BITS_PER_S)


def cpu_scale(table: Table, rate: str, cost: str) -> float:
    """What makes a rate times a cost a number of CPUs."""
    time, _, amount = (table.column(cost).unit or "").partition("/")
    moved, _, per = (table.column(rate).unit or "").partition("/")
    moved = "transaction" if moved == "1" else moved
    same = amount == moved or {amount, moved} <= _AMOUNTS.keys()
    if time not in SECONDS or per != "s" or not same:
        raise DomainError(
            f"{table.name}: {rate} [{table.column(rate).unit}] times {cost} "
            f"[{table.column(cost).unit}] is no number of CPUs"
        )
    return SECONDS[time] * _AMOUNTS.get(moved, 1) / _AMOUNTS.get(amount, 1)


def require_one_unit(table: Table, columns: Sequence[str]) -> None:
    """Raise DomainError unless all columns have the unit of the first."""
    first, *others = columns
    for name in others:
        if table.column(name).unit != table.column(first).unit:
            raise DomainError(
                f"{table.name}: {name} [{table.column(name).unit}] does not add up to {first} "
                f"[{table.column(first).unit}]"
            )


def span(intervals: Intervals, place: int | np.intp) -> str:
    """One interval in words."""
    return f"{intervals.low[place]:.4g} to {intervals.high[place]:.4g}"
