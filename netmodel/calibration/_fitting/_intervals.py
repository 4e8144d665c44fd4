"""Intervals of parameters and predictions: how far they go among parameters that are likely."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import numpy as np

from netmodel._estimates import Estimate
from netmodel.calibration._fitting._problem import Problem
from netmodel.calibration._fitting._quantities import LinearQuantities, Quantities, quantities
from netmodel.calibration._fitting._region import Region, Sums
from netmodel.calibration._fitting._search import Optimum
from netmodel.calibration._model import Floats, Point
from netmodel.calibration._scatter import NOISE_UNKNOWN
from netmodel.errors import CalibrationError

__all__ = ["Intervals", "Threshold"]

_FEW = 3
"""Observations of which the ends that rounding may have take so few values."""
_NO_MORE = 1e-9
"""Part of the way from a bound to a parameter that is rounding of the search."""


class Threshold(Enum):
    """
    How much less likely parameters may be than the likeliest, to lie within an interval.

    ``SMALL_SAMPLE`` takes into account that the noise is found from few observations:
    for n of them and p parameters, twice the log-likelihood may be less by
    ``n ln(1 + t²/(n - p))``, t of Student's distribution with n - p degrees of freedom.
    That is exact for figures, normal noise and a linear model. ``ASYMPTOTIC`` is
    chi-square, which holds for many observations. Both are the same where the noise is
    known.
    """

    SMALL_SAMPLE = "small_sample"
    ASYMPTOTIC = "asymptotic"


@dataclass(frozen=True)
class Intervals:
    """
    Intervals about an optimum.

    Parameters
    ----------
    problem : Problem
        What was seen.
    optimum : Optimum
        Likeliest parameters.
    level_ratio : float
        How often intervals should contain what they are about.
    threshold : Threshold
        How few observations are taken into account.
    """

    problem: Problem
    optimum: Optimum
    level_ratio: float
    threshold: Threshold

    @property
    def is_undetermined(self) -> bool:
        """Whether nothing tells how large the noise is."""
        return self.problem.noise_sd is None and (
            self.problem.degrees_of_freedom < 1
            or self.problem.is_noiseless(self.optimum.likely.noise_sd)
        )

    @property
    def is_hardly_determined(self) -> bool:
        """
        Whether parameters are to be told apart with a single degree of freedom for the noise.

        Intervals of parameters then end within their bounds only where the noise looks
        small by chance, and those that do miss the truth in up to 2 of 10 cases.
        Predictions do not reach bounds, and keep their level.
        """
        return (
            self.problem.noise_sd is None
            and self.problem.degrees_of_freedom == 1
            and len(self.problem.bounds[0]) > 1
        )

    def parameter(self, place: int) -> Estimate:
        """One parameter; where a bound holds it, only the other end is open to chance."""
        coefficients = np.zeros((1, len(self.optimum.parameters)))
        coefficients[0, place] = 1
        at_bound = bool(self.optimum.is_active[place])
        value = float(self.optimum.parameters[place])
        sums = Sums(coefficients, np.zeros(1))
        if self.is_hardly_determined:
            return _about(value, *self._ends_within_bounds(sums))
        low, high = self._ends(sums, at_bound)
        least = float(self.problem.bounds[0][place])
        return _about(value, least if low - least < _NO_MORE * (value - least) else low, high)

    def prediction(self, point: Point) -> Estimate:
        """A quantity of the model."""
        there = quantities(self.problem.model, [point], self.problem.typical)
        value = float(there.values(self._of_model(self.optimum.parameters))[0])
        if not isinstance(there, LinearQuantities):
            return _about(value, *self._ends_of_curve(there, value))
        low, high = self._ends(self._sums(there))
        if there.is_rate[0]:
            low, high = _inverse(high), _inverse(low)
        return _about(value, low, high)

    def edge(self, count: int, places: Sequence[int]) -> Floats:
        """Parameters as far as the region goes in so many directions of those at some places."""
        if self.is_undetermined:
            raise CalibrationError(f"no edge of the likelihood region: {NOISE_UNKNOWN}")
        return self._region.edge(count, places)

    def _ends(self, sums: Sums, is_at_bound: bool = False) -> tuple[float, float]:
        if self.is_undetermined:
            return self._ends_within_bounds(sums)
        region = self._region_at_bound if is_at_bound else self._region
        (low, has_no_least), (high, has_no_most) = region.least_of(sums), region.most_of(sums)
        least, most = self._ends_within_bounds(sums)
        return least if has_no_least else max(low, least), most if has_no_most else min(high, most)

    def _ends_within_bounds(self, sums: Sums) -> tuple[float, float]:
        """Of the largest of sums, wherever the parameters are within their bounds."""
        low, high = self.problem.bounds
        takes_part = sums.coefficients != 0
        corners = [
            np.where(takes_part, np.where((sums.coefficients > 0) == up, high, low), 0.0)
            for up in (False, True)
        ]
        least, most = (
            float(((sums.coefficients * corner).sum(axis=1) + sums.constants).max())
            for corner in corners
        )
        return least, most

    def _ends_of_curve(self, there: Quantities, value: float) -> tuple[float, float]:
        if self.is_undetermined:
            return 0.0, math.inf

        def smooth(parameters: Floats) -> tuple[float, Floats]:
            of_model = self._of_model(parameters)
            slopes = np.zeros(len(parameters))
            slopes[: len(of_model)] = there.slopes(of_model)[0]
            return float(there.values(of_model)[0]), slopes

        low, has_no_least = self._region.most(smooth, -1.0)
        high, has_no_most = self._region.most(smooth)
        return 0.0 if has_no_least else low, math.inf if has_no_most else high

    def _of_model(self, parameters: Floats) -> Floats:
        return parameters[: len(self.problem.model.parameters)]

    def _sums(self, there: LinearQuantities) -> Sums:
        """Those of one point that can be its largest, among all parameters of the problem."""
        rows = np.column_stack([there.coefficients[0], there.constants[0]])
        rows = np.unique(rows, axis=0)
        if (self.problem.bounds[0][: rows.shape[1] - 1] >= 0).all():
            rows = rows[[not _is_below_another(rows, place) for place in range(len(rows))]]
        others = len(self.optimum.parameters) - rows.shape[1] + 1
        return Sums(np.pad(rows[:, :-1], ((0, 0), (0, others))), rows[:, -1])

    @cached_property
    def _region(self) -> Region:
        return self._region_of(self.level_ratio)

    @cached_property
    def _region_at_bound(self) -> Region:
        """For a parameter that its bound keeps from half of its chances."""
        return self._region_of(max(0.0, 2 * self.level_ratio - 1))

    def _region_of(self, level_ratio: float) -> Region:
        """
        That of a level; of few figures with rounding as far as it may have moved them.

        Few rounded figures take few values, and where the truth is near an end of one of them
        likely ones differ by more than a likelihood that is even between the ends allows: down
        to 8 of 10 intervals then held it. More figures even that out.
        """
        problem, optimum = self.problem, self.optimum
        if problem.noise_sd is not None and len(problem.observed) <= _FEW:
            problem = replace(problem, is_rounding_free=True)
            likely = optimum.likely._replace(
                log_likelihood=problem.log_likelihood(optimum.parameters)
            )
            optimum = optimum._replace(likely=likely)
        return Region(problem, optimum, self._loss(level_ratio))

    def _loss(self, level_ratio: float) -> float:
        """How much less twice the log-likelihood may be."""
        from scipy.special import chdtri, stdtrit

        if self.problem.noise_sd is not None or self.threshold is Threshold.ASYMPTOTIC:
            return float(chdtri(1, 1 - level_ratio))
        degrees, count = self.problem.degrees_of_freedom, len(self.problem.informative)
        student = float(stdtrit(degrees, (1 + level_ratio) / 2))
        return count * math.log1p(student**2 / degrees)


def _about(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, min(value, low), max(value, high))


def _inverse(load: float) -> float:
    return 1 / load if load > 0 else math.inf


def _is_below_another(rows: Floats, place: int) -> bool:
    """Whether a sum is nowhere larger than another, for parameters that are not negative."""
    others = np.delete(rows, place, axis=0)
    return bool((others >= rows[place]).all(axis=1).any())
