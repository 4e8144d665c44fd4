"""Results of iperf3: ``-J`` and ``--json-stream``, of client and server."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, TypeAlias

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import (
    Node,
    RawText,
    Source,
    load_json_values,
    one_line,
    read_text,
    shown,
)
from netmodel.readers._format import Format
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import BYTES_AND_TIME, MAX_DATAGRAM_BYTES, rate_disagreement
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
_US_PER_S = 1e6
_CPU_OF_BOTH = "CPU time is that of both directions together"
_Told: TypeAlias = dict[str, Any]
"""What a file tells, by the fields of a measurement."""


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
        Of several runs in one file, `part` gives the number of each: ``run 1``
        and so on.

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
    if raw.text.lstrip()[:1] != "{" and "\n{" in raw.text:
        return _read_behind_lines(raw)
    documents = _documents(raw)
    if len(documents) == 1:
        return _read_document(raw, documents[0], None)
    return tuple(
        run
        for number, document in enumerate(documents, start=1)
        for run in _read_document(raw, document, f"run {number}")
    )


def _read_document(raw: RawText, document: Node, part: str | None) -> tuple[Measurement, ...]:
    """The directions of one run; ``part`` names it where the file holds several."""
    start, end = document.child("start"), document.child("end")
    run: _Told = {
        "source": raw.source,
        "raw_text": raw.text,
        "sha256": raw.sha256,
        "part": part,
        "tool": _TOOL,
        "tool_version": _tool_version(start),
        "recorded_by": Side.SERVER if start.has("accepted_connection") else Side.CLIENT,
    }
    if document.has("error"):
        return (Measurement(**run, error=one_line(str(document.child("error").value))),)
    test = start.child("test_start")
    run |= _set_up(document, start, test, end)
    return tuple(Measurement(**run, **one) for one in _directions(run, test, end))


def _read_behind_lines(raw: RawText) -> tuple[Measurement, ...]:
    """What stands behind lines that iperf3 or a shell wrote into the same file."""
    before, json_text = raw.text.split("\n{", maxsplit=1)
    line_ends = "\n" * (before.count("\n") + 1)
    runs = _read(replace(raw, text=f"{line_ends}{{{json_text}"))
    told = f"lines before the JSON are left out: {shown(before.strip())}"
    return tuple(replace(run, raw_text=raw.text, warnings=(told, *run.warnings)) for run in runs)


def _documents(raw: RawText) -> list[Node]:
    """The results that stand one behind the other, each as ``-J`` writes it."""
    results: list[Node | list[dict[str, Any]]] = []
    for value in load_json_values(raw):
        if not (isinstance(value, dict) and "event" in value):
            document = _whole_document(raw, value, len(results))
            if results and isinstance(results[-1], list) and _is_same_run(results[-1], document):
                results.pop()
            results.append(document)
        elif not results or isinstance(results[-1], Node) or value["event"] == "start":
            results.append([value])
        else:
            results[-1].append(value)
    return [one if isinstance(one, Node) else _from_events(raw, one) for one in results]


def _is_same_run(events: list[dict[str, Any]], document: Node) -> bool:
    """Whether a whole result is that of the stream before it, as --json-stream-full writes it."""
    told = [event.get("data") for event in events if event["event"] == "start"]
    cookies = [start.get("cookie") for start in told if isinstance(start, dict)]
    return cookies in ([], [document.value["start"].get("cookie")])


def _whole_document(raw: RawText, value: object, before: int) -> Node:
    """A result of ``-J``; keys of those behind others are named with their number."""
    document = Node(raw.source, f"result {before + 1}" if before else "", value)
    if not (document.has("start") and document.child("start").has("version")):
        raise document.fault("is not a result of iperf3: it has no start.version")
    return document


def _from_events(raw: RawText, events: list[dict[str, Any]]) -> Node:
    """The document that ``-J`` would have written, from the lines of ``--json-stream``."""
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


def _set_up(document: Node, start: Node, test: Node, end: Node) -> _Told:
    """All that holds for both directions."""
    protocol = test.text("protocol").lower()
    if protocol not in _PROTOCOLS:
        raise test.child("protocol").fault(f"must be TCP or UDP; got {shown(protocol)}")
    hosts = [
        _address(connection, key)
        for connection in start.child("connected").items()
        for key in ("local_host", "remote_host")
    ]
    is_one_host = len(hosts) > 1 and len(set(hosts)) == 1
    is_loopback = is_one_host or (bool(hosts) and all(host.is_loopback for host in hosts))
    stream_count = test.count("num_streams")
    offered_bps = test.number("target_bitrate") if test.has("target_bitrate") else 0
    return {
        "protocol": protocol,
        "ip_version": hosts[0].version if hosts else None,
        "is_loopback": is_loopback,
        "stream_count": stream_count,
        "segment_bytes": None if is_loopback else start.positive_count("tcp_mss_default"),
        "requested_mss_bytes": start.positive_count("tcp_mss"),
        "datagram_bytes": _datagram_bytes(test) if protocol == "udp" else None,
        "write_bytes": test.positive_count("blksize") if protocol == "tcp" else None,
        "path_mtu_bytes": None if is_loopback else _path_mtu_bytes(document),
        "congestion_control": _congestion_control(end),
        "offered_rate_bps": offered_bps * stream_count or None,
        "socket_buffer_bytes": start.positive_count("sock_bufsize"),
        "leaves_out_start": bool(test.positive_count("omit")),
        "run_id": (start.text("cookie") or None) if start.has("cookie") else None,
        "begin_utc_s": _begin_utc_s(start, test),
    }


def _directions(run: _Told, test: Node, end: Node) -> list[_Told]:
    """What holds for each direction."""
    is_old_udp = run["protocol"] == "udp" and not end.has(_RECEIVED)
    received = _SENT_AND_LOST if is_old_udp else _RECEIVED
    is_reverse = test.has("reverse") and bool(test.number("reverse"))
    directions = {
        Direction.SERVER_TO_CLIENT if is_reverse else Direction.CLIENT_TO_SERVER: "",
    }
    is_bidirectional = end.has(received + _REVERSE)
    if is_bidirectional:
        directions[Direction.SERVER_TO_CLIENT] = _REVERSE
    arrivals = [
        _arrival(run, direction, end, received, suffix) for direction, suffix in directions.items()
    ]
    cpu = _cpu(run, end, [one.get("goodput_bps") for one in arrivals])
    of_both = [_CPU_OF_BOTH] if cpu and len(arrivals) > 1 else []
    shared = {"is_bidirectional": is_bidirectional, "cpu": cpu}
    return [one | shared | {"warnings": (*one["warnings"], *of_both)} for one in arrivals]


def _arrival(run: _Told, direction: Direction, end: Node, received: str, suffix: str) -> _Told:
    """The payload that arrived in a direction, and what else is told of it."""
    if run["recorded_by"] is Side.SERVER and direction is Direction.SERVER_TO_CLIENT:
        told = "the server's file does not tell what reached the client: read the client's"
        return {"direction": direction, "why_no_goodput": told, "warnings": ()}
    arrival = end.child(received + suffix)
    warnings: list[str] = []
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
    is_sender = run["recorded_by"] is Side.CLIENT and direction is Direction.CLIENT_TO_SERVER
    return {
        **(_windows(run, end) if is_sender else {}),
        "direction": direction,
        "duration_s": duration_s,
        "received_bytes": received_bytes,
        "goodput_bps": received_bytes * BITS_PER_BYTE / duration_s,
        "lost_ratio": lost_ratio,
        "retransmit_count": _retransmits(end, suffix),
        "reported_rate_bps": _sent_rate_bps(end, suffix),
        "warnings": warnings,
    }


def _windows(run: _Told, end: Node) -> _Told:
    """The windows and round trips that the senders saw, where they are at this end."""
    if not end.has("streams"):
        return {}
    senders = [sender for stream in end.child("streams").each() for sender in _sending(stream)]
    if not senders or len(senders) != run["stream_count"]:
        return {}
    peer_windows, own_windows, means_us, least_us = (
        _of_all(senders, key) for key in ("max_snd_wnd", "max_snd_cwnd", "mean_rtt", "min_rtt")
    )
    return {
        "peer_window_bytes": int(sum(peer_windows)) or None,
        "congestion_window_bytes": int(sum(own_windows)) or None,
        "round_trip_s": sum(means_us) / len(senders) / _US_PER_S or None,
        "least_round_trip_s": min(least_us, default=0) / _US_PER_S or None,
    }


def _sending(stream: Node) -> Iterator[Node]:
    """The sender of a stream, if it is at this end."""
    if stream.has("sender"):
        sender = stream.child("sender")
        if sender.members().get("sender"):
            yield sender


def _of_all(senders: list[Node], key: str) -> list[float]:
    """What all of them tell under a key; zero is what those tell that do not know it."""
    if not all(sender.has(key) for sender in senders):
        return []
    values = [sender.number(key) for sender in senders]
    return values if all(values) else []


def _lost_ratio(arrival: Node, is_needed: bool) -> float | None:
    """Share of datagrams that were lost; None where there are none, or old versions print nan."""
    if not is_needed and (
        not arrival.has("lost_percent") or arrival.child("lost_percent").is_nan()
    ):
        return None
    return arrival.number("lost_percent") / 100


def _cpu(run: _Told, end: Node, goodputs_bps: list[float | None]) -> tuple[CpuUse, ...]:
    """CPU time at both ends, which all directions share."""
    if not end.has("cpu_utilization_percent") or None in goodputs_bps:
        return ()
    percent = end.child("cpu_utilization_percent")
    moved_bps = sum(filter(None, goodputs_bps))
    here, there = (
        (Side.CLIENT, Side.SERVER) if run["recorded_by"] is Side.CLIENT else (Side.SERVER, None)
    )
    return tuple(
        CpuUse(percent.number(key) / 100, moved_bps, CpuScope.PROCESS, side)
        for side, key in ((here, "host_total"), (there, "remote_total"))
        if side is not None
    )


def _begin_utc_s(start: Node, test: Node) -> float | None:
    """When the first byte that counts was sent: after what the test omits."""
    if not start.has("timestamp"):
        return None
    stamp = start.child("timestamp")
    key, per_s = ("timemillisecs", 1000) if stamp.has("timemillisecs") else ("timesecs", 1)
    return stamp.number(key) / per_s + (test.number("omit") if test.has("omit") else 0)


def _datagram_bytes(test: Node) -> int:
    datagram_bytes = test.count("blksize")
    if not 0 < datagram_bytes <= MAX_DATAGRAM_BYTES:
        raise test.child("blksize").fault(
            f"must be from 1 to {MAX_DATAGRAM_BYTES} for UDP; got {datagram_bytes}"
        )
    return datagram_bytes


def _retransmits(end: Node, suffix: str) -> int | None:
    if not end.has(f"sum_sent{suffix}"):
        return None
    sent = end.child(f"sum_sent{suffix}")
    return sent.count("retransmits") if sent.has("retransmits") else None


def _sent_rate_bps(end: Node, suffix: str) -> float | None:
    """What the sender counted per second; old versions tell it of UDP only as the sum."""
    told = [key for key in ("sum_sent", _SENT_AND_LOST) if end.has(key + suffix)]
    return (end.child(told[0] + suffix).number("bits_per_second") or None) if told else None


def _path_mtu_bytes(document: Node) -> int | None:
    """Path MTU from the first interval of a sender, which alone knows it."""
    for interval in document.child("intervals").each():
        for stream in interval.child("streams").each():
            if stream.has("pmtu"):
                return stream.count("pmtu") or None
    return None


def _congestion_control(end: Node) -> str | None:
    key = "sender_tcp_congestion"
    return end.text(key) if end.has(key) else None


def _address(connection: Node, key: str) -> IPv4Address | IPv6Address:
    text = connection.text(key)
    try:
        return _parsed_address(text)
    except ValueError:
        raise connection.child(key).fault(f"must be an IP address; got {shown(text)}") from None


@lru_cache(maxsize=256)
def _parsed_address(text: str) -> IPv4Address | IPv6Address:
    """An address, kept because the results of a folder are mostly from a few hosts."""
    address = ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def _is_iperf3(text: str) -> bool:
    """Whether JSON with what only iperf3 writes begins in it, if need be after other lines."""
    is_json = text.lstrip()[:1] == "{" or "\n{" in text
    return is_json and any(mark in text for mark in _MARKS)


IPERF3 = Format("iperf3", _is_iperf3, _read)
