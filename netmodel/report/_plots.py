"""Predictions, frames and plans, drawn with matplotlib (extra ``plot``)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from math import inf, isfinite
from typing import TYPE_CHECKING

from netmodel.ceilings import LineCeiling
from netmodel.errors import DomainError
from netmodel.estimates import Bound, Predicted
from netmodel.framing import Part
from netmodel.lazy_numpy import np
from netmodel.numeric import Floats
from netmodel.path import Prediction
from netmodel.planning import Plan, Plans
from netmodel.report.drawing import (
    BAND_ALPHA,
    BAR_RATIO,
    ROOM_RATIO,
    finish,
    label_above,
    label_beside,
    label_lines,
    label_rows,
    new_axes,
    number_axis,
    quantity_axis,
    tick_text,
)
from netmodel.report.figures import binding_names, case_text
from netmodel.text import RESULT_DIGITS, fixed_percent
from netmodel.units import format_rate

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

_LIMIT_COUNT = 8
"""Limits of a path that are drawn, the lowest: those above decide nothing."""
_FAR_RATIO = 5.0
"""Limits this much above the bottleneck leave the axis: they would press the rest together."""
_REGION_COUNT = 3
"""Bottlenecks of a curve that have a colour and a name: of more, none can be told apart."""
_EXPECTED, _PUBLISHED = "black", "tab:green"
_PRINTED = "published", "x", _PUBLISHED
_BOUNDED = "bound by a ratio", "v", "tab:purple"
"""Name, marker and colour of points."""
_LIMIT, _BOTTLENECK = "lightsteelblue", "tab:red"
_SURE = "skyblue"
"""Of bars: what is in use while all works."""


def plot_path(prediction: Prediction, ax: "Axes | None" = None) -> "Axes":
    """
    Draw the limits of a path, the lowest first: the bottleneck and what would limit next.

    Parameters
    ----------
    prediction : Prediction
        Of one workload over one path.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A bar for each of the lowest limits, with a thin line for its range. An upright line is what
        documents print of this very case, else the expected value. Bars of limits far above the
        bottleneck end with the axis; the rate stands beside them.

    Raises
    ------
    DomainError
        If the prediction has arrays, or no bound.
    MissingPartError
        If matplotlib is not installed.

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> prediction = predict_path(Path(stages=(cpu,)), Traffic(1000, 500), mtu_bytes=1500)
    >>> plot_path(prediction).get_title().splitlines()[-1]
    'at most 1.333 Gbit/s, limited by cpu'
    """
    prediction.require_one()
    if prediction.is_unbounded:
        raise DomainError(f"nothing to plot: {prediction.notes[0]}")
    rates = {name: rate.numbers() for name, rate in prediction.limit_rates_bps.items()}
    finite = sorted((rate.value, name) for name, rate in rates.items() if isfinite(rate.value))
    names = [name for _, name in finite[:_LIMIT_COUNT]]
    bound, binding = prediction.throughput_bps.numbers(), binding_names(prediction)
    kind, colour, mark_bps = "published", _PUBLISHED, prediction.beside().rate_bps
    if mark_bps is None and prediction.expected is not None:
        expected_bps = float(prediction.expected.throughput_bps.value)
        kind, colour, mark_bps = "expected", _EXPECTED, expected_bps
    ax = new_axes(ax, len(names))
    ends = [min(rates[name].value, _FAR_RATIO * finite[0][0]) for name in names]
    colours = [_BOTTLENECK if name in binding else _LIMIT for name in names]
    ax.barh(range(len(names)), [rates[x].value for x in names], BAR_RATIO, color=colours)
    quantity_axis(ax, "x", [*ends, mark_bps or 0.0], may_be_log=False)
    label_rows(ax, names, binding)
    for row, name in enumerate(names):
        _draw_range(ax, row, rates[name])
        label_beside(ax, row, format_rate(rates[name].value, RESULT_DIGITS))
    marks = []
    if mark_bps is not None:
        ax.axvline(mark_bps, color=colour)
        marks = [(mark_bps, f"{kind}: {format_rate(mark_bps, RESULT_DIGITS)}", colour)]
    ax.set_xlabel("payload rate that each limit allows at most")
    limit = prediction.bounded_by or f"limited by {' and '.join(binding)}"
    answer = f"{bound.bound.words} {format_rate(bound.value, RESULT_DIGITS)}, {limit}"
    return finish(ax, [case_text(prediction), answer], label_above(ax, marks))


def plot_predictions(
    prediction: Prediction,
    values: Sequence[float],
    label: str,
    published: Iterable[Prediction] = (),
    ax: "Axes | None" = None,
) -> "Axes":
    """
    Draw the throughput over connections, MTU or distance, and what limits it where.

    Parameters
    ----------
    prediction : Prediction
        With one element for each value.
    values : sequence of float
        Swept values, in rising order; the closer, the more exact is what lies between.
    label : str
        Name of the parameter, with its unit in brackets.
    published : iterable of Prediction
        Single cases over connections, of which the rates that documents print are marked.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The upper bound, in the colour of the bottleneck that stands above each region, and the
        expected value where there is one, both with a band for the parameter ranges.

    Raises
    ------
    DomainError
        If the values are not two or more, do not rise, or are not as many as
        the prediction has.
    MissingPartError
        If matplotlib is not installed.

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> import numpy as np
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> delay = Stage(name="delay", to_server=Times(per_message_s=50e-6), parallel_count=None)
    >>> counts = np.arange(1, 21)
    >>> traffic = Traffic(1000, 500, connection_count=counts)
    >>> prediction = predict_path(Path(stages=(cpu, delay)), traffic, mtu_bytes=1500)
    >>> plot_predictions(prediction, counts, "connections").get_xlabel()
    'connections'
    """
    # printed bounds hold at single values, not between them: they are marked
    prediction = replace(prediction, published_limit=None)
    places = _rising_places(values, prediction)
    bound = _along(prediction.throughput_bps, places)
    expected, binding = None, prediction.binding
    assert binding is not None
    if prediction.expected is not None:
        expected = _along(prediction.expected.throughput_bps, places)
        # not printed figures at single places
        expected = expected if np.isfinite(expected.value).sum() > 1 else None
    marks = _marks(published)
    ax = new_axes(ax)
    number_axis(ax, places)
    lines = [bound.value, bound.high, *([expected.value] if expected else ())]
    marked = [rate_bps for points in marks.values() for rate_bps in points.values()]
    quantity_axis(ax, "y", [*np.concatenate(lines), *marked])
    rows = _draw_bound(ax, places, bound, np.broadcast_to(binding, places.shape))
    ends = [(bound.value[-1], "mean" if bound.bound is Bound.MEAN else "upper bound", "black")]
    if expected is not None:
        ax.plot(places, expected.value, color=_EXPECTED, linestyle="--", label="expected")
        ends.append((expected.value[np.isfinite(expected.value)][-1], "expected", _EXPECTED))
    shown, lead = (bound, bound.bound.words) if expected is None else (expected, "expected")
    if np.any(shown.low < shown.high):
        ax.fill_between(places, shown.low, shown.high, color="grey", alpha=BAND_ALPHA, linewidth=0)
    for (name, marker, colour), points in marks.items():
        ax.plot([*points], [*points.values()], marker, color=colour, label=name, clip_on=False)
        ends.append(([*points.values()][-1], f"{marker} {name}", colour))
    label_lines(ax, ends)
    ax.set(xlabel=label, ylabel="payload rate")
    unit = label.partition("[")[2].rstrip("]") or label
    bounds_bps = marks.get(_BOUNDED, {})  # of a printed ratio; figures may leave ends open
    first, last = (
        f"{format_rate(min(shown.value[end], bounds_bps.get(places[end], inf)), RESULT_DIGITS)} "
        f"at {tick_text(places[end])}"
        for end in np.flatnonzero(np.isfinite(shown.value))[[0, -1]].tolist()
    )
    return finish(ax, [case_text(prediction), f"{lead} {first}, {last} {unit}"], rows)


def _rising_places(values: Sequence[float], prediction: Prediction) -> Floats:
    """Return the values as an array, if they rise and the prediction has an element for each."""
    places = np.asarray(values, dtype=np.float64)
    shape = np.shape(prediction.throughput_bps.value)
    if places.ndim != 1 or shape not in {(), (1,), places.shape}:
        both = f"the prediction has the shape {shape}, and the values have {places.shape}"
        raise DomainError(f"{both}: one row of both is needed")
    if places.size < 2 or not np.all(np.diff(places) > 0):
        raise DomainError("the values must be two or more, and rise")
    return places


def _along(rate: Predicted, places: Floats) -> Predicted[Floats]:
    return rate.mapped(lambda end: np.broadcast_to(end, places.shape))


def _marks(predictions: Iterable[Prediction]) -> dict[tuple[str, str, str], dict[float, float]]:
    """Printed rates, and bounds by printed ratios, over connections, by name, marker and colour."""
    marks = dict[tuple[str, str, str], dict[float, float]]()
    for each in predictions:
        count, rate_bps, look = each.traffic.connection_count, each.beside().rate_bps, _PRINTED
        if rate_bps is None and each.bounded_by:
            rate_bps, look = float(each.throughput_bps.high), _BOUNDED
        if count is not None and rate_bps is not None:
            marks.setdefault(look, {})[float(count)] = rate_bps
    return marks


def _draw_bound(
    ax: "Axes", places: Floats, bound: Predicted[Floats], binding: "npt.NDArray[np.str_]"
) -> int:
    """Draw the upper bound, a colour and a name for each region; return the rows of the names."""
    changes = np.flatnonzero(binding[1:] != binding[:-1]) + 1
    widest: dict[str, tuple[float, float]] = {}
    on_axis = ax.transData.transform(np.column_stack([places, places]))[:, 0]
    for start, end in pairwise([0, *changes, len(places) - 1]):
        width = on_axis[end] - on_axis[start]
        if width >= widest.get(binding[start], (0.0, 0.0))[0]:
            widest[binding[start]] = width, (on_axis[end] + on_axis[start]) / 2
    names = sorted(widest, key=widest.__getitem__, reverse=True)
    if len(names) > _REGION_COUNT:
        names = []
        ax.plot(places, bound.value, color="grey", linewidth=2, label="upper bound")
    back, labels = ax.transData.inverted().transform, []
    for order, name in enumerate(sorted(names, key=lambda name: widest[name][1])):
        here = binding == name
        here[1:] |= here[:-1]  # up to where the next one begins
        rates = np.where(here, bound.value, np.nan)
        ax.plot(places, rates, color=f"C{order}", linewidth=3, label=name)
        labels.append((float(back((widest[name][1], 0))[0]), name, f"C{order}"))
    return label_above(ax, labels)


def _draw_range(ax: "Axes", row: float, one: Predicted[float]) -> None:
    """Draw a thin line over the range of a bar."""
    if one.low != one.high:
        ax.plot([one.low, one.high], [row, row], "|-", color="black", linewidth=1)


def plot_frame(parts: LineCeiling | Sequence[Part], ax: "Axes | None" = None) -> "Axes":
    """
    Draw what a frame takes on the wire, part by part and to scale.

    Parameters
    ----------
    parts : LineCeiling or sequence of Part
        What `netmodel.ceiling` returns, or everything on the wire, in wire order.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A bar for each part where it stands in the frame, its bytes beside it; the payload is blue.

    Raises
    ------
    MissingPartError
        If matplotlib is not installed.

    Examples
    --------
    >>> import netmodel
    >>> plot_frame(netmodel.ceiling(25e9, 1500)).get_title()
    '1,448 of 1,538 bytes on the wire are payload: 94.15 %'
    """
    parts = parts.parts if isinstance(parts, LineCeiling) else parts
    ax = new_axes(ax, len(parts))
    ends = [0.0, *accumulate(part.bytes for part in parts)]
    payload = sum(part.bytes for part in parts if part.name == "payload")
    colours = ["tab:blue" if part.name == "payload" else "tab:orange" for part in parts]
    sizes = [part.bytes for part in parts]
    ax.barh(range(len(parts)), sizes, BAR_RATIO, ends[:-1], color=colours, edgecolor=colours)
    number_axis(ax, [0, ends[-1]])
    label_rows(ax, [part.name.replace("_", " ") for part in parts], ("payload",))
    for row, part in enumerate(parts):
        label_beside(ax, row, f"{part.bytes:,.7g}")
    ax.set_xlabel("byte from the begin of the preamble")
    title = f"{payload:,.7g} of {ends[-1]:,.7g} bytes on the wire are payload: "
    return finish(ax, [title + fixed_percent(payload / ends[-1], 2)])


def plot_plan(plan: Plan | Sequence[Plan], ax: "Axes | None" = None) -> "Axes":
    """
    Draw how much of each stage a plan uses, or the adapters that each of several plans needs.

    Parameters
    ----------
    plan : Plan or sequence of Plan
        Plan of one candidate, alone or as a sequence; or several plans, the best first.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Of one plan a bar for each stage: filled while all adapters work, hatched what a failure
        adds, and upright lines at what may be used. Of several a bar for each plan: adapters,
        those that may fail hatched; a plan that does not hold is red. Thin lines are ranges. One
        plan for which no number of adapters is enough is drawn as several are.

    Raises
    ------
    DomainError
        If there is no plan, or the one plan uses no stage.
    MissingPartError
        If matplotlib is not installed.

    Examples
    --------
    >>> import netmodel
    >>> (plan,) = netmodel.plan("20 Gbit/s", adapters="ethernet-25gbe", mtu_bytes=1500)
    >>> plot_plan(plan).get_xlabel()
    'share in use, lower bounds; hatched: after a failure'
    """
    plans = [plan] if isinstance(plan, Plan) else plan
    if not plans:
        raise DomainError("there is no plan to draw")
    if len(plans) == 1 and plans[0].chosen_count is not None:
        return _plot_uses(plans[0], ax)
    ax = new_axes(ax, len(plans))
    counts = [each.adapter_count for each in plans]
    known = [count for each in counts for count in (each.value, each.high) if isfinite(count)]
    number_axis(ax, [0, ROOM_RATIO * max(known, default=1)])
    label_rows(ax, [f"{each.equipment}, MTU {each.mtu_bytes:g}" for each in plans])
    for row, (each, count) in enumerate(zip(plans, counts, strict=True)):
        if each.chosen_count is None:
            label_beside(ax, row, "no number is enough")
            continue
        sure = each.chosen_count - each.headroom.spare_count
        _draw_parts(ax, row, sure, each.chosen_count, _SURE if each.holds else _BOTTLENECK)
        if isfinite(count.high):
            _draw_range(ax, row, count)
        label_beside(ax, row, f"{each.chosen_count}" + ("" if each.holds else ", not enough"))
    ax.set_xlabel(f"adapters {plans[0].where}, lower bounds; hatched: may fail")
    return finish(ax, [Plans(plans).answer.removesuffix(".")])


def _plot_uses(plan: Plan, ax: "Axes | None") -> "Axes":
    """Draw a bar for each stage that a plan uses."""
    stages = [
        (stage.name, stage.use_ratio, stage.after_failure_ratio or stage.use_ratio)
        for stage in plan.stages
        if stage.use_ratio is not None and stage.use_ratio.high > 0
    ]
    if not stages:
        raise DomainError("the plan uses no stage: there is nothing to draw")
    ax = new_axes(ax, len(stages))
    limits = {plan.headroom.max_utilisation_ratio: "may be used"}
    if plan.headroom.spare_count:
        limits.setdefault(plan.headroom.after_failure_ratio, "after a failure")
    number_axis(ax, [0, max(1.0, *(after.high for _, _, after in stages)) * ROOM_RATIO])
    label_rows(ax, [name for name, _, _ in stages], (plan.binding,))
    for row, (_, use, after) in enumerate(stages):
        _draw_parts(ax, row, use.value, after.value, _SURE)
        _draw_range(ax, row, after)
        label_beside(ax, row, fixed_percent(after.value, 1))
    for ratio in limits:
        ax.axvline(ratio, color="black", linewidth=1)
    labels = [
        (ratio, f"{name}: {fixed_percent(ratio, 0)}", "black") for ratio, name in limits.items()
    ]
    ax.xaxis.set_major_formatter(lambda share, _: fixed_percent(share, 0))
    failure = "; hatched: after a failure" if plan.headroom.spare_count else ""
    ax.set_xlabel(f"share in use, lower bounds{failure}")
    return finish(ax, [plan.answer.removesuffix(".")], label_above(ax, labels))


def _draw_parts(ax: "Axes", row: int, sure: float, whole: float, colour: str) -> None:
    """Draw a bar that is filled up to a value, and hatched from there on."""
    ax.barh(row, sure, BAR_RATIO, facecolor=colour, edgecolor="0.3")
    ax.barh(row, whole - sure, BAR_RATIO, sure, hatch="///", facecolor="white", edgecolor="0.3")
