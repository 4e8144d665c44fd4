"""CPU time of a host, interval by interval, in one form for every tool; and times of day."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from time import strptime
from typing import TypeAlias

from netmodel.errors import ContradictionError
from netmodel.results import Result

DAY_S = 24 * 60 * 60  # no tool counts leap seconds
_YEARS = range(1971, 2200)
"""Years in which every day and zone is a time after 1970 that datetime can represent."""

Span: TypeAlias = tuple[float, float]
"""Begin and end. [s]"""


def clock_s(text: str, last_s: float | None = None) -> float | None:
    """
    Seconds since midnight of a first day, on the day nearest to the last time, if any.

    None where the text is no time of day.
    """
    for form in ("%H:%M:%S", "%I:%M:%S %p"):
        with suppress(ValueError):
            read = strptime(text.replace(".", "").strip(), form)
            seconds = 3600.0 * read.tm_hour + 60 * read.tm_min + read.tm_sec
            days = 0 if last_s is None else round((last_s - seconds) / DAY_S)
            return seconds + days * DAY_S
    return None


def iso_day(text: str) -> date | None:
    """The day of an ISO 8601 date; None for others, whose order of day and month is ambiguous."""
    with suppress(ValueError):
        day = date.fromisoformat(text.strip())
        return day if day.year in _YEARS else None
    return None


def midnight_s(day: date) -> float:
    """Seconds from 1970 to the begin of a day, as if it were in UTC."""
    return float((day - date(1970, 1, 1)).days * DAY_S)


@dataclass(frozen=True, slots=True)
class CpuInterval:
    """
    One interval of a record of CPU time; None stands for what is not reported.

    Parameters
    ----------
    busy_ratios : mapping of int to float
        Share of its time in which each CPU worked: neither idle nor stolen. Under None that of all
        CPUs together.
    clock : str
        Its end as printed.
    end_s : float
        Its end: since 1970, UTC, where the host's record is in UTC, else since midnight of the
        first day by the clock of the host. [s]
    duration_s : float
        Its length. [s]
    """

    busy_ratios: Mapping[int | None, float]
    clock: str = ""
    end_s: float | None = None
    duration_s: float | None = None

    @property
    def span(self) -> Span | None:
        """Begin and end, where both are known."""
        if self.end_s is None or self.duration_s is None:
            return None
        return self.end_s - self.duration_s, self.end_s


@dataclass(frozen=True, kw_only=True)
class HostCpu(Result):
    """
    CPU time of a host.

    Parameters
    ----------
    source : str
        File that it was read from.
    sha256 : str
        Of the bytes of the file.
    tool : str
        Tool that measured.
    host : str
        Name of the host, if reported.
    cpu_count : int
        CPUs as the operating system counts them: hardware threads, where cores have several.
    intervals : tuple of CpuInterval
        In the order of the file.
    day : datetime.date
        Day on which the first interval ended, by the clock of the host.
    zone : datetime.tzinfo
        Time zone of the times in the file.
    is_utc : bool
        Whether the times of the intervals are in UTC, which needs both.
    notes : tuple of str
        What limits the use of these numbers, most important first.

    Examples
    --------
    >>> from netmodel.readers import read_host_cpu
    >>> copies = b"cpu 0 0 0 0\\ncpu0 0 0 0 0\\ncpu 50 0 0 150\\ncpu0 50 0 0 150\\n"
    >>> host = read_host_cpu(copies)
    >>> host.cpu_count, host.busy_cpu_count()
    (1, 0.25)
    """

    source: str
    sha256: str
    tool: str
    host: str | None = None
    cpu_count: int | None = None
    intervals: tuple[CpuInterval, ...] = ()
    day: date | None = None
    zone: tzinfo | None = None
    is_utc: bool = False
    notes: tuple[str, ...] = ()

    @property
    def span(self) -> Span | None:
        """Begin of the first interval and end of the last in UTC, where both are known."""
        spans = [each.span for each in (*self.intervals[:1], *self.intervals[-1:])]
        if not self.is_utc or not spans or spans[0] is None or spans[-1] is None:
            return None
        return spans[0][0], spans[-1][1]

    def in_utc(self) -> "HostCpu":
        """The record with its times in UTC, where day and zone are known."""
        if self.day is None or self.zone is None:
            return self
        day = datetime.combine(self.day, time())
        first_s = next((each.end_s for each in self.intervals if each.end_s is not None), 0.0)
        utc_s = (day + timedelta(seconds=first_s)).replace(tzinfo=self.zone).timestamp()
        return self.moved(utc_s - first_s)

    def moved(self, shift_s: float) -> "HostCpu":
        """The record with its times in UTC, so many seconds after those by its own clock."""
        intervals = tuple(
            each if each.end_s is None else replace(each, end_s=each.end_s + shift_s)
            for each in self.intervals
        )
        return replace(self, intervals=intervals, is_utc=True)

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
        lengths_s = [each.duration_s or 0.0 for each in chosen]
        weights = lengths_s if all(lengths_s) else [1.0] * len(chosen)
        total = 0.0
        for each, weight in zip(chosen, weights, strict=True):
            of_all = each.busy_ratios.get(None)
            if of_all is None and len(each.busy_ratios) != self.cpu_count:
                count = f"{len(each.busy_ratios)} CPUs of {self.cpu_count or 'an unknown number'}"
                problem = f"the interval to {each.clock or 'its end'} has {count}"
                raise ContradictionError(f"{self.source}: {problem}")
            if self.cpu_count is None:
                problem = "the number of CPUs is not reported: record each CPU (-P ALL)"
                raise ContradictionError(f"{self.source}: {problem}")
            busy = sum(each.busy_ratios.values()) if of_all is None else of_all * self.cpu_count
            total += busy * weight
        return total / sum(weights)
