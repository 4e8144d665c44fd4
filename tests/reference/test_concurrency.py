"""Laws and bounds of many connections: textbook examples, and numbers worked out by hand."""

import pytest
from approximate import digits

from netmodel.ceilings import frame_time_of_rate_s
from netmodel.concurrency import (
    asymptotic_rate_bounds_tps,
    balanced_rate_bounds_tps,
)

IN_US, OUT_US = (frame_time_of_rate_s(rate_bps, 1448) * 1e6 for rate_bps in (13.4e9, 20.5e9))
DELAY_S = 40e-6


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
