"""TCP over a delayed line: cold starts, responses and loss beside what the formulas predict."""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest
from line.delayed import QUEUE_BYTES, DelayedLine
from line.lines import SIDES, Line, priority
from line.tools import iperf3, netperf_response
from line.trials import Judge
from runs import check_file

from netmodel.checking import Outcome, SpecifiedLine
from netmodel.transport import (
    burst_loss_event_ratio,
    cubic_payload_rate_bps,
    mathis_payload_rate_bps,
    short_transfer_time_s,
)

pytestmark = pytest.mark.line

LINE_RATE_BPS = 100_000_000
SEGMENT_BYTES, FRAME_BYTES, SHORTEST_FRAME_BYTES = 1448, 1538, 84
PAYLOAD_RATE_BPS = LINE_RATE_BPS * SEGMENT_BYTES / FRAME_BYTES
FETCH = [sys.executable, "-I", str(Path(__file__).with_name("fetch.py"))]
FETCH_PORT = "7000"
FETCH_COUNT = 3
KIB = 1024


def round_trip_s(delay_s: float, frame_bytes: int = FRAME_BYTES) -> float:
    """Of a frame and its short answer on an idle line, without the hosts."""
    return 2 * delay_s + 8 * (frame_bytes + SHORTEST_FRAME_BYTES) / LINE_RATE_BPS


# Cold starts


def use_reno(line: Line) -> None:
    """Let all connections of both ends use Reno: BBR, the default of some hosts, paces them."""
    for side in SIDES:
        line.run(side, ["sysctl", "-q", "-w", "net.ipv4.tcp_congestion_control=reno"])


def fetch_times_s(line: Line, size_bytes: int) -> list[float]:
    """Return the times of several fetches, each over a connection of its own."""
    there = [line.address("server"), FETCH_PORT]
    command = [*priority(), *FETCH, "fetch", *there, str(size_bytes), str(FETCH_COUNT)]
    return [float(text) for text in line.run("client", command).split()]


@pytest.mark.parametrize(
    "delay_s", [10e-3, pytest.param(50e-3, marks=pytest.mark.nightly)], ids=["20ms", "100ms"]
)
def test_a_transfer_from_a_cold_start_takes_the_predicted_time(delay_s: float) -> None:
    """Of 64 KiB to 4 MiB; the first of three also asks for the address of the other end."""
    # there and back of short frames: the formula adds the time of a segment
    trip_s = round_trip_s(delay_s, SHORTEST_FRAME_BYTES)
    with DelayedLine(LINE_RATE_BPS, delay_s=delay_s) as line:
        use_reno(line)
        serve = [*FETCH, "serve", line.address("server"), FETCH_PORT]
        with line.server(serve, int(FETCH_PORT)):
            for size_bytes in (64 * KIB, 256 * KIB, 1024 * KIB, 4096 * KIB):
                measured_s = median(fetch_times_s(line, size_bytes))
                predicted_s = short_transfer_time_s(size_bytes, PAYLOAD_RATE_BPS, trip_s)
                assert measured_s == pytest.approx(predicted_s, rel=0.15), size_bytes
                assert abs(measured_s - predicted_s) < trip_s, size_bytes


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
    delay_s: float, response_bytes: int, tmp_path: Path
) -> None:
    """All segments of a response leave at once; hosts are not part of the prediction."""
    headers_bytes = FRAME_BYTES - SEGMENT_BYTES
    segment_count = -(-response_bytes // SEGMENT_BYTES)
    wire_bytes = max(SHORTEST_FRAME_BYTES, response_bytes + segment_count * headers_bytes)
    predicted_s = round_trip_s(delay_s, wire_bytes)
    with DelayedLine(LINE_RATE_BPS, delay_s=delay_s) as line:
        use_reno(line)
        output = netperf_response(line, response_bytes, seconds=3)
    run_file = tmp_path / "netperf.txt"
    run_file.write_bytes(output)
    (verdict,) = check_file(run_file, SpecifiedLine(LINE_RATE_BPS, 1500, round_trip_s=2 * delay_s))
    assert verdict.measurement is not None
    assert verdict.measurement.transaction_time_s == pytest.approx(predicted_s, rel=0.05)
    assert any("a transaction takes" in note for note in verdict.notes)


# Loss


@dataclass(frozen=True)
class Lossy:
    """
    Frames lost at random, or in bursts, and how long a run takes to lose many.

    With rare loss, slow start fills the queue of the line, and many losses pass until the window
    is what they allow: such a line has a short queue, and the run leaves out more of its start.
    """

    loss_ratio: float
    delay_s: float
    burst_frames: float = 1.0
    seconds: int = 5
    omitted_s: int = 1
    queue_bytes: int = QUEUE_BYTES

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
            Lossy(1e-4, 20e-3, seconds=60, omitted_s=8, queue_bytes=100_000),
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
        queue_bytes=lossy.queue_bytes,
        loss_ratio=lossy.loss_ratio,
        burst_frames=lossy.burst_frames,
    ) as line:
        omit = ("-O", str(lossy.omitted_s))
        output = iperf3(line, "-C", control, *omit, seconds=lossy.seconds)
    assert json.loads(output)["end"]["sender_tcp_congestion"] == control
    verdict = judge(output, SpecifiedLine(LINE_RATE_BPS, 1500, timestamps=True))
    assert verdict.goodput_bps is not None
    predicted_bps = predicted_with_loss_bps(lossy, control)
    assert predicted_bps / FACTOR <= verdict.goodput_bps <= predicted_bps * FACTOR
    assert verdict.outcome is Outcome.LIMITED, verdict.reason
    assert verdict.binding is not None
    assert verdict.binding.name == "loss", verdict.reason
