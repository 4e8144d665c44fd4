"""The pages of the command line: every command has one with its whole help, and examples run."""

import re
import shlex

import click
import pages_of_docs
import pytest
from command_tree import COMMANDS, OPTIONS

from netmodel.cli import main

command_pages = pages_of_docs.module("command_pages")
PAGES = pages_of_docs.DOCS / "reference" / "commands"
PAGES_TEXT = "\n".join(path.read_text(encoding="utf-8") for path in PAGES.glob("*.md"))
KEYS = [*re.findall(r"^```\{json-keys\} (.+)$", PAGES_TEXT, flags=re.MULTILINE), "scenarios"]
TEXTS = {name: command_pages.help_text(name) for name in COMMANDS}


def test_every_command_stands_on_one_page_that_is_in_the_menu() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    named = re.findall(r"^```\{command\} (.+)$", "\n".join(pages.values()), flags=re.MULTILINE)
    assert sorted(named) == sorted(COMMANDS)
    for path in COMMANDS:
        page = "index" if path == "netmodel" else path.split()[0]
        assert f"```{{command}} {path}\n```" in pages[page]
        if page != "index":
            assert f"# netmodel {path}\n" in pages[page]
            assert f"\n{page}\n" in pages["index"].split("{toctree}")[1]


@pytest.mark.parametrize(("path", "name"), OPTIONS)
def test_every_option_is_on_its_page(path: str, name: str) -> None:
    assert re.search(rf"^ .*{name}\b", TEXTS[path], flags=re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in COMMANDS if "Example" in TEXTS[name]])
def test_examples_are_commands_whose_options_exist(name: str) -> None:
    block = re.split(r"Examples?: ", TEXTS[name])[1].partition("\n\n")[0]
    for line in re.sub(r"\n\s+(?=\S)(?!netmodel )", " ", block).splitlines():
        first, *words = shlex.split(line)
        assert first == "netmodel"
        context = click.Context(main)
        _, command, arguments = main.resolve_command(context, words)
        while isinstance(command, click.Group):
            _, command, arguments = command.resolve_command(context, arguments)
        assert command is not None
        ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
        known = {each for param in command.params for each in param.opts}
        assert {each for each in ours if each.startswith("--")} <= known


@pytest.mark.parametrize("name", KEYS)
def test_every_key_of_json_has_a_description(name: str) -> None:
    rows = re.findall(
        r"^\| (`.+?`) \| ?(.*?) ?\|$", command_pages.key_table(name), flags=re.MULTILINE
    )
    assert len(rows) > 2
    assert [keys for keys, text in rows if len(text.split()) < 2] == []
