"""Service that varies less or more than an exponential one, against simulated paths."""

import pytest
from nightly import few_by_day
from simulation.closed_paths import ClosedPath, Place
from simulation.events import CONSTANT, ERLANG, HYPEREXPONENTIAL, simulate

from netmodel.concurrency import exact_closed_network, general_service_closed_network

pytestmark = pytest.mark.thorough

TRANSACTION_COUNT = 60_000
SAMPLING_ERROR_RATIO = 0.02
"""Of the simulated rate, four standard errors of the largest."""
LARGEST_ERROR_RATIOS = {CONSTANT: 0.37, ERLANG: 0.15, HYPEREXPONENTIAL: 0.15}
"""Of the approximation, as its docstring gives them."""
NETWORKS = {
    "two equal stages": ([1.0, 1.0], [1, 1]),
    "eight equal stages": ([1.0] * 8, [1] * 8),
    "nearly balanced": ([1.0, 0.9, 0.8], [1, 1, 1]),
    "one bottleneck": ([1.0, 0.5, 0.25], [1, 1, 1]),
    "servers before one": ([4.0, 0.9], [4, 1]),
    "servers twice": ([8.0, 8.0, 0.5], [8, 8, 1]),
}


@pytest.mark.parametrize("network", few_by_day(NETWORKS, 3))
@pytest.mark.parametrize("squared_variation", LARGEST_ERROR_RATIOS)
@pytest.mark.parametrize("count", [2, 15])
def test_the_rate_is_as_close_as_documented(
    network: str, squared_variation: float, count: int
) -> None:
    demands_s, servers = NETWORKS[network]
    places = tuple(
        Place(f"stage{number}", demand_s, 0, server_count)
        for number, (demand_s, server_count) in enumerate(zip(demands_s, servers, strict=True))
    )
    run = simulate(ClosedPath(places), count, TRANSACTION_COUNT, variation=squared_variation)
    rate = general_service_closed_network(
        demands_s, count, 0, servers, squared_variation**0.5
    ).transaction_rate_tps
    error = abs(rate / run.rate_tps - 1)
    assert error <= LARGEST_ERROR_RATIOS[squared_variation] + SAMPLING_ERROR_RATIO
    exact = exact_closed_network(demands_s, count, 0, servers).transaction_rate_tps
    assert error <= abs(exact / run.rate_tps - 1) + SAMPLING_ERROR_RATIO
