"""The likeliest parameters, and how far others are nearly as likely: searches by SciPy."""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netmodel.calibration._likelihood import Goal, Problem
from netmodel.errors import CalibrationError
from netmodel.numeric import Floats

_STARTS = 6
"""The usual sizes of parameters and others about them: enough for NIST's nonlinear problems."""
_LEAST_SQUARES: dict[str, Any] = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14, "max_nfev": 1000}
"""Some tens of roundings of a float; MGH10 and Bennett5 of NIST take some hundred steps."""
_NEAR_BOUND = 1e-8
"""Distance from a bound at which a search ends, as a share of the usual size."""
_SAME_HEIGHT = 1e-9
"""Relative difference of log-likelihoods of two searches that end at the same optimum."""
_ENOUGH = 2
"""Starts that lead to the same optimum: a second confirms the first."""
_MOST_STEPS = 30
"""Newton's method takes five from the end of another search."""
_FLAT_GAIN, _FAR_STEP = 1e-12, 1e-4
"""Gain of log-likelihood, and step over the usual size: a far step without gain is on a plain."""
_STEP_SHARES, _ENOUGH_RISE = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3), 0.1
"""Shares of a step to try where the likelihood bends, and of the rise that slopes promise."""
_LEAST_STEP_GAIN = 1e-20
"""Gain of log-likelihood of a step that moves no parameter by 1e-10 of its standard deviation."""
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
_ROUNDING = 1e-14
"""Share of the largest singular value below which a float of 15 digits has none left."""
_FAR = 1e3
"""Radii: a region that extends this far counts as open there."""
_OVER = 1e-6
"""Share of the loss at the edge of a region by which a scattered place may lie beyond it."""
_LEAST = 1e-300
"""Near the smallest float, in place of 0 in a division or a logarithm."""
_ASIDE = 0.2
"""Share of the expected distance of an end: a search begins this far off the straight way."""
_SCATTERED, _SCATTER = 400, 1.0
"""Places tried for parts of a region that are apart, and how far they lie about it, in radii."""
_MANY = 200
"""Figures from which on no parts of a region are apart, and scattered places would take seconds."""
_MOST_TRIED = 8
"""Searches for one end, from ends of other quantities."""
_FARTHER = 1e-7
"""Share of the expected distance of an end that the search resolves."""
_PULL_SD = 1e-2
"""Standard deviation of a pull to a level, as a share of the expected distance of an end: the goal
settles within a thousandth of that distance of its level."""
_MOST_PULLS = 40
"""Levels that are tried for one end: some doublings outward, then some halvings."""
_LEFT_GAIN = 1e-7
"""Log-likelihood that Newton's method may leave; where it leaves more, least squares search."""


class Optimum(NamedTuple):
    """
    Where the log-likelihood is largest.

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
    if not is_sure and not problem.is_noiseless(best.noise_sd):
        raise CalibrationError(
            "the search for the best fit did not converge; give a start nearer to it, or bounds"
        )
    # a parameter without effect there may have one elsewhere, at changes of its usual size
    place = best.place
    for index in np.flatnonzero(best.is_unseen).tolist():
        for value in (problem.start[index], problem.limits[0][index]):
            beside = np.where(np.arange(len(place)) == index, value, place)
            if problem.log_likelihood(beside)[0] >= best.log_likelihood - slack:
                place = beside
                break
    return best if place is best.place else _optimum(problem, place)


def _optimum(problem: Problem, place: Floats) -> Optimum:
    """Return what there is to know of a place."""
    from scipy.linalg import null_space

    size, (low, high) = len(problem.names), problem.limits
    place = np.where(high - place < _NEAR_BOUND, high, place)
    place = np.where(place - low < _NEAR_BOUND, low, place)
    parameters = place[:size]
    noise_sd = problem.noise_sd or float(np.exp(place[-1]))
    value, rises, evidence, deviations = problem.log_likelihood(place)
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
        moved = along @ np.linalg.lstsq(evidence / scale @ along, deviations, rcond=_ROUNDING)[0]
        step[:size] = moved / scale
        step[size:] = np.where(is_active, 0.0, rises)[size:] / (2 * max(problem.count, 1))
        gain = 0.5 * float(rises @ step)
    return Optimum(place, noise_sd, value, information, is_active[:size], is_unseen, step, gain)


def _settled(problem: Problem, best: Optimum) -> Optimum:
    """Return where Newton's method ends, with the curvature by the slopes of the model."""
    for _ in range(_MOST_STEPS):
        is_plain = best.gain < _FLAT_GAIN and np.abs(best.step).max() > _FAR_STEP
        if best.gain < _LEAST_STEP_GAIN or is_plain or not math.isfinite(best.gain):
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


def _negative(goal: Callable[[Floats], Any]) -> Callable[[Floats], Any]:
    """Return the goal with its sign changed, to search the other way."""
    return lambda place: tuple(-each for each in goal(place)[:2])


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
        self._ends = [each for each in places if self._lost(each) <= threshold * (1 + _OVER)]

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
        for _ in range(_MOST_TRIED):  # from ends of other goals that are farther
            place = max([at, *self._ends], key=partial(self._value, goal))
            value = self._value(goal, place)
            if value <= best + _FARTHER * reach:
                break
            best, at = self._pushed(goal, place, place, value, reach)
        self._ends.append(at)
        return math.inf if best - least > _FAR * reach else best, at[:size]

    @np.errstate(all="ignore")
    def ends(self, goal: Goal) -> tuple[float, float]:
        """Return the smallest and largest value of a goal; infinite where the region is open."""
        return -self.farthest(_negative(goal))[0], self.farthest(goal)[0]

    @np.errstate(all="ignore")
    def spans(self, goals: Sequence[Goal]) -> list[tuple[float, float]]:
        """Return the ends of goals, again of those that an end of another goal is beyond."""
        spans = [self.ends(goal) for goal in goals]
        for place, (goal, span) in enumerate(zip(goals, spans, strict=True)):
            values = [*span, *(self._value(goal, end) for end in self._ends)]
            slack = _FARTHER * abs(self._value(goal, self.optimum.place))
            if min(values) < span[0] - slack or max(values) > span[1] + slack:
                spans[place] = self.ends(goal)
        return spans

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
            start = start if self._lost(start) < _FAR * self.threshold else inside
            found = _settled(problem, _optimum(problem, start))
            if found.gain > _LEFT_GAIN:
                climbed = _climbed(problem, start[: len(self.problem.names)])
                found = max([found, *climbed], key=lambda each: each.log_likelihood)
            last, root = goal(found.parameters)[0], self._radius(max(self._lost(found.place), 0.0))
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
        if more > 0:
            brentq(beyond, low, high, xtol=_FARTHER * reach)
        return best, inside

    def _radius(self, lost: float) -> float:
        """Return the distance of a loss of likelihood: that of parameters, were it a ball."""
        count = self.problem.count
        if self.problem.noise_sd is None:
            lost = count * math.expm1(min(lost / count, 300.0))
        return math.sqrt(lost)

    def _lost(self, place: Floats) -> float:
        """Return twice the log-likelihood that is lost at a place."""
        return 2 * (self.optimum.log_likelihood - self.problem.log_likelihood(place)[0])

    def _value(self, goal: Goal, place: Floats) -> float:
        value = goal(place[: len(self.problem.names)])[0]
        return value if math.isfinite(value) else -math.inf

    def _place(self, coordinates: Floats) -> Floats:
        place = self.optimum.place + self.axes @ coordinates
        return np.asarray(np.clip(place, *self.problem.limits))
