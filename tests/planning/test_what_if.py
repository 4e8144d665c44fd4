"""Which input moves a plan, what a unit more adds, how often it holds: figures by hand."""

import math
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning.made import cores, loads, made, resource
from planning.planned import OSA, ROCE, STREAM, costed, own_path, planned

from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import Bound, Interval, Path, Pool, SpecifiedPath, Stage, Times, wire_stages
from netmodel.planning import Corner, Headroom, Plan, _what_if, parse_flow
from netmodel.planning._demand import demand_of
from netmodel.planning._joint import JointLoads
from netmodel.planning._loads import Kind, Loads, loads_of
from netmodel.planning._planner import plan_demand
from netmodel.planning._volumes import PlannedVolume, volume_of_mean, volume_of_peak
from netmodel.planning._volumes import volume_of_series as of_series
from netmodel.planning._what_if import (
    HoldingProbability,
    Sensitivity,
    ShadowPrice,
    holding_probability,
    needs_of,
    sensitivities,
    shadow_prices,
)
from netmodel.records import adapter
from netmodel.records._load_series import LoadSeries

RANGE = costed(server_cost="0.14..0.18 cores/(Gbit/s)")
REQUESTS = "40 Gbit/s rr1c-200x30k"
CORES = "server cores"


# Which input moves the answer


def moved(plan: Plan, path: SpecifiedPath, *volumes: PlannedVolume) -> dict[str, Sensitivity]:
    """By their inputs."""
    return {each.input: each for each in sensitivities(plan, path, volumes)}


@pytest.mark.parametrize("corner", Corner)
@pytest.mark.parametrize("spares", [0, 1, 2])
@pytest.mark.parametrize("flow", [STREAM, REQUESTS, "200000/s rr1c-200x1000"])
def test_needs_round_up_to_the_plan(flow: str, spares: int, corner: Corner) -> None:
    room = Headroom(0.7, spares, 0.8, spares)
    demand, plan = planned(flow, path=RANGE, corner=corner, headroom=room)
    needs = needs_of(demand, plan)
    assert plan.chosen_count == math.ceil(round(needs["adapters"], 9))
    server = next(pool for pool in plan.pools if pool.side is not None)
    assert corner.of(server.core_count) == math.ceil(round(needs[CORES], 9))


def test_the_cost_is_that_of_adapters_at_both_sides_and_of_cores() -> None:
    demand, plan = planned(REQUESTS, path=RANGE)
    needs = needs_of(demand, plan, 9000, 2000)
    assert needs["cost"] == pytest.approx(2 * 9000 * needs["adapters"] + 2000 * needs[CORES])
    for each in sensitivities(plan, RANGE, adapter_cost=9000, core_cost=2000, currency="EUR"):
        assert (each.answer, each.currency) == ("cost", "EUR")
        assert each.text.endswith(" EUR")
    assert sensitivities(plan, RANGE, adapter_cost=0, core_cost=0) == ()


@pytest.mark.parametrize(
    ("cost", "ends", "cores_per_gbps"),
    [
        ("0.14..0.18 cores/(Gbit/s)", ("0.14", "0.18 cores/(Gbit/s)"), (0.14, 0.18)),
        # more data per core cost less: from the highest figure to the lowest
        ("5..8 Gbit/s/core", ("8", "5 Gbit/s/core"), (1 / 8, 1 / 5)),
    ],
)
def test_a_cost_moves_between_plans_with_its_ends(
    cost: str, ends: tuple[str, str], cores_per_gbps: tuple[float, float]
) -> None:
    path = costed(server_cost=cost)
    _, plan = planned(STREAM, path=path)
    one = moved(plan, path)["server cost"]
    assert (one.low_text, one.high_text) == ends
    low, high = (40 * each / 0.7 for each in cores_per_gbps)
    assert (one.answer_low, one.answer_high) == pytest.approx((low, high))


@pytest.mark.parametrize("corner", Corner)
def test_service_times_and_gains_move_from_their_best_to_their_worst_case(corner: Corner) -> None:
    """1.2 (1 to 1.5) adapters of 0.7; 2.8 busy CPUs of 0.7 with gains of 1.1 to 1.5."""
    inward = Stage(
        name="server_adapter_in",
        to_server=Times(per_message_s=Interval(12e-6, 10e-6, 15e-6)),
        side=Side.SERVER,
    )
    path = own_path(inward)
    demand = demand_of([parse_flow("100000/s rr1c-200x1000")], path, 1500)
    one = moved(plan_demand(demand, Headroom(0.7, 0), corner), path)["service times and gains"]
    assert (one.answer, one.low_text, one.high_text) == ("adapters", "best", "worst case")
    assert (one.answer_low, one.answer_high) == pytest.approx((1 / 0.7, 1.5 / 0.7))
    work = Stage(
        name="cpu",
        to_server=Times(per_message_s=28e-6),
        parallel_count=None,
        pool="server_cpus",
        side=Side.SERVER,
    )
    pool = Pool("server_cpus", None, Side.SERVER, smt_gain=Interval(1.25, 1.1, 1.5))
    path = own_path(work, pools=(pool,))
    demand = demand_of([parse_flow("100000/s rr1c-200x1000")], path, 1500)
    one = moved(plan_demand(demand, Headroom(0.7, 0), corner), path)["service times and gains"]
    assert one.answer == "server CPUs"
    assert (one.answer_low, one.answer_high) == pytest.approx((4 / 1.5, 4 / 1.1))


def test_costs_stay_as_planned_while_service_times_move() -> None:
    """13.4 Gbit/s are printed, 13.35 to 13.45; the range of the cost is an input of its own."""
    path = costed(server_cost="0.01..0.02 cores/(Gbit/s)")
    _, plan = planned(STREAM, path=path)
    one = moved(plan, path)["service times and gains"]
    assert one.answer == "adapters"
    ends = (40 / 13.45 / 0.7 + 1, 40 / 13.35 / 0.7 + 1)
    assert (one.answer_low, one.answer_high) == pytest.approx(ends, rel=1e-4)


def test_demand_is_linear_beyond_the_spares() -> None:
    _, plan = planned(STREAM, path=OSA)
    one = moved(plan, OSA)["str-writex30k"]
    assert (one.low_text, one.high_text, one.answer) == ("36 Gbit/s", "44 Gbit/s", "adapters")
    # 13.4 Gbit/s printed, 13.35 at the worst; one spare
    ends = [rate / 13.35 / 0.7 + 1 for rate in (36, 44)]
    assert [one.answer_low, one.answer_high] == pytest.approx(ends, rel=1e-3)


def test_demand_with_a_distribution_moves_between_its_quantiles() -> None:
    volume = volume_of_mean("str-writex30k", 40e9, 0.95, variation_ratio=0.5)
    _, plan = planned(f"{volume.planned_bps / 1e9!r} Gbit/s str-writex30k", path=OSA)
    one = moved(plan, OSA, volume)["str-writex30k"]
    # theory: the 95 % quantile of a lognormal load of variation 0.5 is 1.945318 times its mean
    assert one.high_text == "77.81 Gbit/s"
    assert one.answer_low < one.answer_high == pytest.approx(one.planned)


def test_the_mtu_and_the_connections_are_those_of_other_plans() -> None:
    small, large = (planned(STREAM, path=OSA, mtu_bytes=mtu) for mtu in (1500, 9000))
    for _, plan in (small, large):
        one = moved(plan, OSA)["MTU"]
        assert (one.low_text, one.high_text) == ("1500", "9000")
        assert one.answer_low == pytest.approx(needs_of(*small)["adapters"], rel=0.05)
        assert one.answer_high == pytest.approx(needs_of(*large)["adapters"], rel=0.05)
    few, many = (planned(REQUESTS, path=ROCE, connections=count) for count in (10, 20))
    one = moved(few[1], ROCE)["connections"]
    assert (one.low_text, one.high_text) == ("10", "20")
    assert one.answer_low == pytest.approx(needs_of(*few)[one.answer])
    assert one.answer_high == pytest.approx(needs_of(*many)[one.answer], rel=0.05)


@pytest.mark.parametrize(
    ("share", "low", "high"), [(0.7, 60, 80), (0.15, 10, 25), (0.95, 85, 100), (0.05, 10, 15)]
)
def test_the_highest_use_is_tried_ten_points_lower_and_higher(
    share: float, low: int, high: int
) -> None:
    _, plan = planned(STREAM, path=OSA, headroom=Headroom(share, 0))
    one = moved(plan, OSA)["highest use"]
    assert (one.low_text, one.high_text) == (f"{low}", f"{high} %")
    ends = [40 / 13.35 / (end / 100) for end in (low, high)]
    assert [one.answer_low, one.answer_high] == pytest.approx(ends, rel=1e-3)


def test_published_bounds_count_or_not() -> None:
    _, plan = planned("20 Gbit/s rr1c-200x30k", path=OSA, mtu_bytes=9000, connections=10)
    one = moved(plan, OSA)["bounds that documents print"]
    assert one.answer_low < one.answer_high


def test_the_largest_swing_comes_first_of_what_each_moves_most() -> None:
    """
    10 % more need 10 % more cores, and less than 10 % more adapters, one of which is a spare.

    40 Gbit/s: 2.9 cores move by 0.6, and 5.3 adapters by 0.9, which is less of them.
    """
    path = costed(server_cost="0.05 cores/(Gbit/s)")
    _, plan = planned(STREAM, path=path)
    found = sensitivities(plan, path)
    swings = [each.swing_ratio for each in found]
    assert swings == sorted(swings, reverse=True)
    assert min(swings) > 0
    one = moved(plan, path)["str-writex30k"]
    assert (one.answer, one.swing_ratio) == (CORES, pytest.approx(0.2))
    crowded = replace(plan, adapter_count=replace(plan.adapter_count, high=math.inf))
    assert sensitivities(crowded, path) == ()


def test_answers_in_words_have_their_unit_once() -> None:
    given_ends = {
        "input": "server cost",
        "low_text": "0.14",
        "high_text": "0.18 cores/(Gbit/s)",
        "answer_low": 6.12345,
        "answer_high": 7.89123,
        "planned": 7.0,
    }
    one = Sensitivity(answer=CORES, **given_ends)  # type: ignore[arg-type]
    assert one.text == "server cost 0.14 to 0.18 cores/(Gbit/s): 6.123 to 7.891 server cores"
    assert one.to_dict() == {
        **given_ends,
        "answer": CORES,
        "swing": pytest.approx(1.76778),
        "swing_ratio": pytest.approx(1.76778 / 7),
        "currency": "",
    }
    dear = Sensitivity(answer="cost", currency="EUR", **given_ends | {"answer_low": 52_345.6})  # type: ignore[arg-type]
    assert dear.text == "server cost 0.14 to 0.18 cores/(Gbit/s): cost 52,350 to 7.891 EUR"


# What one unit more adds


MADE = made(pools=(cores(),))
"""With one spare adapter, and CPUs of the server."""
ADAPTERS = resource("server_adapter_in", (0.4,), after=((0.48,),), unit_count=6)
"""At most 0.8 of 5 adapters after a failure: 5/3 of the volumes."""
TEN = resource("server_cpus", (0.4,), kind=Kind.CORES, unit_count=10)
"""Twice the volumes."""
WIRE = resource("wire_to_server", (0.25,), unit_count=6)
TRUNK = resource("trunk", (0.2,), limits=(0.7, 0.7), kind=Kind.STAGE)
"""3.5 times the volumes."""


@pytest.fixture
def price(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Prices of loads with 6 adapters, given those with 7 of them."""

    def of(
        before: Loads, with_seven: Loads | None = None, plan: Plan = MADE
    ) -> tuple[ShadowPrice, ...]:
        def known(*_: object, adapter_count: int = 6) -> Loads:
            return before if adapter_count == 6 or with_seven is None else with_seven

        monkeypatch.setattr(_what_if, "loads_of", known)
        demand: Any = SimpleNamespace(flows=before.flows, path=Path(stages=wire_stages(25e9)))
        return shadow_prices(demand, plan)

    return of


def test_every_figure_of_four_kinds_of_resources(price: Any) -> None:
    """5/3 of the volumes; a seventh adapter leaves 6 after a failure, for twice the volumes."""
    seventh = replace(
        ADAPTERS,
        flow_use_ratios=np.array([[2.4 / 7]]),
        after_failure_flow_use_ratios=np.array([[0.4]]),
        unit_count=7,
    )
    prices = price(loads(TRUNK, TEN, WIRE, ADAPTERS), loads(TRUNK, TEN, WIRE, seventh))
    assert [tuple(each.to_dict().values()) for each in prices] == [
        (name, kind, unit, pytest.approx(gain), gain > 0, pytest.approx(left), [])
        for name, kind, unit, gain, left in (
            ("server_adapter_in", "adapter", "adapter at each side", 2 - 5 / 3, 0),
            ("server_cpus", "cores", "server core", 0, 1 - 5 / 3 / 2),
            ("wire_to_server", "adapter", "Gbit/s of each line", 0, 1 - 5 / 3 / 3.2),
            ("trunk", "stage", "% of its capacity", 0, 1 - 5 / 3 / 3.5),
        )
    ]
    assert [each.text for each in prices] == [
        "server_adapter_in: 1 adapter at each side more adds 33.3 % to the volumes",
        "server cores: more of it adds nothing, 16.7 % is left",
        "wire_to_server: more of it adds nothing, 47.9 % is left",
        "trunk: more of it adds nothing, 52.4 % is left",
    ]


@pytest.mark.parametrize(
    ("load", "gain", "text"),
    [
        # twice the volumes, and one of 10 cores; 1 of 25 Gbit/s; one hundredth
        (TEN, 2 / 10, "1 server core more adds 20 % to the volumes"),
        (replace(TEN, name="wire_to_client", kind=Kind.ADAPTER), 2 / 25, "wire_to_client: 1 Gbit"),
        (replace(TRUNK, limit_ratio=0.4), 2 / 100, "trunk: 1% of its capacity more adds 2 %"),
    ],
)
def test_a_unit_more_of_the_only_resource(price: Any, load: Any, gain: float, text: str) -> None:
    (known,) = price(loads(load))
    assert known.whole_unit_ratio == pytest.approx(gain)
    assert known.text.startswith(text)


@pytest.mark.parametrize(("after", "gain"), [(0.5, 1.6 / 8), (0.405, 2.2 - 0.8 / 0.405)])
def test_a_core_more_is_one_of_those_that_are_left_after_failures(
    price: Any, after: float, gain: float
) -> None:
    """0.4 of 10 and this of 8, at most 0.8: 2.2 times the volumes of 11, 9 / 8 as much of 9."""
    plan = replace(MADE, headroom=Headroom(spare_core_count=2))
    (known,) = price(
        loads(replace(TEN, after_failure_flow_use_ratios=np.array([[after]]))), plan=plan
    )
    assert known.whole_unit_ratio == pytest.approx(gain)


def test_resources_that_tie_add_nothing_alone(price: Any) -> None:
    twin = replace(TEN, name="trunk", kind=Kind.STAGE, unit_count=1)
    unused = replace(TRUNK, name="unused", flow_use_ratios=np.array([[0.0]]))
    unused = replace(unused, after_failure_flow_use_ratios=np.array([[0.0]]))
    first, second = price(loads(TEN, twin, unused))
    assert (first.tied_with, second.tied_with) == (("trunk",), ("server_cpus",))
    assert (first.whole_unit_ratio, second.whole_unit_ratio) == (0, 0)
    assert first.text == "1 server core more adds nothing alone: trunk just as scarce"


@pytest.mark.parametrize(
    ("corner", "scale"), [(Corner.VALUE, 2.0), (Corner.BEST, 2.5), (Corner.WORST, 1.6)]
)
def test_prices_are_of_the_case_that_the_plan_is_made_for(
    price: Any, corner: Corner, scale: float
) -> None:
    load = resource("trunk", (0.4,), (0.32,), (0.5,), kind=Kind.STAGE)
    (known,) = price(loads(load), plan=replace(MADE, corner=corner))
    assert known.whole_unit_ratio == pytest.approx(scale / 100)


def test_flows_that_take_turns_use_what_one_of_them_does(price: Any) -> None:
    """0.5 and 0.25 by turns: 0.5 in use; of 0.8 that is 1.6 of the volumes."""
    joint = JointLoads((((0, 1), np.eye(2)),), 1.0)
    load = resource("trunk", (0.5, 0.25), kind=Kind.STAGE, joint=joint)
    (known,) = price(loads(load, texts=("1 Gbit/s str-writex30k", "3 Gbit/s rr1c-200x30k")))
    assert known.whole_unit_ratio == pytest.approx(1.6 / 100)


def test_without_an_adapter_after_a_failure_the_others_say_all(price: Any) -> None:
    """A single adapter, which may fail: nothing is left."""
    single = replace(ADAPTERS, unit_count=1, after_failure_flow_use_ratios=np.array([[np.inf]]))
    (known, trunk) = price(loads(single, TRUNK))
    assert (known.is_binding, known.slack_ratio) == (True, 0)
    assert trunk.slack_ratio == pytest.approx(1 - 2 / 3.5)


def test_a_gbit_of_a_line_that_is_the_bottleneck_adds_its_part_of_the_line() -> None:
    """60 Gbit/s of 25e9 * 1448 / 1538 bit/s each: 3.64 of 0.7, so 4 lines without a spare."""
    path = SpecifiedPath(adapter("ethernet-25gbe"), adapter("ethernet-25gbe"))
    demand, plan = planned("60 Gbit/s str-writex30k", path=path, headroom=Headroom(0.7, 0))
    price, *_ = shadow_prices(demand, plan)
    assert (price.resource, price.unit) == ("wire_to_server", "Gbit/s of each line")
    assert price.whole_unit_ratio == pytest.approx(0.7 * 4 * 25 * 1448 / 1538 / 60 / 25)


def test_connections_divide_over_one_adapter_more() -> None:
    """4 connections on 6 adapters: one more adapter changes nothing for the busiest."""
    demand, plan = planned("8 Gbit/s str-writex30k", connections=4)
    six = replace(plan, adapter_count=replace(plan.adapter_count, value=6, low=6, high=6))
    price, *_ = shadow_prices(demand, six)
    assert price.whole_unit_ratio == 0
    crowded = replace(plan, adapter_count=replace(plan.adapter_count, high=math.inf))
    with pytest.raises(DomainError, match="no number of adapters is enough"):
        shadow_prices(demand, crowded)


# How often it holds


def holding(
    *volumes: PlannedVolume, count: int, of: str = "ethernet-25gbe", share: float = 0.7
) -> HoldingProbability:
    """Of streams of the planned volumes over adapters without spares."""
    flows = [parse_flow(f"{each.planned_bps / 1e9!r} Gbit/s str-writex30k") for each in volumes]
    demand = demand_of(flows, SpecifiedPath(adapter(of), adapter(of)), 1500)
    plan = plan_demand(demand, Headroom(share, 0))
    result = holding_probability(loads_of(demand, plan, adapter_count=count), volumes)
    assert result is not None
    return result


LINE = 25e9 * 1448 / 1538
"""Payload that a line carries in full frames of MTU 1500. [bit/s]"""


def series(*values: float, step_s: float = 3600.0) -> LoadSeries:
    start = datetime(2026, 12, 1, tzinfo=UTC)
    return LoadSeries("made-up.csv", "gbit_s", "Gbit/s", start, step_s, values, False)


@pytest.mark.parametrize("distribution", ["lognormal", "normal"])
def test_one_load_on_a_known_line_is_its_distribution(distribution: str) -> None:
    volume = volume_of_mean("a", 20e9, 0.95, variation_ratio=0.3, distribution=distribution)
    result = holding(volume, count=3)

    def share(limit: float) -> float:
        """The distribution function, by the error function."""
        ratio, variance = limit / 20e9, math.log1p(0.3**2)
        deviations = (math.log(ratio) + variance / 2) / math.sqrt(variance)
        if distribution == "normal":
            deviations = (ratio - 1) / 0.3
        return 0.5 * (1 + math.erf(deviations / math.sqrt(2)))

    assert result.low == result.high == pytest.approx(share(0.7 * 3 * LINE), abs=2e-4)
    assert result.carried_low == pytest.approx(share(3 * LINE), abs=2e-4)


def test_a_series_holds_in_the_share_of_its_hours() -> None:
    # one adapter carries 13.4 Gbit/s in, of which 70 % may be used: 9.38
    volume = of_series("a", series(2e9, 9.3e9, 9.5e9, 13.3e9, 14e9, 5e9, 6e9, 7e9), 0.95)
    result = holding(volume, count=1, of="osa-express7s-25gbe")
    assert (result.low, result.high) == (5 / 8, 5 / 8)
    assert (result.carried_low, result.carried_high) == (7 / 8, 7 / 8)
    assert result.to_dict()["bound"] == "upper"
    assert result.within_text == "<= 62.5 %"


def test_uses_that_are_ranges_make_a_range_of_shares() -> None:
    """
    Of 1, 2, 3 and 4 Gbit/s, planned at 4, of which 0.5 to 1.1 are used of what 0.8 may be.

    At most 0.5 * 4 / 4 are within 0.8 in all hours, and 1.1 * h / 4 up to h = 2; 3 are carried.
    """
    certain = resource("trunk", (0.1,), limits=(0.7, 0.9), bound=Bound.VALUE)
    wide = resource("wide", (0.6,), (0.5,), (1.1,))
    result = holding_probability(loads(wide), [of_series("a", series(1, 2, 3, 4), 1)])
    assert result is not None
    assert result.to_dict() == {
        "low": 0.5,
        "high": 1.0,
        "carried_low": 0.75,
        "carried_high": 1.0,
        "bound": "upper",
        "basis": "loads over time as given",
        "notes": [],
    }
    assert result.within_text == "<= 50 to 100 %"
    assert result.text == (
        "50 to 100 % of the time within its limits, 75 to 100 % carried (upper bounds; loads over "
        "time as given)"
    )
    # one use that may be more makes an upper bound of the whole
    both = holding_probability(loads(certain, wide), [of_series("a", series(1, 2, 3, 4), 1)])
    assert both is not None
    assert both.bound is Bound.UPPER
    known = holding_probability(loads(certain), [of_series("a", series(1, 8), 1)])
    assert known is not None
    assert (known.bound, known.within_text) == (Bound.VALUE, "100 %")
    assert known.text == (
        "100 % of the time within its limits, 100 % carried (loads over time as given)"
    )


def test_hours_of_several_loads_are_the_same_or_any() -> None:
    """Two loads by turns, of 0.5 each: never 0.8 at the same hours; in a quarter if independent."""
    both = loads(resource("trunk", (0.5, 0.5)), texts=("1 Gbit/s str-writex30k",) * 2)
    turns = [of_series("a", series(1, 0), 1), of_series("b", series(0, 1), 1)]
    same = holding_probability(both, turns)
    assert same is not None
    assert (same.low, same.high, same.notes) == (1, 1, ())
    apart = holding_probability(both, [turns[0], of_series("b", series(0, 1, step_s=60), 1)])
    assert apart is not None
    assert (apart.low, apart.high) == pytest.approx((0.5, 0.75), abs=1e-3)
    assert "covers both" in apart.notes[0]
    fixed = volume_of_peak("b", 1.0, 0.95)
    half = holding_probability(both, [turns[0], fixed])
    assert half is not None
    assert (half.low, half.high) == (0.5, 0.5)
    assert half.notes == ("b: no variation is known, so the load is fixed",)
    assert holding_probability(both, [fixed, fixed]) is None


def test_independent_loads_agree_with_samples_of_another_generator() -> None:
    given_loads = {"a": (20e9, 0.4), "b": (15e9, 0.6)}
    result = holding(
        *(
            volume_of_mean(name, mean, 0.9, variation_ratio=variation)
            for name, (mean, variation) in given_loads.items()
        ),
        count=4,
    )
    normals = np.random.default_rng(7).standard_normal((2, 400_000))

    def share(*chosen: Any) -> float:
        total = sum(
            mean * np.exp(np.sqrt(np.log1p(variation**2)) * normal - np.log1p(variation**2) / 2)
            for (mean, variation), normal in zip(given_loads.values(), chosen, strict=True)
        )
        return float(np.mean(total <= 0.7 * 4 * LINE))

    shares = sorted([share(*normals), share(normals[0], normals[0])])
    assert shares == pytest.approx([result.low, result.high], abs=3e-3)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.5, 0.9999, "50 to 99.99 %"),
        (0.99991, 0.99999, "over 99.99 %"),
        (0.99995, 1.0, "over 99.99 to 100 %"),
        (1.0, 1.0, "100 %"),
    ],
)
def test_a_share_of_the_time_has_no_more_digits_than_records(
    low: float, high: float, text: str
) -> None:
    result = HoldingProbability(
        low=low, high=high, carried_low=low, carried_high=high, bound=Bound.VALUE, basis="loads"
    )
    assert result.within_text == text
    assert result.text == f"{text} of the time within its limits, {text} carried (loads)"


@given(
    mean=st.floats(1e9, 60e9),
    variation=st.floats(0.05, 1.5),
    share=st.floats(0.2, 0.95),
    step=st.floats(0.01, 0.05),
)
def test_more_room_and_more_adapters_hold_more_of_the_time(
    mean: float, variation: float, share: float, step: float
) -> None:
    volume = volume_of_mean("a", mean, 0.95, variation_ratio=variation)
    less, room, more = (
        holding(volume, count=count, of="osa-express7s-25gbe", share=use)
        for use, count in ((share, 3), (share + step, 3), (share + step, 4))
    )
    assert less.low <= room.low <= more.low
    assert less.high <= room.high <= more.high
    assert 0 <= less.low <= less.high <= less.carried_high <= 1
