"""Plots of every command that has --plot, from the defaults of that command."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from invocation import run_netmodel

from netmodel.cli import main
from netmodel.records import catalog

plt = pytest.importorskip("matplotlib.pyplot")

STREAM, REQUESTS = "str-writex30k", "rr1c-200x30k"
SEEN = {
    "scatter": "mtu_bytes,throughput_gbps,direction\n"
    + "".join(f"{mtu},{gbps},in\n" for mtu, gbps in ((1500, 13.4), (2000, 15.51), (4000, 19.92))),
    "limits": "mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n9000,24.2,in\n",
    "costs": "mtu_bytes,request_bytes,side,cpu_us_per_gbit\n1500,30720,client,50001\n"
    "9000,30720,client,30001\n",
}


OPTIONS = {
    "scatter": (),
    "limits": (),
    "costs": ("--model", "host", "--free", "per_frame_s", "--free", "per_byte_s"),
}


@pytest.fixture(autouse=True)
def _without_open_figures() -> Iterator[None]:
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def assert_drawn(directory: Path, *arguments: str) -> None:
    """An SVG file is written, and nothing is said on standard error."""
    file = directory / "plot.svg"
    result = run_netmodel(*arguments, "--plot", str(file))
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert file.read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_every_command_with_a_plot_is_tried_here() -> None:
    with click.Context(main) as context:
        commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    plotted = {
        name
        for name, command in commands.items()
        if command is not None and any("--plot" in each.opts for each in command.params)
    }
    assert plotted == {"predict", "plan", "calibrate"}


@pytest.mark.parametrize("name", catalog()["adapters"])
@pytest.mark.parametrize("load", [STREAM, REQUESTS])
def test_predictions_over_adapters(name: str, load: str, tmp_path: Path) -> None:
    ends = ("--sender", "osa-express7s-25gbe", "--receiver", name)
    assert_drawn(tmp_path, "predict", *ends, "--mtu", "1500", "--workload", load)


@pytest.mark.parametrize("name", catalog()["paths"])
@pytest.mark.parametrize("load", [STREAM, REQUESTS])
def test_predictions_and_ratios_over_networks(name: str, load: str, tmp_path: Path) -> None:
    assert_drawn(tmp_path, "predict", "--path", name, "--mtu", "1500", "--workload", load)


@pytest.mark.parametrize("candidates", [("1500",), ("1500", "9000")])
def test_plans(candidates: tuple[str, ...], tmp_path: Path) -> None:
    mtus = [option for mtu in candidates for option in ("--mtu", mtu)]
    demand = ("--flow", "40 Gbit/s str-writex30k", "--adapter", "osa-express7s-25gbe")
    assert_drawn(tmp_path, "plan", *demand, *mtus)


@pytest.mark.parametrize("name", SEEN)
def test_calibrations(name: str, tmp_path: Path) -> None:
    file = tmp_path / "seen.csv"
    file.write_text(SEEN[name], encoding="utf-8")
    assert_drawn(tmp_path, "calibrate", str(file), *OPTIONS[name])
