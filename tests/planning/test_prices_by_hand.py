"""Shadow prices of loads that are put together by hand, every figure computed by hand."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from planning.made import cores, loads, made, resource

from netmodel.path import Path, wire_stages
from netmodel.planning import Corner, Headroom, Plan, _prices
from netmodel.planning._joint import JointLoads
from netmodel.planning._loads import Kind, Loads, ResourceLoad
from netmodel.planning._prices import ShadowPrice, shadow_prices

TEXTS = ("1 Gbit/s str-writex30k", "3 Gbit/s rr1c-200x30k")
PLAN = made(pools=(cores(),))
"""With one spare adapter, and CPUs of the server."""


@pytest.fixture
def price(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Prices of loads with 6 adapters, given those with 7 of them."""

    def of(
        before: Loads,
        with_seven: Loads | None = None,
        worths: tuple[float, ...] = (),
        plan: Plan = PLAN,
    ) -> tuple[ShadowPrice, ...]:
        by_count = {6: before, 7: before if with_seven is None else with_seven}

        def known(*_: object, adapter_count: int, core_counts: object) -> Loads:
            assert core_counts is None
            return by_count[adapter_count]

        monkeypatch.setattr(_prices, "loads_of", known)
        demand: Any = SimpleNamespace(flows=before.flows, path=Path(stages=wire_stages(25e9)))
        # all of a flow is worth this, so that each transaction/s has its part of it
        values = [
            each / flow.transaction_rate_tps
            for each, flow in zip(worths, before.flows, strict=bool(worths))
        ]
        return shadow_prices(demand, plan, values=values, adapter_count=6)

    return of


ADAPTERS = resource("server_adapter_in", (0.4,), after=((0.48,),), unit_count=6)
"""At most 0.8 of 5 adapters after a failure: 5/3 of the volumes."""
CORES = resource("server_cpus", (0.4,), kind=Kind.CORES, unit_count=10)
"""Twice the volumes."""
WIRE = resource("wire_to_server", (0.25,), unit_count=6)
TRUNK = resource("trunk", (0.2,), limits=(0.7, 0.7), kind=Kind.STAGE)
"""3.5 times the volumes."""


def test_every_figure_of_four_kinds_of_resources(price: Any) -> None:
    """5/3 of the volumes; a seventh adapter leaves 6 after a failure, for twice the volumes."""
    seventh = replace(
        ADAPTERS,
        flow_use_ratios=np.array([[2.4 / 7]]),
        after_failure_flow_use_ratios=np.array([[0.4]]),
        unit_count=7,
    )
    prices = price(loads(TRUNK, CORES, WIRE, ADAPTERS), loads(TRUNK, CORES, WIRE, seventh), (30.0,))
    idle = {
        "price_ratio_per_unit": 0,
        "loss_ratio_per_unit": 0,
        "whole_unit_ratio": 0,
        "price_value_per_unit": 0,
        "whole_unit_value": 0,
        "is_binding": False,
        "tied_with": [],
    }
    assert [each.to_dict() for each in prices] == [
        {
            "resource": "server_adapter_in",
            "kind": "adapter",
            "unit": "adapter at each side",
            # one of 5 that are left
            "price_ratio_per_unit": pytest.approx(1 / 3),
            "loss_ratio_per_unit": pytest.approx(1 / 3),
            "whole_unit_ratio": pytest.approx(2 - 5 / 3),
            "price_value_per_unit": pytest.approx(10),
            "whole_unit_value": pytest.approx(10),
            "is_binding": True,
            "slack_ratio": 0,
            "tied_with": [],
        },
        {
            "resource": "server_cpus",
            "kind": "cores",
            "unit": "server core",
            **idle,
            "slack_ratio": pytest.approx(1 - 5 / 3 / 2),
        },
        {
            "resource": "wire_to_server",
            "kind": "adapter",
            "unit": "Gbit/s of each line",
            **idle,
            "slack_ratio": pytest.approx(1 - 5 / 3 / 3.2),
        },
        {
            "resource": "trunk",
            "kind": "stage",
            "unit": "% of its capacity",
            **idle,
            "slack_ratio": pytest.approx(1 - 5 / 3 / 3.5),
        },
    ]
    assert [each.text for each in prices] == [
        "server_adapter_in: 1 adapter at each side more adds 33.3 % to the volumes, worth 10",
        "server cores: more of it adds nothing, 16.7 % is left",
        "wire_to_server: more of it adds nothing, 47.9 % is left",
        "trunk: more of it adds nothing, 52.4 % is left",
    ]


@pytest.mark.parametrize(
    ("load", "unit_ratio", "text"),
    [
        # one of 10 cores; 1 of 25 Gbit/s; one hundredth; one of 6 adapters while all work
        (CORES, 1 / 10, "1 server core more adds 20 % to the volumes"),
        (replace(CORES, name="wire_to_client", kind=Kind.ADAPTER), 1 / 25, "wire_to_client: 1 Gb"),
        (replace(TRUNK, limit_ratio=0.4), 1 / 100, "trunk: 1% of its capacity more adds 2 %"),
    ],
)
def test_a_unit_more_of_the_only_resource(
    price: Any, load: ResourceLoad, unit_ratio: float, text: str
) -> None:
    """Twice the volumes, and that part of it more; what it earns is in proportion."""
    (known,) = price(loads(load), worths=(7.0,))
    for ratio in ("price_ratio_per_unit", "loss_ratio_per_unit", "whole_unit_ratio"):
        assert getattr(known, ratio) == pytest.approx(2 * unit_ratio), ratio
    assert known.price_value_per_unit == pytest.approx(7 * 2 * unit_ratio)
    assert known.whole_unit_value == pytest.approx(7 * 2 * unit_ratio)
    assert known.text.startswith(text)
    (without,) = price(loads(load))
    assert (without.price_value_per_unit, without.whole_unit_value) == (None, None)


def test_a_spare_core_is_lost_in_one_of_two_states(price: Any) -> None:
    """8 of 10 cores may be lost down to: 0.4 of 10 and 0.5 of 8, at most 0.8: 1.6, of 8."""
    plan = replace(PLAN, headroom=Headroom(spare_core_count=2))
    load = replace(CORES, after_failure_flow_use_ratios=np.array([[0.5]]))
    (known,) = price(loads(load), plan=plan)
    assert known.price_ratio_per_unit == pytest.approx(1.6 / 8)
    # spare cores are of no other resource, nor spare adapters of cores
    (adapters,) = price(loads(ADAPTERS), plan=plan)
    assert adapters.price_ratio_per_unit == pytest.approx(5 / 3 / 5)


@pytest.mark.parametrize(
    ("limits", "price_ratio", "loss_ratio", "scale"),
    [
        # while all work 0.8 of 0.4; after a failure 0.96 of 0.48, as much: more of both, less of 5
        ((0.8, 0.96), 2 / 6, 2 / 5, 2),
        # more is left after a failure: then 6 adapters say all
        ((0.8, 1.0), 2 / 6, 2 / 6, 2),
        # less is left
        ((0.8, 0.9), 0.9 / 0.48 / 5, 0.9 / 0.48 / 5, 0.9 / 0.48),
    ],
)
def test_the_state_that_leaves_less_prices_an_adapter(
    price: Any, limits: tuple[float, float], price_ratio: float, loss_ratio: float, scale: float
) -> None:
    load = replace(ADAPTERS, limit_ratio=limits[0], after_failure_limit_ratio=limits[1])
    known, trunk = price(loads(load, TRUNK))
    assert known.price_ratio_per_unit == pytest.approx(price_ratio)
    assert known.loss_ratio_per_unit == pytest.approx(loss_ratio)
    assert trunk.slack_ratio == pytest.approx(1 - scale / 3.5)


CROSSED = resource(
    "server_adapter_in", (0.3, 0.1), after=((0.1, 0.3),), limits=(0.8, 0.8), unit_count=6
)
"""
One flow takes more while all adapters work, the other after a failure.

3 x + y <= 8 and x + 3 y <= 8 of volumes x and y: 2 and 2 are worth most where both are worth 1,
with the prices 2.5 of both shares: 0.3 * 2.5 + 0.1 * 2.5 = 1.
"""


def test_two_states_of_which_neither_says_all(price: Any) -> None:
    (known,) = price(loads(CROSSED, texts=TEXTS), worths=(1.0, 1.0))
    # both limit at twice the volumes: one more of 6, and of 5; the smaller gain, the larger loss
    assert known.price_ratio_per_unit == pytest.approx(2 / 6)
    assert known.loss_ratio_per_unit == pytest.approx(2 / 5)
    assert known.price_value_per_unit == pytest.approx(2.5 * 0.8 * (1 / 6 + 1 / 5))
    # the first flow is worth all: 7/3 of it and of the other as much as planned, by the first state
    (first,) = price(loads(CROSSED, texts=TEXTS), worths=(1.0, 0.0))
    assert first.price_value_per_unit == pytest.approx(0.8 / 0.3 / 6)
    (other,) = price(loads(CROSSED, texts=TEXTS), worths=(0.0, 1.0))
    assert other.price_value_per_unit == pytest.approx(0.8 / 0.3 / 5)


def test_prices_of_two_resources_are_not_mixed_up(price: Any) -> None:
    """1.5 x + y <= 4 of a trunk and x + 3 y <= 8 after a failure: 8/7 and 16/7."""
    trunk = resource("trunk", (0.3, 0.2), limits=(0.8, 0.8), kind=Kind.STAGE)
    prices = price(loads(CROSSED, trunk, texts=TEXTS), worths=(1.0, 1.0))
    # 0.3 p + 0.1 q = 1 and 0.2 p + 0.3 q = 1 with p = 20/7 and q = 10/7
    known = {each.resource: each.price_value_per_unit for each in prices}
    assert known == {
        "server_adapter_in": pytest.approx(10 / 7 * 0.8 / 5),
        "trunk": pytest.approx(20 / 7 * 0.8 / 100),
    }


def test_flows_that_take_turns_use_what_one_of_them_does(price: Any) -> None:
    """0.5 and 0.25 by turns: 0.5 in use, shared as 2 to 1; of 0.8 that is 1.6 of the volumes."""
    joint = JointLoads((((0, 1), np.eye(2)),), 1.0)
    load = resource("trunk", (0.5, 0.25), kind=Kind.STAGE, joint=joint)
    (known,) = price(loads(load, texts=TEXTS), worths=(1.0, 0.0))
    assert known.price_ratio_per_unit == pytest.approx(1.6 / 100)
    # a third of it is of the second flow, and at least as planned: the rest for the first
    assert known.price_value_per_unit == pytest.approx(0.8 / (0.5 * 2 / 3) / 100)


@pytest.mark.parametrize(
    ("corner", "scale"), [(Corner.VALUE, 2.0), (Corner.BEST, 2.5), (Corner.WORST, 1.6)]
)
def test_prices_are_of_the_case_that_the_plan_is_made_for(
    price: Any, corner: Corner, scale: float
) -> None:
    load = resource("trunk", (0.4,), (0.32,), (0.5,), kind=Kind.STAGE)
    (known,) = price(loads(load), plan=replace(PLAN, corner=corner))
    assert known.price_ratio_per_unit == pytest.approx(scale / 100)


def test_resources_that_tie_lose_each_alone_and_gain_together(price: Any) -> None:
    twin = replace(CORES, name="trunk", kind=Kind.STAGE, unit_count=1)
    unused = replace(TRUNK, name="unused", flow_use_ratios=np.array([[0.0]]))
    unused = replace(unused, after_failure_flow_use_ratios=np.array([[0.0]]))
    first, second = price(loads(CORES, twin, unused), worths=(7.0,))
    assert (first.tied_with, second.tied_with) == (("trunk",), ("server_cpus",))
    assert (first.loss_ratio_per_unit, second.loss_ratio_per_unit) == pytest.approx((0.2, 0.02))
    for each in (first, second):
        assert each.is_binding
        assert (each.price_ratio_per_unit, each.whole_unit_ratio) == (0, 0)
        assert (each.price_value_per_unit, each.whole_unit_value) == (0, 0)
    assert first.text == "1 server core more adds nothing alone: trunk just as scarce"
    assert (
        second.text == "trunk: 1% of its capacity more adds nothing alone: server cores just "
        "as scarce"
    )


def test_volumes_that_fit_exactly_can_be_priced_and_those_beyond_cannot(price: Any) -> None:
    """All of 0.8 is used, but for rounding; a hundredth more is too much."""
    full = resource("trunk", (0.8 * (1 + 1e-12),), kind=Kind.STAGE)
    (known,) = price(loads(full), worths=(7.0,))
    assert known.price_value_per_unit == pytest.approx(0.07)
    over = resource("trunk", (0.808,), kind=Kind.STAGE)
    (known,) = price(loads(over), worths=(7.0,))
    assert known.price_value_per_unit is None
    assert known.price_ratio_per_unit == pytest.approx(0.8 / 0.808 / 100)


def test_without_an_adapter_after_a_failure_the_others_say_all(price: Any) -> None:
    """A single adapter, which may fail: nothing is left, and no part of it is bought."""
    single = replace(ADAPTERS, unit_count=1, after_failure_flow_use_ratios=np.array([[np.inf]]))
    (known,) = price(loads(single))
    assert known.price_ratio_per_unit == pytest.approx(2)
    assert known.slack_ratio == 0
