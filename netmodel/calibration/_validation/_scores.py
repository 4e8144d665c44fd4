"""How well predictions hold: scores of distributions and intervals, coverage, leave-one-out."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from netmodel._numeric import (
    Floats,
    Quantity,
    maximum,
    require_above,
    require_at_least,
    require_at_most,
    require_finite,
    require_one,
    require_whole,
)
from netmodel.errors import DomainError

__all__ = ["Coverage", "coverage", "crps_normal", "interval_score", "leave_one_out_errors"]

_SMALLEST_REST = 1e-10
"""Of one less a leverage: below it rounding decides, and a row determines a parameter alone."""


def crps_normal(mean: Quantity, standard_deviation: Quantity, observed: Quantity) -> float | Floats:
    r"""
    Continuous ranked probability score of a normal prediction.

    Parameters
    ----------
    mean : float or array_like
        Of the prediction, in any unit.
    standard_deviation : float or array_like
        Of the prediction, in the same unit.
    observed : float or array_like
        What was measured then.

    Returns
    -------
    score : float or numpy.ndarray
        In the unit of the arguments, of their broadcast shape: the lower, the
        better. Nears the absolute error for a small standard deviation.

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
    low: Quantity, high: Quantity, observed: Quantity, level_ratio: Quantity
) -> float | Floats:
    r"""
    Score of a predicted interval: its width, and a penalty for a miss.

    Parameters
    ----------
    low : float or array_like
        Lower end, in any unit.
    high : float or array_like
        Upper end, in the same unit.
    observed : float or array_like
        What was measured then.
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
    high = require_at_least("high", high, low, "")
    observed = require_finite("observed", observed)
    missed = maximum(low - observed, 0) + maximum(observed - high, 0)
    return _plain(high - low + 2 / (1 - _level(level_ratio)) * missed)


@dataclass(frozen=True, slots=True)
class Coverage:
    """
    Share of intervals that held what they claim to hold.

    Parameters
    ----------
    hit_count : int
        Intervals that held it.
    count : int
        All intervals.
    ratio : float
        Share of those that held it.
    low_ratio, high_ratio : float
        What the share may be in the long run.
    level_ratio : float
        Probability that this range claims for itself.
    """

    hit_count: int
    count: int
    ratio: float
    low_ratio: float
    high_ratio: float
    level_ratio: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return asdict(self)


def coverage(hit_count: int, count: int, level_ratio: float = 0.95) -> Coverage:
    r"""
    How often intervals hold what they claim to hold, from so many trials.

    Parameters
    ----------
    hit_count : int
        Intervals that held it.
    count : int
        All intervals, at least one.
    level_ratio : float
        Probability of the range of the result, not that of the intervals that
        are counted.

    Returns
    -------
    coverage : Coverage
        The share of hits, and the range that it may have in the long run: at
        least as sure as it claims, whatever the share is.

    Raises
    ------
    DomainError
        If a count is negative or no whole number, there is no interval or less
        than hits, or the level is not between 0 and 1.

    Notes
    -----
    .. math::
        l = B^{-1}_{k,\; n-k+1}(\alpha/2), \quad
        u = B^{-1}_{k+1,\; n-k}(1 - \alpha/2), \quad \alpha = 1 - \text{level}

    with :math:`B^{-1}` the quantile of the beta distribution, :math:`l = 0`
    without hits and :math:`u = 1` without misses. The intervals must be
    independent of each other: repeats of one run are not independent
    scenarios.

    References
    ----------
    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
    illustrated in the case of the binomial", Biometrika 26 (1934).

    Examples
    --------
    60 intervals without a miss may still miss 6 in 100:

    >>> round(1 - coverage(60, 60).low_ratio, 4)
    0.0596
    """
    from scipy.special import betaincinv

    count = require_whole("count", require_at_least("count", count, 1, ""))
    hits = require_at_most("hit_count", require_at_least("hit_count", hit_count, 0, ""), count, "")
    hits = require_whole("hit_count", hits)
    level_ratio = require_one("level_ratio", _level(level_ratio))
    tail, misses = (1 - level_ratio) / 2, count - hits
    low = float(betaincinv(hits, misses + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, misses, 1 - tail)) if misses else 1.0
    return Coverage(hits, count, hits / count, low, high, level_ratio)


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


def _level(level_ratio: Quantity) -> Quantity:
    level_ratio = require_above("level_ratio", level_ratio, 0, "")
    require_above("1 - level_ratio", 1 - level_ratio, 0, "")
    return level_ratio


def _plain(result: Quantity) -> float | Floats:
    return result if isinstance(result, np.ndarray) else float(result)
