"""What type checkers see: stubs that are current, right uses that pass, wrong ones that do not."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("mypy")
pytest.importorskip("ruff")

import stubs

ROOT = stubs.ROOT
CASES = Path(__file__).with_name("typing_cases.py")


def mypy(*arguments: str | Path) -> list[str]:
    """What mypy prints, line by line."""
    done = subprocess.run(
        [
            sys.executable,
            *("-m", "mypy", "--no-error-summary", "--hide-error-context", "--no-pretty"),
            *arguments,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.stdout.splitlines()


def cache_of_modules() -> Path:
    """A cache of its own, which begins as a copy of mypy's: libraries are the same in both."""
    known, own = ROOT / ".mypy_cache", ROOT / ".mypy_cache" / "modules"
    for file in known.glob("[0-9]*/*.db"):
        target = own / file.relative_to(known)
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        # another test may write it now
        with closing(sqlite3.connect(file)) as theirs, closing(sqlite3.connect(target)) as ours:
            theirs.backup(ours)
    return own


def test_stubs_are_current() -> None:
    stale = ", ".join(str(path.relative_to(ROOT)) for path in stubs.stale())
    assert not stale, f"run make stubs: {stale} differs from the module beside it"


def test_the_generator_overloads_what_takes_and_returns_quantities() -> None:
    text = stubs.stub(
        '''
__all__ = ["f"]
LIMIT_BYTES = 8 * 2
_PRIVATE = 1

def f(a_bytes: QuantityLike, *, name: str = "x") -> FloatOrArray:
    """Doc."""
    return a_bytes

def g(name: str) -> int:
    return 1

def _h() -> int:
    return 1
'''
    )
    assert text.splitlines()[-9:] == [
        "from netmodel._numeric import Floats, Number, QuantityLike",
        "",
        "LIMIT_BYTES: int",
        "",
        "@overload",
        'def f(a_bytes: Number, *, name: str = "x") -> float: ...',
        "@overload",
        'def f(a_bytes: QuantityLike, *, name: str = "x") -> Floats: ...',
        "def g(name: str) -> int: ...",
    ]


def test_modules_with_stubs_pass_too() -> None:
    """Beside a stub, mypy does not read the module unless it is named."""
    modules = [path.with_suffix(".py").relative_to(ROOT) for path in stubs.stubs()]
    printed = mypy("--cache-dir", cache_of_modules(), *modules)
    # others have errors, as they call the modules without the overloads; none that ends the run
    named = {str(module) for module in modules}
    assert [line for line in printed if line.partition(":")[0] in named] == []
    ending = r"\[syntax\]$|^(?!netmodel/.+\.py:\d+: (error|note): )"
    assert [line for line in printed if re.search(ending, line)] == []


def test_right_uses_pass_and_wrong_ones_are_reported() -> None:
    lines = CASES.read_text("utf-8").splitlines()
    expected = {
        (number, code)
        for number, line in enumerate(lines, 1)
        for code in re.findall(r"# wrong: ([a-z-]+)$", line)
    }
    assert len(expected) > 30
    printed = mypy(CASES)
    result = re.findall(rf"{CASES.name}:(\d+): error: .*\[([a-z-]+)\]$", "\n".join(printed), re.M)
    assert {(int(number), code) for number, code in result} == expected, "\n".join(printed)
