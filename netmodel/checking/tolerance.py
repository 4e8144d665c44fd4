"""Tolerance: how far a measured rate may lie from a limit that it reaches."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from netmodel.checking.limits import REPORTED_LIMITS, RunLimits
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.readers import Measurement
from netmodel.results import Result, fields_repr
from netmodel.text import meant_text
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
SURE_RATIOS = (0.95, 1.05)
"""No derived tolerance passes a ratio outside: a run that needs more was too short."""
LINE_SCATTER_RATIO, SHORTFALL_SCATTER_RATIO, TRIP_SCATTER_RATIO = 0.0028, 0.053, 0.068
"""Scatter of repeats at a limit, for each share of it that they miss, and for the root of round
trip over duration: scales of Student's t with 1.5 degrees of freedom, fitted to half of 105 groups
of public iperf3 runs (docs/why/checking.md has the places)."""
SCATTER_FREEDOM = 1.5
"""Degrees of freedom of that scatter."""
USUAL_ROUND_TRIP_S, USUAL_DURATION_S = 1e-3, 10.0
"""Assumed of runs that report none: a local network with a queue, the default of iperf3."""
BORDER_SCALES = 1.28
"""Scales of the scatter within which a run does not decide between pass and fail."""
MOST_BORDER_RATIO = 1 - SURE_RATIOS[0]
"""A run further from passing fails, or was too short, however its repeats scatter."""
_Parts: TypeAlias = Iterator[tuple[str, float, float, str]]
"""Name, deviation below and above, and reason of each part."""


@dataclass(frozen=True, slots=True, repr=False)
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
    min_ratio : float, optional
        Least ratio to the ceiling that counts as reaching it, instead of the
        derived one; no run is then borderline below.
    floor_ratio : float, optional
        Tolerance below of every run; 0.01 when left out.
    accepted : frozenset of str
        Limits that a run may report about itself and still pass; ``"borderline"``
        passes runs that do not decide between pass and fail.

    Raises
    ------
    DomainError
        If the ratio is not above 0 and at most 1, the floor is not from 0 to
        less than 1, or no run reports a limit to accept.

    Examples
    --------
    Wider than 1 % below the limit:

    >>> from netmodel.checking import SpecifiedLine, check
    >>> from netmodel.readers import Measurement
    >>> run = Measurement(source="run", tool="any", protocol="tcp", goodput_bps=9.2e9)
    >>> line = SpecifiedLine(10e9, mtu_bytes=1500)
    >>> [check(run, line, gate).outcome.value for gate in (Gate(), Gate(min_ratio=0.95))]
    ['below', 'at_ceiling']
    """

    min_ratio: float | None = None
    floor_ratio: float | None = None
    accepted: frozenset[str] = frozenset()

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        if self.min_ratio is not None and not 0 < self.min_ratio <= 1:
            raise DomainError(f"min_ratio must be above 0 and at most 1; got {self.min_ratio}")
        if self.floor_ratio is not None and not 0 <= self.floor_ratio < 1:
            raise DomainError(f"tolerance must be from 0 to less than 1; got {self.floor_ratio}")
        known = (*REPORTED_LIMITS, "borderline")
        if unknown := ", ".join(sorted(self.accepted.difference(known))):
            rule = f"limits to accept must be among {', '.join(known)}"
            raise DomainError(f"{rule}; got {unknown}{meant_text(unknown, known)}")


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
    floor_ratio : float
        Ratio that counts as reaching it without the parts of the run.
    sure_min_ratio, sure_max_ratio : float
        Ratios beyond which a run that is within the others was too short, or
        its figure has too few digits.
    border_below_ratio, border_above_ratio : float
        How far from each of them a run decides nothing, as its repeats scatter;
        0 where the ratio is specified.
    parts : tuple of TolerancePart
        Parts of the ratios, where these are not specified.
    is_rough : bool
        Whether the figure has one or two digits, which decide nothing.
    """

    min_ratio: float
    floor_ratio: float
    sure_min_ratio: float
    border_below_ratio: float
    max_ratio: float
    sure_max_ratio: float
    border_above_ratio: float
    parts: tuple[TolerancePart, ...] = ()
    is_rough: bool = False

    def separates(self, low: float, high: float) -> bool:
        """Return True if a range is wider than the tolerance below a limit."""
        return low < self.min_ratio * high


def tolerance(parts: tuple[TolerancePart, ...], gate: Gate, border_ratio: float = 0.0) -> Tolerance:
    """Return the sum of all parts where no ratio is specified, and the border beside each end."""
    lowest = 1 - sum([part.below_ratio for part in parts])
    highest = 1 + sum([part.above_ratio for part in parts])
    floor_ratio = 1 - parts[0].below_ratio
    rounded = sum([part.above_ratio for part in parts if part.name == "rounding"])
    unsure = rounded if rounded > FLOOR_RATIO else 0.0
    sure_lowest = max(lowest + unsure, min(SURE_RATIOS[0], floor_ratio))
    below = (max(0.0, lowest), floor_ratio, sure_lowest, border_ratio)
    above = (highest, min(highest - unsure, SURE_RATIOS[1]), border_ratio)
    if gate.min_ratio is not None:
        below = (gate.min_ratio, gate.min_ratio, gate.min_ratio, 0.0)
    return Tolerance(*below, *above, parts, unsure > 0)


def derived_parts(
    run: Measurement, limits: RunLimits, gate: Gate, duration_s: float | None = None
) -> tuple[TolerancePart, ...]:
    r"""
    Return the parts of a tolerance: the floor, buffers, rounding and the start of a run.

    Parameters
    ----------
    run : Measurement
        The run.
    limits : RunLimits
        Its limits.
    gate : Gate
        Tolerance as specified by the user.
    duration_s : float, optional
        Of a longer run like it; that of the run by default. [s]

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
    return tuple([TolerancePart(*x) for x in _parts(run, limits, gate, duration_s) if x[1] or x[2]])


def _parts(run: Measurement, limits: RunLimits, gate: Gate, duration_s: float | None) -> _Parts:
    """Yield name, deviation below and above, and reason of each part, the floor first."""
    below_ratio = FLOOR_RATIO if gate.floor_ratio is None else gate.floor_ratio
    clocks = "100 ppm of the line's clock and 500 ppm of the host's"
    reason = f"{100 * below_ratio:g} % below; above, {clocks}"
    yield "floor", below_ratio, LINE_CLOCK_RATIO + HOST_CLOCK_RATIO, reason
    if run.counted.half_width_bps and (rate_bps := limits.measured_bps(run)):
        ratio = run.counted.half_width_bps / rate_bps
        yield "rounding", ratio, ratio, "the digits of the figure as printed"
    if time_s := duration_s or run.duration_s:
        yield from _of_duration(run, limits, time_s)
    if run.is_bidirectional and limits.ceiling is not None and limits.transport == "tcp":
        ratio = limits.ceiling.acknowledged_payload_rate_bps(1) / limits.ceiling.payload_rate_bps
        yield "acknowledgements", 1 - ratio, 0.0, "one for each segment of the other direction"


def _of_duration(run: Measurement, limits: RunLimits, duration_s: float) -> _Parts:
    """Yield the parts that weigh less in a longer run."""
    count, traffic = run.stream_count or 1, run.traffic
    counted = (run.counted.received_bytes or 0) // (traffic.write_bytes or math.inf)
    is_counted = (run.file.recorded_by, traffic.rdma_operation) == (Side.SERVER, "send")
    # perftest polls and does not wait for a CPU
    if run.protocol not in ("rdma", "infiniband"):
        ratio = TICK_S / duration_s
        yield "timing", ratio, ratio, "a clock tick of 10 ms over the duration"
    elif is_counted and counted > 1:
        reason = f"one of {counted:.0f} messages, which the receiver counts and does not time"
        yield "timing", 1 / (counted - 1), 1 / (counted - 1), reason
    # 8 B / (X t): a byte over the payload of the limit in the run
    ratio_of_byte = BITS_PER_BYTE / (limits.smallest.value_bps * duration_s)
    windows = run.tcp.congestion_window_bytes, run.tcp.peer_window_bytes
    in_flight_bytes = min(filter(None, windows), default=0)
    ratio = in_flight_bytes * ratio_of_byte
    yield "buffers", ratio, ratio, f"{in_flight_bytes} byte in flight at the beginning or the end"
    if run.counted.is_at_sender:
        reason = f"counted at the sender, with socket buffers of up to {kept_bytes(run)} byte"
        yield "sender", 0.0, kept_bytes(run) * ratio_of_byte, reason
    ratio = count * (traffic.datagram_bytes or 0) * ratio_of_byte
    yield "writes", ratio, ratio, f"a datagram of {traffic.datagram_bytes} byte for each stream"
    again = run.tcp.retransmit_count
    waiting = count if again is None else min(again, count)
    if waiting and "tcp" in (limits.transport, run.protocol):
        # a timeout of each stream that may have lost segments, by its share
        why = f"{'an unknown number of' if again is None else again} segments were retransmitted"
        reason = f"one retransmission timeout of 200 ms over the duration, as {why}"
        yield "recovery", RETRANSMISSION_TIMEOUT_S / duration_s * waiting / count, 0.0, reason
    ratio, doublings = slow_start_ratio(run, limits.smallest.value_bps, duration_s)
    yield "slow_start", ratio, 0.0, f"{doublings:.2g} round trips until the window fills the limit"


def kept_bytes(run: Measurement) -> int:
    """Return what the socket buffers of a sender hold at most, which has not arrived. [byte]"""
    return (run.traffic.socket_buffer_bytes or SOCKET_BUFFER_BYTES) * (run.stream_count or 1)


def slow_start_ratio(
    run: Measurement, rate_bps: float, duration_s: float | None, round_trip_s: float | None = None
) -> tuple[float, float]:
    """Return the share of a duration that slow start to this rate takes, and the doublings."""
    round_trip_s = round_trip_s or run.tcp.least_round_trip_s or run.tcp.round_trip_s
    segment_bytes = None if run.counted.leaves_out_start else run.traffic.segment_bytes
    if not (duration_s and round_trip_s and segment_bytes):
        return 0.0, 0.0
    # the congestion window doubles in each round trip
    needed_bytes = bandwidth_delay_product_bytes(rate_bps, round_trip_s)
    first_bytes = INITIAL_WINDOW_SEGMENTS * segment_bytes * (run.stream_count or 1)
    doublings = math.log2(max(1.0, needed_bytes / first_bytes))
    return doublings * round_trip_s / duration_s, doublings


def border_ratio(
    run: Measurement,
    limits: RunLimits,
    parts: tuple[TolerancePart, ...],
    repeated_bps: Sequence[float] = (),
    duration_s: float | None = None,
) -> float:
    r"""
    Return the distance from the end of a tolerance within which a run is borderline.

    .. math:: \sigma^2 = a^2 + (b\,m)^2 + c^2\,T_{\mathrm{rtt}} / t

    is the scatter of repeats that miss their limit by the ratio m. Retransmits, tool and streams
    made no difference in its fit. What is not known takes the usual value; datagrams and RDMA wait
    for no round trip. Own repeats count beside it by their number less one.
    """
    round_trip_s = run.tcp.round_trip_s or limits.line.own_round_trips_s[1] or USUAL_ROUND_TRIP_S
    trips_ratio = round_trip_s / (duration_s or run.duration_s or USUAL_DURATION_S)
    scatter_ratio = math.hypot(
        LINE_SCATTER_RATIO,
        SHORTFALL_SCATTER_RATIO * sum([part.below_ratio for part in parts]),
        TRIP_SCATTER_RATIO * math.sqrt(trips_ratio) * (limits.transport in ("tcp", None)),
    )
    if repeated_bps:
        from statistics import stdev  # fractions and random numbers, which one run does not need

        own = stdev(repeated_bps) / limits.smallest.value_bps
        weights = SCATTER_FREEDOM, len(repeated_bps) - 1
        squares = weights[0] * scatter_ratio**2 + weights[1] * own**2
        scatter_ratio = math.sqrt(squares / sum(weights))
    return min(BORDER_SCALES * scatter_ratio, MOST_BORDER_RATIO)
