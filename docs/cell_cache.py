"""
Where outputs of cells are kept between builds: for this state of the library, its data and tools.

Cells of a page whose code and library are the same are not run again.
"""

import hashlib
import shutil
from pathlib import Path

from jupyter_cache.cache.db import create_db

ROOT = Path(__file__).parents[1]
SEEN = (
    *("netmodel/**/*.py", "data/**/*.*", "requirements/dev.txt", "docs/shared_process.py"),
    "docs/reference/*.csv",
)
"""What outputs depend on, beside the cells themselves."""
_LENGTH = 16
"""Hexadecimal digits that tell states apart: two alike are one in 2^64."""


def state() -> str:
    """A name for what the library, its data and tools are."""
    total = hashlib.sha256()
    for pattern in SEEN:
        for file in sorted(ROOT.glob(pattern)):
            if file.is_file():
                total.update(f"{file.relative_to(ROOT)}\n".encode())
                total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:_LENGTH]


def directory() -> Path:
    """That of this state; those of earlier ones are removed."""
    above = ROOT / "build" / "executed-cells"
    own = above / state()
    for other in above.glob("*"):
        if other != own:
            shutil.rmtree(other, ignore_errors=True)
    # before several processes find a file without tables
    own.mkdir(parents=True, exist_ok=True)
    create_db(own).dispose()
    return own
