"""Windows, round trips, buffers and where payload is counted, as each tool shows them."""

from collections.abc import Iterator
from pathlib import Path

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
        assert run.counted.half_width_bps is not None, name
        assert run.counted.half_width_bps < 0.05 * (run.goodput_bps or 0), name
