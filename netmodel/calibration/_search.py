"""The likeliest parameters, and how far others are nearly as likely: searches by SciPy."""

import math
from collections.abc import Callable, Sequence
from functools import partial
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
_ROUNDED: dict[str, Any] = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 200}
"""Of a log-likelihood and of its slopes; a search that gains anything takes some tens of steps."""
_CLIMB: dict[str, Any] = {"jac": True, "method": "L-BFGS-B", "options": _ROUNDED}
"""Where Newton's method does not settle."""
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
"""Of the loss at the edge of a region: a search may end this far beyond it."""
_LEAST_SPARE = -1e10
"""In place of minus infinity, where the model has no value."""
_LEAST = 1e-300
"""Near the smallest float, in place of 0 in a division or a logarithm."""
_SHARES, _ASIDE = np.array([[0.7], [0.25], [1.5]]), 0.2
"""Of the expected distance of an end: where searches begin, and how far off the straight way."""
_BACK = (1.0, 0.999, 0.97, *np.geomspace(0.9, 1e-9, 40).tolist())
"""Shares of the way to where SLSQP ends, which may be beyond the edge; the first inside counts."""
_SCATTERED, _SCATTER = 400, 1.0
"""Places tried for parts of a region that are apart, and how far they lie about it, in radii."""
_MANY = 200
"""Figures from which on a region may be a ball: of few, a kink may leave it open farther out."""
_WAYS, _ROUND = 16, 0.4
"""Ways to the edge of a region, each in both directions, and how much of the loss there may differ
from that of a ball: ends are then a fifth from those of the ball at most."""
_MOST_TRIED = 8
"""Searches for one end: from beside the optimum, and from ends of other quantities."""
_FARTHER = 1e-7
"""Of the expected distance of an end: less is the accuracy of the search."""
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
    evidence, deviations = problem.evidence(parameters, noise_sd)
    effects = np.linalg.norm(evidence, axis=0)
    is_weak = (effects * np.abs(parameters) < _LEAST_EFFECT_SD) & (parameters != 0)
    is_unseen = (effects == 0) | is_weak
    information = evidence.T @ evidence + np.diag(is_unseen)
    value, rises = problem.log_likelihood(place)
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
        if best.gain < _FLAT_GAIN and np.abs(best.step).max() > _FAR_STEP:
            break
        there = _optimum(problem, np.clip(best.place + best.step, *problem.limits))
        fall = (best.log_likelihood - there.log_likelihood) / (1 + abs(best.log_likelihood))
        if not fall < _NO_RISE or not there.gain < best.gain / 2:
            break
        best = there
    return best


def _negative(goal: Goal) -> Callable[[Floats], Any]:
    """Return the goal with its sign changed, to search the other way."""
    return lambda place: tuple(-each for each in goal(place))


def _climbed(problem: Problem, start: Floats) -> list[Optimum]:
    """Return where least squares end, and from there the search of the likelihood; or nothing."""
    from scipy.optimize import least_squares, minimize

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
    # where wide figures leave little slope, or much of it at once
    if problem.pull is None and best.gain > _SAME_HEIGHT:
        ends = [*zip(*limits, strict=True)]
        climbed = minimize(_negative(problem.log_likelihood), best.place, bounds=ends, **_CLIMB)
        beside = _settled(problem, _optimum(problem, climbed.x))
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
        self._last: tuple[bytes, float, Floats] = b"", 0.0, np.empty(0)
        # (1) columns: how a place changes to the edge along each coordinate, if it were a ball
        information = optimum.information
        scale = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
        is_plain = values <= _LEAST_CURVATURE * values.max()
        values = np.where(is_plain, _LEAST_CURVATURE * values.max(), values)
        loss, is_known = threshold, problem.noise_sd is not None
        if not is_known:
            loss = problem.count * math.expm1(min(threshold / problem.count, 300.0))
        axes = vectors / np.sqrt(values) / scale[:, np.newaxis] * math.sqrt(loss)
        # on a plain, where rounding would set how far it is, bounds are some usual sizes away
        axes[:, is_plain] /= np.linalg.norm(axes[:, is_plain], axis=0)
        if not is_known:  # where more noise is likeliest at the edge is about the square of this
            axes = np.pad(axes, ((0, 1), (0, 1)))
            axes[-1, -1] = math.sqrt(threshold / (2 * problem.count))
        self.axes = axes
        # (2) distances of the optimum from bounds, and how they change along each coordinate
        sizes = np.maximum(np.linalg.norm(axes, axis=1), _LEAST)
        below, above = (np.abs(ends - optimum.place) / sizes for ends in problem.limits)
        along, room = axes / sizes[:, np.newaxis], np.concatenate([below, above])
        self._room = np.vstack([along, -along])[np.isfinite(room)], room[np.isfinite(room)]
        # (3) whether it is a ball, as that of many figures is: nothing is inside twice as far
        places = np.random.default_rng(0).normal(0, _SCATTER, (_SCATTERED, axes.shape[1]))
        ways = places[:_WAYS] / np.linalg.norm(places[:_WAYS], axis=1, keepdims=True)
        self.is_round = problem.is_smooth or (
            problem.count >= _MANY
            and all(abs(self._spare(way)[0]) < _ROUND for way in (*ways, *-ways))
            and not any(self._is_inside(2 * way) for way in (*ways, *-ways))
        )
        # (4) places in it: first some scattered ones, as a kink may part it; later its ends
        self._ends = [] if self.is_round else [each for each in places if self._is_inside(each)]

    @np.errstate(all="ignore")
    def farthest(self, goal: Goal) -> tuple[float, Floats]:
        """Return the largest value of a goal, infinite if open, and the parameters there."""
        least, slopes = goal(self.optimum.parameters)
        towards = slopes @ self.axes[: len(slopes)]
        reach = float(np.linalg.norm(towards))
        if not reach:
            return least, self.optimum.parameters
        towards, slack = towards / reach, _FARTHER * reach
        if self.problem.noise_sd is None:  # farther away more noise is likeliest
            towards[-1] = self.axes[-1, -1]
        best, at, starts = least, np.zeros_like(towards), [towards]
        if not self.is_round:  # beside an axis of symmetry too
            aside = np.random.default_rng(0).normal(0, _ASIDE, (len(_SHARES), len(towards)))
            starts = [*(_SHARES * towards + aside)]
        starts = [self._coordinates(self._place(each)) for each in starts]  # within bounds
        for _ in range(_MOST_TRIED):
            if not starts:  # from ends of other goals that are farther
                at = max([at, *self._ends], key=partial(self._value, goal))
                if self._value(goal, at) <= best + slack:
                    break
                best, starts = self._value(goal, at), [at]
            found = self._search(goal, starts.pop(0), reach)
            found = next(filter(self._is_inside, (share * found for share in _BACK)), 0 * found)
            if self._value(goal, found) > best + slack:
                at, best = found, self._value(goal, found)
                starts.append(found)  # SLSQP may stop short
        if not self.is_round or abs(self._spare(at)[0]) > _OVER:
            best, at = self._pushed(goal, at, min(best - least or reach, reach))
        self._ends.append(at)
        return math.inf if best - least > _FAR * reach else best, self._parameters(at)

    @np.errstate(all="ignore")
    def ends(self, goal: Goal) -> tuple[float, float]:
        """Return the smallest and largest value of a goal; infinite where the region is open."""
        return -self.farthest(_negative(goal))[0], self.farthest(goal)[0]

    @np.errstate(all="ignore")
    def spans(self, goals: Sequence[Goal]) -> list[tuple[float, float]]:
        """Return the ends of goals, again of those that an end of another goal is beyond."""
        spans = [self.ends(goal) for goal in goals]
        for place, (goal, (low, high)) in enumerate(zip(goals, spans, strict=True)):
            values = [self._value(goal, end) for end in self._ends]
            slack = _FARTHER * abs(self._value(goal, 0 * self.axes[0]))
            if values and (min(values) < low - slack or max(values) > high + slack):
                spans[place] = self.ends(goal)
        return spans

    def _pushed(self, goal: Goal, at: Floats, reach: float) -> tuple[float, Floats]:
        """
        Return where the profile of a goal leaves the region, outward from a place in it.

        A pull holds the goal at a level, where all else is as likely as it can be. The root of
        what is lost there rises with the goal by the pull over this root.
        """
        optimum, limit = self.optimum, math.sqrt(self.threshold)
        least, best, outside = goal(optimum.parameters)[0], self._value(goal, at), math.inf
        sd, place, level = _PULL_SD * reach, self._place(at), best
        for _ in range(_MOST_PULLS):
            problem = self.problem.pulled(goal, level, sd, optimum.noise_sd)
            found = _settled(problem, _optimum(problem, place))
            if found.gain > _LEFT_GAIN:
                climbed = _climbed(problem, place[: len(self.problem.names)])
                found = max([found, *climbed], key=lambda each: each.log_likelihood)
            value = goal(found.parameters)[0]
            lag, is_held = level - value, value <= best < level
            lost = optimum.log_likelihood - self.problem.log_likelihood(found.place)[0]
            root = math.sqrt(max(2 * lost, 0.0))
            if root > limit * (1 + _FARTHER):
                outside = min(outside, value)
            elif value >= best:
                best, place = value, found.place
            is_end = abs(root - limit) <= _FARTHER * limit or outside - best < _FARTHER * reach
            if is_end or is_held or best - least > _FAR * reach:
                break
            aim = value + (limit - root) * root * sd * sd / lag if lag > 0 else math.inf
            aim = max(aim, best) if aim > best - sd else aim  # at the end, if nothing goes farther
            if not best <= aim < outside:
                farther = best + max(reach, best - least)
                aim = farther if outside == math.inf else (best + outside) / 2
            level = aim + lag * (0 < lag < sd)
        return best, self._coordinates(place)

    def _search(self, goal: Goal, start: Floats, reach: float) -> Floats:
        """Return where SLSQP ends: at the largest goal."""
        from scipy.optimize import minimize

        aim = goal(self.optimum.parameters)[0]

        def short(place: Floats) -> tuple[float, Floats]:
            value, slopes = goal(self._parameters(place))
            return (aim - value) / reach, -(slopes @ self.axes[: len(slopes)]) / reach

        slopes, room = self._room
        spare = {"fun": lambda at: self._spare(at)[0], "jac": lambda at: self._spare(at)[1]}
        within = {"fun": lambda at: slopes @ at + room, "jac": lambda at: slopes}
        found = minimize(  # type: ignore[call-overload]
            short,
            start,
            jac=True,
            bounds=[(-_FAR, _FAR)] * len(start),
            constraints=[
                {"type": "ineq", **each} for each in (spare, within)[: 1 + bool(len(room))]
            ],
            method="SLSQP",
            options={"maxiter": 80, "ftol": 1e-9},
        )
        return np.asarray(found.x if np.isfinite(found.x).all() else 0 * start)

    def _spare(self, place: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood left to the edge, as a part of what may be lost; its slopes."""
        key = place.tobytes()
        if self._last[0] != key:
            value, slopes = self.problem.log_likelihood(self._place(place))
            spare = (value - self.optimum.log_likelihood) * 2 / self.threshold + 1
            rises = (slopes @ self.axes) * 2 / self.threshold
            self._last = key, max(spare, _LEAST_SPARE), rises
        return self._last[1:]

    def _is_inside(self, place: Floats) -> bool:
        return bool(self._spare(place)[0] >= -_OVER)

    def _value(self, goal: Goal, place: Floats) -> float:
        value = goal(self._parameters(place))[0]
        return value if math.isfinite(value) else -math.inf

    def _place(self, coordinates: Floats) -> Floats:
        place = self.optimum.place + self.axes @ coordinates
        return np.asarray(np.clip(place, *self.problem.limits))

    def _coordinates(self, place: Floats) -> Floats:
        return np.linalg.solve(self.axes, place - self.optimum.place)

    def _parameters(self, coordinates: Floats) -> Floats:
        return self._place(coordinates)[: len(self.problem.names)]
