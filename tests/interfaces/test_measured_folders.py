"""Folders of measured runs, read by calibrate, compare and check."""

import json
import math
import random
import stat
from pathlib import Path
from typing import Any

import pytest
from invocation import run_netmodel
from runs import sample

import netmodel
from netmodel.measuring._compared_runs import _interval

RESULT = sample("line_200m_mtu1500_ts1_v4.json")
SECONDS = 8.0
FACTS = Path(__file__).parents[1] / "measuring" / "samples" / "virtio.toml"


def result(goodput_bps: float, mtu_bytes: int) -> dict[str, Any]:
    """What iperf3 printed of a run, with another rate and size of segments."""
    document: dict[str, Any] = json.loads(RESULT.read_text())
    document["start"]["tcp_mss_default"] = mtu_bytes - 52
    document["end"]["sum_received"] |= {
        "bytes": round(goodput_bps * SECONDS / 8),
        "seconds": SECONDS,
        "bits_per_second": goodput_bps,
    }
    return document


def measured(
    tmp_path: Path, name: str, goodput_bps: float, *options: str, mtu_bytes: int = 1500
) -> Path:
    """The folder of a run of a tool that prints this."""
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(result(goodput_bps, mtu_bytes)))
    place = tmp_path / "runs" / name
    done = run_netmodel("measure", "-o", str(place), *options, "--", "cat", str(path))
    assert done.exit_code in {0, 1}, done.output
    return place


def with_mtu(tmp_path: Path, name: str, goodput_bps: float, mtu_bytes: int) -> Path:
    """The folder of a run whose server shows this MTU."""
    facts = tmp_path / f"{mtu_bytes}.toml"
    facts.write_text(FACTS.read_text().replace('"mtu":1400', f'"mtu":{mtu_bytes}'))
    options = ("--peer-facts", str(facts))
    return measured(tmp_path, name, goodput_bps, *options, mtu_bytes=mtu_bytes)


def test_an_adapter_is_calibrated_from_folders_by_the_mtu_of_their_hosts(tmp_path: Path) -> None:
    """By hand: with 1 µs and 4 ns/byte, a frame of MTU 1500 and its 38 bytes takes 7.152 µs."""
    for mtu_bytes in (1500, 4000, 9000):
        frame_s = 1e-6 + (mtu_bytes + 38) * 4e-9
        with_mtu(tmp_path, str(mtu_bytes), (mtu_bytes - 52) * 8 / frame_s, mtu_bytes)
    folders = [str(path) for path in sorted((tmp_path / "runs").iterdir())]
    shown = run_netmodel("calibrate", *folders, "--adapter-of", "server", "--noise", "0.01")
    assert shown.exit_code == 0, shown.output
    assert "from 3 observations" in " ".join(shown.stdout.split())
    fit = netmodel.calibrate(folders, adapter_of="server", noise_ratio=0.01)
    for name, true in (("in.per_frame_s", 1e-6), ("in.per_byte_s", 4e-9)):
        _, low, high = fit.parameters[name]
        assert low is not None
        assert high is not None
        assert low <= true <= high


def test_a_specified_mtu_takes_the_place_of_that_of_the_folder(tmp_path: Path) -> None:
    place = measured(tmp_path, "one", 1e9, "--peer-facts", str(FACTS))
    shown = run_netmodel(
        "calibrate", str(place), "--adapter-of", "server", "--mtu", "1500", "--verbose"
    )
    assert "MTU 1500 is specified, eth0 of the server has 1400" in " ".join(shown.stdout.split())


def test_a_run_that_is_not_complete_is_left_out(tmp_path: Path) -> None:
    place = with_mtu(tmp_path, "one", 1e9, 1500)
    manifest = place / "manifest.toml"
    manifest.write_text(manifest.read_text().replace('"complete"', '"interrupted"'))
    shown = run_netmodel("calibrate", str(place), "--adapter-of", "server")
    assert shown.exit_code == 2, shown.output
    assert "no observation is left" in shown.stderr
    assert "its state is interrupted" in " ".join(shown.stderr.split())


def test_measured_runs_are_compared(tmp_path: Path) -> None:
    """By hand: the limits of MTU 1500 and 9000 are 1448/1538 and 8948/9038 of the line."""
    with_mtu(tmp_path, "small", 180e6, 1500)
    with_mtu(tmp_path, "large", 189e6, 9000)
    folders = [str(tmp_path / "runs" / name) for name in ("small", "large")]
    arguments = ("compare", "--baseline", folders[0], "--variant", folders[1])
    (shown,) = json.loads(run_netmodel(*arguments, "--json").stdout)
    (row,) = [each for each in shown["rows"] if each["quantity"] == "goodput"]
    assert row["ratio"] == pytest.approx(1.05)
    assert (row["low"], row["high"]) == (None, None)
    assert row["limit_ratio"] == pytest.approx((8948 / 9038) / (1448 / 1538))
    assert shown["differences"]["MTU"] == {"baseline": "1500", "variant": "9000"}
    assert shown["published"].startswith("mtu 9000 against mtu 1500")
    text = " ".join(run_netmodel(*arguments).stdout.split())
    assert "goodput is 5 % higher than in" in text
    assert "no interval of single runs: measure both with --repeat 5" in text


def test_repeats_give_the_ratio_an_interval(tmp_path: Path) -> None:
    for name, rates in {"old": "100 101 99", "new": "120 119 121"}.items():
        numbers = tmp_path / f"{name}.txt"
        numbers.write_text(rates.replace(" ", "\n") + "\n")
        tool = tmp_path / "iperf3"
        tool.write_text(
            f"#!/bin/sh\nhead -n 1 '{numbers}' | sed 's/$/ Mbit\\/s/'; sed -i 1d '{numbers}'\n"
        )
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        # asked for its version, it prints a rate too: the first line is gone by then
        numbers.write_text("".join(f"{each}\n{each}\n" for each in rates.split()))
        run_netmodel(
            *("measure", "-o", str(tmp_path / name), "--repeat", "3", "--pause", "1ms"),
            *("--", str(tool), "-c", "127.0.0.1"),
        )
    (shown,) = json.loads(
        run_netmodel(
            *("compare", "--baseline", str(tmp_path / "old"), "--variant", str(tmp_path / "new")),
            "--json",
        ).stdout
    )
    (row,) = shown["rows"]
    assert shown["run_counts"] == [3, 3]
    assert row["ratio"] == pytest.approx(1.2)
    # by hand: s of the logarithms is 0.0100 and 0.0083, t of about four degrees 2.8
    assert row["high"] / row["low"] == pytest.approx(math.exp(2 * 2.8 * 0.0075), rel=0.003)


def test_the_interval_of_the_ratio_covers_it_in_nineteen_of_twenty_cases() -> None:
    source = random.Random(24)
    count = 2000
    covered = 0
    for _ in range(count):
        low, high = _interval(
            [100 * math.exp(source.gauss(0, 0.01)) for _ in range(5)],
            [120 * math.exp(source.gauss(0, 0.03)) for _ in range(4)],
        )
        assert low is not None
        covered += low <= 1.2 <= high
    # four standard deviations of a share of 0.95 in 2000 are 0.02
    assert abs(covered / count - 0.95) < 0.02


def test_a_folder_is_compared_with_no_case_of_a_document(tmp_path: Path) -> None:
    place = with_mtu(tmp_path, "one", 1e9, 1500)
    shown = run_netmodel("compare", "--baseline", str(place), "--variant", "mtu=9000")
    assert shown.exit_code == 2
    assert "both as folders of netmodel measure" in " ".join(shown.stderr.split())


def test_a_directory_of_folders_alone_is_judged_as_all_of_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        measured(tmp_path, name, 1e9)
    directory = str(tmp_path / "runs")
    assert len(netmodel.check(directory, line_rate_bps=2e9, mtu_bytes=1500)) == 2
    (tmp_path / "runs" / "notes.txt").write_text("mine")
    shown = run_netmodel("check", directory, "--line-rate", "2G", "--mtu", "1500", "--json")
    assert len(json.loads(shown.stdout)) == 2


def test_a_folder_that_is_broken_is_a_row_and_ends_no_other(tmp_path: Path) -> None:
    for name in ("a", "b"):
        measured(tmp_path, name, 941e6)
    manifest = next((tmp_path / "runs" / "a").glob("manifest*"))
    manifest.write_text('schema = 1\nstate = "complete"\n', encoding="utf-8")
    places = [str(tmp_path / "runs" / name) for name in ("a", "b")]
    line = ("--line-rate", "1Gbit/s", "--mtu", "1500")
    shown = run_netmodel("check", *places, *line, "--json")
    assert shown.exit_code == 3, shown.output
    broken, good = json.loads(shown.stdout)
    assert (broken["verdict"], good["verdict"]) == (None, "at_ceiling")
    assert "manifest.toml" in broken["file"]
    assert run_netmodel("compare", "--baseline", places[0], "--variant", places[1]).exit_code == 3
