"""Standard output and standard error: tables, JSON, progress; nothing steers the terminal."""

import csv
import io
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO, TypeVar

import click

from netmodel._terminal import TABLE_WIDTH, known_width, table_width, text_width, wrapped_lines
from netmodel._text import cell_text, name_options, printable, text_table
from netmodel.cli._colour import has_colour, painted

_Item = TypeVar("_Item")

UNREADABLE_EXIT_CODE = 3
"""Of a file that cannot be read or is not valid; 1 is a failed gate, 2 a wrong argument."""
_MIN_DRAWING = 60
"""Columns that the drawing of a path needs."""
_GAP = "  "
"""Between two columns of a table."""
_MIN_CELL = 20
"""Columns of a cell that goes on below itself, however narrow the terminal is."""
_MANY_ROWS = 100
"""Rows of JSON above which each is one line: indenting them takes twice the time of all else."""
_BAR_WIDTH = 36
"""Columns of a progress bar: as usual for click, and enough to see it move."""
_MANY_FILES = 100
"""Files from which on a progress bar appears: fewer are read within a second."""
_MANY_POINTS = 1_000_000
"""Points of a sweep from which on a progress bar appears: fewer take about a second."""
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
    """Print what programs read, which never has a colour."""
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
    from netmodel.report._text import NOTE_COUNT, note_rows

    rows = note_rows(notes, None if is_verbose else max(NOTE_COUNT, deciding_count))
    return wrapped("\n".join(f"{name}: {text}" if name else text for name, text in rows))


def long_cells_table(rows: Sequence[Sequence[str]], right_aligned: Sequence[int] = ()) -> str:
    """A table whose last cells go on below themselves where they do not fit."""
    *before, _ = zip(*rows, strict=True)
    left = table_width() - sum(max(map(len, cells)) + len(_GAP) for cells in before)
    lines: list[Sequence[str]] = []
    for *cells, last in rows:
        first, *more = textwrap.wrap(last, max(left, _MIN_CELL), break_long_words=False) or [""]
        lines += ((*cells, first), *((*([""] * len(before)), each) for each in more))
    return text_table(lines, right_aligned)


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


@contextmanager
def counting_progress(
    label: str, least_count: int = _MANY_POINTS
) -> Iterator[Callable[[int, int], None]]:
    """A function of how many are done and of all, with such a bar where they are many."""
    raw = sys.stderr.stream if isinstance(sys.stderr, _Printable) else sys.stderr
    bars: list[Any] = []

    def on_done(count: int, total: int) -> None:
        if not bars:
            is_hidden = total < least_count or not _is_watched()
            bar = click.progressbar(
                length=total, label=label, file=raw, hidden=is_hidden, width=_bar_width()
            )
            bars.append(bar)
            bars[0].__enter__()
        bars[0].update(count)

    try:
        yield on_done
    finally:
        for bar in bars:
            bar.__exit__(None, None, None)


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
        self._has_colour = has_colour(stream)
        self._width = known_width()

    @contextmanager
    def as_it_is(self) -> Iterator[None]:
        """What is written meanwhile is for programs: without colours, lines as long as they are."""
        kept = self._has_colour, self._width
        self._has_colour, self._width = False, None
        try:
            yield
        finally:
            self._has_colour, self._width = kept

    def write(self, text: str) -> int:
        shown = printable(text)
        if self._width is not None:
            shown = _fitted(shown, self._width)
        if self._has_colour:
            shown = painted(shown)
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
