"""
Results of nuttcp: its one-line summary, ``-fparse``, and ``-v``.

nuttcp prints what the receiver counted, in MB of 1024² byte and Mbps of 10⁶ bit/s. The time is
printed in hundredths of a second and the rate in more digits, so that the goodput is the printed
rate where it agrees with bytes and time.

CPU time is that of the process at each end, in whole percent of one CPU; below 10 % it is left out.
So is that of a transmitter that keeps to a rate, as any does over UDP: it waits in a loop and is
always busy. The one-line form reports neither a rate over TCP nor which end sent: its direction
stays unknown, and its CPU times are given as if the client sent, with a note.

A run is UDP where its line has drops or a loss, TCP where it has retransmits or a round trip. The
datagram size is that of ``-v``, otherwise it is derived from bytes over datagrams, with a note. No
form prints the addresses and ports of both ends, so that a run has no id. The round trip is that of
the connection set-up. Windows are those that the kernel set, requested or not, and left out. Where
nuttcp prints that it uses statistics of the transmitter, the payload is counted there.

References: nuttcp source, version 6.1.2: ``PERF_FMT_BRIEF``, ``P_PERF_FMT_BRIEF``.
"""

import re
from dataclasses import dataclass, replace

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText
from netmodel.readers._formats import Format
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import (
    NUMBER,
    SENT_UDP,
    Figure,
    Line,
    derived_datagram_bytes,
    finer_rate,
    payload_rate,
    printed_lines,
    started,
    with_hosts,
)
from netmodel.units.prefixes import MEBI, MEGA, MILLI

_TOOL = "nuttcp"
_MARKS = re.compile(
    rf"^(?:(?:[^\n:]{{1,40}}: )?(?: *{NUMBER} MB / +{NUMBER} sec = +{NUMBER} Mbps "
    rf"|megabytes={NUMBER} real_sec)|nuttcp-[tr][^:\n]*: )",
    re.MULTILINE,
)
_IDENTIFIER = re.compile(r"\A(?!nuttcp-[tr])[^:]{1,40}: (?= *[0-9.]+ MB / |megabytes=)")
"""Identifier before the lines of results (``-I``); nuttcp allows 40 characters."""
_TEXT = re.compile(
    rf" *(?P<size>{NUMBER}) MB / +(?P<time>{NUMBER}) sec = +(?P<rate>{NUMBER}) Mbps"
    r" +(?P<tx>[0-9]+) %TX +(?P<rx>[0-9]+) %RX(?P<rest>.*)\Z"
)
_VERBOSE = re.compile(
    rf"nuttcp-r[^:]*: (?P<size>{NUMBER}) MB in (?P<time>{NUMBER}) real seconds"
    rf" = {NUMBER} KB/sec = (?P<rate>{NUMBER}) Mbps(?P<rest>)\Z"
)
_VERBOSE_PARSE = re.compile(
    rf"nuttcp-r[^:]*: megabytes=(?P<size>{NUMBER}) real_seconds=(?P<time>{NUMBER})"
    rf" rate_KBps={NUMBER} rate_Mbps=(?P<rate>{NUMBER})\Z"
)
_LAST_OF_RECEIVER = re.compile(r"nuttcp-r[^:]*: io_calls=")
"""Follows the figures of the receiver with ``-fparse -v``, where a cut line looks whole."""
_CLIENT = re.compile(
    r"nuttcp-[tr][^:]*: buflen=(?P<buffer>[0-9]+),? nstream=(?P<streams>[0-9]+),? port=[0-9]+"
    r" (?:mode=)?(?P<protocol>tcp|udp)(?: (?:-> |host=)(?P<host>\S+))?\Z"
)
_OWN_CPU = re.compile(
    r"nuttcp-(?P<end>[tr])[^:]*: (?:[0-9.]+user [^%]*real +|stats=cpu [^%]*cpu=)"
    r"(?P<percent>[0-9]+)%"
)
"""Line of ``-v``, in text and with ``-fparse``."""
_RATE_LIMIT = re.compile(r"nuttcp-t[^:]*: rate[ _]limit")
_LEAST_CPU_PERCENT = 10
"""Whole percents are known to half a percent: of 10, to 5 % of the CPU time."""
_END_UNKNOWN = "which end sent is not reported: CPU times are given as if the client sent"
_PARSE = "megabytes="
_VERSION = re.compile(r"nuttcp-[tr][^:]*: v([0-9.]+): ")
_NOTICE = re.compile(r"nuttcp-[tr][^:]*: (?:v[0-9.]+: )?(Error|Warning|Info): (.*)\Z")
_CONNECT = re.compile(
    r"nuttcp-[tr][^:]*: connect(?: to |=)\S+ (?:with )?mss=(?P<segment>[0-9]+),?"
    rf" (?:RTT|rtt_ms)=(?P<round_trip>{NUMBER})"
)
_ROUND_TRIP = re.compile(rf" ({NUMBER}) msRTT\Z")
_AT_SENDER = "transmitter side statistics"
_RETRANSMITS = re.compile(r" ([0-9]+) retrans")
_DROPPED = re.compile(r" ([0-9]+) / +([0-9]+) drop/pkt")
_LOSS = re.compile(rf" ({NUMBER}) %loss")
_TRANSMITTED = re.compile(rf" Trans: +({NUMBER}) MB\Z")
_OWN_RETRANSMITS = re.compile(r"nuttcp-t[^:]*: retrans ?= ?([0-9]+)\Z")
_OWN_DROPPED = re.compile(
    rf"nuttcp-r[^:]*: (?:([0-9]+) / +([0-9]+) drop/pkt {NUMBER}% data loss"
    rf"|drop=([0-9]+) pkt=([0-9]+) data_loss={NUMBER})\Z"
)
"""Lines of ``-v``, in text and with ``-fparse``."""


@dataclass(frozen=True, slots=True)
class _Summary:
    """What arrived, from the summary line of any form."""

    line: Line
    payload_bytes: Figure
    duration_s: Figure
    rate_bps: Figure
    protocol: str | None = None
    retransmits: str | None = None
    round_trip_ms: str | None = None
    dropped: tuple[str, str] | None = None
    loss_percent: str | None = None
    transmitted_mb: str | None = None
    cpu_percents: tuple[str | None, str | None] = (None, None)
    """Of the transmitter and of the receiver."""


def _read(raw: RawText) -> tuple[Measurement, ...]:
    lines = [
        replace(line, text=_IDENTIFIER.sub("", line.text.rstrip())) for line in printed_lines(raw)
    ]
    run = _with_set_up(raw, lines)
    if run.error is not None:
        return (run,)
    summaries = [summary for line in lines if (summary := _summary(line)) is not None]
    own = [each.line.text for each in summaries if each.line.text.startswith("nuttcp-r")]
    is_last = not any(_LAST_OF_RECEIVER.match(line.text) for line in lines)
    is_cut = bool(own) and (run.direction is None or (_PARSE in own[0] and is_last))
    if not summaries or is_cut:
        problem = (
            "the text stops before its summary"
            if _MARKS.search(raw.text)
            else "not a result of nuttcp: no line has its rate"
        )
        raise ParseError(raw.source, problem)
    if len(summaries) > 1:
        raise ParseError(raw.source, f"holds {len(summaries)} results; keep one in a file")
    summary = summaries[0]
    for line in lines:  # -v prints retransmits and drops in lines of their own
        if retransmits := _OWN_RETRANSMITS.match(line.text):
            summary = replace(summary, retransmits=retransmits[1])
        elif dropped := _OWN_DROPPED.match(line.text):
            lost, sent = (count for count in dropped.groups() if count is not None)
            summary = replace(summary, dropped=(lost, sent))
        elif cpu := _OWN_CPU.match(line.text):
            tx, rx = summary.cpu_percents
            percents = (cpu["percent"], rx) if cpu["end"] == "t" else (tx, cpu["percent"])
            summary = replace(summary, cpu_percents=percents)
    if any(_RATE_LIMIT.match(line.text) for line in lines):
        summary = replace(summary, cpu_percents=(None, summary.cpu_percents[1]))
    return (_with_cpu(_with_arrival(run, summary), summary),)


def _with_set_up(raw: RawText, lines: list[Line]) -> Measurement:
    """The run with what the lines that begin with the name of the tool report."""
    run = started(raw, _TOOL)
    ends = [line.text[:8] for line in lines if line.text.startswith(("nuttcp-t", "nuttcp-r"))]
    for line in lines:
        if version := _VERSION.match(line.text):
            run = replace(run, tool_version=version[1])
        if notice := _NOTICE.match(line.text):
            if notice[1] == "Error":
                failed = started(raw, _TOOL)  # without what was read before it failed
                return replace(failed, tool_version=run.tool_version, error=notice[2])
            run = replace(run, notes=(*run.notes, notice[2]))
            if notice[2].endswith(_AT_SENDER):
                run = replace(run, is_counted_at_sender=True)
        elif connect := _CONNECT.match(line.text):
            run = replace(
                run,
                segment_bytes=line.count("mss", connect["segment"]) or None,
                least_round_trip_s=line.figure("RTT", connect["round_trip"], MILLI).value or None,
            )
        elif (client := _CLIENT.match(line.text)) and client["host"]:
            buffer_bytes = line.count("buflen", client["buffer"]) or None
            is_udp = client["protocol"] == "udp"
            run = replace(
                with_hosts(run, [client["host"]]),
                protocol=client["protocol"],
                datagram_bytes=buffer_bytes if is_udp else None,
                write_bytes=None if is_udp else buffer_bytes,
                stream_count=line.count("nstream", client["streams"]),
                direction=Direction.CLIENT_TO_SERVER
                if ends[0] == "nuttcp-t"
                else Direction.SERVER_TO_CLIENT,
            )
    return replace(run, segment_bytes=None if run.is_loopback else run.segment_bytes)


def _summary(line: Line) -> _Summary | None:
    """The summary in the last line of a run; None for other lines."""
    if line.text.startswith(_PARSE) and " real_seconds=" in line.text:
        return _parsable(line)
    if own := _VERBOSE_PARSE.match(line.text):
        return _Summary(line, *_figures(line, own["size"], own["time"], own["rate"]))
    match = _TEXT.match(line.text) or _VERBOSE.match(line.text)
    if not match:
        return None
    loss = _LOSS.search(match["rest"])
    transmitted = _TRANSMITTED.search(match["rest"])
    dropped = _DROPPED.search(match["rest"])
    retransmits = _RETRANSMITS.search(match["rest"])
    round_trip = _ROUND_TRIP.search(match["rest"])
    is_tcp = retransmits or round_trip
    return _Summary(
        line,
        *_figures(line, match["size"], match["time"], match["rate"]),
        protocol="udp" if dropped or loss else "tcp" if is_tcp else None,
        retransmits=retransmits[1] if retransmits else None,
        round_trip_ms=round_trip[1] if round_trip else None,
        dropped=(dropped[1], dropped[2]) if dropped else None,
        loss_percent=loss[1] if loss else None,
        transmitted_mb=transmitted[1] if transmitted else None,
        cpu_percents=(match["tx"], match["rx"]) if "tx" in match.groupdict() else (None, None),
    )


def _parsable(line: Line) -> _Summary:
    pairs = dict(part.partition("=")[::2] for part in line.text.split())
    for key in ("megabytes", "real_seconds", "rate_Mbps", "tx_cpu", "rx_cpu"):
        if key not in pairs:
            raise line.fault(f"{key} is missing")
    has_drops = "drop" in pairs and "pkt" in pairs
    is_tcp = "retrans" in pairs or "rtt_ms" in pairs
    return _Summary(
        line,
        *_figures(line, pairs["megabytes"], pairs["real_seconds"], pairs["rate_Mbps"]),
        protocol="udp" if has_drops or "data_loss" in pairs else "tcp" if is_tcp else None,
        retransmits=pairs.get("retrans"),
        round_trip_ms=pairs.get("rtt_ms"),
        dropped=(pairs["drop"], pairs["pkt"]) if has_drops else None,
        transmitted_mb=pairs.get("tx_megabytes"),
        cpu_percents=(pairs["tx_cpu"], pairs["rx_cpu"]),
    )


def _figures(line: Line, size: str, time: str, rate: str) -> tuple[Figure, Figure, Figure]:
    return (
        line.figure("MB", size, MEBI),
        line.figure("seconds", time),
        line.figure("Mbps", rate, MEGA),
    )


def _with_arrival(run: Measurement, summary: _Summary) -> Measurement:
    line = summary.line
    computed = payload_rate(line, summary.payload_bytes, summary.duration_s)
    goodput, notes = finer_rate(_TOOL, computed, summary.rate_bps)
    contradicts = bool(notes)
    lost, sent = (line.count("drop/pkt", text) for text in (summary.dropped or ("0", "0")))
    if lost > sent:
        raise line.fault(f"more datagrams dropped than sent: {lost} of {sent}")
    run = replace(run, protocol=run.protocol or summary.protocol)
    if summary.round_trip_ms:
        round_trip_s = line.figure("RTT", summary.round_trip_ms, MILLI).value
        run = replace(run, least_round_trip_s=round_trip_s or None)
    if run.protocol == "udp" and run.is_counted_at_sender:
        return replace(
            run,
            reported_rate_bps=summary.rate_bps.value,
            why_no_goodput=SENT_UDP.format(tool=_TOOL),
            notes=run.notes + notes,
        )
    if run.protocol == "udp" and run.datagram_bytes is None:
        derived = derived_datagram_bytes(summary.payload_bytes, sent - lost)
        run = replace(run, datagram_bytes=derived.value if derived else None)
        notes += (derived.note,) if derived else ()
    lost_ratio = lost / sent if sent else None
    if lost_ratio is None and summary.loss_percent:
        lost_ratio = line.figure("loss", summary.loss_percent).value / 100
    # of UDP what was sent (-fxmitstats), otherwise the printed rate where it is not the goodput
    reported_bps = summary.rate_bps.value if contradicts else None
    if run.protocol == "udp":
        reported_bps = None
        if summary.transmitted_mb is not None and summary.payload_bytes.value:
            sent_bytes = line.figure("Trans", summary.transmitted_mb, MEBI).value
            reported_bps = summary.rate_bps.value * sent_bytes / summary.payload_bytes.value
    return replace(
        run,
        duration_s=summary.duration_s.value,
        received_bytes=round(summary.payload_bytes.value),
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        reported_rate_bps=reported_bps,
        retransmit_count=line.count("retrans", summary.retransmits)
        if summary.retransmits
        else None,
        lost_ratio=lost_ratio,
        notes=run.notes + notes,
    )


def _with_cpu(run: Measurement, summary: _Summary) -> Measurement:
    """The run with the CPU time of the process at each end."""
    sides = (Side.CLIENT, Side.SERVER)
    if run.direction is Direction.SERVER_TO_CLIENT:
        sides = (Side.SERVER, Side.CLIENT)
    transmitter, receiver = summary.cpu_percents
    percents = (transmitter if run.protocol == "tcp" else None, receiver)
    cpu = []
    for side, text in zip(sides, percents, strict=True):
        percent = summary.line.count("CPU", text) if text else 0
        if percent >= _LEAST_CPU_PERCENT:
            busy_count = percent / 100
            cpu.append(CpuUse(busy_count, summary.rate_bps.value, CpuScope.PROCESS, side))
    is_guess = bool(cpu) and run.direction is None
    return replace(run, cpu=tuple(cpu), notes=run.notes + (_END_UNKNOWN,) * is_guess)


# recognised: a line has the form of a nuttcp summary, interval or message
NUTTCP = Format("nuttcp", lambda text: _MARKS.search(text) is not None, _read)
