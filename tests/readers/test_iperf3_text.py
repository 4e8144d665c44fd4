"""What iperf3 3.12 prints without -J, with numbers taken from it by hand."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from changes import with_changes
from runs import SAMPLES

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

read_iperf3_text = partial(read_result, format_name="iperf3-text")

UP, DOWN = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT
TCP = "iperf3_3.12_tcp.txt"
PARALLEL = "iperf3_3.12_tcp_P2.txt"
BIDIRECTIONAL = "iperf3_3.12_tcp_bidir.txt"
VERBOSE = "iperf3_3.12_tcp_V.txt"
OVERLOAD = "iperf3_3.12_udp_overload.txt"
KIB, MIB, GIB = 2**10, 2**20, 2**30


class Run(NamedTuple):
    """The receiver's line of a sample: bytes, seconds, rate with its rounding, the sender's."""

    name: str
    received_bytes: float
    duration_s: float
    goodput_bps: float
    half_width_bps: float
    sent_bps: float | None
    direction: Direction = UP
    protocol: str | None = "tcp"
    stream_count: int = 1
    retransmit_count: int | None = None
    lost_ratio: float | None = None


TCP_TAIL = (
    b"[  5]   0.00-10.00  sec  1.09 GBytes   940 Mbits/sec   12             sender\n",
    b"[  5]   0.00-10.00  sec  1.09 GBytes   939 Mbits/sec                  receiver\n",
)
RUNS = [
    Run(TCP, 4.11 * GIB, 2.00, 17.6e9, 0.05e9, 17.6e9, retransmit_count=21),
    Run(PARALLEL, 1.62 * GIB, 1.01, 13.8e9, 0.05e9, 13.9e9, stream_count=2, retransmit_count=3),
    Run("iperf3_3.12_tcp_reverse.txt", 1.5 * GIB, 1, 12.8e9, 0.05e9, 12.9e9, DOWN, "tcp", 1, 24),
    Run(VERBOSE, 1.76 * GIB, 1.01, 15.0e9, 0.05e9, 15.1e9, retransmit_count=1),
    Run(BIDIRECTIONAL, 797 * MIB, 1, 6.67e9, 0.005e9, 6.70e9, retransmit_count=16),
    Run(BIDIRECTIONAL, 654 * MIB, 1, 5.47e9, 0.005e9, 5.51e9, DOWN, "tcp", 1, 20),
    Run("iperf3_3.12_server_tcp.txt", 1.02 * GIB, 1, 8.7e9, 0.005e9, None),
    Run("iperf3_3.12_udp.txt", 11.9 * MIB, 1, 99.9e6, 0.05e6, 99.9e6, UP, "udp", 1, None, 0),
    Run(OVERLOAD, 54.5 * MIB, 1, 458e6, 0.5e6, 1.67e9, UP, "udp", 1, None, 104689 / 144190),
    Run(
        "iperf3_3.12_udp_reverse_P2.txt",
        23.8 * MIB,
        1,
        200e6,
        0.5e6,
        200e6,
        DOWN,
        "udp",
        2,
        None,
        0,
    ),
    Run("iperf3_3.12_udp_bidir.txt", 5.96 * MIB, 1.01, 49.7e6, 5e4, 50e6, UP, "udp", 1, None, 0),
    Run("iperf3_3.12_udp_bidir.txt", 5.96 * MIB, 1.01, 49.7e6, 5e4, 50e6, DOWN, "udp", 1, None, 0),
    Run("iperf3_3.12_server_udp.txt", 5.96 * MIB, 1, 50e6, 5e4, None, UP, "udp", 1, None, 0),
    Run(
        "iperf3_3.12_tcp_fK.txt",
        *(1.77 * GIB, 1.00, 1846672 * KIB * 8, 0.5 * KIB * 8, 1851084 * KIB * 8),
        retransmit_count=1,
    ),
]


def only(source: Path | bytes) -> Measurement:
    (measurement,) = read_iperf3_text(source)
    return measurement


def changed(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.name}-{run.direction.value}")
def test_goodput_is_that_of_the_receivers_line(run: Run) -> None:
    measured = read_iperf3_text(SAMPLES / run.name)
    (read,) = [each for each in measured if each.direction is run.direction]
    assert read.received_bytes == round(run.received_bytes)
    assert read.goodput_bps == pytest.approx(run.goodput_bps)
    assert read.goodput_half_width_bps == pytest.approx(run.half_width_bps)
    computed_bps = run.received_bytes * 8 / run.duration_s
    assert read.goodput_bps == pytest.approx(computed_bps, rel=0.012)
    assert read.reported_rate_bps == (run.sent_bps and pytest.approx(run.sent_bps))
    reported = (read.duration_s, read.protocol, read.stream_count, read.retransmit_count)
    assert reported == (run.duration_s, run.protocol, run.stream_count, run.retransmit_count)
    assert read.lost_ratio == run.lost_ratio
    assert read.is_bidirectional == (len(measured) == 2)
    assert (read.tool, read.ip_version, read.is_loopback) == ("iperf3", 4, True)
    assert all("derived" in note or "taken as TCP" in note for note in read.notes)


def test_a_long_run_has_the_finer_rate() -> None:
    row = "0.00-10.00  sec  1.09 GBytes   939 Mbits/sec                  receiver"
    read = only(
        changed(
            TCP, ("0.00-2.00   sec  4.11 GBytes  17.6 Gbits/sec                  receiver", row)
        )
    )
    assert (read.goodput_bps, read.goodput_half_width_bps) == (939e6, 0.5e6)


def test_bytes_and_time_are_taken_where_they_are_finer() -> None:
    row = "0.00-600.00 sec  9.99 GBytes   143 Mbits/sec                  receiver"
    read = only(
        changed(
            TCP, ("0.00-2.00   sec  4.11 GBytes  17.6 Gbits/sec                  receiver", row)
        )
    )
    assert read.goodput_bps == pytest.approx(9.99 * GIB * 8 / 600)
    least_bps = (9.99 - 0.005) * GIB * 8 / 600.005
    assert read.goodput_half_width_bps == pytest.approx(read.goodput_bps - least_bps, rel=1e-3)


def test_a_rate_that_contradicts_bytes_and_time_is_noted() -> None:
    read = only(
        changed(TCP, ("17.6 Gbits/sec                  rec", "18.6 Gbits/sec          rec"))
    )
    assert read.goodput_bps == pytest.approx(4.11 * GIB * 8 / 2.00)
    assert any("iperf3 prints 18.6 Gbit/s" in note for note in read.notes)


def test_verbose_output_reports_version_cpu_and_congestion_control() -> None:
    read = only(SAMPLES / VERBOSE)
    assert (read.tool_version, read.congestion_control) == ("3.12", "bbr")
    assert (read.write_bytes, read.segment_bytes) == (131072, None)
    assert [use.busy_cpu_count for use in read.cpu] == pytest.approx([0.334, 0.262])
    assert [use.side for use in read.cpu] == [Side.CLIENT, Side.SERVER]
    assert {use.scope for use in read.cpu} == {CpuScope.PROCESS}


def test_a_segment_size_is_reported_or_was_asked_for() -> None:
    away = ("connected to 127.0.0.1", "connected to 192.0.2.2")
    reported = only(changed(VERBOSE, away, ("TCP MSS: 32768", "TCP MSS: 1448")))
    assert (reported.segment_bytes, reported.requested_mss_bytes) == (1448, None)
    asked = only(changed(VERBOSE, away, ("TCP MSS: 32768 (default)", "TCP MSS: 1000")))
    assert (asked.segment_bytes, asked.requested_mss_bytes) == (None, 1000)


def test_output_of_the_server_is_passed_over() -> None:
    server = (SAMPLES / "iperf3_3.12_server_tcp.txt").read_text(encoding="utf-8")
    read = only(changed(TCP, ("\niperf Done.", f"\nServer output:\n{server}\niperf Done.")))
    assert read.goodput_bps == 17.6e9


def test_a_server_that_sent_does_not_report_what_arrived() -> None:
    read = only(changed("iperf3_3.12_server_tcp.txt", (" receiver", " sender")))
    assert read.direction is DOWN
    assert read.goodput_bps is None
    assert "read the client's" in read.why_no_goodput


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ((SAMPLES / "iperf3_3.12_error.txt").read_bytes(), "unable to connect to server"),
        (
            (SAMPLES / TCP).read_bytes()[:300] + b"\niperf3: interrupt - the client has terminated",
            "the client has terminated",
        ),
    ],
)
def test_a_failure_is_an_error_without_values(text: bytes, error: str) -> None:
    read = only(text)
    assert read.error.startswith(error)
    assert read.goodput_bps is None


REFUSED = {
    "another text": (b"hello\n", "not the text of iperf3"),
    "JSON": (b'{"start": {"version": "iperf 3.12"}}', "not the text of iperf3"),
    "cut": ((SAMPLES / TCP).read_bytes()[:520], "stops before its receiver line"),
    "cut before the sum": (
        (SAMPLES / PARALLEL).read_bytes().partition(b"\n[SUM]   0.00-1.00   sec  1.62 GB")[0],
        "stops before its receiver line",
    ),
    "cut before its results": ((SAMPLES / TCP).read_bytes()[:200], "stops before its first result"),
    "cut before its second direction": (
        (SAMPLES / BIDIRECTIONAL).read_bytes().partition(b"[  7][RX-C]")[0],
        "stops before its second direction",
    ),
    "SCTP": ((SAMPLES / "made_sctp_V.txt").read_bytes(), 'line 9: a test over "SCTP"'),
    "unit": (changed(TCP, ("17.6 Gbits", "17.6 Xbits")), "line 8: unknown unit"),
    "no time": (changed(TCP, ("0.00-2.00", "0.00-0.00")), "line 9: the test has no duration"),
    "huge": (changed(TCP, ("4.11 GB", "9" * 30 + " GB")), "line 8: the transfer must be from 0"),
    "loss": (
        changed(OVERLOAD, ("104689/144190", "x/144190")),
        "line 8: must end in retransmits, or in jitter and loss",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_place(name: str) -> None:
    source, expected = REFUSED[name]
    with pytest.raises(ParseError) as caught:
        read_iperf3_text(source)
    assert str(caught.value).startswith("<bytes>: ")
    assert expected in str(caught.value)


def test_several_runs_of_one_file_have_their_number() -> None:
    """Three runs that --logfile wrote behind one another: 94.6 Mbit/s arrived in each."""
    runs = read_iperf3_text(SAMPLES / "iperf3_3.12_line_log.txt")
    assert [run.part for run in runs] == ["run 1", "run 2", "run 3"]
    assert [run.goodput_bps for run in runs] == [94.6e6] * 3
    assert len({run.run_id for run in runs}) == 3
    assert only(SAMPLES / TCP).part is None


def test_a_server_that_waits_has_all_its_runs_and_its_end_is_none() -> None:
    runs = read_iperf3_text(SAMPLES / "iperf3_3.12_line_server_log.txt")
    assert [run.part for run in runs] == [f"run {number}" for number in range(1, 7)]
    assert {run.error for run in runs} == {None}
    assert [run.goodput_bps for run in runs] == [94.6e6] * 6


def test_an_attempt_that_failed_is_a_run_of_its_own() -> None:
    good = (SAMPLES / TCP).read_bytes()
    failed = (SAMPLES / "iperf3_3.12_error.txt").read_bytes()
    runs = read_iperf3_text(good + failed + good)
    assert [run.error is None for run in runs] == [True, False, True]
    assert [run.goodput_bps for run in runs] == [17.6e9, None, 17.6e9]


@pytest.mark.parametrize(
    ("client", "server"),
    [
        ("iperf3_3.12_line_6.txt", "iperf3_3.12_line_6_server.txt"),
        ("iperf3_3.12_line_V6.txt", "iperf3_3.12_line_V6_server.txt"),
        ("iperf3_3.12_line_bidirP2.txt", "iperf3_3.12_line_bidirP2_server.txt"),
    ],
)
def test_both_ends_of_a_run_have_one_id(client: str, server: str) -> None:
    ids = {run.run_id for name in (client, server) for run in read_iperf3_text(SAMPLES / name)}
    assert len(ids) == 1
    assert None not in ids
    assert only(SAMPLES / TCP).run_id not in ids


@pytest.mark.parametrize("name", ["timestamps", "timestamps_iso", "title"])
def test_what_stands_before_each_line_is_passed_over(name: str) -> None:
    """11.3 MBytes in 1.00 s at 94.6 Mbit/s, behind a time or a title."""
    path = SAMPLES / f"iperf3_3.12_line_{name}.txt"
    (read,) = read_result(path)
    assert read == only(path)
    assert (read.goodput_bps, read.protocol, read.direction) == (94.6e6, "tcp", UP)
    assert read.run_id is not None


def test_text_of_windows_has_no_retransmits_and_is_taken_as_tcp() -> None:
    """UDP has Jitter and Lost/Total Datagrams in its summary."""
    (read,) = read_result(SAMPLES / "made_3.1_windows_tcp.txt")
    assert (read.goodput_bps, read.reported_rate_bps) == (940e6, 942e6)
    assert (read.protocol, read.retransmit_count, read.duration_s) == ("tcp", None, 10.0)
    assert read.notes == ("its lines have neither jitter nor loss: taken as TCP",)


def test_the_end_of_a_text_is_tcp_where_it_has_retransmits() -> None:
    (read,) = read_result(b"".join(TCP_TAIL))
    assert (read.protocol, read.retransmit_count, read.notes) == ("tcp", 12, ())
    (read,) = read_result(TCP_TAIL[1])
    assert (read.protocol, read.retransmit_count) == ("tcp", None)
    assert "taken as TCP" in read.notes[0]


def test_text_of_3_0_has_bandwidth_for_bitrate() -> None:
    (read,) = read_result(SAMPLES / "made_3.0_tcp_P2.txt")
    assert (read.goodput_bps, read.stream_count, read.retransmit_count) == (940e6, 2, 7)
    assert read.protocol == "tcp"


def test_udp_of_3_1_prints_what_was_sent_and_the_share_that_was_lost() -> None:
    """119 MiB in 10 s are 99.82 Mbit/s; 305 of 15258 were lost; 119 MiB / 15258 are 8178 byte."""
    (read,) = read_result(SAMPLES / "made_3.1_udp.txt")
    sent_bps = 119 * MIB * 8 / 10
    assert read.reported_rate_bps == pytest.approx(sent_bps)
    assert read.goodput_bps == pytest.approx(sent_bps * (1 - 305 / 15258))
    assert read.received_bytes == pytest.approx(119 * MIB * (1 - 305 / 15258))
    assert read.lost_ratio == 305 / 15258
    assert (read.protocol, read.datagram_bytes) == ("udp", 8192)
    assert len(read.notes) == 2


def test_udp_of_3_1_at_its_server_says_nothing_of_what_arrived() -> None:
    """Its line has what was sent and what was lost; without a datagram there is no share either."""
    raw = (SAMPLES / "made_3.1_udp.txt").read_bytes()
    listening = raw.replace(
        b"Connecting to host 192.0.2.2, port 5201", b"Accepted connection from 192.0.2.1, port 5"
    )
    at_server = only(listening)
    assert (at_server.recorded_by, at_server.goodput_bps) == (Side.SERVER, None)
    assert at_server.lost_ratio == 305 / 15258
    assert at_server.reported_rate_bps == pytest.approx(119 * MIB * 8 / 10)
    assert at_server.why_no_goodput is not None
    assert at_server.why_no_goodput.startswith("iperf3 3.0 and 3.1 print no count of the receiver")
    nothing = only(raw.replace(b"305/15258 (2%)", b"0/0 (0%)"))
    assert (nothing.goodput_bps, nothing.lost_ratio) == (None, None)
    assert nothing.why_no_goodput == at_server.why_no_goodput


def test_the_last_line_alone_is_enough() -> None:
    (read,) = read_result(SAMPLES / "made_pasted_receiver.txt")
    assert (read.goodput_bps, read.goodput_half_width_bps) == (939e6, 0.5e6)
    assert (read.recorded_by, read.direction, read.run_id) == (None, None, None)
    (read,) = read_result(SAMPLES / "made_pasted_udp.txt")
    assert (read.goodput_bps, read.reported_rate_bps) == (98.9e6, 99.9e6)
    assert (read.protocol, read.lost_ratio) == ("udp", 863 / 86264)


def test_the_sender_alone_does_not_report_what_arrived() -> None:
    line = b"[  5]   0.00-10.00  sec  1.09 GBytes   940 Mbits/sec    0             sender\n"
    read = only(line)
    assert read.goodput_bps is None
    assert read.reported_rate_bps == 940e6
    assert "add the receiver's line" in read.why_no_goodput


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("iperf3_3.12_line_udp_l1000.txt", 1000),
        ("iperf3_3.12_line_uP2.txt", 1448),
        ("iperf3_3.12_udp_overload.txt", 1448),
        ("iperf3_3.12_line_udp_k100.txt", None),
    ],
)
def test_the_size_of_datagrams_follows_from_bytes_and_datagrams(name: str, size: int) -> None:
    """4.77 MBytes over 4999 datagrams are 1000 byte; of 100 datagrams the rounding leaves 3 %."""
    read = only(SAMPLES / name)
    assert read.datagram_bytes == size
    assert any(f"datagram size {size} byte derived" in note for note in read.notes) is bool(size)


def test_verbose_output_has_the_size_of_datagrams_itself() -> None:
    read = only(SAMPLES / "iperf3_3.12_line_uV.txt")
    assert (read.datagram_bytes, read.notes) == (1448, ())
