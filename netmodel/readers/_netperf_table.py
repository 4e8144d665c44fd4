"""What netperf prints, in each of its layouts, under the keys of its omni tests."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile, zip_longest

from netmodel.errors import ParseError
from netmodel.readers._document import shown
from netmodel.readers._printed import Line

__all__ = ["Values", "printed_results"]

_UNITS = re.compile(
    r"bytes +bytes .* (?P<unit>(?:10\^[369]bits|[KMG]Bytes) */s(?:ec)?|per sec)(?P<cpu> .*)?\Z",
    re.IGNORECASE,
)
_PAIR = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)\Z")
_ROW = re.compile(r" *-?[0-9]")
_NUMBER_ALONE = re.compile(r"(?:^|\s)-?[0-9]+(?:\.[0-9]+)?(?=\s|\Z)")
_NO_HEADING = ("!!!", "Interim result:", "netperf: ")
_REQUESTS = ("", "", "REQUEST_SIZE", "RESPONSE_SIZE", "ELAPSED_TIME", "THROUGHPUT")
_CPU = ("LOCAL_CPU_UTIL", "REMOTE_CPU_UTIL", "LOCAL_SD", "REMOTE_SD")
_UDP_SENT = ("", "LOCAL_SEND_SIZE", "ELAPSED_TIME", "SENT", "", "THROUGHPUT")
_UDP_SENT_CPU = ("LOCAL_CPU_UTIL", "LOCAL_SD")
_UDP_RECEIVED = ("", "ELAPSED_TIME", "RECEIVED", "REMOTE_RECV_THROUGHPUT")
_UDP_RECEIVED_CPU = ("REMOTE_CPU_UTIL", "REMOTE_SD")
_SIZES_ONLY = 2
"""Figures of the line that ends a request/response table: the remote socket sizes."""
_DIRECTIONS = {
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

Printed = dict[str, tuple[Line, str]]


@dataclass(frozen=True, slots=True)
class Values:
    """What netperf printed of one result, each value with its line, by the keys of omni tests."""

    source: str
    printed: Printed


def printed_results(source: str, lines: list[Line], test: str | None) -> list[Values]:
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
    return [Values(source, implied | printed) for printed in results]


def _implied_by(test: str | None, lines: list[Line]) -> Printed:
    """Protocol and direction that the name of a test implies."""
    if test is None:
        return {}
    kind, _, rest = test.partition(" ")
    if kind == "OMNI":
        return {"DIRECTION": (lines[0], rest)}
    protocol = {"PROTOCOL": (lines[0], kind)}
    direction = _DIRECTIONS.get(rest.upper())
    return protocol | {"DIRECTION": (lines[0], direction)} if direction else protocol


def _pairs(lines: list[Line]) -> Iterator[Printed]:
    """Values of ``-k``; a key that comes again begins another result."""
    printed: Printed = {}
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


def _comma_separated(source: str, lines: list[Line]) -> Iterator[Printed]:
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


def _classic_table(source: str, lines: list[Line], test: str | None) -> Iterator[Printed]:
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
    if protocol not in {"TCP", "UDP"} or kind.upper() not in _DIRECTIONS:
        raise ParseError(source, f"results of the test {shown(test)} are not read")
    is_requests = "|" in _DIRECTIONS[kind.upper()]
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
            yield units | _cells(row, _REQUESTS + _CPU * has_cpu)
    elif protocol == "UDP":
        for sent, received in zip_longest(rows[::2], rows[1::2]):
            yield units | _datagrams(sent, received, has_cpu=has_cpu)
    else:
        sender = "REMOTE" if _DIRECTIONS[kind.upper()] == "Receive" else "LOCAL"
        columns = ("", "", f"{sender}_SEND_SIZE", "ELAPSED_TIME", "THROUGHPUT")
        for row in rows:
            yield units | _cells(row, columns + _CPU * has_cpu)


def _datagrams(sent: Line, received: Line | None, *, has_cpu: bool) -> Printed:
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


def _cells(line: Line, names: tuple[str, ...]) -> Printed:
    cells = line.text.split()
    if len(cells) != len(names):
        raise line.fault(f"must have {len(names)} figures; got {len(cells)}")
    return {name: (line, cell) for name, cell in zip(names, cells, strict=True) if name}


def _omni_table(lines: list[Line]) -> Iterator[Printed]:
    """
    Values of the table of an omni test, also that of ``-O``.

    The name of a column stands over it, a few words a line; the values begin
    where their columns begin. Groups of columns (``-O "A,B;C"``) follow each
    other, each with its own headings.
    """
    printed: Printed = {}
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
