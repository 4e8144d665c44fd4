"""Messages over a byte stream: segments, tails and frames."""

# what follows from a type at run time, `domain` has checked, and no type checker follows
# mypy: disable-error-code="arg-type,no-any-return,operator,return-value,type-var"

from netmodel.framing import lengths
from netmodel.framing.lengths import ETHERNET_HEADER_BYTES, TCP_IPV4_HEADER_BYTES
from netmodel.numeric import Number, Q, ceil, domain


@domain()
def segment_count(message_bytes: Q | Number, segment_bytes: Q | Number) -> Q:
    r"""
    Return the segments that one message becomes when it shares none with another.

    Parameters
    ----------
    message_bytes : float or array_like
        What the application writes in one piece. [byte]
    segment_bytes : float or array_like
        Payload of a full segment. [byte]

    Returns
    -------
    segment_count : int, float or numpy.ndarray
        Of the broadcast shape of the inputs. [segment]

    Raises
    ------
    DomainError
        If the message or the segment has no bytes, or is infinite.

    Notes
    -----
    .. math:: k = \lceil n / D \rceil

    References
    ----------
    RFC 9293, section 3.7.

    Examples
    --------
    >>> segment_count(30720, 1448), segment_count(1000, 1448)
    (22, 1)
    """
    return ceil(message_bytes / segment_bytes)


@domain()
def tail_bytes(message_bytes: Q | Number, segment_bytes: Q | Number) -> Q:
    r"""
    Return the payload of the last segment of a message.

    Parameters
    ----------
    message_bytes : float or array_like
        What the application writes in one piece. [byte]
    segment_bytes : float or array_like
        Payload of a full segment. [byte]

    Returns
    -------
    tail_bytes : float or numpy.ndarray
        From 1 byte to a full segment, of the broadcast shape of the inputs.
        [byte]

    Raises
    ------
    DomainError
        If the message or the segment has no bytes, or is infinite.

    Notes
    -----
    .. math:: t = n - (k - 1) D

    with :math:`k` the :func:`segment_count`.

    References
    ----------
    RFC 9293, section 3.7.

    Examples
    --------
    >>> tail_bytes(30720, 1448), tail_bytes(30720, 8948)
    (312, 3876)
    """
    return message_bytes - (ceil(message_bytes / segment_bytes) - 1) * segment_bytes


@domain()
def message_wire_bytes(
    message_bytes: Q | Number,
    segment_bytes: Q | Number,
    header_bytes: Q | Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Q | Number = ETHERNET_HEADER_BYTES,
) -> Q:
    r"""
    Return the time that one message takes on an Ethernet line, in bytes.

    Parameters
    ----------
    message_bytes : float or array_like
        What the application writes in one piece. [byte]
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    header_bytes : float or array_like
        Headers inside the packet, from IP to TCP with all options; 52 is TCP
        over IPv4 with timestamps. [byte]
    link_header_bytes : float or array_like
        Addresses, type and tags in front of the packet, without the check
        sequence. [byte]

    Returns
    -------
    wire_bytes : float or numpy.ndarray
        All frames of the message with preamble, delimiter and gap, of the
        broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If the message or the segment has no bytes, or a length is negative or
        infinite.

    Notes
    -----
    .. math:: W_n = (k - 1)\, W(D + H) + W(t + H)

    with :math:`k` the :func:`segment_count`, :math:`t` the :func:`tail_bytes`
    and :math:`W` the bytes of one packet on the wire. The message shares no
    segment with another. Where writes merge, as in a stream, no tail is sent
    but the last.

    References
    ----------
    RFC 9293, section 3.7; IEEE 802.3, clause 3.1.1.

    Examples
    --------
    >>> message_wire_bytes(30720, 1448), message_wire_bytes(30720, 8948)
    (32700, 31080)
    """
    full_count = ceil(message_bytes / segment_bytes) - 1
    tail = message_bytes - full_count * segment_bytes
    full_wire_bytes = lengths.wire_bytes(segment_bytes + header_bytes, link_header_bytes)
    return full_count * full_wire_bytes + lengths.wire_bytes(tail + header_bytes, link_header_bytes)
