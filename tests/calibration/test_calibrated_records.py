"""The records that ship are what the programs beside the package make of the documents."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]


def test_shipped_records_are_what_the_documents_give() -> None:
    """Numbers to a part in a million, all else to the letter."""
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "calibrate_records.py", "--check"],
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
