"""Loads over time: a column of a CSV file, in equal steps and without gaps."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from netmodel._printable import cut
from netmodel.errors import ParseError, UnitError
from netmodel.records.files import unknown_record
from netmodel.records.scenarios import SeriesSource
from netmodel.records.tables import read_csv
from netmodel.units import split_quantity

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


def load_series(source: SeriesSource) -> LoadSeries:
    """
    Return a load over time from a CSV file.

    Raises
    ------
    ParseError
        If the file cannot be read, lacks a column, or a cell is not a time or a load from 0 up; if
        times do not rise in equal steps, or no load is above 0. Names file, line and column.
    """
    file, one = source.file, source.base_units
    header, rows = read_csv(file, str.strip)
    for name in (source.time, source.column):
        if name not in header:
            raise ParseError(file, f"line 1: {unknown_record('column', name, header)}")
    at, of = header.index(source.time), header.index(source.column)
    times = [(line, _time(file, f"line {line}, {source.time}", row[at])) for line, row in rows]
    loads = [_load(file, f"line {line}, {source.column}", row[of]) for line, row in rows]
    if len(rows) < _LEAST_ROWS:
        raise ParseError(file, "a series needs two or more rows below the line of names")
    step = _step(file, times)
    if not any(loads):
        raise ParseError(file, f"{source.column}: all values are 0: nothing to plan")
    factor = one.tps or one.bps or 0.0  # one of both is above 0
    return LoadSeries(
        file=file,
        column=source.column,
        unit=source.unit,
        start=times[0][1],
        step_s=step.total_seconds(),
        values=tuple(factor * load for load in loads),
        is_tps=one.tps is not None,
    )


def _time(file: str, where: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        problem = f'{where}: "{cut(text)}" is not a time such as 2026-11-02T08:00'
        raise ParseError(file, problem) from None


def _load(file: str, where: str, text: str) -> float:
    """Return a bare number from 0 up."""
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
    """Return the step between times, which must be the same for all."""
    zoned = [each.tzinfo is not None for _, each in times]
    if len({*zoned}) > 1:
        line, _ = times[zoned.index(not zoned[0])]
        raise ParseError(file, f"line {line}: times with and without an offset from UTC")
    pairs = list(pairwise(times))
    usual = Counter(later - earlier for (_, earlier), (_, later) in pairs).most_common(1)[0][0]
    for (_, earlier), (line, later) in pairs:
        if later - earlier != usual or later <= earlier:
            raise ParseError(
                file,
                f"line {line}: {later.isoformat()} follows {earlier.isoformat()}, and the usual "
                f"step is {usual}: sort rows by time, and fill gaps",
            )
    return usual
