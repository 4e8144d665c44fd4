"""Sizing formulas, of numbers or arrays: how many of something a demand needs, and its peaks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from netmodel._linear_programs import EMPTY, SOLVED, UNBOUNDED
from netmodel._numeric import (
    ROUNDING_RATIO,
    Floats,
    Number,
    Q,
    QuantityLike,
    ceil_but_for_rounding,
    is_symbol,
    require_above,
    require_above_each,
    require_at_least,
    require_at_most,
    require_share,
    require_within,
    sqrt,
)
from netmodel._numpy import np
from netmodel.errors import DomainError

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

__all__ = [
    "BestMix",
    "MixScale",
    "adapter_use_ratio",
    "best_mix",
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


class BestMix(NamedTuple):
    """
    The volumes that are worth most, and what a little more or less of each resource changes.

    Parameters
    ----------
    volumes : numpy.ndarray
        Units of each class; of several mixes that are worth as much, one of them.
    value : float
        What they are worth together.
    prices : numpy.ndarray
        Shadow price of each resource, value per unit: a dual solution, so that with the values
        of the classes it adds up to the value. The only one unless `has_ties`.
    gain_prices : numpy.ndarray
        Value that a little more of the resource alone adds, per unit.
    loss_prices : numpy.ndarray
        Value that a little less of it alone takes away, per unit; infinite where the smallest
        volumes need all of it.
    slack_ratios : numpy.ndarray
        Share of each resource that is left.

    Examples
    --------
    >>> best_mix([10.0], [[2.0]], [3.0]).gain_prices
    array([1.5])
    """

    volumes: Floats
    value: float
    prices: Floats
    gain_prices: Floats
    loss_prices: Floats
    slack_ratios: Floats

    @property
    def has_ties(self) -> bool:
        """Whether a price differs between a little more and a little less."""
        return not np.allclose(self.gain_prices, self.loss_prices, rtol=_TIE_RATIO, atol=0)


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
    adapter_count = require_above_each("adapter_count", adapter_count, failed_count, "")
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


_TIE_RATIO = 1e-6
"""Prices that agree so far are the same: HiGHS meets rows to 1e-7 of numbers near 1."""


def best_mix(
    capacities: QuantityLike,
    demands: QuantityLike,
    values: QuantityLike,
    minimum_volumes: QuantityLike = 0,
) -> BestMix:
    r"""
    The mix of volumes that is worth most with these resources, and their shadow prices.

    Parameters
    ----------
    capacities : array_like
        What each resource has, each in a unit of its own.
    demands : array_like
        A row for each resource: what a unit of each class takes of it.
    values : array_like
        What a unit of each class is worth.
    minimum_volumes : float or array_like
        Units of each class that have to be carried.

    Returns
    -------
    mix : BestMix
        Volumes, their value, what is left of each resource, and the price of each: where several
        resources tie, what a little more of one adds is less than what a little less takes away.

    Raises
    ------
    DomainError
        If the numbers of rows or columns differ, a capacity is not above zero, a demand, value or
        volume is negative, one is NaN or infinite, the smallest volumes do not fit, or a class
        that is worth something takes nothing of any resource.

    Notes
    -----
    .. math:: \max_y \; v^T y, \quad D y \le C, \quad y \ge y_{min}; \qquad
        \min_\pi \; \pi^T (C - D y_{min}) + v^T y_{min}, \quad D^T \pi \ge v, \quad \pi \ge 0

    Both have the same optimum. A resource with something left has the price 0. Among all dual
    solutions a little more of resource :math:`r` adds the smallest :math:`\pi_r`, and a little
    less takes away the largest. The price holds until another resource is used up: what a whole
    unit changes is found by solving again with that unit.

    References
    ----------
    G. B. Dantzig, "Linear programming and extensions", Princeton (1963), chapters 6 and 12.

    Q. Huangfu and J. A. J. Hall, "Parallelizing the dual revised simplex method", Mathematical
    Programming Computation 10 (2018): HiGHS, which solves it.

    Examples
    --------
    25 Gbit/s of line, 1.156768 million frames/s and 4 CPUs, for a stream at 1 per Gbit/s and
    small requests at 0.02 per thousand a second:

    >>> mix = best_mix(
    ...     [25, 1.156768, 4],
    ...     [[1538 / 1448, 0.00872], [1 / 11.584, 0.001], [0.1, 0.015]],
    ...     [1, 0.02],
    ... )
    >>> [round(float(each), 4) for each in (*mix.volumes, mix.value, *mix.prices)]
    [11.1739, 192.1743, 15.0173, 0.0, 10.8797, 0.608]
    """
    capacity = np.asarray(require_above("capacities", capacities, 0, ""))
    demand = np.asarray(require_at_least("demands", demands, 0, ""))
    worth = np.asarray(require_at_least("values", values, 0, ""))
    least = np.asarray(require_at_least("minimum_volumes", minimum_volumes, 0, ""))
    if (capacity.ndim, worth.ndim) != (1, 1) or demand.shape != (capacity.size, worth.size):
        raise DomainError(
            f"demands must have a row for each of {capacity.size} capacities and a column for "
            f"each of {worth.size} values; got the shape {demand.shape}"
        )
    if least.shape not in ((), worth.shape):
        raise DomainError(
            f"minimum_volumes must be one number, or one for each of {worth.size} values; got the "
            f"shape {least.shape}"
        )
    if any(np.isnan(each).any() for each in (capacity, demand, worth, least)):
        raise DomainError("capacities, demands, values and minimum_volumes must be numbers")
    least = np.broadcast_to(least, worth.shape)
    # (1) shares of each resource, b = 1 - D y_min / C
    left = 1 - demand @ least / capacity
    for place in np.flatnonzero(left < -ROUNDING_RATIO):
        raise DomainError(
            f"the smallest volumes do not fit: they take {1 - left[place]:.4g} times capacity "
            f"{place}"
        )
    free = (worth > 0) & ~demand.any(axis=0)
    if free.any():
        raise DomainError(
            f"class {int(free.argmax())} is worth something and takes nothing of any resource: no "
            "mix is worth most"
        )
    # (2) classes in units that use up one resource, and values of which the largest is 1
    shares: Any = demand / capacity[:, np.newaxis]
    units = 1 / np.where(shares.max(axis=0) > 0, shares.max(axis=0), 1.0)
    scale = float((worth * units).max()) or 1.0
    rows = shares * units
    goal: Any = worth * units / scale
    primal = _optimum(-goal, rows, np.maximum(left, 0.0))
    extra = np.maximum(primal.x, 0.0)
    duals = np.maximum(-np.asarray(primal.ineqlin.marginals), 0.0)
    slack = np.maximum(left - rows @ extra, 0.0)
    # (3) all dual solutions: 0 for what is left, and equality for what is carried beyond y_min
    is_used, is_carried = slack <= ROUNDING_RATIO, extra > ROUNDING_RATIO
    duals = np.where(is_used, duals, 0.0)
    lowest, highest = duals.copy(), duals.copy()
    shared = rows[np.ix_(is_used, is_carried)]
    rank = np.linalg.matrix_rank(shared) if shared.size else 0  # numpy 2.0 refuses empty matrices
    if rank < np.count_nonzero(is_used):
        bounds = [(0, None if used else 0) for used in is_used]

        def on_face(objective: Floats) -> "OptimizeResult":
            return _optimum(
                objective,
                -rows[:, ~is_carried].T,
                -goal[~is_carried],
                rows[:, is_carried].T,
                goal[is_carried],
                bounds,
            )

        for place in np.flatnonzero(is_used):
            unit = np.eye(capacity.size)[place]
            lowest[place] = min(duals[place], float(on_face(unit).fun))
            most = on_face(-unit)
            highest[place] = np.inf if most.status == UNBOUNDED else max(duals[place], -most.fun)
        lowest = np.where(lowest <= ROUNDING_RATIO, 0.0, lowest)
    volumes = least + extra * units
    back = scale / capacity
    return BestMix(
        volumes, float(worth @ volumes), duals * back, lowest * back, highest * back, slack
    )


def _optimum(
    objective: Floats,
    rows: Floats,
    ends: Floats,
    equal_rows: Floats | None = None,
    equal_ends: Floats | None = None,
    of_each: Sequence[tuple[float, float | None]] = ((0, None),),
) -> "OptimizeResult":
    """Solution of a linear program with the smallest objective; an unbounded one says so."""
    from scipy.optimize import linprog

    # presolving may take nearly equal rows that all hold for a contradiction
    for presolve in (True, False):
        result = linprog(
            objective,
            rows,
            ends,
            equal_rows,
            equal_ends,
            of_each,
            options={"presolve": presolve},
        )
        if result.status in (SOLVED, UNBOUNDED):
            return result
    why = "no volumes fit" if result.status == EMPTY else result.message
    raise DomainError(f"the linear program could not be solved: {why}")


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
    from scipy.special import ndtri

    quantile_ratio = require_above("quantile_ratio", quantile_ratio, 0, "")
    quantile_ratio = require_at_most("quantile_ratio", quantile_ratio, MAX_QUANTILE_RATIO, "")
    number: Any = _number("quantile_ratio", quantile_ratio)
    deviations = ndtri(number)
    return cast("Q", deviations if np.ndim(deviations) else float(deviations))


def _number(name: str, value: Q) -> Q:
    if is_symbol(value):
        raise DomainError(f"{name} must be a number; got {value}")
    return value
