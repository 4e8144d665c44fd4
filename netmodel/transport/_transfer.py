"""Time of a transfer from a cold start: slow start, line and window."""

from netmodel.numeric import (
    Number,
    Q,
    any_of_many,
    ceil,
    domain,
    floor,
    log,
    log1p,
    maximum,
    minimum,
    power,
    where,
)
from netmodel.transport._loss import backoff_ratio, pftk_payload_rate_bps, timeout_ratio
from netmodel.transport._throughput import COMMON_SEGMENT_BYTES
from netmodel.transport._window import MAX_WINDOW_BYTES
from netmodel.units import BITS_PER_BYTE

INITIAL_WINDOW_SEGMENTS = 10
"""Window of a new connection (RFC 6928; the default of Linux)."""

_NO_SEGMENT = 1e-9
"""Part of a segment that is none: what rounding takes from windows that are not whole."""


def _round_count(count: Q | float, start: Q | float, b: Q | float, limit: Q | float) -> Q:
    least = count - _NO_SEGMENT
    whole = floor(log1p(count / (start * b)) / log1p(1 / b))
    growing = whole + where(_grown(whole, start, b) < least, 1, 0)
    in_growth = _growing_rounds(limit, start, b)
    rest = ceil((least - _grown(in_growth, start, b)) / limit)
    return where(rest > 0, in_growth + rest, growing)


def _grown(rounds: Q | float, start: Q | float, b: Q | float) -> Q:
    """Return segments in a number of rounds while the window grows."""
    return start * b * (power(1 + 1 / b, rounds) - 1)


def _growing_rounds(limit: Q | float, start: Q | float, b: Q | float) -> Q:
    """Return rounds with a window below a limit."""
    return ceil(log(maximum(limit / start, 1)) / log1p(1 / b))


@domain("round_trip_s >= 0")
def short_transfer_time_s(
    transfer_bytes: Q | Number,
    path_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    segment_bytes: Q | Number = COMMON_SEGMENT_BYTES,
    initial_window_segment_count: Q | Number = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: Q | Number = 1,
    window_segment_count: Q | Number = MAX_WINDOW_BYTES,
    handshake_count: Q | Number = 1,
) -> Q:
    r"""
    Time of a transfer from a cold start over a path that loses nothing.

    Parameters
    ----------
    transfer_bytes : float or array_like
        Payload of the transfer. [byte]
    path_rate_bps : float or array_like
        Payload rate of the path. [bit/s]
    round_trip_s : float or array_like
        Without queues and without the time of a segment on the path, as `ping`
        measures it. [s]
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    initial_window_segment_count : float or array_like
        First window, in segments.
    segments_per_ack : float or array_like
        Segments whose acknowledgement adds one segment to the window.
    window_segment_count : float or array_like
        Largest window, in segments; without it, one that does not limit.
    handshake_count : float or array_like
        Round trips before the first byte: 1 for TCP, 0 on an open connection, 2
        with TLS 1.3.

    Returns
    -------
    transfer_time_s : float or numpy.ndarray
        From the start of the handshake to the acknowledgement of the last byte,
        or from a request to the last byte of its response. Of the broadcast
        shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the transfer, the rate or the segment is not above zero, the round
        trip or the handshakes are negative, a window or the segments for an
        acknowledgement are less than one, or an argument is infinite.

    Notes
    -----
    .. math::

       T = (h + n + 1)\, r + \frac{8\, M}{R} \Bigl( d + n - \sum_{i < n} \min(w_1 \gamma^i, W)
       \Bigr)

    with :math:`n` the rounds before the last one in which the sender waits: it has sent its
    window before the first acknowledgement, which comes a segment's time :math:`8 M / R` and
    a round trip after the round began. From then on the path is never idle, and sends what is
    left at its rate. A queue on the path takes what exceeds the bandwidth-delay product; hosts
    spend no time, and each segment is acknowledged at once.

    References
    ----------
    J. F. Kurose and K. W. Ross, "Computer networking", section on the latency
    of a static object: :math:`2\, r + O/R + n\, (r + S/R) - (2^n - 1)\, S/R` with a
    first window of one segment.

    Examples
    --------
    1 MiB over 10 Gbit/s with a round trip of 10 ms takes 7 rounds and a handshake:

    >>> round(short_transfer_time_s(2**20, 10e9, 10e-3) * 1e3, 2)
    80.12
    """
    b, limit = segments_per_ack, window_segment_count
    start = minimum(initial_window_segment_count, limit)
    segments = transfer_bytes / segment_bytes
    segment_time_s = BITS_PER_BYTE * segment_bytes / path_rate_bps
    # segments that leave until the first of them is acknowledged
    filling = round_trip_s / segment_time_s + 1
    idle_rounds = _round_count(segments, start, b, limit) - 1
    to_full_path = _growing_rounds(filling, start, b)
    idle_rounds = where(limit < filling, idle_rounds, minimum(idle_rounds, to_full_path))
    growing = minimum(idle_rounds, _growing_rounds(limit, start, b))
    sent = _grown(growing, start, b) + (idle_rounds - growing) * limit
    round_trips = handshake_count + idle_rounds + 1
    return round_trips * round_trip_s + (segments + idle_rounds - sent) * segment_time_s


@domain()
def slow_start_round_count(
    segment_count: Q | Number,
    initial_window_segment_count: Q | Number = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: Q | Number = 1,
    window_segment_count: Q | Number = MAX_WINDOW_BYTES,
) -> Q:
    r"""
    Whole round trips in which a window that grows from a cold start sends a number of segments.

    Parameters
    ----------
    segment_count : float or array_like
        Segments of the transfer.
    initial_window_segment_count : float or array_like
        First window, in segments.
    segments_per_ack : float or array_like
        Segments whose acknowledgement adds one segment to the window: 1 where
        bytes are counted, as in Linux, also with delayed acknowledgements.
    window_segment_count : float or array_like
        Largest window, in segments; without it, one that does not limit.

    Returns
    -------
    round_count : int, float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the segments are negative, the initial or the largest window or the
        segments for an acknowledgement are less than one, or an argument is
        infinite.

    Notes
    -----
    .. math::

       n = \min \Bigl\{ r : \sum_{i < r} \min(w_1 \gamma^i, W) \ge d \Bigr\}
       \qquad \gamma = 1 + 1 / b

    Nothing is lost. Counted on the sums, not with the logarithm, which is off
    by one where a sum just holds the transfer.

    References
    ----------
    RFC 5681, section 3.1; RFC 6928; N. Cardwell, S. Savage and T. Anderson,
    "Modeling TCP latency", INFOCOM (2000), section II.

    Examples
    --------
    30 segments take windows of 10 and 20, one more a third round:

    >>> [slow_start_round_count(count) for count in (10, 11, 30, 31, 14484)]
    [1, 2, 2, 3, 11]
    """
    limit = window_segment_count
    start = minimum(initial_window_segment_count, limit)
    return _round_count(segment_count, start, segments_per_ack, limit)


@domain()
def lossy_transfer_time_s(
    segment_count: Q | Number,
    round_trip_s: Q | Number,
    timeout_s: Q | Number,
    loss_ratio: Q | Number,
    initial_window_segment_count: Q | Number = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: Q | Number = 1,
    window_segment_count: Q | Number = MAX_WINDOW_BYTES,
    delayed_ack_s: Q | Number = 0,
) -> Q:
    r"""
    Expected time of a transfer from a cold start with loss, after the handshake.

    Parameters
    ----------
    segment_count : float or array_like
        Segments of the transfer.
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    timeout_s : float or array_like
        First retransmission timeout, see :func:`retransmission_timeout_s`. [s]
    loss_ratio : float or array_like
        Lost segments over segments, at least 0 and below 1.
    initial_window_segment_count : float or array_like
        First window, in segments.
    segments_per_ack : float or array_like
        Segments whose acknowledgement adds one segment to the window.
    window_segment_count : float or array_like
        Largest window, in segments; without it, one that does not limit.
    delayed_ack_s : float or array_like
        Mean time that the receiver delays the acknowledgement of a first window
        of one segment. [s]

    Returns
    -------
    transfer_time_s : float or numpy.ndarray
        Until the last segment is acknowledged, of the broadcast shape of the
        inputs. [s]

    Raises
    ------
    DomainError
        If the round trip or the timeout is not above zero, the segments or the
        delay are negative, the ratio is not at least 0 and below 1, a window or
        the segments for an acknowledgement are less than one, or an argument
        is infinite.

    Notes
    -----
    Slow start until the first loss, its recovery, and congestion avoidance for
    the rest at the rate :math:`B` of :func:`pftk_payload_rate_bps`:

    .. math::

       T = T_{ss} + \ell \left( Q \frac{f\, T_0}{1 - p} + (1 - Q)\, r \right) +
       \frac{d - d_{ss}}{B} + T_{ack} \qquad \ell = 1 - (1 - p)^d

    .. math::

       d_{ss} = \min\left(d,\; \frac{\ell\, (1 - p)}{p} + 1\right) \qquad
       W_{ss} = \frac{d_{ss} / b + w_1}{\gamma} \qquad \gamma = 1 + \frac{1}{b}

    .. math::

       \frac{T_{ss}}{r} = \begin{cases}
       \log_\gamma \left( \frac{d_{ss}}{b\, w_1} + 1 \right) & W_{ss} \le W \\
       \log_\gamma \frac{W}{w_1} + 1 + \frac{d_{ss} - b (\gamma W - w_1)}{W} & \text{else}
       \end{cases}

    Rounds are not whole here: the time grows smoothly, and a transfer below the
    first window takes less than one round trip. The line does not limit. The
    paper has no minimum in :math:`d_{ss}`, which then exceeds :math:`d` by one
    where nothing is lost.

    References
    ----------
    N. Cardwell, S. Savage and T. Anderson, "Modeling TCP latency", INFOCOM
    (2000), equations 5 to 25.

    Examples
    --------
    1000 segments at 100 ms, without loss and with one in 100:

    >>> [round(lossy_transfer_time_s(1000, 0.1, 0.3, loss), 3) for loss in (0, 0.01)]
    [0.666, 8.411]
    """
    d, p, b, limit = segment_count, loss_ratio, segments_per_ack, window_segment_count
    start = minimum(initial_window_segment_count, limit)
    growth = 1 + 1 / b
    round_growth = log1p(1 / b)

    # slow start, until the first loss or the end
    any_lost = any_of_many(p, d)
    until_loss = where(p == 0, d, any_lost * (1 - p) / where(p == 0, 1, p) + 1)
    in_slow_start = minimum(d, until_loss)
    window = (in_slow_start / b + start) / growth
    to_limit = log(limit / start) / round_growth
    after = in_slow_start - b * (growth * limit - start)
    rounds = where(
        window <= limit,
        log1p(in_slow_start / (b * start)) / round_growth,
        to_limit + 1 + after / limit,
    )

    # recovery from that loss, by timeout or by fast retransmit
    timeouts = timeout_ratio(p, minimum(window, limit))
    timeout_cost_s = timeouts * backoff_ratio(p) * timeout_s / (1 - p)
    recovery_s = any_lost * (timeout_cost_s + (1 - timeouts) * round_trip_s)

    # the rest, in congestion avoidance
    rate_bps = pftk_payload_rate_bps(1, round_trip_s, timeout_s, p, b, limit)  # of one byte each
    rest_s = (d - in_slow_start) * BITS_PER_BYTE / rate_bps

    delayed_s = where(start < 2, 1, 0) * delayed_ack_s  # a second segment is acknowledged at once
    return rounds * round_trip_s + recovery_s + rest_s + delayed_s


@domain()
def restarted_window_segment_count(
    window_segment_count: Q | Number,
    idle_time_s: Q | Number,
    timeout_s: Q | Number,
    initial_window_segment_count: Q | Number = INITIAL_WINDOW_SEGMENTS,
) -> Q:
    r"""
    Congestion window of Linux after an idle time, with slow start after idle.

    Parameters
    ----------
    window_segment_count : float or array_like
        Congestion window before, in segments.
    idle_time_s : float or array_like
        Since the last segment was sent. [s]
    timeout_s : float or array_like
        Retransmission timeout of the connection. [s]
    initial_window_segment_count : float or array_like
        First window of a new connection, in segments.

    Returns
    -------
    window_segment_count : int, float or numpy.ndarray
        Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If a window is less than one segment, the idle time is negative, the
        timeout is not above zero, or an argument is infinite.

    Notes
    -----
    .. math::

       W' = \max\left( \left\lfloor W / 2^k \right\rfloor,\; \min(w_1, W) \right) \qquad
       k = \max\left(0,\; \left\lceil t / T_0 \right\rceil - 1 \right)

    The window is halved for each timeout that went by in full. Without
    ``net.ipv4.tcp_slow_start_after_idle`` it stays as it is.

    References
    ----------
    RFC 2861; RFC 5681, section 4.1, which starts again with the
    initial window at once; Linux, ``tcp_cwnd_restart`` in net/ipv4/tcp_output.c.

    Examples
    --------
    100 segments, idle for half a timeout, 1.5, 2.5 and 10:

    >>> [restarted_window_segment_count(100, idle_s, 0.2) for idle_s in (0.1, 0.3, 0.5, 2)]
    [100, 50, 25, 10]
    """
    halvings = ceil(idle_time_s / timeout_s) - 1
    halved = floor(window_segment_count * power(2, -halvings))
    window = where(halvings <= 0, window_segment_count, halved)
    return maximum(window, minimum(initial_window_segment_count, window_segment_count))
