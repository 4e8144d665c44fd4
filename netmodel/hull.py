"""Corners of what half-planes leave."""

from typing import TYPE_CHECKING, TypeAlias

from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO

if TYPE_CHECKING:
    import numpy.typing as npt

_Floats: TypeAlias = "npt.NDArray[np.float64]"

_PARALLEL_RATIO = 1e-15
"""Sine of the angle of two lines that is rounding: some times the 1.1e-16 of a float."""
_AWAY_RATIO = 1e-12
"""A direction that leaves a half-plane by no more than this stays in it, but for rounding."""


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
    _, corners = _meetings(normals, offsets, tolerance)
    along = np.vstack([_along(normals), -_along(normals)])
    directions = sorted(set(map(tuple, (along[_is_endless(along, normals)] + 0.0).tolist())))
    return corners, np.array(directions).reshape(-1, 2)


def edges(
    normals: _Floats, offsets: _Floats, tolerance: float = ROUNDING_RATIO
) -> "npt.NDArray[np.intp]":
    """
    Places of half-planes that leave the same shape as all of them; few where it has an inside.

    Parameters
    ----------
    normals, offsets, tolerance
        As of `half_plane_corners`.
    """
    pairs, _ = _meetings(normals, offsets, tolerance)
    if not len(pairs):
        return np.arange(len(offsets))
    along = _along(normals)
    endless = _is_endless(along, normals) | _is_endless(-along, normals)
    return np.unique(np.concatenate([pairs.ravel(), np.flatnonzero(endless)]))


def _along(normals: _Floats) -> _Floats:
    """Directions along each edge, of length 1."""
    sizes: _Floats = np.hypot(*normals.T)
    return np.column_stack([-normals[:, 1], normals[:, 0]]) / sizes[:, np.newaxis]


def _is_endless(along: _Floats, normals: _Floats) -> "npt.NDArray[np.bool_]":
    return np.asarray((along @ normals.T <= _AWAY_RATIO).all(axis=1))


def _meetings(
    normals: _Floats, offsets: _Floats, tolerance: float
) -> tuple["npt.NDArray[np.intp]", _Floats]:
    """Pairs of half-planes whose edges meet in a corner, and the corners."""
    pairs = _neighbours(normals, offsets, tolerance)
    (a, b), (c, d) = normals[pairs[:, 0]].T, normals[pairs[:, 1]].T
    e, f = offsets[pairs].T
    # Cramer's rule
    meetings = np.column_stack([e * d - b * f, a * f - e * c]) / (a * d - b * c)[:, np.newaxis]
    within = (meetings @ normals.T <= offsets + tolerance).all(axis=1)
    return pairs[within], meetings[within] + 0.0


def _neighbours(normals: _Floats, offsets: _Floats, tolerance: float) -> "npt.NDArray[np.intp]":
    """Pairs of half-planes that may meet in a corner: the line of one is cut last by the other."""
    sizes = np.hypot(*normals.T)
    units, ends = normals / sizes[:, np.newaxis], offsets / sizes
    slopes = _along(units) @ units.T
    rooms = ends - ends[:, np.newaxis] * (units @ units.T)
    places = np.arange(len(ends))
    pairs = []
    # of lines nearly parallel the first quotient is rounding, but for a tolerance
    for most in (rooms, rooms + tolerance / sizes):
        for sign in (1, -1):
            with np.errstate(divide="ignore", invalid="ignore"):
                cuts = np.where(sign * slopes > _PARALLEL_RATIO, most / (sign * slopes), np.inf)
            last = cuts.argmin(axis=1)
            is_cut = np.isfinite(cuts[places, last])
            pairs.append(np.sort(np.column_stack([places, last])[is_cut], axis=1))
    return np.unique(np.concatenate(pairs), axis=0)
