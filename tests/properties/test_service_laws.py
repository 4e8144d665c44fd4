"""Laws of a stage with a time per frame and byte, for any times and line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.ceilings import (
    frame_rate_of_payload_fps,
    frame_time_of_rate_s,
    frame_time_segment,
    layer_rate_bps,
    pipelined_payload_rate_bps,
    serial_payload_rate_bps,
    shared_engine_payload_rate_bps,
    shared_engine_utilisation_ratio,
    soft_minimum_rate_bps,
    stage_payload_rate_bps,
)

CLOSE = 1e-12
PAYLOADS_BYTES = st.integers(1, 65535)
OVERHEADS_BYTES = st.integers(38, 300)
TIMES_S = st.floats(1e-9, 1e-3)
RATES_BPS = st.floats(1e6, 1e12)
SHARPNESSES = st.floats(0.5, 50)


def close(expected: float) -> object:
    return pytest.approx(expected, rel=CLOSE)


@given(RATES_BPS, PAYLOADS_BYTES)
def test_a_printed_limit_comes_back(rate_bps: float, payload_bytes: int) -> None:
    time_s = frame_time_of_rate_s(rate_bps, payload_bytes)
    assert stage_payload_rate_bps(payload_bytes, time_s) == close(rate_bps)
    assert frame_rate_of_payload_fps(rate_bps, payload_bytes) * time_s == close(1)


@given(RATES_BPS, PAYLOADS_BYTES, OVERHEADS_BYTES, TIMES_S)
def test_a_pipeline_has_the_smaller_rate_and_a_serial_device_at_least_half(
    line_rate_bps: float, payload_bytes: int, overhead_bytes: int, time_s: float
) -> None:
    wire_bytes = payload_bytes + overhead_bytes
    line = layer_rate_bps(line_rate_bps, payload_bytes, wire_bytes)
    stage = stage_payload_rate_bps(payload_bytes, time_s)
    pipelined = pipelined_payload_rate_bps(line_rate_bps, payload_bytes, wire_bytes, time_s)
    serial = serial_payload_rate_bps(line_rate_bps, payload_bytes, wire_bytes, time_s)
    assert pipelined == close(min(line, stage))
    assert pipelined / 2 * (1 - CLOSE) <= serial < pipelined
    assert serial == close(soft_minimum_rate_bps([line, stage], 1))


@given(RATES_BPS, RATES_BPS, PAYLOADS_BYTES)
def test_a_shared_engine_is_full_at_its_rate(
    in_bps: float, out_bps: float, payload_bytes: int
) -> None:
    each_way_bps = shared_engine_payload_rate_bps(in_bps, out_bps)
    assert min(in_bps, out_bps) / 2 * (1 - CLOSE) <= each_way_bps < min(in_bps, out_bps)
    assert each_way_bps == shared_engine_payload_rate_bps(out_bps, in_bps)
    frames_fps = frame_rate_of_payload_fps(each_way_bps, payload_bytes)
    in_s = frame_time_of_rate_s(in_bps, payload_bytes)
    out_s = frame_time_of_rate_s(out_bps, payload_bytes)
    assert shared_engine_utilisation_ratio(frames_fps, in_s, frames_fps, out_s) == close(1)


@given(st.lists(RATES_BPS, min_size=1, max_size=6), SHARPNESSES, SHARPNESSES)
def test_a_soft_minimum_stays_near_the_minimum(
    limits_bps: list[float], first: float, second: float
) -> None:
    blunt, sharp = sorted((first, second))
    soft = soft_minimum_rate_bps(limits_bps, blunt)
    assert soft <= min(limits_bps) * (1 + CLOSE)
    assert soft >= len(limits_bps) ** (-1 / blunt) * min(limits_bps) * (1 - CLOSE)
    assert soft <= soft_minimum_rate_bps(limits_bps, sharp) * (1 + CLOSE)
    assert soft_minimum_rate_bps(limits_bps[::-1], blunt) == close(soft)
    assert soft_minimum_rate_bps([2 * limit for limit in limits_bps], blunt) == close(2 * soft)


@st.composite
def segments(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """A payload with its time, and a larger one with a bound."""
    payload_bytes = draw(st.integers(1, 9000))
    time_s = draw(st.floats(1e-8, 1e-4))
    censored_bytes = payload_bytes + draw(st.integers(1, 60000))
    return payload_bytes, time_s, censored_bytes, time_s * draw(st.floats(1, 20))


@given(segments())
def test_both_ends_of_a_segment_reproduce_both_observations(
    given_: tuple[float, float, float, float],
) -> None:
    payload_bytes, time_s, censored_bytes, bound_s = given_
    segment = frame_time_segment(*given_)
    for times in (segment.all_per_frame, segment.most_per_byte):
        assert times.time_per_frame_s >= 0
        assert times.time_per_byte_s >= 0
        assert times.frame_time_s(payload_bytes) == close(time_s)
        assert times.frame_time_s(censored_bytes) <= bound_s * (1 + CLOSE)


@given(segments(), st.floats(0, 1))
def test_a_tighter_bound_shortens_the_segment(
    given_: tuple[float, float, float, float], share: float
) -> None:
    payload_bytes, time_s, censored_bytes, bound_s = given_
    tighter = frame_time_segment(
        payload_bytes, time_s, censored_bytes, time_s + share * (bound_s - time_s)
    )
    most = frame_time_segment(*given_).most_per_byte.time_per_byte_s
    assert tighter.most_per_byte.time_per_byte_s <= most * (1 + CLOSE)
    closed = frame_time_segment(payload_bytes, time_s, censored_bytes, time_s)
    assert closed.most_per_byte == closed.all_per_frame
