"""
Notebooks as pages: the executed files of the folder `notebooks`, with links that fit the site.

As a Sphinx extension it writes them, and their list, before the documents are read; nothing is
executed again.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from written import write

SOURCE = Path(__file__).parents[1] / "notebooks"
TARGET = Path("notebooks")
LIST = "list.inc"
_ANSWER = "**Answer.**"
_TO_DOCS = "](../docs/"
_FROM_TARGET = "](../"
_SOURCE_OF_NOTEBOOK = re.compile(r"(?<=\]\()([a-z0-9-]+)\.md(?=[#)])")


def notebooks() -> list[Path]:
    """Executed notebooks, by name."""
    return sorted(SOURCE.glob("*.ipynb"))


def page(file: Path) -> str:
    """A notebook whose links to pages and to other notebooks work in the site."""
    content = json.loads(file.read_text("utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"]).replace(_TO_DOCS, _FROM_TARGET)
            cell["source"] = _SOURCE_OF_NOTEBOOK.sub(r"\1.ipynb", text)
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def title(file: Path) -> str:
    """The first heading."""
    return next(line for line in _lines(file) if line.startswith("# ")).removeprefix("# ")


def summary(file: Path) -> str:
    """The first sentence of the answer, or else of what stands below the heading, as plain text."""
    text = " ".join(_lines(file)).partition(title(file))[2]
    said = (text.partition(_ANSWER)[2] or text).strip()
    first = re.split(r"(?<=[.?!:])\s", said, maxsplit=1)[0]
    return re.sub(r":$", ".", re.sub(r"\[([^]]+)\]\([^)]+\)|[`*]", r"\1", first))


def _lines(file: Path) -> Iterator[str]:
    for cell in json.loads(file.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            yield from "".join(cell["source"]).splitlines()


def contents() -> str:
    """The menu of them."""
    names = [file.stem for file in notebooks()]
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```"]) + "\n"


def _write(app: Any) -> None:
    target = Path(app.srcdir) / TARGET
    texts = {file.name: page(file) for file in notebooks()} | {LIST: contents()}
    for old in target.glob("*.ipynb"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        write(target / name, text)


def setup(app: Any) -> dict[str, bool]:
    """Write them before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
