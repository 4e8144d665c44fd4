"""
Findings in the printed tables of the documents, as tables.

As a Sphinx extension it writes `page` as MyST Markdown before the documents are read.
"""

import runpy
from pathlib import Path
from typing import Any

from written import write

TARGET = Path("reference/generated/audit.inc")
TOOL = Path(__file__).parents[1] / "tools" / "audit_tables.py"


def page() -> str:
    """Return how much was compared, and each finding."""
    tool = runpy.run_path(str(TOOL))
    return str(tool["page"](tool["audited"]()))


def _write(app: Any) -> None:
    write(Path(app.srcdir) / TARGET, page())


def setup(app: Any) -> dict[str, bool]:
    """Write it before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
