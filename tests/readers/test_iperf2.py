"""Results of iperf 2.1.8, as the tool wrote them, with numbers taken from them by hand."""

from functools import partial
from pathlib import Path

import pytest
from changes import with_changes

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

read_iperf2 = partial(read_result, format_name="iperf2")

SAMPLES = Path(__file__).parent / "samples" / "iperf2"
UP, DOWN = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT
LINE = "line200m_iperf2_2.1.8.csv"
TEXT = "iperf2_2.1.8_e.txt"
PARALLEL = "iperf2_2.1.8_e_P2.txt"
UDP = "iperf2_2.1.8_udp.txt"
FULL_DUPLEX = "iperf2_2.1.8_e_fd.txt"
MIB, GIB = 2**20, 2**30


def only(source: Path | bytes) -> Measurement:
    (measurement,) = read_iperf2(source)
    return measurement


def changed(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


@pytest.mark.parametrize(
    ("name", "received_bytes", "duration_s", "rate_bps"),
    [
        ("iperf2_2.1.8.csv", 4770496572, 2.0, 19043214303),
        (LINE, 189792316, 8.1, 188271132),
        ("iperf2_2.1.8_i.csv", 2890137660, 1.0, 22856062380),
        ("iperf2_2.1.8_reverse.csv", 2609250304, 1.0, 20818396494),
        ("iperf2_2.1.8_server.csv", 1865941052, 1.0, 14899011707),
    ],
)
def test_lines_of_csv(name: str, received_bytes: int, duration_s: float, rate_bps: int) -> None:
    read = only(SAMPLES / name)
    assert (read.received_bytes, read.duration_s) == (received_bytes, duration_s)
    assert (read.goodput_bps, read.goodput_half_width_bps) == (rate_bps, 0.5)
    assert read.goodput_bps == pytest.approx(received_bytes * 8 / duration_s, rel=0.05 / duration_s)
    assert (read.protocol, read.stream_count, read.ip_version) == ("tcp", 1, 4)


def test_csv_reports_neither_end_nor_direction() -> None:
    read = only(SAMPLES / LINE)
    assert read.recorded_by is read.direction is None
    assert not read.is_loopback
    assert "does not report whether it counts what was sent or what arrived" in read.notes[0]
    assert read.goodput_bps / 188.296e6 == pytest.approx(0.9999, abs=5e-5)


def test_streams_of_csv_are_added() -> None:
    read = only(SAMPLES / "iperf2_2.1.8_P2.csv")
    assert read.goodput_bps == 23015858567 + 20807225443
    assert read.received_bytes == 2892103740 + 2612789308
    assert read.stream_count == 2


def test_streams_take_as_long_as_the_longest_of_them() -> None:
    second = ",1,0.0-1.0,2612789308"
    read = only(changed("iperf2_2.1.8_P2.csv", (second, second.replace("-1.0", "-1.1"))))
    assert read.duration_s == 1.1


def test_a_sum_of_csv_is_taken() -> None:
    total = b"20261121120000,192.0.2.1,0,192.0.2.2,5001,-1,0.0-1.0,5504893048,43823084010\n"
    read = only((SAMPLES / "iperf2_2.1.8_P2.csv").read_bytes() + total)
    assert (read.goodput_bps, read.stream_count) == (43823084010, 2)


def test_minus_one_datagrams_are_no_report() -> None:
    read = only(SAMPLES / "iperf2_2.1.8_udp.csv")
    assert read.goodput_bps is None
    assert "what was sent" in read.why_no_goodput
    assert read.reported_rate_bps == 100000655
    report = changed("iperf2_2.1.8_udp.csv", ("0.000,0,-1,-0.000,0", "0.002,86,8634,0.996,0"))
    assert only(report).lost_ratio == 86 / 8634


@pytest.mark.parametrize(
    ("name", "size_gib", "duration_s", "direction", "stream_count"),
    [
        ("iperf2_2.1.8.txt", 2.00, 1.0096, UP, 1),
        (TEXT, 4.07, 2.0030, UP, 1),
        (PARALLEL, 4.74, 1.0001, UP, 2),
        ("iperf2_2.1.8_e_reverse.txt", 3.04, 1.0043, DOWN, 1),
        ("iperf2_2.1.8_server_e.txt", 2.52, 1.0017, UP, 1),
    ],
)
def test_text(
    name: str, size_gib: float, duration_s: float, direction: Direction, stream_count: int
) -> None:
    read = only(SAMPLES / name)
    assert read.goodput_bps == pytest.approx(size_gib * GIB * 8 / duration_s, rel=1e-9)
    half_bps = 0.005 * GIB * 8 / duration_s
    assert read.goodput_half_width_bps == pytest.approx(half_bps, rel=0.05)
    assert (read.direction, read.stream_count) == (direction, stream_count)
    assert (read.protocol, read.is_loopback) == ("tcp", True)


@pytest.mark.parametrize(
    ("name", "end", "is_sender"),
    [
        (TEXT, Side.CLIENT, True),
        ("iperf2_2.1.8_e_reverse.txt", Side.CLIENT, False),
        ("iperf2_2.1.8_server_e.txt", Side.SERVER, False),
    ],
)
def test_what_a_sender_counts_is_noted_to_be_that(name: str, end: Side, is_sender: bool) -> None:
    read = only(SAMPLES / name)
    assert read.recorded_by is end
    assert any("counted at the sender" in note for note in read.notes) is is_sender


def test_full_duplex_gives_both_directions() -> None:
    up, down = read_iperf2(SAMPLES / FULL_DUPLEX)
    assert (up.direction, down.direction) == (UP, DOWN)
    assert up.goodput_bps == pytest.approx(1.43 * GIB * 8 / 1.0003)
    assert down.goodput_bps == pytest.approx(1.38 * GIB * 8 / 0.9999)
    assert up.is_bidirectional
    assert down.is_bidirectional


def test_of_udp_the_servers_report_is_the_goodput() -> None:
    report = ("11.9 MBytes   100 Mbits/sec   0.000 ms 0/8636 (0%)",)
    read = only(changed(UDP, (*report, "8.90 MBytes  74.7 Mbits/sec   0.000 ms 2180/8636 (25%)")))
    assert read.goodput_bps == pytest.approx(8.90 * MIB * 8 / 1.0001, rel=1e-9)
    assert read.lost_ratio == 2180 / 8636
    assert read.reported_rate_bps == 100e6
    assert (read.protocol, read.datagram_bytes, read.notes) == ("udp", 1448, ())


def test_udp_without_a_report_of_the_server_has_no_goodput() -> None:
    read = only(SAMPLES / "iperf2_2.1.8_udp_e.txt")
    assert read.goodput_bps is None
    assert "read the server's file" in read.why_no_goodput


def test_a_rate_that_contradicts_bytes_and_time_is_noted() -> None:
    read = only(changed(LINE, ("188271132", "198271132")))
    assert read.goodput_bps == pytest.approx(189792316 * 8 / 8.1)
    assert any("iperf2 prints 198.271 Mbit/s" in note for note in read.notes)
    assert read.reported_rate_bps == 198271132


def test_a_failure_is_an_error_without_values() -> None:
    read = only(SAMPLES / "iperf2_2.1.8_error.txt")
    assert read.error == "tcp connect failed: Connection refused"
    assert read.goodput_bps is None


REFUSED = {
    "another text": (b"hello\n", "not a result of iperf2"),
    "two clients in turn": (
        (SAMPLES / "iperf2_2.1.8_server_udp_log.txt").read_bytes(),
        "holds 2 results",
    ),
    "two": ((SAMPLES / TEXT).read_bytes() * 2, "holds 2 tests"),
    "two of CSV": ((SAMPLES / LINE).read_bytes() * 2, "line 2: a second summary"),
    "two clients at once, one of them both ways": (
        changed(
            "iperf2_2.1.8_line_e_fd_server.txt",
            (
                "[SUM] 0.0000-1.0660 sec  24.1 MBytes   190 Mbits/sec",
                "[  2] 0.0000-1.0660 sec  12.0 MBytes  94.4 Mbits/sec",
            ),
        ),
        "holds 2 results",
    ),
    "cut": ((SAMPLES / TEXT).read_bytes()[:500], "stops before its first result"),
    "intervals": (
        b"".join((SAMPLES / "iperf2_2.1.8_i.csv").read_bytes().splitlines(True)[:2]),
        "line 2: the text stops before its summary",
    ),
    "other fields": (changed(LINE, ("188271132", "188271132,1")), "line 1: not a line of iperf"),
    "unit": (changed(TEXT, ("17.4 Gbits", "17.4 Xbits")), "line 11: unknown unit"),
    "no time": (changed(LINE, ("0.0-8.1", "0.0-0.0")), "line 1: the test has no duration"),
    "huge": (changed(LINE, ("189792316", "9" * 30)), "line 1: bytes must be a whole number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_place(name: str) -> None:
    source, expected = REFUSED[name]
    with pytest.raises(ParseError) as caught:
        read_iperf2(source)
    assert str(caught.value).startswith("<bytes>: ")
    assert expected in str(caught.value)


LINE_100M = "iperf2_2.1.8_line_"


@pytest.mark.parametrize(
    ("name", "up_bps", "down_bps"),
    [
        ("plain_fd.txt", 11.9 * MIB * 8 / 1.0033, 94.4e6),
        ("plain_fd_server.txt", 94.0e6, 12.0 * MIB * 8 / 1.0012),
        ("plain_fdi.txt", 97.5e6, 94.3e6),
        ("e_fd_server.txt", 94.4e6, 12.1 * MIB * 8 / 1.0004),
        ("plain_d.txt", 90.9e6, 88.2e6),
        ("plain_d_server.txt", 92.0e6, 88.1e6),
        ("plain_r.txt", 94.2e6, 94.6e6),
        ("e_r.txt", 93.4e6, 94.7e6),
        ("ttfd.txt", 12.3 * MIB * 8 / 1.0123, 94.4e6),
        ("plain_ud.txt", 20.0e6, 20.0e6),
        ("e_ud_server.txt", 20.0e6, 20.0e6),
    ],
)
def test_both_directions_are_kept_apart(name: str, up_bps: float, down_bps: float) -> None:
    """On a line of 100 Mbit/s; the [SUM] of 188 Mbit/s that is printed too is of neither."""
    up, down = read_iperf2(SAMPLES / f"{LINE_100M}{name}")
    assert (up.direction, down.direction) == (UP, DOWN)
    assert up.goodput_bps == pytest.approx(up_bps, rel=3e-3)
    assert down.goodput_bps == pytest.approx(down_bps, rel=3e-3)
    assert up.recorded_by is (Side.SERVER if "server" in name else Side.CLIENT)
    is_in_turn = "_r." in name
    assert {up.is_bidirectional, down.is_bidirectional} == {not is_in_turn}


def test_a_sum_of_both_directions_is_no_goodput() -> None:
    """With the figures of a line of 100 Mbit/s: 95.8 and 94.5, of which iperf 2 prints 188.96."""
    text = changed(
        f"{LINE_100M}plain_fd.txt",
        ("99.3 Mbits", "95.8 Mbits"),
        ("11.9 MBytes", "11.5 MBytes"),
        ("94.4 Mbits", "94.5 Mbits"),
        (" 188 Mbits", "188.96 Mbits"),
    )
    up, down = read_iperf2(text)
    assert up.goodput_bps == pytest.approx(95.8e6, rel=5e-3)
    assert down.goodput_bps == pytest.approx(94.5e6, rel=5e-3)


def test_streams_of_both_directions_are_added_each_for_itself() -> None:
    """45.5 and 59.3 Mbit/s were sent, 44.3 and 45.1 came back."""
    up, down = read_iperf2(SAMPLES / f"{LINE_100M}plain_fdP2.txt")
    assert up.goodput_bps == pytest.approx(45.5e6 + 59.3e6, rel=3e-3)
    assert down.goodput_bps == pytest.approx(44.3e6 + 45.1e6, rel=3e-3)
    assert (up.stream_count, down.stream_count) == (2, 2)


def test_a_sum_of_one_direction_that_came_back_is_taken() -> None:
    read = only(SAMPLES / f"{LINE_100M}plain_RP2.txt")
    assert read.goodput_bps == pytest.approx(94.6e6)
    assert (read.direction, read.stream_count) == (DOWN, 2)


def test_rows_of_csv_are_directions_by_what_sent_them() -> None:
    up, down = read_iperf2(SAMPLES / f"{LINE_100M}plain_fd.csv")
    assert (up.goodput_bps, down.goodput_bps) == (99959461, 93481921)
    assert (up.direction, down.direction, up.recorded_by) == (UP, DOWN, Side.CLIENT)
    assert (up.part, down.part) == ("sent by 192.0.2.1", "sent by 192.0.2.2")
    assert up.is_counted_at_sender
    assert not down.is_counted_at_sender
    back, forth = read_iperf2(SAMPLES / f"{LINE_100M}plain_fd_server.csv")
    assert (back.goodput_bps, forth.goodput_bps) == (100044818, 92348190)
    assert (back.direction, back.part) == (None, "sent by 192.0.2.2")
    assert up.run_id == down.run_id == back.run_id == forth.run_id


def test_a_line_of_csv_without_a_peer_does_not_hide_a_loopback() -> None:
    """What comes back over a connection has :: for its peer, which is no host."""
    name = f"{LINE_100M}plain_fd.csv"
    both = read_iperf2(changed(name, ("192.0.2.1", "127.0.0.1"), ("192.0.2.2", "127.0.0.1")))
    assert {run.is_loopback for run in both} == {True}
    assert {run.is_loopback for run in read_iperf2(SAMPLES / name)} == {False}


def test_both_directions_of_one_host_are_kept_apart_by_their_ports() -> None:
    """Both rows are sent by 127.0.0.1, from port 5001 and from 45058."""
    name = f"{LINE_100M}plain_fd_server.csv"
    runs = read_iperf2(changed(name, ("192.0.2.1", "127.0.0.1"), ("192.0.2.2", "127.0.0.1")))
    assert [run.goodput_bps for run in runs] == [100044818, 92348190]
    assert {run.is_loopback for run in runs} == {True}
    assert {run.is_bidirectional for run in runs} == {True}


def test_streams_of_csv_are_added_for_each_direction() -> None:
    up, down = read_iperf2(SAMPLES / f"{LINE_100M}e_fdP2.csv")
    assert up.goodput_bps == 44006610 + 61220465
    assert down.goodput_bps == 45182716 + 44892235


def test_two_connections_of_csv_ran_at_once_or_in_turn() -> None:
    for name in ("e_d.csv", "e_d_server.csv"):
        forth, back = read_iperf2(SAMPLES / f"{LINE_100M}{name}")
        assert (forth.part, back.part) == ("sent by 192.0.2.1", "sent by 192.0.2.2")
        assert any("at once (-d) or in turn (-r)" in note for note in back.notes)


def test_a_sum_alone_has_no_goodput() -> None:
    """24.5 MBytes at 185 Mbit/s over 100 Mbit/s: the sum of two streams in each direction."""
    read = only(SAMPLES / f"{LINE_100M}so_fd.txt")
    assert read.goodput_bps is None
    assert read.reported_rate_bps == 185e6
    assert "--sum-only" in read.why_no_goodput
    total = b"20261121120000,192.0.2.1,0,192.0.2.2,5001,-1,0.0-1.0,5504893048,43823084010\n"
    assert only(total).goodput_bps is None


def test_reports_of_udp_behind_a_sum_alone_are_read() -> None:
    read = only(SAMPLES / f"{LINE_100M}so_u.txt")
    assert read.goodput_bps == pytest.approx(2 * 10.0e6, rel=6e-3)
    assert read.lost_ratio == 1 / (854 + 854)


@pytest.mark.parametrize("name", ["plain_fd", "plain_fdP2", "plain_d", "plain_uP2", "e_fd", "tt"])
def test_both_ends_of_a_run_have_one_id(name: str) -> None:
    paths = [SAMPLES / f"{LINE_100M}{name}{end}.txt" for end in ("", "_server")]
    ids = {run.run_id for path in paths for run in read_iperf2(path)}
    assert len(ids) == 1
    assert None not in ids


def test_a_run_with_hidden_addresses_has_no_id() -> None:
    assert only(SAMPLES / f"{LINE_100M}hide.txt").run_id is None


def test_a_server_prints_no_size_of_datagrams_and_it_follows() -> None:
    """2504880 byte over 1704 datagrams are 1470 byte each."""
    assert only(SAMPLES / f"{LINE_100M}plain_u_server.csv").datagram_bytes == 1470


def test_a_missing_report_of_a_stream_is_noted() -> None:
    text = (SAMPLES / f"{LINE_100M}plain_uP2.txt").read_text(encoding="utf-8")
    read = only(text.partition("[  1] Server Report:")[0].encode())
    assert read.goodput_bps is None
    assert "report of a stream is missing" in read.why_no_goodput


def test_a_report_that_is_missing_beside_a_sum_alone_leaves_no_goodput() -> None:
    """[SUM-2] is what two streams sent: two reports must follow."""
    text = (SAMPLES / f"{LINE_100M}so_u.txt").read_text(encoding="utf-8")
    whole = only(text.encode())
    assert whole.goodput_bps == pytest.approx(2 * 10e6, rel=0.01)
    assert whole.offered_rate_bps is None
    cut = only(text.partition("[  2] Server Report:")[0].encode())
    assert cut.goodput_bps is None
    assert "report of a stream is missing" in cut.why_no_goodput


def test_the_offered_rate_is_that_of_all_streams() -> None:
    """1470 byte each 588 us are 20 Mbit/s; two streams send as much."""
    assert only(SAMPLES / f"{LINE_100M}plain_uP2.txt").offered_rate_bps == pytest.approx(40e6)


def test_bounceback_measures_latency() -> None:
    """Ten bounces of 100 byte in 1.0029 s, 0.074 ms each; its 13441 rps is the inverse of that."""
    read = only(SAMPLES / f"{LINE_100M}bb.txt")
    assert read.measures_latency
    assert read.goodput_bps is None
    assert read.transaction_time_s == pytest.approx(74e-6)
    assert read.transaction_rate_tps == pytest.approx(10 / 1.0029)
    assert (read.request_bytes, read.response_bytes) == (100, 100)
    assert only(SAMPLES / f"{LINE_100M}bb_server.txt").measures_latency
