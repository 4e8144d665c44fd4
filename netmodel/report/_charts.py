"""Charts of HTML pages: where things stand, in percent of the width and height."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from netmodel._dataclasses import dataclass
from netmodel._estimates import Predicted
from netmodel.report._figure import DECADE, ROOM_RATIO, log_ticks

_MAX_STEPS = 5
"""Labels of ticks that fit on a narrow screen."""
_STEPS = (1, 2, 5, 10)
"""Steps of a scale that are easy to read, in powers of ten."""
_PLOT_UNITS = 1000
"""Width and height of the plane that lines are drawn in: a step of it is less than a pixel."""
_NO_END_RATIO = 2
"""What has no end reaches out of the axis: an axis ends at this multiple of the largest value."""


@dataclass(frozen=True, slots=True)
class Axis:
    """
    Maps a value to a place in percent of the width.

    Parameters
    ----------
    low, high : float
        Values at the ends.
    is_log : bool
        Whether equal distances are equal ratios.
    """

    low: float
    high: float
    is_log: bool

    def percent(self, value: float) -> float:
        """Place of a value; that of the nearer end where it lies outside."""
        inside = min(max(value, self.low), self.high)
        if self.is_log:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (inside - self.low) / (self.high - self.low)
        return round(100 * share, 2)

    @property
    def ticks(self) -> list[float]:
        """Values to be named: powers of ten, or multiples of 1, 2 or 5 times one."""
        if self.is_log:
            lowest, highest = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            exponents = range(lowest, highest + 1)
            stride = math.ceil(len(exponents) / _MAX_STEPS)
            return [10.0**exponent for exponent in exponents[:: stride or 1]]
        rough = self.high / _MAX_STEPS
        decade = 10 ** math.floor(math.log10(rough))
        step = next(factor * decade for factor in _STEPS if factor * decade >= rough)
        return [step * count for count in range(int(self.high / step) + 1)]


class Line(NamedTuple):
    """
    A quantity over another, with the band that is left open of it.

    Parameters
    ----------
    name : str
        In the legend.
    points : sequence of (float, Predicted)
        Place on the horizontal axis, and the quantity there; infinite where it has no end.
    is_step : bool
        Whether it stays at its value until the next point, as numbers of adapters do.
    """

    name: str
    points: Sequence[tuple[float, Predicted[float]]]
    is_step: bool = False

    @property
    def has_band(self) -> bool:
        """Whether anything is left open of it."""
        return any(point.low != point.high for _, point in self.points)


class Mark(NamedTuple):
    """
    A limit or a date, as a straight line across.

    Parameters
    ----------
    name : str
        What stands beside it.
    value : float
        Where it is.
    is_level : bool
        Whether it lies at a value of the vertical axis.
    """

    name: str
    value: float
    is_level: bool


class Tick(NamedTuple):
    """A place along an axis in percent, and what stands there."""

    percent: float
    text: str


class Drawn(NamedTuple):
    """A line as points of a plane of 1000 by 1000, from the top left; its band is a polygon."""

    name: str
    line: str
    band: str


class Chart(NamedTuple):
    """
    Lines over an axis, for a template.

    Parameters
    ----------
    title, description : str
        What it shows, and the same in numbers for readers who do not see it.
    x_name, y_name : str
        What the axes are, with their units.
    x_ticks, y_ticks : list of Tick
        From the left, and from the bottom.
    lines : list of Drawn
        In the order of the legend.
    levels, places : list of Tick
        Marks across: from the bottom, and from the left.
    is_log : bool
        Whether equal heights are equal ratios.
    """

    title: str
    description: str
    x_name: str
    y_name: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    lines: list[Drawn]
    levels: list[Tick]
    places: list[Tick]
    is_log: bool

    @property
    def has_band(self) -> bool:
        """Whether a line has one."""
        return any(line.band for line in self.lines)


def chart(
    title: str,
    lines: Sequence[Line],
    marks: Sequence[Mark] = (),
    *,
    x_name: str,
    y_name: str,
    x_text: Callable[[float], str],
    y_text: Callable[[float], str],
    may_be_log: bool = False,
) -> Chart | None:
    """
    A chart of lines over a horizontal axis.

    Parameters
    ----------
    title : str
        What it shows.
    lines : sequence of Line
        Each with its points from left to right.
    marks : sequence of Mark
        Limits and dates.
    x_name, y_name : str
        What the axes are, with their units.
    x_text, y_text : callable
        A value of an axis as text.
    may_be_log : bool
        Whether the vertical axis is logarithmic from above a decade on.

    Returns
    -------
    chart : Chart or None
        None where there is nothing to draw: fewer than two places, or no finite value.
    """
    places = sorted({place for line in lines for place, _ in line.points})
    values = [point.value for line in lines for _, point in line.points]
    known = [value for value in values if 0 < value < math.inf]
    if len(places) < 2 or not known:
        return None
    levels = [mark.value for mark in marks if mark.is_level]
    ends = (end for line in lines for _, point in line.points for end in (point.low, point.high))
    # bands and limits far above the lines end beyond the chart
    highest = _NO_END_RATIO * max(known)
    shown = [end for end in chain(ends, levels) if 0 < end <= highest]
    most, least = max([*known, *shown]), min([*known, *shown])
    y_axis = (
        Axis(least / ROOM_RATIO, most * ROOM_RATIO, is_log=True)
        if may_be_log and most > DECADE * least and min(values) > 0
        else Axis(0, most * ROOM_RATIO, is_log=False)
    )
    x_axis = Axis(places[0], places[-1], is_log=False)
    y_ticks = (
        log_ticks(y_axis.low, y_axis.high, _MAX_STEPS, has_ends=False)
        if y_axis.is_log
        else y_axis.ticks
    )
    x_ticks = Axis(0, places[-1], is_log=False).ticks
    return Chart(
        title=title,
        description="; ".join(_descriptions(lines, marks, x_text, y_text)),
        x_name=x_name,
        y_name=y_name,
        x_ticks=[
            Tick(x_axis.percent(tick), x_text(tick)) for tick in x_ticks if tick >= x_axis.low
        ],
        y_ticks=[Tick(y_axis.percent(tick), y_text(tick)) for tick in y_ticks],
        lines=[_drawn(line, x_axis, y_axis) for line in lines],
        levels=[
            Tick(y_axis.percent(mark.value), mark.name)
            for mark in marks
            if mark.is_level and mark.value <= y_axis.high
        ],
        places=[
            Tick(x_axis.percent(mark.value), mark.name)
            for mark in marks
            if not mark.is_level and x_axis.low <= mark.value <= x_axis.high
        ],
        is_log=y_axis.is_log,
    )


def _descriptions(
    lines: Iterable[Line],
    marks: Iterable[Mark],
    x_text: Callable[[float], str],
    y_text: Callable[[float], str],
) -> Iterator[str]:
    """Ends of each line, and the marks."""
    for line in lines:
        known = [(place, point.value) for place, point in line.points if point.value < math.inf]
        if known:
            (first, start), (last, end) = known[0], known[-1]
            yield (
                f"{line.name}: from {y_text(start)} at {x_text(first)} "
                f"to {y_text(end)} at {x_text(last)}"
            )
    yield from (mark.name for mark in marks)


def _drawn(line: Line, x_axis: Axis, y_axis: Axis) -> Drawn:
    points = list(line.points)
    if line.is_step:
        # each value lasts until the place of the next one
        points = [
            part
            for (place, point), (following, _) in zip(
                points, [*points[1:], points[-1]], strict=True
            )
            for part in ((place, point), (following, point))
        ]

    def at(place: float, value: float) -> str:
        x = _PLOT_UNITS * x_axis.percent(place) / 100
        y = _PLOT_UNITS * (1 - y_axis.percent(value) / 100)
        return f"{x:.1f},{y:.1f}"

    upper = [at(place, point.high) for place, point in points]
    lower = [at(place, point.low) for place, point in points]
    return Drawn(
        name=line.name,
        line=" ".join(at(place, point.value) for place, point in points if point.value < math.inf),
        band=" ".join([*upper, *reversed(lower)]) if line.has_band else "",
    )
