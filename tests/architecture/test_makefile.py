"""The Makefile names only files that exist."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_tests_of_each_python_exist() -> None:
    shown = subprocess.run(
        ["make", "--just-print", "--always-make", "pythons"],
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stdout
    listed = shown.partition('TESTS="')[2].partition('"')[0].split()
    assert "tests/units" in listed
    assert [path for path in listed if not (ROOT / path).exists()] == []
