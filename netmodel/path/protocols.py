"""Requests and responses of two protocols over distance, from calibrated times at both ends."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from netmodel.errors import DomainError
from netmodel.estimates import Predicted
from netmodel.framing import parse_stack
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    Floats,
    QuantityLike,
    maximum,
    require_above,
    require_at_least,
)
from netmodel.records import adapter as adapter_record
from netmodel.records.transports import PARAMETERS, transport_record
from netmodel.results import short_repr
from netmodel.text import span_text
from netmodel.units.formatting import window_text
from netmodel.units.prefixes import BITS_PER_BYTE, MICRO

if TYPE_CHECKING:
    from netmodel.records.transports import Protocol, TransportRecord

_DELAY_DIGITS = 3
"""Of a delay that figures of two or three digits leave."""
_EQUIPMENT = "equipment"
"""Delays of equipment, beside the times of each protocol."""
_EXACT_RATIO = 1 - 1e-12
"""Of two times that differ by rounding only."""


class Amounts(NamedTuple):
    """
    What a request and its response take of a protocol's times.

    Parameters
    ----------
    frame_count, payload_bytes : float or numpy.ndarray
        Of both messages together.
    wire_s : float or numpy.ndarray
        Time of their frames on the line. [s]
    busiest_wire_s : float or numpy.ndarray
        Time of the frames of the direction that has more of it: the line carries no more than
        one transaction in that time. [s]
    """

    frame_count: FloatOrArray
    payload_bytes: FloatOrArray
    wire_s: FloatOrArray
    busiest_wire_s: FloatOrArray


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
    wire_s = [
        stack.message_wire_bytes(size, protocol.mtu_bytes) * BITS_PER_BYTE / line_rate_bps
        for size in sizes
    ]
    return Amounts(
        frames[0] + frames[1], sizes[0] + sizes[1], wire_s[0] + wire_s[1], maximum(*wire_s)
    )


@dataclass(frozen=True)
class TransportTimes:
    r"""
    Transaction times of two protocols over distance, with the range that published figures leave.

    Parameters
    ----------
    record : TransportRecord
        Calibrated from printed ratios over known distances: the corners of the set of times that
        they allow.

    Notes
    -----
    .. math:: T(r) = \max(L + r,\; N t_l), \qquad L = t_0 + n_f t_f + n_b t_b + t_w

    with the round trip :math:`r` and the endpoint time :math:`L`: a time for each transaction, for
    each of :math:`n_f` frames and :math:`n_b` byte, and the time :math:`t_w` of the frames on the
    line. Of :math:`N` connections the line carries one transaction in the time :math:`t_l` of the
    direction with more frames: then each waits for the others. Sums of these parameters are
    linear, and ratios of them monotonic along each edge of the set: its corners hold the ends of
    every range, exactly but where the line begins to limit within the set.

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
        connection_count: QuantityLike | None = None,
    ) -> Predicted[FloatOrArray]:
        """
        Time of a transaction over this round trip of propagation. [s]

        With a number of connections, no shorter than the line takes for one transaction of each.
        """
        sizes = request_bytes, response_bytes
        time_s = self._endpoint_s(protocol, *sizes) + _travel_s(round_trip_s)
        return _over_corners(np.maximum(time_s, self._line_s(protocol, *sizes, connection_count)))

    def time_ratio(
        self,
        request_bytes: QuantityLike,
        response_bytes: QuantityLike,
        round_trip_s: QuantityLike,
        connection_count: QuantityLike | None = None,
    ) -> Predicted[FloatOrArray]:
        """
        Transaction time over that of the baseline; the gain is what it lacks to 1.

        With a number of connections, neither is shorter than the line allows.
        """
        sizes = request_bytes, response_bytes
        times_s = zip(self._both_s(*sizes), self._lines_s(*sizes, connection_count), strict=True)
        own_s, baseline_s = (
            np.maximum(endpoint_s + _travel_s(round_trip_s), line_s)
            for endpoint_s, line_s in times_s
        )
        return _over_corners(own_s / baseline_s)

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
        for km in self.record.equipment_km:
            low_s, *_, high_s = sorted(self._equipment_s(km)[1:])
            ends = (f"{float(end) / MICRO:.{_DELAY_DIGITS}g}" for end in (low_s, high_s))
            delay = f"{span_text(*ends)} µs of equipment"
            notes.append(f"figures at {km} km include {delay}; the model counts none")
        return tuple(notes)

    @cached_property
    def _parameters_s(self) -> dict[str, Floats]:
        """Times of each protocol, by parameter and corner; the mean of all corners first."""
        corners = np.array(self.record.corners, dtype=float) * MICRO
        rows = np.vstack([corners.mean(axis=0), corners]).T
        parts = np.split(rows, (len(PARAMETERS), 2 * len(PARAMETERS)))
        return dict(zip((*self.record.protocols, _EQUIPMENT), parts, strict=True))

    def _equipment_s(self, distance_km: Decimal | None) -> Floats:
        """Delay of equipment in runs over a length of fibre, by corner; else none."""
        known = self.record.equipment_km
        rows = self._parameters_s[_EQUIPMENT]
        return rows[known.index(distance_km)] if distance_km in known else np.zeros(rows.shape[1])

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

    def _lines_s(
        self,
        request_bytes: QuantityLike,
        response_bytes: QuantityLike,
        connection_count: QuantityLike | None,
    ) -> tuple[Floats, Floats]:
        """What the lines take for a transaction of each connection, in the order of `_both_s`."""
        sizes = request_bytes, response_bytes
        names = self.record.compared, self.record.baseline
        own_s, baseline_s = (self._line_s(name, *sizes, connection_count) for name in names)
        return own_s, baseline_s

    def _line_s(
        self,
        protocol: str,
        request_bytes: QuantityLike,
        response_bytes: QuantityLike,
        connection_count: QuantityLike | None,
    ) -> Floats:
        """What the line takes for a transaction of each connection; 0 without a number of them."""
        count = 0 if connection_count is None else connection_count
        count = require_at_least("connection_count", count, 0, "")
        of_each = amounts(self._protocol(protocol), request_bytes, response_bytes)
        return np.asarray(count * of_each.busiest_wire_s, dtype=float)[..., None]

    def _endpoint_s(
        self, protocol: str, request_bytes: QuantityLike, response_bytes: QuantityLike
    ) -> Floats:
        """Endpoint times, with an axis of corners behind those of the sizes."""
        of_each = amounts(self._protocol(protocol), request_bytes, response_bytes)
        fixed_s, per_frame_s, per_byte_s = self._parameters_s[protocol]
        frames, payload_bytes, wire_s, _ = (np.asarray(each, float)[..., None] for each in of_each)
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
    [15, 17, 18]
    """
    return TransportTimes(transport_record(adapter))


def _travel_s(round_trip_s: QuantityLike) -> Floats:
    """Round trip of a transaction, with an axis for corners behind its own."""
    trip_s = require_at_least("round_trip_s", round_trip_s, 0, "s")
    return np.asarray(trip_s, dtype=float)[..., None]


def _over_corners(values: Floats) -> Predicted[FloatOrArray]:
    """Range over the corners of the last axis; the quoted value stands first."""
    low, high = values[..., 1:].min(axis=-1), values[..., 1:].max(axis=-1)
    value = np.clip(values[..., 0], low, high)
    if values.ndim == 1:
        return Predicted(float(value), float(low), float(high))
    return Predicted(value, low, high)
