"""Quantities as people write them: read strictly, and printed so that they read back."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from .formatting import format_frequency as format_frequency
    from .formatting import format_rate as format_rate
    from .formatting import format_size as format_size
    from .formatting import format_time as format_time
    from .parsing import parse_count as parse_count
    from .parsing import parse_frequency_hz as parse_frequency_hz
    from .parsing import parse_length_m as parse_length_m
    from .parsing import parse_rate_bps as parse_rate_bps
    from .parsing import parse_ratio as parse_ratio
    from .parsing import parse_size_bytes as parse_size_bytes
    from .parsing import parse_time_s as parse_time_s
    from .parsing import split_quantity as split_quantity
    from .prefixes import BITS_PER_BYTE as BITS_PER_BYTE
