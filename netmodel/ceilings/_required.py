"""What a line must be like to carry a wanted payload rate."""

from netmodel.ceilings._rates import efficiency_ratio
from netmodel.framing import (
    ETHERNET_HEADER_BYTES,
    FCS_BYTES,
    MIN_FRAME_BYTES,
    SILENT_BYTES,
    TCP_IPV4_HEADER_BYTES,
    unchecked,
)
from netmodel.numeric import (
    Number,
    Q,
    ceil,
    maximum,
    require_above,
    require_at_least,
    require_at_most,
    where,
)

MAX_PACKET_BYTES = 65535
"""Largest IPv4 packet: its length field has 16 bits (RFC 791, section 3.1)."""


def required_line_rate_bps(
    payload_rate_bps: Q | Number,
    mtu_bytes: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Line rate at which full packets carry a wanted payload rate.

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
    payload_rate_bps = require_above("payload_rate_bps", payload_rate_bps, 0, "bit/s")
    return payload_rate_bps / efficiency_ratio(mtu_bytes, header_bytes, link_header_bytes)


def required_mtu_bytes(
    payload_rate_bps: Q | Number,
    line_rate_bps: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Smallest MTU at which a line carries a wanted payload rate.

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
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    header_bytes = require_at_least("header_bytes", header_bytes, 0, "byte")
    header_bytes = require_at_most("header_bytes", header_bytes, MAX_PACKET_BYTES - 1, "byte")
    link_header_bytes = require_at_least("link_header_bytes", link_header_bytes, 0, "byte")
    largest_bps = line_rate_bps * efficiency_ratio(
        MAX_PACKET_BYTES, header_bytes, link_header_bytes
    )
    payload_rate_bps = require_above("payload_rate_bps", payload_rate_bps, 0, "bit/s")
    payload_rate_bps = require_at_most("payload_rate_bps", payload_rate_bps, largest_bps, "bit/s")
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
            line_rate_bps * ((mtu - header_bytes) / unchecked.wire_bytes(mtu, link_header_bytes))
            < payload_rate_bps,
            1,
            0,
        )
        for mtu in (below, below + 1)
    )
