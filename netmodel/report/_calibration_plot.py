"""A calibration, drawn with matplotlib (extra ``plot``)."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from netmodel._estimates import Estimate
from netmodel._text import SENTENCE_DIGITS, fixed_percent
from netmodel.errors import DomainError
from netmodel.report._figure import (
    BAND_ALPHA,
    CAP_POINTS,
    LINE_STYLES,
    draw_title,
    legend_below,
    new_axes,
    number_ticks,
    tick_text,
    with_plain_names,
)
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.calibration import Observed
    from netmodel.calibration._calibrate import Calibration

_GRID_COUNT = 41
"""Places of a curve, a fortieth of the width apart: its bends look smooth on a page."""
_FINE_COUNT = 401
"""Places at which steps are looked for: two pixels apart."""
_STEP_RATIO = 0.01
"""A curve that is further off a straight line has a step there: on a page 1 % is seen."""
_ROOM = 2.0
"""Upper ends that are further above all observations are cut: they would flatten the rest."""
_FILLS = ("full", "none", "left", "top", "right", "bottom")
"""Of the marks of a series: they differ without colour."""
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


@with_plain_names
def plot_calibration(
    calibration: "Calibration",
    over: str | None = None,
    ax: "Axes | None" = None,
    subject: str = "",
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
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.
    subject : str
        What is calibrated, before the conditions in the title, such as the name of an adapter.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Observations as points with the interval that their figures allow, as
        triangles where they are only a lower or an upper bound; the prediction as a
        line where it has a value, and its range as a band. Each set of other
        conditions has a colour, a style of its lines and a filling of its marks. The
        title has what all observations have in common.

    Raises
    ------
    DomainError
        If no condition is a number that differs, if there are only comparisons,
        or if the observations are of more than one quantity.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from netmodel.calibration import Observed, adapter_model, calibrate
    >>> seen = [
    ...     Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
    ...     for mtu, rate in ((1500, 13.1e9), (1500, 13.6e9), (3000, 18.3e9), (3000, 17.9e9))
    ... ]
    >>> plot_calibration(calibrate(seen, adapter_model(25e9))).get_xlabel()
    'MTU [byte]'
    """
    seen = [
        each for each in calibration.observed if each.baseline is None and not each.is_unbounded
    ]
    over = _chosen(calibration, seen, over)
    ax = new_axes() if ax is None else ax
    from matplotlib.lines import Line2D

    places = _places(calibration, seen, over)
    room = _ROOM * max(end for each in seen for end in (each.low, each.high) if end < math.inf)
    for order, (band, group) in enumerate(_series(calibration, seen, over, places).items()):
        style: dict[str, Any] = {"color": f"C{order % 10}"}
        lines = {"linestyle": LINE_STYLES[order % len(LINE_STYLES)], **style}
        lows = [each.low for each in band]
        highs = [min(each.high, room) for each in band]
        values = [math.nan if each.value is None else each.value for each in band]
        label = _label(group, seen, over)
        band_style = {"facecolor": (style["color"], BAND_ALPHA), "edgecolor": style["color"]}
        if max(each.high for each in band) > room:
            band_style["linewidth"] = 0  # an end that is cut off has no edge
        ax.fill_between(places, lows, highs, label=label, **lines | band_style)
        ax.plot(places, values, **lines)
        style["fillstyle"] = _FILLS[order % len(_FILLS)]
        for each in group:
            _draw_observed(ax, each, float(each.at[over]), style)
    number_ticks(ax, "x", places[0], places[-1])
    quantity = seen[0].quantity
    ax.set(
        xlabel=_LABELS.get(over, over),
        ylabel=_LABELS.get(quantity, quantity),
        ylim=(0, None),
    )
    draw_title(ax, _subject(seen, over, subject), _title(calibration))
    if write := _FORMATS.get(quantity):
        ax.yaxis.set_major_formatter(
            lambda value, _: write(value, SENTENCE_DIGITS) if value else "0"
        )
    else:
        ax.yaxis.set_major_formatter(lambda value, _: tick_text(value))
    marks = dict.fromkeys(map(_mark, seen))
    look: dict[str, Any] = {"color": "0.4", "linestyle": "none"}
    legend_below(ax, [Line2D([], [], marker=each, label=_MARKS[each], **look) for each in marks])
    return ax


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


def _subject(seen: "Sequence[Observed]", over: str, subject: str) -> str:
    """What is calibrated, under the conditions that all observations have in common."""
    common = [
        f"{label} {_value_text(value)} {unit.rstrip(']')}".rstrip()
        for name, value in seen[0].at.items()
        if name != over and all(each.at.get(name) == value for each in seen)
        if str(value) not in subject
        for label, _, unit in [_LABELS.get(name, name).partition(" [")]
    ]
    return ": ".join(filter(None, (subject, ", ".join(common))))


def _value_text(value: object) -> str:
    return tick_text(value) if isinstance(value, int | float) else str(value)


def _title(calibration: "Calibration") -> str:
    from netmodel.calibration import FeasibleSet

    unknown = "Run-to-run noise not known: intervals are open"
    if not isinstance(calibration, FeasibleSet):
        level = fixed_percent(calibration.level_ratio, 0)
        known = f"Maximum-likelihood fit with {level} intervals of the mean"
        return known if calibration.is_scatter_known else unknown
    if calibration.is_open:
        return unknown
    if calibration.scatter is None:
        return "Feasible set: agrees with every figure as printed; scatter not included"
    noise = fixed_percent(calibration.scatter.ratio, 2)
    return f"Feasible set: agrees with every figure within {noise} noise"


def _places(
    calibration: "Calibration", seen: "Sequence[Observed]", over: str
) -> npt.NDArray[np.float64]:
    """Evenly apart, the observed ones, and those where a fit has steps or bends between them."""
    from netmodel.calibration import FeasibleSet, Point

    seen_at = [float(each.at[over]) for each in seen]
    ends = min(seen_at), max(seen_at)
    # evenly by ratio where that is possible
    spaced = np.geomspace if ends[0] > 0 else np.linspace
    places = np.unique([*spaced(*ends, _GRID_COUNT), *seen_at])
    if isinstance(calibration, FeasibleSet):
        return places
    # the curve alone costs nothing, its interval at each place much
    fine, added = np.unique([*spaced(*ends, _FINE_COUNT), *places]), [places]
    values = np.array([*calibration.values.values()])
    others = [{name: each.at[name] for name in each.at if name != over} for each in seen]
    for conditions in {tuple(each.items()): each for each in others}.values():
        points = [Point(seen[0].quantity, {**conditions, over: float(at)}) for at in fine]
        curve = calibration.model.function(points)(values)
        straight = np.interp(fine, places, curve[np.isin(fine, places)])
        added.append(fine[abs(curve - straight) > _STEP_RATIO * abs(curve)])
    return np.unique(np.concatenate(added))


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


def _draw_observed(ax: "Axes", each: "Observed", place: float, style: dict[str, Any]) -> None:
    """A point with its interval, or a triangle at the end that is known."""
    mark = _mark(each)
    if mark == _CLOSED:
        middle = each.value if each.value is not None else (each.low + each.high) / 2
        spread = [[middle - each.low], [each.high - middle]]
        style = {**style, "markersize": _POINT_POINTS, "capsize": CAP_POINTS}
        ax.errorbar([place], [middle], spread, fmt=mark, **style)
    else:
        end = each.low if mark == _OPEN_ABOVE else each.high
        ax.plot([place], [end], mark, markersize=_TRIANGLE_POINTS, **style)
