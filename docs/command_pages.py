"""
The directive ``command``: the whole help of a command, with its name as the target of links.

As a Sphinx extension it reads the help from the command itself.
"""

from typing import Any

from click.testing import CliRunner
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from netmodel.cli import main

WIDTH = 100
"""Characters of a line that fit beside the menu at 1280 px."""


def help_text(name: str) -> str:
    """Return the help of a command with all its options; ``netmodel`` is the group of all."""
    words = name.removeprefix("netmodel").split()
    text = _printed(*words, "--help")
    return _printed(*words, "--help-all") if "--help-all" in text else text


def _printed(*arguments: str) -> str:
    size = {"prog_name": "netmodel", "terminal_width": WIDTH, "max_content_width": WIDTH}
    return CliRunner().invoke(main, arguments, catch_exceptions=False, **size).output.rstrip()


class _Command(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        text = f"(command-{name.replace(' ', '-')})=\n\n```text\n{help_text(name)}\n```"
        lines, box = StringList(text.splitlines(), source=name), nodes.container()
        self.state.nested_parse(lines, self.content_offset, box)
        return box.children


def setup(app: Any) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("command", _Command)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
