"""A plan: needs of a demand on one kind of path, whether it holds and until when; in words."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from netmodel.consumption import Side
from netmodel.estimates import Bound, Predicted, combined
from netmodel.grades import Grade, weakest_grade
from netmodel.numeric import require_at_least, require_kind, require_one, require_whole
from netmodel.path.stages import ADAPTER_STAGES, DIRECTION_AT, LINE_STAGES, settings_text
from netmodel.planning import needs, what_if
from netmodel.planning.demand import MAX_ADAPTER_COUNT, Demand, Headroom, planned
from netmodel.planning.notes import (
    CARRIED_DIGITS,
    amount_text,
    beside_adapters,
    plain_number,
    plan_notes,
    title_of,
)
from netmodel.planning.volumes import PlannedVolume
from netmodel.predicted_text import copy_text
from netmodel.results import Result, short_repr
from netmodel.terminal import Column, Shown
from netmodel.text import (
    RESULT_DIGITS,
    fixed_percent,
    listed,
    percent_text,
    range_text,
    span_text,
)
from netmodel.units import BITS_PER_BYTE, format_rate

if TYPE_CHECKING:
    from netmodel.records.scenarios import Scenario

_BUSY_DIGITS = 3
"""Of busy CPUs: one more than the costs of the field repeat to."""
_MANY = 1000
"""Amounts of money from which on parts of a unit are not read."""
_STEP = 0.1
"""Forecasts err by 10 %, and guides on the share to use differ by ten points (60 to 80 %)."""
_NUMBERS = ("count", "in use", "after failure")
_HEADS = ("side", "needs", "count", "range", "bottleneck", "in use", "after failure")
"""Columns of a plan; those of numbers are aligned on the right."""
_VERBS = {"in": "receives", "out": "sends"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan(Shown, Result):
    """
    Adapters and CPUs that a demand needs on one kind of path, and their utilisation.

    Read `answer`, `holds`, `chosen_count` and `core_count`, `binding`, `cost` and `notes`.

    Parameters
    ----------
    demand : Demand
        Flows and their path.
    headroom : Headroom
        Highest planned utilisation, and adapters that may fail.
    adapters_available : int, optional
        Adapters at each side, or of the side that is asked for, that there are; None for any
        number.
    volume_bytes : float, optional
        Payload of a copy, of which the time is asked for. [byte]
    name : str
        As in the scenario, with the MTU or what else varies in it; empty for no candidate of one.
    available : mapping of str to float
        What there is of CPUs, and what adapters and cores cost, by the key of the scenario.
    scenario : Scenario, optional
        What was asked, where it is a candidate of one.
    volumes : tuple of PlannedVolume
        What it is planned for.

    Examples
    --------
    >>> import netmodel
    >>> (plan,) = netmodel.plan("40 Gbit/s", adapters="ethernet-25gbe", mtu_bytes=1500)
    >>> plan.chosen_count
    4
    """

    demand: Demand = field(repr=False)
    headroom: Headroom
    adapters_available: int | None = None
    volume_bytes: float | None = None
    name: str = ""
    available: Mapping[str, float | None] = field(default_factory=dict, repr=False)
    scenario: "Scenario | None" = field(default=None, repr=False)
    volumes: tuple[PlannedVolume, ...] = field(default=(), repr=False)

    json_keys = (
        "client_adapter=demand.client_adapter server_adapter=demand.server_adapter "
        "path=demand.path_id mtu_bytes distance=demand.path.distance answer holds one_adapter "
        "count_without_spares adapters_available chosen_count asked_side=demand.asked_side "
        "side_counts adapter_count binding max_utilisation_ratio=headroom.max_utilisation_ratio "
        "max_utilisation_after_failure_ratio=headroom.after_failure_ratio "
        "spare_count=headroom.spare_count directions stages pools flows=demand.flows copy_time_s "
        "copy_times_s shortfalls measured_with=demand.path.settings grade notes"
    )

    def __post_init__(self) -> None:
        require_kind("headroom", self.headroom, Headroom, "a Headroom")
        if self.adapters_available is not None:
            count = require_whole("adapters_available", self.adapters_available)
            require_at_least("adapters_available", count, 1, "")

    @property
    def mtu_bytes(self) -> float:
        """Largest innermost packet. [byte]"""
        return require_one("mtu_bytes", self.demand.predictions[0].mtu_bytes)

    @property
    def equipment(self) -> str:
        """Ids of the adapters, client first, once where both are the same; and of the path."""
        demand = self.demand
        ids = dict.fromkeys(filter(None, (demand.client_adapter, demand.server_adapter)))
        return " over ".join(filter(None, (" to ".join(ids), demand.path_id)))

    @property
    def noun(self) -> str:
        """``instance`` for machine types of clouds, else ``adapter``."""
        ends = (self.demand.client_adapter, self.demand.server_adapter)
        kinds = {getattr(x, "kind", "") for x in self.demand.records if x.id in ends}
        return "instance" if kinds == {"instance"} else "adapter"

    @property
    def where(self) -> str:
        """Whose adapters are counted, in words."""
        asked = self.demand.asked_side
        return "at each side" if asked is None else f"at the {asked.value}"

    # ---- Adapters

    @cached_property
    def needed(self) -> list[Predicted[float]]:
        """Adapters that each resource of the demand needs, with the spares."""
        return self.demand.needed(self.headroom)

    @cached_property
    def adapter_count(self) -> Predicted[float]:
        """
        Adapters at each side, or of the side that is asked for, with the spares.

        A lower bound, since the rates that they carry are upper bounds, unless the one flow has an
        expected rate, which it reaches with them. Infinite where no number is enough.
        """
        demand = self.demand
        by_stages = demand.largest(self.needed, demand.asked_side)
        counts = demand.reaching(by_stages, self.headroom.spare_count)
        is_expected = len(demand.flows) == 1 and demand.predictions[0].expected
        return replace(counts, bound=Bound.VALUE) if is_expected else counts

    @cached_property
    def count_by_bounds(self) -> Predicted[float]:
        """Adapters without spares by upper bounds of rates alone."""
        alone = Headroom(self.headroom.max_utilisation_ratio, 0)
        return self.demand.largest(self.demand.needed(alone), self.demand.asked_side)

    @property
    def count_without_spares(self) -> Predicted[float]:
        """Adapters with the share that may be used while all work."""
        return self.demand.reaching(self.count_by_bounds, 0)

    @property
    def chosen_count(self) -> int | None:
        """Adapters at each side that are planned; None where no number is enough."""
        count = planned(self.adapter_count)
        return int(count) if math.isfinite(count) else None

    @cached_property
    def _uses(self) -> list[needs.StageUse]:
        """Use of each resource of the demand."""
        spare_count = self.headroom.spare_count
        return needs.stage_uses(self.demand, spare_count, self.needed, self.adapter_count)

    @property
    def stages(self) -> tuple[needs.StageUse, ...]:
        """Stages that the flows share, in the order of the path."""
        rows = zip(self.demand.resources, self._uses, strict=True)
        return tuple(use for each, use in rows if each.pool is None)

    @cached_property
    def directions(self) -> tuple[needs.DirectionNeed, ...]:
        """Each direction of each side that carries something."""
        return needs.direction_needs(self.demand, self.needed, self._uses, self.adapter_count)

    @property
    def side_counts(self) -> dict[Side, Predicted[float]]:
        """Adapters that each side needs for what it sends and receives, with the spares."""
        counts: dict[Side, list[Predicted[float]]] = {}
        for need in self.directions:
            counts.setdefault(need.side, []).append(need.adapter_count)
        bound = self.adapter_count.bound
        return {side: combined(max, each, bound) for side, each in counts.items()}

    @property
    def binding(self) -> str:
        """The stage that needs most adapters, and uses most of them."""

        def scarcity(need: needs.DirectionNeed) -> tuple[float, float]:
            use = need.binding.use_ratio
            return planned(need.adapter_count), 0 if use is None else planned(use)

        own = (each for each in self.directions if self.demand.asked_side in (None, each.side))
        return max(own, key=scarcity).binding.name

    @cached_property
    def one_adapter(self) -> needs.Carried:
        """Part of the flows that one adapter at each side carries."""
        return needs.carried_by_one(self.demand)

    # ---- CPUs, and all that is not enough

    @cached_property
    def pools(self) -> tuple[needs.PoolNeed, ...]:
        """CPUs, as far as the path has service times for the flows."""
        return needs.pool_needs(self.demand, self.headroom.max_utilisation_ratio)

    @property
    def cpu_needs(self) -> list[needs.PoolNeed]:
        """CPUs that are planned, by side."""
        return [each for each in self.pools if each.pool.side is not None]

    @property
    def core_count(self) -> float | None:
        """Cores of all sides of which the CPU cost is known; None where it is of none."""
        counts = [planned(need.core_count) for need in self.cpu_needs]
        return sum(counts) if counts else None

    @property
    def _lacks_adapters(self) -> bool:
        """True if no number of adapters is enough, or too few are available."""
        count, available = self.chosen_count, self.adapters_available
        return count is None or (available is not None and count > available)

    @cached_property
    def shortfalls(self) -> tuple[str, ...]:
        """Reasons why the demand is not carried within the policy; empty where it is."""
        count = self.chosen_count
        lacking = [*beside_adapters(self.demand, self.headroom, count or 1)]
        few, ends = f"the connections cannot use enough {self.noun}s", self.directions
        whose = {each.side.value for each in ends if math.isinf(planned(each.adapter_count))}
        if count is None:
            is_counted = any(flow.connection_count for flow in self.demand.flows)
            most = f"more than {MAX_ADAPTER_COUNT:,} adapters are needed"
            lacking.append(few if is_counted else most)
        elif self._lacks_adapters:
            there = f"{self.adapters_available:,} available"
            lacking.append(f"{_adapters_text(self)} needed, {there}")
        elif whose:
            lacking.append(f"{few} of the {listed(whose)}")
        for need in self.cpu_needs:
            cores, key = planned(need.core_count), f"{need.of_side}_cpus"
            if (present := self.available.get(key)) is not None and cores > present:
                are = f"{plain_number(cores)} {need.of_side} cores"
                lacking.append(f"needs {are}, and {key} is {present:,.0f}")
        return tuple(lacking)

    @property
    def holds(self) -> bool:
        """True if the available adapters and CPUs carry the demand with the headroom."""
        return not self.shortfalls

    @cached_property
    def copy_times_s(self) -> dict[Side, float]:
        """Time of a copy by each sender, at its planned rate or the one that it reaches. [s]"""
        demand, bits = self.demand, BITS_PER_BYTE * (self.volume_bytes or 0)
        counts = filter(None, (self.chosen_count, self.adapters_available))
        # of any number of adapters, as many as there are connections are of use
        count = min(counts, default=int(max(x.connection_count or 1 for x in demand.flows)))
        of_sides = needs.adapters_of(demand, self.needed, count)
        shared = [*zip(demand.resources, demand.spread(demand.full_ratios(of_sides)), strict=True)]
        rates, slowed = dict[Side, float](), dict[Side, float]()
        for place, flow in enumerate(demand.flows):
            way = DIRECTION_AT[flow.sender, "out"]
            uses = [use for each, use in shared if not each.directions or way in each.directions]
            uses += demand.flow_limits(place, count).values()
            slowed[flow.sender] = max(slowed.get(flow.sender, 1.0), *map(planned, uses))
            rates[flow.sender] = rates.get(flow.sender, 0.0) + flow.payload_rate_bps
        return {side: bits / rates[side] * slowed[side] for side in rates if bits}

    @property
    def copy_time_s(self) -> float | None:
        """The longest of them; None where none is asked for. [s]"""
        return max(self.copy_times_s.values(), default=None)

    # ---- Money, and what if

    @property
    def currency(self) -> str:
        """Unit of the costs in texts."""
        return self.scenario.policy.currency if self.scenario else ""

    @cached_property
    def cost(self) -> Predicted[float] | None:
        """Cost of adapters at both sides and of cores; None where no costs are given."""
        sides = 1 + (None not in (self.demand.client_adapter, self.demand.server_adapter))
        parts = [(self.adapter_count, sides, self.available.get("adapter_cost"))]
        parts += [(need.core_count, 1, self.available.get("core_cost")) for need in self.cpu_needs]
        costs = [count.scaled(number * each) for count, number, each in parts if each is not None]
        if not costs or self.chosen_count is None:
            return None
        is_bound = self.cost_notes or any(each.bound is Bound.LOWER for each in costs)
        return combined(sum, costs, Bound.LOWER if is_bound else Bound.VALUE)

    @property
    def quoted_cost(self) -> float | None:
        """The cost for which the plan is made."""
        return None if self.cost is None else planned(self.cost)

    @cached_property
    def there(self) -> what_if.Equipment:
        """The adapters and cores of a plan that holds."""
        cores = {need.pool.name: planned(need.core_count) for need in self.cpu_needs}
        return what_if.Equipment(self.demand, self.headroom, self.chosen_count or 0, cores)

    @cached_property
    def headroom_ratio(self) -> float | None:
        """Factor by which all volumes of a scenario may grow alike with what the plan has."""
        return what_if.headroom_of(self.there) if self.scenario and self.holds else None

    @property
    def headroom_binding(self) -> str | None:
        """Stage, CPUs or limit that is too small beyond it."""
        ratio, step = self.headroom_ratio, what_if.HEADROOM_STEP
        return None if ratio is None else self.there.too_small(ratio + step) or None

    def _growth(self, there: what_if.Equipment) -> what_if.Growth | None:
        growths = [each.growth_per_year_ratio for each in self.volumes]
        asked = self.scenario
        if asked is None or asked.start is None or not any(growths) or not self.holds:
            return None
        return what_if.growth_of(there, growths, asked.start, asked.horizon_years)

    @cached_property
    def growth(self) -> what_if.Growth | None:
        """When growth exhausts the adapters and cores of the plan; None where nothing grows."""
        return self._growth(self.there)

    @cached_property
    def available_until(self) -> str:
        """Month in which growth exhausts all that is available; empty where nothing grows."""
        count = self.adapters_available or self.last.chosen_count or MAX_ADAPTER_COUNT
        sides = {need.pool.name: f"{need.of_side}_cpus" for need in self.cpu_needs}
        cores = {name: self.available.get(key) or math.inf for name, key in sides.items()}
        growth = self._growth(self.there._replace(adapter_count=count, core_counts=cores))
        return growth.day_text if growth else ""

    @cached_property
    def last(self) -> "Plan":
        """The plan at the end of the specified horizon; itself where nothing is too small."""
        asked, growth = self.scenario, self.growth
        is_short = growth is not None and growth.exhausted_on is not None
        if asked is None or not is_short or "horizon_years" not in asked.model_fields_set:
            return self
        ratios = [(1 + each.growth_per_year_ratio) ** asked.horizon_years for each in self.volumes]
        return replace(self, demand=self.demand.scaled(ratios))

    @property
    def years(self) -> str:
        """The horizon in words, such as "5 years"."""
        return counted(self.scenario.horizon_years, "year") if self.scenario else ""

    def _later(self, saving: str) -> str:
        """Return the needs at the end of the specified horizon; empty if these are the first."""
        if self.scenario is None or self.last is self:
            return ""
        if self.last.shortfalls:
            return f"not for {self.years}: {self.last.shortfalls[0]}; at first "
        return f"for {self.years} {_needs_text(self.last, False)}{saving}; at first "

    @cached_property
    def sensitivities(self) -> tuple[dict[str, Any], ...]:
        """
        Adapters, cores and cost with one input changed, a row for each change.

        The volume of each flow 10 % lower and higher, and the share that may be used ten points
        lower and higher.
        """
        demand, room, plans = self.demand, self.headroom, dict[str, Plan]()
        for place, flow in enumerate(demand.flows):
            for ratio in (1 - _STEP, 1 + _STEP):
                ratios = [ratio if n == place else 1.0 for n in range(len(demand.flows))]
                change = f"{amount_text(flow, ratio)} of {flow.name}"
                plans[change] = replace(self, demand=demand.scaled(ratios))
        for step in (-_STEP, _STEP):
            share = min(max(room.max_utilisation_ratio + step, _STEP), 1.0)
            changed = replace(room, max_utilisation_ratio=share)
            plans[f"{percent_text(share, RESULT_DIGITS)} use"] = replace(self, headroom=changed)
        keys = {"adapter_count": "chosen_count", "core_count": "core_count", "cost": "quoted_cost"}
        return tuple(
            {"change": change, **{key: getattr(plan, name) for key, name in keys.items()}}
            for change, plan in plans.items()
            if self.chosen_count is not None
        )

    @property
    def sides_without_cost(self) -> list[str]:
        """Sides whose cores cost something, and whose number is not known."""
        if None in (self.chosen_count, self.available.get("core_cost")):
            return []
        known = {need.pool.side for need in self.cpu_needs}
        return [side.value for side in Side if side not in known]

    @property
    def cost_notes(self) -> tuple[str, ...]:
        """A note on cores that the cost leaves out."""
        if not (sides := self.sides_without_cost):
            return ()
        return (f"cost leaves out {listed(sides)} cores: their CPU cost is not known",)

    # ---- Evidence

    @property
    def _printed(self) -> list[str]:
        """Published figures that set the number of adapters of a direction."""
        binding = {need.binding.name for need in self.directions}
        rows = self.demand.resources
        return [each.published for each in rows if each.published and each.name in binding]

    @property
    def grade(self) -> Grade | None:
        """The worst grade of all parameters."""
        grades = [*(each.grade for each in self.demand.predictions)]
        return weakest_grade([*grades, *(Grade.PUBLISHED for _ in self._printed)])

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Caveats and assumptions of the plan, most important first."""
        return tuple(plan_notes(self.demand, self.chosen_count, self._printed))

    # ---- In words

    @property
    def answer(self) -> str:
        """The decision in a sentence: what is needed and one adapter carries, or what lacks."""
        return self.decision()

    @property
    def columns(self) -> list[Column]:
        """A row for each direction and for each pool of CPUs: what it needs, and what is used."""
        rows = list[tuple[str, ...]]()
        for need in self.directions:
            stage, count = need.binding, need.adapter_count
            used = [stage.use_ratio, stage.after_failure_ratio][: 1 + self.headroom.spare_count]
            uses = (f">= {fixed_percent(planned(use), 1)}" if use else "" for use in used)
            what = need.side.value, f"{self.noun}s {need.direction}"
            rows.append((*what, bound_text(count), range_of(count), stage.name, *uses))
        for pool in self.pools:
            present, span = pool.present_count, range_of(pool.busy_count, _BUSY_DIGITS)
            there = "" if present is None else f" of {plain_number(present)}"
            cores = f"{bound_text(pool.core_count)}{there}"
            busy = f"{plain_number(float(f'{pool.busy_count.value:.{_BUSY_DIGITS}g}'))} busy"
            busy += f" ({span})" if span else ""
            rows.append((pool.of_side, f"{pool.unit}s", cores, range_of(pool.core_count), "", busy))
        columns = zip(_HEADS, zip_longest(*rows, fillvalue=""), strict=False)
        return [Column(head, cells, is_number=head in _NUMBERS) for head, cells in columns]

    def decision(self, name: str = "", saving: str = "") -> str:
        """Return the answer of a candidate with its name, and what it saves beside others."""
        named, copied, size = f"{name}: " if name else "", "", self.volume_bytes or 0.0
        for side, time_s in self.copy_times_s.items():
            rate = format_rate(BITS_PER_BYTE * size / time_s, RESULT_DIGITS)
            way = f" from the {side.value}" if len(self.copy_times_s) > 1 else ""
            copied += f" {copy_text(size, time_s)} at {rate}{way}."
        if not self.holds:
            why = self.shortfalls[0]
            if self._lacks_adapters and len(self.shortfalls) == 1:
                why = f"{why}: {rate_of_one(self)}"
            return f"No: {named}{why}.{copied}"
        until, one = "" if self.growth is None else f", {self.growth.text}", ""
        is_plain = self.quoted_cost is None and not until
        later = self._later(saving)
        saving = "" if later else saving
        needed = later + _needs_text(self, is_plain)
        if saving and not self.cpu_needs:
            one = f"; {rate_of_one(self, 'each')}"
        elif not saving and is_plain:
            one = f": {rate_of_one(self, shows_share=not self.cpu_needs)}"
        text = f"{needed}{saving}{until}{one}.{copied}"
        return named + text if name else text[0].upper() + text[1:]

    def grounds(self) -> Iterator[tuple[str, str]]:
        """Yield the basis of the plan: a word and its text."""
        path, (first, *_) = self.demand.path, self.demand.flows
        yield from (("flow", str(flow)) for flow in self.demand.flows)
        for need in self.pools:
            pool = need.pool
            if pool.cost is not None and pool.side is not None:
                size = float(first.traffic.exchanged_bytes)
                text = f"{pool.cost.conversion_text(size)}, of {first.name}"
                yield f"{pool.side.value} cost", text
        if self.grade is not None:
            yield "evidence", f"lowest grade: {self.grade.value}"
        if path.settings:
            yield "measured with", settings_text(path.settings)
        yield from ((each.name, each.basis) for each in self.volumes)
        yield from (("not enough", text) for text in self.shortfalls)

    def __repr__(self) -> str:
        return short_repr(self, f"{self.equipment}, MTU {self.mtu_bytes:g}: {self.answer}")


def _needs_text(plan: Plan, shows_spares: bool) -> str:
    """Return adapters, cores and cost of a plan."""
    least = "" if plan.adapter_count.bound is Bound.LOWER else "at least "
    cores = (
        least * (x.core_count.bound is Bound.LOWER) + counted(planned(x.core_count), x.title)
        for x in plan.cpu_needs
    )
    cost = "" if plan.quoted_cost is None else f", {money_text(plan.quoted_cost, plan.currency)}"
    return listed([_adapters_text(plan, shows_spares), *cores]) + cost


def _adapters_text(plan: Plan, shows_spares: bool = True) -> str:
    """Return adapters with their spares, such as "at least 3 adapters (2 + 1 spare)"."""
    count, spare_count = plan.chosen_count or 0, plan.headroom.spare_count
    fewest = int(planned(plan.count_without_spares))
    parts = f"{fewest:,} + {spare_count:,} spare" if fewest + spare_count == count else ""
    parts = parts or f"{spare_count:,} may fail"
    has_both = None not in (plan.demand.client_adapter, plan.demand.server_adapter)
    both = " at each side" if plan.demand.asked_side is None and has_both else ""
    spares = f" ({parts if spare_count else 'no spare'})" if shows_spares else ""
    least, asked = "at least " * (plan.adapter_count.bound is Bound.LOWER), plan.demand.asked_side
    far = planned(plan.side_counts[asked.other]) if asked else 0.0
    more = f", {plain_number(far)} at the {asked.other.value}" if asked and far > count else ""
    return f"{least}{counted(count, plan.noun)}{both}{spares}{more}"


def counted(count: float, noun: str) -> str:
    """Return a number of things, such as "1 adapter"."""
    return f"{plain_number(count)} {noun}{'s' * (count != 1)}"


def rate_of_one(plan: Plan, name: str = "", *, shows_share: bool = True) -> str:
    """Return the most that one adapter carries, or that connections need more adapters."""
    fewer, enough = (planned(each) for each in (plan.count_by_bounds, plan.count_without_spares))
    if fewer < enough < math.inf:
        return f"the connections reach the rate only over {plain_number(enough)} {plan.noun}s"
    demand, one, share = plan.demand, plan.one_adapter, plan.headroom.max_utilisation_ratio
    where = "" if name else f" at MTU {plan.mtu_bytes:g}"
    where += f" over {demand.path_id}" if demand.path_id else ""
    ratio, (flow, *others) = one.demand_ratio, demand.flows
    if not math.isfinite(ratio.value):
        return f"no limit of the {one.side.value} {plan.noun}s is known{where}"

    def amount(part: float) -> str:
        """Return a multiple of the demand in words."""
        of_mix = f"{100 * part:.{CARRIED_DIGITS}g} % of the mix"
        return of_mix if others else amount_text(flow, part)

    # (1) what carries, and how
    if one.binding in LINE_STAGES:
        text = "the line carries"
    else:
        name = name or title_of(demand, one.side) or "an adapter"
        is_of_payload = DIRECTION_AT[one.side, one.direction] == DIRECTION_AT[flow.sender, "out"]
        is_plain = is_of_payload and not others and not flow.is_in_transactions
        is_plain &= one.binding in ADAPTER_STAGES
        text = f"{name} {_VERBS[one.direction] if is_plain else 'carries'}"
    text += f" at most {amount(ratio.value)}{where}"
    # (2) of that what may be used, down to what it is planned with
    used, few = planned(ratio.inverse(1).numbers()), enough - 1
    if (count := flow.connection_count) and not others and used <= share * few < math.inf:
        # an even split would do with one less
        return f"{text}; of {few:g} one has {-(-count // few):g} of {count:g} connections"
    if not shows_share or enough <= math.ceil(round(1 / ratio.value, needs.TIE_DIGITS)):
        return text
    most = span_text(amount(share / used), amount(share * planned(ratio)))
    return f"{text}, {most} at {percent_text(share, CARRIED_DIGITS)} use"


def bound_text(counts: Predicted[float]) -> str:
    """Return the number that is planned, with the sign of its bound."""
    count = planned(counts)
    return f"{counts.bound.sign}{plain_number(count)}" if math.isfinite(count) else "none"


def range_of(counts: Predicted[float], digits: int | None = None) -> str:
    """Return both ends, to significant digits if given; empty where they are printed alike."""
    ends = (
        end if digits is None else float(f"{end:.{digits}g}") for end in (counts.low, counts.high)
    )
    low, high = (plain_number(end) if math.isfinite(end) else "none" for end in ends)
    return "" if low == high else range_text(low, high)


def money_text(amount: float, currency: str = "") -> str:
    """Return an amount with its currency, such as "52,000 EUR"."""
    digits = 0 if float(amount).is_integer() or amount >= _MANY else 2
    return f"{amount:,.{digits}f} {currency}".strip()
