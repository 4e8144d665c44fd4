"""Loads over time: CSV files as they come, and each fault with its line and column."""

from datetime import datetime
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.records.scenarios import SeriesSource
from netmodel.records.series import LoadSeries, load_series

ROWS = "time,gbit_s\n2026-11-02T00:00,1.5\n2026-11-02T01:00,2\n2026-11-02T02:00,3.25\n"


def read(directory: Path, text: str, unit: str = "Gbit/s", column: str = "gbit_s") -> LoadSeries:
    file = directory / "load.csv"
    file.write_text(text, encoding="utf-8", newline="")
    return load_series(SeriesSource(file=str(file), column=column, unit=unit))


def test_a_series_is_in_base_units_with_its_step(tmp_path: Path) -> None:
    series = read(tmp_path, ROWS)
    assert series.values == (1.5e9, 2e9, 3.25e9)
    assert (series.step_s, series.is_tps) == (3600, False)
    assert series.start.isoformat() == "2026-11-02T00:00:00"


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
        (ROWS, "\n\n", "is empty"),
        (ROWS[12:], "", "has no row below the line of names"),
        (ROWS[33:], "", "has one row: a series needs two or more"),
        ("gbit_s", "gbits", "line 1: no column 'gbit_s'; it has 'time' and 'gbits'; did you mean"),
        ("time,", "when,", "line 1: no column 'time'"),
        ("time,gbit_s", "gbit_s,gbit_s,time", "line 1: has 2 columns 'gbit_s'"),
        (",1.5", ",", "line 2, gbit_s: the cell is empty"),
        (",1.5", ",-1.5", 'line 2, gbit_s: "-1.5": a load is not negative'),
        (",1.5", ",nan", "line 2, gbit_s: 'nan' is not a finite number"),
        (",1.5", ",1.5 Gbit/s", "leave out the unit; the scenario names it"),
        (",1.5", ",many", "line 2, gbit_s: 'many' does not start with a number"),
        (",1.5", ",1,5", "line 2: has 3 cells, and the line of names 2"),
        (",1.5", ',"1,5"', "line 2, gbit_s: '1,5' is ambiguous: the comma may be a decimal"),
        ("2026-11-02T01:00", "soon", 'line 3, time: "soon" is not a time such as'),
        ("T01:00", "T00:00", "line 3: 2026-11-02T00:00:00 is the time of line 2 too"),
        ("T01:00", "T03:00", "line 4: 2026-11-02T02:00:00 is before line 3: sort by time"),
        ("T02:00", "T02:10", "line 4: 1:10:00 after line 3, and the usual step is 1:00:00"),
        ("T01:00", "T01:00Z", "line 3: times with and without an offset from UTC"),
        (",1.5", ',"1.5', "not CSV"),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(ParseError) as error:
        read(tmp_path, ROWS.replace(old, new, 1))
    assert error.value.source == str(tmp_path / "load.csv")
    assert problem in error.value.problem


def test_a_gap_is_named_with_what_is_missing(tmp_path: Path) -> None:
    text = ROWS + "2026-11-02T06:00,4\n2026-11-02T07:00,4\n"
    with pytest.raises(ParseError, match=r"line 5: a gap of 3 values behind line 4"):
        read(tmp_path, text)


def test_a_load_of_nothing_is_refused(tmp_path: Path) -> None:
    text = "time,gbit_s\n2026-11-02T00:00,0\n2026-11-02T01:00,0\n"
    with pytest.raises(ParseError, match="all values are 0"):
        read(tmp_path, text)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "load.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ParseError, match="not a text file in UTF-8"):
        load_series(SeriesSource(file=str(file), column="gbit_s", unit="Gbit/s"))


HOUR = "2026-11-02T{:02}:00,{}\n"


def hours(*values: tuple[int, object], head: str = "time,gbit_s\n") -> str:
    return head + "".join(HOUR.format(hour, value) for hour, value in values)


def test_every_field_of_a_series(tmp_path: Path) -> None:
    """Rows of 0.5, 0 and 2.5 Gbit/s, two hours apart: 1 Gbit/s on average."""
    series = read(tmp_path, hours((8, 0.5), (10, 0), (12, 2.5)))
    assert series == LoadSeries(
        str(tmp_path / "load.csv"),
        *("gbit_s", "Gbit/s", datetime(2026, 11, 2, 8), 7200.0, (0.5e9, 0.0, 2.5e9), False),
    )
    assert series.mean == 1e9
    requests = read(tmp_path, hours((8, 4), (9, 5)), "requests/s")
    assert (requests.values, requests.mean, requests.is_tps) == ((4, 5), 4.5, True)


def test_semicolons_separate_only_where_no_comma_does(tmp_path: Path) -> None:
    assert read(tmp_path, "time;gbit_s\n2026-11-02T00;1\n2026-11-02T01;2\n").step_s == 3600
    with pytest.raises(ParseError, match=r"no column 'time'; it has 'time;x' and 'gbit;s'"):
        read(tmp_path, "time;x,gbit;s\n")
    blank = hours((8, 1)) + " , \n" + hours((9, 2), head="")
    assert read(tmp_path, blank).values == (1e9, 2e9)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            hours((0, 1), (1, 1), (2, 1), (4, 1)),
            "line 5: a gap of 1 value behind line 4 (2026-11-02T02:00:00): the step is 1:00:00; "
            "fill it, or give the days apart",
        ),
        (
            hours((0, 1), (2, 1), (4, 1), (5, 1)),
            "line 5: 1:00:00 after line 4, and the usual step is 2:00:00",
        ),
        (
            hours((0, 1), (2, 1), (4, 1), (7, 1)),
            "line 5: 3:00:00 after line 4, and the usual step is 2:00:00",
        ),
        (hours((3, 1), (2, 1)), "line 3: 2026-11-02T02:00:00 is before line 2: sort by time"),
        (hours((3, 1), (3, 1)), "line 3: 2026-11-02T03:00:00 is the time of line 2 too"),
        (
            "time,gbit_s\n2026-11-02T00:00Z,1\n\n2026-11-02T01:00,1\n2026-11-02T02:00Z,1\n",
            "line 4: times with and without an offset from UTC",
        ),
        (
            hours((0, "1e")) + hours((1, 1), head=""),
            "line 2, gbit_s: ",
        ),
        (hours((0, "2 km")), 'line 2, gbit_s: "2 km": leave out the unit; the scenario names it'),
        ("time,a,gbit_s\n2026-11-02T00:00,1\n", "line 2: has 2 cells, and the line of names 3"),
        ("time,rate\n", "line 1: no column 'gbit_s'; it has 'time' and 'rate'"),
        ("time,gbitps\n", "it has 'time' and 'gbitps'"),
        (" , \n", "is empty: it needs a line of names, and a line for each step"),
    ],
)
def test_each_row_is_named_by_its_line(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ParseError) as caught:
        read(tmp_path, text)
    assert caught.value.source == str(tmp_path / "load.csv")
    assert problem in caught.value.problem
