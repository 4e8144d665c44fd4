"""Consumption as tools and papers write it, and the CPUs that it takes."""

import pytest

from netmodel.consumption import parse_consumption_us_per_gbit, required_cpu_count


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


@pytest.mark.parametrize(
    ("consumption", "rate_gbps", "utilisation", "expected"),
    [
        (100_000, 25, 1, 3),  # 2.5 busy
        (100_000, 20, 1, 2),  # 2 busy, exactly
        (100_000, 21, 0.7, 3),  # 2.1 / 0.7 = 3, though 3.0000000000000004 in floats
        (100_000, 25, 0.7, 4),  # 3.57
        (100_000, 0, 1, 0),
        (0, 25, 1, 0),
        (1, 0.001, 1, 1),  # a little is one CPU
    ],
)
def test_required_cpus_by_hand(
    consumption: float, rate_gbps: float, utilisation: float, expected: int
) -> None:
    assert required_cpu_count(consumption, rate_gbps * 1e9, utilisation) == expected
