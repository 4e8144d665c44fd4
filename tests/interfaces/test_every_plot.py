"""Plots of every command and function: drawn without a remark, and readable."""

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from invocation import run_netmodel
from nightly import few_by_day

from netmodel.cli import main

plt = pytest.importorskip("matplotlib.pyplot")

from plot_cases import COMMANDS, DRAWN, SLOW, figure_of_command  # noqa: E402
from plot_geometry import faults  # noqa: E402

IN_TITLES = {
    "one-stream": ("osa-express7s-25gbe", "str-writex30k", "MTU 1500 byte", "50 connections"),
    "one-requests": ("client roce-express2.1-25gbe", "server osa-express7s-25gbe", "rr1c-200x30k"),
    "measured-connections": ("zvm-vswitch-layer3-1gbe", "awm-rr", "MTU 1492 byte"),
    "path-kvm-one-host-str-writex30k": ("kvm-one-host", "str-writex30k", "MTU 1500 byte"),
    "plan-one": ("OSA-Express7S", "MTU 1500"),
}
MEASURED = {
    "measured-connections": 3,
    **{name: 4 if "10gbe" in name else 3 for name in COMMANDS if name.startswith("measured-zvm")},
}
"""Rates that documents have for exactly these cases."""
OVER_THE_CATALOG = [
    name
    for name in COMMANDS
    if name.startswith(("adapter-", "path-", "measured-zvm-")) and name not in SLOW
]
"""The same plots of each adapter and each path."""
OTHERS = [name for name in COMMANDS if name not in {*OVER_THE_CATALOG, *SLOW}]


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


@pytest.mark.parametrize("name", [*OTHERS, *few_by_day(OVER_THE_CATALOG, 3)])
def test_plots_of_commands_are_readable(name: str) -> None:
    """No text lies on another, nothing outside, no legend, five curves at most."""
    figure, content = figure_of_command(*COMMANDS[name])
    assert content.startswith(b"\x89PNG")
    title = " ".join(figure.axes[0].get_title().split())
    assert all(part in title for part in IN_TITLES.get(name, ())), title
    printed = [line for line in figure.axes[0].lines if line.get_label() == "published"]
    if name in MEASURED:
        assert sum(len(line.get_xdata()) for line in printed) == MEASURED[name]
    assert faults(figure, is_drawn=True) == []


@pytest.mark.parametrize("name", DRAWN)
def test_plots_of_functions_are_readable(name: str) -> None:
    assert faults(DRAWN[name]().get_figure(), is_drawn=False) == []


def test_curves_have_every_number_of_connections() -> None:
    axes = figure_of_command(*COMMANDS["two-connections"])[0].axes[0]
    assert [*axes.lines[0].get_xdata()] == [*range(1, 11)]


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_plots_are_written_in_the_format_of_the_name(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"plot.{kind}"
    result = run_netmodel(*COMMANDS["one-stream"], "--plot", str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    assert {"svg": b"</svg>", "pdf": b"%%EOF"}[kind] in file.read_bytes()[-20:]


def test_cases_can_be_drawn_to_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import plot_cases

    monkeypatch.setattr(sys, "argv", [plot_cases.__file__, str(tmp_path), "frame-in"])
    runpy.run_path(plot_cases.__file__, run_name="__main__")
    assert {file.name for file in tmp_path.iterdir()} == {
        "frame-in-tunnel.png",
        "frame-in-tunnel.grey.png",
    }


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
