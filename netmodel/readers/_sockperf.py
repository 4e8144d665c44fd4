"""
Results of sockperf: throughput, ping-pong and under load, as the client prints them.

Payload is counted by the sender alone, so that a UDP run has no goodput and a TCP run a note. The M
of MBps and of Mbps is 2**20, the G 1000 times that; with nine decimals it is M for any letter.
The printed latency is half the round trip unless ``--full-rtt`` is given; the time of a transaction
is the whole round trip.

The client prints neither its own address nor its port, so that a run has no id. Latency tests leave
out their first part, and count from what sockperf calls the valid duration. The size of requests is
not printed by ping-pong and under-load, percentiles are left out, and files of ``--full-log`` are
not read.

References: sockperf 3.7, as it ran, and its source: ``client.cpp``, functions ``stream_statistics``
and ``client_statistics``.
"""

import re
from dataclasses import replace
from ipaddress import ip_address

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText, shown
from netmodel.readers._formats import Format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    COUNTED_AT_SENDER,
    MAX_DATAGRAM_BYTES,
    SENT_UDP,
    Figure,
    half_step,
    rate_disagreement,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import KILO, MEBI, MICRO

_TOOL = "sockperf"
_SIZE_WITHOUT_NOTE_BYTES = 1472
"""Message size of a test that prints no note of it (MAX_PAYLOAD_SIZE of sockperf), a full frame."""
_ROUND_TRIP = "Round trip"
_DECIMALS_OF_PRECISE_OUTPUT = 9
"""sockperf prints nine only where the letter of its unit is wrong; see where the unit is read."""

_NUMBER = r"([0-9]{1,15}(?:\.[0-9]{1,12})?)"
_COUNT = r"([0-9]{1,15})"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_BEGIN = re.compile(
    r"\s*(?:sockperf: Socket buffers sizes of fd [0-9]+: .*\n"
    r"|sockperf: \+INFO:.*\n(?:[ \t].*\n)*)*"
    r"sockperf: == version #"
)
"""``--buffer-size`` and ``-d`` print lines before the version."""
_HEAD_LENGTH = 4096
"""Characters that are searched for the version: some ten lines of buffer sizes stand before it."""
_VERSION = re.compile(r"^sockperf: == version #(\S+) ==", re.MULTILINE)
_ERROR = re.compile(
    r"^sockperf: (?:ERROR: (.*\S)|(No (?:messages were received|valid observations found).*\S))",
    re.MULTILINE,
)
_AT_SERVER = re.compile(r"^sockperf: \[SERVER\] listen on:", re.MULTILINE)
_SERVER = re.compile(r"^sockperf: =+ Printing statistics for Server No:", re.MULTILINE)
_CONNECTION = re.compile(r"^\[ *[0-9]+\] IP = (\S+) +PORT = +[0-9]+ # (\S+)", re.MULTILINE)
_SENT = re.compile(rf"^sockperf: Total of {_COUNT} messages sent in {_NUMBER} sec", re.MULTILINE)
_NOTE = re.compile(
    rf"^sockperf: NOTE: test was performed, using (average )?msg-size={_COUNT}"
    rf"(?: \(\+/-[0-9]+\))?(?:, mps={_COUNT})?",
    re.MULTILINE,
)
_SUMMARY = re.compile(r"^sockperf: Summary: (.*)$", re.MULTILINE)
_MESSAGE_RATE = re.compile(
    rf"^sockperf: Summary: Message Rate is {_COUNT} \[msg/sec\]", re.MULTILINE
)
_BANDWIDTH = re.compile(
    rf"^sockperf: Summary: BandWidth is {_NUMBER} ([MG])Bps \({_NUMBER} [MG]bps\)", re.MULTILINE
)
_LATENCY = re.compile(
    rf"^sockperf: Summary: (Latency|{_ROUND_TRIP})(?: of burst of {_COUNT} messages)?"
    rf" is {_NUMBER} usec",
    re.MULTILINE,
)
_ANSWERED = re.compile(
    rf"^sockperf: \[Valid Duration\] RunTime={_NUMBER} sec; "
    rf"SentMessages={_COUNT}; ReceivedMessages={_COUNT}",
    re.MULTILINE,
)


def _read(raw: RawText) -> tuple[Measurement, ...]:
    text = _COLOUR.sub("", raw.text.replace("\r\n", "\n"))
    versions = _VERSION.findall(text)
    if not versions:
        raise ParseError(raw.source, "not a result of sockperf: no line has its version")
    if len(versions) > 1 or len(_SERVER.findall(text)) > 1:
        raise ParseError(
            raw.source, "holds more than one result; keep one, of one server, in a file"
        )
    run = Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=_TOOL,
        tool_version=versions[0].partition("-")[0],
        recorded_by=Side.CLIENT,
    )
    if _AT_SERVER.search(text):
        raise ParseError(raw.source, "printed by the server: keep what the client prints")
    error = _ERROR.search(text)
    if error:
        return (replace(run, error=error[1] or error[2]),)
    run = _with_connections(run, text)
    if _LATENCY.search(text):
        return (_with_transactions(run, text),)
    return (_with_payload(run, text),)


def _with_connections(run: Measurement, text: str) -> Measurement:
    """The run with its protocol and address, which all connections must share."""
    first = _required(run, text, _CONNECTION, "[ 0] IP =")
    connections = _CONNECTION.findall(text)
    protocols = {protocol.lower() for _, protocol in connections}
    if not protocols < {"tcp", "udp"}:
        raise _fault(run, text, first, f"must be all TCP or all UDP; got {shown(first[2])}")
    try:
        addresses = [ip_address(address) for address, _ in connections]
    except ValueError:
        raise _fault(run, text, first, "must name an IP address") from None
    return replace(
        run,
        protocol=protocols.pop(),
        ip_version=addresses[0].version,
        is_loopback=all(address.is_loopback for address in addresses),
        stream_count=len(connections),
    )


def _with_transactions(run: Measurement, text: str) -> Measurement:
    """The run with time and rate of its transactions."""
    latency = _required(run, text, _LATENCY, "Summary: Latency is")
    answered = _required(run, text, _ANSWERED, "[Valid Duration]")
    if len(_SUMMARY.findall(text)) > 1:
        raise _fault(run, text, latency, "is not the only summary; keep one result in a file")
    duration_s, sent_count, answer_count = float(answered[1]), int(answered[2]), int(answered[3])
    if not duration_s:
        raise _fault(run, text, answered, "has no duration")
    notes = []
    if latency[2] and int(latency[2]) > 1:
        notes.append(f"messages were sent in bursts of {int(latency[2])}")
    if answer_count < sent_count:
        notes.append(f"{answer_count} of {sent_count} messages were answered")
    directions_count = 1 if latency[1] == _ROUND_TRIP else 2
    return replace(
        run,
        leaves_out_start=True,
        measures_latency=True,
        why_no_goodput="a test of latency: sockperf does not print the size of its messages",
        duration_s=duration_s,
        transaction_time_s=directions_count * float(latency[3]) * MICRO,
        transaction_rate_tps=answer_count / duration_s,
        notes=tuple(notes),
    )


def _with_payload(run: Measurement, text: str) -> Measurement:
    """The run with the payload that was sent."""
    message_rate = _required(run, text, _MESSAGE_RATE, "Summary: Message Rate is")
    bandwidth = _required(run, text, _BANDWIDTH, "Summary: BandWidth is")
    sent = _required(run, text, _SENT, "Total of … messages sent")
    if len(_SUMMARY.findall(text)) > 2:
        raise _fault(
            run, text, bandwidth, "is one of more than two summaries; keep one result in a file"
        )
    note = _NOTE.search(text)
    size_bytes = int(note[2]) if note else _SIZE_WITHOUT_NOTE_BYTES
    duration_s = float(sent[2])
    if not duration_s:
        raise _fault(run, text, sent, "has no duration")
    if run.protocol == "udp" and not 0 < size_bytes <= MAX_DATAGRAM_BYTES:
        raise ParseError(
            run.source, f"msg-size must be from 1 to {MAX_DATAGRAM_BYTES}; got {size_bytes}"
        )
    # from messages per second, and from messages and time
    message_bits = float(size_bytes * BITS_PER_BYTE)
    by_time_bps = int(sent[1]) * message_bits / duration_s
    by_rate = Figure(int(message_rate[1]) * message_bits, 0.5 * message_bits)
    by_time = Figure(by_time_bps, by_time_bps * half_step(sent[2]) / duration_s)
    counted = min(by_rate, by_time, key=lambda rate: rate.half_width)
    # 2**20 for the M, and for the letter G of nine decimals too; 1000 times that for the G
    is_mega = bandwidth[2] == "M"
    is_mega = is_mega or len(bandwidth[1].partition(".")[2]) == _DECIMALS_OF_PRECISE_OUTPUT
    unit_bps = (1 if is_mega else KILO) * MEBI * BITS_PER_BYTE
    printed = Figure(float(bandwidth[1]), half_step(bandwidth[1])).times(unit_bps)
    disagreement = _disagreement(printed, counted)
    if disagreement and not note:
        raise _fault(
            run,
            text,
            bandwidth,
            f"does not fit {size_bytes} byte, and no note has the message size",
        )
    run = replace(
        run,
        direction=Direction.CLIENT_TO_SERVER,
        duration_s=duration_s,
        write_bytes=size_bytes if run.protocol == "tcp" else None,
        datagram_bytes=size_bytes if run.protocol == "udp" else None,
        offered_rate_bps=int(note[3]) * size_bytes * BITS_PER_BYTE if note and note[3] else None,
    )
    notes = disagreement + _disagreement(by_rate, by_time)
    if note and note[1]:
        notes += ("messages had different sizes: payload computed from their mean",)
    if run.protocol == "udp":
        why = SENT_UDP.format(tool=_TOOL)
        return replace(run, reported_rate_bps=counted.value, why_no_goodput=why, notes=notes)
    return replace(
        run,
        received_bytes=int(sent[1]) * size_bytes,
        goodput_bps=counted.value,
        goodput_half_width_bps=counted.half_width,
        is_counted_at_sender=True,
        notes=(*notes, COUNTED_AT_SENDER),
    )


def _disagreement(printed: Figure, counted: Figure) -> tuple[str, ...]:
    """A note where two rates differ by more than their rounding."""
    rounding_bps = printed.half_width + counted.half_width
    return rate_disagreement(_TOOL, printed.value, counted.value, rounding_bps)


def _required(run: Measurement, text: str, pattern: re.Pattern[str], begin: str) -> re.Match[str]:
    match = pattern.search(text)
    if match is None:
        raise ParseError(
            run.source, f"no line {begin!r} with its value: cut off, or not of a client"
        )
    return match


def _fault(run: Measurement, text: str, match: re.Match[str], problem: str) -> ParseError:
    number = text.count("\n", 0, match.start()) + 1
    return ParseError(run.source, f"line {number}: {shown(match[0])} {problem}")


# recognised where it begins as every output of sockperf, with ``--buffer-size`` after other lines
SOCKPERF = Format(
    "sockperf", lambda text: _BEGIN.match(_COLOUR.sub("", text[:_HEAD_LENGTH])) is not None, _read
)
