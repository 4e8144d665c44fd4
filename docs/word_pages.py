"""
Words of results as tables, from the enumerations that define them.

As a Sphinx extension it has the directive ``word-table``, which takes the name of an enumeration.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any

from catalog_pages import plain
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


def word_table(name: str) -> str:
    """Each member of an enumeration: its word, and the docstring below it."""
    module, _, kind = name.rpartition(".")
    enumeration = getattr(import_module(module), kind)
    lines = [f"| `{word}` | {plain(text)} |" for word, text in words(enumeration)]
    return "\n".join(["| Word | Meaning |", "|---|---|", *lines])


def words(enumeration: type[Enum]) -> Iterator[tuple[str, str]]:
    """Values of the members, and their docstrings."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(enumeration))).body
    assert isinstance(definition, ast.ClassDef)
    for member, after in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
            text = ""
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                text = re.sub(r"\s+", " ", str(after.value.value)).replace("``", "")
            yield str(enumeration[member.targets[0].id].value), text


class _WordTable(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        text = StringList(word_table(self.arguments[0]).splitlines(), source="<word-table>")
        box = nodes.container()
        self.state.nested_parse(text, self.content_offset, box)
        return box.children


def setup(app: Any) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("word-table", _WordTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
