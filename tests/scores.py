"""Scores for tests: of predicted distributions and intervals, and of refits without a row."""

import math

import numpy as np
import numpy.typing as npt

from netmodel._estimates import LEVEL_DEVIATIONS, LEVEL_RATIO
from netmodel._numeric import (
    FloatOrArray,
    Floats,
    maximum,
    require_above,
    require_at_least_each,
    require_finite,
)
from netmodel.calibration._leave_out import Errors, Judged
from netmodel.errors import DomainError

__all__ = [
    "crps_normal",
    "interval_score",
    "leave_one_out_errors",
    "mean_crps_ratio",
    "mean_interval_score_ratio",
]

_SMALLEST_REST = 1e-10
"""Of 1 less a leverage: a row with less alone determines a parameter, up to rounding."""
_DEVIATIONS = 2 * LEVEL_DEVIATIONS
"""Width of the middle 95 % of a normal distribution, in standard deviations."""


def crps_normal(
    mean: FloatOrArray, standard_deviation: FloatOrArray, observed: FloatOrArray
) -> FloatOrArray:
    r"""
    Continuous ranked probability score of a normal prediction.

    Parameters
    ----------
    mean : float or array_like
        Of the prediction, in any unit.
    standard_deviation : float or array_like
        Of the prediction, in the same unit.
    observed : float or array_like
        The measured figure.

    Returns
    -------
    score : float or numpy.ndarray
        In the unit of the arguments, of their broadcast shape: lower is better. Approaches
        the absolute error for a small standard deviation.

    Raises
    ------
    DomainError
        If the standard deviation is not above zero, or an argument is infinite.

    Notes
    -----
    .. math::
        \mathrm{CRPS} = \sigma \left(z\,(2 \Phi(z) - 1) + 2 \varphi(z)
        - \frac{1}{\sqrt{\pi}}\right), \quad z = \frac{y - \mu}{\sigma}

    with :math:`\Phi` and :math:`\varphi` the distribution and density of the
    standard normal. The mean over many predictions is the score of a model.

    References
    ----------
    T. Gneiting and A. E. Raftery, "Strictly proper scoring rules, prediction,
    and estimation", Journal of the American Statistical Association 102 (2007),
    section 4.2, there with the opposite sign.

    Examples
    --------
    >>> round(crps_normal(0, 1, 0), 6)
    0.233695
    """
    from scipy.special import ndtr

    deviation = require_above("standard_deviation", standard_deviation, 0, "")
    distance = (require_finite("observed", observed) - require_finite("mean", mean)) / deviation
    density = np.exp(-distance * distance / 2) / math.sqrt(2 * math.pi)
    spread = distance * (2 * ndtr(distance) - 1) + 2 * density - 1 / math.sqrt(math.pi)
    return _plain(deviation * spread)


def interval_score(
    low: FloatOrArray, high: FloatOrArray, observed: FloatOrArray, level_ratio: FloatOrArray
) -> FloatOrArray:
    r"""
    Score of a predicted interval: its width, and a penalty for a miss.

    Parameters
    ----------
    low : float or array_like
        Lower end, in any unit.
    high : float or array_like
        Upper end, in the same unit.
    observed : float or array_like
        The measured figure.
    level_ratio : float or array_like
        Probability that the interval claims, as 0.95; as much is left out on
        either side.

    Returns
    -------
    score : float or numpy.ndarray
        In the unit of the ends, of the broadcast shape of the inputs: the
        lower, the better.

    Raises
    ------
    DomainError
        If the upper end is below the lower one, the level is not between 0 and
        1, or an argument is infinite.

    Notes
    -----
    .. math::
        S = (u - l) + \frac{2}{\alpha} \left((l - y)_+ + (y - u)_+\right),
        \quad \alpha = 1 - \text{level}

    Least on average for the interval between the :math:`\alpha/2` and
    :math:`1 - \alpha/2` quantiles of what is observed.

    References
    ----------
    T. Gneiting and A. E. Raftery, "Strictly proper scoring rules, prediction,
    and estimation", Journal of the American Statistical Association 102 (2007),
    section 6.2.

    Examples
    --------
    The width of 0.2, and 40 times what is missed:

    >>> round(interval_score(13.3, 13.5, 13.6, 0.95), 6)
    4.2
    """
    low = require_finite("low", low)
    high = require_at_least_each("high", high, low, "")
    observed = require_finite("observed", observed)
    missed = maximum(low - observed, 0) + maximum(observed - high, 0)
    return _plain(high - low + 2 / (1 - _level(level_ratio)) * missed)


def leave_one_out_errors(design: npt.ArrayLike, observed: npt.ArrayLike) -> Floats:
    r"""
    Error of each observation as predicted by a linear fit to all others.

    Parameters
    ----------
    design : array_like
        One row for each observation, one column for each parameter of a linear
        least-squares fit: what the parameter is multiplied with.
    observed : array_like
        The observations.

    Returns
    -------
    errors : numpy.ndarray
        Observation less prediction, one for each row; the sum of their squares
        is known as PRESS.

    Raises
    ------
    DomainError
        If the design is no matrix with a row for each observation, a number is
        not finite, the columns depend on each other, or do so without one of
        the rows.

    Notes
    -----
    .. math::
        \frac{e_i}{1 - h_{ii}}, \quad H = A (A^T A)^{-1} A^T

    with :math:`e` the errors of the one fit to all and :math:`A` the design:
    the same as a fit for each row left out. For a weighted fit multiply the
    rows of both arguments by the roots of the weights; the errors are weighted
    then too.

    References
    ----------
    D. M. Allen, "The relationship between variable selection and data
    augmentation and a method for prediction", Technometrics 16 (1974).

    Examples
    --------
    The mean of 1, 2 and 6, each predicted by the mean of the others:

    >>> leave_one_out_errors([[1], [1], [1]], [1, 2, 6])
    array([-3. , -1.5,  4.5])
    """
    matrix, values = _linear_problem(design, observed)
    basis, _ = np.linalg.qr(matrix)
    rests = 1 - np.sum(basis**2, axis=1)
    if (alone := np.flatnonzero(rests < _SMALLEST_REST)).size:
        raise DomainError(f"design must determine all parameters without its row {alone[0]}")
    errors: Floats = (values - basis @ (basis.T @ values)) / rests
    return errors


def _linear_problem(design: npt.ArrayLike, observed: npt.ArrayLike) -> tuple[Floats, Floats]:
    matrix, values = np.asarray(design, dtype=float), np.asarray(observed, dtype=float)
    if matrix.ndim != 2 or values.shape != matrix.shape[:1]:
        raise DomainError(
            "design must have one row for each observation; "
            f"got shapes {matrix.shape} and {values.shape}"
        )
    if not (np.isfinite(matrix).all() and np.isfinite(values).all()):
        raise DomainError("design and observed must be finite")
    norms = np.linalg.norm(matrix, axis=0)
    if not norms.all() or np.linalg.matrix_rank(matrix / norms) < matrix.shape[1]:
        raise DomainError("columns of design must not depend on each other")
    return matrix, values


def _level(level_ratio: FloatOrArray) -> FloatOrArray:
    level_ratio = require_above("level_ratio", level_ratio, 0, "")
    require_above("1 - level_ratio", 1 - level_ratio, 0, "")
    return level_ratio


def _plain(result: FloatOrArray) -> FloatOrArray:
    return result if isinstance(result, np.ndarray) else float(result)


def mean_interval_score_ratio(errors: Errors) -> float | None:
    """Mean interval score at 95 %, relative to the figures; infinite for an open interval."""
    ends = [ratios for row in errors.rows if (ratios := _end_ratios(row)) is not None]
    scores = [
        math.inf if high == math.inf else float(interval_score(low, high, 1.0, LEVEL_RATIO))
        for low, high in ends
    ]
    return float(np.mean(scores)) if scores else None


def mean_crps_ratio(errors: Errors) -> float | None:
    """
    Mean score of the logarithm of a normal prediction; None where none has an interval.

    The predicted interval is taken for the middle 95 % of it.
    """
    scores = []
    for row in errors.rows:
        ends, error = _end_ratios(row), row.error_ratio
        if ends is None or error is None or not 0 < ends[0] < ends[1] < math.inf:
            continue
        deviation = math.log(ends[1] / ends[0]) / _DEVIATIONS
        scores.append(float(crps_normal(math.log1p(error), deviation, 0.0)))
    return float(np.mean(scores)) if scores else None


def _end_ratios(row: Judged) -> tuple[float, float] | None:
    """The predicted interval over the figure, where there are both."""
    figure = row.observed.figure
    if row.predicted is None or figure is None or math.isnan(row.predicted.low):
        return None
    return row.predicted.low / figure, row.predicted.high / figure
