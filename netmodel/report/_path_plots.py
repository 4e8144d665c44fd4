"""Predictions and ratios of paths, drawn with matplotlib (extra ``plot``)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any

from netmodel._estimates import Bound
from netmodel._numeric import ROUNDING_RATIO, FloatOrArray, Floats, of_plain_numbers
from netmodel._numpy import np
from netmodel._predicted_text import rate_text
from netmodel._text import fixed_percent, printable
from netmodel.errors import DomainError
from netmodel.path import Predicted, Prediction
from netmodel.report._figure import (
    BAND_ALPHA,
    BAR_RATIO,
    BEYOND,
    CAP_POINTS,
    DECADE,
    LABEL_CHARACTERS,
    LINE_STYLES,
    ROOM_RATIO,
    THIN_POINTS,
    draw_above,
    draw_beside,
    draw_notes,
    draw_title,
    legend_beside,
    new_axes,
    number_ticks,
    own_figure,
    rate_ticks,
    short_name,
    tick_text,
    with_plain_names,
)
from netmodel.report._path_text import Row, State, binding_names, case_text, rows_of
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes


_POINTS_PER_INCH = 72
"""Of matplotlib."""
_LABEL_LINE_INCHES = 0.17
"""Height of a line of a label; a row has two at least, for its rate and what is in use."""
_MIN_ROW_COUNT = 3
"""As high as the text of the axis that names client and server."""
_LANES_POINTS = (-16.0, -6.0)
"""Place of both directions left of the axes."""
_LABEL_PAD_POINTS = 24
"""Distance of names from the axes: the two directions stand between."""
_LANE_END = 0.4
"""A lane begins and ends near the edge of its first and last row, which is 0.5 away."""
_LANE_MARK_POINTS = 6
"""Size of the triangles: two of them stand side by side."""
_THROUGHPUT_POINTS, _THROUGHPUT_ALPHA = 7, 0.35
"""Width and opacity of the throughput in a sweep: the limit that sets it stays visible in it."""
_EXPECTED, _LOWER_BOUND, _UPPER_BOUND = "expected", "lower bound", "upper bound"
_EXPECTED_ALPHA = 0.4
"""Opacity of the band of the expected value: darker than the bands of bounds."""
_EXPECTED_LOOKS: dict[str, dict[str, Any]] = {
    _EXPECTED: {"color": "black", "linewidth": 2, "zorder": 4},
    _LOWER_BOUND: {"color": "black", "linewidth": 1, "linestyle": (0, (1, 1)), "zorder": 4},
}
"""The expected value is the line to read; limits stand behind it."""
_PUBLISHED_LOOK: dict[str, Any] = {
    "color": "tab:green",
    "label": "published",
    "linestyle": "none",
    "clip_on": False,
    "marker": "x",
    "markersize": 9,
    "markeredgewidth": 2.5,
    "zorder": 5,
}
"""Printed rates are points above all lines, and larger than the width of these."""
_BOUNDED_LOOK = _PUBLISHED_LOOK | {"label": "bound by a printed ratio", "marker": "v"}
_LOOKS: dict[State, dict[str, Any]] = {
    State.BINDS: {"color": "tab:red", "hatch": "///"},
    State.MAY_BIND: {"color": "tab:orange", "hatch": ".."},
    State.HAS_ROOM: {"color": "lightsteelblue"},
}
_WEIGHTS = {State.BINDS: "bold", State.MAY_BIND: "normal", State.HAS_ROOM: "normal"}
_NARROW_RATIO = 0.05
"""Share of the width in which a number of a region fits."""
_ROOM_TO_RISE = 1.5
"""Of the height, how far a rising limit is followed above all that matters."""
_FEW_VALUES = 20
"""So few values are marked: what lies between them is a straight line, and no prediction."""
_KNEE_DIGITS = 2
"""Curves bend over a range of connections, so that the place of a knee is no better known."""
_LEGEND_CHARACTERS = 34
"""Longer names take several lines: the curves keep two thirds of the width."""
_NO_RUN_IS_FASTER = "no run is faster"


@with_plain_names
def plot_path(prediction: Prediction, ax: "Axes | None" = None) -> "Axes":
    """
    Draw a path from client to server with every limit against the throughput.

    Parameters
    ----------
    prediction : Prediction
        Of one workload over one path.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        One row for each stage that takes time, in order, then those for the
        limits that are no stage. The bars are the limits, hatched where they are
        the bottleneck. The vertical line is the upper bound of the throughput. Light
        grey is what no run reaches at any values of the parameters. Of a ratio to a
        reference: a bar for each part that may be the bottleneck in both cases,
        the line is the reference, and the band the ratio of the whole.

    Raises
    ------
    DomainError
        If the prediction has arrays.
    MissingExtraError
        If matplotlib is not installed.

    Notes
    -----
    The title has the names of path and workload. The triangles at the left are the
    directions to the server and back, where a transaction spends time at the stage. At
    the right stand the rate of each limit and the share of it in use. Where parameters
    are intervals, limits have error bars and the throughput has a band. The axis is
    logarithmic where limits differ by more than a decade. What has no value is left out,
    and notes after the third: the text of the prediction has them.

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> prediction = predict_path(Path(stages=(cpu,)), Traffic(1000, 500), mtu_bytes=1500)
    >>> plot_path(prediction).get_xlabel()
    'payload rate: upper bounds'
    """
    rows = [row for row in rows_of(prediction) if _has_value(row)]
    labels = [fill(short_name(row.label), LABEL_CHARACTERS) for row in rows]
    row_inches = _LABEL_LINE_INCHES * max(2, *(label.count("\n") + 1 for label in labels), 2)
    ax = new_axes() if ax is None else ax
    throughput_bps = prediction.throughput_bps.numbers()
    known = [*(row.rate for row in rows if row.rate), throughput_bps]
    has_mean = any(rate.bound is Bound.MEAN for rate in known)
    run_bps = float(_fastest_run_bps(prediction))
    ends_bps = [end for rate in known for end in (rate.value, rate.low, rate.high)]
    rate_ticks(ax, "x", [*ends_bps, run_bps])
    for place, row in enumerate(rows):
        _draw_row(ax, place, row)
    _draw_lanes(ax, rows)
    if isfinite(throughput_bps.value):
        ax.axvline(throughput_bps.value, color="black")
        end_bps = ax.get_xlim()[1]
        if run_bps < end_bps:
            ax.axvspan(run_bps, end_bps, **BEYOND)
        if throughput_bps.low != throughput_bps.high:
            high_bps = min(throughput_bps.high, end_bps)
            ax.axvspan(throughput_bps.low, high_bps, color="black", alpha=BAND_ALPHA, linewidth=0)
        kind = "mean" if throughput_bps.bound is Bound.MEAN else _UPPER_BOUND
        draw_above(ax, throughput_bps.value, f"{kind}; light grey: {_NO_RUN_IS_FASTER}")
    binding = " and ".join(binding_names(prediction))
    draw_title(
        ax,
        case_text(prediction.path.name, prediction.traffic, prediction.mtu_bytes),
        f"{prediction.throughput_text}; bottleneck: {binding}",
        label_rows=1,
    )
    ax.set(
        yticks=range(len(rows)),
        yticklabels=[*map(printable, labels)],
        ylim=(len(rows) - 0.5, -0.5),
        xlabel="payload rate: upper bounds" + (", mean of loss" if has_mean else ""),
    )
    ax.set_ylabel("server ← client", loc="top", fontsize="small")
    ax.tick_params(axis="y", length=0, pad=_LABEL_PAD_POINTS)
    for label, row in zip(ax.get_yticklabels(), rows, strict=True):
        label.set_fontweight(_WEIGHTS[row.state])
    draw_notes(ax, prediction.notes, row_inches * max(_MIN_ROW_COUNT, len(rows)))
    return ax


@with_plain_names
@of_plain_numbers
def plot_predictions(
    prediction: Prediction,
    values: Sequence[float],
    label: str,
    ax: "Axes | None" = None,
) -> "Axes":
    """
    Draw throughput and limits over a swept parameter, with the bottleneck in each region.

    Parameters
    ----------
    prediction : Prediction
        Prediction with one element for each value.
    values : sequence of float
        Swept values, in rising order; the closer, the more exact is what lies between.
    label : str
        Name of the parameter, with its unit in brackets.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        A line for each limit, a thick one for the upper bound of the throughput with
        a band where it is uncertain, and numbered regions of the bottlenecks. Where there is
        an expected value, it and a known lower bound are black lines. A broken vertical
        line is the knee. What
        no run reaches at any values of the parameters is light grey.

    Raises
    ------
    DomainError
        If the values are not two or more, do not rise, or are not as many as
        the prediction has.
    MissingExtraError
        If matplotlib is not installed.

    Notes
    -----
    A region ends halfway between values with different bottlenecks, and the bound has
    a bend where the lines of these cross. The number above a region stands before the name
    of its limit in the legend, where the limit that is highest at the right comes first; more
    than one number is a tie. Limits that are the same everywhere are one line; of those
    that are everywhere more than ten times the highest throughput, the legend has the
    names only. An axis is logarithmic where it has more than a decade.

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
    # printed bounds hold at single values, not between them: `plot_published` marks them
    prediction = replace(prediction, published_limit=None)
    places = _rising_places(values, prediction)
    ax = new_axes() if ax is None else ax
    throughput_bps = _along(prediction.throughput_bps, places)
    limits = {name: _along(rate, places) for name, rate in prediction.limit_rates_bps.items()}
    limits_bps = _merged({name: rate.value for name, rate in limits.items()})
    most_bps = throughput_bps.value * (1 + ROUNDING_RATIO)
    binding = [
        tuple(name for name, rates_bps in limits_bps.items() if rates_bps[place] <= most)
        for place, most in enumerate(most_bps)
    ]
    ever = dict.fromkeys(chain.from_iterable(binding))
    numbers = {name: number for number, name in enumerate(ever, start=1)}
    # (1) limits that are far above all else would press the rest into the lowest part
    top_bps = DECADE * max(_finite(throughput_bps.value, throughput_bps.high), default=np.inf)
    far = [
        name
        for name, rates_bps in limits_bps.items()
        if name not in numbers and np.isfinite(rates_bps).any() and min(rates_bps) > top_bps
    ]
    drawn_bps = {
        name: rates_bps
        for name, rates_bps in limits_bps.items()
        if name not in far and np.isfinite(rates_bps).any()
    }
    # (2) axes first: where lines cross depends on their scales
    is_whole = bool(np.all(places % 1 == 0))
    number_ticks(ax, "x", places[0], places[-1], is_whole=is_whole)
    ax.set_xlim(places[0], places[-1])
    ends_bps = (throughput_bps.value, throughput_bps.low, throughput_bps.high)
    # a limit that rises far leaves the axes: the lowest of each is in them, and all of the bound
    highest = max([*map(min, drawn_bps.values()), *_finite(*ends_bps)], default=np.inf)
    shown_bps = _finite(*drawn_bps.values(), *ends_bps)
    expected_bps = _expected_lines_bps(prediction, places)
    if expected_bps:
        shown_bps += _finite(*expected_bps.values())
    rate_ticks(ax, "y", [rate for rate in shown_bps if rate <= _ROOM_TO_RISE * highest])
    # (3) the bound and its range, with a bend where two limits cross between two values
    at, (value, low, high) = _with_bends(ax, places, limits)
    _draw_limits(ax, places, drawn_bps, numbers)
    style: dict[str, Any] = {"color": "black", "zorder": 1}
    thick: dict[str, Any] = {"linewidth": _THROUGHPUT_POINTS, "alpha": _THROUGHPUT_ALPHA}
    if len(places) <= _FEW_VALUES:
        thick |= {"marker": "o", "markevery": [*np.searchsorted(at, places)]}
    ax.plot(at, value, label=_bound_name(_UPPER_BOUND, prediction), **thick, **style)
    if not np.allclose(low, high, rtol=ROUNDING_RATIO, atol=0):
        style |= {"alpha": BAND_ALPHA, "linewidth": 0}
        ax.fill_between(at, low, high, label="parameter ranges", **style)
    for name, rates_bps in expected_bps.items():
        ax.plot(places, rates_bps, label=name, **_EXPECTED_LOOKS[name])
    if expected_bps and prediction.expected is not None:
        band = _along(prediction.expected.throughput_bps, places)
        if not np.allclose(band.low, band.high, rtol=ROUNDING_RATIO, atol=0):
            band_look: dict[str, Any] = {"color": "black", "alpha": _EXPECTED_ALPHA, "linewidth": 0}
            ranges = f"{_EXPECTED}, parameter ranges"
            ax.fill_between(places, band.low, band.high, label=ranges, **band_look)
    _draw_knee(ax, prediction, places)
    run_bps = np.broadcast_to(_fastest_run_bps(prediction), places.shape)
    run_bps, end_bps = np.fmax(high, np.interp(at, places, run_bps)), ax.get_ylim()[1]
    look = {"label": _NO_RUN_IS_FASTER, **BEYOND}
    ax.fill_between(at, run_bps, end_bps, where=[*(run_bps < end_bps)], **look)
    ax.set(xlabel=label, ylabel="payload rate")
    label_rows = _draw_regions(ax, places, binding, numbers)
    draw_title(
        ax,
        case_text(prediction.path.name, prediction.traffic, prediction.mtu_bytes),
        f"Expected throughput if {prediction.expected.assumption}, and its bounds"
        if prediction.expected is not None
        else _bounds_title("Upper bounds of the throughput", prediction),
        label_rows=label_rows,
    )
    if far:
        names = fill(", ".join(map(short_name, far)), _LEGEND_CHARACTERS)
        # text only, after all samples
        invisible: dict[str, Any] = {"alpha": 0, "linewidth": 0}
        far_label = f"over {DECADE:g} times higher:\n{names}"
        ax.fill_between(at, value, value, label=far_label, **invisible)
    legend_beside(ax, "number above: bottleneck there")
    draw_notes(ax, prediction.notes)
    return ax


@with_plain_names
def plot_published(ax: "Axes", predictions: Sequence[Prediction]) -> None:
    """
    Mark the rates that documents print of exactly these cases in a plot of predictions.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes of `plot_path` for one prediction, of `plot_predictions` for more that
        differ in the number of connections.
    predictions : sequence of Prediction
        The drawn predictions.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.report import plot_path
    >>> prediction = netmodel.predict(
    ...     path="zvm-vswitch-layer3-1gbe", workload="awm-rr", mtu_bytes=1492, connections=10
    ... )
    >>> ax = plot_path(prediction)
    >>> plot_published(ax, [prediction])
    """
    printed: dict[Any, float] = {}
    bounded: dict[Any, float] = {}
    for each in predictions:
        count, rate_bps = each.traffic.connection_count, each.beside().rate_bps
        if rate_bps is not None:
            printed[count] = rate_bps
        elif each.bounded_by:
            bounded[count] = float(each.throughput_bps.value)
    rates_bps = [*printed.values(), *bounded.values()]
    if not rates_bps:
        return
    if len(predictions) == 1:
        _draw_published_row(ax, rates_bps, _BOUNDED_LOOK if bounded else _PUBLISHED_LOOK)
        return
    for points, look in ((printed, _PUBLISHED_LOOK), (bounded, _BOUNDED_LOOK)):
        if points:
            ax.plot([*points], [*points.values()], **look)
    if min(rates_bps) < ax.get_ylim()[0]:
        ax.set_ylim(bottom=min(rates_bps) / 2)
    legend = ax.get_legend()
    legend_beside(ax, legend.get_title().get_text() if legend else None)


# Both


def _expected_lines_bps(prediction: Prediction, places: Floats) -> dict[str, Floats]:
    """Expected value and lower bound of the throughput; none where the upper bound is alone."""
    expected, bounds = prediction.expected, prediction.transaction_rate_bounds_tps
    if expected is not None:
        is_known = np.isfinite(np.broadcast_to(expected.throughput_bps.value, places.shape))
        if not (is_known[1:] & is_known[:-1]).any():
            return {}  # printed figures at single places are no line: `plot_published` marks them
    lines: dict[str, FloatOrArray] = {}
    if expected is not None:
        lines[_EXPECTED] = expected.throughput_bps.value
        if bounds is not None:
            lines[_LOWER_BOUND] = bounds.low * BITS_PER_BYTE * prediction.traffic.payload_bytes
    return {name: np.broadcast_to(rate_bps, places.shape) for name, rate_bps in lines.items()}


def _bound_name(name: str, prediction: Prediction) -> str:
    """A bound in a legend, which is none where loss limits."""
    is_mean = prediction.throughput_bps.bound is Bound.MEAN
    return f"{name}, mean where loss limits" if is_mean else name


def _bounds_title(name: str, prediction: Prediction) -> str:
    """What bounds alone are in a title."""
    is_mean = prediction.throughput_bps.bound is Bound.MEAN
    return f"{name}, {'and its mean where loss limits' if is_mean else 'not values'}"


def _knee_count(prediction: Prediction, places: Floats) -> float | None:
    """
    Connections from which a bottleneck limits the rate, and no longer their number.

    The rate of a single connection times their number meets there the highest rate: that of
    the bounds. None outside the places, where these are no numbers of connections, and where no
    value is composed of service times.
    """
    count = prediction.traffic.connection_count
    if count is None or np.shape(count) != places.shape or not np.allclose(count, places):
        return None
    # where parts are not modelled, the bounds meet far below the knee
    if prediction.expected is None or prediction.is_known_as_whole:
        return None
    rates = {name: _along(rate, places).value for name, rate in prediction.limit_rates_bps.items()}
    rising = rates.pop("connections", None)
    if rising is None or not rates:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = np.log(rising) - np.log(np.fmin.reduce([*rates.values()]))
    crossed = np.flatnonzero((gaps[:-1] < 0) & (gaps[1:] >= 0))
    if not crossed.size:
        return None
    place = int(crossed[0])
    share = -gaps[place] / (gaps[place + 1] - gaps[place])
    return float(places[place] * (places[place + 1] / places[place]) ** share)


def _draw_knee(ax: "Axes", prediction: Prediction, places: Floats) -> None:
    """A vertical line at the knee, named in the legend."""
    knee = _knee_count(prediction, places)
    if knee is not None:
        look: dict[str, Any] = {"color": "black", "linestyle": (0, (8, 4)), "zorder": 2}
        name = f"knee: about {tick_text(float(f'{knee:.{_KNEE_DIGITS}g}'))} connections"
        ax.axvline(knee, linewidth=THIN_POINTS, label=name, **look)


def _fastest_run_bps(prediction: Prediction) -> Any:
    """
    No run is faster, whatever values the parameters have and however a hash spreads flows.

    Loss leaves a mean, which a run may exceed. Infinite where nothing else limits.
    """
    if not prediction.bounding_limits:
        return np.inf
    known = replace(prediction, limits=prediction.bounding_limits).throughput_bps
    others = (known.new_run_high, prediction.best_throughput_bps)
    result = known.high
    for other_bps in others:
        result = result if other_bps is None else np.maximum(result, other_bps)
    return result


# One prediction


def _has_value(row: Row) -> bool:
    """Whether it has a rate that limits, or a time."""
    if row.rate is not None:
        return isfinite(row.rate.value) or row.state is not State.HAS_ROOM
    return row.to_server or row.to_client


def _draw_row(ax: "Axes", place: int, row: Row) -> None:
    """The bar of a limit, its range, and its rate at the right."""
    text = row.note
    if row.rate is not None and row.use is not None:
        rate, (least, most) = row.rate, ax.get_xlim()
        if 0 < rate.value and isfinite(rate.value):
            width = min(rate.value, most)
            look = {"edgecolor": "white", "linewidth": 0, **_LOOKS[row.state]}
            ax.barh(place, width, height=BAR_RATIO, **look)
        if rate.low != rate.high:
            ends = [[max(rate.low, least)], [min(rate.high, most)]]
            middle = min(max(rate.value, least), most)
            spread = [[middle - ends[0][0]], [ends[1][0] - middle]]
            style: dict[str, Any] = {"color": "black", "capsize": CAP_POINTS, "linewidth": 1}
            ax.errorbar(middle, place, xerr=spread, **style)
        use = f", {fixed_percent(row.use.value, 1)} in use" if isfinite(row.use.value) else ""
        sign = rate.bound.sign if isfinite(rate.value) else ""
        text = f"{sign}{rate_text(rate.value)}{use}"
        if row.state is not State.HAS_ROOM:
            text = f"{text}, {row.state.value}"
    draw_beside(ax, place, text, weight=_WEIGHTS[row.state])


def _draw_lanes(ax: "Axes", rows: list[Row]) -> None:
    """Both directions, between the names and the bars."""
    from matplotlib.transforms import ScaledTranslation

    places = [place for place, row in enumerate(rows) if row.is_stage]
    if not places:
        return
    directions = (("v", [row.to_server for row in rows]), ("^", [row.to_client for row in rows]))
    scale = ax.figure.dpi_scale_trans
    for offset, (marker, takes_time) in zip(_LANES_POINTS, directions, strict=True):
        transform = ax.get_yaxis_transform() + ScaledTranslation(
            offset / _POINTS_PER_INCH, 0, scale
        )
        style: dict[str, Any] = {"transform": transform, "clip_on": False, "color": "dimgrey"}
        ends = [places[0] - _LANE_END, places[-1] + _LANE_END]
        ax.plot([0, 0], ends, linewidth=THIN_POINTS, **style)
        marked = [place for place in places if takes_time[place]]
        if marked:  # an empty line has a mark in a corner of the figure, for the layout
            ax.plot([0] * len(marked), marked, marker, markersize=_LANE_MARK_POINTS, **style)
    if len(places) < len(rows):
        ax.axhline(len(places) - 0.5, color="grey", linewidth=THIN_POINTS, linestyle=":")


def _draw_published_row(ax: "Axes", rates_bps: list[float], look: Mapping[str, Any]) -> None:
    """A row of points below those of the limits."""
    labels = [label.get_text() for label in ax.get_yticklabels()]
    weights = [label.get_fontweight() for label in ax.get_yticklabels()]
    row = len(labels)
    figure = own_figure(ax)
    if figure is not None:
        figure.set_figheight(figure.get_figheight() + 2 * _LABEL_LINE_INCHES)
    ax.plot(rates_bps, [row] * len(rates_bps), **look)
    ax.axhline(row - 0.5, color="grey", linewidth=THIN_POINTS, linestyle=":")
    ax.set(yticks=range(row + 1), yticklabels=[*labels, "published"], ylim=(row + 0.5, -0.5))
    for label, weight in zip(ax.get_yticklabels(), [*weights, "normal"], strict=True):
        label.set_fontweight(weight)
    least, most = ax.get_xlim()
    if ax.get_xscale() == "log":
        least = min(least, min(rates_bps) / 2)
    ax.set_xlim(least, max(most, ROOM_RATIO * max(rates_bps)))
    draw_beside(ax, row, ", ".join(map(rate_text, sorted(set(rates_bps)))))


# A sweep


def _rising_places(values: Sequence[float], prediction: Prediction) -> "npt.NDArray[np.float64]":
    """The values as an array, if they rise and the prediction has an element for each."""
    places = np.asarray(values, dtype=np.float64)
    shape = np.shape(prediction.throughput_bps.value)
    if places.ndim != 1 or shape not in {(), (1,), places.shape}:
        raise DomainError(
            f"the prediction has the shape {shape}, and the values have {places.shape}: "
            "one row of both is needed"
        )
    if places.size < 2 or not np.all(np.diff(places) > 0):
        raise DomainError("the values must be two or more, and rise")
    return places


def _finite(*rates_bps: Floats) -> list[float]:
    rates = np.concatenate([np.ravel(each) for each in rates_bps])
    return [float(rate) for rate in rates[np.isfinite(rates)]]


def _along(rate: Predicted, places: Floats) -> Predicted[Floats]:
    value, low, high = (
        np.broadcast_to(end, places.shape) for end in (rate.value, rate.low, rate.high)
    )
    return Predicted(value, low, high, rate.bound)


def _merged(limits_bps: dict[str, Floats]) -> dict[str, Floats]:
    """Limits that are the same everywhere as one, with both names."""
    names: list[list[str]] = []
    for name, rates_bps in limits_bps.items():
        for others in names:
            known_bps = limits_bps[others[0]]
            if np.allclose(known_bps, rates_bps, rtol=ROUNDING_RATIO, atol=0, equal_nan=True):
                others.append(name)
                break
        else:
            names.append([name])
    return {", ".join(same): limits_bps[same[0]] for same in names}


def _with_bends(
    ax: "Axes", places: Floats, limits: dict[str, Predicted[Floats]]
) -> tuple[Floats, list[Floats]]:
    """
    The smallest of all lines, and of the lower and upper ends, also where lines cross.

    Between two values a straight line to the next smallest would run below both lines
    that cross there.
    """
    is_log = [scale == "log" for scale in (ax.get_xscale(), ax.get_yscale())]
    forth = [np.log if log else np.asarray for log in is_log]
    back = [np.exp if log else np.asarray for log in is_log]
    with np.errstate(divide="ignore", invalid="ignore"):
        x = forth[0](places)
        ends = [
            np.array([forth[1](getattr(rate, end)) for rate in limits.values()])
            for end in ("value", "low", "high")
        ]
        added = [x]
        for lines in ends:
            smallest = np.argmin(lines, axis=0)
            (changes,) = np.nonzero(np.diff(smallest))
            for place in changes:
                first, second = lines[[smallest[place], smallest[place + 1]], place : place + 2]
                gap = second - first
                share = gap[0] / (gap[0] - gap[1])
                if 0 < share < 1:
                    added.append(x[place] + share * (x[place + 1] - x[place : place + 1]))
        at = np.unique(np.concatenate(added))
        smallest_ends = [
            back[1](np.fmin.reduce([np.interp(at, x, line) for line in lines])) for lines in ends
        ]
    # exactly the values of the prediction where it has them
    known = np.searchsorted(at, x)
    result = back[0](at).copy()
    result[known] = places
    for end, name in zip(smallest_ends, ("value", "low", "high"), strict=True):
        end[known] = np.min([getattr(rate, name) for rate in limits.values()], axis=0)
    return result, smallest_ends


def _draw_limits(
    ax: "Axes",
    places: "npt.NDArray[np.float64]",
    limits_bps: dict[str, Floats],
    numbers: dict[str, int],
) -> None:
    """In the legend as they end at the right, the highest first."""
    shown_bps = {name: rates[np.isfinite(rates)] for name, rates in limits_bps.items()}
    from_the_top = sorted(limits_bps.items(), key=lambda entry: -shown_bps[entry[0]][-1])
    for order, (name, rates_bps) in enumerate(from_the_top):
        binds, short = name in numbers, short_name(name)
        ax.plot(
            places,
            np.where(np.isfinite(rates_bps), rates_bps, np.nan),
            color=f"C{order % 10}",
            linestyle=LINE_STYLES[order % len(LINE_STYLES)],
            linewidth=2 if binds else 1,
            label=fill(f"{numbers[name]}: {short}" if binds else short, _LEGEND_CHARACTERS),
        )


def _draw_regions(
    ax: "Axes",
    places: "npt.NDArray[np.float64]",
    binding: list[tuple[str, ...]],
    numbers: dict[str, int],
) -> int:
    """Where each limit is binding, its number above; the rows that the numbers take."""
    is_log = ax.get_xscale() == "log"
    to_axis, from_axis = (np.log, np.exp) if is_log else (np.asarray, np.asarray)
    on_axis = to_axis(places)
    changes = [place for place in range(1, len(places)) if binding[place] != binding[place - 1]]
    inner = [(on_axis[place - 1] + on_axis[place]) / 2 for place in changes]
    edges = [on_axis[0], *inner, on_axis[-1]]
    is_narrow = min(np.diff(edges)) < _NARROW_RATIO * (edges[-1] - edges[0])
    for order, (place, (start, end)) in enumerate(zip([0, *changes], pairwise(edges), strict=True)):
        if order:
            ax.axvline(float(from_axis(start)), color="grey", linewidth=THIN_POINTS, linestyle=":")
        text = ", ".join(map(str, sorted(numbers[name] for name in binding[place])))
        middle = float(from_axis((start + end) / 2))
        draw_above(ax, middle, text, label_row=order % 2 if is_narrow else 0, weight="bold")
    return 2 if is_narrow else 1


# Ratios
