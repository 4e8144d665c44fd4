"""What an observation says of the parameters: half-spaces, of which all or some hold."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np

from netmodel.calibration._model import (
    Floats,
    LinearModel,
    Loads,
    Point,
    unknown_point,
    with_unknowns,
)
from netmodel.calibration._observed import Conditions, Observed

__all__ = [
    "Clause",
    "HalfSpaces",
    "clauses",
    "compared_sums",
    "parameter_limits",
    "sums_of",
    "unknown_quantities",
    "with_baselines",
]

_ROUNDING_RATIO = 1e-9
_EXACT_RATIO = 1e-13


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
            (one.quantity, f"{one.quantity} of {one.baseline}")
            for one in observed
            if isinstance(one.baseline, str)
        }
    )


def clauses(model: LinearModel, one: Observed) -> list[Clause]:
    """
    All that an observation says of the parameters of a model with its baselines.

    Each of the cases that it names is at most ``high``, and one of them at least ``low``.
    """
    cases = [_loads(model, one, at) for at in one.cases]
    baseline = _baseline(model, one, cases[0].is_rate)
    found: list[Clause] = []
    if one.high < math.inf:
        found += [_at_most(case, one.high, baseline) for case in cases]
    if one.low > 0:
        found.append(tuple(chain(*(_at_least(case, one.low, baseline) for case in cases))))
    return found


def compared_sums(model: LinearModel, observed: Iterable[Observed]) -> list[Floats]:
    """Sums of parameters that are above zero, as else nothing could be compared with them."""
    found = []
    for one in observed:
        if one.baseline is not None:
            cases = [_loads(model, one, at) for at in one.cases]
            found += [*cases, _baseline(model, one, cases[0].is_rate)]
    free = [loads.coefficients.sum(axis=0) for loads in found if not loads.constants.any()]
    return [row for row in free if row.any()]


def parameter_limits(model: LinearModel) -> HalfSpaces:
    """What the parameters may be at all."""
    rows, offsets = [], []
    for row, one in zip(np.eye(len(model.parameters)), model.parameters, strict=True):
        rows.append(-row)
        offsets.append(-one.low)
        if one.high < math.inf:
            rows.append(row)
            offsets.append(one.high)
    return HalfSpaces(np.array(rows), np.array(offsets))


def sums_of(model: LinearModel, point: Point) -> Loads:
    """The sums of a quantity that may be the largest: those that no other one always exceeds."""
    loads = model.loads(point)
    if any(one.low < 0 for one in model.parameters):
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


def _loads(model: LinearModel, one: Observed, at: Conditions) -> Loads:
    return sums_of(model, Point(one.quantity, at, is_uncapped=one.is_uncapped))


def _baseline(model: LinearModel, one: Observed, is_rate: bool) -> Loads:
    """What the figures are multiples of: a quantity elsewhere, else 1."""
    if one.baseline is None:
        return Loads(np.zeros((1, len(model.parameters))), np.ones(1), is_rate, ("1",))
    if isinstance(one.baseline, str):
        name = f"{one.quantity} of {one.baseline}"
        return model.loads(unknown_point(one.quantity, name, is_rate))
    return sums_of(model, Point(one.quantity, one.baseline))


def _at_most(loads: Loads, ratio: float, baseline: Loads) -> Clause:
    """The quantity is at most so many times that of the baseline."""
    if loads.is_rate:
        return tuple(_reaches(ratio, loads, 1, baseline))
    return tuple(_reaches(ratio, baseline, 1, loads))


def _at_least(loads: Loads, ratio: float, baseline: Loads) -> Clause:
    """The quantity is at least so many times that of the baseline."""
    if loads.is_rate:
        return tuple(_reaches(1, baseline, ratio, loads))
    return tuple(_reaches(1, loads, ratio, baseline))


def _reaches(factor: float, loads: Loads, ratio: float, other: Loads) -> Iterator[HalfSpaces]:
    """One sum, so many times, is at least each of the other ones, so many times: case by case."""
    for coefficients, constant in zip(loads.coefficients, loads.constants, strict=True):
        normals = _difference(ratio * other.coefficients, factor * coefficients, _EXACT_RATIO)
        offsets = _difference(factor * constant, ratio * other.constants, _ROUNDING_RATIO)
        is_number = ~normals.any(axis=1)
        if (offsets[is_number] >= 0).all():
            yield HalfSpaces(normals[~is_number], offsets[~is_number])


def _difference(first: Floats | float, second: Floats | float, rounding_ratio: float) -> Floats:
    """What is left of the first, nothing where it is but rounding."""
    found = np.asarray(first) - second
    is_rounding = np.abs(found) <= rounding_ratio * np.maximum(np.abs(first), np.abs(second))
    return np.where(is_rounding, 0.0, found)
