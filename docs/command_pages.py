"""
The command line as pages, from its commands: usage, text, and each option with an anchor.

As a Sphinx extension it has the directives ``command`` (one command), ``command-list``,
``value-table`` (what options take) and ``option-table`` (all options).
"""

import inspect
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import click
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from netmodel.cli import main

PROGRAM = "netmodel"
VALUES = {
    "rate": ("Bits per second, with the unit.", ("25Gbit/s", "25G", "940 Mbit/s")),
    "size": ("Bytes, or with a unit.", ("1500", "9kB", "64 KiB", "1GB")),
    "time": ("With the unit.", ("10s", "1.2 µs", "500us", "2ms")),
    "frequency": ("With the unit.", ("5.2GHz", "2400 MHz")),
    "count": ("A whole number.", ("1", "50")),
    "ratio": ("A number.", ("0.02", "1.3")),
    "share": ("A number up to 1, or percent.", ("0.7", "70 %", "1%")),
    "km": ("Kilometres.", ("35", "0.5")),
}
"""Kinds of values that options take: what they are, and examples."""
_VERBATIM = "\b"
_EXAMPLE = re.compile(r"Examples?: ")
_MARKED = re.compile(r"(?P<option>(?<![\w`-])--[a-z][a-z-]*[a-z])|[\\`*_{}\[\]<>#|$~]")
_SAYS_REPEATED = re.compile("repeat|several times", re.IGNORECASE)


def commands(
    command: click.Command = main, path: tuple[str, ...] = (PROGRAM,)
) -> Iterator[tuple[str, click.Command]]:
    """All commands, by their names as they are typed."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = _context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*path, name))


def command_text(name: str) -> str:
    """A command as MyST Markdown: usage, its help, options with their anchors."""
    command = dict(commands())[name]
    options = [each for each in command.params if isinstance(each, click.Option)]
    blocks = [
        f"({label(name)})=",
        f"```{{program}} {name}\n```",
        _code(_usage(name, command), "text"),
        *_help(command, {each for option in options for each in option.opts}),
    ]
    if isinstance(command, click.Group) and name != PROGRAM:
        blocks.append(_list(f"{name} {each}" for each in command.list_commands(_context(command))))
    shown = [option for option in options if not option.hidden and option.name != "version"]
    if shown:
        blocks += ["```{rubric} Options\n```", *(_option(command, each) for each in shown)]
    return "\n\n".join(blocks) + "\n"


def label(name: str) -> str:
    """Target of a command in links."""
    return f"command-{name.removeprefix(f'{PROGRAM} ').replace(' ', '-')}"


def command_list() -> str:
    """All commands that are no groups of others, with what they do."""
    return _list(name for name, each in commands() if not isinstance(each, click.Group))


def value_table() -> str:
    """Kinds of values, with examples."""
    rows = (
        (f"`{name.upper()}`", what, ", ".join(f"`{each}`" for each in examples))
        for name, (what, examples) in VALUES.items()
    )
    return _table(("Value", "", "Such as"), rows)


def option_table() -> str:
    """Every option, its meaning, and the commands that have it, each a link."""
    places: dict[str, list[tuple[str, click.Command, click.Option]]] = {}
    for name, command in commands():
        for each in command.params:
            if isinstance(each, click.Option) and each.name not in {"help", "version"}:
                places.setdefault(each.opts[-1], []).append((name, command, each))
    rows = []
    for option, found in sorted(places.items()):
        _, command, shown = found[0]
        links = sorted((name.removeprefix(f"{PROGRAM} "), f"{name} {option}") for name, *_ in found)
        rows.append(
            (
                _spelling(command, shown),
                _plain(shown.help or ""),
                ", ".join(f"{{option}}`{text} <{target}>`" for text, target in links),
            )
        )
    return _table(("Option", "Meaning", "Commands"), rows)


def _context(command: click.Command) -> click.Context:
    names = main.context_settings["help_option_names"]
    return click.Context(
        command, info_name=command.name, terminal_width=10_000, help_option_names=names
    )


def _usage(name: str, command: click.Command) -> str:
    pieces = command.collect_usage_pieces(_context(command))
    return " ".join([name, *pieces])


def _help(command: click.Command, options: set[str]) -> Iterator[str]:
    """Paragraphs of the help; blocks that stand as typed, and examples as code."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(command.help or "")):
        if not paragraph.startswith(_VERBATIM):
            yield _plain(" ".join(paragraph.split()), options)
        elif _EXAMPLE.match(text := paragraph.removeprefix(_VERBATIM).strip("\n")):
            yield _code(_example(text), "sh")
        else:
            yield _code(text, "text")


def _example(text: str) -> str:
    """Commands to copy: what goes on in the next line says so."""
    lines = [line.strip() for line in _EXAMPLE.sub("", text, count=1).splitlines()]
    joined = "\n".join(lines)
    return re.sub(rf"\n(?!{PROGRAM} )", " \\\n    ", joined)


def _option(command: click.Command, option: click.Option) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if not option.is_flag:
        names = f"{names} {option.make_metavar(_context(command))}"
    body = [_plain(option.help or "", {each for p in command.params for each in p.opts})]
    body += [" ".join(_facts(command, option))]
    return f":::{{option}} {names}\n" + "\n\n".join(filter(None, body)) + "\n:::"


def _facts(command: click.Command, option: click.Option) -> Iterator[str]:
    """Default, choices, and how often it may be given."""
    extra = option.get_help_extra(_context(command))
    if option.required:
        yield "Required."
    if isinstance(option.type, click.Choice):
        shown = f"{option.make_metavar(_context(command))} {option.help}"
        if not all(str(each) in shown for each in option.type.choices):
            yield f"One of {', '.join(f'`{each}`' for each in option.type.choices)}."
    if default := extra.get("default"):
        given = option.default is not None and not isinstance(option.show_default, str)
        yield f"Default: {f'`{default}`' if given else _plain(default)}."
    if option.multiple and not _SAYS_REPEATED.search(option.help or ""):
        yield "Can be repeated."
    if isinstance(option.envvar, str):
        yield f"Environment variable: `{option.envvar}`."


def _spelling(command: click.Command, option: click.Option) -> str:
    """All names of an option and its metavar, as in the help."""
    names = ", ".join(option.opts)
    if option.secondary_opts:
        names = f"{names}/{option.secondary_opts[0]}"
    metavar = "" if option.is_flag else f" {_plain(option.make_metavar(_context(command)))}"
    return f"`{names}`{metavar}"


def _list(names: Iterable[str]) -> str:
    known = dict(commands())
    rows = (
        (f"[`{name}`](#{label(name)})", _plain(known[name].get_short_help_str(limit=1000)))
        for name in names
    )
    return _table(("Command", ""), rows)


def _plain(text: str, linked: Collection[str] = ()) -> str:
    """Text that Markdown shows as it is; options are code, or links to those of the command."""

    def marked(found: re.Match[str]) -> str:
        option = found["option"]
        if option is None:
            return f"\\{found[0]}"
        return f"{{option}}`{option}`" if option in linked else f"`{option}`"

    return _MARKED.sub(marked, text)


def _code(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


class _Generated(SphinxDirective):
    """Parses text that a function makes."""

    def text(self) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        text = StringList(self.text().splitlines(), source=f"<{self.name}>")
        box = nodes.container()
        self.state.nested_parse(text, self.content_offset, box)
        return box.children


class _Command(_Generated):
    required_arguments = 1
    final_argument_whitespace = True

    def text(self) -> str:
        name = self.arguments[0]
        return command_text(PROGRAM if name == PROGRAM else f"{PROGRAM} {name}")


class _CommandList(_Generated):
    def text(self) -> str:
        return command_list()


class _ValueTable(_Generated):
    def text(self) -> str:
        return value_table()


class _OptionTable(_Generated):
    def text(self) -> str:
        return option_table()


def setup(app: Any) -> dict[str, bool]:
    """Add the directives."""
    app.add_directive("command", _Command)
    app.add_directive("command-list", _CommandList)
    app.add_directive("value-table", _ValueTable)
    app.add_directive("option-table", _OptionTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
