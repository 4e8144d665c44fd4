"""
Units as people and tools write them: those with one meaning, and those with two.

Loaded for units that are not among those of a kind as they stand. Prefixes count in any case where
no other is meant: rates do not come in millibit, nor clocks in millihertz. They do not where both
are in use: M of a time is no m. A small b is a bit and a large B a byte in rates; sizes in either
case are written both ways, so that their b is refused.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from netmodel.units._kinds import FREQUENCY, KINDS, LENGTH, RATE, SIZE, TIME, Kind
from netmodel.units.prefixes import BITS_PER_BYTE


class Doubt(NamedTuple):
    """
    Why a unit is refused that has several meanings.

    Parameters
    ----------
    reason : str
        What it may mean.
    instead : sequence of tuple
        What to write for each meaning: the number by which to multiply, and the unit.
    """

    reason: str
    instead: tuple[tuple[Decimal, str], ...]


_ONE, _BYTE = Decimal(1), Decimal(BITS_PER_BYTE)
_MILLION = Decimal(10) ** 6
"""Factor of the prefix M."""
_METRES_PER_MILE = Decimal("1609.344")  # the international yard and pound agreement of 1959
_PER = r"(?P<per>/s|/sec|/seconds?|persec|perseconds?|ps|)"
_WORDS = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T"} | {
    "kibi": "Ki",
    "mebi": "Mi",
    "gibi": "Gi",
    "tebi": "Ti",
}
_PREFIX = rf"(?P<prefix>{'|'.join(_WORDS)}|[kmgt]i|[kmgt]|)"
_BITS = re.compile(rf"{_PREFIX}(?P<base>bits?|b){_PER}", re.IGNORECASE)
_BYTES = re.compile(rf"{_PREFIX}(?P<base>bytes?|octets?|b){_PER}", re.IGNORECASE)
_ETHERNET = re.compile(
    r"(?P<prefix>[gt])(ig|iga|igs|(b|bit|ig|iga|igabit)?e(thernet)?)", re.IGNORECASE
)
_PREFIX_ALONE = re.compile(r"(?P<prefix>[kmgt]i?)", re.IGNORECASE)
_PER_SECOND = re.compile(r"(?P<prefix>[kmgt])(?P<base>)(?P<per>/s|/sec)", re.IGNORECASE)
_HERTZ = re.compile(r"(?P<prefix>kilo|mega|giga|tera|[kmgt]|)(hz|hertz|)", re.IGNORECASE)
_PERCENT = {"%", "percent", "pct"}
_PARTS = dict.fromkeys(_PERCENT, Decimal("1e-2")) | {"‰": Decimal("1e-3"), "ppm": Decimal("1e-6")}
_TIMES = {
    word: unit
    for unit, words in {
        "s": "sec secs second seconds",
        "ms": "msec msecs millisecond milliseconds",
        "µs": "usec usecs µsec µsecs microsecond microseconds",
        "ns": "nsec nsecs nanosecond nanoseconds",
        "min": "mins minute minutes",
        "h": "hr hrs hour hours",
        "d": "day days",
    }.items()
    for word in words.split()
}
_LENGTHS = {
    f"{prefix}{word}": unit
    for unit, (short, *prefixes) in {
        "m": ("", ""),
        "km": ("k", "kilo"),
        "cm": ("c", "centi"),
        "mm": ("m", "milli"),
    }.items()
    for prefix in prefixes
    for word in ("meter", "meters", "metre", "metres")
} | {"kms": "km"}
_HINTS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE), hint)
    for kind, pattern, hint in (
        (RATE, "[kmg]?pps|packets.*", "packets per second are not a bit rate"),
        (RATE, "[mg]t/s", "transfers are not bits: a PCIe link has a generation and lanes"),
        (RATE, "g?base.*", "write the rate of the standard alone"),
        (RATE, r"[x×*][1-9][0-9.]*[a-z].*", "give the sum of several lines, or the rate of one"),
        (LENGTH, "mi|miles?", f"a mile is {_METRES_PER_MILE / 1000} km"),
        (LENGTH, "f(ee|oo)?t", "a foot is 0.3048 m"),
        (TIME, r":.*", "a colon may part hours, minutes or seconds"),
        (TIME, r"[a-z]+[0-9].*", "one number with one unit, such as 90 s"),
        (None, r"(\^|\*\*).*", "powers of ten are written like 1e9"),
        (None, r"/[0-9].*", "fractions are written with a point, such as 0.5"),
        (None, r"(-|–|\.\.|to)[0-9].*", "one value, not a range"),
        (None, r"x[0-9a-f]+", "numbers are decimal"),
    )
)
"""Hints at units that are often given by mistake, by how they are written."""


def usual_unit(kind: Kind, unit: str) -> str | None:
    """
    Return the unit of a kind that another one can only mean.

    Examples
    --------
    >>> usual_unit(RATE, "gbe"), usual_unit(TIME, "usec"), usual_unit(SIZE, "stone")
    ('Gbit/s', 'µs', None)
    """
    flat = "".join(unit.split())
    if kind is RATE:
        return _rate(flat)
    if kind is SIZE:
        return _size(flat)
    if kind is FREQUENCY and flat and (match := _HERTZ.fullmatch(flat)):
        return f"{_prefix(match)}Hz"
    lower = flat.lower()
    named: Mapping[str, str] = {TIME.name: _TIMES, LENGTH.name: _LENGTHS}.get(kind.name, {})
    return named.get(lower) or (lower if lower in kind.units else None)


def _prefix(match: re.Match[str]) -> str:
    """Return the prefix as the SI and IEC write it."""
    written = match["prefix"].lower()
    short = _WORDS.get(written, written)
    return short if short == "k" else short[:1].upper() + short[1:]


def _rate(flat: str) -> str | None:
    if match := _ETHERNET.fullmatch(flat) or _PREFIX_ALONE.fullmatch(flat):
        return None if _is_binary(match) else f"{_prefix(match)}bit/s"
    match = _BITS.fullmatch(flat)
    if match and match["base"] != "B" and (match["base"] != "b" or match["prefix"] or match["per"]):
        return f"{_prefix(match)}bit/s"
    match = _BYTES.fullmatch(flat)
    return f"{_prefix(match)}B/s" if match and match["base"] != "b" and match["per"] else None


def _size(flat: str) -> str | None:
    if match := _PREFIX_ALONE.fullmatch(flat) or _BYTES.fullmatch(flat):
        per = match.groupdict().get("per")
        return None if per else f"{_prefix(match)}B"
    match = _BITS.fullmatch(flat)
    return f"{_prefix(match)}bit" if match and not match["per"] else None


def doubt(kind: Kind, unit: str) -> Doubt | None:
    """
    Return why a unit has several meanings; None where it has one or none.

    Examples
    --------
    >>> doubt(SIZE, "k").reason
    'k may mean 1000 or 1024'
    """
    flat = "".join(unit.split())
    if kind is RATE:
        return _rate_doubt(flat)
    if kind is SIZE:
        return _size_doubt(flat)
    return _DOUBTS.get((kind.name, flat))


_DOUBTS = {
    (TIME.name, "m"): Doubt("m may mean a minute or a thousandth", ((_ONE, "min"), (_ONE, "ms"))),
    (TIME.name, "M"): Doubt("M may mean a minute or a million", ((_ONE, "min"), (_MILLION, "s"))),
    (LENGTH.name, "M"): Doubt(
        "M may mean metres or miles", ((_ONE, "m"), (_METRES_PER_MILE / 1000, "km"))
    ),
} | {
    (TIME.name, unit): Doubt(
        f"{unit} may mean milliseconds or a million seconds", ((_ONE, "ms"), (_MILLION, "s"))
    )
    for unit in ("Ms", "MS")
}
"""Units in which the case of a letter changes the meaning, or one letter has two."""


def _rate_doubt(flat: str) -> Doubt | None:
    if flat == "K":
        return Doubt("K may mean 1000 or 1024", ((_ONE, "kbit/s"), (_ONE, "Kibit/s")))
    match = _PER_SECOND.fullmatch(flat) or _BYTES.fullmatch(flat)
    if match is None or match["base"] == "b" or _is_binary(match):
        return None
    prefix, base, per = _prefix(match), match["base"], match["per"]
    bits = f"{prefix}bit/s"
    if not base:
        reason = f"{flat} may mean bits, bytes or transactions"
        return Doubt(reason, ((_ONE, bits), (_BYTE, bits)))
    if per == "PS" or (base == "B" and prefix and not per):
        return Doubt(f"{flat} may mean bits or bytes", ((_ONE, bits), (_BYTE, bits)))
    return (
        Doubt(
            f"{match['prefix']}{base} is a power of ten to some tools and of two to others",
            ((_BYTE, bits), (_ONE, f"{prefix.upper()}iB/s")),
        )
        if prefix
        else None
    )


def _size_doubt(flat: str) -> Doubt | None:
    match = _PREFIX_ALONE.fullmatch(flat) or _BYTES.fullmatch(flat)
    if flat == "b":
        return Doubt("b may mean bits, bytes or blocks", ((_ONE, "B"), (_ONE, "bit")))
    if match is None:
        return None
    prefix, named = _prefix(match), match.groupdict()
    if named.get("per") or not prefix:
        return None
    ten, two, bits = f"{prefix}B", f"{prefix.upper()}iB", f"{prefix}bit"
    if named.get("base") == "b":
        meant = (ten, bits) if _is_binary(match) else (ten, two, bits)
        return Doubt(f"{flat} may mean bytes or bits", tuple((_ONE, each) for each in meant))
    if _is_binary(match):
        return None
    power = "kMGT".index(prefix) + 1
    of = " byte" if named.get("base") else ""
    return Doubt(f"{flat} may mean {1000**power} or {1024**power}{of}", ((_ONE, ten), (_ONE, two)))


def _is_binary(match: re.Match[str]) -> bool:
    return _prefix(match).endswith("i")


def part(unit: str) -> Decimal | None:
    """
    Return the share of the whole that one of a unit is; None if it is no unit of shares.

    Examples
    --------
    >>> part("per cent"), part("ppm"), part("km")
    (Decimal('0.01'), Decimal('0.000001'), None)
    """
    return _PARTS.get("".join(unit.split()).lower())


def hint(kind: Kind | None, unit: str) -> str:
    """Return a hint at a wrong unit for the end of a message; empty where none is known."""
    flat = "".join(unit.split())
    for of, pattern, text in _HINTS:
        if of in (None, kind) and pattern.fullmatch(flat):
            return f" ({text})"
    other = next((each for each in KINDS if each is not kind and flat in each.units and flat), None)
    return f" ({flat} is a unit of {other.name})" if other and kind else ""
