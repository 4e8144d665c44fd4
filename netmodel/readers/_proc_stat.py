"""CPU time from copies of ``/proc/stat``."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._counters import Counters, is_64_bit_count
from netmodel.readers._document import RawText, Source, read_text, shown
from netmodel.readers._host_cpu import CpuInterval, CpuLoad, CpuShares, HostCpu, uneven_clocks

_NAMES = (
    *("user", "nice", "system", "idle", "iowait"),
    *("irq", "softirq", "steal", "guest", "guest_nice"),
)
_MAY_FALL = frozenset({"idle", "iowait"})
_MAX_CPU_DIGITS = 6
"""Linux has at most 8192 CPUs (NR_CPUS)."""
_EPOCH = re.compile(r"\d{9,10}(?:\.\d{1,9})?", re.ASCII)
"""Seconds since 1970, as ``date +%s`` or ``date +%s.%N`` prints them."""
_TICKS_PER_S = 100
"""USER_HZ of Linux, in which /proc/stat counts, on all architectures but Alpha (proc(5))."""
_COUNTED_RATIO = 0.95
"""
Counted time over wall time that needs no note: the kernel rounds each of ten counters of a CPU
down to a tick, up to 5 % of 2 s.
"""


def cpu_between(
    before: Source,
    after: Source,
    *,
    begin_utc_s: float | None = None,
    end_utc_s: float | None = None,
) -> HostCpu:
    """
    CPU time between two copies of ``/proc/stat``.

    Parameters
    ----------
    before : path or bytes
        File with the first copy, or its content.
    after : path or bytes
        The same of the second copy.
    begin_utc_s : float, optional
        Time of the first copy, since 1970, UTC. [s]
    end_utc_s : float, optional
        Time of the second copy, since 1970, UTC. [s]

    Returns
    -------
    host : HostCpu
        One interval, with text and checksum of the later copy.

    Raises
    ------
    ParseError
        If a file is not a copy of ``/proc/stat``, the host restarted in between,
        or a counter fell that cannot fall.
    ContradictionError
        If the second time is not after the first.

    Notes
    -----
    The kernel counts the time of guests in that of programs too; here it is
    subtracted. Idle and iowait are not reliable and may fall: such a change is
    0, with a note. Another note says by how much all ticks fall short of wall
    time, as on virtual CPUs: shares of ticks are then no shares of wall time.

    References
    ----------
    Linux, proc(5) and ``Documentation/filesystems/proc.rst``, section 1.7.
    """
    if begin_utc_s is not None and end_utc_s is not None and not begin_utc_s < end_utc_s:
        raise ContradictionError("the first copy of /proc/stat was made after the second")
    first, last = read_text(before), read_text(after)
    return _host([_Copy(first, begin_utc_s), _Copy(last, end_utc_s)], last)


def read_proc_stat_copies(source: Source) -> HostCpu:
    """
    CPU time between the copies of ``/proc/stat`` in one file, one after the other.

    Each may stand below a line with its time in seconds since 1970, as ``date +%s.%N`` prints it.
    """
    raw = read_text(source)
    lines = raw.text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.split()[:1] == ["cpu"]]
    if len(starts) < 2:
        raise ParseError(raw.source, "holds one copy of /proc/stat: CPU time needs two")
    copies = []
    for start, end in pairwise([*starts, len(lines)]):
        text = "\n" * start + "\n".join(lines[start:end])  # for the numbers of lines in messages
        stamp = lines[start - 1].strip() if start else ""
        utc_s = float(stamp) if _EPOCH.fullmatch(stamp) else None
        copies.append(_Copy(replace(raw, text=text), utc_s))
    for first, last in pairwise(copies):
        if first.utc_s is not None and last.utc_s is not None and first.utc_s >= last.utc_s:
            raise ParseError(raw.source, "the copies of /proc/stat are not in the order of time")
    return _host(copies, raw)


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of ``/proc/stat``, and its time."""

    raw: RawText
    utc_s: float | None


def _host(copies: list[_Copy], raw: RawText) -> HostCpu:
    """CPU time from each copy to the next."""
    notes: list[str] = []
    intervals = tuple(_interval(*pair, notes) for pair in pairwise(copies))
    cpu_count = len(_ticks(copies[-1].raw).keys() - {None}) or None
    return HostCpu(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool="/proc/stat",
        cpu_count=cpu_count,
        intervals=intervals,
        notes=(*dict.fromkeys(notes), *uneven_clocks(intervals, cpu_count)),
    )


def _interval(first: _Copy, last: _Copy, notes: list[str]) -> CpuInterval:
    ticks = _ticks(first.raw), _ticks(last.raw)
    boots = _boot_time(first.raw), _boot_time(last.raw)
    if boots[0] != boots[1]:
        raise ParseError(last.raw.source, "line btime: the host restarted between the copies")
    if ticks[0].keys() != ticks[1].keys():
        raise ParseError(last.raw.source, "has other CPUs than the first copy")
    duration_s = None
    if first.utc_s is not None and last.utc_s is not None:
        duration_s = last.utc_s - first.utc_s
    loads = []
    for cpu, counted in ticks[1].items():
        spent = _spent(last.raw, cpu, ticks[0][cpu], counted, notes)
        if not any(spent.values()):
            continue
        loads.append(CpuLoad(cpu, _shares(spent)))
        if cpu is None and duration_s is not None:
            notes += _of_lost_ticks(spent, len(ticks[1]) - 1, duration_s)
    if not loads:
        raise ParseError(last.raw.source, "no time passed between the copies")
    return CpuInterval(
        begin_utc_s=first.utc_s,
        end_utc_s=last.utc_s,
        duration_s=duration_s,
        loads=tuple(loads),
    )


def read_proc_stat_counters(source: Source) -> Counters:
    """
    Ticks since the start of the host in one copy of ``/proc/stat``, for ``cpu`` and each ``cpu0``.

    References: Linux, proc(5) and ``Documentation/filesystems/proc.rst``, section 1.7.
    """
    raw = read_text(source)
    counts = {_name(cpu): ticks for cpu, ticks in _ticks(raw).items()}
    return Counters(
        source=raw.source, raw_text=raw.text, sha256=raw.sha256, tool="/proc/stat", counts=counts
    )


def _name(cpu: int | None) -> str:
    return "cpu" if cpu is None else f"cpu{cpu}"


def _ticks(raw: RawText) -> dict[int | None, dict[str, int]]:
    """Counters of all CPUs together and of each."""
    ticks: dict[int | None, dict[str, int]] = {}
    for number, line in enumerate(raw.text.splitlines(), 1):
        name, *texts = line.split() or [""]
        digits = name.removeprefix("cpu")
        is_number = is_64_bit_count(digits) and len(digits) <= _MAX_CPU_DIGITS
        if not name.startswith("cpu") or not (digits == "" or is_number):
            continue
        # kernels before 2.6 have four counters, later ones append
        if len(texts) < 4 or not all(map(is_64_bit_count, texts)):
            problem = f"line {number} must be counts of 64 bits; got {shown(line)}"
            raise ParseError(raw.source, problem)
        counts = [int(text) for text in texts]
        cpu = int(digits) if digits else None
        if cpu in ticks:
            raise ParseError(raw.source, f"line {number} is a second {name}")
        ticks[cpu] = dict(zip(_NAMES, counts, strict=False))
    if None not in ticks:
        raise ParseError(raw.source, "not of /proc/stat: no line begins with cpu")
    return ticks


def _boot_time(raw: RawText) -> str | None:
    lines = (line.split() for line in raw.text.splitlines())
    return next((line[1] for line in lines if len(line) == 2 and line[0] == "btime"), None)


def _spent(
    raw: RawText,
    cpu: int | None,
    before: dict[str, int],
    after: dict[str, int],
    notes: list[str],
) -> dict[str, int]:
    """Ticks in each state between two copies; those of guests count once."""
    name = _name(cpu)
    if before.keys() != after.keys():
        raise ParseError(raw.source, f"{name} has another number of values than in the first copy")
    spent = {key: after[key] - before[key] for key in after}
    for key, change in spent.items():
        if change < 0 and key not in _MAY_FALL:
            raise ParseError(raw.source, f"{name}: {key} fell since the first copy")
        if change < 0:
            notes.append(f"{name}: {key} fell by {-change} ticks, counted as 0")
            spent[key] = 0
    for whole, part in (("user", "guest"), ("nice", "guest_nice")):
        if spent.get(part, 0) > spent[whole]:
            raise ParseError(raw.source, f"{name}: {part} grew by more than {whole}")
        spent[whole] -= spent.get(part, 0)
    return spent


def _shares(spent: dict[str, int]) -> CpuShares:
    total = sum(spent.values())
    parts = {key: change / total for key, change in spent.items()}
    return CpuShares(
        usr_ratio=parts["user"],
        nice_ratio=parts["nice"],
        sys_ratio=parts["system"],
        iowait_ratio=parts.get("iowait", 0.0),
        irq_ratio=parts.get("irq"),
        soft_ratio=parts.get("softirq"),
        steal_ratio=parts.get("steal"),
        guest_ratio=parts.get("guest"),
        gnice_ratio=parts.get("guest_nice"),
        idle_ratio=parts["idle"],
    )


def _of_lost_ticks(spent: dict[str, int], cpu_count: int, duration_s: float) -> list[str]:
    """A note where ticks fall short of wall time: the rest may have been busy or idle."""
    counted_s, wall_s = sum(spent.values()) / _TICKS_PER_S, cpu_count * duration_s
    if counted_s >= _COUNTED_RATIO * wall_s:
        return []
    busy_ratio = _shares(spent).busy_ratio
    least = busy_ratio * counted_s / duration_s
    most = least + (wall_s - counted_s) / duration_s
    return [
        f"the kernel counted {counted_s:.2f} s of {wall_s:.2f} s of CPU time: "
        f"{busy_ratio * cpu_count:.3g} busy CPUs may be {least:.3g} to {most:.3g}"
    ]
