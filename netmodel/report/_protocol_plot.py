"""Transaction time of a protocol over that of another one, over distance, with matplotlib."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.path._transport_times import TransportTimes
from netmodel.records import workload
from netmodel.report._figure import (
    BAND_ALPHA,
    CAP_POINTS,
    CURVE_COUNT,
    LINE_STYLES,
    draw_notes,
    draw_title,
    legend_below,
    new_axes,
    number_ticks,
)
from netmodel.transport import propagation_round_trip_s
from netmodel.units._format import window_text
from netmodel.units._prefixes import KILO

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_time_ratios(
    times: TransportTimes,
    message_bytes: Sequence[int],
    low_km: float = 1,
    high_km: float = 300,
    ax: "Axes | None" = None,
) -> "Axes":
    """
    Draw the ratio of transaction times over distance, with its range and published figures.

    Parameters
    ----------
    times : TransportTimes
        Of both protocols.
    message_bytes : sequence of int
        Sizes of request and response, which are the same; a curve each. [byte]
    low_km, high_km : float
        Ends of the distance. [km]
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A line and band for each size; bars are what published figures allow of one case.

    Raises
    ------
    DomainError
        If no size is given, or the distances do not rise from above 0.
    MissingExtraError
        If matplotlib is not installed.
    """
    if not message_bytes:
        raise DomainError("message_bytes must name a size")
    if not 0 < low_km < high_km:
        raise DomainError(f"low_km and high_km must rise from above 0; got {low_km}, {high_km}")
    is_alone = ax is None
    ax = new_axes() if ax is None else ax
    record = times.record
    distances_km = np.geomspace(low_km, high_km, CURVE_COUNT)
    for place, size_bytes in enumerate(message_bytes):
        ratio = times.time_ratio(
            size_bytes, size_bytes, propagation_round_trip_s(distances_km * KILO)
        )
        style = LINE_STYLES[place % len(LINE_STYLES)]
        (curve,) = ax.plot(distances_km, ratio.value, ls=style, label=window_text(size_bytes))
        color = curve.get_color()
        ax.fill_between(
            distances_km, ratio.low, ratio.high, color=color, alpha=BAND_ALPHA, linewidth=0
        )
        # published figures of this size: a bar from the smallest to the largest ratio
        for case in record.cases:
            if workload(case.workload).request_bytes == size_bytes:
                low, high = float(case.low), float(case.high)
                middle, half = (low + high) / 2, (high - low) / 2
                ax.errorbar(
                    [float(case.distance_km)], [middle], yerr=[half], color=color, marker="o",
                    capsize=CAP_POINTS,
                )  # fmt: skip
    number_ticks(ax, "x", low_km, high_km)
    ax.set(
        xlabel="length of the fibre [km]",
        ylabel=f"time with {record.compared} over time with {record.baseline}",
        xlim=(low_km, high_km),
        ylim=(0, 1),
    )
    if is_alone:
        draw_title(ax, record.title, "points: published figures within their rounding")
        legend_below(ax)
        draw_notes(ax, times.notes(min(message_bytes), max(message_bytes)))
    return ax
