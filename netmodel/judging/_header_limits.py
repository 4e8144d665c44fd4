"""What a line carries of segments or datagrams as a run sent them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from netmodel.ceilings import MAX_PACKET_BYTES, LineCeiling, layer_rate_bps, line_ceiling
from netmodel.framing import (
    TCP_HEADER_BYTES,
    Stack,
    segments_per_aggregate_count,
    tcp_stack,
    udp_stack,
)
from netmodel.judging._limits import Limit, LineLimits, NotJudgeableError
from netmodel.judging._stated_line import DEFAULT_IP_VERSION, USUAL_MTU_BYTES, StatedLine
from netmodel.readers import Measurement

__all__ = ["Sizes", "acknowledged_ratios", "header_limits", "told_sizes"]


class Sizes(NamedTuple):
    """What a run tells of its packets, as `Measurement` has it."""

    protocol: str
    ip_version: int | None
    segment_bytes: int | None
    requested_mss_bytes: int | None
    datagram_bytes: int | None
    path_mtu_bytes: int | None
    is_bidirectional: bool
    is_loopback: bool


def told_sizes(measurement: Measurement, protocol: str) -> Sizes:
    """What a run tells of its packets, of a protocol that it may not tell."""
    return Sizes(
        protocol,
        measurement.ip_version,
        measurement.segment_bytes,
        measurement.requested_mss_bytes,
        measurement.datagram_bytes,
        measurement.path_mtu_bytes,
        measurement.is_bidirectional,
        measurement.is_loopback,
    )


@lru_cache(maxsize=256)
def header_limits(sizes: Sizes, stated: StatedLine) -> LineLimits:
    """Limits that the headers of a line set to packets of these sizes; kept for further runs."""
    known = _udp_limits if sizes.protocol == "udp" else _tcp_limits
    limits = known(sizes, stated)
    if not sizes.is_loopback:
        return limits
    warning = "the connection stayed on a loopback interface: no frame of it crossed a line"
    return replace(limits, warnings=(warning, *limits.warnings))


def _tcp_limits(sizes: Sizes, stated: StatedLine) -> LineLimits:
    stack = _tcp_stack(sizes, stated)
    mtu_bytes = stated.mtu_bytes or _own_mtu_bytes(sizes, stack)
    ceiling = line_ceiling(stated.line_rate_bps, mtu_bytes, stack)
    limits = [Limit("wire", ceiling.payload_rate_bps)]
    requested_bytes = _requested_segment_bytes(sizes, stack)
    if requested_bytes is not None and requested_bytes < ceiling.payload_bytes:
        packet_bytes = stack.packet_bytes(requested_bytes)
        wire_bytes = stack.wire_bytes(packet_bytes, mtu_bytes)
        rate_bps = layer_rate_bps(stated.line_rate_bps, requested_bytes, wire_bytes)
        carrier = "the wire with the run's own segment size"
        limits.append(Limit("segment_size", rate_bps, carrier=carrier))
    if stated.message_bytes is not None:
        message = ceiling.message(stated.message_bytes)
        carrier = "the wire with a frame of its own for every write"
        limits.append(Limit("messages", message.payload_rate_bps, carrier=carrier))
    warnings = _tcp_warnings(sizes, stated, ceiling)
    return LineLimits(tuple(limits), ceiling, tuple(warnings))


def _tcp_stack(sizes: Sizes, stated: StatedLine) -> Stack:
    """Stated headers; timestamps, where they are left open, as the segment size shows them."""
    if stated.stack is not None:
        return stated.stack
    ip_version = stated.ip_version or sizes.ip_version or DEFAULT_IP_VERSION
    stamped, plain = (
        tcp_stack(ip_version=ip_version, timestamps=timestamps, vlan_tags=stated.vlan_tags)
        for timestamps in (True, False)
    )
    if stated.timestamps is not None:
        return stamped if stated.timestamps else plain
    mtu_bytes = stated.mtu_bytes or sizes.path_mtu_bytes
    segment_bytes = sizes.segment_bytes
    fills_plainly = segment_bytes is not None and plain.packet_bytes(segment_bytes) == mtu_bytes
    return plain if fills_plainly else stamped


def _own_mtu_bytes(sizes: Sizes, stack: Stack) -> int:
    """MTU from what the tool saw of its own connection."""
    if sizes.segment_bytes is not None:
        mtu_bytes = int(stack.packet_bytes(sizes.segment_bytes))
    elif sizes.path_mtu_bytes is not None:
        mtu_bytes = sizes.path_mtu_bytes
    else:
        which = "a loopback connection" if sizes.is_loopback else "this run"
        raise NotJudgeableError(f"state the MTU: {which} does not tell the size of its packets")
    if not stack.minimum_mtu_bytes <= mtu_bytes <= MAX_PACKET_BYTES:
        raise NotJudgeableError(f"state the MTU: the run's own, {mtu_bytes}, cannot be")
    return mtu_bytes


def _requested_segment_bytes(sizes: Sizes, stack: Stack) -> int | None:
    """Payload of a segment where the user limited it; TCP options come off what was asked for."""
    if sizes.requested_mss_bytes is None:
        return None
    options_bytes = stack.layers[-1].header_bytes - TCP_HEADER_BYTES
    requested_bytes = sizes.requested_mss_bytes - options_bytes
    if requested_bytes < 1:
        raise NotJudgeableError(
            f"the run asked for segments of {sizes.requested_mss_bytes} byte, "
            f"which the {options_bytes} byte of TCP options fill"
        )
    return requested_bytes


def _tcp_warnings(sizes: Sizes, stated: StatedLine, ceiling: LineCeiling) -> Iterator[str]:
    stack, mtu_bytes, payload_bytes = ceiling.stack, ceiling.mtu_bytes, ceiling.payload_bytes
    segment_bytes = sizes.segment_bytes
    if sizes.is_bidirectional:
        yield _acknowledgement_warning(ceiling)
    if stated.mtu_bytes is None:
        told = (
            "the path MTU that the run saw"
            if segment_bytes is None
            else f"the run's own segment size of {segment_bytes} byte under {stack}"
        )
        yield f"no MTU stated: {mtu_bytes} follows from {told}"
    if (stated.stack, stated.timestamps) == (None, None) and not stack.layers[-1].options:
        yield (
            f"segments of {segment_bytes} byte fill MTU {mtu_bytes} without TCP timestamps: "
            "judged without them"
        )
    if segment_bytes not in (None, payload_bytes):
        yield (
            f"the run's own segment size of {segment_bytes} byte contradicts "
            f"MTU {mtu_bytes}, which carries {payload_bytes} byte under {stack}"
        )
    if sizes.path_mtu_bytes not in (None, mtu_bytes):
        yield f"the run saw a path MTU of {sizes.path_mtu_bytes}, not {mtu_bytes}"
    requested_bytes = _requested_segment_bytes(sizes, stack)
    if requested_bytes is not None:
        yield (
            f"the run asked for segments of at most {sizes.requested_mss_bytes} byte: "
            f"{min(requested_bytes, payload_bytes)} byte of payload in each"
        )


@lru_cache(maxsize=64)
def acknowledged_ratios(ceiling: LineCeiling) -> tuple[float, float, int]:
    """
    What acknowledgements of the other direction leave of a ceiling, at least and at most.

    At least with one for each segment, at most with one for so many as the third number tells.
    """
    most_count = int(segments_per_aggregate_count(ceiling.payload_bytes))
    least, most = (
        ceiling.acknowledged_payload_rate_bps(count) / ceiling.payload_rate_bps
        for count in (1, most_count)
    )
    return least, most, most_count


def _acknowledgement_warning(ceiling: LineCeiling) -> str:
    """What the acknowledgements of the other direction leave, at most and at least."""
    least, most, most_count = acknowledged_ratios(ceiling)
    return (
        "data went both ways: the acknowledgements of the other direction leave "
        f"{least:.4f} of the wire's ceiling if there is one for each segment, "
        f"{most:.4f} if there is one for {most_count}"
    )


def _udp_limits(sizes: Sizes, stated: StatedLine) -> LineLimits:
    ip_version = stated.ip_version or sizes.ip_version or DEFAULT_IP_VERSION
    stack = stated.stack or udp_stack(ip_version=ip_version, vlan_tags=stated.vlan_tags)
    datagram_bytes = sizes.datagram_bytes or stated.message_bytes
    if not datagram_bytes:
        raise NotJudgeableError(
            "this run does not tell the size of its datagrams: state their payload"
        )
    mtu_bytes = stated.mtu_bytes or USUAL_MTU_BYTES
    ceiling = line_ceiling(stated.line_rate_bps, mtu_bytes, stack)
    if stated.mtu_bytes is None and datagram_bytes > ceiling.payload_bytes:
        raise NotJudgeableError(
            f"state the MTU: datagrams of {datagram_bytes} byte may have been fragmented"
        )
    wire_bytes = stack.message_wire_bytes(datagram_bytes, mtu_bytes)
    limit = Limit("wire", layer_rate_bps(stated.line_rate_bps, datagram_bytes, wire_bytes))
    warnings = (
        ()
        if stated.mtu_bytes
        else (f"no MTU stated: datagrams of {datagram_bytes} byte are taken to fit one frame",)
    )
    return LineLimits((limit,), ceiling, warnings)
