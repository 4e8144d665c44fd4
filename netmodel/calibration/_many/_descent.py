"""Descent of many small least-squares fits at once; only those that have not settled go on."""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel._numeric import Quantity
from netmodel.calibration._many._points import Points
from netmodel.calibration._many._slopes import WithSlopes
from netmodel.calibration._many._step import (
    Counts,
    Flags,
    Floats,
    bounded_step,
    held_at_bounds,
    is_independent,
    normal_equations,
)
from netmodel.errors import DomainError

__all__ = ["Descent", "Found"]

Values: TypeAlias = npt.NDArray[Any]

_MANY_FITS = 16_384
"""Fits that descend together."""
_FULL_RATIO = 3 / 4
"""Those that have settled stay among the others until no more than this share goes on."""

_ERROR_RATIO = 3e-8
"""A parameter has settled where no more than this of it is still to come."""
_MODEL_RATIO = 1e-10
"""Or where its last step moves the model by no more than this of the residuals."""
_ROUNDING_RATIO = 1e-14
"""Or by no more than this of what was measured: all that rounding leaves."""
_RISE_RATIO = 1e-13
"""A sum of squares that rises by no more than this has not risen: it is rounding."""

_FASTEST_RATIO, _SLOWEST_RATIO = 0.02, 0.99
"""Least and most that the next step is thought to be of the last."""
_FIRST_DAMPING, _LEAST_DAMPING = 1e-2, 1e-6

_SLOW_COUNT = 8
"""Steps after which the curvature of the residuals is taken into account."""
_DIFFERENCE_RATIO = 1e-7


@dataclass(frozen=True, slots=True)
class Found:
    """Where each fit ended; NaN and 0 for those that never began."""

    parameters: Floats
    squares: Floats
    products: Floats
    is_converged: Flags
    iteration_count: Counts

    @classmethod
    def nothing(cls, parameter_count: int, fit_count: int) -> "Found":
        """No fit has ended."""
        return cls(
            parameters=np.full((parameter_count, fit_count), np.nan),
            squares=np.full(fit_count, np.nan),
            products=np.zeros((parameter_count, parameter_count, fit_count)),
            is_converged=np.zeros(fit_count, dtype=np.bool_),
            iteration_count=np.zeros(fit_count, dtype=np.intp),
        )


class _State(NamedTuple):
    """Fits on their way: the last axis of every array is the fits."""

    place: Counts
    iteration_count: Counts
    rounding: Floats
    parameters: Floats
    products: Floats
    gradients: Floats
    squares: Floats
    damping: Floats
    falls: Floats

    def at(self, index: Counts) -> "_State":
        return _State(*(np.take(values, index, axis=-1) for values in self))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Descent:
    """A model on points within bounds."""

    with_slopes: WithSlopes
    points: Points
    lower: Floats
    upper: Floats
    iteration_limit: int

    def descend(self, found: Found, places: Counts, start: Floats) -> None:
        """Add the optimum of the fits at these places, each from its start."""
        with np.errstate(all="ignore"):
            for begin in range(0, places.size, _MANY_FITS):
                some = places[begin : begin + _MANY_FITS]
                points, parameters = self.points.at(some), start[:, some]
                self._descend(self._begun(some, points, parameters), points, found)

    def _begun(self, places: Counts, points: Points, start: Floats) -> _State:
        products, gradients, squares = self._evaluated(points, start)
        bad = np.flatnonzero(~_is_finite(products, gradients, squares))
        if bad.size:
            raise DomainError(
                "the model and its derivatives must be finite at the start; they are not for fit "
                f"{places[bad[0]]} at {start[:, bad[0]].tolist()}"
            )
        return _State(
            place=places,
            iteration_count=np.ones_like(places),
            rounding=_ROUNDING_RATIO**2 * points.squares,
            parameters=start,
            products=products,
            gradients=gradients,
            squares=squares,
            damping=np.zeros(places.size),
            falls=np.zeros(places.size),
        )

    def _descend(self, state: _State, points: Points, found: Found) -> None:
        goes_on = np.ones(state.place.size, dtype=np.bool_)
        while goes_on.any():
            moved = bounded_step(
                state.parameters,
                self._curvatures(points, state),
                state.gradients,
                state.damping,
                self.lower,
                self.upper,
            )
            falls = np.einsum("ij,ij->j", state.gradients, state.parameters - moved)
            is_settled = _is_settled(state, moved, falls)
            is_done = goes_on & (is_settled | (state.iteration_count >= self.iteration_limit))
            _record(found, state, moved, falls, is_settled, np.flatnonzero(is_done))
            goes_on &= ~is_done
            left = np.flatnonzero(goes_on)
            if left.size <= _FULL_RATIO * goes_on.size:
                state, points = state.at(left), points.at(left)
                moved, falls, goes_on = np.take(moved, left, axis=1), falls[left], goes_on[left]
            state = self._tried(points, state, moved, falls)

    def _curvatures(self, points: Points, state: _State) -> Floats:
        """What the gradients change with: of slow fits, with the curvature of their residuals."""
        if state.iteration_count[0] <= _SLOW_COUNT:
            return state.products
        curvatures = np.zeros_like(state.products)
        sizes = np.sqrt(state.squares / np.einsum("iij->ij", state.products))
        sizes = np.where(np.isfinite(sizes), sizes, 0) + np.abs(state.parameters)
        sizes = np.minimum(sizes, self.upper - self.lower)
        for place, size in enumerate(sizes):
            shifted = state.parameters.copy()
            shifted[place] += _DIFFERENCE_RATIO * size
            over = shifted[place] > self.upper[place]
            shifted[place, over] -= 2 * _DIFFERENCE_RATIO * size[over]
            step = shifted[place] - state.parameters[place]
            _, gradients, _ = self._evaluated(points, shifted)
            curvatures[:, place] = (gradients - state.gradients) / step
        held = held_at_bounds(state.parameters, state.gradients, self.lower, self.upper)
        is_convex = is_independent(curvatures, held)
        return np.where(is_convex, curvatures, state.products)

    def _tried(self, points: Points, state: _State, moved: Floats, falls: Floats) -> _State:
        """Fits after a step: moved where squares have fallen, else damped where they were."""
        products, gradients, squares = self._evaluated(points, moved)
        is_better = squares <= state.squares * (1 + _RISE_RATIO) + state.rounding
        is_better &= _is_finite(products, gradients, squares)
        tried = state._replace(
            iteration_count=state.iteration_count + 1,
            parameters=moved,
            products=products,
            gradients=gradients,
            squares=squares,
            damping=np.where(state.damping > _LEAST_DAMPING, state.damping / 10, 0),
            falls=falls,
        )
        back = np.flatnonzero(~is_better)
        if back.size:
            for new, old in zip(tried[3:7], state[3:7], strict=True):
                new[..., back] = old[..., back]
            tried.damping[back] = np.maximum(state.damping[back] * 10, _FIRST_DAMPING)
            tried.falls[back] = 0
        return tried

    def _evaluated(self, points: Points, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        """Products of derivatives, their products with residuals, and sums of squares."""
        count, fit_count = parameters.shape
        products = np.empty((count, count, fit_count))
        gradients, squares = np.empty((count, fit_count)), np.empty(fit_count)
        for block in points.blocks():
            residuals, columns = self._linearised(points.at(block), parameters[:, block])
            normal_equations(residuals, columns, products[..., block], gradients[:, block])
            np.einsum("ij,ij->j", residuals, residuals, out=squares[block])
        return products, gradients, squares

    def _linearised(self, points: Points, parameters: Floats) -> tuple[Floats, list[Floats]]:
        """Weighted residuals and derivatives."""
        values, *slopes = self.with_slopes(points.x, *parameters)
        if len(slopes) != len(parameters):
            raise DomainError(
                "with_slopes must answer with the value and a derivative for each parameter, "
                f"{1 + len(parameters)} arrays; got {1 + len(slopes)}"
            )
        shape = points.y.shape
        residuals = points.weighted(_shaped(values, shape) - points.y)
        return residuals, [points.weighted(_shaped(slope, shape)) for slope in slopes]


def _shaped(values: Quantity, shape: tuple[int, ...]) -> Floats:
    if np.shape(values) == shape:
        return values  # type: ignore[no-any-return]
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise DomainError(
            f"the model must answer with the shape (points, fits), {shape} here; "
            f"got {np.shape(values)}"
        ) from None


def _is_finite(products: Floats, gradients: Floats, squares: Floats) -> Flags:
    diagonal = (products[place, place] for place in range(len(products)))
    return np.isfinite(sum(diagonal, squares) + sum(gradients))


def _is_settled(state: _State, moved: Floats, falls: Floats) -> Flags:
    """Whether what is still to come of each parameter no longer matters."""
    pace = np.sqrt(falls / state.falls)
    pace = np.fmin(np.maximum(pace, _FASTEST_RATIO), _SLOWEST_RATIO)
    to_come = pace / (1 - pace) / _ERROR_RATIO
    rest = _MODEL_RATIO**2 * state.squares + state.rounding
    settled: Flags = state.damping == 0
    for place, (before, after) in enumerate(zip(state.parameters, moved, strict=True)):
        step = np.abs(after - before)
        is_small = step * to_come <= np.abs(after)
        step *= step
        step *= state.products[place, place]
        is_small |= step <= rest
        settled &= is_small
    return settled


def _record(
    found: Found, state: _State, moved: Floats, falls: Floats, is_settled: Flags, done: Counts
) -> None:
    """Keep where fits that are done go; their last step is not evaluated."""
    squares = np.maximum(state.squares - falls, 0)
    for target, source in (
        (found.parameters, moved),
        (found.squares, squares),
        (found.products, state.products),
        (found.is_converged, is_settled),
        (found.iteration_count, state.iteration_count),
    ):
        _put(target, state.place[done], source, done)


def _put(target: Values, place: Counts, source: Values, done: Counts) -> None:
    """Copy along the last axis; row by row is several times faster than all at once."""
    rows = zip(_rows(target), _rows(source), strict=True)
    for to_row, from_row in rows:
        to_row[place] = from_row[done]


def _rows(values: Values) -> Values:
    return values.reshape(-1, values.shape[-1])
