"""Observations from a table of one's own."""

import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TypeVar

from netmodel._text import near_name
from netmodel.calibration._observed import Conditions, Observed, allowed_by
from netmodel.calibration._sources._columns import (
    QUANTITIES,
    conditions_of,
    number_of,
)
from netmodel.calibration._sources._selection import (
    Figure,
    Flagged,
    Selection,
    as_ratio,
    grade_of,
    with_flag,
)
from netmodel.errors import DomainError, ParseError
from netmodel.readers._csv import ENDS, FIGURES, canonical, figure_columns, near_column
from netmodel.records import Relation, Table, load_table
from netmodel.records._figures import half_step, rounding_half_width
from netmodel.records._subjects import Change

__all__ = ["observed_from_csv"]

_PARTS = ("", *ENDS, "_relation", "_resolution")
_CHANGES = {"change_percent": 0.01, "change_ratio": 1.0}
_BASELINE = "baseline"
_OTHERWISE = "baseline_"
_ROW = ("relation", "weight", "flag", "quantity", "change", _BASELINE)
_NOT_CONDITIONS = frozenset(
    (*_ROW, *(name + part for name in (*FIGURES, *_CHANGES) for part in _PARTS))
)
_BOTH_ENDS = (Relation.RANGE, Relation.EQUAL, Relation.ABOUT)
_LEAST = (Relation.AT_LEAST, Relation.CENSORED_ABOVE)
_MOST = (Relation.AT_MOST, Relation.UP_TO, Relation.CENSORED_BELOW)
_IN_WORDS = (None, Relation.SIGN, Relation.ABOUT)
_LINE_END = re.compile("\r\n|\r|\n")

_Word = TypeVar("_Word", bound=Enum)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that knows where it stands, and how many digits figures of each column have."""

    path: str
    line: int
    cells: Mapping[str, str]
    at: Conditions
    baseline: Conditions
    digit_counts: Mapping[str, int]

    @property
    def place(self) -> str:
        return f"{Path(self.path).name}, line {self.line}"

    def fault(self, column: str, problem: object) -> ParseError:
        return ParseError(self.path, f"line {self.line}, column {column}: {problem}")

    def text(self, column: str) -> str:
        return self.cells.get(column, "")

    def number(self, column: str) -> Decimal | None:
        text = self.text(column)
        if not text:
            return None
        number = number_of(text)
        if number is None or number < 0:
            raise self.fault(column, f"must be a number from 0 up; got {text[:80]!r}")
        return number

    def word(self, column: str, words: type[_Word]) -> _Word | None:
        text = self.text(column)
        known = {word.value: word for word in words}
        if text and text not in known:
            raise self.fault(column, f"must be one of {', '.join(known)}; got {text[:80]!r}")
        return known.get(text)

    def relation(self, name: str) -> Relation | None:
        own = self.word(f"{name}_relation", Relation)
        return own or self.word("relation", Relation)

    @property
    def weight(self) -> float:
        number = self.number("weight")
        if number == 0:
            raise self.fault("weight", "must be above 0")
        return 1.0 if number is None else float(number)

    def figure(self, name: str, scale: float) -> Figure | None:
        """What the figure of a column and its ends allow, in base units; None for empty cells."""
        value, low, high = (self._scaled(name + end, scale) for end in ("", *ENDS))
        if value is None and low is None and high is None:
            return None
        relation = self._fitting(name, value, low, high)
        if low is None and high is None and value is not None:
            half_width = float(self.half_width(name, relation)) * scale
            return Figure(*allowed_by(relation, value, half_width), value, relation)
        least, most = low or 0.0, math.inf if high is None else high
        if not least <= (least if value is None else value) <= most or least > most:
            raise self.fault(name, f"{name}_low, {name} and {name}_high must ascend")
        return Figure(least, most, value, relation)

    def _scaled(self, column: str, scale: float) -> float | None:
        number = self.number(column)
        return None if number is None else float(number) * scale

    def _fitting(
        self, name: str, value: float | None, low: float | None, high: float | None
    ) -> Relation:
        """The relation that is told, else the one that the filled cells mean."""
        if low is not None and high is not None:
            known: tuple[Relation, ...] = _BOTH_ENDS[1:] if value is not None else _BOTH_ENDS
        elif value is None:
            known = _LEAST if high is None else _MOST
        elif low is None and high is None:
            known = (Relation.EQUAL, Relation.ABOUT, *_LEAST, *_MOST)
        else:
            raise self.fault(name, f"a figure has both {name}_low and {name}_high, or neither")
        told = self.relation(name) or known[0]
        if told not in known:
            words = ", ".join(one.value for one in known)
            raise self.fault(name, f"what is filled in goes with {words}; got {told.value}")
        return told

    def half_width(self, name: str, relation: Relation) -> Decimal:
        """How far rounding may have moved a figure that stands alone; zeros may hold places."""
        number = self.number(name)
        if number is None:
            return Decimal(0)
        if not self.has_open_zeros(name):
            return rounding_half_width(number, self.number(f"{name}_resolution")) or half_step(
                number
            )
        if relation is not Relation.EQUAL:
            return Decimal(0)
        return Decimal(10) ** max(len(number.as_tuple().digits) - self.digit_counts[name], 0) / 2

    def has_open_zeros(self, name: str) -> bool:
        """Whether a figure that stands alone ends in zeros of which nothing tells what they are."""
        number = self.number(name)
        if not number or self.text(f"{name}_low") or name in _CHANGES:
            return False
        return rounding_half_width(number, self.number(f"{name}_resolution")) is None


def observed_from_csv(
    path: str | os.PathLike[str],
    *,
    conditions: Collection[str] = (),
    flagged: Flagged = Flagged.REFUSED,
) -> Selection:
    """
    Observations from a CSV file of one's own.

    Parameters
    ----------
    path : str or path-like
        A file in UTF-8 with a line of column names and commas between the
        cells; an empty cell is not known.
    conditions : collection of str
        Columns of figures that are conditions of the others in their row instead,
        such as the rate at which a cost was seen.
    flagged : Flagged
        What becomes of rows with anything in the column ``flag``.

    Returns
    -------
    selection : Selection
        One observation for each figure, row by row.

    Raises
    ------
    ParseError
        If the file is not such a table; names file, line and column.

    Notes
    -----
    **Figures** stand in ``throughput_bps``, ``transaction_rate_tps``,
    ``transaction_time_s``, ``cpu_us_per_gbit`` and ``cpu_s_per_transaction``,
    or in other units: ``throughput_mbps``, ``_gbps``, ``_mib_per_s``;
    ``transaction_time_ms``, ``_us``, ``_ns``; ``cpu_ms_per_mib``;
    ``cpu_ms_per_transaction``, ``_us_per_transaction``.

    Beside a column ``<figure>``, each optional:

    - ``<figure>_low`` and ``<figure>_high``: what it may be at least and at
      most, as they stand; both, or without a figure one of them.
    - ``<figure>_relation``, or ``relation`` for all figures of the row: a word
      of `Relation`. ``equal`` where a figure stands alone, ``range`` where both
      ends do, ``at_least`` or ``at_most`` where one end does.
    - ``<figure>_resolution``: step of the figure. Without it the printed digits
      tell the rounding: 13.40 is within 0.005, 13 within 0.5. Zeros at the end of an
      integer may only hold places: they count as digits up to as many as another figure
      of the column has, so that 9400 alone is within 50, and beside 9413 within 0.5; a
      note says so. (In changes they count: 30 % is within 0.5 %.)

    **Comparisons** are rows with a word in ``change`` (``more``, ``less``,
    ``factor`` or ``same``) and the name of what is compared in ``quantity``, such as
    ``throughput_bps``. By how much stands in ``change_percent``, for a factor
    in ``change_ratio``, each with the columns beside it as above; ``same`` has
    no figure and is within 5 %, and ``more`` or ``less`` without a figure tells
    the sign alone. ``baseline_<condition>`` tells what is otherwise where it is
    compared with, or ``baseline`` names something of which nothing else is known.

    **Conditions** are all other columns, such as ``connection_count``,
    ``mtu_bytes``, ``request_bytes``, ``response_bytes``, ``write_bytes``,
    ``workload``, ``adapter``, ``direction`` and ``side``: numbers where each
    cell of the column is one, else text.

    ``weight`` is what the figures of a row count, 1 where it is empty; what
    stands in ``flag`` says why a row is doubtful.
    """
    name = os.fspath(path)
    table = load_table(name, canonical)
    for one in conditions:
        if one not in {column.name for column in table.columns}:
            near = near_name(one, (column.name for column in table.columns))
            hint = f"; {near} may be meant" if near else ""
            raise ParseError(name, f"line 1: no column is {one}, which is to be a condition{hint}")
    figures = {one: told for one, told in _figures(name, table).items() if one not in conditions}
    rows = list(_rows(name, table, conditions))
    parts = [_selected(row, figures, flagged) for row in rows]
    notes = (*_near_names(table), *_zeros_notes(rows, figures))
    return sum(parts, Selection((), notes))


def _near_names(table: Table) -> Iterator[str]:
    """A note for each condition that is spelled nearly as a column which has a meaning."""
    for column in table.columns:
        near = near_column(column.name)
        if near is not None:
            yield f"column {column.name} is a condition of that name; {near} may be meant"


def _figures(path: str, table: Table) -> dict[str, tuple[str, float]]:
    """Quantity and scale of each column of figures, by its name without an end."""
    names = {column.name for column in table.columns}
    found = {
        name: (quantity, float(scale))
        for name, (quantity, scale) in figure_columns(path, names).items()
    }
    if not found and "change" not in names:
        known = ", ".join((*QUANTITIES, "change"))
        near = {one: near_column(one) for one in sorted(names)}
        hints = [f"{one} may be meant as {meant}" for one, meant in near.items() if meant]
        hint = f": {', '.join(hints)}" if hints else ", or one of them in another unit"
        raise ParseError(path, f"line 1: no column is one of {known}{hint}")
    return found


def _rows(path: str, table: Table, conditions: Collection[str]) -> Iterator[_Row]:
    names = [
        column.name
        for column in table.columns
        if column.name not in _NOT_CONDITIONS or column.name in conditions
    ]
    subject = {name: name for name in names if not name.startswith(_OTHERWISE)}
    baseline = {name.removeprefix(_OTHERWISE): name for name in names if name not in subject}
    digit_counts = {
        column.name: max((_digit_count(cell) for cell in table.text(column.name)), default=0)
        for column in table.columns
        if column.name in FIGURES
    }
    line = 2
    for cells, at, other in zip(
        table.rows(), conditions_of(table, subject), conditions_of(table, baseline), strict=True
    ):
        yield _Row(path, line, cells, at, other, digit_counts)
        line += 1 + sum(len(_LINE_END.findall(cell)) for cell in cells.values())


def _digit_count(cell: str) -> int:
    """How many digits of a figure count: all, but for zeros at the end of an integer."""
    number = number_of(cell)
    if number is None:
        return 0
    is_open = rounding_half_width(number) is None
    return len((number.normalize() if is_open else number).as_tuple().digits)


def _selected(row: _Row, figures: Mapping[str, tuple[str, float]], flagged: Flagged) -> Selection:
    seen = [
        _observed(row, name, quantity, figure)
        for name, (quantity, scale) in figures.items()
        if (figure := row.figure(name, scale)) is not None
    ]
    seen += _compared(row)
    if not seen:
        return Selection((), (f"{row.place}: no figure is known",))
    if not row.text("flag"):
        return Selection(tuple(seen))
    parts = [with_flag(one, row.text("flag"), flagged) for one in seen]
    return sum(parts, Selection(()))


def _compared(row: _Row) -> list[Observed]:
    """The comparison that a row tells, if it does."""
    change = row.word("change", Change)
    if change is None:
        others = (_OTHERWISE + name for name in row.baseline)
        for name in (*_CHANGES, "quantity", _BASELINE, *others):
            if row.text(name):
                raise row.fault(name, "belongs to a comparison, and change is empty")
        return []
    quantity = row.text("quantity")
    if quantity not in QUANTITIES:
        known = ", ".join(QUANTITIES)
        raise row.fault("quantity", f"must be one of {known}; got {quantity[:80]!r}")
    if row.baseline and row.text(_BASELINE):
        raise row.fault(_BASELINE, f"stands beside {_OTHERWISE}{next(iter(row.baseline))}")
    baseline = {**row.at, **row.baseline} if row.baseline else row.text(_BASELINE)
    if not baseline or baseline == row.at:
        raise row.fault("change", "needs a baseline that differs from the row itself")
    return [_observed(row, "change", quantity, _ratio(row, change), baseline)]


def _ratio(row: _Row, change: Change) -> Figure:
    percent, factor = (row.figure(name, scale) for name, scale in _CHANGES.items())
    unwanted, by = (percent, factor) if change is Change.FACTOR else (factor, percent)
    if unwanted is not None:
        raise row.fault("change", "a factor stands in change_ratio, any other in change_percent")
    if by is None and row.relation("change") not in _IN_WORDS:
        raise row.fault("change", "has no figure, and its relation is not sign")
    try:
        return as_ratio(change, by)
    except DomainError as error:
        raise row.fault("change", error) from None


def _observed(
    row: _Row,
    column: str,
    quantity: str,
    figure: Figure,
    baseline: Conditions | str | None = None,
) -> Observed:
    try:
        return Observed(
            quantity=quantity,
            at=row.at,
            low=figure.low,
            high=figure.high,
            value=figure.value,
            relation=figure.relation,
            baseline=baseline,
            weight=row.weight,
            place=f"{row.place}, {column}",
            grade=grade_of(figure.relation, None),
        )
    except DomainError as error:
        raise row.fault(column, error) from None


def _zeros_notes(rows: Iterable[_Row], names: Iterable[str]) -> tuple[str, ...]:
    """A note for each column with integers whose zeros may be digits or hold places."""
    count = Counter(name for row in rows for name in names if row.has_open_zeros(name))
    return tuple(
        f"column {name}: zeros at the end of {many} integers count as digits up to as many as "
        f"other figures there have, and else hold places; {name}_resolution would give their step"
        for name, many in count.items()
    )
