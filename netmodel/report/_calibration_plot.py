"""A calibration, drawn with matplotlib (extra ``plot``)."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from netmodel.calibration import (
    Calibration,
    Observed,
    Point,
    unread_conditions,
    varied_numbers,
)
from netmodel.errors import DomainError
from netmodel.path import Estimate
from netmodel.report._extras import extra
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_calibration"]

_GRID_COUNT = 41
_DECADE = 10.0
_ROOM = 10.0
_TICKS = {
    "bps": lambda rate_bps, _: format_rate(rate_bps, 4) if rate_bps else "0",
    "s": lambda time_s, _: format_time(time_s, 4) if time_s else "0",
}
"""How ticks of quantities are written, by what their names end in."""
_OPEN_ABOVE, _OPEN_BELOW, _CLOSED = "^", "v", "o"


def plot_calibration(
    calibration: Calibration, over: str | None = None, axes: "Axes | None" = None
) -> "Axes":
    """
    Draw observations over a condition, and what the calibration makes of them.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of one quantity.
    over : str, optional
        The condition, a number; that with most different values when left out.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        Observations as points with what their figures allow, triangles where
        they only tell a least or a most; the prediction as a line where it has
        a value, and its range as a band. A colour for each set of other conditions.

    Raises
    ------
    DomainError
        If no such condition is a number that differs, or comparisons are all that was seen.
    MissingExtraError
        If matplotlib is not installed.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    seen = [one for one in calibration.observed if one.baseline is None]
    known = varied_numbers(seen)
    if over is None and known:
        over = known[0]
    if over is None or over not in known:
        raise DomainError(
            f"nothing to draw over: of the conditions {', '.join(known) or 'none'} is a number "
            "that all observations tell, and that differs"
        )
    if axes is None:
        axes = plt.subplots(layout="constrained", figsize=(9, 5))[1]
    places = _grid([float(one.at[over]) for one in seen])
    for order, (band, several) in enumerate(_series(calibration, seen, over, places).items()):
        style: dict[str, Any] = {"color": f"C{order % 10}"}
        _draw_band(axes, places, band, _label(several, seen, over), style)
        _draw_observed(axes, several, over, style)
    if places[-1] > _DECADE * places[0] > 0:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set(xlabel=over, ylabel=seen[0].quantity, ylim=(0, None))
    axes.yaxis.set_major_formatter(_TICKS.get(seen[0].quantity.rpartition("_")[2], "{x:g}"))
    axes.legend(fontsize="small")
    return axes


def _grid(places: Sequence[float]) -> npt.NDArray[np.float64]:
    """Between least and most, evenly by ratio where that is possible; the places are among them."""
    least, most = min(places), max(places)
    spaced = np.geomspace if least > 0 else np.linspace
    return np.unique([*spaced(least, most, _GRID_COUNT), *places])


def _series(
    calibration: Calibration,
    seen: Sequence[Observed],
    over: str,
    places: npt.NDArray[np.float64],
) -> dict[tuple[Estimate, ...], list[Observed]]:
    """Observations by what is predicted over the condition where the others are like theirs."""
    unread = unread_conditions(calibration.model, seen)
    known: dict[tuple[tuple[str, object], ...], tuple[Estimate, ...]] = {}
    found: dict[tuple[Estimate, ...], list[Observed]] = {}
    for one in seen:
        others = {name: one.at[name] for name in one.at if name != over and name not in unread}
        key = tuple(others.items())
        if key not in known:
            known[key] = tuple(
                calibration.predict(Point(one.quantity, {**others, over: float(place)}))
                for place in places
            )
        found.setdefault(known[key], []).append(one)
    return found


def _label(several: Sequence[Observed], seen: Sequence[Observed], over: str) -> str:
    """What all of these have in common, and others do not."""
    told = [
        f"{name} {value}"
        for name, value in several[0].at.items()
        if name != over
        and all(one.at.get(name) == value for one in several)
        and any(one.at.get(name) != value for one in seen)
    ]
    return ", ".join(told) or "prediction"


def _draw_band(
    axes: "Axes",
    places: npt.NDArray[np.float64],
    band: Sequence[Estimate],
    label: str,
    style: dict[str, Any],
) -> None:
    lows, highs = np.array([one.low for one in band]), np.array([one.high for one in band])
    shown = np.minimum(highs, _ROOM * lows.max())
    axes.fill_between(places, lows, shown, alpha=0.2, linewidth=0, label=label, **style)
    values = [math.nan if one.value is None else one.value for one in band]
    axes.plot(places, values, linewidth=1.5, **style)


def _draw_observed(
    axes: "Axes", several: Sequence[Observed], over: str, style: dict[str, Any]
) -> None:
    for one in several:
        place = float(one.at[over])
        if one.is_bounded:
            middle = one.value if one.value is not None else (one.low + one.high) / 2
            spread = [[middle - one.low], [one.high - middle]]
            axes.errorbar([place], [middle], spread, fmt=_CLOSED, markersize=4, capsize=3, **style)
        elif not one.tells_nothing:
            end, mark = (one.low, _OPEN_ABOVE) if one.low > 0 else (one.high, _OPEN_BELOW)
            axes.plot([place], [end], mark, markersize=7, **style)
