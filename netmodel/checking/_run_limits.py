"""All limits of a run: specified by the user, and reported by the run itself."""

import re
from collections.abc import Iterator
from dataclasses import replace

from netmodel.checking._line_limits import specified_limits
from netmodel.checking.limits import Limit, RunLimits, SpecifiedLine
from netmodel.checking.tolerance import slow_start_ratio
from netmodel.estimates import ABOUT_RATIO
from netmodel.readers import Measurement
from netmodel.text import argument, percent_text
from netmodel.transport import (
    cubic_payload_rate_bps,
    mathis_payload_rate_bps,
    pftk_received_rate_bps,
    retransmission_timeout_s,
    window_payload_rate_bps,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import MS_PER_S

BUSY_RATIO = 0.95
"""Share of the CPUs that counts as all: sampling and the ends of a run hide the rest."""
NEARLY_BUSY_RATIO = 0.8
"""Share of a CPU from which on a thread may be limited by it: interrupts that take the rest count
elsewhere. Single streams with loss had an iperf3 process at 0.8 or more in 48 of 51 public runs."""
OTHER_THREADS = 0.5
"""CPUs that a process may use beside the threads that move its data: a thread that starts and
reports took up to 0.33 in public runs of single streams."""
_S_PER_MOVE = 12e-6
"""CPU time of a slow core for a frame or a write. [s]"""
_LEAST_NEED_CPUS = 0.25
"""A run that needs less is given it, however busy other work keeps the CPUs: with four processes
on each of them, each gets a quarter."""
WIDEST_FACTOR = 3.0
"""High over low end of a range that still explains a rate."""
SEGMENTS_PER_ACK = 2
"""Segments that one acknowledgement answers (RFC 5681); it is sent before they are read."""
LEAST_USABLE_RATIO = 0.5
"""Share of the largest window that a sender may wait for (RFC 9293, section 3.8.6.2.1)."""
LEAST_FILLED_RATIO = 0.92
"""Share of the largest window that is in flight on average where nothing else limits: runs on an
emulated line were at 0.92 to 1.00 of it, slow start left out."""
MOST_STARTING_RATIO = 0.5
"""A run that is in slow start for longer shows no window."""
WINDOW_OF_BUFFER_RATIOS = (0.75, 2.0)
"""Window over the requested socket buffer: Linux doubles it, and keeps a part for overhead."""
_RESPONSE_RATIOS = (0.7, 2.0)
"""Ratios of a run to its response: of 5 s on an emulated line, 28 of 32 runs with random loss were
at 0.79 to 1.67 of it, and 12 through a queue that overflowed at 2.8 to 74."""
_FEWEST_EVENTS = 3
"""Fewer are a chance, not a rate: on an emulated line, runs with four were within a factor 1.5."""
MOST_OF_MEAN_WINDOW = 2.0
"""Largest congestion window over the mean: a sender halves its window at a loss (RFC 5681), and
starts again no higher than it was."""
_FIRST_WITH_THREADS = (3, 16)
"""iperf3 before this version serves all streams with a single thread (release notes of 3.16)."""
_RESPONSES = {
    **dict.fromkeys(("reno", "newreno"), (mathis_payload_rate_bps, mathis_payload_rate_bps)),
    "cubic": (cubic_payload_rate_bps, cubic_payload_rate_bps),
    "": (mathis_payload_rate_bps, cubic_payload_rate_bps),
}
"""Lower and upper response to loss of each congestion control that slows down at every loss event;
of one that is not reported, those of the two that kernels have by default."""


def run_limits(run: Measurement, line: SpecifiedLine) -> RunLimits:
    """
    Return all known limits of a run.

    Parameters
    ----------
    run : Measurement
        The run.
    line : SpecifiedLine
        Line and path as specified by the user.

    Returns
    -------
    limits : RunLimits
        Specified: those of the line, of the path, and of capacities. Reported: segment size,
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

    Notes
    -----
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

    Retransmits over segments are the share of loss events where losses are
    isolated, as on a path that drops at random. Reno and CUBIC slow down at each
    event (RFC 5681, RFC 9438) and reach their response within a factor of 1.5;
    many losses together, as from a full queue, let more through. The lower end
    has timeouts too (PFTK). Other congestion controls have no such limit.

    A sender that keeps to a rate writes whole blocks, so that its rate may be
    off by one of each stream over the run.

    References
    ----------
    RFC 6349, section 3.3.1; RFC 5681, section 4.2; RFC 9293, section
    3.8.6.2.1; socket(7), ``SO_RCVBUF``, and Linux
    ``Documentation/networking/ip-sysctl.rst``, ``tcp_adv_win_scale``. On an
    emulated line with delay (Linux 6.18), runs with buffers of 8 to 256 KiB
    reached 0.92 to 1.00 of the value, and windows were 0.98 to 1.41 of the
    requested size.
    """
    limits = specified_limits(run, line)
    notes = [*limits.notes]
    window = loss = None
    if limits.transport in ("tcp", None):
        window, loss = _window_limit(run, limits), loss_limit(run, limits)
        if line.window_bytes and window is None:
            rtt = argument("rtt_s", "--rtt")
            notes.append(f"the specified window sets a limit only with a round trip ({rtt})")
        elif window and (line.own_round_trips_s[1] or line.window_bytes) and run.goodput_bps:
            excess = run.goodput_bps / window.bounds_bps[1]
            allowed = f"goodput is {excess:.3g} times what the window allows over the round trip"
            notes += [f"{allowed}: one is wrong"] * (excess > 1 + ABOUT_RATIO)
    reported = (*limits.reported, *_offered(run), window, loss, *_busy_cpus(run))
    # a window of the path goes before that of the run
    names = {limit.name for limit in limits.specified}
    kept = (limit for limit in reported if limit and limit.name not in names)
    return replace(limits, reported=tuple(kept), notes=tuple(notes))


def _offered(run: Measurement) -> Iterator[Limit]:
    if offered_bps := run.traffic.offered_rate_bps:
        block_bytes = run.traffic.datagram_bytes or run.traffic.write_bytes or 0
        moved_bits = (run.stream_count or 1) * block_bytes * BITS_PER_BYTE
        off_bps = moved_bits / run.duration_s if run.duration_s else 0.0
        ends_bps = max(0.0, offered_bps - off_bps), offered_bps + off_bps
        yield Limit("offered_rate", offered_bps, *ends_bps, carrier="the rate limit of the sender")


def _window_limit(run: Measurement, limits: RunLimits) -> Limit | None:
    """Return the windows of all connections over the round-trip time; None where not known."""
    line, count = limits.line, run.stream_count or limits.line.connection_count or 1
    least_s, round_trip_s, most_s = line.round_trips_s(run)
    window_bytes, whose = run.tcp.peer_window_bytes or 0.0, "advertised"
    if line.window_bytes:
        window_bytes, whose = count * line.window_bytes, "specified"
    window = f"{whose} window of {window_bytes:.0f} byte" + f" of {count} streams" * (count > 1)
    if not round_trip_s or not (window_bytes or run.traffic.socket_buffer_bytes):
        return None
    if window_bytes:
        # segments that are acknowledged before they are read still fill the window
        unread_bytes = SEGMENTS_PER_ACK * count * (limits.segment_bytes(run) or 0)
        value_bytes = high_bytes = window_bytes
        low_bytes = max(window_bytes - unread_bytes, LEAST_USABLE_RATIO * window_bytes)
    else:
        value_bytes = count * (run.traffic.socket_buffer_bytes or 0.0)
        low_bytes, high_bytes = (ratio * value_bytes for ratio in WINDOW_OF_BUFFER_RATIOS)
        window = f"socket buffers of {run.traffic.socket_buffer_bytes} byte"
    ends = (value_bytes, round_trip_s), (low_bytes, most_s), (high_bytes, least_s)
    value_bps, low_bps, high_bps = (float(window_payload_rate_bps(*each)) for each in ends)
    carrier = f"its {window} over a round trip of {MS_PER_S * round_trip_s:.4g} ms"
    is_rate = run.tool == "rate"  # which refutes neither
    is_smaller = is_rate or (run.tcp.congestion_window_bytes or 0) > value_bytes
    is_only = value_bps < limits.smallest.value_bps and (is_rate or run.tcp.retransmit_count == 0)
    # the share of the run in which congestion windows grow to the peer's
    starting_ratio, _ = slow_start_ratio(run, value_bps, run.duration_s, round_trip_s)
    if window_bytes and is_smaller and is_only and starting_ratio <= MOST_STARTING_RATIO:
        low_bps = min(low_bps, LEAST_FILLED_RATIO * (1 - starting_ratio) * value_bps)
    return Limit("window", value_bps, low_bps, high_bps, carrier)


def loss_limit(
    run: Measurement, limits: RunLimits, fewest_events: int = _FEWEST_EVENTS
) -> Limit | None:
    """
    Return the rate of loss-based congestion control where each retransmit was a loss of its own.

    None where the run does not report what it rests on, or where fewer events are certain.
    """
    segment_bytes = limits.segment_bytes(run)
    count = run.stream_count or limits.line.connection_count or 1
    sent_count = sent_segment_count(run, segment_bytes)
    responses = _RESPONSES.get((run.tcp.congestion_control or "").lower())
    again, goodput_bps = run.tcp.retransmit_count, run.goodput_bps
    _, trip_s, _ = limits.line.round_trips_s(run)
    if not (responses and again and sent_count and trip_s and segment_bytes and goodput_bps):
        return None
    # at least one event in each interval with retransmits, and no event lost more than a window
    mean_window = goodput_bps * trip_s / BITS_PER_BYTE / segment_bytes / count
    most_window = max(1.0, MOST_OF_MEAN_WINDOW * mean_window)
    if max(run.tcp.lossy_interval_count or 1, again / most_window) < fewest_events:
        return None
    ratio = again / sent_count
    low_bps, high_bps = (count * float(each(segment_bytes, trip_s, ratio)) for each in responses)
    timeout_s = retransmission_timeout_s(trip_s)
    timed_out_bps = count * pftk_received_rate_bps(segment_bytes, trip_s, timeout_s, ratio)
    most_bps = _RESPONSE_RATIOS[1] * high_bps
    # timeouts count as far as they leave a range that explains something
    least_bps = min(_RESPONSE_RATIOS[0] * low_bps, max(timed_out_bps, most_bps / WIDEST_FACTOR))
    segments = f"{again} of {sent_count:,.0f} segments retransmitted"
    carrier = f"loss, {segments} over a round trip of {MS_PER_S * trip_s:.4g} ms"
    return Limit("loss", low_bps, least_bps, most_bps, carrier)


def holds_in_part(run: Measurement, name: str) -> bool:
    """
    Return whether a window or losses held a run back for a part of it only, if at all.

    Losses did where fewer than half of the intervals have some that as many single ones would hit:
    they came together. Intervals last a second, as tools print them. A window did where losses
    halved a congestion window that was less than twice as large.
    """
    tcp, streams = run.tcp, run.stream_count or 1
    lossy_count, congestion_bytes = tcp.lossy_interval_count or 0.0, tcp.congestion_window_bytes
    if name == "window" and congestion_bytes and lossy_count >= _FEWEST_EVENTS * streams:
        return congestion_bytes < MOST_OF_MEAN_WINDOW * (tcp.peer_window_bytes or 0.0)
    hit_count = min(tcp.retransmit_count or 0, streams * (run.duration_s or 0.0))
    return name == "loss" and 0 < lossy_count < hit_count / 2


def sent_segment_count(run: Measurement, segment_bytes: float | None) -> float | None:
    """Return the segments sent, with retransmissions; None where not known, or none was."""
    received_bytes: float | None = run.counted.received_bytes
    if received_bytes is None and run.goodput_bps and run.duration_s:
        received_bytes = run.goodput_bps * run.duration_s / BITS_PER_BYTE
    if not (received_bytes and segment_bytes and run.tcp.retransmit_count):
        return None
    return received_bytes / segment_bytes + run.tcp.retransmit_count


def _busy_cpus(run: Measurement) -> Iterator[Limit]:
    """Yield the rate of all CPUs of a host, and of the tool's threads, at the cost of this run."""
    goodput_bps, threads = run.goodput_bps or 0.0, _thread_count(run)
    for use in run.cpu if goodput_bps else ():
        side, busy_count, count = use.side.value, use.busy_cpu_count, use.installed_cpu_count
        if use.scope == "system" and count and busy_count:
            # N CPUs move N / u times the rate of u busy ones
            rate_bps = goodput_bps * count / busy_count
            busy = f"{percent_text(busy_count / count, 3)} of its {count} CPUs busy"
            carrier = f"the {side}'s host, {busy}"
            yield Limit(f"{side}_cpus", rate_bps, BUSY_RATIO * rate_bps, rate_bps, carrier)
        # a process with more busy CPUs has other threads, whose number is not known
        most_count = threads + OTHER_THREADS if threads and use.scope == "process" else 0.0
        if threads and NEARLY_BUSY_RATIO * threads <= busy_count <= most_count:
            rate_bps = goodput_bps * threads / busy_count
            carrier = f"the process of {run.tool} at the {side} with {busy_count:.3g} busy CPUs"
            # one that is nearly busy is named, and explains nothing alone
            least_ratio = BUSY_RATIO if busy_count >= BUSY_RATIO * threads else 1
            ends_bps = rate_bps * least_ratio, max(rate_bps, goodput_bps)
            yield Limit(f"{side}_process", rate_bps, *ends_bps, carrier)


def needs_cpus(run: Measurement) -> bool:
    """Return whether frames and writes need so much CPU time that other work can slow them."""
    sizes_bytes = run.traffic.segment_bytes or run.traffic.datagram_bytes, run.traffic.write_bytes
    moves_hz = sum((run.goodput_bps or 0.0) / BITS_PER_BYTE / x for x in sizes_bytes if x)
    return moves_hz * _S_PER_MOVE >= _LEAST_NEED_CPUS or not any(sizes_bytes)


def _thread_count(run: Measurement) -> int | None:
    """Return how many threads move data at each end, both directions; None where not known."""
    version = re.match(r"(\d{1,4})\.(\d{1,4})(?!\d)", run.file.tool_version or "")
    is_old = version and tuple(map(int, version.groups())) < _FIRST_WITH_THREADS
    # nuttcp serves all streams with a single thread in every version
    if run.tool == "nuttcp" or (run.tool == "iperf3" and is_old):
        return 1
    # one for each stream in each direction
    return 2 * run.stream_count if run.stream_count and run.is_bidirectional else run.stream_count
