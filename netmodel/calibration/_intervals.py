"""Intervals: how far parameters and predictions go among parameters that are likely."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from netmodel._estimates import Estimate
from netmodel._numeric import Floats
from netmodel.calibration._models._base import Point
from netmodel.calibration._problem import LinearQuantities, Optimum, Problem, Quantities, quantities
from netmodel.calibration._scatter import NOISE_UNKNOWN
from netmodel.errors import CalibrationError

_Constraint: TypeAlias = Any
"""A dictionary as scipy takes it."""
_Smooth: TypeAlias = Callable[[Floats], tuple[float, Floats]]
_OPEN = 1e3
_TOLERANCE = 1e-9
_MOST_STEPS = 200
_MOST_HALVINGS = 40
_FAR_OUTSIDE = 4.0
_NEAR = 1e-5
_GAIN_RATIO = 1e-5
"""Of the radius: what a search from its own end gains no more is the end."""
_SCOUTS = 400
"""Draws that find another part of a region of two parameters where it has a tenth of the area."""
_SCOUTED_RADII = 4.0
"""How far out: with a figure at the line, regions were up to three radii long."""
_LARGEST_EXPONENT = 300.0
_NOT_FOUND = "the end of an interval cannot be found"
_FEW = 3
"""Observations of which the ends that rounding may have take so few values."""
_NO_MORE = 1e-9
"""Part of the way from a bound to a parameter that is rounding of the search."""


class Sums(NamedTuple):
    """
    Sums that are linear in the parameters, of which the largest is meant.

    Parameters
    ----------
    coefficients : numpy.ndarray
        Shape (sums, parameters).
    constants : numpy.ndarray
        Shape (sums,).
    """

    coefficients: Floats
    constants: Floats


@dataclass(frozen=True)
class Region:
    """
    All parameters whose log-likelihood is at most half a threshold below the largest.

    It is searched in coordinates about the optimum in which it is nearly a ball.

    Parameters
    ----------
    problem : Problem
        What was seen.
    optimum : Optimum
        Likeliest parameters.
    threshold : float
        Most of twice the loss of log-likelihood.
    """

    problem: Problem
    optimum: Optimum
    threshold: float

    @cached_property
    def axes(self) -> Floats:
        """Columns: how parameters change along each coordinate."""
        information = self.optimum.likely.information
        scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
        values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
        floored = np.maximum(values, 1e-10 * values.max())
        axes = vectors / np.sqrt(floored) / scale[:, np.newaxis]
        scaled: Floats = axes * np.array([self._reach_ratio(axis) for axis in axes.T])
        return scaled

    @cached_property
    def radius(self) -> float:
        """Of the ball that the region is where the log-likelihood is that of a linear model."""
        return math.sqrt(self._stretched(self.threshold))

    @np.errstate(all="ignore")
    def most(self, smooth: _Smooth, sign: float = 1.0) -> tuple[float, bool]:
        """
        Largest value of a smooth function (smallest for sign -1), and whether there is none.
        """
        centre, slope = smooth(self.optimum.parameters)
        along = slope @ self.axes
        reach = float(np.linalg.norm(along))
        if reach == 0:
            return centre, False
        if not math.isfinite(reach):
            raise CalibrationError(_NOT_FOUND)

        def loss(place: Floats) -> tuple[float, Floats]:
            value, slope = smooth(self._parameters(place))
            return -sign * (value - centre) / reach, -sign * (slope @ self.axes) / reach

        found = self._solve(loss, sign * self.radius * along / reach)
        return centre - sign * reach * loss(found)[0], self._is_open(found)

    def most_of(self, sums: Sums) -> tuple[float, bool]:
        """The largest value of the largest sum."""
        return max(self.most(_linear(*one)) for one in zip(*sums, strict=True))

    def least_of(self, sums: Sums) -> tuple[float, bool]:
        """The smallest value of the largest sum."""
        here = sums.coefficients @ self.optimum.parameters + sums.constants
        if not sums.coefficients[here.argmax()].any():
            return float(here.max()), False
        if len(sums.constants) == 1:
            return self.most(_linear(sums.coefficients[0], sums.constants[0]), -1.0)
        return self._least_of_several(sums)

    def edge(self, count: int, places: Sequence[int]) -> Floats:
        """
        Parameters as far as the region goes in so many directions, shape (count, parameters).

        The directions are spread evenly among the parameters at these places, whatever the
        others then are.
        """
        rows = self.axes[list(places)]
        even = np.linalg.solve(np.linalg.cholesky(rows @ rows.T), rows)
        return np.array([self._farthest(one @ even) for one in _directions(count, len(rows))])

    def _farthest(self, direction: Floats) -> Floats:
        start = self.radius * direction
        found = self._solve(lambda place: (-float(direction @ place), -direction), start)
        return self._parameters(found)

    def _least_of_several(self, sums: Sums) -> tuple[float, bool]:
        """With one more coordinate, which no sum may exceed."""
        rows = sums.coefficients @ self.axes
        centres = sums.coefficients @ self.optimum.parameters + sums.constants
        reach = float(np.linalg.norm(rows, axis=1).max())
        if reach == 0:
            return float(centres.max()), False
        binding = rows[centres.argmax()]
        start = -self.radius * binding / max(float(np.linalg.norm(binding)), 1e-300)
        base = centres.max()
        slope = np.append(np.zeros(rows.shape[1]), 1.0)

        def with_top(place: Floats) -> Floats:
            return np.append(place, ((centres + rows @ place).max() - base) / reach)

        below = {
            "type": "ineq",
            "fun": lambda place: place[-1] - (centres - base + rows @ place[:-1]) / reach,
            "jac": lambda place: np.column_stack([-rows / reach, np.ones(len(rows))]),
        }
        found = self._solve(lambda place: (place[-1], slope), start, with_top, below)
        return float((centres + rows @ found[: rows.shape[1]]).max()), self._is_open(found)

    def _solve(
        self,
        loss: _Smooth,
        start: Floats,
        completed: Callable[[Floats], Floats] = np.copy,
        *constraints: _Constraint,
    ) -> Floats:
        """The least loss in the region, from the start, one nearer to the optimum, or a scout."""
        first = self._brought_inside(start)
        starts = [completed(part * first) for part in (0.1, 0.5, 1.0)]
        best, is_settled = self._descended(loss, completed(first), starts, constraints)
        here = loss(completed(np.zeros(len(first))))[0]
        is_found = is_settled or loss(best)[0] < here
        scouts = (completed(one) for one in self._scouts) if self._is_uneven or not is_found else ()
        farthest = min(scouts, key=lambda one: loss(one)[0], default=best)
        if loss(farthest)[0] < loss(best)[0] - _GAIN_RATIO * self.radius:
            best, is_settled = self._descended(loss, farthest, [farthest], constraints)
        if not is_settled and not loss(best)[0] < here:
            raise CalibrationError(_NOT_FOUND)
        return best

    def _descended(
        self,
        loss: _Smooth,
        best: Floats,
        starts: list[Floats],
        constraints: Sequence[_Constraint],
    ) -> tuple[Floats, bool]:
        """The best of what is reached from starts, the last first, and whether it is an end."""
        from scipy.optimize import minimize

        far, width, size = _OPEN * self.radius, len(best), len(self.axes)
        while starts:
            with np.errstate(all="ignore"):
                found = minimize(
                    loss,
                    starts.pop(),
                    jac=True,
                    method="SLSQP",
                    bounds=[(-far, far)] * size + [(None, None)] * (width - size),
                    constraints=[self._inside(width), *self._bounds(width), *constraints],
                    options={"ftol": _TOLERANCE, "maxiter": _MOST_STEPS},
                )
            if self._is_inside(found.x) and loss(found.x)[0] <= loss(best)[0]:
                gained = loss(best)[0] - loss(found.x)[0]
                best = found.x
                if found.success:
                    if gained <= _GAIN_RATIO * self.radius:
                        return best, True
                    starts.append(best)
        return best, False

    @property
    def _is_uneven(self) -> bool:
        """
        Whether several limits of the model may be the largest.

        Beyond where a figure would be at the line, the region may go on to where no search
        from the optimum leads.
        """
        several = self.problem.quantities
        return isinstance(several, LinearQuantities) and several.constants.shape[1] > 1

    @cached_property
    def _scouts(self) -> Floats:
        """Places in the region, spread around the optimum."""
        chance = np.random.default_rng(0)
        drawn = chance.standard_normal((_SCOUTS, len(self.axes)))
        reach = _SCOUTED_RADII * self.radius * chance.random((_SCOUTS, 1))
        places = reach * drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        within = [self._within_bounds(one) for one in places]
        return np.array([one for one in within if self._excess(one) <= 1]).reshape(
            -1, len(self.axes)
        )

    def _brought_inside(self, start: Floats) -> Floats:
        """The start, nearer to the optimum and within bounds so far that it is in the region."""
        first, part = self._within_bounds(start), 1.0
        while self._excess(first) > 1 and part > 2.0**-_MOST_HALVINGS:
            part /= 2
            first = self._within_bounds(part * start)
        return first

    def _within_bounds(self, place: Floats) -> Floats:
        step = self._parameters(place) - self.optimum.parameters
        return np.asarray(np.linalg.solve(self.axes, step), float)

    def _inside(self, width: int) -> _Constraint:
        """Above zero within the region; further coordinates do not matter to it."""
        size = len(self.axes)

        def room(place: Floats) -> float:
            return 1 - self._excess(place[:size])

        def slope(place: Floats) -> Floats:
            return np.pad(-self._excess_slope(place[:size]), (0, width - size))

        return {"type": "ineq", "fun": room, "jac": slope}

    def _reach_ratio(self, axis: Floats) -> float:
        """Power of two that an axis is too long by, where curvature says less than the rest."""
        ratio, along = 1.0, self.radius * axis
        while ratio > 2.0**-_MOST_HALVINGS and all(
            self._excess_of(self._moved(sign * ratio * along)) > _FAR_OUTSIDE for sign in (1, -1)
        ):
            ratio /= 2
        return ratio

    def _excess(self, place: Floats) -> float:
        return self._excess_of(self._parameters(place))

    def _excess_of(self, parameters: Floats) -> float:
        """One at the edge of the region, zero at the optimum."""
        likelihood = self.problem.log_likelihood(parameters)
        return self._stretched(self._loss(likelihood)) / self.radius**2

    def _excess_slope(self, place: Floats) -> Floats:
        likely = self.problem.likely(self._parameters(place))
        factor = -2 * self._stretch_slope(self._loss(likely.log_likelihood)) / self.radius**2
        slope: Floats = factor * (likely.gradient @ self.axes)
        return slope

    def _loss(self, log_likelihood: float) -> float:
        """Twice the loss of log-likelihood, by which regions are told."""
        return 2 * (self.optimum.likely.log_likelihood - log_likelihood)

    def _is_inside(self, place: Floats) -> bool:
        excess = self._excess(place[: len(self.axes)])
        room = [one["fun"](place) for one in self._bounds(len(place))]
        return bool(excess <= 1 + _NEAR and all((one >= -_NEAR).all() for one in room))

    def _bounds(self, width: int) -> list[_Constraint]:
        """Above zero where every parameter is within its bounds, each by its own scale."""
        low, high = self.problem.bounds
        reach = np.linalg.norm(self.axes, axis=1)
        rows = np.concatenate([self.axes, -self.axes]) / np.tile(reach, 2)[:, np.newaxis]
        here = self.optimum.parameters
        room = np.concatenate([here - low, high - here]) / np.tile(reach, 2)
        finite = np.isfinite(room)
        if not finite.any():
            return []
        rows, room = np.pad(rows[finite], ((0, 0), (0, width - len(here)))), room[finite]
        return [
            {"type": "ineq", "fun": lambda place: room + rows @ place, "jac": lambda place: rows}
        ]

    def _parameters(self, place: Floats) -> Floats:
        return self._moved(self.axes @ place)

    def _moved(self, step: Floats) -> Floats:
        return np.clip(self.optimum.parameters + step, *self.problem.bounds)

    def _is_open(self, place: Floats) -> bool:
        size = len(self.axes)
        return bool(np.abs(place[:size]).max() > 0.99 * _OPEN * self.radius)

    def _stretched(self, loss: float) -> float:
        """Twice the loss of log-likelihood as a square of distances, as of a linear model."""
        if self.problem.noise_sd is not None:
            return min(loss, math.exp(_LARGEST_EXPONENT))
        count = len(self.problem.informative)
        return count * math.expm1(min(loss / count, _LARGEST_EXPONENT))

    def _stretch_slope(self, loss: float) -> float:
        if self.problem.noise_sd is not None:
            return 1.0
        return math.exp(min(loss / len(self.problem.informative), _LARGEST_EXPONENT))


def _linear(coefficients: Floats, constant: float) -> _Smooth:
    return lambda parameters: (float(coefficients @ parameters + constant), coefficients)


def _directions(count: int, size: int) -> Floats:
    """Unit vectors that are spread evenly: opposite ones, a circle, or points drawn on a sphere."""
    if size == 1:
        return np.resize([1.0, -1.0], (count, 1))
    if size == 2:
        angles = 2 * np.pi * np.arange(count) / count
        return np.column_stack([np.cos(angles), np.sin(angles)])
    drawn = np.random.default_rng(0).standard_normal((count, size))
    unit: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


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
