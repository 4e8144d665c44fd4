"""CPU cost by part along the numbers of connections, drawn with matplotlib (extra ``plot``)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from netmodel._grades import Grade
from netmodel._numeric import of_plain_numbers
from netmodel._numpy import np
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import Prediction
from netmodel.report._figure import (
    BAND_ALPHA,
    ROOM_RATIO,
    draw_notes,
    draw_title,
    legend_beside,
    new_axes,
    number_ticks,
    short_name,
    with_plain_names,
)
from netmodel.report._path_plots import source_of
from netmodel.report._path_text import case_text
from netmodel.units import BITS_PER_BYTE
from netmodel.units._prefixes import GIGA, US_PER_S

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.judging._measured import MeasuredFigure

_HATCHES = ("", "///", "...", "xxx")
"""Parts differ without colour too."""
_AREA_ALPHA = 0.6
"""Of a part: the band stays visible on it."""
_MEASURED_LOOK: dict[str, Any] = {
    "color": "black",
    "linestyle": "none",
    "marker": "x",
    "markersize": 9,
    "markeredgewidth": 2.5,
    "clip_on": False,
    "zorder": 5,
}
"""As in plots of rates: above all areas, and black as the line of all parts."""


@with_plain_names
@of_plain_numbers
def plot_cpu_cost(
    prediction: Prediction,
    counts: Sequence[float],
    figures: "Sequence[MeasuredFigure]" = (),
    ax: "Axes | None" = None,
) -> "Axes":
    """
    Draw the CPU cost of a side by part, one on the other, over the number of connections.

    Parameters
    ----------
    prediction : Prediction
        With one element for each number, of a path with CPU stages.
    counts : sequence of float
        Numbers of connections, in rising order.
    figures : sequence of MeasuredFigure, optional
        Of `netmodel.judging.measured_beside`: those of the cost of this side are marked.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Filled areas of the parts, which add up to the line of the whole, and a band that
        the parameters leave. Of requests the time of a transaction, of streams µs/Gbit.

    Raises
    ------
    DomainError
        If no side has a known CPU cost, or the numbers are not as many as the prediction has.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import netmodel
    >>> counts = range(1, 11)
    >>> prediction = netmodel.predict(
    ...     path="zvm-vswitch-layer3-1gbe", workload="awm-rr", mtu_bytes=1492, connections=counts
    ... )
    >>> plot_cpu_cost(prediction, counts).get_ylabel()
    'CPU of the client, µs per transaction'
    """
    sides = [side for side in Side if prediction.cpu_parts[side]]
    if not sides:
        raise DomainError("the path has no side whose CPU cost is completely known")
    # the side with more parts; the client where both have as many
    side = max(sides, key=lambda each: len(prediction.cpu_parts[each] or ()))
    parts = prediction.cpu_parts[side] or {}
    places = np.asarray(counts, float)
    if places.ndim != 1 or len(places) < 2 or np.any(np.diff(places) <= 0):
        raise DomainError("counts must be two or more numbers that rise")
    waits = prediction.traffic.waits
    scale = US_PER_S if waits else 1.0
    whole = prediction.cpu_s_per_transaction[side] if waits else prediction.cpu_us_per_gbit[side]
    assert whole is not None
    value, low, high = (
        np.broadcast_to(np.asarray(end, float), places.shape) * scale
        for end in (whole.value, whole.low, whole.high)
    )
    ax = new_axes() if ax is None else ax
    below = np.zeros_like(places)
    colours = [f"C{number}" for number in range(len(parts))]
    for place, (name, part) in enumerate(parts.items()):
        known = part.s_per_transaction if waits else part.us_per_gbit
        above = below + np.asarray(known.value, float) * scale
        ax.fill_between(
            places,
            below,
            above,
            label=short_name(name),
            color=colours[place],
            alpha=_AREA_ALPHA,
            linewidth=0,
            hatch=_HATCHES[place % len(_HATCHES)],
            edgecolor="white",
        )
        below = above
    ax.plot(places, value, color="black", label="all parts")
    band: dict[str, Any] = {"color": "black", "alpha": BAND_ALPHA, "linewidth": 0}
    ax.fill_between(places, low, high, label="parameter ranges", **band)
    measured = [
        (figure, cost)
        for figure in figures
        if (cost := _cost_of(figure, prediction, side)) is not None
    ]
    if measured:
        drawn, costs = zip(*measured, strict=True)
        at, label = (
            [each.connection_count for each in drawn],
            source_of(drawn, "measured, all parts"),
        )
        ax.plot(at, costs, label=label, **_MEASURED_LOOK)
    is_whole = bool(np.all(places % 1 == 0))
    number_ticks(ax, "x", places[0], places[-1], is_whole=is_whole)
    most = ROOM_RATIO * max([float(high.max()), *(cost for _, cost in measured)])
    number_ticks(ax, "y", 0, most)
    ax.set(
        xlim=(places[0], places[-1]),
        ylim=(0, most),
        xlabel="connections",
        ylabel=f"CPU of the {side.value}, {'µs per transaction' if waits else 'µs/Gbit'}",
    )
    draw_title(
        ax,
        case_text(prediction.path.name, prediction.traffic, prediction.mtu_bytes),
        "CPU cost by part",
    )
    legend_beside(ax, None)
    draw_notes(ax, prediction.notes)
    return ax


def _cost_of(figure: "MeasuredFigure", prediction: Prediction, side: Side) -> float | None:
    """A measured cost of this side in the unit of the axis; None of anything else."""
    quantities = {"cpu_s_per_transaction", "cpu_us_per_gbit"}
    if figure.grade is not Grade.MEASURED or figure.baseline is not None:
        return None
    if figure.side is not side or figure.quantity not in quantities or figure.value is None:
        return None
    gbit = BITS_PER_BYTE * float(prediction.traffic.exchanged_bytes) / GIGA
    us = figure.value * (US_PER_S if figure.quantity == "cpu_s_per_transaction" else gbit)
    return us if prediction.traffic.waits else us / gbit
