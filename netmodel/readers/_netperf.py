"""
Results of netperf: tables of classic and omni tests, and what ``-k`` and ``-o`` print.

The banner names the test, and the lines after it decide how it is read: netperf prints any layout
after any banner. A missing result among others (no figure after its banner) is a failed run of its
own, so that the others still count; an impossible value refuses the file.

Goodput is that of the receiver: for UDP the second line, or REMOTE_RECV_THROUGHPUT. Over TCP
netperf counts what it sent, but its time ends only when the other end has taken all of it. A value
of -1 was not measured. Where no PROTOCOL is printed, the name of the test gives it or, for omni
tests, TRANSPORT_MSS, which only TCP has. The socket buffer is the smaller of those requested at the
sender and at the receiver, which only omni tests print.

Tests of requests and responses, also those that connect for each, measure latency: they have a
transaction rate and time, no goodput, and CPU time without a cost per data. CPU time is that of all
CPUs of a host, interrupts included: utilisation times their number or, where that is not printed,
the service demand times the throughput, in KB of 1024 byte also at the receiver. A requested
confidence that was not reached gives a note.

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
    RATE_TOLERANCE_RATIO,
    Figure,
    Line,
    finer_rate,
    payload_rate,
    printed_lines,
    started,
    with_hosts,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIBI, GIGA, KIBI, KILO, MEBI, MEGA, MICRO

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
"""Direction of a classic test by the name in its banner, in the words of omni tests."""
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
"""Keys of the column names of ``-o`` and ``-O``."""
_Printed = dict[str, tuple[Line, str]]
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
    "10^3bits": KILO,
    "10^6bits": MEGA,
    "10^9bits": GIGA,
    "kbytes": float(KIBI * BITS_PER_BYTE),
    "mbytes": float(MEBI * BITS_PER_BYTE),
    "gbytes": float(GIBI * BITS_PER_BYTE),
}
_BUFFERS = {
    Direction.CLIENT_TO_SERVER: ("LSS_SIZE_REQ", "RSR_SIZE_REQ"),
    Direction.SERVER_TO_CLIENT: ("RSS_SIZE_REQ", "LSR_SIZE_REQ"),
}
_DIRECTIONS = {
    "Send": (Direction.CLIENT_TO_SERVER, "LOCAL", "REMOTE"),
    "Receive": (Direction.SERVER_TO_CLIENT, "REMOTE", "LOCAL"),
}
_NO_RECEIVER = (
    "netperf did not print what arrived over UDP: request {receiver}_RECV_THROUGHPUT with -k or -o"
)
_REQUESTS = "requests and responses: netperf counts transactions, not payload in one direction"
_NO_PROTOCOL = "protocol not reported: over UDP this may be what was sent; request PROTOCOL"
_ONE_HOST = "both ends ran on one host: the CPU time at either end is that of both"
_NO_CPU_COUNT = (
    "CPU time left out: the number of CPUs is missing (request LOCAL_CPU_COUNT, REMOTE_CPU_COUNT)"
)
_WIDE = "requested confidence not reached: its interval is {width} % wide"
_ENDS_WITHIN_A_LINE = "the text ends within a line: its last figure may be cut off"


@dataclass(frozen=True, slots=True)
class _Values:
    """Values of one result, each with its line, by the keys of omni tests."""

    source: str
    printed: _Printed

    def text(self, key: str) -> str | None:
        """A value as it is printed; None where it is not."""
        return self.printed[key][1] if key in self.printed else None

    def figure(self, key: str, factor: float = 1.0) -> Figure | None:
        """A figure; None where it is not printed or was not measured."""
        line, text = self.printed.get(key, (None, ""))
        if line is None or not text or _NOT_MEASURED.match(text):
            return None
        return line.figure(key, text, factor)

    def count(self, key: str) -> int | None:
        """A whole number; None where it is not printed or was not measured."""
        line, text = self.printed.get(key, (None, ""))
        if line is None or not text or _NOT_MEASURED.match(text):
            return None
        return line.count(key, text)

    def needed(self, key: str, factor: float = 1.0) -> Figure:
        """A figure that must be there."""
        figure = self.figure(key, factor)
        if figure is None:
            raise self.fault(f"{key} is missing or was not measured")
        return figure

    def fault(self, problem: str) -> ParseError:
        """An error that names the file and the first line of this result."""
        line = min((line for line, _ in self.printed.values()), key=lambda line: line.number)
        return line.fault(problem)


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
        printed = _printed_results(raw.source, section.lines, section.test)
        results += [(section, values) for values in printed] or [(section, None)]
    measured = [
        _result(run, section, values, is_only=len(results) == 1) for section, values in results
    ]
    if not raw.text[-1].isspace():
        last = measured[-1]
        measured[-1] = replace(last, notes=(*last.notes, _ENDS_WITHIN_A_LINE))
    if len(measured) == 1:
        return (measured[0],)
    return tuple(
        replace(run, part=f"result {number}") for number, run in enumerate(measured, start=1)
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
    """One result, or why there is none."""
    texts = [line.text.strip() for line in section.lines]
    if section.banner and (peer := _PEER.search(section.banner["ends"])):
        run = with_hosts(run, [peer["address"] or peer["host"]])
        if peer["family"]:
            run = replace(run, ip_version=6 if peer["family"].endswith("6") else 4)
    if values is None:
        error = next((text for text in texts if _ERROR.match(text)), None)
        if error is not None:
            return replace(run, error=error)
        why = _why_nothing(run.raw_text, texts)
        if is_only:
            raise ParseError(run.source, why)
        return replace(run, why_no_goodput=why)
    widths = [match[1] for text in texts if (match := _NOT_REACHED.match(text))]
    run = replace(run, notes=tuple(_WIDE.format(width=width) for width in widths))
    # requests in flight beyond the first; a test that connects for each request has none
    burst = None
    if "Connect" in (values.text("DIRECTION") or ""):
        burst = 0
    elif section.banner and (match := _BURST.search(section.banner["ends"])):
        burst = int(match[1])
    return _with_values(run, values, burst)


def _why_nothing(text: str, lines: list[str]) -> str:
    if not _MARKS.search(text):
        return "not a result of netperf: it has neither its banner nor THROUGHPUT"
    if any(_LONE_FIGURE.match(line) for line in lines):
        return "holds a figure without its unit, as netperf -v 0 prints it: leave out -v 0"
    return "the text stops before its result"


def _with_values(run: Measurement, values: _Values, burst: int | None) -> Measurement:
    for key in ("THROUGHPUT", "THROUGHPUT_UNITS"):
        if key not in values.printed:
            raise values.fault(f"{key} is missing")
    protocol = (values.text("PROTOCOL") or "").lower() or None
    if protocol is None and (mss := values.text("TRANSPORT_MSS")):
        protocol = "udp" if _NOT_MEASURED.match(mss) else "tcp"
    if protocol not in {"tcp", "udp", None}:
        raise values.printed["PROTOCOL"][0].fault(
            f"PROTOCOL must be TCP or UDP; got {shown(protocol)}"
        )
    duration = values.figure("ELAPSED_TIME")
    run = replace(
        run,
        protocol=protocol,
        duration_s=duration.value if duration else None,
        segment_bytes=None if run.is_loopback else values.count("TRANSPORT_MSS") or None,
    )
    wanted, width = values.figure("CONFIDENCE_INTERVAL"), values.figure("THROUGHPUT_CONFID")
    if wanted and width and width.value > wanted.value:
        note = f"{_WIDE.format(width=f'{width.value:g}')}, {wanted.value:g} % requested"
        run = replace(run, notes=(*run.notes, note))
    is_rate = values.text("THROUGHPUT_UNITS") == _TRANSACTIONS
    if is_rate or "|" in (values.text("DIRECTION") or "") or values.figure("REQUEST_SIZE"):
        return _with_transactions(run, values, burst, is_rate=is_rate)
    return _with_stream(run, values)


def _with_stream(run: Measurement, values: _Values) -> Measurement:
    line, text = values.printed["THROUGHPUT_UNITS"]
    unit = _UNIT.match(text)
    if not unit:
        raise line.fault(f"THROUGHPUT_UNITS must be bits or bytes per second; got {shown(text)}")
    factor = _BITS[unit[1].lower()]
    throughput = values.needed("THROUGHPUT", factor)
    printed = values.text("DIRECTION") or ""
    if printed not in _DIRECTIONS:
        why = f"no known direction is printed, but {shown(printed)}: request DIRECTION"
        return replace(run, reported_rate_bps=throughput.value, why_no_goodput=why)
    direction, sender, receiver = _DIRECTIONS[printed]
    size = values.count(f"{sender}_SEND_SIZE") or None
    run = replace(
        run,
        direction=direction,
        write_bytes=size if run.protocol == "tcp" else None,
        datagram_bytes=size if run.protocol == "udp" else None,
        retransmit_count=values.count(f"{sender}_TRANSPORT_RETRANS"),
        congestion_control=values.text(f"{sender}_CONG_CONTROL") or None,
        socket_buffer_bytes=min(
            filter(None, (values.count(key) for key in _BUFFERS[direction])), default=None
        ),
    )
    arrived = values.figure(f"{receiver}_RECV_THROUGHPUT", factor)
    if arrived is None and run.protocol != "udp":
        arrived = throughput
        if run.protocol is None:
            run = replace(run, notes=(*run.notes, _NO_PROTOCOL))
    run = _with_arrival(run, values, receiver, arrived)
    # THROUGHPUT of UDP is what was sent in a table, and what arrived with -k or -o; service demand
    # is per KB that the client moved, at both ends (seen in 2.7.0, with loss)
    sent = values.figure(f"{sender}_SEND_THROUGHPUT", factor)
    moved: Figure | None = throughput
    if run.protocol == "udp" and direction is Direction.CLIENT_TO_SERVER:
        moved = sent
    reported_bps = (sent or throughput).value
    if run.goodput_bps != reported_bps:
        run = replace(run, reported_rate_bps=reported_bps)
    if run.goodput_bps is None:
        return run
    rates_bps = {sender: reported_bps, receiver: run.goodput_bps}
    moved_kib_per_s = moved.value / BITS_PER_BYTE / KIBI if moved else None
    return _with_cpu(run, values, rates_bps, moved_kib_per_s, "usec/KB")


def _with_arrival(
    run: Measurement, values: _Values, receiver: str, printed: Figure | None
) -> Measurement:
    """The run with the payload that its receiver counted."""
    received = values.count(f"{receiver}_BYTES_RECVD")
    duration = values.figure("ELAPSED_TIME")
    goodput, notes = printed, run.notes
    if received is not None and duration is not None:
        line = values.printed["ELAPSED_TIME"][0]
        computed = payload_rate(line, Figure(received, 0.0), duration)
        goodput, disagreement = finer_rate(_TOOL, computed, printed or computed)
        notes += disagreement
    if goodput is None:
        return replace(run, why_no_goodput=_NO_RECEIVER.format(receiver=receiver))
    sent = values.count("LOCAL_BYTES_SENT" if receiver == "REMOTE" else "REMOTE_BYTES_SENT")
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
    again = values.figure("TRANSACTION_RATE")
    rate = values.needed("THROUGHPUT") if is_rate else again
    if rate and again and abs(again.value - rate.value) > RATE_TOLERANCE_RATIO * rate.value:
        both = f"netperf prints {rate.value:g} and {again.value:g} transactions per second"
        run = replace(run, notes=(*run.notes, both))
    time_us = values.figure("RT_LATENCY") or values.figure("MEAN_LATENCY")
    time_s = time_us.value * MICRO if time_us else None
    if time_s is None and burst is not None and rate and rate.value:
        time_s = (1 + burst) / rate.value
    run = replace(
        run,
        request_bytes=values.count("REQUEST_SIZE"),
        response_bytes=values.count("RESPONSE_SIZE"),
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
        percent = values.figure(f"{side}_CPU_UTIL")
        if percent is None:
            continue
        count = values.count(f"{side}_CPU_COUNT")
        demand_us = values.figure(f"{side}_SD")
        if count:
            busy = percent.value / 100 * count
        elif demand_us and demand_rate is not None and values.text("SD_UNITS") == demand_units:
            busy = demand_us.value * MICRO * demand_rate
        else:
            notes.append(_NO_CPU_COUNT)
            continue
        cpu.append(CpuUse(busy, rates_bps[side], CpuScope.SYSTEM, end, count or None))
    if cpu and run.is_loopback:
        notes.append(_ONE_HOST)
    return replace(run, cpu=tuple(cpu), notes=(*run.notes, *dict.fromkeys(notes)))


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
    # the name of the test implies its direction and, of a classic one, its protocol
    implied: _Printed = {}
    kind, _, rest = (test or "").partition(" ")
    if kind == "OMNI":
        implied["DIRECTION"] = (lines[0], rest)
    elif test is not None:
        implied["PROTOCOL"] = (lines[0], kind)
        if direction := _CLASSIC_DIRECTIONS.get(rest.upper()):
            implied["DIRECTION"] = (lines[0], direction)
    return [_Values(source, implied | printed) for printed in results]


def _pairs(lines: list[Line]) -> Iterator[_Printed]:
    """Values of ``-k``; a key that comes again begins another result."""
    printed: _Printed = {}
    for line in lines:
        match = _PAIR.match(line.text.strip())
        if not match:
            continue
        if match[1] in printed:
            yield printed
            printed = {}
        printed[match[1]] = (line, match[2].strip())
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
        (number, match)
        for number, line in enumerate(lines)
        if (match := _UNITS.match(line.text.strip()))
    ]
    if not heads:
        return
    number, match = heads[0]
    protocol, _, kind = (test or "").partition(" ")
    if protocol not in {"TCP", "UDP"} or kind.upper() not in _CLASSIC_DIRECTIONS:
        raise ParseError(source, f"results of the test {shown(test)} are not read")
    is_requests = "|" in _CLASSIC_DIRECTIONS[kind.upper()]
    is_rate = match["unit"].lower() == "per sec"
    if is_rate and not is_requests:
        raise lines[number].fault(f"not the unit of the test {shown(test)}")
    units = {
        "THROUGHPUT_UNITS": (lines[number], "Trans/s" if is_rate else match["unit"]),
        "SD_UNITS": (lines[number], "usec/Tran" if is_rate else "usec/KB"),
    }
    has_cpu = bool(match["cpu"] and match["cpu"].strip())
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
    """Both lines of a UDP stream: what was sent, and what arrived."""
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
        starts = [match.start() for match in re.finditer(r"\S+", line.text)]
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


# recognised: a line begins as netperf's banner, its THROUGHPUT or its failure to connect
NETPERF = Format("netperf", lambda text: _MARKS.search(text) is not None, _read)
