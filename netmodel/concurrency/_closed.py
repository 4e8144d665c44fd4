"""Closed networks: connections that take turns at stages, each with one transaction at a time."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple

from netmodel.concurrency._bounds import listed, stages
from netmodel.concurrency.product_form import product_form
from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    Floats,
    Number,
    Q,
    Q_co,
    domain,
    is_symbol,
    require_above,
    require_at_least,
)

_MAX_CONNECTION_COUNT = 10**6
"""Beyond it the recursion over the connections takes more than about 3 s."""
_CONNECTIONS = ("connection_count >= 1", f"connection_count <= {_MAX_CONNECTION_COUNT}")


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


@domain(*_CONNECTIONS)
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
        largest.
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
    demands, servers, _ = stages(demands_s, parallel_counts)
    counts, think_s = _numbers(connection_count, think_time_s, *demands, *servers)
    largest = max(_whole(counts), default=1)
    gaps_s = []
    for demand, server in zip(demands, servers, strict=True):
        # gap between completions of min(j, m) servers while j transactions are at the stage
        models = np.broadcast(demand, server).ndim
        most = np.max(server, initial=1, where=~np.isnan(server))
        there = np.arange(1, min(np.ceil(most), largest) + 1).reshape(-1, *(1,) * models)
        gaps_s.append(demand / np.minimum(there, server))
    return _network(gaps_s, think_s, counts)


@domain(*_CONNECTIONS)
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
    entries = listed(demands_s)
    if not entries:
        raise DomainError(f"demands_s must hold one entry for each stage; got {demands_s!r}")
    counts, think_s = _numbers(connection_count, think_time_s, *entries)
    there = np.arange(1.0, max(_whole(counts), default=1) + 1)
    gaps_s = []
    for stage, entry in enumerate(entries):
        name = f"demands_s[{stage}]"
        given = require_at_least(name, entry(there) if callable(entry) else entry, 0, "s")
        gap_s = np.atleast_1d(np.asarray(given, dtype=float))[: len(there)]
        if not len(gap_s) or ((gap_s.min(axis=0) == 0) & (gap_s.max(axis=0) > 0)).any():
            raise DomainError(f"{name} must be above 0 s for every number at the stage, or 0")
        gaps_s.append(gap_s)
    require_above("sum of demands_s", sum(gap_s[0] for gap_s in gaps_s), 0, "s")
    return _network(gaps_s, think_s, counts)


def _numbers(connection_count: Any, think_time_s: Any, *others: Any) -> tuple[Floats, Floats]:
    """Return connections and think time as arrays; DomainError for symbols."""
    if any(map(is_symbol, (connection_count, think_time_s, *others))):
        raise DomainError("arguments of a closed network must not be symbols")
    return np.asarray(connection_count, dtype=float), np.asarray(think_time_s, dtype=float)


def _whole(counts: Floats, name: str = "connection_count") -> set[float]:
    """Return the numbers among the connections, which must be whole."""
    numbers = set(counts[~np.isnan(counts)].tolist())
    for each in numbers:
        if not each.is_integer():
            raise DomainError(f"{name} must be a whole number; got {each:.15g}")
    return numbers


def _network(gaps_s: Sequence[Floats], think_s: Floats, counts: Floats) -> ClosedNetwork[Any]:
    """Return the network of stages with a gap between completions for each number there."""
    models = np.broadcast_shapes(think_s.shape, *(gap_s.shape[1:] for gap_s in gaps_s))
    shape = np.broadcast_shapes(models, counts.shape)
    flat = []
    for gap_s in gaps_s:
        missing = (1,) * (len(models) + 1 - gap_s.ndim)  # axes of models stand at the end
        wide = gap_s.reshape(len(gap_s), *missing, *gap_s.shape[1:])
        flat.append(np.broadcast_to(wide, (len(gap_s), *models)).reshape(len(gap_s), -1))
    largest = int(np.nan_to_num(counts).max(initial=0))
    rates, queues = product_form(flat, np.broadcast_to(think_s, models).ravel(), largest)
    # row 0 is NaN, for counts that are NaN
    rows = np.broadcast_to(np.nan_to_num(counts).astype(int), shape)
    columns = np.broadcast_to(np.arange(rates.shape[1]).reshape(models), shape)
    return _shown(rates[rows, columns], queues[:, rows, columns])


def _shown(rate: Floats, queues: Floats) -> ClosedNetwork[Any]:
    """Return all of it from the rate and the queues, by Little's law; floats for one network."""
    values = (rate, queues.sum(axis=0) / rate, *queues)
    rate_tps, time_s, *waiting = (each if np.ndim(each) else float(each) for each in values)
    return ClosedNetwork(rate_tps, time_s, tuple(waiting))
