"""Plans of a scenario in words: the decision in a sentence, and a row for each candidate."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from netmodel.estimates import Bound
from netmodel.planning._answer import need_columns, plain_number
from netmodel.planning._plan import Plan
from netmodel.planning._resources import planned
from netmodel.terminal import Column, columns_table
from netmodel.text import fixed_percent, listed
from netmodel.units.prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    from netmodel.planning._scenario import CandidatePlan, ScenarioPlan

_MANY = 1000
"""Amounts of money from which on parts of a unit are not read."""
_SHOWN_ROWS = 20
"""Candidates in a table that is read on a screen; --verbose prints all."""
_SHOWN_NAMES = 3
"""Of candidates that fail for the same reason: more do not fit a line."""


def answer(result: "ScenarioPlan") -> str:
    """Return what the best candidate needs, what it saves and until when it holds."""
    best, *others = result.candidates
    if not best.is_feasible:
        reason = best.reasons[0]
        return f"No: {best.name}: {reason}."
    currency = result.policy.currency
    cost = "" if best.quoted_cost is None else f", {money_text(best.quoted_cost, currency)}"
    saving = _saving(best, [each for each in others if each.is_feasible], currency)
    until = "" if best.growth is None else f", {best.growth.text}"
    return f"{best.name}: {_needs(best)}{cost}{saving}{until}."


def _needs(candidate: "CandidatePlan") -> str:
    """Adapters and cores."""
    count = candidate.adapter_count or 0
    parts = [f"{count:,} adapter{'s' * (count != 1)} at each side"]
    for need in candidate.cpu_needs:
        cores = planned(need.core_count)
        parts.append(f"{plain_number(cores)} {need.of_side} {need.unit}{'s' * (cores != 1)}")
    return listed(parts)


def _saving(best: "CandidatePlan", others: "Sequence[CandidatePlan]", currency: str) -> str:
    """What the best candidate costs less than the next one that costs more."""
    for other in others:
        if best.quoted_cost is None or other.quoted_cost is None:
            fewer = (other.adapter_count or 0) - (best.adapter_count or 0)
            if fewer > 0:
                return f", {fewer:,} adapters fewer than {other.name}"
        elif other.quoted_cost > best.quoted_cost:
            less = money_text(other.quoted_cost - best.quoted_cost, currency)
            return f" ({less} less than {other.name})"
    return ""


def columns(result: "ScenarioPlan") -> list[Column]:
    """Return the candidates as columns of a table."""
    candidates, currency = result.candidates, result.policy.currency

    def feasible(text: Callable[["CandidatePlan"], str]) -> list[str]:
        return [text(each) if each.is_feasible else "" for each in candidates]

    def of_plans(text: Callable[[Plan], str]) -> list[str]:
        return ["" if each.plan is None else text(each.plan) for each in candidates]

    all_feasible = all(each.is_feasible for each in candidates)
    answers = ["" if all_feasible else "yes" if each.is_feasible else "no" for each in candidates]
    mtus = ["" if each.mtu_bytes is None else f"{each.mtu_bytes:g}" for each in candidates]
    costs = [_known(each.quoted_cost, money_text) for each in candidates]
    return [
        Column("candidate", [_without_mtu(each) for each in candidates]),
        Column("MTU", mtus, is_number=True),
        Column("feasible", answers),
        Column("adapters", of_plans(_adapters_cell), is_number=True),
        Column("cores", [_cores_cell(each) for each in candidates], is_number=True),
        Column(f"cost ({currency})" if currency else "cost", costs, is_number=True),
        Column("headroom", feasible(_headroom_cell), is_number=True, rank=1),
        Column("holds until", feasible(_until_cell)),
        Column("bottleneck", of_plans(lambda plan: plan.binding), rank=4),
        Column("evidence", of_plans(lambda plan: plan.grade.value if plan.grade else ""), rank=3),
    ]


def _cores_cell(candidate: "CandidatePlan") -> str:
    is_bound = any(need.core_count.bound is Bound.LOWER for need in candidate.cpu_needs)
    return (">= " if is_bound else "") + _known(candidate.core_count, plain_number)


def _known(value: float | None, text: Callable[[float], str]) -> str:
    return "" if value is None else text(value)


def _without_mtu(candidate: "CandidatePlan") -> str:
    """The name, without the MTU that has a column of its own."""
    return candidate.name.removesuffix(f", MTU {candidate.mtu_bytes or 0:g}")


def _adapters_cell(plan: Plan) -> str:
    return "none" if plan.chosen_count is None else f">= {plan.chosen_count:,}"


def _headroom_cell(candidate: "CandidatePlan") -> str:
    ratio = candidate.headroom_ratio
    return "" if ratio is None else f"{WHOLE_PERCENT * (ratio - 1):+.0f} %"


def _until_cell(candidate: "CandidatePlan") -> str:
    growth = candidate.growth
    if growth is None:
        return ""
    on = growth.exhausted_on
    return f"> {growth.horizon_on:%Y-%m}" if on is None else f"{on:%Y-%m}"


def candidates_table(result: "ScenarioPlan", is_verbose: bool = False) -> str:
    """Return a row for each candidate; the first of many if not verbose."""
    shown = columns(result)
    left_out = 0 if is_verbose else max(len(result.candidates) - _SHOWN_ROWS, 0)
    if not left_out:
        return columns_table(shown, is_verbose)
    first = [each._replace(cells=each.cells[:_SHOWN_ROWS]) for each in shown]
    return f"{columns_table(first)}\n{left_out:,} more candidates with --verbose, or as a frame"


def infeasible_text(result: "ScenarioPlan", is_verbose: bool = False) -> str:
    """Return those that are not feasible, a line for those of the same reasons."""
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


def details(result: "ScenarioPlan") -> str:
    """Return what the first candidate needs and rests on, with what changed inputs need."""
    shown = result.candidates[0]
    if shown.plan is None:
        return ""
    rows = [f"{each.name}: {each.basis}" for each in result.volumes]
    rows += [f"with {each['change']}: {_changed_text(each)}" for each in shown.sensitivities]
    rows += [f"{more}: {ratio:.4g} times the volumes" for more, ratio in shown.prices.items()]
    if shown.held_ratio is not None:
        held = fixed_percent(shown.held_ratio, 1)
        rows.append(f"nothing is too small {held} of the time, if loads vary independently")
    return "\n\n".join(
        [columns_table(need_columns(shown.plan)), shown.plan.details(), "\n".join(rows)]
    )


def _changed_text(row: dict[str, Any]) -> str:
    """Adapters, cores and cost of a changed plan."""
    count, cores, cost = row["adapter_count"], row["core_count"], row["cost"]
    parts = ["no number of adapters is enough" if count is None else f"{count:,} adapters"]
    parts += [] if cores is None else [f"{plain_number(cores)} cores"]
    return listed(parts) + ("" if cost is None else f", cost {money_text(cost)}")


def money_text(amount: float, currency: str = "") -> str:
    """Return an amount with its currency, such as "52,000 EUR"."""
    digits = 0 if float(amount).is_integer() or amount >= _MANY else 2
    return f"{amount:,.{digits}f} {currency}".strip()
