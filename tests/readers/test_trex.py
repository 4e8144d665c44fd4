"""Results of TRex, made from its documentation: frames of 64 byte, 84 with preamble and gap."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from netmodel.errors import DomainError, ParseError
from netmodel.readers import read_result

read_trex = partial(read_result, format_name="trex")

SAMPLES = Path(__file__).parent / "samples" / "trex"
RATES = SAMPLES / "made_rates.json"
SNAPSHOTS = SAMPLES / "made_two_snapshots.json"


def snapshot() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(RATES.read_text(encoding="utf-8"))
    return document


def problem_of(source: Any, interval_s: float | None = None) -> str:
    with pytest.raises(ParseError) as caught:
        read_trex(source, snapshot_interval_s=interval_s)
    return str(caught.value)


def of_ports(*ports: tuple[int, int]) -> dict[str, Any]:
    """Statistics of ports that sent and received these frames, a ten millionth each second."""
    return {
        str(number): {
            "opackets": sent,
            "ipackets": arrived,
            "rx_pps": arrived / 10,
            "rx_bps": arrived / 10 * 512,
        }
        for number, (sent, arrived) in enumerate(ports)
    }


MILLION = 10**6


@pytest.mark.parametrize(
    ("ports", "measured"),
    [
        # two pairs, each in one direction, with much loss: no receiver sends
        ([(MILLION, 0), (0, 600_000), (MILLION, 0), (0, 600_000)], ["port 1", "port 3"]),
        # both directions, one of them dead: port 1's frames are missing, but for a switch's
        ([(MILLION, 30), (MILLION, MILLION)], ["port 0", "port 1"]),
        # one direction beside both
        (
            [(MILLION, 0), (0, MILLION), (MILLION, MILLION), (MILLION, 999_000)],
            ["port 1", "port 2", "port 3"],
        ),
        # nothing arrives at all
        ([(MILLION, 0), (MILLION, 0)], ["port 0", "port 1"]),
        ([(0, 0), (0, 0)], ["port 0", "port 1"]),
    ],
)
def test_a_port_that_should_receive_is_never_left_out(
    ports: list[tuple[int, int]], measured: list[str]
) -> None:
    assert [run.part for run in read_trex(of_ports(*ports))] == measured


def test_counters_of_two_snapshots_give_rates_where_the_time_is_reported() -> None:
    port_0, port_1 = read_trex(SNAPSHOTS, snapshot_interval_s=10)
    assert port_0.frame_rate_fps == 2e6
    assert port_1.frame_rate_fps == pytest.approx(998_000)
    assert port_1.layer2_rate_bps == pytest.approx(998_000 * 64 * 8)
    assert port_1.layer1_rate_bps == pytest.approx(998_000 * 84 * 8)
    assert port_1.duration_s == 10


def test_snapshots_may_stand_one_behind_the_other() -> None:
    first, second = json.loads(SNAPSHOTS.read_text(encoding="utf-8"))
    lines = f"{json.dumps(first)}\n{json.dumps(second)}\n".encode()
    assert [run.notes for run in read_trex(lines)] == [run.notes for run in read_trex(SNAPSHOTS)]


def test_the_dictionary_itself_may_have_ports_as_numbers() -> None:
    document = {int(key) if key.isdigit() else key: value for key, value in snapshot().items()}
    assert [run.part for run in read_trex(document)] == ["port 0", "port 1"]  # type: ignore[arg-type]


def test_counters_that_went_back_are_refused() -> None:
    first, second = json.loads(SNAPSHOTS.read_text(encoding="utf-8"))
    assert "[1].0.opackets is less than in the first snapshot" in problem_of(
        json.dumps([second, first]).encode()
    )


def test_a_time_needs_two_snapshots_and_must_be_one() -> None:
    assert "holds one snapshot" in problem_of(RATES, 10)
    for interval_s in (0, -1, float("nan"), float("inf")):
        with pytest.raises(DomainError, match="interval_s must be at least"):
            read_trex(SNAPSHOTS, snapshot_interval_s=interval_s)


def test_a_time_may_be_as_short_as_the_resolution_of_its_tool() -> None:
    """TRex and iperf3 print thousandths of a second."""
    assert read_trex(SNAPSHOTS, snapshot_interval_s=1e-3)[0].duration_s == 1e-3
    with pytest.raises(DomainError, match=r"at least 0\.001 s"):
        read_trex(SNAPSHOTS, snapshot_interval_s=0.9e-3)


@pytest.mark.parametrize(("stray", "is_left_out"), [(100, True), (101, False)])
def test_a_ten_thousandth_of_all_frames_is_no_traffic(stray: int, is_left_out: bool) -> None:
    """Of a million frames that arrive, as many as a switch sends by itself."""
    runs = read_trex(of_ports((0, MILLION - stray), (MILLION, stray)))
    assert [run.part for run in runs] == ["port 0", "port 1"][: 2 - is_left_out]


@pytest.mark.parametrize(("arrived", "is_left_out"), [(100_050, False), (100_051, True)])
def test_a_port_is_meant_to_receive_where_nine_tenths_of_a_senders_frames_are_missing(
    arrived: int, is_left_out: bool
) -> None:
    """Of the 1,000,050 frames of ports 0 and 2 miss 900,000, or one less; port 0 gets none."""
    runs = read_trex(of_ports((50, 0), (0, arrived), (MILLION, 0)))
    assert [run.part for run in runs] == ["port 0", "port 1", "port 2"][is_left_out:]
