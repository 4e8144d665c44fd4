"""Each model has a page with its derivation, limits and source, and each formula is on one."""

import re
from pathlib import Path

import pytest
from formulas import FORMULA_LAYERS, public_functions

EXPLANATION = Path(__file__).parents[2] / "docs/explanation"
INDEX = (EXPLANATION / "index.md").read_text(encoding="utf-8")
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in EXPLANATION.glob("*.md")}
NO_MODEL = {"index", "numbers", "published-faults"}
"""Pages on units, on what documents say, and the list of all: they compute with other models."""
SECTIONS = ("Assumptions", "Validity range", "What it does not explain", "Sources")
FORMULAS = [
    f"{layer.__name__}.{function.__name__}"
    for layer in FORMULA_LAYERS
    for function in public_functions(layer)
]


@pytest.mark.parametrize("name", sorted(set(PAGES) - NO_MODEL))
def test_a_page_names_assumptions_limits_and_sources(name: str) -> None:
    headings = re.findall(r"^## (.+)$", PAGES[name], re.MULTILINE)
    assert [heading for heading in headings if heading in SECTIONS] == list(SECTIONS)


@pytest.mark.parametrize("name", sorted(set(PAGES) - {"index"}))
def test_the_list_of_models_has_every_page(name: str) -> None:
    listed, *menus = INDEX.split("```{toctree}")
    assert f"({name}.md)" in listed
    assert any(re.search(rf"^{name}$", menu, re.MULTILINE) for menu in menus)


def test_every_formula_is_on_the_page_of_a_model() -> None:
    named = set(re.findall(r"\{func\}`~?(netmodel[.\w]+)`", "".join(PAGES.values())))
    missing = [name for name in FORMULAS if name not in named]
    assert not missing, f"on no page of docs/explanation: {', '.join(missing)}"
