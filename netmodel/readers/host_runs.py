"""Runs of tools, each with the CPU time of its hosts: a directory for each run, or all at once."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from netmodel.consumption import Side
from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._document import LARGEST, shown
from netmodel.readers._formats import files_below, read_result
from netmodel.readers._host_activity import DAY_S, CpuInterval, HostCpu, Span, read_host_cpu
from netmodel.readers.measurement import CpuUse, Measurement, counted_once
from netmodel.reading import is_directory, read_bytes, read_toml
from netmodel.results import Result
from netmodel.text import argument, meant_text

_IDLE = "idle"
"""Word in the name of a file with the CPU time of a host while it was idle."""
CONDITIONS_FILE = "conditions.toml"
"""Beside a result: what its tool does not report."""
RECORD_MANIFEST = "manifest.toml"
"""Of a folder of `netmodel measure`, whose other files are facts of hosts."""
CONDITION_NAMES = (
    *("mtu_bytes", "connection_count", "request_bytes", "response_bytes", "write_bytes"),
    *("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet", "segments_per_ack"),
)
"""Conditions on which the CPU cost of a host depends."""
_NUMBER = r"([0-9]{1,6}(?:\.[0-9]*)?)"
_PROCESSOR_LINES = {
    "model": re.compile(r"^(?:model name|Model name)\s*:\s*(\S.*?)\s*$", re.MULTILINE),
    "threads": re.compile(rf"^Thread\(s\) per core:\s*{_NUMBER}\s*$", re.MULTILINE),
    "vendor": re.compile(r"^Hypervisor vendor:\s*(\S.*?)\s*$", re.MULTILINE),
    "flag": re.compile(r"^flags\s*:.*\b(hypervisor)\b", re.MULTILINE),
}
"""Lines of ``lscpu`` and ``/proc/cpuinfo``."""
GUEST_FLAG = "not reported"
"""Vendor of a hypervisor of which only the flag of the processor is known."""


class Processor(NamedTuple):
    """
    Processor of a host, as ``lscpu`` or ``/proc/cpuinfo`` shows it.

    Parameters
    ----------
    model : str, optional
        Its name.
    threads_per_core : float, optional
        Hardware threads of each core.
    hypervisor : str, optional
        Vendor, where the host is a guest; "not reported" where only the flag is known.
    """

    model: str | None = None
    threads_per_core: float | None = None
    hypervisor: str | None = None


@dataclass(frozen=True, slots=True)
class HostRun:
    """
    Runs at the same time, with the CPU time of each side.

    Parameters
    ----------
    place : str
        Directory, or file of the result.
    results : tuple of Measurement
        All that ran at the same time.
    cpu : mapping of Side to CpuUse
        Of whole systems where their activity is known, else as the tool reports.
    notes : tuple of str
        What limits the use of these numbers, most important first.
    processors : mapping of Side to Processor
        As far as files of the run show them.
    conditions : mapping of Side to mapping
        What the tool does not report, by ``conditions.toml`` beside the result.
    has_all_cpus : bool
        Whether the CPU time is that of all CPUs of a host, not of some.
    """

    place: str
    results: tuple[Measurement, ...]
    cpu: Mapping[Side, CpuUse]
    notes: tuple[str, ...] = ()
    processors: Mapping[Side, Processor] = field(default_factory=dict)
    conditions: Mapping[Side, Mapping[str, float]] = field(default_factory=dict)
    has_all_cpus: bool = True


def find_host_runs(
    places: Sequence[str | os.PathLike[str]],
    *,
    wanted: Sequence[Side],
    cpu_numbers: Mapping[Side, frozenset[int]] | None = None,
    zone: tzinfo | None = None,
) -> tuple[tuple[HostRun, ...], tuple[str, ...]]:
    """
    Results in files and directories, each with the CPU time of its hosts.

    Parameters
    ----------
    places : sequence of path
        Results, and directories of them. A directory that also holds CPU data is one run. The
        name of a file with CPU data says whose it is: ``client`` or ``server`` in it, and
        ``idle`` where the host was idle. ``conditions.toml`` there has what the tool does not
        report. ``lscpu`` or ``/proc/cpuinfo`` in a file there, or in a
        directory above, is of its hosts.
    wanted : sequence of Side
        Sides whose CPU time is needed; CPU data without a side are of the only one.
    cpu_numbers : mapping of Side to frozenset of int, optional
        CPUs that are a side's, where both sides ran on one kernel.
    zone : datetime.tzinfo, optional
        Time zone of CPU data that report none.

    Returns
    -------
    runs : tuple of HostRun
        In the order of the places.
    notes : tuple of str
        Files that are neither a result nor CPU data.

    Raises
    ------
    ContradictionError
        If CPU data are of another interval, of no side, or of several files for one side.
    ParseError
        If a file cannot be read.
    """
    runs, notes, numbers = list[HostRun](), list[str](), cpu_numbers or {}
    for place in [os.fspath(each) for each in places]:
        is_whole = is_directory(place)
        files = [path for path, _ in files_below(place)] if is_whole else [place]
        is_record = any(Path(file).name == RECORD_MANIFEST for file in files)
        groups: dict[str, dict[str, Any]] = defaultdict(dict)
        for file in files:
            found = _read(file, zone)
            if found is None and not is_whole:
                raise ParseError(file, "is neither a result of a known tool nor a directory")
            if found is None and not is_record:
                notes.append(f"{file}: neither a result nor CPU data")
            groups[str(Path(file).parent) if is_whole else place][Path(file).name] = found
        for name, group in sorted(groups.items()):
            results = [found for found in group.values() if type(found) is tuple]
            beside = {file: found for file, found in group.items() if isinstance(found, HostCpu)}
            if beside and results:  # CPU data beside results are of all of them
                results = [tuple(chain(*results))]
            for at_once in results:
                where = name if beside else at_once[0].source
                run = _paired(where, at_once, _by_side(where, beside, wanted, numbers))
                about = _of_nearest(name, place, groups), group.get(CONDITIONS_FILE) or {}
                runs.append(HostRun(where, *run, *about, not numbers))
    return tuple(runs), tuple(notes)


def read_conditions(path: str) -> dict[Side, dict[str, float]]:
    """
    Conditions of a run for each side: those before any table, then those in ``[client]``.

    Raises
    ------
    ParseError
        If the file is not TOML, or has another name or a value that is not a number above 0.
    """
    document, sides = read_toml(path), [side.value for side in Side]
    tables = {name: value for name, value in document.items() if isinstance(value, dict)}
    for name in tables.keys() - sides:
        raise ParseError(path, f"[{name}] is not a side: use [{'] or ['.join(sides)}]")
    shared = {name: value for name, value in document.items() if name not in tables}
    conditions = {side: shared | tables.get(side.value, {}) for side in Side}
    for name, value in chain(*(own.items() for own in conditions.values())):
        if name not in CONDITION_NAMES:
            hint = meant_text(name, CONDITION_NAMES) or f"; known are {', '.join(CONDITION_NAMES)}"
            raise ParseError(path, f"{name} is not a condition{hint}")
        if type(value) not in (int, float) or not 0 < value < LARGEST:
            raise ParseError(path, f"{name} must be a number above 0; got {shown(value)}")
    return conditions


def _read(
    path: str, zone: tzinfo | None
) -> tuple[Measurement, ...] | HostCpu | Processor | dict[Side, dict[str, float]] | None:
    """Return the content of a file; None where it is nothing of a run."""
    if Path(path).name == CONDITIONS_FILE:
        return read_conditions(path)
    with suppress(ParseError):
        return read_result(path)
    with suppress(ParseError):
        return read_host_cpu(path, zone=zone)
    with suppress(OSError, ValueError):
        return processor_of(read_bytes(path).decode(errors="replace"))
    return None


def processor_of(text: str) -> Processor | None:
    """
    Return the processor that ``lscpu`` or ``/proc/cpuinfo`` shows; None where the text is neither.

    Examples
    --------
    >>> processor_of("Model name: X\\nThread(s) per core: 2").threads_per_core
    2.0
    """
    shown_of = {key: hit[1] for key, line in _PROCESSOR_LINES.items() if (hit := line.search(text))}
    if not shown_of.keys() & {"model", "threads"}:
        return None
    threads = float(shown_of.get("threads", 0))
    vendor = shown_of.get("vendor", GUEST_FLAG if "flag" in shown_of else None)
    return Processor(shown_of.get("model"), threads or None, vendor)


def _of_nearest(
    directory: str, top: str, groups: Mapping[str, Mapping[str, Any]]
) -> dict[Side, Processor]:
    """Return the processor of each side from the nearest directory up to the top that shows it."""
    known: dict[Side, Processor] = {}
    for above in (Path(directory), *Path(directory).parents):
        for file, other in groups.get(str(above), {}).items():
            sides = [side for side in Side if side.value in file.lower()] or [*Side]
            for side in sides if isinstance(other, Processor) else ():
                # the nearer file counts
                near = known.get(side, Processor())
                known[side] = Processor._make(a or b for a, b in zip(near, other, strict=True))
        if above == Path(top):
            break
    return known


def _by_side(
    place: str,
    beside: Mapping[str, HostCpu],
    wanted: Sequence[Side],
    numbers: Mapping[Side, frozenset[int]],
) -> dict[str, HostCpu]:
    """CPU data by the names that `pair_with_hosts` has for them, from the names of their files."""
    hosts: dict[str, HostCpu] = {}
    for name, cpu in beside.items():
        sides = [side for side in Side if side.value in name.lower()]
        if len(sides) != 1:
            sides = [*numbers] or [*wanted]
        if len(sides) > 1 and not numbers:
            names = (f"{each.value}_cpu_numbers" for each in Side)
            give = (argument(each, f"--{each.replace('_', '-')}") for each in names)
            wanted_name = "put client or server into its name, or give the CPUs of each side"
            problem = f"{name} has CPU time of no side: {wanted_name} ({', '.join(give)})"
            raise ContradictionError(f"{place}: {problem}")
        idle = f"_{_IDLE}" if _IDLE in name.lower() else ""
        for side in sides:
            if side.value + idle in hosts:
                whose = f"the CPU time of the {side.value}{' while idle' if idle else ''}"
                problem = f"more than one file has {whose}; a directory is one run"
                raise ContradictionError(f"{place}: {problem}")
            hosts[side.value + idle] = _restricted(cpu, side, numbers)
    return hosts


def _restricted(host: HostCpu, side: Side, numbers: Mapping[Side, frozenset[int]]) -> HostCpu:
    """Return the host with the CPUs of one side only, as a host of its own."""
    if side not in numbers:
        return host
    chosen = numbers[side]
    listed = f"CPUs {','.join(map(str, sorted(chosen)))}"
    if not all(chosen <= interval.busy_ratios.keys() for interval in host.intervals):
        problem = f"{listed} of the {side.value} are not all there: record each CPU (-P ALL)"
        raise ContradictionError(f"{host.source}: {problem}")
    intervals = tuple(
        replace(each, busy_ratios={cpu: each.busy_ratios[cpu] for cpu in chosen})
        for each in host.intervals
    )
    name, sha256 = f"{host.host}, {listed}" if host.host else listed, f"{host.sha256} {listed}"
    return replace(host, intervals=intervals, cpu_count=len(chosen), host=name, sha256=sha256)


def _paired(
    place: str, group: Sequence[Measurement], hosts: Mapping[str, HostCpu]
) -> tuple[tuple[Measurement, ...], dict[Side, CpuUse], tuple[str, ...]]:
    """Runs at the same time, their CPU time by side, and caveats."""
    for run in group:
        if run.error is not None:
            raise ContradictionError(f"{run.source}: the run failed: {run.error}")
    results = counted_once(tuple(group))
    if not hosts:
        # as the tool itself reports: of systems where it has that, else of its process
        every = [use for run in reversed(results) for use in reversed(run.cpu)]
        uses = [use for kind in ("process", "system") for use in every if use.scope == kind]
        return results, {use.side: use for use in uses}, ()
    try:
        paired = pair_with_hosts(results, **hosts)
    except ContradictionError as error:
        raise ContradictionError(f"{place}: {error}") from error
    return results, {use.side: use for use in paired.cpu}, paired.notes


# Pairing by time

_CLOCK_STEP_S = 1.0
"""sysstat prints whole seconds, which may be off by one. [s]"""
_ZONES_MIN = sorted(range(-12 * 60, 14 * 60 + 1, 15), key=abs)
"""Offsets from UTC: all of the tz database are multiples of 15 min from -12:00 to +14:00. [min]"""
_DATED_S = (DAY_S, 4_102_444_800)
"""Times from 1970-01-02 to 2100, which datetime has in all zones. [s]"""
_INSIDE_RATIO = 0.9
"""An interval counts from this share of it: in ten of a second, one may lie across the begin."""
_OUTSIDE_RATIO = 0.01
"""Share of time outside the runs that needs no note: goodput is judged no closer than 1 %."""
_LOST_RATIO = 0.01
"""Lost datagrams below this move the cost by less than goodput is judged to."""
_BUSY_BASELINE_CPU_COUNT = 0.1
"""Daemons and mpstat itself take some hundredths of a CPU; more is a job that runs."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PairedRuns(Result):
    """
    Runs at the same time, with the CPU time of their hosts.

    Parameters
    ----------
    runs : tuple of Measurement
        Each run once: as it was read, or joined from the files of both ends.
    goodput_bps : float
        Of all runs together; 0 where all of them measure response times. [bit/s]
    cpu : tuple of CpuUse
        CPU time of whole systems, the idle baseline taken off.
    notes : tuple of str
        What limits the use of these numbers, most important first.
    """

    runs: tuple[Measurement, ...]
    goodput_bps: float
    cpu: tuple[CpuUse, ...]
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
    intervals cover, and how much of them lies outside the runs. Clocks of
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

    >>> from netmodel.readers import Direction, read_host_cpu
    >>> copies = b"1000000000\\ncpu 0 0 0 0\\ncpu0 0 0 0 0\\ncpu1 0 0 0 0\\n"
    >>> copies += b"1000000010\\ncpu 1000 0 0 1000\\ncpu0 1000 0 0 0\\ncpu1 0 0 0 1000\\n"
    >>> run = Measurement(
    ...     source="run.json", tool="iperf3", direction=Direction.CLIENT_TO_SERVER,
    ...     begin_utc_s=1e9, duration_s=10, goodput_bps=10e9,
    ... )
    >>> (use,) = pair_with_hosts([run], server=read_host_cpu(copies)).cpu
    >>> use.busy_cpu_count, round(use.us_per_gbit)
    (1.0, 100000)
    """
    runs = counted_once(runs)
    notes: list[str] = []
    goodput_bps, common = _goodput_and_time(runs, notes)
    is_in_one_host = any(run.is_loopback for run in runs)
    for when, first, second in (("", client, server), (" while idle", client_idle, server_idle)):
        if first is None or second is None:
            continue
        if is_in_one_host or {first.sha256, first.host} & {second.sha256, second.host} - {None}:
            twice = "whose CPU time would count twice: specify it once"
            one = f"one host ({first.host or first.source})"
            raise ContradictionError(f"client and server{when} are {one}, {twice}")
    cpu: list[CpuUse] = []
    sides = (Side.CLIENT, client, client_idle), (Side.SERVER, server, server_idle)
    for side, host, idle in sides:
        if host is None and idle is not None:
            raise ContradictionError(f"{side.value}: an idle baseline, and no host to use it")
        if host is None:
            continue
        try:
            busy, of_host = _busy_cpu_count(host, runs, common)
            if idle is None:
                of_host.append("no idle baseline is subtracted")
            else:
                busy -= _idle_cpu_count(idle, host, busy, common, of_host)
        except ContradictionError as error:
            raise ContradictionError(f"{side.value}: {error}") from None
        notes += [f"{side.value}: {each}" for each in of_host]
        cpu.append(CpuUse(busy, goodput_bps, "system", side, host.cpu_count))
    if is_in_one_host and cpu:
        notes.append("both ends were one host: its CPU time is that of client and server")
    if any((run.counted.lost_ratio or 0) > _LOST_RATIO for run in runs):
        notes.append("the sender's CPU time includes datagrams that did not arrive")
    return PairedRuns(runs=runs, goodput_bps=goodput_bps, cpu=tuple(cpu), notes=tuple(notes))


def _goodput_and_time(runs: Sequence[Measurement], notes: list[str]) -> tuple[float, Span | None]:
    """Goodput of all runs but those of response times, and the time common to all, if known."""
    if not runs:
        raise ContradictionError("no run to pair with")
    if len(runs) != len({(x.file.sha256 or x.place, x.file.part, x.direction) for x in runs}):
        raise ContradictionError("a run is given twice")
    goodput_bps, spans = 0.0, list[Span]()
    for run in runs:
        if run.counted.measures_latency and run.error is None:
            notes.append(f"{run.source} measures response times: it has no CPU time per data")
        elif run.goodput_bps is None:
            why = run.error or run.counted.why_no_goodput or "the tool does not report it"
            raise ContradictionError(f"{run.source}: no goodput to pair with: {why}")
        else:
            goodput_bps += run.goodput_bps
        if run.begin_utc_s is not None and run.duration_s is not None:
            spans.append((run.begin_utc_s, run.begin_utc_s + run.duration_s))
    if len(spans) < len(runs):
        notes.append("begin of the runs not known: assuming that CPU time was measured during them")
        return goodput_bps, None
    common = max(begin for begin, _ in spans), min(end for _, end in spans)
    if common[1] <= common[0]:
        raise ContradictionError("the runs did not run at the same time")
    common_s, longest_s = common[1] - common[0], max(end - begin for begin, end in spans)
    if common_s < _INSIDE_RATIO * longest_s:
        lengths = f"only {common_s:.3g} s of {longest_s:.3g} s"
        notes.append(f"the runs overlap for {lengths}: goodputs are means over different times")
    return goodput_bps, common


def _busy_cpu_count(
    host: HostCpu, runs: Sequence[Measurement], common: Span | None
) -> tuple[float, list[str]]:
    """Busy CPUs of a host during the runs, and notes."""
    if all(each.duration_s == 0 for each in host.intervals):
        wanted = "record several intervals in the run, such as mpstat 1 5"
        raise ContradictionError(f"{host.source} has the mean since the host started: {wanted}")
    notes = list(host.notes)
    chosen = host.intervals if common is None else _during(host, common, notes)
    busy = host.busy_cpu_count(chosen)
    spans = [span for each in chosen if (span := each.span)]
    if common is None:
        lengths_s = [run.duration_s for run in runs if run.duration_s]
        measured_s = sum(each.duration_s or 0.0 for each in chosen)
        # a record may begin and end a clock step from the run, and lie outside by a tenth
        most_s = max(lengths_s, default=0.0) / _INSIDE_RATIO + 2 * _CLOCK_STEP_S
        if len(lengths_s) == len(runs) and measured_s > most_s:
            lengths = f"are of {measured_s:.4g} s, and the runs took {max(lengths_s):.4g} s"
            problem = f"{lengths} and do not report when: give CPU data of the run alone"
            raise ContradictionError(f"the CPU data in {host.source} {problem}")
    elif spans:
        common_s, measured_s = common[1] - common[0], sum(end - begin for begin, end in spans)
        known_s = sum(_overlap_s(span, common) for span in spans)
        part = ", only a part of them" if known_s < _INSIDE_RATIO * common_s else ""
        lengths = f"{known_s:.4g} s of the {common_s:.4g} s common to all runs{part}"
        notes.append(f"CPU time is known for {lengths}")
        if (outside_s := measured_s - known_s) > _OUTSIDE_RATIO * measured_s:
            lengths = f"{outside_s:.3g} s of the measured {measured_s:.4g} s"
            notes.append(f"{lengths} lie outside the runs and count too")
    return busy, notes


def _idle_cpu_count(
    idle: HostCpu, host: HostCpu, busy: float, common: Span | None, notes: list[str]
) -> float:
    """Busy CPUs of a host without the runs, as its idle baseline shows them."""
    if idle.intervals == host.intervals:
        raise ContradictionError("the idle baseline is the record of the runs")
    pairs = (("host", host.host, idle.host), ("number of CPUs", host.cpu_count, idle.cpu_count))
    for part, during, before in pairs:
        if None not in {during, before} and during != before:
            problem = f"the idle baseline is of another {part}: {before}, not {during}"
            raise ContradictionError(problem)
    if common is not None and idle.span is not None and _overlap_s(common, idle.span) > 0:
        raise ContradictionError("the idle baseline was measured during the runs")
    idle_busy = idle.busy_cpu_count()
    while_idle = f"{idle_busy:.3g} CPUs were busy while idle"
    if idle_busy > busy:
        raise ContradictionError(f"{while_idle}, and only {busy:.3g} during the runs")
    if idle_busy > _BUSY_BASELINE_CPU_COUNT:
        notes.append(while_idle)
    return idle_busy


def _during(host: HostCpu, common: Span, notes: list[str]) -> tuple[CpuInterval, ...]:
    """
    Return the intervals of a host within the runs, in UTC.

    A zone that is not known is the one in which the record overlaps the runs; where the day is not
    known either, only the time of day is compared. Intervals of unknown length have to end in the
    runs, or later by less than these took: they are then taken to be of the runs.
    """
    spans = [span for each in host.intervals if (span := each.span)]
    ends_s = [each.end_s for each in host.intervals if each.end_s is not None]
    wide = common[0] - _CLOCK_STEP_S, common[1] + _CLOCK_STEP_S
    late_s = wide[1] + common[1] - common[0]
    fitting: dict[float, tzinfo] = {}
    for shift_s, zone in _shifts_to_utc(host, common[0]):
        if spans:
            fits = _overlap_s((spans[0][0] + shift_s, spans[-1][1] + shift_s), wide) > 0
        else:
            fits = any(common[0] <= end_s + shift_s <= late_s for end_s in ends_s)
        if fits:
            fitting.setdefault(shift_s, zone)
    if not ends_s or (fitting and not spans):
        notes.append("time of the CPU data not known: assuming that it is of the runs")
        return host.intervals
    option = argument("host_zone", "--host-zone")
    if len(fitting) > 1:
        zones = ", ".join(map(str, fitting.values()))
        problem = f"more than one would make them overlap the runs ({zones}): specify it ({option})"
        raise ContradictionError(f"the times of {host.source} have no zone, and {problem}")
    for shift_s, zone in fitting.items():
        if not host.is_utc and host.zone is None:
            taken = f"are taken as {zone}, in which they overlap the runs: specify {option}"
            notes.append(f"its times have no zone and {taken}")
        if not host.is_utc and host.day is None:
            notes.append("its date has the form of a locale: only the time of day is compared")
        host = host.moved(shift_s)
    for span in (common, wide) if fitting else ():
        inside = [
            each
            for each in host.intervals
            if (own := each.span)
            and _overlap_s(own, common) > 0
            and _overlap_s(own, span) >= _INSIDE_RATIO * (own[1] - own[0])
        ]
        if inside:
            return tuple(inside)
    ends = [
        _utc_text(each.end_s) if host.is_utc else each.clock
        for each in host.intervals
        if each.end_s is not None
    ]
    hint = "" if host.is_utc else f" in {host.zone or 'no zone'}: specify their zone ({option})"
    if not spans:
        hint = ", of unknown length: record several in the run, such as mpstat 1 5"
    raise ContradictionError(
        f"no interval of CPU time lies within the runs: they were from {_utc_text(common[0])} to "
        f"{_utc_text(common[1])}, and those of {host.source} ended at {ends[0]} to {ends[-1]}{hint}"
    )


def _shifts_to_utc(host: HostCpu, begin_s: float) -> Iterator[tuple[float, tzinfo]]:
    """Seconds from the clock of a host to UTC in each zone that it may be in, near UTC first."""
    if host.is_utc:
        yield 0.0, UTC
    elif _DATED_S[0] < begin_s < _DATED_S[1]:
        # the day of the runs in UTC; by a local clock it may be the one before or after
        today_s = begin_s // DAY_S * DAY_S
        days_s = [today_s, today_s - DAY_S, today_s + DAY_S]
        if host.day:
            days_s = [datetime.combine(host.day, time(), UTC).timestamp()]
        offsets = [timezone(timedelta(minutes=each)) for each in _ZONES_MIN]
        for zone in [host.zone] if host.zone else offsets:
            offset = datetime.fromtimestamp(begin_s, zone).utcoffset() or timedelta()
            yield from ((day_s - offset.total_seconds(), zone) for day_s in days_s)


def _utc_text(seconds: float) -> str:
    """Return a time for a message."""
    with suppress(ValueError, OverflowError, OSError):  # a year beyond 9999
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"{seconds:g} s after 1970"


def _overlap_s(first: Span, second: Span) -> float:
    """Return the time that two spans share; 0 where they share none."""
    return max(0.0, min(first[1], second[1]) - max(first[0], second[0]))
