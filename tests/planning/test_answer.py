"""The decision in a sentence, the table below it, and how results look in a notebook."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from case_tables import cases, differences, written
from invocation import printed, printed_json, run_netmodel, words

import netmodel
from netmodel.errors import ContradictionError
from netmodel.planning import Plans
from netmodel.records import data_path

OSA, ROCE, LINE = "osa-express7s-25gbe", "roce-express2.1-25gbe", "ethernet-25gbe"
COST = "255319 us/Gbit"
HERE = Path(__file__).parent


@pytest.mark.parametrize("case", [*cases(HERE / "answers.toml")])
def test_a_question_has_the_answer_of_its_table(case: dict[str, Any], tmp_path: Path) -> None:
    asked = shlex.split(written(case, tmp_path, case["asked"]))
    result = run_netmodel("plan", *asked, "--verbose")
    shown, decision = words(result.stdout + result.stderr), words(result.stdout.split("\n\n")[0])
    assert result.exit_code == case.get("code", 0), shown
    assert decision == case.get("answer", decision)
    assert len(decision.split()) <= 30 or "copy" in decision
    assert [text for text in case.get("says", ()) if text not in shown] == [], shown
    assert [text for text in case.get("lacks", ()) if text in shown] == [], shown
    if "json" in case:
        assert differences(printed_json("plan", *asked), case["json"]) == {}


NUMBERS = [*cases(*(HERE / f"{name}.toml" for name in ("limits", "plans", "scenarios")))]


@pytest.mark.parametrize("case", NUMBERS)
def test_a_plan_has_the_numbers_of_its_table(case: dict[str, Any], tmp_path: Path) -> None:
    asked = written(case, tmp_path, case["asked"])
    is_file = isinstance(asked, str)
    plans: Any = netmodel.plan_scenario(asked) if is_file else netmodel.plan(**asked)
    found = plans.to_dict() if is_file else [each.to_dict() for each in plans]
    assert differences(found, case["json"]) == {}
    notes = " ".join(plans.notes)
    assert [text for text in case.get("says", ()) if text not in notes] == []
    assert [text for text in case.get("lacks", ()) if text in notes] == []


def test_a_list_of_plans_shows_its_table() -> None:
    plans = netmodel.plan("40 Gbit/s in", adapters=OSA, mtu_bytes=[1500, 9000], server_cost=COST)
    assert isinstance(plans, Plans)
    shown, page = repr(plans), plans._repr_html_()
    for text in ("MTU", "adapters", "server cores", "bottleneck", ">= 4", "15"):
        assert text in shown
        assert text.replace(">", "&gt;") in page
    assert page.startswith("<table")
    assert "Plan(" not in shown


def test_a_narrow_terminal_shows_what_candidates_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "36")
    options = ("--mtu", "1500", "--mtu", "9000", "--adapter", OSA, "--server-cost", COST)
    asked = ("plan", "--flow", "40 Gbit/s in", *options)
    _, table, *_ = printed(*asked).split("\n\n")
    assert "bottleneck" not in table
    assert all(text in table for text in ("candidate", "MTU", "adapters", "cores", ">= 4", "15"))
    monkeypatch.setenv("COLUMNS", "76")
    _, table, *_ = printed(*asked).split("\n\n")
    assert ("bottleneck" in table, "evidence" in table) == (True, False)
    example = str(data_path("examples", "scenarios", "order-system.toml"))
    _, table, *_ = printed("plan", example).split("\n\n")
    assert ("in 5 years" in table, "headroom" in table) == (True, False)


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
    assert (plans[0].where, requests[0].where) == ("at the server", "at each side")
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
    ("case", "time_s", "says"),
    [
        ({}, 4248.6, "takes at least 4,249 s (1.2 h)."),
        ({"loss_ratio": 1e-4, "connections": 1}, 33_621, "takes about 33,622 s (9.3 h)."),
    ],
)
def test_predict_has_the_time_of_a_copy(case: dict[str, Any], time_s: float, says: str) -> None:
    """5 TB over a line of 9.4148 Gbit/s; with loss, at 1.19 Gbit/s."""
    result: Any = netmodel.predict(
        adapter="ethernet-10gbe", mtu_bytes=1500, km=120, volume_bytes="5 TB", **case
    )
    assert result.copy_time_s.value == pytest.approx(time_s, rel=1e-4)
    options = ("--km", "120", "--adapter", "ethernet-10gbe", "--mtu", "1500", "--volume", "5TB")
    more = ("--loss", "1e-4", "--connections", "1") if case else ()
    assert says in words(printed("predict", *options, *more))
