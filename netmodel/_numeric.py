"""The few operations that plain operators cannot serve for numbers, arrays and symbols alike."""

import math
import operator
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from netmodel._labelled import is_labelled, label_of, labelled, where_labelled
from netmodel._numpy import np
from netmodel._quantities import carries_unit, unit_of, unit_problem
from netmodel._recording import Recorded
from netmodel.errors import DomainError

if TYPE_CHECKING:
    import numpy.typing as npt

    class ArrayOfNumbers(Protocol):
        """What numpy makes an array of numbers of: its own arrays, columns of pandas."""

        def __array__(self) -> np.ndarray[Any, np.dtype[np.floating | np.integer]]: ...

    Number: TypeAlias = float | np.floating | np.integer
    Floats: TypeAlias = npt.NDArray[np.float64]
    Mask: TypeAlias = bool | npt.NDArray[np.bool_]
    FloatOrArray: TypeAlias = float | Floats
    ArrayLike: TypeAlias = ArrayOfNumbers | Sequence[Number] | Sequence[Sequence[Number]]
    QuantityLike: TypeAlias = Number | ArrayLike
    PerStage: TypeAlias = Sequence[QuantityLike] | ArrayOfNumbers
    ByPresence: TypeAlias = (
        Sequence[QuantityLike | Callable[[Floats], FloatOrArray]] | ArrayOfNumbers
    )
else:
    Number = Floats = Mask = FloatOrArray = ArrayLike = QuantityLike = PerStage = ByPresence = Any

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
Q_co = TypeVar("Q_co", bound="FloatOrArray", covariant=True)

# FloatOrArray  what formulas compute with and return: a float or an array of floats
# QuantityLike  what they take: one number, or what numpy makes an array of numbers of
# Q_co          one of the two, in results that hold several quantities
# PerStage      a quantity for each entry of a sequence, or of the first axis of an array
# ByPresence    the same, each also for 1, 2, ... transactions at the stage, or a function of them
#
# Ints, Fractions and SymPy symbols pass through the same code. The stubs (``make stubs``) are more
# precise: numbers give a float, an array among the arguments gives an array.

_INFINITY = math.inf
_LARGEST = sys.float_info.max
ROUNDING_RATIO = 1e-9
"""Relative difference of results that rounding in floating point explains: a float has 16 digits,
long computations lose some, and no published figure has 9."""
EXACT_INTEGER = 2**53
"""Up to it a float of 64 bits (IEEE 754) holds every whole number."""
_ROUNDING_MARGIN = 1e-12
"""Far above what a few dozen float operations round (2e-16 each), far below any real excess."""
_EVEN = 0.5
"""Below it the logarithm of 1 - chance keeps more digits than 1 - chance."""
_BITS_OF_INFINITY = 0x7FF << 52
"""Of a float of 64 bits (IEEE 754): those of finite ones from 0 on are smaller, those of -0,
of negative ones and of NaN are larger."""
_PLAIN = frozenset({float, int})
_NO_ARRAYS = frozenset({float, int, bool})
_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "above": operator.gt,
    "at least": operator.ge,
    "at most": operator.le,
    "below": operator.lt,
}
_FROM_ABOVE = frozenset({"at most", "below"})


def is_symbol(value: object) -> bool:
    """Whether the value is a SymPy expression; SymPy is never imported to find out."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def _is_fraction(value: object) -> bool:
    fractions = sys.modules.get("fractions")
    return fractions is not None and type(value) is fractions.Fraction


def _clipped(first: Any, second: Any, function: Any) -> Any:
    """``np.maximum`` or ``np.minimum`` of arrays, or of an array and a number."""
    array, number = (first, second) if type(first) is np.ndarray else (second, first)
    if type(array) is not np.ndarray or type(number) not in _PLAIN:
        return function(first, second)
    # numpy is two to four times as fast with a number that ends a range, but makes floats of whole
    # numbers, and may return the other one of 0 and -0
    if not number or array.dtype.kind != "f":
        return function(first, second)
    return array.clip(*((number, _INFINITY) if function is np.maximum else (-_INFINITY, number)))


def is_array(value: object) -> bool:
    """Whether the value is an array, or recorded as one; numbers need no numpy to find out."""
    return type(value) not in _NO_ARRAYS and (
        isinstance(value, (np.ndarray, Recorded)) or is_labelled(value)
    )


def extremes(value: Any) -> tuple[float, float]:
    """Smallest and largest element of an array; a number twice."""
    return _ends(value) if is_array(value) else (value, value)


def holds_somewhere(condition: "bool | Mask") -> bool:
    """Whether any element of a mask is true."""
    return condition if type(condition) is bool else bool(np.any(condition))


def holds_everywhere(condition: "bool | Mask") -> bool:
    """Whether all elements of a mask are true."""
    return condition if type(condition) is bool else bool(np.all(condition))


@overload
def maximum(first: float, second: float) -> float: ...
@overload
def maximum(first: Floats, second: FloatOrArray) -> Floats: ...
@overload
def maximum(first: float, second: Floats) -> Floats: ...
def maximum(first: Any, second: Any) -> Any:
    """Larger of two quantities, element by element; NaN where either is NaN."""
    if type(first) not in _PLAIN or type(second) not in _PLAIN:
        if is_array(first) or is_array(second):
            return _clipped(first, second, np.maximum)
        if is_symbol(first) or is_symbol(second):
            return sys.modules["sympy"].Max(first, second)
    return first if first >= second or first != first else second


@overload
def minimum(first: float, second: float) -> float: ...
@overload
def minimum(first: Floats, second: FloatOrArray) -> Floats: ...
@overload
def minimum(first: float, second: Floats) -> Floats: ...
def minimum(first: Any, second: Any) -> Any:
    """Smaller of two quantities, element by element; NaN where either is NaN."""
    if type(first) not in _PLAIN or type(second) not in _PLAIN:
        if type(first) is np.ndarray or type(second) is np.ndarray:
            return _clipped(first, second, np.minimum)
        return -maximum(-first, -second)
    return first if first <= second or first != first else second


@overload
def ceil(value: float) -> float: ...
@overload
def ceil(value: Floats) -> Floats: ...
def ceil(value: Any) -> Any:
    """Smallest whole number that is not below the value; NaN stays NaN."""
    if type(value) not in _PLAIN:
        if is_array(value):
            return np.ceil(value)
        if is_symbol(value):
            return sys.modules["sympy"].ceiling(value)
    return math.ceil(value) if -_INFINITY < value < _INFINITY else value


@overload
def ceil_but_for_rounding(value: float) -> float: ...
@overload
def ceil_but_for_rounding(value: Floats) -> Floats: ...
def ceil_but_for_rounding(value: Any) -> Any:
    """The same, of a part in 10^12 less: what the rounding of floats may have added."""
    return ceil(value * (1 - _ROUNDING_MARGIN))


@overload
def floor(value: float) -> float: ...
@overload
def floor(value: Floats) -> Floats: ...
def floor(value: Any) -> Any:
    """Largest whole number that is not above the value; NaN stays NaN."""
    if type(value) in _PLAIN:
        return math.floor(value) if -_INFINITY < value < _INFINITY else value
    return np.floor(value) if type(value) is np.ndarray else -ceil(-value)


@overload
def sqrt(value: float) -> float: ...
@overload
def sqrt(value: Floats) -> Floats: ...
def sqrt(value: Any) -> Any:
    """Square root; NaN stays NaN."""
    if type(value) not in _PLAIN:
        if is_array(value):
            return np.sqrt(value)
        if is_symbol(value):
            return sys.modules["sympy"].sqrt(value)
    return math.sqrt(value)


# Logarithms and powers of numbers go through numpy as those of arrays do: ``math`` may end in
# another digit, and one number must not differ from the same in an array.


@overload
def log(value: float) -> float: ...
@overload
def log(value: Floats) -> Floats: ...
def log(value: Any) -> Any:
    """Natural logarithm; NaN stays NaN."""
    if type(value) not in _PLAIN:
        if is_symbol(value):
            return sys.modules["sympy"].log(value)
        if is_array(value):
            return np.log(value)
    return float(np.log(float(value)))


@overload
def log1p(value: float) -> float: ...
@overload
def log1p(value: Floats) -> Floats: ...
def log1p(value: Any) -> Any:
    """Natural logarithm of 1 + value, to all digits where the value is tiny; NaN stays NaN."""
    if type(value) not in _PLAIN:
        if is_symbol(value):
            return sys.modules["sympy"].log(1 + value)
        if is_array(value):
            return np.log1p(value)
    return float(np.log1p(float(value)))


@overload
def power(base: float, exponent: float) -> float: ...
@overload
def power(base: Floats, exponent: FloatOrArray) -> Floats: ...
@overload
def power(base: float, exponent: Floats) -> Floats: ...
def power(base: Any, exponent: Any) -> Any:
    """A power of a base that is not negative; NaN where either is NaN, unless the base is 1."""
    if type(base) not in _PLAIN or type(exponent) not in _PLAIN:
        if is_symbol(base) or is_symbol(exponent):
            return base**exponent
        if is_array(base) or is_array(exponent):
            return np.power(base, exponent)
    return float(np.power(float(base), float(exponent)))


@overload
def any_of_many(chance: float, count: float) -> float: ...
@overload
def any_of_many(chance: Floats, count: FloatOrArray) -> Floats: ...
@overload
def any_of_many(chance: float, count: Floats) -> Floats: ...
def any_of_many(chance: Any, count: Any) -> Any:
    """1 - (1 - chance)^count for a chance from 0 to 1, to all digits where the chance is tiny."""
    if type(chance) in _PLAIN and type(count) in _PLAIN:
        if chance > _EVEN:
            return 1 - power(1 - chance, count)
        return float(-np.expm1(count * np.log1p(-chance)))
    if is_symbol(chance) or is_symbol(count) or _is_fraction(chance):
        return 1 - (1 - chance) ** count
    few = -np.expm1(count * np.log1p(-minimum(chance, _EVEN)))
    result = where(chance <= _EVEN, few, 1 - power(1 - chance, count))
    return result if getattr(result, "ndim", 0) else float(result)


@overload
def where(condition: bool, if_true: float, if_false: float) -> float: ...
@overload
def where(condition: Mask, if_true: FloatOrArray, if_false: FloatOrArray) -> FloatOrArray: ...
def where(condition: Any, if_true: Any, if_false: Any) -> Any:
    """First choice where the condition holds, else the second."""
    if type(condition) is not bool:
        if is_array(condition):
            if is_labelled(condition):
                return where_labelled(condition, if_true, if_false)
            return np.where(condition, if_true, if_false)
        if is_symbol(condition):
            return sys.modules["sympy"].Piecewise((if_true, condition), (if_false, True))
    return if_true if condition else if_false


# A numpy.float64 is a float, but arithmetic with it takes several times as long: the functions
# below turn it into a plain one, so that later steps are fast too.


@overload
def require_above(name: str, value: Number, limit: float, unit: str) -> float: ...
@overload
def require_above(name: str, value: ArrayLike, limit: float, unit: str) -> Floats: ...
def require_above(name: str, value: Any, limit: float, unit: str) -> Any:
    """The value as float, array or symbol; DomainError if it is not above a number."""
    if type(value) in _PLAIN and limit < value <= _LARGEST:
        return value
    if type(value).__name__ == "float64":
        value = float(value)
        if limit < value < _INFINITY:
            return value
    elif _is_plain_array(value):
        low, high = _ends(value)
        if low > limit and high < _INFINITY:
            return value
    return require_above_each(name, value, limit, unit)


@overload
def require_above_each(name: str, value: Number, limits: FloatOrArray, unit: str) -> float: ...
@overload
def require_above_each(name: str, value: ArrayLike, limits: FloatOrArray, unit: str) -> Floats: ...
def require_above_each(name: str, value: Any, limits: Any, unit: str) -> Any:
    """The same where the limit is a quantity itself: element by element."""
    if type(value) in _PLAIN and type(limits) in _PLAIN and limits < value <= _LARGEST:
        return value
    if type(value).__name__ == "float64" and type(limits) in _PLAIN:
        value = float(value)
        if limits < value < _INFINITY:
            return value
    return _require(name, value, "above", limits, unit)


@overload
def require_at_least(name: str, value: Number, limit: float, unit: str) -> float: ...
@overload
def require_at_least(name: str, value: ArrayLike, limit: float, unit: str) -> Floats: ...
def require_at_least(name: str, value: Any, limit: float, unit: str) -> Any:
    """The value as float, array or symbol; DomainError if it is below a number."""
    if type(value) in _PLAIN and limit <= value <= _LARGEST:
        return value
    if type(value).__name__ == "float64":
        value = float(value)
        if limit <= value < _INFINITY:
            return value
    elif _is_plain_array(value):
        if limit == 0 and _are_from_zero_on(value):
            return value
        low, high = _ends(value)
        if low >= limit and high < _INFINITY:
            return value
    return require_at_least_each(name, value, limit, unit)


@overload
def require_at_least_each(name: str, value: Number, limits: FloatOrArray, unit: str) -> float: ...
@overload
def require_at_least_each(
    name: str, value: ArrayLike, limits: FloatOrArray, unit: str
) -> Floats: ...
def require_at_least_each(name: str, value: Any, limits: Any, unit: str) -> Any:
    """The same where the limit is a quantity itself: element by element."""
    if type(value) in _PLAIN and type(limits) in _PLAIN and limits <= value <= _LARGEST:
        return value
    if type(value).__name__ == "float64" and type(limits) in _PLAIN:
        value = float(value)
        if limits <= value < _INFINITY:
            return value
    return _require(name, value, "at least", limits, unit)


@overload
def require_at_most(name: str, value: Number, limit: float, unit: str) -> float: ...
@overload
def require_at_most(name: str, value: ArrayLike, limit: float, unit: str) -> Floats: ...
def require_at_most(name: str, value: Any, limit: float, unit: str) -> Any:
    """The value as float, array or symbol; DomainError if it is above a number."""
    if type(value) in _PLAIN and -_LARGEST <= value <= limit:
        return value
    if type(value).__name__ == "float64":
        value = float(value)
        if -_INFINITY < value <= limit:
            return value
    elif _is_plain_array(value):
        low, high = _ends(value)
        if low > -_INFINITY and high <= limit:
            return value
    return require_at_most_each(name, value, limit, unit)


@overload
def require_at_most_each(name: str, value: Number, limits: FloatOrArray, unit: str) -> float: ...
@overload
def require_at_most_each(
    name: str, value: ArrayLike, limits: FloatOrArray, unit: str
) -> Floats: ...
def require_at_most_each(name: str, value: Any, limits: Any, unit: str) -> Any:
    """The same where the limit is a quantity itself: element by element."""
    if type(value) in _PLAIN and type(limits) in _PLAIN and -_LARGEST <= value <= limits:
        return value
    if type(value).__name__ == "float64" and type(limits) in _PLAIN:
        value = float(value)
        if -_INFINITY < value <= limits:
            return value
    return _require(name, value, "at most", limits, unit)


@overload
def require_below(name: str, value: Number, limit: float, unit: str) -> float: ...
@overload
def require_below(name: str, value: ArrayLike, limit: float, unit: str) -> Floats: ...
def require_below(name: str, value: Any, limit: float, unit: str) -> Any:
    """The value as float, array or symbol; DomainError if it is not below a number."""
    if type(value) in _PLAIN and -_LARGEST <= value < limit:
        return value
    return _require(name, value, "below", limit, unit)


@overload
def require_within(name: str, value: Number, low: float, high: float, unit: str) -> float: ...
@overload
def require_within(name: str, value: ArrayLike, low: float, high: float, unit: str) -> Floats: ...
def require_within(name: str, value: Any, low: float, high: float, unit: str) -> Any:
    """The value, if it is at least the one and at most the other number; DomainError otherwise."""
    if type(value) in _PLAIN and low <= value <= high:
        return value
    if _is_plain_array(value):
        least, largest = _ends(value)
        if low <= least and largest <= high:
            return value
    return require_at_most(name, require_at_least(name, value, low, unit), high, unit)


@overload
def require_share(name: str, value: Number) -> float: ...
@overload
def require_share(name: str, value: ArrayLike) -> Floats: ...
def require_share(name: str, value: Any) -> Any:
    """The value, if it is above 0 and at most 1; DomainError otherwise."""
    if type(value) in _PLAIN and 0 < value <= 1:
        return value
    if _is_plain_array(value):
        least, largest = _ends(value)
        if least > 0 and largest <= 1:
            return value
    return require_at_most(name, require_above(name, value, 0, ""), 1, "")


@overload
def require_finite(name: str, value: Number) -> float: ...
@overload
def require_finite(name: str, value: ArrayLike) -> Floats: ...
def require_finite(name: str, value: Any) -> Any:
    """The value as float, array or symbol; DomainError if it is infinite."""
    if type(value) in _PLAIN and -_LARGEST <= value <= _LARGEST:
        return value
    return _require(name, value, "at least", -_INFINITY, "")


def require_one(name: str, value: QuantityLike) -> float:
    """Return one number; raise DomainError for NaN and arrays, which formulas let pass."""
    try:
        one = _as_quantity(name, value)
    except DomainError:
        if carries_unit(value):
            raise
        one = math.nan
    if is_array(one) or one != one:
        raise DomainError(f"{name} must be one number; got {value!r}")
    return one  # type: ignore[no-any-return]


def require_whole(name: str, value: Number) -> int:
    """Return one whole number; raise DomainError for any other."""
    one = require_one(name, value)
    if is_symbol(one):
        return one  # type: ignore[return-value]
    if not float(one).is_integer():
        raise DomainError(f"{name} must be a whole number; got {value!r}")
    return int(one)


def require_kind(name: str, value: object, kind: type, wanted: str) -> None:
    """Raise DomainError, which says what is wanted, unless the value is of a kind."""
    if not isinstance(value, kind):
        raise DomainError(f"{name} must be {wanted}; got {value!r}")


def require_plain(**values: object) -> None:
    """Raise DomainError, which says the unit that is needed, for quantities with units."""
    for name, value in values.items():
        if carries_unit(value):
            raise DomainError(f"{unit_problem(name, unit_of(name), value)}: convert it first")


def of_plain_numbers(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """The function; it raises DomainError where an argument has a unit."""
    names = function.__code__.co_varnames

    @wraps(function)
    def checked(*given: _Given.args, **named: _Given.kwargs) -> _Made:
        require_plain(**{**dict(zip(names, given, strict=False)), **named})
        return function(*given, **named)

    return checked


def require_plain_fields(made: object) -> None:
    """Raise DomainError where a field of a data class has a unit."""
    names = made.__dataclass_fields__  # type: ignore[attr-defined]
    require_plain(**{name: getattr(made, name, None) for name in names})


def require_member(name: str, value: object, kind: type[Enum]) -> None:
    """Raise DomainError, which lists the members of an Enum, unless the value is one of them."""
    # the list takes longer than all else: only for the message
    if not isinstance(value, kind):
        raise DomainError(f"{name} must be one of {', '.join(map(str, kind))}; got {value!r}")


def require_flags(**flags: object) -> None:
    """Raise DomainError unless each argument is True or False."""
    for name, value in flags.items():
        require_kind(name, value, bool, "True or False")


def _require(name: str, value: Any, relation: str, limit: Any, unit: str) -> Any:
    for each in (value, limit):
        if type(each) is Recorded:
            each.recording.check(value, relation, limit)
            return value
    value = _as_quantity(name, value)
    limit = _as_quantity(name, limit)
    if is_symbol(value) or is_symbol(limit) or _surely_holds(value, relation, limit):
        return value
    holds = _mask(_RELATIONS[relation](value, limit)) & _mask(np.abs(value) < _INFINITY)
    bad = ~(holds | _mask(value != value) | _mask(limit != limit))
    if bad.any():
        raise DomainError(_complaint(name, value, relation, limit, unit, bad))
    return value


def _mask(value: Any) -> Any:
    """What numbers compare to as an array; that of labelled quantities keeps its labels."""
    return value if is_labelled(value) else np.asarray(value)


def _is_plain_array(value: Any) -> bool:
    """Whether the value is an array of float64 with elements, and nothing but that."""
    return type(value) is np.ndarray and value.dtype == np.float64 and bool(value.ndim * value.size)


def _ends(array: Any) -> tuple[float, float]:
    """The smallest and the largest element; both are NaN where one is."""
    if type(array) is np.ndarray and array.ndim == 1:  # of others ``argmin`` may make a copy
        # starts in half the time that ``min`` takes
        return float(array.item(array.argmin())), float(array.item(array.argmax()))
    return float(np.min(array)), float(np.max(array))


def _are_from_zero_on(array: Any) -> bool:
    """Whether all elements are finite, and neither negative nor -0: in one pass."""
    bits = array.view(np.uint64)
    largest = bits.max() if bits.ndim > 1 else bits.item(bits.argmax())
    return bool(largest < _BITS_OF_INFINITY)


def _surely_holds(value: Any, relation: str, limit: Any) -> bool:
    """A cheap yes for numbers and for arrays; a no asks for a closer look."""
    if any(is_labelled(each) or (is_array(each) and not each.size) for each in (value, limit)):
        return False
    low, high = extremes(value)
    if not (low > -_INFINITY and high < _INFINITY):
        return False
    has_limit = _RELATIONS[relation]
    if is_array(limit) and is_array(value):
        return bool(has_limit(value, limit).all())
    least, most = extremes(limit)
    return bool(has_limit(high, least) if relation in _FROM_ABOVE else has_limit(low, most))


def _as_quantity(name: str, value: Any) -> Any:
    """The value as plain number, Fraction, symbol or array of float64; DomainError for others."""
    if type(value) is float or is_symbol(value):
        return value
    if type(value) is int or _is_fraction(value):
        return _of_float_size(name, value)
    if isinstance(value, float):
        require_plain(**{name: value})  # some libraries have floats with units
        return float(value)
    if _is_plain_array(value):
        return value
    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        return int(value)
    require_plain(**{name: value})  # numpy would strip a unit
    if type(value) is not np.ndarray and is_labelled(value):
        return labelled(name, value)
    array = None
    try:
        array = np.asarray(_unmasked(value) if _is_masked(value) else value)
    except ValueError:
        raise DomainError(f"{name} must be one array, rows of one length; got {value!r}") from None
    except TypeError:  # of a Dataset of xarray
        pass
    if array is None or array.dtype.kind not in "iuf":
        raise DomainError(f"{name} must be a number or an array of numbers; got {value!r}")
    if array.ndim == 0:
        return array.item() if array.dtype.kind in "iu" else float(array)
    return array.astype(np.float64, copy=False)


def _of_float_size(name: str, value: Any) -> Any:
    """A whole number or a fraction, exact as it is; DomainError beyond what a float can be."""
    if abs(value) > _LARGEST:
        raise DomainError(f"{name} must be at most {_LARGEST:.15g}; got a larger whole number")
    return value


def _is_masked(value: object) -> bool:
    """Whether the value is a masked array of numbers; their module is not imported to find out."""
    ma = sys.modules.get("numpy.ma")
    return ma is not None and isinstance(value, ma.MaskedArray) and value.dtype.kind in "iuf"


def _unmasked(value: Any) -> Any:
    """A masked array with NaN where it is masked: unknown, whatever number is behind the mask."""
    return value.astype(np.float64).filled(math.nan)


def _complaint(
    name: str,
    value: Any,
    relation: str,
    limit: Any,
    unit: str,
    bad: Any,
) -> str:
    # 0 times the mask lends its shape and its labels
    values, limits = np.asarray(0.0 * bad + value), np.asarray(0.0 * bad + limit)
    index = tuple(int(i) for i in np.argwhere(np.asarray(bad))[0]) if bad.ndim else ()
    got = values[index]
    limit_here = f"{float(limits[index]):.15g}"
    rule = f"{relation} {limit_here} {unit}".rstrip() if abs(got) < _INFINITY else "finite"
    place = f" at index {index}" if index else ""
    if is_labelled(bad):
        place = f" at {label_of(bad, index)}"
    return f"{name} must be {rule}; got {float(got):.15g}{place}"
