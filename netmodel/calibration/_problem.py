"""The log-likelihood of observations for parameters of a model, with its derivatives."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel.calibration._models import LinearModel, Loads, Model, Point, start_of
from netmodel.calibration._noise import (
    WIDTH_IN_SD,
    Contribution,
    Noise,
    log_between,
    log_beyond,
    log_exact,
    log_largest,
)
from netmodel.calibration._observed import Observed, conditions_text
from netmodel.errors import CalibrationError, DomainError
from netmodel.numeric import Floats
from netmodel.records import Relation

_LEAST_LOAD = _LEAST_MEAN = _LEAST_BEND = 1e-300
"""Near the smallest float, 2e-308: in place of 0 in a division or a logarithm."""
_TIE_RATIO = 1e-6
"""Sums of a point that differ by less than this tie for its largest."""
_STEP_RATIO = 2e-4
"""Of a parameter: truncation of slopes by five points is then 1e-15 of them, rounding 1e-12."""
_LEAST_OF_TYPICAL = 1e-4
"""Of the start of a parameter: its size in a step where it is 0 itself."""
# Weights of five points, ahead of the place and around it, exact for polynomials of degree 4.
_AHEAD = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
_AHEAD_WEIGHTS = np.array([-25 / 12, 4.0, -3.0, 4 / 3, -1 / 4])
_AROUND = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
_AROUND_WEIGHTS = np.array([1 / 12, -2 / 3, 0.0, 2 / 3, -1 / 12])
_Places: TypeAlias = npt.NDArray[np.int64]
_OF_UNCAPPED = frozenset({Relation.CENSORED_ABOVE, Relation.CENSORED_BELOW})
_MOST_STEPS = 100
"""Newton's method takes five to ten, bisection at most fifty."""
_MOST_STRETCH = 9.0
"""A step makes the precision at most 1 + 9 = 10 times as large."""
_SETTLED_RATIO = 1e-9
"""Of the precision: the log-likelihood is then 1e-18 of itself below its maximum."""
_TYPICAL_RATIO = 1e-9
"""Of the spread of figures: first guess of the noise where the model meets all of them."""
_ROUNDING = 1e-12
"""Of the spread of figures: less noise is rounding of 64 bits after some hundred operations."""
_SMALLEST_NOISE = 1e-16
"""Of the spread of figures: half the step of 64 bits."""
_LEAST_SPREAD = 1e-280
"""In place of 0 where all figures are 0: 1e-12 of it is still a normal float."""
_FARTHEST = 1e100
"""Distance of model from figures, in units of their spread, that counts as no value at all: its
square is still a float."""


class Quantities(Protocol):
    """The quantities of a model at all points."""

    def values(self, parameters: Floats) -> Floats:
        """Of shape (points, ...), for parameters of shape (parameters, ...)."""

    def slopes(self, parameters: Floats) -> Floats:
        """Of shape (points, parameters), for parameters of shape (parameters,)."""


def quantities(model: Model, points: Sequence[Point], typical: Floats) -> Quantities:
    """
    The quantities of a model, with exact slopes for a linear one and by differences otherwise.

    Differences are as small as typical parameters allow.
    """
    if isinstance(model, LinearModel):
        return LinearQuantities([_loads(model, point) for point in points])
    return _AnyQuantities(model.function(points), _bounds(model), typical)


class LinearQuantities:
    """
    Quantities that are the largest of sums, all sums of all points in one array.

    Parameters
    ----------
    loads : sequence of Loads
        Of each point.
    """

    def __init__(self, loads: Sequence[Loads]) -> None:
        # points of fewer sums repeat their last
        most = max(len(each.constants) for each in loads)
        places = [np.minimum(np.arange(most), len(each.constants) - 1) for each in loads]
        pairs = list(zip(loads, places, strict=True))
        self.coefficients = np.array([each.coefficients[place] for each, place in pairs])
        self.constants = np.array([each.constants[place] for each, place in pairs])
        self.is_rate = np.array([each.is_rate for each in loads])

    def values(self, parameters: Floats) -> Floats:
        further = [1] * (parameters.ndim - 1)
        constants = self.constants.reshape(*self.constants.shape, *further)
        loads: Floats = (self.coefficients @ parameters + constants).max(axis=1)
        is_rate = self.is_rate.reshape(-1, *further)
        return np.where(is_rate, 1 / np.maximum(loads, _LEAST_LOAD), loads)

    def slopes(self, parameters: Floats) -> Floats:
        sums = self.coefficients @ parameters + self.constants
        rows = np.arange(len(sums))
        binding = sums.argmax(axis=1)
        loads = np.maximum(sums[rows, binding], _LEAST_LOAD)
        with np.errstate(divide="ignore", over="ignore"):
            factors = np.where(self.is_rate, -1 / loads / loads, 1.0)
        slopes: Floats = factors[:, np.newaxis] * self.coefficients[rows, binding]
        return slopes

    @property
    def single_sums(self) -> "SingleSums | None":
        """The only sum of each point that depends on parameters; None where one has several."""
        is_varied: npt.NDArray[np.bool_] = (self.coefficients != 0).any(axis=2)
        rows, first = np.arange(len(is_varied)), is_varied.argmax(axis=1)
        coefficients, constants = self.coefficients[rows, first], self.constants[rows, first]
        is_same = (self.coefficients == coefficients[:, np.newaxis]).all(axis=2)
        is_same &= self.constants == constants[:, np.newaxis]
        if not (is_varied.any(axis=1) & (is_same | ~is_varied).all(axis=1)).all():
            return None
        floors = np.where(is_varied, -np.inf, self.constants).max(axis=1)
        return SingleSums(coefficients, constants, floors, self.is_rate)

    def ties(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Slopes and values of the differences between sums that tie for the largest."""
        sums = self.coefficients @ parameters + self.constants
        largest = sums.argmax(axis=1)
        gaps = sums - sums.max(axis=1, keepdims=True)
        rows = self.coefficients - self.coefficients[np.arange(len(sums)), largest][:, np.newaxis]
        is_tie = (np.abs(gaps) <= _TIE_RATIO * np.abs(sums)) & rows.any(axis=2)
        return rows[is_tie], gaps[is_tie]


class SingleSums(NamedTuple):
    """
    Loads that are one sum of parameters, or a constant if that is larger.

    Parameters
    ----------
    coefficients : numpy.ndarray
        Shape (loads, parameters).
    constants : numpy.ndarray
        Of each sum.
    floors : numpy.ndarray
        The least of each load; minus infinity where it has none.
    is_rate : numpy.ndarray
        Whether the quantity is one over the load.
    """

    coefficients: Floats
    constants: Floats
    floors: Floats
    is_rate: npt.NDArray[np.bool_]


class _AnyQuantities:
    """Quantities by a function of the parameters, with slopes by differences."""

    def __init__(
        self,
        function: Callable[[Floats], Floats],
        bounds: tuple[Floats, Floats],
        typical: Floats,
    ) -> None:
        self.function = function
        self.bounds = bounds
        self.least_step = (
            _STEP_RATIO * _LEAST_OF_TYPICAL * np.where(typical == 0, 1.0, np.abs(typical))
        )

    def values(self, parameters: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return self.function(parameters)

    def slopes(self, parameters: Floats) -> Floats:
        with np.errstate(all="ignore"):
            steps = np.maximum(self.least_step, _STEP_RATIO * np.abs(parameters))
            return slopes_by_differences(self.function, parameters, steps, self.bounds)


def slopes_by_differences(
    function: Callable[[Floats], Floats],
    parameters: Floats,
    steps: Floats,
    bounds: tuple[Floats, Floats],
) -> Floats:
    """Slopes of a function of many sets of parameters, from five points within bounds."""
    low, high = bounds
    ahead, behind = parameters - 2 * steps < low, parameters + 2 * steps > high
    nodes = np.where(ahead, _AHEAD[:, np.newaxis], _AROUND[:, np.newaxis])
    nodes = np.where(behind & ~ahead, -_AHEAD[:, np.newaxis], nodes)
    weights = np.where(ahead, _AHEAD_WEIGHTS[:, np.newaxis], _AROUND_WEIGHTS[:, np.newaxis])
    weights = np.where(behind & ~ahead, -_AHEAD_WEIGHTS[:, np.newaxis], weights)
    count = len(parameters)
    tried = np.repeat(parameters[:, np.newaxis], count * len(nodes), axis=1)
    which = np.tile(np.arange(count), len(nodes))
    tried[which, np.arange(tried.shape[1])] += (nodes * steps).ravel()
    result = function(tried).reshape(-1, len(nodes), count)
    slopes: Floats = np.einsum("pnk,nk->pk", result, weights / steps)
    return slopes


def _bounds(model: Model) -> tuple[Floats, Floats]:
    free = model.parameters
    return np.array([each.low for each in free], float), np.array(
        [each.high for each in free], float
    )


def _loads(model: LinearModel, point: Point) -> Loads:
    loads = model.loads(point)
    if not len(loads.constants):
        raise CalibrationError(
            f"{point.quantity} has no calibrated limit: an observation without the other limits "
            "does not depend on its parameters"
        )
    if not (np.isfinite(loads.coefficients).all() and np.isfinite(loads.constants).all()):
        raise CalibrationError(
            f"the model has no value of {point.quantity} at {conditions_text(point.at)}"
        )
    return loads


class Likely(NamedTuple):
    """
    How likely the observations are under parameters, with the likeliest noise.

    Parameters
    ----------
    log_likelihood : float
        Of all observations.
    gradient : numpy.ndarray
        Its slopes in the parameters.
    information : numpy.ndarray
        Minus its second derivatives without those of the model: positive semidefinite.
    noise_sd : float
        Standard deviation of an observation of weight 1.
    """

    log_likelihood: float
    gradient: Floats
    information: Floats
    noise_sd: float


class Optimum(NamedTuple):
    """
    Where the log-likelihood is largest.

    Parameters
    ----------
    parameters : numpy.ndarray
        Of the model, then logarithms of unknown quantities.
    likely : Likely
        At these parameters.
    is_active : numpy.ndarray
        Whether each parameter is at a bound that keeps it from a likelier value.
    gain : float
        Expected gain of log-likelihood by a further step.
    """

    parameters: Floats
    likely: Likely
    is_active: np.ndarray
    gain: float


@dataclass(frozen=True, kw_only=True)
class Problem:
    """
    Observations as arrays: one element for each case of each observation.

    Parameters
    ----------
    model : Model
        Of the quantities.
    observed : tuple of Observed
        Those that bound anything.
    noise : Noise
        What scatters normally.
    noise_sd : float, optional
        Known standard deviation; None where it is to be estimated.
    quantities : Quantities
        At the points of all cases and baselines.
    low, high : numpy.ndarray
        Ends, in units of what scatters; infinite where open.
    of : numpy.ndarray
        Observation of each case.
    subject, baseline, unknown : numpy.ndarray
        Points of each case and of its baseline, and the unknown quantity that it is compared
        with; -1 for none.
    sharpness : numpy.ndarray
        Square roots of the weights, which comparisons have half of: two runs scatter.
    unknown_names : tuple of str
        Quantities that are known by comparisons only. Their logarithms follow the parameters of
        the model.
    typical : numpy.ndarray
        Parameters of the model to begin a search with.
    least_noise_sd : float
        Lower bound of estimated noise: the standard deviation of the rounding of your own
        figures, which hides less.
    is_rounding_free : bool
        Whether a figure may be at any place between its ends, whichever suits the model best,
        instead of uniformly distributed.
    """

    model: Model
    observed: tuple[Observed, ...]
    noise: Noise
    noise_sd: float | None
    quantities: Quantities
    low: Floats
    high: Floats
    of: _Places
    subject: _Places
    baseline: _Places
    unknown: _Places
    sharpness: Floats
    unknown_names: tuple[str, ...]
    typical: Floats
    least_noise_sd: float = 0.0
    is_rounding_free: bool = False

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Bounds of the parameters, and of the logarithms of unknown quantities."""
        open_ends = np.full(len(self.unknown_names), math.inf)
        low, high = _bounds(self.model)
        return np.concatenate([low, -open_ends]), np.concatenate([high, open_ends])

    @cached_property
    def informative(self) -> _Places:
        """The first cases of observations with two ends: all but censored ones."""
        first = self._first
        has_two_ends = np.isfinite(self.low[first]) & np.isfinite(self.high[first])
        return first[has_two_ends]

    @cached_property
    def exact(self) -> _Places:
        """Cases of figures that only noise separates from the model."""
        return np.flatnonzero((self.low == self.high) & ~self._is_of_several)

    @cached_property
    def case(self) -> _Places:
        """Index of each case among those of its observation."""
        return np.arange(len(self.of)) - self._first[self.of]

    @property
    def degrees_of_freedom(self) -> int:
        """Observations with two ends, less parameters and unknown quantities."""
        return len(self.informative) - len(self.bounds[0])

    @property
    def is_all_exact(self) -> bool:
        """Whether no figure is censored, rounded or about several cases."""
        return len(self.exact) == len(self.low)

    def is_hidden(self, noise_sd: float) -> bool:
        """Whether the noise is estimated, and the rounding of figures hides it."""
        return self.noise_sd is None and 0 < noise_sd <= self.least_noise_sd * (1 + _ROUNDING)

    def is_noiseless(self, noise_sd: float) -> bool:
        """Whether estimated noise is only rounding of 64 bits."""
        return self.noise_sd is None and noise_sd < _ROUNDING * self.spread

    def means(self, parameters: Floats) -> Floats:
        """Value of the model for each case, in units of what scatters."""
        ratios = self._ratios(parameters)
        if self.noise is Noise.ABSOLUTE:
            return ratios
        return np.log(np.maximum(ratios, _LEAST_MEAN))

    def slopes(self, parameters: Floats) -> Floats:
        """Slopes of the means, of shape (cases, parameters)."""
        free = parameters[: len(self.model.parameters)]
        rows = self.quantities.slopes(free)
        slopes = np.zeros((len(self.of), len(parameters)))
        slopes[:, : len(free)] = rows[self.subject]
        if self._compared.size or self.unknown_names:
            self._compare(slopes, rows, parameters)
        if self.noise is Noise.ABSOLUTE:
            return slopes
        return slopes / np.maximum(self._ratios(parameters), _LEAST_MEAN)[:, np.newaxis]

    def log_likelihoods(self, parameters: Floats) -> Floats:
        """
        With the likeliest noise of each; minus infinity where the model has no value.

        Of shape (sets,), for parameters of shape (parameters, sets).
        """
        return self.likelihoods(parameters)[0]

    def likely(self, parameters: Floats) -> Likely:
        """The log-likelihood with its derivatives; minus infinity where the model has no value."""
        (value,), (precision,), added = self.likelihoods(parameters[:, np.newaxis])
        if value > -math.inf:
            added = Contribution(*(part[:, 0] for part in added))
            with np.errstate(all="ignore"):
                scaled = (precision * self.sharpness)[:, np.newaxis] * self.slopes(parameters)
                gradient = -added.shift @ scaled
                information = -np.einsum("ip,i,iq->pq", scaled, added.shift_shift, scaled)
                if self.noise_sd is None and not self.is_hidden(1 / precision):
                    # the noise follows the parameters: eliminate its row and column
                    cross = added.shift_stretch @ scaled
                    bend = max(-added.stretch_stretch.sum(), _LEAST_BEND)
                    information -= np.outer(cross, cross) / bend
            if np.isfinite(gradient).all() and np.isfinite(information).all():
                return Likely(float(value), gradient, information, 1 / float(precision))
        width = len(parameters)
        return Likely(-math.inf, np.zeros(width), np.zeros((width, width)), math.nan)

    @np.errstate(all="ignore")
    def likelihoods(self, parameters: Floats) -> tuple[Floats, Floats, Contribution]:
        """Of each set, with one over its standard deviation; and the terms of each case."""
        means = self.means(parameters)
        low, high = self.low[:, np.newaxis] - means, self.high[:, np.newaxis] - means
        precisions = np.full(means.shape[1], math.nan)
        usable = np.flatnonzero((np.abs(means) <= _FARTHEST * self.spread).all(axis=0))
        precisions[usable] = self._precisions(low[:, usable], high[:, usable])
        usable = np.flatnonzero((precisions > 0) & (precisions < math.inf))
        precision = precisions[usable]
        added = self._contributions(precision, low[:, usable], high[:, usable])
        densities = np.log(precision * self.sharpness[self._densities, np.newaxis]).sum(axis=0)
        values = np.full(means.shape[1], -math.inf)
        values[usable] = added.value.sum(axis=0) + densities
        return values, precisions, added

    @cached_property
    def single_sums(self) -> "SingleSums | None":
        """The sum that each figure is about; None where parameters may change which one it is."""
        if not isinstance(self.quantities, LinearQuantities):
            return None
        is_compared = self._compared.size or self.unknown_names
        sums = self.quantities.single_sums
        if sums is None or is_compared or self._is_of_several.any():
            return None
        of = self.subject
        return SingleSums(
            sums.coefficients[of], sums.constants[of], sums.floors[of], sums.is_rate[of]
        )

    def shortfalls(self, means: Floats, noise_sd: float) -> Floats:
        """Of the log-likelihood of each case, to that of a mean in the middle of the figure."""
        halves = np.where(self.low == self.high, 0.0, 0.5 * (self.high - self.low))
        met = self._contributions(1 / noise_sd, -halves, halves).value
        shortfalls: Floats = (
            met - self._contributions(1 / noise_sd, self.low - means, self.high - means).value
        )
        return shortfalls

    def ties(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Slopes and values of the differences between sums that tie for the largest."""
        of_model = len(self.model.parameters)
        if not isinstance(self.quantities, LinearQuantities):
            return np.empty((0, len(parameters))), np.empty(0)
        rows, gaps = self.quantities.ties(parameters[:of_model])
        return np.pad(rows, ((0, 0), (0, len(parameters) - of_model))), gaps

    def misses(self, parameters: Floats) -> Floats:
        """Distance of the model from the middle of each observation, or beyond its only end."""
        with np.errstate(all="ignore"):
            means = self.means(parameters)
            low, high = self.low - means, self.high - means
            middle = 0.5 * (low + high)
        beyond = np.maximum(low, 0.0) + np.minimum(high, 0.0)
        return (
            np.where(np.isfinite(self.low) & np.isfinite(self.high), middle, beyond)
            * self.sharpness
        )

    def miss_slopes(self, parameters: Floats) -> Floats:
        """Slopes of the misses; 0 where the model is within an only end."""
        is_missed = (np.isfinite(self.low) & np.isfinite(self.high)) | (
            self.misses(parameters) != 0
        )
        slopes: Floats = -(self.sharpness * is_missed)[:, np.newaxis] * self.slopes(parameters)
        return slopes

    def residuals(self, parameters: Floats, noise_sd: float) -> Floats:
        """Of each observation in standard deviations; for an interval, the expected value."""
        means = self.means(parameters)
        added = self._contributions(1 / noise_sd, self.low - means, self.high - means)
        expected: Floats = np.bincount(self.of, -added.shift).astype(float)
        return expected

    def evidence(self, parameters: Floats, noise_sd: float) -> Floats:
        """Slopes of the means over the standard deviation of each observation."""
        means = self.means(parameters)
        added = self._contributions(1 / noise_sd, self.low - means, self.high - means)
        weight = np.sqrt(np.maximum(-added.shift_shift, 0)) * self.sharpness / noise_sd
        return weight[:, np.newaxis] * self.slopes(parameters)

    @cached_property
    def _first(self) -> _Places:
        first: _Places = np.flatnonzero(np.diff(self.of, prepend=-1))
        return first

    @cached_property
    def _densities(self) -> _Places:
        """The first cases of observations that contribute a density, not a probability."""
        first = self._first
        return np.array([each for each in first if self.low[each] == self.high[each]], int)

    @cached_property
    def _is_of_several(self) -> npt.NDArray[np.bool_]:
        return np.bincount(self.of)[self.of] > 1

    @cached_property
    def _is_all_between(self) -> bool:
        is_alone = not self.is_rounding_free and not self._largest
        return is_alone and len(self._between) == len(self.low)

    @cached_property
    def _between(self) -> _Places:
        return np.flatnonzero((self.low != self.high) & ~self._is_of_several)

    @cached_property
    def _rounded(self) -> _Places:
        return np.intersect1d(self._between, self.informative)

    @cached_property
    def _largest(self) -> list[_Places]:
        several = sorted(set(self.of[self._is_of_several].tolist()))
        return [np.flatnonzero(self.of == each) for each in several]

    @cached_property
    def _compared(self) -> _Places:
        return np.flatnonzero(self.baseline >= 0)

    @cached_property
    def _compared_with_unknown(self) -> _Places:
        return np.flatnonzero(self.unknown >= 0)

    @cached_property
    def spread(self) -> float:
        """Of the finite ends: the scale of the noise."""
        ends = np.concatenate([self.low, self.high])
        finite = ends[np.isfinite(ends)]
        return max(float(np.ptp(finite)), float(np.abs(finite).max()), _LEAST_SPREAD)

    def _ratios(self, parameters: Floats) -> Floats:
        values = self.quantities.values(parameters[: len(self.model.parameters)])
        ratios: Floats = values[self.subject]
        if self._compared.size or self.unknown_names:
            ratios = ratios / self._baselines(values, parameters)
        return ratios

    def _baselines(self, values: Floats, parameters: Floats) -> Floats:
        baselines = np.ones((len(self.of), *values.shape[1:]))
        baselines[self._compared] = values[self.baseline[self._compared]]
        places = self._unknown_columns
        baselines[self._compared_with_unknown] = np.exp(parameters[places])
        return baselines

    @property
    def _unknown_columns(self) -> _Places:
        return self.unknown[self._compared_with_unknown] + len(self.model.parameters)

    def _compare(self, slopes: Floats, rows: Floats, parameters: Floats) -> None:
        """Make slopes of quantities slopes of their ratios to baselines, in place."""
        values = self.quantities.values(parameters[: len(self.model.parameters)])
        baselines = self._baselines(values, parameters)[:, np.newaxis]
        ratios = values[self.subject][:, np.newaxis] / baselines
        slopes /= baselines
        # d(a / b) = da / b - (a / b) db / b
        compared = self._compared
        growth = rows[self.baseline[compared]] / baselines[compared]
        slopes[compared, : rows.shape[1]] -= ratios[compared] * growth
        unknown = self._compared_with_unknown
        slopes[unknown, self._unknown_columns] -= ratios[unknown, 0]

    def _contributions(self, precision: Floats | float, low: Floats, high: Floats) -> Contribution:
        """Terms of the log-likelihood by ends of shape (cases,) or (cases, sets)."""
        scale = precision * self.sharpness.reshape(-1, *[1] * (low.ndim - 1))
        low, high = low * scale, high * scale
        if self.is_all_exact:
            return log_exact(low)
        if self._is_all_between:
            return log_between(low, high)
        added = np.empty((len(Contribution._fields), *low.shape))
        added[:, self.exact] = log_exact(low[self.exact])
        added[:, self._between] = log_between(low[self._between], high[self._between])
        if self.is_rounding_free:
            rounded = self._rounded
            added[:, rounded] = log_beyond(low[rounded], high[rounded])
        for cases in self._largest:
            added[:, cases] = log_largest(low[cases], high[cases])
        return Contribution(*added)

    def _precisions(self, low: Floats, high: Floats) -> Floats:
        """One over the standard deviation of the noise: the known, or the likeliest of each set."""
        sets = low.shape[1]
        if self.noise_sd is not None:
            return np.full(sets, 1 / self.noise_sd)
        most = 1 / max(_SMALLEST_NOISE * self.spread, self.least_noise_sd)
        if self.is_all_exact:
            weighted = low * self.sharpness[:, np.newaxis]
            return 1 / np.maximum(1 / most, _root_mean_square(weighted))
        return self._likeliest_precisions(low, high, np.full(sets, most))

    def _likeliest_precisions(self, low: Floats, high: Floats, most: Floats) -> Floats:
        """
        Where the derivative by the precision is 0: the log-likelihood is concave in it.

        By Newton's method within a bracket. Second derivatives of the largest of several cases
        lack mixed terms, so that the secant of the last step replaces them.
        """
        places = self.informative
        middles = 0.5 * (low[places] + high[places]) * self.sharpness[places, np.newaxis]
        distance = np.maximum(_root_mean_square(middles), _TYPICAL_RATIO * self.spread)
        result = np.minimum(1 / distance, most)
        least, before, before_slope = np.zeros_like(result), result, np.zeros_like(result)
        open_ones = np.arange(len(result))
        if self.least_noise_sd:
            hidden = self._contributions(most, low, high).stretch.sum(axis=0) >= 0
            result = np.where(hidden, most, result)
            open_ones = np.flatnonzero(~hidden)
        for step_count in range(_MOST_STEPS):
            if not open_ones.size:
                break
            here, low_end, high_end = result[open_ones], least[open_ones], most[open_ones]
            added = self._contributions(here, low[:, open_ones], high[:, open_ones])
            slope, bend = added.stretch.sum(axis=0), added.stretch_stretch.sum(axis=0)
            if self._largest and step_count:
                change = slope / here - before_slope[open_ones] / before[open_ones]
                secant = here**2 * change / (here - before[open_ones])
                bend = np.where(here == before[open_ones], bend, secant)
            before, before_slope = before.copy(), before_slope.copy()
            before[open_ones], before_slope[open_ones] = here, slope
            low_end = np.where(slope > 0, here, low_end)
            high_end = np.where(slope > 0, high_end, here)
            damped = np.maximum(np.maximum(-bend, np.abs(slope) / _MOST_STRETCH), _LEAST_BEND)
            step = slope / damped
            tried = here * (1 + step)
            is_settled = np.abs(step) <= _SETTLED_RATIO
            # the geometric mean of the bracket; a tenth of its upper end where the lower is 0
            middle = np.where(low_end > 0, np.sqrt(low_end * high_end), 0.1 * high_end)
            is_within = is_settled | ((low_end < tried) & (tried < high_end))
            result[open_ones] = np.where(is_within, tried, middle)
            least[open_ones], most[open_ones] = low_end, high_end
            open_ones = open_ones[~is_settled]
        return result


def problem_of(
    model: Model, observed: Sequence[Observed], noise: Noise, noise_sd: float | None
) -> Problem:
    """
    The problem that observations pose.

    Raises
    ------
    CalibrationError
        If relative noise is asked of a figure that is not above zero, or the model does not
        know the quantity of an observation.
    """
    bounding = tuple(observation for observation in observed if not observation.is_unbounded)
    if not bounding:
        raise CalibrationError("no observation bounds anything: every one is open at both ends")
    # (1) the points of cases and baselines
    names = tuple(
        dict.fromkeys(each.baseline for each in bounding if isinstance(each.baseline, str))
    )
    points: list[Point] = []
    cases: list[tuple[int, int, int, int]] = []
    for index, observation in enumerate(bounding):
        baseline = unknown = -1
        if isinstance(observation.baseline, str):
            unknown = names.index(observation.baseline)
        elif observation.baseline is not None:
            baseline = len(points)
            points.append(Point(observation.quantity, observation.baseline))
        for conditions in observation.cases:
            cases.append((index, len(points), baseline, unknown))
            is_uncapped = observation.relation in _OF_UNCAPPED
            points.append(Point(observation.quantity, conditions, is_uncapped))
    columns = np.array(cases)
    # (2) ends and weights of each case, and the rounding of your own figures
    of_case = [bounding[of] for of in columns[:, 0]]
    ends = np.array([_ends(observation, noise) for observation in of_case])
    sharpness = np.sqrt([observation.scatter_weight for observation in of_case])
    is_own = np.array([not observation.is_published for observation in of_case])
    widths = (ends[is_own, 1] - ends[is_own, 0]) * sharpness[is_own]
    widths = widths[np.isfinite(widths)]
    rounding_sd = float(_root_mean_square(widths)) / WIDTH_IN_SD if widths.size else 0.0
    # (3) the quantities of the model
    typical = _typical(model, bounding)
    try:
        values = quantities(model, points, typical)
    except DomainError as refused:
        raise CalibrationError(f"an observation is not of this model: {refused}") from refused
    return Problem(
        model=model,
        observed=bounding,
        noise=noise,
        noise_sd=noise_sd,
        quantities=values,
        low=ends[:, 0],
        high=ends[:, 1],
        of=columns[:, 0],
        subject=columns[:, 1],
        baseline=columns[:, 2],
        unknown=columns[:, 3],
        sharpness=sharpness,
        unknown_names=names,
        typical=typical,
        least_noise_sd=rounding_sd,
    )


def _typical(model: Model, observed: Sequence[Observed]) -> Floats:
    """Where the search for a curve begins; ones for a linear model, which has its own starts."""
    plain = [observation for observation in observed if observation.baseline is None]
    points = [Point(each.quantity, each.at) for each in plain]
    return start_of(model, points, np.array([_middle(each) for each in plain]))


def _middle(observed: Observed) -> float:
    """The middle of the ends, or the only end."""
    if observed.high == math.inf:
        return observed.low
    return 0.5 * (observed.low + observed.high) if observed.low else observed.high


def _ends(observed: Observed, noise: Noise) -> tuple[float, float]:
    """In units of what scatters."""
    if observed.is_exact and noise is Noise.RELATIVE and observed.high <= 0:
        raise CalibrationError(
            f"{observed.name}: {observed.high!r} cannot have relative noise; "
            "leave it out, or use absolute noise"
        )
    if observed.is_exact:
        end = math.log(observed.low) if noise is Noise.RELATIVE else observed.low
        return end, end
    return _end(observed.low, noise), _end(observed.high, noise)


def _end(value: float, noise: Noise) -> float:
    if value <= 0:
        return -math.inf
    return math.log(value) if noise is Noise.RELATIVE else value


def _root_mean_square(values: Floats) -> Floats:
    """Along the first axis."""
    with np.errstate(over="ignore"):
        roots: Floats = np.sqrt(np.mean(values * values, axis=0))
    return roots
