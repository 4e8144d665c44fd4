"""Laws of planned scenarios: a stricter policy never needs less."""

import datetime
import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from netmodel import plan_scenario
from netmodel.planning import Plan, ScenarioPlan
from netmodel.records.scenarios import Candidate, Policy, Scenario, TrafficClass

pytestmark = pytest.mark.thorough

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
CANDIDATES = (
    {"name": "osa", "adapter": OSA, "mtu": [1500, 9000], "server_cost": "30..40 µs/transaction"},
    {"name": "roce", "adapter": ROCE, "mtu": 1500, "server_cost": "22..28 µs/transaction"},
    {"name": "line", "adapter": "ethernet-100gbe", "mtu": 1500, "server_cost": "40 µs/transaction"},
)
POLICY = {
    "adapters_available": 8,
    "server_cpus": 12,
    "adapter_cost": 9000,
    "core_cost": 2000,
    "max_utilisation_after_failure": "90 %",
}


def planned(
    policy: Mapping[str, Any] | None = None,
    candidates: tuple[Mapping[str, Any], ...] = CANDIDATES,
    **traffic: Any,
) -> ScenarioPlan:
    """A scenario of one class of requests, with keys as in a file."""
    orders = {
        "name": "orders",
        "workload": "rr1c-200x30k",
        "connections": 200,
        "mean": "60000/s",
        "variation": "30 %",
        "growth_per_year": "20 %",
        **traffic,
    }
    return plan_scenario(
        Scenario(
            start=datetime.date(2026, 12, 1),
            horizon_years=10,
            traffic=(TrafficClass(**orders),),
            candidate=tuple(Candidate(**each) for each in candidates),
            policy=Policy(**{**POLICY, **(policy or {})}),
        )
    )


def by_name(result: ScenarioPlan) -> dict[str, Plan]:
    return {each.name: each for each in result.candidates}


KNOBS = {
    "quantile": (0.5, 0.9, 0.99, 0.999),
    "max_utilisation": (1, 0.8, 0.55, 0.3),
    "max_utilisation_after_failure": (1, 0.9, 0.7, 0.3),
    "spares": (0, 1, 3, 7),
    "adapters_available": (64, 6, 4, 2),
    "server_cpus": (64, 12, 8, 1),
    "adapter_cost": (0, 9000, 20000),
    "core_cost": (0, 2000, 20000),
}
"""Values of each knob of the policy, the stricter or dearer ones later."""
TRAFFIC_KNOBS = {
    "mean": ("1000/s", "20000/s", "60000/s", "100000/s", "200000/s"),
    "variation": ("0 %", "10 %", "30 %", "60 %"),
    "growth_per_year": ("0 %", "5 %", "20 %", "100 %"),
}


def assert_no_laxer(lax: ScenarioPlan, strict: ScenarioPlan) -> None:
    """Never fewer adapters or cores, or more feasible candidates."""
    before, after = by_name(lax), by_name(strict)
    assert before.keys() == after.keys()
    for name, candidate in after.items():
        other = before[name]
        assert other.holds or not candidate.holds, name
        if candidate.chosen_count is not None and other.chosen_count is not None:
            assert candidate.chosen_count >= other.chosen_count, name
        assert other.chosen_count is not None or candidate.chosen_count is None, name
        assert (candidate.core_count or 0) >= (other.core_count or 0), name
        if candidate.quoted_cost is not None and other.quoted_cost is not None:
            assert candidate.quoted_cost >= other.quoted_cost, name


@pytest.mark.parametrize("knob", KNOBS)
def test_a_stricter_policy_is_never_easier(knob: str) -> None:
    for lax, strict in pairwise(planned({knob: value}) for value in KNOBS[knob]):
        assert_no_laxer(lax, strict)


@pytest.mark.parametrize("knob", TRAFFIC_KNOBS)
def test_more_traffic_never_needs_less(knob: str) -> None:
    for less, more in pairwise(planned(**{knob: value}) for value in TRAFFIC_KNOBS[knob]):
        assert_no_laxer(less, more)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_costs_in_another_currency_rank_alike(factor: float) -> None:
    costs = {"adapter_cost": 9000 * factor, "core_cost": 2000 * factor}
    plain, scaled = planned(), planned(costs)
    assert [each.name for each in scaled.candidates] == [each.name for each in plain.candidates]
    for one, other in zip(plain.candidates, scaled.candidates, strict=True):
        if one.quoted_cost is not None:
            assert other.quoted_cost == pytest.approx(one.quoted_cost * factor)


@pytest.mark.parametrize("mean", ["5000/s", "60000/s", "150000/s"])
@pytest.mark.parametrize("objective", ["cost", "adapters", "cores"])
def test_the_best_is_feasible_whatever_the_order(mean: str, objective: str) -> None:
    """And none that is feasible has a better objective."""
    policy = {"objective": objective}
    result = planned(policy, mean=mean)
    reverse = planned(policy, CANDIDATES[::-1], mean=mean)
    assert [each.name for each in reverse.candidates] == [each.name for each in result.candidates]
    feasible = [each for each in result.candidates if each.holds]
    assert result.holds == bool(feasible)
    assert list(result.candidates[: len(feasible)]) == feasible
    assert [each.rank for each in result.ranking] == [1, 2, 3, 4]
    wanted = {
        "cost": lambda each: each.quoted_cost,
        "adapters": lambda each: each.chosen_count,
        "cores": lambda each: each.core_count,
    }[objective]
    # at the end of the horizon, where those that do not hold are last
    objectives = [(not each.last.holds, wanted(each.last) or math.inf) for each in feasible]
    assert objectives == sorted(objectives)
    assert all(each.shortfalls for each in result.candidates if not each.holds)
