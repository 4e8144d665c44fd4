"""What commands write: never over what they read, and whole or not at all."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from invocation import refusal, run_netmodel
from runs import sample

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = sample("line_200m_mtu1500_ts1_v4.json").read_bytes()
PREDICT = ("predict", "--path", "worked-closed-network", "--mtu", "1500", "--connections", "50")
TABLE = b"mtu_bytes,throughput_gbps\n1500,13.40\n9000,20.50\n"


def same_name(path: Path, _: Path) -> Path:
    return path


def other_spelling(path: Path, _: Path) -> Path:
    return path.parent / "." / path.name


def symbolic(path: Path, link: Path) -> Path:
    link.symlink_to(path)
    return link


def hard(path: Path, link: Path) -> Path:
    link.hardlink_to(path)
    return link


WAYS = [same_name, other_spelling, symbolic, hard]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / "a.json"
    path.write_bytes(GOOD)
    return path


@pytest.mark.parametrize("way", WAYS)
def test_a_report_is_not_written_over_a_result(
    way: Callable[[Path, Path], Path], run: Path, tmp_path: Path
) -> None:
    report = way(run, tmp_path / "report")
    message = refusal("check", *LINE, str(run), "--junit", str(report))
    assert f"--junit {report}" in message
    assert str(run) in message
    assert run.read_bytes() == GOOD


@pytest.mark.parametrize("way", WAYS)
def test_a_report_is_not_written_over_a_run_of_a_directory(
    way: Callable[[Path, Path], Path], run: Path, tmp_path: Path
) -> None:
    report = way(run, tmp_path / "report")
    message = refusal("check", *LINE, str(run.parent), "--junit", str(report))
    assert f"--junit {report}" in message
    assert "is read: name another file" in message
    assert run.read_bytes() == GOOD


def test_a_report_of_before_in_the_directory_is_replaced(run: Path) -> None:
    report = run.parent / "report.xml"
    for _ in range(2):
        result = run_netmodel("check", *LINE, str(run.parent), "--junit", str(report))
        assert result.exit_code == 0, result.output
    assert report.read_bytes().startswith(b"<?xml")


def test_a_record_is_not_written_over_the_table(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes(TABLE)
    link = tmp_path / "mine.toml"
    link.symlink_to(table)
    given = ("--line-rate", "25Gbit/s", "--given", "direction=in", "--noise", "2%")
    message = refusal("calibrate", str(table), *given, "-o", str(link))
    assert f"-o {link}" in message
    assert str(table) in message
    assert table.read_bytes() == TABLE


def test_a_plot_is_not_drawn_over_a_path_or_a_workload(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from netmodel.records import data_path

    workload = tmp_path / "mine.toml"
    shutil.copy(data_path("catalog", "workloads", "rr1c-200x1000.toml"), workload)
    before = workload.read_bytes()
    plot = tmp_path / "plot.svg"
    plot.symlink_to(workload)
    message = refusal(*PREDICT, "--workload", str(workload), "--plot", str(plot))
    assert f"--plot {plot}" in message
    assert str(workload) in message
    assert workload.read_bytes() == before


def test_a_plot_that_cannot_be_drawn_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.svg"
    plot.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        message = refusal(*PREDICT, "--workload", "rr1c-200x1000", "--plot", str(plot))
    assert f"--plot {plot}: No space left on device" in message
    assert plot.read_text(encoding="utf-8") == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["plot.svg"]
