"""What a transaction takes of each stage."""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import chain
from typing import NamedTuple, TypeAlias

from netmodel._numeric import Quantity, minimum
from netmodel.framing import Stack
from netmodel.path._stage import DIRECTIONS, Direction, Stage, Times
from netmodel.path._traffic import Counts, Traffic, is_nothing, shared_by
from netmodel.path._uncertain import (
    Bound,
    Change,
    Joint,
    Points,
    Predicted,
    as_known,
    over_cases,
)

__all__ = [
    "Load",
    "Terms",
    "demand",
    "demand_of_way",
    "joined",
    "least",
    "sharing_sets",
    "stage_load",
    "sum_of",
]

Terms: TypeAlias = tuple[tuple[str, Quantity], ...]
"""Parts of a sum, each with the name of the parameter that it is proportional to."""


class Load(NamedTuple):
    """
    Everything that a path carries, and how many predictions that makes.

    Parameters
    ----------
    traffic : Traffic
        What is exchanged.
    counts_of : callable
        From the headers of a place to what a transaction brings there, with acknowledgements.
    bare_counts_of : callable
        The same without acknowledgements.
    stack : Stack
        Headers, where a stage has none of its own.
    points : Points
        How many predictions are made at once.
    """

    traffic: Traffic
    counts_of: Callable[[Stack], tuple[Counts, Counts]]
    bare_counts_of: Callable[[Stack], tuple[Counts, Counts]]
    stack: Stack
    points: Points

    def demand(self, stage: Stage, change: Change) -> Terms:
        """Time that one transaction takes of a stage, term by term, with these parameters."""
        return demand(stage, self.counts_of(stage.stack or self.stack), change)

    def bare_demand(self, stage: Stage, change: Change) -> Terms:
        """The same without acknowledgements."""
        return demand(stage, self.bare_counts_of(stage.stack or self.stack), change)


def stage_load(stages: Sequence[Stage], load: Load, bound: Bound = Bound.VALUE) -> Predicted:
    """Time that one transaction takes of stages, over all combinations of their parameters. [s]"""
    return over_cases(
        chain.from_iterable(one.parameters() for one in stages),
        load.points,
        lambda change: sum(sum_of(load.demand(one, change)) for one in stages),
        bound,
    ).predicted


def demand(stage: Stage, counts: tuple[Counts, Counts], change: Change = as_known) -> Terms:
    """Time that one transaction takes of a stage, term by term, with these parameters."""
    ways = zip(DIRECTIONS, counts, strict=True)
    return joined(demand_of_way(stage, way, count, change) for way, count in ways)


def demand_of_way(stage: Stage, way: Direction, count: Counts, change: Change) -> Terms:
    """The same one way; a time that may be 0 is a term where it is."""
    times: Times = getattr(stage, way)
    return tuple(
        (f"{stage.name}.{way}.{name}", change(time_s, True) * amount)
        for name, time_s in times.named()
        if not is_nothing(amount := _amount(name, stage, times, count, change))
    )


def _amount(name: str, stage: Stage, times: Times, count: Counts, change: Change) -> Quantity:
    """How many messages, wake-ups, interrupts, packets or bytes a time is multiplied by."""
    if name == "per_frame_s":
        packet_count = count.packet_count(change(stage.segments_per_packet, False))
        return _with_acks(packet_count, times, count)
    if name == "per_byte_s":
        return count.layer_bytes(stage.byte_layer)
    if name == "per_message_s":
        return count.message_count
    if name == "per_wakeup_s":
        return shared_by(count.message_count, change(stage.messages_per_wakeup, False))
    if name == "per_interrupt_s":
        frame_count = _with_acks(count.frame_count, times, count)
        return shared_by(frame_count, change(stage.frames_per_interrupt, False))
    return count.ack_count


def _with_acks(frame_count: Quantity, times: Times, count: Counts) -> Quantity:
    """Frames with pure acknowledgements, unless these take a time of their own."""
    if times.per_ack_s is not None or not count.has_acks:
        return frame_count
    return frame_count + count.ack_count


def sharing_sets(stages: Iterable[Stage]) -> list[list[Stage]]:
    """Stages in groups, so that no set of parameters is in two of them."""
    groups: list[tuple[set[str], list[Stage]]] = []
    for stage in stages:
        names = {one.of for one in stage.parameters() if isinstance(one, Joint)}
        joined_names, members, apart = set(names), [], []
        for known, several in groups:
            if known & names:
                joined_names |= known
                members += several
            else:
                apart.append((known, several))
        groups = [*apart, (joined_names, [*members, stage])]
    return [members for _, members in groups]


def joined(several: Iterable[Terms]) -> Terms:
    """The terms of several sums as those of one."""
    return tuple(chain.from_iterable(several))


def sum_of(terms: Iterable[tuple[str, Quantity]]) -> Quantity:
    """What the terms add up to."""
    return sum(value for _, value in terms)


def least(quantities: Iterable[Quantity]) -> Quantity:
    """The smallest of them, element by element."""
    return reduce(minimum, quantities)
