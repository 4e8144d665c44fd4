"""When the intervals of a host were, where its tool printed local times without zone or day."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from netmodel.errors import ContradictionError
from netmodel.readers._clock import Clock, iso_day, utc_text
from netmodel.readers._host_cpu import CpuInterval, HostCpu, Span, overlap_s
from netmodel.readers._sysstat_rows import NO_DAY, NO_ZONE

__all__ = ["CLOCK_STEP_S", "in_zone_of_runs"]

CLOCK_STEP_S = 1.0
"""sysstat prints whole seconds, which may be off by one. [s]"""
_ZONES_MIN = range(-12 * 60, 14 * 60 + 1, 15)
"""Offsets from UTC: all of the tz database are multiples of 15 min from -12:00 to +14:00. [min]"""
_NEAR_DAYS = (0, -1, 1)
"""The day of the runs in UTC; by a local clock it may be the one before or after."""
_DATED_S = (86400, 4_102_444_800)
"""Times from 1970-01-02 to 2100, whose neighbouring days are dates too. [s]"""


def in_zone_of_runs(host: HostCpu, common: Span) -> tuple[HostCpu, list[str]]:
    """
    The host with its times in UTC, and what was assumed for that.

    Where its zone is not known, it is the one in which the record overlaps the runs. Where its
    day is not known, only the time of day is compared.
    """
    clocks_s = _clocks_s(host)
    known = [span for span in clocks_s if span is not None]
    is_dated = _DATED_S[0] < common[0] < _DATED_S[1]
    if not known or any(one.span for one in host.intervals):
        return host, []
    record = known[0][0], known[-1][1]
    wide = common[0] - CLOCK_STEP_S, common[1] + CLOCK_STEP_S
    fitting: dict[float, tuple[date, tzinfo]] = {}
    for day, zone in _candidates(host, common) if is_dated else ():
        begin_s, end_s = _in_utc(record, day, zone)
        if overlap_s((begin_s, end_s), wide) > 0:
            fitting.setdefault(begin_s, (day, zone))
    if len(fitting) != 1:
        zones = [str(zone) for _, zone in fitting.values()]
        raise ContradictionError(_why_unknown(host, common, zones))
    ((day, zone),) = fitting.values()
    intervals = [
        one if clock_s is None else _dated(one, _in_utc(clock_s, day, zone))
        for one, clock_s in zip(host.intervals, clocks_s, strict=True)
    ]
    others = tuple(text for text in host.warnings if text not in {NO_DAY, NO_ZONE})
    placed = replace(host, intervals=tuple(intervals), warnings=others)
    return placed, list(_assumed(host, str(zone)))


def _clocks_s(host: HostCpu) -> list[Span | None]:
    """Begin and end of each interval by the host's clock, since midnight of its first day."""
    clock = Clock(None, None)
    ends_s = [clock.since_start(_time_of(one)) for one in host.intervals]
    return [
        None if end_s is None or one.duration_s is None else (end_s - one.duration_s, end_s)
        for one, end_s in zip(host.intervals, ends_s, strict=True)
    ]


def _time_of(interval: CpuInterval) -> str:
    """The time at the end of an interval as printed, without the date before it."""
    first, _, rest = interval.clock.partition(" ")
    return rest if iso_day(first) else interval.clock


def _candidates(host: HostCpu, common: Span) -> Iterator[tuple[date, tzinfo]]:
    """Days and zones that the times may be of, the likeliest first."""
    today = datetime.fromtimestamp(common[0], UTC).date()
    offsets = sorted(_ZONES_MIN, key=abs)
    zones = [host.zone] if host.zone else [timezone(timedelta(minutes=each)) for each in offsets]
    for zone in zones:
        for days in _NEAR_DAYS:
            yield host.day or today + timedelta(days=days), zone


def _in_utc(clock_s: Span, day: date, zone: tzinfo) -> Span:
    midnight = datetime.combine(day, datetime.min.time())
    begin, end = (
        (midnight + timedelta(seconds=each)).replace(tzinfo=zone).timestamp() for each in clock_s
    )
    return begin, end


def _dated(interval: CpuInterval, span: Span) -> CpuInterval:
    return replace(interval, begin_utc_s=span[0], end_utc_s=span[1])


def _assumed(host: HostCpu, zone: str) -> Iterator[str]:
    if host.zone is None:
        yield (
            f"its times have no zone and are taken as {zone}, which makes them overlap the runs: "
            "specify the zone (--host-zone) to be sure"
        )
    if host.day is None:
        yield "its date is written as a locale writes it: only the time of day is compared"


def _why_unknown(host: HostCpu, common: Span, zones: list[str]) -> str:
    runs = f"they were from {utc_text(common[0])} to {utc_text(common[1])}"
    clock = f"{host.intervals[0].clock} to {host.intervals[-1].clock}"
    if zones:
        return (
            f"the times of {host.source} ({clock}) have no zone, and several would make them "
            f"overlap the runs ({', '.join(zones)}): specify it (--host-zone)"
        )
    return (
        f"no interval of CPU time lies within the runs: {runs}, and the times of {host.source} "
        f"({clock}) are of that time in {host.zone or 'no zone'}; specify their zone (--host-zone)"
    )
