"""Every result of a public function: a short line in a console, tables in a notebook, frames."""

import importlib
import json
import pickle
from enum import Enum
from html.parser import HTMLParser

import pytest
from result_cases import EXAMPLES, example

import netmodel
from netmodel.html import definition_table, row_table

PACKAGES = [name for name in netmodel.__all__ if hasattr(getattr(netmodel, name), "__path__")]
WITHOUT_EXAMPLE = {
    "Plans": "a list that shows its table, of plans that have an example",
    "Verdicts": "a list that shows its table, of verdicts that have an example",
}
NAMES = sorted(EXAMPLES)


class Checker(HTMLParser):
    """Notes tags that are left open, headers without a scope, and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.tables = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tables += tag == "table"
        if tag == "th" and dict(attrs).get("scope") not in {"row", "col"}:
            self.faults.append("th without scope")
        if tag in {"script", "style", "img"} or any(name.startswith("on") for name, _ in attrs):
            self.faults.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open.pop() != tag:
            self.faults.append(f"{tag} is not the open one")


def faults_of(html: str) -> list[str]:
    checker = Checker()
    checker.feed(html)
    return [*checker.faults, *checker.open, *([] if checker.tables else ["no table"])]


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_one_short_line_in_a_console(name: str) -> None:
    result = example(name)
    text = repr(result)
    assert len(text) <= 100
    assert "\n" not in text
    assert type(result).__name__ in text
    assert " object at 0x" not in text
    assert repr([result]) == f"[{text}]"


def test_every_public_class_has_an_example() -> None:
    packages = [importlib.import_module(f"netmodel.{package}") for package in PACKAGES]
    public = [getattr(package, name) for package in packages for name in package.__all__]
    shown = {
        each.__name__
        for each in public
        if isinstance(each, type) and not issubclass(each, Enum | Exception)
    }
    assert shown - EXAMPLES.keys() == WITHOUT_EXAMPLE.keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_table_of_a_notebook_is_well_formed(name: str) -> None:
    if hasattr(example(name), "_repr_html_"):
        assert faults_of(example(name)._repr_html_()) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_has_units_in_its_attributes(name: str) -> None:
    pd = pytest.importorskip("pandas")
    if not hasattr(example(name), "to_frame"):
        return
    frame = example(name).to_frame()
    units = frame.attrs["units"]
    assert list(units) == list(frame.columns)
    assert frame.index.name
    assert len(frame)
    for column, unit in units.items():
        if unit is not None:
            assert pd.api.types.is_numeric_dtype(frame[column]) or frame[column].isna().all()
    # they survive copies, selections of rows, files of pickle, and are plain enough for JSON
    for again in (frame.copy(), frame.head(1), pickle.loads(pickle.dumps(frame))):
        assert again.attrs == {"units": units}
    assert json.loads(json.dumps(units)) == units


def test_what_a_table_shows_is_escaped() -> None:
    bad = "<script>alert('1')</script>"
    for html in (
        definition_table(bad, [(bad, bad), *[("note", bad)] * 5]),
        row_table(bad, [bad, bad], [[bad, bad]]),
    ):
        assert "<script>" not in html
        assert faults_of(html) == []
    assert "2 more notes" in definition_table("", [("a", "b"), *[("note", "n")] * 5])
    assert "<table" not in definition_table("", [("note", "n")])
    assert "<table" in definition_table("a", [])
