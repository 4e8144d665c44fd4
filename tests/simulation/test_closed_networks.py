"""The exact solver of closed networks against simulated paths that have a product form."""

import math
from typing import Any

import pytest
from simulation.chain import exact_rate_tps
from simulation.closed_paths import CONNECTION_COUNTS, RANDOM_PATHS, ClosedPath
from simulation.events import deviations, simulate

from netmodel.concurrency import exact_closed_network

pytestmark = pytest.mark.thorough

PRODUCT_FORM = [path for path in RANDOM_PATHS if path.has_product_form]
CLOSE = 1e-9
"""Of two exact solutions: rounding of some thousand states."""


def solved(path: ClosedPath, count: int) -> Any:
    """By the package, from the demands of all stations with servers; delays are think time."""
    stations = list(zip(path.demands_s, path.stations.values(), strict=True))
    queued = [(demand_s, int(count)) for demand_s, count in stations if math.isfinite(count)]
    delays_s = [demand_s for demand_s, count in stations if math.isinf(count)]
    demands_s, parallel_counts = zip(*queued, strict=True)
    think_s = path.think_time_s + sum(delays_s)
    return exact_closed_network(demands_s, count, think_s, parallel_counts)


@pytest.mark.parametrize("path", PRODUCT_FORM, ids=lambda path: path.name)
def test_the_solver_agrees_with_the_chain(path: ClosedPath) -> None:
    for count in (1, 2, 3):
        exact = exact_rate_tps(path, count)
        assert solved(path, count).transaction_rate_tps == pytest.approx(exact, rel=CLOSE)


@pytest.mark.parametrize("path", PRODUCT_FORM[::2], ids=lambda path: path.name)
def test_the_solver_agrees_with_simulated_paths(path: ClosedPath) -> None:
    """Within the sampling error of the runs."""
    for count in CONNECTION_COUNTS:
        run, network = simulate(path, count, 10_000, seed=count), solved(path, count)
        limit = deviations(len(PRODUCT_FORM) * len(CONNECTION_COUNTS))
        error_ratio = network.transaction_rate_tps / run.rate_tps - 1
        assert abs(error_ratio) < limit * run.rate_error_ratio
