"""Closed networks against textbooks, and against the sum over all of their states."""

from fractions import Fraction
from functools import reduce
from itertools import accumulate, product
from math import factorial, lgamma, log, prod
from operator import mul

import mpmath
import numpy as np
import pytest
from approximate import digits

from netmodel.concurrency import (
    exact_closed_network,
    load_dependent_closed_network,
)

LAZOWSKA_S = [0.605, 2.1, 1.35]


@pytest.mark.parametrize(("count", "rate"), [(1, 0.052480), (2, 0.103086), (3, 0.151516)])
def test_rate_of_three_stages_and_terminals(count: int, rate: float) -> None:
    """Lazowska and others, Quantitative System Performance, page 117."""
    assert exact_closed_network(LAZOWSKA_S, count, 15).transaction_rate_tps == digits(rate, 6)


def test_time_and_queues_of_three_stages_and_terminals() -> None:
    """The same example with 3 terminals."""
    network = exact_closed_network(LAZOWSKA_S, 3, 15)
    assert network.transaction_time_s == digits(4.79982, 5)
    expected = (0.09757, 0.39466, 0.23503)
    for count, number in zip(network.stage_connection_counts, expected, strict=True):
        assert count == pytest.approx(number, abs=5e-6)


def test_disks_and_terminals() -> None:
    """R. Jain, The Art of Computer Systems Performance Analysis: 20 terminals, think time 4 s."""
    network = exact_closed_network([0.125 * 16, 0.3 * 10, 0.2 * 5], 20, 4)
    assert network.transaction_rate_tps == digits(0.33325, 5)
    for count, number in zip(network.stage_connection_counts, (1.991, 16.177, 0.500), strict=True):
        assert count == pytest.approx(number, abs=1e-3)


def test_central_server() -> None:
    """G. Bolch and others, Queueing Networks and Markov Chains, example 8.3: 6 jobs."""
    network = exact_closed_network([0.02, 0.2 * 0.4, 0.4 * 0.2, 0.6 * 0.1], 6)
    assert network.transaction_rate_tps == digits(9.920, 3)
    expected = (0.244, 2.261, 2.261, 1.234)
    for count, number in zip(network.stage_connection_counts, expected, strict=True):
        assert count == pytest.approx(number, abs=1e-3)


@pytest.mark.parametrize("count", [1, 20, 50, 100, 200])
@pytest.mark.parametrize("think_s", [0.5, 40.0, 1000.0])
def test_one_stage_is_the_machine_repairman(count: int, think_s: float) -> None:
    """Erlang's loss formula: the stage is idle for B(N, Z / D) of the time."""
    inverse_loss = 1.0
    for present in range(1, count + 1):
        inverse_loss = 1 + present / (think_s / 12) * inverse_loss
    expected = (1 - 1 / inverse_loss) / 12
    rate = exact_closed_network([12], count, think_s).transaction_rate_tps
    assert rate == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("count", "rate"),
    [(1, 0.019230769), (20, 0.383640314), (50, 0.666421562), (100, 2 / 3), (200, 2 / 3)],
)
def test_several_servers_stay_stable(count: int, rate: float) -> None:
    """8 servers: the usual recursion answers with a negative rate for 100 connections."""
    assert exact_closed_network([12], count, 40, 8).transaction_rate_tps == digits(rate, 9)


def test_two_processors_and_terminals() -> None:
    """Bolch and others, example 8.4: 3 jobs, 2 processors, 2 disks and a delay of 1 s."""
    network = exact_closed_network([0.5, 0.5 * 0.6, 0.5 * 0.8], 3, 1, [2, 1, 1])
    assert network.transaction_rate_tps == digits(1.217461, 6)
    expected = (0.623679, 0.472872, 0.685988)
    for count, number in zip(network.stage_connection_counts, expected, strict=True):
        assert count == pytest.approx(number, abs=5e-7)
    visited_s = [count / network.transaction_rate_tps for count in network.stage_connection_counts]
    for time_s, visits, number in zip(visited_s, (1, 0.5, 0.5), (0.512, 0.776, 1.127), strict=True):
        assert time_s / visits == pytest.approx(number, abs=1e-3)


@pytest.mark.parametrize(
    ("count", "rate", "time_us"),
    [
        (1, 12_610.23, 79.3007),
        (2, 24_926.10, 80.2372),
        (10, 106_936.92, 93.5131),
        (50, 162_469.63, 307.7498),
        (250, 165_971.38, 1506.2838),
    ],
)
def test_request_response_over_two_hosts(count: int, rate: float, time_us: float) -> None:
    """Client and server of 8 CPUs, a softirq CPU each, two adapters, the line and a delay."""
    demands_us = [12, 12, 6, 6, *[0.8644776] * 2, *[0.5650732] * 2, 0.0928, 0.3488]
    network = exact_closed_network(np.array(demands_us) * 1e-6, count, 40e-6, [8, 8, *[1] * 8])
    assert network.transaction_rate_tps == digits(rate, 2)
    assert network.transaction_time_s * 1e6 + 40 == digits(time_us, 4)


@pytest.mark.parametrize("think_s", [0.0, 0.7, 15.0])
@pytest.mark.parametrize("servers", [[1, 1, 1], [2, 1, 3], [4, 4, 4], [9, 2, 1]])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_several_servers_against_fractions(count: int, servers: list[int], think_s: float) -> None:
    """Gordon and Newell in exact arithmetic, every state of the network."""
    demands_s = [Fraction(3), Fraction(7, 10), Fraction(29, 10)]
    gaps = [
        [demand / min(present, m) for present in range(1, count + 1)]
        for demand, m in zip(demands_s, servers, strict=True)
    ]
    rate, queues = _summed(gaps, count, Fraction(think_s))
    network = exact_closed_network([float(each) for each in demands_s], count, think_s, servers)
    assert network.transaction_rate_tps == pytest.approx(float(rate), rel=1e-14)
    assert network.stage_connection_counts == pytest.approx([*map(float, queues)], rel=1e-14)


@pytest.mark.parametrize(
    "gaps",
    [
        [[3, 1], [2]],
        [[1, 3], [2]],
        [[1, 4, 0.5, 2, 7], [0.3, 0.2], [5, 0.01, 5]],
        [[5, 4, 3, 2, 1, 0.5, 0.1], [0.1, 0.5, 1, 2, 3, 4, 5]],
    ],
)
@pytest.mark.parametrize("think_s", [0.0, 0.7, 15.0])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_demands_by_presence_against_fractions(
    gaps: list[list[float]], count: int, think_s: float
) -> None:
    """Falling, rising and erratic demands; the last of a stage holds for more transactions."""
    full = [[Fraction(gap[min(here, len(gap) - 1)]) for here in range(count)] for gap in gaps]
    rate, queues = _summed(full, count, Fraction(think_s))
    network = load_dependent_closed_network(gaps, count, think_s)
    assert network.transaction_rate_tps == pytest.approx(float(rate), rel=1e-14)
    assert network.stage_connection_counts == pytest.approx([*map(float, queues)], rel=1e-14)


EXTREME = {
    "64 servers": ([[1 / min(j, 64) for j in range(1, 301)], [0.01]], 0.3),
    "a million times slower": ([[1e-6 / min(j, 9) for j in range(1, 301)], [1.0]], 10.0),
    "a million times faster": ([[1e6 / min(j, 9) for j in range(1, 301)], [1.0]], 0.0),
    "slower with load": ([[1e-3 * j for j in range(1, 301)], [1e-2]], 50.0),
    "slower with load, then faster": ([[j**2 if j < 99 else 1e-3 for j in range(1, 301)]], 3.0),
    "faster, then slower": ([[1e-3 if j < 99 else float(j**2) for j in range(1, 301)]], 3.0),
    "a delay centre": ([[7 / j for j in range(1, 301)], [0.1]], 2.0),
    "all change": ([[1e3 / j for j in range(1, 301)], [1e-3 * j for j in range(1, 301)]], 1.0),
}


@pytest.mark.parametrize("case", EXTREME)
@pytest.mark.parametrize("count", [1, 50, 300])
def test_extreme_demands_against_sixty_digits(case: str, count: int) -> None:
    """Buzen's convolution with 60 digits, an independent program."""
    gaps, think_s = EXTREME[case]
    rate, queues = _convolved(gaps, count, think_s)
    network = load_dependent_closed_network(gaps, count, think_s)
    assert network.transaction_rate_tps == pytest.approx(rate, rel=1e-12)
    assert network.stage_connection_counts == pytest.approx(queues, rel=1e-12)


def _convolved(gaps: list[list[float]], count: int, think_s: float) -> tuple[float, list[float]]:
    """Rate and queues from normalising constants, numbers of 60 digits."""
    with mpmath.workdps(60):
        factors = [_factor(gap, count) for gap in gaps]
        thinking = _factor([mpmath.mpf(think_s) / j for j in range(1, count + 1)], count)
        total = reduce(_product, factors, thinking)
        queues = []
        for stage, factor in enumerate(factors):
            others = reduce(_product, factors[:stage] + factors[stage + 1 :], thinking)
            there = sum(j * factor[j] * others[count - j] for j in range(count + 1))
            queues.append(float(there / total[count]))
        return float(total[count - 1] / total[count]), queues


def _factor(gap: list[float], count: int) -> list[mpmath.mpf]:
    steps = [mpmath.mpf(gap[min(here, len(gap) - 1)]) for here in range(count)]
    return list(accumulate(steps, mul, initial=mpmath.mpf(1)))


def _product(first: list[mpmath.mpf], second: list[mpmath.mpf]) -> list[mpmath.mpf]:
    return [
        mpmath.fdot(first[: power + 1], reversed(second[: power + 1]))
        for power in range(len(first))
    ]


def _summed(
    gaps: list[list[Fraction]], count: int, think_s: Fraction
) -> tuple[Fraction, list[Fraction]]:
    """Rate and queues from the weight of every state."""
    totals = []
    for present in (count - 1, count):
        weights = {
            state: prod(prod(gap[:here]) for gap, here in zip(gaps, state, strict=True))
            * think_s**thinking
            / factorial(thinking)
            for state in product(range(present + 1), repeat=len(gaps))
            if (thinking := present - sum(state)) >= 0
        }
        totals.append(sum(weights.values()))
    means = [
        sum(state[stage] * weight for state, weight in weights.items()) / totals[1]
        for stage in range(len(gaps))
    ]
    return totals[0] / totals[1], means


def test_a_stage_that_slows_down_against_its_birth_and_death_process() -> None:
    """1 ms up to 300 transactions, 4 s beyond: probabilities rise and fall by 10^400 and more."""
    count, think_s = 1000, 100.0
    there = np.arange(1, count + 1)
    gaps_s = np.where(there <= 300, 1e-3, 4.0)
    comings = [lgamma(count + 1) - lgamma(count - j + 1) - j * log(think_s) for j in there]
    logarithms = np.append(0, comings + np.cumsum(np.log(gaps_s)))
    weights = np.exp(logarithms - logarithms.max())
    chances = (weights / weights.sum())[1:]
    network = load_dependent_closed_network([gaps_s], count, think_s)
    assert network.transaction_rate_tps == pytest.approx((chances / gaps_s).sum(), rel=1e-9)
    assert network.stage_connection_counts == pytest.approx(((chances * there).sum(),), rel=1e-9)
