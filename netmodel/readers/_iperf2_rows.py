"""Counts that iperf 2 prints, in text and CSV, and what arrived by them."""

import re
from dataclasses import dataclass, replace

from netmodel.readers._measurement import Measurement
from netmodel.readers._printed import (
    IPERF_BITS,
    IPERF_BYTES,
    NUMBER,
    Figure,
    Line,
    derived_datagram_bytes,
    finer_rate,
    payload_rate,
    time_between,
)

__all__ = [
    "COUNTED_AT_SENDER",
    "ROW",
    "SUM",
    "SUM_ALONE",
    "TOOL",
    "Row",
    "lost_and_sent",
    "text_row",
    "totals",
    "whole_runs",
    "with_arrival",
]

TOOL = "iperf2"
SUM = "SUM"
ROW = re.compile(
    rf"\[(?P<far>[ *]*)(?P<id>SUM|FD|[0-9]+)-?(?P<count>[0-9]*)\]"
    rf" +(?P<start>{NUMBER})-(?P<end>{NUMBER}) +sec"
    rf" +(?P<size>{NUMBER}) (?P<size_unit>[A-Z]?Bytes)"
    rf" +(?P<rate>{NUMBER}) (?P<rate_unit>[A-Z]?(?:bits|Bytes))/sec(?P<rest>.*)\Z"
)
_WINDOW = re.compile(rf" +(?P<window>{NUMBER})K/(?P<round_trip>[0-9]+)\([0-9]+\) us ")
_DATAGRAMS = re.compile(r" ([0-9]+)/ *([0-9]+) \([^()]*\)")
_KIBI = 1024.0
_US = 1e-6
COUNTED_AT_SENDER = "counted where it was sent: what still lies in socket buffers is in it"
SUM_ALONE = (
    "iperf2 printed only a sum, which adds both directions of a test in both: leave out --sum-only"
)
_UDP_SENT = "iperf2 tells only what was sent: read the server's file"

_MAY_BE_INTERVAL = "may be the first interval of a run that is cut off: it is the only line"


@dataclass(frozen=True, slots=True)
class Row:
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
    summed_count: int | None = None


def text_row(line: Line) -> Row | None:
    """A line of text with a count; None for others and for sums of both directions (``FD``)."""
    found = ROW.match(line.text)
    if found is None or found["id"] == "FD":
        return None
    if found["size_unit"] not in IPERF_BYTES or found["rate_unit"] not in IPERF_BITS:
        raise line.fault(f"unknown unit {found['size_unit']} or {found['rate_unit']}/sec")
    payload_bytes = line.figure("the transfer", found["size"], IPERF_BYTES[found["size_unit"]])
    counted = _DATAGRAMS.search(found["rest"]) if " ms" in found["rest"] else None
    window = _WINDOW.search(found["rest"])
    return Row(
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
        datagrams=lost_and_sent(line, *counted.groups()) if counted else None,
        window_bytes=line.figure("Cwnd", window["window"], _KIBI).value if window else None,
        round_trip_s=line.count("RTT", window["round_trip"]) * _US if window else None,
        summed_count=line.count("SUM", found["count"]) if found["count"] else None,
    )


def lost_and_sent(line: Line, lost: str, sent: str) -> tuple[int, int]:
    """Datagrams lost and sent."""
    lost_count, sent_count = line.count("lost", lost), line.count("datagrams", sent)
    if lost_count > sent_count:
        raise line.fault(f"more datagrams lost than sent: {lost} of {sent}")
    return lost_count, sent_count


def with_arrival(run: Measurement, rows: list[Row], caution: str | None) -> Measurement:
    """The run with the payload of its whole time, of all streams together."""
    streams = whole_runs(rows)
    run = replace(run, stream_count=len(streams.keys() - {SUM}) or None)
    counted = totals(streams)
    finer = [finer_rate(TOOL, row.computed_bps, row.rate_bps) for row in counted]
    rate_bps = sum((figure for figure, _ in finer), start=Figure(0.0, 0.0))
    stated_bps = sum(row.rate_bps.value for row in counted)
    if counted[0].is_sent_udp:
        return replace(run, reported_rate_bps=stated_bps, why_no_goodput=_UDP_SENT)
    lost = sum(row.datagrams[0] for row in counted if row.datagrams)
    sent = sum(row.datagrams[1] for row in counted if row.datagrams)
    warnings = [warning for _, told in finer for warning in told]
    payload_bytes = sum((row.payload_bytes for row in counted), start=Figure(0.0, 0.0))
    derived = derived_datagram_bytes(payload_bytes, sent - lost) if sent else None
    if derived and run.datagram_bytes is None:
        run = replace(run, datagram_bytes=derived.value)
        warnings.append(derived.note)
    if caution is None and run.protocol != "udp" and any(map(_may_be_interval, counted)):
        caution = _MAY_BE_INTERVAL if len(rows) == len(streams) else None
    return replace(
        run,
        duration_s=max(row.end_s for row in counted),
        received_bytes=round(payload_bytes.value),
        goodput_bps=rate_bps.value,
        goodput_half_width_bps=rate_bps.half_width,
        reported_rate_bps=stated_bps if warnings and run.protocol != "udp" else None,
        lost_ratio=lost / sent if sent else None,
        warnings=(*run.warnings, *warnings, *([caution] if caution else [])),
    )


def _may_be_interval(row: Row) -> bool:
    """Whether a count ends at a whole tenth of a second, as intervals do, and runs seldom."""
    return row.end_s == round(row.end_s, 1)


def totals(streams: dict[str, Row]) -> list[Row]:
    """The sum of all streams where it is printed, else each of them."""
    return [streams[SUM]] if SUM in streams else list(streams.values())


def whole_runs(rows: list[Row]) -> dict[str, Row]:
    """For each stream the last of its lines, which counts from the start of the run."""
    streams: dict[str, Row] = {}
    for row in rows:
        before = streams.get(row.stream)
        if before and before.start_s == row.start_s == 0:
            raise row.line.fault("a second summary; keep one result in a file")
        streams[row.stream] = row
    for row in streams.values():
        if row.start_s:
            raise row.line.fault("the text stops before its summary")
    return streams
