"""Runs of tools, each with the CPU time of its hosts: a directory for each run, or all at once."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._both_ends import counted_once
from netmodel.readers._document import LARGEST, shown
from netmodel.readers._find_results import files_below
from netmodel.readers._formats import read_result
from netmodel.readers._host_cpu import HostCpu
from netmodel.readers._host_state import read_host_state
from netmodel.readers._measurement import CpuUse, Measurement
from netmodel.readers._pairing import pair_with_hosts
from netmodel.reading import is_directory, is_file, read_bytes, read_toml
from netmodel.text import argument, near_name
from netmodel.units.prefixes import MEGA

_IDLE = "idle"
"""Word in the name of a file with the CPU time of a host while it was idle."""
CONDITIONS_FILE = "conditions.toml"
"""Beside a result: what its tool does not report."""
RECORD_MANIFEST = "manifest.toml"
"""Lists all files of a folder of `netmodel measure`, most of which are facts and counters."""
CONDITION_NAMES = (
    *("mtu_bytes", "connection_count", "request_bytes", "response_bytes", "write_bytes"),
    *("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet", "segments_per_ack"),
)
"""Conditions on which the CPU cost of a host depends."""
_CLOCK_LINE = re.compile(
    r"^(?:cpu MHz|CPU MHz|CPU max MHz)\s*:\s*([0-9]{1,6}(?:\.[0-9]*)?)\s*$", re.MULTILINE
)
_MODEL_LINE = re.compile(r"^(?:model name|Model name)\s*:\s*(\S.*?)\s*$", re.MULTILINE)
_THREADS_LINE = re.compile(r"^Thread\(s\) per core:\s*([0-9]{1,6})\s*$", re.MULTILINE)
_HYPERVISOR_LINE = re.compile(r"^Hypervisor vendor:\s*(\S.*?)\s*$", re.MULTILINE)
_SIBLINGS_LINE = re.compile(r"^siblings\s*:\s*([0-9]{1,6})\s*$", re.MULTILINE)
_CORES_LINE = re.compile(r"^cpu cores\s*:\s*([0-9]{1,6})\s*$", re.MULTILINE)
GUEST_FLAG = "not reported"
"""Vendor of a hypervisor of which only the flag of the processor is known."""
_HYPERVISOR_FLAG = re.compile(r"^flags\s*:.*\bhypervisor\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Processor:
    """
    What ``lscpu`` or ``/proc/cpuinfo`` shows of the processor of a host.

    Parameters
    ----------
    model : str, optional
        Its name.
    clock_rate_hz : float, optional
        Mean of its CPUs. [Hz]
    threads_per_core : float, optional
        Hardware threads of each core.
    hypervisor : str, optional
        Vendor, where the host is a guest; "not reported" where only the flag is known.
    """

    model: str | None = None
    clock_rate_hz: float | None = None
    threads_per_core: float | None = None
    hypervisor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
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
    threads_per_core : float, optional
        Hardware threads of a core; None where not reported.
    processors : mapping of Side to Processor
        As far as files of the run show them.
    conditions : mapping of Side to mapping
        What the tool does not report, by ``conditions.toml`` beside the result.
    has_all_cpus : bool
        Whether the CPU time is that of all CPUs of a host, not of some.
    notes : tuple of str
        What limits the use of these numbers, most important first.
    """

    place: str
    results: tuple[Measurement, ...]
    cpu: Mapping[Side, CpuUse]
    threads_per_core: float | None = None
    processors: Mapping[Side, Processor]
    conditions: Mapping[Side, Mapping[str, float]] = field(default_factory=dict)
    has_all_cpus: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Activity:
    """CPU data of hosts beside results: by side, or of one host that holds both."""

    name: str
    cpu: HostCpu

    @property
    def is_idle(self) -> bool:
        return _IDLE in self.name.lower()

    @property
    def side(self) -> Side | None:
        named = [side for side in Side if side.value in self.name.lower()]
        return named[0] if len(named) == 1 else None


def find_host_runs(
    places: Sequence[str | os.PathLike[str]],
    *,
    wanted: Sequence[Side],
    cpu_numbers: Mapping[Side, frozenset[int]] | None = None,
    activity: Mapping[Side, HostCpu] | None = None,
    idle: Mapping[Side, HostCpu] | None = None,
    read_activity: Callable[[str], HostCpu | None] | None = None,
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
    activity, idle : mapping of Side to HostCpu, optional
        CPU data over all runs, which are paired by their times.
    read_activity : callable, optional
        Reads CPU data from a file; None where it has none.

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
    read = read_activity or (lambda path: read_host_state(path).cpu)
    numbers = cpu_numbers or {}
    runs: list[HostRun] = []
    notes: list[str] = []
    for place in [os.fspath(each) for each in places]:
        if is_directory(place):
            groups: dict[str, list[str]] = {}
            for each in files_below(place):
                groups.setdefault(str(Path(each.path).parent), []).append(each.path)
        else:
            groups = {place: [place]}
        processors: dict[str, list[tuple[str, Processor]]] = {}
        for name, files in sorted(groups.items()):
            results, beside = [], []
            conditions: dict[Side, dict[str, float]] = {}
            for file in files:
                if Path(file).name == CONDITIONS_FILE:
                    conditions = read_conditions(file)
                    continue
                found = _read(file, read)
                if isinstance(found, tuple):
                    results.append((file, found))
                elif isinstance(found, HostCpu):
                    beside.append(_Activity(Path(file).name, found))
                elif isinstance(found, Processor):
                    processors.setdefault(name, []).append((Path(file).name, found))
                elif is_directory(place) and _is_listed(file, place):
                    continue
                elif is_directory(place):
                    notes.append(f"{file}: neither a result nor CPU data")
                else:
                    raise ParseError(file, "is neither a result of a known tool nor a directory")
            if not results:
                continue
            known = _of_nearest(name, place, processors)
            together = [[each for _, of_file in results for each in of_file]] if beside else []
            for group in together or [list(of_file) for _, of_file in results]:
                where = name if beside else group[0].source
                hosts = _by_side(where, beside, wanted, numbers)
                for side in Side:
                    for key, given in (("", activity), ("_idle", idle)):
                        if given and side in given and f"{side.value}{key}" not in hosts:
                            hosts[f"{side.value}{key}"] = _restricted(given[side], side, numbers)
                run = _paired(where, group, hosts, known)
                runs.append(replace(run, conditions=conditions, has_all_cpus=not numbers))
    return tuple(runs), tuple(notes)


def _is_listed(file: str, top: str) -> bool:
    """Whether a file is of a record, whose manifest stands in its directory or above."""
    for directory in Path(file).parents:
        if is_file(directory / RECORD_MANIFEST):
            return True
        if directory == Path(top):
            break
    return False


def read_conditions(path: str) -> dict[Side, dict[str, float]]:
    """
    Conditions of a run for each side: those before any table, then those in ``[client]``.

    Raises
    ------
    ParseError
        If the file is not TOML, or has another name or a value that is not a number above 0.
    """
    document = read_toml(path)
    shared = {name: value for name, value in document.items() if not isinstance(value, dict)}
    conditions = {}
    sides = [side.value for side in Side]
    for name, value in document.items():
        if isinstance(value, dict) and name not in sides:
            raise ParseError(path, f"[{name}] is not a side: use [{'] or ['.join(sides)}]")
    for side in Side:
        conditions[side] = shared | document.get(side.value, {})
        for name, value in conditions[side].items():
            if name not in CONDITION_NAMES:
                near = near_name(name, CONDITION_NAMES)
                known = (
                    f"did you mean {near}?" if near else f"known are {', '.join(CONDITION_NAMES)}"
                )
                raise ParseError(path, f"{name} is not a condition; {known}")
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 < value < LARGEST:
                raise ParseError(path, f"{name} must be a number above 0; got {shown(value)}")
    return conditions


def _read(
    path: str, read_activity: Callable[[str], HostCpu | None]
) -> tuple[Measurement, ...] | HostCpu | Processor | None:
    """What a file holds; None where it is nothing of a run."""
    try:
        return read_result(path)
    except ParseError:
        pass
    try:
        cpu = read_activity(path)
    except ParseError:
        cpu = None
    if cpu is not None:
        return cpu
    try:
        content = read_bytes(path)
    except (OSError, ValueError):
        return None
    return processor_of(content.decode(errors="replace"))


def processor_of(text: str) -> Processor | None:
    """
    The processor that ``lscpu`` or ``/proc/cpuinfo`` shows; None where the text is neither.

    Examples
    --------
    >>> processor_of("model name : X\\ncpu MHz : 2000.0\\ncpu MHz : 3000.0").clock_rate_hz
    2500000000.0
    """
    clocks, model = _CLOCK_LINE.findall(text), _MODEL_LINE.search(text)
    threads, vendor = _THREADS_LINE.search(text), _HYPERVISOR_LINE.search(text)
    siblings, cores = _SIBLINGS_LINE.search(text), _CORES_LINE.search(text)
    if not (clocks or model or threads):
        return None
    each = float(threads[1]) if threads else None
    if each is None and siblings and cores and int(cores[1]):
        each = int(siblings[1]) / int(cores[1])
    guest = GUEST_FLAG if _HYPERVISOR_FLAG.search(text) else None
    return Processor(
        model=model[1] if model else None,
        clock_rate_hz=fmean(map(float, clocks)) * MEGA if clocks else None,
        threads_per_core=each,
        hypervisor=vendor[1] if vendor else guest,
    )


def _of_nearest(
    directory: str, top: str, processors: Mapping[str, Sequence[tuple[str, Processor]]]
) -> dict[Side, Processor]:
    """The processor of each side from the nearest directory up to the top that shows it."""
    known: dict[Side, Processor] = {}
    above = [directory, *map(str, Path(directory).parents)]
    for name in above:
        for file, processor in processors.get(name, ()):
            sides = [side for side in Side if side.value in file.lower()] or [*Side]
            for side in sides:
                known[side] = _merged(known.get(side, Processor()), processor)
        if name == str(Path(top)):
            break
    return known


def _merged(nearer: Processor, other: Processor) -> Processor:
    """The nearer of two, with what only the other shows; a vendor counts more than a flag."""
    shown_of = {name: getattr(nearer, name) or getattr(other, name) for name in nearer.__slots__}
    if nearer.hypervisor == GUEST_FLAG and other.hypervisor:
        shown_of["hypervisor"] = other.hypervisor
    return Processor(**shown_of)


def _by_side(
    place: str,
    beside: Sequence[_Activity],
    wanted: Sequence[Side],
    numbers: Mapping[Side, frozenset[int]],
) -> dict[str, HostCpu]:
    """CPU data by the names that `pair_with_hosts` has for them."""
    hosts: dict[str, HostCpu] = {}
    for each in beside:
        if each.side is not None:
            sides = [each.side]
        elif numbers:
            sides = [*numbers]
        elif len(wanted) == 1:
            sides = [*wanted]
        else:
            raise ContradictionError(
                f"{place}: {each.name} has CPU time of no side: put client or server into its "
                "name, or give the CPUs of each side "
                f"({argument('client_cpu_numbers', '--client-cpu-numbers')}, "
                f"{argument('server_cpu_numbers', '--server-cpu-numbers')})"
            )
        for side in sides:
            key = f"{side.value}_idle" if each.is_idle else side.value
            if key in hosts:
                raise ContradictionError(
                    f"{place}: more than one file has the CPU time of the {side.value}"
                    f"{' while idle' if each.is_idle else ''}; a directory is one run"
                )
            hosts[key] = _restricted(each.cpu, side, numbers)
    return hosts


def _restricted(host: HostCpu, side: Side, numbers: Mapping[Side, frozenset[int]]) -> HostCpu:
    """The host with the CPUs of one side only, as a host of its own."""
    if side not in numbers:
        return host
    chosen = numbers[side]
    listed = ",".join(map(str, sorted(chosen)))
    intervals = []
    for interval in host.intervals:
        loads = tuple(load for load in interval.loads if load.cpu in chosen)
        if len(loads) != len(chosen):
            raise ContradictionError(
                f"{host.source}: CPUs {listed} of the {side.value} are not all there: record each "
                "CPU (-P ALL)"
            )
        intervals.append(replace(interval, loads=loads))
    return replace(
        host,
        intervals=tuple(intervals),
        cpu_count=len(chosen),
        host=f"{host.host}, CPUs {listed}" if host.host else f"CPUs {listed}",
        sha256=f"{host.sha256} {listed}",
    )


def _paired(
    place: str,
    group: Sequence[Measurement],
    hosts: Mapping[str, HostCpu],
    processors: Mapping[Side, Processor],
) -> HostRun:
    """One run, or several at the same time, with CPU time by side."""
    failed = next((run for run in group if run.error is not None), None)
    if failed is not None:
        raise ContradictionError(f"{failed.source}: the run failed: {failed.error}")
    threads = {host.threads_per_core for host in hosts.values()} - {None}
    notes: list[str] = []
    cpu: dict[Side, CpuUse] = {}
    results = counted_once(tuple(group))
    try:
        if hosts:
            paired = pair_with_hosts(results, **hosts)
            results, notes = paired.runs, list(paired.notes)
            cpu = {use.side: use for use in paired.cpu}
    except ContradictionError as error:
        raise ContradictionError(f"{place}: {error}") from error
    if not hosts:
        cpu = _as_reported(results)
    return HostRun(
        place=place,
        results=results,
        cpu=cpu,
        threads_per_core=threads.pop() if len(threads) == 1 else None,
        processors=processors,
        notes=tuple(notes),
    )


def _as_reported(results: Iterable[Measurement]) -> dict[Side, CpuUse]:
    """CPU time that the tool itself reports: of systems where it has that, else of its process."""
    cpu: dict[Side, CpuUse] = {}
    for run in results:
        for scope in (CpuScope.SYSTEM, CpuScope.PROCESS):
            for use in run.cpu:
                if use.scope is scope and use.side not in cpu:
                    cpu[use.side] = use
    return cpu
