"""Plans over time and over load, as parts of a page: curves with bands, growth and exhaustion."""

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial, reduce

import numpy as np

from netmodel._estimates import Predicted
from netmodel._numeric import Floats
from netmodel._text import fixed_percent
from netmodel.planning import Plan
from netmodel.planning._answer import resource_text
from netmodel.planning._growth import Growth, date_after
from netmodel.planning._loads import Kind, Loads, ResourceLoad, loads_of
from netmodel.planning._planner import plan_demand
from netmodel.planning._scenario import falling_at
from netmodel.planning._transaction_time import TransactionTime, transaction_times
from netmodel.report._charts import Line, Mark, chart
from netmodel.report._page_parts import Block, Cell, Column, Figure, Table, Texts, table_of
from netmodel.report._page_texts import (
    count_text,
    predicted_cell,
    share_text,
    tick_time_text,
    time_text,
    times_text,
)

_STEPS_PER_YEAR = 4
"""Of curves over the horizon: growth within a quarter is nearly a straight line."""
_MOST_STEPS = 80
"""Places of a curve: neighbours are a few pixels apart."""
_ROW_COUNT = 12
"""Rows of the numbers of a chart: more are not read."""
_LOAD_STEPS = 60
"""Places of curves over load: steps of counts are within a sixtieth of the axis."""
_TIME_STEPS = 10
"""Places of times over load, each of which solves a network of queues."""
_LEAST_LOAD_RATIO = 0.05
"""First place of curves over load: at no load there is nothing to plan."""
_LOAD_ROOM_RATIO = 1.5
"""Curves over load reach this multiple of the planned volumes, or further where they grow more."""
_MOST_LOAD_RATIO = 4.0
"""And no further: the planned volumes would lie in the first quarter of the axis."""


# Growth


def growth_blocks(
    name: str, plan: Plan, growth: Growth, growth_per_year_ratios: Sequence[float]
) -> Iterator[Block]:
    """When growth exceeds the limits of a plan: in words, as a chart, and of each resource."""
    assert plan.demand is not None
    loads = loads_of(plan.demand, plan)
    yield Texts((f"{name}: {growth.text}.",))
    horizon = growth.horizon_years
    count = min(max(math.ceil(horizon * _STEPS_PER_YEAR), 2), _MOST_STEPS)
    years = [horizon * step / count for step in range(count + 1)]
    factors = 1 + np.array(growth_per_year_ratios, dtype=np.float64)
    lines = [
        Line(words, [(time, _most_used(members, factors**time)) for time in years])
        for words, members in _groups(loads)
    ]
    marks = [Mark("all that may be used", 1.0, is_level=True)]
    if growth.exhausted_on is not None:
        place = falling_at(growth.corner, growth.years)
        marks.append(Mark(f"exhausted on {growth.exhausted_on}", place, is_level=False))

    def day_text(time: float) -> str:
        day = date_after(growth.start, time)
        return "" if day is None else f"{day:%Y-%m}"

    drawn = chart(
        "Demand against what may be used, over the horizon",
        lines,
        marks,
        x_name="year and month",
        y_name="share in use of what may be used, also after a failure",
        x_text=day_text,
        y_text=lambda share: fixed_percent(share, 0),
    )
    if drawn is not None:
        yield Figure(
            drawn, _numbers(lines, "Day", lambda time: _day(growth.start, time), share_text)
        )
    rows = [
        each
        for each in growth.by_stage
        if min(each.years.value, each.after_failure_years.value) < math.inf
    ]
    if rows:
        yield table_of(
            f"{name}: when growth exceeds each limit, worst to best case of the parameters.",
            (
                Column("Limit", [Cell(resource_text(each.name)) for each in rows]),
                Column(
                    "Exceeded on",
                    [Cell(_span(growth, each.years)) for each in rows],
                ),
                Column(
                    "After a failure exceeded on",
                    [Cell(_span(growth, each.after_failure_years)) for each in rows],
                ),
            ),
        )


def _day(start: date, years: float) -> str:
    day = date_after(start, years)
    return "never" if day is None else day.isoformat()


def _span(growth: Growth, years: Predicted[float]) -> str:
    """First and last day on which a limit may be exceeded; beyond the horizon that it is."""
    first, last = (
        _day(growth.start, end) if end <= growth.horizon_years else f"after {growth.horizon_on}"
        for end in (years.low, years.high)
    )
    return first if first == last else f"{first} to {last}"


def _groups(loads: Loads) -> Iterator[tuple[str, list[ResourceLoad]]]:
    """What a planner buys together: adapters, cores of each side; and what lies between."""
    of_kind: dict[str, list[ResourceLoad]] = {}
    for load in loads.resources:
        words = "between the sides and of single flows"
        if load.kind is Kind.ADAPTER:
            words = "adapters and lines"
        elif load.kind is Kind.CORES:
            words = resource_text(load.name)
        of_kind.setdefault(words, []).append(load)
    yield from of_kind.items()


def _most_used(loads: Sequence[ResourceLoad], volume_ratios: Floats) -> Predicted[float]:
    """The largest share in use of what may be used, also after a failure, end by end."""
    shares = [
        load.predicted(load.uses(volume_ratios, after_failure)).scaled(1 / limit)
        for load in loads
        for after_failure, limit in (
            (False, load.limit_ratio),
            (True, load.after_failure_limit_ratio),
        )
    ]
    return reduce(_larger, shares)


def _larger(one: Predicted[float], other: Predicted[float]) -> Predicted[float]:
    value, low, high = (
        max(getattr(one, end), getattr(other, end)) for end in ("value", "low", "high")
    )
    return Predicted(value, low, high, one.bound)


# Over load


def time_blocks(name: str, plan: Plan, times: Sequence[TransactionTime]) -> Iterator[Block]:
    """Time of a transaction of each class at the planned load, and over load where expected."""
    waiting = [each for each in times if each.lower_bound_s is not None]
    if not waiting or plan.demand is None:
        return
    yield table_of(
        f"{name}: time of a transaction at the planned load.",
        (
            Column("Class", [Cell(each.flow) for each in waiting]),
            Column("Without queues", [_time(each.lower_bound_s) for each in waiting], True),
            Column("Expected", [_time(each.expected_s) for each in waiting], True),
            Column(
                "Target",
                [
                    Cell("" if each.target_s is None else time_text(each.target_s))
                    for each in waiting
                ],
                True,
            ),
            Column(
                "Target is",
                [Cell("" if each.verdict is None else each.verdict.value) for each in waiting],
            ),
            Column("Rests on", [Cell(each.assumption) for each in waiting]),
            Column(
                "Not expected, because",
                [Cell(each.reason, ", ".join(each.unknown)) for each in waiting],
            ),
        ),
    )
    approximations = dict.fromkeys(text for each in waiting for text in each.approximations)
    if approximations:
        yield Texts(tuple(approximations), is_list=True)
    if all(each.expected_s is None for each in waiting):
        return
    ratios = np.linspace(_LEAST_LOAD_RATIO, _LOAD_ROOM_RATIO, _TIME_STEPS).round(4).tolist()
    curves: dict[str, list[tuple[float, Predicted[float]]]] = {}
    for ratio in sorted({1.0, *ratios}):
        for each in transaction_times(plan.demand, plan, volume_ratio=ratio):
            if each.expected_s is not None and each.expected_s.value < math.inf:
                curves.setdefault(each.flow, []).append((ratio, each.expected_s))
    lines = [Line(flow, points) for flow, points in curves.items()]
    targets = {each.target_s: each for each in waiting if each.target_s is not None}
    drawn = chart(
        f"{name}: expected transaction time over load",
        lines,
        (
            Mark("planned", 1.0, is_level=False),
            *(Mark(f"target {time_text(target)}", target, is_level=True) for target in targets),
        ),
        x_name="volumes, as a multiple of those planned",
        y_name="mean time of a transaction, with queues",
        x_text=lambda ratio: f"{ratio:.3g}",
        y_text=tick_time_text,
        may_be_log=True,
    )
    if drawn is not None:
        yield Figure(drawn, _numbers(lines, "Volumes", times_text, time_text))


def _time(time_s: Predicted[float] | None) -> Cell:
    return Cell("") if time_s is None else predicted_cell(time_s, time_text)


def load_blocks(
    name: str,
    plan: Plan,
    cost_of: Callable[[Plan], Predicted[float] | None],
    currency: str,
    largest_ratio: float = 1.0,
) -> Iterator[Block]:
    """Adapters, CPUs and cost that a candidate needs for less and for more than is planned."""
    if plan.demand is None:
        return
    end = min(max(_LOAD_ROOM_RATIO, largest_ratio), _MOST_LOAD_RATIO)
    ratios = sorted({1.0, *np.linspace(_LEAST_LOAD_RATIO, end, _LOAD_STEPS).round(4).tolist()})
    plan_of = partial(plan_demand, headroom=plan.headroom, corner=plan.corner, with_expected=False)
    plans = [(ratio, plan_of(plan.demand.scaled(ratio))) for ratio in ratios]
    adapters = [(ratio, each.adapter_count) for ratio, each in plans]
    lines = [Line(f"adapters {plan.where}", adapters, is_step=True)]
    for place, pool in enumerate(plan.pools):
        if pool.is_cpu and pool.side is not None:
            counts = [
                (ratio, each.pools[place].core_count)
                for ratio, each in plans
                if len(each.pools) == len(plan.pools)
            ]
            lines.append(Line(f"{pool.of_side} {pool.unit}s", counts, is_step=True))
    planned = Mark("planned", 1.0, is_level=False)
    x_name = "volumes, as a multiple of those planned"
    needed = chart(
        f"{name}: adapters and CPUs over load",
        lines,
        (planned,),
        x_name=x_name,
        y_name="needed, with spares",
        x_text=lambda ratio: f"{ratio:.3g}",
        y_text=lambda count: f"{count:,.4g}",
    )
    if needed is not None:
        yield Figure(needed, _numbers(lines, "Volumes", times_text, count_text))
    costs = [(ratio, cost) for ratio, each in plans if (cost := cost_of(each)) is not None]
    unit = f" in {currency}" if currency else ""
    line = Line(f"cost{unit}", costs, is_step=True)
    drawn = chart(
        f"{name}: cost over load",
        [line],
        (planned,),
        x_name=x_name,
        y_name=f"cost of adapters at both sides and cores{unit}",
        x_text=lambda ratio: f"{ratio:.3g}",
        y_text=lambda cost: f"{cost:,.0f}",
    )
    if drawn is not None:
        yield Figure(drawn, _numbers([line], "Volumes", times_text, lambda cost: f"{cost:,.0f}"))


def _numbers(
    lines: Sequence[Line],
    head: str,
    x_text: Callable[[float], str],
    y_text: Callable[[float], str],
) -> Table:
    """Some places of the lines of a chart, from end to end."""
    places = [place for place, _ in lines[0].points]
    chosen = sorted(
        {round(number) for number in np.linspace(0, len(places) - 1, min(_ROW_COUNT, len(places)))}
    )
    by_place = [dict(line.points) for line in lines]
    columns = [
        Column(
            line.name,
            [
                predicted_cell(points[places[number]], y_text)
                if places[number] in points
                else Cell("")
                for number in chosen
            ],
            is_number=True,
        )
        for line, points in zip(lines, by_place, strict=True)
    ]
    return table_of(
        "Some points of the chart.",
        (Column(head, [Cell(x_text(places[number])) for number in chosen]), *columns),
    )
