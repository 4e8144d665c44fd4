"""Windows, round trips, buffers and where payload is counted, as each tool shows them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import Measurement, read_result
from netmodel.readers._document import read_text
from netmodel.readers._formats import format_named, result_formats

SAMPLES = Path(__file__).parent / "samples"

TOLD = {
    # min_rtt of two streams, 373 and 128 µs
    "iperf3/iperf3_3.12_tcp_P2_getserver.json": {"least_round_trip_s": pytest.approx(128e-6)},
    # bytes that iperf3 prints in K and M are binary: 748 KBytes, 1023 KBytes, 767 + 767 KBytes
    "iperf3/iperf3_3.12_tcp_V_omit.txt": {
        "leaves_out_start": True,
        "congestion_window_bytes": 748 * 1024,
    },
    "iperf3/iperf3_3.12_tcp.txt": {
        "leaves_out_start": False,
        "congestion_window_bytes": 1023 * 1024,
        "reported_rate_bps": 17.6e9,
    },
    "iperf3/iperf3_3.12_tcp_reverse.txt": {"congestion_window_bytes": None},
    "iperf3/iperf3_3.21_udp_overload.json": {"reported_rate_bps": pytest.approx(2.227242e9)},
    "iperf2/iperf2_2.1.8_e_w.txt": {
        "is_counted_at_sender": True,
        "socket_buffer_bytes": 65536,
        "congestion_window_bytes": 767 * 1024,
        "round_trip_s": pytest.approx((36e-6 + 32e-6) / 2),
        "least_round_trip_s": pytest.approx(32e-6),
        "segment_bytes": None,
    },
    "iperf2/iperf2_2.1.8_e_P2.txt": {
        "congestion_window_bytes": (2813 + 3453) * 1024,
        "round_trip_s": None,
        "least_round_trip_s": pytest.approx(26e-6),
        "socket_buffer_bytes": None,
    },
    "iperf2/iperf2_2.1.8_e_reverse.txt": {
        "is_counted_at_sender": False,
        "congestion_window_bytes": None,
    },
    "iperf2/iperf2_2.1.8_server_e.txt": {"is_counted_at_sender": False},
    "iperf2/iperf2_2.1.8_udp.txt": {"is_counted_at_sender": False, "reported_rate_bps": 100e6},
    "nuttcp/nuttcp_6.1.2.txt": {
        "least_round_trip_s": pytest.approx(110e-6),
        "is_counted_at_sender": False,
    },
    "nuttcp/nuttcp_6.1.2_fparse.txt": {"least_round_trip_s": pytest.approx(170e-6)},
    "nuttcp/nuttcp_6.1.2_v.txt": {"least_round_trip_s": pytest.approx(92e-6)},
    "netperf/netperf_2.7.0_TCP_STREAM.txt": {
        "is_counted_at_sender": False,
        "socket_buffer_bytes": None,
    },
    "netperf/netperf_2.7.0_UDP_STREAM.txt": {"reported_rate_bps": 2420.4e6},
    "qperf/qperf_0.4.11_conf_vu.txt": {"socket_buffer_bytes": 65536},
    "qperf/qperf_0.4.11_v.txt": {"socket_buffer_bytes": None},
    "sockperf/sockperf_3.7_tp_tcp.txt": {"is_counted_at_sender": True, "leaves_out_start": False},
    "sockperf/sockperf_3.7_tp_udp.txt": {"is_counted_at_sender": False},
    "sockperf/sockperf_3.7_pingpong_tcp.txt": {"leaves_out_start": True},
    "uperf/uperf_1.0.8_str-writex30k_a_i1_R.txt": {
        "is_counted_at_sender": True,
        "leaves_out_start": True,
    },
    "uperf/line200m_uperf_1.0.8_R.txt": {"is_counted_at_sender": False, "leaves_out_start": True},
    "uperf/uperf_1.0.8_rr1c-200x1000_a.txt": {"leaves_out_start": True},
    "flent/made_tcp_upload.flent.gz": {"is_counted_at_sender": True},
    "flent/made_rrul_part.flent.gz": {"is_counted_at_sender": False},
}
"""Of the first measurement of each file."""

CPU_COUNTS = {
    "netperf/netperf_2.7.0_omni_k_all.txt": (2, 2),
    "netperf/netperf_2.7.0_omni_o_all.csv": (2, 2),
    "netperf/netperf_2.7.0_TCP_STREAM.txt": (None, None),
    "qperf/qperf_0.4.11_conf_vu.txt": (2, 2),
    "qperf/qperf_0.4.11_v.txt": (None, None),
}

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


def first(name: str) -> Measurement:
    return read_result(SAMPLES / name)[0]


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


@pytest.mark.parametrize("name", TOLD)
def test_a_run_reports_what_its_tool_prints(name: str) -> None:
    run = first(name)
    assert {key: getattr(run, key) for key in TOLD[name]} == TOLD[name]


def test_a_run_shows_how_many_notes_it_has() -> None:
    run = first("iperf3/iperf3_3.12_tcp.txt")
    assert "notes" not in repr(replace(run, notes=()))
    assert repr(replace(run, notes=("a", "b"))).endswith(", 2 notes>")


@pytest.mark.parametrize("name", CPU_COUNTS)
def test_the_cpus_of_a_host_are_those_that_the_tool_counts(name: str) -> None:
    run = next(each for each in read_result(SAMPLES / name) if each.cpu)
    assert tuple(use.installed_cpu_count for use in run.cpu) == CPU_COUNTS[name]


def test_rounded_figures_report_what_rounding_leaves_open() -> None:
    result = [(name, run) for name, run in runs(*ROUNDED) if run.goodput_bps is not None]
    assert len(result) > 40
    for name, run in result:
        assert run.goodput_half_width_bps is not None, name
        assert run.goodput_half_width_bps < 0.05 * (run.goodput_bps or 0), name


def test_a_udp_run_reports_the_rate_of_its_sender() -> None:
    """It is never less than what arrived, but for the clocks of both ends and rounding."""
    result = [(name, run) for name, run in runs("*/*.*") if run.protocol == "udp"]
    reported = [(name, run) for name, run in result if run.reported_rate_bps is not None]
    tools = {"iperf3", "iperf2", "netperf", "ntttcp", "nuttcp", "qperf", "sockperf"}
    assert {run.tool for _, run in reported} == tools
    for name, run in reported:
        arrived_bps = (run.goodput_bps or 0) - (run.goodput_half_width_bps or 0)
        assert (run.reported_rate_bps or 0) >= 0.998 * arrived_bps, name
        if run.lost_ratio and run.lost_ratio > 0.01:
            sent_bps = (run.goodput_bps or 0) / (1 - run.lost_ratio)
            assert run.reported_rate_bps == pytest.approx(sent_bps, rel=0.01), name


def altered(name: str, *changes: tuple[str, str]) -> Measurement:
    text = (SAMPLES / name).read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return read_result(text.encode())[0]


def test_a_udp_run_that_contradicts_itself_does_not_report_the_rate_of_the_receiver() -> None:
    nuttcp = altered("nuttcp/nuttcp_6.1.2_udp_over.txt", ("2804.5091", "5804.5091"))
    iperf2 = altered(
        "iperf2/iperf2_2.1.8_udp.txt",
        ("100 Mbits/sec   0.000 ms", "900 Mbits/sec   0.000 ms"),
        ("100 Mbits/sec\n[  1] Sent", "200 Mbits/sec\n[  1] Sent"),
    )
    assert any("nuttcp prints" in note for note in nuttcp.notes)
    assert nuttcp.reported_rate_bps is None
    assert any("iperf2 prints" in note for note in iperf2.notes)
    assert iperf2.reported_rate_bps == 200e6


def test_a_server_of_udp_that_contradicts_itself_reports_no_rate_of_the_sender() -> None:
    name = "iperf2_2.1.8_server_udp_log.txt"
    lines = (SAMPLES / "iperf2" / name).read_text(encoding="utf-8").splitlines()[:7]
    (run,) = read_result("\n".join(lines).replace("100 Mbits", "900 Mbits").encode())
    assert any("iperf2 prints" in note for note in run.notes)
    assert run.goodput_bps == pytest.approx(99.8e6, rel=0.01)
    assert run.reported_rate_bps is None


def test_an_interval_that_iperf3_omits_is_reported_without_verbose_output_too() -> None:
    name = "iperf3/iperf3_3.12_tcp_V_omit.txt"
    assert altered(name, (", omitting 1 seconds", "")).leaves_out_start
    assert not altered(name, (", omitting 1 seconds", ""), ("(omitted)", "")).leaves_out_start


CLASSIC = "nuttcp-t: Info: will use less reliable transmitter side statistics\n"


def test_nuttcp_with_figures_of_its_transmitter_counts_there() -> None:
    tcp = (SAMPLES / "nuttcp" / "nuttcp_6.1.2.txt").read_text(encoding="utf-8")
    udp = (SAMPLES / "nuttcp" / "nuttcp_6.1.2_udp.txt").read_text(encoding="utf-8")
    (stream,), (datagrams,) = (read_result((CLASSIC + text).encode()) for text in (tcp, udp))
    assert stream.is_counted_at_sender
    assert stream.goodput_bps == pytest.approx(13349.8567e6)
    assert datagrams.goodput_bps is None
    assert datagrams.reported_rate_bps == pytest.approx(40.6326e6)
    assert "what was sent" in str(datagrams.why_no_goodput)


def test_segments_are_reported_where_they_crossed_a_line() -> None:
    iperf2 = altered(
        "iperf2/iperf2_2.1.8_e.txt", ("with 127.0.0.1", "with 10.0.0.1"), ("/32741/", "/1448/")
    )
    nuttcp = altered("nuttcp/nuttcp_6.1.2_v.txt", ("127.0.0.1", "10.0.0.1"), ("=32741", "=1448"))
    assert iperf2.segment_bytes == nuttcp.segment_bytes == 1448


@pytest.mark.parametrize(
    ("sizes", "buffer_bytes"),
    [
        ({}, None),
        ({"LSS": 65536}, 65536),
        ({"RSR": 32768}, 32768),
        ({"LSS": 65536, "RSR": 32768}, 32768),
        ({"LSR": 4096, "RSS": 4096}, None),
    ],
)
def test_netperf_reports_the_smaller_buffer_of_both_ends(
    sizes: dict[str, int], buffer_bytes: int | None
) -> None:
    changes = [(f"{key}_SIZE_REQ=-1", f"{key}_SIZE_REQ={size}") for key, size in sizes.items()]
    run = altered("netperf/netperf_2.7.0_omni_k_all.txt", *changes)
    assert run.socket_buffer_bytes == buffer_bytes
