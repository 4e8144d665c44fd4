"""The README shows what really happens: its commands are run and its Python is executed."""

import doctest
from pathlib import Path

import pytest
from consoles import blocks, output_of, shown_commands

CHECKOUT = Path(__file__).resolve().parents[2]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
COMMANDS = shown_commands(README)


def test_the_readme_shows_commands() -> None:
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=lambda text: text[:60])
def test_a_command_prints_what_the_readme_shows(command: str, output: str) -> None:
    assert output_of(command, CHECKOUT).rstrip() == output.rstrip()


def test_the_python_of_the_readme_gives_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    session = "\n".join(blocks(README, "pycon"))
    parsed = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    assert parsed.examples
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(parsed)
    assert results.failed == 0
