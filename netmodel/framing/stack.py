"""A header stack: layers from the line inwards."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from netmodel.errors import DomainError
from netmodel.framing import nesting, unchecked
from netmodel.framing._fragments import MAX_DATAGRAM_BYTES, Fragmentation, udp_fragmentation
from netmodel.framing._layer import Layer, Level, Part
from netmodel.framing._messages import segment_count, tail_bytes
from netmodel.framing._rdma import RDMA_HEADERS_BYTES, RDMA_MTUS_BYTES, rdma_mtu_bytes
from netmodel.framing.layers import IPV6_HEADER_BYTES
from netmodel.numeric import (
    Number,
    Q,
    maximum,
    minimum,
    require_at_least,
    require_at_most,
    require_kind,
    require_whole,
)

_ROCE = frozenset({"rocev1", "rocev2"})
_STREAMS = frozenset({"tcp", "quic"})


@dataclass(frozen=True, repr=False)
class Stack:
    """
    Layers from the line inwards, each of which carries the next.

    Four zones follow from the layers. The *link* zone is in front of the
    outermost packet. The *inner* zone begins with the innermost packet, whose
    MTU an application sees. The *tunnel* zone is between the two, and empty
    where there is one packet only. *Records* may stand inside a byte stream:
    they end where they end, not where segments do.

    Parameters
    ----------
    layers : tuple of Layer
        Outermost first, Ethernet before all others.

    Raises
    ------
    DomainError
        If a layer stands inside one that cannot carry it, or a tunnel carries
        nothing.

    Examples
    --------
    >>> from netmodel.framing import ethernet, ipv4, tcp, vlan
    >>> stack = Stack((ethernet(), vlan(), ipv4(), tcp()))
    >>> print(stack)
    ethernet/vlan/ipv4/tcp+timestamps
    >>> stack.payload_bytes(1500), stack.wire_bytes(1500)
    (1448, 1542)
    """

    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        require_kind("layers", self.layers, Iterable, "layers, or parse_stack for a text")
        object.__setattr__(self, "layers", tuple(self.layers))
        outside = ""
        for place, layer in enumerate(self.layers):
            require_kind(f"layers[{place}]", layer, Layer, "a Layer; parse_stack reads a text")
            if outside not in layer.carried_by:
                rule = f"must stand directly inside {' or '.join(sorted(layer.carried_by - {''}))}"
                if "" in layer.carried_by:
                    rule = f"must be the outermost layer, or {rule.removeprefix('must ')}"
                where = f"stands inside {outside}" if outside else "is the outermost layer"
                raise DomainError(f"{layer.protocol} {rule}; it {where}")
            outside = layer.protocol
        if not self.layers:
            raise DomainError("a stack needs at least the ethernet layer")
        if self.layers[-1].level is Level.TUNNEL:
            raise DomainError(f"{outside} must carry something; it is the innermost layer")

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type["Stack"], tuple[tuple[Layer, ...]]]:
        """The layers alone, as hashes are others in another process."""
        return Stack, (self.layers,)

    def __repr__(self) -> str:
        return f"<Stack {self}>"

    def _repr_html_(self) -> str:
        from netmodel.html import row_table  # not loaded by formulas

        rows = [
            (str(layer), str(layer.header_bytes), str(layer.trailer_bytes)) for layer in self.layers
        ]
        names = ("layer, outermost first", "header [byte]", "trailer [byte]")
        return row_table(f"Header stack {self}", names, rows, [1, 2])

    def __str__(self) -> str:
        return "/".join(str(layer) for layer in self.layers)

    @cached_property
    def protocols(self) -> tuple[str, ...]:
        """Protocol of each layer, outermost first."""
        return tuple(layer.protocol for layer in self.layers)

    @cached_property
    def link_layers(self) -> tuple[Layer, ...]:
        """Layers in front of the outermost packet."""
        return self.layers[: self._packet_starts()[0]]

    @cached_property
    def tunnel_layers(self) -> tuple[Layer, ...]:
        """Layers from the outermost packet to the innermost."""
        starts = self._packet_starts()
        first, last = starts[0], starts[-1]
        return self.layers[first:last]

    @cached_property
    def inner_layers(self) -> tuple[Layer, ...]:
        """Layers of the innermost packet, whose MTU the application sees."""
        return self.layers[self._packet_starts()[-1] : self._records_start()]

    @cached_property
    def record_layers(self) -> tuple[Layer, ...]:
        """Layers that cut the byte stream of the transport into records."""
        return self.layers[self._records_start() :]

    @property
    def merges_messages(self) -> bool:
        """Whether messages are a byte stream, in which two may share a segment."""
        return self.protocols[-1 - len(self.record_layers)] in _STREAMS

    @property
    def acknowledging_layer(self) -> Layer | None:
        """The innermost layer that sends pure acknowledgements of a known size."""
        answering = (each for each in self.layers if each.acknowledgement_bytes is not None)
        return next(reversed(list(answering)), None)

    @property
    def estimates(self) -> tuple[str, ...]:
        """Which of the lengths are estimates, and why."""
        return tuple(
            f"{layer} is an estimate: {layer.estimate}" for layer in self.layers if layer.estimate
        )

    @cached_property
    def link_header_bytes(self) -> int:
        """What the link puts around a packet, but for the check sequence. [byte]"""
        return nesting.fixed_bytes(self.link_layers)

    @property
    def header_bytes(self) -> int:
        """
        Headers inside the innermost packet, options included. [byte]

        Raises
        ------
        DomainError
            If the packet is padded to blocks or its payload cut into records, so
            that the overhead depends on the payload.
        """
        if self.record_layers or any(layer.is_stepped for layer in self.inner_layers):
            raise DomainError(f"the overhead of {self} depends on the payload")
        return nesting.fixed_bytes(self.inner_layers)

    @cached_property
    def minimum_mtu_bytes(self) -> int:
        """Smallest MTU that the innermost packet may have and that holds payload. [byte]"""
        smallest_bytes = self.packet_bytes(nesting.smallest_content_bytes(self.inner_layers))
        kept_bytes = RDMA_MTUS_BYTES[0] + RDMA_HEADERS_BYTES if self._is_roce else 0
        own_bytes = self.inner_layers[0].minimum_mtu_bytes if self.inner_layers else 0
        return cast("int", maximum(maximum(smallest_bytes, kept_bytes), own_bytes))

    def payload_bytes(self, mtu_bytes: Q | Number) -> Q:
        """
        Payload of one full packet. [byte]

        Where the stream is cut into records it is the mean over a long stream
        of full records.
        """
        return nesting.mean_content_bytes(self.record_layers, self.segment_bytes(mtu_bytes))

    def segment_bytes(self, mtu_bytes: Q | Number) -> Q:
        """What one full packet carries: payload, with the headers of its records. [byte]"""
        mtu_bytes = require_at_least("mtu_bytes", mtu_bytes, self.minimum_mtu_bytes, "byte")
        room_bytes = nesting.room_bytes(self.inner_layers, mtu_bytes)
        if not self._is_roce:
            return room_bytes
        return rdma_mtu_bytes(minimum(mtu_bytes, room_bytes + RDMA_HEADERS_BYTES))

    def packet_bytes(self, segment_bytes: Q | Number) -> Q:
        """Innermost packet that carries a segment: payload, with the headers of its records."""
        segment_bytes = require_at_least("segment_bytes", segment_bytes, 0, "byte")
        return nesting.size_bytes(self.inner_layers, segment_bytes, segment_bytes)

    def outer_packet_bytes(
        self, packet_bytes: Q | Number, mtu_bytes: Q | Number | None = None
    ) -> Q:
        """
        Outermost packet that carries an innermost packet. [byte]

        The MTU of the innermost interface matters where a tunnel pads up to it.
        """
        packet_bytes = require_at_least("packet_bytes", packet_bytes, 0, "byte")
        if mtu_bytes is None:
            if any(layer.pads_up_to_mtu for layer in self.tunnel_layers):
                raise DomainError(f"the padding of {self} depends on the MTU: give mtu_bytes")
            return nesting.size_bytes(self.tunnel_layers, packet_bytes, packet_bytes)
        mtu_bytes = require_at_least("mtu_bytes", mtu_bytes, 0, "byte")
        return nesting.size_bytes(self.tunnel_layers, packet_bytes, mtu_bytes)

    def mtu_bytes(self, link_mtu_bytes: Q | Number) -> Q:
        """
        Largest innermost packet that fits the MTU of the link. [byte]

        Raises
        ------
        DomainError
            If the headers leave no room for the smallest packet.
        """
        least_bytes = self._least_link_mtu_bytes()
        link_mtu_bytes = require_at_least("link_mtu_bytes", link_mtu_bytes, least_bytes, "byte")
        return nesting.room_bytes(self.tunnel_layers, link_mtu_bytes)

    def frame_bytes(self, packet_bytes: Q | Number, mtu_bytes: Q | Number | None = None) -> Q:
        """Frame that carries a packet, destination address to check sequence. [byte]"""
        outer_bytes = self.outer_packet_bytes(packet_bytes, mtu_bytes)
        return unchecked.frame_bytes(outer_bytes, self.link_header_bytes)

    def wire_bytes(self, packet_bytes: Q | Number, mtu_bytes: Q | Number | None = None) -> Q:
        """Frame that carries a packet, with preamble, delimiter and gap. [byte]"""
        outer_bytes = self.outer_packet_bytes(packet_bytes, mtu_bytes)
        return unchecked.wire_bytes(outer_bytes, self.link_header_bytes)

    def packet_padding_bytes(
        self, packet_bytes: Q | Number, mtu_bytes: Q | Number | None = None
    ) -> Q:
        """What tunnels and the shortest legal frame pad a packet by. [byte]"""
        packet_bytes = require_at_least("packet_bytes", packet_bytes, 0, "byte")
        around_bytes = (
            nesting.fixed_bytes(self.tunnel_layers) + self.link_header_bytes + unchecked.FCS_BYTES
        )
        return self.frame_bytes(packet_bytes, mtu_bytes) - packet_bytes - around_bytes

    def datagram_wire_bytes(self, datagram_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """Frames of one UDP datagram, fragmented where the MTU demands it. [byte]"""
        split = self._fragmentation(datagram_bytes, mtu_bytes)
        return self._sum_over_fragments(self.wire_bytes, split, mtu_bytes)

    def message_wire_bytes(self, message_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """
        Frames of one message that shares no segment with another. [byte]

        Over UDP the message is a datagram, over RoCE one RDMA operation, over SMC-R
        a write and the CDC message that announces it.
        """
        if self._may_fragment:
            return self.datagram_wire_bytes(message_bytes, mtu_bytes)
        message_bytes = self._whole_message_bytes(message_bytes, mtu_bytes)
        return self._sum_over_segments(self._segment_wire_bytes, message_bytes, mtu_bytes)

    def message_padding_bytes(self, message_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """How much of :meth:`message_wire_bytes` is padding. [byte]"""
        if self._may_fragment:
            split = self._fragmentation(message_bytes, mtu_bytes)
            return self._sum_over_fragments(self.packet_padding_bytes, split, mtu_bytes)
        message_bytes = self._whole_message_bytes(message_bytes, mtu_bytes)
        return nesting.padding_bytes(self.record_layers, message_bytes) + self._sum_over_segments(
            self._segment_padding_bytes, message_bytes, mtu_bytes
        )

    def message_segment_count(self, message_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """Segments, or fragments, of one message that shares none with another."""
        if self._may_fragment:
            return self._fragmentation(message_bytes, mtu_bytes).full_count + 1
        message_bytes = self._whole_message_bytes(message_bytes, mtu_bytes)
        return segment_count(self.stream_bytes(message_bytes), self.segment_bytes(mtu_bytes))

    def message_frame_count(self, message_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """Frames of one message: its segments, and the CDC message of SMC-R."""
        cdc_message_count = sum(layer.cdc_message_bytes > 0 for layer in self.inner_layers)
        return self.message_segment_count(message_bytes, mtu_bytes) + cdc_message_count

    def stream_bytes(self, message_bytes: Q | Number) -> Q:
        """A message with the headers of its records, the last of which it shares with none."""
        message_bytes = require_at_least("message_bytes", message_bytes, 0, "byte")
        return nesting.size_bytes(self.record_layers, message_bytes, message_bytes)

    def acknowledgement_wire_bytes(self, mtu_bytes: Q | Number | None = None) -> Q:
        """
        Frame of a pure acknowledgement, with preamble, delimiter and gap. [byte]

        Raises
        ------
        DomainError
            If no layer acknowledges, or none with a packet of a known size.
        """
        answering = self._acknowledging
        content_bytes = answering.layers[-1].acknowledgement_bytes
        return answering._segment_wire_bytes(content_bytes or 0, mtu_bytes)

    def parts(self, packet_bytes: int, mtu_bytes: int | None = None) -> tuple[Part, ...]:
        """
        Everything on the wire for one packet, by name and in wire order.

        Where blocks are padded, the payload is the largest that makes this packet.
        """
        packet_bytes = require_whole("packet_bytes", packet_bytes)
        require_at_least("packet_bytes", packet_bytes, int(self.packet_bytes(0)), "byte")
        segment_bytes = cast("int", nesting.room_bytes(self.inner_layers, packet_bytes))
        if self.packet_bytes(segment_bytes) != packet_bytes:
            raise DomainError(
                f"no packet of {self} has {packet_bytes} byte: it is padded to blocks"
            )
        return self._parts_around(segment_bytes, packet_bytes, mtu_bytes)

    def full_frame_parts(self, mtu_bytes: int) -> tuple[Part, ...]:
        """Everything on the wire for one full packet, by name and in wire order."""
        segment_bytes = int(self.segment_bytes(mtu_bytes))
        return self._parts_around(segment_bytes, int(self.packet_bytes(segment_bytes)), mtu_bytes)

    def _parts_around(
        self, segment_bytes: int, packet_bytes: int, mtu_bytes: int | None
    ) -> tuple[Part, ...]:
        outer_bytes = int(self.outer_packet_bytes(packet_bytes, mtu_bytes))
        unpadded_bytes = outer_bytes + self.link_header_bytes + unchecked.FCS_BYTES
        # (1) what a segment carries on average: headers of records, and payload
        inside: tuple[Part, ...] = ()
        payload_bytes: float = segment_bytes
        for layer in self.record_layers:
            inner_bytes = layer.mean_content_bytes(payload_bytes)
            name = f"{layer.protocol.replace('-', '_')}_records"
            inside += (Part(name, payload_bytes - inner_bytes),)
            payload_bytes = inner_bytes
        inside += (Part("payload", payload_bytes),)
        # (2) headers and trailers around it, from the innermost packet outwards
        for zone, content_bytes, content_mtu_bytes in (
            (self.inner_layers, segment_bytes, segment_bytes),
            (self.tunnel_layers, packet_bytes, mtu_bytes or packet_bytes),
            (self.link_layers, outer_bytes, outer_bytes),
        ):
            inside = nesting.wrapped(inside, zone, content_bytes, content_mtu_bytes)
        # (3) what Ethernet adds to each frame
        named = (
            Part("preamble", unchecked.PREAMBLE_BYTES),
            Part("sfd", unchecked.SFD_BYTES),
            *inside,
            Part("padding", max(unchecked.MIN_FRAME_BYTES - unpadded_bytes, 0)),
            Part("fcs", unchecked.FCS_BYTES),
            Part("interframe_gap", unchecked.GAP_BYTES),
        )
        return tuple(part for part in named if part.bytes)

    def _segment_wire_bytes(self, segment_bytes: Q | float, mtu_bytes: Q | Number | None) -> Q:
        return self.wire_bytes(self.packet_bytes(segment_bytes), mtu_bytes)

    def _segment_padding_bytes(self, segment_bytes: Q, mtu_bytes: Q | Number | None) -> Q:
        inner_bytes = nesting.padding_bytes(self.inner_layers, segment_bytes)
        return inner_bytes + self.packet_padding_bytes(self.packet_bytes(segment_bytes), mtu_bytes)

    def _sum_over_segments(
        self, per_segment: Callable[..., Any], message_bytes: Q | Number, mtu_bytes: Q | Number
    ) -> Q:
        """Sum of what each segment of a message has, and its CDC message."""
        stream_bytes = self.stream_bytes(message_bytes)
        segment_bytes = self.segment_bytes(mtu_bytes)
        full_count = segment_count(stream_bytes, segment_bytes) - 1
        tail = tail_bytes(stream_bytes, segment_bytes)
        total: Q = full_count * per_segment(segment_bytes, mtu_bytes) + per_segment(tail, mtu_bytes)
        header_bytes = sum(layer.message_header_bytes for layer in self.inner_layers)
        if header_bytes:
            first = minimum(stream_bytes, segment_bytes)
            headed = per_segment(first + header_bytes, mtu_bytes)
            total = total + headed - per_segment(first, mtu_bytes)
        trailer_bytes = sum(layer.message_trailer_bytes for layer in self.inner_layers)
        if trailer_bytes:
            ended = per_segment(tail + trailer_bytes, mtu_bytes) - per_segment(tail, mtu_bytes)
            total = total + minimum(full_count, 1) * ended
        cdc_bytes = sum(layer.cdc_message_bytes for layer in self.inner_layers)
        if cdc_bytes:
            total = total + per_segment(cdc_bytes, mtu_bytes)
        return total

    def _sum_over_fragments(
        self, per_packet: Callable[..., Any], split: Fragmentation[Q], mtu_bytes: Q | Number
    ) -> Q:
        """Sum of what each packet of a datagram has."""
        full: Q = per_packet(split.full_packet_bytes, mtu_bytes)
        last: Q = per_packet(split.last_packet_bytes, mtu_bytes)
        return split.full_count * full + last

    def _fragmentation(self, datagram_bytes: Q | Number, mtu_bytes: Q | Number) -> Fragmentation[Q]:
        if self.protocols[-1] != "udp" or len(self.inner_layers) != 2:
            raise DomainError(f"a datagram needs udp inside IP as the innermost layers, not {self}")
        ip_layer, _ = self.inner_layers
        # the length field of IPv6 leaves its own header out, that of IPv4 counts it
        header_bytes = ip_layer.header_bytes
        counted_bytes = header_bytes - (IPV6_HEADER_BYTES if ip_layer.protocol == "ipv6" else 0)
        longest_bytes = MAX_DATAGRAM_BYTES - counted_bytes
        return udp_fragmentation(
            require_at_most("datagram_bytes", datagram_bytes, longest_bytes, "byte"),
            require_at_least("mtu_bytes", mtu_bytes, self.minimum_mtu_bytes, "byte"),
            ip_layer.header_bytes,
            ip_layer.fragment_header_bytes,
        )

    @property
    def _may_fragment(self) -> bool:
        """Whether a message is a datagram that IP splits as it stands."""
        return self.protocols[-1] == "udp" and len(self.inner_layers) == 2

    def _whole_message_bytes(self, message_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """The message; a datagram that is split inside a tunnel's packet is refused."""
        message_bytes = require_at_least("message_bytes", message_bytes, 0, "byte")
        if self.protocols[-1] != "udp":
            return message_bytes
        return require_at_most(
            "message_bytes", message_bytes, self.segment_bytes(mtu_bytes), "byte"
        )

    @cached_property
    def _acknowledging(self) -> "Stack":
        """Layers of a pure acknowledgement; DomainError where there are none."""
        layer = self.acknowledging_layer
        if layer is None:
            raise DomainError(f"{self} has no acknowledgements of a known size")
        return Stack(self.layers[: self.layers.index(layer) + 1])

    @cached_property
    def _hash(self) -> int:
        return hash(self.layers)

    @cached_property
    def _is_roce(self) -> bool:
        return not _ROCE.isdisjoint(self.protocols)

    def _least_link_mtu_bytes(self) -> int:
        """Smallest link MTU at which no packet is below what its protocol allows. [byte]"""
        starts = self._packet_starts()
        least_bytes = [layer.minimum_mtu_bytes for layer in self.layers]
        least_bytes[starts[-1] :] = [self.minimum_mtu_bytes]
        return max(
            int(
                nesting.size_bytes(
                    self.layers[starts[0] : place], least_bytes[place], least_bytes[place]
                )
            )
            for place in starts
        )

    def _packet_starts(self) -> list[int]:
        """Places of the layers that open a packet; behind the last layer if there is none."""
        starts = [i for i, layer in enumerate(self.layers) if layer.level is Level.INTERNET]
        return starts or [len(self.layers)]

    def _records_start(self) -> int:
        """Place of the first layer of records; behind the last layer if there is none."""
        levels = [layer.level for layer in self.layers]
        return levels.index(Level.RECORDS) if Level.RECORDS in levels else len(levels)


def mtu_of_rdma(rdma_mtu_bytes: int, mtu_bytes: int | None, stack: Stack | None) -> int:
    """
    Smallest MTU of an interface whose RDMA packets carry this payload.

    Parameters
    ----------
    rdma_mtu_bytes : int
        Payload of a full RDMA packet, a power of two from 256 to 4096. [byte]
    mtu_bytes : int or None
        MTU of the interface, where it is known; it must be large enough. [byte]
    stack : Stack or None
        All headers; the largest of RoCE (96 byte) where they are not known.

    Returns
    -------
    least_bytes : int
        MTU of an IP interface. [byte]

    Raises
    ------
    DomainError
        If there is no such RDMA MTU, the headers are not those of RDMA, or the given MTU leaves
        less.

    References
    ----------
    Linux, ``include/rdma/ib_addr.h``, ``iboe_get_mtu``.

    Examples
    --------
    >>> mtu_of_rdma(1024, 1500, None)
    1120
    """
    if rdma_mtu_bytes not in RDMA_MTUS_BYTES:
        known = ", ".join(map(str, RDMA_MTUS_BYTES))
        raise DomainError(f"rdma_mtu_bytes must be one of {known}; got {rdma_mtu_bytes}")
    least_bytes = rdma_mtu_bytes + RDMA_HEADERS_BYTES
    if stack is not None:
        if not stack._is_roce:
            raise DomainError(f"an RDMA MTU is of rocev1 or rocev2, and the headers are {stack}")
        least_bytes = max(least_bytes, stack.minimum_mtu_bytes)
        if stack.segment_bytes(least_bytes) != rdma_mtu_bytes:
            raise DomainError(f"RDMA packets of {rdma_mtu_bytes} byte are not modelled in {stack}")
    if mtu_bytes is not None and mtu_bytes < least_bytes:
        raise DomainError(
            f"an RDMA MTU of {rdma_mtu_bytes} byte needs an IP MTU of {least_bytes} or more; got "
            f"{mtu_bytes}"
        )
    return least_bytes
