"""Results of iperf3 3.12 and 3.21, as the tool wrote them, and what older versions wrote.

The expected numbers stand in the samples: payload and time of ``sum_received``, divided by hand.
"""

import codecs
import copy
import dataclasses
import hashlib
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from runs import GONE, changed, content, document, having, sample

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

read_iperf3 = partial(read_result, format_name="iperf3")

LINE_TCP = "line_200m_mtu1500_ts1_v4.json"
TCP = "iperf3_3.21_tcp.json"
STREAM = "iperf3_3.21_tcp.jsonl"
UDP = "iperf3_3.21_udp_overload.json"
BIDIRECTIONAL = "iperf3_3.12_tcp_bidir.json"
ARRIVED = "end.sum_received"


def only(source: str | Path | bytes) -> Measurement:
    (measurement,) = read_iperf3(source)
    return measurement


def test_cpu_time_of_a_loopback_run_is_reported_per_gbit() -> None:
    server = only(sample(TCP)).cpu[1]
    gbit = 4691591168 * 8 / 1e9
    busy_s = 0.7654852059485715 * 2.003154
    assert server.us_per_gbit == pytest.approx(busy_s * 1e6 / gbit, rel=1e-12)
    assert (server.scope, server.side) == ("process", Side.SERVER)


def test_a_run_without_a_word_on_its_direction_sends() -> None:
    read = only(changed(TCP, {"start.test_start.reverse": GONE}))
    assert read.direction is Direction.CLIENT_TO_SERVER


def test_a_run_that_moved_nothing_has_no_cost_per_data() -> None:
    read = only(changed(TCP, {f"{ARRIVED}.bytes": 0, f"{ARRIVED}.bits_per_second": 0}))
    assert read.goodput_bps == 0
    assert [use.us_per_gbit for use in read.cpu] == [None, None]


# The server's side of a run


def test_the_server_does_not_know_segments_between_two_hosts_either() -> None:
    whole = document("iperf3_3.12_server_tcp.json")
    whole["start"]["connected"] = document(LINE_TCP)["start"]["connected"]
    read = only(content(whole))
    assert not read.is_loopback
    assert read.traffic.segment_bytes is None


def test_what_the_server_sent_along_reads_as_its_own_file_would() -> None:
    whole = document("paired_iperf3_3.21_serverJ.json")
    server = only(content(whole["server_output_json"]))
    assert server.file.recorded_by is Side.SERVER
    assert server.goodput_bps == pytest.approx(18902286336 * 8 / 8.005189, rel=1e-12)
    assert server.cpu[0].busy_cpu_count == pytest.approx(0.63960796222578466, rel=1e-12)


# What other versions wrote


def old_udp(**changes: Any) -> bytes:
    """UDP as versions without ``sum_received`` wrote it."""
    whole = document(UDP)
    del whole["end"]["sum_received"], whole["end"]["sum_sent"]
    whole["end"]["sum"] |= changes
    return content(whole)


def test_what_an_old_udp_result_sent_does_not_pass_for_goodput() -> None:
    whole = json.loads(old_udp())
    del whole["end"]["sum"]["lost_percent"]
    try:
        read = only(content(whole))
    except ParseError:
        return
    assert read.goodput_bps is None or read.notes


@pytest.mark.parametrize("literal", [b"-nan", b"nan", b"NaN"])
def test_a_nan_in_a_value_that_nothing_needs_does_no_harm(literal: bytes) -> None:
    text = re.sub(rb'("jitter_ms":\s*)[0-9.e-]+', rb"\1" + literal, sample(UDP).read_bytes())
    assert text.count(literal) == 4
    assert only(text).counted.received_bytes == 312271336


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(sample(LINE_TCP).read_text().encode(encoding))
    assert only(path).counted.received_bytes == 188350464


@pytest.mark.parametrize("end_of_line", [b"\r\n", b"\r"])
def test_other_ends_of_lines_are_read(end_of_line: bytes) -> None:
    for name in (LINE_TCP, STREAM):
        text = sample(name).read_bytes().replace(b"\n", end_of_line)
        assert only(text).goodput_bps == only(sample(name)).goodput_bps


def test_an_ipv4_address_written_as_ipv6_is_ipv4() -> None:
    whole = document(LINE_TCP)
    for key in ("local_host", "remote_host"):
        whole["start"]["connected"][0][key] = "::ffff:" + whole["start"]["connected"][0][key]
    assert only(content(whole)).ip_version == 4


def test_an_address_may_name_its_interface() -> None:
    whole = document("line_200m_mtu9000_ts1_v6.json")
    whole["start"]["connected"][0]["local_host"] = "fe80::1%eth0"
    assert only(content(whole)).ip_version == 6


# Streams of events


def test_a_stream_reads_like_the_document_it_stands_for() -> None:
    events = [json.loads(line) for line in sample(STREAM).read_text().splitlines()]
    whole = {
        "start": events[0]["data"],
        "intervals": [event["data"] for event in events if event["event"] == "interval"],
        "end": events[-1]["data"],
    }
    alike = having(only(content(whole)), sha256="", source="")
    assert having(only(sample(STREAM)), sha256="", source="") == alike


# Sources


def test_bytes_and_a_file_of_them_read_alike() -> None:
    path = sample(LINE_TCP)
    from_bytes, from_file, from_text = only(path.read_bytes()), only(path), only(str(path))
    assert from_file == from_text
    assert dataclasses.replace(from_bytes, source=str(path)) == from_file
    assert (from_bytes.source, from_file.source) == ("<bytes>", str(path))


def test_each_direction_knows_what_went_in_the_other() -> None:
    there, back = read_result(sample(BIDIRECTIONAL))
    assert there.counted.reverse_goodput_bps == back.goodput_bps
    assert back.counted.reverse_goodput_bps == there.goodput_bps


@pytest.mark.parametrize("name", [LINE_TCP, STREAM])
def test_what_was_read_is_kept_whole(name: str) -> None:
    assert only(sample(name)).file.raw_text == sample(name).read_text(encoding="utf-8")


def test_the_checksum_is_that_of_the_bytes_that_were_read() -> None:
    raw = sample(LINE_TCP).read_bytes()
    assert only(raw).file.sha256 == hashlib.sha256(raw).hexdigest()
    marked = codecs.BOM_UTF8 + raw
    assert only(marked).file.sha256 == hashlib.sha256(marked).hexdigest()


def test_a_measurement_cannot_be_changed() -> None:
    read = only(sample(LINE_TCP))
    with pytest.raises(dataclasses.FrozenInstanceError):
        read.goodput_bps = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        read.cpu[0].busy_cpu_count = 1.0
    assert copy.copy(read) == read
    assert hash(read) == hash(only(sample(LINE_TCP)))


def test_a_stream_with_the_whole_result_behind_it_is_read_as_that_result() -> None:
    """As ``--json-stream-full-output`` is documented; built from a stream and its document."""
    stream, whole = sample(STREAM).read_bytes(), json.loads(sample(LINE_TCP).read_bytes())
    whole["start"]["cookie"] = only(stream).file.run_id
    raw = json.dumps(whole).encode()
    assert only(stream + raw).counted.received_bytes == only(raw).counted.received_bytes
    assert only(stream + raw).file.part is None


def test_a_stream_and_a_result_of_another_run_are_two_runs() -> None:
    runs = read_iperf3(sample(STREAM).read_bytes() + sample(LINE_TCP).read_bytes())
    assert [run.goodput_bps for run in runs] == [
        only(sample(STREAM)).goodput_bps,
        only(sample(LINE_TCP)).goodput_bps,
    ]


def test_a_run_that_failed_among_others_keeps_its_place() -> None:
    error = sample("iperf3_3.12_error.json").read_bytes()
    first, second = read_iperf3(sample(LINE_TCP).read_bytes() + error)
    assert (first.file.part, first.error, second.file.part) == ("run 1", None, "run 2")
    assert second.error == only(error).error


def test_lines_before_the_json_are_left_out() -> None:
    """What a warning of iperf3 leaves in the file where both streams go there."""
    plain = sample("line_200m_mtu1500_ts1_v4.json").read_bytes()
    (alone,) = read_iperf3(plain)
    raw = b"warning: no route for a moment\nconnecting\n" + plain
    (run,) = read_result(raw)
    assert run.goodput_bps == alone.goodput_bps
    with pytest.raises(ParseError, match="not a result of a known tool"):
        read_result(raw[:3000])
