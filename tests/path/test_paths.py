"""Paths, stages and predictions: what they refuse, what they warn of, and how they print."""

import math
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from pathlib import Path as File
from typing import Any

import numpy as np
import pytest
from case_tables import cases, differences, is_same, known, written
from paths import STREAM, ends, line

from netmodel import predict
from netmodel.ceilings import ByteLayer, Capacity
from netmodel.consumption import Side
from netmodel.errors import DomainError, NetmodelError
from netmodel.framing import parse_stack
from netmodel.grades import Grade
from netmodel.path import (
    Interval,
    Joint,
    Path,
    Pool,
    Prediction,
    Stage,
    Times,
    Traffic,
    predict_path,
)
from netmodel.path.stages import DIRECTIONS, Distance, ValidityRange
from netmodel.report.figures import bounds_of

CPU = Stage(name="cpu", to_server=Times(per_message_s=1e-5))
DELAY = Stage(
    name="delay",
    to_server=Times(per_message_s=1e-3),
    to_client=Times(per_message_s=1e-3),
    parallel_count=None,
)
FOUR = Traffic(1000, 1000, connection_count=4)


def of(*stages: Stage, traffic: Traffic = FOUR, **more: Any) -> Prediction:
    return predict_path(Path(stages=stages, **more), traffic, 1500)


KINDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("pool", "time_basis", "of"), str),
    "side": Side,
    "grade": Grade,
    "window_grade": Grade,
    "capacity": Capacity.parse,
    "byte_layer": ByteLayer.__getitem__,
    "validity": lambda each: ValidityRange(*each),
}


def part_of(name: str, given: Any) -> Any:
    """A part of a path: a stage, its times, one that is uncertain with its ends or its values."""
    if name in KINDS:
        return KINDS[name](given)
    if not isinstance(given, dict):
        return known(given)
    if name == "grades":
        return {key: Grade(each) for key, each in given.items()}
    parts = {key: part_of(key, each) for key, each in given.items()}
    if "of" in parts:
        return Joint(**parts)
    return Interval(**parts) if "low" in parts else Times(**parts) if name in DIRECTIONS else parts


def answered(case: dict[str, Any], folder: File) -> Prediction:
    """The prediction that a case asks for: of a question, or of stages."""
    if "asked" in case:
        return predict(**written(case, folder, case["asked"]))
    parts = {name: part_of(name, part) for name, part in case.get("path", {}).items()}
    for name, kind in (("stages", Stage), ("pools", Pool)):
        given = {of: part_of(of, part) for of, part in case.get(name, {}).items()}
        parts[name] = tuple(kind(name=of, **part) for of, part in given.items())
    distance = Distance(**case["distance"]) if "distance" in case else None
    stack = parse_stack(case.get("stack", "ethernet/ipv4/tcp+timestamps"))
    path, traffic = Path(distance=distance, **parts), Traffic(**case["traffic"])
    return predict_path(path, traffic, case.get("mtu_bytes", 1500), stack)


@pytest.mark.parametrize("case", [*cases(*File(__file__).parent.glob("*.toml"))])
def test_a_path_gives_what_is_worked_out_by_hand(case: dict[str, Any], tmp_path: File) -> None:
    if "refused" in case:
        with pytest.raises(NetmodelError, match=case["refused"]):
            answered(case, tmp_path)
        return
    found = answered(case, tmp_path)
    for name, expected in case.get("gives", {}).items():
        assert is_same(attrgetter(name)(found), expected), name
    assert differences(found.to_dict() if "json" in case else {}, case.get("json", {})) == {}
    assert [text for text in case.get("says", ()) if text not in found.notes] == []
    assert [text for text in case.get("lacks", ()) if text in " ".join(found.notes)] == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Path(stages=()), "a path needs at least one stage"),
        (lambda: Path(stages=(CPU, CPU)), "two stages or pools have the name 'cpu'"),
        (lambda: Path(stages=(CPU,), pools=(Pool("cpu", 1),)), "two stages or pools .* 'cpu'"),
        (lambda: of(replace(CPU, name="window")), "two stages or pools have the name 'window'"),
        (lambda: of(replace(CPU, pool="p")), "stage 'cpu' names a pool 'p', not known"),
        (
            lambda: Path(stages=(CPU,), window_bytes=0),
            "window_bytes must be at least 1 byte; got 0",
        ),
        (lambda: predict_path(Path(stages=(CPU,)), FOUR), "give mtu_bytes: the largest packet"),
        (
            lambda: predict_path(Path(stages=(CPU,)), FOUR, 20),
            "mtu_bytes must be at least .* got 20",
        ),
        (lambda: of(DELAY, traffic=STREAM), "nothing limits this path: no stage with servers"),
        (
            lambda: of(replace(CPU, to_server=Times(per_message_s=[[1e-5, 0]]))),
            "nothing limits this path: no stage with servers takes any time",
        ),
        (lambda: Times(per_byte_s=-1e-9), "per_byte_s must be at least 0 s; got -1e-09"),
        (lambda: Times(per_frame_s=[0, -1]), r"per_frame_s must .* got -1 at index \(1,\)"),
        (lambda: Times(per_frame_s=Interval(1, -1, 2)), "per_frame_s must be at least 0 s; got -1"),
        (
            lambda: Times(per_frame_s=Joint((1, -1), "a")),
            "per_frame_s must be at least 0 s; got -1",
        ),
        (lambda: Times(per_message_s=math.inf), "per_message_s must be finite; got inf"),
        (lambda: replace(CPU, parallel_count=0), "parallel_count of cpu must be above 0; got 0"),
        (lambda: replace(CPU, parallel_count=[1, 0]), r"parallel_count of cpu .* at index \(1,\)"),
        (lambda: replace(CPU, segments_per_packet=0.5), "segments_per_packet of cpu must be at"),
        (lambda: Pool("p", Interval(1, 0, 1)), "parallel_count of p must be above 0; got 0"),
        (lambda: Traffic(0), "request_bytes or response_bytes must be above 0 byte"),
        (lambda: Traffic(0.5), "request_bytes must be at least 1 byte; got 0.5"),
        (lambda: Traffic(-1), "request_bytes must be at least 0 byte; got -1"),
        (
            lambda: Traffic([100, 0]),
            r"request_bytes must be at least 1 byte; got 0 at index \(1,\)",
        ),
        (lambda: Traffic(1, connection_count=0), "connection_count must be at least 1; got 0"),
        (lambda: Traffic(1, think_time_s=-0.5), "think_time_s must be at least 0 s; got -0.5"),
        (lambda: Traffic(1, segments_per_ack=0.5), "segments_per_ack must be at least 1; got 0.5"),
        (lambda: Interval(1, 2, 3), "value must be at least 2; got 1"),
        (lambda: Interval(1, 0, math.inf), "high must be finite; got inf"),
        (lambda: Interval(math.nan, 0, 1), "value must be one number; got nan"),
        (lambda: Joint((), of="a"), "the set 'a' needs at least one value"),
        (lambda: Joint((1, math.inf), of="a"), "value 1 of a must be finite; got inf"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        make()


def joint_stage(name: str, count: int, of_set: str) -> Stage:
    return Stage(name=name, to_server=Times(per_message_s=Joint((1e-6,) * count, of=of_set)))


def test_limits_of_different_sets_are_not_combined() -> None:
    """Ten sets of 256 values would make 256**10 combinations; each limit has the 256 of its own."""
    many = [joint_stage(f"stage{number}", 256, f"set{number}") for number in range(10)]
    assert of(*many, traffic=STREAM).transaction_rate_tps.low == pytest.approx(1e6)


@pytest.mark.parametrize(
    "traffic",
    [
        Traffic(1000, connection_count=[1, 2]),
        Traffic(1000, connection_count=[1, 2], waits=False),
        Traffic([1000, 2000], waits=False),
    ],
)
def test_arrays_are_not_shown_as_one(traffic: Traffic) -> None:
    prediction = of(CPU, traffic=traffic)
    assert "2: its fields are arrays" in prediction._repr_html_()
    with pytest.raises(DomainError, match="this prediction has arrays: use its fields"):
        prediction.to_dict()
    assert str(prediction) == "<Prediction of 2 cases>"


def test_parts_that_are_not_known() -> None:
    prediction = of(CPU, unknown=("bus of the server",), notes=("of 2019",))
    assert prediction.limit_notes == ("of 2019",)
    assert prediction.zero_load_time_s is None
    assert prediction.transaction_time_s is None
    assert [limit.name for limit in prediction.limits] == ["cpu", "connections"]


def test_connections_that_are_not_specified() -> None:
    traffic = Traffic(1000, 1000)
    prediction = of(replace(CPU, hashes_flows=True), traffic=traffic, window_bytes=65536)
    assert prediction.notes[0] == (
        "latency under load not predicted: give the number of connections"
    )
    assert prediction.limit_notes == (
        "connections not specified: assuming that they use cpu evenly",
        "connections not specified: no window limit",
    )
    assert prediction.zero_load_time_s is not None
    assert prediction.transaction_time_s is None
    lossy = of(CPU, DELAY, traffic=traffic, loss_ratio=1e-4)
    assert "loss left out: it limits each connection; give the number of connections" in lossy.notes


def test_a_stream_leaves_what_only_the_other_direction_takes_unused() -> None:
    inward = Stage(name="in", to_client=Times(per_frame_s=1e-6), segments_per_packet=[1.0, 2.0])
    traffic = replace(STREAM, request_bytes=30720)
    assert [limit.name for limit in of(CPU, inward, traffic=traffic).limits] == ["cpu"]


def test_a_limit_that_is_nowhere_has_no_rate() -> None:
    """By hand: a set of which the first value takes no time at all."""
    free = Stage(name="free", to_server=Times(per_byte_s=Joint((0, 1e-8), of="fit")))
    prediction = of(CPU, free)
    row = next(each for each in prediction.to_dict()["limits"] if each["name"] == "free")
    assert row["value_bps"] is None
    assert row["low_bps"] == pytest.approx(8e8)
    assert row["margin_ratio"] == 1
    assert prediction.transaction_rate_tps.low == pytest.approx(1e5)


def test_no_number_makes_no_number() -> None:
    prediction = of(CPU, Stage(name="lost", to_server=Times(per_byte_s=math.nan)))
    assert math.isnan(prediction.throughput_bps.value)


def test_lists_are_arrays() -> None:
    assert Path(stages=iter([CPU])).stages == (CPU,)  # type: ignore[arg-type]
    assert isinstance(Times(per_byte_s=[1e-9, 2e-9]).per_byte_s, np.ndarray)  # type: ignore[arg-type]
    thinking = of(CPU, traffic=replace(FOUR, think_time_s=[0, 1e-3]))  # type: ignore[arg-type]
    assert thinking.limits[1].rate.value == pytest.approx([4 / 1e-5, 4 / 1.01e-3])
    pools = (Pool("p", [1, 2]),)
    pooled = replace(CPU, pool="p", parallel_count=None, segments_per_packet=[1, 2])
    prediction = of(pooled, DELAY, pools=pools, window_bytes=[100, 1000000], traffic=FOUR)
    assert prediction.limit_rates_bps["p"].value == pytest.approx([8e8, 16e8])
    assert prediction.limit_rates_bps["window"].value == pytest.approx([1.6e6, 16e9])


def test_ties() -> None:
    twin = replace(CPU, name="twin")
    assert of(CPU).ties == ()
    assert "bottleneck cpu" in repr(of(CPU))
    assert of(CPU, *line(25e9)).ties == ()
    assert of(CPU, twin, *line(25e9)).ties == ("cpu", "twin")
    slower = replace(twin, to_server=Times(per_message_s=[1e-5, 1e-4, 1e-6]))
    prediction = of(CPU, slower, *line(25e9))
    assert prediction.ties == ("cpu", "twin")
    assert prediction.binding.tolist() == ["cpu", "twin", "cpu"]


@pytest.mark.parametrize("traffic", [FOUR, replace(FOUR, waits=False)])
def test_a_mean_over_hashes_stands_beside_the_best_run(traffic: Traffic) -> None:
    """4 flows over 4 queues use 4 (1 - (3/4)^4) = 2.734 of them, of 0.8 Gbit/s each."""
    queues = replace(CPU, hashes_flows=True, parallel_count=4)
    mean, best = bounds_of(prediction := of(queues, traffic=traffic))
    assert prediction.best_throughput_bps == pytest.approx(3.2e9)
    assert best == pytest.approx(mean.value * 4 / 2.734375)


@pytest.mark.parametrize(
    ("servers", "request_bytes", "slow_us", "fast_us"),
    [
        # two full frames and one byte: both full ones at the slow stage, one behind at the fast
        (1, 2 * 1448 + 1, 28.96, 11.584),
        # two servers have two frames there at a time, so that one waits for half of its time
        (2, 2 * 1448 + 1, 28.96, 5.792),
        # two full frames
        (1, 2 * 1448, 28.96, 11.584),
        (2, 2 * 1448, 28.96, 5.792),
        # two full frames and a long third one, which is the last behind
        (1, 3 * 1448 - 10, 43.34, 11.504),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_of_frames_that_overlap_the_slow_stage_counts_all_and_others_one(
    servers: int, request_bytes: int, slow_us: float, fast_us: float, is_first: bool
) -> None:
    """10 and 8 ns a byte, in both orders; a stage in front and one behind take the same."""
    slow = Stage(name="slow", to_server=Times(per_byte_s=10e-9))
    fast = Stage(name="fast", to_server=Times(per_byte_s=8e-9), parallel_count=servers)
    stages = (slow, fast) if is_first else (fast, slow)
    alone = of(*stages, traffic=Traffic(request_bytes, 1, connection_count=1))
    assert alone.binding == "connections"
    assert alone.zero_load_time_s is not None
    whole_us = slow_us + fast_us
    assert alone.zero_load_time_s.value * 1e6 == pytest.approx(whole_us)


def test_fewer_servers_that_a_pool_may_have_lengthen_the_zero_load_time() -> None:
    """Three frames of 4 µs on 2 servers, which may be 1 or 4."""
    pooled = {"pool": "cpus", "parallel_count": None}
    stage = Stage(name="cpu", to_server=Times(per_frame_s=4e-6), **pooled)  # type: ignore[arg-type]
    pools = (Pool("cpus", Interval(2, 1, 4)),)
    alone = of(stage, traffic=Traffic(3 * 1448, 1, connection_count=1), pools=pools)
    assert ends(alone.zero_load_time_s) == pytest.approx((6e-6, 4e-6, 12e-6))


def test_uncertain_times_of_several_frames_are_added_to_each_delay() -> None:
    """A wake-up of 1 µs and three frames of 4 µs, which may be 3 to 6, and one of 2 µs behind."""
    slow = Times(per_frame_s=Interval(4e-6, 3e-6, 6e-6), per_wakeup_s=1e-6)
    fast, delays_s = Times(per_frame_s=2e-6, per_wakeup_s=1e-6), np.array([1e-3, 2e-3])
    far = Stage(name="far", to_server=Times(per_message_s=delays_s), parallel_count=None)
    stages = (Stage(name="slow", to_server=slow), Stage(name="fast", to_server=fast))
    traffic = Traffic(3 * 1448, 1, connection_count=1)
    assert ends(of(*stages, traffic=traffic).zero_load_time_s) == pytest.approx(
        (15e-6, 12e-6, 21e-6)
    )
    for each, time_s in zip(
        ends(of(*stages, far, traffic=traffic).zero_load_time_s), (15e-6, 12e-6, 21e-6), strict=True
    ):
        assert each == pytest.approx(delays_s + time_s)


def test_one_machine_for_both_ends() -> None:
    """CPUs of no side count for the sides of the stages that draw on them."""
    stages = [
        Stage(
            name=side.value,
            to_server=Times(per_message_s=time_s),
            parallel_count=None,
            pool="cpus",
            side=side,
        )
        for side, time_s in ((Side.CLIENT, 3e-6), (Side.SERVER, 1e-6))
    ]
    prediction = predict_path(
        Path(stages=stages, pools=(Pool("cpus", 4),)), Traffic(1000, 1000), 1500
    )
    assert {side: busy and busy.value for side, busy in prediction.cpu_busy.items()} == {
        Side.CLIENT: pytest.approx(3),
        Side.SERVER: pytest.approx(1),
    }
    costs = prediction.cpu_us_per_gbit
    assert costs[Side.CLIENT] is not None
    assert costs[Side.CLIENT].value == pytest.approx(3e-6 / 16e-6 * 1e6)


@pytest.mark.parametrize(
    ("request_bytes", "response_bytes", "sender"),
    [
        (200, 1000, Side.SERVER),
        (1000, 200, Side.CLIENT),
        (200, 200, Side.CLIENT),
        (np.array([200, 300]), 1000, Side.SERVER),
        (np.array([200, 1000]), 200, Side.CLIENT),
        (np.empty(0), 200, Side.CLIENT),
    ],
)
def test_the_sender_is_the_side_that_sends_more(
    request_bytes: Any, response_bytes: Any, sender: Side
) -> None:
    """The client when equal."""
    traffic = Traffic(request_bytes, response_bytes)
    assert traffic.sender is sender
    if sender is Side.SERVER:
        assert traffic.reversed.sender is sender.other
    with pytest.raises(DomainError, match="the client sends more in some elements"):
        _ = Traffic(np.array([199, 200]), 200).sender


def test_one_frame_takes_what_values_of_a_set_give_together() -> None:
    """1 + 3 µs or 3 + 1 µs: 4 µs, and not the least of each; several frames may overlap."""
    times = Times(
        per_message_s=Joint((1e-6, 3e-6), of="set"), per_frame_s=Joint((3e-6, 1e-6), of="set")
    )
    stage = Stage(name="cpu", to_server=times)
    assert of(stage, traffic=Traffic(100, 100)).zero_load_time_s.value == pytest.approx(4e-6)
