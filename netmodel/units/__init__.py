"""Quantities as people write them: read strictly, and printed so that they read back."""

from netmodel.units._format import format_frequency, format_rate, format_size, format_time
from netmodel.units._parse import (
    parse_count,
    parse_frequency_hz,
    parse_length_m,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
    split_quantity,
)
from netmodel.units._prefixes import BITS_PER_BYTE

__all__ = [
    "BITS_PER_BYTE",
    "format_frequency",
    "format_rate",
    "format_size",
    "format_time",
    "parse_count",
    "parse_frequency_hz",
    "parse_length_m",
    "parse_rate_bps",
    "parse_ratio",
    "parse_size_bytes",
    "parse_time_s",
    "split_quantity",
]
