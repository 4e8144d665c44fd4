"""Fits of the scalability law to many series at once."""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from netmodel._numeric import Floats, QuantityLike, require_above, require_at_least
from netmodel.errors import CalibrationError, DomainError

_NAMES = ("alone_s", "contention_s", "coherency_s")
"""As the model ``scalability`` of `curve_model` names them."""
_MOST_STEPS = 50
"""Newton steps; five are enough where figures scatter by less than a tenth."""
_ENOUGH_GAIN = 1e-20
"""Expected reduction of the sum of squares: rates then change by less than a part in 10^10."""
_LEAST_RATIO = 1e-9
"""Of the parameter that alone would fit: one that falls below it is at its bound."""
_SHORTEST_STEP_RATIO = 0.1
"""Of a parameter that stays above zero: what a step leaves of it at least."""
_LEAST_WEIGHT = 0.1
"""Of a figure, so that steps go downhill where it is far off: 1 where it is met."""


def fit_scalability(connection_counts: QuantityLike, rates_tps: QuantityLike) -> dict[str, Floats]:
    r"""
    Likeliest parameters of the scalability law for many series over the same counts.

    Parameters
    ----------
    connection_counts : array_like
        Counts of connections, of one axis, 1 or more; at least three different ones.
    rates_tps : array_like
        Rates at these counts on the last axis, above zero; any other axes are series. [1/s]

    Returns
    -------
    parameters : dict of str to numpy.ndarray
        ``alone_s``, ``contention_s`` and ``coherency_s``, none below zero, of the shape of the
        series; NaN where a rate or a count is NaN. [s]

    Raises
    ------
    DomainError
        If a count is below 1, a rate is not above zero, or their numbers differ.
    CalibrationError
        If the counts do not determine the parameters, or a search does not converge.

    Notes
    -----
    What `fit` finds with the model ``scalability`` and noise that is relative, without intervals:
    the least sum of squares of

    .. math:: \ln\Bigl(x \frac{t_1 + t_s (n - 1) + t_k n (n - 1)}{n}\Bigr)

    for rates :math:`x` at :math:`n` connections, by Newton steps in all series at once. A series
    whose optimum has a negative parameter is fitted again with every set of parameters at zero.

    References
    ----------
    N. J. Gunther, "Guerrilla Capacity Planning" (2007), chapter 5.

    Examples
    --------
    Two series without scatter:

    >>> counts = np.array([1, 2, 4, 8, 16])
    >>> times_s = np.array([[0.01], [0.02]]) + 3e-4 * (counts - 1) + 1e-6 * counts * (counts - 1)
    >>> found = fit_scalability(counts, counts / times_s)
    >>> found["alone_s"].round(9).tolist(), found["coherency_s"].round(12).tolist()
    ([0.01, 0.02], [1e-06, 1e-06])
    """
    counts = np.asarray(require_at_least("connection_counts", connection_counts, 1, ""), float)
    rates = np.asarray(require_above("rates_tps", rates_tps, 0, "1/s"), float)
    if counts.ndim != 1 or rates.shape[-1:] != counts.shape:
        raise DomainError(
            f"rates_tps must have a rate for each of {counts.size} connection_counts on its last "
            f"axis; got shapes {rates.shape} and {counts.shape}"
        )
    if np.unique(counts[np.isfinite(counts)]).size < len(_NAMES):
        raise CalibrationError(
            f"{len(_NAMES)} parameters need as many different connection_counts; got {counts}"
        )
    # (1) times per transaction, 1 / X(N) = (t1 + ts (N - 1) + tk N (N - 1)) / N, in columns near 1,
    # as multiples of the shortest
    rows = np.column_stack([1 / counts, (counts - 1) / counts, counts - 1])
    sizes = rows.max(axis=0)
    rows /= sizes
    series = np.ascontiguousarray(rates.reshape(-1, counts.size).T)
    fastest = series.max(axis=0)
    times = fastest / series
    # (2) all parameters free, then each set of them above zero where one is negative
    found, _ = _optimum(rows, times, (0, 1, 2), is_above_zero=False)
    is_missing = np.isnan(times).any(axis=0) | np.isnan(counts).any()
    (left,) = np.nonzero(~(found >= 0).all(axis=0) & ~is_missing)
    if left.size:
        least = np.full(left.size, np.inf)
        for size in (1, 2, 3):
            for free in combinations(range(len(_NAMES)), size):
                tried, squares = _optimum(rows, times[:, left], free, is_above_zero=True)
                is_better = (tried >= 0).all(axis=0) & (squares < least)
                found[:, left[is_better]] = tried[:, is_better]
                least[is_better] = squares[is_better]
        if not np.isfinite(least).all():
            count = np.count_nonzero(~np.isfinite(least))
            raise CalibrationError(f"the search does not converge in {count} series")
    return {
        name: (found[place] / sizes[place] / fastest).reshape(rates.shape[:-1])
        for place, name in enumerate(_NAMES)
    }


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def _optimum(
    rows: Floats, times: Floats, free: tuple[int, ...], is_above_zero: bool
) -> tuple[Floats, Floats]:
    """Parameters that are free, the others 0, and the sum of squares; NaN where there are none."""
    # (1) least squares of times over the figures
    inverse = 1 / times
    found = _solved(rows, inverse * inverse, rows.T @ inverse, free)
    least = np.zeros_like(found)
    if is_above_zero:
        alone = np.array([1 / (inverse * row[:, np.newaxis]).mean(axis=0) for row in rows.T])
        least[list(free)] = _LEAST_RATIO * alone[list(free)]
        found = np.maximum(found, _SHORTEST_STEP_RATIO * least / _LEAST_RATIO) * (least > 0)
    squares = np.full(times.shape[1], np.nan)
    active: slice | npt.NDArray[np.intp] = slice(None)
    # (2) Newton steps of the logarithms
    for _ in range(_MOST_STEPS):
        modelled = rows @ found[:, active]
        misses = np.log(modelled * inverse[:, active])
        squares[active] = np.einsum("ij,ij->j", misses, misses)
        weights = 1 / modelled
        slopes = rows.T @ (misses * weights)
        weights *= weights
        weights *= np.maximum(1 - misses, _LEAST_WEIGHT)
        step = _solved(rows, weights, slopes, free)
        if is_above_zero:
            step = np.minimum(step, (1 - _SHORTEST_STEP_RATIO) * found[:, active])
        found[:, active] -= step
        is_moving = np.einsum("ij,ij->j", step, slopes) > _ENOUGH_GAIN
        # near zero, the fit without this parameter is the better one
        is_moving &= (found[:, active] >= least[:, active]).all(axis=0) | (not is_above_zero)
        if not is_moving.any():
            break
        active = np.arange(len(squares))[active][is_moving]
    else:
        found[:, active] = np.nan
    return found, squares


def _solved(rows: Floats, weights: Floats, right: Floats, free: tuple[int, ...]) -> Floats:
    """Solutions of the normal equations of weighted rows, those that are not free being 0."""
    columns = [[rows[:, i] * rows[:, j] for j in free] for i in free]
    products = np.array([columns[i][j] for i in range(len(free)) for j in range(i, len(free))])
    matrix = products @ weights
    result = np.zeros_like(right)
    # Cramer's rule
    if len(free) == 1:
        result[free[0]] = right[free[0]] / matrix[0]
    elif len(free) == 2:
        (a, b, c), (u, v) = matrix, right[list(free)]
        result[list(free)] = np.array([c * u - b * v, a * v - b * u]) / (a * c - b * b)
    else:
        (a, b, c, d, e, f), (u, v, w) = matrix, right
        first, second, third = d * f - e * e, c * e - b * f, b * e - c * d
        middle, last, cross = a * f - c * c, a * d - b * b, b * c - a * e
        result[0] = u * first + v * second + w * third
        result[1] = u * second + v * middle + w * cross
        result[2] = u * third + v * cross + w * last
        result /= a * first + b * second + c * third
    return result
