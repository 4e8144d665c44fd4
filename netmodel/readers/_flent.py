"""
Results of flent: the transfers of its flows of TCP and UDP, or the round trips of its pings.

Goodput is what flent recorded of each whole flow in SERIES_META: the bytes that arrived
(BYTES_RECVD, counted at the receiver) over the time of the flow or, of TCP, the mean that netperf
printed (MEAN_VALUE), which for uploads is counted at the sender. For more than one flow of a
direction it is all their bytes over the longest of their times, or the sum of their means; where
they did not run at the same time, there is none.

The series under ``results`` give no goodput: flent resamples them to common times, and its sums
hold only those flows that reported just then. Their means were seen 0.7 % too high at 1 Gbit/s, and
60 % too low at 1 Mbit/s.

The command of a flow gives its protocol and direction; its name is used only where flent recorded
no command. Pings beside flows, jitter, loss and flent's data of the host are left out. A test
without flows has one measurement, with the mean time of its pings.

References: flent documentation, data files; files of version 4 that flent 2.1.1 wrote, and files of
versions 2 and 3 made by hand.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, load_json_document, shown
from netmodel.readers._formats import Format
from netmodel.readers._measurement import IP_VERSIONS, Direction, Measurement
from netmodel.readers._printed import (
    BYTES_AND_TIME,
    COUNTED_AT_SENDER,
    Figure,
    rate_disagreement,
    with_hosts,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import MILLI

_TOOL = "flent"
_VERSIONS = (2, 3, 4)
"""Versions of the data file; flent 2.1.1 writes 4."""
_RATES_BPS = {"Mbits/s": 1e6, "Mbit/s": 1e6}
_UP, _DOWN = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT
_NETPERF_TEST = re.compile(r"\bnetperf\b.* -t (?P<protocol>TCP|UDP)_(?P<kind>[A-Z]+)\b")
_KINDS = {"STREAM": _UP, "SENDFILE": _UP, "MAERTS": _DOWN}
_FLOW_NAME = re.compile(r"(?P<protocol>TCP|UDP) (?P<direction>download|upload)\b")
_NAMED_DIRECTIONS = {"upload": _UP, "download": _DOWN}
_COMPUTED = re.compile(r".*(?:[ :](?:sum|avg|fairness|totals)|::[a-z]\w*)\Z")
"""Series that flent computes from others, or that show the socket of a flow (``::tcp_cwnd``)."""
_PING = "Ping"
_PRINTED_HALF_STEP = 0.005
"""netperf prints its time in hundredths of a second and its rate in hundredths of a Mbit/s."""
_SHORTEST_S = 0.1
"""Hundredths of a second do not resolve the time of a shorter flow."""
_APART_RATIO = 0.05
"""
Flows whose starts or times differ by less of the longest time count as one transfer. Those of one
test differ by the round trips in which they end (0.16 of 5 s in a full queue); tests that start
flows one after the other do so by a quarter of the test or more.
"""
_LONGEST_NAME = 60
"""Characters of the name of a series in a message."""
_NO_TOTALS = (
    "flent recorded neither bytes with time nor a mean of all flows: judge netperf's output"
)
_NO_UDP = "flent did not record what arrived over UDP: judge the output of netperf"
_NOT_TOGETHER = (
    "the {count} flows started or ended up to {apart_s:.3g} s apart: judge a test of parallel flows"
)


@dataclass(frozen=True, slots=True)
class _Flow:
    """A flow, with the values that flent recorded for the whole of it."""

    name: str
    protocol: str
    direction: Direction
    start_s: float | None
    time_s: float | None
    received_bytes: int | None
    mean: Figure | None
    segment_bytes: int | None
    write_bytes: int | None


def _read(raw: RawText) -> tuple[Measurement, ...]:
    document = load_json_document(raw)
    if not (document.has("x_values") and document.has("results") and document.has("metadata")):
        missing = "it has no x_values, results and metadata"
        raise ParseError(raw.source, f"not a result of flent: {missing}")
    version = document.number("version")
    if version not in _VERSIONS:
        raise document.child("version").fault(f"must be 2, 3 or 4; got {shown(version)}")
    run = _started(raw, document)
    flows = list(_flows(document))
    groups = list(dict.fromkeys((flow.protocol, flow.direction) for flow in flows))
    is_bidirectional = len({direction for _, direction in groups}) > 1
    measured = [
        _transferred(
            replace(run, is_bidirectional=is_bidirectional),
            [flow for flow in flows if (flow.protocol, flow.direction) == group],
        )
        for group in groups
    ]
    return tuple(measured) or (_latency(document, run),)


def _started(raw: RawText, document: Node) -> Measurement:
    """The run with what holds for all series."""
    metadata = document.child("metadata")
    version = metadata.text("FLENT_VERSION") if _has(metadata, "FLENT_VERSION") else None
    hosts = metadata.child("HOSTS").value if _has(metadata, "HOSTS") else None
    run = Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=_TOOL,
        tool_version=version,
        recorded_by=Side.CLIENT,
    )
    if isinstance(hosts, list):
        run = with_hosts(run, [host for host in hosts if isinstance(host, str)])
    if not _has(metadata, "IP_VERSION"):
        return run
    ip_version = metadata.count("IP_VERSION")
    if ip_version not in IP_VERSIONS:
        raise metadata.child("IP_VERSION").fault(f"must be 4 or 6; got {ip_version}")
    return replace(run, ip_version=ip_version)


def _has(node: Node, key: str) -> bool:
    return node.has(key) and node.child(key).value is not None


def _described(document: Node, name: str) -> Node:
    """Metadata of a series, possibly empty."""
    metadata = document.child("metadata")
    if _has(metadata, "SERIES_META") and _has(metadata.child("SERIES_META"), name):
        return metadata.child("SERIES_META").child(name)
    return Node(document.source, f"metadata.SERIES_META.{name}", {})


def _flows(document: Node) -> Iterator[_Flow]:
    """The series that are flows of TCP or UDP."""
    for name in sorted(document.child("results").members()):
        described = _described(document, name)
        command = described.text("COMMAND") if _has(described, "COMMAND") else ""
        if test := _NETPERF_TEST.search(command):
            if test["kind"] in _KINDS:
                yield _flow(document, name, test["protocol"], _KINDS[test["kind"]])
        elif (match := _FLOW_NAME.match(name)) and not _COMPUTED.match(name):
            yield _flow(document, name, match["protocol"], _NAMED_DIRECTIONS[match["direction"]])


def _flow(document: Node, name: str, protocol: str, direction: Direction) -> _Flow:
    described = _described(document, name)
    time_s = described.number("ELAPSED_TIME") if _has(described, "ELAPSED_TIME") else 0.0
    start_s = None
    if _has(document, "raw_values") and _has(document.child("raw_values"), name):
        first = next(document.child("raw_values").child(name).each(), None)
        is_timed = first is not None and isinstance(first.value, dict)
        if first is not None and is_timed and _has(first, "t") and _has(first, "dur"):
            # printed at the end of its first interval
            start_s = first.number("t") - first.number("dur")
    return _Flow(
        name,
        protocol.lower(),
        direction,
        start_s=start_s,
        time_s=time_s if time_s >= _SHORTEST_S else None,
        received_bytes=_count(described, "BYTES_RECVD"),
        mean=_mean(described),
        segment_bytes=_count(described, "TCP_MSS"),
        write_bytes=_count(described, "SEND_SIZE"),
    )


def _count(described: Node, key: str) -> int | None:
    """A recorded whole number; None for 0 and for -1, which netperf prints for not measured."""
    if not _has(described, key) or described.child(key).value == -1:
        return None
    return described.count(key) or None


def _mean(described: Node) -> Figure | None:
    """The rate that netperf printed for a whole flow."""
    if not (_has(described, "MEAN_VALUE") and _has(described, "UNITS")):
        return None
    unit = described.text("UNITS")
    if unit not in _RATES_BPS:
        known = " or ".join(_RATES_BPS)
        raise described.child("UNITS").fault(f"must be {known}; got {shown(unit)}")
    factor = _RATES_BPS[unit]
    return Figure(described.number("MEAN_VALUE") * factor, _PRINTED_HALF_STEP * factor)


def _transferred(run: Measurement, flows: list[_Flow]) -> Measurement:
    """The run with what all flows of one protocol and direction transferred."""
    protocol, direction = flows[0].protocol, flows[0].direction
    word = "upload" if direction is _UP else "download"
    write_bytes = _common(flow.write_bytes for flow in flows)
    run = replace(
        run,
        part=flows[0].name if len(flows) == 1 else f"{len(flows)} flows of {protocol} {word}",
        protocol=protocol,
        direction=direction,
        stream_count=len(flows),
        segment_bytes=None if run.is_loopback else _common(flow.segment_bytes for flow in flows),
        write_bytes=write_bytes if protocol == "tcp" else None,
        datagram_bytes=write_bytes if protocol == "udp" else None,
    )
    times_s = [flow.time_s for flow in flows if flow.time_s is not None]
    starts_s = [flow.start_s for flow in flows if flow.start_s is not None] or [0.0]
    if times_s:
        # flows that did not run together do not add up
        apart_s = max(max(times_s) - min(times_s), max(starts_s) - min(starts_s))
        if apart_s > _APART_RATIO * max(times_s):
            why_not = _NOT_TOGETHER.format(count=len(flows), apart_s=apart_s)
            return replace(run, why_no_goodput=why_not)
    received = [flow.received_bytes for flow in flows if flow.received_bytes is not None]
    means = [flow.mean for flow in flows if flow.mean is not None]
    run = replace(run, duration_s=max(times_s, default=None))
    if len(times_s) == len(received) == len(flows):
        goodput = _over_time(sum(received), max(times_s))
        notes: tuple[str, ...] = ()
        for flow in flows:
            if flow.received_bytes is not None and flow.time_s is not None and flow.mean:
                own = _over_time(flow.received_bytes, flow.time_s)
                rounding_bps = own.half_width + flow.mean.half_width
                tool = f"{_TOOL} for {flow.name[:_LONGEST_NAME]}"
                notes += rate_disagreement(
                    tool, flow.mean.value, own.value, rounding_bps, BYTES_AND_TIME
                )
        run = replace(run, received_bytes=sum(received))
    elif protocol == "tcp" and len(means) == len(flows):
        goodput = sum(means, start=Figure(0.0, 0.0))
        run = replace(run, is_counted_at_sender=direction is _UP)
        notes = (COUNTED_AT_SENDER,) if direction is _UP else ()
    else:
        return replace(run, why_no_goodput=_NO_UDP if protocol == "udp" else _NO_TOTALS)
    return replace(
        run,
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        notes=notes,
    )


def _common(sizes: Iterable[int | None]) -> int | None:
    """The size that all flows share; None where they differ."""
    different = set(sizes)
    return different.pop() if len(different) == 1 else None


def _over_time(received_bytes: int, time_s: float) -> Figure:
    """The rate from the first byte of all flows to the last."""
    rate_bps = BITS_PER_BYTE * received_bytes / time_s
    return Figure(rate_bps, rate_bps * _PRINTED_HALF_STEP / (time_s - _PRINTED_HALF_STEP))


def _latency(document: Node, run: Measurement) -> Measurement:
    """The run as a test of latency: the mean time of its pings."""
    names = [name for name in sorted(document.child("results").members()) if name.startswith(_PING)]
    names = [name for name in names if not _COMPUTED.match(name)] or names
    if not names:
        raise document.child("results").fault("holds neither a flow of TCP or UDP nor a ping")
    times_s = [time_s for name in names if (time_s := _ping_s(document, name)) is not None]
    return replace(
        run,
        part=names[0] if len(names) == 1 else f"{len(names)} series of ping",
        measures_latency=True,
        why_no_goodput="a test of latency: flent ran no flow of TCP or UDP",
        transaction_time_s=sum(times_s) / len(times_s) if times_s else None,
        notes=() if times_s else ("no ping was answered",),
    )


def _ping_s(document: Node, name: str) -> float | None:
    """The mean time of a series of ping, as recorded or else of its samples."""
    described = _described(document, name)
    unit = described.text("UNITS") if _has(described, "UNITS") else None
    if unit not in {"ms", None} or (unit is None and "(ms)" not in name):
        raise described.fault(f"must have ms for its UNITS; got {shown(unit)}")
    if _has(described, "MEAN_VALUE"):
        return described.number("MEAN_VALUE") * MILLI
    series = document.child("results").child(name)
    samples = {
        str(index): sample.value
        for index, sample in enumerate(series.each())
        if sample.value is not None
    }
    if not samples:
        return None
    holder = Node(series.source, series.path, samples)
    return sum(map(holder.number, samples)) / len(samples) * MILLI


_MARKS = ('"x_values"', '"metadata"', '"results"')
"""Keys that only flent writes together."""
FLENT = Format(
    "flent",
    lambda text: text.lstrip()[:1] == "{" and all(mark in text for mark in _MARKS),
    _read,
)
