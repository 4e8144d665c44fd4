"""Plans in words: the decision in a sentence, and a row for each need or candidate."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from netmodel.consumption import Side
from netmodel.estimates import Bound, Predicted
from netmodel.path._from_records import ADAPTER_STAGES
from netmodel.path._path import DIRECTION_AT, LINE_STAGES
from netmodel.planning._flows import Flow
from netmodel.planning._resources import planned
from netmodel.predicted_text import copy_text
from netmodel.terminal import Column
from netmodel.text import (
    RESULT_DIGITS,
    SENTENCE_DIGITS,
    fixed_percent,
    listed,
    percent_text,
    range_text,
)
from netmodel.units import BITS_PER_BYTE, format_rate
from netmodel.units.prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    from netmodel.planning._plan import DirectionNeed, Plan, PoolNeed

BUSY_DIGITS = 3
"""Of busy CPUs: one more than the costs of the field repeat to."""
CARRIED_DIGITS = 3
"""Of what adapters carry: those that published rates have."""
_DIGITS = 4
"""Significant digits of counts of CPUs: one more than the times that they come from have."""
_TOO_LONG = 1e15
"""Floats have whole digits up to here."""
_CORES = {f"{side.value}_cpus": f"{side.value} cores" for side in Side}
"""The CPUs of a side, as people call them."""
_SPEED = re.compile(r" [0-9.]+ (GbE|Gigabit Ethernet)$")
"""End of the titles of adapters, which a sentence about rates leaves out."""
_VERBS = {"in": "receives", "out": "sends"}


def resource_text(name: str) -> str:
    """Return a resource as people call it: "server cores" for the CPUs of the server."""
    return _CORES.get(name, name)


# The decision


def answer_text(plans: "Sequence[Plan]") -> str:
    """Return what the best of several plans needs and saves, or why none holds, in a sentence."""
    best, *others = plans
    copied = _copied_text(best)
    if not best.holds:
        return f"No: {_refusal(best)}.{copied}"
    cores = [*_cores_texts(best)]
    needs = listed([_adapters_text(best), *cores])
    if not others:
        return f"{needs}: {_rate_of_one(best, shows_share=not cores)}.{copied}"
    label = _labels(plans)
    saving = _saving(best, [(each, label(each)) for each in others if each.holds])
    reason = "" if cores else f"; {_rate_of_one(best, 'each')}"
    return f"{label(best)}: {needs}, {saving}{reason}.{copied}"


def _copied_text(plan: "Plan") -> str:
    """How long a copy takes; empty where none is asked for."""
    time_s = plan.copy_time_s
    if plan.volume_bytes is None or time_s is None:
        return ""
    rate = format_rate(BITS_PER_BYTE * plan.volume_bytes / time_s, SENTENCE_DIGITS)
    return f" {copy_text(plan.volume_bytes, time_s)} at {rate}."


def _refusal(plan: "Plan") -> str:
    """Why a plan does not hold."""
    if len(plan.shortfalls) > 1:
        return plan.shortfalls[0]
    if plan.chosen_count is None:
        counts = {flow.connection_count for flow in plan.flows} - {None}
        too_few = f"{counts.pop():,.9g} connections use" if len(counts) == 1 else "connections use"
        too_few = too_few.replace("1 connections use", "1 connection uses", too_few[:2] == "1 ")
        return f"{too_few} too few adapters: {_rate_of_one(plan)}"
    available = plan.adapters_available
    if available is not None and plan.chosen_count > available:
        return f"{_adapters_text(plan)} needed, {_available_text(plan, available)}"
    return plan.shortfalls[0]


def _available_text(plan: "Plan", count: int) -> str:
    """What the available adapters carry, where load divides evenly; else what one does."""
    room = plan.headroom
    left = count - room.spare_count
    if left < 1 or any(flow.connection_count for flow in plan.flows):
        return f"{count:,} available: {_rate_of_one(plan)}"
    share = min(count * room.max_utilisation_ratio, left * room.after_failure_ratio)
    carried = _amount_text(plan, _planned_ratio(plan) * share)
    return f"{count:,} available, which carry {carried}: {_rate_of_one(plan)}"


def _adapters_text(plan: "Plan") -> str:
    """Adapters with their spares, such as "3 adapters (2 + 1 spare)"."""
    count, spare_count = plan.chosen_count or 0, plan.headroom.spare_count
    fewest = int(planned(plan.count_without_spares))
    parts = f"{fewest:,} + {spare_count:,} spare" if fewest + spare_count == count else ""
    parts = parts or f"{spare_count:,} may fail"
    has_both = None not in (plan.client_adapter, plan.server_adapter)
    both = " at each side" if plan.asked_side is None and has_both else ""
    return f"{_counted(count, 'adapter')}{both} ({parts if spare_count else 'no spare'})"


def _cores_texts(plan: "Plan") -> Iterator[str]:
    """Cores of each side whose CPU cost is known."""
    for pool in plan.cpu_needs:
        sign = "at least " if pool.core_count.bound is Bound.LOWER else ""
        yield f"{sign}{_counted(planned(pool.core_count), f'{pool.of_side} {pool.unit}')}"


def _counted(count: float, noun: str) -> str:
    return f"{plain_number(count)} {noun}{'s' * (count != 1)}"


def _rate_of_one(plan: "Plan", name: str = "", *, shows_share: bool = True) -> str:
    """What one adapter carries at most, or that connections need more of them."""
    fewer, enough = (planned(each) for each in (plan.count_by_bounds, plan.count_without_spares))
    if fewer < enough < math.inf:
        return f"the connections reach the rate over {plain_number(enough)} adapters only"
    one = plan.one_adapter
    ratio = one.demand_ratio.value
    where = "" if name else f" at MTU {plan.mtu_bytes:g}"
    where += f" over {plan.path}" if plan.path else ""
    if not math.isfinite(ratio):
        return f"no limit of the adapters is known{where}"
    text = f"{_subject(plan, name)} at most {_amount_text(plan, ratio)}{where}"
    share, planned_ratio = plan.headroom.max_utilisation_ratio, _planned_ratio(plan)
    used = f", {_amount_text(plan, planned_ratio * share)} at {_percent(share)} use"
    if share < 1 and shows_share and enough > math.ceil(round(1 / planned_ratio, 9)):
        return text + used
    amount = _amount_text(plan, planned_ratio)
    return text if amount == _amount_text(plan, ratio) else f"{text}, planned with {amount}"


def _subject(plan: "Plan", name: str) -> str:
    """What carries, and how it does."""
    one, (flow, *others) = plan.one_adapter, plan.flows
    if one.binding in LINE_STAGES:
        return "the line carries"
    name = name or adapter_name(plan, one.side)
    is_of_payload = DIRECTION_AT[one.side, one.direction] == DIRECTION_AT[flow.sender, "out"]
    if others or flow.is_in_transactions or not is_of_payload or one.binding not in ADAPTER_STAGES:
        return f"{name or 'an adapter'} carries"
    return f"{name} {_VERBS[one.direction]}"


def adapter_name(plan: "Plan", side: Side) -> str:
    """Return the title of the adapter of a side, without its speed."""
    own = plan.server_adapter if side is Side.SERVER else plan.client_adapter
    records = () if plan.demand is None else plan.demand.records
    titles = (_SPEED.sub("", each.title) for each in records if each.id == own)
    return next(titles, own or "")


def _planned_ratio(plan: "Plan") -> float:
    """The share of the demand that one adapter is planned with, in full use."""
    need = plan.one_adapter.demand_ratio
    return 1 / planned(Predicted(1 / need.value, 1 / need.high, 1 / need.low))


def _labels(plans: "Sequence[Plan]") -> "Callable[[Plan], str]":
    """How to tell candidates apart: by what is not the same in all of them."""
    names = {plan.equipment: _name_of(plan) for plan in plans}
    if len(set(names.values())) < len(names):
        names = {each: each for each in names}
    has_mtus = len({plan.mtu_bytes for plan in plans}) > 1

    def label(plan: "Plan") -> str:
        parts = [names[plan.equipment]] if len(names) > 1 else []
        parts += [f"MTU {plan.mtu_bytes:g}"] if has_mtus else []
        parts += [str(plan.distance)] if len({each.distance for each in plans}) > 1 else []
        return ", ".join(parts) or plan.equipment

    return label


def _name_of(plan: "Plan") -> str:
    sides = dict.fromkeys(adapter_name(plan, side) for side in Side)
    return " to ".join(filter(None, sides)) or plan.equipment


def _saving(best: "Plan", others: "Sequence[tuple[Plan, str]]") -> str:
    """What the best plan saves beside the next that holds."""
    if not others:
        return "the only candidate that holds"
    count = best.chosen_count or 0
    for other, label in others:
        more = (other.chosen_count or 0) - count
        if more:
            return f"{_counted(more, 'adapter')} fewer than {label}"
    return f"as many as {others[0][1] if len(others) == 1 else 'the others'}"


def _amount_text(plan: "Plan", ratio: float) -> str:
    """A share of the demand, as a rate where it is a single flow."""
    flow, *others = plan.flows
    if not others:
        return amount_text(flow, ratio)
    digits = _digits(ratio)
    if ratio > 1:
        return f"{ratio:,.{digits}g} times the mix"
    return f"{WHOLE_PERCENT * ratio:.{digits}g} % of the mix"


def amount_text(flow: Flow, ratio: float) -> str:
    """Return a multiple of what a flow needs, in the unit in which that was given."""
    digits = _digits(ratio)
    if flow.is_in_transactions:
        return f"{plain_number(float(f'{flow.transaction_rate_tps * ratio:.{digits}g}'))}/s"
    return format_rate(flow.payload_rate_bps * ratio, digits)


def _digits(ratio: float) -> int:
    """More digits than usual where those show no difference from the whole demand."""
    is_near = 0 < abs(ratio - 1) < 10.0 ** (1 - CARRIED_DIGITS)
    return RESULT_DIGITS if is_near else CARRIED_DIGITS


# Tables


def need_columns(plan: "Plan") -> list[Column]:
    """Return the needs of a plan as columns: a row for each direction and each side's CPUs."""
    rows = [
        *(_adapter_row(plan, need) for need in plan.directions),
        *(_core_row(pool) for pool in plan.cpu_needs),
    ]
    heads = ("side", "needs", "count", "range", "bottleneck", "in use", "after failure")
    numbers = ("count", "in use", "after failure")
    return [
        Column(head, cells, is_number=head in numbers)
        for head, cells in zip(heads, zip(*rows, strict=True), strict=True)
    ]


def _adapter_row(plan: "Plan", need: "DirectionNeed") -> tuple[str, ...]:
    stage = need.binding
    return (
        need.side.value,
        f"adapters {need.direction}",
        bound_text(planned(need.adapter_count)),
        counts_range_text(need.adapter_count),
        stage.name,
        _use_text(stage.use_ratio),
        _use_text(stage.after_failure_ratio) if plan.headroom.spare_count else "",
    )


def _use_text(use: Predicted[float] | None) -> str:
    return "" if use is None else f">= {fixed_percent(planned(use), 1)}"


def _core_row(pool: "PoolNeed") -> tuple[str, ...]:
    busy = plain_number(float(f"{pool.busy_count.value:.{BUSY_DIGITS}g}"))
    span = counts_range_text(pool.busy_count, BUSY_DIGITS)
    present = "" if pool.present_count is None else f" of {plain_number(pool.present_count)}"
    return (
        pool.of_side,
        f"{pool.unit}s",
        f"{pool.core_count.bound.sign}{plain_number(planned(pool.core_count))}{present}",
        counts_range_text(pool.core_count),
        "",
        f"{busy} busy" + (f" ({span})" if span else ""),
        "",
    )


def candidate_columns(plans: "Sequence[Plan]") -> list[Column]:
    """Return a row for each plan: adapters of each side, cores, bottleneck and its use."""
    all_hold = all(each.holds for each in plans)
    sides = [plan.asked_side for plan in plans][:1] if plans[0].asked_side else list(Side)
    pools = dict.fromkeys(f"{pool.of_side} {pool.unit}s" for p in plans for pool in p.cpu_needs)
    uses = [_adapter_row(each, each.scarcest)[3:] for each in plans]
    ranges, bottlenecks, in_use, after = zip(*uses, strict=True)
    distances = [str(each.distance or "") for each in plans]
    return [
        Column("candidate", [each.equipment for each in plans]),
        Column("MTU", [f"{each.mtu_bytes:g}" for each in plans], is_number=True),
        Column("distance", distances if len(set(distances)) > 1 else [""] * len(plans)),
        *(
            Column(
                "adapters" if len(sides) == 1 else side.value,
                [_side_count(each, side) for each in plans],
                is_number=True,
            )
            for side in sides
            if side is not None
        ),
        *(Column(name, [_cores_cell(each, name) for each in plans], True) for name in pools),
        Column("holds", ["" if all_hold else "yes" if each.holds else "no" for each in plans]),
        Column("range", ranges, rank=2),
        Column("bottleneck", bottlenecks),
        Column("in use", in_use, is_number=True, rank=1),
        Column("after failure", after, is_number=True),
        Column("evidence", [each.grade.value if each.grade else "" for each in plans], rank=3),
    ]


def _side_count(plan: "Plan", side: Side) -> str:
    """Adapters that a side needs; empty where nothing passes any."""
    counts = plan.side_counts.get(side)
    return "" if counts is None else bound_text(planned(counts))


def _cores_cell(plan: "Plan", name: str) -> str:
    pools = (each for each in plan.cpu_needs if f"{each.of_side} {each.unit}s" == name)
    return next((plain_number(planned(each.core_count)) for each in pools), "")


# Numbers


def _percent(share: float) -> str:
    return percent_text(share, CARRIED_DIGITS)


def bound_text(count: float) -> str:
    """Return a number of adapters as a lower bound."""
    return f">= {plain_number(count)}" if math.isfinite(count) else "none"


def plain_number(value: float) -> str:
    """Return a few digits, and all in front of the point while there are not too many."""
    is_whole = value >= 10**_DIGITS or float(value).is_integer()
    return f"{value:,.0f}" if is_whole and value < _TOO_LONG else f"{value:.{_DIGITS}g}"


def counts_range_text(counts: Predicted[float], digits: int | None = None) -> str:
    """Return both ends, to significant digits if given; empty where they are printed alike."""
    ends = (
        end if digits is None or not math.isfinite(end) else float(f"{end:.{digits}g}")
        for end in (counts.low, counts.high)
    )
    low, high = (plain_number(end) if math.isfinite(end) else "none" for end in ends)
    return "" if low == high else range_text(low, high)
