"""A goodput that is typed or pasted: one number with its unit."""

import re

from netmodel.errors import ParseError, UnitError
from netmodel.readers._document import RawText, shown
from netmodel.readers._formats import Format
from netmodel.readers._printed import IPERF_BITS, NUMBER, Figure, Run, half_step, started
from netmodel.units import parse_rate_bps

_LONGEST = 200
"""Characters of a pasted line of iperf3 with a title; results of tools are longer."""
_AS_WRITTEN = re.compile(rf"({NUMBER})\s*(\S.*)")
_IN_A_LINE = re.compile(rf"(?<![\w.])({NUMBER}) *([KMGT]?bits/sec)(?!\w)")
"""A rate of iperf3 and iperf 2, behind other figures."""
_OF_IPERF3 = ("sender", "receiver")
"""End of summary lines, which the reader of iperf3 text reads."""
_AMOUNT = re.compile(r"[kmgt]?bits?", re.IGNORECASE)
"""Units of data in the results of tools, although a rate that is typed may have them: 10 gbit."""
_OF_TOOLS = {
    f"{unit}/{second}": factor for unit, factor in IPERF_BITS.items() for second in ("s", "sec")
}
"""Units of tools in bit/s: 939 Mbits/sec."""


def _only_rate(text: str) -> tuple[str, float] | None:
    """The figure of the only rate in a line, as printed, and in bit/s; None where there is none."""
    text = text.strip()
    if not 0 < len(text) <= _LONGEST or "\n" in text or text.endswith(_OF_IPERF3):
        return None
    rates, written = _IN_A_LINE.findall(text), _AS_WRITTEN.fullmatch(text)
    if len(rates) == 1:
        ((number, unit),) = rates
    elif rates or written is None or _AMOUNT.fullmatch(written[2]):
        return None
    else:
        number, unit = written.groups()
    if unit in _OF_TOOLS:
        return number, float(number) * _OF_TOOLS[unit]
    try:
        return number, parse_rate_bps(text)
    except UnitError:
        return None


def _read(raw: RawText) -> list[Run]:
    if (rate := _only_rate(raw.text)) is None:
        raise ParseError(raw.source, f"not a rate such as 9.2Gbit/s: {shown(raw.text.strip())}")
    number, rate_bps = rate
    half_width_bps = half_step(number) * rate_bps / float(number) if float(number) else 0.0
    run = Run(started(raw, "rate"), sha256="")  # equal figures are no copies of one
    run.count(Figure(rate_bps, half_width_bps))
    return [run]


RATE = Format("rate", lambda text: _only_rate(text) is not None, _read)
