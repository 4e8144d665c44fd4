"""Times of transactions at the planned load: bound, expected value, targets of a scenario."""

import math
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import pytest
from planning.planned import planned

from netmodel import plan_scenario
from netmodel.path import Bound, Predicted, SpecifiedPath
from netmodel.planning import Corner, Headroom, ScenarioPlan
from netmodel.planning._scenario import BEHIND_JUDGED
from netmodel.planning._transaction_time import TransactionTime, transaction_times
from netmodel.records import path_record

WORKED = SpecifiedPath(record=path_record("worked-closed-network"))
FULL = Headroom(0.999, 0)
ORDERS = "40000/s rr1c-200x1000"


def test_one_flow_of_known_connections_takes_what_its_plan_expects() -> None:
    """A message that meets no other takes 79.3007 µs on the worked closed network."""
    demand, plan = planned(ORDERS, path=WORKED, headroom=FULL, connections=50)
    (time,) = transaction_times(demand, plan)
    assert plan.expected is not None
    assert time.expected_s == plan.expected.transaction_time_s is not None
    assert time.lower_bound_s is not None
    assert time.lower_bound_s.value == pytest.approx(79.3007e-6, rel=1e-5)
    assert time.lower_bound_s.bound is Bound.LOWER
    assert time.expected_s.value > time.lower_bound_s.value


@pytest.mark.parametrize(
    ("flows", "connections", "reason"),
    [
        ((ORDERS, "1000/s rr1c-200x1000"), 50, "several flows meet"),
        ((ORDERS,), None, "connections not given"),
        (("900000/s rr1c-200x1000",), 50, "its connections reach"),
        (("1 Gbit/s str-writex30k",), 50, "connections of a stream await no answers"),
    ],
)
def test_no_time_is_expected_of_other_flows(
    flows: tuple[str, ...], connections: int | None, reason: str
) -> None:
    demand, plan = planned(*flows, path=WORKED, headroom=FULL, connections=connections)
    time, *_ = transaction_times(demand, plan)
    assert time.expected_s is None
    assert time.reason.startswith(reason)
    assert (time.lower_bound_s is None) is ("stream" in reason)


def timed(**parts: Any) -> TransactionTime:
    """10 to 12 µs at least, 20 to 40 µs expected, and a target of 30 µs that is missed."""
    given: dict[str, Any] = {
        "flow": "orders",
        "lower_bound_s": Predicted(11e-6, 10e-6, 12e-6, Bound.LOWER),
        "expected_s": Predicted(25e-6, 20e-6, 40e-6),
        "target_s": 30e-6,
        "verdict": "missed",
        **parts,
    }
    return TransactionTime(**given)


RANGE = "25 µs (parameters leave 20 to 40 µs)"
NO_END = Predicted(25e-6, 20e-6, math.inf)


@pytest.mark.parametrize(
    ("parts", "against", "text"),
    [
        ({}, f"takes {RANGE}", f"{RANGE} expected; target of 30 µs missed"),
        (
            {"expected_s": None, "reason": "not known: a fibre"},
            "takes at least 10 to 12 µs",
            ">= 11 µs; not known: a fibre; target of 30 µs missed",
        ),
        (
            {"verdict": "met", "expected_s": NO_END},
            "",
            "25 µs (parameters leave 20 µs to no end) expected; target of 30 µs met",
        ),
        ({"verdict": None, "target_s": None}, "", f"{RANGE} expected"),
        ({"lower_bound_s": None, "expected_s": None, "verdict": None, "reason": "none"}, "",
         "none"),
    ],
)  # fmt: skip
def test_a_time_in_words(parts: dict[str, Any], against: str, text: str) -> None:
    time = timed(**parts)
    more = against and " for a transaction of orders, and its target is 30 µs"
    assert time.reason_against == against + more
    assert time.text == f"orders: {text}"
    assert time.note == ""


def test_a_target_that_is_not_judged_is_noted_where_there_is_one() -> None:
    unknown = timed(verdict="unknown", expected_s=None, reason="not known: a fibre")
    assert unknown.note == "orders: target of 30 µs not judged: not known: a fibre"
    assert unknown.reason_against == replace(unknown, target_s=None).note == ""
    assert unknown.to_dict() == {
        "flow": "orders",
        "lower_bound_s": {"value": 11e-6, "low": 10e-6, "high": 12e-6, "bound": "lower"},
        "expected_s": None,
        "target_s": 30e-6,
        "verdict": "unknown",
        "reason": "not known: a fibre",
    }


@pytest.mark.parametrize("corner", Corner)
def test_a_bound_alone_is_judged_at_the_corner_of_the_plan(corner: Corner) -> None:
    demand, plan = planned("100000/s rr1c-200x1000", corner=corner)
    (time,) = transaction_times(demand, plan)
    assert time.lower_bound_s is not None
    bound_s = corner.of(time.lower_bound_s)
    for ratio, verdict in ((0.999, "missed"), (1.001, "unknown")):
        assert transaction_times(demand, plan, [ratio * bound_s])[0].verdict == verdict


SCENARIO = """
[[traffic]]
name = "orders"
workload = "rr1c-200x1000"
connections = 50
mean = "40000/s"
{target}
{more}
[[candidate]]
name = "worked"
path = "worked-closed-network"
mtu = 1500
[policy]
spares = 0
{policy}
"""
COPIES = '[[traffic]]\nname = "copies"\nworkload = "str-writex30k"\nmean = "100 Mbit/s"'
BARE = '[[candidate]]\nname = "bare"\nadapter = "osa-express7s-25gbe"\nmtu = 1500'


def scenario(folder: FilePath, target: str = "", policy: str = "", more: str = "") -> ScenarioPlan:
    given, of_all = (f'max_transaction_time = "{each}"' * bool(each) for each in (target, policy))
    file = folder / "orders.toml"
    file.write_text(SCENARIO.format(target=given, policy=of_all, more=more), "utf-8")
    return plan_scenario(file)


@pytest.mark.parametrize(
    ("target", "policy", "late"),
    [("200 µs", "", ""), ("80 µs", "", "80 µs"), ("", "80 µs", "80 µs"), ("200 µs", "80 µs", "")],
)
def test_a_candidate_holds_only_if_its_targets_are_met(
    tmp_path: FilePath, target: str, policy: str, late: str
) -> None:
    result = scenario(tmp_path, target, policy)
    (candidate,) = result.candidates
    assert candidate.is_feasible is result.holds is not bool(late)
    if late:
        assert candidate.reasons[0].endswith(f"of orders, and its target is {late}")
        assert result.answer.startswith("No candidate carries 320 Mbit/s of orders: worked takes ")


def test_the_target_of_the_policy_is_not_that_of_streams(tmp_path: FilePath) -> None:
    result = scenario(tmp_path, policy="1 s", more=COPIES)
    orders, copies = result.candidates[0].times
    assert (orders.target_s, copies.target_s) == (1, None)
    assert orders.note == "orders: target of 1 s not judged: several flows meet"
    assert orders.note in result.notes


def test_a_candidate_whose_target_cannot_be_judged_ranks_behind_one_that_meets_it(
    tmp_path: FilePath,
) -> None:
    first, second = scenario(tmp_path, "1 s", more=BARE).candidates
    assert (first.name, second.name) == ("worked", "bare")
    assert first.is_feasible
    assert second.is_feasible
    assert BEHIND_JUDGED in second.notes
    assert BEHIND_JUDGED not in first.notes
