"""Laws of receive packet steering, for any times, CPUs and load."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steering import BOTH_QUEUES, FRAME_TIME_S, TIMES, loaded, network, one_queue

from netmodel.concurrency import (
    queue_frame_rate_fps,
    steered_frame_rate_fps,
    used_queue_count,
)
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import (
    ByteLayer,
    Interval,
    Path,
    Pool,
    Prediction,
    Stage,
    Times,
    Traffic,
    predict_path,
)
from netmodel.planning import SteeringTimes, advise_steering

TIGHT = 1 + 1e-9
TIMES_S = st.floats(1e-8, 1e-4)
CPU_COUNTS = st.integers(1, 64)
CONNECTION_COUNTS = st.integers(1, 300)
PER_FRAME = st.tuples(TIMES_S, TIMES_S, TIMES_S, st.floats(1, 64), TIMES_S, TIMES_S)

steering_times = st.builds(
    SteeringTimes,
    poll_time_s=st.floats(1e-8, FRAME_TIME_S),
    hash_time_s=st.floats(0, 5e-6),
    ipi_time_s=st.floats(0, 5e-6),
    frames_per_ipi=st.floats(1, 64),
    enqueue_time_s=st.floats(0, 5e-6),
)
paths = st.builds(network, st.sampled_from([1, 2, 16]), st.floats(0.1e-6, 20e-6))


def in_pool(path: Path) -> Path:
    """The same with the softirqs on the CPUs of the application."""
    pools = dict(zip(BOTH_QUEUES, ("server", "client"), strict=True))
    stages = (replace(stage, pool=pools.get(stage.name, stage.pool)) for stage in path.stages)
    return replace(path, stages=tuple(stages))


@given(PER_FRAME, CPU_COUNTS, st.floats(0.01, 1))
def test_steering_never_gains_more_than_the_cpus_have(
    times: tuple[float, ...], cpu_count: int, efficiency_ratio: float
) -> None:
    poll_s, hash_s, ipi_s, frames_per_ipi, protocol_s, enqueue_s = times
    rate_fps = steered_frame_rate_fps(*times, cpu_count, efficiency_ratio)
    cost_s = poll_s + hash_s + ipi_s / frames_per_ipi + protocol_s + enqueue_s
    assert rate_fps * cost_s <= (1 + efficiency_ratio * cpu_count) * TIGHT
    assert rate_fps <= cpu_count / (protocol_s + enqueue_s) * TIGHT


@given(PER_FRAME, CPU_COUNTS, st.floats(0.01, 1))
def test_more_cpus_never_lose_until_polling_is_the_bottleneck(
    times: tuple[float, ...], cpu_count: int, efficiency_ratio: float
) -> None:
    poll_s, hash_s, ipi_s, frames_per_ipi, *_ = times
    rate_fps, more_fps, most_fps = (
        steered_frame_rate_fps(*times, count, efficiency_ratio)
        for count in (cpu_count, cpu_count + 1, 1e9)
    )
    assert rate_fps <= more_fps <= most_fps * TIGHT
    assert most_fps == pytest.approx(1 / (poll_s + hash_s + ipi_s / frames_per_ipi))
    polling_binds = rate_fps == pytest.approx(most_fps)
    assert polling_binds or more_fps > rate_fps


@given(TIMES_S, st.floats(0.01, 1), st.floats(0.01, 1))
def test_the_busiest_queue_decides(frame_time_s: float, share: float, other: float) -> None:
    rates = [queue_frame_rate_fps(frame_time_s, each) for each in sorted([share, other])]
    assert rates[0] >= rates[1] >= queue_frame_rate_fps(frame_time_s, 1)


@given(CONNECTION_COUNTS, st.integers(1, 16), steering_times)
def test_the_path_says_what_the_formulas_say(
    connection_count: int, cpu_count: int, times: SteeringTimes
) -> None:
    """All CPUs together are a further limit, which the formulas leave out."""
    assert times.poll_time_s is not None
    assert times.enqueue_time_s is not None
    prediction = loaded(one_queue(), connection_count)
    advice = advise_steering(prediction, "softirq", range(cpu_count), times)
    steered_fps = steered_frame_rate_fps(
        times.poll_time_s,
        times.hash_time_s,
        times.ipi_time_s,
        times.frames_per_ipi,
        max(FRAME_TIME_S - times.poll_time_s, 1e-30),
        times.enqueue_time_s,
        cpu_count,
        used_queue_count(connection_count, cpu_count) / cpu_count,
    )
    gain = steered_fps / queue_frame_rate_fps(FRAME_TIME_S, 1)
    assert advice.limit_ratio.value == pytest.approx(gain, rel=1e-9)


@given(paths, st.booleans(), CONNECTION_COUNTS, st.integers(1, 16), steering_times)
def test_all_cpus_together_stay_a_limit(
    path: Path, pooled: bool, connection_count: int, cpu_count: int, times: SteeringTimes
) -> None:
    prediction = loaded(in_pool(path) if pooled else path, connection_count)
    steered = advise_steering(prediction, BOTH_QUEUES, range(cpu_count), times).steered
    for pool in steered.path.pools:
        assert pool.parallel_count is not None
        assert steered.pool_busy[pool.name].value <= pool.parallel_count * TIGHT


@given(paths, st.booleans(), st.integers(1, 16), steering_times | st.just(SteeringTimes()))
def test_one_waiting_connection_never_gains(
    path: Path, pooled: bool, cpu_count: int, times: SteeringTimes
) -> None:
    prediction = loaded(in_pool(path) if pooled else path, 1)
    advice = advise_steering(prediction, BOTH_QUEUES, range(cpu_count), times)
    assert advice.recommended is False
    assert advice.rate_ratio.value <= TIGHT
    assert advice.zero_load_ratio is not None
    assert advice.zero_load_ratio >= 1 / TIGHT


@given(
    paths,
    CONNECTION_COUNTS,
    st.integers(1, 16),
    steering_times,
    st.sets(st.sampled_from([field.name for field in fields(SteeringTimes)]), min_size=1),
)
def test_what_is_not_known_never_recommends_and_never_refuses_too_much(
    path: Path, connection_count: int, cpu_count: int, times: SteeringTimes, hidden: set[str]
) -> None:
    prediction = loaded(path, connection_count)
    known = advise_steering(prediction, BOTH_QUEUES, range(cpu_count), times)
    less = replace(times, **dict.fromkeys(hidden))
    guessing = advise_steering(prediction, BOTH_QUEUES, range(cpu_count), less)
    assert guessing.rate_ratio.value * TIGHT >= known.rate_ratio.value
    if less.missing:
        assert guessing.recommended is not True
    if guessing.recommended is False:
        assert known.recommended is not True


@given(paths, CONNECTION_COUNTS, st.integers(1, 16), steering_times)
def test_the_advice_follows_from_its_figures(
    path: Path, connection_count: int, cpu_count: int, times: SteeringTimes
) -> None:
    advice = advise_steering(loaded(path, connection_count), BOTH_QUEUES, range(cpu_count), times)
    assert (advice.recommended is True) == (advice.rate_ratio.value >= 1.01)
    assert bool(advice.measurements) == (advice.recommended is None)
    assert advice.reasons


def test_the_law_that_polling_and_protocol_never_share_one_cpu_twice() -> None:
    """One CPU: steering only adds work to it."""
    advice = advise_steering(loaded(one_queue(), 250), "softirq", [0], TIMES)
    assert advice.recommended is False
    assert advice.rate_ratio.value == pytest.approx(6 / 7)


def stream(connection_count: int | None, line_rate_bps: float = 25e9) -> Prediction:
    wire = Times(per_byte_s=8 / line_rate_bps)
    path = Path(
        stages=(
            Stage(name="wire", to_server=wire, byte_layer=ByteLayer.WIRE),
            Stage(name="softirq", to_server=Times(per_frame_s=1e-6)),
        )
    )
    traffic = Traffic(30720, waits=False, shares_segments=True, connection_count=connection_count)
    return predict_path(path, traffic, 1500)


SHORT = SteeringTimes(
    poll_time_s=0.3e-6, hash_time_s=0.05e-6, ipi_time_s=0, frames_per_ipi=1, enqueue_time_s=0.05e-6
)


def test_a_stream_at_line_speed_only_costs_more() -> None:
    """Slide 46: no speed-up where line speed is reached without, and more consumption."""
    advice = advise_steering(stream(10, 10e9), "softirq", range(8), SHORT)
    assert advice.recommended is False
    assert advice.zero_load_ratio is None
    assert advice.added_us_per_gbit is not None
    assert advice.added_us_per_gbit["softirq"] == pytest.approx(0.1 / (8 * 1448e-9))


@pytest.mark.parametrize(("connection_count", "expected"), [(None, True), (50, True), (1, None)])
def test_a_stream_that_softirqs_limit(connection_count: int | None, expected: bool | None) -> None:
    advice = advise_steering(stream(connection_count), "softirq", range(8), SHORT)
    assert advice.recommended is expected


def test_an_unknown_load_is_asked_for() -> None:
    advice = advise_steering(loaded(one_queue(), None), "softirq", range(8), TIMES)
    assert advice.recommended is None
    assert advice.measurements == ("the number of connections at the same time",)


def test_an_unknown_part_may_be_the_limit() -> None:
    path = replace(one_queue(), unknown=("the switch",))
    advice = advise_steering(loaded(path, 250), "softirq", range(8), TIMES)
    assert advice.recommended is None
    assert "the share of softirqs" in advice.measurements[0]
    assert any("the switch not modelled" in each for each in advice.without.notes)


@pytest.mark.parametrize(
    ("low_s", "expected"), [(5e-6, True), (1.5e-6, None)], ids=["all gain", "one does not"]
)
def test_uncertain_times_are_followed_case_by_case(low_s: float, expected: bool | None) -> None:
    """3 µs at another stage are the limit with steering, and without where a frame takes less."""
    softirq = Stage(name="softirq", to_server=Times(per_frame_s=Interval(6e-6, low_s, 7e-6)))
    other = Stage(name="other", to_server=Times(per_frame_s=3e-6))
    prediction = loaded(Path(stages=(softirq, other)), 250)
    times = replace(TIMES, poll_time_s=0.5e-6)
    advice = advise_steering(prediction, "softirq", range(8), times)
    assert advice.recommended is expected
    assert advice.rate_ratio.value == pytest.approx(2)
    assert advice.rate_ratio.low < 2 < advice.rate_ratio.high
    assert advice.steered.transaction_rate_tps.value == pytest.approx(1 / 3e-6)


def test_queues_beyond_the_cpus_share_them() -> None:
    prediction = loaded(network(16, 1e-6), 250)
    advice = advise_steering(prediction, "server_softirq", range(4), TIMES)
    stages = {stage.name: stage for stage in advice.without.path.stages}
    assert stages["server_softirq"].parallel_count == 4
    assert stages["client_softirq"].parallel_count == 16


def test_the_pool_of_the_application_limits_the_gain() -> None:
    """8 CPUs, 12 + 2 + 5 µs of each: 8 / 19 µs, not the 500 000 of the queues alone."""
    advice = advise_steering(loaded(in_pool(network()), 250), BOTH_QUEUES, range(8), TIMES)
    assert advice.steered.transaction_rate_tps.value == pytest.approx(8 / 19e-6)
    assert advice.steered.ties == ("client", "server")
    assert "2.00 idle" not in str(advice)
    assert "5.00 idle" in str(advice)


def test_a_pool_of_unknown_size_is_reported() -> None:
    path = one_queue()
    stages = (replace(path.stages[0], pool="host"), path.stages[1])
    path = replace(path, stages=stages, pools=(Pool("host", None, Side.SERVER),))
    advice = advise_steering(loaded(path, 250), "softirq", range(8), TIMES)
    assert any("how many it has is not known" in text for text in advice.reasons)


def test_every_form_of_the_result_has_the_same_figures() -> None:
    advice = advise_steering(loaded(network(), 250), BOTH_QUEUES, [0, 1, 3, 6], TIMES)
    result = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    assert result["recommended"] is True
    assert result["mask"] == "4b"
    assert result["rate_ratio"]["value"] == pytest.approx(advice.rate_ratio.value)
    assert result["reasons"] == list(advice.reasons)
    for text in (str(advice), advice._repr_html_()):
        assert "recommended" in text
        assert "4b (CPUs 0-1,3,6)" in text
        assert all(reason in text for reason in advice.reasons)


def test_what_would_decide_is_shown() -> None:
    advice = advise_steering(loaded(network(), 250), BOTH_QUEUES, range(8))
    assert advice.recommended is None
    assert advice.is_upper_bound
    assert advice.added_us_per_gbit is None
    assert "poll_time_s" in advice.measurements[0]
    assert "rps_cpus at 0 and at ff" in str(advice)


@pytest.mark.parametrize(
    ("stages", "cpus", "message"),
    [
        ("nowhere", range(8), "no stage 'nowhere'; it has softirq, delay"),
        ("delay", range(8), "stage 'delay' has no servers of its own"),
        ("softirq", [], "one CPU"),
        ((), range(8), "at least one stage"),
        ("softirq", [1, 1], "got 1 twice"),
        (("softirq", "softirq"), range(8), "each stage once; got softirq, softirq"),
    ],
)
def test_impossible_questions(stages: str | tuple[str, ...], cpus: object, message: str) -> None:
    with pytest.raises(DomainError, match=message):
        advise_steering(loaded(one_queue(), 10), stages, cpus, TIMES)  # type: ignore[arg-type]


def test_arrays_are_asked_one_by_one() -> None:
    prediction = predict_path(one_queue(), Traffic(200, 1000, connection_count=[1, 250]), 1500)
    with pytest.raises(DomainError, match="one load at a time"):
        advise_steering(prediction, "softirq", range(8), TIMES)


def test_polling_is_part_of_the_time_of_a_frame() -> None:
    with pytest.raises(DomainError, match="poll_time_s must be at most 6e-06 s"):
        advise_steering(
            loaded(one_queue(), 10), "softirq", range(8), replace(TIMES, poll_time_s=7e-6)
        )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("poll_time_s", 0),
        ("hash_time_s", -1e-9),
        ("ipi_time_s", float("inf")),
        ("frames_per_ipi", 0.5),
        ("enqueue_time_s", [1e-6]),
        ("hash_time_s", float("nan")),
    ],
)
def test_impossible_times(name: str, value: float) -> None:
    with pytest.raises(DomainError, match=name):
        SteeringTimes(**{name: value})


def test_an_interrupt_without_cost_needs_no_batch() -> None:
    assert replace(TIMES, ipi_time_s=0, frames_per_ipi=None).missing == ()
