"""Bytes of one Ethernet frame, and what it carries."""

# what follows from a type at run time, `domain` has checked, and no type checker follows
# mypy: disable-error-code="arg-type,no-any-return,operator,return-value,type-var"

from netmodel.framing import lengths
from netmodel.framing.lengths import ETHERNET_HEADER_BYTES, TCP_IPV4_HEADER_BYTES
from netmodel.numeric import Number, Q, domain, require_above


@domain()
def frame_bytes(
    packet_bytes: Q | Number, link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES
) -> Q:
    r"""
    Return the length of the Ethernet frame that carries one packet.

    Parameters
    ----------
    packet_bytes : float or array_like
        Packet from the IP header to the end of the payload. [byte]
    link_header_bytes : float or array_like
        Addresses, type and tags in front of the packet, without the check
        sequence: 14, and 4 more for each 802.1Q tag. [byte]

    Returns
    -------
    frame_bytes : float or numpy.ndarray
        Destination address to frame check sequence, padded to the shortest
        legal frame, of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If a packet or header is negative or infinite.

    Notes
    -----
    .. math:: F = \max(64,\; H_2 + L + 4)

    with :math:`L` the packet and :math:`H_2` the header of the link. A tagged
    frame is padded to 64 bytes with its tag included, as the standard has it;
    some switches pad to 68.

    References
    ----------
    IEEE 802.3, clauses 3.1.1 and 3.2.8; RFC 5180, appendix A.1.

    Examples
    --------
    A packet of 1500 bytes, and one too short for a frame of its own:

    >>> frame_bytes(1500), frame_bytes(28)
    (1518, 64)
    """
    return lengths.frame_bytes(packet_bytes, link_header_bytes)


@domain()
def wire_bytes(
    packet_bytes: Q | Number, link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES
) -> Q:
    r"""
    Return the time that one packet takes on an Ethernet line, in bytes.

    Parameters
    ----------
    packet_bytes : float or array_like
        Packet from the IP header to the end of the payload. [byte]
    link_header_bytes : float or array_like
        Addresses, type and tags in front of the packet, without the check
        sequence: 14, and 4 more for each 802.1Q tag. [byte]

    Returns
    -------
    wire_bytes : float or numpy.ndarray
        Frame with preamble, start of frame delimiter and interframe (interpacket) gap, of
        the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If a packet or header is negative or infinite.

    Notes
    -----
    .. math:: W = 20 + \max(64,\; H_2 + L + 4)

    with 20 the preamble (7), start of frame delimiter (1) and gap (12). From
    10 Gbit/s on single gaps may shrink; their mean stays 12 bytes.

    References
    ----------
    IEEE 802.3, clauses 3.1.1 and 4A.4.2; RFC 6349, section 4.1.1.

    Examples
    --------
    >>> wire_bytes(1500), wire_bytes(9000), wire_bytes(1)
    (1538, 9038, 84)
    """
    return lengths.wire_bytes(packet_bytes, link_header_bytes)


@domain()
def payload_bytes(mtu_bytes: Q | Number, header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES) -> Q:
    r"""
    Return the payload of one full packet.

    Parameters
    ----------
    mtu_bytes : float or array_like
        Largest packet, from the IP header to the end of the payload. [byte]
    header_bytes : float or array_like
        Headers inside the packet, from IP to TCP or UDP with all options; 52
        is TCP over IPv4 with timestamps. [byte]

    Returns
    -------
    payload_bytes : float or numpy.ndarray
        Bytes of the application in each full packet, of the broadcast shape
        of the inputs. [byte]

    Raises
    ------
    DomainError
        If the headers fill the MTU, or are negative or infinite.

    Notes
    -----
    .. math:: D = M - H

    with :math:`M` the MTU and :math:`H` the headers. For TCP this is the
    segment that is sent; the *advertised* MSS leaves options out of account
    (RFC 6691), so it is larger by 12 bytes where timestamps are on.

    References
    ----------
    RFC 9293, section 3.7.1; RFC 6691, section 2.

    Examples
    --------
    >>> payload_bytes(1500), payload_bytes(9000), payload_bytes(1500, header_bytes=28)
    (1448, 8948, 1472)
    """
    return require_above("mtu_bytes", mtu_bytes, header_bytes, "byte") - header_bytes
