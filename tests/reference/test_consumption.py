"""CPU per data: worked examples of a publication, and conversions worked out by hand."""

from fractions import Fraction

import pytest

from netmodel.consumption import (
    ConsumptionUnit,
    CostChange,
    busy_cpu_count,
    consumption_change,
    consumption_ratio,
    cpu_time_ratio,
    cycle_budget_per_frame,
    cycles_per_byte_to_us_per_gbit,
    data_ratio_at_fixed_concurrency,
    from_us_per_gbit,
    ms_per_transaction_to_us_per_gbit,
    parse_consumption_us_per_gbit,
    scaled_consumption_us_per_gbit,
    to_us_per_gbit,
    transaction_busy_cpu_count,
    us_per_gbit_to_cycles_per_byte,
    us_per_gbit_to_gbps_per_core,
    us_per_gbit_to_ms_per_transaction,
)

MIB_GBIT = Fraction(8 * 2**20, 10**9)
MB_GBIT = Fraction(8 * 10**6, 10**9)
EXACT_US_PER_GBIT = {
    ConsumptionUnit.US_PER_GBIT: Fraction(1),
    ConsumptionUnit.MS_PER_MB: 1000 / MB_GBIT,
    ConsumptionUnit.MS_PER_MIB: 1000 / MIB_GBIT,
    ConsumptionUnit.MS_PER_GB: 1 / MB_GBIT,
    ConsumptionUnit.US_PER_KIB: 1024 / MIB_GBIT,
    ConsumptionUnit.CORES_PER_GBPS: Fraction(10**6),
}


@pytest.mark.parametrize(
    ("cpu_time", "data", "ratio", "change"),
    [
        (1.1, 1.1, 1.0, CostChange.EQUAL),
        (1.32, 1.1, 1.2, CostChange.HIGHER),
        (1.0, 1.1, None, CostChange.LOWER),
    ],
)
def test_the_published_examples_of_consumption(
    cpu_time: float, data: float, ratio: float | None, change: CostChange
) -> None:
    """N. Hoppmann (2021), slide 15 (two examples) and slide 14 (third case of its list)."""
    assert consumption_change(cpu_time, data) is change
    if ratio is not None:
        assert consumption_ratio(cpu_time, data) == pytest.approx(ratio, rel=1e-12)
        assert scaled_consumption_us_per_gbit(7, cpu_time, data) == pytest.approx(7 * ratio)


@pytest.mark.parametrize(
    ("time_percent", "cost_percent", "data_ratio", "cpu_ratio"),
    [
        (-37, -35, 1.5873, 1.0317),  # OSA-Express7S, 250 connections: 1 / 0.63, 0.65 / 0.63
        (+13, -18, 0.8850, 0.7257),  # OSA-Express7S, 50 connections: 1 / 1.13, 0.82 / 1.13
        (-34, -28, 1.5152, 1.0909),  # RoCE Express2.1, 250 connections: 1 / 0.66, 0.72 / 0.66
        (+17, +12, 0.8547, 0.9573),  # RoCE Express2.1, 10 connections: 1 / 1.17, 1.12 / 1.17
    ],
)
def test_data_and_cpu_time_behind_the_published_gains_of_packet_steering(
    time_percent: int, cost_percent: int, data_ratio: float, cpu_ratio: float
) -> None:
    """N. Hoppmann (2021), slides 41 and 44 for the percentages; quotients by hand."""
    data = data_ratio_at_fixed_concurrency(1 + time_percent / 100)
    assert data == pytest.approx(data_ratio, rel=0, abs=0.5e-4)
    ratio = cpu_time_ratio(1 + cost_percent / 100, data)
    assert ratio == pytest.approx(cpu_ratio, rel=0, abs=0.5e-4)


def test_half_the_time_at_75_percent_more_cost_needs_more_than_3_5_times_the_cpu() -> None:
    """N. Hoppmann (2021), results of rr1c-200x1000, one connection; 1.75 / 0.5 = 3.5."""
    assert cpu_time_ratio(1.75, data_ratio_at_fixed_concurrency(0.5)) == 3.5
    for less_than_half in (0.499, 0.45, 0.2):
        assert cpu_time_ratio(1.75, data_ratio_at_fixed_concurrency(less_than_half)) > 3.5


@pytest.mark.parametrize("unit", ConsumptionUnit)
def test_one_of_each_unit(unit: ConsumptionUnit) -> None:
    """By definition: µs over Gbit, a byte of 8 bits, MB 10^6 and MiB 2^20 bytes."""
    expected = pytest.approx(float(EXACT_US_PER_GBIT[unit]), rel=1e-15)
    assert to_us_per_gbit(1, unit) == expected
    assert unit.us_per_gbit == expected


def test_time_per_transaction_of_200_and_1000_bytes() -> None:
    """By hand: 24.4 µs / (1200 * 8e-9 Gbit) = 2 541 666.67 µs/Gbit."""
    expected = pytest.approx(2_541_666.67, rel=0, abs=0.005)
    assert ms_per_transaction_to_us_per_gbit(0.0244, 1200) == expected
    assert parse_consumption_us_per_gbit("24.4 us/transaction", transaction_bytes=1200) == expected
    assert us_per_gbit_to_ms_per_transaction(2_541_666.67, 1200) == pytest.approx(0.0244, rel=1e-8)


def test_cycles_at_5_2_ghz() -> None:
    """By hand: 8e-15 * 1e5 * 5.2e9 = 4.16 cycles/byte; 1448 bytes take 6023.68 cycles."""
    cycles_per_byte = us_per_gbit_to_cycles_per_byte(1e5, 5.2e9)
    assert cycles_per_byte == pytest.approx(4.16, rel=1e-12)
    assert cycles_per_byte * 1448 == pytest.approx(6023.68, rel=1e-12)
    assert cycles_per_byte_to_us_per_gbit(4.16, 5.2e9) == pytest.approx(1e5, rel=1e-12)


def test_cores_at_25_gbit_per_s() -> None:
    """By hand: 1e5 µs/Gbit * 25 Gbit/s = 2.5e6 µs/s; one core carries 10 Gbit/s."""
    assert busy_cpu_count(1e5, 25e9) == pytest.approx(2.5, rel=1e-12)
    assert us_per_gbit_to_gbps_per_core(1e5) == 10
    assert from_us_per_gbit(1e5, ConsumptionUnit.CORES_PER_GBPS) == pytest.approx(0.1, rel=1e-12)


def test_cycles_for_each_frame_of_13_4_gbit_per_s() -> None:
    """By hand: 13.4e9 / (8 * 1448) = 1.156768 million frames/s; 5200 / 1.156768 = 4495.28."""
    assert cycle_budget_per_frame(5.2e9, 13.4e9 / (8 * 1448)) == pytest.approx(4495.28, abs=0.005)


def test_busy_cpus_from_a_rate_of_work() -> None:
    """By hand: 2.5 ms a unit at 400 units/s is 1 CPU."""
    assert transaction_busy_cpu_count(2.5e-3, 400) == pytest.approx(1, rel=1e-12)
