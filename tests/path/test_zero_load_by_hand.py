"""Zero-load response times against their formula, written out anew, and its derivatives."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from paths import ends

from netmodel.consumption import Side
from netmodel.path import Bound, Interval, Joint, Path, Pool, Stage, Times, Traffic, predict_path
from netmodel.path._limits import PathLimit

SEGMENT_BYTES = 1448
"""Payload of a full frame at MTU 1500, with timestamps."""
THINK_US = 7.0
STEP = 1e-6
"""Of a numeric derivative, as a ratio: its square is far below what is compared."""


@dataclass(frozen=True)
class Place:
    """A stage that requests pass, in µs; without servers a delay."""

    frame: float = 0.0
    byte: float = 0.0
    wakeup: float = 0.0
    message: float = 0.0
    servers: float | None = 1

    def stage(self, name: str) -> Stage:
        times = Times(
            per_frame_s=self.frame * 1e-6,
            per_byte_s=self.byte * 1e-6,
            per_wakeup_s=self.wakeup * 1e-6,
            per_message_s=self.message * 1e-6,
        )
        return Stage(name=name, to_server=times, parallel_count=self.servers)


def bounds_us(places: list[Place], size: int) -> list[float]:
    """M + the bounds in the notes of `passages`: the first frame, then two of each stage."""
    count = math.ceil(size / SEGMENT_BYTES)
    full, last = min(size, SEGMENT_BYTES), size - (count - 1) * SEGMENT_BYTES
    message = sum(each.message for each in places)
    first = [each.frame + each.byte * full for each in places]
    final = [each.frame + each.byte * last for each in places]
    bounds = [sum(first) + sum(each.wakeup for each in places)]
    if count > 1:
        shares = [
            1 if each.servers in (1, None) else 1 / min(each.servers, count) for each in places
        ]
        for k, each in enumerate(places):
            servers = each.servers or math.inf
            others = [number for number in range(len(places)) if number != k]
            of_all = count * each.frame + size * each.byte
            of_full = (count - 1) * first[k]
            bounds += [
                (of_all + each.wakeup) / servers + sum(final[j] * shares[j] for j in others),
                (of_full + each.wakeup) / servers + sum(first[j] * shares[j] for j in others),
            ]
    return [message + bound for bound in bounds]


def path_of(places: list[Place]) -> Path:
    return Path(stages=tuple(each.stage(f"s{n}") for n, each in enumerate(places)))


def connections_limit(path: Path, size: Any) -> PathLimit:
    traffic = Traffic(size, connection_count=2, think_time_s=THINK_US * 1e-6)
    return next(
        each for each in predict_path(path, traffic, 1500).limits if each.name == "connections"
    )


SLOW_BYTES = [Place(frame=1, byte=0.02, servers=2), Place(frame=3, byte=0.001, message=5)]
CASES = [
    # one frame: it meets everything
    ([Place(frame=3, byte=0.01, wakeup=4, message=2), Place(frame=5, wakeup=6)], 900),
    # the first frame, past long wake-ups
    ([Place(frame=10, wakeup=40), Place(frame=1, wakeup=50)], 2 * SEGMENT_BYTES),
    # all frames at the slow stage with its wake-up, and the last one behind it
    ([Place(frame=10, wakeup=40), Place(frame=1, byte=0.001)], 9 * SEGMENT_BYTES),
    ([Place(frame=1, byte=0.001), Place(frame=10, wakeup=40, message=3)], 9 * SEGMENT_BYTES),
    # the full frames at it, and a full one at the other: the last has a byte alone
    ([Place(byte=0.02, wakeup=5), Place(byte=0.015)], 4 * SEGMENT_BYTES + 1),
    # two servers that work on the frames together; a delay, of which each frame meets the same
    (SLOW_BYTES, 4 * SEGMENT_BYTES + 1),
    (SLOW_BYTES, 4 * SEGMENT_BYTES),
    ([Place(frame=2, servers=4), Place(frame=30, byte=0.01, servers=None)], 3 * SEGMENT_BYTES),
    ([Place(frame=8, wakeup=16, servers=4), Place(frame=2, servers=None)], 20 * SEGMENT_BYTES),
    # more servers than frames, as many, and fewer, where the frames of another stage are waited for
    ([Place(frame=8, servers=16), Place(frame=7, servers=1)], 3 * SEGMENT_BYTES),
    ([Place(frame=8, servers=3), Place(frame=7, servers=1)], 3 * SEGMENT_BYTES),
    ([Place(frame=8, servers=2), Place(frame=7, servers=1)], 3 * SEGMENT_BYTES),
    # a share of one server more
    ([Place(frame=8, servers=1.5), Place(frame=1, servers=1.25)], 6 * SEGMENT_BYTES),
]


@pytest.mark.parametrize(("places", "size"), CASES)
def test_the_longest_bound_of_the_formula_is_the_zero_load_time(
    places: list[Place], size: int
) -> None:
    limit = connections_limit(path_of(places), size)
    expected_us = max(bounds_us(places, size)) + THINK_US
    assert 2e6 / limit.rate_tps == pytest.approx(expected_us)
    # its terms are what makes it
    assert limit.load_s * 1e6 == pytest.approx(expected_us)


@pytest.mark.parametrize(("places", "size"), CASES)
def test_the_rate_of_connections_changes_with_each_parameter_as_the_formula_does(
    places: list[Place], size: int
) -> None:
    """d ln X / d ln p by a small step, up and down: of each time, and of the servers."""
    known = connections_limit(path_of(places), size).elasticities
    here = max(bounds_us(places, size)) + THINK_US

    def changed(number: int, name: str, factor: float) -> float:
        value = getattr(places[number], name) * factor
        if name == "servers":
            value = max(value, 1)
        other = replace(places[number], **{name: value})
        there = max(bounds_us([*places[:number], other, *places[number + 1 :]], size)) + THINK_US
        return (here / there - 1) / (factor - 1)

    for number, each in enumerate(places):
        for name in ("frame", "byte", "wakeup", "message"):
            found = known.get(f"s{number}.to_server.per_{name}_s", (0, 0))
            for factor, one_sided in zip((1 + STEP, 1 - STEP), found, strict=True):
                assert one_sided == pytest.approx(changed(number, name, factor), abs=1e-4)
        if each.servers is not None:
            found = known.get(f"s{number}.parallel_count", (0, 0))
            for factor, one_sided in zip((1 + STEP, 1 - STEP), found, strict=True):
                assert one_sided == pytest.approx(changed(number, "servers", factor), abs=1e-4)
    assert known["connection_count"] == (1, 1)
    assert known["think_time_s"][0] == pytest.approx(-THINK_US / here)


def times_with(place: Place, slower: float, servers: float) -> Place:
    """All times of a stage times a factor, and its servers times another one, at least one."""
    times = {name: getattr(place, name) * slower for name in ("frame", "byte", "wakeup", "message")}
    count = place.servers and max(place.servers * servers, 1)
    return Place(**times, servers=count)


@pytest.mark.parametrize(("places", "size"), CASES)
@pytest.mark.parametrize("has_figure", [True, False])
def test_ends_are_those_of_the_shortest_and_the_longest_times(
    places: list[Place], size: int, has_figure: bool
) -> None:
    """Half and twice each time, and twice or half the servers; a range is quoted at its best."""

    def parameter(low: float, value: float, high: float) -> Interval:
        return Interval(value, min(low, high), max(low, high), has_figure=has_figure)

    stages = []
    for number, each in enumerate(places):
        stage = each.stage(f"s{number}")
        fast, slow = times_with(each, 0.5, 2), times_with(each, 2, 0.5)
        times = Times(
            **{
                f"per_{name}_s": parameter(*(getattr(of, name) * 1e-6 for of in (fast, each, slow)))
                for name in ("frame", "byte", "wakeup", "message")
                if getattr(each, name)
            }
        )
        count = None
        if fast.servers is not None and each.servers is not None and slow.servers is not None:
            count = parameter(slow.servers, each.servers, fast.servers)
        stages.append(replace(stage, to_server=times, parallel_count=count))
    path = Path(stages=tuple(stages))
    alone = predict_path(path, Traffic(size, think_time_s=THINK_US * 1e-6), 1500).zero_load_time_s
    value, low, high = (
        max(bounds_us([times_with(each, *changes) for each in places], size))
        for changes in ((1, 1), (0.5, 2), (2, 0.5))
    )
    expected_us = (value if has_figure else low, low, high)
    assert ends(alone) == pytest.approx(tuple(each * 1e-6 for each in expected_us))


def test_arrays_of_messages_and_servers_are_as_each_alone() -> None:
    """One frame and several, at 1 to 4 servers, of which a single one shortens nothing."""
    sizes, servers = [900, 1448, 4 * 1448 + 1, 9 * 1448], [1.0, 1.5, 4.0]
    path = path_of([Place(frame=8, byte=0.001, wakeup=3), Place(frame=5, byte=0.01)])
    stage = replace(path.stages[1], parallel_count=np.array(servers)[:, None])
    together = connections_limit(replace(path, stages=(path.stages[0], stage)), np.array(sizes))
    for row, count in enumerate(servers):
        for column, size in enumerate(sizes):
            places = [
                Place(frame=8, byte=0.001, wakeup=3),
                Place(frame=5, byte=0.01, servers=count),
            ]
            expected_us = max(bounds_us(places, size)) + THINK_US
            assert 2e6 / together.rate_tps[row, column] == pytest.approx(expected_us)  # type: ignore[index]


def test_a_pool_of_fewer_cpus_sets_the_servers_of_its_stages() -> None:
    """4 frames of 10 µs: on 2 of the pool, not on 8 of the stage; one at a time if it is serial."""
    stage = Stage(
        name="cpu", to_server=Times(per_frame_s=10e-6), parallel_count=8, pool="p", side=Side.CLIENT
    )
    for changed, time_us, names in (
        ({}, 20, {"p.parallel_count"}),
        ({"parallel_count": 2}, 20, {"cpu.parallel_count"}),
        ({"parallel_count": None}, 20, {"p.parallel_count"}),
        ({"parallel_count": 0.5}, 40, set()),
        ({"is_serial": True}, 40, set()),
    ):
        path = Path(stages=(replace(stage, **changed),), pools=(Pool("p", 2, Side.CLIENT),))
        limit = connections_limit(path, 4 * SEGMENT_BYTES)
        assert 2e6 / limit.rate_tps == pytest.approx(time_us + THINK_US)
        found = {name: each for name, each in limit.elasticities.items() if name.endswith("_count")}
        assert found.pop("connection_count") == (1, 1)
        share = pytest.approx(time_us / (time_us + THINK_US))
        assert found == dict.fromkeys(names, (share, share))


def test_one_server_lengthens_nothing_that_is_there_in_any_case() -> None:
    """A second server would shorten 4 frames; less than one is still one."""
    limit = connections_limit(path_of([Place(frame=10)]), 4 * SEGMENT_BYTES)
    more, fewer = limit.elasticities["s0.parallel_count"]
    assert (more, fewer) == (pytest.approx(40 / 47), 0)


@pytest.mark.parametrize(
    ("time", "size", "bound"),
    [
        (10e-6, 900, Bound.VALUE),
        (Interval(10e-6, 9e-6, 12e-6), 900, Bound.LOWER),
        (10e-6, 2 * SEGMENT_BYTES, Bound.LOWER),
        (10e-6, np.array([900, 2 * SEGMENT_BYTES]), Bound.LOWER),
    ],
)
def test_the_time_of_one_frame_is_a_bound_where_it_is_a_range(
    time: Any, size: Any, bound: Bound
) -> None:
    stage = Stage(name="cpu", to_server=Times(per_frame_s=time))
    alone = predict_path(Path(stages=(stage,)), Traffic(size), 1500).zero_load_time_s
    assert alone is not None
    assert alone.bound is bound


def test_ends_of_several_frames_hold_for_all_parameters_together() -> None:
    """
    Three frames, 10 and 2 µs or 2 and 10 µs at two stages: 32 µs in both cases.

    What encloses them takes each part at its own end: 2 and 2, which is 8, and 10 and 10.
    """
    stages = tuple(
        Stage(name=name, to_server=Times(per_frame_s=Joint(times, of="set")))
        for name, times in (("one", (10e-6, 2e-6)), ("other", (2e-6, 10e-6)))
    )
    path = Path(stages=stages)
    alone = predict_path(path, Traffic(3 * SEGMENT_BYTES), 1500).zero_load_time_s
    assert ends(alone) == pytest.approx((8e-6, 8e-6, 40e-6))
    one_frame = predict_path(path, Traffic(900), 1500).zero_load_time_s
    assert one_frame is not None
    assert one_frame.value == pytest.approx(12e-6)
