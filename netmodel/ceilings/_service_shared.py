"""Payload rates of a stage beside the wire, beside another direction and beside other limits."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from netmodel.errors import DomainError
from netmodel.numeric import (
    Number,
    Q,
    maximum,
    minimum,
    require_above,
    require_at_least,
    require_at_most,
)
from netmodel.units import BITS_PER_BYTE


def wire_time_s(line_rate_bps: Q | Number, wire_bytes: Q | Number) -> Q:
    r"""
    Time that a frame or message holds the line.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    wire_bytes : float or array_like
        Frames with preamble, delimiter and gap. [byte]

    Returns
    -------
    wire_time_s : float or numpy.ndarray
        Of the broadcast shape of the inputs. [s]

    Raises
    ------
    DomainError
        If the line rate is not above zero, the length is negative, or either
        is infinite.

    Notes
    -----
    .. math:: t_w = 8 W / R

    References
    ----------
    RFC 6349, section 4.1.1.

    Examples
    --------
    A full frame at MTU 9000 on 25 GbE:

    >>> round(wire_time_s(25e9, 9038) * 1e6, 5)
    2.89216
    """
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    wire_bytes = require_at_least("wire_bytes", wire_bytes, 0, "byte")
    return BITS_PER_BYTE * wire_bytes / line_rate_bps


def pipelined_payload_rate_bps(
    line_rate_bps: Q | Number,
    payload_bytes: Q | Number,
    wire_bytes: Q | Number,
    stage_time_s: Q | Number,
) -> Q:
    r"""
    Payload rate of a stage that works on one frame while the line carries another.

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
    payload_bytes, wire_bytes = _checked_frame(payload_bytes, wire_bytes)
    stage_time_s = require_at_least("stage_time_s", stage_time_s, 0, "s")
    longest_s = maximum(stage_time_s, wire_time_s(line_rate_bps, wire_bytes))
    return BITS_PER_BYTE * payload_bytes / longest_s


def serial_payload_rate_bps(
    line_rate_bps: Q | Number,
    payload_bytes: Q | Number,
    wire_bytes: Q | Number,
    stage_time_s: Q | Number,
) -> Q:
    r"""
    Payload rate of a stage that waits while the line carries its frame.

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
    payload_bytes, wire_bytes = _checked_frame(payload_bytes, wire_bytes)
    stage_time_s = require_at_least("stage_time_s", stage_time_s, 0, "s")
    return BITS_PER_BYTE * payload_bytes / (stage_time_s + wire_time_s(line_rate_bps, wire_bytes))


def shared_engine_utilisation_ratio(
    in_frame_rate_fps: Q | Number,
    in_frame_time_s: Q | Number,
    out_frame_rate_fps: Q | Number,
    out_frame_time_s: Q | Number,
) -> Q:
    r"""
    Share of its time that one engine spends on the frames of both directions.

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
    in_frame_rate_fps = require_at_least("in_frame_rate_fps", in_frame_rate_fps, 0, "frame/s")
    in_frame_time_s = require_at_least("in_frame_time_s", in_frame_time_s, 0, "s")
    out_frame_rate_fps = require_at_least("out_frame_rate_fps", out_frame_rate_fps, 0, "frame/s")
    out_frame_time_s = require_at_least("out_frame_time_s", out_frame_time_s, 0, "s")
    return in_frame_rate_fps * in_frame_time_s + out_frame_rate_fps * out_frame_time_s


def shared_engine_payload_rate_bps(
    in_payload_rate_bps: Q | Number, out_payload_rate_bps: Q | Number
) -> Q:
    r"""
    Payload rate in each direction when one engine serves both directions equally.

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
    inwards = require_above("in_payload_rate_bps", in_payload_rate_bps, 0, "bit/s")
    outwards = require_above("out_payload_rate_bps", out_payload_rate_bps, 0, "bit/s")
    return 1 / (1 / inwards + 1 / outwards)


def soft_minimum_rate_bps(limits_bps: Sequence[Q | Number], sharpness: float) -> Q:
    r"""
    Rate near the smallest of several limits, below it where others come close.

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
    sharpness = require_above("sharpness", sharpness, 0, "")
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


def _checked_frame(payload_bytes: Q | Number, wire_bytes: Q | Number) -> tuple[Q, Q]:
    wire_bytes = require_above("wire_bytes", wire_bytes, 0, "byte")
    payload_bytes = require_above("payload_bytes", payload_bytes, 0, "byte")
    return require_at_most("payload_bytes", payload_bytes, wire_bytes, "byte"), wire_bytes
