"""Limits of a stream over distance: the line, its windows, or loss."""

import math
from typing import Any, Generic, NamedTuple

from netmodel.lazy_numpy import np
from netmodel.numeric import Number, Q, Q_co, domain, is_array, minimum, where
from netmodel.transport._cubic import cubic_payload_rate_bps
from netmodel.transport._loss import go_back_n_payload_rate_bps
from netmodel.transport._window import MAX_WINDOW_BYTES
from netmodel.units import BITS_PER_BYTE

COMMON_SEGMENT_BYTES = 1448
"""Payload of a TCP segment with timestamps at an MTU of 1500. [byte]"""

RDMA_MTU_BYTES = 1024
"""RDMA MTU that fits an Ethernet MTU of 1500 (IBTA, RoCE annex A16). [byte]"""


class StreamThroughput(NamedTuple, Generic[Q_co]):
    """
    Payload rate of streams, and the rate that each limit alone would allow.

    Parameters
    ----------
    payload_rate_bps : float or numpy.ndarray
        Of all flows together. [bit/s]
    line_rate_bps : float or numpy.ndarray
        What the path carries if neither windows nor loss matter. [bit/s]
    window_rate_bps : float or numpy.ndarray
        What the windows allow; infinite without a round trip. [bit/s]
    loss_rate_bps : float or numpy.ndarray
        What loss allows; infinite without loss or round trip. [bit/s]

    Examples
    --------
    >>> from netmodel.transport import tcp_throughput
    >>> stream = tcp_throughput(23.5e9, 0.4e-3, 2**18)
    >>> stream.limit, round(stream.payload_rate_bps / 1e9, 2)
    ('window', 5.24)
    """

    payload_rate_bps: Q_co
    line_rate_bps: Q_co
    window_rate_bps: Q_co
    loss_rate_bps: Q_co

    @property
    def limit(self) -> Any:
        """Return "line", "window" or "loss", whichever limits, or "unknown" where a rate is NaN."""
        payload, line, window, loss = self
        of_two = np.where(window <= loss, "window", "loss")
        names = np.where((line <= window) & (line <= loss), "line", of_two)
        names = np.where(np.isnan(payload), "unknown", names)
        return names if names.ndim else str(names)


@domain("round_trip_s >= 0", "loss_event_ratio >= 0", "loss_event_ratio <= 1")
def tcp_throughput(
    path_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    window_bytes: Q | Number = MAX_WINDOW_BYTES,
    loss_event_ratio: Q | Number = 0,
    flow_count: Q | Number = 1,
    segment_bytes: Q | Number = COMMON_SEGMENT_BYTES,
) -> StreamThroughput[Q]:
    r"""
    Payload rate of TCP streams, and whether line, window or loss limits it.

    Parameters
    ----------
    path_rate_bps : float or array_like
        Payload rate of the path, all flows together, if neither windows nor
        loss matter. [bit/s]
    round_trip_s : float or array_like
        From sending a byte to its acknowledgement; 0 leaves the line alone. [s]
    window_bytes : float or array_like
        Payload that each flow may have in flight. [byte]
    loss_event_ratio : float or array_like
        Loss events over segments, from 0 to 1; at 0 loss does not limit.
    flow_count : float or array_like
        Flows with a window each, which share the path.
    segment_bytes : float or array_like
        Payload of a full segment. [byte]

    Returns
    -------
    throughput : StreamThroughput
        Rates of all flows together, each of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the rate, the window or the segment is not above zero, the round
        trip is negative, the ratio is not from 0 to 1, there is less than one
        flow, or an argument is infinite.

    Notes
    -----
    .. math:: X = \min(R,\; 8\, N\, W / r,\; N\, X_p)

    with :math:`X_p` of :func:`cubic_payload_rate_bps`.

    Long streams, in the mean: the limits are sharp here, and a real flow is
    below the smallest where two are close. A flow with pacing and a model of
    the path, such as BBR, does not follow the loss limit.

    References
    ----------
    RFC 6349, section 3.3.1, for the windows; RFC 9438 for loss.

    Examples
    --------
    256 KiB over 35 km of fibre, on a line that carries 23.5 Gbit/s of payload:

    >>> from netmodel.transport import propagation_round_trip_s
    >>> stream = tcp_throughput(23.5e9, propagation_round_trip_s(35e3), 2**18)
    >>> stream.limit, round(stream.payload_rate_bps / 1e9, 2)
    ('window', 6.12)
    """
    is_short, is_clean = round_trip_s == 0, loss_event_ratio == 0
    # where nothing is lost or nothing takes time, any value will do: the limit is infinite there
    trip_s, p = where(is_short, 1, round_trip_s), where(is_clean, 1, loss_event_ratio)
    window_bps = BITS_PER_BYTE * flow_count * window_bytes / trip_s
    window_bps = where(is_short, math.inf, window_bps)
    loss_bps = flow_count * cubic_payload_rate_bps(segment_bytes, trip_s, p)
    loss_bps = where(is_short | is_clean, math.inf, loss_bps)
    payload_bps = minimum(minimum(path_rate_bps, window_bps), loss_bps)
    return _of_one_shape(payload_bps, path_rate_bps, window_bps, loss_bps)


@domain("round_trip_s >= 0")
def rdma_throughput(
    path_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    window_bytes: Q | Number,
    loss_ratio: Q | Number = 0,
    flow_count: Q | Number = 1,
    rdma_mtu_bytes: Q | Number = RDMA_MTU_BYTES,
) -> StreamThroughput[Q]:
    r"""
    Payload rate of streams over SMC-R, and whether line, buffer or loss limits it.

    Parameters
    ----------
    path_rate_bps : float or array_like
        Payload rate of the path, all flows together, if neither buffers nor
        loss matter. [bit/s]
    round_trip_s : float or array_like
        From a write to the news that its place in the buffer is free; 0 leaves
        the line and lost packets alone. [s]
    window_bytes : float or array_like
        Element of the peer's memory buffer (RMBE) of each flow. [byte]
    loss_ratio : float or array_like
        Lost packets over packets, at least 0 and below 1.
    flow_count : float or array_like
        Flows with a buffer each, which share the path.
    rdma_mtu_bytes : float or array_like
        Payload of a packet, the RDMA MTU. [byte]

    Returns
    -------
    throughput : StreamThroughput
        Rates of all flows together, each of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the rate, the window or the packet is not above zero, the round trip
        is negative, the ratio is not at least 0 and below 1, there is less
        than one flow, or an argument is infinite.

    Notes
    -----
    Line and buffer as of :func:`tcp_throughput`, and what they leave is the rate
    of :func:`go_back_n_payload_rate_bps`. Loss alone would allow

    .. math:: X_p = \frac{8\, N\, L\, (1 - p)}{p\, r}

    which is the limit of that rate for a line without end. As it adds to the
    time of each packet, the rate is below the smallest limit wherever something
    is lost: by half where two are equal.

    References
    ----------
    RFC 7609 for the buffer; D. Bertsekas and R. Gallager, "Data networks", 2nd
    edition (1992), section 2.4, for go-back-N.

    Examples
    --------
    An element of 64 KiB over 10 km of fibre, on a line that carries 9.4 Gbit/s:

    >>> stream = rdma_throughput(9.4e9, 0.097948e-3, 65536)
    >>> stream.limit, round(stream.payload_rate_bps / 1e9, 4)
    ('window', 5.3527)
    """
    is_short, lost_s = round_trip_s == 0, loss_ratio * round_trip_s
    trip_s, some_lost_s = where(is_short, 1, round_trip_s), where(lost_s == 0, 1, lost_s)
    window_bps = BITS_PER_BYTE * flow_count * window_bytes / trip_s
    window_bps = where(is_short, math.inf, window_bps)
    loss_bps = BITS_PER_BYTE * flow_count * rdma_mtu_bytes * (1 - loss_ratio) / some_lost_s
    loss_bps = where(lost_s == 0, math.inf, loss_bps)
    each_bps = minimum(path_rate_bps, window_bps) / flow_count
    one_bps = go_back_n_payload_rate_bps(each_bps, round_trip_s, loss_ratio, rdma_mtu_bytes)
    return _of_one_shape(flow_count * one_bps, path_rate_bps, window_bps, loss_bps)


def _of_one_shape(*rates: Any) -> StreamThroughput[Any]:
    """Return a throughput whose rates all have the shape of the result."""
    if not any(map(is_array, rates)):
        return StreamThroughput(*rates)
    return StreamThroughput(*map(np.array, np.broadcast_arrays(*rates)))
