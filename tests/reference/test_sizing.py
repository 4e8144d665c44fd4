"""Sizes for a demand against numbers computed by hand and from tables of distributions."""

import pytest

from netmodel.planning.sizing import (
    adapter_use_ratio,
    lognormal_peak_ratio,
    required_adapter_count,
    required_core_count,
)

DEMAND_BPS, INTO_OSA7S_BPS = 40e9, 13.4e9


def test_forty_gbit_into_adapters_of_thirteen() -> None:
    assert required_adapter_count(DEMAND_BPS, INTO_OSA7S_BPS, 0.7) == 5
    assert required_adapter_count(DEMAND_BPS, INTO_OSA7S_BPS, 0.7, 1) == 6


@pytest.mark.parametrize(("count", "ratio"), [(6, 0.597), (5, 0.746), (4, 0.995)])
def test_after_one_of_them_failed(count: int, ratio: float) -> None:
    result = adapter_use_ratio(DEMAND_BPS, INTO_OSA7S_BPS, count, 1)
    assert result == pytest.approx(ratio, abs=0.0005)


@pytest.mark.parametrize(
    ("quantile", "variation", "ratio"),
    # The second is 2.6841125 to more digits, at the edge of two roundings.
    [(0.95, 0.5, 1.945318), (0.99, 0.5, 2.684113), (0.95, 1, 2.781129)],
)
def test_lognormal_peaks(quantile: float, variation: float, ratio: float) -> None:
    assert lognormal_peak_ratio(quantile, variation) == pytest.approx(ratio, abs=6e-7)


def test_cores_with_two_threads_do_the_work_of_fewer() -> None:
    """4 CPUs of work: 4 / 0.7 = 5.71 cores, and 4 / 0.7 / 1.3 = 4.40 of them with both threads."""
    assert required_core_count(4, 0.7) == 6
    assert required_core_count(4, 0.7, 1.3) == 5
