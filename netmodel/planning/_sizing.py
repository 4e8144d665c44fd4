"""How many of something a demand needs: the formulas, of numbers or arrays."""

from typing import NamedTuple

import numpy as np

from netmodel._numeric import (
    FloatOrArray,
    Floats,
    QuantityLike,
    ceil_but_for_rounding,
    require_above,
    require_at_least,
    require_at_most,
    require_share,
)
from netmodel.errors import DomainError

__all__ = [
    "MixScale",
    "adapter_use_ratio",
    "mix_scale",
    "required_adapter_count",
    "required_core_count",
]


class MixScale(NamedTuple):
    """
    How far a mix of demands may grow, and what then is used up.

    Parameters
    ----------
    scale_ratio : float
        Volumes that fit over those that were given; below 1 where these do not fit.
    binding_index : int
        The resource that is then used up; the first of several.
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
    demand_bps: QuantityLike,
    capacity_bps: QuantityLike,
    max_utilisation_ratio: QuantityLike = 1,
    spare_count: QuantityLike = 0,
) -> FloatOrArray:
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
    return ceil_but_for_rounding(demand_bps / capacity_bps / max_utilisation_ratio) + spare_count


def adapter_use_ratio(
    demand_bps: QuantityLike,
    capacity_bps: QuantityLike,
    adapter_count: QuantityLike,
    failed_count: QuantityLike = 0,
) -> FloatOrArray:
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
    busy_cpu_count: QuantityLike,
    max_utilisation_ratio: QuantityLike = 1,
    smt_gain_ratio: QuantityLike = 1,
) -> FloatOrArray:
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
    floats adds no core. :func:`netmodel.consumption.busy_cpu_count` tells the
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
    smt_gain_ratio = require_at_least("smt_gain_ratio", smt_gain_ratio, 1, "")
    smt_gain_ratio = require_at_most("smt_gain_ratio", smt_gain_ratio, 2, "")
    max_utilisation_ratio = require_share("max_utilisation_ratio", max_utilisation_ratio)
    return ceil_but_for_rounding(busy_cpu_count / max_utilisation_ratio / smt_gain_ratio)


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
        The factor for all volumes, the resource that binds, and what is left
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

    The rate is proportional to the capacity of the resource that binds, and
    more of another gains nothing.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the bottleneck.

    Examples
    --------
    25 Gbit/s of line and 1.156768 million frames/s, for 8 Gbit/s of stream and 300,000 small
    requests a second:

    >>> found = mix_scale(
    ...     [25, 1.156768], [[1538 / 1448, 0.00872], [1 / 11.584, 0.001]], [8, 300]
    ... )
    >>> round(found.scale_ratio, 4), found.binding_index
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
    if any(np.isnan(one).any() for one in (capacity, demand, volume)):
        raise DomainError("capacities, demands and volumes must be numbers; got NaN")
    uses = demand @ volume / capacity
    if not uses.max(initial=0) > 0:
        raise DomainError("demands and volumes must take something of a resource")
    return MixScale(float(1 / uses.max()), int(uses.argmax()), 1 - uses / uses.max())
