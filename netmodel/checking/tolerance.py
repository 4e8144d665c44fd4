"""Tolerance: how far a measured rate may lie from a limit that it reaches."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap

from netmodel.checking._line_limits import acknowledged_ratio
from netmodel.checking.limits import RunLimits
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.readers import Measurement
from netmodel.results import Result, fields_repr
from netmodel.transport import bandwidth_delay_product_bytes
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import MEBI

FLOOR_RATIO = 0.01
"""A convention (docs/why/checking.md): runs within 1 % of the ceiling count as reaching it; runs
that fill an emulated line are at 0.987 to 1.003."""
LINE_CLOCK_RATIO = 100e-6
"""RFC 5180: the clock of an Ethernet line may be off by 100 parts per million."""
HOST_CLOCK_RATIO = 500e-6
"""RFC 5905: a clock may be slewed by 500 parts per million."""
TICK_S = 10e-3
"""Clock tick of a kernel at 100 Hz, for which a process may wait. [s]"""
INITIAL_WINDOW_SEGMENTS = 10
"""Segments that a sender starts with (RFC 6928)."""
RETRANSMISSION_TIMEOUT_S = 0.2
"""Smallest retransmission timeout of Linux; RFC 6298 has one second."""
SOCKET_BUFFER_BYTES = 4 * MEBI
"""Largest socket buffer that Linux makes for a sender by itself (tcp_wmem)."""
SCATTER = "repeats"
"""Part of the scatter of repeats."""
ROUNDING = "rounding"
"""Part of the rounding of a figure."""
SURE_RATIOS = (0.95, 1.05)
"""No derived tolerance passes a ratio outside: a run that needs more was too short."""


@dataclass(frozen=True, slots=True)
class TolerancePart(Result):
    """
    One reason why a run that reaches its limit may show another rate.

    Parameters
    ----------
    name : str
        ``"floor"``, ``"buffers"`` and others.
    below_ratio, above_ratio : float
        Deviation below and above, over the limit.
    reason : str
        Origin of the part.
    """

    name: str
    below_ratio: float
    above_ratio: float
    reason: str


@dataclass(frozen=True)
class Gate:
    """
    Tolerance as specified by the user; None derives it from the run.

    Parameters
    ----------
    min_ratio, max_ratio : float, optional
        Ratios to the ceiling that count as reaching it, both included, instead of
        the derived ones.
    floor_ratio : float, optional
        Tolerance below of every run; 0.01 when left out.
    accepted : frozenset of str
        Limits that a run may report about itself and still pass.

    Raises
    ------
    DomainError
        If the ratios are not 0 < min <= 1 <= max, or the floor is not from 0 to
        less than 1.

    Examples
    --------
    Wider than 1 % below the limit:

    >>> from netmodel.checking import SpecifiedLine, check
    >>> from netmodel.readers import Measurement
    >>> run = Measurement(source="run", sha256="", tool="any", protocol="tcp", goodput_bps=9.2e9)
    >>> line = SpecifiedLine(10e9, mtu_bytes=1500)
    >>> [check(run, line, gate).outcome.value for gate in (Gate(), Gate(min_ratio=0.95))]
    ['below', 'at_ceiling']
    """

    min_ratio: float | None = None
    max_ratio: float | None = None
    floor_ratio: float | None = None
    accepted: frozenset[str] = frozenset()

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        lowest, highest = self.min_ratio, self.max_ratio
        if not (lowest is None or 0 < lowest <= 1) or not (
            highest is None or 1 <= highest < math.inf
        ):
            given = [f"min_ratio {lowest}"] * (lowest is not None)
            given += [f"max_ratio {highest}"] * (highest is not None)
            rule = "0 < min_ratio <= 1 <= max_ratio"
            raise DomainError(f"ratios must be {rule}; got {', '.join(given)}")
        if self.floor_ratio is not None and not 0 <= self.floor_ratio < 1:
            raise DomainError(f"tolerance must be from 0 to less than 1; got {self.floor_ratio}")

    @cached_property
    def floor(self) -> TolerancePart:
        """The part of every run: the floor below, and the clocks above."""
        clocks_ratio = LINE_CLOCK_RATIO + HOST_CLOCK_RATIO
        below_ratio = FLOOR_RATIO if self.floor_ratio is None else self.floor_ratio
        given = "of every run" if self.floor_ratio is None else "as specified"
        clocks = "100 ppm of the line's clock and 500 ppm of the host's"
        reason = f"{100 * below_ratio:g} % below, {given}; above, {clocks}"
        return TolerancePart("floor", below_ratio, clocks_ratio, reason)


DERIVED = Gate()
"""Everything is derived from the run, and nothing that it reports about itself passes."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """
    Ratios to a limit that count as reaching it.

    Parameters
    ----------
    min_ratio, max_ratio : float
        Both included.
    parts : tuple of TolerancePart
        Parts of the ratios, where these are not specified.
    floor_ratio : float
        Ratio that counts as reaching it without the parts of the run.
    sure_min_ratio, sure_max_ratio : float
        Ratios beyond which a run that is within the others is not judgeable:
        it was too short, or its repeats scatter too much.
    """

    min_ratio: float
    max_ratio: float
    parts: tuple[TolerancePart, ...] = ()
    floor_ratio: float = 0.0
    sure_min_ratio: float = 0.0
    sure_max_ratio: float = math.inf

    def separates(self, low: float, high: float) -> bool:
        """Whether a range is wider than the tolerance below a limit."""
        return low < self.min_ratio * high


def tolerance(parts: tuple[TolerancePart, ...], gate: Gate) -> Tolerance:
    """Sum of all parts where no ratio is specified; sure ratios are without scatter, few digits."""
    lowest = 1 - sum(part.below_ratio for part in parts)
    highest = 1 + sum(part.above_ratio for part in parts)
    # repeats that scatter, and figures of one or two digits, decide nothing
    unsure = sum(
        part.above_ratio
        for part in parts
        if part.name == SCATTER or (part.name == ROUNDING and part.above_ratio > FLOOR_RATIO)
    )
    sure_lowest = max(lowest + unsure, min(SURE_RATIOS[0], 1 - gate.floor.below_ratio))
    sure_highest = min(highest - unsure, SURE_RATIOS[1])
    return Tolerance(
        max(0.0, lowest) if gate.min_ratio is None else gate.min_ratio,
        highest if gate.max_ratio is None else gate.max_ratio,
        parts if None in (gate.min_ratio, gate.max_ratio) else (),
        1 - gate.floor.below_ratio if gate.min_ratio is None else gate.min_ratio,
        sure_lowest if gate.min_ratio is None else gate.min_ratio,
        sure_highest if gate.max_ratio is None else gate.max_ratio,
    )


def derived_parts(
    measurement: Measurement, limits: RunLimits, gate: Gate
) -> tuple[TolerancePart, ...]:
    r"""
    The floor, and the effects of buffers, rounding and the start of a run.

    Parameters
    ----------
    measurement : Measurement
        The run.
    limits : RunLimits
        Its limits.
    gate : Gate
        Tolerance as specified by the user.

    Returns
    -------
    parts : tuple of TolerancePart
        Bounds, so they add up; zero parts are left out.

    Notes
    -----
    Bytes in flight :math:`B` at the begin or end of a run of duration :math:`t`
    change its rate by :math:`8 B / (X t)` of the limit :math:`X`, and an idle
    time :math:`\Delta t` by :math:`\Delta t / t`. A run that does not report its
    duration has none of these parts.

    References
    ----------
    RFC 5180, appendix A, for the clock of a line; RFC 5905, section 7.1; RFC
    6298, section 2.4, and Linux ``include/net/tcp.h``, ``TCP_RTO_MIN``; RFC
    6928, section 2; tcp(7), ``tcp_wmem``.
    """
    named = (gate.floor, *starmap(TolerancePart, _parts(measurement, limits)))
    return tuple(part for part in named if part.below_ratio or part.above_ratio)


def _parts(run: Measurement, limits: RunLimits) -> Iterator[tuple[str, float, float, str]]:
    """Yield name, deviation below and above, and reason of each part beside the floor."""
    if run.goodput_half_width_bps and run.goodput_bps:
        ratio = run.goodput_half_width_bps / run.goodput_bps
        yield ROUNDING, ratio, ratio, "the digits of the figure as printed"
    duration_s, count = run.duration_s, run.stream_count or 1
    if not duration_s:
        yield from _acknowledgements(run, limits)
        return
    counted = (run.received_bytes or 0) // (run.write_bytes or math.inf)
    is_counted = (run.recorded_by, run.rdma_operation) == (Side.SERVER, "send")
    # perftest polls and does not wait for a CPU
    if run.protocol != "rdma":
        ratio = TICK_S / duration_s
        yield "timing", ratio, ratio, "a clock tick of 10 ms over the duration"
    elif is_counted and counted > 1:
        reason = f"one of {counted:.0f} messages, which the receiver counts and does not time"
        yield "timing", 1 / (counted - 1), 1 / (counted - 1), reason
    # 8 B / (X t): a byte over the payload of the limit in the run
    ratio_of_byte = BITS_PER_BYTE / (limits.smallest.value_bps * duration_s)
    windows = run.congestion_window_bytes, run.peer_window_bytes
    in_flight_bytes = min(filter(None, windows), default=0)
    ratio = in_flight_bytes * ratio_of_byte
    yield "buffers", ratio, ratio, f"{in_flight_bytes} byte in flight at the beginning or the end"
    if run.is_counted_at_sender:
        kept_bytes = (run.socket_buffer_bytes or SOCKET_BUFFER_BYTES) * count
        usual = "" if run.socket_buffer_bytes else ", the largest that Linux sets by itself"
        reason = f"counted at the sender, with socket buffers of {kept_bytes} byte{usual}"
        yield "sender", 0.0, kept_bytes * ratio_of_byte, reason
    ratio = count * (run.datagram_bytes or 0) * ratio_of_byte
    reason = f"a datagram of {run.datagram_bytes} byte for each stream, counted or not"
    yield "writes", ratio, ratio, reason
    again = run.retransmit_count
    waiting = count if again is None else min(again, count)
    if waiting and "tcp" in (limits.transport, run.protocol):
        # a timeout of each stream that may have lost segments, by its share
        streams = "" if count == 1 else f" of {waiting} of {count} streams"
        why = f"{again} segment{'s were' if again != 1 else ' was'} retransmitted"
        why = "retransmits are not reported" if again is None else why
        reason = f"one retransmission timeout of 200 ms{streams} over the duration, as {why}"
        yield "recovery", RETRANSMISSION_TIMEOUT_S / duration_s * waiting / count, 0.0, reason
    ratio, doublings = slow_start_ratio(run, limits.smallest.value_bps)
    reason = f"{doublings:.2g} round trips until the window fills the limit"
    yield "slow_start", ratio, 0.0, reason
    yield from _acknowledgements(run, limits)


def slow_start_ratio(run: Measurement, rate_bps: float) -> tuple[float, float]:
    """Share of a run in which its windows grow to this rate, and their doublings."""
    round_trip_s = run.least_round_trip_s or run.round_trip_s
    if not (run.duration_s and round_trip_s and run.segment_bytes) or run.leaves_out_start:
        return 0.0, 0.0
    # the congestion window doubles in each round trip
    needed_bytes = bandwidth_delay_product_bytes(rate_bps, round_trip_s)
    doublings = slow_start_doublings(needed_bytes, run.segment_bytes * (run.stream_count or 1))
    return doublings * round_trip_s / run.duration_s, doublings


def slow_start_doublings(window_bytes: float, segments_bytes: float) -> float:
    """Round trips until windows are this large, from the bytes of one segment per connection."""
    return math.log2(max(1.0, window_bytes / (INITIAL_WINDOW_SEGMENTS * segments_bytes)))


def _acknowledgements(
    run: Measurement, limits: RunLimits
) -> Iterator[tuple[str, float, float, str]]:
    if run.is_bidirectional and limits.ceiling is not None and limits.transport == "tcp":
        reason = "one for each segment of the other direction"
        yield "acknowledgements", 1 - acknowledged_ratio(limits.ceiling), 0.0, reason
