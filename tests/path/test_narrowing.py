"""Which part of CPU time spreads most, and which run would narrow it."""

import math
from dataclasses import replace

import pytest

from netmodel.consumption import Side
from netmodel.consumption._cost import parse_cpu_cost
from netmodel.framing import parse_stack
from netmodel.path import Interval, Joint, Path, Pool, Stage, Times, Traffic, predict_path
from netmodel.path._from_records import wire_stages
from netmodel.path._narrowing import (
    OF_COST,
    OF_SMT,
    WRITE_BYTES,
    Narrowing,
    narrowing,
    range_notes,
    usual_runs,
)

REQUESTS = Traffic(200, 30_000, connection_count=4)
"""Small requests with large responses; the server sends what takes the CPU time below."""


def with_times(per_message_s: object, per_byte_s: object, **pool: object) -> tuple[Path, Pool]:
    """A server that spends CPU time on what it sends, on a line of 100 Gbit/s."""
    times = Times(per_message_s=per_message_s, per_byte_s=per_byte_s)  # type: ignore[arg-type]
    stage = Stage(
        name="server_host_send", to_client=times, parallel_count=None, pool="cpus", side=Side.SERVER
    )
    cpus = Pool("cpus", None, Side.SERVER, **pool)  # type: ignore[arg-type]
    return Path(stages=(*wire_stages(100e9), stage), pools=(cpus,), scatter_ratio=0.02), cpus


@pytest.mark.parametrize(
    ("per_message_s", "per_byte_s", "part", "run"),
    [
        # 10 µs a message and 30 µs of bytes; only one of them has a range, which the run shows
        # best that has least of the other
        (Joint((10e-6, 12e-6), "a"), 1e-9, "per message", "200 B for 200 B, MTU 9000"),
        (10e-6, Joint((1e-9, 1.2e-9), "a"), "per byte sent", "a stream to the client, MTU 9000"),
    ],
)
def test_the_part_with_a_range_and_the_run_that_shows_it(
    per_message_s: object, per_byte_s: object, part: str, run: str
) -> None:
    path, cpus = with_times(per_message_s, per_byte_s)
    known = narrowing([(1000.0, predict_path(path, REQUESTS, 9000))], cpus)
    assert known is not None
    assert known.part == part
    assert known.share_ratio == pytest.approx(1)
    assert known.run == run


def test_shares_and_shrinkage_of_independent_parts_by_hand() -> None:
    """Ends 1 µs and 4 x 0.1 µs from the mean: variances 1 to 0.16; a run scatters by 2 %."""
    path, cpus = with_times(Joint((9e-6, 11e-6), "messages"), Joint((0.96e-9, 1.04e-9), "bytes"))
    traffic = Traffic(200, 10_000, connection_count=4)
    known = narrowing([(1000.0, predict_path(path, traffic, 9000))], cpus)
    assert known is not None
    assert known.part == "per message"
    assert known.share_ratio == pytest.approx(1 / (1 + 0.4**2))
    # a run of 200 B: bytes take 0.2 µs, with 0.008 µs either way, of 10.2 µs
    own_variance, noise = 1 + 0.008**2, (0.02 * 10.2) ** 2
    explained = (1 + 0.4 * 0.008) ** 2 / ((1 + 0.4**2) * (own_variance + noise))
    # a run of the planned traffic: all of it, but for the scatter of 20 µs
    of_plan = 1.16 / (1.16 + (0.02 * 20) ** 2)
    assert known.run.startswith("200 B for 200 B") == (explained > of_plan)
    best = max(explained, of_plan)
    assert known.shrinkage_ratio == pytest.approx(1 - math.sqrt(1 - best), rel=1e-9)


@pytest.mark.parametrize(
    ("time", "batch", "part"),
    [
        ("per_wakeup_s", "messages_per_wakeup", "per wake-up"),
        ("per_interrupt_s", "frames_per_interrupt", "per interrupt sent"),
    ],
)
def test_batches_of_a_load_are_seen_in_its_own_runs_only(time: str, batch: str, part: str) -> None:
    """How many messages share a wake-up, or frames an interrupt, is a property of the load."""
    path, cpus = with_times(10e-6, 1e-9)
    stage = replace(path.stages[-1], to_client=Times(**{time: 10e-6}), **{batch: Interval(2, 1, 4)})
    path = replace(path, stages=(*path.stages[:-1], stage))
    known = narrowing([(1000.0, predict_path(path, REQUESTS, 9000))], cpus)
    assert known is not None
    assert (known.part, known.run) == (part, "the planned traffic, MTU 9000")


def test_single_figures_have_no_range() -> None:
    path, cpus = with_times(10e-6, 1e-9)
    assert narrowing([(1000.0, predict_path(path, REQUESTS, 9000))], cpus) is None


def test_an_smt_gain_with_the_wider_range_is_named() -> None:
    gain = Interval(1.3, 1.1, 1.5)
    path, cpus = with_times(Joint((10e-6, 10.1e-6), "a"), 1e-9, smt_gain=gain)
    known = narrowing([(1000.0, predict_path(path, REQUESTS, 9000))], cpus)
    run = "with one, then both threads of cores busy"
    assert known == (OF_SMT, 1.0, run, None)


@pytest.mark.parametrize(("ratio", "part"), [(1.19, "per message"), (1.21, OF_SMT)])
def test_an_smt_gain_is_named_where_its_ratio_exceeds_that_of_the_cpu_time(
    ratio: float, part: str
) -> None:
    """10 to 12 µs of each of 1000 messages a second: a ratio of 1.2."""
    gain = Interval(1.1, 1.05, 1.05 * ratio)
    path, cpus = with_times(Joint((10e-6, 12e-6), "a"), 0.0, smt_gain=gain)
    known = narrowing([(1000.0, predict_path(path, REQUESTS, 9000))], cpus)
    assert known is not None
    assert known.part == part


def test_cpus_that_nothing_passes_have_no_part_to_narrow() -> None:
    path, cpus = with_times(0.0, Joint((1e-9, 1.2e-9), "a"))
    to_server = Traffic(WRITE_BYTES, waits=False, shares_segments=True)
    prediction = predict_path(path, to_server, 9000)
    assert narrowing([(1000.0, prediction)], cpus) is None


def test_streams_to_measure_are_those_of_iperf3() -> None:
    """Its manual: writes of 128 KB over TCP by default."""
    sizes = [
        run.at.get("write_bytes", run.at.get("response_bytes"))
        for run in usual_runs([1500])
        if run.is_cost_per_data
    ]
    assert set(sizes) == {128 * 1024}


def test_requests_to_measure_have_one_frame_and_many() -> None:
    texts = [run.text for run in usual_runs([9000]) if not run.is_cost_per_data]
    assert texts == [
        f"requests of 200 B with responses of {size} B at MTU {mtu}"
        for mtu in (9000, 1500)
        for size in (200, 30_000)
    ]


def test_a_cost_that_is_given_as_a_range_is_what_spreads() -> None:
    cost = parse_cpu_cost("100000..300000 µs/Gbit")
    path, cpus = with_times(0.0, Interval(1.6e-9, 0.8e-9, 2.4e-9, has_figure=False), cost=cost)
    named = replace(REQUESTS, name="mine")
    for traffic, whose in ((REQUESTS, "the planned traffic"), (named, "mine")):
        known = narrowing([(1000.0, predict_path(path, traffic, 1500))], cpus)
        assert known is not None
        assert known == (OF_COST, 1.0, f"{whose}, MTU 1500 with CPU data", None)
        assert known.note("client CPUs") == (
            f"client CPUs: the range is that of the cost given; measure {whose}, MTU 1500 with CPU "
            "data"
        )
        assert known.to_dict() == known._asdict()


@pytest.mark.parametrize("ratio", [1.49, 1.51])
def test_a_gain_has_to_spread_more_than_the_cost(ratio: float) -> None:
    """1 to 1.5 times the least."""
    cost = parse_cpu_cost("100000..150000 µs/Gbit")
    bytes_s = Interval(1e-9, 0.8e-9, 1.2e-9, has_figure=False)
    gain = Interval(1.0, 1.0, ratio)
    path, cpus = with_times(0.0, bytes_s, cost=cost, smt_gain=gain)
    known = narrowing([(1000.0, predict_path(path, REQUESTS, 1500))], cpus)
    assert known is not None
    assert known.part == (OF_SMT if ratio > 1.5 else OF_COST)


def test_flows_add_up_with_their_rates() -> None:
    """
    2000 small and 1000 large requests a second: a message 11 or 9 µs, and 1 or 1.5 ns a byte.

    Messages: 3000 * 1 µs either way, 3 ms; bytes: (2000 * 200 + 1000 * 30 000) * 0.25 ns, 7.6 ms.
    """
    path, cpus = with_times(Joint((11e-6, 9e-6), "a"), Joint((1e-9, 1.5e-9), "b"))
    flows = [(2000.0, replace(REQUESTS, response_bytes=200)), (1000.0, REQUESTS)]
    pairs = [(rate, predict_path(path, traffic, 9000)) for rate, traffic in flows]
    known = narrowing(pairs, cpus)
    assert known is not None
    messages, of_bytes = 3.0**2, (30.4e6 * 0.25e-6) ** 2
    assert known.part == "per byte sent"
    assert known.share_ratio == pytest.approx(of_bytes / (messages + of_bytes))


def test_runs_that_cannot_be_sent_are_no_candidates() -> None:
    """A datagram has 65,507 byte at most, so that a write of 131,072 is none; nor over MTU 9000."""
    path, cpus = with_times(10e-6, Joint((1e-9, 1.2e-9), "a"))
    udp = parse_stack("ethernet/ipv4/udp")
    known = narrowing([(1000.0, predict_path(path, REQUESTS, 1500, udp))], cpus)
    assert known is not None
    assert known.run in {"the planned traffic, MTU 1500", "200 B for 30000 B, MTU 1500"}


def test_the_scatter_of_runs_is_about_a_twentieth_where_none_is_known() -> None:
    """A spread of 1 in 10 µs, seen in runs that scatter by 5 % of 10.2 µs, and by 2 %."""
    for scatter_ratio, used in ((None, 0.05), (0.02, 0.02)):
        path, cpus = with_times(Joint((9e-6, 11e-6), "messages"), 1e-9)
        path = replace(path, scatter_ratio=scatter_ratio)
        known = narrowing([(1000.0, predict_path(path, REQUESTS, 9000))], cpus)
        assert known is not None
        assert known.run == "200 B for 200 B, MTU 9000"
        explained = 1 / (1 + (used * 10.2) ** 2)
        assert known.shrinkage_ratio == pytest.approx(1 - math.sqrt(1 - explained))


def test_sides_with_the_same_part_are_named_together() -> None:
    same, other = (Narrowing(part, 0.5, "run", None) for part in ("per byte", "per frame"))
    assert list(range_notes({"client": same, "server": same})) == [
        "client and server CPUs: widest part per byte; measure run"
    ]
    assert list(range_notes({"client": same, "server": other}, "busy CPUs")) == [
        "client busy CPUs: widest part per byte; measure run",
        "server busy CPUs: widest part per frame; measure run",
    ]


def test_a_prediction_names_it_in_a_note() -> None:
    path, _ = with_times(Joint((10e-6, 12e-6), "a"), 1e-9)
    prediction = predict_path(path, REQUESTS, 1500)
    note = "server CPUs: widest part per message; measure 200 B for 200 B, MTU 1500"
    assert note in prediction.notes
    assert prediction.to_dict()["narrowing"]["server"]["part"] == "per message"
