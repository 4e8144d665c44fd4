"""Requests and responses of two protocols over distance, from calibrated times at both ends."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from netmodel.errors import DomainError
from netmodel.estimates import Predicted
from netmodel.framing import parse_stack
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    Floats,
    QuantityLike,
    is_array,
    maximum,
    require_above,
    require_at_least,
)
from netmodel.path.over_distance import DISTANCE_STAGE, WINDOW_ROUNDS, is_lossy
from netmodel.path.prediction import Prediction
from netmodel.path.response import expected_of_rate
from netmodel.path.stages import Distance
from netmodel.records import adapter as adapter_record
from netmodel.records.transports import PARAMETERS, transport_records
from netmodel.text import span_text
from netmodel.units.formatting import window_text
from netmodel.units.prefixes import BITS_PER_BYTE, MICRO

if TYPE_CHECKING:
    from netmodel.records import Adapter
    from netmodel.records.transports import Protocol, TransportRecord

_DELAY_DIGITS = 3
"""Of a delay that figures of two or three digits leave."""


def amounts(
    protocol: "Protocol", request_bytes: QuantityLike, response_bytes: QuantityLike
) -> tuple[FloatOrArray, ...]:
    """
    Return the frames, payload and line time of a request and its response.

    Frames and payload of both messages together, the time of their frames on the line, and that of
    the direction that has more of it: the line carries no more than one transaction in that time.
    """
    stack, mtu_bytes = parse_stack(protocol.stack), protocol.mtu_bytes
    line_bytes_s = adapter_record(protocol.adapter).line_rate_bps / BITS_PER_BYTE
    there = require_above("request_bytes", request_bytes, 0, "byte")
    back = require_above("response_bytes", response_bytes, 0, "byte")
    wires_s = [stack.message_wire_bytes(size, mtu_bytes) / line_bytes_s for size in (there, back)]
    frame_count = sum(stack.message_frame_count(size, mtu_bytes) for size in (there, back))
    return frame_count, there + back, sum(wires_s), maximum(*wires_s)


def transaction_time_s(
    record: "TransportRecord",
    protocol: str,
    request_bytes: QuantityLike,
    response_bytes: QuantityLike,
    round_trip_s: QuantityLike = 0,
    connection_count: QuantityLike = 0,
) -> Predicted[FloatOrArray]:
    r"""
    Return the time of a transaction over a propagation round trip, with its range. [s]

    Parameters
    ----------
    record : TransportRecord
        Calibrated from printed ratios over known distances: the corners of the set of times that
        they allow, as `netmodel.records.transports.transport_records` reads it.
    protocol : str
        One of its protocols.
    request_bytes, response_bytes : float or array_like
        Payload there and back. [byte]
    round_trip_s : float or array_like
        Of propagation. [s]
    connection_count : float or array_like
        Connections that share the line, which takes its time for a transaction of each.

    Returns
    -------
    time : Predicted
        No shorter than the line takes for one transaction of each connection.

    Raises
    ------
    DomainError
        If the record has no such protocol, or a number cannot be.

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

    >>> from netmodel.records.transports import transport_records
    >>> endpoint = transaction_time_s(transport_records()[0], "tcp", 1024, 1024)
    >>> endpoint.low < 100e-6 < endpoint.high
    True
    """
    given = request_bytes, response_bytes, round_trip_s, connection_count
    return _over_corners(_times_s(record, protocol, *given))


def time_ratio(
    record: "TransportRecord",
    request_bytes: QuantityLike,
    response_bytes: QuantityLike,
    round_trip_s: QuantityLike,
    connection_count: QuantityLike = 0,
) -> Predicted[FloatOrArray]:
    """
    Return the transaction time over that of the baseline; 1 less this ratio is the gain.

    Parameters
    ----------
    record : TransportRecord
        Of two protocols.
    request_bytes, response_bytes : float or array_like
        Payload there and back. [byte]
    round_trip_s : float or array_like
        Of propagation. [s]
    connection_count : float or array_like
        Connections that share the line: neither time is shorter than the line allows.

    Returns
    -------
    ratio : Predicted
        With the range that published gains leave.

    Examples
    --------
    Gain of SMC-R over TCP with messages of 1 KiB, over 50 km of fibre, in per cent:

    >>> from netmodel.records.transports import transport_records
    >>> ratio = time_ratio(transport_records()[0], 1024, 1024, 489.7e-6)
    >>> [round(100 * (1 - end)) for end in (ratio.high, ratio.value, ratio.low)]
    [15, 17, 18]
    """
    given = request_bytes, response_bytes, round_trip_s, connection_count
    names = record.compared, record.baseline
    own_s, baseline_s = (_times_s(record, name, *given) for name in names)
    return _over_corners(own_s / baseline_s)


def notes_of_times(
    record: "TransportRecord", request_bytes: float, response_bytes: float
) -> tuple[str, ...]:
    """Return what the published figures do not cover, most important first."""
    low, high = record.message_low_bytes, record.message_high_bytes
    counts = " or ".join(map(str, record.connection_counts))
    notes = [f'published gains are "up to" figures of {counts} connections: others gain less']
    if not all(low <= size <= high for size in (request_bytes, response_bytes)):
        sizes = f"{window_text(low)} to {window_text(high)}"
        notes.insert(0, f"extrapolated: the published messages have {sizes}")
    # delays of equipment stand behind the times of the protocols
    rows = _corners_s(record)[len(record.protocols) * len(PARAMETERS) :]
    for km, delays_s in zip(record.equipment_km, rows, strict=True):
        ends = (delays_s.min(), delays_s.max())
        texts = (f"{float(end) / MICRO:.{_DELAY_DIGITS}g}" for end in ends)
        delay = f"{span_text(*texts)} µs of equipment"
        notes.append(f"figures at {km} km include {delay}; the model counts none")
    return tuple(notes)


def _corners_s(record: "TransportRecord") -> Floats:
    """Return a row for each parameter, a column for each corner; the mean of all corners first."""
    corners = np.array(record.corners, dtype=float) * MICRO
    rows: Floats = np.vstack([corners.mean(axis=0), corners]).T
    return rows


def _times_s(record: "TransportRecord", protocol: str, *given: QuantityLike) -> Floats:
    """Return transaction times, with an axis of corners behind those of the arguments."""
    request_bytes, response_bytes, round_trip_s, connection_count = given
    names = [*record.protocols]
    if protocol not in names:
        raise DomainError(f"protocol must be one of {', '.join(names)}; got {protocol!r}")
    first = names.index(protocol) * len(PARAMETERS)
    fixed_s, per_frame_s, per_byte_s = _corners_s(record)[first : first + len(PARAMETERS)]
    *taken, line_s = amounts(record.protocols[protocol], request_bytes, response_bytes)
    taken.append(require_at_least("round_trip_s", round_trip_s, 0, "s"))
    taken.append(require_at_least("connection_count", connection_count, 0, "") * line_s)
    frames, payload_bytes, wire_s, trip_s, lines_s = (
        np.asarray(each, dtype=float)[..., np.newaxis] for each in taken
    )
    ends_s = fixed_s + frames * per_frame_s + payload_bytes * per_byte_s + wire_s
    return np.asarray(np.maximum(ends_s + trip_s, lines_s))


def _over_corners(values: Floats) -> Predicted[FloatOrArray]:
    """Return the range over the corners of the last axis, of which the first is quoted."""
    found = Predicted(values[..., 0], values.min(axis=-1), values.max(axis=-1))
    return found if values.ndim > 1 else found.numbers()


# ---- Expected values of predictions


def with_endpoint_times(
    prediction: Prediction, adapters: "tuple[Adapter | None, Adapter | None]", distance: Distance
) -> Prediction:
    """
    Return a prediction with the expected value that calibrated times at both ends give.

    Parameters
    ----------
    prediction : Prediction
        Of requests and responses between two sites, with as many connections as the calibrated
        runs had.
    adapters : tuple of Adapter or None
        Those of client and server.
    distance : Distance
        What lies between, with the protocol.

    Returns
    -------
    prediction : Prediction
        As it is where no record has this protocol with these adapters and connections.
    """
    traffic, trip_s = prediction.traffic, distance.round_trip_s
    count, sizes = traffic.connection_count, (traffic.request_bytes, traffic.response_bytes)
    numbers = (trip_s, count, *sizes, traffic.think_time_s, prediction.mtu_bytes)
    suits = traffic.waits and not any(each is None or is_array(each) for each in numbers)
    if not suits or not traffic.response_bytes or is_lossy(prediction.path):
        return prediction
    ids = {None if card is None else card.id for card in adapters}
    for record in transport_records():
        protocol = record.protocols.get(distance.protocol)
        if protocol is None or ids != {protocol.adapter} or count not in record.connection_counts:
            continue
        names = DISTANCE_STAGE, WINDOW_ROUNDS
        waits = [each for each in prediction.path.stages if each.name in names]
        delay_s = float(prediction.load.time_of(waits).quoted)
        whole_s = transaction_time_s(record, distance.protocol, *sizes, delay_s).numbers()
        rate = whole_s.mapped(lambda time_s: time_s + traffic.think_time_s).inverse(count)
        why = "endpoint times agree with the published gains"
        alone = "requests meet at the bottleneck alone"
        expected = partial(
            expected_of_rate, rate, prediction.transaction_rate_tps, traffic, why, alone
        )
        notes = [*notes_of_times(record, *map(float, sizes))]
        if prediction.mtu_bytes != protocol.mtu_bytes:
            known = f"expected value fitted at MTU {protocol.mtu_bytes}"
            notes.append(f"extrapolation: {known}; the nearest holds")
        path = replace(prediction.path, notes=(*prediction.path.notes, *notes))
        return replace(prediction, path=path, known_expected=Once(expected))
    return prediction
