"""The event list against Ciw, a library that simulates queueing networks."""

import math
from itertools import pairwise
from typing import Any

import pytest
from simulation.closed_paths import CONNECTION_COUNTS, RANDOM_PATHS, ClosedPath
from simulation.events import BATCH_COUNT, WARM_UP_RATIO, deviations, simulate

pytestmark = pytest.mark.thorough

ciw = pytest.importorskip("ciw")


class Service(ciw.dists.Distribution):  # type: ignore[misc]
    """Exponential service with the mean of the visit that an individual is at."""

    def __init__(self, means_s: list[float]) -> None:
        self.means_s = means_s

    def sample(self, t: float | None = None, ind: Any = None) -> float:
        return float(ciw.random.expovariate(1 / self.means_s[ind.visit]))


class Rounds(ciw.routing.NetworkRouting):  # type: ignore[misc]
    """Individuals go from visit to visit, over and over; the end of each round is noted."""

    def __init__(self, stations: list[int], last: int) -> None:
        self.stations, self.last = stations, last
        self.ends_s: list[float] = []

    def initialise(self, simulation: Any) -> None:
        self.simulation = simulation

    def initialise_individual(self, ind: Any) -> None:
        ind.visit = 0

    def next_node(self, ind: Any, node_id: int) -> Any:
        if ind.visit == self.last:
            self.ends_s.append(self.simulation.current_time)
        ind.visit = (ind.visit + 1) % len(self.stations)
        return self.simulation.nodes[1 + self.stations[ind.visit]]


class Node(ciw.Node):  # type: ignore[misc]
    """A node that keeps no record of each visit, which would fill the memory."""

    def write_individual_record(self, individual: Any) -> None:
        pass


def ciw_rate_tps(
    path: ClosedPath, connection_count: int, transaction_count: int, seed: int
) -> tuple[float, float]:
    """About so many transactions: their rate, and its standard error as a ratio, from batches."""
    visits, servers = path.visits, list(path.stations.values())
    stations = [visit.station for visit in visits]
    means_s = [visit.mean_s for visit in visits]
    if path.think_time_s:
        stations.append(len(servers))
        means_s.append(path.think_time_s)
        servers.append(math.inf)
    rounds = Rounds(stations, len(visits) - 1)
    arrivals: list[Any] = [None] * len(servers)
    # all of them at once, before the first service ends
    arrivals[stations[0]] = ciw.dists.Sequential([1e-12] * connection_count + [math.inf])
    network = ciw.create_network(
        arrival_distributions=arrivals,
        service_distributions=[Service(means_s)] * len(servers),
        number_of_servers=servers,
        routing=rounds,
    )
    ciw.seed(seed)
    simulation = ciw.Simulation(network, node_class=Node)
    busiest_s = max(demand / count for demand, count in zip(path.demands_s, servers, strict=False))
    simulation.simulate_until_max_time(
        transaction_count * max(busiest_s, math.fsum(means_s) / connection_count)
    )
    ends_s = rounds.ends_s[int(WARM_UP_RATIO * len(rounds.ends_s)) :]
    size = (len(ends_s) - 1) // BATCH_COUNT
    marks_s = ends_s[::size][: BATCH_COUNT + 1]
    spans_s = [later - earlier for earlier, later in pairwise(marks_s)]
    mean_s = math.fsum(spans_s) / BATCH_COUNT
    square = math.fsum((span - mean_s) ** 2 for span in spans_s) / (BATCH_COUNT - 1)
    return size / mean_s, math.sqrt(square / BATCH_COUNT) / mean_s


def difference(path: ClosedPath, count: int, transaction_count: int) -> float:
    """The rates of the two simulators apart, in standard errors of their difference."""
    seed = sum(map(ord, path.name)) + count
    rate_tps, error_ratio = ciw_rate_tps(path, count, transaction_count, seed)
    run = simulate(path, count, 5 * transaction_count, seed=seed)
    return (run.rate_tps / rate_tps - 1) / math.hypot(error_ratio, run.rate_error_ratio)


@pytest.mark.parametrize("count", [1, 10, 50])
def test_the_event_list_agrees_with_ciw(count: int) -> None:
    paths = RANDOM_PATHS[1::6]
    apart = {path.name: difference(path, count, 2000) for path in paths}
    assert max(map(abs, apart.values())) < deviations(3 * len(paths)), apart


@pytest.mark.nightly
@pytest.mark.parametrize("path", RANDOM_PATHS, ids=lambda path: path.name)
def test_the_event_list_agrees_with_ciw_on_every_path(path: ClosedPath) -> None:
    apart = {count: difference(path, count, 10_000) for count in CONNECTION_COUNTS}
    assert max(map(abs, apart.values())) < deviations(len(RANDOM_PATHS) * len(apart)), apart
