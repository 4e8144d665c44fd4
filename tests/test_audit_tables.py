"""The audit of the printed tables finds what was found by hand, and nothing else."""

import csv
import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from netmodel.records import data_path

TOOL = Path(__file__).parents[1] / "tools" / "audit_tables.py"
KINDS = {
    "busy CPUs": "utilisation",
    "changes": "change",
    "ways": "changes_agree",
    "run ids": "identifier",
}
"""Faults of single cells, as flags.csv names them."""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = spec_from_file_location("audit_tables", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def audit(tool: ModuleType) -> Any:
    return tool.audited()


def test_each_law_finds_what_is_known(audit: Any) -> None:
    counts = Counter(each.law for each in audit.findings)
    assert counts == {
        "busy CPUs": 13,  # all of table 11 but three columns
        "parts": 3,
        "changes": 1,
        "ways": 13,
        "ranges": 3,
        "line speed": 1,
        "run ids": 9,
        "units": 1,
    }
    assert audit.compared["changes"] >= 120
    assert audit.compared["ceiling"] >= 32


def test_cells_at_fault_are_those_that_are_flagged(audit: Any) -> None:
    """Calibration and the figures beside a prediction leave out what flags.csv names."""
    found = {
        (column, str(row), KINDS[each.law]) for each in audit.findings for column, row in each.cells
    }
    text = data_path("measurements", "zvm-layer2-layer3", "flags.csv").read_text("utf-8")
    flags = csv.DictReader(text.splitlines())
    assert found == {(flag["column"], flag["row"], flag["kind"]) for flag in flags}


def test_the_page_has_every_finding(tool: ModuleType, audit: Any) -> None:
    page = tool.page(audit)
    for each in audit.findings:
        assert f"| {each.place} | {each.printed} | {each.allowed} |" in page
    assert all(f"| {law}: {what} |" in page for law, what in tool.LAWS.items())
