"""Closed networks of several classes of connections, each with demands of its own."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from netmodel.concurrency._bounds import stages
from netmodel.concurrency._closed import _MAX_CONNECTION_COUNT, _numbers, _whole
from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import ArrayLike, Floats, QuantityLike, require_at_least, require_at_most

_MAX_QUEUE_COUNT = 2 * 10**7
"""Queues that the recursion keeps, 160 MB: one for each stage and mix of connections."""
_SETTLED_RATIO = 1e-13
"""Of a rate: a step that changes none by more leaves rounding alone."""
_MAX_STEP_COUNT = 500
"""Far more than the 65 that 3000 networks took, of up to 11 classes and 1 000 000 connections."""
_TO_THE_EDGE_RATIO = 0.95
"""Of the distance to a full stage or to a rate of 0, in one step: neither may be reached."""
_GAIN_RATIO = 1e-4
"""Of the gain that the slope promises (Armijo's usual figure): a step that gains less is halved."""


class MulticlassNetwork(NamedTuple):
    """
    Rate, time and waiting of each class of connections of a closed network.

    Parameters
    ----------
    transaction_rates_tps : numpy.ndarray
        Transactions of the connections of each class. [1/s]
    transaction_times_s : numpy.ndarray
        From a request to its response, for each class, without the think time;
        NaN for a class without connections. [s]
    stage_connection_counts : numpy.ndarray
        Mean connections of each class, and on the second axis at each stage,
        waiting or served.

    Examples
    --------
    >>> from netmodel.concurrency import exact_multiclass_network
    >>> network = exact_multiclass_network([[12e-6, 6e-6], [20e-6, 9e-6]], [10, 1], 40e-6)
    >>> network.transaction_rates_tps.round()
    array([74232.,  5185.])
    """

    transaction_rates_tps: Floats
    transaction_times_s: Floats
    stage_connection_counts: Floats


def exact_multiclass_network(
    demands_s: ArrayLike, connection_counts: ArrayLike, think_times_s: QuantityLike = 0
) -> MulticlassNetwork:
    r"""
    Rates, times and queues of several classes of connections: exact mean value analysis.

    Parameters
    ----------
    demands_s : array_like
        Time that a transaction of each class, and on the second axis each
        stage, takes; further axes are models. [s]
    connection_counts : sequence of int or array_like
        Connections of each class, each with one transaction at a time, whole
        numbers; 0 leaves a class out.
    think_times_s : float or array_like
        Time from a response to the next request, and delay centres: one for
        all classes, or one for each on the first axis. [s]

    Returns
    -------
    network : MulticlassNetwork
        Arrays with the classes on their first axis.

    Raises
    ------
    DomainError
        If the demands are no table of classes and stages, a demand or think
        time is negative, a class with connections has neither, there is no
        connection, a count is no whole number of at least 0, the counts or
        think times are not one for each class, an argument is infinite or a
        symbol, or the mixes of connections are too many: then
        :func:`approximate_multiclass_network` answers.

    Notes
    -----
    For all mixes :math:`n` up to the connections, fewer before more:

    .. math::
        R_{r,k}(n) = D_{r,k}\,(1 + Q_k(n - 1_r)), \qquad
        X_r(n) = \frac{n_r}{Z_r + \sum_k R_{r,k}(n)}, \qquad
        Q_k(n) = \sum_r X_r(n)\,R_{r,k}(n)

    where :math:`n - 1_r` has one connection of class :math:`r` less. There are
    :math:`\prod_r (N_r + 1)` mixes. Exact for stages that share their service
    evenly, and for service in the order of arrival that is random with one
    mean for all classes; where means differ, such as small and large frames in
    one queue, it is an approximation.

    References
    ----------
    M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain
    queuing networks", Journal of the ACM 27 (1980); E. D. Lazowska, J.
    Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative System Performance"
    (1984), chapter 7.

    Examples
    --------
    Two classes of one connection each on two stages:

    >>> network = exact_multiclass_network([[1, 3], [2, 4]], [1, 1])
    >>> (19 * network.transaction_rates_tps).round(9)
    array([3., 2.])
    >>> (19 * network.stage_connection_counts).round(9)
    array([[ 4., 15.],
           [ 5., 14.]])
    """
    demands, counts, thinks_s = _classes(demands_s, connection_counts, think_times_s)
    if np.isnan(counts).any():
        raise DomainError("connection_counts must be whole numbers; got nan")
    _whole(counts, "connection_counts")
    class_count, stage_count, *models = demands.shape
    sizes = [int(count) + 1 for count in counts]
    if math.prod(sizes) * stage_count * math.prod(models) > _MAX_QUEUE_COUNT:
        raise DomainError(
            f"connection_counts make {math.prod(sizes)} mixes, too many for {stage_count} stages; "
            "use approximate_multiclass_network"
        )
    mixes = np.indices(sizes).reshape(class_count, -1)
    strides = [math.prod(sizes[place + 1 :]) for place in range(class_count)]
    totals = mixes.sum(axis=0)
    rates, times_s = np.zeros((class_count, *models)), np.full(demands.shape, np.nan)
    queues = np.zeros((totals.size, stage_count, *models))
    # mixes with equally many connections depend on those with one less only
    for layer in np.split(np.argsort(totals, kind="stable"), np.cumsum(np.bincount(totals))):
        for each in range(class_count):
            here = layer[mixes[each, layer] > 0]
            if here.size:
                met_s = demands[each] * (1 + queues[here - strides[each]])
                present = mixes[each, here].reshape(-1, *(1,) * len(models))
                rate = present / (thinks_s[each] + met_s.sum(axis=1))
                queues[here] += rate[:, np.newaxis] * met_s
                rates[each], times_s[each] = rate[-1], met_s[-1]
    return MulticlassNetwork(
        rates, times_s.sum(axis=1), rates[:, np.newaxis] * np.nan_to_num(times_s)
    )


def approximate_multiclass_network(
    demands_s: ArrayLike,
    connection_counts: ArrayLike,
    think_times_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
) -> MulticlassNetwork:
    r"""
    Rates, times and queues of many connections and classes: approximate mean value analysis.

    Parameters
    ----------
    demands_s : array_like
        Time that a transaction of each class, and on the second axis each
        stage, takes; further axes are models. [s]
    connection_counts : sequence of float or array_like
        Connections of each class, each with one transaction at a time, at
        least 1 and not only whole; 0 leaves a class out.
    think_times_s : float or array_like
        Time from a response to the next request, and delay centres: one for
        all classes, or one for each on the first axis. [s]
    parallel_counts : float, or sequence of float
        How many transactions each stage serves at a time: one number for all
        stages, or one for each, at least 1.

    Returns
    -------
    network : MulticlassNetwork
        Arrays with the classes on their first axis.

    Raises
    ------
    DomainError
        If the demands are no table of classes and stages, a demand or think
        time is negative, a class with connections has neither, there is no
        connection, a count is between 0 and 1 or above 1 000 000, a stage
        serves less than one at a time, the counts or think times are not one
        for each class or the parallel counts not one for each stage, or an
        argument is infinite or a symbol.

    Notes
    -----
    Who arrives at a stage meets the queue of all connections, less its own
    share of that of its class:

    .. math::
        Q_{j,k}(N - 1_r) \approx Q_{j,k}(N)
        \begin{cases} (N_r - 1) / N_r & j = r \\ 1 & j \ne r \end{cases}

    solved with Newton's method for the rates; the effort does not depend on the
    connections.
    A stage of :math:`m` servers is a queue with :math:`D / m` and a delay centre
    with :math:`D (m - 1) / m`, as in :func:`approximate_closed_network`: the rate is
    up to 25 % low.

    References
    ----------
    P. J. Schweitzer, "Approximate analysis of multiclass closed networks of
    queues", International Conference on Stochastic Control and Optimization
    (1979); E. D. Lazowska, J. Zahorjan, G. S. Graham and K. C. Sevcik,
    "Quantitative System Performance" (1984), chapter 7.

    Examples
    --------
    >>> network = approximate_multiclass_network([[1, 3], [2, 4]], [1, 1])
    >>> network.transaction_rates_tps.round(3)
    array([0.154, 0.104])
    """
    demands, counts, thinks_s = _classes(demands_s, connection_counts, think_times_s)
    require_at_most("connection_counts", counts, _MAX_CONNECTION_COUNT, "")
    if ((counts > 0) & (counts < 1)).any():
        raise DomainError("connection_counts must be 0 or at least 1")
    class_count, stage_count, *models = demands.shape
    several: Any = parallel_counts
    servers = np.asarray(stages([1] * stage_count, several)[1], dtype=float)
    # the models first, then classes and stages
    demands = np.moveaxis(demands.reshape(class_count, stage_count, -1), -1, 0)
    delayed = demands * (1 - 1 / servers)
    thinking_s = np.broadcast_to(thinks_s, (class_count, *models)).reshape(class_count, -1).T
    outside_s = thinking_s + delayed.sum(axis=2)
    present = counts > 0
    times_s, rates = _schweitzer(
        demands[:, present] / servers, counts[present], outside_s[:, present]
    )
    every_rate = np.zeros((len(demands), class_count))
    every_time_s = np.full(demands.shape, np.nan)
    every_rate[:, present], every_time_s[:, present] = rates, times_s + delayed[:, present]
    rate = every_rate.T.reshape(class_count, *models)
    time_s = np.moveaxis(every_time_s, 0, -1).reshape(class_count, stage_count, *models)
    return MulticlassNetwork(rate, time_s.sum(axis=1), rate[:, np.newaxis] * np.nan_to_num(time_s))


def _schweitzer(demands: Floats, counts: Floats, outside_s: Floats) -> tuple[Floats, Floats]:
    r"""
    Times at the stages and rates; the models are on the first axis, then classes, stages.

    With :math:`b_{rk} = X_r D_{rk} / (1 + X_r D_{rk} / N_r)` and :math:`A_k` their sum over the
    classes, the queues are :math:`b_{rk} / (1 - A_k)`, and the rates solve

        N_r = X_r Z_r + sum_k b_rk / (1 - A_k)

    While the denominators of b are kept, that is where the concave function
    :math:`\sum_r (N_r \ln X_r - X_r Z_r) + \sum_k \ln(1 - A_k)` is largest: Newton's method with
    a line search finds it from anywhere. The denominators follow from step to step.
    """
    # each waits for all at every stage: the loads reach 1 at most, and their A less
    rates = counts / (outside_s + counts.sum() * demands.sum(axis=2))
    for _ in range(_MAX_STEP_COUNT):
        kept = 1 + rates[..., np.newaxis] * demands / counts[:, np.newaxis]
        loads = rates[..., np.newaxis] * demands / kept
        queues = loads / (1 - loads.sum(axis=1, keepdims=True))
        excess = counts - rates * outside_s - queues.sum(axis=2)
        curvature = np.einsum("mrk,mjk->mrj", queues, queues) + np.diag(counts)
        step = np.linalg.solve(curvature, excess[..., np.newaxis])[..., 0]
        filled = (queues * step[..., np.newaxis]).sum(axis=1)
        fastest = np.maximum(filled.max(axis=1), (-step).max(axis=1))
        length = np.minimum(1, _TO_THE_EDGE_RATIO / np.maximum(fastest, _TO_THE_EDGE_RATIO))
        promised = (excess * step).sum(axis=1)
        while True:
            part = length[:, np.newaxis]
            gain = (
                (counts * np.log1p(part * step) - part * step * rates * outside_s).sum(axis=1)
            ) + np.log1p(-part * filled).sum(axis=1)
            # at the top, rounding decides: there Newton's step is right
            short = (gain < _GAIN_RATIO * length * promised) & (promised > _SETTLED_RATIO)
            if not short.any():
                break
            length = np.where(short, length / 2, length)
        rates = rates * (1 + length[:, np.newaxis] * step)
        if not (np.abs(step) > _SETTLED_RATIO).any():
            break
    else:
        raise DomainError("rates of these classes do not settle; use exact_multiclass_network")
    return queues / rates[..., np.newaxis], rates


def _classes(
    demands_s: ArrayLike, connection_counts: ArrayLike, think_times_s: QuantityLike
) -> tuple[Floats, Floats, Floats]:
    """Demands of classes and stages, connections and think time of each class."""
    demands = require_at_least("demands_s", demands_s, 0, "s")
    counts, thinks_s = _numbers(
        require_at_least("connection_counts", connection_counts, 0, ""),
        require_at_least("think_times_s", think_times_s, 0, "s"),
        demands,
    )
    demands = np.asarray(demands, dtype=float)
    if demands.ndim <= 1 or not demands.size:
        raise DomainError(
            f"demands_s must be a table, a row for each class and in it one demand for each stage; "
            f"got {demands_s!r}"
        )
    if counts.shape != demands.shape[:1]:
        raise DomainError(
            f"connection_counts must be one for each of {len(demands)} classes; "
            f"got {connection_counts!r}"
        )
    if not counts.any():
        raise DomainError("connection_counts must be above 0 for one class at least")
    if thinks_s.ndim and len(thinks_s) != len(demands):
        raise DomainError(
            f"think_times_s must be one number, or one for each of {len(demands)} classes; "
            f"got {think_times_s!r}"
        )
    models = demands.shape[2:]
    thinks_s = thinks_s.reshape(*thinks_s.shape, *(1,) * (1 + len(models) - thinks_s.ndim))
    thinks_s = np.broadcast_to(thinks_s, (len(demands), *models))
    if ((demands.sum(axis=1) + thinks_s == 0).T & (counts > 0)).any():
        raise DomainError("demands_s and think_times_s must not both be 0 for a class")
    return demands, counts, thinks_s
