"""Plans, drawn with matplotlib (extra ``plot``)."""

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING

from netmodel._estimates import Predicted
from netmodel.errors import DomainError
from netmodel.planning import Plan
from netmodel.planning._plan import StageUse
from netmodel.report._frames import extra
from netmodel.report._plots import (
    BAR_RATIO,
    HEAD_INCHES,
    PAGE_INCHES,
    ROOM_RATIO,
    draw_note,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_INCHES = 0.42
"""Room for a label of two lines in small print."""
_BAR_HEIGHT = 0.38
"""Two bars of a stage fill three quarters of its row, which separates the stages."""
_TITLE_CHARACTERS = 90
"""Characters of a title that fit the width of a page."""
_RANGE_POINTS = 12
"""Height of the ends of a range: about that of a bar."""
_COLOURS = ("tab:blue", "tab:orange")


def _plot_plans(plans: Sequence[Plan], axes: "Axes | None") -> "Axes":
    """A bar for each plan: the number of adapters that it needs, with its range."""
    with extra("plot"):
        import matplotlib.pyplot as plt
        from matplotlib.ticker import MaxNLocator

    if not plans:
        raise DomainError("there is no plan to draw")
    if axes is None:
        size = (PAGE_INCHES, HEAD_INCHES + _ROW_INCHES * len(plans))
        axes = plt.subplots(layout="constrained", figsize=size)[1]
    for row, plan in enumerate(plans):
        _draw_plan(axes, row, plan)
    highest = max(
        (
            count
            for plan in plans
            for count in (plan.adapter_count.value, plan.adapter_count.high)
            if isfinite(count)
        ),
        default=1,
    )
    axes.set(
        yticks=range(len(plans)),
        yticklabels=[f"{plan.equipment}, MTU {plan.mtu_bytes:g}" for plan in plans],
        ylim=(len(plans) - 0.5, -0.5),
        xlim=(0, highest * ROOM_RATIO),
        xlabel="adapters at each side, at least; those that may fail hatched",
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return axes


def plot_plan(plan: Plan | Sequence[Plan], axes: "Axes | None" = None) -> "Axes":
    """
    Draw the utilisation of each stage of a plan, or the adapters of each of several plans.

    Parameters
    ----------
    plan : Plan or sequence of Plan
        Plan of one candidate; or plans as of `compare_plans`, the best first.
    axes : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        Of one plan two bars for each stage in the order of the path, while all
        adapters work and after a failure, with their ranges, and vertical lines
        at the allowed utilisation. Of a sequence a bar for each plan, the best
        at the top: the adapters at each side, those that may fail hatched, with
        the range that the data leave; a plan that does not hold is red.

    Raises
    ------
    DomainError
        If there is no plan, or no number of adapters is enough for the one.
    MissingExtraError
        If matplotlib is not installed.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    if not isinstance(plan, Plan):
        return _plot_plans(plan, axes)
    stages = [stage for stage in plan.stages if stage.use_ratio is not None]
    if plan.chosen_count is None or not stages:
        raise DomainError("no number of adapters is enough: there is no use of stages to draw")
    if axes is None:
        size = (PAGE_INCHES, HEAD_INCHES + _ROW_INCHES * len(stages))
        axes = plt.subplots(layout="constrained", figsize=size)[1]
    left = plan.chosen_count - plan.headroom.spare_count
    labels = (f"{plan.chosen_count} adapters", f"{left} left after a failure")
    limits = (plan.headroom.max_utilisation_ratio, plan.headroom.after_failure_ratio)
    has_spares = plan.headroom.spare_count > 0
    for order in range(1 + has_spares):
        uses = [_uses(stage)[order] for stage in stages]
        rows = [row + order * _BAR_HEIGHT for row in range(len(stages))]
        values, colour = [use.value for use in uses], _COLOURS[order]
        axes.barh(rows, values, height=_BAR_HEIGHT, color=colour, label=labels[order])
        for row, use in zip(rows, uses, strict=True):
            if use.low != use.high:
                axes.plot([use.low, use.high], [row, row], "|-", color="black", linewidth=1)
        style = "--" if order or limits[0] == limits[1] else ":"
        axes.axvline(limits[order], color=colour, linestyle=style, linewidth=1)
    axes.set(
        yticks=[row + has_spares * _BAR_HEIGHT / 2 for row in range(len(stages))],
        yticklabels=[
            f"{stage.name} (bottleneck)" if stage.name == plan.binding else stage.name
            for stage in stages
        ],
        ylim=(len(stages) - (1 - _BAR_HEIGHT) / 2, -0.5),
        xlim=(0, max(1.0, *(ROOM_RATIO * use.high for stage in stages for use in _uses(stage)))),
        xlabel="share in use, at least; thin lines: left open; dashed: what may be used",
        title=fill(str(plan).partition("\n")[0], _TITLE_CHARACTERS),
    )
    axes.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.legend(loc="lower right", fontsize="small")
    return axes


def _draw_plan(axes: "Axes", row: int, plan: Plan) -> None:
    """The bar of a plan, with what it counts on not failing first."""
    count = plan.chosen_count
    if count is None:
        draw_note(axes, row, "no number is enough", place=0.0)
        return
    colour = "tab:blue" if plan.holds else "tab:red"
    ends = (0, count - plan.headroom.spare_count, count)
    for hatch, (start, end) in zip(("", "///"), pairwise(ends), strict=True):
        axes.barh(
            row,
            end - start,
            left=start,
            height=BAR_RATIO,
            color=colour,
            hatch=hatch,
            edgecolor="white",
        )
    low, high = plan.adapter_count.low, plan.adapter_count.high
    if low != high and isfinite(high):
        axes.plot([low, high], [row, row], "|-", color="black", markersize=_RANGE_POINTS)
    grade = "" if plan.grade is None else f", {plan.grade.value}"
    draw_note(axes, row, f"{count}: {plan.binding}{grade}{'' if plan.holds else ', not enough'}")


def _uses(stage: StageUse) -> list[Predicted[float]]:
    return [use for use in (stage.use_ratio, stage.after_failure_ratio) if use is not None]
