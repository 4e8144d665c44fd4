"""Plans and scenarios as one HTML page to hand over (extra ``report``)."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from netmodel._estimates import Bound
from netmodel._text import RESULT_DIGITS, fixed_percent
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.planning import Plan
from netmodel.planning._answer import plain_number, resource_text
from netmodel.planning._failure import failure_state
from netmodel.planning._growth import headroom_of
from netmodel.planning._loads import loads_of
from netmodel.planning._scenario import CandidatePlan, ScenarioPlan, cost_of, falling_at
from netmodel.planning._scenario_text import money_text
from netmodel.planning._transaction_time import transaction_times
from netmodel.report._page import rendered
from netmodel.report._page_assumptions import assumptions
from netmodel.report._page_decisions import (
    policy_table,
    price_blocks,
    probability_blocks,
    sensitivity_blocks,
    volume_table,
)
from netmodel.report._page_growth import growth_blocks, load_blocks, time_blocks
from netmodel.report._page_limits import cpus_table, expected_blocks, limits_section
from netmodel.report._page_parts import (
    Block,
    Cell,
    Column,
    Folded,
    Section,
    Table,
    Texts,
    Verbatim,
    table_of,
)
from netmodel.report._page_texts import (
    NOTHING,
    SIGNS,
    count_text,
    html_signs,
    predicted_cell,
    rate_text,
    time_text,
    times_text,
)
from netmodel.report._text import NOTE_COUNT
from netmodel.units import format_rate, format_size

if TYPE_CHECKING:
    from netmodel.planning import Flow

_TITLE = "Capacity plan"


class _Fact(NamedTuple):
    """A key figure of the answer."""

    name: str
    text: str
    detail: str = ""


def plan_page(
    result: ScenarioPlan | Plan | Sequence[Plan],
    *,
    title: str = "",
    command: str = "",
    version: str = "",
    made_on: date | None = None,
) -> str:
    """
    Plans of a scenario, or of a demand, as one HTML page without scripts and outside addresses.

    Parameters
    ----------
    result : ScenarioPlan, Plan or sequence of Plan
        A planned scenario; or plans of one demand, the best first, as of `compare_plans`.
    title : str
        Heading; that of the scenario when left out.
    command : str
        What makes the page again, for those who check it.
    version : str
        Of netmodel.
    made_on : datetime.date, optional
        Date that the page bears; it has none when left out.

    Returns
    -------
    text : str
        The page, to be written in UTF-8: the answer, the candidates, limits against demand,
        curves over load and over the horizon, what moves the answer, shadow prices,
        assumptions and inputs, as far as they are known. The same arguments give the same text.

    Raises
    ------
    DomainError
        If there is no plan.
    MissingExtraError
        If jinja2 is not installed.

    Examples
    --------
    >>> from netmodel import plan
    >>> plans = plan("40 Gbit/s str-writex30k", adapters="osa-express7s-25gbe", mtu_bytes=1500)
    >>> "<h1>Our line</h1>" in plan_page(plans, title="Our line")
    True
    """
    scenario = result if isinstance(result, ScenarioPlan) else None
    noted: ScenarioPlan | Plan
    if isinstance(result, ScenarioPlan):
        candidates = result.candidates
        answer, flows, noted = result.answer, result.flows, result
        data: object = result.to_dict()
    else:
        plans = (result,) if isinstance(result, Plan) else tuple(result)
        if not plans:
            raise DomainError("there is no plan to report on")
        candidates = tuple(map(_candidate, plans))
        answer, flows, noted = plans[0].text.partition("\n")[0], plans[0].flows, plans[0]
        data = [plan.to_dict() for plan in plans]
    planned = [(each.name, each.plan) for each in candidates if each.plan is not None]
    sections = [
        _candidates(candidates, scenario),
        limits_section(planned),
        *_of_best(candidates[0], scenario),
        Section(
            "assumptions", "Assumptions and sources", assumptions([plan for _, plan in planned])
        ),
        _inputs(flows, candidates[0].plan, scenario),
        _reproduction(command, version, made_on),
        _data(data),
    ]
    made_by = f"netmodel {version}".rstrip()
    return rendered(
        "plan_page.html.jinja",
        title=title or (scenario.title if scenario else _TITLE),
        origin=f"{made_by}, {made_on.isoformat()}" if made_on else made_by,
        holds=candidates[0].is_feasible,
        needed=_needed(candidates[0]),
        answer=answer,
        facts=list(_facts(candidates[0], scenario)),
        notes=_notes(noted.notes, noted.deciding_note_count),
        sections=[section for section in sections if section.blocks],
    )


def _candidate(plan: Plan) -> CandidatePlan:
    """A plan of a demand like one of a scenario, with its headroom and its failure state."""
    over = "" if plan.distance is None else f", {plan.distance}"
    reasons = plan.shortfalls
    if plan.chosen_count is None and not reasons:
        reasons = (f"no number of adapters is enough: {plan.binding} is the bottleneck",)
    result = CandidatePlan(
        name=f"{plan.equipment}, MTU {plan.mtu_bytes:g}{over}",
        mtu_bytes=plan.mtu_bytes,
        plan=plan,
        reasons=reasons,
    )
    if plan.demand is None or plan.chosen_count is None:
        return result
    return replace(
        result,
        headroom=headroom_of(loads_of(plan.demand, plan), plan.corner),
        failure=failure_state(plan.demand, plan),
        times=transaction_times(plan.demand, plan),
    )


def _needed(best: CandidatePlan) -> str:
    """With how many adapters it holds: a sentence that begins with No is about fewer."""
    count = best.adapter_count
    if count is None or best.plan is None:
        return ""
    return f"{count:,} adapter{'s' * (count != 1)} {best.plan.where}"


def _notes(notes: Sequence[str], deciding_count: int) -> list[Block]:
    """The first notes and all deciding ones, and the others behind a summary."""
    count = max(NOTE_COUNT, deciding_count)
    others = notes[count:]
    blocks: list[Block] = [Texts(tuple(notes[:count]), is_list=True)] if notes else []
    if others:
        noun = "note" if len(others) == 1 else "notes"
        blocks.append(Folded(f"{len(others)} more {noun}", (Texts(tuple(others), is_list=True),)))
    return blocks


def _facts(best: CandidatePlan, scenario: ScenarioPlan | None) -> Iterator[_Fact]:
    """Key figures of the best candidate."""
    plan = best.plan
    if plan is None:
        return
    count = plan.chosen_count
    if count is not None:
        spare = plan.headroom.spare_count
        may_fail = f"{spare:,} of which may fail" if spare else "none may fail"
        yield _Fact(f"adapters {plan.where}", f"{SIGNS[Bound.LOWER]}{count:,}", may_fail)
    for pool in best.cpu_needs:
        sign = SIGNS[pool.core_count.bound]
        busy = plain_number(plan.corner.of(pool.busy_count))
        yield _Fact(
            f"{pool.of_side} {pool.unit}s",
            f"{sign}{count_text(plan.corner.of(pool.core_count))}",
            f"{busy} {pool.time_basis}s busy",
        )
    for name, cell in (
        ("cost", _cost(best, scenario)),
        ("all volumes may grow to", _headroom(best)),
        ("holds until", _until(best)),
        ("share of the time that it holds", _probability(best)),
        ("transaction time", _time(best)),
    ):
        if not cell.is_empty:
            yield _Fact(name, cell.text, cell.detail)
    yield _Fact("bottleneck", plan.binding, _use_text(plan))
    if plan.grade is not None:
        yield _Fact("evidence", plan.grade.value, "the weakest of all parameters")


# Candidates


def _adapter_columns(candidates: Sequence[CandidatePlan]) -> Iterator[Column]:
    """Adapters at each side, or those of each where the demand asks for one of them."""
    plans = [each.plan for each in candidates]
    if not any(plan is not None and plan.asked_side is not None for plan in plans):
        yield Column("Adapters at each side", [_adapters(each) for each in candidates], True)
        return
    for side in Side:
        yield Column(
            f"Adapters of the {side.value}",
            [
                NOTHING
                if plan is None or side not in plan.side_counts
                else predicted_cell(
                    plan.side_counts[side], count_text, plan.corner.of(plan.side_counts[side])
                )
                for plan in plans
            ],
            True,
        )


def _candidates(candidates: Sequence[CandidatePlan], scenario: ScenarioPlan | None) -> Section:
    """A row for each candidate, the best first; and why others are not feasible."""

    def column(head: str, cells: Sequence[Cell], is_number: bool = True) -> Column:
        return Column(head, cells, is_number)

    columns = [
        column("Candidate", [Cell(each.name) for each in candidates], is_number=False),
        column(
            "Holds",
            [Cell("✓ yes" if each.is_feasible else "✕ no") for each in candidates],
            is_number=False,
        ),
        *_adapter_columns(candidates),
        *(
            column(f"{side.value.capitalize()} cores", [_cores(each, side) for each in candidates])
            for side in Side
        ),
        column("Cost", [_cost(each, scenario) for each in candidates]),
        column("Transaction time", [_time(each) for each in candidates]),
        column("Volumes may grow to", [_headroom(each) for each in candidates]),
        column("Holds until", [_until(each) for each in candidates]),
        column("Share of the time", [_probability(each) for each in candidates]),
        column(
            "Bottleneck",
            [
                NOTHING if each.plan is None else Cell(each.plan.binding, _use_text(each.plan))
                for each in candidates
            ],
            is_number=False,
        ),
        column(
            "Evidence",
            [
                Cell(each.plan.grade.value if each.plan and each.plan.grade else "")
                for each in candidates
            ],
            is_number=False,
        ),
    ]
    ranked = f", ranked by {scenario.objective}" if scenario else ""
    caption = (
        f"The best first{ranked}. ≥ marks lower and ≤ upper bounds: rates that adapters carry are "
        "upper bounds, so the number of adapters is a lower bound. Small print: the range that the "
        "parameters leave."
    )
    best = 0 if candidates[0].is_feasible else None
    blocks: list[Block] = [table_of(caption, columns, marked=best)]
    failing = [each for each in candidates if not each.is_feasible]
    if failing:
        reasons = Table(
            "Candidates that are not feasible, and why.",
            (
                Column("Candidate", [Cell(each.name) for each in failing]),
                Column("Reason", [Cell("; ".join(each.reasons)) for each in failing]),
            ),
        )
        blocks.append(reasons)
    return Section("candidates", "Candidates", tuple(blocks))


def _adapters(candidate: CandidatePlan) -> Cell:
    plan = candidate.plan
    if plan is None:
        return NOTHING
    return predicted_cell(plan.adapter_count, count_text, plan.corner.of(plan.adapter_count))


def _cores(candidate: CandidatePlan, side: Side) -> Cell:
    plan = candidate.plan
    for pool in candidate.cpu_needs:
        if pool.side is side and plan is not None:
            return predicted_cell(pool.core_count, count_text, plan.corner.of(pool.core_count))
    return NOTHING


def _cost(candidate: CandidatePlan, scenario: ScenarioPlan | None) -> Cell:
    if candidate.cost is None or scenario is None:
        return NOTHING
    text_of = partial(money_text, currency=scenario.policy.currency)
    return predicted_cell(candidate.cost, text_of, candidate.quoted_cost)


def _headroom(candidate: CandidatePlan) -> Cell:
    headroom, plan = candidate.headroom, candidate.plan
    if headroom is None or plan is None:
        return NOTHING
    ratio = headroom.volume_ratio
    return predicted_cell(ratio, times_text, falling_at(plan.corner, ratio))


def _until(candidate: CandidatePlan) -> Cell:
    growth = candidate.growth
    if growth is None:
        return NOTHING
    if growth.exhausted_on is None:
        return Cell(f"beyond {growth.horizon_on}")
    return Cell(f"{growth.exhausted_on}", f"then {resource_text(growth.exhausted_by)}")


def _probability(candidate: CandidatePlan) -> Cell:
    probability = candidate.probability
    return NOTHING if probability is None else Cell(html_signs(probability.within_text))


def _time(candidate: CandidatePlan) -> Cell:
    """The longest of the classes, expected where it is, else its lower bound."""
    known = [
        (time_s, each.flow)
        for each in candidate.times
        if (time_s := each.expected_s or each.lower_bound_s) is not None
    ]
    if not known:
        return NOTHING
    longest, flow = max(known, key=lambda each: each[0].value)
    cell = predicted_cell(longest, time_text)
    named = f"of {flow}" if len(known) > 1 else ""
    return cell._replace(detail=", ".join(filter(None, (cell.detail, named))))


def _use_text(plan: Plan) -> str:
    """Share of the bottleneck in use, and after a failure."""
    stage = next((stage for stage in plan.stages if stage.name == plan.binding), None)
    if stage is None or stage.use_ratio is None:
        return ""
    text = f"{SIGNS[Bound.LOWER]}{fixed_percent(plan.corner.of(stage.use_ratio), 1)} in use"
    if stage.after_failure_ratio is None or not plan.headroom.spare_count:
        return text
    return f"{text}, {fixed_percent(plan.corner.of(stage.after_failure_ratio), 1)} after a failure"


# Of the best candidate


def _of_best(best: CandidatePlan, scenario: ScenarioPlan | None) -> Iterator[Section]:
    """CPUs, times, curves over load and over the horizon, prices and probability."""
    plan = best.plan
    if plan is None:
        return
    name = best.name
    cpus = cpus_table(name, plan)
    yield Section("cpus", "CPUs", () if cpus is None else (cpus,))
    times = tuple(time_blocks(name, plan, best.times))
    yield Section("time", "Transaction time", (*times, *expected_blocks(name, plan)))
    if plan.chosen_count is None:
        return
    growths = [] if scenario is None else [each.growth_per_year_ratio for each in scenario.volumes]
    growth = best.growth
    grown = 1.0 if growth is None else max((1 + each) ** growth.horizon_years for each in growths)
    yield Section(
        "load",
        "Needs and cost over load",
        tuple(
            load_blocks(
                name,
                plan,
                lambda each: cost_of(each, best.available)[0] if best.available else None,
                "" if scenario is None else scenario.policy.currency,
                grown,
            )
        ),
    )
    if growth is not None:
        more = best.available_growth
        texts = () if more is None else (f"With all that is available: {more.text}.",)
        blocks = (*growth_blocks(name, plan, growth, growths), *([Texts(texts)] if texts else []))
        yield Section("growth", "Growth and exhaustion", blocks)
    moved = sensitivity_blocks(name, best.sensitivities)
    yield Section("sensitivity", "What moves the answer most", moved)
    yield Section("prices", "What one more adapter or core adds", price_blocks(name, best.prices))
    if best.probability is not None:
        heading = "Share of the time in which it holds"
        yield Section("probability", heading, probability_blocks(best.probability))


# Inputs, and how the page was made


def _inputs(flows: "Sequence[Flow]", plan: Plan | None, scenario: ScenarioPlan | None) -> Section:
    """The demand and the policy, as resolved, and the file as read."""
    demand = table_of(
        "Demand: everything that is sent at the same time.",
        (
            Column("Flow", [Cell(flow.name) for flow in flows]),
            Column("Sender", [Cell(flow.sender.value) for flow in flows]),
            Column(
                "Payload rate",
                [Cell(format_rate(flow.payload_rate_bps, RESULT_DIGITS)) for flow in flows],
                is_number=True,
            ),
            Column(
                "Transactions",
                [Cell(rate_text(flow.transaction_rate_tps)) for flow in flows],
                is_number=True,
            ),
            Column(
                "Request",
                [Cell(format_size(float(flow.traffic.request_bytes))) for flow in flows],
                is_number=True,
            ),
            Column(
                "Response",
                [Cell(format_size(float(flow.traffic.response_bytes))) for flow in flows],
                is_number=True,
            ),
            Column(
                "Connections",
                [
                    Cell("" if count is None else f"{count:,.9g}")
                    for count in (flow.connection_count for flow in flows)
                ],
                is_number=True,
            ),
        ),
    )
    blocks: list[Block] = [demand]
    if scenario is not None:
        blocks.insert(0, volume_table(scenario.volumes))
        blocks.append(policy_table(scenario))
        source = scenario.scenario
        if source.source_text:
            blocks.append(
                Verbatim(f"The scenario file as read: {source.source_name}", source.source_text)
            )
    elif plan is not None:
        headroom = plan.headroom
        rules = {
            "highest planned utilisation": f"{headroom.max_utilisation_ratio:.4g}",
            "highest utilisation after a failure": f"{headroom.after_failure_ratio:.4g}",
            "adapters of a side that may fail": f"{headroom.spare_count:,}",
            "cores of a side that may be lost": f"{headroom.spare_core_count:,}",
            "case of the parameter uncertainty": plan.corner.value,
            "spreading of connections over adapters": plan.spreading.value,
        }
        blocks.append(
            Table(
                "Policy.",
                (
                    Column("Rule", [Cell(name) for name in rules]),
                    Column("Value", [Cell(text) for text in rules.values()]),
                ),
            )
        )
    return Section("inputs", "Inputs", tuple(blocks))


def _reproduction(command: str, version: str, made_on: date | None) -> Section:
    blocks: list[Block] = []
    if command:
        blocks.append(Verbatim("The command that makes this page", command))
    made_by = f"Made by netmodel {version}" if version else "Made by netmodel"
    made = f"{made_by} on {made_on.isoformat()}." if made_on else f"{made_by}."
    text = f"{made} The same inputs, data and version give the same numbers."
    return Section("reproduce", "How to reproduce", (*blocks, Texts((text,))))


def _data(results: object) -> Section:
    """All numbers, for programs: as in the JSON of the command."""
    text = json.dumps(results, indent=1, allow_nan=False)
    json_text = Verbatim("The result as netmodel plan --json prints it, in base units", text)
    return Section("data", "All numbers", (Folded("JSON", (json_text,), prints=False),))
