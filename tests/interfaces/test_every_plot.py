"""Plots of every command and function: drawn without a remark, and readable."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from invocation import run_netmodel

from netmodel.cli import main

plt = pytest.importorskip("matplotlib.pyplot")

from plot_cases import COMMANDS, DRAWN, figure_of_command  # noqa: E402
from plot_geometry import faults  # noqa: E402

IN_TITLES = {
    "one-stream": ("osa-express7s-25gbe", "str-writex30k", "MTU 1500 byte", "50 connections"),
    "one-requests": ("client roce-express2.1-25gbe", "server osa-express7s-25gbe", "rr1c-200x30k"),
    "plan-one": ("OSA-Express7S", "MTU 1500"),
}


@pytest.fixture(autouse=True)
def _without_open_figures() -> Iterator[None]:
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def test_every_command_with_a_plot_is_tried_here() -> None:
    with click.Context(main) as context:
        commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    plotted = {
        name
        for name, command in commands.items()
        if command is not None and any("--plot" in each.opts for each in command.params)
    }
    assert plotted == {arguments[0] for arguments in COMMANDS.values()}


@pytest.mark.parametrize("name", COMMANDS)
def test_plots_of_commands_are_readable(name: str) -> None:
    """No text lies on another, nothing outside, no legend, five curves at most."""
    figure, content = figure_of_command(*COMMANDS[name])
    assert content.startswith(b"\x89PNG")
    title = " ".join(figure.axes[0].get_title().split())
    assert all(part in title for part in IN_TITLES.get(name, ())), title
    assert faults(figure, is_drawn=True) == []


@pytest.mark.parametrize("name", DRAWN)
def test_plots_of_functions_are_readable(name: str) -> None:
    assert faults(DRAWN[name]().get_figure(), is_drawn=False) == []


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_plots_are_written_in_the_format_of_the_name(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"plot.{kind}"
    result = run_netmodel(*COMMANDS["one-stream"], "--plot", str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    assert {"svg": b"</svg>", "pdf": b"%%EOF"}[kind] in file.read_bytes()[-20:]
