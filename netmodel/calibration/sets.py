"""Feasible sets: all parameter values that observations allow, and observations in conflict."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ClassVar, Self, TypeAlias

import numpy as np

from netmodel.calibration import models
from netmodel.calibration.models import LinearModel, Loads, Point, Shown, bounds_of, not_estimable
from netmodel.calibration.observations import CENSORED, Observed
from netmodel.errors import CalibrationError, ContradictionError
from netmodel.estimates import LEVEL_RATIO, Estimate
from netmodel.kept import ReadOnly
from netmodel.numeric import ROUNDING_RATIO, Floats
from netmodel.text import listed, percent_text

_EXACT_RATIO = 1e-13
"""Relative difference of equal coefficients: some hundred roundings of 64 bits."""
_MOST_CASES = 1000
"""Combinations of binding limits that are tried: some seconds."""
_FEASIBLE_RATIO = 1e-9
"""How far beyond a limit counts as within it."""
_ABOVE_ZERO_RATIO = 1e-3
"""Share of its usual size that a compared sum must reach: two sums of 0 agree with any ratio."""
_SAME_RATIO = 1e-7
"""Corners nearer to each other, in usual sizes of parameters, are the same."""
_SAME_DIGITS = 9
"""Decimals to which corners are rounded, in those sizes: several edges find each of them."""
_ZERO_RATIO = 1e-12
"""Share of its largest term below which a sum is rounding of 0."""
_MOST_PAIRS = 10_000_000
"""Pairs of corners that are tried for an edge: 100 MB."""

_FEWER = "give fewer observations at once, or more about fewer limits"
"""Advice where there is too much to work out."""
Clause: TypeAlias = list[Floats]
"""
Cases of which at least one holds; empty where none can.

A case has a row for each half-space: times the parameters and a 1 it is at most 0.
"""


def sums_of(model: LinearModel, point: Point) -> Loads:
    """Return the sums of a quantity of which each can be the largest."""
    loads = model.loads(point)
    rows = np.unique(loads.rows, axis=0)
    is_below = (rows[:, np.newaxis] <= rows).all(axis=2).sum(axis=1) > 1  # than another row
    return replace(loads, rows=rows[~is_below])


def clauses(model: LinearModel, seen: Observed) -> list[Clause]:
    """Return the clauses that an observation requires; at least one case of each holds."""
    sums = sums_of(model, Point(seen.quantity, seen.at, seen.relation in CENSORED))
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
            is_large = inside.sum() * beyond.sum() > _MOST_PAIRS
            if not is_large:
                near, far = np.nonzero(touch[inside] @ touch[beyond].T >= len(self.scales) - 1)
            if is_large or len(near) * len(touch) > _MOST_PAIRS:
                raise CalibrationError(f"the observations leave too many corners; {_FEWER}")
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
        """True if it has no parameters."""
        # each sum that is compared is above zero at a corner, or far along a direction
        largest = (self.spanned[:, :-1] @ self.compared.T).max(axis=0, initial=0)
        is_zero = (largest < _ABOVE_ZERO_RATIO * self.compared.sum(axis=1)).any()
        return bool(is_zero or not self.spanned[:, -1].any())

    def implies(self, more: Floats) -> bool:
        """Return whether all of it is within more half-spaces."""
        return bool((self.spanned @ _evened(more, self.scales).T <= 2 * _FEASIBLE_RATIO).all())

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
    along = np.eye(len(lows))
    upper = np.column_stack([along, -highs])[highs < math.inf]
    lower = np.column_stack([-along, lows])
    scales = _scales(np.vstack([lower, upper, *chain.from_iterable(required)]))
    sums = np.vstack([np.empty((0, len(scales))), *compared]) * scales
    sums /= sums.max(axis=1, keepdims=True)
    # from the corner of the lower bounds along each parameter, then below the upper bounds
    corner = np.append(lows / scales, 1.0)
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
            many = f"more than {_MOST_CASES} combinations of binding limits"
            raise CalibrationError(f"the observations allow {many}; {_FEWER}")
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
    low, high = min(least), max(most)
    if loads.is_rate:
        low, high = (1 / end if end else math.inf for end in (high, low))
    return low, high


_ESTIMABLE_RATIO = 0.1
"""Width over upper end of a range that counts as an estimate: 5 % on either side, as "about"."""
_ONE_VALUE_RATIO = 1e-6
"""Ends nearer to each other are the same value: six digits."""


@dataclass(frozen=True, slots=True, repr=False)
class FeasibleSet(Shown):
    """
    All parameter values that agree with every observation.

    Parameters
    ----------
    model : LinearModel
        The model of the parameters.
    observed : tuple of Observed
        All observations.
    parameters : mapping of str to Estimate
        Smallest and largest value of each; other parameters may not reach theirs together
        with it. No value where it is not estimable.
    estimable : mapping of str to bool or None
        Whether the smallest value of each is at most 10 % below its largest. None where it
        is, but the scatter of runs is not included.
    notes : tuple of str
        What the observations leave open.
    parts : tuple of Polytope
        Polytopes whose union is the feasible set.
    printed_parts : tuple of Polytope
        The same with figures taken as exact, wherever these agree.
    scatter_ratio : float, optional
        Scatter of runs by which each observation was widened; None where figures count
        within their own ends alone.
    over : str
        Condition that a law is about, such as ``"connection_count"``; empty of other models.
    level_ratio : float
        How often the widened observations jointly hold the mean of runs: 0.95.

    Examples
    --------
    >>> from netmodel.calibration import Observed, Point, adapter_model, feasible_set
    >>> at = {"mtu_bytes": 1500}
    >>> seen = Observed(quantity="throughput_bps", at=at, low=13.35e9, high=13.45e9)
    >>> allowed = feasible_set([seen], adapter_model(25e9))
    >>> rate = allowed.predict(Point("throughput_bps", {"mtu_bytes": 4000}))
    >>> round(rate.low / 1e9, 1), round(rate.high / 1e9, 1)
    (13.3, 24.4)
    """

    model: LinearModel
    observed: tuple[Observed, ...]
    parameters: Mapping[str, Estimate[float | None]]
    estimable: Mapping[str, bool | None]
    notes: tuple[str, ...]
    parts: tuple[Polytope, ...] = field(repr=False)
    printed_parts: tuple[Polytope, ...] = field(repr=False)
    scatter_ratio: float | None = None
    over: str = ""

    level_ratio: ClassVar[float] = LEVEL_RATIO
    json_keys: ClassVar[str] = "level_ratio=joint_level_ratio noise_sd=scatter_ratio noise_kind"
    method: ClassVar[str] = "feasible_set"

    def predict(self, point: Point) -> Estimate[float | None]:
        """
        Smallest and largest value of a quantity that the observations allow.

        Parameters
        ----------
        point : Point
            Any quantity of the model under conditions.

        Returns
        -------
        quantity : Estimate
            Exact ends, of which one is 0 or infinite where nothing bounds it.
            The value is None where they differ, with figures taken as exact too.

        Raises
        ------
        DomainError
            If the model does not know the quantity, or a condition that it needs is missing.
        """
        return _estimate(self.parts, self.printed_parts, sums_of(self.model, point))

    @property
    def joint_level_ratio(self) -> float | None:
        """Level of the widened observations together; None where none is widened."""
        return None if self.scatter_ratio is None else self.level_ratio

    @property
    def vertices(self) -> Floats:
        """
        Corners of the set, shape (corners, parameters), in the order of the model.

        Where the set is bounded, all of it lies between them.
        """
        return corners_of(self.parts)

    @property
    def printed_vertices(self) -> Floats:
        """Corners that figures as printed allow, the largest first parameter first."""
        return corners_of(self.printed_parts)


def feasible_set(
    observed: Iterable[Observed],
    model: LinearModel,
    *,
    noise_ratio: float | None = None,
    noise_degrees: float = math.inf,
) -> FeasibleSet:
    """
    Return all parameter values of a model that agree with every observation.

    Parameters
    ----------
    observed : iterable of Observed
        Each within its own ends.
    model : LinearModel
        Its quantities are the largest of sums of its parameters, or one over it.
    noise_ratio : float, optional
        Standard deviation of runs as a ratio, which widens each observation.
    noise_degrees : float
        Degrees of freedom that it is estimated with; infinite where it is known.

    Returns
    -------
    feasible : FeasibleSet
        Exact, without an assumption on which value in it is likelier.

    Raises
    ------
    ContradictionError
        If the observations cannot be true together; it names them, without any whose
        absence would not make the others agree.
    DomainError
        If the noise is not above zero, the model does not know a quantity, or a condition that it
        needs is missing.
    CalibrationError
        If a parameter may be below zero, or there are too many cases of which limit is binding.

    Notes
    -----
    A rate of at least :math:`v` bounds each sum of times from above by :math:`1/v`. A rate of
    at most :math:`v` bounds one of the sums from below by :math:`1/v`: a case for each sum. A
    line whose rate was reached is such a sum, and then leaves the parameters open. Ratios
    compare every sum of one quantity with those of the other. In each possible combination of
    cases the parameters fill a polytope, whose corners have its ends. Limits hold to about a part
    in 10⁹.

    References
    ----------
    C. F. Manski, "Partial Identification of Probability Distributions" (2003), for
    parameters that data only confine to a set.

    Examples
    --------
    13.4 Gbit/s at MTU 1500, and no less than the line at MTU 9000:

    >>> import math
    >>> from netmodel.calibration import adapter_model
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9
    ...     ),
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 9000}, low=24.75e9, high=math.inf
    ...     ),
    ... ]
    >>> feasible = feasible_set(seen, adapter_model(25e9))
    >>> feasible.parameters["per_byte_s"].high
    2.70803e-10
    >>> feasible.predict(Point("throughput_bps", {"mtu_bytes": 3000})).low
    18531718807.4
    """
    observed = tuple(observed)
    models.require_noise(noise_ratio)
    if below := [each.name for each in model.parameters if each.low < 0]:
        remedy = "give more figures for a best fit, or low=0"
        raise CalibrationError(f"no set of parameters if {listed(below)} may be below 0: {remedy}")
    within, noise = observed, ""
    if noise_ratio is not None:
        within = _widened(observed, noise_ratio, noise_degrees)
        noise = f"a noise of {percent_text(noise_ratio, 3)}"
        if noise_degrees < math.inf:
            noise += f" from repeats (degrees of freedom: {noise_degrees:g})"
    # (1) each observation as clauses of half-spaces; the polytopes in which all of them hold
    start, required = _required(model, within)
    parts = tuple(polytopes([start], required))
    if not parts:
        names = "; ".join(each.name for each in _conflict(start, within, required))
        beyond = f"; {noise} does not explain it" * bool(noise)
        raise ContradictionError(f"{names}: cannot be true{' together' * (';' in names)}{beyond}")
    # (2) the same of figures taken as exact: narrowest first, each that agrees with those before
    printed = parts
    for each in sorted(observed, key=lambda x: (_width(x.low, x.high), x.name, x.low)):
        if (exact := each.as_printed()) is not each:
            printed = tuple(polytopes(printed, [clauses(model, exact)])) or printed
    # (3) range of each parameter
    parameters, estimable = dict[str, Estimate[float | None]](), dict[str, bool | None]()
    notes, wide = list[str](), list[models.FreeParameter]()
    for row, free in zip(np.eye(len(model.parameters) + 1), model.parameters, strict=False):
        value, low, high = _estimate(parts, printed, Loads(row[np.newaxis], is_rate=False))
        is_narrow = _width(low, high) <= _ESTIMABLE_RATIO
        middle = (low + high) / 2 if value is None else value
        parameters[free.name] = Estimate(middle if is_narrow else None, low, high)
        estimable[free.name] = None if is_narrow and not noise else is_narrow
        if high == math.inf:
            notes.append(f"{free.name} has no upper bound: measure a rate that is reached at least")
        elif not is_narrow:
            wide.append(free)
    rests_on = "intervals hold the rounding of the figures only; run-to-run scatter is not included"
    if noise:
        rests_on = f"intervals include {noise}, at a joint level of {100 * LEVEL_RATIO:g} %"
    notes = [*notes, *not_estimable(wide), rests_on]
    ranges = ReadOnly(parameters), ReadOnly(estimable)
    return FeasibleSet(model, observed, *ranges, tuple(notes), parts, printed, noise_ratio)


def _widened(seen: Sequence[Observed], noise_ratio: float, degrees: float) -> tuple[Observed, ...]:
    """
    Return observations whose intervals jointly hold the mean of runs at the usual level.

    Each of n holds it at the level to the power of 1/n (Šidák), so that the joint level is at
    least this one; also where all share an estimate of the noise.
    """
    from scipy.special import stdtrit

    reach = noise_ratio * float(stdtrit(degrees, (1 + LEVEL_RATIO ** (1 / len(seen))) / 2))
    widths = [math.exp(reach * math.sqrt(len(each.all_conditions))) for each in seen]
    every = zip(seen, widths, strict=True)
    return tuple(replace(each, low=each.low / by, high=each.high * by) for each, by in every)


def agree(observed: Sequence[Observed], model: LinearModel) -> bool:
    """Return whether some parameters agree with all observations."""
    start, required = _required(model, observed)
    return next(polytopes([start], required), None) is not None


def _required(
    model: LinearModel, observed: Sequence[Observed]
) -> tuple[Polytope, list[list[Clause]]]:
    """Return all parameters within their bounds, and the clauses of each observation."""
    required = [clauses(model, each) for each in observed]
    # two sums of 0 would agree with any ratio: those that are compared are above zero
    points = (Point(x.quantity, at) for x in observed if x.baseline for at in x.all_conditions)
    sums = [rows.sum(axis=0) for rows in (model.loads(point).rows for point in points)]
    compared = [row[:-1] for row in sums if row[:-1].any() and not row[-1]]
    return everything(bounds_of(model), [*chain.from_iterable(required)], compared), required


def _conflict(
    start: Polytope, observed: Sequence[Observed], required: Sequence[Sequence[Clause]]
) -> list[Observed]:
    """Return observations that cannot be true together, each of which is needed for that."""
    needed = [*zip(observed, required, strict=True)]
    for each in tuple(needed):
        others = [other for other in needed if other is not each]
        if next(polytopes([start], [clauses for _, clauses in others]), None) is None:
            needed = others
    return [each for each, _ in needed]


def _estimate(
    parts: Sequence[Polytope], printed_parts: Sequence[Polytope], loads: Loads
) -> Estimate[float | None]:
    """Return a range, with a value where its ends, or those as printed, are the same."""
    low, high = quantity_ends(parts, loads)
    for first, last in ((low, high), quantity_ends(printed_parts, loads)):
        if _width(first, last) <= _ONE_VALUE_RATIO:
            return Estimate(min(max((first + last) / 2, low), high), low, high)
    return Estimate(None, low, high)


def _width(low: float, high: float) -> float:
    """Return the width of a range over its upper end."""
    if low == high:
        return 0.0
    return (high - low) / high if 0 < high < math.inf else math.inf
