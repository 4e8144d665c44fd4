"""Every plot is drawn where the caller wants it: `ax`, as in pandas and seaborn."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from netmodel import report
from netmodel.framing import tcp_stack
from netmodel.path import SpecifiedPath
from netmodel.planning import parse_flow, plan
from netmodel.records import adapter
from netmodel.report import plot_checks, plot_efficiency, plot_payload_rates, plot_plan

plt = pytest.importorskip("matplotlib.pyplot")

CARD = adapter("osa-express7s-25gbe")
PLOTS = [getattr(report, name) for name in report.__all__ if name.startswith("plot_")]


def case_of_plan() -> Any:
    return plan(
        [parse_flow("1G str-writex30k")],
        SpecifiedPath(CARD, CARD),
        1500,
    )


@pytest.mark.parametrize("function", PLOTS, ids=lambda function: function.__name__)
def test_every_plot_takes_ax(function: Callable[..., Any]) -> None:
    arguments = inspect.signature(function).parameters
    assert "ax" in arguments
    assert "axes" not in arguments


def test_no_plot_shows_itself() -> None:
    modules = Path(report.__file__).parent.glob("*.py")
    assert not [module.name for module in modules if ".show(" in module.read_text("utf-8")]


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plot_payload_rates(1e9, [tcp_stack()], ax=ax),
        lambda ax: plot_plan(case_of_plan(), ax=ax),
        lambda ax: plot_plan([case_of_plan()], ax=ax),
        lambda ax: plot_checks([], ax=ax),
    ],
    ids=["payload rates", "plan", "plans", "checks"],
)
def test_axes_that_are_given_are_drawn_on_and_returned(draw: Callable[[Any], Any]) -> None:
    figure, (ax, other) = plt.subplots(1, 2)
    before = plt.get_fignums()
    assert draw(ax) is ax
    assert not other.has_data()
    assert plt.get_fignums() == before
    plt.close(figure)


def test_a_plot_of_two_takes_two() -> None:
    figure, pair = plt.subplots(1, 2)
    assert list(plot_efficiency([tcp_stack()], ax=pair)) == list(pair)
    plt.close(figure)
