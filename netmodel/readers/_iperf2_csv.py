"""Results of iperf 2 in CSV (``-y C``): the directions of a run by what sent them."""

import re
from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText
from netmodel.readers._iperf2_rows import (
    COUNTED_AT_SENDER,
    SUM,
    SUM_ALONE,
    TOOL,
    Row,
    lost_and_sent,
    with_arrival,
)
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    NUMBER,
    Figure,
    Line,
    connection_id,
    payload_rate,
    started,
    time_between,
    with_hosts,
)

__all__ = ["BESIDE", "CSV_LINE", "csv_directions"]

CSV_LINE = re.compile(
    rf"[0-9]{{14}}(?:\.[0-9]+)?,[^,\s]*,[0-9]+,[^,\s]*,[0-9]+,-?[0-9]+,{NUMBER}-{NUMBER},[0-9]+,[0-9]+"
)
_CSV_TCP_FIELDS = 9
_CSV_UDP_FIELDS = 14
_CSV_SUM = "-1"
BESIDE = re.compile(
    r"-+\Z|(?:Client connecting|Server listening|TCP window size|UDP buffer size|TOS set"
    r"|Write buffer|Read buffer|Sending )"
)
"""What a server that also sends (``-d``, ``-r``) prints between its lines of CSV."""
_NO_HOST = ("::", "0")
"""What ``-y C`` has as the other end of what came back in a test in both directions."""
_NOT_MEASURED = "-1"
_UNTOLD = "iperf2 does not tell whether it counts what was sent or what arrived"
_IN_TURN = "iperf2 -y C does not print whether both directions ran at once (-d) or in turn (-r)"


def csv_directions(raw: RawText, lines: list[Line]) -> tuple[Measurement, ...]:
    """The directions of a run: what one address and port sent is one of them."""
    rows = [(_csv_row(line), line.text.split(",")[1:5]) for line in lines]
    singles = [(row, ends) for row, ends in rows if row.stream != SUM]
    is_udp = any(len(line.text.split(",")) == _CSV_UDP_FIELDS for line in lines)
    hosts = [host for _, ends in rows for host in ends[::2] if host != _NO_HOST[0]]
    run = replace(with_hosts(started(raw, TOOL), hosts), protocol="udp" if is_udp else "tcp")
    if not singles:
        stated_bps = rows[-1][0].rate_bps.value
        return (replace(run, reported_rate_bps=stated_bps, why_no_goodput=SUM_ALONE),)
    whole = [(e[0], e[1], e[2], e[3]) for _, e in singles if tuple(e[2:]) != _NO_HOST]
    run = replace(run, run_id=connection_id(TOOL, whole))
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
    rows: list[tuple[Row, list[str]]],
) -> dict[tuple[str, str], tuple[list[Row], list[list[str]]]]:
    """Rows by the address that sent; on one host, by the port that all connections share."""
    shared = set.intersection(*({ends[1], ends[3]} for _, ends in rows))
    found: dict[tuple[str, str], tuple[list[Row], list[list[str]]]] = {}
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


def _csv_direction(run: Measurement, rows: list[Row]) -> Measurement:
    if run.protocol == "udp":
        reports = [row for row in rows if row.datagrams]
        return with_arrival(run, reports or [replace(row, is_sent_udp=True) for row in rows], None)
    if run.recorded_by is None:
        return with_arrival(run, rows, _UNTOLD)
    is_sender = run.direction is Direction.CLIENT_TO_SERVER
    run = replace(run, is_counted_at_sender=is_sender)
    return with_arrival(run, rows, COUNTED_AT_SENDER if is_sender else None)


def _csv_row(line: Line) -> Row:
    fields = line.text.split(",")
    if not CSV_LINE.match(line.text) or len(fields) not in {_CSV_TCP_FIELDS, _CSV_UDP_FIELDS}:
        raise line.fault("not a line of iperf -y C: it has not the right fields")
    start, _, end = fields[6].partition("-")
    payload_bytes = Figure(line.count("bytes", fields[7]), 0.0)
    lost_and_total = fields[10:12]
    has_report = bool(lost_and_total) and lost_and_total[1] not in {_NOT_MEASURED, "0"}
    return Row(
        line=line,
        stream=SUM if fields[5] == _CSV_SUM else ",".join((fields[5], *fields[1:5])),
        is_far=False,
        start_s=line.figure("the start", start).value,
        end_s=line.figure("the end", end).value,
        payload_bytes=payload_bytes,
        rate_bps=line.figure("bits_per_sec", fields[8]),
        computed_bps=payload_rate(line, payload_bytes, time_between(line, start, end)),
        datagrams=lost_and_sent(line, *lost_and_total) if has_report else None,
    )
