"""Operational laws: true of any run that starts and ends with the same work in progress."""

from netmodel.numeric import Number, Q, domain, require_at_least


@domain()
def closed_connection_count(
    transaction_rate_tps: Q | Number, transaction_time_s: Q | Number, think_time_s: Q | Number = 0
) -> Q:
    r"""
    Connections that keep up a transaction rate, each with one transaction at a time.

    Parameters
    ----------
    transaction_rate_tps : float or array_like
        Rate of all connections together. [1/s]
    transaction_time_s : float or array_like
        Mean time from request to response. [s]
    think_time_s : float or array_like
        Mean time from a response to the next request of its connection. [s]

    Returns
    -------
    connection_count : float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If an argument is negative or infinite.

    Notes
    -----
    .. math:: N = X\,(R + Z)

    Little's law. With the think time left out it is the mean number of
    transactions in progress.

    References
    ----------
    J. D. C. Little, "A proof for the queuing formula L = λW", Operations
    Research 9 (1961); P. J. Denning and J. P. Buzen, "The operational analysis
    of queueing network models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    >>> round(closed_connection_count(31996.02, 1.5627e-3), 3)
    50.0
    """
    return transaction_rate_tps * (transaction_time_s + think_time_s)


@domain()
def utilisation_ratio(
    transaction_rate_tps: Q | Number, demand_s: Q | Number, parallel_count: Q | Number = 1
) -> Q:
    r"""
    Share of its time that a stage is busy.

    Parameters
    ----------
    transaction_rate_tps : float or array_like
        Transactions that complete, or any other unit of work. [1/s]
    demand_s : float or array_like
        Time of the stage for each of them. [s]
    parallel_count : float or array_like
        How many the stage serves at a time, at least 1: CPUs, engines.

    Returns
    -------
    utilisation_ratio : float or numpy.ndarray
        Mean over what works in parallel, of the broadcast shape of the inputs.
        Above 1 where the stage cannot keep up: then the rate or the demand is
        wrong.

    Raises
    ------
    DomainError
        If the rate or the demand is negative, the stage serves less than one at
        a time, or an argument is infinite.

    Notes
    -----
    .. math:: \rho = X D / m

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    >>> round(utilisation_ratio(150_000, 12e-6, 8), 9)
    0.225
    """
    return transaction_rate_tps * demand_s / parallel_count


@domain()
def stage_visit_rate_tps(transaction_rate_tps: Q | Number, visits_per_transaction: Q | Number) -> Q:
    r"""
    Visits per second that a stage sees.

    Parameters
    ----------
    transaction_rate_tps : float or array_like
        Transactions of the whole path. [1/s]
    visits_per_transaction : float or array_like
        How often one of them comes to the stage: the frames of a message at an
        adapter.

    Returns
    -------
    visit_rate_tps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If an argument is negative or infinite.

    Notes
    -----
    .. math:: X_k = V_k X

    The forced flow law.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    Messages of 22 frames:

    >>> stage_visit_rate_tps(50_000, 22)
    1100000
    """
    return transaction_rate_tps * visits_per_transaction


@domain()
def stage_demand_s(visits_per_transaction: Q | Number, time_per_visit_s: Q | Number) -> Q:
    r"""
    Time that a stage spends on one transaction, all its visits together.

    Parameters
    ----------
    visits_per_transaction : float or array_like
        How often a transaction comes to the stage.
    time_per_visit_s : float or array_like
        Time of the stage for each visit, without waiting. [s]

    Returns
    -------
    demand_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If an argument is negative or infinite.

    Notes
    -----
    .. math:: D_k = V_k S_k

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    >>> round(stage_demand_s(22, 0.864478e-6) * 1e6, 3)
    19.019
    """
    return visits_per_transaction * time_per_visit_s


@domain("connection_count >= 0", "transaction_time_s > 0")
def closed_transaction_rate_tps(
    connection_count: Q | Number, transaction_time_s: Q | Number, think_time_s: Q | Number = 0
) -> Q:
    r"""
    Transaction rate of connections that each have one transaction at a time.

    Parameters
    ----------
    connection_count : float or array_like
        Connections.
    transaction_time_s : float or array_like
        Mean time from request to response. [s]
    think_time_s : float or array_like
        Mean time from a response to the next request of its connection. [s]

    Returns
    -------
    transaction_rate_tps : float or numpy.ndarray
        Of all connections together, of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If the transaction time is not above zero, another argument is
        negative, or one is infinite.

    Notes
    -----
    .. math:: X = \frac{N}{R + Z}

    Without think time :math:`1 + \Delta X = 1/(1 + \Delta R)` at the same
    number of connections; with it the rate changes by less.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    47 % less time is 89 % more transactions:

    >>> closed_transaction_rate_tps(1, 1 - 0.47) / closed_transaction_rate_tps(1, 1)
    1.8868
    """
    return connection_count / (transaction_time_s + think_time_s)


@domain("connection_count >= 0", "transaction_rate_tps > 0")
def closed_transaction_time_s(
    connection_count: Q | Number, transaction_rate_tps: Q | Number, think_time_s: Q | Number = 0
) -> Q:
    r"""
    Time from request to response that connections and their transaction rate imply.

    Parameters
    ----------
    connection_count : float or array_like
        Connections, each with one transaction at a time.
    transaction_rate_tps : float or array_like
        Rate of all connections together. [1/s]
    think_time_s : float or array_like
        Mean time from a response to the next request of its connection. [s]

    Returns
    -------
    transaction_time_s : float or numpy.ndarray
        Mean, of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the rate is not above zero, another argument is negative, the
        connections would think for longer than their cycle takes, or an
        argument is infinite.

    Notes
    -----
    .. math:: R = \frac{N}{X} - Z

    The interactive response-time law.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    50 connections at 31996.02 transactions per second:

    >>> round(closed_transaction_time_s(50, 31996.02) * 1e3, 4)
    1.5627
    """
    name = "connection_count / transaction_rate_tps"
    cycle_s = require_at_least(name, connection_count / transaction_rate_tps, think_time_s, "s")
    return cycle_s - think_time_s
