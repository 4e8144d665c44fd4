"""Plots of every command and function: drawn without a remark, and readable."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


def drawn(**others: Any) -> Any:
    axes = plt.subplots(layout="constrained", figsize=(5, 4))[1]
    axes.plot([1, 2, 3], [1, 2, 3], label="curve")
    axes.set_title("title", **others)
    return axes


def test_what_is_wrong_is_found() -> None:
    """The checks of this file see a legend, texts on each other and outside."""
    named = drawn()
    named.legend()
    assert faults(named.figure, is_drawn=False) == ["a legend in place of labels"]
    crowded = drawn()
    crowded.set_xticks([1, 1.01])
    assert any("lies on" in fault for fault in faults(crowded.figure, is_drawn=False))
    outside = drawn(x=2.0)
    assert faults(outside.figure, is_drawn=False) == ["outside the figure: title"]
    powers = drawn()
    powers.set_xscale("log")
    assert any("not a plain tick" in fault for fault in faults(powers.figure, is_drawn=False))
    full = drawn()
    full.plot([1, 2, 3], [[1, 2, 3, 4, 5]] * 3)
    assert "6 curves" in faults(full.figure, is_drawn=False)
    bare = drawn()
    bare.set_title("")
    assert faults(bare.figure, is_drawn=False) == ["no title"]
