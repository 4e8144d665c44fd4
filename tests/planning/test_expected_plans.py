"""Plans agree with what is expected of the connections at the same path, MTU and workload."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invocation import printed, printed_json, words
from paths import ends

import netmodel
from netmodel import planning, records
from netmodel.path import SpecifiedPath
from netmodel.planning import parse_flow

ZVM_PATHS = (
    *("zvm-direct-osa-layer2-1gbe", "zvm-direct-osa-layer3-1gbe"),
    *("zvm-direct-osa-layer2-10gbe", "zvm-direct-osa-layer3-10gbe"),
    *("zvm-vswitch-layer2-1gbe", "zvm-vswitch-layer3-1gbe"),
)
IN_FULL: dict[str, Any] = {"max_utilisation": 1.0, "spares": 0}


@cache
def expected_tps(path: str, connections: int) -> float:
    """The rate that ``netmodel.predict`` expects, as printed or between printed ones. [1/s]"""
    case: Any = netmodel.predict(
        path=path, workload="awm-rr", mtu_bytes=1492, connections=connections
    )
    return float(case.expected.transaction_rate_tps.value)


@given(path=st.sampled_from(ZVM_PATHS), connections=st.integers(1, 50))
@settings(max_examples=20)
def test_demands_on_zvm_are_planned_below_the_expected_rate_and_refused_above(
    path: str, connections: int
) -> None:
    rate_tps = expected_tps(path, connections)
    for (ratio, holds), policy in product(((1.3, False), (0.7, True)), ({}, IN_FULL)):
        (plan,) = netmodel.plan(
            f"{ratio * rate_tps}/s awm-rr",
            path=path,
            mtu_bytes=1492,
            connections=connections,
            **policy,
        )
        assert plan.holds is holds
        assert plan.answer.startswith("No: ") is not holds


def test_a_plan_is_refused_by_its_own_expected_value() -> None:
    """One connection: 0.394 ms a transaction in the z/VM measurements, 2,539 /s."""
    demand = ("--flow", "10000/s awm-rr", "--mtu", "1492", "--connections", "1")
    full = ("--spares", "0", "--max-utilisation", "1")
    case = ("plan", "--path", "zvm-direct-osa-layer3-1gbe", *demand, *full)
    answer = words(printed(*case, exit_code=1))
    assert answer.startswith("No: one connection carries about 2,539/s of awm-rr. ")
    (row,) = printed_json(*case, exit_code=1)
    assert (row["holds"], len(row["shortfalls"])) == (False, 1)
    below = (*case[:3], "--flow", "2500/s awm-rr", *demand[2:], *full)
    assert printed(*below).startswith("1 adapter (no spare) and at least 1 client core")


@given(path=st.sampled_from(ZVM_PATHS), connections=st.integers(1, 50))
@settings(max_examples=20)
def test_busy_cpus_are_the_cost_of_the_prediction(path: str, connections: int) -> None:
    """Also between the numbers of connections that the tables print."""
    where: dict[str, Any] = {"path": path, "mtu_bytes": 1492, "connections": connections}
    (plan,) = netmodel.plan("1000/s awm-rr", **where)
    case: Any = netmodel.predict(workload="awm-rr", **where)
    for pool in plan.cpu_needs:
        cost = case.cpu_s_per_transaction[pool.pool.side]
        assert pool.busy_count.value == pytest.approx(1000 * cost.value)
        assert pool.busy_count.high == pytest.approx(1000 * cost.high)


@pytest.mark.parametrize("path", ZVM_PATHS)
@pytest.mark.parametrize("counts", [(1, 25), (None, 10)])
def test_flows_with_their_own_connections_load_a_path_as_each_alone(
    path: str, counts: tuple[int | None, ...]
) -> None:
    """CPU times go with the number of connections: as printed, between, or of all numbers."""
    given = SpecifiedPath(record=records.path_record(path))
    flows = [parse_flow("1000/s awm-rr", count) for count in counts]
    both, *alone = (planning.plan(own, given, 1492) for own in (flows, flows[:1], flows[1:]))

    def loads(plan: planning.Plan) -> Iterator[tuple[float, float, float]]:
        yield from (ends(each.busy_count) for each in plan.pools)
        uses = (each.use_ratio for each in plan.stages)
        yield from (ends(use) for use in uses if use is not None)
        value, low, high = ends(plan.one_adapter.demand_ratio)
        yield 1 / value, 1 / high, 1 / low

    for together, *parts in zip(*map(loads, (both, *alone)), strict=True):
        assert together == pytest.approx([*map(sum, zip(*parts, strict=True))], rel=1e-9)


def test_a_stream_is_held_to_its_measured_series() -> None:
    """Streams of 20 MB over a virtual switch: what one connection reached."""
    stream: dict[str, Any] = {"path": ZVM_PATHS[-1], "mtu_bytes": 1492, "connections": 1}
    case: Any = netmodel.predict(workload="awm-str", **stream)
    reached_bps = float(case.expected.throughput_bps.value)
    assert reached_bps < case.throughput_bps.value
    for ratio, holds in ((1.3, False), (0.7, True)):
        rate = f"{ratio * reached_bps / 1e6} Mbit/s awm-str"
        (plan,) = netmodel.plan(rate, **stream, **IN_FULL)
        assert plan.holds is holds


SCENARIO = """
title = "Orders of a guest"

[[traffic]]
name = "orders"
workload = "awm-rr"
connections = 10
mean = "{rate_tps}/s"
growth_per_year = "10 %"

[[candidate]]
name = "direct"
path = "zvm-direct-osa-layer3-1gbe"
mtu = [1492]
"""


@pytest.mark.parametrize(("ratio", "holds"), [(1.3, False), (0.7, True)])
def test_a_scenario_is_held_to_the_expected_rate(ratio: float, holds: bool, tmp_path: Any) -> None:
    rate_tps = expected_tps("zvm-direct-osa-layer3-1gbe", 10)
    file = tmp_path / "orders.toml"
    file.write_text(SCENARIO.format(rate_tps=ratio * rate_tps))
    result = netmodel.plan_scenario(records.scenario(file))
    assert result.holds is holds
    (only,) = result.candidates
    if not holds:
        assert "10 connections carry about" in only.shortfalls[0]
    else:
        assert only.headroom_ratio == pytest.approx(1 / 0.7, abs=0.001)
        assert only.headroom_binding.startswith("10 connections carry")
