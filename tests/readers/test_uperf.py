"""Results of uperf 1.0.8, as the tool wrote them, with numbers taken from them by hand."""

import hashlib
from functools import partial
from pathlib import Path

import pytest
from changes import with_changes

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result

read_uperf = partial(read_result, format_name="uperf")

SAMPLES = Path(__file__).parent / "samples" / "uperf"
LINE = "line200m_uperf_1.0.8_R.txt"
RAW = "uperf_1.0.8_str-writex30k_a_i1_R.txt"
TEXT = "uperf_1.0.8_str-writex30k_a_i1.txt"
REQUESTS = "uperf_1.0.8_rr1c-200x1000.txt"
REQUESTS_DETAILS = "uperf_1.0.8_rr1c-200x1000_a.txt"
MIB, GIB = 2**20, 2**30
CEILING_BPS = 188.296e6


def only(source: Path | bytes) -> Measurement:
    (measurement,) = read_uperf(source)
    return measurement


def changed(name: str, *changes: tuple[str, str]) -> bytes:
    return with_changes(SAMPLES / name, *changes)


def problem_of(source: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read_uperf(source)
    return str(caught.value)


def test_goodput_is_that_between_the_second_and_the_last_but_one_line() -> None:
    read = only(SAMPLES / LINE)
    assert read.received_bytes == 166133760 - 25067520
    assert read.duration_s == pytest.approx(6.0022278, abs=1e-6)
    assert read.goodput_bps == pytest.approx(141066240 * 8 / 6.0022278, rel=1e-6)
    # bytes are exact, each time is of 0.1 µs
    shortest_s = 6.0022278 - 1e-7
    widest_bps = 141066240 * 8 * (1 / shortest_s - 1 / 6.0022278)
    assert read.goodput_half_width_bps == pytest.approx(widest_bps, rel=1e-3)
    assert read.reported_rate_bps == 148.66e6


def test_the_summary_of_a_perfect_line_is_not_what_is_judged() -> None:
    read = only(SAMPLES / LINE)
    assert read.goodput_bps / CEILING_BPS == pytest.approx(0.9985, abs=5e-5)
    assert read.reported_rate_bps / CEILING_BPS == pytest.approx(0.790, abs=5e-4)
    assert "148.66 Mbit/s includes connecting" in read.notes[0]


def test_raw_output_with_details_reports_direction_and_connections() -> None:
    read = only(SAMPLES / RAW)
    assert read.goodput_bps == pytest.approx((3419013120 - 1941504000) * 8 / 1.0018907, rel=1e-6)
    assert read.direction is Direction.CLIENT_TO_SERVER
    assert (read.stream_count, read.ip_version, read.is_loopback) == (4, 4, True)
    assert (read.reported_rate_bps, read.recorded_by) == (8e9, Side.CLIENT)
    assert len(read.notes) == 1


def test_text_has_binary_sizes_and_keeps_its_rounding() -> None:
    read = only(SAMPLES / TEXT)
    assert read.goodput_bps == pytest.approx((4.81 - 2.08) * GIB * 8 / 1.00, rel=1e-9)
    most_bps = (2.73 + 0.01) * GIB * 8 / (1.00 - 0.01)
    assert read.goodput_half_width_bps == pytest.approx(most_bps - read.goodput_bps, rel=1e-6)
    assert read.reported_rate_bps == 12.92e9
    assert read.direction is Direction.CLIENT_TO_SERVER


def test_without_details_the_direction_is_unknown_and_noted() -> None:
    read = only(SAMPLES / REQUESTS)
    assert read.goodput_bps == pytest.approx((30.56 - 16.30) * MIB * 8, rel=1e-9)
    assert read.reported_rate_bps == 70.94e6
    assert read.direction is None
    assert any("direction not reported" in note for note in read.notes)


def test_requests_and_responses_give_transactions_and_no_goodput() -> None:
    read = only(SAMPLES / REQUESTS_DETAILS)
    assert read.goodput_bps is None
    assert "written" in read.why_no_goodput or "wrote" in read.why_no_goodput
    flowops_per_s = (25396 * 2.00 - 27610 * 1.00) / 1.00
    assert read.transaction_rate_tps == pytest.approx(flowops_per_s * 39528 / 79055, rel=1e-9)
    assert read.reported_rate_bps == 71.50e6


def test_tables_count_transactions_from_zero_and_progress_from_one() -> None:
    assert only(SAMPLES / REQUESTS_DETAILS).transaction_time_s == pytest.approx(75.89e-6)


def test_a_read_at_the_master_is_payload_from_the_server() -> None:
    read = only(changed(RAW, ("\nwrite  ", "\nread   ")))
    assert read.direction is Direction.SERVER_TO_CLIENT


def test_a_master_that_accepts_is_the_server() -> None:
    read = only(changed(RAW, ("\nconnect ", "\naccept  ")))
    assert read.direction is Direction.SERVER_TO_CLIENT


def test_a_size_without_unit_is_never_guessed() -> None:
    read = only(changed(TEXT, ("     2.08GB", "    1000.00")))
    assert read.goodput_is_lower_bound  # three lines of progress are left: no steady part
    assert read.goodput_bps == pytest.approx(12.92e9, rel=1e-3)
    assert any("without the unit" in note for note in read.notes)


def test_a_size_whose_unit_lost_only_its_b_is_known() -> None:
    read = only(changed(TEXT, ("     2.08GB", "    501.94M")))
    assert read.received_bytes == round(4.81 * GIB - 501.94 * MIB)


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_too_few_lines_of_progress_leave_no_steady_part(kept: int) -> None:
    lines = (SAMPLES / RAW).read_bytes().splitlines(keepends=True)
    progress = [line for line in lines if b"name:Txn2" in line]
    lost = (
        {line for line in progress[1:] if line not in progress[-kept + 1 :]}
        if kept > 1
        else {*progress[:-1]}
    )
    read = only(b"".join(line for line in lines if line not in lost))
    assert read.goodput_is_lower_bound
    assert read.goodput_bps == read.reported_rate_bps == 8e9


def test_a_failure_is_an_error_without_values() -> None:
    read = only(SAMPLES / "uperf_1.0.8_error.txt")
    assert read.error.endswith("TCP: Cannot connect to 127.0.0.1:20000 Connection refused")
    assert read.goodput_bps is None
    assert read.reported_rate_bps is None


def test_failed_operations_and_payload_that_did_not_arrive_are_said() -> None:
    read = only(changed(RAW, ("169904        0.00", "169904        1.25")))
    assert "1.25 % of the operations failed" in read.notes
    read = only(changed(RAW, ("4.85GB     7.99Gb/s", "2.43GB     3.99Gb/s")))
    assert "the other end counted 50 % less payload" in read.notes


def test_a_rate_that_contradicts_bytes_and_time_is_noted() -> None:
    read = only(changed(RAW, ("4.86GB     8.00Gb/s", "4.86GB     9.00Gb/s")))
    assert any("uperf prints 9 Gbit/s" in note for note in read.notes)


def test_a_summary_alone_gives_a_lower_bound() -> None:
    read = only(SAMPLES / "made_summary.txt")
    # 180.94 MiB in 10.21 s are 148.66 Mbit/s, 0.790 of the ceiling that the run reached to 0.9985
    assert read.goodput_bps == 148.66e6
    assert read.goodput_bps / CEILING_BPS == pytest.approx(0.790, abs=5e-4)
    assert read.goodput_is_lower_bound
    assert (read.why_no_goodput, read.duration_s) == (None, 10.21)
    assert read.received_bytes == round(180.94 * MIB)
    assert any("run uperf with -R -a -i 1" in note for note in read.notes)
    assert not only(SAMPLES / LINE).goodput_is_lower_bound


def test_a_summary_with_details_reports_direction_and_where_it_is_counted() -> None:
    read = only(SAMPLES / "made_summary_a.txt")
    assert read.goodput_bps == 12.92e9
    assert read.goodput_is_lower_bound
    assert (read.direction, read.is_counted_at_sender) == (Direction.CLIENT_TO_SERVER, True)
    assert len(read.notes) == 1


def test_requests_without_progress_keep_their_mean_time() -> None:
    lines = (SAMPLES / REQUESTS_DETAILS).read_bytes().splitlines(keepends=True)
    read = only(b"".join(line for line in lines if b"op/s" not in line))
    assert read.transaction_time_s == pytest.approx(75.89e-6)
    assert (read.goodput_bps, read.transaction_rate_tps) == (None, None)


def test_requests_without_their_table_or_without_any_of_them_have_no_mean_time() -> None:
    for change in (
        ("Txn                Count", "Transactions       Count"),
        ("Txn1               39528", "Txn1                   0"),
    ):
        read = only(changed(REQUESTS_DETAILS, change))
        assert (read.transaction_time_s, read.transaction_rate_tps) == (None, None)
        assert read.why_no_goodput.startswith("uperf adds written and read payload")


def test_other_transactions_with_payload_are_named() -> None:
    read = only(changed(RAW, ("name:Txn3 nr_bytes:0", "name:Txn3 nr_bytes:7")))
    assert any("Txn3 moved payload too" in note for note in read.notes)


def test_bytes_and_hash_of_the_file_are_kept() -> None:
    raw = (SAMPLES / LINE).read_bytes()
    read = only(raw)
    assert read.sha256 == hashlib.sha256(raw).hexdigest()
    assert read.raw_text.encode() == raw


REFUSED = {
    "another text": (b"hello\n", "not a result of uperf"),
    "cut": ((SAMPLES / RAW).read_bytes()[:900], "stops before its line 'master'"),
    "two": ((SAMPLES / RAW).read_bytes() * 2, "holds 2 results"),
    "a master that is not one": (
        changed(RAW, ("8.00Gb/s       169904", "8.00Gb/s")),
        "line 52: must be the statistics of the master",
    ),
    "back in time": (
        changed(RAW, ("1795196943995.7349", "1795196941995.7349")),
        "line 7: Txn2 goes back in time or payload",
    ),
    "huge": (changed(RAW, ("nr_bytes:3419013120", "nr_bytes:" + "9" * 30)), "line 7: nr_bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_place(name: str) -> None:
    source, expected = REFUSED[name]
    problem = problem_of(source)
    assert problem.startswith("<bytes>: ")
    assert expected in problem
