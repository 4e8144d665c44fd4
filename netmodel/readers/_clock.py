"""Times as tools print them: of the day, without a date, a zone, or both."""

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo

__all__ = ["Clock", "clock_s", "iso_day", "utc_text"]

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
