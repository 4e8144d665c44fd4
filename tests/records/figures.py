"""
Figures of the catalog as a second reading of its sources lists them, and what differs from it.

`tests/data/figures/catalog.csv` has the figures of the catalog.
"""

import csv
import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import zvm_rows
from pydantic import BaseModel, ValidationError

from netmodel.records import (
    Adapter,
    Host,
    Link,
    PathRecord,
    Workload,
)
from netmodel.records.lookup import document_ids

LISTINGS = Path(__file__).parents[1] / "data" / "figures"
DATA = Path(__file__).parents[2] / "data"
MODELS: dict[str, type[BaseModel]] = {
    "adapters": Adapter,
    "hosts": Host,
    "links": Link,
    "paths": PathRecord,
    "workloads": Workload,
}

Table = dict[str, Any]

PROSE = frozenset(
    {
        *("note", "title", "description", "unknown", "publisher"),
        *("test_bed", "transcription", "known_faults", "meaning", "document_title"),
    }
)
"""Keys whose digits are in prose, which is held against nothing."""
PROSE_TABLES = frozenset({"reasons", "path_labels", "files", "row_places"})
NO_FIGURES = PROSE | {"source", "grade", "locator"}
"""Parts of a record of the catalog that are no figures, or are held apart."""
NUMERAL = re.compile(r"\d+(?:\.\d+)?")


@cache
def listed_records() -> Mapping[str, Mapping[str, str]]:
    """Figures of each file of the catalog, by the table that holds them."""
    files: dict[str, dict[str, str]] = {}
    for row in _rows("catalog"):
        files.setdefault(row["file"], {})[row["table"]] = f"{row['place']}: {row['figures']}"
    return files


def _rows(name: str) -> list[dict[str, str]]:
    with (LISTINGS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _invalid(model: type[BaseModel], table: Table, defaults: Table) -> Iterator[str]:
    for source in {defaults.get("source"), *_sources(table)} - {None, *document_ids()}:
        yield f"source: {source} is no document"
    try:
        model.model_validate(table, context={"defaults": defaults})
    except ValidationError as error:
        yield str(error.errors()[0]["msg"])


def _sources(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from [value] if key == "source" else _sources(value)
    elif isinstance(node, list):
        for value in node:
            yield from _sources(value)


def record_paths() -> list[Path]:
    """Files of the catalog, the description of the dataset and the list of documents."""
    # the heads of calibrated paths hold no figure that is printed
    heads = {path.name for path in (DATA / "calibrated" / "paths").glob("*.toml")}
    records = sorted(p for p in (DATA / "catalog").glob("*/*.toml") if p.name not in heads)
    return [*records, zvm_rows.FOLDER / "dataset.toml", DATA / "documents.toml"]


def name_of(path: Path) -> str:
    """Directory and name of a file, as `catalog.csv` has them."""
    return f"{path.parent.name}/{path.stem}"


def faults_of_record(path: Path, text: str) -> list[str]:
    """What differs from the second reading in the text of a file of the catalog."""
    tables = tomllib.loads(text, parse_float=Decimal)
    wanted, actual = listed_records().get(name_of(path), {}), figures_of_tables(tables)
    faults = [
        f"{table}: is {actual.get(table)}; the second reading has {wanted.get(table)}"
        for table in sorted(wanted.keys() | actual.keys())
        if actual.get(table) != wanted.get(table)
    ]
    defaults, model = tables.pop("defaults", {}), MODELS.get(path.parent.name)
    if model is None:
        return faults
    return faults + list(_invalid(model, {"id": path.stem, **tables}, defaults))


def figures_of_tables(tables: Table) -> dict[str, str]:
    """Place and figures of each table of a record that has any, by its place in the file."""
    default = tables.get("defaults", {}).get("locator", "")
    return dict(_figures(tables, "", default))


def _figures(table: Table, name: str, place: str) -> Iterator[tuple[str, str]]:
    place = table.get("locator", place)
    leaves = []
    for key, value in table.items():
        inner = value if isinstance(value, list) else [value]
        if isinstance(value, bool) or key in (
            PROSE_TABLES if isinstance(value, dict) else NO_FIGURES
        ):
            continue
        if isinstance(value, dict):
            yield from _figures(value, f"{name}.{key}".lstrip("."), place)
        elif any(isinstance(item, dict) for item in inner):
            for number, item in enumerate(inner):
                inside = item if isinstance(item, dict) else {"": item}
                yield from _figures(inside, f"{name}.{key}.{number}".lstrip("."), place)
        elif NUMERAL.search(text := " ".join(map(str, inner))):
            leaves.append(f"{key}={text}")
    if leaves or NUMERAL.search(table.get("locator", "")):
        yield name, f"{place}: {'; '.join(leaves)}"


@dataclass(frozen=True)
class Digit:
    """A digit of a figure in a file of data."""

    path: Path
    offset: int

    @property
    def printed(self) -> str:
        """The digit as the file has it."""
        return text_of(self.path)[self.offset]

    @property
    def line(self) -> str:
        """Where it is, for a reader."""
        text = text_of(self.path)
        number = text.count("\n", 0, self.offset) + 1
        return f"{self.path.name}:{number}: {text.splitlines()[number - 1]}"

    def faults(self, other: str) -> list[str]:
        """What the checks find with another digit in its place."""
        text = text_of(self.path)
        planted = text[: self.offset] + other + text[self.offset + 1 :]
        try:
            if self.path.suffix == ".csv":
                return zvm_rows.faults_of_rows(self.path.stem, planted)
            return faults_of_record(self.path, planted)
        except tomllib.TOMLDecodeError as error:
            return [str(error)]


@cache
def text_of(path: Path) -> str:
    """Text of a file of data."""
    return path.read_text(encoding="utf-8")


def digits(path: Path) -> list[Digit]:
    """Digits of all figures in a file: those of comments, notes and reasons are left out."""
    figures: list[Digit] = []
    offset, section, key = 0, "", ""
    for line in text_of(path).splitlines(keepends=True):
        assignment = re.match(r"([\w.]+) = ", line)
        if line.startswith("["):
            section = line.strip().strip("[]")
        elif assignment:
            key = assignment[1]
        is_prose = line.startswith(("#", "[")) or key in PROSE or section in PROSE_TABLES
        start = assignment.end() if assignment else 0
        figures += [
            Digit(path, offset + place)
            for place in range(start, len(line.partition(" note = ")[0]))
            if not is_prose and line[place] in string.digits
        ]
        offset += len(line)
    return figures


def all_digits() -> list[Digit]:
    """Digits of all figures of catalog and tables."""
    tables = [zvm_rows.FOLDER / f"{name}.csv" for name in zvm_rows.FILES]
    return [digit for path in record_paths() for digit in digits(path)] + [
        Digit(path, place)
        for path in tables
        for place in range(text_of(path).index("\n"), len(text_of(path)))
        if text_of(path)[place] in string.digits
    ]
