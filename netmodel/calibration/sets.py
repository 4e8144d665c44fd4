"""Feasible sets: all parameter values that observations allow, and observations in conflict."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ClassVar

import numpy as np

from netmodel.calibration import _polytopes as polytopes
from netmodel.calibration import models
from netmodel.calibration._shown import Shown
from netmodel.calibration.models import LinearModel, Loads, Point, bounds_of, not_estimable
from netmodel.calibration.observations import Observed
from netmodel.errors import ContradictionError
from netmodel.estimates import LEVEL_RATIO, Estimate
from netmodel.kept import ReadOnly
from netmodel.numeric import Floats
from netmodel.text import percent_text

_ESTIMABLE_RATIO = 0.1
"""Width over upper end of a range that counts as an estimate: 5 % on either side, as "about"."""
_ONE_VALUE_RATIO = 1e-6
"""Ends nearer to each other are the same value: six digits."""


@dataclass(frozen=True, slots=True)
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
    parts: tuple[polytopes.Polytope, ...] = field(repr=False)
    printed_parts: tuple[polytopes.Polytope, ...] = field(repr=False)
    scatter_ratio: float | None = None

    level_ratio: ClassVar[float] = LEVEL_RATIO
    json_keys: ClassVar[str] = "level_ratio=joint_level_ratio noise_sd=scatter_ratio"
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
        return _estimate(self.parts, self.printed_parts, polytopes.sums_of(self.model, point))

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
        return polytopes.corners_of(self.parts)

    @property
    def printed_vertices(self) -> Floats:
        """Corners that figures as printed allow, the largest first parameter first."""
        return polytopes.corners_of(self.printed_parts)


def feasible_set(
    observed: Iterable[Observed],
    model: LinearModel,
    *,
    noise_ratio: float | None = None,
    noise_degrees: float = math.inf,
) -> FeasibleSet:
    """
    All parameter values of a model that agree with every observation.

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
        If there are too many cases of which limit is binding.

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
    within, noise = observed, ""
    if noise_ratio is not None:
        within = _widened(observed, noise_ratio, noise_degrees)
        noise = f"a noise of {percent_text(noise_ratio, 3)}"
        if noise_degrees < math.inf:
            noise += f" from repeats (degrees of freedom: {noise_degrees:g})"
    # (1) each observation as clauses of half-spaces; the polytopes in which all of them hold
    start, required = _required(model, within)
    parts = tuple(polytopes.polytopes([start], required))
    if not parts:
        names = "; ".join(each.name for each in _conflict(start, within, required))
        beyond = f"; {noise} does not explain it" * bool(noise)
        raise ContradictionError(f"{names}: cannot be true{' together' * (';' in names)}{beyond}")
    # (2) the same of figures taken as exact: narrowest first, each that agrees with those before
    printed = parts
    for each in sorted(
        observed, key=lambda each: (_width(each.low, each.high), each.name, each.low)
    ):
        exact = each.as_printed()
        if exact is not each:
            within_it = polytopes.polytopes(printed, [polytopes.clauses(model, exact)])
            printed = tuple(within_it) or printed
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

    each_level = LEVEL_RATIO ** (1 / len(seen))
    reach = noise_ratio * float(stdtrit(degrees, (1 + each_level) / 2))
    widths = [math.exp(reach * math.sqrt(len(each.all_conditions))) for each in seen]
    every = zip(seen, widths, strict=True)
    return tuple(replace(each, low=each.low / by, high=each.high * by) for each, by in every)


def agree(observed: Sequence[Observed], model: LinearModel) -> bool:
    """Return whether some parameters agree with all observations."""
    return _agrees(*_required(model, observed))


def _required(
    model: LinearModel, observed: Sequence[Observed]
) -> tuple[polytopes.Polytope, list[list[polytopes.Clause]]]:
    """Return all parameters within their bounds, and the clauses of each observation."""
    required = [polytopes.clauses(model, each) for each in observed]
    # two sums of 0 would agree with any ratio: those that are compared are above zero
    points = (Point(x.quantity, at) for x in observed if x.baseline for at in x.all_conditions)
    sums = [rows.sum(axis=0) for rows in (model.loads(point).rows for point in points)]
    compared = [row[:-1] for row in sums if row[:-1].any() and not row[-1]]
    start = polytopes.everything(bounds_of(model), [*chain.from_iterable(required)], compared)
    return start, required


def _agrees(start: polytopes.Polytope, required: Iterable[Iterable[polytopes.Clause]]) -> bool:
    return next(polytopes.polytopes([start], required), None) is not None


def _conflict(
    start: polytopes.Polytope,
    observed: Sequence[Observed],
    required: Sequence[Sequence[polytopes.Clause]],
) -> list[Observed]:
    """Return observations that cannot be true together, each of which is needed for that."""
    needed = [*zip(observed, required, strict=True)]
    for each in tuple(needed):
        others = [other for other in needed if other is not each]
        if not _agrees(start, [clauses for _, clauses in others]):
            needed = others
    return [each for each, _ in needed]


def _estimate(
    parts: Sequence[polytopes.Polytope], printed_parts: Sequence[polytopes.Polytope], loads: Loads
) -> Estimate[float | None]:
    """Return a range, with a value where its ends, or those as printed, are the same."""
    low, high = polytopes.quantity_ends(parts, loads)
    for first, last in ((low, high), polytopes.quantity_ends(printed_parts, loads)):
        if _width(first, last) <= _ONE_VALUE_RATIO:
            return Estimate(min(max((first + last) / 2, low), high), low, high)
    return Estimate(None, low, high)


def _width(low: float, high: float) -> float:
    """Return the width of a range over its upper end."""
    if low == high:
        return 0.0
    return (high - low) / high if 0 < high < math.inf else math.inf
