"""Results of sockperf 3.7, as the tool printed them; expected numbers by hand from the samples."""

import hashlib
from functools import partial
from pathlib import Path

import pytest
from changes import with_changes
from damage import (
    require_answered,
    with_each_number_replaced,
)

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

read_sockperf = partial(read_result, format_name="sockperf")

SAMPLES = Path(__file__).parent / "samples" / "sockperf"
RESULTS = sorted(path for path in (SAMPLES.glob("*.txt")) if "server" not in path.name)
TCP = "sockperf_3.7_tp_tcp.txt"
UDP = "sockperf_3.7_tp_udp.txt"
PING_PONG = "sockperf_3.7_pingpong_tcp.txt"


def read(name: str) -> Measurement:
    (run,) = read_sockperf(SAMPLES / name)
    return run


def changed(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


def problem_of(raw: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read_sockperf(raw)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "messages_per_s", "size_bytes"),
    [
        (TCP, 657629, 1448),
        ("sockperf_3.7_tp_buffer_size.txt", 300229, 1448),
        ("sockperf_3.7_tp_8192.txt", 268501, 8192),
        ("sockperf_3.7_tp_giga.txt", 680122, 1448),
        ("sockperf_3.7_tp_precise.txt", 774366, 1448),
        ("sockperf_3.7_tp_mps.txt", 1001, 1472),
    ],
)
def test_payload_is_messages_times_their_size(
    name: str, messages_per_s: int, size_bytes: int
) -> None:
    run = read(name)
    assert run.goodput_bps == messages_per_s * size_bytes * 8
    assert run.goodput_half_width_bps == size_bytes * 8 / 2
    assert run.write_bytes == size_bytes
    assert run.direction is Direction.CLIENT_TO_SERVER
    assert run.notes == ("counted at the sender: data in socket buffers at the end is included",)


def test_a_mega_is_two_to_the_twenty_even_in_mbps() -> None:
    """7265.066 "Mbps" are 7618 Mbit/s: 657629 messages of 1448 byte each second."""
    run = read(TCP)
    assert run.goodput_bps == pytest.approx(7618e6, abs=0.5e6)
    assert run.goodput_bps == pytest.approx(7265.066 * 2**20, abs=0.0005 * 2**20)


def test_set_up_is_read() -> None:
    run = read(TCP)
    assert (run.tool, run.tool_version, run.recorded_by) == ("sockperf", "3.7", Side.CLIENT)
    assert (run.protocol, run.ip_version, run.stream_count) == ("tcp", 4, 1)
    assert run.is_loopback
    assert run.duration_s == 2.0
    raw = (SAMPLES / TCP).read_bytes()
    assert run.sha256 == hashlib.sha256(raw).hexdigest()
    assert run.raw_text == raw.decode()


def test_a_message_rate_that_was_asked_for_is_the_offered_rate() -> None:
    assert read("sockperf_3.7_tp_mps.txt").offered_rate_bps == 1000 * 1472 * 8


def test_what_was_sent_over_udp_is_no_goodput() -> None:
    run = read(UDP)
    assert run.goodput_bps is None
    assert "sent" in str(run.why_no_goodput)
    assert run.reported_rate_bps == 160968 * 1472 * 8
    assert (run.datagram_bytes, run.write_bytes) == (1472, None)


def test_a_size_without_a_note_must_be_that_of_the_bandwidth() -> None:
    assert "no note has the message size" in problem_of(
        changed(UDP, ("225.968 MBps", "125.968 MBps"))
    )


def test_a_bandwidth_that_contradicts_the_count_is_a_note() -> None:
    (run,) = read_sockperf(changed(TCP, ("908.133 MBps", "918.133 MBps")))
    assert any("sockperf prints 7.70186 Gbit/s" in note for note in run.notes)
    (run,) = read_sockperf(changed(TCP, ("in 2.000 sec", "in 2.500 sec")))
    assert any("sockperf prints 7.61797 Gbit/s" in note for note in run.notes)


def test_messages_of_several_sizes_are_a_note() -> None:
    (run,) = read_sockperf(changed(TCP, ("msg-size=1448.", "average msg-size=1448 (+/-10).")))
    assert run.write_bytes == 1448
    assert any("different sizes" in note for note in run.notes)


@pytest.mark.parametrize(
    ("name", "round_trip_s", "rate_tps", "warnings"),
    [
        (PING_PONG, 2 * 36.587e-6, 21167 / 1.55, ()),
        ("sockperf_3.7_pp_full_rtt.txt", 60.95e-6, 9025 / 0.55, ()),
        (
            "sockperf_3.7_pp_burst.txt",
            2 * 17.71e-6,
            47728 / 0.55,
            ("messages were sent in bursts of 4",),
        ),
        (
            "sockperf_3.7_ul_udp.txt",
            2 * 24.559e-6,
            26 / 0.5,
            ("26 of 2501 messages were answered",),
        ),
    ],
)
def test_a_transaction_takes_the_whole_round_trip(
    name: str, round_trip_s: float, rate_tps: float, warnings: tuple[str, ...]
) -> None:
    run = read(name)
    assert run.transaction_time_s == pytest.approx(round_trip_s, rel=1e-12)
    assert run.transaction_rate_tps == pytest.approx(rate_tps, rel=1e-12)
    assert run.notes == warnings
    assert run.goodput_bps is None
    assert run.why_no_goodput


def test_ping_pong_is_busy_all_the_time() -> None:
    """One message under way: rate times time of a transaction is one, but for the last digits."""
    run = read(PING_PONG)
    assert run.transaction_rate_tps is not None
    assert run.transaction_time_s is not None
    assert run.transaction_rate_tps * run.transaction_time_s == pytest.approx(1, rel=2e-3)


def test_an_error_is_reported_and_nothing_else() -> None:
    run = read("sockperf_3.7_error.txt")
    assert run.error == "Can`t connect socket (errno=111 Connection refused)"
    assert (run.goodput_bps, run.transaction_time_s) == (None, None)


@pytest.mark.parametrize("result", RESULTS, ids=lambda path: path.name)
def test_the_format_is_recognised_with_and_without_colours(result: Path) -> None:
    assert read_result(result) == read_sockperf(result)
    plain = result.read_text(encoding="utf-8").replace("\x1b[2;35m", "").replace("\x1b[0m", "")
    (coloured,) = read_sockperf(result)
    (run,) = read_result(plain.encode())
    assert run.goodput_bps == coloured.goodput_bps
    assert run.transaction_time_s == coloured.transaction_time_s


REFUSED = {
    "more than one result": ((SAMPLES / TCP).read_bytes() * 2, "more than one result"),
    "no version": (b"sockperf: Summary: Latency is 1.0 usec", "no line has its version"),
    "cut off": (changed(TCP, ("sockperf: Summary: BandWidth is", "")), "no line 'Summary: BandW"),
    "no connection": (changed(TCP, ("# TCP", "")), "no line '[ 0] IP ='"),
    "SCTP": (changed(TCP, ("# TCP", "# SCTP")), 'line 3: "[ 0] IP'),
    "host name": (changed(TCP, ("IP = 127.0.0.1", "IP = localhost")), "must name an IP address"),
    "no time": (changed(TCP, ("in 2.000 sec", "in 0.000 sec")), "line 8:"),
    "no valid time": (changed(PING_PONG, ("RunTime=1.550", "RunTime=0.000")), "has no duration"),
    "two latencies": (
        changed(PING_PONG, ("36.587 usec\n", "36.587 usec\nsockperf: Summary: x\n")),
        "not the only summary",
    ),
    "three summaries": (
        changed(
            TCP, ("sockperf: Summary: BandW", "sockperf: Summary: x\nsockperf: Summary: BandW")
        ),
        "is one of more than two summaries; keep one result in a file",
    ),
    "infinite": (changed(PING_PONG, ("is 36.587 usec", "is inf usec")), "no line"),
    "only a version": (b"sockperf: == version #3 ==", "no line '[ 0] IP ='"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_fault(name: str) -> None:
    raw, expected = REFUSED[name]
    problem = problem_of(raw)
    assert problem.startswith("<bytes>: ")
    assert expected in problem


def test_lines_are_counted_from_the_first_one_even_if_it_is_empty() -> None:
    raw, _ = REFUSED["no time"]
    assert "line 9:" in problem_of(b"\n" + raw)


def test_a_datagram_cannot_be_larger_than_udp_allows() -> None:
    note = "sockperf: NOTE: test was performed, using msg-size=70000. For"
    raw = changed(UDP, ("sockperf: Summary: Message", f"{note}\nsockperf: Summary: Message"))
    assert "msg-size must be from 1 to 65507; got 70000" in problem_of(raw)


@pytest.mark.thorough
@pytest.mark.parametrize("result", RESULTS, ids=lambda path: path.name)
def test_any_odd_number_gives_measurements_or_a_parse_error(result: Path) -> None:
    for raw in with_each_number_replaced(result.read_bytes()):
        require_answered(read_sockperf, raw)


@pytest.mark.parametrize(
    ("name", "round_trip_us", "protocol"),
    [
        ("sockperf_3.7_line_ulre.txt", 2 * 345.804, "udp"),
        ("sockperf_3.7_line_ulrtt.txt", 5575.311, "udp"),
        ("sockperf_3.7_line_ppmps.txt", 2 * 574.734, "udp"),
        ("sockperf_3.7_line_ppdebug.txt", 2 * 8.394, "udp"),
        ("sockperf_3.7_line_feedpp.txt", 2 * 43.584, "tcp"),
        ("sockperf_3.7_line_playback.txt", 2 * 257.993, "udp"),
        ("made_3.10_pingpong_tcp.txt", 2 * 36.587, "tcp"),
    ],
)
def test_what_is_answered_measures_latency(name: str, round_trip_us: float, protocol: str) -> None:
    (read,) = read_result(SAMPLES / name)
    assert read.measures_latency
    assert read.goodput_bps is None
    assert read.transaction_time_s == pytest.approx(round_trip_us * 1e-6)
    assert (read.protocol, read.cpu, read.run_id) == (protocol, (), None)
    assert read.tool_version == ("3.10" if "3.10" in name else "3.7")


def test_a_run_without_observations_is_an_error() -> None:
    (read,) = read_sockperf(SAMPLES / "sockperf_3.7_line_ppn.txt")
    assert read.error is not None
    assert read.error.startswith("No valid observations found")


def test_throughput_over_several_sockets_is_read() -> None:
    """12535 messages of 1000 byte a second over two connections."""
    (read,) = read_sockperf(SAMPLES / "sockperf_3.7_line_feedtp.txt")
    assert read.goodput_bps == pytest.approx(12535 * 8000, rel=1e-3)
    assert (read.stream_count, read.measures_latency) == (2, False)


def test_a_burst_of_one_message_is_none() -> None:
    (run,) = read_sockperf(changed("sockperf_3.7_pp_burst.txt", ("burst of 4", "burst of 1")))
    assert run.notes == ()


def test_a_third_summary_is_that_of_another_run() -> None:
    """One run prints two, of messages and of their bandwidth."""
    text = (SAMPLES / TCP).read_text(encoding="utf-8")
    (summary,) = (line for line in text.splitlines() if "Summary: BandWidth" in line)
    assert read_sockperf(text.encode())
    assert "more than two summaries" in problem_of(f"{text}{summary}\n".encode())
