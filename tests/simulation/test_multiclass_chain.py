"""Closed networks of two classes against their Markov chain, solved state by state."""

from itertools import product

import numpy as np
import pytest

from netmodel.concurrency import exact_multiclass_network

Mix = tuple[int, ...]


def spreads(count: int, places: int) -> list[Mix]:
    """All ways to put connections of a class at the places."""
    return [each for each in product(range(count + 1), repeat=places) if sum(each) == count]


def chain_rates(
    demands_s: list[list[float]], counts: tuple[int, int], thinks_s: tuple[float, float]
) -> list[float]:
    """
    Transactions of each class over time, from the balance of all states.

    A connection thinks, then visits one stage after the other; each stage shares its service evenly
    among all that are there. All times are exponential.
    """
    stages = len(demands_s[0])
    states = list(product(*(spreads(count, stages + 1) for count in counts)))
    place_of = {state: place for place, state in enumerate(states)}
    flows = np.zeros((len(states), len(states)))
    ends = np.zeros((len(counts), len(states)))
    for state, here in place_of.items():
        present = np.sum(state, axis=0)
        for each, (of_class, think_s) in enumerate(zip(state, thinks_s, strict=True)):
            for place in range(stages + 1):
                if not of_class[place]:
                    continue
                if place == 0:
                    rate = of_class[0] / think_s
                else:
                    share = of_class[place] / present[place]
                    rate = share / demands_s[each][place - 1]
                after = list(of_class)
                after[place] -= 1
                after[(place + 1) % (stages + 1)] += 1
                other = list(state)
                other[each] = tuple(after)
                flows[here, place_of[tuple(other)]] += rate
                ends[each, here] += rate * (place == stages)
    balance = flows.T - np.diag(flows.sum(axis=1))
    balance[-1] = 1  # probabilities add up to 1, in place of a balance that follows from the others
    chances = np.linalg.solve(balance, np.eye(len(states))[-1])
    return (ends @ chances).tolist()


@pytest.mark.parametrize(
    ("demands_s", "counts", "thinks_s"),
    [
        ([[1.0, 3.0], [2.0, 4.0]], (1, 1), (1.0, 0.5)),
        ([[1.0, 3.0], [2.0, 0.5]], (3, 2), (4.0, 10.0)),
        ([[0.2, 3.0], [5.0, 0.1]], (4, 3), (1e-2, 20.0)),
        ([[1.0, 1.0, 1.0], [2.0, 0.1, 1.0]], (2, 2), (1.0, 3.0)),
    ],
)
def test_rates_are_those_of_the_chain(
    demands_s: list[list[float]], counts: tuple[int, int], thinks_s: tuple[float, float]
) -> None:
    """To ten digits: a linear system of some hundred states loses a few of sixteen."""
    network = exact_multiclass_network(demands_s, counts, thinks_s)
    expected = chain_rates(demands_s, counts, thinks_s)
    assert network.transaction_rates_tps.tolist() == pytest.approx(expected, rel=1e-10)
