"""CPU time of a message, part by part."""

from netmodel.numeric import Number, Q, domain
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import BITS_PER_GBIT, US_PER_S


@domain("message_bytes >= 0")
def message_cpu_time_s(
    message_bytes: Q | Number,
    segment_count: Q | Number,
    ack_count: Q | Number,
    time_per_message_s: Q | Number,
    time_per_wakeup_s: Q | Number,
    time_per_interrupt_s: Q | Number,
    time_per_packet_s: Q | Number,
    time_per_ack_s: Q | Number,
    time_per_byte_s: Q | Number,
    messages_per_wakeup: Q | Number = 1,
    frames_per_interrupt: Q | Number = 1,
    segments_per_packet: Q | Number = 1,
) -> Q:
    r"""
    CPU time that one side spends on one message.

    Parameters
    ----------
    message_bytes : float or array_like
        What the application writes or reads. [byte]
    segment_count : float or array_like
        Segments of the message, each a frame on the line. [segment]
    ack_count : float or array_like
        Acknowledgements sent or received for the message that take frames of
        their own. [frame]
    time_per_message_s : float or array_like
        System call and socket. [s]
    time_per_wakeup_s : float or array_like
        Waking the application and switching to it. [s]
    time_per_interrupt_s : float or array_like
        One interrupt. [s]
    time_per_packet_s : float or array_like
        Protocol work on one packet as the host handles it. [s]
    time_per_ack_s : float or array_like
        Work on one acknowledgement. [s]
    time_per_byte_s : float or array_like
        Copy and checksum of one byte. [s]
    messages_per_wakeup : float or array_like
        Messages that one wake-up serves, at least 1.
    frames_per_interrupt : float or array_like
        Frames that one interrupt announces, at least 1.
    segments_per_packet : float or array_like
        Segments that offloads hand over as one packet, at least 1.

    Returns
    -------
    cpu_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If a time, length or count is negative, fewer than one message, frame
        or segment share a cost, or an argument is infinite.

    Notes
    -----
    .. math:: T = s + \frac{w}{b_w} + \frac{i k}{b_i} + \frac{p k}{g} + a N_{ack} + y n

    with :math:`s, w, i, p, a, y` the times in the order of the arguments,
    :math:`b_w, b_i, g` what shares them, :math:`k` the segments and :math:`n`
    the bytes. Sender and receiver have times of their own. Away from
    saturation; quotients are not rounded up. One message size at one MTU shows
    only the sum.

    References
    ----------
    D. D. Clark, V. Jacobson, J. Romkey and H. Salwen, "An analysis of TCP
    processing overhead", IEEE Communications Magazine 27 (1989), for costs per
    packet and per byte.

    Examples
    --------
    30 KiB in 22 segments at 1 µs a message, 0.5 µs a packet, 0.2 ns a byte:

    >>> round(message_cpu_time_s(30720, 22, 0, 1e-6, 0, 0, 0.5e-6, 0, 0.2e-9) * 1e6, 3)
    18.144
    """
    # each time once for every message, wake-up, interrupt, packet, acknowledgement and byte
    return (
        time_per_message_s
        + time_per_wakeup_s / messages_per_wakeup
        + time_per_interrupt_s * segment_count / frames_per_interrupt
        + time_per_packet_s * segment_count / segments_per_packet
        + time_per_ack_s * ack_count
        + time_per_byte_s * message_bytes
    )


@domain()
def streaming_consumption_us_per_gbit(
    segment_bytes: Q | Number,
    message_bytes: Q | Number,
    time_per_message_s: Q | Number,
    time_per_packet_s: Q | Number,
    time_per_byte_s: Q | Number,
    segments_per_packet: Q | Number = 1,
) -> Q:
    r"""
    Consumption of a byte stream whose writes fill every segment.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    message_bytes : float or array_like
        What the application writes or reads at once. [byte]
    time_per_message_s : float or array_like
        CPU time of each write or read. [s]
    time_per_packet_s : float or array_like
        CPU time of each packet as the host handles it. [s]
    time_per_byte_s : float or array_like
        CPU time of each byte. [s]
    segments_per_packet : float or array_like
        Segments that offloads hand over as one packet, at least 1.

    Returns
    -------
    consumption_us_per_gbit : float or numpy.ndarray
        Of one side, of the broadcast shape of the inputs. [µs/Gbit]

    Raises
    ------
    DomainError
        If a length is not above zero, a time is negative, less than one
        segment makes a packet, or an argument is infinite.

    Notes
    -----
    .. math:: c = \frac{1}{8 \cdot 10^{-9}} \left(\frac{p}{g D} + y + \frac{s}{n}\right)

    the limit of :func:`message_cpu_time_s` per bit for long messages, with
    times in µs. It falls to :math:`y` alone as segments and writes grow.

    References
    ----------
    D. D. Clark, V. Jacobson, J. Romkey and H. Salwen, "An analysis of TCP
    processing overhead", IEEE Communications Magazine 27 (1989).

    Examples
    --------
    1 µs a write, 0.5 µs a packet, 0.2 ns a byte; then 45 segments as one packet:

    >>> round(streaming_consumption_us_per_gbit(1448, 30720, 1e-6, 0.5e-6, 0.2e-9), 3)
    72231.994
    >>> round(streaming_consumption_us_per_gbit(1448, 30720, 1e-6, 0.5e-6, 0.2e-9, 45), 3)
    30028.188
    """
    # packets, bytes and messages, each over the bytes that it carries
    time_of_a_byte_s = (
        time_per_packet_s / (segments_per_packet * segment_bytes)
        + time_per_byte_s
        + time_per_message_s / message_bytes
    )
    return time_of_a_byte_s * US_PER_S * (BITS_PER_GBIT / BITS_PER_BYTE)
