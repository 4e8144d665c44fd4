"""Quantities as people write them: what each text means, and why others are refused."""

import math
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from netmodel.errors import NetmodelError, UnitError
from netmodel.units import (
    format_frequency,
    format_rate,
    format_size,
    format_time,
    parse_count,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    split_quantity,
)
from netmodel.units._columns import unit_of_name
from netmodel.units._format import window_text

MU = "\N{GREEK SMALL LETTER MU}"


def test_counts_and_sizes_are_integers() -> None:
    assert type(parse_count("2.0")) is int
    assert type(parse_size_bytes("1.5 kB")) is int


def test_a_text_that_is_refused_is_an_error_of_values() -> None:
    with pytest.raises(NetmodelError) as caught:
        parse_rate_bps("25")
    assert isinstance(caught.value, UnitError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("6.95 ms/MiB", "6.95", "ms/MiB"),
        ("13.40", "13.40", ""),
        ("-3 x", "-3", "x"),
        (f" 1e2{MU}s ", "1e2", "µs"),
    ],
)
def test_splitting_keeps_the_digits(text: str, number: str, unit: str) -> None:
    exact, rest = split_quantity(text)
    assert str(exact) == str(Decimal(number))
    assert rest == unit


@pytest.mark.parametrize("letter", ["k", "K", "m", "M", "g", "G", "t", "T"])
def test_a_bare_prefix_of_a_size_is_refused_with_both_meanings(letter: str) -> None:
    power = "kmgt".index(letter.lower()) + 1
    with pytest.raises(UnitError) as caught:
        parse_size_bytes(f"30{letter}")
    assert f"{letter} may mean {1000**power} or {1024**power}; write " in str(caught.value)


def test_numbers_of_up_to_400_characters_are_read() -> None:
    assert parse_ratio("0." + 398 * "3") == pytest.approx(1 / 3, rel=1e-15)
    with pytest.raises(UnitError, match="has too many digits"):
        parse_ratio("0." + 399 * "3")


@pytest.mark.parametrize("text", ["1e25", "1E+25", "1e-25", "9.9e30", "1e-30", "1e+00000030"])
def test_very_large_and_very_small_numbers_are_read(text: str) -> None:
    assert parse_ratio(text) == float(text)


@pytest.mark.parametrize("text", ["1e31", "10e30", "9.9e-31", "0e100"])
def test_numbers_beyond_30_powers_of_ten_are_slips(text: str) -> None:
    with pytest.raises(UnitError, match="is beyond the range of numbers that are read"):
        parse_ratio(text)


def test_a_long_text_is_quoted_only_in_part() -> None:
    with pytest.raises(UnitError) as caught:
        parse_rate_bps("1 " + "x" * 10_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_rate(25e9), "25 Gbit/s"),
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


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (format_rate, "rate"),
        (format_size, "size"),
        (format_time, "time"),
        (format_frequency, "frequency"),
    ],
)
def test_only_finite_numbers_are_printed(
    function: Callable[[float], str], kind: str, value: float
) -> None:
    with pytest.raises(UnitError, match=f"^a {kind} to be printed must be finite; got {value}$"):
        function(value)


def test_digits_to_print_must_be_one_or_more() -> None:
    with pytest.raises(NetmodelError, match="significant_digits must be at least 1"):
        format_rate(25e9, 0)


def test_digits_to_print_may_be_more_than_any_float_has_but_not_endless() -> None:
    assert format_rate(25e9, 1000) == "25 Gbit/s"
    with pytest.raises(NetmodelError, match="significant_digits must be at most 1000"):
        format_rate(25e9, 1001)


@pytest.mark.parametrize(
    "rate_bps", [25 * 10**9, np.float64(25e9), np.int64(25e9), np.array(25e9), Decimal("25e9")]
)
def test_any_real_number_is_printed(rate_bps: float) -> None:
    assert format_rate(rate_bps) == "25 Gbit/s"


COLUMNS = Path(__file__).with_name("units_of_columns.toml")
UNITS_OF_COLUMNS = tomllib.loads(COLUMNS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("unit", UNITS_OF_COLUMNS)
def test_the_ending_of_a_column_names_its_unit(unit: str) -> None:
    for name in UNITS_OF_COLUMNS[unit]:
        assert unit in unit_of_name(name)


@pytest.mark.parametrize("name", ["adapter", "bps", "rate_per_s", "gap_per_bytes", "side"])
def test_columns_without_the_ending_of_a_unit_have_none(name: str) -> None:
    assert unit_of_name(name) == ()


@pytest.mark.parametrize(
    ("window_bytes", "text"),
    [
        (65536, "64 KiB"),
        (1024, "1 KiB"),
        (2**20, "1 MiB"),
        (3 * 2**20, "3 MiB"),
        (2**20 + 1024, "1025 KiB"),
        (2**30, "1 GiB"),
        (1023, "1.023 kB"),
        (65535, "65.535 kB"),
        (87380, "87.38 kB"),
        (123456, "123.46 kB"),
        (0, "0 B"),
    ],
)
def test_windows_have_binary_prefixes_where_they_are_whole(window_bytes: float, text: str) -> None:
    assert window_text(window_bytes) == text
