"""Polytopes of parameters: half-spaces that observations require, and ranges over them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self, TypeAlias

import numpy as np

from netmodel.calibration.models import LinearModel, Loads, Point, bounds_of
from netmodel.calibration.observations import Observed
from netmodel.errors import CalibrationError
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


Clause: TypeAlias = list[Floats]
"""
Cases of which at least one holds; empty where none can.

A case has a row for each half-space: times the parameters and a 1 it is at most 0.
"""


def clauses(model: LinearModel, observation: Observed) -> list[Clause]:
    """Return the clauses that an observation requires; at least one case of each holds."""
    sums = sums_of(model, Point(observation.quantity, observation.at, observation.is_uncapped))
    of, beside = sums.rows, np.eye(1, sums.rows.shape[1], sums.rows.shape[1] - 1)
    if observation.baseline is not None:
        beside = sums_of(model, Point(observation.quantity, observation.baseline)).rows
    over, under = (beside, of) if sums.is_rate else (of, beside)
    required: list[Clause] = []
    if observation.high < math.inf:
        required.append([*_reaches(observation.high, under, 1, over)])
    if observation.low > 0:
        required.append([*_reaches(1, over, observation.low, under)])
    return required


def _reaches(factor: float, sums: Floats, ratio: float, others: Floats) -> Iterator[Floats]:
    """Cases in which one of the sums, times a factor, is at least a ratio of all the others."""
    for row in sums:
        first, second = ratio * others, factor * row
        # coefficients that are the same but for rounding; constants that are printed alike
        is_rounding = np.abs(first - second) <= np.maximum(np.abs(first), np.abs(second)) * [
            *[_EXACT_RATIO] * (len(row) - 1),
            ROUNDING_RATIO,
        ]
        rows = np.where(is_rounding, 0.0, first - second)
        is_number = ~rows[:, :-1].any(axis=1)
        if (rows[is_number, -1] <= 0).all():
            yield rows[~is_number]


def sums_of(model: LinearModel, point: Point) -> Loads:
    """Sums of a quantity of which each can be the largest."""
    loads = model.loads(point)
    if (bounds_of(model)[0] < 0).any():
        return loads
    rows = np.unique(loads.rows, axis=0)
    is_below = (rows[:, np.newaxis] <= rows).all(axis=2).sum(axis=1) > 1  # than another row
    return replace(loads, rows=rows[~is_below])


def _require_few(pairs: int) -> None:
    if pairs > _MOST_PAIRS:
        raise CalibrationError(
            "the observations leave a set with too many corners; give fewer observations at once, "
            "or more about fewer limits"
        )


@dataclass(frozen=True)
class Polytope:
    """
    Parameters within half-spaces, kept as the corners and open directions that span them.

    Parameters
    ----------
    scales : numpy.ndarray
        Of each parameter: in these all are near 1.
    rows : numpy.ndarray
        Each half-space as in a clause, in those scales; the largest number is 1.
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

    def within(self, more: Floats) -> Self:
        """The part of it within more half-spaces."""
        rows, result = _evened(more, self.scales), self
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
        """The part of it within one more half-space."""
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

    def implies(self, more: Floats) -> bool:
        """Whether all of it is within more half-spaces."""
        excess = self.spanned @ _evened(more, self.scales).T
        return bool((excess <= 2 * _FEASIBLE_RATIO).all())

    def largest_ratio(self, sums: Floats, others: Floats) -> float:
        """Largest ratio of the largest of sums to the largest of others; infinite if unbounded."""
        stretch, largest = np.append(self.scales, 1.0), 0.0
        above, below = sums * stretch, others * stretch
        for row in below:
            rest = below - row  # the part of it where this sum is the largest of those below
            points = self.within(rest[rest.any(axis=1)] / stretch).spanned
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


def _distinct(spanned: Floats) -> Floats:
    """Each corner once, ending in 1, and each direction once, with the sum 1."""
    is_corner = spanned[:, -1] > _ZERO_RATIO * np.abs(spanned).max(axis=1)
    sizes = np.where(is_corner, spanned[:, -1], np.abs(spanned).sum(axis=1))
    spanned = spanned / sizes[:, np.newaxis]
    spanned[:, -1] = is_corner
    _, first = np.unique(np.round(spanned, _SAME_DIGITS), axis=0, return_index=True)
    return np.asarray(spanned[first])


def everything(
    bounds: tuple[Floats, Floats], required: Sequence[Clause], compared: Sequence[Floats] = ()
) -> Polytope:
    """All parameters within their bounds, in scales that suit the clauses to come."""
    lows, highs = bounds
    along = np.eye(len(lows))
    upper = np.column_stack([along, -highs])[highs < math.inf]
    lower = np.column_stack([-along, lows])
    ends = lower[np.isfinite(lows)]
    scales = _scales(np.vstack([ends, upper, *chain.from_iterable(required)]))
    sums = np.vstack([np.empty((0, len(scales))), *compared]) * scales
    sums /= sums.max(axis=1, keepdims=True)
    # from the corner of the lower bounds along each parameter, then below the upper bounds
    lower[:, -1] = np.where(np.isfinite(lows), lows, -_FAR * scales)
    corner = np.append(lower[:, -1] / scales, 1.0)
    spanned = np.vstack([corner, np.eye(len(scales), len(scales) + 1)])
    return Polytope(scales, _evened(lower, scales), sums, spanned).within(upper)


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
        start = start.within(np.vstack(forced))
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


def _evened(rows: Floats, scales: Floats) -> Floats:
    """Half-spaces in scales of the parameters, the largest number of each being 1."""
    rows = rows * np.append(scales, 1.0)
    return np.asarray(rows / np.abs(rows).max(axis=1, keepdims=True))


def _scales(rows: Floats) -> Floats:
    """Magnitude of each parameter where half-spaces end, as far as that is known."""
    sizes, offsets = np.abs(rows[:, :-1]), np.abs(rows[:, -1])
    scales = np.full(sizes.shape[1], np.nan)
    for index, column in enumerate(sizes.T):
        is_ended = (column > 0) & (offsets > 0)
        if is_ended.any():
            scales[index] = _middle(offsets[is_ended] / column[is_ended])
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
            scales[without[0]] = 1 / float(sizes[:, without[0]].max(initial=0) or 1)
    return scales


def _middle(values: Floats) -> float:
    """Geometric mean, so that a change of units does not change the result."""
    return float(np.exp(np.log(values).mean()))


def narrowed(parts: Iterable[Polytope], required: Sequence[Clause]) -> tuple[Polytope, ...]:
    """The parts of a set in which further clauses hold; empty where none does."""
    return tuple(smaller for part in parts for smaller in polytopes(part, required))


def quantity_ends(parts: Sequence[Polytope], loads: Loads) -> tuple[float, float]:
    """Smallest and largest value of a quantity."""
    sums, unity = loads.rows, np.eye(1, loads.rows.shape[1], loads.rows.shape[1] - 1)
    above, below = (unity, sums) if loads.is_rate else (sums, unity)
    most = max(part.largest_ratio(above, below) for part in parts)
    inverse = max(part.largest_ratio(below, above) for part in parts)
    return min(most, 1 / inverse if inverse else math.inf), most
