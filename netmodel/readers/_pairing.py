"""Benchmark runs paired with the CPU time that their hosts measured meanwhile."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ContradictionError
from netmodel.readers._both_ends import counted_once
from netmodel.readers._host_cpu import (
    Clock,
    CpuInterval,
    HostCpu,
    Span,
    iso_day,
    overlap_s,
    utc_text,
)
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._sysstat_rows import NO_DAY, NO_ZONE

_CLOCK_STEP_S = 1.0
"""sysstat prints whole seconds, which may be off by one. [s]"""
_ZONES_MIN = range(-12 * 60, 14 * 60 + 1, 15)
"""Offsets from UTC: all of the tz database are multiples of 15 min from -12:00 to +14:00. [min]"""
_NEAR_DAYS = (0, -1, 1)
"""The day of the runs in UTC; by a local clock it may be the one before or after."""
_DATED_S = (86400, 4_102_444_800)
"""Times from 1970-01-02 to 2100, whose neighbouring days are dates too. [s]"""


def _in_zone_of_runs(host: HostCpu, common: Span) -> tuple[HostCpu, list[str]]:
    """
    The host with its times in UTC, and what was assumed for that.

    Where its zone is not known, it is the one in which the record overlaps the runs. Where its
    day is not known, only the time of day is compared.
    """
    clocks_s = _clocks_s(host)
    known = [span for span in clocks_s if span is not None]
    is_dated = _DATED_S[0] < common[0] < _DATED_S[1]
    if not known or any(one.span for one in host.intervals):
        return host, []
    record = known[0][0], known[-1][1]
    wide = common[0] - _CLOCK_STEP_S, common[1] + _CLOCK_STEP_S
    fitting: dict[float, tuple[date, tzinfo]] = {}
    for day, zone in _candidates(host, common) if is_dated else ():
        begin_s, end_s = _in_utc(record, day, zone)
        if overlap_s((begin_s, end_s), wide) > 0:
            fitting.setdefault(begin_s, (day, zone))
    if len(fitting) != 1:
        zones = [str(zone) for _, zone in fitting.values()]
        raise ContradictionError(_why_unknown(host, common, zones))
    ((day, zone),) = fitting.values()
    intervals = [
        one if clock_s is None else _dated(one, _in_utc(clock_s, day, zone))
        for one, clock_s in zip(host.intervals, clocks_s, strict=True)
    ]
    others = tuple(text for text in host.notes if text not in {NO_DAY, NO_ZONE})
    placed = replace(host, intervals=tuple(intervals), notes=others)
    return placed, list(_assumed(host, str(zone)))


def _clocks_s(host: HostCpu) -> list[Span | None]:
    """Begin and end of each interval by the host's clock, since midnight of its first day."""
    clock = Clock(None, None)
    ends_s = [clock.since_start(_time_of(one)) for one in host.intervals]
    return [
        None if end_s is None or one.duration_s is None else (end_s - one.duration_s, end_s)
        for one, end_s in zip(host.intervals, ends_s, strict=True)
    ]


def _time_of(interval: CpuInterval) -> str:
    """The time at the end of an interval as printed, without the date before it."""
    first, _, rest = interval.clock.partition(" ")
    return rest if iso_day(first) else interval.clock


def _candidates(host: HostCpu, common: Span) -> Iterator[tuple[date, tzinfo]]:
    """Days and zones that the times may be of, the likeliest first."""
    today = datetime.fromtimestamp(common[0], UTC).date()
    offsets = sorted(_ZONES_MIN, key=abs)
    zones = [host.zone] if host.zone else [timezone(timedelta(minutes=each)) for each in offsets]
    for zone in zones:
        for days in _NEAR_DAYS:
            yield host.day or today + timedelta(days=days), zone


def _in_utc(clock_s: Span, day: date, zone: tzinfo) -> Span:
    midnight = datetime.combine(day, datetime.min.time())
    begin, end = (
        (midnight + timedelta(seconds=each)).replace(tzinfo=zone).timestamp() for each in clock_s
    )
    return begin, end


def _dated(interval: CpuInterval, span: Span) -> CpuInterval:
    return replace(interval, begin_utc_s=span[0], end_utc_s=span[1])


def _assumed(host: HostCpu, zone: str) -> Iterator[str]:
    if host.zone is None:
        yield (
            f"its times have no zone and are taken as {zone}, which makes them overlap the runs: "
            "specify the zone (--host-zone) to be sure"
        )
    if host.day is None:
        yield "its date is written as a locale writes it: only the time of day is compared"


def _why_unknown(host: HostCpu, common: Span, zones: list[str]) -> str:
    runs = f"they were from {utc_text(common[0])} to {utc_text(common[1])}"
    clock = f"{host.intervals[0].clock} to {host.intervals[-1].clock}"
    if zones:
        return (
            f"the times of {host.source} ({clock}) have no zone, and several would make them "
            f"overlap the runs ({', '.join(zones)}): specify it (--host-zone)"
        )
    return (
        f"no interval of CPU time lies within the runs: {runs}, and the times of {host.source} "
        f"({clock}) are of that time in {host.zone or 'no zone'}; specify their zone (--host-zone)"
    )


_INSIDE_RATIO = 0.9
_OUTSIDE_RATIO = 0.01
"""Share of time outside the runs that needs no note: goodput is judged no closer than 1 %."""
_SPINNING_CPU_COUNT = 0.9
_SPINNING_US_PER_GBIT = 500_000.0
_LOST_RATIO = 0.01
_NO_IDLE_RATIO = 0.01
_BUSY_BASELINE_CPU_COUNT = 0.1
_PROCESS_TOLERANCE_RATIO = 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRuns:
    """
    Runs at the same time, with the CPU time of their hosts.

    Parameters
    ----------
    runs : tuple of Measurement
        The runs, each once: as they were read, or joined from the files of both
        ends.
    goodput_bps : float
        Of all runs together; 0 where all of them measure response times. [bit/s]
    common_s : float
        Time in which all of them ran; None where begins are not known. [s]
    cpu : tuple of CpuUse
        CPU time of whole systems, the idle baseline taken off.
    process_cpu : tuple of CpuUse
        CPU time that the tools tell of their own processes, added up. It is
        never to be compared with that of systems.
    cpu_basis : str
        What one CPU is: a core or a hardware thread.
    notes : tuple of str
        What a reader of these numbers should know.
    """

    runs: tuple[Measurement, ...]
    goodput_bps: float
    common_s: float | None
    cpu: tuple[CpuUse, ...]
    process_cpu: tuple[CpuUse, ...]
    cpu_basis: str
    notes: tuple[str, ...] = ()


def pair_with_hosts(
    runs: Sequence[Measurement],
    *,
    client: HostCpu | None = None,
    server: HostCpu | None = None,
    client_idle: HostCpu | None = None,
    server_idle: HostCpu | None = None,
) -> PairedRuns:
    """
    CPU time per data of whole hosts, from runs and what the hosts measured meanwhile.

    Parameters
    ----------
    runs : sequence of Measurement
        All instances that ran between the two hosts at the same time, and both
        directions of each. What both ends recorded of a run is joined, as
        `join_ends` says, and a run that is in several files counts once.
    client : HostCpu, optional
        CPU time of the host of the clients. Where both ends are one host
        (loopback), state one of them.
    server : HostCpu, optional
        CPU time of the host of the servers.
    client_idle : HostCpu, optional
        CPU time of the clients' host while it did nothing else.
    server_idle : HostCpu, optional
        The same of the servers' host.

    Returns
    -------
    paired : PairedRuns
        With the sum of the goodputs, and CPU time counted once for each host.

    Raises
    ------
    ContradictionError
        If there is no run, a run has no goodput, runs or intervals of a host do
        not lie in a common time, or may do so in several time zones, client and
        server are one host, the idle baseline is of another host, of the time
        of the runs or busier than they are, or a host does not tell the time of
        all its CPUs.

    Notes
    -----
    .. math:: u = u_{run} - u_{idle}

    busy CPUs, counted over the intervals that lie within the time of all runs.
    An interval counts from nine tenths of it; where there is none, clocks that
    tell whole seconds are given one second. Warnings say how much of the runs
    the intervals cover, and how far time outside the runs may have moved the
    figure: of :math:`b` busy CPUs in a time :math:`T`, with :math:`t` of it
    inside the runs, at most :math:`b T / t` were busy during the runs. Clocks of
    several hosts are taken to agree; times without a zone are those of the zone
    in which they overlap the runs. Runs that measure response times have CPU
    time and no CPU time per data. What ran beside while idle is taken to have
    run as much during the runs, which a host without idle time does not allow.

    References
    ----------
    sysstat 12.6.1, ``mpstat(1)``; iperf3 source: ``iperf_util.c``, for the CPU
    time of a process.
    """
    runs = counted_once(runs)
    notes: list[str] = []
    goodput_bps = _sum_of_goodputs(runs, notes)
    common = _common_time(runs, notes)
    hosts = {Side.CLIENT: (client, client_idle), Side.SERVER: (server, server_idle)}
    _require_two_hosts(runs, client, server)
    _require_two_hosts(runs, client_idle, server_idle, " while idle")
    cpu = []
    for side, (host, idle) in hosts.items():
        if host is None:
            if idle is not None:
                raise ContradictionError(f"{side.value}: an idle baseline, and no host to use it")
            continue
        busy = _busy_cpu_count(side, host, idle, common, notes)
        cpu.append(CpuUse(busy, goodput_bps, CpuScope.SYSTEM, side, host.cpu_count))
    process_cpu = _process_cpu(runs, goodput_bps)
    if any(run.is_loopback for run in runs) and cpu:
        notes.append("both ends were one host: its CPU time is that of client and server")
    with_idle = [side for side, (_, idle) in hosts.items() if idle is not None]
    notes += _of_processes(runs, cpu, process_cpu, with_idle)
    notes += _of_spinning(runs, [*cpu, *process_cpu])
    return PairedRuns(
        runs=runs,
        goodput_bps=goodput_bps,
        common_s=None if common is None else common[1] - common[0],
        cpu=tuple(cpu),
        process_cpu=process_cpu,
        cpu_basis=_basis([host for host in (client, server) if host is not None]),
        notes=tuple(notes),
    )


def _sum_of_goodputs(runs: tuple[Measurement, ...], notes: list[str]) -> float:
    """Goodput of all runs but those that measure response times."""
    if not runs:
        raise ContradictionError("no run to pair with")
    goodputs_bps = []
    for run in runs:
        if run.measures_latency and run.error is None:
            notes.append(f"{run.source} measures response times: it has no CPU time per data")
        elif run.goodput_bps is None:
            why = run.error or run.why_no_goodput or "the tool does not tell it"
            raise ContradictionError(f"{run.source}: no goodput to pair with: {why}")
        else:
            goodputs_bps.append(run.goodput_bps)
    if len(runs) != len({(run.sha256, run.part, run.direction) for run in runs}):
        raise ContradictionError("a run is there twice")
    return sum(goodputs_bps, 0.0)


def _span_of(run: Measurement) -> Span | None:
    if run.begin_utc_s is None or run.duration_s is None:
        return None
    return run.begin_utc_s, run.begin_utc_s + run.duration_s


def _common_time(runs: tuple[Measurement, ...], notes: list[str]) -> Span | None:
    """Time in which all runs ran; None where that is not known."""
    spans = [_span_of(run) for run in runs]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        notes.append("when the runs began is not known: that times agree is taken on trust")
        return None
    common = max(begin for begin, _ in known), min(end for _, end in known)
    if common[1] <= common[0]:
        raise ContradictionError("the runs did not run at the same time")
    longest_s = max(end - begin for begin, end in known)
    if common[1] - common[0] < _INSIDE_RATIO * longest_s:
        notes.append(
            f"the runs ran together for {common[1] - common[0]:.3g} s only of {longest_s:.3g} s: "
            "their goodputs are means over different times"
        )
    return common


def _require_two_hosts(
    runs: tuple[Measurement, ...], client: HostCpu | None, server: HostCpu | None, when: str = ""
) -> None:
    if client is None or server is None:
        return
    if _are_one_host(client, server) or any(run.is_loopback for run in runs):
        raise ContradictionError(
            f"client and server{when} are one host here ({client.host or client.source}): its CPU "
            "time would count twice, name it once"
        )


def _are_one_host(one: HostCpu, other: HostCpu) -> bool:
    """Whether records are of one host: by content, else by name, else by all their intervals."""
    if one.sha256 == other.sha256 or None in {one.host, other.host}:
        return one.sha256 == other.sha256 or one.intervals == other.intervals
    return one.host == other.host


def _busy_cpu_count(
    side: Side,
    host: HostCpu,
    idle: HostCpu | None,
    common: Span | None,
    notes: list[str],
) -> float:
    """Busy CPUs of a host during the runs, those that are busy anyway taken off."""
    if idle is not None and idle.intervals == host.intervals:
        raise ContradictionError(f"{side.value}: the idle baseline is the record of the runs")
    assumed: list[str] = []
    if common is not None:
        host, assumed = _in_zone_of_runs(host, common)
    chosen = _intervals_within(side, host, common, notes)
    busy = host.busy_cpu_count(chosen)
    covered = _of_coverage(chosen, common, busy, host.cpu_count)
    notes += [f"{side.value}: {text}" for text in (*host.notes, *assumed, *covered)]
    if host.cpu_count is not None and busy > host.cpu_count * (1 - _NO_IDLE_RATIO):
        notes.append(
            f"{side.value}: no CPU was idle, so that what ran beside may have run less than "
            "in the idle baseline"
        )
    if idle is None:
        notes.append(f"{side.value}: no idle baseline is taken off")
        return busy
    _require_same_host(side, host, idle)
    if common is not None and idle.span is not None and overlap_s(common, idle.span) > 0:
        raise ContradictionError(f"{side.value}: the idle baseline was measured during the runs")
    idle_busy = idle.busy_cpu_count()
    if idle_busy > busy:
        raise ContradictionError(
            f"{side.value}: {idle_busy:.3g} CPUs were busy while idle, and only {busy:.3g} "
            "during the runs"
        )
    if idle_busy > _BUSY_BASELINE_CPU_COUNT:
        notes.append(f"{side.value}: {idle_busy:.3g} CPUs were busy while idle")
    return busy - idle_busy


def _require_same_host(side: Side, host: HostCpu, idle: HostCpu) -> None:
    pairs = (("host", host.host, idle.host), ("number of CPUs", host.cpu_count, idle.cpu_count))
    for what, during, before in pairs:
        if None not in {during, before} and during != before:
            raise ContradictionError(
                f"{side.value}: the idle baseline is of another {what}: {before}, not {during}"
            )


def _intervals_within(
    side: Side, host: HostCpu, common: Span | None, notes: list[str]
) -> tuple[CpuInterval, ...]:
    """The intervals of a host that count."""
    told = tuple(one for one in host.intervals if one.loads)
    known = [one for one in told if one.span is not None]
    if common is None or not known:
        if common is not None:
            notes.append(
                f"{side.value}: when CPU time was measured is not known: that times agree is "
                "taken on trust"
            )
        return told
    near = [one for one in known if _share_inside(one.span, common) > 0]
    for slack_s in (0.0, _CLOCK_STEP_S):
        wide = common[0] - slack_s, common[1] + slack_s
        inside = tuple(one for one in near if _share_inside(one.span, wide) >= _INSIDE_RATIO)
        if inside:
            return inside
    spans = [one.span for one in known if one.span is not None]
    measured = min(begin for begin, _ in spans), max(end for _, end in spans)
    raise ContradictionError(
        f"{side.value}: no interval of CPU time lies within the runs: they were from "
        f"{utc_text(common[0])} to {utc_text(common[1])}, CPU time is from "
        f"{utc_text(measured[0])} to {utc_text(measured[1])}"
    )


def _share_inside(span: Span | None, common: Span) -> float:
    if span is None or span[1] <= span[0]:
        return 0.0
    return overlap_s(span, common) / (span[1] - span[0])


def _of_coverage(
    chosen: tuple[CpuInterval, ...], common: Span | None, busy: float, cpu_count: int | None
) -> list[str]:
    """How much of the runs the intervals cover, and what their time outside may have done."""
    spans = [one.span for one in chosen if one.span is not None]
    if common is None or not spans or cpu_count is None:
        return []
    common_s = common[1] - common[0]
    measured_s = sum(end - begin for begin, end in spans)
    covered_s = sum(overlap_s(span, common) for span in spans)
    note = f"CPU time is known for {covered_s:.4g} s of the {common_s:.4g} s common to all runs"
    if covered_s < _INSIDE_RATIO * common_s:
        note += ", only a part of them: the rest may have been busier or less busy"
    outside_s = measured_s - covered_s
    if outside_s <= _OUTSIDE_RATIO * measured_s:
        return [note]
    least = max(0.0, (busy * measured_s - cpu_count * outside_s) / covered_s)
    most = min(busy * measured_s / covered_s, cpu_count)
    return [
        note,
        f"{outside_s:.3g} s of the {measured_s:.4g} s that were measured lie outside the runs: "
        f"during the runs {least:.3g} to {most:.3g} CPUs were busy, {busy:.3g} in all that time",
    ]


def _process_cpu(runs: tuple[Measurement, ...], goodput_bps: float) -> tuple[CpuUse, ...]:
    """CPU time of the tools' processes at each side; directions of one run share theirs."""
    files = {run.run_id or run.sha256: run for run in runs}.values()
    found = []
    for side in Side:
        uses = [
            use
            for run in files
            for use in run.cpu
            if use.side is side and use.scope is CpuScope.PROCESS
        ]
        if uses and len(uses) == len(files):
            busy = sum(use.busy_cpu_count for use in uses)
            found.append(CpuUse(busy, goodput_bps, CpuScope.PROCESS, side))
    return tuple(found)


def _of_processes(
    runs: tuple[Measurement, ...],
    cpu: list[CpuUse],
    process_cpu: tuple[CpuUse, ...],
    with_idle: Collection[Side],
) -> list[str]:
    """Where only the process is known, and where it used more than its host."""
    notes = []
    whole = {use.side: use.busy_cpu_count for use in cpu}
    own = {use.side: use.busy_cpu_count for use in process_cpu}
    if any(run.is_loopback for run in runs) and whole:
        own = {side: sum(own.values()) for side in whole}
    else:
        notes += [
            f"{side.value}: only the CPU time of the tool's process is known, without interrupts"
            for side in own
            if side not in whole
        ]
    notes += [
        _of_excess(side, own[side], whole[side], side in with_idle)
        for side in whole
        if own.get(side, 0) > _PROCESS_TOLERANCE_RATIO * whole[side]
    ]
    return notes


def _of_excess(side: Side, own: float, whole: float, has_idle: bool) -> str:
    """A process that used more than its host, and what must be wrong."""
    less, cause = (
        (" less the idle baseline", "the baseline is too high")
        if has_idle
        else ("", "it was not measured during the run")
    )
    return (
        f"{side.value}: the tool's process alone used {own:.3g} CPUs, the whole host{less} "
        f"{whole:.3g}: {cause}"
    )


def _of_spinning(runs: tuple[Measurement, ...], uses: list[CpuUse]) -> list[str]:
    """Where a sender was busy with something else than data that arrived."""
    senders = {
        Side.CLIENT if run.direction is Direction.CLIENT_TO_SERVER else Side.SERVER
        for run in runs
        if run.direction is not None
    }
    notes = [
        f"{use.side.value}: the sender ({use.scope.value}) kept {use.busy_cpu_count:.3g} CPUs busy "
        "although few data arrived: it may spin"
        for use in uses
        if use.side in senders
        and use.busy_cpu_count >= _SPINNING_CPU_COUNT
        and use.consumption is not None
        and use.consumption.us_per_gbit >= _SPINNING_US_PER_GBIT
    ]
    if any((run.lost_ratio or 0) > _LOST_RATIO for run in runs):
        notes.append("the sender's CPU time is also that of datagrams that did not arrive")
    return notes


def _basis(hosts: list[HostCpu]) -> str:
    if not hosts:
        return "not known"
    threads = {host.threads_per_core for host in hosts}
    if threads == {1.0}:
        return "a CPU is a core"
    if None in threads:
        return "a CPU is a hardware thread, and whether cores have several is not told"
    most = max(filter(None, threads))
    return f"a CPU is a hardware thread, {most:g} to a core: not the capacity of a core"
