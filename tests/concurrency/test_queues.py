"""Edges of the domain, errors and shapes of open queues."""

import math

import numpy as np
import pytest
import sympy

from netmodel.concurrency import (
    erlang_b_blocking_ratio,
    erlang_c_waiting_ratio,
    mmc_waiting_time_s,
)


def test_arrays_of_loads_keep_their_shape_and_values() -> None:
    loads = np.linspace(0, 29.9, 12).reshape(3, 4)
    for ratio in (erlang_b_blocking_ratio, erlang_c_waiting_ratio):
        result = ratio(loads, 30)
        assert result.shape == (3, 4)
        assert result.ravel().tolist() == [ratio(load, 30) for load in loads.ravel().tolist()]
        assert np.isnan(ratio([1, math.nan], 30)).tolist() == [False, True]
    times_s = mmc_waiting_time_s(loads[:, :1], np.array([0.5, 1]), 30)
    assert times_s.shape == (3, 2)
    assert times_s[2, 1] == mmc_waiting_time_s(loads[2, 0], 1, 30)


def test_many_servers_neither_overflow_nor_underflow_into_nan() -> None:
    blocking = erlang_b_blocking_ratio(np.array([1e-300, 1, 1e4, 1e300]), 10_000)
    assert blocking[:2].tolist() == [0, 0]
    assert blocking[2] == pytest.approx(0.0079, abs=5e-5)  # sqrt(2 / (pi m)) at a = m
    assert blocking[3] == 1


def test_symbols_pass() -> None:
    load = sympy.Symbol("a", positive=True)
    waiting = erlang_c_waiting_ratio(load, 2)
    assert sympy.simplify(waiting - load**2 / (2 + load)) == 0
