"""Parsers of quantities with units, by the names of arguments."""

from collections.abc import Callable, Mapping

from netmodel.units.parsing import (
    parse_count,
    parse_frequency_hz,
    parse_length_m,
    parse_rate_bps,
    parse_ratio_or_percent,
    parse_size_bytes,
    parse_time_s,
)

PARSERS: Mapping[str, Callable[[str], float]] = {
    "bps": parse_rate_bps,
    "bytes": parse_size_bytes,
    "s": parse_time_s,
    "hz": parse_frequency_hz,
    "m": parse_length_m,
    "ratio": parse_ratio_or_percent,
    "count": parse_count,
}
"""Parser of a number with a unit, by the last word of the number's name."""
