"""Rate that loss leaves under CUBIC, the congestion control that Linux uses by default."""

from netmodel.numeric import Number, Q, domain, maximum, power, sqrt
from netmodel.units import BITS_PER_BYTE

CUBIC_SCALE = 0.4
"""How fast the window grows: C of RFC 9438, section 5. [segment/s^3]"""

CUBIC_DECREASE_RATIO = 0.7
"""What a loss leaves of the window: beta of RFC 9438, section 4.6."""

_RENO_WINDOW = 1.2
"""Mean window of Reno at loss 1 as RFC 9438, section 5, has it: the 1.22 of Mathis, rounded."""

_SCALE_OF_WINDOW = CUBIC_SCALE * (3 + CUBIC_DECREASE_RATIO) / (4 * (1 - CUBIC_DECREASE_RATIO))
"""Fourth power of the mean window where round trip over loss is 1 s (RFC 9438, section 5)."""


@domain()
def reno_window_segment_count(loss_event_ratio: Q | Number) -> Q:
    r"""
    Mean congestion window of a Reno flow that loss alone limits.

    Parameters
    ----------
    loss_event_ratio : float or array_like
        Loss events over segments sent, above 0 and at most 1.

    Returns
    -------
    window_segment_count : float or numpy.ndarray
        Of the shape of the input.

    Raises
    ------
    DomainError
        If the ratio is not above 0 and at most 1.

    Notes
    -----
    .. math:: W = 1.2 / \sqrt{p}

    as RFC 9438 rounds the :math:`\sqrt{3/2}` of
    :func:`~netmodel.transport.mathis_payload_rate_bps`, with an acknowledgement
    for each segment.

    References
    ----------
    RFC 9438, section 5.

    Examples
    --------
    >>> round(reno_window_segment_count(1e-4), 9)
    120.0
    """
    return _RENO_WINDOW / sqrt(loss_event_ratio)


@domain("round_trip_s >= 0")
def cubic_window_segment_count(round_trip_s: Q | Number, loss_event_ratio: Q | Number) -> Q:
    r"""
    Mean congestion window of a CUBIC flow that loss alone limits.

    Parameters
    ----------
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    loss_event_ratio : float or array_like
        Loss events over segments sent, above 0 and at most 1.

    Returns
    -------
    window_segment_count : float or numpy.ndarray
        Never below that of Reno, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the round trip is negative or infinite, or the ratio not above 0 and
        at most 1.

    Notes
    -----
    .. math::

       W = \max\left( \left( \frac{C (3 + \beta)}{4 (1 - \beta)} \right)^{1/4}
       \left( \frac{r}{p} \right)^{3/4},\; \frac{1.2}{\sqrt{p}} \right)
       \qquad C = 0.4,\; \beta = 0.7

    The first is the mean over one cubic period between two losses, the second
    that of Reno, which the Reno-friendly region of CUBIC keeps. Over short
    distances the second always holds.

    References
    ----------
    RFC 9438, section 5.

    Examples
    --------
    One loss in a million segments at 100 ms and at 10 ms:

    >>> [round(cubic_window_segment_count(trip_s, 1e-6)) for trip_s in (0.1, 0.01)]
    [5926, 1200]
    """
    root = sqrt(round_trip_s / loss_event_ratio)
    scale: float = _SCALE_OF_WINDOW**0.25
    return maximum(scale * root * sqrt(root), reno_window_segment_count(loss_event_ratio))


@domain()
def cubic_payload_rate_bps(
    segment_bytes: Q | Number, round_trip_s: Q | Number, loss_event_ratio: Q | Number
) -> Q:
    r"""
    Payload rate of one CUBIC flow that loss alone limits.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    loss_event_ratio : float or array_like
        Loss events over segments sent, above 0 and at most 1.

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Mean in the long run, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the segment or the round trip is not above zero, the ratio is not
        above 0 and at most 1, or an argument is infinite.

    Notes
    -----
    .. math:: X = 8\, M\, W / r

    with the window :math:`W` of :func:`cubic_window_segment_count`. Far beyond the
    Reno-friendly region the rate falls with the fourth root of the round trip
    only. Valid to losses of about 1 %, where the flow rarely waits for a timeout.

    References
    ----------
    RFC 9438, section 5.

    Examples
    --------
    1500 bytes and 100 ms, one loss in 10 million segments, in Gbit/s:

    >>> round(cubic_payload_rate_bps(1500, 0.1, 1e-7) / 1e9, 2)
    4.0
    """
    window = cubic_window_segment_count(round_trip_s, loss_event_ratio)
    return BITS_PER_BYTE * segment_bytes * window / round_trip_s


@domain()
def cubic_allowed_loss_event_ratio(
    segment_bytes: Q | Number, round_trip_s: Q | Number, payload_rate_bps: Q | Number
) -> Q:
    r"""
    Most loss with which one CUBIC flow still keeps a payload rate.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    round_trip_s : float or array_like
        With the queues that the flow meets. [s]
    payload_rate_bps : float or array_like
        Wanted. [bit/s]

    Returns
    -------
    loss_event_ratio : float or numpy.ndarray
        Loss events over segments sent; above 1 where the window for the rate is
        below that at loss 1. Of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If an argument is not above zero, or infinite.

    Notes
    -----
    .. math::

       p = \max\left( r\, \left( \frac{C (3 + \beta)}{4 (1 - \beta)} \right)^{1/3}
       W^{-4/3},\; \left( \frac{1.2}{W} \right)^2 \right) \qquad W = \frac{X\, r}{8\, M}

    the inverse of :func:`cubic_payload_rate_bps`. The second is what Reno allows.

    References
    ----------
    RFC 9438, section 5.

    Examples
    --------
    10 Gbit/s with 1500 bytes at 100 ms:

    >>> f"{cubic_allowed_loss_event_ratio(1500, 0.1, 10e9):.2e}"
    '2.95e-08'
    """
    window = payload_rate_bps * round_trip_s / (BITS_PER_BYTE * segment_bytes)
    of_cubic = round_trip_s * power(_SCALE_OF_WINDOW, 1 / 3) * power(window, -4 / 3)
    of_reno = _RENO_WINDOW / window
    return maximum(of_cubic, of_reno * of_reno)


@domain()
def cubic_crossover_round_trip_s(loss_event_ratio: Q | Number) -> Q:
    r"""
    Round trip below which a CUBIC flow is as fast as Reno, and not faster.

    Parameters
    ----------
    loss_event_ratio : float or array_like
        Loss events over segments sent, above 0 and at most 1.

    Returns
    -------
    round_trip_s : float or numpy.ndarray
        Of the shape of the input. [s]

    Raises
    ------
    DomainError
        If the ratio is not above 0 and at most 1.

    Notes
    -----
    .. math:: r = 1.2^{4/3} \left( \frac{4 (1 - \beta)}{C (3 + \beta)} \right)^{1/3} p^{1/3}

    where both windows of :func:`cubic_window_segment_count` are the same.

    References
    ----------
    RFC 9438, section 5, solved for the round trip.

    Examples
    --------
    One loss in a million segments, in ms:

    >>> round(cubic_crossover_round_trip_s(1e-6) * 1e3, 2)
    11.89
    """
    return power(_RENO_WINDOW**4 / _SCALE_OF_WINDOW * loss_event_ratio, 1 / 3)


@domain("window_segment_count >= 0")
def cubic_recovery_time_s(window_segment_count: Q | Number) -> Q:
    r"""
    Time until a CUBIC flow has the window again that it had before a loss.

    Parameters
    ----------
    window_segment_count : float or array_like
        Window before the loss, in segments.

    Returns
    -------
    recovery_time_s : float or numpy.ndarray
        Of the shape of the input. [s]

    Raises
    ------
    DomainError
        If the window is negative or infinite.

    Notes
    -----
    .. math:: K = \sqrt[3]{W_{\max} (1 - \beta) / C}

    It does not depend on the round trip. In the Reno-friendly region the flow
    is earlier there.

    References
    ----------
    RFC 9438, section 4.2, equation 2.

    Examples
    --------
    >>> round(cubic_recovery_time_s(1000), 4)
    9.0856
    """
    return power(window_segment_count * (1 - CUBIC_DECREASE_RATIO) / CUBIC_SCALE, 1 / 3)
