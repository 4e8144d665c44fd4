"""Datasets: directories of measured tables, and their description."""

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.printable import quoted
from netmodel.records.equipment import Record
from netmodel.records.files import data_path, dataset_ids, read_toml, unknown_record, validated
from netmodel.records.tables import Column, Table, read_csv, table_of
from netmodel.records.values import Sourced, Text
from netmodel.terminal import fitted
from netmodel.text import text_table

_HEADER = "dataset.toml"
_FLAGS = "flags.csv"
_FLAG_KEYS = ("row", "column", "file", "kind", "severity", "message")
"""Columns of that file; the first two may be empty."""


class Dataset(Record, Sourced):
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
    flags : tuple of dict
        Figures that cannot be right, from ``flags.csv``: ``file``; ``row``, 1 for the first
        below the header, and ``column``, empty where all are at fault; ``kind``,
        ``severity`` and ``message``.
    identifiers : tuple of str
        Columns with a name of each row, which are no conditions.

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

    document_title: Text | None = None
    test_bed: Text | None = None
    tool: Text | None = None
    tool_version: Text | None = None
    side: Side | None = None
    workloads: tuple[Text, ...] = ()
    transcription: Text | None = None
    known_faults: tuple[Text, ...] = ()
    files: Annotated[dict[str, Text], Field(min_length=1)]
    columns: dict[str, Column]
    tables: dict[str, Table] = Field(default_factory=dict)
    flags: tuple[dict[str, str], ...] = ()
    identifiers: tuple[Text, ...] = ()

    def __str__(self) -> str:
        tables = (
            f"{name}: {each.description}\n"
            + text_table([[column.name for column in each.columns], *each.cells])
            for name, each in self.tables.items()
        )
        return fitted("\n\n".join([super().__str__(), *tables]))

    def _rows(self) -> Iterator[tuple[str, str]]:
        known = ("description", self.description), ("test bed", self.test_bed)
        yield from ((name, text) for name, text in known if text)
        yield "source", self.provenance
        yield from (("known fault", each) for each in self.known_faults)
        for column in self.columns.values():
            yield column.name, f"{column.meaning} ({column.unit or 'text'})"


def dataset(name: str | os.PathLike[str]) -> Dataset:
    """
    Return a dataset of the bundled data, or of your own.

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
    if name not in (ids := dataset_ids()):
        raise unknown_record("dataset", name, ids)
    return _bundled(data_path("measurements", name))


def _load(root: Path) -> Dataset:
    header = str(root / _HEADER)
    document = read_toml(header)
    if isinstance(columns := document.get("columns"), dict):
        for name, column in columns.items():
            if isinstance(column, dict):
                column.setdefault("name", name)
    described = validated(header, Dataset, {**document, "id": root.resolve().name})
    present = {path.name for path in root.glob("*.csv")} - {_FLAGS}
    for name in sorted(present - described.files.keys()):
        raise ParseError(str(root / name), f"{_HEADER} does not describe it under files")
    tables = {Path(file).stem: _table(root, file, described) for file in described.files}
    return described.model_copy(update={"tables": tables, "flags": _flags(root)})


def _table(root: Path, file: str, described: Dataset) -> Table:
    path = str(root / file)
    header, rows = read_csv(path)
    for number, name in enumerate(header, start=1):
        if name not in described.columns:
            problem = f"{_HEADER} does not describe {quoted(name)} under columns"
            raise ParseError(path, f"line 1, column {number}: {problem}")
    return table_of(path, [described.columns[x] for x in header], rows, described.files[file])


def _flags(root: Path) -> tuple[dict[str, str], ...]:
    """Return the figures that cannot be right, from their file."""
    path = str(root / _FLAGS)
    if not (root / _FLAGS).exists():
        return ()
    header, rows = read_csv(path)
    if {*header} != {*_FLAG_KEYS}:
        raise ParseError(path, f"needs the columns {', '.join(_FLAG_KEYS)}")
    flags = tuple(dict(zip(header, cells, strict=True)) for _, cells in rows)
    for (line, _), flag in zip(rows, flags, strict=True):
        if missing := [name for name in _FLAG_KEYS[2:] if not flag[name]]:
            raise ParseError(path, f"line {line}.{missing[0]}: is missing")
        if flag["row"] and not re.fullmatch("[1-9][0-9]*", flag["row"]):
            raise ParseError(path, f"line {line}.row: must be a number from 1 on")
    return flags


_bundled = cache(_load)
