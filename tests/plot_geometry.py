"""What is wrong with a drawn figure: texts on each other or outside, and too many curves."""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["faults"]

LINE_COUNT = 5
"""Curves of a plot; a reader tells no more apart."""
TOUCH_PIXELS = 1.0
"""Boxes that share so little touch, and do not overlap: text has a pixel of air around it."""


def faults(figure: "Figure", *, is_drawn: bool) -> list[str]:
    """Everything that a reader would stumble over in a figure, which is drawn first if need be."""
    if not is_drawn:
        figure.canvas.draw()
    found = [*_outside(figure)]
    for axes in figure.get_axes():
        found += [*_on_each_other(axes), *_ticks(axes), *_collapsed(axes)]
        curves = [line for line in axes.lines if len(line.get_xdata()) > 2]
        if len(curves) > LINE_COUNT:
            found.append(f"{len(curves)} curves")
        if not axes.get_title():
            found.append("no title")
        if axes.get_legend():
            found.append("a legend in place of labels")
    return found


def _overlap(one: Any, other: Any) -> bool:
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return bool(wide > TOUCH_PIXELS and high > TOUCH_PIXELS)


def _tick_labels(axis: Any) -> list[Any]:
    """Those within the axis: matplotlib keeps others that it does not draw."""
    least, most = sorted(axis.get_view_interval())
    room = 1e-9 * (most - least)
    ticks = [tick for tick in axis.get_major_ticks() if -room <= tick.get_loc() - least]
    inside = [tick for tick in ticks if tick.get_loc() <= most + room]
    return [tick.label1 for tick in inside if tick.label1.get_text()]


def _texts(axes: "Axes") -> list[Any]:
    """All that is written in and around the axes."""
    labels = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
    ticks = [*_tick_labels(axes.xaxis), *_tick_labels(axes.yaxis)]
    return [text for text in (*labels, *ticks) if text.get_text().strip() and text.get_visible()]


def _outside(figure: "Figure") -> Iterator[str]:
    page = figure.bbox
    for text in (text for axes in figure.get_axes() for text in _texts(axes)):
        box = text.get_window_extent()
        if box.x0 < -1 or box.y0 < -1 or box.x1 > page.x1 + 1 or box.y1 > page.y1 + 1:
            yield f"outside the figure: {text.get_text()}"


def _on_each_other(axes: "Axes") -> Iterator[str]:
    boxes = [(text, text.get_window_extent()) for text in _texts(axes)]
    for (one, box), (other, next_box) in combinations(boxes, 2):
        if _overlap(box, next_box):
            yield f"{one.get_text()!r} lies on {other.get_text()!r}"


def _ticks(axes: "Axes") -> Iterator[str]:
    for axis in (axes.xaxis, axes.yaxis):
        for label in _tick_labels(axis):
            if "$" in label.get_text() or "e+" in label.get_text():
                yield f"not a plain tick: {label.get_text()}"
        if axis.get_visible() and axis.get_scale() == "log" and len(_tick_labels(axis)) < 2:
            yield f"{len(_tick_labels(axis))} ticks on a logarithmic axis"


def _collapsed(axes: "Axes") -> Iterator[str]:
    """A layout without room for the axes leaves them a line."""
    box = axes.bbox
    if box.height < 60 or box.width < 200:
        yield f"axes of {box.width:.0f} x {box.height:.0f} pixels"
