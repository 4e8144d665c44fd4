"""
Pages of the project itself, from the files at its top: how to contribute, what changed, security.

As a Sphinx extension it writes them before the documents are read.
"""

import os.path
import re
from pathlib import Path
from typing import Any

from written import write

ROOT = Path(__file__).parents[1]
TARGET = Path("development")
FILES = {"contributing": "CONTRIBUTING", "changelog": "CHANGELOG", "security": "SECURITY"}
"""Names of pages, and of the files that they are."""
_LINK = re.compile(r"\[([^][]+)\]\((?!https?://|#|mailto:)([^()\s]+)\)")


def page(text: str) -> str:
    """A file at the top of the project, with links that work in the site."""
    return _LINK.sub(_link, text)


def _link(found: re.Match[str]) -> str:
    """A link to a page of the site; the text alone where the file is no page."""
    text, target = found.groups()
    name, _, anchor = target.partition("#")
    if not (name.startswith("docs/") and name.endswith(".md") and (ROOT / name).is_file()):
        return text
    place = os.path.relpath(name, Path("docs") / TARGET)
    return f"[{text}]({place}{'#' if anchor else ''}{anchor})"


def _write(app: Any) -> None:
    for name, file in FILES.items():
        text = page((ROOT / f"{file}.md").read_text("utf-8"))
        write(Path(app.srcdir) / TARGET / f"{name}.md", text)


def setup(app: Any) -> dict[str, bool]:
    """Write them before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
