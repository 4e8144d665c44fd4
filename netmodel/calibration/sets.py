"""Feasible sets: all parameter values that observations allow, and observations in conflict."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

import numpy as np

from netmodel.calibration._noise import (
    Scatter,
    disagreeing_repeats,
    excess_of_repeats,
    means_of_repeats,
    noise_unknown,
    pooled,
    require_noise_and_level,
    widened,
)
from netmodel.calibration._polytopes import (
    Clause,
    Polytope,
    clauses,
    clauses_between,
    compared,
    compared_sums,
    corners_of,
    estimate,
    everything,
    free_sums,
    linear_ends,
    narrowed,
    parameter_limits,
    polytopes,
    quantity_ends,
    ratio_ends,
    sums_of,
    width_ratio,
)
from netmodel.calibration._shown import Shown
from netmodel.calibration.models import (
    FreeParameter,
    LinearModel,
    Loads,
    Point,
    baseline_point,
    not_estimable,
    unknown_name,
    with_unknowns,
)
from netmodel.calibration.observations import Observed
from netmodel.errors import ContradictionError
from netmodel.estimates import LEVEL_RATIO, Estimate
from netmodel.kept import ReadOnly
from netmodel.numeric import Floats
from netmodel.results import plain, short_repr
from netmodel.terminal import fitted
from netmodel.text import percent_text

_ESTIMABLE_RATIO = 0.1
"""Width over upper end of a range that counts as an estimate: 5 % on either side, as "about"."""
_DIGITS = 6
"""Of ends in text: more than any figure has."""
_MOST_SUBSETS = 2000
"""Smaller groups of observations that are tried: some seconds."""
_LEAST_WIDENING_RATIO = 1e-9
"""The accuracy of sets: observations that are apart by less agree."""
_MOST_WIDENING_RATIO = 1e3
"""Figures that differ by a factor of a thousand are not of the same thing."""
_WIDENING_STEPS = 40
"""Halvings of 12 decades: to 3e-11 of the logarithm, below any printed digit."""


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
    baselines : mapping of str to Estimate
        Of each quantity that was only compared with, such as
        ``"throughput_bps of older adapter"``.
    notes : tuple of str
        What the observations leave open.
    parts : tuple of Polytope
        Polytopes whose union is the feasible set; each baseline is one more parameter.
    printed_parts : tuple of Polytope
        The same with figures taken as exact, wherever these agree.
    scatter : Scatter, optional
        Scatter of runs by which each observation was widened; None where figures count
        within their own ends alone.
    level_ratio : float
        How often the widened observations jointly hold the mean of runs.
    is_open : bool
        Whether every end is open because the scatter of runs is unknown.

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
    baselines: Mapping[str, Estimate[float | None]]
    notes: tuple[str, ...]
    parts: tuple[Polytope, ...] = field(repr=False)
    printed_parts: tuple[Polytope, ...] = field(repr=False)
    scatter: Scatter | None = None
    level_ratio: float = LEVEL_RATIO
    is_open: bool = False

    def __str__(self) -> str:
        return fitted("\n".join((*(f"{name}: {text}" for name, text in self.rows), *self.notes)))

    @property
    def method(self) -> str:
        """What kind of calibration it is."""
        return "feasible_set"

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
        loads = sums_of(with_unknowns(self.model, self.observed), point)
        return estimate(quantity_ends(self.parts, loads), quantity_ends(self.printed_parts, loads))

    def ratio(self, point: Point, baseline: Point) -> Estimate[float | None]:
        """
        Smallest and largest ratio of a quantity to another.

        Parameters
        ----------
        point, baseline : Point
            Quantities of the model under conditions, both rates or neither.

        Returns
        -------
        ratio : Estimate
            As of :meth:`predict`. Parameters that both depend on move them together, so
            that it is narrower than the ratio of their ranges.

        Raises
        ------
        DomainError
            If the model does not know a quantity, or a condition that it needs is missing.
        """
        complete = with_unknowns(self.model, self.observed)
        first, second = sums_of(complete, point), sums_of(complete, baseline)
        loads = (second, first) if first.is_rate else (first, second)
        return estimate(ratio_ends(self.parts, *loads), ratio_ends(self.printed_parts, *loads))

    def predict_run(self, point: Point) -> Estimate[float | None]:
        """
        Where one more run would be: the quantity with the scatter of a run.

        Parameters
        ----------
        point : Point
            Any quantity of the model under conditions.

        Returns
        -------
        run : Estimate
            At `level_ratio`; both ends open where the scatter is not known. No run
            exceeds the fixed limits of the model, such as its line.

        Raises
        ------
        DomainError
            If the model does not know the quantity, or a condition that it needs is missing.
        """
        value, low, high = self.predict(point)
        loads = self.model.loads(point)
        most = loads.most
        if self.scatter is None:
            return Estimate(value, 0.0, most)
        reach = math.exp(self.scatter.reach(self.level_ratio))
        return Estimate(value, low / reach, max(high, min(high * reach, most)))

    @property
    def is_scatter_known(self) -> bool:
        """Whether the distance of one more run from its mean is known."""
        return self.scatter is not None

    @property
    def is_bounded(self) -> bool:
        """Whether no parameter may be infinite."""
        return all(parameter.high < math.inf for parameter in self.parameters.values())

    @property
    def vertices(self) -> Floats:
        """
        Corners of the set, shape (corners, parameters), in the order of the model.

        Where the set is bounded, all of it lies between them.
        """
        return self._corners(self.parts)

    @property
    def printed_vertices(self) -> Floats:
        """Corners that figures as printed allow, the largest first parameter first."""
        return self._corners(self.printed_parts)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; None for an unknown value and for an open end."""
        return {
            **self.about(),
            "baselines": plain(self.baselines),
            "level_ratio": None if self.scatter is None else self.level_ratio,
            "noise_sd": None if self.scatter is None else self.scatter.ratio,
            "is_noise_known": self.scatter is not None and self.scatter.degrees_of_freedom is None,
            "degrees_of_freedom": self.scatter and self.scatter.degrees_of_freedom,
            "is_open": self.is_open,
        }

    def __repr__(self) -> str:
        count = f"{len(self.observed)} observations"
        return short_repr(
            self, f"{count}: {', '.join(f'{name} {text}' for name, text in self.rows)}"
        )

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Name and range of each parameter and baseline, as text."""
        units = {parameter.name: parameter.unit for parameter in self.model.parameters}
        return [
            (
                name,
                f"{low:.{_DIGITS}g} to {high:.{_DIGITS}g} {units.get(name, '')}".rstrip(),
            )
            for name, (_, low, high) in {**self.parameters, **self.baselines}.items()
        ]

    def _corners(self, parts: Sequence[Polytope]) -> Floats:
        corners = np.array(corners_of(parts))[:, : len(self.parameters)]
        return np.array(list(dict.fromkeys(map(tuple, corners))))


def feasible_set(
    observed: Iterable[Observed],
    model: LinearModel,
    *,
    noise_ratio: float | None = None,
    level_ratio: float = LEVEL_RATIO,
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
        Standard deviation of runs as a ratio, which widens each observation; a weight
        divides its square. When left out, it is estimated from repeats that differ by more
        than their digits allow. Without such repeats, observations are not widened.
    level_ratio : float
        How often the widened observations jointly hold the mean of runs.

    Returns
    -------
    feasible : FeasibleSet
        Exact, without an assumption on which value in it is likelier. Where observations are
        widened, repeats under the same conditions count as their mean.

    Raises
    ------
    ContradictionError
        If the observations cannot be true together; it names the fewest that cannot.
    DomainError
        If the noise is not above zero, the level not between 0 and 1, the model does not
        know a quantity, or a condition that it needs is missing.
    CalibrationError
        If there are too many cases of which limit is binding.

    Notes
    -----
    A rate of at least :math:`v` bounds each sum of times from above by :math:`1/v`. A rate of
    at most :math:`v` bounds one of the sums from below by :math:`1/v`: a case for each sum. A
    line whose rate was reached is such a sum, and then leaves the parameters open. Ratios
    compare every sum of one quantity with those of the other. In each possible combination of
    cases the parameters fill a polytope. Its ends are those of its corners for two parameters,
    else of linear programs; for ratios of two linear sums by Charnes and Cooper. Limits hold to
    about a part in 10⁹.

    References
    ----------
    A. Charnes and W. W. Cooper, "Programming with linear fractional functionals",
    Naval Research Logistics Quarterly 9 (1962), for ratios.

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
    require_noise_and_level(noise_ratio, level_ratio)
    if noise_ratio is not None:
        scatter: Scatter | None = Scatter(noise_ratio)
    else:
        scatter = pooled(observed) if disagreeing_repeats(observed) else None
    return _set_within(model, observed, scatter, level_ratio)


def set_of_runs(
    observed: Iterable[Observed], model: LinearModel, noise_ratio: float | None = None
) -> FeasibleSet:
    """
    The feasible set of your own runs: open where their scatter is unknown.

    Where all figures are published, it is `feasible_set`: figures count within their rounding.
    """
    observed = tuple(observed)
    if noise_ratio is not None or all(observation.is_published for observation in observed):
        return feasible_set(observed, model, noise_ratio=noise_ratio)
    scatter = pooled(observed)
    if scatter is not None:
        return _set_within(model, observed, scatter, LEVEL_RATIO)
    return _open_set(model, observed)


def _set_within(
    model: LinearModel,
    observed: tuple[Observed, ...],
    scatter: Scatter | None,
    level_ratio: float,
) -> FeasibleSet:
    """The parameters that each observation allows, widened by the scatter where there is one."""
    means = observed if scatter is None else tuple(means_of_repeats(observed))
    within = means if scatter is None else widened(means, scatter, level_ratio)
    # (1) each observation as clauses of half-spaces; the polytopes in which all of them hold
    complete = with_unknowns(model, observed)
    required = [clause for observation in within for clause in clauses(complete, observation)]
    start = everything(parameter_limits(complete), required, compared_sums(complete, observed))
    parts = tuple(polytopes(start, required))
    if not parts:
        apart = conflict(within, model)
        beyond = "" if scatter is None else f"; {_noise_text(scatter)} does not explain it"
        raise ContradictionError(f"{apart}{beyond}")
    # (2) the same of figures taken as exact: narrowest first, each that agrees with those before
    printed = parts
    for observation in sorted(
        means, key=lambda each: (width_ratio(each.low, each.high), canonical(each))
    ):
        exact = observation.as_printed()
        if exact is not observation:
            printed = narrowed(printed, clauses(complete, exact)) or printed
    # (3) range of each parameter, and of quantities known by comparisons only
    parameters = _parameters(complete, model, parts, printed)
    estimable: dict[str, bool | None] = {}
    for name, (_, low, high) in parameters.items():
        is_narrow = _is_estimable(low, high)
        estimable[name] = None if scatter is None and is_narrow else is_narrow
    return FeasibleSet(
        model=model,
        observed=observed,
        parameters=parameters,
        estimable=ReadOnly(estimable),
        baselines=_baselines(complete, observed, parts, printed),
        notes=(
            *_notes(model, observed, parameters),
            *_scatter_notes(observed, scatter, level_ratio),
        ),
        parts=parts,
        printed_parts=printed,
        scatter=scatter,
        level_ratio=level_ratio,
    )


def _open_set(model: LinearModel, observed: tuple[Observed, ...]) -> FeasibleSet:
    """All values within the bounds of the parameters: the scatter of the figures is unknown."""
    complete = with_unknowns(model, observed)
    required = [clause for observation in observed for clause in clauses(complete, observation)]
    start = everything(parameter_limits(complete), required, compared_sums(complete, observed))
    try:
        exact = _set_within(model, observed, None, LEVEL_RATIO)
    except ContradictionError as apart:
        printed: tuple[Polytope, ...] = (start,)
        notes = [f"without scatter no parameters meet all figures: {apart}"]
    else:
        printed = exact.printed_parts
        notes = [
            f"without scatter the figures would leave {name}: {text}" for name, text in exact.rows
        ]
    parameters = _parameters(complete, model, (start,), printed)
    return FeasibleSet(
        model=model,
        observed=observed,
        parameters=parameters,
        estimable=ReadOnly(dict.fromkeys(parameters, False)),
        baselines=_baselines(complete, observed, (start,), printed),
        notes=(noise_unknown(), *notes),
        parts=(start,),
        printed_parts=printed,
        is_open=True,
    )


def _parameters(
    complete: LinearModel,
    model: LinearModel,
    parts: Sequence[Polytope],
    printed: Sequence[Polytope],
) -> Mapping[str, Estimate[float | None]]:
    """Range of each parameter of the model; the middle for a value where it is estimable."""
    parameters = {}
    for row, free in zip(np.eye(len(complete.parameters)), model.parameters, strict=False):
        value, low, high = estimate(linear_ends(parts, row), linear_ends(printed, row))
        if not _is_estimable(low, high):
            value = None
        elif value is None:
            value = (low + high) / 2
        parameters[free.name] = Estimate(value, low, high)
    return ReadOnly(parameters)


def _is_estimable(low: float, high: float) -> bool:
    return width_ratio(low, high) <= _ESTIMABLE_RATIO


def _baselines(
    complete: LinearModel,
    observed: Sequence[Observed],
    parts: Sequence[Polytope],
    printed: Sequence[Polytope],
) -> Mapping[str, Estimate[float | None]]:
    """Range of each quantity that is known by comparisons only."""
    ranges = {}
    for each in observed:
        if isinstance(each.baseline, str) and unknown_name(each) not in ranges:
            loads = complete.loads(baseline_point(each))
            ends = (quantity_ends(parts, loads), quantity_ends(printed, loads))
            ranges[unknown_name(each)] = estimate(*ends)
    return ReadOnly(ranges)


def _notes(
    model: LinearModel,
    observed: Sequence[Observed],
    parameters: Mapping[str, Estimate[float | None]],
) -> Iterable[str]:
    """What the observations leave open, and what would close it."""
    is_used = np.zeros(len(model.parameters), bool)
    for observation in observed:
        if observation.is_unbounded:
            yield f"{observation.name}: open at both ends, so it bounds nothing"
        for conditions in observation.cases:
            loads = model.loads(Point(observation.quantity, conditions))
            is_used |= loads.coefficients.any(axis=0)
    wide: list[FreeParameter] = []
    for free, (name, (_, low, high)), takes_part in zip(
        model.parameters, parameters.items(), is_used, strict=True
    ):
        if high == math.inf and not takes_part:
            yield f"{name} is unbounded: no observation depends on it; measure one that does"
        elif high == math.inf:
            yield f"{name} has no upper bound: add a rate that is reached at least"
        elif not _is_estimable(low, high):
            wide.append(free)
    yield from not_estimable(wide, observed)


def _scatter_notes(
    observed: Sequence[Observed], scatter: Scatter | None, level_ratio: float
) -> Iterable[str]:
    if scatter is None:
        yield "intervals hold the rounding of the figures only; run-to-run scatter is not included"
        return
    yield f"intervals include {_noise_text(scatter)}, at a joint level of {100 * level_ratio:g} %"
    if scatter.degrees_of_freedom is None:
        yield from excess_of_repeats(observed, scatter.ratio, 1 - level_ratio)


def _noise_text(scatter: Scatter) -> str:
    if scatter.degrees_of_freedom is None:
        return f"a noise of {percent_text(scatter.ratio, 3)}"
    return (
        f"a noise of {percent_text(scatter.ratio, 3)} (from repeats, "
        f"{scatter.degrees_of_freedom} degree{'s' * (scatter.degrees_of_freedom != 1)} of freedom)"
    )


@dataclass(frozen=True, slots=True)
class Conflict:
    """
    The fewest observations that cannot be true together.

    Parameters
    ----------
    observed : tuple of Observed
        With any of them left out, the others agree.
    widening_ratio : float
        Smallest part by which each interval would have to be wider on each side for them to
        agree: ends are divided by, and multiplied with, 1 plus this part. Infinite where a
        factor of a thousand does not make them agree.
    limits : tuple of str
        Fixed limits of the model, such as its line, without which they would agree.
    is_smallest : bool
        Whether no conflict is of fewer observations: false where there are too many groups
        to try.
    """

    observed: tuple[Observed, ...]
    widening_ratio: float
    limits: tuple[str, ...]
    is_smallest: bool

    def __str__(self) -> str:
        names = "; ".join(observation.name for observation in self.observed)
        together = "cannot be true together" if self.observed[1:] else "cannot be true"
        beside = f" beside {' and '.join(self.limits)}" if self.limits else ""
        percent = percent_text(self.widening_ratio, 2)
        remedy = f"would agree if each interval were {percent} wider on each side"
        if math.isinf(self.widening_ratio):
            remedy = "no wider intervals would make them agree"
        return f"{names}: {together}{beside}, and {remedy}"

    def __repr__(self) -> str:
        count = f"{len(self.observed)} observations contradict each other"
        return short_repr(self, count, f"agree if {self.widening_ratio:.2g} wider")


def conflict(observed: Sequence[Observed], model: LinearModel) -> Conflict | None:
    """
    The fewest observations that no parameters of the model make true together.

    Parameters
    ----------
    observed : sequence of Observed
        Of quantities of the model.
    model : LinearModel
        Its parameters are free within their bounds.

    Returns
    -------
    conflict : Conflict or None
        None where all can be true together.

    Raises
    ------
    DomainError
        If the model does not know a quantity, or a condition that it needs is missing.
    CalibrationError
        If there are too many cases of which limit is binding.

    Notes
    -----
    Observations are left out in turn as long as the others still do not agree (Chinneck's
    deletion filter); then all smaller groups are tried, smallest first.

    References
    ----------
    J. W. Chinneck, "Feasibility and Infeasibility in Optimization" (2008), chapters 2 and 6.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> def streaming(mtu_bytes, low, high):
    ...     at = {"mtu_bytes": mtu_bytes}
    ...     return Observed(quantity="throughput_bps", at=at, low=low, high=high)
    >>> seen = [streaming(1500, 13.3e9, 13.5e9), streaming(3000, 11e9, 12e9)]
    >>> print(conflict(seen, adapter_model(25e9)))
    throughput_bps at mtu_bytes 1500; throughput_bps at mtu_bytes 3000: cannot be true together, \
and would agree if each interval were 5.3 % wider on each side
    """
    statements = _Statements(model, sorted(observed, key=canonical))
    every = range(len(statements.observed))
    if statements.agree(every):
        return None
    # deletion filter: leave out each whose absence does not make the others agree
    fewest = list(every)
    for place in every:
        others = [other for other in fewest if other != place]
        if not statements.agree(others):
            fewest = others
    # then all smaller groups, smallest first, as long as they are not too many
    tried, is_smallest = 0, True
    for size in range(1, len(fewest)):
        tried += math.comb(len(every), size)
        if tried > _MOST_SUBSETS:
            is_smallest = False
            break
        smaller = (group for group in combinations(every, size) if not statements.agree(group))
        if (group := next(smaller, None)) is not None:
            fewest = list(group)
            break
    chosen = [statements.observed[place] for place in fewest]
    return Conflict(
        observed=tuple(sorted(chosen, key=list(observed).index)),
        widening_ratio=_widening_ratio(model, chosen),
        limits=_limits(model, chosen),
        is_smallest=is_smallest,
    )


def agree(observed: Sequence[Observed], model: LinearModel) -> bool:
    """Whether some parameters meet all observations within their digits."""
    return _Statements(model, observed).agree(range(len(observed)))


class _Statements:
    """Observations, and the clauses that each requires of the parameters."""

    def __init__(self, model: LinearModel, observed: Sequence[Observed]) -> None:
        complete = with_unknowns(model, observed)
        self.observed = observed
        self._limits = parameter_limits(complete)
        self._compared = [compared(complete, observation) for observation in observed]
        self._sums = free_sums(
            each
            for each, observation in zip(self._compared, observed, strict=True)
            if observation.baseline is not None
        )
        self._clauses, self._start = self._wider(0)
        self._agreeing: list[frozenset[int]] = []

    def agree(self, chosen: Iterable[int]) -> bool:
        """Whether some parameters meet all of the chosen observations, and so any part of these."""
        group = frozenset(chosen)
        if any(group <= larger for larger in self._agreeing):
            return True
        required = [clause for place in sorted(group) for clause in self._clauses[place]]
        agrees = next(polytopes(self._start, required), None) is not None
        if agrees:
            self._agreeing.append(group)
        return agrees

    def agree_wider(self, ratio: float) -> bool:
        """Whether they would all agree if their intervals were wider by a part on each side."""
        required, start = self._wider(ratio)
        return next(polytopes(start, list(chain(*required))), None) is not None

    def _wider(self, ratio: float) -> tuple[list[list[Clause]], Polytope]:
        """Clauses of each observation, and where to begin with them."""
        required = [
            clauses_between(each, observation.low / (1 + ratio), observation.high * (1 + ratio))
            for each, observation in zip(self._compared, self.observed, strict=True)
        ]
        return required, everything(self._limits, list(chain(*required)), self._sums)


def _widening_ratio(model: LinearModel, observed: Sequence[Observed]) -> float:
    """Smallest part by which all intervals must be wider to agree: bisection of its logarithm."""
    statements = _Statements(model, observed)
    low, high = math.log(_LEAST_WIDENING_RATIO), math.log(_MOST_WIDENING_RATIO)
    if not statements.agree_wider(math.exp(high)):
        return math.inf
    for _ in range(_WIDENING_STEPS):
        middle = (low + high) / 2
        agrees = statements.agree_wider(math.exp(middle))
        low, high = (low, middle) if agrees else (middle, high)
    return math.exp(high)


def _limits(model: LinearModel, observed: Sequence[Observed]) -> tuple[str, ...]:
    """Names of sums without a free parameter, where the observations agree without them."""
    if not _Statements(_Uncapped(model), observed).agree(range(len(observed))):
        return ()
    names: dict[str, None] = {}
    for observation in observed:
        for conditions in observation.all_conditions:
            loads = model.loads(Point(observation.quantity, conditions))
            is_fixed = ~loads.coefficients.any(axis=1)
            names |= {loads.names[place]: None for place in np.flatnonzero(is_fixed)}
    return tuple(names)


def canonical(observation: Observed) -> tuple[str, ...]:
    """Sort key of observations, so that results do not depend on the order of a file."""
    parts = (
        observation.name,
        observation.quantity,
        sorted(observation.at.items()),
        observation.low,
        observation.high,
        observation.baseline,
    )
    return tuple(map(str, parts))


@dataclass(frozen=True, slots=True)
class _Uncapped(LinearModel):
    """A model with its free limits only."""

    capped: LinearModel

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return self.capped.parameters

    def loads(self, point: Point) -> Loads:
        return self.capped.loads(point).uncapped
