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
    NO_DAY,
    NO_ZONE,
    RESTARTED,
    Row,
    Rows,
    csv_rows,
    json_host,
    json_row,
    moment,
    text_rows,
)
from netmodel.units import BITS_PER_BYTE

_PERCENT = 100
_ROUNDING_RATIO = 0.01
_SUM_TOLERANCE_RATIO = 0.01
_SUM_TOLERANCE_PER_S = 1.0
_MAX_CPU = 1_000_000
_ALL = frozenset({"all", "-1"})
_CPU = re.compile(r"(?:cpu|CPU)?([0-9]{1,9})")
_SOFT_SUMS = (
    "the interrupts of single CPUs are left out: mpstat printed the sums of their softirqs; "
    "ask for SUM alone"
)


def read_mpstat(
    source: Source,
    *,
    interval_s: float | None = None,
    day: date | None = None,
    zone: tzinfo | None = None,
) -> HostCpu:
    """
    Read what mpstat printed.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of ``mpstat``, as text or with ``-o JSON``, or its
        content.
    interval_s : float, optional
        Length of each interval, as given to mpstat; a JSON file of one
        interval does not tell it. [s]
    day : datetime.date, optional
        On which it began, where the file has it in the form of a locale.
    zone : datetime.tzinfo, optional
        Time zone of the host, which the file never tells.

    Returns
    -------
    host : HostCpu
        Without the averages that the text form ends with.

    Raises
    ------
    ParseError
        If the file is not of mpstat, is cut off, or holds a value that cannot
        be; the message names the file and the key or line.

    Notes
    -----
    Parts are taken by their names: their order differs between tools. Stolen
    time is part of the whole and never busy. Times of JSON are the ends of
    intervals.

    References
    ----------
    sysstat 12.6.1: ``mpstat.c``, ``rd_stats.c``; issues 159, 214, 314, 421.
    """
    raw = read_text(source)
    if _is_json(raw):
        return _of_mpstat_json(raw, interval_s, day, zone)
    return _host_cpu(raw, "mpstat", text_rows(raw, "mpstat", day, zone))


def read_sar(source: Source, *, day: date | None = None, zone: tzinfo | None = None) -> HostCpu:
    """
    Read the CPU time that sar printed.

    Parameters
    ----------
    source : path or bytes
        File with the text that ``sar -u ALL -P ALL`` printed, or its content;
        other tables are passed over.
    day : datetime.date, optional
        On which it began, where the file has it in the form of a locale.
    zone : datetime.tzinfo, optional
        Time zone of the times, which the file does not tell.

    Returns
    -------
    host : HostCpu
        Without averages.

    Raises
    ------
    ParseError
        If the file is not of sar, tells of no CPU, or holds a value that
        cannot be; the message names the file and the line.

    Notes
    -----
    Without ``-u ALL`` interrupts are in ``sys_ratio``, and a warning says so.

    References
    ----------
    sysstat 12.6.1: ``pr_stats.c``.
    """
    raw = read_text(source)
    return _host_cpu(raw, "sar", text_rows(raw, "sar", day, zone))


def read_sadf(
    source: Source, *, cpu_count: int | None = None, zone: tzinfo | None = None
) -> HostCpu:
    """
    Read the CPU time that sadf printed.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of ``sadf -j``, ``sadf -d`` or ``sadf -p``, with
        ``-- -u ALL -P ALL``, or its content; other activities are passed over.
    cpu_count : int, optional
        CPUs of the host, which the forms of ``-d`` and ``-p`` do not tell
        without ``-P ALL``.
    zone : datetime.tzinfo, optional
        Time zone of the times, where they are not of UTC (``-t``, ``-T``).

    Returns
    -------
    host : HostCpu
        One interval for each record.

    Raises
    ------
    ParseError
        If the file is not of sadf, tells of no CPU, or holds a value that
        cannot be; the message names the file and the key or line.

    Notes
    -----
    JSON marks UTC with ``"utc": 1``, from version 12.7.1 with ``"tz": "UTC"``.
    The number of all CPUs is -1 in the form of ``-d``.

    References
    ----------
    sysstat 12.6.1: ``sadf_misc.c``, ``json_stats.c``, ``rndr_stats.c``.
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
    day = day or iso_day(host.text("date"))
    if day is None:
        rows.warn(NO_DAY)
    if zone is None:
        rows.warn(NO_ZONE)
    rows.day, rows.zone = day, zone
    clock = Clock(day, zone)
    statistics = host.child("statistics").items()
    clocks = [one.text("timestamp") for one in statistics]
    ends_s = [clock.since_start(text) for text in clocks]
    if None in ends_s:
        rows.warn(f"times such as {shown(clocks[ends_s.index(None)])} are of no known form")
    length_s = interval_s or _even_length_s(ends_s)
    intervals = []
    for one, text, end_s in zip(statistics, clocks, ends_s, strict=True):
        begin_s = None if end_s is None or length_s is None else end_s - length_s
        empty = CpuInterval(
            clock=text,
            begin_utc_s=clock.utc_s(begin_s),
            end_utc_s=clock.utc_s(end_s),
            duration_s=length_s,
        )
        intervals.append(_json_interval(one, empty, rows))
    return _of_intervals(raw, "mpstat", rows, intervals)


def _even_length_s(ends_s: list[float | None]) -> float | None:
    """Length of each interval, which mpstat has equal, from the ends of all."""
    known = [end_s for end_s in ends_s if end_s is not None]
    if len(known) < 2 or len(known) < len(ends_s) or known[-1] <= known[0]:
        return None
    return (known[-1] - known[0]) / (len(known) - 1)


def _rows_of_host(host: Node) -> Rows:
    count = host.count("number-of-cpus")
    if not 0 < count <= _MAX_CPU:
        raise host.child("number-of-cpus").fault(f"must be from 1 to {_MAX_CPU}; got {count}")
    rows = Rows(host=host.text("nodename"), cpu_count=count)
    rows.is_s390 = host.has("machine") and host.text("machine").startswith("s390")
    return rows


def _json_interval(one: Node, empty: CpuInterval, rows: Rows) -> CpuInterval:
    """An interval with the CPU time and the interrupts of one entry of ``statistics``."""
    told = one.child("cpu-load").items() if one.has("cpu-load") else []
    loads = _loads([json_row(node, empty, "cpu") for node in told], rows)
    return replace(empty, loads=loads, interrupts=_interrupts(one, rows))


def _interrupts(one: Node, rows: Rows) -> tuple[InterruptRate, ...]:
    """Interrupts of an entry, without those that are sums of softirqs."""
    totals: dict[int | None, float] = {}
    if one.has("sum-interrupts"):
        for node in one.child("sum-interrupts").items():
            totals[_cpu(node.text("cpu"), node.child("cpu").fault)] = node.number("intr")
    if one.has("interrupts"):
        for node in one.child("interrupts").items():
            if node.text("intr") == "sum":
                totals |= _sadf_totals(node)
    softs: dict[int | None, tuple[tuple[str, float], ...]] = {}
    if one.has("soft-interrupts"):
        for node in one.child("soft-interrupts").items():
            pairs = [
                (each.text("name"), each.number("value")) for each in node.child("intr").items()
            ]
            softs[_cpu(node.text("cpu"), node.child("cpu").fault)] = tuple(pairs)
    are_softs = [cpu for cpu, pairs in softs.items() if _is_sum(totals.get(cpu), pairs)]
    for cpu in are_softs:
        rows.warn(_SOFT_SUMS)
        del totals[cpu]
    _check_totals(totals, rows)
    return tuple(
        InterruptRate(cpu, totals.get(cpu), softs.get(cpu, ())) for cpu in {**totals, **softs}
    )


def _sadf_totals(node: Node) -> dict[int | None, float]:
    """Interrupts of all CPUs and of each from a line of sadf, whose keys are the CPUs."""
    keys = [key for key in node.value if key != "intr"]
    return {_cpu(key, node.fault): node.number(key) for key in keys}


def _is_sum(total: float | None, pairs: tuple[tuple[str, float], ...]) -> bool:
    if total is None or not total:
        return False
    return abs(total - sum(value for _, value in pairs)) <= _SUM_TOLERANCE_PER_S


def _check_totals(totals: dict[int | None, float], rows: Rows) -> None:
    """Warn of sums that cannot be trusted."""
    if totals and rows.is_s390:
        rows.warn("on s390x sysstat counts the sum of interrupts twice")
    singles = [total for cpu, total in totals.items() if cpu is not None]
    if None not in totals or len(singles) != rows.cpu_count:
        return
    apart = abs(totals[None] - sum(singles))
    if apart > _SUM_TOLERANCE_PER_S * len(singles) + _SUM_TOLERANCE_RATIO * sum(singles):
        rows.warn("interrupts of single CPUs do not add up to those of all: a counter overflowed")


def _cpu(subject: str, fault: Callable[[str], ParseError]) -> int | None:
    """Number of a CPU; None for all together."""
    if subject in _ALL:
        return None
    match = _CPU.fullmatch(subject)
    if match is None or int(match[1]) >= _MAX_CPU:
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
    told = host.text("timezone") if host.has("timezone") else ""
    for one in host.child("statistics").items():
        if not one.has("timestamp"):  # what follows a restart may be empty
            continue
        rows.entries.append((one, _sadf_interval(one.child("timestamp"), rows, zone, told)))
    if host.has("restarts") and host.child("restarts").items():
        rows.warn(RESTARTED)
    return rows


def _sadf_interval(stamp: Node, rows: Rows, zone: tzinfo | None, told: str) -> CpuInterval:
    """When an entry of ``statistics`` was, without anything else."""
    if stamp.has("tz"):
        name = stamp.text("tz")
    elif stamp.has("utc") and stamp.count("utc"):
        name = "UTC"
    else:
        name = told
    name = name if name in {"UTC", "GMT"} else ""
    clock = f"{stamp.text('date')} {stamp.text('time')} {name}".strip()
    return moment(stamp.source, rows, clock, stamp.number("interval") or None, zone)


def _host_cpu(raw: RawText, tool: str, rows: Rows) -> HostCpu:
    """The host with its intervals, whatever the form they were written in."""
    intervals = [_json_interval(one, empty, rows) for one, empty in rows.entries]
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
    """Rows of one interval each: another time, or a CPU for the second time, begins the next."""
    group: list[Row] = []
    for row in rows:
        if group and (row.clock != group[0].clock or row.subject in {one.subject for one in group}):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _of_intervals(raw: RawText, tool: str, rows: Rows, intervals: list[CpuInterval]) -> HostCpu:
    told = [one for one in intervals if one.loads or one.interrupts]
    if not told:
        raise ParseError(raw.source, f"{tool} tells nothing of CPUs here")
    host = HostCpu(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=tool,
        host=rows.host,
        cpu_count=rows.cpu_count,
        intervals=tuple(told),
        day=rows.day,
        zone=rows.zone,
    )
    return replace(host, notes=(*rows.notes, *uneven_clocks(told, rows.cpu_count)))


def _loads(rows: list[Row], found: Rows) -> tuple[CpuLoad, ...]:
    """What the rows of one interval tell, without CPUs that were offline."""
    loads: dict[int | None, CpuLoad] = {}
    for row in rows:
        cpu = _cpu(row.subject, row.fault)
        if cpu in loads:
            raise row.fault(f" tells of CPU {row.subject} for the second time")
        shares = _shares(row, found)
        if shares is None:
            found.warn(f"CPU {row.subject} was offline for a time: all its parts are 0")
            continue
        loads[cpu] = CpuLoad(cpu, shares, row.core or None, row.socket or None)
    return tuple(loads.values())


def _shares(row: Row, found: Rows) -> CpuShares | None:
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
        raise row.fault(f": the parts add up to {_PERCENT * total_ratio:.4g} %")
    if total_ratio < 1 - _ROUNDING_RATIO:
        found.warn(f"parts of a CPU's time add up to only {_PERCENT * total_ratio:.4g} %")
    if shares.soft_ratio is None:
        found.warn("interrupts are part of sys, not told apart: measure with -u ALL")
    if shares.steal_ratio is None:
        found.warn("stolen time is not told")
    return shares


def _ratio(row: Row, *names: str) -> float:
    name = next((name for name in names if name in row.values), None)
    if name is None:
        raise row.fault(f".{names[0]} is missing")
    value = row.values[name]
    if value > _PERCENT:
        raise row.fault(f".{name} must be from 0 to {_PERCENT} %; got {value:g}")
    return value / _PERCENT


def _ratio_or_none(row: Row, name: str) -> float | None:
    return _ratio(row, name) if name in row.values else None


_BYTES_PER_KB = 1024
_PERCENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceRates:
    """
    What went through an interface in one interval; None stands for what is not told.

    Parameters
    ----------
    interface : str
        Its name.
    clock : str
        End of the interval as printed.
    begin_utc_s, end_utc_s : float
        When the interval began and ended, since 1970, UTC. [s]
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
        Of its speed, as the tool has it; None where it does not know the speed.
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
    Read the rates of interfaces that sadf printed.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of ``sadf -j``, ``sadf -d`` or ``sadf -p``, with
        ``-- -n DEV`` and, for drops and errors, ``-n EDEV``, or its content.
    zone : datetime.tzinfo, optional
        Time zone of the times, where they are not of UTC.

    Returns
    -------
    rates : tuple of InterfaceRates
        One for each interface and interval.

    Raises
    ------
    ParseError
        If the file is not of sadf, tells of no interface, or holds a value
        that cannot be; the message names the file and the key or line.

    Notes
    -----
    A kB of sysstat is 1024 bytes. It prints a utilisation of 0 where it does
    not know the speed: that is None here.

    References
    ----------
    sysstat 12.6.1: ``rndr_stats.c``, ``common.c`` (compute_ifutil).
    """
    raw = read_text(source)
    return _interface_rates(raw, "sadf", sadf_rows(raw, zone))


def read_sar_interfaces(
    source: Source, *, day: date | None = None, zone: tzinfo | None = None
) -> tuple[InterfaceRates, ...]:
    """
    Read the rates of interfaces that sar printed.

    Parameters
    ----------
    source : path or bytes
        File with the text that ``sar -n DEV`` printed, or its content.
    day : datetime.date, optional
        On which it began, where the file has it in the form of a locale.
    zone : datetime.tzinfo, optional
        Time zone of the times, which the file does not tell.

    Returns
    -------
    rates : tuple of InterfaceRates
        One for each interface and interval, without averages.

    Raises
    ------
    ParseError
        If the file is not of sar, tells of no interface, or holds a value that
        cannot be; the message names the file and the line.

    References
    ----------
    sysstat 12.6.1: ``pr_stats.c``.
    """
    raw = read_text(source)
    return _interface_rates(raw, "sar", text_rows(raw, "sar", day, zone))


def _interface_rates(raw: RawText, tool: str, rows: Rows) -> tuple[InterfaceRates, ...]:
    """Rates of interfaces, with the drops and errors of the same interval."""
    told = list(rows.rows)
    for one, empty in rows.entries:
        network = one.child("network") if one.has("network") else Node(one.source, one.path, {})
        for key in ("net-dev", "net-edev"):
            nodes = network.child(key).items() if network.has(key) else []
            told += [json_row(node, empty, "iface") for node in nodes]
    faults = {(row.clock, row.subject): row.values for row in told if "rxerr" in row.values}
    rates = [
        _rates(row, faults.get((row.clock, row.subject), row.values))
        for row in told
        if "rxkB" in row.values
    ]
    if not rates:
        raise ParseError(raw.source, f"{tool} tells nothing of interfaces here: use -n DEV")
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
        in_device_rate_bps=in_kb * _BYTES_PER_KB * BITS_PER_BYTE,
        out_device_rate_bps=out_kb * _BYTES_PER_KB * BITS_PER_BYTE,
        in_drop_rate_fps=faults.get("rxdrop"),
        out_drop_rate_fps=faults.get("txdrop"),
        in_error_rate_fps=faults.get("rxerr"),
        out_error_rate_fps=faults.get("txerr"),
        utilisation_ratio=used_percent / _PERCENT or None,
    )
