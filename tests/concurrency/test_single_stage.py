"""One stage that connections share: shapes of the results, and what is refused."""

import math

import numpy as np
import pytest
import sympy

from netmodel.concurrency import exact_closed_network, single_stage_rate_tps
from netmodel.errors import DomainError


def test_arrays_are_broadcast_and_numbers_answer_with_floats() -> None:
    counts, parallel_counts = np.array([[1], [20], [300]]), np.array([1, 8])
    rates = single_stage_rate_tps(12, counts, 40, parallel_counts)
    assert rates.shape == (3, 2)
    assert rates.dtype == np.float64
    for row, column in np.ndindex(3, 2):
        single = single_stage_rate_tps(12, counts[row, 0], 40, parallel_counts[column])
        assert type(single) is float
        assert rates[row, column] == pytest.approx(single)


def test_missing_numbers_stay_missing() -> None:
    rates = single_stage_rate_tps(1, np.array([1, math.nan]), 1)
    assert rates[0] == pytest.approx(0.5)
    assert math.isnan(rates[1])
    assert math.isnan(single_stage_rate_tps(1, 1, math.nan))


def test_without_think_time_all_servers_work() -> None:
    assert single_stage_rate_tps(2, 3, 0, 8) == pytest.approx(1.5)
    assert single_stage_rate_tps(2, 30, 0, 8) == pytest.approx(4)


def test_a_million_connections() -> None:
    assert single_stage_rate_tps(1e-6, 1_000_000, 1) == pytest.approx(1e6, rel=1e-2)
    assert single_stage_rate_tps(1e-9, 1_000_000, 1) == pytest.approx(1e6, rel=1e-6)


def test_a_stage_has_no_symbols() -> None:
    with pytest.raises(DomainError, match="must not be symbols"):
        single_stage_rate_tps(sympy.Symbol("D", positive=True), 1)


@pytest.mark.parametrize("parallel_count", [1, 2, 3])
def test_few_connections_are_those_of_the_exact_network(parallel_count: int) -> None:
    assert single_stage_rate_tps(1, 2, 1) == pytest.approx(0.8)  # by hand: (1 - 1/5) / 1 s
    counts = np.arange(1, 9)
    exact = exact_closed_network([2.0], counts, 3, parallel_count).transaction_rate_tps
    for count, rate_tps in zip(counts, exact, strict=True):
        found = single_stage_rate_tps(2, count, 3, parallel_count)
        assert found == pytest.approx(rate_tps, rel=1e-12)
