"""
Load of interfaces between two snapshots of their counters: ``ip -s link``, ``ip -j -s link`` or
``/proc/net/dev``, each below its time.

The time is that of ``date``, in seconds since 1970 or in words, of a log before each line, or of
the facts that netmodel records. Words have to be of one day, and whole seconds may be off by one.
Of more than two snapshots the first and the last count.

Interfaces count from destination address to payload: the line has 24 byte more of each frame.
Virtual ones count packets of TSO and GRO once, for all their frames: the load is a lower bound
where packets are longer on average than a frame of the MTU with a VLAN tag.

References: Linux ``Documentation/networking/statistics.rst``; iproute2 6.1, ``ip/ipaddress.c``.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from netmodel.errors import ParseError, UnknownFormatError
from netmodel.framing.lengths import FCS_BYTES, SILENT_BYTES
from netmodel.readers._document import RawText
from netmodel.readers._formats import ONE_SNAPSHOT, Format
from netmodel.readers._printed import Run, started
from netmodel.text import few_names
from netmodel.units import BITS_PER_BYTE

_PARTS = re.compile(
    r"^\W*(?P<unix>[0-9]{10}(?:\.[0-9]+)?)\s*$"
    r"|^(?P<day>[^\n]{0,24}?)(?<![\d:])(?P<clock>\d\d:\d\d:\d\d(?:[.,][0-9]{1,9})?)(?![\d:])"
    r"|(?:\b\d+: |\"ifname\":\s*\")(?P<name>[^\s:@\"]{1,15})"
    r"(?:(?:@\S+)?: <[^\n]* mtu |\"[^{}]*\"mtu\":\s*)(?P<mtu>[0-9]{1,9})\b"
    r"|(?:[RT]X: +bytes +packets +errors[^\n]*\n[^\n]*?(?<!\S)|\"[rt]x\":\s*\{\s*\"bytes\":\s*)"
    r"(?P<cells>[0-9]{1,20}(?:(?: +[0-9]{1,20}){5}\s*$|,[^{}]*))"
    r"|(?<!\S)(?P<device>[^\s:]{1,15}):(?P<row> *[0-9]{1,20}(?: +[0-9]{1,20}){15})\s*$",
    re.MULTILINE,
)
"""A time; an interface and its MTU; counters of a direction; a row of ``/proc/net/dev``."""
_MARKS = re.compile(r"[RT]X: +bytes +packets +errors|\"stats64\":|Inter-\|")
_LINK_BYTES, _USUAL_MTU_BYTES = 18, 1500
"""Ethernet header of 14 byte with a VLAN tag of 4; the MTU where ``/proc/net/dev`` has none."""
_LEAST_RATIO = 0.1
"""Load over that of the busiest direction from which on one is judged: acknowledgements of TCP
have 3 to 6 % of the bits, 90 of 1538 byte for each frame or two."""
_SNAPSHOT = "date +%s.%N; ip -s link show dev eth0"
_AGGREGATES = "packets longer than the MTU are aggregates (TSO, GRO): the line had more than this"


def _read(raw: RawText) -> list[Run]:
    found = _snapshots(raw.text)
    names = [name for name, times in found.items() if len(times) > 1]
    if not names:
        give = f"give two of one interface, each below its time: {_SNAPSHOT}; sleep 10; {_SNAPSHOT}"
        whose = few_names([*found], "interfaces") or "no interface"
        raise UnknownFormatError(raw.source, f"{ONE_SNAPSHOT} of {whose}: {give}", ONE_SNAPSHOT)
    on_lines = [name for name in names if name != "lo"] or names
    runs = [run for name in on_lines for run in _directions(raw, name, found[name])]
    least_bps = _LEAST_RATIO * max(run["layer1_rate_bps"] for run in runs)
    return [run for run in runs if run["layer1_rate_bps"] >= least_bps]


def _directions(raw: RawText, name: str, times: dict[Any, list[int]]) -> Iterator[Run]:
    """Yield the load of an interface in each direction."""
    ((begin_day, begin_s), before), *_, ((end_day, end_s), after) = times.items()
    duration_s, step_s = end_s - begin_s, 0.0 if begin_s % 1 and end_s % 1 else 1.0
    grown = [last - first for first, last in zip(before, after, strict=True)]
    if begin_day != end_day or duration_s <= step_s:
        problem = f"{name}: the snapshots have to be in order, some seconds apart and of one day"
        raise ParseError(raw.source, f"{problem}, or with seconds since 1970: {_SNAPSHOT}")
    if (fell := min(grown[1:])) < 0:
        problem = f"{name}: a counter fell by {-fell}: it was reset, or wrapped at 32 bits"
        raise ParseError(raw.source, f"{problem}: take two snapshots closer together")
    for part, begin in ((f"{name} in", 1), (f"{name} out", 5)):
        own_bytes, count, errors, dropped = grown[begin : begin + 4]
        rate_bps = BITS_PER_BYTE * (own_bytes + (FCS_BYTES + SILENT_BYTES) * count) / duration_s
        is_more = own_bytes > ((after[0] or _USUAL_MTU_BYTES) + _LINK_BYTES) * count
        run = started(raw, "counters", part=part, is_loopback=name == "lo", is_lower_bound=is_more)
        run.update(layer1_rate_bps=rate_bps, half_width_bps=rate_bps * step_s / duration_s)
        run.update(frame_rate_fps=count / duration_s, duration_s=duration_s)
        counted = f"{own_bytes / duration_s:,.0f} byte/s without FCS over {duration_s:.4g} s"
        lost = f"{dropped} packets dropped and {errors} errors meanwhile"
        run.note(counted, *[lost] * (dropped + errors > 0), *[_AGGREGATES] * is_more)
        yield run


def _snapshots(text: str) -> dict[str, dict[Any, list[int]]]:
    """Return MTU, four counters in and four out of each interface, by the day and time above."""
    found = defaultdict[str, dict[Any, list[int]]](dict)
    time, times, counts = None, dict[Any, list[int]](), list[int]()
    for part in _PARTS.finditer(text):
        if name := part["name"] or part["device"]:
            times, counts = found[name], [int(part["mtu"] or 0)]
        if cells := part["cells"] or part["row"]:
            numbers = [int(each) for each in re.findall(r"[0-9]+", cells)]
            counts += numbers[:4] + numbers[8:12] * bool(name)
            if len(counts) == 9 and time is not None:
                times.setdefault(time, counts[:])  # without what a damaged text repeats
        elif not name:
            clock = (part["unix"] or part["clock"]).replace(",", ".").split(":")
            time = part["day"], sum(60**n * float(x) for n, x in enumerate(reversed(clock)))
    return found


COUNTERS = Format("counters", lambda text: _MARKS.search(text) is not None, _read)
