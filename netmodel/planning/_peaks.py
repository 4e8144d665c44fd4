"""How far the peaks of a load are above its mean."""

import numpy as np

from netmodel._numeric import (
    Quantity,
    is_symbol,
    require_above,
    require_at_least,
    require_at_most,
    sqrt,
)
from netmodel.errors import DomainError

__all__ = ["lognormal_peak_ratio", "normal_peak_ratio", "pooled_variation_ratio"]

_MAX_QUANTILE_RATIO = 0.999999


def normal_peak_ratio(quantile_ratio: Quantity, variation_ratio: Quantity) -> Quantity:
    r"""
    Quantile of a normally distributed load over its mean.

    Parameters
    ----------
    quantile_ratio : float or array_like
        Share of the time that the load stays below it, above 0 and at most
        0.999999; 0.95 for the 95th percentile.
    variation_ratio : float or array_like
        Coefficient of variation: standard deviation over mean.

    Returns
    -------
    peak_ratio : float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the quantile is not above 0 and at most 0.999999 or is a symbol, or
        the variation is negative or infinite.

    Notes
    -----
    .. math:: \frac{D_q}{\bar D} = 1 + z_q\, c_v

    with :math:`z_q` the quantile of the standard normal distribution. A load
    with a large variation would be negative at times: see
    :func:`lognormal_peak_ratio`.

    References
    ----------
    N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous univariate
    distributions", volume 1, 2nd edition (1994), chapter 13.

    Examples
    --------
    >>> round(normal_peak_ratio(0.95, 0.5), 4)
    1.8224
    """
    variation_ratio = require_at_least("variation_ratio", variation_ratio, 0, "")
    return 1 + _normal_quantile(quantile_ratio) * variation_ratio


def lognormal_peak_ratio(quantile_ratio: Quantity, variation_ratio: Quantity) -> Quantity:
    r"""
    Quantile of a lognormally distributed load over its mean.

    Parameters
    ----------
    quantile_ratio : float or array_like
        Share of the time that the load stays below it, above 0 and at most
        0.999999; 0.95 for the 95th percentile.
    variation_ratio : float or array_like
        Coefficient of variation: standard deviation over mean.

    Returns
    -------
    peak_ratio : float or numpy.ndarray
        Below 1 for small quantiles. Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the quantile is not above 0 and at most 0.999999, the variation is
        negative or infinite, or one is a symbol.

    Notes
    -----
    .. math:: \frac{D_q}{\bar D} = e^{z_q s - s^2/2}, \qquad s^2 = \ln(1 + c_v^2)

    with :math:`z_q` the quantile of the standard normal distribution. A mean
    over minutes hides bursts, and the percentile of a sum is not the sum of
    the percentiles.

    References
    ----------
    N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous univariate
    distributions", volume 1, 2nd edition (1994), chapter 14.

    Examples
    --------
    >>> round(lognormal_peak_ratio(0.95, 0.5), 5), round(lognormal_peak_ratio(0.99, 0.5), 5)
    (1.94532, 2.68411)
    """
    variation_ratio = require_at_least("variation_ratio", variation_ratio, 0, "")
    variance = np.log1p(np.square(_number("variation_ratio", variation_ratio)))
    exponent = _normal_quantile(quantile_ratio) * np.sqrt(variance) - variance / 2
    found = np.exp(exponent)
    return found if np.ndim(found) else float(found)


def pooled_variation_ratio(variation_ratio: Quantity, source_count: Quantity) -> Quantity:
    r"""
    Coefficient of variation of several equal loads that vary independently, together.

    Parameters
    ----------
    variation_ratio : float or array_like
        Of each: standard deviation over mean.
    source_count : float or array_like
        How many, at least 1.

    Returns
    -------
    pooled_ratio : float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the variation is negative, there is no source, or one is infinite.

    Notes
    -----
    .. math:: \frac{c_v}{\sqrt n}

    Loads that rise together, as those of one working day, gain less or nothing.

    References
    ----------
    W. Feller, "An Introduction to Probability Theory and Its Applications",
    volume 1, 3rd edition (1968), chapter IX.5.

    Examples
    --------
    >>> pooled_variation_ratio(0.5, 16)
    0.125
    """
    variation_ratio = require_at_least("variation_ratio", variation_ratio, 0, "")
    return variation_ratio / sqrt(require_at_least("source_count", source_count, 1, ""))


def _normal_quantile(quantile_ratio: Quantity) -> Quantity:
    from scipy.special import ndtri

    quantile_ratio = require_above("quantile_ratio", quantile_ratio, 0, "")
    quantile_ratio = require_at_most("quantile_ratio", quantile_ratio, _MAX_QUANTILE_RATIO, "")
    found = ndtri(_number("quantile_ratio", quantile_ratio))
    return found if np.ndim(found) else float(found)


def _number(name: str, value: Quantity) -> Quantity:
    if is_symbol(value):
        raise DomainError(f"{name} must be a number; got {value}")
    return value
