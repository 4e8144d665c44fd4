"""A calibration, drawn with matplotlib (extra ``plot``)."""

from collections import defaultdict
from collections.abc import Sequence
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any

from netmodel.calibration import FeasibleSet, Fit, Observed, Point
from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.report.drawing import (
    BAND_ALPHA,
    finish,
    label_lines,
    new_axes,
    number_axis,
    quantity_axis,
    tick_text,
)
from netmodel.text import RESULT_DIGITS, fixed_percent
from netmodel.units import format_rate, format_time
from netmodel.units.columns import label_and_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID_COUNT = 41
"""Places of a curve, a fortieth of the width apart: its bends look smooth on a page."""
_ROOM = 2.0
"""Upper ends that are further above all observations are cut: they would flatten the rest."""
_SERIES_COUNT = 5
"""Curves that are told apart in one plot."""
_LABELS = {"cpu_s_per_transaction": "CPU time of a transaction", "payload_bytes": "frame payload"}
"""Quantities and conditions whose names are too short for a label."""
_FORMATS = {
    "throughput_bps": format_rate,
    "transaction_time_s": format_time,
    "cpu_s_per_transaction": format_time,
}
"""Texts of ticks with a unit; others are plain numbers."""


def plot_calibration(
    calibration: Fit | FeasibleSet,
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
        Observations as points with the interval that their figures allow, or as triangles where
        they are only a lower or an upper bound; the prediction as a line where it has a value, and
        its range as a band. Each set of other conditions has a colour, five at most.

    Raises
    ------
    DomainError
        If no condition is a number that differs, if there are only comparisons,
        or if the observations are of more than one quantity.
    MissingPartError
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
    quantities = dict.fromkeys(each.quantity for each in seen)
    if len(quantities) > 1:
        raise DomainError(f"only one quantity can be drawn; got {', '.join(quantities)}")
    over = _chosen(calibration, seen, over)
    ax = new_axes(ax)
    seen_at = [float(each.at[over]) for each in seen]
    spaced = np.geomspace if min(seen_at) > 0 else np.linspace
    places = np.unique([*spaced(min(seen_at), max(seen_at), _GRID_COUNT), *seen_at])
    number_axis(ax, places)
    quantity = seen[0].quantity
    write = _FORMATS.get(quantity)
    highest = max(end for each in seen for end in (each.low, each.high) if end < inf)
    common, ends, tops = _shared(seen, over), [], [highest]
    alike = defaultdict[Any, list[Observed]](list)  # by the prediction at both ends
    for each in seen:
        at_ends = (_predicted(calibration, each, over, place) for place in places[[0, -1]])
        alike[tuple(at_ends)].append(each)
    groups = sorted(alike.values(), key=len, reverse=True)[:_SERIES_COUNT]
    for order, group in enumerate(groups):
        colour = f"C{order}"
        band = [_predicted(calibration, group[0], over, place) for place in places]
        lows = [each.low for each in band]
        highs = [min(each.high, _ROOM * highest) for each in band]
        values = [nan if each.value is None else each.value for each in band]
        ax.fill_between(places, lows, highs, color=colour, alpha=BAND_ALPHA, linewidth=0)
        ax.plot(places, values, color=colour)
        for each in group:
            _draw_observed(ax, each, float(each.at[over]), colour)
        tops += [high for high in highs if isfinite(high)]
        own = [text for name, text in _shared(group, over).items() if name not in common]
        ends.append(((lows[-1] + highs[-1]) / 2, ", ".join(own) or "predicted", colour))
    text_of = tick_text if write is None else lambda value: write(value, RESULT_DIGITS)
    quantity_axis(ax, "y", tops, text_of, may_be_log=False)
    label_lines(ax, ends)
    ax.set(xlabel=_label(over), ylabel=_label(quantity))
    case = ", ".join(text for name, text in common.items() if str(seen[0].at[name]) not in subject)
    return finish(ax, [": ".join(filter(None, (subject, case))), _answer(calibration)])


def _predicted(calibration: Fit | FeasibleSet, like: Observed, over: str, place: Any) -> Any:
    """Return the prediction at the conditions of an observation, except for one of them."""
    return calibration.predict(Point(like.quantity, {**like.at, over: float(place)}))


def _chosen(calibration: Fit | FeasibleSet, seen: Sequence[Observed], over: str | None) -> str:
    """Return the condition to draw over, if these observations can be drawn over each."""
    names = dict.fromkeys(name for each in seen for name in each.at)
    values = {name: dict.fromkeys(each.at.get(name) for each in seen) for name in names}
    known = {
        name: [*different]
        for name, different in values.items()
        if len(different) > 1 and all(type(value) in (int, float) for value in different)
    }
    if over is None and known:
        most = sorted(known, key=lambda name: -len(known[name]))
        changing = (
            name
            for name in most
            if len({_predicted(calibration, seen[0], name, at) for at in known[name]}) > 1
        )
        over = next(changing, most[0])
    if over is None or over not in known:
        numbers = "is a number that all observations give, and that differs between them"
        of = ", ".join(known) or "none"
        raise DomainError(f"nothing to draw over: of the conditions {of} {numbers}")
    return over


def _shared(group: Sequence[Observed], over: str) -> dict[str, str]:
    """Conditions that all of these observations have, in words."""
    texts = {}
    for name, value in group[0].at.items():
        if name != over and all(each.at.get(name) == value for each in group):
            label, _, unit = _label(name).partition(" [")
            text = tick_text(value) if isinstance(value, int | float) else str(value)
            texts[name] = f"{label} {text} {unit.rstrip(']')}".rstrip()
    return texts


def _label(name: str) -> str:
    """Return a quantity or condition in words, with the unit that its ticks leave out."""
    words, unit = label_and_unit(name)
    label = _LABELS.get(name, words)
    return label if name in _FORMATS or unit in {"", "count"} else f"{label} [{unit}]"


def _answer(calibration: Fit | FeasibleSet) -> str:
    """Return the method and the noise of a calibration, for its title."""
    noise = calibration.scatter_ratio
    if calibration.method == "feasible_set":
        within = "as printed; scatter not included"
        within = within if noise is None else f"within {fixed_percent(noise, 2)} noise"
        return f"Agrees with every figure {within}"
    if noise is None:
        return "Run-to-run noise not known: intervals are open"
    level, chosen = fixed_percent(calibration.level_ratio, 0), getattr(calibration, "answer", "")
    fit = f"{chosen}maximum-likelihood fit with {level} intervals of the mean"
    return fit[0].upper() + fit[1:]


def _draw_observed(ax: "Axes", each: Observed, place: float, colour: str) -> None:
    """Draw a point with its interval, or a triangle at the end that is known."""
    if not each.is_bounded:
        end, mark = (each.low, "^") if each.low > 0 else (each.high, "v")
        ax.plot([place], [end], mark, color=colour, clip_on=False)
        return
    middle = each.value if each.value is not None else (each.low + each.high) / 2
    spread = [[middle - each.low], [each.high - middle]]
    ax.errorbar(
        [place], [middle], spread, fmt="o", color=colour, capsize=3, markersize=4, clip_on=False
    )
