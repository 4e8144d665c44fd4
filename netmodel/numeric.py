"""Operations that plain operators cannot serve for numbers, arrays and symbols alike."""

import math
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from enum import Enum
from functools import wraps
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.quantities import carries_unit, unit_problem
from netmodel.units.columns import unit_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import TypeVar as TypeVarWithDefault

    Number: TypeAlias = float | np.floating | np.integer
    Floats: TypeAlias = npt.NDArray[np.float64]
    Numbers: TypeAlias = npt.NDArray[np.number]
    Mask: TypeAlias = bool | npt.NDArray[np.bool_]
    FloatOrArray: TypeAlias = float | Numbers
    ArrayLike: TypeAlias = Numbers | Sequence[Number] | Sequence[Sequence[Number]]
    QuantityLike: TypeAlias = Number | ArrayLike
    Given: TypeAlias = Number | Sequence[Any]

    Q = TypeVarWithDefault("Q", float, Floats, Numbers, default=float)
else:
    Number = Floats = Numbers = Mask = FloatOrArray = ArrayLike = QuantityLike = Given = Q = Any

Q_co = TypeVar("Q_co", bound="float | Numbers", covariant=True)
Formula = TypeVar("Formula", bound=Callable[..., Any])

# Q             what a formula returns: a float, or an array where an argument is an array. Its
#               arguments are ``Q | Number``: a number fits beside an array
# Q_co          one of the two, in results that hold several quantities
# FloatOrArray  either, where a type checker cannot know which
# QuantityLike  what others take: a number, an array, or a list that becomes one
# Given         what is checked: beside Q a number, or a list of whatever
#
# Type checkers know these alone. At run time ints, Fractions, SymPy symbols, lists and columns of
# pandas pass through the same code.

_INFINITY = math.inf
_LARGEST = sys.float_info.max
ROUNDING_RATIO = 1e-9
"""Relative difference of results that rounding in floating point explains: a float has 16 digits,
long computations lose some, and no published figure has 9."""
FULL_RATIO = 1 - ROUNDING_RATIO
"""A share from here up is all of it, within rounding."""
EXACT_INTEGER = 2**53
"""Up to it a float of 64 bits (IEEE 754) holds every whole number."""
_ROUNDING_MARGIN = 1e-12
"""Far above what a few dozen float operations round (2e-16 each), far below any real excess."""
_EVEN = 0.5
"""Below it the logarithm of 1 - chance keeps more digits than 1 - chance."""
_PLAIN = frozenset({float, int})
_NO_ARRAYS = frozenset({float, int, bool})
_RELATIONS = {"above": gt, "at least": ge, "at most": le, "below": lt}


def is_symbol(value: object) -> bool:
    """Return whether a value is a SymPy expression; SymPy is never imported to find out."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def _is_fraction(value: object) -> bool:
    fractions = sys.modules.get("fractions")
    return fractions is not None and type(value) is fractions.Fraction


def is_array(value: object) -> bool:
    """Return whether a value is an array; numbers need no numpy to find out."""
    return type(value) not in _NO_ARRAYS and isinstance(value, np.ndarray)


def extremes(value: Any) -> tuple[float, float]:
    """Return the smallest and largest element of an array; a number, or no element, twice."""
    has_ends = is_array(value) and value.size
    return (float(value.min()), float(value.max())) if has_ends else (value, value)


def holds_somewhere(condition: "bool | Mask") -> bool:
    """Return whether any element of a mask is true."""
    return condition if type(condition) is bool else bool(np.any(condition))


def _elementwise(of_arrays: str, of_symbols: str, *values: Any) -> Any:
    """Return the result of a function of numpy or SymPy; NotImplemented for numbers alone."""
    if any(map(is_array, values)):
        return getattr(np, of_arrays)(*values)
    if any(map(is_symbol, values)):
        return getattr(sys.modules["sympy"], of_symbols)(*values)
    return NotImplemented


def maximum(first: Q | float, second: Q | float) -> Q:
    """Return the larger of two quantities, element by element; NaN where either is NaN."""
    if type(first) not in _PLAIN or type(second) not in _PLAIN:
        made = _elementwise("maximum", "Max", first, second)
        if made is not NotImplemented:
            return made
    return first if first >= second or first != first else second


def minimum(first: Q | float, second: Q | float) -> Q:
    """Return the smaller of two quantities, element by element; NaN where either is NaN."""
    if type(first) not in _PLAIN or type(second) not in _PLAIN:
        made = _elementwise("minimum", "Min", first, second)
        if made is not NotImplemented:
            return made
    return first if first <= second or first != first else second


def ceil(value: Q | float) -> Q:
    """Return the smallest whole number that is not below the value; NaN stays NaN."""
    if type(value) not in _PLAIN and (is_array(value) or is_symbol(value)):
        return _elementwise("ceil", "ceiling", value)
    return math.ceil(value) if -_INFINITY < value < _INFINITY else value


def ceil_but_for_rounding(value: Q | float) -> Q:
    """Return the same for a part in 10^12 less: what rounding of floats may have added."""
    return ceil(value if is_symbol(value) else value * (1 - _ROUNDING_MARGIN))


def floor(value: Q | float) -> Q:
    """Return the largest whole number that is not above the value; NaN stays NaN."""
    if type(value) not in _PLAIN and (is_array(value) or is_symbol(value)):
        return _elementwise("floor", "floor", value)
    return math.floor(value) if -_INFINITY < value < _INFINITY else value


def sqrt(value: Q | float) -> Q:
    """Return the square root; NaN stays NaN."""
    if type(value) not in _PLAIN and (is_array(value) or is_symbol(value)):
        return _elementwise("sqrt", "sqrt", value)
    return math.sqrt(value)


# Logarithms and powers of numbers go through numpy as those of arrays do: ``math`` may end in
# another digit, and one number must not differ from the same in an array.


def log(value: Q | float) -> Q:
    """Return the natural logarithm; NaN stays NaN."""
    if is_array(value) or is_symbol(value):
        return _elementwise("log", "log", value)
    return float(np.log(float(value)))


def log1p(value: Q | float) -> Q:
    """Return the natural logarithm of 1 + value, to all digits where the value is tiny."""
    if is_symbol(value):
        return log(1 + value)
    return np.log1p(value) if is_array(value) else float(np.log1p(float(value)))


def power(base: Q | float, exponent: Q | float) -> Q:
    """Return a power of a base that is not negative; NaN where either is, unless the base is 1."""
    if is_symbol(base) or is_symbol(exponent):
        return base**exponent
    if is_array(base) or is_array(exponent):
        return np.power(base, exponent)
    return float(np.power(float(base), float(exponent)))


def any_of_many(chance: Q | float, count: Q | float) -> Q:
    """Return 1 - (1 - chance)^count of a chance from 0 to 1, to all digits where it is tiny."""
    if is_symbol(chance) or is_symbol(count) or _is_fraction(chance):
        return 1 - (1 - chance) ** count
    few = -np.expm1(count * np.log1p(-minimum(chance, _EVEN)))
    result = where(chance <= _EVEN, few, 1 - power(1 - chance, count))
    return result if is_array(result) else float(result)


def where(condition: Mask, if_true: Q | float, if_false: Q | float) -> Q:
    """Return the first choice where the condition holds, else the second."""
    if type(condition) is not bool:
        if is_array(condition):
            return np.where(condition, if_true, if_false)
        if is_symbol(condition):
            return sys.modules["sympy"].Piecewise((if_true, condition), (if_false, True))
    return if_true if condition else if_false


# A numpy.float64 is a float, but arithmetic with it takes several times as long: the functions
# below turn it into a plain one, so that later steps are fast too.


def require_above(name: str, value: Q | Given, limit: Q | float, unit: str) -> Q:
    """Return a float, array or symbol; DomainError where it is not above the limit."""
    return _require(name, value, "above", limit, unit)


def require_at_least(name: str, value: Q | Given, limit: Q | float, unit: str) -> Q:
    """Return a float, array or symbol; DomainError where it is below the limit."""
    return _require(name, value, "at least", limit, unit)


def require_at_most(name: str, value: Q | Given, limit: Q | float, unit: str) -> Q:
    """Return a float, array or symbol; DomainError where it is above the limit."""
    return _require(name, value, "at most", limit, unit)


def require_within(name: str, value: Q | Given, low: float, high: float, unit: str) -> Q:
    """Return the value; DomainError where it is below one or above the other number."""
    return require_at_most(name, require_at_least(name, value, low, unit), high, unit)


def require_share(name: str, value: Q | Given) -> Q:
    """Return the value; DomainError where it is not above 0 and at most 1."""
    return require_at_most(name, require_above(name, value, 0, ""), 1, "")


_SIGNS = {">": "above", ">=": "at least", "<=": "at most", "<": "below"}
_LOWEST = ("above", "at least")
_RANGES = {
    "> 0": "actual_transfer_time_s baseline_latency_s baseline_round_trip_s buffer_bytes "
    "consumption_ratio copy_rate_bps cpu_frequency_hz cpu_time_ratio data_bits data_bytes "
    "data_ratio drain_rate_bps frame_bytes frame_time_s ideal_transfer_time_s "
    "in_payload_rate_bps line_rate_bps link_capacity_bps max_payload_bytes "
    "max_read_request_bytes message_bytes mtu_bytes out_payload_rate_bps page_bytes "
    "path_rate_bps payload_rate_bps poll_time_s protocol_time_s rdma_mtu_bytes "
    "request_wire_bytes response_wire_bytes round_trip_s segment_bytes sent_bytes timeout_s "
    "tlp_rate_bps transaction_bytes transaction_time_ratio transfer_bytes window_bytes "
    "wire_bytes",
    ">= 1": "connection_count cpu_count flow_count frames_per_interrupt frames_per_ipi group_index "
    "initial_window_segment_count max_frames_per_interrupt mean_batch_count messages_per_wakeup "
    "parallel_count queue_count route_factor segments_per_ack segments_per_packet "
    "window_segment_count",
    "> 0 <= 1": "busiest_share_ratio decrease_ratio efficiency_ratio loss_event_ratio "
    "max_utilisation_ratio window_share_ratio",
    ">= 0 <= 1": "contention_ratio overlap_ratio utilisation_ratio",
    ">= 0 < 1": "bit_error_ratio loss_ratio",
    ">= 1 <= 2": "smt_gain_ratio",
}
"""Range of an argument of formulas by its name, where that is not at least 0."""
_RANGE_OF = {name: signs for signs, names in _RANGES.items() for name in names.split()}


def domain(*rules: str) -> Callable[[Formula], Formula]:
    """
    Check the quantities of a formula, and pass them on as floats, arrays or symbols.

    Each must lie in the range of its name in the table above, at least 0 where it has none there.
    A rule is an argument, a sign and a limit. One with a number, such as ``"round_trip_s >= 0"``,
    takes the place of the range; one with another argument, ``"payload_bytes <= wire_bytes"``, is
    checked besides.
    """

    def decorate(formula: Formula) -> Formula:
        names = formula.__code__.co_varnames[: formula.__code__.co_argcount]
        ends, checks = [], []
        own = [(name, _SIGNS[sign], limit) for name, sign, limit in map(str.split, rules)]
        for name in names:
            parts = [(rule, int(end)) for each, rule, end in own if each == name and end.isdigit()]
            if formula.__annotations__[name] is Any and not parts:
                signs = _RANGE_OF.get(name, ">= 0").split()
                usual = zip(signs[::2], signs[1::2], strict=True)
                parts = [(_SIGNS[sign], int(end)) for sign, end in usual]
            checks += [(name, *part) for part in parts]
            low = max((end for rule, end in parts if rule in _LOWEST), default=-_LARGEST)
            high = min((end for rule, end in parts if rule not in _LOWEST), default=_LARGEST)
            ends.append((low, high))
        between = [each for each in own if not each[2].isdigit()]
        usual_values = formula.__defaults__ or ()
        defaults = dict(zip(names[len(names) - len(usual_values) :], usual_values, strict=True))

        @wraps(formula)
        def checked(*args: Any, **named: Any) -> Any:
            for value, (low, high) in zip(args, ends, strict=False):
                if type(value) not in _PLAIN or not low < value < high:
                    break
            else:  # between the ends nothing needs a closer look
                if not named and not between:
                    return formula(*args)
            if len(args) > len(names) or not named.keys().isdisjoint(names[: len(args)]):
                return formula(*args, **named)  # a TypeError, in the words of Python
            given: dict[Any, Any] = {**defaults, **dict(zip(names, args, strict=False)), **named}
            for name, relation, end in (*checks, *between):
                if name not in given:
                    break  # the same
                unit = (unit_of(name) or "1").removesuffix("1")
                given[name] = _require(name, given[name], relation, given.get(end, end), unit)
            return formula(**given)

        return checked

    return decorate


def require_one(name: str, value: QuantityLike) -> float:
    """Return one number; DomainError for NaN, arrays and symbols, which formulas let pass."""
    if type(value) in _PLAIN and -_LARGEST <= value <= _LARGEST:
        return value
    with suppress(DomainError):
        one = _as_quantity(name, value)
        if not is_array(one) and not is_symbol(one) and one == one:
            return one
    require_plain(**{name: value})
    raise DomainError(f"{name} must be one number; got {value!r}")


def require_whole(name: str, value: Number) -> int:
    """Return one whole number; raise DomainError for any other."""
    one = require_one(name, value)
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


def require_member(name: str, value: object, members: Collection[object]) -> None:
    """Raise DomainError, which lists the members, unless a value is one of them."""
    if not isinstance(value, str | Enum) or value not in members:
        raise DomainError(f"{name} must be one of {', '.join(map(str, members))}; got {value!r}")


def require_flags(**flags: object) -> None:
    """Raise DomainError unless each argument is True or False."""
    for name, value in flags.items():
        require_kind(name, value, bool, "True or False")


def _require(name: str, value: Any, relation: str, limit: Any, unit: str) -> Any:
    holds = _RELATIONS[relation]
    is_plain = type(value) in _PLAIN and type(limit) in _PLAIN
    if is_plain and holds(value, limit) and -_LARGEST <= value <= _LARGEST:
        return value
    value, limit = _as_quantity(name, value), _as_quantity(name, limit)
    if is_symbol(value) or is_symbol(limit):
        return value
    ends = (value,) if not is_array(value) else extremes(value) if value.size else ()
    if type(limit) in _PLAIN and all(holds(x, limit) and -_LARGEST <= x <= _LARGEST for x in ends):
        return value
    known = holds(value, limit) & (abs(value) <= _LARGEST)
    bad = ~np.asarray(known | (value != value) | (limit != limit))
    if not bad.any():
        return value
    bad, values, limits = np.broadcast_arrays(bad, value, limit)
    index = tuple(np.argwhere(bad)[0].tolist())
    got, here = float(values[index]), float(limits[index])
    rule = f"{relation} {here:.15g} {unit}".rstrip() if abs(got) < _INFINITY else "finite"
    raise DomainError(f"{name} must be {rule}; got {got:.15g}" + f" at index {index}" * bool(index))


def _as_quantity(name: str, value: Any) -> Any:
    """Return a plain number, Fraction, symbol or array of float64; DomainError for others."""
    if type(value) is float or is_symbol(value):
        return value
    if type(value) is int or _is_fraction(value):
        if abs(value) > _LARGEST:
            raise DomainError(f"{name} must be at most {_LARGEST:.15g}; got a larger whole number")
        return value
    if type(value).__name__ == "float64":
        return float(value)
    if type(value) is np.ndarray and value.dtype == np.float64 and value.ndim:
        return value
    require_plain(**{name: value})  # numpy would strip a unit
    try:
        # what is masked is not known, whatever number is behind the mask
        unmasked = value.astype(float).filled(math.nan) if hasattr(value, "filled") else value
        array = np.asarray(unmasked)
    except (TypeError, ValueError):
        raise DomainError(f"{name} must be one array, rows of one length; got {value!r}") from None
    if array.dtype.kind not in "iuf":
        raise DomainError(f"{name} must be a number or an array of numbers; got {value!r}")
    if array.ndim == 0:
        return array.item() if array.dtype.kind in "iu" else float(array)
    return array.astype(np.float64, copy=False)
