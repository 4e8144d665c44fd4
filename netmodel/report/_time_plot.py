"""Time of a transaction over connections, drawn with matplotlib (extra ``plot``)."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from netmodel._grades import Grade
from netmodel._numeric import ROUNDING_RATIO, Floats, of_plain_numbers
from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.path import Prediction
from netmodel.report._band_plot import DATA_LOOK, EXPECTED_LOOK
from netmodel.report._figure import (
    BAND_ALPHA,
    BEYOND,
    draw_notes,
    draw_title,
    legend_beside,
    new_axes,
    number_ticks,
    time_ticks,
    with_plain_names,
)
from netmodel.report._path_plots import (
    EXPECTED,
    EXPECTED_ALPHA,
    EXPECTED_LOOKS,
    LOWER_BOUND,
    MEASURED_LOOK,
    UPPER_BOUND,
    along,
    bound_name,
    bounds_title,
    draw_knee,
    expected_range_name,
    fastest_run_bps,
    rising_places,
    source_of,
)
from netmodel.report._path_text import case_text
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.judging._measured import MeasuredFigure

_BOUND_LOOK: dict[str, Any] = {"color": "black", "linewidth": 6, "alpha": 0.35, "zorder": 1}
"""As wide and grey as the bound in plots of rates: other lines stay visible in it."""


@with_plain_names
@of_plain_numbers
def plot_transaction_times(
    prediction: Prediction,
    counts: Sequence[float],
    figures: "Sequence[MeasuredFigure]" = (),
    ax: "Axes | None" = None,
) -> "Axes":
    """
    Draw the time of a transaction over the number of connections, with its bounds.

    Parameters
    ----------
    prediction : Prediction
        With one element for each number, of connections that wait for answers.
    counts : sequence of float
        Numbers of connections, in rising order.
    figures : sequence of MeasuredFigure, optional
        Of `netmodel.judging.measured_beside`: measured times and rates of exactly this case
        are marked.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The lower bound of the time as a thick grey line, light grey what no run falls below.
        Where they are known: the expected time with its range, the upper bound, and what
        published statements leave of it. A broken vertical line is the knee.

    Raises
    ------
    DomainError
        If connections do not wait, their number is not known, or the numbers are not as many
        as the prediction has.
    MissingExtraError
        If matplotlib is not installed.

    Notes
    -----
    Little's law turns a rate into a time, :math:`R = N / X - Z_{think}`. Where parts of a path
    are not modelled, the lower bound is that of the others alone.

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> import numpy as np
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> delay = Stage(name="delay", to_server=Times(per_message_s=50e-6), parallel_count=None)
    >>> counts = np.arange(1, 21)
    >>> traffic = Traffic(1000, 500, connection_count=counts)
    >>> prediction = predict_path(Path(stages=(cpu, delay)), traffic, mtu_bytes=1500)
    >>> plot_transaction_times(prediction, counts).get_ylabel()
    'time of a transaction'
    """
    places = rising_places(counts, prediction)
    traffic = prediction.traffic
    if not traffic.waits or traffic.connection_count is None:
        raise DomainError("times need connections that wait for answers, and their number")
    payload_bits = BITS_PER_BYTE * traffic.payload_bytes

    def time_of(rate_bps: Any) -> Floats:
        """Little's law."""
        with np.errstate(divide="ignore"):
            times_s = places * payload_bits / np.asarray(rate_bps, float) - traffic.think_time_s
        return np.broadcast_to(times_s, places.shape)

    ax = new_axes() if ax is None else ax
    # (1) all that is drawn, which the axis has room for
    lower_s = time_of(prediction.throughput_bps.value)
    fewest_s = time_of(fastest_run_bps(prediction))
    expected, bounds = prediction.expected, prediction.transaction_rate_bounds_tps
    upper_s = None if bounds is None else time_of(bounds.low * payload_bits)
    measured = [
        (figure.connection_count, time_s)
        for figure in figures
        if (time_s := _time_of(figure, prediction)) is not None
    ]
    bands = prediction.bands([*places]).bands
    rates_bps = np.broadcast_to(np.asarray(prediction.throughput_bps.value), places.shape)
    known = [
        (place, cut)
        for place, band, rate_bps in zip(places, bands, rates_bps, strict=True)
        if band is not None and (cut := band.below(float(rate_bps)))
    ]
    shown = [lower_s, fewest_s, *(time_s for _, time_s in measured)]
    if upper_s is not None:
        shown.append(upper_s)
    if expected is not None:
        shown += [expected.transaction_time_s.low, expected.transaction_time_s.high]
    shown += [ends for _, band in known if (ends := band.transaction_time_s) is not None]
    times_s = np.concatenate([np.ravel(np.asarray(each, float)) for each in shown])
    number_ticks(ax, "x", places[0], places[-1], is_whole=bool(np.all(places % 1 == 0)))
    time_ticks(ax, "y", times_s)
    ax.set_xlim(places[0], places[-1])
    # (2) what no run reaches, what statements leave, and the bounds
    look = {"label": "no run is faster", **BEYOND}
    ax.fill_between(places, ax.get_ylim()[0], fewest_s, **look)
    for name, of_band in (("transaction_time_s", DATA_LOOK), ("expected_time_s", EXPECTED_LOOK)):
        ranges = [
            (place, *times)
            for place, band in known
            if (times := getattr(band, name)) is not None and isfinite(times.high)
        ]
        if len(ranges) > 1:
            at, fast_s, slow_s = zip(*ranges, strict=True)
            ax.fill_between(at, fast_s, slow_s, **of_band)
    ax.plot(places, lower_s, label=bound_name(LOWER_BOUND, prediction), **_BOUND_LOOK)
    low_s = time_of(prediction.throughput_bps.high)
    high_s = time_of(prediction.throughput_bps.low)
    band_look: dict[str, Any] = {"color": "black", "alpha": BAND_ALPHA, "linewidth": 0}
    if not np.allclose(low_s, high_s, rtol=ROUNDING_RATIO, atol=0):
        ax.fill_between(places, low_s, high_s, label="parameter ranges", **band_look)
    expected_look = band_look | {"alpha": EXPECTED_ALPHA}
    # (3) the expected time, between them
    if expected is not None:
        time = along(expected.transaction_time_s, places)
        ax.plot(places, time.value, label=EXPECTED, **EXPECTED_LOOKS[EXPECTED])
        if not np.allclose(time.low, time.high, rtol=ROUNDING_RATIO, atol=0):
            label = f"{EXPECTED}, {expected_range_name(expected)}"
            ax.fill_between(places, time.low, time.high, label=label, **expected_look)
    if upper_s is not None:
        ax.plot(places, upper_s, label=UPPER_BOUND, **EXPECTED_LOOKS[LOWER_BOUND])
    draw_knee(ax, prediction, places)
    if measured:
        drawn = [each for each in figures if _time_of(each, prediction) is not None]
        ax.plot(*zip(*measured, strict=True), **MEASURED_LOOK | {"label": source_of(drawn)})
    ax.set(xlabel="connections", ylabel="time of a transaction")
    draw_title(
        ax,
        case_text(prediction.path.name, traffic, prediction.mtu_bytes),
        f"Expected time of a transaction if {expected.assumption}, and its bounds"
        if expected is not None
        else bounds_title("Lower bounds of the time of a transaction", prediction),
    )
    legend_beside(ax)
    draw_notes(ax, prediction.notes)
    return ax


def _time_of(figure: "MeasuredFigure", prediction: Prediction) -> float | None:
    """A measured time of exactly this case, also of a rate; None of anything else."""
    if figure.grade is not Grade.MEASURED or figure.baseline is not None or not figure.value:
        return None
    if not figure.is_exact_case or figure.connection_count is None:
        return None
    if figure.quantity == "transaction_time_s":
        return figure.value
    bits = {
        "throughput_bps": BITS_PER_BYTE * float(prediction.traffic.payload_bytes),
        "transaction_rate_tps": 1.0,
    }.get(figure.quantity)
    if bits is None:
        return None
    return figure.connection_count * bits / figure.value - float(prediction.traffic.think_time_s)
