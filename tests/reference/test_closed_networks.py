"""Closed networks against textbooks, and against the sum over all of their states."""

from fractions import Fraction
from functools import reduce
from itertools import accumulate, product
from math import factorial, prod
from operator import mul

import mpmath
import pytest

from netmodel.concurrency import (
    exact_closed_network,
    load_dependent_closed_network,
)


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
