"""No command replaces a file that it, or a file that it reads, has opened: under any name."""

import shutil
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from command_tree import OPTIONS
from invocation import run_netmodel
from runs import sample

from netmodel.records import data_path

FLOW = ("--adapter", "own.toml", "--mtu", "1500")
PREDICT = ("predict", "--adapter", "own.toml", "--workload", "work.toml", "--mtu", "1500")
LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
CHECK = ("check", *LINE, "runs", "run.json")
RUN = "host/netperf-rr-200x200-mtu1500-1"
CASES: dict[tuple[str, str], tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    # by command and option: name of the output, files that are read, the command without the option
    ("calibrate", "--output"): (
        "out.toml",
        ("table.csv",),
        (
            "calibrate",
            "table.csv",
            "--line-rate",
            "25Gbit/s",
            "--given",
            "direction=in",
            "--noise",
            "2%",
        ),
    ),
    ("calibrate host", "--output"): (
        "out.toml",
        (f"{RUN}/netperf.txt",),
        ("calibrate", "host", "host", "--side", "server"),
    ),
    ("check", "--junit"): ("out.xml", ("runs/a.json", "run.json"), CHECK),
    ("plan", "--html"): (
        "out.html",
        ("plan.toml", "work.toml"),
        ("plan", "plan.toml"),
    ),
    ("plan", "--plot"): ("out.svg", ("work.toml",), ("plan", "--flow", "9/s work.toml", *FLOW)),
    ("predict", "--plot"): (
        "out.svg",
        ("own.toml", "work.toml"),
        (*PREDICT, "--connections", "1"),
    ),
}
READ_NOTHING = {("measure facts", "--output")}
"""Facts of a host come from its kernel."""
PLAN = """\
[[traffic]]
name = "copies"
workload = "work.toml"
mean = "1 Gbit/s"

[[candidate]]
name = "mine"
adapter = "own.toml"
mtu = 1500
"""
TABLE = "mtu_bytes,throughput_gbps\n1500,13.40\n9000,20.50\n"
LINKS: list[Callable[[Path, Path], None]] = [
    lambda link, file: link.symlink_to(file),
    lambda link, file: link.hardlink_to(file),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with all files that the commands read."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(data_path("catalog", "adapters", "ethernet-25gbe.toml"), "own.toml")
    shutil.copy(data_path("catalog", "workloads", "rr1c-200x1000.toml"), "work.toml")
    (tmp_path / "runs").mkdir()
    shutil.copy(sample("line_200m_mtu1500_ts1_v4.json"), "runs/a.json")
    shutil.copy(sample("line_200m_mtu1500_ts1_v4.json"), "run.json")
    run = data_path("examples", "emulated-host", "calibration")
    shutil.copytree(run, "host")
    for name, text in (("plan.toml", PLAN), ("table.csv", TABLE)):
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def contents(place: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in place.rglob("*") if each.is_file()}


def refused(place: Path, arguments: tuple[str, ...]) -> str:
    """What a command says on which exit code 2 ends, and that leaves all files as they were."""
    before = contents(place)
    result = run_netmodel(*arguments)
    assert result.exit_code == 2, result.output
    assert contents(place) == before
    return result.stderr


def test_all_outputs_of_all_commands_are_here() -> None:
    outputs = {name for name, option in OPTIONS.items() if isinstance(option.type, click.Path)}
    assert outputs == {*CASES} | READ_NOTHING


@pytest.mark.parametrize(("command", "option"), CASES)
def test_no_output_replaces_what_a_command_opened(command: str, option: str, place: Path) -> None:
    pytest.importorskip("matplotlib")
    name, inputs, arguments = CASES[command, option]
    for file in inputs:
        for link in LINKS:
            output = place / name
            link(output, place / file)
            message = refused(place, (*arguments, option, name))
            assert "name another file" in message
            assert name in message
            output.unlink()
        refused(place, (*arguments, option, file))
