"""``netmodel.plan_scenario``: candidates are plans of `netmodel.plan`; what replaces a file."""

import datetime
from typing import Any

import pytest

import netmodel
from netmodel.errors import DomainError
from netmodel.planning import ScenarioPlan
from netmodel.records import data_path
from netmodel.records.scenarios import Candidate, Policy, Scenario, TrafficClass

EXAMPLE = data_path("examples", "scenarios", "order-system.toml")
OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
REQUESTS = "rr1c-200x30k"
START = datetime.date(2026, 12, 1)


def planned(candidate: dict[str, Any], policy: dict[str, Any], **traffic: Any) -> ScenarioPlan:
    load = {"name": REQUESTS, "workload": REQUESTS, "mean": "20000/s", **traffic}
    return netmodel.plan_scenario(
        Scenario(
            start=START,
            traffic=(TrafficClass(**load),),
            candidate=(Candidate(name="one", **candidate),),
            policy=Policy(**policy),
        )
    )


BUCKET = "20Gbit/s for 1TB then 9Gbit/s ip per adapter"
ARGUMENTS = {"adapter": "adapters", "mtu": "mtu_bytes", "link_mtu": "link_mtu_bytes"}
ARGUMENTS |= {"line_rate": "line_rate_bps", "window": "window_bytes", "loss": "loss_ratio"}
"""Arguments of plan by the keys of a candidate, where they differ."""


@pytest.mark.parametrize(
    "candidate",
    [
        {"adapter": OSA, "mtu": 1500},
        {"link_mtu": 9000, "stack": "calico-vxlan", "capacity": [BUCKET, "9Gbit/s out"]},
        {"sender": OSA, "receiver": ROCE, "mtu": "9 kB", "line_rate": "10 Gbit/s"},
        {"mtu": 9000, "server_cost": "0.16 cores/(Gbit/s)", "cost_measured_with": "mtu=1500"},
        {"adapter": ROCE, "mtu": 1500, "km": 35, "window": "256 KiB", "loss": 1e-5},
    ],
)
@pytest.mark.parametrize(
    "policy",
    [
        {},
        {"spares": 2, "max_utilisation": "50 %", "max_utilisation_after_failure": 0.8},
        {"physics_only": True},
    ],
)
def test_a_candidate_is_planned_like_a_plan_with_its_options(
    candidate: dict[str, Any], policy: dict[str, Any]
) -> None:
    if "sender" not in candidate:
        candidate = {"adapter": OSA} | candidate
    options = {ARGUMENTS.get(key, key): value for key, value in (candidate | policy).items()}
    (one,) = planned(candidate, policy, connections=50).candidates
    (alone,) = netmodel.plan(f"20000/s {REQUESTS}", connections=50, **options)
    assert one.to_dict() == alone.to_dict()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({}, "give mtu: the path has none of its own"),
        ({"km": 1, "rtt": "1 ms"}, "give km or rtt, not both"),
        ({"mtu": 1500, "line_rate": "400 Gbit/s"}, "the line is 400 Gbit/s"),
    ],
)
def test_a_candidate_that_contradicts_itself_is_refused_by_name(
    wrong: dict[str, Any], problem: str
) -> None:
    candidates = (
        Candidate(name="good", adapter=OSA, mtu=1500),
        Candidate(name="wrong", adapter=OSA, **wrong),
    )
    traffic = (TrafficClass(name="a", mean="8 Gbit/s"),)
    scenario = Scenario(start=START, traffic=traffic, candidate=candidates)
    with pytest.raises(DomainError, match=f'candidate 2 "wrong": .*{problem}'):
        netmodel.plan_scenario(scenario)


def test_arguments_replace_what_the_policy_has() -> None:
    result = netmodel.plan_scenario(EXAMPLE, max_utilisation="50 %", spares=2)
    assert (result.scenario.policy.max_utilisation, result.scenario.policy.spares) == (0.5, 2)
    assert (
        result.scenario.policy.adapters_available
        == netmodel.plan_scenario(EXAMPLE).scenario.policy.adapters_available
    )
    changes = "max_utilisation 0.5 for 0.7; spares 2 for 1"
    assert result.notes[0] == f"replaced in the scenario: {changes}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"adapters_available": 1}, "none is left to work"),
        ({"spares": -1}, "spares"),
        ({"spars": 1}, "did you mean spares"),
    ],
)
def test_what_does_not_fit_the_file_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        netmodel.plan_scenario(EXAMPLE, **arguments)
