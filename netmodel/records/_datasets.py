"""Datasets: folders of measured tables, with a file that says what they are."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainSerializer,
    model_validator,
)

from netmodel._html import definition_table
from netmodel.consumption import Side
from netmodel.errors import DomainError, ParseError, UnknownRecordError
from netmodel.records._checks import Check
from netmodel.records._files import dataset_files
from netmodel.records._load import read_toml, unknown_record, validated
from netmodel.records._mapping import FrozenMapping
from netmodel.records._measured_paths import MeasuredRows
from netmodel.records._tables import Column, Table, read_csv, table_of
from netmodel.records._values import FROZEN, Sourced, Text

__all__ = ["Dataset", "Flag", "dataset", "dataset_ids", "load_dataset"]

_HEADER = "dataset.toml"
_FLAGS = "flags.csv"
_FLAG_COLUMNS = ("file", "row", "column", "kind", "severity", "message")


def _named(columns: object) -> object:
    """Each table of a column with its key as its name."""
    if not isinstance(columns, Mapping):
        return columns
    for name, column in columns.items():
        if isinstance(column, Mapping) and "name" in column:
            raise ValueError(f"{name}.name: is the key of the table, and not told again in it")
    return {
        name: {"name": name, **column} if isinstance(column, Mapping) else column
        for name, column in columns.items()
    }


class _Described(BaseModel):
    """What ``dataset.toml`` says about the CSV files beside it."""

    model_config = FROZEN

    files: dict[str, Text]
    columns: Annotated[dict[str, Column], BeforeValidator(_named)]


class Flag(BaseModel):
    """
    A fault that was found in a dataset.

    Parameters
    ----------
    file : str
        Name of the CSV file.
    row : int, optional
        Number of the row, the first below the header is 1; absent where the
        whole file or column is meant.
    column : str, optional
        Name of the column; absent where the whole row or file is meant.
    kind : str
        What sort of fault it is.
    severity : str
        How grave it is.
    message : str
        What was found.
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


def _told(tables: Mapping[str, Table]) -> dict[str, Any]:
    return {name: table.to_dict() for name, table in tables.items()}


class Dataset(Sourced):
    """
    Measured tables with their test bed and their source.

    Parameters
    ----------
    id : str
        Name of its folder.
    title : str
        A line that says what was measured.
    document_title : str, optional
        Title of the source.
    description : str, optional
        More about it.
    test_bed : str, optional
        Machines, adapters and software that were measured.
    tool, tool_version : str, optional
        What measured.
    side : Side, optional
        Whose figures they are, where all are of one side.
    workloads : tuple of str
        Ids of what was run.
    transcription : str, optional
        How the figures came into the files.
    known_faults : tuple of str
        What is wrong or open in the source.
    source, locator, grade, note
        See `Sourced`.
    tables : mapping of str to Table
        One for each CSV file, by its name without the ending.
    flags : tuple of Flag
        Faults that an audit found, from ``flags.csv``.
    checks : tuple of Check
        Which columns have to agree with each other.
    paths : tuple of MeasuredRows
        Which rows were measured over which path of the catalog.
    places : tuple of str
        Columns that say where in the source a row stands, such as the number
        of a printed table.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. `load_dataset` raises
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
        Mapping[str, Table], AfterValidator(FrozenMapping), PlainSerializer(_told)
    ] = Field(repr=False)
    flags: tuple[Flag, ...] = ()
    checks: tuple[Check, ...] = ()
    paths: tuple[MeasuredRows, ...] = ()
    places: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _links_find_rows(self) -> Self:
        columns = {one.name for table in self.tables.values() for one in table.columns}
        for number, name in enumerate(self.places):
            if name not in columns:
                raise ValueError(f"places.{number}: {unknown_record('column', name, columns)}")
        for number, link in enumerate(self.paths):
            place = f"paths.{number}"
            if link.file not in self.tables:
                raise ValueError(f"{place}.file: {unknown_record('table', link.file, self.tables)}")
            try:
                rows = self.tables[link.file].where(**link.where)
            except (UnknownRecordError, DomainError) as error:
                raise ValueError(f"{place}.where: {error}") from error
            if not rows.row_count:
                raise ValueError(f"{place}.where: finds no row of {link.file}.csv")
        return self

    def to_dict(self) -> dict[str, Any]:
        """The dataset as JSON has it: cells of tables as text."""
        return self.model_dump(mode="json")

    def __str__(self) -> str:
        return "\n".join([self._caption(), *(f"  {name}: {text}" for name, text in self._rows())])

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


def dataset(name: str) -> Dataset:
    """
    A dataset that comes with netmodel, or lies in a folder that was registered.

    Parameters
    ----------
    name : str
        Its id, one of `dataset_ids`.

    Returns
    -------
    dataset : Dataset
        Its tables, with what each column means.

    Raises
    ------
    UnknownRecordError
        If there is no such dataset; tells the ids that are near.

    Examples
    --------
    >>> dataset("zvm-layer2-layer3").tables["measurements"].row_count
    60
    """
    files = dataset_files()
    if name not in files:
        raise unknown_record("dataset", name, files)
    return load_dataset(files[name].parent)


def dataset_ids() -> tuple[str, ...]:
    """
    Ids of the datasets that come with netmodel or lie in folders that were registered.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.
    ContradictionError
        If two folders have a dataset of the same id.

    Examples
    --------
    >>> "zvm-layer2-layer3" in dataset_ids()
    True
    """
    return tuple(dataset_files())


def load_dataset(folder: str | os.PathLike[str]) -> Dataset:
    """
    A dataset from a folder of one's own.

    Parameters
    ----------
    folder : str or path-like
        Holds ``dataset.toml`` and CSV files. The TOML file has ``title``,
        ``source``, ``locator`` and ``grade``, a table ``[files]`` that
        describes each CSV file, and for each column a table
        ``[columns.<name>]`` with ``meaning`` and ``unit``, which is
        ``"none"`` for text; the same name means the same in all files.
        A table ``[[paths]]`` says which rows were measured over which
        path of the catalog: ``path``, ``file`` and ``where``.
        ``flags.csv``, where there is one, tells faults. The name of the
        folder becomes the id.

    Returns
    -------
    dataset : Dataset
        Its tables, cells as they are written.

    Raises
    ------
    ParseError
        If a file cannot be read, or does not fit; names the file, and the key
        or line and column.
    """
    root = Path(folder)
    header = str(root / _HEADER)
    document = read_toml(header)
    known = set(Dataset.model_fields) - {"id", "tables", "flags"} | set(_Described.model_fields)
    for name in document:
        if name not in known:
            raise ParseError(header, f"{name}: is not a known key")
    described = validated(
        header, _Described, {name: document.pop(name, {}) for name in ("files", "columns")}
    )
    _require_files(root, header, described.files)
    tables = {Path(file).stem: _table(root, file, described) for file in described.files}
    unused = set(described.columns) - {c.name for table in tables.values() for c in table.columns}
    for name in sorted(unused):
        raise ParseError(header, f"columns.{name}: is described, and no file has it")
    parts = {"id": root.resolve().name, "tables": tables, "flags": _flags(root, tables)}
    return validated(header, Dataset, document | parts)


def _require_files(root: Path, header: str, described: Mapping[str, str]) -> None:
    present = {path.name for path in root.glob("*.csv")} - {_FLAGS}
    for name in sorted(set(described) - present):
        raise ParseError(header, f"files.{name}: is described, and no CSV file beside it")
    for name in sorted(present - set(described)):
        raise ParseError(str(root / name), f"{_HEADER} does not describe it under files")
    if not described:
        raise ParseError(header, "files: describes no table")


def _table(root: Path, file: str, described: _Described) -> Table:
    path = str(root / file)
    header, rows = read_csv(path)
    for number, name in enumerate(header, start=1):
        if name not in described.columns:
            problem = f"{_HEADER} does not describe {name!r} under columns"
            raise ParseError(path, f"line 1, column {number}: {problem}")
    columns = [described.columns[name] for name in header]
    return table_of(path, columns, rows, described.files[file])


def _flags(root: Path, tables: Mapping[str, Table]) -> tuple[Flag, ...]:
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
