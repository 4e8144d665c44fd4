"""Results of netperf 2.7.0, as the tool wrote them, with numbers taken from them by hand."""

from pathlib import Path

import pytest
from changes import with_changes

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_netperf

SAMPLES = Path(__file__).parent / "samples" / "netperf"
STREAM = "netperf_2.7.0_TCP_STREAM.txt"
UDP = "netperf_2.7.0_UDP_STREAM.txt"
REQUESTS = "netperf_2.7.0_TCP_RR.txt"
KEYS = "netperf_2.7.0_omni_k_all.txt"
CSV = "netperf_2.7.0_omni_o_all.csv"
CONFIDENCE = "netperf_2.7.0_omni_k_confidence.txt"
INTERIM = "netperf_2.7.0_D_interim.txt"
KIB = 1024


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
    told = only(SAMPLES / KEYS).cpu[0].busy_cpu_count
    without_count = only(changed(KEYS, ("_CPU_COUNT=2", "_CPU_COUNT=-1"))).cpu[0].busy_cpu_count
    assert told == pytest.approx(0.7799 * 2, rel=1e-9)
    assert without_count == pytest.approx(0.739e-6 * 17280.58e6 / 8 / KIB, rel=1e-9)
    assert without_count == pytest.approx(told, rel=1e-3)


def test_cpu_time_of_one_host_is_said_to_be_shared() -> None:
    assert any("one host" in told for told in only(SAMPLES / STREAM).warnings)
    apart = only(changed(STREAM, ("to 127.0.0.1", "to 192.0.2.2")))
    assert not apart.is_loopback
    assert apart.warnings == ()


def test_of_udp_the_second_line_is_the_goodput() -> None:
    read = only(SAMPLES / UDP)
    assert read.received_bytes == 361580 * 1448
    assert (read.goodput_bps, read.goodput_half_width_bps) == (2094.1e6, 0.05e6)
    assert read.goodput_bps == pytest.approx(361580 * 1448 * 8 / 2.00, rel=0.005 / 2)
    assert read.reported_rate_bps == 2420.4e6
    assert read.lost_ratio == pytest.approx(1 - 361580 / 417919)
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
    assert read.cpu[0].payload_rate_bps == pytest.approx(28915.51 * 1200 * 8)


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
    assert any("LOCAL_CPU_COUNT" in told for told in read.warnings)


def test_a_missed_confidence_is_said() -> None:
    read = only(SAMPLES / CONFIDENCE)
    assert read.goodput_bps == 17400.67e6
    assert any("16.299 % wide, 5 % were asked for" in told for told in read.warnings)
    reached = only(changed(CONFIDENCE, ("CONFID=16.299", "CONFID=4.9")))
    assert not any("confidence" in told for told in reached.warnings)
    assert not any("confidence" in told for told in only(SAMPLES / KEYS).warnings)


def test_a_missed_confidence_of_a_table_is_said() -> None:
    notice = (
        ": demo\n!!! WARNING\n!!! Desired confidence was not achieved within the specified"
        " iterations.\n!!! Confidence intervals: Throughput      : 6.663%\n"
        "!!!                       Local CPU util  : 14.049%\n\n"
    )
    read = only(changed(STREAM, (": demo\n", notice)))
    assert any("6.663 % wide" in told for told in read.warnings)
    assert read.goodput_bps == 19714.96e6


def test_interim_lines_are_passed_over() -> None:
    read = only(SAMPLES / INTERIM)
    assert read.goodput_bps == 14113.40e6
    assert any("protocol is not told" in told for told in read.warnings)


def test_a_stream_the_other_way() -> None:
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


def test_udp_of_which_only_what_was_sent_is_told_has_no_goodput() -> None:
    text = changed(CONFIDENCE, ("THROUGHPUT_UNITS=", "PROTOCOL=UDP\nTHROUGHPUT_UNITS="))
    read = only(text)
    assert read.goodput_bps is None
    assert "REMOTE_RECV_THROUGHPUT" in read.why_no_goodput
    assert read.reported_rate_bps == 17400.67e6


def test_a_rate_that_contradicts_bytes_and_time_is_said() -> None:
    read = only(changed(KEYS, ("THROUGHPUT=17280.58", "THROUGHPUT=17400.00")))
    assert read.goodput_bps == pytest.approx(4320804864 * 8 / 2.00)
    assert any("netperf prints 17.4 Gbit/s" in told for told in read.warnings)


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


REFUSED = {
    "another text": (b"hello\n", "not a result of netperf"),
    "selectors": ((SAMPLES / "netperf_2.7.0_omni_selectors.txt").read_bytes(), "not a result"),
    "only a banner": ((SAMPLES / STREAM).read_bytes()[:90], "stops before its result"),
    "cut": ((SAMPLES / STREAM).read_bytes()[:-80], "stops before its result"),
    "one line of two": (
        (SAMPLES / UDP).read_bytes().rpartition(b"\n212992 ")[0],
        "stops before its result",
    ),
    "two": ((SAMPLES / STREAM).read_bytes() * 2, "holds 2 results"),
    "no units": (
        changed(INTERIM, ("\nTHROUGHPUT_UNITS=10^6bits/s", "")),
        "THROUGHPUT_UNITS is missing",
    ),
    "other units": (
        changed(INTERIM, ("THROUGHPUT_UNITS=10^6bits/s", "THROUGHPUT_UNITS=furlongs")),
        "line 15: THROUGHPUT_UNITS is none that is known",
    ),
    "only interim": (
        (SAMPLES / INTERIM).read_bytes().partition(b"THROUGHPUT=")[0],
        "stops before THROUGHPUT",
    ),
    "another protocol": (changed(KEYS, ("PROTOCOL=TCP", "PROTOCOL=SCTP")), "must be TCP or UDP"),
    "another test": (changed(STREAM, ("TCP STREAM", "SCTP STREAM")), '"SCTP STREAM" are not read'),
    "NaN": (
        changed(KEYS, ("THROUGHPUT=17280.58", "THROUGHPUT=nan")),
        "THROUGHPUT must be a number",
    ),
    "not measured": (changed(INTERIM, ("THROUGHPUT=14113.40", "THROUGHPUT=-1")), "not measured"),
    "columns": (changed(CSV, ("Stream,TCP", "Stream,x,TCP")), "line 3: must have"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_place(name: str) -> None:
    source, expected = REFUSED[name]
    problem = problem_of(source)
    assert problem.startswith("<bytes>: ")
    assert expected in problem
