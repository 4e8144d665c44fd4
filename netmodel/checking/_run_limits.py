"""All limits of a run: specified by the user, of the path, and reported by the run itself."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

from netmodel.checking._line_limits import line_cases
from netmodel.checking._transport_limits import loss_limit, transport_notes, window_limit
from netmodel.checking.limits import (
    DEFAULT_IP_VERSION,
    USUAL_MTU_BYTES,
    Limit,
    NotJudgeableError,
    RunLimits,
    SpecifiedHost,
    SpecifiedLine,
    over_all_cases,
)
from netmodel.checking.verdict import ExpectedRate
from netmodel.consumption import CpuScope, Side, us_per_gbit_to_gbps_per_core
from netmodel.framing import Stack, udp_stack
from netmodel.readers import CpuUse, Direction, Measurement
from netmodel.text import argument, percent_text
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIGA

if TYPE_CHECKING:
    from netmodel.path import SpecifiedPath, Traffic


_USUAL_WRITE_BYTES = 131_072
"""Default write size of iperf3 over TCP (128 KiB)."""


@dataclass(frozen=True, slots=True)
class _Load:
    """Load of a run on a path, and the bits that are judged for each bit of its payload."""

    traffic: "Traffic"
    stack: Stack
    mtu_bytes: int
    judged_ratio: float = 1.0


def _with_path_limits(
    measurement: Measurement, line: SpecifiedLine, of_line: RunLimits
) -> RunLimits:
    """
    The limits of a line, then those of every stage of its path that the run loads.

    They are those of the line alone where no path is specified. ContradictionError where measured
    limits of an adapter contradict each other or the line.
    """
    if line.path_over_it is None:
        return of_line
    from netmodel.path import predict_path
    from netmodel.path.stages import LINE_STAGES

    sender = Side.CLIENT if measurement.is_bidirectional else _sending(measurement)
    path = line.path_over_it.path(sender)
    notes = []
    load = _load(measurement, line, of_line)
    prediction = predict_path(path, load.traffic, load.mtu_bytes, load.stack)
    bits = BITS_PER_BYTE * load.traffic.payload_bytes * load.judged_ratio
    limits = []
    for limit in prediction.limits:
        if limit.name in LINE_STAGES or not isfinite(limit.rate.value):
            continue
        # where a hash spreads flows: from equally fast ones to the best case
        even_tps = limit.even_rate_tps
        value_tps = limit.rate.value if even_tps is None else even_tps
        low_tps = limit.rate.low if even_tps is None else min(even_tps, limit.rate.low)
        value, low, high = (
            float(bits * tps) for tps in (value_tps, low_tps, limit.highest_rate_tps)
        )
        limits.append(Limit(limit.name, value, low, high))
    sizes = (
        line.message_bytes,
        measurement.datagram_bytes,
        measurement.write_bytes,
        measurement.frame_rate_fps,
    )
    counts_messages = any(
        name == "per_message_s"
        for stage in path.stages
        if not stage.is_delay
        for name, _ in (*stage.to_server.named, *stage.to_client.named)
    )
    if counts_messages and not any(sizes):
        given = argument("payload_bytes", "--payload")
        notes.append(f"write size not known: {_USUAL_WRITE_BYTES} byte assumed ({given})")
    return replace(
        of_line,
        specified=(*of_line.specified, *limits),
        notes=(*of_line.notes, *notes, *prediction.limit_notes),
    )


def expected_rate(
    measurement: Measurement, line: SpecifiedLine, limits: RunLimits
) -> ExpectedRate | None:
    """
    What the path of a line makes one expect of a run of requests and responses.

    None of other runs, where the run does not report its messages or connections, and over a path
    that has bounds alone.
    """
    sizes = measurement.request_bytes, measurement.response_bytes
    count, measured_tps = measurement.stream_count, measurement.transaction_rate_tps
    has_all = line.path_over_it is not None and limits.ceiling is not None
    if not has_all or None in sizes or not any(sizes) or not count or not measured_tps:
        return None
    from netmodel.path import Traffic, predict_path

    assert line.path_over_it is not None
    assert limits.ceiling is not None
    traffic = Traffic(sizes[0] or 0, sizes[1] or 0, connection_count=count)
    path = line.path_over_it.path(traffic.sender)
    ceiling = limits.ceiling
    expected = predict_path(path, traffic, ceiling.mtu_bytes, ceiling.stack).expected
    if expected is None:
        return None
    rate = expected.transaction_rate_tps.numbers()
    return ExpectedRate(
        measured_tps=measured_tps, transaction_rate_tps=rate, assumption=expected.assumption
    )


def _sending(measurement: Measurement) -> Side:
    """The side whose payload was measured; the client's where the tool does not report it."""
    is_back = measurement.direction is Direction.SERVER_TO_CLIENT
    return Side.SERVER if is_back else Side.CLIENT


def _load(measurement: Measurement, line: SpecifiedLine, of_line: RunLimits) -> _Load:
    """Messages of the run, or frames of their mean length with a datagram in each."""
    if of_line.ceiling is None:
        wire_bytes = of_line.frame_wire_bytes or 0.0
        ip_version = line.ip_version or DEFAULT_IP_VERSION
        stack = line.stack or udp_stack(ip_version=ip_version, vlan_tags=line.vlan_tags)
        around_bytes = stack.wire_bytes(USUAL_MTU_BYTES, USUAL_MTU_BYTES) - USUAL_MTU_BYTES
        packet_bytes = max(round(wire_bytes - around_bytes), int(stack.minimum_mtu_bytes))
        datagram_bytes = int(stack.segment_bytes(packet_bytes))
        traffic = _traffic(measurement, datagram_bytes, shares_segments=False)
        mtu_bytes = max(packet_bytes, USUAL_MTU_BYTES)
        return _Load(traffic, stack, mtu_bytes, wire_bytes / datagram_bytes)
    single_bytes = measurement.datagram_bytes or line.message_bytes
    if of_line.transport == "rdma":
        single_bytes = single_bytes or measurement.write_bytes
    elif of_line.transport == "udp":
        # of unknown datagrams, the largest that fit a packet: the line bounds smaller ones
        single_bytes = single_bytes or int(of_line.ceiling.payload_bytes)
    message_bytes = single_bytes or measurement.write_bytes or _USUAL_WRITE_BYTES
    traffic = _traffic(measurement, message_bytes, shares_segments=single_bytes is None)
    return _Load(traffic, of_line.ceiling.stack, of_line.ceiling.mtu_bytes)


def _traffic(measurement: Measurement, message_bytes: int, shares_segments: bool) -> "Traffic":
    from netmodel.path import Traffic

    sizes = (message_bytes, 0) if _sending(measurement) is Side.CLIENT else (0, message_bytes)
    return Traffic(
        *sizes,
        connection_count=measurement.stream_count,
        waits=False,
        shares_segments=shares_segments,
    )


OF_CPUS = ("client_cpus", "server_cpus", "client_process", "server_process")
"""Names of limits that busy CPUs set."""
REPORTED_LIMITS = ("segment_size", "offered_rate", "window", "loss", *OF_CPUS)
"""Names of limits that a run may report about itself."""
BUSY_RATIO = 0.95
"""Share of the CPUs that counts as all: sampling and the ends of a run hide the rest."""
_FIRST_WITH_THREADS = (3, 16)
"""iperf3 before this version serves all streams with a single thread (release notes of 3.16)."""
_WITHOUT_THREADS = frozenset({"nuttcp"})
"""Tools that serve all streams with a single thread in every version."""
_VERSION_DIGITS = 4
"""Longer numbers are those of damaged files: int() refuses thousands of digits."""
_Host: TypeAlias = tuple[Side, SpecifiedHost, CpuUse | None]
"""One end: its specified host, and the reported CPU time of the whole host."""


def run_limits(measurement: Measurement, line: SpecifiedLine) -> RunLimits:
    """
    All known limits of a run.

    Parameters
    ----------
    measurement : Measurement
        The run.
    line : SpecifiedLine
        Line, path and hosts as specified by the user.

    Returns
    -------
    limits : RunLimits
        Specified: those of the line, the rate cap, those of the path, and CPUs
        whose number and cost are both specified. Reported: segment size,
        offered rate, window, loss, busy CPUs and busy processes, as far as the
        run reports them. A window and a round trip that are specified replace
        those of the run.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those specified, or measured
        limits of an adapter contradict each other or the line.
    NotJudgeableError
        If the run reports impossible packet sizes.
    DomainError
        If the line or its path cannot exist.

    Notes
    -----
    A host of :math:`N` CPUs at a cost of :math:`c` µs/Gbit moves
    :math:`10^6 N / c` Gbit/s. Where the cost is that of the run itself,
    :math:`N` CPUs move :math:`N / u` times the rate of :math:`u` busy ones: that
    explains a run whose CPUs were busy, and is no gate for its own cost.

    A TCP window applies over the mean round-trip time of the sender, queues
    included; the upper end is that over the smallest round trip. The largest
    advertised window is not available all the time: acknowledgements leave
    before the two segments that they acknowledge are read, and a sender may
    wait for half of a small window. Kernels double a requested socket buffer,
    and advertise between half and all of the double.

    Where a run is below that, its congestion window was larger, nothing was sent
    again and the specified limits allow more, the peer's window alone limited it:
    the range then begins at 0.92 of the value, less the share of the run in which
    ten segments double up to the window.

    Retransmits over segments are the share of loss events at most: one event may
    lose several segments, and some are sent again that were not lost. The
    smallest share is that of one event for each interval of the report with
    retransmits, or for each window of them. Reno and CUBIC slow down at each
    event (RFC 5681, RFC 9438); other congestion controls have no such limit.

    A sender that keeps to a rate writes whole blocks, so that its rate may be
    off by one of each stream over the run.

    References
    ----------
    RFC 6349, section 3.3.1; RFC 5681, section 4.2; RFC 9293, section
    3.8.6.2.1; socket(7), ``SO_RCVBUF``, and Linux
    ``Documentation/networking/ip-sysctl.rst``, ``tcp_adv_win_scale``. On an
    emulated line with delay (Linux 6.18), runs with buffers of 8 to 256 KiB
    reached 0.92 to 1.00 of the value, and windows were 0.98 to 1.41 of the
    requested size; with random loss of 1e-3 to 1e-2, Reno and CUBIC reached 0.77
    to 1.04 of their responses.
    """
    cases = [_with_path_limits(measurement, line, case) for case in line_cases(measurement, line)]
    limits = over_all_cases(cases)
    if limits.frame_wire_bytes is not None:
        if not line.has_line:
            raise NotJudgeableError(
                "the run counts frames and no payload, which a rate cap limits: specify "
                f"{argument('line_rate_bps', '--line-rate')}"
            )
        return limits
    # hosts that are specified, or whose CPU time is reported as a whole
    uses = {use.side: use for use in measurement.cpu if use.scope is CpuScope.SYSTEM}
    hosts = tuple(
        (side, host, uses.get(side))
        for side, host in ((Side.CLIENT, line.client), (Side.SERVER, line.server))
        if side in uses or host.cpu_count or host.us_per_gbit
    )
    specified = [*limits.specified] if line.has_line else []
    if line.rate_cap_bps is not None:
        specified.append(Limit("rate_cap", line.rate_cap_bps, carrier="the specified rate cap"))
    for side, host, _ in hosts:
        if host.cpu_count and host.us_per_gbit and not measurement.is_bidirectional:
            # N CPUs at c µs/Gbit: 10^6 N / c Gbit/s
            rate_bps = host.cpu_count * us_per_gbit_to_gbps_per_core(host.us_per_gbit) * GIGA
            carrier = f"the {side.value}'s CPU budget of {host.cpu_count} CPUs at the given cost"
            specified.append(Limit(f"{side.value}_cpu_budget", rate_bps, carrier=carrier))
    of_transport: tuple[Limit, ...] = ()
    if limits.transport in ("tcp", None):
        segment_bytes = measurement.segment_bytes
        if segment_bytes is None and limits.ceiling is not None:
            segment_bytes = limits.ceiling.segment_bytes
        known = measurement, line, segment_bytes
        specified_bps = min(limit.value_bps for limit in specified)
        of_transport = (*window_limit(*known, specified_bps), *loss_limit(*known))
    reported = (
        *(limits.reported if line.has_line else ()),
        *_offered(measurement),
        *of_transport,
        *_busy_cpus(measurement, hosts),
    )
    names = {limit.name for limit in specified}
    reported = tuple(limit for limit in reported if limit.name not in names)
    notes = (
        *limits.notes,
        *transport_notes(measurement, line, of_transport),
        *_notes(measurement, hosts),
    )
    return RunLimits(
        line_rate_bps=limits.line_rate_bps,
        specified=tuple(specified),
        reported=reported,
        ceiling=limits.ceiling if line.has_line else None,
        transport=limits.transport,
        notes=notes,
        unknown=limits.unknown if line.has_line else (),
        exceeds_mtu=limits.exceeds_mtu and line.has_line,
        round_trip_s=line.round_trip_s or measurement.round_trip_s,
        is_one_host=_stays_in_one_host(line.path),
    )


_UNKNOWN_LINE = "rate of the line"
"""Entry under `unknown` of a record whose hosts have a line between them, at an unknown rate."""


def _stays_in_one_host(path: "SpecifiedPath | None") -> bool:
    """Whether a recorded path has no adapter and no line, such as one between two guests."""
    if path is None or path.record is None or path.own_line_rate_bps is not None:
        return False
    if _UNKNOWN_LINE in path.record.unknown:
        return False
    from netmodel.records.stages import StageKind

    return all(stage.kind is not StageKind.LINK for stage in path.record.stages)


def _offered(measurement: Measurement) -> Iterator[Limit]:
    offered_bps = measurement.offered_rate_bps
    if not offered_bps:
        return
    block_bytes = measurement.datagram_bytes or measurement.write_bytes or 0
    count = measurement.stream_count or 1
    moved_bits = count * block_bytes * BITS_PER_BYTE
    off_bps = moved_bits / measurement.duration_s if measurement.duration_s else 0.0
    ends_bps = max(0.0, offered_bps - off_bps), offered_bps + off_bps
    yield Limit("offered_rate", offered_bps, *ends_bps, carrier="the rate limit of the sender")


def _busy_cpus(measurement: Measurement, hosts: tuple[_Host, ...]) -> Iterator[Limit]:
    """Rate of all CPUs of a host, and of the threads of the tool, at the cost of this run."""
    goodput_bps = measurement.goodput_bps
    if not goodput_bps:
        return
    for side, host, use in hosts:
        count = host.cpu_count or (use and use.installed_cpu_count)
        if count and use and use.busy_cpu_count:
            # N CPUs move N / u times the rate of u busy ones
            busy_ratio = use.busy_cpu_count / count
            rate_bps = goodput_bps / busy_ratio
            carrier = (
                f"the {side.value}'s host, {percent_text(busy_ratio, 3)} of its {count} CPUs busy"
            )
            yield Limit(f"{side.value}_cpus", rate_bps, BUSY_RATIO * rate_bps, rate_bps, carrier)
    threads = _thread_count(measurement)
    for use in measurement.cpu:
        if use.scope is not CpuScope.PROCESS or not threads:
            continue
        # a process with more busy CPUs than threads has others, whose number is not known
        if BUSY_RATIO <= use.busy_cpu_count / threads <= 1 / BUSY_RATIO:
            rate_bps = goodput_bps * threads / use.busy_cpu_count
            carrier = (
                f"the process of {measurement.tool} at the {use.side.value} with "
                f"{use.busy_cpu_count:.3g} busy CPUs"
            )
            ends_bps = BUSY_RATIO * rate_bps, max(rate_bps, goodput_bps)
            yield Limit(f"{use.side.value}_process", rate_bps, *ends_bps, carrier)


def _thread_count(measurement: Measurement) -> int | None:
    """Threads that move the data at each end, of both directions; None where not known."""
    if measurement.tool in _WITHOUT_THREADS:
        return 1
    if measurement.tool == "iperf3" and measurement.tool_version:
        numbers = measurement.tool_version.split(".")[:2]
        is_number = all(each.isdecimal() and len(each) <= _VERSION_DIGITS for each in numbers)
        if is_number and tuple(map(int, numbers)) < _FIRST_WITH_THREADS:
            return 1
    # one for each stream in each direction
    count = measurement.stream_count
    return 2 * count if count and measurement.is_bidirectional else count


def _notes(measurement: Measurement, hosts: tuple[_Host, ...]) -> Iterator[str]:
    for side, host, use in hosts:
        name = side.value
        if host.us_per_gbit and measurement.is_bidirectional:
            yield f"{name}: a cost of both directions together sets no limit to one direction"
        elif host.us_per_gbit and not host.cpu_count:
            yield f"{name}: a cost sets a limit only with a number of CPUs (--{name}-cpus)"
        elif host.cpu_count and not (host.us_per_gbit or use):
            yield f"{name}: CPUs set a limit only with a cost (--{name}-cost)"
