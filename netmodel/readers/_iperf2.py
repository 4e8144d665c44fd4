"""
Results of iperf 2: text, with ``-e`` or without, and CSV (``-y C``) of one direction.

Both directions of ``--full-duplex``, ``-d`` and ``-r`` are kept apart; the sums of both that iperf
prints (``[SUM]``, ``[FD1]``) are left out, and there is no goodput where it printed nothing else
(``--sum-only``). CSV of both directions is refused: it does not tell them apart. The id of a run
consists of the addresses and ports of both ends of all connections, which both ends print.

A client that sends counts what it sent, over TCP with the data in socket buffers, which a note
says; the server's file has what arrived. Over UDP goodput is that of the server's report. The
goodput is the less rounded of the printed rate and of bytes over time. Prefixes of bits are
decimal, those of bytes binary. Rows without the lines above them have no direction, and two
directions cannot be told apart then.

With ``-e`` and ``-i`` the round-trip time is the mean over the ends of the intervals; the smallest
may be that of the connection set-up. A requested socket buffer is printed where the kernel set
another size, as Linux always does. ``-y C`` reports neither the version nor the end that wrote the
file; the first address of a line is that of the sender, whichever end opened the connection.

References: iperf 2 source, version 2.1.8: ``ReportOutputs.c``, ``stdio.c``.
"""

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._printed import IPERF_BITS, IPERF_BYTES, NUMBER, Figure, Hit, Run, prefixed
from netmodel.readers._table import SUMS, Found, count_ids, count_intervals, name_ends, table_format
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import KIBI, MICRO

_SUM_ALONE = "iperf2 printed only a sum, possibly of both directions: run it without --sum-only"
_LATENCY = "a test of latency: one request at a time keeps the path mostly idle"


def _read(run: Run, found: Found) -> list[Run]:
    rows, connections = found["csv"] or found["row"], found["hosts"]
    if not rows:
        raise ParseError(found.source, "the text stops before its first result")
    (_take_csv if found["csv"] else _take_set_up)(run, found)
    if any(hit.text("rest").startswith(" (bb ") for hit in connections):
        return [Run(run, measures_latency=True, why_no_goodput=_LATENCY)]
    if all(hit.text("id") in SUMS for hit in rows):
        return [Run(run, why_no_goodput=_SUM_ALONE)]
    if found["csv"]:
        _take_arrival(run, rows)
        return [run]
    directions = sorted(_directions(run, found, rows).items())
    # with -r, the second connection is set up after the first result
    is_at_once = not connections or connections[-1].number < rows[0].number
    run["is_bidirectional"] = is_at_once and len(directions) > 1
    return [_direction(Run(run), own, is_back=is_back) for is_back, own in directions]


def _take_csv(run: Run, found: Found) -> None:
    """Set the ends of lines of CSV, which count what one address and port sent."""
    streams = [hit for hit in found["csv"] if hit.text("id") not in SUMS]
    run["stream_count"] = len({hit.text("id") for hit in streams})
    # on one host, connections are told apart by the port that they share
    ports = [{hit.text("near_port"), hit.text("far_port")} for hit in streams]
    shared = set.intersection(*ports) if ports else set()
    if len({(hit.text("near"), hit.text("near_port") in shared) for hit in streams}) > 1:
        problem = "holds the payload of several senders; keep the text of a test in both directions"
        raise ParseError(run["source"], problem)
    name_ends(run, streams)
    run["protocol"] = "udp" if any(hit.has("datagrams") for hit in found["csv"]) else "tcp"


def _take_set_up(run: Run, found: Found) -> None:
    """Set what the lines before the results report."""
    connections = found["hosts"]
    if found["client"] or found["server"]:
        # of -d and -r, the server alone marks one of its connections
        marks = {"*" in hit.text("far_mark") for hit in connections}
        is_server = not found["client"] or len(marks) > 1
        run["recorded_by"] = Side.SERVER if is_server else Side.CLIENT
    elif any(hit.has("retransmits") for hit in found["row"]):
        run["protocol"] = "tcp"
    elif any(hit.has("sent") for hit in found["row"]):
        run["protocol"] = "udp"
    sending = found.first("sending")
    if sending and sending.has("gap") and (gap_s := sending.figure("gap").value):
        bits = sending.count("datagram_bytes") * BITS_PER_BYTE * len(connections)
        run["offered_rate_bps"] = bits / gap_s or None
    irtts_s = [hit.figure("irtt").value for hit in connections if hit.has("irtt")]
    run["least_round_trip_s"] = min(filter(None, irtts_s), default=None)
    name_ends(run, connections)


def _directions(run: Run, found: Found, rows: list[Hit]) -> dict[bool, list[Hit]]:
    """Return the rows of each direction, of two without sums; True is the way back."""
    connections = found["hosts"]
    listening = {hit.text("port") for hit in found["server"]}
    # payload goes back to the client that started the test with --reverse and, with -d and -r,
    # over connections to the port that the client listens at
    is_client = run["recorded_by"] is Side.CLIENT
    back = {
        hit.text("id")
        for hit in connections
        if "*" in hit.text("far_mark")
        or hit.text("rest").startswith(" (reverse)")
        or (is_client and hit.text("near_port") in listening)
    }
    directions: dict[bool, list[Hit]] = {}
    for hit in rows:
        if hit.text("id") not in SUMS:
            is_back = "*" in hit.text("far_mark") or hit.text("id") in back
            directions.setdefault(is_back, []).append(hit)
    seen = {is_back: {hit.text("id") for hit in own} for is_back, own in directions.items()}
    stream_count = max(map(len, seen.values()))
    sums = [hit.number for hit in rows if hit.text("id") in SUMS]
    named, ids = {hit.text("id") for hit in connections}, set[str]().union(*seen.values())
    is_open = len(seen) > 1 or (len(ids) == 1 and sums)
    has_no_sum = stream_count > 1 and not sums
    is_next = any(hit.number > sums[0] for hit in connections if sums)
    if (has_no_sum or is_next) and not is_client:
        raise ParseError(found.source, "holds several results; keep one in a file")
    if (named and ids - named) or (run["recorded_by"] is None and is_open):
        raise ParseError(found.source, "its first lines are missing, which tell the directions")
    # every connection that was set up must have its line in the summary, but beside a single one
    is_duplex = any(hit.text("rest").startswith(" (full-duplex)") for hit in connections)
    up, down = seen.get(False, set()), seen.get(True, set())
    is_whole = named <= (up & down if is_duplex else up | down)
    is_alone = len({hit.text("id") for hit in rows}) == 1 and not is_duplex
    if not (is_whole or is_alone) or (len(directions) == 1 and has_no_sum):
        raise ParseError(found.source, "the text stops before the last line of its summary")
    run["stream_count"] = max(run["stream_count"] or 0, len(connections) if is_alone else 1)
    return directions if len(directions) > 1 else dict.fromkeys(directions, rows)


def _direction(run: Run, rows: list[Hit], *, is_back: bool) -> Run:
    """Return one direction: by the receiver's report over UDP, else as counted here."""
    side = run["recorded_by"]
    is_receiver = run["protocol"] == "udp" or side is (Side.CLIENT if is_back else Side.SERVER)
    last = {hit.text("id"): hit for hit in rows}
    # the last line of a stream is of the whole run
    intervals = [hit for hit in rows if hit is not last[hit.text("id")]]
    count_intervals(run, rows, intervals)
    totals = [hit.whole("retransmits") for id_, hit in last.items() if id_ not in SUMS]
    sampled_s = [hit.figure("round_trip").value for hit in intervals if hit.has("round_trip")]
    sampled_s = [*filter(None, sampled_s)]
    if side is not None:
        run.set_direction(is_up=not is_back)
    elif not is_receiver:
        run.note("the end that wrote this is not reported: taken as counted at the sender")
    run.update(
        is_at_sender=not is_receiver,
        retransmit_count=None if None in totals else sum(filter(None, totals)),
        round_trip_s=sum(sampled_s) / len(sampled_s) if sampled_s else None,
        least_round_trip_s=min(filter(None, (run["least_round_trip_s"], *sampled_s)), default=None),
    )
    _take_arrival(run, rows)
    return run


def _whole_runs(rows: list[Hit]) -> dict[str, Hit]:
    """Return the last line of each stream, which counts from the start of the run."""
    streams: dict[str, Hit] = {}
    for hit in rows:
        before = streams.get(hit.text("id"))
        if before and not before.figure("start").value and not hit.figure("start").value:
            raise hit.fault("a second summary; keep one result in a file")
        streams[hit.text("id")] = hit
    for hit in streams.values():
        if hit.figure("start").value:
            raise hit.fault("the text stops before its summary")
    return streams


def _take_arrival(run: Run, rows: list[Hit]) -> None:
    """Set the payload of the whole duration, of all streams together."""
    reports, sent = [[hit for hit in rows if hit.has("sent") is it] for it in (True, False)]
    own, streams = _whole_runs(sent), _whole_runs(reports or rows)
    is_udp, ids = run["protocol"] == "udp", [each for each in streams if each not in SUMS]
    count_ids(run, ids, streams)
    if is_udp and not reports:
        run["why_no_goodput"] = "iperf2 reports only what was sent: read the server's file"
        return
    whole = [hit for id_, hit in streams.items() if id_ in SUMS] or list(streams.values())
    each, rate = [streams[id_] for id_ in ids], Figure(0.0)
    payload, parts = (sum((x.figure("size") for x in hits), rate) for hits in (whole, each))
    for hit in whole:
        rate += run.finer(hit, hit.figure("size"), hit.duration(), hit.figure("rate"))
    if reports:
        lost, count = (sum(hit.whole(name) or 0 for hit in whole) for name in ("lost", "sent"))
        run.lose(payload.or_finer(parts), lost, count)
    ends_s = [hit.figure("end").value for hit in whole]
    # intervals end at a whole tenth of a second, runs seldom
    may_be_interval = any(end_s == round(end_s, 1) for end_s in ends_s)
    # without -e they are printed in tenths
    is_exact = whole[0].text("end").endswith("000")
    is_alone = len(rows) == len(streams) and (is_exact or not run["is_at_sender"])
    if not is_udp and rows[0].form == "csv":
        run.note("iperf2 does not report whether it counts what was sent or what arrived")
    elif not is_udp and may_be_interval and is_alone:
        run.note("only one line: it may be the first interval of a run that is cut off")
    run.count(rate, duration_s=max(ends_s), received_bytes=round(payload.value))
    summed_count = max((hit.count("count") for hit in sent if hit.text("count")), default=0)
    if reports and (own.keys() - ids - SUMS or (sent and len(ids) < summed_count)):
        run.take_back("the server's report of a stream is missing: read the server's file")


_ENDS = r"(?P<near>[^,\s]*),(?P<near_port>\d+),(?P<far>[^,\s]*),(?P<far_port>\d+)"
IPERF2 = table_format(
    "iperf2",
    marks=r"\d{14}(?:\.\d+)?,[^,\s]*,\d+,[^,\s]*,\d+,-?\d+,"
    # rows of iperf3 have two decimals
    r"|\[ *ID\] Interval +Transfer +Bandwidth[^\n]*\s+\[[ *]*[-\w]+\] +\d+\.(?:\d|\d{4})-"
    r"|Client connecting to \S+, (?:TCP|UDP) port \d+|Server listening on (?:TCP|UDP) port \d+",
    forms={
        "row": rf"\[(?P<far_mark>[ *]*)(?P<id>SUM|\d+)-?(?P<count>\d*)\]"
        rf" +(?P<start>{NUMBER})- *(?P<end>{NUMBER}) +sec +(?P<size>{NUMBER})"
        rf" (?P<size_unit>[A-Z]?Bytes) +(?P<rate>{NUMBER}) (?P<rate_unit>[A-Z]?(?:bits|Bytes))/sec"
        rf"(?:.*?\d/\d+(?: +(?P<retransmits>\d+))? +(?P<window>{NUMBER})K/(?P<round_trip>\d+)"
        r"\(\d+\) us .*"
        r"|.*? ms.*? (?P<lost>\d+)/ *(?P<sent>[1-9]\d*) \([^()]*\).*|.*)",
        "csv": rf"\d{{14}}(?:\.\d+)?,{_ENDS},(?P<id>-?\d+),(?P<start>{NUMBER})-(?P<end>{NUMBER}),"
        r"(?P<size>\d+),(?P<rate>\d+)"
        r"(?P<datagrams>,[^,]*,(?:(?P<lost>\d+),(?P<sent>[1-9]\d*)|-?\d+,-?\d+),[^,]*,[^,]*)?",
        "client": r"Client connecting to \S+, (?P<protocol>TCP|UDP) port \d+"
        r"(?:.*\((?P<stream_count>\d+) flows\))?.*",
        "server": r"Server listening on (?P<protocol>TCP|UDP) port (?P<port>\d+).*",
        "hosts": r"\[(?P<far_mark>[ *]*)(?P<id>\d+)\] local (?P<near>\S+) port (?P<near_port>\d+)"
        r" connected with (?P<far>\S+) port (?P<far_port>\d+)(?=(?P<rest>.*))"
        r"(?:.* \(icwnd/mss/irtt=\d+/(?P<segment_bytes>\d+)/(?P<irtt>\d+)\))?.*",
        "requested": r"(?:TCP window|UDP buffer) size: [^(]*\(WARNING: requested +"
        rf"(?P<socket_buffer_bytes>{NUMBER}) (?P<socket_buffer_bytes_unit>[KMGT]?Byte)\)",
        "sending": r"Sending (?P<datagram_bytes>\d+) byte datagrams"
        rf"(?:, IPG target: (?P<gap>{NUMBER}) us)?.*",
        "datagrams": r"\[ *\d+\] Sent \d+ datagrams",
        "failed": r"(?P<error>(?:tcp )?(?:connect|write|read|bind|listener bind) failed: .*"
        r"|ERROR: expected reverse .*)",
    },
    read=_read,
    begins=dict.fromkeys(("client", "server", "command"), "row"),
    units={
        # CSV has bytes and bits
        "size": IPERF_BYTES | {"": 1.0},
        "rate": IPERF_BITS | {"": 1.0},
        "window": KIBI,
        "socket_buffer_bytes": prefixed("Byte", KIBI),
        **dict.fromkeys(("gap", "irtt", "round_trip"), MICRO),
    },
    implied={"datagrams": {"protocol": "udp"}},
    fails={"failed": "row csv"},
    program="iperf",
)
