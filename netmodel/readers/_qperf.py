"""
Results of qperf: bandwidth and latency over TCP and UDP, as it prints them.

Goodput is that of the receiver. Units are decimal but for KiB and the like. qperf rounds to three
digits by default and drops zeros at the end, so that the half width by the printed digits (22
Gb/sec) is an upper bound of the rounding. The printed latency is that of one direction: the time of
a transaction is twice that, and half of its messages are requests. Such a test has no goodput, and
its CPU time is over no payload.

CPU time is that of all CPUs of a host, in percent of one. ``conf`` in the same file has the number
of CPUs, and ``-vu`` the requested socket buffer. Tests over RDMA, SCTP, SDP and RDS are refused.
Addresses are not printed: loopback and IP version stay unknown.

References: qperf 0.4.11, as it ran, and its source: ``qperf.c``.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import shown
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import MAX_DATAGRAM_BYTES, Figure
from netmodel.readers._table import Found, Hit, Table, segments
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIGA, KIBI, KILO, MEGA, TERA

_TESTS = ("tcp_bw", "tcp_lat", "udp_bw", "udp_lat")
_RATE_BPS = {
    f"{prefix}{unit}/sec": power * bits
    for unit, bits in (("B", BITS_PER_BYTE), ("b", 1))
    for prefix, power in (("K", KILO), ("M", MEGA), ("G", GIGA), ("T", TERA))
} | {"bytes/sec": float(BITS_PER_BYTE), "bits/sec": 1.0}
_TIME_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "sec": 1.0}
_PER_S = {"/sec": 1.0, "K/sec": KILO, "M/sec": MEGA, "G/sec": GIGA, "T/sec": TERA}
_CPUS = {"% cpus": 0.01}
"""Per cent of one CPU."""
_SIZE_BYTES = {"bytes": 1.0, "KB": KILO, "MB": MEGA, "GB": GIGA, "TB": TERA} | {
    f"{prefix}iB": float(KIBI**power) for power, prefix in enumerate("KMGT", start=1)
}
_VALUE = re.compile(
    r"(?P<value>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,12})?)\s*(?P<value_unit>[^()]*?)"
    r"(?:\s*\((?P<exact>[\d,]{1,25})\))?"
)
_HALF_A_BYTE = 0.5 + 1e-9
"""A size rounded by no more is a whole number, but for the error of binary fractions."""


class _Test:
    """A test with its values by name."""

    def __init__(self, source: str, hits: list[Hit]) -> None:
        found = Found(source, hits)
        self.heading = found.needed("test", "test:")
        self.name = self.heading.text("test")
        self.error = "; ".join(hit.text("error") for hit in found["error"])
        self.notes = tuple(hit.text("warning") for hit in found["warning"])
        self.entries: dict[str, Hit] = {}
        for hit in found["entry"]:
            if hit.text("key") in self.entries:
                raise hit.line.fault(f"a second {shown(hit.text('key'))}")
            self.entries[hit.text("key")] = hit

    def figure(self, key: str, units: Mapping[str, float]) -> Figure | None:
        """A figure in base units; None where it is not printed."""
        if key not in self.entries:
            return None
        hit = self.entries[key]
        match = _VALUE.fullmatch(hit.text("text"))
        if match is None or match["value_unit"] not in units:
            known, got = ", ".join(units), shown(hit.text("text"))
            raise hit.line.fault(f"{self.name} {key} must be a number in {known}; got {got}")
        digits = (match["exact"] or match["value"]).replace(",", "") or "0"
        unit = 1.0 if match["exact"] else units[match["value_unit"]]
        figure: Figure = hit.line.figure(key, digits, unit)
        is_exact = match["exact"] or (match["value_unit"] == "bytes" and digits.isdecimal())
        return Figure(figure.value, 0.0) if is_exact else figure

    def needed(self, key: str, units: Mapping[str, float]) -> Figure:
        """A figure that must be printed."""
        figure = self.figure(key, units)
        if figure is None:
            raise self.heading.line.fault(f"{self.name} has no {key}: cut off")
        return figure


def _read(run: Measurement, found: Found) -> tuple[Measurement, ...]:
    parts = segments(found.hits, {"test": frozenset({"test"})})
    every = [_Test(run.source, part) for part in parts]
    tests = [test for test in every if test.name != "conf"]
    if not tests:
        raise ParseError(run.source, "not a result of qperf: no line names a test")
    counts: dict[Side, int] = {}
    versions = set()
    for each in every:
        for side, key in ((Side.CLIENT, "loc_cpu"), (Side.SERVER, "rem_cpu")):
            if each.name == "conf" and key in each.entries:
                cores = re.match(r"([1-9][0-9]{0,5}) Cores?:", each.entries[key].text("text"))
                counts |= {side: int(cores[1])} if cores else {}
        versions |= (
            {each.entries["loc_qperf"].text("text")} if "loc_qperf" in each.entries else set()
        )
    run = replace(run, tool_version=versions.pop() if len(versions) == 1 else None)
    names, seen = Counter(test.name for test in tests), Counter[str]()
    runs = []
    for test in tests:
        seen[test.name] += 1
        part = test.name if names[test.name] == 1 else f"{test.name} {seen[test.name]}"
        runs.append(_measured(replace(run, part=part if len(tests) > 1 else None), test, counts))
    return tuple(runs)


def _measured(run: Measurement, test: _Test, counts: Mapping[Side, int]) -> Measurement:
    if test.error:
        return replace(run, error=f"{test.name}: {test.error}")
    if test.name not in _TESTS:
        known = ", ".join(_TESTS)
        raise test.heading.line.fault(f"test {shown(test.name)} is not read; known are {known}")
    protocol, _, kind = test.name.partition("_")
    time, buffer = test.figure("time", _TIME_S), test.figure("sock_buf_size", _SIZE_BYTES)
    size, notes = test.figure("msg_size", _SIZE_BYTES), test.notes
    size_bytes = None
    if size and size.half_width > _HALF_A_BYTE:
        printed = test.entries["msg_size"].text("text")
        notes += (f"msg_size of {printed} is left out, because it is rounded",)
    elif size:
        size_bytes = round(size.value)
    is_possible = size_bytes is None or 0 < size_bytes <= MAX_DATAGRAM_BYTES
    if test.name == "udp_bw" and not is_possible:
        problem = f"must be from 1 to {MAX_DATAGRAM_BYTES} for UDP; got {size_bytes}"
        raise test.entries["msg_size"].line.fault(f"msg_size {problem}")
    run = replace(
        run,
        socket_buffer_bytes=round(buffer.value) or None if buffer else None,
        protocol=protocol,
        stream_count=1,
        duration_s=time.value if time else None,
        notes=notes,
    )
    if kind == "lat":
        rate = test.figure("msg_rate", _PER_S)
        return replace(
            run,
            measures_latency=True,
            why_no_goodput="a test of latency: one message at a time keeps the path mostly idle",
            request_bytes=size_bytes,
            response_bytes=size_bytes,
            transaction_time_s=2 * test.needed("latency", _TIME_S).value,
            transaction_rate_tps=rate.value / 2 if rate else None,
            cpu=_cpu(test, ("loc", "rem"), (0.0, 0.0), counts),
        )
    sent = test.needed("send_bw", _RATE_BPS) if protocol == "udp" else None
    goodput = test.needed("recv_bw" if sent else "bw", _RATE_BPS)
    if sent and sent.value < goodput.value:
        run = replace(run, notes=(*run.notes, "qperf prints more arrived than sent payload"))
    has_loss = sent is not None and sent.value >= max(goodput.value, 1e-9)
    sent_bytes, sent_s = (
        test.figure("send_bytes", _SIZE_BYTES),
        test.figure("send_real_time", _TIME_S),
    )
    sent_bps = (sent or goodput).value
    if not sent and sent_bytes and sent_s and sent_s.value:
        sent_bps = sent_bytes.value * BITS_PER_BYTE / sent_s.value
    return replace(
        run,
        direction=Direction.CLIENT_TO_SERVER,
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        reported_rate_bps=sent.value if sent else None,
        lost_ratio=1 - goodput.value / sent.value if sent and has_loss else None,
        write_bytes=None if sent else size_bytes,
        datagram_bytes=size_bytes if sent else None,
        cpu=_cpu(test, ("send", "recv"), (sent_bps, goodput.value), counts),
    )


def _cpu(
    test: _Test, ends: tuple[str, str], rates_bps: tuple[float, float], counts: Mapping[Side, int]
) -> tuple[CpuUse, ...]:
    """CPU time at both ends."""
    uses = []
    for end, local, side, rate_bps in zip(
        ends, ("loc", "rem"), (Side.CLIENT, Side.SERVER), rates_bps, strict=True
    ):
        used = test.figure(f"{end}_cpus_used", _CPUS) or test.figure(f"{local}_cpus_used", _CPUS)
        if used:
            uses.append(CpuUse(used.value, rate_bps, CpuScope.SYSTEM, side, counts.get(side)))
    return tuple(uses)


_NAME = r"(?:rc|rds|sctp|sdp|tcp|uc|ud|udp|xrc)_(?:[a-z_]+_)?(?:bw|lat|mr)"
QPERF = Table(
    name="qperf",
    tool="qperf",
    marks=rf"{_NAME}:[ \t\r]*$",
    forms={
        "test": rf"(?P<test>conf|{_NAME}):",
        "warning": r"warning: (?P<warning>.*)",
        "entry": r"(?P<key>[a-z][a-z0-9_]*)\s+=\s*(?P<text>.*)",
        "error": r"(?P<error>(?:[^\s:]+: )?(?:fail(?:ed|ure)|unable|cannot|could not|invalid|bad"
        r"|missing|unexpected|unsupported|out of|no such)\b.*|[\w ]+ failed: .*)",
    },
    read=_read,
    begins={},
    side=Side.CLIENT,
).format()
