"""Time that an adapter takes for a frame: published limits, and what is worked out from them."""

import pytest
from approximate import digits

from netmodel.ceilings import (
    FrameTimeSegment,
    frame_rate_of_payload_fps,
    frame_time_of_rate_s,
    frame_time_segment,
    pipelined_payload_rate_bps,
    shared_engine_payload_rate_bps,
    shared_engine_utilisation_ratio,
    stage_payload_rate_bps,
    wire_time_s,
)

IN_BPS, OUT_BPS, ROUNDING_BPS = 13.4e9, 20.5e9, 0.05e9
"""OSA-Express7S at MTU 1500: N. Hoppmann (2021), slide 35."""
SEGMENT_BYTES, JUMBO_SEGMENT_BYTES = 1448, 8948
LINE_BPS = 25e9


def segment_of(rate_bps: float) -> FrameTimeSegment:
    """The limit at MTU 1500, and line speed at MTU 9000 (slide 30)."""
    return frame_time_segment(
        SEGMENT_BYTES,
        frame_time_of_rate_s(rate_bps, SEGMENT_BYTES),
        JUMBO_SEGMENT_BYTES,
        wire_time_s(LINE_BPS, 9038),
    )


def test_one_engine_for_both_directions() -> None:
    """By hand: 13.4 * 20.5 / 33.9 = 8.103245 Gbit/s in each direction keep it busy all the time."""
    each_way_bps = shared_engine_payload_rate_bps(IN_BPS, OUT_BPS)
    assert each_way_bps / 1e9 == digits(8.103245, 6)
    frames_fps = frame_rate_of_payload_fps(each_way_bps, SEGMENT_BYTES)
    times_s = (frame_time_of_rate_s(rate_bps, SEGMENT_BYTES) for rate_bps in (IN_BPS, OUT_BPS))
    in_s, out_s = times_s
    assert shared_engine_utilisation_ratio(frames_fps, in_s, frames_fps, out_s) == pytest.approx(
        1, rel=1e-12
    )


@pytest.mark.parametrize(
    ("rate_bps", "most_ns", "least_us", "most_us", "most_mfps", "least_gbps"),
    [
        (IN_BPS, 0.270358, 0.473000, 0.864478, 2.114166, 29.590),
        (OUT_BPS, 0.310278, 0.115790, 0.565073, 8.636304, 25.783),
    ],
)
def test_ends_of_what_two_mtus_allow(
    rate_bps: float,
    most_ns: float,
    least_us: float,
    most_us: float,
    most_mfps: float,
    least_gbps: float,
) -> None:
    """By hand: (2.89216 - t) / 7500, t - 1448 of that, and their reciprocals."""
    segment = segment_of(rate_bps)
    first, last = segment.all_per_frame, segment.most_per_byte
    assert first.time_per_byte_s == 0
    assert first.time_per_frame_s * 1e6 == digits(most_us, 6)
    assert last.time_per_byte_s * 1e9 == digits(most_ns, 6)
    assert last.time_per_frame_s * 1e6 == digits(least_us, 6)
    assert 1e-6 / last.time_per_frame_s == digits(most_mfps, 6)
    assert 8e-9 / last.time_per_byte_s == digits(least_gbps, 3)


@pytest.mark.parametrize(
    ("mtu_bytes", "high_gbps", "low_gbps"),
    [
        (2000, 18.027, 15.589),
        (3000, 24.259, 18.570),
        (4000, 24.443, 20.504),
        (6000, 24.627, 22.865),
    ],
)
def test_what_a_third_mtu_would_show(mtu_bytes: int, high_gbps: float, low_gbps: float) -> None:
    """By hand, from both ends of the segment: min(8 D / (a + b D), 25 D / (D + 90))."""
    payload_bytes = mtu_bytes - 52
    segment = segment_of(IN_BPS)
    rates = [
        pipelined_payload_rate_bps(
            LINE_BPS, payload_bytes, mtu_bytes + 38, times.frame_time_s(payload_bytes)
        )
        for times in (segment.all_per_frame, segment.most_per_byte)
    ]
    assert [rate / 1e9 for rate in rates] == [digits(high_gbps, 3), digits(low_gbps, 3)]


@pytest.mark.parametrize(("rate_bps", "first_mtu_bytes"), [(IN_BPS, 2664), (OUT_BPS, 1728)])
def test_where_a_limit_of_frames_meets_the_line(rate_bps: float, first_mtu_bytes: int) -> None:
    """By hand: 25 * t / 8 - 38 is 2663.49 in and 1727.85 out."""

    def line_binds(mtu_bytes: int) -> bool:
        payload_bytes, wire_bytes = mtu_bytes - 52, mtu_bytes + 38
        stage_s = frame_time_of_rate_s(rate_bps, SEGMENT_BYTES)
        rate = pipelined_payload_rate_bps(LINE_BPS, payload_bytes, wire_bytes, stage_s)
        return bool(rate < stage_payload_rate_bps(payload_bytes, stage_s))

    assert not line_binds(first_mtu_bytes - 1)
    assert line_binds(first_mtu_bytes)


def test_responses_of_1000_bytes() -> None:
    """By hand: 1 / (a + 1000 b) at both ends, 1.157 and 1.345 million a second."""
    segment = segment_of(IN_BPS)
    assert segment.all_per_frame.payload_rate_bps(1000) / 8e9 == digits(1.157, 3)
    assert segment.most_per_byte.payload_rate_bps(1000) / 8e9 == digits(1.345, 3)


def test_responses_of_30_kib_held_out() -> None:
    """22 frames, 21 of them full: 12.922 to 13.134 Gbit/s; N. Hoppmann (2021), slide 22: 13."""
    segment = segment_of(IN_BPS)
    rates_gbps = [
        8e-9
        * 30720
        / (21 * times.frame_time_s(SEGMENT_BYTES) + times.frame_time_s(30720 - 21 * SEGMENT_BYTES))
        for times in (segment.all_per_frame, segment.most_per_byte)
    ]
    assert rates_gbps == [digits(12.922, 3), digits(13.134, 3)]
    slowest, fastest = (
        frame_rate_of_payload_fps(IN_BPS + off, SEGMENT_BYTES) / 22 * 30720 * 8e-9
        for off in (-ROUNDING_BPS, ROUNDING_BPS)
    )
    assert (slowest, fastest) == (digits(12.874, 3), digits(12.970, 3))
