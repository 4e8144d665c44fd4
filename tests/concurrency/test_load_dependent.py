"""Stages whose demand changes with the transactions there: shapes, and what is refused."""

import math

import numpy as np
import pytest
import sympy

from netmodel.concurrency import load_dependent_closed_network
from netmodel.errors import DomainError


def test_models_lie_behind_the_axis_of_the_transactions() -> None:
    first = np.array([[3, 4, 5], [1, 2, 5], [1, 1, 4]])
    counts, thinks_s = np.array([[1], [9]]), np.array([0.0, 1.0, 2.0])
    network = load_dependent_closed_network([first, [2, 3]], counts, thinks_s)
    assert network.transaction_rate_tps.shape == (2, 3)
    for row, column in np.ndindex(2, 3):
        demands_s = [first[:, column], [2, 3]]
        single = load_dependent_closed_network(demands_s, counts[row, 0], thinks_s[column])
        assert network.transaction_rate_tps[row, column] == single.transaction_rate_tps
        queues = [queue[row, column] for queue in network.stage_connection_counts]
        assert queues == list(single.stage_connection_counts)


def test_terms_beyond_the_largest_float_are_scaled() -> None:
    """10^400: where nobody thinks, the only stage is as fast as with all connections at it."""
    network = load_dependent_closed_network([[10] * 400 + [1]], np.array([300, 500]))
    assert network.transaction_rate_tps == pytest.approx([0.1, 1])


def test_missing_numbers_stay_missing() -> None:
    network = load_dependent_closed_network([[2, 1], 3], np.array([3, math.nan]))
    assert np.isnan(network.transaction_rate_tps).tolist() == [False, True]
    assert math.isnan(load_dependent_closed_network([[2, math.nan], 3], 3).transaction_rate_tps)
    entries = [[2, 1], 3, lambda there: 1 / there]
    assert math.isnan(load_dependent_closed_network(entries, math.nan).transaction_rate_tps)


def test_a_stage_without_demand_holds_nothing() -> None:
    network = load_dependent_closed_network([0, [0, 0], [2, 1]], 3)
    assert network.stage_connection_counts == (0, 0, 3)


def test_demands_by_number_are_refused_like_plain_ones() -> None:
    with pytest.raises(DomainError, match=r"demands_s\[1\] must be at least 0 s; got -1"):
        load_dependent_closed_network([1, lambda there: -there], 2)
    for demand_s in (lambda there: 1 / there, 1 / np.arange(1, 20_001)):
        with pytest.raises(DomainError, match=r"take too long: at most 1e\+10 as a product"):
            load_dependent_closed_network([demand_s], 1_000_000)
    with pytest.raises(DomainError, match="must not be symbols"):
        load_dependent_closed_network([sympy.Symbol("D", positive=True)], 1)
    with pytest.raises(DomainError, match="sum of demands_s must be above 0 s"):
        load_dependent_closed_network([0, [0, 0]], 2)
