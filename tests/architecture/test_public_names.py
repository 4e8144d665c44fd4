"""How many names a user may have to know, and that the essential ones are there."""

import importlib
import re
from pathlib import Path

import netmodel

REPOSITORY = Path(netmodel.__file__).parents[1]
FORMULA_PACKAGES = ("ceilings", "concurrency", "consumption", "framing", "transport", "tuning")
UPPER_PACKAGES = (
    *("api", "calibration", "checking", "path", "planning", "readers", "records", "report"),
    *("symbolic", "testing"),
)
MOST_UPPER_NAMES = 160
"""Beyond the formulas, where each name is a published model; the guides use most of them.
Of them six are for scenarios, their report and their plot, and for measuring; ten are for symbols,
which answer other questions than all other packages; one reads a table; one makes
a frame of what functions return as tuples; one fits many series at once; seven
are endpoint times of protocols; 11 are for users' own tests: 4 things to
draw, 6 laws and `judged`."""
ESSENTIAL = re.findall(
    r"^   (netmodel\.\S+)$",
    (REPOSITORY / "docs/reference/essentials.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


def test_names_above_the_formulas_are_few() -> None:
    counts = {
        name: len(importlib.import_module(f"netmodel.{name}").__all__) for name in UPPER_PACKAGES
    }
    assert sum(counts.values()) <= MOST_UPPER_NAMES, counts


def test_about_thirty_names_are_essential() -> None:
    assert 25 <= len(ESSENTIAL) == len(set(ESSENTIAL)) <= 35


def test_an_essential_name_is_public() -> None:
    for name in ESSENTIAL:
        package, _, last = name.rpartition(".")
        assert "._" not in name, name
        assert getattr(importlib.import_module(package), last).__doc__, name


def test_private_modules_name_nothing_for_export() -> None:
    named = [
        str(module.relative_to(REPOSITORY))
        for module in sorted((REPOSITORY / "netmodel").rglob("*.py"))
        if module.name.startswith("_")
        and module.name != "__init__.py"
        and re.search(r"^__all__", module.read_text(encoding="utf-8"), flags=re.MULTILINE)
    ]
    assert not named


def test_a_package_names_each_export_once() -> None:
    for init in sorted((REPOSITORY / "netmodel").rglob("__init__.py")):
        text = init.read_text(encoding="utf-8")
        assert text.count("__all__") == (init.parent.name == "measuring"), init
        named = re.findall(r"(\w+) as \1\b", text)
        assert len(named) == len(set(named)), init


def test_a_notebook_completes_the_public_names() -> None:
    for name in (*FORMULA_PACKAGES, *UPPER_PACKAGES, "measuring", "units"):
        module = importlib.import_module(f"netmodel.{name}")
        listed = dir(module)
        assert set(module.__all__) <= set(listed), name
        assert "LoadedWhenUsed" not in listed, f"{name}: its own helper is no name to complete"
