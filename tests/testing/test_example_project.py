"""The example project of the guide: its tests pass, and fail when its formula is broken."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import netmodel

PROJECT = Path(__file__).parents[2] / "docs/examples/property-tests"


def run_tests(directory: Path) -> str:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", directory],
        env=os.environ | {"PYTHONPATH": str(Path(netmodel.__file__).parents[1])},
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def test_the_project_passes_and_notices_a_constant_that_is_wrong(tmp_path: Path) -> None:
    project = shutil.copytree(PROJECT, tmp_path / "project")
    assert "8 passed" in run_tests(project)
    formula = project / "overlay.py"
    right = formula.read_text("utf-8")
    assert "VXLAN_BYTES = 50" in right
    formula.write_text(right.replace("VXLAN_BYTES = 50", "VXLAN_BYTES = 54"), "utf-8")
    assert "1 failed, 7 passed" in run_tests(project)
