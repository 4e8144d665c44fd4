"""Stages composed: what a transaction takes of each, and every limit that follows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypeAlias

import numpy as np

from netmodel._grades import Grade
from netmodel._numeric import Quantity, minimum, require_at_least
from netmodel.concurrency import usable_capacity_ratio
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import Stack
from netmodel.path._stage import Pool, Stage, require_unique
from netmodel.path._traffic import Counts, Traffic, is_nothing
from netmodel.path._uncertain import Interval, Parameter, is_uncertain, require_parameter

__all__ = ["Limit", "Path", "demand", "limits"]

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


@dataclass(frozen=True, kw_only=True)
class Path:
    """
    Stages between a client and a server, and the pools that they share.

    Parameters
    ----------
    stages : tuple of Stage
        From the client to the server; the order is for reading only.
    pools : tuple of Pool
        Those that the stages name.
    window_bytes : float, array_like, Interval or Joint, optional
        Payload that each connection may have under way; None where it does not limit. [byte]
    window_grade : Grade, optional
        How good the evidence for it is.
    unknown : tuple of str
        Parts whose times are not known. Where there are any, limits are ceilings,
        and no transaction time is told.
    notes : tuple of str
        What a reader of a prediction should know.

    Raises
    ------
    DomainError
        If there is no stage, two stages or pools have the same name, or a
        stage names a pool that is not there.

    Examples
    --------
    >>> from netmodel.path import Stage, Times
    >>> path = Path(stages=(Stage(name="cpu", to_server=Times(per_message_s=6e-6)),))
    >>> path.reversed.stages[0].to_client.per_message_s
    6e-06
    """

    stages: tuple[Stage, ...]
    pools: tuple[Pool, ...] = ()
    window_bytes: Parameter | None = None
    window_grade: Grade | None = None
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("stages", "pools", "unknown", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.stages:
            raise DomainError("a path needs at least one stage")
        names = [*(stage.name for stage in self.stages), *(pool.name for pool in self.pools)]
        require_unique("stages or pools", [*names, "window", "connections"])
        pools = {pool.name for pool in self.pools}
        for stage in self.stages:
            if stage.pool is not None and stage.pool not in pools:
                raise DomainError(f"stage {stage.name!r} names a pool {stage.pool!r}, not known")
        if self.window_bytes is not None:
            window = require_parameter("window_bytes", self.window_bytes, 1, "byte")
            object.__setattr__(self, "window_bytes", window)

    @property
    def reversed(self) -> "Path":
        """The same with client and server exchanged."""
        return replace(
            self,
            stages=tuple(stage.reversed for stage in reversed(self.stages)),
            pools=tuple(pool.reversed for pool in self.pools),
        )

    def changed(self, change: Callable[[Parameter, bool], Parameter]) -> "Path":
        """The path with every parameter as the function has it; told whether more of it slows."""
        window = self.window_bytes
        return replace(
            self,
            stages=tuple(stage.changed(change) for stage in self.stages),
            pools=tuple(pool.changed(change) for pool in self.pools),
            window_bytes=None if window is None else change(window, False),
        )

    @cached_property
    def is_uncertain(self) -> bool:
        """Whether a parameter is an interval or goes together with others."""
        return any(is_uncertain(one) for one in self.parameters())

    @property
    def has_intervals(self) -> bool:
        """Whether a parameter is an interval."""
        return self.is_uncertain and any(isinstance(one, Interval) for one in self.parameters())

    def parameters(self) -> Iterator[Parameter]:
        """Everything that may be uncertain."""
        yield from chain.from_iterable(stage.parameters() for stage in self.stages)
        counts = (pool.parallel_count for pool in self.pools)
        yield from (one for one in (*counts, self.window_bytes) if one is not None)

    def cpu_stages(self, side: Side) -> tuple[Stage, ...]:
        """Stages that take the CPU time of a side."""
        pools = {pool.name for pool in self.pools if pool.is_cpu_of(side)}
        return tuple(stage for stage in self.stages if stage.pool in pools)

    def mtu_bytes(self, stack: Stack, mtu_bytes: Quantity | None = None) -> Quantity:
        """
        Largest innermost packet: the smallest that is stated, or that a stage lets pass. [byte]

        Raises
        ------
        DomainError
            If neither the argument nor a stage tells one.
        """
        hops = [
            (stage.stack or stack).mtu_bytes(stage.mtu_bytes)
            for stage in self.stages
            if stage.mtu_bytes is not None
        ]
        if mtu_bytes is not None:
            hops.append(require_at_least("mtu_bytes", mtu_bytes, stack.minimum_mtu_bytes, "byte"))
        if not hops:
            raise DomainError("state mtu_bytes: no stage of the path tells its MTU")
        return least(hops)


def demand(stage: Stage, counts: tuple[Counts, Counts]) -> Terms:
    """Time that one transaction takes of a stage, term by term."""
    ways = zip(("to_server", "to_client"), (stage.to_server, stage.to_client), counts, strict=True)
    return tuple(
        (f"{stage.name}.{way}.{name}", time_s * _amount(name, stage, count))
        for way, times, count in ways
        for name, time_s in times.named()
        if not is_nothing(_amount(name, stage, count))
    )


def _amount(name: str, stage: Stage, count: Counts) -> Quantity:
    """How many messages, packets or bytes a time is multiplied by."""
    if name == "per_message_s":
        return count.message_count
    if name == "per_frame_s":
        return count.packet_count(stage.segments_per_packet)
    return count.layer_bytes(stage.byte_layer)


def limits(path: Path, traffic: Traffic, demands: Mapping[str, Terms]) -> tuple[Limit, ...]:
    """Every limit of a path: its stages, its pools, its windows, and how many wait."""
    count = traffic.connection_count
    found = [
        *(
            Limit(
                stage.name,
                _usable_count(stage, count),
                () if _is_uneven(stage, count) else (f"{stage.name}.parallel_count",),
                demands[stage.name],
            )
            for stage in path.stages
            if stage.parallel_count is not None
        ),
        *(
            Limit(
                pool.name,
                pool.parallel_count,
                (f"{pool.name}.parallel_count",),
                joined(demands[stage.name] for stage in path.stages if stage.pool == pool.name),
            )
            for pool in path.pools
            if pool.parallel_count is not None
        ),
    ]
    if count is not None and (path.unknown or not traffic.waits):
        found += [
            Limit(f"{one.name} of each connection", count, ("connection_count",), demands[one.name])
            for one in path.stages
            if one.is_serial
        ]
    if path.window_bytes is not None and count is not None:
        names = ("window_bytes", "connection_count")
        under_way = count * path.window_bytes / traffic.payload_bytes
        found.append(Limit("window", under_way, names, round_trip(path)))
    if traffic.waits and count is not None and not path.unknown:
        terms = light_load(path, traffic, demands)
        found.append(Limit("connections", count, ("connection_count",), terms))
    return tuple(limit for limit in found if limit.terms)


def round_trip(path: Path) -> Terms:
    """Time to the server and back that nothing shortens, term by term."""
    ways = (
        (f"{stage.name}.{way}.per_message_s", times.per_message_s)
        for stage in path.stages
        if stage.is_delay
        for way, times in (("to_server", stage.to_server), ("to_client", stage.to_client))
    )
    return tuple((name, time_s) for name, time_s in ways if not is_nothing(time_s))


def light_load(path: Path, traffic: Traffic, demands: Mapping[str, Terms]) -> Terms:
    """Time of a transaction that meets no other, and the think time after it, term by term."""
    thinks = () if is_nothing(traffic.think_time_s) else (("think_time_s", traffic.think_time_s),)
    return joined([*(demands[stage.name] for stage in path.stages if stage.delays), thinks])


def joined(several: Iterable[Terms]) -> Terms:
    """The terms of several sums as those of one."""
    return tuple(chain.from_iterable(several))


def sum_of(terms: Terms) -> Quantity:
    """What the terms add up to."""
    return sum(value for _, value in terms)


def least(quantities: Iterable[Quantity]) -> Quantity:
    """The smallest of them, element by element."""
    first, *others = quantities
    for other in others:
        first = minimum(first, other)
    return first


def _usable_count(stage: Stage, connection_count: Quantity | None) -> Quantity:
    """Servers that flows hashed to them keep busy, until one of them is full."""
    if not _is_uneven(stage, connection_count):
        return stage.parallel_count
    return stage.parallel_count * usable_capacity_ratio(connection_count, stage.parallel_count)


def _is_uneven(stage: Stage, connection_count: Quantity | None) -> bool:
    return stage.hashes_flows and connection_count is not None
