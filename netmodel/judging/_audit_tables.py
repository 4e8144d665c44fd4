"""Columns of audited tables: intervals, rows, units, groups, and lookups in other files."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel._numeric import ROUNDING_RATIO, Floats
from netmodel.errors import DomainError
from netmodel.judging._audit_findings import Finding
from netmodel.records import Table
from netmodel.records._datasets import Lookup
from netmodel.units._prefixes import BITS_PER_BYTE, GIGA, MEBI, MEGA


@dataclass(frozen=True, slots=True)
class Intervals:
    """An interval for each row; NaN where nothing is printed."""

    low: Floats
    high: Floats

    def __add__(self, other: "Intervals") -> "Intervals":
        return Intervals(self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Intervals") -> "Intervals":
        """Product of quantities that are not negative."""
        return Intervals(np.maximum(self.low, 0) * np.maximum(other.low, 0), self.high * other.high)

    def scaled(self, factor: float) -> "Intervals":
        """Every figure times a number above zero."""
        return Intervals(self.low * factor, self.high * factor)

    def rows(self, rows: npt.NDArray[np.intp]) -> "Intervals":
        """The intervals of some rows."""
        return Intervals(self.low[rows], self.high[rows])

    def change_from(self, before: "Intervals") -> "Intervals":
        """Change against other figures, in percent."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return Intervals(
                100 * (self.low / before.high - 1),
                100 * (self.high / np.maximum(before.low, 0) - 1),
            )

    def is_apart_from(self, other: "Intervals") -> npt.NDArray[np.bool_]:
        """Whether no value lies in both; False where either is NaN."""
        slack = ROUNDING_RATIO * np.maximum(np.abs(self.low), np.abs(other.low))
        apart: npt.NDArray[np.bool_] = (self.low > other.high + slack) | (
            self.high < other.low - slack
        )
        return apart


def intervals_of(table: Table, column: str) -> Intervals:
    """Intervals of the printed figures of a column before rounding."""
    numbers, half_widths = table.numbers(column), table.half_widths(column)
    return Intervals(numbers - half_widths, numbers + half_widths)


Tables: TypeAlias = Mapping[str, Table]
Rows: TypeAlias = npt.NDArray[np.intp]

SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9}
_AMOUNTS = {
    "bit": 1.0,
    "Mbit": MEGA,
    "Gbit": GIGA,
    "MB": BITS_PER_BYTE * MEGA,
    "MiB": float(BITS_PER_BYTE * MEBI),
}
_BITS_PER_S = {"bit/s": 1.0, "Mbit/s": MEGA, "Gbit/s": GIGA, "MiB/s": float(BITS_PER_BYTE * MEBI)}


Cells: TypeAlias = tuple[str, str]
"""Name of a table, and of a column."""


@dataclass(frozen=True)
class Source:
    """
    Audited tables, and how their source names places in them.

    Parameters
    ----------
    name : str
        Id of a dataset, or name of a file.
    tables : mapping of str to Table
        By name.
    place : callable
        From table, position of a row and column to the place in the words of the source.
    heading : callable
        From the name of a column to its heading in the source.
    """

    name: str
    tables: Tables
    place: Callable[[Table, int, str], str]
    heading: Callable[[str], str]

    def finding(self, table: Table, row: int | None, column: str, **fields: Any) -> Finding:
        """A finding in a cell, or without a row in a column of the whole table."""
        place = fields.pop("place", None)
        if place is None:
            place = self.heading(column) if row is None else self.place(table, row, column)
        return Finding(
            dataset=self.name,
            file=f"{table.name}.csv",
            row=None if row is None else table.row_numbers[row],
            line=None if row is None else table.line(row),
            column=column,
            place=place,
            **fields,
        )


@dataclass(slots=True)
class Tally:
    """
    Number of comparisons, and of those that only rounding explains.

    Parameters
    ----------
    checked, explained : int
        The two numbers.
    with_figures : dict
        By column, positions of printed changes that were compared with the figures that they
        were computed from, and whether they agree.
    with_changes : dict
        By column, positions of printed changes that were compared with other changes.
    """

    checked: int = 0
    explained: int = 0
    with_figures: dict[Cells, dict[int, bool]] = field(default_factory=dict)
    with_changes: dict[Cells, set[int]] = field(default_factory=dict)

    def count(self, is_off: npt.NDArray[np.bool_], is_fault: npt.NDArray[np.bool_]) -> None:
        """Add comparisons: off as printed, and off beyond rounding."""
        self.checked += is_off.size
        self.explained += int((is_off & ~is_fault).sum())


def other_table(tables: Tables, name: str) -> Table:
    """A table of the same dataset; DomainError where there is none of the name."""
    if name not in tables:
        raise DomainError(f"no file {name}; there are {', '.join(tables)}")
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
    """Rows grouped by their cells in some columns."""
    rows: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, cells in enumerate(cells_of(table, columns)):
        rows[cells].append(row)
    return dict(rows)


def texts_looked_up(tables: Tables, table: Table, lookup: Lookup) -> list[str]:
    """The cell of another file for each row; empty where it has none."""
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
    """Factor from the unit of a column to the base unit."""
    unit = table.column(column).taken_as or table.column(column).unit or "none"
    if unit not in known:
        raise DomainError(f"{table.name}, {column}: unit {unit} is not one of {', '.join(known)}")
    return known[unit]


def bits_per_s(table: Table, column: str) -> float:
    """Factor from the unit of a column to bit/s."""
    return factor(table, column, _BITS_PER_S)


def cpu_scale(table: Table, rate: str, cost: str) -> float:
    """Factor from a rate times a cost to a number of CPUs."""
    time, _, amount = (table.column(cost).unit or "").partition("/")
    moved, _, per = (table.column(rate).unit or "").partition("/")
    moved = "transaction" if moved == "1" else moved
    same = amount == moved or {amount, moved} <= _AMOUNTS.keys()
    if time not in SECONDS or per != "s" or not same:
        raise DomainError(
            f"{table.name}: {rate} [{table.column(rate).unit}] times {cost} "
            f"[{table.column(cost).unit}] is not a number of CPUs"
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
