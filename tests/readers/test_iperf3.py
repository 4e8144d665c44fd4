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
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from runs import GONE, changed, content, document, sample

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

read_iperf3 = partial(read_result, format_name="iperf3")

UP, DOWN = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT
LINE_TCP = "line_200m_mtu1500_ts1_v4.json"
TCP = "iperf3_3.21_tcp.json"
STREAM = "iperf3_3.21_tcp.jsonl"
UDP = "iperf3_3.21_udp_overload.json"
BIDIRECTIONAL = "iperf3_3.12_tcp_bidir.json"
ARRIVED = "end.sum_received"


class Run(NamedTuple):
    """One direction of a sample: what arrived, in how many seconds, and how it was sent."""

    name: str
    received_bytes: int
    duration_s: float
    direction: Direction = UP
    protocol: str = "tcp"
    stream_count: int = 1
    retransmit_count: int | None = None
    segment_bytes: int | None = None
    path_mtu_bytes: int | None = None
    ip_version: int = 4


LOOPBACK_RUNS = [
    Run("iperf3_3.12_tcp.json", 4812832768, 2.001315, retransmit_count=0),
    Run("iperf3_3.21_tcp.json", 4691591168, 2.003154, retransmit_count=11),
    Run("iperf3_3.21_tcp.jsonl", 4155375616, 2.001449, retransmit_count=5),
    Run("iperf3_3.12_tcp_reverse.json", 3790864384, 2.000324, DOWN, retransmit_count=12),
    Run("iperf3_3.21_tcp_reverse.json", 4295098368, 2.000288, DOWN, retransmit_count=9),
    Run("iperf3_3.12_tcp_M1000_omit.json", 2781609984, 2.004877, retransmit_count=2727),
    Run("iperf3_3.21_tcp_M1000_omit.json", 3862167552, 2.000587, retransmit_count=400),
    Run(
        "iperf3_3.12_tcp_P2_getserver.json", 3449683968, 2.0174, stream_count=2, retransmit_count=36
    ),
    Run(
        "iperf3_3.21_tcp_P2_getserver.json",
        5931925504,
        2.004507,
        stream_count=2,
        retransmit_count=2,
    ),
    Run("iperf3_3.12_tcp_P2_b10M.json", 2621440, 1.00055, stream_count=2, retransmit_count=0),
    Run("iperf3_3.21_n_blocks.json", 30720000, 1.00169, retransmit_count=0),
    Run("iperf3_3.12_udp_100M.json", 24991032, 2.000393, protocol="udp"),
    Run("iperf3_3.12_udp_reverse.json", 6245224, 1.000081, DOWN, protocol="udp"),
    Run("iperf3_3.21_udp.json", 25034752, 2.001155, protocol="udp"),
    Run("iperf3_3.21_udp_overload.json", 312271336, 2.00154, protocol="udp"),
    Run("paired_iperf3_3.21_serverJ.json", 18902286336, 8.005189, retransmit_count=5),
    Run("iperf3_3.12_server_tcp.json", 1112801280, 1.010344),
    Run("iperf3_3.12_server_udp.json", 6245224, 1.000161, protocol="udp"),
]
LINE_RUNS = [
    Run("line_200m_mtu1500_ts1_v4.json", 188350464, 8.00679, UP, "tcp", 1, 0, 1448, 1500),
    Run("line_200m_mtu1500_ts0_v4.json", 188350464, 8.039242, UP, "tcp", 1, 0, 1460, 1500),
    Run("line_200m_mtu9000_ts1_v4.json", 197787648, 8.006451, UP, "tcp", 1, 0, 8948, 9000),
    Run("line_200m_mtu9000_ts1_v6.json", 197656576, 8.00384, UP, "tcp", 1, 0, 8928, 9000, 6),
    Run("line200m_iperf3_3.21_x.json", 117964800, 5.002494, UP, "tcp", 1, 0, 1448, 1500),
    Run("line200m_iperf3_3.21_xM1000.json", 114819072, 5.001538, UP, "tcp", 1, 3, None, 1500),
    Run("line200m_iperf3_3.21_xub0l1472.json", 119995968, 5.005013, protocol="udp"),
]
BIDIRECTIONAL_RUNS = [
    Run("iperf3_3.12_tcp_bidir.json", 1375731712, 2.003193, UP, retransmit_count=16),
    Run("iperf3_3.12_tcp_bidir.json", 599916544, 2.003193, DOWN, retransmit_count=20),
    Run("iperf3_3.12_udp_bidir.json", 25001984, 2.000296, UP, "udp"),
    Run("iperf3_3.12_udp_bidir.json", 25001984, 2.000296, DOWN, "udp"),
]


def only(source: str | Path | bytes) -> Measurement:
    (measurement,) = read_iperf3(source)
    return measurement


def in_direction(name: str, direction: Direction) -> Measurement:
    (result,) = [run for run in read_iperf3(sample(name)) if run.direction is direction]
    return result


@pytest.mark.parametrize(
    "run",
    LOOPBACK_RUNS + LINE_RUNS + BIDIRECTIONAL_RUNS,
    ids=lambda run: f"{run.name}-{run.direction.value}",
)
def test_goodput_is_what_arrived_over_the_time_it_took(run: Run) -> None:
    read = in_direction(run.name, run.direction)
    assert read.received_bytes == run.received_bytes
    assert read.duration_s == run.duration_s
    assert read.goodput_bps == pytest.approx(run.received_bytes * 8 / run.duration_s, rel=1e-12)
    reported = {name: getattr(read, name) for name in run._fields[3:]}
    assert reported == {name: getattr(run, name) for name in run._fields[3:]}


@pytest.mark.parametrize("run", LOOPBACK_RUNS, ids=lambda run: run.name)
def test_a_run_over_loopback_reports_no_segment_size(run: Run) -> None:
    read = only(sample(run.name))
    assert read.is_loopback
    assert read.segment_bytes is None
    assert read.path_mtu_bytes is None


@pytest.mark.parametrize("run", LINE_RUNS, ids=lambda run: run.name)
def test_a_run_between_two_hosts_is_not_loopback(run: Run) -> None:
    assert not only(sample(run.name)).is_loopback


def test_a_connection_with_one_end_on_the_loopback_interface_is_none_of_it() -> None:
    whole = document(LINE_TCP)
    whole["start"]["connected"][0]["local_host"] = "127.0.0.1"
    assert not only(content(whole)).is_loopback


def test_a_run_in_one_direction_gives_one_measurement_and_nothing_to_say() -> None:
    for run in LINE_RUNS:
        assert only(sample(run.name)).notes == ()


@pytest.mark.parametrize(
    ("name", "version"), [("iperf3_3.12_tcp.json", "3.12"), ("iperf3_3.21_tcp.json", "3.21")]
)
def test_the_version_is_reported_as_printed(name: str, version: str) -> None:
    read = only(sample(name))
    assert (read.tool, read.tool_version) == ("iperf3", version)


@pytest.mark.parametrize(
    "name", ["iperf3_3.12_tcp_M1000_omit.json", "line200m_iperf3_3.21_xM1000.json"]
)
def test_a_maximum_segment_size_that_was_asked_for_is_not_the_one_that_was_used(name: str) -> None:
    read = only(sample(name))
    assert (read.requested_mss_bytes, read.segment_bytes) == (1000, None)


def test_no_maximum_segment_size_was_asked_for_in_a_usual_run() -> None:
    assert only(sample(LINE_TCP)).requested_mss_bytes is None


@pytest.mark.parametrize(
    ("name", "datagram_bytes"),
    [
        ("iperf3_3.12_udp_100M.json", 1448),
        ("iperf3_3.21_udp.json", 32768),
        ("line200m_iperf3_3.21_xub0l1472.json", 1472),
        ("iperf3_3.21_n_blocks.json", None),
        (TCP, None),
    ],
)
def test_datagrams_have_a_size_and_writes_of_tcp_do_not(
    name: str, datagram_bytes: int | None
) -> None:
    assert only(sample(name)).datagram_bytes == datagram_bytes


@pytest.mark.parametrize(
    ("name", "offered_rate_bps"),
    [
        ("iperf3_3.12_udp_100M.json", 100e6),
        ("iperf3_3.12_tcp_P2_b10M.json", 2 * 10e6),
        (UDP, None),
        (TCP, None),
    ],
)
def test_the_offered_rate_counts_all_streams(name: str, offered_rate_bps: float | None) -> None:
    assert only(sample(name)).offered_rate_bps == offered_rate_bps


def test_the_offered_rate_is_unknown_to_versions_that_do_not_report_it() -> None:
    old = changed("iperf3_3.12_udp_100M.json", {"start.test_start.target_bitrate": GONE})
    assert only(old).offered_rate_bps is None


def test_the_offered_rate_of_an_overload_is_not_its_goodput() -> None:
    read = only(sample(UDP))
    assert read.lost_ratio == pytest.approx(169004 / 384800, rel=1e-3)
    assert read.goodput_bps < 0.57 * 2227242396.79138


@pytest.mark.parametrize("name", [TCP, "iperf3_3.12_tcp_reverse.json", LINE_TCP])
def test_cpu_time_is_that_of_the_process_at_either_end(name: str) -> None:
    percent = document(name)["end"]["cpu_utilization_percent"]
    read = only(sample(name))
    client, server = read.cpu
    assert (client.side, server.side) == (Side.CLIENT, Side.SERVER)
    assert {client.scope, server.scope} == {CpuScope.PROCESS}
    assert client.busy_cpu_count == pytest.approx(percent["host_total"] / 100, rel=1e-12)
    assert server.busy_cpu_count == pytest.approx(percent["remote_total"] / 100, rel=1e-12)
    assert client.payload_rate_bps == server.payload_rate_bps == read.goodput_bps


def test_cpu_time_of_a_loopback_run_is_reported_per_gbit() -> None:
    server = only(sample(TCP)).cpu[1]
    gbit = 4691591168 * 8 / 1e9
    busy_s = 0.7654852059485715 * 2.003154
    assert server.consumption.us_per_gbit == pytest.approx(busy_s * 1e6 / gbit, rel=1e-12)
    assert (server.consumption.scope, server.consumption.side) == (CpuScope.PROCESS, Side.SERVER)


@pytest.mark.parametrize("direction", [UP, DOWN])
def test_both_directions_share_the_cpu_time_and_say_so(direction: Direction) -> None:
    read = in_direction(BIDIRECTIONAL, direction)
    both_bps = (1375731712 + 599916544) * 8 / 2.003193
    assert [use.payload_rate_bps for use in read.cpu] == pytest.approx([both_bps] * 2, rel=1e-12)
    assert any("both directions" in note for note in read.notes)


def test_cpu_time_is_unknown_where_the_file_has_none() -> None:
    assert only(changed(TCP, {"end.cpu_utilization_percent": GONE})).cpu == ()


def test_a_run_that_moved_nothing_has_no_cost_per_data() -> None:
    read = only(changed(TCP, {f"{ARRIVED}.bytes": 0, f"{ARRIVED}.bits_per_second": 0}))
    assert read.goodput_bps == 0
    assert [use.consumption for use in read.cpu] == [None, None]


@pytest.mark.parametrize("name", ["iperf3_3.12_error.json", "iperf3_3.21_error.json"])
def test_an_error_of_iperf3_is_a_measurement_without_values(name: str) -> None:
    read = only(sample(name))
    assert read.error.endswith("Connection refused")
    values = (read.goodput_bps, read.received_bytes, read.duration_s, read.direction, read.protocol)
    assert set(values) == {None}
    assert read.cpu == ()


def test_an_error_hides_what_was_measured_before_it() -> None:
    whole = document(TCP) | {"error": "interrupt - the client has terminated"}
    read = only(content(whole))
    assert (read.error, read.goodput_bps) == ("interrupt - the client has terminated", None)


# The server's side of a run


def test_a_file_of_the_server_is_known_by_the_connection_it_accepted() -> None:
    assert only(sample("iperf3_3.12_server_tcp.json")).recorded_by is Side.SERVER
    assert only(sample("iperf3_3.12_tcp.json")).recorded_by is Side.CLIENT


@pytest.mark.parametrize("name", ["iperf3_3.12_server_tcp.json", "iperf3_3.12_server_udp.json"])
def test_the_server_knows_only_its_own_cpu_time_and_no_segment_size(name: str) -> None:
    percent = document(name)["end"]["cpu_utilization_percent"]
    read = only(sample(name))
    (use,) = read.cpu
    assert use.side is Side.SERVER
    assert use.busy_cpu_count == pytest.approx(percent["host_total"] / 100, rel=1e-12)
    assert read.segment_bytes is None


def test_the_server_does_not_know_segments_between_two_hosts_either() -> None:
    whole = document("iperf3_3.12_server_tcp.json")
    whole["start"]["connected"] = document(LINE_TCP)["start"]["connected"]
    read = only(content(whole))
    assert not read.is_loopback
    assert read.segment_bytes is None


@pytest.mark.parametrize(
    "name", ["iperf3_3.12_server_tcp_reverse.json", "iperf3_3.12_server_udp_reverse.json"]
)
def test_the_server_does_not_know_what_reached_the_client(name: str) -> None:
    read = only(sample(name))
    assert read.direction is DOWN
    assert (read.goodput_bps, read.received_bytes, read.cpu) == (None, None, ())
    assert "read the client's" in (read.why_no_goodput or "")


def test_the_server_knows_one_direction_of_two() -> None:
    up = in_direction("iperf3_3.12_server_tcp_bidir.json", UP)
    down = in_direction("iperf3_3.12_server_tcp_bidir.json", DOWN)
    assert up.goodput_bps == pytest.approx(625213440 * 8 / 1.000897, rel=1e-12)
    assert down.goodput_bps is None
    assert up.cpu == down.cpu == ()


def test_what_the_server_sent_along_reads_as_its_own_file_would() -> None:
    whole = document("paired_iperf3_3.21_serverJ.json")
    server = only(content(whole["server_output_json"]))
    assert server.recorded_by is Side.SERVER
    assert server.goodput_bps == pytest.approx(18902286336 * 8 / 8.005189, rel=1e-12)
    assert server.cpu[0].busy_cpu_count == pytest.approx(0.63960796222578466, rel=1e-12)


# What other versions wrote


def old_udp(**changes: Any) -> bytes:
    """UDP as versions without ``sum_received`` wrote it."""
    whole = document(UDP)
    del whole["end"]["sum_received"], whole["end"]["sum_sent"]
    whole["end"]["sum"] |= changes
    return content(whole)


def test_goodput_of_an_old_udp_result_is_derived_from_the_loss() -> None:
    read = only(old_udp())
    assert read.received_bytes == round(557188952 * (1 - 0.4391995841995842))
    assert read.goodput_bps == pytest.approx(557188952 * 0.5608004158 * 8 / 2.00154, rel=1e-8)
    assert any("less the share that was lost" in note for note in read.notes)


def test_what_an_old_udp_result_sent_does_not_pass_for_goodput() -> None:
    whole = json.loads(old_udp())
    del whole["end"]["sum"]["lost_percent"]
    try:
        read = only(content(whole))
    except ParseError:
        return
    assert read.goodput_bps is None or read.notes


def test_more_than_everything_lost_is_noted_and_leaves_nothing() -> None:
    read = only(old_udp(lost_percent=104.5))
    assert (read.goodput_bps, read.lost_ratio) == (0, pytest.approx(1.045))
    assert any("104.5 %" in note for note in read.notes)


def test_more_than_everything_lost_does_not_touch_what_the_receiver_counted() -> None:
    read = only(changed(UDP, {f"{ARRIVED}.lost_percent": 150}))
    assert read.received_bytes == 312271336
    assert any("more datagrams lost than sent" in note for note in read.notes)


@pytest.mark.parametrize("literal", [b"-nan", b"nan", b"NaN"])
def test_a_nan_in_a_value_that_nothing_needs_does_no_harm(literal: bytes) -> None:
    text = re.sub(rb'("jitter_ms":\s*)[0-9.e-]+', rb"\1" + literal, sample(UDP).read_bytes())
    assert text.count(literal) == 4
    assert only(text).received_bytes == 312271336


def test_a_text_that_says_nan_stays_a_text() -> None:
    read = only(content(document("iperf3_3.12_error.json") | {"error": "lost: -nan, sent: nan"}))
    assert read.error == "lost: -nan, sent: nan"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(sample(LINE_TCP).read_text().encode(encoding))
    assert only(path).received_bytes == 188350464


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


def test_a_rate_that_bytes_and_time_do_not_give_is_noted() -> None:
    bps = 188350464 * 8 / 8.00679
    agreeing = only(changed(LINE_TCP, {f"{ARRIVED}.bits_per_second": bps * 1.0009}))
    differing = only(changed(LINE_TCP, {f"{ARRIVED}.bits_per_second": bps * 1.0011}))
    assert agreeing.notes == ()
    assert any("188.398 Mbit/s" in note for note in differing.notes)
    assert differing.goodput_bps == pytest.approx(bps, rel=1e-12)


def test_unknown_keys_are_no_fault() -> None:
    whole = document(TCP) | {"future": {"deep": [1, None, "x"]}}
    assert only(content(whole)).goodput_bps == only(sample(TCP)).goodput_bps


# Streams of events


def test_a_stream_reads_like_the_document_it_stands_for() -> None:
    events = [json.loads(line) for line in sample(STREAM).read_text().splitlines()]
    whole = {
        "start": events[0]["data"],
        "intervals": [event["data"] for event in events if event["event"] == "interval"],
        "end": events[-1]["data"],
    }
    alike = dataclasses.replace(only(content(whole)), sha256="", source="")
    assert dataclasses.replace(only(sample(STREAM)), sha256="", source="") == alike


def test_an_error_in_a_stream_is_a_measurement_without_values() -> None:
    start = sample(STREAM).read_bytes().splitlines()[0]
    error = b'{"event":"error","data":"control socket has closed unexpectedly"}'
    read = only(start + b"\n" + error + b"\n" + b'{"event":"end","data":{}}\n')
    assert (read.error, read.tool_version) == ("control socket has closed unexpectedly", "3.21")
    assert read.goodput_bps is None


def test_a_stream_of_a_run_that_never_started_reports_its_error() -> None:
    """iperf3 writes no start event where it cannot connect."""
    error = b'{"event":"error","data":"unable to connect to server: Connection refused"}'
    read = only(error + b"\n" + b'{"event":"end","data":{}}\n')
    assert read.error == "unable to connect to server: Connection refused"


# Sources


def test_bytes_and_a_file_of_them_read_alike() -> None:
    path = sample(LINE_TCP)
    from_bytes, from_file, from_text = only(path.read_bytes()), only(path), only(str(path))
    assert from_file == from_text
    assert dataclasses.replace(from_bytes, source=str(path)) == from_file
    assert (from_bytes.source, from_file.source) == ("<bytes>", str(path))


def test_what_a_json_parser_made_of_a_file_reads_alike() -> None:
    for name in (LINE_TCP, BIDIRECTIONAL):
        whole = document(name)
        for source in (whole, MappingProxyType(whole)):
            read = [(run.direction, run.goodput_bps, run.cpu) for run in read_iperf3(source)]
            expected = read_iperf3(sample(name))
            assert read == [(run.direction, run.goodput_bps, run.cpu) for run in expected]


@pytest.mark.parametrize("name", [LINE_TCP, STREAM])
def test_what_was_read_is_kept_whole(name: str) -> None:
    assert only(sample(name)).raw_text == sample(name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "congestion_control"),
    [(LINE_TCP, "cubic"), (TCP, "bbr"), (UDP, None), ("iperf3_3.12_server_tcp.json", None)],
)
def test_the_congestion_control_is_that_of_the_sender(
    name: str, congestion_control: str | None
) -> None:
    assert only(sample(name)).congestion_control == congestion_control


def test_the_checksum_is_that_of_the_bytes_that_were_read() -> None:
    raw = sample(LINE_TCP).read_bytes()
    assert only(raw).sha256 == hashlib.sha256(raw).hexdigest()
    marked = codecs.BOM_UTF8 + raw
    assert only(marked).sha256 == hashlib.sha256(marked).hexdigest()


def test_a_measurement_cannot_be_changed() -> None:
    read = only(sample(LINE_TCP))
    with pytest.raises(dataclasses.FrozenInstanceError):
        read.goodput_bps = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        read.cpu[0].busy_cpu_count = 1.0
    assert copy.copy(read) == read
    assert hash(read) == hash(only(sample(LINE_TCP)))


def test_the_text_that_was_read_is_kept_with_the_congestion_control() -> None:
    path = sample(LINE_TCP)
    assert only(path).raw_text == path.read_text()
    assert (
        only(path).congestion_control
        == json.loads(path.read_text())["end"]["sender_tcp_congestion"]
    )


def test_a_stream_with_the_whole_result_behind_it_is_read_as_that_result() -> None:
    """As ``--json-stream-full-output`` is documented; built from a stream and its document."""
    stream, whole = sample(STREAM).read_bytes(), json.loads(sample(LINE_TCP).read_bytes())
    whole["start"]["cookie"] = only(stream).run_id
    raw = json.dumps(whole).encode()
    assert only(stream + raw).received_bytes == only(raw).received_bytes
    assert only(stream + raw).part is None


@pytest.mark.parametrize("name", [LINE_TCP, STREAM])
def test_several_runs_of_one_file_have_their_number(name: str) -> None:
    alone = only(sample(name))
    runs = read_iperf3(sample(name).read_bytes() * 3)
    assert [run.part for run in runs] == ["run 1", "run 2", "run 3"]
    assert {run.goodput_bps for run in runs} == {alone.goodput_bps}
    assert alone.part is None


def test_a_stream_and_a_result_of_another_run_are_two_runs() -> None:
    runs = read_iperf3(sample(STREAM).read_bytes() + sample(LINE_TCP).read_bytes())
    assert [run.goodput_bps for run in runs] == [
        only(sample(STREAM)).goodput_bps,
        only(sample(LINE_TCP)).goodput_bps,
    ]


def test_a_run_that_failed_among_others_keeps_its_place() -> None:
    error = sample("iperf3_3.12_error.json").read_bytes()
    first, second = read_iperf3(sample(LINE_TCP).read_bytes() + error)
    assert (first.part, first.error, second.part) == ("run 1", None, "run 2")
    assert second.error == only(error).error


def test_lines_before_the_json_are_left_out_and_said() -> None:
    """What a warning of iperf3 leaves in the file where both streams go there."""
    plain = sample("line_200m_mtu1500_ts1_v4.json").read_bytes()
    (alone,) = read_iperf3(plain)
    raw = b"warning: no route for a moment\nconnecting\n" + plain
    (run,) = read_result(raw)
    assert run.goodput_bps == alone.goodput_bps
    assert any("no route for a moment" in text for text in run.notes)
    with pytest.raises(ParseError, match=r"ends too early at line \d\d"):
        read_result(raw[:3000])
