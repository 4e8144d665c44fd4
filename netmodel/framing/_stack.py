"""A header stack: layers from the line inwards."""

from collections.abc import Iterator
from dataclasses import dataclass

from netmodel._numeric import Quantity, require_at_least, require_at_most, require_whole
from netmodel.errors import DomainError
from netmodel.framing import _fragments, _frame, unchecked
from netmodel.framing._layers import Layer, Part, ethernet, ipv4, ipv6, tcp, udp, vlan

__all__ = ["Stack", "tcp_stack", "udp_stack"]

_LINK_PROTOCOLS = frozenset({"ethernet", "vlan", "qinq"})
_IP_LAYERS = {4: ipv4, 6: ipv6}
_MAX_VLAN_TAGS = 8


@dataclass(frozen=True, slots=True, repr=False)
class Stack:
    """
    Layers from the line inwards, each of which carries the next.

    Parameters
    ----------
    layers : tuple of Layer
        Outermost first, Ethernet before all others.

    Raises
    ------
    DomainError
        If a layer stands inside one that cannot carry it.

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
            if outside not in (layer.carried_by or {""}):
                raise DomainError(_misplaced(layer, outside))
            outside = layer.protocol
        if not self.layers:
            raise DomainError("a stack needs at least the ethernet layer")

    def __repr__(self) -> str:
        return f"<Stack {self}>"

    def __str__(self) -> str:
        return "/".join(str(layer) for layer in self.layers)

    @property
    def protocols(self) -> tuple[str, ...]:
        """Protocol of each layer, outermost first."""
        return tuple(layer.protocol for layer in self.layers)

    @property
    def link_header_bytes(self) -> int:
        """Header and tags in front of the packet. [byte]"""
        return sum(layer.header_bytes for layer in self._link_layers())

    @property
    def header_bytes(self) -> int:
        """Headers inside the packet, options included. [byte]"""
        return sum(layer.header_bytes for layer in self.layers) - self.link_header_bytes

    @property
    def minimum_mtu_bytes(self) -> int:
        """Smallest MTU that the protocols allow and that holds a byte of payload. [byte]"""
        return max(self.header_bytes + 1, *(layer.minimum_mtu_bytes for layer in self.layers))

    def payload_bytes(self, mtu_bytes: Quantity) -> Quantity:
        """Payload of one full packet. [byte]"""
        mtu_bytes = require_at_least("mtu_bytes", mtu_bytes, self.minimum_mtu_bytes, "byte")
        return _frame.payload_bytes(mtu_bytes, self.header_bytes)

    def frame_bytes(self, packet_bytes: Quantity) -> Quantity:
        """Frame that carries a packet, destination address to check sequence. [byte]"""
        return _frame.frame_bytes(packet_bytes, self.link_header_bytes)

    def wire_bytes(self, packet_bytes: Quantity) -> Quantity:
        """Frame that carries a packet, with preamble, delimiter and gap. [byte]"""
        return _frame.wire_bytes(packet_bytes, self.link_header_bytes)

    def datagram_wire_bytes(self, datagram_bytes: Quantity, mtu_bytes: Quantity) -> Quantity:
        """Frames of one UDP datagram, fragmented where the MTU demands it. [byte]"""
        if self.protocols[-1] != "udp":
            raise DomainError(f"only udp carries datagrams; the innermost layer of {self} is not")
        return _fragments.udp_wire_bytes(
            datagram_bytes,
            require_at_least("mtu_bytes", mtu_bytes, self.minimum_mtu_bytes, "byte"),
            self.header_bytes - self.layers[-1].header_bytes,
            sum(layer.fragment_header_bytes for layer in self.layers),
            self.link_header_bytes,
        )

    def parts(self, packet_bytes: int) -> tuple[Part, ...]:
        """Everything on the wire for one packet, by name and in wire order."""
        packet_bytes = require_whole("packet_bytes", packet_bytes)
        require_at_least("packet_bytes", packet_bytes, self.header_bytes, "byte")
        unpadded_bytes = packet_bytes + self.link_header_bytes + unchecked.FCS_BYTES
        named = (
            Part("preamble", unchecked.PREAMBLE_BYTES),
            Part("sfd", unchecked.SFD_BYTES),
            *(part for layer in self.layers for part in layer.header),
            Part("payload", packet_bytes - self.header_bytes),
            Part("padding", self.frame_bytes(packet_bytes) - unpadded_bytes),
            Part("fcs", unchecked.FCS_BYTES),
            Part("interframe_gap", unchecked.GAP_BYTES),
        )
        return tuple(part for part in named if part.bytes)

    def _link_layers(self) -> Iterator[Layer]:
        return (layer for layer in self.layers if layer.protocol in _LINK_PROTOCOLS)


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


def _misplaced(layer: Layer, outside: str) -> str:
    if not layer.carried_by:
        return f"{layer.protocol} must be the outermost layer; it stands inside {outside}"
    allowed = " or ".join(sorted(layer.carried_by))
    where = f"inside {outside}" if outside else "outermost"
    return f"{layer.protocol} must stand directly inside {allowed}; it stands {where}"
