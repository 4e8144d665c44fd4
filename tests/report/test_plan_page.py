"""One HTML page of plans, to hand over."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from checking.verdicts import NASTY
from pages import Page

import netmodel
from netmodel.errors import DomainError, MissingExtraError
from netmodel.path import SpecifiedPath
from netmodel.planning import (
    Headroom,
    Plan,
    Plans,
    ScenarioPlan,
    compare_plans,
    parse_flow,
)
from netmodel.records import adapter, data_path, host
from netmodel.report import plan_page

pytest.importorskip("jinja2")

OSA, LINE = (adapter(name) for name in ("osa-express7s-25gbe", "ethernet-25gbe"))
DAY = date(2026, 12, 1)
SHOWN = '<script>alert("1")</script>&amp;\'größe-\\x00\\x1b[31m\\udcff\\u202e\\uffff.json'


def plans(
    flows: Sequence[str] = ("40 Gbit/s str-writex30k",), connections: int = 50, **options: Any
) -> Plans:
    demand = [parse_flow(text, connections) for text in flows]
    paths = [SpecifiedPath(OSA, OSA), SpecifiedPath(LINE, LINE)]
    return compare_plans(demand, paths, [1500, 9000], **options)


def with_cpus() -> Plan:
    served = host(data_path("examples", "hosts", "emulated-line.toml"))
    path = SpecifiedPath(OSA, OSA, server_host=served)
    return compare_plans([parse_flow("20000/s rr1c-200x1000", 50)], [path], [1500])[0]


def texts_of(page: Page, name: str) -> str:
    """All that a section says."""
    found = [
        " ".join("".join(text).split())
        for tag, attributes, text in page.elements
        if tag == "section" and attributes.get("id") == name
    ]
    return found[0] if found else ""


# What it says


def test_the_answer_comes_first_with_its_figures_and_notes() -> None:
    found = plans()
    page = Page(plan_page(found, title="Line 7", version="1.2", made_on=DAY))
    assert page.texts("h1") == page.texts("title")[:1] == ["Line 7"]
    assert page.texts("p", "origin") == ["netmodel 1.2, 2026-12-01"]
    answer = texts_of(page, "answer")
    holds = f"✓ holds with {found[0].chosen_count} adapters at each side"
    assert answer.startswith(f"Answer {holds} {found.answer}")
    assert f"≥ {found[0].chosen_count}" in answer
    assert page.texts("h2")[0] == "Answer"
    shown = page.texts("li")
    assert [note for note in found[0].notes if note not in shown] == []


def test_what_does_not_hold_says_so_in_words_and_gives_the_reason() -> None:
    found = plans(connections=1)
    page = Page(plan_page(found))
    assert texts_of(page, "answer").startswith("Answer ✕ does not hold")
    candidates = texts_of(page, "candidates")
    assert "none is enough" in candidates
    assert found[0].shortfalls[0] in candidates
    assert texts_of(page, "limits") == ""


def test_candidates_are_ranked_and_the_best_stands_out() -> None:
    found = plans()
    page = Page(plan_page(found))
    names = [name for name in page.texts("th") if ", MTU " in name][: len(found)]
    assert names == [f"{each.equipment}, MTU {each.mtu_bytes:g}" for each in found]
    (marked,) = page.texts("tr", "marked")
    assert marked.startswith(names[0])


def test_stages_are_drawn_against_what_may_be_used() -> None:
    (found, *_) = (each for each in plans(headroom=Headroom(0.6, 1, 0.9)) if each.binding[0] == "s")
    page = Page(plan_page(found))
    strips = page.attributes("svg", "strip")
    stages = [each for each in found.stages if each.use_ratio]
    assert len(strips) == len(stages)
    high = 1.05 * max(1.0, *(each.after_failure_ratio.high for each in stages))  # type: ignore[union-attr]
    first = [float((each["width"] or "").rstrip("%")) for each in page.attributes("rect", "first")]
    uses = [each.use_ratio.high for each in stages if each.use_ratio]
    assert first == [pytest.approx(100 * use / high, abs=0.01) for use in uses]
    marks = {each["x1"] for each in page.attributes("line", "mark1") if each["y2"] == "28"}
    assert [float((mark or "").rstrip("%")) for mark in marks] == [
        pytest.approx(100 * 0.6 / high, abs=0.01)
    ]
    titles = [title for title in page.texts("title") if title.startswith(found.binding)]
    assert titles[0].endswith("60 % may be used, 90 % may be used after a failure")
    assert "≥ marks lower bounds" in texts_of(page, "limits")


def test_cpus_have_their_ranges() -> None:
    plan = with_cpus()
    page = Page(plan_page(plan))
    (pool,) = (pool for pool in plan.pools if pool.is_cpu)
    cpus = texts_of(page, "cpus")
    assert f"{pool.core_count.high:g} {pool.unit}s" in cpus


def test_every_record_is_listed_with_source_grade_and_document() -> None:
    found = plans()
    page = Page(plan_page(found))
    said = texts_of(page, "assumptions")
    for record in (OSA, LINE):
        assert record.title in said
        for part in record.parts.values():
            for text in (str(part), part.grade.value, part.source, part.locator, part.note or ""):
                assert " ".join(text.split()) in said
    assert "Exploring the performance of network adapters for Linux on IBM Z" in said
    assert "str-writex30k" in said
    for setting in found[0].settings:
        assert setting.locator in said


def numbers(value: object) -> Iterator[float]:
    """All numbers of a JSON document."""
    if isinstance(value, dict):
        for each in value.values():
            yield from numbers(each)
    elif isinstance(value, list):
        for each in value:
            yield from numbers(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def test_each_number_of_the_json_is_in_the_page() -> None:
    found = plans(("20 Gbit/s str-writex30k", "30000/s rr1c-200x1000"))
    page = Page(plan_page(found))
    (text,) = page.texts("pre")
    assert json.loads(text) == json.loads(json.dumps([each.to_dict() for each in found]))
    # and the ones that people look for are outside of it
    shown = " ".join(texts_of(page, name) for name in ("answer", "candidates", "limits", "inputs"))
    for plan in found:
        assert f"≥ {plan.chosen_count}" in shown
        for stage in plan.stages:
            if stage.use_ratio and stage.use_ratio.high:
                assert f"{100 * stage.use_ratio.high:.1f} %" in shown
    for flow in found[0].flows:
        assert f"{flow.transaction_rate_tps:,.0f} /s" in shown


# How it is made


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = (
        plan_page(plans(), command="netmodel plan", version="1", made_on=DAY) for _ in range(2)
    )
    assert first == second


def test_there_is_no_date_unless_it_is_given() -> None:
    page = Page(plan_page(plans(), version="1.2"))
    assert page.texts("p", "origin") == ["netmodel 1.2"]
    assert not re.search(r"\b20[23]\d-\d\d-\d\d\b", texts_of(page, "reproduce"))


def test_the_page_needs_nothing_from_outside() -> None:
    text = plan_page(plans(), command="netmodel plan")
    assert not re.search(r"url\(|@import|@font-face|javascript:", text)
    for tag, attributes, _ in Page(text).elements:
        assert tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
        assert not {"src", "srcset", "action", "style"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")


def test_names_are_text_and_nothing_else() -> None:
    plan = replace(plans()[0], client_adapter=NASTY, server_adapter=NASTY, notes=(NASTY,) * 9)
    text = plan_page(plan, title=NASTY, command=NASTY, version=NASTY)
    assert "<script" not in text
    assert text.encode().decode() == text
    page = Page(text)
    assert page.texts("h1") == [SHOWN]
    assert page.texts("li").count(SHOWN) == 9
    assert f"{SHOWN}, MTU" in page.texts("th", None)[6] or SHOWN in " ".join(page.texts("th"))


# For readers who do not see it, or only hear it


def test_landmarks_and_headings_are_in_order() -> None:
    page = Page(plan_page(plans()))
    tags = [tag for tag, _, _ in page.elements]
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert tags.count(landmark) == 1
    (html,) = (attributes for tag, attributes, _ in page.elements if tag == "html")
    assert html["lang"] == "en"
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_links_lead_somewhere_and_ids_are_single() -> None:
    elements = Page(plan_page(plans())).elements
    ids = [attributes["id"] for _, attributes, _ in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = {attributes["href"] for _, attributes, _ in elements if "href" in attributes}
    assert {str(link).removeprefix("#") for link in wanted} <= set(ids)
    labels = {attributes.get("aria-labelledby") for _, attributes, _ in elements}
    assert labels - {None} <= set(ids)


def test_tables_have_captions_and_scopes_and_pictures_have_titles() -> None:
    page = Page(plan_page(plans()))
    tags = [tag for tag, _, _ in page.elements]
    assert tags.count("caption") == tags.count("table") > 3
    for tag, attributes, _ in page.elements:
        if tag == "th":
            assert attributes["scope"] in {"col", "row"}
        if tag == "svg":
            # with a title, hidden as a legend is, or a part of a picture
            assert (
                attributes.get("role") == "img"
                or {"aria-hidden", "viewbox"} & set(attributes)
                or not attributes
            )
    for number, (tag, attributes, _) in enumerate(page.elements):
        if tag == "svg" and attributes.get("role") == "img":
            assert page.elements[number + 1][0] == "title"
            assert page.elements[number + 1][2]


# Of a scenario


@cache
def ordered() -> ScenarioPlan:
    return netmodel.plan_scenario(data_path("examples", "scenarios", "order-system.toml"))


@cache
def order_page() -> Page:
    return Page(plan_page(ordered(), command="netmodel plan order-system.toml", made_on=DAY))


def test_a_scenario_has_its_title_answer_and_ranked_candidates() -> None:
    result, page = ordered(), order_page()
    assert page.texts("h1") == [result.title]
    assert texts_of(page, "answer").startswith(
        f"Answer ✓ holds with {result.candidates[0].adapter_count} adapters at each side "
        f"{result.answer}"
    )
    candidates = texts_of(page, "candidates")
    assert f"ranked by {result.objective}" in candidates
    places = [candidates.index(each.name) for each in result.candidates]
    assert places == sorted(places)
    for each in result.candidates:
        assert each.growth is not None
        assert str(each.growth.exhausted_on) in candidates
        assert f"{each.quoted_cost:,.0f} EUR" in candidates


def test_what_changed_inputs_need_is_that_of_the_result() -> None:
    best, said = ordered().candidates[0], texts_of(order_page(), "what-if")
    for each in best.sensitivities:
        row = f"{each['change']} {each['adapter_count']} {each['core_count']:g} {each['cost']:,.0f}"
        assert row in said


def test_inputs_are_the_file_as_read_and_what_it_was_resolved_to() -> None:
    result, page = ordered(), order_page()
    source = " ".join(result.scenario.source_text.split())
    assert source in page.texts("pre")
    said = texts_of(page, "inputs")
    for volume in result.volumes:
        assert volume.basis in said
    for name, value in result.policy.model_dump().items():
        assert value in (None, "") or name in said


def test_a_scenario_that_nothing_carries_names_every_reason(tmp_path: Path) -> None:
    given = ordered().scenario.source_text.replace('"40000/s"', '"9000000/s"')
    given = given.replace(
        'replication.csv"', f'{data_path("examples", "scenarios")}/replication.csv"'
    )
    file = tmp_path / "too-much.toml"
    file.write_text(given, encoding="utf-8")
    result = netmodel.plan_scenario(file)
    page = Page(plan_page(result))
    assert texts_of(page, "answer").startswith("Answer ✕ does not hold")
    said = texts_of(page, "candidates")
    for each in result.candidates:
        assert each.reasons
        for reason in each.reasons:
            assert " ".join(reason.split()) in said


def test_names_of_a_scenario_do_no_harm(tmp_path: Path) -> None:
    nasty = "<script>alert(1)</script>&amp;"
    given = (
        ordered()
        .scenario.source_text.replace("OSA-Express7S", nasty)
        .replace("Order system", nasty)
    )
    given = given.replace(
        'replication.csv"', f'{data_path("examples", "scenarios")}/replication.csv"'
    )
    file = tmp_path / "nasty.toml"
    file.write_text(given, encoding="utf-8")
    text = plan_page(netmodel.plan_scenario(file))
    assert "<script" not in text
    assert Page(text).texts("h1") == [f"{nasty} on two z15 LPARs"]


def test_no_plan_is_refused() -> None:
    with pytest.raises(DomainError, match=r"^there is no plan to report on$"):
        plan_page([])


def test_without_jinja2_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    brings = re.escape("[report]")
    with pytest.raises(MissingExtraError, match=f"^jinja2 is .*{brings}"):
        plan_page(plans())
