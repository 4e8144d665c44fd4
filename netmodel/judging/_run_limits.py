"""All limits of a run: of its line and path, and those that only the run itself tells."""

from collections.abc import Iterator
from typing import TypeAlias

from netmodel.consumption import CpuScope, Side, us_per_gbit_to_gbps_per_core
from netmodel.judging._limits import Limit, LineLimits
from netmodel.judging._line_limits import line_limits
from netmodel.judging._path_limits import with_path_limits
from netmodel.judging._stated_line import StatedHost, StatedLine
from netmodel.readers import CpuUse, Measurement
from netmodel.transport import window_payload_rate_bps

__all__ = ["run_limits"]

SEGMENTS_PER_ACK = 2
"""Segments that one acknowledgement answers (RFC 5681); it is sent before they are read."""
LEAST_USABLE_RATIO = 0.5
"""Share of the largest window that a sender may wait for (RFC 9293, section 3.8.6.2.1)."""
WINDOW_OF_BUFFER_RATIOS = (0.5, 2.0)
"""Window over the socket buffer asked for: Linux doubles it, and keeps some of it for itself."""
_GIGA = 1e9
_Host: TypeAlias = tuple[Side, StatedHost, CpuUse | None]
"""One end: what is stated of its host, and the CPU time that is told of all of it."""


def run_limits(measurement: Measurement, stated: StatedLine) -> LineLimits:
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
    limits : LineLimits
        Those of the line first, then those of the path, then the window, the
        rate that was offered and the CPUs of both hosts, as far as they are
        known.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those stated, or limits
        that were seen on an adapter, or it and the line, cannot be true
        together.
    NotJudgeableError
        If neither the user nor the run tells the size of a packet.
    DomainError
        If the line or its path cannot exist.

    Notes
    -----
    A host of :math:`N` CPUs that takes :math:`c` µs of them for a Gbit moves
    :math:`10^6 N / c` Gbit/s. Where no cost is stated, it is that of the run
    itself, if the CPU time of the whole host is known: :math:`N` CPUs then move
    :math:`N / u` times what :math:`u` busy ones did.

    A window of TCP counts over the mean round trip that the sender saw, queues
    included. While the round trip was shorter, the window let more through: the
    most is what it allows over the smallest. The largest that the peer
    advertised is not there all the time: acknowledgements leave before the two
    segments that they answer are read, and a sender may wait for half of a
    small window.
    Of a socket buffer that was asked for, kernels advertise between a half and
    the whole of the double that they make of it.

    References
    ----------
    RFC 6349, section 3.3.1; RFC 5681, section 4.2; RFC 9293, section
    3.8.6.2.1; socket(7), ``SO_RCVBUF``,
    and Linux ``Documentation/networking/ip-sysctl.rst``,
    ``tcp_adv_win_scale``. On an emulated line with delay (Linux 6.18), runs
    with buffers of 8 to 256 KiB reached 0.92 to 1.00 of the value, and windows
    were 0.98 to 1.41 of what was asked for.
    """
    limits = with_path_limits(measurement, stated, line_limits(measurement, stated))
    if limits.frame_wire_bytes is not None:
        return limits
    known = {limit.name for limit in limits.limits}
    window = _window(measurement, stated) if limits.transport == "tcp" else ()
    hosts = tuple(_hosts(measurement, stated))
    own = (*_offered(measurement), *window, *_cpus(measurement, hosts))
    warnings = (*limits.warnings, *_warnings(measurement, hosts))
    fresh = tuple(limit for limit in own if limit.name not in known)
    return LineLimits((*limits.limits, *fresh), limits.ceiling, warnings)


def _offered(measurement: Measurement) -> Iterator[Limit]:
    if measurement.offered_rate_bps:
        carrier = "the rate limit of the sender"
        yield Limit("offered_rate", measurement.offered_rate_bps, carrier=carrier)


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
    yield Limit("window", value_bps, low_bps, high_bps, _window_in_words(measurement, round_trip_s))


def _window_bounds_bytes(measurement: Measurement) -> tuple[float, float, float] | None:
    """Largest windows of all connections: their value, least and most."""
    count = measurement.stream_count or 1
    told_bytes = measurement.peer_window_bytes
    if told_bytes:
        unread_bytes = SEGMENTS_PER_ACK * count * (measurement.segment_bytes or 0)
        least_bytes = max(told_bytes - unread_bytes, LEAST_USABLE_RATIO * told_bytes)
        return told_bytes, least_bytes, told_bytes
    if not measurement.socket_buffer_bytes:
        return None
    asked_bytes = count * measurement.socket_buffer_bytes
    low_ratio, high_ratio = WINDOW_OF_BUFFER_RATIOS
    return asked_bytes, low_ratio * asked_bytes, high_ratio * asked_bytes


def _window_in_words(measurement: Measurement, round_trip_s: float) -> str:
    over = f"over a round trip of {1e3 * round_trip_s:.4g} ms"
    if measurement.peer_window_bytes:
        return f"the window of {measurement.peer_window_bytes} byte that the peer advertised {over}"
    return f"a window from socket buffers of {measurement.socket_buffer_bytes} byte {over}"


def _hosts(measurement: Measurement, stated: StatedLine) -> Iterator[_Host]:
    """Each host of which anything is stated, or whose CPU time is told whole."""
    told = {use.side: use for use in measurement.cpu if use.scope is CpuScope.SYSTEM}
    for side, host in ((Side.CLIENT, stated.client), (Side.SERVER, stated.server)):
        use = told.get(side)
        if use or host.cpu_count or host.us_per_gbit:
            yield side, host, use


def _cpus(measurement: Measurement, hosts: tuple[_Host, ...]) -> Iterator[Limit]:
    for side, host, use in hosts:
        count = host.cpu_count or (use and use.installed_cpu_count)
        if not count:
            continue
        name, carrier = f"{side.value}_cpus", f"the {side.value}'s host with {count} CPUs"
        if host.us_per_gbit and measurement.is_bidirectional:
            continue
        if host.us_per_gbit:
            rate_bps = count * us_per_gbit_to_gbps_per_core(host.us_per_gbit) * _GIGA
            yield Limit(name, rate_bps, carrier=carrier)
        elif use and use.busy_cpu_count and measurement.goodput_bps:
            rate_bps = measurement.goodput_bps * count / use.busy_cpu_count
            yield Limit(name, rate_bps, carrier=carrier)


def _warnings(measurement: Measurement, hosts: tuple[_Host, ...]) -> Iterator[str]:
    for side, host, use in hosts:
        if host.us_per_gbit and not (host.cpu_count or (use and use.installed_cpu_count)):
            yield f"{side.value}: a cost is stated, but not of how many CPUs: no limit follows"
        elif host.us_per_gbit and measurement.is_bidirectional:
            yield f"{side.value}: the cost of both directions sets no limit to one of them"
        if host.cpu_count and not (host.us_per_gbit or use):
            yield f"{side.value}: CPUs are stated, but not what a Gbit costs: no limit follows"
