"""
Results of iperf 2: text, with ``-e`` or without, and CSV (``-y C``) of one direction.

Both directions of ``--full-duplex``, ``-d`` and ``-r`` are kept apart; the sums of both that iperf
prints (``[SUM]``, ``[FD1]``) are left out, and there is no goodput where it printed nothing else
(``--sum-only``). CSV of both directions is refused: it does not tell them apart. The id of a run
consists of the addresses and ports of both ends of all connections, which both ends print.

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
from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    COUNTED_AT_SENDER,
    IPERF_BITS,
    IPERF_BYTES,
    NUMBER,
    Figure,
    finer_rate,
    payload_rate,
    time_between,
    with_datagrams,
    with_ends,
)
from netmodel.readers._table import Found, Hit, ends_of, table_format
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import KIBI, MICRO

_SUM = "SUM"
_BUFFER_BYTES = {unit.removesuffix("s"): factor for unit, factor in IPERF_BYTES.items()}
_WINDOW = re.compile(
    rf"(?: (?P<retransmits>\d+))? +(?P<window>{NUMBER})K/(?P<round_trip>\d+)\(\d+\) us "
)
_DATAGRAMS = re.compile(r" ms.*? (?P<lost>\d+)/ *(?P<sent>\d+) \([^()]*\)")
_SUM_ALONE = "iperf2 printed only a sum, possibly of both directions: run it without --sum-only"
_UDP_SENT = "iperf2 reports only what was sent: read the server's file"
_MAY_BE_INTERVAL = "only one line: it may be the first interval of a run that is cut off"
_COUNTED_AT_ONE_END = "iperf2 does not report whether it counts what was sent or what arrived"
_LATENCY = "a test of latency: one request at a time keeps the path mostly idle"
_LOST_REPORT = "the server's report of a stream is missing: read the server's file"


def _read(run: Measurement, found: Found) -> tuple[Measurement, ...]:
    rows = [_with_details(hit) for hit in found["csv"] or found["row"] if hit.text("id") != "FD"]
    if not rows:
        if failed := found.first("failed"):
            return (replace(run, error=failed.text("error")),)
        raise ParseError(run.source, "the text stops before its first result")
    connections = found["hosts"]
    run = _with_ends_of_csv(run, rows) if found["csv"] else _with_set_up(run, found)
    if any(hit.text("rest").startswith(" (bb ") for hit in connections):
        return (replace(run, measures_latency=True, why_no_goodput=_LATENCY),)
    if all(hit.text("id") == _SUM for hit in rows):
        sum_bps = rows[-1].figure("rate", IPERF_BITS).value
        return (replace(run, reported_rate_bps=sum_bps, why_no_goodput=_SUM_ALONE),)
    if found["csv"]:
        reports = [hit for hit in rows if hit.has("sent")]
        caution = None if run.protocol == "udp" else _COUNTED_AT_ONE_END
        return (_with_arrival(run, reports or rows, caution),)
    directions = _directions(run, found, rows)
    if len(directions) == 1:
        ((is_back, _),) = directions.items()
        return (_of_direction(run, rows, is_back=is_back),)
    # with -r, the second connection is set up after the first result
    is_at_once = not connections or connections[-1].line.number < rows[0].line.number
    run = replace(run, is_bidirectional=is_at_once)
    return tuple(
        _of_direction(run, directions[is_back], is_back=is_back) for is_back in (False, True)
    )


def _with_details(hit: Hit) -> Hit:
    """Return a row with the figures behind its rate; a row of CSV as one of text."""
    groups = dict(hit.groups)
    for pattern in (_WINDOW, _DATAGRAMS):
        if match := pattern.search(hit.text("rest")):
            groups |= match.groupdict()
    if groups.get("sent") in {"-1", "0"}:
        groups["sent"] = None  # no report
    if hit.form == "csv":
        name = ",".join(map(hit.text, ("id", "near_port", "far", "far_port")))
        groups |= {"size_unit": "Bytes", "rate_unit": "bits"}
        groups["id"] = _SUM if hit.text("id") == "-1" else name
    return replace(hit, groups=groups)


def _with_ends_of_csv(run: Measurement, rows: list[Hit]) -> Measurement:
    """Return the run that lines of CSV count: what one address and port sent."""
    pairs = ends_of([hit for hit in rows if hit.text("id") != _SUM])
    # on one host, connections are told apart by the port that they share
    shared = set.intersection(*({pair[1], pair[3]} for pair in pairs)) if pairs else set()
    if len({(pair[0], pair[1] if pair[1] in shared else "") for pair in pairs}) > 1:
        problem = "holds the payload of several senders; keep the text of a test in both directions"
        raise ParseError(run.source, problem)
    is_udp = any(hit.has("lost") for hit in rows)
    return replace(with_ends(run, pairs), protocol="udp" if is_udp else "tcp")


def _with_set_up(run: Measurement, found: Found) -> Measurement:
    """Return the run with what the lines before its results report."""
    head = min(found["client"] + found["server"], key=lambda hit: hit.line.number, default=None)
    if head is None:
        raise ParseError(run.source, "not a result of iperf2: no line names a connection")
    connections = found["hosts"]
    is_answer = any("*" in hit.text("far_mark") for hit in connections)
    is_both = bool(found["client"] and found["server"])
    is_server = is_answer if is_both else head.form == "server"
    run = replace(
        run,
        protocol=head.text("transport").lower(),
        recorded_by=Side.SERVER if is_server else Side.CLIENT,
    )
    if sending := found.first("sending"):
        size_bytes = sending.count("size")
        gap_s = sending.figure("gap", MICRO).value if sending.has("gap") else 0.0
        offered_bps = size_bytes * BITS_PER_BYTE * len(connections) / gap_s if gap_s else 0.0
        run = replace(run, datagram_bytes=size_bytes or None, offered_rate_bps=offered_bps or None)
    if requested := found.first("requested"):
        buffer_bytes = round(requested.figure("size", _BUFFER_BYTES).value)
        run = replace(run, socket_buffer_bytes=buffer_bytes or None)
    run = with_ends(run, ends_of(connections))
    irtts_s = [hit.figure("irtt", MICRO).value for hit in connections if hit.has("irtt")]
    segments = [hit.count("segment") for hit in connections if hit.has("segment")]
    return replace(
        run,
        least_round_trip_s=min(filter(None, irtts_s), default=None),
        segment_bytes=segments[-1] or None if segments and not run.is_loopback else None,
    )


def _directions(run: Measurement, found: Found, rows: list[Hit]) -> dict[bool, list[Hit]]:
    """Return the rows of each direction without sums, all of them there; True is the way back."""
    connections = found["hosts"]
    listening = {hit.text("port") for hit in found["server"]}
    # payload goes back to the client that started the test with --reverse and, with -d and -r,
    # over connections to the port that the client listens at
    is_client = run.recorded_by is Side.CLIENT
    back = {
        hit.text("id")
        for hit in connections
        if "*" in hit.text("far_mark")
        or hit.text("rest").startswith(" (reverse)")
        or (is_client and hit.text("near_port") in listening)
    }
    directions: dict[bool, list[Hit]] = {}
    for hit in rows:
        if hit.text("id") != _SUM:
            is_back = "*" in hit.text("far_mark") or hit.text("id") in back
            directions.setdefault(is_back, []).append(hit)
    seen = {is_back: {hit.text("id") for hit in own} for is_back, own in directions.items()}
    stream_count = max(map(len, seen.values()))
    has_no_sum = stream_count > 1 and not any(hit.text("id") == _SUM for hit in rows)
    if has_no_sum and run.recorded_by is Side.SERVER:
        raise ParseError(run.source, f"holds {stream_count} results; keep one in a file")
    # every connection that was set up must have its line in the summary
    is_duplex = any(hit.text("rest").startswith(" (full-duplex)") for hit in connections)
    up, down = seen.get(False, set()), seen.get(True, set())
    is_whole = {hit.text("id") for hit in connections} <= (up & down if is_duplex else up | down)
    if not is_whole or (len(directions) == 1 and has_no_sum):
        raise ParseError(run.source, "the text stops before the last line of its summary")
    return directions


def _of_direction(run: Measurement, rows: list[Hit], *, is_back: bool) -> Measurement:
    """Return the run in one direction: by the receiver's report over UDP, else as counted here."""
    reports = [hit for hit in rows if hit.has("sent")]
    sent = [hit for hit in rows if not hit.has("sent")]
    is_receiver = run.protocol == "udp" or (run.recorded_by is Side.CLIENT) is is_back
    run = replace(
        _with_windows(run, rows),
        direction=Direction.SERVER_TO_CLIENT if is_back else Direction.CLIENT_TO_SERVER,
        is_counted_at_sender=not is_receiver,
    )
    whole = _with_arrival(run, reports or rows, None if is_receiver else COUNTED_AT_SENDER)
    if not (reports and sent):
        return whole
    streams = _whole_runs(sent)
    sent_bps = sum(hit.figure("rate", IPERF_BITS).value for hit in _totals(streams))
    whole = replace(whole, reported_rate_bps=sent_bps)
    reported = {hit.text("id") for hit in reports}
    summed_count = max((hit.count("count") for hit in sent if hit.text("count")), default=0)
    if not streams.keys() - {_SUM} - reported and len(reported) >= summed_count:
        return whole
    return replace(
        whole, goodput_bps=None, goodput_half_width_bps=None, why_no_goodput=_LOST_REPORT
    )


def _with_windows(run: Measurement, rows: list[Hit]) -> Measurement:
    """Return the run with windows, round-trip times and retransmits of the sender (``-e``)."""
    windows_bytes: dict[str, float] = {}
    last = {hit.text("id"): hit for hit in rows}
    for hit in rows:
        if hit.has("window"):
            largest = windows_bytes.get(hit.text("id"), 0.0)
            windows_bytes[hit.text("id")] = max(largest, hit.figure("window", KIBI).value)
    # the last line of a stream is of the whole run
    intervals = [hit for hit in rows if hit is not last[hit.text("id")]]
    sampled_s = [s * MICRO for hit in intervals if (s := hit.whole("round_trip"))]
    own = [hit.whole("retransmits") for stream, hit in last.items() if stream != _SUM]
    parts = [hit.whole("retransmits") for hit in intervals if hit.text("id") != _SUM]
    totals = [count for count in own if count is not None]
    return replace(
        run,
        retransmit_count=sum(totals) if len(totals) == len(own) else None,
        lossy_interval_count=None if set(parts) <= {None} else sum(map(bool, parts)),
        congestion_window_bytes=round(sum(windows_bytes.values())) or None,
        round_trip_s=sum(sampled_s) / len(sampled_s) if sampled_s else None,
        least_round_trip_s=min(filter(None, (run.least_round_trip_s, *sampled_s)), default=None),
    )


def _whole_runs(rows: list[Hit]) -> dict[str, Hit]:
    """Return the last line of each stream, which counts from the start of the run."""
    streams: dict[str, Hit] = {}
    for hit in rows:
        before = streams.get(hit.text("id"))
        if before and not before.figure("start").value and not hit.figure("start").value:
            raise hit.line.fault("a second summary; keep one result in a file")
        streams[hit.text("id")] = hit
    for hit in streams.values():
        if hit.figure("start").value:
            raise hit.line.fault("the text stops before its summary")
    return streams


def _totals(streams: dict[str, Hit]) -> list[Hit]:
    """Return the sum of all streams where it is printed, else each of them."""
    return [streams[_SUM]] if _SUM in streams else list(streams.values())


def _with_arrival(run: Measurement, rows: list[Hit], caution: str | None) -> Measurement:
    """Return the run with the payload of its whole duration, of all streams together."""
    streams = _whole_runs(rows)
    run = replace(run, stream_count=len(streams.keys() - {_SUM}) or None)
    counted = _totals(streams)
    is_udp = run.protocol == "udp"
    notes: list[str] = []
    rate = payload = printed = Figure(0.0, 0.0)
    for hit in counted:
        own = hit.figure("rate", IPERF_BITS)
        size = hit.figure("size", IPERF_BYTES)
        size = Figure(size.value) if hit.form == "csv" else size
        elapsed_s = time_between(hit.line, hit.text("start"), hit.text("end"))
        finer, disagreement = finer_rate(run.tool, payload_rate(hit.line, size, elapsed_s), own)
        rate, payload, printed = rate + finer, payload + size, printed + own
        notes += disagreement
    if is_udp and not counted[0].has("sent"):
        return replace(run, reported_rate_bps=printed.value, why_no_goodput=_UDP_SENT)
    printed_bps = printed.value if notes and not is_udp else None
    run = replace(run, notes=(*run.notes, *notes), reported_rate_bps=printed_bps)
    if any(hit.has("sent") for hit in counted):
        lost, sent = (sum(hit.whole(name) or 0 for hit in counted) for name in ("lost", "sent"))
        run = with_datagrams(run, payload, lost, sent)
    ends_s = [hit.figure("end").value for hit in counted]
    # intervals end at a whole tenth of a second, runs seldom
    may_be_interval = any(end_s == round(end_s, 1) for end_s in ends_s)
    if caution is None and not is_udp and may_be_interval and len(rows) == len(streams):
        caution = _MAY_BE_INTERVAL
    return replace(
        run,
        duration_s=max(ends_s),
        received_bytes=round(payload.value),
        goodput_bps=rate.value,
        goodput_half_width_bps=rate.half_width,
        notes=(*run.notes, *([caution] if caution else [])),
    )


_PAIR = r"(?P<near>[^,\s]*),(?P<near_port>\d+),(?P<far>[^,\s]*),(?P<far_port>\d+)"
IPERF2 = table_format(
    "iperf2",
    marks=r"\d{14}(?:\.\d+)?,[^,\s]*,\d+,[^,\s]*,\d+,-?\d+,"
    r"|Client connecting to \S+, (?:TCP|UDP) port \d+|Server listening on (?:TCP|UDP) port \d+",
    forms={
        "row": rf"\[(?P<far_mark>[ *]*)(?P<id>SUM|FD|\d+)-?(?P<count>\d*)\]"
        rf" +(?P<start>{NUMBER})-(?P<end>{NUMBER}) +sec +(?P<size>{NUMBER})"
        rf" (?P<size_unit>[A-Z]?Bytes) +(?P<rate>{NUMBER})"
        r" (?P<rate_unit>[A-Z]?(?:bits|Bytes))/sec(?P<rest>.*)",
        "csv": rf"\d{{14}}(?:\.\d+)?,{_PAIR},(?P<id>-?\d+),(?P<start>{NUMBER})-(?P<end>{NUMBER}),"
        r"(?P<size>\d+),(?P<rate>\d+)"
        r"(?:,[^,]*,(?P<lost>-?\d+),(?P<sent>-?\d+),[^,]*,[^,]*)?",
        "client": r"Client connecting to \S+, (?P<transport>TCP|UDP) port \d+.*",
        "server": r"Server listening on (?P<transport>TCP|UDP) port (?P<port>\d+).*",
        "hosts": r"\[(?P<far_mark>[ *]*)(?P<id>\d+)\] local (?P<near>\S+) port (?P<near_port>\d+)"
        r" connected with (?P<far>\S+) port (?P<far_port>\d+)(?=(?P<rest>.*))"
        r"(?:.* \(icwnd/mss/irtt=\d+/(?P<segment>\d+)/(?P<irtt>\d+)\))?.*",
        "requested": r"(?:TCP window|UDP buffer) size: [^(]*\(WARNING: requested +"
        rf"(?P<size>{NUMBER}) (?P<size_unit>[KMGT]?Byte)\)",
        "sending": r"Sending (?P<size>\d+) byte datagrams"
        rf"(?:, IPG target: (?P<gap>{NUMBER}) us)?.*",
        "failed": r"(?P<error>(?:tcp )?(?:connect|write|read|bind|listener bind) failed: .*"
        r"|ERROR: expected reverse .*)",
    },
    read=_read,
    begins={"client": "row", "server": "row"},
)
