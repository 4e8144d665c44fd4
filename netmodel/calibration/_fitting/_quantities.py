"""Quantities of a model at many points, with their slopes in the parameters."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from netmodel.calibration._model import Floats, LinearModel, Loads, Model, Point
from netmodel.errors import CalibrationError

__all__ = ["Quantities", "quantities", "slopes_by_differences"]

_LEAST_LOAD = 1e-300
_TIE_RATIO = 1e-6
_STEP_RATIO = 2e-4
_LEAST_OF_TYPICAL = 1e-4
_AHEAD = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
_AHEAD_WEIGHTS = np.array([-25 / 12, 4.0, -3.0, 4 / 3, -1 / 4])
_AROUND = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
_AROUND_WEIGHTS = np.array([1 / 12, -2 / 3, 0.0, 2 / 3, -1 / 12])


class Quantities(Protocol):
    """Values at all points, of shape (points,), and slopes, of shape (points, parameters)."""

    def values(self, parameters: Floats) -> Floats:
        """Values alone."""

    def slopes(self, parameters: Floats) -> Floats:
        """Slopes alone."""


def quantities(model: Model, points: Sequence[Point], typical: Floats) -> Quantities:
    """
    The quantities of a model, by the form that its slopes are known in.

    Where they are found by differences, typical parameters tell how small these may be.
    """
    if isinstance(model, LinearModel):
        return LinearQuantities([_loads(model, point) for point in points])
    return _AnyQuantities(model.function(points), _bounds(model), typical)


class LinearQuantities:
    """
    Quantities that are the largest of sums, all sums of all points in one array.

    Parameters
    ----------
    several : sequence of Loads
        One for each point.
    """

    def __init__(self, several: Sequence[Loads]) -> None:
        most = max(len(one.constants) for one in several)
        places = [np.minimum(np.arange(most), len(one.constants) - 1) for one in several]
        pairs = list(zip(several, places, strict=True))
        self.coefficients = np.array([one.coefficients[place] for one, place in pairs])
        self.constants = np.array([one.constants[place] for one, place in pairs])
        self.is_rate = np.array([one.is_rate for one in several])

    def binding(self, parameters: Floats) -> tuple[Floats, Floats]:
        """The largest sum of each point, and its coefficients."""
        sums = self.coefficients @ parameters + self.constants
        rows = np.arange(len(sums))
        largest = sums.argmax(axis=1)
        least = np.where(self.is_rate, _LEAST_LOAD, -np.inf)
        return np.maximum(sums[rows, largest], least), self.coefficients[rows, largest]

    def values(self, parameters: Floats) -> Floats:
        loads, _ = self.binding(parameters)
        with np.errstate(divide="ignore"):
            return np.where(self.is_rate, 1 / loads, loads)

    def slopes(self, parameters: Floats) -> Floats:
        loads, rows = self.binding(parameters)
        with np.errstate(divide="ignore", over="ignore"):
            factors = np.where(self.is_rate, -1 / loads / loads, 1.0)
        slopes: Floats = factors[:, np.newaxis] * rows
        return slopes

    def ties(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Where two sums of a point are its largest: their difference, by slopes and value."""
        sums = self.coefficients @ parameters + self.constants
        largest = sums.argmax(axis=1)
        gaps = sums - sums.max(axis=1, keepdims=True)
        rows = self.coefficients - self.coefficients[np.arange(len(sums)), largest][:, np.newaxis]
        is_tie = (np.abs(gaps) <= _TIE_RATIO * np.abs(sums)) & rows.any(axis=2)
        return rows[is_tie], gaps[is_tie]


class _AnyQuantities:
    """Quantities by a function of parameters whose slopes are found by differences."""

    def __init__(
        self,
        function: Callable[[Floats], Floats],
        bounds: tuple[Floats, Floats],
        typical: Floats,
    ) -> None:
        self.function = function
        self.bounds = bounds
        self.least_step = (
            _STEP_RATIO * _LEAST_OF_TYPICAL * np.where(typical == 0, 1.0, np.abs(typical))
        )

    def values(self, parameters: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return self.function(parameters)

    def slopes(self, parameters: Floats) -> Floats:
        with np.errstate(all="ignore"):
            steps = np.maximum(self.least_step, _STEP_RATIO * np.abs(parameters))
            return slopes_by_differences(self.function, parameters, steps, self.bounds)


def slopes_by_differences(
    function: Callable[[Floats], Floats],
    parameters: Floats,
    steps: Floats,
    bounds: tuple[Floats, Floats],
) -> Floats:
    """Slopes of a function that takes many parameters at once, from five points within bounds."""
    low, high = bounds
    ahead, behind = parameters - 2 * steps < low, parameters + 2 * steps > high
    nodes = np.where(ahead, _AHEAD[:, np.newaxis], _AROUND[:, np.newaxis])
    nodes = np.where(behind & ~ahead, -_AHEAD[:, np.newaxis], nodes)
    weights = np.where(ahead, _AHEAD_WEIGHTS[:, np.newaxis], _AROUND_WEIGHTS[:, np.newaxis])
    weights = np.where(behind & ~ahead, -_AHEAD_WEIGHTS[:, np.newaxis], weights)
    count = len(parameters)
    tried = np.repeat(parameters[:, np.newaxis], count * len(nodes), axis=1)
    which = np.tile(np.arange(count), len(nodes))
    tried[which, np.arange(tried.shape[1])] += (nodes * steps).ravel()
    found = function(tried).reshape(-1, len(nodes), count)
    slopes: Floats = np.einsum("pnk,nk->pk", found, weights / steps)
    return slopes


def _bounds(model: Model) -> tuple[Floats, Floats]:
    free = model.parameters
    return np.array([one.low for one in free], float), np.array([one.high for one in free], float)


def _loads(model: LinearModel, point: Point) -> Loads:
    loads = model.loads(point)
    if not len(loads.constants):
        raise CalibrationError(
            f"{point.quantity} is limited by nothing that is calibrated: "
            "what it would be without other limits tells nothing"
        )
    if not (np.isfinite(loads.coefficients).all() and np.isfinite(loads.constants).all()):
        told = ", ".join(f"{name} {value}" for name, value in point.at.items())
        raise CalibrationError(f"the model has no value of {point.quantity} at {told}")
    return loads
