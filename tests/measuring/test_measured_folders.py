"""Folders of measured runs, read by check."""

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
