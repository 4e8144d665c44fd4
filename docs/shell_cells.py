"""
Cells that only run commands, as one would type them: without the ``!``, long ones over lines.

As a Sphinx extension it changes pages when they have been read.
"""

import re
from typing import Any

from docutils import nodes

WIDTH = 92
"""Characters of a line that fit beside the menu on a screen of 1280 px, as the output does."""
WIDTH_AT_HOME = 72
"""The same where two cells stand side by side."""
_MORE = " \\\n    "
_GOES_ON = re.compile(r"\s*\\\n\s*")
_LONG_COMMAND = re.compile(r"^!.*\\$", re.MULTILINE)
_BREAKS = re.compile(r" (?=--?[a-z]|\| |> |&& )")


def shown(source: str, width: int = WIDTH) -> str | None:
    """What a shell would take; None where a cell has more than commands."""
    lines = _GOES_ON.sub(" ", source).splitlines()
    if not lines or not all(line.startswith("!") for line in lines):
        return None
    return "\n".join(_over_lines(line.removeprefix("!"), width) for line in lines)


def _over_lines(command: str, width: int) -> str:
    """A command whose lines end before an option where it is too long."""
    if len(command) <= width:
        return command
    lines = [""]
    for part in _BREAKS.split(command):
        longer = f"{lines[-1]} {part}" if lines[-1] else part
        if lines[-1] and len(longer) > width - len(_MORE):
            lines.append(part)
        else:
            lines[-1] = longer
    return _MORE.join(lines)


def _change(app: Any, doctree: nodes.document) -> None:
    width = WIDTH_AT_HOME if app.env.docname == app.config.root_doc else WIDTH
    for cell in doctree.findall(nodes.container):
        if "cell_input" in cell["classes"]:
            for block in cell.findall(nodes.literal_block):
                command = shown(block.astext(), width)
                if command is not None:
                    block.children = [nodes.Text(command)]
                    block.rawsource = command
                    block["language"] = "sh"
                elif _LONG_COMMAND.search(block.astext()):
                    # Pygments knows no command over lines beside Python
                    block["force"] = True


def setup(app: Any) -> dict[str, bool]:
    """Connect it."""
    app.connect("doctree-read", _change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
