"""Quantities as people write them: what each text means, and why others are refused."""

import math
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest

from netmodel.errors import NetmodelError, UnitError
from netmodel.units import (
    BITS_PER_BYTE,
    format_frequency,
    format_rate,
    format_size,
    format_time,
    parse_count,
    parse_frequency_hz,
    parse_length_m,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
    split_quantity,
)
from netmodel.units._columns import unit_of_name
from netmodel.units._format import window_text

MU = "\N{GREEK SMALL LETTER MU}"


def test_a_byte_has_eight_bits() -> None:
    assert BITS_PER_BYTE == 8


@pytest.mark.parametrize(
    ("text", "rate_bps"),
    [
        ("25 Gbit/s", 25e9),
        ("25Gbit/s", 25e9),
        ("25 Gbits/s", 25e9),
        ("25 Gbits/sec", 25e9),
        ("25 Gb/s", 25e9),
        ("25 Gbps", 25e9),
        ("25G", 25e9),
        ("2.5 G", 2.5e9),
        ("100M", 100e6),
        ("0.4 Tbit/s", 0.4e12),
        ("64k", 64e3),
        ("9600 bit/s", 9600),
        (".5e3 kbit/s", 500e3),
        ("+1. bit/s", 1),
        ("1 Kibit/s", 1024),
        ("112 MiB/s", 112 * 8 * 1048576),
        ("0 bit/s", 0),
    ],
)
def test_rates(text: str, rate_bps: float) -> None:
    assert parse_rate_bps(text) == rate_bps


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("1500", 1500),
        ("1500 B", 1500),
        ("1500 bytes", 1500),
        ("1 byte", 1),
        ("30 KiB", 30720),
        ("30 kB", 30000),
        ("20 MiB", 20971520),
        ("1.5 kB", 1500),
        ("12000 bit", 1500),
        ("12 kbit", 1500),
        ("1.5e3", 1500),
    ],
)
def test_sizes(text: str, size_bytes: int) -> None:
    parsed = parse_size_bytes(text)
    assert parsed == size_bytes
    assert type(parsed) is int


@pytest.mark.parametrize(
    ("text", "time_s"),
    [
        ("1.2 µs", 1.2e-6),
        (f"1.2 {MU}s", 1.2e-6),
        ("1.2us", 1.2e-6),
        ("492.16 ns", 492.16e-9),
        ("40 ms", 0.04),
        ("3 s", 3),
        ("5 min", 300),
        ("2 h", 7200),
    ],
)
def test_times(text: str, time_s: float) -> None:
    assert parse_time_s(text) == time_s


@pytest.mark.parametrize(
    ("text", "length_m"), [("100 km", 1e5), ("0.5 m", 0.5), ("30cm", 0.3), ("2 mm", 0.002)]
)
def test_lengths(text: str, length_m: float) -> None:
    assert parse_length_m(text) == length_m


def test_frequencies_counts_and_ratios() -> None:
    assert parse_frequency_hz("5.2 GHz") == 5.2e9
    assert parse_frequency_hz("50 Hz") == 50
    assert parse_count("250") == 250
    assert parse_count("1e3") == 1000
    assert type(parse_count("2.0")) is int
    assert parse_ratio("0.95") == 0.95
    assert parse_ratio("2") == 2


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


@pytest.mark.parametrize(
    ("parse", "text", "reason"),
    [
        (parse_rate_bps, "25", "'25': the unit is missing; write a rate like 25 Gbit/s"),
        (parse_rate_bps, "25 GB/s", "'25 GB/s' is ambiguous: GB is a power of ten to some tools"),
        (parse_rate_bps, "3 MBps", "'3 MBps' is ambiguous: MB is a power of ten to"),
        (parse_rate_bps, "3 MB/s", "and of two to others; write 24 Mbit/s or 3 MiB/s"),
        (parse_rate_bps, "25K", "'25K' is ambiguous: K may mean 1000 or 1024; write 25 kbit/s or"),
        (parse_rate_bps, "1 furlong/s", "'1 furlong/s': unknown rate unit 'furlong/s'; write a"),
        (parse_rate_bps, "25 G2", "unknown rate unit 'G2'; write a rate like 25 Gbit/s"),
        (parse_rate_bps, "25 GHz", "unknown rate unit 'GHz'; write a rate like 25 Gbit/s"),
        (parse_rate_bps, "-1 bit/s", "'-1 bit/s': a rate must not be negative"),
        (parse_rate_bps, "1,000 bit/s", "separate thousands; write 1.000 bit/s or 1000 bit/s"),
        (parse_rate_bps, "1.234,5 bit/s", "write numbers with a decimal point and without"),
        (parse_rate_bps, "1__000 bit/s", "unknown rate unit '__000 bit/s'"),
        (parse_rate_bps, "fast", "'fast' does not start with a number; write it like 25 or 1.5e3"),
        (parse_rate_bps, "", "'' does not start with a number"),
        (parse_rate_bps, "nan Gbit/s", "'nan Gbit/s' is not a finite number"),
        (parse_rate_bps, "-inf", "'-inf' is not a finite number"),
        (parse_rate_bps, "Infinity bit/s", "is not a finite number"),
        (parse_rate_bps, "1e400 bit/s", "'1e400 bit/s' is beyond the range of numbers"),
        (parse_rate_bps, "1e-400 bit/s", "is beyond the range of numbers that are read"),
        (parse_rate_bps, "1e99999999999999999999 bit/s", "is beyond the range of numbers"),
        (parse_size_bytes, "30k", "'30k' is ambiguous: k may mean 1000 or 1024; write 30 kB"),
        (parse_size_bytes, "30K", "'30K' is ambiguous: K may mean 1000 or 1024; write 30 kB"),
        (parse_size_bytes, "2M", "'2M' is ambiguous: M may mean 1000000 or 1048576; write 2 MB"),
        (parse_size_bytes, "30 KB", "'30 KB' is ambiguous: KB may mean 1000 or 1024 byte; write"),
        (parse_size_bytes, "1.5", "'1.5' is not a whole number of bytes"),
        (parse_size_bytes, "12 bit", "'12 bit' is not a whole number of bytes"),
        (parse_size_bytes, "1 Gbit/s", "unknown size unit 'Gbit/s'; write a size like 1500, 30 kB"),
        (parse_size_bytes, "1.0000000000000000000000000000001", "not a whole number of bytes"),
        (parse_time_s, "5", "'5': the unit is missing; write a time like 1.2 µs or 1.2 us"),
        (parse_time_s, "5 m", "'5 m' is ambiguous: m may mean a minute or a thousandth; write 5"),
        (parse_length_m, "5", "'5': the unit is missing; write a length like 100 km"),
        (parse_length_m, "5 mi", "'5 mi': unknown length unit 'mi'; write a length like 100 km"),
        (parse_length_m, "-5 m", "'-5 m': a length must not be negative"),
        (parse_frequency_hz, "5.2", "'5.2': the unit is missing; write a frequency like 5.2 GHz"),
        (parse_count, "250 B", "'250 B': a count is a number without a unit"),
        (parse_count, "2.5", "'2.5' is not a whole number"),
        (parse_count, "-1", "'-1': a count must not be negative"),
        (parse_ratio, "95 %", "'95 %': a ratio is a number without a unit"),
        (parse_ratio, "95%", "'95%': a ratio is a number without a unit"),
        (parse_ratio, "-0.1", "'-0.1': a ratio must not be negative"),
    ],
)
def test_what_is_refused_is_explained(
    parse: Callable[[str], float], text: str, reason: str
) -> None:
    with pytest.raises(UnitError) as caught:
        parse(text)
    assert reason in str(caught.value)
    assert isinstance(caught.value, NetmodelError)
    assert isinstance(caught.value, ValueError)


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


UNITS_OF_COLUMNS = {
    "bit": ("data_bits",),
    "bit/s": ("throughput_bps", "throughput_bps_low"),
    "B": ("payload_bytes", "request_bytes_high"),
    "count": ("connection_count",),
    "cycle/byte": ("cost_cycles_per_byte",),
    "frame/s": ("rate_fps",),
    "Gbit/s": ("throughput_gbps",),
    "GHz": ("frequency_ghz",),
    "Hz": ("frequency_hz",),
    "km": ("distance_km",),
    "MB/s": ("data_rate_mb_per_s",),
    "Mbit/s": ("throughput_mbps",),
    "MiB/s": ("data_rate_mib_per_s",),
    "ms": ("transaction_time_ms",),
    "ms/MB": ("total_cpu_ms_per_mb",),
    "ms/MiB": ("total_cpu_ms_per_mib",),
    "ms/transaction": ("total_cpu_ms_per_transaction",),
    "ns": ("latency_ns",),
    "%": ("difference_percent",),
    "ratio": ("utilisation_ratio",),
    "s": ("transaction_time_s",),
    "s/transaction": ("cpu_s_per_transaction",),
    "transaction/s": ("transaction_rate_tps",),
    "µs": ("transaction_time_us",),
    "µs/Gbit": ("cpu_us_per_gbit",),
    "µs/transaction": ("cpu_us_per_transaction",),
    # second spellings
    "byte": ("payload_bytes",),
    "1": ("connection_count", "utilisation_ratio"),
    "1/s": ("rate_fps", "transaction_rate_tps"),
    "us": ("transaction_time_us",),
    "us/Gbit": ("cpu_us_per_gbit",),
    "us/transaction": ("cpu_us_per_transaction",),
}


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
