"""A goodput as people write it or paste it: one number with its unit."""

import re
from dataclasses import replace

from netmodel.errors import ParseError, UnitError
from netmodel.readers._document import RawText, shown
from netmodel.readers._format import Format
from netmodel.readers._measurement import Measurement
from netmodel.readers._printed import IPERF_BITS, NUMBER, half_step, started
from netmodel.units import parse_rate_bps

__all__ = ["RATE"]

_TOOL = "rate"
_LONGEST = 60
"""Characters: a number and a unit have fewer."""
_AS_WRITTEN = re.compile(rf"({NUMBER})\s*(\S.*)")
_OF_TOOLS = {
    f"{unit}/{second}": factor for unit, factor in IPERF_BITS.items() for second in ("s", "sec")
}
"""Units as tools print them, in bit/s: 939 Mbits/sec."""


def _is_rate(text: str) -> bool:
    """Whether a text is one rate and nothing else."""
    text = text.strip()
    if not 0 < len(text) <= _LONGEST or "\n" in text or not _AS_WRITTEN.fullmatch(text):
        return False
    try:
        _rate_bps(text)
    except UnitError:
        return False
    return True


def _rate_bps(text: str) -> float:
    written = _AS_WRITTEN.fullmatch(text)
    if written and written[2] in _OF_TOOLS:
        return float(written[1]) * _OF_TOOLS[written[2]]
    return parse_rate_bps(text)


def _read(raw: RawText) -> tuple[Measurement, ...]:
    text = raw.text.strip()
    written = _AS_WRITTEN.fullmatch(text)
    if written is None or not _is_rate(text):
        raise ParseError(raw.source, f"not a rate such as 9.2Gbit/s: {shown(text)}")
    rate_bps = _rate_bps(text)
    number = written[1]
    half_width_bps = half_step(number) * rate_bps / float(number) if float(number) else 0.0
    run = started(raw, _TOOL)
    return (replace(run, goodput_bps=rate_bps, goodput_half_width_bps=half_width_bps),)


RATE = Format(_TOOL, _is_rate, _read)
