"""What a plan makes of its load, as parts of a page: limits against demand, CPUs and times."""

import math
from collections.abc import Sequence
from itertools import chain

from netmodel._estimates import Predicted
from netmodel._text import fixed_percent
from netmodel.planning import Plan
from netmodel.planning._answer import plain_number, resource_text
from netmodel.planning._loads import Kind, ResourceLoad, loads_of
from netmodel.report._charts import Axis, Tick
from netmodel.report._figure import ROOM_RATIO
from netmodel.report._page_parts import (
    Bar,
    Block,
    Cell,
    Column,
    Folded,
    Section,
    Strip,
    Table,
    Texts,
    table_of,
)
from netmodel.report._page_texts import (
    NOTHING,
    count_text,
    predicted_cell,
    rate_text,
    share_text,
)

_DETAILED_COUNT = 10
"""Candidates whose stages are shown: of more, the table of candidates has what decides."""
_KINDS = {
    Kind.ADAPTER: "adapters and lines",
    Kind.CORES: "CPUs",
    Kind.STAGE: "between the sides",
    Kind.FLOW: "of one flow",
}
"""Words for what a planner may buy, or not."""


def limits_section(plans: Sequence[tuple[str, Plan]]) -> Section:
    """Each candidate with its name: shares in use against what may be used."""
    blocks: list[Block] = []
    for number, (name, plan) in enumerate(plans[:_DETAILED_COUNT]):
        table = limits_table(name, plan)
        if table is not None:
            blocks.append(Folded(name, (table,)) if number else table)
    if blocks and len(plans) > _DETAILED_COUNT:
        blocks.append(Texts((f"Shown are the first {_DETAILED_COUNT} candidates.",)))
    return Section("limits", "Limits against demand", tuple(blocks))


def limits_table(name: str, plan: Plan) -> Table | None:
    """A row for each resource that the demand uses; None where no number of adapters is enough."""
    if plan.demand is None or plan.chosen_count is None:
        return None
    loads = [load for load in loads_of(plan.demand, plan).resources if load.use_ratio.high > 0]
    if not loads:
        return None
    has_failures = plan.headroom.spare_count > 0 or plan.headroom.spare_core_count > 0
    uses = [
        [load.use_ratio, *([load.after_failure_ratio] if has_failures else [])] for load in loads
    ]
    ends = [use.high for use in chain.from_iterable(uses) if use.high < math.inf]
    axis = Axis(0.0, max(1.0, *ends) * ROOM_RATIO, is_log=False)
    allowed, after = plan.headroom.max_utilisation_ratio, plan.headroom.after_failure_ratio
    is_other = has_failures and after != allowed
    count, spare = plan.chosen_count, plan.headroom.spare_count
    noun = "adapter" if count == 1 else "adapters"
    legend = [("first", f"in use with all {count:,} {noun}" if count > 1 else "in use")]
    if has_failures:
        left = max(count - spare, 0)
        nouns = "adapter" if left == 1 else "adapters"
        legend.append(("second", f"in use after a failure: {left:,} {nouns} left"))
    legend.append(("mark1", f"may be used, of adapters and CPUs {fixed_percent(allowed, 0)}"))
    if is_other:
        legend.append(("mark2", f"may be used after a failure, of these {fixed_percent(after, 0)}"))
    if any(use.low != use.high for use in chain.from_iterable(uses)):
        legend.append(("reach", "range that the parameters leave"))
    caption = (
        f"{name}: share in use with {count:,} {noun} {plan.where}. ≥ marks lower bounds: what a "
        "stage carries is an upper bound."
    )
    columns = [
        Column(
            "Limit",
            [
                Cell(
                    resource_text(load.name),
                    ", ".join(
                        filter(
                            None,
                            (_KINDS[load.kind], "bottleneck" * (load.name == plan.binding)),
                        )
                    ),
                )
                for load in loads
            ],
        ),
        Column("In use", [_share(plan, each[0]) for each in uses], is_number=True),
        Column(
            "After a failure",
            [_share(plan, each[1]) if has_failures else NOTHING for each in uses],
            is_number=True,
        ),
        Column("May be used", [_allowed(load, has_failures) for load in loads], is_number=True),
        Column(
            "Share in use against what may be used",
            [
                Cell("", strip=_strip(plan, load, each, axis, is_other))
                for load, each in zip(loads, uses, strict=True)
            ],
        ),
    ]
    ticks = [Tick(axis.percent(tick), fixed_percent(tick, 0)) for tick in axis.ticks]
    return table_of(caption, columns, ticks=ticks, legend=legend)


def _share(plan: Plan, use: Predicted[float]) -> Cell:
    return predicted_cell(use, share_text, plan.corner.of(use))


def _allowed(load: ResourceLoad, has_failures: bool) -> Cell:
    after = load.after_failure_limit_ratio
    is_other = has_failures and after != load.limit_ratio
    return Cell(
        fixed_percent(load.limit_ratio, 0),
        f"{fixed_percent(after, 0)} after a failure" if is_other else "",
    )


def _strip(
    plan: Plan,
    load: ResourceLoad,
    uses: Sequence[Predicted[float]],
    axis: Axis,
    is_other: bool,
) -> Strip:
    said = [
        f"{share_text(plan.corner.of(use))} {name}"
        for use, name in zip(uses, ("in use", "after a failure"), strict=False)
    ]
    bars = [
        Bar(kind, *map(axis.percent, (plan.corner.of(use), use.low, use.high)))
        for kind, use in zip(("first", "second"), uses, strict=False)
    ]
    limits = [load.limit_ratio, *([load.after_failure_limit_ratio] if is_other else [])]
    names = ("may be used", "may be used after a failure")
    marks = [
        Tick(axis.percent(limit), f"{fixed_percent(limit, 0)} {name}")
        for limit, name in zip(limits, names, strict=False)
    ]
    title = f"{resource_text(load.name)}: {', '.join((*said, *(mark.text for mark in marks)))}"
    return Strip(title, tuple(bars), tuple(marks))


def cpus_table(name: str, plan: Plan) -> Table | None:
    """A row for each side whose CPUs are planned; None where none are."""
    pools = [pool for pool in plan.pools if pool.is_cpu and pool.side is not None]
    if not pools:
        return None
    corner, use = plan.corner, fixed_percent(plan.headroom.max_utilisation_ratio, 0)
    gains = [pool.smt_gain for pool in pools]
    columns = [
        Column("Side", [Cell(pool.of_side) for pool in pools]),
        Column(
            "Needed",
            [
                predicted_cell(each.core_count, count_text, corner.of(each.core_count))
                for each in pools
            ],
            is_number=True,
        ),
        Column("Counted in", [Cell(f"{pool.unit}s") for pool in pools]),
        Column(
            "Busy",
            [
                predicted_cell(each.busy_count, count_text, corner.of(each.busy_count))
                for each in pools
            ],
            is_number=True,
        ),
        Column("Time of", [Cell(f"{pool.time_basis}s") for pool in pools]),
        Column(
            "Two threads over one",
            [NOTHING if gain is None else predicted_cell(gain, plain_number) for gain in gains],
            is_number=True,
        ),
        Column(
            "Present",
            [
                Cell("" if each.present_count is None else plain_number(each.present_count))
                for each in pools
            ],
            is_number=True,
        ),
        Column(
            "Cost given",
            [Cell("" if each.cost is None else each.cost.given_text) for each in pools],
        ),
    ]
    return table_of(f"{name}: CPUs of which at most {use} are busy.", columns)


def expected_blocks(name: str, plan: Plan) -> tuple[Block, ...]:
    """Highest rate that is expected of a single flow; nothing where bounds stand alone."""
    expected = plan.expected
    if expected is None:
        return ()
    table = Table(
        f"{name}: highest rate that is expected if {expected.assumption}.",
        (
            Column("Flow", [Cell(expected.flow)]),
            Column("Planned rate", [Cell(rate_text(expected.planned_tps))], is_number=True),
            Column(
                "Rate of connections that never pause",
                [predicted_cell(expected.transaction_rate_tps.numbers(), rate_text)],
                is_number=True,
            ),
        ),
    )
    if not expected.approximations:
        return (table,)
    return table, Texts(expected.approximations, is_list=True)
