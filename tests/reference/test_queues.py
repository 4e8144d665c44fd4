"""Open queues: printed tables, numbers worked out by hand, and balance equations solved."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest

from netmodel.concurrency import (
    approximate_gg1_waiting_time_s,
    batch_mg1_waiting_time_s,
    erlang_b_blocking_ratio,
    mg1_waiting_time_s,
)

EXACT = 1e-12
SOLVED = 1e-9
"""What truncation and the linear solver leave."""

Batches = dict[int, float]
THREES: Batches = {3: 1.0}
MIXED: Batches = {1: 0.5, 2: 0.2, 7: 0.3}


@pytest.mark.parametrize("load", [Fraction(1, 7), Fraction(10), Fraction(99, 2)])
@pytest.mark.parametrize("parallel_count", [1, 14, 50])
def test_erlang_b_is_the_sum_of_terms(load: Fraction, parallel_count: int) -> None:
    terms = [load**n / factorial(n) for n in range(parallel_count + 1)]
    expected = terms[-1] / sum(terms)
    assert erlang_b_blocking_ratio(load, parallel_count) == expected  # type: ignore[call-overload]
    assert erlang_b_blocking_ratio(float(load), parallel_count) == pytest.approx(
        float(expected), rel=EXACT
    )


@pytest.mark.parametrize("phases", [1, 2, 4])
@pytest.mark.parametrize("batches", [{1: 1.0}, THREES, MIXED], ids=["single", "threes", "mixed"])
def test_one_server_as_balance_equations(phases: int, batches: Batches) -> None:
    """Services of exponential phases: variation 1 / sqrt(phases), by the phases that remain."""
    load, size = 0.6, 1200
    sizes, chances = np.array(list(batches)), np.array(list(batches.values()))
    mean = float(sizes @ chances)
    variation = float(np.sqrt((sizes - mean) ** 2 @ chances)) / mean
    rates = np.zeros((size, size))
    for remaining in range(size):
        if remaining:
            rates[remaining, remaining - 1] = phases
        for count, chance in batches.items():
            if (after := remaining + count * phases) < size:
                rates[remaining, after] = load / mean * chance
    waiting = np.maximum(-(-np.arange(size) // phases) - 1, 0)
    expected = waiting @ stationary(rates) / load
    result = batch_mg1_waiting_time_s(load, 1, phases**-0.5, mean, variation)
    assert result == pytest.approx(expected, rel=SOLVED)
    if batches == {1: 1.0}:
        assert mg1_waiting_time_s(load, 1, phases**-0.5) == pytest.approx(expected, rel=SOLVED)
        assert approximate_gg1_waiting_time_s(load, 1, 1, phases**-0.5) == pytest.approx(
            expected, rel=SOLVED
        )


def stationary(rates: np.ndarray) -> np.ndarray:
    """Share of time in each state, from the rates of going from row to column."""
    equations = (rates - np.diag(rates.sum(axis=1))).T
    equations[-1] = 1
    right = np.zeros(len(rates))
    right[-1] = 1
    return np.linalg.solve(equations, right)
