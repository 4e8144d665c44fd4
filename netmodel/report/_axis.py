"""The common axis of measured rates and their limits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from netmodel.report._verdict_rows import VerdictRow

__all__ = ["Axis", "axis_of"]

_LOG_FROM_RATIO = 20
_SMALLEST_RATIO = 1e-3
_HEADROOM = 1.04
_ROOM_FOR_LIMITS = 1.5
_MOST_STEPS = 5


@dataclass(frozen=True, slots=True)
class Axis:
    """
    From a value to a place in per cent of the width.

    Parameters
    ----------
    low, high : float
        Values at the ends.
    is_log : bool
        Whether equal distances are equal ratios.
    """

    low: float
    high: float
    is_log: bool

    def percent(self, value: float) -> float:
        """Where a value lies; that of the nearer end where it lies outside."""
        inside = min(max(value, self.low), self.high)
        if self.is_log:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (inside - self.low) / (self.high - self.low)
        return round(100 * share, 2)

    @property
    def ticks(self) -> list[float]:
        """Even values to be named."""
        return _decades(self.low, self.high) if self.is_log else _even_steps(self.high)


def axis_of(rows: Sequence[VerdictRow]) -> Axis | None:
    """
    The axis on which all these runs and their ceilings have room.

    Parameters
    ----------
    rows : sequence of VerdictRow
        Runs whose rates have one unit.

    Returns
    -------
    axis : Axis
        From zero, or a logarithmic one where the rates are more than 20 times
        apart. A rate far below its ceiling does not count for that; it may
        lie outside, and so may limits far above. None without any rate.
    """
    drawn = [row.drawn for row in rows if row.drawn]
    if not drawn:
        return None
    least, most = min(rates[-1] for rates in drawn), max(map(max, drawn))
    limits = (end for row in rows for limit in row.limits for end in (limit.value, limit.high))
    high = _HEADROOM * max([most, *(end for end in limits if end <= _ROOM_FOR_LIMITS * most)])
    if most <= _LOG_FROM_RATIO * least:
        return Axis(0, high, is_log=False)
    low = max(min(map(min, drawn)), _SMALLEST_RATIO * least) / _HEADROOM
    return Axis(low, high, is_log=True)


def _even_steps(high: float) -> list[float]:
    rough = high / _MOST_STEPS
    decade = 10 ** math.floor(math.log10(rough))
    step = next(factor * decade for factor in (1, 2, 5, 10) if factor * decade >= rough)
    return [step * count for count in range(int(high / step) + 1)]


def _decades(low: float, high: float) -> list[float]:
    exponents = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    stride = math.ceil(len(exponents) / _MOST_STEPS)
    return [10.0**exponent for exponent in exponents[:: stride or 1]]
