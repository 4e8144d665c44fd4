"""Laws of consumption, for any CPU time and data."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.consumption import (
    ConsumptionUnit,
    CostChange,
    busy_cpu_count,
    consumption_change,
    consumption_ratio,
    consumption_us_per_gbit,
    cpu_time_ratio,
    cycle_budget_per_frame,
    cycles_per_byte_to_us_per_gbit,
    from_us_per_gbit,
    ms_per_transaction_to_us_per_gbit,
    parse_consumption_us_per_gbit,
    required_cpu_count,
    scaled_consumption_us_per_gbit,
    to_us_per_gbit,
    transaction_busy_cpu_count,
    us_per_gbit_to_cycles_per_byte,
    us_per_gbit_to_gbps_per_core,
    us_per_gbit_to_ms_per_transaction,
)
from netmodel.testing import assert_inverse

Formula = Callable[..., float]
CLOSE = 1e-12
CONSUMPTIONS = st.floats(1e-3, 1e9)
RATES_BPS = st.floats(1e3, 1e13)
RATIOS = st.floats(1e-3, 1e3)
CLOCKS_HZ = st.floats(1e6, 1e10)
TIMES_S = st.floats(1e-6, 1e6)
DATA_BITS = st.floats(1, 1e18)
TRANSACTIONS_BYTES = st.floats(1, 1e9)
units = pytest.mark.parametrize("unit", ConsumptionUnit)


def close(expected: float) -> object:
    return pytest.approx(expected, rel=CLOSE)


@units
@given(CONSUMPTIONS)
def test_units_are_read_as_written_and_convert_back(
    unit: ConsumptionUnit, consumption: float
) -> None:
    expected = to_us_per_gbit(consumption, unit)
    assert parse_consumption_us_per_gbit(f"{consumption!r} {unit.value}") == expected
    assert from_us_per_gbit(expected, unit) == close(consumption)
    spelt = unit.value.replace("µ", "u")
    assert parse_consumption_us_per_gbit(f" {consumption!r}{spelt} ") == expected


@pytest.mark.parametrize(
    ("there", "back", "condition"),
    [
        (us_per_gbit_to_gbps_per_core, us_per_gbit_to_gbps_per_core, {}),
        (
            us_per_gbit_to_ms_per_transaction,
            ms_per_transaction_to_us_per_gbit,
            {"transaction_bytes": TRANSACTIONS_BYTES},
        ),
        (
            us_per_gbit_to_cycles_per_byte,
            cycles_per_byte_to_us_per_gbit,
            {"cpu_frequency_hz": CLOCKS_HZ},
        ),
    ],
)
def test_every_conversion_undoes_its_inverse(
    there: Formula, back: Formula, condition: dict[str, st.SearchStrategy[float]]
) -> None:
    assert_inverse(
        there,
        back,
        of="consumption_us_per_gbit",
        rounding_ratio=CLOSE,
        consumption_us_per_gbit=CONSUMPTIONS,
        **condition,
    )


@given(CONSUMPTIONS, RATES_BPS)
def test_busy_cpus_and_a_rate_give_the_consumption_back(
    consumption: float, rate_bps: float
) -> None:
    busy = busy_cpu_count(consumption, rate_bps)
    assert consumption_us_per_gbit(busy, rate_bps) == close(consumption)


@given(CONSUMPTIONS, RATES_BPS, TRANSACTIONS_BYTES)
def test_transactions_keep_as_many_cpus_busy_as_their_bits(
    consumption: float, rate_bps: float, transaction_bytes: float
) -> None:
    time_s = us_per_gbit_to_ms_per_transaction(consumption, transaction_bytes) / 1e3
    transaction_rate_tps = rate_bps / (8 * transaction_bytes)
    assert transaction_busy_cpu_count(time_s, transaction_rate_tps) == close(
        busy_cpu_count(consumption, rate_bps)
    )


@given(TIMES_S, DATA_BITS, RATIOS, RATIOS)
def test_scaling_a_run_scales_its_consumption(
    time_s: float, data_bits: float, cpu_ratio: float, data_ratio: float
) -> None:
    first = consumption_us_per_gbit(time_s, data_bits)
    second = consumption_us_per_gbit(time_s * cpu_ratio, data_bits * data_ratio)
    assert scaled_consumption_us_per_gbit(first, cpu_ratio, data_ratio) == close(second)
    assert consumption_ratio(cpu_ratio, data_ratio) == close(second / first)


@given(*[RATIOS] * 4)
def test_ratios_chain(cpu_12: float, data_12: float, cpu_23: float, data_23: float) -> None:
    chained = consumption_ratio(cpu_12, data_12) * consumption_ratio(cpu_23, data_23)
    assert consumption_ratio(cpu_12 * cpu_23, data_12 * data_23) == close(chained)
    assert consumption_ratio(cpu_12, data_12) * consumption_ratio(data_12, cpu_12) == close(1)


@given(RATIOS, RATIOS)
def test_the_cpu_time_ratio_undoes_the_consumption_ratio(
    cpu_ratio: float, data_ratio: float
) -> None:
    assert cpu_time_ratio(consumption_ratio(cpu_ratio, data_ratio), data_ratio) == close(cpu_ratio)


@given(RATIOS, RATIOS | st.floats(0.9, 1.1) | st.sampled_from([1 - 2**-52, 1.0, 1 + 2**-52]))
def test_consumption_changes_by_the_sign_of_cpu_time_less_data(
    cpu_ratio: float, relative: float
) -> None:
    data_ratio = cpu_ratio * relative
    expected = {-1: CostChange.LOWER, 0: CostChange.EQUAL, 1: CostChange.HIGHER}
    sign = (cpu_ratio > data_ratio) - (cpu_ratio < data_ratio)
    assert consumption_change(cpu_ratio, data_ratio) is expected[sign]


@given(CONSUMPTIONS, RATES_BPS, st.floats(1e-2, 1))
def test_the_required_cpus_hold_the_busy_ones_and_no_more(
    consumption: float, rate_bps: float, utilisation: float
) -> None:
    busy = busy_cpu_count(consumption, rate_bps)
    count = required_cpu_count(consumption, rate_bps, utilisation)
    assert isinstance(count, int)
    assert count * utilisation >= busy * (1 - 2 * CLOSE)
    assert (count - 1) * utilisation < busy
    assert required_cpu_count(consumption, rate_bps) <= count


@given(CONSUMPTIONS, RATES_BPS, st.floats(1e-2, 1), st.floats(1, 10))
def test_more_work_or_more_headroom_never_needs_fewer_cpus(
    consumption: float, rate_bps: float, utilisation: float, more: float
) -> None:
    count = required_cpu_count(consumption, rate_bps, utilisation)
    assert required_cpu_count(consumption * more, rate_bps, utilisation) >= count
    assert required_cpu_count(consumption, rate_bps * more, utilisation) >= count
    assert required_cpu_count(consumption, rate_bps, utilisation / more) >= count


@given(st.integers(0, 4096), st.integers(1, 100), st.integers(1, 400))
def test_whole_cpus_need_no_other_for_the_rounding_of_floats(
    count: int, percent: int, gbps: int
) -> None:
    utilisation = percent / 100
    consumption = count * utilisation / gbps * 1e6
    assert required_cpu_count(consumption, gbps * 1e9, utilisation) == count


@given(CLOCKS_HZ, RATIOS, RATIOS)
def test_a_cycle_budget_is_spent_by_its_frames(
    clock_hz: float, rate_fps: float, scale: float
) -> None:
    budget = cycle_budget_per_frame(clock_hz, rate_fps)
    assert budget * rate_fps == close(clock_hz)
    assert cycle_budget_per_frame(clock_hz * scale, rate_fps * scale) == close(budget)
