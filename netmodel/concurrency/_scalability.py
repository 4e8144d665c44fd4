"""Universal scalability law: rate over connections from two coefficients of a fit."""

from netmodel.numeric import Number, Q, domain, sqrt


@domain()
def scalability_rate_tps(
    connection_count: Q | Number,
    rate_at_one_tps: Q | Number,
    contention_ratio: Q | Number,
    coherency_ratio: Q | Number,
) -> Q:
    r"""
    Transaction rate of a number of connections by the universal scalability law.

    Parameters
    ----------
    connection_count : float or array_like
        Connections, at least 1; or users, threads, processors.
    rate_at_one_tps : float or array_like
        Rate of one connection alone. Any other rate in its place, such as a
        goodput, gives that of all connections in the same unit. [1/s]
    contention_ratio : float or array_like
        Share of the time of one connection that only one of them can have at a
        time, from 0 to 1.
    coherency_ratio : float or array_like
        Time that each pair of connections costs one of them, relative to its
        time alone.

    Returns
    -------
    transaction_rate_tps : float or numpy.ndarray
        Of all connections together, of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If there is less than one connection, another argument is negative, the
        contention is above 1, or an argument is infinite.

    Notes
    -----
    .. math:: X(N) = \frac{\gamma N}{1 + \sigma (N - 1) + \kappa N (N - 1)}

    with :math:`\gamma` the rate at one, :math:`\sigma` the contention and
    :math:`\kappa` the coherency. Without coherency the rate nears
    :math:`\gamma / \sigma`, and without both it grows with the connections.

    The law describes and does not explain: its coefficients come from a fit to
    measured rates. It has no latency that one connection waits for and many
    share, so that it misses the lightest load where such latency dominates.

    References
    ----------
    N. J. Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 to 6; R
    package usl, which calls the coefficients alpha, beta and gamma.

    Examples
    --------
    >>> round(scalability_rate_tps(16, 1, 0.05, 0), 6)
    9.142857
    """
    contended = contention_ratio * (connection_count - 1)
    kept_equal = coherency_ratio * connection_count * (connection_count - 1)
    return rate_at_one_tps * connection_count / (1 + contended + kept_equal)


@domain("coherency_ratio > 0")
def scalability_peak_connection_count(
    contention_ratio: Q | Number, coherency_ratio: Q | Number
) -> Q:
    r"""
    Connections beyond which the rate of the universal scalability law falls.

    Parameters
    ----------
    contention_ratio : float or array_like
        Share of the time of one connection that only one of them can have at a
        time, from 0 to 1.
    coherency_ratio : float or array_like
        Time that each pair of connections costs one of them, relative to its
        time alone, above 0: without it there is no peak.

    Returns
    -------
    connection_count : float or numpy.ndarray
        Not rounded, of the broadcast shape of the inputs. Below 1 where already
        the second connection lowers the rate.

    Raises
    ------
    DomainError
        If the contention is negative or above 1, the coherency is not above
        zero, or an argument is infinite.

    Notes
    -----
    .. math:: \hat N = \sqrt{\frac{1 - \sigma}{\kappa}}

    with :math:`\sigma` the contention and :math:`\kappa` the coherency.

    References
    ----------
    N. J. Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 to 6; R
    package usl, ``peak.scalability``.

    Examples
    --------
    >>> round(scalability_peak_connection_count(0.05, 0.001), 3)
    30.822
    """
    return sqrt((1 - contention_ratio) / coherency_ratio)
