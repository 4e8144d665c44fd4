"""Results of iperf3 as text, of client and server, of one run or several."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText, Source, read_text, shown
from netmodel.readers._format import Format
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

__all__ = ["IPERF3_TEXT", "read_iperf3_text"]

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
"""What lines begin with, behind a title (``-T``) or a time (``--timestamps``)."""
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
    rf"(?: +[0-9]+ +(?P<window>{NUMBER}) (?P<window_unit>[A-Z]?Bytes))?"
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
_AT_SERVER = "the server's file does not tell what reached the client: read the client's"
_AT_SENDER = "the text has only the sender's line: add that of the receiver"
_OLD_SERVER = "the server of iperf3 3.0 and 3.1 does not print what arrived: read the client's file"
_OLD_SENT = re.compile(r"\[ *[0-9]+\] Sent [0-9]+ datagrams\Z")


@dataclass(frozen=True, slots=True)
class _Row:
    """What one end counted, of one stream or all of them."""

    line: Line
    stream: str
    role: str | None
    is_receiver: bool
    payload_bytes: Figure
    duration_s: Figure
    rate_bps: Figure
    retransmit_count: int | None = None
    datagrams: tuple[int, int] | None = None
    is_sent_and_lost: bool = False


def read_iperf3_text(source: Source) -> tuple[Measurement, ...]:
    """
    Read what iperf3 prints without ``-J``.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the text that ``iperf3`` printed, on the client or on the
        server, one run behind the other, with ``--timestamps`` or a title
        too, or its content as bytes. Lines of the summary alone are enough.

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
        If the file is not such a text, is cut off, holds a test over SCTP, or
        a value that cannot be; the message names the file and the line.

    Notes
    -----
    Goodput is that of the receiver's line. Bytes, time and rate are printed
    with three digits: the goodput is the less rounded of the printed rate and
    of bytes over time, and goodput_half_width_bps tells what the rounding
    leaves open. Prefixes of bits are decimal, those of bytes binary. Only
    ``-V`` tells the version, the segment size, the congestion control and CPU
    time. The congestion window is the largest of those that stand behind the
    intervals. Prefer ``-J``, which rounds nothing.

    A run is UDP where its lines have a jitter or a loss, and TCP where they
    have retransmits; Windows builds print no retransmits, so that the
    transport is known only with ``-V``. The size of datagrams is derived from
    bytes over datagrams where the rounding leaves no more than 1 %, with a
    warning. Versions 3.0 and 3.1 end a UDP test with what was sent and the
    share that was lost: their goodput is derived from both.

    The id of a run is made of the addresses and ports of both ends, which both
    ends print; text has no cookie without ``-V``.

    References
    ----------
    iperf3 source, version 3.12: ``iperf_locale.c``, ``units.c``.
    """
    return _read(read_text(source))


def _read(raw: RawText) -> tuple[Measurement, ...]:
    every = [_without_prefix(line) for line in printed_lines(raw)]
    segments = [runs for lines in _segments(every) for runs in _failed_apart(lines)]
    if len(segments) == 1:
        return _read_run(raw, segments[0])
    return tuple(
        replace(one, part=f"run {number}")
        for number, lines in enumerate(segments, start=1)
        for one in _read_run(raw, lines)
    )


def _without_prefix(line: Line) -> Line:
    """A line without the title (``-T``) or the time (``--timestamps``) that it begins with."""
    found = _BEGINS.search(line.text)
    return replace(line, text=line.text[found.start() if found else 0 :].strip())


def _segments(lines: list[Line]) -> list[list[Line]]:
    """Lines of each run: one ends where iperf3 says so, or where the next connects."""
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
    told = [part for part in segments if any(_is_told(line.text) for line in part)]
    return told or [lines]


def _is_told(text: str) -> bool:
    """Whether a line is of a run, and not of a server that waits or was stopped."""
    if text.startswith(_RUN_BEGINS) or _ROW.match(text):
        return True
    failed = _ERROR.match(text)
    return failed is not None and failed[1] != _SERVER_STOPPED


def _failed_apart(lines: list[Line]) -> list[list[Line]]:
    """Lines of a run apart from those of an attempt before it that did not connect."""
    begin = next((i for i, line in enumerate(lines) if line.text.startswith(_RUN_BEGINS)), 0)
    before = lines[:begin]
    if lines[-1].text != _DONE or not any(_ERROR.match(line.text) for line in before):
        return [lines]
    return [before, lines[begin:]]


def _read_run(raw: RawText, every: list[Line]) -> tuple[Measurement, ...]:
    lines = list(takewhile(lambda line: line.text != _SERVER_OUTPUT, every))
    run = _with_set_up(started(raw, _TOOL), lines)
    errors = [found[1] for line in every if (found := _ERROR.match(line.text))]
    if set(errors) == {_SERVER_STOPPED} and any(_row(line) for line in lines):
        errors = []  # a server that waits for clients is stopped after its last run
    if errors:
        failed = replace(started(raw, _TOOL), error=errors[0])
        return (replace(failed, tool_version=run.tool_version, recorded_by=run.recorded_by),)
    rows = [row for line in lines if (row := _row(line)) is not None] or _old_udp_rows(lines)
    if run.recorded_by is None and not rows:
        raise ParseError(raw.source, "not the text of iperf3: it names no connection")
    streams = _streams(raw, lines)
    measured = [
        _with_arrival(
            _with_intervals(replace(run, is_bidirectional=len(streams) > 1), lines, role),
            [row for row in rows if row.role == role],
            role,
            names - {_SUM},
        )
        for role, names in streams.items()
    ]
    return tuple(_with_cpu(one, lines, measured) for one in measured)


def _with_set_up(run: Measurement, lines: list[Line]) -> Measurement:
    """The run with all that holds for both directions."""
    connections: list[tuple[str, str, str, str]] = []
    for line in lines:
        text = line.text
        if text.startswith(_RUN_BEGINS):
            is_client = text.startswith("Connecting")
            run = replace(run, recorded_by=Side.CLIENT if is_client else Side.SERVER)
        elif text.startswith("Reverse mode, "):
            run = replace(run, direction=Direction.SERVER_TO_CLIENT)
        elif found := _VERSION.match(text):
            run = replace(run, tool_version=found[1])
        elif found := _HOSTS.match(text):
            near, near_port, far, far_port = found.groups()
            connections.append((near, near_port, far, far_port))
        elif text.startswith("[ ID]") and "Datagrams" in text:
            run = replace(run, protocol="udp")
        elif text.startswith("[ ID]") and "Retr" in text:
            run = replace(run, protocol="tcp")
        elif found := _START.match(text):
            run = _with_start(run, line, found)
        elif found := _SEGMENT.match(text):
            mss_bytes = line.count("TCP MSS", found[1]) or None
            if found[2]:
                run = replace(run, segment_bytes=mss_bytes)
            else:
                run = replace(run, requested_mss_bytes=mss_bytes)
        elif text.startswith(_CONGESTION):
            run = replace(run, congestion_control=text.removeprefix(_CONGESTION))
    run = with_ends(run, connections)
    return replace(run, segment_bytes=None if run.is_loopback else run.segment_bytes)


def _with_start(run: Measurement, line: Line, found: re.Match[str]) -> Measurement:
    protocol = found[1].lower()
    if protocol not in _PROTOCOLS:
        raise line.fault(f"a test over {shown(found[1])}: only those over TCP and UDP are read")
    block_bytes = line.count("the block size", found[3]) or None
    if found[4]:
        run = replace(run, leaves_out_start=bool(line.count("the time omitted", found[4])))
    if protocol == "udp":
        return replace(run, protocol=protocol, datagram_bytes=block_bytes)
    return replace(run, protocol=protocol, write_bytes=block_bytes)


def _streams(raw: RawText, lines: list[Line]) -> dict[str | None, set[str]]:
    """Streams of both directions where each line names one, or of the one that none names."""
    streams: dict[str | None, set[str]] = {}
    for line in lines:
        if match := _ROW.match(line.text):
            streams.setdefault(match["role"], set()).add(match["id"])
    found = set(streams)
    if not found:
        raise ParseError(raw.source, "the text stops before its first result")
    if found == {None}:
        return streams
    if None in found or len({str(role)[0] for role in found}) < len(found):
        raise ParseError(raw.source, "only some lines name a direction")
    if len(found) < 2:
        raise ParseError(raw.source, "the text stops before its second direction")
    return {role: streams[role] for role in sorted(found, key=str, reverse=True)}


def _with_intervals(run: Measurement, lines: list[Line], role: str | None) -> Measurement:
    """The run with what only the lines of its intervals tell."""
    windows_bytes: dict[str, float] = {}
    for line in lines:
        row = _ROW.match(line.text)
        told = _INTERVAL.match(row["rest"]) if row and row["role"] == role else None
        if row is None or told is None:
            continue
        if told["omitted"]:
            run = replace(run, leaves_out_start=True)
        elif told["window"] and told["window_unit"] in IPERF_BYTES:
            unit_bytes = IPERF_BYTES[told["window_unit"]]
            window_bytes = line.figure("Cwnd", told["window"], unit_bytes).value
            windows_bytes[row["id"]] = max(windows_bytes.get(row["id"], 0.0), window_bytes)
    return replace(run, congestion_window_bytes=round(sum(windows_bytes.values())) or None)


def _row(line: Line) -> _Row | None:
    """A line of the summary; None for others."""
    found = _ROW.match(line.text)
    if found is None or not found["rest"].endswith(("sender", "receiver")):
        return None
    summary = _SUMMARY.match(found["rest"].strip())
    if summary is None:
        raise line.fault(f"not understood: {shown(found['rest'].strip())}")
    row = _summary_row(line, found, is_receiver=summary["end"] == "receiver")
    return replace(
        row,
        retransmit_count=_count_or_none(line, "Retr", summary["retransmits"]),
        datagrams=_datagrams(line, summary),
    )


def _summary_row(line: Line, found: re.Match[str], *, is_receiver: bool) -> _Row:
    if found["size_unit"] not in IPERF_BYTES or found["rate_unit"] not in IPERF_BITS:
        raise line.fault(f"unknown unit {found['size_unit']} or {found['rate_unit']}/sec")
    return _Row(
        line=line,
        stream=found["id"],
        role=found["role"],
        is_receiver=is_receiver,
        payload_bytes=line.figure("the transfer", found["size"], IPERF_BYTES[found["size_unit"]]),
        duration_s=time_between(line, found["start"], found["end"]),
        rate_bps=line.figure("the bitrate", found["rate"], IPERF_BITS[found["rate_unit"]]),
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
        found = _ROW.match(line.text)
        summary = _OLD_UDP.match(found["rest"]) if found else None
        if found and summary:
            arrived = _summary_row(line, found, is_receiver=True)
            rows.append(
                replace(arrived, datagrams=_datagrams(line, summary), is_sent_and_lost=True)
            )
    return rows


def _count_or_none(line: Line, name: str, text: str | None) -> int | None:
    return None if text is None else line.count(name, text)


def _datagrams(line: Line, summary: re.Match[str]) -> tuple[int, int] | None:
    """Datagrams that were lost, and all."""
    if summary["sent"] is None:
        return None
    return (
        line.count("the lost datagrams", summary["lost"]),
        line.count("the datagrams", summary["sent"]),
    )


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
        told = _AT_SERVER if run.recorded_by else _AT_SENDER
        return replace(run, reported_rate_bps=sent.rate_bps.value, why_no_goodput=told)
    computed = payload_rate(received.line, received.payload_bytes, received.duration_s)
    goodput, warnings = finer_rate(_TOOL, computed, received.rate_bps)
    run = replace(
        run,
        duration_s=received.duration_s.value,
        reported_rate_bps=sent.rate_bps.value if sent else None,
    )
    if received.datagrams is None:
        return _with_goodput(run, received.payload_bytes.value, goodput, warnings)
    lost, total = received.datagrams
    lost_ratio = lost / total if total else None
    run = replace(run, protocol="udp", lost_ratio=lost_ratio)
    if lost > total:
        warnings += (f"iperf3 counts more datagrams lost than sent ({lost} of {total})",)
    counted = total if received.is_sent_and_lost else total - lost
    derived = derived_datagram_bytes(received.payload_bytes, counted)
    if derived and run.datagram_bytes is None:
        run = replace(run, datagram_bytes=derived.value)
        warnings += (derived.note,)
    if not received.is_sent_and_lost:
        return _with_goodput(run, received.payload_bytes.value, goodput, warnings)
    run = replace(run, reported_rate_bps=goodput.value)
    if run.recorded_by is Side.SERVER or lost_ratio is None:
        return replace(run, why_no_goodput=_OLD_SERVER, warnings=run.warnings + warnings)
    arrived_ratio = max(0.0, 1 - lost_ratio)
    arrived = Figure(goodput.value * arrived_ratio, goodput.half_width * arrived_ratio)
    warnings += ("goodput is derived from what was sent and the share that was lost",)
    return _with_goodput(run, received.payload_bytes.value * arrived_ratio, arrived, warnings)


def _with_goodput(
    run: Measurement, payload_bytes: float, goodput: Figure, warnings: tuple[str, ...]
) -> Measurement:
    return replace(
        run,
        received_bytes=round(payload_bytes),
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        warnings=run.warnings + warnings,
    )


def _whole(run: Measurement, rows: list[_Row], streams: set[str]) -> _Row | None:
    """The line of all streams, or that of the only one."""
    wanted = _SUM if len(streams) > 1 else next(iter(streams), _SUM)
    found = [row for row in rows if row.stream == wanted]
    if rows and not found:
        raise ParseError(run.source, "the text stops before its [SUM] lines")
    if len(found) > 1:
        raise found[1].line.fault(f"a second summary of [{wanted}]; keep one result in a file")
    return found[0] if found else None


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
    """The run with the CPU time at both ends, which all directions share."""
    found = [(line, match) for line in lines if (match := _CPU.match(line.text))]
    rates_bps = [one.goodput_bps for one in measured]
    if not found or None in rates_bps or run.recorded_by is not Side.CLIENT:
        return run
    line, match = found[0]
    cpu = tuple(
        CpuUse(
            line.figure("the CPU utilization", text).value / 100,
            sum(filter(None, rates_bps)),
            CpuScope.PROCESS,
            side,
        )
        for side, text in zip((Side.CLIENT, Side.SERVER), match.groups(), strict=True)
    )
    shared = ("CPU time is that of both directions together",) if len(measured) > 1 else ()
    return replace(run, cpu=cpu, warnings=run.warnings + shared)


def _is_iperf3_text(text: str) -> bool:
    """Whether it is no JSON and has a line that only iperf3 prints."""
    return text.lstrip()[:1] != "{" and _MARKS.search(text) is not None


IPERF3_TEXT = Format("iperf3-text", _is_iperf3_text, _read)
