"""Closed networks: connections that take turns at stages, each with one transaction at a time."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, cast

from netmodel.concurrency._arguments import (
    _MAX_CONNECTION_COUNT,
    _connections,
    _inputs,
    _listed,
    _think,
    _whole,
)
from netmodel.concurrency.product_form import product_form
from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    Floats,
    Number,
    Q,
    Q_co,
    is_symbol,
    require_above,
    require_at_least,
    require_at_most,
)

_FORGETTING_STEPS = (12.5, 30)
"""Steps of Erlang's recursion for the root of the number of lines, and beside it. One step from
n - 1 to n shrinks a difference to min(n / a, a / n) of it: all steps from a - d to a + d to
exp(-d^2 / a), which is 2^-56 for d = 6.25 root of a, and the rest is a margin for few lines."""


class ClosedNetwork(NamedTuple, Generic[Q_co]):
    """
    Rate, time and waiting of the connections of a closed network.

    Parameters
    ----------
    transaction_rate_tps : float or numpy.ndarray
        Transactions of all connections. [1/s]
    transaction_time_s : float or numpy.ndarray
        From a request to its response, without the think time. [s]
    stage_connection_counts : tuple of float or numpy.ndarray
        Mean connections at each stage, waiting or served; they and those that
        think add up to all connections.

    Examples
    --------
    >>> from netmodel.concurrency import exact_closed_network
    >>> network = exact_closed_network([12e-6, 6e-6], 5, 40e-6)
    >>> round(network.transaction_rate_tps), round(network.transaction_time_s * 1e6, 1)
    (66012, 35.7)
    """

    transaction_rate_tps: Q_co
    transaction_time_s: Q_co
    stage_connection_counts: tuple[Q_co, ...]


def exact_closed_network(
    demands_s: Sequence[Q | Number],
    connection_count: Q | Number,
    think_time_s: Q | Number = 0,
    parallel_counts: Sequence[Q | Number] | Q | Number = 1,
) -> ClosedNetwork[Q]:
    r"""
    Rate, time and queues of a number of connections: exact mean value analysis.

    Parameters
    ----------
    demands_s : sequence of float or array_like
        Time that each stage spends on a transaction, one for each entry of the
        sequence or of the first axis; entries that are arrays are broadcast.
        [s]
    connection_count : int or array_like
        Connections, each with one transaction at a time, whole numbers from 1
        to 1 000 000. All of an array come from one recursion, up to the
        largest. For averages, which are not whole, see
        :func:`approximate_closed_network`.
    think_time_s : float or array_like
        Time from a response to the next request, and delay centres,
        where no request queues: add those of the path to the time. [s]
    parallel_counts : float, or sequence of float or array_like
        How many transactions each stage serves at a time: one number for all
        stages, or one for each, at least 1. It need not be whole, as for CPUs
        with two threads: it limits how much faster the stage is than one.

    Returns
    -------
    network : ClosedNetwork
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If there is no stage, no stage has a demand, a demand or the think time
        is negative, an argument is infinite or a symbol, a connection count is
        not a whole number, a count is below 1 or, for connections, above
        1 000 000, there are more or fewer parallel counts than demands, or
        the sums over servers and connections would take more than about a
        minute.

    Notes
    -----
    For :math:`n = 1, \ldots, N`, from :math:`Q_k(0) = 0`:

    .. math::
        R_k(n) = D_k\,(1 + Q_k(n-1)), \qquad
        X(n) = \frac{n}{Z + \sum_k R_k(n)}, \qquad
        Q_k(n) = X(n)\,R_k(n)

    for stages that serve one at a time. All terms are positive, so that no
    digits cancel at any load. The usual recursion for several servers is
    unstable: it subtracts chances and ends in negative rates. Here a stage of
    :math:`m` servers is one that serves one at a time, :math:`m` times as fast,
    times a polynomial with positive coefficients,

    .. math::
        \sum_j \frac{(D z)^j}{\prod_{i \le j} \min(i, m)} =
        \frac{1}{1 - D z / m} \sum_{j=0}^{m-1}
        \left(1 - \frac{j}{m}\right) \frac{(D z)^j}{j!}

    so that its rate follows from that of the single servers by sums of
    positive terms too. Exact for networks with a product form: random service
    in the order of arrival with one mean for all, or any service that is
    shared evenly. Demands do not change with the load.

    References
    ----------
    M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain
    queuing networks", Journal of the ACM 27 (1980); J. P. Buzen, "Computational
    algorithms for closed queueing networks with exponential servers",
    Communications of the ACM 16 (1973), for the sums; E. D. Lazowska, J.
    Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative System Performance"
    (1984), chapter 6.

    Examples
    --------
    >>> network = exact_closed_network([0.605, 2.1, 1.35], 3, 15)
    >>> round(network.transaction_rate_tps, 6), round(network.transaction_time_s, 5)
    (0.151516, 4.79982)
    >>> [round(count, 5) for count in network.stage_connection_counts]
    [0.09757, 0.39466, 0.23503]

    8 CPUs of 12 s for each transaction, and a think time of 40 s:

    >>> round(exact_closed_network([12], 100, 40, 8).transaction_rate_tps, 9)
    0.666666667
    """
    demands, think_s, count, servers = _inputs(
        demands_s, connection_count, think_time_s, parallel_counts
    )
    wanted = _whole("connection_count", count)
    if (servers != 1).any():
        # gap between completions of min(j, m) servers while j transactions are at the stage
        most = servers.max(initial=1, where=~np.isnan(servers))
        there = np.arange(1, min(np.ceil(most), max(wanted, default=1)) + 1)
        there = there.reshape(-1, *(1,) * (demands.ndim - 1))
        gaps_s = [
            demand / np.minimum(there, server)
            for demand, server in zip(demands, servers, strict=True)
        ]
        return _network_of_gaps(gaps_s, think_s, count)
    shape: tuple[int, ...] = np.broadcast_shapes(demands.shape[1:], think_s.shape, count.shape)
    models: tuple[int, ...] = np.broadcast_shapes(demands.shape[1:], think_s.shape)
    demands = _behind_first(demands, len(models))
    rate = np.full(shape, np.nan)
    queues = np.full((len(demands), *shape), np.nan)
    every_count = np.broadcast_to(count, shape)
    queue = np.zeros((len(demands), *models))
    for present in range(1, int(max(wanted, default=0)) + 1):
        times_s = demands * (1 + queue)
        present_rate = present / (think_s + times_s.sum(axis=0))
        queue = present_rate * times_s
        if present in wanted:
            here = every_count == present
            # axes of the counts that the models lack come first
            wider = (1,) * (len(shape) - len(models))
            rate = np.where(here, present_rate, rate)
            queues = np.where(here, queue.reshape(len(demands), *wider, *models), queues)
    return _network(rate, queues)


def load_dependent_closed_network(
    demands_s: Sequence[Number | Sequence[Number] | Callable[[Floats], FloatOrArray]],
    connection_count: Q | Number,
    think_time_s: Q | Number = 0,
) -> ClosedNetwork[Q]:
    r"""
    Rate, time and queues where demands change with how many wait at a stage: exact.

    Parameters
    ----------
    demands_s : sequence of float, array_like or callable
        One entry for each stage: mean time between two completions there, for
        one visit of each transaction, while :math:`j` transactions wait or are
        served. A number is the same for all :math:`j`. An array has the times
        for :math:`j = 1, 2, \ldots` on its first axis, the last one also for
        more; other axes are broadcast. A function is called with the array of
        all :math:`j` and returns such an array or a number. [s]
    connection_count : int or array_like
        Connections, each with one transaction at a time, whole numbers from 1
        to 1 000 000. All of an array come from one solution, for the largest.
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
        is negative, a demand is 0 for some numbers at the stage but not for
        all, an argument is infinite or a symbol, a connection count is not a
        whole number, below 1 or above 1 000 000, or demands that change up to
        many connections take more than about a minute.

    Notes
    -----
    With :math:`D_k(j)` the times of the stages, the chance of a state is

    .. math::
        p(j_1, \ldots, j_K) \propto \frac{Z^{j_0}}{j_0!}
        \prod_k \prod_{i=1}^{j_k} D_k(i), \qquad j_0 = N - \sum_k j_k

    where :math:`j_0` think. :math:`D(j) = D / \min(j, m)` are :math:`m`
    servers, :math:`D(j) = D / j` is a delay centre, and
    :math:`d + w / (1 + j / n_0)` is work that batches share. The sums over all
    states are taken so that only positive terms are added, at any load, also
    where demands rise with :math:`j`. The effort grows with :math:`N` times the
    :math:`j` from which on :math:`D(j)` stays at its lowest: 0.6 s for 10 000
    connections and a demand that changes for every :math:`j`.

    References
    ----------
    W. J. Gordon and G. F. Newell, "Closed queuing systems with exponential
    servers", Operations Research 15 (1967); M. Reiser and S. S. Lavenberg,
    "Mean-value analysis of closed multichain queuing networks", Journal of the
    ACM 27 (1980).

    Examples
    --------
    A stage of two servers, two of one, and a think time of 1 s:

    >>> network = load_dependent_closed_network([[0.5, 0.25], 0.3, 0.4], 3, 1)
    >>> round(network.transaction_rate_tps, 6)
    1.217461

    Work of 23 µs that a batch shares beside 12 µs for each transaction:

    >>> amortised = lambda present: (12 + 23 / (1 + present / 30)) * 1e-6
    >>> network = load_dependent_closed_network([amortised], np.array([1, 50, 500]), 400e-6)
    >>> network.transaction_rate_tps.round()
    array([ 2303., 43406., 74739.])
    """
    think_s, count = _think(think_time_s), _connections(connection_count)
    require_at_most("connection_count", connection_count, _MAX_CONNECTION_COUNT, "")
    entries: list[Any] = [*(_listed(demands_s) or ())]
    if not entries:
        raise DomainError(f"demands_s must hold one entry for each stage; got {demands_s!r}")
    if any(map(is_symbol, (*entries, think_s, count))):
        raise DomainError("arguments of a closed network must not be symbols")
    counts = np.asarray(count, dtype=float)
    there = np.arange(1.0, max(_whole("connection_count", counts), default=1) + 1)
    gaps_s = []
    for stage, entry in enumerate(entries):
        name = f"demands_s[{stage}]"
        gap_s = np.asarray(
            require_at_least(name, entry(there) if callable(entry) else entry, 0, "s"), dtype=float
        )
        gap_s = gap_s[: len(there)] if gap_s.ndim else gap_s[np.newaxis]
        if not len(gap_s) or ((gap_s.min(axis=0) == 0) & (gap_s.max(axis=0) > 0)).any():
            raise DomainError(f"{name} must be above 0 s for every number at the stage, or 0")
        gaps_s.append(gap_s)
    require_above("sum of demands_s", sum(gap_s[0] for gap_s in gaps_s), 0, "s")
    return _network_of_gaps(gaps_s, np.asarray(think_s, dtype=float), counts)


def single_stage_rate_tps(
    demand_s: Q | Number,
    connection_count: Q | Number,
    think_time_s: Q | Number = 0,
    parallel_count: Q | Number = 1,
) -> Q:
    r"""
    Transaction rate of connections that share one stage, such as a pool of CPUs.

    Parameters
    ----------
    demand_s : float or array_like
        Time that the stage spends on a transaction. [s]
    connection_count : int or array_like
        Connections, each with one transaction at a time, whole numbers from 1
        to 1 000 000.
    think_time_s : float or array_like
        Time from a response to the next request, and delay centres,
        where no request queues. [s]
    parallel_count : int or array_like
        How many transactions the stage serves at a time, a whole number of at
        least 1.

    Returns
    -------
    transaction_rate_tps : float or numpy.ndarray
        Of the broadcast shape of the inputs; the time follows from
        :func:`closed_transaction_time_s`. [1/s]

    Raises
    ------
    DomainError
        If the demand is not above 0, the think time is negative, an argument
        is infinite or a symbol, or a count is not a whole number, below 1 or,
        for connections, above 1 000 000.

    Notes
    -----
    The machine repairman: the chance of :math:`j` connections at the stage is

    .. math::
        p_j \propto \prod_{i=1}^{j} \frac{(N - i + 1)\, D}{Z \min(i, m)}, \qquad
        X = \frac{1}{D} \sum_{j=1}^{N} \min(j, m)\, p_j

    With one server it is :math:`(1 - B) / D`, with Erlang's loss :math:`B` of
    :math:`N` lines that are offered :math:`Z / D`. Its recursion
    :math:`B(n) = a B(n-1) / (n + a B(n-1))` forgets where it began within some
    :math:`12 \sqrt{N}` steps, and only adds positive numbers, so that the
    result is stable at any load. Exact for any distribution of the think time,
    and for a service that is random in the order of arrival. For more stages
    see :func:`exact_closed_network`, for averages of connections, which are not
    whole, :func:`approximate_closed_network`.

    References
    ----------
    G. Bolch, S. Greiner, H. de Meer and K. S. Trivedi, "Queueing Networks and
    Markov Chains", 2nd edition (2006), for the finite population model.

    Examples
    --------
    8 CPUs of 12 s for each transaction, and a think time of 40 s:

    >>> round(single_stage_rate_tps(12, 50, 40, 8), 9)
    0.666421562
    """
    given = (
        require_above("demand_s", demand_s, 0, "s"),
        _connections(connection_count),
        _think(think_time_s),
        require_at_least("parallel_count", parallel_count, 1, ""),
    )
    require_at_most("connection_count", connection_count, _MAX_CONNECTION_COUNT, "")
    if any(map(is_symbol, given)):
        raise DomainError("arguments of single_stage_rate_tps must not be symbols")
    for name, count in (("connection_count", given[1]), ("parallel_count", given[3])):
        if np.any(np.floor(count) < count):
            raise DomainError(f"{name} must be a whole number; got {count!r}")
    demand, present, think, servers = np.broadcast_arrays(
        *(np.asarray(each, dtype=float) for each in given)
    )
    # (1) all servers busy: probability that no transaction waits, by Erlang's loss formula
    offered = np.where(think == 0, 1, think * servers / demand)  # without think time see below
    waiting = np.maximum(present - servers, 0)
    largest = waiting.max(initial=0, where=~np.isnan(waiting))
    steps = int(min(largest, _FORGETTING_STEPS[0] * math.sqrt(largest) + _FORGETTING_STEPS[1]))
    loss = offered / (offered + np.maximum(waiting - steps, 0))
    for line in range(steps - 1, -1, -1):
        kept = offered * loss
        loss = kept / (np.maximum(waiting - line, 0) + kept)
    # (2) fewer busy, k from m - 1 to 0: probability of k given k or more, and the mean of those
    busy = servers
    for fewer in range(int(np.where(present > servers, servers, 0).max(initial=0))):
        count = np.maximum(servers - fewer, 0)
        ratio = loss * think * count / (demand * np.maximum(present - count + 1, 1))
        loss = ratio / (1 + ratio)
        busy = (count - 1) * loss + busy / (1 + ratio)
    rate = np.where(present <= servers, present / (demand + think), busy / demand)
    rate = np.where(think == 0, np.minimum(present, servers) / demand, rate)
    rate = np.where(np.isnan(demand + present + think + servers), np.nan, rate)
    return cast("Q", rate if rate.ndim else float(rate))


def _network_of_gaps(
    gaps_s: Sequence[Floats], think_s: Floats, count: Floats
) -> ClosedNetwork[Any]:
    """Network whose stages have a gap between completions for each number of transactions there."""
    models: tuple[int, ...] = np.broadcast_shapes(
        think_s.shape, *(gap_s.shape[1:] for gap_s in gaps_s)
    )
    shape: tuple[int, ...] = np.broadcast_shapes(models, count.shape)
    flat = [
        np.broadcast_to(_behind_first(gap_s, len(models)), (len(gap_s), *models)).reshape(
            len(gap_s), -1
        )
        for gap_s in gaps_s
    ]
    wanted = count[~np.isnan(count)]
    rates, queues = product_form(
        flat, np.broadcast_to(think_s, models).ravel(), int(wanted.max(initial=0))
    )
    # row 0 is NaN, for counts that are NaN
    rows = np.broadcast_to(np.nan_to_num(count).astype(int), shape)
    columns = np.broadcast_to(np.arange(rates.shape[1]).reshape(models), shape)
    return _network(rates[rows, columns], queues[:, rows, columns])


def _behind_first(values: Floats, axis_count: int) -> Floats:
    """The array with a number of axes behind the first one, which stays that of the stages."""
    missing = (1,) * (axis_count - values.ndim + 1)
    return values.reshape(values.shape[:1] + missing + values.shape[1:])


def _network(rate: Floats, queues: Floats) -> ClosedNetwork[Any]:
    """All of it from the rate and the queues, by Little's law; floats for a single network."""
    values = (rate, queues.sum(axis=0) / rate, *queues)
    rate_tps, time_s, *counts = (
        cast("FloatOrArray", value if np.ndim(value) else float(value)) for value in values
    )
    return ClosedNetwork(rate_tps, time_s, tuple(counts))
