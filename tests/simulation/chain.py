"""
Exact rates of small closed paths: every state of their Markov chain, and its balance equations.

Service is exponential, in the order of arrival at each station, also where visits to it differ in
their mean. It shares no formula with the package and has no sampling error; the number of states
limits it to a few connections.
"""

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve
from simulation.closed_paths import ClosedPath, Visit

State: TypeAlias = tuple[tuple[int, ...], ...]
"""Visits of the connections at each station, in the order of arrival."""


def exact_rate_tps(path: ClosedPath, connection_count: int) -> float:
    """Transactions per second in the steady state. [1/s]"""
    visits, servers = list(path.visits), list(path.stations.values())
    if path.think_time_s:
        visits.append(Visit(len(servers), path.think_time_s))
        servers.append(math.inf)
    # (1) every state that can be reached, and the rate from each to the next
    first = visits[0].station
    start = tuple((0,) * connection_count if each == first else () for each in range(len(servers)))
    numbers, states = {start: 0}, [start]
    sources, targets, rates_tps = [], [], []
    ending_tps: list[float] = []  # transactions that end, by state
    for number, state in enumerate(states):
        ending_tps.append(0.0)
        for rate_tps, visit, following in _steps(state, visits, servers):
            if following not in numbers:
                numbers[following] = len(states)
                states.append(following)
            sources.append(number)
            targets.append(numbers[following])
            rates_tps.append(rate_tps)
            ending_tps[number] += rate_tps * (visit == len(visits) - 1)
    # (2) balance: what flows into a state flows out of it; the first equation is that of the sum
    size = len(states)
    inflow = coo_array((rates_tps, (targets, sources)), shape=(size, size)).tolil()
    outflow = np.bincount(sources, rates_tps, minlength=size)
    inflow.setdiag(inflow.diagonal() - outflow)
    inflow[0, :] = 1.0
    right = np.zeros(size)
    right[0] = 1.0
    chances = spsolve(inflow.tocsc(), right)
    return float(chances @ np.array(ending_tps))


def _steps(
    state: State, visits: list[Visit], servers: list[float]
) -> Iterator[tuple[float, int, State]]:
    """Every end of a service: its rate, the visit that it ends, and the state behind it."""
    for station, present in enumerate(state):
        served = present if len(present) <= servers[station] else present[: int(servers[station])]
        for place, visit in enumerate(served):
            left = list(state)
            left[station] = present[:place] + present[place + 1 :]
            following = (visit + 1) % len(visits)
            target = visits[following].station
            left[target] = (*left[target], following)
            for changed in {station, target}:
                left[changed] = _ordered(left[changed], servers[changed])
            yield 1 / visits[visit].mean_s, visit, tuple(left)


def _ordered(present: tuple[int, ...], servers: float) -> tuple[int, ...]:
    """The same with those in service in one order: which of them came first does not matter."""
    if len(present) <= servers:
        return tuple(sorted(present))
    count = int(servers)
    return (*sorted(present[:count]), *present[count:])
