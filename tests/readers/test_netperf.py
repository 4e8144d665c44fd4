"""Results of netperf, as the tool wrote them, with numbers taken from them by hand."""

import csv
import re
from functools import partial
from pathlib import Path

import pytest
from changes import with_changes
from runs import reported

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result
from netmodel.readers._netperf import _HEADERS

read_netperf = partial(read_result, format_name="netperf")

SAMPLES = Path(__file__).parent / "samples" / "netperf"
STREAM = "netperf_2.7.0_TCP_STREAM.txt"
UDP = "netperf_2.7.0_UDP_STREAM.txt"
REQUESTS = "netperf_2.7.0_TCP_RR.txt"
KEYS = "netperf_2.7.0_omni_k_all.txt"
CSV = "netperf_2.7.0_omni_o_all.csv"
CONFIDENCE = "netperf_2.7.0_omni_k_confidence.txt"
INTERIM = "netperf_2.7.0_D_interim.txt"
P = "netperf_2.7.0_"
LOG = f"{P}line100m_log.txt"
KIB = 1024
UP, DOWN = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT


def only(source: Path | bytes) -> Measurement:
    (measurement,) = read_netperf(source)
    return measurement


def changed(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


def problem_of(source: bytes | Path) -> str:
    with pytest.raises(ParseError) as caught:
        read_netperf(source)
    return str(caught.value)


def test_a_stream_table() -> None:
    read = only(SAMPLES / STREAM)
    assert (read.goodput_bps, read.goodput_half_width_bps) == (19714.96e6, 0.005e6)
    assert (read.protocol, read.direction) == ("tcp", Direction.CLIENT_TO_SERVER)
    assert (read.ip_version, read.is_loopback, read.duration_s) == (4, True, 2.0)
    assert (read.write_bytes, read.recorded_by) == (16384, Side.CLIENT)
    assert read.reported_rate_bps is None


def test_cpu_of_a_table_is_that_of_all_cpus() -> None:
    client, server = only(SAMPLES / STREAM).cpu
    assert (client.side, server.side) == (Side.CLIENT, Side.SERVER)
    assert client.scope is server.scope is CpuScope.SYSTEM
    assert client.busy_cpu_count == pytest.approx(0.7522 * 2, rel=1e-3)
    assert client.consumption.us_per_gbit == pytest.approx(0.625 * 1e9 / 8192, rel=1e-9)


def test_a_kb_of_service_demand_has_1024_bytes() -> None:
    reported = only(SAMPLES / KEYS).cpu[0].busy_cpu_count
    without_count = only(changed(KEYS, ("_CPU_COUNT=2", "_CPU_COUNT=-1"))).cpu[0].busy_cpu_count
    assert reported == pytest.approx(0.7799 * 2, rel=1e-9)
    assert without_count == pytest.approx(0.739e-6 * 17280.58e6 / 8 / KIB, rel=1e-9)
    assert without_count == pytest.approx(reported, rel=1e-3)


def test_cpu_time_of_one_host_is_noted_to_be_shared() -> None:
    assert any("one host" in note for note in only(SAMPLES / STREAM).notes)
    apart = only(changed(STREAM, ("to 127.0.0.1", "to 192.0.2.2")))
    assert not apart.is_loopback
    assert apart.notes == ()


def test_of_udp_the_second_line_is_the_goodput() -> None:
    read = only(SAMPLES / UDP)
    assert read.received_bytes == 361580 * 1448
    assert (read.goodput_bps, read.goodput_half_width_bps) == (2094.1e6, 0.05e6)
    assert read.goodput_bps == pytest.approx(361580 * 1448 * 8 / 2.00, rel=0.005 / 2)
    assert read.reported_rate_bps == 2420.4e6
    assert read.lost_ratio == pytest.approx(1 - 361580 / 417919)
    assert only(SAMPLES / KEYS).lost_ratio is None  # TCP sends again what was lost
    assert (read.protocol, read.datagram_bytes) == ("udp", 1448)
    assert [use.busy_cpu_count for use in read.cpu] == pytest.approx([0.7856 * 2] * 2, rel=1e-3)
    assert [use.payload_rate_bps for use in read.cpu] == [2420.4e6, 2094.1e6]


def test_requests_and_responses() -> None:
    read = only(SAMPLES / REQUESTS)
    assert (read.request_bytes, read.response_bytes) == (200, 1000)
    assert read.transaction_rate_tps == 28915.51
    assert read.transaction_time_s == pytest.approx(1 / 28915.51)
    assert read.goodput_bps is None
    assert "transactions" in read.why_no_goodput
    assert read.cpu[0].busy_cpu_count == pytest.approx(0.6043 * 2, rel=1e-3)
    assert read.cpu[1].busy_cpu_count == pytest.approx(41.649e-6 * 28915.51)
    assert read.measures_latency
    assert [(use.payload_rate_bps, use.consumption) for use in read.cpu] == [(0.0, None)] * 2


def test_requests_in_a_burst_wait_for_each_other() -> None:
    read = only(changed(REQUESTS, ("first burst 0", "first burst 3")))
    assert read.transaction_time_s == pytest.approx(4 / 28915.51)


@pytest.mark.parametrize(
    ("name", "rate_bps", "received_bytes", "retransmit_count", "util"),
    [
        (KEYS, 17280.58e6, 4320804864, 24, 0.7799),
        (CSV, 15978.79e6, 3995189248, 83, 0.7321),
    ],
)
def test_omni_output(
    name: str, rate_bps: float, received_bytes: int, retransmit_count: int, util: float
) -> None:
    read = only(SAMPLES / name)
    assert (read.goodput_bps, read.goodput_half_width_bps) == (rate_bps, 0.005e6)
    assert read.goodput_bps == pytest.approx(received_bytes * 8 / 2.00, rel=0.005 / 2)
    assert read.received_bytes == received_bytes
    assert (read.protocol, read.direction) == ("tcp", Direction.CLIENT_TO_SERVER)
    assert (read.congestion_control, read.retransmit_count) == ("bbr", retransmit_count)
    assert [use.busy_cpu_count for use in read.cpu] == pytest.approx([2 * util] * 2)
    assert read.transaction_rate_tps is None


def test_the_segment_size_counts_where_frames_crossed_a_line() -> None:
    assert only(SAMPLES / KEYS).segment_bytes is None
    read = only(changed(KEYS, ("to 127.0.0.1", "to 192.0.2.2"), ("MSS=65483", "MSS=1448")))
    assert read.segment_bytes == 1448


def test_minus_one_is_not_measured() -> None:
    read = only(
        changed(
            KEYS,
            ("LOCAL_CPU_UTIL=77.99", "LOCAL_CPU_UTIL=-1.00"),
            ("TRANSPORT_RETRANS=24", "TRANSPORT_RETRANS=-1"),
        )
    )
    assert [use.side for use in read.cpu] == [Side.SERVER]
    assert read.retransmit_count is None
    table = only(changed(STREAM, ("75.22    75.22    0.625   0.625", "-1.00 -1.00 -1.000 -1.000")))
    assert table.cpu == ()
    assert table.goodput_bps == 19714.96e6


def test_a_share_of_an_unknown_number_of_cpus_is_left_out_and_said() -> None:
    read = only(changed(KEYS, ("_CPU_COUNT=2", "_CPU_COUNT=-1"), ("_SD=0.739", "_SD=-1")))
    assert read.cpu == ()
    assert any("LOCAL_CPU_COUNT" in note for note in read.notes)


def test_a_missed_confidence_is_noted() -> None:
    read = only(SAMPLES / CONFIDENCE)
    assert read.goodput_bps == 17400.67e6
    assert any("16.299 % wide, 5 % requested" in note for note in read.notes)
    reached = only(changed(CONFIDENCE, ("CONFID=16.299", "CONFID=4.9")))
    assert not any("confidence" in note for note in reached.notes)
    assert not any("confidence" in note for note in only(SAMPLES / KEYS).notes)


@pytest.mark.parametrize(
    ("table", "goodput_bps"), [(STREAM, 19714.96e6), (f"{P}O.txt", 18729.82e6)]
)
def test_a_missed_confidence_of_a_table_is_noted(table: str, goodput_bps: float) -> None:
    notice = (
        ": demo\n!!! WARNING\n!!! Desired confidence was not achieved within the specified"
        " iterations.\n!!! Confidence intervals: Throughput      : 6.663%\n"
        "!!!                       Local CPU util  : 14.049%\n\n"
    )
    read = only(changed(table, (": demo\n", notice)))
    assert any("6.663 % wide" in note for note in read.notes)
    assert read.goodput_bps == goodput_bps


def test_interim_lines_are_passed_over() -> None:
    read = only(SAMPLES / INTERIM)
    assert read.goodput_bps == 14113.40e6
    assert any("protocol not reported" in note for note in read.notes)


def test_a_stream_to_the_client() -> None:
    assert only(changed(STREAM, ("TCP STREAM", "TCP MAERTS"))).direction is (
        Direction.SERVER_TO_CLIENT
    )
    read = only(
        changed(
            KEYS,
            ("DIRECTION=Send", "DIRECTION=Receive"),
            ("LOCAL_RECV_THROUGHPUT=0.00", "LOCAL_RECV_THROUGHPUT=17280.58"),
            ("LOCAL_BYTES_RECVD=0", "LOCAL_BYTES_RECVD=4320804864"),
        )
    )
    assert read.direction is Direction.SERVER_TO_CLIENT
    assert read.goodput_bps == 17280.58e6
    assert read.retransmit_count == 0


def test_udp_of_which_only_what_was_sent_is_reported_has_no_goodput() -> None:
    text = changed(CONFIDENCE, ("THROUGHPUT_UNITS=", "PROTOCOL=UDP\nTHROUGHPUT_UNITS="))
    read = only(text)
    assert read.goodput_bps is None
    assert "REMOTE_RECV_THROUGHPUT" in read.why_no_goodput
    assert read.reported_rate_bps == 17400.67e6


def test_a_rate_that_contradicts_bytes_and_time_is_noted() -> None:
    read = only(changed(KEYS, ("THROUGHPUT=17280.58", "THROUGHPUT=17400.00")))
    assert read.goodput_bps == pytest.approx(4320804864 * 8 / 2.00)
    assert any("netperf prints 17.4 Gbit/s" in note for note in read.notes)


def test_the_bytes_of_a_run_are_counted_and_not_rounded() -> None:
    """1000 byte in 2.00 s, 0.00 Mbit/s as printed: between 8000 / 2.005 and 8000 / 1.995 bit/s."""
    small = ("4320804864", "1000"), ("THROUGHPUT=17280.58", "THROUGHPUT=0.00")
    read = only(changed(KEYS, *small))
    assert read.goodput_bps == pytest.approx(4000)
    assert read.goodput_half_width_bps == pytest.approx(8000 / 1.995 - 4000)


@pytest.mark.parametrize(
    ("unit", "factor"),
    [("10^3bits/s", 1e3), ("10^9bits/s", 1e9), ("KBytes/s", 8 * KIB), ("GBytes/s", 8 * KIB**3)],
)
def test_units_of_throughput(unit: str, factor: float) -> None:
    read = only(changed(INTERIM, ("THROUGHPUT_UNITS=10^6bits/s", f"THROUGHPUT_UNITS={unit}")))
    assert read.goodput_bps == 14113.40 * factor


def test_omni_requests_and_responses() -> None:
    text = (
        "THROUGHPUT=28915.51\nTHROUGHPUT_UNITS=Trans/s\nREQUEST_SIZE=200\nRESPONSE_SIZE=1000\n"
        "RT_LATENCY=34.584\nTRANSACTION_RATE=28915.510\nLOCAL_CPU_UTIL=60.43\nLOCAL_CPU_COUNT=2\n"
    )
    read = only(text.encode())
    assert read.transaction_rate_tps == 28915.51
    assert read.transaction_time_s == pytest.approx(34.584e-6)
    assert read.cpu[0].busy_cpu_count == pytest.approx(1.2086)


def test_a_failure_to_connect_is_an_error() -> None:
    text = (
        b"establish control: are you sure there is a netserver listening on 192.0.2.2 at port"
        b" 12865?\nestablish_control could not establish the control connection\n"
    )
    assert "netserver" in only(text).error


STREAMS = {
    "TCP_STREAM_plain.txt": ("tcp", UP, 15184.24e6, 1.00),
    "TCP_STREAM_c.txt": ("tcp", UP, 20226.87e6, 1.00),
    "TCP_STREAM_C_f_g.txt": ("tcp", UP, 22.51e9, 1.00),
    "TCP_STREAM_D.txt": ("tcp", UP, 34278.95e6, 2.00),
    "TCP_STREAM_v2.txt": ("tcp", UP, 18876.96e6, 1.00),
    "TCP_STREAM_I.txt": ("tcp", UP, 13747.08e6, 1.00),
    "TCP_STREAM_o_D.txt": ("tcp", UP, 27328.46e6, None),
    "TCP_MAERTS.txt": ("tcp", DOWN, 12813.05e6, 1.00),
    "TCP_MAERTS_c_C.txt": ("tcp", DOWN, 16185.34e6, 1.00),
    "TCP_SENDFILE.txt": ("tcp", UP, 7791.24e6, 1.00),
    "UDP_STREAM_plain.txt": ("udp", UP, 1350.17e6, 1.00),
    "UDP_STREAM_C.txt": ("udp", UP, 1021.0e6, 1.00),
    "UDP_STREAM_k.txt": ("udp", UP, 20004.92e6, None),
    "omni_table.txt": (None, UP, 18353.17e6, 1.00),
    "omni_table_c_C.txt": (None, DOWN, 17421.80e6, 1.00),
    "O.txt": ("tcp", UP, 18729.82e6, 1.00),
    "P0_k.txt": ("tcp", UP, 17453.12e6, None),
    "line100m_k_tcp.txt": ("tcp", UP, 93.91e6, 5.06),
    "line100m_k_udp.txt": ("udp", UP, 95.33e6, 5.00),
}
"""Protocol, direction, goodput and time of streams in every layout."""


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_in_any_layout(name: str) -> None:
    read = only(SAMPLES / f"{P}{name}")
    protocol, direction, goodput_bps, duration_s = STREAMS[name]
    assert (read.protocol, read.direction, read.duration_s) == (protocol, direction, duration_s)
    assert read.goodput_bps == pytest.approx(goodput_bps, rel=1e-12)
    assert not read.measures_latency
    assert read.part is None


REQUEST_TESTS = {
    "TCP_RR_plain.txt": ("tcp", 53853.29, 1),
    "TCP_RR_c.txt": ("tcp", 65080.81, 1),
    "TCP_RR_b.txt": ("tcp", 29706.77, 5),
    "TCP_RR_o.txt": ("tcp", 28463.15, 1),
    "UDP_RR.txt": ("udp", 59487.24, 1),
    "TCP_CRR.txt": ("tcp", 8685.91, 1),
    "TCP_CC.txt": ("tcp", 22087.01, 1),
}
"""Protocol, transactions per second, and how many are on their way at a time."""


@pytest.mark.parametrize("name", REQUEST_TESTS)
def test_requests_in_any_layout(name: str) -> None:
    read = only(SAMPLES / f"{P}{name}")
    protocol, rate_tps, at_a_time = REQUEST_TESTS[name]
    assert (read.protocol, read.transaction_rate_tps) == (protocol, rate_tps)
    assert read.transaction_time_s == pytest.approx(at_a_time / rate_tps)
    assert (read.request_bytes, read.response_bytes, read.duration_s) == (1, 1, 1.00)
    assert (read.goodput_bps, read.measures_latency) == (None, True)
    assert all(use.consumption is None for use in read.cpu)


REFUSED = {
    "another text": (b"hello\n", "not a result of netperf"),
    "selectors": ((SAMPLES / "netperf_2.7.0_omni_selectors.txt").read_bytes(), "not a result"),
    "only a banner": ((SAMPLES / STREAM).read_bytes()[:90], "stops before its result"),
    "cut": ((SAMPLES / STREAM).read_bytes()[:-80], "stops before its result"),
    "no units": (
        changed(INTERIM, ("\nTHROUGHPUT_UNITS=10^6bits/s", "")),
        "THROUGHPUT_UNITS is missing",
    ),
    "other units": (
        changed(INTERIM, ("THROUGHPUT_UNITS=10^6bits/s", "THROUGHPUT_UNITS=furlongs")),
        "line 15: THROUGHPUT_UNITS must be bits or bytes per second",
    ),
    "only interim": (
        (SAMPLES / INTERIM).read_bytes().partition(b"THROUGHPUT=")[0],
        "stops before its result",
    ),
    "another protocol": (changed(KEYS, ("PROTOCOL=TCP", "PROTOCOL=SCTP")), "must be TCP or UDP"),
    "another test": (changed(STREAM, ("TCP STREAM", "SCTP STREAM")), '"SCTP STREAM" are not read'),
    "NaN": (
        changed(KEYS, ("THROUGHPUT=17280.58", "THROUGHPUT=nan")),
        "THROUGHPUT must be a number",
    ),
    "not measured": (changed(INTERIM, ("THROUGHPUT=14113.40", "THROUGHPUT=-1")), "not measured"),
    "nothing": (changed(INTERIM, ("THROUGHPUT=14113.40", "THROUGHPUT=")), "not measured"),
    "a figure alone": (SAMPLES / "netperf_2.7.0_v0.txt", "leave out -v 0"),
    "cells": (
        changed(f"{P}TCP_STREAM_plain.txt", ("16384  16384", "16384")),
        "line 7: must have 5 figures; got 4",
    ),
    "unit of another test": (
        changed(REQUESTS, ("TCP REQUEST/RESPONSE", "TCP STREAM")),
        "not the unit",
    ),
    "columns": (changed(CSV, ("Stream,TCP", "Stream,x,TCP")), "line 3: must have"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_place(name: str) -> None:
    source, expected = REFUSED[name]
    problem = problem_of(source)
    assert problem.startswith(("<bytes>: ", str(SAMPLES)))
    assert expected in problem


def test_several_results_in_one_log() -> None:
    """Five runs and a failed one, as three tables, keys, and values with commas."""
    runs = read_netperf(SAMPLES / LOG)
    assert [run.part for run in runs] == [f"result {number}" for number in range(1, 7)]
    tcp, maerts, udp, failed, requests, connects = runs
    assert (tcp.goodput_bps, tcp.direction, tcp.duration_s) == (93.94e6, UP, 3.05)
    assert (maerts.goodput_bps, maerts.direction, maerts.protocol) == (94.10e6, DOWN, "tcp")
    assert (udp.goodput_bps, udp.received_bytes, udp.lost_ratio) == (96.09e6, 24481 * 1472, 0)
    assert failed.error.startswith("establish control")
    assert failed.goodput_bps is None
    assert (requests.transaction_rate_tps, requests.protocol) == (8486.52, "tcp")
    assert connects.transaction_time_s == pytest.approx(1 / 12485.22)
    assert [run.measures_latency for run in runs] == [False] * 4 + [True] * 2


def test_two_of_the_same_are_two_results() -> None:
    runs = read_netperf((SAMPLES / STREAM).read_bytes() * 2)
    assert [(run.part, run.goodput_bps) for run in runs] == [
        ("result 1", 19714.96e6),
        ("result 2", 19714.96e6),
    ]
    runs = read_netperf((SAMPLES / f"{P}P0_k.txt").read_bytes() * 3)
    assert [run.part for run in runs] == ["result 1", "result 2", "result 3"]


def test_results_without_banners_of_their_own() -> None:
    """As ``netperf -P 0`` prints them after a first run with its headings."""
    text = (SAMPLES / f"{P}TCP_STREAM_plain.txt").read_bytes()
    row = text.splitlines()[-1]
    assert len(read_netperf(text + row + b"\n")) == 2
    text = (SAMPLES / f"{P}UDP_STREAM_plain.txt").read_bytes().rstrip() + b"\n"
    rows = b"\n".join(text.splitlines()[-2:])
    first, second = read_netperf(text + rows + b"\n")
    assert first.goodput_bps == second.goodput_bps
    text = (SAMPLES / f"{P}TCP_RR_plain.txt").read_bytes()
    rows = b"\n".join(text.splitlines()[-2:])
    assert len(read_netperf(text + rows + b"\n")) == 2


def test_one_of_several_that_was_cut_off_has_no_goodput() -> None:
    """netperf printed no error: the run may have been right."""
    whole = (SAMPLES / STREAM).read_bytes()
    first, second = read_netperf(whole + whole[:300])
    assert first.goodput_bps == 19714.96e6
    assert (second.part, second.goodput_bps) == ("result 2", None)
    assert second.error is None
    assert "stops before its result" in second.why_no_goodput


def test_one_of_several_with_an_impossible_value_refuses_all() -> None:
    whole = (SAMPLES / STREAM).read_bytes()
    assert "line 14: must have 9 figures; got 7" in problem_of(whole + whole[:-18])


def test_udp_without_what_arrived_has_no_goodput() -> None:
    read = only((SAMPLES / UDP).read_bytes().rpartition(b"\n212992 ")[0] + b"\n")
    assert (read.goodput_bps, read.reported_rate_bps) == (None, 2420.4e6)
    assert "did not print what arrived over UDP" in read.why_no_goodput


def test_the_segment_size_reports_tcp_from_udp_where_no_protocol_is_printed() -> None:
    tcp, udp = (only(SAMPLES / f"{P}line100m_k_{name}.txt") for name in ("tcp", "udp"))
    assert (tcp.protocol, tcp.segment_bytes, tcp.datagram_bytes) == ("tcp", 1448, None)
    assert (udp.protocol, udp.segment_bytes, udp.datagram_bytes) == ("udp", None, 1472)
    assert tcp.notes == ()


def test_service_demand_of_udp_is_that_of_what_was_sent() -> None:
    """100 % of 2 CPUs; 0.440 us/KB at 37239.58 Mbit/s are 2.0002, at what arrived 1.07."""
    counted = only(SAMPLES / f"{P}UDP_STREAM_k.txt")
    text = changed(f"{P}UDP_STREAM_k.txt", ("_CPU_COUNT=2", "_CPU_COUNT=-1"))
    demanded = only(text)
    for read in (counted, demanded):
        assert [use.busy_cpu_count for use in read.cpu] == pytest.approx([2.0, 2.0], rel=2e-3)
        assert [use.payload_rate_bps for use in read.cpu] == [37239.58e6, 20004.92e6]
    assert only(text.replace(b"LOCAL_SEND_THROUGHPUT", b"X")).cpu == ()


def test_columns_of_an_omni_table() -> None:
    read = only(SAMPLES / f"{P}omni_table_c_C.txt")
    assert [use.busy_cpu_count for use in read.cpu] == pytest.approx([0.9851 * 2] * 2, rel=2e-3)
    read = only(SAMPLES / f"{P}omni_table_rr.txt")
    assert (read.request_bytes, read.response_bytes, read.measures_latency) == (1, 1, True)


def test_latencies_that_were_asked_for() -> None:
    read = only(SAMPLES / f"{P}UDP_RR_o_latency.txt")
    assert read.transaction_time_s == pytest.approx(27.46e-6)
    read = only(SAMPLES / f"{P}TCP_CRR_k_all.txt")
    assert read.transaction_time_s == pytest.approx(122.575e-6)


def test_requests_in_bits_have_no_rate_of_transactions() -> None:
    read = only(SAMPLES / f"{P}TCP_RR_f_m.txt")
    assert (read.transaction_rate_tps, read.transaction_time_s) == (None, None)
    assert (read.measures_latency, read.goodput_bps) == (True, None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("10^6bits/sec", "10^6bits/s"),
        ("10^6bits/sec", "10^6BITS/SEC"),
        ("bytes  bytes   bytes    secs.", "Bytes  Bytes   BYTES    Secs."),
        ("MIGRATED TCP STREAM", "TCP STREAM"),
        (": demo", ": +/-2.500% @ 99% conf.  : histogram : interval : dirty data : demo"),
        ("\n", "\r\n"),
    ],
)
def test_words_of_the_headings_in_any_form(before: str, after: str) -> None:
    name = f"{P}TCP_STREAM_plain.txt"
    assert only(changed(name, (before, after))).goodput_bps == only(SAMPLES / name).goodput_bps


def test_the_banner_of_old_versions() -> None:
    read = only(SAMPLES / "netperf_made_2.4_TCP_STREAM.txt")
    assert (read.goodput_bps, read.direction, read.ip_version) == (941.20e6, UP, 4)


def test_an_error_before_the_banner_is_that_of_the_run() -> None:
    text = (SAMPLES / STREAM).read_bytes().partition(b"\n")[0]
    (read,) = read_netperf(b"netperf: send_omni: connect_data_socket failed: Refused\n" + text)
    assert "connect_data_socket failed" in read.error
    assert "netserver" in only(SAMPLES / f"{P}refused.txt").error


def test_a_text_that_ends_within_a_line_is_noted_to() -> None:
    name = f"{P}line100m_k_tcp.txt"
    whole = (SAMPLES / name).read_bytes()
    assert only(whole).notes == ()
    (warning,) = only(whole.rstrip()).notes
    assert "may be cut off" in warning


def test_columns_are_the_keys_of_the_same_output() -> None:
    """
    The tool prints all that it knows in one order, by keys with -k and in columns with -o; a tag
    that nobody gave has a column only.
    """
    keys = [
        line.split("=")[0]
        for line in (SAMPLES / KEYS).read_text(encoding="utf-8").splitlines()
        if "=" in line
    ]
    rows = csv.reader((SAMPLES / CSV).read_text(encoding="utf-8").splitlines())
    names = [name for name in max(rows, key=len) if name != "Result Tag"]
    columns = dict(zip(names, keys, strict=True))
    assert {name: columns[name] for name in _HEADERS} == _HEADERS
    assert only(SAMPLES / KEYS).tool == only(SAMPLES / CSV).tool == "netperf"


@pytest.mark.parametrize(
    ("peer", "ip_version"),
    [
        ("far.example () port 0 AF_INET6", 6),
        ("far.example () port 0 AF_INET", 4),
        ("far.example (2001:db8::2) port 0", 6),
        ("192.0.2.2 () port 0", 4),
        ("far.example () port 0", None),
    ],
)
def test_the_banner_names_the_version_of_ip(peer: str, ip_version: int | None) -> None:
    text = changed("netperf_2.7.0_TCP_STREAM.txt", ("127.0.0.1 () port 0 AF_INET", peer))
    assert only(text).ip_version == ip_version


def test_a_key_without_a_value_was_not_measured() -> None:
    whole = (SAMPLES / "netperf_2.7.0_omni_k_all.txt").read_text(encoding="utf-8")
    for key in ("LOCAL_CPU_COUNT", "LOCAL_CPU_UTIL", "LOCAL_SEND_SIZE"):
        assert f"\n{key}=" in whole
        runs = [
            only(re.sub(rf"\n{key}=.*", f"\n{key}={value}", whole).encode()) for value in ("", "-1")
        ]
        assert reported(runs[0]) == reported(runs[1]) != reported(only(whole.encode()))
