"""Every parameter value that observations allow, and what it makes of any quantity."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from netmodel._estimates import LEVEL_RATIO, Estimate
from netmodel._html import definition_table
from netmodel._numeric import Floats
from netmodel._text import listed
from netmodel.calibration._conflicts import canonical, conflict
from netmodel.calibration._models import LinearModel, Loads, Point, unknown_point
from netmodel.calibration._observed import Observed
from netmodel.calibration._polytopes import (
    Polytope,
    clauses,
    compared_sums,
    corners_of,
    estimate,
    everything,
    linear_ends,
    narrowed,
    parameter_limits,
    polytopes,
    quantity_ends,
    ratio_ends,
    sums_of,
    unknown_quantities,
    width_ratio,
    with_baselines,
)
from netmodel.calibration._scatter import (
    NOISE_UNKNOWN,
    Scatter,
    disagreeing_repeats,
    excess_of_repeats,
    means_of_repeats,
    pooled,
    widened,
)
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.records import Relation

_IDENTIFIED_RATIO = 0.1
"""A range so narrow beside its upper end counts as an estimate: 5 % either way."""
_DIGITS = 6
"""Of ends in text: more than any figure has."""


@dataclass(frozen=True, slots=True)
class FeasibleSet:
    """
    All parameter values that agree with every observation.

    Parameters
    ----------
    model : LinearModel
        What they are parameters of.
    observed : tuple of Observed
        What they agree with.
    parameters : mapping of str to Estimate
        Of each its least and its most, which other parameters may not reach
        together with it. No value where it is not identified.
    identified : mapping of str to bool or None
        Whether the least of each is at most 10 % below its most. None where it would be,
        and the scatter of runs is not in it.
    baselines : mapping of str to Estimate
        Of each quantity that was only compared with, such as
        ``"throughput_bps of older adapter"``.
    notes : tuple of str
        What the observations leave open.
    parts : tuple of Polytope
        Sets of parameters, and of one more for each of the baselines, whose
        union is all that the observations leave.
    printed_parts : tuple of Polytope
        The same of figures taken as exact, as many of them as can be.
    scatter : Scatter, optional
        How much runs scatter, by which each observation was widened; None where figures
        count within their own ends alone.
    level_ratio : float
        How often all observations, so widened, hold the mean of runs together.
    is_open : bool
        Whether runs scatter by an unknown amount, so that every end is open.
    """

    model: LinearModel
    observed: tuple[Observed, ...]
    parameters: Mapping[str, Estimate[float | None]]
    identified: Mapping[str, bool | None]
    baselines: Mapping[str, Estimate[float | None]]
    notes: tuple[str, ...]
    parts: tuple[Polytope, ...] = field(repr=False)
    printed_parts: tuple[Polytope, ...] = field(repr=False)
    scatter: Scatter | None = None
    level_ratio: float = LEVEL_RATIO
    is_open: bool = False

    def __str__(self) -> str:
        return "\n".join((*(f"{name}: {text}" for name, text in self.rows), *self.notes))

    @property
    def method(self) -> str:
        """What kind of calibration it is."""
        return "feasible_set"

    def predict(self, point: Point) -> Estimate[float | None]:
        """
        Least and most of a quantity that the observations allow.

        Parameters
        ----------
        point : Point
            Any quantity of the model under conditions.

        Returns
        -------
        quantity : Estimate
            Exact ends, of which one is 0 or infinite where nothing bounds it.
            The value is None where they differ and figures taken as exact
            leave more than one.

        Raises
        ------
        DomainError
            If the model does not know the quantity, or a condition that it needs is missing.
        """
        complete = with_baselines(self.model, self.observed)
        return _quantity(sums_of(complete, point), self.parts, self.printed_parts)

    def ratio(self, point: Point, baseline: Point) -> Estimate[float | None]:
        """
        Least and most of a quantity as a part of another one.

        Parameters
        ----------
        point, baseline : Point
            Quantities of the model under conditions, both rates or neither.

        Returns
        -------
        ratio : Estimate
            As of :meth:`predict`. What both depend on moves them together, so
            that this is narrower than their two ranges are.

        Raises
        ------
        DomainError
            If the model does not know a quantity, or a condition that it needs is missing.
        """
        complete = with_baselines(self.model, self.observed)
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
            exceeds what is fixed in the model, such as its line.

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
        """Whether it is known how far one more run may be from its mean."""
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
        """Corners of what figures as printed leave, most of the first parameter first."""
        return self._corners(self.printed_parts)

    @property
    def quoted(self) -> dict[str, float]:
        """
        One corner to write down where a record wants one value: a choice, not a finding.

        Of the corners that agree with figures as printed, that with most of the
        first parameter: for an adapter, all that may be time for the frame.

        Raises
        ------
        CalibrationError
            If a parameter may be infinite.
        """
        if not self.is_bounded:
            raise CalibrationError(f"no values to quote: {' '.join(self.notes)}")
        first = self.printed_vertices[0]
        return dict(zip(self.parameters, map(float, first), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """For JSON; None for a value that is not known and for an end that is open."""
        return {
            "parameters": {name: parameter.known() for name, parameter in self.parameters.items()},
            "identified": dict(self.identified),
            "baselines": {name: baseline.known() for name, baseline in self.baselines.items()},
            "observation_count": len(self.observed),
            "level_ratio": None if self.scatter is None else self.level_ratio,
            "noise_sd": None if self.scatter is None else self.scatter.ratio,
            "is_noise_known": self.scatter is not None and self.scatter.degrees_of_freedom is None,
            "degrees_of_freedom": self.scatter and self.scatter.degrees_of_freedom,
            "is_open": self.is_open,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return definition_table("Feasible parameters", self.rows)

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
        What was seen, each within its own ends.
    model : LinearModel
        Its quantities are the largest of sums of its parameters, or one over it.
    noise_ratio : float, optional
        Standard deviation of runs as a ratio, by which the ends of each observation are
        widened; a weight divides its square. When left out it is estimated from repeats that
        differ by more than their digits allow, and without such repeats nothing is widened.
    level_ratio : float
        How often all observations hold the mean of runs together, once widened.

    Returns
    -------
    found : FeasibleSet
        Exact, without any assumption on which value in it is likelier. Repeats under the
        same conditions count as their mean where figures are widened.

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
    A rate of at least :math:`v` says that each sum of times is at most
    :math:`1/v`; one of at most :math:`v`, that one of the sums is at least
    :math:`1/v`: a case for each of the sums. A line that carries no more than was
    seen is such a sum, and then leaves the parameters open. Ratios compare every
    sum of one quantity with those of the other. In each combination of cases that
    is possible the parameters fill a polytope, whose ends linear programs find;
    ratios of two linear sums by Charnes and Cooper. Feasible is what breaks no limit
    by more than about a part in 10⁹.

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
    >>> found = feasible_set(seen, adapter_model(25e9))
    >>> found.parameters["per_byte_s"].high
    2.70803e-10
    >>> found.predict(Point("throughput_bps", {"mtu_bytes": 3000})).low
    18531718807.4
    """
    observed = tuple(observed)
    if noise_ratio is not None and not 0 < noise_ratio < math.inf:
        raise DomainError(f"noise_ratio must be above 0; got {noise_ratio!r}")
    if not 0 < level_ratio < 1:
        raise DomainError(f"level_ratio must be between 0 and 1; got {level_ratio!r}")
    if noise_ratio is not None:
        scatter: Scatter | None = Scatter(noise_ratio)
    else:
        scatter = pooled(observed) if disagreeing_repeats(observed) else None
    return _found(model, observed, scatter, level_ratio)


def set_of_runs(
    observed: Iterable[Observed], model: LinearModel, noise_ratio: float | None = None
) -> FeasibleSet:
    """
    The same where your own runs are not exact: open where it is not known how they scatter.

    Figures of documents alone count within their rounding, as in `feasible_set`.
    """
    observed = tuple(observed)
    if noise_ratio is not None or all(observation.is_published for observation in observed):
        return feasible_set(observed, model, noise_ratio=noise_ratio)
    scatter = pooled(observed)
    if scatter is not None:
        return _found(model, observed, scatter, LEVEL_RATIO)
    return _opened(model, observed)


def _found(
    model: LinearModel,
    observed: tuple[Observed, ...],
    scatter: Scatter | None,
    level_ratio: float,
) -> FeasibleSet:
    """What each observation leaves, widened by the scatter where there is one."""
    means = observed if scatter is None else tuple(means_of_repeats(observed))
    within = means if scatter is None else widened(means, scatter, level_ratio)
    complete = with_baselines(model, observed)
    several = [clause for observation in within for clause in clauses(complete, observation)]
    compared = compared_sums(complete, observed)
    start = everything(parameter_limits(complete), several, compared)
    parts = tuple(polytopes(start, several))
    if not parts:
        apart = conflict(within, model)
        beyond = "" if scatter is None else f"; {_noise_text(scatter)} does not explain it"
        raise ContradictionError(f"{apart}{beyond}")
    printed = _printed_parts(complete, parts, means)
    parameters = {
        parameter.name: _parameter(row, parts, printed)
        for row, parameter in zip(np.eye(len(complete.parameters)), model.parameters, strict=False)
    }
    identified = {name: _is_identified(*parameter[1:]) for name, parameter in parameters.items()}
    return FeasibleSet(
        model=model,
        observed=observed,
        parameters=MappingProxyType(parameters),
        identified=MappingProxyType(
            {
                name: None if scatter is None and is_narrow else is_narrow
                for name, is_narrow in identified.items()
            }
        ),
        baselines=MappingProxyType(_baselines(complete, observed, parts, printed)),
        notes=(
            *_notes(model, observed, parameters),
            *_scatter_notes(observed, scatter, level_ratio),
        ),
        parts=parts,
        printed_parts=printed,
        scatter=scatter,
        level_ratio=level_ratio,
    )


def _opened(model: LinearModel, observed: tuple[Observed, ...]) -> FeasibleSet:
    """All that the parameters may be at all, since figures may be off by any scatter."""
    complete = with_baselines(model, observed)
    several = [clause for observation in observed for clause in clauses(complete, observation)]
    compared = compared_sums(complete, observed)
    start = everything(parameter_limits(complete), several, compared)
    try:
        exactly = _found(model, observed, None, LEVEL_RATIO)
    except ContradictionError as apart:
        printed: tuple[Polytope, ...] = (start,)
        why = f"without scatter no parameters meet all figures: {apart}"
    else:
        printed = exactly.printed_parts
        ranges = "; ".join(f"{name}: {text}" for name, text in exactly.rows)
        why = f"without scatter the figures would leave {ranges}"
    parameters = {
        parameter.name: _parameter(row, (start,), printed)
        for row, parameter in zip(np.eye(len(complete.parameters)), model.parameters, strict=False)
    }
    return FeasibleSet(
        model=model,
        observed=observed,
        parameters=MappingProxyType(parameters),
        identified=MappingProxyType(dict.fromkeys(parameters, False)),
        baselines=MappingProxyType(_baselines(complete, observed, (start,), printed)),
        notes=(NOISE_UNKNOWN, why),
        parts=(start,),
        printed_parts=printed,
        is_open=True,
    )


def _noise_text(scatter: Scatter) -> str:
    if scatter.degrees_of_freedom is None:
        return f"a noise of {100 * scatter.ratio:.3g} %"
    return (
        f"a noise of {100 * scatter.ratio:.3g} % (from repeats, "
        f"{scatter.degrees_of_freedom} degree{'s' * (scatter.degrees_of_freedom != 1)} of freedom)"
    )


def _scatter_notes(
    observed: Sequence[Observed], scatter: Scatter | None, level_ratio: float
) -> Iterable[str]:
    if scatter is None:
        yield "intervals hold the rounding of the figures only; run-to-run scatter is not included"
        return
    yield (
        f"observations are widened by {_noise_text(scatter)}: they hold the means of runs in "
        f"{100 * level_ratio:g} % of cases"
    )
    if scatter.degrees_of_freedom is None:
        yield from excess_of_repeats(observed, scatter.ratio, 1 - level_ratio)


def as_printed(observed: Iterable[Observed]) -> list[Observed]:
    """
    Observations whose figures are taken as exact, as if they had not been rounded.

    Parameters
    ----------
    observed : iterable of Observed
        What was seen.

    Returns
    -------
    exactly : list of Observed
        Those that equal a figure have it for both ends; the others are as they were.

    Examples
    --------
    >>> at = {"mtu_bytes": 1500}
    >>> seen = Observed(quantity="throughput_bps", at=at, low=13.35e9, high=13.45e9, value=13.4e9)
    >>> [(one.low, one.high) for one in as_printed([seen])]
    [(13400000000.0, 13400000000.0)]
    """
    return [_exactly(observation) for observation in observed]


def _exactly(observation: Observed) -> Observed:
    if (
        observation.value is None
        or observation.relation is not Relation.EQUAL
        or not observation.is_bounded
    ):
        return observation
    return replace(observation, low=observation.value, high=observation.value)


def _printed_parts(
    complete: LinearModel, parts: tuple[Polytope, ...], observed: Sequence[Observed]
) -> tuple[Polytope, ...]:
    """What figures taken as exact leave: narrowest first, each that agrees with those before."""
    for observation in sorted(
        observed, key=lambda one: (width_ratio(one.low, one.high), canonical(one))
    ):
        exactly = _exactly(observation)
        if exactly is not observation:
            parts = narrowed(parts, clauses(complete, exactly)) or parts
    return parts


def _parameter(
    row: Floats, parts: Sequence[Polytope], printed: Sequence[Polytope]
) -> Estimate[float | None]:
    """With the middle for a value where it is identified, and with none where it is not."""
    found = estimate(linear_ends(parts, row), linear_ends(printed, row))
    if not _is_identified(found.low, found.high):
        return found._replace(value=None)
    return found._replace(value=(found.low + found.high) / 2) if found.value is None else found


def _quantity(
    loads: Loads, parts: Sequence[Polytope], printed: Sequence[Polytope]
) -> Estimate[float | None]:
    return estimate(quantity_ends(parts, loads), quantity_ends(printed, loads))


def _is_identified(low: float, high: float) -> bool:
    return width_ratio(low, high) <= _IDENTIFIED_RATIO


def _baselines(
    complete: LinearModel,
    observed: Sequence[Observed],
    parts: Sequence[Polytope],
    printed: Sequence[Polytope],
) -> dict[str, Estimate[float | None]]:
    found = {}
    for quantity, name in unknown_quantities(observed):
        is_rate = next(
            complete.loads(Point(quantity, observation.at)).is_rate
            for observation in observed
            if observation.quantity == quantity
        )
        loads = complete.loads(unknown_point(quantity, name, is_rate))
        found[name] = _quantity(loads, parts, printed)
    return found


def _notes(
    model: LinearModel,
    observed: Sequence[Observed],
    parameters: Mapping[str, Estimate[float | None]],
) -> Iterable[str]:
    """What the observations leave open, and what would close it."""
    open_at: dict[str, list[str]] = {}
    for observation in observed:
        if observation.is_unbounded:
            yield f"{observation.name}: open at both ends, so it bounds nothing"
    for free, (name, (_, low, high)), is_seen in zip(
        model.parameters, parameters.items(), _taking_part(model, observed), strict=True
    ):
        if high == math.inf and not is_seen:
            yield f"{name} may be anything: nothing that was seen depends on it; measure what does"
        elif high == math.inf:
            yield f"{name} has no upper bound: add a rate that is reached at least"
        elif not _is_identified(low, high):
            where = free.separated_by or (
                "another MTU or message size"
                if any("mtu_bytes" in at for observation in observed for at in observation.cases)
                else "other conditions"
            )
            open_at.setdefault(where, []).append(name)
    for where, names in open_at.items():
        yield f"{listed(names)} cannot be estimated: measure at {where}"


def _taking_part(model: LinearModel, observed: Sequence[Observed]) -> list[bool]:
    """For each parameter, whether anything that was seen depends on it."""
    seen = np.zeros(len(model.parameters), bool)
    for observation in observed:
        for at in observation.cases:
            seen |= model.loads(Point(observation.quantity, at)).coefficients.any(axis=0)
    return [bool(takes_part) for takes_part in seen]
