"""CPU costs as users give them, their ranges and texts, worked out by hand."""

import pytest

from netmodel.consumption._cost import CpuCost, cost_ends, parse_cpu_cost
from netmodel.errors import DomainError, UnitError

BYTES = 1250  # 10 kbit: 1e5 of these are 1 Gbit


def test_a_range_is_its_middle_and_half_its_width() -> None:
    cost = parse_cpu_cost("800..1200 µs/Gbit")
    assert (cost.us_per_gbit, cost.spread_ratio) == (1000, pytest.approx(0.2))
    assert cost.has_range
    assert cost.range_of(5) == pytest.approx((5, 4, 6))
    alone = parse_cpu_cost("1000 µs/Gbit")
    assert (alone.text, alone.us_per_gbit, alone.spread_ratio) == ("1000 µs/Gbit", 1000, 0)
    assert not alone.has_range
    assert alone.range_of(5) == (5, 5, 5)


def test_more_data_of_a_core_cost_less() -> None:
    """1 to 2 Gbit/s of a core: 1,000,000 to 500,000 µs/Gbit."""
    cost = parse_cpu_cost("1..2 Gbit/s/core")
    assert cost.us_per_gbit == pytest.approx(750_000)
    assert cost.range_of(3) == pytest.approx((3, 2, 4))
    assert parse_cpu_cost("10 Gbit/s/core").us_per_gbit == pytest.approx(100_000)


def test_a_cost_of_a_transaction_is_one_of_its_payload() -> None:
    """12 to 14 µs of 10 kbit each: 1,200,000 to 1,400,000 µs/Gbit, or 10.4 ns a byte."""
    cost = parse_cpu_cost("12..14 µs/transaction", case=(("mtu", 1500),))
    assert (cost.us_per_gbit, cost.s_per_transaction) == (None, pytest.approx(13e-6))
    assert cost.us_per_gbit_of(BYTES) == pytest.approx(1_300_000)
    assert cost.per_byte_s(BYTES) == pytest.approx(13e-6 / BYTES)
    assert cost.given_text == "12..14 µs/transaction with mtu=1500"
    expected = "12..14 µs/transaction = 1.2e+06 to 1.4e+06 µs/Gbit of payload in both directions"
    assert cost.conversion_text(BYTES) == expected


def test_a_cost_of_data_is_one_of_a_transaction() -> None:
    """2,000 µs/Gbit of 10 kbit are 0.02 µs; 0.02 cores of a second are 20,000 µs."""
    assert parse_cpu_cost("2000 µs/Gbit").conversion_text(BYTES) == (
        "2000 µs/Gbit of payload in both directions = 0.02 µs/transaction"
    )
    assert parse_cpu_cost("0.02..0.03 cores/(Gbit/s)").conversion_text(BYTES) == (
        "0.02..0.03 cores/(Gbit/s) = 20,000 to 30,000 µs/Gbit of payload in both directions"
        " = 0.2 to 0.3 µs/transaction"
    )


def test_converted_costs_have_six_digits() -> None:
    """3 µs for 7,000 bytes: 3e-6 / 56,000 bits = 53,571.43 µs/Gbit."""
    text = parse_cpu_cost("3 µs/transaction").conversion_text(7000)
    assert text.startswith("3 µs/transaction = 53,571.4 µs/Gbit")


def test_a_cost_in_another_case_has_the_range_of_both() -> None:
    """Twice as much, 1.5 to 2.5 times: 800 * 1.5 to 1200 * 2.5."""
    cost = parse_cpu_cost("800..1200 µs/Gbit").carried_to((2.0, 1.5, 2.5), "2 times that, table 3")
    assert cost.us_per_gbit == pytest.approx(2000)
    assert cost.range_of(2000) == pytest.approx((2000, 1200, 3000))
    assert cost.conversion_text(BYTES) == "800..1200 µs/Gbit, 2 times that, table 3"
    sure = parse_cpu_cost("10 µs/transaction").carried_to((3.0, 3.0, 3.0), "3 times that, table 3")
    assert (sure.us_per_gbit, sure.s_per_transaction) == (None, pytest.approx(30e-6))
    assert (sure.has_range, sure.bound.value) == (False, "value")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("12 to 14 µs/Gbit", ("12 µs/Gbit", "14 µs/Gbit")),
        ("12..14 µs/Gbit", ("12 µs/Gbit", "14 µs/Gbit")),
        ("12 ms/Gbit .. 14 s/Gbit", ("12 ms/Gbit", "14 s/Gbit")),
        ("12 µs/Gbit", ("12 µs/Gbit",)),
    ],
)
def test_both_ends_have_the_unit_of_one_of_them(text: str, ends: tuple[str, ...]) -> None:
    assert cost_ends(text) == ends


def test_costs_of_less_than_a_microsecond() -> None:
    assert parse_cpu_cost("0.5 µs/Gbit").us_per_gbit == 0.5
    assert parse_cpu_cost("0.5 µs/transaction").s_per_transaction == pytest.approx(0.5e-6)
    assert parse_cpu_cost("0.5 ms/transaction").s_per_transaction == pytest.approx(0.5e-3)


@pytest.mark.parametrize("gain", [1, 2])
def test_a_second_thread_adds_nothing_or_as_much(gain: float) -> None:
    assert parse_cpu_cost("1 µs/Gbit", smt_gain_ratio=gain).smt_gain_ratio == gain
    assert parse_cpu_cost("1 µs/Gbit", smt_gain_ratio=gain, time_basis="core").time_basis == "core"
    assert parse_cpu_cost("1 µs/Gbit", time_basis="thread").time_basis == "thread"


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("1 µs/Gbit", {"smt_gain_ratio": 0.99}, "at least 1"),
        ("1 µs/Gbit", {"smt_gain_ratio": 2.01}, "at most 2"),
        (
            "1 µs/Gbit",
            {"smt_gain_ratio": 1.1, "time_basis": "thread"},
            "cores with one busy thread",
        ),
        ("1 µs/Gbit", {"time_basis": "host"}, "must be 'core' or 'thread'"),
        ("0 µs/Gbit", {}, "above 0"),
        ("0..2 µs/Gbit", {}, "above 0"),
        ("0 µs/transaction", {}, "above 0"),
        ("3..2 µs/Gbit", {}, "lower to its upper"),
        ("1..2 µs/transaction", {"smt_gain_ratio": 3}, "at most 2"),
    ],
)
def test_impossible_costs_are_refused(given: object, options: dict, message: str) -> None:
    with pytest.raises(DomainError, match=message):
        parse_cpu_cost(given, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3 cycles/byte", "need the clock"),
        ("1 µs/transaction to 2 µs/Gbit", "the unit of one of them"),
        ("-1 µs/transaction", "negative"),
        ("-1 µs/Gbit", "negative"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(UnitError, match=message):
        parse_cpu_cost(text)


def test_cycles_need_a_clock() -> None:
    """2 cycles a byte are 0.25 cycles a bit: 1e9 bits at 1 GHz are 0.25 s."""
    assert parse_cpu_cost("2 cycles/byte", cpu_frequency_hz=1e9).us_per_gbit == 250_000


def test_defaults_are_those_of_one_figure_without_smt() -> None:
    cost = CpuCost("1 µs/Gbit", us_per_gbit=1)
    assert (cost.smt_gain_ratio, cost.spread_ratio, cost.case) == (1, 0, ())
