"""Requests and responses of two protocols over distance, from calibrated times at both ends."""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from netmodel._dataclasses import dataclass
from netmodel._display import short_repr
from netmodel._estimates import Predicted
from netmodel._numeric import FloatOrArray, Floats, QuantityLike, require_above, require_at_least
from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.framing import parse_stack
from netmodel.records import adapter as adapter_record
from netmodel.records._transports import transport_record
from netmodel.transport import slow_start_round_count
from netmodel.units._format import window_text
from netmodel.units._prefixes import BITS_PER_BYTE, MICRO

if TYPE_CHECKING:
    from netmodel.records._transports import Protocol, TransportRecord


class Amounts(NamedTuple):
    """
    What a request and its response take of a protocol's times.

    Parameters
    ----------
    frame_count, payload_bytes : float or numpy.ndarray
        Of both messages together.
    wire_s : float or numpy.ndarray
        Time of their frames on the line. [s]
    """

    frame_count: FloatOrArray
    payload_bytes: FloatOrArray
    wire_s: FloatOrArray


def amounts(
    protocol: "Protocol", request_bytes: QuantityLike, response_bytes: QuantityLike
) -> Amounts:
    """What a request and its response take of the times of a protocol."""
    stack = parse_stack(protocol.stack)
    line_rate_bps = adapter_record(protocol.adapter).line_rate_bps
    sizes = [
        require_above(name, size, 0, "byte")
        for name, size in (("request_bytes", request_bytes), ("response_bytes", response_bytes))
    ]
    frames = [stack.message_frame_count(size, protocol.mtu_bytes) for size in sizes]
    wire_bytes = [stack.message_wire_bytes(size, protocol.mtu_bytes) for size in sizes]
    return Amounts(
        frames[0] + frames[1],
        sizes[0] + sizes[1],
        (wire_bytes[0] + wire_bytes[1]) * BITS_PER_BYTE / line_rate_bps,
    )


@dataclass(frozen=True)
class TransportTimes:
    r"""
    Transaction times of two protocols over distance, with the range that published figures leave.

    Parameters
    ----------
    record : TransportRecord
        Calibrated from ratios over known distances: its statements, the cases
        that they are of, and the corners of the set of times that they allow.

    Notes
    -----
    .. math:: T(r) = L + k\, r, \qquad L = t_0 + n_f t_f + n_b t_b + t_w

    with the round trip :math:`r`, :math:`k` round trips for each transaction, and the endpoint
    time :math:`L`: a time for each transaction, for each of :math:`n_f` frames and
    :math:`n_b` byte, and the time :math:`t_w` of the frames on the line. Sums of these parameters
    are linear, and ratios of them monotonic along each edge of the set that the statements
    allow: its corners hold the ends of every range, exactly. The gain
    :math:`e = 1 - T / T_0 = (L_0 - L) / (L_0 + r)` has a reciprocal that is linear in the
    round trip, so it falls to a share :math:`e` at :math:`r = (L_0 - L) / e - L_0`.

    Examples
    --------
    Time of a transaction of 1 KiB each way beside the round trip, with TCP:

    >>> from netmodel.path import transport_times
    >>> endpoint = transport_times("roce-express-10gbe").endpoint_time_s("tcp", 1024, 1024)
    >>> endpoint.low < 100e-6 < endpoint.high
    True
    """

    record: "TransportRecord"

    def __repr__(self) -> str:
        record = self.record
        return short_repr(self, f"{record.compared} and {record.baseline}", record.title)

    def endpoint_time_s(
        self, protocol: str, request_bytes: QuantityLike, response_bytes: QuantityLike
    ) -> Predicted[FloatOrArray]:
        """Time of a transaction beside the round trip: hosts, adapters and the line. [s]"""
        return _over_corners(self._endpoint_s(protocol, request_bytes, response_bytes))

    def transaction_time_s(
        self,
        protocol: str,
        request_bytes: QuantityLike,
        response_bytes: QuantityLike,
        round_trip_s: QuantityLike,
        round_trip_count: QuantityLike = 1,
    ) -> Predicted[FloatOrArray]:
        """Time of a transaction that takes this many round trips of propagation. [s]"""
        count = require_at_least("round_trip_count", round_trip_count, 1, "")
        travel_s = _travel_s(round_trip_s, count)
        return _over_corners(self._endpoint_s(protocol, request_bytes, response_bytes) + travel_s)

    def round_trip_count(
        self,
        protocol: str,
        request_bytes: QuantityLike,
        response_bytes: QuantityLike,
        window_bytes: QuantityLike,
        first_window_bytes: QuantityLike | None = None,
    ) -> FloatOrArray:
        """
        Round trips of a transaction: one, and one for each further window that a message waits for.

        The window is what the receiver takes at once: of TCP its buffer, of SMC-R the memory
        buffer (RMBE), which a CDC message reports as read. After an idle time or in a new
        connection, TCP begins with a smaller one, which doubles each round trip.
        """
        window = require_at_least("window_bytes", window_bytes, 1, "byte")
        first = window if first_window_bytes is None else first_window_bytes
        if first_window_bytes is not None and "smcr" in self._protocol(protocol).stack:
            raise DomainError(f"first_window_bytes: {protocol} has no window that grows")
        # rounds of windows in bytes: each message's last window takes no answer of its own
        request, response = (
            slow_start_round_count(size, first, 1, window)
            for size in (request_bytes, response_bytes)
        )
        return request + response - 1

    def time_ratio(
        self,
        request_bytes: QuantityLike,
        response_bytes: QuantityLike,
        round_trip_s: QuantityLike,
        round_trip_count: QuantityLike = 1,
        baseline_round_trip_count: QuantityLike = 1,
    ) -> Predicted[FloatOrArray]:
        """Transaction time over that of the baseline; the gain is what it lacks to 1."""
        counts = (
            require_at_least(name, count, 1, "")
            for name, count in (
                ("round_trip_count", round_trip_count),
                ("baseline_round_trip_count", baseline_round_trip_count),
            )
        )
        own_s, baseline_s = (
            endpoint_s + _travel_s(round_trip_s, count)
            for endpoint_s, count in zip(
                self._both_s(request_bytes, response_bytes), counts, strict=True
            )
        )
        return _over_corners(own_s / baseline_s)

    def crossover_round_trip_s(
        self, gain_ratio: QuantityLike, request_bytes: QuantityLike, response_bytes: QuantityLike
    ) -> Predicted[FloatOrArray]:
        """Round trip at which the gain falls to a share; 0 where it is always below. [s]"""
        gain_ratio = require_above("gain_ratio", gain_ratio, 0, "")
        share = np.asarray(gain_ratio, dtype=float)[..., None]
        own_s, baseline_s = self._both_s(request_bytes, response_bytes)
        return _over_corners(np.maximum((baseline_s - own_s) / share - baseline_s, 0))

    def notes(self, request_bytes: float, response_bytes: float) -> tuple[str, ...]:
        """What the published figures do not cover, most important first."""
        low, high = self.record.message_low_bytes, self.record.message_high_bytes
        counts = " or ".join(map(str, self.record.connection_counts))
        notes = [
            f'published gains are "up to", of runs with {counts} connections: others gain less'
        ]
        if not all(low <= size <= high for size in (request_bytes, response_bytes)):
            sizes = f"{window_text(low)} to {window_text(high)}"
            notes.insert(0, f"extrapolated: the published messages have {sizes}")
        return tuple(notes)

    @cached_property
    def _parameters_s(self) -> dict[str, Floats]:
        """Times of each protocol, by parameter and corner; the mean of all corners first."""
        corners = np.array(self.record.corners, dtype=float) * MICRO
        rows = np.vstack([corners.mean(axis=0), corners]).T
        return dict(zip(self.record.protocols, np.split(rows, 2), strict=True))

    def _protocol(self, name: str) -> "Protocol":
        if name not in self.record.protocols:
            known = ", ".join(self.record.protocols)
            raise DomainError(f"protocol must be one of {known}; got {name!r}")
        return self.record.protocols[name]

    def _both_s(
        self, request_bytes: QuantityLike, response_bytes: QuantityLike
    ) -> tuple[Floats, Floats]:
        """Endpoint times of the compared protocol and of the baseline."""
        names = self.record.compared, self.record.baseline
        own_s, baseline_s = (
            self._endpoint_s(name, request_bytes, response_bytes) for name in names
        )
        return own_s, baseline_s

    def _endpoint_s(
        self, protocol: str, request_bytes: QuantityLike, response_bytes: QuantityLike
    ) -> Floats:
        """Endpoint times, with an axis of corners behind those of the sizes."""
        of_each = amounts(self._protocol(protocol), request_bytes, response_bytes)
        fixed_s, per_frame_s, per_byte_s = self._parameters_s[protocol]
        frames, payload_bytes, wire_s = (np.asarray(each, float)[..., None] for each in of_each)
        return np.asarray(fixed_s + frames * per_frame_s + payload_bytes * per_byte_s + wire_s)


def transport_times(adapter: str | None = None) -> TransportTimes:
    """
    Transaction times of two protocols over distance.

    Parameters
    ----------
    adapter : str, optional
        Id of an adapter that one of both was measured with; any when left out.

    Returns
    -------
    times : TransportTimes
        Of a transaction with each protocol, with the range that published gains leave.

    Raises
    ------
    UnknownRecordError
        If there is no record of the adapter; names what there is.

    Examples
    --------
    Gain of SMC-R over TCP with messages of 1 KiB, over 50 km of fibre, in per cent:

    >>> from netmodel.path import transport_times
    >>> times = transport_times("roce-express-10gbe")
    >>> ratio = times.time_ratio(1024, 1024, 489.7e-6)
    >>> [round(100 * (1 - end)) for end in (ratio.high, ratio.value, ratio.low)]
    [15, 16, 17]
    """
    return TransportTimes(transport_record(adapter))


def _travel_s(round_trip_s: QuantityLike, count: FloatOrArray) -> Floats:
    """Round trips of a transaction, with an axis for corners behind their own."""
    round_trip_s = require_at_least("round_trip_s", round_trip_s, 0, "s")
    return np.asarray(round_trip_s * count, dtype=float)[..., None]


def _over_corners(values: Floats) -> Predicted[FloatOrArray]:
    """Range over the corners of the last axis; the quoted value stands first."""
    value, low, high = values[..., 0], values[..., 1:].min(axis=-1), values[..., 1:].max(axis=-1)
    if values.ndim == 1:
        return Predicted(float(value), float(low), float(high))
    return Predicted(value, low, high)
