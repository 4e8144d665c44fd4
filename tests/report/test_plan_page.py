"""One HTML page of plans, to hand over."""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest
from checking.verdicts import NASTY
from pages import Page

import netmodel
from netmodel.errors import DomainError, MissingPartError
from netmodel.path import SpecifiedPath
from netmodel.planning import Headroom, Plans, ScenarioPlan, parse_flow
from netmodel.planning.candidates import compare_plans
from netmodel.records import adapter, data_path
from netmodel.report import plan_page

pytest.importorskip("jinja2")

OSA, LINE = (adapter(name) for name in ("osa-express7s-25gbe", "ethernet-25gbe"))
SCENARIO = data_path("examples", "scenarios", "order-system.toml")
SHOWN = '<script>alert("1")</script>&amp;\'größe-\\x00\\x1b[31m\\udcff\\u202e\\uffff.json'


def plans(flows: Sequence[str] = ("40 Gbit/s str-writex30k",), **options: Any) -> Plans:
    demand = [parse_flow(text, 50) for text in flows]
    paths = [SpecifiedPath(OSA, OSA), SpecifiedPath(LINE, LINE)]
    return Plans(compare_plans(demand, paths, [1500, 9000], **options))


@cache
def impossible() -> Any:
    return netmodel.plan("1e5/s rr1c-200x30k", adapters=OSA.id, mtu_bytes=1500, connections=1)


@cache
def ordered() -> ScenarioPlan:
    return netmodel.plan_scenario(SCENARIO)


def text_of(page: Page, heading: str) -> str:
    """All that the section below a heading says."""
    return next(text for text in page.texts("section") if text.startswith(heading))


def cells(page: Page) -> list[str]:
    return page.texts("th") + page.texts("td")


def test_the_answer_comes_first_with_its_figures_and_notes() -> None:
    found = plans()
    page = Page(plan_page(found, title="Line 7", version="1.2", made_on=date(2026, 12, 1)))
    assert page.texts("h1") == page.texts("title") == ["Line 7"]
    assert page.texts("p", "origin") == ["netmodel 1.2, 2026-12-01"]
    assert page.texts("p", "sentence") == [found.answer]
    assert page.attributes("section", "no") == []
    assert f"≥ {found[0].chosen_count}" in page.texts("dd")
    assert [note for note in found[0].notes if note not in page.texts("li")] == []


def test_what_does_not_hold_says_no_and_why_without_key_figures() -> None:
    page = Page(plan_page(impossible()))
    assert page.texts("p", "sentence")[0].startswith("No: ")
    assert len(page.attributes("section", "no")) == 1
    assert page.texts("dd") == []
    assert impossible()[0].shortfalls[0] in text_of(page, "Candidates")
    assert "✓" not in plan_page(impossible())


def test_candidates_and_uses_are_tables() -> None:
    found = plans(headroom=Headroom(0.6, 1, 0.9))
    page = Page(plan_page(found))
    names = [text for text in page.texts("th") if text in (OSA.id, LINE.id)]
    assert names == [each.equipment for each in found]
    best = found[0]
    for stage in best.stages:
        assert stage.use_ratio is not None
        assert f"≥ {100 * stage.use_ratio.high:.1f} %" in cells(page)
    marks = {each["x1"] for tag, each, _ in page.elements if tag == "line"}
    assert marks == {"60.0%", "90.0%"}
    widths = [each["width"] for each in page.attributes("rect", "use")]
    uses = [100 * stage.use_ratio.high for stage in best.stages if stage.use_ratio]
    assert [float((width or "").rstrip("%")) for width in widths] == pytest.approx(uses)


def test_every_record_is_listed_with_source_grade_and_document() -> None:
    said = text_of(Page(plan_page(plans())), "Assumptions")
    for record in (OSA, LINE):
        assert record.title in said
        for part in record.parts.values():
            for text in (str(part), part.grade.value, part.source, part.locator, part.note or ""):
                assert " ".join(text.split()) in said
    assert "Exploring the performance of network adapters for Linux on IBM Z" in said


def test_the_result_is_in_the_page_as_json() -> None:
    found = plans(("20 Gbit/s str-writex30k", "30000/s rr1c-200x1000"))
    *_, text = Page(plan_page(found, command="netmodel plan")).texts("pre")
    assert json.loads(text) == json.loads(json.dumps([each.to_dict() for each in found]))


def test_the_page_needs_nothing_from_outside() -> None:
    text = plan_page(ordered(), command="netmodel plan")
    assert not re.search(r"url\(|@import|@font-face|javascript:", text)
    for tag, attributes, _ in Page(text).elements:
        assert tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
        assert not {"src", "srcset", "action", "style", "href"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        if tag == "th":
            assert attributes["scope"] in {"col", "row"}


def test_names_are_text_and_nothing_else() -> None:
    best = plans()[0]
    flows = tuple(replace(each, name=NASTY, notes=(NASTY,)) for each in best.demand.flows)
    named = replace(best.demand, client_adapter=NASTY, server_adapter=NASTY, flows=flows)
    plan = replace(best, demand=named)
    text = plan_page(plan, title=NASTY, command=NASTY, version=NASTY)
    assert "<script" not in text
    assert text.encode().decode() == text
    page = Page(text)
    assert page.texts("h1") == [SHOWN]
    assert SHOWN in page.texts("li")
    assert SHOWN in page.texts("th")


def test_a_scenario_has_its_title_ranked_candidates_and_until_when_they_hold() -> None:
    result, page = ordered(), Page(plan_page(ordered()))
    assert page.texts("h1") == [result.scenario.title]
    assert page.texts("p", "sentence") == [result.answer]
    for each in result.candidates:
        assert each.growth is not None
        assert f"{each.growth.exhausted_on:%Y-%m}" in cells(page)
        assert f"≥ {each.quoted_cost:,.0f}" in cells(page)
    said = text_of(page, "What if")
    for row in result.candidates[0].sensitivities:
        assert f"{row['change']} {row['adapter_count']} {row['core_count']:g}" in said
    assert " ".join(result.scenario.source_text.split()) in page.texts("pre")
    inputs = text_of(page, "Inputs")
    assert all(each.basis in inputs for each in result.volumes)


def test_no_plan_is_refused() -> None:
    with pytest.raises(DomainError, match=r"^there is no plan to report on$"):
        plan_page([])


def test_without_jinja2_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingPartError, match=f"^jinja2 is .*{re.escape('[report]')}"):
        plan_page(plans())
