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
from netmodel.report._plots import DECADE
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.calibration import Observed
    from netmodel.calibration._calibrate import Calibration

_GRID_COUNT = 41
"""Places of a curve, a fortieth of the width apart: its bends look smooth at 9 inches."""
_LOG_STEPS = (1.0, 2.0, 5.0)
"""Ticks of each decade, about evenly apart."""
_ROOM = 10.0
"""Upper ends that are further above all observations are cut: they would flatten the rest."""
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


def _rate_tick(rate_bps: float, _: object) -> str:
    return format_rate(rate_bps, SENTENCE_DIGITS) if rate_bps else "0"


def _time_tick(time_s: float, _: object) -> str:
    return format_time(time_s, SENTENCE_DIGITS) if time_s else "0"


_TICKS = {
    "throughput_bps": _rate_tick,
    "transaction_time_s": _time_tick,
    "cpu_s_per_transaction": _time_tick,
}
"""How ticks are written where units suit them; others are plain numbers."""


def plot_calibration(
    calibration: "Calibration", over: str | None = None, axes: "Axes | None" = None
) -> "Axes":
    """
    Draw observations over a condition, and what the calibration makes of them.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of one quantity.
    over : str, optional
        The condition, a number; left out, of those that change the prediction
        the each with most different values.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        Observations as points with what their figures allow, triangles where
        they are only a lower or an upper bound; the prediction as a line where it has
        a value, and its range as a band. A colour for each set of other conditions.

    Raises
    ------
    DomainError
        If no such condition is a number that differs, comparisons are all that
        was seen, or several quantities were.
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
        axes = plt.subplots(layout="constrained", figsize=(9, 5))[1]
    places = _grid([float(each.at[over]) for each in seen])
    room = _ROOM * max(end for each in seen for end in (each.low, each.high) if end < math.inf)
    for order, (band, group) in enumerate(_series(calibration, seen, over, places).items()):
        style: dict[str, Any] = {"color": f"C{order % 10}"}
        _draw_band(axes, places, band, _label(group, seen, over), room, style)
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
    axes.yaxis.set_major_formatter(_TICKS.get(quantity, "{x:g}"))
    for mark in dict.fromkeys(map(_mark, seen)):
        axes.plot([], [], mark, color="0.4", label=_MARKS[mark])
    axes.legend(fontsize="small")
    return axes


def _chosen(calibration: "Calibration", seen: "Sequence[Observed]", over: str | None) -> str:
    """The condition to draw over, if these observations can be drawn over each."""
    from netmodel.calibration._conditions import varied_numbers

    quantities = dict.fromkeys(each.quantity for each in seen)
    if len(quantities) > 1:
        raise DomainError(f"only one quantity can be drawn; got {', '.join(quantities)}")
    known = varied_numbers(seen)
    if over is None:
        mattering = (name for name in known if _matters(calibration, seen, name))
        over = next(mattering, next(iter(known), None))
    if over is None or over not in known:
        raise DomainError(
            f"nothing to draw over: of the conditions {', '.join(known) or 'none'} is a number "
            "that all observations give, and that differs between them"
        )
    return over


def _matters(calibration: "Calibration", seen: "Sequence[Observed]", name: str) -> bool:
    """Whether the prediction for any of them differs where this condition does."""
    from netmodel.calibration import Point

    first = seen[0]
    values = {each.at[name] for each in seen}
    predicted = {
        calibration.predict(Point(first.quantity, {**first.at, name: value})) for value in values
    }
    return len(predicted) > 1


def _title(calibration: "Calibration") -> str:
    from netmodel.calibration import FeasibleSet

    unknown = "Run-to-run noise not known: intervals are open"
    if not isinstance(calibration, FeasibleSet):
        level = f"The likeliest, and intervals of {calibration.level_ratio:.0%} of the mean"
        return level if calibration.is_scatter_known else unknown
    if calibration.is_open:
        return unknown
    if calibration.scatter is None:
        return "All that agrees with every figure as printed; scatter not included"
    return f"All that agrees with every figure within a noise of {calibration.scatter.ratio:.2%}"


def _grid(places: Sequence[float]) -> npt.NDArray[np.float64]:
    """Between least and most, evenly by ratio where that is possible; the places are among them."""
    least, most = min(places), max(places)
    spaced = np.geomspace if least > 0 else np.linspace
    return np.unique([*spaced(least, most, _GRID_COUNT), *places])


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


def _draw_band(
    axes: "Axes",
    places: npt.NDArray[np.float64],
    band: Sequence[Estimate[float | None]],
    label: str,
    room: float,
    style: dict[str, Any],
) -> None:
    lows, highs = np.array([each.low for each in band]), np.array([each.high for each in band])
    axes.fill_between(
        places, lows, np.minimum(highs, room), alpha=0.2, linewidth=0, label=label, **style
    )
    values = [math.nan if each.value is None else each.value for each in band]
    axes.plot(places, values, linewidth=1.5, **style)


def _mark(observed: "Observed") -> str:
    if observed.is_bounded:
        return _CLOSED
    return _OPEN_ABOVE if observed.low > 0 else _OPEN_BELOW


def _draw_observed(axes: "Axes", each: "Observed", place: float, style: dict[str, Any]) -> None:
    mark = _mark(each)
    if mark == _CLOSED:
        middle = each.value if each.value is not None else (each.low + each.high) / 2
        spread = [[middle - each.low], [each.high - middle]]
        axes.errorbar([place], [middle], spread, fmt=mark, markersize=4, capsize=3, **style)
    else:
        end = each.low if mark == _OPEN_ABOVE else each.high
        axes.plot([place], [end], mark, markersize=7, **style)
