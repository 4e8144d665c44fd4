"""
Directives for the command line, read from the commands themselves.

``command`` has the whole help of a command, with its name as the target of links; ``json-keys`` the
keys of its JSON, from the schema that ``netmodel schema`` prints.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from catalog_pages import plain
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


def key_table(name: str) -> str:
    """Return the keys of the results of a command, or of a file, each with its description."""
    schema = json.loads(_printed("schema", name))
    kinds = schema.get("anyOf") or [schema, *schema["$defs"].values()]
    blocks = []
    for kind in kinds:
        texts = dict[str, list[str]]()  # keys that a docstring describes together share a row
        for key, text in _described(kind):
            texts.setdefault(text, []).append(f"`{key}`")
        rows = "\n".join(f"| {', '.join(keys)} | {text} |" for text, keys in texts.items())
        title = f"{kind['title']}:\n\n" if len(kinds) > 1 else ""
        blocks.append(f"{title}| Key | |\n|---|---|\n{rows}")
    return "\n\n".join(blocks)


def _described(kind: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield keys and descriptions, with the keys of objects within."""
    for key, schema in kind["properties"].items():
        parts = [schema, *schema.get("anyOf", ())]
        items = [each for part in parts if isinstance(each := part.get("items"), dict)]
        inner = next((each for each in (*parts, *items) if each.get("properties")), None)
        text = re.sub(r":? :math:`[^`]+`", "", schema.get("description", ""))
        text = plain(text).replace("\\`", "`").replace("``", "`")
        if inner:
            names = ", ".join(f"`{each}`" for each in inner["properties"])
            text = f"{text} {'Each' if inner in items else 'Keys'}: {names}"
        usual = schema.get("default")
        is_shown = usual and isinstance(usual, str | int | float)
        yield key, f"{text}; `{usual}` by default" if is_shown else text.strip()


class _Generated(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        text = f"(command-{name.replace(' ', '-')})=\n\n```text\n{help_text(name)}\n```"
        if self.name == "json-keys":
            text = key_table(name)
        lines, box = StringList(text.splitlines(), source=name), nodes.container()
        self.state.nested_parse(lines, self.content_offset, box)
        return box.children


def setup(app: Any) -> dict[str, bool]:
    """Add the directives."""
    for name in ("command", "json-keys"):
        app.add_directive(name, _Generated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
