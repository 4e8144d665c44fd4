"""The unit of a quantity, which the last words of its name give."""

from collections.abc import Callable, Mapping

from netmodel.units._parse import (
    parse_count,
    parse_frequency_hz,
    parse_length_m,
    parse_rate_bps,
    parse_ratio_or_percent,
    parse_size_bytes,
    parse_time_s,
)

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
PARSERS: Mapping[str, Callable[[str], float]] = {
    "bps": parse_rate_bps,
    "bytes": parse_size_bytes,
    "s": parse_time_s,
    "hz": parse_frequency_hz,
    "m": parse_length_m,
    "ratio": parse_ratio_or_percent,
    "count": parse_count,
}
"""What reads a number with a unit, by the last word of the number's name."""


def unit_of(name: str) -> str | None:
    """Unit of a number by its name; None where that has none."""
    words = name.split("_")
    ends = ("_".join(words[place:]) for place in range(len(words)))
    return next((UNITS[end] for end in ends if end in UNITS), None)
