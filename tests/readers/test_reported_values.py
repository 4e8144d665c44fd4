"""Windows, round trips, buffers and where payload is counted, as each tool shows them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import Measurement, read_result
from netmodel.readers._document import read_text
from netmodel.readers._formats import format_named, result_formats

SAMPLES = Path(__file__).parent / "samples"


ROUNDED = (
    "iperf3/*.txt",
    "iperf2/*.*",
    "nuttcp/*.*",
    "netperf/*.*",
    "qperf/*.*",
    "sockperf/*.*",
    "uperf/*.*",
)
"""Files of tools that print rounded figures."""


def runs(*patterns: str) -> Iterator[tuple[str, Measurement]]:
    """Every run of these samples that can be read, with the name of its file."""
    for pattern in patterns:
        for path in sorted(SAMPLES.glob(pattern)):
            if any(
                known.recognises(read_text(path).text)
                for known in map(format_named, result_formats())
            ):
                try:
                    measured = read_result(path)
                except ParseError:
                    continue
                yield from ((path.name, each) for each in measured)


def test_rounded_figures_report_what_rounding_leaves_open() -> None:
    result = [(name, run) for name, run in runs(*ROUNDED) if run.goodput_bps is not None]
    assert len(result) > 40
    for name, run in result:
        assert run.goodput_half_width_bps is not None, name
        assert run.goodput_half_width_bps < 0.05 * (run.goodput_bps or 0), name


def test_a_udp_run_reports_the_rate_of_its_sender() -> None:
    """It is never less than what arrived, but for the clocks of both ends and rounding."""
    result = [(name, run) for name, run in runs("*/*.*") if run.protocol == "udp"]
    reported = [(name, run) for name, run in result if run.reported_rate_bps is not None]
    tools = {"iperf3", "iperf2", "netperf", "ntttcp", "nuttcp", "qperf", "sockperf"}
    assert {run.tool for _, run in reported} == tools
    for name, run in reported:
        arrived_bps = (run.goodput_bps or 0) - (run.goodput_half_width_bps or 0)
        assert (run.reported_rate_bps or 0) >= 0.998 * arrived_bps, name
        if run.lost_ratio and run.lost_ratio > 0.01:
            sent_bps = (run.goodput_bps or 0) / (1 - run.lost_ratio)
            assert run.reported_rate_bps == pytest.approx(sent_bps, rel=0.01), name


def test_a_server_of_udp_that_contradicts_itself_reports_no_rate_of_the_sender() -> None:
    name = "iperf2_2.1.8_server_udp_log.txt"
    lines = (SAMPLES / "iperf2" / name).read_text(encoding="utf-8").splitlines()[:7]
    (run,) = read_result("\n".join(lines).replace("100 Mbits", "900 Mbits").encode())
    assert any("iperf2 prints" in note for note in run.notes)
    assert run.goodput_bps == pytest.approx(99.8e6, rel=0.01)
    assert run.reported_rate_bps is None
