"""Tables of benchmarks: printed, and kept as a file that a page of the documentation shows."""

import csv
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from netmodel import __version__
from netmodel.text import text_table


def versions(*libraries: str) -> str:
    """What was measured, and on what: netmodel, Python, libraries and kind of machine."""
    named = [f"{name} {version(name)}" for name in libraries]
    machine = f"{platform.system()} {platform.machine()}"
    return ", ".join(
        [f"netmodel {__version__}", f"Python {platform.python_version()}", *named, machine]
    )


def show(
    head: Sequence[str], rows: Iterable[Sequence[str]], made_with: str, file: str | None = None
) -> None:
    """Print a table, and write it to a file of CSV, with what it was made with in each row."""
    lines = [list(row) for row in rows]
    print(text_table([head, *lines]))
    print(made_with)
    if file is None:
        return
    with Path(file).open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow([*head, "versions"])
        writer.writerows([*line, made_with] for line in lines)
