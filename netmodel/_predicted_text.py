"""Predicted quantities as text: on which side of the truth they lie, and what is open of them."""

from collections.abc import Callable
from math import inf, isfinite

from netmodel._estimates import Predicted
from netmodel._text import RESULT_DIGITS, range_text
from netmodel.units import format_rate


def rate_text(rate_bps: float) -> str:
    """A bit rate, also one without end."""
    if isfinite(rate_bps):
        return format_rate(rate_bps, RESULT_DIGITS)
    return "no limit" if rate_bps == inf else "not known"


PARAMETERS_LEAVE = "parameters leave"
"""What `low` and `high` are where service times and other parameters are known as ranges."""


def predicted_text(
    one: Predicted[float],
    text_of: Callable[[float], str] = rate_text,
    range_name: str = PARAMETERS_LEAVE,
) -> str:
    """
    A quantity with the sign of its bound, and its range.

    Examples
    --------
    >>> from netmodel._estimates import Bound
    >>> predicted_text(Predicted(13.4e9, 13.35e9, 13.45e9, Bound.UPPER))
    '<= 13.4 Gbit/s (parameters leave 13.35 to 13.45 Gbit/s)'
    """
    text, low, high = map(text_of, (one.value, one.low, one.high))
    sign = one.bound.sign if isfinite(one.value) else ""
    return f"{sign}{text}" + ("" if low == high else f" ({range_name} {range_text(low, high)})")
