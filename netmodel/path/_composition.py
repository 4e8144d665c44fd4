"""Stages composed: every limit of a path."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, NamedTuple

from netmodel._numeric import Quantity, minimum
from netmodel._numpy import np
from netmodel.concurrency import usable_capacity_ratio, used_queue_count
from netmodel.path._load import Load, Terms, joined, sum_of
from netmodel.path._path import Path
from netmodel.path._stage import DIRECTIONS, Pool, Stage
from netmodel.path._traffic import Traffic, is_nothing
from netmodel.path._uncertain import (
    Bound,
    Change,
    Parameter,
    Predicted,
    over_cases,
    quoted_of,
)
from netmodel.path._zero_load import Divided, RoundTrip, ZeroLoad

__all__ = ["Capacity", "Limit", "limits", "usable_count"]


@dataclass(frozen=True)
class Limit:
    """
    A rate that no transaction rate exceeds: a capacity over what a transaction takes of it.

    Parameters
    ----------
    name : str
        Stage, stage of each connection, pool, ``"window"`` or ``"connections"``.
    capacity_names : tuple of str
        Names of the parameters that the capacity is proportional to. Servers that
        flows are hashed to are used unevenly: in proportion to no parameter.
    rate : Predicted
        Transactions per second at which the capacity is used up. Where a hash spreads
        flows, an upper bound of the mean over all that it may do. [1/s]
    build : callable
        Makes capacity and terms with the parameters of the rate to quote, the highest that
        published figures as printed leave open.
    smallest : Limit, optional
        The same with those parameters that make it smallest, published figures as printed;
        None where there are no others.
    best_rate_tps : float or numpy.ndarray, optional
        Where a hash spreads flows: upper bound of a run in which it spreads them best. [1/s]
    even_rate_tps : float or numpy.ndarray, optional
        Where a hash spreads the flows of a stream: the mean over all that it may do, if
        all flows are equally fast, as the slowest of them is. [1/s]
    """

    name: str
    capacity_names: tuple[str, ...]
    rate: Predicted
    build: "Callable[[], Capacity]" = field(repr=False, compare=False)
    smallest: "Limit | None" = field(default=None, repr=False)
    best_rate_tps: Quantity | None = None
    even_rate_tps: Quantity | None = None

    @cached_property
    def _built(self) -> "Capacity":
        return self.build()

    @property
    def capacity(self) -> Quantity:
        """Servers, or transactions that may be under way."""
        return self._built.capacity

    @property
    def terms(self) -> Terms:
        """Parts of the time that a transaction takes. [s]"""
        return self._built.terms

    @property
    def divided(self) -> "tuple[Divided, ...]":
        """Parts of its time that a number of servers divides."""
        return self._built.divided

    @property
    def load_s(self) -> Quantity:
        """What a transaction takes. [s]"""
        return sum_of(self.terms)

    @property
    def rate_tps(self) -> Quantity:
        """The rate to quote. [1/s]"""
        return self.rate.value

    @property
    def highest_rate_tps(self) -> Quantity:
        """The highest that parameters leave open, and a hash that spreads flows. [1/s]"""
        return self.rate.high if self.best_rate_tps is None else self.best_rate_tps


def limits(path: Path, load: Load, zero_load: Callable[[], ZeroLoad]) -> tuple[Limit, ...]:
    """
    Every limit of a path: its stages, its pools, its windows, and how many wait.

    Each over all combinations of the parameters that it depends on, and of no others.
    """
    found = chain(
        _stage_limits(path, load),
        _pool_limits(path, load),
        _serial_limits(path, load),
        _window_limit(path, load),
        _connections_limit(path, load, zero_load),
    )
    return tuple(found)


class Capacity(NamedTuple):
    """
    What limits, in one or all combinations of its parameters.

    Parameters
    ----------
    capacity : float or numpy.ndarray
        Servers, or transactions that may be under way.
    terms : tuple of (str, float or numpy.ndarray)
        Parts of the time that a transaction takes. [s]
    divided : tuple of Divided
        Parts of it that a number of servers divides.
    """

    capacity: Quantity
    terms: Terms
    divided: tuple[Divided, ...] = ()

    @property
    def rate_tps(self) -> Quantity:
        load_s = sum_of(self.terms)
        if not isinstance(load_s, np.ndarray):
            return self.capacity / load_s if load_s else self.capacity * float("inf")
        with np.errstate(divide="ignore"):
            return self.capacity / load_s


def _limit(
    name: str,
    capacity_names: tuple[str, ...],
    parameters: Iterable[Parameter],
    load: Load,
    build: Callable[[Change], Capacity],
) -> Limit:
    """A limit over all combinations of its parameters."""
    spread = over_cases(parameters, load.points, lambda change: build(change).rate_tps, Bound.UPPER)
    quoted = Limit(name, capacity_names, spread.predicted, partial(build, spread.quoted))
    if spread.other is spread.predicted.value or np.all(spread.other == spread.predicted.value):
        return quoted
    other = Predicted(spread.other, spread.predicted.low, spread.predicted.high, Bound.UPPER)
    smallest = Limit(name, capacity_names, other, partial(build, spread.opposite))
    return replace(quoted, smallest=smallest)


def _stage_limits(path: Path, load: Load) -> Iterator[Limit]:
    """The servers of each stage; what a hash spreads is in proportion to no parameter."""
    flows: Any = load.traffic.connection_count
    for one in path.stages:
        if one.parallel_count is None or not load.demand(one, quoted_of):
            continue
        is_hashed = one.hashes_flows and flows is not None

        def limit(
            usable: Callable[[Quantity], Quantity], stage: Stage = one, named: bool = not is_hashed
        ) -> Limit:
            def build(change: Change) -> Capacity:
                return Capacity(
                    usable(change(stage.parallel_count, False)), load.demand(stage, change)
                )

            names = (f"{stage.name}.parallel_count",) if named else ()
            return _limit(stage.name, names, stage.parameters(), load, build)

        if not is_hashed:
            yield limit(lambda count: count)
            continue
        mean = limit(lambda count: used_queue_count(flows, count))
        best = limit(lambda count: minimum(count, flows))
        even = None
        if not load.traffic.waits:
            even = limit(lambda count: count * usable_capacity_ratio(flows, count)).rate.value
        yield replace(mean, best_rate_tps=best.rate.high, even_rate_tps=even)


def _pool_limits(path: Path, load: Load) -> Iterator[Limit]:
    """The servers of each pool, for all stages that draw on it."""
    for pool in path.pools:
        if pool.parallel_count is None:
            continue
        stages = [one for one in path.stages if one.pool == pool.name]

        def build(change: Change, pool: Pool = pool, stages: Sequence[Stage] = stages) -> Capacity:
            terms = joined(load.demand(one, change) for one in stages)
            return Capacity(change(pool.parallel_count, False), terms)

        if not build(quoted_of).terms:
            continue
        parameters = (pool.parallel_count, *chain.from_iterable(s.parameters() for s in stages))
        yield _limit(pool.name, (f"{pool.name}.parallel_count",), parameters, load, build)


def _serial_limits(path: Path, load: Load) -> Iterator[Limit]:
    """Streams over stages that keep one of their servers busy for each."""
    count = load.traffic.connection_count
    if count is None or load.traffic.waits:
        return
    for one in path.stages:
        if not one.is_serial or not load.demand(one, quoted_of):
            continue

        def build(change: Change, stage: Stage = one) -> Capacity:
            return Capacity(count, load.demand(stage, change))

        name = f"{one.name} of each connection"
        yield _limit(name, ("connection_count",), one.parameters(), load, build)


def _window_limit(path: Path, load: Load) -> Iterator[Limit]:
    """What all connections may have under way in a round trip that nothing shortens."""
    count, window = load.traffic.connection_count, path.window_bytes
    if count is None or window is None:
        return
    delays = [one for one in path.stages if one.is_delay]
    if not _round_trip(delays):
        return

    def build(change: Change) -> Capacity:
        under_way = count * change(window, False) / load.traffic.payload_bytes
        return Capacity(under_way, _round_trip([one.changed(change) for one in delays]))

    parameters = (window, *chain.from_iterable(one.parameters() for one in delays))
    yield _limit("window", ("window_bytes", "connection_count"), parameters, load, build)


def _round_trip(delays: Iterable[Stage]) -> Terms:
    """Time to the server and back that nothing shortens, term by term."""
    ways = (
        (f"{stage.name}.{way}.per_message_s", times.per_message_s)
        for stage in delays
        for way, times in zip(DIRECTIONS, (stage.to_server, stage.to_client), strict=True)
    )
    return tuple((name, time_s) for name, time_s in ways if not is_nothing(time_s))


def _connections_limit(
    path: Path, load: Load, zero_load: Callable[[], ZeroLoad]
) -> Iterator[Limit]:
    """Connections that have one transaction at a time, over its time when it meets no other."""
    count = load.traffic.connection_count
    if count is None or not load.traffic.waits:
        return
    found = zero_load()
    if is_nothing(found.shortest.time_s):
        return
    ends = count / found.high_s, count / found.low_s

    def limit(trip: RoundTrip) -> Limit:
        rate = Predicted(count / trip.time_s, *ends, Bound.UPPER)
        return Limit(
            "connections",
            ("connection_count",),
            rate,
            lambda: Capacity(count, trip.passage.terms, trip.passage.divided),
        )

    shortest = limit(found.shortest)
    yield replace(shortest, smallest=limit(found.longest)) if path.is_uncertain else shortest


def usable_count(stage: Stage, traffic: Traffic) -> Quantity:
    """
    Servers of a stage that its connections keep busy at most, where a hash may spread them.

    Parameters
    ----------
    stage : Stage
        With servers of its own, as numbers or arrays.
    traffic : Traffic
        With the number of connections.

    Returns
    -------
    server_count : float or numpy.ndarray
        The mean number of servers that the hash chooses at all; all of them where no hash
        spreads the connections, or their number is not known.

    Raises
    ------
    DomainError
        If a hash spreads them and a count is not whole, or too large.

    Notes
    -----
    Connections of a full server slow down alone. Where all are equally fast, as fast as
    those of the fullest server, less is used:
    :func:`netmodel.concurrency.usable_capacity_ratio`.

    Examples
    --------
    >>> from netmodel.path import Stage, Traffic
    >>> queues = Stage(name="queues", parallel_count=16, hashes_flows=True)
    >>> round(usable_count(queues, Traffic(1000, connection_count=10)), 3)
    7.609
    """
    count: Any = stage.parallel_count
    flows = traffic.connection_count
    return count if not stage.hashes_flows or flows is None else used_queue_count(flows, count)
