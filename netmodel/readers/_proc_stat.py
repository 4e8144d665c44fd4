"""CPU time from two looks at ``/proc/stat``."""

from dataclasses import replace

from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._counter_change import Counters
from netmodel.readers._document import RawText, Source, read_text, shown
from netmodel.readers._host_cpu import CpuInterval, CpuLoad, CpuShares, HostCpu, uneven_clocks

__all__ = ["read_proc_stat", "read_proc_stat_counters"]

_NAMES = (
    *("user", "nice", "system", "idle", "iowait"),
    *("irq", "softirq", "steal", "guest", "guest_nice"),
)
_MAY_FALL = frozenset({"idle", "iowait"})
_LARGEST = 2**64
_MAX_CPU_DIGITS = 6


def read_proc_stat(
    before: Source,
    after: Source,
    *,
    begin_utc_s: float | None = None,
    end_utc_s: float | None = None,
) -> HostCpu:
    """
    Read what CPUs did between two copies of ``/proc/stat``.

    Parameters
    ----------
    before : path or bytes
        File with the first copy, or its content.
    after : path or bytes
        The same of the second copy.
    begin_utc_s : float, optional
        When the first was made, since 1970, UTC. [s]
    end_utc_s : float, optional
        When the second was made, since 1970, UTC. [s]

    Returns
    -------
    host : HostCpu
        With one interval; its text and sum are those of the later copy.

    Raises
    ------
    ParseError
        If a file is not of ``/proc/stat``, the host restarted in between, or a
        counter fell that cannot fall.
    ContradictionError
        If the times are not in their order.

    Notes
    -----
    The kernel counts the time of guests in that of programs too; here it is
    taken out of it. Idle time and that of waiting for input and output are not
    reliable and may fall: such a change is 0, with a warning.

    References
    ----------
    Linux, proc(5) and ``Documentation/filesystems/proc.rst``, section 1.7.
    """
    if begin_utc_s is not None and end_utc_s is not None and not begin_utc_s < end_utc_s:
        raise ContradictionError("the first copy of /proc/stat was made after the second")
    first, last = read_text(before), read_text(after)
    ticks = _ticks(first), _ticks(last)
    boots = _boot_time(first), _boot_time(last)
    if boots[0] != boots[1]:
        raise ParseError(last.source, "line btime: the host restarted between the copies")
    if ticks[0].keys() != ticks[1].keys():
        raise ParseError(last.source, "has other CPUs than the first copy")
    warnings: list[str] = []
    loads = []
    for cpu, counted in ticks[1].items():
        shares = _shares(last, cpu, ticks[0][cpu], counted, warnings)
        if shares is not None:
            loads.append(CpuLoad(cpu, shares))
    if not loads:
        raise ParseError(last.source, "no time passed between the copies")
    told = begin_utc_s is not None and end_utc_s is not None
    interval = CpuInterval(
        begin_utc_s=begin_utc_s,
        end_utc_s=end_utc_s,
        duration_s=end_utc_s - begin_utc_s if told else None,  # type: ignore[operator]
        loads=tuple(loads),
    )
    host = HostCpu(
        source=last.source,
        raw_text=last.text,
        sha256=last.sha256,
        tool="/proc/stat",
        cpu_count=len(ticks[1].keys() - {None}) or None,
        intervals=(interval,),
    )
    return replace(host, warnings=(*warnings, *uneven_clocks(host.intervals, host.cpu_count)))


def read_proc_stat_counters(source: Source) -> Counters:
    """
    Read the CPU time since the start of a host in one copy of ``/proc/stat``.

    Parameters
    ----------
    source : path or bytes
        The copy, or its content.

    Returns
    -------
    counters : Counters
        For all CPUs together, as ``cpu``, and each, as ``cpu0``, the ticks that
        it spent in ``user``, ``system``, ``softirq`` and so on.

    Raises
    ------
    ParseError
        If the file is no such copy or holds a value that cannot be; the
        message names the file and the line.

    References
    ----------
    Linux, proc(5) and ``Documentation/filesystems/proc.rst``, section 1.7.
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
    found: dict[int | None, dict[str, int]] = {}
    for number, line in enumerate(raw.text.splitlines(), 1):
        name, *texts = line.split() or [""]
        digits = name.removeprefix("cpu")
        if not name.startswith("cpu") or not (digits == "" or _is_count(digits, _MAX_CPU_DIGITS)):
            continue
        if len(texts) < 4 or not all(_is_count(text, 20) for text in texts):
            raise ParseError(raw.source, f"line {number} must be counts; got {shown(line)}")
        counts = [int(text) for text in texts]
        if max(counts) >= _LARGEST:
            raise ParseError(raw.source, f"line {number} has a count above 64 bits")
        cpu = int(digits) if digits else None
        if cpu in found:
            raise ParseError(raw.source, f"line {number} tells of {name} for the second time")
        found[cpu] = dict(zip(_NAMES, counts, strict=False))
    if None not in found:
        raise ParseError(raw.source, "not of /proc/stat: it has no line cpu")
    return found


def _is_count(text: str, most_digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= most_digits


def _boot_time(raw: RawText) -> str | None:
    lines = (line.split() for line in raw.text.splitlines())
    return next((line[1] for line in lines if len(line) == 2 and line[0] == "btime"), None)


def _shares(
    raw: RawText,
    cpu: int | None,
    before: dict[str, int],
    after: dict[str, int],
    warnings: list[str],
) -> CpuShares | None:
    name = _name(cpu)
    if before.keys() != after.keys():
        raise ParseError(raw.source, f"{name} has another number of values than in the first copy")
    spent = {key: after[key] - before[key] for key in after}
    for key, change in spent.items():
        if change < 0 and key not in _MAY_FALL:
            raise ParseError(raw.source, f"{name}: {key} fell since the first copy")
        if change < 0:
            warnings.append(f"{name}: {key} fell by {-change} ticks, which counts as 0")
            spent[key] = 0
    for whole, part in (("user", "guest"), ("nice", "guest_nice")):
        if spent.get(part, 0) > spent[whole]:
            raise ParseError(raw.source, f"{name}: {part} grew by more than {whole}")
        spent[whole] -= spent.get(part, 0)
    total = sum(spent.values())
    if not total:
        return None
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
