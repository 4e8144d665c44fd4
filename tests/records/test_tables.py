"""Tables keep what is printed, and refuse what is none."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from records.right_files import load_table

from netmodel.errors import DomainError, ParseError, UnknownRecordError
from netmodel.records.tables import Column, Table

RUNS = """\
connection_count,side,throughput_bps,throughput_bps_low,relation,cpu_us_per_gbit
01,client,9.41e9,,equal,.0559
10,server,9.40e9,9.1e9,about,
10,"client, too",,,,12.0
"""


def table(directory: Path) -> Table:
    (directory / "mine.csv").write_text(RUNS, encoding="utf-8")
    return load_table(directory / "mine.csv")


def test_columns_have_the_units_of_their_names(tmp_path: Path) -> None:
    units = {column.name: column.unit for column in table(tmp_path).columns}
    assert units == {
        "connection_count": "count",
        "side": None,
        "throughput_bps": "bit/s",
        "throughput_bps_low": "bit/s",
        "relation": None,
        "cpu_us_per_gbit": "µs/Gbit",
    }


def test_cells_stay_as_printed(tmp_path: Path) -> None:
    runs = table(tmp_path)
    assert (runs.name, runs.row_count, runs.row_numbers) == ("mine", 3, (1, 2, 3))
    assert runs.text("connection_count") == ("01", "10", "10")
    assert runs.text("cpu_us_per_gbit") == (".0559", "", "12.0")
    assert runs.text("side")[2] == "client, too"


def test_numbers_of_a_column(tmp_path: Path) -> None:
    runs = table(tmp_path)
    assert runs.numbers("throughput_bps").dtype == np.float64
    np.testing.assert_array_equal(runs.numbers("throughput_bps"), [9.41e9, 9.4e9, np.nan])
    np.testing.assert_array_equal(runs.numbers("cpu_us_per_gbit"), [0.0559, np.nan, 12.0])
    np.testing.assert_array_equal(runs.half_widths("cpu_us_per_gbit"), [0.00005, np.nan, 0.05])


@pytest.mark.parametrize("method", ["numbers", "half_widths"])
def test_text_has_no_numbers(tmp_path: Path, method: str) -> None:
    with pytest.raises(DomainError, match="column side of mine is text"):
        getattr(table(tmp_path), method)("side")


@pytest.mark.parametrize("method", ["column", "text", "numbers", "half_widths"])
def test_near_columns_are_suggested(tmp_path: Path, method: str) -> None:
    with pytest.raises(UnknownRecordError, match="'sides'; did you mean side"):
        getattr(table(tmp_path), method)("sides")
    with pytest.raises(UnknownRecordError, match="unknown column of mine 'sides'"):
        table(tmp_path).where(sides="client")


@pytest.mark.parametrize(
    ("equal", "rows"),
    [
        ({}, (1, 2, 3)),
        ({"connection_count": 1}, (1,)),
        ({"connection_count": "1"}, (1,)),
        ({"connection_count": 1.0}, (1,)),
        ({"connection_count": np.int64(10)}, (2, 3)),
        ({"connection_count": "10", "side": "server"}, (2,)),
        ({"cpu_us_per_gbit": 0.0559}, (1,)),
        ({"cpu_us_per_gbit": Decimal("12.00")}, (3,)),
        ({"throughput_bps": 9.4e9}, (2,)),
        ({"cpu_us_per_gbit": None}, (2,)),
        ({"cpu_us_per_gbit": ""}, (2,)),
        ({"side": "client"}, (1,)),
        ({"side": 3}, ()),
        ({"relation": "about"}, (2,)),
        ({"connection_count": 2}, ()),
    ],
)
def test_rows_are_selected_by_their_values(
    tmp_path: Path, equal: dict[str, object], rows: tuple[int, ...]
) -> None:
    kept = table(tmp_path).where(**equal)
    assert kept.row_numbers == rows
    assert kept.columns == table(tmp_path).columns
    assert len(list(kept.rows())) == kept.row_count == len(rows)


def test_empty_lines_at_the_end_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("mtu_bytes\n1500\n\n\n", encoding="utf-8")
    assert load_table(file).text("mtu_bytes") == ("1500",)
    file.write_text("mtu_bytes\n\n", encoding="utf-8")
    assert load_table(file).text("mtu_bytes") == ()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.csv", tmp_path, "a\0b.csv"):
        with pytest.raises(ParseError, match="cannot be read: "):
            load_table(path)


@pytest.mark.parametrize(
    ("name", "unit", "fault"),
    [
        ("throughput_bps", "ms", "unit 'ms' contradicts the name: bit/s"),
        ("throughput_bps", "none", "unit 'none' contradicts the name"),
        ("throughput_bps_high", "Gbit/s", "contradicts the name"),
        ("", "ms", "must not be empty"),
        ("time_ms", "", "must not be empty"),
    ],
)
def test_a_unit_that_contradicts_the_name_is_refused(name: str, unit: str, fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        Column(name=name, unit=unit, meaning="x")
