"""Polytopes of parameters: half-spaces that observations require, and ranges over them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from netmodel.calibration.models import LinearModel, Loads, Point, baseline_point
from netmodel.calibration.observations import Conditions, Observed
from netmodel.errors import CalibrationError
from netmodel.estimates import Estimate
from netmodel.numeric import ROUNDING_RATIO, Floats

_EXACT_RATIO = 1e-13
"""Of coefficients: some hundred roundings of 64 bits."""
_MOST_CASES = 1000
"""Combinations of binding limits that are tried: some seconds of linear programs."""
_FEASIBLE_RATIO = 1e-9
"""How far beyond a limit counts as within it: near the smallest tolerance of HiGHS, 1e-10."""
_ABOVE_ZERO_RATIO = 1e-3
"""Of the usual size of sums that are compared: two sums of 0 would agree with any ratio."""
_SAME_RATIO = 1e-7
"""Corners nearer to each other, in usual sizes of parameters, are the same."""
_SAME_DIGITS = 9
"""Of corners in those sizes: each edge that ends at a corner finds the same one."""
_ZERO_RATIO = 1e-12
"""Of the terms of a sum: a smaller sum is rounding of 0."""
_MOST_PAIRS = 10_000_000
"""Pairs of corners that are tried for an edge: 100 MB."""
_FAR = 1e12
"""A parameter without a lower limit starts this far below zero, in its own scale."""
_ONE_VALUE_RATIO = 1e-6
"""Ends nearer to each other are the same value: six digits."""


class HalfSpaces(NamedTuple):
    """
    Parameters for which each of several sums is at most a number.

    Parameters
    ----------
    normals : numpy.ndarray
        Coefficients of the parameters in each sum, shape (sums, parameters).
    offsets : numpy.ndarray
        The numbers.
    """

    normals: Floats
    offsets: Floats


Clause: TypeAlias = tuple[HalfSpaces, ...]
"""Cases of which at least one holds; empty where none can."""


class Compared(NamedTuple):
    """
    What an observation is of.

    Parameters
    ----------
    cases : tuple of Loads
        Its quantity under the conditions of each case.
    baseline : Loads
        What its figures are ratios to.
    """

    cases: tuple[Loads, ...]
    baseline: Loads


def compared(model: LinearModel, observation: Observed) -> Compared:
    """What an observation is of, in the parameters of a model with its baselines."""
    cases = tuple(_loads(model, observation, conditions) for conditions in observation.cases)
    return Compared(cases, _baseline(model, observation, cases[0].is_rate))


def clauses(model: LinearModel, observation: Observed) -> list[Clause]:
    """What an observation requires of the parameters of a model with its baselines."""
    return clauses_between(compared(model, observation), observation.low, observation.high)


def clauses_between(of: Compared, low: float, high: float) -> list[Clause]:
    """What two ends require: each case is at most ``high``, and one of them at least ``low``."""
    cases, baseline = of
    required: list[Clause] = []
    if high < math.inf:
        for case in cases:
            larger, smaller = (case, baseline) if case.is_rate else (baseline, case)
            required.append(tuple(_reaches(high, larger, 1, smaller)))
    if low > 0:
        reached: list[HalfSpaces] = []
        for case in cases:
            larger, smaller = (baseline, case) if case.is_rate else (case, baseline)
            reached += _reaches(1, larger, low, smaller)
        required.append(tuple(reached))
    return required


def compared_sums(model: LinearModel, observed: Iterable[Observed]) -> list[Floats]:
    """Sums of parameters that must be above zero for a comparison with them to mean anything."""
    return free_sums(
        compared(model, observation) for observation in observed if observation.baseline is not None
    )


def free_sums(of: Iterable[Compared]) -> list[Floats]:
    """The same of what is compared with more than a number."""
    every = chain.from_iterable((*cases, baseline) for cases, baseline in of)
    free = [loads.coefficients.sum(axis=0) for loads in every if not loads.constants.any()]
    return [row for row in free if row.any()]


def parameter_limits(model: LinearModel) -> HalfSpaces:
    """The bounds of the parameters."""
    rows, offsets = [], []
    for row, parameter in zip(np.eye(len(model.parameters)), model.parameters, strict=True):
        rows.append(-row)
        offsets.append(-parameter.low)
        if parameter.high < math.inf:
            rows.append(row)
            offsets.append(parameter.high)
    return HalfSpaces(np.array(rows), np.array(offsets))


def sums_of(model: LinearModel, point: Point) -> Loads:
    """The sums of a quantity that may be the largest: those that no other sum always exceeds."""
    loads = model.loads(point)
    if any(parameter.low < 0 for parameter in model.parameters):
        return loads
    rows = np.column_stack([loads.coefficients, loads.constants])
    _, first = np.unique(rows, axis=0, return_index=True)
    kept = [
        place
        for place in sorted(first)
        if not any((rows[other] >= rows[place]).all() for other in first if other != place)
    ]
    names = tuple(loads.names[place] for place in kept)
    return Loads(loads.coefficients[kept], loads.constants[kept], loads.is_rate, names)


def _loads(model: LinearModel, observation: Observed, conditions: Conditions) -> Loads:
    point = Point(observation.quantity, conditions, is_uncapped=observation.is_uncapped)
    return sums_of(model, point)


def _baseline(model: LinearModel, observation: Observed, is_rate: bool) -> Loads:
    """The quantity that figures are ratios to: the same under other conditions, else 1."""
    if observation.baseline is None:
        return Loads(np.zeros((1, len(model.parameters))), np.ones(1), is_rate, ("1",))
    return sums_of(model, baseline_point(observation))


def _reaches(factor: float, loads: Loads, ratio: float, other: Loads) -> Iterator[HalfSpaces]:
    """For each sum, the half-spaces where a multiple of it is at least one of every other sum."""
    for coefficients, constant in zip(loads.coefficients, loads.constants, strict=True):
        normals = _difference(ratio * other.coefficients, factor * coefficients, _EXACT_RATIO)
        offsets = _difference(factor * constant, ratio * other.constants, ROUNDING_RATIO)
        is_number = ~normals.any(axis=1)
        if (offsets[is_number] >= 0).all():
            yield HalfSpaces(normals[~is_number], offsets[~is_number])


def _difference(first: Floats | float, second: Floats | float, rounding_ratio: float) -> Floats:
    """First less second, 0 where it is only rounding."""
    difference = np.asarray(first) - second
    is_rounding = np.abs(difference) <= rounding_ratio * np.maximum(np.abs(first), np.abs(second))
    return np.where(is_rounding, 0.0, difference)


@dataclass(frozen=True)
class Polytope:
    """
    Parameters within half-spaces, kept as the corners and open directions that span them.

    Parameters
    ----------
    scales : numpy.ndarray
        Of each parameter: in these all are near 1.
    rows : numpy.ndarray
        Normal and negative offset of each half-space in those scales; the largest number is 1.
    compared : numpy.ndarray
        Sums of parameters that are compared with each other, so that they are above zero:
        two sums of 0 would agree with any ratio.
    spanned : numpy.ndarray
        A row for each corner, ending in 1, and each open direction, ending in 0.

    References
    ----------
    K. Fukuda, A. Prodon, "Double description method revisited", 1996.
    """

    scales: Floats
    rows: Floats
    compared: Floats
    spanned: Floats

    def within(self, more: HalfSpaces) -> Self:
        """The part of it within more half-spaces."""
        normals, offsets = _evened(more.normals * self.scales, more.offsets)
        rows = np.column_stack([normals, -offsets])
        result = self
        while len(rows):  # the one that cuts off most comes first: few corners in between
            excess = (result.spanned @ rows.T).max(axis=0, initial=0.0)
            most = int(excess.argmax())
            if excess[most] <= _FEASIBLE_RATIO:
                break
            result = result._cut(rows[most])
            excess[most] = 0.0
            rows = rows[excess > _FEASIBLE_RATIO]
        return result

    def _cut(self, row: Floats) -> Self:
        """The part of it within a half-space, whose normal and negative offset are a row."""
        excess = self.spanned @ row
        beyond, inside = excess > _FEASIBLE_RATIO, excess < -_FEASIBLE_RATIO
        kept = self.spanned[~beyond]
        if inside.any():
            # an edge joins two that share n - 1 half-spaces which no third one touches all of
            touch = np.abs(self.spanned @ self.rows.T) <= _FEASIBLE_RATIO
            touch = np.column_stack([touch, self.spanned[:, -1] == 0]).astype(float)
            _require_few(inside.sum() * beyond.sum())
            near, far = np.nonzero(touch[inside] @ touch[beyond].T >= len(self.scales) - 1)
            near, far = np.flatnonzero(inside)[near], np.flatnonzero(beyond)[far]
            _require_few(len(near) * len(touch))
            both = touch[near] * touch[far]
            is_edge = (both @ touch.T == both.sum(axis=1, keepdims=True)).sum(axis=1) == 2
            near, far = near[is_edge], far[is_edge]
            weights = np.abs(excess)[:, np.newaxis]
            crossings = self.spanned[near] * weights[far] + self.spanned[far] * weights[near]
            kept = _distinct(np.vstack([kept, crossings]))
        # half-spaces at which at least something of what is left ends
        needed = (kept @ self.rows.T).max(axis=0, initial=-math.inf) >= -_SAME_RATIO
        return replace(self, rows=np.vstack([self.rows[needed], row]), spanned=kept)

    @property
    def is_empty(self) -> bool:
        """Whether it has no parameters."""
        if not self.spanned[:, -1].any():
            return True
        # each sum that is compared is above zero at a corner, or far along a direction
        largest = (self.spanned[:, :-1] @ self.compared.T).max(axis=0, initial=0)
        return bool((largest < _ABOVE_ZERO_RATIO * self.compared.sum(axis=1)).any())

    def implies(self, more: HalfSpaces) -> bool:
        """Whether all of it is within more half-spaces."""
        normals, offsets = _evened(more.normals * self.scales, more.offsets)
        excess = self.spanned @ np.column_stack([normals, -offsets]).T
        return bool((excess <= 2 * _FEASIBLE_RATIO).all())

    def largest(self, coefficients: Floats) -> float:
        """Largest value of a sum of the parameters; infinite where nothing bounds it."""
        row = coefficients * self.scales
        values, is_open = self.spanned[:, :-1] @ row, self.spanned[:, -1] == 0
        if (values[is_open] > _ZERO_RATIO * np.abs(row).max()).any():
            return math.inf
        return float(values[~is_open].max())

    def largest_ratio(self, loads: Loads, other: Loads) -> float:
        """Largest ratio of the largest of sums to the largest of others; infinite if unbounded."""
        above, below = (
            np.column_stack([of.coefficients * self.scales, of.constants]) for of in (loads, other)
        )
        largest = 0.0
        for row in below:
            rest = below - row  # the part of it where this sum is the largest of those below
            rest = rest[np.abs(rest).any(axis=1)]
            points = self.within(HalfSpaces(rest[:, :-1] / self.scales, -rest[:, -1])).spanned
            # a ratio of sums is monotonic along an edge: largest at a corner or along a direction
            tops, bottoms = (points @ above.T).max(axis=1), points @ row
            is_above = tops > _ZERO_RATIO * np.abs(above).max()
            is_below = bottoms > _ZERO_RATIO * np.abs(below).max()
            if (is_above & ~is_below).any():
                return math.inf
            largest = max(largest, float((tops[is_above] / bottoms[is_above]).max(initial=0.0)))
        return largest

    def corners(self) -> list[Floats]:
        """Parameters at which the boundaries of n half-spaces meet, for n parameters."""
        return [row[:-1] * self.scales for row in self.spanned if row[-1]]


def _require_few(pairs: int) -> None:
    if pairs > _MOST_PAIRS:
        raise CalibrationError(
            "the observations leave a set with too many corners; give fewer observations at once, "
            "or more about fewer limits"
        )


def _distinct(spanned: Floats) -> Floats:
    """Each corner once, ending in 1, and each direction once, with the sum 1."""
    is_corner = spanned[:, -1] > _ZERO_RATIO * np.abs(spanned).max(axis=1)
    sizes = np.where(is_corner, spanned[:, -1], np.abs(spanned).sum(axis=1))
    spanned = spanned / sizes[:, np.newaxis]
    spanned[:, -1] = is_corner
    _, first = np.unique(np.round(spanned, _SAME_DIGITS), axis=0, return_index=True)
    return np.asarray(spanned[first])


def everything(
    limits: HalfSpaces, required: Sequence[Clause], compared: Sequence[Floats] = ()
) -> Polytope:
    """All parameters within their limits, in scales that suit the clauses to come."""
    cases = [limits, *(case for clause in required for case in clause)]
    normals = np.vstack([case.normals for case in cases])
    scales = _scales(normals, np.concatenate([case.offsets for case in cases]))
    sums = np.vstack([np.empty((0, len(scales))), *compared]) * scales
    sums /= sums.max(axis=1, keepdims=True)
    # from the corner of the lower limits along each parameter, then below the upper limits
    is_low = limits.normals.sum(axis=1) < 0
    lows = np.where(np.isfinite(limits.offsets[is_low]), limits.offsets[is_low], _FAR * scales)
    corner = np.append(-lows / scales, 1.0)
    along = np.eye(len(scales), len(scales) + 1)
    normals, offsets = _evened(limits.normals[is_low] * scales, lows)
    rows = np.column_stack([normals, -offsets])
    start = Polytope(scales, rows, sums, np.vstack([corner, along]))
    return start.within(HalfSpaces(limits.normals[~is_low], limits.offsets[~is_low]))


def polytopes(start: Polytope, required: Sequence[Clause]) -> Iterator[Polytope]:
    """
    Parts of a set in which every clause holds; they may overlap.

    Raises
    ------
    CalibrationError
        If there are too many combinations of cases.
    """
    if not all(required):
        return
    forced = [clause[0] for clause in required if len(clause) == 1]
    choices = sorted((clause for clause in required if len(clause) > 1), key=len)
    if forced:
        start = start.within(HalfSpaces(*map(np.concatenate, zip(*forced, strict=True))))
    # depth first, along cases that are not empty
    open_parts, tried = [(start, 0)], 0
    while open_parts:
        part, place = open_parts.pop()
        if part.is_empty:
            continue
        while place < len(choices) and any(part.implies(case) for case in choices[place]):
            place += 1
        tried += 1
        if tried > _MOST_CASES:
            raise CalibrationError(
                f"the observations allow more than {_MOST_CASES} combinations of binding limits; "
                "give fewer observations at once, or more about fewer limits"
            )
        if place == len(choices):
            yield part
        else:
            cases = reversed(choices[place])
            open_parts += [(part.within(case), place + 1) for case in cases]


def corners_of(parts: Sequence[Polytope]) -> list[Floats]:
    """Corners of all parts, each once, the largest first."""
    corners: list[Floats] = []
    for part in parts:
        for corner in part.corners():
            distances = (np.abs(corner - other) / part.scales for other in corners)
            if all(distance.max() > _SAME_RATIO for distance in distances):
                corners.append(corner)
    scales = parts[0].scales * _SAME_RATIO
    return sorted(corners, key=lambda corner: tuple(np.round(corner / scales)), reverse=True)


def _evened(normals: Floats, offsets: Floats) -> tuple[Floats, Floats]:
    """Half-spaces scaled so that the largest number of each is 1."""
    sizes = np.maximum(np.abs(normals).max(axis=1, initial=0), np.abs(offsets))
    return normals / sizes[:, np.newaxis], offsets / sizes


def _scales(normals: Floats, offsets: Floats) -> Floats:
    """Magnitude of each parameter where half-spaces end, as far as that is known."""
    sizes = np.abs(normals)
    scales = np.full(normals.shape[1], np.nan)
    for index, column in enumerate(sizes.T):
        is_ended = (column > 0) & (offsets != 0)
        if is_ended.any():
            scales[index] = _middle(np.abs(offsets[is_ended]) / column[is_ended])
    # the others by the parameters that they are compared with, as soon as these have a scale
    while np.isnan(scales).any():
        without = np.flatnonzero(np.isnan(scales))
        others = np.nanmax(np.column_stack([sizes * scales, np.zeros(len(sizes))]), axis=1)
        for index in map(int, without):
            is_known = (sizes[:, index] > 0) & (others > 0)
            if is_known.any():
                scales[index] = _middle(others[is_known] / sizes[is_known, index])
                break
        else:
            scales[without[0]] = 1 / float(sizes[:, without[0]].max() or 1)
    return scales


def _middle(values: Floats) -> float:
    """Geometric mean, so that a change of units does not change the result."""
    return float(np.exp(np.log(values).mean()))


def narrowed(parts: Iterable[Polytope], required: Sequence[Clause]) -> tuple[Polytope, ...]:
    """The parts of a set in which further clauses hold; empty where none does."""
    return tuple(smaller for part in parts for smaller in polytopes(part, required))


def quantity_ends(parts: Sequence[Polytope], loads: Loads) -> tuple[float, float]:
    """Smallest and largest value of a quantity."""
    unity = Loads(np.zeros_like(loads.coefficients[:1]), np.ones(1), loads.is_rate, ("1",))
    return ratio_ends(parts, *((unity, loads) if loads.is_rate else (loads, unity)))


def ratio_ends(parts: Sequence[Polytope], loads: Loads, other: Loads) -> tuple[float, float]:
    """Smallest and largest ratio of the largest of sums to the largest of others."""
    most = max(part.largest_ratio(loads, other) for part in parts)
    inverse = max(part.largest_ratio(other, loads) for part in parts)
    return min(most, 1 / inverse if inverse else math.inf), most


def linear_ends(parts: Sequence[Polytope], row: Floats) -> tuple[float, float]:
    """Smallest and largest value of a sum of the parameters."""
    most = max(part.largest(row) for part in parts)
    return min(most, 0.0 - max(part.largest(-row) for part in parts)), most


def estimate(ends: tuple[float, float], printed: tuple[float, float]) -> Estimate[float | None]:
    """A range, with a value where its ends, or those of figures as printed, are the same."""
    low, high = ends
    for first, last in (ends, printed):
        if width_ratio(first, last) <= _ONE_VALUE_RATIO:
            return Estimate(min(max((first + last) / 2, low), high), low, high)
    return Estimate(None, low, high)


def width_ratio(low: float, high: float) -> float:
    """Width of a range over its upper end."""
    if low == high:
        return 0.0
    return (high - low) / high if 0 < high < math.inf else math.inf
