"""Hypotheses about the headers of a run that did not find the rate of its line."""

from collections.abc import Iterator
from dataclasses import replace

from netmodel.ceilings import LineCeiling, layer_rate_bps
from netmodel.framing import Stack, ethernet, segments_per_aggregate_count, tcp
from netmodel.judging._limits import LineLimits
from netmodel.readers import Measurement
from netmodel.units import format_rate

__all__ = [
    "fits",
    "from_aggregates",
    "from_no_encapsulation",
    "from_untold_sizes",
    "shown_too_few_bytes",
    "too_many_bytes",
]

FIT = (0.97, 1.005)
"""Ratios to a ceiling that count as explained by it."""
GUESS_FIT_RATIO = 0.005
"""How near a rate has to be to what a guess would give."""
USUAL_MTUS_BYTES = (1500, 9000)
_DIGITS = 5


def fits(ratio: float) -> bool:
    """Whether a ratio to a ceiling counts as explained by it."""
    return FIT[0] <= ratio <= FIT[1]


def shown_too_few_bytes(
    measurement: Measurement, limits: LineLimits, measured_bps: float
) -> Iterator[str]:
    """What the run shows of headers that are fewer bytes than stated for its payload."""
    if limits.ceiling is not None:
        yield from _from_merged_writes(limits, measured_bps)
        yield from _from_a_larger_segment(measurement, limits.ceiling, measured_bps)


def too_many_bytes(
    measurement: Measurement, limits: LineLimits, measured_bps: float
) -> Iterator[str]:
    """What the run shows of headers that are more bytes than stated for its payload."""
    if limits.ceiling is not None:
        if measurement.is_bidirectional and limits.transport == "tcp":
            yield from _from_acknowledgements(limits.ceiling, measured_bps)
        yield from _from_a_smaller_segment(measurement, limits.ceiling, measured_bps)


def _from_merged_writes(limits: LineLimits, measured_bps: float) -> Iterator[str]:
    """Writes that shared segments, though each is stated to be sent for itself."""
    if limits.binding.name != "messages":
        return
    others = [limit for limit in limits.limits if limit.name != "messages"]
    ratio = measured_bps / min(limit.value_bps for limit in others)
    if ratio <= FIT[1]:
        yield f"writes shared segments: with full ones the ratio is {ratio:.4f}"


def _from_a_larger_segment(
    measurement: Measurement, ceiling: LineCeiling, measured_bps: float
) -> Iterator[str]:
    """A larger MTU than stated, or timestamps stated that no segment carried."""
    segment_bytes, stack = measurement.segment_bytes, ceiling.stack
    if segment_bytes is None or segment_bytes <= ceiling.payload_bytes:
        return
    plain = _unstamped(stack)
    fills_plainly = plain.packet_bytes(segment_bytes) == ceiling.mtu_bytes
    need = "have no room for TCP timestamps" if fills_plainly else "need a larger MTU than stated"
    ratio, where = _at_own_segment_size(
        segment_bytes, plain if fills_plainly else stack, ceiling.line_rate_bps, measured_bps
    )
    if ratio <= FIT[1]:
        yield f"the run's segments of {segment_bytes} byte {need}; {where}"


def _from_a_smaller_segment(
    measurement: Measurement, ceiling: LineCeiling, measured_bps: float
) -> Iterator[str]:
    """A smaller MTU than stated."""
    segment_bytes = measurement.segment_bytes
    if not segment_bytes or segment_bytes >= ceiling.payload_bytes:
        return
    ratio, where = _at_own_segment_size(
        segment_bytes, ceiling.stack, ceiling.line_rate_bps, measured_bps
    )
    if fits(ratio):
        yield f"the run's segments of {segment_bytes} byte are those of a smaller MTU; {where}"


def _unstamped(stack: Stack) -> Stack:
    """The same headers without TCP options."""
    return replace(stack, layers=(*stack.layers[:-1], tcp(timestamps=False)))


def _at_own_segment_size(
    segment_bytes: int, stack: Stack, line_rate_bps: float, measured_bps: float
) -> tuple[float, str]:
    """Ratio to the ceiling at the MTU that a segment fills, and the same in words."""
    mtu_bytes = int(stack.packet_bytes(segment_bytes))
    wire_bytes = stack.wire_bytes(mtu_bytes, mtu_bytes)
    ratio = measured_bps / layer_rate_bps(line_rate_bps, segment_bytes, wire_bytes)
    return ratio, f"at MTU {mtu_bytes} under {stack} the ratio is {ratio:.4f}"


def from_no_encapsulation(limits: LineLimits, measured_bps: float) -> Iterator[str]:
    """A tunnel that is stated, and that the run did not go through."""
    ceiling = limits.ceiling
    if ceiling is None:
        return
    plain = Stack((ethernet(), *ceiling.stack.inner_layers))
    if plain == ceiling.stack:
        return
    for mtu_bytes in sorted({ceiling.mtu_bytes, ceiling.outer_packet_bytes}):
        ratio = measured_bps / LineCeiling(ceiling.line_rate_bps, mtu_bytes, plain).payload_rate_bps
        if fits(ratio):
            yield (
                f"without the encapsulation, under {plain} at MTU {mtu_bytes}, "
                f"the ratio is {ratio:.4f}"
            )


def from_untold_sizes(
    measurement: Measurement, limits: LineLimits, measured_bps: float
) -> Iterator[str]:
    """Another MTU, or no timestamps, where the run does not tell the size of its packets."""
    ceiling = limits.ceiling
    if ceiling is None:
        return
    if limits.transport == "udp":
        yield from _from_other_fragments(measurement, ceiling, measured_bps)
        return
    if measurement.segment_bytes is not None:
        return
    plain = _unstamped(ceiling.stack)
    cases = [(plain, ceiling.mtu_bytes), *((ceiling.stack, mtu) for mtu in USUAL_MTUS_BYTES)]
    for stack, mtu_bytes in cases:
        if (stack, mtu_bytes) != (ceiling.stack, ceiling.mtu_bytes):
            other = LineCeiling(ceiling.line_rate_bps, mtu_bytes, stack)
            ratio = measured_bps / other.payload_rate_bps
            if abs(ratio - 1) <= GUESS_FIT_RATIO:
                yield f"under {stack} at MTU {mtu_bytes} the ratio is {ratio:.4f}"


def _from_other_fragments(
    measurement: Measurement, ceiling: LineCeiling, measured_bps: float
) -> Iterator[str]:
    """Datagrams that another MTU would cut into fewer or more fragments."""
    datagram_bytes, stack = measurement.datagram_bytes, ceiling.stack
    if datagram_bytes is None:
        return
    stated_bytes = stack.message_wire_bytes(datagram_bytes, ceiling.mtu_bytes)
    for mtu_bytes in USUAL_MTUS_BYTES:
        wire_bytes = stack.message_wire_bytes(datagram_bytes, mtu_bytes)
        ratio = measured_bps / layer_rate_bps(ceiling.line_rate_bps, datagram_bytes, wire_bytes)
        if wire_bytes != stated_bytes and abs(ratio - 1) <= GUESS_FIT_RATIO:
            yield f"datagrams of {datagram_bytes} byte at MTU {mtu_bytes}: the ratio is {ratio:.4f}"


def from_aggregates(limits: LineLimits, measured_bps: float) -> Iterator[str]:
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
            f"carries up to {format_rate(most_bps, _DIGITS)}"
        )


def _from_acknowledgements(ceiling: LineCeiling, measured_bps: float) -> Iterator[str]:
    """Acknowledgements of data that went the other way at the same time."""
    ratio = measured_bps / ceiling.acknowledged_payload_rate_bps(segments_per_ack=1)
    if ratio >= FIT[0]:
        yield (
            "data went both ways: beside one acknowledgement for each segment of the other "
            f"direction the ratio is {ratio:.4f}"
        )
