"""
Formulas without a network: MathJax from an installed package, in one file that draws with SVG.

As a Sphinx extension it copies that file to the pages, which need no fonts then.
"""

import shutil
from importlib.metadata import files
from pathlib import Path
from typing import Any

DISTRIBUTION = "sphinx-mathjax-offline"
SCRIPT = "tex-svg-full.js"
"""All of TeX that MathJax knows, and the shapes of the letters."""


def script() -> Path:
    """Where the package has it."""
    found = [file for file in files(DISTRIBUTION) or () if file.name == SCRIPT]
    return Path(str(found[0].locate()))


def _copy(app: Any, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        shutil.copyfile(script(), Path(app.outdir, "_static", SCRIPT))


def setup(app: Any) -> dict[str, bool]:
    """Copy it when pages are written."""
    app.config.mathjax_path = SCRIPT
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
