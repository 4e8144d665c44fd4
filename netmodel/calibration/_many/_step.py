"""
Steps of many small least-squares fits at once.

Every entry of the normal equations is an array with one value for each fit, and loops run over the
few parameters only. The elimination of a symmetric matrix without square roots does not depend on
the scale of rows and columns, so that no scaling is needed for parameters of any units.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "Counts",
    "Flags",
    "Floats",
    "bounded_step",
    "is_independent",
    "normal_equations",
    "solved",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]

_DEPENDENT_RATIO = 1e-12
"""A column depends on those before it where they leave less than this of its square."""


def normal_equations(
    residuals: Floats, columns: Sequence[Floats], products: Floats, gradients: Floats
) -> None:
    """Fill in the lower half of the products of columns, and those of columns and residuals."""
    for row, column in enumerate(columns):
        np.einsum("ij,ij->j", column, residuals, out=gradients[row])
        for other in range(row + 1):
            np.einsum("ij,ij->j", column, columns[other], out=products[row, other])


def _eliminated(
    products: Floats, fixed: Flags, damping: Floats | float
) -> tuple[list[list[Floats]], list[Floats]]:
    """Unit lower triangle and pivots; an infinite pivot takes its parameter out."""
    lower: list[list[Floats]] = [[] for _ in products]
    pivots: list[Floats] = []
    for row, entries in enumerate(products):
        left: list[Floats] = []
        pivot = entries[row] * (1 + damping)
        for column in range(row):
            entry = entries[column]
            for before in range(column):
                entry = entry - left[before] * lower[column][before]
            left.append(entry)
            lower[row].append(entry / pivots[column])
            pivot -= entry * lower[row][column]
        is_out = pivot <= _DEPENDENT_RATIO * entries[row]
        is_out |= fixed[row]
        pivot[is_out] = np.inf
        pivots.append(pivot)
    return lower, pivots


def solved(
    products: Floats, gradients: Floats, fixed: Flags, damping: Floats | float = 0.0
) -> Floats:
    """Solutions of the damped equations; 0 for what is fixed or depends on the others."""
    lower, pivots = _eliminated(products, fixed, damping)
    count = len(pivots)
    solution = gradients.copy()
    for row in range(1, count):
        for column in range(row):
            solution[row] -= lower[row][column] * solution[column]
    for row in reversed(range(count)):
        solution[row] /= pivots[row]
        for below in range(row + 1, count):
            solution[row] -= lower[below][row] * solution[below]
    return solution


def is_independent(products: Floats, fixed: Flags) -> Flags:
    """Whether the columns of all parameters that are not fixed are independent."""
    _, pivots = _eliminated(products, fixed, 0.0)
    return np.logical_and.reduce(np.isfinite(pivots) | fixed, axis=0)  # type: ignore[no-any-return]


def held_at_bounds(parameters: Floats, gradients: Floats, lower: Floats, upper: Floats) -> Flags:
    """Whether a parameter is at a bound that the gradient pushes it against."""
    return (parameters <= lower) & (gradients > 0) | (parameters >= upper) & (gradients < 0)


def bounded_step(
    parameters: Floats,
    products: Floats,
    gradients: Floats,
    damping: Floats,
    lower: Floats,
    upper: Floats,
) -> Floats:
    """
    Where one damped Gauss-Newton step within the bounds leads.

    A parameter at a bound that the gradient pushes outwards stays. What would cross a bound is put
    on it, and the others are solved for again.
    """
    fixed = held_at_bounds(parameters, gradients, lower, upper)
    moved = parameters - solved(products, gradients, fixed, damping)
    crosses = (moved < lower) | (moved > upper)
    some = np.flatnonzero(crosses.any(axis=0))
    if some.size:
        moved[:, some] = _held(
            moved[:, some],
            crosses[:, some],
            parameters[:, some],
            products[..., some],
            gradients[:, some],
            fixed[:, some],
            damping[some],
            lower,
            upper,
        )
    return moved


def _held(
    moved: Floats,
    crosses: Flags,
    parameters: Floats,
    products: Floats,
    gradients: Floats,
    fixed: Flags,
    damping: Floats,
    lower: Floats,
    upper: Floats,
) -> Floats:
    """The same step with what crosses a bound put on it, until nothing crosses."""
    while crosses.any():
        fixed = fixed | crosses
        moved = np.clip(moved, lower, upper)
        shifts = np.where(fixed, parameters - moved, 0)
        rest = gradients - _times(products, shifts)
        free = parameters - solved(products, rest, fixed, damping)
        moved = np.where(fixed, moved, free)
        crosses = (moved < lower) | (moved > upper)
    return moved


def _times(products: Floats, vectors: Floats) -> Floats:
    """Symmetric matrices, of which the lower half is given, times vectors."""
    count = len(products)
    return np.stack(
        [
            sum(
                products[max(row, column), min(row, column)] * vectors[column]
                for column in range(count)
            )
            for row in range(count)
        ]
    )
