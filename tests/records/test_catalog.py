"""Lint of all bundled records, never of a chosen few."""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from netmodel.records import Grade, Sourced, data_path, document, document_ids, load_workload

LOADERS: dict[str, Callable[[Path], BaseModel]] = {"workloads": load_workload}
"""What reads the records of each folder of the catalog."""

CATALOG = data_path("catalog")
RECORDS = sorted(CATALOG.rglob("*.toml"))

each_record = pytest.mark.parametrize(
    "path", RECORDS, ids=lambda path: str(path.relative_to(CATALOG))
)


def loaded(path: Path) -> BaseModel:
    return LOADERS[str(path.parent.relative_to(CATALOG))](path)


def sourced_parts(value: object) -> Iterator[Sourced]:
    """Everything in a record that carries a source, however deep."""
    if isinstance(value, Sourced):
        yield value
    if isinstance(value, BaseModel):
        yield from sourced_parts(dict(value))
    elif isinstance(value, dict):
        yield from sourced_parts(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for member in value:
            yield from sourced_parts(member)


def tables(value: Any) -> Iterator[dict[str, Any]]:
    """Tables of a TOML document, however deep."""
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from tables(member)


def test_there_are_records() -> None:
    assert len(RECORDS) >= 8


def test_every_folder_has_its_loader() -> None:
    assert {path.name for path in CATALOG.iterdir()} == set(LOADERS)


def test_every_file_is_a_record() -> None:
    assert [path for path in CATALOG.rglob("*") if path.is_file()] != []
    assert {path.suffix for path in CATALOG.rglob("*") if path.is_file()} == {".toml"}


@each_record
def test_a_record_loads(path: Path) -> None:
    assert dict(loaded(path))["id"] == path.stem


@each_record
def test_what_a_record_cites_is_known(path: Path) -> None:
    parts = list(sourced_parts(loaded(path)))
    assert parts
    assert {part.source for part in parts} <= set(document_ids())


@each_record
def test_what_is_assumed_or_derived_is_explained(path: Path) -> None:
    explained = {Grade.ASSUMED, Grade.DERIVED}
    assert all(part.note for part in sourced_parts(loaded(path)) if part.grade in explained)


@each_record
def test_every_table_with_a_number_carries_a_source(path: Path) -> None:
    document_of_file = tomllib.loads(path.read_text(encoding="utf-8"))
    with_numbers = [
        table
        for table in tables(document_of_file)
        if any(isinstance(member, int | float | list) for member in table.values())
    ]
    assert len(with_numbers) == len(list(sourced_parts(loaded(path))))


@pytest.mark.parametrize("name", document_ids())
def test_every_document_is_named_well(name: str) -> None:
    cited = document(name)
    assert cited.title == cited.title.strip()
    assert str(cited).startswith((*cited.authors, '"'))
