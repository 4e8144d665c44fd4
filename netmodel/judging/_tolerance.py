"""How far a measured rate may lie from a limit and still count as reaching it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from netmodel.errors import DomainError
from netmodel.judging._header_limits import acknowledged_ratios
from netmodel.judging._limits import LineLimits
from netmodel.readers import Measurement
from netmodel.transport import bandwidth_delay_product_bytes
from netmodel.units import BITS_PER_BYTE

__all__ = ["Tolerance", "TolerancePart", "derived_parts", "require_ratios", "tolerance"]

LINE_CLOCK_RATIO = 100e-6
"""RFC 5180: the clock of an Ethernet line may be off by 100 parts per million."""
HOST_CLOCK_RATIO = 500e-6
"""RFC 5905 lets a clock be slewed by 500 parts per million."""
TICK_S = 10e-3
"""A clock tick of a kernel at 100 Hz, which a process may wait for."""
INITIAL_WINDOW_SEGMENTS = 10
"""Segments that a sender starts with (RFC 6928)."""
RETRANSMISSION_TIMEOUT_S = 0.2
"""Least retransmission timeout of Linux; RFC 6298 has one second."""
SOCKET_BUFFER_BYTES = 4 * 1024 * 1024
"""Largest socket buffer that Linux makes for a sender by itself (tcp_wmem)."""
SCATTER = "repeats"
"""Part that follows from the scatter of repeats."""
SURE_RATIOS = (0.95, 1.05)
"""No derived tolerance lets pass what is further from its limit."""
_USUAL_DURATION_S = 10.0


@dataclass(frozen=True, slots=True)
class TolerancePart:
    """
    One reason why a run that reaches its limit may show another rate.

    Parameters
    ----------
    name : str
        ``"clocks"``, ``"buffers"`` and others.
    below_ratio, above_ratio : float
        How much less and more it may show, over the limit.
    reason : str
        What it follows from.
    """

    name: str
    below_ratio: float
    above_ratio: float
    reason: str


_CLOCKS = TolerancePart(
    "clocks",
    *(LINE_CLOCK_RATIO + HOST_CLOCK_RATIO,) * 2,
    "100 ppm of the line's clock and 500 ppm of the host's",
)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """
    Ratios to a limit that count as reaching it.

    Parameters
    ----------
    min_ratio, max_ratio : float
        Both included.
    parts : tuple of TolerancePart
        What the ratios follow from, as far as they are not stated.
    sure_min_ratio, sure_max_ratio : float
        Ratios beyond which a run that is within the others is not judgeable:
        it was too short, or its repeats scatter too much.
    """

    min_ratio: float
    max_ratio: float
    parts: tuple[TolerancePart, ...] = ()
    sure_min_ratio: float = 0.0
    sure_max_ratio: float = math.inf


def require_ratios(min_ratio: float | None, max_ratio: float | None) -> None:
    """Raise DomainError unless 0 < min_ratio <= 1 <= max_ratio, as far as they are stated."""
    if not (
        (min_ratio is None or 0 < min_ratio <= 1)
        and (max_ratio is None or 1 <= max_ratio < math.inf)
    ):
        stated = {"min_ratio": min_ratio, "max_ratio": max_ratio}
        told = ", ".join(f"{name} {ratio}" for name, ratio in stated.items() if ratio is not None)
        raise DomainError(f"ratios must be 0 < min_ratio <= 1 <= max_ratio; got {told}")


def tolerance(
    parts: tuple[TolerancePart, ...], min_ratio: float | None, max_ratio: float | None
) -> Tolerance:
    """The sum of all parts, where it is not stated; for sure, that of all but the scatter."""
    least = 1 - sum(part.below_ratio for part in parts)
    most = 1 + sum(part.above_ratio for part in parts)
    scatter = sum(part.above_ratio for part in parts if part.name == SCATTER)
    sure_least, sure_most = (
        max(least + scatter, SURE_RATIOS[0]),
        min(most - scatter, SURE_RATIOS[1]),
    )
    return Tolerance(
        max(0.0, least) if min_ratio is None else min_ratio,
        most if max_ratio is None else max_ratio,
        parts if None in (min_ratio, max_ratio) else (),
        sure_least if min_ratio is None else min_ratio,
        sure_most if max_ratio is None else max_ratio,
    )


def derived_parts(measurement: Measurement, limits: LineLimits) -> tuple[TolerancePart, ...]:
    r"""
    What clocks, buffers, rounding and the start of a run may add or take.

    Parameters
    ----------
    measurement : Measurement
        The run.
    limits : LineLimits
        What it could reach.

    Returns
    -------
    parts : tuple of TolerancePart
        They are bounds, so they add up; those that are zero are left out.

    Notes
    -----
    Bytes that were under way, :math:`B`, when the clock of a run of :math:`t`
    was started or stopped move its rate by :math:`8 B / (X t)` of the limit
    :math:`X`, and time :math:`\Delta t` in which nothing came by
    :math:`\Delta t / t`.

    References
    ----------
    RFC 5180, appendix A, for the clock of a line; RFC 5905, section 7.1; RFC
    6298, section 2.4, and Linux ``include/net/tcp.h``, ``TCP_RTO_MIN``; RFC
    6928, section 2; tcp(7), ``tcp_wmem``.
    """
    parts = (
        _CLOCKS,
        _timing(measurement),
        *_buffers(measurement, limits),
        *_sender(measurement, limits),
        *_writes(measurement, limits),
        *_rounding(measurement),
        *_recovery(measurement, limits),
        *_slow_start(measurement, limits),
        *_acknowledgements(measurement, limits),
    )
    return tuple(part for part in parts if part.below_ratio or part.above_ratio)


def _duration_s(measurement: Measurement) -> float:
    return measurement.duration_s or _USUAL_DURATION_S


def _timing(measurement: Measurement) -> TolerancePart:
    """What a process that waits for its turn sees too late of the beginning or the end."""
    ratio = TICK_S / _duration_s(measurement)
    reason = "a clock tick of 10 ms over the duration"
    if not measurement.duration_s:
        reason += f", which is not told: taken as {_USUAL_DURATION_S:g} s"
    return TolerancePart("timing", ratio, ratio, reason)


def _buffers(measurement: Measurement, limits: LineLimits) -> Iterator[TolerancePart]:
    """What was under way when time began, and counts, or when it ended, and does not."""
    told = [measurement.congestion_window_bytes, measurement.peer_window_bytes]
    under_way_bytes = min(filter(None, told), default=None)
    if under_way_bytes is not None:
        ratio = _moved_ratio(under_way_bytes, measurement, limits)
        reason = f"{under_way_bytes} byte under way at the beginning or the end"
        yield TolerancePart("buffers", ratio, ratio, reason)


def _moved_ratio(moved_bytes: float, measurement: Measurement, limits: LineLimits) -> float:
    """Bytes over all that the limit lets through in the run."""
    return moved_bytes * BITS_PER_BYTE / (limits.binding.value_bps * _duration_s(measurement))


def _sender(measurement: Measurement, limits: LineLimits) -> Iterator[TolerancePart]:
    """What lay in the buffer of a sender that counts it as sent."""
    if not measurement.is_counted_at_sender:
        return
    count = measurement.stream_count or 1
    kept_bytes = (measurement.socket_buffer_bytes or SOCKET_BUFFER_BYTES) * count
    ratio = _moved_ratio(kept_bytes, measurement, limits)
    told = "" if measurement.socket_buffer_bytes else ", as large as Linux makes them by itself"
    reason = f"counted at the sender, with socket buffers of {kept_bytes} byte{told}"
    yield TolerancePart("sender", 0.0, ratio, reason)


def _writes(measurement: Measurement, limits: LineLimits) -> Iterator[TolerancePart]:
    """What each stream sends at once: a datagram, or a write that keeps to a rate on the whole."""
    is_paced = limits.binding.name == "offered_rate"
    write_bytes = measurement.datagram_bytes or (is_paced and measurement.write_bytes)
    if write_bytes:
        count = measurement.stream_count or 1
        ratio = _moved_ratio(count * write_bytes, measurement, limits)
        what = "a datagram" if measurement.datagram_bytes else "a write"
        reason = f"{what} of {write_bytes} byte for each stream, whole or not at all"
        yield TolerancePart("writes", ratio, ratio, reason)


def _rounding(measurement: Measurement) -> Iterator[TolerancePart]:
    if measurement.goodput_half_width_bps and measurement.goodput_bps:
        ratio = measurement.goodput_half_width_bps / measurement.goodput_bps
        yield TolerancePart("rounding", ratio, ratio, f"digits that {measurement.tool} prints")


def _recovery(measurement: Measurement, limits: LineLimits) -> Iterator[TolerancePart]:
    """One wait for an acknowledgement that does not come."""
    if "tcp" in (limits.transport, measurement.protocol):
        ratio = RETRANSMISSION_TIMEOUT_S / _duration_s(measurement)
        reason = "one retransmission timeout of 200 ms over the duration"
        yield TolerancePart("recovery", ratio, 0.0, reason)


def _slow_start(measurement: Measurement, limits: LineLimits) -> Iterator[TolerancePart]:
    """Round trips until the congestion window, which doubles in each, fills the limit."""
    round_trip_s = measurement.least_round_trip_s or measurement.round_trip_s
    segment_bytes = measurement.segment_bytes
    if measurement.leaves_out_start or not round_trip_s or not segment_bytes:
        return
    needed_bytes = bandwidth_delay_product_bytes(limits.binding.value_bps, round_trip_s)
    first_bytes = INITIAL_WINDOW_SEGMENTS * segment_bytes * (measurement.stream_count or 1)
    doublings = math.log2(max(1.0, needed_bytes / first_bytes))
    ratio = doublings * round_trip_s / _duration_s(measurement)
    reason = f"{doublings:.2g} round trips until the window fills the limit"
    yield TolerancePart("slow_start", ratio, 0.0, reason)


def _acknowledgements(measurement: Measurement, limits: LineLimits) -> Iterator[TolerancePart]:
    """What the acknowledgements of data that goes the other way take, one for each segment."""
    ceiling = limits.ceiling
    if not measurement.is_bidirectional or ceiling is None or limits.transport != "tcp":
        return
    least, _, _ = acknowledged_ratios(ceiling)
    yield TolerancePart(
        "acknowledgements", 1 - least, 0.0, "one for each segment of the other direction"
    )
