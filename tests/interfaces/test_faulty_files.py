"""One file at fault is one row: the other files of a directory are judged all the same."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from runs import sample

from netmodel.checking import check
from netmodel.cli import main
from netmodel.readers import read_result

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = sample("line_200m_mtu1500_ts1_v4.json")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    shutil.copy(GOOD, tmp_path / "b.json")
    return tmp_path


def rows(*arguments: str, exit_code: int) -> list[dict[str, Any]]:
    result = CliRunner().invoke(main, (*arguments, "--json"))
    assert result.exit_code == exit_code, result.output
    answer: list[dict[str, Any]] = json.loads(result.stdout)
    return answer


def test_a_fault_in_reading_a_file_is_its_row(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(source: Any, format_name: str | None = None) -> Any:
        if str(source.source).endswith("a.json"):
            raise ZeroDivisionError("division by zero")
        return read_result(source, format_name)

    shutil.copy(GOOD, runs / "a.json")
    monkeypatch.setattr("netmodel.readers._formats.read_result", failing)
    odd, good = rows("check", str(runs), *LINE, exit_code=3)
    assert (odd["file"], odd["verdict"]) == (str(runs / "a.json"), None)
    assert "a fault of netmodel: ZeroDivisionError" in odd["reason"]
    assert good["verdict"] == "at_ceiling"


def test_a_fault_in_judging_a_run_is_its_row(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = check

    def failing(run: Any, *others: Any) -> Any:
        if run.source.endswith("a.json"):
            raise RecursionError
        return judge(run, *others)

    shutil.copy(GOOD, runs / "a.json")
    monkeypatch.setattr("netmodel.checking._check.check", failing)
    odd, good = rows("check", str(runs), *LINE, exit_code=3)
    assert (odd["file"], odd["verdict"]) == (str(runs / "a.json"), None)
    assert good["verdict"] == "at_ceiling"
