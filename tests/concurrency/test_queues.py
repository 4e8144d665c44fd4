"""Edges of the domain, errors and shapes of open queues."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy

from netmodel.concurrency import (
    approximate_gg1_waiting_time_s,
    batch_mg1_waiting_time_s,
    erlang_b_blocking_ratio,
    erlang_c_waiting_ratio,
    mg1_waiting_time_s,
    mm1_place_count,
    mm1k_loss_ratio,
    mmc_waiting_time_s,
)
from netmodel.errors import DomainError

ONE_SERVER: dict[str, Callable[[float], float]] = {
    "mg1": lambda rate_tps: mg1_waiting_time_s(rate_tps, 1, 0.5),
    "gg1": lambda rate_tps: approximate_gg1_waiting_time_s(rate_tps, 1, 0.5, 0.5),
    "batch": lambda rate_tps: batch_mg1_waiting_time_s(rate_tps, 1, 0.5, 4),
}


@pytest.mark.parametrize("rate_tps", [1, 1e6])
@pytest.mark.parametrize("waiting", ONE_SERVER.values(), ids=ONE_SERVER)
def test_a_server_that_cannot_keep_up_is_refused(
    waiting: Callable[[float], float], rate_tps: float
) -> None:
    with pytest.raises(
        DomainError, match=r"^1 - arrival_rate_tps \* service_time_s must be above 0; got "
    ):
        waiting(rate_tps)
    with pytest.raises(DomainError, match=r"at index \(1,\)$"):
        waiting(np.array([0.5, rate_tps]))  # type: ignore[arg-type]


@pytest.mark.parametrize("load", [2, 3.5])
def test_servers_that_cannot_keep_up_are_refused(load: float) -> None:
    with pytest.raises(
        DomainError, match=r"^parallel_count - offered_load_erlang must be above 0; got "
    ):
        erlang_c_waiting_ratio(load, 2)
    with pytest.raises(
        DomainError,
        match=r"^parallel_count - arrival_rate_tps \* service_time_s must be above 0; got ",
    ):
        mmc_waiting_time_s(load, 1, 2)
    assert 0 < erlang_b_blocking_ratio(load, 2) < 1


@pytest.mark.parametrize(
    ("parallel_count", "message"),
    [
        (0, "parallel_count must be at least 1; got 0"),
        (1.5, "parallel_count must be a whole number; got 1.5"),
        (math.nan, "parallel_count must be one number; got nan"),
        (1_000_001, "parallel_count must be at most 1000000; got 1000001"),
    ],
)
def test_servers_are_one_whole_number(parallel_count: float, message: str) -> None:
    for call in (
        lambda: erlang_b_blocking_ratio(0.5, parallel_count),
        lambda: erlang_c_waiting_ratio(0.5, parallel_count),
        lambda: mmc_waiting_time_s(0.5, 1, parallel_count),
    ):
        with pytest.raises(DomainError) as caught:
            call()
        assert str(caught.value) == message


def test_negative_arguments_of_several_servers_are_refused() -> None:
    with pytest.raises(DomainError, match=r"^offered_load_erlang must be at least 0; got -1"):
        erlang_b_blocking_ratio(-1, 2)
    with pytest.raises(DomainError, match=r"^offered_load_erlang must be at least 0; got -1"):
        erlang_c_waiting_ratio(-1, 2)
    with pytest.raises(DomainError, match=r"^arrival_rate_tps must be at least 0 1/s"):
        mmc_waiting_time_s(-1, 1, 2)
    with pytest.raises(DomainError, match=r"^service_time_s must be at least 0 s; got -0.5$"):
        mmc_waiting_time_s(1, -0.5, 2)
    with pytest.raises(DomainError, match=r"^service_time_s must be finite"):
        mmc_waiting_time_s(1, math.inf, 2)


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


@pytest.mark.parametrize("place_count", [0, 2.5, 1_000_001, math.nan])
def test_places_are_whole_and_not_too_many(place_count: float) -> None:
    with pytest.raises(DomainError, match="place_count must be"):
        mm1k_loss_ratio(0.5, place_count)


@pytest.mark.parametrize("ratio", [0, 1, 1.5, -1, math.nan])
def test_places_for_ratios_between_0_and_1(ratio: float) -> None:
    with pytest.raises(DomainError, match="utilisation_ratio must be"):
        mm1_place_count(ratio, 0.5)
    with pytest.raises(DomainError, match="overflow_ratio must be"):
        mm1_place_count(0.5, ratio)
