"""Results of flent, as it wrote them and made by hand; goodput by hand from what it recorded."""

import gzip
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

read_flent = partial(read_result, format_name="flent")

SAMPLES = Path(__file__).parent / "samples" / "flent"
LINE = "flent_2.1.1_line100m"
UPLOAD = SAMPLES / "made_tcp_upload.flent.gz"
RRUL = SAMPLES / "made_rrul_part.flent.gz"
PING = SAMPLES / "made_ping.flent"
FAST = SAMPLES / "made_v3_rrul_up_1g.flent.gz"
SLOW = SAMPLES / "made_v2_rrul_be_1m.flent.gz"
UDP = SAMPLES / "made_v4_udp.flent.gz"
RECORDED = SAMPLES / f"{LINE}_tcp_1up.flent.gz"
RESULTS = sorted(SAMPLES.glob("*.flent*"))
UP, DOWN = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT


def text_of(result: Path) -> bytes:
    raw = result.read_bytes()
    return gzip.decompress(raw) if result.suffix == ".gz" else raw


def document(result: Path) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(text_of(result))
    return whole


def changed(result: Path, place: str, value: object) -> dict[str, Any]:
    whole = document(result)
    *outer, last = place.split("/")
    holder = whole
    for key in outer:
        holder = holder[key]
    holder[last] = value
    return whole


def recorded(test: str) -> tuple[Measurement, ...]:
    return read_flent(SAMPLES / f"{LINE}_{test}.flent.gz")


def problem_of(source: Any) -> str:
    with pytest.raises(ParseError) as caught:
        read_flent(source)
    return str(caught.value)


def test_a_goodput_is_no_mean_of_the_resampled_sum() -> None:
    """The sum of the samples has the mean (944 + 948 + 945.25) / 3 = 945.75, a false impossible."""
    (run,) = read_flent(FAST)
    assert run.goodput_bps == pytest.approx(4 * 293531250 * 8 / 10.0)
    assert run.goodput_bps == pytest.approx(939.3e6)
    assert (run.part, run.stream_count) == ("4 flows of tcp upload", 4)
    assert (run.segment_bytes, run.write_bytes) == (1448, 16384)
    assert not run.is_counted_at_sender
    assert run.notes == ()


@pytest.mark.parametrize("version", [2, 3, 4])
def test_a_goodput_counts_flows_that_seldom_report(version: int) -> None:
    """The sum holds who reported just then: (210 + 420 + 210 + 420 + 360) / 5 = 324 kbit/s."""
    down, up = read_flent(changed(SLOW, "version", version))
    assert up.goodput_bps == pytest.approx(4 * 1575000 * 8 / 60.0)
    assert up.goodput_bps == pytest.approx(840e3)
    assert down.goodput_bps == pytest.approx(4 * 15000000 * 8 / 60.0)
    assert (down.direction, up.direction) == (DOWN, UP)
    assert down.is_bidirectional
    assert up.is_bidirectional
    assert up.received_bytes == 6300000
    assert up.goodput_half_width_bps == pytest.approx(840e3 * 0.005 / 60, rel=1e-3)


def test_an_upload_over_a_line() -> None:
    """The mean of its samples is 94.92 Mbit/s; 94.15 is what headers leave of the 100."""
    (run,) = read_flent(RECORDED)
    assert run.goodput_bps == pytest.approx(59353976 * 8 / 5.05)
    assert run.goodput_bps == pytest.approx(94.15e6, rel=0.006)
    assert (run.part, run.stream_count, run.direction) == ("TCP upload", 1, UP)
    assert (run.tool, run.tool_version, run.recorded_by) == ("flent", "2.1.1", Side.CLIENT)
    assert (run.protocol, run.ip_version, run.is_loopback) == ("tcp", 4, False)
    assert (run.duration_s, run.received_bytes) == (5.05, 59353976)
    assert (run.segment_bytes, run.write_bytes) == (1448, 16384)
    assert (run.is_counted_at_sender, run.is_bidirectional) == (False, False)
    assert run.notes == ()


def test_a_download_over_a_line() -> None:
    (run,) = recorded("tcp_download")
    assert run.goodput_bps == pytest.approx(58857312 * 8 / 5.00)
    assert (run.direction, run.protocol, run.segment_bytes) == (DOWN, "tcp", 1448)


def test_flows_count_from_the_first_byte_of_any_to_the_last() -> None:
    """Three uploads of 15480568, 30181120 and 14057184 bytes."""
    (run,) = recorded("tcp_nup")
    assert run.goodput_bps == pytest.approx(59718872 * 8 / 5.10)
    assert run.goodput_bps == pytest.approx(94.15e6, rel=0.006)
    assert run.stream_count == 3


@pytest.mark.parametrize("test", ["rrul_be", "rtt_fair"])
def test_both_directions_have_a_goodput_of_their_own(test: str) -> None:
    down, up = recorded(test)
    assert (down.direction, up.direction) == (DOWN, UP)
    assert (down.stream_count, up.stream_count) == (4, 4)
    for run in (down, up):
        assert run.is_bidirectional
        assert 88e6 < run.goodput_bps < 94.15e6


def test_flows_one_after_the_other_do_not_add_up() -> None:
    """55.06 over 25.09 s and 48.85 over 20.07 s would be 103.9 Mbit/s on a line of 100."""
    (run,) = recorded("tcp_2up_delay")
    assert run.goodput_bps is None
    assert "the 2 flows started or ended up to 5.02 s apart" in run.why_no_goodput


def test_flows_of_one_length_that_start_one_after_the_other_do_not_add_up() -> None:
    whole = document(FAST)
    whole["raw_values"] = {
        f"TCP upload {name}": [{"t": 100.0 + 2 + start, "dur": 2.0, "val": 236.0}]
        for name, start in (("BE", 0.0), ("BE2", 0.1), ("BE3", 0.1), ("BE4", 3.0))
    }
    (run,) = read_flent(whole)
    assert "up to 3 s apart" in run.why_no_goodput
    whole["raw_values"]["TCP upload BE4"] = []
    (run,) = read_flent(whole)
    assert run.goodput_bps == pytest.approx(939.3e6)


def test_what_a_socket_shows_is_no_flow() -> None:
    (run,) = recorded("socket_stats")
    assert (run.part, run.stream_count) == ("TCP upload", 1)


def test_a_mean_stands_in_where_no_bytes_were_recorded() -> None:
    (run,) = read_flent(UPLOAD)
    assert (run.goodput_bps, run.goodput_half_width_bps) == (188e6, 5e3)
    assert run.is_counted_at_sender
    assert run.notes == ("counted at the sender: data in socket buffers at the end is included",)
    (down,) = read_flent(json.loads(text_of(UPLOAD).replace(b"TCP upload", b"TCP download")))
    assert (down.goodput_bps, down.is_counted_at_sender, down.notes) == (188e6, False, ())


def test_bytes_that_netperf_did_not_measure_are_left_out() -> None:
    for value in (-1, 0, None):
        (run,) = read_flent(changed(RECORDED, "metadata/SERIES_META/TCP upload/BYTES_RECVD", value))
        assert (run.goodput_bps, run.is_counted_at_sender) == (94.07e6, True)


def test_the_mean_of_samples_is_no_goodput() -> None:
    for run in read_flent(RRUL):
        assert run.goodput_bps is None
        assert "judge " in run.why_no_goodput
        assert run.segment_bytes is None


def test_one_flow_without_totals_leaves_its_direction_without() -> None:
    whole = document(SLOW)
    whole["metadata"]["SERIES_META"]["TCP upload BE3"] = {"UNITS": "Mbits/s"}
    down, up = read_flent(whole)
    assert down.goodput_bps == pytest.approx(8e6)
    assert (up.goodput_bps, up.stream_count) == (None, 4)


def test_the_command_gives_protocol_and_direction() -> None:
    """Also where the two ends of a test were swapped, or a flow has a name of its own."""
    place = "metadata/SERIES_META/TCP upload/COMMAND"
    command = document(RECORDED)["metadata"]["SERIES_META"]["TCP upload"]["COMMAND"]
    (run,) = read_flent(changed(RECORDED, place, command.replace("TCP_STREAM", "TCP_MAERTS")))
    assert run.direction is DOWN
    assert [run.direction for run in recorded("tcp_2up_delay")] == [UP]


def test_udp_is_what_arrived() -> None:
    (run,) = read_flent(UDP)
    assert (run.protocol, run.datagram_bytes, run.write_bytes) == ("udp", 1472, None)
    assert run.goodput_bps == pytest.approx(118750000 * 8 / 10.0)
    (run,) = read_flent(changed(UDP, "metadata/SERIES_META/UDP upload/BYTES_RECVD", -1))
    assert run.goodput_bps is None
    assert "over UDP" in run.why_no_goodput


def test_a_test_without_flows_measures_latency() -> None:
    (run,) = read_flent(PING)
    assert run.measures_latency
    assert (run.goodput_bps, run.protocol, run.part) == (None, None, "Ping (ms) ICMP")
    assert run.transaction_time_s == pytest.approx((0.5 + 0.7 + 4 * 0.6) / 6 * 1e-3)
    (run,) = recorded("ping")
    assert run.measures_latency
    assert run.part == "2 series of ping"
    assert run.transaction_time_s == pytest.approx((0.021 + 0.012968) / 2 * 1e-3, rel=1e-3)
    (run,) = read_flent(changed(PING, "results/Ping (ms) ICMP", [None] * 6))
    assert (run.transaction_time_s, run.notes) == (None, ("no ping was answered",))


def test_a_ping_has_its_unit_in_its_metadata_or_in_its_name() -> None:
    described = "metadata/SERIES_META/Ping (ms) ICMP"
    (run,) = read_flent(changed(PING, described, {}))
    assert run.transaction_time_s == read_flent(PING)[0].transaction_time_s
    unnamed = json.loads(text_of(PING).replace(b"Ping (ms) ICMP", b"Ping ICMP"))
    unnamed["metadata"]["SERIES_META"] = {}
    assert "must have ms for its UNITS" in problem_of(unnamed)


def test_no_other_run_measures_latency() -> None:
    result = [run for path in RESULTS if "ping" not in path.name for run in read_flent(path)]
    assert len(result) > 12
    for run in result:
        assert not run.measures_latency
        assert run.transaction_time_s is None
        assert "Ping" not in run.part


def test_a_mean_that_contradicts_bytes_and_time_is_a_note() -> None:
    (run,) = read_flent(changed(RECORDED, "metadata/SERIES_META/TCP upload/MEAN_VALUE", 96.0))
    (warning,) = run.notes
    assert "flent for TCP upload prints 96 Mbit/s, but its bytes and time give 94.0261" in warning
    assert run.goodput_bps == pytest.approx(59353976 * 8 / 5.05)


def test_a_loopback_has_no_segment_size() -> None:
    (run,) = read_flent(changed(RECORDED, "metadata/HOSTS", ["127.0.0.1"]))
    assert (run.is_loopback, run.segment_bytes) == (True, None)


@pytest.mark.parametrize("result", RESULTS, ids=lambda path: path.name)
def test_the_format_is_recognised_packed_and_plain(result: Path) -> None:
    assert read_result(result) == read_flent(result)
    plain = read_result(text_of(result))
    assert [run.goodput_bps for run in plain] == [run.goodput_bps for run in read_flent(result)]


META = "metadata/SERIES_META/TCP upload"
REFUSED = {
    "other JSON": ({"results": {}}, "not a result of flent"),
    "version 1": (changed(PING, "version", 1), "version must be 2, 3 or 4; got 1"),
    "version 5": (changed(PING, "version", 5), "version must be 2, 3 or 4; got 5"),
    "nothing of use": (
        changed(PING, "results", {}),
        "holds neither a flow of TCP or UDP nor a ping",
    ),
    "list": (changed(PING, "results", []), "results must be an object"),
    "other unit": (
        changed(UPLOAD, f"{META}/UNITS", "MB/s"),
        'UNITS must be Mbits/s or Mbit/s; got "MB/s"',
    ),
    "unit of ping": (
        changed(PING, "metadata/SERIES_META/Ping (ms) ICMP/UNITS", "s"),
        'must have ms for its UNITS; got "s"',
    ),
    "bytes": (changed(RECORDED, f"{META}/BYTES_RECVD", 1.5), "BYTES_RECVD must be a whole number"),
    "time": (changed(RECORDED, f"{META}/ELAPSED_TIME", "5 s"), "ELAPSED_TIME must be a number"),
    "command": (changed(RECORDED, f"{META}/COMMAND", 5), "COMMAND must be a string"),
    "text": (
        changed(PING, "results/Ping (ms) ICMP", ["fast"] * 6),
        'results.Ping (ms) ICMP.0 must be a number; got "fast"',
    ),
    "IP version": (changed(PING, "metadata/IP_VERSION", 5), "IP_VERSION must be 4 or 6"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_fault(name: str) -> None:
    source, expected = REFUSED[name]
    assert expected in problem_of(source)
