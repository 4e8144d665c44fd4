"""The decision in a sentence, the table below it, and how results look in a notebook."""

import re
from typing import Any

import pytest

import netmodel
from netmodel.planning import Plans

OSA, ROCE, LINE = "osa-express7s-25gbe", "roce-express2.1-25gbe", "ethernet-25gbe"
COST = "255319 us/Gbit"
ANSWERS: list[tuple[str, dict[str, Any], str]] = [
    (
        "18 Gbit/s in",
        {"adapters": OSA},
        "3 adapters (2 + 1 spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU 1500.",
    ),
    (
        "10 Gbit/s in",
        {"adapters": OSA, "spares": 0},
        "2 adapters (no spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU 1500, "
        "9.38 Gbit/s at 70 % use.",
    ),
    (
        "18 Gbit/s out",
        {"adapters": OSA, "max_utilisation": 0.9},
        "2 adapters (1 + 1 spare): OSA-Express7S sends at most 20.5 Gbit/s at MTU 1500.",
    ),
    (
        "40 Gbit/s in",
        {"adapters": LINE, "server_cost": COST},
        "4 adapters (3 + 1 spare) and 15 server cores: the line carries at most 23.5 Gbit/s at "
        "MTU 1500, 16.5 Gbit/s at 70 % use.",
    ),
    (
        "20 Gbit/s str-writex30k",
        {"adapters": OSA},
        "4 adapters at each side (3 + 1 spare): OSA-Express7S receives at most 13.4 Gbit/s at "
        "MTU 1500, 9.38 Gbit/s at 70 % use.",
    ),
    (
        "18 Gbit/s in",
        {"adapters": OSA, "max_utilisation_after_failure": 1.0, "adapters_available": 1},
        "No: 3 adapters (2 + 1 spare) needed, 1 available: OSA-Express7S receives at most "
        "13.4 Gbit/s at MTU 1500.",
    ),
    (
        "18 Gbit/s in",
        {"adapters": [OSA, ROCE]},
        "RoCE Express2.1: 3 adapters (2 + 1 spare), as many as OSA-Express7S; the line carries at "
        "most 23.5 Gbit/s, 16.5 Gbit/s at 70 % use.",
    ),
    (
        "40 Gbit/s in",
        {"adapters": OSA, "mtu_bytes": [1500, 9000]},
        "MTU 9000: 4 adapters (3 + 1 spare), 2 fewer than MTU 1500; the line carries at most "
        "24.8 Gbit/s, 17.3 Gbit/s at 70 % use.",
    ),
]


@pytest.mark.parametrize(("flow", "options", "answer"), ANSWERS)
def test_the_first_sentence_is_the_decision(
    flow: str, options: dict[str, Any], answer: str
) -> None:
    plans = netmodel.plan(flow, **{"mtu_bytes": 1500, **options})
    assert plans.answer == answer
    assert len(re.findall(r"\S+", answer)) <= 30
    assert plans.holds is not answer.startswith("No: ")


def test_a_list_of_plans_shows_its_table() -> None:
    plans = netmodel.plan("40 Gbit/s in", adapters=OSA, mtu_bytes=[1500, 9000], server_cost=COST)
    assert isinstance(plans, Plans)
    shown, page = repr(plans), plans._repr_html_()
    for text in ("MTU", "adapters", "server cores", "bottleneck", ">= 4", "15"):
        assert text in shown
        assert text.replace(">", "&gt;") in page
    assert page.startswith("<table")
    assert "Plan(" not in shown
    pytest.importorskip("pandas")
    frame = plans.to_frame().reset_index()
    assert frame["adapter_count"].tolist() == [4, 6]
    assert frame["server_core_count"].tolist() == [15, 15]


def test_one_plan_has_a_row_for_each_need() -> None:
    (plan,) = netmodel.plan("18 Gbit/s in", adapters=OSA, mtu_bytes=1500, server_cost=COST)
    head, *rows = plan.text.split("\n\n")[1].splitlines()
    assert head.split()[:3] == ["side", "needs", "count"]
    assert [row.split()[:2] for row in rows] == [
        ["client", "adapters"],
        ["server", "adapters"],
        ["server", "cores"],
    ]
    assert "4.6 busy" in rows[-1]
    assert "<table" in plan._repr_html_()
