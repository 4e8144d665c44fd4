"""Expected values of small paths, computed by hand or by closed forms."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from paths import changed

from netmodel.concurrency import exact_closed_network, used_queue_count
from netmodel.estimates import Predicted
from netmodel.path import Interval, Path, Pool, Stage, Times, Traffic, predict_path
from netmodel.path.limits import PathLimit
from netmodel.path.response import Expected

SEGMENT_BYTES = 1500 - 52
"""Payload of a full frame: 20 byte of IPv4, 20 of TCP and 12 of its timestamps."""


def sending(name: str, frame_us: float, **more: Any) -> Stage:
    """A stage that takes time of frames to the server."""
    return Stage(name=name, to_server=Times(per_frame_s=frame_us * 1e-6), **more)


def asking(name: str, there_us: float, back_us: float = 0, **more: Any) -> Stage:
    """A stage that takes time of messages."""
    there, back = Times(per_message_s=there_us * 1e-6), Times(per_message_s=back_us * 1e-6)
    return Stage(name=name, to_server=there, to_client=back, **more)


def expected(*stages: Stage, count: Any, pools: tuple[Pool, ...] = (), **traffic: Any) -> Expected:
    sizes = {"request_bytes": 100, "response_bytes": 100} | traffic
    exchanged = Traffic(connection_count=count, **sizes)
    result = predict_path(Path(stages=stages, pools=pools), exchanged, 1500).expected
    assert result is not None
    return result


def rate(*stages: Stage, **given: Any) -> Any:
    return expected(*stages, **given).transaction_rate_tps.value


def test_frames_that_overlap_queue_at_the_slowest_stage() -> None:
    """Four frames of 10 µs, and the last of 1 µs behind them: demands of 40 and 1 µs."""
    stages = (sending("slow", 10), sending("fast", 1))
    result = expected(*stages, count=2, request_bytes=4 * SEGMENT_BYTES, response_bytes=0)
    # Q(1) = 40/41 and 1/41; R(2) = 40 (1 + 40/41) + 1 (1 + 1/41) µs
    assert result.transaction_rate_tps.value == pytest.approx(2e6 * 41 / (40 * 81 + 42))
    assert not result.is_exact
    assert any("several frames" in text for text in result.approximations)


def test_between_whole_numbers_of_connections_the_rate_is_on_a_line() -> None:
    stages = (asking("cpu", 10), asking("disk", 5))
    two, between, three = rate(*stages, count=np.array([2, 2.25, 3]))
    assert between == pytest.approx(0.75 * two + 0.25 * three)


@pytest.mark.parametrize("count", [1, 3, 20])
def test_a_pool_is_one_station_for_all_its_stages(count: int) -> None:
    stages = tuple(asking(name, 3, parallel_count=None, pool="cpus") for name in ("in", "out"))
    delay = asking("delay", 5, 7, parallel_count=None)
    result = expected(*stages, delay, count=count, pools=(Pool("cpus", 2),))
    exact = exact_closed_network([6e-6], count, 12e-6, 2)
    assert result.transaction_rate_tps.value == pytest.approx(exact.transaction_rate_tps)
    assert result.is_exact


def test_work_of_a_stage_with_a_server_of_its_own_slows_the_rest_of_its_pool() -> None:
    """2 CPUs, of which a receive queue takes 2 µs and the application 6: at most 250 000 /s."""
    queue = asking("queue", 2, pool="cpus")
    application = asking("application", 6, parallel_count=None, pool="cpus")
    pools = (Pool("cpus", 2),)
    many = expected(queue, application, count=300, pools=pools)
    assert many.transaction_rate_tps.value == pytest.approx(250_000, rel=0.005)
    assert "work beside messages" in many.approximations


@pytest.mark.parametrize("count", [1, 2, 4, 40])
def test_queues_that_a_hash_chooses_have_no_more_than_their_flows(count: int) -> None:
    """Alone on the path, the queues with a connection are always busy."""
    queues = asking("queues", 10, parallel_count=4, hashes_flows=True)
    result = expected(queues, count=count)
    bound = used_queue_count(count, 4) / 10e-6
    assert result.transaction_rate_tps.value == pytest.approx(bound)
    assert "a hash chooses the server" in result.approximations


def test_approximations_are_reported() -> None:
    result = expected(asking("cpu", 3, 9), count=5)
    assert not result.is_exact
    whole = "visits of different length (rate in simulations up to 20 % off)"
    assert whole in result.approximations
    assert result.to_dict()["approximations"] == list(result.approximations)


def test_the_same_length_of_both_visits_is_exact() -> None:
    """Two visits of 4 µs to one server, and 8 µs elsewhere: demands of 8 and 8 µs."""
    result = expected(asking("cpu", 4, 4), asking("disk", 8), count=2)
    assert result.is_exact
    assert result.transaction_rate_tps.value == pytest.approx(2 / (3 * 8e-6))


def test_limits_that_are_no_stations_cap_the_value() -> None:
    """A window of one segment over 40 µs, a cap of 20 000 /s, and a statement of 10 000 /s."""
    cpu, delay = asking("cpu", 1), asking("delay", 20, 20, parallel_count=None)
    traffic = Traffic(4 * SEGMENT_BYTES, connection_count=2)
    path = Path(stages=(cpu, delay), window_bytes=SEGMENT_BYTES)
    prediction = predict_path(path, traffic, 1500)
    assert prediction.expected is not None
    assert prediction.expected.transaction_rate_tps.value == pytest.approx(2 / 4 / 40e-6)
    cap = asking("cap", 50, delays=False)
    assert rate(cpu, delay, cap, count=50) == pytest.approx(20_000)
    at_most = Predicted(10_000.0, 9_000.0, 11_000.0)
    published = PathLimit("statement", at_most, at_most.value)
    bounded = replace(prediction, limits=(*prediction.limits, published))
    assert bounded.expected is not None
    assert bounded.expected.transaction_rate_tps.value == pytest.approx(10_000)


def test_a_path_of_delays_alone_has_no_queues() -> None:
    delay = asking("delay", 20, 20, parallel_count=None)
    result = expected(delay, count=8, think_time_s=10e-6)
    assert result.transaction_rate_tps.value == pytest.approx(8 / 50e-6)


def test_many_connections_reach_the_bottleneck() -> None:
    rates = rate(asking("cpu", 4), asking("disk", 8), count=np.array([9_999, 10_001, 1e5, 1e7]))
    assert (np.diff(rates) >= 0).all()
    assert rates == pytest.approx(125_000, rel=1e-3)


def requests(stages: dict[str, Any], count: Any) -> Expected:
    path = Path(
        stages=tuple(
            Stage(name=name, to_server=Times(per_message_s=s)) for name, s in stages.items()
        )
    )
    expected = predict_path(path, Traffic(200, 200, connection_count=count), 1500).expected
    assert expected is not None
    return expected


def test_what_is_not_known_stays_in_its_place() -> None:
    """One stage: a rate of one over its time, with any number of connections."""
    times_s = np.array([np.nan, 1e-5, 1e-5])
    expected = requests({"a": times_s}, np.array([2.0, 2.0, np.nan]))
    rates = expected.transaction_rate_tps.value
    assert np.isnan(rates).tolist() == [True, False, True]
    assert rates[1] == pytest.approx(1e5)
    assert np.isnan(requests({"a": 1e-5}, np.nan).transaction_rate_tps.value)


def around(value: float) -> Interval:
    """A parameter that may be three quarters of it, or half as much again."""
    return Interval(value, 0.75 * value, 1.5 * value)


UNCERTAIN = (
    Stage(
        name="stack",
        to_server=Times(per_message_s=around(3e-6), per_frame_s=around(2e-6)),
        to_client=Times(per_frame_s=around(1e-6), per_ack_s=around(0.5e-6)),
        parallel_count=None,
        pool="cpus",
    ),
    Stage(
        name="queues",
        to_server=Times(per_frame_s=around(4e-6), per_wakeup_s=around(2e-6)),
        to_client=Times(per_byte_s=around(0.5e-9)),
        parallel_count=around(3),
        hashes_flows=True,
    ),
    Stage(name="line", to_server=Times(per_byte_s=around(1e-9)), parallel_count=around(2)),
    asking("fibre", 30, parallel_count=None),
    Stage(name="cap", to_server=Times(per_frame_s=around(2e-6)), delays=False),
)


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize("size", [100, 5 * SEGMENT_BYTES + 1])
def test_ends_are_those_of_all_times_at_their_longest_and_shortest(count: int, size: int) -> None:
    """With the fewest servers, and with the most: as of paths without a range."""
    pools = (Pool("cpus", around(2)),)
    path = Path(stages=UNCERTAIN, pools=pools, window_bytes=around(8000))
    traffic = Traffic(size, 300, connection_count=count, think_time_s=5e-6)

    def expected_of(change: Any) -> Expected:
        result = predict_path(changed(path, change), traffic, 1500).expected
        assert result is not None
        return result

    def ends(value: Any, slows: bool) -> tuple[float, float]:
        known = (value.low, value.high) if isinstance(value, Interval) else (value, value)
        return known if slows else known[::-1]

    known = expected_of(lambda value, slows: value)
    quoted = expected_of(lambda value, slows: getattr(value, "value", value))
    fastest = expected_of(lambda value, slows: ends(value, slows)[0])
    slowest = expected_of(lambda value, slows: ends(value, slows)[1])
    rate, time = known.transaction_rate_tps, known.transaction_time_s
    of_rates = [each.transaction_rate_tps.value for each in (quoted, slowest, fastest)]
    assert [rate.value, rate.low, rate.high] == pytest.approx(of_rates, rel=1e-9)
    of_times = [each.transaction_time_s.value for each in (quoted, fastest, slowest)]
    assert [time.value, time.low, time.high] == pytest.approx(of_times, rel=1e-9)
    assert known.throughput_bps.high == pytest.approx(rate.high * 8 * max(size, 300))
    assert known.approximations == quoted.approximations
