"""Convex shapes in a plane: the smallest around points, and what half-planes leave."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO

if TYPE_CHECKING:
    import numpy.typing as npt

_Point: TypeAlias = tuple[float, float]
_Floats: TypeAlias = "npt.NDArray[np.float64]"

_PARALLEL_RATIO = 1e-15
"""Sine of the angle of two lines that is rounding: some times the 1.1e-16 of a float."""
_AWAY_RATIO = 1e-12
"""A direction that leaves a half-plane by no more than this stays in it, but for rounding."""

_SAME_DIGITS = 12
"""Of the directions of half-planes: those that agree to these are parallel."""
_GROUP_COUNT = 24
"""Half-planes whose corners are found at once: the work for each grows with its square."""
_MOST_LEFT_RATIO = 0.7
"""Where a round leaves more of the half-planes than this, all of them are taken at once."""
_NEAR = 1e-7
"""Longest edge that is left out, and the distance at which a half-plane touches: above tolerances,
and far below the sizes of shapes near 1."""


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
    # fewer than three points turn nowhere
    return ordered if len(ordered) < 3 else [*_side(ordered), *_side(ordered[::-1])]


def _side(ordered: Sequence[_Point]) -> list[_Point]:
    """Corners from the first point to the last, without the last."""
    result: list[_Point] = []
    for point in ordered:
        while len(result) > 1 and not _turns_left(result[-2], result[-1], point):
            result.pop()
        result.append(point)
    return result[:-1]


def _turns_left(start: _Point, middle: _Point, end: _Point) -> bool:
    """Whether the cross product of both steps is above zero, within rounding."""
    first = (middle[0] - start[0]) * (end[1] - start[1])
    other = (middle[1] - start[1]) * (end[0] - start[0])
    return first - other > ROUNDING_RATIO * max(abs(first), abs(other))


def half_plane_corners(
    normals: _Floats, offsets: _Floats, tolerance: float = ROUNDING_RATIO
) -> tuple[_Floats, _Floats]:
    """
    Corners of the shape that half-planes leave, and the directions in which it has no end.

    Parameters
    ----------
    normals : numpy.ndarray
        Coefficients :math:`n` of each half-plane :math:`n \\cdot x \\le o`, shape (half-planes, 2),
        in scales in which the numbers are near 1.
    offsets : numpy.ndarray
        The :math:`o`, shape (half-planes,).
    tolerance : float
        How far beyond a half-plane a corner may be, as the rounding of other half-planes puts it.

    Returns
    -------
    corners : numpy.ndarray
        Where two edges meet, shape (corners, 2), in no order; the same one again where
        more than two do. None where nothing is left.
    directions : numpy.ndarray
        Of its edges that have one end only, shape (directions, 2).

    Examples
    --------
    All pairs from 0 up whose sum is at least 1:

    >>> corners, directions = half_plane_corners(
    ...     np.array([[-1.0, 0.0], [0.0, -1.0], [-1.0, -1.0]]), np.array([0.0, 0.0, -1.0])
    ... )
    >>> sorted(corners.tolist()), sorted(directions.tolist())
    ([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
    """
    needed = edges(normals, offsets, tolerance)
    return _meetings(normals[needed], offsets[needed], tolerance)


def edges(
    normals: _Floats, offsets: _Floats, tolerance: float = ROUNDING_RATIO
) -> "npt.NDArray[np.intp]":
    """
    Places of the half-planes that leave the same shape as all of them.

    Parameters
    ----------
    normals, offsets, tolerance
        As of `half_plane_corners`.

    Returns
    -------
    places : numpy.ndarray
        Few where the shape has an inside: of half-planes that share their edge the first, and
        none that touches it at a corner only.
    """
    sizes = np.hypot(*normals.T)
    lines = np.column_stack([normals, offsets]) / sizes[:, np.newaxis]
    # (1) of parallel ones the narrowest
    order = np.lexsort((lines[:, 2], *np.round(lines[:, 1::-1].T, _SAME_DIGITS)))
    angles = np.round(lines[order, :2], _SAME_DIGITS)
    is_first = np.append(True, (angles[1:] != angles[:-1]).any(axis=1))[: len(order)]
    kept = np.sort(order[is_first])
    # (2) those with an edge of what a group leaves, in rounds with other neighbours
    while len(kept) > _GROUP_COUNT:
        groups = np.array_split(kept, math.ceil(len(kept) / _GROUP_COUNT))
        fewer = np.concatenate(
            [group[_has_edge(lines[group], tolerance / sizes.max())] for group in groups]
        )
        if len(fewer) > len(kept) * _MOST_LEFT_RATIO:
            return np.sort(fewer)
        kept = np.concatenate([fewer[first :: len(groups)] for first in range(len(groups))])
    return np.sort(kept)


def _has_edge(lines: _Floats, tolerance: float) -> "npt.NDArray[np.bool_]":
    """Whether each of some half-planes, as normal and offset, has an edge of what they leave."""
    normals, offsets = lines[:, :2], lines[:, 2]
    corners, directions = _meetings(normals, offsets, tolerance)
    if not len(corners):
        return np.ones(len(lines), bool)
    is_near = np.abs(normals @ corners.T - offsets[:, np.newaxis]) <= _NEAR
    spanned = np.vstack([corners, corners[0] + directions]) - corners.mean(axis=0)
    if np.linalg.svd(spanned, compute_uv=False)[-1] <= _NEAR:  # it has no inside
        return np.asarray(is_near.any(axis=1))
    along = np.column_stack([-normals[:, 1], normals[:, 0]]) @ corners.T
    lengths = np.where(is_near, along, -np.inf).max(axis=1)
    lengths -= np.where(is_near, along, np.inf).min(axis=1)
    is_endless = (np.abs(normals @ directions.T) <= _NEAR).any(axis=1)
    return np.asarray((lengths > _NEAR) | (is_near.any(axis=1) & is_endless))


def _meetings(normals: _Floats, offsets: _Floats, tolerance: float) -> tuple[_Floats, _Floats]:
    """The same, of each pair of half-planes against all of them."""
    first, second = np.triu_indices(len(offsets), 1)
    (a, b), (c, d) = normals[first].T, normals[second].T
    e, f = offsets[first], offsets[second]
    determinant = a * d - b * c
    sizes = np.hypot(a, b) * np.hypot(c, d)
    meet = np.abs(determinant) > _PARALLEL_RATIO * sizes
    # Cramer's rule, for the pairs of edges that are not parallel.
    meetings = np.column_stack([e * d - b * f, a * f - e * c])[meet] / determinant[meet, np.newaxis]
    within = (meetings @ normals.T <= offsets + tolerance).all(axis=1)
    along = np.column_stack([-normals[:, 1], normals[:, 0]])
    along = np.vstack([along, -along]) / np.tile(np.hypot(*normals.T), 2)[:, np.newaxis]
    endless = (along @ normals.T <= _AWAY_RATIO).all(axis=1)
    directions = sorted(set(map(tuple, (along[endless] + 0.0).tolist())))
    return meetings[within] + 0.0, np.array(directions).reshape(-1, 2)
