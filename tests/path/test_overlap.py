"""A message of several frames that meets no other: by hand, and by following each frame."""

import heapq
import math
from collections.abc import Sequence

import pytest

from netmodel.path.overlap import Hop, Parts, message_time_s


def hop(
    frame_count: int,
    full_s: float,
    last_s: float | None = None,
    servers: float = 1,
    *,
    message_s: float = 0.0,
    wakeup_s: float = 0.0,
    stores: bool = False,
    ack_s: float = 0.0,
) -> Hop:
    """A stage with its times of a full and of the last frame."""
    last_s = full_s if last_s is None else last_s
    rest_s = (frame_count - 1) * full_s
    parts = Parts(message_s, wakeup_s, full_s, last_s, rest_s + last_s, rest_s)
    return Hop(parts, servers, stores, ack_s)


def followed(hops: Sequence[Hop], frame_count: int, pause_s: float = 0.0) -> float:
    """When the last frame leaves the last stage, each frame followed through all of them."""
    arrivals = [0.0] * frame_count
    ack_left_s = -pause_s
    for each in hops:
        ack_left_s += each.ack_time_s
        free = [0.0] * (frame_count if math.isinf(each.server_count) else int(each.server_count))
        if each.server_count == 1:
            free = [max(ack_left_s, 0.0)]
        leaves = []
        for number, arrival in enumerate(arrivals):
            time_s = each.parts.last if number == frame_count - 1 else each.parts.full
            begin = max(arrival, heapq.heappop(free))
            end = begin + time_s + (each.parts.wakeup if number == 0 else 0.0)
            heapq.heappush(free, end)
            leaves.append(end)
        arrivals = leaves
    return max(arrivals)


@pytest.mark.parametrize("frame_count", [1, 2, 3, 8])
@pytest.mark.parametrize(
    "stages",
    [
        [(3.0, 3.0, 0.0)],
        [(3.0, 1.0, 0.0), (1.0, 0.5, 0.0)],
        [(1.0, 0.5, 0.0), (3.0, 1.0, 0.0)],
        [(1.0, 0.25, 2.0), (4.0, 1.0, 0.5), (2.0, 2.0, 0.0)],
        [(2.0, 0.1, 0.0), (5.0, 0.1, 7.0), (3.0, 3.0, 1.0), (4.0, 0.2, 0.0)],
        [(5.0, 5.0, 0.0), (0.0, 0.0, 0.0), (2.0, 2.0, 0.0)],
    ],
)
def test_constant_times_are_those_of_frames_that_are_followed(
    stages: list[tuple[float, float, float]], frame_count: int
) -> None:
    hops = [
        hop(frame_count, full_s if frame_count > 1 else last_s, last_s, wakeup_s=wakeup_s)
        for full_s, last_s, wakeup_s in stages
    ]
    expected = followed(hops, frame_count)
    assert message_time_s(hops, frame_count, 0.0) == pytest.approx(expected)


@pytest.mark.parametrize("frame_count", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("servers", [2, 3, math.inf])
@pytest.mark.parametrize("last_s", [0.5, 4.0])
def test_several_servers_serve_frames_in_rounds(
    frame_count: int, servers: float, last_s: float
) -> None:
    hops = [hop(frame_count, 4.0, last_s, servers, wakeup_s=0.0)]
    assert message_time_s(hops, frame_count, 0.0) == pytest.approx(followed(hops, frame_count))


@pytest.mark.parametrize(
    ("acks_s", "pause_s"),
    [
        ((2.0, 0.5, 3.0), 0.0),
        ((0.0, 6.0, 0.0), 0.0),
        ((0.0, 6.0, 0.0), 1.5),
        ((2.0, 0.5, 3.0), 100.0),
        ((0.0, 0.0, 9.0), 2.0),
    ],
)
def test_the_acknowledgement_before_goes_ahead(acks_s: Sequence[float], pause_s: float) -> None:
    """The first frame waits for it wherever it catches it up, and then all behind it."""
    times = ((3.0, 1.0), (1.0, 0.5), (2.0, 2.0))
    hops = [hop(4, *time, ack_s=ack_s) for time, ack_s in zip(times, acks_s, strict=True)]
    assert message_time_s(hops, 4, pause_s) == pytest.approx(followed(hops, 4, pause_s))
    # another server takes the message while one has the acknowledgement
    wide = [hop(1, 3.0, servers=2, ack_s=acks_s[1])]
    assert message_time_s(wide, 1, pause_s) == pytest.approx(3)


def test_a_stage_that_takes_the_message_as_a_whole_begins_with_all_of_it() -> None:
    """Three frames of 2 and 1 there: 3 * 2 + 1; stored for 10; then 3 * 3 + 0.5."""
    hops = [
        hop(3, 2.0),
        hop(3, 1.0),
        hop(3, 3.0, message_s=10.0, stores=True, ack_s=50.0),
        hop(3, 0.5),
    ]
    assert message_time_s(hops, 3, 0.0) == pytest.approx(7 + 10 + 9.5)
    # at the beginning it is stored before all else
    first = [hop(3, 2.0, message_s=5.0, stores=True), hop(3, 1.0)]
    assert message_time_s(first, 3, 0.0) == pytest.approx(5 + 7)


ELEMENTS: list[tuple[int, float, list[Hop]]] = [
    (1, 0.0, [hop(1, 3.0, ack_s=5.0), hop(1, 1.0)]),
    (2, 1.0, [hop(2, 3.0, ack_s=5.0), hop(2, 0.0)]),
    (9, 0.0, [hop(9, 0.0, 0.0), hop(9, 0.0)]),
    (9, 0.5, [hop(9, 2.0, 0.5, servers=3), hop(9, 4.0)]),
    (30, 0.0, [hop(30, 2.0, servers=40), hop(30, 4.0, wakeup_s=3)]),
    (30, 0.0, [hop(30, 3.5), hop(30, 4.0, wakeup_s=3)]),
]
"""
Frames, a pause, and two stages: one frame, no time at all, more servers than frames, and frames
that wait for each other at both.
"""
