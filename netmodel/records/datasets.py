"""Datasets: directories of measured tables, and their description."""

import os
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainSerializer,
    model_validator,
)

from netmodel._display import short_repr
from netmodel._html import definition_table
from netmodel._printable import quoted
from netmodel._terminal import fitted
from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.records.files import (
    dataset_files,
    kept,
    read_toml,
    unknown_record,
    validated,
)
from netmodel.records.tables import Column, Table, read_csv, table_of
from netmodel.records.values import FROZEN, FrozenMapping, Sourced, Text

_HEADER = "dataset.toml"
_FLAGS = "flags.csv"
_FLAG_COLUMNS = ("file", "row", "column", "kind", "severity", "message")
_FORMATTER = Formatter()
_COLUMN = "column"
"""Name that stands for the heading of a figure's column in `Dataset.row_places`."""


def _named(columns: object) -> object:
    """Tables of columns, each with its key as its name."""
    if not isinstance(columns, Mapping):
        return columns
    for name, column in columns.items():
        if isinstance(column, Mapping) and "name" in column:
            raise ValueError(f"{name}.name: is the key of the table; leave it out")
    return {
        name: {"name": name, **column} if isinstance(column, Mapping) else column
        for name, column in columns.items()
    }


class Parts(BaseModel):
    """
    Columns of costs that add up to a column of total costs.

    Parameters
    ----------
    total : str
        Column of the total.
    of : tuple of str
        Columns of the parts.
    """

    model_config = FROZEN

    total: Text
    of: Annotated[tuple[Text, ...], Field(min_length=1)]


class _Described(BaseModel):
    """Description of the CSV files in ``dataset.toml``."""

    model_config = FROZEN

    files: dict[str, Text]
    columns: Annotated[dict[str, Column], BeforeValidator(_named)]


class Flag(BaseModel):
    """
    A figure of a dataset that cannot be right as printed.

    Parameters
    ----------
    file : str
        Name of the CSV file.
    row : int, optional
        Number of the row, 1 for the first below the header; absent if the
        whole file or column is at fault.
    column : str, optional
        Name of the column; absent if the whole row or file is at fault.
    kind : str
        Kind of fault.
    severity : str
        Its severity.
    message : str
        Description of the fault.
    """

    model_config = FROZEN

    file: Text
    row: Annotated[int, Field(ge=1)] | None = None
    column: Text | None = None
    kind: Text
    severity: Text
    message: Text

    def __str__(self) -> str:
        row = f", row {self.row}" if self.row else ""
        column = f", {self.column}" if self.column else ""
        return f"{self.file}{row}{column}: {self.message} ({self.kind}, {self.severity})"


def _tables_to_dict(tables: Mapping[str, Table]) -> dict[str, Any]:
    return {name: table.to_dict() for name, table in tables.items()}


class Dataset(Sourced):
    """
    Measured tables with their test bed and their source.

    Parameters
    ----------
    id : str
        Name of its directory.
    title : str
        One-line description of the measurement.
    document_title : str, optional
        Title of the source.
    description : str, optional
        Further description.
    test_bed : str, optional
        Machines, adapters and software that were measured.
    tool, tool_version : str, optional
        The tool that measured.
    side : Side, optional
        The side of the figures, where all are of one side.
    workloads : tuple of str
        Ids of the workloads.
    transcription : str, optional
        How the figures were transferred to the files.
    known_faults : tuple of str
        Errors and open questions in the source.
    source, locator, grade, note
        See `Sourced`.
    tables : mapping of str to Table
        One for each CSV file, by its name without the ending.
    flags : tuple of Flag
        Figures that cannot be right, from ``flags.csv``.
    parts : tuple of Parts
        Which columns of costs add up to which.
    identifiers : tuple of str
        Columns with a name of each row, which are no conditions.
    places : tuple of str
        Columns with the place of a row in the source, such as the number of a
        printed table.
    row_places : mapping of str to tuple of str
        By table, where its rows are in the source: parts such as ``"table {table}"``, in which
        names of columns stand for cells, and ``{column}`` for the heading of the column. A part
        with an empty cell is left out.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. `dataset` raises
        `ParseError` instead.

    Examples
    --------
    >>> comparison = dataset("zvm-layer2-layer3")
    >>> comparison.source, comparison.side.value
    ('zvm', 'client')
    >>> runs = comparison.tables["measurements"].where(table=5, layer=3)
    >>> runs.text("total_cpu_ms_per_transaction")
    ('0.065', '0.043', '0.034')
    >>> runs.half_widths("total_cpu_ms_per_transaction")
    array([0.0005, 0.0005, 0.0005])
    """

    id: Text
    title: Text
    document_title: Text | None = None
    description: Text | None = None
    test_bed: Text | None = None
    tool: Text | None = None
    tool_version: Text | None = None
    side: Side | None = None
    workloads: tuple[Text, ...] = ()
    transcription: Text | None = None
    known_faults: tuple[Text, ...] = ()
    tables: Annotated[
        Mapping[str, Table],
        AfterValidator(FrozenMapping),
        PlainSerializer(_tables_to_dict),
    ] = Field(repr=False)
    flags: tuple[Flag, ...] = ()
    parts: tuple[Parts, ...] = ()
    identifiers: tuple[Text, ...] = ()
    places: tuple[Text, ...] = ()
    row_places: Annotated[
        Mapping[str, tuple[Text, ...]],
        AfterValidator(FrozenMapping),
        PlainSerializer(dict),
    ] = Field(default_factory=dict, validate_default=True)

    @model_validator(mode="after")
    def _row_places_name_columns(self) -> Self:
        for name, parts in self.row_places.items():
            place = f"row_places.{name}"
            if name not in self.tables:
                raise ValueError(f"{place}: {unknown_record('table', name, self.tables)}")
            columns = {column.name: column for column in self.tables[name].columns}
            samples = {
                key: "" if column.unit is None else Decimal(1) for key, column in columns.items()
            }
            for part in parts:
                try:
                    fields = [field for _, field, *_ in _FORMATTER.parse(part) if field is not None]
                    for field in fields:
                        if field not in {_COLUMN, *columns}:
                            raise ValueError(unknown_record("column", field, columns))
                    _FORMATTER.vformat(part, (), {_COLUMN: "", **samples})
                except ValueError as error:
                    raise ValueError(f"{place}: {quoted(part)}: {error}") from None
        return self

    @model_validator(mode="after")
    def _names_are_columns(self) -> Self:
        columns = {column.name for table in self.tables.values() for column in table.columns}
        named = {
            "places": self.places,
            "identifiers": self.identifiers,
            "parts": [name for each in self.parts for name in (each.total, *each.of)],
        }
        for key, names in named.items():
            for number, name in enumerate(names):
                if name not in columns:
                    raise ValueError(f"{key}.{number}: {unknown_record('column', name, columns)}")
        return self

    def place(self, table: Table, row: int, column: str | None = None) -> str:
        """
        Where a figure is in the source, in the words of the source.

        Parameters
        ----------
        table : Table
            One of its tables, or rows of one.
        row : int
            Position among the rows of `table`, from 0.
        column : str, optional
            Column of the figure; None for the whole row.

        Returns
        -------
        place : str
            What `row_places` declares; without, the columns `places`, file and line.

        Examples
        --------
        >>> comparison = dataset("zvm-layer2-layer3")
        >>> runs = comparison.tables["measurements"].where(table=7, connection_count=50)
        >>> comparison.place(runs, 1, "total_cpu_ms_per_mb")
        'table 7, layer 2, Total CPU msec/MB, 50 clients'
        """
        cells = {
            each.name: text for each, text in zip(table.columns, table.cells[row], strict=True)
        }
        heading = "" if column is None else self.heading(column)
        if table.name not in self.row_places:
            parts = [f"{name} {cells[name]}" for name in self.places if cells.get(name)]
            return ", ".join([*parts, f"{table.name}.csv line {table.line(row)}", heading]).rstrip(
                ", "
            )
        values: dict[str, object] = {_COLUMN: heading}
        for each in table.columns:
            cell = cells[each.name]
            # a cell may name a quantity by its column
            values[each.name] = Decimal(cell) if each.unit and cell else self.heading(cell)
        shown = (
            _FORMATTER.vformat(part, (), values)
            for part in self.row_places[table.name]
            if all(values[field] != "" for _, field, *_ in _FORMATTER.parse(part) if field)
        )
        return ", ".join(shown)

    def heading(self, column: str) -> str:
        """Heading of a column in the source; its name where none is given."""
        return self._headings.get(column, column)

    @cached_property
    def _headings(self) -> Mapping[str, str]:
        columns = (column for table in self.tables.values() for column in table.columns)
        return {column.name: column.printed_as or column.name for column in columns}

    def to_dict(self) -> dict[str, Any]:
        """The dataset as in JSON: cells of tables as text."""
        return self.model_dump(mode="json")

    def __str__(self) -> str:
        return fitted(
            "\n".join([self._caption(), *(f"  {name}: {text}" for name, text in self._rows())])
        )

    def __repr__(self) -> str:
        rows = sum(table.row_count for table in self.tables.values())
        return short_repr(self, f"{self.id}: {len(self.tables)} tables, {rows:,} rows", self.title)

    def _repr_html_(self) -> str:
        return definition_table(self._caption(), self._rows())

    def _caption(self) -> str:
        return f"{self.id}: {self.title} ({self.provenance})"

    def _rows(self) -> Iterator[tuple[str, str]]:
        for name in ("document_title", "description", "test_bed", "tool", "tool_version"):
            if text := getattr(self, name):
                yield name.replace("_", " "), " ".join(text.split())
        if self.side:
            yield "side", self.side.value
        if self.workloads:
            yield "workloads", ", ".join(self.workloads)
        for name, table in self.tables.items():
            described = f"; {table.description}" if table.description else ""
            yield f"table {name}", f"{table.row_count} rows{described}"
        if self.transcription:
            yield "transcription", " ".join(self.transcription.split())
        for fault in self.known_faults:
            yield "known fault", fault
        if self.flags:
            yield "flags", str(len(self.flags))


def dataset(name: str | os.PathLike[str]) -> Dataset:
    """
    A dataset of the bundled data or a registered directory, or of your own directory.

    Parameters
    ----------
    name : str or path-like
        Its id, one of `dataset_ids`; or a directory with ``dataset.toml`` and CSV files: a
        path, or text such as ``"./mine"``. The name of the directory is then the id.

    Returns
    -------
    dataset : Dataset
        Its tables, with the meaning of each column.

    Raises
    ------
    UnknownRecordError
        If no dataset has this id; names similar ids.
    ParseError
        If a file cannot be read or is not valid; names the file, and the key or
        line and column.

    Notes
    -----
    ``dataset.toml`` has ``title``, ``source``, ``locator`` and ``grade``, a table
    ``[files]`` that describes each CSV file, and for each column a table
    ``[columns.<name>]`` with ``meaning`` and ``unit``, which is ``"none"`` for text. A
    column name means the same in all files. Figures that cannot be right may be named
    in ``flags.csv``.

    Examples
    --------
    >>> dataset("zvm-layer2-layer3").tables["measurements"].row_count
    60
    """
    if not isinstance(name, str) or Path(name).name != name:
        return _load(Path(name))
    files = dataset_files()
    if name not in files:
        raise unknown_record("dataset", name, files)
    return kept(("datasets", name), lambda: _load(files[name].parent))


def _load(root: Path) -> Dataset:
    header = str(root / _HEADER)
    document = read_toml(header)
    known = set(Dataset.model_fields) - {"id", "tables", "flags"} | set(_Described.model_fields)
    for name in document:
        if name not in known:
            raise ParseError(header, f"{name}: is not a known key")
    described = validated(
        header, _Described, {name: document.pop(name, {}) for name in ("files", "columns")}
    )
    present = {path.name for path in root.glob("*.csv")} - {_FLAGS}
    for name in sorted(set(described.files) - present):
        raise ParseError(header, f"files.{name}: is described, but there is no such CSV file")
    for name in sorted(present - set(described.files)):
        raise ParseError(str(root / name), f"{_HEADER} does not describe it under files")
    if not described.files:
        raise ParseError(header, "files: describes no table")
    tables = {Path(file).stem: _table(root, file, described) for file in described.files}
    unused = set(described.columns) - {c.name for table in tables.values() for c in table.columns}
    for name in sorted(unused):
        raise ParseError(header, f"columns.{name}: is described, but no file has this column")
    parts = {"id": root.resolve().name, "tables": tables, "flags": _flags(root, tables)}
    return validated(header, Dataset, document | parts)


def _table(root: Path, file: str, described: _Described) -> Table:
    path = str(root / file)
    header, rows = read_csv(path)
    for number, name in enumerate(header, start=1):
        if name not in described.columns:
            problem = f"{_HEADER} does not describe {quoted(name)} under columns"
            raise ParseError(path, f"line 1, column {number}: {problem}")
    columns = [described.columns[name] for name in header]
    return table_of(path, columns, rows, described.files[file])


def _flags(root: Path, tables: Mapping[str, Table]) -> tuple[Flag, ...]:
    """Faults of a dataset from its file, each of a place that exists."""
    path = str(root / _FLAGS)
    if not (root / _FLAGS).exists():
        return ()
    header, rows = read_csv(path)
    if header != _FLAG_COLUMNS:
        raise ParseError(path, f"line 1: columns must be {','.join(_FLAG_COLUMNS)}")
    flags = []
    for line, cells in rows:
        present = {name: cell for name, cell in zip(header, cells, strict=True) if cell}
        flag = validated(path, Flag, present, (f"line {line}",))
        table = tables.get(flag.file.removesuffix(".csv"))
        if table is None or f"{table.name}.csv" != flag.file:
            raise ParseError(path, f"line {line}, column file: no file {flag.file!r} here")
        if flag.row is not None and flag.row > table.row_count:
            problem = f"{flag.file} has {table.row_count} rows; got {flag.row}"
            raise ParseError(path, f"line {line}, column row: {problem}")
        if flag.column is not None and flag.column not in {c.name for c in table.columns}:
            problem = f"{flag.file} has no column {flag.column!r}"
            raise ParseError(path, f"line {line}, column column: {problem}")
        flags.append(flag)
    return tuple(flags)
