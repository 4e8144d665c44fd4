"""A message of several frames that meets no other: by hand, and by following each frame."""

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from netmodel.path._overlap import Hop, message_time_s, rounds
from netmodel.path._zero_load import Parts

TRACY_WIDOM_MEAN = round(-1.7710868, 4)
"""Of the largest eigenvalue of complex matrices: F. Bornemann, Mathematics of Computation 79
(2010), table 10."""


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
    variation: float = 0.0,
    pool: str | None = None,
    pool_count: float = math.inf,
) -> Hop:
    """A stage with its times of a full and of the last frame."""
    last_s = full_s if last_s is None else last_s
    rest_s = (frame_count - 1) * full_s
    parts = Parts(message_s, wakeup_s, full_s, last_s, rest_s + last_s, rest_s)
    return Hop(parts, servers, stores, ack_s, variation, pool, pool_count)


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


@pytest.mark.parametrize("frame_count", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("servers", [2, 3, math.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_between_other_stages_servers_leave_out_at_most_the_turns_of_frames(
    frame_count: int, servers: float, place: int
) -> None:
    """Where no server has a second frame, nothing is left out."""
    times = [(1.0, 0.5), (1.5, 0.25), (1.25, 1.0)]
    hops = [
        hop(frame_count, full_s * (4 if number == place else 1), last_s)
        for number, (full_s, last_s) in enumerate(times)
    ]
    hops[place] = hops[place]._replace(server_count=servers)
    found, exact = message_time_s(hops, frame_count, 0.0), followed(hops, frame_count)
    turns_s = 0.0
    if frame_count > servers + 1:
        turns_s = max(each.parts.full for each in hops if each.server_count == 1) * (servers - 1)
    assert exact - turns_s - 1e-9 <= found <= exact + 1e-9


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


def test_a_delay_is_added_wherever_it_lies() -> None:
    """Three frames of 2 and one of 1 behind; 10 of the fibre for all of them at once."""
    fibre = Hop(Parts(10.0, 0, 0, 0, 0, 0), math.inf, False, 0.0, 0.0, None, math.inf)
    stages = [hop(3, 2.0), hop(3, 1.0)]
    for place in range(3):
        hops = [*stages[:place], fibre, *stages[place:]]
        assert message_time_s(hops, 3, 0.0) == pytest.approx(17)


@pytest.mark.parametrize(
    ("cpus", "behind_s", "time_s"),
    [
        # all 4 frames of 3 and of 2 at one CPU, and wake-ups of 1 and 1, with one of 1 behind
        (1, 1.0, 0.5 + 4 * (3 + 2) + 2 + 1),
        # a message is on one CPU in any case
        (0.5, 1.0, 0.5 + 4 * (3 + 2) + 2 + 1),
        # two CPUs: the slower stage, 0.5 before, 1 to wake up, and 1 + (1 + 2) + 1 behind
        (2, 1.0, 0.5 + 1 + 4 * 3 + 1 + 2 + 1),
        # what lies behind is slower than the CPU
        (1, 9.0, 0.5 + 4 + 1 + 3 + 4 * 9),
    ],
)
def test_a_cpu_that_two_stages_share_works_for_one_of_them_at_a_time(
    cpus: float, behind_s: float, time_s: float
) -> None:
    pooled = {"wakeup_s": 1.0, "pool": "cpus", "pool_count": cpus}
    hops = [
        hop(4, 0.5),
        hop(4, 3.0, **pooled),  # type: ignore[arg-type]
        hop(4, 1.0),
        hop(4, 2.0, **pooled),  # type: ignore[arg-type]
        hop(4, behind_s),
    ]
    assert message_time_s(hops, 4, 0.0) == pytest.approx(time_s)


def test_delays_between_stages_of_a_cpu_pass_while_it_works() -> None:
    """20 of the CPU in all, 5 before, 7 behind, and 2 between that it does not wait for."""

    def delay(time_s: float) -> Hop:
        return Hop(Parts(time_s, 0, 0, 0, 0, 0), math.inf, False, 0.0, 0.0, None, math.inf)

    first, second = (hop(4, each, pool="cpus", pool_count=1) for each in (3.0, 2.0))
    hops = [delay(5), first, delay(2), second, delay(7)]
    assert message_time_s(hops, 4, 0.0) == pytest.approx(5 + 20 + 7)


def best_pace(times: Sequence[float], weights: Sequence[float], frame_count: float) -> Any:
    """min over z of F / z + sum of w / (1 / a - z), by a library; and half its curvature there."""

    def total(z: float) -> float:
        terms = zip(times, weights, strict=True)
        return frame_count / z + sum(w / (1 / a - z) for a, w in terms if w)

    found = minimize_scalar(total, bounds=(1e-9, 1), method="bounded", options={"xatol": 1e-12})
    z = min((found.x, 1 - 1e-12), key=total)
    terms = zip(times, weights, strict=True)
    return total(z), frame_count / z**3 + sum(w / (1 / a - z) ** 3 for a, w in terms if w)


@pytest.mark.parametrize("frame_count", [2, 5, 30, 1000])
@pytest.mark.parametrize("times", [(1.0, 0.5), (0.8, 1.0, 1.0), (1.0, 0.9, 0.2), (0.3, 1.0)])
@pytest.mark.parametrize("variation", [1.0, 0.5])
def test_times_that_vary_make_a_row_of_stages_slower(
    frame_count: int, times: tuple[float, ...], variation: float
) -> None:
    """Last passage percolation, at most what the others add at the pace of the slowest one."""
    hops = [hop(frame_count, each, variation=variation) for each in times]
    constant = followed(hops, frame_count)
    slowest = times.index(1.0)
    chosen = [float(place == slowest) for place in range(len(times))]
    percolated, curvature = best_pace(times, [1 + each / 4 for each in chosen], frame_count + 1 / 4)
    percolated += TRACY_WIDOM_MEAN * curvature ** (1 / 3)
    kept, _ = best_pace(times, [1 - each for each in chosen], frame_count)
    more = max(min(percolated, kept) - constant, 0)
    expected = constant + variation * more
    assert message_time_s(hops, frame_count, 0.0) == pytest.approx(expected, rel=1e-6)


def test_many_frames_come_at_the_pace_of_the_slowest_stage() -> None:
    """1000 frames of 1, and 0.5 / (1 - 0.5) at the other stage, where 0.5 of it is constant."""
    hops = [hop(1000, 1.0, variation=1.0), hop(1000, 0.5, variation=1.0)]
    assert message_time_s(hops, 1000, 0.0) == pytest.approx(1001)
    # variations of 1 and 0 count by their squares, weighted with those of the times
    mixed = [hop(1000, 1.0, variation=1.0), hop(1000, 0.5, variation=0.0)]
    expected = 1000.5 + 0.5 * math.sqrt(1 / 1.25)
    assert message_time_s(mixed, 1000, 0.0) == pytest.approx(expected)


def test_stages_of_a_pool_vary_together() -> None:
    """Two stages of one CPU are one of 1 to the other stage: nothing varies beside it but that."""
    pooled = {"variation": 1.0, "pool": "cpus", "pool_count": 1}
    hops = [
        hop(1000, 0.75, **pooled),  # type: ignore[arg-type]
        hop(1000, 0.25, **pooled),  # type: ignore[arg-type]
        hop(1000, 0.5, variation=1.0),
    ]
    # constant: all work of the CPU, and the last one behind; random: 1000 + 0.5 / (1 - 0.5)
    squares, total = 0.75**2 + 0.25**2 + 0.5**2, 1 + 0.5**2
    expected = 1000.5 + 0.5 * math.sqrt(squares / total)
    assert message_time_s(hops, 1000, 0.0) == pytest.approx(expected)


def test_a_single_frame_and_a_single_stage_wait_for_nothing_that_varies() -> None:
    hops = [hop(1, each, variation=1.0) for each in (3.0, 1.0, 2.0)]
    assert message_time_s(hops, 1, 0.0) == pytest.approx(6)
    assert message_time_s([hop(9, 2.0, variation=1.0)], 9, 0.0) == pytest.approx(18)
    assert message_time_s([hop(9, 0.0, variation=1.0)], 9, 0.0) == 0


@pytest.mark.parametrize(
    ("frame_count", "servers", "count"),
    [(1, 1, 0), (2, 1, 1), (5, 1, 4), (5, 2, 2), (4, 2, 1), (5, 4, 1), (5, 5, 0), (0.5, 1, 0)],
)
def test_rounds_are_those_before_the_last_frames(
    frame_count: float, servers: int, count: int
) -> None:
    assert rounds(frame_count, servers) == count


ELEMENTS: list[tuple[int, float, list[Hop]]] = [
    (1, 0.0, [hop(1, 3.0, ack_s=5.0, variation=1.0), hop(1, 1.0, variation=0.5)]),
    (2, 1.0, [hop(2, 3.0, ack_s=5.0, variation=1.0), hop(2, 0.0, variation=0.5)]),
    (9, 0.0, [hop(9, 0.0, 0.0, variation=1.0), hop(9, 0.0, variation=0.5)]),
    (9, 0.5, [hop(9, 2.0, 0.5, servers=3, variation=1.0), hop(9, 4.0, variation=0.5)]),
    (30, 0.0, [hop(30, 2.0, servers=40, variation=1.0), hop(30, 4.0, wakeup_s=3, variation=0.5)]),
    (30, 0.0, [hop(30, 3.5, variation=1.0), hop(30, 4.0, wakeup_s=3, variation=0.5)]),
]
"""
Frames, a pause, and two stages: one frame, no time at all, more servers than frames, and frames
that wait for each other at both.
"""


@pytest.mark.parametrize("chosen", [range(6), (0, 0), (1, 3), (2, 2), (2, 5), (0, 4, 5), (5, 5)])
def test_arrays_of_messages_are_as_each_alone(chosen: Sequence[int]) -> None:
    frames, pauses, hops = zip(*(ELEMENTS[place] for place in chosen), strict=True)
    together = []
    for stages in zip(*hops, strict=True):
        parts = Parts(*map(np.array, zip(*(each.parts for each in stages), strict=True)))
        servers = np.array([each.server_count for each in stages], dtype=float)
        acks_s = np.array([each.ack_time_s for each in stages])
        together.append(stages[0]._replace(parts=parts, server_count=servers, ack_time_s=acks_s))
    found = message_time_s(together, np.array(frames), np.array(pauses))
    alone = [
        message_time_s(own, count, pause)
        for own, count, pause in zip(hops, frames, pauses, strict=True)
    ]
    assert found == pytest.approx(alone)  # type: ignore[arg-type]
    last = [each._replace(variation_ratio=0.0) for each in ELEMENTS[-1][-1]]
    assert message_time_s(ELEMENTS[-1][-1], 30, 0.0) > 1.01 * message_time_s(last, 30, 0.0)
