"""Results of iperf 2: text, with ``-e`` or without, and ``-y C``."""

import re
from dataclasses import dataclass, replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText, Source, read_text
from netmodel.readers._format import Format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    IPERF_BITS,
    IPERF_BYTES,
    NUMBER,
    Figure,
    Line,
    finer_rate,
    payload_rate,
    printed_lines,
    started,
    time_between,
    with_hosts,
)

__all__ = ["IPERF2", "read_iperf2"]

_TOOL = "iperf2"
_CSV = re.compile(
    rf"[0-9]{{14}}(?:\.[0-9]+)?,[^,\s]*,[0-9]+,[^,\s]*,[0-9]+,-?[0-9]+,{NUMBER}-{NUMBER},[0-9]+,[0-9]+"
)
_CSV_TCP_FIELDS = 9
_CSV_UDP_FIELDS = 14
_CSV_SUM = "-1"
_NOT_MEASURED = "-1"
_HEAD = re.compile(
    r"^(?:Client connecting to \S+, (TCP|UDP) port [0-9]+"
    r"|Server listening on (TCP|UDP) port [0-9]+)",
    re.MULTILINE,
)
_HOSTS = re.compile(
    r"\[[ *]*[0-9]+\] local (\S+) port [0-9]+ connected with (\S+) port [0-9]+(?P<rest>.*)\Z"
)
_ROW = re.compile(
    rf"\[(?P<far>[ *]*)(?P<id>SUM|FD|[0-9]+)[-0-9]*\] +(?P<start>{NUMBER})-(?P<end>{NUMBER}) +sec"
    rf" +(?P<size>{NUMBER}) (?P<size_unit>[A-Z]?Bytes)"
    rf" +(?P<rate>{NUMBER}) (?P<rate_unit>[A-Z]?(?:bits|Bytes))/sec(?P<rest>.*)\Z"
)
_SET_UP = re.compile(r" \(icwnd/mss/irtt=[0-9]+/(?P<segment>[0-9]+)/(?P<round_trip>[0-9]+)\)")
_WINDOW = re.compile(rf" +(?P<window>{NUMBER})K/(?P<round_trip>[0-9]+)\([0-9]+\) us ")
_ASKED = re.compile(
    rf"(?:TCP window|UDP buffer) size: [^(]*\(WARNING: requested +(?P<size>{NUMBER})"
    r" (?P<unit>[KMGT]?Byte)\)"
)
_DATAGRAMS = re.compile(r" ([0-9]+)/ *([0-9]+) \([^()]*\)")
_DATAGRAM_BYTES = re.compile(r"Sending ([0-9]+) byte datagrams")
_FAILED = re.compile(r"(?:tcp )?(?:connect|write|read|bind|listener bind) failed: .*\Z")
_KIBI = 1024.0
_US = 1e-6
_PREFER = "counted where it was sent: what still lies in socket buffers is in it"
_UNTOLD = "iperf2 does not tell whether it counts what was sent or what arrived"
_UDP_SENT = "iperf2 tells only what was sent: read the server's file"


@dataclass(frozen=True, slots=True)
class _Row:
    """A count from the start of the run to some time, or of one interval."""

    line: Line
    stream: str
    is_far: bool
    start_s: float
    end_s: float
    payload_bytes: Figure
    rate_bps: Figure
    computed_bps: Figure
    datagrams: tuple[int, int] | None = None
    is_sent_udp: bool = False
    window_bytes: float | None = None
    round_trip_s: float | None = None


def read_iperf2(source: Source) -> tuple[Measurement, ...]:
    """
    Read a result of iperf 2.

    Parameters
    ----------
    source : path, bytes or mapping
        File with what ``iperf`` printed for one run, as text or with
        ``-y C``, on the client or on the server, or its content as bytes.

    Returns
    -------
    measurements : tuple of Measurement
        One for each direction. Where iperf reports an error there is one,
        with the error and no values.

    Raises
    ------
    ParseError
        If the file is not a result of iperf 2, is cut off, holds several
        runs, or holds a value that cannot be; the message names the file and
        the line.

    Notes
    -----
    A client of iperf 2 that sends prints what it sent, over TCP with what
    still lies in socket buffers, and warns of that; the server's file has
    what arrived. Over UDP goodput is that of the server's report. The
    goodput is the less rounded of the printed rate and of bytes over time,
    and goodput_half_width_bps tells what the rounding leaves open. Prefixes
    of bits are decimal, those of bytes binary.

    With ``-e`` and ``-i`` the round trip is the mean of the looks at the end of
    each interval; the smallest may be that of the making of the connection. A
    socket buffer that was asked for is told where the kernel gave another size,
    as Linux always does. ``-y C`` tells neither the
    version nor which end wrote the file; the first address of a line is that
    of the sender, whoever opened the connection.

    References
    ----------
    iperf 2 source, version 2.1.8: ``ReportOutputs.c``, ``stdio.c``.
    """
    return _read(read_text(source))


def _read(raw: RawText) -> tuple[Measurement, ...]:
    lines = [replace(line, text=line.text.strip()) for line in printed_lines(raw)]
    if _CSV.match(lines[0].text):
        return (_from_csv(raw, lines),)
    heads = _HEAD.findall(raw.text)
    failed = [line.text for line in lines if _FAILED.match(line.text)]
    if len(heads) > 1:
        raise ParseError(raw.source, f"holds {len(heads)} tests at once or in turn; run one")
    if not heads:
        raise ParseError(raw.source, "not a result of iperf2: it names no connection")
    rows = [row for line in lines if (row := _row(line)) is not None]
    if failed and not rows:
        return (replace(started(raw, _TOOL), error=failed[0]),)
    if not rows:
        raise ParseError(raw.source, "the text stops before its first result")
    return _from_text(raw, lines, rows)


def _from_text(raw: RawText, lines: list[Line], rows: list[_Row]) -> tuple[Measurement, ...]:
    run = _with_set_up(started(raw, _TOOL), lines)
    is_client = run.recorded_by is Side.CLIENT
    is_reverse = any(
        found["rest"].startswith(" (reverse)")
        for line in lines
        if (found := _HOSTS.match(line.text))
    )
    measured = []
    for is_far in sorted({row.is_far for row in rows}):
        mine = [row for row in rows if row.is_far is is_far]
        reports = [row for row in mine if row.datagrams]
        sent = [row for row in mine if not row.datagrams]
        if run.protocol == "udp" and not reports:
            mine = [replace(row, is_sent_udp=True) for row in mine]
        is_back = is_far or is_reverse
        whole = replace(
            run,
            direction=Direction.SERVER_TO_CLIENT if is_back else Direction.CLIENT_TO_SERVER,
        )
        is_receiver = is_client is is_back or run.protocol == "udp"
        whole = _with_windows(replace(whole, is_counted_at_sender=not is_receiver), mine)
        measured.append(_with_arrival(whole, reports or mine, None if is_receiver else _PREFER))
        if reports and sent:
            stated_bps = sum(row.rate_bps.value for row in _totals(_whole_runs(sent)))
            measured[-1] = replace(measured[-1], reported_rate_bps=stated_bps)
    if len(measured) > 1:
        return tuple(replace(one, is_bidirectional=True) for one in measured)
    return tuple(measured)


def _with_set_up(run: Measurement, lines: list[Line]) -> Measurement:
    hosts: list[str] = []
    for line in lines:
        if found := _HEAD.match(line.text):
            run = replace(
                run,
                protocol=(found[1] or found[2]).lower(),
                recorded_by=Side.CLIENT if found[1] else Side.SERVER,
            )
        elif found := _DATAGRAM_BYTES.match(line.text):
            run = replace(run, datagram_bytes=line.count("datagrams", found[1]) or None)
        elif found := _ASKED.match(line.text):
            size = line.figure(
                "the size asked for", found["size"], IPERF_BYTES[f"{found['unit']}s"]
            )
            run = replace(run, socket_buffer_bytes=round(size.value) or None)
        elif found := _HOSTS.match(line.text):
            hosts += found.groups()[:2]
            run = _with_connection(run, line, found["rest"])
    run = with_hosts(run, hosts)
    return replace(run, segment_bytes=None if run.is_loopback else run.segment_bytes)


def _with_connection(run: Measurement, line: Line, rest: str) -> Measurement:
    """The run with what the making of a connection told."""
    found = _SET_UP.search(rest)
    if not found:
        return run
    least_s = line.count("irtt", found["round_trip"]) * _US or None
    return replace(
        run,
        segment_bytes=line.count("mss", found["segment"]) or None,
        least_round_trip_s=min(filter(None, (run.least_round_trip_s, least_s)), default=None),
    )


def _with_windows(run: Measurement, rows: list[_Row]) -> Measurement:
    """The run with the windows and round trips that a sender saw, as ``-e`` prints them."""
    windows_bytes: dict[str, float] = {}
    for row in rows:
        if row.window_bytes:
            windows_bytes[row.stream] = max(windows_bytes.get(row.stream, 0.0), row.window_bytes)
    last = {row.stream: row for row in rows}
    looks_s = [row.round_trip_s for row in rows if row.round_trip_s and row is not last[row.stream]]
    return replace(
        run,
        congestion_window_bytes=round(sum(windows_bytes.values())) or None,
        round_trip_s=sum(looks_s) / len(looks_s) if looks_s else None,
        least_round_trip_s=min(filter(None, (run.least_round_trip_s, *looks_s)), default=None),
    )


def _row(line: Line) -> _Row | None:
    found = _ROW.match(line.text)
    if found is None or found["id"] == "FD":
        return None
    if found["size_unit"] not in IPERF_BYTES or found["rate_unit"] not in IPERF_BITS:
        raise line.fault(f"unknown unit {found['size_unit']} or {found['rate_unit']}/sec")
    payload_bytes = line.figure("the transfer", found["size"], IPERF_BYTES[found["size_unit"]])
    datagrams = _DATAGRAMS.search(found["rest"]) if " ms" in found["rest"] else None
    window = _WINDOW.search(found["rest"])
    return _Row(
        line=line,
        stream=found["id"],
        is_far="*" in found["far"],
        start_s=line.figure("the start", found["start"]).value,
        end_s=line.figure("the end", found["end"]).value,
        payload_bytes=payload_bytes,
        rate_bps=line.figure("the bandwidth", found["rate"], IPERF_BITS[found["rate_unit"]]),
        computed_bps=payload_rate(
            line, payload_bytes, time_between(line, found["start"], found["end"])
        ),
        datagrams=_datagrams(line, *datagrams.groups()) if datagrams else None,
        window_bytes=line.figure("Cwnd", window["window"], _KIBI).value if window else None,
        round_trip_s=line.count("RTT", window["round_trip"]) * _US if window else None,
    )


def _datagrams(line: Line, lost: str, sent: str) -> tuple[int, int]:
    lost_count, sent_count = line.count("lost", lost), line.count("datagrams", sent)
    if lost_count > sent_count:
        raise line.fault(f"more datagrams lost than sent: {lost} of {sent}")
    return lost_count, sent_count


def _from_csv(raw: RawText, lines: list[Line]) -> Measurement:
    rows = [_csv_row(line) for line in lines]
    hosts = [name for line in lines for name in line.text.split(",")[1:4:2]]
    run = with_hosts(started(raw, _TOOL), hosts)
    if any(len(line.text.split(",")) == _CSV_UDP_FIELDS for line in lines):
        run = replace(run, protocol="udp")
        reports = [row for row in rows if row.datagrams]
        return _with_arrival(run, reports or [replace(row, is_sent_udp=True) for row in rows], None)
    return _with_arrival(replace(run, protocol="tcp"), rows, _UNTOLD)


def _csv_row(line: Line) -> _Row:
    fields = line.text.split(",")
    if not _CSV.match(line.text) or len(fields) not in {_CSV_TCP_FIELDS, _CSV_UDP_FIELDS}:
        raise line.fault("not a line of iperf -y C: it has not the right fields")
    start, _, end = fields[6].partition("-")
    payload_bytes = Figure(line.count("bytes", fields[7]), 0.0)
    lost_and_sent = fields[10:12]
    has_report = bool(lost_and_sent) and lost_and_sent[1] not in {_NOT_MEASURED, "0"}
    return _Row(
        line=line,
        stream="SUM" if fields[5] == _CSV_SUM else ",".join((fields[5], *fields[1:5])),
        is_far=False,
        start_s=line.figure("the start", start).value,
        end_s=line.figure("the end", end).value,
        payload_bytes=payload_bytes,
        rate_bps=line.figure("bits_per_sec", fields[8]),
        computed_bps=payload_rate(line, payload_bytes, time_between(line, start, end)),
        datagrams=_datagrams(line, *lost_and_sent) if has_report else None,
    )


def _with_arrival(run: Measurement, rows: list[_Row], caution: str | None) -> Measurement:
    """The run with the payload of its whole time, of all streams together."""
    streams = _whole_runs(rows)
    run = replace(run, stream_count=len(streams.keys() - {"SUM"}) or None)
    totals = _totals(streams)
    if run.recorded_by is Side.SERVER and len(totals) > 1:
        raise ParseError(run.source, f"holds {len(totals)} results; keep one in a file")
    finer = [finer_rate(_TOOL, row.computed_bps, row.rate_bps) for row in totals]
    rate_bps = sum((figure for figure, _ in finer), start=Figure(0.0, 0.0))
    stated_bps = sum(row.rate_bps.value for row in totals)
    if totals[0].is_sent_udp:
        return replace(run, reported_rate_bps=stated_bps, why_no_goodput=_UDP_SENT)
    lost = sum(row.datagrams[0] for row in totals if row.datagrams)
    sent = sum(row.datagrams[1] for row in totals if row.datagrams)
    warnings = [warning for _, told in finer for warning in told]
    return replace(
        run,
        duration_s=max(row.end_s for row in totals),
        received_bytes=round(sum(row.payload_bytes.value for row in totals)),
        goodput_bps=rate_bps.value,
        goodput_half_width_bps=rate_bps.half_width,
        reported_rate_bps=stated_bps if warnings and run.protocol != "udp" else None,
        lost_ratio=lost / sent if sent else None,
        warnings=(*run.warnings, *warnings, *([caution] if caution else [])),
    )


def _totals(streams: dict[str, _Row]) -> list[_Row]:
    return [streams["SUM"]] if "SUM" in streams else list(streams.values())


def _whole_runs(rows: list[_Row]) -> dict[str, _Row]:
    """For each stream the last of its lines, which counts from the start of the run."""
    streams: dict[str, _Row] = {}
    for row in rows:
        before = streams.get(row.stream)
        if before and before.start_s == row.start_s == 0:
            raise row.line.fault("a second summary; keep one result in a file")
        streams[row.stream] = row
    for row in streams.values():
        if row.start_s:
            raise row.line.fault("the text stops before its summary")
    return streams


def _is_iperf2(text: str) -> bool:
    """Whether it begins as ``-y C`` does or has the head of a client or server of iperf 2."""
    return _CSV.match(text.lstrip()) is not None or _HEAD.search(text) is not None


IPERF2 = Format("iperf2", _is_iperf2, _read)
