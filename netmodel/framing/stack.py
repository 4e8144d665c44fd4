"""A header stack: layers from the line inwards."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from netmodel.errors import DomainError
from netmodel.framing import lengths
from netmodel.framing._fragments import MAX_DATAGRAM_BYTES, udp_fragmentation
from netmodel.framing._layer import Layer, Level, Part
from netmodel.framing._messages import segment_count
from netmodel.framing._rdma import rdma_mtu_bytes
from netmodel.framing.lengths import IPV6_HEADER_BYTES, RDMA_HEADERS_BYTES, RDMA_MTUS_BYTES
from netmodel.numeric import Number, Q, minimum, require_at_least, require_at_most, require_kind

_ROCE = frozenset({"rocev1", "rocev2"})
_STREAMS = frozenset({"tcp", "quic"})
_OUTERMOST = "is the outermost layer; a stack is such as calico-vxlan or vlan/ipv4/tcp"


@dataclass(frozen=True)
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
    preset : str
        Preset that they come from, with the layers that follow it; empty where all were
        written out.

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
    preset: str = field(default="", compare=False)

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
                where = f"stands inside {outside}" if outside else _OUTERMOST
                raise DomainError(f"{layer.protocol} {rule}; it {where}")
            outside = layer.protocol
        if not self.layers:
            raise DomainError("a stack needs at least the ethernet layer")
        if self.layers[-1].level is Level.TUNNEL:
            raise DomainError(f"{outside} must carry something; it is the innermost layer")

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type["Stack"], tuple[tuple[Layer, ...], str]]:
        """Return what it was made of alone, as hashes are others in another process."""
        return Stack, (self.layers, self.preset)

    def __repr__(self) -> str:
        return f"<Stack {self}>"

    def __str__(self) -> str:
        return "/".join(str(layer) for layer in self.layers)

    @cached_property
    def protocols(self) -> tuple[str, ...]:
        """Return the protocol of each layer, outermost first."""
        return tuple(layer.protocol for layer in self.layers)

    @cached_property
    def _ends(self) -> tuple[int, int, int]:
        """Return where the outermost packet, the innermost one and the records begin."""
        levels = [layer.level for layer in self.layers]
        packets = [i for i, level in enumerate(levels) if level is Level.INTERNET] or [len(levels)]
        records = levels.index(Level.RECORDS) if Level.RECORDS in levels else len(levels)
        return packets[0], packets[-1], records

    @cached_property
    def link_layers(self) -> tuple[Layer, ...]:
        """Return the layers in front of the outermost packet."""
        return self.layers[: self._ends[0]]

    @cached_property
    def tunnel_layers(self) -> tuple[Layer, ...]:
        """Return the layers from the outermost packet to the innermost."""
        return self.layers[self._ends[0] : self._ends[1]]

    @cached_property
    def inner_layers(self) -> tuple[Layer, ...]:
        """Return the layers of the innermost packet, whose MTU the application sees."""
        return self.layers[self._ends[1] : self._ends[2]]

    @cached_property
    def record_layers(self) -> tuple[Layer, ...]:
        """Return the layers that cut the byte stream of the transport into records."""
        return self.layers[self._ends[2] :]

    @cached_property
    def merges_messages(self) -> bool:
        """Return whether messages are a byte stream, in which two may share a segment."""
        return self.layers[self._ends[2] - 1].protocol in _STREAMS

    @property
    def transport_notes(self) -> list[str]:
        """Return that payload follows the link or a packet at once, where no transport does."""
        last, of_rdma = self.layers[-1], self._is_roce or self._is_infiniband
        is_bare = last.level in {Level.LINK, Level.INTERNET} and not of_rdma
        return [f"no transport header: all behind {last.protocol} counts as payload"] * is_bare

    @property
    def estimates(self) -> tuple[str, ...]:
        """Return which of the lengths are estimates, and why."""
        return tuple(
            f"{layer} is an estimate: {layer.estimate}" for layer in self.layers if layer.estimate
        )

    @cached_property
    def link_header_bytes(self) -> int:
        """Return what the link puts around a packet, but for the check sequence. [byte]"""
        return sum(layer.fixed_bytes for layer in self.link_layers)

    @property
    def header_bytes(self) -> int:
        """
        Return the headers inside the innermost packet, options included. [byte]

        Raises
        ------
        DomainError
            If the packet is padded to blocks or its payload cut into records, so
            that the overhead depends on the payload.

        Examples
        --------
        >>> from netmodel.framing import parse_stack
        >>> parse_stack("ethernet/ipv4/tcp+timestamps").header_bytes
        52
        """
        if self.record_layers or any(layer.is_stepped for layer in self.inner_layers):
            raise DomainError(f"the overhead of {self} depends on the payload")
        return sum(layer.fixed_bytes for layer in self.inner_layers)

    @cached_property
    def minimum_mtu_bytes(self) -> int:
        """Return the smallest MTU that the innermost packet may have with payload. [byte]"""
        content_bytes = max((layer.minimum_content_bytes for layer in self.inner_layers), default=1)
        if self._is_infiniband:
            return content_bytes
        least_bytes = [layer.minimum_mtu_bytes for layer in self.inner_layers]
        least_bytes += [RDMA_MTUS_BYTES[0] + RDMA_HEADERS_BYTES] * self._is_roce
        return max([int(self.packet_bytes(content_bytes)), *least_bytes])

    def payload_bytes(self, mtu_bytes: Q | Number) -> Q:
        """
        Return the payload of one full packet. [byte]

        Where the stream is cut into records it is the mean over a long stream
        of full records.
        """
        content_bytes: Q = self.segment_bytes(mtu_bytes)
        for layer in self.record_layers:
            content_bytes = layer.mean_content_bytes(content_bytes)
        return content_bytes

    def segment_bytes(self, mtu_bytes: Q | Number) -> Q:
        """Return what one full packet carries: payload, with the headers of records. [byte]"""
        mtu = require_at_least("mtu_bytes", mtu_bytes, self.minimum_mtu_bytes, "byte")
        return self._content_bytes(mtu)

    def _content_bytes(self, mtu_bytes: Q) -> Q:
        """Return what one full packet carries, of an MTU that was checked."""
        if self._is_infiniband:  # whose MTU is that of the payload
            return rdma_mtu_bytes(mtu_bytes + RDMA_HEADERS_BYTES)
        content_bytes = _room_bytes(self.inner_layers, mtu_bytes)
        if not self._is_roce:
            return content_bytes
        return rdma_mtu_bytes(minimum(mtu_bytes, content_bytes + RDMA_HEADERS_BYTES))

    def packet_bytes(self, segment_bytes: Q | Number) -> Q:
        """Return the innermost packet that carries a segment, with the headers of records."""
        segment_bytes = require_at_least("segment_bytes", segment_bytes, 0, "byte")
        return _size_bytes(self.inner_layers, segment_bytes, segment_bytes)

    def outer_packet_bytes(
        self, packet_bytes: Q | Number, mtu_bytes: Q | Number | None = None
    ) -> Q:
        """
        Return the outermost packet that carries an innermost packet. [byte]

        The MTU of the innermost interface matters where a tunnel pads up to it.
        """
        packet_bytes = require_at_least("packet_bytes", packet_bytes, 0, "byte")
        if mtu_bytes is not None:
            mtu_bytes = require_at_least("mtu_bytes", mtu_bytes, 0, "byte")
        elif any(layer.pads_up_to_mtu for layer in self.tunnel_layers):
            raise DomainError(f"the padding of {self} depends on the MTU: give mtu_bytes")
        within_bytes = packet_bytes if mtu_bytes is None else mtu_bytes
        return _size_bytes(self.tunnel_layers, packet_bytes, within_bytes)

    def mtu_bytes(self, link_mtu_bytes: Q | Number) -> Q:
        """
        Return the largest innermost packet that fits the MTU of the link. [byte]

        Raises
        ------
        DomainError
            If the headers leave no room for the smallest packet.
        """
        first, last, _ = self._ends
        smallest: list[int] = [layer.minimum_mtu_bytes for layer in self.layers[:last]]
        least_bytes = max(
            int(_size_bytes(self.layers[first:place], each_bytes, each_bytes))
            for place, each_bytes in enumerate([*smallest, self.minimum_mtu_bytes])
            if place == last or self.layers[place].level is Level.INTERNET
        )
        link_mtu_bytes = require_at_least("link_mtu_bytes", link_mtu_bytes, least_bytes, "byte")
        return _room_bytes(self.tunnel_layers, link_mtu_bytes)

    def frame_bytes(self, packet_bytes: Q | Number, mtu_bytes: Q | Number | None = None) -> Q:
        """Return the frame that carries a packet, destination address to FCS. [byte]"""
        outer_bytes = self.outer_packet_bytes(packet_bytes, mtu_bytes)
        if self._is_infiniband:  # a frame by itself
            return outer_bytes
        return lengths.frame_bytes(outer_bytes, self.link_header_bytes)

    def wire_bytes(self, packet_bytes: Q | Number, mtu_bytes: Q | Number | None = None) -> Q:
        """Return the frame that carries a packet, with preamble, delimiter and gap. [byte]"""
        return self._around_bytes(self.outer_packet_bytes(packet_bytes, mtu_bytes))

    def _around_bytes(self, outer_bytes: Q) -> Q:
        """Return the same for the outermost packet."""
        if self._is_infiniband:
            return outer_bytes
        return lengths.wire_bytes(outer_bytes, self.link_header_bytes)

    def message_wire_bytes(self, message_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """
        Return the frames of one message that shares no segment with another. [byte]

        Over UDP the message is a datagram, over RoCE one RDMA operation, over SMC-R
        a write and the CDC message that announces it.
        """
        return cast("Q", self.message_totals(message_bytes, mtu_bytes)[2])

    def message_frame_count(self, message_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """Return the frames of one message: its segments, and the CDC message of SMC-R."""
        return cast("Q", self.message_totals(message_bytes, mtu_bytes)[0])

    def message_totals(
        self, message_bytes: Q | Number, mtu_bytes: Q | Number
    ) -> tuple[Any, Any, Any]:
        """Return the frames of such a message, its outermost packets, and its bytes on the wire."""
        mtu: Any = require_at_least("mtu_bytes", mtu_bytes, self.minimum_mtu_bytes, "byte")
        packets = self._packets_of(message_bytes, mtu)
        outer = [(count, _size_bytes(self.tunnel_layers, each, mtu)) for count, each in packets]
        wires = (count * self._around_bytes(each) for count, each in outer)
        return sum(n for n, _ in outer), sum(n * each for n, each in outer), sum(wires)

    def message_segment_count(self, message_bytes: Q | Number, mtu_bytes: Q | Number) -> Q:
        """Return the segments, or fragments, of one message that shares none with another."""
        cdc_message_count = sum(layer.cdc_message_bytes > 0 for layer in self.inner_layers)
        return self.message_frame_count(message_bytes, mtu_bytes) - cdc_message_count

    def stream_bytes(self, message_bytes: Q | Number) -> Q:
        """Return a message with the headers of its records, of which it shares none."""
        message_bytes = require_at_least("message_bytes", message_bytes, 0, "byte")
        return _size_bytes(self.record_layers, message_bytes, message_bytes)

    def acknowledgement_wire_bytes(self, mtu_bytes: Q | Number | None = None) -> Q:
        """
        Return the frame of a pure acknowledgement, with preamble, delimiter and gap. [byte]

        Raises
        ------
        DomainError
            If no layer acknowledges, or none with a packet of a known size.
        """
        for place, layer in reversed([*enumerate(self.layers, 1)]):
            if layer.acknowledgement_bytes is not None:
                stack = Stack(self.layers[:place])
                return stack.wire_bytes(stack.packet_bytes(layer.acknowledgement_bytes), mtu_bytes)
        raise DomainError(f"{self} has no acknowledgements of a known size")

    def full_frame_parts(self, mtu_bytes: int) -> tuple[Part, ...]:
        """Return everything on the wire for one full packet, by name and in wire order."""
        segment_bytes = int(self.segment_bytes(mtu_bytes))
        packet_bytes = int(self.packet_bytes(segment_bytes))
        outer_bytes = int(self.outer_packet_bytes(packet_bytes, mtu_bytes))
        unpadded_bytes = outer_bytes + self.link_header_bytes + lengths.FCS_BYTES
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
            (self.tunnel_layers, packet_bytes, mtu_bytes),
            (self.link_layers, outer_bytes, outer_bytes),
        ):
            inside = _wrapped(inside, zone, content_bytes, content_mtu_bytes)
        if self._is_infiniband:
            return tuple(part for part in inside if part.bytes)
        # (3) what Ethernet adds to each frame
        named = (
            Part("preamble", lengths.PREAMBLE_BYTES),
            Part("sfd", lengths.SFD_BYTES),
            *inside,
            Part("padding", max(lengths.MIN_FRAME_BYTES - unpadded_bytes, 0)),
            Part("fcs", lengths.FCS_BYTES),
            Part("interframe_gap", lengths.GAP_BYTES),
        )
        return tuple(part for part in named if part.bytes)

    def _packets_of(self, message_bytes: Q | Number, mtu_bytes: Q) -> list[tuple[Any, Q]]:
        """Return how many innermost packets of each length a message becomes."""
        if self._longest_split_bytes:
            return self._fragments_of(message_bytes, mtu_bytes)
        segment_bytes = self._content_bytes(mtu_bytes)
        if self.protocols[-1] == "udp":  # of a tunnel, inside which no datagram is split
            require_at_most("message_bytes", message_bytes, segment_bytes, "byte")
        stream_bytes: Any = self.stream_bytes(message_bytes)
        full_count = segment_count(stream_bytes, segment_bytes) - 1
        tail = stream_bytes - full_count * segment_bytes
        segments: list[tuple[Any, Any]] = [(full_count, segment_bytes), (1, tail)]
        for layer in self.inner_layers:
            if layer.message_header_bytes:
                first = minimum(stream_bytes, segment_bytes)
                segments += [(1, first + layer.message_header_bytes), (-1, first)]
            if layer.message_trailer_bytes:
                last_count = minimum(full_count, 1)
                segments += [(last_count, tail + layer.message_trailer_bytes), (-last_count, tail)]
            if layer.cdc_message_bytes:
                segments.append((1, layer.cdc_message_bytes))
        return [(count, _size_bytes(self.inner_layers, each, each)) for count, each in segments]

    def _fragments_of(
        self, datagram_bytes: Q | Number, mtu_bytes: Q | Number
    ) -> list[tuple[Any, Q]]:
        """Return the packets of a datagram that IP splits where it is too long for one."""
        ip_layer, _ = self.inner_layers
        full_count, full_bytes, last_bytes = udp_fragmentation(
            require_at_most("datagram_bytes", datagram_bytes, self._longest_split_bytes, "byte"),
            mtu_bytes,
            ip_layer.header_bytes,
            ip_layer.fragment_header_bytes,
        )
        return [(full_count, full_bytes), (1, last_bytes)]

    def longest_datagram_bytes(self, mtu_bytes: int) -> int:
        """Return the longest message of UDP, in fragments of IP where no tunnel forbids them."""
        return self._longest_split_bytes or int(self.segment_bytes(mtu_bytes))

    @cached_property
    def _longest_split_bytes(self) -> int:
        """Longest datagram that IP splits into packets; 0 where it splits none."""
        if self.protocols[-1] != "udp" or len(self.inner_layers) != len(("IP", "UDP")):
            return 0
        ip_layer, _ = self.inner_layers
        # the length field of IPv6 leaves its own header out, that of IPv4 counts it
        is_v6 = ip_layer.protocol == "ipv6"
        return MAX_DATAGRAM_BYTES - ip_layer.header_bytes + IPV6_HEADER_BYTES * is_v6

    @cached_property
    def _hash(self) -> int:
        return hash(self.layers)

    @cached_property
    def _is_roce(self) -> bool:
        return not _ROCE.isdisjoint(self.protocols)

    @cached_property
    def _is_infiniband(self) -> bool:
        return self.layers[0].protocol == "infiniband"


def _size_bytes(layers: tuple[Layer, ...], content_bytes: Q, mtu_bytes: Q) -> Q:
    """Return the length of layers around a content that came through an interface of an MTU."""
    around_bytes = 0
    for layer in reversed(layers):
        if layer.is_stepped:
            inside_bytes, most_bytes = content_bytes + around_bytes, mtu_bytes + around_bytes
            content_bytes = layer.size_bytes(inside_bytes, most_bytes)
            mtu_bytes = layer.size_bytes(most_bytes, most_bytes)
            around_bytes = 0
        else:
            around_bytes += layer.fixed_bytes
    return content_bytes + around_bytes


def _room_bytes(layers: tuple[Layer, ...], size_bytes: Q) -> Q:
    """Return the longest content with which nested layers are not longer than a size."""
    for layer in layers:
        size_bytes = layer.room_bytes(size_bytes)
    return size_bytes


def _wrapped(
    inside: tuple[Part, ...], layers: tuple[Layer, ...], content_bytes: int, mtu_bytes: int
) -> tuple[Part, ...]:
    """Return the parts of nested layers around the parts of their content."""
    for layer in reversed(layers):
        whole_bytes = cast("int", layer.size_bytes(content_bytes, mtu_bytes))
        count = cast("int", layer.record_count(content_bytes))
        padding_bytes = whole_bytes - content_bytes - layer.fixed_bytes * count
        header = (Part(part.name, part.bytes * count) for part in layer.header)
        inside = (
            *header,
            *inside,
            Part(f"{layer.protocol}_padding", padding_bytes),
            *layer.trailer,
        )
        content_bytes, mtu_bytes = whole_bytes, cast("int", layer.size_bytes(mtu_bytes, mtu_bytes))
    return inside


def mtu_of_rdma(rdma_mtu_bytes: int, mtu_bytes: int | None, stack: Stack | None) -> int:
    """
    Return the smallest MTU of an interface whose RDMA packets carry this payload.

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
        MTU of an IP interface; of InfiniBand that of the path, which is the same. [byte]

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
    is_infiniband = stack is not None and stack._is_infiniband
    least_bytes = rdma_mtu_bytes + (0 if is_infiniband else RDMA_HEADERS_BYTES)
    if stack is not None:
        if not (stack._is_roce or is_infiniband):
            raise DomainError(f"an RDMA MTU is of rocev1, rocev2 or infiniband; got {stack}")
        least_bytes = max(least_bytes, stack.minimum_mtu_bytes)
        if stack.segment_bytes(least_bytes) != rdma_mtu_bytes:
            raise DomainError(f"RDMA packets of {rdma_mtu_bytes} byte are not modelled in {stack}")
    if mtu_bytes is not None and mtu_bytes < least_bytes:
        raise DomainError(
            f"an RDMA MTU of {rdma_mtu_bytes} byte needs an IP MTU of {least_bytes} or more; got "
            f"{mtu_bytes}"
        )
    return least_bytes
