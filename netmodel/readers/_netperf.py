"""
Results of netperf: tables of classic and omni tests, and what ``-k`` and ``-o`` print.

The banner says which test it was, what follows it decides how it is read: netperf prints any layout
after any banner. Among several results one that is missing (no figure after its banner) is a failed
run of its own, so that the others still count; a value that cannot be refuses the file.

Goodput is that of the receiver: for UDP the second line, or REMOTE_RECV_THROUGHPUT. Over TCP
netperf counts what it sent, but its time ends only when the other end has taken all of it. A value
of -1 was not measured. Where no PROTOCOL is printed, the name of the test gives it or, for omni
tests, TRANSPORT_MSS, which only TCP has. The socket buffer is the smaller of those that were asked
for where payload is sent and where it arrives, which only omni tests print.

Tests of requests and responses, also those that connect for each, measure latency: they have a
transaction rate and time, no goodput, and CPU time without a cost per data. CPU time is that of all
CPUs of a host, interrupts included: utilisation times their number or, where that is not printed,
the service demand times the throughput, in KB of 1024 byte also at the receiver. A confidence that
was asked for and not reached gives a warning.

References: netperf source, version 2.7.0: ``nettest_omni.c``, ``netlib.c``.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile, zip_longest

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText, shown
from netmodel.readers._formats import Format
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import (
    Figure,
    Line,
    finer_rate,
    payload_rate,
    printed_lines,
    started,
    with_hosts,
)
from netmodel.units import BITS_PER_BYTE

_UNITS = re.compile(
    r"bytes +bytes .* (?P<unit>(?:10\^[369]bits|[KMG]Bytes) */s(?:ec)?|per sec)(?P<cpu> .*)?\Z",
    re.IGNORECASE,
)
_PAIR = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)\Z")
_ROW = re.compile(r" *-?[0-9]")
_NUMBER_ALONE = re.compile(r"(?:^|\s)-?[0-9]+(?:\.[0-9]+)?(?=\s|\Z)")
_NO_HEADING = ("!!!", "Interim result:", "netperf: ")
_REQUEST_COLUMNS = ("", "", "REQUEST_SIZE", "RESPONSE_SIZE", "ELAPSED_TIME", "THROUGHPUT")
_CPU = ("LOCAL_CPU_UTIL", "REMOTE_CPU_UTIL", "LOCAL_SD", "REMOTE_SD")
_UDP_SENT = ("", "LOCAL_SEND_SIZE", "ELAPSED_TIME", "SENT", "", "THROUGHPUT")
_UDP_SENT_CPU = ("LOCAL_CPU_UTIL", "LOCAL_SD")
_UDP_RECEIVED = ("", "ELAPSED_TIME", "RECEIVED", "REMOTE_RECV_THROUGHPUT")
_UDP_RECEIVED_CPU = ("REMOTE_CPU_UTIL", "REMOTE_SD")
_SIZES_ONLY = 2
"""Figures of the line that ends a request/response table: the remote socket sizes."""
_CLASSIC_DIRECTIONS = {
    "STREAM": "Send",
    "SENDFILE": "Send",
    "UNIDIRECTIONAL SEND": "Send",
    "MAERTS": "Receive",
    "REQUEST/RESPONSE": "Send|Recv",
    "CONNECT/REQUEST/RESPONSE": "Connect|Send|Recv",
    "CONNECT/CLOSE": "Connect|Send|Recv",
}
"""Which way the payload of a classic test goes, by the name in its banner, as omni tests say it."""
_HEADERS = {
    "Protocol": "PROTOCOL",
    "Direction": "DIRECTION",
    "Elapsed Time (sec)": "ELAPSED_TIME",
    "Throughput": "THROUGHPUT",
    "Throughput Units": "THROUGHPUT_UNITS",
    "Request Size Bytes": "REQUEST_SIZE",
    "Response Size Bytes": "RESPONSE_SIZE",
    "Service Demand Units": "SD_UNITS",
    "Confidence Width Target": "CONFIDENCE_INTERVAL",
    "Throughput Confidence Width (%)": "THROUGHPUT_CONFID",
    "Transaction Rate Tran/s": "TRANSACTION_RATE",
    "Round Trip Latency usec/tran": "RT_LATENCY",
    "Mean Latency Microseconds": "MEAN_LATENCY",
    "Initial Burst Requests": "BURST_SIZE",
    "Transport MSS bytes": "TRANSPORT_MSS",
    "Local Send Socket Size Requested": "LSS_SIZE_REQ",
    "Local Recv Socket Size Requested": "LSR_SIZE_REQ",
    "Remote Send Socket Size Requested": "RSS_SIZE_REQ",
    "Remote Recv Socket Size Requested": "RSR_SIZE_REQ",
} | {
    f"{side} {name}": f"{side.upper()}_{key}"
    for side in ("Local", "Remote")
    for name, key in (
        ("Send Size", "SEND_SIZE"),
        ("CPU Util %", "CPU_UTIL"),
        ("CPU Count", "CPU_COUNT"),
        ("Service Demand", "SD"),
        ("Transport Retransmissions", "TRANSPORT_RETRANS"),
        ("Send Throughput", "SEND_THROUGHPUT"),
        ("Recv Throughput", "RECV_THROUGHPUT"),
        ("Bytes Sent", "BYTES_SENT"),
        ("Bytes Received", "BYTES_RECVD"),
        ("Congestion Control Algorithm", "CONG_CONTROL"),
    )
}
"""Keys of what ``-o`` and ``-O`` name in words."""

_Printed = dict[str, tuple[Line, str]]


@dataclass(frozen=True, slots=True)
class _Values:
    """What netperf printed of one result, each value with its line, by the keys of omni tests."""

    source: str
    printed: _Printed


def _printed_results(source: str, lines: list[Line], test: str | None) -> list[_Values]:
    """
    The results among the lines under one banner, most often one; none where there is no figure.

    The lines are those of ``-k``, of ``-o``, the table of a classic test or
    that of an omni test; netperf prints any of them after any banner. With
    ``-P 0`` the results of later runs follow without a banner of their own.
    """
    results = list(_pairs(lines))
    if not any("THROUGHPUT" in printed for printed in results):
        results = (
            list(_comma_separated(source, lines))
            or list(_classic_table(source, lines, test))
            or list(_omni_table(lines if test else []))
            or results
        )
    implied = _implied_by(test, lines)
    return [_Values(source, implied | printed) for printed in results]


def _implied_by(test: str | None, lines: list[Line]) -> _Printed:
    """Protocol and direction that the name of a test implies."""
    if test is None:
        return {}
    kind, _, rest = test.partition(" ")
    if kind == "OMNI":
        return {"DIRECTION": (lines[0], rest)}
    protocol = {"PROTOCOL": (lines[0], kind)}
    direction = _CLASSIC_DIRECTIONS.get(rest.upper())
    return protocol | {"DIRECTION": (lines[0], direction)} if direction else protocol


def _pairs(lines: list[Line]) -> Iterator[_Printed]:
    """Values of ``-k``; a key that comes again begins another result."""
    printed: _Printed = {}
    for line in lines:
        found = _PAIR.match(line.text.strip())
        if not found:
            continue
        if found[1] in printed:
            yield printed
            printed = {}
        printed[found[1]] = (line, found[2].strip())
    if printed:
        yield printed


def _comma_separated(source: str, lines: list[Line]) -> Iterator[_Printed]:
    """Values of ``-o``: a line of names, and one of values for each result."""
    heads = [
        number for number, line in enumerate(lines) if "Throughput" in line.text.strip().split(",")
    ]
    if not heads:
        return
    names = lines[heads[0]].text.strip().split(",")
    rows = lines[heads[0] + 1 :]
    if not rows:
        raise ParseError(source, "the text stops before its values")
    for number, line in enumerate(rows):
        try:
            (cells,) = csv.reader([line.text.strip()])
        except csv.Error as error:
            raise line.fault(f"not CSV: {error}") from None
        if len(cells) != len(names):
            if number:
                return
            raise line.fault(f"must have {len(names)} values, as the line before; got {len(cells)}")
        pairs = zip(names, cells, strict=True)
        yield {_HEADERS[name]: (line, cell) for name, cell in pairs if name in _HEADERS}


def _classic_table(source: str, lines: list[Line], test: str | None) -> Iterator[_Printed]:
    """Values of the table of a classic test, of which the last heading holds the units."""
    heads = [
        (number, found)
        for number, line in enumerate(lines)
        if (found := _UNITS.match(line.text.strip()))
    ]
    if not heads:
        return
    number, found = heads[0]
    protocol, _, kind = (test or "").partition(" ")
    if protocol not in {"TCP", "UDP"} or kind.upper() not in _CLASSIC_DIRECTIONS:
        raise ParseError(source, f"results of the test {shown(test)} are not read")
    is_requests = "|" in _CLASSIC_DIRECTIONS[kind.upper()]
    is_rate = found["unit"].lower() == "per sec"
    if is_rate and not is_requests:
        raise lines[number].fault(f"not the unit of the test {shown(test)}")
    units = {
        "THROUGHPUT_UNITS": (lines[number], "Trans/s" if is_rate else found["unit"]),
        "SD_UNITS": (lines[number], "usec/Tran" if is_rate else "usec/KB"),
    }
    has_cpu = bool(found["cpu"] and found["cpu"].strip())
    rows = list(takewhile(lambda line: _ROW.match(line.text), lines[number + 1 :]))
    if is_requests:
        rows = [row for row in rows if len(row.text.split()) > _SIZES_ONLY]
        for row in rows:
            yield units | _cells(row, _REQUEST_COLUMNS + _CPU * has_cpu)
    elif protocol == "UDP":
        for sent, received in zip_longest(rows[::2], rows[1::2]):
            yield units | _datagrams(sent, received, has_cpu=has_cpu)
    else:
        sender = "REMOTE" if _CLASSIC_DIRECTIONS[kind.upper()] == "Receive" else "LOCAL"
        columns = ("", "", f"{sender}_SEND_SIZE", "ELAPSED_TIME", "THROUGHPUT")
        for row in rows:
            yield units | _cells(row, columns + _CPU * has_cpu)


def _datagrams(sent: Line, received: Line | None, *, has_cpu: bool) -> _Printed:
    """Both lines of a UDP stream: the first says what was sent, the second what arrived."""
    printed = _cells(sent, _UDP_SENT + _UDP_SENT_CPU * has_cpu)
    printed["LOCAL_SEND_THROUGHPUT"] = printed["THROUGHPUT"]
    if received is not None:
        printed |= _cells(received, _UDP_RECEIVED + _UDP_RECEIVED_CPU * has_cpu)
    size = sent.count("the message size", printed["LOCAL_SEND_SIZE"][1])
    for count, key in (("SENT", "LOCAL_BYTES_SENT"), ("RECEIVED", "REMOTE_BYTES_RECVD")):
        if count in printed:
            line, text = printed.pop(count)
            printed[key] = (line, str(line.count("Okay", text) * size))
    return printed


def _cells(line: Line, names: tuple[str, ...]) -> _Printed:
    cells = line.text.split()
    if len(cells) != len(names):
        raise line.fault(f"must have {len(names)} figures; got {len(cells)}")
    return {name: (line, cell) for name, cell in zip(names, cells, strict=True) if name}


def _omni_table(lines: list[Line]) -> Iterator[_Printed]:
    """
    _Values of the table of an omni test, also that of ``-O``.

    The name of a column stands over it, a few words a line; the values begin
    where their columns begin. Groups of columns (``-O "A,B;C"``) follow each
    other, each with its own headings.
    """
    printed: _Printed = {}
    headings: list[str] = []
    for line in lines[1:]:
        if line.text.startswith(_NO_HEADING):
            continue
        if not _NUMBER_ALONE.search(line.text):
            headings.append(line.text)
            continue
        starts = [found.start() for found in re.finditer(r"\S+", line.text)]
        for start, end in zip_longest(starts, starts[1:]):
            name = " ".join(" ".join(text[start:end].split()) for text in headings).strip()
            if name not in _HEADERS:
                continue
            if _HEADERS[name] in printed:
                yield printed
                printed = {}
            printed[_HEADERS[name]] = (line, line.text[start:end].strip())
        headings = []
    if printed:
        yield printed


_TOOL = "netperf"
_BANNER = re.compile(
    r"(?:MIGRATED )?(?P<test>[A-Z][A-Za-z|/ ]*?) TEST (?P<ends>from \S+ .*\bto \S.*|to \S.*)\Z"
)
_PEER = re.compile(
    r"\bto (?P<host>\S+)(?: \((?P<address>[^()]*)\))?(?: port [0-9]+)?(?P<family> AF_INET6?\b)?"
)
_MARKS = re.compile(
    r"^(?:(?:MIGRATED )?(?:[A-Z][A-Za-z|/ ]* TEST from |(?:TCP|UDP) [A-Za-z/ ]+ TEST to )"
    r"|THROUGHPUT=|establish control)",
    re.MULTILINE,
)
_NO_CONNECTION = "establish control:"
_ERROR = re.compile(r"(?:establish.control|netperf: |remote error).*|.*\berrno -?[0-9]+.*")
_NOT_REACHED = re.compile(r"!!! Confidence intervals: Throughput *: *([0-9.]+)%")
_BURST = re.compile(r"first burst ([0-9]{1,9})\b")
_LONE_FIGURE = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z")
_NOT_MEASURED = re.compile(r"-1(?:\.0*)?\Z")
_UNIT = re.compile(r"(10\^[369]bits|[KMG]Bytes) */s(?:ec)?\Z", re.IGNORECASE)
_TRANSACTIONS = "Trans/s"
_BITS = {
    "10^3bits": 1e3,
    "10^6bits": 1e6,
    "10^9bits": 1e9,
    "kbytes": 1024.0 * BITS_PER_BYTE,
    "mbytes": 1024.0**2 * BITS_PER_BYTE,
    "gbytes": 1024.0**3 * BITS_PER_BYTE,
}
_US = 1e-6
_KIBI = 1024
_RATE_TOLERANCE_RATIO = 1e-3
_BUFFERS = {
    Direction.CLIENT_TO_SERVER: ("LSS_SIZE_REQ", "RSR_SIZE_REQ"),
    Direction.SERVER_TO_CLIENT: ("RSS_SIZE_REQ", "LSR_SIZE_REQ"),
}
_DIRECTIONS = {
    "Send": (Direction.CLIENT_TO_SERVER, "LOCAL", "REMOTE"),
    "Receive": (Direction.SERVER_TO_CLIENT, "REMOTE", "LOCAL"),
}
_NO_RECEIVER = (
    "netperf did not print how much of the UDP payload arrived: with -k or -o ask for "
    "{receiver}_RECV_THROUGHPUT too"
)
_REQUESTS = "requests and responses: netperf counts transactions, not payload in one direction"
_NO_PROTOCOL = (
    "netperf did not print the protocol: over UDP this throughput may be what was sent; "
    "ask for PROTOCOL"
)
_ONE_HOST = "both ends ran on one host: the CPU time at either end is that of both"
_NO_CPU_COUNT = (
    "CPU utilisation is a share of all CPUs, and netperf did not print how many there are: "
    "ask for LOCAL_CPU_COUNT and REMOTE_CPU_COUNT"
)
_STOPS = "the text stops before its result"
_ENDS_WITHIN_A_LINE = "the text ends within a line: its last figure may be cut off"


@dataclass(frozen=True, slots=True)
class _Section:
    """A banner with what follows it, as far as the next one."""

    banner: re.Match[str] | None
    lines: list[Line]

    @property
    def test(self) -> str | None:
        return self.banner["test"] if self.banner else None


def _read(raw: RawText) -> tuple[Measurement, ...]:
    lines = [replace(line, text=line.text.rstrip()) for line in printed_lines(raw)]
    run = replace(started(raw, _TOOL), recorded_by=Side.CLIENT)
    results: list[tuple[_Section, _Values | None]] = []
    for section in _sections(lines):
        found = _printed_results(raw.source, section.lines, section.test)
        results += [(section, values) for values in found] or [(section, None)]
    measured = [
        _result(run, section, values, is_only=len(results) == 1) for section, values in results
    ]
    if not raw.text[-1].isspace():
        last = measured[-1]
        measured[-1] = replace(last, notes=(*last.notes, _ENDS_WITHIN_A_LINE))
    if len(measured) == 1:
        return (measured[0],)
    return tuple(
        replace(one, part=f"result {number}") for number, one in enumerate(measured, start=1)
    )


def _sections(lines: list[Line]) -> list[_Section]:
    """The lines, parted before each banner and each failure to connect."""
    starts = [
        number
        for number, line in enumerate(lines)
        if _BANNER.match(line.text) or line.text.startswith(_NO_CONNECTION)
    ]
    before = lines[: starts[0]] if starts else []
    has_result = any(line.text.startswith("THROUGHPUT=") for line in before)
    parts = [0, *starts] if has_result or not starts else starts
    sections = [
        _Section(_BANNER.match(lines[start].text), lines[start:end])
        for start, end in pairwise([*parts, len(lines)])
    ]
    if before and not has_result:
        first = sections[0]
        sections[0] = _Section(first.banner, [first.lines[0], *before, *first.lines[1:]])
    return sections


def _result(
    run: Measurement, section: _Section, values: _Values | None, *, is_only: bool
) -> Measurement:
    """One result, or why it failed."""
    texts = [line.text.strip() for line in section.lines]
    if section.banner:
        run = _with_peer(run, section.banner["ends"])
    if values is None:
        error = next((text for text in texts if _ERROR.match(text)), None)
        if is_only and error is None:
            raise ParseError(run.source, _why_nothing(run.raw_text, texts))
        return replace(run, error=error or _why_nothing(run.raw_text, texts))
    not_reached = [found[1] for text in texts if (found := _NOT_REACHED.match(text))]
    run = replace(run, notes=tuple(_missed(width) for width in not_reached))
    return _with_values(run, values, _burst(section, values))


def _with_peer(run: Measurement, ends: str) -> Measurement:
    """The run with what its banner says of the other end."""
    peer = _PEER.search(ends)
    if peer is None:
        return run
    run = with_hosts(run, [peer["address"] or peer["host"]])
    if peer["family"] is None:
        return run
    return replace(run, ip_version=6 if peer["family"].endswith("6") else 4)


def _burst(section: _Section, values: _Values) -> int | None:
    """Requests in flight beyond the first; a test that connects for each request has none."""
    if "Connect" in (_text(values, "DIRECTION") or ""):
        return 0
    found = _BURST.search(section.banner["ends"]) if section.banner else None
    return int(found[1]) if found else None


def _why_nothing(text: str, lines: list[str]) -> str:
    if not _MARKS.search(text):
        return "not a result of netperf: it has neither its banner nor THROUGHPUT"
    if any(_LONE_FIGURE.match(line) for line in lines):
        return "holds a figure without its unit, as netperf -v 0 prints it: leave out -v 0"
    return _STOPS


def _missed(width_percent: str) -> str:
    return (
        f"the confidence that was asked for was not reached: its interval is {width_percent} % wide"
    )


def _text(values: _Values, key: str) -> str | None:
    return values.printed[key][1] if key in values.printed else None


def _figure(values: _Values, key: str, factor: float = 1.0) -> Figure | None:
    """A figure; None where it was not asked for or not measured."""
    line, text = values.printed.get(key, (None, ""))
    if line is None or not text or _NOT_MEASURED.match(text):
        return None
    return line.figure(key, text, factor)


def _count(values: _Values, key: str) -> int | None:
    line, text = values.printed.get(key, (None, ""))
    if line is None or not text or _NOT_MEASURED.match(text):
        return None
    return line.count(key, text)


def _with_values(run: Measurement, values: _Values, burst: int | None) -> Measurement:
    for key in ("THROUGHPUT", "THROUGHPUT_UNITS"):
        if key not in values.printed:
            raise _lacking(values, f"{key} is missing")
    protocol = (_text(values, "PROTOCOL") or _protocol_by_mss(values) or "").lower() or None
    if protocol not in {"tcp", "udp", None}:
        raise values.printed["PROTOCOL"][0].fault(
            f"PROTOCOL must be TCP or UDP; got {shown(protocol)}"
        )
    duration = _figure(values, "ELAPSED_TIME")
    run = replace(
        run,
        protocol=protocol,
        duration_s=duration.value if duration else None,
        segment_bytes=None if run.is_loopback else _count(values, "TRANSPORT_MSS") or None,
        notes=run.notes + _confidence(values),
    )
    is_rate = _text(values, "THROUGHPUT_UNITS") == _TRANSACTIONS
    if is_rate or "|" in (_text(values, "DIRECTION") or "") or _figure(values, "REQUEST_SIZE"):
        return _with_transactions(run, values, burst, is_rate=is_rate)
    return _with_stream(run, values)


def _protocol_by_mss(values: _Values) -> str | None:
    """TCP where there is a maximum segment size, UDP where it is -1, None where neither."""
    mss = _text(values, "TRANSPORT_MSS")
    if not mss:
        return None
    return "UDP" if _NOT_MEASURED.match(mss) else "TCP"


def _confidence(values: _Values) -> tuple[str, ...]:
    wanted, width = _figure(values, "CONFIDENCE_INTERVAL"), _figure(values, "THROUGHPUT_CONFID")
    if wanted is None or width is None or width.value <= wanted.value:
        return ()
    return (f"{_missed(f'{width.value:g}')}, {wanted.value:g} % were asked for",)


def _rate_factor(values: _Values) -> float:
    """Bits per second of one unit of throughput."""
    line, text = values.printed["THROUGHPUT_UNITS"]
    found = _UNIT.match(text)
    if not found:
        raise line.fault(f"THROUGHPUT_UNITS is none that is known; got {shown(text)}")
    return _BITS[found[1].lower()]


def _needed(values: _Values, key: str, factor: float = 1.0) -> Figure:
    figure = _figure(values, key, factor)
    if figure is None:
        raise _lacking(values, f"{key} is missing or was not measured")
    return figure


def _lacking(values: _Values, problem: str) -> ParseError:
    """An error of a result as a whole, with the line where it begins."""
    line = min((line for line, _ in values.printed.values()), key=lambda line: line.number)
    return line.fault(problem)


def _with_stream(run: Measurement, values: _Values) -> Measurement:
    factor = _rate_factor(values)
    throughput = _needed(values, "THROUGHPUT", factor)
    printed = _text(values, "DIRECTION") or ""
    if printed not in _DIRECTIONS:
        why = f"netperf printed no direction that is known: {shown(printed)}; ask for DIRECTION"
        return replace(run, reported_rate_bps=throughput.value, why_no_goodput=why)
    direction, sender, receiver = _DIRECTIONS[printed]
    size = _count(values, f"{sender}_SEND_SIZE") or None
    run = replace(
        run,
        direction=direction,
        write_bytes=size if run.protocol == "tcp" else None,
        datagram_bytes=size if run.protocol == "udp" else None,
        retransmit_count=_count(values, f"{sender}_TRANSPORT_RETRANS"),
        congestion_control=_text(values, f"{sender}_CONG_CONTROL") or None,
        socket_buffer_bytes=_smallest_buffer_bytes(values, direction),
    )
    arrived = _figure(values, f"{receiver}_RECV_THROUGHPUT", factor)
    if arrived is None and run.protocol != "udp":
        arrived = throughput
        if run.protocol is None:
            run = replace(run, notes=(*run.notes, _NO_PROTOCOL))
    run = _with_arrival(run, values, receiver, arrived)
    # THROUGHPUT of UDP is what was sent in the table, and what arrived where -k or -o print it;
    # service demand is per KB that the client moved, at both ends (seen in 2.7.0, with loss).
    sent = _figure(values, f"{sender}_SEND_THROUGHPUT", factor)
    moved: Figure | None = throughput
    if run.protocol == "udp" and direction is Direction.CLIENT_TO_SERVER:
        moved = sent
    reported_bps = (sent or throughput).value
    if run.goodput_bps != reported_bps:
        run = replace(run, reported_rate_bps=reported_bps)
    if run.goodput_bps is None:
        return run
    rates_bps = {sender: reported_bps, receiver: run.goodput_bps}
    moved_kib_per_s = moved.value / BITS_PER_BYTE / _KIBI if moved else None
    return _with_cpu(run, values, rates_bps, moved_kib_per_s, "usec/KB")


def _smallest_buffer_bytes(values: _Values, direction: Direction) -> int | None:
    """The smaller of what was asked for where payload is sent and where it arrives."""
    asked_for = (_count(values, key) for key in _BUFFERS[direction])
    return min(filter(None, asked_for), default=None)


def _with_arrival(
    run: Measurement, values: _Values, receiver: str, printed: Figure | None
) -> Measurement:
    """The run with the payload that its receiver counted."""
    received = _count(values, f"{receiver}_BYTES_RECVD")
    duration = _figure(values, "ELAPSED_TIME")
    goodput, notes = printed, run.notes
    if received is not None and duration is not None:
        line = values.printed["ELAPSED_TIME"][0]
        computed = payload_rate(line, Figure(received, 0.0), duration)
        goodput, disagreement = finer_rate(_TOOL, computed, printed or computed)
        notes += disagreement
    if goodput is None:
        return replace(run, why_no_goodput=_NO_RECEIVER.format(receiver=receiver))
    sent = _count(values, "LOCAL_BYTES_SENT" if receiver == "REMOTE" else "REMOTE_BYTES_SENT")
    lost_ratio = None
    if run.protocol == "udp" and sent and received is not None and received <= sent:
        lost_ratio = 1 - received / sent
    return replace(
        run,
        received_bytes=received,
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        lost_ratio=lost_ratio,
        notes=notes,
    )


def _with_transactions(
    run: Measurement, values: _Values, burst: int | None, *, is_rate: bool
) -> Measurement:
    """The run with the rate and time of its transactions."""
    again = _figure(values, "TRANSACTION_RATE")
    rate = _needed(values, "THROUGHPUT") if is_rate else again
    if rate and again and abs(again.value - rate.value) > _RATE_TOLERANCE_RATIO * rate.value:
        both = f"netperf prints {rate.value:g} and {again.value:g} transactions per second"
        run = replace(run, notes=(*run.notes, both))
    time_us = _figure(values, "RT_LATENCY") or _figure(values, "MEAN_LATENCY")
    time_s = time_us.value * _US if time_us else None
    if time_s is None and burst is not None and rate and rate.value:
        time_s = (1 + burst) / rate.value
    run = replace(
        run,
        request_bytes=_count(values, "REQUEST_SIZE"),
        response_bytes=_count(values, "RESPONSE_SIZE"),
        transaction_rate_tps=rate.value if rate else None,
        transaction_time_s=time_s,
        measures_latency=True,
        why_no_goodput=_REQUESTS,
    )
    demand_rate = rate.value if rate else None
    return _with_cpu(run, values, {"LOCAL": 0.0, "REMOTE": 0.0}, demand_rate, "usec/Tran")


def _with_cpu(
    run: Measurement,
    values: _Values,
    rates_bps: dict[str, float],
    demand_rate: float | None,
    demand_units: str,
) -> Measurement:
    """The run with the CPU time of both hosts, where it was measured."""
    cpu, notes = [], []
    for side, end in (("LOCAL", Side.CLIENT), ("REMOTE", Side.SERVER)):
        percent = _figure(values, f"{side}_CPU_UTIL")
        if percent is None:
            continue
        count = _count(values, f"{side}_CPU_COUNT")
        demand_us = _figure(values, f"{side}_SD")
        if count:
            busy = percent.value / 100 * count
        elif demand_us and demand_rate is not None and _text(values, "SD_UNITS") == demand_units:
            busy = demand_us.value * _US * demand_rate
        else:
            notes.append(_NO_CPU_COUNT)
            continue
        cpu.append(CpuUse(busy, rates_bps[side], CpuScope.SYSTEM, end, count or None))
    if cpu and run.is_loopback:
        notes.append(_ONE_HOST)
    return replace(run, cpu=tuple(cpu), notes=(*run.notes, *dict.fromkeys(notes)))


def _is_netperf(text: str) -> bool:
    """Whether a line begins as netperf's banner, its THROUGHPUT or its failure to connect."""
    return _MARKS.search(text) is not None


NETPERF = Format("netperf", _is_netperf, _read)
