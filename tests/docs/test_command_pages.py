"""The pages of the command line: every command has one, every option an anchor, examples run."""

import re
import shlex

import click
import pages_of_docs
import pytest
from command_tree import COMMANDS, OPTIONS

from netmodel.api import kinds
from netmodel.api.arguments import read
from netmodel.cli import main

command_pages = pages_of_docs.module("command_pages")
PAGES = pages_of_docs.DOCS / "reference" / "commands"
NAMES = ["netmodel", *(f"netmodel {path}" for path in COMMANDS if path != "netmodel")]
TEXTS = {name: command_pages.command_text(name) for name in NAMES}
BY_CLICK = {"--help", "--version"}


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


@pytest.mark.parametrize("name", NAMES)
def test_every_option_has_its_text_default_and_anchor(name: str) -> None:
    path = name.removeprefix("netmodel ") if " " in name else name
    text = TEXTS[name]
    assert text.startswith(f"(command-{path.replace(' ', '-')})=\n\n```{{program}} {name}\n```")
    shown = re.findall(r"^:::\{option\} (.+)\n((?:.*\n)*?):::$", text, flags=re.MULTILINE)
    by_name = {names.split(" ")[0].rstrip(","): body for names, body in shown}
    options = [each for (where, _), each in OPTIONS.items() if where == path]
    assert len(by_name) == len({each.name for each in options} - {"help", "version"})
    for option in options:
        if option.opts[-1] in BY_CLICK:
            continue
        marked = by_name[option.opts[0]]
        assert not re.search("(?<![`\\w-])--[a-z]", marked)  # would be printed as a dash
        body = re.sub(r"(?:\{option\})?`(--[^`]+)`|\\(.)", r"\1\2", marked)
        assert option.help is not None
        assert body.startswith(option.help)
        says_so = re.search("[Rr]epeat|several times", body)
        assert bool(says_so) or not option.multiple
        assert ("Required." in body) == option.required
        if isinstance(option.show_default, str):
            assert f"Default: {option.show_default}." in body


@pytest.mark.parametrize("name", NAMES)
def test_links_to_options_are_to_options_of_the_command(name: str) -> None:
    path = name.removeprefix("netmodel ") if " " in name else name
    own = {each for (where, _), option in OPTIONS.items() if where == path for each in option.opts}
    assert set(re.findall(r"\{option\}`([^`]+)`", TEXTS[name])) <= own


@pytest.mark.parametrize("name", [name for name in NAMES if "```sh\n" in TEXTS[name]])
def test_examples_are_commands_whose_options_exist(name: str) -> None:
    for block in re.findall(r"```sh\n(.+?)\n```", TEXTS[name], flags=re.DOTALL):
        for line in block.replace("\\\n", "").splitlines():
            first, *words = shlex.split(line)
            assert first == "netmodel"
            context = click.Context(main)
            _, command, arguments = main.resolve_command(context, words)
            while isinstance(command, click.Group):
                _, command, arguments = command.resolve_command(context, arguments)
            assert command is not None
            given = {each for each in arguments if each.startswith("--") and each != "--"}
            ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
            known = {each for param in command.params for each in param.opts}
            assert given & set(ours) <= known


@pytest.mark.parametrize("name", command_pages.VALUES)
def test_examples_of_values_are_accepted(name: str) -> None:
    known = (each for form in vars(kinds).values() for each in getattr(form, "__metadata__", ()))
    forms = {each for each in known if each.parse and each.name.removesuffix(",...") == name}
    assert forms
    for example in command_pages.VALUES[name][1]:
        assert all(read(name, example, each) for each in forms)
