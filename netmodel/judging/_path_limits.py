"""What the path of a run allows, from the same prediction as ``netmodel predict``."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from netmodel.consumption import Side
from netmodel.framing import Stack, udp_stack
from netmodel.judging._limits import Limit, RunLimits
from netmodel.judging._stated_line import DEFAULT_IP_VERSION, USUAL_MTU_BYTES, StatedLine
from netmodel.readers import Direction, Measurement
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from netmodel.path import Path, Stage, Traffic
    from netmodel.path._prediction import PathLimit

__all__ = ["with_path_limits"]

_USUAL_WRITE_BYTES = 131_072
"""What iperf3 writes at a time over TCP unless told otherwise."""


@dataclass(frozen=True, slots=True)
class _Load:
    """What a run puts on a path, and how many bits are judged for each bit of its payload."""

    traffic: "Traffic"
    stack: Stack
    mtu_bytes: int
    judged_ratio: float = 1.0


def with_path_limits(measurement: Measurement, stated: StatedLine, line: RunLimits) -> RunLimits:
    """
    The limits of a line, and those of the path that is stated with it.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    stated : StatedLine
        What the user says of the line and its path.
    line : RunLimits
        What the line allows.

    Returns
    -------
    limits : RunLimits
        Those of the line first, then every other limit that the run puts a
        load on, but for what may be none; those of the line alone where no
        path is stated.

    Raises
    ------
    ContradictionError
        If limits that were seen on an adapter, or it and the line, cannot be
        true together.
    DomainError
        If the path cannot exist.
    """
    if stated.path_over_it is None:
        return line
    from netmodel.path import predict_path
    from netmodel.path._path import LINE_STAGES

    whole = stated.path_over_it.path(_sender(measurement))
    line = _with_factors_told(line, whole)
    path = whole.without_factors
    if path is None:
        return line
    load = _load(measurement, stated, line)
    prediction = predict_path(path, load.traffic, load.mtu_bytes, load.stack)
    bits = BITS_PER_BYTE * load.traffic.payload_bytes * load.judged_ratio
    limits = tuple(
        _limit(one, bits)
        for one in prediction.limits
        if one.name not in LINE_STAGES and isfinite(one.rate.value)
    )
    return replace(
        line,
        specified=(*line.specified, *limits),
        warnings=(*line.warnings, *_warnings(measurement, stated, path), *prediction.limit_notes),
    )


def _limit(limit: "PathLimit", bits: float) -> Limit:
    """A limit of a path; where a hash spreads flows, from equally fast ones to the best case."""
    even_tps = limit.even_rate_tps
    value_tps = limit.rate.value if even_tps is None else even_tps
    low_tps = limit.rate.low if even_tps is None else min(even_tps, limit.rate.low)
    return Limit(limit.name, *(bits * one for one in (value_tps, low_tps, limit.highest_rate_tps)))


def _with_factors_told(line: RunLimits, path: "Path") -> RunLimits:
    """The same, with a warning for each part of the path that sets no limit."""
    told = (
        f"{name} sets no limit: its times are known up to a factor only" for name in path.factors
    )
    return replace(line, warnings=(*line.warnings, *told))


def _sending(measurement: Measurement) -> Side:
    """The side whose payload was measured; the client's where the tool does not tell."""
    is_back = measurement.direction is Direction.SERVER_TO_CLIENT
    return Side.SERVER if is_back else Side.CLIENT


def _sender(measurement: Measurement) -> Side:
    """The side that sent more payload; the client where both did."""
    return Side.CLIENT if measurement.is_bidirectional else _sending(measurement)


def _load(measurement: Measurement, stated: StatedLine, line: RunLimits) -> _Load:
    if line.ceiling is None:
        return _load_of_frames(measurement, stated, line.frame_wire_bytes or 0.0)
    single_bytes = measurement.datagram_bytes or stated.message_bytes
    if line.transport == "rdma":
        single_bytes = single_bytes or measurement.write_bytes
    message_bytes = single_bytes or measurement.write_bytes or _USUAL_WRITE_BYTES
    traffic = _traffic(measurement, message_bytes, shares_segments=single_bytes is None)
    return _Load(traffic, line.ceiling.stack, line.ceiling.mtu_bytes)


def _load_of_frames(measurement: Measurement, stated: StatedLine, wire_bytes: float) -> _Load:
    """Frames of their mean length, each with a datagram of its own."""
    ip_version = stated.ip_version or DEFAULT_IP_VERSION
    stack = stated.stack or udp_stack(ip_version=ip_version, vlan_tags=stated.vlan_tags)
    around_bytes = stack.wire_bytes(USUAL_MTU_BYTES, USUAL_MTU_BYTES) - USUAL_MTU_BYTES
    packet_bytes = max(round(wire_bytes - around_bytes), int(stack.minimum_mtu_bytes))
    datagram_bytes = int(stack.segment_bytes(packet_bytes))
    traffic = _traffic(measurement, datagram_bytes, shares_segments=False)
    mtu_bytes = max(packet_bytes, USUAL_MTU_BYTES)
    return _Load(traffic, stack, mtu_bytes, wire_bytes / datagram_bytes)


def _traffic(measurement: Measurement, message_bytes: int, shares_segments: bool) -> "Traffic":
    from netmodel.path import Traffic

    sizes = (message_bytes, 0) if _sending(measurement) is Side.CLIENT else (0, message_bytes)
    return Traffic(
        *sizes,
        connection_count=measurement.stream_count,
        waits=False,
        shares_segments=shares_segments,
    )


def _warnings(measurement: Measurement, stated: StatedLine, path: "Path") -> Iterator[str]:
    told = (
        stated.message_bytes,
        measurement.datagram_bytes,
        measurement.write_bytes,
        measurement.frame_rate_fps,
    )
    if not any(told) and any(_counts_messages(stage) for stage in path.stages):
        yield (
            "the size of a write is not stated, and stages of the path take time for each: "
            f"taken as {_USUAL_WRITE_BYTES} byte"
        )


def _counts_messages(stage: "Stage") -> bool:
    """Whether its capacity is used up by messages, however small they are."""
    times = (*stage.to_server.named, *stage.to_client.named)
    return not stage.is_delay and any(name == "per_message_s" for name, _ in times)
