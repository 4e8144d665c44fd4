"""Verdicts on made limits, both sides of every threshold, and each part of a tolerance."""

from dataclasses import replace
from math import inf, log2
from typing import Any

import pytest
from runs import run

from netmodel.consumption import CpuScope, Side
from netmodel.errors import DomainError
from netmodel.judging import Gate, Outcome, SpecifiedHost, SpecifiedLine, Verdict, check
from netmodel.judging._check import outcome_of, reason
from netmodel.judging._limits import Limit, RunLimits
from netmodel.judging._tolerance import Tolerance, TolerancePart, tolerance
from netmodel.judging._verdict import Repeats
from netmodel.path import SpecifiedPath
from netmodel.readers import CpuUse, Direction
from netmodel.records import path_record

AT, BELOW, LIMITED = Outcome.AT_CEILING, Outcome.BELOW, Outcome.LIMITED
IMPOSSIBLE, UNKNOWN = Outcome.IMPOSSIBLE, Outcome.NOT_JUDGEABLE
ALLOWED = Tolerance(0.97, 1.02, (), 0.99, 0.98, 1.01)
"""From 0.97 to 1.02, of which 0.98 to 1.01 are sure; by the floor alone 0.99."""


def limits(*reported: Limit, low: float = 100.0, high: float = 100.0, **more: Any) -> RunLimits:
    """A wire of 100 Mbit/s, or of a range."""
    ends = {} if low == high else {"low_bps": low * 1e6, "high_bps": high * 1e6}
    wire = Limit("wire", high * 1e6, **ends)
    return RunLimits(line_rate_bps=100e6, specified=(wire,), reported=reported, **more)


def reported(name: str, value: float, low: float | None = None, high: float | None = None) -> Limit:
    ends = {} if low is None or high is None else {"low_bps": low * 1e6, "high_bps": high * 1e6}
    return Limit(name, value * 1e6, **ends, carrier=f"its {name}")


def judged(mbps: float, known: RunLimits, **message: Any) -> tuple[Outcome, str | None]:
    """Outcome of a rate, and the name of the limit that explains it."""
    outcome, by = outcome_of(mbps * 1e6, known, ALLOWED, run(mbps * 1e6, **message))
    return outcome, by and by.name


def why(mbps: float, known: RunLimits, allowed: Tolerance = ALLOWED, **message: Any) -> str:
    measurement = run(mbps * 1e6, **message)
    outcome, by = outcome_of(mbps * 1e6, known, allowed, measurement)
    return reason(outcome, mbps * 1e6, measurement, known, allowed, by)


# Outcomes


@pytest.mark.parametrize(
    ("mbps", "outcome"),
    [
        *((102.01, IMPOSSIBLE), (102.0, UNKNOWN), (101.01, UNKNOWN), (101.0, AT)),
        *((100.0, AT), (98.0, AT), (97.99, UNKNOWN), (97.0, UNKNOWN), (96.99, BELOW), (0, BELOW)),
    ],
)
def test_a_rate_is_above_within_or_below_and_sure_or_not(mbps: float, outcome: Outcome) -> None:
    assert judged(mbps, limits()) == (outcome, None)


@pytest.mark.parametrize(
    ("mbps", "outcome"),
    [
        *((77.59, BELOW), (77.6, UNKNOWN), (96.99, UNKNOWN)),
        *((97.0, AT), (101.0, AT), (102.01, IMPOSSIBLE)),
    ],
)
def test_within_a_wide_range_nothing_is_decided(mbps: float, outcome: Outcome) -> None:
    """From 80 to 100: below 0.97 of 80 it is below all, from 0.97 of 100 on it reaches all."""
    assert judged(mbps, limits(low=80))[0] is outcome
    is_within = 77.6 <= mbps <= 102
    unknown = limits(low=80, unknown=("mtu_bytes",))
    assert judged(mbps, unknown)[0] is (UNKNOWN if is_within else outcome)


def test_a_range_within_the_tolerance_is_as_good_as_one_rate() -> None:
    """From 97: 0.97 times that are 94.09, and surely 95.06."""
    for mbps, outcome in ((96.9, AT), (95.07, AT), (95.05, UNKNOWN), (94.1, UNKNOWN), (94, BELOW)):
        assert judged(mbps, limits(low=97))[0] is outcome
    assert judged(96.9, limits(low=96.99))[0] is UNKNOWN, "the range is wide"
    assert judged(97, limits(low=96.99))[0] is AT, "it reaches all"


@pytest.mark.parametrize(
    ("mbps", "is_explained"), [(39.19, False), (39.21, True), (60.59, True), (60.61, False)]
)
def test_a_reported_limit_explains_what_is_surely_within_its_range(
    mbps: float, is_explained: bool
) -> None:
    """0.98 times 40 to 1.01 times 60."""
    known = limits(reported("window", 50, 40, 60))
    assert judged(mbps, known) == ((LIMITED, "window") if is_explained else (BELOW, None))


def test_the_nearest_of_several_limits_explains_and_loss_only_alone() -> None:
    window, offered = reported("window", 50, 20, 60), reported("offered_rate", 32, 20, 60)
    loss = reported("loss", 40, 20, 60)
    # the middle of 32 and 50 is 40 by their ratio
    for mbps, name in ((39.9, "offered_rate"), (40.1, "window")):
        assert judged(mbps, limits(window, offered)) == (LIMITED, name)
        assert judged(mbps, limits(loss, window, offered)) == (LIMITED, name)
    assert judged(40, limits(loss)) == (LIMITED, "loss")


@pytest.mark.parametrize(("mbps", "outcome"), [(96.9, LIMITED), (97.0, UNKNOWN), (98.5, AT)])
def test_a_full_line_loses_without_being_limited_by_it(mbps: float, outcome: Outcome) -> None:
    assert judged(mbps, limits(reported("loss", 90, 50, 110)))[0] is outcome


@pytest.mark.parametrize(("high", "outcome"), [(98.99, LIMITED), (99.01, AT)])
def test_a_limit_below_the_floor_explains_what_would_pass(high: float, outcome: Outcome) -> None:
    """The run could not have reached 0.99 of the line."""
    assert judged(98, limits(reported("window", 97, 90, high)))[0] is outcome


@pytest.mark.parametrize(
    ("mbps", "segment", "outcome"),
    [
        (98.5, 99.5, LIMITED),
        (90.89, 90, LIMITED),  # 1.01 times as much
        (90.91, 90, BELOW),
        (91.79, 90, BELOW),  # 1.02 times as much
        (91.81, 90, UNKNOWN),
        (88.19, 90, BELOW),
        (88.21, 90, LIMITED),
        (99, 97, UNKNOWN),  # 97 x 1.02 is 98.94
    ],
)
def test_a_run_with_small_segments_never_passes(
    mbps: float, segment: float, outcome: Outcome
) -> None:
    found, by = judged(mbps, limits(reported("segment_size", segment)))
    assert found is outcome
    assert by == ("segment_size" if outcome is LIMITED else None)


@pytest.mark.parametrize(
    ("message", "more", "outcomes"),
    [
        ({}, {}, (BELOW, AT)),
        ({"is_loopback": True}, {}, (BELOW, UNKNOWN)),
        ({"goodput_is_lower_bound": True}, {}, (UNKNOWN, AT)),
        ({"is_counted_at_sender": True}, {"transport": "udp"}, (BELOW, UNKNOWN)),
        ({"is_counted_at_sender": True}, {"transport": "tcp"}, (BELOW, AT)),
        ({}, {"transport": "udp"}, (BELOW, AT)),
        ({}, {"exceeds_mtu": True}, (BELOW, UNKNOWN)),
    ],
    ids=str,
)
def test_what_proves_nothing_passes_nothing(
    message: dict[str, Any], more: dict[str, Any], outcomes: tuple[Outcome, Outcome]
) -> None:
    found = tuple(judged(mbps, limits(**more), **message)[0] for mbps in (50, 99))
    assert found == outcomes
    assert judged(103, limits(**more), **message)[0] is IMPOSSIBLE


@pytest.mark.parametrize("name", ["duration_s", "round_trip_s", "offered_rate_bps", "lost_ratio"])
def test_a_figure_is_a_picosecond_or_more_or_nothing(name: str) -> None:
    """Or as small a rate or share."""
    for value in (0.0, 1e-12, 1.5e-12, 1e18):
        assert check(run(1e9, **{name: value}), SpecifiedLine(10e9, 1500)).outcome is not None
    for value in (0.99e-12, 2e18):
        with pytest.raises(DomainError) as caught:
            check(run(1e9, **{name: value}), SpecifiedLine(10e9, 1500))
        assert str(caught.value) == f"{name} must be 0, or from 1e-12 to 1e+18; got {value!r}"


# Reasons


@pytest.mark.parametrize(
    ("mbps", "known", "message", "words"),
    [
        (99, limits(), {}, "99 Mbit/s is 0.9900 of the 100 Mbit/s that the wire carries"),
        (
            *(99, limits(low=98), {}),
            "99 Mbit/s is 0.9900 of the 100 Mbit/s (98 Mbit/s to 100 Mbit/s) that the wire carries",
        ),
        (
            *(99, limits(low=80), {}),
            "99 Mbit/s is 0.9900 of the upper end of the 80 Mbit/s to 100 Mbit/s that the wire "
            "carries",
        ),
        (
            *(90, limits(low=80, unknown=("mtu_bytes", "transport")), {}),
            "90 Mbit/s is within the 80 Mbit/s to 100 Mbit/s that the wire carries: specify the "
            "MTU (mtu_bytes=...); the transport (transport=..., or assume_transport=... for runs "
            "that do not report it)",
        ),
        (
            *(90, limits(low=80), {}),
            "90 Mbit/s is within the 80 Mbit/s to 100 Mbit/s that the wire carries: wire is known "
            "to this range only: a record calibrated from more runs may narrow it (path=..., "
            "sender=..., receiver=...)",
        ),
        (
            *(70, limits(low=80), {"goodput_is_lower_bound": True}),
            "70 Mbit/s is below the 80 Mbit/s to 100 Mbit/s that the wire carries: the rate is a "
            "lower bound, so the run may have reached the limit",
        ),
        (
            *(101, limits(low=80), {"is_loopback": True}),
            "101 Mbit/s is above the 80 Mbit/s to 100 Mbit/s that the wire carries: the connection "
            "stayed on a loopback interface",
        ),
        (
            *(99, limits(transport="udp"), {"is_counted_at_sender": True}),
            "99 Mbit/s is 0.9900 of the 100 Mbit/s that the wire carries: datagrams were counted "
            "at the sender, not at the receiver",
        ),
        (
            *(99, limits(exceeds_mtu=True), {"segment_bytes": 1460}),
            "99 Mbit/s is 0.9900 of the 100 Mbit/s that the wire carries: the run reports segments "
            "of 1460 byte, more than that MTU carries with these headers: specify the MTU or the "
            "headers of the line (mtu_bytes=..., timestamps=...)",
        ),
        (
            *(99, limits(exceeds_mtu=True), {}),
            "99 Mbit/s is 0.9900 of the 100 Mbit/s that the wire carries: the run reports packets, "
            "more than that MTU carries with these headers: specify the MTU or the headers of the "
            "line (mtu_bytes=..., timestamps=...)",
        ),
        (
            *(97.5, limits(), {}),
            "97.5 Mbit/s is 0.9750 of the 100 Mbit/s that the wire carries: the run is too short, "
            "or its repeats scatter too much: measure 30 s or more without the first seconds, or "
            "more repeats",
        ),
        (
            *(92, limits(reported("segment_size", 90)), {}),
            "92 Mbit/s is 0.9200 of the 100 Mbit/s that the wire carries: its segment_size carries "
            "at most 90 Mbit/s: line rate or segment size is wrong",
        ),
        (
            *(45, limits(reported("window", 50)), {"lost_ratio": 0.5}),
            "45 Mbit/s is 0.4500 of the 100 Mbit/s that the wire carries: something",
        ),
        (
            *(49.5, limits(reported("window", 50)), {}),
            "49.5 Mbit/s is 0.4950 of the 100 Mbit/s that the wire carries; the run was limited by "
            "its window (50 Mbit/s, 1 % unused), so it does not test the line; a window 2 times as "
            "large would reach that limit",
        ),
        (
            *(50.4, limits(reported("window", 50, 40, 60)), {}),
            "50.4 Mbit/s is 0.5040 of the 100 Mbit/s that the wire carries; the run was limited by "
            "its window (40 Mbit/s to 60 Mbit/s), so it does not test the line; a window 2 times "
            "as large would reach that limit",
        ),
        (
            *(50.4, limits(reported("offered_rate", 50)), {}),
            "50.4 Mbit/s is 0.5040 of the 100 Mbit/s that the wire carries; the run was limited by "
            "its offered_rate (50 Mbit/s, 0 % unused), so it does not test the line",
        ),
        (
            *(90, limits(reported("segment_size", 91)), {}),
            "90 Mbit/s is 0.9000 of the 100 Mbit/s that the wire carries; the run was limited by "
            "its segment_size (0.9890 of it), so it does not test a line at this MTU",
        ),
        (
            *(50, limits(reported("loss", 50, 40, 60)), {}),
            "50 Mbit/s is 0.5000 of the 100 Mbit/s that the wire carries; the run was limited by "
            "its loss (40 Mbit/s to 60 Mbit/s), so it does not test the line (confirm: drop "
            "counters of ethtool -S, ip -s link and the switch)",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_reason_has_the_rate_its_limit_and_the_cause(
    mbps: float, known: RunLimits, message: dict[str, Any], words: str
) -> None:
    found = why(mbps, known, **message)
    if words.endswith("something"):
        assert found.startswith(words[: -len("something")])
        assert "50 % of the datagrams were lost, 0.9000 of the limit was sent" in found
    else:
        assert found == words


def test_few_digits_are_asked_for_more() -> None:
    """A part of rounding above 1 %."""
    for ratio, is_asked in ((0.02, True), (0.01, False)):
        parts = (TolerancePart("rounding", ratio, ratio, "digits"),)
        allowed = Tolerance(0.97, 1.02, parts, 0.99, 0.98, 1.01)
        found = why(97.5, limits(), allowed)
        assert ("too few digits: give the figure with three or more" in found) is is_asked


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ((Limit("softirq", 80e6),), "80 Mbit/s that the softirq of the path allows"),
        ((Limit("cap", 80e6, carrier="the cap"),), "80 Mbit/s that the cap allows"),
        (
            (Limit("softirq", 80e6), Limit("pcie", 90e6, 79e6, 95e6)),
            "80 Mbit/s (79 Mbit/s to 80 Mbit/s) that the specified limits allow together",
        ),
    ],
)
def test_the_smallest_limit_is_named_by_what_carries_it(
    others: tuple[Limit, ...], words: str
) -> None:
    known = RunLimits(line_rate_bps=100e6, specified=(Limit("wire", 100e6), *others))
    assert why(80, known) == f"80 Mbit/s is 1.0000 of the {words}"


# Tolerance


@pytest.mark.parametrize(
    ("parts", "gate", "expected"),
    [
        ((), Gate(), (0.99, 1.0006, 0.99, 0.99, 1.0006)),
        ((("timing", 0.01, 0.02),), Gate(), (0.98, 1.0206, 0.99, 0.98, 1.0206)),
        # at most 5 % are sure
        ((("timing", 0.1, 0.2),), Gate(), (0.89, 1.2006, 0.99, 0.95, 1.05)),
        ((("timing", 1.5, 0),), Gate(), (0, 1.0006, 0.99, 0.95, 1.0006)),
        # scatter, and digits beyond 1 %, make nothing sure
        ((("repeats", 0.02, 0.02),), Gate(), (0.97, 1.0206, 0.99, 0.99, 1.0006)),
        ((("rounding", 0.02, 0.02),), Gate(), (0.97, 1.0206, 0.99, 0.99, 1.0006)),
        ((("rounding", 0.01, 0.01),), Gate(), (0.98, 1.0106, 0.99, 0.98, 1.0106)),
        ((), Gate(floor_ratio=0.08), (0.92, 1.0006, 0.92, 0.92, 1.0006)),
        ((("timing", 0.1, 0.2),), Gate(min_ratio=0.9), (0.9, 1.2006, 0.9, 0.9, 1.05)),
        ((("timing", 0.1, 0.2),), Gate(max_ratio=1.3), (0.89, 1.3, 0.99, 0.95, 1.3)),
    ],
)
def test_the_tolerance_is_the_sum_of_its_parts(
    parts: tuple[tuple[str, float, float], ...], gate: Gate, expected: tuple[float, ...]
) -> None:
    made = (gate.floor, *(TolerancePart(*each, "made") for each in parts))
    found = tolerance(made, gate)
    ends = (found.min_ratio, found.max_ratio, found.floor_ratio)
    assert (*ends, found.sure_min_ratio, found.sure_max_ratio) == pytest.approx(expected)
    assert found.parts == made
    both = tolerance(made, Gate(min_ratio=0.9, max_ratio=1.1))
    assert (both.min_ratio, both.max_ratio, both.parts) == (0.9, 1.1, ())


LINE = SpecifiedLine(10e9, mtu_bytes=1500)
CEILING_BPS = 10e9 * 1448 / 1538


def parts_of(**message: Any) -> dict[str, tuple[Any, ...]]:
    allowed = check(run(0.9 * CEILING_BPS, duration_s=10.0, **message), LINE).tolerance
    assert allowed is not None
    return {each.name: (each.below_ratio, each.above_ratio, each.reason) for each in allowed.parts}


def test_each_part_of_a_tolerance_says_why() -> None:
    """Two streams of TCP for 10 s, counted at the sender."""
    found = parts_of(
        stream_count=2,
        retransmit_count=1,
        segment_bytes=1448,
        congestion_window_bytes=1_000_000,
        peer_window_bytes=2_000_000,
        round_trip_s=10e-3,
        least_round_trip_s=5e-3,
        is_counted_at_sender=True,
        is_bidirectional=True,
        goodput_half_width_bps=0.018 * CEILING_BPS,
    )
    of_byte = 8 / (CEILING_BPS * 10)
    doublings = log2(CEILING_BPS * 5e-3 / 8 / (10 * 1448 * 2))
    clocks = "100 ppm of the line's clock and 500 ppm of the host's"
    kept = 2 * 4 * 2**20
    assert found == {
        "floor": (0.01, pytest.approx(600e-6), f"1 % below, of every run; above, {clocks}"),
        "rounding": (
            *(pytest.approx(0.02), pytest.approx(0.02), "the digits of the figure as printed"),
        ),
        "timing": (1e-3, 1e-3, "a clock tick of 10 ms over the duration"),
        "buffers": (
            *(pytest.approx(1e6 * of_byte), pytest.approx(1e6 * of_byte)),
            "1000000 byte in flight at the beginning or the end",
        ),
        "sender": (
            *(0, pytest.approx(kept * of_byte)),
            f"counted at the sender, with socket buffers of {kept} byte, the largest that Linux "
            "sets by itself",
        ),
        "recovery": (
            *(pytest.approx(0.01), 0),
            "one retransmission timeout of 200 ms of 1 of 2 streams over the duration, as 1 "
            "segment was retransmitted",
        ),
        "slow_start": (
            *(pytest.approx(doublings * 5e-3 / 10), 0),
            f"{doublings:.2g} round trips until the window fills the limit",
        ),
        "acknowledgements": (
            *(pytest.approx(1 - 1538 / 1628), 0),
            "one for each segment of the other direction",
        ),
    }


@pytest.mark.parametrize(
    ("message", "name", "words"),
    [
        (
            {"stream_count": 1},
            "recovery",
            "one retransmission timeout of 200 ms over the duration, as retransmits are not "
            "reported",
        ),
        (
            {"stream_count": 4, "retransmit_count": 2},
            "recovery",
            "one retransmission timeout of 200 ms of 2 of 4 streams over the duration, as 2 "
            "segments were retransmitted",
        ),
        (
            {"is_counted_at_sender": True, "socket_buffer_bytes": 100},
            "sender",
            "counted at the sender, with socket buffers of 100 byte",
        ),
        (
            {"protocol": "udp", "datagram_bytes": 1472, "stream_count": 3},
            "writes",
            "a datagram of 1472 byte for each stream, counted or not",
        ),
    ],
)
def test_a_part_names_what_the_run_reports(message: dict[str, Any], name: str, words: str) -> None:
    assert parts_of(**message)[name][2] == words


def test_a_datagram_of_each_stream_counts_over_the_bytes_of_the_run() -> None:
    """Three of 1472 byte of those that the line carries in 10 s."""
    below, above, _ = parts_of(protocol="udp", datagram_bytes=1472, stream_count=3)["writes"]
    carried_bytes = 10e9 * 1472 / 1538 * 10 / 8
    assert (below, above) == pytest.approx((3 * 1472 / carried_bytes,) * 2)


def test_a_specified_floor_says_so() -> None:
    floor = Gate(floor_ratio=0.025).floor
    assert floor.reason.startswith("2.5 % below, as specified; above, ")
    assert (floor.below_ratio, floor.above_ratio) == (0.025, pytest.approx(600e-6))


# What a run reports of itself


def reported_by(line: SpecifiedLine = LINE, **message: Any) -> dict[str, Limit]:
    found = check(run(5e9, **message), line).limits
    assert found is not None
    return {each.name: each for each in found.reported}


def notes_of(line: SpecifiedLine = LINE, **message: Any) -> tuple[str, ...]:
    return check(run(5e9, **message), line).notes


def test_busy_cpus_are_limits_of_both_hosts_and_of_their_processes() -> None:
    """3 of 4 CPUs for 5 Gbit/s; 1.9 CPUs of the two threads, and 0.94 of one are not all."""
    uses = (
        CpuUse(3.0, 5e9, CpuScope.SYSTEM, Side.SERVER, 4),
        CpuUse(1.9, 5e9, CpuScope.PROCESS, Side.CLIENT),
        CpuUse(1.89, 5e9, CpuScope.PROCESS, Side.SERVER),
    )
    found = reported_by(cpu=uses, stream_count=2)
    assert set(found) == {"server_cpus", "client_process"}
    host, process = found["server_cpus"], found["client_process"]
    assert host.value_bps == pytest.approx(5e9 * 4 / 3)
    assert host.bounds_bps == pytest.approx((0.95 * 5e9 * 4 / 3, 5e9 * 4 / 3))
    assert host.carrier == "the server's host, 75 % of its 4 CPUs busy"
    assert process.value_bps == pytest.approx(5e9 * 2 / 1.9)
    assert process.bounds_bps == pytest.approx((0.95 * 5e9 * 2 / 1.9, 5e9 * 2 / 1.9))
    assert process.carrier == "the process of iperf3 at the client with 1.9 busy CPUs"


@pytest.mark.parametrize(
    ("tool", "version", "threads"),
    [
        ("iperf3", "3.15", 1),
        ("iperf3", "3.16", 4),
        ("iperf3", "2.20", 1),
        ("iperf3", "4.0", 4),
        ("iperf3", "3.15.9", 1),
        ("iperf3", "3.x", 4),
        ("iperf3", None, 4),
        ("netperf", "2.7", 4),
    ],
)
def test_old_versions_of_iperf3_have_one_thread(
    tool: str, version: str | None, threads: int
) -> None:
    use = CpuUse(1.0, 5e9, CpuScope.PROCESS, Side.CLIENT)
    message = run(5e9, cpu=(use,), stream_count=4)
    verdict = check(replace(message, tool=tool, tool_version=version), LINE)
    names = [each.name for each in verdict.limits.reported]
    assert names == ["client_process"] * (threads == 1)


@pytest.mark.parametrize(
    ("message", "ends"),
    [
        ({"duration_s": 10.0, "write_bytes": 125_000}, (0.9e6, 1.1e6)),
        ({"duration_s": 10.0, "write_bytes": 125_000, "stream_count": 3}, (0.7e6, 1.3e6)),
        ({"duration_s": 10.0, "write_bytes": 12_500_000}, (0, 11e6)),
        ({"write_bytes": 125_000}, (1e6, 1e6)),
        ({"duration_s": 10.0}, (1e6, 1e6)),
        (
            {"duration_s": 10.0, "write_bytes": 9, "protocol": "udp", "datagram_bytes": 1250},
            *((0.999e6, 1.001e6),),
        ),
    ],
    ids=str,
)
def test_a_paced_sender_is_off_by_a_block_of_each_stream(
    message: dict[str, Any], ends: tuple[float, float]
) -> None:
    offered = reported_by(offered_rate_bps=1e6, **message)["offered_rate"]
    assert offered.value_bps == 1e6
    assert offered.bounds_bps == pytest.approx(ends, rel=1e-9)
    assert offered.carrier == "the rate limit of the sender"


@pytest.mark.parametrize("side", ["client", "server"])
def test_half_of_a_budget_is_noted(side: str) -> None:
    def noted(host: SpecifiedHost, **message: Any) -> tuple[str, ...]:
        return notes_of(SpecifiedLine(10e9, 1500, **{side: host}), **message)

    assert noted(SpecifiedHost(us_per_gbit=1e5)) == (
        f"{side}: a cost sets a limit only with a number of CPUs (--{side}-cpus)",
    )
    assert noted(SpecifiedHost(cpu_count=4)) == (
        f"{side}: CPUs set a limit only with a cost (--{side}-cost)",
    )
    assert noted(SpecifiedHost(4, 1e5)) == ()
    both = noted(SpecifiedHost(4, 1e5), is_bidirectional=True)
    assert f"{side}: a cost of both directions together sets no limit to one direction" in both
    use = CpuUse(3.0, 5e9, CpuScope.SYSTEM, Side(side), 4)
    assert noted(SpecifiedHost(cpu_count=4), cpu=(use,)) == ()


def test_a_budget_is_so_many_cpus_at_a_cost() -> None:
    """4 CPUs at 500 ms for each Gbit move 8 Gbit/s."""
    verdict = check(run(5e9), SpecifiedLine(10e9, 1500, client=SpecifiedHost(4, 5e5)))
    assert verdict.binding is not None
    assert verdict.binding.value_bps == pytest.approx(8e9)
    assert verdict.binding.carrier == "the client's CPU budget of 4 CPUs at the given cost"


# Round trips and windows


WINDOW = {"peer_window_bytes": 1_000_000, "round_trip_s": 10e-3, "segment_bytes": 1448}


@pytest.mark.parametrize(
    ("trip_s", "reported_s", "note"),
    [
        (9.4e-3, {"least_round_trip_s": 9.9e-3}, "below the run's smallest of 9.9 ms"),
        (9.41e-3, {"least_round_trip_s": 9.9e-3}, None),  # 5 % less are 9.405
        (10.49e-3, {"round_trip_s": 10e-3}, None),
        (10.51e-3, {"round_trip_s": 10e-3}, "above the run's mean of 10 ms"),
    ],
)
def test_a_round_trip_may_be_5_per_cent_off_those_of_the_run(
    trip_s: float, reported_s: dict[str, float], note: str | None
) -> None:
    line = SpecifiedLine(10e9, 1500, round_trip_s=trip_s)
    expected = () if note is None else (f"specified round trip of {1e3 * trip_s:.4g} ms is {note}",)
    assert notes_of(line, **reported_s) == expected


@pytest.mark.parametrize(
    ("time_s", "note"),
    [
        (9.49e-3, "specified round trip of 10 ms is longer than the mean transaction of 9.49 ms"),
        ((1 - 0.05) * 10e-3, "a transaction takes 9.5 ms: the round trip 10 ms, all else 0 ms"),
        (9.51e-3, "a transaction takes 9.51 ms: the round trip 10 ms, all else 0 ms"),
        (12e-3, "a transaction takes 12 ms: the round trip 10 ms, all else 2 ms"),
    ],
)
def test_a_transaction_takes_its_round_trip_and_more(time_s: float, note: str) -> None:
    line = SpecifiedLine(10e9, 1500, round_trip_s=10e-3)
    assert notes_of(line, transaction_time_s=time_s) == (note,)


@pytest.mark.parametrize(
    ("window_bytes", "note"), [(953_000, None), (952_000, "1000000"), (1_060_000, "1000000")]
)
def test_a_window_may_be_5_per_cent_off_that_of_the_run(
    window_bytes: int, note: str | None
) -> None:
    """Of each connection: the run has two of 500 kB, or one of 1 MB."""
    for count in (1, 2):
        line = SpecifiedLine(10e9, 1500, window_bytes=window_bytes / count)
        found = notes_of(line, **WINDOW, stream_count=count)
        own = 1_000_000 // count
        words = (
            f"specified window of {window_bytes // count} byte; the run reports {own} byte as "
            "advertised"
        )
        assert (words in found) is (note is not None)


@pytest.mark.parametrize(("mbps", "times"), [(839, None), (841, "1.05")])
def test_goodput_beyond_a_specified_window_contradicts_it(mbps: float, times: str | None) -> None:
    """1 MB over 10 ms are 800 Mbit/s, and 5 % more 840."""
    line = SpecifiedLine(10e9, 1500, round_trip_s=10e-3)
    notes = check(run(mbps * 1e6, **WINDOW), line).notes
    words = "times what the window allows over the round trip: one is wrong"
    assert notes == (() if times is None else (f"goodput is {times} {words}",))
    assert check(run(mbps * 1e6, **WINDOW), LINE).notes == ()


def test_a_window_has_its_carrier_in_words() -> None:
    plain = reported_by(**WINDOW)["window"]
    assert plain.carrier == "its advertised window of 1000000 byte over a round trip of 10 ms"
    least = reported_by(**WINDOW, least_round_trip_s=8e-3)["window"]
    assert least.carrier == "its advertised window of 1000000 byte over a round trip of 8 to 10 ms"
    assert least.high_bps == pytest.approx(1e9)
    line = SpecifiedLine(10e9, 1500, window_bytes=5e5)
    one = reported_by(line, **WINDOW)["window"]
    assert one.carrier == "its specified window of 500000 byte over a round trip of 10 ms"
    given = reported_by(line, **WINDOW, stream_count=2)["window"]
    assert given.carrier == (
        "its specified window of 500000 byte of each of 2 connections over a round trip of 10 ms"
    )
    assert given.bounds_bps == pytest.approx((8 * (1e6 - 4 * 1448) / 10e-3, 8e8))


# Expected rates


@pytest.mark.parametrize(
    ("message", "is_expected"),
    [
        ({}, True),
        ({"request_bytes": None}, False),
        ({"response_bytes": None}, False),
        ({"request_bytes": 0, "response_bytes": 0}, False),
        ({"stream_count": None}, False),
        ({"transaction_rate_tps": None}, False),
        ({"transaction_rate_tps": 0.0}, False),
    ],
    ids=str,
)
def test_a_rate_is_expected_of_messages_and_connections_that_are_reported(
    message: dict[str, Any], is_expected: bool
) -> None:
    path = SpecifiedPath(record=path_record("worked-closed-network"))
    usual = {"request_bytes": 200, "response_bytes": 1000, "stream_count": 10}
    asked = run(8e8, **usual | {"transaction_rate_tps": 1e5} | message)
    line = SpecifiedLine(25e9, 1500, path=path)
    assert (check(asked, line).expected is not None) is is_expected
    assert check(asked, SpecifiedLine(25e9, 1500)).expected is None


# As plain values


def test_a_verdict_on_frames_and_one_on_payload_have_the_keys_of_their_unit() -> None:
    """1000 frames of 125 byte are 1 Mbit/s; half of the interval of their mean is 100 frames."""
    message = run(None, frame_rate_fps=1000.0, layer1_rate_bps=1e6)
    repeats = Repeats(files=("a", "b"), half_width_bps=1e5, level_ratio=0.95, outliers=("b",))
    known = RunLimits(
        line_rate_bps=2e6, specified=(Limit("wire", 2e6, 1.6e6, 2e6),), frame_wire_bytes=125.0
    )
    verdict = Verdict(
        file="a",
        outcome=BELOW,
        reason="why",
        measurement=message,
        limits=known,
        repeats=repeats,
    )
    shown = verdict.to_dict()
    assert (shown["goodput_bps"], shown["ceiling_bps"]) == (None, None)
    assert (shown["frame_rate_fps"], shown["ceiling_fps"], shown["ratio"]) == (1000, 2000, 0.5)
    assert shown["limits"] == [
        {
            "name": "wire",
            "specified": True,
            "value_fps": 2000,
            "low_fps": 1600,
            "high_fps": 2000,
            "margin_ratio": 0.5,
            "margin_low_ratio": pytest.approx(0.375),
            "margin_high_ratio": 0.5,
        }
    ]
    assert shown["repeats"] == {
        "files": ["a", "b"],
        "low_fps": 900,
        "high_fps": 1100,
        "level_ratio": 0.95,
        "outliers": ["b"],
    }
    wide = Repeats(files=("a",), half_width_bps=2e6, level_ratio=0.95, outliers=())
    assert replace(verdict, repeats=wide).to_dict()["repeats"]["low_fps"] == 0


@pytest.mark.parametrize(
    ("outcome", "ceiling"),
    [(BELOW, 80e6), (LIMITED, 80e6), (UNKNOWN, None), (AT, 100e6), (IMPOSSIBLE, 100e6)],
)
def test_the_ceiling_of_a_wide_range_is_the_end_on_the_side_of_the_run(
    outcome: Outcome, ceiling: float | None
) -> None:
    verdict = Verdict(
        file="a",
        outcome=outcome,
        reason="",
        measurement=run(40e6),
        limits=limits(low=80),
        tolerance=ALLOWED,
    )
    assert verdict.ceiling_bps == ceiling
    assert verdict.ratio == (None if ceiling is None else 40e6 / ceiling)
    assert verdict.margin_ratio(verdict.limits.smallest) is None
    assert verdict.margin_ratio(Limit("window", 50e6)) == pytest.approx(0.2)


def test_a_frame_has_a_row_for_each_limit() -> None:
    pytest.importorskip("pandas")
    verdict = Verdict(
        file="a",
        outcome=BELOW,
        reason="",
        measurement=run(40e6),
        limits=limits(reported("window", 50, 40, 60)),
    )
    rows = verdict.to_frame().reset_index().to_dict("records")
    assert rows == [
        {
            "limit": "wire",
            "is_specified": True,
            "rate_bps": 100e6,
            "rate_bps_low": 100e6,
            "rate_bps_high": 100e6,
            "measured_bps": 40e6,
            "margin_ratio": pytest.approx(0.6),
        },
        {
            "limit": "window",
            "is_specified": False,
            "rate_bps": 50e6,
            "rate_bps_low": 40e6,
            "rate_bps_high": 60e6,
            "measured_bps": 40e6,
            "margin_ratio": pytest.approx(0.2),
        },
    ]


@pytest.mark.parametrize("direction", list(Direction))
def test_words_of_a_verdict(direction: Direction) -> None:
    message = run(40e6, direction=direction)
    limited = Verdict(file="a", outcome=LIMITED, reason="", measurement=message, is_accepted=True)
    assert (limited.word, limited.passes) == ("limited (accepted)", True)
    assert limited.to_dict()["direction"] == direction.value
    assert limited.to_dict()["accepted"] is True
    contradicted = Verdict(file="a", outcome=None, reason="", measurement=message)
    assert (contradicted.word, contradicted.passes) == ("contradiction", False)
    assert Verdict(file="a", outcome=None, reason="").word == "unreadable"
    assert Verdict(file="a", outcome=AT, reason="").passes
    assert not Verdict(file="a", outcome=LIMITED, reason="").passes


def test_the_smallest_limit_and_the_range_of_several() -> None:
    """The lowest of all low ends, and of all high ones."""
    known = RunLimits(
        line_rate_bps=1e9,
        specified=(Limit("wire", 90.0, 50, 100), Limit("pcie", 80.0, 60, 95), Limit("x", inf)),
    )
    assert known.smallest.name == "pcie"
    assert known.bounds_bps == (50, 95)
    assert not known.is_of_the_line
