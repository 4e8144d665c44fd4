"""Text within the columns of a terminal."""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from netmodel.text import text_table

TABLE_WIDTH = 80
"""Columns of most terminals as they open; of tables where the terminal is not known."""
TEXT_WIDTH = 100
"""Columns of sentences and drawings where it is not known: as in most editors and logs."""
_HANGING_INDENT = "    "
T = TypeVar("T")


def known_width() -> int | None:
    """COLUMNS, or the columns of the terminal; None where neither is known."""
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given):
        return int(given)
    with suppress(AttributeError, OSError, ValueError):
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    return None


def fitted(text: str) -> str:
    """Return the text whose lines end where the terminal does; as it is where that is not known."""
    width = known_width()
    return text if width is None else wrapped_lines(text, width)


def wrapped_lines(text: str, width: int) -> str:
    """
    Return the text whose long lines go on below themselves, further in.

    Parameters
    ----------
    text : str
        Lines, each of them with its own indentation.
    width : int
        Columns that a line takes at most. A word that is longer stays whole,
        so that an id or an address can be copied.

    Returns
    -------
    text : str
        The same words in the same order.

    Examples
    --------
    >>> print(wrapped_lines("link\\n  distance: 100 km (published)", width=20))
    link
      distance: 100 km
          (published)
    """
    lines = []
    for line in text.expandtabs().splitlines():
        indent = line[: len(line) - len(line.lstrip())] + _HANGING_INDENT
        lines += _wrap(line, width, indent) if len(line) > width else [line]
    return "\n".join(lines)


def _wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Return lines of whole words, as ids and paths; textwrap takes five times as long."""
    first, *words = text.expandtabs().split(" ")
    lines = [first]
    for word in words:
        longer = f"{lines[-1]} {word}"
        if len(longer) <= width or not lines[-1].strip():
            lines[-1] = longer
        elif word:
            lines.append(indent + word)
    return [line.rstrip() for line in lines]


class Column(NamedTuple):
    """
    A column of a table.

    Parameters
    ----------
    head : str
        With the unit, where all cells have the same.
    cells : sequence of str
        From the first row down.
    is_number : bool
        Whether it is aligned on the right.
    rank : int
        0 stays in any table; of the others the highest is left out first where they do not fit.
    """

    head: str
    cells: Sequence[str]
    is_number: bool = False
    rank: int = 0


_MIN_CELL = 16
"""Columns of a cell that goes on below itself, however narrow the terminal is."""


def columns_table(columns: Iterable[Column], is_verbose: bool = False) -> str:
    """
    Return the text of a table without empty columns, as wide as the terminal unless it is verbose.

    Columns of the highest rank are left out first; then the longest cells go on below themselves.
    """
    shown = [column for column in columns if any(column.cells)]
    if not shown:
        return ""
    while True:
        texts = [[each.head, *each.cells] for each in shown]
        widths = [max(map(len, column)) for column in texts]
        excess = len(text_table([["x" * n for n in widths]])) - (known_width() or TABLE_WIDTH)
        least = max(shown, key=lambda column: column.rank)
        if is_verbose or excess <= 0 or not least.rank:
            break
        shown.remove(least)
    least_widths = [max(_MIN_CELL, *map(len, " ".join(x).split())) for x in texts]
    for _ in range(0 if is_verbose else excess):
        wide = [place for place, least in enumerate(least_widths) if widths[place] > least]
        if wide:
            widths[max(wide, key=widths.__getitem__)] -= 1
    sized = zip(texts, widths, strict=True)
    cells = ([_wrap(x, n) if len(x) > n else [x] for x in column] for column, n in sized)
    lines = [x for row in zip(*cells, strict=True) for x in zip_longest(*row, fillvalue="")]
    return text_table(lines, [place for place, column in enumerate(shown) if column.is_number])


class Shown:
    """A result, shown as the decision, a table, what it rests on and notes."""

    __slots__ = ()

    @property
    def answer(self) -> str:
        """The decision in a sentence."""
        raise NotImplementedError

    @property
    def columns(self) -> list[Column]:
        """A table."""
        raise NotImplementedError

    @property
    def notes(self) -> Sequence[str]:
        """Caveats and assumptions."""
        return ()

    def grounds(self) -> Iterable[tuple[str, str]]:
        """Return the basis of the answer: words and their texts."""
        return ()

    def __str__(self) -> str:
        rows = [*self.grounds(), *(("note", note) for note in self.notes)]
        blocks = self.answer, columns_table(self.columns), "\n".join(map(": ".join, rows))
        return fitted("\n\n".join(filter(None, blocks)))

    def _repr_html_(self) -> str:
        from netmodel.html import definition_table, row_table

        shown = [column for column in self.columns if any(column.cells)]
        cells = zip(*(column.cells for column in shown), strict=True)
        numbers = [place for place, column in enumerate(shown) if column.is_number]
        table = row_table(self.answer, [column.head for column in shown], cells, numbers)
        return table + definition_table("", [*self.grounds(), *(("note", x) for x in self.notes)])


class Listing(Shown, tuple[T, ...]):
    """Results of one question, shown as the decision and a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self.answer}\n\n{columns_table(self.columns)}".rstrip()

    __str__ = __repr__
