"""Results of perftest, made from its source; 180000 messages of 65536 byte are 94.37184 Gbit/s."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from changes import with_changes

from netmodel.checking import SpecifiedLine, check
from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.framing import parse_stack
from netmodel.readers import Direction, Measurement, read_result, result_formats

SAMPLES = Path(__file__).parent / "samples" / "perftest"
IN_MIB = "made_send_bw_mib.json"
IN_GBITS = "made_send_bw_gbits.json"
MIB, GBITS, US = "perftest-mib", "perftest-gbits", "perftest-us"
UNITS = {MIB: "MiB/s", GBITS: "Gb/s"}
RATE_BPS = 180_000 * 65536 * 8


def read(name: str, format_name: str) -> Measurement:
    (run,) = read_result(SAMPLES / name, format_name)
    return run


def changed(name: str, change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
    change(document)
    return document


def problem_of(source: Any, format_name: str = "perftest") -> str:
    with pytest.raises(ParseError) as caught:
        read_result(source, format_name)
    return str(caught.value)


def test_a_mebibyte_is_two_to_the_twenty() -> None:
    run = read(IN_MIB, MIB)
    assert run.goodput_bps == 11250 * 2**20 * 8 == RATE_BPS
    assert run.goodput_half_width_bps == pytest.approx(0.005 * 2**20 * 8)
    assert run.notes == ()


def test_a_gigabit_is_decimal() -> None:
    run = read(IN_GBITS, GBITS)
    assert run.goodput_bps == pytest.approx(94.37e9)
    assert run.goodput_half_width_bps == pytest.approx(0.005e9)
    assert abs(94.37e9 - RATE_BPS) < 0.005e9
    assert run.notes == ()


def test_set_up_is_read() -> None:
    run = read(IN_MIB, MIB)
    assert (run.tool, run.tool_version, run.recorded_by) == ("perftest", None, Side.CLIENT)
    assert (run.direction, run.protocol) == (Direction.CLIENT_TO_SERVER, "rdma")
    assert (run.stream_count, run.write_bytes, run.rdma_mtu_bytes) == (1, 65536, 4096)
    # 5000 messages of 65536 byte at 180000 messages per second
    assert run.received_bytes == 5000 * 65536
    assert run.duration_s == pytest.approx(5000 / 180_000)
    run = read("made_read_bw_mib.json", MIB)
    assert (run.direction, run.stream_count) == (Direction.SERVER_TO_CLIENT, 4)
    assert run.path_mtu_bytes is None  # 4096 is the MTU of RDMA, not of a path


@pytest.mark.parametrize("name", [IN_MIB, IN_GBITS, "made_send_lat.json"])
def test_without_its_unit_nothing_is_read(name: str) -> None:
    assert "without their unit" in problem_of(SAMPLES / name)
    with pytest.raises(ParseError, match="without their unit") as caught:
        read_result(SAMPLES / name)
    for format_name in [US] if "lat" in name else [MIB, GBITS]:
        assert repr(format_name) in str(caught.value)
        assert format_name in result_formats()


@pytest.mark.parametrize(("name", "wrong", "right"), [(IN_MIB, GBITS, MIB), (IN_GBITS, MIB, GBITS)])
def test_the_other_unit_is_refused(name: str, wrong: str, right: str) -> None:
    problem = problem_of(SAMPLES / name, wrong)
    expected = f"results.BW_average is not in {UNITS[wrong]}, as specified, but in {UNITS[right]}"
    assert expected in problem


@pytest.mark.parametrize(
    ("name", "format_name"),
    [(IN_MIB, US), ("made_send_lat.json", MIB), ("made_send_lat.json", GBITS)],
)
def test_a_unit_of_something_else_is_refused(name: str, format_name: str) -> None:
    assert "without their unit" in problem_of(SAMPLES / name, format_name)


def test_a_rate_that_contradicts_the_messages_is_a_note() -> None:
    (run,) = read_result(changed(IN_MIB, lambda it: it["results"].update(MsgRate=0.19)), MIB)
    assert run.notes == ("perftest prints 94.3718 Gbit/s, but its counts give 99.6147 Gbit/s",)


def test_a_rate_within_the_rounding_of_the_messages_is_no_contradiction() -> None:
    """0.18 million messages are 0.175 to 0.185, of 65536 byte: 91.8 to 97.0 Gbit/s."""
    rounded = {"MsgRate": 0.18, "BW_average": 11350.0}
    (run,) = read_result(changed(IN_MIB, lambda it: it["results"].update(rounded)), MIB)
    assert run.notes == ()
    assert run.goodput_bps == pytest.approx(11350 * 2**20 * 8)


def test_without_a_message_rate_the_specified_unit_is_taken() -> None:
    (run,) = read_result(changed(IN_MIB, lambda it: it["results"].pop("MsgRate")), GBITS)
    assert run.goodput_bps == pytest.approx(11250e9)


@pytest.mark.parametrize(
    ("gbits", "duration_s"),
    [(0.000001, 8 * 5000 * 65536 / 1e3), (0.000002, 8 * 5000 * 65536 / 2e3), (0.0, None)],
)
def test_the_time_of_a_test_follows_down_to_the_last_digit_of_its_rate(
    gbits: float, duration_s: float | None
) -> None:
    """5000 messages of 65,536 byte at 1000 bit/s; of a rate of zero nothing follows."""

    def slow(document: dict[str, Any]) -> None:
        del document["results"]["MsgRate"]
        document["results"]["BW_average"] = gbits

    (run,) = read_result(changed(IN_GBITS, slow), GBITS)
    assert run.goodput_bps == pytest.approx(gbits * 1e9)
    assert run.duration_s == (None if duration_s is None else pytest.approx(duration_s))


def test_what_was_sent_unacknowledged_is_no_goodput() -> None:
    run = read("made_send_bw_ud_mib.json", MIB)
    assert (run.goodput_bps, run.reported_rate_bps) == (None, RATE_BPS)
    assert run.why_no_goodput == "what was sent over UD is not what arrived"


def received(name: str, **settings: str) -> Measurement:
    """What the receiving end prints: it has no depth of a send queue."""
    text = (SAMPLES / name).read_text(encoding="utf-8")
    for key, value in {"TX depth": "RX depth", **settings}.items():
        text = re.sub(f"{key}( *: ?)", f"{value}\\1", text)
    (run,) = read_result(text.encode())
    return run


def test_the_receiver_of_sends_times_one_message_less_than_it_counts() -> None:
    """perftest starts its clock at the first completion: N messages in N - 1 intervals."""
    sent = read_text("made_send_bw_mib_cpu.txt")
    run = received("made_send_bw_mib_cpu.txt")
    assert (sent.recorded_by, run.recorded_by) == (Side.CLIENT, Side.SERVER)
    assert (sent.rdma_operation, run.rdma_operation) == ("send", "send")
    count = (run.received_bytes or 0) // (run.write_bytes or 1)
    assert count > 1
    assert run.goodput_bps == pytest.approx((sent.goodput_bps or 0) * (count - 1) / count)
    assert f"times {count} messages from the first to the last" in " ".join(run.notes)
    line = SpecifiedLine(400e9, stack=parse_stack("ethernet/ipv4/udp/rocev2"))
    parts = {each.name: each for each in check(run, line).tolerance.parts}
    assert parts["timing"].above_ratio == pytest.approx(1 / (count - 1))
    assert "timing" not in {each.name for each in check(sent, line).tolerance.parts}


def test_the_operation_is_that_of_the_test() -> None:
    assert read_text("made_read_bw_mb.txt").rdma_operation == "read"
    assert read_text("made_write_bw_gbits.txt").rdma_operation == "write"
    assert read("made_send_bw_mib.json", MIB).rdma_operation == "send"


def test_the_sum_of_both_directions_is_no_goodput() -> None:
    run = read("made_write_bw_bidirectional_gbits.json", GBITS)
    assert (run.goodput_bps, run.direction, run.recorded_by) == (None, None, None)
    assert run.reported_rate_bps == pytest.approx(188.74e9)
    assert run.is_bidirectional
    assert run.notes == ()


@pytest.mark.parametrize(("key", "value"), [("Link_type", "IB"), ("Dual_port", "ON")])
def test_a_bandwidth_of_no_single_ethernet_is_no_goodput(key: str, value: str) -> None:
    (run,) = read_result(changed(IN_MIB, lambda it: it["test_info"].update({key: value})), MIB)
    assert (run.goodput_bps, run.reported_rate_bps) == (None, RATE_BPS)
    assert run.why_no_goodput in {
        "the link is InfiniBand, not Ethernet",
        "perftest prints the sum of two ports",
    }
    assert run.protocol == "rdma"


def test_raw_ethernet_is_no_rdma() -> None:
    document = changed(IN_MIB, lambda it: it["test_info"].update(Connection_type="RawEth"))
    (run,) = read_result(document, MIB)
    assert (run.protocol, run.rdma_mtu_bytes, run.goodput_bps) == (None, None, None)
    assert run.frame_rate_fps is None


def test_a_transaction_takes_the_whole_round_trip() -> None:
    run = read("made_send_lat.json", US)
    assert run.measures_latency
    assert run.transaction_time_s == pytest.approx(2 * 1.66e-6)
    assert (run.request_bytes, run.response_bytes) == (2, 2)
    run = read("made_read_lat.json", US)
    assert run.transaction_time_s == pytest.approx(3.10e-6)
    assert (run.request_bytes, run.response_bytes) == (None, 2)


def test_what_raw_qos_writes_is_not_json() -> None:
    text = (SAMPLES / IN_MIB).read_text(encoding="utf-8")
    raw = text.replace('"n_iterations"', 'sl: 0,\n"n_iterations"').encode()
    assert "not valid JSON" in problem_of(raw, MIB)


REFUSED = {
    "other JSON": ({"start": {}}, "not a result of perftest"),
    "no rate": (changed(IN_MIB, lambda it: it["results"].pop("BW_average")), "is missing"),
    "no size": (
        changed(IN_MIB, lambda it: it["results"].pop("MsgSize")),
        "results.MsgSize is miss",
    ),
    "text": (changed(IN_MIB, lambda it: it["results"].update(MsgSize="64k")), "must be a number"),
    "atomic": (
        changed(IN_MIB, lambda it: it["test_info"].update(test="Atomic_CMP_SWAP_BW_Test")),
        "test_info.test must be one of Send_…",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_fault(name: str) -> None:
    document, expected = REFUSED[name]
    assert expected in problem_of(document, MIB)


GBITS_TEXT = "made_write_bw_gbits.txt"


def read_text(name: str) -> Measurement:
    (run,) = read_result(SAMPLES / name)
    return run


def changed_text(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


@pytest.mark.parametrize(
    ("name", "rate_bps"),
    [
        (GBITS_TEXT, 94.37e9),
        ("made_write_bw_D.txt", 94.37e9),
        ("made_write_bw_force_link.txt", 94.37e9),
        ("made_read_bw_mb.txt", 11250 * 2**20 * 8),
        ("made_send_bw_mib_cpu.txt", 11250 * 2**20 * 8),
    ],
)
def test_text_reports_its_unit(name: str, rate_bps: float) -> None:
    run = read_text(name)
    assert run.goodput_bps == pytest.approx(rate_bps, rel=1e-12)
    assert run.goodput_bps == pytest.approx(RATE_BPS, abs=0.005e9)
    assert (run.tool, run.protocol, run.rdma_mtu_bytes) == ("perftest", "rdma", 4096)
    assert (run.write_bytes, run.recorded_by, run.part) == (65536, Side.CLIENT, None)
    assert not run.measures_latency


def test_set_up_is_read_from_text() -> None:
    run = read_text("made_write_bw_D.txt")
    assert (run.stream_count, run.direction) == (4, Direction.CLIENT_TO_SERVER)
    # a run of 10 s: 1 800 000 messages of 65536 byte at 94.37 Gbit/s
    assert run.duration_s == pytest.approx(10, rel=1e-4)
    assert run.received_bytes == 1_800_000 * 65536
    assert read_text("made_read_bw_mb.txt").direction is Direction.SERVER_TO_CLIENT


def test_each_size_is_a_run() -> None:
    runs = read_result(SAMPLES / "made_write_bw_a.txt")
    assert [run.write_bytes for run in runs] == [2**power for power in range(1, 24)]
    assert [run.part for run in runs[:2]] == ["2 byte", "4 byte"]
    # seven million messages per second, until the line is full
    assert runs[9].goodput_bps == pytest.approx(1024 * 8 * 7e6, abs=0.005e9)
    assert {run.goodput_bps for run in runs[11:]} == {94.37e9}
    assert not any(run.notes for run in runs)


def test_rows_of_one_size_are_numbered() -> None:
    runs = read_result(SAMPLES / "made_write_bw_infinitely.txt")
    assert [(run.part, run.goodput_bps) for run in runs] == [
        ("row 1", 94.37e9),
        ("row 2", 94.32e9),
    ]


@pytest.mark.parametrize(
    ("name", "rate_bps", "why"),
    [
        ("made_write_bw_bidirectional.txt", 188.74e9, "perftest prints the sum of both directions"),
        ("made_send_bw_ud.txt", 94.37e9, "what was sent over UD is not what arrived"),
        ("made_write_bw_infiniband.txt", 98.5e9, "the link is InfiniBand, not Ethernet"),
        ("made_send_bw_old.txt", 3239.22 * 2**20 * 8, "the link is InfiniBand, not Ethernet"),
    ],
)
def test_what_crossed_no_single_ethernet_is_no_goodput(
    name: str, rate_bps: float, why: str
) -> None:
    run = read_text(name)
    assert (run.goodput_bps, run.why_no_goodput) == (None, why)
    assert run.reported_rate_bps == pytest.approx(rate_bps)
    assert run.protocol == "rdma"


def test_a_link_that_was_called_infiniband_without_a_lid_is_ethernet() -> None:
    run = read_text("made_write_bw_force_link.txt")
    assert run.notes == ("the link type is IB, but no end has a LID: taken as Ethernet",)
    lines = (SAMPLES / "made_write_bw_force_link.txt").read_bytes().splitlines(keepends=True)
    (run,) = read_result(b"".join(line for line in lines if b" address: " not in line))
    assert run.why_no_goodput == "the link is InfiniBand, not Ethernet"


def test_latency_in_text_is_a_test_of_latency() -> None:
    run = read_text("made_write_lat.txt")
    assert run.transaction_time_s == pytest.approx(2 * 1.66e-6)
    assert (run.request_bytes, run.response_bytes, run.measures_latency) == (2, 2, True)
    assert run.why_no_goodput == "a test of latency"
    assert run.notes == ("perftest reports: CPU Frequency is not max",)
    run = read_text("made_read_lat.txt")
    assert run.transaction_time_s == pytest.approx(3.10e-6)
    assert (run.request_bytes, run.notes) == (None, ())


def test_a_header_of_another_unit_is_a_note() -> None:
    (run,) = read_result(changed_text(GBITS_TEXT, ("Gb/sec", "MB/sec")))
    assert run.notes == ("perftest prints 791.633 Mbit/s, but its counts give 94.3718 Gbit/s",)


TEXT_REFUSED = {
    "no row": ((SAMPLES / "made_write_bw_server.txt").read_bytes(), "no row of results follows"),
    "two": ((SAMPLES / GBITS_TEXT).read_bytes() * 2, "holds 2 results; keep one in a file"),
    "cut": ((SAMPLES / GBITS_TEXT).read_bytes()[:900], "the text stops before its line '#bytes'"),
    "cut row": (
        changed_text(GBITS_TEXT, ("0.180000", "")),
        "line 23: 4 figures stand below 5 columns",
    ),
    "no queue pairs": (changed_text(GBITS_TEXT, ("Number of qps", "qps")), "'Number of qps'"),
    "another MTU": (changed_text(GBITS_TEXT, ("4096[B]", "large")), "Mtu must be a number of byte"),
    "another unit": (changed_text(GBITS_TEXT, ("Gb/sec", "furlong")), "stands below no bandwidth"),
    "atomic": (
        changed_text(GBITS_TEXT, ("RDMA_Write BW", "Atomic FETCH_AND_ADD BW")),
        'Atomic FETCH_AND_ADD BW Test" are not read',
    ),
}


@pytest.mark.parametrize("name", TEXT_REFUSED)
def test_other_text_is_refused_with_its_fault(name: str) -> None:
    source, expected = TEXT_REFUSED[name]
    with pytest.raises(ParseError) as caught:
        read_result(source)
    assert expected in str(caught.value)
