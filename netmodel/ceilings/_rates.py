"""Rates that a saturated Ethernet line cannot exceed."""

from netmodel.framing import (
    ETHERNET_HEADER_BYTES,
    MIN_FRAME_BYTES,
    SILENT_BYTES,
    TCP_IPV4_HEADER_BYTES,
    unchecked,
)
from netmodel.numeric import (
    Number,
    Q,
    require_above,
    require_at_least,
    require_at_most,
)
from netmodel.units import BITS_PER_BYTE


def frame_rate_fps(line_rate_bps: Q | Number, frame_bytes: Q | Number) -> Q:
    r"""
    Frames per second of a saturated Ethernet line, all of one size.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line: line coding and FEC are already outside it.
        [bit/s]
    frame_bytes : float or array_like
        Frame from destination address to check sequence. [byte]

    Returns
    -------
    frame_rate_fps : float or numpy.ndarray
        Rate in one direction, of the broadcast shape of the inputs. [frame/s]

    Raises
    ------
    DomainError
        If the line rate is not above zero, a frame is shorter than 64 bytes,
        or either is infinite.

    Notes
    -----
    .. math:: f = \frac{R}{8\,(F + 20)}

    with :math:`R` the line rate, :math:`F` the frame and 20 bytes of preamble,
    delimiter and gap. No pause frames, nominal clock: a real clock may be off
    by 100 parts per million.

    References
    ----------
    RFC 5180, appendix A.1; RFC 6349, section 4.1.1.

    Examples
    --------
    >>> int(frame_rate_fps(10e9, 64)), int(frame_rate_fps(1e9, 1518))
    (14880952, 81274)
    """
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    frame_bytes = require_at_least("frame_bytes", frame_bytes, MIN_FRAME_BYTES, "byte")
    return line_rate_bps / (BITS_PER_BYTE * (frame_bytes + SILENT_BYTES))


def layer_rate_bps(line_rate_bps: Q | Number, layer_bytes: Q | Number, wire_bytes: Q | Number) -> Q:
    r"""
    Rate of a saturated line as one layer counts it.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    layer_bytes : float or array_like
        Bytes that the layer counts of each frame, or of each message: the
        payload for layer 4, the packet for layer 3, the frame for layer 2.
        [byte]
    wire_bytes : float or array_like
        Bytes that the same frame or message takes on the wire. [byte]

    Returns
    -------
    layer_rate_bps : float or numpy.ndarray
        Rate in one direction, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the line rate or the wire bytes are not above zero, the layer counts
        more than the wire carries, or one of them is negative or infinite.

    Notes
    -----
    .. math:: X = R\,\frac{B}{W}

    References
    ----------
    RFC 5180, appendix A.1; RFC 5136, section 3.

    Examples
    --------
    A datagram of 30720 bytes in 21 fragments on 25 GbE:

    >>> round(layer_rate_bps(25e9, 30720, 31946) / 1e9, 3)
    24.041
    """
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    wire_bytes = require_above("wire_bytes", wire_bytes, 0, "byte")
    layer_bytes = require_at_least("layer_bytes", layer_bytes, 0, "byte")
    layer_bytes = require_at_most("layer_bytes", layer_bytes, wire_bytes, "byte")
    return line_rate_bps * (layer_bytes / wire_bytes)


def efficiency_ratio(
    mtu_bytes: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Share of an Ethernet line that is payload when every packet is full.

    Parameters
    ----------
    mtu_bytes : float or array_like
        Largest packet, from the IP header to the end of the payload. [byte]
    header_bytes : float or array_like
        Headers inside the packet, from IP to TCP or UDP with all options; 52
        is TCP over IPv4 with timestamps. [byte]
    link_header_bytes : float or array_like
        Addresses, type and tags in front of the packet, without the check
        sequence. [byte]

    Returns
    -------
    efficiency_ratio : float or numpy.ndarray
        Between 0 and 1, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the headers fill the MTU, or a length is negative or infinite.

    Notes
    -----
    .. math:: E = \frac{M - H}{20 + \max(64,\; H_2 + M + 4)}

    with :math:`M` the MTU, :math:`H` the headers in the packet and
    :math:`H_2` the header of the link.

    References
    ----------
    RFC 6349, section 4.1.1; N. Hoppmann, "Exploring the performance of network
    adapters for Linux on IBM Z" (2021), slide 12.

    Examples
    --------
    >>> round(efficiency_ratio(1500), 12)
    0.941482444733
    """
    header_bytes = require_at_least("header_bytes", header_bytes, 0, "byte")
    link_header_bytes = require_at_least("link_header_bytes", link_header_bytes, 0, "byte")
    mtu_bytes = require_above("mtu_bytes", mtu_bytes, header_bytes, "byte")
    return (mtu_bytes - header_bytes) / unchecked.wire_bytes(mtu_bytes, link_header_bytes)


def payload_rate_bps(
    line_rate_bps: Q | Number,
    mtu_bytes: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Payload rate of a saturated Ethernet line when every packet is full.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line: line coding and FEC are already outside it.
        [bit/s]
    mtu_bytes : float or array_like
        Largest packet, from the IP header to the end of the payload. [byte]
    header_bytes : float or array_like
        Headers inside the packet, from IP to TCP or UDP with all options; 52
        is TCP over IPv4 with timestamps. [byte]
    link_header_bytes : float or array_like
        Addresses, type and tags in front of the packet, without the check
        sequence: 14, and 4 more for each 802.1Q tag. [byte]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Rate in one direction, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the line rate is not above zero, the headers fill the MTU, or an
        argument is negative or infinite.

    Notes
    -----
    .. math:: X = R\,E = R\,\frac{M - H}{20 + \max(64,\; H_2 + M + 4)}

    with :math:`R` the line rate and :math:`E` the :func:`efficiency_ratio`. A bulk transfer without
    loss, acknowledgements on the other direction of a full-duplex line.

    References
    ----------
    RFC 6349, section 4.1.1; N. Hoppmann, "Exploring the performance of network
    adapters for Linux on IBM Z" (2021), slides 12 and 13.

    Examples
    --------
    25 GbE at MTU 1500, TCP over IPv4 with timestamps:

    >>> round(payload_rate_bps(25e9, 1500) / 1e9, 9)
    23.537061118
    """
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    return line_rate_bps * efficiency_ratio(mtu_bytes, header_bytes, link_header_bytes)
