"""Consumption as tools and papers write it, and what is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from netmodel.consumption import (
    ConsumptionUnit,
    consumption_change,
    from_us_per_gbit,
    parse_consumption_us_per_gbit,
    required_cpu_count,
    to_us_per_gbit,
)
from netmodel.errors import DomainError, UnitError

NAN = float("nan")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("100000 µs/Gbit", 100_000),
        ("100000 us/Gbit", 100_000),
        ("800 ms/GB", 100_000),
        ("0.8 ms/MB", 100_000),
        ("4.16 cycles/byte", 100_000),
        ("1 us/transaction", 100_000),
        ("0.001 ms/transaction", 100_000),
        ("10(Gbit/s)/core", 100_000),
        ("0 µs/Gbit", 0),
    ],
)
def test_consumption_as_written(text: str, expected: float) -> None:
    """By hand: 0.1 cores per Gbit/s at 5.2 GHz, and 1250 bytes (1e-5 Gbit) a transaction."""
    parsed = parse_consumption_us_per_gbit(text, transaction_bytes=1250, cpu_frequency_hz=5.2e9)
    assert parsed == pytest.approx(expected, rel=1e-14)
    assert type(parsed) is float


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "1",
            "'1': the unit is missing; write one of µs/Gbit, ms/MB, ms/MiB, ms/GB, µs/KiB, cores",
        ),
        ("1 µs/KB", "KB may mean 1000 or 1024 byte, netperf's is KiB"),
        ("1 ms/Gbit", "not a unit of CPU cost"),
        ("-1 µs/Gbit", "'-1 µs/Gbit': a CPU cost must not be negative"),
        (
            "1 ms/transaction",
            "'1 ms/transaction': give transaction_bytes, the payload of one transaction",
        ),
        ("1 µs/transaction", "give transaction_bytes, the payload of one transaction"),
        ("4 cycles/byte", "'4 cycles/byte': give cpu_frequency_hz, the clock of the CPU"),
        ("nan µs/Gbit", "'nan µs/Gbit' is not a finite number"),
        ("much", "'much' does not start with a number"),
    ],
)
def test_other_texts_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_consumption_us_per_gbit(text)
    assert reason in str(caught.value)


def test_known_units_are_listed_where_one_is_unknown() -> None:
    with pytest.raises(UnitError) as caught:
        parse_consumption_us_per_gbit("1 parsec")
    for unit in ConsumptionUnit:
        assert unit.value in str(caught.value)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (
            to_us_per_gbit,
            (-1, ConsumptionUnit.MS_PER_MIB),
            "consumption must be at least 0 ms/MiB; got -1",
        ),
        (
            from_us_per_gbit,
            (-1, ConsumptionUnit.MS_PER_MIB),
            "consumption_us_per_gbit must be at least 0 µs/Gbit; got -1",
        ),
    ],
)
def test_what_is_impossible_is_refused_with_rule_value_and_place(
    function: Callable[..., Any], arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(DomainError) as caught:
        function(*arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(("cpu_time", "data"), [(NAN, 1.0), (1.0, NAN), (NAN, NAN)])
def test_an_unknown_ratio_is_no_change(cpu_time: float, data: float) -> None:
    with pytest.raises(DomainError, match=r"^(cpu_time|data)_ratio must be "):
        consumption_change(cpu_time, data)


@pytest.mark.parametrize("ratios", [[1.0, 2.0], [1.0]])
def test_a_change_is_of_two_numbers_not_of_arrays(ratios: list[float]) -> None:
    with pytest.raises(DomainError, match=r"^cpu_time_ratio must be "):
        consumption_change(ratios, 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("consumption", "rate_gbps", "utilisation", "expected"),
    [
        (100_000, 25, 1, 3),  # 2.5 busy
        (100_000, 20, 1, 2),  # 2 busy, exactly
        (100_000, 21, 0.7, 3),  # 2.1 / 0.7 = 3, though 3.0000000000000004 in floats
        (100_000, 25, 0.7, 4),  # 3.57
        (100_000, 0, 1, 0),
        (1, 0.001, 1, 1),  # a little is one CPU
    ],
)
def test_required_cpus_by_hand(
    consumption: float, rate_gbps: float, utilisation: float, expected: int
) -> None:
    assert required_cpu_count(consumption, rate_gbps * 1e9, utilisation) == expected
