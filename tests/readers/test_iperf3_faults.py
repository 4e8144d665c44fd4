"""What read_iperf3 refuses: each fault with the file, and the key where there is one."""

import codecs
import re
from functools import partial
from pathlib import Path

import pytest
from runs import GONE, changed, content, document, sample

from netmodel.errors import ParseError
from netmodel.readers import read_result

read_iperf3 = partial(read_result, format_name="iperf3")

TCP = "iperf3_3.21_tcp.json"
STREAM = "iperf3_3.21_tcp.jsonl"
UDP = "iperf3_3.21_udp_overload.json"
ARRIVED = "end.sum_received"


def problem_of(source: str | Path | bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read_iperf3(source)
    return str(caught.value)


def test_a_fault_in_a_later_result_names_which() -> None:
    text = sample(TCP).read_bytes()
    assert "result 2 is not a result of iperf3" in problem_of(text + b'\n{"end": {}}')
    assert "stops before its end event" in problem_of(
        sample(STREAM).read_bytes() + sample(STREAM).read_bytes().splitlines()[0]
    )


REFUSED = {
    "empty": (b"", "empty"),
    "blank": (b" \n\t", "empty"),
    "only a mark": (codecs.BOM_UTF8, "empty"),
    "blank in UTF-16": ("  ".encode("utf-16"), "empty"),
    "null": (b"null", "the document must be an object"),
    "list": (b"[]", "the document must be an object"),
    "text": (b'"iperf 3.21"', "the document must be an object"),
    "nothing in it": (b"{}", "not a result of iperf3"),
    "another tool": (b'{"sysstat": {"hosts": []}}', "not a result of iperf3"),
    "iperf2": (b'{"start": {"version": "iperf 2.1"}, "end": {}}', "start.version must begin with"),
    "no version": (b'{"start": {"version": 3}, "end": {}}', "start.version must be a string"),
    "no end": (b'{"start": {"version": "iperf 3.21"}}', "end is missing"),
    "start a list": (b'{"start": []}', "start must be an object"),
    "prose": (b"Connecting to host 127.0.0.1, port 5301\n", "not valid JSON"),
    "cut": (b'{"start": {', "the text ends too early"),
    "PNG": (b"\x89PNG\r\n\x1a\n", "not a text file"),
    "gzip": (b"\x1f\x8b\x08\x08\xe2", "not a text file"),
    "deep": (b"[" * 100_000, "nested too deeply"),
    "endless number": (b'{"start": ' + b"1" * 5000 + b"}", "not valid JSON"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_fault(name: str) -> None:
    text, expected = REFUSED[name]
    problem = problem_of(text)
    assert problem.startswith("<bytes>: ")
    assert expected in problem


def test_the_text_output_of_iperf3_is_refused() -> None:
    assert "not valid JSON" in problem_of(sample("iperf3_3.12_tcp.txt"))


def test_a_fault_in_json_is_placed() -> None:
    assert "line 2, column 3" in problem_of(b'{"start": 1,\n  oops}')


@pytest.mark.parametrize("path", ["start.test_start", "start.test_start.protocol", "end"])
def test_a_missing_key_is_named(path: str) -> None:
    assert f"{path} is missing" in problem_of(changed(TCP, {path: GONE}))


@pytest.mark.parametrize("key", ["start", "end", "bytes", "bits_per_second"])
def test_a_missing_value_of_what_arrived_is_named(key: str) -> None:
    path = f"end.sum_received.{key}"
    assert f"{path} is missing" in problem_of(changed(TCP, {path: GONE}))


def test_tcp_that_does_not_report_what_arrived_is_refused() -> None:
    assert "end.sum_received is missing" in problem_of(changed(TCP, {"end.sum_received": GONE}))


IMPOSSIBLE_BYTES = {
    "negative": -1,
    "NaN": float("nan"),
    "infinite": float("inf"),
    "beyond floats": 10**400,
    "beyond floats as bits": 1e308,
    "fraction": 1.5,
    "truth": True,
    "text": "4691591168",
    "long text": "4" * 10_000,
    "null": None,
    "list": [1],
    "long list": [1] * 10_000,
}


@pytest.mark.parametrize("name", IMPOSSIBLE_BYTES)
def test_bytes_that_cannot_be_are_refused_in_a_short_message(name: str) -> None:
    problem = problem_of(changed(TCP, {f"{ARRIVED}.bytes": IMPOSSIBLE_BYTES[name]}))
    assert f"{ARRIVED}.bytes must be" in problem
    assert "; got " in problem
    assert len(problem) < 300


@pytest.mark.parametrize("end_s", [0, 5e-324])
def test_a_run_that_took_no_time_is_refused(end_s: float) -> None:
    problem = problem_of(changed(TCP, {f"{ARRIVED}.start": 0, f"{ARRIVED}.end": end_s}))
    assert "end.sum_received" in problem


def test_a_run_that_ended_before_it_began_is_refused() -> None:
    problem = problem_of(changed(TCP, {f"{ARRIVED}.start": 3}))
    assert "end.sum_received.end" in problem
    assert "after the start" in problem


@pytest.mark.parametrize("value", ["not-an-address", "", "127.0.0.1.5", "::g"])
def test_an_address_that_is_none_is_refused(value: str) -> None:
    whole = document(TCP)
    whole["start"]["connected"][0]["remote_host"] = value
    assert "start.connected[0].remote_host must be an IP address" in problem_of(content(whole))


def test_other_protocols_are_refused() -> None:
    problem = problem_of(changed(TCP, {"start.test_start.protocol": "SCTP"}))
    assert "start.test_start.protocol must be TCP or UDP" in problem


def test_an_offered_rate_beyond_all_numbers_is_refused() -> None:
    test = "start.test_start"
    source = changed(TCP, {f"{test}.target_bitrate": 1e308, f"{test}.num_streams": 10**9})
    assert "start.test_start" in problem_of(source)


def test_a_stream_that_was_cut_is_refused() -> None:
    lines = sample(STREAM).read_bytes().splitlines(keepends=True)
    assert "stops before its end event" in problem_of(b"".join(lines[:-1]))
    assert "not valid JSON" in problem_of(b"".join(lines)[:-20])


def test_a_nan_in_a_value_that_is_needed_is_named() -> None:
    text = re.sub(rb'("end":\s*)[0-9.e-]+', rb"\1-nan", sample(UDP).read_bytes())
    assert "end.sum_received.end" in problem_of(text)


def test_a_nan_in_a_value_that_is_not_needed_is_unknown() -> None:
    text = re.sub(rb'("lost_percent":\s*)[0-9.e-]+', rb"\1-nan", sample(UDP).read_bytes())
    (read,) = read_iperf3(text)
    assert read.lost_ratio is None
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


def test_a_mapping_that_is_no_json_is_refused() -> None:
    endless: dict[str, object] = {}
    endless["start"] = endless
    for source in ({"start": object()}, {"start": {1, 2}}, {("start",): 1}, endless, {}):
        with pytest.raises(ParseError):
            read_iperf3(source)
