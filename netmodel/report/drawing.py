"""What all plots share: a figure, axes with units, a title and labels beside what they name."""

import re
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from netmodel.lazy import extra
from netmodel.text import RESULT_DIGITS, printable
from netmodel.units import format_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Pair = tuple[float, float]
"""Of a place, or of a way from it."""

DECADE = 10.0
"""A wider range gets a logarithmic axis: on a linear one its lower tenth cannot be read."""
FIGURE_INCHES = (8.0, 4.5)
"""Width and height of a figure: 800 pixels at the usual 100 per inch, as screens are."""
ROW_INCHES = 0.4
"""Height of a row of bars, with a label of two lines."""
AROUND_INCHES = 1.3
"""Height of title, ticks and label of an axis around rows of bars."""
BAR_RATIO = 0.66
"""Height of a bar in its row: the third that is left separates the rows."""
BAND_ALPHA = 0.2
"""Opacity of bands: lines and other bands show through."""
ROOM_RATIO = 1.05
"""End of an axis over its largest value: matplotlib's own margin."""
_LOG_ROOM_RATIO = 1.3
"""End of a logarithmic axis over its largest value: looks as wide as the linear margin."""
_TITLE_CHARACTERS = 76
"""Characters of a title of 10 points that fit above axes at the right of long labels."""
_LABEL_CHARACTERS = 34
"""Longer labels take several lines: beside them remains half a figure."""
_JOINT = "\N{NO-BREAK SPACE}"
_LINE_POINTS = 13
"""Height of a line of small print with its gap."""
_CHARACTER_RATIO = 0.0125
"""Share of the width of the axes that a character of small print takes."""
_EDGE_RATIO = 0.15
"""Within this share of the width from an edge, a label stands inwards of its place."""
_GROUPED_FROM = 10_000
"""MTUs and sizes below are usually written without a comma."""
_TICK_DIGITS = 10
"""Counts and sizes are printed as they are: none has more digits."""
_ROUND_STEPS = (1, 2, 2.5, 5, 10)
"""Steps of ticks that are read at a glance, as matplotlib's own axes have them."""
_TICK_COUNT = 6
"""Rates with units that fit the width of a figure, or its height."""


def new_axes(ax: "Axes | None", row_count: int | None = None) -> "Axes":
    """Return the given axes, or new ones that are high enough for the rows of bars."""
    if ax is not None:
        return ax
    with extra("plot"):
        import matplotlib.pyplot as plt

    width, height = FIGURE_INCHES
    if row_count is not None:
        height = AROUND_INCHES + ROW_INCHES * max(2, row_count)
    return plt.subplots(layout="constrained", figsize=(width, height))[1]


def finish(ax: "Axes", title: Iterable[str], label_rows: int = 0) -> "Axes":
    """
    Give the axes a title, of which the last line is the answer, and return them.

    A dollar sign in a name begins no formula of TeX. Between title and axes is room for
    so many rows of labels.
    """
    from matplotlib.text import Text

    # a number and its unit stay on one line
    joined = (re.sub(r"(?<=\d) (?=[\w%])", _JOINT, line) for line in title if line)
    lines = "\n".join(fill(line, _TITLE_CHARACTERS, break_on_hyphens=False) for line in joined)
    ax.set_title(lines.replace(_JOINT, " "), fontsize="medium", pad=8 + _LINE_POINTS * label_rows)
    for text in ax.findobj(Text):
        assert isinstance(text, Text)
        text.set_parse_math(False)
        text.set_text(printable(text.get_text()))
    return ax


def image_of(ax: Any, path: str) -> bytes:
    """Close the figure of axes, and return it in the format that the name of its file ends in."""
    from matplotlib import pyplot

    figure, file = ax.get_figure(root=True), BytesIO()
    figure.savefig(file, bbox_inches="tight", format=Path(path).suffix[1:] or None)
    pyplot.close(figure)
    return file.getvalue()


def label_rows(ax: "Axes", names: Sequence[str], bold: Iterable[str] = ()) -> None:
    """Rows of bars named at the left, the first at the top."""
    texts = [fill(printable(name), _LABEL_CHARACTERS) for name in names]
    ax.set_yticks(range(len(texts)), texts)
    ax.set_ylim(max(1, len(texts)) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    for label, name in zip(ax.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if name in bold else "normal")


def label_beside(ax: "Axes", at: float, text: str, **look: Any) -> None:
    """Write a text right of the axes, at this place of the vertical axis."""
    _annotate(ax, text, (1, at), (6, 0), ax.get_yaxis_transform(), va="center", **look)


def label_lines(ax: "Axes", ends: "list[tuple[float, str, str]]") -> None:
    """Name lines at the right, each near its end, in its colour and clear of the others."""
    known = sorted(end for end in ends if isfinite(end[0]))
    gap = _LINE_POINTS * ax.figure.dpi / 72  # points per inch
    forth, below = ax.transData, -float("inf")
    for at, text, colour in known:
        x, y = forth.transform((ax.get_xlim()[1], at))
        below = max(y, below + gap)
        label_beside(ax, float(forth.inverted().transform((x, below))[1]), text, color=colour)


def label_above(ax: "Axes", labels: Iterable[tuple[float, str, str]]) -> int:
    """Texts in their colours above places of the horizontal axis; the rows that they take."""
    taken, row, rows = 0.0, 0, 0
    for at, text, colour in sorted(labels):
        share = ax.transAxes.inverted().transform(ax.transData.transform((at, 0)))[0]
        width = _CHARACTER_RATIO * len(text)
        side = "left" if share < _EDGE_RATIO else "right" if share > 1 - _EDGE_RATIO else "center"
        left = share - {"left": 0.0, "right": width, "center": width / 2}[side]
        row = row + 1 if left < taken else 0
        taken, rows = max(taken, left + width), max(rows, row + 1)
        above = (0, 4 + _LINE_POINTS * row)
        _annotate(ax, text, (at, 1), above, ax.get_xaxis_transform(), ha=side, color=colour)
    return rows


def _annotate(ax: "Axes", text: str, at: _Pair, away: _Pair, where: Any, **look: Any) -> None:
    look |= {"fontsize": "small", "textcoords": "offset points", "annotation_clip": False}
    ax.annotate(text, at, xytext=away, xycoords=where, **look)


def number_axis(ax: "Axes", values: Iterable[float]) -> None:
    """Set plain numbers along the x-axis, from the smallest to the largest value."""
    known = [float(value) for value in values]
    _ticks(ax, "x", min(known), max(known), tick_text)
    ax.set_xlim(min(known), max(known))


def quantity_axis(
    ax: "Axes",
    name: Literal["x", "y"],
    values: Iterable[float],
    text_of: Callable[[float], str] = lambda rate_bps: format_rate(rate_bps, RESULT_DIGITS),
    *,
    may_be_log: bool = True,
) -> None:
    """Set a quantity with its unit along an axis: from 0, or logarithmic beyond a decade."""
    known = [float(value) for value in values if isfinite(value) and value > 0] or [1.0]
    least, most = min(known), max(known)
    is_log = may_be_log and most > DECADE * least
    _ticks(ax, name, least if is_log else 0, most, lambda value: text_of(value) if value else "0")
    ends = (least / _LOG_ROOM_RATIO, most * _LOG_ROOM_RATIO) if is_log else (0, most * ROOM_RATIO)
    ax.set(**{f"{name}lim": ends})


def _ticks(
    ax: "Axes", name: Literal["x", "y"], least: float, most: float, text_of: Callable[[float], str]
) -> None:
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    axis = ax.xaxis if name == "x" else ax.yaxis
    if 0 < DECADE * least < most:
        ax.set(**{f"{name}scale": "log"})
        # two decades have room for two ticks between powers of ten
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if most < 200 * least else (1,)))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(MaxNLocator(_TICK_COUNT, steps=_ROUND_STEPS))
    axis.set_major_formatter(lambda value, _: text_of(value))


def tick_text(value: float) -> str:
    """Return all digits of a tick, in groups where there are more than four."""
    group = "," if abs(value) >= _GROUPED_FROM else ""
    return f"{value:{group}.{_TICK_DIGITS}g}"
