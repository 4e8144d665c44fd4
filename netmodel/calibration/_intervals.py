"""Intervals of parameters and predictions: their range over the likelihood region."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel.calibration._convex import is_convex, squared_distance, summits
from netmodel.calibration._models import Point
from netmodel.calibration._noise import noise_unknown
from netmodel.calibration._problem import LinearQuantities, Optimum, Problem, quantities
from netmodel.errors import CalibrationError
from netmodel.estimates import Estimate
from netmodel.numeric import Floats

_Goals: TypeAlias = Callable[[Floats], Floats]
"""From parameters of shape (parameters, sets) to goals to maximise, of shape (goals, sets)."""

_RAY_COUNTS = {1: 2, 2: 64}
"""Rays in all directions, by the number of parameters: with 64 the nearest is within 3 degrees of
any direction of a plane."""
_MANY_RAYS = 400
"""Of three parameters and more: 8 degrees from the next on average in space."""
_FAR_RADII = 1e3
"""A region that extends this far counts as open there."""
_CAST_RADII = np.array([0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 3.2, 5.0, 10.0, 30.0, 100.0, _FAR_RADII])
"""Points of a ray that are tried: beyond the line rate regions were up to three radii long."""
_NEAR_RATIOS = np.array([0.25, 0.5, 0.8, 0.95, 1.05, 1.2, 1.5, 2.0, 4.0])
"""Points of a ray that are tried beside a ray whose end is known, in lengths of that."""
_END_RATIO = 1e-9
"""Relative accuracy of the end of a ray."""
_MARGIN = 1e-3
"""Part of a bracket that false position stays away from its ends, so that both move."""
_WIDEST_BRACKET = 0.3
"""Around the end of the neighbouring ray, as a part of its length."""
_MOST_HALVINGS = 60
"""Two steps at least halve a bracket: enough for 1e-9 of any of them."""
_FAN = np.linspace(-1, 1, 9)[:, np.newaxis]
"""Steps sideways from a direction in a plane."""
_FAN_RATIO, _CONE_RATIO = 0.3, 0.4
"""Widths of the next steps: those of a fan are a quarter apart, so that they overlap a little."""
_CONE_COUNT = 8
"""Random steps sideways, for more than two parameters."""
_ONWARD = np.array([[1.0], [3.0]])
"""Steps onward after a step that gained: along the ridges of bent regions."""
_WIDE = 1.0
"""Radians between rays from a new centre, which are to reach around corners."""
_MOST_CENTRES = 30
"""A guard: searches of the reference tests end by the third centre."""
_NEAR_END_RATIO = 0.1
"""Of the way back from an end to the old centre: the next centre where half-way is outside."""
_GAIN_RATIO = 1e-7
"""Of the span of a goal: a new centre that gains less ends the search."""
_NARROWEST = 1e-4
"""Radians: the maximum over a ball is then missed by 5e-9 of its radius."""
_MOST_ROUNDS = 100
"""A guard: ten rounds suffice for rays that gain nothing; those that gain may need more."""
_FAR_OUTSIDE = 4.0
"""Loss, in units of that at the edge, from which a coordinate is halved."""
_MOST_SHORTENINGS = 40
"""Halvings, to 1e-12 of a coordinate: beyond it is rounding of the parameters."""
_FEW = 3
"""Most observations that take so few values that their rounding shows in the coverage."""
_NO_MORE = 1e-9
"""Of the distance of a parameter from its bound: less is rounding of the search."""
_FLAT_RATIO = 1e-10
"""Smallest to largest curvature: below it rounding sets the length of a coordinate."""


class Farthest(NamedTuple):
    """
    Where goals are largest in a region.

    Parameters
    ----------
    values : numpy.ndarray
        Of each goal, shape (goals,).
    is_open : numpy.ndarray
        Whether the region is open there.
    parameters : numpy.ndarray
        Shape (goals, parameters).
    """

    values: Floats
    is_open: npt.NDArray[np.bool_]
    parameters: Floats


@dataclass(frozen=True)
class Region:
    """
    All parameters whose log-likelihood is at most half a threshold below the largest.

    It is searched by many rays at once from the optimum, in coordinates in which it is nearly a
    ball. That needs no slopes, so that bounds and changes of the binding limit need no special
    treatment.

    Parameters
    ----------
    problem : Problem
        The observations.
    optimum : Optimum
        Likeliest parameters.
    threshold : float
        Twice the loss of log-likelihood at the edge.
    """

    problem: Problem
    optimum: Optimum
    threshold: float

    def farthest_of_sums(self, sums: Floats) -> Farthest:
        """Where each sum of parameters, by its coefficients, is largest."""
        if self._is_convex:
            found = summits(self.problem, self.optimum, self.radius, sums)
            if found is not None:
                return Farthest((sums * found).sum(axis=1), np.zeros(len(sums), bool), found)
        return self.farthest(lambda given: sums @ given)

    @property
    def size(self) -> int:
        """Number of parameters."""
        return len(self.optimum.parameters)

    @cached_property
    def _is_convex(self) -> bool:
        return is_convex(self.problem, self.optimum, self.radius)

    @np.errstate(all="ignore")
    def farthest(self, goals: _Goals) -> Farthest:
        """
        Where each goal is largest.

        (1) Rays from the optimum in all directions; (2) rays beside the best of them, ever
        closer; (3) as a bent region hides a part of itself from the optimum, the same from
        half-way to the farthest point, until that gains nothing.
        """
        # (1) all around
        directions, distances, is_endless = self._rays
        size = len(self.axes)
        here = goals(self._parameters(np.zeros((1, size))).T)[:, 0]
        values = goals(self._parameters(distances[:, np.newaxis] * directions).T)
        values = np.nan_to_num(values, nan=-np.inf)
        which, rows = values.argmax(axis=1), np.arange(len(values))
        best, is_open = values[rows, which], is_endless[which]
        ends = distances[which, np.newaxis] * directions[which]
        centres, towards, reach = np.zeros_like(ends), directions[which], distances[which]
        spans = best - values.min(axis=1)
        # angle between neighbours: on a circle, or on a sphere of that many points
        ray_count = len(directions)
        width = 2 * math.pi / ray_count if size <= 2 else 2 * ray_count ** (-1 / (size - 1))
        # a constant goal is largest here, and nothing is beyond an open end
        (active,) = np.nonzero(~is_open & (best > here))
        for _ in range(_MOST_CENTRES if size > 1 else 0):
            if not active.size:
                break
            before = best[active]
            # (2) beside the best
            self._narrow(goals, active, best, centres, towards, reach, width)
            tips = centres[active] + reach[active, np.newaxis] * towards[active]
            # the place within bounds, along which rays from inside continue
            step = self._parameters(tips) - self.optimum.parameters
            ends[active] = np.linalg.solve(self.axes, step.T).T
            gained = best[active] - before
            if width == _WIDE:
                active = active[gained > _GAIN_RATIO * spans[active]]
            # (3) from half-way, or nearer the end where that is outside the region
            half = 0.5 * (centres[active] + ends[active])
            is_outside = self._excess(self._parameters(half)) > 0
            shares = np.where(is_outside, _NEAR_END_RATIO, 0.5)[:, np.newaxis]
            rays = shares * (ends[active] - centres[active])
            centres[active] = ends[active] - rays
            reach[active] = np.linalg.norm(rays, axis=1)
            towards[active] = rays / reach[active, np.newaxis]
            width = _WIDE
        is_farther = best > here
        return Farthest(
            np.where(is_farther, best, here), is_open & is_farther, self._parameters(ends)
        )

    def _narrow(
        self,
        goals: _Goals,
        places: npt.NDArray[np.intp],
        best: Floats,
        centres: Floats,
        towards: Floats,
        reach: Floats,
        width: float,
    ) -> None:
        """Turn the rays of some goals, from their centres, towards where these are largest."""
        size = len(self.axes)
        widths, onward = np.full(len(best), width), np.zeros_like(towards)
        chance = np.random.default_rng(0)
        for _ in range(_MOST_ROUNDS):
            active = places[widths[places] > _NARROWEST]
            if not active.size:
                break
            fans = _beside(towards[active], widths[active], onward[active], chance)
            steps = fans.shape[1]
            tried, rows = fans.reshape(-1, size), np.arange(len(active))
            origins = np.repeat(centres[active], steps, axis=0)
            guesses, spread = (
                np.repeat(each, steps)
                for each in (reach[active], np.minimum(widths[active], _WIDEST_BRACKET))
            )
            reached = self._near_ends(tried, guesses, spread, origins)
            result = goals(self._parameters(origins + reached[:, np.newaxis] * tried).T)[active]
            own = np.nan_to_num(
                result.reshape(len(active), len(active), steps)[rows, rows], nan=-np.inf
            )
            which = own.argmax(axis=1)
            is_gain = own[rows, which] > best[active]
            gaining, chosen = active[is_gain], (rows * steps + which)[is_gain]
            onward[gaining] = tried[chosen] - towards[gaining]
            best[gaining] = own[rows, which][is_gain]
            towards[gaining], reach[gaining] = tried[chosen], reached[chosen]
            widths[active] *= _FAN_RATIO if size == 2 else np.where(is_gain, 1.0, _CONE_RATIO)

    @cached_property
    def axes(self) -> Floats:
        """Columns: how parameters change along each coordinate."""
        information = self.optimum.likely.information
        scale = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
        floored = np.maximum(values, _FLAT_RATIO * values.max())
        axes = vectors / np.sqrt(floored) / scale[:, np.newaxis]
        # halved where the curvature at the optimum is far less than that of the region
        ratios = np.ones(len(axes))
        for place, axis in enumerate(axes.T):
            along = self.radius * axis
            while ratios[place] > 2.0**-_MOST_SHORTENINGS:
                steps = ratios[place] * np.array([along, -along])
                if (
                    self._excess(np.clip(self.optimum.parameters + steps, *self.problem.bounds))
                    <= math.sqrt(_FAR_OUTSIDE) - 1
                ).any():
                    break
                ratios[place] /= 2
        scaled: Floats = axes * ratios
        return scaled

    @cached_property
    def radius(self) -> float:
        """Of the ball that is the region of a linear model."""
        return float(self._distance(np.array(self.threshold)))

    @cached_property
    def _rays(self) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        """Directions all around, how far the region extends in each, and whether it is open."""
        size = len(self.axes)
        directions = directions_around(_RAY_COUNTS.get(size, _MANY_RAYS), size)
        return directions, *self._ends(
            directions, np.tile(self.radius * _CAST_RADII, (len(directions), 1))
        )

    @np.errstate(all="ignore")
    def _ends(
        self, directions: Floats, places: Floats, origins: Floats | float = 0.0
    ) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """
        How far the region extends along rays, and whether beyond the last of their places.

        The last place within the region counts: it may continue beyond a gap, as where a figure
        would be at line rate.
        """
        rows, last_place = np.arange(len(directions)), places.shape[1] - 1
        origins = np.broadcast_to(origins, directions.shape)
        points = origins[:, np.newaxis] + places[..., np.newaxis] * directions[:, np.newaxis]
        excess = self._excess(self._parameters(points.reshape(-1, len(self.axes))))
        excess = excess.reshape(places.shape)
        is_inside = excess <= 0
        inner = np.where(is_inside.any(axis=1), last_place - is_inside[:, ::-1].argmax(axis=1), -1)
        outer = np.minimum(inner + 1, last_place)
        is_open = inner == outer
        low = np.where(inner < 0, 0.0, places[rows, inner])
        below = np.where(inner < 0, -1.0, excess[rows, inner])
        high, above = places[rows, outer], excess[rows, outer]
        # false position, with half the weight of an end that stays twice (Illinois algorithm)
        moved = np.zeros(len(rows))
        (active,) = np.nonzero(~is_open)
        for _ in range(_MOST_HALVINGS):
            active = active[(high - low)[active] > _END_RATIO * high[active]]
            if not active.size:
                break
            a, b, fa, fb = low[active], high[active], below[active], above[active]
            between = np.clip(
                (a * fb - b * fa) / (fb - fa), a + _MARGIN * (b - a), b - _MARGIN * (b - a)
            )
            is_usable = np.isfinite(between) & (fb < _FAR_OUTSIDE)
            tried = np.where(is_usable, between, 0.5 * (a + b))
            tips = origins[active] + tried[:, np.newaxis] * directions[active]
            result = self._excess(self._parameters(tips))
            inside, before = result <= 0, moved[active]
            low[active], high[active] = np.where(inside, tried, a), np.where(inside, b, tried)
            below[active] = np.where(inside, result, np.where(before == 1, fa / 2, fa))
            above[active] = np.where(inside, np.where(before == -1, fb / 2, fb), result)
            moved[active] = np.where(inside, -1, 1)
            is_met = np.abs(result) < _END_RATIO
            low[active[is_met]] = high[active[is_met]] = tried[is_met]
        return low, is_open

    def _near_ends(
        self, directions: Floats, guesses: Floats, spread: Floats, origins: Floats
    ) -> Floats:
        """Ends of rays beside others, whose ends are guesses with a relative spread."""
        brackets = guesses[:, np.newaxis] * (1 + np.outer(spread, [-1.0, 1.0]))
        result, is_open = self._ends(directions, brackets, origins)
        (missed,) = np.nonzero(is_open | (result < brackets[:, 0]))
        if missed.size:
            places = guesses[missed, np.newaxis] * _NEAR_RATIOS
            result[missed] = self._ends(directions[missed], places, origins[missed])[0]
        return result

    def _excess(self, parameters: Floats) -> Floats:
        """Distance from the optimum over that of the edge, less one: nearly linear along a ray."""
        likelihoods = self.problem.log_likelihoods(parameters.T)
        loss = 2 * (self.optimum.likely.log_likelihood - likelihoods)
        return self._distance(np.maximum(loss, 0.0)) / self.radius - 1

    def _distance(self, loss: Floats) -> Floats:
        """Root of twice the loss of log-likelihood; with unknown noise, as if it were known."""
        return np.sqrt(squared_distance(self.problem, loss))

    def _parameters(self, places: Floats) -> Floats:
        """Parameters at places in the coordinates, within bounds; shape (places, parameters)."""
        return np.clip(self.optimum.parameters + places @ self.axes.T, *self.problem.bounds)


def directions_around(count: int, size: int) -> Floats:
    """Evenly spread unit vectors: opposite ones, a circle, or random points of a sphere."""
    if size == 1:
        return np.resize([1.0, -1.0], (count, 1))
    if size == 2:
        angles = 2 * np.pi * np.arange(count) / count
        return np.column_stack([np.cos(angles), np.sin(angles)])
    return _unit(np.random.default_rng(0).standard_normal((count, size)))


def _unit(vectors: Floats) -> Floats:
    result: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return result


def _beside(
    directions: Floats, widths: Floats, onward: Floats, chance: "np.random.Generator"
) -> Floats:
    """Directions beside each, by widths, and onward; shape (directions, steps, size)."""
    size = directions.shape[1]
    aside = np.linalg.svd(directions[:, np.newaxis])[2][:, 1:]
    if size == 2:
        moves = widths[:, np.newaxis, np.newaxis] * (_FAN @ aside)
    else:
        axes, drawn = np.eye(size - 1), _unit(chance.normal(size=(_CONE_COUNT, size - 1)))
        around = widths[:, np.newaxis, np.newaxis] * (np.vstack([axes, -axes, drawn]) @ aside)
        moves = np.concatenate([around, onward[:, np.newaxis] * _ONWARD], axis=1)
    return _unit(directions[:, np.newaxis] + moves)


class Threshold(Enum):
    """
    How much less likely than the likeliest the parameters of an interval may be.

    ``SMALL_SAMPLE`` accounts for noise that is estimated from few observations: for n of them
    and p parameters, twice the log-likelihood may be less by ``n ln(1 + t²/(n - p))``, with t of
    Student's distribution with n - p degrees of freedom. That is exact for figures, normal noise
    and a linear model. ``ASYMPTOTIC`` is chi-square, which holds for many observations. Both are
    the same where the noise is known.
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
        The observations.
    optimum : Optimum
        Likeliest parameters.
    level_ratio : float
        Confidence level.
    threshold : Threshold
        How intervals account for few observations.
    """

    problem: Problem
    optimum: Optimum
    level_ratio: float
    threshold: Threshold

    @property
    def is_undetermined(self) -> bool:
        """Whether the noise is unknown."""
        return self.problem.noise_sd is None and (
            self.problem.degrees_of_freedom < 1
            or self.problem.is_noiseless(self.optimum.likely.noise_sd)
        )

    @property
    def is_hardly_determined(self) -> bool:
        """
        Whether the noise beside two or more parameters rests on a single degree of freedom.

        Intervals of parameters then end within their bounds only if the noise looks small by
        chance, and those that do miss the truth in up to 2 of 10 cases. Predictions do not
        reach bounds, and keep their level.
        """
        return (
            self.problem.noise_sd is None
            and self.problem.degrees_of_freedom == 1
            and len(self.problem.bounds[0]) > 1
        )

    @cached_property
    def parameters(self) -> tuple[Estimate, ...]:
        """Intervals of the parameters of the model; one-sided for a parameter at its bound."""
        count = len(self.problem.model.parameters)
        values = self.optimum.parameters[:count]
        low, high = (ends[:count].copy() for ends in self.problem.bounds)
        bound = low.copy()
        if not (self.is_undetermined or self.is_hardly_determined):
            for is_held in (False, True):
                (places,) = np.nonzero(self.optimum.is_active[:count] == is_held)
                if places.size:
                    # one-sided: the bound takes half of the chances
                    level_at_bound = max(0.0, 2 * self.level_ratio - 1)
                    region = self._region_of(level_at_bound) if is_held else self._region
                    least, most = _ends_of_sums(region, np.eye(count)[places])
                    low[places] = np.maximum(least, low[places])
                    high[places] = np.minimum(most, high[places])
            with np.errstate(invalid="ignore"):
                is_rounding = low - bound < _NO_MORE * (values - bound)
            low = np.where(is_rounding, bound, low)
        return tuple(map(_about, values.tolist(), low.tolist(), high.tolist()))

    def prediction(self, point: Point) -> Estimate:
        """A quantity of the model."""
        there = quantities(self.problem.model, [point], self.problem.typical)
        count = len(self.problem.model.parameters)
        value = float(there.values(self.optimum.parameters[:count])[0])
        if not isinstance(there, LinearQuantities):
            if self.is_undetermined:
                return _about(value, 0.0, math.inf)
            (low,), (high,) = self._ends(self._region, lambda given: there.values(given[:count]))
            return _about(value, max(low, 0.0), high)
        # by its load, which is finite where a rate is not, and within the loads at the bounds
        coefficients, constants = there.coefficients[0], there.constants[0]
        least, most = self._load_bounds(coefficients, constants)
        low, high = least, most
        if not self.is_undetermined:
            low, high = self._load_ends(coefficients, constants)
            low, high = max(low, least), min(high, most)
        if there.is_rate[0]:
            low, high = _inverse(high), _inverse(low)
        return _about(value, low, high)

    def _load_ends(self, coefficients: Floats, constants: Floats) -> tuple[float, float]:
        """Smallest and largest value of the largest of sums in the region."""
        (places,) = np.nonzero(coefficients.any(axis=1))
        if len(places) == 1:
            varied = np.array(_ends_of_sums(self._region, coefficients[places])) + constants[places]
            low, high = (max(float(end), *constants) for end in varied.ravel())
            return low, high

        def load(parameters: Floats) -> Floats:
            with np.errstate(invalid="ignore"):
                terms = np.where(
                    coefficients[..., np.newaxis] == 0,
                    0.0,
                    coefficients[..., np.newaxis] * parameters[: coefficients.shape[1]],
                )
            sums = terms.sum(axis=1) + constants[:, np.newaxis]
            largest: Floats = sums.max(axis=0, keepdims=True)
            return largest

        (low,), (high,) = self._ends(self._region, load)
        return low, high

    def edge(self, count: int, places: Sequence[int]) -> Floats:
        """Parameters at the edge of the region, in directions among those at some places."""
        if self.is_undetermined:
            raise CalibrationError(f"no edge of the likelihood region: {noise_unknown()}")
        region = self._region
        # directions are even among these parameters, regardless of the others
        rows = region.axes[list(places)]
        whitening = np.linalg.inv(np.linalg.cholesky(rows @ rows.T))
        towards = directions_around(count, len(rows)) @ whitening
        sums = np.zeros((count, region.size))
        sums[:, list(places)] = towards
        return region.farthest_of_sums(sums).parameters

    def _ends(self, region: Region, quantity: _Goals) -> tuple[Floats, Floats]:
        """Smallest and largest value of each quantity in a region; infinite where it is open."""
        return _ends_of(
            region.farthest(lambda given: np.vstack([-quantity(given), quantity(given)]))
        )

    def _load_bounds(self, coefficients: Floats, constants: Floats) -> tuple[float, float]:
        """Smallest and largest value of the largest of sums within the bounds of parameters."""
        low, high = (ends[: coefficients.shape[1]] for ends in self.problem.bounds)
        corners = [
            np.where(coefficients == 0, 0.0, np.where((coefficients > 0) == up, high, low))
            for up in (False, True)
        ]
        least, most = (
            float(((coefficients * corner).sum(axis=1) + constants).max()) for corner in corners
        )
        return least, most

    @cached_property
    def _region(self) -> Region:
        return self._region_of(self.level_ratio)

    def _region_of(self, level_ratio: float) -> Region:
        """
        The likelihood region of a level.

        With few observations of known noise, rounding may have moved each figure as far as its
        ends allow: few rounded figures take few values, and where the truth is near an end of
        one of them, a likelihood that is uniform between the ends covered only 8 of 10 truths.
        More figures even that out.
        """
        from scipy.special import chdtri, stdtrit

        problem, optimum = self.problem, self.optimum
        if problem.noise_sd is not None and len(problem.observed) <= _FEW:
            problem = replace(problem, is_rounding_free=True)
            likely = optimum.likely._replace(
                log_likelihood=float(problem.log_likelihoods(optimum.parameters[:, np.newaxis])[0])
            )
            optimum = optimum._replace(likely=likely)
        if problem.noise_sd is not None or self.threshold is Threshold.ASYMPTOTIC:
            return Region(problem, optimum, float(chdtri(1, 1 - level_ratio)))
        # n ln(1 + t^2 / (n - p)), as of Threshold.SMALL_SAMPLE
        degrees, count = problem.degrees_of_freedom, len(problem.informative)
        student = float(stdtrit(degrees, (1 + level_ratio) / 2))
        return Region(problem, optimum, count * math.log1p(student**2 / degrees))


def _ends_of_sums(region: Region, sums: Floats) -> tuple[Floats, Floats]:
    """Smallest and largest value of sums of the first parameters in a region."""
    padded = np.pad(sums, ((0, 0), (0, region.size - sums.shape[1])))
    return _ends_of(region.farthest_of_sums(np.vstack([-padded, padded])))


def _ends_of(found: Farthest) -> tuple[Floats, Floats]:
    """Smallest and largest values, from negative ones and positive ones; infinite where open."""
    low, high = np.split(np.where(found.is_open, np.inf, found.values), 2)
    return -low, high


def _about(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, min(value, low), max(value, high))


def _inverse(load: float) -> float:
    return 1 / load if load > 0 else math.inf
