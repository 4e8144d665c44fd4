"""Methods of CPU cost over connections.

`rate_power` takes the logarithm of a cost as a level, a slope over that of the rate, and a smooth
function of the logarithm of the number of connections: a Gaussian process. How far slopes and
deviations spread comes from other series.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from benchmarks.accuracy.general import log_log, related_ratio
from benchmarks.accuracy.methods import (
    Fitted,
    Known,
    Predicted,
    Uses,
    curve,
    method,
    scenarios_without,
    with_errors_of_others,
)
from benchmarks.accuracy.series import COSTS, COUNT, RATE, Floats, Quantity, Series, series_of
from netmodel._estimates import LEVEL_DEVIATIONS, Estimate
from netmodel.calibration import Point
from netmodel.calibration._leave_out import REFUSALS, Predictor
from netmodel.calibration._observed import Conditions
from netmodel.errors import CalibrationError, DomainError
from netmodel.path import Joint
from netmodel.path._by_connections import joint_by_connections

method("falling cost, c = a + b / sqrt(X)", *COSTS)(curve("falling-cost", RATE))


@method("as netmodel predicts from records", *COSTS)
def as_predicted(known: Known) -> Predictor:
    """Times of a record by connections, which hold at the measured numbers."""
    if known.own.counts.size > len(set(known.own.counts)):
        raise CalibrationError("figures of different series have no curve of a single one")
    counts = [int(count) for count in known.own.counts]
    times = {count: [(float(cost),)] for count, cost in zip(counts, known.own.figures, strict=True)}
    (parameter,) = joint_by_connections("cost", times, counts[0])

    def estimate(conditions: Conditions) -> Estimate:
        values = parameter.at(float(conditions[COUNT]))
        assert isinstance(values, Joint)
        known_values = [float(np.asarray(value)) for value in values.values]
        return Estimate(known_values[0], min(known_values), max(known_values))

    return Predicted(estimate)


# --- a power of the rate and a smooth deviation ---------------------------------------------------

LEVEL_VARIANCE = 25.0
"""Of ln(cost): any level in any unit, as e^5 either way covers all of a table."""
START = np.log([0.3, 0.1, 1.0, 0.02])
"""
Round guesses of `Spreads`: a slope of 0.3 up or down, 10 % of deviation over a factor e, and 2 %.
"""
SETTLED = {"ftol": 1e-13, "gtol": 1e-8}
"""Ends of the search, near the rounding of its sums: the table is the same on any processor."""
START_SPREAD = 1.5
"""Of the logarithm of each: a factor of 4.5 either way is within a standard deviation."""


class CostSeries(NamedTuple):
    """Costs of a series beside numbers of connections and rates; all of them as logarithms."""

    counts: Floats
    rates: Floats
    costs: Floats

    @classmethod
    def of(cls, series: Series) -> "CostSeries":
        """Logarithms of the figures of a series."""
        rates = np.array([float(each.at[RATE]) for each in series.observed])
        return cls(np.log(series.counts), np.log(rates), np.log(series.figures))


class Spreads(NamedTuple):
    """
    Standard deviations between series.

    `slope` of d ln(cost) / d ln(rate), `deviation` of ln(cost) from that line, `reach` how many
    ln(connections) a deviation lasts, and `noise` of a figure, its rounding included.
    """

    slope: float
    deviation: float
    reach: float
    noise: float


def covariance(row: CostSeries, column: CostSeries, spreads: Spreads, centre: float) -> Floats:
    distance = row.counts[:, None] - column.counts[None, :]
    slopes = np.outer(row.rates - centre, column.rates - centre)
    near = np.exp(-(distance**2) / (2 * spreads.reach**2))
    return np.asarray(LEVEL_VARIANCE + spreads.slope**2 * slopes + spreads.deviation**2 * near)


def spreads_of(series: Sequence[CostSeries]) -> Spreads:
    """Most likely spreads of these series, each with a level of its own."""

    def unlikely(logs: Floats) -> float:
        spreads = Spreads(*np.exp(logs))
        result = 0.5 * float(np.sum(((logs - START) / START_SPREAD) ** 2))
        for each in series:
            centre = float(each.rates.mean())
            level = float(each.costs.mean())
            matrix = covariance(each, each, spreads, centre)
            matrix += spreads.noise**2 * np.eye(len(each.costs))
            factor = cho_factor(matrix, lower=True)
            rest = each.costs - level
            result += 0.5 * float(rest @ cho_solve(factor, rest))
            result += float(np.log(np.diag(factor[0])).sum())
        return result

    found = minimize(unlikely, START, method="L-BFGS-B", jac="3-point", options=SETTLED)
    return Spreads(*np.exp(found.x))


def predicted_log(own: CostSeries, wanted: CostSeries, spreads: Spreads) -> tuple[float, float]:
    """ln(cost) at one number and rate, and its standard deviation."""
    centre = float(own.rates.mean())
    level = float(own.costs.mean())
    noise = spreads.noise**2
    matrix = covariance(own, own, spreads, centre) + noise * np.eye(len(own.costs))
    across = covariance(wanted, own, spreads, centre)[0]
    factor = cho_factor(matrix, lower=True)
    value = level + float(across @ cho_solve(factor, own.costs - level))
    variance = float(covariance(wanted, wanted, spreads, centre)[0, 0])
    variance += noise - float(across @ cho_solve(factor, across))
    return value, float(np.sqrt(variance))


@cache
def spreads_without(quantity: Quantity, scenarios: frozenset[int]) -> Spreads:
    """Of all series but those of some scenarios."""
    return spreads_of(
        [CostSeries.of(each) for each in series_of(quantity) if each.scenario not in scenarios]
    )


@method("power of the rate, smooth deviation over N", *COSTS, uses=Uses.OTHERS)
def rate_power(known: Known) -> Predictor:
    """A power of the rate, with an exponent and deviations as other scenarios have them."""
    if not known.own.observed:
        raise CalibrationError("no figure sets the level of the cost")
    spreads = spreads_without(known.own.quantity, scenarios_without(known.others))
    own = CostSeries.of(known.own)

    def estimate(conditions: Conditions) -> Estimate:
        count, rate = (np.log([float(conditions[name])]) for name in (COUNT, RATE))
        log, deviation = predicted_log(own, CostSeries(count, rate, np.zeros(1)), spreads)
        reach = LEVEL_DEVIATIONS * deviation
        return Estimate(math.exp(log), math.exp(log - reach), math.exp(log + reach))

    return Predicted(estimate)


# --- means of methods -----------------------------------------------------------------------------

PRINTED_RATIO = 0.01
"""Of costs with two or three digits; no method is better than that, however well it does."""
UNTRIED_RATIO = 0.3
"""Taken as the error of a method that the series has too few figures to try."""


def weighted(*parts: Fitted) -> Fitted:
    """
    Geometric mean of methods, by how well each predicts the figures that are given.

    Each figure of the series is predicted from the others. A method weighs by one over the square
    of its mean error, in which figures near to what is asked for count more: by one over the
    distance in ln N.
    """

    def predictor(known: Known) -> Predictor:
        own = known.own
        if not own.observed:
            raise CalibrationError("no figure to try methods on")
        tried: list[tuple[Predictor, list[tuple[float, float]]]] = []
        for part in parts:
            errors = []
            for place, left in enumerate(own.observed):
                rest = own.without(place)
                try:
                    result = part(known._replace(own=rest))
                    value = result.predict(Point(left.quantity, left.at)).value
                except (*REFUSALS, DomainError, ValueError):
                    continue
                if value is not None and value > 0:
                    errors.append((float(left.at[COUNT]), abs(math.log(value / left.low))))
            try:
                tried.append((part(known), errors))
            except (*REFUSALS, DomainError, ValueError):
                continue

        def value_at(conditions: Conditions) -> float:
            logs, weights = [], []
            for attempt, errors in tried:
                value = attempt.predict(Point(own.quantity.value, conditions)).value
                if value is None or value <= 0:
                    continue
                mean = UNTRIED_RATIO
                if errors:
                    near = [
                        1 / abs(math.log(count / float(conditions[COUNT]))) for count, _ in errors
                    ]
                    mean = float(np.average([error for _, error in errors], weights=near))
                logs.append(math.log(value))
                weights.append((mean + PRINTED_RATIO) ** -2)
            return math.exp(float(np.average(logs, weights=weights)))

        return Predicted(lambda conditions: Estimate(value_at(conditions), math.nan, math.nan))

    return predictor


method("mean of interpolation and power of the rate", Quantity.TOTAL, uses=Uses.OTHERS)(
    with_errors_of_others(weighted(log_log, rate_power))
)
method(
    "mean of interpolation, power of the rate, and related ratio",
    Quantity.TOTAL,
    uses=Uses.RELATED,
)(with_errors_of_others(weighted(log_log, rate_power, related_ratio)))
