"""Results of perftest, made from its source; 180000 messages of 65536 byte are 94.37184 Gbit/s."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import (
    Direction,
    Measurement,
    PerftestUnit,
    read_perftest,
    read_result,
    result_formats,
)

SAMPLES = Path(__file__).parent / "samples" / "perftest"
RESULTS = sorted(SAMPLES.glob("*.json"))
IN_MIB = "made_send_bw_mib.json"
IN_GBITS = "made_send_bw_gbits.json"
MIB, GBITS, US = PerftestUnit.MIB_PER_S, PerftestUnit.GBIT_PER_S, PerftestUnit.MICROSECOND
RATE_BPS = 180_000 * 65536 * 8


def read(name: str, unit: PerftestUnit) -> Measurement:
    (run,) = read_perftest(SAMPLES / name, unit)
    return run


def changed(name: str, change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
    change(document)
    return document


def problem_of(source: Any, unit: PerftestUnit | None = None) -> str:
    with pytest.raises(ParseError) as caught:
        read_perftest(source, unit)
    return str(caught.value)


def test_a_mebibyte_is_two_to_the_twenty() -> None:
    run = read(IN_MIB, MIB)
    assert run.goodput_bps == 11250 * 2**20 * 8 == RATE_BPS
    assert run.goodput_half_width_bps == pytest.approx(0.005 * 2**20 * 8)
    assert run.warnings == ()


def test_a_gigabit_is_decimal() -> None:
    run = read(IN_GBITS, GBITS)
    assert run.goodput_bps == pytest.approx(94.37e9)
    assert run.goodput_half_width_bps == pytest.approx(0.005e9)
    assert abs(94.37e9 - RATE_BPS) < 0.005e9
    assert run.warnings == ()


def test_set_up_is_read() -> None:
    run = read(IN_MIB, MIB)
    assert (run.tool, run.tool_version, run.recorded_by) == ("perftest", None, Side.CLIENT)
    assert (run.direction, run.protocol) == (Direction.CLIENT_TO_SERVER, None)
    assert (run.stream_count, run.write_bytes) == (1, 65536)
    run = read("made_read_bw_mib.json", MIB)
    assert (run.direction, run.stream_count) == (Direction.SERVER_TO_CLIENT, 4)
    assert run.path_mtu_bytes is None  # 4096 is the MTU of RDMA, not of a path


@pytest.mark.parametrize("name", [IN_MIB, IN_GBITS, "made_send_lat.json"])
def test_without_its_unit_nothing_is_read(name: str) -> None:
    assert "in a unit that it does not tell" in problem_of(SAMPLES / name)
    with pytest.raises(ParseError, match="in a unit that it does not tell") as caught:
        read_result(SAMPLES / name)
    told = ["perftest-us"] if "lat" in name else ["perftest-mib", "perftest-gbits"]
    for format_name in told:
        assert f"by the format {format_name!r}" in str(caught.value)
        assert format_name in result_formats()


def test_the_unit_may_be_told_by_the_name_of_the_format() -> None:
    assert read_result(SAMPLES / IN_MIB, "perftest-mib") == (read(IN_MIB, MIB),)
    assert read_result(SAMPLES / IN_GBITS, "perftest-gbits") == (read(IN_GBITS, GBITS),)
    name = "made_send_lat.json"
    assert read_result(SAMPLES / name, "perftest-us") == (read(name, US),)


@pytest.mark.parametrize(("name", "wrong", "right"), [(IN_MIB, GBITS, MIB), (IN_GBITS, MIB, GBITS)])
def test_the_other_unit_is_refused(name: str, wrong: PerftestUnit, right: PerftestUnit) -> None:
    problem = problem_of(SAMPLES / name, wrong)
    assert f"results.BW_average is not in {wrong.value}, as stated, but in {right.value}" in problem


@pytest.mark.parametrize(
    ("name", "unit"), [(IN_MIB, US), ("made_send_lat.json", MIB), ("made_send_lat.json", GBITS)]
)
def test_a_unit_of_something_else_is_refused(name: str, unit: PerftestUnit) -> None:
    assert "in a unit that it does not tell" in problem_of(SAMPLES / name, unit)


def test_a_rate_that_contradicts_the_messages_is_a_warning() -> None:
    (run,) = read_perftest(changed(IN_MIB, lambda it: it["results"].update(MsgRate=0.19)), MIB)
    assert run.warnings == ("perftest prints 94.3718 Gbit/s, but what it counts is 99.6147 Gbit/s",)


def test_without_a_message_rate_the_stated_unit_is_taken() -> None:
    (run,) = read_perftest(changed(IN_MIB, lambda it: it["results"].pop("MsgRate")), GBITS)
    assert run.goodput_bps == pytest.approx(11250e9)


def test_what_was_sent_unacknowledged_is_no_goodput() -> None:
    run = read("made_send_bw_ud_mib.json", MIB)
    assert (run.goodput_bps, run.reported_rate_bps) == (None, RATE_BPS)
    assert run.why_no_goodput == "what was sent over UD is not what arrived"


def test_the_sum_of_both_directions_is_no_goodput() -> None:
    run = read("made_write_bw_bidirectional_gbits.json", GBITS)
    assert (run.goodput_bps, run.direction, run.recorded_by) == (None, None, None)
    assert run.reported_rate_bps == pytest.approx(188.74e9)
    assert run.is_bidirectional
    assert run.warnings == ()


def test_a_transaction_takes_the_whole_round_trip() -> None:
    run = read("made_send_lat.json", US)
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
