"""Planned scenarios, drawn with matplotlib (extra ``plot``)."""

from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any

from netmodel._numeric import ROUNDING_RATIO
from netmodel._text import few_names, printable
from netmodel.errors import DomainError
from netmodel.planning import ScenarioPlan
from netmodel.planning._answer import plain_number, resource_text
from netmodel.planning._growth import Growth, date_after
from netmodel.planning._scenario import CandidatePlan, falling_at
from netmodel.planning._scenario_text import money_text
from netmodel.report._figure import (
    BAR_RATIO,
    LABEL_CHARACTERS,
    draw_beside,
    draw_notes,
    draw_title,
    legend_below,
    new_axes,
    short_name,
    with_plain_names,
)
from netmodel.report._plan_plots import plot_plan
from netmodel.units._prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_INCHES = 0.5
"""Room for a label and a text beside the bar of two lines each, in small print."""
_RANGE_POINTS = 10
"""Height of the ends of a range: less than a bar."""
_TICK_COUNT = 7
"""Months with their year that fit half the width of a figure."""
_STEPS_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600)
"""Steps between them that are read at a glance; the last ones are of horizons of centuries."""
_YEAR_MONTHS = 12
"""Of the calendar."""
_INPUT_COUNT = 10
"""Inputs that are drawn: the others move the answer least."""
_REASON_CHARACTERS = 140
"""Of why a candidate fails, in two lines over the axes; text output has all of it."""
_LOOKS: dict[str, dict[str, Any]] = {
    "planned": {"facecolor": "skyblue", "edgecolor": "0.3"},
    "with all that is available": {"facecolor": "white", "hatch": "///", "edgecolor": "0.3"},
}
_ENDS: dict[str, dict[str, Any]] = {
    "with the low end of the input": {"facecolor": "skyblue", "edgecolor": "0.3"},
    "with its high end": {"facecolor": "orange", "hatch": "///", "edgecolor": "0.3"},
}


@with_plain_names
def plot_scenario(result: ScenarioPlan | CandidatePlan, ax: "Axes | None" = None) -> "Axes":
    """
    Draw until when the candidates of a scenario hold, or what moves the answer of one of them.

    Parameters
    ----------
    result : ScenarioPlan or CandidatePlan
        As of `netmodel.plan_scenario`, or one of its candidates.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Of a scenario a bar for each candidate, the best at the top: until growth exhausts the
        adapters and CPUs that it plans, with the range that the parameters leave, and hatched
        until it exhausts all that are available. Where nothing grows, the adapters that each
        needs. Of a candidate a bar for each input, the one that moves most at the top: the answer
        with either end of the input over that of the plan, a tornado diagram.

    Raises
    ------
    DomainError
        If no candidate can be planned, or no input of the candidate has a range.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.records import data_path
    >>> scenario = netmodel.plan_scenario(data_path("examples", "scenarios", "order-system.toml"))
    >>> plot_scenario(scenario).get_xlabel()
    'volumes grow within the limits until then, upper bounds; thin lines: range'
    """
    if isinstance(result, CandidatePlan):
        return _plot_inputs(result, ax)
    plans = [each.plan for each in result.candidates if each.plan is not None]
    if not plans:
        raise DomainError("no candidate can be planned, so there is nothing to draw")
    if all(each.growth is None for each in result.candidates):
        return plot_plan(plans, ax)
    ax = new_axes() if ax is None else ax
    from matplotlib.ticker import MultipleLocator

    ax.set(
        yticks=range(len(result.candidates)),
        yticklabels=[printable(_label(each, result.policy.currency)) for each in result.candidates],
        ylim=(len(result.candidates) - 0.5, -0.5),
        xlim=(0, result.horizon_years),
        xlabel="volumes grow within the limits until then, upper bounds; thin lines: range",
    )
    for row, candidate in enumerate(result.candidates):
        _draw_candidate(ax, row, candidate)
    months = _YEAR_MONTHS * result.horizon_years
    step = next((each for each in _STEPS_MONTHS if months <= _TICK_COUNT * each), months)
    ax.xaxis.set_major_locator(MultipleLocator(step / _YEAR_MONTHS))
    ax.xaxis.set_major_formatter(
        lambda years, _: f"{day:%Y-%m}" if (day := date_after(result.start, years)) else ""
    )
    draw_title(ax, result.title, result.answer)
    legend_below(ax)
    draw_notes(ax, (), _ROW_INCHES * max(2, len(result.candidates)))
    return ax


def _label(candidate: CandidatePlan, currency: str) -> str:
    """The name of a candidate, and what it needs."""
    count, cores, cost = candidate.adapter_count, candidate.core_count, candidate.quoted_cost
    needs = [] if count is None else [f">= {count:,} adapter{'s' * (count != 1)}"]
    if cores is not None:
        needs.append(f"{plain_number(cores)} cores")
    if cost is not None:
        needs.append(money_text(cost, currency))
    lines = (short_name(candidate.name), ", ".join(needs))
    return "\n".join(fill(line, LABEL_CHARACTERS) for line in lines if line)


def _draw_candidate(ax: "Axes", row: int, candidate: CandidatePlan) -> None:
    """Until when a candidate holds, or why it does not."""
    plan, growth = candidate.plan, candidate.growth
    if not candidate.is_feasible or plan is None or growth is None:
        reason = "; ".join(candidate.reasons)
        text = shorten(f"not feasible: {reason}", _REASON_CHARACTERS, placeholder=" …")
        draw_beside(ax, row, fill(text, _REASON_CHARACTERS // 2), place=0.0)
        return

    def shown(years: float) -> float:
        return min(years, growth.horizon_years)

    end = 0.0
    of_all = (growth, candidate.available_growth)
    for (name, look), each in zip(_LOOKS.items(), of_all, strict=True):
        start, end = (
            end,
            max(end, 0.0 if each is None else shown(falling_at(plan.corner, each.years))),
        )
        labels = ax.get_legend_handles_labels()[1]
        if end > start:
            ax.barh(
                row,
                end - start,
                left=start,
                height=BAR_RATIO,
                label="" if name in labels else name,
                **look,
            )
    low, high = map(shown, (growth.years.low, growth.years.high))
    if low != high:
        ax.plot([low, high], [row, row], "|-", color="black", markersize=_RANGE_POINTS)
    draw_beside(ax, row, fill(_until(growth), LABEL_CHARACTERS))


def _until(growth: Growth) -> str:
    if growth.exhausted_on is None:
        return f"beyond {growth.horizon_on:%Y-%m}"
    after = " after a failure" if growth.is_after_failure else ""
    return f"{growth.exhausted_on:%Y-%m}: {short_name(resource_text(growth.exhausted_by))}{after}"


def _plot_inputs(candidate: CandidatePlan, ax: "Axes | None") -> "Axes":
    """A bar for each input: the answer with either end of its range over that of the plan."""
    inputs = [each for each in candidate.sensitivities[:_INPUT_COUNT] if each.planned > 0]
    if not inputs:
        raise DomainError(f"{candidate.name}: no input has a range that moves the answer")
    ax = new_axes() if ax is None else ax
    ends = [(each.answer_low / each.planned, each.answer_high / each.planned) for each in inputs]
    for order, (name, look) in enumerate(_ENDS.items()):
        ax.barh(
            range(len(inputs)),
            [pair[order] - 1 for pair in ends],
            left=1.0,
            height=BAR_RATIO,
            label=name,
            **look,
        )
    ax.axvline(1.0, color="black", linewidth=1)
    ax.set(
        yticks=range(len(inputs)),
        yticklabels=[
            fill(
                f"{short_name(printable(each.input))}: {each.low_text} to {each.high_text}",
                LABEL_CHARACTERS,
            )
            for each in inputs
        ],
        ylim=(len(inputs) - 0.5, -0.5),
    )
    ax.xaxis.set_major_formatter(_change_text)
    answers = few_names(list(dict.fromkeys(each.answer for each in inputs)), "quantities")
    ax.set_xlabel(f"{answers} before rounding up, against that of the plan")
    draw_title(ax, candidate.name, "what each input moves, the others as planned")
    legend_below(ax)
    draw_notes(ax, (), _ROW_INCHES * max(2, len(inputs)))
    return ax


def _change_text(ratio: float, _: object) -> str:
    """By how much a ratio differs from 1, as a tick."""
    if abs(ratio - 1) <= ROUNDING_RATIO:
        return "as planned"
    return f"{WHOLE_PERCENT * (ratio - 1):+.3g} %"
