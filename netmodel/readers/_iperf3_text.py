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
from netmodel.readers._iperf3 import AT_SERVER, CPU_OF_BOTH_DIRECTIONS, LOST_SHARE_TAKEN_OFF
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    IPERF_BITS,
    IPERF_BYTES,
    NUMBER,
    time_between,
    with_datagrams,
    with_ends,
)
from netmodel.readers._table import Found, Hit, arrived, ends_of, of_process, table_format

_SUM = "SUM"
_SERVER_STOPPED = "the server has terminated"
_TAKEN_AS_TCP = "its lines have neither jitter nor loss: taken as TCP"
_AT_SENDER = "the text has only the sender's line: add the receiver's line"
_OLD_SERVER = (
    "iperf3 3.0 and 3.1 print no count of the receiver at the server: read the client's file"
)
_OF_RUN = ("version", "congestion", "mss", "mss_requested")
_ROWS = ("row", "window", "udp", "interval")


def _read(started: Measurement, found: Found) -> tuple[Measurement, ...]:
    run = _with_set_up(started, found)
    errors = [hit.text("error") for hit in found["refused"] + found["error"]]
    # a server that waits for more clients was stopped after this run
    if errors and not (set(errors) == {_SERVER_STOPPED} and found["row"]):
        failed = replace(started, error=errors[0], recorded_by=run.recorded_by)
        return (replace(failed, tool_version=run.tool_version),)
    cut = [hit for hit in found["interval"] if hit.text("rest").endswith(("sender", "receiver"))]
    if cut:
        got = shown(cut[0].text("rest").strip())
        raise cut[0].line.fault(f"must end in retransmits, or in jitter and loss; got {got}")
    rows = found["row"]
    is_old_udp = not rows and bool(found["sent"])
    if is_old_udp:
        # the last line of each stream has the bytes of the sender and the loss of the receiver
        rows = list({hit.text("id"): hit for hit in found["udp"]}.values())
    if run.protocol is None and rows:
        is_tcp = not any(hit.has("sent") for hit in rows)
        has_retransmits = any(hit.has("retransmit_count") for hit in rows)
        notes = (_TAKEN_AS_TCP,) if is_tcp and not has_retransmits else ()
        run = replace(run, protocol="tcp" if is_tcp else "udp", notes=notes)
    every = [hit for form in _ROWS for hit in found[form]]
    roles = {hit.text("role") for hit in every}
    if not roles:
        raise ParseError(run.source, "the text stops before its first result")
    if len(roles) == 1 and "" not in roles:
        raise ParseError(run.source, "the text stops before its second direction")
    if len(roles) > 1 and ("" in roles or len({role[0] for role in roles}) < len(roles)):
        raise ParseError(run.source, "only some lines name a direction")
    run = replace(run, is_bidirectional=len(roles) > 1)
    measured = []
    for role in sorted(roles, reverse=True):
        of_role = [hit for hit in every if hit.text("role") == role]
        own = _with_windows(run, of_role)
        ends = [hit for hit in rows if hit.text("role") == role]
        streams = {hit.text("id") for hit in of_role} - {_SUM}
        if is_old_udp:
            measured.append(_of_old_udp(own, ends, role, streams))
        else:
            measured.append(_of_direction(own, ends, role, streams))
    return _with_cpu(measured, found.first("cpu"))


def _with_set_up(run: Measurement, found: Found) -> Measurement:
    """Return the run with what holds for both directions."""
    for hit in (each for form in _OF_RUN for each in found[form]):
        run = replace(run, **hit.known())
    if begin := found.first("connect"):
        is_client = begin.text("verb") == "Connecting"
        run = replace(run, recorded_by=Side.CLIENT if is_client else Side.SERVER)
    if found["reverse"]:
        run = replace(run, direction=Direction.SERVER_TO_CLIENT)
    for hit in found["header"]:
        has_datagrams = "Datagrams" in hit.text("names")
        if has_datagrams or "Retr" in hit.text("names"):
            run = replace(run, protocol="udp" if has_datagrams else "tcp")
    if start := found.first("start"):
        protocol = start.text("transport").lower()
        if protocol not in {"tcp", "udp"}:
            got = shown(start.text("transport"))
            raise start.line.fault(f"a test over {got}: only TCP and UDP tests are read")
        block_bytes = start.count("block") or None
        run = replace(
            run,
            protocol=protocol,
            datagram_bytes=block_bytes if protocol == "udp" else None,
            write_bytes=block_bytes if protocol == "tcp" else None,
            leaves_out_start=bool(start.whole("omit")),
        )
    run = with_ends(run, ends_of(found["hosts"]))
    return replace(run, segment_bytes=None if run.is_loopback else run.segment_bytes)


def _with_windows(run: Measurement, rows: list[Hit]) -> Measurement:
    """Return the run with what lines of intervals report: windows, losses, a left-out start."""
    kept = [hit for hit in rows if not hit.line.text.rstrip().endswith("(omitted)")]
    windows_bytes: dict[str, float] = {}
    lossy_counts = []
    for hit in (each for each in kept if each.form == "window"):
        window_bytes = hit.figure("window", IPERF_BYTES).value
        windows_bytes[hit.text("id")] = max(windows_bytes.get(hit.text("id"), 0.0), window_bytes)
        lossy_counts.append(hit.count("retransmit_count") > 0)
    return replace(
        run,
        leaves_out_start=run.leaves_out_start or len(kept) < len(rows),
        congestion_window_bytes=round(sum(windows_bytes.values())) or None,
        lossy_interval_count=sum(lossy_counts) if lossy_counts else None,
    )


def _of_direction(run: Measurement, rows: list[Hit], role: str, streams: set[str]) -> Measurement:
    """Return the run in one direction, with the payload that arrived."""
    sent, received = (_whole(run, rows, end, streams) for end in ("sender", "receiver"))
    run = replace(
        run,
        direction=_direction(run, role, is_sender_alone=received is None),
        stream_count=len(streams) or None,
        retransmit_count=sent.whole("retransmit_count") if sent else None,
        reported_rate_bps=sent.figure("rate", IPERF_BITS).value if sent else None,
    )
    if received is not None:
        return _with_arrival(run, received, lost_are_counted=False)
    if run.recorded_by is Side.CLIENT or sent is None:
        raise ParseError(run.source, "the text stops before its receiver line")
    return replace(run, why_no_goodput=AT_SERVER if run.recorded_by else _AT_SENDER)


def _of_old_udp(run: Measurement, rows: list[Hit], role: str, streams: set[str]) -> Measurement:
    """Return a run of versions 3.0 and 3.1, which print what was sent and the lost share."""
    whole = _whole(run, rows, "", streams)
    if whole is None:
        raise ParseError(run.source, "the text stops before its receiver line")
    direction = _direction(run, role, is_sender_alone=False)
    run = replace(run, direction=direction, stream_count=len(streams) or None)
    run = _with_arrival(run, whole, lost_are_counted=True)
    run = replace(run, reported_rate_bps=run.goodput_bps)
    if run.recorded_by is Side.SERVER or run.lost_ratio is None:
        run = replace(run, goodput_bps=None, goodput_half_width_bps=None, received_bytes=None)
        return replace(run, why_no_goodput=_OLD_SERVER)
    arrived_ratio = max(0.0, 1 - run.lost_ratio)
    return replace(
        run,
        received_bytes=round((run.received_bytes or 0) * arrived_ratio),
        goodput_bps=(run.goodput_bps or 0.0) * arrived_ratio,
        goodput_half_width_bps=(run.goodput_half_width_bps or 0.0) * arrived_ratio,
        notes=(*run.notes, LOST_SHARE_TAKEN_OFF),
    )


def _with_arrival(run: Measurement, row: Hit, *, lost_are_counted: bool) -> Measurement:
    """Return the run with the payload of a line, and the loss and size of its datagrams."""
    size = row.figure("size", IPERF_BYTES)
    duration_s = time_between(row.line, row.text("start"), row.text("end"))
    run = arrived(run, row.line, size, duration_s, row.figure("rate", IPERF_BITS))
    if not row.has("sent"):
        return run
    return with_datagrams(
        replace(run, protocol="udp"),
        size,
        row.count("lost"),
        row.count("sent"),
        lost_are_counted=lost_are_counted,
    )


def _whole(run: Measurement, rows: list[Hit], by: str, streams: set[str]) -> Hit | None:
    """Return the line of all streams, or that of the only one."""
    wanted = _SUM if len(streams) > 1 else next(iter(streams), _SUM)
    of_end = [hit for hit in rows if hit.text("by") == by]
    whole = [hit for hit in of_end if hit.text("id") == wanted]
    if of_end and not whole:
        raise ParseError(run.source, "the text stops before its [SUM] lines")
    if len(whole) > 1:
        problem = f"a second summary of [{wanted}]; keep one result in a file"
        raise whole[1].line.fault(problem)
    return whole[0] if whole else None


def _direction(run: Measurement, role: str, *, is_sender_alone: bool) -> Direction | None:
    """Return the direction; None for lines of a summary alone, which do not print it."""
    if role:
        is_up = role in {"TX-C", "RX-S"}
    elif run.recorded_by is None:
        return run.direction
    else:
        is_server = run.recorded_by is Side.SERVER
        is_up = not is_sender_alone if is_server else run.direction is None
    return Direction.CLIENT_TO_SERVER if is_up else Direction.SERVER_TO_CLIENT


def _with_cpu(runs: list[Measurement], printed: Hit | None) -> tuple[Measurement, ...]:
    """Return the runs with the CPU time at both ends, which they share; only clients print it."""
    rates_bps = [each.goodput_bps for each in runs]
    if printed is None or None in rates_bps or runs[0].recorded_by is Side.SERVER:
        return tuple(runs)
    moved_bps = sum(filter(None, rates_bps))
    cpu = tuple(
        of_process(printed.figure(end).value, moved_bps, side)
        for end, side in (("local", Side.CLIENT), ("remote", Side.SERVER))
    )
    shared = (CPU_OF_BOTH_DIRECTIONS,) if len(runs) > 1 else ()
    return tuple(replace(run, cpu=cpu, notes=run.notes + shared) for run in runs)


_ROW = (
    rf"\[ *(?P<id>SUM|\d+)\](?:\[(?P<role>[TR]X-[CS])\])? +(?P<start>{NUMBER})-(?P<end>{NUMBER})"
    rf" +sec +(?P<size>{NUMBER}) (?P<size_unit>[A-Z]?Bytes)"
    rf" +(?P<rate>{NUMBER}) (?P<rate_unit>[A-Z]?(?:bits|Bytes))/sec"
)
_LOSS = rf" +{NUMBER} ms +(?P<lost>\d+)/(?P<sent>\d+) \([^()]*\)"
IPERF3_TEXT = table_format(
    "iperf3-text",
    marks=r"(?:[^\n]*[ \t])?(?:Connecting to host \S+, port [0-9]+"
    r"|Accepted connection from \S+, port [0-9]+|iperf3: (?:error|interrupt) - "
    r"|Test Complete\. Summary Results:|CPU Utilization: local/"
    rf"|\[ *(?:SUM|[0-9]+)\](?:\[[TR]X-[CS]\])? +{NUMBER}-{NUMBER} +sec"
    r" [^\n\[]{0,120}(?:\r?\n[ \t]*)?(?:sender|receiver)[ \t\r]*$)",
    before=r"(?:.*?\s)?",
    forms={
        "row": rf"{_ROW}(?: +(?P<retransmit_count>\d+)|{_LOSS})? *(?P<by>sender|receiver)",
        "window": rf"{_ROW} +(?P<retransmit_count>\d+) +(?P<window>{NUMBER})"
        r" (?P<window_unit>[A-Z]?Bytes)(?: +\(omitted\))?",
        "udp": rf"{_ROW}{_LOSS}",
        "interval": rf"{_ROW}(?P<rest>.*)",
        "sent": r"\[ *\d+\] Sent \d+ datagrams",
        "connect": r"(?P<verb>Connecting|Accepted) (?:to host|connection from) \S+, port \d+",
        "hosts": r"\[ *\d+\] local (?P<near>\S+) port (?P<near_port>\d+) connected to"
        r" (?P<far>\S+) port (?P<far_port>\d+)",
        "header": r"\[ ID\](?P<names>.*)",
        "reverse": r"Reverse mode, .*",
        "version": r"iperf (?P<tool_version>3\.\S+)",
        "mss": r"TCP MSS: (?P<segment_bytes>\d+) \(default\)",
        "mss_requested": r"TCP MSS: (?P<requested_mss_bytes>\d+)",
        "start": r"Starting Test: protocol: (?P<transport>\S+), \d+ streams, (?P<block>\d+) byte"
        r" blocks(?:, omitting (?P<omit>\d+) seconds)?.*",
        "cpu": rf"CPU Utilization: local/\S+ (?P<local>{NUMBER})% \([^()]*\),"
        rf" remote/\S+ (?P<remote>{NUMBER})% \([^()]*\)",
        "congestion": r"snd_tcp_congestion (?P<congestion_control>\S+)",
        "refused": r"iperf3: error - (?P<error>unable to connect.*)",
        "error": r"iperf3: (?:(?:error|interrupt) - )?(?P<error>(?<= - ).*|the client has .*)",
        "echo": r"Server output:",
        "done": r"iperf Done\.",
    },
    read=_read,
    begins={
        "connect": "connect refused",
        "version": "connect row",
        "row": "done",
        "refused": "done row",
    },
    passed_over=("echo", "done"),
)
