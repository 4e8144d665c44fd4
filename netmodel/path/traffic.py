"""What one transaction is, and what it brings to each place of a path and takes there."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from typing import Any, NamedTuple, TypeAlias

from netmodel.ceilings import ByteLayer, Capacity
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import Stack
from netmodel.framing.lengths import FCS_BYTES, SILENT_BYTES
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    QuantityLike,
    ceil,
    extremes,
    holds_somewhere,
    is_array,
    maximum,
    minimum,
    require_at_least,
)
from netmodel.path.ensemble import (
    Ensemble,
    Joint,
    Parameter,
    Spread,
    at_count,
    connection_notes,
    is_nothing,
    is_one,
)
from netmodel.path.stages import Direction, Path, Stage, Times
from netmodel.results import fields_repr

Terms: TypeAlias = tuple[tuple[str, FloatOrArray], ...]
"""Parts of a sum, each with the name of the parameter that it is proportional to."""
FULL_FRAMES = "full frames"
"""Name of a stream that is no workload."""


@dataclass(frozen=True)
class Traffic:
    """
    Transactions that connections repeat, each a message in one direction or both.

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
    volume_bytes : float, optional
        What the side that sends more sends in all, from full buckets of capacities on; infinite for
        traffic that finds them empty, None for what they allow at most. [byte]
    name : str
        What it is called in titles, such as the id of a workload; no part of a comparison.
    fills_frames : bool
        Whether each message is what a full frame carries, whatever is written: a stream that is
        no workload. Over RDMA it is a part of one long operation.

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

    request_bytes: FloatOrArray
    response_bytes: FloatOrArray = 0
    connection_count: FloatOrArray | None = None
    waits: bool = True
    shares_segments: bool = False
    think_time_s: FloatOrArray = 0
    segments_per_ack: FloatOrArray | None = None
    volume_bytes: float | None = None
    name: str = field(default="", compare=False)
    fills_frames: bool = False

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        for name in ("request_bytes", "response_bytes"):
            value = require_at_least(name, getattr(self, name), 0, "byte")
            if not is_nothing(value):
                require_at_least(name, value, 1, "byte")
            object.__setattr__(self, name, value)
        if is_nothing(self.request_bytes) and is_nothing(self.response_bytes):
            raise DomainError("request_bytes or response_bytes must be above 0 byte")
        for name in ("connection_count", "segments_per_ack"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, require_at_least(name, value, 1, ""))
        think_time_s = require_at_least("think_time_s", self.think_time_s, 0, "s")
        object.__setattr__(self, "think_time_s", think_time_s)

    @property
    def sender(self) -> Side:
        """
        The side that sends more payload; the client when equal.

        Raises
        ------
        DomainError
            If it is the client in some elements of arrays, and the server in others.
        """
        lead_bytes = self.request_bytes - self.response_bytes
        ends = (0.0,) if is_array(lead_bytes) and not np.size(lead_bytes) else extremes(lead_bytes)
        senders = {Side.sending_more(end, 0) for end in ends}
        if len(senders) > 1:
            who = "the client sends more in some elements, the server in others"
            raise DomainError(f"workload: {who}; predict each by itself, or give a Path")
        return senders.pop()

    @cached_property
    def distinct_counts(self) -> tuple[Any, Any]:
        """Numbers of connections that differ, and in arrays which of them each prediction has."""
        count = self.connection_count
        return np.unique(np.asarray(count), return_inverse=True) if is_array(count) else (count, 0)

    @property
    def numbers(self) -> tuple[FloatOrArray, ...]:
        """Everything that may be an array, without what is not known."""
        sizes = (self.request_bytes, self.response_bytes, self.think_time_s)
        counts = (self.connection_count, self.segments_per_ack)
        return (*sizes, *(value for value in counts if value is not None))

    @property
    def payload_bytes(self) -> FloatOrArray:
        """Payload of the side that sends more. [byte]"""
        return maximum(self.request_bytes, self.response_bytes)

    @property
    def exchanged_bytes(self) -> FloatOrArray:
        """Payload of both sides. [byte]"""
        return self.request_bytes + self.response_bytes

    @property
    def reversed(self) -> "Traffic":
        """The same with client and server exchanged."""
        return replace(self, request_bytes=self.response_bytes, response_bytes=self.request_bytes)


class Counts(NamedTuple):
    """
    Frames and bytes of one transaction at a place, in one direction.

    Parameters
    ----------
    message_count : int
        1, or 0 where nothing is sent in this direction.
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
    packet_bytes : float or numpy.ndarray
        All outermost packets. [byte]
    link_header_bytes : float
        What the link puts in front of each packet. [byte]
    """

    message_count: int
    frame_count: FloatOrArray
    ack_count: FloatOrArray
    payload_bytes: FloatOrArray
    wire_bytes: FloatOrArray
    is_alone: bool = False
    full_frame_bytes: tuple[FloatOrArray, FloatOrArray] | None = None
    packet_bytes: FloatOrArray = 0
    link_header_bytes: float = 0

    def packet_count(self, segments_per_packet: FloatOrArray) -> FloatOrArray:
        """Packets of the message where large send or receive makes one of several segments."""
        if is_nothing(self.frame_count) or is_one(segments_per_packet):
            return self.frame_count
        packet_count = self.frame_count / segments_per_packet
        return maximum(packet_count, 1) if self.is_alone else packet_count

    def layer_bytes(self, layer: ByteLayer) -> FloatOrArray:
        """Bytes as a layer counts them."""
        frame_count = self.frame_count + self.ack_count
        sizes = self.payload_bytes, self.packet_bytes, self.wire_bytes, frame_count
        counted: FloatOrArray = layer.counted_bytes(self.link_header_bytes, *sizes)
        return counted


_NOTHING = Counts(0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Load:
    """
    Everything that a path carries, and how many predictions that makes.

    Parameters
    ----------
    traffic : Traffic
        What is exchanged.
    mtu_bytes : float or numpy.ndarray
        Largest innermost packet. [byte]
    stack : Stack
        Headers, where a stage has none of its own.
    axes : Ensemble
        Sets of uncertain parameters, and the predictions that are made at once.
    has_acks : bool
        Whether pure acknowledgements take time of hosts.
    """

    traffic: Traffic
    mtu_bytes: FloatOrArray
    stack: Stack
    axes: Ensemble = field(compare=False)
    has_acks: bool = True
    _terms: dict[tuple[str, Direction], tuple[Stage, Terms]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def without_acks(self, stages: Iterable[Stage]) -> "Load":
        """Return the load without pure acknowledgements; itself where none count in stages."""
        counted = (self.traffic.segments_per_ack, *(each.segments_per_ack for each in stages))
        if all(each is None for each in counted):
            return self
        return replace(self, traffic=replace(self.traffic, segments_per_ack=None), has_acks=False)

    @cached_property
    def counts(self) -> dict[Direction, Counts]:
        """Frames and bytes of a transaction at a place, in each direction."""
        traffic, mtu_bytes, stack = self.traffic, self.mtu_bytes, self.stack
        # (1) the message in each direction; in a long row of them each has its share of segments
        merges = stack.merges_messages or traffic.fills_frames
        shares_segments = traffic.shares_segments and merges
        counts = []
        if merges:
            segment_bytes = stack.segment_bytes(mtu_bytes)
            full_wire_bytes = stack.wire_bytes(stack.packet_bytes(segment_bytes), mtu_bytes)
        for message_bytes in (traffic.request_bytes, traffic.response_bytes):
            if is_nothing(message_bytes):
                counts.append(_NOTHING)
                continue
            full_frame_bytes, is_whole = None, traffic.fills_frames
            stream_bytes = segment_bytes if is_whole else stack.stream_bytes(message_bytes)
            if shares_segments:
                frame_count = stream_bytes / segment_bytes
                wire_bytes = frame_count * full_wire_bytes
                outer_bytes = stack.outer_packet_bytes(stack.packet_bytes(segment_bytes), mtu_bytes)
                packet_bytes = frame_count * outer_bytes
            else:
                totals = stack.message_totals(message_bytes, mtu_bytes)
                frame_count, packet_bytes, wire_bytes = totals
                if merges:
                    payload_bytes = segment_bytes * (message_bytes / stream_bytes)
                    full_frame_bytes = payload_bytes, full_wire_bytes
            is_alone = traffic.waits and not shares_segments
            sizes = message_bytes, wire_bytes, is_alone, full_frame_bytes, packet_bytes
            counts.append(Counts(1, frame_count, 0, *sizes, stack.link_header_bytes))
        if traffic.segments_per_ack is not None:
            # (2) pure acknowledgements, which answer frames of the other direction
            ack_bytes = stack.acknowledgement_wire_bytes(mtu_bytes)
            packet_bytes = ack_bytes - SILENT_BYTES - FCS_BYTES - stack.link_header_bytes
            acks = [count.frame_count / traffic.segments_per_ack for count in reversed(counts)]
            acks = acks if shares_segments else [ceil(count) for count in acks]
            counts = [
                each._replace(
                    ack_count=count,
                    wire_bytes=each.wire_bytes + count * ack_bytes,
                    packet_bytes=each.packet_bytes + count * packet_bytes,
                )
                for each, count in zip(counts, acks, strict=True)
            ]
        to_server, to_client = counts
        return {"to_server": to_server, "to_client": to_client}

    def terms(self, stage: Stage, direction: Direction) -> Terms:
        """
        Return the time of one transaction at a stage in a direction, by term, in all cases. [s]

        Each time of the stage once for every message, wake-up, interrupt, packet,
        acknowledgement or byte; one that may be 0 is a term where it is.
        """
        known, result = self._terms.get((stage.name, direction), (None, ()))
        if known is stage:
            return result
        times: Times = getattr(stage, direction)
        terms = []
        if times.named:
            count = self.counts[direction]
            other = self.counts["to_client" if direction == "to_server" else "to_server"]
            ack_count, of_host = count.ack_count, stage.segments_per_ack
            is_counted = self.stack.merges_messages and self.has_acks
            if of_host is not None and self.traffic.segments_per_ack is None and is_counted:
                # frames of messages acknowledge as many of the other direction
                alone_count = maximum(other.frame_count - count.frame_count, 0)
                ack_count = alone_count / self.axes.array(of_host, False)
            # acknowledgements without a time of their own take what other frames do
            as_frames = 0 if times.per_ack_s is not None else ack_count
            for name, time_s in times.named:
                amount: FloatOrArray = count.message_count
                sharers: Parameter = 1
                if name == "per_byte_s":
                    amount = count.layer_bytes(stage.byte_layer)
                    if stage.capacity is not None and not is_nothing(amount):
                        amount = amount * self._burst_ratio(stage, stage.capacity)
                elif name == "per_frame_s":
                    share_count = self.axes.array(stage.segments_per_packet, False)
                    amount = count.packet_count(share_count) + as_frames
                elif name == "per_ack_s":
                    amount = ack_count
                elif name == "per_interrupt_s":
                    amount, sharers = count.frame_count + as_frames, stage.frames_per_interrupt
                elif name == "per_wakeup_s":
                    sharers = stage.messages_per_wakeup
                if is_nothing(amount):
                    continue
                if not is_one(sharers):
                    amount = amount / self.axes.array(sharers, False)
                if not is_one(stage.ratio):
                    amount = amount * stage.ratio
                value_s = self.axes.array(time_s, True)
                value_s = value_s if is_one(amount) else value_s * amount
                terms.append((f"{stage.name}.{direction}.{name}", value_s))
        self._terms[stage.name, direction] = stage, tuple(terms)
        return tuple(terms)

    def _burst_ratio(self, stage: Stage, capacity: Capacity) -> FloatOrArray:
        """Return the time per byte over that at the first rate of a bucket, 0 in endless bursts."""
        traffic = self.traffic
        if capacity.is_sustained:
            return float(traffic.volume_bytes == math.inf)
        if capacity.bucket is None or traffic.volume_bytes is None:
            return 1
        counted_bytes: FloatOrArray = sum(
            count.layer_bytes(stage.byte_layer)
            for direction, count in self.counts.items()
            if getattr(stage, direction).named
        )
        part = traffic.volume_bytes / traffic.payload_bytes
        if capacity.scope == "flow" and traffic.connection_count is not None:
            part = part / traffic.connection_count
        return capacity.rate_bps / capacity.over_bytes(part * counted_bytes).rate_bps

    def demand(self, stage: Stage) -> Terms:
        """Return the same in both directions. [s]"""
        return self.terms(stage, "to_server") + self.terms(stage, "to_client")

    def time_of(self, stages: Iterable[Stage]) -> Spread:
        """Return the time of one transaction at stages, over all values of their parameters. [s]"""
        return self.axes.total(time_s for stage in stages for _, time_s in self.demand(stage))


def _at_count(path: Path, traffic: Traffic) -> Path:
    """
    Return the path with the times for this number of connections; the same where none differs.

    Else with the times of this number, of the next fewer and the next more, of the nearest, or of
    all numbers where none is given; its notes say which.
    """
    places: dict[tuple[int, ...], list[str]] = {}
    for stage in path.stages:
        known = (value.by_count for value in stage.parameters if isinstance(value, Joint))
        for counts in dict.fromkeys(tuple(count for count, *_ in each) for each in known if each):
            places.setdefault(counts, []).append(stage.name)
    if not places:
        return path
    count, at = traffic.distinct_counts
    asked = tuple(count.tolist()) if is_array(count) else count
    own = partial(at_count, connection_count=asked, at=at)
    stages = tuple(stage.changed(own) for stage in path.stages)
    return replace(path, stages=stages, notes=(*path.notes, *connection_notes(places, count)))


def load_of(
    path: Path, traffic: Traffic, mtu_bytes: QuantityLike | None, stack: Stack
) -> tuple[Path, Load]:
    """Return a path with the times for its number of connections, and what it carries."""
    if mtu_bytes is None:
        raise DomainError("give mtu_bytes: the largest packet of the innermost interface")
    path = _at_count(path, traffic)
    mtu = require_at_least("mtu_bytes", mtu_bytes, stack.minimum_mtu_bytes, "byte")
    return path, Load(traffic, mtu, stack, Ensemble((mtu, *path.parameters, *traffic.numbers)))


def least(quantities: Iterable[FloatOrArray]) -> FloatOrArray:
    """Return the smallest of them, element by element."""
    return reduce(minimum, quantities)


def is_at_most_one(count: FloatOrArray) -> bool:
    """Return True if a condition holds everywhere."""
    return not holds_somewhere(count > 1)
