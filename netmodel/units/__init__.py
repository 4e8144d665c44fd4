"""Quantities as people write them: read strictly, and printed so that they read back."""

from netmodel._packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.units._format import format_frequency as format_frequency
    from netmodel.units._format import format_rate as format_rate
    from netmodel.units._format import format_size as format_size
    from netmodel.units._format import format_time as format_time
    from netmodel.units._parse import parse_count as parse_count
    from netmodel.units._parse import parse_frequency_hz as parse_frequency_hz
    from netmodel.units._parse import parse_length_m as parse_length_m
    from netmodel.units._parse import parse_rate_bps as parse_rate_bps
    from netmodel.units._parse import parse_ratio as parse_ratio
    from netmodel.units._parse import parse_size_bytes as parse_size_bytes
    from netmodel.units._parse import parse_time_s as parse_time_s
    from netmodel.units._parse import split_quantity as split_quantity
    from netmodel.units._prefixes import BITS_PER_BYTE as BITS_PER_BYTE
