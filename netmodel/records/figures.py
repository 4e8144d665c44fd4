"""Printed figures: relation to the true quantity, and the interval that rounding leaves."""

from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

from pydantic import BeforeValidator

from netmodel._estimates import ABOUT_RATIO
from netmodel._printable import quoted
from netmodel.errors import UnitError
from netmodel.units import split_quantity
from netmodel.units._parse import MAX_EXPONENT

UNIT_OF_COUNTS = "1"


class Relation(Enum):
    """Relation of the true quantity to the printed figure."""

    EQUAL = "equal"
    """Within the rounding of the printed digits."""
    ABOUT = "about"
    """Near it, as with words such as around."""
    AT_LEAST = "at_least"
    """Not below it."""
    AT_MOST = "at_most"
    """Not above it."""
    UP_TO = "up_to"
    """Not above it, and at least one of the named cases reaches it."""
    RANGE = "range"
    """Between two printed ends."""
    CENSORED_ABOVE = "censored_above"
    """Not below it: something else, such as the line rate, kept it from being larger."""
    CENSORED_BELOW = "censored_below"
    """Not above it: something else kept it from being smaller."""
    SIGN = "sign"
    """Only the direction of a change is known."""


_OPEN_BELOW = frozenset({Relation.AT_MOST, Relation.UP_TO, Relation.CENSORED_BELOW})
_OPEN_ABOVE = frozenset({Relation.AT_LEAST, Relation.CENSORED_ABOVE})
_INFINITY = Decimal("Infinity")
_WORDS = {
    relation.value.replace("_", " "): relation
    for relation in Relation
    if relation not in {Relation.EQUAL, Relation.RANGE, Relation.SIGN}
}
"""Words that may precede a figure in a text, and the relation that each means."""
_COUNTED_UNITS = frozenset({UNIT_OF_COUNTS, "B", "byte", "bytes", "KiB", "MiB", "GiB"})


def number_as_printed(number: object) -> Decimal:
    """The integer or decimal as an exact number; a ValueError says what is wrong with it."""
    if isinstance(number, bool) or not isinstance(number, int | Decimal):
        raise ValueError("must be an integer or a decimal number, whose digits are kept")
    exact = Decimal(number)
    if not exact.is_finite():
        raise ValueError("must be a finite number")
    if abs(exact.adjusted()) > MAX_EXPONENT:
        raise ValueError("is beyond the range of numbers that are read")
    return exact


def half_step(number: Decimal) -> Decimal:
    """
    Half a unit of the last printed digit; trailing zeros count as digits.

    Parameters
    ----------
    number : decimal.Decimal
        As printed.

    Returns
    -------
    half_width : decimal.Decimal
        How far rounding may have moved it, in its unit.

    Examples
    --------
    >>> half_step(Decimal("13.40"))
    Decimal('0.005')
    """
    # 5 in the place after the last: half of one there
    return Decimal((0, (5,), int(number.as_tuple().exponent) - 1))


def rounding_half_width(number: Decimal, resolution: Decimal | None = None) -> Decimal | None:
    """
    Half a step of a printed number: how far rounding may have moved it.

    Parameters
    ----------
    number : decimal.Decimal
        As printed.
    resolution : decimal.Decimal, optional
        Step of the printed figures, where the digits do not show it.

    Returns
    -------
    half_width : decimal.Decimal or None
        In the unit of the number. None for an integer that ends in 0 and has
        no resolution: its zeros may be significant or only placeholders.

    Examples
    --------
    >>> rounding_half_width(Decimal("13.40"))
    Decimal('0.005')
    >>> rounding_half_width(Decimal(2500), Decimal(100))
    Decimal('50')
    """
    if resolution is not None:
        return resolution / 2
    _, digits, exponent = number.as_tuple()
    if exponent == 0 and len(digits) > 1 and digits[-1] == 0:
        return None
    return half_step(number)


def is_counted(number: Decimal, unit: str) -> bool:
    """Whether the figure is a count or a setting: an integer of items, bytes or binary units."""
    return int(number.as_tuple().exponent) >= 0 and unit in _COUNTED_UNITS


def parts_of_figure(text: str) -> dict[str, Any]:
    """
    Relation, numbers and unit of a figure written as a short text.

    Such as ``"12 µs"``, ``"8"``, ``"12 to 14 µs"`` or ``"about 13 Gbit/s"``;
    a ValueError says what is allowed.
    """
    word = next((word for word in _WORDS if text.strip().startswith(f"{word} ")), "")
    figure = text.strip().removeprefix(word)
    low, ranges, high = figure.partition(" to ")
    try:
        if ranges and not word:
            number, unit = _number_and_unit(high)
            ends = {"low": _bare_number(low), "high": number}
            return {"relation": Relation.RANGE, "unit": unit, **ends}
        number, unit = _number_and_unit(figure)
    except UnitError as error:
        raise ValueError(
            f"{quoted(text)} is not a figure ({error}); write one like '12 µs', '8', "
            f"'12 to 14 µs', or '13 Gbit/s' after {', '.join(_WORDS)}"
        ) from None
    return {"relation": _WORDS.get(word, Relation.EQUAL), "unit": unit, "value": number}


def _number_and_unit(text: str) -> tuple[Decimal, str]:
    number, unit = split_quantity(text)
    if len(unit.split()) > 1 or (unit[:1].isdigit() and not unit.startswith("1/")):
        raise UnitError("expected one number and one unit without blanks")
    return number, unit or UNIT_OF_COUNTS


def _bare_number(text: str) -> Decimal:
    number, unit = split_quantity(text)
    if unit:
        raise UnitError("write the unit once, after both numbers")
    return number


def with_unit(figure: str, unit: str) -> str:
    """The figure and its unit; the unit of counts, 1, is not printed."""
    return figure if unit == UNIT_OF_COUNTS else f"{figure} {unit}"


def allowed_interval(
    relation: Relation, value: Decimal, half_width: Decimal
) -> tuple[Decimal, Decimal]:
    """
    Closed interval that one figure allows.

    Parameters
    ----------
    relation : Relation
        Relation of the quantity to the figure.
    value : decimal.Decimal
        The figure.
    half_width : decimal.Decimal
        How far rounding may have moved it.

    Returns
    -------
    low, high : decimal.Decimal
        Infinite where an end is open. "About" allows 5 %, at least the rounding.

    Examples
    --------
    >>> allowed_interval(Relation.ABOUT, Decimal(20), Decimal("0.5"))
    (Decimal('19.00'), Decimal('21.00'))
    """
    if relation in _OPEN_ABOVE:
        return value, _INFINITY
    if relation in _OPEN_BELOW:
        return -_INFINITY, value
    margin = half_width
    if relation is Relation.ABOUT:
        margin = max(margin, abs(value) * ABOUT_RATIO)
    return value - margin, value + margin


Number = Annotated[Decimal, BeforeValidator(number_as_printed)]
