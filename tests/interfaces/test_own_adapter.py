"""From result files to the record of an adapter: the guide as it is shown, and wrong input."""

import shutil
from pathlib import Path
from typing import Any

from consoles import output_of, shown_commands
from invocation import printed_json

from netmodel.records import data_path

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "your-own-adapter.md"
EXAMPLES = data_path("examples")
OWN = EXAMPLES / "own-adapter"
SET_FRAME_S, SET_BYTE_S = 60e-6 + 66 * 12e-9, 12e-9
"""Of the program that emulated the adapter: 60 us, and 12 ns for each byte of a frame."""
RUNS = (*(str(OWN / "runs"), "--line-rate", "400M", "--side", "server"),)


def calibrated(*arguments: str) -> Any:
    return printed_json("calibrate", *arguments)


def test_every_command_of_the_guide_prints_what_it_shows(tmp_path: Path) -> None:
    directory = shutil.copytree(OWN, tmp_path / "own-adapter")
    shown = shown_commands(GUIDE.read_text(encoding="utf-8"))
    assert len(shown) == 5
    for command, output in shown:
        assert output_of(command, directory).rstrip() == output.rstrip(), command


def test_intervals_from_three_runs_contain_the_emulated_service_times() -> None:
    result = calibrated(*RUNS, "--noise", "0.03")["parameters"]
    for name, set_s in (("in.per_frame_s", SET_FRAME_S), ("in.per_byte_s", SET_BYTE_S)):
        assert result[name]["low"] < set_s < result[name]["high"]
        assert result[name]["estimable"]


def test_a_record_from_runs_predicts_the_run_that_was_kept_back(tmp_path: Path) -> None:
    card = str(tmp_path / "mine.toml")
    calibrated(*RUNS, "-o", card)
    path = ("--sender", "ethernet-1gbe", "--receiver", card, "--line-rate", "400M", "--mtu", "4000")
    (row,) = printed_json("check", str(OWN / "check" / "mtu4000.json"), *path, exit_code=1)
    assert row["verdict"] == "not_judgeable", "the interval is wider than any tolerance"
    assert row["binding"] == "server_adapter_in"
    (answer,) = printed_json("predict", *path, "--workload", "str-writex30k", "--connections", "1")
    rates = answer["throughput_bps"]
    assert rates["low"] < row["goodput_bps"] < rates["high"]
