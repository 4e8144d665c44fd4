"""When growth exhausts a plan, how far volumes may grow, and what is used after a failure."""

import math
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning.planned import COSTED, ORDERS, OSA, RECORDED, STREAM, planned
from scipy.optimize import brentq

from netmodel.path import Bound
from netmodel.planning import Headroom
from netmodel.planning._demand import demand_of
from netmodel.planning._growth import growth_of, headroom_of, years_until
from netmodel.planning._loads import Loads, loads_of
from netmodel.planning._plan import Corner
from netmodel.planning._planner import plan_demand
from netmodel.planning.sizing import mix_scale

START = date(2026, 12, 1)
NO_SPARE = Headroom(spare_count=0)


def loaded(*texts: str, **options: Any) -> Loads:
    return loads_of(*planned(*texts, **options))


def test_twenty_percent_a_year_on_forty_gbit() -> None:
    """0.7 of 5 adapters of 13.4 Gbit/s are 46.9 Gbit/s: ln(46.9 / 40) / ln 1.2 = 0.873 years."""
    loads = loaded(STREAM, corner=Corner.VALUE)
    headroom = headroom_of(loads, Corner.VALUE)
    assert headroom.volume_ratio.value == pytest.approx(46.9 / 40)
    assert headroom.volume_ratio.low == pytest.approx(0.7 * 5 * 13.35 / 40)
    assert headroom.volume_ratio.bound is Bound.UPPER
    assert (headroom.binding, headroom.is_after_failure) == ("server_adapter_in", True)
    growth = growth_of(loads, [0.2], START, corner=Corner.VALUE)
    assert growth.years.value == pytest.approx(math.log(46.9 / 40) / math.log(1.2))
    assert growth.volume_ratio.value == pytest.approx(46.9 / 40)
    assert growth.exhausted_on == date(2027, 10, 15)  # 0.8726 of 365 days after 1 December
    days = growth.earliest_on, growth.exhausted_on, growth.latest_on
    assert list(days) == sorted(filter(None, days))
    assert (growth.exhausted_by, growth.is_after_failure) == ("server_adapter_in", True)
    (receiving,) = (each for each in growth.by_stage if each.name == "server_adapter_in")
    assert receiving.after_failure_years == growth.years
    assert receiving.years.value == pytest.approx(math.log(0.7 * 6 * 13.4 / 40) / math.log(1.2))
    assert growth.text.startswith("until 2027-10-15 (2027-10-")
    assert growth.text.endswith(
        "% of payload; the first limit then: server_adapter_in after a failure"
    )


@pytest.mark.parametrize("corner", Corner)
@pytest.mark.parametrize("texts", [(STREAM,), (STREAM, ORDERS), (ORDERS, f"{STREAM} from server")])
def test_growth_alike_ends_at_the_headroom(texts: tuple[str, ...], corner: Corner) -> None:
    loads = loaded(*texts, path=COSTED, corner=corner)
    headroom = headroom_of(loads, corner)
    growth = growth_of(loads, [0.3] * len(texts), START, corner=corner)
    for end in ("value", "low", "high"):
        ratio = getattr(headroom.volume_ratio, end)
        # a plan for the best case has too little of the worst from the start
        assert getattr(growth.volume_ratio, end) == pytest.approx(max(ratio, 1))
        years = math.log(max(ratio, 1)) / math.log(1.3)
        assert getattr(growth.years, end) == pytest.approx(years)
    assert growth.exhausted_by == headroom.binding


def test_headroom_is_the_scale_of_the_mix() -> None:
    demand, plan = planned(STREAM, ORDERS, headroom=NO_SPARE, path=COSTED)
    loads = loads_of(demand, plan)
    capacities = [each.limit_ratio for each in loads.resources]
    uses = [each.flow_use_ratios[np.argmax(each.uses())] for each in loads.resources]
    mix = mix_scale(capacities, uses, [1, 1])
    headroom = headroom_of(loads)
    assert headroom.volume_ratio.low == pytest.approx(mix.scale_ratio)
    assert headroom.binding == loads.resources[mix.binding_index].name


def test_a_plan_of_the_grown_volumes_is_just_what_there_is() -> None:
    """The other way round: the demand at that day needs as many adapters, a day later one more."""
    demand, plan = planned(STREAM, ORDERS)
    growths = 0.5, 0.1
    years = growth_of(loads_of(demand, plan), growths, START).years.low

    def needed(after: float) -> int | None:
        flows = [
            replace(flow, transaction_rate_tps=flow.transaction_rate_tps * (1 + each) ** after)
            for flow, each in zip(demand.flows, growths, strict=True)
        ]
        return plan_demand(demand_of(flows, OSA, 1500)).chosen_count

    assert plan.chosen_count is not None
    assert needed(years * (1 - 1e-6)) == plan.chosen_count
    assert needed(years * (1 + 1e-6)) == plan.chosen_count + 1


@given(
    uses=st.lists(st.floats(1e-6, 0.3), min_size=1, max_size=3),
    growths=st.lists(st.floats(-0.9, 3), min_size=3, max_size=3),
)
def test_the_years_are_the_root_that_bisection_finds(
    uses: list[float], growths: list[float]
) -> None:
    factors = 1 + np.array(growths[: len(uses)])

    def excess(years: float) -> float:
        return float(uses @ factors**years) - 0.95

    (years,) = years_until(np.array([uses]), factors, 0.95)
    if (factors <= 1).all():
        assert years == math.inf
    elif years < 1000:
        high = years + 1e-6 * (1 + years)
        assert excess(high) > 0
        assert years == pytest.approx(brentq(excess, 0, high, rtol=1e-14), rel=1e-9, abs=1e-9)


def test_many_cases_at_once_are_as_each_alone() -> None:
    uses = np.random.default_rng(3).uniform(0, 0.6, (50, 4))
    factors = np.array([1.3, 0.5, 1.0, 1.05])
    together = years_until(uses, factors, 0.8)
    assert together == pytest.approx([years_until(row[None], factors, 0.8)[0] for row in uses])
    assert np.all(together[uses.sum(axis=1) > 0.8] == 0)


@pytest.mark.parametrize("growth", [0.0, -0.3])
def test_what_does_not_grow_never_ends(growth: float) -> None:
    result = growth_of(loaded(STREAM), [growth], START)
    assert (result.years.value, result.exhausted_on, result.exhausted_by) == (math.inf, None, "")
    assert result.text == "never exceeded: nothing that a limit depends on grows"
    assert result.to_dict()["years"]["value"] is None
    assert result.to_dict()["volume_ratio"]["high"] is None


def test_a_day_beyond_the_horizon_is_not_given() -> None:
    result = growth_of(loaded(STREAM), [0.01], START, horizon_years=5)
    assert result.exhausted_on is None
    assert result.years.value == pytest.approx(math.log(46.9 / 40) / math.log(1.01))
    assert (
        result.text
        == "not before 2031-12-01; the first limit then: server_adapter_in after a failure"
    )
    assert result.to_dict()["not_before"] == "2031-12-01"


def test_each_resource_has_its_day() -> None:
    loads = loaded(STREAM, path=COSTED)
    result = growth_of(loads, [0.4], START)
    days = {each.name: each.exhausted_on for each in result.by_stage}
    assert result.exhausted_on == min(day for day in days.values() if day is not None)
    assert len(days) == len(loads.resources)
    more = growth_of(loads_of(*planned(STREAM, path=COSTED), adapter_count=20), [0.4], START)
    assert more.exhausted_by in {each.name for each in planned(STREAM, path=COSTED)[1].pools}


@pytest.mark.parametrize("corner", Corner)
def test_more_adapters_and_less_growth_never_end_earlier(corner: Corner) -> None:
    demand, plan = planned(STREAM, ORDERS, path=COSTED, corner=corner)
    counts = [
        growth_of(loads_of(demand, plan, adapter_count=count), [0.2, 0.3], START).years.low
        for count in range(6, 12)
    ]
    assert counts == sorted(counts)
    loads = loads_of(demand, plan)
    growths = [growth_of(loads, [0.2, each], START).years.low for each in (0.0, 0.1, 0.5, 1.0)]
    assert growths == sorted(growths, reverse=True)


def test_recorded_paths_grow_too() -> None:
    loads = loaded("200 Mbit/s str-writex30k from server", path=RECORDED, mtu_bytes=1492)
    result = growth_of(loads, [0.5], START)
    assert result.exhausted_by
    assert result.years.low == pytest.approx(
        math.log(headroom_of(loads).volume_ratio.low) / math.log(1.5)
    )
