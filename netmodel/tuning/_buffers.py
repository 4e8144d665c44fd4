"""Buffers and queues: how much they hold, and how long that takes to leave."""

from netmodel.framing.lengths import ETHERNET_HEADER_BYTES
from netmodel.numeric import Number, Q, ceil, ceil_but_for_rounding, domain
from netmodel.transport import required_window_bytes
from netmodel.units import BITS_PER_BYTE

QDIO_BUFFER_BYTES = 65536
"""Inbound buffer of an OSA-Express adapter in QDIO mode. [byte]"""

PAGE_BYTES = 4096
"""Page of memory on most machines. [byte]"""


@domain()
def drain_time_s(queued_bytes: Q | Number, drain_rate_bps: Q | Number) -> Q:
    r"""
    Time until what waits has left, when nothing more arrives.

    Parameters
    ----------
    queued_bytes : float or array_like
        What waits, counted as the rate counts. [byte]
    drain_rate_bps : float or array_like
        Rate at which it leaves. [bit/s]

    Returns
    -------
    drain_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the bytes are negative, the rate is not above zero, or either is
        infinite.

    Notes
    -----
    .. math:: t = 8\, B / R

    An empty buffer of that size fills in the same time at that rate when
    nothing leaves it: how long a receiver may be away before data are lost.

    References
    ----------
    RFC 6349, section 3.3.1, for the product of rate and time.

    Examples
    --------
    8 MiB at 13.4 Gbit/s, in ms:

    >>> round(drain_time_s(2**23, 13.4e9) * 1e3, 3)
    5.008
    """
    return BITS_PER_BYTE * queued_bytes / drain_rate_bps


@domain()
def buffer_memory_bytes(
    buffer_count: Q | Number, buffer_bytes: Q | Number = QDIO_BUFFER_BYTES
) -> Q:
    r"""
    Memory that the receive buffers of an interface take.

    Parameters
    ----------
    buffer_count : float or array_like
        Buffers of the interface, all queues together.
    buffer_bytes : float or array_like
        Size of each; 64 KiB is that of an OSA-Express adapter. [byte]

    Returns
    -------
    memory_bytes : float or numpy.ndarray
        Of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If the count is negative, a buffer has no bytes, or either is infinite.

    Notes
    -----
    .. math:: M = n\, b

    The qeth driver of Linux takes 8 to 128 buffers.

    References
    ----------
    IBM, "Linux on IBM Z and LinuxONE: Device drivers, features, and commands",
    "Specifying the number of inbound buffers".

    Examples
    --------
    >>> buffer_memory_bytes(128), buffer_memory_bytes(16)
    (8388608, 1048576)
    """
    return buffer_count * buffer_bytes


@domain()
def queue_packet_count(
    queue_time_s: Q | Number, line_rate_bps: Q | Number, wire_bytes: Q | Number
) -> Q:
    r"""
    Length of a transmit queue that takes at least a wanted time to leave.

    Parameters
    ----------
    queue_time_s : float or array_like
        How long a full queue should keep the line busy. [s]
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    wire_bytes : float or array_like
        Bytes of a packet on the wire, preamble and gap included. [byte]

    Returns
    -------
    packet_count : int or numpy.ndarray
        Whole packets, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the time is negative, the rate or the packet is not above zero, or
        an argument is infinite.

    Notes
    -----
    .. math:: n = \left\lceil \frac{t\, R}{8\, W} \right\rceil

    the smallest queue whose :func:`drain_time_s` is not below the wanted
    time. The quotient is lowered by one part in 10^12 first, so that the
    rounding of floats adds no packet.

    References
    ----------
    IBM, KVM network performance, "Network interface settings", transmit queue
    length, for the settings; IEEE 802.3, clause 3.1.1, for the bytes.

    Examples
    --------
    What keeps 10 Gbit/s busy as long as 1000 packets do at 1 Gbit/s:

    >>> queue_packet_count(12.304e-3, 10e9, 1538)
    10000
    """
    return ceil_but_for_rounding(queue_time_s * line_rate_bps / (BITS_PER_BYTE * wire_bytes))


@domain()
def pages_per_packet_count(mtu_bytes: Q | Number, page_bytes: Q | Number = PAGE_BYTES) -> Q:
    r"""
    Pages of memory that a full packet needs.

    Parameters
    ----------
    mtu_bytes : float or array_like
        Largest packet of the interface. [byte]
    page_bytes : float or array_like
        Size of a page. [byte]

    Returns
    -------
    page_count : int or numpy.ndarray
        Whole pages, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the MTU or the page is not above zero, or infinite.

    Notes
    -----
    .. math:: k = \lceil M / P \rceil

    The packet starts with its page. A driver that keeps a link header, room in
    front or books of its own in the same pages needs them sooner.

    References
    ----------
    IBM, KVM network performance, "Network interface settings", maximum
    transmission unit: 9000 bytes take more than two pages, 8192 take two.

    Examples
    --------
    >>> [pages_per_packet_count(mtu) for mtu in (1500, 8192, 8992, 9000)]
    [1, 2, 3, 3]
    """
    return ceil(mtu_bytes / page_bytes)


@domain()
def page_fill_ratio(mtu_bytes: Q | Number, page_bytes: Q | Number = PAGE_BYTES) -> Q:
    r"""
    Share of its pages that a full packet fills.

    Parameters
    ----------
    mtu_bytes : float or array_like
        Largest packet of the interface. [byte]
    page_bytes : float or array_like
        Size of a page. [byte]

    Returns
    -------
    fill_ratio : float or numpy.ndarray
        Above 0 and at most 1, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the MTU or the page is not above zero, or infinite.

    Notes
    -----
    .. math:: u = \frac{M}{k\, P}

    with :math:`k` the :func:`pages_per_packet_count`.

    References
    ----------
    IBM, KVM network performance, "Network interface settings", maximum
    transmission unit: 9000 bytes take more than two pages, 8192 take two.

    Examples
    --------
    >>> page_fill_ratio(8192), round(page_fill_ratio(9000), 3)
    (1.0, 0.732)
    """
    return mtu_bytes / (pages_per_packet_count(mtu_bytes, page_bytes) * page_bytes)


@domain()
def required_socket_buffer_bytes(
    payload_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    flow_count: Q | Number = 1,
    window_share_ratio: Q | Number = 1,
) -> Q:
    r"""
    Buffer that each TCP socket needs for a wanted payload rate.

    Parameters
    ----------
    payload_rate_bps : float or array_like
        Payload of all flows together. [bit/s]
    round_trip_s : float or array_like
        From sending a byte to its acknowledgement. [s]
    flow_count : float or array_like
        Flows with a socket each, which share the rate evenly.
    window_share_ratio : float or array_like
        Share of the buffer that may be payload; the rest is what the kernel
        counts for headers and its own books.

    Returns
    -------
    buffer_bytes : float or numpy.ndarray
        Not rounded, of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If the rate or the round trip is not above zero, there is less than one
        flow, the share is not above 0 and at most 1, or an argument is
        infinite.

    Notes
    -----
    .. math:: B = \frac{X\, r}{8\, N\, s}

    holds for the send buffer and for the receive buffer. Linux up to 6.5 made
    half of a receive buffer the window (``tcp_adv_win_scale`` 1); later ones
    measure the share for each socket.

    References
    ----------
    RFC 6349, section 3.3.1; Linux, commit dfa2f0483360 ("tcp: get rid of
    sysctl_tcp_adv_win_scale").

    Examples
    --------
    10 Gbit/s and 0.3 ms, where half of a buffer is window:

    >>> round(required_socket_buffer_bytes(10e9, 0.3e-3, window_share_ratio=0.5))
    750000
    """
    return required_window_bytes(payload_rate_bps, round_trip_s, flow_count) / window_share_ratio


@domain()
def buffer_drain_time_s(
    buffer_count: Q | Number,
    drain_rate_bps: Q | Number,
    buffer_bytes: Q | Number = QDIO_BUFFER_BYTES,
) -> Q:
    r"""
    Time that full receive buffers take to leave, or empty ones to fill.

    Parameters
    ----------
    buffer_count : float or array_like
        Buffers of the interface, all queues together.
    drain_rate_bps : float or array_like
        Rate at which they leave, or arrive while none is taken. [bit/s]
    buffer_bytes : float or array_like
        Size of each; 64 KiB is that of an OSA-Express adapter. [byte]

    Returns
    -------
    drain_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the count is negative, a buffer has no bytes, the rate is not above
        zero, or an argument is infinite.

    Notes
    -----
    .. math:: t = 8\, n\, b / R

    An upper bound of what the buffers bridge: a buffer may be handed over
    before it is full.

    References
    ----------
    IBM, "Linux on IBM Z and LinuxONE: Device drivers, features, and commands",
    "Specifying the number of inbound buffers".

    Examples
    --------
    128 and 16 buffers at 25 Gbit/s, in ms:

    >>> [round(buffer_drain_time_s(count, 25e9) * 1e3, 3) for count in (128, 16)]
    [2.684, 0.336]
    """
    return drain_time_s(buffer_count * buffer_bytes, drain_rate_bps)


@domain()
def queue_drain_time_s(
    packet_count: Q | Number, line_rate_bps: Q | Number, wire_bytes: Q | Number
) -> Q:
    r"""
    Time that a full transmit queue takes to leave over a line.

    Parameters
    ----------
    packet_count : float or array_like
        Packets in the queue: ``txqueuelen`` of an interface.
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    wire_bytes : float or array_like
        Bytes of a packet on the wire, preamble and gap included: 1538 for a
        packet of 1500 bytes, 45 times as much for one that offload cuts into
        45 frames. [byte]

    Returns
    -------
    drain_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the count is negative, the rate or the packet is not above zero, or
        an argument is infinite.

    Notes
    -----
    .. math:: t = 8\, n\, W / R

    It is also the longest that a packet waits in the queue.

    References
    ----------
    IBM, KVM network performance, "Network interface settings", transmit queue
    length, for the settings; IEEE 802.3, clause 3.1.1, for the bytes.

    Examples
    --------
    1000 full packets at 1 Gbit/s and 2500 at 25 Gbit/s, in ms:

    >>> round(queue_drain_time_s(1000, 1e9, 1538) * 1e3, 3)
    12.304
    >>> round(queue_drain_time_s(2500, 25e9, 1538) * 1e3, 4)
    1.2304
    """
    return drain_time_s(packet_count * wire_bytes, line_rate_bps)


@domain()
def queue_memory_bytes(
    packet_count: Q | Number,
    packet_bytes: Q | Number,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Bytes of the packets that wait in a full transmit queue.

    Parameters
    ----------
    packet_count : float or array_like
        Packets in the queue: ``txqueuelen`` of an interface.
    packet_bytes : float or array_like
        Packet from the IP header to the end of the payload. [byte]
    link_header_bytes : float or array_like
        Addresses, type and tags in front of it. [byte]

    Returns
    -------
    memory_bytes : float or numpy.ndarray
        Of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If an argument is negative or infinite.

    Notes
    -----
    .. math:: M = n\, (H_2 + L)

    A lower bound: the kernel keeps books for each packet, and takes whole
    pages or slabs. The check sequence is the adapter's.

    References
    ----------
    IEEE 802.3, clause 3.1.1.

    Examples
    --------
    >>> queue_memory_bytes(1000, 1500), queue_memory_bytes(2500, 9000)
    (1514000, 22535000)
    """
    return packet_count * (link_header_bytes + packet_bytes)


@domain()
def socket_buffer_ratio(
    buffer_bytes: Q | Number,
    payload_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    flow_count: Q | Number = 1,
    window_share_ratio: Q | Number = 1,
) -> Q:
    r"""
    Buffer of a TCP socket over the one that a payload rate needs.

    Parameters
    ----------
    buffer_bytes : float or array_like
        Send or receive buffer of each socket. [byte]
    payload_rate_bps : float or array_like
        Payload of all flows together. [bit/s]
    round_trip_s : float or array_like
        From sending a byte to its acknowledgement. [s]
    flow_count : float or array_like
        Flows with a socket each, which share the rate evenly.
    window_share_ratio : float or array_like
        Share of the buffer that may be payload.

    Returns
    -------
    buffer_ratio : float or numpy.ndarray
        From 1 on the buffer is large enough; below, it is the share of the
        rate that it allows. Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the buffer, the rate or the round trip is not above zero, there is
        less than one flow, the share is not above 0 and at most 1, or an
        argument is infinite.

    Notes
    -----
    .. math:: q = \frac{8\, N\, s\, B}{X\, r}

    with :func:`required_socket_buffer_bytes` below the fraction bar.

    References
    ----------
    RFC 6349, section 3.3.1.

    Examples
    --------
    256 KiB and 512 KiB for 10 Gbit/s at 0.3 ms:

    >>> [round(socket_buffer_ratio(size, 10e9, 0.3e-3), 3) for size in (262144, 524288)]
    [0.699, 1.398]
    """
    return buffer_bytes / required_socket_buffer_bytes(
        payload_rate_bps, round_trip_s, flow_count, window_share_ratio
    )
