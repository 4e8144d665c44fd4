"""Operational laws: true of any run that starts and ends with the same work in progress."""

from netmodel.numeric import Number, Q, domain


@domain()
def closed_connection_count(
    transaction_rate_tps: Q | Number,
    transaction_time_s: Q | Number,
    think_time_s: Q | Number = 0,
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
