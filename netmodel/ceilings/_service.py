"""What a stage that takes time for each frame and byte leaves to payload."""

from netmodel.numeric import Number, Q, require_above, require_at_least
from netmodel.units import BITS_PER_BYTE


def frame_time_s(
    payload_bytes: Q | Number, time_per_frame_s: Q | Number, time_per_byte_s: Q | Number
) -> Q:
    r"""
    Time that a stage spends on one frame.

    Parameters
    ----------
    payload_bytes : float or array_like
        Payload of the frame. [byte]
    time_per_frame_s : float or array_like
        Time of a frame that does not depend on its payload. [s]
    time_per_byte_s : float or array_like
        Time of each payload byte. [s]

    Returns
    -------
    frame_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If an argument is negative or infinite.

    Notes
    -----
    .. math:: t = \alpha + \beta D

    with :math:`\alpha` the time of a frame, :math:`\beta` that of a byte and
    :math:`D` the payload. In one direction; frames on the line, not the
    aggregates that segmentation offload hands to an adapter. A limit of frames
    per second is :math:`\beta = 0`, one of bytes per second :math:`\alpha = 0`.

    References
    ----------
    R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko
    CS-2", Parallel Computing 20 (1994), for the linear model.

    Examples
    --------
    Half a microsecond for the frame and 0.25 ns for each byte:

    >>> round(frame_time_s(1448, 0.5e-6, 0.25e-9) * 1e6, 3)
    0.862
    """
    payload_bytes = require_at_least("payload_bytes", payload_bytes, 0, "byte")
    time_per_frame_s = require_at_least("time_per_frame_s", time_per_frame_s, 0, "s")
    time_per_byte_s = require_at_least("time_per_byte_s", time_per_byte_s, 0, "s")
    return time_per_frame_s + time_per_byte_s * payload_bytes


def stage_payload_rate_bps(payload_bytes: Q | Number, frame_time_s: Q | Number) -> Q:
    r"""
    Payload rate of a stage that is busy all the time, one frame after the other.

    Parameters
    ----------
    payload_bytes : float or array_like
        Payload of a frame. [byte]
    frame_time_s : float or array_like
        Time of the stage for such a frame. [s]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the payload or the time is not above zero, or infinite.

    Notes
    -----
    .. math:: X = 8 D / t

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    >>> round(stage_payload_rate_bps(1448, 0.864478e-6) / 1e9, 3)
    13.4
    """
    payload_bytes = require_above("payload_bytes", payload_bytes, 0, "byte")
    frame_time_s = require_above("frame_time_s", frame_time_s, 0, "s")
    return BITS_PER_BYTE * payload_bytes / frame_time_s


def frame_time_of_rate_s(payload_rate_bps: Q | Number, payload_bytes: Q | Number) -> Q:
    r"""
    Time for each frame of a stage that is at its limit at this payload rate.

    Parameters
    ----------
    payload_rate_bps : float or array_like
        Payload rate that the stage cannot exceed. [bit/s]
    payload_bytes : float or array_like
        Payload of a frame at which the limit was measured. [byte]

    Returns
    -------
    frame_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the rate or the payload is not above zero, or infinite.

    Notes
    -----
    .. math:: t = 8 D / X

    the inverse of :func:`stage_payload_rate_bps`. A rate that the line limited
    gives a time that the stage needs at most.

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 35, for the limits of an adapter.

    Examples
    --------
    13.4 Gbit/s of payload in frames of 1448 bytes:

    >>> round(frame_time_of_rate_s(13.4e9, 1448) * 1e6, 6)
    0.864478
    """
    payload_rate_bps = require_above("payload_rate_bps", payload_rate_bps, 0, "bit/s")
    payload_bytes = require_above("payload_bytes", payload_bytes, 0, "byte")
    return BITS_PER_BYTE * payload_bytes / payload_rate_bps


def frame_rate_of_payload_fps(payload_rate_bps: Q | Number, payload_bytes: Q | Number) -> Q:
    r"""
    Frames per second that carry a payload rate.

    Parameters
    ----------
    payload_rate_bps : float or array_like
        Payload rate. [bit/s]
    payload_bytes : float or array_like
        Payload of a frame. [byte]

    Returns
    -------
    frame_rate_fps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [frame/s]

    Raises
    ------
    DomainError
        If the rate is negative, the payload is not above zero, or either is
        infinite.

    Notes
    -----
    .. math:: \lambda = \frac{X}{8 D}

    References
    ----------
    RFC 5136, section 3, for the rate of a layer.

    Examples
    --------
    >>> round(frame_rate_of_payload_fps(13.4e9, 1448))
    1156768
    """
    payload_rate_bps = require_at_least("payload_rate_bps", payload_rate_bps, 0, "bit/s")
    payload_bytes = require_above("payload_bytes", payload_bytes, 0, "byte")
    return payload_rate_bps / (BITS_PER_BYTE * payload_bytes)
