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


def of_law(audit: Any, law: str) -> list[tuple[str, str, str]]:
    return [(f.place, f.printed, f.allowed) for f in audit.findings if f.law == law]


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


def test_the_machine_of_table_11_has_8_cpus(audit: Any) -> None:
    """75,060 a second times 0.22 ms, of 0.215 to 0.225, is 16.1 to 16.9 CPUs."""
    found = of_law(audit, "busy CPUs")
    assert {place.partition(",")[0] for place, *_ in found} == {"table 11"}
    place, printed, allowed = found[-1]
    assert place == "table 11, layer 2, Total CPU msec/trans, 500 clients"
    assert printed == "75060.0 x 0.22 ms: 16.14 to 16.89 CPUs"
    assert allowed == "at most 8"


@pytest.mark.parametrize(
    ("law", "place", "printed", "allowed"),
    [
        ("parts", "table 11, layer 2", "0.25 + 0.38 = 0.60", "0.62 to 0.64"),
        ("parts", "table 12, layer 3", "7.17 + 37.52 = 45.24", "44.68 to 44.7"),
        ("parts", "table 12, layer 2", "16.22 + 40.00 = 55.14", "56.21 to 56.23"),
        # 0.19 to 0.18, of 0.185 to 0.195 and 0.175 to 0.185
        ("changes", "table 11, z/VM 5.1.0", "6 %", "-10.26 to +0.00 %"),
        # 0.906 / 1.087 x 1.141 = 0.951 for the newer level, where 0.938 is printed and confirmed
        ("ways", "table 7, z/VM 5.1.0, Total CPU msec/MB, 50", "14.1 %", "+12.37 to +12.71 %"),
        ("ranges", "zvm document, Summary of Results, against table 4", "", "-30.75 to -30.65 %"),
        # 10 Gbit/s carry 9.3945 of responses in 22 frames; 13.45 / 1.45 = 9.276
        ("line speed", "adapter document, slide 19", "9.394 Gbit/s", "at most 9.276"),
        ("run ids", "table 8, layer 2, run ID, 01", "lorn0102", "not of table 8, layer 3"),
        ("units", "3 tables", "MB/sec", "MiB of 1048576 byte, with timestamps, 0 VLAN tags"),
    ],
)
def test_a_finding_is_that_of_the_calculation_by_hand(
    audit: Any, law: str, place: str, printed: str, allowed: str
) -> None:
    parts = (place, printed, allowed)
    found = of_law(audit, law)
    assert [row for row in found if all(b in a for a, b in zip(row, parts, strict=True))], found


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


def test_what_has_nothing_in_common_is_a_finding(tool: ModuleType) -> None:
    audit = tool.Audit()
    assert not audit.hold("parts", "here", "3", (2.5, 3.5), (3.5, 4.5))
    assert audit.hold("parts", "there", "3", (2.5, 3.5), (3.6, 4.5))
    assert [each.place for each in audit.findings] == ["there"]
    assert audit.compared["parts"] == 2
