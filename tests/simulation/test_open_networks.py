"""Open networks of several flows against Ciw: servers in the order of arrival, or shared."""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from nightly import few_by_day
from paths import line
from planning.planned import OSA
from simulation.events import BATCH_COUNT, WARM_UP_RATIO, deviations

from netmodel.concurrency._open import open_residence_ratio
from netmodel.path import Path, Stage, Times, Traffic, predict_path
from netmodel.planning import Flow, Headroom
from netmodel.planning._demand import Demand, demand_of
from netmodel.planning._planner import plan_demand
from netmodel.planning._transaction_time import transaction_times

pytestmark = pytest.mark.thorough

ciw = pytest.importorskip("ciw")

SERVER_S, SERVER_S_PER_BYTE, FIBRE_S, FOUR_S_PER_BYTE = 6e-6, 10e-9, 50e-6, 60e-9
LINE_BPS, HEADER_BYTES = 1e9, 90
"""Ethernet, IPv4 and TCP with time stamps, preamble and gap, of a frame with a payload."""
ORDERS = Flow(Traffic(200, 1000), 40_000, "orders")
UPLOADS = Flow(Traffic(800, 100), 30_000, "uploads")
TRANSACTION_COUNT = 30_000


def demand_on_stations() -> Demand:
    """Requests pass a server and a fibre, responses four servers; each its direction of a line."""
    stages = (
        *line(LINE_BPS),
        Stage(
            name="server",
            to_server=Times(per_message_s=SERVER_S, per_byte_s=SERVER_S_PER_BYTE),
        ),
        Stage(name="fibre", to_server=Times(per_message_s=FIBRE_S), parallel_count=None),
        Stage(name="four", to_client=Times(per_byte_s=FOUR_S_PER_BYTE), parallel_count=4),
    )
    demand = demand_of([ORDERS, UPLOADS], OSA, 1500)
    predictions = tuple(
        predict_path(Path(stages=stages), flow.traffic, 1500) for flow in demand.flows
    )
    return replace(demand, predictions=predictions, published=())


def service_times_s(flow: Flow) -> list[float]:
    """At the line, the server, the fibre, the four, and the line back; not by the package. [s]"""
    request, response = float(flow.traffic.request_bytes), float(flow.traffic.response_bytes)
    there, back = (8 * (size + HEADER_BYTES) / LINE_BPS for size in (request, response))
    server_s = SERVER_S + SERVER_S_PER_BYTE * request
    return [there, server_s, FIBRE_S, FOUR_S_PER_BYTE * response, back]


def simulated_s(distribution: Any, seed: int) -> dict[str, tuple[float, float]]:
    """Mean time of each flow in the network, and its standard error, from batches. [s]"""
    flows = {flow.name: flow for flow in (ORDERS, UPLOADS)}
    servers = [1, 1, math.inf, 4, 1]
    network = ciw.create_network(
        arrival_distributions={
            name: [ciw.dists.Exponential(flow.transaction_rate_tps), *[None] * (len(servers) - 1)]
            for name, flow in flows.items()
        },
        service_distributions={
            name: [distribution(time_s) for time_s in service_times_s(flow)]
            for name, flow in flows.items()
        },
        # any number share the servers of a node, each at most one of them
        number_of_servers=[math.inf] * len(servers),
        ps_thresholds=[10**9 if math.isinf(count) else count for count in servers],
        routing={name: np.eye(len(servers), k=1).tolist() for name in flows},
    )
    ciw.seed(seed)
    simulation = ciw.Simulation(network, node_class=ciw.PSNode)
    rate_tps = sum(flow.transaction_rate_tps for flow in flows.values())
    simulation.simulate_until_max_time(TRANSACTION_COUNT / rate_tps)
    begins: dict[int, float] = {}
    ends: dict[int, tuple[str, float]] = {}
    for record in simulation.get_all_records():
        if record.node == 1:
            begins[record.id_number] = record.arrival_date
        if record.node == len(servers):
            ends[record.id_number] = record.customer_class, record.exit_date
    result = {}
    for name in flows:
        times_s = [end - begins[number] for number, (of, end) in sorted(ends.items()) if of == name]
        settled = times_s[int(WARM_UP_RATIO * len(times_s)) :]
        size = len(settled) // BATCH_COUNT
        means_s = np.reshape(settled[: size * BATCH_COUNT], (BATCH_COUNT, size)).mean(axis=1)
        result[name] = means_s.mean(), means_s.std(ddof=1) / math.sqrt(BATCH_COUNT)
    return result


@pytest.mark.parametrize("distribution", few_by_day(["constant", "exponential"], 2))
def test_the_times_of_two_flows_agree_with_ciw(distribution: str) -> None:
    """The server is used at 74 %, the four at 64.5 %; only means of service times count."""
    demand = demand_on_stations()
    plan = plan_demand(demand, Headroom(0.999, 0))
    uses = {each.name: each.use_ratio.value for each in plan.stages if each.use_ratio}
    assert uses["server"] == pytest.approx(0.74)
    assert uses["four"] == pytest.approx(0.645)
    made = {
        "exponential": lambda time_s: ciw.dists.Exponential(1 / time_s),
        "constant": ciw.dists.Deterministic,
    }[distribution]
    simulated = simulated_s(made, seed=len(distribution))
    for time in transaction_times(demand, plan, adapter_count=1):
        mean_s, error_s = simulated[time.flow]
        assert time.expected_s is not None
        assert time.lower_bound_s is not None
        apart = (time.expected_s.value - mean_s) / error_s
        assert abs(apart) < deviations(2 * 2), (time.flow, time.expected_s.value, mean_s, error_s)
        # the comparison can tell queues from none: they are many standard errors long
        assert time.expected_s.value - time.lower_bound_s.value > 10 * error_s


SERVED_COUNT = 40_000


class Network(NamedTuple):
    """Rate of each class, and at each station its servers and the mean service time."""

    rates_tps: tuple[float, ...]
    server_counts: tuple[float, ...]
    means_s: tuple[float, ...]

    @property
    def time_s(self) -> float:
        """The same for all classes, which take the same of each station."""
        rate_tps = sum(self.rates_tps)
        return sum(
            mean_s * (1.0 if math.isinf(count) else open_residence_ratio(rate_tps * mean_s, count))
            for count, mean_s in zip(self.server_counts, self.means_s, strict=True)
        )


NETWORKS = {
    "one server": Network((0.3, 0.4), (1,), (1.0,)),
    "several servers": Network((1.5, 1.0, 0.7), (4,), (1.0,)),
    "a path with a fibre": Network((0.5, 0.3), (1, math.inf, 4, 1), (0.9, 3.0, 3.6, 0.2)),
    "a pool with much to do": Network((2.0, 2.2), (5, 1), (1.0, 0.1)),
}


def served_in_order_s(network: Network, end_s: float, seed: int) -> list[tuple[float, float]]:
    """Mean time of each class through all stations, and its standard error from batches."""
    count, names = len(network.server_counts), [str(each) for each in range(len(network.rates_tps))]
    route = [[1.0 if to == place + 1 else 0.0 for to in range(count)] for place in range(count)]
    idle: list[Any] = [None] * (count - 1)
    services = [ciw.dists.Exponential(rate=1 / mean_s) for mean_s in network.means_s]
    rates = zip(names, network.rates_tps, strict=True)
    model = ciw.create_network(
        arrival_distributions={
            name: [ciw.dists.Exponential(rate=rate_tps), *idle] for name, rate_tps in rates
        },
        service_distributions=dict.fromkeys(names, services),
        number_of_servers=list(network.server_counts),
        routing=dict.fromkeys(names, route),
    )
    ciw.seed(seed)
    simulation = ciw.Simulation(model)
    simulation.simulate_until_max_time(end_s)
    spans: dict[str, dict[int, list[tuple[float, float]]]] = {name: {} for name in names}
    for record in simulation.get_all_records():
        span = (record.arrival_date, record.exit_date)
        spans[record.customer_class].setdefault(record.id_number, []).append(span)
    results = []
    for name in names:
        ends = sorted(
            (min(start for start, _ in visits), max(end for _, end in visits))
            for visits in spans[name].values()
            if len(visits) == count
        )
        times_s = [end - start for start, end in ends[int(WARM_UP_RATIO * len(ends)) :]]
        size = len(times_s) // BATCH_COUNT
        means_s = [
            math.fsum(times_s[place * size : (place + 1) * size]) / size
            for place in range(BATCH_COUNT)
        ]
        mean_s = math.fsum(means_s) / BATCH_COUNT
        square = math.fsum((each - mean_s) ** 2 for each in means_s) / (BATCH_COUNT - 1)
        results.append((mean_s, math.sqrt(square / BATCH_COUNT)))
    return results


@pytest.mark.parametrize("name", few_by_day(NETWORKS, 2))
def test_times_of_an_open_network_are_those_of_ciw(name: str) -> None:
    network = NETWORKS[name]
    end_s = SERVED_COUNT / sum(network.rates_tps)
    for mean_s, error_s in served_in_order_s(network, end_s, seed=len(name)):
        assert abs(mean_s - network.time_s) < deviations(8) * error_s, (mean_s, error_s)
        assert error_s < 0.1 * mean_s
