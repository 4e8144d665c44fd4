"""Laws of what receive packet steering (RPS) changes over connections."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel._estimates import Estimate
from netmodel.concurrency import exact_closed_network
from netmodel.path._recorded_exchange import spread
from netmodel.path._steered_exchange import ExchangeShares, SteeredExchange, steered_exchange

ROUNDING = 1e-9
"""Ratios of sums of at most a few hundred terms, each rounded to 1e-16."""
COUNTS = np.array([1, 2, 5, 10, 50, 250])


def ratios(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_subnormal=False)


SHARES = st.builds(
    ExchangeShares,
    cpu_ratio=ratios(0.01, 0.5),
    amortised_ratio=ratios(0, 0.6),
    amortising_count=ratios(0.5, 100),
    softirq_ratio=ratios(0.01, 0.5),
    polling_ratio=ratios(0, 1),
    bound_ratio=ratios(0, 1),
    steering_ratio=ratios(0, 0.4),
    handover_ratio=ratios(0, 0.4),
    batching_count=ratios(1, 300),
    batch_wait_ratio=ratios(0, 1),
)
QUEUES = st.integers(1, 64)
CPUS = st.integers(2, 64)


@given(SHARES, QUEUES, CPUS)
def test_one_connection_gains_nothing(
    shares: ExchangeShares, queue_count: int, cpu_count: int
) -> None:
    exchange = steered_exchange(shares, 1, queue_count, cpu_count)
    assert exchange.time_ratio >= 1 - ROUNDING
    assert exchange.cost_ratio >= 1 - ROUNDING
    assert exchange.time == pytest.approx(1, rel=ROUNDING)
    assert exchange.cost == pytest.approx(1, rel=ROUNDING)


@given(SHARES, QUEUES, CPUS)
def test_no_more_cpus_are_busy_than_there_are(
    shares: ExchangeShares, queue_count: int, cpu_count: int
) -> None:
    """The capacity is at most that of all CPUs over the CPU time of a transaction."""
    exchange = steered_exchange(shares, COUNTS, queue_count, cpu_count)
    for busy in (exchange.busy_cpus, exchange.steered_busy_cpus):
        assert np.all(busy <= cpu_count * (1 + ROUNDING))


@given(SHARES, QUEUES, CPUS)
def test_busy_cpus_follow_the_utilisation_law(
    shares: ExchangeShares, queue_count: int, cpu_count: int
) -> None:
    """U = X S: N / R transactions, each with the CPU time of one connection times the cost."""
    exchange = steered_exchange(shares, COUNTS, queue_count, cpu_count)
    for busy, time, cost in (
        (exchange.busy_cpus, exchange.time, exchange.cost),
        (exchange.steered_busy_cpus, exchange.steered_time, exchange.steered_cost),
    ):
        assert busy == pytest.approx(COUNTS / time * cost * shares.cpu_ratio, rel=ROUNDING)


@given(SHARES, QUEUES, CPUS)
def test_the_queues_of_the_adapter_limit_the_rate_without_steering(
    shares: ExchangeShares, queue_count: int, cpu_count: int
) -> None:
    exchange = steered_exchange(shares, COUNTS, queue_count, cpu_count)
    rates = COUNTS / exchange.time
    softirq = shares.softirq_ratio * shares.cpu_ratio * exchange.cost
    assert np.all(rates * softirq <= min(queue_count, cpu_count) * (1 + ROUNDING))


@given(SHARES, CPUS)
def test_more_queues_are_at_least_as_fast_as_one(shares: ExchangeShares, cpu_count: int) -> None:
    single, several = (
        steered_exchange(shares, COUNTS, queue_count, cpu_count) for queue_count in (1, 16)
    )
    assert np.all(several.time <= single.time * (1 + ROUNDING))


@given(SHARES, QUEUES, st.integers(2, 32))
def test_more_cpus_to_steer_to_are_no_slower(
    shares: ExchangeShares, queue_count: int, cpu_count: int
) -> None:
    """Up to the rate of the CPU that polls, which they leave as it is."""
    times = [
        steered_exchange(shares, COUNTS, queue_count, cpu_count, steered_count).steered_time
        for steered_count in range(1, cpu_count + 1)
    ]
    assert np.all(np.diff(times, axis=0) <= ROUNDING * np.array(times[:-1]))


@given(SHARES, QUEUES, CPUS)
def test_the_rate_rises_with_connections_where_demands_do_not_fall(
    shares: ExchangeShares, queue_count: int, cpu_count: int
) -> None:
    constant = shares._replace(amortised_ratio=0, handover_ratio=0, batch_wait_ratio=0)
    exchange = steered_exchange(constant, COUNTS, queue_count, cpu_count)
    for time in (exchange.time, exchange.steered_time):
        assert np.all(np.diff(COUNTS / time) >= -ROUNDING)
        assert np.all(np.diff(time) >= -ROUNDING)


@given(SHARES, QUEUES, CPUS)
def test_nothing_changes_where_steering_moves_adds_and_saves_nothing(
    shares: ExchangeShares, queue_count: int, cpu_count: int
) -> None:
    nothing = shares._replace(
        polling_ratio=1, bound_ratio=0, steering_ratio=0, handover_ratio=0, batch_wait_ratio=0
    )
    exchange = steered_exchange(nothing, COUNTS, queue_count, cpu_count)
    np.testing.assert_allclose(exchange.time_ratio, 1, rtol=ROUNDING)
    np.testing.assert_allclose(exchange.cost_ratio, 1, rtol=ROUNDING)


@given(SHARES, QUEUES, CPUS)
def test_arrays_are_their_elements(
    shares: ExchangeShares, queue_count: int, cpu_count: int
) -> None:
    several = steered_exchange(shares, COUNTS[::-1], queue_count, cpu_count)
    for place, count in enumerate(COUNTS[::-1]):
        single = steered_exchange(shares, int(count), queue_count, cpu_count)
        for one_field, field in zip(single, several, strict=True):
            np.testing.assert_allclose(field[place], one_field, rtol=ROUNDING)


@given(SHARES, st.sampled_from([1, 2, 50]), st.integers(2, 8))
def test_stages_are_those_of_the_general_solver(
    shares: ExchangeShares, count: int, cpu_count: int
) -> None:
    """One queue: its CPU, as many stages as CPUs that the hash chooses, and the pool, twice."""
    exchange = steered_exchange(shares, count, 1, cpu_count)
    share = shares.softirq_ratio
    polling = shares.polling_ratio * share
    moved = share - polling + shares.bound_ratio * (1 - 1 / cpu_count - share)
    batched = (count - 1) / (count - 1 + shares.batching_count)
    for cost, time, stages, wait in (
        (exchange.cost, exchange.time, [share], 0),
        (
            exchange.steered_cost,
            exchange.steered_time,
            [polling, *[moved / cpu_count] * cpu_count],
            shares.batch_wait_ratio * batched,
        ),
    ):
        demands = [shares.cpu_ratio * cost * each for each in (*stages, 1 / cpu_count)]
        rest = 2 * (shares.cpu_ratio * cost - sum(demands))
        elsewhere = 1 - 2 * shares.cpu_ratio + wait
        # all of the time may be CPU time: the rest is then rounding, on either side of 0
        think_s = max(elsewhere + rest, 0.0)
        general = exact_closed_network([*demands, *demands], count, think_s)
        assert count / general.transaction_rate_tps == pytest.approx(time, rel=1e-9, abs=0)


def test_many_connections_reach_the_smallest_capacity() -> None:
    """Demands as in the Notes, by hand: 8 CPUs, cost 0.7 + 0.02 - 0.2 = 0.52 with RPS."""
    shares = ExchangeShares(0.4, 0.3, 1e-3, 0.4, 0.5, 0.5, 0.02, 0.2, 1e-3, 0)
    exchange = steered_exchange(shares, 4000, 1, 8)
    assert 4000 / exchange.time == pytest.approx(1 / (0.4 * 0.4 * 0.7), rel=0.01)
    assert 4000 / exchange.steered_time == pytest.approx(1 / (0.2 * 0.4 * 0.52), rel=0.01)
    spread = steered_exchange(shares._replace(polling_ratio=0.01), 4000, 1, 8)
    assert 4000 / spread.steered_time == pytest.approx(8 / (0.4 * 0.52), rel=0.01)
    single = steered_exchange(shares._replace(polling_ratio=0.01), 4000, 1, 8, 1)
    moved = 0.4 * 0.99 + 0.5 * (1 - 1 / 8 - 0.4)
    assert 4000 / single.steered_time == pytest.approx(1 / (moved * 0.4 * 0.52), rel=0.01)


def test_one_queue_and_a_delay_are_the_machine_repairman() -> None:
    """Without a pool to speak of: many CPUs, and a queue whose time is a third of the whole."""
    shares = ExchangeShares(1 / 3, 0, 1, 0.5, 0, 0, 0, 0, 1, 0)
    exchange = steered_exchange(shares, np.array([1, 10]), 1, 10**9)
    # two queues of 1/6 each, a delay of 2/3: mean value analysis by hand gives X(2) = 12/7
    np.testing.assert_allclose(exchange.time[0], 1, rtol=1e-6)
    pair = steered_exchange(shares, 2, 1, 10**9)
    np.testing.assert_allclose(2 / pair.time, 2 / (2 / 3 + 2 / 6 * (1 + 1 / 6)), rtol=1e-6)


def steered(**changes: float | Any) -> SteeredExchange:
    shares = ExchangeShares(0.2, 0.3, 5, 0.3, 0.5, 0.5, 0.02, 0.2, 40, 0.1)
    return steered_exchange(shares._replace(**changes), COUNTS, 1, 8)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cpu_ratio", 0.6),
        ("cpu_ratio", 0),
        ("softirq_ratio", 0.9),
        ("amortised_ratio", 0.9),
        ("polling_ratio", 1.1),
        ("bound_ratio", 1.1),
        ("steering_ratio", -0.1),
        ("amortising_count", 0),
        ("batching_count", 0),
    ],
)
def test_shares_outside_of_the_model_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name if value >= 0 else "at least 0"):
        steered(**{name: value})


def test_cpus_outside_of_the_host_are_refused() -> None:
    shares = ExchangeShares(0.2, 0.3, 5, 0.3, 0.5, 0.5, 0.02, 0.2, 40, 0.1)
    with pytest.raises(ValueError, match=r"\(steered_count\) must be 1 to 8"):
        steered_exchange(shares, 10, 1, 8, 9)
    with pytest.raises(ValueError, match="cpu_count must be at least 2"):
        steered_exchange(shares, 10, 1, 1)


def test_the_spread_of_samples_is_the_best_fit_and_the_middle_95_percent() -> None:
    others = np.random.default_rng(1).permutation(np.delete(np.arange(990.0), 500))
    # at least 2.5 % and 97.5 % of 990: ranks 25 and 966, counted from 1
    assert spread(np.append(500.0, others)) == Estimate(500.0, 24.0, 965.0)
    assert spread(np.append(2000.0, others)) == Estimate(2000.0, 24.0, 2000.0)
