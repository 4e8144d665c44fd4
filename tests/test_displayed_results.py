"""Every result of a public function: a short line in a console, tables in a notebook, frames."""

import importlib
import inspect
import json
import pickle
import pkgutil
import re
import sys
import typing
from collections.abc import Iterator
from enum import Enum
from html.parser import HTMLParser
from typing import Any

import pytest
from paths import closed_network
from result_cases import EXAMPLES, example

import netmodel
from netmodel.html import definition_table, row_table
from netmodel.path import Traffic, predict_path

PACKAGES = [name for name in netmodel.__all__ if hasattr(getattr(netmodel, name), "__path__")]
OWN = re.compile(r"netmodel\.")
WITHOUT_EXAMPLE = {
    "Bounds": "a named tuple: arrays in it print as NumPy prints them",
    "ClosedNetwork": "a named tuple, the same",
    "StreamThroughput": "a named tuple, the same",
    "EndpointLatencies": "a named tuple, the same",
    "MulticlassNetwork": "a named tuple, the same",
    "LinearModel": "a protocol: models have examples",
    "Model": "a protocol: models have examples",
    "Comparison": "the result of compare, which has an example",
    "Plans": "a list that shows its table, of plans that have an example",
    "Verdicts": "a list that shows its table, of verdicts that have an example",
    "Predictor": "a protocol: calibrations have examples",
}


def annotated(annotation: Any) -> Iterator[type | str]:
    """Classes of netmodel in an annotation, by name where it is a text."""
    if isinstance(annotation, str):
        yield from re.findall(r"\b[A-Z]\w+", annotation)
    elif isinstance(annotation, type) and annotation.__module__.startswith("netmodel"):
        yield annotation
    else:
        origin = typing.get_origin(annotation)
        if isinstance(origin, type) and origin.__module__.startswith("netmodel"):
            yield origin
        for part in typing.get_args(annotation):
            yield from annotated(part)


def is_own(member: object) -> bool:
    """Whether it is a class of netmodel, or an alias of several."""
    if isinstance(member, type):
        return member.__module__.startswith("netmodel.")
    return bool(typing.get_args(member))


def shown_classes() -> dict[str, type]:
    """Classes that packages list, and those that their functions return."""
    for module in pkgutil.walk_packages(netmodel.__path__, "netmodel."):
        if not module.name.startswith(("netmodel.cli", "netmodel.__main__")):
            importlib.import_module(module.name)
    # by name: several modules have a class of the same name, and tests load them in any order
    modules = [vars(module) for name, module in sorted(sys.modules.items()) if OWN.match(name)]
    named: dict[str, Any] = {}
    for members in modules:
        named |= {name: each for name, each in members.items() if is_own(each)}
    # what packages list goes before what has the same name elsewhere
    listed = [importlib.import_module(f"netmodel.{package}") for package in PACKAGES]
    public = [getattr(module, name) for module in listed for name in module.__all__]
    named |= {each.__name__: each for each in public if isinstance(each, type)}
    wanted: list[type | str] = [each for each in public if isinstance(each, type)]
    for each in public:
        if inspect.isfunction(each):
            wanted += annotated(inspect.get_annotations(each).get("return", ""))
    for alias in [named[name] for name in wanted if typing.get_args(named.get(str(name)))]:
        wanted += annotated(alias)
    named |= {kind.__name__: kind for kind in wanted if isinstance(kind, type)}
    names = {kind if isinstance(kind, str) else kind.__name__ for kind in wanted}
    return {
        name: named[name]
        for name in sorted(names & named.keys())
        if isinstance(named[name], type) and not issubclass(named[name], Enum | Exception)
    }


SHOWN = shown_classes()
LOOKED_AT = [name for name, kind in SHOWN.items() if hasattr(kind, "_repr_html_")]
TABULAR = [name for name, kind in SHOWN.items() if hasattr(kind, "to_frame")]


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


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in SHOWN.items()
        if name not in WITHOUT_EXAMPLE and not issubclass(kind, tuple)
    ],
)
def test_a_result_is_one_short_line_in_a_console(name: str) -> None:
    result = example(name)
    assert type(result).__name__ == name or isinstance(result, SHOWN[name])
    text = repr(result)
    assert len(text) <= 100
    assert "\n" not in text
    assert type(result).__name__ in text
    assert " object at 0x" not in text
    assert repr([result]) == f"[{text}]"


def test_every_class_that_people_see_has_an_example_and_none_is_stale() -> None:
    assert SHOWN.keys() - WITHOUT_EXAMPLE.keys() == EXAMPLES.keys()


@pytest.mark.parametrize("name", [name for name in LOOKED_AT if name in EXAMPLES])
def test_a_table_of_a_notebook_is_well_formed(name: str) -> None:
    assert faults_of(example(name)._repr_html_()) == []


@pytest.mark.parametrize("name", [name for name in TABULAR if name in EXAMPLES])
def test_a_frame_has_units_in_its_attributes(name: str) -> None:
    pd = pytest.importorskip("pandas")
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


def test_a_prediction_over_a_grid_says_how_many_cases_it_has() -> None:
    traffic = Traffic(200, [[1000], [2000]], connection_count=[1, 10, 1000])
    html = predict_path(closed_network(), traffic, 1500)._repr_html_()
    assert faults_of(html) == []
    assert "6: its fields are arrays" in html


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
    assert "<table" in definition_table("", [])
