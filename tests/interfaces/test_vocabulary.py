"""One vocabulary in all commands: an option of a name is the same wherever it is."""

import click
import pytest
from command_tree import COMMANDS, OPTIONS

from netmodel.cli import main

BY_CLICK = {"--help", "--version"}
MAX_NAMES = 100
"""More than that nobody finds."""


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
    # behind a semicolon stands what holds in a command, such as what holds by default
    meanings = {(option.help or "").partition(";")[0].removesuffix(".") for option in same}
    assert len(meanings) == 1
    # some take one value where others take a list
    assert len({spelling(option).removesuffix(",...") for option in same}) == 1


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


def test_options_have_at_most_a_hundred_names() -> None:
    assert len(NAMES) <= MAX_NAMES
