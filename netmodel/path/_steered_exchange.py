"""Request and response over connections, with and without receive packet steering (RPS)."""

from collections.abc import Sequence
from typing import NamedTuple

from netmodel._numeric import Floats
from netmodel._numpy import np
from netmodel.concurrency import used_queue_count
from netmodel.errors import DomainError

_SIDES = 2
"""A request and its response pass the CPUs of the client and those of the server."""
_MIN_CPU_COUNT = 2
"""With one CPU, steering has nowhere to move a packet to."""


class ExchangeShares(NamedTuple):
    """
    What RPS divides, adds and saves, in shares that need no clock; alike on both hosts.

    CPU shares are of the CPU time that a transaction takes on one host with one connection and
    without RPS. Numbers, or arrays of one shape.

    Parameters
    ----------
    cpu_ratio : float or numpy.ndarray
        That CPU time, over the time of the transaction. Below 1/2: there are two hosts.
    amortised_ratio : float or numpy.ndarray
        Share of the CPU time that is done once for all messages at hand, such as interrupts.
    amortising_count : float or numpy.ndarray
        Further connections that halve it.
    softirq_ratio : float or numpy.ndarray
        Share that the CPU of the receive queue does, without RPS.
    polling_ratio : float or numpy.ndarray
        Share of this softirq work that stays with that CPU under RPS.
    bound_ratio : float or numpy.ndarray
        Share of the other work that stays with the CPU that the hash of RPS chose; any idle CPU
        does the rest.
    steering_ratio : float or numpy.ndarray
        CPU time that RPS adds: hash, backlog, interrupts between CPUs.
    handover_ratio : float or numpy.ndarray
        CPU time of handing one message to another CPU, which RPS saves where messages come in
        batches.
    batching_count : float or numpy.ndarray
        Further connections with which half of the messages come in batches.
    batch_wait_ratio : float or numpy.ndarray
        Time that a transaction waits for its batches where all come in batches, over the time
        with one connection.
    """

    cpu_ratio: float | Floats
    amortised_ratio: float | Floats
    amortising_count: float | Floats
    softirq_ratio: float | Floats
    polling_ratio: float | Floats
    bound_ratio: float | Floats
    steering_ratio: float | Floats
    handover_ratio: float | Floats
    batching_count: float | Floats
    batch_wait_ratio: float | Floats


class SteeredExchange(NamedTuple):
    """
    Transactions with and without RPS, relative to one connection without it.

    Parameters
    ----------
    time, steered_time : numpy.ndarray
        Time of a transaction.
    cost, steered_cost : numpy.ndarray
        CPU time of a transaction on one host.
    busy_cpus, steered_busy_cpus : numpy.ndarray
        CPUs of one host that are busy.
    """

    time: Floats
    steered_time: Floats
    cost: Floats
    steered_cost: Floats
    busy_cpus: Floats
    steered_busy_cpus: Floats

    @property
    def time_ratio(self) -> Floats:
        """Time of a transaction with RPS over that without."""
        return self.steered_time / self.time

    @property
    def cost_ratio(self) -> Floats:
        """CPU time of a transaction with RPS over that without."""
        return self.steered_cost / self.cost


def steered_exchange(
    shares: ExchangeShares,
    connection_count: int | Floats,
    queue_count: int | Floats,
    cpu_count: int,
    steered_count: int | None = None,
) -> SteeredExchange:
    r"""
    Time and CPU cost of a transaction over connections, with and without RPS.

    Parameters
    ----------
    shares : ExchangeShares
        What RPS divides, adds and saves.
    connection_count : int or numpy.ndarray
        Connections, each with one transaction at a time, whole numbers.
    queue_count : int or numpy.ndarray
        Receive queues of the adapter of each host.
    cpu_count : int
        CPUs of each host.
    steered_count : int, optional
        CPUs that RPS steers to; all of them when left out.

    Returns
    -------
    exchange : SteeredExchange
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If there are fewer than two CPUs, RPS steers to none or to more than there are, or
        shares are outside of what the model has.

    Notes
    -----
    With one connection and without RPS a transaction takes 1, of which :math:`\kappa` on the
    CPUs of each host. With :math:`N` connections it takes CPU time :math:`\kappa c`,

    .. math::
        c = 1 - w + \frac{w}{1 + (N - 1)/n_0}, \qquad
        c' = c + f - v\,\lambda, \qquad \lambda = \frac{N - 1}{N - 1 + n_1}

    without and with RPS. :math:`\lambda` is the share of messages that reach the other CPU in a
    batch: their hand-over :math:`v` is saved, and they wait :math:`\ell\lambda` for the batch, so
    that a transaction may become slower and cheaper at once. Stages of each host:

    * without RPS the CPUs of the queues, :math:`\varphi \kappa c` on :math:`q` of them,
    * with RPS the same CPUs with :math:`\pi \varphi \kappa c'`, and
      :math:`((1 - \pi) \varphi + \theta (1 - 1/k - \varphi)) \kappa c'` on the
      CPUs steered to, which a hash chooses,
    * all CPUs as a pool: of :math:`\kappa c`, a queue of :math:`1/k` and a delay of the rest.

    :math:`q` is the mean number of CPUs that the queues are on when each is served by any of
    them, :math:`k (1 - (1 - 1/k)^{queues})`. Stages of several CPUs are as many queues that are
    chosen at random. The network is solved by exact mean value analysis; the pool is Seidmann's
    approximation. Only ratios of its times mean something: all amortised work is on the path of
    a transaction here, so that its time may fall from one connection to ten.

    References
    ----------
    Linux, Documentation/networking/scaling.rst ("RPS: Receive Packet Steering"), for interrupts
    to other CPUs once per poll; M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed
    multichain queuing networks", Journal of the ACM 27 (1980); A. Seidmann, P. J. Schweitzer and
    S. Shalev-Oren, "Computerized closed queueing network models of flexible manufacturing
    systems", Large Scale Systems 12 (1987).

    Examples
    --------
    One receive queue and 8 CPUs; steering costs 2 % and may save hand-overs of 20 %:

    >>> shares = ExchangeShares(0.14, 0.5, 4, 0.16, 0.65, 0.5, 0.02, 0.2, 38, 0.3)
    >>> exchange = steered_exchange(shares, np.array([1, 250]), 1, 8)
    >>> exchange.time_ratio.round(2).tolist(), exchange.cost_ratio.round(2).tolist()
    ([1.01, 0.55], [1.02, 0.7])
    """
    arrays = np.broadcast_arrays(*(np.asarray(each, dtype=float) for each in shares))
    steered_count = cpu_count if steered_count is None else steered_count
    _check(ExchangeShares(*arrays), cpu_count, steered_count)
    count = np.asarray(connection_count, dtype=float)
    queues = np.asarray(queue_count, dtype=float)
    shape = np.broadcast_shapes(arrays[0].shape, count.shape, queues.shape)
    share = ExchangeShares(*arrays)
    # (1) CPU time of a transaction on one host, without and with RPS
    others = count - 1
    batched_ratio = others / (others + share.batching_count)
    amortised = share.amortised_ratio / (1 + others / share.amortising_count)
    cost = 1 - share.amortised_ratio + amortised
    steered_cost = cost + share.steering_ratio - share.handover_ratio * batched_ratio
    cpu_s, steered_cpu_s = share.cpu_ratio * cost, share.cpu_ratio * steered_cost
    # (2) stages of one host: time, and the CPUs that share it; the pool is the last
    queue_cpus = used_queue_count(queues, cpu_count)
    softirq_s = share.softirq_ratio * cpu_s
    polling_s = share.polling_ratio * share.softirq_ratio * steered_cpu_s
    bound_ratio = share.bound_ratio * (1 - 1 / cpu_count - share.softirq_ratio)
    moved_ratio = (1 - share.polling_ratio) * share.softirq_ratio + bound_ratio
    moved_s = moved_ratio * steered_cpu_s
    table: Sequence[Sequence[tuple[float | Floats, float | Floats]]] = (
        ((softirq_s, queue_cpus), (0, cpu_count), (cpu_s / cpu_count, 1)),
        ((polling_s, queue_cpus), (moved_s, steered_count), (steered_cpu_s / cpu_count, 1)),
    )
    times_s, cpus = (
        np.array([[np.broadcast_to(row[part], shape) for row in rows] for rows in table])
        for part in (0, 1)
    )
    # (3) where nothing queues: the rest of the CPU time, the rest of the time, and batches
    elsewhere_s = 1 - _SIDES * share.cpu_ratio
    wait_s = share.batch_wait_ratio * batched_ratio
    cases = (elsewhere_s + _SIDES * cpu_s, elsewhere_s + wait_s + _SIDES * steered_cpu_s)
    delays_s = np.array([np.broadcast_to(each, shape) for each in cases])
    rates = _rates(times_s, cpus, delays_s - _SIDES * times_s.sum(axis=1), count)
    return SteeredExchange(
        time=count / rates[0],
        steered_time=count / rates[1],
        cost=np.broadcast_to(cost, shape),
        steered_cost=np.broadcast_to(steered_cost, shape),
        busy_cpus=rates[0] * cpu_s,
        steered_busy_cpus=rates[1] * steered_cpu_s,
    )


def _rates(times: Floats, cpus: Floats, delay: Floats, count: Floats) -> Floats:
    """Transactions per unit of time of each case, by exact mean value analysis."""
    case_count, stage_count, *shape = times.shape
    # columns with the most connections first: the others leave the recursion one by one
    counts = np.broadcast_to(count, shape).ravel()
    order = np.argsort(-counts, kind="stable")
    counts = counts[order]
    times, cpus = (each.reshape(case_count, stage_count, -1)[..., order] for each in (times, cpus))
    delay = delay.reshape(case_count, -1)[..., order]
    rates, queue = np.empty(delay.shape), np.zeros_like(times)
    presents = np.arange(1, int(counts.max()) + 1)
    lefts = np.searchsorted(-counts, -presents, side="right").tolist()
    for present, left in enumerate(lefts, start=1):
        if left < times.shape[-1]:
            times, cpus, delay, queue = (each[..., :left] for each in (times, cpus, delay, queue))
        passage = times * (1 + queue / cpus)
        # a stage of one host stands for that of the other, too
        rate = present / (delay + _SIDES * passage.sum(axis=1))
        queue = rate[:, None] * passage
        rates[:, :left] = rate
    unsorted = np.empty_like(rates)
    unsorted[:, order] = rates
    return unsorted.reshape(case_count, *shape)


def _check(share: ExchangeShares, cpu_count: int, steered_count: int) -> None:
    if cpu_count < _MIN_CPU_COUNT:
        raise DomainError(f"cpu_count must be at least {_MIN_CPU_COUNT}; got {cpu_count}")
    if not 1 <= steered_count <= cpu_count:
        steered = "steered_count"
        raise DomainError(
            f"CPUs that are steered to ({steered}) must be 1 to {cpu_count}; got {steered_count}"
        )
    rules = (
        ("cpu_ratio must be above 0 and at most 1/2", _within(share.cpu_ratio, 1 / _SIDES)),
        (
            "softirq_ratio must be at most 1 - 1/cpu_count: other work runs beside it",
            np.asarray(share.softirq_ratio) <= 1 - 1 / cpu_count,
        ),
        (
            "amortised_ratio and handover_ratio must be at most 1 together",
            np.asarray(share.amortised_ratio) + share.handover_ratio <= 1,
        ),
        ("shares must be at least 0", np.all([np.asarray(each) >= 0 for each in share], axis=0)),
        ("polling_ratio must be at most 1", np.asarray(share.polling_ratio) <= 1),
        ("bound_ratio must be at most 1", np.asarray(share.bound_ratio) <= 1),
        ("amortising_count must be above 0", np.asarray(share.amortising_count) > 0),
        ("batching_count must be above 0", np.asarray(share.batching_count) > 0),
    )
    for text, holds in rules:
        if not np.all(holds):
            raise DomainError(text)


def _within(value: float | Floats, most: float) -> Floats:
    return np.asarray((np.asarray(value) > 0) & (np.asarray(value) <= most))
