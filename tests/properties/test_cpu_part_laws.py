"""Laws of CPU time part by part, of batches and of two threads on a core."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.consumption import (
    batched_cpu_time_s,
    consumption_us_per_gbit,
    effective_core_count,
    frames_per_interrupt,
    message_cpu_time_s,
    polled_cpu_time_s,
    streaming_consumption_us_per_gbit,
)

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


@given(counts, coefficients, shares)
def test_a_message_costs_the_sum_of_its_parts(
    counted: dict[str, int], costs: dict[str, float], shared: dict[str, float]
) -> None:
    alone = [
        message_cpu_time_s(**counted, **(dict.fromkeys(costs, 0.0) | {name: costs[name]}), **shared)
        for name in costs
    ]
    assert message_cpu_time_s(**counted, **costs, **shared) == close(sum(alone))


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
