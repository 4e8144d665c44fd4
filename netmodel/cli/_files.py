"""Files that commands read and write: never over what they read, and whole or not at all."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel.reading import note_read, reason_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.readers import FoundResults

OUTPUT_FILE = click.Path(dir_okay=False, writable=True)
OUTPUT_FILE.name = "path"
_STDIN = "-"
_MANY_FILES = 500
"""Reading as many takes about a second."""
_NAMED_COUNT = 3
"""Files without results that a message names, before it only counts them."""


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


class _Stdin:
    """Standard input, which is opened when it is read."""

    name = "<stdin>"

    def read(self) -> bytes:
        from netmodel.reading import read_stream

        with suppress(OSError, ValueError, AttributeError):
            note_read("standard input", os.fstat(sys.stdin.fileno()))
        try:
            with click.open_file(_STDIN, "rb") as file:
                return read_stream(file)
        except RuntimeError:
            raise OSError("it is closed") from None


def _watched(files: Sequence[object]) -> Iterator[object]:
    """Yield the files with a bar on the terminal, where reading them takes seconds."""
    terminal = getattr(sys.stderr, "stream", sys.stderr)  # which a bar may steer
    is_short = len(files) < _MANY_FILES or not terminal.isatty()
    with click.progressbar(files, label="reading", file=terminal, hidden=is_short) as bar:
        yield from bar


def results_in(names: Sequence[str], format_name: str | None = None) -> "FoundResults":
    """Results of files, directories and rates; files without any are named below the answer."""
    from netmodel.api.results import found_results

    if names.count(_STDIN) > 1:
        raise click.UsageError("standard input can be read only once: give - once")
    places = [_Stdin() if name == _STDIN else name for name in names]
    results = found_results(places, format_name, _watched)
    skipped = results.passed_over
    if skipped:
        count, left = len(skipped), len(skipped) - _NAMED_COUNT
        named = [f"{each.path} ({each.kind})" for each in skipped[:_NAMED_COUNT]]
        named += [f"and {left} more"] * (left > 0)
        text = f"skipped {count} file{'s' * (count > 1)} without results: {', '.join(named)}"
        click.get_current_context().call_on_close(partial(click.echo, text, err=True))
    return results
