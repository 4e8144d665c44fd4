"""Loads over time: CSV files as they come, and each fault with its line and column."""

from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.records.scenarios import LoadSeries, SeriesSource, load_series

ROWS = "time,gbit_s\n2026-11-02T00:00,1.5\n2026-11-02T01:00,2\n2026-11-02T02:00,3.25\n"


def read(directory: Path, text: str, unit: str = "Gbit/s", column: str = "gbit_s") -> LoadSeries:
    file = directory / "load.csv"
    file.write_text(text, encoding="utf-8", newline="")
    return load_series(SeriesSource(file=str(file), column=column, unit=unit))


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + ROWS,
        ROWS.replace(",", ";"),
        ROWS.replace("\n", "\r\n"),
        ROWS.replace("1.5", '"1.5"').replace("time,", '"time",'),
        ROWS.replace("time,gbit_s", " time , gbit_s "),
        ROWS + "\n\n",
        ROWS.replace("T0", " 0"),
        ROWS.replace(":00,", ":00+01:00,"),
    ],
    ids=("mark", "semicolons", "crlf", "quotes", "spaces", "blank lines", "blank", "offset"),
)
def test_usual_forms_read_alike(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).values == (1.5e9, 2e9, 3.25e9)


def test_transactions_in_a_time(tmp_path: Path) -> None:
    series = read(tmp_path, ROWS, "/s")
    assert series.is_tps
    assert series.values[0] == 1.5


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (ROWS, "", "is empty"),
        (ROWS[33:], "", "a series needs two or more rows"),
        ("gbit_s", "gbits", "line 1: unknown column 'gbit_s'; did you mean gbits?"),
        ("time,gbit_s", "gbit_s,gbit_s", "line 1, column 2: 'gbit_s' is also the name of another"),
        (",1.5", ",", "line 2, gbit_s: "),
        (",1.5", ",-1.5", "line 2, gbit_s: '-1.5': a ratio must not be negative"),
        (",1.5", ",nan", "line 2, gbit_s: 'nan' is not a finite number"),
        (",1.5", ",1.5 Gbit/s", "line 2, gbit_s: '1.5 Gbit/s': "),
        (",1.5", ",1,5", "line 2: 3 cells, where 2 columns are named"),
        ("2026-11-02T01:00", "soon", 'line 3, time: "soon" is not a time such as'),
        ("T01:00", "T00:00", "line 3: 2026-11-02T00:00:00 follows 2026-11-02T00:00:00: times"),
        ("T02:00", "T02:10", "line 4: 2026-11-02T02:10:00 follows 2026-11-02T01:00:00: times"),
        ("T01:00", "T01:00Z", "some times have an offset from UTC, and others none"),
        (",1.5", ',"1.5', "not CSV"),
        (ROWS[12:], "2026-11-02T00,0\n2026-11-02T01,0\n", "gbit_s: no value is above 0"),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(ParseError) as error:
        read(tmp_path, ROWS.replace(old, new, 1))
    assert error.value.source == str(tmp_path / "load.csv")
    assert problem in error.value.problem


def test_every_field_of_a_series(tmp_path: Path) -> None:
    series = read(tmp_path, "time,gbit_s\n2026-11-02T08:00,0.5\n2026-11-02T10:00,0\n")
    assert series == LoadSeries(str(tmp_path / "load.csv"), 7200.0, (0.5e9, 0.0), False)
