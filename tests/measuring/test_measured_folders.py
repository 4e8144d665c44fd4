"""Folders of measured runs, read by calibrate, compare and check."""

import json
from pathlib import Path
from typing import Any

from invocation import run_netmodel
from runs import sample

import netmodel

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
    shown = run_netmodel("calibrate", *folders, "--side", "server", "--noise", "0.01")
    assert shown.exit_code == 0, shown.output
    assert "from 3 observations" in " ".join(shown.stdout.split())
    fit = netmodel.calibrate(folders, side="server", noise_ratio=0.01)
    for name, true in (("in.per_frame_s", 1e-6), ("in.per_byte_s", 4e-9)):
        _, low, high = fit.parameters[name]
        assert low is not None
        assert high is not None
        assert low <= true <= high


def test_a_specified_mtu_takes_the_place_of_that_of_the_folder(tmp_path: Path) -> None:
    place = measured(tmp_path, "one", 1e9, "--peer-facts", str(FACTS))
    shown = run_netmodel("calibrate", str(place), "--side", "server", "--mtu", "1500", "--verbose")
    assert "MTU 1500 is specified, eth0 of the server has 1400" in " ".join(shown.stdout.split())


def test_a_run_that_is_not_complete_is_left_out(tmp_path: Path) -> None:
    place = with_mtu(tmp_path, "one", 1e9, 1500)
    manifest = place / "manifest.toml"
    manifest.write_text(manifest.read_text().replace('"complete"', '"interrupted"'))
    shown = run_netmodel("calibrate", str(place), "--side", "server")
    assert shown.exit_code == 2, shown.output
    assert "no observation is left" in shown.stderr
    assert "its state is interrupted" in " ".join(shown.stderr.split())


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
