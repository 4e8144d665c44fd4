"""Limits of a run that the user specifies: line, rate cap and path."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from netmodel.ceilings import ByteLayer, Capacity, LineCeiling, layer_rate_bps, line_ceiling
from netmodel.checking.limits import (
    USUAL_MTUS_BYTES,
    Limit,
    RunLimits,
    SpecifiedLine,
    over_all_cases,
    sides_of,
)
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, NotJudgeableError
from netmodel.framing import Stack, lengths, parse_stack
from netmodel.framing.grammar import LAYERS, usual_mtu_notes
from netmodel.framing.presets import LINK_MTU_BYTES
from netmodel.framing.stack import mtu_of_rdma
from netmodel.readers import Measurement
from netmodel.text import argument
from netmodel.units import BITS_PER_BYTE

SMALLEST_MTU_BYTES = 576
"""Every IPv4 host accepts packets of this size (RFC 791, section 3.1): no line in use has less."""
_USUAL_WRITE_BYTES = 131_072
"""Default write size of iperf3 over TCP (128 KiB)."""


def missing_text(name: str) -> str:
    """Return what to specify and how, for a missing part of the line."""
    return {
        "mtu_bytes": f"the MTU ({argument('mtu_bytes', '--mtu')})",
        "datagram": f"the payload of a datagram ({argument('payload_bytes', '--payload')})",
        "flows": f"the number of connections ({argument('connections', '--connections')})",
        "reverse": "the rate of the other direction: keep the results of both",
        "transport": f"the transport ({argument('transport', '--transport')}, or "
        f"{argument('assume_transport', '--assume-transport')} for runs that do not report it)",
    }[name]


def specified_limits(run: Measurement, line: SpecifiedLine) -> RunLimits:
    """Return the limits of line, path and capacities, over all cases that are possible."""
    has_sizes = line.has_line or line.path or reports_frames_alone(run)
    if not has_sizes and {each.layer for each in line.capacities} == {ByteLayer.PAYLOAD}:
        require_agreement(run, line)
        none, transport = (Limit("none", 0.0),), line.transport_of(run)
        bare = RunLimits(line=line, specified=none, transport=transport)
        return with_capacities(run, line, bare, 1)
    cases = [with_path_limits(run, line, each) for each in line_cases(run, line)]
    if line.capacities or line.path:
        cases = [with_capacities(run, line, each, len(cases)) for each in cases]
    return over_all_cases(cases)


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
        frame_rate_fps, rate_bps = run.counted.frame_rate_fps, run.counted.layer1_rate_bps
        if not frame_rate_fps or not rate_bps:
            raise NotJudgeableError("no frame was counted")
        wire = Limit("wire", line.line_rate_bps)
        wire_bytes = rate_bps / frame_rate_fps / BITS_PER_BYTE
        return (RunLimits(line=line, specified=(wire,), frame_wire_bytes=wire_bytes),)
    require_agreement(run, line)
    known = line.transport_of(run)
    is_typed = known is None and run.tool == "rate"
    protocol = "tcp" if is_typed else known
    makers = {"tcp": (_tcp_cases,), "udp": (_udp_cases,), None: (_tcp_cases, _udp_cases)}
    key = protocol, run.ip_version, run.traffic
    if (cases := line.cases.get(key)) is None:
        made = makers.get(protocol, (_rdma_cases,))
        cases = line.cases[key] = tuple(case for make in made for case in make(run, line, protocol))
    if not is_typed:
        return cases
    other = argument("assume_transport", "--assume-transport")
    note = f"judged as TCP: a rate alone does not show the transport; otherwise give {other}"
    return tuple(replace(case, notes=(note, *case.notes)) for case in cases)


def reports_frames_alone(run: Measurement) -> bool:
    """Return True if a run reports only frames and their bits."""
    frames = run.counted
    return run.goodput_bps is None and None not in (frames.frame_rate_fps, frames.layer1_rate_bps)


def require_agreement(run: Measurement, line: SpecifiedLine) -> None:
    """Raise ContradictionError where a run is not as specified."""
    transport, stamps = line.specified_transport, line.timestamps is not None
    if line.stack and not line.whole_stack and run.protocol not in (None, "tcp", "udp"):
        transport = "tcp or udp"
    is_any_rdma = transport in ("rocev1", "rocev2", "infiniband") and run.protocol == "rdma"
    is_udp, datagram_bytes = run.protocol == "udp", run.traffic.datagram_bytes or None
    for name, specified, reported in (
        ("transport", "rdma" if is_any_rdma else transport, run.protocol),
        ("IP version", line.specified_ip_version, run.ip_version),
        ("transport with timestamps", "tcp" if stamps and is_udp else None, run.protocol),
        ("payload in byte", line.message_bytes, datagram_bytes if is_udp else None),
    ):
        if None not in (specified, reported) and specified != reported:
            why = f"the specified {name} is {specified}, but the run used {reported}"
            raise ContradictionError(f"{run.source}: {why}")


def _case(
    known: str | None,
    line: SpecifiedLine,
    transport: str,
    ceiling: LineCeiling,
    own: tuple[int, float] | None,
    size_bytes: int | None,
    unknown: list[str],
    notes: list[str],
) -> RunLimits:
    """
    Return the limits of a line with full packets, or with messages of a size in them.

    `known` is the protocol of the run, as reported or specified. Packets of the run itself, with
    their rate, may be smaller: that is a limit that it reports.
    """
    has_mtu = bool(line.mtu_bytes or (transport == "rdma" and line.rdma_mtu_bytes))
    left_bytes, mtu = ceiling.segment_bytes, f"MTU {ceiling.mtu_bytes}"
    own_bytes = own[0] if own else left_bytes
    packets = f"{'RDMA packets' if transport == 'rdma' else 'segments'} of {own_bytes} byte"
    reported: tuple[Limit, ...] = ()
    if own and not has_mtu:
        notes.append(f"no MTU specified: {packets} under {ceiling.stack} imply {mtu}")
    elif own_bytes != left_bytes:
        notes.append(f"{packets} contradict {mtu}: {ceiling.stack} leaves {left_bytes} byte")
        give = f"give the MTU of the interface ({argument('mtu_bytes', '--mtu')})"
        notes += [f"{give}: {x}" for x in usual_mtu_notes(ceiling.stack, ceiling.mtu_bytes)]
    if own and has_mtu and own_bytes < left_bytes and line.has_line:
        carrier = f"the wire with the run's own {packets}"
        reported = (Limit("segment_size", own[1], carrier=carrier),)
    return RunLimits(
        line=line,
        specified=(Limit("wire", _payload_rate_bps(ceiling, size_bytes)),),
        reported=reported,
        ceiling=ceiling,
        message_bytes=size_bytes,
        transport=transport,
        notes=tuple(notes),
        unknown=(*["transport"] * (known is None), *unknown),
        exceeds_mtu=has_mtu and own_bytes > left_bytes,
    )


def _tcp_cases(run: Measurement, line: SpecifiedLine, known: str | None) -> Iterator[RunLimits]:
    """Yield the case of the specified MTU, else of segments or path, else ends of a range."""
    plain, stamped = (line.headers("tcp", each, run.ip_version) for each in (False, True))
    traffic, shown_bytes = run.traffic, run.traffic.segment_bytes
    path_bytes, requested_bytes = traffic.path_mtu_bytes, traffic.requested_mss_bytes
    is_open = line.whole_stack is None and line.timestamps is None
    # timestamps that are not specified are as the segment size shows them
    full_bytes = plain.packet_bytes(shown_bytes) if shown_bytes else None
    is_full = bool(shown_bytes) and full_bytes in (line.mtu_bytes or path_bytes, *USUAL_MTUS_BYTES)
    is_plain = is_full if is_open else line.timestamps is False
    stack = plain if is_plain else stamped
    known_bytes = [] if shown_bytes is None else [int(shown_bytes)]
    if shown_bytes is None and requested_bytes is not None:
        options_bytes = stack.layers[-1].header_bytes - lengths.TCP_HEADER_BYTES
        known_bytes.append(max(1, requested_bytes - options_bytes))
    if shown_bytes is None and path_bytes is not None and path_bytes >= stack.minimum_mtu_bytes:
        known_bytes.append(int(stack.segment_bytes(path_bytes)))
    own_bytes = min(known_bytes, default=None)
    # a size that is only requested is made to fit the MTU
    is_reported = (shown_bytes, path_bytes) != (None, None)
    mtu_bytes = line.mtu_bytes
    if mtu_bytes is None and is_reported:
        mtu_bytes = int(stack.packet_bytes(own_bytes)) if own_bytes else path_bytes
        if mtu_bytes not in range(stack.minimum_mtu_bytes, lengths.MAX_PACKET_BYTES + 1):
            raise NotJudgeableError(f"specify {missing_text('mtu_bytes')}: no run has {mtu_bytes}")
    least_bytes = max(SMALLEST_MTU_BYTES, stack.minimum_mtu_bytes)
    ends = ((stack, least_bytes), (plain if is_open else stack, lengths.LARGEST_MTU_BYTES))
    for each, each_bytes in ends if mtu_bytes is None else ((stack, mtu_bytes),):
        ceiling = line_ceiling(line.line_rate_bps, each_bytes, each)
        own, notes = None, list[str]()
        if own_bytes is not None and is_reported:
            own = own_bytes, ceiling.payload_rate_bps  # unless they are smaller, a limit of none
        if own_bytes is not None and own_bytes < ceiling.segment_bytes:
            wire_bytes = each.wire_bytes(each.packet_bytes(own_bytes), each_bytes)
            payload_bytes = own_bytes * ceiling.payload_bytes / ceiling.segment_bytes
            own = own_bytes, layer_rate_bps(line.line_rate_bps, payload_bytes, wire_bytes)
        if own_bytes is not None and is_open and is_plain:
            notes.append(f"no TCP timestamps: segments of {own_bytes} byte fill MTU {full_bytes}")
        unknown = ["mtu_bytes"] * (mtu_bytes is None)
        yield _case(known, line, "tcp", ceiling, own, None, unknown, notes)


def _udp_cases(run: Measurement, line: SpecifiedLine, known: str | None) -> Iterator[RunLimits]:
    """Yield the case of the datagram size, else from one byte (full, if maybe TCP) to split."""
    stack = line.headers("udp", ip_version=run.ip_version)
    size_bytes = run.traffic.datagram_bytes or line.message_bytes
    least_bytes = max(SMALLEST_MTU_BYTES, stack.minimum_mtu_bytes)
    mtu_bytes = line.mtu_bytes or run.traffic.path_mtu_bytes
    usual, least, most = (
        line_ceiling(line.line_rate_bps, mtu_bytes or each_bytes, stack)
        for each_bytes in (LINK_MTU_BYTES, least_bytes, lengths.LARGEST_MTU_BYTES)
    )
    cases: list[tuple[LineCeiling, int | None]] = [(usual, size_bytes)]
    notes, unknown = list[str](), list[str]()
    if not size_bytes:
        unknown.append("datagram")
        cases = [(least, 1 if known == "udp" else int(least.payload_bytes))]
        # longer ones leave more to payload where only the first fragment has a header of UDP
        longest_bytes = stack.longest_datagram_bytes(most.mtu_bytes)
        cases += [(most, int(most.payload_bytes)), (most, longest_bytes)]
    elif mtu_bytes is None and size_bytes <= usual.payload_bytes:
        notes.append(f"no MTU specified: datagrams of {size_bytes} byte count as one frame each")
    elif mtu_bytes is None:
        cases = [(each, size_bytes) for each in (least, most)]
    if mtu_bytes is None and not notes:
        unknown.append("mtu_bytes")
    for ceiling, each_bytes in cases:
        yield _case(known, line, "udp", ceiling, None, each_bytes, unknown, notes)


def _rdma_cases(run: Measurement, line: SpecifiedLine, known: str | None) -> Iterator[RunLimits]:
    """
    Yield the case of the specified headers, else of InfiniBand where the run shows it, else RoCE
    version 2 over IPv4, or IPv6 where the run shows that.

    Messages are what the run or the headers say, else writes; without a size, so long that their
    headers do not count.
    """
    stack, notes, traffic = line.stack, list[str](), run.traffic
    if stack is None and known == "infiniband":
        stack = parse_stack("infiniband")
    elif stack is None:
        stack = parse_stack(f"ipv{line.ip_version or run.ip_version or 4}/udp/rocev2")
        notes.append(f"headers not specified: {stack} assumed ({argument('stack', '--stack')})")
    *outer, layer = stack.layers
    if traffic.rdma_operation and not layer.options:
        stack = Stack((*outer, LAYERS[layer.protocol](traffic.rdma_operation)))
    own_bytes, given_bytes = traffic.rdma_mtu_bytes, line.rdma_mtu_bytes
    mtu_bytes = mtu_of_rdma(given_bytes, None, stack) if given_bytes else line.mtu_bytes
    if own_bytes not in (None, *lengths.RDMA_MTUS_BYTES):
        raise NotJudgeableError(f"the run reports an impossible MTU: {own_bytes} byte over RDMA")
    own_mtu_bytes = mtu_of_rdma(own_bytes, None, stack) if own_bytes else mtu_bytes
    if own_mtu_bytes is None:
        raise NotJudgeableError(f"specify {missing_text('mtu_bytes')}")
    is_rdma_mtu = mtu_bytes in lengths.RDMA_MTUS_BYTES and own_bytes in (None, mtu_bytes)
    if is_rdma_mtu and mtu_bytes and "infiniband" not in stack.protocols:
        option = argument("rdma_mtu_bytes", "--rdma-mtu", mtu_bytes)
        left = f"MTU {mtu_bytes} of IP leaves {stack.segment_bytes(mtu_bytes)} byte"
        notes = [f"{left}; if it is the RDMA MTU, specify {option} in its place", *notes]
    own = line_ceiling(line.line_rate_bps, own_mtu_bytes, stack)
    size_bytes = traffic.write_bytes or line.message_bytes
    ceiling = replace(own, mtu_bytes=mtu_bytes or own_mtu_bytes)
    own_rate = (own_bytes, _payload_rate_bps(own, size_bytes)) if own_bytes else None
    yield _case(known, line, "rdma", ceiling, own_rate, size_bytes, [], notes)


def _payload_rate_bps(ceiling: LineCeiling, size_bytes: int | None) -> float:
    """Return what a line carries in messages of a size, or in full packets."""
    return (ceiling.message(size_bytes) if size_bytes else ceiling).payload_rate_bps


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

    if (ceiling := of_line.ceiling) is None:
        raise NotJudgeableError("the run reports frames alone, and a path limits messages")
    (sender, source), count = sides_of(run), run.stream_count or line.connection_count
    size_bytes = of_line.message_bytes
    if size_bytes and "datagram" in of_line.unknown:
        # those that fill a packet or more: the line bounds smaller ones
        size_bytes = max(size_bytes, int(ceiling.payload_bytes))
    known_bytes = size_bytes or line.message_bytes or run.traffic.write_bytes
    message_bytes, is_stream = known_bytes or _USUAL_WRITE_BYTES, size_bytes is None
    ends_bytes = (0, message_bytes) if source is Side.SERVER else (message_bytes, 0)
    traffic = Traffic(*ends_bytes, count, waits=False, shares_segments=is_stream)
    path = line.path_over_it.path_of(traffic, sender)
    prediction = predict_path(path, traffic, ceiling.mtu_bytes, ceiling.stack)
    limits, message_bits = [], BITS_PER_BYTE * message_bytes
    assumed = {stage.name for stage in path.stages if stage.is_assumed}
    left_out = (*LINE_STAGES, *["window"] * bool(line.window_bytes))
    for limit in prediction.limits:
        if limit.name not in left_out and math.isfinite(limit.rate.value):
            # where a hash spreads flows: from equally fast ones to the best case
            value_tps = limit.rate.value if limit.even_rate_tps is None else limit.even_rate_tps
            ends_tps = min(value_tps, limit.rate.low), limit.highest_rate_tps
            value, low, high = (float(message_bits * tps) for tps in (value_tps, *ends_tps))
            # what rests on no measurement refutes none
            most = of_line.specified[0].bounds_bps[1] if limit.name in assumed else high
            limits.append(Limit(limit.name, value, low, max(high, most)))
    stages = [each for each in path.stages if not each.is_delay]
    parts = [part for each in stages for part in (*each.to_server.named, *each.to_client.named)]
    given = argument("payload_bytes", "--payload")
    note = f"write size not known: {_USUAL_WRITE_BYTES} byte assumed ({given})"
    is_assumed = "per_message_s" in dict(parts) and not known_bytes
    notes = (*of_line.notes, *[note] * is_assumed, *path.mixed_notes, *prediction.limit_notes)
    return replace(of_line, specified=(*of_line.specified, *limits), notes=notes)


FILLED = (0.995, 1.002)
"""Ratios to the rate of a layer of a run that fills it: of 200 runs of 3 s through tbf and htb of
Linux at MTU 576 to 9000, with overheads, 189 were; the others waited for a machine under load."""
_NOMINAL_FACTOR = 1.05
"""Highest rate for a nominal one, as for "about" in a document: runs of an hour on EC2 had bursts
of up to 5.11 Gbit/s of TCP payload, 1.028 of the 5 Gbit/s of IP packets that are documented."""
_BURST_BYTES = 65_536
"""Burst of a bucket that Linux fills: the largest packet that TCP builds has to fit it."""


def with_capacities(
    run: Measurement, line: SpecifiedLine, case: RunLimits, case_count: int
) -> RunLimits:
    """
    Return the limits of a case with those of capacities; without a line, with these alone.

    Of a capacity whose layer is not known the limit is by the layer that fits the run, else by the
    lowest that allows it. NotJudgeableError where capacities alone are given, and none is known.
    """
    counted: tuple[float, Mapping[ByteLayer, float]] = (1.0, {ByteLayer.PAYLOAD: 1.0})
    wire_bytes = case.frame_wire_bytes
    if wire_bytes is not None:
        # of frames of their mean length, all bits on the wire are judged, and payload is not known
        counted = wire_bytes, ByteLayer.of_frame(wire_bytes)
    elif case.ceiling is not None:
        counted = case.ceiling.counted_bytes(case.message_bytes)
    # without a line its own limit, the first, is none
    limits, unused = [*case.specified[0 if line.has_line else 1 :]], list[str]()
    unknown = dict.fromkeys(case.unknown)
    measured_bps, spent_bps = case.measured_bps(run) or 0.0, math.inf
    reverse_bps, flow_bps = run.counted.reverse_goodput_bps, math.inf
    for number, capacity in enumerate(line.capacities_of(run)):
        rates = rates_of(capacity, run, counted, line)
        if not rates:
            unused.append(f"capacity {capacity}: not applied, as the run reports no payload")
            continue
        if capacity.scope == "flow" and not (run.stream_count or line.connection_count):
            unused.append(f"capacity {capacity}: no limit without {missing_text('flows')}")
            flow_bps, unknown["flows"] = min(flow_bps, *rates.values()), None
            continue
        if capacity.is_sustained and measured_bps > FILLED[1] * max(rates.values()):
            unused.append(f"capacity {capacity}: a burst may be faster, while its credits last")
            spent_bps = max(rates.values())
            continue
        text, rate_bps = fitting(rates, measured_bps, run)
        is_cap = capacity == Capacity(capacity.rate_bps, ByteLayer.PAYLOAD)
        name = f"rate_cap{f'_{number}' * bool(number)}" if is_cap else f"capacity {capacity}"
        carrier = "the specified rate cap" if is_cap else f"the capacity {capacity}"
        if capacity.layer is None and case_count == 1:
            carrier += f", counted as {text or next(x for x in rates if rates[x] == rate_bps)},"
        times_s = run.duration_s or 0.0, math.inf
        mean_bps, least_bps = (capacity.over_time(time_s).rate_bps for time_s in times_s)
        low_bps = min(rate_bps * least_bps / mean_bps, spent_bps)
        if capacity.direction == "both" and run.is_bidirectional and not reverse_bps:
            # the other direction took as much as this one left, or less
            low_bps, unknown["reverse"] = min(low_bps, measured_bps) or low_bps, None
        high_bps = _NOMINAL_FACTOR * rate_bps if capacity.is_nominal else None
        limits.append(Limit(name, rate_bps, low_bps, high_bps, carrier=carrier))
    if not limits:
        raise NotJudgeableError("; ".join(unused) or "nothing specified limits this direction")
    if "flows" in unknown:
        # one connection may have been all
        limits = [replace(x, low_bps=min(x.bounds_bps[0], flow_bps)) for x in limits]
    return replace(case, specified=(*limits,), notes=(*unused, *case.notes), unknown=(*unknown,))


def rates_of(
    capacity: Capacity,
    run: Measurement,
    counted: tuple[float, Mapping[ByteLayer, float]],
    line: SpecifiedLine,
) -> dict[str, float]:
    """
    Return the payload rate that a capacity allows a run, for each layer that it may count.

    Directions that share a capacity each get the share of payload that they moved.
    """
    of_flow = (run.stream_count or line.connection_count or 1) if capacity.scope == "flow" else 1
    own_bps, reverse_bps = run.goodput_bps or 0.0, run.counted.reverse_goodput_bps or 0.0
    is_shared = capacity.direction == "both" and own_bps > 0
    factor = of_flow * (own_bps / (own_bps + reverse_bps) if is_shared else 1)
    rates = capacity.over_time(run.duration_s or 0.0).payload_rates_bps(*counted)
    return {text: rate * factor for text, rate in rates.items()}


def fitting(
    rates_bps: Mapping[str, float], measured_bps: float, run: Measurement
) -> tuple[str, float]:
    """
    Return the layers that a rate fits, in words, and the rate by the nearest of them.

    A run that includes its start may have a burst more. If no layer fits, the words are empty and
    the rate is the lowest above the run, else the highest.
    """
    time_s = math.inf if run.counted.leaves_out_start or not run.duration_s else run.duration_s
    # of 5 % at most: a run with more is too short to tell layers apart
    burst_bps = min(BITS_PER_BYTE * _BURST_BYTES / time_s, 0.05 * measured_bps)
    least_bps, most_bps = (measured_bps - burst_bps) / FILLED[1], measured_bps / FILLED[0]
    if close := [each for each in rates_bps.items() if least_bps <= each[1] <= most_bps]:
        nearest = min(close, key=lambda each: abs(math.log(measured_bps / each[1])))
        return " or ".join(text for text, _ in close), nearest[1]
    above = (each for each in rates_bps.values() if measured_bps <= each)
    return "", next(above, max(rates_bps.values(), default=0.0))
