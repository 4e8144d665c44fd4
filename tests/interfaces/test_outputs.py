"""What commands write: never over what they read, and whole or not at all."""

from pathlib import Path

import pytest
from invocation import refusal, run_netmodel
from runs import sample

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = sample("line_200m_mtu1500_ts1_v4.json").read_bytes()
PREDICT = ("predict", "--path", "worked-closed-network", "--mtu", "1500", "--connections", "50")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / "a.json"
    path.write_bytes(GOOD)
    return path


def test_a_report_of_before_in_the_directory_is_replaced(run: Path) -> None:
    report = run.parent / "report.xml"
    for _ in range(2):
        result = run_netmodel("check", *LINE, str(run.parent), "--junit", str(report))
        assert result.exit_code == 0, result.output
    assert report.read_bytes().startswith(b"<?xml")


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
