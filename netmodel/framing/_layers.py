"""Layers of a header stack: what each protocol puts around what it carries."""

from dataclasses import dataclass

from netmodel._numeric import require_at_least, require_whole
from netmodel.errors import DomainError
from netmodel.framing.unchecked import ETHERNET_HEADER_BYTES

__all__ = [
    "TCP_HEADER_BYTES",
    "Layer",
    "Part",
    "ethernet",
    "ipv4",
    "ipv6",
    "qinq",
    "tcp",
    "udp",
    "vlan",
]

_TAGGABLE = frozenset({"ethernet", "vlan", "qinq"})
_INTERNET = frozenset({"ipv4", "ipv6"})

TCP_HEADER_BYTES = 20
_TIMESTAMPS_BYTES = 12
_MAX_IPV4_OPTIONS_BYTES = 40
_MAX_TCP_OPTIONS_BYTES = 40
_MAX_EXTENSION_BYTES = 65528


@dataclass(frozen=True, slots=True)
class Part:
    """Named run of bytes on the wire."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Layer:
    """
    What one protocol puts in front of its payload.

    Parameters
    ----------
    protocol : str
        Protocol, as named in the stack grammar.
    header : tuple of Part
        Header with its options, in wire order.
    carried_by : frozenset of str
        Protocols that this one may stand directly inside; empty for a layer
        that stands outermost.
    options : str
        Options as written behind the protocol in the stack grammar.
    minimum_mtu_bytes : int
        Smallest MTU over which the protocol may run. [byte]
    fragment_header_bytes : int
        What the protocol adds to each packet when it fragments. [byte]
    """

    protocol: str
    header: tuple[Part, ...]
    carried_by: frozenset[str]
    options: str = ""
    minimum_mtu_bytes: int = 0
    fragment_header_bytes: int = 0

    def __str__(self) -> str:
        return self.protocol + self.options

    @property
    def header_bytes(self) -> int:
        """Length of the header with its options. [byte]"""
        return sum(part.bytes for part in self.header)


def ethernet() -> Layer:
    """
    Ethernet II: two addresses and a type; the check sequence belongs to the frame.

    Returns
    -------
    layer : Layer
        14 bytes.

    References
    ----------
    IEEE 802.3, clause 3.1.1.
    """
    return Layer("ethernet", (Part("ethernet_header", ETHERNET_HEADER_BYTES),), frozenset())


def vlan() -> Layer:
    """
    One 802.1Q tag.

    Returns
    -------
    layer : Layer
        4 bytes, not counted in the MTU.

    References
    ----------
    IEEE 802.1Q, clause 9.
    """
    return Layer("vlan", (Part("vlan_tag", 4),), _TAGGABLE)


def qinq() -> Layer:
    """
    A service tag and a customer tag.

    Returns
    -------
    layer : Layer
        8 bytes, not counted in the MTU.

    References
    ----------
    IEEE 802.1ad (in 802.1Q, clause 9).
    """
    return Layer("qinq", (Part("service_tag", 4), Part("customer_tag", 4)), _TAGGABLE)


def ipv4(options_bytes: int = 0) -> Layer:
    """
    Internet Protocol, version 4.

    Parameters
    ----------
    options_bytes : int
        Options with their padding: a multiple of 4 up to 40. [byte]

    Returns
    -------
    layer : Layer
        20 bytes and the options; an MTU of at least 68 bytes.

    Raises
    ------
    DomainError
        If the options do not fit the header.

    References
    ----------
    RFC 791, sections 3.1 and 3.2.
    """
    options_bytes = require_whole("options_bytes", options_bytes)
    _require_multiple("options_bytes", options_bytes, 4, _MAX_IPV4_OPTIONS_BYTES)
    header = _parts(("ipv4_header", 20), ("ipv4_options", options_bytes))
    options = f"+options={options_bytes}" if options_bytes else ""
    return Layer("ipv4", header, _TAGGABLE, options, minimum_mtu_bytes=68)


def ipv6(extension_bytes: int = 0) -> Layer:
    """
    Internet Protocol, version 6.

    Parameters
    ----------
    extension_bytes : int
        Extension headers: a multiple of 8 that a packet can hold. [byte]

    Returns
    -------
    layer : Layer
        40 bytes and the extension headers; an MTU of at least 1280 bytes.

    Raises
    ------
    DomainError
        If the extension headers are no multiple of 8 bytes.

    References
    ----------
    RFC 8200, sections 3 to 5.
    """
    extension_bytes = require_whole("extension_bytes", extension_bytes)
    _require_multiple("extension_bytes", extension_bytes, 8, _MAX_EXTENSION_BYTES)
    header = _parts(("ipv6_header", 40), ("ipv6_extension_headers", extension_bytes))
    options = f"+extension={extension_bytes}" if extension_bytes else ""
    return Layer(
        "ipv6", header, _TAGGABLE, options, minimum_mtu_bytes=1280, fragment_header_bytes=8
    )


def tcp(*, timestamps: bool = True, sack_blocks: int = 0) -> Layer:
    """
    Transmission Control Protocol, as in a segment of an established connection.

    Parameters
    ----------
    timestamps : bool
        Whether each segment carries the timestamps option: 10 bytes and 2 of
        padding.
    sack_blocks : int
        Selective acknowledgements in the segment, at most 3 with timestamps
        and 4 without.

    Returns
    -------
    layer : Layer
        20 bytes and the options.

    Raises
    ------
    DomainError
        If the options need more than 40 bytes, or the block count is negative.

    References
    ----------
    RFC 9293, section 3.1; RFC 7323, section 3 and appendix A; RFC 2018,
    section 3.
    """
    sack_blocks = require_whole("sack_blocks", sack_blocks)
    require_at_least("sack_blocks", sack_blocks, 0, "block")
    timestamps_bytes = _TIMESTAMPS_BYTES if timestamps else 0
    sack_bytes = 4 + 8 * sack_blocks if sack_blocks else 0
    if timestamps_bytes + sack_bytes > _MAX_TCP_OPTIONS_BYTES:
        raise DomainError(
            f"TCP options must fit {_MAX_TCP_OPTIONS_BYTES} byte; {sack_blocks} SACK blocks"
            f"{' with timestamps' if timestamps else ''} need {timestamps_bytes + sack_bytes}"
        )
    header = _parts(
        ("tcp_header", TCP_HEADER_BYTES),
        ("tcp_timestamps", timestamps_bytes),
        ("tcp_sack", sack_bytes),
    )
    options = ("+timestamps" if timestamps else "") + (f"+sack={sack_blocks}" * bool(sack_blocks))
    return Layer("tcp", header, _INTERNET, options)


def udp() -> Layer:
    """
    User Datagram Protocol.

    Returns
    -------
    layer : Layer
        8 bytes.

    References
    ----------
    RFC 768.
    """
    return Layer("udp", (Part("udp_header", 8),), _INTERNET)


def _parts(*parts: tuple[str, int]) -> tuple[Part, ...]:
    return tuple(Part(name, length) for name, length in parts if length)


def _require_multiple(name: str, value: int, step: int, at_most: int) -> None:
    if value % step or not 0 <= value <= at_most:
        raise DomainError(
            f"{name} must be a multiple of {step} byte up to {at_most} byte; got {value}"
        )
