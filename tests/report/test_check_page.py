"""One HTML page of judged runs."""

import dataclasses
import re
import sys
from collections.abc import Sequence

import pytest
from judging.verdicts import CPU, NASTY, UNREADABLE, by_frames, judged, limited, one_of_each
from pages import Page
from runs import run

from netmodel.errors import MissingExtraError
from netmodel.judging import SpecifiedLine, Verdict, check
from netmodel.judging._limits import Limit
from netmodel.report import check_page

pytest.importorskip("jinja2")

FAULTS_FIRST = [
    *("unreadable", "failed", "impossible", "below", "limited", "not_judgeable", "at_ceiling")
]


def page_of(verdicts: Sequence[Verdict]) -> Page:
    return Page(check_page(verdicts))


def marks(verdict: Verdict, kind: str) -> list[float]:
    """Places of the marks of one run, in per cent."""
    places = page_of([verdict]).attributes("circle" if kind == "measured" else "line", kind)
    result = [place["cx" if kind == "measured" else "x1"] for place in places]
    return [float(place.rstrip("%")) for place in result if place is not None][1:]


# What it says


def test_outcomes_are_counted_and_faults_come_first() -> None:
    page = page_of([*one_of_each(), UNREADABLE])
    assert page.texts("ul", "counts") == [
        "8 runs ! 2 unreadable ✕ 1 failed ▲ 1 impossible ▼ 1 below "
        "◆ 1 limited ? 1 not_judgeable ✓ 1 at_ceiling"
    ]
    headings = [heading.split()[1] for heading in page.texts("h2")]
    assert headings == FAULTS_FIRST
    badges = [badge.split()[1] for badge in page.texts("td", "badge")]
    assert badges == ["unreadable", *FAULTS_FIRST]
    assert [group["id"] for group in page.attributes("details", "group")] == FAULTS_FIRST


def test_the_table_holds_every_number() -> None:
    limits = (Limit("wire", 2e9), Limit("queue", 1.6e9, 1.5e9, 1.8e9))
    verdict = limited(judged("run.json", 0.5, cpu=(CPU,), notes=("too short",)), *limits)
    page = page_of([verdict])
    assert page.texts("table", "runs")[0].startswith("Outcome Run Goodput Ceiling Ratio Binding")
    (body,) = page.texts("tbody")
    assert body.startswith("▼ below run.jsonclient_to_server, iperf3 3.21 ")
    assert "724 Mbit/s 1.5 Gbit/s 0.4827 queue" in body
    assert verdict.reason in body
    (limits_text,) = page.texts("table", "limits")
    assert limits_text.startswith("LimitValueRangeMargin wire2 Gbit/s63.80 % queue (binding)")
    assert limits_text.endswith("1.6 Gbit/s1.5 to 1.8 Gbit/s")
    assert page.texts("li")[-2:] == [
        "CPU of the client: 0.500 CPUs busy (process only), 345304 µs/Gbit",
        "note: too short",
    ]
    (least,) = (text for text in page.texts("li") if text.startswith("tolerance: "))
    assert least.startswith(f"tolerance: -{100 * (1 - verdict.tolerance.min_ratio):.3g} % to +")
    assert page.texts("summary")[-1] == "2 limits, 1 note, tolerance, CPU use"


def test_many_runs_at_their_ceiling_are_folded_up_and_faults_are_not() -> None:
    for count, is_open in ((50, True), (51, False)):
        verdicts = [*[judged("full.json")] * count, *[judged("low.json", 0.5)] * 60]
        low, full = page_of(verdicts).attributes("details", "group")
        assert "open" in low
        assert ("open" in full) is is_open


def test_a_page_of_no_run_is_a_page() -> None:
    page = Page(check_page([], title="Line 7"))
    assert page.texts("h1") == page.texts("title") == ["Line 7"]
    assert page.texts("ul", "counts") == ["0 runs"]
    assert page.texts("svg") == []


# What it draws


def test_marks_stand_on_one_axis() -> None:
    verdict = limited(
        judged("run.json", 1.0),
        Limit("wire", 2e9),
        Limit("queue", 1.6e9, 1.5e9, 1.8e9),
        Limit("client", 9e9),
    )
    high = 1.04 * 2e9
    assert marks(verdict, "measured") == [pytest.approx(100 * 1.448e9 / high, abs=0.01)]
    assert marks(verdict, "binds") == [pytest.approx(100 * 1.6e9 / high, abs=0.01)]
    assert marks(verdict, "limit") == [pytest.approx(100 * 2e9 / high, abs=0.01)]
    page = page_of([verdict])
    _, band = page.attributes("rect", "band")
    assert float(band["x"].rstrip("%")) == pytest.approx(100 * 1.5e9 / high, abs=0.01)
    assert float(band["width"].rstrip("%")) == pytest.approx(100 * 0.3e9 / high, abs=0.02)
    assert page.texts("text", "past")[1:] == ["›client: 9 Gbit/s, margin 83.91 %"]
    assert page.texts("svg", "scale") == ["0 500 Mbit/s 1 Gbit/s 1.5 Gbit/s 2 Gbit/s"]
    (strip,) = page.attributes("svg", "strip")
    assert strip["role"] == "img"
    assert page.texts("desc")[0].startswith("wire: 2 Gbit/s, margin 27.60 %; queue: 1.6 Gbit/s")
    assert "Goodput 1.448 Gbit/s, ceiling 1.8 Gbit/s" in page.texts("title")


def test_a_logarithmic_axis_is_labelled_and_has_no_bars() -> None:
    slow, fast = (
        limited(judged("run.json", 0.05), Limit("wire", rate_bps)) for rate_bps in (1e8, 1e10)
    )
    page = page_of([slow, fast])
    assert "logarithmic axis" in page.texts("ul", "legend")[0]
    assert page.attributes("line", "stem") == []
    page = page_of([slow])
    assert "logarithmic" not in page.texts("ul", "legend")[0]
    assert len(page.attributes("line", "stem")) == 1


def test_frames_have_an_axis_of_their_own() -> None:
    page = page_of([judged("a.json"), by_frames("b.json", 0.5), by_frames("c.json")])
    headings = ["▼ below, by frames (1)", "✓ at_ceiling (1)", "✓ at_ceiling, by frames (1)"]
    assert page.texts("h2") == headings
    ids = [group["id"] for group in page.attributes("details", "group")]
    assert ids == ["below-frames", "at_ceiling", "at_ceiling-frames"]
    assert [text.split()[-1] for text in page.texts("svg", "scale")] == [
        "Mframes/s",
        "Gbit/s",
        "Mframes/s",
    ]
    below, full, _ = page.texts("table", "runs")
    assert "Frame rate" in below
    assert "500 kframes/s 1 Mframes/s 0.5000 wire" in below
    assert "Goodput" in full
    used = [each["href"] for tag, each, _ in page.elements if tag == "use"]
    assert used == ["#grid-frames", "#grid-bits", "#grid-frames"]
    (place,) = (each["cx"] for each in page.attributes("circle", "measured")[1:2])
    assert float(place.rstrip("%")) == pytest.approx(50 / 1.04, abs=0.01)


def test_runs_without_rates_have_no_strip() -> None:
    page = page_of([UNREADABLE, judged("failed.json", None, error="no route")])
    assert page.attributes("svg", "strip") == []
    page = page_of([UNREADABLE, judged("full.json")])
    assert len(page.attributes("svg", "strip")) == len(page.attributes("svg", "scale")) == 1


# What it must not hold


def test_the_page_needs_nothing_from_outside() -> None:
    text = check_page(one_of_each())
    assert "http:" not in text
    assert "https:" not in text
    assert not re.search(r"url\(|@import|@font-face|javascript:", text)
    for tag, attributes, _ in Page(text).elements:
        assert tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
        assert not {"src", "srcset", "action", "style"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")


def test_links_lead_somewhere() -> None:
    elements = page_of(one_of_each()).elements
    ids = {attributes["id"] for _, attributes, _ in elements if "id" in attributes}
    wanted = {attributes["href"] for _, attributes, _ in elements if "href" in attributes}
    assert wanted == {"#grid-bits", *(f"#{word}" for word in FAULTS_FIRST)}
    assert {f"#{name}" for name in ids} == wanted


def test_names_and_reasons_are_text_and_nothing_else() -> None:
    verdict = judged(NASTY, 0.5, part=NASTY, tool_version=NASTY, notes=(NASTY,) * 100)
    verdict = limited(dataclasses.replace(verdict, reason=NASTY * 100), Limit(NASTY, 2e9))
    text = check_page([verdict], title=NASTY)
    shown = '<script>alert("1")</script>&amp;\'größe-\\x00\\x1b[31m\\udcff\\u202e\\uffff.json'
    page = Page(text)
    assert "<script" not in text
    assert text.encode().decode() == text
    assert page.texts("h1") == page.texts("bdi") == [shown]
    assert page.texts("p") == [shown * 100]
    assert page.texts("li").count(f"note: {shown}") == 100


def test_a_thousand_runs_stay_small() -> None:
    limits = (Limit("wire", 2e9), Limit("queue", 1.6e9, 1.5e9, 1.8e9), Limit("window", 3e9))
    verdict = limited(judged("results/host-1/run.json", 0.9, notes=("too short",)), *limits)
    text = check_page([verdict] * 1000)
    assert text.count("<tbody") == 1000
    assert len(text.encode()) < 3e6


def test_without_jinja2_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    brings = re.escape("[report]")
    with pytest.raises(MissingExtraError, match=f"^jinja2 is .*{brings}"):
        check_page([])


def test_runs_without_any_limit_have_a_page() -> None:
    """A segment size that cannot be is not judged; what was measured is drawn all the same."""
    verdict = check(run(1e9, segment_bytes=1), SpecifiedLine(1e9))
    assert verdict.binding is None
    assert "1 Gbit/s" in check_page([verdict])


def test_columns_leave_room_for_names_of_files_and_ticks() -> None:
    """Where runs are rows of a table, a name has 10 rem and a label of a tick 60 pixels."""
    css = check_page(one_of_each())
    (rows_from_rem,) = re.findall(r"@media \(max-width: (\d+)rem\)", css)
    page_rem = float(rows_from_rem) * (1 - 2 * 0.03)  # less the padding of the body
    fixed = dict(re.findall(r"thead th:nth-child\((\d)\)[^{]*\{ width: ([\d.]+)rem", css))
    fixed["4"] = fixed["3"]  # one rule for two columns
    (plot_percent,) = re.findall(r"th\.plot \{ width: (\d+)%", css)
    plot_rem = page_rem * float(plot_percent) / 100
    assert page_rem - plot_rem - sum(map(float, fixed.values())) >= 10
    assert (plot_rem - 2 * 1.25) * 16 / 5 >= 60  # padding; 16 pixels a rem; five ticks at most
