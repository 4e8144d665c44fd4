"""Laws of sizes, for any demand and capacities."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.planning.sizing import lognormal_peak_ratio, required_adapter_count

RATES_BPS = st.floats(1e6, 1e13)
SHARES = st.floats(0.01, 1)
SPARES = st.integers(0, 5)
VARIATIONS = st.floats(0, 3)
QUANTILES = st.floats(0.001, 0.999)
MARGIN = 1 + 1e-11


@given(RATES_BPS, RATES_BPS, SHARES, SPARES)
def test_the_number_is_enough_and_one_less_is_not(
    demand_bps: float, capacity_bps: float, share: float, spare_count: int
) -> None:
    count = required_adapter_count(demand_bps, capacity_bps, share, spare_count)
    left = count - spare_count
    assert demand_bps / (left * capacity_bps) <= share * MARGIN
    if left > 1:
        assert demand_bps / ((left - 1) * capacity_bps) * MARGIN > share


@given(st.integers(1, 500), st.integers(1, 1000), st.integers(1, 100))
def test_an_exact_multiple_needs_exactly_that_many(
    count: int, tenths_of_gbit: int, percent: int
) -> None:
    """As decimal figures are multiplied by hand; floats may come out a little above."""
    capacity, share = Fraction(tenths_of_gbit, 10), Fraction(percent, 100)
    demand_bps = float(capacity * share * count * 10**9)
    capacity_bps = float(capacity * 10**9)
    assert required_adapter_count(demand_bps, capacity_bps, float(share)) == count


@given(QUANTILES, VARIATIONS)
def test_quantiles_are_those_of_their_distributions(quantile: float, variation: float) -> None:
    from scipy.stats import lognorm

    spread = math.sqrt(math.log(1 + variation**2))
    if variation > 1e-3:
        assert lognormal_peak_ratio(quantile, variation) == pytest.approx(
            lognorm.ppf(quantile, spread, scale=math.exp(-(spread**2) / 2)), rel=1e-9
        )


def test_a_load_that_does_not_vary_has_no_peak() -> None:
    assert lognormal_peak_ratio(0.99, 0) == 1
    assert math.isnan(lognormal_peak_ratio(math.nan, 0.5))
