"""Points of many fits, a column for each fit, as callers give them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from netmodel.calibration._many._step import Counts, Floats
from netmodel.errors import DomainError

__all__ = [
    "Columns",
    "Points",
    "floats",
    "given_points",
]

Columns: TypeAlias = Floats | Mapping[str, Floats]


_BLOCK_VALUES = 100_000
"""Values of one array that are worked on at a time, so that the arrays of a block stay in cache."""


@dataclass(frozen=True, slots=True)
class Points:
    """
    What the fits are fitted to.

    Parameters
    ----------
    x : array or mapping of arrays
        Of shape (points, fits), or (points, 1) where the fits share it.
    y : array
        Of shape (points, fits); 0 where missing.
    weights : array, optional
        Of shape (points, fits); 0 where missing. None where all are 1.
    """

    x: Columns
    y: Floats
    weights: Floats | None

    @property
    def counts(self) -> Counts:
        """Points of each fit that are not missing."""
        if self.weights is None:
            return np.full(self.y.shape[1], self.y.shape[0])
        counts: Counts = np.count_nonzero(self.weights, axis=0)
        return counts

    @property
    def squares(self) -> Floats:
        """Weighted sum of squares of each fit."""
        weighted = self.weighted(self.y)
        squares: Floats = np.einsum("ij,ij->j", weighted, weighted)
        return squares

    def blocks(self) -> Iterator[slice]:
        """Fits to work on at a time."""
        point_count, fit_count = self.y.shape
        width = max(1, _BLOCK_VALUES // max(1, point_count))
        return (slice(begin, begin + width) for begin in range(0, fit_count, width))

    def weighted(self, values: Floats) -> Floats:
        """Values times the weights."""
        return values if self.weights is None else values * self.weights

    def at(self, index: Counts | slice) -> "Points":
        """The points of some fits."""
        weights = None if self.weights is None else _columns_at(self.weights, index)
        if isinstance(self.x, Mapping):
            x = {name: _at(column, index) for name, column in self.x.items()}
            return Points(x, _columns_at(self.y, index), weights)
        return Points(_at(self.x, index), _columns_at(self.y, index), weights)


def _at(column: Floats, index: Counts | slice) -> Floats:
    return column if column.shape[1] == 1 else _columns_at(column, index)


def _columns_at(values: Floats, index: Counts | slice) -> Floats:
    return values[:, index] if isinstance(index, slice) else np.take(values, index, axis=1)


def given_points(x: Any, y: Any, weights: Any) -> Points:
    """Points as a caller gives them, checked."""
    _let_memory_be_kept()
    values = floats("y", y)
    if values.ndim != 2:
        raise DomainError(f"y must have the shape (points, fits); got {values.shape}")
    if np.isinf(values).any():
        raise DomainError(f"y must be finite, or NaN where it is missing; got {_first_bad(values)}")
    missing = np.isnan(values)
    if weights is not None:
        weights = np.broadcast_to(_column("weights", weights, values.shape), values.shape)
        if weights.min(initial=0) < 0:
            raise DomainError(f"weights must be at least 0; got {weights.min():.15g}")
    if missing.any():
        values = np.where(missing, 0, values)
        weights = np.where(missing, 0, 1 if weights is None else weights)
    return Points(_given_columns(x, values.shape), values, weights)


def _let_memory_be_kept() -> None:
    """
    Free one large array that was never written to.

    The C library of Linux gives what is freed back to the system until it has seen an array of such
    a size freed; getting it again page by page takes a third of the time of all fits.
    """
    np.empty(2_000_000)


def _given_columns(x: Any, shape: tuple[int, ...]) -> Columns:
    if isinstance(x, Mapping):
        return {name: _column(f"x[{name!r}]", value, shape) for name, value in x.items()}
    return _column("x", x, shape)


def _column(name: str, value: Any, shape: tuple[int, ...]) -> Floats:
    column = _finite(name, value)
    column = column[:, np.newaxis] if column.ndim == 1 else column
    if column.shape not in (shape, (shape[0], 1)):
        raise DomainError(
            f"{name} must have the shape (points, 1) or (points, fits) of y, {shape}; "
            f"got {column.shape}"
        )
    return column


def _finite(name: str, value: Any) -> Floats:
    """The value as an array of finite numbers."""
    array = floats(name, value)
    if not np.isfinite(array).all():
        raise DomainError(f"{name} must be finite; got {_first_bad(array)}")
    return array


def floats(name: str, value: Any) -> Floats:
    """The value as an array of numbers."""
    try:
        return np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise DomainError(f"{name} must be an array of numbers; got {value!r}") from None


def _first_bad(array: Floats) -> str:
    bad = np.argwhere(np.isinf(array) if np.isinf(array).any() else np.isnan(array))[0]
    index = tuple(int(place) for place in bad)
    return f"{array[index]} at index {index}"
