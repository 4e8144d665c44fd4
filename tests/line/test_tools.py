"""Other tools than iperf3: each is read and judged, as near to the wire as it can measure."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from line import tools
from line.emulated import BURST_BYTES, EmulatedLine
from line.lines import Line
from line.trials import Judge, assert_on_the_wire, steady

from netmodel.checking import Outcome, SpecifiedLine, Verdict

pytestmark = pytest.mark.line

LINE_RATE_BPS = 100_000_000
RUN_S = 2
SEND_BUFFER_BYTES = 256 * 1024
OFFERED = "110m"


@dataclass(frozen=True)
class Tool:
    """
    A way to call a tool.

    Parameters
    ----------
    program
        Client; the test is skipped where it is missing.
    run
        Result of one run on a line.
    transport
        What it sends over.
    counts_sent
        Whether it counts what it handed to its socket.
    """

    program: str
    run: Callable[[Line], bytes]
    transport: str = "tcp"
    counts_sent: bool = False

    @property
    def name(self) -> str:
        counted = "-sent" if self.counts_sent else ""
        return f"{self.program}-{self.transport}{counted}"

    @property
    def most_ratio(self) -> float:
        """Largest ratio to the wire that this tool can show.

        None of them leaves out the start of its run, in which the token bucket lets its burst
        through faster than the line; what a socket still holds at the end counts as sent. What
        the receiver has not read yet does not matter: it reads at once.
        """
        buffered_bytes = SEND_BUFFER_BYTES if self.counts_sent else 0
        return 1 + (BURST_BYTES + buffered_bytes) * 8 / (LINE_RATE_BPS * RUN_S)


def uperf(line: Line) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        return tools.uperf(line, Path(directory), seconds=RUN_S)


DATAGRAMS = ("-u", "-b", OFFERED, "-l", "1472")
TOOLS = [
    Tool("nuttcp", lambda line: tools.nuttcp(line, "-fparse", seconds=RUN_S)),
    Tool("iperf", lambda line: tools.iperf2(line, seconds=RUN_S)),
    Tool("qperf", lambda line: tools.qperf(line, "tcp_bw", seconds=RUN_S)),
    Tool("sockperf", lambda line: tools.sockperf(line, RUN_S), counts_sent=True),
    Tool("netperf", lambda line: tools.netperf(line, RUN_S)),
    Tool("uperf", uperf),
]
MORE_TOOLS = [
    Tool(
        "iperf",
        lambda line: tools.iperf2_client(line, seconds=RUN_S),
        counts_sent=True,
    ),
    Tool(
        "iperf",
        lambda line: tools.iperf2_client(line, *DATAGRAMS, seconds=RUN_S),
        transport="udp",
    ),
    Tool(
        "qperf",
        lambda line: tools.qperf(line, "udp_bw", "-uu", "-m", "1472", seconds=RUN_S),
        transport="udp",
    ),
]


def measured(tool: Tool, judge: Judge) -> None:
    tools.skip_without(tool.program)
    timestamps = True if tool.transport == "tcp" else None
    specified = SpecifiedLine(LINE_RATE_BPS, 1500, transport=tool.transport, timestamps=timestamps)
    with EmulatedLine(LINE_RATE_BPS) as line:
        tools.limit_send_buffer(line, SEND_BUFFER_BYTES)
        verdict = steady(lambda: judge(tool.run(line), specified))
    assert_on_the_wire([verdict], tool.most_ratio)
    assert_no_low_rate(verdict)


def assert_no_low_rate(verdict: Verdict) -> None:
    """The run passes; where its tool counts the burst of the line, it may be too fast for one."""
    passing = {Outcome.AT_CEILING, Outcome.BORDERLINE}
    assert verdict.outcome in passing or verdict.ratio > verdict.tolerance.max_ratio, verdict.reason


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool(tool: Tool, judge: Judge) -> None:
    measured(tool, judge)


@pytest.mark.nightly
@pytest.mark.parametrize("tool", [*TOOLS, *MORE_TOOLS], ids=lambda tool: tool.name)
def test_a_tool_each_night(tool: Tool, judge: Judge) -> None:
    measured(tool, judge)
