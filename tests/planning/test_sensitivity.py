"""What moves the answer of a plan, against plans that are made anew with the changed input."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning.planned import OSA, ROCE, STREAM, costed, planned

from netmodel.path import SpecifiedPath
from netmodel.planning import Headroom
from netmodel.planning._plan import Plan
from netmodel.planning._resources import Corner
from netmodel.planning._sensitivity import (
    ADAPTERS,
    COST,
    Sensitivity,
    UnitCosts,
    needs_of,
    sensitivities,
)
from netmodel.planning._volumes import volume_of_mean
from netmodel.records import adapter

RANGE = costed(server_cost="0.14..0.18 cores/(Gbit/s)")
REQUESTS = "40 Gbit/s rr1c-200x30k"
SERVER_CORES = "server cores"


def of_inputs(plan: Plan, path: SpecifiedPath, **given: object) -> dict[str, Sensitivity]:
    """By their inputs."""
    return {each.input: each for each in sensitivities(plan, path, **given)}  # type: ignore[arg-type]


@pytest.mark.parametrize("corner", Corner)
@pytest.mark.parametrize("spares", [0, 1, 2])
@pytest.mark.parametrize("flow", [STREAM, REQUESTS, "200000/s rr1c-200x1000"])
def test_needs_round_up_to_the_plan(flow: str, spares: int, corner: Corner) -> None:
    room = Headroom(0.7, spares, 0.8, spares)
    demand, plan = planned(flow, path=RANGE, corner=corner, headroom=room)
    needs = needs_of(demand, plan)
    assert plan.chosen_count == math.ceil(round(needs[ADAPTERS], 9))
    server = next(pool for pool in plan.pools if pool.side is not None)
    assert corner.of(server.core_count) == math.ceil(round(needs[SERVER_CORES], 9))


def test_cost_of_a_side_is_that_of_plans_with_its_ends() -> None:
    _, plan = planned(REQUESTS, path=RANGE)
    moved = of_inputs(plan, RANGE)["server cost"]
    assert (moved.low_text, moved.high_text) == ("0.14", "0.18 cores/(Gbit/s)")
    for end, text in ((moved.answer_low, "0.14"), (moved.answer_high, "0.18")):
        path = costed(server_cost=f"{text} cores/(Gbit/s)")
        assert end == pytest.approx(needs_of(*planned(REQUESTS, path=path))[SERVER_CORES])
    # 40 Gbit/s of 30,000 byte responses with 200 byte requests, 70 % of each core
    assert moved.answer_high == pytest.approx(40 * (1 + 200 / 30_720) * 0.18 / 0.7)
    assert "CPU data" in moved.run


def test_demand_is_linear_beyond_the_spares() -> None:
    _, plan = planned(STREAM, path=OSA)
    moved = of_inputs(plan, OSA)["str-writex30k"]
    assert (moved.low_text, moved.high_text) == ("36 Gbit/s", "44 Gbit/s")
    assert moved.answer == ADAPTERS
    # 13.4 Gbit/s printed, 13.35 at the worst; one spare
    assert moved.answer_low == pytest.approx(36 / 13.35 / 0.7 + 1, rel=1e-3)
    assert moved.answer_high == pytest.approx(44 / 13.35 / 0.7 + 1, rel=1e-3)


def test_demand_with_a_distribution_moves_between_its_quantiles() -> None:
    volume = volume_of_mean("str-writex30k", 40e9, 0.95, variation_ratio=0.5)
    rate = f"{volume.planned_bps / 1e9!r} Gbit/s str-writex30k"
    _, plan = planned(rate, path=OSA)
    moved = of_inputs(plan, OSA, volumes=[volume])["str-writex30k"]
    # theory: the 95 % quantile of a lognormal load of variation 0.5 is 1.945318 times its mean
    assert moved.high_text == "77.81 Gbit/s"
    assert moved.answer_high == pytest.approx(moved.planned)
    assert moved.answer_low < moved.planned


def test_mtu_is_that_of_the_plan_with_the_other() -> None:
    path = OSA
    small, large = (planned(STREAM, path=path, mtu_bytes=mtu) for mtu in (1500, 9000))
    for _, plan in (small, large):
        moved = of_inputs(plan, path)["MTU"]
        assert (moved.low_text, moved.high_text) == ("1500", "9000")
        assert moved.answer_low == pytest.approx(needs_of(*small)[ADAPTERS], rel=0.05)
        assert moved.answer_high == pytest.approx(needs_of(*large)[ADAPTERS], rel=0.05)


def test_connections_are_those_of_the_plan_with_twice_as_many() -> None:
    few, many = (planned(REQUESTS, path=ROCE, connections=count) for count in (10, 20))
    moved = of_inputs(few[1], ROCE)["connections"]
    assert (moved.low_text, moved.high_text) == ("10", "20")
    assert moved.answer_low == pytest.approx(needs_of(*few)[moved.answer])
    assert moved.answer_high == pytest.approx(needs_of(*many)[moved.answer], rel=0.05)
    assert moved.answer_low != moved.answer_high


def test_more_use_of_each_adapter_needs_fewer() -> None:
    _, plan = planned(STREAM, path=OSA)
    moved = of_inputs(plan, OSA)["highest use"]
    assert (moved.low_text, moved.high_text) == ("60", "80 %")
    assert moved.answer_low == pytest.approx(40 / 13.35 / 0.6 + 1, rel=1e-3)
    assert moved.answer_high == pytest.approx(40 / 13.35 / 0.8 + 1, rel=1e-3)


def test_the_largest_swing_comes_first_and_nothing_that_moves_nothing_is_listed() -> None:
    _, plan = planned(REQUESTS, path=RANGE)
    swings = [each.swing_ratio for each in sensitivities(plan, RANGE)]
    assert swings == sorted(swings, reverse=True)
    assert min(swings) > 0


def test_cost_is_the_answer_where_units_cost_something() -> None:
    demand, plan = planned(REQUESTS, path=RANGE)
    costs = UnitCosts(9000, 2000)
    needs = needs_of(demand, plan, costs)
    assert needs[COST] == pytest.approx(2 * 9000 * needs[ADAPTERS] + 2000 * needs[SERVER_CORES])
    for each in sensitivities(plan, RANGE, unit_costs=costs):
        assert each.answer == COST
        assert "cost" in each.text


def test_what_costs_nothing_is_moved_by_nothing() -> None:
    _, plan = planned(REQUESTS, path=RANGE)
    assert sensitivities(plan, RANGE, unit_costs=UnitCosts(0, 0)) == ()


def test_service_times_that_belong_together_move_together() -> None:
    """Between measured MTUs the times of an OSA-Express7S are known as a set of points only."""
    path = OSA
    _, plan = planned(STREAM, path=path, mtu_bytes=4000)
    [name] = [name for name in of_inputs(plan, path) if name.startswith("service times of")]
    moved = of_inputs(plan, path)[name]
    assert "per frame" in moved.low_text
    assert moved.answer_low < moved.answer_high == pytest.approx(moved.planned)


def test_published_bounds_count_or_not() -> None:
    path = OSA
    _, plan = planned("20 Gbit/s rr1c-200x30k", path=path, mtu_bytes=9000, connections=10)
    moved = of_inputs(plan, path)["bounds of published statements"]
    assert moved.answer_low < moved.answer_high


def test_a_plan_without_enough_adapters_has_no_sensitivities() -> None:
    path = OSA
    _, plan = planned("40 Gbit/s str-writex30k", path=path, connections=1)
    if plan.chosen_count is None:
        assert sensitivities(plan, path) == ()


@given(
    rate=st.floats(1, 200),
    use=st.floats(0.3, 0.9),
    of=st.sampled_from(["osa-express7s-25gbe", "ethernet-25gbe", "roce-express2.1-25gbe"]),
)
def test_ends_enclose_the_plan_where_they_are_ends(rate: float, use: float, of: str) -> None:
    path = SpecifiedPath(adapter(of), adapter(of))
    _, plan = planned(f"{rate!r} Gbit/s str-writex30k", path=path, headroom=Headroom(use, 1))
    for each in sensitivities(plan, path):
        assert each.swing == pytest.approx(abs(each.answer_high - each.answer_low))
        if each.input in {"str-writex30k", "highest use"}:
            low, high = sorted((each.answer_low, each.answer_high))
            assert low <= each.planned * (1 + 1e-9)
            assert high >= each.planned * (1 - 1e-9)


@pytest.mark.parametrize(
    ("cost", "ends", "cores_per_gbps"),
    [
        ("0.14..0.18 cores/(Gbit/s)", ("0.14", "0.18 cores/(Gbit/s)"), (0.14, 0.18)),
        # more data per core cost less: from the highest figure to the lowest
        ("5..8 Gbit/s/core", ("8", "5 Gbit/s/core"), (1 / 8, 1 / 5)),
    ],
)
def test_a_cost_is_named_from_its_cheaper_end(
    cost: str, ends: tuple[str, str], cores_per_gbps: tuple[float, float]
) -> None:
    path = costed(server_cost=cost)
    _, plan = planned(STREAM, path=path)
    moved = of_inputs(plan, path)["server cost"]
    assert (moved.low_text, moved.high_text) == ends
    low, high = (40 * each / 0.7 for each in cores_per_gbps)
    assert (moved.answer_low, moved.answer_high) == pytest.approx((low, high))


def test_answers_in_words_have_their_unit_once() -> None:
    given = {
        "input": "server cost",
        "low_text": "0.14",
        "high_text": "0.18 cores/(Gbit/s)",
        "answer_low": 6.12345,
        "answer_high": 7.89123,
        "planned": 7.0,
    }
    moved = Sensitivity(answer="server cores", **given)  # type: ignore[arg-type]
    assert moved.text == "server cost 0.14 to 0.18 cores/(Gbit/s): 6.123 to 7.891 server cores"
    assert moved.swing == pytest.approx(1.76778)
    assert moved.swing_ratio == pytest.approx(1.76778 / 7)
    dear = Sensitivity(answer=COST, currency="EUR", **given | {"answer_low": 52_345.6})  # type: ignore[arg-type]
    assert dear.text == "server cost 0.14 to 0.18 cores/(Gbit/s): cost 52,350 to 7.891 EUR"
    assert dear.swing == pytest.approx(52_345.6 - 7.89123)
    bare = Sensitivity(answer=COST, **given)  # type: ignore[arg-type]
    assert bare.text.endswith(": cost 6.123 to 7.891")
    assert moved.to_dict() == {
        **given,
        "answer": "server cores",
        "swing": moved.swing,
        "swing_ratio": moved.swing_ratio,
        "run": "",
        "currency": "",
    }


def test_an_input_is_named_by_what_it_moves_most_of_its_own() -> None:
    """
    10 % more need 10 % more cores, and less than 10 % more adapters, one of which is a spare.

    40 Gbit/s: 2.9 cores move by 0.6, and 5.3 adapters by 0.9, which is less of them.
    """
    path = costed(server_cost="0.05 cores/(Gbit/s)")
    _, plan = planned(STREAM, path=path)
    moved = of_inputs(plan, path)["str-writex30k"]
    assert moved.answer == SERVER_CORES
    assert (moved.answer_low, moved.answer_high) == pytest.approx((1.8 / 0.7, 2.2 / 0.7))
    assert moved.swing_ratio == pytest.approx(0.2)
