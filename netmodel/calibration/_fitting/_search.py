"""Parameters under which observations are likeliest: starts, and the climb from each."""

import math
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from netmodel.calibration._fitting._problem import Likely, Problem
from netmodel.calibration._fitting._refusals import is_flat
from netmodel.calibration._fitting._starts import starts
from netmodel.calibration._model import Floats
from netmodel.errors import CalibrationError

__all__ = ["Optimum", "climb", "likeliest"]

_Bounds: TypeAlias = tuple[Floats, Floats]

_MOST_STEPS = 500
_LEAST_GAIN = 1e-8
_ENOUGH_STARTS = 2
_SAME_HEIGHT = 1e-7
_ENOUGH_GAIN = 1e-28
_MOST_EDGES = 6
_ASIDE_SD = 1e-4
_LEAST_ANGLE = 1e-9
_MOST_POLISHING = 20
_ROUNDING = 1e-12
_MOST_DAMPING = 1e15
_FAIR_RATIO = 0.25


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
        one = climb(problem, start)
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
    enough = _ENOUGH_STARTS + int(problem.case.max())
    return len(alike) >= enough and not is_flat(
        problem, alike[0].parameters, alike[0].likely.noise_sd
    )


def _as_good_as_best(reached: list[Optimum]) -> list[Optimum]:
    """In the order that they were reached, so that the start that was told comes first."""
    most = max((one.likely.log_likelihood for one in reached), default=0.0)
    slack = _SAME_HEIGHT * (1 + abs(most))
    return [one for one in reached if one.likely.log_likelihood >= most - slack]


@np.errstate(all="ignore")
def climb(problem: Problem, start: Floats) -> Optimum:
    """
    Uphill from a start within bounds, also along edges where limits of the model tie.

    Steps that gain less than they promise are made shorter, which smooth ridges need; where
    that does not come to rest, as beside edges, whatever gains is taken.
    """
    found = _climb_with_edges(problem, start, _FAIR_RATIO)
    if found.gain <= _LEAST_GAIN:
        return found
    other = _climb_with_edges(problem, start, 0.0)
    return other if other.gain <= _LEAST_GAIN else found


def _climb_with_edges(problem: Problem, start: Floats, fair_ratio: float) -> Optimum:
    found = _climb(problem, np.clip(start, *problem.bounds), _no_ties(problem), fair_ratio)
    for _ in range(_MOST_EDGES):
        ties, gaps = problem.ties(found.parameters)
        if found.gain <= _LEAST_GAIN or not len(ties):
            break
        edge = _climb(problem, found.parameters - np.linalg.pinv(ties) @ gaps, ties, fair_ratio)
        beside = [
            _climb(problem, one, _no_ties(problem), fair_ratio) for one in _beside(edge, ties)
        ]
        best = min(_as_good_as_best([edge, *beside]), key=lambda one: one.gain)
        if best.likely.log_likelihood < found.likely.log_likelihood - _slack(found.likely):
            break
        found = best
    return found


def _no_ties(problem: Problem) -> Floats:
    return np.empty((0, len(problem.bounds[0])))


def _beside(edge: Optimum, ties: Floats) -> Iterator[Floats]:
    """A little off an edge to either side, by the scale on which observations tell parameters."""
    scale = 1 / np.sqrt(np.maximum(np.diag(edge.likely.information), 1e-300))
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
    here, damping = problem.likely(parameters), 1e-3
    for _ in range(_MOST_STEPS):
        active = _is_active(parameters, here, problem.bounds)
        step, gain = _step(here, active, damping, ties)
        if gain < _ENOUGH_GAIN:
            break
        tried = np.clip(parameters + step, *problem.bounds)
        there = problem.likely(tried)
        gained = there.log_likelihood - here.log_likelihood
        if gained > 0:
            damping = max(damping / 10, 1e-15) if gained > fair_ratio * gain else damping * 8
            parameters, here = tried, there
        elif damping > _MOST_DAMPING or np.array_equal(tried, parameters):
            break
        else:
            damping *= 8
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
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    scaled = information / np.outer(scale, scale) + damping * np.eye(len(free))
    gradient = here.gradient[free] / scale
    if not (np.isfinite(scaled).all() and np.isfinite(gradient).all()):
        return step, 0.0
    along = _along(ties[:, free] / scale)
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
