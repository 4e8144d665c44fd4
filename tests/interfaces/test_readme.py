"""The README shows what really happens: its commands are run and its Python is executed."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Each command shown, with the output shown under it."""
    shown = "\n".join(blocks("console"))
    return re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE)


def run(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "netmodel"
    done = subprocess.run(
        [sys.executable, "-m", "netmodel", *arguments],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


def test_the_readme_shows_commands() -> None:
    assert len(commands()) >= 5


@pytest.mark.parametrize(("command", "output"), commands(), ids=lambda text: text[:60])
def test_a_command_prints_what_the_readme_shows(command: str, output: str) -> None:
    assert run(command).rstrip() == output.rstrip()


def test_the_python_of_the_readme_gives_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    session = "\n".join(blocks("pycon"))
    parsed = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    assert parsed.examples
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(parsed)
    assert results.failed == 0
