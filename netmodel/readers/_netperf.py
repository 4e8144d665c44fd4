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
the service demand times the throughput, in KB of 1024 byte also at the receiver; where neither is
printed it is left out. A confidence that was not reached gives a note. A table without the line
that names its test is known by the number of its sizes, and its direction is not.

References: netperf source, version 2.7.0: ``nettest_omni.c``, ``netlib.c``.
"""

import csv
import re
from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import shown
from netmodel.readers._printed import NUMBER, Figure, Hit, Run
from netmodel.readers._table import Found, table_format
from netmodel.readers.measurement import CpuUse, Direction
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import KIBI, MICRO

_CLASSIC_DIRECTIONS = {
    **dict.fromkeys(("STREAM", "SENDFILE", "UNIDIRECTIONAL SEND"), "Send"),
    "MAERTS": "Receive",
    "REQUEST/RESPONSE": "Send|Recv",
    **dict.fromkeys(("CONNECT/REQUEST/RESPONSE", "CONNECT/CLOSE"), "Connect|Send|Recv"),
}
"""Direction of a classic test by the name in its banner, in the words of omni tests."""
_TESTS_BY_SIZES = {2: "UDP STREAM", 3: "TCP STREAM", 4: "TCP REQUEST/RESPONSE"}
"""Tests by the sizes in bytes that their tables have."""
_BOTH_CPUS = "LOCAL_CPU_UTIL REMOTE_CPU_UTIL LOCAL_SD REMOTE_SD"
_RATE = "ELAPSED_TIME THROUGHPUT"
_OMNI_RATE = f"{_RATE} THROUGHPUT_UNITS"
# between the shares of CPU time of an omni test stand those of its kinds
_OMNI_CPU = f"LOCAL_CPU_UTIL {'- ' * 6}REMOTE_CPU_UTIL {'- ' * 6}LOCAL_SD REMOTE_SD SD_UNITS"
_COLUMNS = {
    "stream": (f"- - SEND_SIZE {_RATE}", _BOTH_CPUS, "", ""),
    "requests": (f"- - REQUEST_SIZE RESPONSE_SIZE {_RATE}", _BOTH_CPUS, "- -", ""),
    "datagrams": (
        *("- SEND_SIZE ELAPSED_TIME SENT - THROUGHPUT", "LOCAL_CPU_UTIL LOCAL_SD"),
        *("- ELAPSED_TIME RECEIVED REMOTE_RECV_THROUGHPUT", "REMOTE_CPU_UTIL REMOTE_SD"),
    ),
    "omni stream": (f"- - SEND_SIZE {_OMNI_RATE}", _OMNI_CPU, "", ""),
    "omni requests": (f"- - - - REQUEST_SIZE RESPONSE_SIZE {_OMNI_RATE}", _OMNI_CPU, "", ""),
}
"""Keys of each table: of its columns, those of CPU time that may follow, and of a second line."""
_WORDS_OF_KEYS = {
    "Service Demand": "SD",
    "Received": "Recvd",
    "Retransmissions": "Retrans",
    "Congestion Control Algorithm": "Cong Control",
    "Round Trip": "RT",
    "Confidence Width Target": "Confidence Interval",
    "Throughput Confidence Width": "Throughput Confid",
}
"""Words in the columns of ``-o`` that the keys of ``-k`` have otherwise."""
_UNIT_OF_COLUMN = re.compile(r" (?:\(.*\)|%|[Bb]ytes|usec/tran|Microseconds|Tran/s)$")
_NOT_MEASURED = re.compile(r"(?:-\d+(?:\.\d*)?)?\Z")
_BITS = {f"10^{digits}bits": 10.0**digits for digits in (3, 6, 9)}  # decimal, as named
_BITS |= {f"{x}bytes": float(KIBI**n * BITS_PER_BYTE) for n, x in enumerate("kmg", start=1)}
"""Units of ``-f``: decimal bits, binary bytes. [bit]"""
_TRANSACTIONS = "Trans/s"
_DIRECTIONS = {
    "Send": (Direction.CLIENT_TO_SERVER, "LOCAL", "REMOTE"),
    "Receive": (Direction.SERVER_TO_CLIENT, "REMOTE", "LOCAL"),
}
_NO_PAYLOAD = "requests and responses: netperf counts transactions, not payload in one direction"
_NO_PROTOCOL = "protocol not reported: over UDP this may be what was sent; request PROTOCOL"


def _read(run: Run, found: Found) -> list[Run]:
    test, burst = "", None
    if banner := found.first("banner"):
        test, burst = banner.text("test"), banner.whole("burst")
        run.name_hosts([banner.text("address") or banner.text("host")])
        if banner.has("family"):
            run["ip_version"] = 6 if banner.text("family").endswith("6") else 4
    elif units := found.first("units"):
        test = _TESTS_BY_SIZES.get(units.line.lower().split().count("bytes"), "")
    results = _results(found, test)
    if not results:
        if error := found.first("refused", "error"):
            return [Run(run, error=error.text("error"))]
        problem = "the text stops before its result, or -v 0 left its unit out"
        raise ParseError(found.source, problem)
    if wide := found.first("wide"):
        run.note(f"requested confidence not reached: its interval is {wide.text('width')} % wide")
    runs = [Run(run) for _ in results]
    for number, (each, values) in enumerate(zip(runs, results, strict=True), 1):
        each["part"] = f"result {number}" if len(runs) > 1 else None
        _take_result(each, values, burst)
        if not banner and test.startswith("TCP"):
            # streams either way, requests over either protocol
            each["direction"] = None
            each["protocol"] = None if each["measures_latency"] else "tcp"
            each.note("the test is not printed: its direction is not known")
    if found.hits[-1].number > run["raw_text"].count("\n"):
        runs[-1].note("the text ends within a line: its last figure may be cut off")
    return runs


def _results(found: Found, test: str) -> list[Hit]:
    """Return the results under one banner, most often one: values by the keys of omni tests."""
    rows: list[Hit] = []
    for hit in found["pair"]:  # a key that comes again begins another result
        if not rows or hit.text("key") in rows[-1].groups:
            rows.append(replace(hit, groups={}))
        rows[-1].groups[hit.text("key")] = hit.text("value").strip()
    # the name of the test implies its direction and, of a classic one, its protocol
    kind, _, name = test.partition(" ")
    implied = {"DIRECTION": name if kind == "OMNI" else _CLASSIC_DIRECTIONS.get(name.upper(), "")}
    implied |= {} if kind == "OMNI" else {"PROTOCOL": kind}
    if not any(row.has("THROUGHPUT") for row in rows):
        omni = "omni requests" if "|" in name else "omni stream"
        rows = _of_columns(found) or _of_classic_table(found, test, implied["DIRECTION"]) or rows
        rows = [row for hit in found["omni"] for row in _of_lines([hit], omni)] or rows
    results = []
    for row in rows:
        values = implied | row.groups
        known = {key: text for key, text in values.items() if not _NOT_MEASURED.match(text or "")}
        if not values.get("PROTOCOL") and "TRANSPORT_MSS" in values:
            known["PROTOCOL"] = "tcp" if "TRANSPORT_MSS" in known else "udp"
        results.append(replace(row, groups=known))
    return results


def _of_columns(found: Found) -> list[Hit]:
    """Return the values of ``-o``: a line of names, and one of values for each result."""
    head = found.first("names")
    if head is None:
        return []
    keys = [key_of_column(name) for name in head.line.strip().split(",")]
    rows = [hit for hit in found["values"] if hit.number > head.number]
    if not rows:
        raise ParseError(found.source, "the text stops before its values")
    for hit in rows:
        cells = next(csv.reader([hit.line.strip()]))
        if len(cells) != len(keys):
            raise hit.fault(f"must have {len(keys)} values, as the line before; got {len(cells)}")
        hit.groups.update(zip(keys, cells, strict=True))
    return rows


def key_of_column(name: str) -> str:
    """Return the key by which ``-k`` prints what ``-o`` prints under a name."""
    name = _UNIT_OF_COLUMN.sub("", name)
    for words, of_key in _WORDS_OF_KEYS.items():
        name = name.replace(words, of_key)
    return name.upper().replace(" ", "_")


def _of_classic_table(found: Found, test: str, direction: str) -> list[Hit]:
    """Return the rows of the table of a classic test, of which the last heading holds the units."""
    head, protocol = found.first("units"), test.partition(" ")[0]
    if head is None:
        return []
    if protocol not in {"TCP", "UDP"} or not direction:
        raise ParseError(found.source, f"results of the test {shown(test)} are not read")
    is_requests, is_rate = "|" in direction, head.text("unit").lower() == "per sec"
    if is_rate and not is_requests:
        raise head.fault(f"not the unit of the test {shown(test)}")
    unit, sd_unit = (_TRANSACTIONS, "usec/Tran") if is_rate else (head.text("unit"), "usec/KB")
    units: dict[str, str | None] = {"THROUGHPUT_UNITS": unit, "SD_UNITS": sd_unit}
    table = "requests" if is_requests else "stream" if protocol == "TCP" else "datagrams"
    rows = [hit for hit in found["cells"] if hit.number > head.number]
    if not rows:
        return []
    # other tables of -v 2 stand below lines of their own
    lines = [hit for place, hit in enumerate(rows, rows[0].number) if hit.number == place]
    results = [replace(row, groups=units | row.groups) for row in _of_lines(lines, table)]
    for row in results if table == "datagrams" else ():
        size = row.count("SEND_SIZE")
        row.groups["LOCAL_SEND_THROUGHPUT"] = row.text("THROUGHPUT")
        row.groups["LOCAL_BYTES_SENT"] = str(row.count("SENT") * size)
        if row.has("RECEIVED"):
            row.groups["REMOTE_BYTES_RECVD"] = str(row.count("RECEIVED") * size)
    return results


def _of_lines(lines: list[Hit], table: str) -> list[Hit]:
    """Return the results in the cells of lines, however a mail program wrapped them."""
    first, cpu, second, second_cpu = (keys.split() for keys in _COLUMNS[table])
    if len(lines[0].line.split()) > len(first):
        first, second = first + cpu, second + second_cpu
    cells = " ".join(hit.line for hit in lines).split()
    results = []
    for begin in range(0, len(cells), len(first + second)):
        own = cells[begin : begin + len(first + second)]
        if len(own) not in {len(first), len(first + second)}:
            raise lines[-1].fault(f"must have {len(first)} figures; got {len(own)}")
        results.append(replace(lines[0], groups=dict(zip(first + second, own, strict=False))))
    return results


def _take_result(run: Run, values: Hit, burst: int | None) -> None:
    """Set what one result has: transactions, or the payload of a stream."""
    for key in ("THROUGHPUT", "THROUGHPUT_UNITS"):
        if not values.has(key):
            raise values.fault(f"{key} is missing or was not measured")
    protocol = values.text("PROTOCOL").lower() or None
    if protocol not in {"tcp", "udp", None}:
        raise values.fault(f"PROTOCOL must be TCP or UDP; got {shown(protocol)}")
    duration = values.maybe("ELAPSED_TIME")
    run.update(protocol=protocol, duration_s=duration.value if duration else None)
    run["segment_bytes"] = values.whole("TRANSPORT_MSS") or None
    wanted, width = values.maybe("CONFIDENCE_INTERVAL"), values.maybe("THROUGHPUT_CONFID")
    if wanted and width and width.value > wanted.value:
        widths = f"{width.value:g} % wide, {wanted.value:g} % requested"
        run.note(f"requested confidence not reached: its interval is {widths}")
    direction = values.text("DIRECTION")
    is_rate = values.text("THROUGHPUT_UNITS") == _TRANSACTIONS
    if not (is_rate or "|" in direction or values.has("REQUEST_SIZE")):
        _take_stream(run, values, duration)
        return
    rate = values.maybe("THROUGHPUT" if is_rate else "TRANSACTION_RATE")
    time_us = values.maybe("RT_LATENCY") or values.maybe("MEAN_LATENCY")
    # requests in flight beyond the first; a test that connects for each request has none
    burst = 0 if "Connect" in direction else burst
    if time_us:
        run["transaction_time_s"] = time_us.value * MICRO
    elif burst is not None and rate and rate.value:
        run["transaction_time_s"] = (1 + burst) / rate.value
    run.update(measures_latency=True, why_no_goodput=_NO_PAYLOAD)
    run["request_bytes"] = values.whole("REQUEST_SIZE")
    run["response_bytes"] = values.whole("RESPONSE_SIZE")
    run["transaction_rate_tps"] = rate.value if rate else None
    run["cpu"] = _cpu(values, {"LOCAL": 0.0, "REMOTE": 0.0}, {"usec/Tran": rate})


def _take_stream(run: Run, values: Hit, duration: Figure | None) -> None:
    """Set the payload of one direction."""
    printed_unit = values.text("THROUGHPUT_UNITS")
    unit = printed_unit.partition("/")[0].strip().lower()
    if unit not in _BITS:
        problem = f"THROUGHPUT_UNITS must be bits or bytes per second; got {shown(printed_unit)}"
        raise values.fault(problem)
    throughput = values.figure("THROUGHPUT", _BITS[unit])
    if values.text("DIRECTION") not in _DIRECTIONS:
        got = shown(values.text("DIRECTION"))
        run["why_no_goodput"] = f"no known direction is printed, but {got}: request DIRECTION"
        return
    run["direction"], sender, receiver = _DIRECTIONS[values.text("DIRECTION")]
    is_udp = run["protocol"] == "udp"
    if run["protocol"]:
        size = values.whole("SEND_SIZE") or values.whole(f"{sender}_SEND_SIZE") or None
        run["datagram_bytes" if is_udp else "write_bytes"] = size
    buffers = (values.whole(f"{sender[0]}SS_SIZE_REQ"), values.whole(f"{receiver[0]}SR_SIZE_REQ"))
    run["retransmit_count"] = values.whole(f"{sender}_TRANSPORT_RETRANS")
    run["congestion_control"] = values.text(f"{sender}_CONG_CONTROL") or None
    run["socket_buffer_bytes"] = min(filter(None, buffers), default=run["socket_buffer_bytes"])
    sent = values.maybe(f"{sender}_SEND_THROUGHPUT", _BITS[unit])
    arrived = values.maybe(f"{receiver}_RECV_THROUGHPUT", _BITS[unit])
    if arrived is None and not is_udp:
        arrived = throughput
        run.note(*(_NO_PROTOCOL,) * (run["protocol"] is None))
    sent_bytes = values.whole(f"{sender}_BYTES_SENT")
    received_bytes = values.whole(f"{receiver}_BYTES_RECVD")
    if received_bytes is not None and duration is not None:
        arrived = run.finer(values, Figure(received_bytes), duration, arrived)
    if arrived is None:
        request = f"request {receiver}_RECV_THROUGHPUT with -k or -o"
        run["why_no_goodput"] = f"netperf did not print what arrived over UDP: {request}"
        return
    if is_udp and sent_bytes and received_bytes is not None and received_bytes <= sent_bytes:
        run["lost_ratio"] = 1 - received_bytes / sent_bytes
    # THROUGHPUT of UDP is what was sent in a table, and what arrived with -k or -o; service demand
    # is per KB that the client moved, at both ends (seen in 2.7.0, with loss)
    moved = sent if is_udp and sender == "LOCAL" else throughput
    rates_bps = {sender: (sent or throughput).value, receiver: arrived.value}
    moved_kb = {"usec/KB": moved and moved.times(1 / BITS_PER_BYTE / KIBI)}
    run.count(arrived, received_bytes=received_bytes, cpu=_cpu(values, rates_bps, moved_kb))


def _cpu(
    values: Hit, rates_bps: dict[str, float], moved_per_s: dict[str, Figure | None]
) -> tuple[CpuUse, ...]:
    """Return the CPU time of both hosts: by their CPUs, or else by service demand."""
    cpu, moved = [], moved_per_s.get(values.text("SD_UNITS"))
    for side, end in (("LOCAL", Side.CLIENT), ("REMOTE", Side.SERVER)):
        percent, demand_us = values.maybe(f"{side}_CPU_UTIL"), values.maybe(f"{side}_SD")
        count, busy = values.whole(f"{side}_CPU_COUNT"), None
        if percent and count:
            busy = percent.value / 100 * count
        elif percent and demand_us and moved:
            busy = demand_us.value * MICRO * moved.value
        if busy is not None:
            cpu.append(CpuUse(busy, rates_bps[side], "system", end, count or None))
    return tuple(cpu)


_UNIT = r"(?:10\^[369]bits|[KMGkmg]Bytes) */s(?:ec)?"
NETPERF = table_format(
    "netperf",
    marks=r"(?:MIGRATED )?(?:[A-Z][A-Za-z|/ ]* TEST from |(?:TCP|UDP) [A-Za-z/ ]+ TEST to )"
    rf"|THROUGHPUT=|establish control|(?i:bytes +bytes [^\n]*(?:{_UNIT}|per sec))",
    forms={
        "banner": r"(?:MIGRATED )?(?P<test>[A-Z][A-Za-z|/ ]*?) TEST (?:from \S+ .*?\b)?to "
        r"(?P<host>\S+)(?: \((?P<address>[^()]*)\))?(?: port \d+)?(?: (?P<family>AF_INET6?\b))?"
        r"(?:.*?first burst (?P<burst>\d{1,9})\b)?.*",
        "refused": r"(?P<error>establish control:.*)",
        "wide": rf"!!! Confidence intervals: Throughput +: +(?P<width>{NUMBER})%",
        "pair": r"(?P<key>[A-Z][A-Z0-9_]*)=(?P<value>.*)",
        "units": rf"(?i:bytes +bytes .* (?P<unit>{_UNIT}|per sec)(?: .*)?)",
        "omni": rf"(?:-?[\d.]+ +){{5,8}}(?:{_UNIT}|Trans/s)(?: .*)?",
        "cells": r"(?:-?[\d.]+ +)*-?[\d.]+",
        "names": r"(?:[^,]*,)*Throughput(?:,[^,]*)*",
        "values": r"[^,=]*(?:,[^,]*)+",
        "error": r"(?P<error>(?:establish.control|netperf: |remote error).*|.*\berrno -?\d+.*)",
    },
    read=_read,
    begins=dict.fromkeys(("banner", "refused"), "banner refused pair"),
    side=Side.CLIENT,
    part="result",
)
