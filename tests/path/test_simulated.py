"""Bounds of predictions against paths that are simulated frame by frame and message by message."""

import csv
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path as File
from statistics import fmean, stdev
from typing import Any

import pytest
from nightly import few_by_day
from simulated_path import HEADER_BYTES, Run, simulated

from netmodel.ceilings import ByteLayer
from netmodel.path import Path, Pool, Prediction, Stage, Times, Traffic, predict_path

MTU_BYTES = 1500
SEGMENT_BYTES = MTU_BYTES - HEADER_BYTES
ROUNDING = 1e-9
"""Of sums over some thousand events."""
DEVIATIONS = 5
"""Of standard errors from 20 batches: one comparison in 25,000 is beyond, of some thousand."""


@dataclass(frozen=True)
class Case:
    """A path with its traffic, and how to simulate it."""

    path: Path
    traffic: Traffic
    count: int = 60
    by_message: bool = False
    is_exponential: bool = False
    seed: int = 1

    @property
    def prediction(self) -> Prediction:
        return predict_path(self.path, self.traffic, MTU_BYTES)

    def run(self, seed: int | None = None) -> Run:
        return simulated(
            self.path,
            self.traffic,
            MTU_BYTES,
            count=self.count,
            seed=self.seed if seed is None else seed,
            by_message=self.by_message,
            is_exponential=self.is_exponential,
        )

    @property
    def has_chance(self) -> bool:
        """Whether times are drawn."""
        shared = (
            each.frames_per_interrupt != 1 or each.messages_per_wakeup != 1
            for each in self.path.stages
        )
        return self.is_exponential or any(shared)


def highest_rates_tps(prediction: Prediction) -> dict[str, float]:
    """The most that each limit allows, where a hash spreads flows at best. [1/s]"""
    return {limit.name: float(limit.highest_rate_tps) for limit in prediction.limits}


def violations(case: Case) -> Iterator[str]:
    """Every bound that a run of a case exceeds by more than its sampling error."""
    prediction, run = case.prediction, case.run()
    error_ratio = ROUNDING + (DEVIATIONS * run.scatter_ratio if case.has_chance else 0)
    is_hashed = any(stage.hashes_flows for stage in case.path.stages)
    for name, most in highest_rates_tps(prediction).items():
        if run.rate_tps > most * (1 + error_ratio):
            yield f"{run.rate_tps:,.0f}/s above the limit of {name}, {most:,.0f}/s"
    most = prediction.transaction_rate_tps.value
    if not is_hashed and run.rate_tps > most * (1 + error_ratio):
        yield f"{run.rate_tps:,.0f}/s above the prediction, {most:,.0f}/s"
    if case.traffic.waits:
        yield from time_violations(prediction, run, error_ratio, is_hashed)


def time_violations(
    prediction: Prediction, run: Run, error_ratio: float, is_hashed: bool
) -> Iterator[str]:
    """
    Bounds of the time of a transaction that a run exceeds.

    Transactions that are not over at either end of a run count as its error.
    """
    light, time = prediction.zero_load_time_s, prediction.transaction_time_s
    assert light is not None
    assert time is not None
    count, think_s = prediction.traffic.connection_count, prediction.traffic.think_time_s
    if run.mean_time_s < light.value * (1 - error_ratio):
        yield f"{run.mean_time_s * 1e6:.4f} µs below the zero-load time, {light.value * 1e6:.4f} µs"
    by_law_s = count / run.rate_tps - think_s
    if not is_hashed and by_law_s + think_s < (time.value + think_s) * (1 - error_ratio):
        yield f"{by_law_s * 1e6:.4f} µs below the time, {time.value * 1e6:.4f} µs"


def micros(chance: random.Random, low: float = 0.3, high: float = 5.0) -> float:
    return round(chance.uniform(low, high), 2) * 1e-6


def times_of(chance: random.Random, features: set[str]) -> Times:
    """Times for frames or bytes, and of what else a family has."""
    frame = chance.random() < 0.6
    given: dict[str, Any] = {"per_frame_s": micros(chance)} if frame else {}
    if not frame or chance.random() < 0.4:
        given["per_byte_s"] = micros(chance) / 1500
    for name, feature, often in (
        ("per_message_s", "messages", 0.5),
        ("per_wakeup_s", "wakeups", 0.5),
        ("per_interrupt_s", "interrupts", 0.5),
        ("per_ack_s", "acks", 0.5),
    ):
        if feature in features and chance.random() < often:
            given[name] = micros(chance)
    return Times(**given)


def stage_of(chance: random.Random, index: int, features: set[str]) -> Stage:
    """A stage that serves one way, or both with the same servers."""
    if "delays" in features and chance.random() < 0.35:
        times = Times(per_message_s=micros(chance, 1, 30))
        if chance.random() < 0.3:
            times = replace(times, per_frame_s=micros(chance))
        return Stage(name=f"delay{index}", to_server=times, to_client=times, parallel_count=None)
    ways = chance.choice((("to_server",), ("to_client",), ("to_server", "to_client")))
    given: dict[str, Any] = {way: times_of(chance, features) for way in ways}
    given["byte_layer"] = chance.choice(list(ByteLayer))
    if "servers" in features:
        given["parallel_count"] = chance.choice((1, 2, 3, 4))
    if "hashes" in features and chance.random() < 0.6:
        given |= {"hashes_flows": True, "parallel_count": chance.choice((2, 3, 4, 8))}
    elif "serial" in features and chance.random() < 0.6:
        given |= {"is_serial": True, "parallel_count": chance.choice((2, 3, 4))}
    if "caps" in features and chance.random() < 0.4:
        given |= {"delays": False, "hashes_flows": False, "is_serial": False}
    elif "pools" in features and chance.random() < 0.7:
        given |= {"pool": chance.choice("pq")}
        if chance.random() < 0.6 and not given.get("hashes_flows"):
            given["parallel_count"] = None
    if "packets" in features and chance.random() < 0.6:
        given["segments_per_packet"] = chance.choice((2, 3, 4))
    if "wakeups" in features:
        given["messages_per_wakeup"] = chance.choice((1, 2, 4))
    if "interrupts" in features:
        given["frames_per_interrupt"] = chance.choice((1, 2, 4))
    return Stage(name=f"stage{index}", **given)


def size_of(chance: random.Random, features: set[str]) -> int:
    """A message of one frame, or of several, with a shorter last one in most."""
    if "frames" not in features:
        return chance.randint(1, SEGMENT_BYTES)
    full = chance.randint(0, 5) * SEGMENT_BYTES
    if "equal" in features:
        return max(full, SEGMENT_BYTES)
    return full + chance.choice((1, 200, chance.randint(1, SEGMENT_BYTES)))


def case_of(named: str, seed: int) -> Case:
    """A random path with its traffic, that has some of the features named."""
    features = set(named.split())
    chance = random.Random(f"{named} {seed}")
    stages = tuple(stage_of(chance, each, features) for each in range(chance.randint(2, 5)))
    stages = (*stages, Stage(name="last", to_server=Times(per_frame_s=micros(chance))))
    names = sorted({each.pool for each in stages if each.pool})
    pools = tuple(Pool(name, chance.choice((1, 2, 4))) for name in names)
    window = {"window_bytes": chance.randint(1, 6) * SEGMENT_BYTES} if "window" in features else {}
    waits = "stream" not in features
    answers = size_of(chance, features) if waits and chance.random() < 0.8 else 0
    traffic = Traffic(
        size_of(chance, features),
        answers,
        connection_count=chance.choice((1, 1, 2, 5, 20)),
        waits=waits,
        shares_segments=not waits and chance.random() < 0.5,
        think_time_s=micros(chance, 1, 50) if "thinks" in features else 0,
        segments_per_ack=chance.choice((1, 2, 4)) if "acks" in features else None,
    )
    is_exponential = "exponential" in features
    return Case(
        Path(stages=stages, pools=pools, **window),
        traffic,
        count=600 if is_exponential else 60,
        by_message="by_message" in features,
        is_exponential=is_exponential,
        seed=seed,
    )


with File(__file__).with_name("tables").joinpath("simulated.csv").open(encoding="utf-8") as file:
    FAMILIES = [(row["features"], int(row["count"])) for row in csv.DictReader(file)]
"""What the paths and the traffic of random cases may have, and how many of them there are."""


@pytest.mark.thorough
@pytest.mark.parametrize(("features", "count"), few_by_day(FAMILIES, 2))
def test_no_run_exceeds_a_bound(features: str, count: int) -> None:
    of_seeds = {seed: list(violations(case_of(features, seed))) for seed in range(count)}
    assert not {seed: result for seed, result in of_seeds.items() if result}


@pytest.mark.parametrize("features", ["plain", "messages", "frames equal", "delays thinks"])
@pytest.mark.parametrize("seed", range(8))
def test_one_connection_takes_the_zero_load_time(features: str, seed: int) -> None:
    case = case_of(features, seed)
    alone = replace(case, traffic=replace(case.traffic, connection_count=1), count=5)
    light = alone.prediction.zero_load_time_s
    assert light is not None
    assert alone.run().mean_time_s == pytest.approx(light.value, rel=ROUNDING)


def sending(name: str, frame_us: float, **more: Any) -> Stage:
    """A stage that takes time of frames to the server."""
    return Stage(name=name, to_server=Times(per_frame_s=frame_us * 1e-6), **more)


def delay(each_us: float) -> Stage:
    times = Times(per_message_s=each_us * 1e-6)
    return Stage(name="delay", to_server=times, to_client=times, parallel_count=None)


def frames(request: int, response: int = 0, **more: Any) -> Traffic:
    """One connection that exchanges messages of a number of full frames."""
    sizes = request * SEGMENT_BYTES, response * SEGMENT_BYTES
    return Traffic(*sizes, connection_count=1, **more)


ACKNOWLEDGING = Stage(
    name="cpu",
    to_server=Times(per_frame_s=1e-6, per_ack_s=3e-6),
    to_client=Times(per_frame_s=1e-6),
    parallel_count=2,
)
WAKING = Stage(name="cpu", to_server=Times(per_wakeup_s=8e-6, per_frame_s=1e-6))
BYTES = Stage(name="bytes", to_server=Times(per_byte_s=8e-6 / SEGMENT_BYTES))
BY_HAND = {
    "four frames on four servers, and 1 us of delay": (
        Path(stages=(sending("servers", 5, parallel_count=4), delay(1))),
        frames(4),
        5 + 1,
    ),
    "a hash keeps four frames on one server": (
        Path(stages=(sending("queues", 5, parallel_count=4, hashes_flows=True),)),
        frames(4),
        4 * 5,
    ),
    "five frames on two servers": (
        Path(stages=(sending("servers", 5, parallel_count=2), sending("line", 1))),
        frames(5),
        3 * 5 + 1,
    ),
    "one byte in the last frame, behind the slowest stage": (
        Path(stages=(sending("slow", 10), BYTES)),
        replace(frames(1), request_bytes=SEGMENT_BYTES + 1),
        2 * 10 + 8 / SEGMENT_BYTES,
    ),
    "one of two servers acknowledges the request before it answers": (
        Path(stages=(ACKNOWLEDGING,)),
        frames(1, 2, segments_per_ack=2, think_time_s=9e-6),
        1 + 2 * 1,
    ),
    "a wake-up while the second frame is on its way": (
        Path(stages=(sending("line", 10), WAKING)),
        frames(2),
        2 * 10 + 1,
    ),
    "a CPU that works on both ends of a delay": (
        Path(
            stages=(sending("out", 2, pool="p"), delay(10), sending("in", 2, pool="p")),
            pools=(Pool("p", 1),),
        ),
        frames(8),
        2 * 8 * 2,
    ),
}
"""Paths, traffic, and the time of a transaction, followed by hand through each stage. [µs]"""


@pytest.mark.parametrize("name", BY_HAND)
def test_zero_load_is_a_bound_of_what_frames_take(name: str) -> None:
    path, traffic, time_us = BY_HAND[name]
    case = Case(path, traffic, count=20)
    assert case.run().mean_time_s * 1e6 == pytest.approx(time_us)
    assert list(violations(case)) == []


def test_bounds_hold_where_times_scatter_in_front_of_one_server() -> None:
    """The first of eight frames leaves eight servers long before the mean time is over."""
    stages = (sending("servers", 10, parallel_count=8), sending("line", 5))
    case = Case(Path(stages=stages), frames(8), count=1500, is_exponential=True)
    assert list(violations(case)) == []


def test_the_range_holds_where_windows_delay_both_messages() -> None:
    """Two round trips more for either message; 10 µs there, 10 µs back."""
    path = Path(stages=(sending("cpu", 1), delay(10)), window_bytes=SEGMENT_BYTES)
    case = Case(path, frames(3, 3), count=20)
    assert case.run().mean_time_s * 1e6 == pytest.approx((2 * 21 + 11) + (2 * 20 + 10))
    assert list(violations(case)) == []


@pytest.mark.parametrize("count", [2, 4, 8])
@pytest.mark.parametrize("waits", [True, False], ids=["requests", "streams"])
def test_hashes_reach_the_mean_together_and_the_best_alone(waits: bool, count: int) -> None:
    times = Times(per_frame_s=5e-6)
    queues = Stage(name="queues", to_server=times, parallel_count=count, hashes_flows=True)
    size = SEGMENT_BYTES
    traffic = Traffic(size, connection_count=count, waits=waits, shares_segments=not waits)
    case = Case(Path(stages=(queues,)), traffic, count=80)
    rates = [case.run(seed).rate_tps for seed in range(60)]
    prediction = case.prediction
    best = highest_rates_tps(prediction)["queues"]
    error_tps = DEVIATIONS * stdev(rates) / math.sqrt(len(rates))
    assert max(rates) <= best * (1 + ROUNDING)
    assert fmean(rates) <= prediction.transaction_rate_tps.value + error_tps
