"""The page of a plan as a browser lays it out: nothing cut, nothing pale, screens and print."""

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from browsing import browse, in_chromium, layouts

from netmodel.api import plan, plan_scenario
from netmodel.records import data_path
from netmodel.report import plan_page

pytest.importorskip("jinja2")
pytestmark = in_chromium

MOST_SHEETS = 24
"""Two thirds of them are assumptions, each with its source; all numbers are not printed."""
SCENARIO = data_path("examples", "scenarios", "order-system.toml")


def scenario_page() -> str:
    return plan_page(
        plan_scenario(SCENARIO),
        command="netmodel plan order-system.toml --html report.html",
        version="1.2",
        made_on=date(2026, 12, 1),
    )


def infeasible_page() -> str:
    return plan_page(plan_scenario(SCENARIO, adapters_available=2, max_utilisation=0.4))


def page_of_long_names() -> str:
    """Words that no line has room for."""
    text, word = SCENARIO.read_text(encoding="utf-8"), "w" * 120
    changes = {
        '"orders"': f'"{word}"',
        '"OSA-Express7S"': f'"<script>alert(1)</script> {word}"',
        "Order system on two z15 LPARs": word,
    }
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with TemporaryDirectory() as directory:
        file = Path(directory, "long.toml")
        file.write_text(text, encoding="utf-8")
        return plan_page(plan_scenario(file))


def plain_page() -> str:
    adapters = ("osa-express7s-25gbe", "roce-express2.1-25gbe")
    flows = ["40 Gbit/s str-writex30k", "30000/s rr1c-200x1000"]
    return plan_page(plan(flows, adapters=adapters, mtu_bytes=(1500, 9000), connections=50))


@pytest.mark.parametrize(
    "page_of", [scenario_page, infeasible_page, page_of_long_names, plain_page]
)
def test_pages_are_readable_on_all_screens_and_on_paper(
    page_of: Callable[[], str], tmp_path: Path
) -> None:
    found = layouts(page_of(), tmp_path)
    assert {each["name"]: each["faults"] for each in found if each["faults"]} == {}
    assert min(each["texts"] for each in found) > 100


def test_a_page_prints_on_a_few_sheets(tmp_path: Path) -> None:
    file, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    file.write_text(scenario_page(), encoding="utf-8")
    browse(tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={paper}", file.as_uri())
    pages = len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes()))
    assert 2 <= pages <= MOST_SHEETS
