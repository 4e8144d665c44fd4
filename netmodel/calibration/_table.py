"""Observations of your own: a single figure, a CSV file, a data frame."""

import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from netmodel.calibration.observations import (
    QUANTITIES,
    Conditions,
    Figure,
    Observed,
    Selection,
    allowed_by,
    as_ratio,
    conditions_of,
    grade_of,
    number_of,
    quantity_of_unit,
)
from netmodel.errors import DomainError, ParseError
from netmodel.numeric import EXACT_INTEGER
from netmodel.printable import SHOWN_LENGTH
from netmodel.quantities import carries_unit
from netmodel.readers.tables import (
    ENDS,
    FIGURES,
    canonical,
    figure_columns,
    near_column,
    own_table,
)
from netmodel.records import Relation, Table
from netmodel.records.equipment import Change
from netmodel.records.tables import bare_column, table_of
from netmodel.records.values import half_step, rounding_half_width
from netmodel.text import near_name

if TYPE_CHECKING:
    import pandas

_PARTS = ("", *ENDS, "_relation", "_resolution")
_CHANGES = {"change_percent": 0.01, "change_ratio": 1.0}
"""Columns of changes, with their unit as a ratio: per cent, and times as much."""
_BASELINE = "baseline"
_BASELINE_PREFIX = "baseline_"
_ROW = ("relation", "flag", "quantity", "change", _BASELINE)
_NOT_CONDITIONS = frozenset(
    (*_ROW, *(name + part for name in (*FIGURES, *_CHANGES) for part in _PARTS))
)
_LOWER = (Relation.AT_LEAST, Relation.CENSORED_ABOVE)
_UPPER = (Relation.AT_MOST, Relation.UP_TO, Relation.CENSORED_BELOW)
_FITTING: dict[tuple[bool, ...], tuple[Relation, ...]] = {
    (True, True, True): (Relation.EQUAL, Relation.ABOUT),
    (False, True, True): (Relation.RANGE, Relation.EQUAL, Relation.ABOUT),
    (False, True, False): _LOWER,
    (False, False, True): _UPPER,
    (True, False, False): (Relation.EQUAL, Relation.ABOUT, *_LOWER, *_UPPER),
}
"""Relations by which of figure, lower and upper end are given; the first one is meant."""
_MISSING = ("nan", "<NA>", "NaT")
"""Text of missing floats, of missing values of pandas, and of its missing times."""

_Word = TypeVar("_Word", bound=Enum)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row with its place, and the largest digit count of each column of figures."""

    path: str
    place: str
    where: str
    cells: Mapping[str, str]
    at: Conditions
    baseline: Conditions
    digit_counts: Mapping[str, int]

    def fault(self, column: str, problem: object) -> ParseError:
        return ParseError(self.path, f"{self.where}column {column}: {problem}")

    def text(self, column: str) -> str:
        return self.cells.get(column, "")

    def number(self, column: str) -> Decimal | None:
        text = self.text(column)
        number = number_of(text) if text else None
        if text and (number is None or number < 0):
            raise self.fault(column, f"must be a number from 0 up; got {text[:SHOWN_LENGTH]!r}")
        return number

    def word(self, column: str, words: Iterable[_Word]) -> _Word | None:
        text, known = self.text(column), {word.value: word for word in words}
        if text and text not in known:
            got = repr(text[:SHOWN_LENGTH])
            raise self.fault(column, f"must be one of {', '.join(known)}; got {got}")
        return known.get(text)

    def figure(self, name: str, scale: float) -> Figure | None:
        """The figure of a column with its ends, in base units; None for empty cells."""
        cells = [self.number(name + end) for end in ("", *ENDS)]
        given = tuple(each is not None for each in cells)
        if not any(given):
            return None
        fitting = _FITTING.get(given)
        if fitting is None:
            raise self.fault(name, f"a figure has both {name}_low and {name}_high, or neither")
        own = self.word(f"{name}_relation", Relation)
        relation = own or self.word("relation", Relation) or fitting[0]
        if relation not in fitting:
            words = ", ".join(each.value for each in fitting)
            raise self.fault(name, f"the filled cells go with {words}; got {relation.value}")
        value, low, high = (None if each is None else float(each) * scale for each in cells)
        if value is not None and low is None:
            half_width = float(self._half_width(name, relation)) * scale
            return Figure(*allowed_by(relation, value, half_width), value, relation)
        lower, upper = low or 0.0, math.inf if high is None else high
        if not lower <= (lower if value is None else value) <= upper:
            raise self.fault(name, f"{name}_low, {name} and {name}_high must ascend")
        return Figure(lower, upper, value, relation)

    def _half_width(self, name: str, relation: Relation) -> Decimal:
        """Half a step of a figure without ends; its trailing zeros may hold places."""
        number = self.number(name) or Decimal(0)
        if not self.has_open_zeros(name):
            known = rounding_half_width(number, self.number(f"{name}_resolution"))
            return known or half_step(number)
        if relation is not Relation.EQUAL:
            return Decimal(0)
        return Decimal(10) ** max(len(number.as_tuple().digits) - self.digit_counts[name], 0) / 2

    def has_open_zeros(self, name: str) -> bool:
        """Whether a figure without ends has trailing zeros that may be digits or hold places."""
        number = self.number(name)
        if not number or self.text(f"{name}_low") or name in _CHANGES:
            return False
        return rounding_half_width(number, self.number(f"{name}_resolution")) is None


def observed(
    value: float | str | Decimal,
    unit: str,
    quantity: str | None = None,
    *,
    relation: Relation = Relation.EQUAL,
    resolution: float | str | Decimal | None = None,
    low: float | str | Decimal | None = None,
    high: float | str | Decimal | None = None,
    place: str = "",
    **conditions: float | str | bool,
) -> Observed:
    """
    One observation of your own, such as ``observed(11.21, "Gbit/s", mtu_bytes=1500)``.

    Parameters
    ----------
    value : float, str or decimal.Decimal
        The figure. Its digits decide the rounding: 11.21 is within 0.005. Text and decimals keep
        trailing zeros, ``"11.20"``, a float does not.
    unit : str
        Such as ``"Gbit/s"``, ``"transaction/s"``, ``"µs"``, ``"ms/MiB"`` or
        ``"µs/transaction"``.
    quantity : str, optional
        A quantity of models, such as ``"throughput_bps"``, to check that of the unit.
    relation : Relation
        How the quantity compares with the figure; a bound leaves one end open.
    resolution : float, str or decimal.Decimal, optional
        Step of the figure in its unit. Without it trailing zeros of an integer hold places:
        9400 is within 50.
    low, high : float, str or decimal.Decimal, optional
        Lower and upper end, both or neither; they replace the rounding.
    place : str
        Document and place, or file and line.
    **conditions : float, str or bool
        Conditions of the measurement, such as ``mtu_bytes=1500``, ``connection_count=8``,
        ``workload="str-writex30k"`` or ``side="client"``.

    Returns
    -------
    observed : Observed
        In base units.

    Raises
    ------
    DomainError
        If a number is negative or no number, the unit is that of no quantity or of another one,
        or the parts do not belong together.

    See Also
    --------
    observed_from_table : Many of them.

    Examples
    --------
    >>> seen = observed(11.21, "Gbit/s", mtu_bytes=1500)
    >>> seen.quantity, seen.low, seen.high, dict(seen.at)
    ('throughput_bps', 11205000000.0, 11215000000.0, {'mtu_bytes': 1500})
    """
    of_unit = quantity_of_unit(unit)
    if of_unit is None:
        raise DomainError(f"unit {unit!r} is that of no quantity: {', '.join(QUANTITIES)}")
    name, scale = of_unit
    if quantity not in (None, name):
        raise DomainError(f"unit {unit!r} is that of {name}, not of {quantity}")
    parts = {"": value, "_resolution": resolution, "_low": low, "_high": high}
    cells = {name + part: _cell(number) for part, number in parts.items()}
    cells[f"{name}_relation"] = relation.value
    row = _Row("observed", place, "", cells, conditions, {}, {name: _digit_count(cells[name])})
    try:
        figure = row.figure(name, scale)
    except ParseError as fault:
        raise DomainError(str(fault)) from None
    if figure is None:
        raise DomainError(f"observed: the value of {name} is missing")
    grade = grade_of(figure.relation, None)
    return Observed(quantity=name, at=conditions, **figure._asdict(), place=place, grade=grade)


def observed_from_table(
    source: "str | os.PathLike[str] | pandas.DataFrame",
    *,
    conditions: Collection[str] = (),
    name: str = "frame",
) -> Selection:
    """
    Observations from a table of your own: a CSV file, or a data frame.

    Parameters
    ----------
    source : str, path-like or pandas.DataFrame
        A file with a line of column names, and commas, semicolons or tabs between the cells, or
        a data frame with such columns, whose index is not read: use ``frame.reset_index()``
        where it holds conditions. Empty cells and missing values are not known.
    conditions : collection of str
        Columns of figures that are conditions of the others in their row instead,
        such as the rate at which a cost was measured.
    name : str
        Name of a data frame in messages and places.

    Returns
    -------
    selection : Selection
        One observation for each figure, row by row.

    Raises
    ------
    DomainError
        If the source is neither a path nor a data frame.
    ParseError
        If it is not such a table; names file, line and column, or row and column.

    See Also
    --------
    observed : A single figure.

    Notes
    -----
    **Figures** stand in ``throughput_bps``, ``transaction_rate_tps``,
    ``transaction_time_s``, ``cpu_us_per_gbit`` and ``cpu_s_per_transaction``,
    or in other units: ``throughput_mbps``, ``_gbps``, ``_mib_per_s``;
    ``transaction_time_ms``, ``_us``, ``_ns``; ``cpu_ms_per_mib``;
    ``cpu_ms_per_transaction``, ``_us_per_transaction``.

    Beside a column ``<figure>``, each optional:

    - ``<figure>_low`` and ``<figure>_high``: lower and upper end, as they
      stand; both, or without a figure one of them.
    - ``<figure>_relation``, or ``relation`` for all figures of the row: a word
      of `Relation`. ``equal`` where a figure stands alone, ``range`` where both
      ends do, ``at_least`` or ``at_most`` where one end does.
    - ``<figure>_resolution``: step of the figure. Without it the rounding follows
      from the printed digits: 13.40 is within 0.005, 13 within 0.5. Trailing zeros of an
      integer may only hold places: they count as digits up to as many as another figure
      of the column has, so that 9400 alone is within 50, and beside 9413 within 0.5, with a
      note. (In changes they count: 30 % is within 0.5 %.)

    **Comparisons** are rows with a word in ``change`` (``more``, ``less``,
    ``factor`` or ``same``) and the name of what is compared in ``quantity``, such as
    ``throughput_bps``. By how much stands in ``change_percent``, for a factor
    in ``change_ratio``, each with the columns beside it as above; ``same`` has
    no figure and is within 5 %, and ``more`` or ``less`` without a figure is
    the sign alone. ``baseline_<condition>`` holds what differs in the case that
    it is compared with, or ``baseline`` names something of which nothing else is known.

    **Conditions** are all other columns, such as ``connection_count``,
    ``mtu_bytes``, ``request_bytes``, ``response_bytes``, ``write_bytes``,
    ``workload``, ``adapter``, ``direction`` and ``side``: numbers where each
    cell of the column is one, else text.

    ``flag`` is the reason why a row is left out.

    In a **data frame** the digits of a number decide its rounding too: numbers that were computed
    have many, and are exact but for noise. A float without a fraction counts as an integer.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"mtu_bytes": [1500, 9000], "throughput_gbps": [11.21, 19.9]})
    >>> [(each.value, each.at["mtu_bytes"]) for each in observed_from_table(frame)]
    [(11210000000.0, 1500), (19900000000.0, 9000)]
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        header, lines = own_table(name)
        table = table_of(name, [bare_column(each) for each in header], lines)
        places = [f"line {line}" for line, _ in lines]
        return _from_table(name, table, places, conditions)
    if not hasattr(source, "itertuples"):
        raise DomainError(
            f"source must be a CSV file or a pandas.DataFrame; got {type(source).__name__}"
        )
    names = [canonical(str(each)) for each in source.columns]
    for each in names:
        if names.count(each) > 1:
            raise ParseError(name, f"column {each}: appears more than once")
    rows = tuple(tuple(map(_cell, row)) for row in source.itertuples(index=False, name=None))
    numbers = tuple(range(1, len(rows) + 1))
    table = Table(name, tuple(map(bare_column, names)), rows, numbers)
    return _from_table(name, table, [f"row {n}" for n in numbers], conditions)


def _cell(value: object) -> str:
    """A value as a cell of a table: empty where it is missing, numbers with their digits."""
    if isinstance(value, str | Decimal | bool) or carries_unit(value):
        return str(value).strip()
    if value is None or str(value) in _MISSING:
        return ""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(value).strip()
    is_whole = abs(number) < EXACT_INTEGER and number == int(number)
    return str(int(number)) if is_whole else repr(number)


def _from_table(
    path: str, table: Table, places: Iterable[str], conditions: Collection[str]
) -> Selection:
    names = [column.name for column in table.columns]
    for each in conditions:
        if each not in names:
            near = near_name(each, names)
            hint = f"; {near} may be meant" if near else ""
            problem = f"no column is {each}, which is to be a condition{hint}"
            raise ParseError(path, f"line 1: {problem}")
    figures = {
        each: figure for each, figure in _figures(path, names).items() if each not in conditions
    }
    at_names = [each for each in names if each not in _NOT_CONDITIONS or each in conditions]
    subject = {each: each for each in at_names if not each.startswith(_BASELINE_PREFIX)}
    baseline = {
        each.removeprefix(_BASELINE_PREFIX): each for each in at_names if each not in subject
    }
    digit_counts = {
        each: max((_digit_count(cell) for cell in table.text(each)), default=0)
        for each in names
        if each in FIGURES
    }
    rows = [
        _Row(path, f"{Path(path).name}, {where}", f"{where}, ", cells, at, other, digit_counts)
        for where, cells, at, other in zip(
            places,
            table.rows(),
            conditions_of(table, subject),
            conditions_of(table, baseline),
            strict=True,
        )
    ]
    seen, notes = [], []
    for row in rows:
        of_row, fault = [*_observed(row, figures)], row.text("flag")
        if not of_row:
            notes.append(f"{row.place}: no figure is known")
        elif fault:
            notes += [f"{each.place}: refused: {fault}" for each in of_row]
        else:
            seen += of_row
    misspelled = [
        f"column {each} is a condition of that name; {near} may be meant"
        for each in names
        if (near := near_column(each)) is not None
    ]
    # zeros count as digits up to as many as another figure of the column has, else hold places
    open_counts = Counter(each for row in rows for each in figures if row.has_open_zeros(each))
    zeros = [
        f"column {each}: trailing zeros of {count} figure{'s' * (count != 1)} may not be digits: "
        "add a _resolution column"
        for each, count in open_counts.items()
    ]
    return Selection(tuple(seen), (*misspelled, *zeros, *notes))


def _figures(path: str, names: Collection[str]) -> dict[str, tuple[str, float]]:
    """Quantity and scale of each column of figures, by its name without an end."""
    figures = {
        name: (quantity, float(scale))
        for name, (quantity, scale) in figure_columns(path, names).items()
    }
    if not figures and "change" not in names:
        known = ", ".join((*QUANTITIES, "change"))
        near = {each: near_column(each) for each in sorted(names)}
        hints = [f"{each} may be meant as {meant}" for each, meant in near.items() if meant]
        hint = f": {', '.join(hints)}" if hints else ", or one of them in another unit"
        raise ParseError(path, f"line 1: no column is one of {known}{hint}")
    return figures


def _digit_count(cell: str) -> int:
    """Number of digits of a figure, without trailing zeros of an integer."""
    number = number_of(cell)
    if number is None:
        return 0
    is_open = rounding_half_width(number) is None
    return len((number.normalize() if is_open else number).as_tuple().digits)


def _observed(row: _Row, figures: Mapping[str, tuple[str, float]]) -> Iterator[Observed]:
    """Yield the figures of a row, and its comparison."""
    seen: list[tuple[str, str, Figure | None, Any]] = [
        (name, quantity, row.figure(name, scale), None)
        for name, (quantity, scale) in figures.items()
    ]
    if (change := row.word("change", Change)) is not None:
        seen.append(("change", row.text("quantity"), _ratio(row, change), _baseline(row)))
    else:
        others = (_BASELINE_PREFIX + name for name in row.baseline)
        for name in (*_CHANGES, "quantity", _BASELINE, *others):
            if row.text(name):
                raise row.fault(name, "belongs to a comparison, and change is empty")
    for column, quantity, figure, baseline in seen:
        if figure is None:
            continue
        try:
            yield Observed(
                quantity=quantity,
                at=row.at,
                **figure._asdict(),
                baseline=baseline,
                place=f"{row.place}, {column}",
                grade=grade_of(figure.relation, None),
            )
        except DomainError as error:
            raise row.fault(column, error) from None


def _baseline(row: _Row) -> Conditions | str:
    """Return the baseline of a row: its conditions, or its name."""
    quantity = row.text("quantity")
    if quantity not in QUANTITIES:
        known = ", ".join(QUANTITIES)
        raise row.fault("quantity", f"must be one of {known}; got {quantity[:SHOWN_LENGTH]!r}")
    if row.baseline and row.text(_BASELINE):
        raise row.fault(_BASELINE, f"stands beside {_BASELINE_PREFIX}{next(iter(row.baseline))}")
    baseline = {**row.at, **row.baseline} if row.baseline else row.text(_BASELINE)
    if not baseline or baseline == row.at:
        raise row.fault("change", "needs a baseline that differs from the row itself")
    return baseline


def _ratio(row: _Row, change: Change) -> Figure:
    percent, factor = (row.figure(name, scale) for name, scale in _CHANGES.items())
    unwanted, by = (percent, factor) if change is Change.FACTOR else (factor, percent)
    if unwanted is not None:
        raise row.fault("change", "a factor stands in change_ratio, any other in change_percent")
    words = (Relation.SIGN, Relation.ABOUT)
    if by is None and (
        row.word("change_relation", Relation) or row.word("relation", Relation)
    ) not in (None, *words):
        raise row.fault("change", "has no figure, and its relation is not sign")
    try:
        return as_ratio(change, by)
    except DomainError as error:
        raise row.fault("change", error) from None
