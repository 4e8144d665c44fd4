"""What one transaction puts on each place of a path."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from netmodel._numeric import (
    Quantity,
    ceil,
    is_symbol,
    maximum,
    minimum,
    require_at_least,
    where,
)
from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.framing import SILENT_BYTES, Stack

__all__ = [
    "ByteLayer",
    "Counts",
    "Traffic",
    "counter",
    "is_at_most_one",
    "is_nothing",
    "shared_by",
]


class ByteLayer(Enum):
    """Which bytes count: the layers of ``netmodel ceiling --json`` by their numbers."""

    WIRE = 1
    """Frames with preamble, delimiter and gap."""
    FRAME = 2
    """Frames, destination address to check sequence."""
    PAYLOAD = 4
    """What the application sends."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """
    What connections exchange over and over: transactions, each a message one way or both ways.

    Parameters
    ----------
    request_bytes : float or array_like
        Payload from client to server in each transaction; 0 for none. [byte]
    response_bytes : float or array_like
        Payload from server to client in each transaction; 0 for none. [byte]
    connection_count : float or array_like, optional
        Connections at the same time; None where it is not known.
    waits : bool
        Whether a connection has one transaction at a time, as with requests
        and responses; a stream does not wait.
    shares_segments : bool
        Whether messages are written without a pause, so that one begins in
        the segment where the one before ends, as in a stream over TCP.
    think_time_s : float or array_like
        Time from a response to the next request. [s]
    segments_per_ack : float or array_like, optional
        Frames that one pure acknowledgement answers; None where messages of
        the other direction carry all acknowledgements, or they are not counted.

    Raises
    ------
    DomainError
        If a size, a count or a time is negative, a count is below 1, no side
        sends anything, or an array of sizes has zeros.

    Examples
    --------
    >>> Traffic(200, 30720, connection_count=50).payload_bytes
    30720
    """

    request_bytes: Quantity
    response_bytes: Quantity = 0
    connection_count: Quantity | None = None
    waits: bool = True
    shares_segments: bool = False
    think_time_s: Quantity = 0
    segments_per_ack: Quantity | None = None

    def __post_init__(self) -> None:
        for name in ("request_bytes", "response_bytes"):
            value = require_at_least(name, getattr(self, name), 0, "byte")
            if not is_nothing(value):
                require_at_least(name, value, 1, "byte")
            object.__setattr__(self, name, value)
        if is_nothing(self.request_bytes) and is_nothing(self.response_bytes):
            raise DomainError("request_bytes or response_bytes must be above 0 byte")
        for name in ("connection_count", "segments_per_ack"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, require_at_least(name, value, 1, ""))
        think_time_s = require_at_least("think_time_s", self.think_time_s, 0, "s")
        object.__setattr__(self, "think_time_s", think_time_s)

    @property
    def payload_bytes(self) -> Quantity:
        """What the side sends that sends more. [byte]"""
        return maximum(self.request_bytes, self.response_bytes)

    @property
    def both_ways_bytes(self) -> Quantity:
        """What both sides send. [byte]"""
        return self.request_bytes + self.response_bytes

    @property
    def reversed(self) -> "Traffic":
        """The same with client and server exchanged."""
        return replace(self, request_bytes=self.response_bytes, response_bytes=self.request_bytes)


class Counts(NamedTuple):
    """
    What one transaction brings to a place in one direction.

    Parameters
    ----------
    message_count : int
        1, or 0 where nothing is sent this way.
    frame_count : float or numpy.ndarray
        Frames of the message on the line; a share of one where writes share segments.
    ack_count : float or numpy.ndarray
        Frames that are pure acknowledgements of the other direction.
    payload_bytes, wire_bytes : float or numpy.ndarray
        What the application sends; all frames with preamble, delimiter and gap. [byte]
    is_alone : bool
        Whether no other message of its connection is near, to share a packet with.
    full_frame_bytes : tuple of float or numpy.ndarray, optional
        Payload, and bytes on the wire, of each frame but the last; None where frames
        are not cut so. [byte]
    """

    message_count: int
    frame_count: Quantity
    ack_count: Quantity
    payload_bytes: Quantity
    wire_bytes: Quantity
    is_alone: bool = False
    full_frame_bytes: tuple[Quantity, Quantity] | None = None

    def packet_count(self, segments_per_packet: Quantity) -> Quantity:
        """Packets of the message where large send or receive makes one of several segments."""
        if is_nothing(self.frame_count) or _is_one(segments_per_packet):
            return self.frame_count
        packet_count = self.frame_count / segments_per_packet
        return maximum(packet_count, 1) if self.is_alone else packet_count

    def layer_bytes(self, layer: ByteLayer) -> Quantity:
        """Bytes as a layer counts them."""
        if layer is ByteLayer.PAYLOAD:
            return self.payload_bytes
        if layer is ByteLayer.WIRE:
            return self.wire_bytes
        return self.wire_bytes - SILENT_BYTES * (self.frame_count + self.ack_count)

    def frame_shares(self, layer: ByteLayer | None) -> tuple[Quantity, Quantity, Quantity]:
        """
        Shares of the message that a full frame, the last frame and all but the last have.

        Of its bytes as a layer counts them; without a layer, of its frames. Where frames
        are not all cut alike, each is a lower bound.
        """
        count = self.frame_count
        if is_at_most_one(count):
            return 1, 1, 0
        of_frames = 1 / maximum(count, 1)
        if layer is None:
            return of_frames, of_frames, 1 - of_frames
        if self.full_frame_bytes is None:
            return of_frames, where(count > 1, 0, 1), 1 - of_frames
        full_bytes = self.full_frame_bytes[layer is not ByteLayer.PAYLOAD]
        if layer is ByteLayer.FRAME:
            full_bytes = full_bytes - SILENT_BYTES
        full = minimum(full_bytes / self.layer_bytes(layer), 1)
        rest = minimum((maximum(count, 1) - 1) * full, 1)
        return full, 1 - rest, rest

    @property
    def has_acks(self) -> bool:
        """Whether there are pure acknowledgements."""
        return not is_nothing(self.ack_count)


_NOTHING = Counts(0, 0, 0, 0, 0)


def counter(traffic: Traffic, mtu_bytes: Quantity) -> Callable[[Stack], tuple[Counts, Counts]]:
    """
    A function from the headers of a place to what a transaction brings there.

    To the server first, to the client second. Each stack is counted once.
    """
    known: dict[Stack, tuple[Counts, Counts]] = {}

    def counts(stack: Stack) -> tuple[Counts, Counts]:
        if stack not in known:
            known[stack] = _both_ways(traffic, mtu_bytes, stack)
        return known[stack]

    return counts


def _both_ways(traffic: Traffic, mtu_bytes: Quantity, stack: Stack) -> tuple[Counts, Counts]:
    shares = traffic.shares_segments and stack.merges_messages
    message = _shared_counts if shares else _own_counts
    alone = traffic.waits and not shares
    ways = [
        _NOTHING if is_nothing(size) else message(size, mtu_bytes, stack)._replace(is_alone=alone)
        for size in (traffic.request_bytes, traffic.response_bytes)
    ]
    if traffic.segments_per_ack is None:
        return ways[0], ways[1]
    ack_bytes = stack.acknowledgement_wire_bytes(mtu_bytes)
    answered = [way.frame_count / traffic.segments_per_ack for way in reversed(ways)]
    acks = answered if shares else [ceil(count) for count in answered]
    to_server, to_client = (
        way._replace(ack_count=count, wire_bytes=way.wire_bytes + count * ack_bytes)
        for way, count in zip(ways, acks, strict=True)
    )
    return to_server, to_client


def _own_counts(message_bytes: Quantity, mtu_bytes: Quantity, stack: Stack) -> Counts:
    """A message that shares no segment with another."""
    full_frame_bytes = None
    if stack.merges_messages:
        segment_bytes = stack.segment_bytes(mtu_bytes)
        full_wire_bytes = stack.wire_bytes(stack.packet_bytes(segment_bytes), mtu_bytes)
        payload_share = message_bytes / stack.stream_bytes(message_bytes)
        full_frame_bytes = segment_bytes * payload_share, full_wire_bytes
    return Counts(
        message_count=1,
        frame_count=stack.message_frame_count(message_bytes, mtu_bytes),
        ack_count=0,
        payload_bytes=message_bytes,
        wire_bytes=stack.message_wire_bytes(message_bytes, mtu_bytes),
        full_frame_bytes=full_frame_bytes,
    )


def _shared_counts(message_bytes: Quantity, mtu_bytes: Quantity, stack: Stack) -> Counts:
    """A message in a long row of them, its share of full segments."""
    segment_bytes = stack.segment_bytes(mtu_bytes)
    frame_count = stack.stream_bytes(message_bytes) / segment_bytes
    wire_bytes = stack.wire_bytes(stack.packet_bytes(segment_bytes), mtu_bytes)
    return Counts(
        message_count=1,
        frame_count=frame_count,
        ack_count=0,
        payload_bytes=message_bytes,
        wire_bytes=frame_count * wire_bytes,
    )


def shared_by(value: Quantity, several: Quantity) -> Quantity:
    """What of a value falls to each of several that share it."""
    return value if is_nothing(value) or _is_one(several) else value / several


def is_at_most_one(count: Quantity) -> bool:
    """Whether it is so everywhere, as far as that can be known."""
    if type(count) in (int, float):
        return bool(count <= 1)
    return not is_symbol(count) and bool(np.all(np.less_equal(count, 1)))


def _is_one(value: Quantity) -> bool:
    return type(value) is int and value == 1


def is_nothing(value: Quantity) -> bool:
    """Whether it is the number 0, not an array that may have zeros."""
    return type(value) in (int, float) and value == 0
