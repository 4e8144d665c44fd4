"""Files that commands read and write: never over what they read, and whole or not at all."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel._reading import note_read, reason_of
from netmodel.cli._console import with_progress
from netmodel.cli._ids import a_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.readers import FoundResults

_STDIN = "-"
_NAMED_COUNT = 3
"""Files without results that a message names, before it only counts them."""


# Files to write


class OutputFile(click.Path):
    """A file, or a folder of them, that a command writes and does not read."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        if not value:
            self.fail("the name is empty", param, ctx)
        return super().convert(value, param, ctx)


OUTPUT_FILE = OutputFile(dir_okay=False, writable=True)


class _InputFile(click.ParamType[str]):
    """A file that a command reads; whether it can is seen when it does."""

    name = "file"
    shell_complete = a_file.shell_complete

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        return str(value) if value else self.fail("the name of the file is empty", param, ctx)


INPUT_FILE = _InputFile()


def require_no_input(option: str, path: str) -> None:
    """Refuse to write over a file that the command has read or names, under any name or link."""
    from netmodel._writing import IsReadError, require_unread

    context = click.get_current_context()
    for parameter in context.command.params:
        if not isinstance(parameter.type, OutputFile):
            for name in _texts(context.params.get(parameter.name or "")):
                note_read(name)
    try:
        require_unread(path)
    except IsReadError as error:
        raise click.UsageError(f"{option} {error}") from None


def require_different(files: Mapping[str, str | None]) -> None:
    """Refuse one file for two outputs, each by its option."""
    named: dict[Path, str] = {}
    for option, path in files.items():
        if path is not None:
            other = named.setdefault(Path(path).resolve(), option)
            if other != option:
                raise click.UsageError(f"{other} and {option} name the same file")


def write_output(option: str, path: str, content: bytes) -> None:
    """Write a file whole or leave it as it was; UsageError where that is not possible."""
    from netmodel._writing import write_whole

    require_no_input(option, path)
    try:
        write_whole(path, content)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{option} {path}: {reason_of(error)}") from None


_ABOUT_KEYS = {"png": "Description", "svg": "Description", "pdf": "Subject"}
"""What a file calls the text on what it shows, by its format: alternative text for readers."""


def save_plot(axes: "Axes", path: str) -> None:
    """Write the figure of a plot into a file, in the format that its name ends in, and close it."""
    from matplotlib import pyplot

    figure = axes.get_figure(root=True)
    drawn = BytesIO()
    try:
        if figure is not None:
            kind = Path(path).suffix.removeprefix(".") or None
            # the key that the format has for what an image shows
            key = _ABOUT_KEYS.get((kind or "").lower())
            about = {key: axes.get_title()} if key else None
            figure.savefig(drawn, bbox_inches="tight", format=kind, metadata=about)
            pyplot.close(figure)
    except ValueError as error:
        raise click.UsageError(f"--plot {path}: {error}") from None
    write_output("--plot", path, drawn.getvalue())


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


# Results to read


class _Stdin:
    """Standard input, which is opened when it is read."""

    name = "<stdin>"

    def read(self) -> bytes:
        from netmodel._reading import read_stream

        with suppress(OSError, ValueError, AttributeError):
            note_read("standard input", os.fstat(sys.stdin.fileno()))
        try:
            with click.open_file(_STDIN, "rb") as file:
                return read_stream(file)
        except RuntimeError:
            raise OSError("it is closed") from None


def results_in(
    names: Sequence[str], format_name: str | None = None, outputs: Sequence[str] = ()
) -> "FoundResults":
    """
    Results of files, directories and rates; files without any are named below the answer.

    In a directory, empty `outputs` that are written afterwards are no results.
    """
    from netmodel.api._results import found_results

    if names.count(_STDIN) > 1:
        raise click.UsageError("standard input can be read only once: give - once")
    places = [_Stdin() if name == _STDIN else name for name in names]
    results = found_results(places, format_name, with_progress, outputs)
    skipped = results.passed_over
    if skipped:
        count = len(skipped)
        files = "1 file without results" if count == 1 else f"{count} files without results"
        named = ", ".join(f"{each.path} ({each.kind})" for each in skipped[:_NAMED_COUNT])
        more = f", and {count - _NAMED_COUNT} more" if count > _NAMED_COUNT else ""
        text = f"skipped {files}: {named}{more}"
        click.get_current_context().call_on_close(partial(click.echo, text, err=True))
    return results
