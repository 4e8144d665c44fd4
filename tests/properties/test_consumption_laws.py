"""Laws of consumption, for any CPU time and data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.consumption import (
    busy_cpu_count,
    consumption_by_unit,
    consumption_us_per_gbit,
    parse_consumption_us_per_gbit,
    required_cpu_count,
)

CLOSE = 1e-12
CONSUMPTIONS = st.floats(1e-3, 1e9)
RATES_BPS = st.floats(1e3, 1e13)
SPELT = {
    "us_per_gbit": "µs/Gbit",
    "ms_per_mb": "ms/MB",
    "ms_per_mib": "ms/MiB",
    "ms_per_gb": "ms/GB",
    "us_per_kib": "µs/KiB",
    "cores_per_gbps": "cores/(Gbit/s)",
    "gbps_per_core": "(Gbit/s)/core",
    "ms_per_transaction": "ms/transaction",
    "cycles_per_byte": "cycles/byte",
}


def close(expected: float) -> object:
    return pytest.approx(expected, rel=CLOSE)


@given(CONSUMPTIONS, st.floats(1, 1e9), st.floats(1e6, 1e10))
def test_what_is_written_in_any_unit_is_read_back(
    consumption: float, transaction_bytes: float, clock_hz: float
) -> None:
    by_unit = consumption_by_unit(consumption, transaction_bytes, clock_hz)
    assert by_unit.keys() == SPELT.keys()
    for name, value in by_unit.items():
        for unit in (SPELT[name], SPELT[name].replace("µ", "u")):
            read = parse_consumption_us_per_gbit(
                f" {value!r}{unit} ", transaction_bytes=transaction_bytes, cpu_frequency_hz=clock_hz
            )
            assert read == close(consumption)
    fewer = consumption_by_unit(consumption)
    assert set(by_unit) - set(fewer) == {"ms_per_transaction", "cycles_per_byte"}
    assert consumption_by_unit(0)["gbps_per_core"] is None


@given(CONSUMPTIONS, RATES_BPS)
def test_busy_cpus_and_a_rate_give_the_consumption_back(
    consumption: float, rate_bps: float
) -> None:
    busy = busy_cpu_count(consumption, rate_bps)
    assert consumption_us_per_gbit(busy, rate_bps) == close(consumption)


@given(CONSUMPTIONS, RATES_BPS, st.floats(1e-2, 1), st.floats(1, 10))
def test_the_required_cpus_hold_the_busy_ones_and_no_more(
    consumption: float, rate_bps: float, utilisation: float, more: float
) -> None:
    busy = busy_cpu_count(consumption, rate_bps)
    count = required_cpu_count(consumption, rate_bps, utilisation)
    assert isinstance(count, int)
    assert count * utilisation >= busy * (1 - 2 * CLOSE)
    assert (count - 1) * utilisation < busy
    assert required_cpu_count(consumption * more, rate_bps, utilisation) >= count
