"""What pages consist of: tables with bars in their rows, texts and folded parts."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from netmodel._dataclasses import dataclass
from netmodel.report._charts import Chart, Tick

_WIDE_COLUMNS = 6
"""A table of more columns becomes a list of rows on a screen of half the width of a page."""

_SHORT_ROWS = 12
"""A table of no more rows fills less than half a page of paper, and is not divided."""


class Bar(NamedTuple):
    """
    A bar of a strip, with the range of its end.

    Parameters
    ----------
    kind : str
        Class of its look: ``"first"`` and ``"up"`` are filled, ``"second"`` and ``"down"`` only
        have an outline.
    percent : float
        Where it ends.
    low_percent, high_percent : float
        Range of that; both the end where there is none.
    start_percent : float
        Where it starts.
    """

    kind: str
    percent: float
    low_percent: float
    high_percent: float
    start_percent: float = 0.0


class Strip(NamedTuple):
    """
    Bars of one row on the axis of its table.

    Parameters
    ----------
    title : str
        The same in words.
    bars : tuple of Bar
        From the top.
    marks : tuple of Tick
        Limits across all rows, each with its name.
    shares_row : bool
        Whether the bars stand side by side rather than below each other.
    """

    title: str
    bars: tuple[Bar, ...]
    marks: tuple[Tick, ...] = ()
    shares_row: bool = False


class Cell(NamedTuple):
    """A text with what is said below it in small print, or a strip."""

    text: str
    detail: str = ""
    strip: Strip | None = None
    href: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in it."""
        return not (self.text or self.detail or self.strip)


class Column(NamedTuple):
    """A column of a table, with a cell for each row."""

    head: str
    cells: Sequence[Cell]
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """
    Rows below the names of their columns.

    Parameters
    ----------
    caption : str
        What it shows.
    columns : tuple of Column
        All of as many cells.
    ids : tuple of str
        Of rows that links lead to; empty where none do.
    ticks : tuple of Tick
        Of the axis of all strips.
    legend : tuple of (str, str)
        Looks in strips by class, and what each means.
    marked : int, optional
        The row to stand out.
    """

    kind: ClassVar[str] = "table"

    caption: str
    columns: tuple[Column, ...]
    ids: tuple[str, ...] = ()
    ticks: tuple[Tick, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    marked: int | None = None

    @property
    def rows(self) -> list[tuple[str, tuple[Cell, ...]]]:
        """Id of each row, and its cells."""
        cells = list(zip(*(column.cells for column in self.columns), strict=True))
        return list(zip(self.ids or [""] * len(cells), cells, strict=True))

    @property
    def is_short(self) -> bool:
        """Whether it stays on one page of paper."""
        return len(self.columns[0].cells) <= _SHORT_ROWS

    @property
    def is_wide(self) -> bool:
        """Whether it has many columns."""
        return len(self.columns) > _WIDE_COLUMNS


def table_of(
    caption: str,
    columns: Iterable[Column],
    *,
    ids: Sequence[str] = (),
    ticks: Sequence[Tick] = (),
    legend: Sequence[tuple[str, str]] = (),
    marked: int | None = None,
) -> Table:
    """A table without the columns that are empty; the first stays."""
    first, *others = columns
    used = [column for column in others if not all(cell.is_empty for cell in column.cells)]
    return Table(caption, (first, *used), tuple(ids), tuple(ticks), tuple(legend), marked)


@dataclass(frozen=True, slots=True)
class Texts:
    """Paragraphs, or the items of a list."""

    kind: ClassVar[str] = "texts"

    texts: tuple[str, ...]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A file or a command, with its lines as they are."""

    kind: ClassVar[str] = "verbatim"

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, and its numbers as a table."""

    kind: ClassVar[str] = "figure"

    chart: Chart
    table: Table


@dataclass(frozen=True, slots=True)
class Folded:
    """Parts behind a summary, which prints open unless it holds data for machines."""

    kind: ClassVar[str] = "folded"

    summary: str
    blocks: "tuple[Block, ...]"
    prints: bool = True


Block: TypeAlias = Table | Texts | Verbatim | Figure | Folded


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading, and what is in it."""

    id: str
    heading: str
    blocks: tuple[Block, ...]
