"""Plans of a scenario in words: the answer in a sentence, a row for each candidate, details."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from netmodel._estimates import Bound, Predicted
from netmodel._terminal import Column, columns_table
from netmodel._text import (
    RESULT_DIGITS,
    SENTENCE_DIGITS,
    fixed_percent,
    listed,
    percent_text,
    span_text,
)
from netmodel.planning._answer import plain_number, resource_text
from netmodel.planning._loads import loads_of
from netmodel.planning._plan import Plan
from netmodel.units import format_rate, format_time
from netmodel.units._prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    from netmodel.planning._growth import Growth
    from netmodel.planning._scenario import CandidatePlan, ScenarioPlan

_PREDICATES = ("needs ", "cannot ", "takes ")
"""How reasons begin that a sentence says of a candidate."""
_MANY = 1000
"""Amounts of money from which on parts of a unit are not read."""
_SHOWN_ROWS = 20
"""Candidates in a table that is read on a screen; --verbose prints all."""
_SHOWN_NAMES = 3
"""Of candidates that fail for the same reason: more do not fit a line."""


def answer(result: "ScenarioPlan") -> str:
    """The answer in a sentence."""
    best = result.best
    if best is not None and best.plan is not None:
        until = "" if best.growth is None else f"; {_until(best, best.growth)}"
        of = " of the adapters" if until else ""
        needs = _needs(best, best.plan, result.policy.currency)
        return f"{best.name}: {needs}{until}; the bottleneck{of} is {best.plan.binding}"
    flow, *other_flows = result.flows
    rate = format_rate(flow.payload_rate_bps, RESULT_DIGITS)
    demand = "the traffic" if other_flows else f"{rate} of {flow.name}"
    first, *others = result.candidates
    link = "" if first.reasons[0].startswith(_PREDICATES) else ":"
    more = {0: "", 1: "; the other candidate fails too"}.get(
        len(others), f"; {len(others):,} more candidates fail"
    )
    if all(each.plan is None for each in result.candidates):
        return f"No candidate can be planned: {first.name}{link} {first.reasons[0]}{more}"
    return f"No candidate carries {demand}: {first.name}{link} {first.reasons[0]}{more}"


def _needs(candidate: "CandidatePlan", plan: Plan, currency: str) -> str:
    """Adapters, cores and cost."""
    count = candidate.adapter_count
    parts = [f"at least {count:,} adapter{'s' * (count != 1)} at each side"] if count else []
    for need in candidate.cpu_needs:
        cores = plan.corner.of(need.core_count)
        parts.append(f"{plain_number(cores)} {need.of_side} {need.unit}{'s' * (cores != 1)}")
    cost = candidate.quoted_cost
    return listed(parts) + ("" if cost is None else f", {money_text(cost, currency)}")


def _until(candidate: "CandidatePlan", growth: "Growth") -> str:
    """Until when a candidate holds, and what is too small then."""
    if growth.exhausted_on is None:
        return f"holds beyond {growth.horizon_on:%Y-%m}"
    then = f"{growth.exhausted_by} is too small{' after a failure' * growth.is_after_failure}"
    for need in candidate.cpu_needs:
        if need.name == growth.exhausted_by and candidate.plan is not None:
            cores = plain_number(candidate.plan.corner.of(need.core_count))
            then = f"{cores} {need.of_side} {need.unit}s are too few"
    more = ""
    if (longest := candidate.available_growth) is not None:
        on = longest.exhausted_on
        if on is None:
            more = f"; beyond {longest.horizon_on:%Y-%m} with all that is available"
        elif on > growth.exhausted_on:
            more = f"; until {on:%Y-%m} with all that is available"
    return f"holds until {growth.exhausted_on:%Y-%m}, when {then}{more}"


def columns(result: "ScenarioPlan") -> list[Column]:
    """The candidates as columns of a table; of those that are not feasible, what they need."""
    candidates, currency = result.candidates, result.policy.currency

    def planned(text: Callable[["CandidatePlan", Plan], str]) -> list[str]:
        return ["" if each.plan is None else text(each, each.plan) for each in candidates]

    def feasible(text: Callable[["CandidatePlan"], str]) -> list[str]:
        return [text(each) if each.is_feasible else "" for each in candidates]

    all_feasible = all(each.is_feasible for each in candidates)
    answers = ["" if all_feasible else "yes" if each.is_feasible else "no" for each in candidates]
    mtus = ["" if each.mtu_bytes is None else f"{each.mtu_bytes:g}" for each in candidates]
    return [
        Column("candidate", [_without_mtu(each) for each in candidates]),
        Column("MTU", mtus, is_number=True),
        Column("feasible", answers),
        Column("adapters", planned(lambda each, _: _adapters_cell(each)), is_number=True),
        Column("cores", planned(lambda each, _: _cores_cell(each)), is_number=True),
        Column(
            f"cost ({currency})" if currency else "cost",
            planned(lambda each, _: _cost_cell(each)),
            is_number=True,
        ),
        Column("headroom", feasible(_headroom_cell), is_number=True, rank=1),
        Column("holds until", feasible(_until_cell)),
        Column("transaction", [_time_cell(each) for each in candidates], is_number=True, rank=2),
        Column("bottleneck", planned(lambda _, plan: plan.binding_row[2]), rank=4),
        Column("evidence", planned(lambda _, plan: plan.grade.value if plan.grade else ""), rank=3),
    ]


def _without_mtu(candidate: "CandidatePlan") -> str:
    """The name, without the MTU that has a column of its own."""
    return candidate.name.removesuffix(f", MTU {candidate.mtu_bytes or 0:g}")


def _adapters_cell(candidate: "CandidatePlan") -> str:
    count = candidate.adapter_count
    return "none" if count is None else f">= {count:,}"


def _cores_cell(candidate: "CandidatePlan") -> str:
    count = candidate.core_count
    is_bound = any(need.core_count.bound is Bound.LOWER for need in candidate.cpu_needs)
    return "" if count is None else f"{Bound.LOWER.sign * is_bound}{plain_number(count)}"


def _cost_cell(candidate: "CandidatePlan") -> str:
    cost = candidate.quoted_cost
    return "" if cost is None else money_text(cost)


def _headroom_cell(candidate: "CandidatePlan") -> str:
    """How much all volumes may grow, in per cent."""
    ratio = candidate.planned_headroom_ratio
    return "" if ratio is None else f"{WHOLE_PERCENT * (ratio - 1):+,.0f} %"


def _until_cell(candidate: "CandidatePlan") -> str:
    """The month until which a candidate holds."""
    growth = candidate.growth
    if growth is None:
        return ""
    on = growth.exhausted_on
    return f"> {growth.horizon_on:%Y-%m}" if on is None else f"{on:%Y-%m}"


def _time_cell(candidate: "CandidatePlan") -> str:
    """Time of a transaction of the class in which it takes longest, or its lower bound."""
    known = [
        time.lower_bound_s if time.expected_s is None else time.expected_s
        for time in candidate.times
        if time.lower_bound_s is not None
    ]
    if not known:
        return ""
    longest = max(known, key=lambda each: each.value)
    return longest.bound.sign + format_time(longest.value, SENTENCE_DIGITS)


def candidates_table(result: "ScenarioPlan", is_verbose: bool = False) -> str:
    """A row for each candidate; the first of many if not verbose."""
    shown = columns(result)
    left_out = 0 if is_verbose else max(len(result.candidates) - _SHOWN_ROWS, 0)
    if not left_out:
        return columns_table(shown, is_verbose)
    first = [each._replace(cells=each.cells[:_SHOWN_ROWS]) for each in shown]
    return f"{columns_table(first)}\n{left_out:,} more candidates with --verbose, or as a frame"


def infeasible_text(result: "ScenarioPlan", is_verbose: bool = False) -> str:
    """Those that are not feasible, a line for those of the same reasons."""
    names: dict[str, list[str]] = {}
    for each in result.candidates:
        if not each.is_feasible:
            names.setdefault("; ".join(each.reasons), []).append(each.name)
    lines = [
        f"not feasible: {'; '.join(same) if is_verbose else _first(same)}: {reasons}"
        for reasons, same in names.items()
    ]
    left_out = 0 if is_verbose else max(len(lines) - _SHOWN_ROWS, 0)
    more = [f"{left_out:,} more reasons with --verbose"] if left_out else []
    return "\n".join([*lines[: len(lines) - left_out], *more])


def _first(names: Sequence[str]) -> str:
    """The first of several names, which have commas of their own."""
    more = len(names) - _SHOWN_NAMES
    return "; ".join(names[:_SHOWN_NAMES]) + (f"; and {more:,} more" if more > 0 else "")


def uses_table(plan: Plan) -> str:
    """Share of every stage, core and limit that is used, before and after a failure."""
    if plan.demand is None or plan.chosen_count is None:
        return ""
    resources = loads_of(plan.demand, plan).resources

    def shares(ratios: Iterable[float]) -> list[str]:
        return [fixed_percent(ratio, 1) for ratio in ratios]

    before = (plan.corner.of(each.use_ratio) for each in resources)
    after = (plan.corner.of(each.after_failure_ratio) for each in resources)
    return columns_table(
        [
            Column("stage, CPUs or limit", [resource_text(each.name) for each in resources]),
            Column("in use", shares(before), is_number=True),
            Column("allowed", shares(each.limit_ratio for each in resources), is_number=True),
            Column("after failure", shares(after), is_number=True),
            Column(
                "allowed then",
                shares(each.after_failure_limit_ratio for each in resources),
                is_number=True,
            ),
        ],
        is_verbose=True,
    )


def detail_rows(candidate: "CandidatePlan", is_verbose: bool = False) -> Iterator[tuple[str, str]]:
    """What is known of a candidate beside its plan; the first of each kind if not verbose."""
    plan, headroom = candidate.plan, candidate.headroom
    if plan is None:
        return
    for time in candidate.times:
        if time.lower_bound_s is not None:
            yield "time of a transaction", time.text
    if not candidate.is_feasible:  # what follows would be of adapters or cores that are not there
        return
    if headroom is not None and (is_verbose or candidate.growth is None):
        yield (
            "headroom",
            f"all volumes times {candidate.planned_headroom_ratio:.3g}; "
            f"the first limit then: {resource_text(headroom.binding)}"
            f"{' after a failure' if headroom.is_after_failure else ''}",
        )
    if candidate.probability is not None:
        yield "within its limits", probability_text(candidate.probability)
    if candidate.growth is not None:
        yield "growth", candidate.growth.text
    if candidate.available_growth is not None:
        yield "growth with all that is available", candidate.available_growth.text
    if is_verbose:
        for each in candidate.sensitivities:
            yield f"with {each['change']}", _changed_text(each)
        for unit, ratio in candidate.prices.items():
            yield unit, f"all volumes times {ratio:.3g}"


def probability_text(share: Predicted[float]) -> str:
    """Share of the time in which a plan holds, such as "<= 95 to 97 % of the time"."""
    ends = (percent_text(end, SENTENCE_DIGITS) for end in (share.low, share.high))
    return f"{share.bound.sign}{span_text(*ends)} of the time"


def _changed_text(row: dict[str, Any]) -> str:
    """Adapters, cores and cost of a changed plan."""
    count, cores, cost = row["adapter_count"], row["core_count"], row["cost"]
    parts = ["no number of adapters is enough" if count is None else f"{count:,} adapters"]
    parts += [] if cores is None else [f"{plain_number(cores)} cores"]
    return listed(parts) + ("" if cost is None else f", cost {money_text(cost)}")


def money_text(amount: float, currency: str = "") -> str:
    """An amount with its currency, such as "52,000 EUR"."""
    digits = 0 if float(amount).is_integer() or amount >= _MANY else 2
    return f"{amount:,.{digits}f} {currency}".strip()
