"""Receive packet steering over connections: where it begins to pay, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from steering import TIMES, one_queue

from netmodel.errors import DomainError
from netmodel.path import Interval, Path, Stage, Times, Traffic, predict_path
from netmodel.planning import advise_steering, steering_over_connections
from netmodel.planning._steering import steered_path
from netmodel.planning._steering_curve import _gains_from

REQUESTS = Traffic(200, 1000, connection_count=4)


def test_a_gain_begins_where_the_last_loss_ends() -> None:
    """
    By logarithms: from 1.1 with 10 connections to 0.9 with 100 the ratio is 1 half way.

    A sample never loses, one never gains, one gains, loses and gains again.
    """
    ratios = np.array([[0.9, 1.2, 0.9], [0.9, 1.1, 1.1], [0.8, 1.0, 0.9]])
    starts = _gains_from(np.array([1.0, 10.0, 100.0]), ratios)
    assert starts == pytest.approx([1, np.inf, 10**1.5])


def test_numbers_of_connections_beyond_those_measured_are_an_extrapolation() -> None:
    case = ("osa-express7s-25gbe", "rr1c-200x1000")
    measured = steering_over_connections(*case, (1,)).measured_counts
    for asked, is_outside in (
        (measured, False),
        (measured[-1:], False),
        ((measured[-1] + 1,), True),
    ):
        curve = steering_over_connections(*case, asked)
        is_noted = any("extrapolation: measured with 1 to" in text for text in curve.notes)
        assert is_noted is is_outside


@pytest.mark.parametrize("counts", [(), (0,), (-1, 10), (1.5,)])
def test_connections_are_counted(counts: tuple[int, ...]) -> None:
    with pytest.raises(DomainError, match="connection_counts must be whole numbers from 1 on"):
        steering_over_connections("osa-express7s-25gbe", "rr1c-200x1000", counts)


def test_the_curve_as_json_has_the_documented_keys() -> None:
    result = steering_over_connections("osa-express7s-25gbe", "rr1c-200x1000", (50,)).to_dict()
    assert set(result) == {
        *("adapter", "workload", "queue_count", "cpu_count", "steered_cpu_count", "answer"),
        *("faster_from_connections", "cheaper_from_connections", "changes", "notes"),
    }
    (change,) = result["changes"]
    assert {"connection_count", "busy_cpus", "steered_busy_cpus"} <= set(change)


def test_less_waiting_is_a_yardstick_where_no_queue_is_full() -> None:
    """
    12 connections take 76.457 µs, 6 of them at the queue, which 11 others use: 0.94171 * 11/12.

    They wait 6 * 0.86323 / 0.13677 = 37.87 µs. With steering 2 µs stay and 5 move to 8 CPUs, in
    77.457 µs: 0.793 and 0.487 µs of waiting, and 1 µs that steering adds; 35.6 µs are left.
    """
    prediction = predict_path(
        one_queue(delay_s=70.4567e-6), replace(REQUESTS, connection_count=12), 1500
    )
    advice = advise_steering(prediction, "softirq", range(8), TIMES)
    assert advice.recommended is None
    saved = "steering saves 36 µs at most where 76.5 µs are predicted without waiting"
    assert saved in " ".join(advice.reasons)
    alone = "a transaction that meets no other takes 77.4567 µs instead of 76.4567 µs (+1.3 %)"
    assert alone in str(advice)


def test_polling_takes_no_longer_than_a_frame_does() -> None:
    """Its time is part of that of the frame, which may be as short as its lower end."""
    path = one_queue(frame_time_s=Interval(6e-6, 1e-6, 8e-6))  # type: ignore[arg-type]
    with pytest.raises(DomainError, match=r"poll_time_s must be at most 1e-06 s; got 1\.5e-06"):
        steered_path(path, ("softirq",), TIMES, 4, REQUESTS)
    path = one_queue(frame_time_s=Interval(6e-6, 0, 8e-6))  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="poll_time_s must be at most 0"):
        steered_path(path, ("softirq",), TIMES, 4, REQUESTS)


@pytest.mark.parametrize(("count", "servers"), [(None, 4 + 8), (1, 1 + 1), (2, 1.75 + 1.875)])
def test_where_nothing_is_known_of_polling_all_queues_and_cpus_serve(
    count: int | None, servers: float
) -> None:
    """Two flows use 4 (1 - (3/4)^2) = 1.75 of 4 queues, and 1.875 of 8 CPUs, on average."""
    times = replace(TIMES, poll_time_s=None)
    queue = replace(one_queue().stages[0], parallel_count=4, hashes_flows=True)
    traffic = replace(REQUESTS, connection_count=count)
    *_, protocol = steered_path(Path(stages=(queue,)), ("softirq",), times, 8, traffic).stages
    assert protocol.name == "softirq_protocol"
    assert protocol.parallel_count == pytest.approx(servers)


def test_a_queue_without_a_time_per_frame_has_none_of_polling() -> None:
    queue = Stage(name="softirq", to_server=Times(per_message_s=6e-6))
    with pytest.raises(DomainError, match="part of the time per frame, which the receive queue"):
        steered_path(Path(stages=(queue,)), ("softirq",), TIMES, 4, REQUESTS)
    hashed = replace(TIMES, poll_time_s=None)
    stages = steered_path(Path(stages=(queue,)), ("softirq",), hashed, 4, REQUESTS).stages
    assert [stage.name for stage in stages] == ["softirq_poll", "softirq_protocol"]
