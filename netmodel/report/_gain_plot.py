"""Share of the time that a change of transport saves, over the distance (extra ``plot``)."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.judging._compared_cases import differing
from netmodel.judging._compared_facts import DISTANCE, TRANSPORT, Fact, published
from netmodel.judging._compared_models import TIME
from netmodel.judging._compared_transports import connections_on_line, endpoint_times
from netmodel.records import workload
from netmodel.report._figure import (
    BAND_ALPHA,
    CURVE_COUNT,
    DECADE,
    draw_notes,
    draw_title,
    legend_beside,
    new_axes,
    number_ticks,
    with_plain_names,
)
from netmodel.transport import propagation_round_trip_s
from netmodel.units._prefixes import KILO, WHOLE_PERCENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.judging._compared import Compared, ComparedRow

_TIMES = frozenset({TIME, "latency"})


def has_gain_over_distance(results: "Sequence[Compared]") -> bool:
    """Whether the results are one change of transport over several distances, with a model."""
    cases = [{**each.variant, DISTANCE: 0.0} for each in results]
    distances = {each.variant.get(DISTANCE) for each in results}
    if len(distances) < len(results) or len(distances) < 2 or None in distances:
        return False
    first = results[0]
    is_one = all(case == cases[0] for case in cases)
    is_protocol = differing(first.baseline, first.variant) >= {TRANSPORT}
    return is_one and is_protocol and endpoint_times(first.baseline, first.variant) is not None


def gain_row(result: "Compared") -> "ComparedRow":
    """The row of the transaction time, which has the ratio of the model."""
    rows = [row for row in result.main_rows if row.quantity in _TIMES and row.model is not None]
    return max(rows, key=lambda row: row.has_figure)


@with_plain_names
def plot_gain(results: "Sequence[Compared]", ax: "Axes | None" = None) -> "Axes":
    """
    Draw the share of the time that is saved over the distance, with what documents print.

    Parameters
    ----------
    results : sequence of Compared
        Of one change of protocol over several distances, with a model of the time, as
        `netmodel.compare` returns it for a list of `km`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of its own when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A line with the band that published figures leave, and these: an arrow down from a gain
        of "up to". A broken line is the share asked for, and a grey strip where the gain falls
        to it.

    Raises
    ------
    DomainError
        If the results are not such.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import netmodel
    >>> gains = netmodel.compare(protocol="smc-r", workload="smc-rr-1k", km=[1, 10, 100])
    >>> plot_gain(gains).get_xlabel()
    'distance [km of fibre]'
    """
    times = endpoint_times(results[0].baseline, results[0].variant) if results else None
    if times is None or not has_gain_over_distance(results):
        raise DomainError(
            "results must be of one change of protocol over two or more distances, with a model "
            "of the time"
        )
    ax = new_axes() if ax is None else ax
    first = results[0]
    own = workload(str(first.variant["workload"]))
    asked_km = sorted(float(str(each.variant[DISTANCE])) for each in results)
    is_log = asked_km[0] > 0 and asked_km[-1] > DECADE * asked_km[0]
    km = (np.geomspace if is_log else np.linspace)(asked_km[0], asked_km[-1], CURVE_COUNT)
    ratio = times.time_ratio(
        own.request_bytes,
        own.response_bytes,
        propagation_round_trip_s(km * KILO),
        connection_count=connections_on_line(times, first.variant),
    )
    saved, low, high = (
        WHOLE_PERCENT * (1 - np.asarray(end)) for end in (ratio.value, ratio.high, ratio.low)
    )
    number_ticks(ax, "x", asked_km[0], asked_km[-1], is_whole=False)
    ax.set_xlim(asked_km[0], asked_km[-1])
    ax.plot(km, saved, color="#4477aa", label="model")
    ax.fill_between(km, low, high, color="#4477aa", alpha=BAND_ALPHA, label="what figures leave")
    printed = [
        (float(str(fact.subject[DISTANCE])), WHOLE_PERCENT * (1 - fact.low))
        for fact in _figures(first)
        if fact.low > 0
    ]
    inside = [each for each in printed if asked_km[0] <= each[0] <= asked_km[-1]]
    if inside:
        ax.plot(
            *zip(*inside, strict=True), "v", color="black", label='published: "up to"', zorder=3
        )
    if first.crossover is not None:
        share, place = first.crossover.min_gain_ratio, first.crossover.distance_km
        ax.axhline(WHOLE_PERCENT * share, color="grey", linestyle="--", linewidth=1)
        if asked_km[0] <= place.value <= asked_km[-1]:
            label = f"{WHOLE_PERCENT * share:g} % saved up to here"
            ax.axvspan(place.low, place.high, color="grey", alpha=BAND_ALPHA, label=label)
    ax.set_ylim(0, None)
    ax.set_xlabel("distance [km of fibre]")
    ax.set_ylabel("time saved [%]")
    # the distance is the axis
    draw_title(ax, first.title, f"{own.id}: share of the transaction time that is saved")
    legend_beside(ax)
    draw_notes(ax, first.notes)
    return ax


def _figures(result: "Compared") -> list[Fact]:
    """What documents print of the time of this change over any distance."""
    return [
        fact
        for fact in published().facts
        if fact.quantity in _TIMES
        and DISTANCE in fact.subject
        and 0 < fact.low <= fact.high < math.inf
        and fact.subject.get("workload") == result.variant["workload"]
        and fact.subject.get(TRANSPORT) == result.variant[TRANSPORT]
        and fact.baseline.get(TRANSPORT) == result.baseline[TRANSPORT]
    ]
