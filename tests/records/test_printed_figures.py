"""
Figures of the data against a second reading of the documents.

``tests/data/figures/catalog.csv`` has those of the catalog, ``zvm_sums.toml`` how many each table
of the z/VM document has and their sum.
"""

import csv
import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from netmodel.records import dataset

LISTING = Path(__file__).parents[1] / "data" / "figures" / "catalog.csv"
DATA = Path(__file__).parents[2] / "data"
SUMS = tomllib.loads(Path(__file__).with_name("zvm_sums.toml").read_text(encoding="utf-8"))
PROSE_TABLES = frozenset({"reasons", "path_labels", "files", "row_places"})
NO_FIGURES = frozenset(
    {
        *("note", "title", "description", "unknown", "publisher", "test_bed", "transcription"),
        *("known_faults", "meaning", "document_title", "source", "grade", "locator"),
    }
)
"""Keys whose digits are in prose, and those that are no figures."""
NUMERAL = re.compile(r"\d+(?:\.\d+)?")
ENVIRONMENT = ("real_cpu_count", "virtual_cpu_count", "lpar_count")


def listed_records() -> dict[str, dict[str, str]]:
    """Figures of each file of the catalog, by the table that holds them."""
    files: dict[str, dict[str, str]] = {}
    with LISTING.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            files.setdefault(row["file"], {})[row["table"]] = f"{row['place']}: {row['figures']}"
    return files


LISTED = listed_records()


def record_paths() -> list[Path]:
    """Files of the catalog, the description of the dataset and the list of documents."""
    # the heads of calibrated paths hold no figure that is printed
    heads = {path.name for path in (DATA / "calibrated" / "paths").glob("*.toml")}
    records = sorted(p for p in (DATA / "catalog").glob("*/*.toml") if p.name not in heads)
    described = DATA / "measurements" / "zvm-layer2-layer3" / "dataset.toml"
    return [*records, described, DATA / "documents.toml"]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def figures(table: dict[str, Any], name: str, place: str) -> Iterator[tuple[str, str]]:
    """Place and figures of each table of a record that has any, by its place in the file."""
    place = table.get("locator", place)
    leaves = []
    for key, value in table.items():
        inner = value if isinstance(value, list) else [value]
        if isinstance(value, bool) or key in (
            PROSE_TABLES if isinstance(value, dict) else NO_FIGURES
        ):
            continue
        if isinstance(value, dict):
            yield from figures(value, f"{name}.{key}".lstrip("."), place)
        elif any(isinstance(item, dict) for item in inner):
            for number, item in enumerate(inner):
                inside = item if isinstance(item, dict) else {"": item}
                yield from figures(inside, f"{name}.{key}.{number}".lstrip("."), place)
        elif NUMERAL.search(text := " ".join(map(str, inner))):
            leaves.append(f"{key}={text}")
    if leaves or NUMERAL.search(table.get("locator", "")):
        yield name, f"{place}: {'; '.join(leaves)}"


@pytest.mark.parametrize("path", record_paths(), ids=name_of)
def test_records_have_the_figures_that_their_source_prints(path: Path) -> None:
    tables = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    found = dict(figures(tables, "", tables.get("defaults", {}).get("locator", "")))
    missing = "not in tests/data/figures/catalog.csv, read from the document once more"
    assert found == LISTED.get(name_of(path), {}), missing


def test_each_listed_record_is_there() -> None:
    assert LISTED.keys() <= {name_of(path) for path in record_paths()}


@pytest.mark.parametrize("number", SUMS)
def test_sums_are_those_of_the_second_transcription(number: str) -> None:
    """Of all cells of a table but its run ids."""
    tables = dataset("zvm-layer2-layer3").tables
    if number == "1":
        cells = [cell for name in ENVIRONMENT for cell in tables["environments"].text(name)]
    else:
        cells = [*tables["differences"].where(table=number).text("difference_percent")]
        for row in tables["measurements"].where(table=number).rows():
            cells += [
                cell
                for name, cell in row.items()
                if cell and name.endswith(("_tps", "_s", "_transaction", "_mb"))
            ]
    assert len(cells) == SUMS[number]["decimals"]
    assert sum(map(Decimal, cells)) == Decimal(SUMS[number]["sum"])
