"""Thousands of small least-squares fits at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from netmodel.calibration._many._descent import Descent, Found
from netmodel.calibration._many._linear import linear_optimum
from netmodel.calibration._many._points import Points, floats, given_points
from netmodel.calibration._many._slopes import Rate, WithSlopes, by_differences
from netmodel.calibration._many._step import Counts, Flags, Floats, is_independent
from netmodel.errors import DomainError

__all__ = ["ManyFits", "fit_many", "linear_fit_many"]


@dataclass(frozen=True, slots=True)
class ManyFits:
    """
    Parameters of many fits, and how far each can be relied on.

    Parameters
    ----------
    parameters : numpy.ndarray
        Of shape (parameters, fits). NaN where there are fewer points than parameters.
    residual_sum_of_squares : numpy.ndarray
        Weighted, of shape (fits,). NaN where the parameters are.
    degrees_of_freedom : numpy.ndarray
        Points that are not missing less parameters, of shape (fits,): 0 where the fit passes
        through all points, negative where there are fewer points than parameters.
    at_bound : numpy.ndarray
        -1 at the lower bound, 1 at the upper one, else 0, of shape (parameters, fits).
    is_converged : numpy.ndarray
        Whether an optimum was found, of shape (fits,).
    is_identified : numpy.ndarray
        Whether the points tell the parameters that are not at a bound, of shape (fits,). Not where
        there are fewer points than parameters, and not where the model, near the optimum, depends
        on fewer combinations of these parameters than there are: one of many optima is given then.
    iteration_count : numpy.ndarray
        Steps of each fit, of shape (fits,).
    """

    parameters: Floats
    residual_sum_of_squares: Floats
    degrees_of_freedom: npt.NDArray[np.intp]
    at_bound: npt.NDArray[np.int8]
    is_converged: Flags
    is_identified: Flags
    iteration_count: npt.NDArray[np.intp]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists; None for what is not known."""
        return {
            "parameters": [_plain(row) for row in self.parameters],
            "residual_sum_of_squares": _plain(self.residual_sum_of_squares),
            "degrees_of_freedom": self.degrees_of_freedom.tolist(),
            "at_bound": self.at_bound.tolist(),
            "is_converged": self.is_converged.tolist(),
            "is_identified": self.is_identified.tolist(),
            "iteration_count": self.iteration_count.tolist(),
        }


def _plain(values: Floats) -> list[float | None]:
    return [value if value == value else None for value in values.tolist()]


def fit_many(
    rate: Rate,
    x: Any,
    y: npt.ArrayLike,
    start: npt.ArrayLike,
    *,
    lower: npt.ArrayLike = -np.inf,
    upper: npt.ArrayLike = np.inf,
    weights: npt.ArrayLike | None = None,
    with_slopes: WithSlopes | None = None,
    iteration_limit: int = 200,
) -> ManyFits:
    r"""
    Least-squares fits of one model to many small sets of points at once, within bounds.

    Parameters
    ----------
    rate : callable
        The model, ``rate(x, *parameters)``: `x` as below, each parameter of shape (fits,) for
        some of the fits, the result of shape (points, fits).
    x : array_like or mapping of array_like
        Where the points are: of shape (points, fits), or (points,) or (points, 1) where all fits
        share it. Several such columns as a mapping, which the model is given as one.
    y : array_like
        What was measured, of shape (points, fits). NaN: the point is missing in that fit.
    start : array_like
        First guess, of shape (parameters,) or (parameters, fits), within the bounds.
    lower : array_like, optional
        Lower bounds, one for all parameters or of shape (parameters,). They are kept exactly.
    upper : array_like, optional
        Upper bounds, likewise.
    weights : array_like, optional
        One over the standard deviation of each point, of the shape of `x`; 0: missing.
    with_slopes : callable, optional
        Of the arguments of `rate`, answers with its value followed by the derivative for each
        parameter, as `differentiated` makes it. Differences of `rate` where it is left out, which
        cost two more evaluations for each parameter.
    iteration_limit : int, optional
        Steps after which a fit is given up as not converged.

    Returns
    -------
    fits : ManyFits
        A local optimum of each fit, the one that the start leads to.

    Raises
    ------
    DomainError
        If shapes do not agree, a number is not finite, the start is outside the bounds or
        gives no finite value, or differences are wanted for a parameter that is 0 in all starts.

    See Also
    --------
    linear_fit_many : an exact start for models that a change of variables makes linear.

    Notes
    -----
    Gauss-Newton steps with Levenberg's and Marquardt's damping, on the normal equations of all
    fits at once; what is at a bound and pushed outwards is held there. Only fits that have not
    converged go on, after eight steps as Newton's, with differences of the gradients, so that large
    residuals do not hold them up. A fit has converged where what is still to come of each parameter
    that is left, by the pace of the steps, is within 3e-8 of it, or its last step moves the model
    by less than 1e-10 of the residuals. Normal equations slow ill-conditioned fits down, but do
    not move their optimum. A parameter counts as not identified where the others explain all but
    1e-12 of the squares of its derivative.

    References
    ----------
    D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", Journal
    of the Society for Industrial and Applied Mathematics 11 (1963); D. P. Bertsekas, "Projected
    Newton methods for optimization problems with simple constraints", SIAM Journal on Control
    and Optimization 20 (1982).

    Examples
    --------
    >>> import numpy as np
    >>> def rate(x, start, slope):
    ...     return start / (1 + slope * x)
    >>> x = np.array([0.0, 1.0, 3.0])
    >>> y = np.column_stack([[8.0, 2.0, 0.8], [6.0, 4.0, 2.4]])
    >>> fits = fit_many(rate, x, y, [5.0, 1.0], lower=0)
    >>> fits.parameters.round(6).tolist()
    [[8.0, 6.0], [3.0, 0.5]]
    """
    points = given_points(x, y, weights)
    parameters = _given_start(start, points.y.shape[1])
    count = len(parameters)
    low, high = _bounds(lower, upper, count)
    places = np.flatnonzero(points.counts >= count)
    _require_within(parameters, places, low, high)
    if with_slopes is None:
        with_slopes = by_differences(rate, _sizes(parameters), low[:, 0], high[:, 0])
    found = Found.nothing(*parameters.shape)
    descent = Descent(with_slopes, points, low, high, iteration_limit)
    descent.descend(found, places, parameters)
    return _many_fits(found, points, low, high)


def linear_fit_many(
    columns: Sequence[npt.ArrayLike],
    y: npt.ArrayLike,
    *,
    lower: npt.ArrayLike = -np.inf,
    upper: npt.ArrayLike = np.inf,
    weights: npt.ArrayLike | None = None,
) -> ManyFits:
    r"""
    Least-squares fits of sums of columns to many small sets of points at once, within bounds.

    Parameters
    ----------
    columns : sequence of array_like
        What each parameter is multiplied by: of shape (points, fits), or (points,) or (points, 1)
        where all fits share it.
    y : array_like
        What was measured, of shape (points, fits). NaN: the point is missing in that fit.
    lower : array_like, optional
        Lower bounds, one for all parameters or of shape (parameters,). They are kept exactly.
    upper : array_like, optional
        Upper bounds, likewise.
    weights : array_like, optional
        One over the standard deviation of each point, of the shape of a column; 0: missing.

    Returns
    -------
    fits : ManyFits
        The optimum of each fit.

    Raises
    ------
    DomainError
        If shapes do not agree or a number is not finite.

    See Also
    --------
    fit_many : models of any kind.

    Notes
    -----
    Models that a change of variables makes linear get their start from here. The Universal
    Scalability Law :math:`X = N/(a + b (N-1) + c N (N-1))` is linear in its parameters as
    :math:`N/X`; an error of :math:`X` weighs :math:`N/X^2` times as much there, so that
    weights of :math:`X^2/N` make the result the optimum for :math:`X` but for noise.

    References
    ----------
    C. L. Lawson and R. J. Hanson, "Solving least squares problems" (1974), chapter 23; N. J.
    Gunther, "Guerrilla capacity planning" (2007), for the Universal Scalability Law.

    Examples
    --------
    Time per frame and per byte from the times of frames of three sizes, in two series:

    >>> import numpy as np
    >>> sizes_bytes = np.array([100.0, 500.0, 1400.0])
    >>> times_us = np.column_stack([[0.6, 1.0, 1.9], [0.5, 0.5, 0.5]])
    >>> fits = linear_fit_many([np.ones(3), sizes_bytes], times_us, lower=0)
    >>> fits.parameters.round(9).tolist()
    [[0.5, 0.5], [0.001, 0.0]]
    """
    if not len(columns):
        raise DomainError("columns must be at least one")
    points = given_points({str(place): c for place, c in enumerate(columns)}, y, weights)
    low, high = _bounds(lower, upper, len(columns))
    found = linear_optimum(points, points.counts >= len(columns), low, high)
    return _many_fits(found, points, low, high)


def _many_fits(found: Found, points: Points, low: Floats, high: Floats) -> ManyFits:
    is_low, is_high = found.parameters <= low, found.parameters >= high
    counts, parameter_count = points.counts, len(found.parameters)
    is_enough = counts >= parameter_count
    return ManyFits(
        parameters=found.parameters,
        residual_sum_of_squares=found.squares,
        degrees_of_freedom=counts - parameter_count,
        at_bound=is_high.astype(np.int8) - is_low.astype(np.int8),
        is_converged=found.is_converged,
        is_identified=is_enough & is_independent(found.products, is_low | is_high),
        iteration_count=found.iteration_count,
    )


def _given_start(start: npt.ArrayLike, fit_count: int) -> Floats:
    """One column of parameters for each fit."""
    given = floats("start", start)
    columns = given[:, np.newaxis] if given.ndim == 1 else given
    if columns.ndim != 2 or not len(columns) or columns.shape[1] not in (1, fit_count):
        raise DomainError(
            "start must have the shape (parameters,) or (parameters, fits), "
            f"for {fit_count} fits; got {given.shape}"
        )
    return np.repeat(columns, fit_count, axis=1) if columns.shape[1] == 1 else columns


def _bounds(lower: npt.ArrayLike, upper: npt.ArrayLike, count: int) -> tuple[Floats, Floats]:
    """Bounds of each parameter, as columns."""
    low, high = _bound("lower", lower, count), _bound("upper", upper, count)
    if not (low < high).all():
        place = int(np.flatnonzero(low >= high)[0])
        raise DomainError(
            f"lower must be below upper; got {low[place, 0]:.15g} and {high[place, 0]:.15g} "
            f"for parameter {place}"
        )
    return low, high


def _bound(name: str, bound: npt.ArrayLike, count: int) -> Floats:
    given = np.asarray(bound, dtype=np.float64)
    if np.isnan(given).any() or given.shape not in ((), (count,)):
        raise DomainError(
            f"{name} must be one number or one for each of {count} parameters; got {bound!r}"
        )
    return np.broadcast_to(given.reshape(-1, 1), (count, 1))


def _require_within(start: Floats, places: Counts, low: Floats, high: Floats) -> None:
    given = start[:, places]
    outside = np.argwhere(~((given >= low) & (given <= high)))
    if len(outside):
        place, fit = (int(index) for index in outside[0])
        raise DomainError(
            f"start must be within the bounds; got {given[place, fit]:.15g} "
            f"for parameter {place} of fit {places[fit]}"
        )


def _sizes(start: Floats) -> Floats:
    """Largest start of each parameter, which tells steps of differences where one is 0."""
    sizes: Floats = np.fmax.reduce(np.abs(start), axis=1, initial=0)
    if start.size and not sizes.all():
        place = int(np.flatnonzero(sizes == 0)[0])
        raise DomainError(
            f"start of parameter {place} is 0 in all fits, which tells no size for differences: "
            "give another start, or with_slopes"
        )
    return sizes
