"""Expected rates of networks of servers, against an event simulation of another project."""

from random import Random

import ciw
import pytest

from netmodel.path import Path, Stage, Times, Traffic, predict_path

pytestmark = pytest.mark.thorough

HORIZON = 10_000  # µs
SCATTER = 0.03
"""Three standard deviations of about 4,000 completions at most, whose times correlate."""


def simulated_per_us(times_us: list[float], servers: list[int], count: int) -> float:
    """Completions per µs of a number of customers that pass one node after the other."""
    nodes = range(len(times_us))
    network = ciw.create_network(
        arrival_distributions=[
            ciw.dists.Sequential([0.0] * count + [float("inf")]),
            *(None for _ in times_us[1:]),
        ],
        service_distributions=[ciw.dists.Exponential(1 / time_us) for time_us in times_us],
        number_of_servers=servers,
        routing=[[float(to == (node + 1) % len(times_us)) for to in nodes] for node in nodes],
    )
    ciw.seed(count)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(HORIZON)
    ends_us = (each.service_end_date for each in simulation.get_all_records() if each.node == 1)
    return sum(end_us > HORIZON / 10 for end_us in ends_us) / (0.9 * HORIZON)


@pytest.mark.parametrize("seed", range(3))
def test_expected_rates_are_those_of_ciw(seed: int) -> None:
    random = Random(seed)
    times_us = [random.uniform(1, 6) for _ in range(random.randint(2, 3))]
    servers, count = [random.choice([1, 2, 4]) for _ in times_us], random.randint(2, 8)
    stages = tuple(
        Stage(name=f"{n}", to_server=Times(per_message_s=time_us * 1e-6), parallel_count=servers[n])
        for n, time_us in enumerate(times_us)
    )
    expected = predict_path(Path(stages=stages), Traffic(100, 0, count), 1500).expected
    assert expected is not None
    rate = expected.transaction_rate_tps.value
    assert simulated_per_us(times_us, servers, count) * 1e6 == pytest.approx(rate, rel=SCATTER)
