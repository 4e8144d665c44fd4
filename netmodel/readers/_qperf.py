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

from collections.abc import Mapping

from netmodel.consumption import Side
from netmodel.readers._document import shown
from netmodel.readers._printed import SECONDS, Figure, Hit, Run, datagram_size, prefixed
from netmodel.readers._table import Found, table_format
from netmodel.readers.measurement import CpuUse, Direction
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import KIBI

_TESTS = ("tcp_bw", "tcp_lat", "udp_bw", "udp_lat")
_RATE_BPS = prefixed("B/sec", factor=BITS_PER_BYTE) | {"bytes/sec": float(BITS_PER_BYTE)}
_RATE_BPS |= prefixed("b/sec") | {"bits/sec": 1.0}
_PER_S = prefixed("/sec")
_CPUS = {"% cpus": 0.01}
"""Per cent of one CPU."""
_SIZE_BYTES = {"bytes": 1.0} | prefixed("B") | prefixed("iB", KIBI)
_HALF_A_BYTE = 0.5 + 1e-9
"""A size rounded by no more is a whole number, but for the error of binary fractions."""
_LATENCY = "a test of latency: one message at a time keeps the path mostly idle"


def _read(run: Run, found: Found) -> None:
    test = found.needed("test", "tcp_bw:")
    name = test.text("part")
    if name not in _TESTS:
        raise test.fault(f"test {shown(name)} is not read; known are {', '.join(_TESTS)}")
    entries = {"test": test}
    for hit in found["entry"]:
        if hit.text("key") in entries:
            raise hit.fault(f"a second {shown(hit.text('key'))}")
        entries[hit.text("key")] = hit
    time, buffer = _figure(entries, "time", SECONDS), _figure(entries, "sock_buf_size", _SIZE_BYTES)
    size = _figure(entries, "msg_size", _SIZE_BYTES)
    size_bytes = round(size.value) if size and size.half_width <= _HALF_A_BYTE else None
    run.update(protocol=name[:3], stream_count=1, duration_s=time.value if time else None)
    run["socket_buffer_bytes"] = round(buffer.value) or None if buffer else None
    run.note(*(hit.text("warning") for hit in found["warning"]))
    if name.endswith("lat"):
        rate = _figure(entries, "msg_rate", _PER_S)
        run.update(measures_latency=True, why_no_goodput=_LATENCY)
        run.update(request_bytes=size_bytes, response_bytes=size_bytes)
        run["transaction_time_s"] = 2 * _needed(entries, "latency", SECONDS).value
        run["transaction_rate_tps"] = rate.value / 2 if rate else None
        run["cpu"] = _cpu(entries, {"loc": 0.0, "rem": 0.0})
        return
    is_udp = name == "udp_bw"
    if is_udp and size_bytes is not None:
        datagram_size(entries["msg_size"], size_bytes, "msg_size")
    run["datagram_bytes" if is_udp else "write_bytes"] = size_bytes
    goodput = _needed(entries, "recv_bw" if is_udp else "bw", _RATE_BPS)
    sent = _needed(entries, "send_bw", _RATE_BPS) if is_udp else goodput
    if is_udp and sent.value:
        run["lost_ratio"] = max(0.0, 1 - goodput.value / sent.value)
    cpu = _cpu(entries, {"send": sent.value, "recv": goodput.value})
    run.count(goodput, direction=Direction.CLIENT_TO_SERVER, cpu=cpu)


def _figure(entries: Mapping[str, Hit], key: str, units: Mapping[str, float]) -> Figure | None:
    """Return a figure in base units; None where it is not printed."""
    if (hit := entries.get(key)) is None:
        return None
    printed = hit.maybe("exact") or hit.figure("value", units)
    is_whole = hit.text("value_unit") == "bytes" and "." not in hit.text("value")
    return Figure(printed.value) if is_whole or hit.has("exact") else printed


def _needed(entries: Mapping[str, Hit], key: str, units: Mapping[str, float]) -> Figure:
    """Return a figure that must be printed."""
    if key not in entries:
        raise entries["test"].fault(f"{entries['test'].text('part')} has no {key}: cut off")
    return _figure(entries, key, units) or Figure(0.0)


def _cpu(entries: Mapping[str, Hit], rates_bps: Mapping[str, float]) -> tuple[CpuUse, ...]:
    """Return the CPU time at both ends, by the names that qperf has for them."""
    return tuple(
        CpuUse(used.value, rate_bps, "system", side)
        for (end, rate_bps), side in zip(rates_bps.items(), Side, strict=True)
        if (used := _figure(entries, f"{end}_cpus_used", _CPUS))
    )


_NAME = r"(?:rc|rds|sctp|sdp|tcp|uc|ud|udp|xrc)_(?:[a-z_]+_)?(?:bw|lat|mr)"
QPERF = table_format(
    "qperf",
    marks=rf"{_NAME}:[ \t\r]*$",
    forms={
        "conf": r"conf:",
        "test": rf"(?P<part>{_NAME}):",
        "warning": r"warning: (?P<warning>.*)",
        "entry": r"(?P<key>[a-z][a-z0-9_]*)\s+=\s*(?P<value>[\d,.]+|\S*)\s*"
        r"(?P<value_unit>[^()]*?)\s*(?:\((?P<exact>[\d,]{1,25})\))?",
        "error": r"(?P<error>(?:[^\s:]+: )?(?:fail(?:ed|ure)|unable|cannot|could not|invalid|bad"
        r"|missing|unexpected|unsupported|out of|no such)\b.*|[\w ]+ failed: .*)",
    },
    read=_read,
    begins={"test": "test entry"},
    passed_over=("conf", "test"),
    fails={"error": ""},
    side=Side.CLIENT,
)
