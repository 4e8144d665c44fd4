"""Loads over time: a column of a CSV file, in equal steps and without gaps."""

import csv
import io
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from netmodel._printable import cut, quoted
from netmodel._reading import read_text
from netmodel._text import listed, near_name
from netmodel.errors import ParseError, UnitError
from netmodel.records._scenario_values import parse_volume
from netmodel.records.scenarios import SeriesSource
from netmodel.units import split_quantity

_BYTE_ORDER_MARK = "\ufeff"
_LEAST_ROWS = 2
"""One row has no step."""


@dataclass(frozen=True, slots=True)
class LoadSeries:
    """
    A load in equal steps.

    Parameters
    ----------
    file, column, unit : str
        Where it comes from.
    start : datetime.datetime
        Time of the first value.
    step_s : float
        Between two values. [s]
    values : tuple of float
        Payload rates in bit/s, or transactions per second.
    is_tps : bool
        Whether they are transactions per second.
    """

    file: str
    column: str
    unit: str
    start: datetime
    step_s: float
    values: tuple[float, ...]
    is_tps: bool

    @property
    def mean(self) -> float:
        """The mean of all values."""
        return sum(self.values) / len(self.values)


def load_series(source: SeriesSource) -> LoadSeries:
    """
    Read a load over time from a CSV file.

    Raises
    ------
    ParseError
        If the file cannot be read, lacks a column, or a cell is not a time or a load from 0 up; if
        times do not rise in equal steps, or no load is above 0. Names file, line and column.
    """
    file = source.file
    text = read_text(file).removeprefix(_BYTE_ORDER_MARK)
    first_line = text.partition("\n")[0]
    delimiter = ";" if ";" in first_line and "," not in first_line else ","
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    times: list[tuple[int, datetime]] = []
    values: list[float] = []
    try:
        header = [name.strip() for name in next(lines, [])]
        if not any(header):
            raise ParseError(file, "is empty: it needs a line of names, and a line for each step")
        places = [_place(file, header, name) for name in (source.time, source.column)]
        factor = _factor(source.unit)
        for row in lines:
            if not any(cell.strip() for cell in row):
                continue
            where = f"line {lines.line_num}"
            if len(row) != len(header):
                raise ParseError(
                    file, f"{where}: has {len(row)} cells, and the line of names {len(header)}"
                )
            time_text, value_text = (row[place].strip() for place in places)
            times.append((lines.line_num, _time(file, f"{where}, {source.time}", time_text)))
            values.append(factor * _value(file, f"{where}, {source.column}", value_text))
    except csv.Error as error:
        raise ParseError(file, f"line {lines.line_num}: not CSV: {error}") from None
    if len(values) < _LEAST_ROWS:
        has = "has one row" if values else "has no row below the line of names"
        raise ParseError(file, f"{has}: a series needs two or more")
    step = _step(file, times)
    if not any(values):
        raise ParseError(file, f"{source.column}: all values are 0: nothing to plan")
    return LoadSeries(
        file=file,
        column=source.column,
        unit=source.unit,
        start=times[0][1],
        step_s=step.total_seconds(),
        values=tuple(values),
        is_tps=parse_volume(f"1 {source.unit}").tps is not None,
    )


def _place(file: str, header: list[str], name: str) -> int:
    """Place of a column, which must be there once."""
    count = header.count(name)
    if count > 1:
        raise ParseError(file, f"line 1: has {count} columns {quoted(name)}")
    if count:
        return header.index(name)
    near = near_name(name, header)
    hint = f"; did you mean {quoted(near)}?" if near else ""
    raise ParseError(
        file, f"line 1: no column {quoted(name)}; it has {cut(listed(map(repr, header)))}{hint}"
    )


def _factor(unit: str) -> float:
    """Base units in one of a unit of loads."""
    one = parse_volume(f"1 {unit}")
    return one.tps if one.bps is None else one.bps  # type: ignore[return-value]  # one of both


def _time(file: str, where: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ParseError(
            file, f'{where}: "{cut(text)}" is not a time such as 2026-11-02T08:00'
        ) from None


def _value(file: str, where: str, text: str) -> float:
    """A bare number from 0 up."""
    if not text:
        raise ParseError(file, f"{where}: the cell is empty; a gap cannot be planned for")
    try:
        number, unit = split_quantity(text)
    except UnitError as error:
        raise ParseError(file, f"{where}: {error}") from None
    if unit:
        raise ParseError(file, f'{where}: "{cut(text)}": leave out the unit; the scenario names it')
    if number < 0:
        raise ParseError(file, f'{where}: "{cut(text)}": a load is not negative')
    return float(number)


def _step(file: str, times: list[tuple[int, datetime]]) -> timedelta:
    """The step between times, which must be the same for all."""
    zoned = [each.tzinfo is not None for _, each in times]
    if any(zoned) and not all(zoned):
        line = times[zoned.index(not zoned[0])][0]
        raise ParseError(file, f"line {line}: times with and without an offset from UTC")
    pairs = list(pairwise(times))
    for (before, earlier), (line, later) in pairs:
        if later == earlier:
            raise ParseError(
                file, f"line {line}: {later.isoformat()} is the time of line {before} too"
            )
        if later < earlier:
            raise ParseError(
                file, f"line {line}: {later.isoformat()} is before line {before}: sort by time"
            )
    usual = Counter(later - earlier for (_, earlier), (_, later) in pairs).most_common(1)[0][0]
    for (before, earlier), (line, later) in pairs:
        step = later - earlier
        if step == usual:
            continue
        if step > usual and not step % usual:
            missing = step // usual - 1
            raise ParseError(
                file,
                f"line {line}: a gap of {missing} value{'s' * (missing > 1)} behind line {before} "
                f"({earlier.isoformat()}): the step is {usual}; fill it, or give the days apart",
            )
        raise ParseError(
            file, f"line {line}: {step} after line {before}, and the usual step is {usual}"
        )
    return usual
