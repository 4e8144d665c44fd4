"""Runs of tools, each with the CPU time of its hosts: a directory for each run, or all at once."""

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from netmodel.consumption import Side
from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._document import LARGEST, shown
from netmodel.readers._formats import files_below, read_result
from netmodel.readers._host_activity import read_host_cpu
from netmodel.readers._host_cpu import HostCpu
from netmodel.readers._pairing import pair_with_hosts
from netmodel.readers.measurement import CpuUse, Measurement, counted_once
from netmodel.reading import is_directory, read_bytes, read_toml
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
    "siblings": re.compile(rf"^siblings\s*:\s*{_NUMBER}\s*$", re.MULTILINE),
    "cores": re.compile(rf"^cpu cores\s*:\s*{_NUMBER}\s*$", re.MULTILINE),
    "vendor": re.compile(r"^Hypervisor vendor:\s*(\S.*?)\s*$", re.MULTILINE),
    "flag": re.compile(r"^flags\s*:.*\b(hypervisor)\b", re.MULTILINE),
}
"""Lines of ``lscpu`` and ``/proc/cpuinfo``."""
GUEST_FLAG = "not reported"
"""Vendor of a hypervisor of which only the flag of the processor is known."""


class Processor(NamedTuple):
    """
    What ``lscpu`` or ``/proc/cpuinfo`` shows of the processor of a host.

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
    >>> processor_of("model name : X\\nsiblings : 8\\ncpu cores : 4").threads_per_core
    2.0
    """
    first = {name: line.search(text) for name, line in _PROCESSOR_LINES.items()}
    shown_of = {name: match[1] for name, match in first.items() if match}
    if not shown_of.keys() & {"model", "threads"}:
        return None
    threads, cores = float(shown_of.get("threads", 0)), float(shown_of.get("cores", 0))
    if not threads and cores:
        threads = float(shown_of.get("siblings", 0)) / cores
    vendor = shown_of.get("vendor", GUEST_FLAG if "flag" in shown_of else None)
    return Processor(shown_of.get("model"), threads or None, vendor)


def _of_nearest(
    directory: str, top: str, groups: Mapping[str, Mapping[str, Any]]
) -> dict[Side, Processor]:
    """The processor of each side from the nearest directory up to the top that shows it."""
    known: dict[Side, Processor] = {}
    for above in (Path(directory), *Path(directory).parents):
        for file, other in groups.get(str(above), {}).items():
            sides = [side for side in Side if side.value in file.lower()] or [*Side]
            for side in sides if isinstance(other, Processor) else ():
                # the nearer file counts, but a vendor more than a flag
                near = known.get(side, Processor())
                facts: Any = [a or b for a, b in zip(near, other, strict=True)]
                known[side] = Processor(*facts)
                if near.hypervisor == GUEST_FLAG and other.hypervisor:
                    known[side] = known[side]._replace(hypervisor=other.hypervisor)
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
    """The host with the CPUs of one side only, as a host of its own."""
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
    """What ran at the same time, its CPU time by side, and what limits the use of both."""
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
