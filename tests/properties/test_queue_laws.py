"""Laws of open queues, for any load, variation and number of servers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.concurrency import (
    approximate_gg1_waiting_time_s,
    batch_mg1_waiting_time_s,
    erlang_b_blocking_ratio,
    erlang_c_waiting_ratio,
    mg1_waiting_time_s,
    mmc_waiting_time_s,
)

SHARES = st.floats(0.01, 0.99)
TIMES_S = st.floats(1e-9, 1e3)
VARIATIONS = st.floats(0, 10)
SERVERS = st.integers(1, 200)


def close(expected: float) -> object:
    return pytest.approx(expected, rel=1e-9)


@given(SHARES, SERVERS)
def test_fewer_are_lost_than_wait(share: float, parallel_count: int) -> None:
    load = share * parallel_count
    lost = erlang_b_blocking_ratio(load, parallel_count)
    assert 0 <= lost <= erlang_c_waiting_ratio(load, parallel_count) * (1 + 1e-9) < 1


@given(SHARES, TIMES_S, VARIATIONS)
def test_special_cases_agree(load: float, service_s: float, variation: float) -> None:
    rate_tps = load / service_s
    exponential_s = mg1_waiting_time_s(rate_tps, service_s, 1)
    any_s = mg1_waiting_time_s(rate_tps, service_s, variation)
    assert mmc_waiting_time_s(rate_tps, service_s, 1) == close(exponential_s)
    assert approximate_gg1_waiting_time_s(rate_tps, service_s, 1, variation) == close(any_s)
    assert batch_mg1_waiting_time_s(rate_tps, service_s, variation, 1) == close(any_s)


@given(SHARES, TIMES_S, SERVERS)
def test_one_queue_for_all_servers_waits_less_than_one_for_each(
    share: float, service_s: float, parallel_count: int
) -> None:
    """But those in the system stay longer than at one server that is as fast as all."""
    rate_tps = share / service_s
    shared_s = mmc_waiting_time_s(rate_tps * parallel_count, service_s, parallel_count)
    assert shared_s <= mg1_waiting_time_s(rate_tps, service_s, 1) * (1 + 1e-9)
    fast_s = mg1_waiting_time_s(rate_tps * parallel_count, service_s / parallel_count, 1)
    assert shared_s <= fast_s * (1 + 1e-9)
    total_s = shared_s + service_s
    assert total_s >= (fast_s + service_s / parallel_count) * (1 - 1e-9)
