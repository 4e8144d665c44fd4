"""How a printed figure stands to what is computed for it."""

from decimal import Decimal
from enum import Enum
from math import inf, nextafter

from netmodel.judging._evidence._computed import Computed
from netmodel.records import Change, Relation, Statement, allowed_interval, half_step

__all__ = ["SAME_PERCENT", "Agreement", "agreement"]

SAME_PERCENT = float(allowed_interval(Relation.ABOUT, Decimal(100), Decimal(0))[1]) - 100
"""How far from no change at all "the same" may be: as far as "about" elsewhere."""
_LEAST = nextafter(0, 1)
"""No change at all is neither more nor less."""
_ROUNDING_RATIO = 1e-9


class Agreement(Enum):
    """How a statement stands to what is computed for it."""

    PREDICTED = "predicted"
    """All that is computed is inside what is printed."""
    CONSISTENT = "consistent"
    """Part of it is: the statement says more than what is computed, and nothing else."""
    MISSED = "missed"
    """None of it is, or not all where every value occurs."""
    NOT_TOLD = "not_told"
    """Nothing is computed for it."""


def agreement(told: Statement, found: Computed) -> Agreement:
    """How the printed figure, within its rounding, stands to what was computed."""
    least, most = _allowed(told)
    low, high = least - _ROUNDING_RATIO * abs(least), most + _ROUNDING_RATIO * abs(most)
    if found.is_spread and told.relation is Relation.UP_TO:
        return Agreement.PREDICTED if low <= found.high <= high else Agreement.MISSED
    if not (low <= found.high and found.low <= high):
        return Agreement.MISSED
    if low <= found.low and found.high <= high:
        return Agreement.PREDICTED
    return Agreement.MISSED if found.is_spread else Agreement.CONSISTENT


def _allowed(told: Statement) -> tuple[float, float]:
    """What the statement allows, in its unit; per cent of change where it has no figure."""
    if told.change is Change.SAME:
        return -SAME_PERCENT, SAME_PERCENT
    if told.relation is Relation.UP_TO and told.value is not None:
        step = half_step(told.value)
        return float(told.value - step), float(told.value + step)
    if told.interval is not None:
        low, high = map(float, told.interval)
        return low, high
    return (_LEAST, inf) if told.change is Change.MORE else (-inf, -_LEAST)
