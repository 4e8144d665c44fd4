"""How likely a plan holds: against closed forms, the share of hours, and independent samples."""

import math
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel._estimates import Bound
from netmodel.path import SpecifiedPath
from netmodel.planning import Flow, Headroom, parse_flow
from netmodel.planning._demand import demand_of
from netmodel.planning._loads import Loads, loads_of
from netmodel.planning._planner import plan_demand
from netmodel.planning._probability import HoldingProbability, holding_probability
from netmodel.planning._volumes import (
    PlannedVolume,
    volume_of_mean,
    volume_of_peak,
    volume_of_series,
)
from netmodel.records import adapter
from netmodel.records._load_series import LoadSeries

STREAM = "str-writex30k"
OSA = adapter("osa-express7s-25gbe")
LINE = adapter("ethernet-25gbe")


def planned(
    volumes: list[PlannedVolume],
    *,
    count: int | None = None,
    of: str = "osa-express7s-25gbe",
    room: Headroom | None = None,
    workloads: tuple[str, ...] = (STREAM, "rr1c-200x30k"),
) -> tuple[tuple[Flow, ...], Loads]:
    """Loads of streams of the planned volumes, one after another."""
    flows = tuple(
        parse_flow(f"{volume.planned_bps / 1e9!r} Gbit/s {workload}")
        for volume, workload in zip(volumes, workloads, strict=False)
    )
    demand = demand_of(flows, SpecifiedPath(adapter(of), adapter(of)), 1500)
    plan = plan_demand(demand, Headroom(0.7, 0) if room is None else room)
    return flows, loads_of(demand, plan, adapter_count=count)


def lognormal_share(limit: float, mean: float, variation: float) -> float:
    """The distribution function, by the error function."""
    variance = math.log1p(variation**2)
    deviations = (math.log(limit / mean) + variance / 2) / math.sqrt(variance)
    return 0.5 * (1 + math.erf(deviations / math.sqrt(2)))


def series(values: list[float]) -> LoadSeries:
    return LoadSeries(
        file="made-up.csv",
        column="gbit_s",
        unit="Gbit/s",
        start=datetime(2026, 12, 1, tzinfo=UTC),
        step_s=3600.0,
        values=tuple(values),
        is_tps=False,
    )


def test_one_lognormal_load_on_a_known_line() -> None:
    volume = volume_of_mean("a", 20e9, 0.95, variation_ratio=0.3)
    _, loads = planned([volume], count=3, of="ethernet-25gbe")
    result = holding_probability(loads, [volume])
    assert result is not None
    # 3 lines of 25 Gbit/s carry 1448 of 1538 bytes of each frame, of which 70 % may be used
    carried = 3 * 25e9 * 1448 / 1538
    assert (
        result.low
        == result.high
        == pytest.approx(lognormal_share(0.7 * carried, 20e9, 0.3), abs=2e-4)
    )
    assert result.carried_low == pytest.approx(lognormal_share(carried, 20e9, 0.3), abs=2e-4)


def test_one_normal_load() -> None:
    volume = volume_of_mean("a", 20e9, 0.95, variation_ratio=0.3, distribution="normal")
    _, loads = planned([volume], count=1, of="ethernet-25gbe")
    result = holding_probability(loads, [volume])
    assert result is not None
    deviations = (0.7 * 25e9 * 1448 / 1538 / 20e9 - 1) / 0.3
    expected = 0.5 * (1 + math.erf(deviations / math.sqrt(2)))
    assert result.low == pytest.approx(expected, abs=2e-4)


def test_a_plan_for_a_quantile_holds_at_least_that_share_of_the_time() -> None:
    for quantile in (0.5, 0.9, 0.95, 0.99):
        volume = volume_of_mean("a", 30e9, quantile, variation_ratio=0.5)
        _, loads = planned([volume])
        result = holding_probability(loads, [volume])
        assert result is not None
        assert result.low >= quantile - 2e-4, quantile


def test_a_series_holds_in_the_share_of_its_hours() -> None:
    # one adapter carries 13.4 Gbit/s in, of which 70 % may be used: 9.38
    values = [2e9, 9.3e9, 9.5e9, 13.3e9, 14e9, 5e9, 6e9, 7e9]
    volume = volume_of_series("a", series(values), 0.95)
    _, loads = planned([volume], count=1)
    result = holding_probability(loads, [volume])
    assert result is not None
    assert (result.low, result.high) == (5 / 8, 5 / 8)
    assert (result.carried_low, result.carried_high) == (7 / 8, 7 / 8)


def test_series_of_the_same_times_are_taken_at_the_same_times() -> None:
    turns = [
        volume_of_series(name, series(values), 1.0)
        for name, values in (("a", [9e9, 1e9] * 4), ("b", [0.3e9, 8.3e9] * 4))
    ]
    _, loads = planned(turns, count=1, workloads=(STREAM, STREAM))
    result = holding_probability(loads, turns)
    assert result is not None
    assert result.low == 1.0  # 9.3 at any time, where the sum of both peaks is 17.3
    assert not result.notes


def test_independent_loads_agree_with_samples_of_another_generator() -> None:
    volumes = [
        volume_of_mean("a", 20e9, 0.9, variation_ratio=0.4),
        volume_of_mean("b", 15e9, 0.9, variation_ratio=0.6),
    ]
    _, loads = planned(volumes, count=4, of="ethernet-25gbe", workloads=(STREAM, STREAM))
    result = holding_probability(loads, volumes)
    assert result is not None
    generator = np.random.default_rng(7)

    def sampled(mean: float, variation: float, normal: np.ndarray) -> np.ndarray:
        variance = np.log1p(variation**2)
        return mean * np.exp(np.sqrt(variance) * normal - variance / 2)

    allowed = 0.7 * 4 * 25e9 * 1448 / 1538
    normals = generator.standard_normal((2, 400_000))
    apart = np.mean(sampled(20e9, 0.4, normals[0]) + sampled(15e9, 0.6, normals[1]) <= allowed)
    together = np.mean(sampled(20e9, 0.4, normals[0]) + sampled(15e9, 0.6, normals[0]) <= allowed)
    assert sorted((apart, together)) == pytest.approx([result.low, result.high], abs=3e-3)
    assert "covers both" in result.notes[0]


def test_nothing_random_has_no_probability() -> None:
    fixed = volume_of_peak("a", 10e9, 0.95)
    _, loads = planned([fixed])
    assert holding_probability(loads, [fixed]) is None


def test_a_load_without_variation_is_fixed_and_named() -> None:
    volumes = [
        volume_of_mean("a", 5e9, 0.95, variation_ratio=0.3),
        volume_of_peak("b", 3e9, 0.95),
    ]
    _, loads = planned(volumes)
    result = holding_probability(loads, volumes)
    assert result is not None
    assert [note for note in result.notes if note.startswith("b: ")]


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.5, 0.9999, "50 to 99.99 %"),
        (0.99991, 0.99999, "over 99.99 %"),
        (0.99995, 1.0, "over 99.99 to 100 %"),
        (1.0, 1.0, "100 %"),
    ],
)
def test_a_share_of_the_time_has_no_more_digits_than_records(
    low: float, high: float, text: str
) -> None:
    result = HoldingProbability(
        low=low, high=high, carried_low=low, carried_high=high, bound=Bound.VALUE, basis=""
    )
    assert result.within_text == text


def test_bounds_are_labelled() -> None:
    volume = volume_of_mean("a", 9e9, 0.95, variation_ratio=0.3)
    _, loads = planned([volume])
    result = holding_probability(loads, [volume])
    assert result is not None
    assert result.to_dict()["bound"] == "upper"
    assert "upper bounds" in result.text
    assert result.within_text.startswith("<= ")


@given(
    mean=st.floats(1e9, 60e9),
    variation=st.floats(0.05, 1.5),
    share=st.floats(0.2, 0.95),
    step=st.floats(0.01, 0.05),
)
def test_more_room_and_more_adapters_hold_more_of_the_time(
    mean: float, variation: float, share: float, step: float
) -> None:
    volume = volume_of_mean("a", mean, 0.95, variation_ratio=variation)
    results = [
        holding_probability(planned([volume], count=count, room=Headroom(use, 0))[1], [volume])
        for use, count in ((share, 3), (share + step, 3), (share + step, 4))
    ]
    for less, more in pairwise(results):
        assert less is not None
        assert more is not None
        assert 0 <= less.low <= less.high <= 1
        assert less.high <= less.carried_high
        assert less.low <= more.low
        assert less.high <= more.high
