"""Quantities that carry a unit, of pint, astropy, unyt, and durations: converted or refused."""

import math
from typing import Any

from netmodel.errors import UnitError
from netmodel.lazy_numpy import np
from netmodel.printable import cut

_IN_PINT = {"1": "", "µs/Gbit": "us/Gbit"}
"""Units as pint reads them, where that differs."""
_PLAIN = frozenset({float, int, bool, str, bytes, type(None)})
"""Types whose values have no unit, for a first look that costs little."""
_HELD = {"pandas": "array", "xarray": "data"}
"""What may have the unit of a column or an array with labels; its attributes are of users."""
_DIGITS = 15
"""Digits that every float of 64 bits keeps (IEEE 754): a number as written has no more."""


def unit_problem(name: str, unit: str | None, value: object) -> str:
    """Return a message that an argument needs a number in a unit, and what it got."""
    wanted = "a number without a unit" if unit in (None, "1") else f"a number in {unit}"
    return f"{name} must be {wanted}; got {cut(' '.join(repr(value).split()))}"


def carries_unit(value: Any) -> bool:
    """
    Return True for a quantity of another library, a duration, or a list with one.

    It is recognised by what it can do: no library is imported to find out.
    """
    if type(value) in _PLAIN:
        return False
    if isinstance(value, list | tuple):
        return any(map(carries_unit, value))
    if _is_duration(value):
        return True
    library = type(value).__module__.partition(".")[0]
    if library in _HELD:
        return carries_unit(getattr(value, _HELD[library], None))
    is_other = library not in {"netmodel", "sympy"}
    return is_other and (hasattr(value, "units") or hasattr(value, "unit"))


def _is_duration(value: Any) -> bool:
    """Return True for a timedelta of datetime or pandas, and a timedelta64 or an array of it."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind == "m" or hasattr(value, "total_seconds")


def number_in_unit(name: str, value: Any, unit: str) -> Any:
    """
    Return a quantity as number, list or array of numbers in a unit, "1" for none.

    Raises
    ------
    UnitError
        If it cannot be converted; the message says which unit is needed.
    """
    try:
        return _converted(value, unit)
    except Exception as error:  # each library has its own for a wrong dimension
        raise UnitError(unit_problem(name, unit, value)) from error


def _converted(value: Any, unit: str) -> Any:
    if isinstance(value, list | tuple):
        return [_converted(each, unit) if carries_unit(each) else each for each in value]
    numbers = np.asarray(_seconds(value, unit) if _is_duration(value) else _numbers(value, unit))
    written = np.array([_as_written(each) for each in numbers.ravel().tolist()])
    if numbers.ndim:
        return written.reshape(numbers.shape)
    number: float = written.item()
    return int(number) if unit == "byte" and number.is_integer() else number


def _seconds(value: Any, unit: str) -> Any:
    times = np.asarray(value, "m8")
    if unit != "s" or np.datetime_data(times.dtype)[0] == "generic":
        raise ValueError("a duration in another unit, or one without a unit")
    return times / np.timedelta64(1, "s")


def _numbers(value: Any, unit: str) -> Any:
    if not hasattr(value, "m_as"):
        return value.to_value(unit)
    converted = value.to(_IN_PINT.get(unit, unit))
    # to pint a bit is a plain number: 1500 of no unit would be 187.5 byte, a hertz a bit/s
    roots = [dict(each.to_root_units().unit_items()) for each in (value, converted)]
    if roots[0].get("bit") != roots[1].get("bit"):
        raise ValueError("a number of bits, or of something else")
    return converted.magnitude


def _as_written(number: float) -> float:
    """
    Return the number that a person wrote, where conversion in floats has rounded it.

    Examples
    --------
    >>> 2.01 * 1e6, _as_written(2.01 * 1e6), _as_written(1 / 3)
    (2009999.9999999998, 2010000.0, 0.3333333333333333)
    """
    short = float(f"{number:.{_DIGITS}g}")
    return short if abs(short - number) <= math.ulp(number) else float(number)
