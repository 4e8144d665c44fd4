"""Laws and bounds of many connections: textbook examples, and numbers worked out by hand."""

import pytest
from approximate import digits

from netmodel.ceilings import frame_time_of_rate_s
from netmodel.concurrency import (
    asymptotic_rate_bounds_tps,
    balanced_rate_bounds_tps,
    busiest_queue_flow_count,
    closed_connection_count,
    knee_connection_count,
    usable_capacity_ratio,
    used_queue_count,
    utilisation_ratio,
)

LAZOWSKA_S = [0.605, 2.1, 1.35]
IN_US, OUT_US = (frame_time_of_rate_s(rate_bps, 1448) * 1e6 for rate_bps in (13.4e9, 20.5e9))
DELAY_S = 40e-6


def test_transactions_of_a_measured_table() -> None:
    """z/VM, Layer 3 and Layer 2 Comparisons, table 8, layer 3, 50 clients: N / X by hand."""
    assert closed_connection_count(31996.02, 1.5627e-3) == digits(50, 3)


def test_bounds_of_bolch_example_9_6() -> None:
    """G. Bolch et al., Queueing Networks and Markov Chains, example 9.6: 0.109 and 64."""
    _, high_tps = asymptotic_rate_bounds_tps([9.2, 8], 20, 120)
    assert high_tps == digits(0.109, 3)
    assert 20 / high_tps - 120 == pytest.approx(64, rel=1e-12)


def test_bounds_of_three_stages() -> None:
    """Demands of E. D. Lazowska et al. (1984), page 117, N = 3, Z = 15; bounds by hand."""
    low, high = asymptotic_rate_bounds_tps(LAZOWSKA_S, 3, 15)
    assert (low, high) == (digits(0.110436, 6), digits(0.157439, 6))
    low, high = balanced_rate_bounds_tps(LAZOWSKA_S, 3, 15)
    assert (low, high) == (digits(0.143295, 6), digits(0.152825, 6))
    assert knee_connection_count(LAZOWSKA_S, 15) == digits(9.0738, 4)
    assert low < 0.151516 < high  # by mean value analysis


def stages(*cpus: tuple[float, int]) -> tuple[list[float], list[int]]:
    """CPUs with their threads, two adapters by direction, a request and a response on the line."""
    rest = [(IN_US, 1)] * 2 + [(OUT_US, 1)] * 2 + [(0.0928, 1), (0.3488, 1)]
    times_us, servers = zip(*cpus, *rest, strict=True)
    return [time_us * 1e-6 for time_us in times_us], list(servers)


PLAIN = stages((12, 8), (12, 8), (6, 1), (6, 1))
STEERED = stages((12, 8), (12, 8), (2, 1), (5, 8), (2, 1), (5, 8))


@pytest.mark.parametrize(
    ("demands_s", "parallel_counts", "series"),
    [
        (
            *PLAIN,
            {1: 79.3007, 2: 80.2372, 10: 93.5131, 50: 307.7498, 250: 1506.2838},
        ),
        (
            *STEERED,
            {1: 81.3007, 2: 81.4269, 10: 82.6435, 50: 109.8019, 250: 502.4006},
        ),
    ],
)
def test_bounds_hold_exact_times_of_a_path(
    demands_s: list[float], parallel_counts: list[int], series: dict[int, float]
) -> None:
    """Times in µs by exact mean value analysis, with and without packet steering."""
    for count, time_us in series.items():
        for bounds in (asymptotic_rate_bounds_tps, balanced_rate_bounds_tps):
            low, high = bounds(demands_s, count, DELAY_S, parallel_counts)
            assert low * (1 - 1e-6) <= count / (time_us * 1e-6) <= high * (1 + 1e-6)
    _, high = balanced_rate_bounds_tps(demands_s, 1, DELAY_S, parallel_counts)
    assert 1e6 / high == digits(series[1], 4)


def test_the_cpu_that_serves_the_queue_is_the_limit() -> None:
    """By hand: 1 / 6 µs = 166 667 a second, 0.9958 of it at 165 971.38 a second."""
    _, high_tps = asymptotic_rate_bounds_tps(PLAIN[0], 10**6, 0, PLAIN[1])
    assert high_tps == digits(166_667, 0)
    assert utilisation_ratio(165_971.38, 6e-6) == digits(0.9958, 4)


@pytest.mark.parametrize(
    ("flow_count", "used"), [(1, 1), (10, 7.608632), (50, 15.365131), (250, 15.999998)]
)
def test_queues_that_flows_reach(flow_count: int, used: float) -> None:
    """By hand: 16 (1 - (15/16)^N)."""
    assert used_queue_count(flow_count, 16) == digits(used, 6)


@pytest.mark.parametrize(
    ("flow_count", "busiest", "usable"), [(10, 2.33, 0.27), (50, 6.59, 0.47), (250, 22.96, 0.68)]
)
def test_flows_of_the_busiest_queue(flow_count: int, busiest: float, usable: float) -> None:
    """Simulated for 16 queues, to half a percent."""
    assert busiest_queue_flow_count(flow_count, 16) == pytest.approx(busiest, rel=5e-3)
    assert usable_capacity_ratio(flow_count, 16) == digits(usable, 2)


@pytest.mark.parametrize(
    ("flow_count", "queue_count", "busiest"),
    [
        (2, 2, 3 / 2),
        (3, 2, 9 / 4),
        (2, 5, 6 / 5),
        (3, 3, 17 / 9),  # 27 ways: 6 with one each, 18 with a pair, 3 with all three
    ],
)
def test_few_flows_counted_by_hand(flow_count: int, queue_count: int, busiest: float) -> None:
    assert busiest_queue_flow_count(flow_count, queue_count) == pytest.approx(busiest, rel=1e-13)
