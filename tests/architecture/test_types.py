"""What type checkers see: right uses that pass, wrong ones that do not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).with_name("typing_cases.py")


def test_right_uses_pass_and_wrong_ones_are_reported() -> None:
    lines = CASES.read_text("utf-8").splitlines()
    expected = {
        (number, code)
        for number, line in enumerate(lines, 1)
        for code in re.findall(r"# wrong: ([a-z-]+)$", line)
    }
    assert len(expected) > 30
    quiet = ("--no-error-summary", "--hide-error-context", "--no-pretty")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *quiet, CASES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    result = re.findall(rf"{CASES.name}:(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.M)
    assert {(int(number), code) for number, code in result} == expected, done.stdout


def test_types_stand_in_the_code() -> None:
    assert not list((ROOT / "netmodel").rglob("*.pyi"))
