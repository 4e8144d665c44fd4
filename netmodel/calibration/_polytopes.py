"""Parameters that observations allow: half-spaces, the sets that they leave, least and most."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, count
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from netmodel._estimates import Estimate
from netmodel._hull import half_plane_corners
from netmodel._numeric import ROUNDING_RATIO, Floats
from netmodel.calibration._models import (
    LinearModel,
    Loads,
    Point,
    unknown_point,
    with_unknowns,
)
from netmodel.calibration._observed import Conditions, Observed
from netmodel.errors import CalibrationError

_EXACT_RATIO = 1e-13
"""Of coefficients, which are computed alike: some hundred roundings."""
_MOST_CASES = 1000
"""Combinations of which limit is binding where: some seconds of linear programs."""
_MOST_MEETINGS = 500_000
"""Combinations of limits whose corners are tried: 100 MB."""
_FEASIBLE_RATIO = 1e-9
"""How far beyond a limit is still within it: the least tolerance that HiGHS keeps."""
_OPTIMAL_RATIO = 1e-8
"""The same where something is largest: tighter ones end in doubt now and then."""
_ABOVE_ZERO_RATIO = 1e-3
"""Of the usual size of sums that are compared: two of nothing would agree with any ratio."""
_SAME_RATIO = 1e-7
"""Corners nearer to each other, in usual sizes of parameters, are one."""
_NOTHING_RATIO = 1e-12
"""Of the numbers of a sum: so little of them is rounding, and the sum nothing."""
_SOLVED, _EMPTY, _UNBOUNDED = 0, 2, 3
"""What `scipy.optimize.linprog` answers with."""
_ONE_VALUE_RATIO = 1e-6
"""Ends nearer to each other are one value: six digits."""


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
"""Cases of which at least one holds; none at all where nothing can make it true."""


def with_baselines(model: LinearModel, observed: Sequence[Observed]) -> LinearModel:
    """The model with one more parameter for each baseline of which no value is known."""
    return with_unknowns(model, [name for _, name in unknown_quantities(observed)])


def unknown_quantities(observed: Sequence[Observed]) -> list[tuple[str, str]]:
    """Quantity and name of each baseline of which no value is known, once each, sorted."""
    return sorted(
        {
            (observation.quantity, f"{observation.quantity} of {observation.baseline}")
            for observation in observed
            if isinstance(observation.baseline, str)
        }
    )


def clauses(model: LinearModel, observation: Observed) -> list[Clause]:
    """
    All that an observation says of the parameters of a model with its baselines.

    Each of the cases that it names is at most ``high``, and one of them at least ``low``.
    """
    cases = [_loads(model, observation, at) for at in observation.cases]
    baseline = _baseline(model, observation, cases[0].is_rate)
    found: list[Clause] = []
    if observation.high < math.inf:
        found += [_at_most(case, observation.high, baseline) for case in cases]
    if observation.low > 0:
        found.append(tuple(chain(*(_at_least(case, observation.low, baseline) for case in cases))))
    return found


def compared_sums(model: LinearModel, observed: Iterable[Observed]) -> list[Floats]:
    """Sums of parameters that are above zero, as else nothing could be compared with them."""
    found = []
    for observation in observed:
        if observation.baseline is not None:
            cases = [_loads(model, observation, at) for at in observation.cases]
            found += [*cases, _baseline(model, observation, cases[0].is_rate)]
    free = [loads.coefficients.sum(axis=0) for loads in found if not loads.constants.any()]
    return [row for row in free if row.any()]


def parameter_limits(model: LinearModel) -> HalfSpaces:
    """What the parameters may be at all."""
    rows, offsets = [], []
    for row, parameter in zip(np.eye(len(model.parameters)), model.parameters, strict=True):
        rows.append(-row)
        offsets.append(-parameter.low)
        if parameter.high < math.inf:
            rows.append(row)
            offsets.append(parameter.high)
    return HalfSpaces(np.array(rows), np.array(offsets))


def sums_of(model: LinearModel, point: Point) -> Loads:
    """The sums of a quantity that may be the largest: those that no other one always exceeds."""
    loads = model.loads(point)
    if any(parameter.low < 0 for parameter in model.parameters):
        return loads
    rows = np.column_stack([loads.coefficients, loads.constants])
    _, first = np.unique(rows, axis=0, return_index=True)
    kept = [
        one
        for one in sorted(first)
        if not any((rows[other] >= rows[one]).all() for other in first if other != one)
    ]
    names = tuple(loads.names[one] for one in kept)
    return Loads(loads.coefficients[kept], loads.constants[kept], loads.is_rate, names)


def _loads(model: LinearModel, observation: Observed, at: Conditions) -> Loads:
    return sums_of(model, Point(observation.quantity, at, is_uncapped=observation.is_uncapped))


def _baseline(model: LinearModel, observation: Observed, is_rate: bool) -> Loads:
    """What the figures are multiples of: a quantity under other conditions, else 1."""
    if observation.baseline is None:
        return Loads(np.zeros((1, len(model.parameters))), np.ones(1), is_rate, ("1",))
    if isinstance(observation.baseline, str):
        name = f"{observation.quantity} of {observation.baseline}"
        return model.loads(unknown_point(observation.quantity, name, is_rate))
    return sums_of(model, Point(observation.quantity, observation.baseline))


def _at_most(loads: Loads, ratio: float, baseline: Loads) -> Clause:
    """The quantity is at most this multiple of that of the baseline."""
    if loads.is_rate:
        return tuple(_reaches(ratio, loads, 1, baseline))
    return tuple(_reaches(ratio, baseline, 1, loads))


def _at_least(loads: Loads, ratio: float, baseline: Loads) -> Clause:
    """The quantity is at least this multiple of that of the baseline."""
    if loads.is_rate:
        return tuple(_reaches(1, baseline, ratio, loads))
    return tuple(_reaches(1, loads, ratio, baseline))


def _reaches(factor: float, loads: Loads, ratio: float, other: Loads) -> Iterator[HalfSpaces]:
    """A multiple of one sum is at least a multiple of each of the other ones: case by case."""
    for coefficients, constant in zip(loads.coefficients, loads.constants, strict=True):
        normals = _difference(ratio * other.coefficients, factor * coefficients, _EXACT_RATIO)
        offsets = _difference(factor * constant, ratio * other.constants, ROUNDING_RATIO)
        is_number = ~normals.any(axis=1)
        if (offsets[is_number] >= 0).all():
            yield HalfSpaces(normals[~is_number], offsets[~is_number])


def _difference(first: Floats | float, second: Floats | float, rounding_ratio: float) -> Floats:
    """What is left of the first, nothing where it is but rounding."""
    found = np.asarray(first) - second
    is_rounding = np.abs(found) <= rounding_ratio * np.maximum(np.abs(first), np.abs(second))
    return np.where(is_rounding, 0.0, found)


@dataclass(frozen=True)
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

    def within(self, more: HalfSpaces) -> Self:
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


@dataclass(frozen=True)
class _Polygon(Polytope):
    """A set of two parameters with lower limits: all that it spans is spanned by its corners."""

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """Corners, and the directions in which it has no end."""
        return half_plane_corners(self.normals, self.offsets, _FEASIBLE_RATIO)

    @property
    def is_empty(self) -> bool:
        corners, directions = self._ends
        if not len(corners):
            return True
        # Somewhere each of the sums that are compared is above zero: so it is between corners
        # at which one of them is, and far along a direction in which it grows.
        spans = np.vstack([corners, directions]) @ self.compared.T
        return bool((spans.max(axis=0, initial=0) < _ABOVE_ZERO_RATIO * self.compared.sum(1)).any())

    def corners(self) -> list[Floats]:
        return [corner * self.scales for corner in self._ends[0]]

    def largest_ratio(self, loads: Loads, other: Loads) -> float:
        above, below = (
            np.column_stack([one.coefficients * self.scales, one.constants])
            for one in (loads, other)
        )
        return max(self._largest_ratio_where(above, below, place) for place in range(len(below)))

    def _largest_ratio_where(self, above: Floats, below: Floats, place: int) -> float:
        """Of the largest sum above to one below, where that is the largest of those below."""
        cell = self
        if len(below) > 1:
            rest = np.delete(below, place, axis=0) - below[place]
            cell = replace(self, scales=np.ones(2)).within(HalfSpaces(rest[:, :2], -rest[:, 2]))
        corners, directions = cell._ends
        # A ratio of linear sums only rises or only falls along an edge: it is largest at a
        # corner, or far along a direction.
        points = np.vstack(
            [
                np.pad(corners, ((0, 0), (0, 1)), constant_values=1),
                np.pad(directions, ((0, 0), (0, 1))),
            ]
        )
        tops = (points @ above.T).max(axis=1)
        bottoms = points @ below[place]
        is_above = tops > _NOTHING_RATIO * np.abs(above).max()
        is_below = bottoms > _NOTHING_RATIO * np.abs(below).max()
        if (is_above & ~is_below).any():
            return math.inf
        return float((tops[is_above] / bottoms[is_above]).max(initial=0.0))

    def _largest(self, objective: Floats) -> float:
        corners, directions = self._ends
        if (
            not len(corners)
            or (directions @ objective > _NOTHING_RATIO * np.abs(objective).max()).any()
        ):
            return math.inf
        return float((corners @ objective).max())


def everything(
    limits: HalfSpaces, several: Sequence[Clause], compared: Sequence[Floats] = ()
) -> Polytope:
    """All that the parameters may be, in scales that suit what is to be said of them."""
    cases = [limits, *(case for clause in several for case in clause)]
    normals = np.vstack([case.normals for case in cases])
    scales = _scales(normals, np.concatenate([case.offsets for case in cases]))
    nothing = np.empty((0, len(scales)))
    sums = np.vstack([nothing, *compared]) * scales
    is_plane = len(scales) == 2 and bool(np.isfinite(limits.offsets).all())
    start = (_Polygon if is_plane else Polytope)(
        scales, nothing, np.empty(0), sums / sums.max(axis=1, keepdims=True)
    )
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
    scales = parts[0].scales * _SAME_RATIO
    return sorted(found, key=lambda corner: tuple(np.round(corner / scales)), reverse=True)


def _parts(start: Polytope, choices: Sequence[Clause], seen: "count[int]") -> Iterator[Polytope]:
    """Depth first, along cases that are not empty."""
    if next(seen) > _MOST_CASES:
        raise CalibrationError(
            f"the observations leave more than {_MOST_CASES} cases of binding limits in which "
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
    """How large parameters are where a half-space ends, as far as that is known."""
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
        is_known = (sizes[:, index] > 0) & (others > 0)
        if is_known.any():
            return int(index), _middle(others[is_known] / sizes[is_known, index])
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


def narrowed(parts: Iterable[Polytope], several: Sequence[Clause]) -> tuple[Polytope, ...]:
    """What more clauses leave of a set; nothing where none of it agrees."""
    return tuple(one for part in parts for one in polytopes(part, several))


def quantity_ends(parts: Sequence[Polytope], loads: Loads) -> tuple[float, float]:
    """Least and most of a quantity."""
    one = Loads(np.zeros_like(loads.coefficients[:1]), np.ones(1), loads.is_rate, ("1",))
    return ratio_ends(parts, *((one, loads) if loads.is_rate else (loads, one)))


def ratio_ends(parts: Sequence[Polytope], loads: Loads, other: Loads) -> tuple[float, float]:
    """Least and most that the largest of sums is of the largest of others."""
    most = max(part.largest_ratio(loads, other) for part in parts)
    inverse = max(part.largest_ratio(other, loads) for part in parts)
    return min(most, 1 / inverse if inverse else math.inf), most


def linear_ends(parts: Sequence[Polytope], row: Floats) -> tuple[float, float]:
    """Least and most of a sum of the parameters."""
    most = max(part.largest(row) for part in parts)
    return min(most, 0.0 - max(part.largest(-row) for part in parts)), most


def estimate(ends: tuple[float, float], printed: tuple[float, float]) -> Estimate[float | None]:
    """With a value where the ends, or those of figures as printed, leave but one."""
    low, high = ends
    value = next(
        (sum(one) / 2 for one in (ends, printed) if width_ratio(*one) <= _ONE_VALUE_RATIO), None
    )
    return Estimate(None if value is None else min(max(value, low), high), low, high)


def width_ratio(low: float, high: float) -> float:
    if low == high:
        return 0.0
    return (high - low) / high if high < math.inf else math.inf
