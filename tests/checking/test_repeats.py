"""Repeated runs, pooled with an interval."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import EVEN_CEILING_BPS, EVEN_LINE, having, run
from scipy import stats

import netmodel
from netmodel.checking import Outcome, SpecifiedLine, Verdict, check, pooled
from netmodel.readers import Direction
from netmodel.units import format_rate

RESULT_DIGITS = 4  # of results in text


def verdicts(*ratios: float, **reported: Any) -> list[Verdict]:
    usual = {"duration_s": 30.0}
    runs = [run(ratio * EVEN_CEILING_BPS, **(usual | reported)) for ratio in ratios]
    named = [
        having(each, source=f"{number}.json", sha256=f"{number} {each.direction}")
        for number, each in enumerate(runs)
    ]
    return [check(each, EVEN_LINE) for each in named]


def test_repeats_become_one_verdict_on_their_mean() -> None:
    (verdict,) = pooled(verdicts(0.998, 0.999, 1.0))
    assert verdict.repeats is not None
    assert verdict.ratio == pytest.approx(0.999)
    assert verdict.repeats.files == ("0.json", "1.json", "2.json")
    assert verdict.measurement is not None
    assert verdict.measurement.duration_s == 90.0
    assert verdict.reason.startswith("mean of 3 repeats, ±")
    assert verdict.reason.count("at 95 %") == 1


def test_limits_that_are_alike_have_no_range() -> None:
    (verdict,) = pooled(verdicts(0.5, 0.51, segment_bytes=948))
    assert verdict.limits is not None
    assert verdict.limits.reported == verdicts(0.5, segment_bytes=948)[0].limits.reported


def test_as_many_more_runs_are_asked_for_as_decide() -> None:
    """1.167 per mille missed of a border of 3.686: 3.16 squared are 10 runs, one of them known."""
    (verdict,) = verdicts(0.9885, retransmit_count=0)
    assert verdict.more_runs == {"run_count": 9, "duration_s": 30.0}


@pytest.mark.parametrize("scatter", [0.0005, 0.001, 0.0015, 0.002, 0.0025])
def test_half_of_the_sets_of_as_many_runs_decide(scatter: float) -> None:
    """Drawn about the mean of the repeats as these scatter; of half as many runs fewer do."""
    (verdict,) = pooled(verdicts(*(0.9885 + scatter * x for x in (-1, 0, 1)), retransmit_count=0))
    count, end = 3 + verdict.more_runs["run_count"], verdict.tolerance.min_ratio
    draws = np.random.default_rng(count).normal(0.9885, scatter, (200, count))
    for runs, (least, most) in ((draws, (0.45, 1.0)), (draws[:, : count // 2], (0.0, 0.45))):
        halves = stats.t.ppf(0.975, runs.shape[1] - 1) * stats.sem(runs, axis=1)
        assert least <= np.mean(halves < abs(runs.mean(axis=1) - end)) <= most
    judged = (pooled(verdicts(*row, retransmit_count=0))[0] for row in draws[:100])
    assert sum(each.outcome is not Outcome.BORDERLINE for each in judged) >= 45


def test_rates_alone_are_followed_by_rates_alone() -> None:
    """0.9878 of a line, 0.0017 below 0.9895, with a scatter of 0.0053: 38 runs would decide."""
    typed = ["9.35 Gbit/s", "9.30 Gbit/s", "9.25 Gbit/s"]
    (verdict,) = netmodel.check(typed, line_rate_bps=10e9, mtu_bytes=1500, repeats=True)
    assert verdict.outcome is Outcome.BORDERLINE
    assert "30 more runs would not decide" in verdict.why


def test_figures_that_are_printed_alike_leave_their_mean_open_by_their_digits() -> None:
    half_width_bps = 0.005 * EVEN_CEILING_BPS
    (alike,) = pooled(verdicts(0.99, 0.99, 0.99, half_width_bps=half_width_bps))
    assert alike.repeats is not None
    assert alike.repeats.half_width_bps == 0
    assert f"±{format_rate(half_width_bps, RESULT_DIGITS)} at 95 %: " in alike.reason
    (scattered,) = pooled(verdicts(0.97, 0.99, 1.0, half_width_bps=half_width_bps))
    assert scattered.repeats is not None
    scatter_bps = scattered.repeats.half_width_bps
    assert f"±{format_rate(scatter_bps, RESULT_DIGITS)} at 95 %: " in scattered.reason


@given(st.lists(st.floats(0.9, 1.1), min_size=2, max_size=9, unique=True))
def test_the_interval_is_that_of_student(ratios: list[float]) -> None:
    (verdict,) = pooled(verdicts(*ratios))
    assert verdict.repeats is not None
    low, high = stats.t.interval(
        0.95, len(ratios) - 1, loc=np.mean(ratios), scale=stats.sem(ratios)
    )
    assert verdict.repeats.half_width_bps == pytest.approx(
        (high - low) / 2 * EVEN_CEILING_BPS, rel=1e-6, abs=1e-3
    )


def test_scatter_widens_the_border_and_leaves_the_tolerance() -> None:
    """Beside 1.5 public repeats of scale 0.003, three of deviation 0.02 scatter by 0.0152."""
    single = check(run(0.99 * EVEN_CEILING_BPS, duration_s=30.0), EVEN_LINE).tolerance
    (verdict,) = pooled(verdicts(0.96, 0.98, 1.0))
    assert single is not None
    assert verdict.tolerance is not None
    assert verdict.tolerance.min_ratio == pytest.approx(single.min_ratio)
    public = np.hypot(0.0028, np.hypot(0.053 * (1 - single.min_ratio), 0.068 * np.sqrt(1e-3 / 30)))
    scale = np.sqrt((1.5 * public**2 + 2 * 0.02**2) / 3.5)
    assert single.border_below_ratio == pytest.approx(1.28 * public)
    assert verdict.tolerance.border_below_ratio == pytest.approx(1.28 * scale / np.sqrt(3))
    # 1 ms over 10 s where neither is known
    usual = check(run(), EVEN_LINE).tolerance
    assert usual is not None
    scale = np.hypot(0.0028, np.hypot(0.053 * 0.01, 0.068 * 0.01))
    assert usual.border_below_ratio == pytest.approx(1.28 * scale)


@pytest.mark.parametrize(
    ("ratios", "outcome"),
    [
        ((0.998, 0.999, 1.0), Outcome.AT_CEILING),
        ((0.97, 0.99, 1.0), Outcome.BORDERLINE),
        ((0.97, 0.99, 1.02), Outcome.IMPOSSIBLE),
        ((0.96, 0.98, 1.0), Outcome.BORDERLINE),
        ((0.9, 1.0, 1.04), Outcome.IMPOSSIBLE),
        ((0.7, 1.0, 1.3), Outcome.IMPOSSIBLE),
        ((0.94, 1.0, 1.0), Outcome.BORDERLINE),
        ((0.959, 0.96, 0.961), Outcome.BELOW),
        ((1.029, 1.03, 1.031), Outcome.IMPOSSIBLE),
        ((0.5, 0.8, 1.0), Outcome.BELOW),
    ],
)
def test_the_mean_is_judged_by_its_scatter(ratios: tuple[float, ...], outcome: Outcome) -> None:
    """One impossible run makes all impossible."""
    (verdict,) = pooled(verdicts(*ratios))
    assert verdict.outcome is outcome


def test_repeats_keep_their_warnings() -> None:
    message = [
        dataclasses.replace(each.measurement, notes=("odd",)) for each in verdicts(0.99, 1.0)
    ]
    (two,) = pooled([check(each, EVEN_LINE) for each in message])
    assert two.notes.count("odd") == 1
    (three,) = pooled(verdicts(0.99, 0.995, 1.0))
    assert three.notes == ()


@pytest.mark.parametrize(
    "reported",
    [
        {"direction": Direction.SERVER_TO_CLIENT},
        {"stream_count": 2},
        {"segment_bytes": 988},
        {"offered_rate_bps": 1e10},
        {"tool": "uperf"},
        {"protocol": "udp", "datagram_bytes": 1000},
        {"path_mtu_bytes": 9000},
        {"rdma_operation": "send"},
    ],
)
def test_other_configurations_are_not_pooled(reported: dict[str, Any]) -> None:
    changed = having(run(duration_s=30.0), **reported, sha256="other")
    both = [*verdicts(0.99, 1.0), check(changed, EVEN_LINE)]
    first, other = pooled(both)
    assert first.repeats is not None
    assert other is both[2]


def test_what_cannot_be_pooled_stays_in_its_place() -> None:
    failed = check(run(None, error="no route"), EVEN_LINE)
    unread = Verdict(file="x", outcome=None, why="empty")
    first, two = verdicts(0.99, 1.0)
    result = pooled([failed, first, unread, two])
    assert (result[0], result[2]) == (failed, unread)
    assert result[1].repeats is not None


def test_a_result_that_is_there_twice_counts_once() -> None:
    first, two = verdicts(0.99, 1.0)
    (verdict,) = pooled([first, two, first])
    assert verdict.repeats is not None
    assert len(verdict.repeats.files) == 2
    assert any("copies" in text for text in verdict.notes)
    assert pooled([first, dataclasses.replace(first, file="copy.json")]) == (first,)


@pytest.mark.parametrize(("part", "count"), [("run {}", 1), ("line {}", 1), ("port {}", 3)])
def test_runs_and_rows_of_one_file_are_repeats_and_its_ports_are_not(part: str, count: int) -> None:
    message = [having(run(duration_s=30.0), sha256="one", part=part.format(n)) for n in range(3)]
    found = pooled([check(each, EVEN_LINE) for each in message])
    assert len(found) == count
    assert all((each.repeats is None) is (count == 3) for each in found)


def test_typed_figures_that_are_equal_are_repeats() -> None:
    """9.385 with a deviation of 0.03: 3.182 of it over the root of 4 is 0.0477."""
    typed = ["9.40 Gbit/s", "9.40 Gbit/s", "9.40 Gbit/s", "9.34 Gbit/s"]
    (verdict,) = netmodel.check(typed, line_rate_bps=10e9, mtu_bytes=1500, repeats=True)
    assert verdict.goodput_bps == pytest.approx(9.385e9)
    assert verdict.repeats is not None
    assert verdict.repeats.half_width_bps == pytest.approx(0.0477e9, rel=1e-2)


def test_limits_that_differ_are_averaged_with_their_range() -> None:
    message = {"round_trip_s": 10e-3, "segment_bytes": 0}
    runs = [
        run(16e6, duration_s=30.0, **message, peer_window_bytes=window, sha256=str(window))
        for window in (20_000, 22_000)
    ]
    (verdict,) = pooled([check(each, EVEN_LINE) for each in runs])
    assert verdict.binding is not None
    assert verdict.binding.name == "window"
    assert verdict.binding.value_bps == pytest.approx(8 * 21_000 / 10e-3)
    assert verdict.binding.carrier == "the window of the repeats, on average,"
    assert verdict.binding.bounds_bps == pytest.approx((8 * 20_000 / 10e-3, 8 * 22_000 / 10e-3))


def test_frames_are_pooled_in_frames_per_second() -> None:
    runs = [
        run(
            None, frame_rate_fps=fps, layer1_rate_bps=672 * fps, half_width_bps=672, sha256=f"{fps}"
        )
        for fps in (1_480_000.0, 1_484_000.0)
    ]
    (verdict,) = pooled([check(each, SpecifiedLine(1e9)) for each in runs])
    result = verdict.to_dict()
    assert result["frame_rate_fps"] == pytest.approx(1_482_000)
    assert result["repeats"]["low_fps"] < 1_482_000 < result["repeats"]["high_fps"]
    half_width_fps = (result["repeats"]["high_fps"] - result["repeats"]["low_fps"]) / 2
    assert f"±{half_width_fps:,.0f} frames/s at 95 %: 1,482,000 frames/s is" in verdict.reason
