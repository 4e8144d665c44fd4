"""Least-squares fits of sums of columns: in closed form where no bound is in the way."""

from collections.abc import Mapping

import numpy as np

from netmodel._numeric import Quantity
from netmodel.calibration._many._descent import Descent, Found
from netmodel.calibration._many._points import Points
from netmodel.calibration._many._step import Flags, Floats, normal_equations, solved

__all__ = ["linear_optimum"]

_ITERATION_LIMIT = 200


def linear_optimum(points: Points, is_enough: Flags, lower: Floats, upper: Floats) -> Found:
    """The optimum of the fits that have enough points; only those that a bound cuts off descend."""
    count, fit_count = len(lower), points.y.shape[1]
    found = Found.nothing(count, fit_count)
    start = np.empty((count, fit_count))
    for block in points.blocks():
        start[:, block], found.squares[block] = _solved(
            points.at(block), found.products[..., block]
        )
    is_within = np.logical_and.reduce((start >= lower) & (start <= upper), axis=0)
    np.copyto(found.parameters, start, where=is_within & is_enough)
    np.copyto(found.squares, np.nan, where=~is_enough)
    np.copyto(found.is_converged, is_within & is_enough)
    np.copyto(found.iteration_count, is_enough)
    descent = Descent(_sums_with_slopes, points, lower, upper, _ITERATION_LIMIT)
    cut_off = np.flatnonzero(is_enough & ~is_within)
    descent.descend(found, cut_off, np.clip(start, lower, upper))
    return found


def _solved(points: Points, products: Floats) -> tuple[Floats, Floats]:
    """Optimum without bounds and its sum of squares, with one step of refinement."""
    columns = [
        points.weighted(np.broadcast_to(column, points.y.shape)) for column in _columns(points)
    ]
    values = points.weighted(points.y)
    gradients = np.empty((len(columns), points.y.shape[1]))
    nothing = np.zeros(gradients.shape, dtype=np.bool_)
    normal_equations(values, columns, products, gradients)
    parameters = solved(products, gradients, nothing)
    residuals = values - sum(map(np.multiply, columns, parameters))
    for column, gradient in zip(columns, gradients, strict=True):
        np.einsum("ij,ij->j", column, residuals, out=gradient)
    refinement = solved(products, gradients, nothing)
    squares = np.einsum("ij,ij->j", residuals, residuals)
    squares -= np.einsum("ij,ij->j", gradients, refinement)
    return parameters + refinement, np.maximum(squares, 0)


def _columns(points: Points) -> list[Floats]:
    assert isinstance(points.x, Mapping)
    return list(points.x.values())


def _sums_with_slopes(x: Mapping[str, Floats], *parameters: Floats) -> list[Quantity]:
    columns = x.values()
    return [sum(map(np.multiply, columns, parameters)), *columns]
