"""CPU time and interface rates as sysstat measured them: mpstat, sar and sadf."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, tzinfo

from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, Source, read_text, shown
from netmodel.readers._host_cpu import (
    Clock,
    CpuInterval,
    CpuLoad,
    CpuShares,
    HostCpu,
    InterruptRate,
    iso_day,
    uneven_clocks,
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
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import KIBI, WHOLE_PERCENT

_ROUNDING_RATIO = 0.01
"""Ten parts, each rounded to 0.01 %, or to 1 % with ``--dec=0`` where most are 0."""
_SUM_TOLERANCE_RATIO = 0.01
"""Counters of single CPUs and of all are read one after the other, in a time of some ms."""
_SUM_TOLERANCE_PER_S = 1.0
"""Rates are printed in hundredths, or with ``--dec=0`` in whole interrupts per second."""
_ALL = frozenset({"all", "-1"})
_CPU = re.compile(r"(?:cpu|CPU)?([0-9]{1,9})")
_SOFT_SUMS = "interrupts of single CPUs are left out: they are sums of softirqs; use mpstat -I SUM"


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
        return _of_mpstat_json(raw, interval_s, day, zone)
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
    CPU time from ``sadf -j``, ``-d`` or ``-p``, with ``-- -u ALL -P ALL``; the rest is left out.

    JSON marks UTC with ``"utc": 1``, from version 12.7.1 with ``"tz": "UTC"``. The number of CPUs
    follows from ``-P ALL`` in the forms of ``-d`` and ``-p``, where all CPUs together are -1.

    References: sysstat 12.6.1: ``sadf_misc.c``, ``json_stats.c``, ``rndr_stats.c``.
    """
    raw = read_text(source)
    rows = sadf_rows(raw, zone)
    single = {row.subject for row in rows.rows if "idle" in row.values} - _ALL
    rows.cpu_count = cpu_count or rows.cpu_count or len(single) or None
    return _host_cpu(raw, "sadf", rows)


def _is_json(raw: RawText) -> bool:
    return raw.text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}


def _of_mpstat_json(
    raw: RawText, interval_s: float | None, day: date | None, zone: tzinfo | None
) -> HostCpu:
    host = json_host(raw)
    rows = _rows_of_host(host)
    day = rows.place(day or iso_day(host.text("date")), zone)
    clock = Clock(day, zone)
    statistics = host.child("statistics").items()
    clocks = [entry.text("timestamp") for entry in statistics]
    ends_s = [clock.since_start(text) for text in clocks]
    if None in ends_s:
        rows.note_unknown_time(clocks[ends_s.index(None)])
    length_s = interval_s
    known = [end_s for end_s in ends_s if end_s is not None]
    if length_s is None and 1 < len(known) == len(ends_s) and known[-1] > known[0]:
        length_s = (known[-1] - known[0]) / (len(known) - 1)  # mpstat has equal intervals
    intervals = []
    for entry, text, end_s in zip(statistics, clocks, ends_s, strict=True):
        begin_s = None if end_s is None or length_s is None else end_s - length_s
        empty = CpuInterval(
            clock=text,
            begin_utc_s=clock.utc_s(begin_s),
            end_utc_s=clock.utc_s(end_s),
            duration_s=length_s,
        )
        intervals.append(_json_interval(entry, empty, rows))
    return _of_intervals(raw, "mpstat", rows, intervals)


def _rows_of_host(host: Node) -> Rows:
    count = host.count("number-of-cpus")
    if not 0 < count <= MAX_CPU_COUNT:
        raise host.child("number-of-cpus").fault(f"must be from 1 to {MAX_CPU_COUNT}; got {count}")
    rows = Rows(host=host.text("nodename"), cpu_count=count)
    rows.is_s390 = host.has("machine") and host.text("machine").startswith("s390")
    return rows


def _json_interval(entry: Node, empty: CpuInterval, rows: Rows) -> CpuInterval:
    """An interval with the CPU time and the interrupts of one entry of ``statistics``."""
    nodes = entry.child("cpu-load").items() if entry.has("cpu-load") else []
    loads = _loads([json_row(node, empty, "cpu") for node in nodes], rows)
    return replace(empty, loads=loads, interrupts=_interrupts(entry, rows))


def _interrupts(entry: Node, rows: Rows) -> tuple[InterruptRate, ...]:
    """Interrupts of an entry, without totals that are sums of softirqs."""
    totals: dict[int | None, float] = {}
    if entry.has("sum-interrupts"):
        for node in entry.child("sum-interrupts").items():
            totals[_cpu(node.text("cpu"), node.child("cpu").fault)] = node.number("intr")
    if entry.has("interrupts"):
        for node in entry.child("interrupts").items():
            if node.text("intr") == "sum":  # of sadf, whose other keys are the CPUs
                keys = [key for key in node.value if key != "intr"]
                totals |= {_cpu(key, node.fault): node.number(key) for key in keys}
    softs: dict[int | None, tuple[tuple[str, float], ...]] = {}
    if entry.has("soft-interrupts"):
        for node in entry.child("soft-interrupts").items():
            cpu = _cpu(node.text("cpu"), node.child("cpu").fault)
            softs[cpu] = tuple(
                (each.text("name"), each.number("value")) for each in node.child("intr").items()
            )
    for cpu, pairs in softs.items():
        total = totals.get(cpu)
        if total and abs(total - sum(value for _, value in pairs)) <= _SUM_TOLERANCE_PER_S:
            rows.note(_SOFT_SUMS)
            del totals[cpu]

    if totals and rows.is_s390:
        rows.note("on s390x sysstat counts the sum of interrupts twice")
    singles = [total for cpu, total in totals.items() if cpu is not None]
    if None in totals and len(singles) == rows.cpu_count:
        difference = abs(totals[None] - sum(singles))
        if difference > _SUM_TOLERANCE_PER_S * len(singles) + _SUM_TOLERANCE_RATIO * sum(singles):
            rows.note("interrupts of single CPUs do not add up to the total: a counter overflowed")
    return tuple(
        InterruptRate(cpu, totals.get(cpu), softs.get(cpu, ())) for cpu in {**totals, **softs}
    )


def _cpu(subject: str, fault: Callable[[str], ParseError]) -> int | None:
    """Number of a CPU; None for all together."""
    if subject in _ALL:
        return None
    match = _CPU.fullmatch(subject)
    if match is None or int(match[1]) >= MAX_CPU_COUNT:
        raise fault(f" must be a CPU or all; got {shown(subject)}")
    return int(match[1])


def sadf_rows(raw: RawText, zone: tzinfo | None) -> Rows:
    """Rows of any form of sadf; those of JSON are left in its entries."""
    if not _is_json(raw):
        return csv_rows(raw, zone)
    host = json_host(raw)
    rows = _rows_of_host(host)
    if not host.has("file-date"):
        raise host.fault("has no key file-date: it is not of sadf")
    zone_of_host = host.text("timezone") if host.has("timezone") else ""
    for entry in host.child("statistics").items():
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
        rows.entries.append((entry, moment(stamp.source, rows, clock, interval_s, zone)))
    if host.has("restarts") and host.child("restarts").items():
        rows.note(RESTARTED)
    return rows


def _host_cpu(raw: RawText, tool: str, rows: Rows) -> HostCpu:
    """The host with its intervals, from rows and from entries of JSON."""
    intervals = [_json_interval(entry, empty, rows) for entry, empty in rows.entries]
    for group in _groups(row for row in rows.rows if "idle" in row.values):
        first = group[0]
        empty = CpuInterval(
            clock=first.clock,
            begin_utc_s=first.begin_utc_s,
            end_utc_s=first.end_utc_s,
            duration_s=first.duration_s,
        )
        intervals.append(replace(empty, loads=_loads(group, rows)))
    return _of_intervals(raw, tool, rows, intervals)


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows of one interval each: another time, or a CPU that comes again, begins the next."""
    group: list[Row] = []
    for row in rows:
        if group and (
            row.clock != group[0].clock or row.subject in {each.subject for each in group}
        ):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _of_intervals(raw: RawText, tool: str, rows: Rows, intervals: list[CpuInterval]) -> HostCpu:
    measured = [interval for interval in intervals if interval.loads or interval.interrupts]
    if not measured:
        raise ParseError(raw.source, f"{tool} has no CPU time here: use -P ALL")
    host = HostCpu(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=tool,
        host=rows.host,
        cpu_count=rows.cpu_count,
        intervals=tuple(measured),
        day=rows.day,
        zone=rows.zone,
    )
    return replace(host, notes=(*rows.notes, *uneven_clocks(measured, rows.cpu_count)))


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
    shares = CpuShares(
        usr_ratio=_ratio(row, "usr", "user"),
        nice_ratio=_ratio(row, "nice"),
        sys_ratio=_ratio(row, "sys", "system"),
        iowait_ratio=_ratio(row, "iowait"),
        idle_ratio=_ratio(row, "idle"),
        irq_ratio=_ratio_or_none(row, "irq"),
        soft_ratio=_ratio_or_none(row, "soft"),
        steal_ratio=_ratio_or_none(row, "steal"),
        guest_ratio=_ratio_or_none(row, "guest"),
        gnice_ratio=_ratio_or_none(row, "gnice"),
    )
    total_ratio = shares.total_ratio
    if not total_ratio:
        return None
    if total_ratio > 1 + _ROUNDING_RATIO:
        raise row.fault(f": the parts add up to {percent_text(total_ratio, 4)}")
    if total_ratio < 1 - _ROUNDING_RATIO:
        file.note(f"parts of a CPU's time add up to only {percent_text(total_ratio, 4)}")
    if shares.soft_ratio is None:
        file.note("interrupts are part of sys: measure with -u ALL to separate them")
    if shares.steal_ratio is None:
        file.note("stolen time is not reported: measure with -u ALL")
    return shares


def _ratio(row: Row, *names: str) -> float:
    name = next((name for name in names if name in row.values), None)
    if name is None:
        raise row.fault(f".{names[0]} is missing")
    value = row.values[name]
    if value > WHOLE_PERCENT:
        raise row.fault(f".{name} must be from 0 to {WHOLE_PERCENT} %; got {value:g}")
    return value / WHOLE_PERCENT


def _ratio_or_none(row: Row, name: str) -> float | None:
    return _ratio(row, name) if name in row.values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceRates:
    """
    Traffic of an interface in one interval; None stands for what is not reported.

    Parameters
    ----------
    interface : str
        Its name.
    clock : str
        End of the interval as printed.
    begin_utc_s, end_utc_s : float
        Begin and end of the interval, since 1970, UTC. [s]
    duration_s : float
        Its length. [s]
    in_packet_rate_fps, out_packet_rate_fps : float
        Packets that the interface counted. [frame/s]
    in_device_rate_bps, out_device_rate_bps : float
        Bytes that it counted, as bits. [bit/s]
    in_drop_rate_fps, out_drop_rate_fps : float
        Packets dropped. [frame/s]
    in_error_rate_fps, out_error_rate_fps : float
        Packets with errors. [frame/s]
    utilisation_ratio : float
        Share of its speed; None where the tool does not know the speed.
    """

    interface: str
    clock: str
    begin_utc_s: float | None = None
    end_utc_s: float | None = None
    duration_s: float | None = None
    in_packet_rate_fps: float
    out_packet_rate_fps: float
    in_device_rate_bps: float
    out_device_rate_bps: float
    in_drop_rate_fps: float | None = None
    out_drop_rate_fps: float | None = None
    in_error_rate_fps: float | None = None
    out_error_rate_fps: float | None = None
    utilisation_ratio: float | None = None


def read_sadf_interfaces(
    source: Source, *, zone: tzinfo | None = None
) -> tuple[InterfaceRates, ...]:
    """
    Rates of interfaces from sadf with ``-- -n DEV`` and, for drops and errors, ``-n EDEV``.

    A kB of sysstat is 1024 byte. Its utilisation is 0 where it does not know the speed: here None.

    References: sysstat 12.6.1: ``rndr_stats.c``, ``common.c`` (compute_ifutil).
    """
    raw = read_text(source)
    return _interface_rates(raw, "sadf", sadf_rows(raw, zone))


def read_sar_interfaces(
    source: Source, *, day: date | None = None, zone: tzinfo | None = None
) -> tuple[InterfaceRates, ...]:
    """
    Rates of interfaces from the text of ``sar -n DEV``, without averages.

    References: sysstat 12.6.1: ``pr_stats.c``.
    """
    raw = read_text(source)
    return _interface_rates(raw, "sar", text_rows(raw, "sar", day, zone))


def _interface_rates(raw: RawText, tool: str, rows: Rows) -> tuple[InterfaceRates, ...]:
    """Rates of interfaces, with the drops and errors of the same interval."""
    lines = list(rows.rows)
    for entry, empty in rows.entries:
        if not entry.has("network"):
            continue
        network = entry.child("network")
        for key in ("net-dev", "net-edev"):
            nodes = network.child(key).items() if network.has(key) else []
            lines += [json_row(node, empty, "iface") for node in nodes]
    faults = {(row.clock, row.subject): row.values for row in lines if "rxerr" in row.values}
    rates = [
        _rates(row, faults.get((row.clock, row.subject), row.values))
        for row in lines
        if "rxkB" in row.values
    ]
    if not rates:
        raise ParseError(raw.source, f"{tool} has no interfaces here: use -n DEV")
    return tuple(rates)


def _rates(row: Row, faults: dict[str, float]) -> InterfaceRates:
    needed = ("rxpck", "txpck", "rxkB", "txkB")
    missing = next((name for name in needed if name not in row.values), None)
    if missing is not None:
        raise row.fault(f".{missing} is missing")
    in_fps, out_fps, in_kb, out_kb = (row.values[name] for name in needed)
    used_percent = row.values.get("ifutil", 0)
    return InterfaceRates(
        interface=row.subject,
        clock=row.clock,
        begin_utc_s=row.begin_utc_s,
        end_utc_s=row.end_utc_s,
        duration_s=row.duration_s,
        in_packet_rate_fps=in_fps,
        out_packet_rate_fps=out_fps,
        in_device_rate_bps=in_kb * KIBI * BITS_PER_BYTE,
        out_device_rate_bps=out_kb * KIBI * BITS_PER_BYTE,
        in_drop_rate_fps=faults.get("rxdrop"),
        out_drop_rate_fps=faults.get("txdrop"),
        in_error_rate_fps=faults.get("rxerr"),
        out_error_rate_fps=faults.get("txerr"),
        utilisation_ratio=used_percent / WHOLE_PERCENT or None,
    )
