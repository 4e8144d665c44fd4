"""Predictions and ratios of paths, drawn with matplotlib (extra ``plot``)."""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from netmodel._grades import Grade
from netmodel._numeric import ROUNDING_RATIO, Floats
from netmodel._numpy import np
from netmodel._predicted_text import rate_text
from netmodel._text import SENTENCE_DIGITS, ratio_text
from netmodel.errors import DomainError
from netmodel.path import Predicted, Prediction, RatioPrediction
from netmodel.report._frames import extra
from netmodel.report._path_text import Row, State, binding_names, rows_of, workload_text
from netmodel.report._plots import (
    BAND_ALPHA,
    BAR_RATIO,
    BESIDE,
    CAP_POINTS,
    DECADE,
    HEAD_INCHES,
    LABEL_CHARACTERS,
    NOTE_INCHES,
    PAGE_INCHES,
    PLOT_SIZE_INCHES,
    ROOM_RATIO,
    THIN_POINTS,
    draw_note,
    draw_notes,
)
from netmodel.units import BITS_PER_BYTE, format_rate

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from netmodel.judging._measured import MeasuredFigure

_AxisName: TypeAlias = Literal["x", "y"]


_POINTS_PER_INCH = 72
"""Of matplotlib."""
_LABEL_LINE_INCHES = 0.17
"""Height of a line of a label; a row has two at least, for its rate and what is in use."""
_RATIO_ROW_INCHES = 0.4
"""Height of a row of a ratio: two lines and a gap."""
_TITLE_CHARACTERS = 80
"""Characters of a title across a figure of 10 inches."""
_TICK_COUNT = 7
"""Most ticks that have room for rates with units."""
_LINE_STYLES = ("-", "--", "-.", ":")
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
_MEASURED_LOOK: dict[str, Any] = {"markersize": 9, "markeredgewidth": 2.5, "zorder": 5}
"""Marks of measured rates lie above all lines, and are larger than their width."""
_REGION_ALPHA = 0.1
"""Opacity of every other region: weaker than bands, which may lie over it."""
_NUMBER_POINTS = (4, 14)
"""Heights of the numbers of regions above the axes: where they are narrow, two rows."""
_LOG_ROOM_RATIO = 1.3
"""End of a logarithmic axis over its largest value: looks as wide as the linear margin."""
_LOOKS: dict[State, dict[str, Any]] = {
    State.BINDS: {"color": "tab:red", "hatch": "///"},
    State.MAY_BIND: {"color": "tab:orange", "hatch": ".."},
    State.HAS_ROOM: {"color": "lightsteelblue"},
}
_WEIGHTS = {State.BINDS: "bold", State.MAY_BIND: "normal", State.HAS_ROOM: "normal"}
_NARROW_RATIO = 0.05
"""Share of the width in which a number of a region fits."""
_TITLE_PAD_POINTS = 30
"""Room for two rows of numbers of regions below the title."""


def plot_path(prediction: Prediction | RatioPrediction, axes: "Axes | None" = None) -> "Axes":
    """
    Draw a path from client to server with every limit against the throughput.

    Parameters
    ----------
    prediction : Prediction or RatioPrediction
        Of one workload over one path.
    axes : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        One row for each stage in order, then those for the limits that are no
        stage. The bars are the limits, hatched where they are the bottleneck,
        and the vertical line is the predicted throughput. Of a ratio to a
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
    The triangles at the left are the directions to the server and back, where a
    transaction spends time at the stage. At the right stand the rate of each
    limit and the share of it in use. Where parameters are intervals,
    limits have error bars and the throughput has a band. The axis is
    logarithmic where limits differ by more than a decade.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    if isinstance(prediction, RatioPrediction):
        return _plot_ratio(prediction, axes)
    rows = rows_of(prediction)
    labels = [fill(row.label, LABEL_CHARACTERS) for row in rows]
    if axes is None:
        row_inches = _LABEL_LINE_INCHES * max(2, *(label.count("\n") + 1 for label in labels))
        height = HEAD_INCHES + row_inches * len(rows) + NOTE_INCHES * len(prediction.notes)
        axes = plt.subplots(layout="constrained", figsize=(PAGE_INCHES, height))[1]
    throughput_bps = prediction.throughput_bps.numbers()
    known = [*(row.rate for row in rows if row.rate), throughput_bps]
    _scale_rates(axes, "x", [end for rate in known for end in (rate.value, rate.low, rate.high)])
    for place, row in enumerate(rows):
        _draw_row(axes, place, row)
    _draw_lanes(axes, rows)
    if isfinite(throughput_bps.value):
        axes.axvline(throughput_bps.value, color="black")
        if throughput_bps.low != throughput_bps.high:
            high_bps = min(throughput_bps.high, axes.get_xlim()[1])
            axes.axvspan(throughput_bps.low, high_bps, color="black", alpha=BAND_ALPHA, linewidth=0)
    binding = " and ".join(binding_names(prediction))
    title = f"{prediction.throughput_text}; bottleneck: {binding}"
    axes.set(
        yticks=range(len(rows)),
        yticklabels=labels,
        ylim=(len(rows) - 0.5, -0.5),
        xlabel="payload rate: upper bounds",
        title=fill(title, _TITLE_CHARACTERS),
    )
    axes.set_ylabel("server ← client", loc="top", fontsize="small")
    axes.tick_params(axis="y", length=0, pad=_LABEL_PAD_POINTS)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight(_WEIGHTS[row.state])
    draw_notes(axes, prediction.notes)
    return axes


def plot_predictions(
    prediction: Prediction,
    values: Sequence[float],
    label: str,
    axes: "Axes | None" = None,
) -> "Axes":
    """
    Draw throughput and limits over a swept parameter, with the bottleneck in each region.

    Parameters
    ----------
    prediction : Prediction
        Prediction with one element for each value.
    values : sequence of float
        Swept values, in rising order.
    label : str
        Name of the parameter, with its unit in brackets.
    axes : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        A line for each limit, a thick one for the throughput with a band
        where it is uncertain, and numbered regions of the bottlenecks.

    Raises
    ------
    DomainError
        If the values are not two or more, do not rise, or are not as many as
        the prediction has.
    MissingExtraError
        If matplotlib is not installed.

    Notes
    -----
    A region ends halfway between values with different bottlenecks.
    The number above it stands before the name of its limit in the legend,
    where the limit that is highest at the right comes first; more than one
    number is a tie. Limits that are the same everywhere are one line. An axis is
    logarithmic where it has more than a decade.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    places = _rising(values, prediction)
    if axes is None:
        axes = plt.subplots(layout="constrained", figsize=PLOT_SIZE_INCHES)[1]
    throughput_bps = _along(prediction.throughput_bps, places)
    limits_bps = _merged(
        {name: _along(rate, places).value for name, rate in prediction.limit_rates_bps.items()}
    )
    most_bps = throughput_bps.value * (1 + ROUNDING_RATIO)
    binding = [
        tuple(name for name, rates_bps in limits_bps.items() if rates_bps[place] <= most)
        for place, most in enumerate(most_bps)
    ]
    ever = dict.fromkeys(chain.from_iterable(binding))
    numbers = {name: number for number, name in enumerate(ever, start=1)}
    _draw_limits(axes, places, limits_bps, numbers)
    style: dict[str, Any] = {"color": "black", "zorder": 1}
    thick: dict[str, Any] = {"linewidth": _THROUGHPUT_POINTS, "alpha": _THROUGHPUT_ALPHA}
    axes.plot(places, throughput_bps.value, label="upper bound", **thick, **style)
    if not np.allclose(throughput_bps.low, throughput_bps.high, rtol=ROUNDING_RATIO, atol=0):
        band = (throughput_bps.low, throughput_bps.high)
        style |= {"alpha": BAND_ALPHA, "linewidth": 0}
        axes.fill_between(places, *band, label="parameter ranges", **style)
    axes.set(xlabel=label, ylabel="payload rate")
    axes.set_title("Upper bounds of the throughput, not values", pad=_TITLE_PAD_POINTS)
    if places[0] > 0 and places[-1] > DECADE * places[0]:
        _logarithmic(axes, "x", places[0], places[-1])
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlim(places[0], places[-1])
    ends_bps = (throughput_bps.value, throughput_bps.low, throughput_bps.high)
    _scale_rates(axes, "y", np.ravel([*limits_bps.values(), *ends_bps]))
    _draw_regions(axes, places, binding, numbers)
    title = "number: bottleneck there"
    axes.legend(**BESIDE, fontsize="small", title=title, title_fontsize="small")
    draw_notes(axes, prediction.notes)
    return axes


def plot_measured(
    axes: "Axes",
    predictions: Sequence[Prediction],
    figures: "Sequence[Sequence[MeasuredFigure]]",
) -> None:
    """
    Mark measured figures of exactly these cases in a plot of predictions.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Axes of `plot_path` for one prediction, of `plot_predictions` for more that
        differ in the number of connections.
    predictions : sequence of Prediction
        The drawn predictions.
    figures : sequence of sequence of MeasuredFigure
        Figures of `netmodel.judging.measured_beside` for each.
    """
    counts: list[Any] = []
    rates_bps: list[float] = []
    for prediction, own in zip(predictions, figures, strict=True):
        scales = {
            "throughput_bps": 1.0,
            "transaction_rate_tps": BITS_PER_BYTE * float(prediction.traffic.payload_bytes),
        }
        for figure in own:
            is_measured = figure.grade is Grade.MEASURED and figure.is_exact_case
            is_rate = figure.baseline is None and figure.quantity in scales
            if is_measured and is_rate and figure.value is not None:
                counts.append(prediction.traffic.connection_count)
                rates_bps.append(figure.value * scales[figure.quantity])
    if not rates_bps:
        return
    style: dict[str, Any] = {"color": "tab:green", "label": "measured"}
    if len(predictions) == 1:
        for rate_bps in rates_bps:
            axes.axvline(rate_bps, linestyle=":", **style)
        if axes.get_xscale() == "log":
            axes.set_xlim(left=min(axes.get_xlim()[0], min(rates_bps) / 2))
        axes.legend(loc="lower right", fontsize="small")
        return
    axes.plot(counts, rates_bps, "x", **_MEASURED_LOOK, **style)
    axes.set_ylim(bottom=min(axes.get_ylim()[0], min(rates_bps) / 2))
    legend = axes.get_legend()
    title = legend.get_title().get_text() if legend else None
    axes.legend(**BESIDE, fontsize="small", title=title, title_fontsize="small")


# One prediction


def _draw_row(axes: "Axes", place: int, row: Row) -> None:
    """The bar of a limit, its range, and its rate at the right."""
    text = row.note
    if row.rate is not None and row.use is not None:
        rate, (least, most) = row.rate, axes.get_xlim()
        if rate.value > 0:
            width = min(rate.value, most)
            look = {"edgecolor": "white", "linewidth": 0, **_LOOKS[row.state]}
            axes.barh(place, width, height=BAR_RATIO, **look)
        if rate.low != rate.high:
            ends = [[max(rate.low, least)], [min(rate.high, most)]]
            middle = min(max(rate.value, least), most)
            spread = [[middle - ends[0][0]], [ends[1][0] - middle]]
            style: dict[str, Any] = {"color": "black", "capsize": CAP_POINTS, "linewidth": 1}
            axes.errorbar(middle, place, xerr=spread, **style)
        use = f", {row.use.value:.1%} in use" if isfinite(row.use.value) else ""
        sign = rate.bound.sign if isfinite(rate.value) else ""
        text = f"{sign}{rate_text(rate.value)}{use}"
        if row.state is not State.HAS_ROOM:
            text = f"{text}, {row.state.value}"
    draw_note(axes, place, text, weight=_WEIGHTS[row.state])


def _draw_lanes(axes: "Axes", rows: list[Row]) -> None:
    """Both directions, between the names and the bars."""
    from matplotlib.transforms import ScaledTranslation

    places = [place for place, row in enumerate(rows) if row.is_stage]
    directions = (("v", [row.to_server for row in rows]), ("^", [row.to_client for row in rows]))
    scale = axes.figure.dpi_scale_trans
    for offset, (marker, takes_time) in zip(_LANES_POINTS, directions, strict=True):
        transform = axes.get_yaxis_transform() + ScaledTranslation(
            offset / _POINTS_PER_INCH, 0, scale
        )
        style: dict[str, Any] = {"transform": transform, "clip_on": False, "color": "dimgrey"}
        ends = [places[0] - _LANE_END, places[-1] + _LANE_END]
        axes.plot([0, 0], ends, linewidth=THIN_POINTS, **style)
        marked = [place for place in places if takes_time[place]]
        axes.plot([0] * len(marked), marked, marker, markersize=_LANE_MARK_POINTS, **style)
    if len(places) < len(rows):
        axes.axhline(len(places) - 0.5, color="grey", linewidth=THIN_POINTS, linestyle=":")


# A sweep


def _rising(values: Sequence[float], prediction: Prediction) -> "npt.NDArray[np.float64]":
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


def _draw_limits(
    axes: "Axes",
    places: "npt.NDArray[np.float64]",
    limits_bps: dict[str, Floats],
    numbers: dict[str, int],
) -> None:
    """In the legend as they end at the right, the highest first."""
    from_the_top = sorted(limits_bps.items(), key=lambda entry: -entry[1][-1])
    for order, (name, rates_bps) in enumerate(from_the_top):
        binds = name in numbers
        axes.plot(
            places,
            np.where(np.isfinite(rates_bps), rates_bps, np.nan),
            color=f"C{order % 10}",
            linestyle=_LINE_STYLES[order % len(_LINE_STYLES)],
            linewidth=2 if binds else 1,
            label=fill(f"{numbers[name]}: {name}" if binds else name, LABEL_CHARACTERS),
        )


def _draw_regions(
    axes: "Axes",
    places: "npt.NDArray[np.float64]",
    binding: list[tuple[str, ...]],
    numbers: dict[str, int],
) -> None:
    """Where each limit is binding, its number above."""
    is_log = axes.get_xscale() == "log"
    to_axis, from_axis = (np.log, np.exp) if is_log else (np.asarray, np.asarray)
    on_axis = to_axis(places)
    changes = [place for place in range(1, len(places)) if binding[place] != binding[place - 1]]
    inner = [(on_axis[place - 1] + on_axis[place]) / 2 for place in changes]
    edges = [on_axis[0], *inner, on_axis[-1]]
    is_narrow = min(np.diff(edges)) < _NARROW_RATIO * (edges[-1] - edges[0])
    for order, (place, (start, end)) in enumerate(zip([0, *changes], pairwise(edges), strict=True)):
        if order % 2:
            axes.axvspan(*from_axis([start, end]), color="grey", alpha=_REGION_ALPHA, linewidth=0)
        axes.annotate(
            ", ".join(map(str, sorted(numbers[name] for name in binding[place]))),
            (float(from_axis((start + end) / 2)), 1),
            xytext=(0, _NUMBER_POINTS[bool(order % 2 and is_narrow)]),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            ha="center",
            fontsize="small",
            fontweight="bold",
        )


# Both


def _scale_rates(axes: "Axes", name: _AxisName, rates_bps: Iterable[float]) -> None:
    """Ticks with their unit, and a logarithmic axis for more than a decade."""
    known = [float(rate) for rate in rates_bps if isfinite(rate) and rate > 0]
    axis, set_limits = (axes.xaxis, axes.set_xlim) if name == "x" else (axes.yaxis, axes.set_ylim)
    if known and max(known) > DECADE * min(known):
        _logarithmic(axes, name, min(known), max(known))
        set_limits(min(known) / 2, max(known) * _LOG_ROOM_RATIO)
    elif known:
        set_limits(0, max(known) * ROOM_RATIO)
    axis.set_major_formatter(
        lambda rate_bps, _: format_rate(rate_bps, SENTENCE_DIGITS) if rate_bps else "0"
    )
    axis.set_tick_params(labelsize="small")


def _logarithmic(axes: "Axes", name: _AxisName, least: float, most: float) -> None:
    from matplotlib.ticker import LogLocator

    axes.set(**{f"{name}scale": "log"})
    axis = axes.xaxis if name == "x" else axes.yaxis
    is_short = most < DECADE**2 * least
    steps = (1, 2, 5) if is_short else (1,)  # of a decade: 1, 2 and 5 are about evenly apart
    axis.set_major_locator(LogLocator(subs=steps, numticks=_TICK_COUNT))
    axis.set_minor_formatter("")


def _plot_ratio(prediction: RatioPrediction, axes: "Axes | None") -> "Axes":
    """A bar for the ratio of each part, with its range, and the reference at 1."""
    with extra("plot"):
        import matplotlib.pyplot as plt

    prediction.require_one()
    if axes is None:
        rows_inches = _RATIO_ROW_INCHES * len(prediction.ratios)
        height = HEAD_INCHES + rows_inches + NOTE_INCHES * len(prediction.notes)
        axes = plt.subplots(layout="constrained", figsize=(PAGE_INCHES, height))[1]
    value, low, high = prediction.ratio_to_reference.numbers()
    for place, predicted in enumerate(prediction.ratios.values()):
        ratio = predicted.numbers()
        ends = [[ratio.value - ratio.low], [ratio.high - ratio.value]]
        axes.barh(place, ratio.value, height=BAR_RATIO, color="lightsteelblue")
        axes.errorbar(ratio.value, place, xerr=ends, color="black", capsize=CAP_POINTS, linewidth=1)
        draw_note(axes, place, ratio_text(ratio.value, ratio.low, ratio.high))
    axes.axvline(1, color="black")
    axes.axvspan(low, high, color="black", alpha=BAND_ALPHA, linewidth=0)
    names = [fill(f"bottleneck: {name}", LABEL_CHARACTERS) for name in prediction.ratios]
    workload = workload_text(prediction.traffic, prediction.mtu_bytes)
    title = f"{ratio_text(value, low, high)} times that with {prediction.reference}: {workload}"
    most = max(1.0, high, *(ratio.high for ratio in prediction.ratios.values()))
    axes.set(
        yticks=range(len(names)),
        yticklabels=names,
        ylim=(len(names) - 0.5, -0.5),
        xlim=(0, ROOM_RATIO * most),
        xlabel="throughput over that of the reference",
        title=fill(title, _TITLE_CHARACTERS),
    )
    draw_notes(axes, prediction.notes)
    return axes
