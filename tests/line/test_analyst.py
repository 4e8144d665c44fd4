"""Real runs, each with the verdict that an analyst would give who knows how it was made."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from line import tools
from line.delayed import DelayedLine
from line.emulated import EmulatedLine
from line.lines import IpVersion, Line
from line.tools import iperf3, iperf3_both_ends, skip_without
from line.trials import (
    LEAST_RATIO,
    Judge,
    assert_at_ceiling,
    assert_has_warning,
    assert_limited_by,
    steady,
    steady_directions,
)

from netmodel.ceilings import ByteLayer, Capacity
from netmodel.checking import Gate, Outcome, SpecifiedLine, Verdict, check_results, pooled
from netmodel.readers import find_results

pytestmark = pytest.mark.line
nightly = pytest.mark.nightly

LINE_RATE_BPS = 200_000_000
STATED = SpecifiedLine(LINE_RATE_BPS, 1500)
WITHOUT_MTU = SpecifiedLine(LINE_RATE_BPS)
OFFERED_BPS = 50e6
SMALL_LINE_RATE_BPS = 20_000_000
"""19,000 frames per second with 64 byte each are what two cores keep up with."""
DELAYED_RATE_BPS = 50_000_000
DISTANT = SpecifiedLine(DELAYED_RATE_BPS, 1500, timestamps=True)
SEND_BUFFER_BYTES = 256 * 1024


@pytest.fixture(scope="module")
def line() -> Iterator[EmulatedLine]:
    """The line of most runs: MTU 1500, TCP timestamps."""
    with EmulatedLine(LINE_RATE_BPS) as line:
        yield line


@pytest.fixture(scope="module")
def distant() -> Iterator[DelayedLine]:
    """A line as long as some 1,600 km of fibre."""
    with DelayedLine(DELAYED_RATE_BPS, delay_s=7.95e-3) as line:
        yield line


@pytest.fixture(scope="module")
def unshaped() -> Iterator[DelayedLine]:
    """No token bucket lets the start of a run through faster than the line.

    A small socket buffer keeps the queue before the line short.
    """
    with DelayedLine(DELAYED_RATE_BPS, delay_s=100e-6) as line:
        tools.limit_send_buffer(line, SEND_BUFFER_BYTES)
        yield line


@dataclass
class Recorded:
    """A run that no stall of the machine held up, to be judged in several ways."""

    output: bytes
    verdict: Verdict


def recorded(
    measure: Callable[[], bytes],
    judge: Judge,
    stated: SpecifiedLine = STATED,
    least_ratio: float = LEAST_RATIO,
) -> Recorded:
    outputs = {}

    def judged() -> Verdict:
        output = measure()
        verdict = judge(output, stated)
        outputs[verdict.file] = output
        return verdict

    verdict = steady(judged, least_ratio)
    return Recorded(outputs[verdict.file], verdict)


def test_tcp_that_fills_its_line(line: Line, judge: Judge) -> None:
    run = recorded(lambda: iperf3(line), judge)
    assert_at_ceiling(run.verdict)
    alone = judge(run.output, WITHOUT_MTU, case="no MTU")
    assert_at_ceiling(alone)
    assert_has_warning(alone, "no MTU specified")
    assert_limited_by("segment_size", judge(run.output, replace(STATED, mtu_bytes=9000)))
    twice = judge(run.output, replace(STATED, line_rate_bps=2 * LINE_RATE_BPS), case="twice")
    assert twice.outcome is Outcome.BELOW, twice.reason
    half = judge(run.output, replace(STATED, line_rate_bps=LINE_RATE_BPS / 2), case="half")
    assert half.outcome is Outcome.IMPOSSIBLE, half.reason


def test_tcp_that_keeps_to_a_rate(line: Line, judge: Judge) -> None:
    run = recorded(lambda: iperf3(line, "-b", "50M"), judge)
    assert_limited_by("offered_rate", run.verdict)
    gate = Gate(accepted=frozenset({"offered_rate"}))
    assert judge(run.output, STATED, gate, case="accepted").passes
    assert not judge(run.output, STATED, Gate(accepted=frozenset({"window"}))).passes
    capped = judge(
        run.output,
        replace(STATED, capacities=(Capacity(OFFERED_BPS, layer=ByteLayer.PAYLOAD),)),
        case="cap",
    )
    assert capped.outcome is Outcome.AT_CEILING, capped.reason
    assert capped.binding is not None
    assert capped.binding.name == "rate_cap"


@pytest.mark.parametrize(
    "arguments",
    [
        "-u -b 50M",
        pytest.param("-u -b 50M -R", marks=nightly),
        pytest.param("-b 180M", marks=nightly),
        pytest.param("-b 180M -R", marks=nightly),
        pytest.param("-b 10M -P 4", marks=nightly),
    ],
)
def test_a_run_that_keeps_to_a_rate(arguments: str, line: Line, judge: Judge) -> None:
    """Even 180 Mbit/s, which is 0.955 of what TCP could have carried."""
    run = recorded(lambda: iperf3(line, *arguments.split()), judge)
    assert_limited_by("offered_rate", run.verdict)
    assert_limited_by("offered_rate", judge(run.output, WITHOUT_MTU, case="no MTU"))


@pytest.mark.parametrize("ip_version", [6, pytest.param(4, marks=nightly)])
def test_no_timestamps(ip_version: IpVersion, judge: Judge) -> None:
    """Left open they are seen; specified wrongly the run has 0.8 % too much, and never passes."""
    with EmulatedLine(LINE_RATE_BPS, timestamps=False) as line:
        run = recorded(lambda: iperf3(line, ip_version=ip_version), judge)
    assert_at_ceiling(run.verdict)
    assert_has_warning(run.verdict, "no TCP timestamps")
    assert_at_ceiling(judge(run.output, replace(STATED, timestamps=False), case="specified"))
    wrong = judge(run.output, replace(STATED, timestamps=True), case="wrong")
    assert wrong.outcome in {Outcome.IMPOSSIBLE, Outcome.NOT_JUDGEABLE}, wrong.reason
    assert "timestamps" in wrong.reason


def test_small_datagrams_fill_a_line_with_their_frames(judge: Judge) -> None:
    """64 byte of payload take 130 on the wire: half of the line rate is all of the line."""
    specified = SpecifiedLine(SMALL_LINE_RATE_BPS, 1500)
    with EmulatedLine(SMALL_LINE_RATE_BPS) as line:
        run = recorded(lambda: iperf3(line, "-u", "-b", "0", "-l", "64"), judge, specified)
    assert_at_ceiling(run.verdict)
    assert run.verdict.ceiling_bps == pytest.approx(SMALL_LINE_RATE_BPS * 64 / 130)


def test_a_reverse_run_never_passes_at_a_larger_mtu(judge: Judge) -> None:
    """MTU 4000 carries 0.9875 of what 9000 would: within a tolerance that a short run may have."""
    specified = SpecifiedLine(LINE_RATE_BPS, 4000)
    with EmulatedLine(LINE_RATE_BPS, 4000) as line:
        run = recorded(lambda: iperf3(line, "-R"), judge, specified)
    assert_at_ceiling(run.verdict)
    wrong = judge(run.output, replace(specified, mtu_bytes=9000), case="MTU 9000")
    assert_limited_by("segment_size", wrong)
    assert_has_warning(wrong, "contradict MTU 9000")
    alone = judge(run.output, WITHOUT_MTU, case="no MTU")
    assert_at_ceiling(alone)
    assert_has_warning(alone, "no MTU specified")


def test_segments_that_were_asked_to_be_small(line: Line, judge: Judge) -> None:
    run = recorded(lambda: iperf3(line, "-M", "1000"), judge)
    assert_limited_by("segment_size", run.verdict)
    assert_at_ceiling(judge(run.output, WITHOUT_MTU, case="no MTU"))


@nightly  # a slow machine leaves both at 0.85 to 0.93, where nothing is judged
def test_both_directions_fill_their_line_but_for_acknowledgements(line: Line, judge: Judge) -> None:
    """One for each segment would take 5.5 % of the ceiling; Linux sends fewer."""
    both = steady_directions(lambda: judge.directions(iperf3(line, "--bidir"), STATED), 0.955)
    for verdict in both:
        assert_at_ceiling(verdict)
        assert_has_warning(verdict, "acknowledgements leave")


def test_repeats_get_the_same_verdict(line: Line, judge: Judge) -> None:
    verdicts = [steady(lambda: judge(iperf3(line, seconds=1), STATED)) for _ in range(3)]
    assert_at_ceiling(*verdicts)
    (mean,) = judge.kept(pooled(verdicts), case="mean")
    assert mean.outcome is Outcome.AT_CEILING, mean.reason


@pytest.mark.parametrize(
    "arguments", ["", pytest.param("-R", marks=nightly), pytest.param("-u -b 50M", marks=nightly)]
)
def test_both_ends_of_a_run_are_one_verdict(
    arguments: str, line: Line, judge: Judge, tmp_path: Path
) -> None:
    client, server = iperf3_both_ends(line, *arguments.split())
    directory = tmp_path / "ends"
    directory.mkdir()
    (directory / "client.json").write_bytes(client)
    (directory / "server.json").write_bytes(server)
    (verdict,) = judge.kept(check_results(find_results([directory]), STATED))
    receiver = "client" if "-R" in arguments else "server"
    assert verdict.file == str(directory / f"{receiver}.json")
    assert_has_warning(verdict, "joined with")
    if "-b" in arguments:
        assert_limited_by("offered_rate", verdict)
    else:
        assert_at_ceiling(verdict)


def test_a_window_over_a_distance_is_no_other_line(distant: Line, judge: Judge) -> None:
    """It lets through 9.3 Mbit/s, which is what a line of 10 Mbit/s would carry."""
    run = recorded(lambda: iperf3(distant, "-w", "16K"), judge, DISTANT, 0.95)
    assert_limited_by("window", run.verdict)
    assert "a line of" not in run.verdict.reason
    assert run.verdict.goodput_bps == pytest.approx(10e6 * 1448 / 1538, rel=0.03)
    older = judge(without_windows(run.output), DISTANT, case="older")
    assert older.outcome is Outcome.BELOW, older.reason
    assert "a line of" not in older.reason
    assert "a window of that size would explain it" in older.reason


def without_windows(output: bytes) -> bytes:
    """The JSON of iperf3 as its versions wrote it that did not look at windows.

    Nor does it say that a socket buffer was asked for: its other end may have asked for one.
    """
    message = json.loads(output)
    message["start"].pop("sock_bufsize")
    for stream in message["end"]["streams"]:
        stream["sender"].pop("max_snd_wnd")
    return json.dumps(message).encode()


def test_a_run_that_fills_its_line_over_a_distance(distant: Line, judge: Judge) -> None:
    assert_at_ceiling(recorded(lambda: iperf3(distant), judge, DISTANT).verdict)


Runner = Callable[[Line], bytes]
RESPONSE_TIMES: dict[str, Runner] = {
    "netperf-TCP_RR": lambda line: tools.netperf_test(line, "TCP_RR", seconds=1),
    "netperf-UDP_RR": lambda line: tools.netperf_test(line, "UDP_RR", seconds=1),
    "netperf-TCP_CRR": lambda line: tools.netperf_test(line, "TCP_CRR", seconds=1),
    "qperf-tcp_lat": lambda line: tools.qperf(line, "tcp_lat", seconds=1),
    "sockperf-ping-pong": lambda line: tools.sockperf_ping_pong(line, 1),
}
RARE = {"netperf-UDP_RR", "netperf-TCP_CRR"}
"""Each night only."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=nightly if name in RARE else ()) for name in RESPONSE_TIMES]
)
def test_response_times_are_no_throughput(name: str, unshaped: Line, judge: Judge) -> None:
    skip_without(name.partition("-")[0])
    verdict = judge(RESPONSE_TIMES[name](unshaped), SpecifiedLine(DELAYED_RATE_BPS, 1500))
    assert verdict.outcome is Outcome.NOT_JUDGEABLE, verdict.reason
    assert verdict.ratio is None
