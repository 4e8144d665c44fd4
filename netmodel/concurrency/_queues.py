"""Open queues: how long arrivals wait that no response holds back, and which share waits."""

import math

from netmodel.numeric import (
    Number,
    Q,
    ceil_but_for_rounding,
    domain,
    require_above,
    require_one,
    require_whole,
    require_within,
)


@domain()
def erlang_b_blocking_ratio(offered_load_erlang: Q | Number, parallel_count: Number) -> Q:
    r"""
    Share of arrivals that find all servers busy and are lost (Erlang B).

    Parameters
    ----------
    offered_load_erlang : float or array_like
        Arrivals per service time: arrival rate times mean service time,
        at least 0. [erlang]
    parallel_count : int
        Servers of the stage: one whole number from 1 to 1,000,000.

    Returns
    -------
    blocking_ratio : float or numpy.ndarray
        From 0 to 1, of the shape of the offered load.

    Raises
    ------
    DomainError
        If the offered load is negative or infinite, or the number of servers
        is not one whole number from 1 to 1,000,000.

    Notes
    -----
    .. math::
        B(0) = 1, \qquad B(n) = \frac{a\,B(n - 1)}{n + a\,B(n - 1)}

    with :math:`a` the offered load. Arrivals are Poisson, service times have
    any distribution, and nothing waits. The recursion adds and multiplies
    positive numbers only, so that rounding does not grow with the servers; it
    takes one step for each.

    References
    ----------
    A. K. Erlang, "Løsning af nogle Problemer fra Sandsynlighedsregningen af
    Betydning for de automatiske Telefoncentraler", Elektroteknikeren 13 (1917);
    L. Kleinrock, "Queueing Systems", volume 1 (1975), chapter 3.

    Examples
    --------
    1 erlang on 2 servers, 0.5 / (1 + 1 + 0.5):

    >>> erlang_b_blocking_ratio(1, 2)
    0.2
    """
    blocking = 1 + 0 * offered_load_erlang  # B(0), in the shape of the load
    for busy_count in range(1, _whole("parallel_count", parallel_count) + 1):
        blocking = offered_load_erlang * blocking
        blocking = blocking / (busy_count + blocking)
    return blocking


@domain()
def erlang_c_waiting_ratio(offered_load_erlang: Q | Number, parallel_count: Number) -> Q:
    r"""
    Share of arrivals that must wait for one of several servers (Erlang C).

    Parameters
    ----------
    offered_load_erlang : float or array_like
        Arrivals per service time: arrival rate times mean service time,
        at least 0 and
        below the number of servers. [erlang]
    parallel_count : int
        Servers of the stage: one whole number from 1 to 1,000,000.

    Returns
    -------
    waiting_ratio : float or numpy.ndarray
        From 0 to 1, of the shape of the offered load.

    Raises
    ------
    DomainError
        If the offered load is negative or infinite or not below the number of
        servers, or this number is not one whole number from 1 to 1,000,000.

    Notes
    -----
    .. math:: C = \frac{m\,B}{m - a + a\,B}

    with :math:`B` the blocking of :func:`erlang_b_blocking_ratio`, :math:`a`
    the offered load and :math:`m` the servers. Arrivals are Poisson, service
    times exponential, and the queue has room for all.

    References
    ----------
    L. Kleinrock, "Queueing Systems", volume 1 (1975), chapter 3.

    Examples
    --------
    1 erlang on 2 servers, 0.2 / (1 - 0.5 * 0.8):

    >>> round(erlang_c_waiting_ratio(1, 2), 6)
    0.333333
    """
    blocking = erlang_b_blocking_ratio(offered_load_erlang, parallel_count)
    free_count = require_above(
        "parallel_count - offered_load_erlang", parallel_count - offered_load_erlang, 0, ""
    )
    return parallel_count * blocking / (free_count + offered_load_erlang * blocking)


@domain()
def mmc_waiting_time_s(
    arrival_rate_tps: Q | Number, service_time_s: Q | Number, parallel_count: Number
) -> Q:
    r"""
    Mean waiting time at several servers with one queue (M/M/c).

    Parameters
    ----------
    arrival_rate_tps : float or array_like
        Mean rate of arrivals at all servers together, such as messages or frames. [1/s]
    service_time_s : float or array_like
        Mean service time, without waiting. [s]
    parallel_count : int
        Servers of the stage: one whole number from 1 to 1,000,000.

    Returns
    -------
    waiting_time_s : float or numpy.ndarray
        Mean of all arrivals, also of those that do not wait, without the
        service, of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If an argument is negative or infinite, the number of servers is not
        one whole number from 1 to 1,000,000, or the utilisation is 1 or more:
        then the queue grows without end.

    Notes
    -----
    .. math:: W_q = \frac{C\,S}{m - \lambda S}

    with :math:`C` the share that waits of :func:`erlang_c_waiting_ratio` and
    :math:`m` the servers. Arrivals are Poisson, service times exponential.
    The arrivals are open: they do not slow down
    when the queue grows, as those of connections with one transaction at a time
    do.

    References
    ----------
    L. Kleinrock, "Queueing Systems", volume 1 (1975), chapter 3.

    Examples
    --------
    2 servers for 1 arrival per service time of 3 µs, (1/3) * 3 / (2 - 1):

    >>> round(mmc_waiting_time_s(1e6 / 3, 3e-6, 2) * 1e6, 6)
    1.0
    """
    load = arrival_rate_tps * service_time_s
    free_count = require_above(
        "parallel_count - arrival_rate_tps * service_time_s", parallel_count - load, 0, ""
    )
    return erlang_c_waiting_ratio(load, parallel_count) * service_time_s / free_count


@domain()
def mg1_waiting_time_s(
    arrival_rate_tps: Q | Number, service_time_s: Q | Number, service_variation_ratio: Q | Number
) -> Q:
    r"""
    Mean waiting time at one server with any service times (Pollaczek and Khinchine).

    Parameters
    ----------
    arrival_rate_tps : float or array_like
        Mean rate of arrivals, such as messages or frames. [1/s]
    service_time_s : float or array_like
        Mean service time, without waiting. [s]
    service_variation_ratio : float or array_like
        Coefficient of variation of the service times, standard deviation over
        mean: 0 if all are equal, 1 if they are exponential.

    Returns
    -------
    waiting_time_s : float or numpy.ndarray
        Mean, without the service, of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If an argument is negative or infinite, or the utilisation is 1 or
        more: then the queue grows without end.

    Notes
    -----
    .. math::
        W_q = \frac{\rho\,S\,(1 + c_s^2)}{2\,(1 - \rho)}, \qquad \rho = \lambda S

    with :math:`c_s` the coefficient of variation. Arrivals are Poisson and
    served in their order. The arrivals are open: they do not slow down
    when the queue grows, as those of connections with one transaction at a time
    do.

    References
    ----------
    L. Kleinrock, "Queueing Systems", volume 1 (1975), chapter 5.

    Examples
    --------
    80 % busy; services of equal length wait half as long as exponential ones:

    >>> round(mg1_waiting_time_s(0.8, 1, 0), 9), round(mg1_waiting_time_s(0.8, 1, 1), 9)
    (2.0, 4.0)
    """
    utilisation = arrival_rate_tps * service_time_s
    variation = 1 + service_variation_ratio * service_variation_ratio
    return utilisation * service_time_s * variation / (2 * _idle(utilisation))


@domain()
def approximate_gg1_waiting_time_s(
    arrival_rate_tps: Q | Number,
    service_time_s: Q | Number,
    arrival_variation_ratio: Q | Number,
    service_variation_ratio: Q | Number,
) -> Q:
    r"""
    Approximate mean waiting time at one server with any arrivals and services (Kingman).

    Parameters
    ----------
    arrival_rate_tps : float or array_like
        Mean rate of arrivals, such as messages or frames. [1/s]
    service_time_s : float or array_like
        Mean service time, without waiting. [s]
    arrival_variation_ratio : float or array_like
        Coefficient of variation of the times between arrivals: 0 if all are
        equal, 1 for Poisson arrivals.
    service_variation_ratio : float or array_like
        Coefficient of variation of the service times, standard deviation over
        mean: 0 if all are equal, 1 if they are exponential.

    Returns
    -------
    waiting_time_s : float or numpy.ndarray
        Mean, approximately, without the service, of the broadcast shape of the
        inputs. [s]

    Raises
    ------
    DomainError
        If an argument is negative or infinite, or the utilisation is 1 or
        more: then the queue grows without end.

    Notes
    -----
    .. math::
        W_q \approx \frac{\rho}{1 - \rho}\,\frac{c_a^2 + c_s^2}{2}\,S,
        \qquad \rho = \lambda S

    with :math:`c_a` and :math:`c_s` the coefficients of variation. An
    approximation, close where the utilisation is near 1, and not a bound: two
    moments do not determine the mean. It is exact for Poisson arrivals. Times
    between arrivals are independent of each other: for arrivals in bursts see
    :func:`batch_mg1_waiting_time_s`. The arrivals are open: they do not slow down
    when the queue grows, as those of connections with one transaction at a time
    do.

    References
    ----------
    J. F. C. Kingman, "The single server queue in heavy traffic", Mathematical
    Proceedings of the Cambridge Philosophical Society 57 (1961).

    Examples
    --------
    80 % busy, (0.8 / 0.2) * (1 + 0.25) / 2:

    >>> round(approximate_gg1_waiting_time_s(0.8, 1, 1, 0.5), 9)
    2.5
    """
    utilisation = arrival_rate_tps * service_time_s
    arrivals = arrival_variation_ratio * arrival_variation_ratio
    services = service_variation_ratio * service_variation_ratio
    return utilisation / _idle(utilisation) * (arrivals + services) / 2 * service_time_s


@domain()
def batch_mg1_waiting_time_s(
    arrival_rate_tps: Q | Number,
    service_time_s: Q | Number,
    service_variation_ratio: Q | Number,
    mean_batch_count: Q | Number,
    batch_variation_ratio: Q | Number = 0,
) -> Q:
    r"""
    Mean waiting time of each in batches that arrive together at one server.

    Parameters
    ----------
    arrival_rate_tps : float or array_like
        Mean rate of single arrivals, such as frames: that of batches times
        their mean size. [1/s]
    service_time_s : float or array_like
        Mean service time of one of a batch, without waiting. [s]
    service_variation_ratio : float or array_like
        Coefficient of variation of the service times, standard deviation over
        mean: 0 if all are equal, 1 if they are exponential.
    mean_batch_count : float or array_like
        Mean number in a batch, at least 1, such as the frames of a segment that
        the adapter divides.
    batch_variation_ratio : float or array_like
        Coefficient of variation of the number in a batch: 0 if all batches have
        the same size.

    Returns
    -------
    waiting_time_s : float or numpy.ndarray
        Mean of all in a batch, with waiting for others of the batch, without
        the service, of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the mean size of a batch is below 1, another argument is negative,
        one is infinite, or the utilisation is 1 or more: then the queue grows
        without end.

    Notes
    -----
    .. math::
        W_q = \frac{\rho\,S\,(1 + c_s^2)}{2\,(1 - \rho)}
        + \frac{S\,(b\,(1 + c_b^2) - 1)}{2\,(1 - \rho)}, \qquad \rho = \lambda S

    with :math:`b` the mean size of a batch, and :math:`c_s` and :math:`c_b` the
    coefficients of variation of services and sizes (M\ :sup:`[X]`/G/1; with
    :math:`c_s = 1`, M\ :sup:`[X]`/M/1). Batches arrive as a Poisson process and
    are served in their order. A mean that is not whole needs sizes that vary;
    this is not checked. The arrivals are open: they do not slow down
    when the queue grows, as those of connections with one transaction at a time
    do.

    References
    ----------
    D. Gross, J. F. Shortle, J. M. Thompson and C. M. Harris, "Fundamentals of
    Queueing Theory" (2008), chapter 3, for exponential service times; M. L.
    Chaudhry and J. G. C. Templeton, "A First Course in Bulk Queues" (1983).

    Examples
    --------
    60 % busy by batches of 5 of equal length, 0.75 + 5:

    >>> round(batch_mg1_waiting_time_s(0.6, 1, 0, 5), 9)
    5.75
    """
    # (1) for all in the queue when the batch arrives, as if each had arrived alone
    alone_s = mg1_waiting_time_s(arrival_rate_tps, service_time_s, service_variation_ratio)
    # (2) for others of this batch and of batches before it: E[B^2] / E[B] - 1
    squares = batch_variation_ratio * batch_variation_ratio
    others_count = (mean_batch_count - 1) + mean_batch_count * squares
    return alone_s + service_time_s * others_count / (2 * _idle(arrival_rate_tps * service_time_s))


@domain()
def mm1k_loss_ratio(offered_load_erlang: Q | Number, place_count: Number) -> Q:
    r"""
    Share of arrivals that find a finite buffer full and are lost (M/M/1/K).

    Parameters
    ----------
    offered_load_erlang : float or array_like
        Arrivals per service time: arrival rate times mean service time,
        at least 0; it may be above 1. [erlang]
    place_count : int
        Places of the stage, that in service included, such as the slots of a
        receive ring: one whole number from 1 to 1,000,000.

    Returns
    -------
    loss_ratio : float or numpy.ndarray
        From 0 to 1, of the shape of the offered load.

    Raises
    ------
    DomainError
        If the offered load is negative or infinite, or the number of places
        is not one whole number from 1 to 1,000,000.

    Notes
    -----
    .. math:: L = \frac{(1 - \rho)\,\rho^K}{1 - \rho^{K+1}}, \qquad
        L(0) = 1, \quad L(K) = \frac{\rho\,L(K - 1)}{1 + \rho\,L(K - 1)}

    The recursion needs no case for :math:`\rho = 1`, where the loss is
    :math:`1 / (K + 1)`. Arrivals are Poisson and service times exponential;
    bursts lose far more.

    References
    ----------
    L. Kleinrock, "Queueing Systems", volume 1 (1975), section 3.6.

    Examples
    --------
    Half a load and 4 places, 0.5^4 / (1 + 0.5 + 0.25 + 0.125 + 0.0625):

    >>> 31 * mm1k_loss_ratio(0.5, 4)
    1.0
    """
    loss = 1 + 0 * offered_load_erlang  # L(0), in the shape of the load
    for _ in range(_whole("place_count", place_count)):
        loss = offered_load_erlang * loss / (1 + offered_load_erlang * loss)
    return loss


@domain(
    *("overflow_ratio > 0", "overflow_ratio < 1"),
    *("utilisation_ratio > 0", "utilisation_ratio < 1"),
)
def mm1_place_count(utilisation_ratio: Number, overflow_ratio: Number) -> int:
    r"""
    Places that a queue of one server rarely needs more of, such as slots of a ring.

    Parameters
    ----------
    utilisation_ratio : float
        Share of time that the server is busy, above 0 and below 1.
    overflow_ratio : float
        Largest share of time with as many or more at the stage, above 0 and
        below 1.

    Returns
    -------
    place_count : int
        Smallest number of places, that in service included.

    Raises
    ------
    DomainError
        If an argument is not a number above 0 and below 1.

    Notes
    -----
    .. math:: P(N \ge j) = \rho^j \le \epsilon \iff j \ge \frac{\ln \epsilon}{\ln \rho}

    Arrivals are Poisson and service times exponential; add the largest burst.

    References
    ----------
    L. Kleinrock, "Queueing Systems", volume 1 (1975), section 3.2.

    Examples
    --------
    Once in a million, at 80 and 90 % utilisation:

    >>> mm1_place_count(0.8, 1e-6), mm1_place_count(0.9, 1e-6)
    (62, 132)
    """
    require_one("utilisation_ratio", utilisation_ratio)
    require_one("overflow_ratio", overflow_ratio)
    return int(ceil_but_for_rounding(math.log(overflow_ratio) / math.log(utilisation_ratio)))


def _whole(name: str, count: Number) -> int:
    """Return a number of servers or places; DomainError unless it is whole."""
    # the recursion takes one step for each: a million take a tenth of a second
    return int(require_within(name, require_whole(name, count), 1, 1_000_000, ""))


def _idle(utilisation: Q) -> Q:
    """Return the share of its time that a server is idle; DomainError where there is none."""
    return require_above("1 - arrival_rate_tps * service_time_s", 1 - utilisation, 0, "")


@domain()
def mm1_waiting_time_s(arrival_rate_tps: Q | Number, service_time_s: Q | Number) -> Q:
    r"""
    Mean waiting time at one server with exponential service times (M/M/1).

    Parameters
    ----------
    arrival_rate_tps : float or array_like
        Mean rate of arrivals, such as messages or frames. [1/s]
    service_time_s : float or array_like
        Mean service time, without waiting. [s]

    Returns
    -------
    waiting_time_s : float or numpy.ndarray
        Mean, without the service, of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If an argument is negative or infinite, or the utilisation is 1 or
        more: then the queue grows without end.

    Notes
    -----
    .. math:: W_q = \frac{\rho}{1 - \rho}\,S, \qquad \rho = \lambda S

    Arrivals are Poisson. The arrivals are open: they do not slow down
    when the queue grows, as those of connections with one transaction at a time
    do.

    References
    ----------
    L. Kleinrock, "Queueing Systems", volume 1 (1975), chapter 3.

    Examples
    --------
    80 % busy with services of 1 µs:

    >>> round(mm1_waiting_time_s(800_000, 1e-6) * 1e6, 9)
    4.0
    """
    return mg1_waiting_time_s(arrival_rate_tps, service_time_s, 1)
