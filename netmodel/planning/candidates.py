"""Candidates beside each other: ranked, priced, followed as volumes grow, and the decision."""

import datetime
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.estimates import Bound, Predicted
from netmodel.frames import frame_of, range_row
from netmodel.framing import Stack
from netmodel.html import definition_table
from netmodel.numeric import require_kind
from netmodel.path import SpecifiedPath
from netmodel.planning.demand import Headroom, checked_flows, demand_of, planned
from netmodel.planning.flows import Flow
from netmodel.planning.planner import WITH_HEADROOM, plan_demand
from netmodel.planning.plans import (
    Plan,
    PoolNeed,
    adapter_name,
    bound_text,
    copied_text,
    counted,
    need_columns,
    need_text,
    needs_text,
    plain_number,
    rate_of_one,
    refusal_text,
    use_cells,
)
from netmodel.planning.volumes import PlannedVolume, sum_notes
from netmodel.planning.what_if import (
    Growth,
    growth_of,
    headroom_of,
    prices,
    probability,
    sensitivities,
)
from netmodel.results import Result, short_repr
from netmodel.terminal import Column, Listing, columns_html, columns_table, fitted
from netmodel.text import fixed_percent, listed
from netmodel.units.prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.records.scenarios import Candidate, Scenario

_MANY = 1000
"""Amounts of money from which on parts of a unit are not read."""
_SHOWN_ROWS = 20
"""Candidates in a table that is read on a screen; --verbose prints all."""
_SHOWN_NAMES = 3
"""Of candidates that fail for the same reason: more do not fit a line."""
_KEY_DIGITS = 10
"""Significant digits of a ranked number: more than any input has, fewer than rounding changes."""
_AVAILABLE = ("adapters_available", "client_cpus", "server_cpus", "adapter_cost", "core_cost")
"""Keys of a candidate, else of the policy: what there is, and what it costs."""


@dataclass(frozen=True, kw_only=True)
class CandidatePlan(Result):
    """
    What a candidate needs, and whether it holds.

    Parameters
    ----------
    name : str
        As in the scenario, with the MTU or what else varies in it; or what tells it from others.
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
    path: SpecifiedPath | None = None
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
        counts = [planned(need.core_count) for need in self.cpu_needs]
        return sum(counts) if counts else None

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


class _Ranked:
    """Candidates, the best first: the decision and a table."""

    __slots__ = ()
    candidates: Sequence[CandidatePlan]
    currency = ""

    @property
    def holds(self) -> bool:
        """Whether a candidate carries the demand, and within the policy."""
        return self.candidates[0].is_feasible

    @property
    def answer(self) -> str:
        """The decision in a sentence."""
        return answer_text(self.candidates, self.currency)

    @property
    def columns(self) -> list[Column]:
        """A row for each candidate; of a single one what each side needs."""
        first, *others = self.candidates
        if not others and first.path is None and first.plan is not None:
            return need_columns(first.plan)
        return candidate_columns(self.candidates, self.currency)

    def blocks(self, is_verbose: bool = False) -> list[str]:
        """The answer, a row for each candidate, why some do not hold; or all details."""
        shown, left_out = self.columns, 0
        if len(self.candidates) > 1 and not is_verbose:
            left_out = max(len(self.candidates) - _SHOWN_ROWS, 0)
            shown = [each._replace(cells=each.cells[:_SHOWN_ROWS]) for each in shown]
        more = f"\n{left_out:,} more candidates with --verbose, or as a frame" if left_out else ""
        blocks = [self.answer, columns_table(shown, is_verbose) + more]
        if len(self.candidates) > 1 or self.candidates[0].plan is None:
            blocks.append(infeasible_text(self.candidates, is_verbose))
        return [*blocks, *(details(self.candidates[0]) if is_verbose else [])]

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
                "candidate": each.name or (each.plan and each.plan.equipment),
                "is_feasible": each.is_feasible,
                "mtu_bytes": each.mtu_bytes,
                **range_row("adapter_count", each.plan and each.plan.adapter_count),
                **{
                    f"{need.of_side}_core_count": planned(need.core_count)
                    for need in each.cpu_needs
                },
                "core_count": each.core_count,
                "cost": each.quoted_cost,
                "headroom_ratio": each.headroom_ratio,
                "exhausted_on": each.growth and each.growth.exhausted_on,
                "binding": each.plan and each.plan.binding,
                "reasons": "; ".join(each.reasons),
            }
            for each in self.candidates
        ]
        return frame_of(rows, "candidate", {"cost": self.currency or None})


class Plans(_Ranked, Listing[Plan]):
    """
    Plans of one demand, the best first; shown as a table of candidates.

    Examples
    --------
    >>> import netmodel
    >>> netmodel.plan("18 Gbit/s in", adapters="osa-express7s-25gbe", mtu_bytes=1500).answer
    '3 adapters (2 + 1 spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU 1500.'
    """

    __slots__ = ()

    @property
    def best(self) -> Plan:
        """The first."""
        return self[0]

    @property
    def candidates(self) -> tuple[CandidatePlan, ...]:  # type: ignore[override]
        """Each by what tells it from the others."""
        return tuple(map(_candidate, self, _labels(self)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the best."""
        return self.best.notes


def _candidate(plan: Plan, name: str = "") -> CandidatePlan:
    return CandidatePlan(
        name=name, plan=plan, mtu_bytes=plan.mtu_bytes, reasons=plan.shortfalls, notes=plan.notes
    )


def _labels(plans: Sequence[Plan]) -> list[str]:
    """Tell candidates apart by what is not the same in all of them."""
    names = {}
    for plan in plans:
        sides = dict.fromkeys(adapter_name(plan, side) for side in Side)
        names[plan.equipment] = " to ".join(filter(None, sides)) or plan.equipment
    if len(set(names.values())) < len(names):
        names = {each: each for each in names}
    parts = zip(
        (names[plan.equipment] for plan in plans),
        (f"MTU {plan.mtu_bytes:g}" for plan in plans),
        (str(plan.distance or "") for plan in plans),
        strict=True,
    )
    rows = list(parts)
    varied = [len(set(column)) > 1 for column in zip(*rows, strict=True)]
    return [
        ", ".join(part for part, varies in zip(row, varied, strict=True) if varies and part)
        for row in rows
    ]


@dataclass(frozen=True, kw_only=True)
class ScenarioPlan(_Ranked, Result):
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
        "policy=scenario.policy flows volumes candidates prices=first.prices "
        "held_ratio=first.held_ratio notes"
    )

    @property
    def objective(self) -> str:
        """The objective, or that which the given costs make it."""
        return objective_of(self.scenario)

    @property
    def currency(self) -> str:  # type: ignore[override]
        """Unit of the costs in texts."""
        return self.scenario.policy.currency

    @property
    def best(self) -> CandidatePlan | None:
        """The first that is feasible; None where none is."""
        return self.first if self.holds else None

    @property
    def first(self) -> CandidatePlan:
        """The one that is feasible, or nearest to it."""
        return self.candidates[0]

    def __str__(self) -> str:
        text = "\n\n".join(filter(None, self.blocks()))
        return fitted("\n".join([text, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        return short_repr(self, self.answer)

    def _repr_html_(self) -> str:
        reasons = [
            (each.name, "; ".join(each.reasons)) for each in self.candidates if not each.is_feasible
        ]
        notes = [("note", note) for note in self.notes]
        return columns_html(self.answer, self.columns) + definition_table("", [*reasons, *notes])


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
    candidates: Iterable[CandidatePlan],
    start: datetime.date,
    notes: Iterable[str] = (),
) -> ScenarioPlan:
    """Plans of all candidates for the planned volumes, ranked by the objective."""
    objective = objective_of(scenario)
    ranked = sorted(candidates, key=lambda each: rank_key(each, objective))
    best, *_ = candidates = tuple(
        replace(each, rank=rank, volumes=tuple(volumes)) for rank, each in enumerate(ranked, 1)
    )
    of_volumes = [*sum_notes(volumes), *(note for each in volumes for note in each.notes)]
    own = () if best.plan is None else best.plan.notes
    return ScenarioPlan(
        scenario=scenario,
        start=start,
        flows=tuple(flows),
        volumes=tuple(volumes),
        candidates=candidates,
        notes=tuple(dict.fromkeys((*notes, *best.notes, *own, *of_volumes))),
    )


def planned_candidate(
    name: str,
    record: "Candidate",
    scenario: "Scenario",
    flows: Sequence[Flow],
    path: SpecifiedPath,
    stack: Stack | None,
    start: datetime.date,
) -> CandidatePlan:
    """One candidate: its plan, what it costs, how long it lasts, and why it is not feasible."""
    policy, mtu_bytes = scenario.policy, None if record.mtu is None else record.mtu[0]
    result = CandidatePlan(name=name, path=path, mtu_bytes=mtu_bytes)
    # (1) adapters and CPUs for the planned volumes
    own = {key: getattr(record, key) for key in _AVAILABLE}
    available = {key: getattr(policy, key) if own[key] is None else own[key] for key in own}
    shares = policy.max_utilisation, policy.spares, policy.max_utilisation_after_failure
    try:
        demand = demand_of(flows, path, mtu_bytes, stack, physics_only=policy.physics_only)
        plan = plan_demand(demand, Headroom(*shares), available["adapters_available"])
    except NetmodelError as error:
        return replace(result, reasons=(f"cannot be planned: {error}",))
    # (2) what it costs, and what is not there
    cost, cost_notes = cost_of(plan, available)
    lacking = (
        f"needs {plain_number(cores)} {need.of_side} cores, and {need.of_side}_cpus is {there:,.0f}"
        for need in plan.cpu_needs
        for there, cores in [(available.get(f"{need.of_side}_cpus"), planned(need.core_count))]
        if there is not None and cores > there
    )
    result = replace(
        result,
        mtu_bytes=plan.mtu_bytes,
        plan=plan,
        reasons=(*plan.shortfalls, *lacking),
        cost=cost,
        notes=tuple(cost_notes),
        available=available,
    )
    if not result.is_feasible:
        return result
    # (3) how far the volumes may grow, and until when
    growths = [traffic.growth_per_year for traffic in scenario.traffic]
    ratio, binding = headroom_of(plan)
    growth = growth_of(plan, growths, start, scenario.horizon_years) if any(growths) else None
    return replace(result, headroom_ratio=ratio, headroom_binding=binding or None, growth=growth)


def cost_of(
    plan: Plan, available: Mapping[str, float | None]
) -> tuple[Predicted[float] | None, list[str]]:
    """Cost of adapters at both sides and of cores, end by end; and what it leaves out."""
    adapter_cost, core_cost = available.get("adapter_cost"), available.get("core_cost")
    if plan.chosen_count is None:
        return None, []
    parts, notes, missing = [], [], []
    if adapter_cost is not None:
        sides = sum(each is not None for each in (plan.client_adapter, plan.server_adapter))
        parts.append((plan.adapter_count, max(sides, 1) * adapter_cost))
    if core_cost is not None:
        needs = plan.cpu_needs
        parts += [(need.core_count, core_cost) for need in needs]
        missing = [side.value for side in Side if side not in {need.side for need in needs}]
    if missing:
        notes.append(f"cost leaves out {listed(missing)} cores: their CPU cost is not known")
    if not parts:
        return None, notes
    is_bound = missing or any(count.bound is Bound.LOWER for count, _ in parts)
    value, low, high = (
        sum(getattr(count, end) * each for count, each in parts) for end in ("value", "low", "high")
    )
    return Predicted(value, low, high, Bound.LOWER if is_bound else Bound.VALUE), notes


def rank_key(candidate: CandidatePlan, objective: str = "adapters") -> tuple[Any, ...]:
    """Sort key: feasible ones, the objective, all else that counts, the name."""
    plan = candidate.plan
    if plan is None:
        return (2,)

    def key(value: float | None) -> float:
        """A number without the rounding of floats; what is not known comes last."""
        return math.inf if value is None else float(f"{value:.{_KEY_DIGITS}g}")

    unknown_sides = len(Side) - len(candidate.cpu_needs)
    costs = unknown_sides, key(candidate.quoted_cost)
    adapters = (key(candidate.adapter_count),)
    cores = unknown_sides, key(candidate.core_count)
    first = {"cost": costs, "adapters": adapters, "cores": cores}[objective]
    evidence = -1 if plan.grade is None else plan.grade.rank
    uses = (stage.use_ratio for stage in plan.stages)
    most_used = max((planned(use) for use in uses if use is not None), default=0.0)
    rest = evidence, plan.mtu_bytes, plan.adapter_count.low, key(most_used), candidate.name
    return (not candidate.is_feasible, *first, *costs, *adapters, *cores, *rest)


def compare_plans(
    flows: Iterable[Flow],
    paths: Iterable[SpecifiedPath],
    mtus_bytes: Iterable[float | None],
    stack: Stack | None = None,
    *,
    headroom: Headroom = WITH_HEADROOM,
    physics_only: bool = False,
    adapters_available: int | None = None,
) -> Plans:
    """
    Plans of one demand on several paths, each with several MTUs.

    Parameters
    ----------
    flows : iterable of Flow
        The demand.
    paths : iterable of SpecifiedPath
        One adapter at each side and what is between.
    mtus_bytes : iterable of float
        Largest packets of the innermost interface; None for that of the path. [byte]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.
    headroom : Headroom
        Share of each stage that may be used, and how many adapters may fail.
    physics_only : bool
        Whether to leave out the bounds that documents print.
    adapters_available : int, optional
        Adapters at each side that there are; a plan that needs more does not hold.

    Returns
    -------
    plans : Plans
        Those that hold first, with fewer adapters first, and of as many those with
        fewer cores, better evidence, a smaller MTU, a narrower range and less in use.

    Raises
    ------
    DomainError
        If one of the plans cannot be made, as in `plan`.
    ContradictionError
        If what is known of adapters cannot be true together.

    Examples
    --------
    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = [parse_flow("40 Gbit/s str-writex30k")]
    >>> plans = compare_plans(demand, [SpecifiedPath(osa, osa)], [1500, 9000])
    >>> [(each.mtu_bytes, each.chosen_count) for each in plans]
    [(9000, 4), (1500, 6)]
    """
    flows = checked_flows(flows)
    require_kind("paths", paths, Iterable, "several SpecifiedPath, such as a list")
    require_kind("mtus_bytes", mtus_bytes, Iterable, "several MTUs, such as a list")
    mtus = tuple(mtus_bytes)
    demands = (
        demand_of(flows, path, mtu, stack, physics_only=physics_only)
        for path in paths
        for mtu in mtus
    )
    plans = [plan_demand(demand, headroom, adapters_available) for demand in demands]
    return Plans(sorted(plans, key=lambda each: rank_key(_candidate(each))))


# ---- In words


def answer_text(candidates: Sequence[CandidatePlan], currency: str = "") -> str:
    """Return what the best candidate needs, saves and until when, or why none holds."""
    best, *others = candidates
    plan, name = best.plan, f"{best.name}: " if best.name else ""
    if plan is None or (plan.holds and best.reasons):
        return f"No: {name}{best.reasons[0]}."
    if not best.is_feasible:
        return f"No: {name}{refusal_text(plan)}.{copied_text(plan)}"
    if not others and best.growth is None and best.cost is None:
        return name + need_text(plan)
    cost = "" if best.quoted_cost is None else f", {money_text(best.quoted_cost, currency)}"
    until = "" if best.growth is None else f", {best.growth.text}"
    needs = needs_text(plan, shows_spares=not cost and not until)
    feasible = [each for each in others if each.is_feasible]
    saving = _saving(best, feasible, currency) if others else ""
    reason = f"; {rate_of_one(plan, 'each')}" if others and not plan.cpu_needs else ""
    return f"{name}{needs}{cost}{saving}{until}{reason}.{copied_text(plan)}"


def _saving(best: CandidatePlan, others: Sequence[CandidatePlan], currency: str) -> str:
    """What the best candidate saves beside the next one that needs or costs more."""
    for other in others:
        if best.quoted_cost is None or other.quoted_cost is None:
            fewer = (other.adapter_count or 0) - (best.adapter_count or 0)
            if fewer > 0:
                return f", {counted(fewer, 'adapter')} fewer than {other.name}"
        elif other.quoted_cost > best.quoted_cost:
            less = money_text(other.quoted_cost - best.quoted_cost, currency)
            return f" ({less} less than {other.name})"
    if not others:
        return ", the only candidate that holds"
    return f", as many as {others[0].name if len(others) == 1 else 'the others'}"


def candidate_columns(candidates: Sequence[CandidatePlan], currency: str = "") -> list[Column]:
    """Return a row for each candidate: its needs, cost, headroom and bottleneck."""
    plans = [each.plan for each in candidates]

    def cells(text: Callable[[Plan], str]) -> list[str]:
        return ["" if plan is None else text(plan) for plan in plans]

    def known(value: float | None, text: Callable[[float], str]) -> str:
        return "" if value is None else text(value)

    pools = dict.fromkeys(
        f"{need.of_side} {need.unit}s" for p in candidates for need in p.cpu_needs
    )
    distances = cells(lambda plan: str(plan.distance or ""))
    is_feasible = [each.is_feasible for each in candidates]
    holds = ["" if all(is_feasible) else "yes" if each else "no" for each in is_feasible]
    costs = [known(each.quoted_cost, money_text) for each in candidates]
    growths = [each.growth.day_text if each.growth else "" for each in candidates]
    rooms = [
        known(each.headroom_ratio, lambda ratio: f"{WHOLE_PERCENT * (ratio - 1):+.0f} %")
        for each in candidates
    ]
    uses = [("", "", "") if plan is None else use_cells(plan) for plan in plans]
    ranges, in_use, after = zip(*uses, strict=True)
    return [
        Column("candidate", [_without_mtu(each) for each in candidates]),
        Column("MTU", [known(each.mtu_bytes, "{:g}".format) for each in candidates], True),
        Column("distance", distances if len(set(distances)) > 1 else [""] * len(plans)),
        Column("adapters", cells(lambda plan: bound_text(planned(plan.adapter_count))), True),
        *(Column(pool, cells(partial(_cores_cell, name=pool)), True) for pool in pools),
        Column(f"cost ({currency})" if currency else "cost", costs, is_number=True),
        Column("headroom", rooms, is_number=True, rank=1),
        Column("holds until", growths),
        Column("holds", holds),
        Column("range", ranges, rank=5),
        Column("bottleneck", cells(lambda plan: plan.binding), rank=2),
        Column("in use", in_use, is_number=True, rank=3),
        Column("after failure", after, is_number=True, rank=4),
        Column("evidence", cells(lambda plan: plan.grade.value if plan.grade else ""), rank=6),
    ]


def _without_mtu(candidate: CandidatePlan) -> str:
    """The name, without the MTU that has a column of its own; of a plan its equipment."""
    if candidate.path is None and candidate.plan is not None:
        return candidate.plan.equipment
    return candidate.name.removesuffix(f", MTU {candidate.mtu_bytes or 0:g}")


def _cores_cell(plan: Plan, name: str) -> str:
    needs = (each.core_count for each in plan.cpu_needs if f"{each.of_side} {each.unit}s" == name)
    return next((f"{count.bound.sign}{plain_number(planned(count))}" for count in needs), "")


def infeasible_text(candidates: Sequence[CandidatePlan], is_verbose: bool = False) -> str:
    """Return those that are not feasible, a line for those of the same reasons."""
    names: dict[str, list[str]] = {}
    for each in candidates:
        if not each.is_feasible:
            names.setdefault("; ".join(each.reasons), []).append(each.name)
    lines = []
    for reasons, same in names.items():
        few = same if is_verbose else same[:_SHOWN_NAMES]
        more = f"; and {len(same) - len(few):,} more" if len(same) > len(few) else ""
        lines.append(f"not feasible: {'; '.join(few)}{more}: {reasons}")
    return "\n".join(lines)


def details(shown: CandidatePlan) -> Iterator[str]:
    """Yield what a candidate needs and rests on, with what changed inputs need."""
    if shown.plan is None:
        return
    yield columns_table(need_columns(shown.plan))
    yield "\n".join([shown.plan.details(), *map(str, shown.plan.settings)])
    if not shown.available:
        return
    rows = [f"{each.name}: {each.basis}" for each in shown.volumes]
    for row in shown.sensitivities:
        count, cores, cost = row["adapter_count"], row["core_count"], row["cost"]
        parts = ["no number of adapters is enough" if count is None else f"{count:,} adapters"]
        parts += [] if cores is None else [f"{plain_number(cores)} cores"]
        priced = "" if cost is None else f", cost {money_text(cost)}"
        rows.append(f"with {row['change']}: {listed(parts)}{priced}")
    rows += [f"{more}: {ratio:.4g} times the volumes" for more, ratio in shown.prices.items()]
    if shown.held_ratio is not None:
        held = fixed_percent(shown.held_ratio, 1)
        rows.append(f"nothing is too small {held} of the time, if loads vary independently")
    yield "\n".join(rows)


def money_text(amount: float, currency: str = "") -> str:
    """Return an amount with its currency, such as "52,000 EUR"."""
    digits = 0 if float(amount).is_integer() or amount >= _MANY else 2
    return f"{amount:,.{digits}f} {currency}".strip()
