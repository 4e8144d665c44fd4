"""Shadow prices of plans, against plans that are made anew with one unit more."""

from dataclasses import replace

import numpy as np
import pytest
from planning.planned import COSTED, OSA, STREAM, costed, planned

from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import SpecifiedPath
from netmodel.planning import Headroom
from netmodel.planning._demand import Demand
from netmodel.planning._loads import Kind, loads_of
from netmodel.planning._plan import Corner, Plan
from netmodel.planning._prices import LINE_UNIT, PART_UNIT, ShadowPrice, shadow_prices
from netmodel.planning.sizing import best_mix, mix_scale
from netmodel.records import adapter

MIXED = (STREAM, "100000/s rr1c-200x1000")
ONE_SIDE = costed(server_cost="0.2 cores/(Gbit/s)")


def by_name(prices: tuple[ShadowPrice, ...]) -> dict[str, ShadowPrice]:
    return {price.resource: price for price in prices}


def growth(demand: Demand, plan: Plan, **units: object) -> float:
    """How far all volumes may grow, from the loads alone."""
    loads = loads_of(demand, plan, **units)  # type: ignore[arg-type]
    uses = [
        (plan.corner.of(ratio), limit)
        for each in loads.resources
        for ratio, limit in (
            (each.use_ratio, each.limit_ratio),
            (each.after_failure_ratio, each.after_failure_limit_ratio),
        )
    ]
    return min(limit / use for use, limit in uses if use)


@pytest.mark.parametrize("corner", Corner)
def test_one_adapter_more_is_a_plan_with_one_more(corner: Corner) -> None:
    demand, plan = planned(STREAM, corner=corner)
    price = by_name(shadow_prices(demand, plan))["server_adapter_in"]
    assert plan.chosen_count is not None
    before, after = (growth(demand, plan, adapter_count=plan.chosen_count + n) for n in (0, 1))
    assert price.is_binding
    assert price.whole_unit_ratio == pytest.approx(after - before)
    # one spare: 5 of 6 carry it after a failure, and the plan is linear in them
    assert price.price_ratio_per_unit == pytest.approx(before / (plan.chosen_count - 1))
    assert price.whole_unit_ratio == pytest.approx(price.price_ratio_per_unit)


def test_one_core_more_by_hand() -> None:
    """40 Gbit/s at 0.2 cores keep 8 busy, which take 12 at 70 %: 1/12 of 1.05 more for the 13th."""
    demand, plan = planned(STREAM, path=ONE_SIDE)
    prices = by_name(shadow_prices(demand, plan, adapter_count=20))
    cores = prices["server_cpus"]
    assert plan.pools[0].core_count.value == 12
    assert (cores.kind, cores.unit, cores.is_binding) == (Kind.CORES, "server core", True)
    assert cores.whole_unit_ratio == pytest.approx(12 * 0.7 / 8 / 12)
    assert cores.price_ratio_per_unit == pytest.approx(cores.loss_ratio_per_unit)
    assert cores.text == "1 server core more adds 8.75 % to the volumes"
    others = [price for price in prices.values() if price is not cores]
    assert others
    assert not any(price.price_ratio_per_unit for price in others)
    assert all(price.slack_ratio > 0 and "is left" in price.text for price in others)


def test_spare_cores_count_after_they_are_lost() -> None:
    """Of 14 cores 2 may be lost: the 12 that are left are what limits."""
    headroom = Headroom(spare_core_count=2)
    demand, plan = planned(STREAM, path=ONE_SIDE, headroom=headroom)
    cores = by_name(shadow_prices(demand, plan, adapter_count=20))["server_cpus"]
    assert plan.pools[0].core_count.value == 14
    assert cores.price_ratio_per_unit == pytest.approx(12 * 0.7 / 8 / 12)


def test_a_gbit_of_line_is_the_line_in_parts() -> None:
    """Full frames at MTU 9000 fill the line before the adapter."""
    demand, plan = planned(STREAM, mtu_bytes=9000)
    price = next(
        each for each in shadow_prices(demand, plan) if each.resource.startswith("wire_to_server")
    )
    assert price.unit == LINE_UNIT
    most = growth(demand, plan)
    if price.is_binding and not price.tied_with:
        assert price.price_ratio_per_unit == pytest.approx(most / 25)
    assert price.slack_ratio >= 0


def test_a_gbit_of_a_line_that_is_the_bottleneck_adds_its_part_of_the_line() -> None:
    """60 Gbit/s of 25e9 * 1448 / 1538 bit/s each: 3.64 of 0.7, so 4 lines without a spare."""
    path = SpecifiedPath(adapter("ethernet-25gbe"), adapter("ethernet-25gbe"))
    demand, plan = planned("60 Gbit/s str-writex30k", path=path, headroom=Headroom(0.7, 0))
    assert plan.chosen_count == 4
    price = by_name(shadow_prices(demand, plan))["wire_to_server"]
    assert price.unit == LINE_UNIT
    assert price.is_binding
    scale = 0.7 * 4 * 25 * 1448 / 1538 / 60
    assert price.price_ratio_per_unit == pytest.approx(scale / 25)


def test_resources_that_tie_add_nothing_alone() -> None:
    demand, plan = planned(*MIXED, path=COSTED)
    client, server, *_ = shadow_prices(demand, plan)
    assert {client.resource, server.resource} == {"client_cpus", "server_cpus"}
    assert client.tied_with == (server.resource,)
    for each in (client, server):
        assert (each.price_ratio_per_unit, each.whole_unit_ratio) == (0, 0)
        assert each.loss_ratio_per_unit > 0
        assert "more adds nothing alone" in each.text
    both = {side: need.core_count.high + 1 for side, need in zip(Side, plan.pools, strict=True)}
    assert growth(demand, plan, core_counts=both) > growth(demand, plan)


def test_prices_are_those_of_the_linear_program() -> None:
    """The fixed mix is one class that takes what all flows take; its duals are independent."""
    demand, plan = planned(*MIXED, path=costed(client_cost="0.11 cores/(Gbit/s)"))
    loads = loads_of(demand, plan)
    rows, limits, grows = [], [], []
    for each in loads.resources:
        lost = 1 if each.kind is Kind.ADAPTER else 0
        # the state after failures, which leaves less to all of them
        rows.append(plan.corner.of(each.after_failure_ratio))
        limits.append(each.after_failure_limit_ratio)
        grows.append(1 / (each.unit_count - lost))
    result = best_mix(limits, np.array(rows)[:, np.newaxis], [1.0])
    assert result.value == pytest.approx(mix_scale(limits, np.array(rows)[:, np.newaxis], [1.0])[0])
    prices = by_name(shadow_prices(demand, plan))
    for place, each in enumerate(loads.resources):
        price = prices[each.name]
        if price.unit not in (LINE_UNIT, PART_UNIT):
            expected = result.gain_prices[place] * limits[place] * grows[place]
            assert price.price_ratio_per_unit == pytest.approx(expected)
        assert price.slack_ratio == pytest.approx(result.slack_ratios[place], abs=1e-9)


def test_more_use_allowed_after_a_failure_leaves_the_price_of_all_adapters() -> None:
    """40 Gbit/s of 6 times 13.35, half of which may be used; of 5, all of which may be."""
    demand, plan = planned(STREAM, headroom=Headroom(0.5, 1, 1.0))
    assert plan.chosen_count == 6
    prices = by_name(shadow_prices(demand, plan))
    scale = 0.5 / (40 / 13.35 / 6)
    busiest = prices.pop("server_adapter_in")
    assert busiest.price_ratio_per_unit == pytest.approx(scale / 6, rel=1e-4)
    assert busiest.loss_ratio_per_unit == pytest.approx(scale / 6, rel=1e-4)
    # what sends has room for half as much again: less of it takes nothing away
    assert 0 < prices["client_adapter_out"].slack_ratio < 0.5
    assert {each.loss_ratio_per_unit for each in prices.values()} == {0}


def test_values_price_what_a_unit_more_earns() -> None:
    """All that a core more allows goes to the flow that earns most by the time that it takes."""
    demand, plan = planned(*MIXED, path=ONE_SIDE)
    stream, orders = (flow.transaction_rate_tps for flow in demand.flows)
    prices = by_name(shadow_prices(demand, plan, values=[None, 2.0], adapter_count=100))
    cores = prices["server_cpus"]
    orders_cores = orders * 1200 * 8 * 0.2e-9  # busy with the orders, 200 B and 1000 B
    per_core = 0.7 / (orders_cores / orders) * 2.0
    assert cores.price_value_per_unit == pytest.approx(per_core)
    assert cores.whole_unit_value == pytest.approx(per_core)
    assert stream > 0
    idle = prices["wire_to_client"]
    assert (idle.price_value_per_unit, idle.whole_unit_value) == (0, 0)
    doubled = by_name(shadow_prices(demand, plan, values=[0, 4.0], adapter_count=100))
    assert doubled["server_cpus"].price_value_per_unit == pytest.approx(2 * per_core)


def test_volumes_that_do_not_fit_earn_nothing_and_have_prices() -> None:
    demand, plan = planned(STREAM)
    price, *_ = shadow_prices(demand, plan, adapter_count=3, values=[1.0])
    assert price.price_value_per_unit is None
    assert price.whole_unit_ratio > 0


def test_connections_divide_over_one_adapter_more() -> None:
    """4 connections on 6 adapters: one more adapter changes nothing for the busiest."""
    demand, plan = planned("8 Gbit/s str-writex30k", connections=4)
    assert plan.chosen_count is not None
    price, *_ = shadow_prices(demand, plan, adapter_count=6)
    assert price.whole_unit_ratio == 0


def test_wrong_numbers_of_values_are_refused() -> None:
    demand, plan = planned(STREAM)
    with pytest.raises(DomainError, match="value for each of 1 flows; got 2"):
        shadow_prices(demand, plan, values=[1.0, 2.0])
    crowded = replace(plan, adapter_count=replace(plan.adapter_count, high=float("inf")))
    with pytest.raises(DomainError, match="no number of adapters is enough"):
        shadow_prices(demand, crowded)
    assert shadow_prices(demand, crowded, adapter_count=8)


def test_plain_values_have_all_of_it() -> None:
    demand, plan = planned(STREAM, path=OSA)
    for price in shadow_prices(demand, plan):
        assert price.to_dict().keys() >= {"resource", "unit", "whole_unit_ratio", "tied_with"}
