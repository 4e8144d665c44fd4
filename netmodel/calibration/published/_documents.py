"""What calibrated records are made of: numbers with as many digits as hold on every machine."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, TypeAlias

from netmodel.records import Relation, statement
from netmodel.units import format_time

__all__ = ["Document", "Maker", "decimal_of", "is_rounding", "points", "quoted", "time_text"]

Document: TypeAlias = dict[str, Any]
"""What `netmodel.records.record_text` takes."""
Maker: TypeAlias = Callable[[], dict[tuple[str, str], Document]]
"""Makes documents, by kind and id."""

_DIGITS = 10
_LEAST_TIME_S = 1e-18
_ROUNDING_RATIO = 1e-9


def decimal_of(number: float) -> Decimal:
    """
    A number as calibrated records hold it.

    Parameters
    ----------
    number : float
        Any finite one.

    Returns
    -------
    number : decimal.Decimal
        With 10 digits at most: the others depend on the machine.

    Examples
    --------
    >>> decimal_of(1 / 3)
    Decimal('0.3333333333')
    """
    return Decimal(f"{number:.{_DIGITS}g}")


def time_text(time_s: float) -> str:
    """
    A time as calibrated records hold it.

    Parameters
    ----------
    time_s : float
        What is below an attosecond is rounding, and becomes 0. [s]

    Returns
    -------
    text : str
        With 10 digits at most, and its unit.

    Examples
    --------
    >>> time_text(0.864477611940298e-6)
    '864.4776119 ns'
    """
    return format_time(float(decimal_of(time_s)) if time_s >= _LEAST_TIME_S else 0.0)


def points(times: Iterable[tuple[float, float]]) -> list[Document]:
    """Times for a frame and for a byte that are known together, those written alike once."""
    texts = dict.fromkeys((time_text(frame_s), time_text(byte_s)) for frame_s, byte_s in times)
    return [{"per_frame": per_frame, "per_byte": per_byte} for per_frame, per_byte in texts]


def quoted(name: str) -> Document:
    """The figure of a statement, by its id, with its place."""
    told = statement(name)
    figure = {
        "value": told.value,
        "unit": "1" if told.unit == "x" else told.unit,
        "resolution": told.resolution,
        "relation": None if told.relation is Relation.EQUAL else told.relation.value,
        "source": told.source,
        "locator": told.locator,
        "grade": told.grade.value,
        "note": f"statement {name}",
    }
    return {key: value for key, value in figure.items() if value is not None}


def is_rounding(number: float, scale: float) -> bool:
    """Whether a number is a part in 10⁹, or less, of what it was computed from."""
    return abs(number) <= _ROUNDING_RATIO * abs(scale)
