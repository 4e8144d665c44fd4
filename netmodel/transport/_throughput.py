"""What limits a stream over distance: the line, its windows, or loss."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic

from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    Number,
    Q,
    Q_co,
    maximum,
    minimum,
    require_above,
    require_at_least,
    require_below,
    require_member,
    require_within,
    where,
)
from netmodel.results import Result, short_repr
from netmodel.text import SENTENCE_DIGITS
from netmodel.transport._cubic import cubic_payload_rate_bps, reno_window_segment_count
from netmodel.transport._loss import pftk_payload_rate_bps, retransmission_timeout_s
from netmodel.transport._rdma import go_back_n_payload_rate_bps
from netmodel.transport._window import MAX_WINDOW_BYTES
from netmodel.units import BITS_PER_BYTE, format_rate

COMMON_SEGMENT_BYTES = 1448
"""Payload of a TCP segment with timestamps at an MTU of 1500. [byte]"""

RDMA_MTU_BYTES = 1024
"""RDMA MTU that fits an Ethernet MTU of 1500 (IBTA, RoCE annex A16). [byte]"""

_ANY_LOSS = 0.5
"""A loss that any response takes, in place of none."""


class LossResponse(Enum):
    """How a flow answers to loss."""

    CUBIC = "cubic"
    """RFC 9438, the default of Linux: never slower than Reno. Without timeouts."""
    RENO = "reno"
    """RFC 5681, as the square-root law. Without timeouts."""
    PFTK = "pftk"
    """Reno with the timeouts of Linux, without selective acknowledgements: a low estimate."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class StreamThroughput(Result, Generic[Q_co]):
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
    >>> stream.limit, round(stream.payload_rate_bps / 1e9, 2), round(stream.margins["loss"], 2)
    ('window', 5.24, 1.0)
    """

    payload_rate_bps: Q_co
    line_rate_bps: Q_co
    window_rate_bps: Q_co
    loss_rate_bps: Q_co

    json_keys = "payload_rate_bps line_rate_bps window_rate_bps loss_rate_bps limit margins"

    @property
    def limit(self) -> "str | np.ndarray[Any, np.dtype[np.str_]]":
        """``line``, ``window`` or ``loss``, the first of the smallest; ``unknown`` of NaN."""
        line, window, loss = self._rates()
        if isinstance(line, float | int):
            if math.isnan(self.payload_rate_bps):
                return "unknown"
            if line <= window and line <= loss:
                return "line"
            return "window" if window <= loss else "loss"
        is_line = (line <= window) & (line <= loss)
        names = np.where(is_line, "line", np.where(window <= loss, "window", "loss"))
        return np.where(np.isnan(self.payload_rate_bps), "unknown", names)

    @property
    def margins(self) -> dict[str, FloatOrArray]:
        """Unused share of each limit: one less the rate over it; 1 for one that limits nothing."""
        line, window, loss = (1 - self.payload_rate_bps / rate for rate in self._rates())
        return {"line": line, "window": window, "loss": loss}

    def _rates(self) -> tuple[Any, Any, Any]:
        return self.line_rate_bps, self.window_rate_bps, self.loss_rate_bps

    def __repr__(self) -> str:
        if not isinstance(self.payload_rate_bps, float | int):
            return f"<StreamThroughput of {np.size(self.payload_rate_bps):,} cases>"
        rate_bps = self.payload_rate_bps
        rate = format_rate(rate_bps, SENTENCE_DIGITS) if math.isfinite(rate_bps) else f"{rate_bps}"
        return short_repr(self, rate, f"limited by {self.limit}")


def tcp_throughput(
    path_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    window_bytes: Q | Number = MAX_WINDOW_BYTES,
    loss_event_ratio: Q | Number = 0,
    flow_count: Q | Number = 1,
    segment_bytes: Q | Number = COMMON_SEGMENT_BYTES,
    response: LossResponse = LossResponse.CUBIC,
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
        Payload that each flow may have in flight, see
        :func:`effective_window_bytes`. [byte]
    loss_event_ratio : float or array_like
        Loss events over segments, from 0 to 1; at 0 loss does not limit.
    flow_count : float or array_like
        Flows with a window each, which share the path.
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    response : LossResponse
        How each flow answers to loss.

    Returns
    -------
    throughput : StreamThroughput
        Rates of all flows together, each of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the rate, the window or the segment is not above zero, the round
        trip is negative, the ratio is not from 0 to 1, there is less than one
        flow, an argument is infinite, or the response is none.

    Notes
    -----
    .. math:: X = \min(R,\; 8\, N\, W / r,\; N\, X_p)

    with :math:`X_p` of :func:`cubic_payload_rate_bps`, of Reno with the window
    of :func:`reno_window_segment_count`, or of :func:`pftk_payload_rate_bps` with
    the timeout of :func:`retransmission_timeout_s`. The last takes the window
    into its mean, so that the rate may be below all three limits.

    Long streams, in the mean: the limits are sharp here, and a real flow is
    below the smallest where two are close. A flow with pacing and a model of
    the path, such as BBR, does not follow the loss limit.

    References
    ----------
    RFC 6349, section 3.3.1, for the windows; RFC 9438 and Padhye et al. (2000)
    for loss.

    Examples
    --------
    256 KiB over 35 km of fibre, on a line that carries 23.5 Gbit/s of payload:

    >>> from netmodel.transport import propagation_round_trip_s
    >>> stream = tcp_throughput(23.5e9, propagation_round_trip_s(35e3), 2**18)
    >>> stream.limit, round(stream.payload_rate_bps / 1e9, 2)
    ('window', 6.12)
    """
    path_rate_bps = require_above("path_rate_bps", path_rate_bps, 0, "bit/s")
    trip_s = require_at_least("round_trip_s", round_trip_s, 0, "s")
    window_bytes = require_above("window_bytes", window_bytes, 0, "byte")
    p = require_within("loss_event_ratio", loss_event_ratio, 0, 1, "")
    flow_count = require_at_least("flow_count", flow_count, 1, "")
    segment_bytes = require_above("segment_bytes", segment_bytes, 0, "byte")
    require_member("response", response, LossResponse)
    # where nothing is lost or nothing takes time, any value will do: the limit is infinite there
    some_p, some_trip_s = where(p == 0, _ANY_LOSS, p), where(trip_s == 0, 1, trip_s)
    window_bps = BITS_PER_BYTE * flow_count * window_bytes / some_trip_s
    received_bps: Q | float = math.inf
    if response is LossResponse.PFTK:
        timeout_s = retransmission_timeout_s(trip_s)
        segments = maximum(window_bytes / segment_bytes, 1)
        loss_bps = pftk_payload_rate_bps(segment_bytes, some_trip_s, timeout_s, some_p)
        received_bps = flow_count * pftk_payload_rate_bps(
            segment_bytes, some_trip_s, timeout_s, p, 1, segments
        )
    elif response is LossResponse.RENO:
        loss_bps = BITS_PER_BYTE * segment_bytes * reno_window_segment_count(some_p) / some_trip_s
    else:
        loss_bps = cubic_payload_rate_bps(segment_bytes, some_trip_s, some_p)
    window_bps = where(trip_s == 0, math.inf, window_bps)
    loss_bps = where((trip_s == 0) | (p == 0), math.inf, flow_count * loss_bps)
    payload_bps = minimum(minimum(path_rate_bps, window_bps), loss_bps)
    payload_bps = minimum(payload_bps, where(trip_s == 0, math.inf, received_bps))
    return _throughput(payload_bps, path_rate_bps, window_bps, loss_bps)


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
    path_rate_bps = require_above("path_rate_bps", path_rate_bps, 0, "bit/s")
    trip_s = require_at_least("round_trip_s", round_trip_s, 0, "s")
    window_bytes = require_above("window_bytes", window_bytes, 0, "byte")
    p = require_at_least("loss_ratio", loss_ratio, 0, "")
    p = require_below("loss_ratio", p, 1, "")
    flow_count = require_at_least("flow_count", flow_count, 1, "")
    rdma_mtu_bytes = require_above("rdma_mtu_bytes", rdma_mtu_bytes, 0, "byte")
    lost_s = p * trip_s
    some_trip_s, some_lost_s = where(trip_s == 0, 1, trip_s), where(lost_s == 0, 1, lost_s)
    window_bps = BITS_PER_BYTE * flow_count * window_bytes / some_trip_s
    window_bps = where(trip_s == 0, math.inf, window_bps)
    loss_bps = BITS_PER_BYTE * flow_count * rdma_mtu_bytes * (1 - p) / some_lost_s
    loss_bps = where(lost_s == 0, math.inf, loss_bps)
    each_bps = minimum(path_rate_bps, window_bps) / flow_count
    payload_bps = flow_count * go_back_n_payload_rate_bps(each_bps, trip_s, p, rdma_mtu_bytes)
    return _throughput(payload_bps, path_rate_bps, window_bps, loss_bps)


def _throughput(*rates: Q | float) -> StreamThroughput[Q]:
    """The result, all of its rates of one shape."""
    each: tuple[Any, ...] = rates
    if all(isinstance(rate, float | int) for rate in each):
        return StreamThroughput(*each)
    shape = np.broadcast_shapes(*map(np.shape, each))
    of_one_shape: Any = [np.broadcast_to(rate, shape).copy() for rate in each]
    return StreamThroughput(*of_one_shape)


def _plain(rate: FloatOrArray) -> object:
    """A float, a list of them, and None for infinity."""
    if isinstance(rate, float | int):
        return None if rate == math.inf else rate
    return [_plain(each) for each in rate.tolist()] if rate.ndim == 1 else [*map(_plain, rate)]
