"""
Connections that take turns at the stations of a closed path, one event after the other.

A plain event list: each connection is at one visit, in service or in the queue of its station, in
the order of arrival. It shares no formula with the package, and serves any distribution.
"""

import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats
from simulation.closed_paths import ClosedPath

BATCH_COUNT = 20
"""Batches of a run whose means give its sampling error: 10 to 30 are usual (Law, "Simulation
Modeling and Analysis", section 9.5.3)."""
WARM_UP_RATIO = 0.1
"""Share of a run before it that is left out, while queues settle."""
CHANCE_OF_A_FALSE_ALARM = 0.001
"""Of all comparisons of a test together, if every expected value is right."""
BLOCK_SIZE = 4096
"""Service times drawn at once, which costs a tenth of drawing each by itself."""

CONSTANT, ERLANG, EXPONENTIAL, TWICE, HYPEREXPONENTIAL = 0.0, 0.25, 1.0, 2.0, 4.0
"""Squared coefficients of variation."""


@dataclass(frozen=True)
class Run:
    """
    What a run shows once its queues have settled.

    Parameters
    ----------
    rate_tps : float
        Transactions per second. [1/s]
    time_s : float
        Mean time of a transaction, without the think time. [s]
    rate_error_ratio, time_error_ratio : float
        Standard errors of both over their values, from the means of batches.
    station_counts : tuple of float
        Mean connections at each station, waiting or served.
    """

    rate_tps: float
    time_s: float
    rate_error_ratio: float
    time_error_ratio: float
    station_counts: tuple[float, ...]


def deviations(comparison_count: int) -> float:
    """
    Standard errors that no one of several comparisons with a run is beyond by chance.

    From Student's distribution, as the standard error itself comes from the batches.
    """
    tail = CHANCE_OF_A_FALSE_ALARM / 2 / comparison_count
    return float(stats.t.isf(tail, BATCH_COUNT - 1))


def service_draws(variation: float, seed: int) -> Iterator[float]:
    """
    Service times of mean 1 with a squared coefficient of variation, one after the other.

    0 is constant, below 1 a gamma distribution (Erlang's where its inverse is whole), 1
    exponential, and above 1 hyperexponential of two kinds that make up half of the time each.
    """
    if variation == CONSTANT:
        return itertools.repeat(1.0)
    chance = np.random.default_rng(seed)

    def block() -> list[float]:
        if variation == EXPONENTIAL:
            return chance.standard_exponential(BLOCK_SIZE).tolist()
        if variation < EXPONENTIAL:
            return (chance.standard_gamma(1 / variation, BLOCK_SIZE) * variation).tolist()
        share = (1 + math.sqrt((variation - 1) / (variation + 1))) / 2
        is_short = chance.random(BLOCK_SIZE) < share
        means = np.where(is_short, 0.5 / share, 0.5 / (1 - share))
        return (means * chance.standard_exponential(BLOCK_SIZE)).tolist()

    return itertools.chain.from_iterable(iter(block, None))


def simulate(
    path: ClosedPath,
    connection_count: int,
    transaction_count: int,
    *,
    variation: float = EXPONENTIAL,
    seed: int = 1,
    constant_delays: bool = False,
) -> Run:
    """
    So many transactions behind a warm-up, in which queues settle.

    Delays scatter as service does, unless they are constant, as in a fibre. All connections
    begin at the station that takes most of a server's time.
    """
    stations, visits = path.stations, path.visits
    draw: Callable[[], float] = service_draws(variation, seed).__next__
    free = list(stations.values())
    # the think time is a visit behind the last, to a station without a queue
    thinks = path.think_time_s > 0
    station_of = [visit.station for visit in visits] + [len(free)] * thinks
    mean_of = [visit.mean_s for visit in visits] + [path.think_time_s] * thinks
    is_constant = [math.isinf(free[visit.station]) and constant_delays for visit in visits]
    is_constant += [False] * thinks
    free += [math.inf] * thinks
    last, visit_count = len(visits) - 1, len(station_of)
    queues: list[deque[int]] = [deque() for _ in free]
    areas = [0.0] * len(free)
    first = max(
        range(len(visits)),
        key=lambda each: path.demands_s[station_of[each]] / free[station_of[each]],
    )
    at = [first] * connection_count
    began = [0.0] * connection_count
    events: list[tuple[float, int]] = []
    pop, push = heapq.heappop, heapq.heappush
    for connection in range(connection_count):
        if free[station_of[first]] > 0:
            free[station_of[first]] -= 1
            push(events, (mean_of[first] * draw(), connection))
        else:
            queues[station_of[first]].append(connection)

    def present(now: float) -> list[float]:
        """Time that all connections have spent at each station so far."""
        result = list(areas)
        for visit in at:
            result[station_of[visit]] += now
        return result

    size = transaction_count // BATCH_COUNT
    warm_up = int(WARM_UP_RATIO * transaction_count) + connection_count
    marks = iter([warm_up + size * batch for batch in range(BATCH_COUNT + 1)])
    ended_count, total_s, next_mark = 0, 0.0, next(marks)
    seen: list[tuple[float, float, list[float]]] = []
    while True:
        now, connection = pop(events)
        visit = at[connection]
        # (1) the server takes the next connection in the queue of its station
        station = station_of[visit]
        areas[station] += now
        queue = queues[station]
        if queue:
            following = queue.popleft()
            push(events, (now + mean_of[at[following]] * draw(), following))
        else:
            free[station] += 1
        # (2) this connection goes on to its next visit
        is_last = visit == last
        if is_last:
            ended_count += 1
            total_s += now - began[connection]
        visit += 1
        if visit == visit_count:
            visit = 0
            began[connection] = now
        at[connection] = visit
        station = station_of[visit]
        areas[station] -= now
        if free[station] > 0:
            free[station] -= 1
            factor = 1.0 if is_constant[visit] else draw()
            push(events, (now + mean_of[visit] * factor, connection))
        else:
            queues[station].append(connection)
        # (3) the end of a batch
        if is_last and ended_count == next_mark:
            seen.append((now, total_s, present(now)))
            next_mark = next(marks, 0)
            if not next_mark:
                return _run(seen, size, len(stations))


def _run(seen: list[tuple[float, float, list[float]]], size: int, station_count: int) -> Run:
    """Means of all batches, and their standard errors."""
    ends_s, times_s = (np.array([batch[place] for batch in seen]) for place in (0, 1))
    spans_s, means_s = np.diff(ends_s), np.diff(times_s) / size
    duration_s = float(spans_s.sum())
    areas = zip(seen[0][2], seen[-1][2], strict=True)
    return Run(
        rate_tps=size * BATCH_COUNT / duration_s,
        time_s=float(means_s.mean()),
        rate_error_ratio=_error_ratio(spans_s),
        time_error_ratio=_error_ratio(means_s),
        station_counts=tuple((end - start) / duration_s for start, end in areas)[:station_count],
    )


def _error_ratio(batches: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    """Standard error of the mean of batches, over the mean."""
    return float(batches.std(ddof=1) / math.sqrt(len(batches)) / batches.mean())
