"""Every figure of small predictions, worked out by hand."""

import gc
from dataclasses import astuple, replace
from typing import Any
from weakref import ref

import numpy as np
import pytest
from paths import ends

from netmodel.consumption import Side
from netmodel.estimates import Predicted
from netmodel.grades import Grade
from netmodel.path import Interval, Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.path.response import expected_of_rate
from netmodel.path.stages import ValidityRange

CPUS = Pool("cpus", 4, Side.CLIENT)
EXCHANGE = Traffic(1000, 250, connection_count=8)


def pooled(name: str, there: Times, back: Times | None = None, **more: Any) -> Stage:
    given = {"parallel_count": None, "pool": "cpus"} | more
    return Stage(name=name, to_server=there, to_client=back or Times(), **given)


def of(*stages: Stage, traffic: Traffic = EXCHANGE, **more: Any) -> Prediction:
    pools = more.pop("pools", (CPUS,))
    return predict_path(Path(stages=stages, pools=pools, **more), traffic, 1500)


@pytest.mark.parametrize(
    ("unknown", "is_known", "first"),
    [
        (("a bus",), False, "a bus not modelled, so latency not predicted"),
        (("a bus", "a firewall"), False, "2 parts not modelled, so latency not predicted"),
        (("a bus", "a firewall"), True, "2 parts not modelled, but in the expected value"),
    ],
)
def test_what_is_not_modelled_is_said_first(
    unknown: tuple[str, ...], is_known: bool, first: str
) -> None:
    others = [f"not modelled: {part}" for part in unknown if len(unknown) > 1]
    prediction = of(pooled("cpu", Times(10e-6)), unknown=unknown)
    if is_known:
        rate = Predicted(5.0, 4.0, 6.0)
        bound, traffic = prediction.transaction_rate_tps, prediction.traffic
        whole = expected_of_rate(rate, bound, traffic, "it behaves so", "one figure")
        prediction = replace(prediction, known_expected=lambda: whole)
    assert prediction.notes[0] == f"upper bound: {first}"
    assert [text for text in prediction.notes if text.startswith("not modelled")] == others
    assert (prediction.expected is not None) is prediction.is_known_as_whole is is_known


def test_a_rate_of_the_whole_path_gives_the_time_and_never_exceeds_the_bound() -> None:
    """Little's law, 4 connections that pause 0.1 s: 4 / 20 less 0.1 s."""
    traffic, bound = Traffic(1000, 250, 4, think_time_s=0.1), Predicted(25.0, 25.0, 25.0)
    found = expected_of_rate(Predicted(20.0, 16.0, 32.0), bound, traffic, "so", "one figure")
    assert astuple(found.transaction_rate_tps)[:3] == (20.0, 16.0, 25.0)
    assert astuple(found.transaction_time_s)[:3] == pytest.approx((0.1, 0.06, 0.15))
    assert found.throughput_bps.value == 20 * 8 * 1000
    capped = expected_of_rate(Predicted(50.0, 40.0, 60.0), bound, traffic, "so", "one figure")
    assert astuple(capped.transaction_rate_tps)[:3] == (25.0, 25.0, 25.0)
    assert not capped.is_exact


@pytest.mark.parametrize(
    ("request_bytes", "low", "high", "place"),
    [
        (1000, 999, 1000, None),
        (1000, 1001, 2000, "cpu (1000 B)"),
        (1000, 100, 501, "cpu (1000 B)"),
        # three frames of 1000
        (3000, 1000, 1000, None),
        (np.array([100, 700]), 100, 700, None),
        (np.array([100, 700]), 100, 699, "cpu (100 to 700 B)"),
    ],
)
def test_frames_outside_of_what_was_calibrated_are_noted(
    request_bytes: Any, low: float, high: float, place: str | None
) -> None:
    note = "extrapolation: smaller frames may be slower"
    times = Times(per_frame_s=1e-6, validity=ValidityRange(low, high, note))
    prediction = of(
        pooled("cpu", times, Times(validity=ValidityRange(1, 1, "of answers"))),
        traffic=Traffic(request_bytes, waits=False),
    )
    assert prediction.limit_notes == (() if place is None else (f"{place}: {note}",))


TIME = Interval(10e-6, 5e-6, 20e-6)
COUNT = Interval(2, 1, 4)
FIBRE = Stage(
    name="fibre", to_server=Times(per_message_s=Interval(1e-3, 0.5e-3, 2e-3)), parallel_count=None
)
STREAM = Traffic(1000, connection_count=2, waits=False)


def test_each_limit_is_lowest_where_everything_is_slowest() -> None:
    """10 µs (5 to 20) at 2 servers (1 to 4), and 2 windows of 3000 byte (2 to 4) in 1 ms."""
    stages = (
        Stage(name="disk", to_server=Times(per_message_s=TIME), parallel_count=COUNT),
        pooled("cpu", Times(per_message_s=TIME), is_serial=True),
        # 2 flows choose 1.5 of 2 queues on average, 1 of 1, and 1.75 of 4
        Stage(
            name="queues",
            to_server=Times(per_message_s=TIME),
            parallel_count=COUNT,
            hashes_flows=True,
        ),
        FIBRE,
    )
    prediction = of(
        *stages,
        traffic=STREAM,
        pools=(replace(CPUS, parallel_count=COUNT),),
        window_bytes=Interval(3000, 2000, 4000),
    )
    known = {limit.name: limit for limit in prediction.limits}
    expected = {
        "disk": (2 / 10e-6, 1 / 20e-6, 4 / 5e-6),
        "queues": (1.5 / 10e-6, 1 / 20e-6, 1.75 / 5e-6),
        "cpus": (2 / 10e-6, 1 / 20e-6, 4 / 5e-6),
        "cpu of each connection": (2 / 10e-6, 2 / 20e-6, 2 / 5e-6),
        "window": (6 / 1e-3, 4 / 2e-3, 8 / 0.5e-3),
    }
    assert list(known) == list(expected)
    for name, rates_tps in expected.items():
        assert ends(known[name].rate) == pytest.approx(rates_tps), name
    # in a run with luck, 2 flows are at 2 queues; equal flows share the fuller one of 2 half of
    # the time, which leaves 2 / 1.5 queues
    assert known["queues"].best_rate_tps == pytest.approx(2 / 5e-6)
    assert known["queues"].even_rate_tps == pytest.approx(2 / 1.5 / 10e-6)


def test_shares_of_each_capacity_that_are_in_use() -> None:
    """CPUs 0.4 M/s, a disk of 0.5 (0.25 to 1) M/s, and 8 connections over 10 + 2 (1 to 4) µs."""
    disk = Stage(name="disk", to_server=Times(per_message_s=Interval(2e-6, 1e-6, 4e-6)))
    prediction = of(pooled("cpu", Times(per_message_s=10e-6)), disk)
    used = {name: ends(each) for name, each in prediction.use_ratios.items()}
    assert prediction.binding == "cpus"
    assert used["cpus"] == pytest.approx((1, 0.25 / 0.4, 1))
    assert used["disk"] == pytest.approx((0.8, 0.4, 1))
    alone = 8 / 12e-6
    # at most: 0.4 M/s of 8 over 14 µs; at least: 0.25 M/s of 8 over 11 µs
    assert used["connections"] == pytest.approx(
        (0.4e6 / alone, 0.25e6 / (8 / 11e-6), 0.4e6 / (8 / 14e-6))
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"unknown": ("a bus",)},
        {"traffic": replace(EXCHANGE, waits=False)},
        {"traffic": replace(EXCHANGE, connection_count=None)},
    ],
)
def test_what_is_not_known_leaves_no_expected_value(changed: dict[str, Any]) -> None:
    cpu = pooled("cpu", Times(per_message_s=10e-6))
    assert of(cpu).expected is not None
    assert of(cpu, **changed).expected is None
    assert of(replace(cpu, delays=False)).expected is None
    assert of(replace(cpu, to_client=Times(is_complete=False))).expected is None


def test_the_weakest_grade_is_of_what_limits_and_costs() -> None:
    # a byte takes no time
    times = {"per_message_s": Grade.MEASURED, "per_byte_s": Grade.ASSUMED}
    counts = {"frames_per_interrupt": Grade.PUBLISHED}
    cpu = pooled("cpu", Times(per_message_s=10e-6, grades=times), grades=counts)
    assert of(cpu).grade is Grade.PUBLISHED
    path = {"window_bytes": 1e6, "window_grade": Grade.DERIVED}
    fibre = Stage(name="fibre", to_server=Times(per_message_s=30e-6), parallel_count=None)
    assert of(cpu, fibre, **path).grade is Grade.DERIVED
    exact = of(pooled("cpu", Times(10e-6, grades={"per_message_s": Grade.STANDARD})))
    assert replace(exact, published_limit=exact.limits[0]).grade is Grade.PUBLISHED
    # without a round trip the window is no limit
    assert of(cpu, **path).grade is Grade.PUBLISHED


def test_cpus_busy_at_the_bound_are_not_more_than_there_are() -> None:
    """0.4 M/s by 4 CPUs at 10 µs; at a line of 0.1 M/s (0.05 to 0.2) they are busy for 1."""
    cpu = pooled("cpu", Times(per_message_s=10e-6))
    line = Stage(name="line", to_server=Times(per_message_s=Interval(10e-6, 5e-6, 20e-6)))
    busy = of(cpu, line).cpu_busy[Side.CLIENT]
    assert ends(busy) == pytest.approx((1, 0.5, 2))
    of_any = replace(CPUS, parallel_count=Interval(4, 2, 8))
    full = of(cpu, pools=(of_any,))
    assert ends(full.cpu_busy[Side.CLIENT]) == pytest.approx((4, 2, 8))


def test_cpus_of_two_pools_of_a_side_add_up() -> None:
    """Guest 1 of 1 CPU at 5 µs, hypervisor at 15 µs of 4 CPUs: 0.2 M/s, 1 + 3 busy."""
    guest = pooled("guest", Times(per_message_s=5e-6), pool="vcpu")
    host = pooled("host", Times(per_message_s=15e-6))
    pools = (CPUS, Pool("vcpu", 1, Side.CLIENT))
    prediction = of(guest, host, pools=pools, traffic=replace(EXCHANGE, waits=False))
    assert ends(prediction.cpu_busy[Side.CLIENT]) == pytest.approx((4, 4, 4))
    assert ends(prediction.cpu_s_per_transaction[Side.CLIENT]) == pytest.approx((20e-6,) * 3)


@pytest.mark.parametrize(
    ("request_bytes", "is_known"), [(1, True), (999, True), (1001, False), (1999, False)]
)
def test_a_thousandth_against_a_stream_is_part_of_its_cost(
    request_bytes: int, is_known: bool
) -> None:
    """Of 10^6 byte in both directions together; what it takes is not known."""
    cpu = pooled("cpu", Times(is_complete=False), Times(per_byte_s=1e-9))
    traffic = Traffic(request_bytes, 1_000_000 - request_bytes, connection_count=8, waits=False)
    prediction = of(cpu, traffic=traffic)
    assert prediction.partly_known == (() if is_known else ("cpu",))
    assert (prediction.cpu_busy[Side.CLIENT] is not None) is is_known
    # requests that wait need the time of every message, acknowledgements theirs
    assert of(cpu, traffic=replace(traffic, waits=True)).partly_known == ("cpu",)
    acked = of(cpu, traffic=replace(traffic, segments_per_ack=2))
    assert acked.partly_known == ("cpu",)


@pytest.mark.parametrize(("request_bytes", "is_known"), [(1448, True), (1449, False)])
def test_times_that_lack_a_part_hold_for_frames_that_they_are_of(
    request_bytes: int, is_known: bool
) -> None:
    of_frames = ValidityRange(1, 1448, "of one frame")
    cpu = pooled("cpu", Times(10e-6, validity=of_frames, is_complete=False), Times(1e-6))
    traffic = Traffic(request_bytes, 10_000, connection_count=8)
    assert of(cpu, traffic=traffic).partly_known == (() if is_known else ("cpu",))


def test_what_a_prediction_carries_is_freed_with_it() -> None:
    # in a sweep the arrays of a block would else wait for the garbage collector
    prediction = of(pooled("cpu", Times(10e-6, per_frame_s=np.full(3, 1e-6))))
    assert prediction.zero_load_time_s is not None
    load = ref(prediction.load)
    gc.disable()
    try:
        del prediction
        assert load() is None
    finally:
        gc.enable()
