"""A header stack: layers from the line inwards."""

from dataclasses import dataclass

from netmodel._numeric import Quantity, minimum, require_at_least, require_at_most, require_whole
from netmodel.errors import DomainError
from netmodel.framing import unchecked
from netmodel.framing._fragments import udp_fragmentation
from netmodel.framing._layer import Layer, Level, Part
from netmodel.framing._messages import segment_count, tail_bytes
from netmodel.framing._rdma import (
    RDMA_HEADERS_BYTES,
    RDMA_MTUS_BYTES,
    RDMA_WRITE_HEADER_BYTES,
    rdma_mtu_bytes,
)
from netmodel.framing.layers import ethernet, ipv4, ipv6, tcp, udp, vlan

__all__ = ["Stack", "tcp_stack", "udp_stack"]

_IP_LAYERS = {4: ipv4, 6: ipv6}
_MAX_VLAN_TAGS = 8
_ROCE = frozenset({"rocev1", "rocev2"})


@dataclass(frozen=True, slots=True, repr=False)
class Stack:
    """
    Layers from the line inwards, each of which carries the next.

    Three zones follow from the layers. The *link* zone is in front of the
    outermost packet. The *inner* zone begins with the innermost packet, whose
    MTU an application sees. The *tunnel* zone is between the two, and empty
    where there is one packet only.

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
    >>> stack = Stack((ethernet(), vlan(), ipv4(), tcp()))
    >>> print(stack)
    ethernet/vlan/ipv4/tcp+timestamps
    >>> stack.payload_bytes(1500), stack.wire_bytes(1500)
    (1448, 1542)
    """

    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        outside = ""
        for layer in self.layers:
            if outside not in layer.carried_by:
                raise DomainError(_misplaced(layer, outside))
            outside = layer.protocol
        if not self.layers:
            raise DomainError("a stack needs at least the ethernet layer")
        if self.layers[-1].level is Level.TUNNEL:
            raise DomainError(f"{outside} must carry something; it is the innermost layer")

    def __repr__(self) -> str:
        return f"<Stack {self}>"

    def __str__(self) -> str:
        return "/".join(str(layer) for layer in self.layers)

    @property
    def protocols(self) -> tuple[str, ...]:
        """Protocol of each layer, outermost first."""
        return tuple(layer.protocol for layer in self.layers)

    @property
    def link_layers(self) -> tuple[Layer, ...]:
        """Layers in front of the outermost packet."""
        return self.layers[: self._packet_starts()[0]]

    @property
    def tunnel_layers(self) -> tuple[Layer, ...]:
        """Layers from the outermost packet to the innermost."""
        starts = self._packet_starts()
        first, last = starts[0], starts[-1]
        return self.layers[first:last]

    @property
    def inner_layers(self) -> tuple[Layer, ...]:
        """Layers of the innermost packet, whose MTU the application sees."""
        return self.layers[self._packet_starts()[-1] :]

    @property
    def link_header_bytes(self) -> int:
        """What the link puts around a packet, but for the check sequence. [byte]"""
        return sum(layer.fixed_bytes for layer in self.link_layers)

    @property
    def header_bytes(self) -> int:
        """
        Headers inside the innermost packet, options included. [byte]

        Raises
        ------
        DomainError
            If the packet is padded to blocks, so that its overhead depends on
            its payload.
        """
        if any(layer.block_bytes > 1 for layer in self.inner_layers):
            raise DomainError(f"the overhead of {self} depends on the payload")
        return sum(layer.fixed_bytes for layer in self.inner_layers)

    @property
    def minimum_mtu_bytes(self) -> int:
        """Smallest MTU that the innermost packet may have and that holds payload. [byte]"""
        is_roce = self.protocols[-1] in _ROCE
        smallest_bytes = self.packet_bytes(RDMA_MTUS_BYTES[0] if is_roce else 1)
        kept_bytes = RDMA_MTUS_BYTES[0] + RDMA_HEADERS_BYTES if is_roce else 0
        own_bytes = max((layer.minimum_mtu_bytes for layer in self.inner_layers[:1]), default=0)
        return max(int(smallest_bytes), kept_bytes, own_bytes)

    def payload_bytes(self, mtu_bytes: Quantity) -> Quantity:
        """Payload of one full packet. [byte]"""
        mtu_bytes = require_at_least("mtu_bytes", mtu_bytes, self.minimum_mtu_bytes, "byte")
        room_bytes = _room_bytes(self.inner_layers, mtu_bytes)
        if self.protocols[-1] not in _ROCE:
            return room_bytes
        return rdma_mtu_bytes(minimum(mtu_bytes, room_bytes + RDMA_HEADERS_BYTES))

    def packet_bytes(self, payload_bytes: Quantity) -> Quantity:
        """Innermost packet with a payload. [byte]"""
        payload_bytes = require_at_least("payload_bytes", payload_bytes, 0, "byte")
        return _size_bytes(self.inner_layers, payload_bytes, payload_bytes)

    def outer_packet_bytes(
        self, packet_bytes: Quantity, mtu_bytes: Quantity | None = None
    ) -> Quantity:
        """
        Outermost packet that carries an innermost packet. [byte]

        The MTU of the innermost interface matters where a tunnel pads up to it.
        """
        packet_bytes = require_at_least("packet_bytes", packet_bytes, 0, "byte")
        if mtu_bytes is None:
            if any(layer.pads_up_to_mtu for layer in self.tunnel_layers):
                raise DomainError(f"the padding of {self} depends on the MTU: state mtu_bytes")
            mtu_bytes = packet_bytes
        return _size_bytes(self.tunnel_layers, packet_bytes, mtu_bytes)

    def mtu_bytes(self, link_mtu_bytes: Quantity) -> Quantity:
        """
        Largest innermost packet that fits the MTU of the link. [byte]

        Raises
        ------
        DomainError
            If the headers leave no room for the smallest packet.
        """
        least_bytes = self._least_link_mtu_bytes()
        link_mtu_bytes = require_at_least("link_mtu_bytes", link_mtu_bytes, least_bytes, "byte")
        return _room_bytes(self.tunnel_layers, link_mtu_bytes)

    def frame_bytes(self, packet_bytes: Quantity, mtu_bytes: Quantity | None = None) -> Quantity:
        """Frame that carries a packet, destination address to check sequence. [byte]"""
        outer_bytes = self.outer_packet_bytes(packet_bytes, mtu_bytes)
        return unchecked.frame_bytes(outer_bytes, self.link_header_bytes)

    def wire_bytes(self, packet_bytes: Quantity, mtu_bytes: Quantity | None = None) -> Quantity:
        """Frame that carries a packet, with preamble, delimiter and gap. [byte]"""
        outer_bytes = self.outer_packet_bytes(packet_bytes, mtu_bytes)
        return unchecked.wire_bytes(outer_bytes, self.link_header_bytes)

    def datagram_wire_bytes(self, datagram_bytes: Quantity, mtu_bytes: Quantity) -> Quantity:
        """Frames of one UDP datagram, fragmented where the MTU demands it. [byte]"""
        if self.protocols[-1] != "udp" or len(self.inner_layers) != 2:
            raise DomainError(f"a datagram needs udp inside IP as the innermost layers, not {self}")
        ip_layer, _ = self.inner_layers
        split = udp_fragmentation(
            datagram_bytes,
            require_at_least("mtu_bytes", mtu_bytes, self.minimum_mtu_bytes, "byte"),
            ip_layer.header_bytes,
            ip_layer.fragment_header_bytes,
        )
        full_wire_bytes = self.wire_bytes(split.full_packet_bytes, mtu_bytes)
        return split.full_count * full_wire_bytes + self.wire_bytes(
            split.last_packet_bytes, mtu_bytes
        )

    def message_wire_bytes(self, message_bytes: Quantity, mtu_bytes: Quantity) -> Quantity:
        """
        Frames of one message that shares no segment with another. [byte]

        Over UDP the message is a datagram, over RoCE one RDMA write.
        """
        if self.protocols[-1] == "udp":
            return self.datagram_wire_bytes(message_bytes, mtu_bytes)
        segment_bytes = self.payload_bytes(mtu_bytes)
        full_count = segment_count(message_bytes, segment_bytes) - 1
        full_packet_bytes = self.packet_bytes(segment_bytes)
        tail_packet_bytes = self.packet_bytes(tail_bytes(message_bytes, segment_bytes))
        write_header_bytes = RDMA_WRITE_HEADER_BYTES if self.protocols[-1] in _ROCE else 0
        return (
            full_count * self.wire_bytes(full_packet_bytes, mtu_bytes)
            + self.wire_bytes(tail_packet_bytes, mtu_bytes)
            + write_header_bytes
        )

    def parts(self, packet_bytes: int, mtu_bytes: int | None = None) -> tuple[Part, ...]:
        """
        Everything on the wire for one packet, by name and in wire order.

        Where blocks are padded, the payload is the largest that makes this packet.
        """
        packet_bytes = require_whole("packet_bytes", packet_bytes)
        require_at_least("packet_bytes", packet_bytes, int(self.packet_bytes(0)), "byte")
        payload_bytes = _room_bytes(self.inner_layers, packet_bytes)
        if self.packet_bytes(payload_bytes) != packet_bytes:
            raise DomainError(
                f"no packet of {self} has {packet_bytes} byte: it is padded to blocks"
            )
        return self._parts_around(payload_bytes, packet_bytes, mtu_bytes)

    def full_frame_parts(self, mtu_bytes: int) -> tuple[Part, ...]:
        """Everything on the wire for one full packet, by name and in wire order."""
        payload_bytes = int(self.payload_bytes(mtu_bytes))
        return self._parts_around(payload_bytes, int(self.packet_bytes(payload_bytes)), mtu_bytes)

    def _parts_around(
        self, payload_bytes: int, packet_bytes: int, mtu_bytes: int | None
    ) -> tuple[Part, ...]:
        outer_bytes = self.outer_packet_bytes(packet_bytes, mtu_bytes)
        unpadded_bytes = outer_bytes + self.link_header_bytes + unchecked.FCS_BYTES
        inside: tuple[Part, ...] = (Part("payload", payload_bytes),)
        for zone, content_bytes, content_mtu_bytes in (
            (self.inner_layers, payload_bytes, payload_bytes),
            (self.tunnel_layers, packet_bytes, mtu_bytes or packet_bytes),
            (self.link_layers, outer_bytes, outer_bytes),
        ):
            inside = _wrapped(inside, zone, content_bytes, content_mtu_bytes)
        named = (
            Part("preamble", unchecked.PREAMBLE_BYTES),
            Part("sfd", unchecked.SFD_BYTES),
            *inside,
            Part(
                "padding",
                unchecked.frame_bytes(outer_bytes, self.link_header_bytes) - unpadded_bytes,
            ),
            Part("fcs", unchecked.FCS_BYTES),
            Part("interframe_gap", unchecked.GAP_BYTES),
        )
        return tuple(part for part in named if part.bytes)

    def _least_link_mtu_bytes(self) -> int:
        """Smallest link MTU at which no packet is below what its protocol allows. [byte]"""
        starts = self._packet_starts()
        least_bytes = [layer.minimum_mtu_bytes for layer in self.layers]
        least_bytes[starts[-1] :] = [self.minimum_mtu_bytes]
        return max(
            int(_size_bytes(self.layers[starts[0] : place], least_bytes[place], least_bytes[place]))
            for place in starts
        )

    def _packet_starts(self) -> list[int]:
        """Places of the layers that open a packet; behind the last layer if there is none."""
        starts = [i for i, layer in enumerate(self.layers) if layer.level is Level.INTERNET]
        return starts or [len(self.layers)]


def tcp_stack(*, ip_version: int = 4, timestamps: bool = True, vlan_tags: int = 0) -> Stack:
    """
    TCP over IP over Ethernet.

    Parameters
    ----------
    ip_version : int
        4 or 6.
    timestamps : bool
        Whether TCP segments carry the timestamps option, as Linux does by
        default.
    vlan_tags : int
        802.1Q tags in each frame, at most 8.

    Returns
    -------
    stack : Stack
        Layers of a segment of an established connection.

    Raises
    ------
    DomainError
        If there is no such IP version, or not 0 to 8 tags.

    Examples
    --------
    >>> tcp_stack(ip_version=6).payload_bytes(1500)
    1428
    """
    return Stack((*_ip_layers(ip_version, vlan_tags), tcp(timestamps=timestamps)))


def udp_stack(*, ip_version: int = 4, vlan_tags: int = 0) -> Stack:
    """
    UDP over IP over Ethernet.

    Parameters
    ----------
    ip_version : int
        4 or 6.
    vlan_tags : int
        802.1Q tags in each frame, at most 8.

    Returns
    -------
    stack : Stack
        Layers of a datagram that fits one packet.

    Raises
    ------
    DomainError
        If there is no such IP version, or not 0 to 8 tags.

    Examples
    --------
    >>> udp_stack().payload_bytes(1500)
    1472
    """
    return Stack((*_ip_layers(ip_version, vlan_tags), udp()))


def _ip_layers(ip_version: int, vlan_tags: int) -> tuple[Layer, ...]:
    vlan_tags = require_whole("vlan_tags", vlan_tags)
    require_at_least("vlan_tags", vlan_tags, 0, "tag")
    require_at_most("vlan_tags", vlan_tags, _MAX_VLAN_TAGS, "tag")
    if ip_version not in _IP_LAYERS:
        raise DomainError(f"ip_version must be 4 or 6; got {ip_version!r}")
    return (ethernet(), *[vlan()] * vlan_tags, _IP_LAYERS[ip_version]())


def _size_bytes(
    layers: tuple[Layer, ...], content_bytes: Quantity, mtu_bytes: Quantity
) -> Quantity:
    """Length of nested layers around a content that came through an interface of an MTU."""
    depends_on_mtu = any(layer.pads_up_to_mtu for layer in layers)
    fixed_bytes = 0
    for layer in reversed(layers):
        if layer.block_bytes == 1:
            fixed_bytes += layer.fixed_bytes
            continue
        mtu_bytes = mtu_bytes + fixed_bytes if depends_on_mtu else 0
        content_bytes = layer.size_bytes(content_bytes + fixed_bytes, mtu_bytes)
        mtu_bytes = layer.size_bytes(mtu_bytes, mtu_bytes)
        fixed_bytes = 0
    return content_bytes + fixed_bytes


def _room_bytes(layers: tuple[Layer, ...], size_bytes: Quantity) -> Quantity:
    """Longest content with which nested layers are not longer than a size."""
    for layer in layers:
        size_bytes = layer.room_bytes(size_bytes)
    return size_bytes


def _wrapped(
    inside: tuple[Part, ...], layers: tuple[Layer, ...], content_bytes: int, mtu_bytes: int
) -> tuple[Part, ...]:
    """Parts of nested layers around the parts of their content."""
    for layer in reversed(layers):
        padding = Part(f"{layer.protocol}_padding", layer.padding_bytes(content_bytes, mtu_bytes))
        inside = (*layer.header, *inside, padding, *layer.trailer)
        content_bytes, mtu_bytes = (
            layer.size_bytes(content_bytes, mtu_bytes),
            layer.size_bytes(mtu_bytes, mtu_bytes),
        )
    return inside


def _misplaced(layer: Layer, outside: str) -> str:
    carriers = " or ".join(sorted(layer.carried_by - {""}))
    where = f"stands inside {outside}" if outside else "is the outermost layer"
    rule = f"must stand directly inside {carriers}"
    if "" in layer.carried_by:
        rule = f"must be the outermost layer, or {rule.removeprefix('must ')}"
    return f"{layer.protocol} {rule}; it {where}"
