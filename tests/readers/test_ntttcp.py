"""Results of ntttcp, made by hand: 1 176 000 000 bytes each second are 9.408 Gbit/s."""

from pathlib import Path

import pytest
from changes import with_changes
from invocation import printed_json

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

SAMPLES = Path(__file__).parent / "samples" / "ntttcp"
BYTES_PER_S = 1_176_000_000
GOODPUT_BPS = 8 * BYTES_PER_S
MEBI = 2**20
WINDOWS = "made_receiver_windows.xml"
LINUX_MIB = "made_sender_linux_mib.xml"
DECIMAL = "made_receiver_linux_decimal.xml"
TEXT = "made_receiver_1.4.0.txt"
SENDER_TEXT = "made_sender_1.4.0_W.txt"
RESULTS = [
    *(TEXT, SENDER_TEXT, "made_receiver_1.4.0_u_V.txt", "made_1.1.0.txt", LINUX_MIB, DECIMAL),
    *("made_sender_linux_mib.json", "made_receiver_linux_decimal.json", WINDOWS),
    "made_sender_windows_Bps.xml",
]


def read(source: str | bytes) -> Measurement:
    (run,) = read_result(SAMPLES / source if isinstance(source, str) else source)
    return run


def changed(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


def problem_of(source: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read_result(source, "ntttcp")
    return str(caught.value)


@pytest.mark.parametrize("name", RESULTS)
def test_every_form_gives_the_same_goodput(name: str) -> None:
    run = read(name)
    # the text prints a time of 60.00 s to 0.005 s: 8.3e-5; whole MB of 11215 are 4.5e-5
    assert run.goodput_bps == pytest.approx(GOODPUT_BPS, abs=run.goodput_half_width_bps)
    assert run.goodput_half_width_bps < 5e-4 * GOODPUT_BPS
    assert (run.tool, run.direction) == ("ntttcp", Direction.CLIENT_TO_SERVER)


@pytest.mark.parametrize(
    "printed", ["9.41Gbps", "9407.50Mbps", "9407500.00Kbps", "9407500000.00bps"]
)
def test_rates_are_printed_with_decimal_prefixes(printed: str) -> None:
    run = read(changed(TEXT, ("9.41Gbps", printed)))
    assert run.goodput_bps == pytest.approx(GOODPUT_BPS, rel=1e-3)
    assert run.notes == read(TEXT).notes
    other = read(changed(TEXT, ("9.41Gbps", printed.replace("9", "8", 1))))
    assert other.notes != run.notes  # it contradicts bytes and time


def test_the_bytes_of_a_run_are_counted_and_not_rounded() -> None:
    """1000 byte in 60.00 s: between 8000 / 60.005 and 8000 / 59.995 bit/s."""
    run = read(changed(TEXT, ("70560000000", "1000"), ("9.41Gbps", "133bps")))
    assert run.goodput_bps == pytest.approx(8000 / 60)
    assert run.goodput_half_width_bps == pytest.approx(8000 / 59.995 - 8000 / 60)


def test_what_old_linux_files_call_mbps_is_binary() -> None:
    run = read(LINUX_MIB)
    # it prints 8972.000 mbps: of 10^6 bit that were 4.6 % less than what was sent
    printed_mbps = 8 * int(10 * BYTES_PER_S / MEBI) / 10
    assert printed_mbps == 8972
    assert run.goodput_bps == pytest.approx(printed_mbps * MEBI, rel=1e-4)
    assert run.goodput_bps > 1.04 * printed_mbps * 1e6
    # whole MB, cut off: the middle of that MB
    assert run.goodput_bps == (11215 + 0.5) * MEBI * 8 / 10
    assert run.received_bytes is None
    assert run.notes == ()


def test_what_linux_files_with_bytes_per_second_call_mbps_is_decimal() -> None:
    run = read(DECIMAL)
    assert run.goodput_bps == GOODPUT_BPS
    assert run.received_bytes == 10 * BYTES_PER_S
    assert run.notes == ()


def test_what_windows_calls_megabyte_is_binary_and_megabit_decimal() -> None:
    run = read(WINDOWS)
    assert run.goodput_bps == pytest.approx(11215.209961 * MEBI * 8 / 10)
    assert run.goodput_bps == pytest.approx(9408e6)  # its own throughput in mbps
    assert run.received_bytes == 10 * BYTES_PER_S
    assert run.notes == ()


def test_a_receiver_counts_what_arrived_and_a_sender_what_it_sent() -> None:
    for name in RESULTS:
        run = read(name)
        is_receiver = "receiver" in name
        assert run.is_counted_at_sender is not is_receiver
        if name != "made_1.1.0.txt":
            assert run.recorded_by is (Side.SERVER if is_receiver else Side.CLIENT)


def test_a_text_that_does_not_name_its_end_is_taken_as_the_senders() -> None:
    run = read("made_1.1.0.txt")
    assert (run.recorded_by, run.protocol, run.cpu) == (None, None, ())
    assert any("the end that wrote this is not reported" in note for note in run.notes)


def test_what_was_sent_over_udp_is_no_goodput() -> None:
    for name in ("made_sender_1.4.0_u.txt", "made_sender_windows_u.xml"):
        run = read(name)
        assert (run.goodput_bps, run.protocol) == (None, "udp")
        assert run.reported_rate_bps == pytest.approx(1.1 * GOODPUT_BPS)
        assert (
            run.why_no_goodput == "ntttcp counts what was sent; over UDP that is not what arrived"
        )
    assert run.notes == ("ntttcp reports 3 errors",)


def test_cpu_is_of_the_host_only_where_its_cpus_are_reported() -> None:
    cpu, process = read(TEXT).cpu
    # 85.00 % idle and 0.10 % waiting of 8 CPUs
    assert cpu.busy_cpu_count == pytest.approx(0.149 * 8)
    assert (cpu.scope, cpu.side, cpu.installed_cpu_count) == (CpuScope.SYSTEM, Side.SERVER, 8)
    assert (process.busy_cpu_count, process.scope) == (0.762, CpuScope.PROCESS)
    (cpu,) = read(WINDOWS).cpu
    assert (cpu.busy_cpu_count, cpu.scope) == (0.125 * 8, CpuScope.SYSTEM)
    (cpu,) = read(DECIMAL).cpu
    assert cpu.busy_cpu_count == pytest.approx(0.15 * 8)
    (cpu,) = read(LINUX_MIB).cpu
    assert (cpu.busy_cpu_count, cpu.scope) == (pytest.approx(0.432), CpuScope.PROCESS)
    assert cpu.installed_cpu_count is None
    assert read(changed(WINDOWS, ("<num_processors>8</num_processors>", ""))).cpu == ()


def test_cpu_of_no_end_or_of_no_cpu_is_left_out() -> None:
    assert read(changed(TEXT, ("#####  Totals:  #####", ""))).cpu == ()
    (process,) = read(changed(TEXT, ("cores\t:8", "cores\t:0"))).cpu
    assert process.scope is CpuScope.PROCESS


@pytest.mark.parametrize(("connections", "binding"), [("1", "client_process"), ("64", "wire")])
def test_a_busy_process_explains_a_run_on_a_host_with_idle_cpus(
    tmp_path: Path, connections: str, binding: str
) -> None:
    """0.987 of a CPU by one connection is all of its thread, and not by 64 of them."""
    path = tmp_path / "sender.txt"
    of_process = ("(all)\t:43.20%", "(all)\t:98.70%")
    tested = ("64 connections tested", f"{connections} connections tested")
    path.write_bytes(changed(SENDER_TEXT, of_process, tested))
    (row,) = printed_json("check", str(path), "--line-rate", "40G", "--mtu", "1500", exit_code=1)
    assert row["binding"] == binding


def test_less_than_no_cpu_is_a_note() -> None:
    run = read(changed(WINDOWS, ('<cpu metric="%">12.500', '<cpu metric="%">-0.250')))
    assert run.cpu == ()
    assert any("less than 0 % of CPU" in note for note in run.notes)


def test_a_round_trip_is_read_where_it_was_seen() -> None:
    rate = "\t throughput\t:9.41Gbps\n"
    line = "13:45:25 INFO: tcpi rtt\t\t:{} us\n"
    assert read(changed(TEXT, (rate, rate + line.format(247)))).round_trip_s == 247e-6
    assert read(changed(TEXT, (rate, rate + line.format(0)))).round_trip_s is None
    assert read(TEXT).round_trip_s is None


def test_set_up_is_read() -> None:
    run = read(SENDER_TEXT)
    assert (run.tool_version, run.protocol, run.stream_count) == ("1.4.0", "tcp", 64)
    assert (run.retransmit_count, run.leaves_out_start, run.duration_s) == (24, True, 10.1)
    run = read(TEXT)
    assert (run.retransmit_count, run.leaves_out_start) == (None, False)  # those of the receiver
    run = read("made_receiver_1.4.0_u_V.txt")
    assert (run.protocol, run.ip_version) == ("udp", 4)
    run = read(LINUX_MIB)
    assert (run.tool_version, run.protocol, run.ip_version) == ("5.33-linux", "tcp", 4)
    assert (run.retransmit_count, run.leaves_out_start) == (178, True)
    assert run.round_trip_s == pytest.approx(19.996e-3)
    assert read("made_sender_linux_mib.json").round_trip_s == run.round_trip_s
    assert read(DECIMAL).ip_version == 6
    run = read("made_sender_windows_Bps.xml")
    assert (run.write_bytes, run.retransmit_count, run.leaves_out_start) == (65536, 31, True)
    assert read(WINDOWS).write_bytes is None  # the receiver's own buffers


def test_a_failure_is_an_error_without_values() -> None:
    run = read("made_error.txt")
    assert run.error is not None
    assert run.error.startswith("failed to connect to receiver")
    assert run.goodput_bps is None


def test_a_rate_that_contradicts_bytes_and_time_is_a_note() -> None:
    run = read(changed(WINDOWS, ('"mbps">9408.000', '"mbps">8972.168')))
    assert any("ntttcp prints 8.97217 Gbit/s" in note for note in run.notes)
    run = read(changed(TEXT, (":9.41Gbps", ":9.61Gbps")))
    assert any("ntttcp prints 9.61 Gbit/s" in note for note in run.notes)


def test_a_latency_test_is_marked() -> None:
    option = "<latency_measurement>{}</latency_measurement>"
    assert read(changed(WINDOWS, (option.format("False"), option.format("True")))).measures_latency
    assert not read(WINDOWS).measures_latency


LAUGHS = b'<?xml version="1.0"?><ntttcpr><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>&b;'
REFUSED = {
    "other text": (b"hello\n", "not a result of ntttcp"),
    "entities": (LAUGHS, "it has a DOCTYPE"),
    "entities first": (b"<!DOCTYPE ntttcpr []><ntttcpr></ntttcpr>", "not a result of ntttcp"),
    "cut XML": ((SAMPLES / WINDOWS).read_bytes()[:-20], "not valid XML"),
    "cut JSON": ((SAMPLES / "made_sender_linux_mib.json").read_bytes()[:900], "not valid JSON"),
    "JSON of the first versions": (b'{\n"ntttcpr computername":"host"\n\t"x":{', "not valid JSON"),
    "two in JSON": (b'{"ntttcpr": {}, "ntttcps": {}}', "it has no ntttcpr or ntttcps alone"),
    "cut text": (
        changed(TEXT, ("\t throughput\t:9.41Gbps", "")),
        "the text stops before its line 'throughput'",
    ),
    "text cut before its retransmissions, of TCP alone": (
        (SAMPLES / TEXT).read_bytes().partition(b"retrans segs")[0],
        "the text stops before its line 'cpu speed'",
    ),
    "two texts": ((SAMPLES / TEXT).read_bytes() * 2, "a second result begins"),
    "no bytes": (changed(TEXT, ("total bytes", "all")), "the line 'total bytes' is missing"),
    "another unit": (changed(TEXT, ("9.41Gbps", "9.41GB/s")), "line 10: throughput must be a rate"),
    "no time": (changed(WINDOWS, ('"s">10.000000', '"s">0.000000')), "the test has no duration"),
    "no total": (
        changed(WINDOWS, ("total_bytes", "all_bytes")),
        "ntttcpr.total_bytes is missing in MB",
    ),
    "text for a number": (
        changed(WINDOWS, ('"MB">11215.209961', '"MB">many')),
        'ntttcpr.total_bytes must be a number; got "many"',
    ),
    "more than anything moves": (
        changed(WINDOWS, ('"MB">11215.209961', '"MB">1000000000000')),
        "ntttcpr.total_bytes must be from 0 to 1e+18",
    ),
    "MB of a unit that is not known": (
        changed(LINUX_MIB, ("11215.000000", "11215.250000")),
        "ntttcps.total_bytes is not whole MB",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_place(name: str) -> None:
    source, expected = REFUSED[name]
    problem = problem_of(source)
    assert problem.startswith("<bytes>: ")
    assert expected in problem


def test_text_of_the_one_for_windows_is_named() -> None:
    with pytest.raises(ParseError, match="of ntttcp for Windows: write the file with -xml"):
        read_result(b"Copyright Version 5.40\nNetwork activity progressing...\n")
