"""Why a run shows more than its line carries, or less: every possible cause, put to the test.

A cause that the file refutes yields nothing. Every other names the figure that would confirm it.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from netmodel.ceilings import ByteLayer, Capacity, line_ceiling
from netmodel.checking._line_limits import FILLED, fitting, line_cases, rates_of, specified_limits
from netmodel.checking._run_limits import (
    BUSY_RATIO,
    LEAST_USABLE_RATIO,
    MOST_OF_MEAN_WINDOW,
    WIDEST_FACTOR,
    holds_in_part,
    loss_limit,
    needs_cpus,
    sent_segment_count,
)
from netmodel.checking.limits import OF_CPUS, STANDARD_RATES_BPS, USUAL_MTUS_BYTES, Limit, RunLimits
from netmodel.checking.tolerance import USUAL_DURATION_S, Tolerance, kept_bytes, slow_start_ratio
from netmodel.checking.verdict import Cause
from netmodel.framing import Stack, parse_stack, tcp
from netmodel.framing.lengths import LARGEST_MTU_BYTES
from netmodel.framing.presets import LINK_MTU_BYTES, PRESETS
from netmodel.readers import Measurement
from netmodel.text import RESULT_DIGITS, argument, percent_text
from netmodel.units import BITS_PER_BYTE, format_rate

FIT = (0.985, 1.005)
"""Ratios to a ceiling of a run that fills its line."""
_CLOSE = (0.995, 1.002)
"""Ratios to what a guess of sizes or units implies that confirm it: most lie farther apart."""
_ROUND_DIGITS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 8, 10)
"""Leading digits of rates that clouds and access providers sell, and that people shape to."""
_SMALL_WRITE_BYTES = 724
"""Half of a full segment at MTU 1500: a frame takes two smaller writes or more."""
_TUNNELS = ("flannel-ipip", "gre", "vxlan", "calico-wireguard", "wireguard", "ipsec-aes-gcm")
"""Presets with different bytes around a packet, by their usual MTU: 20, as many as IPv6 has more
than IPv4, 24, 50 as of Geneve, 60, 80 and 54."""
_UNSEEN, _LEAST_DIGITS = (0.9993, 1.0003), 6e-4
"""Ratios to the ceiling of headers that only the rate shows, and half the step of its last digit:
payloads of most tunnels are 0.3 % or more apart, of WireGuard with MTU 1440 and 1420 0.14 %."""
_FAST_LINE_BPS = 25e9
"""Lines from here on carry about as much as one core moves over one TCP connection, or more."""
_FAR_RATIO = 0.8
"""Below this share of its limit a run is far from it."""
_LEAST_OF_CORE_BPS = 1e9
"""A slow core moves as much over one TCP connection: 12 µs for each frame at MTU 1500."""
_MOST_OF_CORE = 1.25
"""Busy CPUs of a host with one full core, and with what else it does."""
_LEAST_OF_PROCESS = 0.5
"""Busy CPUs of a tool beside a core that is full: interrupts take rarely more than the copies."""
_LOSS_THAT_COUNTS_RATIO = 1e-3
"""Loss or retransmission from here on lowers TCP throughput by more than the tolerance."""
_MOST_CONGESTION_WINDOW_RATIO = 4
"""Largest congestion window over the mean data in flight: slow start doubles it once more than was
in flight, and the begin of a run lowers the mean. 3.2 on an emulated line with a run of 5 s."""
_LEAST_STARTING_RATIO = 0.05
"""Slow start in a smaller share of a run explains less than a tolerance may."""
_LOSS_IGNORED_RATIO = 0.02
"""Loss that BBR takes no notice of (draft-ietf-ccwg-bbr: BBRLossThresh)."""
_FLAT_FACTOR = 1.5
"""Mean over least round trip from which on a queue counts: it adds half of the path's delay."""
_STEADY_FACTOR = 1.05
"""Mean over least round trip up to which no queue stood on the way."""
_DISTANT_S = 1e-3
"""A round trip over 100 km of fibre at 5 µs for each km and direction."""
_ALL_FIGURES = "CPUs, drops and other traffic at both ends: mpstat -P ALL, ethtool -S, ip -s link"
DROPS = "drop counters of nstat, ethtool -S, ip -s link and the switch"
_LINKS = "ip link at both ends"
_STAMPS = "sysctl net.ipv4.tcp_timestamps at both ends"
_MOST_CAUSES = 2
"""Causes of a low rate that are named: the best, and the one to tell it from."""
_TELLING = {
    "window": "rwnd_limited and sndbuf_limited of ss -ti, or larger socket buffers",
    "loss": DROPS,
    "process": "a CPU near 100 % in mpstat -P ALL at either end, or several streams, iperf3 -P 4",
}
"""Figures that tell which of several reported limits held a run back, by the end of its name."""


_LOOPBACK = Cause("loopback", "the connection stayed on a loopback interface and crossed no line")
_Other: TypeAlias = tuple[str, float, tuple[float, float], str, str]
"""Name, implied rate, ratios that fit it, words and confirming figure of a cause."""


def explaining(
    run: Measurement, limits: RunLimits, rate_bps: float, least_ratio: float, most_ratio: float
) -> tuple[Limit, ...]:
    """
    Return the reported limits that explain a rate: one, or several that nothing tells apart.

    Those whose range is at most three times as high as low and contains the rate. Segment size and
    offered rate are exact and win over others, those over CPUs of a whole host. Loss explains
    nothing alone where a thread of the tool was nearly busy, or the run fills another line; nor do
    loss and windows that held in a part of the run. Of a lower bound nothing explains the rest.
    """

    def distance(limit: Limit) -> float:
        return abs(math.log(rate_bps / limit.value_bps))

    nearest: dict[str, Limit] = {}
    for limit in limits.reported if rate_bps and not run.counted.is_lower_bound else ():
        low_bps, high_bps = limit.bounds_bps
        is_narrow = high_bps <= WIDEST_FACTOR * low_bps or limit.name == "offered_rate"
        is_held = max(rate_bps, limits.fastest_bps) <= most_ratio * high_bps
        if is_narrow and is_held and least_ratio * low_bps <= rate_bps:
            kind = limit.name.rpartition("_")[2]
            nearest[kind] = min(nearest.get(kind, limit), limit, key=distance)
    exact = [nearest[kind] for kind in ("size", "rate") if kind in nearest]
    if exact:
        return (min(exact, key=distance),)
    if "loss" in nearest:
        threads = [each for each in limits.reported if each.name.endswith("_process")]
        tried = _other_than_specified(run, limits, rate_bps) if limits.is_of_the_line else ()
        if any(each.name == "line" for each in tried):
            del nearest["loss"]
        elif threads:
            nearest.setdefault("process", min(threads, key=lambda each: each.value_bps))
    specific = [nearest[kind] for kind in ("process", "window", "loss") if kind in nearest]
    if len(specific) == 1 and holds_in_part(run, specific[0].name):
        specific = []
    return tuple(specific or ([nearest["cpus"]] if "cpus" in nearest and needs_cpus(run) else []))


def causes_above(run: Measurement, limits: RunLimits, rate_bps: float) -> tuple[Cause, ...]:
    """
    Return the causes that fit a rate above the ceiling; guesses where the run shows none.

    The count of a sender goes first where its buffers hold the excess, or datagrams may be lost.
    """
    known, smallest, is_cap = (run, limits, rate_bps), limits.smallest, limits.smallest.is_cap
    causes = [*_other_than_specified(*known, _as_udp, _counted_otherwise)]
    if limits.is_of_the_line and not run.is_loopback:
        # a shaper at the rate of the line, as the kernel or the cloud counts it
        causes += [x for x in _other_than_specified(*known) if not (causes and x.name == "cap")]
        causes = [each for each in causes if each.name == "segments"] or causes
    if not (causes or limits.is_of_the_line):
        why, credit = f"{_named(smallest)} does not apply to this run", ", burst credit" * is_cap
        causes = [Cause("cap" if is_cap else "limit", why, confirm=f"its configuration{credit}")]
    elif not (causes or run.is_loopback):
        line = format_rate(limits.line.line_rate_bps * rate_bps / smallest.value_bps, RESULT_DIGITS)
        detail = f": with this MTU and headers it takes a line of at least {line}"
        text = "line rate, MTU or headers are not those specified"
        causes = [Cause("line", text, detail, "ethtool and ip link at both ends")]
    if run.counted.is_at_sender:
        is_udp, end_bps = limits.transport == "udp", limits.bounds_bps[1]
        kept_bps = BITS_PER_BYTE * kept_bytes(run) / (run.duration_s or USUAL_DURATION_S)
        how = "lost datagrams included" if is_udp else "with data still in socket buffers"
        text = f"counted at the sender, {how}"
        sent = Cause("sender_count", text, confirm="the result of the receiver")
        causes.insert(0 if is_udp or rate_bps <= end_bps + kept_bps else len(causes), sent)
    return (*[_LOOPBACK] * run.is_loopback, *causes)


def causes_below(
    run: Measurement, limits: RunLimits, rate_bps: float, is_near: bool, fitting: tuple[Limit, ...]
) -> tuple[Cause, ...]:
    """
    Return the two best causes of a rate below the ceiling; first those that both explain it.

    Of one that is near its end the headers that would leave it.
    """
    known = run, limits, rate_bps
    if limits.fastest_bps >= FIT[0] * limits.bounds_bps[0]:
        text = f"the fastest run is {limits.fastest_bps / limits.bounds_bps[0]:.4f} of it"
        return (Cause("scatter", text, ": what differs between the runs limits", _ALL_FIGURES),)
    makers = (_other_packets,) if is_near else (_other_packets, _other_rates)
    tried = [*_other_than_specified(*known, *makers)] if limits.is_of_the_line and rate_bps else []
    if is_near:
        return (*(x for x in tried if x.name in ("segments", "headers")), *what_was_lost(*known))
    shown = [*(x for x in tried if x.name == "segments"), *small_writes(*known)]
    for each in fitting:
        ratio, value = rate_bps / each.value_bps, format_rate(each.value_bps, RESULT_DIGITS)
        text = f"{each.carrier} would explain it: {ratio:.4f} of {value}"
        shown.append(Cause(each.name, text, confirm=_TELLING[each.name.rpartition("_")[2]]))
    busy, lost = ([], []) if fitting else ([*_nearly_busy(*known)], [*what_was_lost(*known)])
    # a cap that is exceeded loses datagrams
    sender = [*_slow_sender(*known)]
    left_out = "headers" if lost else "cap" * any(x.name == "offered_rate" for x in sender)
    tried = [each for each in tried if each.name != left_out]
    best = [_LOOPBACK] * run.is_loopback + shown + busy + ([] if shown else tried)
    core = () if shown or lost or busy else _one_core(*known)
    causes = [*best, *sender, *lost, *core, *_slow_start(*known), *_windows(*known)]
    other = f"something other than {_named(limits.smallest)} limits"
    return tuple(causes[:_MOST_CAUSES]) or (Cause("unknown", other, confirm=_ALL_FIGURES),)


def causes_within(
    run: Measurement, limits: RunLimits, rate_bps: float, limit: Limit, allowed: Tolerance
) -> tuple[Cause, ...]:
    """Return the limit that explains a run, its unused share, and what else the run shows."""
    unused = percent_text(max(0.0, 1 - rate_bps / limit.value_bps), 2)
    rate = f"{limits.rate_text(limit.value_bps)}, {unused} unused"
    if allowed.separates(*limit.bounds_bps):
        rate = " to ".join(map(limits.rate_text, limit.bounds_bps))
    detail = f" ({rate}), so it does not test the line"
    wider_ratio = limits.bounds_bps[0] / limit.value_bps
    if limit.name == "window" and wider_ratio > 1:
        detail += f"; a window {wider_ratio:.3g} times as large would reach that limit"
    named = Cause(limit.name, f"limited by {limit.carrier}", detail, DROPS * (limit.name == "loss"))
    writes = small_writes(run, limits, rate_bps) if limit.name in OF_CPUS else ()
    return *writes, named, *(what_was_lost(run, limits, rate_bps) if limit.name != "loss" else ())


# What the run shows


def _named(limit: Limit) -> str:
    return limit.carrier.partition(",")[0] or f"the {limit.name}"


def small_writes(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[Cause]:
    """Yield writes, messages or datagrams so small that their number a second is the limit."""
    size_bytes = run.traffic.write_bytes or run.traffic.datagram_bytes
    if not size_bytes or size_bytes >= _SMALL_WRITE_BYTES or limits.frame_wire_bytes:
        return
    # a sender of more than the limit is not held back
    if rate_bps > limits.smallest.value_bps * (1 - (run.counted.lost_ratio or 0.0)):
        return
    name = {"udp": "datagrams", "rdma": "messages"}.get(limits.transport or "", "writes")
    rate_hz = rate_bps / (BITS_PER_BYTE * size_bytes)
    larger = "iperf3 -l 128K" if name == "writes" else f"larger {name}"
    text, confirm = f"{name} of {size_bytes} byte, {rate_hz:,.0f} a second", "the sender's CPU time"
    detail = ": each takes CPU time, whatever its size"
    yield Cause("small_writes", text, detail, f"{larger}, or {confirm}")


def _nearly_busy(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[Cause]:
    """Yield the busier end if its thread nearly fills a core; interrupts may take the rest."""
    threads = [each for each in limits.reported if each.name.endswith("_process")]
    for limit in sorted(threads, key=lambda each: each.value_bps)[:1]:
        text = f"{limit.carrier} is nearly limited by its core"
        yield Cause(limit.name, text, ", as interrupts may take the rest", _TELLING["process"])


def _one_core(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[Cause]:
    """
    Yield one TCP connection far below line and window, unless no host had a full core.

    And any run of a host that is as busy as one full core makes it.
    """
    is_typed = run.tool == "rate" and limits.line.connection_count is None
    count = run.stream_count or limits.line.connection_count
    windows_bps = (x.value_bps for x in limits.reported if x.name == "window")
    hosts = [each for each in run.cpu if each.scope == "system"]
    full = next((x for x in hosts if BUSY_RATIO <= x.busy_cpu_count <= _MOST_OF_CORE), None)
    is_one = (is_typed or count == 1 or full) and not (run.is_bidirectional or run.is_loopback)
    most_bps = (1 if full else _FAR_RATIO) * min((limits.bounds_bps[0], *windows_bps))
    is_far = _LEAST_OF_CORE_BPS <= rate_bps <= max(rate_bps, limits.fastest_bps) < most_bps
    is_fast = limits.line.line_rate_bps >= _FAST_LINE_BPS and limits.transport in ("tcp", None)
    if not (is_one and is_far and (is_fast or full)):
        return
    for scope, least in (("system", BUSY_RATIO), ("process", _LEAST_OF_PROCESS)):
        busy = [use.busy_cpu_count for use in run.cpu if use.scope == scope]
        if len(busy) > 1 and max(busy) < least:
            return
    stream = "a single TCP stream, if it was one," if is_typed else "a single TCP stream"
    busy_cpus = full and f"{full.busy_cpu_count:.3g} CPUs of the {full.side.value}'s host were busy"
    usual, as_full = f"{stream} is usually limited by one core", ", as with one full core"
    yield Cause("one_core", busy_cpus or usual, as_full * bool(full), _TELLING["process"])


def _slow_sender(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[Cause]:
    """Yield a sender of datagrams that offered no more, or never reached the requested rate."""
    offered_bps, lost_ratio = run.traffic.offered_rate_bps, run.counted.lost_ratio
    if limits.transport != "udp" or (lost_ratio or 0.0) >= _LOSS_THAT_COUNTS_RATIO:
        return
    if not offered_bps:
        text = "no loss shows that the sender of datagrams offered more"
        yield Cause("offered_rate", text, "", "its -b, 1 Mbit/s by default, or its CPU time")
    elif lost_ratio is not None and rate_bps < FIT[0] * offered_bps:
        text = f"the sender reached {rate_bps / offered_bps:.4f} of the requested rate"
        detail = ", and nothing was lost: it or its interface cannot send faster"
        yield Cause("back_pressure", text, detail, "its CPU, larger datagrams, tc -s qdisc")


def _ignores_loss(run: Measurement) -> bool:
    return (run.tcp.congestion_control or "").lower().startswith("bbr")


def what_was_lost(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[Cause]:
    """Yield datagram loss or retransmission that lowers the rate, and where it arose."""
    lost_ratio = run.counted.lost_ratio or 0.0
    if lost_ratio >= _LOSS_THAT_COUNTS_RATIO:
        text = f"{percent_text(lost_ratio, 3)} of the datagrams were lost"
        sent_ratio = rate_bps / limits.smallest.value_bps / (1 - lost_ratio or math.inf)
        sent = f", {sent_ratio:.4f} of the limit was sent" if lost_ratio < 1 else ""
        yield Cause("full_queue" if sent_ratio > 1 else "loss", text, sent, DROPS)
    count, segment_bytes = run.tcp.retransmit_count or 0, limits.segment_bytes(run)
    received_count = (sent_segment_count(run, segment_bytes) or 0) - count
    least_ratio = _LOSS_IGNORED_RATIO if _ignores_loss(run) else _LOSS_THAT_COUNTS_RATIO
    if received_count <= 0 or count < least_ratio * received_count:
        return
    text = f"{count} segments were retransmitted ({percent_text(count / received_count, 3)})"
    name, detail, confirm = "loss", "", DROPS
    alone = loss_limit(run, limits, fewest_events=1)
    if alone is not None:
        rate = format_rate(alone.value_bps, RESULT_DIGITS)
        detail = f", which allows {rate} if losses are isolated"
        if rate_bps < alone.bounds_bps[0]:
            if not limits.smallest.is_cap:
                return
            name, confirm = "policer", "its burst, its drops in tc -s filter or nft list ruleset"
            detail += ": they came in bursts, as at a policer with a small bucket"
        if rate_bps > alone.bounds_bps[1]:
            name, confirm = "full_queue", f"the round trip of ss -ti before losses, {DROPS}"
            detail += ": they came in bursts, as from a queue that was full"
    yield Cause(name, text, detail, confirm)


def _slow_start(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[Cause]:
    """Yield slow start where it took a noticeable share of the run."""
    ratio, doublings = slow_start_ratio(run, limits.smallest.value_bps, run.duration_s)
    if ratio >= _LEAST_STARTING_RATIO and rate_bps >= (1 - 2 * ratio) * limits.bounds_bps[0]:
        text = f"{doublings:.2g} round trips of slow start took {percent_text(ratio, 2)} of the run"
        yield Cause("slow_start", text, confirm="a longer run without its start, iperf3 -O 2")


def _windows(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[Cause]:
    """
    Yield a window that is half used or more, or the one that would explain the rate.

    Otherwise the sender's own buffer or queue may limit. BBR keeps its congestion window at twice
    the data in flight.
    """
    limit, round_trip_s = limits.named("window"), limits.line.round_trips_s(run)[1]
    if limit and limit.value_bps < min(limits.smallest.value_bps, rate_bps / LEAST_USABLE_RATIO):
        rate = format_rate(limit.value_bps, RESULT_DIGITS)
        text = f"{rate_bps / limit.value_bps:.4f} of the {rate} that its window allows"
        yield Cause("window", text, " over the round trip", _TELLING["window"])
    if not round_trip_s or limits.transport != "tcp":
        return
    congestion_bytes = run.tcp.congestion_window_bytes or 0.0
    window_bytes, least_s = run.tcp.peer_window_bytes, run.tcp.least_round_trip_s or 0.0
    in_flight_bytes = rate_bps * round_trip_s / BITS_PER_BYTE
    name, detail = "window", ": a window of that size would explain it"
    # a congestion window far above that grew so large because no window held it back
    explains = congestion_bytes <= _MOST_CONGESTION_WINDOW_RATIO * in_flight_bytes
    explains &= rate_bps >= _FAR_RATIO * limits.fastest_bps
    if limit or window_bytes:
        # neither window was full, nor a queue, and nothing was lost
        least_bytes = min(window_bytes, congestion_bytes) if window_bytes else 0.0
        is_flat = _DISTANT_S <= round_trip_s <= _FLAT_FACTOR * least_s
        is_clean = run.tcp.retransmit_count == 0 and not _ignores_loss(run)
        explains = is_flat and is_clean and least_bytes > MOST_OF_MEAN_WINDOW * in_flight_bytes
        name, detail = "send_buffer", ", half of what both windows allow"
        detail += ": limited by the send buffer, or a queue in the sender's interface"
    if explains:
        text = f"goodput times the round trip is {in_flight_bytes:,.0f} byte"
        yield Cause(name, text, detail, _TELLING["window"])
    # in flight all the time, and no queue on the way
    is_steady = _DISTANT_S <= round_trip_s <= _STEADY_FACTOR * least_s
    most_bytes = MOST_OF_MEAN_WINDOW * in_flight_bytes
    if is_steady and rate_bps and FIT[0] * in_flight_bytes <= congestion_bytes <= most_bytes:
        text = f"a congestion window of {congestion_bytes:,} byte was full"
        yield Cause("congestion_window", text, "", "a longer run, cwnd and ssthresh of ss -ti")


# What may not be as specified, by the rate that it would imply


def _other_than_specified(
    run: Measurement, limits: RunLimits, rate_bps: float, *makers: Callable[..., Iterator[_Other]]
) -> Iterator[Cause]:
    """Yield what would imply about this rate, which the limit does not, the surest first."""
    limit_bps, fastest_bps = limits.smallest.value_bps, max(rate_bps, limits.fastest_bps)
    for maker in makers or (_other_packets, _other_rates):
        for name, implied_bps, ends, what, figure in maker(run, limits, rate_bps):
            ratio = rate_bps / implied_bps
            explains = implied_bps > limit_bps if rate_bps > limit_bps else implied_bps < limit_bps
            if explains and ends[0] <= ratio and fastest_bps <= ends[1] * implied_bps:
                yield Cause(name, f"{what} would explain it", f": the ratio is {ratio:.4f}", figure)


def _counted_otherwise(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[_Other]:
    """Yield the layers whose bytes would explain a rate above a capacity, or above the line's."""
    line = limits.line
    own = line.capacities_of(run) if limits.smallest.name.startswith("capacity") else ()
    if limits.is_of_the_line:
        own = (Capacity(line.line_rate_bps),)
    if limits.ceiling is None or run.is_loopback:
        return
    counted = limits.ceiling.counted_bytes(limits.message_bytes)
    for rate in (capacity.of_any_layer for capacity in own):
        text, implied_bps = fitting(rates_of(rate, run, counted, line), rate_bps, run)
        if text:
            word = "" if " or " in text else f" {text.partition(' ')[0]}"
            specify = argument("capacity", "--capacity", f"{rate}{word}")
            confirm = f"tc -s qdisc, or the limit of the instance; then specify {specify}"
            what = f"a capacity of {rate} that counts {text}"
            yield "capacity", implied_bps, (0.0, math.inf), what, confirm


def _as_udp(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[_Other]:
    """Yield UDP in full datagrams, else in split ones, of a rate that no TCP has, as assumed."""
    line, as_udp = limits.line, replace(run, protocol="udp")
    if limits.transport != "tcp" or line.transport_of(run) or line.timestamps is not None:
        return
    bare = line.headers("tcp", timestamps=False, ip_version=run.ip_version)
    plain = replace(line, stack=bare, ip_version=None, vlan_tags=0)
    plain_bps = specified_limits(run, plain).bounds_bps[1]
    least_bps = rate_bps - (run.counted.half_width_bps or 0.0)
    for case in line_cases(as_udp, line):
        sent = replace(run.traffic, datagram_bytes=case.message_bytes)
        most_bps = specified_limits(replace(as_udp, traffic=sent), line).bounds_bps[1]
        if _UNSEEN[1] * plain_bps < least_bps <= rate_bps <= _CLOSE[1] * most_bps:
            udp = argument("assume_transport", "--assume-transport", "udp")
            specify = f"{udp} and {argument('payload_bytes', '--payload', case.message_bytes)}"
            what, ends = f"UDP in datagrams of {case.message_bytes} byte", (0.0, _CLOSE[1])
            yield "transport", most_bps, ends, what, f"its sender's options; then specify {specify}"
            return


def _other_packets(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[_Other]:
    """Yield other headers and MTUs, by the segments of the run, else by the rate of full ones."""
    ceiling, line, own_bytes = limits.ceiling, limits.line, run.traffic.segment_bytes
    if ceiling is None or limits.transport != "tcp" or own_bytes == ceiling.segment_bytes:
        return
    stack, kind, ends = ceiling.stack, *(("segments", FIT) if own_bytes else ("headers", _UNSEEN))
    is_exact = own_bytes or (run.counted.half_width_bps or 0.0) <= _LEAST_DIGITS * rate_bps
    is_link = LINK_MTU_BYTES <= ceiling.mtu_bytes <= LARGEST_MTU_BYTES
    may_be_inside = is_exact and is_link and not (line.stack or line.vlan_tags)
    for name, ratio, segment_bytes in _inside(stack, ceiling.mtu_bytes) if may_be_inside else ():
        if own_bytes in (None, segment_bytes):
            ipv6 = "IPv6 or " * (name == _TUNNELS[0] and not (run.ip_version or line.ip_version))
            what = f"{ipv6}a tunnel such as {name} on a link of MTU {ceiling.mtu_bytes}"
            yield kind, line.line_rate_bps * ratio, ends, what, "ip -d link, ip route at both ends"
    bare = replace(stack, layers=(*stack.layers[:-1], tcp(timestamps=False)))
    if own_bytes:
        fills = bare.packet_bytes(own_bytes) == ceiling.mtu_bytes
        own, confirm = (bare, _STAMPS) if fills else (stack, f"{_LINKS}, tracepath between")
        mtu_bytes = int(own.packet_bytes(own_bytes))
        # larger segments may be at any rate that they can carry
        ends = FIT if own_bytes < ceiling.segment_bytes else (0.0, FIT[1])
        what = f"MTU {mtu_bytes} under {own}, which the run's segments of {own_bytes} byte fill,"
        ratio = own_bytes / own.wire_bytes(mtu_bytes, mtu_bytes)
        yield "segments", line.line_rate_bps * ratio, ends, what, confirm
        return
    plain = line_ceiling(ceiling.line_rate_bps, ceiling.mtu_bytes, bare)
    yield "timestamps", plain.payload_rate_bps, _CLOSE, f"{bare} at MTU {plain.mtu_bytes}", _STAMPS
    for mtu_bytes in USUAL_MTUS_BYTES:
        implied_bps = line_ceiling(ceiling.line_rate_bps, mtu_bytes, stack).payload_rate_bps
        yield "mtu", implied_bps, _CLOSE, f"{stack} at MTU {mtu_bytes}", _LINKS


@cache
def _inside(stack: Stack, mtu_bytes: int) -> list[tuple[str, float, float]]:
    """Return each tunnel with its payload over the line rate, and with its segment. [byte]"""
    packets, less_bytes = "/".join(map(str, stack.inner_layers)), LINK_MTU_BYTES - mtu_bytes
    stacks = ((name, parse_stack(f"{name}/{packets}")) for name in _TUNNELS)
    made = ((name, line_ceiling(1.0, PRESETS[name][1] - less_bytes, x)) for name, x in stacks)
    return [(name, each.payload_rate_bps, each.segment_bytes) for name, each in made]


def _other_rates(run: Measurement, limits: RunLimits, rate_bps: float) -> Iterator[_Other]:
    """Yield other units, caps at round rates, lines of other standard rates, and virtual ones."""
    limit_bps, line_rate_bps = limits.smallest.value_bps, limits.line.line_rate_bps
    if limits.frame_wire_bytes is None and run.counted.received_bytes is None:
        for implied_bps in (limit_bps * BITS_PER_BYTE, limit_bps / BITS_PER_BYTE):
            yield "unit", implied_bps, _CLOSE, "bytes taken for bits", "bytes and time of the run"
    # windows and losses over a distance may hold a run at any rate by chance
    tcp, window = run.tcp, limits.named("window")
    is_free = window and LEAST_USABLE_RATIO * window.value_bps > rate_bps
    is_free = is_free and tcp.retransmit_count == 0
    may_be_held = (tcp.peer_window_bytes or tcp.congestion_window_bytes) and not is_free
    is_distant = (tcp.least_round_trip_s or tcp.round_trip_s or 0.0) >= _DISTANT_S
    if is_distant and may_be_held and rate_bps < limit_bps:
        return
    tried: list[_Other] = []
    decade_bps, ratio = 10.0 ** math.floor(math.log10(rate_bps)), 1.0
    if limits.ceiling is not None and rate_bps < _LEAST_OF_CORE_BPS:
        # shapers of Linux, which are seldom faster, count frames
        payload_bytes, counted = limits.ceiling.counted_bytes(limits.message_bytes)
        ratio = payload_bytes / counted[ByteLayer.FRAME_WITHOUT_FCS]
    is_far = limits.line.own_round_trips_s[1] >= _DISTANT_S
    is_counted = limits.frame_wire_bytes is None and not (run.is_loopback or is_far)
    for cap_bps in (digits * decade_bps for digits in _ROUND_DIGITS if is_counted):
        # below the limit, or at the rate that was given as the line's; people type round numbers
        is_possible = cap_bps == line_rate_bps or rate_bps < limit_bps
        is_possible = is_possible and not (run.tool == "rate" and rate_bps == cap_bps)
        is_shaped = ratio < 1 and FILLED[0] <= rate_bps / ratio / cap_bps <= FILLED[1]
        implied_bps = cap_bps * ratio if is_shaped else cap_bps
        if is_possible and FIT[0] <= rate_bps / implied_bps <= FIT[1]:
            rate = format_rate(cap_bps)
            specify = argument("capacity", "--capacity", f"{rate} tc" if is_shaped else rate)
            confirm = f"the limit of the instance, contract or shaper; then specify {specify}"
            what = f"a shaper of Linux at {rate}" if is_shaped else f"a rate cap of {rate}"
            tried.append(("cap", implied_bps, FIT, what, confirm))
    for other_bps in STANDARD_RATES_BPS:
        what, confirm = f"a line of {format_rate(other_bps)}", "ethtool at both ends, the switch"
        tried.append(("line", limit_bps * other_bps / line_rate_bps, FIT, what, confirm))

    def order(each: _Other) -> tuple[bool, float]:
        """The nearest first, but a line that is exceeded: a burst may exceed a cap."""
        ratio = rate_bps / each[1]
        return each[0] == "line" and ratio > _CLOSE[1], abs(math.log(ratio))

    yield from sorted(tried, key=order)
