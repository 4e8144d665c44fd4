"""Scripts that developers run by hand still run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[1]


def run(name: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, ROOT / "tools" / name, *arguments],
        check=True,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    ).stdout


def test_planted_faults_are_counted() -> None:
    """The examples of a docstring notice other numbers, and not every fault."""
    module = "netmodel/tuning/_buffers.py"
    text = run("plant_faults.py", module, "--tests", module, "--count", "3", "--processes", "1")
    *survivors, last = text.splitlines()
    assert all(line.startswith(f"survives: {module}:") for line in survivors)
    assert last.startswith(f"seed 1: {3 - len(survivors)} of 3 faults caught; ")


def test_intervals_are_counted() -> None:
    lines = run("interval_coverage.py", "adapter", "--trials", "3", "--noise-known").splitlines()
    assert [line.split()[0] for line in lines] == ["per_frame_s", "per_byte_s"]
    assert all(line.endswith(" open, 0 refused") for line in lines)
