"""Tables of measurements: CSV files whose cells keep their printed text."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, BeforeValidator, model_validator

from netmodel.errors import DomainError, ParseError, UnitError
from netmodel.lazy_numpy import np
from netmodel.printable import quoted
from netmodel.reading import read_text
from netmodel.records.files import unknown_record
from netmodel.records.values import FROZEN, Text, half_step
from netmodel.results import short_repr
from netmodel.units import split_quantity
from netmodel.units.columns import unit_of_name

if TYPE_CHECKING:
    import numpy.typing as npt

_CACHED_CELLS = 4096
"""Texts of cells whose number is kept: more than all bundled tables have."""


class Column(BaseModel):
    """
    Name, unit and meaning of a column of a table.

    Parameters
    ----------
    name : str
        Its header in the file.
    unit : str, optional
        As printed, such as ``"ms/MB"``; None, in a file ``"none"``, for a
        column of text.
    meaning : str
        Meaning of the figures.
    printed_as : str, optional
        Its name in the source.
    note : str, optional
        Remark on the figures.
    taken_as : str, optional
        Meaning of an ambiguous unit; the note gives the reason.

    Raises
    ------
    pydantic.ValidationError
        If the name ends in a unit other than that of the column. A loader of
        files raises `ParseError` instead.

    Examples
    --------
    >>> Column(name="throughput_bps", unit="bit/s", meaning="payload of all connections").unit
    'bit/s'
    """

    model_config = FROZEN

    name: Text
    unit: Annotated[Text | None, BeforeValidator(lambda unit: None if unit == "none" else unit)]
    meaning: Text
    printed_as: Text | None = None
    note: Text | None = None
    taken_as: Text | None = None

    @model_validator(mode="after")
    def _unit_is_that_of_the_name(self) -> Self:
        units = unit_of_name(self.name)
        if units and self.unit not in units:
            raise ValueError(f"unit {self.unit or 'none'!r} contradicts the name: {units[0]}")
        return self


@dataclass(frozen=True)
class Table:
    """
    A table of measurements, as `dataset` returns it.

    Parameters
    ----------
    name : str
        Of its file, without the ending.
    columns : tuple of Column
        From left to right.
    cells : tuple of tuple of str
        Each row as printed; empty where nothing is printed.
    row_numbers : tuple of int
        Numbers of the rows in the file, 1 for the first below the header. `where`
        keeps them, so that flags still refer to their rows.
    description : str
        Contents of the table; may be empty.

    Examples
    --------
    >>> from netmodel.records import dataset
    >>> table = dataset("zvm-layer2-layer3").tables["measurements"].where(table=8, layer=3)
    >>> float(table.numbers("transaction_rate_tps").max())
    31996.02
    """

    name: str
    columns: tuple[Column, ...]
    cells: tuple[tuple[str, ...], ...]
    row_numbers: tuple[int, ...]
    description: str = ""

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return len(self.cells)

    def column(self, name: str) -> Column:
        """
        Name, unit and meaning of a column.

        Parameters
        ----------
        name : str
            Of the column.

        Returns
        -------
        column : Column
            Its unit and meaning.

        Raises
        ------
        UnknownRecordError
            If there is no such column.
        """
        return self.columns[self._place(name)]

    def text(self, column: str) -> tuple[str, ...]:
        """
        Cells of a column as printed.

        Parameters
        ----------
        column : str
            Its name.

        Returns
        -------
        cells : tuple of str
            One for each row, empty where nothing is printed.

        Raises
        ------
        UnknownRecordError
            If there is no such column.
        """
        place = self._place(column)
        return tuple(row[place] for row in self.cells)

    def numbers(self, column: str) -> "npt.NDArray[np.float64]":
        """
        Figures of a column, in its unit.

        Parameters
        ----------
        column : str
            Its name.

        Returns
        -------
        numbers : numpy.ndarray
            One for each row, NaN where nothing is printed.

        Raises
        ------
        UnknownRecordError
            If there is no such column.
        DomainError
            If it is a column of text.
        """
        return _floats(self._figures(column))

    def half_widths(self, column: str) -> "npt.NDArray[np.float64]":
        """
        Largest rounding error of each figure of a column: half a step of its digits.

        Parameters
        ----------
        column : str
            Its name.

        Returns
        -------
        half_widths : numpy.ndarray
            In the unit of the column, NaN where nothing is printed. The step
            is one in the last digit of the cell; trailing zeros count as digits.
            Counts are treated alike, although they are exact.

        Raises
        ------
        UnknownRecordError
            If there is no such column.
        DomainError
            If it is a column of text.
        """
        figures = self._figures(column)
        return _floats(None if number is None else half_step(number) for number in figures)

    def where(self, /, **equal: object) -> Self:
        """
        Return the rows whose cells equal the given values.

        Parameters
        ----------
        **equal : str, int, float, decimal.Decimal or None
            Required value of each named column. Numbers compare as numbers: 1 finds
            ``01`` and ``1.0``. Text compares as text, None finds empty cells.

        Returns
        -------
        table : Table
            The same columns and the matching rows in their order, possibly none.

        Raises
        ------
        UnknownRecordError
            If there is no such column.
        """
        tests = [(self._place(name), value) for name, value in equal.items()]
        numbered = [
            (number, row)
            for number, row in zip(self.row_numbers, self.cells, strict=True)
            if all(_equals(row[place], wanted) for place, wanted in tests)
        ]
        numbers, cells = zip(*numbered, strict=True) if numbered else ((), ())
        return replace(self, cells=cells, row_numbers=numbers)

    def rows(self) -> Iterator[dict[str, str]]:
        """
        Cells of one row after the other, by the name of their column.

        Yields
        ------
        row : dict of str to str
            As printed.
        """
        names = [column.name for column in self.columns]
        for row in self.cells:
            yield dict(zip(names, row, strict=True))

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in self.columns)
        return short_repr(self, f"{self.name}: {self.row_count} rows", names)

    def _place(self, name: str) -> int:
        names = [column.name for column in self.columns]
        if name not in names:
            raise unknown_record(f"column of {self.name}", name, names)
        return names.index(name)

    def _figures(self, name: str) -> Iterator[Decimal | None]:
        if self.column(name).unit is None:
            raise DomainError(f"column {name} of {self.name} is text and has no numbers")
        return (_figure(cell) if cell else None for cell in self.text(name))


def read_csv(path: str) -> tuple[tuple[str, ...], list[tuple[int, tuple[str, ...]]]]:
    """
    Column names of a CSV file, and each row with its line number.

    Raises
    ------
    ParseError
        If the file cannot be read, is not CSV, names a column twice or not
        at all, or has rows of another length.
    """
    reader = csv.reader(io.StringIO(read_text(path).removeprefix("\ufeff"), ""), strict=True)
    rows: list[tuple[int, tuple[str, ...]]] = []
    line = 1
    try:
        for row in reader:
            rows.append((line, tuple(row)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise ParseError(path, f"line {line}: not CSV: {error}") from None
    while rows and not rows[-1][1]:
        rows.pop()
    if not rows:
        raise ParseError(path, "is empty: not even a line of column names")
    (_, header), *body = rows
    _require_names(path, header)
    for line, cells in body:
        if len(cells) != len(header):
            problem = f"{len(cells)} cells, where {len(header)} columns are named"
            raise ParseError(path, f"line {line}: {problem if cells else 'is empty'}")
    return header, body


def table_of(
    path: str,
    columns: Sequence[Column],
    rows: Sequence[tuple[int, tuple[str, ...]]],
    description: str = "",
) -> Table:
    """
    Return the table of a file, each cell checked against its column.

    Raises
    ------
    ParseError
        If a cell is not what its column holds; names line and column.
    """
    for line, cells in rows:
        for column, cell in zip(columns, cells, strict=True):
            try:
                _ = cell and column.unit and _figure(cell)
            except UnitError as error:
                raise ParseError(path, f"line {line}, column {column.name}: {error}") from None
    numbers = tuple(range(1, len(rows) + 1))
    return Table(
        Path(path).stem, tuple(columns), tuple(cells for _, cells in rows), numbers, description
    )


def _require_names(path: str, header: Sequence[str]) -> None:
    for place, name in enumerate(header):
        if not name.strip() or name != name.strip() or not name.isprintable():
            problem = f"needs a name without blanks around it; got {quoted(name)}"
        elif name in header[:place]:
            problem = f"{quoted(name)} is also the name of another column"
        else:
            continue
        raise ParseError(path, f"line 1, column {place + 1}: {problem}")


@lru_cache(maxsize=_CACHED_CELLS)
def _figure(cell: str) -> Decimal:
    """
    Return the number in a cell.

    Raises
    ------
    UnitError
        If the cell is not a plain number.
    """
    number, rest = split_quantity(cell)
    if rest or cell != cell.strip():
        raise UnitError(f"{quoted(cell)} is not a plain number; put the unit into the column name")
    return number


def _equals(cell: str, wanted: object) -> bool:
    """Return whether a cell is a text, or the same number; None is an empty cell."""
    text = "" if wanted is None else str(wanted)
    try:
        return _figure(cell) == _figure(text)
    except UnitError:
        return cell == text


def _floats(figures: Iterable[Decimal | None]) -> "npt.NDArray[np.float64]":
    return np.array([np.nan if number is None else float(number) for number in figures], float)
