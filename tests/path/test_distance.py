"""A distance between two sites: its delay, windows, and messages larger than a window."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from paths import line

import netmodel
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.estimates import Bound
from netmodel.framing import Stack, parse_stack, tcp_stack
from netmodel.path import Interval, Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.path.ensemble import Ensemble
from netmodel.path.over_distance import over_distance, with_window_rounds
from netmodel.path.stages import Distance
from netmodel.path.traffic import Load
from netmodel.transport import propagation_round_trip_s, rdma_throughput

CPU = Stage(name="cpu", to_server=Times(per_message_s=10e-6))
LINE = Stage(name="wire_to_server", to_server=Times(per_byte_s=8 / 25e9))
STREAM = Traffic(2**20, waits=False, shares_segments=True, connection_count=1)
REQUESTS = Traffic(200, 1000, connection_count=4)


def test_a_window_limits_a_stream_as_the_formula_does() -> None:
    """Handbook 6.2: 256 KiB carry 21.411 Gbit/s over 10 km and 2.1411 Gbit/s over 100 km."""
    for km, printed_gbps in ((10, 21.411), (100, 2.1411)):
        between = Distance(round_trip_s=propagation_round_trip_s(km * 1e3), window_bytes=2**18)
        prediction = predict_path(over_distance(Path(stages=(LINE,)), between), STREAM, 1500)
        assert prediction.binding == "window"
        assert prediction.throughput_bps.value / 1e9 == pytest.approx(printed_gbps, rel=2e-5)


def test_the_round_trip_is_added_to_a_transaction() -> None:
    here = predict_path(Path(stages=(CPU,)), REQUESTS, 1500)
    far = over_distance(Path(stages=(CPU,)), Distance(round_trip_s=1e-3))
    there = predict_path(far, REQUESTS, 1500)
    assert here.zero_load_time_s is not None
    assert there.zero_load_time_s is not None
    added_s = there.zero_load_time_s.value - here.zero_load_time_s.value
    assert added_s == pytest.approx(1e-3)
    assert there.expected is not None
    # machine repairman by hand: one server of 10 µs, 4 customers, think time 1 ms
    weights = [math.perm(4, n) * 0.01**n for n in range(5)]
    busy = 1 - weights[0] / sum(weights)
    assert there.expected.transaction_rate_tps.value == pytest.approx(busy / 10e-6)


@pytest.mark.parametrize(
    ("traffic", "window_bytes", "is_noted"),
    [(REQUESTS, None, True), (REQUESTS, 2**18, False), (STREAM, None, False)],
)
def test_requests_over_a_distance_assume_open_windows(
    traffic: Traffic, window_bytes: float | None, is_noted: bool
) -> None:
    between = Distance(round_trip_s=1e-3, window_bytes=window_bytes)
    path = over_distance(Path(stages=(LINE, CPU)), between)
    notes = predict_path(path, traffic, 1500).notes
    assert any("for open connections with windows" in each for each in notes) is is_noted


def test_a_window_that_is_sent_as_slowly_as_acknowledged_adds_no_time() -> None:
    """1 byte/µs and a window of 1000 bytes: 1 ms, the round trip."""
    slow = Stage(name="slow", to_server=Times(per_byte_s=1e-6))
    between = Distance(round_trip_s=1e-3, window_bytes=1000)
    traffic = Traffic(10_000, 1, connection_count=1)
    prediction = predict_path(over_distance(Path(stages=(slow,)), between), traffic, 1500)
    assert prediction.zero_load_time_s is not None
    assert prediction.zero_load_time_s.value == pytest.approx(11e-3)


def test_loss_limits_each_connection_as_the_formula_does() -> None:
    between = Distance(round_trip_s=10e-3, loss_ratio=1e-4)
    traffic = Traffic(2**20, waits=False, shares_segments=True, connection_count=3)
    prediction = predict_path(over_distance(Path(stages=(LINE,)), between), traffic, 1500)
    # RFC 9438, section 5.2: a window of 120 segments at 1e-4 and 10 ms, losses one by one; those
    # of one round trip are one event: 1 + 119 * 1e-4 times as few, by the root of which it grows
    window = 120 * math.sqrt(1.0119)
    assert prediction.binding == "loss"
    assert prediction.throughput_bps.value == pytest.approx(3 * 8 * 1448 * window / 10e-3, rel=1e-3)


@pytest.mark.parametrize(
    ("round_trip_s", "loss_ratio", "power"),
    [
        (10e-3, 1e-4, -1),  # Reno's window, whatever the round trip
        (100e-3, 1e-8, -1 / 4),  # RFC 9438, section 5.1: a window in proportion to RTT^(3/4)
    ],
)
def test_what_the_round_trip_takes_of_a_rate_under_loss(
    round_trip_s: float, loss_ratio: float, power: float
) -> None:
    between = Distance(round_trip_s=round_trip_s, loss_ratio=loss_ratio)
    prediction = predict_path(over_distance(Path(stages=(LINE,)), between), STREAM, 1500)
    assert prediction.binding == "loss"
    longer = replace(between, round_trip_s=round_trip_s * 1.01)
    other = predict_path(over_distance(Path(stages=(LINE,)), longer), STREAM, 1500)
    ratio = other.throughput_bps.value / prediction.throughput_bps.value
    assert math.log(ratio) / math.log(1.01) == pytest.approx(power, rel=2e-2)


def test_what_loss_limits_is_a_mean_and_no_bound() -> None:
    stage = Stage(name="cpu", side=Side.CLIENT, pool="cpus", to_server=Times(per_message_s=1e-9))
    pool = Pool(name="cpus", side=Side.CLIENT, parallel_count=1)
    path = Path(stages=(stage, LINE), pools=(pool,))

    def over(loss_ratio: float, traffic: Traffic = REQUESTS) -> Prediction:
        between = Distance(round_trip_s=10e-3, loss_ratio=loss_ratio)
        return predict_path(over_distance(path, between), traffic, 1500)

    lossy = over(0.01, STREAM)
    assert lossy.binding == "loss"
    assert lossy.throughput_bps.bound is Bound.MEAN
    assert str(lossy).startswith("<Prediction about ")
    result = lossy.to_dict()
    assert result["throughput_bps"]["bound"] == result["transaction_rate_tps"]["bound"] == "mean"
    bounds = {each["name"]: each["bound"] for each in result["limits"]}
    assert bounds.pop("loss") == "mean"
    assert set(bounds.values()) == {"upper"}
    assert result["cpu_busy"]["client"]["bound"] == "mean"
    assert over(0.0, STREAM).throughput_bps.bound is Bound.UPPER
    crowded = Traffic(100_000, 1, connection_count=4)
    assert over(0.3, crowded).binding == "loss"
    assert over(0.3, crowded).transaction_time_s.bound is Bound.MEAN  # type: ignore[union-attr]


@pytest.mark.parametrize("loss_ratio", [1e-6, Interval(0.0, 0.0, 1e-6), np.array([0.0, 1e-6])])
def test_no_rate_is_expected_of_transactions_that_wait_for_timeouts(loss_ratio: Any) -> None:
    """One packet of a million lost, each with a timeout of 0.2 s: no lower bound holds."""
    path = over_distance(Path(stages=(CPU, LINE)), Distance(round_trip_s=10e-3))
    lossless = predict_path(path, REQUESTS, 1500)
    assert lossless.expected is not None
    lossy = predict_path(replace(path, loss_ratio=loss_ratio), REQUESTS, 1500)
    assert lossy.expected is None
    assert TIMEOUTS in lossy.notes
    here = predict_path(Path(stages=(CPU, LINE), loss_ratio=loss_ratio), REQUESTS, 1500)
    assert here.expected is not None, "without a round trip"


def test_no_document_prints_a_rate_with_loss() -> None:
    at: Any = {"path": "zvm-vswitch-layer3-1gbe", "workload": "awm-rr", "mtu_bytes": 1492}
    assert netmodel.predict(**at, connections=10).expected is not None
    assert netmodel.predict(**at, connections=10, km=35, loss_ratio=0.05).expected is None


def test_ends_that_are_not_known_are_named() -> None:
    path = over_distance(Path(stages=(CPU,), unknown=("hosts",)), Distance(round_trip_s=1e-3))
    assert UNKNOWN_ENDS in predict_path(path, LARGE, 1500).notes
    assert UNKNOWN_ENDS not in predict_path(path, STREAM, 1500).notes
    assert UNKNOWN_ENDS not in predict_path(replace(path, unknown=()), LARGE, 1500).notes


def test_go_back_n_limits_over_rdma_as_the_formula_does() -> None:
    draw, stack = np.random.default_rng(7), parse_stack("ethernet/rocev1/smcr")
    ranges = ((-4, -1), (-6, -1), (5, 9), (0, 2))  # at least one packet in flight
    trip_s, loss, window, count = (10 ** draw.uniform(*ends, 20) for ends in ranges)

    def loss_bps(at: Any) -> Any:
        between = Distance(round_trip_s=trip_s[at], window_bytes=window[at], loss_ratio=loss[at])
        traffic = replace(STREAM, connection_count=count[at])
        prediction = predict_path(
            over_distance(Path(stages=(LINE,)), between), traffic, 1500, stack
        )
        return prediction.limit_rates_bps["loss"].value

    whole = rdma_throughput(25e9, trip_s, window, loss, count).payload_rate_bps
    assert loss_bps(slice(None)) == pytest.approx(whole)
    assert [*map(loss_bps, range(20))] == pytest.approx(whole)
    by_hand_bps = 8 * 1024 * 0.999 / 1e-6  # 1 / 1000 of a round trip of 1 ms for each packet
    trip_s[0], loss[0], window[0], count[0] = 1e-3, 1e-3, 1e9, 1
    assert loss_bps(0) == pytest.approx(1 / (1 / 25e9 + 1 / by_hand_bps), rel=1e-3)
    loss[::2] = 0
    assert np.isfinite(loss_bps(slice(None))).tolist() == [False, True] * 10


def test_wrong_distances_are_refused() -> None:
    for wrong, words in (
        ({"round_trip_s": -1}, "at least 0 s"),
        ({"distance_km": -1}, "at least 0 km"),
        ({"window_bytes": 0}, "at least 1 byte"),
        ({"window_bytes": 2**31}, "at most"),
        ({"loss_ratio": 1}, "below 1"),
        ({"loss_ratio": -0.1}, "at least 0"),
    ):
        with pytest.raises(DomainError, match=words):
            Distance(**wrong)  # type: ignore[arg-type]
    assert Distance(window_bytes=2**31, protocol="smc-r").window_bytes == 2**31


def load_of(traffic: Traffic, stack: Stack | None = None) -> Load:
    return Load(traffic, 1500, tcp_stack() if stack is None else stack, Ensemble(traffic.numbers))


def delay_of(name: str, there_s: Any, back_s: Any = 0) -> Stage:
    there, back = Times(per_message_s=there_s), Times(per_message_s=back_s)
    return Stage(name=name, to_server=there, to_client=back, parallel_count=None)


def test_the_fibre_lies_behind_the_line_to_the_server() -> None:
    disk = Stage(name="disk", to_server=Times(per_message_s=1e-6))
    between = Distance(round_trip_s=1e-3)
    path = over_distance(Path(stages=(CPU, *line(25e9), disk), notes=("of 2019",)), between)
    names = [stage.name for stage in path.stages]
    assert names == ["cpu", "wire_to_server", "distance", "wire_to_client", "disk"]
    fibre = path.stages[2]
    assert fibre.is_delay
    assert fibre.to_server == fibre.to_client == Times(per_message_s=0.5e-3)
    assert path.distance is between
    assert path.notes == ("of 2019",)
    without_line = over_distance(Path(stages=(CPU, disk)), between)
    assert [stage.name for stage in without_line.stages] == ["cpu", "disk", "distance"]


SERVING = (
    Stage(name="first", to_server=Times(per_byte_s=20e-9, per_frame_s=5e-6, per_message_s=1e-3)),
    Stage(name="second", to_server=Times(per_byte_s=10e-9), to_client=Times(per_byte_s=10e-9)),
    Stage(name="cap", to_server=Times(per_byte_s=1e-6), delays=False),
)
FAR = Path(
    stages=(*SERVING, delay_of("fibre", 0.3e-3, 0.5e-3)),
    window_bytes=3000,
    distance=Distance(round_trip_s=0.8e-3),
)
LARGE = Traffic(10_000, 7000, connection_count=2)


@pytest.mark.parametrize("segments_per_ack", [None, 1])
@pytest.mark.parametrize("window_bytes", [3000, Interval(2000, 1000, 3000)])
@pytest.mark.parametrize("there_s", [0.3e-3, Interval(0.5e-3, 0.3e-3, 1e-3)])
def test_each_further_window_waits_for_what_the_round_trip_exceeds_it(
    segments_per_ack: int | None, window_bytes: Any, there_s: Any
) -> None:
    """
    There: 4 windows of 3000; 10 000 byte take 200 µs and 7 frames 35 µs, of which a window 3/10.

    Back: 3 windows, of 70 µs * 3/7. With the largest window and the shortest trip of 800 µs.
    """
    stages = (*SERVING, delay_of("fibre", there_s, 0.5e-3))
    path = replace(FAR, stages=stages, window_bytes=window_bytes)
    load = load_of(replace(LARGE, segments_per_ack=segments_per_ack))
    *before, rounds = with_window_rounds(path, load).stages
    assert tuple(before) == path.stages
    assert rounds.name == "window_rounds"
    assert rounds.is_delay
    assert rounds.to_server.per_message_s == pytest.approx(3 * (800e-6 - 0.3 * 235e-6))
    assert rounds.to_client.per_message_s == pytest.approx(2 * (800e-6 - 30e-6))


def test_rounds_of_windows_are_added_once_and_only_where_there_are_any() -> None:
    once = with_window_rounds(FAR, load_of(LARGE))
    assert with_window_rounds(once, load_of(LARGE)) == once
    for sizes in ((3000, 3001), (3001, 3000)):
        assert with_window_rounds(FAR, load_of(Traffic(*sizes, connection_count=2))) != FAR
    small = load_of(Traffic(3000, 3000, connection_count=2))
    assert with_window_rounds(FAR, small) is FAR
    assert with_window_rounds(once, small).stages == FAR.stages
    for path, traffic in (
        (replace(FAR, distance=None), LARGE),
        (replace(FAR, window_bytes=None), LARGE),
        (FAR, replace(LARGE, waits=False)),
        (replace(FAR, stages=SERVING), LARGE),
    ):
        assert with_window_rounds(path, load_of(traffic)) is path


UNKNOWN_ENDS = "endpoint times not known: run netperf TCP_RR, one connection, over a short distance"
TIMEOUTS = "loss delays some transactions by a timeout: not included; no expected value"
