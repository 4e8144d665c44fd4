"""Planned rates: from means, measured percentiles, and loads over time."""

import math
from datetime import datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning.made import in_digits, plain_values
from planning.planned import STREAM, planned
from scipy import stats

from netmodel.errors import ContradictionError, DomainError
from netmodel.planning._joint import JointLoads
from netmodel.planning._loads import loads_of
from netmodel.planning._volumes import (
    PlannedVolume,
    joint_loads,
    planned_volume,
    series_figures,
    sum_notes,
    volume_of_mean,
    volume_of_peak,
    volume_of_series,
)
from netmodel.records._load_series import LoadSeries
from netmodel.records._scenarios import TrafficClass

START = datetime(2026, 11, 2)


def series_of(*values: float, step_s: float = 3600.0, is_tps: bool = False) -> LoadSeries:
    unit = "/s" if is_tps else "bit/s"
    return LoadSeries("load.csv", "load", unit, START, step_s, values, is_tps)


@pytest.mark.parametrize(
    ("quantile", "variation", "ratio"),
    [(0.95, 0.5, 1.945318), (0.99, 0.5, 2.684113), (0.95, 1, 2.781129)],
)
def test_a_quantile_of_a_lognormal_load(quantile: float, variation: float, ratio: float) -> None:
    volume = volume_of_mean("orders", 8e9, quantile, variation_ratio=variation, payload_bits=8000)
    assert volume.peak_ratio == pytest.approx(ratio, abs=6e-7)
    assert volume.planned_bps == pytest.approx(8e9 * ratio, rel=1e-6)
    assert volume.planned_tps == pytest.approx(volume.planned_bps / 8000)
    assert volume.notes == ()


def test_a_quantile_of_a_normal_load() -> None:
    volume = volume_of_mean("orders", 8e9, 0.95, variation_ratio=0.5, distribution="normal")
    assert volume.peak_ratio == pytest.approx(1.8224, abs=5e-5)
    assert volume.planned_tps is None
    assert volume.basis == "95 % quantile of a normal load, mean 8 Gbit/s, variation 50 %"


def test_a_mean_alone_is_planned_as_it_is() -> None:
    volume = volume_of_mean("orders", 8e9, 0.95)
    assert (volume.planned_bps, volume.quantile_ratio, volume.peak_ratio) == (8e9, None, 1)
    assert volume.notes == ("orders: planned at its mean; give variation for its 95 % quantile",)
    still = volume_of_mean("orders", 8e9, 0.95, variation_ratio=0)
    assert still.planned_bps == 8e9
    assert still.notes == ()


@given(
    p=st.floats(0.01, 0.999),
    q=st.floats(0.01, 0.999),
    variation=st.floats(0.01, 3),
)
def test_a_percentile_leads_to_another_through_the_mean(
    p: float, q: float, variation: float
) -> None:
    """By the quantiles of scipy, which have no mean in them."""
    volume = volume_of_peak(
        "a",
        1e9,
        q,
        peak_quantile_ratio=p,
        variation_ratio=variation,
    )
    shape = math.sqrt(math.log1p(variation**2))
    ratio = stats.lognorm.ppf(q, shape) / stats.lognorm.ppf(p, shape)
    assert volume.planned_bps == pytest.approx(1e9 * ratio, rel=1e-9)
    assert (volume.planned_bps >= 1e9) == (q >= p) or math.isclose(p, q)
    mean = volume_of_mean("a", volume.mean_bps or 0, p, variation_ratio=variation)
    assert mean.planned_bps == pytest.approx(1e9)


def test_a_percentile_alone_leads_to_no_other() -> None:
    same = volume_of_peak("orders", 12e9, 0.95, peak_quantile_ratio=0.95)
    assert (same.planned_bps, same.mean_bps, same.basis) == (12e9, None, "measured 95 % quantile")
    with pytest.raises(ContradictionError) as error:
        volume_of_peak("orders", 12e9, 0.95, peak_quantile_ratio=0.99)
    assert str(error.value) == (
        "orders: the peak is the 99 % quantile, and the load is planned at its 95 % one: give that "
        "as peak, or variation (standard deviation over mean), which leads from one to the other"
    )
    unknown = volume_of_peak("orders", 12e9, 0.95)
    assert unknown.planned_bps == 12e9
    assert unknown.notes[0].startswith("orders: planned at its peak as given")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean_bps": 0}, "mean_bps must be above 0"),
        ({"mean_bps": -1}, "mean_bps must be above 0"),
        ({"quantile_ratio": 1}, "quantile_ratio must be at most 0.999999"),
        ({"quantile_ratio": 0}, "quantile_ratio must be above 0"),
        ({"variation_ratio": -0.1}, "variation_ratio must be at least 0"),
        ({"growth_per_year_ratio": -1}, "growth_per_year_ratio must be above -1"),
        ({"distribution": "pareto"}, "distribution must be lognormal or normal; got 'pareto'"),
        (
            {"distribution": "normal", "quantile_ratio": 0.01},
            "a normal load with variation 50 % is not above 0 at its 1 % quantile",
        ),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"mean_bps": 8e9, "quantile_ratio": 0.95, "variation_ratio": 0.5}
    with pytest.raises(DomainError, match=message):
        volume_of_mean("orders", **(given | change))


def test_a_day_in_hours() -> None:
    """Of 24 values, 23 are 95.8 % and 22 are 91.7 %: the 95 % quantile is the second highest."""
    series = series_of(*(1e9 * hour for hour in range(1, 25)))
    volume = volume_of_series("orders", series, 0.95, payload_bits=1000)
    assert volume.planned_bps == 23e9
    assert volume.planned_tps == 23e6
    assert volume.mean_bps == 12.5e9
    assert volume.basis == "95 % quantile of 24 values, each of 1 h"
    assert volume.notes == ("orders: means over 1 h hide shorter bursts",)
    assert volume_of_series("orders", series, 0.96).planned_bps == 24e9
    peak = volume_of_series("orders", series, 0.99)
    assert peak.notes[1] == "orders: the 99 % quantile of 24 values is their peak"
    assert volume_of_series("orders", series, 1).notes[1:] == ()


@given(values=st.lists(st.floats(1, 1e12), min_size=2, max_size=50), quantile=st.floats(0.001, 1))
def test_the_load_exceeds_the_planned_rate_for_no_longer(
    values: list[float], quantile: float
) -> None:
    planned_bps = volume_of_series("a", series_of(*values), quantile).planned_bps
    assert planned_bps in values
    share = sum(value <= planned_bps for value in values) / len(values)
    assert share >= quantile * (1 - 1e-9)
    less = [value for value in values if value < planned_bps]
    assert len(less) / len(values) < quantile


def test_the_busy_hour_begins_at_any_step() -> None:
    figures = series_figures(series_of(1, 1, 4, 9, 8, 1, 1, 5, step_s=1200))
    assert figures.busy_hour_bps == 7  # 4, 9 and 8, from 00:40 on
    assert figures.busy_hour_start == datetime(2026, 11, 2, 0, 40)
    assert figures.peak_bps == 9
    assert figures.hours == pytest.approx(8 / 3)
    assert figures.variation_ratio == pytest.approx(np.std([1, 1, 4, 9, 8, 1, 1, 5]) / 3.75)
    for step_s in (7200, 2400):
        other = series_figures(series_of(1, 4, 9, step_s=step_s))
        assert (other.busy_hour_bps, other.busy_hour_start) == (None, None)
    assert figures.to_dict()["busy_hour_start"] == "2026-11-02T00:40:00"


def test_transactions_need_a_size() -> None:
    series = series_of(100, 200, is_tps=True)
    volume = volume_of_series("orders", series, 1, payload_bits=8000)
    assert (volume.planned_tps, volume.planned_bps) == (200, 1.6e6)
    assert volume.growth_per_year_ratio == 0
    with pytest.raises(DomainError, match="transactions per second need a workload"):
        volume_of_series("orders", series, 1)


def test_a_quantile_of_nothing_is_no_plan() -> None:
    with pytest.raises(DomainError, match=r"orders: the 50 % quantile of load\.csv is 0"):
        volume_of_series("orders", series_of(0, 0, 5), 0.5)


def test_classes_of_a_scenario() -> None:
    mean = TrafficClass(name="a", mean="8 Gbit/s", variation="50 %", growth_per_year="20 %")
    assert planned_volume(mean, 0.95).planned_bps == pytest.approx(8e9 * 1.945318, rel=1e-6)
    assert planned_volume(mean, 0.95).growth_per_year_ratio == pytest.approx(0.2)
    rate = TrafficClass(name="a", workload="rr1c-200x1000", mean="1000/s")
    assert planned_volume(rate, 0.95, payload_bits=8000).planned_bps == 8e6
    peak = TrafficClass(name="a", peak="12 Gbit/s", peak_quantile="99 %", variation="50 %")
    ratio = 1.945318 / 2.684113
    assert planned_volume(peak, 0.95).planned_bps == pytest.approx(12e9 * ratio, rel=1e-6)
    source = {"file": "load.csv", "column": "load", "unit": "bit/s"}
    series = TrafficClass(name="a", series=source)
    assert planned_volume(series, 1, series=series_of(1, 2)).planned_bps == 2


def made(name: str, *values: float, step_s: float = 3600.0) -> PlannedVolume:
    return volume_of_series(name, series_of(*values, step_s=step_s), 0.95)


def test_series_of_the_same_times_are_planned_together() -> None:
    day, night = [9e9] * 50 + [1e9] * 50, [1e9] * 50 + [9e9] * 50
    volumes = [
        made("day", *day),
        volume_of_mean("always", 1e9, 0.95, variation_ratio=0.1),
        made("night", *night),
        made("other", *day, step_s=1800),
    ]
    joint = joint_loads(volumes, 0.95)
    assert joint is not None
    ((places, ratios),) = joint.groups
    assert places == (0, 2)
    assert ratios.shape == (100, 2)
    assert ratios.max() == 1
    assert sum_notes(volumes, joint) == (
        "day, night: planned together, at the quantile of their sum",
        "quantiles of classes are added: exact if loads rise together, else usually too high",
    )
    assert all(len(note) <= 100 for note in sum_notes(volumes, joint))
    assert joint_loads(volumes[:2], 0.95) is None
    assert sum_notes(volumes[:1], None) == ()


def test_day_and_night_need_one_of_them() -> None:
    """10 Gbit/s at any time, where the quantiles are 9 Gbit/s each."""
    day, night = [36e9] * 50 + [4e9] * 50, [4e9] * 50 + [36e9] * 50
    volumes = [made("day", *day), made("night", *night)]
    texts = [f"{volume.planned_bps / 1e9} Gbit/s str-writex30k" for volume in volumes]
    _, apart = planned(*texts)
    demand, together = planned(*texts, joint=joint_loads(volumes, 0.95))
    _, constant = planned(STREAM)
    assert together.chosen_count == constant.chosen_count == 6
    assert apart.chosen_count == 9
    name = "server_adapter_in"
    loads = loads_of(demand, together)
    assert loads[name].use_ratio.value == pytest.approx(40 / (6 * 13.4))
    assert isinstance(loads[name].joint, JointLoads)


@given(
    table=st.lists(st.tuples(st.floats(0.1, 1), st.floats(0.1, 1)), min_size=3, max_size=60),
    weight=st.floats(0.1, 10),
)
def test_the_quantile_of_a_sum_is_at_most_the_sum_of_peaks(
    table: list[tuple[float, float]], weight: float
) -> None:
    """Of the sum at each time, by counting."""
    first, second = zip(*table, strict=True)
    volumes = [made("a", *first), made("b", *second)]
    joint = joint_loads(volumes, 0.95)
    assert joint is not None
    loads = [(0, volumes[0].planned_bps), (1, weight * volumes[1].planned_bps)]
    result = joint.planned(loads).item()
    sums = sorted(one + weight * other for one, other in table)
    assert result == pytest.approx(sums[math.ceil(0.95 * len(sums) * (1 - 1e-12)) - 1])
    assert result <= max(first) + weight * max(second) + 1e-9


def test_a_record_of_one_hour_is_its_busy_hour() -> None:
    hour = series_figures(series_of(1, 2, 6, step_s=1200))
    assert hour.to_dict() == {
        "mean_bps": 3,
        "peak_bps": 6,
        "variation_ratio": pytest.approx(np.sqrt(14 / 3) / 3),  # (4 + 1 + 9) / 3
        "hours": 1,
        "busy_hour_bps": 3,
        "busy_hour_start": "2026-11-02T00:00:00",
    }
    less = series_figures(series_of(1, 2, step_s=1200))
    assert (less.busy_hour_bps, less.hours) == (None, pytest.approx(2 / 3))
    assert less.to_dict()["busy_hour_start"] is None
    steps = series_figures(series_of(5, 3, 4))
    assert (steps.busy_hour_bps, steps.busy_hour_start) == (5, START)


@pytest.mark.parametrize(
    ("step_s", "text"),
    [
        (7200, "2 h"),
        (5400, "90 min"),
        (60, "1 min"),
        (90, "90 s"),
        (0.5, "0.5 s"),
        (3600.0 * 1200, "1,200 h"),
        (59, "59 s"),
        (10_001, "10,001 s"),
    ],
)
def test_steps_are_named_in_the_largest_unit_of_which_they_are_whole(
    step_s: float, text: str
) -> None:
    volume = volume_of_series("a", series_of(1, 2, step_s=step_s), 1)
    assert volume.basis == f"100 % quantile of 2 values, each of {text}"
    assert volume.notes == (f"a: means over {text} hide shorter bursts",)


def test_a_volume_has_the_load_that_a_share_of_the_time_stays_below() -> None:
    """Of 10, 20, 30 and 40 planned at 20: half of the time, a quarter, and all of it."""
    volume = volume_of_series("a", series_of(30, 10, 40, 20), 0.5)
    assert volume.planned_bps == 20
    shares = np.array([0.0, 0.25, 0.26, 0.5, 0.75, 1.0])
    assert volume.load_ratios(shares) == pytest.approx([0.5, 0.5, 1, 1, 1.5, 2])
    assert volume.varies
    # a normal load of 10 with a deviation of 20 is below 0 for much of the time: it is 0 then
    normal = volume_of_mean("a", 10.0, 0.95, variation_ratio=2.0, distribution="normal")
    low, middle = normal.load_ratios(np.array([0.01, 0.5]))
    assert low == 0
    assert middle == pytest.approx(10 / normal.planned_bps)
    assert normal.varies
    assert not volume_of_mean("a", 10.0, 0.95).varies
    assert not volume_of_mean("a", 10.0, 0.95, variation_ratio=0.0).varies
    assert not volume_of_peak("a", 10.0, 0.95).varies


def test_plain_values_of_each_kind_of_volume() -> None:
    quantile: dict[str, Any] = {"peak_quantile_ratio": 0.99, "variation_ratio": 0.5}
    series = series_of(1, 3, is_tps=True)
    volumes = [
        volume_of_mean("a", 8e9, 0.95, payload_bits=8000, growth_per_year_ratio=0.2),
        volume_of_peak("a", 12e9, 0.95, growth_per_year_ratio=-0.1),
        volume_of_peak("a", 12e9, 0.99, **quantile),
        volume_of_peak("a", 12e9, 0.95, **quantile),
        volume_of_series("a", series, 1, payload_bits=8, growth_per_year_ratio=0.5),
    ]
    assert in_digits([volume.to_dict() for volume in volumes]) == in_digits(plain_values("volumes"))


def test_quantiles_are_added_where_there_are_several() -> None:
    """One of them alone, or several that are planned together, are no sum of quantiles."""
    added = "quantiles of classes are added: exact if loads rise together, else usually too high"
    one = volume_of_mean("one", 1e9, 0.95, variation_ratio=0.1)
    fixed = volume_of_peak("fixed", 1e9, 0.95)
    both = [made("day", 9, 1), made("night", 1, 9)]
    assert sum_notes([one, fixed], None) == ()
    assert sum_notes([one, one], None) == (added,)
    together = ("day, night: planned together, at the quantile of their sum",)
    assert sum_notes([*both, fixed], joint_loads(both, 0.95)) == together
    assert sum_notes([*both, one], joint_loads(both, 0.95)) == (*together, added)
    joint = joint_loads([one, *both], 0.5)
    assert joint is not None
    assert joint.quantile_ratio == 0.5
    ((places, ratios),) = joint.groups
    assert places == (1, 2)
    assert ratios == pytest.approx(np.array([[1, 1 / 9], [1 / 9, 1]]))
