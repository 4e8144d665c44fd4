"""Rates that a stage leaves to payload: alone, beside the wire, beside another direction."""

# what follows from a type at run time, `domain` has checked, and no type checker follows
# mypy: disable-error-code="arg-type,no-any-return,operator,return-value,type-var"

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, overload

from netmodel.ceilings._line_rates import wire_time_s
from netmodel.errors import DomainError
from netmodel.numeric import (
    FloatOrArray,
    Floats,
    Number,
    Numbers,
    Q,
    Q_co,
    domain,
    maximum,
    minimum,
    require_above,
)
from netmodel.results import Result
from netmodel.units import BITS_PER_BYTE


@domain()
def frame_time_s(
    payload_bytes: Q | Number, time_per_frame_s: Q | Number, time_per_byte_s: Q | Number
) -> Q:
    r"""
    Return the time that a stage spends on one frame.

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
    return time_per_frame_s + time_per_byte_s * payload_bytes


@domain("payload_bytes > 0")
def stage_payload_rate_bps(payload_bytes: Q | Number, frame_time_s: Q | Number) -> Q:
    r"""
    Return the payload rate of a stage that is busy all the time, one frame after the other.

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
    return BITS_PER_BYTE * payload_bytes / frame_time_s


@domain("payload_bytes > 0")
def frame_time_of_rate_s(payload_rate_bps: Q | Number, payload_bytes: Q | Number) -> Q:
    r"""
    Return the time for each frame of a stage that is at its limit at this payload rate.

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
    return BITS_PER_BYTE * payload_bytes / payload_rate_bps


@domain("payload_rate_bps >= 0", "payload_bytes > 0")
def frame_rate_of_payload_fps(payload_rate_bps: Q | Number, payload_bytes: Q | Number) -> Q:
    r"""
    Return the frames per second that carry a payload rate.

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
    return payload_rate_bps / (BITS_PER_BYTE * payload_bytes)


@dataclass(frozen=True, repr=False)
class FrameTimes(Result, Generic[Q_co]):
    """
    Times that a stage spends on each frame and on each byte of its payload.

    Parameters
    ----------
    time_per_frame_s : float or numpy.ndarray
        Time of a frame that does not depend on its payload. [s]
    time_per_byte_s : float or numpy.ndarray
        Time of each payload byte. [s]

    Examples
    --------
    >>> round(FrameTimes(0.5e-6, 0.25e-9).payload_rate_bps(1448) / 1e9, 6)
    13.438515
    """

    time_per_frame_s: Q_co
    time_per_byte_s: Q_co

    @overload
    def frame_time_s(self: "FrameTimes[float]", payload_bytes: Q | Number) -> Q: ...
    @overload
    def frame_time_s(self: "FrameTimes[Numbers]", payload_bytes: FloatOrArray) -> Floats: ...
    def frame_time_s(self, payload_bytes: Any) -> Any:
        """Return the time of a frame with this payload. [s]"""
        return frame_time_s(payload_bytes, self.time_per_frame_s, self.time_per_byte_s)

    @overload
    def payload_rate_bps(self: "FrameTimes[float]", payload_bytes: Q | Number) -> Q: ...
    @overload
    def payload_rate_bps(self: "FrameTimes[Numbers]", payload_bytes: FloatOrArray) -> Floats: ...
    def payload_rate_bps(self: Any, payload_bytes: Any) -> Any:
        """Return the payload rate of the stage in frames with this payload. [bit/s]"""
        return stage_payload_rate_bps(payload_bytes, self.frame_time_s(payload_bytes))


@dataclass(frozen=True, repr=False)
class FrameTimeSegment(Result, Generic[Q_co]):
    """
    All pairs of times that agree with one limit and one bound, by their two end points.

    Every pair between the end points fits as well as any other: none of them is an estimate.

    Parameters
    ----------
    all_per_frame : FrameTimes
        The end where a byte takes the least time: none at all.
    most_per_byte : FrameTimes
        The end where a byte takes the most time.

    Examples
    --------
    >>> from netmodel.ceilings import frame_time_segment
    >>> segment = frame_time_segment(1448, 8 * 1448 / 13.4e9, 8948, 8 * 9038 / 25e9)
    >>> ends = (segment.most_per_byte, segment.all_per_frame)
    >>> [round(end.payload_rate_bps(3948) / 1e9, 2) for end in ends]
    [20.5, 36.54]
    """

    all_per_frame: FrameTimes[Q_co]
    most_per_byte: FrameTimes[Q_co]


@domain(
    "payload_bytes > 0",
    "censored_payload_bytes > payload_bytes",
    "censored_frame_time_s >= frame_time_s",
)
def frame_time_segment(
    payload_bytes: Q | Number,
    frame_time_s: Q | Number,
    censored_payload_bytes: Q | Number,
    censored_frame_time_s: Q | Number,
) -> FrameTimeSegment[Q]:
    r"""
    Return the service times per frame and byte that one known frame time and one upper bound allow.

    For a stage that is the bottleneck at one MTU, while at a larger one the
    line was full.

    Parameters
    ----------
    payload_bytes : float or array_like
        Payload of the frame whose time is known. [byte]
    frame_time_s : float or array_like
        Time of the stage for that frame. [s]
    censored_payload_bytes : float or array_like
        Payload of a larger frame. [byte]
    censored_frame_time_s : float or array_like
        Time that the stage needs at most for the larger frame: that of the
        line where line speed was reached. [s]

    Returns
    -------
    segment : FrameTimeSegment
        End points of all allowed pairs, their fields of the broadcast shape of
        the inputs.

    Raises
    ------
    DomainError
        If a payload or time is not above zero or is infinite, the censored
        payload is not the larger one, or the larger frame takes less time than
        the smaller, which no times allow.

    Notes
    -----
    .. math::
        \beta \le \min\left(\frac{t_c - t}{D_c - D},\; \frac{t}{D}\right),
        \qquad \alpha = t - \beta D

    with :math:`t` the known time at payload :math:`D` and :math:`t_c` the
    bound at :math:`D_c`; :math:`\alpha, \beta \ge 0`. A third payload, or a
    tighter bound, shortens the segment.

    References
    ----------
    J. Tobin, "Estimation of relationships for limited dependent variables",
    Econometrica 26 (1958), for censored observations; N. Hoppmann, "Exploring
    the performance of network adapters for Linux on IBM Z" (2021), slide 35.

    Examples
    --------
    13.4 Gbit/s at MTU 1500, at least line speed of 25 GbE at MTU 9000:

    >>> segment = frame_time_segment(1448, 8 * 1448 / 13.4e9, 8948, 8 * 9038 / 25e9)
    >>> round(segment.most_per_byte.time_per_frame_s * 1e6, 6)
    0.473
    >>> round(segment.most_per_byte.time_per_byte_s * 1e9, 6)
    0.270358
    """
    slope_s = (censored_frame_time_s - frame_time_s) / (censored_payload_bytes - payload_bytes)
    most_s = minimum(slope_s, frame_time_s / payload_bytes)
    none_s = 0 * most_s
    # alpha = t - beta D, and not below zero where rounding alone would say less
    rest_s = frame_time_s - minimum(frame_time_s, most_s * payload_bytes)
    return FrameTimeSegment(
        all_per_frame=FrameTimes(frame_time_s + none_s, none_s),
        most_per_byte=FrameTimes(rest_s, most_s),
    )


@domain("payload_bytes > 0", "payload_bytes <= wire_bytes")
def pipelined_payload_rate_bps(
    line_rate_bps: Q | Number,
    payload_bytes: Q | Number,
    wire_bytes: Q | Number,
    stage_time_s: Q | Number,
) -> Q:
    r"""
    Return the payload rate of a stage that works on one frame while the line carries another.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    payload_bytes : float or array_like
        Payload of a frame. [byte]
    wire_bytes : float or array_like
        The frame with preamble, delimiter and gap. [byte]
    stage_time_s : float or array_like
        Time of the stage for such a frame. [s]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the line rate or a length is not above zero, the payload is longer
        than its frame, the time is negative, or an argument is infinite.

    Notes
    -----
    .. math:: X = \frac{8 D}{\max(t,\; 8 W / R)}
        = \min\left(\frac{8 D}{t},\; R\,\frac{D}{W}\right)

    Nothing is lost between the two: an upper bound near the point where both
    take equally long, see :func:`soft_minimum_rate_bps`.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978), for the bound.

    Examples
    --------
    The stage is the bottleneck at MTU 1500, the line where the stage needs 0.4 µs:

    >>> round(pipelined_payload_rate_bps(25e9, 1448, 1538, 0.864478e-6) / 1e9, 3)
    13.4
    >>> round(pipelined_payload_rate_bps(25e9, 1448, 1538, 0.4e-6) / 1e9, 3)
    23.537
    """
    longest_s = maximum(stage_time_s, wire_time_s(line_rate_bps, wire_bytes))
    return BITS_PER_BYTE * payload_bytes / longest_s


@domain("payload_bytes > 0", "payload_bytes <= wire_bytes")
def serial_payload_rate_bps(
    line_rate_bps: Q | Number,
    payload_bytes: Q | Number,
    wire_bytes: Q | Number,
    stage_time_s: Q | Number,
) -> Q:
    r"""
    Return the payload rate of a stage that waits while the line carries its frame.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    payload_bytes : float or array_like
        Payload of a frame. [byte]
    wire_bytes : float or array_like
        The frame with preamble, delimiter and gap. [byte]
    stage_time_s : float or array_like
        Time of the stage for such a frame, the line left out. [s]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the line rate or a length is not above zero, the payload is longer
        than its frame, the time is negative, or an argument is infinite.

    Notes
    -----
    .. math:: X = \frac{8 D}{t + 8 W / R}

    Between half of the :func:`pipelined_payload_rate_bps` and all of it.

    References
    ----------
    R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko
    CS-2", Parallel Computing 20 (1994), for times that add up.

    Examples
    --------
    A stage that takes as long as the line halves the rate:

    >>> round(serial_payload_rate_bps(25e9, 1448, 1538, 1538 * 8 / 25e9) / 1e9, 4)
    11.7685
    """
    return BITS_PER_BYTE * payload_bytes / (stage_time_s + wire_time_s(line_rate_bps, wire_bytes))


@domain()
def shared_engine_utilisation_ratio(
    in_frame_rate_fps: Q | Number,
    in_frame_time_s: Q | Number,
    out_frame_rate_fps: Q | Number,
    out_frame_time_s: Q | Number,
) -> Q:
    r"""
    Return the share of its time that one engine spends on the frames of both directions.

    Parameters
    ----------
    in_frame_rate_fps : float or array_like
        Frames that arrive. [frame/s]
    in_frame_time_s : float or array_like
        Time of the engine for each of them. [s]
    out_frame_rate_fps : float or array_like
        Frames that are sent. [frame/s]
    out_frame_time_s : float or array_like
        Time of the engine for each of them. [s]

    Returns
    -------
    utilisation_ratio : float or numpy.ndarray
        Above 1 where the engine cannot keep up, of the broadcast shape of the
        inputs.

    Raises
    ------
    DomainError
        If a rate or time is negative or infinite.

    Notes
    -----
    .. math:: \rho = \lambda_{in} t_{in} + \lambda_{out} t_{out}

    Engines of their own for each direction are two such sums of one term.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    >>> round(shared_engine_utilisation_ratio(5e5, 0.8e-6, 1e6, 0.5e-6), 9)
    0.9
    """
    return in_frame_rate_fps * in_frame_time_s + out_frame_rate_fps * out_frame_time_s


@domain()
def shared_engine_payload_rate_bps(
    in_payload_rate_bps: Q | Number, out_payload_rate_bps: Q | Number
) -> Q:
    r"""
    Return the payload rate in each direction when one engine serves both directions equally.

    Parameters
    ----------
    in_payload_rate_bps : float or array_like
        Payload rate of the engine when all it does is receive. [bit/s]
    out_payload_rate_bps : float or array_like
        Payload rate of the engine when all it does is send. [bit/s]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Rate of each direction at the same time, of the broadcast shape of the
        inputs. [bit/s]

    Raises
    ------
    DomainError
        If a rate is not above zero, or infinite.

    Notes
    -----
    .. math:: \frac{1}{X} = \frac{1}{X_{in}} + \frac{1}{X_{out}}

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law, at 1.

    Examples
    --------
    >>> round(shared_engine_payload_rate_bps(13.4e9, 20.5e9) / 1e9, 6)
    8.103245
    """
    return 1 / (1 / in_payload_rate_bps + 1 / out_payload_rate_bps)


@domain("sharpness > 0")
def soft_minimum_rate_bps(limits_bps: Sequence[Q | Number], sharpness: float) -> Q:
    r"""
    Return the rate near the smallest of several limits, below it where others come close.

    A description of a rounded knee, not a model of what rounds it.

    Parameters
    ----------
    limits_bps : sequence of float or array_like
        The limits, one for each entry of the sequence or of the first axis;
        entries that are arrays are broadcast. [bit/s]
    sharpness : float
        The higher, the closer to the minimum.

    Returns
    -------
    rate_bps : float or numpy.ndarray
        Of the broadcast shape of the limits. [bit/s]

    Raises
    ------
    DomainError
        If there is no limit, one is not above zero, the sharpness is not above
        zero, or an argument is infinite.

    Notes
    -----
    .. math:: X = \Bigl(\sum_r X_r^{-p}\Bigr)^{-1/p}

    At most the smallest of the :math:`n` limits, and at least
    :math:`n^{-1/p}` of it. With :math:`p = 1` the times of the limits add up.

    References
    ----------
    S. W. Churchill and R. Usagi, "A general expression for the correlation of
    rates of transfer and other phenomena", AIChE Journal 18 (1972).

    Examples
    --------
    >>> round(soft_minimum_rate_bps([10e9, 10e9, 20e9], 8) / 1e9, 6)
    9.167804
    """
    given: Any = limits_bps
    try:
        limits: list[Q | Number] = [] if isinstance(given, str) else list(given)
    except TypeError:
        limits = []
    if not limits:
        raise DomainError(f"limits_bps must hold at least one limit; got {limits_bps!r}")
    checked = [
        require_above(f"limits_bps[{place}]", limit, 0, "bit/s")
        for place, limit in enumerate(limits)
    ]
    smallest: Q = reduce(minimum, checked)
    total: Any = sum((smallest / limit) ** sharpness for limit in checked)
    rate_bps: Q = smallest * total ** (-1 / sharpness)
    return rate_bps


@domain()
def memory_path_payload_rate_bps(
    message_bytes: Q | Number, time_per_message_s: Q | Number, copy_rate_bps: Q | Number
) -> Q:
    r"""
    Return the payload rate of messages that one system moves into the memory of another.

    For SMC-D, HiperSockets and other paths without frames, one message after
    the other.

    Parameters
    ----------
    message_bytes : float or array_like
        What one move carries. [byte]
    time_per_message_s : float or array_like
        Time of a move that does not depend on its length. [s]
    copy_rate_bps : float or array_like
        Rate at which the bytes themselves are moved. [bit/s]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the message has no bytes, the copy rate is not above zero, the time
        of a message is negative, or an argument is infinite.

    Notes
    -----
    .. math:: X = \frac{8\,n}{\alpha + 8\,n / C}

    with :math:`n` the message, :math:`\alpha` the time of a message and
    :math:`C` the copy rate. Neither has a published value for these paths: two
    measured message sizes give both.

    References
    ----------
    R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko
    CS-2", Parallel Computing 20 (1994), for the linear model.

    Examples
    --------
    Half of the copy rate, where the message takes as long as its bytes:

    >>> memory_path_payload_rate_bps(10000, 1e-6, 80e9) / 1e9
    40.0
    """
    message_bits = BITS_PER_BYTE * message_bytes
    return message_bits / (time_per_message_s + message_bits / copy_rate_bps)
