"""Metrics of TCP tests and of path capacity, and buffers that keep a line busy."""

from netmodel.numeric import (
    Number,
    Q,
    minimum,
    require_above,
    require_at_least,
    require_at_most,
    require_share,
    require_within,
    sqrt,
)
from netmodel.transport._window import bandwidth_delay_product_bytes

RENO_DECREASE_RATIO = 0.5
"""What a loss leaves of the window of Reno (RFC 5681, section 3.1, equation 4)."""


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
    actual_s = require_above("actual_transfer_time_s", actual_transfer_time_s, 0, "s")
    return actual_s / require_above("ideal_transfer_time_s", ideal_transfer_time_s, 0, "s")


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
    sent_bytes = require_above("sent_bytes", sent_bytes, 0, "byte")
    again = require_at_least("retransmitted_bytes", retransmitted_bytes, 0, "byte")
    again = require_at_most("retransmitted_bytes", again, sent_bytes, "byte")
    return (sent_bytes - again) / sent_bytes


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
    baseline_s = require_above("baseline_round_trip_s", baseline_round_trip_s, 0, "s")
    mean_s = require_at_least("mean_round_trip_s", mean_round_trip_s, baseline_s, "s")
    return (mean_s - baseline_s) / baseline_s


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
    capacity_bps = require_above("link_capacity_bps", link_capacity_bps, 0, "bit/s")
    utilisation_ratio = require_within("utilisation_ratio", utilisation_ratio, 0, 1, "")
    return capacity_bps * (1 - utilisation_ratio)


def full_utilisation_buffer_bytes(
    path_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    flow_count: Q | Number = 1,
    decrease_ratio: Q | Number = RENO_DECREASE_RATIO,
) -> Q:
    r"""
    Least buffer before a bottleneck with which flows that lose keep it busy.

    Parameters
    ----------
    path_rate_bps : float or array_like
        Rate of the bottleneck. [bit/s]
    round_trip_s : float or array_like
        Without its queue. [s]
    flow_count : float or array_like
        Long flows whose losses do not coincide.
    decrease_ratio : float or array_like
        What a loss leaves of the window, above 0 and at most 1: 0.5 for Reno,
        0.7 for CUBIC.

    Returns
    -------
    buffer_bytes : float or numpy.ndarray
        Of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If the rate is not above zero, the round trip is negative, there is less
        than one flow, the ratio is not above 0 and at most 1, or an argument is
        infinite.

    Notes
    -----
    .. math:: B = \frac{R\, r}{8 \sqrt{N}} \left( \frac{1}{\beta} - 1 \right)

    The window of one flow falls from :math:`R r / 8 + B` to
    :math:`\beta (R r / 8 + B)`, which must still fill the path. The sum of
    :math:`N` independent sawtooths varies with :math:`\sqrt{N}` only; from some
    hundred flows on that is a good estimate, and for flows in step it is too
    small.

    References
    ----------
    G. Appenzeller, I. Keslassy and N. McKeown, "Sizing router buffers", SIGCOMM
    (2004), sections 2 and 3.

    Examples
    --------
    10 Gbit/s and 250 ms, for one flow and for 10,000, in MB:

    >>> [round(full_utilisation_buffer_bytes(10e9, 0.25, n) / 1e6, 3) for n in (1, 10_000)]
    [312.5, 3.125]
    """
    product_bytes = bandwidth_delay_product_bytes(path_rate_bps, round_trip_s)
    flow_count = require_at_least("flow_count", flow_count, 1, "")
    decrease_ratio = require_share("decrease_ratio", decrease_ratio)
    return product_bytes / sqrt(flow_count) * (1 - decrease_ratio) / decrease_ratio


def reno_utilisation_ratio(buffer_ratio: Q | Number) -> Q:
    r"""
    Share of a bottleneck that one Reno flow uses with a buffer before it.

    Parameters
    ----------
    buffer_ratio : float or array_like
        Buffer over the bandwidth-delay product.

    Returns
    -------
    utilisation_ratio : float or numpy.ndarray
        From 3/4 without a buffer to 1, of the shape of the input.

    Raises
    ------
    DomainError
        If the buffer is negative or infinite.

    Notes
    -----
    .. math:: u = \frac{3}{4}\, \frac{(1 + b)^2}{1 + b + b^2} \qquad b \le 1

    and 1 from there on. Over a sawtooth from half of :math:`1 + b` to
    :math:`1 + b` bandwidth-delay products, with a round trip that the queue
    makes longer.

    References
    ----------
    G. Appenzeller, I. Keslassy and N. McKeown, "Sizing router buffers", SIGCOMM
    (2004), section 2, for the sawtooth.

    Examples
    --------
    >>> [round(reno_utilisation_ratio(ratio), 6) for ratio in (0, 0.25, 0.5, 1, 2)]
    [0.75, 0.892857, 0.964286, 1.0, 1.0]
    """
    b = minimum(require_at_least("buffer_ratio", buffer_ratio, 0, ""), 1)
    return 3 * (1 + b) * (1 + b) / (4 * (1 + b + b * b))
