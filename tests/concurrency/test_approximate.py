"""Laws of approximate and multi-class networks, and of bounds of time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.concurrency import (
    approximate_closed_network,
    approximate_multiclass_network,
    asymptotic_rate_bounds_tps,
    asymptotic_time_bounds_s,
    balanced_rate_bounds_tps,
    balanced_time_bounds_s,
    exact_closed_network,
    exact_multiclass_network,
    saturation_rate_tps,
)

DEMANDS_S = st.lists(st.floats(1e-3, 10), min_size=1, max_size=5)
COUNTS = st.integers(1, 200)
THINKS_S = st.just(0.0) | st.floats(1e-3, 100)


def test_several_servers_are_a_queue_and_a_delay() -> None:
    """Seidmann; of Bolch, example 8.4."""
    near = approximate_closed_network(
        [0.5, 0.3, 0.4], np.array([3, 9]), 1, [2, 1, 1]
    ).transaction_rate_tps
    split = approximate_closed_network(
        [0.25, 0.3, 0.4], np.array([3, 9]), 1.25
    ).transaction_rate_tps
    assert near == pytest.approx(split, rel=1e-12)


@given(DEMANDS_S, COUNTS, THINKS_S)
def test_schweitzer_is_at_most_7_percent_below_the_exact_rate(
    demands_s: list[float], count: int, think_s: float
) -> None:
    exact = exact_closed_network(demands_s, count, think_s).transaction_rate_tps
    near = approximate_closed_network(demands_s, count, think_s)
    assert exact * 0.93 <= near.transaction_rate_tps <= exact * (1 + 1e-9)
    if count == 1:
        assert near.transaction_rate_tps == pytest.approx(exact, rel=1e-12)
    inside = sum(near.stage_connection_counts) + near.transaction_rate_tps * think_s
    assert inside == pytest.approx(count, rel=1e-9)


@given(DEMANDS_S, st.integers(1, 4), st.integers(0, 4), THINKS_S)
def test_alike_classes_are_one_class(
    demands_s: list[float], first: int, second: int, think_s: float
) -> None:
    for several, one in (
        (exact_multiclass_network, exact_closed_network),
        (approximate_multiclass_network, approximate_closed_network),
    ):
        network = several([demands_s, demands_s], [first, second], think_s)
        alone = one(demands_s, first + second, think_s)
        rate = network.transaction_rates_tps.sum()
        if one is exact_closed_network or not second:  # Schweitzer sees less of its own class
            assert rate == pytest.approx(alone.transaction_rate_tps, rel=1e-9)
        assert rate <= saturation_rate_tps(demands_s) * (1 + 1e-9)


@given(DEMANDS_S, COUNTS, THINKS_S)
def test_bounds_of_time_are_those_of_the_rate(
    demands_s: list[float], count: int, think_s: float
) -> None:
    """By Little's law."""
    for rates, times in (
        (asymptotic_rate_bounds_tps, asymptotic_time_bounds_s),
        (balanced_rate_bounds_tps, balanced_time_bounds_s),
    ):
        low_tps, high_tps = rates(demands_s, count, think_s)
        low_s, high_s = times(demands_s, count, think_s)
        assert count / (high_s + think_s) == pytest.approx(low_tps)
        assert count / (low_s + think_s) == pytest.approx(high_tps)
        assert high_tps <= saturation_rate_tps(demands_s) * (1 + 1e-9)
