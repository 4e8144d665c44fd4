"""Laws of many connections, for any demands, think time and flows."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netmodel.concurrency import (
    asymptotic_rate_bounds_tps,
    balanced_rate_bounds_tps,
    busiest_queue_flow_count,
    knee_connection_count,
    usable_capacity_ratio,
    used_queue_count,
)

CLOSE = 1e-9
TIGHT = 1e-12
COUNTS = st.integers(1, 500)
BOUNDS = (asymptotic_rate_bounds_tps, balanced_rate_bounds_tps)

Network = tuple[list[float], list[int], float]


def close(expected: float) -> object:
    return pytest.approx(expected, rel=TIGHT)


@st.composite
def networks(draw: st.DrawFn, most_servers: int = 8) -> Network:
    """Demands, servers and a think time, all of one order of magnitude."""
    demands_s = draw(st.lists(st.floats(1e-3, 1), min_size=1, max_size=5))
    servers = [draw(st.integers(1, most_servers)) for _ in demands_s]
    return demands_s, servers, draw(st.just(0.0) | st.floats(1e-3, 5))


def known(formula: object, network: Network, count: int) -> tuple[float, float]:
    demands_s, servers, think_s = network
    low, high = formula(demands_s, count, think_s, servers)  # type: ignore[operator]
    return low, high


@given(st.floats(1e-3, 1), st.integers(1, 8), st.integers(0, 2), COUNTS)
def test_balanced_stages_without_think_time_are_known_exactly(
    demand_s: float, stage_count: int, idle_count: int, count: int
) -> None:
    low, high = balanced_rate_bounds_tps([demand_s] * stage_count + [0.0] * idle_count, count)
    assert low == close(high) == close(count / (demand_s * (stage_count + count - 1)))


@given(networks())
def test_the_knee_is_where_the_upper_bounds_meet(network: Network) -> None:
    demands_s, servers, think_s = network
    knee = knee_connection_count(demands_s, think_s, servers)
    saturation = min(m / demand_s for demand_s, m in zip(demands_s, servers, strict=True))
    assert knee >= 1 - TIGHT
    assert knee / (sum(demands_s) + think_s) == close(saturation)
    _, before = asymptotic_rate_bounds_tps(demands_s, max(1, knee / 2), think_s, servers)
    assert before == close(max(1, knee / 2) / (sum(demands_s) + think_s)) or knee < 2


@given(networks(), COUNTS, st.floats(0.1, 10), st.randoms(use_true_random=False))
def test_bounds_do_not_depend_on_the_unit_of_time_the_order_or_idle_stages(
    network: Network, count: int, factor: float, random: object
) -> None:
    demands_s, servers, think_s = network
    scaled = ([factor * demand_s for demand_s in demands_s], servers, factor * think_s)
    turned = (demands_s[::-1], servers[::-1], think_s)
    longer = ([*demands_s, 0.0], [*servers, 1], think_s)
    for bounds in BOUNDS:
        plain = known(bounds, network, count)
        assert known(bounds, scaled, count) == tuple(close(end / factor) for end in plain)
        assert known(bounds, turned, count) == tuple(map(close, plain))
        assert known(bounds, longer, count) == tuple(map(close, plain))


@given(networks(), st.lists(COUNTS, min_size=1, max_size=4))
def test_arrays_give_what_scalars_give_one_by_one(network: Network, counts: list[int]) -> None:
    demands_s, servers, think_s = network
    both = np.array([demands_s, demands_s[::-1]]).T[:, :, None]
    think = np.array([think_s, 2 * think_s])[:, None]
    for bounds in BOUNDS:
        together = bounds(both, np.array(counts), think, servers)
        for end, values in enumerate(together):
            assert values.shape == (2, len(counts))
            for row, demands in enumerate((demands_s, demands_s[::-1])):
                for column, count in enumerate(counts):
                    alone = bounds(demands, count, (row + 1) * think_s, servers)[end]
                    assert values[row, column] == close(alone)


def counted_maximum(flow_count: int, queue_count: int) -> Fraction:
    """Mean of the largest of the counts, over the ways to fill the queues one after the other."""

    def ways(most: int) -> int:
        """How many of all ways leave no queue with more."""
        left = {flow_count: 1}
        for _ in range(queue_count):
            after: dict[int, int] = {}
            for rest, number in left.items():
                for taken in range(min(most, rest) + 1):
                    after[rest - taken] = after.get(rest - taken, 0) + number * math.comb(
                        rest, taken
                    )
            left = after
        return left.get(0, 0)

    all_ways = queue_count**flow_count
    return sum((1 - Fraction(ways(most), all_ways) for most in range(flow_count)), Fraction(0))


@given(st.integers(0, 25), st.integers(1, 8))
@settings(max_examples=50)
def test_the_busiest_queue_has_what_counting_gives(flow_count: int, queue_count: int) -> None:
    exact = float(counted_maximum(flow_count, queue_count))
    assert busiest_queue_flow_count(flow_count, queue_count) == pytest.approx(exact, rel=1e-12)


@given(st.integers(1, 3000), st.integers(1, 300))
@settings(max_examples=50)
def test_flows_on_queues(flow_count: int, queue_count: int) -> None:
    used = used_queue_count(flow_count, queue_count)
    assert 1 - CLOSE <= used <= min(flow_count, queue_count) * (1 + TIGHT)
    busiest = busiest_queue_flow_count(flow_count, queue_count)
    assert math.ceil(flow_count / queue_count) <= busiest * (1 + CLOSE)
    assert flow_count / used <= busiest * (1 + CLOSE)
    assert busiest <= flow_count * (1 + TIGHT)
    more = busiest_queue_flow_count(flow_count + 1, queue_count)
    assert -CLOSE <= more - busiest <= 1 + CLOSE
    assert busiest_queue_flow_count(flow_count, queue_count + 1) <= busiest * (1 + CLOSE)
    usable = usable_capacity_ratio(flow_count, queue_count)
    assert 0 < usable <= 1
    assert usable == close(flow_count / (queue_count * busiest))
