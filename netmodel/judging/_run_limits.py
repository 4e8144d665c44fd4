"""All limits of a run: those that the user specified, and those that the run itself reports."""

from collections.abc import Iterator
from typing import TypeAlias

from netmodel.consumption import CpuScope, Side, us_per_gbit_to_gbps_per_core
from netmodel.judging._limits import Limit, RunLimits, over_all_cases
from netmodel.judging._line_limits import line_cases
from netmodel.judging._path_limits import with_path_limits
from netmodel.judging._stated_line import StatedHost, StatedLine
from netmodel.readers import CpuUse, Measurement
from netmodel.transport import window_payload_rate_bps
from netmodel.units import BITS_PER_BYTE

__all__ = ["REPORTED_LIMITS", "run_limits"]

REPORTED_LIMITS = (
    *("segment_size", "offered_rate", "window"),
    *("client_cpus", "server_cpus", "client_process", "server_process"),
)
"""Names of limits that a run may report about itself."""
SEGMENTS_PER_ACK = 2
"""Segments that one acknowledgement answers (RFC 5681); it is sent before they are read."""
LEAST_USABLE_RATIO = 0.5
"""Share of the largest window that a sender may wait for (RFC 9293, section 3.8.6.2.1)."""
WINDOW_OF_BUFFER_RATIOS = (0.5, 2.0)
"""Window over the socket buffer asked for: Linux doubles it, and keeps some of it for itself."""
BUSY_RATIO = 0.95
"""Share of the CPUs that counts as all of them: sampling and the edges of a run hide the rest."""
_FIRST_WITH_THREADS = (3, 16)
"""iperf3 before this version serves all streams with a single thread (release notes of 3.16)."""
_GIGA = 1e9
_Host: TypeAlias = tuple[Side, StatedHost, CpuUse | None]
"""One end: what is specified of its host, and the CPU time that is reported of all of it."""


def run_limits(measurement: Measurement, stated: StatedLine) -> RunLimits:
    """
    All limits that are known of a run.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    stated : StatedLine
        What the user says of the line, its path and its hosts.

    Returns
    -------
    limits : RunLimits
        Specified: those of the line, the rate cap, those of the path, and CPUs
        whose number and cost are both specified. Reported: segment size,
        offered rate, window, busy CPUs and busy processes, as far as the run
        reports them.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those specified, or limits
        that were seen on an adapter, or it and the line, cannot be true
        together.
    NotJudgeableError
        If the run reports sizes of packets that cannot be.
    DomainError
        If the line or its path cannot exist.

    Notes
    -----
    A host of :math:`N` CPUs that takes :math:`c` µs of them for a Gbit moves
    :math:`10^6 N / c` Gbit/s. Where the cost is that of the run itself,
    :math:`N` CPUs move :math:`N / u` times what :math:`u` busy ones did: that
    explains a run whose CPUs were busy, and is no gate for its own cost.

    A window of TCP counts over the mean round trip that the sender saw, queues
    included. While the round trip was shorter, the window let more through: the
    upper end is what it allows over the smallest. The largest that the peer
    advertised is not there all the time: acknowledgements leave before the two
    segments that they answer are read, and a sender may wait for half of a
    small window. Of a socket buffer that was asked for, kernels advertise
    between a half and the whole of the double that they make of it.

    A sender that keeps to a rate writes whole blocks, so that its rate may be
    off by one of each stream over the run.

    References
    ----------
    RFC 6349, section 3.3.1; RFC 5681, section 4.2; RFC 9293, section
    3.8.6.2.1; socket(7), ``SO_RCVBUF``, and Linux
    ``Documentation/networking/ip-sysctl.rst``, ``tcp_adv_win_scale``. On an
    emulated line with delay (Linux 6.18), runs with buffers of 8 to 256 KiB
    reached 0.92 to 1.00 of the value, and windows were 0.98 to 1.41 of what was
    asked for.
    """
    cases = [with_path_limits(measurement, stated, one) for one in line_cases(measurement, stated)]
    limits = over_all_cases(cases)
    if limits.frame_wire_bytes is not None:
        return limits
    hosts = tuple(_hosts(measurement, stated))
    specified = (*limits.specified, *_cap(stated), *_cpu_budgets(measurement, hosts))
    reported = (
        *limits.reported,
        *_offered(measurement),
        *(_window(measurement, stated) if limits.transport in ("tcp", None) else ()),
        *_busy_cpus(measurement, hosts),
        *_busy_processes(measurement),
    )
    names = {limit.name for limit in specified}
    reported = tuple(limit for limit in reported if limit.name not in names)
    warnings = (*limits.warnings, *_warnings(measurement, hosts))
    return RunLimits(
        line_rate_bps=limits.line_rate_bps,
        specified=specified,
        reported=reported,
        ceiling=limits.ceiling,
        transport=limits.transport,
        warnings=warnings,
        unknown=limits.unknown,
        exceeds_mtu=limits.exceeds_mtu,
    )


def _cap(stated: StatedLine) -> Iterator[Limit]:
    if stated.rate_cap_bps is not None:
        yield Limit("rate_cap", stated.rate_cap_bps, carrier="the specified rate cap")


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


def _window(measurement: Measurement, stated: StatedLine) -> Iterator[Limit]:
    """What the windows let be under way, over the round trip that the run saw with it."""
    round_trip_s = stated.round_trip_s or measurement.round_trip_s
    bounds_bytes = _window_bounds_bytes(measurement)
    if not round_trip_s or bounds_bytes is None:
        return
    least_s = stated.round_trip_s or measurement.least_round_trip_s or round_trip_s
    trips_s = (round_trip_s, round_trip_s, min(least_s, round_trip_s))
    value_bps, low_bps, high_bps = (
        float(window_payload_rate_bps(*each)) for each in zip(bounds_bytes, trips_s, strict=True)
    )
    carrier = _window_in_words(measurement, trips_s[2], round_trip_s)
    yield Limit("window", value_bps, low_bps, high_bps, carrier)


def _window_bounds_bytes(measurement: Measurement) -> tuple[float, float, float] | None:
    """Largest windows of all connections: their value, lowest and highest."""
    count = measurement.stream_count or 1
    advertised_bytes = measurement.peer_window_bytes
    if advertised_bytes:
        unread_bytes = SEGMENTS_PER_ACK * count * (measurement.segment_bytes or 0)
        least_bytes = max(advertised_bytes - unread_bytes, LEAST_USABLE_RATIO * advertised_bytes)
        return advertised_bytes, least_bytes, advertised_bytes
    if not measurement.socket_buffer_bytes:
        return None
    asked_bytes = count * measurement.socket_buffer_bytes
    low_ratio, high_ratio = WINDOW_OF_BUFFER_RATIOS
    return asked_bytes, low_ratio * asked_bytes, high_ratio * asked_bytes


def _window_in_words(measurement: Measurement, least_s: float, mean_s: float) -> str:
    trip = f"{1e3 * mean_s:.4g} ms"
    if least_s < mean_s:
        trip = f"{1e3 * least_s:.4g} to {trip}"
    if measurement.peer_window_bytes:
        window = f"window of {measurement.peer_window_bytes} byte that the peer advertised"
    else:
        window = f"socket buffers of {measurement.socket_buffer_bytes} byte"
    return f"its {window} over a round trip of {trip}"


def _hosts(measurement: Measurement, stated: StatedLine) -> Iterator[_Host]:
    """Each host of which anything is specified, or whose CPU time is reported whole."""
    reported = {use.side: use for use in measurement.cpu if use.scope is CpuScope.SYSTEM}
    for side, host in ((Side.CLIENT, stated.client), (Side.SERVER, stated.server)):
        use = reported.get(side)
        if use or host.cpu_count or host.us_per_gbit:
            yield side, host, use


def _cpu_budgets(measurement: Measurement, hosts: tuple[_Host, ...]) -> Iterator[Limit]:
    """What specified CPUs move at a specified cost."""
    for side, host, _ in hosts:
        if host.cpu_count and host.us_per_gbit and not measurement.is_bidirectional:
            rate_bps = host.cpu_count * us_per_gbit_to_gbps_per_core(host.us_per_gbit) * _GIGA
            carrier = f"the {side.value}'s CPU budget of {host.cpu_count} CPUs at the given cost"
            yield Limit(f"{side.value}_cpu_budget", rate_bps, carrier=carrier)


def _busy_cpus(measurement: Measurement, hosts: tuple[_Host, ...]) -> Iterator[Limit]:
    """What all CPUs of a host would move at the cost of this very run."""
    for side, host, use in hosts:
        count = host.cpu_count or (use and use.installed_cpu_count)
        if count and use and use.busy_cpu_count and measurement.goodput_bps:
            busy_ratio = use.busy_cpu_count / count
            rate_bps = measurement.goodput_bps / busy_ratio
            carrier = f"the {side.value}'s host, {100 * busy_ratio:.3g} % of its {count} CPUs busy"
            yield Limit(f"{side.value}_cpus", rate_bps, BUSY_RATIO * rate_bps, rate_bps, carrier)


def _busy_processes(measurement: Measurement) -> Iterator[Limit]:
    """What the threads of the tool would move at the cost of this very run."""
    threads = _thread_count(measurement)
    for use in measurement.cpu:
        is_busy = use.scope is CpuScope.PROCESS and use.busy_cpu_count >= BUSY_RATIO * threads
        if is_busy and measurement.goodput_bps:
            rate_bps = measurement.goodput_bps * threads / use.busy_cpu_count
            carrier = (
                f"the process of {measurement.tool} at the {use.side.value}, which kept "
                f"{use.busy_cpu_count:.3g} CPUs busy"
            )
            ends_bps = BUSY_RATIO * rate_bps, max(rate_bps, measurement.goodput_bps)
            yield Limit(f"{use.side.value}_process", rate_bps, *ends_bps, carrier)


def _thread_count(measurement: Measurement) -> int:
    """Threads of the tool: one for each stream, or a single one in old versions of iperf3."""
    if measurement.tool == "iperf3" and measurement.tool_version:
        numbers = measurement.tool_version.split(".")[:2]
        is_known = all(number.isdecimal() for number in numbers)
        if is_known and tuple(map(int, numbers)) < _FIRST_WITH_THREADS:
            return 1
    return measurement.stream_count or 1


def _warnings(measurement: Measurement, hosts: tuple[_Host, ...]) -> Iterator[str]:
    for side, host, use in hosts:
        name = side.value
        if host.us_per_gbit and measurement.is_bidirectional:
            yield f"{name}: a cost of both directions together sets no limit to one of them"
        elif host.us_per_gbit and not host.cpu_count:
            yield f"{name}: a cost sets a limit only with a number of CPUs (--{name}-cpus)"
        elif host.cpu_count and not (host.us_per_gbit or use):
            yield f"{name}: CPUs set a limit only with a cost (--{name}-cost)"
