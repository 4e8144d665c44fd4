"""CPU costs as users give them, their ranges and texts, worked out by hand."""

from typing import Any

import pytest

from netmodel.consumption.cost import parse_cpu_cost
from netmodel.errors import NetmodelError

BYTES = 1250  # 10 kbit: 1e5 of these are 1 Gbit


@pytest.mark.parametrize(
    ("text", "us_per_gbit", "low", "high"),
    [
        ("0.5 µs/Gbit", 0.5, 0.5, 0.5),
        ("800..1200 µs/Gbit", 1000, 800, 1200),
        ("12 to 14 µs/Gbit", 13, 12, 14),
        ("0.8 ms/MB .. 1600 ms/GB", 150_000, 100_000, 200_000),
        ("12..14 µs/transaction", 1_300_000, 1_200_000, 1_400_000),
        ("0.5 ms/transaction", 50_000_000, 50_000_000, 50_000_000),
        ("10 Gbit/s/core", 100_000, 100_000, 100_000),
        ("1..2 Gbit/s/core", 750_000, 500_000, 1_000_000),  # more data of a core cost less
    ],
)
def test_costs_and_their_ends(text: str, us_per_gbit: float, low: float, high: float) -> None:
    cost = parse_cpu_cost(text)
    found = float(cost.us_per_gbit_of(BYTES))
    assert cost.range_of(found) == pytest.approx((us_per_gbit, low, high))
    assert cost.has_range is (high > low)
    assert cost.per_byte_s(BYTES) == pytest.approx(us_per_gbit * 1e-6 * 8e-9)


@pytest.mark.parametrize(
    ("text", "conversion"),
    [
        ("2000 µs/Gbit", "2000 µs/Gbit {} = 0.02 µs/transaction"),
        (
            "0.02..0.03 cores/(Gbit/s)",  # 0.02 cores of a second are 20,000 µs
            "0.02..0.03 cores/(Gbit/s) = 20,000 to 30,000 µs/Gbit {} = 0.2 to 0.3 µs/transaction",
        ),
        ("12..14 µs/transaction", "12..14 µs/transaction = 1,200,000 to 1,400,000 µs/Gbit {}"),
        ("0.123456789 µs/transaction", "0.123456789 µs/transaction = 12,345.7 µs/Gbit {}"),
    ],
)
def test_a_cost_is_shown_in_both_units(text: str, conversion: str) -> None:
    shown = parse_cpu_cost(text).conversion_text(BYTES)
    assert shown == conversion.format("of payload in both directions")


def test_a_cost_in_another_case_has_the_range_of_both() -> None:
    """Twice as much, 1.5 to 2.5 times: 800 * 1.5 to 1200 * 2.5."""
    cost = parse_cpu_cost("800..1200 µs/Gbit", case=(("mtu", 1500),))
    cost = cost.carried_to((2.0, 1.5, 2.5), "2 times that, table 3")
    assert cost.us_per_gbit == pytest.approx(2000)
    assert cost.range_of(2000) == pytest.approx((2000, 1200, 3000))
    assert cost.conversion_text(BYTES) == "800..1200 µs/Gbit with mtu=1500, 2 times that, table 3"
    sure = parse_cpu_cost("10 µs/transaction").carried_to((3.0, 3.0, 3.0), "3 times that, table 3")
    assert (sure.us_per_gbit, sure.s_per_transaction) == (None, pytest.approx(30e-6))
    more = sure.carried_to((1, 1, 2), "up to twice").has_range
    assert (sure.has_range, more, sure.bound.value) == (False, True, "value")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1 µs/Gbit", {"time_basis": "host"}, "must be 'core' or 'thread'"),
        ("0..2 µs/Gbit", {}, "above 0"),
        ("0 µs/transaction", {}, "above 0"),
        ("3..2 µs/Gbit", {}, "lower to its upper"),
        ("3 cycles/byte", {}, "convert them by the clock"),
        ("1 µs/transaction to 2 µs/Gbit", {}, "the unit of one of them"),
        ("-1 µs/transaction", {}, "negative"),
    ],
)
def test_impossible_costs_are_refused(text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(NetmodelError, match=message):
        parse_cpu_cost(text, **options)
