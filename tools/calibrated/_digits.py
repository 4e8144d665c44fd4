"""Numbers and points of records, with the digits that hold on every machine."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from netmodel.units import format_time

DIGITS = 10
"""Of 15 that a float has: the last ones depend on the machine's order of operations."""
ROUNDING = 1e-9
"""A part of the largest time, from which on a time is the rounding of 0."""


def decimal(number: float, digits: int = DIGITS) -> Decimal:
    """Return a number as records hold it."""
    return Decimal(f"{number:.{digits}g}")


def time_text(time_s: float) -> str:
    """Return a time with its unit."""
    return format_time(float(decimal(time_s)))


def hull(rows: Any) -> list[tuple[float, float]]:
    """Return the corners around times of a frame and of a byte, largest first."""
    rows = np.where(rows > ROUNDING * rows.max(axis=0), rows, 0.0)
    scales = np.where(rows.max(axis=0) > 0, rows.max(axis=0), 1.0)
    distinct = np.unique(np.round(rows / scales, DIGITS), axis=0, return_index=True)[1]
    rows = rows[distinct]
    try:
        rows = rows[ConvexHull(rows / scales).vertices]
    except QhullError:  # all on a line, or fewer than three
        order = np.lexsort(rows.T[::-1])
        rows = rows[[order[0], order[-1]]] if len(rows) > 2 else rows
    return in_order((float(frame_s), float(byte_s)) for frame_s, byte_s in rows)


def in_order(times: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return times of a frame and of a byte, largest first."""
    return sorted(times, key=lambda each: (decimal(each[0]), decimal(each[1])), reverse=True)


def points(times: Iterable[tuple[float, float]]) -> list[dict[str, str]]:
    """Return times as records have them, each once."""
    texts = dict.fromkeys((time_text(frame_s), time_text(byte_s)) for frame_s, byte_s in times)
    return [{"per_frame": per_frame, "per_byte": per_byte} for per_frame, per_byte in texts]


def printed_count(count: int, written: Sequence[object]) -> dict[str, int]:
    """Return how many points are of figures as printed, unless all are."""
    return {} if count == len(written) else {"printed_count": count}


def payload_text(payloads_bytes: Iterable[float]) -> str:
    """Return the range of payloads of measured frames."""
    sizes = [*payloads_bytes]
    low, high = math.floor(min(sizes)), math.ceil(max(sizes))
    return f"{low} B" if low == high else f"{low} to {high} B"
