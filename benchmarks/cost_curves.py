"""CPU cost over connections as a power of the rate and a smooth deviation, with its interval.

The logarithm of a cost is a level, a slope over that of the rate, and a smooth function of the
logarithm of the number of connections: a Gaussian process. How far slopes and deviations spread
comes from other series.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

Floats: TypeAlias = NDArray[np.float64]

_LEVEL_VARIANCE = 25.0
"""Of ln(cost): any level in any unit, as e^5 either way covers all of a table."""
_START = np.log([0.3, 0.1, 1.0, 0.02])
"""
Round guesses of `Spreads`: a slope of 0.3 up or down, 10 % of deviation over a factor e, and 2 %.
"""
_START_SPREAD = 1.5
"""Of the logarithm of each: a factor of 4.5 either way is within a standard deviation."""


class CostSeries(NamedTuple):
    """Costs of a series beside numbers of connections and rates; all of them as logarithms."""

    counts: Floats
    rates: Floats
    costs: Floats

    @classmethod
    def of(cls, counts: Floats, rates: Floats, costs: Floats) -> "CostSeries":
        """From plain figures."""
        return cls(np.log(counts), np.log(rates), np.log(costs))


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


def _covariance(one: CostSeries, other: CostSeries, spreads: Spreads, centre: float) -> Floats:
    distance = one.counts[:, None] - other.counts[None, :]
    slopes = np.outer(one.rates - centre, other.rates - centre)
    near = np.exp(-(distance**2) / (2 * spreads.reach**2))
    return np.asarray(_LEVEL_VARIANCE + spreads.slope**2 * slopes + spreads.deviation**2 * near)


def spreads_of(series: Sequence[CostSeries]) -> Spreads:
    """Most likely spreads of these series, each with a level of its own."""

    def unlikely(logs: Floats) -> float:
        spreads = Spreads(*np.exp(logs))
        result = 0.5 * float(np.sum(((logs - _START) / _START_SPREAD) ** 2))
        for each in series:
            centre = float(each.rates.mean())
            level = float(each.costs.mean())
            matrix = _covariance(each, each, spreads, centre)
            matrix += spreads.noise**2 * np.eye(len(each.costs))
            factor = cho_factor(matrix, lower=True)
            rest = each.costs - level
            result += 0.5 * float(rest @ cho_solve(factor, rest))
            result += float(np.log(np.diag(factor[0])).sum())
        return result

    return Spreads(*np.exp(minimize(unlikely, _START, method="L-BFGS-B").x))


def predicted_log(own: CostSeries, wanted: CostSeries, spreads: Spreads) -> tuple[float, float]:
    """ln(cost) at one number and rate, and its standard deviation."""
    centre = float(own.rates.mean())
    level = float(own.costs.mean())
    noise = spreads.noise**2
    matrix = _covariance(own, own, spreads, centre) + noise * np.eye(len(own.costs))
    across = _covariance(wanted, own, spreads, centre)[0]
    factor = cho_factor(matrix, lower=True)
    value = level + float(across @ cho_solve(factor, own.costs - level))
    variance = float(_covariance(wanted, wanted, spreads, centre)[0, 0])
    variance += noise - float(across @ cho_solve(factor, across))
    return value, float(np.sqrt(variance))
