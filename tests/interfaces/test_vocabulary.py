"""One vocabulary in all commands: an option of a name is the same wherever it is, and is listed."""

import inspect
from pathlib import Path

import click
import pytest
from command_tree import COMMANDS, OPTIONS

from netmodel.cli import main

NOMENCLATURE = Path(__file__).resolve().parents[2] / "docs" / "nomenclature.md"
HEAD = "| Option | Meaning | Commands |\n|---|---|---|\n"
BY_CLICK = {"--help", "--version"}
MAX_ARGUMENTS = 6


NAMES = sorted({name for _, name in OPTIONS} - BY_CLICK)


def spelling(option: click.Option) -> str:
    """All names of an option and its metavar, as in the help."""
    names = ", ".join(option.opts)
    if option.secondary_opts:
        names = f"{names}/{option.secondary_opts[0]}"
    if option.is_flag:
        return f"`{names}`"
    context = click.Context(main)
    return f"`{names}` {option.make_metavar(context)}"


@pytest.mark.parametrize("name", NAMES)
def test_an_option_is_the_same_in_every_command(name: str) -> None:
    same = [option for (_, each), option in OPTIONS.items() if each == name]
    assert len({option.help for option in same}) == 1
    assert len({spelling(option) for option in same}) == 1
    assert len({repr(option.type) for option in same}) == 1


def table() -> str:
    rows = []
    for name in NAMES:
        where = [path for path, each in OPTIONS if each == name]
        option = OPTIONS[where[0], name]
        spelled = spelling(option).replace("|", "\\|")
        meaning = (option.help or "").replace("|", "\\|")
        rows.append(f"| {spelled} | {meaning} | {', '.join(sorted(where))} |\n")
    return HEAD + "".join(rows)


def test_the_nomenclature_lists_every_option_with_its_meaning_and_commands() -> None:
    text = NOMENCLATURE.read_text(encoding="utf-8")
    start = text.index(HEAD)
    listed = text[start:].partition("\n\n")[0] + "\n"
    assert listed == table(), f"docs/nomenclature.md: replace the table of options by\n{table()}"


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_has_few_arguments(path: str) -> None:
    callback = COMMANDS[path].callback
    assert callback is not None
    assert len(inspect.signature(callback).parameters) <= MAX_ARGUMENTS


@pytest.mark.parametrize("name", NAMES)
def test_a_help_text_is_a_sentence(name: str) -> None:
    text = next(option.help for (_, each), option in OPTIONS.items() if each == name)
    assert text is not None
    assert text[0].isupper() or text[0].isdigit()
    assert text.endswith((".", ")"))


@pytest.mark.parametrize("path", [path for path in COMMANDS if path != "netmodel"])
def test_the_first_sentence_of_a_command_fits_beside_its_name(path: str) -> None:
    """In the list of commands at 80 columns, click would cut it."""
    assert not COMMANDS[path].get_short_help_str(80 - 22).endswith("...")
