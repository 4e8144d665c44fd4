"""Results of TRex, made from its documentation: frames of 64 byte, 84 with preamble and gap."""

import json
from pathlib import Path
from typing import Any

import pytest

from netmodel.errors import DomainError, ParseError
from netmodel.readers import read_result, read_trex

SAMPLES = Path(__file__).parent / "samples" / "trex"
RATES = SAMPLES / "made_rates.json"
SNAPSHOTS = SAMPLES / "made_two_snapshots.json"
RESULTS = [RATES, SNAPSHOTS]


def snapshot() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(RATES.read_text(encoding="utf-8"))
    return document


def problem_of(source: Any, interval_s: float | None = None) -> str:
    with pytest.raises(ParseError) as caught:
        read_trex(source, interval_s)
    return str(caught.value)


def test_every_port_and_all_together_are_read() -> None:
    runs = read_trex(RATES)
    assert [run.part for run in runs] == ["port 0", "port 1", "total"]
    assert [run.frame_rate_fps for run in runs] == [2e6, 1e6, 3e6]
    assert [run.layer2_rate_bps for run in runs] == [2e6 * 64 * 8, 1e6 * 64 * 8, 3e6 * 64 * 8]
    assert [run.layer1_rate_bps for run in runs] == [2e6 * 84 * 8, 1e6 * 84 * 8, 3e6 * 84 * 8]
    assert [run.goodput_bps for run in runs] == [None] * 3
    assert {run.why_no_goodput for run in runs} == {"TRex counts frames, not the payload in them"}
    assert {run.tool for run in runs} == {"TRex"}
    assert not any(run.warnings for run in runs)


def test_a_rate_on_layer_1_that_is_not_20_byte_a_frame_more_is_a_warning() -> None:
    document = snapshot()
    document["1"]["rx_bps_L1"] = 512e6 + 1e6 * 24 * 8
    _, run, _ = read_trex(document)
    assert run.layer1_rate_bps == 672e6
    assert run.warnings == ("TRex prints 704 Mbit/s, but what it counts is 672 Mbit/s",)
    del document["1"]["rx_bps_L1"]
    _, run, _ = read_trex(document)
    assert (run.layer1_rate_bps, run.warnings) == (672e6, ())


def test_loss_is_that_of_all_ports() -> None:
    *ports, total = read_trex(RATES)
    assert total.lost_ratio == pytest.approx(10_000 / 30_000_000)
    assert [port.lost_ratio for port in ports] == [None, None]
    *_, total = read_trex(SNAPSHOTS)
    assert total.lost_ratio == pytest.approx(20_000 / 30_000_000)


def test_counters_of_two_snapshots_give_rates_where_the_time_is_told() -> None:
    port_0, port_1, total = read_trex(SNAPSHOTS, interval_s=10)
    assert port_0.frame_rate_fps == 2e6
    assert port_1.frame_rate_fps == pytest.approx(998_000)
    assert port_1.layer2_rate_bps == pytest.approx(998_000 * 64 * 8)
    assert port_1.layer1_rate_bps == pytest.approx(998_000 * 84 * 8)
    assert total.duration_s == 10
    assert total.frame_rate_fps == pytest.approx(2_998_000)


def test_snapshots_may_stand_one_behind_the_other() -> None:
    first, second = json.loads(SNAPSHOTS.read_text(encoding="utf-8"))
    lines = f"{json.dumps(first)}\n{json.dumps(second)}\n".encode()
    assert [run.lost_ratio for run in read_trex(lines)] == [
        run.lost_ratio for run in read_trex(SNAPSHOTS)
    ]


def test_the_dictionary_itself_may_have_ports_as_numbers() -> None:
    document = {int(key) if key.isdigit() else key: value for key, value in snapshot().items()}
    assert [run.part for run in read_trex(document)] == ["port 0", "port 1", "total"]  # type: ignore[arg-type]


def test_more_than_was_sent_is_a_warning() -> None:
    document = snapshot()
    document["total"]["ipackets"] = 30_000_001
    *_, total = read_trex(document)
    assert total.lost_ratio is None
    assert total.warnings == ("more frames arrived (30000001) than TRex sent (30000000)",)


def test_nothing_sent_is_nothing_lost() -> None:
    document = snapshot()
    document["total"]["opackets"] = document["total"]["ipackets"] = 0
    assert read_trex(document)[-1].lost_ratio is None


@pytest.mark.parametrize("result", RESULTS, ids=lambda path: path.name)
def test_the_format_is_recognised(result: Path) -> None:
    assert read_result(result) == read_trex(result)


def test_counters_that_went_back_are_refused() -> None:
    first, second = json.loads(SNAPSHOTS.read_text(encoding="utf-8"))
    assert "[1].total.opackets is less than in the first snapshot" in problem_of(
        json.dumps([second, first]).encode()
    )


def test_a_time_needs_two_snapshots_and_must_be_one() -> None:
    assert "holds one snapshot" in problem_of(RATES, 10)
    for interval_s in (0, -1, float("nan"), float("inf")):
        with pytest.raises(DomainError, match="interval_s must be at least"):
            read_trex(SNAPSHOTS, interval_s)


def test_other_content_is_refused_with_its_fault() -> None:
    assert "it has no total.ipackets" in problem_of({"total": {}})
    assert "it has no port" in problem_of({"total": {"ipackets": 1}})
    assert "holds 0 snapshots" in problem_of(b"[]")
    assert "holds 3 snapshots" in problem_of(json.dumps([snapshot()] * 3).encode())
    document = snapshot()
    document["0"]["rx_pps"] = "N/A"
    assert '0.rx_pps must be a number; got "N/A"' in problem_of(document)
