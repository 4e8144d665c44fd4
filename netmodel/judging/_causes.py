"""Why a run found more than its line carries, or less: hypotheses, each put to the test."""

from collections.abc import Iterator
from dataclasses import replace

from netmodel.ceilings import layer_rate_bps, line_ceiling
from netmodel.framing import Stack, tcp
from netmodel.judging._limits import LineLimits, StatedLine
from netmodel.readers import Measurement
from netmodel.units import format_rate, format_time

__all__ = ["what_explains_too_little", "what_explains_too_much"]

STANDARD_LINE_RATES_BPS = (
    *(10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9),
    *(40e9, 50e9, 100e9, 200e9, 400e9, 800e9),
)
"""MAC rates of Ethernet (IEEE 802.3)."""

_FIT = (0.97, 1.005)
"""Ratios to a ceiling that count as explained by it."""
_LOSS_THAT_COUNTS_RATIO = 1e-3
_SHORT_S = 5
_SHORT_RUN_RATIO = 1.03
_DIGITS = 5


def what_explains_too_much(measurement: Measurement, limits: LineLimits, stated: StatedLine) -> str:
    """The causes that fit a goodput above the ceiling, joined."""
    goodput_bps = measurement.goodput_bps or 0.0
    if limits.binds_beside_the_line:
        return f"{limits.binding.name} is faster here than the path stated has it"
    causes = (
        *_from_the_set_up(measurement),
        *_from_merged_writes(limits, goodput_bps),
        *_from_the_segment_size(measurement, limits, stated, goodput_bps),
        *_from_the_line_rate(limits, stated, goodput_bps),
        *_from_the_duration(measurement, limits, goodput_bps),
    )
    needed_bps = stated.line_rate_bps * goodput_bps / limits.binding.value_bps
    return "; ".join(causes) or (
        "line rate, MTU or headers are not those stated; "
        f"with this MTU and headers it takes a line of at least {format_rate(needed_bps, _DIGITS)}"
    )


def what_explains_too_little(
    measurement: Measurement, limits: LineLimits, stated: StatedLine
) -> str:
    """The causes that fit a goodput below the ceiling, joined."""
    goodput_bps = measurement.goodput_bps or 0.0
    causes = (
        *_from_the_set_up(measurement),
        *_from_acknowledgements(measurement, limits, stated, goodput_bps),
        *_from_a_smaller_segment(measurement, limits, stated, goodput_bps),
        *_from_the_offered_rate(measurement, goodput_bps),
        *_from_loss(measurement),
    )
    if limits.binds_beside_the_line:
        return "; ".join(causes) or "something that the path stated does not have limits"
    return "; ".join(causes) or "something other than the wire limits"


def _from_the_set_up(measurement: Measurement) -> Iterator[str]:
    if measurement.is_loopback:
        yield "the connection stayed on a loopback interface and crossed no line"


def _from_merged_writes(limits: LineLimits, goodput_bps: float) -> Iterator[str]:
    """Writes that shared segments, though each is stated to be sent for itself."""
    others = [limit for limit in limits.limits if limit.name != "messages"]
    ratio = goodput_bps / min(limit.value_bps for limit in others)
    if limits.binding.name == "messages" and ratio <= _FIT[1]:
        yield f"writes shared segments: with full ones the ratio is {ratio:.4f}"


def _from_the_segment_size(
    measurement: Measurement, limits: LineLimits, stated: StatedLine, goodput_bps: float
) -> Iterator[str]:
    """A larger MTU than stated, or timestamps stated that no segment carried."""
    segment_bytes = measurement.segment_bytes
    if segment_bytes is None or segment_bytes <= limits.stack.payload_bytes(limits.mtu_bytes):
        return
    plain = replace(limits.stack, layers=(*limits.stack.layers[:-1], tcp(timestamps=False)))
    fills_plainly = plain.packet_bytes(segment_bytes) == limits.mtu_bytes
    stack = plain if fills_plainly else limits.stack
    need = "have no room for TCP timestamps" if fills_plainly else "need a larger MTU than stated"
    ratio, where = _at_own_segment_size(segment_bytes, stack, stated, goodput_bps)
    if ratio <= _FIT[1]:
        yield f"the run's segments of {segment_bytes} byte {need}; {where}"


def _from_a_smaller_segment(
    measurement: Measurement, limits: LineLimits, stated: StatedLine, goodput_bps: float
) -> Iterator[str]:
    """A smaller MTU than stated."""
    segment_bytes = measurement.segment_bytes
    if segment_bytes is None or segment_bytes >= limits.stack.payload_bytes(limits.mtu_bytes):
        return
    ratio, where = _at_own_segment_size(segment_bytes, limits.stack, stated, goodput_bps)
    if _FIT[0] <= ratio <= _FIT[1]:
        yield f"the run's segments of {segment_bytes} byte are those of a smaller MTU; {where}"


def _from_acknowledgements(
    measurement: Measurement, limits: LineLimits, stated: StatedLine, goodput_bps: float
) -> Iterator[str]:
    """Acknowledgements of data that went the other way at the same time."""
    if not measurement.is_bidirectional or measurement.protocol != "tcp":
        return
    ceiling = line_ceiling(stated.line_rate_bps, limits.mtu_bytes, limits.stack)
    ratio = goodput_bps / ceiling.acknowledged_payload_rate_bps(segments_per_ack=1)
    if ratio >= _FIT[0]:
        yield (
            "data went both ways: beside one acknowledgement for each segment of the other "
            f"direction the ratio is {ratio:.4f}"
        )


def _at_own_segment_size(
    segment_bytes: int, stack: Stack, stated: StatedLine, goodput_bps: float
) -> tuple[float, str]:
    """Ratio to the ceiling at the MTU that a segment fills, and the same in words."""
    mtu_bytes = int(stack.packet_bytes(segment_bytes))
    ratio = goodput_bps / layer_rate_bps(
        stated.line_rate_bps, segment_bytes, stack.wire_bytes(mtu_bytes, mtu_bytes)
    )
    return ratio, f"at MTU {mtu_bytes} under {stack} the ratio is {ratio:.4f}"


def _from_the_offered_rate(measurement: Measurement, goodput_bps: float) -> Iterator[str]:
    """A sender that was told to send no faster."""
    offered_bps = measurement.offered_rate_bps
    if offered_bps and _FIT[0] <= goodput_bps / offered_bps:
        yield f"the sender was limited to {format_rate(offered_bps, _DIGITS)}, and reached it"


def _from_loss(measurement: Measurement) -> Iterator[str]:
    """Datagrams that got lost, or segments sent again, in numbers that count."""
    lost_ratio = measurement.lost_ratio or 0.0
    if lost_ratio >= _LOSS_THAT_COUNTS_RATIO:
        yield f"{100 * lost_ratio:.3g} % of the datagrams were lost"
    if measurement.retransmit_count and measurement.segment_bytes and measurement.received_bytes:
        again_bytes = measurement.retransmit_count * measurement.segment_bytes
        again_ratio = again_bytes / measurement.received_bytes
        if again_ratio >= _LOSS_THAT_COUNTS_RATIO:
            count = measurement.retransmit_count
            yield f"{count} segments were sent again ({100 * again_ratio:.3g} %)"


def _from_the_line_rate(
    limits: LineLimits, stated: StatedLine, goodput_bps: float
) -> Iterator[str]:
    """A faster line than stated."""
    for rate_bps in STANDARD_LINE_RATES_BPS:
        ceiling_bps = limits.binding.value_bps * rate_bps / stated.line_rate_bps
        if rate_bps > stated.line_rate_bps and _FIT[0] <= goodput_bps / ceiling_bps <= _FIT[1]:
            yield (
                f"a line of {format_rate(rate_bps)} would explain it: "
                f"{goodput_bps / ceiling_bps:.4f} of its ceiling"
            )


def _from_the_duration(
    measurement: Measurement, limits: LineLimits, goodput_bps: float
) -> Iterator[str]:
    """A run so short that socket buffers and bursts count."""
    duration_s = measurement.duration_s
    is_slight = goodput_bps <= _SHORT_RUN_RATIO * limits.binding.value_bps
    if duration_s is not None and duration_s < _SHORT_S and is_slight:
        yield (
            f"in a run of {format_time(duration_s, 3)} socket buffers and bursts count: "
            "measure 10 s or more, the first seconds omitted"
        )
