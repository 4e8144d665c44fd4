"""What a measured run could have reached at most, from what is stated and what the run tells."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from netmodel._numeric import require_above
from netmodel.ceilings import MAX_PACKET_BYTES, LineCeiling, layer_rate_bps, line_ceiling
from netmodel.errors import ContradictionError
from netmodel.framing import (
    TCP_HEADER_BYTES,
    Stack,
    segments_per_aggregate_count,
    tcp_stack,
    udp_stack,
)
from netmodel.judging._stated_line import (
    DEFAULT_IP_VERSION,
    USUAL_MTU_BYTES,
    StatedLine,
    require_possible,
)
from netmodel.readers import Measurement
from netmodel.units import BITS_PER_BYTE

__all__ = ["Limit", "LineLimits", "NotJudgeableError", "line_limits"]

OF_THE_LINE = frozenset({"wire", "segment_size", "messages"})
"""Limits that the line sets, with its headers."""


@dataclass(frozen=True, slots=True)
class Limit:
    """
    A rate that the run could not exceed, by name.

    Parameters
    ----------
    name : str
        ``"wire"``, or what else limits.
    value_bps : float
        The rate. [bit/s]
    low_bps, high_bps : float, optional
        Ends of the range that is known of it; both the value when left out. [bit/s]
    carrier : str
        What allows this rate, in words; that part of the path when left out.
    """

    name: str
    value_bps: float
    low_bps: float | None = None
    high_bps: float | None = None
    carrier: str = ""

    @property
    def figures_bps(self) -> dict[str, float]:
        """Its value, and the ends of its range where they are known. [bit/s]"""
        named = {"value": self.value_bps, "low": self.low_bps, "high": self.high_bps}
        return {name: rate_bps for name, rate_bps in named.items() if rate_bps is not None}

    @property
    def bounds_bps(self) -> tuple[float, float]:
        """Least and most that it may be. [bit/s]"""
        low_bps = self.value_bps if self.low_bps is None else self.low_bps
        return low_bps, self.value_bps if self.high_bps is None else self.high_bps


@dataclass(frozen=True, slots=True)
class LineLimits:
    """
    All limits that are known of a run.

    Parameters
    ----------
    limits : tuple of Limit
        The wire first; then segment size and messages, those of the path, and
        those that the run itself tells.
    ceiling : LineCeiling
        The line with the headers and MTU that the limits rest on; None where
        frames are judged.
    warnings : tuple of str
        What had to be taken from the run, and what contradicts.
    frame_wire_bytes : float
        Mean length of a frame on the wire, where frames are judged instead of
        payload: the limits are then rates of all bits on the wire. [byte]
    """

    limits: tuple[Limit, ...]
    ceiling: LineCeiling | None = None
    warnings: tuple[str, ...] = ()
    frame_wire_bytes: float | None = None

    @property
    def line_rate_bps(self) -> float:
        """MAC rate of the line. [bit/s]"""
        return self.ceiling.line_rate_bps if self.ceiling else self.limits[0].value_bps

    @property
    def mtu_bytes(self) -> int | None:
        """MTU that the limits rest on. [byte]"""
        return self.ceiling.mtu_bytes if self.ceiling else None

    @property
    def binding(self) -> Limit:
        """The smallest limit."""
        return min(self.limits, key=lambda limit: limit.value_bps)

    @property
    def binds_beside_the_line(self) -> bool:
        """Whether a part of the path binds that is not the line."""
        return self.binding.name not in OF_THE_LINE

    @property
    def bounds_bps(self) -> tuple[float, float]:
        """Least and most that the smallest limit may be. [bit/s]"""
        lows_bps, highs_bps = zip(*(limit.bounds_bps for limit in self.limits), strict=True)
        return min(lows_bps), min(highs_bps)


class NotJudgeableError(ContradictionError):
    """Too little is known of the line or of the run."""


def line_limits(measurement: Measurement, stated: StatedLine) -> LineLimits:
    """
    Limits that the line sets to a run.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    stated : StatedLine
        What the user says of the line.

    Returns
    -------
    limits : LineLimits
        The wire, the segment size where the run limited its own, and the
        messages where they are stated. Of a run that tells frames and no
        payload, what the line carries of frames of their mean length.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those stated.
    NotJudgeableError
        If neither the user nor the run tells the size of a packet.
    DomainError
        If the line cannot exist.
    """
    require_possible(stated)
    if tells_frames_alone(measurement):
        return _frame_limits(measurement, stated)
    _require_agreement(measurement, stated)
    protocol = stated.stated_transport or measurement.protocol
    if protocol is None:
        raise NotJudgeableError("state the transport: this run does not tell it")
    known = _udp_limits if protocol == "udp" else _tcp_limits
    limits = known(measurement, stated)
    if not measurement.is_loopback:
        return limits
    warning = "the connection stayed on a loopback interface: no frame of it crossed a line"
    return replace(limits, warnings=(warning, *limits.warnings))


def tells_frames_alone(measurement: Measurement) -> bool:
    """Whether frames and their bits are all that is told of what arrived."""
    told = measurement.frame_rate_fps, measurement.layer1_rate_bps
    return measurement.goodput_bps is None and None not in told


def _frame_limits(measurement: Measurement, stated: StatedLine) -> LineLimits:
    frame_rate_fps = require_above("frame_rate_fps", measurement.frame_rate_fps or 0.0, 0, "")
    layer1_rate_bps = require_above("layer1_rate_bps", measurement.layer1_rate_bps or 0.0, 0, "")
    return LineLimits(
        (Limit("wire", stated.line_rate_bps),),
        frame_wire_bytes=layer1_rate_bps / frame_rate_fps / BITS_PER_BYTE,
    )


def _require_agreement(measurement: Measurement, stated: StatedLine) -> None:
    for name, said, seen in (
        ("transport", stated.stated_transport, measurement.protocol),
        ("IP version", stated.stated_ip_version, measurement.ip_version),
    ):
        if None not in (said, seen) and said != seen:
            raise ContradictionError(
                f"{measurement.source}: the {name} stated is {said}, but the run used {seen}"
            )
    if measurement.protocol == "udp" and stated.timestamps is not None:
        raise ContradictionError(
            f"{measurement.source}: TCP timestamps are stated, but the run used udp"
        )


def _tcp_limits(measurement: Measurement, stated: StatedLine) -> LineLimits:
    stack = _tcp_stack(measurement, stated)
    mtu_bytes = stated.mtu_bytes or _own_mtu_bytes(measurement, stack)
    ceiling = line_ceiling(stated.line_rate_bps, mtu_bytes, stack)
    limits = [Limit("wire", ceiling.payload_rate_bps)]
    requested_bytes = _requested_segment_bytes(measurement, stack)
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
    warnings = _tcp_warnings(measurement, stated, ceiling)
    return LineLimits(tuple(limits), ceiling, tuple(warnings))


def _tcp_stack(measurement: Measurement, stated: StatedLine) -> Stack:
    """Stated headers; timestamps, where they are left open, as the segment size shows them."""
    if stated.stack is not None:
        return stated.stack
    ip_version = stated.ip_version or measurement.ip_version or DEFAULT_IP_VERSION
    stamped, plain = (
        tcp_stack(ip_version=ip_version, timestamps=timestamps, vlan_tags=stated.vlan_tags)
        for timestamps in (True, False)
    )
    if stated.timestamps is not None:
        return stamped if stated.timestamps else plain
    mtu_bytes = stated.mtu_bytes or measurement.path_mtu_bytes
    segment_bytes = measurement.segment_bytes
    fills_plainly = segment_bytes is not None and plain.packet_bytes(segment_bytes) == mtu_bytes
    return plain if fills_plainly else stamped


def _own_mtu_bytes(measurement: Measurement, stack: Stack) -> int:
    """MTU from what the tool saw of its own connection."""
    if measurement.segment_bytes is not None:
        mtu_bytes = int(stack.packet_bytes(measurement.segment_bytes))
    elif measurement.path_mtu_bytes is not None:
        mtu_bytes = measurement.path_mtu_bytes
    else:
        which = "a loopback connection" if measurement.is_loopback else "this run"
        raise NotJudgeableError(f"state the MTU: {which} does not tell the size of its packets")
    if not stack.minimum_mtu_bytes <= mtu_bytes <= MAX_PACKET_BYTES:
        raise NotJudgeableError(f"state the MTU: the run's own, {mtu_bytes}, cannot be")
    return mtu_bytes


def _requested_segment_bytes(measurement: Measurement, stack: Stack) -> int | None:
    """Payload of a segment where the user limited it; TCP options come off what was asked for."""
    if measurement.requested_mss_bytes is None:
        return None
    options_bytes = stack.layers[-1].header_bytes - TCP_HEADER_BYTES
    requested_bytes = measurement.requested_mss_bytes - options_bytes
    if requested_bytes < 1:
        raise NotJudgeableError(
            f"the run asked for segments of {measurement.requested_mss_bytes} byte, "
            f"which the {options_bytes} byte of TCP options fill"
        )
    return requested_bytes


def _tcp_warnings(
    measurement: Measurement, stated: StatedLine, ceiling: LineCeiling
) -> Iterator[str]:
    stack, mtu_bytes, payload_bytes = ceiling.stack, ceiling.mtu_bytes, ceiling.payload_bytes
    segment_bytes = measurement.segment_bytes
    if measurement.is_bidirectional:
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
    if measurement.path_mtu_bytes not in (None, mtu_bytes):
        yield f"the run saw a path MTU of {measurement.path_mtu_bytes}, not {mtu_bytes}"
    requested_bytes = _requested_segment_bytes(measurement, stack)
    if requested_bytes is not None:
        yield (
            f"the run asked for segments of at most {measurement.requested_mss_bytes} byte: "
            f"{min(requested_bytes, payload_bytes)} byte of payload in each"
        )


def _acknowledgement_warning(ceiling: LineCeiling) -> str:
    """What the acknowledgements of the other direction leave, at most and at least."""
    most_count = int(segments_per_aggregate_count(ceiling.payload_bytes))
    least, most = (
        ceiling.acknowledged_payload_rate_bps(count) / ceiling.payload_rate_bps
        for count in (1, most_count)
    )
    return (
        "data went both ways: the acknowledgements of the other direction leave "
        f"{least:.4f} of the wire's ceiling if there is one for each segment, "
        f"{most:.4f} if there is one for {most_count}"
    )


def _udp_limits(measurement: Measurement, stated: StatedLine) -> LineLimits:
    ip_version = stated.ip_version or measurement.ip_version or DEFAULT_IP_VERSION
    stack = stated.stack or udp_stack(ip_version=ip_version, vlan_tags=stated.vlan_tags)
    datagram_bytes = measurement.datagram_bytes or stated.message_bytes
    if not datagram_bytes:
        raise NotJudgeableError(
            "this run does not tell the size of its datagrams: state their payload"
        )
    if stated.message_bytes not in (None, datagram_bytes):
        raise ContradictionError(
            f"{measurement.source}: the payload stated is {stated.message_bytes} byte, "
            f"but the run sent datagrams of {datagram_bytes}"
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
