"""All causes that a reason names, in their order, and both sides of every threshold."""

import math
from typing import Any

import pytest
from runs import EVEN_CEILING_BPS, EVEN_LINE, run

from netmodel.checking import Gate, SpecifiedHost, SpecifiedLine, check
from netmodel.framing import parse_stack

ETHTOOL = "(confirm: ethtool and ip link at both ends)"
AGGREGATES = (
    "a virtual or emulated line that counts an aggregate of TSO or GRO as one frame carries up to "
    "{} (confirm: ip -d link shows veth, and the rate falls with gso_max_segs 1)"
)
CREDIT = (
    "a cloud instance with {} GB of burst credit would explain it (confirm: the rate falls to the "
    "baseline in a longer run)"
)
BUCKET = (
    "a token bucket of {} byte or more, full at the start, would explain it (confirm: tc -s qdisc "
    "shows a burst of that size, or a longer run is nearer to 1)"
)
NOT_CAPPED = "the rate cap does not apply to this run (confirm: another tool, or its configuration)"
DROPS = "(confirm: drop counters of ethtool -S, ip -s link and the switch)"
LOOPBACK = "the connection stayed on a loopback interface and crossed no line"
OTHERWISE = (
    "something other than {} limits (check CPUs, drops and other traffic at both ends: "
    "mpstat -P ALL, ethtool -S, ip -s link)"
)
CAPPED = SpecifiedLine(25e9, 1500, rate_cap_bps=100e6)


def causes(goodput_bps: float, line: SpecifiedLine = EVEN_LINE, **reported: Any) -> list[str]:
    """What a reason says after the rate; of a run with the derived tolerance."""
    return check(run(goodput_bps, **reported), line).reason.partition(": ")[2].split("; ")


def wrong_line(rate: str, sizes: str = "this MTU") -> str:
    return (
        f"line rate, MTU or headers are not those specified: with {sizes} and headers it takes a "
        f"line of at least {rate} {ETHTOOL}"
    )


# More than the line carries


def test_without_a_duration_only_what_is_specified_is_questioned() -> None:
    """1.2 times as much takes a line of 1.2 x 1538 Mbit/s."""
    assert causes(1.2 * EVEN_CEILING_BPS) == [wrong_line("1.8456 Gbit/s")]


@pytest.mark.parametrize(("ratio", "is_doubted"), [(1.0299, False), (1.0301, True)])
def test_up_to_3_per_cent_too_much_what_is_specified_is_not_questioned(
    ratio: float, is_doubted: bool
) -> None:
    """45 segments of 1448 byte are 65160 byte in 65250: 1535.9 of 1538 Mbit/s."""
    expected = [wrong_line(f"{ratio * 1.538:.5g} Gbit/s")] * is_doubted
    assert causes(ratio * EVEN_CEILING_BPS) == [*expected, AGGREGATES.format("1.5359 Gbit/s")]


@pytest.mark.parametrize(("measured_bps", "is_named"), [(1543.5e6, True), (1543.7e6, False)])
def test_an_aggregate_carries_half_a_per_cent_more_than_its_bytes_at_most(
    measured_bps: float, is_named: bool
) -> None:
    """1.005 x 1538 Mbit/s x 65160 / 65250 are 1543.56 Mbit/s."""
    expected = [AGGREGATES.format("1.5359 Gbit/s")] * is_named
    assert causes(measured_bps, received_bytes=1)[1:] == expected


@pytest.mark.parametrize(
    ("measured_bps", "duration_s", "saved"),
    [
        # 64 MiB are 536.9 Mbit: 53.687 Mbit/s more for 10 s
        (153.6e6, 12.0, CREDIT.format("0.0804")),  # 80.4 MB, and above 1.5 times the cap
        (149.9e6, 10.0, BUCKET.format("62,375,000")),
        (150.1e6, 10.0, CREDIT.format("0.0626")),
        (117.89e6, 30.0, BUCKET.format("67,087,500")),
        (117.91e6, 30.0, CREDIT.format("0.0672")),
        (1999e6, 60.0, CREDIT.format("14.2")),
    ],
)
def test_a_bucket_holds_64_mib_and_half_as_much_again_and_a_credit_more(
    measured_bps: float, duration_s: float, saved: str
) -> None:
    assert causes(measured_bps, CAPPED, duration_s=duration_s) == [saved, NOT_CAPPED]


@pytest.mark.parametrize(("measured_bps", "duration_s"), [(2001e6, 60.0), (1999e6, None)])
def test_nothing_saved_explains_more_than_20_times_a_cap_or_an_unknown_time(
    measured_bps: float, duration_s: float | None
) -> None:
    assert causes(measured_bps, CAPPED, duration_s=duration_s) == [NOT_CAPPED]


@pytest.mark.parametrize(
    ("protocol", "where"),
    [("tcp", "socket buffers"), ("udp", "socket buffers or was lost")],
)
def test_what_a_sender_counts_is_named_first(protocol: str, where: str) -> None:
    message = {"protocol": protocol, "datagram_bytes": 1472, "is_counted_at_sender": True}
    first, *others = causes(150e6, CAPPED, **message)
    assert first == (
        f"it was counted at the sender, with data that was in {where} "
        "(confirm: the result of the receiver)"
    )
    assert others == [NOT_CAPPED]


def test_a_run_over_loopback_has_no_other_cause_than_that() -> None:
    assert causes(1.2 * EVEN_CEILING_BPS, is_loopback=True, duration_s=2.0) == [LOOPBACK]


def test_a_limit_of_a_host_may_be_higher_than_specified() -> None:
    """One CPU at 1 ms for each Gbit moves 1000 Gbit/s, at 10 ms 100 Gbit/s, at 2 s 0.5."""
    line = SpecifiedLine(1538e6, 1500, server=SpecifiedHost(1, 2e6))
    assert causes(6e8, line) == ["the limit server_cpu_budget is higher than specified"]
    assert causes(4e8, line) == [OTHERWISE.format("the limit server_cpu_budget")]


@pytest.mark.parametrize(("ratio", "is_named"), [(1.0049, True), (1.0051, False)])
def test_writes_share_segments_up_to_half_a_per_cent_above_full_ones(
    ratio: float, is_named: bool
) -> None:
    """Writes of 1000 byte alone carry 1411 Mbit/s, full segments 1448."""
    line = SpecifiedLine(1538e6, 1500, message_bytes=1000)
    merged = (
        f"writes shared segments: with full ones the ratio is {ratio:.4f} "
        "(confirm: a capture, or the run without TCP_NODELAY)"
    )
    assert (causes(ratio * EVEN_CEILING_BPS, line) == [merged]) is is_named


VXLAN = SpecifiedLine(
    1538e6, 1450, stack=parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps")
)
AROUND = (
    "without the encapsulation, under ethernet/ipv4/tcp+timestamps at MTU {}, the ratio is {} "
    "(confirm: ip route get to the peer)"
)


@pytest.mark.parametrize(
    ("measured_bps", "named"),
    [
        (1.004 * 1448e6, [("1500", "1.0040")]),
        (1538e6 * 1398 / 1488, [("1450", "1.0000"), ("1500", "0.9979")]),
        (1.0051 * 1448e6, []),
        (0.9849 * 1538e6 * 1398 / 1488, []),
    ],
)
def test_a_tunnel_that_was_not_used_is_named_with_either_mtu(
    measured_bps: float, named: list[tuple[str, str]]
) -> None:
    """
    1450 byte are 1500 with inner Ethernet, VXLAN, UDP and IPv4, which carry 1398 of payload.

    Without them 1398 of 1488 byte, or 1448 of 1538.
    """
    found = [each for each in causes(measured_bps, VXLAN) if "encapsulation" in each]
    assert found == [AROUND.format(*each) for each in named]
    assert ("a line of at least" in "".join(causes(measured_bps, VXLAN))) is (
        not named and measured_bps > 1.03 * 1398e6
    )


@pytest.mark.parametrize(("ratio", "is_named"), [(0.9949, False), (0.9951, True)])
def test_a_size_is_guessed_from_half_a_per_cent_below_its_ceiling(
    ratio: float, is_named: bool
) -> None:
    words = (
        f"under ethernet/ipv4/tcp+timestamps at MTU 9000 the ratio is {ratio:.4f} "
        "(confirm: ip link at both ends)"
    )
    assert (words in causes(ratio * 1538e6 * 8948 / 9038)) is is_named


@pytest.mark.parametrize(("ratio", "is_named"), [(1.0019, True), (1.0021, False)])
def test_missing_time_stamps_are_guessed_up_to_two_per_mille_above(
    ratio: float, is_named: bool
) -> None:
    words = (
        f"under ethernet/ipv4/tcp at MTU 1500 the ratio is {ratio:.4f} "
        "(confirm: sysctl net.ipv4.tcp_timestamps at both ends)"
    )
    assert (words in causes(ratio * 1460e6)) is is_named


@pytest.mark.parametrize(
    ("ratio", "is_named"), [(0.9949, False), (0.9951, True), (1.0019, True), (1.0021, False)]
)
def test_datagrams_that_would_be_cut_otherwise_are_guessed(ratio: float, is_named: bool) -> None:
    """8972 byte are one frame of 9038 at MTU 9000, and seven at MTU 1500."""
    message = {"protocol": "udp", "datagram_bytes": 8972, "received_bytes": 1}
    words = (
        f"datagrams of 8972 byte at MTU 9000: the ratio is {ratio:.4f} "
        "(confirm: ip link at both ends)"
    )
    assert (words in causes(ratio * 1538e6 * 8972 / 9038, **message)) is is_named


def test_datagrams_that_every_mtu_carries_alike_are_of_no_other_mtu() -> None:
    """1000 byte take 1066 at any of the usual MTUs."""
    message = {"protocol": "udp", "datagram_bytes": 1000, "received_bytes": 1}
    named = causes(1.001 * 1538e6 * 1000 / 1066, **message)
    assert not any("datagrams of" in each for each in named)


@pytest.mark.parametrize(("ratio", "is_named"), [(1.0049, True), (1.0051, False)])
def test_short_frames_without_padding_carry_half_a_per_cent_more_at_most(
    ratio: float, is_named: bool
) -> None:
    """1 byte of UDP takes 84 on the wire, and 67 without padding."""
    message = {"protocol": "udp", "datagram_bytes": 1, "received_bytes": 1}
    named = causes(ratio * 84e6 / 67, SpecifiedLine(84e6, 1500), **message)
    assert any("does not pad short frames" in each for each in named) is is_named


@pytest.mark.parametrize(
    ("round_trips_s", "is_named"),
    [
        ({"round_trip_s": 0.99e-3}, True),
        ({"round_trip_s": 1e-3}, False),
        ({"round_trip_s": 5e-3, "least_round_trip_s": 0.99e-3}, True),
        ({"round_trip_s": 5e-3, "least_round_trip_s": 1e-3}, False),
    ],
)
@pytest.mark.parametrize("window", ["congestion_window_bytes", "peer_window_bytes"])
def test_a_line_of_another_rate_is_guessed_of_runs_within_a_millisecond(
    round_trips_s: dict[str, float], is_named: bool, window: str
) -> None:
    """Half of the line, which its window may cause too over more than 100 km."""
    line = SpecifiedLine(10e9, 1500)
    half = causes(0.5 * 10e9 * 1448 / 1538, line, **round_trips_s, **{window: 10**9})
    words = "a line of 5 Gbit/s would explain it: 1.0000 of its ceiling"
    assert any(each.startswith(words) for each in half) is is_named


def test_what_segments_of_the_run_carry_needs_a_faster_line() -> None:
    """1.2 times 1448 Mbit/s in segments of 948 of 1038 byte: 1.2 x 1448 x 1038 / 948 Mbit/s."""
    needed_gbps = 1.2 * 1.448 * 1038 / 948
    found = causes(1.2 * EVEN_CEILING_BPS, segment_bytes=948)
    assert found == [wrong_line(f"{needed_gbps:.5g} Gbit/s", "the run's own segments")]


@pytest.mark.parametrize(
    ("line", "segment_bytes", "measured_bps", "words"),
    [
        (EVEN_LINE, 8948, 1520e6, "need a larger MTU; at MTU 9000"),
        (SpecifiedLine(1538e6, 1500, timestamps=True), 1460, 1459e6, "have no room for TCP"),
    ],
)
def test_segments_that_explain_too_much_are_the_only_cause(
    line: SpecifiedLine, segment_bytes: int, measured_bps: float, words: str
) -> None:
    """Whatever else would fit as well: a short run, or a bucket."""
    text = "; ".join(causes(measured_bps, line, segment_bytes=segment_bytes, duration_s=60.0))
    assert text.startswith(f"the run's segments of {segment_bytes} byte {words}")
    assert text.count("(confirm:") == 1


# Less than the line carries


def test_nothing_known_of_a_slow_run_leaves_what_to_check() -> None:
    assert causes(0.3 * EVEN_CEILING_BPS, segment_bytes=1448) == [OTHERWISE.format("the wire")]


def test_a_slow_run_over_loopback_crossed_no_line_and_more() -> None:
    found = causes(0.3 * EVEN_CEILING_BPS, segment_bytes=1448, is_loopback=True, lost_ratio=0.25)
    # 0.3 / 0.75 of the limit left the sender
    lost = f"25 % of the datagrams were lost, 0.4000 of the limit was sent {DROPS}"
    assert found == [LOOPBACK, lost]


@pytest.mark.parametrize(("ratio", "is_named"), [(0.9849, False), (0.9851, True)])
def test_acknowledgements_explain_what_is_near_their_share(ratio: float, is_named: bool) -> None:
    """1538 of 1628 byte of the ceiling; a narrower gate than the derived one, which allows it."""
    message = run(ratio * 1448e6 * 1538 / 1628, is_bidirectional=True, segment_bytes=1448)
    reason = check(message, EVEN_LINE, Gate(min_ratio=0.97)).reason
    words = (
        "both directions: beside one acknowledgement for each segment of the other direction the "
        f"ratio is {ratio:.4f} (confirm: each direction alone)"
    )
    assert (words in reason) is is_named


@pytest.mark.parametrize(
    ("reached_ratio", "lost_ratio", "is_named"),
    [(0.984, 0.0009, True), (0.986, 0.0009, False), (0.984, 0.001, False)],
)
def test_a_sender_is_slow_below_its_own_rate_and_without_loss(
    reached_ratio: float, lost_ratio: float, is_named: bool
) -> None:
    message = {"protocol": "udp", "datagram_bytes": 64, "offered_rate_bps": 1e9}
    found = causes(reached_ratio * 1e9, SpecifiedLine(10e9, 1500), **message, lost_ratio=lost_ratio)
    slow = (
        f"the sender reached {reached_ratio:.4f} of the requested rate, and nothing was lost: it "
        "cannot send faster (confirm: its CPU, larger datagrams)"
    )
    assert (slow in found) is is_named


@pytest.mark.parametrize(("lost_ratio", "is_named"), [(0.00099, False), (0.001, True)])
def test_lost_datagrams_count_from_one_in_a_thousand(lost_ratio: float, is_named: bool) -> None:
    found = causes(0.3 * EVEN_CEILING_BPS, segment_bytes=1448, lost_ratio=lost_ratio)
    sent = f"{0.3 / (1 - lost_ratio):.4f}"
    lost = f"0.1 % of the datagrams were lost, {sent} of the limit was sent {DROPS}"
    assert found == ([lost] if is_named else [OTHERWISE.format("the wire")])


@pytest.mark.parametrize(("again", "is_named"), [(9, False), (10, True)])
def test_retransmitted_segments_count_from_one_in_a_thousand(again: int, is_named: bool) -> None:
    """Ten segments of 1448 byte of 14.48 MB."""
    message = {"segment_bytes": 1448, "received_bytes": 14_480_000, "retransmit_count": again}
    found = causes(0.3 * EVEN_CEILING_BPS, **message)
    lost = f"10 segments were retransmitted (0.1 %) {DROPS}"
    assert found == ([lost] if is_named else [OTHERWISE.format("the wire")])


@pytest.mark.parametrize(
    ("again", "peer_bytes", "measured_bps", "is_named"),
    [
        (1, None, 200e6, True),  # 300 Mbit/s are 1.5 times that
        (1, None, 199.9e6, False),
        (2, 3_000_001, 250e6, True),
        (2, 3_000_000, 250e6, False),
        (0, None, 250e6, False),
        (None, None, 250e6, False),
    ],
)
def test_a_congestion_window_explains_where_it_is_the_smaller_one_and_segments_were_lost(
    again: int | None, peer_bytes: int | None, measured_bps: float, is_named: bool
) -> None:
    """3 MB over 80 ms are 300 Mbit/s."""
    message = {"congestion_window_bytes": 3_000_000, "peer_window_bytes": peer_bytes}
    found = causes(
        measured_bps,
        SpecifiedLine(10e9, 1500),
        **message,
        round_trip_s=80e-3,
        retransmit_count=again,
        congestion_control="bbr",
    )
    count = "1 segment was" if again == 1 else f"{again} segments were"
    small = (
        "its congestion window of at most 3,000,000 byte over 80 ms carries 300 Mbit/s, and "
        f"{count} retransmitted: loss kept it small (confirm: ss -ti during the run, drop counters)"
    )
    assert (small in found) is is_named
    in_flight_bytes = math.floor(measured_bps * 80e-3 / 8 + 0.5)
    hint = f"goodput times the round trip is {in_flight_bytes:,} byte"
    assert any(each.startswith(hint) for each in found) is (peer_bytes is None)


@pytest.mark.parametrize(
    ("reported", "is_named"),
    [
        ({}, True),
        ({"peer_window_bytes": 10**9}, False),
        ({"socket_buffer_bytes": 10**9}, False),
        ({"protocol": "udp", "datagram_bytes": 1472}, False),
    ],
)
def test_a_window_is_asked_for_where_none_is_known(
    reported: dict[str, Any], is_named: bool
) -> None:
    """1 Gbit/s over 10 ms are 1.25 MB."""
    found = causes(1e9, SpecifiedLine(25e9, 1500), round_trip_s=10e-3, **reported)
    hint = (
        "goodput times the round trip is 1,250,000 byte: a window of that size would explain it "
        "(confirm: ss -ti during the run, or larger socket buffers)"
    )
    assert (hint in found) is is_named
