"""Bytes in flight: what a window carries, and which window a rate needs."""

from netmodel.numeric import (
    Number,
    Q,
    ceil,
    domain,
    minimum,
    require_at_least,
    require_at_most,
    require_whole,
    where,
)
from netmodel.units import BITS_PER_BYTE

_UNSCALED_WINDOW_BYTES = 65535
"""The window field of a TCP header has 16 bits (RFC 9293, section 3.1)."""

MAX_WINDOW_SHIFT_COUNT = 14
"""Largest shift of the window scale option (RFC 7323, section 2.3)."""

MAX_WINDOW_BYTES = _UNSCALED_WINDOW_BYTES << MAX_WINDOW_SHIFT_COUNT
"""Largest window that TCP can announce. [byte]"""


@domain("round_trip_s >= 0")
def bandwidth_delay_product_bytes(path_rate_bps: Q | Number, round_trip_s: Q | Number) -> Q:
    r"""
    Bytes in flight when a path is full.

    Parameters
    ----------
    path_rate_bps : float or array_like
        Rate of the slowest part of the path. [bit/s]
    round_trip_s : float or array_like
        From sending a byte to its acknowledgement, without queues. [s]

    Returns
    -------
    product_bytes : float or numpy.ndarray
        Of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If the rate is not above zero, the time is negative, or either is
        infinite.

    Notes
    -----
    .. math:: B = R\, r / 8

    References
    ----------
    RFC 6349, section 3.3.1.

    Examples
    --------
    10 Gbit/s and 0.3 ms; 25 Gbit/s and 0.98 ms:

    >>> round(bandwidth_delay_product_bytes(10e9, 0.3e-3))
    375000
    >>> round(bandwidth_delay_product_bytes(25e9, 0.98e-3))
    3062500
    """
    return path_rate_bps * round_trip_s / BITS_PER_BYTE


@domain("window_bytes >= 0")
def window_payload_rate_bps(
    window_bytes: Q | Number, round_trip_s: Q | Number, flow_count: Q | Number = 1
) -> Q:
    r"""
    Payload rate that windows allow, regardless of the line.

    Parameters
    ----------
    window_bytes : float or array_like
        Payload that each flow may have in flight: the smallest of receive and congestion
        window, send buffer and, over SMC-R, the peer's memory buffer. [byte]
    round_trip_s : float or array_like
        From sending a byte to the news that the window is open again. [s]
    flow_count : float or array_like
        Flows with a window each.

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of all flows together, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the window is negative, the round trip is not above zero, there is
        less than one flow, or an argument is infinite.

    Notes
    -----
    .. math:: X = 8\, N\, W / r

    Over SMC-R the window is the element of the peer's memory buffer (RMBE),
    and the time until the peer announces that it has emptied it belongs to the
    round trip.

    References
    ----------
    RFC 6349, section 3.3.1; RFC 7609 for SMC-R.

    Examples
    --------
    16 kB and a round trip of 5 ms, in Mbit/s:

    >>> round(window_payload_rate_bps(16_000, 5e-3) / 1e6, 1)
    25.6
    """
    return BITS_PER_BYTE * flow_count * window_bytes / round_trip_s


@domain()
def required_window_bytes(
    payload_rate_bps: Q | Number, round_trip_s: Q | Number, flow_count: Q | Number = 1
) -> Q:
    r"""
    Window that each flow needs for a wanted payload rate.

    Parameters
    ----------
    payload_rate_bps : float or array_like
        Payload of all flows together. [bit/s]
    round_trip_s : float or array_like
        From sending a byte to the news that the window is open again. [s]
    flow_count : float or array_like
        Flows with a window each, which share the rate evenly.

    Returns
    -------
    window_bytes : float or numpy.ndarray
        Not rounded, of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If the rate or the round trip is not above zero, there is less than one
        flow, or an argument is infinite.

    Notes
    -----
    .. math:: W = \frac{X\, r}{8\, N}

    the inverse of :func:`window_payload_rate_bps`.

    References
    ----------
    RFC 6349, section 3.3.1.

    Examples
    --------
    >>> round(required_window_bytes(1e9, 0.1e-3)), round(required_window_bytes(1e9, 0.1e-3, 10))
    (12500, 1250)
    """
    return payload_rate_bps * round_trip_s / BITS_PER_BYTE / flow_count


@domain("window_bytes >= 0", f"window_bytes <= {MAX_WINDOW_BYTES}")
def window_shift_count(window_bytes: Q | Number) -> Q:
    r"""
    Smallest shift of the TCP window scale option that a window needs.

    Parameters
    ----------
    window_bytes : float or array_like
        Window to be announced. [byte]

    Returns
    -------
    shift_count : int or numpy.ndarray
        From 0, which needs no option, to 14, of the shape of the input.

    Raises
    ------
    DomainError
        If the window is negative, or above the largest that TCP can announce.

    Notes
    -----
    .. math:: s = \min \{ s \ge 0 : 65535 \cdot 2^s \ge W \}

    A window that is announced with shift :math:`s` is a multiple of
    :math:`2^s` bytes.

    References
    ----------
    RFC 7323, sections 2.2 and 2.3.

    Examples
    --------
    >>> window_shift_count(65535), window_shift_count(65536), window_shift_count(3_062_500)
    (0, 1, 6)
    """
    too_small = (
        where(window_bytes > _UNSCALED_WINDOW_BYTES << shift, 1, 0)
        for shift in range(MAX_WINDOW_SHIFT_COUNT)
    )
    return ceil(0 * window_bytes + sum(too_small))


@domain("window_bytes >= 0")
def window_limited_payload_rate_bps(
    path_rate_bps: Q | Number,
    window_bytes: Q | Number,
    round_trip_s: Q | Number,
    flow_count: Q | Number = 1,
) -> Q:
    r"""
    Payload rate of a path whose windows may be too small to fill it.

    Parameters
    ----------
    path_rate_bps : float or array_like
        Payload that the path carries when windows do not matter. [bit/s]
    window_bytes : float or array_like
        Payload that each flow may have in flight. [byte]
    round_trip_s : float or array_like
        From sending a byte to the news that the window is open again. [s]
    flow_count : float or array_like
        Flows with a window each.

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of all flows together, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the path rate or the round trip is not above zero, the window is
        negative, there is less than one flow, or an argument is infinite.

    Notes
    -----
    .. math:: X = \min(R,\; 8\, N\, W / r)

    Nothing is lost on the path, and queues do not add to the round trip.

    References
    ----------
    RFC 6349, section 3.3.1.

    Examples
    --------
    256 KiB over 25 Gbit/s, in Gbit/s, at 10 and at 100 km:

    >>> from netmodel.transport import propagation_round_trip_s
    >>> trips_s = [propagation_round_trip_s(metres) for metres in (10e3, 100e3)]
    >>> [round(window_limited_payload_rate_bps(25e9, 2**18, r) / 1e9, 3) for r in trips_s]
    [21.411, 2.141]
    """
    return minimum(path_rate_bps, window_payload_rate_bps(window_bytes, round_trip_s, flow_count))


@domain("receive_window_bytes >= 0", f"receive_window_bytes <= {MAX_WINDOW_BYTES}")
def effective_window_bytes(
    receive_window_bytes: Q | Number,
    congestion_window_bytes: Q | Number = MAX_WINDOW_BYTES,
    send_buffer_bytes: Q | Number = MAX_WINDOW_BYTES,
    rmbe_bytes: Q | Number = MAX_WINDOW_BYTES,
) -> Q:
    r"""
    Payload that a flow may have in flight: the smallest of its limits.

    Parameters
    ----------
    receive_window_bytes : float or array_like
        Largest window that the receiver announces. [byte]
    congestion_window_bytes : float or array_like
        Congestion window of the sender. [byte]
    send_buffer_bytes : float or array_like
        Room for payload in the sender's socket buffer, which keeps it until
        it is acknowledged. [byte]
    rmbe_bytes : float or array_like
        Element of the peer's memory buffer, over SMC-R. [byte]

    Returns
    -------
    window_bytes : float or numpy.ndarray
        Of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If a size is negative or infinite, or the receive window above the
        largest that TCP can announce.

    Notes
    -----
    .. math:: W = \min(W_r,\; W_c,\; B_s,\; E)

    A limit that is left out is the largest window of TCP, which the others
    cannot exceed anyway.

    References
    ----------
    RFC 5681, section 3.1; RFC 7323, section 2.3; RFC 7609 for SMC-R.

    Examples
    --------
    A receiver with 4 MiB, and a sender with 256 KiB:

    >>> effective_window_bytes(2**22, send_buffer_bytes=2**18)
    262144
    """
    return minimum(
        minimum(receive_window_bytes, congestion_window_bytes),
        minimum(send_buffer_bytes, rmbe_bytes),
    )


def max_window_bytes(shift_count: int) -> int:
    r"""
    Largest window that TCP announces with a shift of its window scale option.

    Parameters
    ----------
    shift_count : int
        From 0 to 14.

    Returns
    -------
    window_bytes : int
        [byte]

    Raises
    ------
    DomainError
        If the shift is no whole number from 0 to 14.

    Notes
    -----
    .. math:: W = 65535 \cdot 2^s

    References
    ----------
    RFC 7323, sections 2.2 and 2.3.

    Examples
    --------
    >>> max_window_bytes(0), max_window_bytes(7), max_window_bytes(14)
    (65535, 8388480, 1073725440)
    """
    shift_count = require_whole("shift_count", shift_count)
    require_at_least("shift_count", shift_count, 0, "")
    require_at_most("shift_count", shift_count, MAX_WINDOW_SHIFT_COUNT, "")
    return _UNSCALED_WINDOW_BYTES << shift_count
