"""The decision in a sentence, the table below it, and how results look in a notebook."""

import re
from typing import Any

import invocation
import pytest
from invocation import printed

import netmodel
from netmodel.errors import ContradictionError
from netmodel.planning import Plans

OSA, ROCE, LINE = "osa-express7s-25gbe", "roce-express2.1-25gbe", "ethernet-25gbe"
COST = "255319 us/Gbit"
ANSWERS: list[tuple[str, dict[str, Any], str]] = [
    (
        "18 Gbit/s in",
        {"adapters": OSA},
        "At least 3 adapters (2 + 1 spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU "
        "1500.",
    ),
    (
        "10 Gbit/s in",
        {"adapters": OSA, "spares": 0},
        "At least 2 adapters (no spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU 1500, "
        "9.38 Gbit/s at 70 % use.",
    ),
    (
        "18 Gbit/s out",
        {"adapters": OSA, "max_utilisation": 0.9},
        "At least 2 adapters (1 + 1 spare), 3 at the client: "
        "OSA-Express7S sends at most 20.5 Gbit/s at MTU 1500.",
    ),
    (
        "40 Gbit/s in",
        {"adapters": LINE, "server_cost": COST},
        "At least 4 adapters (3 + 1 spare) and 15 server cores: the line carries at most 23.5 "
        "Gbit/s at "
        "MTU 1500.",
    ),
    (
        "20 Gbit/s str-writex30k",
        {"adapters": OSA},
        "At least 4 adapters at each side (3 + 1 spare): OSA-Express7S receives at most 13.4 "
        "Gbit/s at "
        "MTU 1500, 9.38 Gbit/s at 70 % use.",
    ),
    (
        "18 Gbit/s in",
        {"adapters": OSA, "max_utilisation_after_failure": 1.0, "adapters_available": 1},
        "No: at least 3 adapters (2 + 1 spare) needed, 1 available: OSA-Express7S receives at most "
        "13.4 Gbit/s at MTU 1500.",
    ),
    (
        "18 Gbit/s in",
        {"adapters": [OSA, ROCE]},
        "RoCE Express2.1: at least 3 adapters (2 + 1 spare), as many as OSA-Express7S; the line "
        "carries at "
        "most 23.5 Gbit/s, 16.5 Gbit/s at 70 % use.",
    ),
    (
        "40 Gbit/s in",
        {"adapters": OSA, "mtu_bytes": [1500, 9000]},
        "MTU 9000: at least 4 adapters (3 + 1 spare), 2 adapters fewer than MTU 1500; the line "
        "carries at "
        "most 24.8 Gbit/s, 17.3 Gbit/s at 70 % use.",
    ),
    (
        "60 Gbit/s rr1c-200x30k",
        {
            "adapters": [OSA, ROCE],
            "mtu_bytes": [1500, 9000],
            "server_cost": "0.16 cores/(Gbit/s)",
            "client_cost": "0.16 cores/(Gbit/s)",
        },
        "RoCE Express2.1, MTU 1500: at least 5 adapters at each side (4 + 1 spare), 14 client "
        "cores and 14 "
        "server cores, as many as 2 others.",
    ),
    # frame times of responses have a range: of what may be used, both ends of it
    (
        "100000/s rr1c-200x30k",
        {"adapters": OSA},
        "At least 4 adapters at each side (3 + 1 spare): OSA-Express7S carries at most 53,400/s at "
        "MTU 1500, 36,700/s to 37,400/s at 70 % use.",
    ),
    (
        "18 Gbit/s in",
        {"adapters": [OSA, ROCE, "osa-express6s-10gbe"]},
        "RoCE Express2.1: at least 3 adapters (2 + 1 spare), as many as OSA-Express7S; "
        "the line carries at most 23.5 Gbit/s, 16.5 Gbit/s at 70 % use.",
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


def test_one_plan_has_a_row_for_each_need() -> None:
    (plan,) = netmodel.plan("18 Gbit/s in", adapters=OSA, mtu_bytes=1500, server_cost=COST)
    head, *rows = str(plan).split("\n\n")[1].splitlines()
    assert head.split()[:3] == ["side", "needs", "count"]
    assert [row.split()[:2] for row in rows] == [
        ["client", "adapters"],
        ["server", "adapters"],
        ["server", "cores"],
    ]
    assert "4.6 busy" in rows[-1]
    assert "<table" in plan._repr_html_()


def test_messages_of_a_flow_are_given_by_their_sizes() -> None:
    """60 Gbit/s of 32 KiB out: of 20.5 Gbit/s each, 0.7 used: 5, and a spare."""
    options: dict[str, Any] = {"adapters": [OSA, ROCE], "mtu_bytes": 1500}
    plans = netmodel.plan("60 Gbit/s out", response_bytes="32KiB", spares=1, **options)
    assert [(each.demand.server_adapter, each.chosen_count) for each in plans] == [
        (ROCE, 5),
        (OSA, 6),
    ]
    (flow,) = plans[0].demand.flows
    assert (flow.traffic.request_bytes, flow.traffic.response_bytes) == (0, 32768)
    requests = netmodel.plan("1e5/s", request_bytes=200, response_bytes="1 KiB", **options)
    assert requests[0].demand.flows[0].traffic.waits
    with pytest.raises(ContradictionError, match="leave out the sizes of messages"):
        netmodel.plan("1 Gbit/s str-writex30k", response_bytes="32KiB", **options)


def test_a_copy_takes_as_long_as_its_rate_allows() -> None:
    """5 TB at 5 Gbit/s: 8,000 s; at 1.19 Gbit/s, what CUBIC reaches over 120 km, 33,622 s."""
    options: dict[str, Any] = {"adapters": "ethernet-10gbe", "mtu_bytes": 1500, "km": 120}
    (plan,) = netmodel.plan("5 Gbit/s", volume_bytes="5TB", **options)
    assert plan.copy_time_s == pytest.approx(8000)
    assert plan.answer.endswith(" A copy of 5 TB takes 8,000 s (2.2 h) at 5 Gbit/s.")
    (both,) = netmodel.plan(("6 Gbit/s in", "3 Gbit/s out"), volume_bytes="5TB", **options)
    assert [*both.copy_times_s.values()] == pytest.approx([20_000 / 3, 40_000 / 3])
    (lossy,) = netmodel.plan(
        "5 Gbit/s", volume_bytes="5TB", loss_ratio=1e-4, connections=1, **options
    )
    assert lossy.copy_time_s == pytest.approx(33_621, rel=1e-3)
    assert lossy.answer.startswith("No: loss on one connection allows about 1.19 Gbit/s")
    (uncounted,) = netmodel.plan("5 Gbit/s", loss_ratio=1e-4, **options)
    assert any(note.startswith("loss left out: ") for note in uncounted.notes)


@pytest.mark.parametrize(
    ("case", "time_s", "words"),
    [
        ({}, 4248.6, "takes at least 4,249 s (1.2 h)."),
        ({"loss_ratio": 1e-4, "connections": 1}, 33_621, "takes about 33,622 s (9.3 h)."),
    ],
)
def test_predict_has_the_time_of_a_copy(case: dict[str, Any], time_s: float, words: str) -> None:
    """5 TB over a line of 9.4148 Gbit/s; with loss, at 1.19 Gbit/s."""
    result: Any = netmodel.predict(
        adapter="ethernet-10gbe", mtu_bytes=1500, km=120, volume_bytes="5 TB", **case
    )
    assert result.copy_time_s.value == pytest.approx(time_s, rel=1e-4)
    options = ("--km", "120", "--adapter", "ethernet-10gbe", "--mtu", "1500", "--volume", "5TB")
    more = ("--loss", "1e-4", "--connections", "1") if case else ()
    assert words in invocation.words(printed("predict", *options, *more))
