"""Results of iperf3: ``-J`` and ``--json-stream``, of client and server."""

from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_address

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, Source, load_json_values, read_text, shown
from netmodel.readers._format import Format
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import BYTES_AND_TIME, rate_disagreement
from netmodel.units import BITS_PER_BYTE

__all__ = ["IPERF3", "read_iperf3"]

_TOOL = "iperf3"
_MARKS = ('"test_start"', '"iperf 3', '"event"', '"iperf3', '"sum_received"')
_VERSION_PREFIX = "iperf 3"
_PROTOCOLS = frozenset({"tcp", "udp"})
_RECEIVED = "sum_received"
_SENT_AND_LOST = "sum"
_REVERSE = "_bidir_reverse"
_SHORTEST_S = 1e-3
_MAX_DATAGRAM_BYTES = 65507
_US_PER_S = 1e6


def read_iperf3(source: Source) -> tuple[Measurement, ...]:
    """
    Read a result of iperf3.

    Parameters
    ----------
    source : path, bytes or mapping
        File that ``iperf3 -J`` or ``iperf3 --json-stream`` wrote, on the
        client or on the server, or its content, as bytes or as parsed JSON.

    Returns
    -------
    measurements : tuple of Measurement
        One for each direction, two where the test was bidirectional. Where
        iperf3 reports an error there is one, with the error and no values.

    Raises
    ------
    ParseError
        If the file is not a result of iperf3, is cut off, or holds a value
        that cannot be; the message names the file and the key.

    Notes
    -----
    Goodput is taken at the receiver, from bytes and time: what the sender
    counts includes what still lies in socket buffers, and for UDP what was
    lost. CPU time is that of the iperf3 process alone.

    References
    ----------
    iperf3 source, versions 3.12 and 3.21: ``iperf_api.c`` (JSON output),
    ``iperf_util.c`` (CPU utilisation).
    """
    return _read(read_text(source))


def _read(raw: RawText) -> tuple[Measurement, ...]:
    document = _document(raw)
    start, end = document.child("start"), document.child("end")
    run = Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=_TOOL,
        tool_version=_tool_version(start),
        recorded_by=Side.SERVER if start.has("accepted_connection") else Side.CLIENT,
    )
    if document.has("error"):
        return (replace(run, error=str(document.child("error").value)),)
    return _directions(_with_set_up(run, document), start.child("test_start"), end)


def _document(raw: RawText) -> Node:
    values = load_json_values(raw)
    events = [value for value in values if isinstance(value, dict) and "event" in value]
    whole = [value for value in values if value not in events]
    if not whole:
        return _from_events(raw, events)
    if len(whole) > 1:
        raise ParseError(raw.source, f"holds {len(whole)} results; keep one in a file")
    document = Node(raw.source, "", whole[0])
    if not (document.has("start") and document.child("start").has("version")):
        raise ParseError(raw.source, "not a result of iperf3: it has no start.version")
    return document


def _from_events(raw: RawText, events: list[dict[str, object]]) -> Node:
    """The document that ``-J`` would have written, from the lines of ``--json-stream``."""
    starts = sum(event["event"] == "start" for event in events)
    if starts > 1:
        raise ParseError(raw.source, f"holds {starts} results; keep one in a file")
    named = {str(event["event"]): event.get("data") for event in events}
    document: dict[str, object] = {
        "start": named.get("start", {}),
        "intervals": [event.get("data") for event in events if event["event"] == "interval"],
    }
    if "error" in named:
        return Node(raw.source, "", document | {"end": {}, "error": named["error"]})
    if "end" not in named:
        raise ParseError(raw.source, "the stream stops before its end event")
    return Node(raw.source, "", document | {"end": named["end"]})


def _tool_version(start: Node) -> str | None:
    """Version, which only a stream that broke off before its start event does not tell."""
    if not start.has("version"):
        return None
    version = start.text("version")
    if not version.startswith(_VERSION_PREFIX):
        raise start.child("version").fault(
            f"must begin with {_VERSION_PREFIX!r}; got {shown(version)}"
        )
    return version.removeprefix("iperf ").split()[0]


def _with_set_up(run: Measurement, document: Node) -> Measurement:
    """The run with all that holds for both directions."""
    start = document.child("start")
    test = start.child("test_start")
    protocol = test.text("protocol").lower()
    if protocol not in _PROTOCOLS:
        raise test.child("protocol").fault(f"must be TCP or UDP; got {shown(protocol)}")
    hosts = [
        _address(connection, key)
        for connection in start.child("connected").items()
        for key in ("local_host", "remote_host")
    ]
    is_loopback = bool(hosts) and all(host.is_loopback for host in hosts)
    stream_count = test.count("num_streams")
    offered_bps = test.number("target_bitrate") if test.has("target_bitrate") else 0
    return replace(
        run,
        protocol=protocol,
        ip_version=hosts[0].version if hosts else None,
        is_loopback=is_loopback,
        stream_count=stream_count,
        segment_bytes=None if is_loopback else _count_or_none(start, "tcp_mss_default"),
        requested_mss_bytes=_count_or_none(start, "tcp_mss"),
        datagram_bytes=_datagram_bytes(test) if protocol == "udp" else None,
        path_mtu_bytes=None if is_loopback else _path_mtu_bytes(document),
        congestion_control=_congestion_control(document.child("end")),
        offered_rate_bps=offered_bps * stream_count or None,
        socket_buffer_bytes=_count_or_none(start, "sock_bufsize"),
        leaves_out_start=bool(_count_or_none(test, "omit")),
        begin_utc_s=_begin_utc_s(start, test),
    )


def _directions(run: Measurement, test: Node, end: Node) -> tuple[Measurement, ...]:
    """The run, once for each direction, with what arrived."""
    is_old_udp = run.protocol == "udp" and not end.has(_RECEIVED)
    received = _SENT_AND_LOST if is_old_udp else _RECEIVED
    is_reverse = test.has("reverse") and bool(test.number("reverse"))
    directions = {
        Direction.SERVER_TO_CLIENT if is_reverse else Direction.CLIENT_TO_SERVER: "",
    }
    if end.has(received + _REVERSE):
        directions[Direction.SERVER_TO_CLIENT] = _REVERSE
        run = replace(run, is_bidirectional=True)
    measured = [
        _with_arrival(replace(run, direction=direction), end, received, suffix)
        for direction, suffix in directions.items()
    ]
    return tuple(_with_cpu(one, end, measured) for one in measured)


def _with_arrival(run: Measurement, end: Node, received: str, suffix: str) -> Measurement:
    """The run with the payload that arrived in its direction."""
    if run.recorded_by is Side.SERVER and run.direction is Direction.SERVER_TO_CLIENT:
        told = "the server's file does not tell what reached the client: read the client's"
        return replace(run, why_no_goodput=told)
    arrival = end.child(received + suffix)
    warnings = list(run.warnings)
    duration_s = arrival.number("end") - arrival.number("start")
    if duration_s < _SHORTEST_S:
        raise arrival.child("end").fault("is not after the start: the test has no duration")
    received_bytes = arrival.count("bytes")
    is_derived = received == _SENT_AND_LOST
    lost_ratio = _lost_ratio(arrival, is_derived)
    if lost_ratio is not None and lost_ratio > 1:
        warnings.append(f"iperf3 counts more datagrams lost than sent ({100 * lost_ratio:.4g} %)")
    if is_derived and lost_ratio is not None:
        received_bytes = round(received_bytes * max(0.0, 1 - lost_ratio))
        warnings.append("goodput is derived from what was sent and the share that was lost")
    else:
        warnings += rate_disagreement(
            _TOOL,
            arrival.number("bits_per_second"),
            received_bytes * BITS_PER_BYTE / duration_s,
            counted=BYTES_AND_TIME,
        )
    return replace(
        _with_windows(run, end),
        duration_s=duration_s,
        received_bytes=received_bytes,
        goodput_bps=received_bytes * BITS_PER_BYTE / duration_s,
        lost_ratio=lost_ratio,
        retransmit_count=_retransmits(end, suffix),
        reported_rate_bps=_sent_rate_bps(end, suffix),
        warnings=tuple(warnings),
    )


def _with_windows(run: Measurement, end: Node) -> Measurement:
    """The run with the windows and round trips that its senders saw, which this end may not be."""
    is_sender = run.recorded_by is Side.CLIENT and run.direction is Direction.CLIENT_TO_SERVER
    if not (is_sender and end.has("streams")):
        return run
    streams = end.child("streams").items()
    peer_windows, own_windows, means_us, least_us = (
        _of_senders(streams, run.stream_count, key)
        for key in ("max_snd_wnd", "max_snd_cwnd", "mean_rtt", "min_rtt")
    )
    return replace(
        run,
        peer_window_bytes=int(sum(peer_windows)) or None,
        congestion_window_bytes=int(sum(own_windows)) or None,
        round_trip_s=sum(means_us) / max(1, len(means_us)) / _US_PER_S or None,
        least_round_trip_s=min(least_us, default=0) / _US_PER_S or None,
    )


def _of_senders(streams: list[Node], stream_count: int | None, key: str) -> list[float]:
    """What each sender at this end tells under a key; nothing unless all of them do."""
    told = [
        sender.number(key)
        for sender in (stream.child("sender") for stream in streams if stream.has("sender"))
        if sender.has("sender") and sender.child("sender").value and sender.has(key)
    ]
    return told if len(told) == stream_count and all(told) else []


def _lost_ratio(arrival: Node, is_needed: bool) -> float | None:
    """Share of datagrams that were lost; None where there are none, or old versions print nan."""
    if not is_needed and (
        not arrival.has("lost_percent") or arrival.child("lost_percent").is_nan()
    ):
        return None
    return arrival.number("lost_percent") / 100


def _with_cpu(run: Measurement, end: Node, measured: list[Measurement]) -> Measurement:
    """The run with the CPU time at both ends, which all directions share."""
    if not end.has("cpu_utilization_percent"):
        return run
    percent = end.child("cpu_utilization_percent")
    rates_bps = [one.goodput_bps for one in measured]
    if None in rates_bps:
        return run
    here, there = (
        (Side.CLIENT, Side.SERVER) if run.recorded_by is Side.CLIENT else (Side.SERVER, None)
    )
    cpu = tuple(
        CpuUse(percent.number(key) / 100, sum(filter(None, rates_bps)), CpuScope.PROCESS, side)
        for side, key in ((here, "host_total"), (there, "remote_total"))
        if side is not None
    )
    shared = ("CPU time is that of both directions together",) if len(measured) > 1 else ()
    return replace(run, cpu=cpu, warnings=run.warnings + shared)


def _begin_utc_s(start: Node, test: Node) -> float | None:
    """When the first byte that counts was sent: after what the test omits."""
    if not start.has("timestamp"):
        return None
    stamp = start.child("timestamp")
    key, per_s = ("timemillisecs", 1000) if stamp.has("timemillisecs") else ("timesecs", 1)
    return stamp.number(key) / per_s + (test.number("omit") if test.has("omit") else 0)


def _datagram_bytes(test: Node) -> int:
    datagram_bytes = test.count("blksize")
    if not 0 < datagram_bytes <= _MAX_DATAGRAM_BYTES:
        raise test.child("blksize").fault(
            f"must be from 1 to {_MAX_DATAGRAM_BYTES} for UDP; got {datagram_bytes}"
        )
    return datagram_bytes


def _retransmits(end: Node, suffix: str) -> int | None:
    sent = f"sum_sent{suffix}"
    if not (end.has(sent) and end.child(sent).has("retransmits")):
        return None
    return end.child(sent).count("retransmits")


def _sent_rate_bps(end: Node, suffix: str) -> float | None:
    """What the sender counted per second; old versions tell it of UDP only as the sum."""
    told = [key for key in ("sum_sent", _SENT_AND_LOST) if end.has(key + suffix)]
    return (end.child(told[0] + suffix).number("bits_per_second") or None) if told else None


def _path_mtu_bytes(document: Node) -> int | None:
    """Path MTU from the first interval of a sender, which alone knows it."""
    for interval in document.child("intervals").items():
        for stream in interval.child("streams").items():
            if stream.has("pmtu"):
                return stream.count("pmtu") or None
    return None


def _congestion_control(end: Node) -> str | None:
    key = "sender_tcp_congestion"
    return end.text(key) if end.has(key) else None


def _address(connection: Node, key: str) -> IPv4Address | IPv6Address:
    text = connection.text(key)
    try:
        address = ip_address(text)
    except ValueError:
        raise connection.child(key).fault(f"must be an IP address; got {shown(text)}") from None
    return getattr(address, "ipv4_mapped", None) or address


def _count_or_none(node: Node, key: str) -> int | None:
    """A count where it is there and not zero, which stands for unknown."""
    return (node.count(key) or None) if node.has(key) else None


def _is_iperf3(text: str) -> bool:
    """Whether it is JSON with what only iperf3 writes, or begins as its streams do."""
    start = text.lstrip()[:1]
    return start == "{" and any(mark in text for mark in _MARKS)


IPERF3 = Format("iperf3", _is_iperf3, _read)
