"""Figures that tools print rounded: how far off they may be, and whether two agree."""

from decimal import Decimal

from netmodel.units import format_rate

__all__ = ["BYTES_AND_TIME", "half_step", "rate_disagreement"]

_RATE_TOLERANCE_RATIO = 1e-3
_DIGITS = 6
BYTES_AND_TIME = "its bytes and time are"
"""What a rate was computed from, as a disagreement tells it."""


def half_step(figure: str) -> float:
    """Half a unit of the last digit of a figure as it is printed."""
    exponent = Decimal(figure).as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) else 0.0


def rate_disagreement(
    tool: str,
    stated_bps: float,
    computed_bps: float,
    half_width_bps: float = 0.0,
    counted: str = "what it counts is",
) -> tuple[str, ...]:
    """A warning where a tool's own rate is further off than 0.1 % and the rounding of both."""
    allowed_bps = _RATE_TOLERANCE_RATIO * computed_bps + half_width_bps
    if abs(stated_bps - computed_bps) <= allowed_bps:
        return ()
    return (
        f"{tool} prints {format_rate(stated_bps, _DIGITS)}, but {counted} "
        f"{format_rate(computed_bps, _DIGITS)}",
    )
