"""Laws of closed networks, for any demands, think time and number of connections."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.concurrency import (
    asymptotic_rate_bounds_tps,
    balanced_rate_bounds_tps,
    exact_closed_network,
    load_dependent_closed_network,
)

CLOSE = 1e-9
DEMANDS_S = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=5)
THINK_TIMES_S = st.one_of(st.just(0.0), st.floats(1e-6, 1e3))
COUNTS = st.integers(1, 60)


@st.composite
def several_servers(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    """Demands of the stages, and how many each serves at a time."""
    demands_s = draw(DEMANDS_S)
    servers = st.lists(st.integers(1, 64), min_size=len(demands_s), max_size=len(demands_s))
    return demands_s, draw(servers)


@given(several_servers(), COUNTS, THINK_TIMES_S)
def test_bounds_enclose_the_exact_network_and_lie_inside_each_other(
    stages: tuple[list[float], list[int]], count: int, think_s: float
) -> None:
    demands_s, servers = stages
    network = exact_closed_network(demands_s, count, think_s, servers)
    low, high = asymptotic_rate_bounds_tps(demands_s, count, think_s, servers)
    near_low, near_high = balanced_rate_bounds_tps(demands_s, count, think_s, servers)
    exact = network.transaction_rate_tps
    for smaller, larger in pairwise([low, near_low, exact, near_high, high]):
        assert smaller <= larger * (1 + CLOSE)


@given(several_servers(), THINK_TIMES_S)
def test_laws_of_several_servers(stages: tuple[list[float], list[int]], think_s: float) -> None:
    demands_s, servers = stages
    counts = np.arange(1, 61)
    network = exact_closed_network(demands_s, counts, think_s, servers)
    rate = np.array(network.transaction_rate_tps)
    assert (np.diff(rate) >= -CLOSE * rate[:-1]).all()
    assert (np.diff(rate, n=2) <= CLOSE * rate[:-2]).all()
    assert rate[0] == pytest.approx(1 / (sum(demands_s) + think_s), rel=CLOSE)
    somewhere = sum(network.stage_connection_counts) + rate * think_s
    assert somewhere == pytest.approx(counts, rel=CLOSE)
    single = exact_closed_network(demands_s, counts, think_s).transaction_rate_tps
    assert (single <= rate * (1 + CLOSE)).all()
    mirrored = exact_closed_network(demands_s[::-1], counts, think_s, servers[::-1])
    assert mirrored.transaction_rate_tps == pytest.approx(rate, rel=CLOSE)


@given(several_servers(), COUNTS, THINK_TIMES_S)
def test_demands_by_presence_that_are_constant_or_servers(
    stages: tuple[list[float], list[int]], count: int, think_s: float
) -> None:
    demands_s, servers = stages
    constant = load_dependent_closed_network(demands_s, count, think_s)
    network = exact_closed_network(demands_s, count, think_s)
    assert constant.transaction_rate_tps == pytest.approx(network.transaction_rate_tps, rel=CLOSE)
    shared = [
        lambda there, demand_s=demand_s, m=m: demand_s / np.minimum(there, m)
        for demand_s, m in zip(demands_s, servers, strict=True)
    ]
    network = exact_closed_network(demands_s, count, think_s, servers)
    dependent = load_dependent_closed_network(shared, count, think_s)
    assert dependent.transaction_rate_tps == pytest.approx(network.transaction_rate_tps, rel=CLOSE)
    queues = network.stage_connection_counts
    assert dependent.stage_connection_counts == pytest.approx(queues, rel=CLOSE)


@given(DEMANDS_S, COUNTS, THINK_TIMES_S, st.floats(1e-6, 1e3))
def test_a_delay_centre_is_a_think_time(
    demands_s: list[float], count: int, think_s: float, delay_s: float
) -> None:
    centre = lambda there: delay_s / there  # noqa: E731
    network = load_dependent_closed_network([*demands_s, centre], count, think_s)
    expected = exact_closed_network(demands_s, count, think_s + delay_s).transaction_rate_tps
    assert network.transaction_rate_tps == pytest.approx(expected, rel=CLOSE)
    assert network.stage_connection_counts[-1] == pytest.approx(delay_s * expected, rel=CLOSE)


@given(
    st.lists(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=9), min_size=1, max_size=4),
    COUNTS,
    THINK_TIMES_S,
)
def test_bounds_of_demands_that_fall_with_presence(
    demands_s: list[list[float]], count: int, think_s: float
) -> None:
    """The rate is between those of the demands of one and of many transactions at the stage."""
    falling = [sorted(gaps_s, reverse=True) for gaps_s in demands_s]
    rate = load_dependent_closed_network(falling, count, think_s).transaction_rate_tps
    for bounds in (asymptotic_rate_bounds_tps, balanced_rate_bounds_tps):
        assert bounds([gaps_s[0] for gaps_s in falling], count, think_s).low * (1 - CLOSE) <= rate
        assert rate <= bounds([gaps_s[-1] for gaps_s in falling], count, think_s).high * (1 + CLOSE)
