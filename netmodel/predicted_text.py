"""Predicted quantities as text: on which side of the truth they lie, and what is open of them."""

from collections.abc import Callable
from math import inf, isfinite

from netmodel.estimates import Bound, Predicted
from netmodel.text import RESULT_DIGITS, range_text
from netmodel.units import format_rate, format_size, format_time

_HOUR_S = 3600
"""Seconds of an hour; copies that take some are given in hours too."""
_WHOLE_SECONDS = 1000
"""From here on a time of a copy is in whole seconds, as people compare them."""


def rate_text(rate_bps: float) -> str:
    """Return a bit rate, also one without end."""
    if isfinite(rate_bps):
        return format_rate(rate_bps, RESULT_DIGITS)
    return "no limit" if rate_bps == inf else "not known"


PARAMETERS_ALLOW = "parameters allow"
"""What `low` and `high` are where service times and other parameters are known as ranges."""


def predicted_text(
    one: Predicted[float],
    text_of: Callable[[float], str] = rate_text,
    range_name: str = PARAMETERS_ALLOW,
) -> str:
    """
    Return a quantity with the sign of its bound, and its range.

    Examples
    --------
    >>> from netmodel.estimates import Bound
    >>> predicted_text(Predicted(13.4e9, 13.35e9, 13.45e9, Bound.UPPER))
    '<= 13.4 Gbit/s (parameters allow 13.35 to 13.45 Gbit/s)'
    """
    text, low, high = map(text_of, (one.value, one.low, one.high))
    sign = one.bound.sign if isfinite(one.value) else ""
    return f"{sign}{text}" + ("" if low == high else f" ({range_name} {range_text(low, high)})")


def copy_text(volume_bytes: float, time_s: float, bound: Bound = Bound.VALUE) -> str:
    """
    Return how long a copy takes, in a few words; in hours too, where it takes some.

    Examples
    --------
    >>> copy_text(5e12, 4248.627, Bound.LOWER), copy_text(5e12, 40000)
    ('A copy of 5 TB takes at least 4,249 s (1.2 h)', 'A copy of 5 TB takes 40,000 s (11 h)')
    """
    size = f"A copy of {format_size(volume_bytes, RESULT_DIGITS)}"
    if not isfinite(time_s):
        return f"{size} has no known time"
    text = f"{time_s:,.0f} s" if time_s >= _WHOLE_SECONDS else format_time(time_s, RESULT_DIGITS)
    hours = f" ({time_s / _HOUR_S:.2g} h)" if time_s >= _HOUR_S else ""
    return f"{size} takes {'' if bound is Bound.VALUE else f'{bound.words} '}{text}{hours}"
