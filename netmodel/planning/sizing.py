"""Sizing formulas, of numbers or arrays: how many of something a demand needs, and its peaks."""

from statistics import NormalDist
from typing import Any, NamedTuple, cast

from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    Floats,
    Number,
    Q,
    QuantityLike,
    ceil_but_for_rounding,
    is_symbol,
    require_above,
    require_at_least,
    require_at_most,
    require_share,
    require_within,
    sqrt,
)

__all__ = [
    "MixScale",
    "adapter_use_ratio",
    "lognormal_peak_ratio",
    "mix_scale",
    "normal_peak_ratio",
    "pooled_variation_ratio",
    "required_adapter_count",
    "required_core_count",
    "square_root_server_count",
]


class MixScale(NamedTuple):
    """
    How far a mix of demands may grow, and what then is used up.

    Parameters
    ----------
    scale_ratio : float
        Volumes that fit over those that were given; below 1 where these do not fit.
    binding_index : int
        The resource that is then used up; the first where there is a tie.
    slack_ratios : numpy.ndarray
        Share of each resource that is then left.

    Examples
    --------
    >>> MixScale(1.25, 0, np.array([0.0, 0.5])).binding_index
    0
    """

    scale_ratio: float
    binding_index: int
    slack_ratios: Floats


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


def adapter_use_ratio(
    demand_bps: Q | Number,
    capacity_bps: Q | Number,
    adapter_count: Q | Number,
    failed_count: Q | Number = 0,
) -> Q:
    r"""
    Share of the adapters that a demand uses while some of them have failed.

    Parameters
    ----------
    demand_bps : float or array_like
        Payload rate in one direction. [bit/s]
    capacity_bps : float or array_like
        Payload rate that one adapter reaches in this direction. [bit/s]
    adapter_count : float or array_like
        Adapters with those that failed.
    failed_count : float or array_like
        Adapters that failed, fewer than there are.

    Returns
    -------
    use_ratio : float or numpy.ndarray
        Above 1 where the demand does not fit. Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If a demand or the number that failed is negative, the capacity is not
        above zero, no adapter is left, or one is infinite.

    Notes
    -----
    .. math:: u = \frac{D}{(n - f)\,X}

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    >>> [round(adapter_use_ratio(40e9, 13.4e9, count, 1), 3) for count in (6, 5, 4)]
    [0.597, 0.746, 0.995]
    """
    demand_bps = require_at_least("demand_bps", demand_bps, 0, "bit/s")
    capacity_bps = require_above("capacity_bps", capacity_bps, 0, "bit/s")
    failed_count = require_at_least("failed_count", failed_count, 0, "")
    adapter_count = require_above("adapter_count", adapter_count, failed_count, "")
    return demand_bps / ((adapter_count - failed_count) * capacity_bps)


def required_core_count(
    busy_cpu_count: Q | Number,
    max_utilisation_ratio: Q | Number = 1,
    smt_gain_ratio: Q | Number = 1,
) -> Q:
    r"""
    Cores that do a work without being busier than allowed.

    Time basis: CPU time as of a core with one busy thread.

    Parameters
    ----------
    busy_cpu_count : float or array_like
        CPUs that the work keeps busy, each with a core of its own.
    max_utilisation_ratio : float or array_like
        Share of each core that may be used, above 0 and at most 1.
    smt_gain_ratio : float or array_like
        Work of a core with both threads busy over that with one, from 1 to 2.

    Returns
    -------
    core_count : int, float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the busy CPUs are negative, the share is not above 0 and at most 1,
        the gain is not from 1 to 2, or one is infinite.

    Notes
    -----
    .. math:: m = \left\lceil \frac{u}{u_{max}\, s} \right\rceil

    The quotient is lowered by one part in 10^12 first, so that the rounding of
    floats adds no core. :func:`netmodel.consumption.busy_cpu_count` gives the
    CPUs that a rate keeps busy; those of several rates add up.

    References
    ----------
    IBM, linux.mainframe.blog, on the utilisation of SMT-2 cores, for the gain.

    Examples
    --------
    4 µs for each of a million transactions a second:

    >>> required_core_count(4, 0.7), required_core_count(4, 0.7, 1.3)
    (6, 5)
    """
    busy_cpu_count = require_at_least("busy_cpu_count", busy_cpu_count, 0, "")
    smt_gain_ratio = require_within("smt_gain_ratio", smt_gain_ratio, 1, 2, "")
    max_utilisation_ratio = require_share("max_utilisation_ratio", max_utilisation_ratio)
    # m = ceil(u / (u_max s))
    return ceil_but_for_rounding(busy_cpu_count / max_utilisation_ratio / smt_gain_ratio)


def square_root_server_count(offered_load_erlang: Q | Number, margin_ratio: Q | Number = 1) -> Q:
    r"""
    Servers that keep waiting rare: the busy ones, and a margin that grows with their root.

    Parameters
    ----------
    offered_load_erlang : float or array_like
        Servers that are busy on average. [erlang]
    margin_ratio : float or array_like
        Multiple of the root: with 1 about a fifth of all arrivals wait, with 2 about a thirtieth.

    Returns
    -------
    server_count : float or numpy.ndarray
        Not rounded up. Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the load or the margin is negative or infinite.

    Notes
    -----
    .. math:: m = a + \beta \sqrt{a}

    Where many servers serve one queue, the share of arrivals that wait tends to
    :math:`1 / (1 + \beta\,\Phi(\beta) / \varphi(\beta))`. Check the whole number with
    :func:`netmodel.concurrency.erlang_c_waiting_ratio`.

    References
    ----------
    S. Halfin and W. Whitt, "Heavy-traffic limits for queues with many exponential servers",
    Operations Research 29 (1981).

    Examples
    --------
    >>> round(square_root_server_count(10), 2)
    13.16
    """
    load = require_at_least("offered_load_erlang", offered_load_erlang, 0, "erlang")
    return load + require_at_least("margin_ratio", margin_ratio, 0, "") * sqrt(load)


def mix_scale(capacities: QuantityLike, demands: QuantityLike, volumes: QuantityLike) -> MixScale:
    r"""
    How far a fixed mix may grow until the first resource is used up.

    Parameters
    ----------
    capacities : array_like
        What each resource has, each in a unit of its own.
    demands : array_like
        A row for each resource: what a unit of each class takes of it.
    volumes : array_like
        Units of each class.

    Returns
    -------
    scale : MixScale
        The factor for all volumes, the binding resource, and what is left
        of each.

    Raises
    ------
    DomainError
        If the numbers of rows or columns differ, a capacity is not above zero,
        a demand or volume is negative, one is NaN or infinite, or the mix
        takes nothing of any resource.

    Notes
    -----
    .. math:: \lambda = \min_r \frac{C_r}{\sum_k d_{rk}\, y_k}, \qquad
        s_r = 1 - \lambda\, \frac{\sum_k d_{rk}\, y_k}{C_r}

    The rate is proportional to the capacity of the binding resource, and
    more of another gains nothing.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the bottleneck.

    Examples
    --------
    25 Gbit/s of line and 1.156768 million frames/s, for 8 Gbit/s of stream and 300,000 small
    requests a second:

    >>> mix = mix_scale(
    ...     [25, 1.156768], [[1538 / 1448, 0.00872], [1 / 11.584, 0.001]], [8, 300]
    ... )
    >>> round(mix.scale_ratio, 4), mix.binding_index
    (1.1678, 1)
    """
    capacity = np.asarray(require_above("capacities", capacities, 0, ""))
    demand = np.asarray(require_at_least("demands", demands, 0, ""))
    volume = np.asarray(require_at_least("volumes", volumes, 0, ""))
    if (capacity.ndim, volume.ndim) != (1, 1) or demand.shape != (capacity.size, volume.size):
        raise DomainError(
            f"demands must have a row for each of {capacity.size} capacities and a column for "
            f"each of {volume.size} volumes; got the shape {demand.shape}"
        )
    if any(np.isnan(each).any() for each in (capacity, demand, volume)):
        raise DomainError("capacities, demands and volumes must be numbers; got NaN")
    uses = demand @ volume / capacity  # sum_k d_rk y_k / C_r
    if not uses.max(initial=0) > 0:
        raise DomainError("demands and volumes must take something of a resource")
    # lambda is one over the largest use, which leaves s_r = 1 - lambda use_r
    return MixScale(float(1 / uses.max()), int(uses.argmax()), 1 - uses / uses.max())


MAX_QUANTILE_RATIO = 0.999999
"""Half a minute in a year above it: no record of a load is long enough to show rarer peaks."""


def normal_peak_ratio(quantile_ratio: Q | Number, variation_ratio: Q | Number) -> Q:
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
    variation_ratio = require_at_least("variation_ratio", variation_ratio, 0, "")
    # s^2 = ln(1 + c_v^2), then exp(z_q s - s^2 / 2)
    variance = np.log1p(np.square(_number("variation_ratio", variation_ratio)))
    exponent = _normal_quantile(quantile_ratio) * np.sqrt(variance) - variance / 2
    ratios = np.exp(exponent)
    return cast("Q", ratios if np.ndim(ratios) else float(ratios))


def pooled_variation_ratio(variation_ratio: Q | Number, source_count: Q | Number) -> Q:
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


def _normal_quantile(quantile_ratio: Q | Number) -> Q:
    quantile_ratio = require_above("quantile_ratio", quantile_ratio, 0, "")
    quantile_ratio = require_at_most("quantile_ratio", quantile_ratio, MAX_QUANTILE_RATIO, "")
    number: Any = _number("quantile_ratio", quantile_ratio)
    quantile_of: Any = NormalDist().inv_cdf  # scipy takes longer to load than a plan takes
    if np.ndim(number):
        from scipy.special import ndtri as quantile_of
    return cast("Q", quantile_of(number))


def _number(name: str, value: Q) -> Q:
    if is_symbol(value):
        raise DomainError(f"{name} must be a number; got {value}")
    return value
