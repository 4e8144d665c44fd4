"""Sets of parameters that half-spaces leave, and what is largest in them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count

import numpy as np

from netmodel.calibration._model import Floats, Loads
from netmodel.calibration._sets._half_spaces import Clause, HalfSpaces
from netmodel.errors import CalibrationError

__all__ = ["Polytope", "corners_of", "everything", "polytopes"]

_MOST_CASES = 1000
_MOST_MEETINGS = 500_000
_FEASIBLE_RATIO = 1e-9
_OPTIMAL_RATIO = 1e-8
_ABOVE_ZERO_RATIO = 1e-3
_SAME_RATIO = 1e-7
_SOLVED, _EMPTY, _UNBOUNDED = 0, 2, 3


@dataclass(frozen=True, slots=True)
class Polytope:
    """
    Parameters that half-spaces allow, each in a scale of its own so that all are near 1.

    Parameters
    ----------
    scales : numpy.ndarray
        Of each parameter.
    normals : numpy.ndarray
        Of each half-space in those scales; the largest number of each is 1.
    offsets : numpy.ndarray
        Of each half-space.
    compared : numpy.ndarray
        Sums of parameters of which one is compared with another, so that they are
        above zero: where they are not, two of nothing would agree with any ratio.
    """

    scales: Floats
    normals: Floats
    offsets: Floats
    compared: Floats

    def within(self, more: HalfSpaces) -> "Polytope":
        """What more half-spaces leave of it."""
        normals, offsets = _evened(more.normals * self.scales, more.offsets)
        return replace(
            self,
            normals=np.vstack([self.normals, normals]),
            offsets=np.append(self.offsets, offsets),
        )

    @property
    def is_empty(self) -> bool:
        """Whether no parameters are in it."""
        above_zero = -_ABOVE_ZERO_RATIO * self.compared.sum(axis=1)
        normals = np.vstack([self.normals, -self.compared])
        offsets = np.append(self.offsets, above_zero)
        objective = np.zeros(len(self.scales))
        return _solved(objective, normals, offsets, _FEASIBLE_RATIO)[0] == _EMPTY

    def contains(self, parameters: Floats, margin_ratio: float) -> bool:
        """Whether parameters are in it, or outside by no more than the margin."""
        excess = self.normals @ (parameters / self.scales) - self.offsets
        return bool((excess <= margin_ratio).all())

    def implies(self, more: HalfSpaces) -> bool:
        """Whether all of it is in more half-spaces."""
        normals, offsets = _evened(more.normals * self.scales, more.offsets)
        return all(
            self._largest(row) <= offset + _FEASIBLE_RATIO
            for row, offset in zip(normals, offsets, strict=True)
        )

    def largest(self, coefficients: Floats) -> float:
        """Most that a sum of the parameters is in it; infinite where nothing bounds it."""
        return self._largest(coefficients * self.scales)

    def largest_ratio(self, loads: Loads, other: Loads) -> float:
        """Most that the largest of sums is of the largest of others; infinite if unbounded."""
        return max(
            self._largest_ratio(np.append(coefficients * self.scales, constant), other)
            for coefficients, constant in zip(loads.coefficients, loads.constants, strict=True)
        )

    def corners(self) -> list[Floats]:
        """
        Parameters where as many half-spaces end as there are parameters.

        Raises
        ------
        CalibrationError
            If too many half-spaces could meet to try them all.
        """
        normals, offsets = self._needed()
        meetings = math.comb(len(offsets), len(self.scales))
        if meetings > _MOST_MEETINGS:
            raise CalibrationError(
                f"{len(offsets)} limits of {len(self.scales)} parameters meet in too many corners "
                "to list them"
            )
        chosen = np.array(list(combinations(range(len(offsets)), len(self.scales))), int)
        return [
            corner * self.scales
            for corner in _meetings(normals, offsets, chosen)
            if self.contains(corner * self.scales, _OPTIMAL_RATIO)
        ]

    def _largest(self, objective: Floats) -> float:
        size = float(np.abs(objective).max())
        if not size:
            return 0.0
        status, found = _solved(objective / size, self.normals, self.offsets, _OPTIMAL_RATIO)
        return float(objective @ found) if status == _SOLVED else math.inf

    def _largest_ratio(self, above: Floats, other: Loads) -> float:
        """Of a sum, given with its constant last, to the largest of others."""
        # Charnes and Cooper: solved for (y, s) = (x s, s), where s makes that largest 1.
        below = np.column_stack([other.coefficients * self.scales, other.constants])
        size = float(np.abs(above).max())
        if not size:
            return 0.0
        scale = float(np.abs(below).max()) or 1.0
        rows = [
            np.column_stack([self.normals, -self.offsets]),
            -np.eye(len(above))[-1:],
            below / scale,
        ]
        limits = np.append(np.zeros(len(self.offsets) + 1), np.ones(len(below)))
        status, found = _solved(above / size, np.vstack(rows), limits, _OPTIMAL_RATIO)
        if status != _SOLVED:
            return math.inf
        at = found / found[-1] if found[-1] > 0 else found
        least = float((below @ at).max())
        return float(above @ at) / least if least > 0 else math.inf

    def _needed(self) -> tuple[Floats, Floats]:
        """The half-spaces without those that the others imply."""
        kept = list(range(len(self.offsets)))
        for one in range(len(self.offsets)):
            others = [index for index in kept if index != one]
            # Loose instead of left out, which keeps it bounded.
            rest = replace(
                self,
                normals=self.normals[[*others, one]],
                offsets=np.append(self.offsets[others], self.offsets[one] + 1),
            )
            if rest.implies(HalfSpaces(self.normals[[one]] / self.scales, self.offsets[[one]])):
                kept = others
        return self.normals[kept], self.offsets[kept]


def everything(
    limits: HalfSpaces, several: Sequence[Clause], compared: Sequence[Floats] = ()
) -> Polytope:
    """All that the parameters may be, in scales that suit what is to be said of them."""
    cases = [limits, *(case for clause in several for case in clause)]
    normals = np.vstack([case.normals for case in cases])
    scales = _scales(normals, np.concatenate([case.offsets for case in cases]))
    nothing = np.empty((0, len(scales)))
    sums = np.vstack([nothing, *compared]) * scales
    start = Polytope(scales, nothing, np.empty(0), sums / sums.max(axis=1, keepdims=True))
    return start.within(limits)


def polytopes(start: Polytope, several: Sequence[Clause]) -> Iterator[Polytope]:
    """
    Parts of a set whose union is all of it for which every clause holds; they may overlap.

    Raises
    ------
    CalibrationError
        If there are too many cases to go through them.
    """
    if not all(several):
        return
    forced = [clause[0] for clause in several if len(clause) == 1]
    choices = sorted((clause for clause in several if len(clause) > 1), key=len)
    for case in forced:
        start = start.within(case)
    if not start.is_empty:
        yield from _parts(start, choices, count())


def corners_of(parts: Sequence[Polytope]) -> list[Floats]:
    """Corners of all parts, each once, the largest first."""
    found: list[Floats] = []
    for part in parts:
        for corner in part.corners():
            apart = (np.abs(corner - other) / part.scales for other in found)
            if all(one.max() > _SAME_RATIO for one in apart):
                found.append(corner)
    return sorted(found, key=tuple, reverse=True)


def _parts(start: Polytope, choices: Sequence[Clause], seen: "count[int]") -> Iterator[Polytope]:
    """Depth first, along cases that are not empty."""
    if next(seen) > _MOST_CASES:
        raise CalibrationError(
            f"the observations leave more than {_MOST_CASES} cases of which limit binds in which "
            "of them; give fewer at once, or more about fewer limits"
        )
    if not choices:
        yield start
        return
    clause, *rest = choices
    if any(start.implies(case) for case in clause):
        yield from _parts(start, rest, seen)
        return
    for case in clause:
        part = start.within(case)
        if not part.is_empty:
            yield from _parts(part, rest, seen)


def _evened(normals: Floats, offsets: Floats) -> tuple[Floats, Floats]:
    """Half-spaces so that the largest number of each is 1."""
    sizes = np.maximum(np.abs(normals).max(axis=1, initial=0), np.abs(offsets))
    return normals / sizes[:, np.newaxis], offsets / sizes


def _scales(normals: Floats, offsets: Floats) -> Floats:
    """How large parameters are where a half-space ends, as far as that is told."""
    sizes = np.abs(normals)
    scales = np.full(normals.shape[1], np.nan)
    for index, column in enumerate(sizes.T):
        ends = np.abs(offsets[(column > 0) & (offsets != 0)])
        if ends.size:
            scales[index] = _middle(ends / column[(column > 0) & (offsets != 0)])
    while np.isnan(scales).any():
        index, scale = _next_scale(sizes, scales)
        scales[index] = scale
    return scales


def _next_scale(sizes: Floats, scales: Floats) -> tuple[int, float]:
    """A parameter that has no scale yet, by what it is compared with where that has one."""
    open_ones = np.flatnonzero(np.isnan(scales))
    others = np.nanmax(np.column_stack([sizes * scales, np.zeros(len(sizes))]), axis=1)
    for index in open_ones:
        is_told = (sizes[:, index] > 0) & (others > 0)
        if is_told.any():
            return int(index), _middle(others[is_told] / sizes[is_told, index])
    first = int(open_ones[0])
    return first, 1 / float(sizes[:, first].max() or 1)


def _middle(values: Floats) -> float:
    """Geometric mean, which a change of units shifts as it does each value."""
    return float(np.exp(np.log(values).mean()))


def _meetings(normals: Floats, offsets: Floats, chosen: "np.typing.NDArray[np.int_]") -> Floats:
    """Where each choice of half-spaces ends together, for those that do in one point."""
    matrices, ends = normals[chosen], offsets[chosen]
    is_one_point = np.abs(np.linalg.det(matrices)) > np.finfo(float).eps
    found: Floats = np.linalg.solve(matrices[is_one_point], ends[is_one_point][..., np.newaxis])
    return found[..., 0] + 0.0


def _solved(
    objective: Floats, normals: Floats, offsets: Floats, margin_ratio: float
) -> tuple[int, Floats]:
    """Where the objective is largest, and whether there is such a place."""
    from scipy.optimize import linprog

    # What presolving takes for empty or unbounded may only be close to it, and without it an
    # unbounded one may end in doubt: the later answer counts where there is one.
    answers = []
    for presolve in (True, False):
        found = linprog(
            -objective,
            A_ub=normals if len(normals) else None,
            b_ub=offsets if len(normals) else None,
            bounds=(None, None),
            options={
                "presolve": presolve,
                "primal_feasibility_tolerance": margin_ratio,
                "dual_feasibility_tolerance": _FEASIBLE_RATIO,
            },
        )
        if found.status == _SOLVED:
            return _SOLVED, np.asarray(found.x, float)
        answers += [found.status] if found.status in {_EMPTY, _UNBOUNDED} else []
    if not answers:
        raise CalibrationError(f"the observations could not be solved: {found.message}")
    return int(answers[-1]), np.empty(0)
