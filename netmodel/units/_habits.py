"""
Units as people and tools write them: those with one meaning, and those with two.

Loaded for units that are not among those of a kind as they stand. Prefixes count in any case where
no other is meant: rates do not come in millibit, nor clocks in millihertz. They do not where both
are in use: M of a time is no m. A small b is a bit and a large B a byte in rates; sizes in either
case are written both ways, so that their b is refused.
"""

import re
from decimal import Decimal
from typing import TypeAlias

from netmodel.units._kinds import FREQUENCY, KINDS, LENGTH, RATE, TIME, Kind
from netmodel.units.prefixes import BITS_PER_BYTE

Doubt: TypeAlias = tuple[str, tuple[tuple[Decimal, str], ...]]
"""
Reason to refuse a unit that has several meanings: what it may mean, and what to write for each, the
number by which to multiply and the unit.
"""
_ONE, _BYTE = Decimal(1), Decimal(BITS_PER_BYTE)
_MILLION = Decimal(10) ** 6
"""Factor of the prefix M."""
_METRES_PER_MILE = Decimal("1609.344")  # the international yard and pound agreement of 1959
_WORDS = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T"} | {
    "kibi": "Ki",
    "mebi": "Mi",
    "gibi": "Gi",
    "tebi": "Ti",
}
_SCALED = re.compile(
    rf"(?P<prefix>{'|'.join(_WORDS)}|[kmgt]i|[kmgt]|)(?P<base>bits?|bytes?|octets?|b|hz|hertz|)"
    r"(?P<per>/s|/sec|/seconds?|persec|perseconds?|ps|)",
    re.IGNORECASE,
)
_ETHERNET = re.compile(
    r"(?P<prefix>[gt])(ig|iga|igs|(b|bit|ig|iga|igabit)?e(thernet)?)", re.IGNORECASE
)
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
        (RATE, ".*(/s|ps)(in|out)", "a direction is no part of a rate: give the sender"),
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


_DOUBTS = {
    (TIME.name, "m"): ("m may mean a minute or a thousandth", ((_ONE, "min"), (_ONE, "ms"))),
    (TIME.name, "M"): ("M may mean a minute or a million", ((_ONE, "min"), (_MILLION, "s"))),
    (LENGTH.name, "M"): (
        "M may mean metres or miles",
        ((_ONE, "m"), (_METRES_PER_MILE / 1000, "km")),
    ),
} | {
    (TIME.name, unit): (
        f"{unit} may mean milliseconds or a million seconds",
        ((_ONE, "ms"), (_MILLION, "s")),
    )
    for unit in ("Ms", "MS")
}
"""Units in which the case of a letter changes the meaning, or one letter has two."""


def meanings(kind: Kind, unit: str) -> Doubt | str | None:
    """
    Return the unit of a kind that another can only mean, or why it means several.

    Examples
    --------
    >>> from netmodel.units._kinds import SIZE
    >>> meanings(RATE, "gbe"), meanings(TIME, "usec"), meanings(SIZE, "stone")
    ('Gbit/s', 'µs', None)
    >>> meanings(SIZE, "k")[0]
    'k may mean 1000 or 1024'
    """
    flat = "".join(unit.split())
    lower = flat.lower()
    if kind in (TIME, LENGTH):
        named = (_TIMES if kind is TIME else _LENGTHS).get(lower)
        return _DOUBTS.get((kind.name, flat), named or (lower if lower in kind.units else None))
    if kind is RATE and (match := _ETHERNET.fullmatch(flat)):
        return f"{match['prefix'].upper()}bit/s"
    match = _SCALED.fullmatch(flat)
    if match is None or not flat:
        return None
    written, base, per = match["prefix"], match["base"], match["per"]
    short = _WORDS.get(written.lower(), written.lower())
    prefix = short if short == "k" else short[:1].upper() + short[1:]
    if kind is FREQUENCY:
        is_hertz = base.lower() in {"hz", "hertz", ""} and not (per or prefix.endswith("i"))
        return f"{prefix}Hz" if is_hertz else None
    if base.lower() in {"hz", "hertz"} or (written.lower() in _WORDS and not base):
        return None
    return (_rate if kind is RATE else _size)(flat, prefix, base, per)


def _rate(flat: str, prefix: str, base: str, per: str) -> Doubt | str | None:
    is_binary, bits = prefix.endswith("i"), f"{prefix}bit/s"
    if flat == "K":
        return ("K may mean 1000 or 1024", ((_ONE, "kbit/s"), (_ONE, "Kibit/s")))
    if not base:
        if not per:
            return None if is_binary else bits
        reason = f"{flat} may mean bits, bytes or transactions"
        is_rate = prefix and not is_binary and per.lower() in {"/s", "/sec"}
        ways = ((_ONE, bits), (_BYTE, bits), (RATE.units.get(bits, _ONE), "/s"))
        return (reason, ways) if is_rate else None
    if base == "b" or base.lower().startswith("bit"):
        return bits if base != "b" or prefix or per else None
    if is_binary or not (prefix or per == "PS"):
        return f"{prefix}B/s" if per else None
    if per == "PS" or (base == "B" and not per):
        return (f"{flat} may mean bits or bytes", ((_ONE, bits), (_BYTE, bits)))
    named = flat.removesuffix(per) if per else flat
    reason = f"{named} is a power of ten to some tools and of two to others"
    return (reason, ((_BYTE, bits), (_ONE, f"{prefix.upper()}iB/s")))


def _size(flat: str, prefix: str, base: str, per: str) -> Doubt | str | None:
    is_binary, is_bit = prefix.endswith("i"), base.lower().startswith("bit")
    if flat == "b":
        return ("b may mean bits, bytes or blocks", ((_ONE, "B"), (_ONE, "bit")))
    if per or not (base or prefix):
        return None
    if is_bit or not prefix or (is_binary and base != "b"):
        return f"{prefix}bit" if is_bit else f"{prefix}B"
    ten, two, bits = f"{prefix}B", f"{prefix.upper()}iB", f"{prefix}bit"
    if base == "b":
        meant = (ten, bits) if is_binary else (ten, two, bits)
        return (f"{flat} may mean bytes or bits", tuple((_ONE, each) for each in meant))
    power = "kMGT".index(prefix) + 1
    of = " byte" if base else ""
    return (f"{flat} may mean {1000**power} or {1024**power}{of}", ((_ONE, ten), (_ONE, two)))


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
