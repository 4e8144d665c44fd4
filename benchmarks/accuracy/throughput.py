"""Methods of throughput: forms of other programs, curves of netmodel, forms shrunk to others."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import least_squares, nnls

from benchmarks.accuracy.general import beside, for_own_series, labelled, log_log
from benchmarks.accuracy.methods import (
    Fitted,
    Known,
    Predicted,
    Uses,
    bounded,
    by_workload,
    curve,
    method,
    over,
    remembered,
    single_estimate,
    with_errors_of_others,
    without_interval,
)
from benchmarks.accuracy.series import COUNT, Floats, Quantity, Series
from netmodel._estimates import Estimate
from netmodel.calibration import Observed, Point, calibrate, curve_model
from netmodel.calibration._choices import values_of
from netmodel.calibration._leave_out import REFUSALS, Predictor
from netmodel.calibration._observed import Conditions
from netmodel.concurrency import single_stage_rate_tps

TRANSACTION_RATE = "transaction_rate_tps"

# --- forms of other programs, and curves of netmodel, from the series alone -----------------------

method("Universal Scalability Law", Quantity.THROUGHPUT)(
    bounded(
        lambda n, alone, contention, coherency: (
            alone * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
        ),
        (0.1, 0.05, 1e-4),
        (0.5, 0.5, 1e-3),
    )
)
method("exact MVA, one queue and a delay", Quantity.THROUGHPUT)(
    bounded(
        lambda n, stage, delay: np.asarray(single_stage_rate_tps(stage, n, delay)),
        (1.0, 10.0),
        (0.5, 1.0),
    )
)
square_roots = by_workload(
    # the norm with the exponent 1/2, fixed beforehand: two parameters, which two figures set
    bounded(
        lambda n, delay, stage: n / (np.sqrt(delay) + np.sqrt(stage * n)) ** 2,
        (10.0, 1.0),
        (2.0, 0.5),
    ),
    # a plateau says nothing of one stream: it is taken to be as fast as several
    bounded(lambda n, alone, level: np.minimum(n * alone, level), (1.0, 1.0)),
)
method("square roots, sqrt(R) = sqrt(Z) + sqrt(D N)", Quantity.THROUGHPUT, uses=Uses.INTERVAL)(
    with_errors_of_others(remembered(square_roots), is_alone=True)
)
method("power, R = Z + c N^0.8", Quantity.THROUGHPUT)(curve("power"))
method("amortised, R = Z + N (d + w / (1 + N / n0))", Quantity.THROUGHPUT)(curve("amortised"))
method("saturation, X = min(N / R0, C)", Quantity.THROUGHPUT)(curve("saturation"))
method("Universal Scalability Law, curve of netmodel", Quantity.THROUGHPUT)(curve("scalability"))

RUN_RATIO = 0.01
"""How much a run scatters in itself, a round number: plateaus of these series differ by less."""


@method("range of saturation, power and interpolation", Quantity.THROUGHPUT)
def range_of_curves(known: Known) -> Predictor:
    """
    The median of the models that two figures set, and the range of all of them.

    A sharp knee, requests in batches and a straight line, without any error to judge them by: what
    `--model auto` could say of two figures, which it refuses.
    """
    fits: list[Predictor] = [log_log(known)]
    for name in ("saturation", "power"):
        model = curve_model(name, known.own.quantity.value, COUNT)
        try:
            fits.append(over(COUNT, values_of(model))(known))
        except REFUSALS:
            continue

    def estimate(conditions: Conditions) -> Estimate:
        point = Point(known.own.quantity.value, conditions)
        values = [single_estimate(each.predict(point)).value for each in fits]
        low, high = min(values) * (1 - RUN_RATIO), max(values) * (1 + RUN_RATIO)
        return Estimate(float(np.median(values)), low, high)

    return Predicted(estimate)


# --- streams: a knee ------------------------------------------------------------------------------


def line_or_level(own: Series, level: float) -> tuple[float, float]:
    """D and g of 1 / X = D + g N in relative errors, neither below zero, without one stream."""
    several = own.counts > 1
    if not several.any():
        return 1 / level, 0.0
    counts, figures = own.counts[several], own.figures[several]
    columns = np.column_stack([np.ones_like(counts), counts])[:, : min(2, len(counts))]
    slowness = nnls(columns * figures[:, None], np.ones_like(figures))[0]
    return float(slowness[0]), float(slowness[1]) if len(slowness) > 1 else 0.0


def knee_at(own: Series, alone: float, least_s: float, growing_s: float) -> Predicted:
    """X(N) = min(N X(1), 1 / (D + g N), line)."""
    return without_interval(
        lambda count: min(count * alone, 1 / (least_s + growing_s * count), own.line_rate_bps)
    )


def rate_of_one(own: Series) -> float | None:
    """The figure of one stream, where it is known."""
    alone = own.figures[own.counts == 1]
    return float(alone.mean()) if len(alone) else None


def knee_alone(known: Known) -> Predictor:
    """
    A knee of the series alone.

    Streams that do not speed each other up, and do not get slower by more of them, leave
    X(n) / n <= X(1) <= X(n) for one stream beside the fewest known ones, n: it is predicted in the
    middle of that range, which is all that the figures identify.
    """
    own = known.own
    least_s, growing_s = line_or_level(own, own.line_rate_bps)
    alone = rate_of_one(own)
    if alone is None:
        fewest = own.counts.min()
        alone = float(own.figures[own.counts == fewest].mean() * (1 + 1 / fewest) / 2)
    return knee_at(own, alone, least_s, growing_s)


def knee_of_others(known: Known) -> Predictor:
    """
    A knee whose unknown parts are as in other scenarios.

    Without a figure for one connection, X(1) / C is the median of the other scenarios, since one
    of them differs from all others. Without any figure, C is as near the line as theirs.
    """
    own = known.own
    alone_ratio = float(np.median([each.figures[0] / each.figures.max() for each in known.alike]))
    line_ratio = float(np.median([each.figures.max() / each.line_rate_bps for each in known.alike]))
    least_s, growing_s = line_or_level(own, line_ratio * own.line_rate_bps)
    alone = rate_of_one(own)
    if alone is None:
        alone = alone_ratio / least_s
    return knee_at(own, alone, least_s, growing_s)


# --- requests: batches ----------------------------------------------------------------------------

LEAST_FOR_BATCHING = 4
"""Figures that leave a degree of freedom beside the three parameters of batching."""


def batching_or_power(known: Known) -> Predictor:
    """R = Z + N (d + w / sqrt(N)) if a figure is left to test it, R = Z + c N^0.8 otherwise."""
    name = "batching" if len(known.own.observed) >= LEAST_FOR_BATCHING else "power"
    return over(COUNT, values_of(curve_model(name, known.own.quantity.value, COUNT)))(known)


method("batching or power, and knee", Quantity.THROUGHPUT, uses=Uses.INTERVAL)(
    with_errors_of_others(remembered(by_workload(batching_or_power, knee_alone)), is_alone=True)
)

PRIOR_LOG_SPREAD = 0.2
"""
Standard deviation of a parameter between scenarios, as a logarithm: 20 %, a round number.

Half and twice as much change the error of the table by less than a tenth of it.
"""
FIGURE_LOG_NOISE = 0.005
"""Standard deviation of a figure about the form, as a logarithm: half a per cent, likewise."""


def batching_time(parameters: Floats, counts: Floats) -> Floats:
    """R(N) = Z + N (d + w / sqrt(N)), the parameters as logarithms."""
    delay, shared, least = np.exp(parameters)
    return np.asarray(delay + counts * (least + shared / np.sqrt(counts)))


def norm_time(parameters: Floats, counts: Floats) -> Floats:
    """R(N) = (Z^p + (D N)^p)^(1/p), likewise."""
    delay, stage, p = parameters[0], parameters[1], math.exp(parameters[2])
    return np.asarray(np.exp(np.logaddexp(p * delay, p * (stage + np.log(counts))) / p))


def pooled(time: Callable[[Floats, Floats], Floats], shape: Sequence[float]) -> Fitted:
    """
    A form of the time of requests, with parameters that are alike in all scenarios.

    `shape` is where the search begins: parameters in units of the time of one connection, where
    they are times. The search ends at the same place from others.
    """

    def predictor(known: Known) -> Predictor:
        groups = [each for each in (*known.alike, known.own) if each.observed]
        times = [(each.counts, each.counts / each.figures) for each in groups]
        scale = float(np.median([measured.min() for _, measured in times]))
        start = np.log(shape)
        size = len(start)

        def residuals(values: Floats) -> Floats:
            mean, *own = values.reshape(-1, size)
            parts = [
                np.concatenate(
                    [
                        np.log(time(each, counts) * scale / measured) / FIGURE_LOG_NOISE,
                        (each - mean) / PRIOR_LOG_SPREAD,
                    ]
                )
                for each, (counts, measured) in zip(own, times, strict=True)
            ]
            return np.concatenate(parts)

        result = least_squares(residuals, np.tile(start, len(groups) + 1))
        mean, *own = result.x.reshape(-1, size)
        parameters = own[-1] if known.own.observed else mean
        return without_interval(
            lambda count: count / (scale * float(time(parameters, np.array([count]))[0]))
        )

    return remembered(predictor)


method("batching or power, and one stream as in others", Quantity.THROUGHPUT, uses=Uses.OTHERS)(
    with_errors_of_others(by_workload(remembered(batching_or_power), knee_of_others))
)
for _form, _requests in {
    "batching": pooled(batching_time, (0.8, 0.2, 0.03)),
    "norm": pooled(norm_time, (0.8, 0.03, 0.6)),
}.items():
    method(f"{_form} and knee, shrunk to others", Quantity.THROUGHPUT, uses=Uses.OTHERS)(
        with_errors_of_others(by_workload(_requests, knee_of_others))
    )

# --- the choice of netmodel -----------------------------------------------------------------------


@method("chosen model (auto)", Quantity.THROUGHPUT)
def auto(known: Known) -> Predictor:
    """`--model auto` of the series alone: a curve over connections, or log-log interpolation."""
    return choice(known, ())


@method("chosen model (auto), related series among them", Quantity.THROUGHPUT, uses=Uses.RELATED)
def auto_with_related(known: Known) -> Predictor:
    """`--model auto --related` of the other layer."""
    return choice(known, beside(known))


def choice(known: Known, related: Sequence[Observed]) -> Predictor:
    """The model chosen by left-out figures: requests and streams both as rates."""
    own, others = (
        [replace(each, quantity=TRANSACTION_RATE) for each in seen]
        for seen in (labelled(known.own), related)
    )
    return for_own_series(known, calibrate(own, "auto", related=others), TRANSACTION_RATE)
