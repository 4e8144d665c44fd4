"""The files that ``netmodel check`` writes: whole or not at all, and whatever the verdicts are."""

import os
import stat
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result
from invocation import refusal, run_netmodel
from runs import sample

from netmodel import _writing

pytest.importorskip("jinja2")

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = str(sample("line_200m_mtu1500_ts1_v4.json"))
FAILED = str(sample("iperf3_3.21_error.json"))
MISSING = "no such file.json"
OPTIONS = ("--junit", "--html")


def checked(*arguments: str | Path) -> Result:
    return run_netmodel("check", *LINE, *map(str, arguments))


@pytest.mark.parametrize(
    ("files", "exit_code"), [((GOOD,), 0), ((GOOD, FAILED), 1), ((GOOD, FAILED, MISSING), 3)]
)
def test_both_files_are_written_whatever_the_verdicts_are(
    files: tuple[str, ...], exit_code: int, tmp_path: Path
) -> None:
    junit, page = tmp_path / "run.xml", tmp_path / "run.html"
    result = checked(*files, "--junit", junit, "--html", page)
    assert (result.exit_code, result.stderr) == (exit_code, "")
    assert result.stdout == checked(*files).stdout
    cases = ET.fromstring(junit.read_bytes()).findall(".//testcase")
    assert [case.get("name", "").split(" (")[0] for case in cases] == list(files)
    assert all(file in page.read_text(encoding="utf-8") for file in files)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.html", "run.xml"]


def test_reports_hold_runs_that_contradict_the_line(tmp_path: Path) -> None:
    junit, page = tmp_path / "run.xml", tmp_path / "run.html"
    result = checked("--ip", "6", GOOD, FAILED, "--junit", junit, "--html", page)
    assert result.exit_code == 2
    assert "contradiction: the specified IP version" in result.stdout
    root = ET.fromstring(junit.read_bytes())
    assert len(root.findall(".//testcase")) == 2
    assert [error.get("type") for error in root.iter("error")] == ["contradiction", "failed"]
    assert "the specified IP version is 6" in page.read_text(encoding="utf-8")


def test_every_contradiction_has_a_line_of_its_own() -> None:
    other = str(sample("line_200m_mtu9000_ts1_v4.json"))
    lines = checked("--ip", "6", GOOD, other).stderr.splitlines()
    assert lines[-2:] == [
        f"Error: {GOOD}: the specified IP version is 6, but the run used 4",
        f"{other}: the specified IP version is 6, but the run used 4",
    ]


@pytest.mark.parametrize("option", OPTIONS)
def test_a_file_is_replaced_and_keeps_its_permissions(option: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    assert checked(GOOD, option, path).exit_code == 0
    assert "old" not in path.read_text(encoding="utf-8")[:100]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 or os.name == "nt"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "latest.xml").symlink_to("run.xml")
    assert checked(GOOD, "--junit", tmp_path / "latest.xml").exit_code == 0
    assert (tmp_path / "latest.xml").is_symlink()
    assert (tmp_path / "run.xml").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("option", OPTIONS)
def test_where_writing_fails_the_old_file_stays_and_the_verdicts_are_printed(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    path.write_text("old", encoding="utf-8")

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_writing.shutil, "copymode", full)
    result = checked(GOOD, option, path)
    assert result.exit_code == 2
    assert f"Error: {option} {path}: No space left on device" in result.stderr
    assert result.stdout == checked(GOOD).stdout
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


@pytest.mark.parametrize("option", OPTIONS)
def test_what_cannot_be_written_is_refused_before_the_work(option: str, tmp_path: Path) -> None:
    assert "is a directory" in refusal("check", *LINE, GOOD, option, str(tmp_path))
    nowhere = str(tmp_path / "nowhere" / "run")
    assert f"{option} {nowhere}: there is no such directory" in refusal(
        "check", *LINE, GOOD, option, nowhere
    )


def test_one_file_cannot_be_both(tmp_path: Path) -> None:
    paths = ("--junit", str(tmp_path / "run"), "--html", str(tmp_path / "." / "run"))
    assert "--junit and --html name the same file" in refusal("check", *LINE, GOOD, *paths)


def test_without_jinja_a_page_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    answer = refusal("check", *LINE, GOOD, "--html", str(tmp_path / "run.html"))
    assert "[report]" in answer
    assert checked(GOOD, "--junit", tmp_path / "run.xml").exit_code == 0


def test_a_name_in_another_encoding_does_no_harm(tmp_path: Path) -> None:
    junit, page = tmp_path / "run.xml", tmp_path / "run.html"
    assert checked("caf\udce9.json", "--junit", junit, "--html", page).exit_code == 3
    assert ET.fromstring(junit.read_bytes()).findall(".//testcase")
    assert page.stat().st_size


def test_reports_name_the_line_of_the_verdicts(tmp_path: Path) -> None:
    junit, page = tmp_path / "run.xml", tmp_path / "run.html"
    assert checked(GOOD, "--junit", junit, "--html", page).exit_code == 0
    (suite,) = ET.fromstring(junit.read_bytes()).iter("testsuite")
    assert suite.get("name") == "Runs over a line of 200 Mbit/s, MTU 1500"
    assert "<h1>Runs over a line of 200 Mbit/s, MTU 1500</h1>" in page.read_text(encoding="utf-8")
