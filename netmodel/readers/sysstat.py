"""CPU time as sysstat measured it: mpstat, sar and sadf; the rest of their output is left out."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date, tzinfo
from functools import lru_cache

from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, Source, read_text, shown
from netmodel.readers._host_cpu import (
    Clock,
    CpuInterval,
    CpuLoad,
    CpuShares,
    HostCpu,
    iso_day,
)
from netmodel.readers._sysstat_rows import (
    MAX_CPU_COUNT,
    RESTARTED,
    Row,
    Rows,
    csv_rows,
    json_host,
    json_row,
    moment,
    text_rows,
)
from netmodel.text import percent_text
from netmodel.units.prefixes import WHOLE_PERCENT

_ROUNDING_RATIO = 0.01
"""Ten parts, each rounded to 0.01 %, or to 1 % with ``--dec=0`` where most are 0."""
_ALL = frozenset({"all", "-1"})
_PARTS = {"user": "usr_ratio", "system": "sys_ratio"} | {
    name: f"{name}_ratio"
    for name in ("usr", "nice", "sys", "iowait", "irq", "soft", "steal", "guest", "gnice", "idle")
}
"""Parts of a CPU's time by the names that tools give them."""
_NEEDED = ("usr", "nice", "sys", "iowait", "idle")
_TIMESTAMP = re.compile(r'"timestamp"\s*:\s*"([^"]*)"')
_RESTARTS = re.compile(r'"restarts"\s*:\s*\[\s*\{')
_CPU = re.compile(r"(?:cpu|CPU)?([0-9]{1,9})")


def read_mpstat(
    source: Source,
    *,
    interval_s: float | None = None,
    day: date | None = None,
    zone: tzinfo | None = None,
) -> HostCpu:
    """
    CPU time from mpstat, as text or with ``-o JSON``; the averages at the end are left out.

    The file never has the time zone, nor, as JSON of a single interval, its length. Parts are
    taken by their names, because their order differs between tools. Stolen time is part of the
    whole and never busy. Times of JSON are the ends of intervals.

    References: sysstat 12.6.1: ``mpstat.c``, ``rd_stats.c``; issues 159, 214, 314, 421.
    """
    raw = read_text(source)
    if _is_json(raw):
        return _host_cpu(raw, "mpstat", _mpstat_rows(raw, interval_s, day, zone))
    return _host_cpu(raw, "mpstat", text_rows(raw, "mpstat", day, zone))


def read_sar(source: Source, *, day: date | None = None, zone: tzinfo | None = None) -> HostCpu:
    """
    CPU time from the text of ``sar -u ALL -P ALL``; other tables and averages are left out.

    Without ``-u ALL`` interrupts are in ``sys_ratio``, with a note.

    References: sysstat 12.6.1: ``pr_stats.c``.
    """
    raw = read_text(source)
    return _host_cpu(raw, "sar", text_rows(raw, "sar", day, zone))


def read_sadf(
    source: Source, *, cpu_count: int | None = None, zone: tzinfo | None = None
) -> HostCpu:
    """
    CPU time from ``sadf -j`` or ``-d``, with ``-- -u ALL -P ALL``; the rest is left out.

    JSON marks UTC with ``"utc": 1``, from version 12.7.1 with ``"tz": "UTC"``. The number of CPUs
    follows from ``-P ALL`` in the form of ``-d``, where all CPUs together are -1.

    References: sysstat 12.6.1: ``sadf_misc.c``, ``json_stats.c``, ``rndr_stats.c``.
    """
    raw = read_text(source)
    rows = _sadf_rows(raw, zone) if _is_json(raw) else csv_rows(raw, zone)
    return _host_cpu(raw, "sadf", rows, cpu_count)


def _is_json(raw: RawText) -> bool:
    return raw.text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}


def _mpstat_rows(
    raw: RawText, interval_s: float | None, day: date | None, zone: tzinfo | None
) -> Rows:
    """Rows of ``mpstat -o JSON``."""
    host, statistics = json_host(raw)
    rows = _rows_of_host(host)
    day = rows.place(day or iso_day(host.text("date")), zone)
    clock, texts = Clock(day, zone), _TIMESTAMP.findall(raw.text)
    ends_s = [clock.since_start(text) for text in texts]
    known = [end_s for end_s in ends_s if end_s is not None]
    length_s = interval_s
    if length_s is None and 1 < len(known) == len(ends_s) and known[-1] > known[0]:
        length_s = (known[-1] - known[0]) / (len(known) - 1)  # mpstat has equal intervals

    def entries() -> Iterator[tuple[Node, CpuInterval]]:
        clock = Clock(day, zone)
        for entry in statistics:
            text = entry.text("timestamp")
            end_s = clock.since_start(text)
            if end_s is None:
                rows.note_unknown_time(text)
            begin_s = None if end_s is None or length_s is None else end_s - length_s
            begin_utc_s, end_utc_s = clock.utc_s(begin_s), clock.utc_s(end_s)
            yield (
                entry,
                CpuInterval(
                    clock=text, begin_utc_s=begin_utc_s, end_utc_s=end_utc_s, duration_s=length_s
                ),
            )

    rows.rows = _json_rows(entries())
    return rows


def _rows_of_host(host: Node) -> Rows:
    count = host.count("number-of-cpus")
    if not 0 < count <= MAX_CPU_COUNT:
        raise host.child("number-of-cpus").fault(f"must be from 1 to {MAX_CPU_COUNT}; got {count}")
    return Rows(host=host.text("nodename"), cpu_count=count)


def _json_rows(entries: Iterable[tuple[Node, CpuInterval]]) -> Iterator[Row]:
    """A row for each CPU of each entry of ``statistics``, made when it is asked for."""
    for entry, empty in entries:
        for node in entry.child("cpu-load").each() if entry.has("cpu-load") else ():
            yield json_row(node, empty)


def _sadf_rows(raw: RawText, zone: tzinfo | None) -> Rows:
    """Rows of ``sadf -j``."""
    host, statistics = json_host(raw)
    rows = _rows_of_host(host)
    if not host.has("file-date"):
        raise host.fault("has no key file-date: it is not of sadf")
    zone_of_host = host.text("timezone") if host.has("timezone") else ""

    def entries() -> Iterator[tuple[Node, CpuInterval]]:
        for entry in statistics:
            if not entry.has("timestamp"):  # after a restart an entry may be empty
                continue
            stamp = entry.child("timestamp")
            if stamp.has("tz"):
                name = stamp.text("tz")
            elif stamp.has("utc") and stamp.count("utc"):
                name = "UTC"
            else:
                name = zone_of_host
            name = name if name in {"UTC", "GMT"} else ""
            clock = f"{stamp.text('date')} {stamp.text('time')} {name}".strip()
            interval_s = stamp.number("interval") or None
            yield entry, moment(stamp.source, rows, clock, interval_s, zone)

    rows.rows = _json_rows(entries())
    if _RESTARTS.search(raw.text):
        rows.note(RESTARTED)
    return rows


def _host_cpu(raw: RawText, tool: str, rows: Rows, cpu_count: int | None = None) -> HostCpu:
    """The host with its intervals."""
    groups = _groups(row for row in rows.rows if "idle" in row.values)
    pairs = ((group[0].when, _loads(group, rows)) for group in groups)
    intervals = [replace(when, loads=loads) for when, loads in pairs if loads]
    if not intervals:
        raise ParseError(raw.source, f"{tool} has no CPU time here: use -P ALL")
    single = {load.cpu for interval in intervals for load in interval.loads} - {None}
    if tool == "sadf":
        rows.cpu_count = cpu_count or rows.cpu_count or len(single) or None
    return HostCpu(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=tool,
        host=rows.host,
        cpu_count=rows.cpu_count,
        intervals=tuple(intervals),
        day=rows.day,
        zone=rows.zone,
        notes=tuple(rows.notes),
    )


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows of one interval each: another time, or a CPU that comes again, begins the next."""
    group: dict[str, Row] = {}
    last: CpuInterval | None = None
    for row in rows:
        if last and (row.when.clock != last.clock or row.subject in group):
            yield [*group.values()]
            group = {}
        group[row.subject], last = row, row.when
    if group:
        yield [*group.values()]


def _cpu(subject: str, fault: Callable[[str], ParseError]) -> int | None:
    """Number of a CPU; None for all together."""
    if subject in _ALL:
        return None
    match = _CPU.fullmatch(subject)
    if match is None or int(match[1]) >= MAX_CPU_COUNT:
        raise fault(f" must be a CPU or all; got {shown(subject)}")
    return int(match[1])


def _loads(rows: list[Row], file: Rows) -> tuple[CpuLoad, ...]:
    """Loads of one interval, without CPUs that were offline."""
    loads: dict[int | None, CpuLoad] = {}
    for row in rows:
        cpu = _cpu(row.subject, row.fault)
        if cpu in loads:
            raise row.fault(f" is a second CPU {row.subject}")
        shares = _shares(row, file)
        if shares is None:
            file.note(f"CPU {row.subject} was offline for a time: all its parts are 0")
            continue
        loads[cpu] = CpuLoad(cpu, shares, row.core or None, row.socket or None)
    return tuple(loads.values())


def _shares(row: Row, file: Rows) -> CpuShares | None:
    parts: dict[str, float | None] = dict.fromkeys(_PARTS.values())
    for name, value in row.values.items():
        if value > WHOLE_PERCENT:
            raise row.fault(f".{name} must be from 0 to {WHOLE_PERCENT} %; got {value:g}")
        parts[_PARTS[name]] = _as_ratio(value)
    for name in _NEEDED:
        if parts[_PARTS[name]] is None:
            raise row.fault(f".{name} is missing")
    total_ratio = sum(filter(None, parts.values()))
    if not total_ratio:
        return None
    if total_ratio > 1 + _ROUNDING_RATIO:
        raise row.fault(f": the parts add up to {percent_text(total_ratio, 4)}")
    if total_ratio < 1 - _ROUNDING_RATIO:
        file.note(f"parts of a CPU's time add up to only {percent_text(total_ratio, 4)}")
    if parts["soft_ratio"] is None:
        file.note("interrupts are part of sys: measure with -u ALL to separate them")
    if parts["steal_ratio"] is None:
        file.note("stolen time is not reported: measure with -u ALL")
    return CpuShares(**parts)  # type: ignore[arg-type]


@lru_cache(maxsize=WHOLE_PERCENT * 100)  # hundredths of a percent: equal figures are one object
def _as_ratio(percent: float) -> float:
    return percent / WHOLE_PERCENT
