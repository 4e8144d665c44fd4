"""Laws of reading and printing quantities, for any number and text."""

import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from netmodel.consumption import parse_consumption_us_per_gbit
from netmodel.errors import DomainError, UnitError
from netmodel.units import (
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

Format = Callable[..., str]
Parse = Callable[[str], float]

NUMBERS = st.just(0.0) | st.floats(1e-25, 1e25) | st.floats(1e-12, 1e15)
DIGITS = st.integers(1, 17)
POWERS = {
    "rate": {"bit/s": 0, "kbit/s": 3, "Mbit/s": 6, "Gbit/s": 9, "Tbit/s": 12},
    "size": {"B": 0, "kB": 3, "MB": 6, "GB": 9, "TB": 12},
    "frequency": {"Hz": 0, "kHz": 3, "MHz": 6, "GHz": 9, "THz": 12},
    "time": {"ns": -9, "µs": -6, "ms": -3, "s": 0},
}
FORMATS: dict[str, Format] = {
    "rate": format_rate,
    "size": format_size,
    "frequency": format_frequency,
    "time": format_time,
}
PARSERS: dict[str, Parse] = {
    "rate": parse_rate_bps,
    "size": parse_size_bytes,
    "frequency": parse_frequency_hz,
    "time": parse_time_s,
    "length": parse_length_m,
    "count": parse_count,
    "ratio": parse_ratio,
}
VALID_TEXTS = (
    "25 Gbit/s",
    "25G",
    "112 MiB/s",
    "1500",
    "30 KiB",
    "1.2 µs",
    "1.2e-6 s",
    "5.2 GHz",
    "0.95",
    "6.95 ms/MiB",
    "10 (Gbit/s)/core",
)
each_kind = pytest.mark.parametrize("kind", FORMATS)


@pytest.mark.parametrize("kind", ["rate", "frequency", "time"])
@given(NUMBERS)
def test_what_is_printed_reads_back_to_the_same_number(kind: str, number: float) -> None:
    assert PARSERS[kind](FORMATS[kind](number)) == number


@each_kind
@given(NUMBERS, DIGITS)
def test_printing_rounds_to_the_nearest(kind: str, number: float, digits: int) -> None:
    printed, unit = split_quantity(FORMATS[kind](number, digits))
    exact = Decimal(repr(number))
    last_digit = Decimal(1).scaleb(exact.adjusted() - digits + 1) if number else 0
    assert abs(printed.scaleb(POWERS[kind][unit]) - exact) <= last_digit / 2
    assert len(printed.normalize().as_tuple().digits) <= digits


@each_kind
@given(NUMBERS)
def test_the_unit_leaves_one_to_three_digits_before_the_point(kind: str, number: float) -> None:
    printed, unit = split_quantity(FORMATS[kind](number))
    names = list(POWERS[kind])
    assert printed >= 1 or unit == names[0]
    assert printed < 1000 or unit == names[-1]


@st.composite
def damaged_texts(draw: st.DrawFn) -> str:
    """A valid text with a few characters deleted, doubled or put in."""
    text = draw(st.sampled_from(VALID_TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 2, len(text))))
        put_in = draw(st.text(max_size=2) | st.sampled_from("0189eE+-., kKMGiBb/sµ%"))
        text = text[:start] + put_in + text[end:]
    return text


@pytest.mark.parametrize("kind", PARSERS)
@given(st.text() | damaged_texts() | st.sampled_from(VALID_TEXTS))
@example("1e999999999999999999")
@example("1e99999999999999999999")
@example("0e999999999")
@example("1e-400 s")
@example("nan")
@example("-0")
@example("٣")
@example("\N{MICRO SIGN}s")
def test_any_text_is_a_number_or_refused(kind: str, text: str) -> None:
    try:
        number = PARSERS[kind](text)
    except UnitError:
        return
    assert math.isfinite(number)
    assert number >= 0


@given(st.text() | damaged_texts() | st.sampled_from(VALID_TEXTS))
def test_any_text_is_a_consumption_or_refused(text: str) -> None:
    """Zero Gbit/s per core is a rate that no consumption has: outside the domain."""
    try:
        number = parse_consumption_us_per_gbit(text, transaction_bytes=1200, cpu_frequency_hz=5e9)
    except (UnitError, DomainError):
        return
    assert math.isfinite(number)
    assert number >= 0
