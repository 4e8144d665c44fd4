"""A path as receive packet steering (RPS) changes it: a queue's CPU becomes several."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from netmodel._numeric import (
    Quantity,
    minimum,
    require_above,
    require_at_least,
    require_at_most,
    require_one,
)
from netmodel.concurrency import steering_cpu_time_s, used_queue_count
from netmodel.errors import DomainError
from netmodel.path import Path, Pool, Stage, Times, Traffic
from netmodel.path._uncertain import ends_of, mapped

__all__ = ["SteeringTimes", "on_cpus", "parts_of", "steered_path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeringTimes:
    """
    CPU time of each frame that steering divides and adds; None for what is not known.

    Frames are those that the stack handles: where segments are joined before
    they are steered, the joined packets.

    Parameters
    ----------
    poll_time_s : float, optional
        Part of the time of a frame that stays with the CPU of the queue. [s]
    hash_time_s : float, optional
        Choosing a CPU. [s]
    ipi_time_s : float, optional
        An interrupt to another CPU. [s]
    frames_per_ipi : float, optional
        Frames that one such interrupt announces.
    enqueue_time_s : float, optional
        Passing a frame through the backlog of the other CPU. [s]

    Raises
    ------
    DomainError
        If polling takes no time, another time is negative, one is infinite or
        no single number, or an interrupt announces less than one frame.

    Examples
    --------
    >>> SteeringTimes(poll_time_s=1.5e-6, hash_time_s=0.2e-6).missing
    ('ipi_time_s', 'frames_per_ipi', 'enqueue_time_s')
    """

    poll_time_s: float | None = None
    hash_time_s: float | None = None
    ipi_time_s: float | None = None
    frames_per_ipi: float | None = None
    enqueue_time_s: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            require_one(field.name, value)
            if field.name == "poll_time_s":
                require_above(field.name, value, 0, "s")
            elif field.name == "frames_per_ipi":
                require_at_least(field.name, value, 1, "")
            else:
                require_at_least(field.name, value, 0, "s")

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of what is not known."""
        names = tuple(field.name for field in fields(self) if getattr(self, field.name) is None)
        return tuple(name for name in names if name != "frames_per_ipi" or self.ipi_time_s != 0)

    @property
    def tells_added_time(self) -> bool:
        """Whether all that steering adds is known."""
        return not set(self.missing) - {"poll_time_s"}

    @property
    def queue_time_s(self) -> float:
        """What stays with the CPU of the queue, without what is not known. [s]"""
        return (self.poll_time_s or 0.0) + self._added_time_s(0.0)

    @property
    def added_time_s(self) -> float:
        """What steering adds, without what is not known. [s]"""
        return self._added_time_s(self.enqueue_time_s or 0.0)

    def _added_time_s(self, enqueue_time_s: float) -> float:
        per_ipi = self.frames_per_ipi
        ipi_time_s = 0.0 if per_ipi is None else self.ipi_time_s or 0.0
        hash_time_s = self.hash_time_s or 0.0
        return float(
            steering_cpu_time_s(
                hash_time_s, ipi_time_s, 1 if per_ipi is None else per_ipi, enqueue_time_s
            )
        )


def parts_of(names: Iterable[str]) -> tuple[str, ...]:
    """Names of the stages that these become: what stays with the queue, and what moves."""
    return tuple(f"{name}_{part}" for name in names for part in ("poll", "protocol"))


def on_cpus(path: Path, names: tuple[str, ...], cpu_count: int) -> Path:
    """
    The path with its receive queues on so many CPUs, which they draw on as a pool.

    Raises
    ------
    DomainError
        If there is no such stage, or it has no servers of its own.
    """
    known = {stage.name: stage for stage in path.stages}
    for name in names:
        if name not in known:
            raise DomainError(f"the path has no stage {name!r}; it has {', '.join(known)}")
        if known[name].parallel_count is None:
            raise DomainError(f"stage {name!r} has no servers of its own: state its queues")
    alone = tuple(name for name in names if known[name].pool is None)
    pools = tuple(Pool(f"{name}_cpus", cpu_count) for name in alone)
    stages = (_on_cpus(stage, cpu_count) if stage.name in names else stage for stage in path.stages)
    return replace(path, stages=tuple(stages), pools=(*path.pools, *pools))


def _on_cpus(stage: Stage, cpu_count: int) -> Stage:
    """Queues beyond the CPUs share one with another queue."""
    count = mapped(stage.parallel_count, lambda one: minimum(one, cpu_count))
    return replace(stage, parallel_count=count, pool=stage.pool or f"{stage.name}_cpus")


def steered_path(
    path: Path,
    names: tuple[str, ...],
    times: SteeringTimes,
    cpu_count: int,
    traffic: Traffic,
) -> Path:
    """
    The path with each of these stages as two: what stays with the queue, and what moves.

    Where it is not known how much stays, all moves, to servers that have the
    capacity of both: no division of the two allows a higher rate.

    Raises
    ------
    DomainError
        If polling takes longer than a frame in all.
    """
    stages: list[Stage] = []
    for stage in path.stages:
        if stage.name not in names:
            stages.append(stage)
            continue
        poll, protocol = _divided(stage, times, cpu_count)
        if times.poll_time_s is None:
            protocol_count = _usable_count(protocol, traffic)

            def both_count(
                count: Quantity, poll: Stage = poll, more: Quantity = protocol_count
            ) -> Quantity:
                return _usable_count(replace(poll, parallel_count=count), traffic) + more

            both = mapped(poll.parallel_count, both_count)
            protocol = replace(protocol, parallel_count=both, hashes_flows=False)
        stages += (poll, protocol)
    return replace(path, stages=tuple(stages))


def _usable_count(stage: Stage, traffic: Traffic) -> Quantity:
    """Servers that connections use at most: the mean number that a hash chooses at all."""
    count: Any = stage.parallel_count
    flows = traffic.connection_count
    return count if not stage.hashes_flows or flows is None else used_queue_count(flows, count)


def _divided(stage: Stage, times: SteeringTimes, cpu_count: int) -> tuple[Stage, Stage]:
    names = parts_of([stage.name])
    ways = [_parts(way, times) for way in (stage.to_server, stage.to_client)]
    poll, protocol = (
        replace(stage, name=name, to_server=to_server, to_client=to_client)
        for name, to_server, to_client in zip(names, *ways, strict=True)
    )
    return poll, replace(protocol, parallel_count=cpu_count, hashes_flows=True)


def _parts(way: Times, times: SteeringTimes) -> tuple[Times, Times]:
    """Of one direction: what stays, and what moves; nothing of a direction without times."""
    if not way.named:
        return way, way
    poll_time_s = times.poll_time_s or 0.0
    require_at_most("poll_time_s", poll_time_s, ends_of(way.per_frame_s)[0], "s")
    more_s = (times.enqueue_time_s or 0.0) - poll_time_s
    moved_s = mapped(way.per_frame_s, lambda frame_s: frame_s + more_s)
    return Times(per_frame_s=times.queue_time_s), replace(way, per_frame_s=moved_s)
