"""Solvers of closed networks where the usual recursions lose all digits."""

from itertools import accumulate, cycle
from operator import mul

import mpmath
import numpy as np
import pytest

from netmodel.concurrency import (
    asymptotic_rate_bounds_tps,
    balanced_rate_bounds_tps,
    exact_closed_network,
    load_dependent_closed_network,
)

pytestmark = pytest.mark.thorough

SERVERS = (1, 2, 8, 64)
COUNTS = (1, 10, 64, 100, 1000, 10_000)
RATIOS = (1e-6, 1e-3, 1.0, 1e3, 1e6)
PAIRS = [*zip(cycle(SERVERS), RATIOS, strict=False)]
"""Each number of servers and each ratio once, or twice."""
CLOSE = 1e-9
PRECISION = 1e-12
"""What rounding leaves of 16 digits after 10,000 steps."""


@pytest.mark.parametrize(("servers", "ratio"), PAIRS)
def test_two_stages_against_fifty_digits(servers: int, ratio: float) -> None:
    """All states of a cycle of two stages, one sum for each number of connections."""
    demands_s, parallel_counts = [1.0, ratio], [servers, 3]
    network = exact_closed_network(demands_s, np.array(COUNTS), 0, parallel_counts)
    for place, count in enumerate(COUNTS):
        rate, queues = _two_stages(demands_s, parallel_counts, count)
        assert network.transaction_rate_tps[place] == pytest.approx(rate, rel=PRECISION)
        for queue, expected in zip(network.stage_connection_counts, queues, strict=True):
            assert queue[place] == pytest.approx(expected, rel=PRECISION)


@pytest.mark.parametrize(("servers", "ratio"), PAIRS)
def test_one_stage_and_thinking_against_fifty_digits(servers: int, ratio: float) -> None:
    think_s = 1 / ratio
    several = exact_closed_network([1.0], np.array(COUNTS), think_s, servers).transaction_rate_tps
    for place, count in enumerate(COUNTS):
        # a delay centre is a stage with as many servers as connections
        rate, _ = _two_stages([1.0, think_s], [servers, count], count)
        assert several[place] == pytest.approx(rate, rel=PRECISION)


def _two_stages(
    demands_s: list[float], servers: list[int], count: int
) -> tuple[float, tuple[float, float]]:
    with mpmath.workdps(50):
        first, second = (
            list(
                accumulate(
                    (mpmath.mpf(demand_s) / min(j, m) for j in range(1, count + 1)),
                    mul,
                    initial=mpmath.mpf(1),
                )
            )
            for demand_s, m in zip(demands_s, servers, strict=True)
        )
        weights = [a * b for a, b in zip(first, reversed(second), strict=True)]
        total = mpmath.fsum(weights)
        fewer = mpmath.fdot(first[:count], reversed(second[:count]))
        there = mpmath.fsum(j * weight for j, weight in enumerate(weights)) / total
        return float(fewer / total), (float(there), float(count - there))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("think_s", [0.0, 1.0])
@pytest.mark.parametrize("servers", SERVERS)
def test_laws_hold_on_a_grid(servers: int, think_s: float) -> None:
    """Shares of busy servers from 0 to 1, rates that rise and stay below their bounds."""
    ratios = np.array(RATIOS)
    demands_s = [np.ones(len(RATIOS)), ratios, 1.0]
    parallel_counts = [servers, 5, 1]
    counts = np.array(COUNTS)[:, np.newaxis]
    network = exact_closed_network(demands_s, counts, think_s, parallel_counts)
    rates = network.transaction_rate_tps
    assert rates.shape == (len(COUNTS), len(RATIOS))
    assert np.isfinite(rates).all()
    assert (np.diff(rates, axis=0) >= -CLOSE * rates[1:]).all()
    somewhere = sum(network.stage_connection_counts) + rates * think_s
    assert somewhere == pytest.approx(np.broadcast_to(counts, rates.shape), rel=CLOSE)
    for demand_s, m in zip(demands_s, parallel_counts, strict=True):
        assert (rates * demand_s / m <= 1 + CLOSE).all()
    for queue, demand_s in zip(network.stage_connection_counts, demands_s, strict=True):
        assert (queue >= rates * demand_s * (1 - CLOSE)).all()
        assert (queue <= counts * (1 + CLOSE)).all()
    for bounds in (asymptotic_rate_bounds_tps, balanced_rate_bounds_tps):
        low, high = bounds(demands_s, counts, think_s, parallel_counts)
        assert (low * (1 - CLOSE) <= rates).all()
        assert (rates <= high * (1 + CLOSE)).all()
    by_presence = [
        lambda there, demand_s=demand_s, m=m: np.multiply.outer(
            1 / np.minimum(there, m), demand_s * np.ones(len(RATIOS))
        )
        for demand_s, m in zip(demands_s, parallel_counts, strict=True)
    ]
    dependent = load_dependent_closed_network(by_presence, counts, think_s)
    assert dependent.transaction_rate_tps == pytest.approx(rates, rel=PRECISION)


def test_the_usual_recursion_fails_where_this_one_does_not() -> None:
    """8 servers of 12 s, a think time of 40 s: why the solver does not use the recursion."""
    demand_s, think_s, servers, count = 12.0, 40.0, 8, 100
    chances, queue, rate = [1.0] + [0.0] * (servers - 1), 0.0, 0.0
    for present in range(1, count + 1):
        idle = sum((servers - 1 - j) * chances[j] for j in range(servers - 1))
        time_s = demand_s / servers * (1 + queue + idle)
        rate = present / (think_s + time_s)
        queue = rate * time_s
        for j in range(servers - 1, 0, -1):
            chances[j] = rate * demand_s / j * chances[j - 1]
        spare = sum((servers - j) * chances[j] for j in range(1, servers))
        chances[0] = 1 - (rate * demand_s + spare) / servers
    assert not 0 <= rate <= servers / demand_s
    stable = exact_closed_network([demand_s], count, think_s, servers).transaction_rate_tps
    assert stable == pytest.approx(servers / demand_s, rel=PRECISION)
