"""From result files to the record of an adapter: the guide as it is shown, and wrong input."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from consoles import output_of, shown_commands
from invocation import printed_json, refusal, run_netmodel

from netmodel.records import data_path

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "your-own-adapter.md"
EXAMPLES = data_path("examples")
OWN = EXAMPLES / "own-adapter"
MIXED = EXAMPLES / "mixed-results"
LINE = EXAMPLES / "iperf3"
SET_FRAME_S, SET_BYTE_S = 60e-6 + 66 * 12e-9, 12e-9
"""Of the program that emulated the adapter: 60 us, and 12 ns for each byte of a frame."""
RUNS = (*(str(OWN / "runs"), "--line-rate", "400M", "--adapter-of", "server"),)


def calibrated(*arguments: str) -> Any:
    return printed_json("calibrate", *arguments)


def test_every_command_of_the_guide_prints_what_it_shows(tmp_path: Path) -> None:
    directory = shutil.copytree(OWN, tmp_path / "own-adapter")
    shown = shown_commands(GUIDE.read_text(encoding="utf-8"))
    assert len(shown) == 8
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


@pytest.mark.parametrize(
    ("name", "end", "directions"),
    [
        ("iperf3-tcp-1.json", "server", {"in"}),
        ("iperf3-tcp-1.json", "client", {"out"}),
        ("iperf3-reverse.json", "client", {"in"}),
    ],
)
def test_which_way_follows_from_whose_adapter_it_is(
    name: str, end: str, directions: set[str]
) -> None:
    result = calibrated(str(MIXED / name), "--adapter-of", end)["parameters"]
    assert {each.partition(".")[0] for each in result} == directions


def test_runs_of_both_ways_need_whose_adapter_it_is() -> None:
    both = [str(MIXED / name) for name in ("iperf3-tcp-1.json", "iperf3-reverse.json")]
    problem = refusal("calibrate", *both)
    assert "runs go in both directions" in problem
    assert "--adapter-of" in problem
    result = calibrated(*both, "--adapter-of", "server")["parameters"]
    assert {each.partition(".")[0] for each in result} == {"in", "out"}


def test_a_run_without_a_reported_mtu_needs_it_specified() -> None:
    many = [str(MIXED / "nuttcp.txt"), str(LINE / "line-200m-mtu9000.json")]
    problem = refusal("calibrate", *many)
    assert f"{many[0]}: neither MTU nor segment size is reported" in problem
    assert "--given-of for one file, such as mtu_bytes=1500 of a.json" in problem
    answer = calibrated(*many, "--given-of", many[0], "mtu_bytes=1500")
    assert answer["observation_count"] == 2
    assert f"{many[1]}: mtu_bytes is 9000, specified as 1500" in refusal(
        "calibrate", *many, "--mtu", "1500"
    )


def test_conditions_of_a_file_that_is_not_there_are_refused() -> None:
    problem = refusal("calibrate", *RUNS, "--given-of", "other.json", "mtu_bytes=1500")
    assert "other.json: conditions are given for it, but no run was read from it" in problem


def test_segments_give_an_mtu_that_is_not_reported(tmp_path: Path) -> None:
    document = json.loads((OWN / "runs" / "mtu1500.json").read_text(encoding="utf-8"))
    for interval in document["intervals"]:
        for stream in interval["streams"]:
            del stream["pmtu"]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    answer = calibrated(str(path))
    assert f"{path}: MTU not reported: frames are taken as full, with its 1448 B" in answer["notes"]
    whole = calibrated(str(OWN / "runs" / "mtu1500.json"))
    assert answer["parameters"] == whole["parameters"]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (LINE / "line-200m-mtu1500-udp.json", "left out: over UDP"),
        (LINE / "server-not-reached.json", "left out: unable to connect to server"),
        (MIXED / "iperf3-rate-limited.json", "left out: its sender was held at"),
    ],
)
def test_runs_without_a_figure_for_an_adapter_are_left_out(path: Path, why: str) -> None:
    assert f"{path}: {why}" in refusal("calibrate", str(path))
    (note,) = (each for each in calibrated(*RUNS, str(path))["notes"] if str(path) in each)
    assert why in note


def test_one_result_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    again = shutil.copy(OWN / "runs" / "mtu576.json", tmp_path / "again.json")
    answer = calibrated(*RUNS, str(again))
    assert answer["observation_count"] == 3
    (note,) = (each for each in answer["notes"] if str(again) in each)
    assert note == f"{again}: left out: the same result as {OWN / 'runs' / 'mtu576.json'}"


def test_nothing_is_calibrated_beside_a_file_that_cannot_be_read() -> None:
    broken = str(LINE / "line-200m-mtu1500-interrupted.json")
    result = run_netmodel("calibrate", *RUNS, broken)
    assert result.exit_code == 3
    assert result.stdout == ""
    assert f"{broken}: not valid JSON" in result.stderr


def test_a_run_at_the_line_is_a_lower_bound() -> None:
    full = str(LINE / "line-200m-mtu1500.json")
    answer = calibrated(full, "--line-rate", "200M", "--adapter-of", "server")
    assert any(f"{full}: at line speed: censored above" in note for note in answer["notes"])
    assert answer["parameters"]["in.per_frame_s"]["low"] == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("osa-express7s-25gbe", "--adapter-of", "server"), "are for results of tools"),
        (
            ("no-such-directory", "--adapter-of", "server"),
            "'no-such-directory' is not a file or directory",
        ),
        ((*RUNS, "--figures", "x"), "are for tables, not for results"),
        ((*RUNS, "--model", "host", "--given", "side=server"), "are for the model adapter"),
    ],
)
def test_options_that_are_for_other_sources_are_refused(
    arguments: tuple[str, ...], problem: str
) -> None:
    assert problem in refusal("calibrate", *arguments)


def test_figures_that_are_refused_alike_are_named_once() -> None:
    result = calibrated("osa-express7s-25gbe", "--where", "direction=in", "--line-rate", "1Gbit/s")
    refused = [each for each in result["notes"] if "refused" in each]
    assert refused
    assert len(set(refused)) == len(refused)


def test_results_give_the_cost_of_a_host_too() -> None:
    answer = calibrated(
        *(str(OWN / "runs"), "--model", "host", "--where", "side=server"),
        *("--fix", "per_message_s=0"),
    )
    assert set(answer["parameters"]) == {"per_frame_s", "per_byte_s"}
    assert answer["observation_count"] == 3
