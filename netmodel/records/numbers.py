"""Numbers of records: exact, as they are printed."""

from decimal import Decimal

from netmodel.units.parsing import MAX_EXPONENT


def number_as_printed(number: object) -> Decimal:
    """Return the integer or decimal as an exact number; a ValueError says what is wrong with it."""
    if isinstance(number, bool) or not isinstance(number, int | Decimal):
        raise ValueError("must be an integer or a decimal number, whose digits are kept")
    exact = Decimal(number)
    if not exact.is_finite():
        raise ValueError("must be a finite number")
    if abs(exact.adjusted()) > MAX_EXPONENT:
        raise ValueError("is beyond the range of numbers that are read")
    return exact
