"""Corners of the smallest convex shape around points in a plane."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

__all__ = ["hull"]

_Point: TypeAlias = tuple[float, float]

_ROUNDING_RATIO = 1e-9
"""A turn by so little of what it is computed from is the rounding of floats."""


def hull(points: Iterable[_Point]) -> list[_Point]:
    """
    Corners around points, against the clock from the one furthest left.

    Parameters
    ----------
    points : iterable of tuple of float
        In any order.

    Returns
    -------
    corners : list of tuple of float
        The points themselves where there are fewer than three.

    References
    ----------
    A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions",
    Information Processing Letters 9 (1979).

    Examples
    --------
    >>> hull([(0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (0.5, 0.5)])
    [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)]
    """
    ordered = sorted(set(points))
    return ordered if len(ordered) < 3 else [*_side(ordered), *_side(ordered[::-1])]


def _side(ordered: Sequence[_Point]) -> list[_Point]:
    """Corners from the first point to the last, without the last."""
    found: list[_Point] = []
    for point in ordered:
        while len(found) > 1 and not _turns_left(found[-2], found[-1], point):
            found.pop()
        found.append(point)
    return found[:-1]


def _turns_left(start: _Point, middle: _Point, end: _Point) -> bool:
    one = (middle[0] - start[0]) * (end[1] - start[1])
    other = (middle[1] - start[1]) * (end[0] - start[0])
    return one - other > _ROUNDING_RATIO * max(abs(one), abs(other))
