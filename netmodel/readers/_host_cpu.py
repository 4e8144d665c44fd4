"""CPU time of a host, interval by interval, in one form for every tool; and times of day."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cached_property
from typing import TypeAlias

from netmodel.errors import ContradictionError

_DAY_S = 86400
_YEAR_10000_S = 253402300800
_CLOCK = re.compile(r"(\d{1,2}):(\d\d):(\d\d)(?:\.\d+)?(?:\s*([AaPp])\.?[Mm]\.?)?", re.ASCII)
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_YEARS = range(1971, 2200)


def clock_s(text: str) -> int | None:
    """Seconds since midnight; None where the text is no time that can be read."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute, second = (int(part) for part in match.groups()[:3])
    half = match[4]
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "pP" else 0)
    if hour > 23 or minute > 59 or second > 60:
        return None
    return hour * 3600 + minute * 60 + second


def iso_day(text: str) -> date | None:
    """The day of a date as ISO 8601 writes it; None for others, whose order is not certain."""
    match = _ISO_DAY.fullmatch(text.strip())
    if match is None or int(match[1]) not in _YEARS:
        return None
    try:
        return date(*(int(part) for part in match.groups()))
    except ValueError:
        return None


@dataclass
class Clock:
    """
    Times of the day, one after the other, as times in UTC where day and zone are known.

    Parameters
    ----------
    day : date
        Of the first time.
    zone : tzinfo
        In which the times are.
    """

    day: date | None
    zone: tzinfo | None
    _last_s: float | None = field(default=None, init=False)

    def since_start(self, text: str) -> float | None:
        """Seconds since midnight of the first day; of two days, on that nearer to the last time."""
        of_day_s = clock_s(text)
        if of_day_s is None:
            return None
        seconds = float(of_day_s)
        if self._last_s is not None:
            seconds += _DAY_S * round((self._last_s - seconds) / _DAY_S)
        self._last_s = seconds
        return seconds

    def utc_s(self, since_start_s: float | None) -> float | None:
        """Seconds since 1970 in UTC of what `since_start` gave."""
        if since_start_s is None or self.day is None or self.zone is None:
            return None
        days, seconds = divmod(since_start_s, _DAY_S)
        here = datetime.combine(self.day, time()) + timedelta(days=days, seconds=seconds)
        return here.replace(tzinfo=self.zone).astimezone(UTC).timestamp()


def utc_text(utc_s: float) -> str:
    """A time as messages show it."""
    if not 0 <= utc_s < _YEAR_10000_S:
        return f"{utc_s:g} s after 1970"
    return datetime.fromtimestamp(utc_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


Span: TypeAlias = tuple[float, float]
"""Begin and end in seconds since 1970, UTC."""

_NOT_BUSY = frozenset({"iowait_ratio", "steal_ratio", "idle_ratio"})
_MAX_SPREAD_CPU_COUNT = 0.05


def overlap_s(first: Span, second: Span) -> float:
    """Time that two spans share; 0 where they share none."""
    return max(0.0, min(first[1], second[1]) - max(first[0], second[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuShares:
    """
    What a CPU did, as shares of the time, stolen time included; None where it is not told apart.

    Parameters
    ----------
    usr_ratio, nice_ratio : float
        Programs, and those of lower priority.
    sys_ratio : float
        Kernel; with interrupts where these are None.
    iowait_ratio : float
        Idle while input or output was under way.
    irq_ratio, soft_ratio : float
        Hardware interrupts and softirqs.
    steal_ratio : float
        Wanted by this host, and given to another by the hypervisor.
    guest_ratio, gnice_ratio : float
        Virtual CPUs of guests; where None they are in those of programs.
    idle_ratio : float
        Nothing to do.
    """

    usr_ratio: float
    nice_ratio: float
    sys_ratio: float
    iowait_ratio: float
    irq_ratio: float | None
    soft_ratio: float | None
    steal_ratio: float | None
    guest_ratio: float | None
    gnice_ratio: float | None
    idle_ratio: float

    def _told(self) -> dict[str, float]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def total_ratio(self) -> float:
        """All parts together: 1 but for the rounding of the tool."""
        return sum(self._told().values())

    @property
    def busy_ratio(self) -> float:
        """Share of the time in which the CPU worked: neither idle nor given to another host."""
        return sum(value for name, value in self._told().items() if name not in _NOT_BUSY)


@dataclass(frozen=True, slots=True)
class CpuLoad:
    """
    One CPU in one interval.

    Parameters
    ----------
    cpu : int
        Its number; None for all CPUs together.
    shares : CpuShares
        What it did.
    core, socket : str
        Where it is, if told.
    """

    cpu: int | None
    shares: CpuShares
    core: str | None = None
    socket: str | None = None


@dataclass(frozen=True, slots=True)
class InterruptRate:
    """
    Interrupts of one CPU in one interval.

    Parameters
    ----------
    cpu : int
        Its number; None for all CPUs together.
    total_per_s : float
        Hardware interrupts per second; None where the tool does not tell. [1/s]
    soft_per_s : tuple of (str, float)
        Softirqs per second by name. [1/s]
    """

    cpu: int | None
    total_per_s: float | None
    soft_per_s: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuInterval:
    """
    One interval of a record of CPU time; None stands for what is not told.

    Parameters
    ----------
    clock : str
        Its end as printed.
    begin_utc_s, end_utc_s : float
        When it began and ended, since 1970, UTC. [s]
    duration_s : float
        Its length. [s]
    loads : tuple of CpuLoad
        All CPUs together, single CPUs, or both.
    interrupts : tuple of InterruptRate
        Interrupts, if told.
    """

    clock: str = ""
    begin_utc_s: float | None = None
    end_utc_s: float | None = None
    duration_s: float | None = None
    loads: tuple[CpuLoad, ...] = ()
    interrupts: tuple[InterruptRate, ...] = ()

    @property
    def span(self) -> Span | None:
        """Begin and end, where both are known."""
        if self.begin_utc_s is None or self.end_utc_s is None:
            return None
        return self.begin_utc_s, self.end_utc_s

    def load(self, cpu: int | None) -> CpuLoad | None:
        """That of one CPU, or of all together; None where it is not told."""
        return next((load for load in self.loads if load.cpu == cpu), None)


@dataclass(frozen=True, kw_only=True)
class HostCpu:
    """
    How busy the CPUs of a host were.

    Parameters
    ----------
    source : str
        File that it was read from.
    raw_text : str
        What was read, whole.
    sha256 : str
        Of the bytes that were read.
    tool, tool_version : str
        What measured, and its version if it prints it.
    host : str
        Name of the host, if told.
    cpu_count : int
        CPUs as the operating system counts them: hardware threads, where cores
        have several.
    intervals : tuple of CpuInterval
        In the order of the file.
    day : datetime.date
        On which the first interval ended, by the clock of the host.
    zone : datetime.tzinfo
        Of the times that the tool prints.
    notes : tuple of str
        What a reader of these numbers should know.
    """

    source: str
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str
    tool: str
    tool_version: str | None = None
    host: str | None = None
    cpu_count: int | None = None
    intervals: tuple[CpuInterval, ...] = ()
    day: date | None = None
    zone: tzinfo | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def threads_per_core(self) -> float | None:
        """CPUs for each core; None where the file does not tell which share one."""
        cores: dict[int, tuple[str, str | None]] = {}
        for load in self._loads():
            if load.cpu is not None and load.core:
                cores[load.cpu] = (load.core, load.socket)
        if not cores or len(cores) != self.cpu_count:
            return None
        return len(cores) / len(set(cores.values()))

    @property
    def span(self) -> Span | None:
        """Begin of the first interval and end of the last, where both are known."""
        if not self.intervals:
            return None
        begin, end = self.intervals[0].begin_utc_s, self.intervals[-1].end_utc_s
        return None if begin is None or end is None else (begin, end)

    def busy_cpu_count(self, intervals: Iterable[CpuInterval] | None = None) -> float:
        """
        Mean number of busy CPUs.

        Parameters
        ----------
        intervals : iterable of CpuInterval, optional
            Those that count, all when left out.

        Returns
        -------
        busy_cpu_count : float
            Over the intervals, each by its length where all lengths are known.

        Raises
        ------
        ContradictionError
            If there is no interval, or one does not tell of all CPUs.
        """
        chosen = tuple(self.intervals if intervals is None else intervals)
        if not chosen:
            raise ContradictionError(f"{self.source}: no interval to take CPU time from")
        lengths = [one.duration_s for one in chosen]
        weights = [length or 0.0 for length in lengths]
        if None in lengths or not sum(weights):
            weights = [1.0] * len(chosen)
        busy = [self._busy_in(one) for one in chosen]
        return sum(map(_product, busy, weights)) / sum(weights)

    def _busy_in(self, interval: CpuInterval) -> float:
        load = interval.load(None)
        if load is not None:
            if self.cpu_count is None:
                raise ContradictionError(
                    f"{self.source}: the number of CPUs is not told; state it when reading"
                )
            return load.shares.busy_ratio * self.cpu_count
        if not interval.loads or len(interval.loads) != self.cpu_count:
            raise ContradictionError(
                f"{self.source}: the interval to {interval.clock or 'its end'} tells of "
                f"{len(interval.loads)} CPUs of {self.cpu_count or 'an unknown number'}"
            )
        return sum(load.shares.busy_ratio for load in interval.loads)

    def _loads(self) -> Iterable[CpuLoad]:
        return (load for interval in self.intervals for load in interval.loads)


def _product(first: float, second: float) -> float:
    return first * second


def uneven_clocks(intervals: Iterable[CpuInterval], cpu_count: int | None) -> list[str]:
    """A warning where single CPUs add up to another load than all of them together."""
    worst = 0.0
    for interval in intervals:
        whole = interval.load(None)
        singles = [load for load in interval.loads if load.cpu is not None]
        if whole is None or cpu_count is None or len(singles) != cpu_count:
            continue
        apart = sum(load.shares.busy_ratio for load in singles)
        worst = max(worst, abs(whole.shares.busy_ratio * cpu_count - apart))
    if worst <= _MAX_SPREAD_CPU_COUNT:
        return []
    return [
        f"single CPUs add up to {worst:.2f} busy CPUs more or less than all together: "
        "the kernel counted unequal times for them"
    ]
