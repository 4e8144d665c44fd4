"""Parameters under which observations are likeliest: starts, and the climb from each."""

import math
from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel._numeric import Floats
from netmodel.calibration._diagnostics import is_flat
from netmodel.calibration._noise import Noise
from netmodel.calibration._problem import Likely, LinearQuantities, Optimum, Problem
from netmodel.errors import CalibrationError

_CURVE_STARTS = 6
"""The start that a curve has, and others about it: all of NIST's nonlinear problems are solved."""
_REASSIGNMENTS = 8
"""Of which limit is binding at which point: it settles after two or three, or goes in circles."""
_NUDGE = 1e-3
"""Of the size of a parameter: off a place where nothing limits a rate."""
_AT_BOUND_RATIO = 1e-8
"""Of a start: SciPy's search within bounds keeps so far off them."""
_LEAST_SQUARES_STEPS = 1000
"""MGH10 and Bennett5 of NIST take some hundred."""
_LEAST_SQUARES_RATIO = 1e-14
"""Relative change at which SciPy's search ends: some tens of roundings of a float."""
_LEAST_CURVATURE = 1e-300
"""In place of none, which nothing can be divided by."""
_Bounds: TypeAlias = tuple[Floats, Floats]
_MOST_STEPS = 500
"""Along a bent ridge a step may gain a hundredth of what is left."""
_LEAST_GAIN = 1e-8
"""Of log-likelihood, that a further step may promise at an optimum: 1e-4 standard deviations."""
_ENOUGH_STARTS = 2
"""That lead to the same optimum: one more than could by chance."""
_SAME_HEIGHT = 1e-7
"""Difference of log-likelihoods, as a part of them, that is the end of two searches."""
_ENOUGH_GAIN = 1e-28
"""Promised gain from which steps are rounding: 1e-14 standard deviations."""
_MOST_EDGES = 6
"""Times that limits may take turns on the way; more is going in circles."""
_ASIDE_SD = 1e-4
"""Standard deviations off an edge: beyond the 1e-6 within which limits tie, and still near."""
_LEAST_ANGLE = 1e-9
"""Between ties that are different, as a ratio of singular values."""
_MOST_POLISHING = 20
"""Each step at least halves the gain that is left: a million times less in all."""
_ROUNDING = 1e-12
"""Of a log-likelihood, after sums of some hundred terms."""
_FIRST_DAMPING, _LEAST_DAMPING = 1e-3, 1e-15
"""Of the curvature: almost a step of Newton's method, and one but for rounding."""
_LESS_DAMPING, _MORE_DAMPING = 10, 8
"""Factors after a step that gains what it promised, and after one that does not; as they differ,
a search that goes up and down does not try the same two steps again and again."""
_MOST_DAMPING = 1e15
"""Steps are then rounding of the parameters."""
_FAIR_RATIO = 0.25
"""Of the promised gain (Marquardt): who gains less takes shorter steps."""


def starts(problem: Problem) -> Iterator[Floats]:
    """
    Parameters to begin a search with, each with the unknown quantities that suit them.

    Those of a linear model solve weighted least squares of its sums; those of a curve
    are its own, then others about it.
    """
    if isinstance(problem.quantities, LinearQuantities):
        result = _linear_starts(problem, problem.quantities)
    else:
        result = _starts_about(problem.typical)
    for start in result:
        whole = _with_logarithms(problem, start)
        is_linear = isinstance(problem.quantities, LinearQuantities)
        yield whole if is_linear else _near(problem, whole)


def _near(problem: Problem, start: Floats) -> Floats:
    """What least squares of the misses lead to from a start."""
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
    return _on_bounds(result.x, start, low, high)


def _on_bounds(found: Floats, start: Floats, low: Floats, high: Floats) -> Floats:
    """On a bound where as near to it as only a search that keeps off bounds is."""
    near = _AT_BOUND_RATIO * np.abs(start)
    at_low = np.where(found - low < near, low, found)
    at_bounds: Floats = np.where(high - found < near, high, at_low)
    return at_bounds


def _with_logarithms(problem: Problem, start: Floats) -> Floats:
    """With the logarithms of unknown quantities that agree with their comparisons."""
    whole = np.concatenate([start, np.zeros(len(problem.unknown_names))])
    figures = _figures(problem)
    with np.errstate(all="ignore"):
        logarithms = np.log(problem.quantities.values(start)[problem.subject] / figures)
    for index in range(len(problem.unknown_names)):
        those = (problem.unknown == index) & np.isfinite(logarithms)
        if those.any():
            whole[len(start) + index] = np.mean(logarithms[those])
    return whole


def _figures(problem: Problem) -> Floats:
    """One figure for each case: the middle of its ends, or the only one."""
    low, high = problem.low, problem.high
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (low + high)
    figures = np.where(np.isfinite(middle), middle, np.where(np.isfinite(low), low, high))
    return np.exp(figures) if problem.noise is Noise.RELATIVE else figures


def _starts_about(first: Floats) -> Iterator[Floats]:
    yield first
    chance = np.random.default_rng(0)
    for _ in range(_CURVE_STARTS - 1):
        yield first * np.exp(chance.normal(0, 1, len(first)))


def _linear_starts(problem: Problem, linear: LinearQuantities) -> Iterator[Floats]:
    """For sums that may bind first and each case that may be the largest of several."""
    cases = range(int(problem.case.max()) + 1)
    for first, case in product(_first_bindings(problem, linear), cases):
        binding = first
        for _ in range(_REASSIGNMENTS):
            start = _least_squares(problem, linear, binding, case)
            assigned = (linear.coefficients @ start + linear.constants).argmax(axis=1)
            if np.array_equal(binding, assigned):
                break
            binding = assigned
        yield start


def _first_bindings(problem: Problem, linear: LinearQuantities) -> Iterator[npt.NDArray[np.int64]]:
    """Those of the largest parameters that the figures allow of each alone; then each sum."""
    points, count = linear.coefficients.shape[:2]
    if count > 1:
        alone = _largest_alone(problem, linear)
        yield (linear.coefficients @ alone + linear.constants).argmax(axis=1)
    for first in range(count):
        yield np.full(points, first)


def _largest_alone(problem: Problem, linear: LinearQuantities) -> Floats:
    """Of each parameter the most that no figure forbids regardless of the others."""
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
    """Parameters whose sums are what is seen, each by its ratio to it."""
    from scipy.optimize import lsq_linear

    matrix, target = _equations(problem, linear, binding, case)
    largest = np.abs(matrix).max(axis=0, initial=0)
    largest[largest == 0] = 1.0
    size = largest * np.maximum(np.linalg.norm(matrix / largest, axis=0), 1.0)
    width = matrix.shape[1]
    low, high = (ends[:width] for ends in problem.bounds)
    result = lsq_linear(matrix / size, target, bounds=(low * size, high * size), method="bvls").x
    start: Floats = np.clip(result / size, low, high)
    if ((linear.coefficients @ start + linear.constants).max(axis=1)[linear.is_rate] <= 0).any():
        start = np.clip(start + _NUDGE / size, low, high)
    return start


def _equations(
    problem: Problem, linear: LinearQuantities, binding: npt.NDArray[np.int64], case: int
) -> tuple[Floats, Floats]:
    rows = np.arange(len(binding))
    coefficients, constants = linear.coefficients[rows, binding], linear.constants[rows, binding]
    is_last = np.append(np.diff(problem.of) > 0, True)
    is_chosen = (problem.case == case) | (is_last & (problem.case < case))
    plain = (problem.unknown < 0) & is_chosen
    subject, baseline = problem.subject[plain], problem.baseline[plain]
    is_rate, figures = linear.is_rate[subject], _figures(problem)[plain]
    with np.errstate(divide="ignore"):
        load = np.where(is_rate, 1 / figures, figures)
    is_plain = baseline < 0
    scale = np.where(is_plain & (load != 0), load, 1.0)
    compared = np.where(is_plain, 0.0, load)
    matrix = coefficients[subject] - compared[:, np.newaxis] * coefficients[baseline]
    target = np.where(is_plain, load, compared * constants[baseline]) - constants[subject]
    weight = problem.sharpness[plain] / np.abs(scale)
    finite = np.isfinite(weight) & np.isfinite(target)
    return (weight[:, np.newaxis] * matrix)[finite], (weight * target)[finite]


def likeliest(problem: Problem) -> Optimum:
    """
    The best of the optima that are reached from several starts.

    Raises
    ------
    CalibrationError
        If no start leads to an optimum.
    """
    reached: list[Optimum] = []
    for start in starts(problem):
        first = climb(problem, start)
        if math.isfinite(first.likely.log_likelihood):
            reached.append(first)
        if _is_settled(problem, _as_good_as_best(reached)):
            break
    if not reached:
        raise CalibrationError("the model has no value near any start of the search")
    best = _as_good_as_best(reached)[0]
    if best.gain > _LEAST_GAIN and not problem.is_noiseless(best.likely.noise_sd):
        raise CalibrationError(
            "the search for the best fit did not converge; give a start nearer to them, or bounds"
        )
    return best


def _is_settled(problem: Problem, alike: list[Optimum]) -> bool:
    """Whether enough starts led to an optimum that is one, not to a plain without slopes."""
    enough = _ENOUGH_STARTS + int(problem.case.max())
    return len(alike) >= enough and not is_flat(
        problem, alike[0].parameters, alike[0].likely.noise_sd
    )


def _as_good_as_best(reached: list[Optimum]) -> list[Optimum]:
    """In the order that they were reached, so that the start that was given comes first."""
    most = max((optimum.likely.log_likelihood for optimum in reached), default=0.0)
    slack = _SAME_HEIGHT * (1 + abs(most))
    return [optimum for optimum in reached if optimum.likely.log_likelihood >= most - slack]


@np.errstate(all="ignore")
def climb(problem: Problem, start: Floats) -> Optimum:
    """
    Uphill from a start within bounds, also along edges where limits of the model tie.

    Steps that gain less than they promise are made shorter, which smooth ridges need; where
    that does not come to rest, as beside edges, any step that gains is taken.
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
    """A little off an edge to either side, in standard deviations of the parameters."""
    scale = 1 / np.sqrt(np.maximum(np.diag(edge.likely.information), _LEAST_CURVATURE))
    for tie in ties * scale:
        away = _ASIDE_SD * scale * tie / np.linalg.norm(tie)
        yield edge.parameters + away
        yield edge.parameters - away


def _slack(likely: Likely) -> float:
    """How much of a log-likelihood is rounding."""
    return _ROUNDING * (1 + abs(likely.log_likelihood))


def _climb(problem: Problem, parameters: Floats, ties: Floats, fair_ratio: float) -> Optimum:
    """Damped Newton steps along given edges, until they gain nothing more."""
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
        elif damping > _MOST_DAMPING or np.array_equal(tried, parameters):
            break
        else:
            damping *= _MORE_DAMPING
    return _polished(problem, parameters, here, ties)


def _polished(problem: Problem, parameters: Floats, here: Likely, ties: Floats) -> Optimum:
    """Plain Newton steps, which still gain where the log-likelihood has no digits left for it."""
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
    """A step of the free parameters, and how much the log-likelihood should gain by it."""
    step = np.zeros_like(here.gradient)
    free = np.flatnonzero(~is_active)
    information = here.information[np.ix_(free, free)]
    scale = np.sqrt(np.maximum(np.diag(information), _LEAST_CURVATURE))
    scaled = information / np.outer(scale, scale) + damping * np.eye(len(free))
    gradient = here.gradient[free] / scale
    if not (np.isfinite(scaled).all() and np.isfinite(gradient).all()):
        return step, 0.0
    along = _along(ties[:, free] / scale)
    # directions of less than the rounding of the largest have no step
    moved = np.linalg.lstsq(along.T @ scaled @ along, along.T @ gradient, rcond=1e-15)[0]
    step[free] = along @ moved / scale
    return step, float(0.5 * moved @ along.T @ gradient)


def _along(ties: Floats) -> Floats:
    """Columns: directions that leave no edge."""
    if not len(ties):
        return np.eye(ties.shape[1])
    _, singular, directions = np.linalg.svd(ties)
    rank = int((singular > _LEAST_ANGLE * singular.max(initial=0)).sum())
    along: Floats = directions[rank:].T
    return along
