"""Where searches for the likeliest parameters begin."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from netmodel.calibration._fitting._likelihood import Noise
from netmodel.calibration._fitting._problem import Problem
from netmodel.calibration._fitting._quantities import LinearQuantities
from netmodel.calibration._model import Floats

__all__ = ["starts"]

_CURVE_STARTS = 6
_REASSIGNMENTS = 8
_NUDGE = 1e-3
_AT_BOUND_RATIO = 1e-8
_MOST_STEPS = 1000


def starts(problem: Problem) -> Iterator[Floats]:
    """
    Parameters to begin a search with, each with the unknown quantities that suit them.

    Those of a linear model solve weighted least squares of its sums; those of a curve
    are its own, then others about it.
    """
    if isinstance(problem.quantities, LinearQuantities):
        found = _linear_starts(problem, problem.quantities)
    else:
        found = _starts_about(problem.typical)
    for start in found:
        told = _with_unknowns(problem, start)
        yield told if isinstance(problem.quantities, LinearQuantities) else _near(problem, told)


def _near(problem: Problem, start: Floats) -> Floats:
    """What least squares of the misses lead to from a start."""
    from scipy.optimize import least_squares

    low, high = problem.bounds
    is_free = not np.isfinite([low, high]).any()
    try:
        with np.errstate(all="ignore"):
            found = least_squares(
                problem.misses,
                np.clip(start, low, high),
                problem.miss_slopes,
                (low, high),
                method="lm" if is_free else "trf",
                x_scale="jac",
                ftol=1e-14,
                xtol=1e-14,
                gtol=1e-14,
                max_nfev=_MOST_STEPS,
            )
    except (ValueError, np.linalg.LinAlgError):
        return start
    return _on_bounds(found.x, start, low, high)


def _on_bounds(found: Floats, start: Floats, low: Floats, high: Floats) -> Floats:
    """On a bound where as near to it as only a search that keeps off bounds is."""
    near = _AT_BOUND_RATIO * np.abs(start)
    at_low = np.where(found - low < near, low, found)
    at_bounds: Floats = np.where(high - found < near, high, at_low)
    return at_bounds


def _with_unknowns(problem: Problem, start: Floats) -> Floats:
    """With the logarithms of unknown quantities that agree with their comparisons."""
    told = np.concatenate([start, np.zeros(len(problem.unknown_names))])
    figures = _figures(problem)
    with np.errstate(all="ignore"):
        logarithms = np.log(problem.quantities.values(start)[problem.subject] / figures)
    for index in range(len(problem.unknown_names)):
        those = (problem.unknown == index) & np.isfinite(logarithms)
        if those.any():
            told[len(start) + index] = np.mean(logarithms[those])
    return told


def _figures(problem: Problem) -> Floats:
    """One figure for each case: the middle of its ends, or the only one."""
    low, high = problem.low, problem.high
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (low + high)
    told = np.where(np.isfinite(middle), middle, np.where(np.isfinite(low), low, high))
    return np.exp(told) if problem.noise is Noise.RELATIVE else told


def _starts_about(told: Floats) -> Iterator[Floats]:
    yield told
    chance = np.random.default_rng(0)
    for _ in range(_CURVE_STARTS - 1):
        yield told * np.exp(chance.normal(0, 1, len(told)))


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
    """Of each parameter the most that no figure forbids whatever the others are."""
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
    found = lsq_linear(matrix / size, target, bounds=(low * size, high * size), method="bvls").x
    start: Floats = np.clip(found / size, low, high)
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
    told = (problem.unknown < 0) & is_chosen
    subject, baseline = problem.subject[told], problem.baseline[told]
    is_rate, figures = linear.is_rate[subject], _figures(problem)[told]
    with np.errstate(divide="ignore"):
        load = np.where(is_rate, 1 / figures, figures)
    is_plain = baseline < 0
    scale = np.where(is_plain & (load != 0), load, 1.0)
    compared = np.where(is_plain, 0.0, load)
    matrix = coefficients[subject] - compared[:, np.newaxis] * coefficients[baseline]
    target = np.where(is_plain, load, compared * constants[baseline]) - constants[subject]
    weight = problem.sharpness[told] / np.abs(scale)
    finite = np.isfinite(weight) & np.isfinite(target)
    return (weight[:, np.newaxis] * matrix)[finite], (weight * target)[finite]
