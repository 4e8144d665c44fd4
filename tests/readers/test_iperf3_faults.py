"""What read_iperf3 refuses: each fault with the file, and the key where there is one."""

import codecs
import re
from functools import partial
from pathlib import Path

import pytest
from runs import changed, sample

from netmodel.errors import ParseError
from netmodel.readers import read_result

read_iperf3 = partial(read_result, format_name="iperf3")

TCP = "iperf3_3.21_tcp.json"
UDP = "iperf3_3.21_udp_overload.json"
ARRIVED = "end.sum_received"


def problem_of(source: str | Path | bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read_iperf3(source)
    return str(caught.value)


REFUSED = {
    "only a mark": (codecs.BOM_UTF8, "empty"),
    "blank in UTF-16": ("  ".encode("utf-16"), "empty"),
    "PNG": (b"\x89PNG\r\n\x1a\n", "not a text file"),
    "gzip": (b"\x1f\x8b\x08\x08\xe2", "not a text file"),
    "deep": (b"[" * 100_000, "nested too deeply"),
    "deep value": (b'{"error": ' + b"[" * 1000 + b"]" * 1000 + b"}", "must be a string"),
    "endless number": (b'{"start": ' + b"1" * 5000 + b"}", "not valid JSON"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_fault(name: str) -> None:
    text, expected = REFUSED[name]
    problem = problem_of(text)
    assert problem.startswith("<bytes>: ")
    assert expected in problem


IMPOSSIBLE_BYTES = {
    "negative": -1,
    "infinite": float("inf"),
    "beyond floats": 10**400,
    "beyond floats as bits": 1e308,
    "fraction": 1.5,
    "truth": True,
    "long text": "4" * 10_000,
    "null": None,
    "long list": [1] * 10_000,
}


@pytest.mark.parametrize("name", IMPOSSIBLE_BYTES)
def test_bytes_that_cannot_be_are_refused_in_a_short_message(name: str) -> None:
    problem = problem_of(changed(TCP, {f"{ARRIVED}.bytes": IMPOSSIBLE_BYTES[name]}))
    assert f"{ARRIVED}.bytes must be" in problem
    assert "; got " in problem
    assert len(problem) < 300


def test_a_nan_in_a_value_that_is_needed_is_named() -> None:
    text = re.sub(rb'("end":\s*)[0-9.e-]+', rb"\1-nan", sample(UDP).read_bytes())
    assert "end.sum_received.end" in problem_of(text)


def test_a_nan_in_a_value_that_is_not_needed_is_unknown() -> None:
    text = re.sub(rb'("lost_percent":\s*)[0-9.e-]+', rb"\1-nan", sample(UDP).read_bytes())
    (read,) = read_iperf3(text)
    assert read.counted.lost_ratio is None
    assert read.goodput_bps == read_iperf3(sample(UDP))[0].goodput_bps


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    problem = problem_of(tmp_path / "no.json")
    assert problem.startswith(str(tmp_path / "no.json"))
    assert "No such file" in problem


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in problem_of(tmp_path)


@pytest.mark.parametrize("name", ["a\x00b.json", "x" * 5000], ids=["null", "long"])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    assert "cannot be read" in problem_of(name)


def test_a_text_in_place_of_a_name_says_what_to_give() -> None:
    assert "give read_result(text.encode())" in problem_of("iperf Done.\n")
