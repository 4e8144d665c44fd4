"""CPU time of a host, interval by interval, in one form for every tool; and times of day."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cached_property
from typing import TypeAlias

from netmodel.errors import ContradictionError
from netmodel.results import Result

DAY_S = 24 * 60 * 60  # no tool counts leap seconds
_YEAR_10000_S = 253402300800
"""First second that datetime cannot represent. [s]"""
_CLOCK = re.compile(r"(\d{1,2}):(\d\d):(\d\d)(?:\.\d+)?(?:\s*([AaPp])\.?[Mm]\.?)?", re.ASCII)
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_YEARS = range(1971, 2200)
"""Years in which every day and zone is a time after 1970 that datetime can represent."""


_NOON_H = 12
"""Hour at which the second half of the day begins."""
_SEXAGESIMAL = 60
"""Minutes in an hour, and seconds in a minute."""


def clock_s(text: str) -> int | None:
    """Seconds since midnight; None where the text is no time of day."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute, second = (int(part) for part in match.groups()[:3])
    half = match[4]
    if half is not None:
        if not 1 <= hour <= _NOON_H:
            return None
        hour = hour % _NOON_H + (_NOON_H if half in "pP" else 0)
    if hour > 23 or minute > 59 or second > 60:  # 60 is a leap second
        return None
    return (hour * _SEXAGESIMAL + minute) * _SEXAGESIMAL + second


def iso_day(text: str) -> date | None:
    """The day of an ISO 8601 date; None for others, whose order of day and month is ambiguous."""
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
    Consecutive times of day, converted to UTC where day and zone are known.

    Parameters
    ----------
    day : date
        Day of the first time.
    zone : tzinfo
        Time zone of the times.
    """

    day: date | None
    zone: tzinfo | None
    _last_s: float | None = field(default=None, init=False)

    def since_start(self, text: str) -> float | None:
        """Seconds since midnight of the first day, on the day nearest to the last time."""
        of_day_s = clock_s(text)
        if of_day_s is None:
            return None
        seconds = float(of_day_s)
        if self._last_s is not None:
            seconds += DAY_S * round((self._last_s - seconds) / DAY_S)
        self._last_s = seconds
        return seconds

    def utc_s(self, since_start_s: float | None) -> float | None:
        """Seconds since 1970 in UTC of a result of `since_start`."""
        if since_start_s is None or self.day is None or self.zone is None:
            return None
        days, seconds = divmod(since_start_s, DAY_S)
        here = datetime.combine(self.day, time()) + timedelta(days=days, seconds=seconds)
        return here.replace(tzinfo=self.zone).astimezone(UTC).timestamp()


def utc_text(utc_s: float) -> str:
    """A time for a message."""
    if not 0 <= utc_s < _YEAR_10000_S:
        return f"{utc_s:g} s after 1970"
    return datetime.fromtimestamp(utc_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


Span: TypeAlias = tuple[float, float]
"""Begin and end in seconds since 1970, UTC."""

_NOT_BUSY = frozenset({"iowait_ratio", "steal_ratio", "idle_ratio"})


def overlap_s(first: Span, second: Span) -> float:
    """Time that two spans share; 0 where they share none."""
    return max(0.0, min(first[1], second[1]) - max(first[0], second[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuShares:
    """
    Shares of a CPU's time, stolen time included; None where not reported.

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
        Time in which the hypervisor ran another host although this one had work.
    guest_ratio, gnice_ratio : float
        Virtual CPUs of guests; part of the programs where None.
    idle_ratio : float
        No work.
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

    @property
    def total_ratio(self) -> float:
        """Sum of all parts: 1 but for the rounding of the tool."""
        return sum(getattr(self, name) or 0.0 for name in self.__slots__)

    @property
    def busy_ratio(self) -> float:
        """Share of the time in which the CPU worked: neither idle nor stolen."""
        return sum(getattr(self, name) or 0.0 for name in self.__slots__ if name not in _NOT_BUSY)


@dataclass(frozen=True, slots=True)
class CpuLoad:
    """
    One CPU in one interval.

    Parameters
    ----------
    cpu : int
        Its number; None for all CPUs together.
    shares : CpuShares
        Shares of its time.
    core, socket : str
        Its core and socket, if reported.
    """

    cpu: int | None
    shares: CpuShares
    core: str | None = None
    socket: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuInterval:
    """
    One interval of a record of CPU time; None stands for what is not reported.

    Parameters
    ----------
    clock : str
        Its end as printed.
    begin_utc_s, end_utc_s : float
        Begin and end, since 1970, UTC. [s]
    duration_s : float
        Its length. [s]
    loads : tuple of CpuLoad
        All CPUs together, single CPUs, or both.
    """

    clock: str = ""
    begin_utc_s: float | None = None
    end_utc_s: float | None = None
    duration_s: float | None = None
    loads: tuple[CpuLoad, ...] = ()

    @property
    def span(self) -> Span | None:
        """Begin and end, where both are known."""
        if self.begin_utc_s is None or self.end_utc_s is None:
            return None
        return self.begin_utc_s, self.end_utc_s

    def load(self, cpu: int | None) -> CpuLoad | None:
        """Load of a CPU, or of all together; None where it is not reported."""
        return next((load for load in self.loads if load.cpu == cpu), None)


@dataclass(frozen=True, kw_only=True)
class HostCpu(Result):
    """
    CPU time of a host.

    Parameters
    ----------
    source : str
        File that it was read from.
    raw_text : str
        The whole text of the file.
    sha256 : str
        Of the bytes of the file.
    tool, tool_version : str
        Tool that measured, and its version if reported.
    host : str
        Name of the host, if reported.
    cpu_count : int
        CPUs as the operating system counts them: hardware threads, where cores
        have several.
    intervals : tuple of CpuInterval
        In the order of the file.
    day : datetime.date
        Day on which the first interval ended, by the clock of the host.
    zone : datetime.tzinfo
        Time zone of the times in the file.
    notes : tuple of str
        What limits the use of these numbers, most important first.

    Examples
    --------
    >>> from netmodel.readers import cpu_between
    >>> before = b"cpu 0 0 0 0\\ncpu0 0 0 0 0\\nbtime 1\\n"
    >>> after = b"cpu 50 0 0 150\\ncpu0 50 0 0 150\\nbtime 1\\n"
    >>> host = cpu_between(before, after)
    >>> host.cpu_count, host.busy_cpu_count()
    (1, 0.25)
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
        """CPUs for each core; None where the file does not report which share one."""
        cores: dict[int, tuple[str, str | None]] = {}
        for interval in self.intervals:
            for load in interval.loads:
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
            Intervals that count; all when left out.

        Returns
        -------
        busy_cpu_count : float
            Mean over the intervals, weighted by length where all are known.

        Raises
        ------
        ContradictionError
            If there is no interval, or one does not report all CPUs.
        """
        chosen = tuple(self.intervals if intervals is None else intervals)
        if not chosen:
            raise ContradictionError(f"{self.source}: no interval with CPU time")
        lengths = [interval.duration_s for interval in chosen]
        weights = [length or 0.0 for length in lengths]
        if None in lengths or not sum(weights):
            weights = [1.0] * len(chosen)
        busy = []
        for interval in chosen:
            load = interval.load(None)
            if load is None:
                if not interval.loads or len(interval.loads) != self.cpu_count:
                    raise ContradictionError(
                        f"{self.source}: the interval to {interval.clock or 'its end'} has "
                        f"{len(interval.loads)} CPUs of {self.cpu_count or 'an unknown number'}"
                    )
                busy.append(sum(each.shares.busy_ratio for each in interval.loads))
            elif self.cpu_count is None:
                raise ContradictionError(
                    f"{self.source}: the number of CPUs is not reported: specify cpu_count"
                )
            else:
                busy.append(load.shares.busy_ratio * self.cpu_count)
        total = sum(count * weight for count, weight in zip(busy, weights, strict=True))
        return total / sum(weights)
