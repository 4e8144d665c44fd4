"""CPU time from copies of ``/proc/stat``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._document import RawText, Source, read_text, shown
from netmodel.readers._host_cpu import CpuInterval, CpuLoad, CpuShares, HostCpu
from netmodel.readers.counters import is_64_bit_count

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
_IDLE_STATES = ("idle", "iowait", "steal")
"""What the kernel measures by its clock (NO_HZ), or the hypervisor, not by samples at each tick."""


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
    0, with a note.

    Most kernels sample what a CPU does at each tick (100 to 1000 per second).
    Programs that wake up by a timer, such as a paced iperf3, run in step with
    the ticks: the samples then show several times too much or next to nothing.
    Idle time is measured by the clock. With times to fractions of a second,
    busy time is therefore wall time less idle, iowait and stolen time, and the
    samples only divide it. A note says by how much all ticks fall short of wall
    time or exceed it.

    References
    ----------
    Linux, proc(5), ``Documentation/filesystems/proc.rst``, section 1.7, and
    ``get_idle_time`` in ``fs/proc/stat.c``.

    Examples
    --------
    One CPU, busy for one of two seconds (ticks of 10 ms):

    >>> before = b"cpu 100 0 50 800 0 0 0 0 0 0\\ncpu0 100 0 50 800 0 0 0 0 0 0\\nbtime 1000\\n"
    >>> after = b"cpu 180 0 70 900 0 0 0 0 0 0\\ncpu0 180 0 70 900 0 0 0 0 0 0\\nbtime 1000\\n"
    >>> cpu_between(before, after, begin_utc_s=0, end_utc_s=2).busy_cpu_count()
    0.5
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
        notes=tuple(dict.fromkeys(notes)),
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
    # a time in whole seconds is too coarse for wall time less idle time
    is_exact = not any(
        each.utc_s is None or each.utc_s == int(each.utc_s) for each in (first, last)
    )
    loads = []
    for cpu, counted in ticks[1].items():
        spent = _spent(last.raw, cpu, ticks[0][cpu], counted, notes)
        if not any(spent.values()):
            continue
        shares = _shares(spent)
        # the number of CPUs is not known of a copy that has their sum alone
        cpu_count = 1 if cpu is not None else len(ticks[1]) - 1
        if duration_s is not None and duration_s * cpu_count > 0:
            wall_s = duration_s * cpu_count
            counted_s = sum(spent.values()) / _TICKS_PER_S
            busy_s = shares.busy_ratio * counted_s
            if is_exact:
                idle_s = sum(spent.get(name, 0) for name in _IDLE_STATES) / _TICKS_PER_S
                if _COUNTED_RATIO * idle_s > wall_s:
                    raise ParseError(
                        last.raw.source,
                        f"{_name(cpu)} was idle for {idle_s:.2f} s in {wall_s:.2f} s: the times "
                        "of the copies are wrong",
                    )
                shares = _of_wall_time(spent, wall_s)
            if cpu is None and not _COUNTED_RATIO <= counted_s / wall_s <= 1 / _COUNTED_RATIO:
                notes.append(
                    f"the kernel counted {counted_s:.2f} s of {wall_s:.2f} s of CPU time: busy "
                    f"CPUs {busy_s / duration_s:.3g} by ticks, "
                    f"{(wall_s - counted_s + busy_s) / duration_s:.3g} by idle time"
                )
        loads.append(CpuLoad(cpu, shares))
    if not loads:
        raise ParseError(last.raw.source, "no time passed between the copies")
    return CpuInterval(
        begin_utc_s=first.utc_s,
        end_utc_s=last.utc_s,
        duration_s=duration_s,
        loads=tuple(loads),
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


def _shares(spent: Mapping[str, float]) -> CpuShares:
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


def _of_wall_time(spent: dict[str, int], wall_s: float) -> CpuShares:
    """Shares of wall time: what was not idle was busy, divided as the ticks are."""
    wall = wall_s * _TICKS_PER_S
    idle = {name: spent.get(name, 0) for name in _IDLE_STATES if name in spent}
    busy = {name: ticks for name, ticks in spent.items() if name not in idle}
    was_busy = max(wall - sum(idle.values()), 0.0)
    sampled = sum(busy.values())
    if not sampled:
        busy["system"], sampled = 1, 1  # no tick sampled any work: the kernel's, such as interrupts
    scaled = {name: ticks * was_busy / sampled for name, ticks in busy.items()}
    return _shares(scaled | idle)
