"""Rates that a saturated line cannot exceed, and what a line must be like to carry a rate."""

# what follows from a type at run time, `domain` has checked, and no type checker follows
# mypy: disable-error-code="arg-type,no-any-return,operator,return-value,type-var"

from netmodel.framing import lengths
from netmodel.framing.lengths import (
    ETHERNET_HEADER_BYTES,
    FCS_BYTES,
    MAX_PACKET_BYTES,
    MIN_FRAME_BYTES,
    SILENT_BYTES,
    TCP_IPV4_HEADER_BYTES,
)
from netmodel.numeric import Number, Q, ceil, domain, maximum, require_at_most, where
from netmodel.units import BITS_PER_BYTE


@domain(f"frame_bytes >= {MIN_FRAME_BYTES}")
def frame_rate_fps(line_rate_bps: Q | Number, frame_bytes: Q | Number) -> Q:
    r"""
    Return the frames per second of a saturated Ethernet line, all of one size.

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
    return line_rate_bps / (BITS_PER_BYTE * (frame_bytes + SILENT_BYTES))


@domain("layer_bytes <= wire_bytes")
def layer_rate_bps(line_rate_bps: Q | Number, layer_bytes: Q | Number, wire_bytes: Q | Number) -> Q:
    r"""
    Return the rate of a saturated line as one layer counts it.

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
    return line_rate_bps * (layer_bytes / wire_bytes)


@domain("mtu_bytes > header_bytes")
def efficiency_ratio(
    mtu_bytes: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Return the share of an Ethernet line that is payload when every packet is full.

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
    return (mtu_bytes - header_bytes) / lengths.wire_bytes(mtu_bytes, link_header_bytes)


@domain()
def payload_rate_bps(
    line_rate_bps: Q | Number,
    mtu_bytes: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Return the payload rate of a saturated Ethernet line when every packet is full.

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
    return line_rate_bps * efficiency_ratio(mtu_bytes, header_bytes, link_header_bytes)


@domain()
def required_line_rate_bps(
    payload_rate_bps: Q | Number,
    mtu_bytes: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Return the line rate at which full packets carry a wanted payload rate.

    Parameters
    ----------
    payload_rate_bps : float or array_like
        Payload to be carried in one direction. [bit/s]
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
    line_rate_bps : float or numpy.ndarray
        MAC rate of the line, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the payload rate is not above zero, the headers fill the MTU, or an
        argument is negative or infinite.

    Notes
    -----
    .. math:: R = X / E

    with :math:`E` the :func:`efficiency_ratio`: the inverse of
    :func:`payload_rate_bps`.

    References
    ----------
    RFC 6349, section 4.1.1.

    Examples
    --------
    A line for 10 Gbit/s of payload at MTU 1500:

    >>> round(required_line_rate_bps(10e9, 1500) / 1e9, 3)
    10.622
    """
    return payload_rate_bps / efficiency_ratio(mtu_bytes, header_bytes, link_header_bytes)


@domain("header_bytes >= 0", f"header_bytes <= {MAX_PACKET_BYTES - 1}")
def required_mtu_bytes(
    payload_rate_bps: Q | Number,
    line_rate_bps: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Return the smallest MTU at which a line carries a wanted payload rate.

    Parameters
    ----------
    payload_rate_bps : float or array_like
        Payload to be carried in one direction. [bit/s]
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    header_bytes : float or array_like
        Headers inside the packet, from IP to TCP or UDP with all options; 52
        is TCP over IPv4 with timestamps. [byte]
    link_header_bytes : float or array_like
        Addresses, type and tags in front of the packet, without the check
        sequence. [byte]

    Returns
    -------
    mtu_bytes : int, float or numpy.ndarray
        Whole bytes, of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If a rate is not above zero, the line does not carry the payload rate
        even in packets of 65535 bytes, or an argument is negative or infinite.

    Notes
    -----
    .. math:: M = \left\lceil \max\left(H + \frac{84\,X}{R},\;
       \frac{R H + X (H_2 + 24)}{R - X} \right) \right\rceil

    solves :func:`payload_rate_bps` for the MTU, the first branch where frames
    are padded. The whole numbers around the solution are tried with that
    function, so that the answer is exact where floats are not.

    References
    ----------
    RFC 6349, section 4.1.1; RFC 791, section 3.1 (65535 bytes).

    Examples
    --------
    >>> required_mtu_bytes(24.5e9, 25e9)
    4462
    """
    largest_bps = line_rate_bps * efficiency_ratio(
        MAX_PACKET_BYTES, header_bytes, link_header_bytes
    )
    require_at_most("payload_rate_bps", payload_rate_bps, largest_bps, "bit/s")
    # The ceiling solved for the MTU, once for padded frames and once for others
    padded = header_bytes + payload_rate_bps * (MIN_FRAME_BYTES + SILENT_BYTES) / line_rate_bps
    around_bytes = link_header_bytes + FCS_BYTES + SILENT_BYTES
    unpadded = (line_rate_bps * header_bytes + payload_rate_bps * around_bytes) / (
        line_rate_bps - payload_rate_bps
    )
    # The rounding of both may be a byte off: count the neighbours whose ceiling is still too low
    below = ceil(maximum(padded, unpadded)) - 1
    return below + sum(
        where(
            line_rate_bps * ((mtu - header_bytes) / lengths.wire_bytes(mtu, link_header_bytes))
            < payload_rate_bps,
            1,
            0,
        )
        for mtu in (below, below + 1)
    )


@domain("payload_bytes > 0", "payload_bytes <= wire_bytes")
def acknowledged_payload_rate_bps(
    line_rate_bps: Q | Number,
    payload_bytes: Q | Number,
    wire_bytes: Q | Number,
    ack_wire_bytes: Q | Number,
    segments_per_ack: Q | Number,
) -> Q:
    r"""
    Return the payload rate of a direction that also carries acknowledgements.

    On a full-duplex line this is the rate of each direction when both are
    saturated with data. On a half-duplex line it is the rate of one direction,
    whose acknowledgements take turns with its data.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    payload_bytes : float or array_like
        Payload of a full frame. [byte]
    wire_bytes : float or array_like
        A full frame with preamble, delimiter and gap. [byte]
    ack_wire_bytes : float or array_like
        A pure acknowledgement with preamble, delimiter and gap: 90 for TCP
        over IPv4 with timestamps. [byte]
    segments_per_ack : float or array_like
        Segments that one acknowledgement answers: 2 with delayed
        acknowledgements, as many as an aggregate has where segments are
        merged on receipt. [segment]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Rate in one direction, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the line rate or a length is not above zero, the payload is longer
        than its frame, an acknowledgement answers less than one segment, or an
        argument is infinite.

    Notes
    -----
    .. math:: X = R\,\frac{D}{W + A / b}

    No acknowledgement rides on data, which would take no frame of its own.

    References
    ----------
    RFC 5681, section 4.2; RFC 9293, section 3.8.6.3.

    Examples
    --------
    >>> round(acknowledged_payload_rate_bps(25e9, 1448, 1538, 90, 2) / 1e9, 6)
    22.867972
    """
    return line_rate_bps * (payload_bytes / (wire_bytes + ack_wire_bytes / segments_per_ack))


@domain("wire_bytes >= 0")
def wire_time_s(line_rate_bps: Q | Number, wire_bytes: Q | Number) -> Q:
    r"""
    Return the time that a frame or message holds the line.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    wire_bytes : float or array_like
        Frames with preamble, delimiter and gap. [byte]

    Returns
    -------
    wire_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the line rate is not above zero, the length is negative, or either
        is infinite.

    Notes
    -----
    .. math:: t_w = 8 W / R

    References
    ----------
    RFC 6349, section 4.1.1.

    Examples
    --------
    A full frame at MTU 9000 on 25 GbE:

    >>> round(wire_time_s(25e9, 9038) * 1e6, 5)
    2.89216
    """
    return BITS_PER_BYTE * wire_bytes / line_rate_bps


@domain()
def full_duplex_transaction_rate_tps(
    line_rate_bps: Q | Number, request_wire_bytes: Q | Number, response_wire_bytes: Q | Number
) -> Q:
    r"""
    Return the transactions per second that saturate the busier direction of a full-duplex line.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of each direction. [bit/s]
    request_wire_bytes : float or array_like
        Frames of a request, and of what acknowledges the response if that
        does not ride on the next request, with preamble, delimiter and gap.
        [byte]
    response_wire_bytes : float or array_like
        The same of a response. [byte]

    Returns
    -------
    transaction_rate_tps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If the line rate or a length is not above zero, or infinite.

    Notes
    -----
    .. math:: x = \frac{R}{8 \max(W_{req}, W_{resp})}

    References
    ----------
    RFC 2544, appendix B, for the rate of frames that a line carries.

    Examples
    --------
    200 bytes asked, 1000 answered, over TCP and IPv4 with timestamps on 25 GbE:

    >>> round(full_duplex_transaction_rate_tps(25e9, 290, 1090))
    2866972
    """
    return line_rate_bps / (BITS_PER_BYTE * maximum(request_wire_bytes, response_wire_bytes))


@domain()
def half_duplex_transaction_rate_tps(
    line_rate_bps: Q | Number, request_wire_bytes: Q | Number, response_wire_bytes: Q | Number
) -> Q:
    r"""
    Return the transactions per second that saturate a line whose directions take turns.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    request_wire_bytes : float or array_like
        Frames of a request, and of what acknowledges the response if that
        does not ride on the next request, with preamble, delimiter and gap.
        [byte]
    response_wire_bytes : float or array_like
        The same of a response. [byte]

    Returns
    -------
    transaction_rate_tps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If the line rate or a length is not above zero, or infinite.

    Notes
    -----
    .. math:: x = \frac{R}{8 (W_{req} + W_{resp})}

    Collisions are left out.

    References
    ----------
    RFC 2544, appendix B, for the rate of frames that a line carries.

    Examples
    --------
    >>> round(half_duplex_transaction_rate_tps(25e9, 290, 1090))
    2264493
    """
    return line_rate_bps / (BITS_PER_BYTE * (request_wire_bytes + response_wire_bytes))
