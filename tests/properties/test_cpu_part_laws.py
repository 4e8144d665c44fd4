"""Laws of CPU time part by part, of batches and of two threads on a core."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.consumption import (
    Side,
    batched_cpu_time_s,
    consumption_us_per_gbit,
    effective_core_count,
    frames_per_interrupt,
    message_cpu_time_s,
    polled_cpu_time_s,
    streaming_consumption_us_per_gbit,
)
from netmodel.path import Path, Pool, Stage, Times, Traffic, predict_path

CLOSE = 1e-12
CANCELLED = 1e-9
"""Of an interrupt that costs 100,000 frames, what a full CPU leaves has five digits fewer."""
TIMES_S = st.floats(0, 1e-4)
FRAME_TIMES_S = st.floats(1e-9, 1e-4)
RATES = st.floats(0, 1e7)
GAINS = st.floats(1, 2)
PARTS = ("message", "wakeup", "interrupt", "packet", "ack", "byte")
SHARES = ("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet")
COUNTS = ("message_bytes", "segment_count", "ack_count")

coefficients = st.fixed_dictionaries({f"time_per_{part}_s": TIMES_S for part in PARTS})
shares = st.fixed_dictionaries({name: st.floats(1, 300) for name in SHARES})
counts = st.fixed_dictionaries({name: st.integers(0, 10**6) for name in COUNTS})


def close(expected: float) -> object:
    return pytest.approx(expected, rel=CLOSE)


@given(counts, coefficients, shares, st.floats(1, 100))
def test_costs_of_a_message_scale_with_what_each_part_costs(
    counted: dict[str, int], costs: dict[str, float], shared: dict[str, float], factor: float
) -> None:
    whole = message_cpu_time_s(**counted, **costs, **shared)
    scaled = {name: factor * cost for name, cost in costs.items()}
    assert message_cpu_time_s(**counted, **scaled, **shared) == close(factor * whole)


@given(counts, coefficients, shares)
def test_a_message_costs_the_sum_of_its_parts(
    counted: dict[str, int], costs: dict[str, float], shared: dict[str, float]
) -> None:
    alone = [
        message_cpu_time_s(**counted, **(dict.fromkeys(costs, 0.0) | {name: costs[name]}), **shared)
        for name in costs
    ]
    assert message_cpu_time_s(**counted, **costs, **shared) == close(sum(alone))


@given(counts, coefficients, shares, st.floats(1, 10))
def test_a_message_costs_more_with_its_size_and_less_with_what_is_shared(
    counted: dict[str, int], costs: dict[str, float], shared: dict[str, float], factor: float
) -> None:
    arguments: dict[str, Any] = counted | costs | shared
    whole = message_cpu_time_s(**arguments)
    for name in COUNTS:
        more = message_cpu_time_s(**arguments | {name: factor * arguments[name]})
        assert more >= whole * (1 - CLOSE)
    for name in SHARES:
        more = message_cpu_time_s(**arguments | {name: factor * arguments[name]})
        assert more <= whole * (1 + CLOSE)


sizes = st.integers(1, 10**6)
STREAM_TIMES = {f"time_per_{part}_s": TIMES_S for part in ("message", "packet", "byte")}
STREAMS = {"segment_bytes": sizes, "message_bytes": sizes, "segments_per_packet": st.floats(1, 300)}
streams = st.fixed_dictionaries(STREAMS | STREAM_TIMES)


@given(streams, st.floats(1, 100))
def test_streams_cost_less_with_larger_pieces_down_to_their_bytes(
    stream: dict[str, float], factor: float
) -> None:
    plain = streaming_consumption_us_per_gbit(**stream)
    for name in STREAMS:
        larger = stream | {name: factor * stream[name]}
        assert streaming_consumption_us_per_gbit(**larger) <= plain * (1 + CLOSE)
    bytes_alone = stream["time_per_byte_s"] * 1e6 / 8e-9
    assert plain >= bytes_alone * (1 - CLOSE)
    huge = streaming_consumption_us_per_gbit(**stream | dict.fromkeys(STREAMS, 1e24))
    assert huge == pytest.approx(bytes_alone, rel=CLOSE, abs=1e-9)


@given(streams, st.integers(1, 50))
def test_messages_of_full_segments_cost_what_the_stream_does(
    stream: dict[str, float], segment_count: int
) -> None:
    stream["message_bytes"] = segment_count * stream["segment_bytes"]
    message = {name: each for name, each in stream.items() if name != "segment_bytes"}
    unshared = dict.fromkeys(("time_per_wakeup_s", "time_per_interrupt_s", "time_per_ack_s"), 0)
    cpu_time_s = message_cpu_time_s(segment_count=segment_count, ack_count=0, **message, **unshared)
    assert consumption_us_per_gbit(cpu_time_s, 8 * stream["message_bytes"]) == close(
        streaming_consumption_us_per_gbit(**stream)
    )


@given(st.floats(1, 1e9), st.floats(1e-7, 1e-2))
def test_interrupts_come_no_faster_than_their_timer(rate_fps: float, timer_s: float) -> None:
    batch = frames_per_interrupt(rate_fps, timer_s)
    assert batch >= 1
    assert rate_fps / batch <= 1 / timer_s


@given(RATES, RATES, TIMES_S, TIMES_S, st.floats(0, 1e-2))
def test_batches_make_each_cheaper_and_all_together_dearer(
    first: float, second: float, alone_s: float, shared_s: float, timer_s: float
) -> None:
    slow, fast = sorted((first, second))
    at_slow = batched_cpu_time_s(slow, alone_s, shared_s, timer_s)
    at_fast = batched_cpu_time_s(fast, alone_s, shared_s, timer_s)
    assert alone_s <= at_fast <= at_slow <= alone_s + shared_s
    assert slow * at_slow <= fast * at_fast * (1 + CLOSE)
    assert at_fast == close(alone_s + shared_s / frames_per_interrupt(fast, timer_s))


@given(st.floats(1e-12, 1), st.floats(1e-12, 1), FRAME_TIMES_S, TIMES_S)
def test_polling_makes_each_cheaper_and_all_dearer_whatever_an_interrupt_costs(
    first: float, second: float, frame_s: float, interrupt_s: float
) -> None:
    """By hand: u = rate * (frame + interrupt * (1 - u)), solved for the utilisation u."""
    slow_fps, fast_fps = sorted((first / frame_s, second / frame_s))

    def busy_ratio(rate_fps: float) -> float:
        busy = rate_fps * (frame_s + interrupt_s) / (1 + rate_fps * interrupt_s)
        return min(1.0, busy)

    at_slow = polled_cpu_time_s(busy_ratio(slow_fps), frame_s, interrupt_s)
    at_fast = polled_cpu_time_s(busy_ratio(fast_fps), frame_s, interrupt_s)
    assert frame_s <= at_fast <= at_slow * (1 + CANCELLED)
    assert at_slow <= (frame_s + interrupt_s) * (1 + CANCELLED)
    assert fast_fps * at_fast == pytest.approx(busy_ratio(fast_fps), rel=CANCELLED)
    assert slow_fps * at_slow <= fast_fps * at_fast * (1 + CANCELLED)


@given(st.integers(1, 1000), TIMES_S)
def test_an_interrupt_serves_the_frames_of_a_busy_period(frames: int, interrupt_s: float) -> None:
    """Random arrivals: 1 / (1 - utilisation) frames, so that n come with utilisation 1 - 1/n."""
    shared_s = polled_cpu_time_s(1 - 1 / frames, 0, interrupt_s)
    assert shared_s == pytest.approx(interrupt_s / frames, rel=1e-9)


@st.composite
def busy(draw: st.DrawFn) -> tuple[float, float]:
    """Cores, and threads of them."""
    cores = draw(st.floats(1e-3, 1000))
    return cores, cores * draw(st.floats(1, 2))


@given(busy(), st.floats(0, 1), GAINS, GAINS)
def test_a_larger_gain_leaves_more_room(
    cores_threads: tuple[float, float], management: float, first: float, second: float
) -> None:
    cores, threads = cores_threads
    low, high = sorted((first, second))
    used = effective_core_count(cores, threads, management, low)
    assert used >= effective_core_count(cores, threads, management, high) * (1 - CLOSE)
    assert threads / 2 * (1 - CLOSE) <= used - management + CLOSE
    assert effective_core_count(cores, threads, management, 1) == close(cores + management)
    both = effective_core_count(cores, 2 * cores, management, high)
    assert both == close(cores + management)


NAMES = {f"time_per_{part}_s": f"per_{'frame' if part == 'packet' else part}_s" for part in PARTS}
"""What the parts are called as times of a stage."""


@given(
    st.tuples(coefficients, coefficients),
    st.tuples(shares, shares),
    st.tuples(st.integers(1, 100_000), st.integers(0, 100_000)),
    st.sampled_from([1500, 9000]),
    st.none() | st.integers(1, 45),
    st.booleans(),
)
def test_a_path_spends_what_a_message_takes_part_by_part(
    costs: tuple[dict[str, float], dict[str, float]],
    shared: tuple[dict[str, float], dict[str, float]],
    sizes_bytes: tuple[int, int],
    mtu_bytes: int,
    segments_per_ack: int | None,
    is_stream: bool,
) -> None:
    """What a client sends and receives, each with times of its own, in requests and streams."""
    client = [
        Stage(
            name=f"client{way}",
            **{way: Times(**{NAMES[name]: cost for name, cost in costs[number].items()})},  # type: ignore[arg-type]
            **shared[number],  # type: ignore[arg-type]
            parallel_count=None,
            pool="cpus",
        )
        for number, way in enumerate(("to_server", "to_client"))
    ]
    wire = Stage(name="wire", to_server=Times(per_byte_s=1e-9))
    path = Path(stages=(*client, wire), pools=(Pool("cpus", 1, Side.CLIENT),))
    traffic = Traffic(
        *sizes_bytes,
        waits=not is_stream,
        shares_segments=is_stream,
        segments_per_ack=segments_per_ack,
    )
    result = predict_path(path, traffic, mtu_bytes)
    segment_counts = [
        size / (mtu_bytes - 52) if is_stream else math.ceil(size / (mtu_bytes - 52))
        for size in sizes_bytes
    ]
    for number, way in enumerate(("to_server", "to_client")):
        answered = segment_counts[1 - number] / (segments_per_ack or math.inf)
        counted = {
            "message_bytes": sizes_bytes[number],
            "segment_count": segment_counts[number],
            "ack_count": answered if is_stream else math.ceil(answered),
        }
        many = dict(shared[number])
        if not is_stream:  # a message alone is at least one packet
            most = max(1, segment_counts[number])
            many["segments_per_packet"] = min(many["segments_per_packet"], most)
        terms = dict(result.demands[f"client{way}"])
        for name, part in NAMES.items():
            alone = dict.fromkeys(NAMES, 0.0) | {name: costs[number][name]}
            expected = message_cpu_time_s(**counted, **alone, **many)  # type: ignore[arg-type]
            if not sizes_bytes[number] and name != "time_per_ack_s":
                expected = 0  # no message goes this way
            got = terms.get(f"client{way}.{way}.{part}", 0)
            assert got == pytest.approx(expected, rel=1e-9), part
