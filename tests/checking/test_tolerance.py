"""The tolerance of a verdict, part by part."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import EVEN_CEILING_BPS, EVEN_LINE, run

from netmodel.checking import Gate, Outcome, Verdict, check
from netmodel.checking._tolerance import Tolerance
from netmodel.errors import DomainError
from netmodel.readers import Measurement

LONG = {"duration_s": 10.0}


def tolerance_of(measurement: Measurement) -> Tolerance:
    result = check(measurement, EVEN_LINE).tolerance
    assert result is not None
    return result


def part(measurement: Measurement, name: str) -> tuple[float, float]:
    parts = {each.name: each for each in tolerance_of(measurement).parts}
    return (parts[name].below_ratio, parts[name].above_ratio) if name in parts else (0.0, 0.0)


def test_the_floor_is_one_per_cent_below_and_the_clocks_above() -> None:
    """100 ppm of the line's clock and 500 of the host's."""
    assert part(run(**LONG), "floor") == pytest.approx((0.01, 600e-6))


@pytest.mark.parametrize("floor_ratio", [0.0, 0.03])
def test_the_floor_can_be_specified(floor_ratio: float) -> None:
    result = check(run(**LONG), EVEN_LINE, Gate(floor_ratio=floor_ratio)).tolerance
    assert result is not None
    assert result.parts[0].below_ratio == floor_ratio


@pytest.mark.parametrize("floor_ratio", [-0.01, 1.0, float("nan")])
def test_a_floor_that_makes_no_sense_is_refused(floor_ratio: float) -> None:
    with pytest.raises(DomainError, match="tolerance must be from 0 to less than 1"):
        Gate(floor_ratio=floor_ratio)


@pytest.mark.parametrize(("duration_s", "ratio"), [(10.0, 1e-3), (1.0, 1e-2), (100.0, 1e-4)])
def test_a_tick_counts_over_the_duration(duration_s: float, ratio: float) -> None:
    assert part(run(duration_s=duration_s), "timing") == pytest.approx((ratio, ratio))


def test_what_was_under_way_is_the_smaller_of_both_windows() -> None:
    """1.81 MB in 10 s at 1448 Mbit/s, which are 1.81 GB, is a thousandth."""
    message = {"congestion_window_bytes": 1_810_000, "peer_window_bytes": 3_000_000}
    assert part(run(**LONG, **message), "buffers") == pytest.approx((1e-3, 1e-3))
    small = {"congestion_window_bytes": 9_000_000, "peer_window_bytes": 1_810_000}
    assert part(run(**LONG, **small), "buffers") == pytest.approx((1e-3, 1e-3))
    assert part(run(**LONG), "buffers") == (0, 0)


def test_the_buffer_of_a_sender_that_counts_for_itself_only_adds() -> None:
    """4 MiB of 1.81 GB; two connections have twice that; what is asked for holds."""
    whole = 4 * 2**20 / 1.81e9
    assert part(run(**LONG, is_counted_at_sender=True), "sender") == pytest.approx((0, whole))
    two = run(**LONG, is_counted_at_sender=True, stream_count=2)
    assert part(two, "sender") == pytest.approx((0, 2 * whole))
    asked = run(**LONG, is_counted_at_sender=True, socket_buffer_bytes=18_100)
    assert part(asked, "sender") == pytest.approx((0, 1e-5))
    assert part(run(**LONG), "sender") == (0, 0)


def test_rounded_figures_count_as_far_as_they_are_rounded() -> None:
    message = run(**LONG, goodput_half_width_bps=0.01 * EVEN_CEILING_BPS)
    assert part(message, "rounding") == pytest.approx((0.01, 0.01))


@pytest.mark.parametrize(
    ("protocol", "streams", "retransmits", "ratio"),
    [
        ("tcp", 1, None, 0.02),
        ("tcp", 1, 0, 0.0),
        ("tcp", 1, 7, 0.02),
        ("tcp", 8, 2, 0.005),
        ("tcp", 8, 100, 0.02),
        ("tcp", 8, None, 0.02),
        ("udp", 1, None, 0.0),
    ],
)
def test_each_stream_that_resent_segments_may_have_waited_once(
    protocol: str, streams: int, retransmits: int | None, ratio: float
) -> None:
    """200 ms of 10 s, in the share of the rate that those streams have."""
    sent = {"stream_count": streams, "retransmit_count": retransmits}
    message = run(**LONG, protocol=protocol, datagram_bytes=1448, **sent)
    assert part(message, "recovery") == pytest.approx((ratio, 0))


@pytest.mark.parametrize(
    ("duration_s", "ratio", "outcome"),
    [(10.0, 0.978, "below"), (60.0, 0.9957, "at_ceiling"), (10.0, 0.9957, "at_ceiling")],
)
def test_a_long_run_is_judged_as_a_short_one_but_for_a_tick(
    duration_s: float, ratio: float, outcome: str
) -> None:
    """A run without retransmits passes by the floor, however long it was."""
    message = run(ratio * EVEN_CEILING_BPS, duration_s=duration_s, retransmit_count=0)
    verdict = check(message, EVEN_LINE)
    assert verdict.outcome is not None
    assert verdict.outcome.value == outcome


def test_overloaded_udp_is_judged_like_tcp() -> None:
    message = {"protocol": "udp", "datagram_bytes": 1472, "duration_s": 60.0, "lost_ratio": 0.3}
    for ratio, outcome in ((0.9957, Outcome.AT_CEILING), (0.985, Outcome.BELOW)):
        assert (
            check(run(ratio * 1472e6, offered_rate_bps=2e9, **message), EVEN_LINE).outcome
            is outcome
        )


def test_slow_start_takes_a_round_trip_for_each_doubling() -> None:
    """1448 Mbit/s over 8 ms are 1 448 000 byte: 100 times ten segments, log2(100) doublings."""
    message = {"round_trip_s": 8e-3, "segment_bytes": 1448}
    below, above = part(run(**LONG, **message), "slow_start")
    assert (below, above) == pytest.approx((6.643856 * 8e-3 / 10, 0), rel=1e-6)
    assert part(run(**LONG, **message, leaves_out_start=True), "slow_start") == (0, 0)
    assert part(run(**LONG, **(message | {"round_trip_s": 1e-6})), "slow_start") == (0, 0)


def test_acknowledgements_of_the_other_direction_take_their_share() -> None:
    """A pure one takes 84 + 6 byte on the wire beside each frame of 1538: 1 - 1538 / 1628."""
    below, above = part(run(**LONG, is_bidirectional=True), "acknowledgements")
    assert (below, above) == pytest.approx((1 - 1538 / 1628, 0))


def test_a_datagram_of_each_stream_counts_whole_or_not_at_all() -> None:
    """Two of 8972 byte in 10 s at what the line carries of them, 8972 of 9102 byte at MTU 1500."""
    message = {"protocol": "udp", "datagram_bytes": 8972, "stream_count": 2}
    wire_bytes = 6 * 1538 + 8972 + 8 - 6 * 1480 + 20 + 38
    ceiling_bps = 1538e6 * 8972 / wire_bytes
    moved = 2 * 8 * 8972 / (ceiling_bps * 10)
    assert part(run(**LONG, **message), "writes") == pytest.approx((moved, moved))


def test_a_write_counts_whole_where_the_sender_keeps_to_a_rate() -> None:
    """iperf3 -b 1M -t 10 sends ten writes of 128 KiB: 1.0486 Mbit/s."""
    message = {**LONG, "write_bytes": 131_072}
    assert part(run(**message), "writes") == (0, 0)
    paced = run(1.0486e6, offered_rate_bps=1e6, **message)
    verdict = check(paced, EVEN_LINE)
    assert verdict.outcome is Outcome.LIMITED
    block_bps = 8 * 131_072 / 10
    assert verdict.binding.bounds_bps == pytest.approx((1e6 - block_bps, 1e6 + block_bps))


def test_a_specified_transport_counts_where_the_run_shows_none() -> None:
    message = {**LONG, "protocol": None, "is_bidirectional": True}
    specified = dataclasses.replace(EVEN_LINE, transport="tcp")
    allowed = check(run(**message), specified).tolerance
    assert allowed is not None
    assert {"recovery", "acknowledgements"} <= {each.name for each in allowed.parts}


def test_all_parts_add_up() -> None:
    result = tolerance_of(run(**LONG, is_bidirectional=True, goodput_half_width_bps=1e6))
    assert result.min_ratio == pytest.approx(1 - sum(each.below_ratio for each in result.parts))
    assert result.max_ratio == pytest.approx(1 + sum(each.above_ratio for each in result.parts))
    assert all(each.reason for each in result.parts)


def test_a_run_without_a_duration_has_no_part_that_rests_on_one() -> None:
    assert [each.name for each in tolerance_of(run()).parts] == ["floor"]


@pytest.mark.parametrize(
    ("min_ratio", "max_ratio", "expected"),
    [
        (0.9, None, (0.9, 1.0016)),
        (None, 1.1, (0.969, 1.1)),
        (0.9, 1.1, (0.9, 1.1)),
        (None, None, (0.969, 1.0016)),
    ],
)
def test_what_is_specified_takes_the_place_of_what_is_derived(
    min_ratio: float | None, max_ratio: float | None, expected: tuple[float, float]
) -> None:
    result = check(run(**LONG), EVEN_LINE, Gate(min_ratio, max_ratio)).tolerance
    assert result is not None
    assert (result.min_ratio, result.max_ratio) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ratio", "outcome"),
    [
        (0.9689, Outcome.BELOW),
        (0.9691, Outcome.AT_CEILING),
        (1.0015, Outcome.AT_CEILING),
        (1.0017, Outcome.IMPOSSIBLE),
    ],
)
def test_the_derived_tolerance_decides(ratio: float, outcome: Outcome) -> None:
    assert check(run(ratio * EVEN_CEILING_BPS, **LONG), EVEN_LINE).outcome is outcome


@pytest.mark.parametrize(
    ("ratio", "outcome"),
    [
        (0.951, Outcome.AT_CEILING),
        (0.949, Outcome.NOT_JUDGEABLE),
        (0.4, Outcome.BELOW),
        (1.01, Outcome.AT_CEILING),
        (1.05, Outcome.IMPOSSIBLE),
    ],
)
def test_a_run_too_short_to_show_does_not_pass_far_from_its_ceiling(
    ratio: float, outcome: Outcome
) -> None:
    """In half a second a retransmission timeout takes 40 %, ticks 2 %."""
    verdict = check(run(ratio * EVEN_CEILING_BPS, duration_s=0.5), EVEN_LINE)
    assert verdict.outcome is outcome
    assert ("too short, or" in verdict.reason) == (outcome is Outcome.NOT_JUDGEABLE)


def test_a_specified_gate_is_not_widened_nor_questioned() -> None:
    wide = check(run(0.5 * EVEN_CEILING_BPS, duration_s=0.5), EVEN_LINE, Gate(0.4, 1.1))
    assert wide.outcome is Outcome.AT_CEILING


def test_a_run_of_a_moment_has_a_gate_of_zero_and_parts_of_something() -> None:
    result = tolerance_of(run(duration_s=0.1, round_trip_s=1e-6, segment_bytes=1448))
    assert result.min_ratio == 0
    assert [each.name for each in result.parts] == ["floor", "timing", "recovery"]


def test_the_tolerance_is_part_of_the_plain_values() -> None:
    result = check(run(**LONG), EVEN_LINE).to_dict()
    assert result["tolerance_ratio"] == pytest.approx(0.031)
    assert (result["min_ratio"], result["max_ratio"]) == pytest.approx((0.969, 1.0016))
    assert [each["name"] for each in result["tolerance"]] == ["floor", "timing", "recovery"]
    assert set(result["tolerance"][0]) == {"name", "below_ratio", "above_ratio", "reason"}


@given(
    duration_s=st.floats(0.01, 1e4),
    longer=st.floats(1, 100),
    reported=st.fixed_dictionaries(
        {
            "congestion_window_bytes": st.none() | st.integers(1, 10**8),
            "round_trip_s": st.none() | st.floats(1e-6, 1),
            "segment_bytes": st.none() | st.integers(1, 8948),
            "is_counted_at_sender": st.booleans(),
            "is_bidirectional": st.booleans(),
        }
    ),
)
def test_a_longer_run_has_no_wider_tolerance(
    duration_s: float, longer: float, reported: dict[str, Any]
) -> None:
    short = run(duration_s=duration_s, **reported)
    shorter, wider = tolerance_of(dataclasses.replace(short, duration_s=duration_s * longer)), None
    wider = tolerance_of(short)
    assert wider.min_ratio <= shorter.min_ratio <= 1 <= shorter.max_ratio <= wider.max_ratio


def test_a_verdict_that_could_not_be_reached_has_no_tolerance() -> None:
    failed: Verdict = check(run(None, error="no route"), EVEN_LINE)
    assert failed.tolerance is None
    assert failed.to_dict()["tolerance_ratio"] is None


@pytest.mark.parametrize(
    ("half_width_bps", "outcome"), [(0.5e9, "not_judgeable"), (0.05e9, "at_ceiling")]
)
def test_a_figure_of_one_digit_decides_nothing(half_width_bps: float, outcome: str) -> None:
    """10 Gbit/s at MTU 9000, where the line carries 9.9: that is within half of its last digit."""
    line = dataclasses.replace(EVEN_LINE, line_rate_bps=10e9, mtu_bytes=9000)
    near_bps = 10e9 if outcome == "not_judgeable" else 9.93e9
    verdict = check(run(near_bps, goodput_half_width_bps=half_width_bps), line)
    assert verdict.outcome.value == outcome
    assert ("three or more" in verdict.reason) is (outcome == "not_judgeable")
