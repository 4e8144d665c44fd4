"""Plans, drawn with matplotlib (extra ``plot``)."""

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any

from netmodel._estimates import Predicted
from netmodel._text import SENTENCE_DIGITS, fixed_percent, printable
from netmodel.errors import DomainError
from netmodel.planning import Plan
from netmodel.planning._plan import StageUse
from netmodel.report._figure import (
    BAR_RATIO,
    LABEL_CHARACTERS,
    NEAR_RATIO,
    ROOM_RATIO,
    draw_above,
    draw_beside,
    draw_notes,
    draw_title,
    legend_below,
    new_axes,
    short_name,
    tick_text,
    with_plain_names,
)
from netmodel.units import format_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_INCHES = 0.42
"""Room for a label of two lines in small print."""
_BAR_HEIGHT = 0.38
"""Two bars of a stage fill three quarters of its row, which separates the stages."""
_RANGE_POINTS = 12
"""Height of the ends of a range: about that of a bar."""
_FLOW_COUNT = 3
"""Flows that a title names; of more, it has the number."""
_LOOKS: tuple[dict[str, Any], ...] = (
    {"facecolor": "skyblue"},
    {"facecolor": "orange", "hatch": "///", "edgecolor": "0.3", "linewidth": 0},
)
"""While all adapters work, and after a failure: light, so that black ranges stand out in grey."""


@with_plain_names
def plot_plan(plan: Plan | Sequence[Plan], ax: "Axes | None" = None) -> "Axes":
    """
    Draw the utilisation of each stage of a plan, or the adapters of each of several plans.

    Parameters
    ----------
    plan : Plan or sequence of Plan
        Plan of one candidate; or plans as of `compare_plans`, the best first.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
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

    Examples
    --------
    >>> import netmodel
    >>> (plan,) = netmodel.plan("20 Gbit/s", adapters="ethernet-25gbe", mtu_bytes=1500)
    >>> plot_plan(plan).get_xlabel()
    'share in use, lower bounds; thin lines: range of the parameters'
    """
    if not isinstance(plan, Plan):
        return _plot_plans(plan, ax)
    # what the demand does not use at all is left out
    stages = [stage for stage in plan.stages if any(use.high > 0 for use in _uses(stage))]
    if plan.chosen_count is None or not stages:
        raise DomainError("no number of adapters is enough: there is no use of stages to draw")
    left = plan.chosen_count - plan.headroom.spare_count
    noun = "adapter" if plan.chosen_count == 1 else "adapters"
    names = (f"{plan.chosen_count} {noun}", f"{left} left after a failure")
    limits = (plan.headroom.max_utilisation_ratio, plan.headroom.after_failure_ratio)
    has_spares = plan.headroom.spare_count > 0
    ax = new_axes() if ax is None else ax
    highest = max(use.high for stage in stages for use in _uses(stage))
    ax.set_xlim(0, max(1.0, ROOM_RATIO * highest))
    for order in range(1 + has_spares):
        uses = [_uses(stage)[order] for stage in stages]
        rows = [row + order * _BAR_HEIGHT for row in range(len(stages))]
        ax.barh(
            rows,
            [use.value for use in uses],
            height=_BAR_HEIGHT,
            label=names[order],
            **_LOOKS[order],
        )
        for row, use in zip(rows, uses, strict=True):
            if use.low != use.high:
                ax.plot([use.low, use.high], [row, row], "|-", color="black", linewidth=1)
            draw_beside(ax, row, f">= {fixed_percent(use.value, 1)}")
        style = "--" if order or limits[0] == limits[1] else ":"
        ax.axvline(limits[order], color="black", linestyle=style, linewidth=1)
    # names of two lines that are near stand above each other
    has_two = has_spares and limits[0] != limits[1]
    label_rows = 2 if has_two and abs(limits[1] - limits[0]) < NEAR_RATIO else 1
    draw_above(
        ax, limits[0], f"highest planned: {fixed_percent(limits[0], 0)}", label_row=label_rows - 1
    )
    if has_two:
        draw_above(ax, limits[1], f"after a failure: {fixed_percent(limits[1], 0)}")
    ax.set(
        yticks=[row + has_spares * _BAR_HEIGHT / 2 for row in range(len(stages))],
        yticklabels=[
            fill(
                short_name(printable(stage.name)) + " (bottleneck)" * (stage.name == plan.binding),
                LABEL_CHARACTERS,
            )
            for stage in stages
        ],
        ylim=(len(stages) - (1 - _BAR_HEIGHT) / 2, -0.5),
        xlabel="share in use, lower bounds; thin lines: range of the parameters",
    )
    for label, stage in zip(ax.get_yticklabels(), stages, strict=True):
        label.set_fontweight("bold" if stage.name == plan.binding else "normal")
    ax.xaxis.set_major_formatter(lambda share, _: fixed_percent(share, 0))
    case, _, result = str(plan).partition("\n")[0].partition(": ")
    draw_title(ax, f"{case}: {_demand(plan)}", result, label_rows=label_rows)
    legend_below(ax)
    draw_notes(ax, plan.notes, _ROW_INCHES * max(2, len(stages)))
    return ax


def _plot_plans(plans: Sequence[Plan], ax: "Axes | None") -> "Axes":
    """A bar for each plan: the number of adapters that it needs, with its range."""
    if not plans:
        raise DomainError("there is no plan to draw")
    ax = new_axes() if ax is None else ax
    from matplotlib.ticker import MaxNLocator

    for row, plan in enumerate(plans):
        _draw_plan(ax, row, plan)
    needs = [plan.adapter_count for plan in plans]
    counts = [count for need in needs for count in (need.value, need.high)]
    highest = max(filter(isfinite, counts), default=1)
    ax.set(
        yticks=range(len(plans)),
        yticklabels=[
            fill(f"{printable(plan.equipment)}, MTU {plan.mtu_bytes:g}", LABEL_CHARACTERS)
            for plan in plans
        ],
        ylim=(len(plans) - 0.5, -0.5),
        xlim=(0, highest * ROOM_RATIO),
        xlabel=f"adapters {plans[0].where}, lower bounds; those that may fail hatched",
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    spare = plans[0].headroom.spare_count
    may_fail = f", {spare:,} of which may fail" if spare else ""
    draw_title(ax, _demand(plans[0]), f"adapters that each candidate needs{may_fail}")
    draw_notes(ax, (), _ROW_INCHES * max(2, len(plans)))
    return ax


def _draw_plan(ax: "Axes", row: int, plan: Plan) -> None:
    """The bar of a plan, with what it counts on not failing first."""
    count = plan.chosen_count
    if count is None:
        draw_beside(ax, row, "no number is enough", place=0.0)
        return
    colour, edge = ("skyblue", "0.3") if plan.holds else ("tab:red", "white")
    ends = (0, count - plan.headroom.spare_count, count)
    for hatch, (start, end) in zip(("", "///"), pairwise(ends), strict=True):
        ax.barh(
            row,
            end - start,
            left=start,
            height=BAR_RATIO,
            facecolor=colour,
            hatch=hatch,
            edgecolor=edge,
        )
    low, high = plan.adapter_count.low, plan.adapter_count.high
    if low != high and isfinite(high):
        ax.plot([low, high], [row, row], "|-", color="black", markersize=_RANGE_POINTS)
    grade = "" if plan.grade is None else f", {plan.grade.value}"
    enough = "" if plan.holds else ", not enough"
    text = f">= {count}: {short_name(plan.binding)}{grade}{enough}"
    draw_beside(ax, row, fill(text, LABEL_CHARACTERS))


def _demand(plan: Plan) -> str:
    """The flows of the demand, as far as a title has room for them."""
    if len(plan.flows) > _FLOW_COUNT:
        return f"{len(plan.flows)} flows"
    flows = [
        f"{format_rate(flow.payload_rate_bps, SENTENCE_DIGITS)} {flow.name} from "
        f"{flow.sender.value}"
        for flow in plan.flows
    ]
    count, *others = dict.fromkeys(flow.connection_count for flow in plan.flows)
    if others or count is None:
        return ", ".join(flows)
    each = " each" if len(flows) > 1 else ""
    return f"{', '.join(flows)}, {tick_text(count)} connection{'s' * (count != 1)}{each}"


def _uses(stage: StageUse) -> list[Predicted[float]]:
    return [use for use in (stage.use_ratio, stage.after_failure_ratio) if use is not None]
