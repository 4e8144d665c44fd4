"""Results of iperf 2: text, with ``-e`` or without, and ``-y C``."""

import re
from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText, Source, read_text
from netmodel.readers._format import Format
from netmodel.readers._iperf2_csv import BESIDE, CSV_LINE, csv_directions
from netmodel.readers._iperf2_rows import (
    COUNTED_AT_SENDER,
    ROW,
    SUM,
    SUM_ALONE,
    TOOL,
    Row,
    text_row,
    totals,
    whole_runs,
    with_arrival,
)
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    IPERF_BYTES,
    NUMBER,
    Line,
    printed_lines,
    started,
    time_between,
    with_ends,
)
from netmodel.units import BITS_PER_BYTE

__all__ = ["IPERF2", "read_iperf2"]

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
_ASKED = re.compile(
    rf"(?:TCP window|UDP buffer) size: [^(]*\(WARNING: requested +(?P<size>{NUMBER})"
    r" (?P<unit>[KMGT]?Byte)\)"
)
_DATAGRAMS = re.compile(
    rf"Sending (?P<size>[0-9]+) byte datagrams(?:, IPG target: (?P<gap>{NUMBER}) us)?"
)
"""Their size, and the time from one to the next that the sender keeps to."""
_FAILED = re.compile(
    r"(?:tcp )?(?:connect|write|read|bind|listener bind) failed: .*\Z|ERROR: expected reverse .*\Z"
)
_BOUNCE = re.compile(
    rf" +(?P<count>[0-9]+)=(?P<mean>{NUMBER})/{NUMBER}/{NUMBER}/{NUMBER} ms .* rps\Z"
)
_BOUNCE_BYTES = re.compile(r"Bounce-back test \(size= *(?P<size>[0-9]+) Byte\)")
_OF_BOUNCES = " (bb "
_US = 1e-6
_LATENCY = "a test of latency: a request and its answer at a time keep the path mostly idle"
_LOST_REPORT = "the server's report of a stream is missing: read the server's file"
_MS = 1e-3


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
    if any(CSV_LINE.match(line.text) for line in lines):
        return csv_directions(raw, [line for line in lines if not _is_beside_csv(line.text)])
    rows = [row for line in lines if (row := text_row(line)) is not None]
    heads = [head["client"] is None for head in _HEAD.finditer(raw.text)]
    if not heads:
        raise ParseError(raw.source, "not a result of iperf2: it names no connection")
    if len(set(heads)) < len(heads):
        raise ParseError(raw.source, f"holds {len(heads)} tests; keep one in a file")
    if failed and not rows:
        return (replace(started(raw, TOOL), error=failed[0]),)
    if not rows:
        raise ParseError(raw.source, "the text stops before its first result")
    return _from_text(raw, lines, rows)


def _is_beside_csv(text: str) -> bool:
    return BESIDE.match(text) is not None or _FAILED.match(text) is not None


def _from_text(raw: RawText, lines: list[Line], rows: list[Row]) -> tuple[Measurement, ...]:
    """The directions of a run; what iperf prints as a sum of both is left out."""
    connections = [found for line in lines if (found := _HOSTS.match(line.text))]
    run = _with_set_up(started(raw, TOOL), lines, connections)
    if any(_OF_BOUNCES in found["rest"] for found in connections):
        return (_with_bounces(run, lines, rows[-1].line),)
    if not any(row.stream != SUM for row in rows):
        stated_bps = rows[-1].rate_bps.value
        return (replace(run, reported_rate_bps=stated_bps, why_no_goodput=SUM_ALONE),)
    listening = {head["port"] for head in _HEAD.finditer(raw.text)}
    back = {found["id"] for found in connections if _is_back(run, found, listening)}
    directions: dict[bool, list[Row]] = {}
    for row in rows:
        if row.stream != SUM:
            directions.setdefault(row.is_far or row.stream in back, []).append(row)
    sums = [row for row in rows if row.stream == SUM]
    most = max(len({row.stream for row in found}) for found in directions.values())
    if most > 1 and not sums and run.recorded_by is Side.SERVER:
        raise ParseError(run.source, f"holds {most} results; keep one in a file")
    made = {found["id"] for found in connections}
    is_duplex = any(found["rest"].startswith(" (full-duplex)") for found in connections)
    seen = [{row.stream for row in directions.get(is_back, ())} for is_back in (False, True)]
    is_whole = all(made <= each for each in seen) if is_duplex else made <= seen[0] | seen[1]
    if not is_whole or (len(directions) == 1 and most > 1 and not sums):
        raise ParseError(run.source, "the text stops before the last line of its summary")
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


def _before(lines: list[Line], row: Row) -> set[str]:
    """Lines before a row: of ``-r``, the second connection is made behind the first result."""
    return {line.text for line in lines if line.number < row.line.number}


def _is_back(run: Measurement, connection: re.Match[str], listening: set[str | None]) -> bool:
    """Whether payload of a connection goes from the server to the client that began the test."""
    if "*" in connection["far"] or connection["rest"].startswith(" (reverse)"):
        return True
    # Of -d and -r, the client listens too, and the server connects back to it.
    return run.recorded_by is Side.CLIENT and connection["near_port"] in listening


def _of_direction(run: Measurement, rows: list[Row], *, is_back: bool) -> Measurement:
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
    whole = with_arrival(
        _with_windows(run, rows), reports or rows, None if is_receiver else COUNTED_AT_SENDER
    )
    if not (reports and sent):
        return whole
    streams = whole_runs(sent)
    stated_bps = sum(row.rate_bps.value for row in totals(streams))
    whole = replace(whole, reported_rate_bps=stated_bps)
    reported = {row.stream for row in reports}
    summed_count = max((row.summed_count or 0 for row in sent), default=0)
    if streams.keys() - {SUM} - reported or len(reported) < summed_count:
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
    row, bounces = ROW.match(last.text), None
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
        if found := _DATAGRAMS.match(line.text):
            size_bytes = line.count("datagrams", found["size"])
            gap_s = line.figure("the gap", found["gap"] or "0", _US).value
            offered_bps = size_bytes * BITS_PER_BYTE * len(connections) / gap_s if gap_s else 0
            run = replace(
                run, datagram_bytes=size_bytes or None, offered_rate_bps=offered_bps or None
            )
        elif found := _ASKED.match(line.text):
            size = line.figure(
                "the size asked for", found["size"], IPERF_BYTES[f"{found['unit']}s"]
            )
            run = replace(run, socket_buffer_bytes=round(size.value) or None)
        elif found := _HOSTS.match(line.text):
            run = _with_connection(run, line, found["rest"])
    ends = [
        (found["near"], found["near_port"], found["other"], found["other_port"])
        for found in connections
    ]
    run = with_ends(run, ends)
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


def _with_windows(run: Measurement, rows: list[Row]) -> Measurement:
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


def _is_iperf2(text: str) -> bool:
    """Whether it begins as ``-y C`` does or has the head of a client or server of iperf 2."""
    return CSV_LINE.match(text.lstrip()) is not None or _HEAD.search(text) is not None


IPERF2 = Format("iperf2", _is_iperf2, _read)
