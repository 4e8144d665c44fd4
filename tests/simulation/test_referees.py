"""The event list, the Markov chain and Ciw agree with each other, and with textbooks."""

import math

import numpy as np
import pytest
from simulation.chain import exact_rate_tps
from simulation.closed_paths import KINDS, RANDOM_PATHS, ClosedPath, Place, random_path
from simulation.events import (
    CONSTANT,
    ERLANG,
    EXPONENTIAL,
    HYPEREXPONENTIAL,
    TWICE,
    deviations,
    service_draws,
    simulate,
)

pytestmark = pytest.mark.thorough

LAZOWSKA = ClosedPath(
    tuple(
        Place(name, demand_s, 0.0) for name, demand_s in zip("abc", (0.605, 2.1, 1.35), strict=True)
    ),
    think_time_s=15,
)
"""Lazowska, Zahorjan, Graham and Sevcik (1984), p. 117; the rate is that of exact MVA."""


@pytest.mark.parametrize(("count", "rate_tps"), [(1, 0.052480), (2, 0.103086), (3, 0.151516)])
def test_the_chain_agrees_with_a_textbook(count: int, rate_tps: float) -> None:
    assert exact_rate_tps(LAZOWSKA, count) == pytest.approx(rate_tps, abs=5e-7)


def test_the_chain_serves_in_the_order_of_arrival() -> None:
    """Two connections, visits of mean a and b to one station and no more: nothing is idle."""
    path = ClosedPath((Place("adapter", 3.0, 1.0),))
    assert exact_rate_tps(path, 2) == pytest.approx(1 / 4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_event_list_agrees_with_the_chain(kind: str) -> None:
    limit = deviations(2 * 2)
    for seed, count in ((0, 2), (0, 3), (5, 2), (5, 3)):
        path = random_path(kind, seed)
        run = simulate(path, count, 20_000, seed=seed + count)
        error_ratio = run.rate_tps / exact_rate_tps(path, count) - 1
        assert abs(error_ratio) < limit * run.rate_error_ratio, path.name


@pytest.mark.parametrize("path", RANDOM_PATHS[::7], ids=lambda path: path.name)
@pytest.mark.parametrize("variation", [CONSTANT, ERLANG, EXPONENTIAL, TWICE, HYPEREXPONENTIAL])
def test_every_connection_is_somewhere(path: ClosedPath, variation: float) -> None:
    """Little's law over all of a path, which the run does not use."""
    run = simulate(path, 20, 4000, variation=variation)
    thinking = run.rate_tps * path.think_time_s
    limit = deviations(1) * run.rate_error_ratio * thinking / 20
    assert sum(run.station_counts) + thinking == pytest.approx(20, rel=limit + 20 / 4000)


@pytest.mark.parametrize("variation", [CONSTANT, ERLANG, EXPONENTIAL, TWICE, HYPEREXPONENTIAL])
def test_service_has_its_mean_and_variation(variation: float) -> None:
    count = 200_000
    draws = service_draws(variation, 1)
    times = np.array([next(draws) for _ in range(count)])
    assert times.mean() == pytest.approx(1, abs=5 * math.sqrt(variation / count))
    squares = (times - 1) ** 2
    assert times.var() == pytest.approx(variation, abs=5 * float(squares.std()) / math.sqrt(count))


def test_a_longer_run_has_a_smaller_error() -> None:
    errors = [simulate(LAZOWSKA, 5, count).rate_error_ratio for count in (2000, 50_000)]
    assert errors[1] < errors[0] / 2


def test_the_error_covers_the_truth() -> None:
    """The standard error from batches is that of many runs, within the scatter of 40 of them."""
    exact = exact_rate_tps(LAZOWSKA, 3)
    runs = [simulate(LAZOWSKA, 3, 2000, seed=seed) for seed in range(40)]
    scores = [(run.rate_tps / exact - 1) / run.rate_error_ratio for run in runs]
    # variance of Student's distribution with 19 degrees of freedom: 19 / 17
    assert np.mean(np.square(scores)) == pytest.approx(19 / 17, rel=1.0)
    assert max(map(abs, scores)) < deviations(40)
