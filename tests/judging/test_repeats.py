"""Repeated runs, pooled with an interval."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import EVEN_CEILING_BPS, EVEN_LINE, run
from scipy import stats

from netmodel.errors import DomainError
from netmodel.judging import Outcome, StatedLine, Verdict, check, pooled
from netmodel.readers import Direction


def verdicts(*ratios: float, **told: Any) -> list[Verdict]:
    usual = {"duration_s": 30.0}
    runs = [run(ratio * EVEN_CEILING_BPS, **(usual | told)) for ratio in ratios]
    named = [
        dataclasses.replace(one, source=f"{number}.json", sha256=f"{number} {one.direction}")
        for number, one in enumerate(runs)
    ]
    return [check(one, EVEN_LINE) for one in named]


def test_repeats_become_one_verdict_on_their_mean() -> None:
    (verdict,) = pooled(verdicts(0.998, 0.999, 1.0))
    assert verdict.repeats is not None
    assert verdict.ratio == pytest.approx(0.999)
    assert verdict.repeats.files == ("0.json", "1.json", "2.json")
    assert verdict.measurement is not None
    assert verdict.measurement.duration_s == 90.0
    assert verdict.reason.startswith("mean of 3 repeats, ±")
    assert verdict.reason.count("at 95%") == 1


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


def test_scatter_widens_the_tolerance_of_a_single_run() -> None:
    single = check(run(0.99 * EVEN_CEILING_BPS, duration_s=30.0), EVEN_LINE).tolerance
    (verdict,) = pooled(verdicts(0.96, 0.98, 1.0))
    assert single is not None
    assert verdict.tolerance is not None
    assert verdict.repeats is not None
    half_width = verdict.repeats.half_width_bps / EVEN_CEILING_BPS
    assert verdict.tolerance.min_ratio == pytest.approx(single.min_ratio - half_width)
    assert verdict.tolerance.max_ratio == pytest.approx(single.max_ratio + half_width)
    assert verdict.tolerance.parts[-1].name == "repeats"


@pytest.mark.parametrize(
    ("ratios", "outcome"),
    [
        ((0.998, 0.999, 1.0), Outcome.AT_CEILING),
        ((0.96, 0.98, 1.0), Outcome.AT_CEILING),
        ((0.959, 0.96, 0.961), Outcome.BELOW),
        ((1.029, 1.03, 1.031), Outcome.IMPOSSIBLE),
        ((0.5, 0.8, 1.0), Outcome.NOT_JUDGEABLE),
    ],
)
def test_the_mean_is_judged_within_its_interval(
    ratios: tuple[float, ...], outcome: Outcome
) -> None:
    (verdict,) = pooled(verdicts(*ratios))
    assert verdict.outcome is outcome


def test_stated_gates_hold_for_the_mean() -> None:
    (verdict,) = pooled(verdicts(0.96, 0.98, 1.0), min_ratio=0.99, max_ratio=1.01)
    assert verdict.outcome is Outcome.BELOW
    with pytest.raises(DomainError, match="min_ratio"):
        pooled([], min_ratio=2.0)


def test_outliers_are_named_and_counted() -> None:
    (verdict,) = pooled(verdicts(0.998, 0.999, 1.0, 0.5))
    assert verdict.repeats is not None
    assert verdict.repeats.outliers == ("3.json",)
    assert verdict.ratio == pytest.approx((0.998 + 0.999 + 1.0 + 0.5) / 4)
    assert "far from the others, and counted all the same: 3.json" in verdict.warnings


def test_what_clocks_explain_is_no_outlier() -> None:
    """Ticks of 10 ms and clocks of 600 ppm explain 0.0009 of 30 s."""
    (verdict,) = pooled(verdicts(0.999, 0.999, 0.999, 0.9985))
    assert verdict.repeats is not None
    assert verdict.repeats.outliers == ()
    (wider,) = pooled(verdicts(0.999, 0.999, 0.999, 0.9975))
    assert wider.repeats is not None
    assert wider.repeats.outliers == ("3.json",)


@pytest.mark.parametrize(
    "told",
    [
        {"direction": Direction.SERVER_TO_CLIENT},
        {"stream_count": 2},
        {"segment_bytes": 988},
        {"offered_rate_bps": 1e10},
        {"tool": "uperf"},
        {"protocol": "udp", "datagram_bytes": 1000},
    ],
)
def test_other_configurations_are_not_pooled(told: dict[str, Any]) -> None:
    changed = dataclasses.replace(run(duration_s=30.0), **told, sha256="other")
    both = [*verdicts(0.99, 1.0), check(changed, EVEN_LINE)]
    first, other = pooled(both)
    assert first.repeats is not None
    assert other is both[2]


def test_what_cannot_be_pooled_stays_in_its_place() -> None:
    failed = check(run(None, error="no route"), EVEN_LINE)
    unread = Verdict(file="x", outcome=None, reason="empty")
    one, two = verdicts(0.99, 1.0)
    found = pooled([failed, one, unread, two])
    assert (found[0], found[2]) == (failed, unread)
    assert found[1].repeats is not None


def test_a_result_that_is_there_twice_counts_once() -> None:
    one, two = verdicts(0.99, 1.0)
    (verdict,) = pooled([one, two, one])
    assert verdict.repeats is not None
    assert len(verdict.repeats.files) == 2
    assert any("there twice" in text for text in verdict.warnings)
    assert pooled([one, one]) == (one,)


def test_limits_that_differ_are_averaged_with_their_range() -> None:
    told = {"round_trip_s": 10e-3, "segment_bytes": 0}
    runs = [
        dataclasses.replace(
            run(16e6, duration_s=30.0, **told), peer_window_bytes=window, sha256=str(window)
        )
        for window in (20_000, 22_000)
    ]
    (verdict,) = pooled([check(one, EVEN_LINE) for one in runs])
    assert verdict.binding is not None
    assert verdict.binding.name == "window"
    assert verdict.binding.value_bps == pytest.approx(8 * 21_000 / 10e-3)
    assert verdict.binding.bounds_bps == pytest.approx((8 * 20_000 / 10e-3, 8 * 22_000 / 10e-3))


def test_repeats_become_plain_values() -> None:
    (verdict,) = pooled(verdicts(0.998, 0.999, 1.0))
    found = verdict.to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    repeats = found["repeats"]
    assert repeats["files"] == ["0.json", "1.json", "2.json"]
    assert repeats["low_bps"] < found["goodput_bps"] < repeats["high_bps"]
    assert (repeats["level_ratio"], repeats["outliers"]) == (0.95, [])
    assert "repeats" not in verdicts(1.0)[0].to_dict()


def test_frames_are_pooled_in_frames_per_second() -> None:
    runs = [
        dataclasses.replace(
            run(None, frame_rate_fps=fps, layer1_rate_bps=8 * 84 * fps, duration_s=30.0),
            sha256=str(fps),
        )
        for fps in (1_480_000.0, 1_484_000.0)
    ]
    (verdict,) = pooled([check(one, StatedLine(1e9)) for one in runs])
    found = verdict.to_dict()
    assert found["frame_rate_fps"] == pytest.approx(1_482_000)
    assert found["repeats"]["low_fps"] < 1_482_000 < found["repeats"]["high_fps"]
    half_width_fps = (found["repeats"]["high_fps"] - found["repeats"]["low_fps"]) / 2
    assert f"±{half_width_fps:,.0f} frames/s at 95%: 1,482,000 frames/s is" in verdict.reason
