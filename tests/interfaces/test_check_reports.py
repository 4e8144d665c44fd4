"""The file that ``netmodel check`` writes: whole or not at all, and whatever the verdicts are."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result
from invocation import run_netmodel
from runs import sample

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = str(sample("line_200m_mtu1500_ts1_v4.json"))
FAILED = str(sample("iperf3_3.21_error.json"))
MISSING = "no such file.json"


def checked(*arguments: str | Path) -> Result:
    return run_netmodel("check", *LINE, *map(str, arguments))


@pytest.mark.parametrize(
    ("files", "exit_code"), [((GOOD,), 0), ((GOOD, FAILED), 1), ((GOOD, FAILED, MISSING), 3)]
)
def test_the_file_is_written_whatever_the_verdicts_are(
    files: tuple[str, ...], exit_code: int, tmp_path: Path
) -> None:
    junit = tmp_path / "run.xml"
    result = checked(*files, "--junit", junit)
    assert (result.exit_code, result.stderr) == (exit_code, "")
    assert result.stdout == checked(*files).stdout
    cases = ET.fromstring(junit.read_bytes()).findall(".//testcase")
    assert [case.get("name", "").split(" (")[0] for case in cases] == list(files)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.xml"]


def test_reports_hold_runs_that_contradict_the_line(tmp_path: Path) -> None:
    junit = tmp_path / "run.xml"
    result = checked("--ip", "6", GOOD, FAILED, "--junit", junit)
    assert result.exit_code == 2
    assert "the specified IP version" in " ".join(result.stdout.split())
    root = ET.fromstring(junit.read_bytes())
    assert len(root.findall(".//testcase")) == 2
    assert [error.get("type") for error in root.iter("error")] == ["contradiction", "failed"]
