"""Plots of plans show their numbers."""

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from netmodel.errors import DomainError
from netmodel.path import SpecifiedPath
from netmodel.planning import Headroom, Plan, Spreading, parse_flow, plan
from netmodel.records import adapter
from netmodel.report import plot_plan

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("plt")
OSA = SpecifiedPath(*(adapter("osa-express7s-25gbe") for _ in range(2)))


def planned(mtu_bytes: int = 1500, connection_count: int = 50, **options: Any) -> Plan:
    flows = [parse_flow("40 Gbit/s str-writex30k", connection_count)]
    return plan(flows, OSA, mtu_bytes, **options)


def impossible() -> Plan:
    return planned(connection_count=1, spreading=Spreading.HASHED)


def test_a_bar_for_each_plan_with_what_may_fail_apart() -> None:
    plans = [planned(9000), planned(3000), planned()]
    axes = plot_plan(plans)
    widths = [bar.get_width() for bars in axes.containers for bar in bars]
    assert widths == [3, 1, 4, 1, 5, 1]
    assert [text.get_text() for text in axes.texts] == [
        ">= 4: wire_to_server, fitted",
        ">= 5: server_adapter_in, fitted",
        ">= 6: server_adapter_in, fitted",
    ]
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == (
        "osa-express7s-25gbe, MTU 1500"
    )
    (line,) = axes.lines
    assert list(line.get_xdata()) == [4, 5]


def test_what_does_not_hold_is_red_or_has_no_bar() -> None:
    short = replace(planned(), shortfalls=("the trunk is too small",))
    axes = plot_plan([short, impossible()])
    assert len(axes.containers) == 2
    (bar, *_) = axes.containers[0]
    assert bar.get_facecolor()[:2] == pytest.approx((0.84, 0.15), abs=0.01)
    assert [text.get_text() for text in axes.texts] == [
        ">= 6: server_adapter_in, fitted, not\nenough",
        "no number is enough",
    ]


def test_two_bars_for_each_stage_and_what_may_be_used() -> None:
    result = planned(4000, headroom=Headroom(0.6, 1, 0.9))
    axes = plot_plan(result)
    all_of_them, after = ([bar.get_width() for bar in bars] for bars in axes.containers)
    stages = result.stages
    assert all_of_them == [each.use_ratio.value for each in stages if each.use_ratio]
    assert after == [each.after_failure_ratio.value for each in stages if each.after_failure_ratio]
    vertical = [line.get_xdata()[0] for line in axes.lines if len(set(line.get_xdata())) == 1]
    assert vertical == [0.6, 0.9]
    ranges = [line for line in axes.lines if len(set(line.get_xdata())) == 2]
    assert len(ranges) == 4
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["client_adapter_out", "wire_to_server", "server_adapter_in (bottleneck)"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        f"{result.chosen_count} adapters",
        f"{(result.chosen_count or 0) - 1} left after a failure",
    ]


def test_without_spares_there_is_one_bar_for_each_stage() -> None:
    axes = plot_plan(planned(headroom=Headroom(spare_count=0)))
    assert len(axes.containers) == 1


def test_axes_of_the_user_are_drawn_on(plt: ModuleType) -> None:
    first, second = plt.subplots(1, 2)[1]
    assert plot_plan(planned(), first) is first
    assert plot_plan([planned()], second) is second


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(DomainError, match="there is no plan to draw"):
        plot_plan([])
    with pytest.raises(DomainError, match="there is no use of stages to draw"):
        plot_plan(impossible())
