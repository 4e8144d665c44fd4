"""Metrics of a TCP throughput test (RFC 6349), and what is left of a link (RFC 5136)."""

from netmodel.numeric import Number, Q, domain


@domain()
def transfer_time_ratio(actual_transfer_time_s: Q | Number, ideal_transfer_time_s: Q | Number) -> Q:
    r"""
    TCP transfer time ratio: measured time over the one at the highest possible rate.

    Parameters
    ----------
    actual_transfer_time_s : float or array_like
        Measured. [s]
    ideal_transfer_time_s : float or array_like
        Size of the transfer over the highest TCP throughput of the path. [s]

    Returns
    -------
    time_ratio : float or numpy.ndarray
        1 for a path that is used in full, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If a time is not above zero, or infinite.

    Notes
    -----
    .. math:: q = t / t_0

    References
    ----------
    RFC 6349, section 4.1.

    Examples
    --------
    >>> transfer_time_ratio(12, 8)
    1.5
    """
    return actual_transfer_time_s / ideal_transfer_time_s


@domain("retransmitted_bytes <= sent_bytes")
def tcp_efficiency_ratio(sent_bytes: Q | Number, retransmitted_bytes: Q | Number) -> Q:
    r"""
    TCP efficiency: share of the bytes sent that were not sent again.

    Parameters
    ----------
    sent_bytes : float or array_like
        Payload sent, retransmissions included. [byte]
    retransmitted_bytes : float or array_like
        Payload sent again, at most all. [byte]

    Returns
    -------
    efficiency_ratio : float or numpy.ndarray
        1 without retransmissions, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If nothing was sent, the retransmitted bytes are negative or more than
        those sent, or an argument is infinite.

    Notes
    -----
    .. math:: e = (n - n_r) / n

    References
    ----------
    RFC 6349, section 4.2.

    Examples
    --------
    102,000 bytes, of which 2,000 were sent again:

    >>> round(tcp_efficiency_ratio(102_000, 2_000), 4)
    0.9804
    """
    return (sent_bytes - retransmitted_bytes) / sent_bytes


@domain("mean_round_trip_s >= baseline_round_trip_s")
def buffer_delay_ratio(mean_round_trip_s: Q | Number, baseline_round_trip_s: Q | Number) -> Q:
    r"""
    Buffer delay: round trip that queues add under load, over the one without load.

    Parameters
    ----------
    mean_round_trip_s : float or array_like
        Mean during the transfer, at least the baseline. [s]
    baseline_round_trip_s : float or array_like
        Without load. [s]

    Returns
    -------
    delay_ratio : float or numpy.ndarray
        0 without queues, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the baseline is not above zero, the mean is below it, or one of them
        is infinite.

    Notes
    -----
    .. math:: q = (r - r_0) / r_0

    References
    ----------
    RFC 6349, section 4.3.

    Examples
    --------
    >>> buffer_delay_ratio(32e-3, 25e-3)
    0.28
    """
    return (mean_round_trip_s - baseline_round_trip_s) / baseline_round_trip_s


@domain()
def available_capacity_bps(link_capacity_bps: Q | Number, utilisation_ratio: Q | Number) -> Q:
    r"""
    Capacity of a link that other traffic leaves, in bits of IP packets.

    Parameters
    ----------
    link_capacity_bps : float or array_like
        Rate of IP packets, headers included, that the link can carry. [bit/s]
    utilisation_ratio : float or array_like
        Share of it that is used, from 0 to 1.

    Returns
    -------
    available_bps : float or numpy.ndarray
        At most the capacity, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the capacity is not above zero, the utilisation not from 0 to 1, or
        one of them infinite.

    Notes
    -----
    .. math:: A = C\, (1 - U)

    The available capacity of a path is the least of its links, which need not
    be that of the link with the least capacity.

    References
    ----------
    RFC 5136, section 2.3.

    Examples
    --------
    10 Gbit/s used to 80 %, and 5 Gbit/s used to 20 %: the first is the tight one.

    >>> [round(available_capacity_bps(*link) / 1e9, 3) for link in ((10e9, 0.8), (5e9, 0.2))]
    [2.0, 4.0]
    """
    return link_capacity_bps * (1 - utilisation_ratio)
