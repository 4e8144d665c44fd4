"""Buffers that keep a line busy, or frames from loss."""

from netmodel.numeric import Number, Q, domain, minimum, sqrt
from netmodel.transport._window import bandwidth_delay_product_bytes
from netmodel.units import BITS_PER_BYTE

_FRAMES_ON_THE_WAY = 2
"""One that has begun when a pause arrives, and one that the pause waits for (802.1Qbb, annex O)."""
RENO_DECREASE_RATIO = 0.5
"""What a loss leaves of the window of Reno (RFC 5681, section 3.1, equation 4)."""


@domain("round_trip_s >= 0")
def full_utilisation_buffer_bytes(
    path_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    flow_count: Q | Number = 1,
    decrease_ratio: Q | Number = RENO_DECREASE_RATIO,
) -> Q:
    r"""
    Least buffer before a bottleneck with which flows that lose keep it busy.

    Parameters
    ----------
    path_rate_bps : float or array_like
        Rate of the bottleneck. [bit/s]
    round_trip_s : float or array_like
        Without its queue. [s]
    flow_count : float or array_like
        Long flows whose losses do not coincide.
    decrease_ratio : float or array_like
        What a loss leaves of the window, above 0 and at most 1: 0.5 for Reno,
        0.7 for CUBIC.

    Returns
    -------
    buffer_bytes : float or numpy.ndarray
        Of the broadcast shape of the inputs. [byte]

    Raises
    ------
    DomainError
        If the rate is not above zero, the round trip is negative, there is less
        than one flow, the ratio is not above 0 and at most 1, or an argument is
        infinite.

    Notes
    -----
    .. math:: B = \frac{R\, r}{8 \sqrt{N}} \left( \frac{1}{\beta} - 1 \right)

    The window of one flow falls from :math:`R r / 8 + B` to
    :math:`\beta (R r / 8 + B)`, which must still fill the path. The sum of
    :math:`N` independent sawtooths varies with :math:`\sqrt{N}` only; from some
    hundred flows on that is a good estimate, and for flows in step it is too
    small.

    References
    ----------
    G. Appenzeller, I. Keslassy and N. McKeown, "Sizing router buffers", SIGCOMM
    (2004), sections 2 and 3.

    Examples
    --------
    10 Gbit/s and 250 ms, for one flow and for 10,000, in MB:

    >>> [round(full_utilisation_buffer_bytes(10e9, 0.25, n) / 1e6, 3) for n in (1, 10_000)]
    [312.5, 3.125]
    """
    product_bytes = bandwidth_delay_product_bytes(path_rate_bps, round_trip_s)
    return product_bytes / sqrt(flow_count) * (1 - decrease_ratio) / decrease_ratio


@domain()
def reno_utilisation_ratio(buffer_ratio: Q | Number) -> Q:
    r"""
    Share of a bottleneck that one Reno flow uses with a buffer before it.

    Parameters
    ----------
    buffer_ratio : float or array_like
        Buffer over the bandwidth-delay product.

    Returns
    -------
    utilisation_ratio : float or numpy.ndarray
        From 3/4 without a buffer to 1, of the shape of the input.

    Raises
    ------
    DomainError
        If the buffer is negative or infinite.

    Notes
    -----
    .. math:: u = \frac{3}{4}\, \frac{(1 + b)^2}{1 + b + b^2} \qquad b \le 1

    and 1 from there on. Over a sawtooth from half of :math:`1 + b` to
    :math:`1 + b` bandwidth-delay products, with a round trip that the queue
    makes longer.

    References
    ----------
    G. Appenzeller, I. Keslassy and N. McKeown, "Sizing router buffers", SIGCOMM
    (2004), section 2, for the sawtooth.

    Examples
    --------
    >>> [round(reno_utilisation_ratio(ratio), 6) for ratio in (0, 0.25, 0.5, 1, 2)]
    [0.75, 0.892857, 0.964286, 1.0, 1.0]
    """
    b = minimum(buffer_ratio, 1)
    return 3 * (1 + b) * (1 + b) / (4 * (1 + b + b * b))


@domain("round_trip_s >= 0")
def pfc_headroom_bytes(
    line_rate_bps: Q | Number, round_trip_s: Q | Number, mtu_bytes: Q | Number
) -> Q:
    r"""
    Buffer that a lossless priority needs above the mark where it pauses the sender.

    Parameters
    ----------
    line_rate_bps : float or array_like
        Of the link. [bit/s]
    round_trip_s : float or array_like
        Of the link, there and back, with the time to react to a pause. [s]
    mtu_bytes : float or array_like
        Largest frame that may have begun in either direction. [byte]

    Returns
    -------
    headroom_bytes : float or numpy.ndarray
        Least buffer for each port and lossless priority, of the broadcast shape
        of the inputs. [byte]

    Raises
    ------
    DomainError
        If the rate or the frame is not above zero, the round trip is negative,
        or an argument is infinite.

    Notes
    -----
    .. math:: B \ge R\, r / 8 + 2\, L

    What is in flight when the pause is sent, and what the line carries until it
    arrives. Buffers are cells of a fixed size, which adds to it.

    References
    ----------
    IEEE 802.1Qbb-2011, annex O (802.1Q, annex O).

    Examples
    --------
    25 Gbit/s, 0.98 ms and 1500 bytes, in MB:

    >>> round(pfc_headroom_bytes(25e9, 0.98e-3, 1500) / 1e6, 4)
    3.0655
    """
    return line_rate_bps * round_trip_s / BITS_PER_BYTE + _FRAMES_ON_THE_WAY * mtu_bytes
