"""Tunnels: what they put in front of, behind and between."""

from typing import Literal, TypeAlias

from netmodel.errors import DomainError
from netmodel.framing._layer import WORD_BYTES, Layer, Level, layer, parts, require_multiple
from netmodel.framing.lengths import UDP_HEADER_BYTES

_IP = frozenset({"ipv4", "ipv6"})
_UDP = frozenset({"udp"})
_MAX_GENEVE_OPTIONS_BYTES = 252
"""6 bits of length count words (RFC 8926, section 3.4)."""
_GRE_WORD_BYTES = 4
"""Flags and protocol, and each option (RFC 2784, section 2.1; RFC 2890, section 2)."""


@layer
def gre(*, checksum: bool = False, key: bool = False, sequence: bool = False) -> Layer:
    """
    Return the layer of Generic Routing Encapsulation; GRETAP with Ethernet inside.

    Parameters
    ----------
    checksum : bool
        Whether the header carries a checksum.
    key : bool
        Whether the header carries a key.
    sequence : bool
        Whether the header carries a sequence number.

    Returns
    -------
    layer : Layer
        4 bytes, and 4 for each option.

    Raises
    ------
    DomainError
        If an option is not True or False.

    References
    ----------
    RFC 2784, section 2; RFC 2890, section 2.

    Examples
    --------
    >>> gre().header_bytes, gre(key=True, sequence=True).header_bytes
    (4, 12)
    """
    chosen = {"gre_checksum": checksum, "gre_key": key, "gre_sequence": sequence}
    options = {name: _GRE_WORD_BYTES * is_set for name, is_set in chosen.items()}
    return Layer("gre", Level.TUNNEL, parts(gre_header=_GRE_WORD_BYTES, **options), _IP | {"esp"})


@layer
def vxlan() -> Layer:
    """
    Return the layer of VXLAN, which carries an inner Ethernet frame over UDP.

    Returns
    -------
    layer : Layer
        8 bytes.

    References
    ----------
    RFC 7348, section 5.

    Examples
    --------
    What it leaves of an outer MTU of 1500 for inner packets:

    >>> from netmodel.framing import parse_stack
    >>> vxlan().header_bytes, parse_stack("ipv4/udp/vxlan/ethernet/ipv4/tcp").mtu_bytes(1500)
    (8, 1450)
    """
    return Layer("vxlan", Level.TUNNEL, parts(vxlan_header=8), _UDP)


@layer
def geneve(options_bytes: int = 0) -> Layer:
    """
    Return the layer of Geneve over UDP, which carries frames or packets.

    Parameters
    ----------
    options_bytes : int
        Options: a multiple of 4 up to 252. [byte]

    Returns
    -------
    layer : Layer
        8 bytes and the options.

    Raises
    ------
    DomainError
        If the options do not fit the header.

    References
    ----------
    RFC 8926, section 3.4.

    Examples
    --------
    >>> geneve().header_bytes, geneve(options_bytes=8).header_bytes
    (8, 16)
    """
    require_multiple("options_bytes", options_bytes, WORD_BYTES, _MAX_GENEVE_OPTIONS_BYTES)
    return Layer("geneve", Level.TUNNEL, parts(geneve_header=8, geneve_options=options_bytes), _UDP)


Suite: TypeAlias = Literal["aes-gcm", "chacha20-poly1305", "aes-cbc-sha1", "aes-cbc-sha256"]
"""Cipher suites of ESP."""
# RFC 4106, sections 3 and 6 (GCM); RFC 7634, section 2 (ChaCha20); RFC 3602 (CBC) with the check
# values of RFC 2404 (SHA-1, cut to 96 bits) and RFC 4868 (SHA-256, cut to 128); blocks of 4 bytes
# where the cipher has none (RFC 4303, section 2.4); RFC 8750 for the vector that may be left out.
_CIPHERS: dict[Suite, tuple[int, int, int]] = {
    "aes-gcm": (8, 4, 16),
    "chacha20-poly1305": (8, 4, 16),
    "aes-cbc-sha1": (16, 16, 12),
    "aes-cbc-sha256": (16, 16, 16),
}
"""Initialisation vector, block and check value of each suite."""


@layer
def esp(
    suite: Suite = "aes-gcm", *, nat_traversal: bool = False, implicit_iv: bool = False
) -> Layer:
    """
    Return the layer of IPsec ESP: tunnel mode around IP, transport mode around TCP or UDP.

    Parameters
    ----------
    suite : {"aes-gcm", "chacha20-poly1305", "aes-cbc-sha1", "aes-cbc-sha256"}
        Cipher and integrity check.
    nat_traversal : bool
        Whether the packet travels inside UDP.
    implicit_iv : bool
        Whether the counter serves as initialisation vector, which is then not
        sent; only for the suites that have one of 8 bytes.

    Returns
    -------
    layer : Layer
        Header, initialisation vector and check value; content, pad length and
        next header are padded to the block of the cipher, at least to 4 bytes.

    Raises
    ------
    DomainError
        If the suite cannot omit its initialisation vector.

    Notes
    -----
    .. math:: p = -(n + 2) \\bmod b

    bytes of padding for :math:`n` bytes of content and a block of :math:`b`.
    The upper half of an extended sequence number is not sent.

    References
    ----------
    RFC 4303, section 2; RFC 3948; RFC 4106; RFC 7634; RFC 3602; RFC 2404; RFC
    4868; RFC 8750.

    Examples
    --------
    The longest packet that fits an outer packet of 1480 bytes without its IP header:

    >>> esp().room_bytes(1480), esp("aes-cbc-sha256").room_bytes(1480)
    (1446, 1438)
    """
    iv_bytes, block_bytes, icv_bytes = _CIPHERS[suite]
    if implicit_iv and iv_bytes != 8:  # of those, the counter serves as vector (RFC 8750)
        raise DomainError(f"esp with suite {suite} must send its initialisation vector")
    sent_iv_bytes = 0 if implicit_iv else iv_bytes
    natt_bytes = UDP_HEADER_BYTES if nat_traversal else 0
    header = parts(natt_udp_header=natt_bytes, esp_header=8, esp_iv=sent_iv_bytes)
    return Layer(
        "esp",
        Level.TUNNEL,
        header,
        _IP,
        trailer=parts(esp_trailer=2, esp_icv=icv_bytes),
        block_bytes=block_bytes,
        padded_trailer_bytes=2,
    )


@layer
def wireguard() -> Layer:
    """
    Return the layer of a WireGuard data message over UDP.

    Returns
    -------
    layer : Layer
        16 bytes of header and 16 of check value; the packet inside is padded to
        a multiple of 16, but not beyond the MTU of the tunnel's interface.

    References
    ----------
    J. A. Donenfeld, "WireGuard: next generation kernel network tunnel", NDSS
    2017, section 5.4.6.

    Examples
    --------
    A packet of 100 bytes is padded to 112:

    >>> wireguard().fixed_bytes, wireguard().size_bytes(100, 1420) - 100 - 32
    (32, 12)
    """
    # type, receiver and counter of 4, 4 and 8 bytes, and a Poly1305 tag of 16 behind content that
    # is padded to 16 (J. A. Donenfeld, "WireGuard", NDSS 2017, section 5.4.6)
    return Layer(
        "wireguard",
        Level.TUNNEL,
        parts(wireguard_header=16),
        _UDP,
        trailer=parts(wireguard_tag=16),
        block_bytes=16,
        pads_up_to_mtu=True,
    )


@layer
def openvpn() -> Layer:
    """
    Return the layer of an OpenVPN data packet over UDP, of version 2 with AES-GCM or ChaCha20.

    Returns
    -------
    layer : Layer
        8 bytes of header, opcode with the id of the peer and the id of the packet, and 16 of
        check value, which stands in front of the packet. It pads nothing.

    References
    ----------
    Linux, ``drivers/net/ovpn/crypto_aead.c``, ``ovpn_aead_encap_overhead``, and ``proto.h``.

    Examples
    --------
    >>> openvpn().header_bytes
    24
    """
    return Layer("openvpn", Level.TUNNEL, parts(openvpn_header=8, openvpn_tag=16), _UDP)
