"""Candidates beside each other: ranked, priced, followed as volumes grow, and the decision."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from netmodel.consumption import Side
from netmodel.framing import Stack
from netmodel.numeric import require_kind
from netmodel.path import SpecifiedPath
from netmodel.planning.demand import Headroom, checked_flows, demand_of, planned
from netmodel.planning.flows import Flow
from netmodel.planning.notes import plain_number, title_of
from netmodel.planning.plans import Plan, bound_text, counted, money_text
from netmodel.planning.volumes import PlannedVolume, sum_notes
from netmodel.results import Result, short_repr
from netmodel.terminal import Column, Listing, Shown

if TYPE_CHECKING:
    from netmodel.records.scenarios import Scenario

WITH_HEADROOM = Headroom()
_WORDS = ("candidate", "distance", "full in", "holds", "bottleneck", "evidence")
_RANKS = {"headroom": 1, "bottleneck": 2, "evidence": 3}
"""Columns that are not numbers, and those that leave narrow terminals: the highest first."""
_KEY_DIGITS = 10
"""Significant digits of a ranked number: more than any input has, fewer than rounding changes."""


def rank_key(plan: Plan, objective: str = "adapters") -> tuple[Any, ...]:
    """Return the sort key: plans that hold first, then objective, other needs and name."""

    def key(value: float | None) -> float:
        """Return a number without float rounding; an unknown one sorts last."""
        return math.inf if value is None else float(f"{value:.{_KEY_DIGITS}g}")

    unknown_sides, last = len(Side) - len(plan.cpu_needs), plan.last
    cost, cores = key(last.quoted_cost), key(last.core_count)
    counted = {"cost": cost, "adapters": key(last.chosen_count), "cores": cores}
    evidence = -1 if plan.grade is None else plan.grade.rank
    most_used = max((planned(x.use_ratio) for x in plan.stages if x.use_ratio), default=0.0)
    rest = evidence, plan.mtu_bytes, plan.adapter_count.low, key(most_used), plan.name
    numbers = [(unknown_sides * (x != "adapters"), counted[x]) for x in (objective, *counted)]
    return (not plan.holds, not last.holds, *numbers, *rest)


@dataclass(frozen=True, repr=False)
class RankedPlan(Result):
    """
    A candidate of a scenario, as JSON has it.

    Parameters
    ----------
    plan : Plan
        What it needs.
    rank : int
        From 1 up, the best first.
    """

    plan: Plan
    rank: int

    json_keys = (
        "name=plan.name rank is_feasible=plan.holds reasons=plan.shortfalls "
        "mtu_bytes=plan.mtu_bytes adapter_count=plan.chosen_count core_count=plan.core_count "
        "cost=plan.cost headroom_ratio=plan.headroom_ratio headroom_binding=plan.headroom_binding "
        "horizon_adapter_count=plan.last.chosen_count horizon_core_count=plan.last.core_count "
        "horizon_cost=plan.last.cost growth=plan.growth sensitivities=plan.sensitivities "
        "plan notes=plan.cost_notes"
    )


class _Ranked(Shown):
    """Plans of one demand, the best first: the decision and a table."""

    __slots__ = ()
    candidates: Sequence[Plan]
    names: Sequence[str]

    @property
    def first(self) -> Plan:
        """The one that holds, or is nearest to it."""
        return self.candidates[0]

    @property
    def holds(self) -> bool:
        """True if a candidate carries the demand within the policy."""
        return self.first.holds

    @property
    def answer(self) -> str:
        """Needs and saving of the best candidate and how long it holds, or why none does."""
        saving = self._saving if self.holds and len(self.candidates) > 1 else ""
        return self.first.decision(self.names[0], saving)

    @property
    def _saving(self) -> str:
        """Candidates that tie with the best, and its saving over the next one."""
        pairs = zip(self.names, self.candidates, strict=True)
        (_, best), *others = (pair for pair in pairs if pair[1].holds)
        ties, saved = [], ""
        for name, other in others:
            pair, keys = (best.last, other.last), {"cost": "quoted_cost"}
            if None in (best.quoted_cost, other.quoted_cost):
                keys = {best.noun: "chosen_count", "core": "core_count"}
            known = ((noun, *(getattr(x, key) for x in pair)) for noun, key in keys.items())
            less = ((noun, b - a) for noun, a, b in known if None not in (a, b) and a != b)
            noun, difference = next(less, ("", 0.0))
            if not noun:
                ties.append(name)
            elif difference > 0 and not saved:
                saved = f", {counted(difference, noun)} fewer than {name}"
                if noun == "cost":
                    saved = f" ({money_text(difference, best.currency)} less than {name})"
        if not others:
            return ", the only candidate that holds"
        if not ties:
            return saved
        few = ties[0] if len(ties) == 1 else f"{len(ties)} others"
        some = "the others" if len(ties) == len(others) > 1 else few
        return f", as many as {some}" if best.quoted_cost is None else f", as much as {some}{saved}"

    @property
    def columns(self) -> list[Column]:
        """A row for each candidate; of a single one what each side needs."""
        is_one = len(self.candidates) == 1 and self.first.scenario is None
        return self.first.columns if is_one else candidate_columns(self.candidates)

    def grounds(self) -> list[tuple[str, str]]:
        """Return each candidate that does not hold, at first or later, with the reasons."""
        pairs = [*zip(self.names, self.candidates, strict=True)]
        late = [(f"only until {y.available_until}: {x}", y.last) for x, y in pairs if y.holds]
        failing = [(f"not feasible: {x}", y) for x, y in pairs if not y.holds]
        return [(name, "; ".join(y.shortfalls)) for name, y in failing + late if y.shortfalls]


class Plans(_Ranked, Listing[Plan]):
    """
    Plans of one demand, the best first; shown as a table of candidates.

    Examples
    --------
    >>> import netmodel
    >>> netmodel.plan("18 Gbit/s in", adapters="osa-express7s-25gbe", mtu_bytes=1500).answer
    'At least 3 adapters (2 + 1 spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU 1500.'
    """

    __slots__ = ()

    @property
    def candidates(self) -> Sequence[Plan]:  # type: ignore[override]
        """The plans."""
        return self

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """Names of each by what tells it from the others."""
        ids, titles = [each.equipment for each in self], []
        for each in self:
            both = dict.fromkeys(title_of(each.demand, side) for side in Side)
            titles.append(" to ".join(filter(None, both)) or each.equipment)
        parts = [
            titles if len(set(titles)) == len(set(ids)) else ids,
            [f"MTU {each.mtu_bytes:g}" for each in self],
            [str(each.demand.path.distance or "") for each in self],
        ]
        varied = [texts for texts in parts if len(set(texts)) > 1] or [[""] * len(self)]
        return [", ".join(filter(None, row)) for row in zip(*varied, strict=True)]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the best plan."""
        return self[0].notes


@dataclass(frozen=True, kw_only=True)
class ScenarioPlan(_Ranked, Result):
    """
    The candidates of a scenario, ranked, and what the best needs.

    Parameters
    ----------
    scenario : Scenario
        What was asked, with all that overrides the file, and the day on which the volumes hold.
    objective : str
        By what candidates are ranked, or what the given costs make it.
    flows : tuple of Flow
        The traffic at its planned rates.
    volumes : tuple of PlannedVolume
        Where these come from, of each flow.
    candidates : tuple of Plan
        Those that hold first, the best of them first.
    first_notes : tuple of str
        What the scenario is answered with.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.records import data_path
    >>> result = netmodel.plan_scenario(data_path("examples", "scenarios", "order-system.toml"))
    >>> result.best.name
    'RoCE Express2.1, MTU 1500'
    """

    scenario: "Scenario"
    objective: str
    flows: tuple[Flow, ...]
    volumes: tuple[PlannedVolume, ...]
    candidates: tuple[Plan, ...]
    first_notes: tuple[str, ...] = ()

    json_keys = (
        "answer title=scenario.title start=scenario.start horizon_years=scenario.horizon_years "
        "holds objective policy=scenario.policy flows volumes candidates=ranking notes"
    )

    @property
    def ranking(self) -> tuple[RankedPlan, ...]:
        """The candidates with their ranks."""
        return tuple(RankedPlan(each, n) for n, each in enumerate(self.candidates, start=1))

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """Names of the candidates."""
        return [each.name for each in self.candidates]

    @property
    def best(self) -> Plan | None:
        """The first that holds; None where none does."""
        return self.first if self.holds else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats and assumptions of the answer, most important first."""
        of_volumes = [*sum_notes(self.volumes), *(x for each in self.volumes for x in each.notes)]
        values = [_amount_text(x.last, self.objective) for x in self.candidates if x.holds]
        keys = dict.fromkeys((self.objective, "cost", "adapters", "cores"))
        order = f"ranked by {', '.join(keys)}, evidence and smaller MTU, in this order"
        ties = [order] if len({*values}) < len(values) else []
        own = *self.first_notes, *ties, *self.first.cost_notes, *self.first.notes
        return tuple(dict.fromkeys((*own, *of_volumes)))

    def __repr__(self) -> str:
        return short_repr(self, self.answer)


def objective_of(scenario: "Scenario") -> str:
    """Return the objective of a scenario: cost where costs are given, else adapters."""
    tables = (scenario.policy, *scenario.candidate)
    has_costs = any(each.adapter_cost is not None or each.core_cost is not None for each in tables)
    return scenario.policy.objective or ("cost" if has_costs else "adapters")


def plan(
    flows: Iterable[Flow],
    path: SpecifiedPath,
    mtu_bytes: float | None = None,
    stack: Stack | None = None,
    *,
    headroom: Headroom = WITH_HEADROOM,
    physics_only: bool = False,
    adapters_available: int | None = None,
) -> Plan:
    r"""
    Plan adapters and CPUs for a demand on a path, with headroom and spares.

    Parameters
    ----------
    flows : iterable of Flow
        The demand: everything that is sent at the same time, in either direction.
    path : SpecifiedPath
        One adapter at each side and what is between. Its sender is the side that
        sends more of all payload, the client when equal.
    mtu_bytes : float, optional
        Largest packet of the innermost interface; that of the path when left
        out, or where that is smaller. [byte]
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
    plan : Plan
        With the fewest adapters at each side that leave the headroom, as a range
        over all values that parameters may have together.

    Raises
    ------
    DomainError
        If there is no flow, no MTU is given, an MTU or message does not fit the
        headers, or nothing limits the path.
    ContradictionError
        If what is known of the adapters cannot be true together.

    Notes
    -----
    .. math:: n = \max_r \max\left(\left\lceil \frac{L_r}{u_{max}} \right\rceil,
        \left\lceil \frac{L_r}{u_{fail}} \right\rceil + f\right), \qquad
        L_r = \frac{\sum_k y_k\, d_{rk}}{C_r}

    with :math:`y_k` the transactions per second of flow :math:`k`,
    :math:`d_{rk}` what each takes of stage :math:`r` of one adapter and
    :math:`C_r` its servers. Each direction of each adapter and of its line is a
    stage of its own, with its own frames and messages. Stages that do not
    belong to an adapter, and limits of single flows, do not improve with more of
    them: where they are too small, the plan says so.

    A printed ratio that bounds a flow more tightly than its path counts as one more stage of an
    adapter (see `netmodel.published`).

    Where :math:`N` connections are given, the adapter that has most of them
    counts: its share, :math:`\lceil N/n \rceil / N`, takes the place of :math:`1/n`. Flows are
    taken to have their largest shares on the same adapter.

    Where the rate of the connections of a flow is expected, as in a prediction of this flow alone
    over :math:`n` adapters, it has to reach the planned rate, also with :math:`n - f`.

    Not in it: bursts within the time that the rates are means of, and CPU
    times that the path does not have.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law and
    the bottleneck.

    Examples
    --------
    40 Gbit/s into adapters of 13.4 Gbit/s at MTU 1500:

    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> needs = plan([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> needs.chosen_count, needs.binding
    (6, 'server_adapter_in')
    """
    demand = demand_of(flows, path, mtu_bytes, stack, physics_only=physics_only)
    return Plan(demand=demand, headroom=headroom, adapters_available=adapters_available)


def compare_plans(
    flows: Iterable[Flow],
    paths: Iterable[SpecifiedPath],
    mtus_bytes: Iterable[float | None],
    stack: Stack | None = None,
    **policy: Any,
) -> Plans:
    """
    Plan one demand on several paths, each with several MTUs.

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
    **policy
        As in `plan`: `headroom`, `physics_only`, `adapters_available`.

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
    plans = [plan(flows, path, mtu, stack, **policy) for path in paths for mtu in mtus]
    return Plans(sorted(plans, key=rank_key))


def _amount_text(plan: Plan, objective: str) -> str:
    """Return the adapters, cores or cost of a plan; empty where they are not known."""
    if objective == "adapters":
        return bound_text(plan.adapter_count)
    if objective == "cores":
        return "" if plan.core_count is None else plain_number(plan.core_count)
    return "" if plan.cost is None else f"{plan.cost.bound.sign}{money_text(planned(plan.cost))}"


def candidate_columns(candidates: Sequence[Plan]) -> list[Column]:
    """Return a row for each candidate: its needs, cost, headroom and bottleneck."""
    currency = candidates[0].currency
    pools = {f"{need.title}s": "" for each in candidates for need in each.cpu_needs}
    distances = {each.demand.path.distance for each in candidates}
    is_one_refused = not all(each.holds for each in candidates)
    priced = (each.sides_without_cost for each in candidates if each.cost)
    left_out = {side.value for side in Side}.intersection(*priced)
    scenario, later = candidates[0].scenario, [each for each in candidates if each.last is not each]
    objective = objective_of(scenario) if scenario and later else ""
    horizon = f"{objective} in {candidates[0].years}".removeprefix("cost ")  # beside the cost
    cost_head = f"cost ({currency})" if currency else "cost"

    def cells(plan: Plan) -> dict[str, str]:
        room, cost, distance = plan.headroom_ratio, plan.cost, plan.demand.path.distance
        # beside a cost that leaves out less
        more = " and ".join(each for each in plan.sides_without_cost if each not in left_out)
        last = _amount_text(plan.last, objective) if plan.last.holds else "no"
        return {
            "candidate": plan.name.removesuffix(f", MTU {plan.mtu_bytes:g}") or plan.equipment,
            "MTU": f"{plan.mtu_bytes:g}",
            "distance": str(distance or "") if len(distances) > 1 else "",
            f"{candidates[0].noun}s": bound_text(plan.adapter_count),
            **pools,
            **{f"{need.title}s": bound_text(need.core_count) for need in plan.cpu_needs},
            cost_head: _amount_text(plan, "cost") + (f" + {more} cores" if cost and more else ""),
            horizon: last if objective and plan.holds else "",
            "headroom": "" if room is None else f"{100 * (room - 1):+.0f} %",
            "full in": plan.growth.day_text if plan.growth else "",
            "holds": ("yes" if plan.holds else "no") if is_one_refused else "",
            "bottleneck": plan.binding,
            "evidence": plan.grade.value if plan.grade else "",
        }

    rows = [cells(each) for each in candidates]
    return [
        Column(head, [row[head] for row in rows], head not in _WORDS, _RANKS.get(head, 0))
        for head in rows[0]
    ]
