"""
Results of iperf 2: text, with ``-e`` or without, and CSV (``-y C``).

Both directions of ``--full-duplex``, ``-d`` and ``-r`` are kept apart; the sums of both that iperf
prints (``[SUM]``, ``[FD1]``) are left out, and there is no goodput where it printed nothing else
(``--sum-only``). In CSV, what each address sent is one direction. The id of a run consists of the
addresses and ports of both ends of all connections, which both ends print.

A client that sends counts what it sent, over TCP with the data in socket buffers, which a note
says; the server's file has what arrived. Over UDP goodput is that of the server's report. The
goodput is the less rounded of the printed rate and of bytes over time. Prefixes of bits are
decimal, those of bytes binary.

With ``-e`` and ``-i`` the round-trip time is the mean over the ends of the intervals; the smallest
may be that of the connection set-up. A requested socket buffer is printed where the kernel set
another size, as Linux always does. ``-y C`` reports neither the version nor the end that wrote the
file; the first address of a line is that of the sender, whichever end opened the connection.

References: iperf 2 source, version 2.1.8: ``ReportOutputs.c``, ``stdio.c``.
"""

import re
from dataclasses import dataclass, replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText
from netmodel.readers._formats import Format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    COUNTED_AT_SENDER,
    IPERF_BITS,
    IPERF_BYTES,
    NUMBER,
    Figure,
    Line,
    connection_id,
    derived_datagram_bytes,
    finer_rate,
    payload_rate,
    printed_lines,
    started,
    time_between,
    with_ends,
    with_hosts,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import KIBI, MICRO, MILLI

_TOOL = "iperf2"
_SUM = "SUM"
_ROW = re.compile(
    rf"\[(?P<far>[ *]*)(?P<id>SUM|FD|[0-9]+)-?(?P<count>[0-9]*)\]"
    rf" +(?P<start>{NUMBER})-(?P<end>{NUMBER}) +sec"
    rf" +(?P<size>{NUMBER}) (?P<size_unit>[A-Z]?Bytes)"
    rf" +(?P<rate>{NUMBER}) (?P<rate_unit>[A-Z]?(?:bits|Bytes))/sec(?P<rest>.*)\Z"
)
_WINDOW = re.compile(
    rf"(?: (?P<retransmits>[0-9]+))? +(?P<window>{NUMBER})K/(?P<round_trip>[0-9]+)\([0-9]+\) us "
)
_DATAGRAMS = re.compile(r" ([0-9]+)/ *([0-9]+) \([^()]*\)")
_SUM_ALONE = "iperf2 printed only a sum, possibly of both directions: run it without --sum-only"
_UDP_SENT = "iperf2 reports only what was sent: read the server's file"
_MAY_BE_INTERVAL = "only one line: it may be the first interval of a run that is cut off"
_CSV_LINE = re.compile(
    rf"[0-9]{{14}}(?:\.[0-9]+)?,[^,\s]*,[0-9]+,[^,\s]*,[0-9]+,-?[0-9]+,{NUMBER}-{NUMBER},[0-9]+,[0-9]+"
)
# time, four of addresses and ports, id, interval, bytes, bit/s; over UDP five of loss and jitter
_CSV_TCP_FIELDS = 9
_CSV_UDP_FIELDS = 14
_CSV_SUM = "-1"
_BESIDE = re.compile(
    r"-+\Z|(?:Client connecting|Server listening|TCP window size|UDP buffer size|TOS set"
    r"|Write buffer|Read buffer|Sending )"
)
"""Lines that a server that also sends (``-d``, ``-r``) prints between its CSV."""
_NO_HOST = ("::", "0")
"""Peer in the lines of the reverse direction of a test in both directions (``-y C``)."""
_NOT_MEASURED = "-1"
_COUNTED_AT_ONE_END = "iperf2 does not report whether it counts what was sent or what arrived"
_IN_TURN = "iperf2 -y C does not report whether both directions ran at once (-d) or in turn (-r)"
_HEAD = re.compile(
    r"^(?:Client connecting to \S+, (?P<client>TCP|UDP) port [0-9]+"
    r"|Server listening on (?P<server>TCP|UDP) port (?P<port>[0-9]+))",
    re.MULTILINE,
)
_HOSTS = re.compile(
    r"\[(?P<far>[ *]*)(?P<id>[0-9]+)\] local (?P<near>\S+) port (?P<near_port>[0-9]+)"
    r" connected with (?P<other>\S+) port (?P<other_port>[0-9]+)(?P<rest>.*)\Z"
)
_SET_UP = re.compile(r" \(icwnd/mss/irtt=[0-9]+/(?P<segment>[0-9]+)/(?P<round_trip>[0-9]+)\)")
_REQUESTED = re.compile(
    rf"(?:TCP window|UDP buffer) size: [^(]*\(WARNING: requested +(?P<size>{NUMBER})"
    r" (?P<unit>[KMGT]?Byte)\)"
)
_SENDING = re.compile(
    rf"Sending (?P<size>[0-9]+) byte datagrams(?:, IPG target: (?P<gap>{NUMBER}) us)?"
)
"""Datagram size, and the interval from one datagram to the next that the sender keeps to."""
_FAILED = re.compile(
    r"(?:tcp )?(?:connect|write|read|bind|listener bind) failed: .*\Z|ERROR: expected reverse .*\Z"
)
_BOUNCE = re.compile(
    rf" +(?P<count>[0-9]+)=(?P<mean>{NUMBER})/{NUMBER}/{NUMBER}/{NUMBER} ms .* rps\Z"
)
_BOUNCE_BYTES = re.compile(r"Bounce-back test \(size= *(?P<size>[0-9]+) Byte\)")
_BOUNCE_BACK = " (bb "
_LATENCY = "a test of latency: one request at a time keeps the path mostly idle"
_LOST_REPORT = "the server's report of a stream is missing: read the server's file"


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
    retransmit_count: int | None = None
    summed_count: int | None = None


def _read(raw: RawText) -> tuple[Measurement, ...]:
    lines = [replace(line, text=line.text.strip()) for line in printed_lines(raw)]
    failed = [line.text for line in lines if _FAILED.match(line.text)]
    if any(_CSV_LINE.match(line.text) for line in lines):
        beside = [line for line in lines if _BESIDE.match(line.text) or _FAILED.match(line.text)]
        return _csv_directions(raw, [line for line in lines if line not in beside])
    rows = [row for line in lines if (row := _text_row(line)) is not None]
    heads = [head["client"] is None for head in _HEAD.finditer(raw.text)]
    if not heads:
        raise ParseError(raw.source, "not a result of iperf2: no line names a connection")
    if len(set(heads)) < len(heads):
        raise ParseError(raw.source, f"holds {len(heads)} tests; keep one in a file")
    if failed and not rows:
        return (replace(started(raw, _TOOL), error=failed[0]),)
    if not rows:
        raise ParseError(raw.source, "the text stops before its first result")
    return _from_text(raw, lines, rows)


def _from_text(raw: RawText, lines: list[Line], rows: list[_Row]) -> tuple[Measurement, ...]:
    """The directions of a run, without the sums of both that iperf prints."""
    connections = [match for line in lines if (match := _HOSTS.match(line.text))]
    run = _with_set_up(started(raw, _TOOL), lines, connections)
    if any(_BOUNCE_BACK in match["rest"] for match in connections):
        return (_with_bounces(run, lines, rows[-1].line),)
    if not any(row.stream != _SUM for row in rows):
        sum_bps = rows[-1].rate_bps.value
        return (replace(run, reported_rate_bps=sum_bps, why_no_goodput=_SUM_ALONE),)
    listening = {head["port"] for head in _HEAD.finditer(raw.text)}
    # payload goes back to the client that started the test with --reverse and, with -d and -r,
    # over connections to the port that the client listens at
    is_client = run.recorded_by is Side.CLIENT
    back = {
        match["id"]
        for match in connections
        if "*" in match["far"]
        or match["rest"].startswith(" (reverse)")
        or (is_client and match["near_port"] in listening)
    }
    directions: dict[bool, list[_Row]] = {}
    for row in rows:
        if row.stream != _SUM:
            directions.setdefault(row.is_far or row.stream in back, []).append(row)
    sums = [row for row in rows if row.stream == _SUM]
    stream_count = max(len({row.stream for row in own}) for own in directions.values())
    if stream_count > 1 and not sums and run.recorded_by is Side.SERVER:
        raise ParseError(run.source, f"holds {stream_count} results; keep one in a file")
    # every connection that was set up must have its line in the summary
    connected = {match["id"] for match in connections}
    is_duplex = any(match["rest"].startswith(" (full-duplex)") for match in connections)
    seen = [{row.stream for row in directions.get(is_back, ())} for is_back in (False, True)]
    if is_duplex:
        is_whole = all(connected <= each for each in seen)
    else:
        is_whole = connected <= seen[0] | seen[1]
    if not is_whole or (len(directions) == 1 and stream_count > 1 and not sums):
        raise ParseError(run.source, "the text stops before the last line of its summary")
    if len(directions) == 1:
        (is_back,) = directions
        return (_of_direction(run, directions[is_back] + sums, is_back=is_back),)
    # with -r, the second connection is set up after the first result
    before_results = {line.text for line in lines if line.number < rows[0].line.number}
    is_at_once = not connections or connections[-1].string in before_results
    return tuple(
        replace(
            _of_direction(run, directions[is_back], is_back=is_back),
            is_bidirectional=is_at_once,
        )
        for is_back in (False, True)
    )


def _of_direction(run: Measurement, rows: list[_Row], *, is_back: bool) -> Measurement:
    """The run in one direction: by the receiver's report over UDP, else as counted here."""
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
        _with_windows(run, rows), reports or rows, None if is_receiver else COUNTED_AT_SENDER
    )
    if not (reports and sent):
        return whole
    streams = _whole_runs(sent)
    whole = replace(whole, reported_rate_bps=sum(row.rate_bps.value for row in _totals(streams)))
    reported = {row.stream for row in reports}
    summed_count = max((row.summed_count or 0 for row in sent), default=0)
    if not streams.keys() - {_SUM} - reported and len(reported) >= summed_count:
        return whole
    return replace(
        whole, goodput_bps=None, goodput_half_width_bps=None, why_no_goodput=_LOST_REPORT
    )


def _with_set_up(
    run: Measurement, lines: list[Line], connections: list[re.Match[str]]
) -> Measurement:
    """The run with what the lines before its results report."""
    heads = [match for line in lines if (match := _HEAD.match(line.text))]
    is_answer = any("*" in match["far"] for match in connections)
    is_server = is_answer if len(heads) > 1 else heads[0]["client"] is None
    run = replace(
        run,
        protocol=(heads[0]["client"] or heads[0]["server"]).lower(),
        recorded_by=Side.SERVER if is_server else Side.CLIENT,
    )
    for line in lines:
        if match := _SENDING.match(line.text):
            size_bytes = line.count("datagrams", match["size"])
            gap_s = line.figure("the gap", match["gap"] or "0", MICRO).value
            offered_bps = size_bytes * BITS_PER_BYTE * len(connections) / gap_s if gap_s else 0
            run = replace(
                run, datagram_bytes=size_bytes or None, offered_rate_bps=offered_bps or None
            )
        elif match := _REQUESTED.match(line.text):
            size = line.figure(
                "the requested size", match["size"], IPERF_BYTES[f"{match['unit']}s"]
            )
            run = replace(run, socket_buffer_bytes=round(size.value) or None)
        elif match := _HOSTS.match(line.text):
            set_up = _SET_UP.search(match["rest"])
            if not set_up:
                continue
            round_trips_s = (
                run.least_round_trip_s,
                line.count("irtt", set_up["round_trip"]) * MICRO,
            )
            run = replace(
                run,
                segment_bytes=line.count("mss", set_up["segment"]) or None,
                least_round_trip_s=min(filter(None, round_trips_s), default=None),
            )
    ends = [
        (match["near"], match["near_port"], match["other"], match["other_port"])
        for match in connections
    ]
    run = with_ends(run, ends)
    return replace(run, segment_bytes=None if run.is_loopback else run.segment_bytes)


def _with_windows(run: Measurement, rows: list[_Row]) -> Measurement:
    """The run with windows, round-trip times and retransmits of the sender (``-e``)."""
    windows_bytes: dict[str, float] = {}
    for row in rows:
        if row.window_bytes:
            windows_bytes[row.stream] = max(windows_bytes.get(row.stream, 0.0), row.window_bytes)
    last = {row.stream: row for row in rows}
    sampled_s = [
        row.round_trip_s for row in rows if row.round_trip_s and row is not last[row.stream]
    ]
    # the last line of a stream is of the whole run
    totals = [row.retransmit_count for row in last.values() if row.stream != _SUM]
    parts = [
        row.retransmit_count
        for row in rows
        if row.retransmit_count is not None and row is not last[row.stream] and row.stream != _SUM
    ]
    return replace(
        run,
        retransmit_count=None if None in totals else sum(filter(None, totals)),
        lossy_interval_count=sum(map(bool, parts)) if parts else None,
        congestion_window_bytes=round(sum(windows_bytes.values())) or None,
        round_trip_s=sum(sampled_s) / len(sampled_s) if sampled_s else None,
        least_round_trip_s=min(filter(None, (run.least_round_trip_s, *sampled_s)), default=None),
    )


def _with_bounces(run: Measurement, lines: list[Line], last: Line) -> Measurement:
    """A run of ``--bounceback``: the time from a request to its response."""
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
    mean_s = last.figure("the time of a bounce", bounces["mean"], MILLI).value
    count = last.count("the bounces", bounces["count"])
    return replace(
        run,
        duration_s=duration_s,
        transaction_time_s=mean_s,
        transaction_rate_tps=count / duration_s if duration_s else None,
    )


def _text_row(line: Line) -> _Row | None:
    """A line of text with a count; None for others and for sums of both directions (``FD``)."""
    match = _ROW.match(line.text)
    if match is None or match["id"] == "FD":
        return None
    if match["size_unit"] not in IPERF_BYTES or match["rate_unit"] not in IPERF_BITS:
        raise line.fault(f"unknown unit {match['size_unit']} or {match['rate_unit']}/sec")
    payload_bytes = line.figure("the transfer", match["size"], IPERF_BYTES[match["size_unit"]])
    counted = _DATAGRAMS.search(match["rest"]) if " ms" in match["rest"] else None
    window = _WINDOW.search(match["rest"])
    again = window and window["retransmits"]
    return _Row(
        line=line,
        stream=match["id"],
        is_far="*" in match["far"],
        start_s=line.figure("the start", match["start"]).value,
        end_s=line.figure("the end", match["end"]).value,
        payload_bytes=payload_bytes,
        rate_bps=line.figure("the bandwidth", match["rate"], IPERF_BITS[match["rate_unit"]]),
        computed_bps=payload_rate(
            line, payload_bytes, time_between(line, match["start"], match["end"])
        ),
        datagrams=_lost_and_sent(line, *counted.groups()) if counted else None,
        window_bytes=line.figure("Cwnd", window["window"], KIBI).value if window else None,
        round_trip_s=line.count("RTT", window["round_trip"]) * MICRO if window else None,
        retransmit_count=line.count("Rtry", again) if again else None,
        summed_count=line.count("SUM", match["count"]) if match["count"] else None,
    )


def _lost_and_sent(line: Line, lost: str, sent: str) -> tuple[int, int]:
    """Numbers of datagrams lost and sent."""
    lost_count, sent_count = line.count("lost", lost), line.count("datagrams", sent)
    if lost_count > sent_count:
        raise line.fault(f"more datagrams lost than sent: {lost} of {sent}")
    return lost_count, sent_count


def _whole_runs(rows: list[_Row]) -> dict[str, _Row]:
    """The last line of each stream, which counts from the start of the run."""
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


def _totals(streams: dict[str, _Row]) -> list[_Row]:
    """The sum of all streams where it is printed, else each of them."""
    return [streams[_SUM]] if _SUM in streams else list(streams.values())


def _with_arrival(run: Measurement, rows: list[_Row], caution: str | None) -> Measurement:
    """The run with the payload of its whole duration, of all streams together."""
    streams = _whole_runs(rows)
    run = replace(run, stream_count=len(streams.keys() - {_SUM}) or None)
    counted = _totals(streams)
    finer = [finer_rate(_TOOL, row.computed_bps, row.rate_bps) for row in counted]
    rate_bps = sum((figure for figure, _ in finer), start=Figure(0.0, 0.0))
    printed_bps = sum(row.rate_bps.value for row in counted)
    if counted[0].is_sent_udp:
        return replace(run, reported_rate_bps=printed_bps, why_no_goodput=_UDP_SENT)
    lost = sum(row.datagrams[0] for row in counted if row.datagrams)
    sent = sum(row.datagrams[1] for row in counted if row.datagrams)
    notes = [note for _, disagreement in finer for note in disagreement]
    payload_bytes = sum((row.payload_bytes for row in counted), start=Figure(0.0, 0.0))
    derived = derived_datagram_bytes(payload_bytes, sent - lost) if sent else None
    if derived and run.datagram_bytes is None:
        run = replace(run, datagram_bytes=derived.value)
        notes.append(derived.note)
    # intervals end at a whole tenth of a second, runs seldom
    may_be_interval = any(row.end_s == round(row.end_s, 1) for row in counted)
    if caution is None and run.protocol != "udp" and may_be_interval:
        caution = _MAY_BE_INTERVAL if len(rows) == len(streams) else None
    return replace(
        run,
        duration_s=max(row.end_s for row in counted),
        received_bytes=round(payload_bytes.value),
        goodput_bps=rate_bps.value,
        goodput_half_width_bps=rate_bps.half_width,
        reported_rate_bps=printed_bps if notes and run.protocol != "udp" else None,
        lost_ratio=lost / sent if sent else None,
        notes=(*run.notes, *notes, *([caution] if caution else [])),
    )


def _csv_directions(raw: RawText, lines: list[Line]) -> tuple[Measurement, ...]:
    """The directions of a run: what one address and port sent is one of them."""
    rows = [(_csv_row(line), line.text.split(",")[1:5]) for line in lines]
    singles = [(row, ends) for row, ends in rows if row.stream != _SUM]
    is_udp = any(len(line.text.split(",")) == _CSV_UDP_FIELDS for line in lines)
    hosts = [host for _, ends in rows for host in ends[::2] if host != _NO_HOST[0]]
    run = replace(with_hosts(started(raw, _TOOL), hosts), protocol="udp" if is_udp else "tcp")
    if not singles:
        sum_bps = rows[-1][0].rate_bps.value
        return (replace(run, reported_rate_bps=sum_bps, why_no_goodput=_SUM_ALONE),)
    whole = [
        (near, near_port, far, far_port)
        for _, (near, near_port, far, far_port) in singles
        if (far, far_port) != _NO_HOST
    ]
    run = replace(run, run_id=connection_id(_TOOL, whole))
    senders = _by_sender(singles)
    if len(senders) == 1:
        return (_csv_run(run, [row for row, _ in rows]),)
    if len(senders) > 2:
        problem = f"holds the payload of {len(senders)} senders; keep one test in a file"
        raise ParseError(raw.source, problem)
    is_at_client = len(whole) < len(singles)
    ports = [{port for ends in all_ends for port in ends[1::2]} for _, all_ends in senders.values()]
    is_at_once = is_at_client or bool(ports[0] == ports[1])
    runs = []
    for (host, _), (rows_of_host, all_ends) in senders.items():
        direction = None
        if is_at_client:
            # in a client's file the reverse direction has no peer
            is_back = tuple(all_ends[0][2:]) == _NO_HOST
            direction = Direction.SERVER_TO_CLIENT if is_back else Direction.CLIENT_TO_SERVER
        own = replace(
            run,
            part=f"sent by {host}",
            recorded_by=Side.CLIENT if is_at_client else None,
            direction=direction,
            is_bidirectional=is_at_once,
            notes=() if is_at_once else (_IN_TURN,),
        )
        runs.append(_csv_run(own, rows_of_host))
    return tuple(runs)


def _by_sender(
    rows: list[tuple[_Row, list[str]]],
) -> dict[tuple[str, str], tuple[list[_Row], list[list[str]]]]:
    """Rows by the address that sent; on one host, by the port that all connections share."""
    shared = set.intersection(*({ends[1], ends[3]} for _, ends in rows))
    senders: dict[tuple[str, str], tuple[list[_Row], list[list[str]]]] = {}
    for row, ends in rows:
        key = ends[0], ends[1] if ends[1] in shared else ""
        rows_of_host, all_ends = senders.setdefault(key, ([], []))
        rows_of_host.append(row)
        all_ends.append(ends)
    return senders


def _csv_run(run: Measurement, rows: list[_Row]) -> Measurement:
    """The run with what the lines of one direction count."""
    if run.protocol == "udp":
        reports = [row for row in rows if row.datagrams]
        return _with_arrival(run, reports or [replace(row, is_sent_udp=True) for row in rows], None)
    if run.recorded_by is None:
        return _with_arrival(run, rows, _COUNTED_AT_ONE_END)
    is_sender = run.direction is Direction.CLIENT_TO_SERVER
    run = replace(run, is_counted_at_sender=is_sender)
    return _with_arrival(run, rows, COUNTED_AT_SENDER if is_sender else None)


def _csv_row(line: Line) -> _Row:
    fields = line.text.split(",")
    if not _CSV_LINE.match(line.text) or len(fields) not in {_CSV_TCP_FIELDS, _CSV_UDP_FIELDS}:
        raise line.fault(
            f"not a line of iperf -y C: must have {_CSV_TCP_FIELDS} or {_CSV_UDP_FIELDS} fields"
        )
    start, _, end = fields[6].partition("-")
    payload_bytes = Figure(line.count("bytes", fields[7]), 0.0)
    lost_and_total = fields[10:12]
    has_report = bool(lost_and_total) and lost_and_total[1] not in {_NOT_MEASURED, "0"}
    return _Row(
        line=line,
        stream=_SUM if fields[5] == _CSV_SUM else ",".join((fields[5], *fields[2:5])),
        is_far=False,
        start_s=line.figure("the start", start).value,
        end_s=line.figure("the end", end).value,
        payload_bytes=payload_bytes,
        rate_bps=line.figure("bits_per_sec", fields[8]),
        computed_bps=payload_rate(line, payload_bytes, time_between(line, start, end)),
        datagrams=_lost_and_sent(line, *lost_and_total) if has_report else None,
    )


# recognised where it begins as ``-y C`` does or has the head of a client or server of iperf 2
IPERF2 = Format(
    "iperf2",
    lambda text: _CSV_LINE.match(text.lstrip()) is not None or _HEAD.search(text) is not None,
    _read,
)
