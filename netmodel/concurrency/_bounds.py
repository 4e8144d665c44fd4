"""Bounds of a rate from demands alone, regardless of the order of service."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, Generic, NamedTuple

from netmodel.errors import DomainError
from netmodel.numeric import (
    Number,
    Q,
    Q_co,
    domain,
    maximum,
    require_above,
    require_at_least,
    where,
)


class Bounds(NamedTuple, Generic[Q_co]):
    """
    Range of a result.

    Parameters
    ----------
    low : float or numpy.ndarray
        Lower end.
    high : float or numpy.ndarray
        Upper end.

    Examples
    --------
    >>> from netmodel.concurrency import asymptotic_rate_bounds_tps
    >>> bounds = asymptotic_rate_bounds_tps([12e-6, 6e-6], 5, 40e-6)
    >>> round(bounds.low), round(bounds.high)
    (38462, 83333)
    """

    low: Q_co
    high: Q_co


def saturation_rate_tps(
    demands_s: Sequence[Q | Number], parallel_counts: Sequence[Q | Number] | Q | Number = 1
) -> Q:
    r"""
    Transaction rate at which the first stage is busy all the time.

    Parameters
    ----------
    demands_s : sequence of float or array_like
        Time that each stage spends on a transaction, one for each entry of the
        sequence or of the first axis; entries that are arrays are broadcast.
        [s]
    parallel_counts : int, or sequence of int or array_like
        How many transactions each stage serves at a time: one number for all
        stages, or one for each.

    Returns
    -------
    transaction_rate_tps : float or numpy.ndarray
        Of the broadcast shape of the entries. [1/s]

    Raises
    ------
    DomainError
        If there is no stage, no stage has a demand, a demand is negative, a
        stage serves less than one at a time, there are more or fewer parallel
        counts than demands, or an argument is infinite.

    Notes
    -----
    .. math:: X \le \min_k \frac{m_k}{D_k}

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    8 CPUs of 12 µs, and one that serves the receive queue for 6 µs:

    >>> round(saturation_rate_tps([12e-6, 6e-6], [8, 1]))
    166667
    """
    return 1 / stages(demands_s, parallel_counts)[2]


@domain()
def knee_connection_count(
    demands_s: Sequence[Q | Number],
    think_time_s: Q | Number = 0,
    parallel_counts: Sequence[Q | Number] | Q | Number = 1,
) -> Q:
    r"""
    Connections beyond which they must wait for each other.

    Parameters
    ----------
    demands_s : sequence of float or array_like
        Time that each stage spends on a transaction, one for each entry of the
        sequence or of the first axis; entries that are arrays are broadcast.
        [s]
    think_time_s : float or array_like
        Time from a response to the next request, and delay centres,
        where no request queues. [s]
    parallel_counts : int, or sequence of int or array_like
        How many transactions each stage serves at a time: one number for all
        stages, or one for each.

    Returns
    -------
    connection_count : float or numpy.ndarray
        Where the two upper bounds of the rate meet, of the broadcast shape of
        the inputs.

    Raises
    ------
    DomainError
        If there is no stage, no stage has a demand, a demand or the think time
        is negative, a stage serves less than one at a time, there are more
        or fewer parallel counts than demands, or an argument is infinite.

    Notes
    -----
    .. math:: N^* = \frac{D + Z}{\max_k D_k / m_k}

    References
    ----------
    E. D. Lazowska, J. Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative
    System Performance" (1984), chapter 5.

    Examples
    --------
    >>> round(knee_connection_count([0.605, 2.1, 1.35], 15), 4)
    9.0738
    """
    demands, _, slowest_s = stages(demands_s, parallel_counts)
    return (sum(demands) + think_time_s) / slowest_s


@domain()
def asymptotic_rate_bounds_tps(
    demands_s: Sequence[Q | Number],
    connection_count: Q | Number,
    think_time_s: Q | Number = 0,
    parallel_counts: Sequence[Q | Number] | Q | Number = 1,
) -> Bounds[Q]:
    r"""
    Range of the transaction rate of a number of connections.

    Parameters
    ----------
    demands_s : sequence of float or array_like
        Time that each stage spends on a transaction, one for each entry of the
        sequence or of the first axis; entries that are arrays are broadcast.
        [s]
    connection_count : float or array_like
        Connections, each with one transaction at a time, at least 1.
    think_time_s : float or array_like
        Time from a response to the next request, and delay centres,
        where no request queues. [s]
    parallel_counts : int, or sequence of int or array_like
        How many transactions each stage serves at a time: one number for all
        stages, or one for each.

    Returns
    -------
    rate_bounds_tps : Bounds
        Of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If there is no stage, no stage has a demand, a demand or the think time
        is negative, there is less than one connection, a stage serves less
        than one at a time, there are more or fewer parallel counts than
        demands, or an argument is infinite.

    Notes
    -----
    .. math::
        \frac{N}{N D + Z} \le X \le
        \min\left(\min_k \frac{m_k}{D_k},\; \frac{N}{D + Z}\right)

    with :math:`D` the sum of the demands. At the lower bound each transaction
    waits for all others at every stage. Demands do not change with the load.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978); E. D. Lazowska, J.
    Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative System Performance"
    (1984), chapter 5.

    Examples
    --------
    >>> low, high = asymptotic_rate_bounds_tps([0.605, 2.1, 1.35], 3, 15)
    >>> round(low, 6), round(high, 6)
    (0.110436, 0.157439)
    """
    demands, _, slowest_s = stages(demands_s, parallel_counts)
    return Bounds(
        # every transaction waits for all others: N / (N D + Z)
        low=connection_count / (connection_count * sum(demands) + think_time_s),
        # none waits, or the bottleneck is full: min(N / (D + Z), 1 / D'_max)
        high=connection_count / maximum(sum(demands) + think_time_s, connection_count * slowest_s),
    )


@domain()
def asymptotic_time_bounds_s(
    demands_s: Sequence[Q | Number],
    connection_count: Q | Number,
    think_time_s: Q | Number = 0,
    parallel_counts: Sequence[Q | Number] | Q | Number = 1,
) -> Bounds[Q]:
    r"""
    Range of the transaction time of a number of connections.

    Parameters
    ----------
    demands_s : sequence of float or array_like
        Time that each stage spends on a transaction, one for each entry of the
        sequence or of the first axis; entries that are arrays are broadcast.
        [s]
    connection_count : float or array_like
        Connections, each with one transaction at a time, at least 1.
    think_time_s : float or array_like
        Time from a response to the next request, and delay centres,
        where no request queues: add those of the path to the result. [s]
    parallel_counts : int, or sequence of int or array_like
        How many transactions each stage serves at a time: one number for all
        stages, or one for each.

    Returns
    -------
    time_bounds_s : Bounds
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If there is no stage, no stage has a demand, a demand or the think time
        is negative, there is less than one connection, a stage serves less
        than one at a time, there are more or fewer parallel counts than
        demands, or an argument is infinite.

    Notes
    -----
    .. math::
        \max\left(D,\; N \max_k \frac{D_k}{m_k} - Z\right) \le R \le N D

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978); E. D. Lazowska, J.
    Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative System Performance"
    (1984), chapter 5.

    Examples
    --------
    >>> asymptotic_time_bounds_s([9.2, 8], 20, 120).low
    64.0
    """
    demands, _, slowest_s = stages(demands_s, parallel_counts)
    return Bounds(
        # none waits, or the bottleneck is full: max(D, N D'_max - Z)
        low=maximum(sum(demands), connection_count * slowest_s - think_time_s),
        # every transaction waits for all others: N D, of the shape of Z and NaN with it
        high=connection_count * sum(demands) + 0 * think_time_s,
    )


@domain()
def balanced_rate_bounds_tps(
    demands_s: Sequence[Q | Number],
    connection_count: Q | Number,
    think_time_s: Q | Number = 0,
    parallel_counts: Sequence[Q | Number] | Q | Number = 1,
) -> Bounds[Q]:
    r"""
    Narrower range of the transaction rate, by comparison with balanced stages.

    Parameters
    ----------
    demands_s : sequence of float or array_like
        Time that each stage spends on a transaction, one for each entry of the
        sequence or of the first axis; entries that are arrays are broadcast.
        [s]
    connection_count : float or array_like
        Connections, each with one transaction at a time, at least 1.
    think_time_s : float or array_like
        Time from a response to the next request, and delay centres,
        where no request queues. [s]
    parallel_counts : int, or sequence of int or array_like
        How many transactions each stage serves at a time: one number for all
        stages, or one for each.

    Returns
    -------
    rate_bounds_tps : Bounds
        Of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If there is no stage, no stage has a demand, a demand or the think time
        is negative, there is less than one connection, a stage serves less
        than one at a time, there are more or fewer parallel counts than
        demands, or an argument is infinite.

    Notes
    -----
    :math:`N / (R + Z)` with the :func:`balanced_time_bounds_s`, whose
    assumptions hold here too.

    References
    ----------
    J. Zahorjan, K. C. Sevcik, D. L. Eager and B. Galler, "Balanced job bound
    analysis of queueing networks", Communications of the ACM 25 (1982).

    Examples
    --------
    >>> low, high = balanced_rate_bounds_tps([0.605, 2.1, 1.35], 3, 15)
    >>> round(low, 6), round(high, 6)
    (0.143295, 0.152825)
    """
    shortest_s, longest_s = balanced_time_bounds_s(
        demands_s, connection_count, think_time_s, parallel_counts
    )
    return Bounds(
        low=connection_count / (longest_s + think_time_s),
        high=connection_count / (shortest_s + think_time_s),
    )


@domain()
def balanced_time_bounds_s(
    demands_s: Sequence[Q | Number],
    connection_count: Q | Number,
    think_time_s: Q | Number = 0,
    parallel_counts: Sequence[Q | Number] | Q | Number = 1,
) -> Bounds[Q]:
    r"""
    Narrower range of the transaction time, by comparison with balanced stages.

    Parameters
    ----------
    demands_s : sequence of float or array_like
        Time that each stage spends on a transaction, one for each entry of the
        sequence or of the first axis; entries that are arrays are broadcast.
        [s]
    connection_count : float or array_like
        Connections, each with one transaction at a time, at least 1.
    think_time_s : float or array_like
        Time from a response to the next request, and delay centres,
        where no request queues: add those of the path to the result. [s]
    parallel_counts : int, or sequence of int or array_like
        How many transactions each stage serves at a time: one number for all
        stages, or one for each.

    Returns
    -------
    time_bounds_s : Bounds
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If there is no stage, no stage has a demand, a demand or the think time
        is negative, there is less than one connection, a stage serves less
        than one at a time, there are more or fewer parallel counts than
        demands, or an argument is infinite.

    Notes
    -----
    .. math::
        R &\ge \max\left(D,\; N D'_{max} - Z,\;
            D' + \frac{(N - 1)\, D'_{avg}}{1 + Z / D'}\right)

        R &\le D + \frac{(N - 1)\, D'_{max}}{1 + Z / (N D)}

    with :math:`D_k` the demands and :math:`D'_k = D_k / m_k`. For stages that
    serve one at a time these are the published bounds. For others, the lower
    bound takes a stage for one that serves one at a time, :math:`m` times as
    fast; the upper one is derived as the published one is: who
    arrives at a stage stays for at most :math:`D_k + D'_k Q_k`, with
    :math:`Q_k` found there. Stages without demand do not count in the average.
    Unlike the asymptotic bounds these need a product form: random service in
    the order of arrival with one mean for all, or any service that is shared
    evenly.

    References
    ----------
    J. Zahorjan, K. C. Sevcik, D. L. Eager and B. Galler, "Balanced job bound
    analysis of queueing networks", Communications of the ACM 25 (1982); E. D.
    Lazowska, J. Zahorjan, G. S. Graham and K. C. Sevcik, "Quantitative System
    Performance" (1984), chapter 5.

    Examples
    --------
    >>> low, high = balanced_time_bounds_s([0.605, 2.1, 1.35], 3, 15)
    >>> round(low, 4), round(high, 4)
    (4.6303, 5.9359)
    """
    demands, servers, slowest_s = stages(demands_s, parallel_counts)
    shares = [demand / count for demand, count in zip(demands, servers, strict=True)]
    total_s, shared_total_s, others = sum(demands), sum(shares), connection_count - 1
    mean_s = shared_total_s / sum(where(share <= 0, 0, 1) for share in shares)  # D'_avg
    # (1) all stages as loaded as the average one: D' + (N - 1) D'_avg / (1 + Z / D')
    balanced_s = shared_total_s + others * mean_s / (1 + think_time_s / shared_total_s)
    # (2) never below the asymptotic bound: max(D, N D'_max - Z)
    asymptotic_s = maximum(total_s, connection_count * slowest_s - think_time_s)
    # (3) all stages as loaded as the bottleneck: D + (N - 1) D'_max / (1 + Z / (N D))
    worst_s = total_s + others * slowest_s / (1 + think_time_s / (connection_count * total_s))
    return Bounds(low=maximum(asymptotic_s, balanced_s), high=worst_s)


def stages(
    demands_s: Sequence[Q | Number], parallel_counts: Sequence[Q | Number] | Q | Number
) -> tuple[list[Q], list[Q], Q]:
    """Return demand of each stage, how many it serves at a time, and the longest of both shares."""
    given = listed(demands_s)
    if not given:
        raise DomainError(f"demands_s must hold one demand for each stage; got {demands_s!r}")
    demands = [
        require_at_least(f"demands_s[{stage}]", demand, 0, "s")
        for stage, demand in enumerate(given)
    ]
    several = listed(parallel_counts)
    if several is None:
        servers = [require_at_least("parallel_counts", parallel_counts, 1, "")] * len(demands)
    elif len(several) != len(demands):
        raise DomainError(
            f"parallel_counts must be one number, or one for each of {len(demands)} stages; "
            f"got {len(several)}"
        )
    else:
        servers = [
            require_at_least(f"parallel_counts[{stage}]", count, 1, "")
            for stage, count in enumerate(several)
        ]
    require_above("sum of demands_s", sum(demands), 0, "s")
    shares = [demand / count for demand, count in zip(demands, servers, strict=True)]
    return demands, servers, reduce(maximum, shares)


def listed(values: Any) -> list[Any] | None:
    """Return the entries, one for each stage; None for a single number."""
    try:
        return list(values)
    except TypeError:
        return None
