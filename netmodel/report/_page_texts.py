"""Numbers of plans as cells of a page: with the sign of their bound, and their range below."""

import math
from collections.abc import Callable

from netmodel._estimates import Bound, Predicted
from netmodel._text import RESULT_DIGITS, SENTENCE_DIGITS, fixed_percent, range_text
from netmodel.planning._answer import plain_number
from netmodel.report._page_parts import Cell
from netmodel.units import format_time

SIGNS = {Bound.VALUE: "", Bound.UPPER: "≤ ", Bound.LOWER: "≥ ", Bound.MEAN: "about "}
NOTHING = Cell("")


def predicted_cell(
    one: Predicted[float], text_of: Callable[[float], str], quoted: float | None = None
) -> Cell:
    """A quantity, or its end that is quoted, with the sign of its bound; its range below."""
    value = one.value if quoted is None else quoted
    low, high = text_of(one.low), text_of(one.high)
    sign = SIGNS[one.bound] if math.isfinite(value) else ""
    return Cell(f"{sign}{text_of(value)}", "" if low == high else range_text(low, high))


def count_text(count: float) -> str:
    """A number of adapters or cores."""
    return plain_number(count) if math.isfinite(count) else "none is enough"


def share_text(ratio: float) -> str:
    """A share in percent."""
    return fixed_percent(ratio, 1) if math.isfinite(ratio) else "no end"


def time_text(time_s: float) -> str:
    """A time with its unit."""
    return format_time(time_s, RESULT_DIGITS) if math.isfinite(time_s) else "no end"


def times_text(ratio: float) -> str:
    """A multiple."""
    return f"{ratio:.3g} times" if math.isfinite(ratio) else "no end"


def tick_time_text(time_s: float) -> str:
    """A time at a tick."""
    return format_time(time_s, SENTENCE_DIGITS) if time_s else "0"


def rate_text(rate_tps: float) -> str:
    """Transactions per second."""
    return f"{rate_tps:,.0f} /s"


def html_signs(text: str) -> str:
    """The signs of bounds as they are printed."""
    return text.replace(">= ", "≥ ").replace("<= ", "≤ ")
