"""Approximate closed networks: any load and any number of connections at the same effort."""

from netmodel._numeric import FloatOrArray, PerStage, QuantityLike
from netmodel._numpy import np
from netmodel.concurrency._closed import ClosedNetwork, _inputs, _network

_SETTLED_RATIO = 1e-12
"""After a step of Newton's method below it nothing but rounding is left: the digits double."""
_MAX_STEP_COUNT = 200
"""Far from the solution a step halves the distance from a pole at least, close to it the digits
double: 60 steps for the 53 bits of a float, 6 to settle, and a margin."""


def approximate_closed_network(
    demands_s: PerStage,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
) -> ClosedNetwork[FloatOrArray]:
    r"""
    The same within 7 %, without a recursion: approximate mean value analysis.

    Parameters
    ----------
    demands_s : sequence of float or array_like
        Time that each stage spends on a transaction, one for each entry of the
        sequence or of the first axis; entries that are arrays are broadcast.
        [s]
    connection_count : float or array_like
        Connections, each with one transaction at a time, from 1 to 1 000 000;
        also averages, which need not be whole.
    think_time_s : float or array_like
        Time from a response to the next request, and delay centres,
        where no request queues: add those of the path to the time. [s]

    Returns
    -------
    network : ClosedNetwork
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If there is no stage, no stage has a demand, a demand or the think time
        is negative, there is less than one connection or more than 1 000 000,
        or an argument is infinite or a symbol.

    Notes
    -----
    Who arrives at a stage meets the queue of all connections, less its own
    share, :math:`Q_k(N-1) \approx \frac{N-1}{N} Q_k(N)`, hence

    .. math::
        Q_k = \frac{X D_k}{1 - \frac{N-1}{N} X D_k}, \qquad
        \sum_k Q_k + X Z = N

    The sum increases with :math:`X` and is convex: Newton's method from the
    asymptotic upper bound falls to the one solution, where the fixed point of
    the usual iteration lies too. The effort does not depend on :math:`N`. Exact
    for one connection; the rate is below the exact one, by up to 6.8 % in 3000
    random networks (one stage, 5 connections, a think time of 2.33 demands).

    References
    ----------
    P. J. Schweitzer, "Approximate analysis of multiclass closed networks of
    queues", International Conference on Stochastic Control and Optimization
    (1979); E. D. Lazowska, J. Zahorjan, G. S. Graham and K. C. Sevcik,
    "Quantitative System Performance" (1984), chapter 6.

    Examples
    --------
    >>> network = approximate_closed_network([0.605, 2.1, 1.35], 3, 15)
    >>> round(network.transaction_rate_tps, 4), round(network.transaction_time_s, 2)
    (0.151, 4.87)
    """
    demands, think_s, count, _ = _inputs(demands_s, connection_count, think_time_s, 1)
    shape = np.broadcast_shapes(demands.shape[1:], think_s.shape, count.shape)
    demands = np.stack([np.broadcast_to(demand, shape) for demand in demands])
    met_ratio = (count - 1) / count
    # upper bound of the rate, where the sum is N or more: min(N / (D + Z), 1 / D_max)
    rate = count / np.maximum(demands.sum(axis=0) + think_s, count * demands.max(axis=0))
    for _ in range(_MAX_STEP_COUNT):
        free = 1 - met_ratio * rate * demands
        excess = (rate * demands / free).sum(axis=0) + rate * think_s - count
        step = excess / ((demands / free**2).sum(axis=0) + think_s)
        rate = rate - step
        if not (np.abs(step) > _SETTLED_RATIO * rate).any():
            break
    return _network(rate, rate * demands / (1 - met_ratio * rate * demands))
