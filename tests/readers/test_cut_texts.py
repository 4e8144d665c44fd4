"""Outputs that lost their first lines: what is left gives the same figures, fewer, or none."""

import re
from contextlib import suppress
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import Measurement, read_result

SAMPLES = Path(__file__).parent / "samples"
TOOLS = ("iperf2", "netperf", "ntttcp", "nuttcp", "qperf", "sockperf")


def agrees(cut: Measurement, whole: Measurement) -> bool:
    """True if a cut text says nothing else: what it lacks is None, or counted at the sender."""
    pairs = [
        (cut.direction, whole.direction),
        (cut.protocol, whole.protocol),
        (cut.goodput_bps, whole.goodput_bps),
    ]
    is_surer = whole.counted.is_at_sender and not cut.counted.is_at_sender
    return all(own in (None, other) for own, other in pairs) and not (cut.goodput_bps and is_surer)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_text_without_its_first_lines_says_nothing_else(tool: str) -> None:
    wrong = []
    for sample in sorted((SAMPLES / tool).glob("*.txt")):
        lines = sample.read_text(encoding="utf-8").splitlines(keepends=True)
        with suppress(ParseError):
            whole = read_result("".join(lines).encode())
            for count in range(1, min(len(lines), 10)):
                with suppress(ParseError):
                    found = read_result("".join(lines[count:]).encode())
                    # a line with one rate is that rate, whatever it was of
                    runs = [run for run in found if run.tool != "rate"]
                    if not all(any(agrees(run, each) for each in whole) for run in runs):
                        wrong.append((sample.name, count))
    # bounce-back tests of iperf 2 say so in a line that is lost then
    assert [each for each in wrong if "_bb_" not in each[0]] == []


@pytest.mark.parametrize(
    ("file", "line", "direction", "mbps"),
    [
        # 0.0000-2.0030 s, 4.07 GByte of 2^30 byte
        ("iperf2/iperf2_2.1.8_e.txt", r"\[ ID\]", None, 4.07 * 2**30 * 8 / 2.003 / 1e6),
        # the row of the server's report
        ("iperf2/iperf2_2.1.8_udp.txt", r"\[ ID\]", None, 100.0),
        # of -d, the server marks one of its connections
        ("iperf2/iperf2_2.1.8_line_plain_d_server.txt", r"\[  1\] local", "client_to_server", 92.0),
        ("netperf/netperf_2.7.0_TCP_STREAM.txt", "bytes", None, 19714.96),
        ("netperf/netperf_2.7.0_UDP_STREAM.txt", "bytes", "client_to_server", 2094.1),
        ("nuttcp/nuttcp_6.1.2_v.txt", "nuttcp-t: buflen", "client_to_server", 12272.0084),
        ("nuttcp/nuttcp_6.1.2_v.txt", "nuttcp-r: v6", None, 12272.0084),
        ("nuttcp/nuttcp_6.1.2_line_uvr.txt", "nuttcp-r: buflen", "server_to_client", 19.8716),
        # without its connections a sender's text has no end: 77,616,000,000 byte in 60 s
        ("ntttcp/made_sender_1.4.0_W.txt", ".*Totals", "client_to_server", 11877.6e6 * 8 / 10.1e6),
        ("uperf/made_summary.txt", "Hostname", None, None),
    ],
)
def test_a_table_without_what_stood_above_it_is_read(
    file: str, line: str, direction: str | None, mbps: float | None
) -> None:
    text = (SAMPLES / file).read_text(encoding="utf-8")
    begin = re.search(rf"^{line}", text, re.MULTILINE)
    assert begin is not None
    run, *_ = read_result(text[begin.start() :].encode())
    assert run.direction == direction
    assert run.goodput_bps is not None
    if mbps is not None:
        assert run.goodput_bps == pytest.approx(mbps * 1e6, rel=5e-3)
