"""Expected time of a message of several frames that meets no other, stage after stage."""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from netmodel.numeric import FloatOrArray, floor, maximum, where


class Parts(NamedTuple):
    """Time that one message takes of a stage, as in the notes of `zero_load.passages`. [s]"""

    message: FloatOrArray  # its part of M
    wakeup: FloatOrArray  # w
    full: FloatOrArray  # a
    last: FloatOrArray  # b
    all: FloatOrArray  # F
    all_but_last: FloatOrArray  # F'


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
    """

    parts: Parts
    server_count: FloatOrArray
    stores: bool
    ack_time_s: FloatOrArray


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
    leaves out how their turns meet those of other stages, and how stages that share servers wait
    for each other. The acknowledgement of the message before goes ahead, as in a queue.

    With times that vary, a stage waits now for a frame and now has several of them, which is left
    out: a message alone then takes longer than this, 5 % in the median of simulated paths.
    """
    time_s = sum((hop.parts.message for hop in hops if hop.stores), 0.0)
    begins = [0, *(place for place, hop in enumerate(hops) if hop.stores and place), len(hops)]
    for first, last in pairwise(begins):
        segment = hops[first:last]
        # acknowledgements are far ahead once the message has been stored
        ahead_s = [0.0 if first else hop.ack_time_s for hop in segment]
        time_s = time_s + reduce(maximum, _pipelines_s(segment, frame_count, ahead_s, pause_s))
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
    is_one_server = hops[-1].server_count == 1
    final_s = where(is_one_server, 1.0, 0.0) * hops[-1].parts.last
    for place, hop in enumerate(hops):
        parts, servers = hop.parts, hop.server_count
        # (1) the first frame behind the acknowledgement, at the stage where it waits longest
        ack_s = ack_s + ahead_s[place]
        waits_s = where(servers == 1, 1.0, 0.0) * maximum(ack_s - before_s - pause_s, 0.0)
        behind_s = maximum(behind_s, waits_s)
        begins_s = before_s + behind_s + parts.wakeup
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
