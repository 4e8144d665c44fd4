"""Service times per frame and byte from one known limit and one that the line hid."""

from dataclasses import dataclass
from typing import Any, Generic, overload

from netmodel.ceilings._service import frame_time_s, stage_payload_rate_bps
from netmodel.numeric import (
    FloatOrArray,
    Floats,
    Number,
    Numbers,
    Q,
    Q_co,
    minimum,
    require_above,
    require_at_least,
)
from netmodel.results import Result


@dataclass(frozen=True)
class FrameTimes(Result, Generic[Q_co]):
    """
    What a stage spends on each frame and on each byte of its payload.

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
        """Time of a frame with this payload. [s]"""
        return frame_time_s(payload_bytes, self.time_per_frame_s, self.time_per_byte_s)

    @overload
    def payload_rate_bps(self: "FrameTimes[float]", payload_bytes: Q | Number) -> Q: ...
    @overload
    def payload_rate_bps(self: "FrameTimes[Numbers]", payload_bytes: FloatOrArray) -> Floats: ...
    def payload_rate_bps(self: Any, payload_bytes: Any) -> Any:
        """Payload rate of the stage in frames with this payload. [bit/s]"""
        return stage_payload_rate_bps(payload_bytes, self.frame_time_s(payload_bytes))


@dataclass(frozen=True)
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


def frame_time_segment(
    payload_bytes: Q | Number,
    frame_time_s: Q | Number,
    censored_payload_bytes: Q | Number,
    censored_frame_time_s: Q | Number,
) -> FrameTimeSegment[Q]:
    r"""
    Service times per frame and byte that one known frame time and one upper bound allow.

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
    payload_bytes = require_above("payload_bytes", payload_bytes, 0, "byte")
    frame_time_s = require_above("frame_time_s", frame_time_s, 0, "s")
    censored_payload_bytes = require_above(
        "censored_payload_bytes", censored_payload_bytes, payload_bytes, "byte"
    )
    censored_frame_time_s = require_at_least(
        "censored_frame_time_s", censored_frame_time_s, frame_time_s, "s"
    )
    slope_s = (censored_frame_time_s - frame_time_s) / (censored_payload_bytes - payload_bytes)
    most_s = minimum(slope_s, frame_time_s / payload_bytes)
    none_s = 0 * most_s
    # alpha = t - beta D, and not below zero where rounding alone would say less
    rest_s = frame_time_s - minimum(frame_time_s, most_s * payload_bytes)
    return FrameTimeSegment(
        all_per_frame=FrameTimes(frame_time_s + none_s, none_s),
        most_per_byte=FrameTimes(rest_s, most_s),
    )
