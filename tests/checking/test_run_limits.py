"""Limits that a run reports of itself, and of its hosts."""

from typing import Any

import pytest
from runs import EVEN_CEILING_BPS, EVEN_LINE, having, run

from netmodel.checking import Outcome, SpecifiedLine, Verdict, check
from netmodel.consumption import Side
from netmodel.readers import CpuUse, Measurement


def test_more_busy_cpus_than_there_are_are_impossible() -> None:
    """16.5 CPUs of 8, and 3.8 of 4."""
    line = SpecifiedLine(line_rate_bps=10e9, mtu_bytes=1500)

    def judged(goodput_bps: float, busy: float, installed: int) -> Verdict:
        use = CpuUse(busy, goodput_bps, "system", Side.CLIENT, installed)
        return check(run(goodput_bps, protocol="tcp", cpu=(use,)), line)

    many = judged(0.721e9, 16.51, 8)
    assert many.outcome is Outcome.IMPOSSIBLE
    assert many.reason.startswith("client: 16.51 CPUs would be busy, of 8 that it has")
    assert judged(9.4e9, 3.8, 4).outcome is Outcome.AT_CEILING


# Window


def test_a_wire_that_is_full_through_a_window_with_queues_is_at_its_ceiling() -> None:
    message = {"peer_window_bytes": 3_000_000, "round_trip_s": 17.5e-3, "segment_bytes": 1448}
    full = run(EVEN_CEILING_BPS, duration_s=10.0, **message)
    assert check(full, EVEN_LINE).outcome is Outcome.AT_CEILING
    for least_s in (1e-3, 12e-3):  # at most 24 Gbit/s through it, and at most 2
        queued = having(full, least_round_trip_s=least_s)
        assert check(queued, EVEN_LINE).outcome is Outcome.AT_CEILING


# Frames


def frames(frame_rate_fps: float, wire_bytes: float = 1538.0, **reported: Any) -> Measurement:
    layer1_bps = 8 * wire_bytes * frame_rate_fps
    return run(None, frame_rate_fps=frame_rate_fps, layer1_rate_bps=layer1_bps, **reported)


def test_frames_are_judged_in_frames_per_second() -> None:
    """10 Gbit/s carry 812 743.8 frames of 1518 byte, and 20 byte around each, per second."""
    verdict = check(frames(812_700.0, duration_s=10.0), SpecifiedLine(10e9))
    assert verdict.outcome is Outcome.AT_CEILING
    assert (
        "812,700 frames/s is 0.9999 of the 812,744 frames/s that the wire carries" in verdict.reason
    )
    result = verdict.to_dict()
    assert (result["goodput_bps"], result["ceiling_bps"]) == (None, None)
    assert result["frame_rate_fps"] == 812_700.0
    assert result["ceiling_fps"] == pytest.approx(812_743.82)
    (wire,) = result["limits"]
    assert (wire["name"], set(wire)) == ("wire", {"name", "specified", "value_fps", "margin_ratio"})
    assert wire["value_fps"] == pytest.approx(812_743.82)
