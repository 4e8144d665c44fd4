"""Benchmark runs paired with the CPU time that their hosts measured meanwhile."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ContradictionError
from netmodel.readers._both_ends import counted_once
from netmodel.readers._host_cpu import (
    DAY_S,
    CpuInterval,
    HostCpu,
    Span,
    overlap_s,
    utc_s,
    utc_text,
)
from netmodel.readers._measurement import CpuUse, Measurement
from netmodel.results import Result
from netmodel.text import argument

_CLOCK_STEP_S = 1.0
"""sysstat prints whole seconds, which may be off by one. [s]"""
_ZONES_MIN = range(-12 * 60, 14 * 60 + 1, 15)
"""Offsets from UTC: all of the tz database are multiples of 15 min from -12:00 to +14:00. [min]"""
_NEAR_DAYS = (0, -1, 1)
"""The day of the runs in UTC; by a local clock it may be the one before or after."""
_DATED_S = (DAY_S, 4_102_444_800)
"""Times from 1970-01-02 to 2100, whose neighbouring days are dates too. [s]"""
_INSIDE_RATIO = 0.9
"""An interval counts from this share of it: in ten of a second, one may lie across the begin."""
_OUTSIDE_RATIO = 0.01
"""Share of time outside the runs that needs no note: goodput is judged no closer than 1 %."""
_SHOWN_CLOCK_COUNT = 3
"""Times of intervals that a message repeats: more do not help to find them."""
_LOST_RATIO = 0.01
"""Lost datagrams below this move the cost by less than goodput is judged to."""
_NO_IDLE_RATIO = 0.01
"""Idle time below this is the rounding of ``--dec=0``."""
_BUSY_BASELINE_CPU_COUNT = 0.1
"""Daemons and mpstat itself take some hundredths of a CPU; more is a job that runs."""
_PROCESS_TOLERANCE_RATIO = 1.05
"""A process and its host are measured in intervals whose ends differ by a few percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRuns(Result):
    """
    Runs at the same time, with the CPU time of their hosts.

    Parameters
    ----------
    runs : tuple of Measurement
        Each run once: as it was read, or joined from the files of both ends.
    goodput_bps : float
        Of all runs together; 0 where all of them measure response times. [bit/s]
    common_s : float
        Time in which all of them ran; None where begins are not known. [s]
    cpu : tuple of CpuUse
        CPU time of whole systems, the idle baseline taken off.
    process_cpu : tuple of CpuUse
        Sum of the CPU time that the tools report of their own processes; not to be
        compared with that of systems.
    notes : tuple of str
        What limits the use of these numbers, most important first.
    """

    runs: tuple[Measurement, ...]
    goodput_bps: float
    common_s: float | None
    cpu: tuple[CpuUse, ...]
    process_cpu: tuple[CpuUse, ...]
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
    CPU time per data of whole hosts, from runs and the CPU time measured during them.

    Parameters
    ----------
    runs : sequence of Measurement
        All instances that ran between the two hosts at the same time, and both
        directions of each. The files of both ends of a run are joined as in
        `join_ends`, and copies count once.
    client : HostCpu, optional
        CPU time of the host of the clients. Where both ends are one host
        (loopback), specify one of them.
    server : HostCpu, optional
        CPU time of the host of the servers.
    client_idle : HostCpu, optional
        CPU time of the clients' host while it was idle.
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
        not lie in a common time, or do so in more than one time zone, client and
        server are one host, the idle baseline is of another host, of the time
        of the runs or busier than they are, or a host does not report all its
        CPUs.

    Notes
    -----
    .. math:: u = u_{run} - u_{idle}

    busy CPUs, counted over the intervals within the time of all runs. An
    interval counts from nine tenths of it; where none does, one second is
    allowed for clocks with whole seconds. Notes say how much of the runs the
    intervals cover, and how far time outside the runs may have moved the
    figure: of :math:`b` busy CPUs in a time :math:`T`, with :math:`t` of it
    inside the runs, at most :math:`b T / t` were busy during the runs. Clocks of
    different hosts are taken to agree; times without a zone are those of the
    zone in which they overlap the runs. Runs that measure response times have
    CPU time and no CPU time per data. The idle load is taken to be the same
    during the runs, which a host without idle time does not allow.

    References
    ----------
    sysstat 12.6.1, ``mpstat(1)``; iperf3 source: ``iperf_util.c``, for the CPU
    time of a process.

    Examples
    --------
    One of two CPUs was busy for the ten seconds of a run at 10 Gbit/s:

    >>> from netmodel.readers import Direction, read_host_state
    >>> copies = b"1000000000\\ncpu 0 0 0 0\\ncpu0 0 0 0 0\\ncpu1 0 0 0 0\\n"
    >>> copies += b"1000000010\\ncpu 1000 0 0 1000\\ncpu0 1000 0 0 0\\ncpu1 0 0 0 1000\\n"
    >>> run = Measurement(
    ...     source="run.json", sha256="1", tool="iperf3", direction=Direction.CLIENT_TO_SERVER,
    ...     begin_utc_s=1e9, duration_s=10, goodput_bps=10e9,
    ... )
    >>> (use,) = pair_with_hosts([run], server=read_host_state(copies).cpu).cpu
    >>> use.busy_cpu_count, round(use.consumption.us_per_gbit)
    (1.0, 100000)
    """
    runs = counted_once(runs)
    notes: list[str] = []
    goodput_bps = _sum_of_goodputs(runs, notes)
    common = _common_time(runs, notes)
    hosts = {Side.CLIENT: (client, client_idle), Side.SERVER: (server, server_idle)}
    _require_two_hosts(runs, client, server)
    _require_two_hosts(runs, client_idle, server_idle, " while idle")
    cpu: list[CpuUse] = []
    for side, (host, idle) in hosts.items():
        if host is None and idle is not None:
            raise ContradictionError(f"{side.value}: an idle baseline, and no host to use it")
        if host is None:
            continue
        try:
            busy, host_notes = _busy_cpu_count(host, idle, runs, common)
        except ContradictionError as error:
            raise ContradictionError(f"{side.value}: {error}") from None
        notes += [f"{side.value}: {each}" for each in host_notes]
        cpu.append(CpuUse(busy, goodput_bps, CpuScope.SYSTEM, side, host.cpu_count))
    if any(run.is_loopback for run in runs) and cpu:
        notes.append("both ends were one host: its CPU time is that of client and server")
    with_idle = [side for side, (_, idle) in hosts.items() if idle is not None]
    process_cpu, process_notes = _of_processes(runs, cpu, goodput_bps, with_idle)
    notes += process_notes
    if any((run.lost_ratio or 0) > _LOST_RATIO for run in runs):
        notes.append("the sender's CPU time includes datagrams that did not arrive")
    return PairedRuns(
        runs=runs,
        goodput_bps=goodput_bps,
        common_s=None if common is None else common[1] - common[0],
        cpu=tuple(cpu),
        process_cpu=process_cpu,
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
            why = run.error or run.why_no_goodput or "the tool does not report it"
            raise ContradictionError(f"{run.source}: no goodput to pair with: {why}")
        else:
            goodputs_bps.append(run.goodput_bps)
    if len(runs) != len({(run.sha256, run.part, run.direction) for run in runs}):
        raise ContradictionError("a run is given twice")
    return sum(goodputs_bps, 0.0)


def _common_time(runs: tuple[Measurement, ...], notes: list[str]) -> Span | None:
    """Time in which all runs ran; None where that is not known."""
    known = [
        (run.begin_utc_s, run.begin_utc_s + run.duration_s)
        for run in runs
        if run.begin_utc_s is not None and run.duration_s is not None
    ]
    if len(known) < len(runs):
        notes.append("begin of the runs not known: assuming that CPU time was measured during them")
        return None
    common = max(begin for begin, _ in known), min(end for _, end in known)
    if common[1] <= common[0]:
        raise ContradictionError("the runs did not run at the same time")
    common_s, longest_s = common[1] - common[0], max(end - begin for begin, end in known)
    if common_s < _INSIDE_RATIO * longest_s:
        lengths = f"only {common_s:.3g} s of {longest_s:.3g} s"
        notes.append(f"the runs overlap for {lengths}: goodputs are means over different times")
    return common


def _require_two_hosts(
    runs: tuple[Measurement, ...], client: HostCpu | None, server: HostCpu | None, when: str = ""
) -> None:
    if client is None or server is None:
        return
    # by content, else by name, else by all intervals
    is_one_host = client.sha256 == server.sha256 or client.host == server.host
    if None in {client.host, server.host}:
        is_one_host = client.sha256 == server.sha256 or client.intervals == server.intervals
    if is_one_host or any(run.is_loopback for run in runs):
        raise ContradictionError(
            f"client and server{when} are one host ({client.host or client.source}), whose CPU "
            "time would count twice: specify it once"
        )


def _busy_cpu_count(
    host: HostCpu, idle: HostCpu | None, runs: Sequence[Measurement], common: Span | None
) -> tuple[float, list[str]]:
    """Busy CPUs of a host during the runs, those that are busy anyway taken off, and notes."""
    if idle is not None and idle.intervals == host.intervals:
        raise ContradictionError("the idle baseline is the record of the runs")
    if all(each.duration_s == 0 for each in host.intervals):
        raise ContradictionError(
            f"{host.source} has the mean since the host started: record several intervals in the "
            "run, such as mpstat 1 5"
        )
    notes = list(host.notes)
    if common is None:
        _require_no_longer(host, runs)
        chosen = host.intervals
    else:
        chosen = _during(host, common, notes)
    busy = host.busy_cpu_count(chosen)
    notes += _of_coverage(chosen, common, busy, host.cpu_count)
    if host.cpu_count is not None and busy > host.cpu_count * (1 - _NO_IDLE_RATIO):
        notes.append("no CPU was idle, so the idle load may have been less during the runs")
    if idle is None:
        return busy, [*notes, "no idle baseline is subtracted"]
    pairs = (("host", host.host, idle.host), ("number of CPUs", host.cpu_count, idle.cpu_count))
    for part, during, while_idle in pairs:
        if None not in {during, while_idle} and during != while_idle:
            problem = f"the idle baseline is of another {part}: {while_idle}, not {during}"
            raise ContradictionError(problem)
    if common is not None and idle.span is not None and overlap_s(common, idle.span) > 0:
        raise ContradictionError("the idle baseline was measured during the runs")
    idle_busy = idle.busy_cpu_count()
    if idle_busy > busy:
        raise ContradictionError(
            f"{idle_busy:.3g} CPUs were busy while idle, and only {busy:.3g} during the runs"
        )
    if idle_busy > _BUSY_BASELINE_CPU_COUNT:
        notes.append(f"{idle_busy:.3g} CPUs were busy while idle")
    return busy - idle_busy, notes


def _during(host: HostCpu, common: Span, notes: list[str]) -> tuple[CpuInterval, ...]:
    """
    The intervals of a host within the runs, in UTC.

    A zone that is not known is the one in which the record overlaps the runs; where the day is not
    known either, only the time of day is compared. Intervals of unknown length have to end in the
    runs, or later by less than these took: they are then taken to be of the runs.
    """
    no_interval = (
        f"no interval of CPU time lies within the runs: they were from {utc_text(common[0])} to "
        f"{utc_text(common[1])}"
    )
    known = [each.span for each in host.intervals if each.span is not None]
    days = [] if host.is_utc else _days_and_zones(host, common)
    if not known:
        late_s = common[1] + _CLOCK_STEP_S + common[1] - common[0]
        timed = [(each.clock, each.end_s) for each in host.intervals if each.end_s is not None]
        ends_s = [utc_s(end_s, *day) for _, end_s in timed for day in days]
        if host.is_utc:
            ends_s = [end_s for _, end_s in timed]
        if ends_s and not any(common[0] <= end_s <= late_s for end_s in ends_s):
            clocks = ", ".join(clock for clock, _ in timed[:_SHOWN_CLOCK_COUNT])
            raise ContradictionError(
                f"{no_interval}, and {host.source} has an interval of unknown length that ended at "
                f"{clocks}: record several in the run, such as mpstat 1 5"
            )
        notes.append("time of the CPU data not known: assuming that it is of the runs")
        return host.intervals

    if not host.is_utc:
        wide = common[0] - _CLOCK_STEP_S, common[1] + _CLOCK_STEP_S
        fitting: dict[float, tuple[date, tzinfo]] = {}
        for day in days:
            span = utc_s(known[0][0], *day), utc_s(known[-1][1], *day)
            if overlap_s(span, wide) > 0:
                fitting.setdefault(span[0], day)
        option = argument("host_zone", "--host-zone")
        printed = f"{host.source} ({host.intervals[0].clock} to {host.intervals[-1].clock})"
        if not fitting:
            raise ContradictionError(
                f"{no_interval}, and the times of {printed} are of that time in "
                f"{host.zone or 'no zone'}; specify their zone ({option})"
            )
        if len(fitting) > 1:
            zones = ", ".join(str(zone) for _, zone in fitting.values())
            raise ContradictionError(
                f"the times of {printed} have no zone, and more than one would make them overlap "
                f"the runs ({zones}): specify it ({option})"
            )
        (day,) = fitting.values()
        if host.zone is None:
            notes.append(
                f"its times have no zone and are taken as {day[1]}, in which they overlap the "
                f"runs: specify {option}"
            )
        if host.day is None:
            notes.append("its date has the form of a locale: only the time of day is compared")
        host = host.in_utc(*day)

    spans = [(each, each.span) for each in host.intervals if each.span is not None]
    near = [(each, span) for each, span in spans if _share_inside(span, common) > 0]
    for slack_s in (0.0, _CLOCK_STEP_S):
        wide = common[0] - slack_s, common[1] + slack_s
        inside = (each for each, span in near if _share_inside(span, wide) >= _INSIDE_RATIO)
        if chosen := tuple(inside):
            return chosen
    first_s, last_s = min(span[0] for _, span in spans), max(span[1] for _, span in spans)
    times = f"CPU time is from {utc_text(first_s)} to {utc_text(last_s)}"
    raise ContradictionError(f"{no_interval}, {times}")


def _days_and_zones(host: HostCpu, common: Span) -> list[tuple[date, tzinfo]]:
    """The days and zones in which the times of a host may be, those near to UTC first."""
    if not _DATED_S[0] < common[0] < _DATED_S[1]:
        return []
    today = datetime.fromtimestamp(common[0], UTC).date()
    offsets = [timezone(timedelta(minutes=each)) for each in sorted(_ZONES_MIN, key=abs)]
    days = [host.day] if host.day else [today + timedelta(days=each) for each in _NEAR_DAYS]
    return [(day, zone) for zone in ([host.zone] if host.zone else offsets) for day in days]


def _require_no_longer(host: HostCpu, runs: Sequence[Measurement]) -> None:
    """Refuse CPU data that are longer than runs whose begin is not known."""
    lengths_s = [run.duration_s for run in runs if run.duration_s]
    measured_s = sum(each.duration_s or 0.0 for each in host.intervals)
    # a record may begin and end a clock step from the run, and lie outside by a tenth
    most_s = max(lengths_s, default=0.0) / _INSIDE_RATIO + 2 * _CLOCK_STEP_S
    if len(lengths_s) == len(runs) and measured_s > most_s:
        raise ContradictionError(
            f"the CPU data in {host.source} are of {measured_s:.4g} s, and the runs took "
            f"{max(lengths_s):.4g} s and do not report when: give CPU data of the run alone"
        )


def _share_inside(span: Span, common: Span) -> float:
    return overlap_s(span, common) / (span[1] - span[0]) if span[1] > span[0] else 0.0


def _of_coverage(
    chosen: tuple[CpuInterval, ...], common: Span | None, busy: float, cpu_count: int | None
) -> list[str]:
    """Notes: how much of the runs the intervals cover, and the effect of time outside them."""
    spans = [interval.span for interval in chosen if interval.span is not None]
    if common is None or not spans or cpu_count is None:
        return []
    common_s = common[1] - common[0]
    measured_s = sum(end - begin for begin, end in spans)
    covered_s = sum(overlap_s(span, common) for span in spans)
    note = f"CPU time is known for {covered_s:.4g} s of the {common_s:.4g} s common to all runs"
    if covered_s < _INSIDE_RATIO * common_s:
        note += ", only a part of them"
    outside_s = measured_s - covered_s
    if outside_s <= _OUTSIDE_RATIO * measured_s:
        return [note]
    least = max(0.0, (busy * measured_s - cpu_count * outside_s) / covered_s)
    most = min(busy * measured_s / covered_s, cpu_count)
    return [
        note,
        f"{outside_s:.3g} s of the measured {measured_s:.4g} s lie outside the runs: during the "
        f"runs {least:.3g} to {most:.3g} CPUs were busy",
    ]


def _of_processes(
    runs: tuple[Measurement, ...],
    cpu: list[CpuUse],
    goodput_bps: float,
    with_idle: Collection[Side],
) -> tuple[tuple[CpuUse, ...], list[str]]:
    """CPU time of the tools' processes at each side, and notes beside that of the hosts."""
    # directions of one run share theirs
    files = {run.run_id or run.sha256: run for run in runs}.values()
    uses = [use for run in files for use in run.cpu if use.scope is CpuScope.PROCESS]
    by_side = {side: [use.busy_cpu_count for use in uses if use.side is side] for side in Side}
    own = {side: sum(each) for side, each in by_side.items() if len(each) == len(files)}
    totals = tuple(CpuUse(busy, goodput_bps, CpuScope.PROCESS, side) for side, busy in own.items())
    notes = []
    whole = {use.side: use.busy_cpu_count for use in cpu}
    if any(run.is_loopback for run in runs) and whole:
        own = {side: sum(own.values()) for side in whole}
    else:
        notes += [
            f"{side.value}: only the CPU time of the tool's process is known, without interrupts"
            for side in own
            if side not in whole
        ]
    for side, of_host in whole.items():
        if own.get(side, 0) > _PROCESS_TOLERANCE_RATIO * of_host:
            of_whole, cause = "the whole host", "it was not measured during the run"
            if side in with_idle:
                of_whole, cause = f"{of_whole} less the idle baseline", "the baseline is too high"
            alone = f"the tool's process alone used {own[side]:.3g} CPUs"
            notes.append(f"{side.value}: {alone}, {of_whole} {of_host:.3g}: {cause}")
    return totals, notes
