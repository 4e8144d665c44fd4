"""Plans of a scenario: each candidate for the planned volumes, ranked by the objective."""

import datetime
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from netmodel._display import short_repr, shortened
from netmodel._estimates import Bound, Predicted
from netmodel._frame import frame_of
from netmodel._html import definition_table, row_table
from netmodel._terminal import fitted
from netmodel._text import listed
from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.framing import Stack
from netmodel.planning._answer import plain_number
from netmodel.planning._demand import demand_of
from netmodel.planning._flows import Flow
from netmodel.planning._growth import Growth, VolumeHeadroom, growth_of
from netmodel.planning._growth import headroom_of as volume_headroom
from netmodel.planning._loads import loads_of
from netmodel.planning._plan import Plan, PoolNeed
from netmodel.planning._planner import plan_demand
from netmodel.planning._resources import Corner, Headroom, Spreading
from netmodel.planning._scenario_text import (
    answer,
    candidates_table,
    columns,
    detail_rows,
    infeasible_text,
    uses_table,
)
from netmodel.planning._transaction_time import TransactionTime, transaction_times
from netmodel.planning._volumes import PlannedVolume, joint_loads, sum_notes
from netmodel.planning._what_if import prices, probability, sensitivities

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.path import SpecifiedPath
    from netmodel.records.scenarios import Candidate, Policy, Scenario

_OF_MESSAGES = ("workload", "message", "payload")
"""Words of a case that says of which messages a CPU cost is."""
_OF_WHICH_MESSAGES = (
    "cost_measured_with names no workload: each class is taken to be what was measured"
)
_KEY_DIGITS = 10
"""Significant digits of a ranked number: more than any input has, fewer than rounding changes."""


BEHIND_JUDGED = "ranked behind candidates of which more targets are judged"
"""Note of a candidate whose times are not known, beside one that meets its targets."""


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
class CandidatePlan:
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
    headroom : VolumeHeadroom, optional
        How far all volumes may grow alike with the adapters and cores of the plan.
    growth : Growth, optional
        When growth exhausts these.
    available_growth : Growth, optional
        When it exhausts all adapters and CPUs that are available; None where their number is not
        given.
    prices : mapping of str to float
        How far all volumes may grow as planned, and with one adapter or core more.
    probability : Predicted, optional
        Share of the time in which it holds; None where no load is known to vary.
    times : tuple of TransactionTime
        Time of a transaction of each class at the planned loads, and whether it is within its
        target.
    available : mapping of str to float
        What there is of adapters and CPUs and what each costs, by the key of the scenario.
    """

    name: str
    path: "SpecifiedPath | None" = None
    mtu_bytes: float | None = None
    plan: Plan | None = None
    reasons: tuple[str, ...] = ()
    cost: Predicted[float] | None = None
    rank: int = 0
    notes: tuple[str, ...] = ()
    headroom: VolumeHeadroom | None = None
    growth: Growth | None = None
    available_growth: Growth | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    probability: Predicted[float] | None = None
    times: tuple[TransactionTime, ...] = ()
    available: Mapping[str, float | None] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_feasible(self) -> bool:
        """Whether it carries the planned volumes within the policy."""
        return not self.reasons

    @property
    def open_targets(self) -> tuple[str, ...]:
        """Targets for a transaction that are not judged, as notes."""
        return tuple(each.note for each in self.times if each.note)

    @property
    def adapter_count(self) -> int | None:
        """Adapters at each side; None where no number is enough, or no plan can be made."""
        return None if self.plan is None else self.plan.chosen_count

    @property
    def cpu_needs(self) -> tuple[PoolNeed, ...]:
        """CPUs of each side, as far as they are known."""
        return () if self.plan is None else cpu_needs(self.plan)

    @property
    def core_count(self) -> float | None:
        """Cores of all sides of which the CPU cost is known; None where it is of none."""
        if self.plan is None or not self.cpu_needs:
            return None
        return sum(self.plan.corner.of(need.core_count) for need in self.cpu_needs)

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

    @property
    def planned_headroom_ratio(self) -> float | None:
        """Factor by which all volumes may grow alike, at the corner of the plan."""
        if self.headroom is None or self.plan is None:
            return None
        return self.plan.corner.of_gain(self.headroom.volume_ratio)

    @property
    def quoted_cost(self) -> float | None:
        """The cost for which the plan is made."""
        return None if self.cost is None or self.plan is None else self.plan.corner.of(self.cost)

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        return {
            "name": self.name,
            "rank": self.rank,
            "is_feasible": self.is_feasible,
            "reasons": list(self.reasons),
            "mtu_bytes": self.mtu_bytes,
            "adapter_count": self.adapter_count,
            "core_count": self.core_count,
            "cost": self.cost and self.cost.to_dict(),
            "headroom": self.headroom and self.headroom.to_dict(),
            "growth": self.growth and self.growth.to_dict(),
            "available_growth": self.available_growth and self.available_growth.to_dict(),
            "prices": dict(self.prices),
            "sensitivities": list(self.sensitivities),
            "probability": self.probability and self.probability.to_dict(),
            "times": [time.to_dict() for time in self.times],
            "plan": self.plan and self.plan.to_dict(),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        count = "" if self.adapter_count is None else f"{self.adapter_count} adapters at each side"
        outcome = f"rank {self.rank}" if self.is_feasible else f"not feasible: {self.reasons[0]}"
        return short_repr(self, f"{shortened(self.name)}: {outcome}", count)


@dataclass(frozen=True, kw_only=True)
class ScenarioPlan:
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
    deciding_note_count : int
        Notes, from the first on, that change the decision: texts have all of them.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.records import data_path
    >>> result = netmodel.plan_scenario(data_path("examples", "scenarios", "order-system.toml"))
    >>> result.best.name
    'RoCE Express2.1, MTU 9000'
    """

    scenario: "Scenario"
    start: datetime.date
    flows: tuple[Flow, ...]
    volumes: tuple[PlannedVolume, ...]
    candidates: tuple[CandidatePlan, ...]
    notes: tuple[str, ...] = ()
    deciding_note_count: int = 0

    @property
    def title(self) -> str:
        """What is planned."""
        return self.scenario.title

    @property
    def horizon_years(self) -> float:
        """How far growth is followed."""
        return self.scenario.horizon_years

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
    def holds(self) -> bool:
        """Whether a candidate carries the planned volumes within the policy."""
        return self.best is not None

    @property
    def objective(self) -> str:
        """What the candidates are ranked by."""
        return objective_of(self.scenario)

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units, as in the JSON of ``netmodel plan``."""
        return {
            "answer": self.answer,
            "title": self.title,
            "start": self.start.isoformat(),
            "horizon_years": self.horizon_years,
            "holds": self.holds,
            "objective": self.objective,
            "policy": self.policy.model_dump(mode="json"),
            "flows": [flow.to_dict() for flow in self.flows],
            "volumes": [volume.to_dict() for volume in self.volumes],
            "candidates": [each.to_dict() for each in self.candidates],
            "notes": list(self.notes),
        }

    @property
    def answer(self) -> str:
        """The answer in a sentence."""
        return answer(self)

    def table(self, is_verbose: bool = False) -> str:
        """A row for each candidate, the feasible ones ranked."""
        return candidates_table(self, is_verbose)

    def infeasible_text(self, is_verbose: bool = False) -> str:
        """Those that are not feasible, with the reasons."""
        return infeasible_text(self, is_verbose)

    def details(self, is_verbose: bool = False) -> str:
        """What the best candidate needs and uses, or the first where none is feasible."""
        shown = self.candidates[0]
        if shown.plan is None:
            return ""
        uses = f"\n\n{uses_table(shown.plan)}\n" if is_verbose else ""
        rows = [f"{each.name}: {each.basis}" for each in self.volumes]
        rows += [f"{name}: {text}" for name, text in detail_rows(shown, is_verbose)]
        return "\n".join([shown.plan.details(is_verbose) + uses, *rows])

    @property
    def text(self) -> str:
        """All of it for people, but for its notes."""
        blocks = [self.answer, self.table(), self.infeasible_text(), self.details()]
        return "\n\n".join(filter(None, blocks))

    def __str__(self) -> str:
        return fitted("\n".join([self.text, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        return short_repr(self, self.answer)

    def _repr_html_(self) -> str:
        shown = [column for column in columns(self) if any(column.cells)]
        rows = list(zip(*(column.cells for column in shown), strict=True))
        table = row_table(self.answer, [column.head for column in shown], rows)
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
                "headroom_ratio": each.planned_headroom_ratio,
                "exhausted_on": each.growth and each.growth.exhausted_on,
                "binding": each.plan and each.plan.binding,
                "reasons": "; ".join(each.reasons),
            }
            for each in self.candidates
        ]
        return frame_of(rows, "candidate", {"cost": self.policy.currency or None})


def cpu_needs(plan: Plan) -> tuple[PoolNeed, ...]:
    """CPUs of the sides, of which the cost is known."""
    return tuple(pool for pool in plan.pools if pool.is_cpu and pool.side is not None)


def objective_of(scenario: "Scenario") -> str:
    """The objective, or that which the given costs make it."""
    if scenario.policy.objective is not None:
        return scenario.policy.objective
    tables = (scenario.policy, *scenario.candidate)
    has_costs = any(
        cost is not None for table in tables for cost in (table.adapter_cost, table.core_cost)
    )
    return "cost" if has_costs else "adapters"


def headroom_of(policy: "Policy") -> Headroom:
    """What may be used and what may fail."""
    return Headroom(
        policy.max_utilisation,
        policy.spares,
        policy.max_utilisation_after_failure,
        policy.spare_cores,
    )


def plan_scenario(
    scenario: "Scenario",
    flows: Sequence[Flow],
    volumes: Sequence[PlannedVolume],
    cases: Iterable[CandidateCase],
    start: datetime.date,
    notes: Iterable[str] = (),
) -> ScenarioPlan:
    """Plans of all cases for the planned volumes, ranked by the objective."""
    joint = joint_loads(volumes, scenario.policy.quantile)
    planned = [_planned(case, scenario, flows, volumes, start) for case in cases]
    objective = objective_of(scenario)
    ranked = [
        replace(each, notes=(*each.notes, BEHIND_JUDGED)) if _is_behind(each, planned) else each
        for each in sorted(planned, key=lambda each: _order(each, objective))
    ]
    candidates = tuple(replace(each, rank=rank) for rank, each in enumerate(ranked, start=1))
    best = candidates[0]
    of_volumes = [
        *sum_notes(volumes, joint),
        *(note for each in volumes for note in each.notes),
    ]
    own = () if best.plan is None else best.plan.notes
    deciding = [*notes, *(() if best.plan is None else own[: best.plan.deciding_note_count])]
    return ScenarioPlan(
        scenario=scenario,
        start=start,
        flows=tuple(flows),
        volumes=tuple(volumes),
        candidates=candidates,
        notes=tuple(dict.fromkeys((*deciding, *of_volumes, *best.notes, *own))),
        deciding_note_count=len(deciding),
    )


def _planned(
    case: CandidateCase,
    scenario: "Scenario",
    flows: Sequence[Flow],
    volumes: Sequence[PlannedVolume],
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
            flows,
            case.path,
            case.mtu_bytes,
            case.stack,
            spreading=Spreading(policy.spreading),
            physics_only=policy.physics_only,
            joint=joint_loads(volumes, policy.quantile),
        )
        most = available["adapters_available"]
        plan = plan_demand(
            demand,
            headroom_of(policy),
            Corner(policy.plan_on),
            None if most is None else int(most),
        )
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
    measured, sizes = case.record.cost_measured_with, {f.traffic.exchanged_bytes for f in flows}
    if (
        measured is not None
        and not any(word in measured for word in _OF_MESSAGES)
        and len(sizes) > 1
    ):
        result = replace(result, notes=(*result.notes, _OF_WHICH_MESSAGES))
    # (3) how long transactions take, where answers are awaited
    times = transaction_times(demand, plan, _targets_s(scenario, flows))
    late = filter(None, (time.reason_against for time in times))
    result = replace(
        result,
        times=times,
        reasons=(*result.reasons, *late),
        notes=(*result.notes, *(time.note for time in times if time.note)),
    )
    # (4) how far the volumes may grow, until when, and what a failure leaves
    loads = loads_of(demand, plan)
    growths = [traffic.growth_per_year for traffic in scenario.traffic]
    grow = partial(
        growth_of,
        growth_per_year_ratios=growths,
        start=start,
        horizon_years=scenario.horizon_years,
        corner=plan.corner,
    )
    present = {
        side: count for side in Side if (count := available[f"{side.value}_cpus"]) is not None
    }
    everything = None
    if any(growths) and (most is not None or present):
        count = None if most is None else int(most)
        everything = grow(loads_of(demand, plan, adapter_count=count, core_counts=present))
    return replace(
        result,
        headroom=volume_headroom(loads, plan.corner),
        growth=grow(loads) if any(growths) else None,
        available_growth=everything,
        prices=prices(plan),
        probability=probability(loads, volumes),
    )


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
    for need in cpu_needs(plan):
        assert need.side is not None
        there = available[f"{need.side.value}_cpus"]
        cores = plan.corner.of(need.core_count)
        if there is not None and cores > there:
            yield (
                f"needs {plain_number(cores)} {need.side.value} cores, and "
                f"{need.side.value}_cpus is {there:,.0f}"
            )


def _targets_s(scenario: "Scenario", flows: Sequence[Flow]) -> list[float | None]:
    """What a transaction of each class may take; that of the policy where answers are awaited."""
    of_all = scenario.policy.max_transaction_time
    return [
        (of_all if flow.traffic.waits else None)
        if traffic.max_transaction_time is None
        else traffic.max_transaction_time
        for traffic, flow in zip(scenario.traffic, flows, strict=True)
    ]


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
    needs = cpu_needs(plan)
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


def _is_behind(candidate: CandidatePlan, others: Sequence[CandidatePlan]) -> bool:
    """Whether another candidate has fewer targets that are not judged, and so ranks before it."""
    return candidate.is_feasible and any(
        each.is_feasible and len(each.open_targets) < len(candidate.open_targets) for each in others
    )


def _order(candidate: CandidatePlan, objective: str) -> tuple[Any, ...]:
    """Sort key: feasible ones, judged targets, the objective, all else that counts, the name."""
    plan = candidate.plan
    if plan is None:
        return (2,)
    unknown_sides = len(Side) - len(candidate.cpu_needs)
    costs = unknown_sides, _key(candidate.quoted_cost)
    adapters = (_key(candidate.adapter_count),)
    cores = unknown_sides, _key(candidate.core_count)
    longest = candidate.available_growth or candidate.growth
    years = math.inf if longest is None else plan.corner.of_gain(longest.years)
    growth = (-_key(years),)
    first = {"cost": costs, "adapters": adapters, "cores": cores, "growth": growth}[objective]
    evidence = -1 if plan.grade is None else plan.grade.rank
    uses = (stage.use_ratio for stage in plan.stages)
    most_used = max((plan.corner.of(use) for use in uses if use is not None), default=0.0)
    rest = (*costs, *adapters, *cores, evidence, _key(most_used), candidate.name)
    open_targets = len(candidate.open_targets)
    return (0 if candidate.is_feasible else 1, open_targets, *first, *rest)


def _key(value: float | None) -> float:
    """A number to rank by, without the rounding of floats; what is not known comes last."""
    return math.inf if value is None else float(f"{value:.{_KEY_DIGITS}g}")
