"""
The figures of the documents as a second reading lists them, and what differs from it in the data.

`tests/data/figures/<document>.csv` has a row for each figure of a document, or for a claim in
words, with its conditions and the ids of the statements that hold it. `numerals.csv` has the
numbers of the wording of statements; `names.csv` the records that a document is about;
`catalog.csv` the figures of the catalog.
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
from tempfile import TemporaryDirectory
from typing import Any

import zvm_rows
from pydantic import BaseModel, ValidationError

from netmodel.errors import ParseError
from netmodel.records import (
    Adapter,
    Host,
    Link,
    PathRecord,
    Statement,
    Workload,
)
from netmodel.records._catalog import document_ids
from netmodel.records._statements import load_statements

LISTINGS = Path(__file__).parents[1] / "data" / "figures"
DATA = Path(__file__).parents[2] / "data"
DOCUMENTS = ("adapter", "kvm", "powervm", "smcr-distance", "zvm")
MODELS: dict[str, type[BaseModel]] = {
    "adapters": Adapter,
    "hosts": Host,
    "links": Link,
    "paths": PathRecord,
    "workloads": Workload,
}

Table = dict[str, Any]

WORDS = {
    "no": "0",
    "half": "0.5",
    "a": "1",
    "one": "1",
    "single": "1",
    "same": "1",
    "line speed": "1",
    "gigabit": "1",
    "two": "2",
    "both": "2",
    "twice": "2",
    "doubled": "2",
    "doubling": "2",
    "three": "3",
    "eight": "8",
}
"""Words that stand for a figure, as the documents print them; line speed is 1 of the line."""
MASKS = {"binary mask": 2, "hex mask": 16}
"""Units of figures that are bit masks, and the base in which they are printed."""
RELATIONS = {
    "": "equal",
    "version": "equal",
    "all but": "equal",
    "words": "sign",
    "about the same": "about",
    "about": "about",
    "around": "about",
    "roughly": "about",
    "almost": "about",
    "in a word": "about",
    "more than": "at_least",
    "over": "at_least",
    "or greater": "at_least",
    "even at": "at_least",
    "less than": "at_most",
    "maximum": "at_most",
    "no more than": "at_most",
    "up to": "up_to",
    "between": "range",
    "line speed": "censored_above",
    "not": "censored_below",
}
"""What the document prints beside a figure, and the relation that a statement has for it."""
RECORD_KEYS = frozenset(
    {"adapter", "sender_adapter", "receiver_adapter", "host", "link", "workload", "workloads"}
)
"""Parts of a configuration that name records of the catalog: held against `names.csv`."""
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
_NUMERALS_AND_WORDS = re.compile(
    rf"{NUMERAL.pattern}|\b(?:{'|'.join(word for word in WORDS if len(word) > 2)})\b"
)
"""The short ones, a and no, are too common for words of number."""


@dataclass(frozen=True)
class Listed:
    """A figure of a document, as the second reading has it."""

    place: str
    figure: str
    unit: str
    relation: str
    connections: str
    mtu: str
    conditions: str
    what: str
    printed: str
    used_by: tuple[str, ...]
    unused_because: str

    @property
    def numbers(self) -> list[Decimal]:
        """The figure as one number, or both ends of a range in order; none for words."""
        if self.unit in MASKS:
            return [Decimal(int(self.figure, MASKS[self.unit]))]
        if not self.figure or self.relation == "version":
            return []
        word = WORDS.get(self.figure.lower())
        if word is not None:
            return [Decimal(word)]
        # the dash of 5-20% is no sign
        text = re.sub(r"(\d%?)-(?=\d)", r"\1 ", self.figure).removeprefix("SMT-")
        return sorted(Decimal(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text))

    @property
    def parts(self) -> dict[str, str]:
        """Conditions by name, connections and MTU among them."""
        pairs = [part.strip().partition("=") for part in self.conditions.split(";") if part]
        given = {name: value for name, _, value in pairs}
        own = {"connection_counts": self.connections, "subject.mtu_bytes": self.mtu}
        return given | {name: value for name, value in own.items() if value}


@cache
def listed(document: str) -> tuple[Listed, ...]:
    """The second reading of a document."""
    return tuple(
        Listed(**row | {"used_by": tuple(row["used_by"].split())}) for row in _rows(document)
    )


@cache
def listed_by_statement(document: str) -> Mapping[str, Listed]:
    """The row of each statement; a statement has one."""
    pairs = [(name, row) for row in listed(document) for name in row.used_by]
    by_statement = dict(pairs)
    assert len(by_statement) == len(pairs), "a statement is in two rows"
    return by_statement


@cache
def listed_numerals() -> Mapping[str, str]:
    """Numerals of the wording of each statement that has some."""
    return {row["statement"]: row["wording"] for row in _rows("numerals")}


@cache
def listed_names() -> Mapping[str, frozenset[str]]:
    """Records of the catalog that each document is about."""
    return {row["document"]: frozenset(row["records"].split()) for row in _rows("names")}


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


def statement_path(document: str) -> Path:
    """File of the statements of a document."""
    return DATA / "statements" / f"{document}.toml"


def faults_of_statements(document: str, text: str) -> list[str]:
    """What differs from the second reading in the text of a file of statements."""
    tables = tomllib.loads(text, parse_float=Decimal)
    entries = tables["statements"]
    faults = [
        f"{entry['id']}: {fault}"
        for entry in entries
        for fault in _faults_of_statement(document, entry, tables["defaults"])
    ]
    faults += _faults_of_head(document, text)
    missing = listed_by_statement(document).keys() - {entry["id"] for entry in entries}
    return faults + [f"{name}: is listed, and is no statement" for name in sorted(missing)]


def faults_of_statement(document: str, entry: Table) -> list[str]:
    """What differs from the second reading in one statement."""
    return list(_faults_of_statement(document, entry, _defaults(statement_path(document))))


def _faults_of_statement(document: str, entry: Table, defaults: Table) -> Iterator[str]:
    row = listed_by_statement(document).get(entry["id"])
    if row is None:
        yield f"is in no row of {document}.csv"
        return
    yield from _invalid(Statement, entry, defaults)
    relation = "range" if len(row.numbers) > 1 else RELATIONS[row.relation]
    expected = {
        "locator": row.place,
        "relation": relation,
        "figure": row.numbers,
        "unit": _unit(row),
        "conditions": row.parts,
        "numerals": listed_numerals().get(entry["id"], ""),
    }
    actual = {
        "locator": entry["locator"],
        "relation": entry.get("relation", "equal"),
        "figure": [Decimal(entry[key]) for key in ("value", "low", "high") if key in entry],
        "unit": entry.get("unit", ""),
        "conditions": dict(_conditions(entry)),
        "numerals": " ".join(NUMERAL.findall(entry["wording"])),
    }
    for name, wanted in expected.items():
        # as text in a list, numbers keep their digits: 9.90 is not 9.900
        same = actual[name] == wanted and (name != "figure" or str(actual[name]) == str(wanted))
        if not same:
            listing = "numerals" if name == "numerals" else document
            yield f"{name}: is {actual[name]}; {listing}.csv has {wanted}"
    yield from _faults_of_printed(entry, row)
    unknown = set(_records(entry)) - listed_names()[document]
    if unknown:
        yield f"names {', '.join(sorted(unknown))}, which {document} is not about"


def _unit(row: Listed) -> str:
    if not row.numbers:
        return ""
    return "1" if row.unit in {"", *MASKS} else row.unit


def _conditions(entry: Table) -> Iterator[tuple[str, str]]:
    """Numbers, and words with digits, of the subject, the baseline and what is given."""
    for part in ("subject", "baseline", "given"):
        for name, value in entry.get(part, {}).items():
            text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
            in_words = isinstance(value, str) and not NUMERAL.search(value)
            if isinstance(value, bool) or in_words or name in RECORD_KEYS:
                continue
            prefix = {"baseline": "baseline.", "given": ""}.get(part, "")
            if (part, name) == ("subject", "mtu_bytes"):
                prefix = "subject."
            yield prefix + name, text
    if "resolution" in entry:
        yield "resolution", str(entry["resolution"])


def _faults_of_printed(entry: Table, row: Listed) -> Iterator[str]:
    printed = entry.get("printed")
    wanted = row.printed or row.figure
    if printed is not None and row.unit in MASKS:
        if not row.printed and row.figure.lower() != printed.lower().removeprefix("all "):
            yield f"printed: is {printed}; the second reading has {row.figure}"
        if row.printed and row.printed != printed:
            yield f"printed: is {printed}; the second reading has {row.printed}"
    elif printed is not None and _counted(printed) != _counted(wanted):
        yield f"printed: is {printed}; the second reading has {wanted}"
    known = {*NUMERAL.findall(" ".join(map(str, vars(row).values()))), *row.parts.values()}
    known |= {numeral for name in _records(entry) for numeral in NUMERAL.findall(name)}
    for numeral in NUMERAL.findall(entry["wording"]):
        if numeral not in known:
            yield f"wording: {numeral} is in no part of the second reading"


def _counted(text: str) -> list[str]:
    """Numerals and words of number in a printed text."""
    return _NUMERALS_AND_WORDS.findall(text.lower())


def _records(entry: Table) -> Iterator[str]:
    for part in ("subject", "baseline"):
        for key in RECORD_KEYS & entry.get(part, {}).keys():
            value = entry[part][key]
            yield from value if isinstance(value, list) else [value]


def _invalid(model: type[BaseModel], table: Table, defaults: Table) -> Iterator[str]:
    for source in {defaults.get("source"), *_sources(table)} - {None, *document_ids()}:
        yield f"source: {source} is no document"
    try:
        model.model_validate(table, context=defaults)
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
    records = sorted((DATA / "catalog").glob("*/*.toml"))
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


def observations(path: Path) -> Iterator[tuple[str, Decimal, str, str]]:
    """Slide, figure, MTU and connections of each observation of an adapter on slides."""
    for seen in tomllib.loads(text_of(path), parse_float=Decimal).get("observations", ()):
        place = seen["locator"].partition(",")[0]
        if place.startswith("slide "):
            connections = " ".join(map(str, seen.get("connection_counts", ())))
            yield place, Decimal(seen["value"]), str(seen["mtu_bytes"]), connections


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
            if self.path.parent.name != "statements":
                return faults_of_record(self.path, planted)
            start = planted.rfind(_STATEMENT, 0, self.offset + 1)
            if start < 0:
                return _faults_of_head(self.path.stem, planted)
            end = planted.find(_STATEMENT, self.offset)
            block = planted[start : end if end > 0 else None]
            (entry,) = tomllib.loads(block, parse_float=Decimal)["statements"]
            return faults_of_statement(self.path.stem, entry)
        except tomllib.TOMLDecodeError as error:
            return [str(error)]


def planted_words(document: str) -> Iterator[tuple[str, Table]]:
    """Statements whose printed text has a word of number, with another one in its place."""
    tables = tomllib.loads(text_of(statement_path(document)), parse_float=Decimal)
    for entry in tables["statements"]:
        printed = entry.get("printed", "")
        for word in _NUMERALS_AND_WORDS.findall(printed.lower()):
            if word in WORDS:
                other = "eight" if word != "eight" else "three"
                planted = re.sub(word, other, printed, flags=re.IGNORECASE)
                yield entry["id"], entry | {"printed": planted}


_STATEMENT = "[[statements]]"


@cache
def text_of(path: Path) -> str:
    """Text of a file of data."""
    return path.read_text(encoding="utf-8")


@cache
def _defaults(path: Path) -> Table:
    defaults: Table = tomllib.loads(text_of(path))["defaults"]
    return defaults


def _faults_of_head(document: str, text: str) -> list[str]:
    faults = []
    with TemporaryDirectory() as folder:
        path = Path(folder, "statements.toml")
        path.write_text(text, encoding="utf-8")
        try:
            load_statements(path)
        except ParseError as error:
            faults.append(str(error))
    return faults


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
            for place in range(start, len(line))
            if not is_prose and line[place] in string.digits
        ]
        offset += len(line)
    return figures


def all_digits() -> list[Digit]:
    """Digits of all figures of statements, catalog and tables."""
    paths = [*map(statement_path, DOCUMENTS), *record_paths()]
    tables = [zvm_rows.FOLDER / f"{name}.csv" for name in zvm_rows.FILES]
    return [digit for path in paths for digit in digits(path)] + [
        Digit(path, place)
        for path in tables
        for place in range(text_of(path).index("\n"), len(text_of(path)))
        if text_of(path)[place] in string.digits
    ]
