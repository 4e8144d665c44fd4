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
    connection_id,
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
_SUM = "SUM"
_CSV_BEHIND = re.compile(
    r"-+\Z|(?:Client connecting|Server listening|TCP window size|UDP buffer size|TOS set|Write buffer"
    r"|Read buffer|Sending )"
)
"""What a server that also sends (``-d``, ``-r``) prints between its lines of CSV."""
_NO_HOST = ("::", "0")
"""What ``-y C`` has as the other end of what came back in a test in both directions."""
_NOT_MEASURED = "-1"
_HEAD = re.compile(
    r"^(?:Client connecting to \S+, (?P<client>TCP|UDP) port [0-9]+"
    r"|Server listening on (?P<server>TCP|UDP) port (?P<port>[0-9]+))",
    re.MULTILINE,
)
_HOSTS = re.compile(
    r"\[(?P<far>[ *]*)(?P<id>[0-9]+)\] local (?P<near>\S+) port (?P<near_port>[0-9]+)"
    r" connected with (?P<other>\S+) port (?P<other_port>[0-9]+)(?P<rest>.*)\Z"
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
_FAILED = re.compile(
    r"(?:tcp )?(?:connect|write|read|bind|listener bind) failed: .*\Z|ERROR: (?:expected reverse .*)\Z"
)
_BOUNCE = re.compile(
    rf" +(?P<count>[0-9]+)=(?P<mean>{NUMBER})/{NUMBER}/{NUMBER}/{NUMBER} ms .* rps\Z"
)
_BOUNCE_BYTES = re.compile(r"Bounce-back test \(size= *(?P<size>[0-9]+) Byte\)")
_OF_BOUNCES = " (bb "
_KIBI = 1024.0
_US = 1e-6
_PREFER = "counted where it was sent: what still lies in socket buffers is in it"
_UNTOLD = "iperf2 does not tell whether it counts what was sent or what arrived"
_SUM_ALONE = (
    "iperf2 printed only a sum, which adds both directions of a test in both: leave out --sum-only"
)
_IN_TURN = "iperf2 -y C does not print whether both directions ran at once (-d) or in turn (-r)"
_LATENCY = "a test of latency: a request and its answer at a time keep the path mostly idle"
_LOST_REPORT = "the server's report of a stream is missing: read the server's file"
_MS = 1e-3
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
    Both directions of ``--full-duplex``, ``-d`` and ``-r`` are kept apart; the
    sums of both that iperf prints (``[SUM]``, ``[FD1]``) are left out, and
    there is no goodput where it printed nothing else (``--sum-only``). In CSV
    what each address sent is one direction.

    The id of a run is made of the addresses and ports of both ends of all
    connections, which both ends print, and of no time, which only one may.

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
    failed = [line.text for line in lines if _FAILED.match(line.text)]
    if any(_CSV.match(line.text) for line in lines):
        return _from_csv(raw, [line for line in lines if not _is_beside_csv(line.text)])
    rows = [row for line in lines if (row := _row(line)) is not None]
    heads = [head["client"] is None for head in _HEAD.finditer(raw.text)]
    if not heads:
        raise ParseError(raw.source, "not a result of iperf2: it names no connection")
    if len(set(heads)) < len(heads):
        raise ParseError(raw.source, f"holds {len(heads)} tests; keep one in a file")
    if failed and not rows:
        return (replace(started(raw, _TOOL), error=failed[0]),)
    if not rows:
        raise ParseError(raw.source, "the text stops before its first result")
    return _from_text(raw, lines, rows)


def _is_beside_csv(text: str) -> bool:
    return _CSV_BEHIND.match(text) is not None or _FAILED.match(text) is not None


def _from_text(raw: RawText, lines: list[Line], rows: list[_Row]) -> tuple[Measurement, ...]:
    """The directions of a run; what iperf prints as a sum of both is left out."""
    connections = [found for line in lines if (found := _HOSTS.match(line.text))]
    run = _with_set_up(started(raw, _TOOL), lines, connections)
    if any(_OF_BOUNCES in found["rest"] for found in connections):
        return (_with_bounces(run, lines, rows[-1].line),)
    if not any(row.stream != _SUM for row in rows):
        stated_bps = rows[-1].rate_bps.value
        return (replace(run, reported_rate_bps=stated_bps, why_no_goodput=_SUM_ALONE),)
    listening = {head["port"] for head in _HEAD.finditer(raw.text)}
    back = {found["id"] for found in connections if _is_back(run, found, listening)}
    directions: dict[bool, list[_Row]] = {}
    for row in rows:
        if row.stream != _SUM:
            directions.setdefault(row.is_far or row.stream in back, []).append(row)
    sums = [row for row in rows if row.stream == _SUM]
    most = max(len({row.stream for row in found}) for found in directions.values())
    if run.recorded_by is Side.SERVER and most > 1 and not sums:
        raise ParseError(run.source, f"holds {most} results; keep one in a file")
    if len(directions) == 1:
        (is_back,) = directions
        return (_of_direction(run, directions[is_back] + sums, is_back=is_back),)
    is_at_once = len(connections) < 2 or connections[-1].string in _before(lines, rows[0])
    return tuple(
        replace(
            _of_direction(run, directions[is_back], is_back=is_back),
            is_bidirectional=is_at_once,
        )
        for is_back in (False, True)
    )


def _before(lines: list[Line], row: _Row) -> set[str]:
    """Lines before a row: of ``-r``, the second connection is made behind the first result."""
    return {line.text for line in lines if line.number < row.line.number}


def _is_back(run: Measurement, connection: re.Match[str], listening: set[str | None]) -> bool:
    """Whether payload of a connection goes from the server to the client that began the test."""
    if "*" in connection["far"] or connection["rest"].startswith(" (reverse)"):
        return True
    # Of -d and -r, the client listens too, and the server connects back to it.
    return run.recorded_by is Side.CLIENT and connection["near_port"] in listening


def _of_direction(run: Measurement, rows: list[_Row], *, is_back: bool) -> Measurement:
    reports = [row for row in rows if row.datagrams]
    sent = [row for row in rows if not row.datagrams]
    is_receiver = (run.recorded_by is Side.CLIENT) is is_back or run.protocol == "udp"
    if run.protocol == "udp" and not reports:
        rows = [replace(row, is_sent_udp=True) for row in rows]
    run = replace(
        run,
        direction=Direction.SERVER_TO_CLIENT if is_back else Direction.CLIENT_TO_SERVER,
        is_counted_at_sender=not is_receiver,
    )
    whole = _with_arrival(
        _with_windows(run, rows), reports or rows, None if is_receiver else _PREFER
    )
    if not (reports and sent):
        return whole
    streams = _whole_runs(sent)
    stated_bps = sum(row.rate_bps.value for row in _totals(streams))
    whole = replace(whole, reported_rate_bps=stated_bps)
    if streams.keys() - {_SUM} - {row.stream for row in reports}:
        return replace(
            whole, goodput_bps=None, goodput_half_width_bps=None, why_no_goodput=_LOST_REPORT
        )
    return whole


def _with_bounces(run: Measurement, lines: list[Line], last: Line) -> Measurement:
    """A run of ``--bounceback``: the time from a request to its answer."""
    run = replace(run, measures_latency=True, why_no_goodput=_LATENCY)
    for line in lines:
        if size := _BOUNCE_BYTES.match(line.text):
            size_bytes = line.count("the size", size["size"]) or None
            run = replace(run, request_bytes=size_bytes, response_bytes=size_bytes)
    row, bounces = _ROW.match(last.text), None
    if row is not None:
        bounces = _BOUNCE.match(row["rest"])
    if row is None or bounces is None:
        return run
    duration_s = time_between(last, row["start"], row["end"]).value
    mean_s = last.figure("the time of a bounce", bounces["mean"], _MS).value
    count = last.count("the bounces", bounces["count"])
    return replace(
        run,
        duration_s=duration_s,
        transaction_time_s=mean_s,
        transaction_rate_tps=count / duration_s if duration_s else None,
    )


def _with_set_up(
    run: Measurement, lines: list[Line], connections: list[re.Match[str]]
) -> Measurement:
    heads = [found for line in lines if (found := _HEAD.match(line.text))]
    is_answer = any("*" in found["far"] for found in connections)
    is_server = is_answer if len(heads) > 1 else heads[0]["client"] is None
    run = replace(
        run,
        protocol=(heads[0]["client"] or heads[0]["server"]).lower(),
        recorded_by=Side.SERVER if is_server else Side.CLIENT,
    )
    for line in lines:
        if found := _DATAGRAM_BYTES.match(line.text):
            run = replace(run, datagram_bytes=line.count("datagrams", found[1]) or None)
        elif found := _ASKED.match(line.text):
            size = line.figure(
                "the size asked for", found["size"], IPERF_BYTES[f"{found['unit']}s"]
            )
            run = replace(run, socket_buffer_bytes=round(size.value) or None)
        elif found := _HOSTS.match(line.text):
            run = _with_connection(run, line, found["rest"])
    ends = [found.group("near", "near_port", "other", "other_port") for found in connections]
    run = with_hosts(run, [host for each in ends for host in each[::2]])
    run = replace(run, run_id=connection_id(_TOOL, ends))
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


def _from_csv(raw: RawText, lines: list[Line]) -> tuple[Measurement, ...]:
    """The directions of a run: what one address and port sent is one of them."""
    rows = [(_csv_row(line), line.text.split(",")[1:5]) for line in lines]
    singles = [(row, ends) for row, ends in rows if row.stream != _SUM]
    is_udp = any(len(line.text.split(",")) == _CSV_UDP_FIELDS for line in lines)
    hosts = [host for _, ends in rows for host in ends[::2] if host != _NO_HOST[0]]
    run = replace(with_hosts(started(raw, _TOOL), hosts), protocol="udp" if is_udp else "tcp")
    if not singles:
        stated_bps = rows[-1][0].rate_bps.value
        return (replace(run, reported_rate_bps=stated_bps, why_no_goodput=_SUM_ALONE),)
    whole = [(e[0], e[1], e[2], e[3]) for _, e in singles if tuple(e[2:]) != _NO_HOST]
    run = replace(run, run_id=connection_id(_TOOL, whole))
    senders = _by_sender(singles)
    if len(senders) == 1:
        return (_csv_direction(run, [row for row, _ in rows]),)
    if len(senders) > 2:
        raise ParseError(
            raw.source, f"holds what {len(senders)} hosts sent; keep one test in a file"
        )
    is_at_client = len(whole) < len(singles)
    ports = [{port for ends in found for port in ends[1::2]} for _, found in senders.values()]
    is_at_once = is_at_client or bool(ports[0] == ports[1])
    told = () if is_at_once else (_IN_TURN,)
    return tuple(
        _csv_direction(
            replace(
                run,
                part=f"sent by {host}",
                recorded_by=Side.CLIENT if is_at_client else None,
                direction=_csv_way(found) if is_at_client else None,
                is_bidirectional=is_at_once,
                warnings=told,
            ),
            mine,
        )
        for (host, _), (mine, found) in senders.items()
    )


def _by_sender(
    rows: list[tuple[_Row, list[str]]],
) -> dict[tuple[str, str], tuple[list[_Row], list[list[str]]]]:
    """Rows by the address that sent; on one host, by the port that all connections share."""
    shared = set.intersection(*({ends[1], ends[3]} for _, ends in rows))
    found: dict[tuple[str, str], tuple[list[_Row], list[list[str]]]] = {}
    for row, ends in rows:
        key = ends[0], ends[1] if ends[1] in shared else ""
        mine, mine_ends = found.setdefault(key, ([], []))
        mine.append(row)
        mine_ends.append(ends)
    return found


def _csv_way(ends: list[list[str]]) -> Direction:
    """At the client, what came back has no other end."""
    is_back = tuple(ends[0][2:]) == _NO_HOST
    return Direction.SERVER_TO_CLIENT if is_back else Direction.CLIENT_TO_SERVER


def _csv_direction(run: Measurement, rows: list[_Row]) -> Measurement:
    if run.protocol == "udp":
        reports = [row for row in rows if row.datagrams]
        return _with_arrival(run, reports or [replace(row, is_sent_udp=True) for row in rows], None)
    if run.recorded_by is None:
        return _with_arrival(run, rows, _UNTOLD)
    is_sender = run.direction is Direction.CLIENT_TO_SERVER
    run = replace(run, is_counted_at_sender=is_sender)
    return _with_arrival(run, rows, _PREFER if is_sender else None)


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
        stream=_SUM if fields[5] == _CSV_SUM else ",".join((fields[5], *fields[1:5])),
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
    run = replace(run, stream_count=len(streams.keys() - {_SUM}) or None)
    totals = _totals(streams)
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
    return [streams[_SUM]] if _SUM in streams else list(streams.values())


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
