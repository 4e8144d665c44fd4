"""``netmodel check`` of directories and standard input: judged, passed over or unreadable."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from invocation import run_netmodel
from runs import sample

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = sample("line_200m_mtu1500_ts1_v4.json").read_bytes()
MPSTAT = Path(__file__).parents[1] / "readers" / "samples" / "sysstat" / "mpstat_12.6.1_PALL.json"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
PASSED_OVER = {
    "README.md": (b"# Runs of Tuesday\n", "of no known format"),
    "run.sh": (b"#!/bin/sh\niperf3 -c server -J > run.json\n", "of no known format"),
    "words.json": (b'{"start": oops!}', "of no known format"),
    "plot.png": (PNG, "not text"),
    "cpu.json": (MPSTAT.read_bytes(), "mpstat"),
    "run.tar.gz": (gzip.compress(PNG), "not text"),
}


def filled(directory: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory


def rows_of(result: Result) -> list[dict[str, Any]]:
    rows = json.loads(result.stdout)
    assert isinstance(rows, list)
    return rows


def judged(directory: Path, *options: str) -> Result:
    return run_netmodel("check", *LINE, "--json", *options, str(directory))


def names_in(result: Result, directory: Path) -> list[str]:
    return [str(Path(row["file"]).relative_to(directory)) for row in rows_of(result)]


def test_all_results_below_a_directory_are_judged_in_the_order_of_their_names(
    tmp_path: Path,
) -> None:
    names = ["b.json", "a/2.json", "a/10.json", "a-b/1.json", "a/b/c/d.json", "Z.json"]
    result = judged(filled(tmp_path, dict.fromkeys(names, GOOD)))
    expected = ["Z.json", "a/10.json", "a/2.json", "a/b/c/d.json", "a-b/1.json", "b.json"]
    assert names_in(result, tmp_path) == expected
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_is_no_result_is_passed_over_and_named(name: str, tmp_path: Path) -> None:
    content, kind = PASSED_OVER[name]
    result = judged(filled(tmp_path, {name: content, "a.json": GOOD}))
    assert (names_in(result, tmp_path), result.exit_code) == (["a.json"], 0)
    answer = f"skipped without results: {tmp_path / name} ({kind})\n"
    assert result.stderr == answer
    assert result.output.endswith(answer)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "the directory has no visible files"),
        ({"README.md": b"text"}, "the directory has no result in a known format: iperf3, "),
    ],
)
def test_a_directory_without_a_result_is_a_fault(
    files: dict[str, bytes], words: str, tmp_path: Path
) -> None:
    result = judged(filled(tmp_path, files))
    (row,) = rows_of(result)
    assert (row["file"], row["verdict"], result.exit_code) == (str(tmp_path), None, 3)
    assert row["reason"].startswith(words)


def from_stdin(content: bytes, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "netmodel", "check", *LINE, *arguments]
    return subprocess.run(command, input=content, capture_output=True, check=False)


@pytest.mark.parametrize("content", [GOOD, gzip.compress(GOOD)], ids=["plain", "gzip"])
def test_a_result_may_come_from_standard_input(content: bytes) -> None:
    result = from_stdin(content, "--json", "-")
    (row,) = json.loads(result.stdout)
    assert (row["file"], row["verdict"], result.returncode) == ("<stdin>", "at_ceiling", 0)
    assert b"    <stdin> (client_to_server)\n" in from_stdin(content, "-").stdout
