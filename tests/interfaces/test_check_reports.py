"""The file that ``netmodel check`` writes: whole or not at all, and whatever the verdicts are."""

import os
import stat
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result
from invocation import refusal, run_netmodel
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


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    assert checked(GOOD, "--junit", path).exit_code == 0
    assert "old" not in path.read_text(encoding="utf-8")[:100]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 or os.name == "nt"


def test_where_writing_fails_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    path.write_text("old", encoding="utf-8")

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("netmodel.writing.shutil.copymode", full)
    result = checked(GOOD, "--junit", path)
    assert result.exit_code == 2
    assert f"Error: --junit {path}: No space left on device" in result.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["run"]
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_pipe_is_written_into_and_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    end = os.open(path, os.O_RDWR)
    try:
        assert checked(GOOD, "--junit", path).exit_code == 0
        assert path.is_fifo()
        assert os.read(end, 5) == b"<?xml"
    finally:
        os.close(end)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in refusal("check", *LINE, GOOD, "--junit", str(tmp_path))
    nowhere = str(tmp_path / "nowhere" / "run")
    message = refusal("check", *LINE, GOOD, "--junit", nowhere)
    assert f"--junit {nowhere}: No such file or directory" in message
