"""From result files to the record of an adapter: the guide as it is shown, and wrong input."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from consoles import output_of, shown_commands
from invocation import printed_json, refusal

from netmodel.records import data_path

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "your-own-adapter.md"
EXAMPLES = data_path("examples")
OWN = EXAMPLES / "own-adapter"
MIXED = EXAMPLES / "mixed-results"
LINE = EXAMPLES / "iperf3"
FRAME_S, BYTE_S = 0.5e-6, 0.2e-9
"""Of an invented adapter."""
SET_FRAME_S, SET_BYTE_S = 60e-6 + 66 * 12e-9, 12e-9
"""Of the program that emulated the adapter: 60 us, and 12 ns for each byte of a frame."""
RUNS = (*(str(OWN / "runs"), "--line-rate", "400M", "--side", "server"),)


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
    result = calibrated(str(MIXED / name), "--side", end)["parameters"]
    assert {each.partition(".")[0] for each in result} == directions


def test_runs_of_both_ways_need_whose_adapter_it_is() -> None:
    both = [str(MIXED / name) for name in ("iperf3-tcp-1.json", "iperf3-reverse.json")]
    problem = refusal("calibrate", *both)
    assert "runs go in both directions" in problem
    assert "--side" in problem
    result = calibrated(*both, "--side", "server")["parameters"]
    assert {each.partition(".")[0] for each in result} == {"in", "out"}


def test_a_run_without_a_reported_mtu_needs_it_specified() -> None:
    many = [str(MIXED / "nuttcp.txt"), str(LINE / "line-200m-mtu9000.json")]
    problem = refusal("calibrate", *many)
    assert f"{many[0]}: neither MTU nor segment size is reported" in problem
    assert "--mtu gives it for all runs" in problem
    assert f"{many[1]}: mtu_bytes is 9000, specified as 1500" in refusal(
        "calibrate", *many, "--mtu", "1500"
    )


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


def test_a_run_at_the_line_is_a_lower_bound() -> None:
    full = str(LINE / "line-200m-mtu1500.json")
    answer = calibrated(full, "--line-rate", "200M", "--side", "server")
    assert any(f"{full}: at line speed: censored above" in note for note in answer["notes"])
    assert answer["parameters"]["in.per_frame_s"]["low"] == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("osa-express7s-25gbe", "--side", "server"), "is for results of tools"),
        (
            ("no-such-directory", "--side", "server"),
            "'no-such-directory' is not a file or directory",
        ),
        ((*RUNS, "--figures", "x"), "is for tables, not for results"),
        ((*RUNS, "--model", "host", "--given", "side=server"), "is for the model adapter"),
    ],
)
def test_options_that_are_for_other_sources_are_refused(
    arguments: tuple[str, ...], problem: str
) -> None:
    assert problem in refusal("calibrate", *arguments)


def test_results_give_the_cost_of_a_host_too() -> None:
    answer = calibrated(
        *(str(OWN / "runs"), "--model", "host", "--where", "side=server"),
        *("--fix", "per_message_s=0"),
    )
    assert set(answer["parameters"]) == {"per_frame_s", "per_byte_s"}
    assert answer["observation_count"] == 3


def invented_bps(mtu_bytes: int) -> float:
    """A frame has the MTU less 40 byte of IP and TCP headers and 12 byte of timestamps."""
    payload_bytes = mtu_bytes - 52
    return 8 * payload_bytes / (FRAME_S + BYTE_S * payload_bytes)


def write_run(path: Path, mtu_bytes: int, rate_bps: float, **of_hosts: float) -> None:
    """A run of 10 s over a round trip of 0.2 ms, as iperf3 reports it."""
    run = json.loads((OWN / "runs" / "mtu1500.json").read_text(encoding="utf-8"))
    window_bytes = of_hosts.get("window_bytes", 2**26)
    run["start"].update(cookie=path.name, tcp_mss_default=mtu_bytes - 52)
    for each in run["intervals"]:
        each["streams"][0].update(pmtu=mtu_bytes, snd_wnd=window_bytes, snd_cwnd=2**26, rtt=200)
    rate = {
        "bytes": round(rate_bps * 10 / 8),
        "bits_per_second": rate_bps,
        "seconds": 10,
        "end": 10,
    }
    (stream,) = run["end"]["streams"]
    stream["sender"].update(rate, max_snd_wnd=window_bytes, max_snd_cwnd=2**26)
    stream["sender"].update(dict.fromkeys(("max_rtt", "min_rtt", "mean_rtt"), 200))
    for each in (stream["receiver"], run["end"]["sum_sent"], run["end"]["sum_received"]):
        each.update(rate)
    run["end"]["cpu_utilization_percent"].update(
        host_total=of_hosts.get("client_percent", 30), remote_total=of_hosts.get("percent", 30)
    )
    path.write_text(json.dumps(run), encoding="utf-8")


WINDOW_BPS = 2**18 * 8 / 200e-6
"""A window of 256 KiB over that round trip: 10.49 Gbit/s."""


@pytest.mark.parametrize(
    ("limited", "by"),
    [
        ({"rate_bps": 0.97 * WINDOW_BPS, "window_bytes": 2**18}, "window of 262144 byte"),
        ({"rate_bps": 12e9, "client_percent": 99.7}, "the client with 0.997 busy CPUs"),
        ({"rate_bps": 12e9, "percent": 99.7}, "the server with 0.997 busy CPUs"),
    ],
)
@pytest.mark.parametrize("noise", [("--noise", "0.01")])
def test_runs_that_a_host_limited_are_lower_bounds(
    tmp_path: Path, limited: dict[str, float], by: str, noise: tuple[str, ...]
) -> None:
    """As `check` calls them: the adapter would have carried 34 Gbit/s there, not 10 or 12."""
    factors = {1500: (1.01, 0.99), 3000: (0.99, 1.01), 9000: (1.0, 1.01)}
    for mtu_bytes, pair in factors.items():
        for number, factor in enumerate(pair):
            path = tmp_path / f"mtu{mtu_bytes}-{number}.json"
            write_run(path, mtu_bytes, factor * invented_bps(mtu_bytes))
    question = (str(tmp_path), "--side", "server", "--predict-at", "mtu_bytes=4000", *noise)
    without = calibrated(*question)
    write_run(tmp_path / "limited.json", 9000, **limited)
    write_run(
        tmp_path / "limited-too.json", 9000, **limited | {"rate_bps": limited["rate_bps"] - 1}
    )
    result = calibrated(*question)
    (answer,), (other,) = result["predictions"], without["predictions"]
    assert answer["low"] < invented_bps(4000) < answer["high"]
    assert [answer[end] for end in ("value", "low", "high")] == pytest.approx(
        [other[end] for end in ("value", "low", "high")], rel=1e-6
    )
    assert result["observation_count"] == 8
    (first,) = (note for note in result["notes"] if "limited by" in note)
    assert "limited-too.json and 1 more: limited by" in first
    assert by in first
    assert first.endswith(": lower bounds of what the adapter carries")
