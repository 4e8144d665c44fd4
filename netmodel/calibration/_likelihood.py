"""The log-likelihood of observations, where it is largest, and how far others are near it."""

import math
from collections.abc import Callable, Sequence
from copy import copy
from functools import cache, partial
from itertools import compress
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel.calibration.models import Curve, LinearModel, Model, Point, bounds_of, key_of
from netmodel.calibration.observations import CENSORED, Observed, conditions_text
from netmodel.errors import CalibrationError, DomainError
from netmodel.numeric import Floats

Noise: TypeAlias = Literal["relative", "absolute"]
"""Scatter about the model is normal in the logarithm of the quantity (its standard deviation is a
ratio, as of rates, times and costs), or in the quantity itself."""
WIDTH_IN_SD = math.sqrt(12)
"""Width of a uniform distribution in its standard deviations."""
_LEAST = 1e-300
"""Near the smallest float, 2e-308: in place of 0 in a division or a logarithm."""
_TIE_RATIO = 1e-6
"""Sums of a point that differ by less than this tie for its largest."""
_STEP_RATIO, _LEAST_STEP = 2e-4, 2e-8
"""Of a parameter, and of its usual size: truncation of slopes by five points is then 1e-15 of
them, rounding 1e-12."""
_NODES = np.array([[-2.0, -1, 0, 1, 2], [0.0, 1, 2, 3, 4], [0.0, -1, -2, -3, -4]])
"""Steps from a place, on both sides, ahead or behind: slopes are exact for degree 4."""
_WEIGHTS = np.array([[1, -8, 0, 8, -1], [-25, 48, -36, 16, -3], [25, -48, 36, -16, 3]]) / 12
"""Weights of those five values in the slope: it is that of the polynomial through them."""
_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
"""The standard normal density is exp(-z**2/2) over the root of 2 pi."""
_NARROW = 1e-4
"""Width times distance in standard deviations: the density in the middle gives the probability to
1e-9, as the square over 24."""
TAIL_DEGREES = 3
"""Degrees of freedom of noise with tails: the fewest that have a standard deviation."""
_LOG_TAILED = math.log(2 / (math.pi * math.sqrt(TAIL_DEGREES)))
"""Logarithm of Student's density at 0, with three degrees of freedom."""
_LEAST_TAILED_BEND = 0.25
"""Curvature of a figure far off, over the square of its slope, by which searches step: there the
likelihood bends the other way. It is that of the weights of iterated least squares."""
_LEAST_BEND = 0.2
"""Curvature of one figure in the logarithm of the noise: a tenth of that of an exact one."""
_ROUNDING = 1e-12
"""Of the spread of figures: less noise is rounding of 64 bits after some hundred operations."""
_LEAST_NOISE = 1e-16
"""Of the spread of figures: half the step of 64 bits."""
_LEAST_SPREAD = 1e-280
"""In place of 0 where all figures are 0: 1e-12 of it is still a normal float."""

Goal: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""From parameters to a quantity, and its slope in each."""
Quantities: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""From parameters, each in its usual size, to the quantities of points and their slopes, of shape
(points, parameters)."""


def quantities(model: Model, points: Sequence[Point], typical: Floats) -> Quantities:
    """
    Return the quantities of a model at points, and their slopes in scaled parameters.

    Raises
    ------
    CalibrationError
        If the model has no value of one.
    """
    if isinstance(model, LinearModel):
        return LargestSums(model, points, typical)
    ends = [each / typical for each in bounds_of(model)]
    return partial(_by_differences, model.function(points), typical, ends)


def _by_differences(
    values: Callable[[Floats], Floats], typical: Floats, ends: Sequence[Floats], parameters: Floats
) -> tuple[Floats, Floats]:
    """Return quantities of any model, with slopes from five points within bounds."""
    low, high = ends
    steps = np.maximum(_LEAST_STEP, _STEP_RATIO * np.abs(parameters))
    which = np.where(parameters - 2 * steps < low, 1, np.where(parameters + 2 * steps > high, 2, 0))
    # columns: each parameter at each of its five places, then all where they are
    moved = np.eye(len(parameters)) * (_NODES[which].T * steps)[:, np.newaxis]
    tried = np.column_stack([np.vstack(moved).T, np.zeros(len(parameters))])
    result = values((tried + parameters[:, np.newaxis]) * typical[:, np.newaxis])
    changes = result[:, :-1].reshape(len(result), -1, len(parameters))
    return result[:, -1], np.einsum("pnk,nk->pk", changes, _WEIGHTS[which].T / steps)


class LargestSums:
    """Quantities of a linear model, all at once: of points with fewer sums the last repeats."""

    def __init__(self, model: LinearModel, points: Sequence[Point], typical: Floats) -> None:
        loads = [model.loads(point) for point in points]
        for point, each in zip(points, loads, strict=True):
            what = f"{point.quantity} at {conditions_text(point.at)}"
            if not len(each.rows):
                raise CalibrationError(f"{what} has no calibrated limit: no parameter changes it")
            if not np.isfinite(each.rows).all():
                raise CalibrationError(f"the model has no value of {what}")
        most = np.arange(max(len(each.rows) for each in loads))
        self.rows = np.array([each.rows[np.minimum(most, len(each.rows) - 1)] for each in loads])
        self.rows[..., :-1] *= typical
        self.is_rate = np.array([each.is_rate for each in loads])

    def __call__(self, parameters: Floats) -> tuple[Floats, Floats]:
        sums = self.rows[..., :-1] @ parameters + self.rows[..., -1]
        binding = (np.arange(len(sums)), sums.argmax(axis=1)) if sums.shape[1] > 1 else np.s_[:, 0]
        loads, slopes = sums[binding], self.rows[binding][:, :-1]
        rates = 1 / np.maximum(loads, _LEAST)
        falling = -slopes * (rates * rates)[:, np.newaxis]
        is_rate = self.is_rate[:, np.newaxis]
        return np.where(self.is_rate, rates, loads), np.where(is_rate, falling, slopes)


class Problem:
    """
    Observations as arrays: one element for each.

    Parameters
    ----------
    model : Model
        Of the quantities.
    observed : sequence of Observed
        Those open at both ends are left out.
    noise : Noise
        What scatters normally.
    noise_sd : float, optional
        Known standard deviation; None where it is to be estimated.

    Attributes
    ----------
    values : callable
        Quantities at all points.
    subject, baseline : numpy.ndarray
        Point of each observation and of its baseline, -1 for none.
    low, high : numpy.ndarray
        Ends, in units of what scatters; infinite where open.
    runs : numpy.ndarray
        Root of the number of runs of each observation: comparisons have the noise of two.
    start, typical : numpy.ndarray
        Where a search begins, as all parameters here in their usual sizes; and these.

    Raises
    ------
    CalibrationError
        If none bounds anything, one is not of the model, or one is of a value without noise.
    """

    def __init__(
        self, model: Model, observed: Sequence[Observed], noise: Noise, noise_sd: float | None
    ) -> None:
        bounding = tuple(each for each in observed if not each.is_unbounded)
        if not bounding:
            raise CalibrationError("no observation bounds anything: every one is open at both ends")
        self.model, self.observed, self.noise, self.noise_sd = model, bounding, noise, noise_sd
        self.pull: tuple[Goal, float, float] | None = None
        self.pull_noise_sd, self.tail_degrees = 1.0, math.inf
        self.names = [each.name for each in model.parameters]
        # (1) ends; an end at 0 is open, but of a figure
        ends = np.array([[each.low, each.high] for each in bounding], float)
        is_open = (ends[:, 0] <= 0) & (ends[:, 1] > 0)
        ends[is_open, 0] = -math.inf if noise == "absolute" else 0.0
        if noise == "relative":
            for each in bounding:
                if each.high <= 0:
                    remedy = "cannot have relative noise; leave it out, or use absolute noise"
                    raise CalibrationError(f"{each.name}: {each.high!r} {remedy}")
            with np.errstate(divide="ignore"):
                ends = np.log(ends)
        self.low, self.high = ends.T
        self.runs = np.sqrt([len(each.all_conditions) for each in bounding])
        # (2) the model at each point of observations and of baselines, once
        compared = [place for place, each in enumerate(bounding) if each.baseline is not None]
        points = [Point(each.quantity, each.at, each.relation in CENSORED) for each in bounding]
        points += [Point(bounding[n].quantity, bounding[n].baseline or {}) for n in compared]
        different = {key_of(point): point for point in points}
        numbers = {key: number for number, key in enumerate(different)}
        places = np.array([numbers[key_of(point)] for point in points])
        self.subject, self.baseline = places[: len(bounding)], np.full(len(bounding), -1)
        self.baseline[compared] = places[len(bounding) :]
        try:
            start = self._start([*different.values()])
            self.typical = np.where(start == 0, 1.0, np.abs(start))
            if isinstance(model, Curve):
                self.values = quantities(model, [*different.values()], self.typical)
        except DomainError as refused:
            raise CalibrationError(f"an observation is not of this model: {refused}") from refused
        self.start = start / self.typical
        self._count()

    def _start(self, points: Sequence[Point]) -> Floats:
        """Return parameters where a search begins, of a usual size."""
        plain = self.baseline < 0
        at, figures = self.subject[plain], np.array([each.middle for each in self.observed])[plain]
        if isinstance(self.model, Curve):
            start = self.model.start
            if callable(start):
                start = start(*self.model.columns([points[place] for place in at]), figures)
            return np.array(start, float)[[x in self.model.parameters for x in self.model.every]]
        sums = self.values = LargestSums(self.model, points, np.ones(len(self.names)))
        amounts = sums.rows[at, :, :-1].max(axis=1)
        with np.errstate(all="ignore"):  # each alone as large as the figures allow
            loads = np.where(sums.is_rate[at], 1 / figures, figures)[:, np.newaxis]
            alone = np.where(amounts > 0, loads / amounts, math.inf).min(axis=0, initial=math.inf)
        alone = np.where(np.isfinite(alone) & (alone > 0), alone, 1.0)
        sums.rows[..., :-1] *= alone
        return alone

    def _count(self) -> None:
        """Set what the observations that are left amount to."""
        # all but censored ones have two ends, and only noise separates an exact one from the model
        self.is_informative = np.isfinite(self.low) & np.isfinite(self.high)
        self.is_exact = self.low == self.high
        self.count = int(self.is_informative.sum())
        self.degrees_of_freedom = self.count - len(self.typical)
        # of the squared noise that is likeliest, for the remaining degrees of freedom
        left = self.count / self.degrees_of_freedom if self.degrees_of_freedom > 0 else math.nan
        self.correction = 1.0 if self.noise_sd is not None else left
        # a likelihood without kinks or far bends: of figures and single sums alone
        is_single = isinstance(self.values, LargestSums) and self.values.rows.shape[1] == 1
        self.is_smooth = is_single and bool(self.is_informative.all())
        ends = np.concatenate([self.low, self.high])
        finite = ends[np.isfinite(ends)]
        self.spread = max(float(np.ptp(finite)), float(np.abs(finite).max()), _LEAST_SPREAD)
        # estimated noise is at least the standard deviation of the rounding of your own figures
        is_own = self.is_informative & [not each.is_published for each in self.observed]
        squares = ((self.high - self.low) / self.runs)[is_own] ** 2
        self.least_noise_sd = math.sqrt(squares.mean()) / WIDTH_IN_SD if squares.size else 0.0
        low, high = (ends / self.typical for ends in bounds_of(self.model))
        if self.noise_sd is None:
            least = max(self.least_noise_sd, _LEAST_NOISE * self.spread)
            low, high = np.append(low, math.log(least)), np.append(high, math.inf)
        self.limits = low, high
        # noise is to be found beside figures whose rounding is no lower bound of it
        is_bounded = bool(self.is_exact.all()) or self.least_noise_sd > 0
        self.is_rounded_only = self.noise_sd is None and not is_bounded

    def without(self, is_out: npt.NDArray[np.bool_], parameters: Floats) -> "Problem":
        """Return the problem without some observations, searched from these parameters."""
        rest = copy(self)
        rest.observed = tuple(compress(self.observed, ~is_out))
        for name in ("subject", "baseline", "low", "high", "runs"):
            setattr(rest, name, getattr(self, name)[~is_out])
        rest.start = parameters
        rest._count()
        return rest

    def pulled(self, goal: Goal, level: float, sd: float, noise_sd: float) -> "Problem":
        """Return the problem with a goal as one more figure: near a level, with a deviation."""
        rest = copy(self)
        rest.pull, rest.pull_noise_sd = (goal, level, sd), noise_sd
        return rest

    def short_of(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return how far the goal is below its level, in deviations, and slopes; a row, or none."""
        if self.pull is None:
            return np.empty(0), np.empty((0, len(parameters)))
        goal, level, sd = self.pull
        value, slopes = goal(parameters)
        return np.array([level - value]) / sd, slopes[np.newaxis] / sd

    def is_noiseless(self, noise_sd: float) -> bool:
        """Return whether estimated noise is only rounding of 64 bits."""
        return self.noise_sd is None and noise_sd < _ROUNDING * self.spread

    def means(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Value of the model for each observation, in units of what scatters, with its slopes."""
        values, slopes = self.values(parameters)
        means, rises = values[self.subject], slopes[self.subject]
        compared = np.flatnonzero(self.baseline >= 0)
        if compared.size:
            beside = self.baseline[compared]
            means[compared] /= values[beside]
            fall = means[compared, np.newaxis] * slopes[beside]
            rises[compared] = (rises[compared] - fall) / values[beside, np.newaxis]
        if self.noise == "absolute":
            return means, rises
        means = np.maximum(means, _LEAST)
        return np.log(means), rises / means[:, np.newaxis]

    def terms(self, means: Floats, noise_sd: float) -> Floats:
        """
        Return the log-likelihood of each observation at these values of the model.

        Five rows: its value, its slope in the mean in standard deviations, its slope in the
        logarithm of the standard deviation, its curvature in the mean, from above zero down, and
        that in this logarithm.
        """
        sd = noise_sd * self.runs
        low, high = (self.low - means) / sd, (self.high - means) / sd
        # narrow ones by the density in their middle: times their width, of exact ones of a unit
        middle, width = 0.5 * (low + high), np.where(self.is_exact, 1 / sd, high - low)
        logs, weight, fall = _density(middle, self.tail_degrees)
        square, value = middle * middle, np.log(width) + logs
        bends, spreads = fall * (2 * weight - 1), 2 * fall * weight * square
        terms = np.array([value, fall * middle, fall * square - 1, bends, spreads])
        is_wide = ~(self.is_exact | (width * np.maximum(np.abs(middle), 1.0) < _NARROW))
        if is_wide.any():
            terms[:, is_wide] = _between(low[is_wide], high[is_wide], self.tail_degrees)
        return terms

    def log_likelihood(self, place: Floats) -> tuple[float, Floats, Floats, Floats, float]:
        """
        Return the log-likelihood, its slopes, and what Newton's method needs.

        Parameters
        ----------
        place : numpy.ndarray
            Parameters in their usual sizes; then the logarithm of the noise, where that is
            estimated.

        Returns
        -------
        value : float
            Minus infinity where the model has no value.
        slopes : numpy.ndarray
            In each element of the place.
        evidence : numpy.ndarray
            Slopes of means over the deviation of each observation.
        deviations : numpy.ndarray
            By how many of these each mean is below where it is likelier.
        spread : float
            Curvature in the logarithm of the noise.
        """
        size = len(self.names)
        means, slopes = self.means(place[:size])
        noise_sd = float(np.exp(place[size])) if self.noise_sd is None else self.noise_sd
        values, shifts, stretches, bends, spreads = self.terms(means, noise_sd)
        short, towards = self.short_of(place[:size])
        value = float(values.sum()) - 0.5 * float(short @ short)
        rises = shifts / self.runs / noise_sd @ slopes + short @ towards
        gradient = np.append(rises, stretches.sum())[: len(place)]
        is_tailed = self.tail_degrees < math.inf
        bend = np.sqrt(np.maximum(bends, is_tailed * _LEAST_TAILED_BEND * shifts**2))
        evidence = np.vstack([(bend / self.runs / noise_sd)[:, np.newaxis] * slopes, towards])
        deviations = np.divide(shifts, bend, out=np.zeros_like(bend), where=bend > 0)
        spread = max(float(spreads[self.is_informative].sum()), _LEAST_BEND * self.count)
        if not (math.isfinite(value) and np.isfinite(gradient).all()):
            value, gradient = -math.inf, np.zeros_like(gradient)
        return value, gradient, evidence, np.append(deviations, short), spread

    def ties(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Slopes and values of differences between sums that tie for the largest of a point."""
        if not isinstance(self.values, LargestSums) or self.values.rows.shape[1] == 1:
            return np.empty((0, len(parameters))), np.empty(0)
        coefficients, constants = self.values.rows[..., :-1], self.values.rows[..., -1]
        sums = coefficients @ parameters + constants
        gaps = sums - sums.max(axis=1, keepdims=True)
        rows = coefficients - coefficients[np.arange(len(sums)), sums.argmax(axis=1)][:, np.newaxis]
        is_tie = (np.abs(gaps) <= _TIE_RATIO * np.abs(sums)) & rows.any(axis=2)
        return rows[is_tie], gaps[is_tie]

    def misses(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Distance of each observation from the model, by its middle or its only end; slopes."""
        means, slopes = self.means(parameters)
        low, high = self.low - means, self.high - means
        beyond = np.maximum(low, 0.0) + np.minimum(high, 0.0)
        missed = np.where(self.is_informative, 0.5 * (low + high), beyond)
        root = (self.is_informative | (missed != 0)) / self.runs
        short, towards = self.short_of(parameters)
        missed = np.append(missed * root, short * self.pull_noise_sd)
        return missed, -np.vstack([slopes * root[:, np.newaxis], towards * self.pull_noise_sd])


def _density(at: Floats, degrees: float) -> tuple[Floats, Floats, Floats]:
    """Return the logarithm of Student's density; the weight of figures there; its fall over at."""
    weight = 1 / (1 + at * at / degrees)
    if degrees == math.inf:
        return -0.5 * at * at - _LOG_ROOT_TWO_PI, weight, weight
    logs = _LOG_TAILED + 0.5 * (degrees + 1) * np.log(weight)
    return logs, weight, (1 + 1 / degrees) * weight


def _between(low: Floats, high: Floats, degrees: float) -> Floats:
    """Terms of a value between two ends, in standard deviations; of Student's noise, in scales."""
    from scipy.special import log_ndtr, stdtr

    # from the tail that keeps the digits
    is_mirrored = low > 0
    upper, lower = np.where(is_mirrored, -low, high), np.where(is_mirrored, -high, low)
    if degrees == math.inf:
        above = log_ndtr(upper)
        value = above + np.log(-np.expm1(log_ndtr(lower) - above))
    else:
        value = np.log(stdtr(degrees, upper) - stdtr(degrees, lower))
    ends = np.array([low, high])
    logs, _, fall = _density(ends, degrees)
    density = np.exp(logs - value) * [[1.0], [-1.0]]
    weighed = density * np.array([ends**0, ends, fall * ends, fall * ends**3])
    shift, stretch, second, third = np.where(np.isfinite(ends), weighed, 0.0).sum(axis=1)
    return np.array([value, shift, stretch, shift**2 - second, stretch * (stretch + 1) - third])


_STARTS = 6
"""The usual sizes of parameters and others about them: enough for NIST's nonlinear problems."""
_LEAST_SQUARES: dict[str, Any] = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14, "max_nfev": 1000}
"""Some tens of roundings of a float; MGH10 and Bennett5 of NIST take some hundred steps."""
_NEAR_BOUND = 1e-8
"""Distance from a bound at which a search ends, as a share of the usual size."""
_SAME_HEIGHT = 1e-9
"""Relative difference of log-likelihoods of two searches that end at the same optimum."""
_ENOUGH = 4
"""Starts that lead to the same optimum: two missed it in 3 of 16 fits of saturation, a kink."""
_FLAT_GAIN, _FAR_STEP = 1e-12, 1e-4
"""Gain of log-likelihood, and step over the usual size: a far step without gain is on a plain."""
_STEP_SHARES, _ENOUGH_RISE = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3), 0.1
"""Shares of a step to try where the likelihood bends, and of the rise that slopes promise."""
_LEAST_STEP_GAIN, _LEAST_END_GAIN = 1e-20, 1e-14
"""Gain of log-likelihood of a step that moves no parameter by 1e-10 of its standard deviation; at
an end, where parameters count by the square of what they are off, of one by 1e-7."""
_NO_RISE = 1e-12
"""Rounding of a log-likelihood, a sum of some hundred terms."""
_LEAST_GAIN = 1e-3
"""Expected gain of log-likelihood by which an optimum is missed, some hundredths of a standard
deviation of a parameter."""
_LEAST_EFFECT_SD = 1e-6
"""Standard deviations by which a parameter must move some figure for this to depend on it: well
above the 1e-9 to which searches settle."""
_LEAST_CURVATURE = 1e-10
"""Smallest to largest: below it rounding sets how far a region extends."""
_NO_DIGITS = 1e-14
"""Share of the largest singular value below which a float of 15 digits has none left."""
_FAR = 1e3
"""Radii: a region that extends this far counts as open there."""
_OVER = 1e-6
"""Share of the loss at the edge of a region by which a scattered place may lie beyond it."""
_ASIDE = 0.2
"""Share of the expected distance of an end: a search begins this far off the straight way."""
_SCATTERED, _SCATTER = 400, 1.0
"""Places tried for parts of a region that are apart, and how far they lie about it, in radii."""
_MANY = 200
"""Figures from which on no parts of a region are apart, and scattered places would take seconds."""
_FARTHER = 1e-7
"""Share of the expected distance of an end that the search resolves."""
_PULL_SD = 1e-2
"""Standard deviation of a pull to a level, as a share of the expected distance of an end: the goal
settles within a thousandth of that distance of its level."""
_MOST_STEPS = 40
"""Several times what Newton's method takes, or the search for one end of a region."""
_LEFT_GAIN = 1e-7
"""Log-likelihood that Newton's method may leave; where it leaves more, least squares search."""


class Optimum(NamedTuple):
    """
    The maximum of the log-likelihood.

    Parameters
    ----------
    place : numpy.ndarray
        As `Problem.log_likelihood` takes it.
    noise_sd : float
        Standard deviation of one run.
    log_likelihood : float
        There.
    information : numpy.ndarray
        Its curvature in the parameters, by the slopes of the model.
    is_active : numpy.ndarray
        Whether a bound keeps a parameter from a likelier value.
    is_unseen : numpy.ndarray
        Whether no observation depends on a parameter there.
    step : numpy.ndarray
        To where another step of Newton's method leads, along bounds and ties that hold.
    gain : float
        What it would gain of log-likelihood.
    """

    place: Floats
    noise_sd: float
    log_likelihood: float
    information: Floats
    is_active: npt.NDArray[np.bool_]
    is_unseen: npt.NDArray[np.bool_]
    step: Floats
    gain: float

    @property
    def parameters(self) -> Floats:
        """The parameters, each in its usual size."""
        return self.place[: len(self.is_active)]


@np.errstate(all="ignore")
def likeliest(problem: Problem, starts: int = _STARTS) -> Optimum:
    """
    Return the parameters, and the noise if not known, under which observations are likeliest.

    Raises
    ------
    CalibrationError
        If no start has a value, or the search does not converge.
    """
    reached: list[Optimum] = []
    enough, chance = 1 if problem.is_smooth else _ENOUGH, np.random.default_rng(0)
    for number in range(starts):
        away = np.exp(chance.normal(0, 1, len(problem.names))) if number else 1.0
        reached += _climbed(problem, problem.start * away)
        if not reached:
            continue
        most = max(each.log_likelihood for each in reached)
        slack = _SAME_HEIGHT * (1 + abs(most))
        best, *alike = (each for each in reached if each.log_likelihood >= most - slack)
        # enough starts led to the same optimum, and it is no plain without slopes, as where a line
        # binds all figures but one
        scale = np.sqrt(np.diag(best.information))
        rank = np.linalg.matrix_rank(best.information / np.outer(scale, scale), hermitian=True)
        is_enough = 1 + len(alike) >= enough and not best.is_unseen.any() and rank == len(scale)
        if is_enough or problem.is_noiseless(best.noise_sd):
            break
    if not reached:
        raise CalibrationError("the model has no value near any start of the search")
    # two searches that end alike are sure of an optimum, also where curvature is rounding
    is_sure = best.gain <= _LEAST_GAIN or alike or starts == 1
    if not is_sure and rank == len(scale) and not problem.is_noiseless(best.noise_sd):
        raise CalibrationError("the search did not converge; give a nearer start, or bounds")
    # a parameter without effect there may have one elsewhere, at changes of its usual size
    for index in np.flatnonzero(best.is_unseen).tolist():
        for value in (problem.start[index], problem.limits[0][index]):
            beside = np.where(np.arange(len(best.place)) == index, value, best.place)
            if problem.log_likelihood(beside)[0] >= best.log_likelihood - slack:
                best = _optimum(problem, beside)
                break
    return best


def _optimum(problem: Problem, place: Floats) -> Optimum:
    """Return what there is to know of a place."""
    from scipy.linalg import null_space

    size, (low, high) = len(problem.names), problem.limits
    place = np.where(high - place < _NEAR_BOUND, high, place)
    place = np.where(place - low < _NEAR_BOUND, low, place)
    parameters = place[:size]
    noise_sd = problem.noise_sd or float(np.exp(place[-1]))
    value, rises, evidence, deviations, spread = problem.log_likelihood(place)
    effects = np.linalg.norm(evidence, axis=0)
    is_weak = (effects * np.abs(parameters) < _LEAST_EFFECT_SD) & (parameters != 0)
    is_unseen = (effects == 0) | is_weak
    information = evidence.T @ evidence + np.diag(is_unseen)
    is_active = ((place <= low) & (rises <= 0)) | ((place >= high) & (rises >= 0))
    # a step along ties and bounds that hold, by least squares of the deviations
    scale = np.where(effects > 0, effects, 1.0)
    held = np.vstack([problem.ties(parameters)[0] / scale, np.eye(size)[is_active[:size]]])
    along = null_space(held) if len(held) else np.eye(size)
    gain, step = math.inf, 0 * place
    if np.isfinite(evidence).all() and math.isfinite(value):
        moved = along @ np.linalg.lstsq(evidence / scale @ along, deviations, rcond=_NO_DIGITS)[0]
        step[:size] = moved / scale
        step[size:] = np.where(is_active, 0.0, rises)[size:] / (spread or 1.0)
        gain = 0.5 * float(rises @ step)
    return Optimum(place, noise_sd, value, information, is_active[:size], is_unseen, step, gain)


def _settled(problem: Problem, best: Optimum) -> Optimum:
    """Return where Newton's method ends, with the curvature by the slopes of the model."""
    least = _LEAST_STEP_GAIN if problem.pull is None else _LEAST_END_GAIN
    for _ in range(_MOST_STEPS):
        is_plain = best.gain < _FLAT_GAIN and np.abs(best.step).max() > _FAR_STEP
        if best.gain < least or is_plain or not math.isfinite(best.gain):
            break
        for share in _STEP_SHARES:
            there = _optimum(problem, np.clip(best.place + share * best.step, *problem.limits))
            rise = there.log_likelihood - best.log_likelihood
            is_even = rise > -_NO_RISE * (1 + abs(best.log_likelihood))
            if (is_even and there.gain < best.gain / 2) or rise > _ENOUGH_RISE * share * best.gain:
                break
        else:
            break
        best = there
    return best


def _climbed(problem: Problem, start: Floats) -> list[Optimum]:
    """Return where least squares end, and from there the search of the likelihood; or nothing."""
    from scipy.optimize import least_squares

    size, limits = len(start), problem.limits
    low, high = (ends[:size] for ends in limits)
    try:
        found = least_squares(
            lambda place: problem.misses(place)[0],  # type: ignore[misc]
            np.clip(start, low, high),
            lambda place: problem.misses(place)[1],  # type: ignore[misc]
            (low, high),
            method="trf" if np.isfinite([low, high]).any() else "lm",
            x_scale="jac",
            **_LEAST_SQUARES,
        )
    except (ValueError, np.linalg.LinAlgError):
        return []
    place = found.x
    if problem.noise_sd is None:
        noise_sd = math.sqrt(2 * found.cost / max(problem.count, 1))
        place = np.append(place, max(math.log(max(noise_sd, _LEAST)), limits[0][-1]))
    best = _settled(problem, _optimum(problem, place))
    # along the edge at which two sums are the largest, which no slope leads to
    rows, gaps = problem.ties(best.parameters)
    if len(rows):
        onto = best.place - np.pad(np.linalg.pinv(rows) @ gaps, (0, len(place) - size))
        beside = _settled(problem, _optimum(problem, np.clip(onto, *limits)))
        best = max(best, beside, key=lambda each: each.log_likelihood)
    return [best] if math.isfinite(best.log_likelihood) else []


class Region:
    """
    Parameters whose likelihood is not too far below the largest.

    Parameters
    ----------
    problem : Problem
        The observations.
    optimum : Optimum
        Where they are likeliest.
    threshold : float
        Twice the log-likelihood that may be lost.
    """

    @np.errstate(all="ignore")
    def __init__(self, problem: Problem, optimum: Optimum, threshold: float) -> None:
        self.problem, self.optimum, self.threshold = problem, optimum, threshold
        # (1) columns: how a place changes to the edge along each coordinate, if it were a ball
        information = optimum.information
        scale = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
        is_plain = values <= _LEAST_CURVATURE * values.max()
        values = np.where(is_plain, _LEAST_CURVATURE * values.max(), values)
        axes = vectors / np.sqrt(values) / scale[:, np.newaxis] * self._radius(threshold)
        # on a plain, where rounding would set how far it is, bounds are some usual sizes away
        axes[:, is_plain] /= np.linalg.norm(axes[:, is_plain], axis=0)
        if problem.noise_sd is None:
            # more noise is likeliest at the edge by about the square of this
            axes = np.pad(axes, ((0, 1), (0, 1)))
            axes[-1, -1] = math.sqrt(threshold / (2 * problem.count))
        self.axes = axes
        # (2) places in it: first some scattered ones, as a kink may part it; later its ends
        count = 0 if problem.is_smooth or problem.count >= _MANY else _SCATTERED
        places = map(self._place, np.random.default_rng(0).normal(0, _SCATTER, (count, len(axes))))
        least = optimum.log_likelihood - 0.5 * threshold * (1 + _OVER)
        self._ends = [each for each in places if problem.log_likelihood(each)[0] >= least]

    @np.errstate(all="ignore")
    def farthest(self, goal: Goal) -> tuple[float, Floats]:
        """Return the largest value of a goal, infinite if open, and the parameters there."""
        size, (least, slopes) = len(self.problem.names), goal(self.optimum.parameters)
        towards = slopes @ self.axes[:size]
        reach = float(np.linalg.norm(towards))
        if not reach:
            return least, self.optimum.parameters
        towards /= reach
        if self.problem.noise_sd is None:  # farther away more noise is likeliest
            towards[-1] = self.axes[-1, -1]
        if not self.problem.is_smooth:  # beside an axis of symmetry
            towards += np.random.default_rng(0).normal(0, _ASIDE, len(towards))
        ahead = self._place(towards)
        best, at = self._pushed(goal, self.optimum.place, ahead, least + reach, reach)
        # from the end of another goal that is farthest
        place = max([at, *self._ends], key=partial(self._value, goal))
        if (value := self._value(goal, place)) > best + _FARTHER * reach:
            best, at = self._pushed(goal, place, place, value, reach)
        self._ends.append(at)
        return math.inf if best - least > _FAR * reach else best, at[:size]

    @np.errstate(all="ignore")
    def ends(self, goal: Goal) -> tuple[float, float]:
        """Return the smallest and largest value of a goal; infinite where the region is open."""
        low, _ = self.farthest(lambda place: (-(found := goal(place))[0], -found[1]))
        return -low, self.farthest(goal)[0]

    def _pushed(
        self, goal: Goal, inside: Floats, start: Floats, level: float, reach: float
    ) -> tuple[float, Floats]:
        """
        Return where the profile of a goal leaves the region, outward from a place in it.

        A pull holds the goal at a level, where all else is as likely as it can be.
        """
        from scipy.optimize import brentq

        optimum, limit = self.optimum, self._radius(self.threshold)
        least, best, last = self._value(goal, optimum.place), self._value(goal, inside), math.nan
        found_at, endless = [(level, start)], least + _FAR * reach

        @cache
        def beyond(level: float) -> float:
            nonlocal best, inside, last
            problem = self.problem.pulled(goal, level, _PULL_SD * reach, optimum.noise_sd)
            # straight ahead from the nearest place that is known
            value, start = min(found_at, key=lambda each: abs(each[0] - level))
            ahead = (level - least) / (value - least) if value > least else 1.0
            start = np.clip(optimum.place + ahead * (start - optimum.place), *self.problem.limits)
            begun = _optimum(problem, start)
            if not self._lost(problem, begun) < _FAR * self.threshold:
                begun = _optimum(problem, inside)
            found = _settled(problem, begun)
            if found.gain > _LEFT_GAIN:
                climbed = _climbed(problem, begun.parameters)
                found = max([found, *climbed], key=lambda each: each.log_likelihood)
            last = goal(found.parameters)[0]
            root = self._radius(max(self._lost(problem, found), 0.0))
            if root <= limit * (1 + _FARTHER) and last >= best:
                best, inside = last, found.place
            found_at.append((last, found.place))
            return 0.0 if abs(root - limit) <= _FARTHER * limit else root - limit

        low, high, before, more = best, level, math.nan, -math.inf
        while more < 0 and not abs(last - before) <= _FARTHER * reach and best <= endless:
            before, more = last, beyond(high)
            reach = min(reach, last - least) if last > least else reach
            if more < 0:
                low, high = best, best + max(reach, best - least)
        if more > 0 > beyond(low):
            brentq(beyond, low, high, xtol=_FARTHER * reach, maxiter=_MOST_STEPS, disp=False)
        return best, inside

    def _radius(self, lost: float) -> float:
        """Return the distance of a loss of likelihood: that of parameters, were it a ball."""
        count = self.problem.count
        if self.problem.noise_sd is None:
            lost = count * math.expm1(min(lost / count, 300.0))
        return math.sqrt(lost)

    def _lost(self, problem: Problem, found: Optimum) -> float:
        """Return twice the log-likelihood that is lost at a place, beside that to a pull."""
        short, _ = problem.short_of(found.parameters)
        return 2 * (self.optimum.log_likelihood - found.log_likelihood) - float(short @ short)

    def _value(self, goal: Goal, place: Floats) -> float:
        value = goal(place[: len(self.problem.names)])[0]
        return value if math.isfinite(value) else -math.inf

    def _place(self, coordinates: Floats) -> Floats:
        place = self.optimum.place + self.axes @ coordinates
        return np.asarray(np.clip(place, *self.problem.limits))
