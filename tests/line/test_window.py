"""Where a window is too small for the round trip, the run is limited by it and does not pass."""

from dataclasses import dataclass
from typing import Any

import pytest
from line.delayed import DelayedLine
from line.tools import iperf3
from line.trials import Judge, assert_limited_by, ratio, steady

from netmodel.checking import SpecifiedLine, Verdict
from netmodel.transport import window_payload_rate_bps

pytestmark = pytest.mark.line

LINE_RATE_BPS = 50_000_000
STATED = SpecifiedLine(LINE_RATE_BPS, 1500, timestamps=True)
FULL_FRAME_BYTES = 1538
LEAST_FRAME_BYTES = 84
QUEUED_S = 3e-3
TOLERANCE_RATIO = 0.05
"""The acknowledgement of two segments shows what the window is before they are read: now and then
it is smaller by them than the largest, which is what iperf3 prints."""
LEAST_STARTED = 0.86
"""0.92 of the window, less four of the 50 round trips of 5 s."""


@dataclass(frozen=True)
class Window:
    """What ``-w`` asks for, and a delay across which that is less than the line could carry."""

    asked: str
    delay_s: float

    @property
    def name(self) -> str:
        return f"{self.asked}-{self.delay_s * 1e3:g}ms"


WINDOWS = [
    Window("32K", 5e-3),
    Window("64K", 10e-3),
    Window("128K", 20e-3),
    pytest.param(Window("16K", 5e-3), marks=pytest.mark.nightly),
]


def output(window: Window, *arguments: str) -> bytes:
    with DelayedLine(LINE_RATE_BPS, delay_s=window.delay_s) as line:
        return iperf3(line, "-w", window.asked, *arguments)


def window_limit(verdict: Verdict) -> Any:
    """The window, which limits the run, and of which no other line is guessed."""
    assert_limited_by("window", verdict)
    assert "a line of" not in verdict.reason
    assert verdict.binding is not None
    return verdict.binding


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: window.name)
def test_the_window_that_the_peer_advertised_limits(window: Window, judge: Judge) -> None:
    verdict = steady(lambda: judge(output(window), STATED), 1 - TOLERANCE_RATIO)
    limit, run = window_limit(verdict), verdict.measurement
    assert run is not None
    assert run.tcp.peer_window_bytes is not None
    assert run.tcp.round_trip_s is not None
    assert limit.value_bps == pytest.approx(
        window_payload_rate_bps(run.tcp.peer_window_bytes, run.tcp.round_trip_s)
    )
    assert ratio(verdict) == pytest.approx(1, abs=TOLERANCE_RATIO)
    assert round_trip_s(window) < run.tcp.round_trip_s < round_trip_s(window) + QUEUED_S


def test_a_run_with_its_slow_start_is_limited_by_its_window(judge: Judge) -> None:
    """Four round trips of 100 ms until the window is full are a part of 5 s."""
    with DelayedLine(LINE_RATE_BPS, delay_s=50e-3) as line:
        arguments = ("-w", "128K", "-O", "0")
        verdict = steady(lambda: judge(iperf3(line, *arguments, seconds=5), STATED), LEAST_STARTED)
    limit = window_limit(verdict)
    assert limit.low_bps is not None
    assert verdict.goodput_bps is not None
    assert limit.low_bps <= verdict.goodput_bps <= limit.value_bps


def round_trip_s(window: Window) -> float:
    """Of two full frames and the acknowledgement that they cause, on an idle line."""
    return 2 * window.delay_s + 8 * (2 * FULL_FRAME_BYTES + LEAST_FRAME_BYTES) / LINE_RATE_BPS
