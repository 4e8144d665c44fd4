"""Parts and results of these rooms never change, and results have one form of text."""

from dataclasses import is_dataclass
from importlib import import_module
from pkgutil import iter_modules

import pytest

from netmodel.results import Result

ROOMS = ["readers", "calibration", "path", "planning", "published", "checking", "records"]
OF_READERS = {"Figure", "Hit", "Node", "_Record"}
"""Made for each value of a document, or filled while a file is read: none is a result."""


def kinds_of(room: str) -> set[type]:
    """Data classes of a room."""
    name = f"netmodel.{room}"
    found = iter_modules(import_module(name).__path__, f"{name}.")
    members = [x for each in found for x in vars(import_module(each.name)).values()]
    kinds = {x for x in members if isinstance(x, type) and x.__module__.startswith(name)}
    return {x for x in kinds if is_dataclass(x)}


@pytest.mark.parametrize("room", ROOMS)
def test_data_classes_are_frozen(room: str) -> None:
    kinds = {x for x in kinds_of(room) if x.__name__ not in OF_READERS}
    assert [x for x in kinds if not x.__dataclass_params__.frozen] == []  # type: ignore[attr-defined]
    # one that is generated has the function that it wraps
    assert [x for x in kinds if issubclass(x, Result) and hasattr(x.__repr__, "__wrapped__")] == []


@pytest.mark.parametrize("room", ["readers", "checking"])
def test_what_each_run_has_takes_little_memory(room: str) -> None:
    """Thousands of runs are judged at once: only a line, a gate and a host keep what they found."""
    kinds = {x for x in kinds_of(room) if x.__dictoffset__}
    assert {x.__name__ for x in kinds} <= {"SpecifiedLine", "Gate", "HostCpu", "_Record"}
