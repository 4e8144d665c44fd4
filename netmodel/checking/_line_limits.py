"""Payload rate of a line with the segments, datagrams, RDMA packets or frames of a run."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from netmodel.ceilings import (
    MAX_PACKET_BYTES,
    LineCeiling,
    MessageCeiling,
    layer_rate_bps,
    line_ceiling,
)
from netmodel.checking.limits import (
    DEFAULT_IP_VERSION,
    ROCE,
    USUAL_MTU_BYTES,
    Limit,
    NotJudgeableError,
    RunLimits,
    SpecifiedLine,
    over_all_cases,
    require_possible,
)
from netmodel.errors import ContradictionError
from netmodel.framing import (
    LARGEST_MTU_BYTES,
    RDMA_HEADERS_BYTES,
    RDMA_MTUS_BYTES,
    TCP_HEADER_BYTES,
    RdmaOperation,
    Stack,
    parse_stack,
    rocev1,
    rocev2,
    segments_per_aggregate_count,
    tcp_stack,
    udp_stack,
)
from netmodel.numeric import require_above
from netmodel.readers import TYPED_RATE, Measurement
from netmodel.text import argument, listed
from netmodel.units import BITS_PER_BYTE

SMALLEST_MTU_BYTES = 576
"""Every IPv4 host accepts packets of this size (RFC 791, section 3.1): no line in use has less."""
_LONGEST_WIRE_BYTES = LARGEST_MTU_BYTES + 42
"""A packet of that size with header 14, tag 4, check sequence 4, preamble and gap 20. [byte]"""
ROCE_STACKS = ("ethernet/rocev1", "ethernet/ipv4/udp/rocev2", "ethernet/ipv6/udp/rocev2")
"""Headers of RDMA packets on Ethernet, of which perftest reports none."""
_MTU, _TRANSPORT, _DATAGRAM, _STACK = "mtu_bytes", "transport", "payload_bytes", "stack"
_MESSAGE, _OPERATION = "message", "operation"
_OPERATIONS = {each.value: each for each in RdmaOperation}


def missing_text(name: str) -> str:
    """What to specify, where this of a line is neither specified nor reported."""
    if name == _MTU:
        return f"the MTU ({argument(_MTU, '--mtu')})"
    if name == _DATAGRAM:
        return f"the payload of a datagram ({argument(_DATAGRAM, '--payload')})"
    if name == _MESSAGE:
        return f"the payload of a message ({argument('payload_bytes', '--payload')})"
    if name == _OPERATION:
        such = "ethernet/ipv4/udp/rocev2+operation=send"
        return f"whether messages are writes or sends ({argument('stack', '--stack')}, as {such})"
    if name == _STACK:
        return f"the headers ({argument(_STACK, '--stack')}, such as ethernet/ipv4/udp/rocev2)"
    assumed = argument("assume_transport", "--assume-transport")
    return (
        f"the transport ({argument(_TRANSPORT, '--transport')}, or {assumed} for runs that do not "
        "report it)"
    )


class _Sizes(NamedTuple):
    """Packet sizes that a run reports, with the names of `Measurement`."""

    protocol: str | None
    ip_version: int | None
    segment_bytes: int | None
    requested_mss_bytes: int | None
    datagram_bytes: int | None
    rdma_mtu_bytes: int | None
    rdma_operation: str | None
    write_bytes: int | None
    path_mtu_bytes: int | None
    is_bidirectional: bool
    is_loopback: bool


def line_limits(measurement: Measurement, line: SpecifiedLine) -> RunLimits:
    """
    Limits of a run by its line.

    Parameters
    ----------
    measurement : Measurement
        The run.
    line : SpecifiedLine
        Line as specified by the user.

    Returns
    -------
    limits : RunLimits
        The wire, and the messages where their size is specified. Where MTU,
        transport or datagram size are neither specified nor reported, the range
        over all possible ones: packets of 576 to 9216 byte, TCP and UDP. A rate alone, without a
        file, counts as TCP. Of a run
        that reports frames and no payload, the rate of frames of their mean
        length.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those specified.
    NotJudgeableError
        If no frame was counted, or the run reports impossible sizes.
    DomainError
        If the line cannot exist.
    """
    return over_all_cases(line_cases(measurement, line))


def line_cases(measurement: Measurement, line: SpecifiedLine) -> tuple[RunLimits, ...]:
    """The `line_limits` of each possible case; a single one where all sizes are known."""
    require_possible(line)
    if reports_frames_alone(measurement):
        return (_frame_limits(measurement, line),)
    _require_agreement(measurement, line)
    known = line.specified_transport or measurement.protocol or line.assumed_transport
    is_typed = known is None and measurement.tool == TYPED_RATE
    sizes = _Sizes(
        "tcp" if is_typed else known,
        measurement.ip_version,
        measurement.segment_bytes,
        measurement.requested_mss_bytes,
        measurement.datagram_bytes,
        measurement.rdma_mtu_bytes,
        measurement.rdma_operation,
        measurement.write_bytes,
        measurement.path_mtu_bytes,
        measurement.is_bidirectional,
        measurement.is_loopback,
    )
    cases = _cases(sizes, line.line_alone)
    if not is_typed:
        return cases
    other = argument(_TRANSPORT, "--transport")
    note = f"judged as TCP, as a rate alone does not say what carried it: else give {other}"
    return tuple(replace(case, notes=(note, *case.notes)) for case in cases)


def reports_frames_alone(measurement: Measurement) -> bool:
    """Whether only frames and their bits are reported."""
    counted = measurement.frame_rate_fps, measurement.layer1_rate_bps
    return measurement.goodput_bps is None and None not in counted


def _frame_limits(measurement: Measurement, line: SpecifiedLine) -> RunLimits:
    frame_rate_fps, layer1_rate_bps = measurement.frame_rate_fps, measurement.layer1_rate_bps
    if not frame_rate_fps or not layer1_rate_bps:
        raise NotJudgeableError("no frame was counted")
    require_above("frame_rate_fps", frame_rate_fps, 0, "frame/s")
    require_above("layer1_rate_bps", layer1_rate_bps, 0, "bit/s")
    wire_bytes = layer1_rate_bps / frame_rate_fps / BITS_PER_BYTE
    aggregates = (f"frames of {wire_bytes:.5g} byte are aggregates: offloads hide the real frames",)
    return RunLimits(
        line_rate_bps=line.line_rate_bps,
        specified=(Limit("wire", line.line_rate_bps),),
        notes=aggregates if wire_bytes > _LONGEST_WIRE_BYTES else (),
        frame_wire_bytes=wire_bytes,
    )


def _require_agreement(measurement: Measurement, line: SpecifiedLine) -> None:
    """Raise ContradictionError where a run is not as specified."""
    transport = line.specified_transport
    for name, specified, reported in (
        ("transport", "rdma" if transport in ROCE else transport, measurement.protocol),
        ("IP version", line.specified_ip_version, measurement.ip_version),
    ):
        if None not in (specified, reported) and specified != reported:
            raise ContradictionError(
                f"{measurement.source}: the specified {name} is {specified}, "
                f"but the run used {reported}"
            )
    if measurement.protocol != "udp":
        return
    if line.timestamps is not None:
        raise ContradictionError(
            f"{measurement.source}: TCP timestamps are specified, but the run used udp"
        )
    sizes = set(filter(None, (line.message_bytes, measurement.datagram_bytes)))
    if len(sizes) > 1:
        raise ContradictionError(
            f"{measurement.source}: the specified payload is {line.message_bytes} byte, "
            f"but the run sent datagrams of {measurement.datagram_bytes}"
        )


@lru_cache(maxsize=256)  # the sizes of packets that a directory of runs has, and more
def _cases(sizes: _Sizes, line: SpecifiedLine) -> tuple[RunLimits, ...]:
    """Limits of a line with packets of these sizes; cached, as runs are mostly alike."""
    if sizes.protocol is None:
        cases = (*_tcp_cases(sizes, line), *_udp_cases(sizes, line))
        cases = tuple(replace(case, unknown=(_TRANSPORT, *case.unknown)) for case in cases)
    elif sizes.protocol == "tcp":
        cases = tuple(_tcp_cases(sizes, line))
    elif sizes.protocol == "udp":
        cases = tuple(_udp_cases(sizes, line))
    else:
        cases = tuple(_rdma_cases(sizes, line))
    if not sizes.is_loopback:
        return cases
    note = "the connection stayed on a loopback interface: no frame crossed a line"
    return tuple(replace(case, notes=(note, *case.notes)) for case in cases)


def _tcp_cases(sizes: _Sizes, line: SpecifiedLine) -> Iterator[RunLimits]:
    stack = _tcp_stack(sizes, line)
    mtu_bytes = line.mtu_bytes
    if mtu_bytes is None and (sizes.segment_bytes, sizes.path_mtu_bytes) != (
        None,
        None,
    ):
        # the MTU that the reported segment fills, or the reported path MTU
        own_bytes = _own_segment_bytes(sizes, stack)
        mtu_bytes = int(stack.packet_bytes(own_bytes)) if own_bytes else sizes.path_mtu_bytes
        if mtu_bytes is None or not stack.minimum_mtu_bytes <= mtu_bytes <= MAX_PACKET_BYTES:
            raise NotJudgeableError(
                f"specify {missing_text(_MTU)}: the run reports an impossible one, {mtu_bytes}"
            )
    if mtu_bytes is not None:
        yield _tcp_case(sizes, line, stack, mtu_bytes)
        return
    largest = (
        stack
        if _has_specified_options(line)
        else tcp_stack(
            ip_version=_ip_version(sizes, line), timestamps=False, vlan_tags=line.vlan_tags
        )
    )
    smallest_bytes = max(SMALLEST_MTU_BYTES, stack.minimum_mtu_bytes)
    for each, mtu_bytes in ((stack, smallest_bytes), (largest, LARGEST_MTU_BYTES)):
        yield replace(_tcp_case(sizes, line, each, mtu_bytes), unknown=(_MTU,))


def _has_specified_options(line: SpecifiedLine) -> bool:
    """Whether the user specified whether segments carry timestamps."""
    return line.stack is not None or line.timestamps is not None


def _ip_version(sizes: _Sizes, line: SpecifiedLine) -> int:
    return line.ip_version or sizes.ip_version or DEFAULT_IP_VERSION


def _tcp_stack(sizes: _Sizes, line: SpecifiedLine) -> Stack:
    """Specified headers; timestamps, where not specified, as the segment size shows them."""
    if line.stack is not None:
        return line.stack
    stamped, plain = (
        tcp_stack(
            ip_version=_ip_version(sizes, line),
            timestamps=timestamps,
            vlan_tags=line.vlan_tags,
        )
        for timestamps in (True, False)
    )
    if line.timestamps is not None:
        return stamped if line.timestamps else plain
    mtu_bytes = line.mtu_bytes or sizes.path_mtu_bytes
    segment_bytes = sizes.segment_bytes
    fills_plainly = segment_bytes is not None and plain.packet_bytes(segment_bytes) == mtu_bytes
    return plain if fills_plainly else stamped


def _tcp_case(sizes: _Sizes, line: SpecifiedLine, stack: Stack, mtu_bytes: int) -> RunLimits:
    ceiling = line_ceiling(line.line_rate_bps, mtu_bytes, stack)
    specified = [Limit("wire", ceiling.payload_rate_bps)]
    if line.message_bytes is not None:
        message = ceiling.message(line.message_bytes)
        carrier = "the wire with a separate frame for every write"
        specified.append(Limit("messages", message.payload_rate_bps, carrier=carrier))
    own_bytes = _own_segment_bytes(sizes, stack) if line.mtu_bytes else None
    # a size that is only requested is made to fit the MTU
    is_reported = (sizes.segment_bytes, sizes.path_mtu_bytes) != (None, None)
    reported: tuple[Limit, ...] = ()
    if own_bytes is not None and own_bytes < ceiling.segment_bytes:
        wire_bytes = stack.wire_bytes(stack.packet_bytes(own_bytes), mtu_bytes)
        payload_bytes = own_bytes * ceiling.payload_bytes / ceiling.segment_bytes
        rate_bps = layer_rate_bps(line.line_rate_bps, payload_bytes, wire_bytes)
        carrier = f"the wire with the run's own segments of {own_bytes} byte"
        reported = (Limit("segment_size", rate_bps, carrier=carrier),)
    return RunLimits(
        line_rate_bps=line.line_rate_bps,
        specified=tuple(specified),
        reported=reported,
        ceiling=ceiling,
        transport="tcp",
        notes=tuple(_tcp_notes(sizes, line, ceiling)),
        exceeds_mtu=is_reported and (own_bytes or 0) > ceiling.segment_bytes,
    )


def _own_segment_bytes(sizes: _Sizes, stack: Stack) -> int | None:
    """Segment of the run: reported, otherwise as requested or as its path MTU leaves."""
    if sizes.segment_bytes is not None:
        return sizes.segment_bytes
    known_bytes = [_requested_segment_bytes(sizes, stack)]
    if sizes.path_mtu_bytes is not None and sizes.path_mtu_bytes >= stack.minimum_mtu_bytes:
        known_bytes.append(int(stack.segment_bytes(sizes.path_mtu_bytes)))
    return min(filter(None, known_bytes), default=None)


def _requested_segment_bytes(sizes: _Sizes, stack: Stack) -> int | None:
    """Payload of a requested segment size, less the TCP options."""
    if sizes.requested_mss_bytes is None:
        return None
    options_bytes = stack.layers[-1].header_bytes - TCP_HEADER_BYTES
    requested_bytes = sizes.requested_mss_bytes - options_bytes
    if requested_bytes < 1:
        raise NotJudgeableError(
            f"the run requested segments of {sizes.requested_mss_bytes} byte, "
            f"which {options_bytes} byte of TCP options fill"
        )
    return requested_bytes


def _tcp_notes(sizes: _Sizes, line: SpecifiedLine, ceiling: LineCeiling) -> Iterator[str]:
    stack, mtu_bytes, segment_bytes = ceiling.stack, ceiling.mtu_bytes, ceiling.segment_bytes
    if sizes.is_bidirectional:
        least, most, most_count = acknowledged_ratios(ceiling)
        yield (
            f"both directions: acknowledgements leave {least:.4f} to {most:.4f} of the ceiling "
            f"(one per segment, per {most_count})"
        )
    own_bytes = _own_segment_bytes(sizes, stack)
    if line.mtu_bytes is None and own_bytes is not None:
        yield (f"no MTU specified: segments of {own_bytes} byte under {stack} make MTU {mtu_bytes}")
    if not _has_specified_options(line) and not stack.layers[-1].options and own_bytes is not None:
        yield (f"judged without TCP timestamps: segments of {own_bytes} byte fill MTU {mtu_bytes}")
    if line.mtu_bytes is not None and sizes.segment_bytes not in (None, segment_bytes):
        yield (
            f"segments of {sizes.segment_bytes} byte contradict MTU {mtu_bytes}: {stack} leaves "
            f"{segment_bytes} byte"
        )
    if sizes.path_mtu_bytes not in (None, mtu_bytes) and sizes.requested_mss_bytes is None:
        yield f"the run reports a path MTU of {sizes.path_mtu_bytes}, not {mtu_bytes}"
    requested_bytes = _requested_segment_bytes(sizes, stack)
    if requested_bytes is not None:
        yield (
            f"the run requested segments of at most {sizes.requested_mss_bytes} byte: "
            f"{min(requested_bytes, segment_bytes)} byte of payload in each"
        )


@lru_cache(maxsize=64)  # lines, MTUs and stacks of a directory of runs
def acknowledged_ratios(ceiling: LineCeiling) -> tuple[float, float, int]:
    """
    Share of a ceiling that acknowledgements of the other direction leave, lowest and highest.

    Lowest with one for each segment, highest with one for the third number of segments.
    """
    most_count = int(segments_per_aggregate_count(ceiling.payload_bytes))
    least, most = (
        ceiling.acknowledged_payload_rate_bps(count) / ceiling.payload_rate_bps
        for count in (1, most_count)
    )
    return least, most, most_count


def _udp_cases(sizes: _Sizes, line: SpecifiedLine) -> Iterator[RunLimits]:
    """Datagrams of a known size; else of any size, or full ones where it may also be TCP."""
    stack = line.stack or udp_stack(ip_version=_ip_version(sizes, line), vlan_tags=line.vlan_tags)
    datagram_bytes = sizes.datagram_bytes or line.message_bytes
    usual = line_ceiling(line.line_rate_bps, line.mtu_bytes or USUAL_MTU_BYTES, stack)
    unknown = () if line.mtu_bytes else (_MTU,)
    smallest_bytes = max(SMALLEST_MTU_BYTES, stack.minimum_mtu_bytes)
    if not datagram_bytes:
        smallest = replace(usual, mtu_bytes=line.mtu_bytes or smallest_bytes)
        largest = replace(usual, mtu_bytes=line.mtu_bytes or LARGEST_MTU_BYTES)
        least_bytes = 1 if sizes.protocol == "udp" else int(smallest.payload_bytes)
        for ceiling, size in ((smallest, least_bytes), (largest, int(largest.payload_bytes))):
            yield replace(_udp_case(ceiling, size), unknown=(_DATAGRAM, *unknown))
    elif line.mtu_bytes is None and datagram_bytes > usual.payload_bytes:
        for mtu_bytes in (smallest_bytes, LARGEST_MTU_BYTES):
            ceiling = replace(usual, mtu_bytes=mtu_bytes)
            yield replace(_udp_case(ceiling, datagram_bytes), unknown=unknown)
    else:
        fits = f"no MTU specified: assuming that datagrams of {datagram_bytes} byte fit one frame"
        notes = () if line.mtu_bytes else (fits,)
        yield replace(_udp_case(usual, datagram_bytes), notes=notes)


def _udp_case(ceiling: LineCeiling, datagram_bytes: int) -> RunLimits:
    """Rate of datagrams of this size, in fragments where they exceed the MTU."""
    return RunLimits(
        line_rate_bps=ceiling.line_rate_bps,
        specified=(Limit("wire", ceiling.message(datagram_bytes).payload_rate_bps),),
        ceiling=ceiling,
        transport="udp",
    )


def _rdma_cases(sizes: _Sizes, line: SpecifiedLine) -> Iterator[RunLimits]:
    """RoCE as specified; without headers the range over versions 1 and 2, IPv4 and IPv6."""
    known_bytes = sizes.rdma_mtu_bytes
    if known_bytes not in (None, *RDMA_MTUS_BYTES):
        raise NotJudgeableError(
            f"the run reports an RDMA MTU of {known_bytes} byte: there is none but "
            f"{listed(RDMA_MTUS_BYTES)}"
        )
    is_open = not (line.mtu_bytes or line.rdma_mtu_bytes or known_bytes)
    ends_bytes = (RDMA_MTUS_BYTES[0], RDMA_MTUS_BYTES[-1]) if is_open else (known_bytes,)
    size_bytes = sizes.write_bytes or line.message_bytes
    is_known = line.stack is None or len(_with_operation(line.stack, sizes)) == 1
    unknown = (
        *(() if line.stack else (_STACK,)),
        *((_OPERATION,) if size_bytes and not is_known else ()),
        *((_MTU,) if is_open else ()),
        *(() if size_bytes else (_MESSAGE,)),
    )
    smallest_bytes = RDMA_MTUS_BYTES[0] + RDMA_HEADERS_BYTES
    if line.mtu_bytes is not None and not line.stack and line.mtu_bytes < smallest_bytes:
        raise NotJudgeableError(
            f"RDMA packets need an MTU of {smallest_bytes} byte or more; got {line.mtu_bytes}"
        )
    for given in [line.stack] if line.stack else map(parse_stack, ROCE_STACKS):
        specified = line
        if line.rdma_mtu_bytes is not None:
            mtu_bytes = _rdma_mtu_bytes(given, line.rdma_mtu_bytes)
            if given.segment_bytes(mtu_bytes) != line.rdma_mtu_bytes:
                continue  # a packet that is too small for these headers, and not specified
            specified = replace(line, mtu_bytes=mtu_bytes)
        for stack, own_bytes in product(_with_operation(given, sizes), ends_bytes):
            mtu_fits = line.mtu_bytes is None or line.mtu_bytes >= stack.minimum_mtu_bytes
            packets_fit = own_bytes is None or own_bytes == stack.segment_bytes(
                _rdma_mtu_bytes(stack, own_bytes)
            )
            if line.stack or (mtu_fits and packets_fit):
                # without a size, from messages of 1 byte to those of any length
                for each in (size_bytes,) if size_bytes else (1, None):
                    case = _rdma_case(sizes, specified, stack, own_bytes, each)
                    yield replace(case, unknown=unknown)


def _with_operation(stack: Stack, sizes: _Sizes) -> list[Stack]:
    """
    The headers with those of what each message is: of the run, or as the stack says.

    Where neither says it, a write and a send, which have the most and the fewest headers.
    """
    *outer, layer = stack.layers
    if layer.protocol not in ROCE or layer.options:
        return [stack]
    if sizes.rdma_operation is None:
        operations = [RdmaOperation.WRITE, RdmaOperation.SEND]
    else:
        operations = [_OPERATIONS[sizes.rdma_operation]]
    make = rocev1 if layer.protocol == "rocev1" else rocev2
    return [Stack((*outer, make(each))) for each in operations]


def _rdma_mtu_bytes(stack: Stack, own_bytes: int) -> int:
    """Smallest MTU of an interface whose RDMA packets carry this payload."""
    return max(own_bytes + RDMA_HEADERS_BYTES, stack.minimum_mtu_bytes)


def _rdma_case(
    sizes: _Sizes,
    line: SpecifiedLine,
    stack: Stack,
    own_bytes: int | None,
    size_bytes: int | None,
) -> RunLimits:
    """
    Messages in RDMA packets: of the specified MTU, otherwise of the MTU of the queue pairs.

    Messages of no size are so long that their headers do not count.
    """
    own_mtu_bytes = None if own_bytes is None else _rdma_mtu_bytes(stack, own_bytes)
    if own_mtu_bytes is not None and stack.segment_bytes(own_mtu_bytes) != own_bytes:
        raise NotJudgeableError(f"RDMA packets of {own_bytes} byte are not modelled under {stack}")
    mtu_bytes = line.mtu_bytes or own_mtu_bytes or USUAL_MTU_BYTES
    ceiling = line_ceiling(line.line_rate_bps, mtu_bytes, stack)
    reported: tuple[Limit, ...] = ()
    notes: tuple[str, ...] = ()
    if line.mtu_bytes is None:
        used = f"RDMA packets with {own_bytes} byte of payload set the ceiling"
        notes = (f"no MTU specified: {used}",)
    elif own_mtu_bytes is not None and own_bytes != ceiling.segment_bytes:
        notes = (
            f"the run's RDMA MTU of {own_bytes} byte contradicts MTU {mtu_bytes}, "
            f"which leaves {ceiling.segment_bytes} byte",
        )
        if own_mtu_bytes < mtu_bytes:
            own = _carrying(replace(ceiling, mtu_bytes=own_mtu_bytes), size_bytes)
            carrier = f"the wire with the run's own RDMA packets of {own_bytes} byte"
            reported = (Limit("segment_size", own.payload_rate_bps, carrier=carrier),)
    if line.mtu_bytes in RDMA_MTUS_BYTES and own_bytes in (None, line.mtu_bytes):
        notes = (mistaken_mtu_text(line.mtu_bytes, int(ceiling.segment_bytes)), *notes)
    return RunLimits(
        line_rate_bps=line.line_rate_bps,
        specified=(Limit("wire", _carrying(ceiling, size_bytes).payload_rate_bps),),
        reported=reported,
        ceiling=ceiling,
        transport="rdma",
        notes=notes,
        exceeds_mtu=bool(line.mtu_bytes and own_bytes and own_bytes > ceiling.segment_bytes),
    )


def mistaken_mtu_text(mtu_bytes: int, rdma_mtu_bytes: int) -> str:
    """That an RDMA MTU was specified as that of IP."""
    option = argument("rdma_mtu_bytes", "--rdma-mtu", mtu_bytes)
    return (
        f"MTU {mtu_bytes} of IP leaves RDMA packets of {rdma_mtu_bytes} byte; if it is the RDMA "
        f"MTU, specify {option} in its place"
    )


def _carrying(ceiling: LineCeiling, size_bytes: int | None) -> LineCeiling | MessageCeiling:
    """The ceiling of messages of a size, or of a long one."""
    return ceiling if size_bytes is None else ceiling.message(size_bytes)
