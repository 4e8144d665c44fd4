"""Zero-load response time: a lower bound of the time of a transaction that meets no other."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import add

from netmodel.numeric import FloatOrArray, maximum, minimum
from netmodel.path.ensemble import Ensemble, Spread, is_nothing
from netmodel.path.stages import DIRECTIONS, Path, Pool, Stage
from netmodel.path.traffic import Counts, Load, Terms, is_at_most_one, least


def zero_load(path: Path, load: Load) -> Spread:
    """
    Lower bound of the time of a transaction that meets no other, with its think time. [s]

    The largest of the bounds of `passages`, each over all values of its parameters.
    """
    stages = [stage for stage in path.stages if stage.delays]
    ways = [*passages(stages, path.pools, load)]
    # a message of one frame has a single bound, whose sets go together with those of the other
    alone = tuple(chain.from_iterable(bounds[0] for bounds in ways if len(bounds) == 1))
    first, *others = [bounds for bounds in ways if len(bounds) > 1] or [[()]]
    result = Spread.of(load.traffic.think_time_s)
    for bounds in ([(*alone, *terms) for terms in first], *others):
        times = (load.axes.total(time_s for _, time_s in terms) for terms in bounds)
        longest = reduce(lambda one, other: one.by_end(maximum, other), times)
        result = result.by_end(add, longest)
    return result


def passages(stages: Sequence[Stage], pools: Sequence[Pool], load: Load) -> Iterator[list[Terms]]:
    r"""
    Lower bounds of the time of a message, for each direction that has one; the largest counts.

    Parameters
    ----------
    stages : sequence of Stage
        Those that a message waits for.
    pools : sequence of Pool
        Those that the stages draw on.
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
    load = load.without_acks
    for place, direction in enumerate(DIRECTIONS):
        passed = [stage for stage in stages if getattr(stage, direction).named]
        if not passed or not load.counts()[place].message_count:
            continue
        counts = [load.counts(stage.stack)[place] for stage in passed]
        servers = [message_servers(stage, pools, load.axes) for stage in passed]
        frame_count = reduce(maximum, (count.frame_count for count in counts))
        roles = [
            [
                (name, time_s, _shares(name, stage, count, own, frame_count))
                for name, time_s in load.terms(stage, direction)
            ]
            for stage, count, own in zip(passed, counts, servers, strict=True)
        ]
        bound_count = 1 if is_at_most_one(frame_count) else 1 + 2 * len(passed)
        yield [
            tuple(
                (name, time_s * share)
                for number, terms in enumerate(roles)
                for name, time_s, shares in terms
                if not is_nothing(share := shares[_role(bound, number)])
            )
            for bound in range(bound_count)
        ]


def _role(bound: int, stage: int) -> int:
    """What a stage has in a bound: of the first frame, else of the stage itself or of others."""
    of_stage, is_of_full = divmod(bound - 1, 2)
    if not bound:
        return 0
    return (1 if of_stage == stage else 3) + is_of_full


def _shares(
    name: str, stage: Stage, count: Counts, servers: FloatOrArray, frame_count: FloatOrArray
) -> tuple[FloatOrArray, ...]:
    """Shares of a time in the bounds: of each role, as in the notes of `passages`."""
    if name.endswith("per_message_s"):
        return 1, 1, 1, 1, 1
    if name.endswith("per_wakeup_s"):
        return 1, 1 / servers, 1 / servers, 0, 0
    full, last, rest = frame_shares(name, stage, count)
    is_one = type(servers) in (int, float) and servers in (1, math.inf)
    side_by_side = 1 if is_one else 1 / maximum(minimum(servers, frame_count), 1)  # s_j
    return full, 1 / servers, rest / servers, last * side_by_side, full * side_by_side


def frame_shares(name: str, stage: Stage, count: Counts) -> tuple[FloatOrArray, ...]:
    """Shares of a time, by its name, of a full frame, the last one and all but the last."""
    return count.frame_shares(stage.byte_layer if name.endswith("per_byte_s") else None)


def message_servers(stage: Stage, pools: Iterable[Pool], axes: Ensemble) -> FloatOrArray:
    """Servers that work on the frames of one message at a time, in all cases: at least one."""
    if stage.hashes_flows or stage.is_serial:
        return 1
    counts = (stage.parallel_count, *(p.parallel_count for p in pools if p.name == stage.pool))
    known = [axes.array(count, False) for count in counts if count is not None]
    return maximum(least(known), 1) if known else math.inf
