"""Quantities as people write them, read strictly."""

import re
from decimal import Context, Decimal
from functools import lru_cache

from netmodel.errors import UnitError
from netmodel.units._kinds import FREQUENCY, LENGTH, RATE, SIZE, TIME, Kind
from netmodel.units._prefixes import KILO

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_QUANTITY = re.compile(rf"({_NUMBER})\s*(.*)", re.DOTALL)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)\b", re.IGNORECASE)
SHOWN_LENGTH = 80
"""Characters of a text that a message repeats: one line of a terminal."""
_MAX_NUMBER = 400
"""Characters of a number: as many as any float needs in full, with room to spare."""
MAX_EXPONENT = 30
"""No quantity of a network is near 10^30 or 10^-30 of its base unit: such a number is a slip."""
_CACHED_TEXTS = 4096
"""Figures of records are read again for each path: all of the bundled ones are fewer."""
_EXACT = Context(prec=2 * _MAX_NUMBER)
"""Holds the product of any number that is read and its unit, digit for digit."""


def split_quantity(text: str) -> tuple[Decimal, str]:
    """
    Split a text into its number and the unit behind it.

    Parameters
    ----------
    text : str
        Such as ``"6.95 ms/MiB"``.

    Returns
    -------
    number : decimal.Decimal
        Exactly as written.
    unit : str
        What follows, a Greek mu read as the micro sign; empty where nothing follows.

    Raises
    ------
    UnitError
        If the text does not start with a finite decimal number.

    Examples
    --------
    >>> split_quantity("6.95 ms/MiB")
    (Decimal('6.95'), 'ms/MiB')
    """
    if not isinstance(text, str):
        raise UnitError(f"text must be a number with its unit, as one text; got {text!r}")
    return _split(text)


@lru_cache(maxsize=_CACHED_TEXTS)
def _split(text: str) -> tuple[Decimal, str]:
    stripped = text.strip()
    if _NOT_FINITE.match(stripped):
        raise UnitError(f"{quoted(text)} is not a finite number")
    match = _QUANTITY.fullmatch(stripped)
    if match is None:
        raise UnitError(
            f"{quoted(text)} does not start with a number; write it like 25 or 1.5e3, "
            "with a point and without separators"
        )
    number, unit = match.groups()
    if unit[:1] in {",", "_", "'"} and unit[1:2].isdigit():
        raise UnitError(
            f"{quoted(text)}: write numbers with a decimal point and without separators"
        )
    if len(number) > _MAX_NUMBER:
        raise UnitError(f"{quoted(text)} has too many digits")
    exponent = number.lower().partition("e")[2]
    if len(exponent) > len(str(MAX_EXPONENT)) + 1 or (
        Decimal(number) and abs(Decimal(number).adjusted()) > MAX_EXPONENT
    ):
        raise UnitError(f"{quoted(text)} is beyond the range of numbers that are read")
    return Decimal(number), unit.replace("\N{GREEK SMALL LETTER MU}", "\N{MICRO SIGN}")


def parse_rate_bps(text: str) -> float:
    """
    Read a bit rate; prefixes are decimal unless written Ki, Mi, Gi.

    Parameters
    ----------
    text : str
        Number and unit. A prefix alone is enough, since a rate is meant.

    Returns
    -------
    rate_bps : float
        [bit/s]

    Raises
    ------
    UnitError
        If the unit is missing, unknown or ambiguous, or the number is negative
        or not finite.

    Examples
    --------
    >>> parse_rate_bps("25 Gbit/s"), parse_rate_bps("25G"), parse_rate_bps("112 MiB/s")
    (25000000000.0, 25000000000.0, 939524096.0)
    """
    return float(_base_value(RATE, text))


def parse_size_bytes(text: str) -> int:
    """
    Read a size in whole bytes; prefixes are decimal unless written Ki, Mi, Gi.

    Parameters
    ----------
    text : str
        Number of bytes, or a number and its unit: byte or bit. A bare prefix
        is refused, since ``30k`` is 30000 to some tools and 30720 to others.

    Returns
    -------
    size_bytes : int
        [byte]

    Raises
    ------
    UnitError
        If the unit is unknown or ambiguous, the number is negative or not
        finite, or the size is not a whole number of bytes.

    Examples
    --------
    >>> parse_size_bytes("1500"), parse_size_bytes("30 KiB"), parse_size_bytes("30 kB")
    (1500, 30720, 30000)
    """
    size_bytes = _base_value(SIZE, text)
    if size_bytes != size_bytes.to_integral_value():
        raise UnitError(f"{quoted(text)} is not a whole number of bytes")
    return int(size_bytes)


def parse_time_s(text: str) -> float:
    """
    Read a time.

    Parameters
    ----------
    text : str
        Number and unit: ns, µs or us, ms, s, min, h.

    Returns
    -------
    time_s : float
        [s]

    Raises
    ------
    UnitError
        If the unit is missing, unknown or ambiguous, or the number is negative
        or not finite.

    Examples
    --------
    >>> parse_time_s("1.2 µs"), parse_time_s("1.2us"), parse_time_s("5 min")
    (1.2e-06, 1.2e-06, 300.0)
    """
    return float(_base_value(TIME, text))


def parse_frequency_hz(text: str) -> float:
    """
    Read a frequency.

    Parameters
    ----------
    text : str
        Number and unit: Hz with a decimal prefix.

    Returns
    -------
    frequency_hz : float
        [Hz]

    Raises
    ------
    UnitError
        If the unit is missing or unknown, or the number is negative or not
        finite.

    Examples
    --------
    >>> parse_frequency_hz("5.2 GHz")
    5200000000.0
    """
    return float(_base_value(FREQUENCY, text))


def parse_length_m(text: str) -> float:
    """
    Read a length.

    Parameters
    ----------
    text : str
        Number and unit: mm, cm, m, km.

    Returns
    -------
    length_m : float
        [m]

    Raises
    ------
    UnitError
        If the unit is missing or unknown, or the number is negative or not
        finite.

    Examples
    --------
    >>> parse_length_m("100 km")
    100000.0
    """
    return float(_base_value(LENGTH, text))


def parse_km(text: str) -> float:
    """A distance in km: a bare number, or a length with its unit."""
    _, unit = split_quantity(text)
    return parse_length_m(text if unit else f"{text} km") / KILO


def parse_count(text: str) -> int:
    """
    Read a count: a whole number without a unit.

    Parameters
    ----------
    text : str
        Such as ``"250"``.

    Returns
    -------
    count : int
        Not negative.

    Raises
    ------
    UnitError
        If there is a unit, or the number is negative, not finite or not whole.

    Examples
    --------
    >>> parse_count("250")
    250
    """
    count = _bare_number("count", text)
    if count != count.to_integral_value():
        raise UnitError(f"{quoted(text)} is not a whole number")
    return int(count)


def parse_ratio(text: str) -> float:
    """
    Read a ratio: a number without a unit, and never a percentage.

    Parameters
    ----------
    text : str
        Such as ``"0.95"``.

    Returns
    -------
    ratio : float
        Not negative.

    Raises
    ------
    UnitError
        If there is a unit or a per cent sign, or the number is negative or not
        finite.

    Examples
    --------
    >>> parse_ratio("0.95")
    0.95
    """
    return float(_bare_number("ratio", text))


def _base_value(kind: Kind, text: str) -> Decimal:
    number, unit = split_quantity(text)
    if unit in kind.refused:
        raise UnitError(f"{quoted(text)} is ambiguous: {kind.refused[unit]}")
    if unit not in kind.units:
        problem = f"unknown {kind.name} unit {quoted(unit)}" if unit else "the unit is missing"
        raise UnitError(f"{quoted(text)}: {problem}; write a {kind.name} like {kind.example}")
    return _EXACT.multiply(_not_negative(kind.name, text, number), kind.units[unit])


def _bare_number(name: str, text: str) -> Decimal:
    number, unit = split_quantity(text)
    if unit:
        instead = f"; write {number / 100}" if unit == "%" else ""
        raise UnitError(f"{quoted(text)}: a {name} is a number without a unit{instead}")
    return _not_negative(name, text, number)


def _not_negative(name: str, text: str, number: Decimal) -> Decimal:
    if number < 0:
        raise UnitError(f"{quoted(text)}: a {name} must not be negative")
    return number


def quoted(text: str) -> str:
    return repr(text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "…")
