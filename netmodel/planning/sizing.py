"""Sizing formulas, of numbers or arrays: how many of something a demand needs, and its peaks."""

from typing import cast

from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    Number,
    Q,
    ceil_but_for_rounding,
    is_symbol,
    require_above,
    require_at_least,
    require_at_most,
    require_share,
)

__all__ = ["lognormal_peak_ratio", "required_adapter_count"]


def required_adapter_count(
    demand_bps: Q | Number,
    capacity_bps: Q | Number,
    max_utilisation_ratio: Q | Number = 1,
    spare_count: Q | Number = 0,
) -> Q:
    r"""
    Adapters that carry a demand in one direction, none of them busier than allowed.

    Parameters
    ----------
    demand_bps : float or array_like
        Payload rate to plan for, such as a high percentile. [bit/s]
    capacity_bps : float or array_like
        Payload rate that one adapter reaches in this direction. [bit/s]
    max_utilisation_ratio : float or array_like
        Share of each that may be used, above 0 and at most 1.
    spare_count : float or array_like
        Adapters that may fail with the others still within that share.

    Returns
    -------
    adapter_count : int, float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the demand or the spares are negative, the capacity is not above
        zero, the share is not above 0 and at most 1, or one is infinite.

    Notes
    -----
    .. math:: n = \left\lceil \frac{D}{X\,u_{max}} \right\rceil + f

    The quotient is lowered by one part in 10^12 first, so that the rounding of
    floats adds no adapter. The demand spreads evenly over the adapters; a hash
    does not do that, see :func:`netmodel.concurrency.usable_capacity_ratio`.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    40 Gbit/s into adapters of 13.4 Gbit/s, 70 % used at most, one spare:

    >>> required_adapter_count(40e9, 13.4e9, 0.7, 1)
    6
    """
    spare_count = require_at_least("spare_count", spare_count, 0, "")
    demand_bps = require_at_least("demand_bps", demand_bps, 0, "bit/s")
    capacity_bps = require_above("capacity_bps", capacity_bps, 0, "bit/s")
    max_utilisation_ratio = require_share("max_utilisation_ratio", max_utilisation_ratio)
    # n = ceil(D / (X u_max)) + f
    return ceil_but_for_rounding(demand_bps / capacity_bps / max_utilisation_ratio) + spare_count


MAX_QUANTILE_RATIO = 0.999999
"""Half a minute in a year above it: no record of a load is long enough to show rarer peaks."""


def lognormal_peak_ratio(quantile_ratio: Q | Number, variation_ratio: Q | Number) -> Q:
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
    from statistics import NormalDist  # takes longer to load than a plan without peaks takes

    for name, value in (("quantile_ratio", quantile_ratio), ("variation_ratio", variation_ratio)):
        if is_symbol(value):
            raise DomainError(f"{name} must be a number; got {value}")
    variation_ratio = require_at_least("variation_ratio", variation_ratio, 0, "")
    quantile_ratio = require_above("quantile_ratio", quantile_ratio, 0, "")
    quantile_ratio = require_at_most("quantile_ratio", quantile_ratio, MAX_QUANTILE_RATIO, "")
    # s^2 = ln(1 + c_v^2), then exp(z_q s - s^2 / 2); scipy takes longer to load than a plan takes
    variance = np.log1p(np.square(variation_ratio))
    flat = [*map(NormalDist().inv_cdf, np.ravel(quantile_ratio).tolist())]
    ratios = np.exp(np.reshape(flat, np.shape(quantile_ratio)) * np.sqrt(variance) - variance / 2)
    return cast("Q", ratios if np.ndim(ratios) else float(ratios))
