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
"""Combinations of binding limits that are tried: some seconds."""
_FEASIBLE_RATIO = 1e-9
"""How far beyond a limit counts as within it."""
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


def sums_of(model: LinearModel, point: Point) -> Loads:
    """Return the sums of a quantity of which each can be the largest."""
    loads = model.loads(point)
    if (bounds_of(model)[0] < 0).any():
        return loads
    rows = np.unique(loads.rows, axis=0)
    is_below = (rows[:, np.newaxis] <= rows).all(axis=2).sum(axis=1) > 1  # than another row
    return replace(loads, rows=rows[~is_below])


def clauses(model: LinearModel, seen: Observed) -> list[Clause]:
    """Return the clauses that an observation requires; at least one case of each holds."""
    sums = sums_of(model, Point(seen.quantity, seen.at, seen.is_uncapped))
    of, beside = sums.rows, np.eye(1, sums.rows.shape[1], sums.rows.shape[1] - 1)
    if seen.baseline is not None:
        beside = sums_of(model, Point(seen.quantity, seen.baseline)).rows
    over, under = (beside, of) if sums.is_rate else (of, beside)
    required = [_reaching(seen.high * under, over)] if seen.high < math.inf else []
    return required + ([_reaching(over, seen.low * under)] if seen.low > 0 else [])


def _reaching(sums: Floats, others: Floats) -> Clause:
    """Return the cases in which one of the sums is at least all of the others."""
    # coefficients that are the same but for rounding; constants that are printed alike
    same_ratios = np.append(np.full(sums.shape[1] - 1, _EXACT_RATIO), ROUNDING_RATIO)
    cases = []
    for row in sums:
        is_same = np.abs(others - row) <= np.maximum(np.abs(others), np.abs(row)) * same_ratios
        rows = np.where(is_same, 0.0, others - row)
        is_number = ~rows[:, :-1].any(axis=1)
        if (rows[is_number, -1] <= 0).all():
            cases.append(rows[~is_number])
    return cases


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
        """Return the part of it within more half-spaces."""
        rows, result = _evened(more, self.scales), self
        while len(rows):  # the one that cuts off most comes first: few corners in between
            excess = (result.spanned @ rows.T).max(axis=0, initial=0.0)
            cutting = np.argsort(-excess)[: (excess > _FEASIBLE_RATIO).sum()]
            if len(cutting):
                result = result._cut(rows[cutting[0]])
            rows = rows[cutting[1:]]
        return result

    def _cut(self, row: Floats) -> Self:
        """Return the part of it within one more half-space."""
        excess = self.spanned @ row
        beyond, inside = excess > _FEASIBLE_RATIO, excess < -_FEASIBLE_RATIO
        kept = self.spanned[~beyond]
        if inside.any():
            # an edge joins two that share n - 1 half-spaces which no third one touches all of
            touch = np.abs(self.spanned @ self.rows.T) <= _FEASIBLE_RATIO
            touch = np.column_stack([touch, self.spanned[:, -1] == 0]).astype(float)
            pairs = inside.sum() * beyond.sum()
            if pairs <= _MOST_PAIRS:
                near, far = np.nonzero(touch[inside] @ touch[beyond].T >= len(self.scales) - 1)
            if len(near) * len(touch) > _MOST_PAIRS:
                raise CalibrationError(
                    "the observations leave a set with too many corners; give fewer observations "
                    "at once, or more about fewer limits"
                )
            near, far = np.flatnonzero(inside)[near], np.flatnonzero(beyond)[far]
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
        # each sum that is compared is above zero at a corner, or far along a direction
        largest = (self.spanned[:, :-1] @ self.compared.T).max(axis=0, initial=0)
        is_zero = (largest < _ABOVE_ZERO_RATIO * self.compared.sum(axis=1)).any()
        return bool(is_zero or not self.spanned[:, -1].any())

    def implies(self, more: Floats) -> bool:
        """Return whether all of it is within more half-spaces."""
        excess = self.spanned @ _evened(more, self.scales).T
        return bool((excess <= 2 * _FEASIBLE_RATIO).all())

    def ends(self, sums: Floats) -> tuple[float, float]:
        """Return the smallest and the largest value of the largest of sums."""
        stretched = sums * np.append(self.scales, 1.0)
        least_sum = _ZERO_RATIO * np.abs(stretched).max()
        is_open = self.spanned[:, -1] == 0
        largest = (self.spanned @ stretched.T).max(axis=1)
        is_endless = (largest[is_open] > least_sum).any()
        most = math.inf if is_endless else float(largest[~is_open].max())
        least = most
        for row, own in zip(sums, stretched, strict=True):  # the part in which this one is largest
            rest = sums - row
            spanned = self.within(rest[rest.any(axis=1)]).spanned
            least = min(least, float((spanned[spanned[:, -1] > 0] @ own).min(initial=math.inf)))
        return (least if least > least_sum else 0.0), (most if most > least_sum else 0.0)


def _distinct(spanned: Floats) -> Floats:
    """Return each corner once, ending in 1, and each direction once, with the sum 1."""
    is_corner = spanned[:, -1] > _ZERO_RATIO * np.abs(spanned).max(axis=1)
    sizes = np.where(is_corner, spanned[:, -1], np.abs(spanned).sum(axis=1))
    spanned = spanned / sizes[:, np.newaxis]
    spanned[:, -1] = is_corner
    _, first = np.unique(np.round(spanned, _SAME_DIGITS), axis=0, return_index=True)
    return np.asarray(spanned[first])


def _evened(rows: Floats, scales: Floats) -> Floats:
    """Return half-spaces in scales of the parameters, the largest number of each being 1."""
    rows = rows * np.append(scales, 1.0)
    return np.asarray(rows / np.abs(rows).max(axis=1, keepdims=True))


def everything(
    bounds: tuple[Floats, Floats], required: Sequence[Clause], compared: Sequence[Floats] = ()
) -> Polytope:
    """Return all parameters within their bounds, in scales that suit the clauses to come."""
    lows, highs = bounds
    along, is_low = np.eye(len(lows)), np.isfinite(lows)
    upper = np.column_stack([along, -highs])[highs < math.inf]
    lower = np.column_stack([-along, lows])
    scales = _scales(np.vstack([lower[is_low], upper, *chain.from_iterable(required)]))
    sums = np.vstack([np.empty((0, len(scales))), *compared]) * scales
    sums /= sums.max(axis=1, keepdims=True)
    # from the corner of the lower bounds along each parameter, then below the upper bounds
    lower[:, -1] = np.where(is_low, lows, -_FAR * scales)
    corner = np.append(lower[:, -1] / scales, 1.0)
    spanned = np.vstack([corner, np.eye(len(scales), len(scales) + 1)])
    return Polytope(scales, _evened(lower, scales), sums, spanned).within(upper)


def _scales(rows: Floats) -> Floats:
    """Return sizes of parameters that bring the terms of each half-space nearest to each other."""
    is_term = rows != 0
    logs = np.log(np.abs(np.where(is_term, rows, 1.0)))
    counts = is_term.sum(axis=1, keepdims=True)
    uneven = np.where(is_term, logs - logs.sum(axis=1, keepdims=True) / counts, 0.0).sum(axis=0)
    shared = np.diag(is_term.sum(axis=0)) - (is_term / counts).T @ is_term
    return np.asarray(np.exp(-np.linalg.lstsq(shared[:-1, :-1], uneven[:-1])[0]))


def polytopes(
    whole: Sequence[Polytope], requirements: Iterable[Iterable[Clause]]
) -> Iterator[Polytope]:
    """
    Yield parts of a set in which every clause holds; they may overlap.

    Raises
    ------
    CalibrationError
        If there are too many combinations of cases.
    """
    required = [*chain.from_iterable(requirements)]
    if not all(required):
        return
    forced = [clause[0] for clause in required if len(clause) == 1]
    choices = sorted((clause for clause in required if len(clause) > 1), key=len)
    # depth first, along cases that are not empty
    starts = [each.within(np.vstack(forced)) for each in whole] if forced else whole
    open_parts, tried = [(each, 0) for each in reversed(starts)], 0
    while open_parts:
        part, place = open_parts.pop()
        if part.is_empty:
            continue
        while place < len(choices) and any(part.implies(case) for case in choices[place]):
            place += 1
        tried += 1
        if tried > _MOST_CASES * len(whole):
            raise CalibrationError(
                f"the observations allow more than {_MOST_CASES} combinations of binding limits; "
                "give fewer observations at once, or more about fewer limits"
            )
        if place == len(choices):
            yield part
        else:
            open_parts += [(part.within(case), place + 1) for case in reversed(choices[place])]


def corners_of(parts: Sequence[Polytope]) -> Floats:
    """Return the corners of all parts, each once, the largest first."""
    scales = parts[0].scales
    corners = np.vstack([part.spanned[part.spanned[:, -1] > 0, :-1] for part in parts]) * scales
    _, first = np.unique(np.round(corners / scales / _SAME_RATIO), axis=0, return_index=True)
    return np.asarray(corners[first[::-1]])


def quantity_ends(parts: Sequence[Polytope], loads: Loads) -> tuple[float, float]:
    """Return the smallest and the largest value of a quantity."""
    least, most = zip(*(part.ends(loads.rows) for part in parts), strict=True)
    ends = min(least), max(most)
    if not loads.is_rate:
        return ends
    low, high = (1 / end if end else math.inf for end in reversed(ends))
    return low, high
