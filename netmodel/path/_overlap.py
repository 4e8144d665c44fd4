"""Expected time of a message of several frames that meets no other, stage after stage."""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from netmodel._numeric import FloatOrArray, Floats, Mask, floor, maximum, where
from netmodel._numpy import np
from netmodel.path._zero_load import Parts

_SHIFT = 0.25
"""Frames and slowest stages beyond those that are there: of 0, 1/4 and 1/2 it is closest to
simulated pipelines of 2 to 6 stages and 2 to 50 frames."""
_MEAN_OF_LARGEST = -1.7711
"""Mean of the distribution of Tracy and Widom, for complex matrices."""
_HALVING_COUNT = 50
"""Steps for the root of a falling function: 2^-50 is its rounding."""


class Hop(NamedTuple):
    """
    A stage that a message passes on its way, in the order of the way.

    Parameters
    ----------
    parts : Parts
        What the message takes of it. [s]
    server_count : float or numpy.ndarray
        Servers that work on its frames at a time; infinite at a delay.
    stores : bool
        Whether it begins with the whole message.
    ack_time_s : float or numpy.ndarray
        What one pure acknowledgement takes. [s]
    variation_ratio : float
        Coefficient of variation of its service times.
    pool : str, optional
        Name of the pool that its time is taken from.
    pool_count : float or numpy.ndarray
        Servers of the pool; infinite where there is none.
    """

    parts: Parts
    server_count: FloatOrArray
    stores: bool
    ack_time_s: FloatOrArray
    variation_ratio: float
    pool: str | None
    pool_count: FloatOrArray


def message_time_s(
    hops: Sequence[Hop], frame_count: FloatOrArray, pause_s: FloatOrArray
) -> FloatOrArray:
    r"""
    Expected time of a message that meets no other.

    Parameters
    ----------
    hops : sequence of Hop
        The stages that it waits for, in the order of its way.
    frame_count : float or numpy.ndarray
        Its frames.
    pause_s : float or numpy.ndarray
        Time between the acknowledgement of the message before and this message. [s]

    Returns
    -------
    time_s : float or numpy.ndarray
        With the time of the message as a whole. [s]

    Notes
    -----
    A stage with a time per message begins with the whole message; in between, frames follow
    each other from stage to stage. With constant times, :math:`F` frames leave after

    .. math:: \max_k \Bigl(\sum_{j<k} (a_j + w_j) + w_k
        + a_k \Bigl\lfloor \frac{F-1}{c_k} \Bigr\rfloor + b_k + \sum_{j>k} b_j \Bigr)

    for the last frame, which is shorter, and likewise for the last full one: the first frame
    passes the stages before :math:`k`, whose :math:`c_k` servers have a frame each, so that it
    serves them in rounds. This is exact where each stage has one server; of several servers it
    leaves out how their turns meet those of other stages. A server that several stages share
    cannot work for two of them at once. The acknowledgement of the message before goes ahead, as
    in a queue.

    With times that vary, a stage waits now for a frame and now has several of them. The time of
    the pipeline is then that of last passage percolation,

    .. math:: \min_z \Bigl(\frac{F}{z} + \sum_j \frac{1}{1/a_j - z}\Bigr) - 1.77\, \sigma

    at most what each faster stage adds where frames come at the pace of the slowest one,
    :math:`a_j / (1 - a_j / a_k)`, and at least the constant time.

    References
    ----------
    K. Johansson, "Shape fluctuations and random matrices", Communications in Mathematical
    Physics 209 (2000); P. W. Glynn and W. Whitt, "Departures from many queues in series", Annals
    of Applied Probability 1 (1991).
    """
    time_s = sum((hop.parts.message for hop in hops if hop.stores), 0.0)
    begins = [0, *(place for place, hop in enumerate(hops) if hop.stores and place), len(hops)]
    for first, last in pairwise(begins):
        segment = hops[first:last]
        # acknowledgements are far ahead once the message has been stored
        ahead_s = [0.0 if first else hop.ack_time_s for hop in segment]
        constant_s = reduce(maximum, _pipelines_s(segment, frame_count, ahead_s, pause_s))
        time_s = time_s + constant_s + _scatter_s(segment, frame_count, constant_s)
    return time_s


def rounds(frame_count: FloatOrArray, server_count: FloatOrArray) -> FloatOrArray:
    """Times that all servers are busy with frames of the message before the last ones."""
    return floor(maximum(frame_count - 1, 0) / server_count)


def time_at_s(parts: Parts, frame_count: FloatOrArray, server_count: FloatOrArray) -> FloatOrArray:
    """From the first frame that a stage begins with to the last one that it ends. [s]"""
    more = maximum(frame_count - 1, 1)
    # (1) rounds of full frames, and the last one behind them
    waited_ratio = rounds(frame_count, server_count) / more
    last_s = parts.all - parts.all_but_last * (1 - waited_ratio)
    # (2) the full ones alone
    return maximum(last_s, _full_frames_s(parts, frame_count, server_count))


def _full_frames_s(
    parts: Parts, frame_count: FloatOrArray, server_count: FloatOrArray
) -> FloatOrArray:
    more = maximum(frame_count - 1, 1)
    round_count = 1 + rounds(frame_count - 1, server_count)
    return parts.all_but_last / more * round_count


def _pipelines_s(
    hops: Sequence[Hop],
    frame_count: FloatOrArray,
    ahead_s: Sequence[FloatOrArray],
    pause_s: FloatOrArray,
) -> Iterator[FloatOrArray]:
    """Constant times that the longest is taken of, as in the notes of `message_time_s`. [s]"""
    delays_s = [0.0 if hop.stores else hop.parts.message for hop in hops]
    delay_s = sum(delays_s)
    before_s: FloatOrArray = 0.0
    behind_s: FloatOrArray = 0.0  # the acknowledgement, up to the stage where the message waits
    ack_s: FloatOrArray = 0.0
    befores_s = []
    is_one_server = hops[-1].server_count == 1
    final_s = where(is_one_server, 1.0, 0.0) * hops[-1].parts.last
    for place, hop in enumerate(hops):
        parts, servers = hop.parts, hop.server_count
        # (1) the first frame behind the acknowledgement, at the stage where it waits longest
        ack_s = ack_s + ahead_s[place]
        waits_s = where(servers == 1, 1.0, 0.0) * maximum(ack_s - before_s - pause_s, 0.0)
        behind_s = maximum(behind_s, waits_s)
        begins_s = before_s + behind_s + parts.wakeup
        befores_s.append(before_s + behind_s)
        # (2) all frames here, and the last one behind
        later = hops[place + 1 :]
        all_s = time_at_s(parts, frame_count, servers)
        yield begins_s + all_s + sum(each.parts.last for each in later) + delay_s
        # (3) the full ones here and behind; at the end the last one
        if later:
            full_s = begins_s + _full_frames_s(parts, frame_count, servers)
            full_s = full_s + sum(each.parts.full for each in later) + final_s
            yield where(frame_count >= 2, full_s + delay_s, 0.0)
        before_s = before_s + parts.full + parts.wakeup
    # (4) servers that several stages share: they are busy while frames are on their way between
    for name in dict.fromkeys(hop.pool for hop in hops if hop.pool is not None):
        places = [place for place, hop in enumerate(hops) if hop.pool == name]
        if len(places) == 1:
            continue
        members = [hops[place] for place in places]
        work_s = sum(each.parts.all + each.parts.wakeup for each in members)
        before, behind = places[0], places[-1] + 1
        apart_s = befores_s[before] + sum(each.parts.last for each in hops[behind:])
        apart_s = apart_s + sum(delays_s[:before]) + sum(delays_s[behind:])
        yield apart_s + work_s / maximum(members[0].pool_count, 1)


def _scatter_s(
    hops: Sequence[Hop], frame_count: FloatOrArray, constant_s: FloatOrArray
) -> FloatOrArray:
    """What times that vary add to the constant time of a pipeline. [s]"""
    if np.all(np.less_equal(frame_count, 1)):
        return 0.0
    # (1) time between frames that each stage keeps up with, and the rest of its time of a frame;
    # stages of a pool together
    gaps_s: dict[object, FloatOrArray] = {}
    squares: FloatOrArray = 0.0
    apart_s: FloatOrArray = sum(hop.parts.message for hop in hops if not hop.stores)
    for place, hop in enumerate(hops):
        frame_s = (hop.parts.all + hop.parts.wakeup) / maximum(frame_count, 1)
        waited_ratio = rounds(frame_count, hop.server_count) / maximum(frame_count - 1, 1)
        key = place if hop.pool is None else hop.pool
        gaps_s[key] = gaps_s.get(key, 0.0) + frame_s * waited_ratio
        squares = squares + (hop.variation_ratio * frame_s * waited_ratio) ** 2
        apart_s = apart_s + frame_s * (1 - waited_ratio)
    *gaps, frames = np.broadcast_arrays(
        *(np.asarray(each, dtype=float) for each in (*gaps_s.values(), frame_count))
    )
    stacked = np.stack(gaps)
    slowest_s = stacked.max(axis=0)
    if not slowest_s.any():
        return 0.0
    scaled = stacked / np.where(slowest_s > 0, slowest_s, 1)  # in times of the slowest stage
    # (2) last passage percolation, with a fraction of a frame and of the slowest stage more
    is_slowest = _first_of(scaled == 1)
    percolated, curvature = _at_best_pace(scaled, 1 + _SHIFT * is_slowest, frames + _SHIFT)
    percolated = percolated + _MEAN_OF_LARGEST * np.cbrt(curvature)
    # (3) at most what the others add where frames come no faster than at the slowest
    kept, _ = _at_best_pace(scaled, 1 - is_slowest, frames)
    random_s = apart_s + np.minimum(percolated, kept) * slowest_s
    more_s = np.where(frames > 1, np.maximum(random_s - constant_s, 0.0), 0.0)
    total = (stacked**2).sum(axis=0)
    result = more_s * np.sqrt(squares / np.where(total > 0, total, 1))
    return result if result.ndim else float(result)


def _at_best_pace(times: Floats, weights: Floats, frame_count: Floats) -> tuple[Floats, Floats]:
    """min over z of F / z + sum of w_j / (1 / a_j - z), up to 1; and half its second derivative."""
    low, high = np.zeros_like(frame_count), np.ones_like(frame_count)
    pace = high
    with np.errstate(divide="ignore", invalid="ignore"):

        def total(power: int) -> Floats:
            """Sum of w_j / (1 / a_j - z)^power."""
            each = np.where(weights > 0, times / (1 - pace * times), 0.0)
            return np.asarray((weights * each**power).sum(axis=0))

        for _ in range(_HALVING_COUNT):
            pace = (low + high) / 2
            falls = total(2) < frame_count / pace**2
            low, high = np.where(falls, pace, low), np.where(falls, high, pace)
        return frame_count / pace + total(1), frame_count / pace**3 + total(3)


def _first_of(chosen: Mask) -> Floats:
    """1 at the first stage that is chosen, and 0 elsewhere."""
    return np.asarray(chosen & (np.cumsum(chosen, axis=0) == 1), dtype=float)
