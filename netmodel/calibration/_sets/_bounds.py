"""Least and most of quantities over all parts of a feasible set."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from netmodel._estimates import Estimate
from netmodel.calibration._model import Floats, Loads
from netmodel.calibration._sets._half_spaces import Clause
from netmodel.calibration._sets._polytopes import Polytope, polytopes

__all__ = ["estimate", "linear_ends", "narrowed", "quantity_ends", "ratio_ends", "width_ratio"]

_ONE_VALUE_RATIO = 1e-6


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


def estimate(ends: tuple[float, float], printed: tuple[float, float]) -> Estimate:
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
