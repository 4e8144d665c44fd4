"""Quantities that are computed for a statement, in base units, and how its words stand to them."""

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from math import inf, nextafter

from netmodel._estimates import ABOUT_RATIO
from netmodel._numeric import ROUNDING_RATIO
from netmodel.errors import UnitError
from netmodel.records import Relation, Statement
from netmodel.records._subjects import Change
from netmodel.units import parse_length_m, parse_rate_bps, parse_size_bytes, parse_time_s

NUMBER = "1"
PERCENT = "%"
POINTS = "points"
_PLAIN_UNITS = frozenset({NUMBER, "x", "line", "count"})
"""Of counts, of factors, and of payload rates as a share of what the line carries."""
_PARSERS = (
    ("m", parse_length_m),
    ("byte", parse_size_bytes),
    ("bit/s", parse_rate_bps),
    ("s", parse_time_s),
)

SAME_PERCENT = 100 * float(ABOUT_RATIO)
"""How far from no change at all "the same" may be: as far as "about" may be off."""
_SMALLEST_CHANGE = nextafter(0, 1)
"""No change at all is neither more nor less."""
_PERCENT_DIGITS = 9
"""Decimals of a change in per cent that are no floating-point noise."""


class Agreement(Enum):
    """How a statement stands to what is computed for it."""

    PREDICTED = "predicted"
    """The printed figure covers the whole computed range."""
    CONSISTENT = "consistent"
    """It covers a part of it: the statement is more precise than what is computed."""
    MISSED = "missed"
    """It covers none of it, or not all where every value occurs."""
    NOT_COMPUTED = "not_computed"
    """Nothing is computed for it."""


@dataclass(frozen=True, slots=True)
class Amount:
    """
    A quantity that a rule makes.

    Parameters
    ----------
    low, high : float
        Between which it lies.
    unit : str
        Its base unit: byte, bit/s, s, m, 1 for numbers and ratios, % for printed changes.
    text : str
        How it was computed.
    every : bool
        Whether every value between both ends occurs, so that a statement has to allow all of
        them; otherwise the true one is among them.
    loose : tuple of float, optional
        The ends where rounding of the printed cells goes in favour of "more" or "less".
    shown : tuple of float, optional
        The ends to print, where they are not those that count.
    caption : str
        To print in place of both.
    """

    low: float
    high: float
    unit: str
    text: str
    every: bool = False
    loose: tuple[float, float] | None = None
    shown: tuple[float, float] | None = None
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Computed:
    """
    What is computed for a statement.

    Parameters
    ----------
    low, high : float
        In the unit of the statement.
    unit : str
        That unit; % for a change without a figure.
    how : str
        From what.
    every : bool
        Whether every value of the interval occurs; otherwise the truth is one of them.
    text : str
        What to print in place of the interval.
    inputs : tuple of str
        Ids of the statements that it was computed from.
    record_inputs : tuple of str
        Ids of the statements that records are calibrated from, over which it was computed.
    compared : tuple of str
        Ids of the statements that it sums up.
    cells : tuple of str
        Cells of tables that it, or a record of a path, comes from.
    taken_by : str
        Figure of a record that cites this very place.
    is_restated : bool
        Whether every case is one that an input reports, so that a record only repeats it.
    """

    low: float
    high: float
    unit: str
    how: str
    every: bool = False
    text: str = ""
    inputs: tuple[str, ...] = ()
    record_inputs: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    taken_by: str = ""
    is_restated: bool = False

    def __str__(self) -> str:
        unit = "" if self.unit == NUMBER else self.unit
        if self.text or self.low == self.high:
            return f"{self.text or format(self.low, '.6g')} {unit}".strip()
        if self.high == inf:
            return f"{self.low:.4g} {unit} or more".replace("  ", " ")
        return f"{self.low:.4g} to {self.high:.4g} {unit}".strip()


@lru_cache(maxsize=256)  # more units than a document prints
def base_unit(unit: str) -> tuple[str, float]:
    """Base unit of a printed unit, and what one of it is in that; unknown units are their own."""
    if unit in _PLAIN_UNITS:
        return NUMBER, 1.0
    for base, parse in _PARSERS:
        try:
            return base, float(parse(f"1 {unit}"))
        except UnitError:
            continue
    return unit, 1.0


def in_words_of(statement: Statement, amount: Amount) -> Computed:
    """
    An amount as the statement would print it: in its unit, or as the change that it claims.

    Raises
    ------
    UnitError
        If the amount is of another kind than the statement.
    """
    is_difference = statement.relation is Relation.SIGN and statement.change is not Change.SAME
    ends, how = (amount.low, amount.high), amount.text
    shown = amount.shown or ends
    if amount.loose is not None and is_difference:
        ends, how = amount.loose, f"{how}, each within its rounding"
    low, high, unit = _converted(statement, ends, amount.unit)
    computed = Computed(low, high, unit, how, amount.every, amount.caption)
    if amount.caption:
        return replace(computed, unit="")
    if shown == ends:
        return computed
    plain = Computed(*_converted(statement, shown, amount.unit), how)
    return replace(computed, text=str(plain).removesuffix(unit).strip())


def _converted(
    statement: Statement, ends: tuple[float, float], unit: str
) -> tuple[float, float, str]:
    if statement.change is None or POINTS in (unit, statement.unit):
        printed = statement.unit or (POINTS if unit == POINTS else NUMBER)
        base, scale = base_unit(printed)
        if base != unit:
            raise UnitError(f"comes to {unit}, but the statement is in {printed}")
        return ends[0] / scale, ends[1] / scale, printed
    if unit not in (NUMBER, PERCENT):
        raise UnitError(f"comes to {unit}, but the change of a statement takes a ratio or %")
    if statement.change is Change.FACTOR:
        low, high = ends if unit == NUMBER else (1 + end / 100 for end in ends)
        return low, high, statement.unit or "x"
    if statement.has_figure and statement.unit != PERCENT:
        raise UnitError(f"comes to a change in %, but the statement is in {statement.unit}")
    low, high = (end if unit == PERCENT else 100 * (end - 1) for end in ends)
    if statement.change is Change.LESS and statement.relation is not Relation.SIGN:
        low, high = -high, -low
    return round(low, _PERCENT_DIGITS), round(high, _PERCENT_DIGITS), PERCENT


def agreement(statement: Statement, computed: Computed) -> Agreement:
    """How the printed figure, within its rounding, stands to what was computed."""
    if statement.change is Change.SAME:
        lowest, highest = -SAME_PERCENT, SAME_PERCENT
    elif statement.relation is Relation.UP_TO and statement.value is not None:
        step = statement.half_width(statement.value)
        lowest, highest = float(statement.value - step), float(statement.value + step)
    elif statement.interval is not None:
        lowest, highest = map(float, statement.interval)
    elif statement.change is Change.MORE:
        lowest, highest = _SMALLEST_CHANGE, inf
    else:
        lowest, highest = -inf, -_SMALLEST_CHANGE
    low = lowest - ROUNDING_RATIO * abs(lowest)
    high = highest + ROUNDING_RATIO * abs(highest)
    if computed.every and statement.relation is Relation.UP_TO:
        return Agreement.PREDICTED if low <= computed.high <= high else Agreement.MISSED
    if not (low <= computed.high and computed.low <= high):
        return Agreement.MISSED
    if low <= computed.low and computed.high <= high:
        return Agreement.PREDICTED
    return Agreement.MISSED if computed.every else Agreement.CONSISTENT
