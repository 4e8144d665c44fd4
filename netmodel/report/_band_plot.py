"""Ranges that published statements leave over connections, drawn with matplotlib."""

from collections.abc import Sequence
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any

from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.path import Prediction
from netmodel.path._data_band import CONSTANT_TIMES, DataBand
from netmodel.report._figure import (
    CURVE_COUNT,
    LOG_ROOM_RATIO,
    THIN_POINTS,
    draw_notes,
    draw_title,
    legend_beside,
    new_axes,
    number_ticks,
    rate_ticks,
    with_plain_names,
)
from netmodel.report._path_text import case_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEGEND_CHARACTERS = 34
"""Longer names take several lines: the curves keep two thirds of the width."""
_APART_RATIO = 0.12
"""Statements with as many connections stand beside each other, as a share of the number."""
_TOP_ROOM_RATIO = 1.05
"""Where bars with an open end stop below the frame: their triangle is in it."""
_SHOWN_LOOK: dict[str, Any] = {"linewidth": 0, "zorder": 0.5}
"""Above what no run reaches, and below all lines."""
DATA_LOOK: dict[str, Any] = {
    "facecolor": "aliceblue",
    "hatch": "...",
    "edgecolor": "lightsteelblue",
    "label": "data band",
    **_SHOWN_LOOK,
}
EXPECTED_LOOK: dict[str, Any] = {
    "facecolor": "lightsteelblue",
    "hatch": "////",
    "edgecolor": "slategrey",
    "label": fill(f"expected if {CONSTANT_TIMES}", _LEGEND_CHARACTERS),
    **_SHOWN_LOOK,
}
"""A light and a darker blue, hatched: distinct from each other and from the greys of bounds."""


@with_plain_names
def plot_data_band(predictions: Sequence[Prediction], ax: "Axes | None" = None) -> "Axes":
    """
    Draw the range that published statements leave of the throughput over connections.

    Parameters
    ----------
    predictions : sequence of Prediction
        Of one case, each with another number of connections, as `netmodel.predict` returns them.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out. On given axes legend and
        numbers of statements are left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Dotted is what statements leave, hatched what is expected of it if service times do
        not change with load, and the line the upper bound of the prediction. A vertical bar
        with a number is what the statement of that number in the legend says alone: of a ratio,
        with what is left of the case that it compares with. A triangle is an end without figure.

    Raises
    ------
    DomainError
        If fewer than two predictions have a range with both ends.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import netmodel
    >>> osa = "osa-express7s-25gbe"
    >>> case = {"sender": osa, "receiver": osa, "workload": "rr1c-200x30k", "mtu_bytes": 9000}
    >>> predictions = [netmodel.predict(connections=count, **case) for count in (10, 50)]
    >>> plot_data_band(predictions).get_xlabel()
    'connections'
    """
    known = {band.connection_count: band for each in predictions if (band := each.data_band)}
    ranged = [count for count, band in sorted(known.items()) if band.throughput_bps.low]
    if len(ranged) < 2:
        raise DomainError("statements leave no range with two numbers of connections to draw")
    is_alone = ax is None
    ax = new_axes() if ax is None else ax
    first = predictions[0]
    # (1) both ranges, with more numbers of connections than were asked for
    bounds = _bounds_of(predictions)
    counts, drawn = _along(predictions)
    ends = [end for band in drawn for end in band.throughput_bps]
    shown = [*ends, *(rate for _, rate in bounds)]
    number_ticks(ax, "x", ranged[0], ranged[-1], is_whole=True)
    rate_ticks(ax, "y", shown)
    _fill(ax, counts, drawn)
    # a bound holds with fewer connections too, so that it is level between two numbers
    style: dict[str, Any] = {"drawstyle": "steps-pre", "color": "black", "marker": "o", "zorder": 3}
    ax.plot(*zip(*bounds, strict=True), label="upper bound, with statements", **style)
    # (2) what each statement says alone
    numbers = _draw_statements(ax, [known[count] for count in ranged], is_numbered=is_alone)
    beside = 2 + max(len(known[count].statements) for count in (ranged[0], ranged[-1]))
    room = 1 + _APART_RATIO
    ax.set_xlim(ranged[0] / room**2, ranged[-1] * room**beside)
    ax.set(xlabel="connections", ylabel="payload rate")
    if is_alone:
        draw_title(ax, case_text(first.path.name, _any_count(first), first.mtu_bytes))
        for name, number in numbers.items():
            label = fill(f"{number}: {name}", _LEGEND_CHARACTERS)
            ax.plot([], [], " ", label=label)
        legend_beside(ax, "bars: what a statement says alone")
        draw_notes(ax, known[ranged[0]].notes)
    return ax


def _any_count(prediction: Prediction) -> Any:
    from dataclasses import replace

    return replace(prediction.traffic, connection_count=None)


@with_plain_names
def add_data_band(ax: "Axes", predictions: Sequence[Prediction]) -> None:
    """Both ranges in a plot of limits over connections, where statements leave any."""
    known = [band for each in predictions if (band := each.data_band) and band.throughput_bps.low]
    if len(known) < 2:
        return
    counts, drawn = _along(predictions)
    _fill(ax, counts, drawn)
    low_bps = min(band.throughput_bps.low for band in drawn)
    if low_bps < ax.get_ylim()[0]:
        rate_ticks(ax, "y", [low_bps, ax.get_ylim()[1] / LOG_ROOM_RATIO])
    legend = ax.get_legend()
    legend_beside(ax, legend.get_title().get_text() if legend else None)


def _bounds_of(predictions: Sequence[Prediction]) -> list[tuple[float, float]]:
    """Upper bounds by the number of connections, rising."""
    return sorted(
        (float(each.traffic.connection_count or 1), float(each.throughput_bps.value))
        for each in predictions
    )


def _along(predictions: Sequence[Prediction]) -> tuple[list[float], list[DataBand]]:
    """Ranges with more numbers of connections than were asked for, below the bounds."""
    bounds = _bounds_of(predictions)
    known = [at for at, _ in bounds]
    counts = [float(n) for n in np.union1d(np.geomspace(known[0], known[-1], CURVE_COUNT), known)]
    places, drawn = [], []
    for count, band in zip(counts, predictions[0].bands(counts).bands, strict=True):
        # a bound with some connections holds with fewer
        bound_bps = next((rate for at, rate in bounds if at >= count), bounds[-1][1])
        cut = band and band.below(bound_bps)
        if cut:
            places.append(count)
            drawn.append(cut)
    return places, drawn


def _fill(ax: "Axes", counts: Sequence[float], bands: Sequence[DataBand]) -> None:
    for name, look in (("throughput_bps", DATA_LOOK), ("expected_bps", EXPECTED_LOOK)):
        known = [
            (count, *ends)
            for count, band in zip(counts, bands, strict=True)
            if (ends := getattr(band, name)) is not None
        ]
        if known:
            places, lows, highs = zip(*known, strict=True)
            ax.fill_between(places, lows, highs, **look)


def _draw_statements(ax: "Axes", bands: Sequence[DataBand], *, is_numbered: bool) -> dict[str, int]:
    """A bar for each statement with a figure; their numbers."""
    names = dict.fromkeys(name for band in bands for name in band.statements)
    numbers = {name: number for number, name in enumerate(names, start=1)}
    least, most = ax.get_ylim()
    is_log = ax.get_yscale() == "log"
    # open ends stop below the frame
    most = most / _TOP_ROOM_RATIO if is_log else most * (2 - _TOP_ROOM_RATIO)
    for band in bands:
        for place, (name, (low, high)) in enumerate(band.statements.items()):
            if not low and not isfinite(high):
                continue
            x = band.connection_count * (1 + _APART_RATIO) ** (place + 1)
            lower, upper = max(low, least), min(high, most)
            look: dict[str, Any] = {"color": "tab:blue", "zorder": 4, "clip_on": True}
            ax.plot([x, x], [lower, upper], linewidth=2 * THIN_POINTS, **look)
            for end, is_open, marker in ((lower, not low, "v"), (upper, not isfinite(high), "^")):
                ax.plot([x], [end], marker if is_open else "_", markersize=5, **look)
            ax.annotate(
                str(numbers[name]) if is_numbered else "",
                (x, lower if low else upper),
                (0, -3 if low else 3),
                textcoords="offset points",
                ha="center",
                va="top" if low else "bottom",
                fontsize="x-small",
                color="tab:blue",
            )
    return numbers
