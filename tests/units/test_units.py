"""Quantities as people write them: what each text means, and why others are refused."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from netmodel.errors import UnitError
from netmodel.units import (
    format_rate,
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


def test_a_number_of_numpy_is_printed_like_a_plain_one() -> None:
    assert format_rate(np.float32(2.5e9)) == "2.5 Gbit/s"
    assert window_text(np.int64(1_234_567)) == "1.2346 MB"
    with pytest.raises(UnitError, match=r"rate_bps must be at most 1\.79.*; got a larger number"):
        format_rate(10**309)


COLUMNS = Path(__file__).with_name("units_of_columns.toml")
UNITS_OF_COLUMNS = tomllib.loads(COLUMNS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("unit", UNITS_OF_COLUMNS)
def test_the_ending_of_a_column_names_its_unit(unit: str) -> None:
    for name in UNITS_OF_COLUMNS[unit]:
        assert unit in unit_of_name(name)
