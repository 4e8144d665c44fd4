"""Time that an adapter takes for a frame: published limits, and what is worked out from them."""

import pytest
from approximate import digits

from netmodel.ceilings import (
    FrameTimeSegment,
    frame_time_of_rate_s,
    frame_time_segment,
    wire_time_s,
)

IN_BPS, OUT_BPS = 13.4e9, 20.5e9
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
