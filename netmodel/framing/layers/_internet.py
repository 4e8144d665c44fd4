"""IP and the transports over it."""

from netmodel.errors import DomainError
from netmodel.framing._layer import WORD_BYTES, Layer, Level, layer, parts, require_multiple
from netmodel.framing.layers._link import LINK_CARRIERS
from netmodel.framing.lengths import (
    IPV4_HEADER_BYTES,
    IPV6_HEADER_BYTES,
    MIN_IPV4_MTU_BYTES,
    TCP_HEADER_BYTES,
    TIMESTAMPS_BYTES,
    UDP_HEADER_BYTES,
)
from netmodel.numeric import require_at_least, require_within

_MAX_OPTIONS_BYTES = 40
"""4 bits of IHL and of data offset count at most 15 words of 4 bytes, 5 of them fixed."""
_MAX_EXTENSION_BYTES = 65528
"""Largest multiple of 8 in the 16 bits of the payload length (RFC 8200, section 3)."""
_MIN_IPV6_MTU_BYTES = 1280
"""RFC 8200, section 5."""
_IPV6_FRAGMENT_HEADER_BYTES = 8
"""RFC 8200, section 4.5."""
_SACK_BYTES, _SACK_BLOCK_BYTES = 4, 8
"""Kind, length and two bytes of padding, and both edges of a block (RFC 2018, section 3)."""
_MAX_CONNECTION_ID_BYTES = 20
"""RFC 9000, section 17.2."""
_USUAL_CONNECTION_ID_BYTES = 8
"""Common choice of servers that balance load."""
_AEAD_TAG_BYTES = 16
"""Check value of every cipher that QUIC uses (RFC 9001, section 5.3)."""
_SMALLEST_QUIC_DATAGRAM_BYTES = 1200
"""RFC 9000, section 14."""

_IP_CARRIERS = LINK_CARRIERS | {
    *("llc-snap", "mpls", "pppoe", "ipv4", "ipv6"),
    *("gre", "geneve", "esp", "wireguard", "openvpn"),
}
_TRANSPORT_CARRIERS = frozenset({"ipv4", "ipv6", "esp"})


@layer
def ipv4(options_bytes: int = 0) -> Layer:
    """
    Return the layer of the Internet Protocol, version 4.

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
    RFC 791, sections 3.1 and 3.2; RFC 2003 for IP in IP.

    Examples
    --------
    >>> ipv4().header_bytes, ipv4(options_bytes=4).header_bytes
    (20, 24)
    """
    require_multiple("options_bytes", options_bytes, WORD_BYTES, _MAX_OPTIONS_BYTES)
    header = parts(ipv4_header=IPV4_HEADER_BYTES, ipv4_options=options_bytes)
    return Layer("ipv4", Level.INTERNET, header, _IP_CARRIERS, minimum_mtu_bytes=MIN_IPV4_MTU_BYTES)


@layer
def ipv6(extension_bytes: int = 0) -> Layer:
    """
    Return the layer of the Internet Protocol, version 6.

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
    RFC 8200, sections 3 to 5; RFC 2473 for tunnels.

    Examples
    --------
    >>> ipv6().header_bytes, ipv6(extension_bytes=8).header_bytes
    (40, 48)
    """
    require_multiple("extension_bytes", extension_bytes, 8, _MAX_EXTENSION_BYTES)
    return Layer(
        "ipv6",
        Level.INTERNET,
        parts(ipv6_header=IPV6_HEADER_BYTES, ipv6_extension_headers=extension_bytes),
        _IP_CARRIERS,
        minimum_mtu_bytes=_MIN_IPV6_MTU_BYTES,
        fragment_header_bytes=_IPV6_FRAGMENT_HEADER_BYTES,
    )


@layer
def tcp(*, timestamps: bool = True, sack_blocks: int = 0) -> Layer:
    """
    Return the layer of TCP, as in a segment of an established connection.

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
        If the options need more than 40 bytes, or the block count is not a
        whole number from 0 on.

    References
    ----------
    RFC 9293, section 3.1; RFC 7323, section 3 and appendix A; RFC 2018,
    section 3.

    Examples
    --------
    >>> tcp().header_bytes, tcp(timestamps=False).header_bytes, tcp(sack_blocks=3).header_bytes
    (32, 20, 60)
    """
    require_at_least("sack_blocks", sack_blocks, 0, "block")
    timestamps_bytes = TIMESTAMPS_BYTES if timestamps else 0
    sack_bytes = _SACK_BYTES + _SACK_BLOCK_BYTES * sack_blocks if sack_blocks else 0
    if timestamps_bytes + sack_bytes > _MAX_OPTIONS_BYTES:
        raise DomainError(
            f"TCP options must fit {_MAX_OPTIONS_BYTES} byte; {sack_blocks} SACK blocks"
            f"{' with timestamps' if timestamps else ''} need {timestamps_bytes + sack_bytes}"
        )
    header = parts(
        tcp_header=TCP_HEADER_BYTES, tcp_timestamps=timestamps_bytes, tcp_sack=sack_bytes
    )
    return Layer("tcp", Level.TRANSPORT, header, _TRANSPORT_CARRIERS, acknowledgement_bytes=0)


@layer
def udp() -> Layer:
    """
    Return the layer of the User Datagram Protocol.

    Returns
    -------
    layer : Layer
        8 bytes.

    References
    ----------
    RFC 768.

    Examples
    --------
    >>> udp().header_bytes
    8
    """
    return Layer("udp", Level.TRANSPORT, parts(udp_header=UDP_HEADER_BYTES), _TRANSPORT_CARRIERS)


@layer
def quic(connection_id_bytes: int = _USUAL_CONNECTION_ID_BYTES) -> Layer:
    """
    Return the layer of QUIC: a short header and one frame of one stream, an estimate.

    Parameters
    ----------
    connection_id_bytes : int
        Destination connection identifier, which the receiver chooses: 0 to 20.
        [byte]

    Returns
    -------
    layer : Layer
        Flags of 1, the identifier, packet number of 2, frame type of 1, stream
        identifier of 1 and offset of 4 bytes in front, and a check value of 16
        behind the payload. Datagrams must hold at least 1200 bytes.

    Raises
    ------
    DomainError
        If the identifier is not of 0 to 20 bytes.

    References
    ----------
    RFC 9000, sections 14, 16, 17.3.1 and 19.8; RFC 9001, section 5.3.

    Examples
    --------
    >>> quic().fixed_bytes, quic(connection_id_bytes=0).fixed_bytes
    (33, 25)
    """
    require_within("connection_id_bytes", connection_id_bytes, 0, _MAX_CONNECTION_ID_BYTES, "byte")
    header = parts(
        quic_flags=1,  # RFC 9000, section 17.3.1: a short header
        quic_connection_id=connection_id_bytes,
        quic_packet_number=2,  # 1 to 4, as the stream grows
        quic_stream_frame=1 + 1 + 4,  # type, identifier, offset (section 19.8)
    )
    trailer = parts(quic_tag=_AEAD_TAG_BYTES)
    around_bytes = sum(int(part.bytes) for part in (*header, *trailer))
    return Layer(
        "quic",
        Level.TRANSPORT,
        header,
        frozenset({"udp"}),
        trailer=trailer,
        minimum_content_bytes=_SMALLEST_QUIC_DATAGRAM_BYTES - around_bytes,
        estimate="its numbers grow with the stream, and acknowledgements ride along",
    )
