"""Rate that loss leaves: responses of Reno and RDMA to it, and how often it counts."""

from typing import Any

from netmodel.numeric import (
    Number,
    Q,
    any_of_many,
    domain,
    maximum,
    minimum,
    require_at_least,
    sqrt,
    where,
)
from netmodel.transport._window import MAX_WINDOW_BYTES, bandwidth_delay_product_bytes
from netmodel.units import BITS_PER_BYTE

LINUX_MIN_TIMEOUT_S = 0.2
"""What Linux adds at least to the round trip (TCP_RTO_MIN in include/net/tcp.h). [s]"""

MAX_RESPONSE_LOSS_EVENT_RATIO = 0.01
"""Loss up to which response functions without timeouts hold: above it timeouts count."""

_MATHIS_SEGMENTS_SQUARED = 1.5
"""Square of the mean window at loss 1 with an ACK for each segment: 3/2 (Mathis et al., eq. 3)."""

_TRIPLE_DUPLICATE_COUNT = 3
"""Duplicate ACKs that start a fast retransmit (RFC 5681, section 3.2)."""

_TFRC_TIMEOUT_ROUND_TRIPS = 4
"""Timeout that TFRC assumes, in round trips (RFC 5348, section 3.1)."""


@domain()
def mathis_payload_rate_bps(
    segment_bytes: Q | Number,
    round_trip_s: Q | Number,
    loss_event_ratio: Q | Number,
    segments_per_ack: Q | Number = 1,
) -> Q:
    r"""
    Payload rate of one Reno flow that loss alone limits: the square-root law.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    loss_event_ratio : float or array_like
        Loss events over segments sent, above 0 and at most 1; see
        :func:`random_loss_event_ratio`.
    segments_per_ack : float or array_like
        Segments that one acknowledgement adds to the window: 1 with an
        acknowledgement for each segment, or where bytes are counted as in
        Linux; 2 for delayed acknowledgements that are counted.

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Mean in the long run, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the segment or the round trip is not above zero, the ratio is not
        above 0 and at most 1, there is less than one segment for each
        acknowledgement, or an argument is infinite.

    Notes
    -----
    .. math:: X = \frac{8\, M}{r} \sqrt{\frac{3}{2\, b\, p}}

    The window of a loss that comes once in :math:`1/p` segments is a sawtooth
    from :math:`w/2` to :math:`w`. Valid to losses of about 1 %, where the flow
    rarely waits for a timeout, and where neither window nor line limits it.

    References
    ----------
    M. Mathis, J. Semke, J. Mahdavi and T. Ott, "The macroscopic behavior of the
    TCP congestion avoidance algorithm", ACM CCR 27(3) (1997), section 2.

    Examples
    --------
    1460 bytes, 100 ms and one loss in 10,000 segments, in Mbit/s:

    >>> round(mathis_payload_rate_bps(1460, 0.1, 1e-4) / 1e6, 4)
    14.305
    """
    window = sqrt(_MATHIS_SEGMENTS_SQUARED / (segments_per_ack * loss_event_ratio))
    return BITS_PER_BYTE * segment_bytes * window / round_trip_s


@domain("loss_event_ratio >= 0", "loss_event_ratio <= 1")
def pftk_payload_rate_bps(
    segment_bytes: Q | Number,
    round_trip_s: Q | Number,
    timeout_s: Q | Number,
    loss_event_ratio: Q | Number,
    segments_per_ack: Q | Number = 1,
    window_segment_count: Q | Number = MAX_WINDOW_BYTES,
) -> Q:
    r"""
    Rate at which one Reno flow sends under loss, with timeouts and a window: full PFTK model.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    timeout_s : float or array_like
        First retransmission timeout, see :func:`retransmission_timeout_s`. [s]
    loss_event_ratio : float or array_like
        Loss events over segments sent, from 0 to 1.
    segments_per_ack : float or array_like
        Segments that one acknowledgement adds to the window, as of
        :func:`mathis_payload_rate_bps`.
    window_segment_count : float or array_like
        Window that the receiver announces, in segments; without it, one that
        does not limit.

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Sent, retransmissions included, of the broadcast shape of the inputs.
        [bit/s]

    Raises
    ------
    DomainError
        If the segment, the round trip or the timeout is not above zero, the
        ratio is not from 0 to 1, the window or the segments for an
        acknowledgement are less than one, or an argument is infinite.

    Notes
    -----
    With :math:`W = \min(E, W_m)`,
    :math:`E = c + \sqrt{8 (1 - p) / (3 b p) + c^2}`, :math:`c = (2 + b) / (3 b)`:

    .. math::

       X = \frac{8\, M \left( \frac{1 - p}{p} + W + \frac{Q}{1 - p} \right)}
       {r\, n + Q\, T_0\, f / (1 - p)} \qquad
       n = \begin{cases} b E / 2 + 1 & E < W_m \\
       b W_m / 8 + \frac{1 - p}{p W_m} + 2 & \text{else} \end{cases}

    .. math::

       Q = \min\left(1, \frac{(1 - u^3) (1 + u^3 (1 - u^{W - 3}))}{1 - u^W}\right)
       \qquad u = 1 - p \qquad f = 1 + p + 2 p^2 + 4 p^3 + 8 p^4 + 16 p^5 + 32 p^6

    :math:`Q` is the share of losses that end in a timeout. Losses in one round
    trip are assumed to come together, in different ones independently.
    Without loss the rate is that of the window; with nothing but loss, one
    segment in 64 timeouts. Where :math:`E` passes
    :math:`W_m`, the model with :math:`b \ne 2` jumps: with :math:`b = 1` by up
    to 5 % upwards as the loss grows.

    References
    ----------
    J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP Reno
    performance: a simple model and its empirical validation", IEEE/ACM ToN 8(2)
    (2000), for the send rate.

    Examples
    --------
    Segments per second: of 1 byte, 100 ms, 1 s, one loss in 100, two segments
    for each acknowledgement:

    >>> round(pftk_payload_rate_bps(1, 0.1, 1, 0.01, 2) / 8, 4)
    69.5245
    """
    p = loss_event_ratio
    window, timeouts, time_s = _pftk(
        round_trip_s, timeout_s, p, segments_per_ack, window_segment_count
    )
    segments = (1 - p) * ((1 - p) + p * window) + timeouts
    return BITS_PER_BYTE * segment_bytes * segments / time_s


@domain("loss_event_ratio >= 0", "loss_event_ratio <= 1")
def pftk_received_rate_bps(
    segment_bytes: Q | Number,
    round_trip_s: Q | Number,
    timeout_s: Q | Number,
    loss_event_ratio: Q | Number,
    segments_per_ack: Q | Number = 1,
    window_segment_count: Q | Number = MAX_WINDOW_BYTES,
) -> Q:
    r"""
    Rate at which the receiver gets the payload of one Reno flow under loss: full PFTK model.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    timeout_s : float or array_like
        First retransmission timeout. [s]
    loss_event_ratio : float or array_like
        Loss events over segments sent, from 0 to 1.
    segments_per_ack : float or array_like
        Segments that one acknowledgement adds to the window.
    window_segment_count : float or array_like
        Window that the receiver announces, in segments; without it, one that
        does not limit.

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        At most that of :func:`pftk_payload_rate_bps`, of the broadcast shape of
        the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the segment, the round trip or the timeout is not above zero, the
        ratio is not from 0 to 1, the window or the segments for an
        acknowledgement are less than one, or an argument is infinite.

    Notes
    -----
    .. math::

       X = \frac{8\, M \left( \frac{1 - p}{p} + \frac{W}{2} + Q \right)}
       {r\, n + Q\, T_0\, f / (1 - p)}

    with the symbols of :func:`pftk_payload_rate_bps`: in the last rounds before
    a loss is seen, half a window arrives.

    References
    ----------
    J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP Reno
    performance: a simple model and its empirical validation", IEEE/ACM ToN 8(2)
    (2000), for the throughput beside the send rate.

    Examples
    --------
    The share that arrives, of segments at 100 ms, 1 s and one loss in 20:

    >>> sent = pftk_payload_rate_bps(1, 0.1, 1, 0.05, 2)
    >>> round(pftk_received_rate_bps(1, 0.1, 1, 0.05, 2) / sent, 3)
    0.886
    """
    p = loss_event_ratio
    window, timeouts, time_s = _pftk(
        round_trip_s, timeout_s, p, segments_per_ack, window_segment_count
    )
    segments = (1 - p) * ((1 - p) + p * window / 2 + timeouts)
    return BITS_PER_BYTE * segment_bytes * segments / time_s


def timeout_ratio(p: Q | float, window: Q | float) -> Q:
    """Return the share of loss events that end in a timeout, Q of PFTK: few segments follow."""
    last_three = p * (3 - 3 * p + p * p)
    following = any_of_many(p, maximum(window - _TRIPLE_DUPLICATE_COUNT, 0))
    any_lost = any_of_many(p, window)
    of_lost = last_three * (1 + (1 - last_three) * following) / where(any_lost > 0, any_lost, 1)
    return minimum(of_lost, 1)  # with fewer than three, more than what is lost


def backoff_ratio(p: Q) -> Q:
    """Return by how much timeouts grow that double, six times at most: f of PFTK."""
    return 1 + p * (1 + p * (2 + p * (4 + p * (8 + p * (16 + p * 32)))))


def _pftk(round_trip_s: Any, timeout_s: Any, p: Any, b: Any, limit: Any) -> tuple[Any, Any, Any]:
    """
    Return the mean window, timeouts times p, and the time between losses times p (1 - p).

    All terms are multiplied by p, so that none grows without end as the loss falls to none.
    """
    constant = (2 + b) / (3 * b)
    root = sqrt(p)
    scaled = root * constant + sqrt(8 * (1 - p) / (3 * b) + p * constant * constant)
    window = 1 / maximum(root / scaled, 1 / limit)
    # (1) timeouts: fewer than three duplicate acknowledgements follow a loss
    timeouts = p * timeout_ratio(p, window)
    # (2) rounds of the sawtooth, or of the window where that is smaller
    rounds = where(
        root * limit > scaled,
        b * root * scaled / 2 + p,
        p * b * limit / 8 + (1 - p) / limit + 2 * p,
    )
    between_s = round_trip_s * rounds * (1 - p) + timeouts * timeout_s * backoff_ratio(p)
    return window, timeouts, between_s


@domain()
def tfrc_payload_rate_bps(
    segment_bytes: Q | Number, round_trip_s: Q | Number, loss_event_ratio: Q | Number
) -> Q:
    r"""
    Payload rate that is friendly to TCP, by the equation of TFRC.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    loss_event_ratio : float or array_like
        Loss events over segments sent, above 0 and at most 1.

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the segment or the round trip is not above zero, the ratio is not
        above 0 and at most 1, or an argument is infinite.

    Notes
    -----
    .. math::

       X = \frac{8\, M}{r \sqrt{2 p / 3} + 4\, r\, (3 \sqrt{3 p / 8})\, p\, (1 + 32 p^2)}

    The approximate form of PFTK with a timeout of four round trips, an
    acknowledgement for each segment, no window, and timeouts that are not capped.

    References
    ----------
    RFC 5348, section 3.1.

    Examples
    --------
    1460 bytes, 100 ms, one loss in 100, in Mbit/s:

    >>> round(tfrc_payload_rate_bps(1460, 0.1, 0.01) / 1e6, 4)
    1.312
    """
    p = loss_event_ratio
    timeouts = _TFRC_TIMEOUT_ROUND_TRIPS * 3 * sqrt(3 * p / 8) * p * (1 + 32 * p * p)
    return BITS_PER_BYTE * segment_bytes / (round_trip_s * (sqrt(2 * p / 3) + timeouts))


@domain("round_trip_s >= 0")
def retransmission_timeout_s(round_trip_s: Q | Number, deviation_s: Q | Number = 0) -> Q:
    r"""
    First retransmission timeout of Linux on a path with a steady round trip.

    Parameters
    ----------
    round_trip_s : float or array_like
        Smoothed round trip. [s]
    deviation_s : float or array_like
        Mean deviation of round trips from it. [s]

    Returns
    -------
    timeout_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If a time is negative or infinite.

    Notes
    -----
    .. math:: T_0 = r + \max(0.2\,\mathrm{s},\; 4\, \sigma)

    RFC 6298 wants at least one second altogether, which Linux does not keep.

    References
    ----------
    RFC 6298, section 2; Linux, ``tcp_rtt_estimator`` and ``__tcp_set_rto`` in
    net/ipv4/tcp_input.c, ``TCP_RTO_MIN`` in include/net/tcp.h.

    Examples
    --------
    >>> round(retransmission_timeout_s(0.01), 3), round(retransmission_timeout_s(0.1, 0.1), 3)
    (0.21, 0.5)
    """
    # four deviations: RFC 6298, section 2, K
    return round_trip_s + maximum(4 * deviation_s, LINUX_MIN_TIMEOUT_S)


@domain()
def random_loss_event_ratio(loss_ratio: Q | Number, window_segment_count: Q | Number) -> Q:
    r"""
    Loss events over segments where each segment is lost independently.

    Parameters
    ----------
    loss_ratio : float or array_like
        Lost segments over segments sent, at least 0 and below 1.
    window_segment_count : float or array_like
        Segments in one round trip, at least 1.

    Returns
    -------
    loss_event_ratio : float or numpy.ndarray
        At most the loss ratio, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the ratio is not at least 0 and below 1, the window is less than one
        segment, or an argument is infinite.

    Notes
    -----
    .. math:: p_e = \frac{p}{1 + (w - 1)\, p}

    All losses within a round trip from the first count as one event, since TCP
    reduces its window once. After those :math:`w` segments the next loss is
    :math:`1/p` segments away, the mean of a geometric distribution, counted
    from the last of them.

    References
    ----------
    RFC 5348, section 5.2, for the event; the mean is that of a renewal process.

    Examples
    --------
    One segment in 100, at 12 and at 100 segments in a round trip:

    >>> [round(random_loss_event_ratio(0.01, count), 5) for count in (12, 100)]
    [0.00901, 0.00503]
    """
    return loss_ratio / (1 + (window_segment_count - 1) * loss_ratio)


@domain()
def burst_loss_event_ratio(
    loss_ratio: Q | Number, mean_burst_count: Q | Number, window_segment_count: Q | Number
) -> Q:
    r"""
    Loss events over segments where losses come in bursts (Gilbert).

    Parameters
    ----------
    loss_ratio : float or array_like
        Lost segments over segments sent, at least 0 and below 1.
    mean_burst_count : float or array_like
        Segments in a burst, which are lost one after the other, in the mean; at
        least the 1 / (1 - loss ratio) of independent losses.
    window_segment_count : float or array_like
        Segments in one round trip, at least 1.

    Returns
    -------
    loss_event_ratio : float or numpy.ndarray
        At most that of :func:`random_loss_event_ratio`, of the broadcast shape
        of the inputs.

    Raises
    ------
    DomainError
        If the ratio is not at least 0 and below 1, bursts are shorter than
        those of independent losses, the window is less than one segment, or an
        argument is infinite.

    Notes
    -----
    The path is in one of two states; in the bad one it loses every segment.
    With :math:`m` the mean burst:

    .. math::

       \frac{1}{p_e} = w + \frac{1 - p}{p}
       \bigl( \lambda^{w - 1} + (1 - \lambda^{w - 1})\, m\, (1 - p) \bigr)
       \qquad \lambda = 1 - \frac{1}{m (1 - p)}

    All losses within a round trip from the first count as one event;
    :math:`\lambda^{w - 1}` is how much the last segment of that round trip still
    depends on the first, and with it the distance to the next loss. For rare
    and short bursts :math:`p_e = p / m`: one for each burst. Long bursts end in
    timeouts, which the response functions of congestion avoidance do not
    contain.

    References
    ----------
    E. N. Gilbert, "Capacity of a burst-noise channel", BSTJ 39 (1960); RFC
    5348, section 5.2, for the event; the mean is that of a renewal process.

    Examples
    --------
    One segment in 1000 is lost, in bursts of 1 and of 5, of 12 in a round trip:

    >>> [round(burst_loss_event_ratio(1e-3, burst, 12) * 1e3, 3) for burst in (1 / 0.999, 5)]
    [0.989, 0.215]
    """
    p, window = loss_ratio, window_segment_count
    sent = (1 - p) * require_at_least("mean_burst_count", mean_burst_count, 1 / (1 - p), "")
    ended = any_of_many(minimum(1 / sent, 1), window - 1)
    return p / (window * p + (1 - p) * (1 + ended * (sent - 1)))


@domain()
def frame_loss_ratio(bit_error_ratio: Q | Number, frame_bytes: Q | Number) -> Q:
    r"""
    Share of frames that bit errors spoil.

    Parameters
    ----------
    bit_error_ratio : float or array_like
        Wrong bits over bits, at least 0 and below 1.
    frame_bytes : float or array_like
        From the destination address to the frame check sequence. [byte]

    Returns
    -------
    loss_ratio : float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the ratio is not at least 0 and below 1, the frame is not above zero,
        or an argument is infinite.

    Notes
    -----
    .. math:: p = 1 - (1 - e)^{8 n}

    Errors of single bits are independent, and the frame check sequence finds
    them. With forward error correction, errors that remain come in whole code
    words.

    References
    ----------
    IEEE 802.3, clause 3.2.9 for the check; the ratio is that of independent
    errors.

    Examples
    --------
    An error in 10^12 bits, for frames of 1518 and 9018 bytes:

    >>> [f"{frame_loss_ratio(1e-12, size):.4e}" for size in (1518, 9018)]
    ['1.2144e-08', '7.2144e-08']
    """
    return any_of_many(bit_error_ratio, BITS_PER_BYTE * frame_bytes)


@domain("round_trip_s >= 0")
def go_back_n_payload_rate_bps(
    path_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    loss_ratio: Q | Number,
    rdma_mtu_bytes: Q | Number,
) -> Q:
    r"""
    Payload rate of RDMA whose adapter sends again all that followed a lost packet.

    Parameters
    ----------
    path_rate_bps : float or array_like
        Payload rate without loss: of the line, or of the window where this is
        smaller. [bit/s]
    round_trip_s : float or array_like
        From sending a packet to the news that it is missing. [s]
    loss_ratio : float or array_like
        Lost packets over packets, at least 0 and below 1.
    rdma_mtu_bytes : float or array_like
        Payload of a packet, the RDMA MTU. [byte]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the rate or the packet is not above zero, the round trip is negative,
        the ratio is not at least 0 and below 1, or an argument is infinite.

    Notes
    -----
    .. math::

       X = R\, \frac{1 - p}{1 + (w - 1)\, p} \qquad
       w = \max\left(1,\; \frac{R\, r}{8\, L}\right)

    Each loss costs the :math:`w` packets in flight. Packets are lost
    independently, also those that are sent again, and no loss waits for a
    timeout, as that of the last packet of a message does.

    References
    ----------
    D. Bertsekas and R. Gallager, "Data networks", 2nd edition (1992), section
    2.4, for go-back-N.

    Examples
    --------
    1000 packets in flight, one loss in 10,000, as a share of the rate:

    >>> round(go_back_n_payload_rate_bps(8.192e9, 1e-3, 1e-4, 1024) / 8.192e9, 6)
    0.909083
    """
    in_flight = bandwidth_delay_product_bytes(path_rate_bps, round_trip_s) / rdma_mtu_bytes
    return path_rate_bps * (1 - loss_ratio) / (1 + (maximum(in_flight, 1) - 1) * loss_ratio)


@domain("loss_event_ratio >= 0", "loss_event_ratio <= 1")
def pftk_approximate_rate_bps(
    segment_bytes: Q | Number,
    round_trip_s: Q | Number,
    timeout_s: Q | Number,
    loss_event_ratio: Q | Number,
    segments_per_ack: Q | Number = 1,
    window_segment_count: Q | Number = MAX_WINDOW_BYTES,
) -> Q:
    r"""
    Payload rate of one Reno flow under loss, in the short form of the PFTK model.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    timeout_s : float or array_like
        First retransmission timeout. [s]
    loss_event_ratio : float or array_like
        Loss events over segments sent, from 0 to 1.
    segments_per_ack : float or array_like
        Segments that one acknowledgement adds to the window.
    window_segment_count : float or array_like
        Window that the receiver announces, in segments; without it, one that
        does not limit.

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the segment, the round trip or the timeout is not above zero, the
        ratio is not from 0 to 1, the window or the segments for an
        acknowledgement are less than one, or an argument is infinite.

    Notes
    -----
    .. math::

       X = 8\, M \min\left( \frac{W_m}{r},\; \frac{1}{r \sqrt{2 b p / 3} +
       T_0 \min(1, 3 \sqrt{3 b p / 8})\, p\, (1 + 32 p^2)} \right)

    Without timeouts this is :func:`mathis_payload_rate_bps`. It is within
    about 10 % of the full model up to losses of 5 % where the window does not
    limit; where it does, it may be several times higher.

    References
    ----------
    J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP Reno
    performance: a simple model and its empirical validation", IEEE/ACM ToN 8(2)
    (2000), for the approximation.

    Examples
    --------
    >>> round(pftk_approximate_rate_bps(1, 0.1, 1, 0.01, 2) / 8, 4)
    70.6544
    """
    p, b = loss_event_ratio, segments_per_ack
    timeouts = minimum(1, 3 * sqrt(3 * b * p / 8))
    time_s = round_trip_s * sqrt(2 * b * p / 3) + timeout_s * timeouts * p * (1 + 32 * p * p)
    return BITS_PER_BYTE * segment_bytes / maximum(time_s, round_trip_s / window_segment_count)
