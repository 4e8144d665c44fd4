"""A distance between two sites: its delay, windows, and messages larger than a window."""

import math

import numpy as np
import pytest

from netmodel._estimates import Bound
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import parse_stack
from netmodel.path import Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.path._distance import Distance, Protocol, over_distance
from netmodel.transport import (
    MAX_WINDOW_BYTES,
    propagation_round_trip_s,
    random_loss_event_ratio,
    tcp_throughput,
)

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
    there = predict_path(
        over_distance(Path(stages=(CPU,)), Distance(round_trip_s=1e-3)), REQUESTS, 1500
    )
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
    assert any("connections stay open, their windows" in each for each in notes) is is_noted


def test_distances_are_arrays() -> None:
    trips_s = np.array([0.1e-3, 1e-3])
    between = Distance(round_trip_s=trips_s, window_bytes=2**18)
    prediction = predict_path(over_distance(Path(stages=(LINE,)), between), STREAM, 1500)
    assert prediction.limit_rates_bps["window"].value == pytest.approx(8 * 2**18 / trips_s)


@pytest.mark.parametrize(
    ("message_bytes", "rounds"), [(1000, 0), (2000, 0), (2001, 1), (4000, 1), (20_000, 9)]
)
def test_messages_above_the_window_take_more_round_trips(message_bytes: int, rounds: int) -> None:
    between = Distance(round_trip_s=1e-3, window_bytes=2000)
    traffic = Traffic(message_bytes, 1, connection_count=1)
    prediction = predict_path(over_distance(Path(stages=(CPU,)), between), traffic, 1500)
    assert prediction.zero_load_time_s is not None
    assert prediction.zero_load_time_s.value == pytest.approx(10e-6 + 1e-3 * (1 + rounds))


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
    assert prediction.elasticities["connection_count"].increase == 1
    # there Reno's window, one over the root of the events p / (1 + 1.2 sqrt(p) - p), by hand
    events = 1 - (0.006 - 1e-4) / 1.0119
    assert prediction.elasticities["loss_ratio"].increase == pytest.approx(-events / 2, rel=1e-3)


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
    ways = [
        each.increase
        for name, each in prediction.elasticities.items()
        if name.startswith("distance.")
    ]
    assert ways == pytest.approx([power / 2, power / 2], rel=1e-2)


@pytest.mark.parametrize("loss_ratio", [0.01, 0.1])
def test_losses_within_a_round_trip_slow_tcp_once(loss_ratio: float) -> None:
    between = Distance(round_trip_s=10e-3, loss_ratio=loss_ratio)
    prediction = predict_path(over_distance(Path(stages=(LINE,)), between), STREAM, 1500)
    trip_bits = 8 * 1448 / 10e-3
    alone = tcp_throughput(1e12, 10e-3, MAX_WINDOW_BYTES, loss_ratio, 1, 1448).loss_rate_bps
    events = random_loss_event_ratio(loss_ratio, alone / trip_bits)
    grouped = tcp_throughput(1e12, 10e-3, MAX_WINDOW_BYTES, events, 1, 1448).loss_rate_bps
    limit = prediction.limit_rates_bps["loss"]
    assert limit.value == pytest.approx(grouped, rel=1e-9)
    assert limit.value > 1.05 * alone


def test_what_loss_limits_is_a_mean_and_no_bound() -> None:
    stage = Stage(name="cpu", side=Side.CLIENT, pool="cpus", to_server=Times(per_message_s=1e-9))
    pool = Pool(name="cpus", side=Side.CLIENT, parallel_count=1, is_cpu=True)
    path = Path(stages=(stage, LINE), pools=(pool,))

    def over(loss_ratio: float, traffic: Traffic = REQUESTS) -> Prediction:
        between = Distance(round_trip_s=10e-3, loss_ratio=loss_ratio)
        return predict_path(over_distance(path, between), traffic, 1500)

    lossy = over(0.01, STREAM)
    assert lossy.binding == "loss"
    assert lossy.throughput_bps.bound is Bound.MEAN
    assert str(lossy).startswith("throughput: about ")
    result = lossy.to_dict()
    assert result["throughput_bps"]["bound"] == result["transaction_rate_tps"]["bound"] == "mean"
    bounds = {each["name"]: each["bound"] for each in result["limits"]}
    assert bounds.pop("loss") == "mean"
    assert set(bounds.values()) == {"upper"}
    assert result["cpu_busy"]["client"]["bound"] == result["pool_busy"]["cpus"]["bound"] == "mean"
    assert over(0.0, STREAM).throughput_bps.bound is Bound.UPPER
    # one small request each round trip: the connection limits, and bounds hold
    assert over(1e-6).transaction_rate_bounds_tps is not None
    crowded = Traffic(100_000, 1, connection_count=4)
    assert over(0.3, crowded).binding == "loss"
    assert over(0.3, crowded).transaction_rate_bounds_tps is None
    assert over(0.3, crowded).transaction_time_s.bound is Bound.MEAN  # type: ignore[union-attr]


def test_arrays_are_a_mean_where_loss_limits_any_of_them() -> None:
    between = Distance(round_trip_s=10e-3, loss_ratio=np.array([0.0, 0.01]))
    prediction = predict_path(over_distance(Path(stages=(LINE,)), between), STREAM, 1500)
    assert prediction.throughput_bps.bound is Bound.MEAN
    assert list(prediction.binding) == ["wire_to_server", "loss"]


def test_no_loss_limits_nothing() -> None:
    between = Distance(round_trip_s=10e-3, loss_ratio=0.0)
    prediction = predict_path(over_distance(Path(stages=(LINE,)), between), STREAM, 1500)
    assert prediction.binding == "wire_to_server"
    assert prediction.limit_rates_bps["loss"].value == math.inf


def test_go_back_n_limits_over_rdma() -> None:
    """8 L (1 - p) / (p r): 1024 bytes, loss 0.1 %, 1 ms, by hand 8.18 Gbit/s."""
    between = Distance(round_trip_s=1e-3, loss_ratio=1e-3, protocol=Protocol.SMC_R)
    stack = parse_stack("ethernet/rocev1/smcr")
    prediction = predict_path(over_distance(Path(stages=(LINE,)), between), STREAM, 1500, stack)
    limit = prediction.limit_rates_bps["loss"]
    assert limit.value == pytest.approx(8 * 1024 * 0.999 / 1e-6, rel=1e-6)


def test_a_distance_of_zero_changes_nothing() -> None:
    alone = predict_path(Path(stages=(CPU,)), REQUESTS, 1500)
    at_zero = predict_path(
        over_distance(Path(stages=(CPU,)), Distance(round_trip_s=0.0)), REQUESTS, 1500
    )
    assert at_zero.transaction_rate_tps == alone.transaction_rate_tps
    assert at_zero.zero_load_time_s == alone.zero_load_time_s
    assert Distance(distance_m=0).distance_m == 0
    assert Distance(distance_m=0.5).distance_m == 0.5


def test_wrong_distances_are_refused() -> None:
    for wrong, words in (
        ({"round_trip_s": -1}, "at least 0 s"),
        ({"distance_m": -1}, "at least 0 m"),
        ({"window_bytes": 0}, "at least 1 byte"),
        ({"window_bytes": 2**31}, "at most"),
        ({"loss_ratio": 1}, "below 1"),
        ({"loss_ratio": -0.1}, "at least 0"),
    ):
        with pytest.raises(DomainError, match=words):
            Distance(**wrong)  # type: ignore[arg-type]
    assert Distance(window_bytes=2**31, protocol=Protocol.SMC_R).window_bytes == 2**31


def test_a_path_known_up_to_a_factor_is_refused() -> None:
    relative = Path(stages=(Stage(name="cpu", to_server=Times(1e-6), factor="cpu"),))
    with pytest.raises(ContradictionError, match="known up to a factor"):
        over_distance(relative, Distance(round_trip_s=1e-3))
