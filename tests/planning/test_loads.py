"""The matrix of loads: what each flow takes of each resource of a plan."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planning.planned import COSTED, ORDERS, OSA, RECORDED, ROCE, STREAM, costed, planned

from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.planning import Headroom, Spreading
from netmodel.planning._joint import JointLoads, added, quantile_of_rows
from netmodel.planning._loads import Kind, loads_of
from netmodel.planning._plan import Corner
from netmodel.planning._planner import plan_demand
from netmodel.records import host

ON_Z15 = replace(OSA, client_host=host("z15-lpar-4core-smt2"))
SMALL = "200 Mbit/s str-writex30k from server"
CASES: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    ((STREAM,), {}),
    ((STREAM, ORDERS), {"path": ROCE, "mtu_bytes": 4000}),
    ((STREAM, f"{STREAM} from server", ORDERS), {"path": COSTED, "connections": 200}),
    ((STREAM, ORDERS), {"connections": 50, "spreading": Spreading.HASHED}),
    ((SMALL,), {"path": RECORDED, "mtu_bytes": 1492}),
    ((STREAM,), {"path": COSTED, "headroom": Headroom(0.6, 2, 0.9, spare_core_count=1)}),
]


@pytest.mark.parametrize(("texts", "options"), CASES)
@pytest.mark.parametrize("corner", Corner)
def test_loads_add_up_to_what_the_plan_uses(
    texts: tuple[str, ...], options: dict[str, Any], corner: Corner
) -> None:
    demand, plan = planned(*texts, corner=corner, **options)
    loads = loads_of(demand, plan)
    for stage in plan.stages:
        assert loads[stage.name].use_ratio == stage.use_ratio
        assert loads[stage.name].after_failure_ratio == stage.after_failure_ratio
    names = [each.name for each in loads.resources if each.kind is not Kind.FLOW]
    assert names == [each.name for each in (*plan.stages, *plan.pools)]


@pytest.mark.parametrize(("texts", "options"), CASES)
@pytest.mark.parametrize("corner", Corner)
def test_a_plan_that_holds_exceeds_no_limit_also_after_failures(
    texts: tuple[str, ...], options: dict[str, Any], corner: Corner
) -> None:
    demand, plan = planned(*texts, corner=corner, **options)
    assert plan.holds
    for each in loads_of(demand, plan).resources:
        assert corner.of(each.use_ratio) <= each.limit_ratio * (1 + 1e-9)
        assert corner.of(each.after_failure_ratio) <= each.after_failure_limit_ratio * (1 + 1e-9)


def test_cores_carry_more_with_a_second_thread() -> None:
    """40 Gbit/s times 0.14 to 0.18 cores, on 8 cores that do the work of 1.25 each."""
    demand, plan = planned(STREAM, path=COSTED)
    loads = loads_of(demand, plan, core_counts=dict.fromkeys(Side, 8))
    cores = next(
        each for each in loads.resources if each.kind is Kind.CORES and each.side is Side.CLIENT
    )
    assert cores.unit_count == 8
    assert cores.use_ratio.low == pytest.approx(40 * 0.14 / (8 * 1.25))
    assert cores.use_ratio.high == pytest.approx(40 * 0.18 / (8 * 1.25))


@pytest.mark.parametrize(
    ("spare_count", "whole", "after_failure"), [(0, 2 / 8, 2 / 8), (1, 2 / 8, 2 / 6)]
)
def test_a_lost_core_of_a_host_takes_all_its_threads(
    spare_count: int, whole: float, after_failure: float
) -> None:
    """40 Gbit/s times 0.05 threads of 4 cores with 2 threads each."""
    path = costed(ON_Z15, client_cost="0.05 cores/(Gbit/s)", cpu_time_basis="thread")
    demand, plan = planned(STREAM, path=path, headroom=Headroom(spare_core_count=spare_count))
    cores = loads_of(demand, plan)["client_cpus"]
    assert cores.unit_count == 4
    assert cores.use_ratio.value == pytest.approx(whole)
    assert cores.after_failure_ratio.value == pytest.approx(after_failure)


@pytest.mark.parametrize(
    ("spare_count", "core_count", "after_failure"), [(0, 6, 8 / 12), (1, 7, 8 / 12), (2, 8, 8 / 12)]
)
def test_planned_cores_have_two_threads_in_the_basis_of_threads(
    spare_count: int, core_count: int, after_failure: float
) -> None:
    """40 Gbit/s times 0.2 threads, of which 70 % may be busy: 11.4 threads are 6 cores."""
    path = costed(client_cost="0.2 cores/(Gbit/s)", cpu_time_basis="thread")
    headroom = Headroom(spare_core_count=spare_count)
    demand, plan = planned(STREAM, path=path, headroom=headroom)
    assert plan.pools[0].core_count.value == core_count
    cores = loads_of(demand, plan)["client_cpus"]
    assert cores.use_ratio.value == pytest.approx(8 / (2 * core_count))
    assert cores.after_failure_ratio.value == pytest.approx(after_failure)
    given = loads_of(demand, plan, core_counts={Side.CLIENT: 10})["client_cpus"]
    assert given.use_ratio.value == pytest.approx(8 / 20)
    assert given.after_failure_ratio.value == pytest.approx(8 / (20 - 2 * spare_count))


@pytest.mark.parametrize(("cost", "is_enough"), [("0.13", True), ("0.15", False)])
def test_a_host_has_to_carry_the_load_without_its_spare_core(cost: str, is_enough: bool) -> None:
    """5.2 and 6 busy threads, of 8, or of 6 where one core is lost: 90 % of these are allowed."""
    path = costed(ON_Z15, client_cost=f"{cost} cores/(Gbit/s)", cpu_time_basis="thread")
    headroom = Headroom(0.8, 1, 0.9, spare_core_count=1)
    _, plan = planned(STREAM, path=path, headroom=headroom)
    assert plan.holds is is_enough


def test_more_adapters_are_used_less() -> None:
    demand, plan = planned(STREAM)
    few, many = (loads_of(demand, plan, adapter_count=count) for count in (6, 12))
    name = "server_adapter_in"
    assert few[name].use_ratio.value == pytest.approx(2 * many[name].use_ratio.value)
    assert many[name].unit_count == 12


def test_without_an_adapter_left_or_enough_of_them() -> None:
    demand, plan = planned(STREAM)
    alone = loads_of(demand, plan, adapter_count=1)["server_adapter_in"]
    assert alone.after_failure_ratio.value == math.inf
    demand, plan = planned(STREAM, connections=1, spreading=Spreading.HASHED)
    with pytest.raises(DomainError, match="no number of adapters is enough"):
        loads_of(demand, plan)


def test_a_quantile_is_a_value_that_was_seen_and_not_exceeded_longer() -> None:
    """Definition 1 of Hyndman and Fan, which numpy calls the inverse of the distribution."""
    values = np.random.default_rng(1).lognormal(size=(168, 3))
    for quantile in (0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1 / 168, 2 / 168):
        result = quantile_of_rows(values, quantile)
        assert np.array_equal(result, np.quantile(values, quantile, axis=0, method="inverted_cdf"))
        assert np.all((values <= result).sum(axis=0) >= math.ceil(quantile * 168 * (1 - 1e-12)))


def test_loads_that_take_turns_need_no_more_than_one_of_them() -> None:
    """The percentile of a sum is not the sum of percentiles."""
    turns = np.array([[1.0, 0.0], [0.0, 1.0]] * 50)
    joint = JointLoads((((0, 1), turns),), 0.95)
    _, apart = planned(STREAM, STREAM)
    _, together = planned(STREAM, STREAM, joint=joint)
    _, alone = planned(STREAM)
    assert (apart.chosen_count, together.chosen_count, alone.chosen_count) == (10, 6, 6)
    assert together.stages == alone.stages


def test_loads_that_rise_together_add_up() -> None:
    same = np.linspace(0.1, 1.0, 100)
    joint = JointLoads((((0, 1), np.stack([same, same], axis=1) / same[94]),), 0.95)
    _, apart = planned(STREAM, ORDERS, path=COSTED)
    _, together = planned(STREAM, ORDERS, path=COSTED, joint=joint)
    for one, other in zip(apart.stages, together.stages, strict=True):
        assert one.use_ratio is not None
        assert other.use_ratio is not None
        assert one.use_ratio.value == pytest.approx(other.use_ratio.value)
    assert [each.core_count for each in apart.pools] == [each.core_count for each in together.pools]


@pytest.mark.parametrize(("texts", "options"), CASES)
def test_all_loads_grow_with_the_volumes(texts: tuple[str, ...], options: dict[str, Any]) -> None:
    demand, plan = planned(*texts, **options)
    ratios = [1 + number for number in range(len(texts))]
    scaled = loads_of(demand.scaled(ratios), plan)
    for name in (each.name for each in scaled.resources):
        before = loads_of(demand, plan)[name]
        assert scaled[name].uses() == pytest.approx(before.uses(ratios))
    assert plan_demand(demand.scaled(1), plan.headroom, plan.corner) == plan


def test_a_load_of_one_case_counts_in_all_of_them() -> None:
    """A half, and 1, 2 or 3 eighths."""
    assert added([(0, (0.5,)), (2, (0.125, 0.25, 0.375))], None) == (0.625, 0.75, 0.875)
    by_turns = JointLoads((((0, 2), np.array([[1.0, 0.0], [0.0, 1.0]])),), 0.95)
    assert added([(0, (0.25,)), (2, (0.125, 0.25, 0.375))], by_turns) == (0.25, 0.25, 0.375)
