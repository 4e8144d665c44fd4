"""Polytopes of parameters: half-spaces that observations require, and ranges over them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, count
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

import numpy as np

from netmodel.calibration._models import (
    LinearModel,
    Loads,
    Point,
    unknown_point,
    with_unknowns,
)
from netmodel.calibration._observed import Conditions, Observed
from netmodel.errors import CalibrationError
from netmodel.estimates import Estimate
from netmodel.hull import edges, half_plane_corners
from netmodel.numeric import ROUNDING_RATIO, Floats

if TYPE_CHECKING:
    import numpy.typing as npt

SOLVED, EMPTY, UNBOUNDED = 0, 2, 3
"""`status` of `scipy.optimize.linprog`: an optimum, no point that meets all rows, no end."""
_EXACT_RATIO = 1e-13
"""Of coefficients: some hundred roundings of 64 bits."""
_MOST_CASES = 1000
"""Combinations of binding limits that are tried: some seconds of linear programs."""
_MOST_MEETINGS = 500_000
"""Combinations of limits that are tried for a corner: 100 MB."""
_FEASIBLE_RATIO = 1e-9
"""How far beyond a limit counts as within it: near the smallest tolerance of HiGHS, 1e-10."""
_OPTIMAL_RATIO = 1e-8
"""The same for an optimum: with a smaller tolerance HiGHS fails now and then."""
_ABOVE_ZERO_RATIO = 1e-3
"""Of the usual size of sums that are compared: two sums of 0 would agree with any ratio."""
_SAME_RATIO = 1e-7
"""Corners nearer to each other, in usual sizes of parameters, are the same."""
_SAME_DIGITS = 9
"""Of corners in those sizes: each edge that ends at a corner finds the same one."""
_MOST_CONDITION = 1e5
"""Of the equations of a corner: it is exact to 1e-11 or so, a hundredth of the tolerance."""
_MOST_SOLVED = 5000
"""The same where corners stand for linear programs: about as long as ten of these."""
_MOST_FOLLOWED = 80
"""Half-spaces whose corners are kept while more cut them: beyond, linear programs are faster."""
_MANY_HALF_SPACES = 12
"""Beyond it those that others imply are left out: below, that takes longer than it saves."""
_ZERO_RATIO = 1e-12
"""Of the terms of a sum: a smaller sum is rounding of 0."""
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


def with_baselines(model: LinearModel, observed: Sequence[Observed]) -> LinearModel:
    """The model with a further parameter for each baseline whose value is not known."""
    return with_unknowns(model, [name for _, name in unknown_quantities(observed)])


def unknown_quantities(observed: Sequence[Observed]) -> list[tuple[str, str]]:
    """Quantity and name of each baseline whose value is not known: sorted, without repeats."""
    return sorted(
        {
            (observation.quantity, f"{observation.quantity} of {observation.baseline}")
            for observation in observed
            if isinstance(observation.baseline, str)
        }
    )


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
    if isinstance(observation.baseline, str):
        name = f"{observation.quantity} of {observation.baseline}"
        return model.loads(unknown_point(observation.quantity, name, is_rate))
    return sums_of(model, Point(observation.quantity, observation.baseline))


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
    Parameters within half-spaces, each in units of its own scale so that all are near 1.

    Parameters
    ----------
    scales : numpy.ndarray
        Of each parameter.
    normals : numpy.ndarray
        Of each half-space in those scales; the largest coefficient of each is 1.
    offsets : numpy.ndarray
        Of each half-space.
    compared : numpy.ndarray
        Sums of parameters that are compared with each other, so that they are above zero:
        two sums of 0 would agree with any ratio.
    """

    scales: Floats
    normals: Floats
    offsets: Floats
    compared: Floats

    def within(self, more: HalfSpaces) -> Self:
        """The part of it within more half-spaces."""
        return self._and(*_evened(more.normals * self.scales, more.offsets))

    def _and(self, normals: Floats, offsets: Floats) -> Self:
        return self._of(np.vstack([self.normals, normals]), np.append(self.offsets, offsets))

    def _of(self, normals: Floats, offsets: Floats) -> Self:
        """A set within other half-spaces."""
        return type(self)(self.scales, normals, offsets, self.compared)

    @property
    def bare(self) -> Self:
        """The same without half-spaces that others imply, where these are known."""
        return self

    @property
    def is_empty(self) -> bool:
        """Whether it has no parameters."""
        above_zero = -_ABOVE_ZERO_RATIO * self.compared.sum(axis=1)
        normals = np.vstack([self.normals, -self.compared])
        offsets = np.append(self.offsets, above_zero)
        objective = np.zeros(len(self.scales))
        return _solved(objective, normals, offsets, _FEASIBLE_RATIO)[0] == EMPTY

    def contains(self, parameters: Floats, margin_ratio: float) -> bool:
        """Whether parameters are in it, or outside by no more than the margin."""
        excess = self.normals @ (parameters / self.scales) - self.offsets
        return bool((excess <= margin_ratio).all())

    def implies(self, more: HalfSpaces) -> bool:
        """Whether all of it is within more half-spaces."""
        normals, offsets = _evened(more.normals * self.scales, more.offsets)
        return all(
            self._largest(row) <= offset + _FEASIBLE_RATIO
            for row, offset in zip(normals, offsets, strict=True)
        )

    def largest(self, coefficients: Floats) -> float:
        """Largest value of a sum of the parameters; infinite where nothing bounds it."""
        return self._largest(coefficients * self.scales)

    def largest_ratio(self, loads: Loads, other: Loads) -> float:
        """Largest ratio of the largest of sums to the largest of others; infinite if unbounded."""
        # Charnes and Cooper: solved for (y, s) = (x s, s), where s makes the largest below 1
        below = np.column_stack([other.coefficients * self.scales, other.constants])
        scale = float(np.abs(below).max()) or 1.0
        non_negative = -np.eye(below.shape[1])[-1:]  # s is at least 0
        rows = np.vstack(
            [np.column_stack([self.normals, -self.offsets]), non_negative, below / scale]
        )
        limits = np.append(np.zeros(len(self.offsets) + 1), np.ones(len(below)))
        ratios = []
        for coefficients, constant in zip(loads.coefficients, loads.constants, strict=True):
            above = np.append(coefficients * self.scales, constant)
            size = float(np.abs(above).max())
            if not size:
                ratios.append(0.0)
                continue
            status, solution = _solved(above / size, rows, limits, _OPTIMAL_RATIO)
            if status != SOLVED:
                return math.inf
            point = solution / solution[-1] if solution[-1] > 0 else solution
            least = float((below @ point).max())
            ratios.append(float(above @ point) / least if least > 0 else math.inf)
        return max(ratios)

    def corners(self) -> list[Floats]:
        """
        Parameters at which the boundaries of n half-spaces meet, for n parameters.

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
        return [
            point * self.scales
            for point in _meetings(normals, offsets)[0]
            if self.contains(point * self.scales, _OPTIMAL_RATIO)
        ]

    def _largest(self, objective: Floats) -> float:
        size = float(np.abs(objective).max())
        if not size:
            return 0.0
        status, solution = _solved(objective / size, self.normals, self.offsets, _OPTIMAL_RATIO)
        return float(objective @ solution) if status == SOLVED else math.inf

    def _needed(self) -> tuple[Floats, Floats]:
        """The half-spaces without those that the others imply."""
        kept = list(range(len(self.offsets)))
        for place in range(len(self.offsets)):
            others = [index for index in kept if index != place]
            # loosened by 1 instead of left out, which keeps the rest bounded
            rest = self._of(
                self.normals[[*others, place]],
                np.append(self.offsets[others], self.offsets[place] + 1),
            )
            half_space = HalfSpaces(self.normals[[place]] / self.scales, self.offsets[[place]])
            if rest.implies(half_space):
                kept = others
        return self.normals[kept], self.offsets[kept]


@dataclass(frozen=True)
class _Spanned(Polytope):
    """
    A set that its corners and open directions span, where these are known.

    Parameters
    ----------
    known : numpy.ndarray, optional
        Its corners, of a bounded set that has been cut off another.
    """

    known: Floats | None = None

    @cached_property
    def _ends(self) -> tuple[Floats, Floats] | None:
        """Corners, and the directions in which it is unbounded; None where not known."""
        if self.known is not None:
            return self.known, self.known[:0]
        if math.comb(len(self.offsets), len(self.scales)) > _MOST_SOLVED:
            return None
        points, matrices = _meetings(self.normals, self.offsets)
        excess = (points @ self.normals.T - self.offsets).max(axis=1)
        # a set without corners is empty, but for one that is thinner than their rounding
        is_clear = excess.min(initial=math.inf) <= _FEASIBLE_RATIO or not any(
            np.linalg.cond(matrix) > _MOST_CONDITION for matrix in matrices[excess <= _SAME_RATIO]
        )
        if not is_clear:
            return None
        directions = points[:0] if self._is_bounded else _rays(self.normals)
        return _distinct(points[excess <= _FEASIBLE_RATIO]), directions

    @property
    def _is_bounded(self) -> bool:
        """Whether parameters that have lower limits have upper ones too, one after the other."""
        is_limited = np.zeros(len(self.scales), bool)
        while not is_limited.all():
            is_upper = (self.normals[:, ~is_limited] >= 0).all(axis=1)
            limited = is_limited | (self.normals[is_upper] > 0).any(axis=0)
            if (limited == is_limited).all():
                return False
            is_limited = limited
        return True

    @cached_property
    def _has_inside(self) -> bool:
        """Whether its corners are known, and span all of it and all dimensions."""
        if self._ends is None or not len(self._ends[0]) or len(self._ends[1]):
            return False
        away = self._ends[0] - self._ends[0].mean(axis=0)
        sizes = np.linalg.svd(away, compute_uv=False)
        return len(sizes) == len(self.scales) and bool(sizes[-1] > _SAME_RATIO)

    @cached_property
    def bare(self) -> Self:
        if self._ends is None or not len(self._ends[0]):
            return self
        slack = self.offsets - (self._ends[0] @ self.normals.T).max(axis=0)
        kept, known = slack <= _SAME_RATIO, None
        if self._has_inside:
            # none that only touches at a part of a side of another, nor the same side again
            known, touches = self._ends[0], self._touches
            together = touches @ touches.T
            is_part = together == touches.sum(axis=1, keepdims=True)
            is_lesser = is_part & (~is_part.T | np.tri(len(slack), k=-1, dtype=bool))
            kept = ~is_lesser.any(axis=1)
        if kept.all():
            return self
        return replace(self._of(self.normals[kept], self.offsets[kept]), known=known)

    @cached_property
    def _touches(self) -> Floats:
        """1 where a half-space ends at a corner, else 0."""
        assert self._ends is not None
        slack = self.offsets[:, np.newaxis] - self.normals @ self._ends[0].T
        return (slack <= _FEASIBLE_RATIO).astype(float)

    def within(self, more: HalfSpaces) -> Self:
        normals, offsets = _evened(more.normals * self.scales, more.offsets)
        result = self
        while len(offsets):
            if len(result.offsets) <= _MANY_HALF_SPACES:
                result = result._and(normals[:1], offsets[:1])
                normals, offsets = normals[1:], offsets[1:]
                continue
            result = result.bare
            if not result._has_inside or len(result.offsets) > _MOST_FOLLOWED:
                return result._and(normals, offsets)
            assert result._ends is not None
            # the half-space that cuts off most, of those that cut off anything
            excess = (result._ends[0] @ normals.T).max(axis=0) - offsets
            cuts, most = excess > _FEASIBLE_RATIO, int(excess.argmax())
            if not cuts[most]:
                break
            known = result._corners_within(normals[most], float(offsets[most]))
            result = replace(result._and(normals[[most]], offsets[[most]]), known=known)
            if known is not None and not len(known):
                break
            cuts[most] = False
            normals, offsets = normals[cuts], offsets[cuts]
        return result

    def _corners_within(self, normal: Floats, offset: float) -> Floats | None:
        """Of the part of it within a half-space; None where it is too thin to tell."""
        assert self._ends is not None
        corners = self._ends[0]
        excess = corners @ normal - offset
        is_out = excess > _FEASIBLE_RATIO
        if is_out.all():
            return corners[:0] if excess.min() > _SAME_RATIO else None
        # where edges cross its boundary: their ends are at n - 1 half-spaces together
        together = self._touches[:, ~is_out].T @ self._touches[:, is_out]
        near, far = np.nonzero(together >= len(self.scales) - 1)
        if len(near) > _MOST_SOLVED:
            return None
        before, beyond = np.maximum(-excess[~is_out][near], 0.0), excess[is_out][far]
        start, end = corners[~is_out][near], corners[is_out][far]
        crossings = start + (before / (before + beyond))[:, np.newaxis] * (end - start)
        return _distinct(np.vstack([corners[~is_out], crossings]))

    @property
    def is_empty(self) -> bool:
        if self._ends is None:
            return super().is_empty
        corners, directions = self._ends
        if not len(corners):
            return True
        # Each sum that is compared must be above zero somewhere: at a corner, or far along a
        # direction in which it grows.
        spans = np.vstack([corners, directions]) @ self.compared.T
        return bool((spans.max(axis=0, initial=0) < _ABOVE_ZERO_RATIO * self.compared.sum(1)).any())

    def largest_ratio(self, loads: Loads, other: Loads) -> float:
        above, below = (
            np.column_stack([sums.coefficients * self.scales, sums.constants])
            for sums in (loads, other)
        )
        largest = 0.0
        for place in range(len(below)):
            # the part of it where this is the largest of the sums below
            cell: _Spanned = self
            if len(below) > 1:
                rest = np.delete(below, place, axis=0) - below[place]
                scales = np.ones(len(self.scales))
                cell = replace(self.bare, scales=scales).within(
                    HalfSpaces(rest[:, :-1], -rest[:, -1])
                )
            if cell._ends is None:
                return super().largest_ratio(loads, other)
            corners, directions = cell._ends
            # A ratio of linear sums is monotonic along an edge: it is largest at a corner, or
            # far along a direction.
            points = np.vstack(
                [
                    np.pad(corners, ((0, 0), (0, 1)), constant_values=1),
                    np.pad(directions, ((0, 0), (0, 1))),
                ]
            )
            tops = (points @ above.T).max(axis=1)
            bottoms = points @ below[place]
            is_above = tops > _ZERO_RATIO * np.abs(above).max()
            is_below = bottoms > _ZERO_RATIO * np.abs(below).max()
            if (is_above & ~is_below).any():
                return math.inf
            largest = max(largest, float((tops[is_above] / bottoms[is_above]).max(initial=0.0)))
        return largest

    def _largest(self, objective: Floats) -> float:
        if self._ends is None:
            return super()._largest(objective)
        corners, directions = self._ends
        if (
            not len(corners)
            or (directions @ objective > _ZERO_RATIO * np.abs(objective).max()).any()
        ):
            return math.inf
        return float((corners @ objective).max())


@dataclass(frozen=True)
class _Polygon(_Spanned):
    """A set of two parameters with lower limits."""

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        return half_plane_corners(self.normals, self.offsets, _FEASIBLE_RATIO)

    def within(self, more: HalfSpaces) -> Self:
        known = self.bare if len(self.offsets) > _MANY_HALF_SPACES else self
        return super(_Spanned, known).within(more)

    @cached_property
    def bare(self) -> Self:
        kept = edges(self.normals, self.offsets, _FEASIBLE_RATIO)
        return self._of(self.normals[kept], self.offsets[kept])

    def corners(self) -> list[Floats]:
        return [corner * self.scales for corner in self._ends[0]]


def _distinct(points: Floats) -> Floats:
    """Each point once."""
    _, first = np.unique(np.round(points, _SAME_DIGITS), axis=0, return_index=True)
    return points[first]


def _meetings(normals: Floats, offsets: Floats) -> tuple[Floats, Floats]:
    """Points in which the boundaries of n half-spaces meet, for n parameters, and these normals."""
    chosen = _choices(len(offsets), normals.shape[1])
    return _solved_equations(normals[chosen], offsets[chosen])


def _rays(normals: Floats) -> Floats:
    """Edges without an end of a set whose parameters have lower limits; the sum of each is 1."""
    size = normals.shape[1]
    # corners of the directions that leave no half-space, in the plane of those with the sum 1
    chosen = _choices(len(normals), size - 1)
    matrices = np.concatenate([normals[chosen], np.ones((len(chosen), 1, size))], axis=1)
    rays, _ = _solved_equations(matrices, np.tile(np.eye(size)[-1], (len(chosen), 1)))
    return rays[(rays @ normals.T <= _ZERO_RATIO).all(axis=1)]


def _choices(count: int, size: int) -> "npt.NDArray[np.intp]":
    """All ways to choose some of a number of places."""
    return np.array(list(combinations(range(count), size)), np.intp).reshape(-1, size)


def _solved_equations(matrices: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """Solutions of the equations of those matrices that have a single one, and these matrices."""
    is_single = np.abs(np.linalg.det(matrices)) > np.finfo(float).eps
    matrices = matrices[is_single]
    points: Floats = np.linalg.solve(matrices, ends[is_single][..., np.newaxis])[..., 0]
    return points + 0.0, matrices


def everything(
    limits: HalfSpaces, required: Sequence[Clause], compared: Sequence[Floats] = ()
) -> Polytope:
    """All parameters within their limits, in scales that suit the clauses to come."""
    cases = [limits, *(case for clause in required for case in clause)]
    normals = np.vstack([case.normals for case in cases])
    scales = _scales(normals, np.concatenate([case.offsets for case in cases]))
    no_rows = np.empty((0, len(scales)))
    sums = np.vstack([no_rows, *compared]) * scales
    kind = Polytope
    if np.isfinite(limits.offsets).all():
        kind = _Polygon if len(scales) == 2 else _Spanned
    start = kind(scales, no_rows, np.empty(0), sums / sums.max(axis=1, keepdims=True))
    return start.within(limits)


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
    if not start.is_empty:
        yield from _parts(start, choices, count())


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


def _parts(start: Polytope, choices: Sequence[Clause], tried: "count[int]") -> Iterator[Polytope]:
    """Depth first, along cases that are not empty."""
    if next(tried) > _MOST_CASES:
        raise CalibrationError(
            f"the observations allow more than {_MOST_CASES} combinations of binding limits; "
            "give fewer observations at once, or more about fewer limits"
        )
    if not choices:
        yield start
        return
    clause, *rest = choices
    if any(start.implies(case) for case in clause):
        yield from _parts(start, rest, tried)
        return
    for case in clause:
        part = start.within(case)
        if not part.is_empty:
            yield from _parts(part, rest, tried)


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


def _solved(
    objective: Floats, normals: Floats, offsets: Floats, margin_ratio: float
) -> tuple[int, Floats]:
    """Status of a linear program, and where its objective is largest."""
    from scipy.optimize import linprog

    # Presolving may take a nearly empty or unbounded problem for one; without it HiGHS may not
    # decide an unbounded one. The later answer counts where there is one.
    answers = []
    for presolve in (True, False):
        result = linprog(
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
        if result.status == SOLVED:
            return SOLVED, np.asarray(result.x, float)
        answers += [result.status] if result.status in {EMPTY, UNBOUNDED} else []
    if not answers:
        raise CalibrationError(f"the linear program could not be solved: {result.message}")
    return int(answers[-1]), np.empty(0)


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
