"""A distance between two sites: its delay, windows, and messages larger than a window."""

import math

import numpy as np
import pytest

from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import parse_stack
from netmodel.path import Path, Stage, Times, Traffic, predict_path
from netmodel.path._distance import Distance, Protocol, over_distance
from netmodel.transport import propagation_round_trip_s

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
    # RFC 9438, section 5.2: a window of 120 segments at 1e-4 and 10 ms
    assert prediction.binding == "loss"
    assert prediction.throughput_bps.value == pytest.approx(3 * 8 * 1448 * 120 / 10e-3, rel=1e-3)
    assert prediction.elasticities["connection_count"].increase == 1
    # there Reno's window, in proportion to one over the root of the loss
    assert prediction.elasticities["loss_ratio"].increase == pytest.approx(-1 / 2, rel=1e-5)


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


def test_wrong_distances_are_refused() -> None:
    for wrong, words in (
        ({"round_trip_s": -1}, "at least 0 s"),
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
