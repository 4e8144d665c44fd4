"""Results of netperf: classic tables, and ``-k`` and ``-o`` of omni tests."""

import csv
import re
from dataclasses import replace

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText, Source, read_text, shown
from netmodel.readers._format import Format
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._netperf_table import Values, table_values
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

__all__ = ["NETPERF", "read_netperf"]

_TOOL = "netperf"
_BANNER = re.compile(
    r"^(?:MIGRATED )?(?P<test>[A-Z][A-Za-z|/ ]*) TEST from \S* \([^()\n]*\) port [0-9]+ AF_INET6?"
    r" to (?P<host>\S*) \((?P<address>[^()\n]*)\) port [0-9]+ AF_INET(?P<six>6?)(?P<notes>.*)$",
    re.MULTILINE,
)
_MARKS = re.compile(
    r"^(?:(?:MIGRATED )?[A-Z][A-Za-z|/ ]* TEST from |THROUGHPUT=|establish control)", re.MULTILINE
)
_PAIR = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)\Z")
_OMNI = "OMNI "
_INTERIM = "NETPERF_INTERIM_RESULT["
_ERROR = re.compile(r"(?:establish control|netperf: |remote error).*|.*\berrno -?[0-9]+.*")
_NOT_REACHED = re.compile(r"!!! Confidence intervals: Throughput *: *([0-9.]+)%")
_BURST = re.compile(r"first burst ([0-9]{1,9})\b")
_NOT_MEASURED = re.compile(r"-1(?:\.0*)?\Z")
_UNIT = re.compile(r"(10\^[369]bits|[KMG]Bytes) */s(?:ec)?\Z")
_TRANSACTIONS = "Trans/s"
_BITS = {
    "10^3bits": 1e3,
    "10^6bits": 1e6,
    "10^9bits": 1e9,
    "KBytes": 1024.0 * BITS_PER_BYTE,
    "MBytes": 1024.0**2 * BITS_PER_BYTE,
    "GBytes": 1024.0**3 * BITS_PER_BYTE,
}
_US = 1e-6
_KIBI = 1024
_RATE_TOLERANCE_RATIO = 1e-3
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
        ("Recv Throughput", "RECV_THROUGHPUT"),
        ("Bytes Sent", "BYTES_SENT"),
        ("Bytes Received", "BYTES_RECVD"),
        ("Congestion Control Algorithm", "CONG_CONTROL"),
    )
}
_BUFFERS = {
    Direction.CLIENT_TO_SERVER: ("LSS_SIZE_REQ", "RSR_SIZE_REQ"),
    Direction.SERVER_TO_CLIENT: ("RSS_SIZE_REQ", "LSR_SIZE_REQ"),
}
_DIRECTIONS = {
    "Send": (Direction.CLIENT_TO_SERVER, "LOCAL", "REMOTE"),
    "Receive": (Direction.SERVER_TO_CLIENT, "REMOTE", "LOCAL"),
}
_NO_RECEIVER = "netperf tells only what was sent over UDP: ask for REMOTE_RECV_THROUGHPUT"
_REQUESTS = "requests and responses: netperf counts transactions, not payload in one direction"
_NO_PROTOCOL = "the protocol is not told: over UDP the throughput would be what was sent"
_ONE_HOST = "both ends ran on one host: the CPU time at either end is that of both"
_NO_CPU_COUNT = (
    "CPU utilisation is a share of all CPUs, and how many there are is not told: "
    "ask for LOCAL_CPU_COUNT and REMOTE_CPU_COUNT"
)


def read_netperf(source: Source) -> tuple[Measurement, ...]:
    """
    Read a result of netperf.

    Parameters
    ----------
    source : path, bytes or mapping
        File with what the client of ``netperf`` printed: the table of a
        stream or request/response test over TCP or UDP, or the ``-k`` or
        ``-o`` output of an omni test, with or without ``-D``; or its content
        as bytes.

    Returns
    -------
    measurements : tuple of Measurement
        One. Where netperf reports an error it has the error and no values.

    Raises
    ------
    ParseError
        If the file is not such a result, is cut off, holds several results,
        or holds a value that cannot be; the message names the file and the
        line or key.

    Notes
    -----
    Goodput is that of the receiver: for UDP the second line, or
    REMOTE_RECV_THROUGHPUT. Over TCP netperf counts what it sent, but its time
    ends only when the other end has taken all of it. A value of -1 was not
    measured. The socket buffer is the smaller of those that were asked for
    where payload is sent and where it arrives, which only omni tests tell. CPU
    time is
    that of all CPUs of a host, interrupts included: utilisation times
    their number or, where that is not told, the service demand times the
    throughput, in KB of 1024 byte also at the receiver. A confidence that was
    asked for and not reached gives a warning.

    References
    ----------
    netperf source, version 2.7.0: ``nettest_omni.c``, ``netlib.c``.
    """
    return _read(read_text(source))


def _read(raw: RawText) -> tuple[Measurement, ...]:
    lines = [replace(line, text=line.text.strip()) for line in printed_lines(raw)]
    banners = list(_BANNER.finditer(raw.text))
    if len(banners) > 1:
        raise ParseError(raw.source, f"holds {len(banners)} results; keep one in a file")
    run = replace(started(raw, _TOOL), recorded_by=Side.CLIENT)
    values = _values(raw.source, lines, banners[0]["test"] if banners else None)
    if values is None:
        errors = [line.text for line in lines if _ERROR.match(line.text)]
        if errors:
            return (replace(run, error="; ".join(errors)),)
        raise ParseError(raw.source, _why_nothing(raw.text))
    not_reached = [found[1] for line in lines if (found := _NOT_REACHED.match(line.text))]
    run = replace(run, warnings=tuple(_missed(width) for width in not_reached))
    burst = None
    if banners:
        host = banners[0]["address"] or banners[0]["host"]
        run = with_hosts(run, [host])
        run = replace(run, ip_version=6 if banners[0]["six"] else 4)
        found = _BURST.search(banners[0]["notes"])
        burst = int(found[1]) if found else None
    return (_with_values(run, values, burst),)


def _why_nothing(text: str) -> str:
    if _MARKS.search(text):
        return "the text stops before its result"
    return "not a result of netperf: it has neither its banner nor THROUGHPUT"


def _missed(width_percent: str) -> str:
    return (
        f"the confidence that was asked for was not reached: its interval is {width_percent} % wide"
    )


def _values(source: str, lines: list[Line], test: str | None) -> Values | None:
    """All that is told, whichever way; None where there is no result."""
    pairs = [(line, found) for line in lines if (found := _PAIR.match(line.text))]
    told: dict[str, tuple[Line, str]] = {}
    for line, found in pairs:
        if found[1] in told:
            raise line.fault(f"a second {found[1]}; keep one result in a file")
        told[found[1]] = (line, found[2].strip())
    if test is not None and not test.startswith(_OMNI):
        return table_values(source, lines, test)
    if not told and any(line.text.startswith(_INTERIM) for line in lines):
        raise ParseError(source, "the text stops before THROUGHPUT")
    values = Values(source, told) if told else _csv_values(source, lines)
    if values is None or test is None:
        return values
    in_banner = {"DIRECTION": (lines[0], test.removeprefix(_OMNI))}
    return Values(source, in_banner | values.told)


def _csv_values(source: str, lines: list[Line]) -> Values | None:
    """Values of ``-o``: a line of names and one of values."""
    heads = [number for number, line in enumerate(lines) if "Throughput" in line.text.split(",")]
    if not heads:
        return None
    if len(lines) <= heads[0] + 1:
        raise ParseError(source, "the text stops before its values")
    names, line = lines[heads[0]].text.split(","), lines[heads[0] + 1]
    try:
        (cells,) = csv.reader([line.text])
    except csv.Error as error:
        raise line.fault(f"not CSV: {error}") from None
    if len(cells) != len(names):
        raise line.fault(f"must have {len(names)} values, as the line before; got {len(cells)}")
    pairs = zip(names, cells, strict=True)
    return Values(
        source, {_HEADERS[name]: (line, cell) for name, cell in pairs if name in _HEADERS}
    )


def _text(values: Values, key: str) -> str | None:
    return values.told[key][1] if key in values.told else None


def _figure(values: Values, key: str, factor: float = 1.0) -> Figure | None:
    """A figure; None where it was not asked for or not measured."""
    line, text = values.told.get(key, (None, ""))
    if line is None or not text or _NOT_MEASURED.match(text):
        return None
    return line.figure(key, text, factor)


def _count(values: Values, key: str) -> int | None:
    line, text = values.told.get(key, (None, ""))
    if line is None or not text or _NOT_MEASURED.match(text):
        return None
    return line.count(key, text)


def _with_values(run: Measurement, values: Values, burst: int | None) -> Measurement:
    for key in ("THROUGHPUT", "THROUGHPUT_UNITS"):
        if key not in values.told:
            raise ParseError(values.source, f"{key} is missing")
    protocol = (_text(values, "PROTOCOL") or "").lower() or None
    if protocol not in {"tcp", "udp", None}:
        raise values.told["PROTOCOL"][0].fault(
            f"PROTOCOL must be TCP or UDP; got {shown(protocol)}"
        )
    duration = _figure(values, "ELAPSED_TIME")
    run = replace(
        run,
        protocol=protocol,
        duration_s=duration.value if duration else None,
        segment_bytes=None if run.is_loopback else _count(values, "TRANSPORT_MSS") or None,
        warnings=run.warnings + _confidence(values),
    )
    is_requests = _text(values, "THROUGHPUT_UNITS") == _TRANSACTIONS
    if is_requests or _figure(values, "REQUEST_SIZE"):
        return _with_transactions(run, values, burst, is_requests=is_requests)
    return _with_stream(run, values)


def _confidence(values: Values) -> tuple[str, ...]:
    wanted, width = _figure(values, "CONFIDENCE_INTERVAL"), _figure(values, "THROUGHPUT_CONFID")
    if wanted is None or width is None or width.value <= wanted.value:
        return ()
    return (f"{_missed(f'{width.value:g}')}, {wanted.value:g} % were asked for",)


def _rate_factor(values: Values) -> float:
    """Bits per second of one unit of throughput."""
    line, text = values.told["THROUGHPUT_UNITS"]
    found = _UNIT.match(text)
    if not found:
        raise line.fault(f"THROUGHPUT_UNITS is none that is known; got {shown(text)}")
    return _BITS[found[1]]


def _needed(values: Values, key: str, factor: float = 1.0) -> Figure:
    figure = _figure(values, key, factor)
    if figure is None:
        raise ParseError(values.source, f"{key} is missing or was not measured")
    return figure


def _with_stream(run: Measurement, values: Values) -> Measurement:
    factor = _rate_factor(values)
    throughput = _needed(values, "THROUGHPUT", factor)
    told = _text(values, "DIRECTION") or ""
    if told not in _DIRECTIONS:
        why = f"the direction is not told or not one: {shown(told)}"
        return replace(run, reported_rate_bps=throughput.value, why_no_goodput=why)
    direction, sender, receiver = _DIRECTIONS[told]
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
    stated = _figure(values, f"{receiver}_RECV_THROUGHPUT", factor)
    if stated is None and run.protocol != "udp":
        stated = throughput
        if run.protocol is None:
            run = replace(run, warnings=(*run.warnings, _NO_PROTOCOL))
    run = _with_arrival(run, values, receiver, stated)
    is_of_sender = direction is Direction.CLIENT_TO_SERVER or run.protocol != "udp"
    if run.goodput_bps != throughput.value and is_of_sender:
        run = replace(run, reported_rate_bps=throughput.value)
    if run.goodput_bps is None:
        return run
    rates_bps = {sender: throughput.value, receiver: run.goodput_bps}
    return _with_cpu(run, values, rates_bps, throughput.value / BITS_PER_BYTE / _KIBI, "usec/KB")


def _smallest_buffer_bytes(values: Values, direction: Direction) -> int | None:
    """The smaller of what was asked for where payload is sent and where it arrives."""
    told = (_count(values, key) for key in _BUFFERS[direction])
    return min(filter(None, told), default=None)


def _with_arrival(
    run: Measurement, values: Values, receiver: str, stated: Figure | None
) -> Measurement:
    """The run with the payload that its receiver counted."""
    received = _count(values, f"{receiver}_BYTES_RECVD")
    duration = _figure(values, "ELAPSED_TIME")
    goodput, warnings = stated, run.warnings
    if received is not None and duration is not None:
        line = values.told["ELAPSED_TIME"][0]
        computed = payload_rate(line, Figure(received, 0.0), duration)
        goodput, told = finer_rate(_TOOL, computed, stated or computed)
        warnings += told
    if goodput is None:
        return replace(run, why_no_goodput=_NO_RECEIVER)
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
        warnings=warnings,
    )


def _with_transactions(
    run: Measurement, values: Values, burst: int | None, *, is_requests: bool
) -> Measurement:
    """The run with the rate and time of its transactions."""
    rate = _needed(values, "THROUGHPUT") if is_requests else _needed(values, "TRANSACTION_RATE")
    again = _figure(values, "TRANSACTION_RATE")
    if again and abs(again.value - rate.value) > _RATE_TOLERANCE_RATIO * rate.value:
        told = f"netperf prints {rate.value:g} and {again.value:g} transactions per second"
        run = replace(run, warnings=(*run.warnings, told))
    time_us = _figure(values, "RT_LATENCY") or _figure(values, "MEAN_LATENCY")
    time_s = time_us.value * _US if time_us else None
    if time_s is None and burst is not None and rate.value:
        time_s = (1 + burst) / rate.value
    run = replace(
        run,
        request_bytes=_count(values, "REQUEST_SIZE"),
        response_bytes=_count(values, "RESPONSE_SIZE"),
        transaction_rate_tps=rate.value,
        transaction_time_s=time_s,
        why_no_goodput=_REQUESTS,
    )
    if run.request_bytes is None or run.response_bytes is None:
        return run
    payload_bps = rate.value * BITS_PER_BYTE * (run.request_bytes + run.response_bytes)
    rates_bps = {"LOCAL": payload_bps, "REMOTE": payload_bps}
    return _with_cpu(run, values, rates_bps, rate.value, "usec/Tran")


def _with_cpu(
    run: Measurement,
    values: Values,
    rates_bps: dict[str, float],
    demand_rate: float,
    demand_units: str,
) -> Measurement:
    """The run with the CPU time of both hosts, where it was measured."""
    cpu, warnings = [], []
    for side, end in (("LOCAL", Side.CLIENT), ("REMOTE", Side.SERVER)):
        percent = _figure(values, f"{side}_CPU_UTIL")
        if percent is None:
            continue
        count = _count(values, f"{side}_CPU_COUNT")
        demand_us = _figure(values, f"{side}_SD")
        if count:
            busy = percent.value / 100 * count
        elif demand_us and _text(values, "SD_UNITS") == demand_units:
            busy = demand_us.value * _US * demand_rate
        else:
            warnings.append(_NO_CPU_COUNT)
            continue
        cpu.append(CpuUse(busy, rates_bps[side], CpuScope.SYSTEM, end, count or None))
    if cpu and run.is_loopback:
        warnings.append(_ONE_HOST)
    return replace(run, cpu=tuple(cpu), warnings=(*run.warnings, *dict.fromkeys(warnings)))


def _is_netperf(text: str) -> bool:
    """Whether a line begins as netperf's banner, its THROUGHPUT or its failure to connect."""
    return _MARKS.search(text) is not None


NETPERF = Format("netperf", _is_netperf, _read)
