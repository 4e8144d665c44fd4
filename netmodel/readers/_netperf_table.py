"""The table that classic tests of netperf print, under the keys of its omni tests."""

import re
from dataclasses import dataclass

from netmodel.errors import ParseError
from netmodel.readers._document import shown
from netmodel.readers._printed import Line

__all__ = ["Values", "table_values"]

_UNITS = re.compile(
    r"bytes +bytes .* (?P<unit>(?:10\^[369]bits|[KMG]Bytes) */s(?:ec)?|per sec)(?P<cpu> .*)?\Z"
)
_ROW = re.compile(r"-?[0-9][-0-9. ]*\Z")
_STREAM = ("", "", "LOCAL_SEND_SIZE", "ELAPSED_TIME", "THROUGHPUT")
_STREAM_CPU = ("LOCAL_CPU_UTIL", "REMOTE_CPU_UTIL", "LOCAL_SD", "REMOTE_SD")
_REQUESTS = ("", "", "REQUEST_SIZE", "RESPONSE_SIZE", "ELAPSED_TIME", "THROUGHPUT")
_UDP_SENT = ("", "LOCAL_SEND_SIZE", "ELAPSED_TIME", "SENT", "", "THROUGHPUT")
_UDP_SENT_CPU = ("LOCAL_CPU_UTIL", "LOCAL_SD")
_UDP_RECEIVED = ("", "ELAPSED_TIME", "RECEIVED", "REMOTE_RECV_THROUGHPUT")
_UDP_RECEIVED_CPU = ("REMOTE_CPU_UTIL", "REMOTE_SD")
_TESTS = {
    "TCP STREAM": ("TCP", "Send"),
    "TCP SENDFILE": ("TCP", "Send"),
    "TCP MAERTS": ("TCP", "Receive"),
    "UDP STREAM": ("UDP", "Send"),
    "UDP UNIDIRECTIONAL SEND": ("UDP", "Send"),
    "TCP REQUEST/RESPONSE": ("TCP", "Send|Receive"),
    "UDP REQUEST/RESPONSE": ("UDP", "Send|Receive"),
}


@dataclass(frozen=True, slots=True)
class Values:
    """What netperf tells, each value with its line, by the keys of its omni tests."""

    source: str
    told: dict[str, tuple[Line, str]]


def table_values(source: str, lines: list[Line], test: str) -> Values | None:
    """Values of a classic table; None where the text stops before it."""
    if test not in _TESTS:
        raise ParseError(source, f"results of the test {shown(test)} are not read")
    protocol, direction = _TESTS[test]
    heads = [
        (number, found)
        for number, line in enumerate(lines)
        if (found := _UNITS.match(line.text.strip()))
    ]
    if not heads:
        return None
    if len(heads) > 1:
        raise ParseError(source, f"holds {len(heads)} results; keep one in a file")
    number, found = heads[0]
    rows = [line for line in lines[number + 1 :] if _ROW.match(line.text.strip())]
    is_requests = found["unit"] == "per sec"
    if is_requests != (direction == "Send|Receive"):
        raise lines[number].fault(f"not the unit of the test {shown(test)}")
    told = {
        "PROTOCOL": (lines[number], protocol),
        "DIRECTION": (lines[number], direction),
        "THROUGHPUT_UNITS": (lines[number], "Trans/s" if is_requests else found["unit"]),
        "SD_UNITS": (lines[number], "usec/Tran" if is_requests else "usec/KB"),
    }
    has_cpu = bool(found["cpu"] and found["cpu"].strip())
    if protocol == "UDP" and not is_requests:
        return Values(source, told | _datagrams(source, rows, has_cpu=has_cpu))
    columns = _REQUESTS if is_requests else _STREAM
    return Values(source, told | _cells(source, rows, 0, columns, _STREAM_CPU if has_cpu else ()))


def _datagrams(source: str, rows: list[Line], *, has_cpu: bool) -> dict[str, tuple[Line, str]]:
    """What both lines of a UDP stream tell: the first what was sent, the second what arrived."""
    sent = _cells(source, rows, 0, _UDP_SENT, _UDP_SENT_CPU if has_cpu else ())
    received = _cells(source, rows, 1, _UDP_RECEIVED, _UDP_RECEIVED_CPU if has_cpu else ())
    told = sent | received
    size = told["LOCAL_SEND_SIZE"][0].count("the message size", told["LOCAL_SEND_SIZE"][1])
    for count, key in (("SENT", "LOCAL_BYTES_SENT"), ("RECEIVED", "REMOTE_BYTES_RECVD")):
        line, text = told.pop(count)
        told[key] = (line, str(line.count("Okay", text) * size))
    return told


def _cells(
    source: str, rows: list[Line], number: int, columns: tuple[str, ...], cpu: tuple[str, ...]
) -> dict[str, tuple[Line, str]]:
    if len(rows) <= number:
        raise ParseError(source, "the text stops before its result")
    line = rows[number]
    cells = line.text.split()
    names = columns + cpu
    if len(cells) != len(names):
        raise line.fault(f"must have {len(names)} figures; got {len(cells)}")
    return {name: (line, cell) for name, cell in zip(names, cells, strict=True) if name}
