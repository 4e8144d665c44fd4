"""Candidates of a scenario: costs by hand, texts that a reader relies on, and documented keys."""

import datetime
from pathlib import Path as FilePath

import pytest

from netmodel import plan_scenario
from netmodel.estimates import Bound
from netmodel.planning import ScenarioPlan
from netmodel.records import data_path

EXAMPLE = data_path("examples", "scenarios", "order-system.toml")
SCENARIO = """
start = 2026-12-01
[[traffic]]
name = "copies"
workload = "str-writex30k"
mean = "40 Gbit/s"
{traffic}
[[candidate]]
name = "one"
adapter = "osa-express7s-25gbe"
mtu = 1500
server_cost = "0.1 cores/(Gbit/s)"
{candidate}
[policy]
{policy}
"""
ORDERS = '[[traffic]]\nname = "orders"\nworkload = "rr1c-200x1000"\nmean = "1000/s"\n'


def planned(
    folder: FilePath, policy: str = "", candidate: str = "", traffic: str = ""
) -> ScenarioPlan:
    file = folder / "scenario.toml"
    text = SCENARIO.format(policy=policy, candidate=candidate, traffic=traffic)
    file.write_text(text, encoding="utf-8")
    return plan_scenario(file)


@pytest.mark.parametrize(
    ("policy", "cost", "notes"),
    [
        ("", None, 0),
        # 40 / 13.4 / 0.7 = 4.3: 5 adapters and a spare one, at both sides
        ("adapter_cost = 9000", 2 * 6 * 9000, 0),
        # 4 cores busy of 0.7: 6
        ("core_cost = 2000", 6 * 2000, 1),
        ("adapter_cost = 9000\ncore_cost = 2000", 2 * 6 * 9000 + 6 * 2000, 1),
    ],
)
def test_a_cost_is_that_of_adapters_at_both_sides_and_of_cores(
    policy: str, cost: float | None, notes: int, tmp_path: FilePath
) -> None:
    (candidate,) = planned(tmp_path, policy).candidates
    assert candidate.quoted_cost == cost
    left_out = [
        text for text in candidate.cost_notes if text.startswith("cost leaves out client cores")
    ]
    assert len(left_out) == notes


@pytest.mark.parametrize(
    ("policy", "client", "bound"),
    [
        ("adapter_cost = 9000", "0.1 cores/(Gbit/s)", Bound.LOWER),
        ("core_cost = 2000", "0.1 cores/(Gbit/s)", Bound.VALUE),
        ("core_cost = 2000", "", Bound.LOWER),
    ],
)
def test_a_cost_is_a_bound_where_a_number_is_one_or_cores_are_left_out(
    policy: str, client: str, bound: Bound, tmp_path: FilePath
) -> None:
    text = f'client_cost = "{client}"' if client else ""
    (candidate,) = planned(tmp_path, policy, text).candidates
    assert candidate.cost.bound is bound


def test_one_growing_class_of_several_ends_a_plan(tmp_path: FilePath) -> None:
    growing = ORDERS + 'growth_per_year = "50 %"\n'
    for traffic, is_growing in ((ORDERS, False), (growing, True)):
        (candidate,) = planned(tmp_path, traffic=traffic).candidates
        assert (candidate.growth is not None) is is_growing


def test_growth_ends_a_plan_on_the_day_on_which_cores_run_out(tmp_path: FilePath) -> None:
    """4 of 6 cores are busy, where 0.7 are allowed: 1.05 times; ln 1.05 / ln 1.5 = 0.12 years."""
    result = planned(tmp_path, traffic='growth_per_year = "50 %"')
    (candidate,) = result.candidates
    assert candidate.headroom_ratio == pytest.approx(1.05)
    assert candidate.growth.exhausted_on == datetime.date(2027, 1, 14)
    assert result.answer == (
        "one: at least 6 adapters at each side and 6 server cores, until 2027-01, when more "
        "server cores are needed."
    )


def test_growth_fills_a_capacity_of_a_cloud(tmp_path: FilePath) -> None:
    """70 % of two times 50 * 1448 / 1500 are 1.69 times 40; ln 1.69 / ln 1.5 = 1.29 years."""
    planned(tmp_path, "spares = 0", traffic='growth_per_year = "50 %"')
    file = tmp_path / "scenario.toml"
    cloud = file.read_text().replace("osa-express7s-25gbe", "aws:c6in.8xlarge")
    file.write_text(cloud.replace("0.1 cores", "0.001 cores"))
    ends = ", until 2028-03, when client adapter capacity 50Gbit/s ip out is full."
    assert plan_scenario(file).answer.endswith(ends)


@pytest.mark.parametrize(
    ("policy", "first"),
    [
        ("", "for 2 years at least 11 adapters at each side and 13 server cores"),
        ("server_cpus = 8", "not for 2 years: needs 13 server cores, and server_cpus is 8"),
    ],
)
def test_what_a_given_horizon_needs_comes_first(
    policy: str, first: str, tmp_path: FilePath
) -> None:
    """2.25 times as much in two years: 90 Gbit/s at 9.38 an adapter, and 9 cores busy at 70 %.

    8 cores carry 1.4 times as much at 70 %: ln 1.4 / ln 1.5 = 0.83 years.
    """
    planned(tmp_path, policy, traffic='growth_per_year = "50 %"')
    file = tmp_path / "scenario.toml"
    file.write_text(f"horizon_years = 2\n{file.read_text()}")
    now = "at first at least 6 adapters at each side and 6 server cores, until 2027-01, when"
    for answer in (plan_scenario(file).answer, plan_scenario(file, spares=1).answer):
        assert answer == f"one: {first}; {now} more server cores are needed."
    shown = plan_scenario(file, objective="adapters")
    cells = {column.head: [*column.cells] for column in shown.columns}
    assert cells["adapters in 2 years"] == ["no" if policy else ">= 11"]
    late = [("only until 2027-10: one", first.partition(": ")[2])]
    assert shown.grounds() == (late if policy else [])


def test_candidates_rank_by_what_a_given_horizon_needs(tmp_path: FilePath) -> None:
    """12 times 9,000 and 4 times 28,000 at first; for 90 Gbit/s 22 and 6 times."""
    cost = 'server_cost = "0.1 cores/(Gbit/s)"\nadapter_cost = 28000'
    more = f'[[candidate]]\nname = "two"\nadapter = "ethernet-100gbe"\nmtu = 1500\n{cost}'
    planned(tmp_path, "", f"adapter_cost = 9000\n{more}", 'growth_per_year = "50 %"')
    file = tmp_path / "scenario.toml"
    file.write_text(f"horizon_years = 2\n{file.read_text()}")
    found = plan_scenario(file)
    costs = [(x.name, x.quoted_cost, x.last.quoted_cost) for x in found.candidates]
    assert costs == [("two", 112_000, 168_000), ("one", 108_000, 198_000)]
    assert "168,000 (30,000 less than one); at first at least 2 adapters" in found.answer
    assert not any(note.startswith("ranked by") for note in found.notes)
    assert [x["horizon_adapter_count"] for x in found.to_dict()["candidates"]] == [3, 11]


def test_what_shrinks_may_end_a_plan_later_or_never(tmp_path: FilePath) -> None:
    """40 Gbit/s that halve each year, beside requests that double: by hand where both meet."""
    growing = ORDERS.replace("1000/s", "600000/s") + 'growth_per_year = "100 %"\n'
    result = planned(tmp_path, traffic=f'growth_per_year = "-50 %"\n{growing}')
    growth = result.candidates[0].growth
    alone = planned(tmp_path, traffic='growth_per_year = "-50 %"').candidates[0].growth
    assert (alone.exhausted_on, alone.text) == (None, "enough beyond 2031-12")
    assert growth.start < growth.exhausted_on <= growth.horizon_on


def test_the_answer_says_what_the_best_costs_less() -> None:
    result = plan_scenario(EXAMPLE)
    assert result.notes[0].startswith("ranked by cost, adapters, cores, evidence and smaller MTU")
    assert result.answer == (
        "RoCE Express2.1, MTU 1500: for 5 years at least 3 adapters at each side and 11 server "
        "cores, 70,000 EUR, as much as RoCE Express2.1, MTU 9000 (14,000 EUR less than "
        "OSA-Express7S, MTU 9000); at first at least 2 adapters at each side and 5 server cores, "
        "42,000 EUR, until 2027-05, when more server cores are needed."
    )
    heads = [column.head for column in result.columns if any(column.cells)]
    assert heads == [
        *("candidate", "MTU", "adapters", "server cores", "cost (EUR)", "in 5 years"),
        "headroom",
        *("full in", "bottleneck", "evidence"),
    ]


def test_a_cost_has_the_sign_of_its_bound_and_what_it_leaves_out(tmp_path: FilePath) -> None:
    """The first has its 6 server cores; of the second no cores are known, of both no client's."""
    bare = '[[candidate]]\nname = "bare"\nadapter = "osa-express7s-25gbe"\nmtu = 1500\n'
    result = planned(tmp_path, "adapter_cost = 9000\ncore_cost = 2000", bare)
    (cells,) = (column.cells for column in result.columns if column.head == "cost")
    assert [*cells] == [">= 120,000", ">= 108,000 + server cores"]


def test_a_candidate_as_json_has_the_documented_keys() -> None:
    first = plan_scenario(EXAMPLE).to_dict()["candidates"][0]
    assert {"cost", "growth", "headroom_ratio", "headroom_binding"} <= set(first)
    assert set(first["sensitivities"][0]) == {"change", "adapter_count", "core_count", "cost"}


def test_the_plan_of_a_candidate_as_json_has_the_documented_keys(tmp_path: FilePath) -> None:
    plan = planned(tmp_path).candidates[0]
    assert set(plan.to_dict()) == {
        *("client_adapter", "server_adapter", "path", "mtu_bytes", "distance", "answer", "holds"),
        *("one_adapter", "count_without_spares", "adapters_available", "chosen_count"),
        *("asked_side", "side_counts"),
        *("adapter_count", "binding", "max_utilisation_ratio"),
        *("max_utilisation_after_failure_ratio", "spare_count", "directions"),
        *(
            "stages",
            "pools",
            "flows",
            "copy_time_s",
            "copy_times_s",
            "shortfalls",
            "measured_with",
            "grade",
            "notes",
        ),
    }


def test_a_candidate_that_no_number_of_adapters_makes_feasible_says_why(tmp_path: FilePath) -> None:
    """One connection is on one adapter, which carries 13.4 Gbit/s."""
    traffic = "connections = 1\n"
    result = planned(tmp_path, "adapter_cost = 9000", traffic=traffic)
    (candidate,) = result.candidates
    assert not candidate.holds
    assert candidate.chosen_count is None
    assert candidate.shortfalls == ("the connections cannot use enough adapters",)
    assert (candidate.cost, candidate.growth) == (None, None)
    assert result.answer.startswith("No: one: the connections cannot use enough adapters: ")


@pytest.mark.parametrize(("there", "lacks"), [(5, True), (6, False), (7, False)])
def test_as_many_cores_as_are_needed_are_enough(
    there: int, lacks: bool, tmp_path: FilePath
) -> None:
    """4 cores busy of 70 %: 6."""
    (candidate,) = planned(tmp_path, f"server_cpus = {there}").candidates
    text = f"needs 6 server cores, and server_cpus is {there}"
    assert (text in candidate.shortfalls) == lacks
    assert candidate.holds != lacks
