"""The few operations that plain operators cannot serve for numbers, arrays and symbols alike."""

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel._numpy import np
from netmodel.errors import DomainError

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]
else:
    Floats = Any

Quantity: TypeAlias = Any
"""A float, int or Fraction, an array or a SymPy expression: formulas return what they are given."""

_INFINITY = math.inf
_ROUNDING_MARGIN = 1e-12
_PLAIN = frozenset({float, int})
_NO_ARRAYS = frozenset({float, int, bool})
_RELATIONS: dict[str, Callable[[Quantity, Quantity], Quantity]] = {
    "above": lambda value, limit: value > limit,
    "at least": lambda value, limit: value >= limit,
    "at most": lambda value, limit: value <= limit,
}


def is_symbol(value: object) -> bool:
    """Whether the value is a SymPy expression; SymPy is never imported to find out."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def _is_fraction(value: object) -> bool:
    fractions = sys.modules.get("fractions")
    return fractions is not None and type(value) is fractions.Fraction


def _is_array(value: object) -> bool:
    """Whether the value is an array, which plain numbers and truths are not: none of them asks."""
    return type(value) not in _NO_ARRAYS and isinstance(value, np.ndarray)


def maximum(first: Quantity, second: Quantity) -> Quantity:
    """Larger of two quantities, element by element; NaN where either is NaN."""
    if type(first) in _PLAIN and type(second) in _PLAIN:
        return first if first >= second or first != first else second
    if _is_array(first) or _is_array(second):
        return np.maximum(first, second)
    if is_symbol(first) or is_symbol(second):
        return sys.modules["sympy"].Max(first, second)
    return max(first, second)


def minimum(first: Quantity, second: Quantity) -> Quantity:
    """Smaller of two quantities, element by element; NaN where either is NaN."""
    return -maximum(-first, -second)


def ceil(value: Quantity) -> Quantity:
    """Smallest whole number that is not below the value; NaN stays NaN."""
    if _is_array(value):
        return np.ceil(value)
    if is_symbol(value):
        return sys.modules["sympy"].ceiling(value)
    return math.ceil(value) if -_INFINITY < value < _INFINITY else value


def ceil_but_for_rounding(value: Quantity) -> Quantity:
    """The same, of a part in 10^12 less: what the rounding of floats may have added."""
    return ceil(value * (1 - _ROUNDING_MARGIN))


def floor(value: Quantity) -> Quantity:
    """Largest whole number that is not above the value; NaN stays NaN."""
    return -ceil(-value)


def sqrt(value: Quantity) -> Quantity:
    """Square root; NaN stays NaN."""
    if _is_array(value):
        return np.sqrt(value)
    if is_symbol(value):
        return sys.modules["sympy"].sqrt(value)
    return math.sqrt(value)


def where(condition: Quantity, if_true: Quantity, if_false: Quantity) -> Quantity:
    """First choice where the condition holds, else the second."""
    if _is_array(condition):
        return np.where(condition, if_true, if_false)
    if is_symbol(condition):
        return sys.modules["sympy"].Piecewise((if_true, condition), (if_false, True))
    return if_true if condition else if_false


def require_above(name: str, value: Quantity, limit: Quantity, unit: str) -> Quantity:
    """Return the value as float, array or symbol; raise DomainError if it is not above."""
    if type(value) in _PLAIN and type(limit) in _PLAIN and limit < value < _INFINITY:
        return value
    return _require(name, value, "above", limit, unit)


def require_at_least(name: str, value: Quantity, limit: Quantity, unit: str) -> Quantity:
    """Return the value as float, array or symbol; raise DomainError if it is below."""
    if type(value) in _PLAIN and type(limit) in _PLAIN and limit <= value < _INFINITY:
        return value
    return _require(name, value, "at least", limit, unit)


def require_at_most(name: str, value: Quantity, limit: Quantity, unit: str) -> Quantity:
    """Return the value as float, array or symbol; raise DomainError if it is above."""
    if type(value) in _PLAIN and type(limit) in _PLAIN and -_INFINITY < value <= limit:
        return value
    return _require(name, value, "at most", limit, unit)


def require_share(name: str, value: Quantity) -> Quantity:
    """The value, if it is above 0 and at most 1; DomainError otherwise."""
    return require_at_most(name, require_above(name, value, 0, ""), 1, "")


def require_finite(name: str, value: Quantity) -> Quantity:
    """Return the value as float, array or symbol; raise DomainError if it is infinite."""
    if type(value) in _PLAIN and -_INFINITY < value < _INFINITY:
        return value
    return _require(name, value, "at least", -_INFINITY, "")


def require_one(name: str, value: float) -> float:
    """Return one number; raise DomainError for NaN and arrays, which formulas let pass."""
    one = _as_quantity(name, value)
    if _is_array(one) or one != one:
        raise DomainError(f"{name} must be one number; got {value!r}")
    return one  # type: ignore[no-any-return]


def require_whole(name: str, value: float) -> int:
    """Return one whole number; raise DomainError for any other."""
    one = require_one(name, value)
    if not float(one).is_integer():
        raise DomainError(f"{name} must be a whole number; got {value!r}")
    return int(one)


def _require(name: str, value: Quantity, relation: str, limit: Quantity, unit: str) -> Quantity:
    value = _as_quantity(name, value)
    limit = _as_quantity(name, limit)
    if is_symbol(value) or is_symbol(limit) or _surely_holds(value, relation, limit):
        return value
    holds = np.asarray(_RELATIONS[relation](value, limit)) & (np.abs(value) < _INFINITY)
    bad = ~(holds | _is_nan(value) | _is_nan(limit))
    if bad.any():
        raise DomainError(_complaint(name, value, relation, limit, unit, bad))
    return value


def _is_nan(value: Quantity) -> Quantity:
    return np.asarray(value != value)


def _surely_holds(value: Quantity, relation: str, limit: Quantity) -> bool:
    """A cheap yes for arrays against one number; False only means that a closer look is needed."""
    if not _is_array(value) or _is_array(limit) or not value.size:
        return False
    low, high = value.min(), value.max()
    nearest = high if relation == "at most" else low
    return bool(_RELATIONS[relation](nearest, limit) and low > -_INFINITY and high < _INFINITY)


def _as_quantity(name: str, value: Quantity) -> Quantity:
    if type(value) in _PLAIN or _is_fraction(value) or is_symbol(value):
        return value
    try:
        array = np.asarray(value)
    except ValueError:
        raise DomainError(f"{name} must be one array, rows of one length; got {value!r}") from None
    if array.dtype.kind not in "iuf":
        raise DomainError(f"{name} must be a number or an array of numbers; got {value!r}")
    if array.ndim == 0:
        return array.item()
    return array.astype(np.float64, copy=False)


def _complaint(
    name: str, value: Quantity, relation: str, limit: Quantity, unit: str, bad: Quantity
) -> str:
    values, limits = np.broadcast_to(value, bad.shape), np.broadcast_to(limit, bad.shape)
    index = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
    got = values[index]
    limit_here = f"{float(limits[index]):.15g}"
    rule = f"{relation} {limit_here} {unit}".rstrip() if abs(got) < _INFINITY else "finite"
    place = f" at index {index}" if index else ""
    return f"{name} must be {rule}; got {float(got):.15g}{place}"
