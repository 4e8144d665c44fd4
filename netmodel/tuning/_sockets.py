"""Socket buffers against the window that a rate needs."""

from netmodel.numeric import Number, Q, require_above, require_share
from netmodel.transport import required_window_bytes


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
    window_share_ratio = require_share("window_share_ratio", window_share_ratio)
    return required_window_bytes(payload_rate_bps, round_trip_s, flow_count) / window_share_ratio


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
    buffer_bytes = require_above("buffer_bytes", buffer_bytes, 0, "byte")
    return buffer_bytes / required_socket_buffer_bytes(
        payload_rate_bps, round_trip_s, flow_count, window_share_ratio
    )
