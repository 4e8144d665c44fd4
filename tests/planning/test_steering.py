"""Receive packet steering over connections: where it begins to pay, and what is refused."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from steering import TIMES, loaded, network, one_queue

from netmodel._estimates import Estimate
from netmodel.errors import DomainError
from netmodel.path import Interval, Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.planning import SteeringTimes, advise_steering, steering_over_connections
from netmodel.planning._steering import steered_path
from netmodel.planning._steering_curve import SteeringChange, SteeringCurve, _gains_from

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
    assert advice.measurements == (BOTH.format(mask="ff"),)
    # what steering adds is not known: it is measured as well
    partly = replace(TIMES, hash_time_s=None)
    advice = advise_steering(prediction, "softirq", range(8), partly)
    assert advice.recommended is None
    assert advice.measurements == (f"hash_time_s: {PROFILE}", BOTH.format(mask="ff"))


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


PROFILE = "profile the CPU of a queue at this load, with and without steering"
BOTH = "rate, transaction time and CPU time at this load, with rps_cpus at 0 and at {mask}"
ADDED = "softirq: steering adds 1 µs of CPU time to each frame, 104,167 µs/Gbit"
"""1 µs for each 200 and 1000 byte, 9600 bit."""


def asked(path: Path, count: int | None, **traffic: Any) -> Prediction:
    return predict_path(path, replace(REQUESTS, connection_count=count, **traffic), 1500)


def test_a_full_queue_gains_what_polling_leaves() -> None:
    """6 µs of one CPU are 166,667 /s; with steering 2 µs stay, and 5 move: three times as many."""
    advice = advise_steering(asked(one_queue(), 250), "softirq", range(8), TIMES)
    assert (advice.recommended, advice.measurements) == (True, ())
    assert advice.reasons == (
        "the rate rises by a factor of 3",
        "softirq: 100 % of its busiest CPU is used; the rate is limited by softirq",
        "softirq: its queues use 1 of 8 CPUs for 250 connections",
        "softirq: it keeps 1.00 of 8 CPUs busy; what else runs on them is not known",
        "steering changes the limit of the queues by a factor of 3, the rate by 3; then the rate "
        "is limited by softirq_poll",
        "a transaction that meets no other takes 77 µs instead of 76 µs (+1.3 %)",
        ADDED,
    )
    assert advice.added_us_per_gbit == {"softirq": pytest.approx(1e9 / 9600)}
    assert (advice.rate_ratio.value, advice.limit_ratio.value) == pytest.approx((3, 3))
    assert advice.zero_load_ratio == pytest.approx(77 / 76)
    assert advice.added_times_s == {"softirq": pytest.approx(1e-6)}
    assert not advice.is_upper_bound
    assert str(advice).startswith("receive packet steering: recommended\nmask: ff (CPUs 0-7)\n")


def test_what_is_not_known_is_taken_at_its_best_and_measured() -> None:
    """All of the 6 µs move to the CPU of the queue and 8 others, of a pool that has 8 in all."""
    advice = advise_steering(asked(one_queue(), 250), "softirq", range(8))
    assert advice.recommended is None
    missing = "poll_time_s, hash_time_s, ipi_time_s, frames_per_ipi, enqueue_time_s"
    assert advice.measurements == (f"{missing}: {PROFILE}", BOTH.format(mask="ff"))
    assert advice.reasons[0] == (
        "the rate rises by a factor of 8 at most: what steering costs is not known"
    )
    assert advice.reasons[4] == (
        "steering changes the limit of the queues by a factor of at most 9, the rate by at most 8; "
        "then the rate is limited by softirq_cpus"
    )
    assert advice.reasons[5].startswith("a transaction that meets no other takes at least ")
    assert advice.reasons[5].endswith("with steering and without")
    assert advice.reasons[6] == "how much CPU time steering adds to a frame is not known"
    assert advice.is_upper_bound
    assert advice.added_us_per_gbit is None


@pytest.mark.parametrize(
    ("path", "count", "cpus", "reason"),
    [
        (one_queue(), 1, 8, "one connection that waits for each answer has nothing to spread on "
         "CPUs"),
        # 7 µs of the one CPU that there is, where the queue alone took 6
        (one_queue(), 250, 1, "the rate cannot rise: with steering, the rate is limited by "
         "softirq_cpus"),
        (one_queue(), 2, 8, "the rate cannot rise: the rate is limited by connections, with "
         "steering or without"),
    ],
)  # fmt: skip
def test_why_the_rate_cannot_rise(path: Path, count: int, cpus: int, reason: str) -> None:
    advice = advise_steering(asked(path, count), "softirq", range(cpus), TIMES)
    assert (advice.recommended, advice.measurements) == (False, ())
    assert advice.reasons[0] == reason


def test_what_decides_is_asked_for() -> None:
    unknown = asked(one_queue(), None)
    advice = advise_steering(unknown, "softirq", range(8), TIMES)
    assert advice.recommended is None
    assert advice.reasons[0] == (
        "the receive queues limit the path, but how many connections load it is not known"
    )
    assert advice.measurements == ("the number of connections at the same time",)
    assert advice.reasons[2] == "softirq: its queues use 1 of 8 CPUs"
    partly = asked(replace(one_queue(), unknown=("a switch",)), 250)
    advice = advise_steering(partly, "softirq", range(8), TIMES)
    assert advice.recommended is None
    assert advice.reasons[0] == (
        "the receive queues are the smallest limit known, but something unknown may be smaller"
    )
    assert advice.measurements == (
        "the share of softirqs on each CPU: one that is full while others idle",
    )
    wide = asked(one_queue(frame_time_s=Interval(6e-6, 5e-6, 7e-6)), 13)  # type: ignore[arg-type]
    advice = advise_steering(wide, "softirq", range(8), TIMES)
    assert advice.recommended is None
    assert advice.measurements == (BOTH.format(mask="ff"),)


def test_the_gain_of_one_stream_is_not_believed() -> None:
    stream = Traffic(1000, 0, connection_count=1, waits=False)
    advice = advise_steering(predict_path(one_queue(), stream, 1500), "softirq", range(3), TIMES)
    assert advice.recommended is None
    assert advice.reasons[0] == (
        "the gain of one stream is that of two CPUs in a row, which measurements do not show"
    )
    assert advice.measurements == (BOTH.format(mask="7"),)
    assert advice.reasons[2] == "softirq: its queues use 1 of 3 CPUs for 1 connection"


@pytest.mark.parametrize(
    ("queues", "count", "text"),
    [
        # of two connections on two queues, 1.5 are on the busier one
        (2, 2, "; the busiest has 1.5 of 2 connections on average, an even share is 1.0"),
        (4, None, ""),
        (1, 10, " for 10 connections"),
        (1, 1, " for 1 connection"),
    ],
)
def test_connections_divide_over_queues(queues: int, count: int | None, text: str) -> None:
    path = network(queues)
    advice = advise_steering(loaded(path, count), ("server_softirq",), range(8), TIMES)
    assert f"server_softirq: its queues use {queues} of 8 CPUs{text}" in advice.reasons


def test_the_cpus_of_a_pool_are_busy_or_idle() -> None:
    """6 µs of a queue and 12 of an application: 0.6 of a CPU and 1.2, of 8, of 100,000 /s."""
    queue, delay = one_queue().stages
    app = Stage(name="app", to_server=Times(per_message_s=12e-6), parallel_count=None, pool="host")
    steered = replace(queue, pool="host")
    cap = Stage(name="cap", to_server=Times(per_message_s=10e-6))
    for count, text in (
        (8, "1.80 of 8 CPUs of host are busy, 6.20 idle"),
        (None, "1.80 CPUs of host are busy; how many it has is not known"),
    ):
        path = Path(stages=(steered, app, cap, delay), pools=(Pool("host", count),))
        advice = advise_steering(asked(path, 250), "softirq", range(4), TIMES)
        assert f"softirq: {text}" in advice.reasons
    alone = Path(stages=(steered, cap, delay), pools=(Pool("host", 8),))
    advice = advise_steering(asked(alone, 250), "softirq", range(4), TIMES)
    text = "it keeps 0.60 of 8 CPUs busy; what else runs on them is not known"
    assert f"softirq: {text}" in advice.reasons
    assert "softirq: 60 % of its busiest CPU is used; the rate is limited by cap" in advice.reasons


@pytest.mark.parametrize("wrong", [None, 1.5e-6, {"poll_time_s": 1.5e-6}])
def test_times_are_an_object(wrong: Any) -> None:
    with pytest.raises(DomainError, match="times must be a SteeringTimes"):
        advise_steering(asked(one_queue(), 250), "softirq", range(8), wrong)


def test_what_is_missing_is_what_would_change_something() -> None:
    """Without interrupts their number does not matter."""
    assert SteeringTimes().missing == (
        *("poll_time_s", "hash_time_s", "ipi_time_s", "frames_per_ipi", "enqueue_time_s"),
    )
    free = SteeringTimes(ipi_time_s=0.0, hash_time_s=0.2e-6, enqueue_time_s=0.5e-6)
    assert free.missing == ("poll_time_s",)
    assert free.knows_added_time
    assert not SteeringTimes(poll_time_s=1e-6).knows_added_time
    assert free.added_time_s == pytest.approx(0.7e-6)
    assert free.queue_time_s == pytest.approx(0.2e-6)
    assert TIMES.queue_time_s == pytest.approx(2e-6)
    assert TIMES.added_time_s == pytest.approx(1e-6)
    assert SteeringTimes(ipi_time_s=1e-6).added_time_s == 0
    assert SteeringTimes(ipi_time_s=1e-6, frames_per_ipi=4).added_time_s == pytest.approx(0.25e-6)


def changed(count: int = 10, **parts: Any) -> SteeringChange:
    """A tenth faster, 5 to 15 %, and twice as costly, 1.8 to 2.2 times."""
    given: dict[str, Any] = {
        "connection_count": count,
        "time": Estimate(0.9, 0.85, 0.95),
        "cost": Estimate(2.0, 1.8, 2.2),
        "time_of_run": Estimate(0.9, 0.8, 1.0),
        "cost_of_run": Estimate(2.0, 1.7, 2.3),
        "busy_cpus": Estimate(1.0, 0.9, 1.1),
        "steered_busy_cpus": Estimate(2.0, 1.9, 2.1),
        "measured": (),
        **parts,
    }
    return SteeringChange(**given)


@pytest.mark.parametrize(
    ("time", "cost", "verdict"),
    [
        ((0.9, 0.85, 0.99), (1.1, 1.01, 1.2), "faster, costlier"),
        ((0.9, 0.8, 1.0), (0.9, 0.8, 1.1), "may be faster, may be cheaper"),
        ((1.1, 0.99, 1.2), (1.0, 0.9, 1.2), "may be slower, may be costlier"),
        ((1.1, 1.0, 1.2), (1.0, 1.0, 1.0), "not faster, not cheaper"),
        ((1.1, 1.01, 1.2), (0.5, 0.4, 0.999), "slower, cheaper"),
    ],
)
def test_a_change_counts_beyond_the_spread_of_the_parameters(
    time: tuple[float, ...], cost: tuple[float, ...], verdict: str
) -> None:
    assert changed(time=Estimate(*time), cost=Estimate(*cost)).verdict == verdict


def curve(*changes: SteeringChange, **parts: Any) -> SteeringCurve:
    given: dict[str, Any] = {
        "adapter": "card",
        "workload": "small",
        "queue_count": 1,
        "cpu_count": 8,
        "steered_count": 8,
        "changes": changes or (changed(),),
        "faster_from": Estimate(12.4, 8.4, 20.6),
        "cheaper_from": Estimate(100.0, 80.0, math.inf),
        "measured_counts": (5, 50),
        "measured_cpu_count": 8,
        **parts,
    }
    return SteeringCurve(**given)


NEVER = Estimate(math.inf, math.inf, math.inf)


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        ({}, "RPS pays from about 12 (8 to 21) connections on: transactions are faster; CPU time "
         "per transaction falls from about 100 (80 to over 1000) connections on"),
        ({"cheaper_from": NEVER}, "RPS pays from about 12 (8 to 21) connections on: transactions "
         "are faster"),
        ({"faster_from": NEVER}, "RPS makes no transaction faster up to 1000 connections"),
        ({"faster_from": Estimate(math.inf, 70.2, math.inf), "cheaper_from": NEVER}, "RPS may make "
         "transactions faster from 70 connections on, or nowhere up to 1000"),
        ({"faster_from": Estimate(math.inf, 70.2, math.inf)}, "RPS may make transactions faster "
         "from 70 connections on, or nowhere up to 1000; CPU time per transaction falls from about "
         "100 (80 to over 1000) connections on"),
        ({"cheaper_from": Estimate(math.inf, 80.0, math.inf)}, "RPS pays from about 12 (8 to 21) "
         "connections on: transactions are faster; CPU time per transaction falls from about over "
         "1000 (80 to over 1000) connections on"),
    ],
)  # fmt: skip
def test_when_steering_pays_in_words(parts: dict[str, Any], answer: str) -> None:
    assert curve(**parts).answer == answer


@pytest.mark.parametrize(
    ("counts", "cpus", "steered", "outside"),
    [
        ((5, 50), 8, 8, ()),
        ((4, 50), 8, 8, ("extrapolation: measured with 5 to 50 connections",)),
        ((5, 51), 8, 8, ("extrapolation: measured with 5 to 50 connections",)),
        ((50, 4, 30), 8, 8, ("extrapolation: measured with 5 to 50 connections",)),
        ((5,), 8, 7, ("extrapolation: measured with RPS to all of 8 CPUs",)),
        ((5,), 16, 16, ("extrapolation: measured with RPS to all of 8 CPUs",)),
        ((5,), 16, 8, ("extrapolation: measured with RPS to all of 8 CPUs",)),
    ],
)
def test_what_was_not_measured_is_an_extrapolation(
    counts: tuple[int, ...], cpus: int, steered: int, outside: tuple[str, ...]
) -> None:
    result = curve(*map(changed, counts), cpu_count=cpus, steered_count=steered)
    assert result.notes == (
        "ratios with RPS over without, 95 % intervals; calibrated from published figures",
        *outside,
        "the MTU of the published runs is not reported",
        "for hosts and kernels like the measured ones: measure yours with and without RPS",
    )


def test_the_changes_stand_in_a_table_and_as_plain_values() -> None:
    both = curve(changed(), changed(250, measured=("time -30 %", "CPU cost lower")))
    assert both.table.splitlines() == [
        "connections  time               CPU cost              with RPS",
        "         10  -10 % (-15 to -5)  +100 % (+80 to +120)  faster, costlier",
        "        250  -10 % (-15 to -5)  +100 % (+80 to +120)  faster, costlier",
        "",
        "connections  measured",
        "        250  time -30 %; CPU cost lower",
    ]
    assert "measured" not in curve().table
    assert str(both).startswith(f"{both.answer}\n\n{both.table}\nnote: ratios with RPS")
    plain = curve(faster_from=Estimate(math.inf, 70.0, math.inf)).to_dict()
    assert plain == {
        "adapter": "card",
        "workload": "small",
        "queue_count": 1,
        "cpu_count": 8,
        "steered_cpu_count": 8,
        "answer": curve(faster_from=Estimate(math.inf, 70.0, math.inf)).answer,
        "faster_from_connections": {"value": None, "low": 70.0, "high": None},
        "cheaper_from_connections": {"value": 100.0, "low": 80.0, "high": None},
        "changes": [changed().to_dict()],
        "notes": list(curve().notes),
    }
    assert changed(measured=("one",)).to_dict() == {
        "connection_count": 10,
        "verdict": "faster, costlier",
        "transaction_time_ratio": {
            "value": 0.9,
            "low": 0.85,
            "high": 0.95,
            "new_run_low": 0.8,
            "new_run_high": 1.0,
        },
        "cpu_cost_ratio": {
            "value": 2.0,
            "low": 1.8,
            "high": 2.2,
            "new_run_low": 1.7,
            "new_run_high": 2.3,
        },
        "busy_cpus": {"value": 1.0, "low": 0.9, "high": 1.1},
        "steered_busy_cpus": {"value": 2.0, "low": 1.9, "high": 2.1},
        "measured": ["one"],
    }
    html = both._repr_html_()
    assert "250 connections" in html
    assert "time -10 % (-15 to -5), CPU cost +100 % (+80 to +120)" in html
