"""Stages composed: what a transaction takes of each, and every limit that follows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import TypeAlias

from netmodel._numeric import Quantity, maximum, minimum, where
from netmodel._numpy import np
from netmodel.concurrency import usable_capacity_ratio, used_queue_count
from netmodel.path._path import Path
from netmodel.path._stage import TIMES_OF_MESSAGES, WAY_NAMES, Stage, Times
from netmodel.path._traffic import Counts, Traffic, is_nothing, shared_by

__all__ = ["Limit", "demand", "joined", "least", "light_load", "limits", "sum_of", "usable_count"]

Terms: TypeAlias = tuple[tuple[str, Quantity], ...]
"""Parts of a sum, each with the name of the parameter that it is proportional to."""


@dataclass(frozen=True, slots=True)
class Limit:
    """
    A rate that no transaction rate exceeds: a capacity over what a transaction takes of it.

    Parameters
    ----------
    name : str
        Stage, stage of each connection, pool, ``"window"`` or ``"connections"``.
    capacity : float or numpy.ndarray
        Servers, or transactions that may be under way.
    capacity_names : tuple of str
        Names of the parameters that the capacity is proportional to. Servers that
        flows are hashed to are used unevenly: in proportion to no parameter.
    terms : tuple of (str, float or numpy.ndarray)
        Parts of the time that a transaction takes. [s]
    """

    name: str
    capacity: Quantity
    capacity_names: tuple[str, ...]
    terms: Terms

    @property
    def load_s(self) -> Quantity:
        """What a transaction takes. [s]"""
        return sum_of(self.terms)

    @property
    def rate_tps(self) -> Quantity:
        """Transactions per second at which the capacity is used up. [1/s]"""
        load_s = self.load_s
        if not isinstance(load_s, np.ndarray):
            return self.capacity / load_s if load_s else self.capacity * float("inf")
        with np.errstate(divide="ignore"):
            return self.capacity / load_s


def demand(stage: Stage, counts: tuple[Counts, Counts]) -> Terms:
    """Time that one transaction takes of a stage, term by term."""
    ways = zip(WAY_NAMES, (stage.to_server, stage.to_client), counts, strict=True)
    return tuple(
        (f"{stage.name}.{way}.{name}", time_s * amount)
        for way, times, count in ways
        for name, time_s in times.named()
        if not is_nothing(amount := _amount(name, stage, times, count))
    )


def _amount(name: str, stage: Stage, times: Times, count: Counts) -> Quantity:
    """How many messages, wake-ups, interrupts, packets or bytes a time is multiplied by."""
    if name == "per_frame_s":
        return _with_acks(count.packet_count(stage.segments_per_packet), times, count)
    if name == "per_byte_s":
        return count.layer_bytes(stage.byte_layer)
    if name == "per_message_s":
        return count.message_count
    if name == "per_wakeup_s":
        return shared_by(count.message_count, stage.messages_per_wakeup)
    if name == "per_interrupt_s":
        frame_count = _with_acks(count.frame_count, times, count)
        return shared_by(frame_count, stage.frames_per_interrupt)
    return count.ack_count


def _with_acks(frame_count: Quantity, times: Times, count: Counts) -> Quantity:
    """Frames with pure acknowledgements, unless these take a time of their own."""
    if times.per_ack_s is not None or not count.has_acks:
        return frame_count
    return frame_count + count.ack_count


def limits(
    path: Path, traffic: Traffic, demands: Mapping[str, Terms], counts: tuple[Counts, Counts]
) -> tuple[Limit, ...]:
    """Every limit of a path: its stages, its pools, its windows, and how many wait."""
    count = traffic.connection_count
    found = [*_stage_limits(path, traffic, demands), *_pool_limits(path, demands)]
    if count is not None and not traffic.waits:
        found += [
            Limit(f"{one.name} of each connection", count, ("connection_count",), demands[one.name])
            for one in path.stages
            if one.is_serial
        ]
    if count is not None and path.window_bytes is not None:
        names = ("window_bytes", "connection_count")
        under_way = count * path.window_bytes / traffic.payload_bytes
        found.append(Limit("window", under_way, names, round_trip(path)))
    if count is not None and traffic.waits:
        terms = light_load(path, traffic, demands, counts)
        found.append(Limit("connections", count, ("connection_count",), terms))
    return tuple(limit for limit in found if limit.terms)


def _stage_limits(path: Path, traffic: Traffic, demands: Mapping[str, Terms]) -> Iterator[Limit]:
    """The servers of each stage; what a hash spreads is in proportion to no parameter."""
    for one in path.stages:
        if one.parallel_count is not None:
            hashed = one.hashes_flows and traffic.connection_count is not None
            names = () if hashed else (f"{one.name}.parallel_count",)
            yield Limit(one.name, usable_count(one, traffic), names, demands[one.name])


def _pool_limits(path: Path, demands: Mapping[str, Terms]) -> Iterator[Limit]:
    """The servers of each pool, for all stages that draw on it."""
    for pool in path.pools:
        if pool.parallel_count is not None:
            terms = joined(demands[one.name] for one in path.stages if one.pool == pool.name)
            yield Limit(pool.name, pool.parallel_count, (f"{pool.name}.parallel_count",), terms)


def usable_count(stage: Stage, traffic: Traffic) -> Quantity:
    """
    Servers of a stage that its connections keep busy, where a hash may spread them.

    Parameters
    ----------
    stage : Stage
        With servers of its own, as numbers or arrays.
    traffic : Traffic
        Tells the number of connections, and whether they wait.

    Returns
    -------
    server_count : float or numpy.ndarray
        All of them where no hash spreads the connections, or their number is
        not known.

    Raises
    ------
    DomainError
        If a hash spreads them and a count is not whole, or too large.

    Notes
    -----
    Where connections wait, as many servers as a hash chooses at all: those of
    a full server slow down alone. In a stream all are as fast as the slowest,
    until the fullest server is full.

    Examples
    --------
    >>> from netmodel.path import Stage, Traffic
    >>> queues = Stage(name="queues", parallel_count=16, hashes_flows=True)
    >>> round(usable_count(queues, Traffic(1000, connection_count=10)), 3)
    7.609
    """
    count, flows = stage.parallel_count, traffic.connection_count
    if not stage.hashes_flows or flows is None:
        return count
    if traffic.waits:
        return used_queue_count(flows, count)
    return count * usable_capacity_ratio(flows, count)


def round_trip(path: Path) -> Terms:
    """Time to the server and back that nothing shortens, term by term."""
    ways = (
        (f"{stage.name}.{way}.per_message_s", times.per_message_s)
        for stage in path.stages
        if stage.is_delay
        for way, times in zip(WAY_NAMES, (stage.to_server, stage.to_client), strict=True)
    )
    return tuple((name, time_s) for name, time_s in ways if not is_nothing(time_s))


def light_load(
    path: Path, traffic: Traffic, demands: Mapping[str, Terms], counts: tuple[Counts, Counts]
) -> Terms:
    """
    Time of a transaction that meets no other, and the think time after it, term by term.

    The frames of a message follow each other from stage to stage: each stage
    counts with one frame, and the slowest with all of them.
    """
    think = (("think_time_s", traffic.think_time_s),)
    delaying = [demands[stage.name] for stage in path.stages if stage.delays]
    ways = (
        _passage(delaying, f".{way}.", count.frame_count)
        for way, count in zip(WAY_NAMES, counts, strict=True)
        if count.message_count
    )
    return joined([*ways, () if is_nothing(traffic.think_time_s) else think])


def _passage(demands: Iterable[Terms], way: str, frame_count: Quantity) -> Terms:
    """Time of one message through stages, term by term."""
    several = [tuple(term for term in terms if way in term[0]) for terms in demands]
    of_frames = [sum_of(term for term in terms if _is_of_frames(term[0])) for terms in several]
    slowest_s = reduce(maximum, of_frames, 0.0)
    found: list[tuple[str, Quantity]] = []
    is_taken: Quantity = 0
    for terms, time_s in zip(several, of_frames, strict=True):
        is_slowest = where(time_s >= slowest_s, 1, 0) * (1 - is_taken)
        is_taken = is_taken + is_slowest
        share = (1 + (frame_count - 1) * is_slowest) / frame_count
        found += [(name, value * share if _is_of_frames(name) else value) for name, value in terms]
    return tuple(found)


def _is_of_frames(name: str) -> bool:
    return name.rpartition(".")[2] not in TIMES_OF_MESSAGES


def joined(several: Iterable[Terms]) -> Terms:
    """The terms of several sums as those of one."""
    return tuple(chain.from_iterable(several))


def sum_of(terms: Iterable[tuple[str, Quantity]]) -> Quantity:
    """What the terms add up to."""
    return sum(value for _, value in terms)


def least(quantities: Iterable[Quantity]) -> Quantity:
    """The smallest of them, element by element."""
    return reduce(minimum, quantities)
