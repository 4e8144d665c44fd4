"""Why a run shows more than its line carries, or less: hypotheses, each put to the test.

Every cause names the evidence that would confirm it.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from netmodel.ceilings import layer_rate_bps
from netmodel.checking._transport_limits import isolated_loss_rate_bps, sent_segment_count
from netmodel.checking.limits import STANDARD_LINE_RATES_BPS, USUAL_MTUS_BYTES, RunLimits
from netmodel.consumption import CpuScope
from netmodel.framing import Stack, ethernet, segments_per_aggregate_count, tcp
from netmodel.readers import Measurement
from netmodel.text import RESULT_DIGITS, argument, percent_text
from netmodel.units import BITS_PER_BYTE, format_rate, format_time
from netmodel.units.prefixes import GIBI, GIGA, KIBI, KILO, MEBI, MEGA, MS_PER_S

FIT = (0.985, 1.005)
"""Ratios to a ceiling of a run that fills its line."""
_GUESS_FIT = (0.995, 1.002)
"""The same for a guess: closer than most guesses are to each other."""
_ROUND_DIGITS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 8)
"""Leading digits of rates that clouds and access providers sell, and that people shape to."""
_SMALL_WRITE_BYTES = 724
"""Half of a full segment at MTU 1500: a frame takes two smaller writes or more."""
_FAST_LINE_BPS = 25e9
"""Lines from here on carry about as much as one core moves over one TCP connection, or more."""
_FAR_RATIO = 0.8
"""Below this share of its limit a run is far from it."""
_LEAST_OF_CORE_BPS = 1e9
"""A slow core moves as much over one TCP connection: 12 µs for each frame at MTU 1500."""
_LEAST_OF_PROCESS = 0.5
"""Busy CPUs of a tool beside a core that is full: interrupts take rarely more than the copies."""
_FULL_CORE = 0.95
"""Busy CPUs that count as a full core: sampling and the ends of a run hide the rest."""
_BITS_FOR_BYTES = {"bytes taken for bits": float(BITS_PER_BYTE)}
_UNIT_FACTORS = _BITS_FOR_BYTES | {
    "kB (10^3) and KiB (2^10) mixed up": KIBI / KILO,
    "MB (10^6) and MiB (2^20) mixed up": MEBI / MEGA,
    "GB (10^9) and GiB (2^30) mixed up": GIBI / GIGA,
}
_LARGEST_SHAPER_BYTES = 64 * MEBI
"""Buckets of shapers hold what a line carries between two turns of the kernel, up to some MiB."""
_LARGEST_CLOUD_RATIO = 20.0
"""Cloud instances "up to" a rate may burst to about this many times their baseline."""
DROP_COUNTERS = "(confirm: drop counters of ethtool -S, ip -s link and the switch)"
_TIMESTAMPS = "(confirm: sysctl net.ipv4.tcp_timestamps at both ends)"
_LOSS_THAT_COUNTS_RATIO = 1e-3
"""Loss or retransmission from here on lowers TCP throughput by more than the tolerance."""
_WINDOW_SLACK_RATIO = 1.5
"""Largest congestion window over the mean one: cubic falls to 0.7 of it at each loss."""
_MOST_CONGESTION_WINDOW_RATIO = 4
"""Largest congestion window over the mean data in flight: slow start doubles it once more than was
in flight, and the begin of a run lowers the mean. 3.2 on an emulated line with a run of 5 s."""
_TIME_DIGITS = 3
"""Digits of a duration that explains and is not compared."""
_SHORT_S = 5
"""Shorter runs are mostly slow start and buffers."""
_SHORT_RUN_RATIO = 1.03
"""Ratio that buffers and bursts of a short run may reach."""
_DISTANT_S = 1e-3
"""A round trip over 100 km of fibre at 5 µs for each km and direction."""
_LARGEST_SHAPER_RATIO = 1.5
"""Average ratio that the bucket of a shaper may reach: it is small against a run of seconds."""
_LOOPBACK = "the connection stayed on a loopback interface and crossed no line"
_NOT_CAPPED = (
    "the rate cap does not apply to this run (confirm: another tool, or its configuration)"
)


def what_explains_too_much(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> tuple[str, ...]:
    """Return the causes that fit a rate above the ceiling; guesses where the run shows none."""
    counted = tuple(_misplaced_counts(measurement, limits))
    known = measurement, limits, measured_bps
    if limits.smallest.name == "rate_cap":
        saved = tuple(_saved_tokens(*known)) or tuple(_saved_credit(*known))
        return (*counted, *saved, _NOT_CAPPED)
    if not limits.is_of_the_line:
        higher = f"the limit {limits.smallest.name} is higher than specified"
        return (*counted, higher)
    shown = tuple(_other_segments(*known))
    if limits.smallest.name == "messages":
        other_bps = min(limit.value_bps for limit in limits.specified if limit.name != "messages")
        if measured_bps <= FIT[1] * other_bps:
            merged = (
                "writes shared segments: with full ones the ratio is "
                f"{measured_bps / other_bps:.4f} "
                "(confirm: a capture, or the run without TCP_NODELAY)"
            )
            shown = (merged, *shown)
    if measurement.is_loopback:
        return (*counted, *shown)
    guesses = (
        *_no_encapsulation(limits, measured_bps),
        *_other_sizes(*known),
        *_other_units(*known),
        *_rate_caps(*known),
        *_no_padding(*known),
        *_another_line(*known),
    )
    # RDMA bypasses the kernel, and with it shapers and socket buffers
    is_rdma = limits.transport == "rdma" or measurement.tool == "perftest"
    saved = () if is_rdma else tuple(_saved_tokens(*known))
    is_slight = measured_bps <= _SHORT_RUN_RATIO * limits.smallest.value_bps
    duration_s = measurement.duration_s
    short: tuple[str, ...] = ()
    if duration_s is not None and duration_s < _SHORT_S and is_slight and not is_rdma:
        short = (
            f"in a run of {format_time(duration_s, _TIME_DIGITS)} socket buffers and bursts count "
            "(confirm: measure 10 s or more, the first seconds omitted)",
        )
    beside = (*saved, *short) or tuple(_aggregates(limits, measured_bps))
    wrong = () if guesses or is_slight else (_wrong_line(limits, measured_bps),)
    credit = () if saved or guesses or is_rdma else tuple(_saved_credit(*known))
    causes = shown or (*guesses, *wrong, *beside, *credit)
    return (*counted, *causes) or (_wrong_line(limits, measured_bps),)


def what_explains_too_little(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> tuple[str, ...]:
    """Return the causes that fit a rate below the ceiling."""
    known = measurement, limits, measured_bps
    shown = tuple(small_writes(*known))
    if limits.is_of_the_line:
        shown = (*_acknowledgements(*known), *_other_segments(*known), *shown)
    guesses: tuple[str, ...] = ()
    if limits.is_of_the_line and not shown:
        guesses = (
            *_other_sizes(*known),
            *_other_units(*known),
            *_rate_caps(*known),
            *_another_line(*known),
        )
    lost = tuple(what_was_lost(*known))
    causes = (
        *((_LOOPBACK,) if measurement.is_loopback else ()),
        *shown,
        *guesses,
        *_slow_sender(*known),
        *lost,
        *_windows(*known),
        *(() if shown or lost else _one_core(*known)),
    )
    limit = "the wire" if limits.is_of_the_line else f"the limit {limits.smallest.name}"
    unknown = (
        f"something other than {limit} limits (check CPUs, drops and other traffic at both ends: "
        "mpstat -P ALL, ethtool -S, ip -s link)"
    )
    return (*(causes or (unknown,)), *_share_of_window(*known))


def _misplaced_counts(measurement: Measurement, limits: RunLimits) -> Iterator[str]:
    """Payload that crossed no line, or was counted before it arrived."""
    if measurement.is_loopback:
        yield _LOOPBACK
    if measurement.is_counted_at_sender:
        lost = " or was lost" if limits.transport == "udp" else ""
        yield (
            f"it was counted at the sender, with data that was in socket buffers{lost} "
            "(confirm: the result of the receiver)"
        )


def _other_segments(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> Iterator[str]:
    """Another MTU than specified, or timestamps specified that no segment carried."""
    segment_bytes, ceiling = measurement.segment_bytes, limits.ceiling
    if not segment_bytes or ceiling is None or segment_bytes == ceiling.segment_bytes:
        return
    stack = ceiling.stack
    if segment_bytes < ceiling.segment_bytes:
        need, evidence = (
            "are those of a smaller MTU",
            "ip link at both ends, tracepath between them",
        )
        ratios = FIT
    else:
        need, evidence = "need a larger MTU", "ip link at both ends"
        # any rate that such segments can carry
        ratios = (0.0, FIT[1])
        if _unstamped(stack).packet_bytes(segment_bytes) == ceiling.mtu_bytes:
            need, evidence = "have no room for TCP timestamps", "sysctl net.ipv4.tcp_timestamps"
            stack = _unstamped(stack)
    mtu_bytes = int(stack.packet_bytes(segment_bytes))
    wire_bytes = stack.wire_bytes(mtu_bytes, mtu_bytes)
    ratio = measured_bps / layer_rate_bps(ceiling.line_rate_bps, segment_bytes, wire_bytes)
    if _fits(ratio, ratios):
        yield (
            f"the run's segments of {segment_bytes} byte {need}; at MTU {mtu_bytes} under {stack} "
            f"the ratio is {ratio:.4f} (confirm: {evidence})"
        )


def _unstamped(stack: Stack) -> Stack:
    """The same headers without TCP options."""
    return replace(stack, layers=(*stack.layers[:-1], tcp(timestamps=False)))


def _no_encapsulation(limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """A tunnel that is specified, and that the run did not go through."""
    ceiling = limits.ceiling
    if ceiling is None or limits.transport == "rdma":
        return
    plain = Stack((ethernet(), *ceiling.stack.inner_layers))
    if plain == ceiling.stack:
        return
    for mtu_bytes in sorted({ceiling.mtu_bytes, ceiling.outer_packet_bytes}):
        ratio = measured_bps / replace(ceiling, mtu_bytes=mtu_bytes, stack=plain).payload_rate_bps
        if _fits(ratio):
            yield (
                f"without the encapsulation, under {plain} at MTU {mtu_bytes}, "
                f"the ratio is {ratio:.4f} (confirm: ip route get to the peer)"
            )


def _other_sizes(measurement: Measurement, limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """Another MTU, or no timestamps, where the run does not report the size of its packets."""
    ceiling = limits.ceiling
    if ceiling is None or limits.transport == "rdma":
        return
    evidence = "(confirm: ip link at both ends)"
    if limits.transport == "udp":
        # datagrams that another MTU would cut into fewer or more fragments
        datagram_bytes = measurement.datagram_bytes or 0
        for mtu_bytes in USUAL_MTUS_BYTES if datagram_bytes else ():
            datagram = replace(ceiling, mtu_bytes=mtu_bytes).message(datagram_bytes)
            ratio = measured_bps / datagram.payload_rate_bps
            is_cut_alike = datagram.wire_bytes == ceiling.message(datagram_bytes).wire_bytes
            if not is_cut_alike and _fits(ratio, _GUESS_FIT):
                yield (
                    f"datagrams of {datagram_bytes} byte at MTU {mtu_bytes}: the ratio is "
                    f"{ratio:.4f} {evidence}"
                )
        return
    if measurement.segment_bytes is not None:
        return
    plain = _unstamped(ceiling.stack)
    cases = [(plain, ceiling.mtu_bytes), *((ceiling.stack, mtu) for mtu in USUAL_MTUS_BYTES)]
    for stack, mtu_bytes in cases:
        if (stack, mtu_bytes) != (ceiling.stack, ceiling.mtu_bytes):
            other = replace(ceiling, mtu_bytes=mtu_bytes, stack=stack)
            ratio = measured_bps / other.payload_rate_bps
            if _fits(ratio, _GUESS_FIT):
                where = _TIMESTAMPS if mtu_bytes == ceiling.mtu_bytes else evidence
                yield f"under {stack} at MTU {mtu_bytes} the ratio is {ratio:.4f} {where}"


def _other_units(measurement: Measurement, limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """A unit mistaken for another, in either direction; counted bytes and frames have none."""
    if limits.frame_wire_bytes is not None or measurement.received_bytes is not None:
        return
    # a rate that was typed has the unit that was typed: only bits and bytes look alike
    factors = _BITS_FOR_BYTES if measurement.tool == "rate" else _UNIT_FACTORS
    for mistake, factor in factors.items():
        for divisor in (factor, 1 / factor):
            ratio = measured_bps / limits.smallest.value_bps / divisor
            if _fits(ratio, _GUESS_FIT):
                yield (
                    f"{mistake} would explain it: divided by {divisor:.6g} the ratio is "
                    f"{ratio:.4f} (confirm: bytes and time of the same run)"
                )


def _no_padding(measurement: Measurement, limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """A virtual line that does not pad frames to 64 byte."""
    ceiling = limits.ceiling
    size_bytes = measurement.datagram_bytes or measurement.write_bytes
    is_single = limits.transport in ("udp", "rdma") or limits.smallest.name == "messages"
    if ceiling is None or not size_bytes or not is_single:
        return
    message = ceiling.message(size_bytes)
    if not message.padding_bytes:
        return
    unpadded_bytes = message.wire_bytes - message.padding_bytes
    ratio = measured_bps / layer_rate_bps(ceiling.line_rate_bps, size_bytes, unpadded_bytes)
    if ratio <= FIT[1]:
        yield (
            "a virtual line that does not pad short frames would explain it: without padding the "
            f"ratio is {ratio:.4f} (confirm: ip -d link shows veth, tap or bridge, or a capture "
            "shows frames below 60 byte)"
        )


def _rate_caps(measurement: Measurement, limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """A cap at a round rate below that of the line, or at the rate that was given as the line's."""
    if limits.frame_wire_bytes is not None or measurement.is_loopback or not measured_bps:
        return
    if _is_bound_by_window(measurement, limits, measured_bps):
        return
    is_above = measured_bps > limits.smallest.value_bps
    decade_bps = 10.0 ** math.floor(math.log10(measured_bps))
    for rate_bps in (*(digits * decade_bps for digits in _ROUND_DIGITS), 10 * decade_bps):
        ratio = measured_bps / rate_bps
        is_possible = rate_bps == limits.line_rate_bps or (
            rate_bps < limits.line_rate_bps and not is_above
        )
        if is_possible and _fits(ratio):
            yield (
                f"a rate cap of {format_rate(rate_bps)} would explain it: {ratio:.4f} of it "
                "(confirm: the limit of the instance, contract or shaper; then specify "
                f"{argument('rate_cap_bps', '--rate-cap')})"
            )


def has_another_line(measurement: Measurement, limits: RunLimits, measured_bps: float) -> bool:
    """Whether the run fills a line of another standard rate."""
    return limits.is_of_the_line and any(_another_line(measurement, limits, measured_bps))


def _another_line(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> Iterator[str]:
    """A line of another standard rate; no chance match of a run whose window bounds it."""
    if _is_bound_by_window(measurement, limits, measured_bps):
        return
    for rate_bps in STANDARD_LINE_RATES_BPS:
        ratio = measured_bps * limits.line_rate_bps / (limits.smallest.value_bps * rate_bps)
        if rate_bps != limits.line_rate_bps and _fits(ratio):
            yield (
                f"a line of {format_rate(rate_bps)} would explain it: {ratio:.4f} of its ceiling "
                "(confirm: ethtool at both ends and at the switch)"
            )


def _is_bound_by_window(measurement: Measurement, limits: RunLimits, measured_bps: float) -> bool:
    """Whether a run over a distance reports its window, which may bound it by chance anywhere."""
    round_trip_s = measurement.least_round_trip_s or measurement.round_trip_s or 0.0
    has_window = bool(measurement.peer_window_bytes or measurement.congestion_window_bytes)
    return round_trip_s >= _DISTANT_S and has_window and measured_bps < limits.smallest.value_bps


def _fits(ratio: float, ends: tuple[float, float] = FIT) -> bool:
    return ends[0] <= ratio <= ends[1]


def _wrong_line(limits: RunLimits, measured_bps: float) -> str:
    segment_size = (limit for limit in limits.reported if limit.name == "segment_size")
    carried = next(segment_size, limits.smallest)
    needed_bps = limits.line_rate_bps * measured_bps / carried.value_bps
    sizes = "this MTU" if carried is limits.smallest else "the run's own segments"
    return (
        "line rate, MTU or headers are not those specified: "
        f"with {sizes} and headers it takes a line of at least "
        f"{format_rate(needed_bps, RESULT_DIGITS)} (confirm: ethtool and ip link at both ends)"
    )


def _saved_tokens(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> Iterator[str]:
    """A shaper that passes the tokens saved while the line was idle."""
    duration_s = measurement.duration_s
    if not duration_s or measurement.leaves_out_start:
        return
    saved_bytes = (measured_bps - limits.smallest.value_bps) * duration_s / BITS_PER_BYTE
    is_slight = measured_bps <= _LARGEST_SHAPER_RATIO * limits.smallest.value_bps
    if saved_bytes <= _LARGEST_SHAPER_BYTES and is_slight:
        yield (
            f"a token bucket of {saved_bytes:,.0f} byte or more, full at the start, would explain "
            "it (confirm: tc -s qdisc shows a burst of that size, or a longer run is nearer to 1)"
        )


def _saved_credit(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> Iterator[str]:
    """A cloud instance that bursts above its baseline; data within a host take no credit."""
    duration_s = measurement.duration_s
    if measurement.is_loopback or limits.is_one_host:
        return
    if duration_s and measured_bps <= _LARGEST_CLOUD_RATIO * limits.smallest.value_bps:
        saved_bytes = (measured_bps - limits.smallest.value_bps) * duration_s / BITS_PER_BYTE
        yield (
            f"a cloud instance with {saved_bytes / GIGA:.3g} GB of burst credit would explain it "
            "(confirm: the rate falls to the baseline in a longer run)"
        )


def _aggregates(limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """A virtual line that counts the frames of one TSO or GRO aggregate as a single frame."""
    ceiling = limits.ceiling
    if ceiling is None or limits.transport != "tcp":
        return
    whole_bytes = segments_per_aggregate_count(ceiling.payload_bytes) * ceiling.payload_bytes
    most_bps = layer_rate_bps(
        ceiling.line_rate_bps, whole_bytes, whole_bytes + ceiling.overhead_bytes
    )
    if measured_bps <= FIT[1] * most_bps:
        yield (
            "a virtual or emulated line that counts an aggregate of TSO or GRO as one frame "
            f"carries up to {format_rate(most_bps, RESULT_DIGITS)} (confirm: ip -d link shows "
            "veth, and the rate falls with gso_max_segs 1)"
        )


def _acknowledgements(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> Iterator[str]:
    """Acknowledgements of data that went the other way at the same time."""
    if limits.ceiling is None or not measurement.is_bidirectional or limits.transport != "tcp":
        return
    ratio = measured_bps / limits.ceiling.acknowledged_payload_rate_bps(segments_per_ack=1)
    if ratio >= FIT[0]:
        yield (
            "both directions: beside one acknowledgement for each segment of the other "
            f"direction the ratio is {ratio:.4f} (confirm: each direction alone)"
        )


def small_writes(measurement: Measurement, limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """Writes, messages or datagrams so small that their number a second is the limit."""
    size_bytes = measurement.write_bytes or measurement.datagram_bytes
    if not size_bytes or size_bytes >= _SMALL_WRITE_BYTES or limits.frame_wire_bytes is not None:
        return
    names = {"udp": "datagrams", "rdma": "messages"}
    name = names.get(limits.transport or measurement.protocol or "", "writes")
    rate_hz = measured_bps / (BITS_PER_BYTE * size_bytes)
    larger = "iperf3 -l 128K" if name == "writes" else f"larger {name}"
    yield (
        f"{name} of {size_bytes} byte, {rate_hz:,.0f} a second: each takes CPU time, whatever its "
        f"size (confirm: {larger}, or the CPU time of the sender)"
    )


def _one_core(measurement: Measurement, limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """One TCP connection far below a fast line, unless the hosts had no full core."""
    is_typed = measurement.tool == "rate"
    is_one = limits.transport in ("tcp", None) and (is_typed or measurement.stream_count == 1)
    is_one = is_one and not measurement.is_bidirectional
    is_far = _LEAST_OF_CORE_BPS <= measured_bps < _FAR_RATIO * limits.bounds_bps[0]
    if not (is_one and is_far) or limits.line_rate_bps < _FAST_LINE_BPS or measurement.is_loopback:
        return
    ends = {
        scope: [use for use in measurement.cpu if use.scope is scope]
        for scope in (CpuScope.SYSTEM, CpuScope.PROCESS)
    }
    for scope, least in ((CpuScope.SYSTEM, _FULL_CORE), (CpuScope.PROCESS, _LEAST_OF_PROCESS)):
        if len(ends[scope]) > 1 and all(use.busy_cpu_count < least for use in ends[scope]):
            return
    own = ends[CpuScope.PROCESS]
    busy = ", ".join(f"{use.busy_cpu_count:.2f} at the {use.side.value}" for use in own)
    seen = f"; the process itself used {busy}, and interrupts take more" if busy else ""
    stream = "a single TCP stream, if it was one," if is_typed else "a single TCP stream"
    yield (
        f"{stream} is usually limited by one core{seen} (confirm: a CPU near 100 % in "
        "mpstat -P ALL at either end, or several streams, such as iperf3 -P 4)"
    )


def _slow_sender(measurement: Measurement, limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """Datagrams that were never sent at the requested rate."""
    offered_bps, lost_ratio = measurement.offered_rate_bps, measurement.lost_ratio
    if limits.transport != "udp" or not offered_bps or lost_ratio is None:
        return
    if lost_ratio < _LOSS_THAT_COUNTS_RATIO and measured_bps < FIT[0] * offered_bps:
        yield (
            f"the sender reached {measured_bps / offered_bps:.4f} of the requested rate, and "
            "nothing was lost: it cannot send faster (confirm: its CPU, larger datagrams)"
        )


def what_was_lost(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> Iterator[str]:
    """Lost datagrams or retransmitted segments in numbers that matter."""
    lost_ratio = measurement.lost_ratio or 0.0
    if lost_ratio >= _LOSS_THAT_COUNTS_RATIO:
        lost = f"{percent_text(lost_ratio, 3)} of the datagrams were lost"
        if lost_ratio < 1:
            sent_bps = measured_bps / (1 - lost_ratio)
            lost += f", {sent_bps / limits.smallest.value_bps:.4f} of the limit was sent"
        yield f"{lost} {DROP_COUNTERS}"
    count, segment_bytes = measurement.retransmit_count or 0, measurement.segment_bytes
    if count and segment_bytes is None and limits.ceiling is not None:
        segment_bytes = limits.ceiling.segment_bytes
    received_count = (sent_segment_count(measurement, segment_bytes) or 0) - count
    if received_count > 0 and count >= _LOSS_THAT_COUNTS_RATIO * received_count:
        again = f"{count} segments were retransmitted ({percent_text(count / received_count, 3)})"
        rate_bps = isolated_loss_rate_bps(measurement, limits.round_trip_s, segment_bytes)
        if rate_bps:
            rate = format_rate(rate_bps, RESULT_DIGITS)
            again += f", at which a sender reaches {rate} if no two losses fell together"
        yield f"{again} {DROP_COUNTERS}"


def _share_of_window(
    measurement: Measurement, limits: RunLimits, measured_bps: float
) -> Iterator[str]:
    """The goodput over what a window allows that would hold it below the specified limits."""
    for limit in limits.reported:
        if limit.name == "window" and limit.value_bps < limits.smallest.value_bps:
            rate = format_rate(limit.value_bps, RESULT_DIGITS)
            yield (
                f"{measured_bps / limit.value_bps:.4f} of the {rate} that its window allows over "
                "the round trip (confirm: rwnd_limited and sndbuf_limited of ss -ti)"
            )


def _windows(measurement: Measurement, limits: RunLimits, measured_bps: float) -> Iterator[str]:
    """A congestion window that loss kept small; a hint at the window that would explain the run."""
    own_bytes, peer_bytes = measurement.congestion_window_bytes, measurement.peer_window_bytes
    round_trip_s, again = limits.round_trip_s, measurement.retransmit_count
    if not round_trip_s:
        return
    if own_bytes and again and own_bytes < (peer_bytes or math.inf):
        rate_bps = own_bytes * BITS_PER_BYTE / round_trip_s
        if rate_bps <= _WINDOW_SLACK_RATIO * measured_bps:
            yield (
                f"its congestion window of at most {own_bytes:,} byte over "
                f"{MS_PER_S * round_trip_s:.4g} ms "
                f"carries {format_rate(rate_bps, RESULT_DIGITS)}, and {again} "
                f"segment{'s were' if again > 1 else ' was'} retransmitted: loss kept "
                "it small (confirm: ss -ti during the run, drop counters)"
            )
    has_limit = any(limit.name == "window" for limit in limits.reported)
    in_flight_bytes = measured_bps * round_trip_s / BITS_PER_BYTE
    # a congestion window far above what was in flight grew so large because no window held it back
    is_refuted = (own_bytes or 0) > _MOST_CONGESTION_WINDOW_RATIO * in_flight_bytes
    if not (has_limit or peer_bytes or is_refuted) and limits.transport == "tcp":
        yield (
            f"goodput times the round trip is {in_flight_bytes:,.0f} byte: a window of that size "
            "would explain it (confirm: ss -ti during the run, or larger socket buffers)"
        )
