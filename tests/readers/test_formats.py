"""Each result is of one format, and that is recognised from its content."""

from pathlib import Path

import pytest

from netmodel.errors import ParseError, UnknownRecordError
from netmodel.readers import Measurement, read_result, result_formats
from netmodel.readers._formats import format_named

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.glob("*/*.*") if path.suffix not in {".md", ".toml"})
NO_RESULTS = {"netperf_2.7.0_omni_selectors.txt", "uperf_1.0.8_X_first200.xlog"}
NAMES = {
    ("iperf2", ""): "iperf2",
    ("iperf3", ".json"): "iperf3",
    ("iperf3", ".jsonl"): "iperf3",
    ("iperf3", ".txt"): "iperf3-text",
    ("netperf", ""): "netperf",
    ("ntttcp", ""): "ntttcp",
    ("nuttcp", ""): "nuttcp",
    ("perftest", ".txt"): "perftest-text",
    ("trex", ".json"): "trex",
    ("trex", ".txt"): "trex-text",
    ("uperf", ""): "uperf",
}


def name_of(path: Path) -> str | None:
    tool = path.parent.name
    return NAMES.get((tool, path.suffix)) or NAMES.get((tool, ""))


def outcome(path: Path, format_name: str | None) -> tuple[Measurement, ...] | str:
    """What is read from a file, or why it is not."""
    try:
        return read_result(path, format_name)
    except ParseError as error:
        return str(error)


@pytest.mark.parametrize("path", [path for path in FILES if name_of(path)], ids=lambda it: it.name)
def test_a_recognised_result_is_read_as_by_its_reader(path: Path) -> None:
    if path.name in NO_RESULTS:
        with pytest.raises(ParseError, match="not a result of a known tool"):
            read_result(path)
        return
    assert outcome(path, None) == outcome(path, name_of(path))


@pytest.mark.parametrize("text", ["", "{", "\0", "\n" * 99, "[", "ü" * 999, "1" * 9999, "(" * 999])
def test_recognisers_never_raise(text: str) -> None:
    assert not any(known.recognises(text) for known in map(format_named, result_formats()))


def test_formats_have_names() -> None:
    assert set(NAMES.values()) <= set(result_formats())
    with pytest.raises(UnknownRecordError, match="iperf3-text"):
        read_result(b"", "iperf9")
