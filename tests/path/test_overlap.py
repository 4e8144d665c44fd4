"""A message of several frames that meets no other: by hand, and by following each frame."""

import heapq
import math
from collections.abc import Sequence

import pytest

from netmodel.path.response import Hop, message_time_s
from netmodel.path.stages import Stage


def hop(
    frame_count: int,
    full_s: float,
    last_s: float | None = None,
    servers: float = 1,
    *,
    message_s: float = 0.0,
    wakeup_s: float = 0.0,
    stores: bool = False,
) -> Hop:
    """A stage with its times of a full and of the last frame."""
    last_s = full_s if last_s is None else last_s
    rest_s = (frame_count - 1) * full_s
    parts = message_s, wakeup_s, full_s, last_s, rest_s + last_s, rest_s
    return Hop(Stage(name="any"), servers, stores, *parts)


def followed(hops: Sequence[Hop], frame_count: int) -> float:
    """When the last frame leaves the last stage, each frame followed through all of them."""
    arrivals = [0.0] * frame_count
    for each in hops:
        free = [0.0] * (frame_count if math.isinf(each.servers) else int(each.servers))
        leaves = []
        for number, arrival in enumerate(arrivals):
            time_s = each.last if number == frame_count - 1 else each.full
            begin = max(arrival, heapq.heappop(free))
            end = begin + time_s + (each.wakeup if number == 0 else 0.0)
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
        [(4.0, 0.1, 0.0), (2.0, 0.1, 0.0)],
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
    assert message_time_s(hops, frame_count) == pytest.approx(expected)


@pytest.mark.parametrize("frame_count", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("servers", [2, 3, math.inf])
@pytest.mark.parametrize("last_s", [0.5, 4.0])
def test_several_servers_serve_frames_in_rounds(
    frame_count: int, servers: float, last_s: float
) -> None:
    hops = [hop(frame_count, 4.0, last_s, servers, wakeup_s=0.0)]
    assert message_time_s(hops, frame_count) == pytest.approx(followed(hops, frame_count))


def test_a_stage_that_takes_the_message_as_a_whole_begins_with_all_of_it() -> None:
    """Three frames of 2 and 1 there: 3 * 2 + 1; stored for 10; then 3 * 3 + 0.5."""
    hops = [hop(3, 2.0), hop(3, 1.0), hop(3, 3.0, message_s=10.0, stores=True), hop(3, 0.5)]
    assert message_time_s(hops, 3) == pytest.approx(7 + 10 + 9.5)
    # at the beginning it is stored before all else
    first = [hop(3, 2.0, message_s=5.0, stores=True), hop(3, 1.0)]
    assert message_time_s(first, 3) == pytest.approx(5 + 7)
