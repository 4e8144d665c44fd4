"""
Results of iperf3 as JSON: ``-J`` and ``--json-stream``, of client and server.

Goodput is counted at the receiver, from bytes and time: the sender's count includes data that still
lies in socket buffers and, for UDP, datagrams that were lost. CPU time is that of the iperf3
process alone. Of several runs in one file, `part` gives the number of each; one that is broken
leaves the others, and says why it has no goodput.

References: iperf3 source, versions 3.12 and 3.21: ``iperf_api.c`` (JSON output), ``iperf_util.c``
(CPU utilisation).
"""

import re
from functools import partial
from typing import Any

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, load_json_values, one_line, shown
from netmodel.readers._formats import Format, read_parts
from netmodel.readers._printed import Figure, Run, datagram_size, share_cpu, started
from netmodel.readers.measurement import Direction
from netmodel.units.prefixes import MICRO, MS_PER_S

_MARK = re.compile(r'"test_start"|"version"\s*:\s*"iperf 3|"event"|"sum_received"')
_RECEIVED = "sum_received"
_SENT_AND_LOST = "sum"
"""UDP in versions that have no ``sum_received``: bytes of the sender, loss of the receiver."""
_REVERSE = "_bidir_reverse"
_UP = Direction.CLIENT_TO_SERVER
_HOSTS = ("local_host", "remote_host")
AT_SERVER = "the server's file does not report what reached the client: read the client's file"
LOST_SHARE_TAKEN_OFF = "goodput is what was sent, less the share that was lost"


def _read(raw: RawText) -> list[Run]:
    unread, faults = started(raw, "iperf3"), list[ParseError]()
    documents: list[Node | ParseError] = [*_documents(raw, faults), *faults]
    return read_parts([("run", unread, partial(_runs_of, raw, each)) for each in documents])


def _documents(raw: RawText, faults: list[ParseError]) -> list[Node]:
    """Return the results of a file, one after the other, each as ``-J`` writes it."""
    results: list[Node] = []
    stream: dict[str, Any] | None = None
    for value in load_json_values(raw, faults):
        if isinstance(value, dict) and isinstance(value.get("event"), str):
            name, data = value["event"], value.get("data")
            if stream is None or name == "start":
                stream = {"start": {}, "intervals": [], "end": {}, "ends": False}
                results.append(Node(raw.source, "", stream))
            if name == "interval":
                stream["intervals"].append(data)
            else:
                stream[name] = data
                stream["ends"] |= name in {"end", "error"}
            continue
        document = Node(raw.source, f"result {len(results) + 1}" if results else "", value)
        if not (document.has("error") or document.child("start", {}).has("version")):
            raise document.fault("is not a result of iperf3: it has no start.version")
        if stream and isinstance(stream["start"], dict):
            # --json-stream-full writes the whole result of a stream behind it
            cookie = stream["start"].get("cookie")
            if cookie in (None, value["start"].get("cookie")):
                results.pop()
        results.append(document)
        stream = None
    if stream and not stream["ends"]:
        faults.clear()  # of a line of this stream
    elif faults and not {"end", "error"} & results[-1].value.keys():
        results.pop()  # what follows is of the same result
    return results


def _runs_of(raw: RawText, document: Node | ParseError) -> list[Run]:
    """Return the directions of one run."""
    if isinstance(document, ParseError):
        raise document
    if document.value.get("ends") is False:
        raise ParseError(raw.source, "the stream stops before its end event")
    missing: dict[str, Any] | None = {} if document.has("error") else None
    start, end = document.child("start", missing), document.child("end", missing)
    # a stream that broke off before its start event has no version
    version = start.text("version", "")
    side = Side.SERVER if start.has("accepted_connection") else Side.CLIENT
    run = started(raw, "iperf3", recorded_by=side)
    run["tool_version"] = version.removeprefix("iperf ") or None
    if document.has("error"):
        return [Run(run, error=one_line(document.text("error")))]
    test = start.child("test_start")
    # of senders at this end
    streams = document.child("intervals", []).in_lists("streams")
    _take_set_up(run, streams, start, test, end)

    received = _RECEIVED if run["protocol"] == "tcp" or end.has(_RECEIVED) else _SENT_AND_LOST
    directions = {Direction.SERVER_TO_CLIENT if test.number("reverse", 0) else _UP: ""}
    if end.has(received + _REVERSE):
        run["is_bidirectional"] = True
        directions[Direction.SERVER_TO_CLIENT] = _REVERSE
    runs = []
    for direction, suffix in directions.items():
        runs.append(Run(run, direction=direction))
        _take_arrival(runs[-1], end, received, suffix)
    if any("congestion_window_bytes" in each for each in runs):
        reports = [x for x in streams if x.has("retransmits") and not x.value.get("omitted")]
        lossy_count = sum([each.number("retransmits") > 0 for each in reports])
        runs[0]["lossy_interval_count"] = lossy_count if reports else None
    percents: dict[Side, float] = {}
    if end.has("cpu_utilization_percent"):
        percent = end.child("cpu_utilization_percent")
        percents[side] = percent.number("host_total")
        if side is Side.CLIENT:  # a server knows its own CPU time alone
            percents[Side.SERVER] = percent.number("remote_total")
    share_cpu(runs, percents)
    return runs


def _take_set_up(run: Run, streams: list[Node], start: Node, test: Node, end: Node) -> None:
    """Set what holds for both directions."""
    protocol = test.text("protocol").lower()
    if protocol not in {"tcp", "udp"}:
        raise test.child("protocol").fault(f"must be TCP or UDP; got {shown(protocol)}")
    block_bytes = test.count("blksize", 0)
    if protocol == "udp":
        datagram_size(test.child("blksize"), block_bytes)
    connections = start.child("connected").each()
    run.name_hosts((each.text(key) for each in connections for key in _HOSTS), are_both_ends=True)
    omitted_s = test.number("omit", 0)
    if start.has("timestamp"):
        stamp = start.child("timestamp")
        key, per_s = ("timemillisecs", MS_PER_S) if stamp.has("timemillisecs") else ("timesecs", 1)
        # the first byte that counts is sent after the time that the test omits
        run["begin_utc_s"] = stamp.number(key) / per_s + omitted_s
    stream_count = test.count("num_streams")
    path_mtus = (each.count("pmtu") for each in streams if each.has("pmtu"))
    run["datagram_bytes" if protocol == "udp" else "write_bytes"] = block_bytes or None
    run.update(protocol=protocol, stream_count=stream_count, leaves_out_start=bool(omitted_s))
    run["segment_bytes"] = start.count("tcp_mss_default", 0) or None
    run["requested_mss_bytes"] = start.count("tcp_mss", 0) or None
    run["path_mtu_bytes"] = None if run["is_loopback"] else next(path_mtus, 0) or None
    run["congestion_control"] = end.text("sender_tcp_congestion", "") or None
    run["offered_rate_bps"] = test.number("target_bitrate", 0) * stream_count or None
    run["socket_buffer_bytes"] = start.count("sock_bufsize", 0) or None
    run["run_id"] = start.text("cookie", "") or None


def _take_arrival(run: Run, end: Node, received: str, suffix: str) -> None:
    """Set the payload that arrived in a direction, and the sender's figures of it."""
    at_client, is_up = run["recorded_by"] is Side.CLIENT, run["direction"] is _UP
    if not at_client and not is_up:
        run["why_no_goodput"] = AT_SERVER
        return
    arrival = end.child(received + suffix)
    duration_s = arrival.number("end") - arrival.number("start")
    received_bytes = arrival.count("bytes")
    is_derived = received == _SENT_AND_LOST
    # there is none without datagrams, and in old versions that print nan
    if is_derived or str(arrival.members().get("lost_percent", "nan")) != "nan":
        run["lost_ratio"] = lost_ratio = arrival.number("lost_percent") / 100
        if is_derived:
            received_bytes = round(received_bytes * max(0.0, 1 - lost_ratio))
            run.note(LOST_SHARE_TAKEN_OFF)
    own = None if is_derived else Figure(arrival.number("bits_per_second"))
    run.arrive(arrival, Figure(received_bytes), Figure(duration_s), own)
    if (sent := end.child(f"sum_sent{suffix}", {})).has("retransmits"):
        run["retransmit_count"] = sent.count("retransmits")
    if at_client and is_up:
        _take_windows(run, end)


def _take_windows(run: Run, end: Node) -> None:
    """Set windows and round trips of the senders at this end, where each reports them."""
    at_this_end = (x.child("sender") for x in end.child("streams", []).each() if x.has("sender"))
    senders = [sender for sender in at_this_end if sender.members().get("sender")]
    if not senders or len(senders) != run["stream_count"]:
        return

    def reported(key: str) -> list[float]:
        """Return the values of all senders; none where one has 0, which stands for "not known"."""
        values = [sender.number(key, 0) for sender in senders]
        return values if all(values) else []

    run["peer_window_bytes"] = int(sum(reported("max_snd_wnd"))) or None
    run["congestion_window_bytes"] = int(sum(reported("max_snd_cwnd"))) or None
    run["round_trip_s"] = sum(reported("mean_rtt")) / len(senders) * MICRO or None
    run["least_round_trip_s"] = min(reported("min_rtt"), default=0) * MICRO or None


# JSON with marks of iperf3
IPERF3 = Format(
    "iperf3", lambda text: text.lstrip()[:1] == "{" and _MARK.search(text) is not None, _read
)
