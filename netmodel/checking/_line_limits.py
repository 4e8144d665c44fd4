"""Limits of a run that the user specifies: line, rate cap, path and CPUs with their cost."""

from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import isfinite
from operator import attrgetter

from netmodel.ceilings import MAX_PACKET_BYTES, LineCeiling, layer_rate_bps, line_ceiling
from netmodel.checking.limits import (
    ROCE,
    USUAL_MTU_BYTES,
    Limit,
    NotJudgeableError,
    RunLimits,
    SpecifiedLine,
)
from netmodel.consumption import Side, us_per_gbit_to_gbps_per_core
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
)
from netmodel.readers import TYPED_RATE, Direction, Measurement
from netmodel.text import argument, listed
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIGA

SMALLEST_MTU_BYTES = 576
"""Every IPv4 host accepts packets of this size (RFC 791, section 3.1): no line in use has less."""
_LONGEST_WIRE_BYTES = LARGEST_MTU_BYTES + 42
"""A packet of that size with header 14, tag 4, check sequence 4, preamble and gap 20. [byte]"""
ROCE_STACKS = ("ethernet/rocev1", "ethernet/ipv4/udp/rocev2", "ethernet/ipv6/udp/rocev2")
"""Headers of RDMA packets on Ethernet, of which perftest reports none."""
_USUAL_WRITE_BYTES = 131_072
"""Default write size of iperf3 over TCP (128 KiB)."""
_Sizes = namedtuple(  # types are those of the measurement
    "_Sizes",
    "protocol ip_version segment_bytes requested_mss_bytes datagram_bytes rdma_mtu_bytes "
    "rdma_operation write_bytes path_mtu_bytes is_loopback",
)
"""What a run reports of its packets."""
_sizes_of = attrgetter(*_Sizes._fields)


def missing_text(name: str) -> str:
    """What to specify, where this of a line is neither specified nor reported."""
    roce, payload = "ethernet/ipv4/udp/rocev2", argument("payload_bytes", "--payload")
    stack = argument("stack", "--stack")
    assumed = argument("assume_transport", "--assume-transport")
    return {
        "mtu_bytes": f"the MTU ({argument('mtu_bytes', '--mtu')})",
        "datagram": f"the payload of a datagram ({payload})",
        "message": f"the payload of a message ({payload})",
        "operation": f"whether messages are writes or sends ({stack}, as {roce}+operation=send)",
        "stack": f"the headers ({stack}, such as {roce})",
        "transport": (
            f"the transport ({argument('transport', '--transport')}, or {assumed} for runs that do "
            "not report it)"
        ),
    }[name]


def line_cases(run: Measurement, line: SpecifiedLine) -> tuple[RunLimits, ...]:
    """
    Return the limits of a run by its line, for each possible case.

    There is a single case where all sizes are known. Where MTU, transport or datagram size are
    neither specified nor reported, the cases are the ends of what is possible: packets of 576 to
    9216 byte, TCP and UDP. A rate alone, without a file, counts as TCP. Of a run that reports
    frames and no payload, the limit is the rate of frames of their mean length.

    Raises ContradictionError if protocol or IP version of the run are not those specified, and
    NotJudgeableError if no frame was counted, or the run reports impossible sizes.
    """
    if reports_frames_alone(run):
        return (_frame_limits(run, line),)
    require_agreement(run, line)
    known = line.specified_transport or run.protocol or line.assumed_transport
    is_typed = known is None and run.tool == TYPED_RATE
    sizes = _Sizes("tcp" if is_typed else known, *_sizes_of(run)[1:])
    cases = _cases(sizes, line)
    if not is_typed:
        return cases
    other = argument("transport", "--transport")
    note = f"judged as TCP, as a rate alone does not say what carried it: else give {other}"
    return tuple(replace(case, notes=(note, *case.notes)) for case in cases)


def reports_frames_alone(run: Measurement) -> bool:
    """Whether only frames and their bits are reported."""
    return run.goodput_bps is None and None not in (run.frame_rate_fps, run.layer1_rate_bps)


def _frame_limits(run: Measurement, line: SpecifiedLine) -> RunLimits:
    if not run.frame_rate_fps or not run.layer1_rate_bps:
        raise NotJudgeableError("no frame was counted")
    wire_bytes = run.layer1_rate_bps / run.frame_rate_fps / BITS_PER_BYTE
    aggregates = (f"frames of {wire_bytes:.5g} byte are aggregates: offloads hide the real frames",)
    return RunLimits(
        line=line,
        specified=(Limit("wire", line.line_rate_bps),),
        notes=aggregates if wire_bytes > _LONGEST_WIRE_BYTES else (),
        frame_wire_bytes=wire_bytes,
    )


def require_agreement(run: Measurement, line: SpecifiedLine) -> None:
    """Raise ContradictionError where a run is not as specified."""
    transport, stamps = line.specified_transport, line.timestamps is not None
    is_udp = run.protocol == "udp"
    for name, specified, reported in (
        ("transport", "rdma" if transport in ROCE else transport, run.protocol),
        ("IP version", line.specified_ip_version, run.ip_version),
        ("transport with timestamps", "tcp" if stamps and is_udp else None, run.protocol),
        ("payload in byte", line.message_bytes, run.datagram_bytes or None if is_udp else None),
    ):
        if None not in (specified, reported) and specified != reported:
            raise ContradictionError(
                f"{run.source}: the specified {name} is {specified}, but the run used {reported}"
            )


@lru_cache(maxsize=256)  # the sizes of packets that a directory of runs has, and more
def _cases(sizes: _Sizes, line: SpecifiedLine) -> tuple[RunLimits, ...]:
    """Limits of a line with packets of these sizes; cached, as runs are mostly alike."""
    of_transport = {"tcp": (_tcp_cases,), "udp": (_udp_cases,), None: (_tcp_cases, _udp_cases)}
    cases = [
        case
        for made in of_transport.get(sizes.protocol, (_rdma_cases,))
        for case in made(sizes, line)
    ]
    if not cases:
        own_bytes, mtu_bytes = sizes.rdma_mtu_bytes or "any", line.mtu_bytes or "unknown"
        headers = f"with MTU {mtu_bytes} and headers {line.stack or 'of RoCE'}"
        raise NotJudgeableError(f"no RDMA packets of {own_bytes} byte fit a line {headers}")
    if sizes.protocol is None:
        cases = [replace(case, unknown=("transport", *case.unknown)) for case in cases]
    if sizes.is_loopback:
        note = "the connection stayed on a loopback interface: no frame crossed a line"
        cases = [replace(case, notes=(note, *case.notes)) for case in cases]
    return tuple(cases)


def _case(
    line: SpecifiedLine,
    transport: str,
    ceiling: LineCeiling,
    size_bytes: int | None = None,
    own_bytes: int | None = None,
    own_bps: float = 0.0,
) -> RunLimits:
    """
    Return the limits of a line with full packets, or with messages of a size in them.

    The packets of the run itself may be smaller: their rate is a limit that it reports.
    """
    is_rdma = transport == "rdma"
    has_mtu = bool(line.mtu_bytes or (is_rdma and line.rdma_mtu_bytes))
    mtu_bytes, stack = ceiling.mtu_bytes, ceiling.stack
    kind = "RDMA packets" if is_rdma else "segments"
    notes, reported = list[str](), tuple[Limit, ...]()
    if own_bytes is not None and not has_mtu:
        notes.append(
            f"no MTU specified: {kind} of {own_bytes} byte under {stack} make MTU {mtu_bytes}"
        )
    elif own_bytes is not None and own_bytes != ceiling.segment_bytes:
        notes.append(
            f"{kind} of {own_bytes} byte contradict MTU {mtu_bytes}: {stack} leaves "
            f"{ceiling.segment_bytes} byte"
        )
    if has_mtu and own_bytes and own_bytes < ceiling.segment_bytes:
        carrier = f"the wire with the run's own {kind} of {own_bytes} byte"
        reported = (Limit("segment_size", own_bps, carrier=carrier),)
    return RunLimits(
        line=line,
        specified=(Limit("wire", _carried_bps(ceiling, size_bytes)),),
        reported=reported,
        ceiling=ceiling,
        transport=transport,
        notes=tuple(notes),
        exceeds_mtu=has_mtu and (own_bytes or 0) > ceiling.segment_bytes,
    )


def _carried_bps(ceiling: LineCeiling, size_bytes: int | None) -> float:
    """Payload rate of messages of a size; without one, of full packets."""
    return (ceiling if size_bytes is None else ceiling.message(size_bytes)).payload_rate_bps


def _tcp_cases(sizes: _Sizes, line: SpecifiedLine) -> Iterator[RunLimits]:
    stack, largest = _tcp_stacks(sizes, line)
    timestamps = line.timestamps if line.stack is None else True
    own_bytes = _own_segment_bytes(sizes, stack)
    # a size that is only requested is made to fit the MTU
    is_reported = (sizes.segment_bytes, sizes.path_mtu_bytes) != (None, None)
    mtu_bytes = line.mtu_bytes
    if mtu_bytes is None and is_reported:
        # the MTU that the reported segment fills, or the reported path MTU
        mtu_bytes = int(stack.packet_bytes(own_bytes)) if own_bytes else sizes.path_mtu_bytes
        if mtu_bytes is None or not stack.minimum_mtu_bytes <= mtu_bytes <= MAX_PACKET_BYTES:
            wrong = f"the run reports an impossible one, {mtu_bytes}"
            raise NotJudgeableError(f"specify {missing_text('mtu_bytes')}: {wrong}")
    least_bytes = max(SMALLEST_MTU_BYTES, stack.minimum_mtu_bytes)
    ends = ((stack, least_bytes), (largest, LARGEST_MTU_BYTES))
    for each, each_bytes in ends if mtu_bytes is None else ((stack, mtu_bytes),):
        ceiling = line_ceiling(line.line_rate_bps, each_bytes, each)
        own_bps = 0.0
        if own_bytes is not None:
            wire_bytes = each.wire_bytes(each.packet_bytes(own_bytes), each_bytes)
            payload_bytes = own_bytes * ceiling.payload_bytes / ceiling.segment_bytes
            own_bps = layer_rate_bps(line.line_rate_bps, payload_bytes, wire_bytes)
        is_own = is_reported or (own_bytes or 0) < ceiling.segment_bytes
        case = _case(line, "tcp", ceiling, None, own_bytes if is_own else None, own_bps)
        if own_bytes is not None and timestamps is None and not each.layers[-1].options:
            plain = f"judged without TCP timestamps: segments of {own_bytes} byte fill MTU"
            case = replace(case, notes=(*case.notes, f"{plain} {each_bytes}"))
        specified = case.specified
        if line.message_bytes is not None:
            rate_bps = ceiling.message(line.message_bytes).payload_rate_bps
            carrier = "the wire with a separate frame for every write"
            specified = (*specified, Limit("messages", rate_bps, carrier=carrier))
        yield replace(
            case, specified=specified, unknown=("mtu_bytes",) if mtu_bytes is None else ()
        )


def _tcp_stacks(sizes: _Sizes, line: SpecifiedLine) -> tuple[Stack, Stack]:
    """
    Return specified headers, and the fewest that the user leaves open.

    Timestamps, where not specified, are as the segment size shows them.
    """
    if line.stack is not None:
        return line.stack, line.stack
    plain, stamped = (line.headers("tcp", each, sizes.ip_version) for each in (False, True))
    if line.timestamps is not None:
        return (stamped, stamped) if line.timestamps else (plain, plain)
    size_bytes, mtu_bytes = sizes.segment_bytes, line.mtu_bytes or sizes.path_mtu_bytes
    fills_plainly = size_bytes is not None and plain.packet_bytes(size_bytes) == mtu_bytes
    return (plain if fills_plainly else stamped), plain


def _own_segment_bytes(sizes: _Sizes, stack: Stack) -> int | None:
    """Segment of the run: reported, else as requested less options, or as its path MTU leaves."""
    if sizes.segment_bytes is not None:
        return int(sizes.segment_bytes)
    known_bytes: list[int] = []
    if sizes.requested_mss_bytes is not None:
        options_bytes = stack.layers[-1].header_bytes - TCP_HEADER_BYTES
        known_bytes.append(sizes.requested_mss_bytes - options_bytes)
        if known_bytes[0] < 1:
            fill = f"which {options_bytes} byte of TCP options fill"
            asked_bytes = sizes.requested_mss_bytes
            raise NotJudgeableError(f"the run requested segments of {asked_bytes} byte, {fill}")
    if sizes.path_mtu_bytes is not None and sizes.path_mtu_bytes >= stack.minimum_mtu_bytes:
        known_bytes.append(int(stack.segment_bytes(sizes.path_mtu_bytes)))
    return min(known_bytes, default=None)


@lru_cache(maxsize=64)  # lines, MTUs and stacks of a directory of runs
def acknowledged_ratio(ceiling: LineCeiling) -> float:
    """Share of a ceiling that an acknowledgement for each segment of the other direction leaves."""
    return ceiling.acknowledged_payload_rate_bps(1) / ceiling.payload_rate_bps


def _udp_cases(sizes: _Sizes, line: SpecifiedLine) -> Iterator[RunLimits]:
    """Datagrams of a known size; else of any size, or full ones where it may also be TCP."""
    stack = line.headers("udp", ip_version=sizes.ip_version)
    size_bytes = sizes.datagram_bytes or line.message_bytes
    usual = line_ceiling(line.line_rate_bps, line.mtu_bytes or USUAL_MTU_BYTES, stack)
    least_bytes = line.mtu_bytes or max(SMALLEST_MTU_BYTES, stack.minimum_mtu_bytes)
    ends = [replace(usual, mtu_bytes=n) for n in (least_bytes, line.mtu_bytes or LARGEST_MTU_BYTES)]
    unknown = () if line.mtu_bytes else ("mtu_bytes",)
    if not size_bytes:
        unknown = ("datagram", *unknown)
        least_payload_bytes = 1 if sizes.protocol == "udp" else int(ends[0].payload_bytes)
        cases = [(ends[0], least_payload_bytes), (ends[1], int(ends[1].payload_bytes))]
    elif line.mtu_bytes is None and size_bytes > usual.payload_bytes:
        cases = [(each, size_bytes) for each in ends]
    else:
        unknown, cases = (), [(usual, size_bytes)]
    fits = f"no MTU specified: assuming that datagrams of {size_bytes} byte fit one frame"
    notes = () if line.mtu_bytes or unknown else (fits,)
    for ceiling, each_bytes in cases:
        yield replace(_case(line, "udp", ceiling, each_bytes), unknown=unknown, notes=notes)


def _rdma_cases(sizes: _Sizes, line: SpecifiedLine) -> Iterator[RunLimits]:
    """
    RoCE as specified; without headers the range over versions 1 and 2, IPv4 and IPv6.

    Messages are writes or sends, whichever the run or the headers say, else both; without a size,
    they are from 1 byte to so long that their headers do not count.
    """
    known_bytes = sizes.rdma_mtu_bytes
    if known_bytes not in (None, *RDMA_MTUS_BYTES):
        raise NotJudgeableError(
            f"the run reports an RDMA MTU of {known_bytes} byte: there is none but "
            f"{listed(RDMA_MTUS_BYTES)}"
        )
    is_open = not (line.mtu_bytes or line.rdma_mtu_bytes or known_bytes)
    own_mtus = (RDMA_MTUS_BYTES[0], RDMA_MTUS_BYTES[-1]) if is_open else (known_bytes,)
    size_bytes = sizes.write_bytes or line.message_bytes
    stacks = [line.stack] if line.stack else [*map(parse_stack, ROCE_STACKS)]
    has_operation = not line.stack or len(_with_operation(line.stack, sizes)) == 1
    is_unknown = (
        ("stack", not line.stack),
        ("operation", size_bytes and not has_operation),
        ("mtu_bytes", is_open),
        ("message", not size_bytes),
    )
    unknown = tuple(name for name, holds in is_unknown if holds)
    for given in stacks:
        mtu_bytes = line.mtu_bytes
        if line.rdma_mtu_bytes is not None:
            mtu_bytes = _rdma_mtu_bytes(given, line.rdma_mtu_bytes)
            if given.segment_bytes(mtu_bytes) != line.rdma_mtu_bytes:
                continue  # a packet that is too small for these headers, and not specified
        for stack, own_bytes in product(_with_operation(given, sizes), own_mtus):
            own_mtu_bytes = own_bytes and _rdma_mtu_bytes(stack, own_bytes)
            carries = own_mtu_bytes is None or stack.segment_bytes(own_mtu_bytes) == own_bytes
            if not carries or stack.minimum_mtu_bytes > (mtu_bytes or LARGEST_MTU_BYTES):
                continue
            used_bytes = mtu_bytes or own_mtu_bytes or USUAL_MTU_BYTES
            ceiling = line_ceiling(line.line_rate_bps, used_bytes, stack)
            own = replace(ceiling, mtu_bytes=own_mtu_bytes or used_bytes)
            for each in (size_bytes,) if size_bytes else (1, None):
                own_bps = _carried_bps(own, each)
                case = _case(line, "rdma", ceiling, each, own_bytes, own_bps)
                notes = case.notes
                if mtu_bytes in RDMA_MTUS_BYTES and own_bytes in (None, mtu_bytes):
                    option = argument("rdma_mtu_bytes", "--rdma-mtu", mtu_bytes)
                    mistaken = (
                        f"MTU {mtu_bytes} of IP leaves RDMA packets of {ceiling.segment_bytes} "
                        f"byte; if it is the RDMA MTU, specify {option} in its place"
                    )
                    notes = (mistaken, *notes)
                yield replace(case, unknown=unknown, notes=notes)


def _with_operation(stack: Stack, sizes: _Sizes) -> list[Stack]:
    """
    The headers with those of what each message is: of the run, or as the stack says.

    Where neither says it, a write and a send, which have the most and the fewest headers.
    """
    *outer, layer = stack.layers
    if layer.protocol not in ROCE or layer.options:
        return [stack]
    either = [RdmaOperation.WRITE, RdmaOperation.SEND]
    known = sizes.rdma_operation
    make = rocev1 if layer.protocol == "rocev1" else rocev2
    return [Stack((*outer, make(each))) for each in ([RdmaOperation(known)] if known else either)]


def _rdma_mtu_bytes(stack: Stack, own_bytes: int) -> int:
    """Smallest MTU of an interface whose RDMA packets carry this payload."""
    return max(own_bytes + RDMA_HEADERS_BYTES, stack.minimum_mtu_bytes)


# Beside the line


def with_path_limits(run: Measurement, line: SpecifiedLine, of_line: RunLimits) -> RunLimits:
    """
    Return the limits of a line, then those of every stage of its path that the run loads.

    They are those of the line alone where no path is specified. ContradictionError where measured
    limits of an adapter contradict each other or the line.
    """
    if line.path_over_it is None:
        return of_line
    from netmodel.path import Traffic, predict_path
    from netmodel.path.stages import LINE_STAGES

    is_back = run.direction is Direction.SERVER_TO_CLIENT
    size_bytes, judged_ratio = run.datagram_bytes or line.message_bytes, 1.0
    if of_line.ceiling is None:
        # frames of their mean length with a datagram in each
        wire_bytes = of_line.frame_wire_bytes or 0.0
        stack = line.headers("udp")
        around_bytes = stack.wire_bytes(USUAL_MTU_BYTES, USUAL_MTU_BYTES) - USUAL_MTU_BYTES
        packet_bytes = max(round(wire_bytes - around_bytes), int(stack.minimum_mtu_bytes))
        size_bytes, mtu_bytes = int(stack.segment_bytes(packet_bytes)), packet_bytes
        judged_ratio = wire_bytes / size_bytes
    else:
        stack, mtu_bytes = of_line.ceiling.stack, of_line.ceiling.mtu_bytes
        if of_line.transport == "rdma":
            size_bytes = size_bytes or run.write_bytes
        elif of_line.transport == "udp":
            # of unknown datagrams, the largest that fit a packet: the line bounds smaller ones
            size_bytes = size_bytes or int(of_line.ceiling.payload_bytes)
    message_bytes = size_bytes or run.write_bytes or _USUAL_WRITE_BYTES
    traffic = Traffic(
        *((0, message_bytes) if is_back else (message_bytes, 0)),
        connection_count=run.stream_count,
        waits=False,
        shares_segments=size_bytes is None,
    )
    sender = Side.SERVER if is_back and not run.is_bidirectional else Side.CLIENT
    path = line.path_over_it.path(sender)
    prediction = predict_path(path, traffic, mtu_bytes, stack)
    bits = BITS_PER_BYTE * message_bytes * judged_ratio
    limits = []
    for limit in prediction.limits:
        if limit.name not in LINE_STAGES and isfinite(limit.rate.value):
            # where a hash spreads flows: from equally fast ones to the best case
            even_tps = limit.even_rate_tps
            value_tps = limit.rate.value if even_tps is None else even_tps
            ends_tps = min(value_tps, limit.rate.low), limit.highest_rate_tps
            value, low, high = (float(bits * tps) for tps in (value_tps, *ends_tps))
            limits.append(Limit(limit.name, value, low, high))
    stages = [stage for stage in path.stages if not stage.is_delay]
    times = [time for stage in stages for time in (stage.to_server, stage.to_client)]
    counts_messages = "per_message_s" in {name for time in times for name, _ in time.named}
    sizes = line.message_bytes, run.datagram_bytes, run.write_bytes, run.frame_rate_fps
    given = argument("payload_bytes", "--payload")
    assumed = f"write size not known: {_USUAL_WRITE_BYTES} byte assumed ({given})"
    own_notes = [assumed] * (counts_messages and not any(sizes))
    return replace(
        of_line,
        specified=(*of_line.specified, *limits),
        notes=(*of_line.notes, *own_notes, *prediction.limit_notes),
    )


def other_specified(run: Measurement, line: SpecifiedLine) -> Iterator[Limit]:
    """Yield the rate cap, and CPUs of a host whose number and cost are both specified."""
    if line.rate_cap_bps is not None:
        yield Limit("rate_cap", line.rate_cap_bps, carrier="the specified rate cap")
    for side, host in ((Side.CLIENT, line.client), (Side.SERVER, line.server)):
        if host.cpu_count and host.us_per_gbit and not run.is_bidirectional:
            # N CPUs at c µs/Gbit: 10^6 N / c Gbit/s
            rate_bps = host.cpu_count * us_per_gbit_to_gbps_per_core(host.us_per_gbit) * GIGA
            carrier = f"the {side.value}'s CPU budget of {host.cpu_count} CPUs at the given cost"
            yield Limit(f"{side.value}_cpu_budget", rate_bps, carrier=carrier)
