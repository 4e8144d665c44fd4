"""Parameters under which observations are likeliest: starts, and the climb from each."""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from netmodel.calibration._fit_problem import Likely, Problem
from netmodel.calibration._fit_refusals import is_flat
from netmodel.calibration._fit_starts import starts
from netmodel.calibration._model import Floats
from netmodel.errors import CalibrationError

__all__ = ["Optimum", "climb", "likeliest"]

_Likelihood: TypeAlias = Callable[[Floats], Likely]
_Bounds: TypeAlias = tuple[Floats, Floats]

_MOST_STEPS = 500
_LEAST_GAIN = 1e-8
_ENOUGH_STARTS = 2
_SAME_HEIGHT = 1e-7
_ENOUGH_GAIN = 1e-28
_MOST_POLISHING = 20
_ROUNDING = 1e-12
_MOST_DAMPING = 1e15


class Optimum(NamedTuple):
    """
    Where the log-likelihood is largest.

    Parameters
    ----------
    parameters : numpy.ndarray
        Of the model, then logarithms of unknown quantities.
    likely : Likely
        There.
    is_active : numpy.ndarray
        Whether each parameter is at a bound that keeps it from a likelier value.
    gain : float
        What a further step promises, in units of the log-likelihood.
    """

    parameters: Floats
    likely: Likely
    is_active: np.ndarray
    gain: float


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
        one = climb(problem.likely, start, problem.bounds)
        if math.isfinite(one.likely.log_likelihood):
            reached.append(one)
        if _is_settled(problem, _as_good_as_best(reached)):
            break
    if not reached:
        raise CalibrationError("the model has no value near any start of the search")
    best = _as_good_as_best(reached)[0]
    if best.gain > _LEAST_GAIN and not problem.is_noiseless(best.likely.noise_sd):
        raise CalibrationError(
            "the search for the likeliest parameters does not come to rest; "
            "give a start nearer to them, or bounds"
        )
    return best


def _is_settled(problem: Problem, alike: list[Optimum]) -> bool:
    """Whether enough starts led to an optimum that is one, not to a plain without slopes."""
    return len(alike) >= _ENOUGH_STARTS and not is_flat(
        problem, alike[0].parameters, alike[0].likely.noise_sd
    )


def _as_good_as_best(reached: list[Optimum]) -> list[Optimum]:
    """In the order that they were reached, so that the start that was told comes first."""
    most = max((one.likely.log_likelihood for one in reached), default=0.0)
    slack = _SAME_HEIGHT * (1 + abs(most))
    return [one for one in reached if one.likely.log_likelihood >= most - slack]


def climb(likelihood: _Likelihood, start: Floats, bounds: _Bounds) -> Optimum:
    """
    Uphill by damped Newton steps within bounds, until they gain nothing more.
    """
    low, high = bounds
    parameters = np.clip(start, low, high)
    here, damping = likelihood(parameters), 1e-3
    for _ in range(_MOST_STEPS):
        step, gain = _step(here, _is_active(parameters, here, bounds), damping)
        if gain < _ENOUGH_GAIN:
            break
        tried = np.clip(parameters + step, low, high)
        there = likelihood(tried)
        if there.log_likelihood > here.log_likelihood:
            parameters, here, damping = tried, there, max(damping / 10, 1e-15)
        elif damping > _MOST_DAMPING or np.array_equal(tried, parameters):
            break
        else:
            damping *= 8
    return _polished(likelihood, parameters, here, bounds)


def _polished(
    likelihood: _Likelihood, parameters: Floats, here: Likely, bounds: _Bounds
) -> Optimum:
    """Plain Newton steps, which still gain where the log-likelihood has no digits left for it."""
    active = _is_active(parameters, here, bounds)
    step, gain = _step(here, active, 0.0)
    for _ in range(_MOST_POLISHING):
        tried = np.clip(parameters + step, *bounds)
        there = likelihood(tried)
        next_active = _is_active(tried, there, bounds)
        next_step, next_gain = _step(there, next_active, 0.0)
        slack = _ROUNDING * (1 + abs(here.log_likelihood))
        if there.log_likelihood < here.log_likelihood - slack or not next_gain < 0.5 * gain:
            break
        parameters, here, active, step, gain = tried, there, next_active, next_step, next_gain
    return Optimum(parameters, here, active, gain)


def _is_active(parameters: Floats, here: Likely, bounds: _Bounds) -> np.ndarray:
    low, high = bounds
    held: np.ndarray = ((parameters <= low) & (here.gradient <= 0)) | (
        (parameters >= high) & (here.gradient >= 0)
    )
    return held


def _step(here: Likely, is_active: np.ndarray, damping: float) -> tuple[Floats, float]:
    """A step of the free parameters, and how much the log-likelihood should gain by it."""
    step = np.zeros_like(here.gradient)
    free = np.flatnonzero(~is_active)
    information = here.information[np.ix_(free, free)]
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    scaled = information / np.outer(scale, scale) + damping * np.eye(len(free))
    gradient = here.gradient[free] / scale
    moved = np.linalg.lstsq(scaled, gradient, rcond=1e-15)[0]
    step[free] = moved / scale
    return step, float(0.5 * moved @ gradient)
