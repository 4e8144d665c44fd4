"""What a measured run could have reached at most over its line."""

from netmodel._numeric import require_above
from netmodel.errors import ContradictionError
from netmodel.judging._header_limits import header_limits, told_sizes
from netmodel.judging._limits import Limit, LineLimits, NotJudgeableError
from netmodel.judging._stated_line import StatedLine, require_possible
from netmodel.readers import Measurement
from netmodel.units import BITS_PER_BYTE

__all__ = ["line_limits", "tells_frames_alone"]

_LONGEST_WIRE_BYTES = 9216 + 42
"""Of the longest jumbo frames in use, with a tag."""


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
        If neither the user nor the run tells the size of a packet, or no frame
        was counted.
    DomainError
        If the line cannot exist.
    """
    require_possible(stated)
    if tells_frames_alone(measurement):
        return _frame_limits(measurement, stated)
    _require_agreement(measurement, stated)
    protocol = stated.stated_transport or measurement.protocol or stated.untold_transport
    if protocol is None:
        raise NotJudgeableError("state the transport: this run does not tell it")
    return header_limits(told_sizes(measurement, protocol), stated.line_alone)


def tells_frames_alone(measurement: Measurement) -> bool:
    """Whether frames and their bits are all that is told of what arrived."""
    told = measurement.frame_rate_fps, measurement.layer1_rate_bps
    return measurement.goodput_bps is None and None not in told


def _frame_limits(measurement: Measurement, stated: StatedLine) -> LineLimits:
    frame_rate_fps, layer1_rate_bps = measurement.frame_rate_fps, measurement.layer1_rate_bps
    if not frame_rate_fps or not layer1_rate_bps:
        raise NotJudgeableError("no frame was counted")
    require_above("frame_rate_fps", frame_rate_fps, 0, "frame/s")
    require_above("layer1_rate_bps", layer1_rate_bps, 0, "bit/s")
    wire_bytes = layer1_rate_bps / frame_rate_fps / BITS_PER_BYTE
    aggregates = (
        f"{wire_bytes:.5g} byte are more than any frame takes: offloaded counters tell packets of "
        "several segments, not frames",
    )
    return LineLimits(
        (Limit("wire", stated.line_rate_bps),),
        warnings=aggregates if wire_bytes > _LONGEST_WIRE_BYTES else (),
        frame_wire_bytes=wire_bytes,
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
    if measurement.protocol != "udp":
        return
    if stated.timestamps is not None:
        raise ContradictionError(
            f"{measurement.source}: TCP timestamps are stated, but the run used udp"
        )
    datagram_bytes = measurement.datagram_bytes
    if (
        None not in (stated.message_bytes, datagram_bytes)
        and stated.message_bytes != datagram_bytes
    ):
        raise ContradictionError(
            f"{measurement.source}: the payload stated is {stated.message_bytes} byte, "
            f"but the run sent datagrams of {datagram_bytes}"
        )
