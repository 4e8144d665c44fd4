"""Results of qperf 0.4.11, as the tool printed them; expected numbers by hand from the samples."""

from functools import partial
from pathlib import Path

import pytest
from changes import with_changes
from damage import (
    require_answered,
    with_each_number_replaced,
)

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import CpuUse, Direction, read_result

read_qperf = partial(read_result, format_name="qperf")

SAMPLES = Path(__file__).parent / "samples" / "qperf"
FILES = sorted(SAMPLES.glob("*.txt"))
CONFIGURATION = SAMPLES / "qperf_0.4.11_conf.txt"
RESULTS = [file for file in FILES if file != CONFIGURATION]
VERBOSE = "qperf_0.4.11_v.txt"
VERBOSE_UDP = "qperf_0.4.11_v_udp.txt"
ALL = "qperf_0.4.11_vv.txt"
UNIFIED = "qperf_0.4.11_uu.txt"
BITS = "qperf_0.4.11_ub.txt"


def changed(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


def problem_of(raw: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read_qperf(raw)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "goodput_bps", "half_width_bps"),
    [
        (VERBOSE, 1.66e9 * 8, 0.005e9 * 8),
        ("qperf_0.4.11_plain.txt", 1.46e9 * 8, 0.005e9 * 8),
        ("qperf_0.4.11_e6.txt", 1.85198e9 * 8, 0.000005e9 * 8),
        (BITS, 22e9, 0.5e9),
        (UNIFIED, 1605959680 * 8, 0.5 * 8),
        (ALL, 1.05e9 * 8, 0.005e9 * 8),
    ],
)
def test_prefixes_are_decimal(name: str, goodput_bps: float, half_width_bps: float) -> None:
    run = read_qperf(SAMPLES / name)[0]
    assert run.goodput_bps == pytest.approx(goodput_bps, rel=1e-12)
    assert run.goodput_half_width_bps == pytest.approx(half_width_bps, rel=1e-12)
    assert run.direction is Direction.CLIENT_TO_SERVER
    assert (run.tool, run.tool_version, run.protocol, run.stream_count) == ("qperf", None, "tcp", 1)


def test_goodput_over_udp_is_what_arrived() -> None:
    run, _ = read_qperf(SAMPLES / VERBOSE_UDP)
    assert run.goodput_bps == pytest.approx(4.27e9 * 8)
    assert run.reported_rate_bps == pytest.approx(4.39e9 * 8)
    assert run.lost_ratio == pytest.approx(1 - 4.27 / 4.39)
    assert run.protocol == "udp"


def test_cpus_are_those_of_the_whole_host_and_may_pass_one() -> None:
    run, _ = read_qperf(SAMPLES / VERBOSE)
    rate_bps = 1.66e9 * 8
    assert run.cpu == (
        CpuUse(1.19, pytest.approx(rate_bps), CpuScope.SYSTEM, Side.CLIENT),
        CpuUse(1.19, pytest.approx(rate_bps), CpuScope.SYSTEM, Side.SERVER),
    )
    assert run.notes == ()
    consumption = run.cpu[0].consumption
    assert consumption is not None
    # 718 ms/GB are 718000 µs for 8 Gbit; the CPUs are rounded to a half of 119.
    assert consumption.us_per_gbit == pytest.approx(718e3 / 8, rel=0.5 / 119 + 0.005 / 1.66)


def test_each_end_of_udp_has_the_payload_that_it_moved() -> None:
    run, _ = read_qperf(SAMPLES / VERBOSE_UDP)
    assert [use.payload_rate_bps for use in run.cpu] == pytest.approx([4.39e9 * 8, 4.27e9 * 8])


def test_a_transaction_is_two_messages() -> None:
    """16668 messages came back in the second in which qperf counts 33.3 thousand."""
    *_, run = read_qperf(SAMPLES / ALL)
    assert run.transaction_time_s == pytest.approx(2 * 30e-6)
    assert run.transaction_rate_tps == pytest.approx(33.3e3 / 2)
    assert run.transaction_rate_tps == pytest.approx(16668, rel=2e-3)
    _, run = read_qperf(SAMPLES / VERBOSE)
    assert run.transaction_time_s == pytest.approx(2 * 27.9e-6)
    assert run.transaction_rate_tps == pytest.approx(35.8e3 / 2)
    assert run.goodput_bps is None
    assert run.measures_latency
    assert run.why_no_goodput.startswith("a test of latency")


def test_a_size_is_taken_where_it_is_exact() -> None:
    (run,) = read_qperf(SAMPLES / BITS)
    assert run.write_bytes == 8192
    stream, datagrams, _ = read_qperf(SAMPLES / ALL)
    assert (stream.write_bytes, datagrams.datagram_bytes) == (None, None)
    assert stream.notes == ("msg_size of 1 KB is left out, because it is rounded",)
    _, run, answers = read_qperf(changed(ALL, ("1 KB\n", "1000 bytes\n")))
    assert run.datagram_bytes == 1000
    assert (answers.request_bytes, answers.response_bytes) == (1000, 1000)


@pytest.mark.parametrize(
    ("printed", "size_bytes"),
    [
        ("1.448 KB", 1448),  # thousandths of 1000 byte are whole bytes
        ("1.448 KiB", None),  # those of 1024 byte are not: 1482.2 to 1483.3
        ("1.4141 KiB", 1448),  # 1447.99 to 1448.09
        ("0.001448 MB", 1448),
        ("0.000001448 GB", 1448),
    ],
)
def test_a_size_that_is_rounded_to_a_byte_is_that_byte(
    printed: str, size_bytes: int | None
) -> None:
    run = read_qperf(changed(ALL, ("1 KB\n", f"{printed}\n")))[0]
    assert run.write_bytes == size_bytes


def test_a_test_of_latency_has_cpu_time_over_no_payload() -> None:
    """A mostly idle path says nothing of what a bit costs."""
    *_, run = read_qperf(SAMPLES / VERBOSE)
    assert [use.payload_rate_bps for use in run.cpu] == [0.0, 0.0]
    assert {use.consumption for use in run.cpu} == {None}
    assert run.cpu[0].busy_cpu_count > 0


def test_tests_of_one_file_are_named() -> None:
    loop = read_qperf(SAMPLES / "qperf_0.4.11_oo.txt")
    assert [run.part for run in loop][:2] == ["tcp_bw 1", "tcp_bw 2"]
    assert [run.part for run in read_qperf(SAMPLES / VERBOSE)] == ["tcp_bw", "tcp_lat"]
    assert [run.part for run in read_qperf(SAMPLES / BITS)] == [None]


def test_an_error_before_the_name_of_its_test_is_that_of_the_test() -> None:
    (run,) = read_qperf(SAMPLES / "qperf_0.4.11_sctp.txt")
    assert run.error == "sctp_bw: server: unable to make SCTP socket"


def test_the_cost_at_a_sender_is_per_byte_sent() -> None:
    """Over 100 Mbit/s more is sent than arrives in a second: 161 sec/GB x 12.5 MB are 2.01 CPUs."""
    stream, _ = read_qperf(SAMPLES / "qperf_0.4.11_line_vv.txt")
    assert stream.notes == ()
    assert stream.cpu[0].payload_rate_bps == pytest.approx(12.5e6 * 8)
    assert stream.cpu[1].payload_rate_bps == pytest.approx(11.8e6 * 8)


def test_bytes_and_time_are_preferred_where_they_are_rounded_less() -> None:
    exact = changed(ALL, ("recv_bytes        =  1.05 GB", "recv_bytes        =  1052345678 bytes"))
    run = read_qperf(exact)[0]
    assert run.received_bytes == 1052345678
    assert run.goodput_bps == pytest.approx(1.05e9 * 8)  # 1 sec may be half a second off
    exact = exact.replace(
        b"recv_real_time    =     1 sec", b"recv_real_time    =     1000000000 ns"
    )
    run = read_qperf(exact)[0]
    assert run.goodput_bps == pytest.approx(1052345678 * 8)
    assert run.notes == ("msg_size of 1 KB is left out, because it is rounded",)


def test_a_rate_that_contradicts_bytes_and_time_is_a_note() -> None:
    raw = changed(UNIFIED, ("send_cost  ", "recv_real_time = 1000000000 ns\n    send_cost  "))
    raw = raw.replace(b"send_cost  ", b"recv_bytes = 1700000000 bytes\n    send_cost  ", 1)
    run = read_qperf(raw)[0]
    assert "qperf prints 12.8477 Gbit/s, but its counts give 13.6 Gbit/s" in run.notes


def test_a_cost_that_contradicts_the_cpus_is_a_note() -> None:
    run = read_qperf(changed(VERBOSE, ("recv_cost       =   718", "recv_cost       =   818")))[0]
    assert run.notes == ("recv_cost gives 1.358 busy CPUs, but recv_cpus_used is 1.19",)


def test_a_rate_that_contradicts_the_latency_is_a_note() -> None:
    _, run = read_qperf(changed(VERBOSE, ("35.8 K/sec", "17.9 K/sec")))
    assert run.notes == ("message rate times latency is 0.4994, not 1",)


def test_figures_that_are_rounded_so_far_contradict_nothing() -> None:
    """1.5 % of a CPU at most, and 29.5 ms for 0.5 GB: 1.475 %."""
    raw = b"tcp_bw:\n bw = 1 GB/sec\n recv_cost = 30 ms/GB\n recv_cpus_used = 1 % cpus\n"
    (run,) = read_qperf(raw)
    assert run.notes == ()
    assert run.cpu == (CpuUse(0.01, 8e9, CpuScope.SYSTEM, Side.SERVER),)
    (run,) = read_qperf(raw.replace(b"1 % cpus", b"1.0 % cpus").replace(b"= 1 GB", b"= 1.00 GB"))
    assert run.notes == ("recv_cost gives 0.03 busy CPUs, but recv_cpus_used is 0.01",)


@pytest.mark.parametrize(
    ("rate", "in_flight"),
    [("0 ", "0"), ("33.3 K", None), ("33.4 K", None), ("34.3 K", "1.029"), ("32.6 K", "0.978")],
)
def test_one_message_is_in_flight_at_any_time(rate: str, in_flight: str | None) -> None:
    """33,333 of 30.0 µs each, which both are known to 0.05: 0.32 %, and 0.1 %; 0 is exact."""
    raw = f"tcp_lat:\n latency = 30.0 us\n msg_rate = {rate}/sec\n"
    (run,) = read_qperf(raw.encode())
    note = f"message rate times latency is {in_flight}, not 1"
    assert run.notes == (() if in_flight is None else (note,))


def test_more_than_was_sent_cannot_arrive() -> None:
    run, _ = read_qperf(changed(VERBOSE_UDP, ("4.27 GB/sec", "4.47 GB/sec")))
    assert run.lost_ratio is None
    assert "qperf prints more arrived than sent payload" in run.notes


def test_the_version_is_that_of_the_configuration() -> None:
    both = CONFIGURATION.read_bytes() + (SAMPLES / VERBOSE).read_bytes()
    assert [run.tool_version for run in read_qperf(both)] == ["0.4.11", "0.4.11"]


def test_an_error_is_reported_and_nothing_else() -> None:
    (run,) = read_qperf(SAMPLES / "qperf_0.4.11_error.txt")
    assert run.error == "tcp_bw: 127.0.0.1: failed to connect"
    assert run.goodput_bps is None


def test_what_qperf_warns_of_is_kept() -> None:
    reported = "warning: --loc_timeout set but not used in test tcp_bw"
    run = read_qperf(changed(BITS, ("tcp_bw:\n", f"tcp_bw:\n{reported}\n")))[0]
    assert run.notes == (reported.removeprefix("warning: "),)


@pytest.mark.parametrize("result", RESULTS, ids=lambda path: path.name)
def test_the_format_is_recognised(result: Path) -> None:
    assert read_result(result) == read_qperf(result)


REFUSED = {
    "configuration": (CONFIGURATION.read_bytes(), "no line names a test"),
    "prose": (b"hello\n", "line 1"),
    "no value": (b"tcp_bw:\n    msg_rate = 1 K/sec\n", "line 1: tcp_bw has no bw: cut off"),
    "cut in a unit": (
        b"tcp_bw:\n    bw = 1.66 GB/s",
        "line 2: tcp_bw bw must be a number in KB/sec",
    ),
    "no unit": (b"tcp_bw:\n    bw = 1.66", 'got "1.66"'),
    "no number": (b"tcp_bw:\n    bw = nan GB/sec", 'got "nan GB/sec"'),
    "negative": (b"tcp_bw:\n    bw = -1 GB/sec", 'got "-1 GB/sec"'),
    "no equals": (b"tcp_bw:\n    bw", "line 2: must be 'name = value'"),
    "twice": (b"tcp_bw:\n  bw = 1 GB/sec\n  bw = 2 GB/sec\n", 'line 3 is a second "bw"'),
    "RDMA": (b"rc_bw:\n    bw = 1 GB/sec\n", 'test "rc_bw" is not read; known are tcp_bw'),
    "datagram": (
        b"udp_bw:\n send_bw = 1 GB/sec\n recv_bw = 1 GB/sec\n msg_size = 128 KiB (131,072)\n",
        "line 4: msg_size must be from 1 to 65507 for UDP",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_fault(name: str) -> None:
    raw, expected = REFUSED[name]
    problem = problem_of(raw)
    assert problem.startswith("<bytes>: ")
    assert expected in problem


@pytest.mark.thorough
@pytest.mark.parametrize("result", FILES, ids=lambda path: path.name)
def test_any_odd_number_gives_measurements_or_a_parse_error(result: Path) -> None:
    for raw in with_each_number_replaced(result.read_bytes()):
        require_answered(read_qperf, raw)
