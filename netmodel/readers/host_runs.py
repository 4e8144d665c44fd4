"""Runs of tools, each with the CPU time of its hosts: a directory for each run, or all at once."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from pathlib import Path
from statistics import fmean

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._both_ends import counted_once
from netmodel.readers._document import LARGEST, shown
from netmodel.readers._find_results import files_below
from netmodel.readers._formats import read_result
from netmodel.readers._host_cpu import HostCpu
from netmodel.readers._host_state import read_host_cpu
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
_NUMBER = r"([0-9]{1,6}(?:\.[0-9]*)?)"
_PROCESSOR_LINES = {
    "clock": re.compile(rf"^(?:cpu MHz|CPU MHz|CPU max MHz)\s*:\s*{_NUMBER}\s*$", re.MULTILINE),
    "model": re.compile(r"^(?:model name|Model name)\s*:\s*(\S.*?)\s*$", re.MULTILINE),
    "threads": re.compile(rf"^Thread\(s\) per core:\s*{_NUMBER}\s*$", re.MULTILINE),
    "siblings": re.compile(rf"^siblings\s*:\s*{_NUMBER}\s*$", re.MULTILINE),
    "cores": re.compile(rf"^cpu cores\s*:\s*{_NUMBER}\s*$", re.MULTILINE),
    "vendor": re.compile(r"^Hypervisor vendor:\s*(\S.*?)\s*$", re.MULTILINE),
    "flag": re.compile(r"^flags\s*:.*\b(hypervisor)\b", re.MULTILINE),
}
"""Lines of ``lscpu`` and ``/proc/cpuinfo``."""
GUEST_FLAG = "not reported"
"""Vendor of a hypervisor of which only the flag of the processor is known."""


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
    processors: Mapping[Side, Processor]
    conditions: Mapping[Side, Mapping[str, float]] = field(default_factory=dict)
    has_all_cpus: bool = True
    notes: tuple[str, ...] = ()


def find_host_runs(
    places: Sequence[str | os.PathLike[str]],
    *,
    wanted: Sequence[Side],
    cpu_numbers: Mapping[Side, frozenset[int]] | None = None,
    hosts: Mapping[str, HostCpu] | None = None,
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
    hosts : mapping of str to HostCpu, optional
        CPU data over all runs, which are paired by their times: ``client``, ``server``,
        ``client_idle`` and ``server_idle``.
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
    runs: list[HostRun] = []
    notes: list[str] = []
    for place in [os.fspath(each) for each in places]:
        groups: dict[str, list[str]] = {}
        is_whole = is_directory(place)
        for file in (path for path, _ in files_below(place)) if is_whole else (place,):
            groups.setdefault(str(Path(file).parent) if is_whole else place, []).append(file)
        processors: dict[str, list[tuple[str, Processor]]] = {}
        for name, files in sorted(groups.items()):
            results: list[tuple[Measurement, ...]] = []
            beside: list[tuple[str, HostCpu]] = []
            conditions: dict[Side, dict[str, float]] = {}
            for file in files:
                found = _read(file, zone)
                if isinstance(found, tuple):
                    results.append(found)
                elif isinstance(found, HostCpu):
                    beside.append((Path(file).name, found))
                elif isinstance(found, Processor):
                    processors.setdefault(name, []).append((Path(file).name, found))
                elif found is not None:
                    conditions = found
                elif not is_whole:
                    raise ParseError(file, "is neither a result of a known tool nor a directory")
                elif not _is_listed(file, place):
                    notes.append(f"{file}: neither a result nor CPU data")
            known = _of_nearest(name, place, processors)
            # CPU data beside results are of all of them
            groups_of_runs = [[run for each in results for run in each]] if beside else results
            for group in groups_of_runs if results else ():
                where = name if beside else group[0].source
                data = _by_side(where, beside, wanted, cpu_numbers or {})
                for key, given in (hosts or {}).items():
                    if key not in data:
                        side = Side(key.removesuffix(f"_{_IDLE}"))
                        data[key] = _restricted(given, side, cpu_numbers or {})
                run = _paired(where, group, data, known)
                runs.append(replace(run, conditions=conditions, has_all_cpus=not cpu_numbers))
    return tuple(runs), tuple(notes)


def _is_listed(file: str, top: str) -> bool:
    """Whether a file is of a record, whose manifest stands in its directory or above."""
    inside = (each for each in Path(file).parents if Path(top) in (each, *each.parents))
    return any(is_file(each / RECORD_MANIFEST) for each in inside)


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
    path: str, zone: tzinfo | None
) -> tuple[Measurement, ...] | HostCpu | Processor | dict[Side, dict[str, float]] | None:
    """What a file holds; None where it is nothing of a run."""
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
    The processor that ``lscpu`` or ``/proc/cpuinfo`` shows; None where the text is neither.

    Examples
    --------
    >>> processor_of("model name : X\\ncpu MHz : 2000.0\\ncpu MHz : 3000.0").clock_rate_hz
    2500000000.0
    """
    clocks = _PROCESSOR_LINES["clock"].findall(text)
    first = {name: line.search(text) for name, line in _PROCESSOR_LINES.items()}
    shown_of = {name: match[1] for name, match in first.items() if match}
    if not shown_of.keys() & {"clock", "model", "threads"}:
        return None
    threads, cores = float(shown_of.get("threads", 0)), float(shown_of.get("cores", 0))
    if not threads and cores:
        threads = float(shown_of.get("siblings", 0)) / cores
    return Processor(
        model=shown_of.get("model"),
        clock_rate_hz=fmean(map(float, clocks)) * MEGA if clocks else None,
        threads_per_core=threads or None,
        hypervisor=shown_of.get("vendor", GUEST_FLAG if "flag" in shown_of else None),
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
    beside: Sequence[tuple[str, HostCpu]],
    wanted: Sequence[Side],
    numbers: Mapping[Side, frozenset[int]],
) -> dict[str, HostCpu]:
    """CPU data by the names that `pair_with_hosts` has for them, from the names of their files."""
    hosts: dict[str, HostCpu] = {}
    for name, cpu in beside:
        sides = [side for side in Side if side.value in name.lower()]
        if len(sides) != 1:
            sides = [*numbers] or [*wanted]
            if not numbers and len(wanted) > 1:
                raise ContradictionError(
                    f"{place}: {name} has CPU time of no side: put client or server into its name, "
                    "or give the CPUs of each side "
                    f"({argument('client_cpu_numbers', '--client-cpu-numbers')}, "
                    f"{argument('server_cpu_numbers', '--server-cpu-numbers')})"
                )
        for side in sides:
            is_idle = _IDLE in name.lower()
            key = f"{side.value}_{_IDLE}" if is_idle else side.value
            if key in hosts:
                raise ContradictionError(
                    f"{place}: more than one file has the CPU time of the {side.value}"
                    f"{' while idle' if is_idle else ''}; a directory is one run"
                )
            hosts[key] = _restricted(cpu, side, numbers)
    return hosts


def _restricted(host: HostCpu, side: Side, numbers: Mapping[Side, frozenset[int]]) -> HostCpu:
    """The host with the CPUs of one side only, as a host of its own."""
    if side not in numbers:
        return host
    chosen = numbers[side]
    listed = ",".join(map(str, sorted(chosen)))
    intervals = []
    for interval in host.intervals:
        busy: dict[int | None, float] = {
            cpu: each for cpu, each in interval.busy_ratios.items() if cpu in chosen
        }
        if len(busy) != len(chosen):
            raise ContradictionError(
                f"{host.source}: CPUs {listed} of the {side.value} are not all there: record each "
                "CPU (-P ALL)"
            )
        intervals.append(replace(interval, busy_ratios=busy))
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
    results = counted_once(tuple(group))
    notes: tuple[str, ...] = ()
    if hosts:
        try:
            paired = pair_with_hosts(results, **hosts)
        except ContradictionError as error:
            raise ContradictionError(f"{place}: {error}") from error
        uses, notes = [*paired.cpu], paired.notes
    else:
        # as the tool itself reports: of systems where it has that, else of its process
        uses = [
            use
            for run in reversed(results)
            for scope in (CpuScope.PROCESS, CpuScope.SYSTEM)
            for use in reversed(run.cpu)
            if use.scope is scope
        ]
    cpu = {use.side: use for use in uses}
    return HostRun(place=place, results=results, cpu=cpu, processors=processors, notes=notes)
