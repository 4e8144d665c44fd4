"""Time of a frame: edges of its domain."""

import math

import pytest

from netmodel.ceilings import frame_time_segment, soft_minimum_rate_bps


def test_a_loose_bound_leaves_bytes_alone() -> None:
    """By hand: 1 s for 10 byte is at most 0.1 s a byte, whatever 20 byte may take."""
    segment = frame_time_segment(10, 1, 20, 1000)
    assert segment.most_per_byte.frame_time_s(20) == 2


@pytest.mark.parametrize(
    ("limits_bps", "least_bps"), [([1e9, math.nan], math.nan), ([1e-300, 1e300], 1e-300)]
)
def test_a_soft_minimum_of_nan_is_nan_and_does_not_overflow(
    limits_bps: list[float], least_bps: float
) -> None:
    for limits in (limits_bps, limits_bps[::-1]):
        assert soft_minimum_rate_bps(limits, 8) == pytest.approx(least_bps, nan_ok=True)
