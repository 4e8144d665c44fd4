"""
Results of iperf3 as text, of client and server, of one run or several; prefer ``-J``.

Goodput is that of the receiver's line. Bytes, time and rate have three digits: the goodput is the
less rounded of the printed rate and of bytes over time. Prefixes of bits are decimal, those of
bytes binary. Only ``-V`` prints version, segment size, congestion control and, at the client, CPU
time. The congestion window is the largest of those of the intervals. Lines of the summary alone are
enough; titles (``-T``) and ``--timestamps`` are skipped.

A run is UDP where its lines have a jitter or a loss, otherwise TCP, with a note where they have no
retransmits either, as at servers and of Windows builds: SCTP is known with ``-V`` alone. The
datagram size is derived from bytes over datagrams where the rounding leaves at most 1 %. Versions
3.0 and 3.1 end a UDP test with what was sent and the share that was lost, from which the goodput
follows. The id of a run consists of the addresses and ports of both ends; without ``-V`` text has
no cookie.

References: iperf3 source, version 3.12: ``iperf_locale.c``, ``units.c``.
"""

from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import shown
from netmodel.readers._iperf3 import AT_SERVER, LOST_SHARE_TAKEN_OFF
from netmodel.readers._printed import IPERF_BITS, IPERF_BYTES, NUMBER, Figure, Hit, Run, share_cpu
from netmodel.readers._table import Found, count_ids, count_intervals, name_ends, table_format
from netmodel.readers.measurement import Direction

_AT_SENDER = "the text has only the sender's line: add the receiver's line"
_OLD = "iperf3 3.0 and 3.1 print no count of the receiver at the server: read the client's file"
_MORE = "its lines contradict each other: more arrived than was sent and not lost"
_MOST_OF_SENT = 1.1
"""Ends differ by what is in flight when they start and stop to count; errors of a line, by more."""
_ROLES = ({""}, {"TX-C", "RX-C"}, {"TX-S", "RX-S"})
"""Roles in one text: without ``--bidir``, of a client, and of a server."""


def _read(run: Run, found: Found) -> list[Run]:
    if other := found.first("start_other"):
        got = shown(other.text("transport"))
        raise other.fault(f"a test over {got}: only TCP and UDP tests are read")
    name_ends(run, found["hosts"])
    rows = found["row"] + found["total"]
    is_old_udp = bool(found["sent"])
    if is_old_udp:
        # the last line of each stream has the bytes of the sender and the loss of the receiver
        last = {hit.text("id"): hit for hit in found["udp"]}
        rows = [replace(hit, groups=hit.groups | {"by": "receiver"}) for hit in last.values()]
    if run["protocol"] is None and rows:
        is_tcp = not any(hit.has("sent") for hit in rows)
        run["protocol"] = "tcp" if is_tcp else "udp"
        if is_tcp and not any(hit.has("retransmits") for hit in rows):
            run.note("its lines have neither jitter nor loss: taken as TCP")
    every = rows + found["window"] + found["udp"] + found["interval"]
    roles = {hit.text("role") for hit in every}
    if not roles:
        raise ParseError(found.source, "the text stops before its first result")
    if roles not in _ROLES:
        raise ParseError(found.source, "the text stops before its second direction")
    run["is_bidirectional"] = len(roles) > 1
    opened_count = len({hit.text("id") for hit in found["hosts"]}) // len(roles)
    run["stream_count"] = max(run["stream_count"] or 0, opened_count) or None
    order = sorted(roles, reverse=True)
    runs = [_direction(Run(run), every, role, is_old_udp=is_old_udp) for role in order]
    # only clients print it of both ends
    printed = None if run["recorded_by"] is Side.SERVER else found.first("cpu")
    share_cpu(runs, {side: printed.figure(side.value).value for side in Side} if printed else {})
    return runs


def _direction(run: Run, every: list[Hit], role: str, *, is_old_udp: bool) -> Run:
    """Return the run with the payload that arrived in one direction."""
    of_role = [hit for hit in every if hit.text("role") == role]
    streams = {hit.text("id") for hit in of_role}
    kept = [hit for hit in of_role if not hit.line.rstrip().endswith("(omitted)")]
    windows = [hit for hit in kept if hit.form == "window"]
    count_intervals(run, windows, windows)
    sent, received = (_whole(of_role, end) for end in ("sender", "receiver"))
    told_count = run["stream_count"]
    count_ids(run, streams, [hit.text("id") for hit in received or sent])
    is_server = run["recorded_by"] is Side.SERVER
    # lines of a summary alone do not print the direction
    if role or run["recorded_by"]:
        is_up = run["direction"] is None if not is_server else bool(received)
        run.set_direction(is_up=role in {"TX-C", "RX-S"} if role else is_up)
    # the seconds that -V prints, or lines of intervals
    run["leaves_out_start"] = bool(run["leaves_out_start"]) or len(kept) < len(of_role)
    again = [hit.whole("retransmits") for hit in sent]
    run["retransmit_count"] = sum(filter(None, again)) if again and None not in again else None
    if not received:
        if run["recorded_by"] is Side.CLIENT or not sent:
            raise ParseError(run["source"], "the text stops before its receiver line")
        run["why_no_goodput"] = AT_SERVER if is_server else _AT_SENDER
        return run
    size, rate = (_total(received, name) for name in ("size", "rate"))
    run.note(*["no line is of all streams: their sum"] * (len(received) > 1))
    own = [hit for hit in of_role if hit.text("by") == "receiver" and hit not in received]
    of_streams = _total(own, "rate")
    if own and (len(own) == told_count or of_streams.value + rate.half_width >= rate.value):
        run.disagree(rate, of_streams, "its streams add up to")
    elif own:
        run["stream_count"] = told_count
    run.arrive(received[0], size, received[0].duration(), rate)
    if received[0].has("sent"):
        run["protocol"] = "udp"
        lost, count = (sum(hit.count(name) for hit in received) for name in ("lost", "sent"))
        run.lose(size.or_finer(_total(own, "size")), lost, count, lost_are_counted=is_old_udp)
    left_bytes = _total(sent, "size").value * (1 - (run["lost_ratio"] or 0.0))
    # servers print no bytes of the sender
    if len(sent) == len(received) and 0 < _MOST_OF_SENT * left_bytes < size.value:
        run["contradiction"] = _MORE
    if is_old_udp and (is_server or run["lost_ratio"] is None):
        run.take_back(_OLD)
    elif is_old_udp:
        ratio = max(0.0, 1 - run["lost_ratio"])
        goodput = Figure(run["goodput_bps"], run["half_width_bps"])
        run.count(goodput.times(ratio), received_bytes=round(run["received_bytes"] * ratio))
        run.note(LOST_SHARE_TAKEN_OFF)
    return run


def _total(hits: list[Hit], name: str) -> Figure:
    """Return a figure of all lines."""
    return sum((hit.figure(name) for hit in hits), Figure(0.0))


def _whole(rows: list[Hit], by: str) -> list[Hit]:
    """Return the line of all streams, or those of each where none is of all."""
    of_end = [hit for hit in rows if hit.text("by") == by]
    whole = [hit for hit in of_end if hit.text("id") == "SUM"] or of_end
    ids = [hit.text("id") for hit in whole]
    if len({*ids}) < len(ids):
        raise whole[1].fault(f"a second summary of [{ids[1]}]; keep one in a file")
    return whole


_ROW = (
    rf"\[ *(?P<id>SUM|\d+)\](?:\[(?P<role>[TR]X-[CS])\])? +(?P<start>{NUMBER})-(?P<end>{NUMBER})"
    rf" +sec +(?P<size>{NUMBER}) (?P<size_unit>[A-Z]?Bytes)"
    rf" +(?P<rate>{NUMBER}) (?P<rate_unit>[A-Z]?(?:bits|Bytes))/sec"
)
_LOSS = rf" +{NUMBER} ms +(?P<lost>\d+)/(?P<sent>\d+) \([^()]*\)"
_START = r"Starting Test: protocol: "
_BLOCKS = r"\d+) byte blocks(?:, omitting (?:0|(?P<leaves_out_start>\d+)) seconds)?.*"
IPERF3_TEXT = table_format(
    "iperf3-text",
    marks=r"(?:[^\n]*[ \t])?(?:Connecting to host \S+, port [0-9]+"
    r"|Accepted connection from \S+, port [0-9]+|iperf3: (?:error|interrupt) - "
    r"|Test Complete\. Summary Results:|CPU Utilization: local/"
    rf"|\[ *(?:SUM|[0-9]+)\](?:\[[TR]X-[CS]\])? +{NUMBER}-{NUMBER} +sec"
    r" [^\n\[]{0,120}(?:\r?\n[ \t]*)?(?:sender|receiver)[ \t\r]*$)",
    before=r"(?:.*?\s)?",
    forms={
        "total": rf"(?=\[SUM\] ){_ROW} *(?P<by>receiver)",
        "row": rf"{_ROW}(?: +(?P<retransmits>\d+)|{_LOSS})? *(?P<by>sender|receiver)",
        "window": rf"{_ROW} +(?P<retransmits>\d+) +(?P<window>{NUMBER})"
        r" (?P<window_unit>[A-Z]?Bytes)(?: +\(omitted\))?",
        "udp": rf"{_ROW}{_LOSS}",
        "interval": rf"{_ROW}.*",
        "sent": r"\[ *\d+\] Sent \d+ datagrams",
        "connecting": r"Connecting to host \S+, port \d+",
        "accepted": r"Accepted connection from \S+, port \d+",
        "hosts": r"\[ *(?P<id>\d+)\] local (?P<near>\S+) port (?P<near_port>\d+) connected to"
        r" (?P<far>\S+) port (?P<far_port>\d+)",
        "header_udp": r"\[ ID\].*Datagrams.*",
        "header_tcp": r"\[ ID\].*Retr.*",
        "reverse": r"Reverse mode, .*",
        "version": r"iperf (?P<tool_version>3\.\S+)",
        "mss": r"TCP MSS: (?P<segment_bytes>\d+) \(default\)",
        "mss_requested": r"TCP MSS: (?P<requested_mss_bytes>\d+)",
        "start_tcp": rf"{_START}TCP, (?P<stream_count>\d+) streams, (?P<write_bytes>{_BLOCKS}",
        "start_udp": rf"{_START}UDP, (?P<stream_count>\d+) streams, (?P<datagram_bytes>{_BLOCKS}",
        "start_other": rf"{_START}(?P<transport>(?!(?:TCP|UDP),)\S+), .*",
        "cpu": rf"CPU Utilization: local/\S+ (?P<client>{NUMBER})% \([^()]*\),"
        rf" remote/\S+ (?P<server>{NUMBER})% \([^()]*\)",
        "congestion": r"snd_tcp_congestion (?P<congestion_control>\S+)",
        "refused": r"iperf3: error - (?P<error>unable to connect.*)",
        "stopped": r"iperf3: (?:(?:error|interrupt) - )?(?P<error>the server has terminated)",
        "error": r"iperf3: (?:(?:error|interrupt) - )?(?P<error>(?<= - ).*|the client has .*)",
        "echo": r"Server output:",
        "done": r"iperf Done\.",
    },
    read=_read,
    begins={
        **dict.fromkeys(("connecting", "accepted"), "connecting accepted refused"),
        "version": "connecting accepted row",
        **dict.fromkeys(("row", "total"), "done total"),
        **dict.fromkeys(("header_tcp", "header_udp"), "row total sent"),
        "refused": "done row",
        "command": "row total sent done refused error stopped",
    },
    implied={
        "connecting": {"recorded_by": Side.CLIENT},
        "accepted": {"recorded_by": Side.SERVER},
        "reverse": {"direction": Direction.SERVER_TO_CLIENT},
        **{form: {"protocol": "udp"} for form in ("header_udp", "start_udp")},
        **{form: {"protocol": "tcp"} for form in ("header_tcp", "start_tcp")},
    },
    units={"size": IPERF_BYTES, "window": IPERF_BYTES, "rate": IPERF_BITS},
    # a server that waits for more clients was stopped after its run
    fails={"refused": "", "error": "", "stopped": "row"},
    passed_over=("echo", "done"),
    program="iperf3",
)
