"""Results of TRex, made from its documentation: frames of 64 byte, 84 with preamble and gap."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from netmodel.readers import Measurement, read_result

read_file = partial(read_result, format_name="trex")

SAMPLES = Path(__file__).parent / "samples" / "trex"
SNAPSHOTS = SAMPLES / "made_two_snapshots.json"


def read_trex(document: Any) -> tuple[Measurement, ...]:
    return read_file(json.dumps(document).encode())


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
    assert [run.file.part for run in read_trex(of_ports(*ports))] == measured


def test_of_several_snapshots_the_last_counts() -> None:
    first, second = json.loads(SNAPSHOTS.read_text(encoding="utf-8"))
    lines = f"{json.dumps(first)}\n{json.dumps(second)}\n".encode()
    (alone, _), (listed, _) = read_trex(second), read_file(SNAPSHOTS)
    assert alone.notes == listed.notes == read_file(lines)[0].notes != read_trex(first)[0].notes


@pytest.mark.parametrize(("stray", "is_left_out"), [(100, True), (101, False)])
def test_a_ten_thousandth_of_all_frames_is_no_traffic(stray: int, is_left_out: bool) -> None:
    """Of a million frames that arrive, as many as a switch sends by itself."""
    runs = read_trex(of_ports((0, MILLION - stray), (MILLION, stray)))
    assert [run.file.part for run in runs] == ["port 0", "port 1"][: 2 - is_left_out]


@pytest.mark.parametrize(("arrived", "is_left_out"), [(100_050, False), (100_051, True)])
def test_a_port_is_meant_to_receive_where_nine_tenths_of_a_senders_frames_are_missing(
    arrived: int, is_left_out: bool
) -> None:
    """Of the 1,000,050 frames of ports 0 and 2 miss 900,000, or one less; port 0 gets none."""
    runs = read_trex(of_ports((50, 0), (0, arrived), (MILLION, 0)))
    assert [run.file.part for run in runs] == ["port 0", "port 1", "port 2"][is_left_out:]
