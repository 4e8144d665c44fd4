"""Quantities as people write them: what each text means, and why others are refused."""

import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

from netmodel.errors import UnitError
from netmodel.units import (
    format_frequency,
    format_rate,
    format_size,
    format_time,
    parse_ratio,
)
from netmodel.units.columns import unit_of_name
from netmodel.units.formatting import window_text
from netmodel.units.parsing import split_list


@pytest.mark.parametrize(
    ("text", "is_whole", "values"),
    [
        ("10,40,100", False, ["10", "40", "100"]),
        ("10,40", False, ["10", "40"]),
        ("1,5", True, ["1", "5"]),
        ("1, 5", False, ["1", "5"]),
        ("1,5,25", False, ["1", "5", "25"]),
        ("1,0,5", False, ["1", "0", "5"]),
        ("1km,5km", False, ["1km", "5km"]),
        ("1,5", False, None),
        ("0,50", False, None),
        ("1,05,2", False, None),
        ("1,0", False, None),
        ("10,40km", True, None),
    ],
)
def test_commas_part_values_unless_they_may_be_decimal(
    text: str, is_whole: bool, values: list[str] | None
) -> None:
    if values is not None:
        assert split_list(text, is_whole=is_whole) == values
        return
    with pytest.raises(UnitError, match="may be a decimal point or separate two values"):
        split_list(text, is_whole=is_whole)


def test_numbers_are_read_as_far_as_anyone_writes_them() -> None:
    assert parse_ratio("0." + 398 * "3") == pytest.approx(1 / 3, rel=1e-15)
    for text in ("1e25", "1e-25", "9.9e30", "1e-30", "1e+00000030"):
        assert parse_ratio(text) == float(text)
    beyond = "is beyond the range of numbers that are read"
    slips = dict.fromkeys(("1e31", "10e30", "9.9e-31", "0e100"), beyond)
    for text, problem in (slips | {"0." + 399 * "3": "has too many digits"}).items():
        with pytest.raises(UnitError, match=problem):
            parse_ratio(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_rate(25e9, 1000), "25 Gbit/s"),
        (format_rate(25e9), "25 Gbit/s"),
        (format_rate(np.float32(2.5e9)), "2.5 Gbit/s"),
        (format_rate(23537061118.3355, 5), "23.537 Gbit/s"),
        (format_rate(999_999, 3), "1 Mbit/s"),
        (format_rate(999_400, 3), "999 kbit/s"),
        (format_rate(0), "0 bit/s"),
        (format_rate(0.25), "0.25 bit/s"),
        (format_rate(4e15), "4000 Tbit/s"),
        (format_rate(1e3), "1 kbit/s"),
        (format_rate(999), "999 bit/s"),
        (format_size(30720), "30.72 kB"),
        (format_size(188350464, 3), "188 MB"),
        (format_size(1500), "1.5 kB"),
        (format_time(1.2304e-6), "1.2304 µs"),
        (format_time(492.16e-9), "492.16 ns"),
        (format_time(0.04), "40 ms"),
        (format_time(7200), "7200 s"),
        (format_time(2e-12), "0.002 ns"),
        (format_frequency(5.2e9), "5.2 GHz"),
    ],
)
def test_quantities_are_printed_in_the_unit_that_suits(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize(
    ("value", "digits", "problem"),
    [
        (math.nan, None, "a rate to be printed must be finite; got nan"),
        (-math.inf, None, "a rate to be printed must be finite; got -inf"),
        (True, None, "rate_bps must be one number; got True"),
        (25e9, 0, "significant_digits must be at least 1; got 0"),
        (25e9, 1001, "significant_digits must be at most 1000"),
    ],
)
def test_what_cannot_be_printed_is_refused(value: float, digits: int, problem: str) -> None:
    with pytest.raises(UnitError, match=f"^{problem}$"):
        format_rate(value, digits)


COLUMNS = Path(__file__).with_name("units_of_columns.toml")
UNITS_OF_COLUMNS = tomllib.loads(COLUMNS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("unit", UNITS_OF_COLUMNS)
def test_the_ending_of_a_column_names_its_unit(unit: str) -> None:
    for name in UNITS_OF_COLUMNS[unit]:
        assert unit in unit_of_name(name)


@pytest.mark.parametrize(
    ("window_bytes", "text"),
    [
        (65536, "64 KiB"),
        (3 * 2**20, "3 MiB"),
        (2**20 + 1024, "1,025 KiB"),
        (2**30, "1 GiB"),
        (65535, "65.535 kB"),
        (123456, "123.46 kB"),
        (0, "0 B"),
    ],
)
def test_windows_have_binary_prefixes_where_they_are_whole(window_bytes: float, text: str) -> None:
    assert window_text(window_bytes) == text
