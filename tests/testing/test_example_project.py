"""The example project of the guide: its tests pass, and fail when its formula is broken."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import Phase, settings

PROJECT = Path(__file__).parents[2] / "docs/examples/property-tests"
FORMULA = (PROJECT / "overlay.py").read_text("utf-8")
CONSTANTS = ("TCP_IP_BYTES = 52", "VXLAN_BYTES = 50", "WIRE_BYTES = 38")


@pytest.fixture(autouse=True)
def _few_examples() -> Iterator[None]:
    """Every fault here shows in almost all of them."""
    usual = settings()
    few = settings(max_examples=15, derandomize=True, phases=(Phase.generate, Phase.shrink))
    for name, profile in {"faults": few, "usual": usual}.items():
        settings.register_profile(name, profile)
    settings.load_profile("faults")
    yield
    settings.load_profile("usual")


def project_tests(monkeypatch: pytest.MonkeyPatch, formula: str) -> list[Callable[[], None]]:
    """The tests of the project, with this text in place of its formula."""
    module = ModuleType("overlay")
    exec(compile(formula, "overlay.py", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, "overlay", module)
    monkeypatch.delitem(sys.modules, "test_overlay", raising=False)
    monkeypatch.syspath_prepend(PROJECT)
    tests = vars(importlib.import_module("test_overlay"))
    monkeypatch.delitem(sys.modules, "test_overlay")
    return [test for name, test in tests.items() if name.startswith("test_")]


def test_the_project_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    tests = project_tests(monkeypatch, FORMULA)
    assert len(tests) == 8
    for test in tests:
        test()


@pytest.mark.parametrize(
    ("right", "wrong", "failing"),
    [
        *((each, f"{each} + 4", {"test_netmodel_counts_the_same_bytes"}) for each in CONSTANTS),
        ("np.any(np.less_equal(line_rate_bps, 0))", "False", {"test_no_line_is_refused"}),
        (
            "np.any(np.less_equal(line_rate_bps, 0))",
            "line_rate_bps <= 0",
            {"test_arrays_give_what_numbers_give"},
        ),
    ],
)
def test_a_broken_formula_fails(
    monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, failing: set[str]
) -> None:
    assert right in FORMULA
    failed = set()
    for test in project_tests(monkeypatch, FORMULA.replace(right, wrong)):
        try:
            test()
        except AssertionError:
            failed.add(test.__name__)
    assert failed == failing
