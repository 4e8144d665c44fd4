"""
Results of netperf: tables of classic and omni tests, and what ``-k`` and ``-o`` print.

The banner names the test, and the lines after it decide how it is read: netperf prints any layout
after any banner. A missing result among others (no figure after its banner) is a run of its own, so
that the others still count. Tables of ``-O`` are not read: their columns are those of the user.

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
from itertools import zip_longest

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import shown
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import (
    RATE_TOLERANCE_RATIO,
    Figure,
    Line,
    finer_rate,
    payload_rate,
    with_hosts,
)
from netmodel.readers._table import Found, Hit, Table
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIBI, GIGA, KIBI, KILO, MEBI, MEGA, MICRO

_CPU = ("LOCAL_CPU_UTIL", "REMOTE_CPU_UTIL", "LOCAL_SD", "REMOTE_SD")
_REQUESTS = ("", "", "REQUEST_SIZE", "RESPONSE_SIZE", "ELAPSED_TIME", "THROUGHPUT")
_UDP_SENT = ("", "LOCAL_SEND_SIZE", "ELAPSED_TIME", "SENT", "", "THROUGHPUT")
_UDP_ARRIVED = ("", "ELAPSED_TIME", "RECEIVED", "REMOTE_RECV_THROUGHPUT")
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
_OMNI = ("ELAPSED_TIME", "THROUGHPUT", "THROUGHPUT_UNITS")
_OMNI_CPU = (
    *("LOCAL_CPU_UTIL", *[""] * 6, "REMOTE_CPU_UTIL", *[""] * 6),
    *("LOCAL_SD", "REMOTE_SD", "SD_UNITS"),
)
"""Columns of an omni test; between the shares of CPU time stand those of its kinds."""
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
    "Transport MSS bytes": "TRANSPORT_MSS",
} | {
    f"{side} {name}": key.replace("*", side[0] if key.startswith("*S") else side.upper())
    for side in ("Local", "Remote")
    for name, key in (
        ("Send Socket Size Requested", "*SS_SIZE_REQ"),
        ("Recv Socket Size Requested", "*SR_SIZE_REQ"),
        ("Send Size", "*_SEND_SIZE"),
        ("CPU Util %", "*_CPU_UTIL"),
        ("CPU Count", "*_CPU_COUNT"),
        ("Service Demand", "*_SD"),
        ("Transport Retransmissions", "*_TRANSPORT_RETRANS"),
        ("Send Throughput", "*_SEND_THROUGHPUT"),
        ("Recv Throughput", "*_RECV_THROUGHPUT"),
        ("Bytes Sent", "*_BYTES_SENT"),
        ("Bytes Received", "*_BYTES_RECVD"),
        ("Congestion Control Algorithm", "*_CONG_CONTROL"),
    )
}
"""Keys of the column names of ``-o``."""
_NOT_MEASURED = re.compile(r"-1(?:\.0*)?\Z")
_BITS = {
    "10^3bits": KILO,
    "10^6bits": MEGA,
    "10^9bits": GIGA,
    "kbytes": float(KIBI * BITS_PER_BYTE),
    "mbytes": float(MEBI * BITS_PER_BYTE),
    "gbytes": float(GIBI * BITS_PER_BYTE),
}
_TRANSACTIONS = "Trans/s"
_DIRECTIONS = {
    "Send": (Direction.CLIENT_TO_SERVER, "LOCAL", "REMOTE"),
    "Receive": (Direction.SERVER_TO_CLIENT, "REMOTE", "LOCAL"),
}
_NO_RECEIVER = (
    "netperf did not print what arrived over UDP: request {receiver}_RECV_THROUGHPUT with -k or -o"
)
_NO_PAYLOAD = "requests and responses: netperf counts transactions, not payload in one direction"
_NO_PROTOCOL = "protocol not reported: over UDP this may be what was sent; request PROTOCOL"
_ONE_HOST = "both ends ran on one host: the CPU time at either end is that of both"
_NO_CPU_COUNT = (
    "CPU time left out: the number of CPUs is missing (request LOCAL_CPU_COUNT, REMOTE_CPU_COUNT)"
)
_WIDE = "requested confidence not reached: its interval is {width} % wide"
_ENDS_WITHIN_A_LINE = "the text ends within a line: its last figure may be cut off"
_Printed = dict[str, tuple[Line, str]]


@dataclass(frozen=True, slots=True)
class _Values:
    """Values of one result, each with its line, by the keys of omni tests."""

    printed: _Printed

    def text(self, key: str) -> str:
        """A value as it is printed; nothing where it is not or was not measured."""
        text = self.printed[key][1] if key in self.printed else ""
        return "" if _NOT_MEASURED.match(text) else text

    def figure(self, key: str, factor: float = 1.0) -> Figure | None:
        """A figure; None where it is not printed or was not measured."""
        return self.printed[key][0].figure(key, self.text(key), factor) if self.text(key) else None

    def count(self, key: str) -> int | None:
        """A whole number; None where it is not printed or was not measured."""
        return self.printed[key][0].count(key, self.text(key)) if self.text(key) else None

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


def _read(run: Measurement, found: Found) -> tuple[Measurement, ...]:
    banner = found.first("banner")
    if banner:
        run = with_hosts(run, [banner.text("address") or banner.text("host")])
        if banner.has("family"):
            run = replace(run, ip_version=6 if banner.text("family").endswith("6") else 4)
    results = list(_results(found, banner))
    if not results:
        if error := found.first("refused", "error"):
            return (replace(run, error=error.text("error")),)
        why = "the text stops before its result"
        if any(len(hit.line.text.split()) == 1 for hit in found["cells"]):
            why = "holds a figure without its unit, as netperf -v 0 prints it: leave out -v 0"
        raise ParseError(run.source, why)
    notes = tuple(_WIDE.format(width=hit.text("width")) for hit in found["not_reached"])
    run = replace(run, notes=notes)
    burst = int(banner.text("burst")) if banner and banner.has("burst") else None
    runs = [_with_values(run, values, burst) for values in results]
    if found.hits[-1].line.number > run.raw_text.count("\n"):
        runs[-1] = replace(runs[-1], notes=(*runs[-1].notes, _ENDS_WITHIN_A_LINE))
    if len(runs) == 1:
        return (runs[0],)
    return tuple(replace(each, part=f"result {n}") for n, each in enumerate(runs, 1))


def _results(found: Found, banner: Hit | None) -> Iterator[_Values]:
    """The results under one banner, most often one; none where there is no figure."""
    test = banner.text("test") if banner else ""
    kind, _, name = test.partition(" ")
    results: list[_Printed] = []
    for hit in found["pair"]:  # a key that comes again begins another result
        if not results or hit.text("key") in results[-1]:
            results.append({})
        results[-1][hit.text("key")] = (hit.line, hit.text("value").strip())
    if not any("THROUGHPUT" in printed for printed in results):
        results = (
            list(_of_csv(found))
            or list(_of_classic_table(found, test))
            or [_of_omni_row(hit, name) for hit in found["omni"]]
            or results
        )
    # the name of the test implies its direction and, of a classic one, its protocol
    implied: _Printed = {}
    if banner and kind == "OMNI":
        implied["DIRECTION"] = (banner.line, name)
    elif banner:
        implied["PROTOCOL"] = (banner.line, kind)
        if direction := _CLASSIC_DIRECTIONS.get(name.upper()):
            implied["DIRECTION"] = (banner.line, direction)
    return (_Values(implied | printed) for printed in results)


def _of_csv(found: Found) -> Iterator[_Printed]:
    """Values of ``-o``: a line of names, and one of values for each result."""
    head = found.first("names")
    if head is None:
        return
    names = head.line.text.strip().split(",")
    rows = [hit for hit in found["values"] if hit.line.number > head.line.number]
    if not rows:
        raise ParseError(found.source, "the text stops before its values")
    for hit in rows:
        (cells,) = csv.reader([hit.line.text.strip()])
        if len(cells) != len(names):
            problem = f"must have {len(names)} values, as the line before; got {len(cells)}"
            raise hit.line.fault(problem)
        pairs = zip(names, cells, strict=True)
        yield {_HEADERS[name]: (hit.line, cell) for name, cell in pairs if name in _HEADERS}


def _of_classic_table(found: Found, test: str) -> Iterator[_Printed]:
    """Values of the table of a classic test, of which the last heading holds the units."""
    head = found.first("units")
    if head is None:
        return
    protocol, _, kind = test.partition(" ")
    direction = _CLASSIC_DIRECTIONS.get(kind.upper(), "")
    if protocol not in {"TCP", "UDP"} or not direction:
        raise ParseError(found.source, f"results of the test {shown(test)} are not read")
    is_requests, is_rate = "|" in direction, head.text("unit").lower() == "per sec"
    if is_rate and not is_requests:
        raise head.line.fault(f"not the unit of the test {shown(test)}")
    units = {
        "THROUGHPUT_UNITS": (head.line, _TRANSACTIONS if is_rate else head.text("unit")),
        "SD_UNITS": (head.line, "usec/Tran" if is_rate else "usec/KB"),
    }
    rows = [hit for hit in found["cells"] if hit.line.number > head.line.number]
    if protocol == "UDP" and not is_requests:
        for sent, arrived in zip_longest(rows[::2], rows[1::2]):
            yield units | _datagrams(sent, arrived)
        return
    sender = "REMOTE" if direction == "Receive" else "LOCAL"
    stream = ("", "", f"{sender}_SEND_SIZE", "ELAPSED_TIME", "THROUGHPUT")
    widths = {len(rows[0].line.text.split())} if rows else set()
    for row in rows:
        # other tables of -v 2, and the remote socket sizes of requests, have another width
        if len(row.line.text.split()) in widths:
            yield units | _cells(row, _REQUESTS if is_requests else stream, _CPU)


def _datagrams(sent: Hit, arrived: Hit | None) -> _Printed:
    """Both lines of a UDP stream: what was sent, and what arrived."""
    printed = _cells(sent, _UDP_SENT, ("LOCAL_CPU_UTIL", "LOCAL_SD"))
    printed["LOCAL_SEND_THROUGHPUT"] = printed["THROUGHPUT"]
    if arrived is not None:
        printed |= _cells(arrived, _UDP_ARRIVED, ("REMOTE_CPU_UTIL", "REMOTE_SD"))
    size = sent.line.count("the message size", printed["LOCAL_SEND_SIZE"][1])
    for count, key in (("SENT", "LOCAL_BYTES_SENT"), ("RECEIVED", "REMOTE_BYTES_RECVD")):
        if count in printed:
            line, text = printed.pop(count)
            printed[key] = (line, str(line.count("Okay", text) * size))
    return printed


def _cells(hit: Hit, names: tuple[str, ...], cpu: tuple[str, ...]) -> _Printed:
    """Values of a row by their names, of which those of CPU time may be missing."""
    cells = hit.line.text.split()
    if len(cells) not in {len(names), len(names + cpu)}:
        raise hit.line.fault(f"must have {len(names)} figures; got {len(cells)}")
    pairs = zip(names + cpu, cells, strict=False)
    return {name: (hit.line, cell) for name, cell in pairs if name}


def _of_omni_row(hit: Hit, direction: str) -> _Printed:
    """Values of the table of an omni test: socket sizes stand before, CPU time behind."""
    if "|" in direction:
        sizes: tuple[str, ...] = ("", "", "", "", "REQUEST_SIZE", "RESPONSE_SIZE")
    else:
        sizes = ("", "", f"{'REMOTE' if direction == 'Receive' else 'LOCAL'}_SEND_SIZE")
    return _cells(hit, sizes + _OMNI, _OMNI_CPU)


def _with_values(run: Measurement, values: _Values, burst: int | None) -> Measurement:
    for key in ("THROUGHPUT", "THROUGHPUT_UNITS"):
        if key not in values.printed:
            raise values.fault(f"{key} is missing")
    protocol = values.text("PROTOCOL").lower() or None
    if protocol is None and "TRANSPORT_MSS" in values.printed:
        protocol = "tcp" if values.text("TRANSPORT_MSS") else "udp"
    if protocol not in {"tcp", "udp", None}:
        line, _ = values.printed["PROTOCOL"]
        raise line.fault(f"PROTOCOL must be TCP or UDP; got {shown(protocol)}")
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
    direction = values.text("DIRECTION")
    is_rate = values.text("THROUGHPUT_UNITS") == _TRANSACTIONS
    if is_rate or "|" in direction or values.figure("REQUEST_SIZE"):
        # requests in flight beyond the first; a test that connects for each request has none
        burst = 0 if "Connect" in direction else burst
        return _with_transactions(run, values, burst, is_rate=is_rate)
    return _with_stream(run, values)


def _with_stream(run: Measurement, values: _Values) -> Measurement:
    line, text = values.printed["THROUGHPUT_UNITS"]
    unit = text.partition("/")[0].strip().lower()
    if unit not in _BITS:
        raise line.fault(f"THROUGHPUT_UNITS must be bits or bytes per second; got {shown(text)}")
    factor = _BITS[unit]
    throughput = values.needed("THROUGHPUT", factor)
    if values.text("DIRECTION") not in _DIRECTIONS:
        got = shown(values.text("DIRECTION"))
        why = f"no known direction is printed, but {got}: request DIRECTION"
        return replace(run, reported_rate_bps=throughput.value, why_no_goodput=why)
    direction, sender, receiver = _DIRECTIONS[values.text("DIRECTION")]
    size = values.count(f"{sender}_SEND_SIZE") or None
    is_udp = run.protocol == "udp"
    buffers = (values.count(f"{sender[0]}SS_SIZE_REQ"), values.count(f"{receiver[0]}SR_SIZE_REQ"))
    run = replace(
        run,
        direction=direction,
        write_bytes=size if run.protocol == "tcp" else None,
        datagram_bytes=size if is_udp else None,
        retransmit_count=values.count(f"{sender}_TRANSPORT_RETRANS"),
        congestion_control=values.text(f"{sender}_CONG_CONTROL") or None,
        socket_buffer_bytes=min(filter(None, buffers), default=None),
    )
    arrived = values.figure(f"{receiver}_RECV_THROUGHPUT", factor)
    if arrived is None and not is_udp:
        arrived = throughput
        run = replace(run, notes=run.notes + (_NO_PROTOCOL,) * (run.protocol is None))
    run = _with_arrival(run, values, sender, receiver, arrived)
    # THROUGHPUT of UDP is what was sent in a table, and what arrived with -k or -o; service demand
    # is per KB that the client moved, at both ends (seen in 2.7.0, with loss)
    sent = values.figure(f"{sender}_SEND_THROUGHPUT", factor)
    moved = sent if is_udp and direction is Direction.CLIENT_TO_SERVER else throughput
    reported_bps = (sent or throughput).value
    if run.goodput_bps != reported_bps:
        run = replace(run, reported_rate_bps=reported_bps)
    if run.goodput_bps is None:
        return run
    rates_bps = {sender: reported_bps, receiver: run.goodput_bps}
    moved_kib_per_s = moved.value / BITS_PER_BYTE / KIBI if moved else None
    return _with_cpu(run, values, rates_bps, moved_kib_per_s, "usec/KB")


def _with_arrival(
    run: Measurement, values: _Values, sender: str, receiver: str, printed: Figure | None
) -> Measurement:
    """The run with the payload that its receiver counted."""
    received, duration = values.count(f"{receiver}_BYTES_RECVD"), values.figure("ELAPSED_TIME")
    goodput, notes = printed, run.notes
    if received is not None and duration is not None:
        line = values.printed["ELAPSED_TIME"][0]
        computed = payload_rate(line, Figure(received, 0.0), duration)
        goodput, disagreement = finer_rate(run.tool, computed, printed or computed)
        notes += disagreement
    if goodput is None:
        return replace(run, why_no_goodput=_NO_RECEIVER.format(receiver=receiver))
    sent = values.count(f"{sender}_BYTES_SENT")
    is_lossy = run.protocol == "udp" and sent and received is not None and received <= sent
    return replace(
        run,
        received_bytes=received,
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        lost_ratio=1 - received / sent if is_lossy and received is not None and sent else None,
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
        why_no_goodput=_NO_PAYLOAD,
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
        count, demand_us = values.count(f"{side}_CPU_COUNT"), values.figure(f"{side}_SD")
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


_UNIT = r"(?:10\^[369]bits|[KMGkmg]Bytes) */s(?:ec)?"
_RESULT = frozenset({"banner", "refused", "pair"})
NETPERF = Table(
    name="netperf",
    tool="netperf",
    marks=r"(?:MIGRATED )?(?:[A-Z][A-Za-z|/ ]* TEST from |(?:TCP|UDP) [A-Za-z/ ]+ TEST to )"
    r"|THROUGHPUT=|establish control",
    forms={
        "banner": r"(?:MIGRATED )?(?P<test>[A-Z][A-Za-z|/ ]*?) TEST (?:from \S+ .*?\b)?to "
        r"(?P<host>\S+)(?: \((?P<address>[^()]*)\))?(?: port \d+)?(?: (?P<family>AF_INET6?\b))?"
        r"(?:.*?first burst (?P<burst>\d{1,9})\b)?.*",
        "refused": r"(?P<error>establish control:.*)",
        "pair": r"(?P<key>[A-Z][A-Z0-9_]*)=(?P<value>.*)",
        "not_reached": r"!!! Confidence intervals: Throughput *: *(?P<width>[0-9.]+)%",
        "units": rf"(?i:bytes +bytes .* (?P<unit>{_UNIT}|per sec)(?: .*)?)",
        "omni": rf"(?:-?[\d.]+ +){{5,8}}(?:{_UNIT}|Trans/s)(?: .*)?",
        "cells": r"(?:-?[\d.]+ +)*-?[\d.]+",
        "names": r"(?:[^,]*,)*Throughput(?:,[^,]*)*",
        "values": r"[^,=]*(?:,[^,]*)+",
        "error": r"(?P<error>(?:establish.control|netperf: |remote error).*|.*\berrno -?\d+.*)",
    },
    read=_read,
    begins={"banner": _RESULT, "refused": _RESULT},
    side=Side.CLIENT,
    part="result",
).format()
