"""The maximum of the log-likelihood: starts, and a Newton search from each."""

import math
from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel.calibration._diagnostics import is_flat
from netmodel.calibration._noise import Noise
from netmodel.calibration._problem import Likely, LinearQuantities, Optimum, Problem
from netmodel.errors import CalibrationError
from netmodel.numeric import Floats

_CURVE_STARTS = 6
"""The start of a curve and others about it: enough for all of NIST's nonlinear problems."""
_REASSIGNMENTS = 8
"""Of binding sums to points: they settle after two or three, or cycle."""
_NUDGE = 1e-3
"""Of the size of a parameter: away from parameters that leave a rate unlimited."""
_AT_BOUND_RATIO = 1e-8
"""Of a start: the distance that SciPy's search within bounds keeps from them."""
_LEAST_SQUARES_STEPS = 1000
"""MGH10 and Bennett5 of NIST take some hundred."""
_LEAST_SQUARES_RATIO = 1e-14
"""Relative change at which SciPy's search ends: some tens of roundings of a float."""
_LEAST_CURVATURE = 1e-300
"""In place of 0 in a division: near the smallest float."""
_Bounds: TypeAlias = tuple[Floats, Floats]
_MOST_STEPS = 500
"""Along a bent ridge a step may gain only a hundredth of the remaining distance."""
_LEAST_GAIN = 1e-8
"""Expected gain of log-likelihood at an optimum: 1e-4 standard deviations of a parameter."""
_ENOUGH_STARTS = 2
"""Starts that lead to the same optimum: a second confirms the first."""
_SAME_HEIGHT = 1e-7
"""Relative difference of log-likelihoods between two searches that end at the same optimum."""
_ENOUGH_GAIN = 1e-28
"""Expected gain below which steps are rounding: 1e-14 standard deviations."""
_MOST_EDGES = 6
"""Changes of the binding limits on the way; more are a cycle."""
_ASIDE_SD = 1e-4
"""Standard deviations off an edge: beyond the 1e-6 within which sums tie, and still near."""
_LEAST_ANGLE = 1e-9
"""Between different ties, as a ratio of singular values: more than rounding of 1e-12."""
_LEAST_SINGULAR = 1e-15
"""Of the largest singular value: in directions of less, which are rounding, no step is made."""
_MOST_POLISHING = 20
"""Each step at least halves the remaining gain: to a millionth in all."""
_ROUNDING = 1e-12
"""Of a log-likelihood, after sums of some hundred terms."""
_FIRST_DAMPING, _LEAST_DAMPING = 1e-3, 1e-15
"""Of the curvature: almost a Newton step, and one but for rounding."""
_LESS_DAMPING, _MORE_DAMPING = 10, 8
"""Factors after a step that gains as expected, and after another; as they differ, a search that
alternates does not repeat the same two steps."""
_MOST_DAMPING = 1e15
"""Steps are then rounding of the parameters."""
_FAIR_RATIO = 0.25
"""Of the expected gain (Marquardt): a step that gains less is followed by a shorter one."""


def starts(problem: Problem) -> Iterator[Floats]:
    """
    Parameters to begin a search with, each with suitable unknown quantities.

    Those of a linear model solve weighted least squares of its sums. Those of a curve are its
    own start, then others about it, each after least squares of the misses.
    """
    linear = problem.quantities if isinstance(problem.quantities, LinearQuantities) else None
    if linear is not None:
        begins = _linear_starts(problem, linear)
    else:
        size = (_CURVE_STARTS - 1, len(problem.typical))
        factors = np.exp(np.random.default_rng(0).normal(0, 1, size))
        begins = iter(problem.typical * np.vstack([np.ones_like(problem.typical), factors]))
    for begin in begins:
        # unknown quantities that agree with the comparisons with them
        start = np.concatenate([begin, np.zeros(len(problem.unknown_names))])
        with np.errstate(all="ignore"):
            values = problem.quantities.values(begin)[problem.subject]
            logarithms = np.log(values / _figures(problem))
        for index in range(len(problem.unknown_names)):
            is_compared = (problem.unknown == index) & np.isfinite(logarithms)
            if is_compared.any():
                start[len(begin) + index] = np.mean(logarithms[is_compared])
        yield start if linear is not None else _near(problem, start)


def _near(problem: Problem, start: Floats) -> Floats:
    """The least squares of the misses from a start."""
    from scipy.optimize import least_squares

    low, high = problem.bounds
    is_free = not np.isfinite([low, high]).any()
    try:
        with np.errstate(all="ignore"):
            result = least_squares(
                problem.misses,
                np.clip(start, low, high),
                problem.miss_slopes,
                (low, high),
                method="lm" if is_free else "trf",
                x_scale="jac",
                ftol=_LEAST_SQUARES_RATIO,
                xtol=_LEAST_SQUARES_RATIO,
                gtol=_LEAST_SQUARES_RATIO,
                max_nfev=_LEAST_SQUARES_STEPS,
            )
    except (ValueError, np.linalg.LinAlgError):
        return start
    # on a bound where within the distance that the search keeps off it
    near = _AT_BOUND_RATIO * np.abs(start)
    at_low = np.where(result.x - low < near, low, result.x)
    at_bounds: Floats = np.where(high - result.x < near, high, at_low)
    return at_bounds


def _figures(problem: Problem) -> Floats:
    """One figure for each case: the middle of its ends, or the only one."""
    low, high = problem.low, problem.high
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (low + high)
    figures = np.where(np.isfinite(middle), middle, np.where(np.isfinite(low), low, high))
    return np.exp(figures) if problem.noise is Noise.RELATIVE else figures


def _linear_starts(problem: Problem, linear: LinearQuantities) -> Iterator[Floats]:
    """For sums that may be binding at first, and each case of observations of several cases."""
    point_count, sum_count = linear.coefficients.shape[:2]
    first = [np.full(point_count, place) for place in range(sum_count)]
    if sum_count > 1:
        alone = _largest_alone(problem, linear)
        first.insert(0, (linear.coefficients @ alone + linear.constants).argmax(axis=1))
    for begin, case in product(first, range(int(problem.case.max()) + 1)):
        binding = begin
        for _ in range(_REASSIGNMENTS):
            start = _least_squares(problem, linear, binding, case)
            assigned = (linear.coefficients @ start + linear.constants).argmax(axis=1)
            if np.array_equal(binding, assigned):
                break
            binding = assigned
        yield start


def _largest_alone(problem: Problem, linear: LinearQuantities) -> Floats:
    """The largest value of each parameter that the figures allow if all others are 0."""
    plain = (problem.unknown < 0) & (problem.baseline < 0)
    subject, figures = problem.subject[plain], _figures(problem)[plain]
    with np.errstate(divide="ignore", invalid="ignore"):
        load = np.where(linear.is_rate[subject], 1 / figures, figures)
        most = load[:, np.newaxis, np.newaxis] / linear.coefficients[subject]
    alone: Floats = np.where(most > 0, most, np.inf).min(axis=(0, 1), initial=np.inf)
    return np.where(np.isfinite(alone), alone, 0.0)


def _least_squares(
    problem: Problem, linear: LinearQuantities, binding: npt.NDArray[np.int64], case: int
) -> Floats:
    """Parameters whose binding sums are nearest to the figures, by relative differences."""
    # (1) the binding sum of each point, and a case of each observation
    rows = np.arange(len(binding))
    coefficients, constants = linear.coefficients[rows, binding], linear.constants[rows, binding]
    is_last = np.append(np.diff(problem.of) > 0, True)
    is_chosen = (problem.case == case) | (is_last & (problem.case < case))
    plain = (problem.unknown < 0) & is_chosen
    subject, baseline = problem.subject[plain], problem.baseline[plain]
    # (2) a x + c = load for a figure, a x + c = load (b x + d) for a ratio, over the load
    figures = _figures(problem)[plain]
    with np.errstate(divide="ignore"):
        load = np.where(linear.is_rate[subject], 1 / figures, figures)
    is_plain = baseline < 0
    scale = np.where(is_plain & (load != 0), load, 1.0)
    ratio = np.where(is_plain, 0.0, load)
    matrix = coefficients[subject] - ratio[:, np.newaxis] * coefficients[baseline]
    target = np.where(is_plain, load, ratio * constants[baseline]) - constants[subject]
    weight = problem.sharpness[plain] / np.abs(scale)
    is_finite = np.isfinite(weight) & np.isfinite(target)
    matrix, target = (weight[:, np.newaxis] * matrix)[is_finite], (weight * target)[is_finite]
    # (3) least squares within bounds, of parameters in units of their columns
    largest = np.abs(matrix).max(axis=0, initial=0)
    largest[largest == 0] = 1.0
    size = largest * np.maximum(np.linalg.norm(matrix / largest, axis=0), 1.0)
    width = matrix.shape[1]
    low, high = (ends[:width] for ends in problem.bounds)
    result = _within_bounds(matrix / size, target, low * size, high * size)
    start: Floats = np.clip(result / size, low, high)
    if ((linear.coefficients @ start + linear.constants).max(axis=1)[linear.is_rate] <= 0).any():
        start = np.clip(start + _NUDGE / size, low, high)
    return start


def _within_bounds(matrix: Floats, target: Floats, low: Floats, high: Floats) -> Floats:
    """Least squares in which what leaves its bounds stays there: the climb may release it."""
    result, is_free = np.zeros(len(low)), np.ones(len(low), bool)
    while is_free.any():
        rest = target - matrix[:, ~is_free] @ result[~is_free]
        result[is_free] = np.linalg.lstsq(matrix[:, is_free], rest)[0]
        is_outside = (result < low) | (result > high)
        result = np.clip(result, low, high)
        if not is_outside.any():
            break
        is_free &= ~is_outside
    return result


def likeliest(problem: Problem) -> Optimum:
    """
    The best of the optima that several starts lead to.

    Raises
    ------
    CalibrationError
        If no start leads to an optimum.
    """
    enough = _ENOUGH_STARTS + int(problem.case.max())
    reached: list[Optimum] = []
    for start in starts(problem):
        optimum = climb(problem, start)
        if math.isfinite(optimum.likely.log_likelihood):
            reached.append(optimum)
        alike = _as_good_as_best(reached)
        # enough starts led to the same optimum, and it is no plain without slopes
        if len(alike) >= enough and not is_flat(
            problem, alike[0].parameters, alike[0].likely.noise_sd
        ):
            break
    if not reached:
        raise CalibrationError("the model has no value near any start of the search")
    best = _as_good_as_best(reached)[0]
    if best.gain > _LEAST_GAIN and not problem.is_noiseless(best.likely.noise_sd):
        raise CalibrationError(
            "the search for the best fit did not converge; give a start nearer to it, or bounds"
        )
    return best


def _as_good_as_best(reached: list[Optimum]) -> list[Optimum]:
    """Those of the largest log-likelihood, in the order of their starts."""
    most = max((optimum.likely.log_likelihood for optimum in reached), default=0.0)
    slack = _SAME_HEIGHT * (1 + abs(most))
    return [optimum for optimum in reached if optimum.likely.log_likelihood >= most - slack]


@np.errstate(all="ignore")
def climb(problem: Problem, start: Floats) -> Optimum:
    """
    The optimum that is reached from a start within bounds, also along edges where sums tie.

    Steps that gain less than expected are followed by shorter ones, as smooth ridges need. Where
    that does not converge, as beside edges, any step that gains is taken.
    """
    result = _climb_with_edges(problem, start, _FAIR_RATIO)
    if result.gain <= _LEAST_GAIN:
        return result
    other = _climb_with_edges(problem, start, 0.0)
    return other if other.gain <= _LEAST_GAIN else result


def _climb_with_edges(problem: Problem, start: Floats, fair_ratio: float) -> Optimum:
    result = _climb(problem, np.clip(start, *problem.bounds), _no_ties(problem), fair_ratio)
    for _ in range(_MOST_EDGES):
        ties, gaps = problem.ties(result.parameters)
        if result.gain <= _LEAST_GAIN or not len(ties):
            break
        edge = _climb(problem, result.parameters - np.linalg.pinv(ties) @ gaps, ties, fair_ratio)
        beside = [
            _climb(problem, each, _no_ties(problem), fair_ratio) for each in _beside(edge, ties)
        ]
        best = min(_as_good_as_best([edge, *beside]), key=lambda each: each.gain)
        if best.likely.log_likelihood < result.likely.log_likelihood - _slack(result.likely):
            break
        result = best
    return result


def _no_ties(problem: Problem) -> Floats:
    return np.empty((0, len(problem.bounds[0])))


def _beside(edge: Optimum, ties: Floats) -> Iterator[Floats]:
    """Just off an edge on either side, in standard deviations of the parameters."""
    scale = 1 / np.sqrt(np.maximum(np.diag(edge.likely.information), _LEAST_CURVATURE))
    for tie in ties * scale:
        away = _ASIDE_SD * scale * tie / np.linalg.norm(tie)
        yield edge.parameters + away
        yield edge.parameters - away


def _slack(likely: Likely) -> float:
    """Rounding of a log-likelihood."""
    return _ROUNDING * (1 + abs(likely.log_likelihood))


def _climb(problem: Problem, parameters: Floats, ties: Floats, fair_ratio: float) -> Optimum:
    """Damped Newton steps (Levenberg and Marquardt) along given edges, until none gains."""
    parameters = np.clip(parameters, *problem.bounds)
    here, damping = problem.likely(parameters), _FIRST_DAMPING
    for _ in range(_MOST_STEPS):
        active = _is_active(parameters, here, problem.bounds)
        step, gain = _step(here, active, damping, ties)
        if gain < _ENOUGH_GAIN:
            break
        tried = np.clip(parameters + step, *problem.bounds)
        there = problem.likely(tried)
        gained = there.log_likelihood - here.log_likelihood
        if gained > 0:
            is_fair = gained > fair_ratio * gain
            less = max(damping / _LESS_DAMPING, _LEAST_DAMPING)
            damping = less if is_fair else damping * _MORE_DAMPING
            parameters, here = tried, there
        elif gain < _slack(here) or damping > _MOST_DAMPING or np.array_equal(tried, parameters):
            break
        else:
            damping *= _MORE_DAMPING
    return _polished(problem, parameters, here, ties)


def _polished(problem: Problem, parameters: Floats, here: Likely, ties: Floats) -> Optimum:
    """Plain Newton steps, which still converge where the log-likelihood has no digits left."""
    active = _is_active(parameters, here, problem.bounds)
    step, gain = _step(here, active, 0.0, ties)
    for _ in range(_MOST_POLISHING):
        tried = np.clip(parameters + step, *problem.bounds)
        there = problem.likely(tried)
        next_active = _is_active(tried, there, problem.bounds)
        next_step, next_gain = _step(there, next_active, 0.0, ties)
        if there.log_likelihood < here.log_likelihood - _slack(here) or not next_gain < gain / 2:
            break
        parameters, here, active, step, gain = tried, there, next_active, next_step, next_gain
    return Optimum(parameters, here, active, gain)


def _is_active(parameters: Floats, here: Likely, bounds: _Bounds) -> np.ndarray:
    low, high = bounds
    held: np.ndarray = ((parameters <= low) & (here.gradient <= 0)) | (
        (parameters >= high) & (here.gradient >= 0)
    )
    return held


def _step(
    here: Likely, is_active: np.ndarray, damping: float, ties: Floats
) -> tuple[Floats, float]:
    """A Newton step of the free parameters, and the expected gain of log-likelihood."""
    step = np.zeros_like(here.gradient)
    free = np.flatnonzero(~is_active)
    information = here.information[np.ix_(free, free)]
    scale = np.sqrt(np.maximum(np.diag(information), _LEAST_CURVATURE))
    scaled = information / np.outer(scale, scale) + damping * np.eye(len(free))
    gradient = here.gradient[free] / scale
    if not (np.isfinite(scaled).all() and np.isfinite(gradient).all()):
        return step, 0.0
    along = _along(ties[:, free] / scale)
    curvature = along.T @ scaled @ along
    moved = np.linalg.lstsq(curvature, along.T @ gradient, rcond=_LEAST_SINGULAR)[0]
    step[free] = along @ moved / scale
    return step, float(0.5 * moved @ along.T @ gradient)


def _along(ties: Floats) -> Floats:
    """Columns: directions along all edges."""
    if not len(ties):
        return np.eye(ties.shape[1])
    _, singular, directions = np.linalg.svd(ties)
    rank = int((singular > _LEAST_ANGLE * singular.max(initial=0)).sum())
    along: Floats = directions[rank:].T
    return along
