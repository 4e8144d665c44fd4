"""Standard output and standard error: tables, JSON, progress; nothing steers the terminal."""

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO, TypeVar

import click

from netmodel._terminal import TABLE_WIDTH, known_width, text_width, wrapped_lines
from netmodel._text import cell_text, name_options, printable

_Item = TypeVar("_Item")

UNREADABLE_EXIT_CODE = 3
"""Of a file that cannot be read or is not valid; 1 is a failed gate, 2 a wrong argument."""
_MIN_DRAWING = 60
"""Columns that the drawing of a path needs."""
_MANY_ROWS = 100
"""Rows of JSON above which each is one line: indenting them takes twice the time of all else."""
_BAR_WIDTH = 36
"""Columns of a progress bar: as usual for click, and enough to see it move."""
_MANY_FILES = 100
"""Files from which on a progress bar appears: fewer are read within a second."""
_AS_NUMBER = "backslashreplace"


def print_json(value: object) -> None:
    """Print a value as JSON in ASCII, which any terminal shows; NaN and infinity are refused."""
    if isinstance(value, list) and len(value) > _MANY_ROWS:
        rows = (json.dumps(row, allow_nan=False) for row in value)
        text = "[\n" + ",\n".join(rows) + "\n]"
    else:
        text = json.dumps(value, indent=2, allow_nan=False)
    # DEL is the one character that steers a terminal and that json does not escape
    print_data(text.replace("\x7f", "\\u007f") + "\n")


def print_csv(names: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Print a header line with the names of the columns, and a line for each row."""
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: cell_text(each) for name, each in row.items()} for row in rows)
    print_data(text.getvalue())


def print_data(text: str) -> None:
    """Print what programs read."""
    stream = sys.stdout
    if isinstance(stream, _Printable):
        with stream.as_it_is():
            click.echo(text, nl=False)
    else:
        click.echo(text, nl=False)


def drawing_width() -> int:
    """Columns of the terminal, and no fewer than drawings need."""
    return max(_MIN_DRAWING, text_width())


def notes_text(notes: Sequence[str], is_verbose: bool, deciding_count: int = 0) -> str:
    """Notes, the most important three and all deciding ones or all, a line each; or nothing."""
    from netmodel.report.text import NOTE_COUNT, note_rows

    rows = note_rows(notes, None if is_verbose else max(NOTE_COUNT, deciding_count))
    return wrapped("\n".join(f"{name}: {text}" if name else text for name, text in rows))


def wrapped(text: str) -> str:
    """Text whose lines fit the terminal; they go on below themselves, further in."""
    return wrapped_lines(text, text_width())


def print_blocks(blocks: Iterable[str]) -> None:
    """Print blocks of text with an empty line between them; empty blocks are left out."""
    click.echo("\n\n".join(filter(None, blocks)))


def with_progress(
    items: Sequence[_Item], label: str, least_count: int = _MANY_FILES
) -> Iterator[_Item]:
    """The items, with a bar on standard error where they are many and it is a terminal."""
    # the bar steers the terminal on purpose
    raw = sys.stderr.stream if isinstance(sys.stderr, _Printable) else sys.stderr
    is_hidden = len(items) < least_count or not _is_watched()
    with click.progressbar(
        items, label=label, file=raw, hidden=is_hidden, width=_bar_width()
    ) as bar:
        yield from bar


def _bar_width() -> int:
    """Columns of a bar; 0 fills what the label leaves."""
    return _BAR_WIDTH if text_width() >= TABLE_WIDTH else 0


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _fitted(text: str, width: int) -> str:
    """Text whose lines go on below themselves where the terminal would cut words."""
    body = text.rstrip("\n")
    return wrapped_lines(body, width) + text[len(body) :]


class _Printable:
    """A stream that gets text without control characters, until its reader is gone."""

    buffer = None
    """Hidden from click, which would write past this object where it does not like an encoding."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._is_cut = False
        self._width = known_width()

    @contextmanager
    def as_it_is(self) -> Iterator[None]:
        """What is written meanwhile is for programs: lines as long as they are."""
        kept, self._width = self._width, None
        try:
            yield
        finally:
            self._width = kept

    def write(self, text: str) -> int:
        shown = printable(text)
        if self._width is not None:
            shown = _fitted(shown, self._width)
        if not self._is_cut:
            with self._until_cut():
                self.stream.write(shown)
        return len(text)

    def flush(self) -> None:
        if not self._is_cut:
            with self._until_cut():
                self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    @contextmanager
    def _until_cut(self) -> Iterator[None]:
        """What is written after the reader has gone, such as ``head``, is dropped."""
        try:
            yield
        except BrokenPipeError:
            self._is_cut = True
            # the interpreter flushes the stream once more when it ends, and would complain
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self.stream.fileno())
                os.close(nowhere)


@contextmanager
def printable_streams() -> Iterator[None]:
    """Whatever is printed meanwhile reaches the terminal, and the exit code is that of the work."""
    kept, named = (sys.stdout, sys.stderr), name_options(True)
    try:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is None:
                continue
            if isinstance(stream, io.TextIOWrapper) and stream.errors != _AS_NUMBER:
                # an encoding that has no such character prints its number
                stream.reconfigure(errors=_AS_NUMBER)
            setattr(sys, name, _Printable(stream))
        yield
    finally:
        name_options(named)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        sys.stdout, sys.stderr = kept
