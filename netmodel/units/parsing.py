"""Quantities as people write them, read strictly."""

import re
from decimal import MAX_PREC, Context, Decimal
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from netmodel.errors import UnitError
from netmodel.printable import SHOWN_LENGTH, quoted
from netmodel.units._kinds import FREQUENCY, LENGTH, RATE, SIZE, TIME, Kind
from netmodel.units.prefixes import BITS_PER_BYTE, KILO, WHOLE_PERCENT

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_QUANTITY = re.compile(rf"({_NUMBER})\s*(.*)", re.DOTALL)
_INNER_NUMBER = rf"(?<=[\s~<>≤≥≈=])(?:{_NUMBER}).*"
_GROUP_DIGITS = 3
"""Separators part thousands (SI Brochure, section 5.4.4)."""
_SAME_AGAIN = rf"[0-9]{{{_GROUP_DIGITS}}}(?:\1[0-9]{{{_GROUP_DIGITS}}})*"
_GROUPED = re.compile(
    rf"[+-]?(?:[0-9]{{1,{_GROUP_DIGITS}}}(?=[,'’ \N{{NO-BREAK SPACE}}\N{{NARROW NO-BREAK SPACE}}"
    rf"\N{{THIN SPACE}}][0-9])(.){_SAME_AGAIN}(?:\.[0-9]+)?"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){2,}|[0-9]+(?:_[0-9]+)+(?:\.[0-9]+)?|[0-9]+,[0-9]+)(?![0-9.,_'’])"
)
"""A number whose digits are parted, or one with a decimal comma."""
_WHOLE_VALUE = re.compile(r"[+-]?[0-9]+")
_START_OF_VALUE = re.compile(r"([0-9]+)(.*)")
"""Digits before and behind a comma of a list."""
_SEPARATED = re.compile(r"[,_'’.]\s*[0-9]")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)\b", re.IGNORECASE)
_LEAST_PERCENT = 2
"""A bare share from this on is meant in per cent; 1.2 is rather a share that is too large."""
_MAX_NUMBER = 400
"""Characters of a number: as many as any float needs in full, with room to spare."""
MAX_EXPONENT = 30
"""No quantity of a network is near 10^30 or 10^-30 of its base unit: such a number is a slip."""
_CACHED_TEXTS = 4096
"""Figures of records are read again for each path: all of the bundled ones are fewer."""
_EXACT = Context(prec=MAX_PREC)
"""Holds the product of any number that is read and its unit, digit for digit."""
PERIODS_S = {"s": 1, "min": 60, "h": 3600, "hour": 3600, "d": 86_400, "day": 86_400}
"""Times in which a volume or a number of transactions may be given. [s]"""


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
    stripped = text.strip().replace("\N{MINUS SIGN}", "-")
    if _NOT_FINITE.match(stripped):
        raise UnitError(f"{quoted(text)} is not a finite number")
    if grouped := _GROUPED.match(stripped):
        stripped = _without_groups(text, stripped, grouped)
    match = _QUANTITY.fullmatch(stripped)
    if match is None:
        inner = re.search(_INNER_NUMBER, stripped)
        instead = "it like 25 or 1.5e3, with a point and without separators"
        if inner and len(inner.group()) <= SHOWN_LENGTH:
            instead = repr(inner.group())
        raise UnitError(f"{quoted(text)} does not start with a number; write {instead}")
    number, unit = match.groups()
    if _SEPARATED.match(unit):
        raise UnitError(f"{quoted(text)}: write numbers with a decimal point and no separators")
    if len(number) > _MAX_NUMBER:
        raise UnitError(f"{quoted(text)} has too many digits")
    exponent = number.lower().partition("e")[2]
    if len(exponent.lstrip("+-0")) > len(str(MAX_EXPONENT)) or (
        Decimal(number) and abs(Decimal(number).adjusted()) > MAX_EXPONENT
    ):
        raise UnitError(f"{quoted(text)} is beyond the range of numbers that are read")
    return Decimal(number), unit.replace("\N{GREEK SMALL LETTER MU}", "\N{MICRO SIGN}")


def _without_groups(text: str, stripped: str, grouped: re.Match[str]) -> str:
    """
    Return the text without separators between the digits of its number.

    Underscores, apostrophes and no-break spaces only part them. So does a comma or point that
    occurs twice, or a comma before a point; a single comma may be a decimal point as well.
    """
    number, rest = grouped.group(), stripped[grouped.end() :]
    whole, mark, fraction = number.partition(",")
    if mark and fraction.isdigit():
        unit = f" {rest.strip()}" if rest.strip() else ""
        readings = f"{whole}.{fraction}{unit}"
        if len(fraction) == _GROUP_DIGITS and len(whole.lstrip("+-")) <= _GROUP_DIGITS:
            problem = "the comma may be a decimal point or separate thousands"
            readings += f" or {whole}{fraction}{unit}"
        else:
            problem = "the comma may be a decimal point or separate two values"
            readings += ", or each value by itself"
        raise UnitError(f"{quoted(text)} is ambiguous: {problem}; write {readings}")
    if " " in number:
        joined = number.replace(" ", "")
        raise UnitError(f"{quoted(text)} has two numbers; if it is one, write {joined}{rest}")
    if number.count(".") > 1:
        return number.replace(".", "") + rest
    return re.sub(r"[^0-9.+-]", "", number) + rest


def split_list(text: str, *, is_whole: bool) -> list[str]:
    """
    Return the values between commas; UnitError where a comma may be a decimal point.

    A space behind the comma makes it a list. Without one, digits at both sides may be one number
    where those behind have a unit or an exponent that those before lack, or begin with 0 as no
    value does. Two values alone may be one number too, unless they are whole by nature, or like
    10,40, since decimal fractions rarely end in 0.
    """
    parts = text.strip().split(",")
    for whole, right in pairwise(parts):
        behind = _START_OF_VALUE.match(right)
        if behind is None or not _WHOLE_VALUE.fullmatch(whole):
            continue
        digits, unit = behind.groups()
        is_pair = len(parts) == len((whole, right)) and not (unit or is_whole)
        if (
            (unit and not unit.startswith("."))
            or (digits.startswith("0") and (digits != "0" or is_pair))
            or (is_pair and (not int(whole) or not digits.endswith("0")))
        ):
            raise UnitError(
                f"{quoted(f'{whole},{digits}{unit}')} is ambiguous: the comma may be a decimal "
                f"point or separate two values; write {whole}.{digits}{unit}, or with a space "
                f"'{whole}, {digits}{unit}' for two values"
            )
    return [part.strip() for part in parts]


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


class Volume(NamedTuple):
    """A payload rate of the side that sends more, or transactions per second; means of a time."""

    bps: float | None = None
    tps: float | None = None
    period_s: int = 1


def parse_volume(text: str) -> Volume:
    """
    Read a payload rate or transactions per second, or what is done in a longer time.

    Parameters
    ----------
    text : str
        A rate, or a size or number over s, min, h or hour, d or day.

    Returns
    -------
    volume : Volume
        In a second; the mean, where the time is longer.

    Raises
    ------
    UnitError
        If it is neither, or not above zero.

    Examples
    --------
    >>> parse_volume("100000/s").tps, parse_volume("8 Gbit/s").bps, parse_volume("108 GB/day").bps
    (100000.0, 8000000000.0, 10000000.0)
    """
    number, unit = split_quantity(text)
    size, slash, period = unit.replace(" ", "").rpartition("/")
    period_s = PERIODS_S.get(period, 0) if slash else 0  # "5 min" is a time
    if period_s and size in {"", "1"}:
        volume = Volume(tps=float(number) / period_s, period_s=period_s)
    elif period_s > 1:
        size_bits = BITS_PER_BYTE * parse_size_bytes(text.rpartition("/")[0])
        volume = Volume(bps=size_bits / period_s, period_s=period_s)
    else:
        volume = Volume(bps=parse_rate_bps(text))
    if number <= 0:
        raise UnitError(f"{quoted(text)}: a volume must be above 0")
    return volume


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
        raise UnitError(f"{quoted(text)} is not a whole number of bytes{_thousands_hint(text)}")
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
    """Read a distance in km: a bare number, or a length with its unit."""
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
    count = bare_number("count", text)
    if count != count.to_integral_value():
        raise UnitError(f"{quoted(text)} is not a whole number{_thousands_hint(text)}")
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
    return float(bare_number("ratio", text))


WHOLE = frozenset({parse_size_bytes, parse_count})
"""Parsers of whole numbers, which no comma can part."""


def number_or_percent(text: str) -> float:
    """Read a ratio as a number, or in per cent; it may be negative."""
    number, unit = split_quantity(text)
    if not unit:
        return float(number)
    from netmodel.units._habits import part

    of_whole = part(unit)
    if of_whole is None:
        raise UnitError(f"{quoted(text)}: the only unit here is %")
    return float(_EXACT.multiply(number, of_whole))


def parse_growth(text: str) -> float:
    """Read a ratio that may be negative; a bare number that may be no ratio is refused."""
    ratio, (number, unit) = number_or_percent(text), split_quantity(text)
    if not unit and number >= 1:  # a factor, or per cent
        ways = f'"{_plain(number)} %", "{100 * ratio - 100:g} %" or "{100 * ratio:g} %"'
        raise UnitError(f"{quoted(text)} may be a factor or per cent: write {ways}")
    return ratio


def parse_share(text: str) -> float:
    """Read a share of a whole, such as ``"0.7"`` or ``"70 %"``; not negative."""
    number, unit = split_quantity(text)
    if not unit and _LEAST_PERCENT <= number <= WHOLE_PERCENT:
        raise UnitError(f'{quoted(text)}: a share is at most 1; write "{_plain(number)} %"')
    return _from_zero("share", text)


def parse_ratio_or_percent(text: str) -> float:
    """Read a ratio that may be above 1, such as ``"1.01"`` or ``"101 %"``; not negative."""
    return _from_zero("ratio", text)


def _from_zero(name: str, text: str) -> float:
    ratio = number_or_percent(text)
    if ratio < 0:
        raise UnitError(f"{quoted(text)}: a {name} must not be negative")
    return ratio


def _base_value(kind: Kind, text: str) -> Decimal:
    try:
        number, unit = split_quantity(text)
    except UnitError:
        if f"{text}".count(",") == 1 and "." not in f"{text}":  # a unit in doubt comes first
            _base_value(kind, text.replace(",", ".", 1))
        raise
    factor = kind.units.get(unit)
    if factor is None:
        factor = _habitual(kind, text, number, unit)
    return _EXACT.multiply(_not_negative(kind.name, text, number), factor)


def _habitual(kind: Kind, text: str, number: Decimal, unit: str) -> Decimal:
    """Return the factor of a unit that is none of a kind as it stands."""
    from netmodel.units._habits import hint, meanings

    meant = meanings(kind, unit)
    if isinstance(meant, tuple):
        reason, ways = meant
        instead = [
            _plain(number * by)
            + f" {each}"
            + (f" ({_plain(number * by * kind.units[each])})" if kind is SIZE else "")
            for by, each in ways
        ]
        listed = " or ".join(filter(None, (", ".join(instead[:-1]), instead[-1])))
        raise UnitError(f"{quoted(text)} is ambiguous: {reason}; write {listed}")
    if meant is None or meant not in kind.units:
        problem = f"unknown {kind.name} unit {quoted(unit)}" if unit else "the unit is missing"
        raise UnitError(
            f"{quoted(text)}: {problem}; write a {kind.name} like {kind.example}{hint(kind, unit)}"
        )
    return kind.units[meant]


def bare_number(name: str, text: str) -> Decimal:
    """Read a number without a unit, which is not negative; errors name what it is."""
    number, unit = split_quantity(text)
    if unit:
        from netmodel.units._habits import hint, meanings, part

        instead = hint(None, unit) or f"; write {_plain(number)}"
        if (of_whole := part(unit)) is not None:
            instead = f"; write {_plain(number * of_whole)}" if name == "ratio" else ""
        elif len(unit) == 1 and isinstance(two := meanings(SIZE, unit), tuple):
            both = " or ".join(_plain(number * SIZE.units[each]) for _, each in two[1])
            instead = f"; {two[0]}: write {both}"
        raise UnitError(f"{quoted(text)}: a {name} is a number without a unit{instead}")
    return _not_negative(name, text, number)


def _thousands_hint(text: str) -> str:
    """Return a hint where a point may separate thousands; empty where it cannot."""
    number, unit = split_quantity(text)
    is_short = not unit and number.adjusted() < _GROUP_DIGITS
    has_group = is_short and number.as_tuple().exponent == -_GROUP_DIGITS
    return f"; for {number.scaleb(_GROUP_DIGITS)} leave out the point" if has_group else ""


def _plain(number: Decimal) -> str:
    """Return a number without an exponent or trailing zeros."""
    return f"{number.normalize():f}"


def _not_negative(name: str, text: str, number: Decimal) -> Decimal:
    if number < 0:
        raise UnitError(f"{quoted(text)}: a {name} must not be negative")
    return number
