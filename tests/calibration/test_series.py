"""Public series: their origins, the two halves, and rows of the table on the page of accuracy."""

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.series import DATA, LEAST_FIGURES, all_series, held_out, left_out, line

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "series.csv"
SERIES = all_series()


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_series_has_an_origin_and_figures_in_order() -> None:
    origins = read(DATA / "origins.csv")
    assert [(row["source"], row["series"]) for row in origins] == list(SERIES)
    assert all(all(row.values()) for row in origins)
    for rows in SERIES.values():
        places = [float(row["x"]) for row in rows]
        assert len(rows) >= LEAST_FIGURES
        assert all(0 < before < after for before, after in pairwise(places))
        assert all(float(row["y"]) > 0 for row in rows)


def test_no_source_is_in_both_halves() -> None:
    held = held_out(SERIES)
    table = {(row["half"], row["source"]): int(row["series"]) for row in read(TABLE)}
    for (source, _), rows in SERIES.items():
        half = "held out" if source in held else "chosen with"
        # a series of a source that has no inner figure would be missing
        assert table[half, source] == Counter(name for name, _ in SERIES)[source], rows
    assert table["held out", "all"] + table["chosen with", "all"] == len(SERIES) >= 120


@pytest.mark.parametrize("source", ["mooncake", "ravel"])
def test_the_table_can_be_recomputed(source: str) -> None:
    own = [rows for key, rows in SERIES.items() if key[0] == source]
    cases = [case for rows in own for case in left_out(rows) if case.is_inner]
    (row,) = (row for row in read(TABLE) if row["source"] == source)
    assert line(source, row["half"], cases) == [*row.values()][:-1]
