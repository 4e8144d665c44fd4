"""A calibration, drawn with matplotlib (extra ``plot``)."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from netmodel._estimates import Estimate
from netmodel._text import SENTENCE_DIGITS
from netmodel.errors import DomainError
from netmodel.report._frames import extra
from netmodel.report._plots import BAND_ALPHA, CAP_POINTS, DECADE, PLOT_SIZE_INCHES
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.calibration import Observed
    from netmodel.calibration._calibrate import Calibration

_GRID_COUNT = 41
"""Places of a curve, a fortieth of the width apart: its bends look smooth on a page."""
_LOG_STEPS = (1.0, 2.0, 5.0)
"""Ticks of each decade, about evenly apart."""
_ROOM = 10.0
"""Upper ends that are further above all observations are cut: they would flatten the rest."""
_TRIANGLE_POINTS, _POINT_POINTS = 7, 4
"""Sizes of marks: a triangle has to show which end is open."""
_OPEN_ABOVE, _OPEN_BELOW, _CLOSED = "^", "v", "o"
_MARKS = {_CLOSED: "observed", _OPEN_ABOVE: "lower bound", _OPEN_BELOW: "upper bound"}
_LABELS = {
    "throughput_bps": "throughput",
    "transaction_rate_tps": "transactions per second",
    "transaction_time_s": "time of a transaction",
    "cpu_us_per_gbit": "CPU time of the data [µs/Gbit]",
    "cpu_s_per_transaction": "CPU time of a transaction",
    "mtu_bytes": "MTU [byte]",
    "payload_bytes": "payload of a full frame [byte]",
    "request_bytes": "request [byte]",
    "response_bytes": "response [byte]",
    "write_bytes": "write [byte]",
    "connection_count": "connections",
}
"""Quantities and conditions in words; others have their names."""


_FORMATS = {
    "throughput_bps": format_rate,
    "transaction_time_s": format_time,
    "cpu_s_per_transaction": format_time,
}
"""Texts of ticks with a unit; others are plain numbers."""


def plot_calibration(
    calibration: "Calibration", over: str | None = None, axes: "Axes | None" = None
) -> "Axes":
    """
    Draw observations over a condition beside the predictions of the calibration.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of one quantity.
    over : str, optional
        A condition that is a number. When left out: of those that change the
        prediction, the condition with the most values.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        Observations as points with the interval that their figures allow, as
        triangles where they are only a lower or an upper bound; the prediction as a
        line where it has a value, and its range as a band. Each set of other
        conditions has a colour.

    Raises
    ------
    DomainError
        If no condition is a number that differs, if there are only comparisons,
        or if the observations are of more than one quantity.
    MissingExtraError
        If matplotlib is not installed.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt
        from matplotlib.ticker import LogLocator, NullFormatter

    seen = [
        each for each in calibration.observed if each.baseline is None and not each.is_unbounded
    ]
    over = _chosen(calibration, seen, over)
    if axes is None:
        axes = plt.subplots(layout="constrained", figsize=PLOT_SIZE_INCHES)[1]
    seen_at = [float(each.at[over]) for each in seen]
    # evenly by ratio where that is possible, and the observed places themselves
    spaced = np.geomspace if min(seen_at) > 0 else np.linspace
    places = np.unique([*spaced(min(seen_at), max(seen_at), _GRID_COUNT), *seen_at])
    room = _ROOM * max(end for each in seen for end in (each.low, each.high) if end < math.inf)
    for order, (band, group) in enumerate(_series(calibration, seen, over, places).items()):
        style: dict[str, Any] = {"color": f"C{order % 10}"}
        lows = [each.low for each in band]
        highs = [min(each.high, room) for each in band]
        values = [math.nan if each.value is None else each.value for each in band]
        band_style = {**style, "label": _label(group, seen, over), "alpha": BAND_ALPHA}
        axes.fill_between(places, lows, highs, linewidth=0, **band_style)
        axes.plot(places, values, **style)
        for each in group:
            _draw_observed(axes, each, float(each.at[over]), style)
    if places[-1] > DECADE * places[0] > 0:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=_LOG_STEPS))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
    quantity = seen[0].quantity
    axes.set(
        xlabel=_LABELS.get(over, over),
        ylabel=_LABELS.get(quantity, quantity),
        ylim=(0, None),
        title=_title(calibration),
    )
    if write := _FORMATS.get(quantity):
        axes.yaxis.set_major_formatter(
            lambda value, _: write(value, SENTENCE_DIGITS) if value else "0"
        )
    else:
        axes.yaxis.set_major_formatter("{x:g}")
    for mark in dict.fromkeys(map(_mark, seen)):
        axes.plot([], [], mark, color="0.4", label=_MARKS[mark])
    axes.legend(fontsize="small")
    return axes


def _chosen(calibration: "Calibration", seen: "Sequence[Observed]", over: str | None) -> str:
    """The condition to draw over, if these observations can be drawn over each."""
    from netmodel.calibration import Point
    from netmodel.calibration._conditions import varied_numbers

    quantities = dict.fromkeys(each.quantity for each in seen)
    if len(quantities) > 1:
        raise DomainError(f"only one quantity can be drawn; got {', '.join(quantities)}")
    known = varied_numbers(seen)
    if over is None:
        over = next(iter(known), None)
        for name in known:
            values = {each.at[name] for each in seen}
            points = (Point(seen[0].quantity, {**seen[0].at, name: value}) for value in values)
            if len(set(map(calibration.predict, points))) > 1:
                over = name
                break
    if over is None or over not in known:
        raise DomainError(
            f"nothing to draw over: of the conditions {', '.join(known) or 'none'} is a number "
            "that all observations give, and that differs between them"
        )
    return over


def _title(calibration: "Calibration") -> str:
    from netmodel.calibration import FeasibleSet

    unknown = "Run-to-run noise not known: intervals are open"
    if not isinstance(calibration, FeasibleSet):
        level = f"Maximum-likelihood fit with {calibration.level_ratio:.0%} intervals of the mean"
        return level if calibration.is_scatter_known else unknown
    if calibration.is_open:
        return unknown
    if calibration.scatter is None:
        return "Feasible set: agrees with every figure as printed; scatter not included"
    return f"Feasible set: agrees with every figure within {calibration.scatter.ratio:.2%} noise"


def _series(
    calibration: "Calibration",
    seen: "Sequence[Observed]",
    over: str,
    places: npt.NDArray[np.float64],
) -> "dict[tuple[Estimate[float | None], ...], list[Observed]]":
    """Observations by the prediction over the condition, at the same other conditions."""
    from netmodel.calibration import Point
    from netmodel.calibration._conditions import unread_conditions

    unread = unread_conditions(calibration.model, seen)
    known: dict[tuple[tuple[str, object], ...], tuple[Estimate[float | None], ...]] = {}
    series: dict[tuple[Estimate[float | None], ...], list[Observed]] = {}
    for each in seen:
        others = {name: each.at[name] for name in each.at if name != over and name not in unread}
        key = tuple(others.items())
        if key not in known:
            known[key] = tuple(
                calibration.predict(Point(each.quantity, {**others, over: float(place)}))
                for place in places
            )
        series.setdefault(known[key], []).append(each)
    return series


def _label(group: "Sequence[Observed]", seen: "Sequence[Observed]", over: str) -> str:
    """Conditions that a group shares, and other observations do not."""
    common = [
        f"{name} {value}"
        for name, value in group[0].at.items()
        if name != over
        and all(each.at.get(name) == value for each in group)
        and any(each.at.get(name) != value for each in seen)
    ]
    return ", ".join(common) or "prediction"


def _mark(observed: "Observed") -> str:
    if observed.is_bounded:
        return _CLOSED
    return _OPEN_ABOVE if observed.low > 0 else _OPEN_BELOW


def _draw_observed(axes: "Axes", each: "Observed", place: float, style: dict[str, Any]) -> None:
    """A point with its interval, or a triangle at the end that is known."""
    mark = _mark(each)
    if mark == _CLOSED:
        middle = each.value if each.value is not None else (each.low + each.high) / 2
        spread = [[middle - each.low], [each.high - middle]]
        style = {**style, "markersize": _POINT_POINTS, "capsize": CAP_POINTS}
        axes.errorbar([place], [middle], spread, fmt=mark, **style)
    else:
        end = each.low if mark == _OPEN_ABOVE else each.high
        axes.plot([place], [end], mark, markersize=_TRIANGLE_POINTS, **style)
