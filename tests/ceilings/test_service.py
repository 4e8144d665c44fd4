"""Time of a frame: errors, and results to show."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from netmodel.ceilings import (
    FrameTimes,
    FrameTimeSegment,
    frame_time_segment,
    pipelined_payload_rate_bps,
    serial_payload_rate_bps,
    soft_minimum_rate_bps,
)
from netmodel.errors import DomainError


def test_a_loose_bound_leaves_bytes_alone() -> None:
    """By hand: 1 s for 10 byte is at most 0.1 s a byte, whatever 20 byte may take."""
    segment = frame_time_segment(10, 1, 20, 1000)
    assert segment.most_per_byte == FrameTimes(0, 0.1)


def test_only_the_segment_itself_has_points() -> None:
    segment = frame_time_segment(10, 2, 20, 3)
    assert segment.at(0.5) == FrameTimes(1.5, 0.05)
    assert FrameTimeSegment(FrameTimes(2, 0.25), FrameTimes(0, 0.75)).at(0.5) == FrameTimes(1, 0.5)
    for share, rule in ((-0.1, "at least 0"), (1.1, "at most 1")):
        with pytest.raises(DomainError, match=f"^share_ratio must be {rule}; got {share}$"):
            segment.at(share)


def test_a_segment_shows_itself() -> None:
    segment = frame_time_segment(10, 2e-6, 20, 3e-6)
    assert segment.to_dict() == {
        "all_per_frame": {"time_per_frame_s": 2e-6, "time_per_byte_s": 0},
        "most_per_byte": {
            "time_per_frame_s": segment.most_per_byte.time_per_frame_s,
            "time_per_byte_s": segment.most_per_byte.time_per_byte_s,
        },
    }
    shown = segment._repr_html_()
    assert "2 µs a frame, 0 ns a byte" in shown
    assert "1 µs a frame, 100 ns a byte" in shown
    arrays = frame_time_segment(10, np.array([2e-6, 1e-6]), 20, 3e-6)
    assert "1, 0 µs a frame, 100, 100 ns a byte" in arrays._repr_html_()
    symbol = sympy.Symbol("t", positive=True)
    assert "t" in frame_time_segment(10, symbol, 20, 2 * symbol)._repr_html_()


def test_a_soft_minimum_of_nan_is_nan_and_does_not_overflow() -> None:
    assert math.isnan(soft_minimum_rate_bps([1e9, math.nan], 8))
    assert math.isnan(soft_minimum_rate_bps([math.nan, 1e9], 8))
    assert soft_minimum_rate_bps([1e-300, 1e300], 50) == 1e-300
    assert soft_minimum_rate_bps([1e300, 1e-300], 50) == 1e-300


@pytest.mark.parametrize("formula", [pipelined_payload_rate_bps, serial_payload_rate_bps])
def test_payload_does_not_exceed_its_frame(formula: Callable[..., Any]) -> None:
    with pytest.raises(DomainError, match=r"^payload_bytes must be at most 1448 byte; got 1538$"):
        formula(25e9, 1538, 1448, 0)
