"""
Results of uperf: ``-R``, plain text, and both with the details of ``-a``.

Goodput is that of the transaction with most payload, from its second to its last but one line of
progress: the first and the last interval are partly idle, and the figures of ``Total`` and
``master`` divide by a time that includes connecting and disconnecting, about one second each. Those
are kept as reported_rate_bps. With fewer than four lines of progress, as without an interval, there
is only the figure of ``master``, a lower bound of the goodput.

The master of uperf counts written and read payload together. Only the flowops of ``-a`` show the
direction; where they write and read, there is no goodput, but the rate and the mean time of
transactions. Where they only write, the payload is counted at the sender. Sizes have binary
prefixes, rates decimal ones.

References: uperf source, version 1.0.8: ``print.c``, ``numbers.c``.
"""

import re
from dataclasses import dataclass, replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import RawText
from netmodel.readers._formats import Format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    NUMBER,
    Figure,
    Line,
    finer_rate,
    payload_rate,
    printed_lines,
    started,
    with_hosts,
)
from netmodel.text import RESULT_DIGITS, percent_text
from netmodel.units import format_rate
from netmodel.units.prefixes import KIBI, KILO

_TOOL = "uperf"
_MARKS = re.compile(
    r"^Starting [0-9]+ (?:processes|threads).*running profile:"
    r"|^Error connecting to [^\n]*\n\s*\*\* [A-Z]",
    re.MULTILINE,
)
_RAW = re.compile(
    rf"timestamp_ms:(?P<time>{NUMBER}) name:(?P<name>Txn[0-9]{{1,6}})"
    r" nr_bytes:(?P<size>[0-9]+) nr_ops:(?P<ops>[0-9]+)\s*\Z"
)
_START = re.compile(r"Starting ([0-9]+) (?:processes|threads)")
_SIZE = rf"(?P<size>{NUMBER})(?P<size_unit>[KMGTPEZ]?B?)"
_RATE = rf"(?P<rate>{NUMBER})(?P<rate_unit>(?:[KMGTPEZ]?b/s)?)"
_TICK = re.compile(
    rf"(?P<name>Txn[0-9]{{1,6}}) +{_SIZE} +/ +(?P<time>{NUMBER})\(s\) = +{_RATE}"
    rf"(?: +(?P<ops>{NUMBER})op/s)? *\Z"
)
_HOST = re.compile(
    rf"(?P<host>\S+) +(?P<time>{NUMBER})(?P<time_unit>ns|us|ms|s) +{_SIZE} +{_RATE}"
    rf" +(?P<ops>[0-9]+) +(?P<errors>{NUMBER}|-?nan)\s*\Z"
)
_AVERAGE = re.compile(
    rf"(?P<name>\S+) +(?P<count>[0-9]+) +(?P<time>{NUMBER})(?P<time_unit>ns|us|ms|s) "
)
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_PREFIXES = "KMGTPEZ"
_BYTES = {"B": 1.0} | {
    name: float(KIBI**power)
    for power, prefix in enumerate(_PREFIXES, start=1)
    for name in (prefix, f"{prefix}B")
}
_BITS = {"b/s": 1.0} | {
    f"{prefix}b/s": KILO**power for power, prefix in enumerate(_PREFIXES, start=1)
}
_MASTER = "master "
_STATISTICS = "Run Statistics"
_COMPLAINTS = ("** ", "Error ")
_FEWEST_TICKS = 4
"""Lines of progress: the first and the last interval are left out, and one remains."""
_LOST_RATIO = 0.02
"""The slave stops counting up to a second earlier; a longer difference is lost payload."""
_SENDING = frozenset({"write", "send", "sendto", "sendfile", "sendfilev"})
_RECEIVING = frozenset({"read", "recv", "recvfrom"})
_NO_PAYLOAD = "uperf moved no payload"
_TOGETHER = "uperf adds written and read payload: no goodput of one direction"
_SUMMED = "lower bound: its time includes connecting; run uperf with -R -a -i 1 for the goodput"
_DIRECTION_UNKNOWN = "direction not reported: read payload is counted with written payload; use -a"


@dataclass(frozen=True, slots=True)
class _Tick:
    """Progress of a transaction: its payload up to a time."""

    line: Line
    time_s: Figure
    payload_bytes: Figure
    op_count: float


@dataclass(frozen=True, slots=True)
class _Summary:
    """The whole run as counted by its master, connecting and disconnecting included."""

    payload_bytes: Figure
    duration_s: Figure
    rate_bps: Figure


@dataclass(frozen=True, slots=True)
class _Average:
    """Number of operations, and their total time."""

    count: int
    total_s: float


def _read(raw: RawText) -> tuple[Measurement, ...]:
    lines = list(printed_lines(raw))
    run = replace(started(raw, _TOOL), recorded_by=Side.CLIENT)
    complaints = tuple(
        line.text.lstrip("* ").strip() for line in lines if line.text.startswith(_COMPLAINTS)
    )
    masters = [line for line in lines if line.text.startswith(_MASTER)]
    if complaints and not masters:
        return (replace(run, error="; ".join(complaints)),)
    if not _MARKS.search(raw.text):
        raise ParseError(raw.source, "not a result of uperf: no line names a profile")
    if not masters:
        raise ParseError(raw.source, "the text stops before its line 'master'")
    if len(masters) > 1:
        raise ParseError(raw.source, f"holds {len(masters)} results; keep one in a file")
    run, summary = _with_statistics(replace(run, notes=complaints), lines)
    flowops = _averages(lines, "Flowop ")
    # connections are known where each process or thread opened one
    opened = sum(flowops[name].count for name in ("connect", "accept") if name in flowops)
    starts = [(line, match) for line in lines if (match := _START.match(line.text))]
    started_count = starts[0][0].count("Starting", starts[0][1][1]) if starts else None
    stream_count = opened if opened == started_count else None
    run = replace(run, direction=_direction(flowops), stream_count=stream_count)
    phase, ticks, notes = _main_phase(lines)
    run = replace(run, notes=run.notes + notes)
    if flowops.keys() & _SENDING and flowops.keys() & _RECEIVING:
        transactions = _averages(lines, "Txn ")
        longest = max(transactions.values(), key=lambda each: each.total_s, default=None)
        # tables of -a count transactions from 0, lines of progress from 1
        name = f"Txn{int(phase.removeprefix('Txn')) - 1}" if phase else None
        transaction = transactions.get(name) if name else longest
        return (_with_transactions(run, ticks, flowops, transaction),)
    run = replace(run, is_counted_at_sender=bool(flowops.keys() & _SENDING))
    if phase is None or len(ticks) < _FEWEST_TICKS:
        run = _with_summary(run, summary)
    else:
        run = _with_goodput(run, phase, ticks)
    return (run if run.direction else replace(run, notes=(*run.notes, _DIRECTION_UNKNOWN)),)


def _with_statistics(run: Measurement, lines: list[Line]) -> tuple[Measurement, _Summary]:
    """The run with the ends and the total of its last table."""
    first = [number for number, line in enumerate(lines) if line.text.startswith(_STATISTICS)]
    if not first:
        raise ParseError(run.source, f"the text has no table {_STATISTICS!r}")
    rows = [(line, match) for line in lines[first[0] :] if (match := _HOST.match(line.text))]
    slaves = [(line, match) for line, match in rows if match["host"] != _MASTER.strip()]
    masters = [(line, match) for line, match in rows if match["host"] == _MASTER.strip()]
    if not masters:
        (line,) = (line for line in lines if line.text.startswith(_MASTER))
        raise line.fault(
            "must be the statistics of the master: time, size, rate, operations and errors"
        )
    line, match = masters[0]
    payload_bytes, rate_bps = _size(line, match), _rate(line, match)
    if payload_bytes is None:
        raise line.fault("the unit of the size is cut off")
    notes = list(run.notes)
    seconds = line.figure("the time", match["time"], _SECONDS[match["time_unit"]])
    rate = rate_bps
    if payload_bytes.value:
        computed = payload_rate(line, payload_bytes, seconds)
        rate, contradictions = finer_rate(_TOOL, computed, rate_bps)
        notes += contradictions
    if not match["errors"].endswith("nan") and line.figure("Errors", match["errors"]).value:
        notes.append(f"{match['errors']} % of the operations failed")
    sizes = [_size(*slave) for slave in slaves]
    arrived_bytes = sum(size.value for size in sizes if size)
    if sizes and None not in sizes and arrived_bytes < (1 - _LOST_RATIO) * payload_bytes.value:
        lost_ratio = 1 - arrived_bytes / payload_bytes.value
        notes.append(f"the other end counted {percent_text(lost_ratio, 3)} less payload")
    run = with_hosts(run, [match["host"] for _, match in slaves])
    run = replace(run, reported_rate_bps=rate_bps.value, notes=tuple(notes))
    return run, _Summary(payload_bytes, seconds, rate)


def _size(line: Line, match: re.Match[str]) -> Figure | None:
    """A printed size; None where the width of its field truncated the unit."""
    unit = match["size_unit"]
    if not unit:
        size = line.figure("the size", match["size"])
        return Figure(0.0, 0.0) if size.value == 0 else None
    return line.figure("the size", match["size"], _BYTES[unit])


def _rate(line: Line, match: re.Match[str]) -> Figure:
    unit = match["rate_unit"]
    if unit:
        return line.figure("the rate", match["rate"], _BITS[unit])
    if line.figure("the rate", match["rate"]).value:
        raise line.fault("the unit of the rate is cut off")
    return Figure(0.0, 0.0)


def _averages(lines: list[Line], header: str) -> dict[str, _Average]:
    """The rows of a table of ``-a``, those of one name together."""
    averages: dict[str, _Average] = {}
    is_inside = False
    for line in lines:
        match = _AVERAGE.match(line.text)
        if line.text.startswith(header) and " Count " in line.text:
            is_inside = True
        elif is_inside and match:
            count = line.count("Count", match["count"])
            time_s = line.figure("avg", match["time"], _SECONDS[match["time_unit"]]).value
            before = averages.get(match["name"], _Average(0, 0.0))
            averages[match["name"]] = _Average(
                before.count + count, before.total_s + count * time_s
            )
        elif is_inside and averages:
            break
    return averages


def _direction(flowops: dict[str, _Average]) -> Direction | None:
    """Direction of the payload, from the flowops of the master."""
    has_sent, has_received = bool(flowops.keys() & _SENDING), bool(flowops.keys() & _RECEIVING)
    has_connected, has_accepted = "connect" in flowops, "accept" in flowops
    if has_sent == has_received or has_connected == has_accepted:
        return None
    is_up = has_sent == has_connected
    return Direction.CLIENT_TO_SERVER if is_up else Direction.SERVER_TO_CLIENT


def _main_phase(lines: list[Line]) -> tuple[str | None, list[_Tick], tuple[str, ...]]:
    """The transaction with most payload, its progress, and notes on the rest."""
    phases: dict[str, list[_Tick]] = {}
    cut_count = 0
    for line in lines:
        if not (match := _RAW.match(line.text) or _TICK.match(line.text)):
            continue
        payload_bytes: Figure | None
        if match.re is _RAW:
            payload_bytes = Figure(line.count("nr_bytes", match["size"]), 0.0)
            time_s = line.figure("timestamp_ms", match["time"], _SECONDS["ms"])
            op_count: float = line.count("nr_ops", match["ops"])
        else:
            # text prints operations per second
            payload_bytes = _size(line, match)
            time_s = line.figure("the time", match["time"])
            op_count = line.figure("op/s", match["ops"] or "0").value * time_s.value
        if payload_bytes is None:
            cut_count += 1
            continue
        ticks = phases.setdefault(match["name"], [])
        if ticks and (
            time_s.value < ticks[-1].time_s.value
            or payload_bytes.value < ticks[-1].payload_bytes.value
        ):
            raise line.fault(f"{match['name']} goes back in time or payload")
        ticks.append(_Tick(line, time_s, payload_bytes, op_count))
    if not phases:
        return None, [], ()
    main = max(phases, key=lambda name: phases[name][-1].payload_bytes.value)
    others = [
        name for name, ticks in phases.items() if name != main and ticks[-1].payload_bytes.value
    ]
    notes = [f"{', '.join(others)} moved payload too; only {main} is read"] if others else []
    if cut_count:
        notes.append(f"{cut_count} lines of progress without the unit of their size are left out")
    return main, phases[main], tuple(notes)


def _with_goodput(run: Measurement, phase: str, ticks: list[_Tick]) -> Measurement:
    """The run with the payload between its second and its last but one line of progress."""
    if not ticks[-1].payload_bytes.value:
        return replace(run, why_no_goodput=_NO_PAYLOAD)
    first, last = ticks[1], ticks[-2]
    duration_s = last.time_s - first.time_s
    payload_bytes = last.payload_bytes - first.payload_bytes
    goodput = payload_rate(last.line, payload_bytes, duration_s)
    reported = format_rate(run.reported_rate_bps or 0, RESULT_DIGITS)
    note = f"goodput of {phase} in {duration_s.value:.4g} s; uperf's {reported} includes connecting"
    return replace(
        run,
        duration_s=duration_s.value,
        received_bytes=round(payload_bytes.value),
        goodput_bps=goodput.value,
        goodput_half_width_bps=goodput.half_width,
        leaves_out_start=True,
        notes=(*run.notes, note),
    )


def _with_summary(run: Measurement, summary: _Summary) -> Measurement:
    """The run with the payload of its whole time, where its progress has no steady part."""
    if not summary.payload_bytes.value:
        return replace(run, why_no_goodput=_NO_PAYLOAD)
    return replace(
        run,
        duration_s=summary.duration_s.value,
        received_bytes=round(summary.payload_bytes.value),
        goodput_bps=summary.rate_bps.value,
        goodput_half_width_bps=summary.rate_bps.half_width,
        goodput_is_lower_bound=True,
        notes=(*run.notes, _SUMMED),
    )


def _with_transactions(
    run: Measurement, ticks: list[_Tick], flowops: dict[str, _Average], whole: _Average | None
) -> Measurement:
    """The run with the transactions of its steady part; its payload went in both directions."""
    run = replace(run, why_no_goodput=_TOGETHER)
    data_ops = sum(flowops[name].count for name in flowops.keys() & (_SENDING | _RECEIVING))
    if whole is None or not whole.count or not data_ops:
        return run
    run = replace(run, transaction_time_s=whole.total_s / whole.count)
    if len(ticks) < _FEWEST_TICKS:
        return run
    first, last = ticks[1], ticks[-2]
    duration_s = last.time_s.value - first.time_s.value
    if duration_s <= 0 or last.op_count < first.op_count:
        raise last.line.fault("goes back in time or operations")
    op_rate = (last.op_count - first.op_count) / duration_s
    return replace(
        run,
        duration_s=duration_s,
        leaves_out_start=True,
        transaction_rate_tps=op_rate * whole.count / data_ops,
    )


# recognised: a line says that uperf starts a profile, or that it cannot connect
UPERF = Format("uperf", lambda text: _MARKS.search(text) is not None, _read)
