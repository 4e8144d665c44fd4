"""Results of nuttcp 6.1.2, as the tool wrote them, with numbers taken from them by hand."""

from functools import partial
from pathlib import Path

import pytest
from changes import with_changes

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

read_nuttcp = partial(read_result, format_name="nuttcp")

SAMPLES = Path(__file__).parent / "samples" / "nuttcp"
TEXT = "nuttcp_6.1.2.txt"
PARSABLE = "nuttcp_6.1.2_fparse.txt"
OVERLOAD = "nuttcp_6.1.2_udp_over.txt"
VERBOSE = "nuttcp_6.1.2_v.txt"
MIB = 2**20


def only(source: Path | bytes) -> Measurement:
    (measurement,) = read_nuttcp(source)
    return measurement


def changed(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


@pytest.mark.parametrize(
    ("name", "size_mb", "time_s", "rate_mbps", "protocol"),
    [
        (TEXT, 3182.1250, 2.00, 13349.8567, "tcp"),
        (PARSABLE, 3574.6875, 2.00, 14993.4085, "tcp"),
        ("nuttcp_6.1.2_fparse_i.txt", 550.7500, 1.00, 4625.5997, "tcp"),
        ("nuttcp_6.1.2_fparse_udp.txt", 4.5703, 1.00, 38.2402, "udp"),
        ("nuttcp_6.1.2_r.txt", 869.3878, 1.00, 7272.2352, "tcp"),
        ("nuttcp_6.1.2_N2.txt", 1182.0586, 1.00, 9911.2869, "tcp"),
        ("nuttcp_6.1.2_udp.txt", 4.7891, 0.99, 40.6326, "udp"),
        ("nuttcp_6.1.2_udp_r.txt", 5.1172, 1.00, 43.0566, "udp"),
        (OVERLOAD, 332.4453, 0.99, 2804.5091, "udp"),
        (VERBOSE, 1471.6287, 1.01, 12272.0084, "tcp"),
    ],
)
def test_goodput_is_what_the_receiver_counted(
    name: str, size_mb: float, time_s: float, rate_mbps: float, protocol: str
) -> None:
    read = only(SAMPLES / name)
    assert read.goodput_bps == pytest.approx(rate_mbps * 1e6)
    assert read.goodput_half_width_bps == pytest.approx(50)
    computed_bps = size_mb * MIB * 8 / time_s
    assert read.goodput_bps == pytest.approx(computed_bps, rel=0.0051 / time_s)
    assert read.received_bytes == round(size_mb * MIB)
    assert (read.duration_s, read.protocol) == (time_s, protocol)
    assert all("derived" in note or "which end sent" in note for note in read.notes)


@pytest.mark.parametrize(
    ("name", "client_percent", "server_percent"),
    [(TEXT, 96, 32), (PARSABLE, 88, 35), ("nuttcp_6.1.2_r.txt", 13, 24)],
)
def test_a_summary_does_not_report_which_end_sent(
    name: str, client_percent: int, server_percent: int
) -> None:
    """The CPU times are %TX and %RX, and the client sends unless -r is given."""
    read = only(SAMPLES / name)
    assert read.direction is None
    busy = {use.side: 100 * use.busy_cpu_count for use in read.cpu}
    assert busy == pytest.approx({Side.CLIENT: client_percent, Side.SERVER: server_percent})
    assert {use.scope for use in read.cpu} == {CpuScope.PROCESS}
    assert any(note.startswith("which end sent is not reported") for note in read.notes)


def test_a_transmitter_that_waits_for_its_rate_in_a_loop_shows_no_cpu_time() -> None:
    """97 %TX at 20 Mbit/s over UDP; over TCP with -R it waits in the same loop (``Nwrite``)."""
    assert only(SAMPLES / "nuttcp_6.1.2_line_uix.txt").cpu == ()
    assert only(SAMPLES / "nuttcp_6.1.2_line_ulv.txt").cpu == ()
    (receiver,) = only(SAMPLES / OVERLOAD).cpu
    assert (receiver.side, receiver.busy_cpu_count) == (Side.SERVER, 0.1)
    sender, receiver = only(SAMPLES / VERBOSE).cpu
    assert (sender.busy_cpu_count, receiver.busy_cpu_count) == (0.13, 0.44)
    limited = ("nuttcp-t: time limit", "nuttcp-t: rate limit = 900 Mbps\nnuttcp-t: time limit")
    assert only(changed(VERBOSE, limited)).cpu == (receiver,)


def test_losses_and_retransmits() -> None:
    read = only(SAMPLES / OVERLOAD)
    assert read.lost_ratio == 27475 / 70028
    assert read.retransmit_count is None
    assert only(SAMPLES / "nuttcp_6.1.2_fparse_udp.txt").lost_ratio == 0
    assert only(changed(PARSABLE, ("retrans=0", "retrans=12"))).retransmit_count == 12
    assert only(changed(TEXT, ("%RX 0 retrans", "%RX 7 retrans"))).retransmit_count == 7


def test_verbose_output_reports_more() -> None:
    read = only(SAMPLES / VERBOSE)
    assert (read.tool_version, read.stream_count) == ("6.1.2", 1)
    assert read.direction is Direction.CLIENT_TO_SERVER
    assert (read.ip_version, read.is_loopback) == (4, True)


def test_mb_and_mbps_have_other_prefixes() -> None:
    read = only(changed(TEXT, ("3182.1250 MB", "3336.6999 MB")))
    assert read.goodput_bps == pytest.approx(3336.6999 * MIB * 8 / 2.00)
    assert any("nuttcp prints 13.3499 Gbit/s" in note for note in read.notes)
    assert read.reported_rate_bps == 13349.8567e6


def test_a_failure_is_an_error_without_values() -> None:
    read = only(SAMPLES / "nuttcp_6.1.2_error.txt")
    assert (read.error, read.tool_version) == ("connect: Connection refused", "6.1.2")
    assert read.goodput_bps is None


def test_messages_of_nuttcp_are_notes() -> None:
    notice = b"nuttcp-t: Info: will use less reliable transmitter side statistics\n"
    read = only(notice + (SAMPLES / TEXT).read_bytes())
    assert read.notes[0] == "will use less reliable transmitter side statistics"


REFUSED = {
    "another text": (b"hello\n", "not a result of nuttcp"),
    "only intervals": ((SAMPLES / TEXT).read_bytes()[:60], "stops before its summary"),
    "two": ((SAMPLES / TEXT).read_bytes() * 2, "holds 2 results"),
    "a key is missing": (changed(PARSABLE, ("rate_Mbps", "rate")), "line 1: rate_Mbps is missing"),
    "NaN": (changed(PARSABLE, ("Mbps=14993.4085", "Mbps=nan")), "line 1: Mbps must be a number"),
    "no time": (changed(PARSABLE, ("seconds=2.00", "seconds=0.00")), "line 1: the test has no dur"),
    "huge": (changed(TEXT, ("3182.1250", "9" * 30)), "line 3: MB must be from 0"),
    "lost": (changed(OVERLOAD, ("27475 / 70028", "70029 / 70028")), "line 1: more datagrams"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_place(name: str) -> None:
    source, expected = REFUSED[name]
    with pytest.raises(ParseError) as caught:
        read_nuttcp(source)
    assert str(caught.value).startswith("<bytes>: ")
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("name", "rate_mbps", "protocol", "datagram_bytes"),
    [
        ("I", 94.5855, "tcp", None),
        ("Iparse", 94.5871, "tcp", None),
        ("fparsev", 94.6051, "tcp", None),
        ("uparsev", 20.0707, "udp", 1024),
        ("frun", 94.6027, "tcp", None),
        ("fboth", 94.5545, None, None),
        ("uix", 19.8947, "udp", 1024),
        ("ufparsex", 19.8198, "udp", 1024),
        ("udrop", 19.9751, "udp", None),
        ("udl", 20.0224, None, None),
        ("ulv", 19.7482, "udp", 1000),
        ("uvr", 19.8716, "udp", 1024),
        ("uoveri", 94.6940, "udp", 1024),
        ("vv", 94.5118, "tcp", None),
        ("N2v", 94.5598, "tcp", None),
    ],
)
def test_every_form_of_the_summary(
    name: str, rate_mbps: float, protocol: str | None, datagram_bytes: int | None
) -> None:
    (read,) = read_result(SAMPLES / f"nuttcp_6.1.2_line_{name}.txt")
    assert read.goodput_bps == pytest.approx(rate_mbps * 1e6)
    assert (read.protocol, read.datagram_bytes) == (protocol, datagram_bytes)
    assert read.run_id is None


def test_a_summary_without_what_tcp_or_udp_reports_has_no_protocol() -> None:
    line = "megabytes=100.0000 real_seconds=10.00 rate_Mbps=83.8861 tx_cpu=1 rx_cpu=2"
    for more, protocol in (
        ("", None),
        (" retrans=0", "tcp"),
        (" rtt_ms=0.31", "tcp"),
        (" drop=0 pkt=102400 data_loss=0.00000", "udp"),
        (" drop=0 pkt=102400", "udp"),
        (" data_loss=0.00000", "udp"),
    ):
        (read,) = read_nuttcp(f"{line}{more}\n".encode())
        assert read.protocol == protocol


def test_verbose_lines_have_retransmits_and_drops() -> None:
    tcp = only(SAMPLES / "nuttcp_6.1.2_line_fparsev.txt")
    assert (tcp.retransmit_count, tcp.segment_bytes, tcp.write_bytes) == (0, 1448, 65536)
    assert tcp.least_round_trip_s == pytest.approx(0.130e-3)
    assert tcp.direction is Direction.CLIENT_TO_SERVER
    for name in ("ulv", "uparsev"):
        assert only(SAMPLES / f"nuttcp_6.1.2_line_{name}.txt").lost_ratio == 0


def test_what_was_sent_is_reported_with_fxmitstats() -> None:
    """All that was sent arrived, 2.3584 MB at 19.8947 Mbit/s; or of 2.4000 MB this."""
    read = only(SAMPLES / "nuttcp_6.1.2_line_uix.txt")
    assert read.reported_rate_bps == pytest.approx(19.8947e6)
    more = changed("nuttcp_6.1.2_line_uix.txt", ("Trans: 2.3584 MB", "Trans: 2.4000 MB"))
    assert only(more).reported_rate_bps == pytest.approx(19.8947e6 * 2.4 / 2.3584)
    read = only(SAMPLES / "nuttcp_6.1.2_line_ufparsex.txt")
    assert read.reported_rate_bps == pytest.approx(19.8198e6)
