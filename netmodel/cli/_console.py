"""Standard output and files that commands write: text, JSON, plots; nothing steers the terminal."""

import json
import re
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel.reading import reason_of
from netmodel.terminal import TEXT_WIDTH, known_width, wrapped_lines
from netmodel.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNREADABLE_EXIT_CODE = 3
"""Of a file that cannot be read or is not valid; 1 is a failed gate, 2 a wrong argument."""
_COLUMNS = re.compile(r"\S {2,}\S")
"""Two columns of a table."""


def print_json(value: object) -> None:
    """Print a value as JSON in ASCII, which any terminal shows; NaN and infinity are refused."""
    text = json.dumps(value, indent=2, allow_nan=False)
    # DEL is the one character that steers a terminal and that json does not escape
    click.echo(text.replace("\x7f", "\\u007f"))


def print_blocks(blocks: Iterable[str]) -> None:
    """Print blocks of text with an empty line between them, as wide as the terminal."""
    text, width = printable("\n\n".join(filter(None, blocks))), known_width()
    for line in text.split("\n"):
        is_table = width is None and _COLUMNS.search(line)  # it stays whole
        click.echo(line if is_table else wrapped_lines(line, width or TEXT_WIDTH))


def write_output(option: str, path: str, content: bytes) -> None:
    """Write a file whole or leave it as it was; UsageError where that is not possible."""
    from netmodel.writing import write_whole

    try:
        write_whole(path, content)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{option} {path}: {reason_of(error)}") from None


def drawn(axes: "Axes", path: str) -> bytes:
    """Close the figure of a plot, and return it in the format that the name of its file ends in."""
    from matplotlib import pyplot

    figure, file = axes.get_figure(root=True), BytesIO()
    assert figure is not None
    try:
        figure.savefig(file, bbox_inches="tight", format=Path(path).suffix[1:] or None)
    except ValueError as error:
        raise click.UsageError(f"--plot {path}: {error}") from None
    finally:
        pyplot.close(figure)
    return file.getvalue()
