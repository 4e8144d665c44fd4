"""Sizes for a demand against numbers computed by hand and from tables of distributions."""

import pytest

from netmodel.planning.sizing import lognormal_peak_ratio, required_adapter_count

DEMAND_BPS, INTO_OSA7S_BPS = 40e9, 13.4e9


def test_forty_gbit_into_adapters_of_thirteen() -> None:
    assert required_adapter_count(DEMAND_BPS, INTO_OSA7S_BPS, 0.7) == 5
    assert required_adapter_count(DEMAND_BPS, INTO_OSA7S_BPS, 0.7, 1) == 6


@pytest.mark.parametrize(
    ("quantile", "variation", "ratio"),
    # The second is 2.6841125 to more digits, at the edge of two roundings.
    [(0.95, 0.5, 1.945318), (0.99, 0.5, 2.684113), (0.95, 1, 2.781129)],
)
def test_lognormal_peaks(quantile: float, variation: float, ratio: float) -> None:
    assert lognormal_peak_ratio(quantile, variation) == pytest.approx(ratio, abs=6e-7)
