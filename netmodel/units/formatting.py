"""Quantities printed so that they read back."""

import math
import sys
from decimal import Decimal
from functools import lru_cache
from types import NoneType
from typing import Any, SupportsFloat

from netmodel.errors import UnitError
from netmodel.units._kinds import FREQUENCY, RATE, SIZE, TIME, Kind
from netmodel.units.prefixes import KIBI

_WINDOW_DIGITS = 5
"""Of a window that is no binary size: one more than any published figure has."""
_MOST_DIGITS = 1000
"""More than the 767 that the exact value of a float can have."""


def format_rate(rate_bps: float, significant_digits: int | None = None) -> str:
    """
    Print a bit rate with a decimal prefix.

    Parameters
    ----------
    rate_bps : float
        [bit/s]
    significant_digits : int, optional
        Digits to round to; left out, as many as read back to the same number.

    Returns
    -------
    text : str
        Number and unit.

    Raises
    ------
    UnitError
        If the number is not finite, or no digit is wanted.

    Examples
    --------
    >>> format_rate(25e9), format_rate(23537061118.3355, 5)
    ('25 Gbit/s', '23.537 Gbit/s')
    """
    _require_printable("rate_bps", rate_bps, significant_digits)
    return _format(RATE, float(rate_bps), significant_digits)


def format_size(size_bytes: float, significant_digits: int | None = None) -> str:
    """
    Print a size with a decimal prefix.

    Parameters
    ----------
    size_bytes : float
        [byte]
    significant_digits : int, optional
        Digits to round to; left out, as many as read back to the same number.

    Returns
    -------
    text : str
        Number and unit.

    Raises
    ------
    UnitError
        If the number is not finite, or no digit is wanted.

    Examples
    --------
    >>> format_size(188350464), format_size(188350464, 3)
    ('188.350464 MB', '188 MB')
    """
    _require_printable("size_bytes", size_bytes, significant_digits)
    return _format(SIZE, float(size_bytes), significant_digits)


def format_time(time_s: float, significant_digits: int | None = None) -> str:
    """
    Print a time in the unit that suits it, from ns to s.

    Parameters
    ----------
    time_s : float
        [s]
    significant_digits : int, optional
        Digits to round to; left out, as many as read back to the same number.

    Returns
    -------
    text : str
        Number and unit.

    Raises
    ------
    UnitError
        If the number is not finite, or no digit is wanted.

    Examples
    --------
    >>> format_time(1.2304e-6), format_time(492.16e-9)
    ('1.2304 µs', '492.16 ns')
    """
    _require_printable("time_s", time_s, significant_digits)
    return _format(TIME, float(time_s), significant_digits)


def format_frequency(frequency_hz: float, significant_digits: int | None = None) -> str:
    """
    Print a frequency with a decimal prefix.

    Parameters
    ----------
    frequency_hz : float
        [Hz]
    significant_digits : int, optional
        Digits to round to; left out, as many as read back to the same number.

    Returns
    -------
    text : str
        Number and unit.

    Raises
    ------
    UnitError
        If the number is not finite, or no digit is wanted.

    Examples
    --------
    >>> format_frequency(5.2e9)
    '5.2 GHz'
    """
    _require_printable("frequency_hz", frequency_hz, significant_digits)
    return _format(FREQUENCY, float(frequency_hz), significant_digits)


def _require_printable(name: str, value: Any, significant_digits: object) -> None:
    if type(value) not in {float, int}:  # the check of a protocol takes ten times as long
        from netmodel.quantities import carries_unit, unit_problem
        from netmodel.units.columns import unit_of

        if carries_unit(value):
            raise UnitError(unit_problem(name, unit_of(name), value))
        is_number = isinstance(value, SupportsFloat) and not isinstance(value, bool)
        if not is_number or getattr(value, "ndim", None):
            raise UnitError(f"{name} must be one number; got {value!r}")
    if type(value) is int and abs(value) > sys.float_info.max:
        raise UnitError(f"{name} must be at most {sys.float_info.max:.15g}; got a larger number")
    if type(significant_digits) not in {int, NoneType}:
        raise UnitError(f"significant_digits must be a whole number; got {significant_digits!r}")


@lru_cache  # a report prints the same few numbers again and again
def _format(kind: Kind, value: float, significant_digits: int | None) -> str:
    if not math.isfinite(value):
        raise UnitError(f"a {kind.name} to be printed must be finite; got {value}")
    exact = Decimal(repr(value))
    if significant_digits is not None:
        if not 1 <= significant_digits <= _MOST_DIGITS:
            wanted = f"at least 1 and at most {_MOST_DIGITS}"
            raise UnitError(f"significant_digits must be {wanted}; got {significant_digits}")
        exact = Decimal(f"{exact:.{significant_digits - 1}e}")
    fitting = [unit for unit in kind.printed if abs(exact) >= kind.units[unit]]
    unit = (fitting or kind.printed)[-1 if fitting else 0]
    number = f"{exact / kind.units[unit]:f}"
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"


def window_text(window_bytes: float) -> str:
    """
    Return a size with a binary prefix where it is a whole number of these, as of windows.

    Examples
    --------
    >>> window_text(2**22), window_text(3 * 2**29), window_text(65535), window_text(1234567)
    ('4 MiB', '1,536 MiB', '65.535 kB', '1.2346 MB')
    """
    for power, prefix in ((3, "Gi"), (2, "Mi"), (1, "Ki")):
        if window_bytes and window_bytes % KIBI**power == 0:
            return f"{window_bytes / KIBI**power:,.12g} {prefix}B"
    return format_size(window_bytes, _WINDOW_DIGITS)
