"""Laws of the universal scalability law, whatever its coefficients."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.concurrency import scalability_peak_connection_count, scalability_rate_tps
from netmodel.errors import DomainError
from netmodel.testing import assert_scales

TIGHT = 1e-12
COUNTS = st.floats(1, 1e4)
RATES_TPS = st.floats(1e-3, 1e9)
CONTENTIONS = st.floats(0, 1)
COHERENCIES = st.floats(1e-9, 1)


def test_the_rate_is_in_the_unit_of_the_rate_of_one() -> None:
    assert_scales(
        scalability_rate_tps,
        by="rate_at_one_tps",
        factors=st.floats(1e-3, 1e3),
        rounding_ratio=TIGHT,
        connection_count=COUNTS,
        rate_at_one_tps=RATES_TPS,
        contention_ratio=CONTENTIONS,
        coherency_ratio=COHERENCIES,
    )


@given(st.floats(0, 0.9), st.floats(1e-6, 0.05))
def test_the_peak_is_a_peak_and_no_shoulder(contention: float, coherency: float) -> None:
    peak = scalability_peak_connection_count(contention, coherency)
    at_peak, *beside = (
        scalability_rate_tps(n, 1, contention, coherency) for n in (peak, peak * 1.1, peak / 1.1)
    )
    assert max(beside) < at_peak


def test_without_coherency_there_is_no_peak() -> None:
    with pytest.raises(DomainError, match=r"^coherency_ratio must be above 0; got 0$"):
        scalability_peak_connection_count(0.05, 0)
    assert scalability_peak_connection_count(1, 0.5) == 0
    assert math.isnan(scalability_peak_connection_count(math.nan, 0.5))
