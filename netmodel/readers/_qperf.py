"""
Results of qperf: bandwidth and latency over TCP and UDP, as it prints them.

Goodput is that of the receiver. Units are decimal but for KiB and the like. qperf rounds to three
digits by default and drops zeros at the end, so that the half width by the printed digits (22
Gb/sec) is an upper bound of the rounding. The printed latency is that of one direction: the time of
a transaction is twice that, and half of its messages are requests. Such a test has no goodput, and
its CPU time is over no payload.

CPU time is that of all CPUs of a host, in percent of one. ``-vu`` prints the requested socket
buffer; what ``conf`` prints is left out. Tests over RDMA, SCTP, SDP and RDS are refused. Addresses
are not printed: loopback and IP version stay unknown.

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
from netmodel.readers._table import Found, Hit, segments, table_format
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIGA, KIBI, KILO, MEGA, TERA

_TESTS = ("tcp_bw", "tcp_lat", "udp_bw", "udp_lat")
_PREFIXES = (("K", KILO), ("M", MEGA), ("G", GIGA), ("T", TERA))
_RATE_BPS = {
    f"{prefix}{unit}/sec": power * bits
    for unit, bits in (("B", BITS_PER_BYTE), ("b", 1))
    for prefix, power in _PREFIXES
} | {"bytes/sec": float(BITS_PER_BYTE), "bits/sec": 1.0}
_TIME_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "sec": 1.0}
_PER_S = {"/sec": 1.0} | {f"{prefix}/sec": power for prefix, power in _PREFIXES}
_CPUS = {"% cpus": 0.01}
"""Per cent of one CPU."""
_SIZE_BYTES = {"bytes": 1.0} | {f"{prefix}B": power for prefix, power in _PREFIXES}
_SIZE_BYTES |= {f"{prefix}iB": float(KIBI**power) for power, prefix in enumerate("KMGT", start=1)}
_VALUE = re.compile(
    r"(?P<value>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,12})?)\s*(?P<value_unit>[^()]*?)"
    r"(?:\s*\((?P<exact>[\d,]{1,25})\))?"
)
_HALF_A_BYTE = 0.5 + 1e-9
"""A size rounded by no more is a whole number, but for the error of binary fractions."""


def _read(run: Measurement, found: Found) -> tuple[Measurement, ...]:
    parts = segments(found.hits, {"test": "test"})
    tests = [Found(run.source, part) for part in parts]
    names = [test.needed("test", "test:").text("test") for test in tests]
    counts, seen = Counter(names), Counter[str]()
    runs = []
    for name, test in zip(names, tests, strict=True):
        if name != "conf":
            seen[name] += 1
            part = name if counts[name] == 1 else f"{name} {seen[name]}"
            runs.append(replace(_measured(run, name, test), part=part))
    if not runs:
        raise ParseError(run.source, "not a result of qperf: no line names a test")
    return tuple(runs) if len(runs) > 1 else (replace(runs[0], part=None),)


def _figure(entries: Mapping[str, Hit], key: str, units: Mapping[str, float]) -> Figure | None:
    """Return a figure in base units; None where it is not printed."""
    if key not in entries:
        return None
    hit = entries[key]
    match = _VALUE.fullmatch(hit.text("text"))
    if match is None or match["value_unit"] not in units:
        known, got = ", ".join(units), shown(hit.text("text"))
        raise hit.line.fault(f"{key} must be a number in {known}; got {got}")
    digits = (match["exact"] or match["value"]).replace(",", "") or "0"
    unit = 1.0 if match["exact"] else units[match["value_unit"]]
    printed = hit.line.figure(key, digits, unit)
    is_exact = match["exact"] or (match["value_unit"] == "bytes" and digits.isdecimal())
    return Figure(printed.value) if is_exact else printed


def _needed(entries: Mapping[str, Hit], key: str, units: Mapping[str, float]) -> Figure:
    """Return a figure that must be printed."""
    figure = _figure(entries, key, units)
    if figure is None:
        heading = entries["test"]
        raise heading.line.fault(f"{heading.text('test')} has no {key}: cut off")
    return figure


def _cpu(entries: Mapping[str, Hit], rates_bps: Mapping[str, float]) -> tuple[CpuUse, ...]:
    """Return the CPU time at both ends, by the names that qperf has for them."""
    ends = zip(rates_bps.items(), ("loc", "rem"), (Side.CLIENT, Side.SERVER), strict=True)
    return tuple(
        CpuUse(used.value, rate_bps, CpuScope.SYSTEM, side)
        for (end, rate_bps), alias, side in ends
        if (
            used := _figure(entries, f"{end}_cpus_used", _CPUS)
            or _figure(entries, f"{alias}_cpus_used", _CPUS)
        )
    )


def _measured(run: Measurement, name: str, test: Found) -> Measurement:
    if test["error"]:
        error = "; ".join(hit.text("error") for hit in test["error"])
        return replace(run, error=f"{name}: {error}")
    if name not in _TESTS:
        raise test["test"][0].line.fault(
            f"test {shown(name)} is not read; known are {', '.join(_TESTS)}"
        )
    entries = {"test": test["test"][0]}
    for hit in test["entry"]:
        if hit.text("key") in entries:
            raise hit.line.fault(f"a second {shown(hit.text('key'))}")
        entries[hit.text("key")] = hit
    is_udp = name.startswith("udp")
    time, buffer = _figure(entries, "time", _TIME_S), _figure(entries, "sock_buf_size", _SIZE_BYTES)
    size, size_bytes = _figure(entries, "msg_size", _SIZE_BYTES), None
    notes = tuple(hit.text("warning") for hit in test["warning"])
    if size and size.half_width > _HALF_A_BYTE:
        printed = entries["msg_size"].text("text")
        notes += (f"msg_size of {printed} is left out, because it is rounded",)
    elif size:
        size_bytes = round(size.value)
        if name == "udp_bw" and not 0 < size_bytes <= MAX_DATAGRAM_BYTES:
            problem = f"must be from 1 to {MAX_DATAGRAM_BYTES} for UDP; got {size_bytes}"
            raise entries["msg_size"].line.fault(f"msg_size {problem}")
    run = replace(
        run,
        socket_buffer_bytes=round(buffer.value) or None if buffer else None,
        protocol="udp" if is_udp else "tcp",
        stream_count=1,
        duration_s=time.value if time else None,
        notes=notes,
    )
    if name.endswith("lat"):
        rate = _figure(entries, "msg_rate", _PER_S)
        return replace(
            run,
            measures_latency=True,
            why_no_goodput="a test of latency: one message at a time keeps the path mostly idle",
            request_bytes=size_bytes,
            response_bytes=size_bytes,
            transaction_time_s=2 * _needed(entries, "latency", _TIME_S).value,
            transaction_rate_tps=rate.value / 2 if rate else None,
            cpu=_cpu(entries, {"loc": 0.0, "rem": 0.0}),
        )
    if is_udp:
        run = replace(run, datagram_bytes=size_bytes)
    else:
        run = replace(run, write_bytes=size_bytes)
    return _with_bandwidth(run, entries)


def _with_bandwidth(run: Measurement, entries: Mapping[str, Hit]) -> Measurement:
    """Return the run with what arrived, and what was sent."""
    is_udp = run.protocol == "udp"
    sent = _needed(entries, "send_bw", _RATE_BPS) if is_udp else None
    goodput = _needed(entries, "recv_bw" if is_udp else "bw", _RATE_BPS)
    if sent and sent.value < goodput.value:
        run = replace(run, notes=(*run.notes, "qperf prints more arrived than sent payload"))
    has_loss = sent is not None and sent.value >= max(goodput.value, 1e-9)
    sent_bytes = _figure(entries, "send_bytes", _SIZE_BYTES)
    sent_s = _figure(entries, "send_real_time", _TIME_S)
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
        cpu=_cpu(entries, {"send": sent_bps, "recv": goodput.value}),
    )


_NAME = r"(?:rc|rds|sctp|sdp|tcp|uc|ud|udp|xrc)_(?:[a-z_]+_)?(?:bw|lat|mr)"
QPERF = table_format(
    "qperf",
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
)
