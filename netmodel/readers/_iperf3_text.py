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

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText, shown
from netmodel.readers._formats import Format
from netmodel.readers._iperf3 import AT_SERVER, CPU_OF_BOTH_DIRECTIONS, LOST_SHARE_TAKEN_OFF
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import (
    IPERF_BITS,
    IPERF_BYTES,
    NUMBER,
    Figure,
    Line,
    derived_datagram_bytes,
    finer_rate,
    payload_rate,
    printed_lines,
    started,
    time_between,
    with_ends,
)

_TOOL = "iperf3"
_SUM = "SUM"
_PROTOCOLS = frozenset({"tcp", "udp"})
_ROW = re.compile(
    rf"\[ *(?P<id>SUM|[0-9]+)\](?:\[(?P<role>[TR]X-[CS])\])? +(?P<start>{NUMBER})-(?P<end>{NUMBER})"
    rf" +sec +(?P<size>{NUMBER}) (?P<size_unit>[A-Z]?Bytes)"
    rf" +(?P<rate>{NUMBER}) (?P<rate_unit>[A-Z]?(?:bits|Bytes))/sec(?P<rest>.*)\Z"
)
_MARKS = re.compile(
    r"(?:^|[ \t])(?:Connecting to host \S+, port [0-9]+|Accepted connection from \S+, port [0-9]+"
    r"|iperf3: (?:error|interrupt) - "
    rf"|\[ *(?:SUM|[0-9]+)\](?:\[[TR]X-[CS]\])? +{NUMBER}-{NUMBER} +sec"
    r" [^\n\[]{0,120}(?:sender|receiver)[ \t\r]*$)",
    re.MULTILINE,
)
_BEGINS = re.compile(
    r"(?<!\S)(?:\[(?: *[0-9]+|SUM| ID)\]|Connecting to host |Accepted connection from "
    r"|Reverse mode, |Server listening on |iperf 3\.|iperf3: |TCP MSS: |Starting Test: "
    r"|CPU Utilization: |snd_tcp_congestion |Server output:|iperf Done\.)"
)
"""Begin of a line, after a title (``-T``) or a time (``--timestamps``)."""
_SUMMARY = re.compile(
    rf"(?:(?P<retransmits>[0-9]+)|{NUMBER} ms +(?P<lost>[0-9]+)/(?P<sent>[0-9]+) \([^()]*\))?"
    r" *(?P<end>sender|receiver)\Z"
)
_HOSTS = re.compile(r"\[ *[0-9]+\] local (\S+) port ([0-9]+) connected to (\S+) port ([0-9]+)")
_VERSION = re.compile(r"iperf (3\.\S+)\Z")
_SEGMENT = re.compile(r"TCP MSS: ([0-9]+)( \(default\))?\Z")
_START = re.compile(
    r"Starting Test: protocol: (\S+), ([0-9]+) streams, ([0-9]+) byte blocks"
    r"(?:, omitting ([0-9]+) seconds)?"
)
_INTERVAL = re.compile(
    rf"(?: +(?P<retransmits>[0-9]+) +(?P<window>{NUMBER}) (?P<window_unit>[A-Z]?Bytes))?"
    r" *(?P<omitted>\(omitted\))?\Z"
)
_CPU = re.compile(
    rf"CPU Utilization: local/\S+ ({NUMBER})% \([^()]*\), remote/\S+ ({NUMBER})% \([^()]*\)\Z"
)
_ERROR = re.compile(r"iperf3: (?:(?:error|interrupt) - )?((?<= - ).*|the client has .*)\Z")
_CONGESTION = "snd_tcp_congestion "
_SERVER_OUTPUT = "Server output:"
_RUN_BEGINS = ("Connecting to host ", "Accepted connection from ")
_DONE, _LISTENS = "iperf Done.", "Server listening on "
_SERVER_STOPPED = "the server has terminated"
_OLD_UDP = re.compile(rf" +{NUMBER} ms +(?P<lost>[0-9]+)/(?P<sent>[0-9]+) \([^()]*\)\Z")
_TAKEN_AS_TCP = "its lines have neither jitter nor loss: taken as TCP"
_AT_SENDER = "the text has only the sender's line: add the receiver's line"
_OLD_SERVER = (
    "iperf3 3.0 and 3.1 print no count of the receiver at the server: read the client's file"
)
_OLD_SENT = re.compile(r"\[ *[0-9]+\] Sent [0-9]+ datagrams\Z")


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the summary: what one end counted, of one stream or all of them."""

    line: Line
    stream: str
    role: str | None
    is_receiver: bool
    payload_bytes: Figure
    duration_s: Figure
    rate_bps: Figure
    retransmit_count: int | None = None
    datagrams: tuple[int, int] | None = None
    """Lost, and all."""
    is_sent_and_lost: bool = False


def _read(raw: RawText) -> tuple[Measurement, ...]:
    every = []
    for line in printed_lines(raw):
        begin = _BEGINS.search(line.text)
        every.append(replace(line, text=line.text[begin.start() if begin else 0 :].strip()))
    segments = []
    for segment in _segments(every):
        start = next((i for i, line in enumerate(segment) if line.text.startswith(_RUN_BEGINS)), 0)
        before = segment[:start]
        if segment[-1].text == _DONE and any(_ERROR.match(line.text) for line in before):
            # a failed attempt to connect stands before the run
            segments += [before, segment[start:]]
        else:
            segments.append(segment)
    if len(segments) == 1:
        return _read_run(raw, segments[0])
    return tuple(
        replace(run, part=f"run {number}")
        for number, lines in enumerate(segments, start=1)
        for run in _read_run(raw, lines)
    )


def _segments(lines: list[Line]) -> list[list[Line]]:
    """Lines of each run: one ends where iperf3 prints so, or where the next connects."""
    segments: list[list[Line]] = [[]]
    has_begun = is_done = is_echo = False
    for line in lines:
        begins = line.text.startswith(_RUN_BEGINS) and not is_echo
        if is_done or (begins and has_begun):
            segments.append([])
            has_begun = is_done = is_echo = False
        segments[-1].append(line)
        has_begun = has_begun or begins
        is_echo = (is_echo or line.text == _SERVER_OUTPUT) and line.text != _DONE
        listens = line.text.startswith(_LISTENS) and not is_echo
        is_done = line.text == _DONE or (has_begun and listens)
    # without what a server prints while it waits or when it is stopped
    of_runs = [
        segment
        for segment in segments
        if any(
            line.text.startswith(_RUN_BEGINS)
            or _ROW.match(line.text)
            or ((failed := _ERROR.match(line.text)) and failed[1] != _SERVER_STOPPED)
            for line in segment
        )
    ]
    return of_runs or [lines]


def _read_run(raw: RawText, every: list[Line]) -> tuple[Measurement, ...]:
    lines = list(takewhile(lambda line: line.text != _SERVER_OUTPUT, every))
    run = _with_set_up(started(raw, _TOOL), lines)
    errors = [match[1] for line in every if (match := _ERROR.match(line.text))]
    if set(errors) == {_SERVER_STOPPED} and any(_row(line) for line in lines):
        errors = []  # a server that waits for more clients was stopped after this run
    if errors:
        failed = replace(started(raw, _TOOL), error=errors[0])
        return (replace(failed, tool_version=run.tool_version, recorded_by=run.recorded_by),)
    rows = [row for line in lines if (row := _row(line)) is not None] or _old_udp_rows(lines)
    if run.recorded_by is None and not rows:
        raise ParseError(raw.source, "not the text of iperf3: no line names a connection")
    streams = _streams(raw, lines)
    run = _with_protocol(run, rows)
    measured = [
        _with_arrival(
            _with_intervals(replace(run, is_bidirectional=len(streams) > 1), lines, role),
            [row for row in rows if row.role == role],
            role,
            names - {_SUM},
        )
        for role, names in streams.items()
    ]
    return tuple(_with_cpu(run, lines, measured) for run in measured)


def _with_set_up(run: Measurement, lines: list[Line]) -> Measurement:
    """The run with what holds for both directions."""
    connections: list[tuple[str, str, str, str]] = []
    for line in lines:
        text = line.text
        if text.startswith(_RUN_BEGINS):
            is_client = text.startswith("Connecting")
            run = replace(run, recorded_by=Side.CLIENT if is_client else Side.SERVER)
        elif text.startswith("Reverse mode, "):
            run = replace(run, direction=Direction.SERVER_TO_CLIENT)
        elif match := _VERSION.match(text):
            run = replace(run, tool_version=match[1])
        elif match := _HOSTS.match(text):
            near, near_port, far, far_port = match.groups()
            connections.append((near, near_port, far, far_port))
        elif text.startswith("[ ID]") and "Datagrams" in text:
            run = replace(run, protocol="udp")
        elif text.startswith("[ ID]") and "Retr" in text:
            run = replace(run, protocol="tcp")
        elif match := _START.match(text):
            protocol = match[1].lower()
            if protocol not in _PROTOCOLS:
                raise line.fault(f"a test over {shown(match[1])}: only TCP and UDP tests are read")
            block_bytes = line.count("the block size", match[3]) or None
            run = replace(
                run,
                protocol=protocol,
                datagram_bytes=block_bytes if protocol == "udp" else None,
                write_bytes=block_bytes if protocol == "tcp" else None,
            )
            if match[4]:
                has_omitted = bool(line.count("the time omitted", match[4]))
                run = replace(run, leaves_out_start=has_omitted)
        elif match := _SEGMENT.match(text):
            mss_bytes = line.count("TCP MSS", match[1]) or None
            if match[2]:
                run = replace(run, segment_bytes=mss_bytes)
            else:
                run = replace(run, requested_mss_bytes=mss_bytes)
        elif text.startswith(_CONGESTION):
            run = replace(run, congestion_control=text.removeprefix(_CONGESTION))
    run = with_ends(run, connections)
    return replace(run, segment_bytes=None if run.is_loopback else run.segment_bytes)


def _with_protocol(run: Measurement, rows: list[_Row]) -> Measurement:
    """The run with its transport where only the lines of the summary show it."""
    if run.protocol is not None or not rows:
        return run
    if any(row.datagrams for row in rows):
        return replace(run, protocol="udp")
    has_retransmits = any(row.retransmit_count is not None for row in rows)
    return replace(run, protocol="tcp", notes=() if has_retransmits else (_TAKEN_AS_TCP,))


def _streams(raw: RawText, lines: list[Line]) -> dict[str | None, set[str]]:
    """Streams by the role that their lines print, one for each direction; None where none is."""
    streams: dict[str | None, set[str]] = {}
    for line in lines:
        if match := _ROW.match(line.text):
            streams.setdefault(match["role"], set()).add(match["id"])
    roles = set(streams)
    if not roles:
        raise ParseError(raw.source, "the text stops before its first result")
    if roles == {None}:
        return streams
    if None in roles or len({str(role)[0] for role in roles}) < len(roles):
        raise ParseError(raw.source, "only some lines name a direction")
    if len(roles) < 2:
        raise ParseError(raw.source, "the text stops before its second direction")
    return {role: streams[role] for role in sorted(roles, key=str, reverse=True)}


def _with_intervals(run: Measurement, lines: list[Line], role: str | None) -> Measurement:
    """The run with what only lines of intervals report: windows, losses, an omitted start."""
    windows_bytes: dict[str, float] = {}
    lossy_count: int | None = None
    for line in lines:
        row = _ROW.match(line.text)
        interval = _INTERVAL.match(row["rest"]) if row and row["role"] == role else None
        if row is None or interval is None:
            continue
        if interval["omitted"]:
            run = replace(run, leaves_out_start=True)
        elif interval["window"] and interval["window_unit"] in IPERF_BYTES:
            unit_bytes = IPERF_BYTES[interval["window_unit"]]
            window_bytes = line.figure("Cwnd", interval["window"], unit_bytes).value
            windows_bytes[row["id"]] = max(windows_bytes.get(row["id"], 0.0), window_bytes)
            is_lossy = line.count("Retr", interval["retransmits"]) > 0
            lossy_count = (lossy_count or 0) + is_lossy
    return replace(
        run,
        congestion_window_bytes=round(sum(windows_bytes.values())) or None,
        lossy_interval_count=lossy_count,
    )


def _row(line: Line) -> _Row | None:
    """A line of the summary; None for others."""
    match = _ROW.match(line.text)
    if match is None or not match["rest"].endswith(("sender", "receiver")):
        return None
    summary = _SUMMARY.match(match["rest"].strip())
    if summary is None:
        raise line.fault(
            f"must end in retransmits, or in jitter and loss; got {shown(match['rest'].strip())}"
        )
    retransmits = summary["retransmits"]
    return replace(
        _counts(line, match, summary),
        is_receiver=summary["end"] == "receiver",
        retransmit_count=None if retransmits is None else line.count("Retr", retransmits),
    )


def _counts(line: Line, match: re.Match[str], summary: re.Match[str]) -> _Row:
    """Bytes, time, rate and datagrams of a line of the summary."""
    if match["size_unit"] not in IPERF_BYTES or match["rate_unit"] not in IPERF_BITS:
        raise line.fault(f"unknown unit {match['size_unit']} or {match['rate_unit']}/sec")
    return _Row(
        line=line,
        stream=match["id"],
        role=match["role"],
        is_receiver=True,
        payload_bytes=line.figure("the transfer", match["size"], IPERF_BYTES[match["size_unit"]]),
        duration_s=time_between(line, match["start"], match["end"]),
        rate_bps=line.figure("the bitrate", match["rate"], IPERF_BITS[match["rate_unit"]]),
        datagrams=None
        if summary["sent"] is None
        else (
            line.count("the lost datagrams", summary["lost"]),
            line.count("the datagrams", summary["sent"]),
        ),
    )


def _old_udp_rows(lines: list[Line]) -> list[_Row]:
    """
    The one line of each stream that versions 3.0 and 3.1 end a UDP test with.

    It has the bytes of the sender and the loss of the receiver, and names neither.
    """
    if not any(_OLD_SENT.match(line.text) for line in lines):
        return []
    behind = [number for number, line in enumerate(lines) if line.text.startswith("- - - ")]
    rows = []
    for line in lines[behind[-1] if behind else 0 :]:
        match = _ROW.match(line.text)
        summary = _OLD_UDP.match(match["rest"]) if match else None
        if match and summary:
            rows.append(replace(_counts(line, match, summary), is_sent_and_lost=True))
    return rows


def _with_arrival(
    run: Measurement, rows: list[_Row], role: str | None, streams: set[str]
) -> Measurement:
    """The run in one direction, with the payload that arrived."""
    sent = _whole(run, [row for row in rows if not row.is_receiver], streams)
    received = _whole(run, [row for row in rows if row.is_receiver], streams)
    run = replace(
        run,
        direction=_direction(run, role, is_sender_alone=received is None),
        stream_count=len(streams) or None,
        retransmit_count=sent.retransmit_count if sent else None,
    )
    if received is None:
        if run.recorded_by is Side.CLIENT or sent is None:
            raise ParseError(run.source, "the text stops before its receiver line")
        why = AT_SERVER if run.recorded_by else _AT_SENDER
        return replace(run, reported_rate_bps=sent.rate_bps.value, why_no_goodput=why)
    computed = payload_rate(received.line, received.payload_bytes, received.duration_s)
    goodput, notes = finer_rate(_TOOL, computed, received.rate_bps)
    run = replace(
        run,
        duration_s=received.duration_s.value,
        reported_rate_bps=sent.rate_bps.value if sent else None,
    )
    arrived_ratio = 1.0
    if received.datagrams is not None:
        lost, total = received.datagrams
        lost_ratio = lost / total if total else None
        run = replace(run, protocol="udp", lost_ratio=lost_ratio)
        if lost > total:
            notes += (f"iperf3 counts more datagrams lost than sent ({lost} of {total})",)
        counted = total if received.is_sent_and_lost else total - lost
        derived = derived_datagram_bytes(received.payload_bytes, counted)
        if derived and run.datagram_bytes is None:
            run = replace(run, datagram_bytes=derived.value)
            notes += (derived.note,)
        if received.is_sent_and_lost:
            run = replace(run, reported_rate_bps=goodput.value)
            if run.recorded_by is Side.SERVER or lost_ratio is None:
                return replace(run, why_no_goodput=_OLD_SERVER, notes=run.notes + notes)
            arrived_ratio = max(0.0, 1 - lost_ratio)
            goodput = Figure(goodput.value * arrived_ratio, goodput.half_width * arrived_ratio)
            notes += (LOST_SHARE_TAKEN_OFF,)
    return replace(
        run,
        received_bytes=round(received.payload_bytes.value * arrived_ratio),
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        notes=run.notes + notes,
    )


def _whole(run: Measurement, rows: list[_Row], streams: set[str]) -> _Row | None:
    """The line of all streams, or that of the only one."""
    wanted = _SUM if len(streams) > 1 else next(iter(streams), _SUM)
    whole = [row for row in rows if row.stream == wanted]
    if rows and not whole:
        raise ParseError(run.source, "the text stops before its [SUM] lines")
    if len(whole) > 1:
        raise whole[1].line.fault(f"a second summary of [{wanted}]; keep one result in a file")
    return whole[0] if whole else None


def _direction(run: Measurement, role: str | None, *, is_sender_alone: bool) -> Direction | None:
    """The direction; None for lines of a summary alone, which do not print it."""
    if role is not None:
        is_up = role in {"TX-C", "RX-S"}
    elif run.recorded_by is None:
        return run.direction
    elif run.recorded_by is Side.SERVER:
        is_up = not is_sender_alone
    else:
        is_up = run.direction is None
    return Direction.CLIENT_TO_SERVER if is_up else Direction.SERVER_TO_CLIENT


def _with_cpu(run: Measurement, lines: Iterable[Line], measured: list[Measurement]) -> Measurement:
    """The run with the CPU time at both ends, which all directions share; only clients print it."""
    printed = [(line, match) for line in lines if (match := _CPU.match(line.text))]
    rates_bps = [each.goodput_bps for each in measured]
    if not printed or None in rates_bps or run.recorded_by is Side.SERVER:
        return run
    line, match = printed[0]
    cpu = tuple(
        CpuUse(
            line.figure("the CPU utilization", text).value / 100,
            sum(filter(None, rates_bps)),
            CpuScope.PROCESS,
            side,
        )
        for side, text in zip((Side.CLIENT, Side.SERVER), match.groups(), strict=True)
    )
    shared = (CPU_OF_BOTH_DIRECTIONS,) if len(measured) > 1 else ()
    return replace(run, cpu=cpu, notes=run.notes + shared)


# recognised where it is no JSON and has a line that no other tool prints
IPERF3_TEXT = Format(
    "iperf3-text", lambda text: text.lstrip()[:1] != "{" and _MARKS.search(text) is not None, _read
)
