"""Which files each layer has, and which tests judge its faults."""

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FORMULA_LAYERS", "LAYERS", "NOT_COUNTED", "OF_SIGNATURES", "Layer", "test_files"]

EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)
LAWS = ("tests/properties", "tests/reference", "tests/interfaces/test_plain_keys.py")

OF_SIGNATURES = "tests/reference/test_defaults.py"
"""Reads constants of functions, and calls none of them."""

NOT_COUNTED = frozenset(
    {
        "tests/calibration/test_calibrated_files.py::test_the_committed_files_are_current",
        "tests/calibration/test_steering.py::test_the_bundled_record_is_current",
        "tests/judging/test_cost.py::test_results_are_judged_about_as_fast_as_they_are_parsed",
        "tests/judging/test_protocol_verdicts.py::test_the_table_of_the_docs_is_current",
        "tests/reference/test_accuracy.py::test_sampled_rows_in_the_documentation_are_current",
    }
)
"""
Tests that do not count for source: they compare what it computes with what it once
computed, or times with each other.
"""


@dataclass(frozen=True)
class Layer:
    """``files`` may be changed, globs from the root of the checkout; ``tests`` judge them."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    constants_only: bool = False


def _formulas(name: str, *tests: str) -> Layer:
    return Layer((f"netmodel/{name}/**/*.py",), (*tests, f"netmodel/{name}", *LAWS))


def _package(name: str) -> Layer:
    return _formulas(name, f"tests/{name}")


FORMULA_LAYERS = (
    *("units", "framing", "ceilings", "consumption"),
    *("transport", "tuning", "concurrency"),
)
PRINTED = ("catalog", "calibrations", "measurements", "statements")

LAYERS: dict[str, Layer] = {
    "units": _formulas("units", "tests/units"),
    "framing": _formulas("framing", "tests/framing"),
    "ceilings": _formulas("ceilings", "tests/ceilings"),
    "consumption": _formulas("consumption", "tests/consumption"),
    "transport": _formulas("transport"),
    "tuning": _formulas("tuning"),
    "concurrency": _formulas("concurrency", "tests/concurrency"),
    "path": _formulas(
        *("path", "tests/path", "tests/simulation"), "tests/interfaces/test_measured_settings.py"
    ),
    "readers": _formulas(
        *("readers", "tests/readers", "tests/calibration/test_host_runs.py"),
        *("tests/interfaces/test_check_directories.py", "tests/interfaces/test_mixed_results.py"),
    ),
    "calibration": _formulas(
        "calibration", "tests/calibration", "tests/interfaces/test_calibrate_command.py"
    ),
    "judging": _formulas(
        *("judging", "tests/judging", "tests/interfaces/test_check_command.py"),
        "tests/interfaces/test_compare_command.py",
    ),
    "planning": _formulas(
        *("planning", "tests/planning", "tests/api/test_scenario.py", "tests/api/test_sweep.py"),
        *("tests/interfaces/test_plan_command.py", "tests/interfaces/test_rps_command.py"),
        "tests/interfaces/test_scenario_command.py",
    ),
    "core": Layer(
        ("netmodel/_*.py",),
        (
            *("tests/test_numeric.py", "tests/test_hull.py", "tests/test_dataclasses.py"),
            *(f"tests/test_{name}_by_hand.py" for name in ("display", "estimates", "numeric")),
            *(f"tests/test_{name}_by_hand.py" for name in ("reading", "recording", "text")),
            *("tests/test_writing.py", "tests/report", "tests/symbolic", "tests/concurrency"),
            *("tests/interfaces/test_named_arguments.py", "tests/interfaces/test_suggestions.py"),
            *("tests/calibration/test_polytopes.py", "tests/readers/test_bounded.py"),
            *("tests/api/test_versions.py", "tests/api/test_pickled_results.py"),
            "tests/testing/test_extra.py",
            *(f"netmodel/_{name}.py" for name in ("display", "estimates", "frame", "html")),
            *(f"netmodel/_{name}.py" for name in ("hull", "predicted_text", "terminal", "text")),
            *LAWS,
        ),
    ),
    "records": _formulas(
        *("records", "tests/records", "tests/judging/test_audit.py", "tests/path/test_hosts.py"),
        *("tests/judging/test_own_document.py", "tests/interfaces/test_own_path_command.py"),
        "tests/interfaces/test_scenario_keys.py",
    ),
    "constants": Layer(
        tuple(f"netmodel/{name}/**/*.py" for name in FORMULA_LAYERS),
        tuple(
            [f"netmodel/{name}" for name in FORMULA_LAYERS]
            + [f"tests/{name}" for name in FORMULA_LAYERS if name not in {"transport", "tuning"}]
            + list(LAWS)
        ),
        constants_only=True,
    ),
    "data": Layer(
        tuple(f"data/{name}/**/*.{suffix}" for name in PRINTED for suffix in ("toml", "csv")),
        (
            "tests/records/test_printed_figures.py",
            "tests/records/test_zvm_figures.py",
            "tests/judging/test_audit.py",
            "tests/interfaces/test_audit_command.py",
            "tests/calibration/test_declarations.py",
            "tests/calibration/test_calibrated_files.py",
            "tests/calibration/test_steering.py",
            "tests/calibration/test_transports.py",
            "tests/records/test_equipment.py",
            "tests/records/test_workloads.py",
        ),
    ),
    "calibrated": Layer(
        ("data/calibrated/**/*.toml",),
        (
            "tests/calibration/test_calibrated_files.py",
            "tests/calibration/test_steering.py",
            "tests/calibration/test_transports.py",
            "tests/reference/test_published_adapters.py",
            "tests/reference/test_steering_statements.py",
        ),
    ),
}
"""
``core`` are the modules that all layers share, ``constants`` numbers that modules of the formula
layers define, ``data`` the figures of documents, ``calibrated`` what a command computes from them.
"""


def test_files(root: Path, layer: Layer) -> list[str]:
    """Files with tests of a layer, docstrings of its modules included."""
    found: list[Path] = []
    for name in layer.tests:
        path = root / name
        pattern = "*.py" if name.startswith("netmodel") else "test_*.py"
        found += sorted(path.rglob(pattern)) if path.is_dir() else [path]
    files = [path.relative_to(root).as_posix() for path in found]
    return [
        file
        for file in files
        if file.startswith("tests") or EXAMPLE.search((root / file).read_text(encoding="utf-8"))
    ]
