"""Limits that a run reports of itself, and of its hosts."""

import dataclasses
from typing import Any

import pytest
from runs import EVEN_CEILING_BPS, EVEN_LINE, run

from netmodel.checking import Outcome, SpecifiedLine, Verdict, check
from netmodel.checking._run_limits import run_limits
from netmodel.checking.limits import Limit
from netmodel.consumption import CpuScope, Side
from netmodel.readers import CpuUse, Measurement


def limit(
    measurement: Measurement, name: str, specified: SpecifiedLine = EVEN_LINE
) -> Limit | None:
    result = {each.name: each for each in run_limits(measurement, specified).limits}
    return result.get(name)


def test_more_busy_cpus_than_there_are_are_impossible() -> None:
    """16.5 CPUs of 8, and 3.8 of 4."""
    line = SpecifiedLine(line_rate_bps=10e9, mtu_bytes=1500)

    def judged(goodput_bps: float, busy: float, installed: int) -> Verdict:
        use = CpuUse(busy, goodput_bps, CpuScope.SYSTEM, Side.CLIENT, installed)
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
    queued = dataclasses.replace(full, least_round_trip_s=1e-3)
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


def test_the_smallest_frames_are_judged_as_they_are() -> None:
    """RFC 2544: 1 488 095 frames of 64 byte per second on 1 Gbit/s."""
    verdict = check(frames(1_488_095.0, wire_bytes=84.0, duration_s=60.0), SpecifiedLine(1e9))
    assert verdict.outcome is Outcome.AT_CEILING
    assert verdict.to_dict()["ceiling_fps"] == pytest.approx(1_488_095.24, rel=1e-8)


def test_a_version_of_thousands_of_digits_is_no_version() -> None:
    """Python turns no text of more than 4300 digits into a number."""
    process = CpuUse(0.99, 1e9, CpuScope.PROCESS, Side.CLIENT)
    run = Measurement(
        source="a.json",
        sha256="",
        tool="iperf3",
        tool_version="3" * 5001 + ".1",
        protocol="tcp",
        goodput_bps=1e9,
        stream_count=8,
        cpu=(process,),
    )
    limits = run_limits(run, SpecifiedLine(25e9, mtu_bytes=1500))
    assert "client_process" not in {limit.name for limit in limits.reported}
