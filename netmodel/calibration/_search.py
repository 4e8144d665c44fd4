"""The likeliest parameters, and how far others are nearly as likely: searches by SciPy."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel.calibration._likelihood import LargestSums, Problem, unseen
from netmodel.calibration.models import bounds_of
from netmodel.errors import CalibrationError
from netmodel.numeric import Floats

Goal: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""From parameters to a quantity, and its slope in each."""

_STARTS = 6
"""The usual sizes of parameters and others about them: enough for NIST's nonlinear problems."""
_LEAST_SQUARES: dict[str, Any] = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14, "max_nfev": 1000}
"""Some tens of roundings of a float; MGH10 and Bennett5 of NIST take some hundred steps."""
_NEAR_BOUND = 1e-8
"""Of the usual size: least squares within bounds keep this distance from them."""
_SAME_HEIGHT = 1e-9
"""Relative difference of log-likelihoods of two searches that end at the same optimum."""
_ENOUGH = 2
"""Starts that lead to the same optimum: a second confirms the first."""
_DIFFERENCE = 1e-5
"""Of the place, for the curvature by slopes on both sides: truncation and rounding are 1e-10."""
_MOST_STEPS = 50
"""Newton's method takes five from the end of another search."""
_LEAST_GAIN, _NO_GAIN = 1e-8, 1e-22
"""Expected gain of log-likelihood at an optimum, 1e-4 standard deviations of a parameter; and that
of a step which is rounding, 1e-11."""
_SLACK = 1e-11
"""Of a log-likelihood: rounding of sums of some hundred terms."""
_LEAST_CURVATURE = 1e-10
"""Smallest to largest: below it rounding sets how far a region extends."""
_FAR = 1e3
"""Radii: a region that extends this far counts as open there."""
_OVER = 1e-6
"""Of the loss at the edge of a region: a search may end this far beyond it."""
_LEAST_SPARE = -1e10
"""In place of minus infinity, where the model has no value."""
_LEAST = 1e-300
"""Near the smallest float, in place of 0 in a division or a logarithm."""
_HALVINGS = 40
"""Of a distance, to 1e-12 of it."""
_SHARES, _ASIDE = np.array([[0.7], [0.25], [1.5]]), 0.2
"""Of the expected distance of an end: where searches begin, and how far off the straight way."""
_SCATTERED, _SCATTER = 400, 1.0
"""Places tried for parts of a region that are apart, and how far they lie about it, in radii."""
_MOST_TRIED = 8
"""Searches for one end: from beside the optimum, and from ends of other quantities."""
_FARTHER = 1e-7
"""Of the expected distance of an end: less is the accuracy of the search."""
_FIRST_STEP = 0.02
"""The same, outward from an end, in which others may make up for the loss."""
_OUTWARD = 14
"""Doublings of that step: from a fiftieth of the distance to 300 times as far."""


class Optimum(NamedTuple):
    """
    Where the log-likelihood is largest.

    Parameters
    ----------
    place : numpy.ndarray
        As `Problem.log_likelihood` takes it.
    parameters : numpy.ndarray
        In their own units.
    noise_sd : float
        Standard deviation of an observation of weight 1.
    log_likelihood : float
        There.
    information : numpy.ndarray
        Its curvature in the parameters, by the slopes of the model.
    is_active : numpy.ndarray
        Whether a bound keeps a parameter from a likelier value.
    is_unseen : numpy.ndarray
        Whether no observation depends on a parameter there.
    """

    place: Floats
    parameters: Floats
    noise_sd: float
    log_likelihood: float
    information: Floats
    is_active: npt.NDArray[np.bool_]
    is_unseen: npt.NDArray[np.bool_]


class _Reached(NamedTuple):
    place: Floats
    value: float
    gain: float


@np.errstate(all="ignore")
def likeliest(problem: Problem, starts: int = _STARTS) -> Optimum:
    """
    The parameters, and the noise where it is not known, under which observations are likeliest.

    Raises
    ------
    CalibrationError
        If no start has a value, or the search does not converge.
    """
    reached: list[_Reached] = []
    size, enough = len(problem.typical), 1 if problem.is_smooth else _ENOUGH
    chance = np.random.default_rng(0)
    for number in range(starts):
        away = np.exp(chance.normal(0, 1, size)) if number else 1.0
        reached += _climbed(problem, problem.start * away)
        if not reached:
            continue
        most = max(each.value for each in reached)
        slack = _SAME_HEIGHT * (1 + abs(most))
        alike = [each for each in reached if each.value >= most - slack]
        best = next((each for each in alike if each.gain <= _LEAST_GAIN), alike[0])
        parameters = best.place[:size] * problem.typical
        noise_sd = problem.noise_sd or math.exp(best.place[size])
        evidence = problem.evidence(parameters, noise_sd)
        is_unseen = unseen(evidence, parameters)
        # enough starts led to the same optimum, and it is no plain without slopes
        if len(alike) >= enough and not is_unseen.any():
            break
    if not reached:
        raise CalibrationError("the model has no value near any start of the search")
    if best.gain > _LEAST_GAIN and not problem.is_noiseless(noise_sd):
        raise CalibrationError(
            "the search for the best fit did not converge; give a start nearer to it, or bounds"
        )
    # a parameter without effect there may have one elsewhere, at changes of its usual size
    place = best.place
    for index in np.flatnonzero(is_unseen).tolist():
        for value in (problem.start[index], problem.limits[0][index]):
            beside = np.where(np.arange(len(place)) == index, value, place)
            if problem.log_likelihood(beside)[0] >= best.value - slack:
                place = beside
                break
    parameters = place[:size] * problem.typical
    evidence = problem.evidence(parameters, noise_sd)
    is_unseen = unseen(evidence, parameters)
    information = evidence.T @ evidence + np.diag(is_unseen / problem.typical**2)
    low, high = bounds_of(problem.model)
    slopes = problem.log_likelihood(place)[1][:size]
    is_active = ((parameters <= low) & (slopes <= 0)) | ((parameters >= high) & (slopes >= 0))
    return Optimum(place, parameters, noise_sd, best.value, information, is_active, is_unseen)


def _climbed(problem: Problem, start: Floats) -> list[_Reached]:
    """Where least squares from a start end, and Newton's method from there; none without value."""
    from scipy.optimize import least_squares

    size, limits, unit = len(start), problem.limits, problem.typical
    low, high = (ends[:size] for ends in limits)

    def misses(place: Floats) -> Floats:
        return problem.misses(place * unit)[0]

    def slopes(place: Floats) -> Floats:
        return problem.misses(place * unit)[1] * unit

    try:
        found = least_squares(
            misses,
            np.clip(start, low, high),
            slopes,
            (low, high),
            method="trf" if np.isfinite([low, high]).any() else "lm",
            x_scale="jac",
            **_LEAST_SQUARES,
        )
    except (ValueError, np.linalg.LinAlgError):
        return []
    place = np.where(found.x - low < _NEAR_BOUND, low, found.x)
    place = np.where(high - place < _NEAR_BOUND, high, place)
    if problem.noise_sd is None:
        noise_sd = math.sqrt(2 * found.cost / max(problem.count, 1))
        place = np.append(place, max(math.log(max(noise_sd, _LEAST)), limits[0][-1]))
    reached = _newton(problem, place, np.empty((0, len(place))))
    if isinstance(problem.values, LargestSums):
        rows, gaps = problem.values.ties(reached.place[:size] * unit)
        if len(rows):  # along the edge at which two sums are the largest
            rows = np.pad(rows * unit, ((0, 0), (0, len(place) - size)))
            onto = reached.place - np.linalg.pinv(rows) @ gaps
            beside = _newton(problem, np.clip(onto, *limits), rows)
            reached = beside if beside.value >= reached.value else reached
    return [reached] if math.isfinite(reached.value) else []


def _newton(problem: Problem, place: Floats, ties: Floats) -> _Reached:
    """Newton's method along ties and bounds that hold, to the last digits."""
    limits = problem.limits
    value, slopes = problem.log_likelihood(place)
    gain, damping = math.inf, 0.0
    for _ in range(_MOST_STEPS):
        held = ((place <= limits[0]) & (slopes <= 0)) | ((place >= limits[1]) & (slopes >= 0))
        _, singular, directions = np.linalg.svd(np.vstack([ties, np.eye(len(place))[held]]))
        along = directions[(singular > 1e-9 * singular.max(initial=0)).sum() :].T
        bend, rise = along.T @ _curvature(problem, place) @ along, along.T @ slopes
        scale = np.sqrt(np.maximum(np.abs(np.diag(bend)), _LEAST))
        bend = bend / np.outer(scale, scale)
        if not np.isfinite(bend).all():
            break
        lowest = np.linalg.eigvalsh(bend).min(initial=1.0)
        bend += max(damping, 1e-3 - lowest if lowest < 0 else 0.0) * np.eye(len(bend))
        moved = np.linalg.lstsq(bend, rise / scale, rcond=1e-15)[0] / scale
        before, gain = gain, 0.5 * float(rise @ moved)
        if gain < _LEAST_GAIN and gain > before / 2:
            gain = before
            break
        tried = np.clip(place + along @ moved, *limits)
        there, there_slopes = problem.log_likelihood(tried)
        if there < value - _SLACK * (1 + abs(value)):
            damping = max(10 * damping, 1e-3)
            continue
        place, value, slopes, damping = tried, there, there_slopes, damping / 10
        if gain < _NO_GAIN:
            break
    return _Reached(place, value, gain)


def _curvature(problem: Problem, place: Floats) -> Floats:
    """Second derivatives of the log-likelihood, from above zero down."""
    columns = []
    for index, step in enumerate(_DIFFERENCE * np.maximum(np.abs(place), 1e-3)):
        ends = np.clip(place + np.eye(len(place))[index] * [[step], [-step]], *problem.limits)
        (_, above), (_, below) = map(problem.log_likelihood, ends)
        columns.append((below - above) / (ends[0, index] - ends[1, index]))
    return np.asarray(np.array(columns) + np.array(columns).T) / 2


@dataclass
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

    problem: Problem
    optimum: Optimum
    threshold: float
    _last: tuple[bytes, tuple[float, Floats]] = field(default=(b"", (0.0, np.empty(0))), init=False)

    @np.errstate(all="ignore")
    def farthest(self, goal: Goal) -> tuple[float, Floats]:
        """Largest value of a goal, infinite where the region is open, and the parameters there."""
        here, slopes = goal(self.optimum.parameters)
        towards = self.axes[: len(slopes)].T @ slopes
        reach = float(np.linalg.norm(towards))
        if not reach:
            return here, self.optimum.parameters
        towards = towards / reach
        if self.problem.noise_sd is None:  # farther away more noise is likeliest
            towards[-1] = 1.0
        tried = towards[np.newaxis]
        if not self.problem.is_smooth:  # beside an axis of symmetry too
            aside = np.random.default_rng(0).normal(0, _ASIDE, (len(_SHARES), len(towards)))
            tried = _SHARES * towards + aside
        starts = [
            np.asarray(np.linalg.solve(self._unit, self._place(each) - self.optimum.place), float)
            for each in tried
        ]
        best, at = here, np.zeros_like(towards)
        for _ in range(_MOST_TRIED):
            if not starts:  # from ends of other goals that are farther
                value, end = max(
                    ((self._value(goal, end), end) for end in self._ends),
                    key=lambda each: each[0],
                    default=(best, at),
                )
                if value <= best + _FARTHER * reach:
                    break
                starts, best, at = [end], value, end
            found = self._within(self._search(goal, starts.pop(0), reach))
            value = self._value(goal, found)
            if value > best + _FARTHER * reach:
                starts.append(found)  # SLSQP may stop short
            if value > best:
                best, at = value, found
        if not self.problem.is_smooth:
            best, at = self._pushed(goal, best, at, reach)
        self._ends.append(at)
        is_open = bool(np.abs(at[: len(slopes)]).max() > 0.99 * _FAR)
        typical = self.problem.typical
        return math.inf if is_open else best, self._place(at)[: len(typical)] * typical

    def _search(
        self, goal: Goal, start: Floats, reach: float, level: float | None = None
    ) -> Floats:
        """Where SLSQP ends: the largest goal in the region, or the likeliest place at a level."""
        from scipy.optimize import minimize

        size = len(self.problem.typical)

        def short(place: Floats) -> tuple[float, Floats]:
            value, slopes = goal(self._place(place)[:size] * self.problem.typical)
            return ((level or 0.0) - value) / reach, -(slopes @ self.axes[: len(slopes)]) / reach

        def lost(place: Floats) -> tuple[float, Floats]:
            value, slopes = self._spare(place)
            return -value, -slopes

        objective, rule, kind = short, self._spare, "ineq"
        if level is not None:
            objective, rule, kind = lost, short, "eq"
        slopes, room = self._room
        within = {"type": "ineq", "fun": lambda at: slopes @ at + room, "jac": lambda at: slopes}
        parts = {"fun": lambda place: rule(place)[0], "jac": lambda place: rule(place)[1]}
        found = minimize(  # type: ignore[call-overload]
            objective,
            start,
            jac=True,
            bounds=[(-_FAR, _FAR)] * len(start),
            constraints=[{"type": kind, **parts}, *([within] if len(room) else [])],
            method="SLSQP",
            options={"maxiter": 80, "ftol": 1e-9},
        )
        return np.asarray(found.x if np.isfinite(found.x).all() else 0 * start)

    def _spare(self, place: Floats) -> tuple[float, Floats]:
        """Log-likelihood left to the edge, as a part of what may be lost; its slopes."""
        key = place.tobytes()
        if self._last[0] != key:
            value, slopes = self.problem.log_likelihood(self._place(place))
            spare = (value - self.optimum.log_likelihood) * 2 / self.threshold + 1
            rises = (slopes @ self._unit) * 2 / self.threshold
            self._last = key, (max(spare, _LEAST_SPARE), rises)
        return self._last[1]

    def _pushed(self, goal: Goal, best: float, at: Floats, reach: float) -> tuple[float, Floats]:
        """The end moved outward while others make up for the loss: around bends and kinks."""
        step, farther = _FIRST_STEP * reach, None
        for _ in range(_OUTWARD):
            place = self._search(goal, at, reach, best + step)
            if not self._is_inside(place) or self._value(goal, place) < best + 0.9 * step:
                farther = best + step
                break
            best, at, step = self._value(goal, place), place, 2 * step
        if step > _FIRST_STEP * reach and farther is not None:
            for _ in range(20):
                level = (best + farther) / 2
                place = self._search(goal, at, reach, level)
                if self._is_inside(place) and self._value(goal, place) > best:
                    best, at = self._value(goal, place), place
                else:
                    farther = level
        return best, at

    def _within(self, place: Floats) -> Floats:
        """A place moved towards the optimum until it is in the region."""
        if self._is_inside(place):
            return place
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._is_inside(middle * place) else (low, middle)
        return low * place

    def _is_inside(self, place: Floats) -> bool:
        return bool(self._spare(place)[0] >= -_OVER)

    def _value(self, goal: Goal, place: Floats) -> float:
        size = len(self.problem.typical)
        value = goal(self._place(place)[:size] * self.problem.typical)[0]
        return value if math.isfinite(value) else -math.inf

    @cached_property
    def _ends(self) -> list[Floats]:
        """Places in the region: first some scattered ones, as a kink may part it; then its ends."""
        if self.problem.is_smooth:
            return []
        size = (_SCATTERED, self.axes.shape[1])
        places = np.random.default_rng(0).normal(0, _SCATTER, size)
        return [place for place in places if self._is_inside(place)]

    @cached_property
    def axes(self) -> Floats:
        """Columns: how parameters change to the edge along each coordinate, if it were a ball."""
        information = self.optimum.information
        scale = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
        values = np.maximum(values, _LEAST_CURVATURE * values.max())
        loss, count = self.threshold, self.problem.count
        if self.problem.noise_sd is None:
            loss = count * math.expm1(min(loss / count, 300.0))
        axes = vectors / np.sqrt(values) / scale[:, np.newaxis] * math.sqrt(loss)
        return np.pad(axes, ((0, 0), (0, int(self.problem.noise_sd is None))))

    @cached_property
    def _unit(self) -> Floats:
        """How a place changes along each coordinate; the noise to that of the edge."""
        unit = self.axes / self.problem.typical[:, np.newaxis]
        if self.problem.noise_sd is not None:
            return unit
        noise = np.append(np.zeros(len(unit)), self.threshold / (2 * self.problem.count))
        return np.vstack([unit, noise])

    def _place(self, coordinates: Floats) -> Floats:
        return np.clip(self.optimum.place + self._unit @ coordinates, *self.problem.limits)

    @cached_property
    def _room(self) -> tuple[Floats, Floats]:
        """Distances of the optimum from bounds, and how they change along each coordinate."""
        sizes = np.maximum(np.linalg.norm(self._unit, axis=1), _LEAST)
        lows, highs = self.problem.limits
        along, place = self._unit / sizes[:, np.newaxis], self.optimum.place
        room = np.concatenate([(place - lows) / sizes, (highs - place) / sizes])
        is_end = np.isfinite(room)
        return np.vstack([along, -along])[is_end], room[is_end]
