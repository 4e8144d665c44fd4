"""Expected values from demands that were fitted to measured series over connections."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.path import Path, Stage, Times, Traffic, predict_path
from netmodel.path._by_connections import TimeByConnections, amortised
from netmodel.path._measured_demands import (
    MEASURED_ASSUMPTION,
    FittedTo,
    MeasuredDemands,
    Waiting,
    measured_notes,
    suitable,
)

REQUESTS = FittedTo(
    waits=True,
    request_bytes=200,
    response_bytes=1000,
    connection_counts=(1, 50),
    error_ratio=0.05,
    outside_error_ratio=0.10,
)
STREAMS = replace(REQUESTS, waits=False, request_bytes=0, response_bytes=1)
DELAY = Stage(name="delay", to_server=Times(per_message_s=284e-6), parallel_count=None)
OWN = Stage(name="own", to_client=Times(per_byte_s=16e-9), parallel_count=None)
SHARED = Stage(
    name="shared",
    to_server=Times(per_message_s=amortised(2e-6, 90e-6)),
    to_client=Times(per_byte_s=amortised(8e-9, growing_s=0.02e-9)),
)
DEMANDS = MeasuredDemands(
    mtu_bytes=1500, stages=(DELAY, OWN, SHARED), fitted_to=(REQUESTS, STREAMS)
)
WIRE = Stage(name="wire", to_client=Times(per_byte_s=6e-9))
PATH = Path(stages=(WIRE,), unknown=("the server",), measured=(DEMANDS,))
EXCHANGE = Traffic(200, 1000, connection_count=9)
STREAM = Traffic(0, 1_000_000, connection_count=9, waits=False, shares_segments=True)

COUNTS = st.floats(1, 1e4)
TIMES_S = st.floats(1e-9, 1e-3)
AMORTISED = st.builds(
    amortised, TIMES_S, st.floats(0, 1e-3), st.just(0.0), st.none() | st.floats(1e-2, 1e4)
)


def with_demands(demands: MeasuredDemands, **changed: object) -> Path:
    return replace(PATH, measured=(replace(demands, **changed),))


def test_requests_by_hand() -> None:
    """R = 284 + 1000 * 0.016 + 9 (2 + 90 / 3 + 1000 * 0.008) = 660 µs."""
    expected = predict_path(PATH, EXCHANGE, 1500).expected
    assert expected is not None
    assert expected.transaction_rate_tps.value == pytest.approx(9 / 660e-6)
    assert expected.transaction_time_s.value == pytest.approx(660e-6)
    assert expected.assumption == MEASURED_ASSUMPTION
    assert not expected.is_exact


def test_streams_by_hand() -> None:
    """One: 1 / 16 ns; 9: 1 / (8 + 0.18) ns, with 8 bits in each byte."""
    for count, byte_s in ((1, 16e-9), (9, 8.18e-9)):
        traffic = replace(STREAM, connection_count=count)
        expected = predict_path(PATH, traffic, 1500).expected
        assert expected is not None
        assert expected.throughput_bps.value == pytest.approx(8 / byte_s)


@pytest.mark.parametrize(
    ("waiting", "time_s"),
    [
        # Z + D = 300 + 40 µs is less than the bottleneck's 9 * 40 µs
        (Waiting.STEADY, 360e-6),
        # 9 connections, 40 µs of exponential service, 300 µs apart: Erlang's formula gives
        # B(9, 7.5) = 0.14740, by its recursion
        (Waiting.RANDOM, 9 * 40e-6 / (1 - 0.14740)),
    ],
)
def test_other_ways_of_waiting_by_hand(waiting: Waiting, time_s: float) -> None:
    expected = predict_path(with_demands(DEMANDS, waiting=waiting), EXCHANGE, 1500).expected
    assert expected is not None
    assert expected.transaction_time_s.value == pytest.approx(time_s, rel=1e-4)


def test_one_connection_waits_for_no_other() -> None:
    """284 + 16 + 2 + 90 + 8 = 400 µs in every way of waiting."""
    for waiting in Waiting:
        alone = replace(EXCHANGE, connection_count=1)
        expected = predict_path(with_demands(DEMANDS, waiting=waiting), alone, 1500).expected
        assert expected is not None
        assert expected.transaction_time_s.value == pytest.approx(400e-6)


def test_a_batch_of_its_own_size() -> None:
    """10 + 90 / (1 + 20 / 10) = 40 µs."""
    assert amortised(10e-6, 90e-6, batching_count=10).at(20) == pytest.approx(40e-6)


@given(AMORTISED, TIMES_S, COUNTS, st.floats(1.01, 10))
def test_more_connections_raise_the_rate_of_all_and_lower_that_of_each(
    demand: TimeByConnections, delay_s: float, count: float, factor: float
) -> None:
    delay = replace(DELAY, to_server=Times(per_message_s=delay_s))
    shared = replace(SHARED, to_server=Times(per_message_s=demand), to_client=Times())
    wire = replace(WIRE, to_client=Times(per_byte_s=1e-15))
    path = replace(with_demands(DEMANDS, stages=(delay, shared)), stages=(wire,))
    rates = []
    for number in (count, count * factor):
        expected = predict_path(path, replace(EXCHANGE, connection_count=number), 1500).expected
        assert expected is not None
        rates.append(float(expected.transaction_rate_tps.value))
    few, many = rates
    rounding = 1 + 1e-9
    assert few <= many * rounding
    assert many <= few * factor * rounding


@given(AMORTISED, COUNTS, st.floats(1, 10))
def test_the_demand_falls_with_connections_and_never_below_its_least(
    demand: TimeByConnections, count: float, factor: float
) -> None:
    few, many = (float(np.asarray(demand.at(n))) for n in (count, count * factor))
    assert demand.least_s <= many <= few * (1 + 1e-9)


def test_a_demand_by_connections_is_a_time_of_any_stage() -> None:
    """The bound of a path: 1 / (2 + 90 / 3) µs with 9 connections; with any number, 1 / 2 µs."""
    stage = Stage(name="cpu", to_server=Times(per_message_s=amortised(2e-6, 90e-6)))
    for count, time_s in ((9, 32e-6), (None, 92e-6)):
        traffic = replace(EXCHANGE, connection_count=count)
        rate = predict_path(Path(stages=(stage,)), traffic, 1500).transaction_rate_tps
        assert rate.value == pytest.approx(1 / time_s)
        assert rate.high == pytest.approx(1 / (time_s if count else 2e-6))


@given(TIMES_S, COUNTS, st.booleans())
def test_expected_values_stay_between_zero_and_the_bound(
    byte_s: float, count: float, waits: bool
) -> None:
    path = replace(PATH, stages=(replace(WIRE, to_client=Times(per_byte_s=byte_s)),))
    traffic = replace(EXCHANGE if waits else STREAM, connection_count=count)
    prediction = predict_path(path, traffic, 1500)
    expected = prediction.expected
    assert expected is not None
    rate = expected.transaction_rate_tps
    assert 0 < rate.low <= rate.value <= rate.high
    assert rate.value <= prediction.transaction_rate_tps.value
    assert rate.high <= prediction.transaction_rate_tps.high


def test_arrays_are_their_elements() -> None:
    counts, mtus = np.array([1.0, 9.0, 100.0]), np.array([[1500.0], [4000.0]])
    more = replace(DEMANDS, mtu_bytes=9000, stages=(_slower(20e-9), SHARED))
    path = replace(PATH, measured=(DEMANDS, more))
    whole = predict_path(path, replace(STREAM, connection_count=counts), mtus).expected
    assert whole is not None
    for row, mtu in enumerate(mtus[:, 0]):
        for column, count in enumerate(counts):
            traffic = replace(STREAM, connection_count=count)
            one = predict_path(path, traffic, mtu).expected
            assert one is not None
            for end in ("value", "low", "high"):
                ends = np.broadcast_to(getattr(whole.throughput_bps, end), (2, 3))
                assert ends[row, column] == pytest.approx(getattr(one.throughput_bps, end))


def test_between_two_mtus_the_rate_is_between_both() -> None:
    slower = replace(DEMANDS, mtu_bytes=9000, stages=(_slower(32e-9), SHARED))
    path = replace(PATH, measured=(DEMANDS, slower))
    rates = []
    for mtu in (1500, 4000, 9000):
        prediction = predict_path(path, replace(STREAM, connection_count=1), mtu)
        assert prediction.expected is not None
        rates.append(prediction.expected.throughput_bps.value)
        is_between = "expected value interpolated between MTU 1500 and 9000" in prediction.notes
        assert is_between == (mtu == 4000)
    assert rates[0] > rates[1] > rates[2]


@pytest.mark.parametrize(
    ("mtu", "nearest", "is_beyond"),
    [(1499, 1500, True), (1500, 1500, False), (9000, 9000, False), (9001, 9000, True)],
)
def test_beyond_the_measured_mtus_the_nearest_holds(
    mtu: int, nearest: int, is_beyond: bool
) -> None:
    slower = replace(DEMANDS, mtu_bytes=9000, stages=(_slower(32e-9), SHARED))
    path = replace(PATH, measured=(DEMANDS, slower))
    traffic = replace(STREAM, connection_count=1)
    asked, there = (predict_path(path, traffic, each) for each in (mtu, nearest))
    assert asked.expected is not None
    assert there.expected is not None
    assert asked.expected.throughput_bps.value == pytest.approx(there.expected.throughput_bps.value)
    note = "extrapolation: expected value fitted at MTU 1500 to 9000; the nearest holds"
    assert (note in asked.notes) is is_beyond
    assert not any("interpolated" in text for text in asked.notes)


@pytest.mark.parametrize("count", [50, 51])
def test_beyond_the_measured_connections_the_interval_widens(count: int) -> None:
    prediction = predict_path(PATH, replace(EXCHANGE, connection_count=count), 1500)
    assert prediction.expected is not None
    rate = prediction.expected.transaction_rate_tps
    is_outside = count > 50
    assert rate.value / rate.low == pytest.approx(1.10 if is_outside else 1.05)
    assert rate.high / rate.value == pytest.approx(1.10 if is_outside else 1.05)
    notes = [note for note in prediction.notes if note.startswith("extrapolation: expected")]
    assert bool(notes) == is_outside


@pytest.mark.parametrize(("count", "is_outside"), [(3, True), (4, False), (20, False), (21, True)])
def test_between_two_mtus_connections_have_to_be_in_both_series(
    count: int, is_outside: bool
) -> None:
    few = replace(REQUESTS, connection_counts=(4, 20))
    large = replace(DEMANDS, mtu_bytes=9000, fitted_to=(few,))
    path = replace(PATH, measured=(DEMANDS, large))
    prediction = predict_path(path, replace(EXCHANGE, connection_count=count), 4000)
    note = "extrapolation: expected value fitted to 4 to 20 connections"
    assert (note in prediction.notes) is is_outside


def test_other_messages_are_an_extrapolation() -> None:
    prediction = predict_path(PATH, replace(EXCHANGE, response_bytes=2000), 1500)
    assert prediction.expected is not None
    rate = prediction.expected.transaction_rate_tps
    assert 9 / rate.value == pytest.approx(660e-6 + 1000 * (16e-9 + 9 * 8e-9))
    assert rate.value / rate.low == pytest.approx(1.10)
    known = "expected value fitted to requests of 200 B answered with 1,000 B"
    assert f"extrapolation: {known}" in prediction.notes


@pytest.mark.parametrize(
    "traffic",
    [
        replace(STREAM, request_bytes=2_000_000, response_bytes=0),
        replace(EXCHANGE, request_bytes=1000, response_bytes=200),
    ],
)
def test_the_other_direction_has_a_bound_alone(traffic: Traffic) -> None:
    path = replace(PATH, stages=(replace(WIRE, to_server=WIRE.to_client),))
    prediction = predict_path(path, traffic, 1500)
    assert prediction.expected is None
    start = "expected value only of requests of 200 B"
    assert any(note.startswith(start) for note in prediction.notes)


def test_the_number_of_connections_is_needed() -> None:
    prediction = predict_path(PATH, replace(EXCHANGE, connection_count=None), 1500)
    assert prediction.expected is None


def test_a_path_that_is_known_is_composed_and_not_looked_up() -> None:
    known = replace(PATH, unknown=())
    expected = predict_path(known, EXCHANGE, 1500).expected
    assert expected is not None
    assert expected.assumption != MEASURED_ASSUMPTION


def test_client_and_server_exchanged() -> None:
    there = predict_path(PATH, EXCHANGE, 1500).expected
    back = predict_path(PATH.reversed, Traffic(1000, 200, connection_count=9), 1500).expected
    assert there is not None
    assert back is not None
    assert back.transaction_rate_tps == there.transaction_rate_tps


LARGE = replace(DEMANDS, mtu_bytes=9000, fitted_to=(replace(REQUESTS, connection_counts=(4, 20)),))
FEW = "extrapolation: expected value fitted to 1 to 50 connections"
BOTH = "extrapolation: expected value fitted to 4 to 20 connections"
BEYOND = "extrapolation: expected value fitted at MTU {}; the nearest holds"
BETWEEN = "expected value interpolated between MTU 1500 and 9000"
OTHER = "extrapolation: expected value fitted to requests of 200 B answered with 1,000 B"


@pytest.mark.parametrize(
    ("measured", "changed", "mtu_bytes", "expected"),
    [
        ((DEMANDS,), {}, 1500, []),
        ((DEMANDS,), {"connection_count": 51}, 1500, [FEW]),
        ((DEMANDS,), {"connection_count": np.array([1, 50])}, 1500, []),
        ((DEMANDS,), {"connection_count": np.array([1, 51])}, 1500, [FEW]),
        ((DEMANDS,), {"response_bytes": 1001}, 1500, [OTHER]),
        ((DEMANDS,), {}, 1499, [BEYOND.format(1500)]),
        ((DEMANDS,), {}, 1501, [BEYOND.format(1500)]),
        ((DEMANDS, LARGE), {}, 9000, []),
        ((DEMANDS, LARGE), {}, 1499, [BEYOND.format("1500 to 9000")]),
        ((DEMANDS, LARGE), {}, 9001, [BEYOND.format("1500 to 9000")]),
        ((DEMANDS, LARGE), {}, np.array([1500, 9001]), [BEYOND.format("1500 to 9000")]),
        ((DEMANDS, LARGE), {}, 4000, [BETWEEN]),
        ((DEMANDS, LARGE), {}, np.array([1500, 4000]), [BETWEEN]),
        ((DEMANDS, LARGE), {}, np.array([1500, 9000]), []),
        ((DEMANDS, LARGE), {"connection_count": 3}, 1500, [BOTH]),
        ((DEMANDS, LARGE), {"connection_count": 21}, 4000, [BOTH, BETWEEN]),
    ],
)
def test_notes_on_what_was_measured(
    measured: tuple[MeasuredDemands, ...], changed: dict[str, Any], mtu_bytes: Any, expected: Any
) -> None:
    traffic = replace(EXCHANGE, **changed)
    assert list(measured_notes(measured, traffic, mtu_bytes)) == expected


@pytest.mark.parametrize(
    ("traffic", "series"),
    [
        (EXCHANGE, REQUESTS),
        (replace(EXCHANGE, response_bytes=5000), REQUESTS),
        (STREAM, STREAMS),
        (replace(EXCHANGE, response_bytes=200), None),
        (replace(STREAM, request_bytes=2_000_000, response_bytes=0), None),
        (replace(EXCHANGE, request_bytes=np.array([100, 2000])), None),
        (replace(EXCHANGE, request_bytes=np.array([100, 200])), REQUESTS),
    ],
)
def test_a_series_is_of_one_kind_and_direction(traffic: Traffic, series: FittedTo | None) -> None:
    assert DEMANDS.series_of(traffic) == series
    assert suitable((LARGE, DEMANDS), EXCHANGE) == [DEMANDS, LARGE]
    assert suitable((LARGE, DEMANDS), STREAM) == [DEMANDS]


def test_the_series_with_the_same_messages_goes_first() -> None:
    other = replace(REQUESTS, response_bytes=5000, error_ratio=0.5)
    demands = replace(DEMANDS, fitted_to=(other, REQUESTS))
    assert demands.series_of(EXCHANGE) == REQUESTS
    assert demands.series_of(replace(EXCHANGE, response_bytes=5000)) == other
    assert demands.series_of(replace(EXCHANGE, response_bytes=6000)) == other
    assert REQUESTS.has_sizes_of(EXCHANGE)
    assert not REQUESTS.has_sizes_of(replace(EXCHANGE, request_bytes=201))
    assert not REQUESTS.has_sizes_of(replace(EXCHANGE, response_bytes=np.array([1000, 1001])))
    assert STREAMS.has_sizes_of(replace(STREAM, response_bytes=5))


def test_exchanged_ends_exchange_series_and_stages() -> None:
    turned = DEMANDS.reversed
    assert [stage.name for stage in turned.stages] == ["shared", "own", "delay"]
    assert turned.stages[1].to_server == OWN.to_client
    assert (turned.fitted_to[0].request_bytes, turned.fitted_to[0].response_bytes) == (1000, 200)
    assert turned.reversed == DEMANDS
    assert (STREAMS.text, STREAMS.reversed.text) == (
        "streams to the client",
        "streams to the server",
    )
    assert REQUESTS.text == "requests of 200 B answered with 1,000 B"


def test_half_way_between_mtus_rate_and_error_are_means_of_logarithms() -> None:
    """
    400 and 440 µs with one connection, errors 5 % and 20 %: at the middle of 1500 and 6000.

    The square roots of both products: 1 / 419.52 µs, and 10 %.
    """
    slow = replace(DELAY, to_server=Times(per_message_s=324e-6))
    series = replace(REQUESTS, error_ratio=0.2)
    large = replace(DEMANDS, mtu_bytes=6000, stages=(slow, OWN, SHARED), fitted_to=(series,))
    path = replace(PATH, measured=(DEMANDS, large))
    expected = predict_path(path, replace(EXCHANGE, connection_count=1), 3000).expected
    assert expected is not None
    rate = expected.transaction_rate_tps
    assert 1 / rate.value == pytest.approx((400e-6 * 440e-6) ** 0.5)
    assert rate.value / rate.low == pytest.approx(1.1)
    assert rate.high / rate.value == pytest.approx(1.1)
    time = expected.transaction_time_s
    assert (time.low, time.high) == (
        pytest.approx(1 / rate.high),
        pytest.approx(1 / rate.low),
    )


def test_the_time_of_a_thinking_connection_is_without_its_pause() -> None:
    """9 connections, 660 µs and 340 to think."""
    traffic = replace(EXCHANGE, think_time_s=340e-6)
    expected = predict_path(PATH, traffic, 1500).expected
    assert expected is not None
    assert expected.transaction_rate_tps.value == pytest.approx(9 / 1e-3)
    time = expected.transaction_time_s
    assert (time.value, time.low, time.high) == (
        pytest.approx(660e-6),
        pytest.approx(1e-3 / 1.05 - 340e-6),
        pytest.approx(1e-3 * 1.05 - 340e-6),
    )
    assert expected.throughput_bps.value == pytest.approx(8 * 1000 * 9 / 1e-3)
    assert (expected.level_ratio, expected.range_name) == (0.95, "95 % interval")


@pytest.mark.parametrize(
    ("waiting", "text"),
    [
        (Waiting.BATCH, "requests move in batches"),
        (Waiting.STEADY, "requests meet at the bottleneck alone"),
        (Waiting.RANDOM, "requests queue at random"),
    ],
)
def test_an_answer_says_how_requests_meet(waiting: Waiting, text: str) -> None:
    expected = predict_path(with_demands(DEMANDS, waiting=waiting), EXCHANGE, 1500).expected
    assert expected is not None
    assert expected.approximations == (text,)
    stream = predict_path(PATH, STREAM, 1500).expected
    assert stream is not None
    assert stream.approximations == ("streams have a sharp knee",)


def _slower(byte_s: float) -> Stage:
    return replace(OWN, to_client=Times(per_byte_s=byte_s))
