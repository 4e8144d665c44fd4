"""Formats of results: each file is of one format or of none, and every recogniser answers."""

from pathlib import Path

import pytest
from damage import damaged
from hypothesis import given
from hypothesis import strategies as st

from netmodel.errors import ParseError
from netmodel.readers import read_result, result_formats
from netmodel.readers._document import read_text
from netmodel.readers._formats import format_named

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.glob("*/*.*") if path.suffix not in {".md", ".toml"})
HOST_STATE = {"ethtool", "ip-link", "kernel", "sysstat"}
"""Directories of what hosts show, which is no result of a benchmark."""
BOTH_ENDS = "both-ends"
"""Directory of what several tools recorded at the same time."""
NO_RESULTS = {
    "netperf_2.7.0_omni_selectors.txt",
    "sockperf_3.7_full_log.csv",
    "uperf_1.0.8_X_first200.xlog",
}
NAMES = {"csv": "netmodel-csv"}


def recognised(text: str) -> list[str]:
    return [name for name in result_formats() if format_named(name).recognises(text)]


def expected(file: Path) -> list[str]:
    tool = file.parent.name
    if tool == BOTH_ENDS:
        return ["iperf3"] if file.name.startswith("iperf3") else []
    if tool in HOST_STATE or file.name in NO_RESULTS:
        return []
    if file.suffix == ".txt" and tool in {"iperf3", "perftest"}:
        return [f"{tool}-text"]
    return [NAMES.get(tool, tool)]


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_is_of_one_format_or_of_none(file: Path) -> None:
    assert recognised(read_text(file).text) == expected(file)


def test_readmes_are_of_no_format() -> None:
    for readme in SAMPLES.glob("*/README.md"):
        assert recognised(readme.read_text(encoding="utf-8")) == []


def test_every_format_that_can_be_recognised_has_a_sample() -> None:
    seen = {name for file in FILES for name in expected(file)}
    assert set(result_formats()) - seen == {"perftest-mib", "perftest-gbits", "perftest-us"}


def test_what_is_of_no_format_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(ParseError) as caught:
        read_result(b"Connecting to host\n")
    for name in result_formats():
        assert name in str(caught.value)


@given(data=st.data(), text=st.text())
def test_recognisers_answer_whatever_the_text(data: st.DataObject, text: str) -> None:
    recognised(text)
    file = data.draw(st.sampled_from(FILES))
    if file.suffix != ".gz":
        raw = damaged(data, file.read_bytes())
        assert len(recognised(raw.decode(errors="replace"))) <= 1
