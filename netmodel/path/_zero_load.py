"""Zero-load response time: a lower bound of the time of a transaction that meets no other."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain
from typing import NamedTuple

from netmodel.estimates import Bound, Predicted
from netmodel.numeric import FloatOrArray, maximum, minimum, where
from netmodel.path._path import DIRECTIONS, Direction, Path, Pool, Stage
from netmodel.path._traffic import Counts, Load, Terms, is_at_most_one, least, sharing_sets, sum_of
from netmodel.path._uncertain import (
    Parameter,
    ValueOf,
    ends_of,
    is_nothing,
    over_cases,
    printed_ends_of,
    quoted_of,
)


class ZeroLoad(NamedTuple):
    """
    Lower bound of the time of a transaction that meets no other, with its think time. [s]

    Parameters
    ----------
    shortest_s, longest_s : float or numpy.ndarray
        With the parameters that make it shortest and longest, published figures as printed. [s]
    low_s, high_s : float or numpy.ndarray
        What encloses it, regardless of the parameters. [s]
    """

    shortest_s: FloatOrArray
    longest_s: FloatOrArray
    low_s: FloatOrArray
    high_s: FloatOrArray


def zero_load(path: Path, load: Load) -> ZeroLoad:
    """The same of a path, each set of parameters with the values that make it shortest."""
    load = load.without_acks
    # (1) the values of each set of parameters that make the sum of its stages shortest and longest
    stages = [stage for stage in path.stages if stage.delays]
    shortest: dict[str, ValueOf] = {}
    longest: dict[str, ValueOf] = {}
    for group in sharing_sets(stages):

        def total_s(change: ValueOf, group: Sequence[Stage] = group) -> FloatOrArray:
            return sum(sum_of(load.demand(stage, change)) for stage in group)

        parameters = chain.from_iterable(stage.parameters for stage in group)
        spread = over_cases(parameters, load.points, total_s, Bound.LOWER)
        shortest |= {stage.name: spread.quoted for stage in group}
        longest |= {stage.name: spread.opposite for stage in group}
    # (2) a message in each direction with these, and the think time
    pools = [pool.changed(quoted_of) for pool in path.pools]
    think_time_s = load.traffic.think_time_s

    def round_trip_s(changes: Mapping[str, ValueOf]) -> FloatOrArray:
        return (
            sum(each.longest_s for each in _messages(stages, pools, load, changes)) + think_time_s
        )

    result_s = round_trip_s(shortest)
    if not path.is_uncertain:
        return ZeroLoad(result_s, result_s, result_s, result_s)
    # (3) ends that hold for all values; frames that overlap may make other values shorter
    other_s = round_trip_s(longest)
    ends = _enclosing(path, stages, load)
    most_frames: FloatOrArray = 0.0
    for _, counts in _passed(stages, load):
        most_frames = reduce(maximum, (count.frame_count for count in counts), most_frames)
    least_s = where(most_frames > 1, minimum(result_s, ends.value), result_s)
    return ZeroLoad(least_s, other_s, minimum(least_s, ends.low), maximum(other_s, ends.high))


def passages(stages: Sequence[Stage], pools: Sequence[Pool], load: Load) -> Iterator[list[Terms]]:
    r"""
    Lower bounds of the time of a message, for each direction that has one; the largest counts.

    Parameters
    ----------
    stages : sequence of Stage
        Those that a message waits for, with plain numbers.
    pools : sequence of Pool
        Those that the stages draw on, with plain numbers.
    load : Load
        What the path carries.

    Yields
    ------
    times : list of terms
        Each a lower bound of the time in one direction, as a sum.

    Notes
    -----
    With :math:`a_j` and :math:`b_j` what stage :math:`j` takes of a full and of the last
    frame, :math:`F_k` and :math:`F'_k` of all frames and of all but the last, :math:`w_j` of
    a wake-up and :math:`M` of the message at all stages, a message takes at least

    .. math:: M + \max\Bigl(\sum_j (a_j + w_j),\;
        \max_k \frac{F_k + w_k}{c_k} + \sum_{j \ne k} b_j s_j,\;
        \max_k \frac{F'_k + w_k}{c_k} + \sum_{j \ne k} a_j s_j\Bigr)

    The first frame passes every stage and meets every wake-up. A stage :math:`k` with
    :math:`c_k` servers for one connection cannot begin before a frame reaches it, nor end
    before its servers have done all frames, and the last of them passes what lies behind;
    so do the full frames alone. At other stages servers shorten the wait for the first or
    behind the last frame where service times vary: :math:`s_j` is 1 for one server and for a
    delay, else one over the smaller of servers and frames. The order of stages is not in it.
    What a message takes as a whole it takes while none of its frames moves.
    """
    for message in _messages(stages, pools, load.without_acks):
        yield [message.passage(index) for index in range(message.bound_count)]


_NOTHING: Predicted = Predicted(0.0, 0.0, 0.0)


class Parts(NamedTuple):
    """Time that one message takes of a stage, as in the notes of `passages`. [s]"""

    message: FloatOrArray  # its part of M
    wakeup: FloatOrArray  # w
    full: FloatOrArray  # a
    last: FloatOrArray  # b
    all: FloatOrArray  # F
    all_but_last: FloatOrArray  # F'


@dataclass(frozen=True)
class _Message:
    """A message that passes stages, each with what it brings there."""

    stages: Sequence[Stage]
    terms: Sequence[Terms]
    counts: Sequence[Counts]
    servers: Sequence[FloatOrArray]

    @cached_property
    def frame_count(self) -> FloatOrArray:
        return reduce(maximum, (count.frame_count for count in self.counts))

    @property
    def bound_count(self) -> int:
        return 1 if is_at_most_one(self.frame_count) else 1 + 2 * len(self.stages)

    @property
    def longest_s(self) -> FloatOrArray:
        """The largest of its bounds. [s]"""
        parts = [
            _parts(terms, stage, count)
            for terms, stage, count in zip(self.terms, self.stages, self.counts, strict=True)
        ]
        bounds = _bounds_s(parts, self.servers, self.frame_count)
        return sum(part.message for part in parts) + reduce(maximum, bounds)

    def passage(self, index: int) -> Terms:
        """The bound with a number, term by term."""
        terms: list[tuple[str, FloatOrArray]] = []
        is_of_all = index % 2 == 1
        for place, stage in enumerate(self.stages):
            count, servers = self.counts[place], self.servers[place]
            is_own = index in (2 * place + 1, 2 * place + 2)
            for name, value in self.terms[place]:
                kind = name.rpartition(".")[2]
                layer = stage.byte_layer if kind == "per_byte_s" else None
                full, last, rest = count.frame_shares(layer)
                if kind == "per_message_s":
                    share: FloatOrArray = 1
                elif kind == "per_wakeup_s":
                    share = 1 if index == 0 else 1 / servers if is_own else 0
                elif index == 0:
                    share = full
                elif is_own:
                    share = (1 if is_of_all else rest) / servers
                else:
                    share = (last if is_of_all else full) * shared_by(servers, self.frame_count)
                if not is_nothing(value * share):
                    terms.append((name, value * share))
        return tuple(terms)


def _messages(
    stages: Sequence[Stage],
    pools: Iterable[Pool],
    load: Load,
    changes: Mapping[str, ValueOf] | None = None,
) -> Iterator[_Message]:
    """The message of each direction that has one, with the parameters that are put in."""
    change_of = [quoted_of if changes is None else changes[stage.name] for stage in stages]
    changed = [stage.changed(change) for stage, change in zip(stages, change_of, strict=True)]
    for direction, counts in _passed(stages, load):
        places = [place for place, stage in enumerate(stages) if getattr(stage, direction).named]
        if not places:
            continue
        yield _Message(
            [stages[place] for place in places],
            [load.demand(stages[n], change_of[n], (direction,)) for n in places],
            [counts[place] for place in places],
            [message_servers(changed[place], pools) for place in places],
        )


def _passed(stages: Sequence[Stage], load: Load) -> Iterator[tuple[Direction, list[Counts]]]:
    """Each direction that has a message, and what that brings to each stage."""
    for place, direction in enumerate(DIRECTIONS):
        if load.counts()[place].message_count:
            yield direction, [load.counts(stage.stack)[place] for stage in stages]


def _parts(terms: Terms, stage: Stage, count: Counts) -> Parts:
    message: FloatOrArray = 0
    wakeup: FloatOrArray = 0
    frames: list[FloatOrArray] = [0, 0, 0, 0]
    for name, value in terms:
        kind = name.rpartition(".")[2]
        if kind == "per_message_s":
            message = message + value
        elif kind == "per_wakeup_s":
            wakeup = wakeup + value
        else:
            layer = stage.byte_layer if kind == "per_byte_s" else None
            full, last, rest = count.frame_shares(layer)
            shortened = (value * full, value * last, value, value * rest)
            frames = [item + more for item, more in zip(frames, shortened, strict=True)]
    return Parts(message, wakeup, *frames)


def _bounds_s(
    parts: Sequence[Parts], servers: Sequence[FloatOrArray], frame_count: FloatOrArray
) -> Iterator[FloatOrArray]:
    """Lower bounds of what a message takes beside M, as in the notes of `passages`. [s]"""
    # (1) the first frame at every stage: sum of a_j + w_j
    yield sum(part.full + part.wakeup for part in parts)
    if is_at_most_one(frame_count):
        return
    last, full = (
        [
            getattr(part, name) * shared_by(count, frame_count)
            for part, count in zip(parts, servers, strict=True)
        ]
        for name in ("last", "full")
    )
    # (2) all frames at k and the last behind it: (F_k + w_k) / c_k + sum of b_j s_j
    # (3) all but the last at k, with full ones at others: (F'_k + w_k) / c_k + sum of a_j s_j
    last_s, full_s = sum(last), sum(full)
    for place, (each, count) in enumerate(zip(parts, servers, strict=True)):
        yield (each.all + each.wakeup) / count + (last_s - last[place])
        yield (each.all_but_last + each.wakeup) / count + (full_s - full[place])


def shared_by(servers: FloatOrArray, frame_count: FloatOrArray) -> FloatOrArray:
    """s_j: the share of its time that a frame takes at least where several servers work."""
    if type(servers) in (int, float) and servers in (1, math.inf):
        return 1
    return 1 / maximum(minimum(servers, frame_count), 1)


def message_servers(
    stage: Stage, pools: Iterable[Pool], value_of: ValueOf = quoted_of
) -> FloatOrArray:
    """
    Servers that work on the frames of one message at a time: at least the one that it is on.

    Their number is the one to quote, or what a function makes of it.
    """
    if stage.hashes_flows or stage.is_serial:
        return 1
    counts = (stage.parallel_count, *(p.parallel_count for p in pools if p.name == stage.pool))
    known = [value_of(count, False) for count in counts if count is not None]
    return maximum(least(known), 1) if known else math.inf


def _enclosing(path: Path, stages: Sequence[Stage], load: Load) -> Predicted:
    """
    What no combination of parameters makes a transaction shorter, or longer, than.

    The value is the shortest with published figures as printed. [s]
    """

    def fastest_printed(parameter: Parameter, slows: bool) -> FloatOrArray:
        low, high = printed_ends_of(parameter)
        return low if slows else high

    def fastest(parameter: Parameter, slows: bool) -> FloatOrArray:
        low, high = ends_of(parameter)
        return low if slows else high

    def slowest(parameter: Parameter, slows: bool) -> FloatOrArray:
        low, high = ends_of(parameter)
        return high if slows else low

    ends = dict.fromkeys(("value", "low", "high"), load.traffic.think_time_s)
    changes = {"value": fastest_printed, "low": fastest, "high": slowest}
    servers = {
        end: [message_servers(stage, path.pools, change) for stage in stages]
        for end, change in changes.items()
    }
    for _, counts, spreads in spread_parts(stages, load):
        # the bounds of the message, each part at its own end
        frame_count = reduce(maximum, (count.frame_count for count in counts))
        for end in changes:
            at_end = [Parts(*(getattr(part, end) for part in parts)) for parts in spreads]
            frames_s = reduce(maximum, _bounds_s(at_end, servers[end], frame_count))
            ends[end] = ends[end] + sum(item.message for item in at_end) + frames_s
    return Predicted(**ends, bound=Bound.LOWER)


def spread_parts(
    stages: Sequence[Stage], load: Load
) -> Iterator[tuple[Direction, list[Counts], list[list[Predicted]]]]:
    """
    What a message of each direction brings to each stage, and the parts of its time there.

    The ends of each part are over all its parameters, regardless of other parts; its value is the
    shortest with published figures as printed. [s]
    """
    for direction, counts in _passed(stages, load):
        spreads = []
        for stage, count in zip(stages, counts, strict=True):
            kinds = {name for name, _ in getattr(stage, direction).named}
            of_parts = ({"per_message_s"}, {"per_wakeup_s"})
            of_frames = kinds - {"per_message_s", "per_wakeup_s"}
            parts = []
            for place in range(len(Parts._fields)):
                if not kinds & (of_parts[place] if place < len(of_parts) else of_frames):
                    parts.append(_NOTHING)
                    continue

                def part_s(
                    value_of: ValueOf,
                    place: int = place,
                    passed: tuple[Stage, Direction, Counts] = (stage, direction, count),
                ) -> FloatOrArray:
                    terms = load.demand(passed[0], value_of, (passed[1],))
                    return _parts(terms, passed[0], passed[2])[place]

                spread = over_cases(stage.parameters, load.points, part_s, Bound.LOWER)
                parts.append(spread.predicted)
            spreads.append(parts)
        yield direction, counts, spreads


def quoted_parts(
    stages: Sequence[Stage], load: Load
) -> Iterator[tuple[Direction, list[Counts], list[Parts]]]:
    """The same with the parameters to quote, and no ends. [s]"""
    for direction, counts in _passed(stages, load):
        yield (
            direction,
            counts,
            [
                _parts(load.demand(stage, quoted_of, (direction,)), stage, count)
                for stage, count in zip(stages, counts, strict=True)
            ],
        )
