"""Plans of changed inputs, what a unit more adds, how often a plan holds: figures by hand."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from planning.made import loads, resource
from planning.planned import COSTED, OSA, STREAM, costed, planned

from netmodel.path import Bound, Predicted, SpecifiedPath
from netmodel.planning import Corner, Headroom, parse_flow
from netmodel.planning._demand import demand_of
from netmodel.planning._loads import loads_of
from netmodel.planning._planner import plan_demand
from netmodel.planning._volumes import PlannedVolume, planned_volume
from netmodel.planning._what_if import prices, probability, sensitivities
from netmodel.records import adapter
from netmodel.records.scenarios import LoadSeries, TrafficClass

LINE = 25e9 * 1448 / 1538
"""Payload that a line carries in full frames of MTU 1500. [bit/s]"""


# Changed inputs


def test_each_input_is_changed_alone_and_planned_again() -> None:
    """n = D / 0.7 / 13.35, and one spare; cores are 0.2 of D / 1.25 at the server."""
    _, plan = planned(STREAM, path=COSTED)
    changed = sensitivities(plan)
    assert {
        change: (each.chosen_count, each.pools[1].core_count.high)
        for change, each in changed.items()
    } == {
        "36 Gbit/s of str-writex30k": (5, 9),
        "44 Gbit/s of str-writex30k": (6, 11),
        "60 % use": (6, 11),
        "80 % use": (5, 8),
        "best case of all parameters": (6, 10),
        "worst case of all parameters": (6, 10),
    }
    assert changed["best case of all parameters"].corner is Corner.BEST


def test_each_flow_has_changes_of_its_own_in_the_unit_given() -> None:
    _, plan = planned(STREAM, "100000/s rr1c-200x1000", path=OSA)
    changes = list(sensitivities(plan))
    assert changes[2:4] == ["90,000/s of rr1c-200x1000", "110,000/s of rr1c-200x1000"]


@pytest.mark.parametrize(("share", "texts"), [(0.05, ["10 %", "15 %"]), (0.95, ["85 %", "100 %"])])
def test_the_share_that_may_be_used_stays_one(share: float, texts: list[str]) -> None:
    _, plan = planned(STREAM, headroom=Headroom(share))
    assert [change for change in sensitivities(plan) if "use" in change] == [
        f"{text} use" for text in texts
    ]


def test_where_no_number_of_adapters_is_enough_nothing_follows() -> None:
    _, plan = planned(STREAM)
    crowded = replace(plan, adapter_count=replace(plan.adapter_count, high=math.inf))
    assert (sensitivities(crowded), prices(crowded)) == ({}, {})
    assert (sensitivities(replace(plan, demand=None)), prices(replace(plan, demand=None))) == (
        {},
        {},
    )


# One unit more


def test_one_more_of_the_bottleneck_adds_its_part() -> None:
    """8 of 12 cores are busy, of which 0.7 may be; after a failure 0.7 of 5 times 13.35."""
    path = costed(server_cost="0.2 cores/(Gbit/s)")
    growth = prices(planned(STREAM, path=path)[1])
    assert list(growth) == ["as planned", "1 adapter more at each side", "1 server core more"]
    assert list(growth.values()) == pytest.approx([0.7 * 12 / 8, 0.7 * 12 / 8, 0.7 * 13 / 8])
    more = [0.7 * count * 13.35 / 40 for count in (5, 6)]
    assert list(prices(planned(STREAM)[1]).values()) == pytest.approx(more, rel=1e-4)


def test_connections_divide_over_one_adapter_more() -> None:
    """4 connections on 6 adapters: one more changes nothing for the busiest."""
    _, plan = planned("8 Gbit/s str-writex30k", connections=4)
    six = replace(plan, adapter_count=replace(plan.adapter_count, value=6, low=6, high=6))
    assert len(set(prices(six).values())) == 1


# How often it holds


def holding(*volumes: PlannedVolume, count: int) -> Predicted[float]:
    """Of streams of the planned volumes over lines of 25 Gbit/s without spares."""
    flows = [parse_flow(f"{each.planned_bps / 1e9!r} Gbit/s str-writex30k") for each in volumes]
    line = adapter("ethernet-25gbe")
    demand = demand_of(flows, SpecifiedPath(line, line), 1500)
    plan = plan_demand(demand, Headroom(0.7, 0))
    result = probability(loads_of(demand, plan, adapter_count=count), volumes)
    assert result is not None
    return result


def varying(mean: str, variation: float, quantile: float = 0.95) -> PlannedVolume:
    return planned_volume(TrafficClass(name="a", mean=mean, variation=variation), quantile)


def recorded(*values: float, step_s: float = 3600.0) -> PlannedVolume:
    """Planned at its peak."""
    start = datetime(2026, 12, 1, tzinfo=UTC)
    series = LoadSeries("made-up.csv", "gbit_s", "Gbit/s", start, step_s, values, False)
    source = {"file": "made-up.csv", "column": "gbit_s", "unit": "Gbit/s"}
    return planned_volume(TrafficClass(name="a", series=source), 1, series=series)


def test_one_lognormal_load_holds_as_its_distribution_says() -> None:
    result = holding(varying("20 Gbit/s", 0.3), count=3)
    variance = math.log1p(0.3**2)
    deviations = (math.log(0.7 * 3 * LINE / 20e9) + variance / 2) / math.sqrt(variance)
    share = 0.5 * (1 + math.erf(deviations / math.sqrt(2)))
    assert result.low == result.high == pytest.approx(share, abs=2e-4)
    assert result.bound is Bound.UPPER


def test_uses_that_are_ranges_make_a_range_of_shares() -> None:
    """1 to 4 Gbit/s, planned at 4: at most 0.5 h / 4 are within 0.8 always, 1.1 h / 4 to h = 2."""
    wide = loads(resource("wide", (0.6,), (0.5,), (1.1,)))
    assert probability(wide, [recorded(1, 2, 3, 4)]) == Predicted(0.5, 0.5, 1.0, Bound.UPPER)
    known = loads(resource("trunk", (0.1,), limits=(0.7, 0.9), bound=Bound.VALUE))
    certain = probability(known, [recorded(1, 8)])
    assert certain == Predicted(1.0, 1.0, 1.0, Bound.VALUE)


def test_hours_of_several_loads_are_the_same_or_any() -> None:
    """Two loads by turns, of 0.5 each: never above 0.8; in a quarter if independent."""
    both = loads(resource("trunk", (0.5, 0.5)), texts=("1 Gbit/s str-writex30k",) * 2)
    turns = [recorded(1, 0), recorded(0, 1)]
    same = probability(both, turns)
    apart = probability(both, [turns[0], recorded(0, 1, step_s=60)])
    fixed = planned_volume(TrafficClass(name="b", peak="1 bit/s"), 0.95)
    half = probability(both, [turns[0], fixed])
    assert same
    assert apart
    assert half
    assert (same.low, same.high, half.low, half.high) == (1, 1, 0.5, 0.5)
    assert (apart.low, apart.high) == pytest.approx((0.5, 0.75), abs=0.005)
    assert probability(both, [fixed, fixed]) is None


def test_independent_loads_agree_with_samples_of_another_generator() -> None:
    given = [(20e9, 0.4), (15e9, 0.6)]
    volumes = [varying(f"{mean / 1e9} Gbit/s", ratio, 0.9) for mean, ratio in given]
    result = holding(*volumes, count=4)
    normals = np.random.default_rng(7).standard_normal((2, 400_000))
    shares = []
    for second in normals:
        total = sum(
            mean * np.exp(math.sqrt(math.log1p(ratio**2)) * normal - math.log1p(ratio**2) / 2)
            for (mean, ratio), normal in zip(given, (normals[0], second), strict=True)
        )
        shares.append(float(np.mean(total <= 0.7 * 4 * LINE)))
    assert sorted(shares) == pytest.approx([result.low, result.high], abs=5e-3)
