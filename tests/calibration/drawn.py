"""Observations as they might have been: drawn from a model, printed and censored like others."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from netmodel.calibration import Observed, Point
from netmodel.calibration.models import Curve, Floats, FreeParameter, Model
from netmodel.consumption import batched_cpu_time_s
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.records.values import Relation

BATCHED = Curve(
    "cpu_s_per_transaction",
    tuple(
        FreeParameter(name, "s")
        for name in ("time_per_transaction_s", "time_per_batch_s", "batching_time_s")
    ),
    batched_cpu_time_s,
    ("transaction_rate_tps",),
    (1e-5, 5e-5, 1e-4),
)
"""CPU time that transactions of a batch share: a curve of three parameters."""

_CENSORED = frozenset({Relation.CENSORED_ABOVE, Relation.CENSORED_BELOW})


def simulate(
    model: Model,
    parameters: Mapping[str, float],
    template: Sequence[Observed],
    noise_ratio: float,
    seed: int,
) -> tuple[Observed, ...]:
    r"""
    Observations drawn from a model, rounded and censored like those of a template.

    Parameters
    ----------
    model : Model
        Taken for the truth.
    parameters : mapping of str to float
        Of the model.
    template : sequence of Observed
        Its figures are replaced, its rounding and its limits kept.
    noise_ratio : float
        Standard deviation of the logarithm of a run; multiplied by :math:`\sqrt{2}` for a
        comparison of two.
    seed : int
        The same seed gives the same observations.

    Returns
    -------
    observed : tuple of Observed
        One for each of the template.

    Raises
    ------
    DomainError
        If the noise is negative, a parameter is missing, or the model does not
        know a quantity of the template.

    Notes
    -----
    An interval of the template is a cell of a grid: the drawn quantity becomes its cell. Cells
    have the same width, or the same ratio for figures reported with "about". A limit stays where
    it is: beyond it the observation stays the same; on its other side a censored quantity becomes
    exact, and any other bound the opposite one.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> printed = Observed(
    ...     quantity="throughput_bps", at={"mtu_bytes": 1500}, low=9.95e9, high=10.05e9
    ... )
    >>> true = {"per_frame_s": 0.864e-6, "per_byte_s": 0.0}
    >>> (seen,) = simulate(adapter_model(25e9), true, [printed], 0.0, seed=1)
    >>> round(seen.low / 1e9, 2), round(seen.high / 1e9, 2)
    (13.35, 13.45)
    """
    if not 0 <= noise_ratio < math.inf:
        raise DomainError(f"noise_ratio must be at least 0 and finite; got {noise_ratio!r}")
    normal = np.random.default_rng(seed).standard_normal
    values = _values(model, parameters, template)
    return tuple(
        _seen(
            each, float(np.max(ratios * np.exp(_scatter(each, noise_ratio) * normal(len(ratios)))))
        )
        for each, ratios in zip(template, values, strict=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageStudy:
    """
    How often intervals contain the parameters that observations were drawn from.

    Parameters
    ----------
    hit_counts : mapping of str to int
        Of intervals that hold the parameter, by its name; over the seeds that were not refused.
    seed_count : int
        All seeds.
    refusals : mapping of int to str
        Why the method refused, by seed.
    """

    hit_counts: Mapping[str, int]
    seed_count: int
    refusals: Mapping[int, str]


def coverage_of(
    model: Model,
    parameters: Mapping[str, float],
    template: Sequence[Observed],
    noise_ratio: float,
    seeds: Sequence[int],
    method: Callable[[Sequence[Observed]], Any],
) -> CoverageStudy:
    """
    How often the intervals of a method contain the parameters of drawn observations.

    Parameters
    ----------
    model : Model
        Taken for the truth.
    parameters : mapping of str to float
        Of the model.
    template : sequence of Observed
        Observations to draw like.
    noise_ratio : float
        Standard deviation of the logarithm of a run.
    seeds : sequence of int
        One simulation for each.
    method : callable
        Takes observations and returns parameters with intervals.

    Returns
    -------
    study : CoverageStudy
        Hits of each parameter; refusals are counted separately.

    Raises
    ------
    DomainError
        If the noise is negative, a parameter is missing, or the model does not
        know a quantity of the template.
    CalibrationError
        If the method refuses for every seed.
    """
    hits = {each.name: 0 for each in model.parameters}
    refusals: dict[int, str] = {}
    for seed in seeds:
        try:
            result = method(simulate(model, parameters, template, noise_ratio, seed)).parameters
        except (CalibrationError, ContradictionError) as refusal:
            refusals[seed] = str(refusal)
            continue
        for name in hits:
            hits[name] += bool(result[name].low <= parameters[name] <= result[name].high)
    if len(refusals) == len(seeds):
        raise CalibrationError(f"the method refuses whatever is drawn: {set(refusals.values())}")
    return CoverageStudy(hit_counts=hits, seed_count=len(seeds), refusals=refusals)


def _values(
    model: Model, parameters: Mapping[str, float], template: Sequence[Observed]
) -> list[Floats]:
    """Of each observation its quantity in all cases, over its baseline where it has one."""
    theta = np.array([_known(parameters, observation.name) for observation in model.parameters])

    def ratios(observation: Observed) -> Floats:
        points = [Point(observation.quantity, observation.at, observation.relation in _CENSORED)]
        result = model.function(points)(theta)
        if observation.baseline is None:
            return result
        return result / model.function([Point(observation.quantity, observation.baseline)])(theta)

    return [ratios(observation) for observation in template]


def _known(parameters: Mapping[str, float], name: str) -> float:
    if name not in parameters:
        raise DomainError(f"parameters must have {name}")
    return parameters[name]


def _scatter(observation: Observed, noise_ratio: float) -> float:
    return noise_ratio * math.sqrt(len(observation.all_conditions))


def _seen(observation: Observed, value: float) -> Observed:
    """The value as the observation would have reported it."""
    if observation.low == observation.high:
        return replace(observation, low=value, high=value, value=value)
    if observation.is_bounded:
        return _in_cell(observation, value)
    if observation.low <= value <= observation.high:
        return observation
    if observation.relation in _CENSORED:
        return replace(observation, low=value, high=value, value=value, relation=Relation.EQUAL)
    return _opposite(observation)


def _opposite(observation: Observed) -> Observed:
    is_high = observation.high == math.inf
    relation = Relation.AT_MOST if is_high else Relation.AT_LEAST
    low, high = (0.0, observation.low) if is_high else (observation.high, math.inf)
    return replace(observation, low=low, high=high, relation=relation)


def _in_cell(observation: Observed, value: float) -> Observed:
    is_by_ratio = observation.relation is Relation.ABOUT
    forth: Callable[[float], float] = math.log if is_by_ratio else float
    back: Callable[[float], float] = math.exp if is_by_ratio else float
    start, width = forth(observation.low), forth(observation.high) - forth(observation.low)
    shift = width * math.floor((forth(value) - start) / width)

    def moved(end: float) -> float:
        return max(0.0, back(forth(end) + shift))

    figure = None if observation.value is None else moved(observation.value)
    return replace(
        observation, low=moved(observation.low), high=moved(observation.high), value=figure
    )
