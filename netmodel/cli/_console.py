"""Standard output and standard error: text, tables, JSON; nothing steers the terminal."""

import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import click

from netmodel.terminal import TEXT_WIDTH, known_width, wrapped_lines
from netmodel.text import cell_text, name_options, printable

UNREADABLE_EXIT_CODE = 3
"""Of a file that cannot be read or is not valid; 1 is a failed gate, 2 a wrong argument."""
_COLUMNS = re.compile(r"\S {2,}\S")
"""Two columns of a table."""
_AS_NUMBER = "backslashreplace"


def print_json(value: object) -> None:
    """Print a value as JSON in ASCII, which any terminal shows; NaN and infinity are refused."""
    text = json.dumps(value, indent=2, allow_nan=False)
    # DEL is the one character that steers a terminal and that json does not escape
    print_data(text.replace("\x7f", "\\u007f") + "\n")


def print_csv(rows: Sequence[Mapping[str, object]]) -> None:
    """Print a header line with the names of all columns, and a line for each row."""
    text, flat = io.StringIO(), [dict(_cells("", row)) for row in rows]
    names = dict.fromkeys(name for row in flat for name in row)
    writer = csv.DictWriter(text, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    print_data(text.getvalue())


def _cells(name: str, value: object) -> Iterator[tuple[str, object]]:
    """Cells of a value: those of a mapping by its keys; none of lists."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            # the parts of a distance have whole names
            inner = "" if key in ("value", "distance") else str(key)
            yield from _cells("_".join(filter(None, (name, inner))), each)
    elif name and not isinstance(value, list | tuple):
        yield name, cell_text(value)


def print_data(text: str) -> None:
    """Print what programs read: lines as long as they are."""
    if isinstance(sys.stdout, _Printable):
        sys.stdout.width = None
    click.echo(text, nl=False)


def print_blocks(blocks: Iterable[str]) -> None:
    """Print blocks of text with an empty line between them; lines with columns stay whole."""
    lines = "\n\n".join(filter(None, blocks)).split("\n")
    width = known_width() or TEXT_WIDTH
    fit = (line if _COLUMNS.search(line) else wrapped_lines(line, width) for line in lines)
    click.echo("\n".join(fit))


class _Printable:
    """A stream that gets text without control characters, until its reader is gone."""

    buffer = None
    """Hidden from click, which would write past this object where it does not like an encoding."""

    def __init__(self, stream: TextIO) -> None:
        if isinstance(stream, io.TextIOWrapper) and stream.errors != _AS_NUMBER:
            # an encoding that has no such character prints its number
            stream.reconfigure(errors=_AS_NUMBER)
        self.stream, self.width = stream, known_width()

    def write(self, text: str) -> int:
        shown = printable(text)
        if self.width is not None:
            body = shown.rstrip("\n")
            shown = wrapped_lines(body, self.width) + shown[len(body) :]
        self._until_cut(partial(self.stream.write, shown))
        return len(text)

    def flush(self) -> None:
        self._until_cut(self.stream.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def _until_cut(self, act: Callable[[], object]) -> None:
        """What is written after the reader has gone, such as ``head``, goes nowhere."""
        try:
            act()
        except BrokenPipeError:
            with suppress(OSError, ValueError), Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), self.stream.fileno())


@contextmanager
def printable_streams() -> Iterator[None]:
    """Whatever is printed meanwhile reaches the terminal, and the exit code is that of the work."""
    streams, named = (sys.stdout, sys.stderr), name_options(True)
    shown = [each and _Printable(each) for each in streams]
    try:
        sys.stdout, sys.stderr = shown
        yield
    finally:
        name_options(named)
        for stream in filter(None, shown):
            stream.flush()
        sys.stdout, sys.stderr = streams
