"""Candidates beside each other: ranked, priced, followed as volumes grow, and the decision."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from netmodel.consumption import Side
from netmodel.estimates import Bound, Predicted, combined
from netmodel.framing import Stack
from netmodel.html import definition_table
from netmodel.numeric import require_kind
from netmodel.path import SpecifiedPath
from netmodel.planning.demand import Headroom, checked_flows, demand_of, planned
from netmodel.planning.flows import Flow
from netmodel.planning.notes import plain_number
from netmodel.planning.plans import (
    Plan,
    adapter_name,
    bound_text,
    copied_text,
    counted,
    need_columns,
    needs_text,
    rate_of_one,
    refusal_text,
)
from netmodel.planning.volumes import PlannedVolume, sum_notes
from netmodel.planning.what_if import (
    HEADROOM_STEP,
    Growth,
    growth_of,
    headroom_of,
    prices,
    probability,
    sensitivities,
    too_small,
)
from netmodel.results import Result, short_repr
from netmodel.terminal import Column, Listing, columns_html, columns_table, fitted
from netmodel.text import fixed_percent, listed
from netmodel.units.prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    from netmodel.records.scenarios import Scenario

WITH_HEADROOM = Headroom()
_MANY = 1000
"""Amounts of money from which on parts of a unit are not read."""
_SHOWN_ROWS = 20
"""Candidates in a table that is read on a screen; --verbose prints all."""
_SHOWN_NAMES = 3
"""Candidates that fail, with their reasons; --verbose prints all."""
_KEY_DIGITS = 10
"""Significant digits of a ranked number: more than any input has, fewer than rounding changes."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CandidatePlan(Result):
    """
    What a candidate needs, and whether it holds.

    Parameters
    ----------
    name : str
        As in the scenario, with the MTU or what else varies in it; or what tells it from others.
    plan : Plan
        Adapters and CPUs for the planned volumes.
    rank : int
        From 1 up, the best first.
    available : mapping of str to float
        What there is of adapters and CPUs and what each costs, by the key of the scenario.
    scenario : Scenario, optional
        What was asked, where it is a candidate of one.
    volumes : tuple of PlannedVolume
        What it is planned for.
    """

    name: str
    plan: Plan
    rank: int = 0
    available: Mapping[str, float | None] = field(default_factory=dict, repr=False)
    scenario: "Scenario | None" = field(default=None, repr=False)
    volumes: tuple[PlannedVolume, ...] = field(default=(), repr=False)

    json_keys = (
        "name rank is_feasible reasons mtu_bytes=plan.mtu_bytes adapter_count "
        "core_count cost headroom_ratio headroom_binding growth sensitivities plan notes"
    )

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why it is infeasible; empty where it is feasible."""
        lacking = (
            f"needs {plain_number(cores)} {need.of_side} cores, and {key} is {there:,.0f}"
            for need in self.plan.cpu_needs
            for key, cores in [(f"{need.of_side}_cpus", planned(need.core_count))]
            for there in [self.available.get(key)]
            if there is not None and cores > there
        )
        return (*self.plan.shortfalls, *lacking)

    @property
    def is_feasible(self) -> bool:
        """Whether it carries the planned volumes within the policy."""
        return not self.reasons

    @property
    def adapter_count(self) -> int | None:
        """Adapters at each side; None where no number is enough."""
        return self.plan.chosen_count

    @property
    def core_count(self) -> float | None:
        """Cores of all sides of which the CPU cost is known; None where it is of none."""
        counts = [planned(need.core_count) for need in self.plan.cpu_needs]
        return sum(counts) if counts else None

    @property
    def _unpriced(self) -> list[str]:
        """Sides whose cores cost something, and whose number is not known."""
        known = {need.pool.side for need in self.plan.cpu_needs}
        is_priced = None not in (self.plan.chosen_count, self.available.get("core_cost"))
        return [side.value for side in Side if is_priced and side not in known]

    @cached_property
    def cost(self) -> Predicted[float] | None:
        """Of adapters at both sides and of cores, end by end; None where no costs are given."""
        own, demand = self.plan, self.plan.demand
        sides = 1 + (None not in (demand.client_adapter, demand.server_adapter))
        parts = [(own.adapter_count, sides, self.available.get("adapter_cost"))]
        parts += [(need.core_count, 1, self.available.get("core_cost")) for need in own.cpu_needs]
        costs = [count.scaled(number * each) for count, number, each in parts if each is not None]
        if not costs or own.chosen_count is None:
            return None
        is_bound = self._unpriced or any(each.bound is Bound.LOWER for each in costs)
        return combined(sum, costs, Bound.LOWER if is_bound else Bound.VALUE)

    @property
    def quoted_cost(self) -> float | None:
        """The cost for which the plan is made."""
        return None if self.cost is None else planned(self.cost)

    @cached_property
    def headroom_ratio(self) -> float | None:
        """Factor by which all volumes may grow alike with the adapters and cores of the plan."""
        return headroom_of(self.plan) if self.scenario and self.is_feasible else None

    @property
    def headroom_binding(self) -> str | None:
        """Stage, CPUs or limit that is too small beyond it."""
        ratio = self.headroom_ratio
        return None if ratio is None else too_small(self.plan, ratio + HEADROOM_STEP) or None

    @cached_property
    def growth(self) -> Growth | None:
        """When growth exhausts the adapters and cores of the plan; None where nothing grows."""
        growths = [each.growth_per_year_ratio for each in self.volumes]
        asked = self.scenario
        if asked is None or asked.start is None or not any(growths) or not self.is_feasible:
            return None
        return growth_of(self.plan, growths, asked.start, asked.horizon_years)

    @property
    def notes(self) -> tuple[str, ...]:
        """What its numbers leave out."""
        if not self._unpriced:
            return ()
        return (f"cost leaves out {listed(self._unpriced)} cores: their CPU cost is not known",)

    @cached_property
    def sensitivities(self) -> tuple[dict[str, Any], ...]:
        """Adapters, cores and cost with one input changed, a row for each change."""
        rows = []
        for change, plan in sensitivities(self.plan).items():
            changed = replace(self, plan=plan)
            known = {"adapter_count": plan.chosen_count, "core_count": changed.core_count}
            rows.append({"change": change, **known, "cost": changed.quoted_cost})
        return tuple(rows)

    @cached_property
    def prices(self) -> dict[str, float]:
        """Factors by which all volumes may grow with one adapter, or one core, more."""
        return prices(self.plan) if self.is_feasible else {}

    @cached_property
    def held_ratio(self) -> float | None:
        """Share of the time in which nothing of the plan is too small; None for steady volumes."""
        return probability(self.plan, self.volumes) if self.is_feasible else None


def rank_key(candidate: CandidatePlan, objective: str = "adapters") -> tuple[Any, ...]:
    """Sort key: feasible ones, the objective, all else that counts, the name."""

    def key(value: float | None) -> float:
        """A number without the rounding of floats; what is not known comes last."""
        return math.inf if value is None else float(f"{value:.{_KEY_DIGITS}g}")

    plan = candidate.plan
    unknown_sides = len(Side) - len(plan.cpu_needs)
    costs = unknown_sides, key(candidate.quoted_cost)
    adapters = (key(plan.chosen_count),)
    cores = unknown_sides, key(candidate.core_count)
    first = {"cost": costs, "adapters": adapters, "cores": cores}[objective]
    evidence = -1 if plan.grade is None else plan.grade.rank
    uses = (stage.use_ratio for stage in plan.stages)
    most_used = max((planned(use) for use in uses if use is not None), default=0.0)
    rest = evidence, plan.mtu_bytes, plan.adapter_count.low, key(most_used), candidate.name
    return (not candidate.is_feasible, *first, *costs, *adapters, *cores, *rest)


class _Ranked:
    """Candidates, the best first: the decision and a table."""

    __slots__ = ()
    candidates: Sequence[CandidatePlan]
    currency = ""

    @property
    def first(self) -> CandidatePlan:
        """The one that is feasible, or nearest to it."""
        return self.candidates[0]

    @property
    def holds(self) -> bool:
        """Whether a candidate carries the demand, and within the policy."""
        return self.first.is_feasible

    @property
    def answer(self) -> str:
        """What the best candidate needs, saves and until when, or why none holds."""
        best, *others = self.candidates
        plan, name = best.plan, f"{best.name}: " if best.name else ""
        if not best.is_feasible:
            reason = best.reasons[0] if plan.holds else refusal_text(plan)
            return f"No: {name}{reason}.{copied_text(plan)}"
        cost = (
            "" if best.quoted_cost is None else f", {money_text(best.quoted_cost, self.currency)}"
        )
        until = "" if best.growth is None else f", {best.growth.text}"
        needs = needs_text(plan, shows_spares=not cost and not until)
        saving = reason = ""
        if others:
            saving = self._saving
            reason = "" if plan.cpu_needs else f"; {rate_of_one(plan, 'each')}"
        elif not cost and not until:
            reason = f": {rate_of_one(plan, shows_share=not plan.cpu_needs)}"
        text = f"{needs}{cost}{saving}{until}{reason}.{copied_text(plan)}"
        return name + text if name else text[0].upper() + text[1:]

    @property
    def _saving(self) -> str:
        """What the best candidate saves beside the next one that needs or costs more."""
        best, *others = (each for each in self.candidates if each.is_feasible)
        for other in others:
            if best.quoted_cost is None or other.quoted_cost is None:
                fewer = (other.plan.chosen_count or 0) - (best.plan.chosen_count or 0)
                if fewer > 0:
                    return f", {counted(fewer, 'adapter')} fewer than {other.name}"
            elif other.quoted_cost > best.quoted_cost:
                less = money_text(other.quoted_cost - best.quoted_cost, self.currency)
                return f" ({less} less than {other.name})"
        if not others:
            return ", the only candidate that holds"
        return f", as many as {others[0].name if len(others) == 1 else 'the others'}"

    @property
    def columns(self) -> list[Column]:
        """A row for each candidate; of a single one what each side needs."""
        if len(self.candidates) == 1 and self.first.scenario is None:
            return need_columns(self.first.plan)
        return candidate_columns(self.candidates, self.currency)

    def blocks(self, is_verbose: bool = False) -> list[str]:
        """The answer, a row for each candidate, why some do not hold; or all details."""
        shown, left_out = self.columns, 0
        if len(self.candidates) > 1 and not is_verbose:
            left_out = max(len(self.candidates) - _SHOWN_ROWS, 0)
            shown = [each._replace(cells=each.cells[:_SHOWN_ROWS]) for each in shown]
        more = f"\n{left_out:,} more candidates with --verbose" if left_out else ""
        blocks = [self.answer, columns_table(shown, is_verbose) + more]
        if len(self.candidates) > 1:
            blocks.append(infeasible_text(self.candidates, is_verbose))
        if is_verbose and (len(self.candidates) > 1 or self.first.scenario is not None):
            blocks.append(columns_table(need_columns(self.first.plan)))
        return [*blocks, *(details(self.first) if is_verbose else [])]


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
    def candidates(self) -> tuple[CandidatePlan, ...]:  # type: ignore[override]
        """Each by what tells it from the others."""
        ids, titles = [each.equipment for each in self], []
        for each in self:
            names = dict.fromkeys(adapter_name(each, side) for side in Side)
            titles.append(" to ".join(filter(None, names)) or each.equipment)
        parts = [
            titles if len(set(titles)) == len(set(ids)) else ids,
            [f"MTU {each.mtu_bytes:g}" for each in self],
            [str(each.demand.path.distance or "") for each in self],
        ]
        varied = [texts for texts in parts if len(set(texts)) > 1] or [[""] * len(self)]
        labels = (", ".join(filter(None, row)) for row in zip(*varied, strict=True))
        return tuple(
            CandidatePlan(name=name, plan=each) for name, each in zip(labels, self, strict=True)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the best."""
        return self[0].notes


@dataclass(frozen=True, kw_only=True, eq=False)
class ScenarioPlan(_Ranked, Result):
    """
    The candidates of a scenario, ranked, and what the best needs.

    Parameters
    ----------
    scenario : Scenario
        What was asked, with all that overrides the file, and the day on which the volumes hold.
    flows : tuple of Flow
        The traffic at its planned rates.
    volumes : tuple of PlannedVolume
        Where these come from, of each flow.
    candidates : tuple of CandidatePlan
        Feasible ones first, the best of them first.
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
    flows: tuple[Flow, ...]
    volumes: tuple[PlannedVolume, ...]
    candidates: tuple[CandidatePlan, ...]
    first_notes: tuple[str, ...] = ()

    json_keys = (
        "answer title=scenario.title start=scenario.start horizon_years=scenario.horizon_years "
        "holds objective policy=scenario.policy flows volumes candidates prices=first.prices "
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
    def notes(self) -> tuple[str, ...]:
        """What the answer leaves out or rests on, most important first."""
        of_volumes = [*sum_notes(self.volumes), *(x for each in self.volumes for x in each.notes)]
        own = *self.first_notes, *self.first.notes, *self.first.plan.notes
        return tuple(dict.fromkeys((*own, *of_volumes)))

    def __str__(self) -> str:
        text = "\n\n".join(filter(None, self.blocks()))
        return fitted("\n".join([text, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        return short_repr(self, self.answer)

    def _repr_html_(self) -> str:
        rows = [(each.name, "; ".join(each.reasons)) for each in self.candidates if each.reasons]
        rows += [("note", note) for note in self.notes]
        return columns_html(self.answer, self.columns) + definition_table("", rows)


def objective_of(scenario: "Scenario") -> str:
    """The objective, or that which the given costs make it."""
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
    Adapters and CPUs that a demand needs on a path, with headroom and spares.

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
    return Plans(sorted(plans, key=lambda each: rank_key(CandidatePlan(name="", plan=each))))


# ---- In words


def candidate_columns(candidates: Sequence[CandidatePlan], currency: str = "") -> list[Column]:
    """Return a row for each candidate: its needs, cost, headroom and bottleneck."""
    plans = [each.plan for each in candidates]
    are_feasible = {each.is_feasible for each in candidates}

    def of_plans(head: str, text: Callable[[Plan], str], *given: Any) -> Column:
        return Column(head, [text(each) for each in plans], *given)

    def cores(plan: Plan, name: str) -> str:
        needs = (need for need in plan.cpu_needs if f"{need.of_side} {need.unit}s" == name)
        return next((bound_text(need.core_count) for need in needs), "")

    def known(value: float | None, text: Callable[[float], str]) -> str:
        return "" if value is None else text(value)

    pools = dict.fromkeys(
        f"{need.of_side} {need.unit}s" for plan in plans for need in plan.cpu_needs
    )
    distance = of_plans("distance", lambda plan: str(plan.demand.path.distance or ""))
    names = [
        each.name.removesuffix(f", MTU {each.plan.mtu_bytes:g}")
        if each.scenario
        else each.plan.equipment
        for each in candidates
    ]
    holds = [("no", "yes")[each.is_feasible] for each in candidates]
    costs = [known(each.quoted_cost, money_text) for each in candidates]
    rooms = [
        known(each.headroom_ratio, lambda ratio: f"{WHOLE_PERCENT * (ratio - 1):+.0f} %")
        for each in candidates
    ]
    return [
        Column("candidate", names),
        of_plans("MTU", lambda plan: f"{plan.mtu_bytes:g}", True),
        *([distance] if len(set(distance.cells)) > 1 else []),
        of_plans("adapters", lambda plan: bound_text(plan.adapter_count), True),
        *(of_plans(name, partial(cores, name=name), True) for name in pools),
        Column(f"cost ({currency})" if currency else "cost", costs, True),
        Column("headroom", rooms, True, rank=1),
        Column("holds until", [each.growth.day_text if each.growth else "" for each in candidates]),
        *([Column("holds", holds)] if are_feasible != {True} else []),
        of_plans("bottleneck", lambda plan: plan.binding, False, 2),
        of_plans("evidence", lambda plan: plan.grade.value if plan.grade else "", False, 6),
    ]


def infeasible_text(candidates: Sequence[CandidatePlan], is_verbose: bool = False) -> str:
    """Return those that are not feasible, and why; the first few unless it is verbose."""
    failing = [f"{each.name}: {'; '.join(each.reasons)}" for each in candidates if each.reasons]
    shown = failing if is_verbose else failing[:_SHOWN_NAMES]
    more = [f"{len(failing) - len(shown):,} more"] if len(failing) > len(shown) else []
    return "\n".join(f"not feasible: {text}" for text in [*shown, *more])


def details(shown: CandidatePlan) -> Iterator[str]:
    """Yield what a candidate needs and rests on, with what changed inputs need."""
    yield "\n".join(map(": ".join, shown.plan.rows()))
    if shown.scenario is None:
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
