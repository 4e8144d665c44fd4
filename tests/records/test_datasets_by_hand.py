"""Small tables and datasets: where each figure is, what they print, and what does not fit."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from netmodel.errors import DomainError, ParseError, UnknownRecordError
from netmodel.records import Dataset, Table
from netmodel.records._datasets import Flag, MeasuredRows
from netmodel.records._tables import Column, bare_column, load_table, read_csv

NUMBER = Column(name="table", unit="1", meaning="number of the table")
SYSTEM = Column(name="system", unit=None, meaning="which system", note="as printed")
RATE = Column(name="rate_gbps", unit="Gbit/s", meaning="payload", printed_as="Gbps")
COST = Column(name="cost_ms", unit="ms", meaning="CPU time", resolution=Decimal("0.2"))
RUNS = Table(
    "runs",
    (NUMBER, SYSTEM, RATE, COST),
    (
        ("4", "old", "9.40", "1.2"),
        ("4", "new", "12", ""),
        ("05", "rate_gbps", "9.4", "3"),
        ("", "", "", "0.4"),
    ),
    (1, 2, 3, 4),
    "all runs",
    (2, 3, 5, 6),
)
"""A row of two lines is the second; the cell of the third names a column."""


def test_columns_say_what_they_hold() -> None:
    assert str(SYSTEM) == "system: which system (as printed)"
    assert str(RATE) == "rate_gbps [Gbit/s]: payload"
    assert RUNS.column("cost_ms") is COST
    assert bare_column("mtu_bytes").unit == "byte"
    assert bare_column("system").unit is None
    assert Column(name="a", unit="none", meaning="b").unit is None
    assert str(RUNS).splitlines() == [
        "runs: all runs (4 rows)",
        *(f"  {column}" for column in RUNS.columns),
    ]
    short = Table("runs", (RATE,), (("1",),), (1,))
    assert str(short).splitlines()[0] == "runs (1 rows)"
    assert repr(short) == "<Table runs: 1 rows, 1 columns, rate_gbps>"
    with pytest.raises(ValidationError, match="unit 'none' contradicts the name, which says Gbit"):
        Column(name="rate_gbps", unit=None, meaning="a")


def test_figures_and_their_rounding() -> None:
    """Half a step of 0.01, 1 and 0.1; the resolution of costs is 0.2."""
    np.testing.assert_array_equal(RUNS.numbers("rate_gbps"), [9.4, 12, 9.4, np.nan])
    np.testing.assert_array_equal(RUNS.half_widths("rate_gbps"), [0.005, 0.5, 0.05, np.nan])
    np.testing.assert_array_equal(RUNS.half_widths("cost_ms"), [0.1, np.nan, 0.1, 0.1])
    assert RUNS.text("system") == ("old", "new", "rate_gbps", "")
    for ask in (RUNS.numbers, RUNS.half_widths):
        with pytest.raises(DomainError, match="column system of runs is text and has no numbers"):
            ask("system")
    with pytest.raises(
        UnknownRecordError, match="unknown column of runs 'sytem'; did you mean sys"
    ):
        RUNS.text("sytem")


@pytest.mark.parametrize(
    ("equal", "rows"),
    [
        ({}, (1, 2, 3, 4)),
        ({"table": 4}, (1, 2)),
        ({"table": 5}, (3,)),
        ({"table": "5"}, (3,)),
        ({"table": None}, (4,)),
        ({"system": ""}, (4,)),
        ({"system": "old"}, (1,)),
        ({"system": 5}, ()),
        ({"rate_gbps": 9.4}, (1, 3)),
        ({"rate_gbps": Decimal("9.40"), "table": 4}, (1,)),
        ({"rate_gbps": 9.4, "system": "new"}, ()),
    ],
)
def test_rows_keep_their_numbers_and_lines(equal: dict[str, Any], rows: tuple[int, ...]) -> None:
    kept = RUNS.where(**equal)
    assert kept.row_numbers == rows
    assert kept.cells == tuple(RUNS.cells[row - 1] for row in rows)
    assert [kept.line(place) for place in range(len(rows))] == [
        {1: 2, 2: 3, 3: 5, 4: 6}[row] for row in rows
    ]
    assert (kept.name, kept.columns, kept.description) == ("runs", RUNS.columns, "all runs")
    assert kept.row_count == len(rows)


def test_without_lines_rows_follow_the_header() -> None:
    bare = Table("runs", RUNS.columns, RUNS.cells, RUNS.row_numbers)
    assert [bare.line(place) for place in range(4)] == [2, 3, 4, 5]
    assert bare.where(table=5).line(0) == 4
    with pytest.raises(DomainError, match="column rate_gbps of runs is compared with: 'fast'"):
        RUNS.where(rate_gbps="fast")


def test_rows_and_json_have_the_cells() -> None:
    rows = list(RUNS.rows())
    assert rows[1] == {"table": "4", "system": "new", "rate_gbps": "12", "cost_ms": ""}
    dumped = RUNS.to_dict()
    assert (dumped["name"], dumped["description"], dumped["rows"]) == ("runs", "all runs", rows)
    assert [column["unit"] for column in dumped["columns"]] == ["1", None, "Gbit/s", "ms"]


# Files


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty: not even a line of column names"),
        ("\na\n", "line 1: is empty; expected the names of the columns"),
        ("a,,b\n", "line 1, column 2: has no name"),
        ("a, b\n", "line 1, column 2: blanks around or within the name ' b'"),
        ("a,b\tc\n", "line 1, column 2: blanks around or within the name 'b\\tc'"),
        ("a;b\n", "line 1, column 1: 'a;b': names and cells must be separated by commas"),
        ("a,b,a\n", "line 1, column 3: 'a' is also the name of another column"),
        ("a,b\n1\n", "line 2: 1 cells, where 2 columns are named"),
        ("a,b\n1,2\n\n3,4\n", "line 3: is empty"),
        ('a,b\n1,"x\ny"\n3\n', "line 4: 1 cells, where 2 columns are named"),
        ('a,b\n1,"2\n', "line 2: not CSV"),
        ("mtu_bytes\n1500 B\n", "line 2, column mtu_bytes: '1500 B' is not a plain number"),
        ("mtu_bytes\n 1500\n", "line 2, column mtu_bytes: ' 1500' is not a plain number"),
        ("mtu_bytes\n9\nmany\n", "line 3, column mtu_bytes: 'many' does not start with a number"),
        ("relation\nequals\n", "line 2, column relation: 'equals' is none of equal, about, at_l"),
        ("a_relation\nup to\n", "line 2, column a_relation: 'up to' is none of"),
    ],
)
def test_what_is_no_table_is_named_with_its_line(text: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(ParseError) as caught:
        load_table(file)
    assert caught.value.source == str(file)
    assert problem in caught.value.problem


def test_a_table_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    text = '\ufeffmtu_bytes,relation,b\r\n1500,,"two\r\nlines"\r\n9000,up_to, x \r\n\r\n\r\n'
    file.write_text(text, encoding="utf-8", newline="")
    table = load_table(file)
    assert (table.name, table.row_numbers, table.line_numbers) == ("mine", (1, 2), (2, 4))
    assert table.cells == (("1500", "", "two\r\nlines"), ("9000", "up_to", " x "))
    assert [column.unit for column in table.columns] == ["byte", None, None]
    assert {column.meaning for column in table.columns} == {"not described"}
    header, rows = read_csv(str(file), str.upper)
    assert header == ("MTU_BYTES", "RELATION", "B")
    assert rows[1] == (4, ("9000", "up_to", "x"))


# Datasets

USUAL: dict[str, Any] = {
    "id": "mine",
    "title": "my runs",
    "source": "made",
    "locator": "page 1",
    "grade": "measured",
    "tables": {"runs": RUNS},
}
PLACES = {"runs": ("table {table}", "{system} system", "{column}", "row {table:03}")}


def made(**changed: object) -> Dataset:
    return Dataset.model_validate(USUAL | changed)


@pytest.mark.parametrize(
    ("row", "column", "place"),
    [
        (0, "rate_gbps", "table 4, old system, Gbps, row 004"),
        (0, "cost_ms", "table 4, old system, cost_ms, row 004"),
        (1, None, "table 4, new system, row 004"),
        (2, "rate_gbps", "table 5, Gbps system, Gbps, row 005"),  # a cell that names a column
        (3, "rate_gbps", "Gbps"),  # parts with an empty cell are left out
        (3, None, ""),
    ],
)
def test_a_place_is_in_the_words_of_the_source(row: int, column: str | None, place: str) -> None:
    mine = made(row_places=PLACES)
    assert mine.place(RUNS, row, column) == place
    assert mine.place(RUNS.where(rate_gbps=12), 0) == "table 4, new system, row 004"


def test_without_words_of_the_source_a_place_is_a_line() -> None:
    mine = made(places=["table", "system"])
    assert mine.place(RUNS, 0, "rate_gbps") == "table 4, system old, runs.csv line 2, Gbps"
    assert mine.place(RUNS, 2) == "table 05, system rate_gbps, runs.csv line 5"
    assert mine.place(RUNS, 3, "cost_ms") == "runs.csv line 6, cost_ms"
    assert mine.heading("rate_gbps") == "Gbps"
    assert mine.heading("cost_ms") == "cost_ms"
    assert mine.heading("unknown") == "unknown"


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"row_places": {"rns": ["a"]}}, "row_places.rns: unknown table 'rns'; did you mean runs"),
        (
            {"row_places": {"runs": ["a", "in {sytem}"]}},
            "row_places.runs: 'in {sytem}': unknown column 'sytem'",
        ),
        ({"row_places": {"runs": ["{system:03d}"]}}, "row_places.runs: '{system:03d}': "),
        ({"row_places": {"runs": ["{"]}}, "row_places.runs: '{': "),
        ({"places": ["table", "sytem"]}, "places.1: unknown column 'sytem'"),
        (
            {
                "paths": [
                    {"path": "p", "file": file, "where": {"table": 4}} for file in ("runs", "rns")
                ]
            },
            "paths.1.file: unknown table 'rns'",
        ),
        (
            {"paths": [{"path": "p", "file": "runs", "where": {"tabel": 4}}]},
            "paths.0.where: unknown column of runs 'tabel'",
        ),
        (
            {"paths": [{"path": "p", "file": "runs", "where": {"table": "four"}}]},
            "paths.0.where: column table of runs is compared with: 'four'",
        ),
        (
            {"paths": [{"path": "p", "file": "runs", "where": {"table": 6}}]},
            "paths.0.where: matches no row of runs.csv",
        ),
        ({"paths": [{"path": "p", "file": "runs", "where": {}}]}, "paths.0.where"),
    ],
)
def test_parts_of_a_dataset_that_do_not_fit(changed: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError) as caught:
        made(**changed)
    assert problem in str(caught.value)


def test_a_dataset_prints_what_is_known_of_it() -> None:
    flag = {"file": "runs.csv", "row": 2, "column": "cost_ms", "kind": "gap", "severity": "note"}
    whole = made(
        document_title="A title",
        description="two\n lines",
        test_bed="a bench",
        tool="iperf3",
        tool_version="3.16",
        side="client",
        workloads=["w", "v"],
        transcription="by  hand",
        known_faults=["one", "two"],
        flags=[flag | {"message": "is empty"}] * 2,
        paths=[{"path": "p", "file": "runs", "where": {"table": 4}}],
    )
    assert str(whole).splitlines() == [
        "mine: my runs (measured; made, page 1)",
        "  document title: A title",
        "  description: two lines",
        "  test bed: a bench",
        "  tool: iperf3",
        "  tool version: 3.16",
        "  side: client",
        "  workloads: w, v",
        "  table runs: 4 rows; all runs",
        "  transcription: by hand",
        "  known fault: one",
        "  known fault: two",
        "  flags: 2",
    ]
    assert repr(whole) == "<Dataset mine: 1 tables, 4 rows, my runs>"
    assert str(whole.flags[0]) == "runs.csv, row 2, cost_ms: is empty (gap, note)"
    assert whole.to_dict()["tables"]["runs"]["rows"] == list(RUNS.rows())
    bare = Table("runs", RUNS.columns, RUNS.cells, RUNS.row_numbers)
    assert str(made(tables={"runs": bare})).splitlines() == [
        "mine: my runs (measured; made, page 1)",
        "  table runs: 4 rows",
    ]


def test_a_flag_names_the_place_that_is_at_fault() -> None:
    usual = {"file": "runs.csv", "kind": "gap", "severity": "note", "message": "why"}
    assert str(Flag.model_validate(usual)) == "runs.csv: why (gap, note)"
    assert str(Flag.model_validate(usual | {"row": 1})) == "runs.csv, row 1: why (gap, note)"
    assert str(Flag.model_validate(usual | {"column": "a"})) == "runs.csv, a: why (gap, note)"
    with pytest.raises(ValidationError, match="row"):
        Flag.model_validate(usual | {"row": 0})
    linked = MeasuredRows.model_validate({"path": "p", "file": "f", "where": {"a": 1, "b": "c"}})
    assert dict(linked.where) == {"a": 1, "b": "c"}
