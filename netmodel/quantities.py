"""Units of numbers by their names, and quantities that carry a unit: pint, astropy, durations."""

import math
from collections import deque
from typing import Any

from netmodel.errors import UnitError
from netmodel.lazy_numpy import np
from netmodel.printable import SHOWN_LENGTH

UNITS = {
    "us_per_gbit": "µs/Gbit",
    "bps": "bit/s",
    "fps": "1/s",
    "tps": "1/s",
    "hz": "Hz",
    "bytes": "byte",
    "bits": "bit",
    "ratio": "1",
    "count": "1",
    "connections": "1",
    "km": "km",
    "m": "m",
    "s": "s",
}
"""Unit of a number, by the last words of its name."""
_OTHER_NAMES = {"1": "", "µs/Gbit": "us/Gbit"}
"""Units as other libraries read them, where that differs."""
NO_QUANTITIES = frozenset({float, int, bool, str, bytes, type(None)})
"""Types whose values have no unit, for a first look that costs little."""
_OTHERS_WITH_UNITS = frozenset({"netmodel", "sympy"})
_LISTS = (list, tuple, deque)
_DIGITS = 15
"""Digits that every float of 64 bits keeps (IEEE 754): a number as written has no more."""


def unit_of(name: str) -> str | None:
    """Unit of a number by its name, as of ``demands_s[0]``; None where that has none."""
    words = name.partition("[")[0].split("_")
    ends = ("_".join(words[place:]) for place in range(len(words)))
    return next((UNITS[end] for end in ends if end in UNITS), None)


def unit_problem(name: str, unit: str | None, value: object) -> str:
    """A message that an argument needs a number in a unit, and what it got."""
    wanted = "a number without a unit" if unit in (None, "1") else f"a number in {unit}"
    got = " ".join(repr(value).split())
    shown = got if len(got) <= SHOWN_LENGTH else f"{got[:SHOWN_LENGTH]}…"
    return f"{name} must be {wanted}; got {shown}"


def carries_unit(value: object) -> bool:
    """
    Whether a value is a quantity of another library, a duration, or a list with one.

    It is recognised by what it can do: no library is imported to find out.
    """
    if type(value) in NO_QUANTITIES:
        return False
    if isinstance(value, _LISTS):
        kinds = set(map(type, value)) - NO_QUANTITIES
        if any(hasattr(kind, "__len__") for kind in kinds):  # rows
            return any(map(carries_unit, value))
        return any(
            carries_unit(next(each for each in value if type(each) is kind)) for kind in kinds
        )
    if _is_duration(value):
        return True
    library = type(value).__module__.partition(".")[0]
    if library in {"pandas", "xarray"}:  # their attributes may be labels of users
        return hasattr(getattr(value, "dtype", None), "units") or (
            library == "xarray" and _holds_unit(value)
        )
    return library not in _OTHERS_WITH_UNITS and (hasattr(value, "units") or hasattr(value, "unit"))


def _is_duration(value: Any) -> bool:
    """Whether a value is a timedelta of datetime or pandas, or a timedelta64 or an array of it."""
    if hasattr(value, "total_seconds"):
        return True
    return getattr(getattr(value, "dtype", None), "kind", "") == "m"


def _holds_unit(value: Any) -> bool:
    """Whether an array of xarray holds one of another library, which has a unit."""
    return type(value).__name__ == "DataArray" and carries_unit(value.data)


def number_in_unit(name: str, value: Any, unit: str | None = None) -> Any:
    """
    A quantity as number, list or array of numbers, in a unit; that of the name where left out.

    Raises
    ------
    UnitError
        If it cannot be converted; the message says which unit is needed.
    """
    unit = unit or unit_of(name) or "1"
    try:
        return _converted(value, unit)
    except Exception as error:  # each library has its own for a wrong dimension
        raise UnitError(unit_problem(name, unit, value)) from error


def _converted(value: Any, unit: str) -> Any:
    if isinstance(value, _LISTS):
        return [_converted(each, unit) if carries_unit(each) else each for each in value]
    if type(value).__name__ == "DataArray" and _holds_unit(value):
        return value.copy(data=_converted(value.data, unit))
    if _is_duration(value):
        numbers = _seconds(value, unit)
    else:
        numbers = _numbers(value, _OTHER_NAMES.get(unit, unit))
    if not getattr(numbers, "ndim", 0):
        number = float(numbers)
        if number != getattr(value, "magnitude", None):
            number = _as_written(number)
        return int(number) if unit == "byte" and number.is_integer() else number
    if type(numbers) is np.ndarray:
        written = [_as_written(float(each)) for each in numbers.ravel().tolist()]
        return np.array(written).reshape(numbers.shape)
    return numbers


def _seconds(value: Any, unit: str) -> Any:
    if unit != "s" or (isinstance(value, np.generic | np.ndarray) and _is_generic(value.dtype)):
        raise ValueError("a duration in another unit, or one without a unit")
    return value / np.timedelta64(1, "s")


def _is_generic(dtype: Any) -> bool:
    """Whether times of numpy have no unit, such as ``np.timedelta64(5)``."""
    return np.datetime_data(dtype)[0] == "generic"


def _numbers(value: Any, unit: str) -> Any:
    if not hasattr(value, "m_as"):
        return value.to_value(unit)
    # to pint a bit is a plain number: 1500 of no unit would be 187.5 byte, a hertz a bit/s
    if _bit_exponent(value) != _bit_exponent(value.to(unit)):
        raise ValueError("a number of bits, or of something else")
    return value.m_as(unit)


def _bit_exponent(quantity: Any) -> float:
    exponents: dict[str, float] = dict(quantity.to_root_units().unit_items())
    return exponents.get("bit", 0)


def _as_written(number: float) -> float:
    """
    The number that a person wrote, where converting it in floats has rounded it.

    Examples
    --------
    >>> 2.01 * 1e6, _as_written(2.01 * 1e6), _as_written(1 / 3)
    (2009999.9999999998, 2010000.0, 0.3333333333333333)
    """
    short = float(f"{number:.{_DIGITS}g}")
    return short if abs(short - number) <= math.ulp(number) else number
