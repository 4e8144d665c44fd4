"""Candidates in words: sentences, tables and details of plans that are made by hand."""

import math
import re
from dataclasses import replace
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from planning.made import ORDERS, STREAM, cores, limiting, loads, made, need, resource

from netmodel.path import Bound, Predicted
from netmodel.planning import Corner, ScenarioPlan, _scenario_text, parse_flow
from netmodel.planning._growth import Growth, VolumeHeadroom
from netmodel.planning._scenario import CandidatePlan
from netmodel.planning._scenario_text import columns, detail_rows, money_text, uses_table
from netmodel.planning._transaction_time import TransactionTime
from netmodel.records import Grade


def growth(
    on: date | None = date(2027, 10, 15), by: str = "server_adapter_in", after: bool = True
) -> Growth:
    """Followed for five years."""
    years = Predicted(0.9, 0.9, 0.9, Bound.UPPER)
    return Growth(
        start=date(2026, 12, 1),
        horizon_years=5,
        exhausted_on=on,
        earliest_on=on,
        latest_on=on,
        exhausted_by=by,
        is_after_failure=after,
        years=years,
        volume_ratio=Predicted(1.2, 1.2, 1.2, Bound.UPPER),
        by_stage=(),
        corner=Corner.WORST,
    )


PLAN = made(**limiting(), pools=(cores(),), grade=Grade.FITTED)


def candidate(name: str = "one", **parts: Any) -> CandidatePlan:
    """Feasible, with 6 adapters and 12 server cores, unless parts are given."""
    inputs = parts.pop("inputs", ())
    result = CandidatePlan(name=name, **{"plan": PLAN, "mtu_bytes": 1500, **parts})
    object.__setattr__(result, "sensitivities", inputs)  # computed from a path, when first read
    return result


def planned(
    *candidates: CandidatePlan, flows: tuple[str, ...] = (STREAM,), currency: str = "EUR"
) -> ScenarioPlan:
    scenario: Any = SimpleNamespace(policy=SimpleNamespace(currency=currency), title="a title")
    return ScenarioPlan(
        scenario=scenario,
        start=date(2026, 12, 1),
        flows=tuple(map(parse_flow, flows)),
        volumes=(),
        candidates=candidates,
    )


NEEDS = "one: at least 6 adapters at each side and 12 server cores"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, f"{NEEDS}; the bottleneck is server_adapter_in"),
        ({"cost": need(52_000)}, f"{NEEDS}, 52,000 EUR; the bottleneck is server_adapter_in"),
        (
            {"cost": Predicted(50, 40.5, 60.25)},
            f"{NEEDS}, 60.25 EUR; the bottleneck is server_adapter_in",
        ),
        (
            {"plan": replace(PLAN, adapter_count=need(1), pools=(cores(1),))},
            "one: at least 1 adapter at each side and 1 server core; the bottleneck is "
            "server_adapter_in",
        ),
        (
            {"plan": replace(PLAN, pools=())},
            "one: at least 6 adapters at each side; the bottleneck is server_adapter_in",
        ),
    ],
)
def test_the_answer_is_what_the_best_needs(parts: dict[str, Any], text: str) -> None:
    assert planned(candidate(**parts)).answer == text


LATER, BEYOND = growth(date(2028, 1, 1)), growth(None)


@pytest.mark.parametrize(
    ("parts", "until"),
    [
        ({"growth": BEYOND}, "holds beyond 2031-12"),
        (
            {"growth": growth()},
            "holds until 2027-10, when server_adapter_in is too small after a failure",
        ),
        (
            {"growth": growth(after=False)},
            "holds until 2027-10, when server_adapter_in is too small",
        ),
        (
            {"growth": growth(by="server_cpus")},
            "holds until 2027-10, when 12 server cores are too few",
        ),
        (
            {"growth": growth(after=False), "available_growth": LATER},
            "holds until 2027-10, when server_adapter_in is too small; until 2028-01 with all that "
            "is available",
        ),
        (
            {"growth": growth(after=False), "available_growth": growth()},
            "holds until 2027-10, when server_adapter_in is too small",
        ),
        (
            {"growth": growth(after=False), "available_growth": BEYOND},
            "holds until 2027-10, when server_adapter_in is too small; beyond 2031-12 with all "
            "that is available",
        ),
    ],
)
def test_the_answer_says_until_when_it_holds(parts: dict[str, Any], until: str) -> None:
    text = f"{NEEDS}; {until}; the bottleneck of the adapters is server_adapter_in"
    assert planned(candidate(**parts)).answer == text


NEEDED = "needs 12 server cores, and server_cpus is 8"


@pytest.mark.parametrize(
    ("candidates", "flows", "text"),
    [
        (
            (candidate(reasons=(NEEDED, "too dear")),),
            (STREAM,),
            f"No candidate carries 40 Gbit/s of str-writex30k: one {NEEDED}",
        ),
        (
            (candidate(reasons=("trunk is full",)), candidate("two", reasons=(NEEDED,))),
            (STREAM, ORDERS),
            "No candidate carries the traffic: one: trunk is full; the other candidate fails too",
        ),
        (
            tuple(candidate(name, reasons=(NEEDED,)) for name in ("one", "two", "three")),
            (STREAM,),
            f"No candidate carries 40 Gbit/s of str-writex30k: one {NEEDED}; 2 more candidates "
            "fail",
        ),
        (
            (candidate(reasons=("cannot be planned: no MTU",), plan=None),),
            (STREAM,),
            "No candidate can be planned: one cannot be planned: no MTU",
        ),
        (
            (candidate(reasons=("takes 2 s",), plan=None), candidate("two", reasons=(NEEDED,))),
            (STREAM,),
            "No candidate carries 40 Gbit/s of str-writex30k: one takes 2 s; the other candidate "
            "fails too",
        ),
    ],
)
def test_the_answer_says_why_none_is_feasible(
    candidates: tuple[CandidatePlan, ...], flows: tuple[str, ...], text: str
) -> None:
    assert planned(*candidates, flows=flows).answer == text


def time(low_us: float | None, expected_us: float | None = None) -> TransactionTime:
    bound, expected = (
        None if each is None else Predicted(each * 1e-6, each * 1e-6, each * 1e-6, side)
        for each, side in ((low_us, Bound.LOWER), (expected_us, Bound.VALUE))
    )
    return TransactionTime(flow="orders", lower_bound_s=bound, expected_s=expected)


PROBABLE = Predicted(0.95, 0.95, 0.97, Bound.UPPER)


def cells(*candidates: CandidatePlan, currency: str = "EUR") -> dict[str, list[str]]:
    """By the heads of columns that are not empty."""
    shown = columns(planned(*candidates, currency=currency))
    return {each.head: list(each.cells) for each in shown if any(each.cells)}


def test_a_row_of_a_table_has_what_is_known_of_a_candidate() -> None:
    full = candidate(
        "one, MTU 1500",
        cost=need(52_000),
        headroom=VolumeHeadroom(
            volume_ratio=Predicted(1.3, 1.254, 1.4, Bound.UPPER),
            binding="server_cpus",
            is_after_failure=False,
        ),
        growth=growth(),
        times=(time(None), time(10, 20), time(30), time(5)),
    )
    none = candidate("two", mtu_bytes=None, plan=None, reasons=("no MTU",))
    many = made(**limiting(), count=1200, pools=(cores(core_count=need(4)), cores(3)))
    lacking = candidate("three", mtu_bytes=9000, reasons=(NEEDED,), plan=many, times=(time(4),))
    assert cells(full, none, lacking) == {
        "candidate": ["one", "two", "three"],
        "MTU": ["1500", "", "9000"],
        "feasible": ["yes", "no", "no"],
        "adapters": [">= 6", "", ">= 1,200"],
        "cores": ["12", "", ">= 7"],
        "cost (EUR)": ["52,000", "", ""],
        "headroom": ["+25 %", "", ""],
        "holds until": ["2027-10", "", ""],
        "transaction": [">= 30 µs", "", ">= 4 µs"],
        "bottleneck": ["server_adapter_in", "", "server_adapter_in"],
        "evidence": ["fitted", "", ""],
    }
    others = cells(
        candidate(growth=BEYOND, times=(time(10, 20),)),
        candidate(plan=replace(PLAN, adapter_count=need(float("inf")), pools=())),
        currency="",
    )
    assert others["holds until"] == ["> 2031-12", ""]
    assert others["adapters"] == [">= 6", "none"]
    assert others["cores"] == ["12", ""]
    assert others["transaction"] == ["20 µs", ""]
    assert "feasible" not in others
    assert "cost" in cells(candidate(cost=need(2)), currency="")


def test_columns_that_do_not_fit_are_left_out_in_order() -> None:
    ranks = {each.head: each.rank for each in columns(planned(candidate()))}
    assert ranks == {
        **dict.fromkeys(("candidate", "MTU", "feasible", "adapters", "cores", "cost (EUR)"), 0),
        "holds until": 0,
        "headroom": 1,
        "transaction": 2,
        "evidence": 3,
        "bottleneck": 4,
    }
    numbers = {each.head for each in columns(planned(candidate())) if each.is_number}
    assert numbers == {
        *("MTU", "adapters", "cores", "cost (EUR)", "headroom", "transaction"),
    }


@pytest.mark.parametrize(("count", "left_out"), [(20, 0), (21, 1), (1025, 1005)])
def test_a_long_table_ends_after_twenty_rows(count: int, left_out: int) -> None:
    result = planned(*(candidate(f"c{number}") for number in range(count)))
    lines = result.table().splitlines()
    more = f"{left_out:,} more candidates with --verbose, or as a frame"
    assert len(lines) == 1 + min(count, 20) + bool(left_out)
    assert (lines[-1] == more) is bool(left_out)
    assert len(result.table(is_verbose=True).splitlines()) == 1 + count


def test_candidates_that_fail_for_the_same_reasons_share_a_line() -> None:
    both = (NEEDED, "too dear")
    same = [candidate(name, reasons=both) for name in "abcde"]
    other = candidate("f", reasons=("too dear",))
    result = planned(candidate(), *same, other)
    assert result.infeasible_text().splitlines() == [
        f"not feasible: a; b; c; and 2 more: {NEEDED}; too dear",
        "not feasible: f: too dear",
    ]
    assert result.infeasible_text(is_verbose=True).splitlines()[0] == (
        f"not feasible: a; b; c; d; e: {NEEDED}; too dear"
    )
    three = planned(*same[:3])
    assert three.infeasible_text() == f"not feasible: a; b; c: {NEEDED}; too dear"
    assert planned(candidate()).infeasible_text() == ""


@pytest.mark.parametrize(("count", "left_out"), [(20, 0), (21, 1), (1025, 1005)])
def test_a_long_list_of_reasons_ends_after_twenty(count: int, left_out: int) -> None:
    failing = [candidate(f"c{n}", reasons=(f"reason {n}",)) for n in range(count)]
    lines = planned(*failing).infeasible_text().splitlines()
    assert len(lines) == min(count, 20) + bool(left_out)
    assert (lines[-1] == f"{left_out:,} more reasons with --verbose") is bool(left_out)
    assert lines[0] == "not feasible: c0: reason 0"
    assert len(planned(*failing).infeasible_text(is_verbose=True).splitlines()) == count


def test_details_are_the_first_of_each_kind_unless_all_are_asked_for() -> None:
    inputs = tuple(
        {"change": change, "adapter_count": count, "core_count": cores, "cost": cost}
        for change, count, cores, cost in (
            ("60 % use", 1200, 7.0, 52_000.0),
            ("44 Gbit/s of copies", None, None, None),
        )
    )
    shown = candidate(
        headroom=VolumeHeadroom(
            volume_ratio=Predicted(1.3, 1.25, 1.4, Bound.UPPER),
            binding="server_cpus",
            is_after_failure=True,
        ),
        growth=growth(),
        available_growth=LATER,
        probability=PROBABLE,
        times=(time(None), time(10, 20)),
        prices={"as planned": 1.0777, "1 server core more": 1.294},
        inputs=inputs,
    )
    headroom = (
        "headroom",
        "all volumes times 1.25; the first limit then: server cores after a failure",
    )
    common = [
        ("within its limits", "<= 95 to 97 % of the time"),
        ("growth", growth().text),
        ("growth with all that is available", LATER.text),
    ]
    timed = ("time of a transaction", "orders: 20 µs expected")
    assert list(detail_rows(shown)) == [timed, *common]
    assert list(detail_rows(shown, is_verbose=True)) == [
        timed,
        headroom,
        *common,
        ("with 60 % use", "1,200 adapters and 7 cores, cost 52,000"),
        ("with 44 Gbit/s of copies", "no number of adapters is enough"),
        ("as planned", "all volumes times 1.08"),
        ("1 server core more", "all volumes times 1.29"),
    ]
    not_growing = candidate(headroom=shown.headroom)
    assert list(detail_rows(not_growing)) == [headroom]
    # what would be of adapters that are not there is left out
    failing = replace(shown, reasons=(NEEDED,))
    assert list(detail_rows(failing, is_verbose=True)) == [timed]
    assert list(detail_rows(candidate(plan=None, times=shown.times))) == []


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (52_000, "EUR", "52,000 EUR"),
        (999.5, "EUR", "999.50 EUR"),
        (1000.5, "", "1,000"),
        (999, "", "999"),
        (1000, "$", "1,000 $"),
        (0.125, "", "0.12"),
        (1234.6, "", "1,235"),
    ],
)
def test_small_amounts_of_money_have_parts(amount: float, currency: str, text: str) -> None:
    assert money_text(amount, currency) == text


@pytest.mark.parametrize(
    ("corner", "in_use", "after"),
    [
        (Corner.VALUE, ["40.0 %", "10.0 %"], ["45.0 %", "12.5 %"]),
        (Corner.WORST, ["50.0 %", "10.0 %"], ["55.0 %", "12.5 %"]),
        (Corner.BEST, ["30.0 %", "10.0 %"], ["35.0 %", "12.5 %"]),
    ],
)
def test_the_table_of_uses_is_of_the_corner_of_the_plan(
    corner: Corner, in_use: list[str], after: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = loads(
        resource(
            "server_cpus",
            *((0.4,), (0.3,), (0.5,)),
            after=((0.45,), (0.35,), (0.55,)),
            limits=(0.7, 0.9),
        ),
        resource("trunk", (0.1,), after=((0.125,),), limits=(0.8, 0.85)),
    )
    monkeypatch.setattr(_scenario_text, "loads_of", lambda demand, plan: known)
    demand: Any = SimpleNamespace()
    plan = replace(PLAN, corner=corner, demand=demand)
    lines = [re.split(r"\s{2,}", line.strip()) for line in uses_table(plan).splitlines()]
    assert lines == [
        ["stage, CPUs or limit", "in use", "allowed", "after failure", "allowed then"],
        ["server cores", in_use[0], "70.0 %", after[0], "90.0 %"],
        ["trunk", in_use[1], "80.0 %", after[1], "85.0 %"],
    ]
    # without the demand, or a number of adapters, nothing is known of them
    assert uses_table(replace(plan, demand=None)) == ""
    assert uses_table(replace(plan, adapter_count=need(math.inf))) == ""
