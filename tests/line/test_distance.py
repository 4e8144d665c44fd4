"""TCP over a delayed line: cold starts, responses and loss beside what the formulas predict."""

import json
import shutil
from dataclasses import dataclass

import pytest
from line.delayed import DelayedLine
from line.lines import SIDES, Line
from line.tools import iperf3, netperf_requests
from line.trials import Judge

from netmodel.judging import Outcome, SpecifiedLine
from netmodel.transport import (
    burst_loss_event_ratio,
    cubic_payload_rate_bps,
    mathis_payload_rate_bps,
)

pytestmark = pytest.mark.line

LINE_RATE_BPS = 100_000_000
SEGMENT_BYTES, FRAME_BYTES, SHORTEST_FRAME_BYTES = 1448, 1538, 84
KIB = 1024


def round_trip_s(delay_s: float, frame_bytes: int = FRAME_BYTES) -> float:
    """Of a frame and its short answer on an idle line, without the hosts."""
    return 2 * delay_s + 8 * (frame_bytes + SHORTEST_FRAME_BYTES) / LINE_RATE_BPS


def use_reno(line: Line) -> None:
    """Let all connections of both ends use Reno: BBR, the default of some hosts, paces them."""
    for side in SIDES:
        line.run(side, ["sysctl", "-q", "-w", "net.ipv4.tcp_congestion_control=reno"])


# Requests and responses


@pytest.mark.skipif(shutil.which("netperf") is None, reason="netperf is not on the PATH")
@pytest.mark.parametrize(
    ("delay_s", "response_bytes"),
    [
        (25e-3, 12 * KIB),
        pytest.param(10e-3, 1, marks=pytest.mark.nightly),
        pytest.param(25e-3, 1, marks=pytest.mark.nightly),
        pytest.param(50e-3, 12 * KIB, marks=pytest.mark.nightly),
    ],
)
def test_a_response_takes_the_round_trip_and_its_time_on_the_line(
    delay_s: float, response_bytes: int
) -> None:
    """All segments of a response leave at once; hosts are not part of the prediction."""
    headers_bytes = FRAME_BYTES - SEGMENT_BYTES
    segment_count = -(-response_bytes // SEGMENT_BYTES)
    wire_bytes = max(SHORTEST_FRAME_BYTES, response_bytes + segment_count * headers_bytes)
    with DelayedLine(LINE_RATE_BPS, delay_s=delay_s) as line:
        use_reno(line)
        (rate_tps,) = netperf_requests(line, 1, 1, response_bytes, seconds=3)
    assert 1 / rate_tps == pytest.approx(round_trip_s(delay_s, wire_bytes), rel=0.05)


# Loss


@dataclass(frozen=True)
class Lossy:
    """Frames lost at random, or in bursts, and how long a run takes to lose many."""

    loss_ratio: float
    delay_s: float
    burst_frames: float = 1.0
    seconds: int = 5

    @property
    def name(self) -> str:
        return f"{self.loss_ratio:g}-{self.burst_frames:g}-{2e3 * self.delay_s:g}ms-{self.seconds}s"


RESPONSES = {"reno": mathis_payload_rate_bps, "cubic": cubic_payload_rate_bps}
SEVERAL = [
    pytest.param(Lossy(1e-3, 5e-3), "reno"),
    pytest.param(Lossy(1e-2, 10e-3), "cubic"),
    *(
        pytest.param(each, control, marks=pytest.mark.nightly)
        for control in RESPONSES
        for each in (
            Lossy(1e-3, 5e-3, seconds=30),
            Lossy(1e-2, 10e-3, seconds=30),
            Lossy(1e-4, 5e-3, seconds=60),
            Lossy(3e-3, 10e-3, seconds=30),
            Lossy(1e-3, 100e-3, seconds=90),
            Lossy(1e-2, 10e-3, burst_frames=3, seconds=30),
            Lossy(3e-3, 5e-3, burst_frames=3, seconds=30),
        )
    ),
]
FACTOR = 1.5


def predicted_with_loss_bps(lossy: Lossy, control: str) -> float:
    """The response to the loss events that the lost frames make in windows of its size."""
    trip_s = round_trip_s(lossy.delay_s)
    isolated_bps = RESPONSES[control](SEGMENT_BYTES, trip_s, lossy.loss_ratio)
    window_count = isolated_bps * trip_s / 8 / SEGMENT_BYTES
    burst_count = max(lossy.burst_frames, 1 / (1 - lossy.loss_ratio))
    event_ratio = burst_loss_event_ratio(lossy.loss_ratio, burst_count, window_count)
    return RESPONSES[control](SEGMENT_BYTES, trip_s, event_ratio)


@pytest.mark.parametrize(
    ("lossy", "control"), SEVERAL, ids=lambda each: getattr(each, "name", each)
)
def test_throughput_with_loss_follows_the_response_function(
    lossy: Lossy, control: str, judge: Judge
) -> None:
    """The same line loses the same frames again; and `check` names loss from retransmits alone."""
    with DelayedLine(
        LINE_RATE_BPS,
        delay_s=lossy.delay_s,
        loss_ratio=lossy.loss_ratio,
        burst_frames=lossy.burst_frames,
    ) as line:
        output = iperf3(line, "-C", control, seconds=lossy.seconds)
    assert json.loads(output)["end"]["sender_tcp_congestion"] == control
    verdict = judge(output, SpecifiedLine(LINE_RATE_BPS, 1500, timestamps=True))
    assert verdict.goodput_bps is not None
    predicted_bps = predicted_with_loss_bps(lossy, control)
    assert predicted_bps / FACTOR <= verdict.goodput_bps <= predicted_bps * FACTOR
    assert verdict.outcome is Outcome.LIMITED, verdict.reason
    assert verdict.binding is not None
    assert verdict.binding.name == "loss", verdict.reason
