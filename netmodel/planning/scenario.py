"""Plans of a scenario: each candidate for the planned volumes, ranked by the objective."""

import datetime
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.estimates import Bound, Predicted
from netmodel.frames import frame_of
from netmodel.framing import Stack
from netmodel.html import definition_table
from netmodel.planning.demand import Headroom, demand_of, planned
from netmodel.planning.flows import Flow
from netmodel.planning.planner import plan_demand
from netmodel.planning.plans import Plan, PoolNeed, need_columns, plain_number
from netmodel.planning.volumes import PlannedVolume, sum_notes
from netmodel.planning.what_if import (
    Growth,
    growth_of,
    headroom_of,
    prices,
    probability,
    sensitivities,
)
from netmodel.results import Result, short_repr, shortened
from netmodel.terminal import Column, columns_html, columns_table, fitted
from netmodel.text import fixed_percent, listed
from netmodel.units.prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.path import SpecifiedPath
    from netmodel.records.scenarios import Candidate, Policy, Scenario

_MANY = 1000
"""Amounts of money from which on parts of a unit are not read."""
_SHOWN_ROWS = 20
"""Candidates in a table that is read on a screen; --verbose prints all."""
_SHOWN_NAMES = 3
"""Of candidates that fail for the same reason: more do not fit a line."""
_KEY_DIGITS = 10
"""Significant digits of a ranked number: more than any input has, fewer than rounding changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateCase:
    """
    One candidate as objects: what a table of the file is for one value of each of its lists.

    Parameters
    ----------
    name : str
        That of the table, with what varies in it.
    record : Candidate
        The table.
    path : SpecifiedPath, optional
        Its equipment; None where the reason says why there is none.
    mtu_bytes : float, optional
        Largest packet; that of the path when left out. [byte]
    stack : Stack, optional
        Headers of each frame.
    reason : str
        Why it cannot be planned; empty where it can.
    """

    name: str
    record: "Candidate"
    path: "SpecifiedPath | None" = None
    mtu_bytes: float | None = None
    stack: Stack | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class CandidatePlan(Result):
    """
    What a candidate needs for the scenario, and whether it holds.

    Parameters
    ----------
    name : str
        As in the scenario, with the MTU or what else varies in it.
    path : SpecifiedPath, optional
        Its equipment; None where it cannot be planned.
    mtu_bytes : float, optional
        Largest packet. [byte]
    plan : Plan, optional
        Adapters and CPUs for the planned volumes; None where none can be made.
    reasons : tuple of str
        Why it is infeasible; empty where it is feasible.
    cost : Predicted, optional
        Of the adapters and cores that it needs; None where no costs are given.
    rank : int
        From 1 up, the best first.
    notes : tuple of str
        What its numbers leave out or rest on.
    headroom_ratio : float, optional
        Factor by which all volumes may grow alike with the adapters and cores of the plan.
    headroom_binding : str, optional
        Stage, CPUs or limit that is too small beyond it.
    growth : Growth, optional
        When growth exhausts these.
    available : mapping of str to float
        What there is of adapters and CPUs and what each costs, by the key of the scenario.
    volumes : tuple of PlannedVolume
        What it is planned for.
    """

    name: str
    path: "SpecifiedPath | None" = None
    mtu_bytes: float | None = None
    plan: Plan | None = None
    reasons: tuple[str, ...] = ()
    cost: Predicted[float] | None = None
    rank: int = 0
    notes: tuple[str, ...] = ()
    headroom_ratio: float | None = None
    headroom_binding: str | None = None
    growth: Growth | None = None
    available: Mapping[str, float | None] = field(default_factory=dict, compare=False, repr=False)
    volumes: tuple[PlannedVolume, ...] = field(default=(), compare=False, repr=False)

    json_keys = (
        "name rank is_feasible reasons mtu_bytes adapter_count core_count cost headroom_ratio "
        "headroom_binding growth sensitivities plan notes"
    )

    @property
    def is_feasible(self) -> bool:
        """Whether it carries the planned volumes within the policy."""
        return not self.reasons

    @property
    def adapter_count(self) -> int | None:
        """Adapters at each side; None where no number is enough, or no plan can be made."""
        return None if self.plan is None else self.plan.chosen_count

    @property
    def cpu_needs(self) -> list[PoolNeed]:
        """CPUs of each side, as far as they are known."""
        return [] if self.plan is None else self.plan.cpu_needs

    @property
    def core_count(self) -> float | None:
        """Cores of all sides of which the CPU cost is known; None where it is of none."""
        if self.plan is None or not self.cpu_needs:
            return None
        return sum(planned(need.core_count) for need in self.cpu_needs)

    @cached_property
    def sensitivities(self) -> tuple[dict[str, Any], ...]:
        """Adapters, cores and cost with one input changed, a row for each change."""
        plans = {} if self.plan is None else sensitivities(self.plan)
        return tuple(
            {
                "change": change,
                "adapter_count": changed.adapter_count,
                "core_count": changed.core_count,
                "cost": changed.quoted_cost,
            }
            for change, plan in plans.items()
            for changed in [replace(self, plan=plan, cost=cost_of(plan, self.available)[0])]
        )

    @cached_property
    def prices(self) -> dict[str, float]:
        """Factors by which all volumes may grow with one adapter, or one core, more."""
        return prices(self.plan) if self.plan is not None and self.is_feasible else {}

    @cached_property
    def held_ratio(self) -> float | None:
        """Share of the time in which nothing of the plan is too small; None for steady volumes."""
        return probability(self.plan, self.volumes) if self.plan and self.is_feasible else None

    @property
    def quoted_cost(self) -> float | None:
        """The cost for which the plan is made."""
        return None if self.cost is None or self.plan is None else planned(self.cost)

    def __repr__(self) -> str:
        count = "" if self.adapter_count is None else f"{self.adapter_count} adapters at each side"
        outcome = f"rank {self.rank}" if self.is_feasible else f"not feasible: {self.reasons[0]}"
        return short_repr(self, f"{shortened(self.name)}: {outcome}", count)


@dataclass(frozen=True, kw_only=True)
class ScenarioPlan(Result):
    """
    The candidates of a scenario, ranked, and what the best needs.

    Parameters
    ----------
    scenario : Scenario
        What was asked, with all that overrides the file.
    start : datetime.date
        Day on which the volumes hold.
    flows : tuple of Flow
        The traffic at its planned rates.
    volumes : tuple of PlannedVolume
        Where these come from, of each flow.
    candidates : tuple of CandidatePlan
        Feasible ones first, the best of them first.
    notes : tuple of str
        What the answer leaves out or rests on, most important first.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.records import data_path
    >>> result = netmodel.plan_scenario(data_path("examples", "scenarios", "order-system.toml"))
    >>> result.best.name
    'RoCE Express2.1, MTU 1500'
    """

    scenario: "Scenario"
    start: datetime.date
    flows: tuple[Flow, ...]
    volumes: tuple[PlannedVolume, ...]
    candidates: tuple[CandidatePlan, ...]
    notes: tuple[str, ...] = ()

    json_keys = (
        "answer title=scenario.title start horizon_years=scenario.horizon_years holds objective "
        "policy flows volumes candidates prices held_ratio notes"
    )

    @property
    def objective(self) -> str:
        """The objective, or that which the given costs make it."""
        return objective_of(self.scenario)

    @property
    def policy(self) -> "Policy":
        """What may be used, fail and be spent."""
        return self.scenario.policy

    @property
    def best(self) -> CandidatePlan | None:
        """The first that is feasible; None where none is."""
        first = self.candidates[0]
        return first if first.is_feasible else None

    @property
    def plans(self) -> list[Plan]:
        """Those that can be made, the best first."""
        return [each.plan for each in self.candidates if each.plan is not None]

    @property
    def holds(self) -> bool:
        """Whether a candidate carries the planned volumes within the policy."""
        return self.best is not None

    @property
    def prices(self) -> dict[str, float]:
        """Of the first candidate: factors of growth with one adapter, or one core, more."""
        return self.candidates[0].prices

    @property
    def held_ratio(self) -> float | None:
        """Of the first candidate: share of the time in which nothing is too small."""
        return self.candidates[0].held_ratio

    @property
    def answer(self) -> str:
        """The answer in a sentence."""
        return answer(self)

    def blocks(self, is_verbose: bool = False) -> list[str]:
        """The answer, a row for each candidate, why some are not feasible; or all details."""
        more = [details(self)] if is_verbose else []
        return [
            self.answer,
            candidates_table(self, is_verbose),
            infeasible_text(self, is_verbose),
            *more,
        ]

    def __str__(self) -> str:
        text = "\n\n".join(filter(None, self.blocks()))
        return fitted("\n".join([text, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        return short_repr(self, self.answer)

    def _repr_html_(self) -> str:
        table = columns_html(self.answer, columns(self))
        reasons = [
            (each.name, "; ".join(each.reasons)) for each in self.candidates if not each.is_feasible
        ]
        notes = [("note", note) for note in self.notes]
        return table + definition_table("", [*reasons, *notes])

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each candidate by name, in base units.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        rows = [
            {
                "candidate": each.name,
                "rank": each.rank,
                "is_feasible": each.is_feasible,
                "mtu_bytes": each.mtu_bytes,
                "adapter_count": each.adapter_count,
                "core_count": each.core_count,
                "cost": each.quoted_cost,
                "headroom_ratio": each.headroom_ratio,
                "exhausted_on": each.growth and each.growth.exhausted_on,
                "binding": each.plan and each.plan.binding,
                "reasons": "; ".join(each.reasons),
            }
            for each in self.candidates
        ]
        return frame_of(rows, "candidate", {"cost": self.policy.currency or None})


def objective_of(scenario: "Scenario") -> str:
    """The objective, or that which the given costs make it."""
    if scenario.policy.objective is not None:
        return scenario.policy.objective
    tables = (scenario.policy, *scenario.candidate)
    has_costs = any(
        cost is not None for table in tables for cost in (table.adapter_cost, table.core_cost)
    )
    return "cost" if has_costs else "adapters"


def plan_scenario(
    scenario: "Scenario",
    flows: Sequence[Flow],
    volumes: Sequence[PlannedVolume],
    cases: Iterable[CandidateCase],
    start: datetime.date,
    notes: Iterable[str] = (),
) -> ScenarioPlan:
    """Plans of all cases for the planned volumes, ranked by the objective."""
    plans = [
        replace(_planned(case, scenario, flows, start), volumes=tuple(volumes)) for case in cases
    ]
    objective = objective_of(scenario)
    ranked = sorted(plans, key=lambda each: _order(each, objective))
    candidates = tuple(replace(each, rank=rank) for rank, each in enumerate(ranked, start=1))
    best = candidates[0]
    of_volumes = [
        *sum_notes(volumes),
        *(note for each in volumes for note in each.notes),
    ]
    own = () if best.plan is None else best.plan.notes
    return ScenarioPlan(
        scenario=scenario,
        start=start,
        flows=tuple(flows),
        volumes=tuple(volumes),
        candidates=candidates,
        notes=tuple(dict.fromkeys((*notes, *best.notes, *own, *of_volumes))),
    )


def _planned(
    case: CandidateCase,
    scenario: "Scenario",
    flows: Sequence[Flow],
    start: datetime.date,
) -> CandidatePlan:
    """One candidate: its plan, what it costs, how long it lasts, and why it is not feasible."""
    policy = scenario.policy
    result = CandidatePlan(name=case.name, path=case.path, mtu_bytes=case.mtu_bytes)
    if case.path is None:
        return replace(result, reasons=(case.reason,))
    # (1) adapters and CPUs for the planned volumes
    available = _available(case.record, policy)
    try:
        demand = demand_of(
            flows, case.path, case.mtu_bytes, case.stack, physics_only=policy.physics_only
        )
        most = available["adapters_available"]
        shares = policy.max_utilisation, policy.spares, policy.max_utilisation_after_failure
        plan = plan_demand(demand, Headroom(*shares), None if most is None else int(most))
    except NetmodelError as error:
        return replace(result, reasons=(f"cannot be planned: {error}",))
    # (2) what it costs, and what is not there
    cost, cost_notes = cost_of(plan, available)
    result = replace(
        result,
        mtu_bytes=plan.mtu_bytes,
        plan=plan,
        reasons=tuple(_reasons(plan, available)),
        cost=cost,
        notes=tuple(cost_notes),
        available=available,
    )
    if plan.chosen_count is None:
        return result
    # (3) how far the volumes may grow, and until when
    if not result.is_feasible:
        return result
    growths = [traffic.growth_per_year for traffic in scenario.traffic]
    ratio, binding = headroom_of(plan)
    growth = growth_of(plan, growths, start, scenario.horizon_years) if any(growths) else None
    return replace(result, headroom_ratio=ratio, headroom_binding=binding or None, growth=growth)


def _available(candidate: "Candidate", policy: "Policy") -> Mapping[str, float | None]:
    """What there is and what it costs: of the candidate, else of the policy."""
    names = ("adapters_available", "client_cpus", "server_cpus", "adapter_cost", "core_cost")
    own = {name: getattr(candidate, name) for name in names}
    return {name: getattr(policy, name) if own[name] is None else own[name] for name in names}


def _reasons(plan: Plan, available: Mapping[str, float | None]) -> Iterator[str]:
    """Why a plan is not feasible, in words of the scenario."""
    for text in plan.shortfalls:
        is_of_adapters = text.endswith(" available")
        yield f"{text}: {plan.binding} is the bottleneck" if is_of_adapters else text
    if plan.chosen_count is None and not plan.shortfalls:
        yield f"no number of adapters is enough: {plan.binding} is the bottleneck"
    for need in plan.cpu_needs:
        assert need.side is not None
        there = available[f"{need.side.value}_cpus"]
        cores = planned(need.core_count)
        if there is not None and cores > there:
            yield (
                f"needs {plain_number(cores)} {need.side.value} cores, and "
                f"{need.side.value}_cpus is {there:,.0f}"
            )


def cost_of(
    plan: Plan, available: Mapping[str, float | None]
) -> tuple[Predicted[float] | None, list[str]]:
    """Cost of adapters at both sides and of cores, end by end; and what it leaves out."""
    adapter_cost, core_cost = available.get("adapter_cost"), available.get("core_cost")
    if (adapter_cost is None and core_cost is None) or plan.chosen_count is None:
        return None, []
    sides = sum(each is not None for each in (plan.client_adapter, plan.server_adapter))
    parts = []
    if adapter_cost is not None:
        parts.append((plan.adapter_count, max(sides, 1) * adapter_cost))
    needs = plan.cpu_needs
    if core_cost is not None:
        parts += [(need.core_count, core_cost) for need in needs]
    missing = [side.value for side in Side if side not in {need.side for need in needs}]
    notes = []
    if core_cost is not None and missing:
        notes.append(f"cost leaves out {listed(missing)} cores: their CPU cost is not known")
    if not parts:
        return None, notes
    is_bound = missing or any(count.bound is Bound.LOWER for count, _ in parts)
    return (
        Predicted(
            sum(count.value * each for count, each in parts),
            sum(count.low * each for count, each in parts),
            sum(count.high * each for count, each in parts),
            Bound.LOWER if is_bound else Bound.VALUE,
        ),
        notes,
    )


def _order(candidate: CandidatePlan, objective: str) -> tuple[Any, ...]:
    """Sort key: feasible ones, the objective, all else that counts, the name."""
    plan = candidate.plan
    if plan is None:
        return (2,)
    unknown_sides = len(Side) - len(candidate.cpu_needs)
    costs = unknown_sides, _key(candidate.quoted_cost)
    adapters = (_key(candidate.adapter_count),)
    cores = unknown_sides, _key(candidate.core_count)
    first = {"cost": costs, "adapters": adapters, "cores": cores}[objective]
    evidence = -1 if plan.grade is None else plan.grade.rank
    uses = (stage.use_ratio for stage in plan.stages)
    most_used = max((planned(use) for use in uses if use is not None), default=0.0)
    rest = (*costs, *adapters, *cores, evidence, plan.mtu_bytes, _key(most_used), candidate.name)
    return (not candidate.is_feasible, *first, *rest)


def _key(value: float | None) -> float:
    """A number to rank by, without the rounding of floats; what is not known comes last."""
    return math.inf if value is None else float(f"{value:.{_KEY_DIGITS}g}")


# ---- In words


def answer(result: ScenarioPlan) -> str:
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


def _needs(candidate: CandidatePlan) -> str:
    """Adapters and cores."""
    count = candidate.adapter_count or 0
    parts = [f"{count:,} adapter{'s' * (count != 1)} at each side"]
    for need in candidate.cpu_needs:
        cores = planned(need.core_count)
        parts.append(f"{plain_number(cores)} {need.of_side} {need.unit}{'s' * (cores != 1)}")
    return listed(parts)


def _saving(best: CandidatePlan, others: Sequence[CandidatePlan], currency: str) -> str:
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


def columns(result: ScenarioPlan) -> list[Column]:
    """Return the candidates as columns of a table."""
    candidates, currency = result.candidates, result.policy.currency

    def feasible(text: Callable[[CandidatePlan], str]) -> list[str]:
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


def _cores_cell(candidate: CandidatePlan) -> str:
    is_bound = any(need.core_count.bound is Bound.LOWER for need in candidate.cpu_needs)
    return (">= " if is_bound else "") + _known(candidate.core_count, plain_number)


def _known(value: float | None, text: Callable[[float], str]) -> str:
    return "" if value is None else text(value)


def _without_mtu(candidate: CandidatePlan) -> str:
    """The name, without the MTU that has a column of its own."""
    return candidate.name.removesuffix(f", MTU {candidate.mtu_bytes or 0:g}")


def _adapters_cell(plan: Plan) -> str:
    return "none" if plan.chosen_count is None else f">= {plan.chosen_count:,}"


def _headroom_cell(candidate: CandidatePlan) -> str:
    ratio = candidate.headroom_ratio
    return "" if ratio is None else f"{WHOLE_PERCENT * (ratio - 1):+.0f} %"


def _until_cell(candidate: CandidatePlan) -> str:
    growth = candidate.growth
    if growth is None:
        return ""
    on = growth.exhausted_on
    return f"> {growth.horizon_on:%Y-%m}" if on is None else f"{on:%Y-%m}"


def candidates_table(result: ScenarioPlan, is_verbose: bool = False) -> str:
    """Return a row for each candidate; the first of many if not verbose."""
    shown = columns(result)
    left_out = 0 if is_verbose else max(len(result.candidates) - _SHOWN_ROWS, 0)
    if not left_out:
        return columns_table(shown, is_verbose)
    first = [each._replace(cells=each.cells[:_SHOWN_ROWS]) for each in shown]
    return f"{columns_table(first)}\n{left_out:,} more candidates with --verbose, or as a frame"


def infeasible_text(result: ScenarioPlan, is_verbose: bool = False) -> str:
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


def details(result: ScenarioPlan) -> str:
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
