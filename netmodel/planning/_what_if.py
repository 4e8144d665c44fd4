"""What if: which input moves a plan most, what one unit more adds, how often the plan holds."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np

from netmodel._estimates import Bound
from netmodel._numeric import ROUNDING_RATIO, Floats, require_one
from netmodel._text import SENTENCE_DIGITS, few_names, span_text
from netmodel.consumption._cost import CpuCost, cost_ends
from netmodel.errors import NetmodelError
from netmodel.path import Interval, SpecifiedPath, Stage, predict_path
from netmodel.path._path import LINE_STAGES
from netmodel.path._uncertain import quoted_of
from netmodel.planning._answer import plain_number, resource_text
from netmodel.planning._demand import Demand, demand_of
from netmodel.planning._flows import Flow
from netmodel.planning._loads import Kind, Loads, ResourceLoad, loads_of
from netmodel.planning._plan import Plan
from netmodel.planning._resources import Corner
from netmodel.planning._volumes import PlannedVolume, same_times, series_rates_bps
from netmodel.units import BITS_PER_BYTE, format_rate
from netmodel.units._prefixes import GIGA, WHOLE_PERCENT

ADAPTERS, COST = "adapters", "cost"
_DEMAND_STEP = 0.1
"""A demand whose variation is not known is tried 10 % lower and higher: a usual forecast error."""
_QUANTILES = (0.05, 0.95)
"""A demand with a distribution is tried over what it is within nine tenths of the time."""
_LEAST_RATIO = 0.01
"""Of the planned volume: a normal distribution may be below zero at its low quantile."""
_USE_STEP = 0.1
"""Ten points of the share that may be used: as far as guides differ (60 to 80 %)."""
_USUAL_MTUS_BYTES = (1500, 9000)
"""The MTU of Ethernet, and of its usual jumbo frames."""
ADAPTER_UNIT, LINE_UNIT = "adapter at each side", "Gbit/s of each line"
PART_UNIT = "% of its capacity"
"""Of what is not bought in units."""
_DIGITS = 3
"""Significant digits of what a unit adds: one more than the costs of the field repeat to."""
_MOMENT_COUNT = 2**14
"""Points of a sequence that fills a cube evenly: shares of time err by less than 0.001."""
_CERTAIN_RATIO = 0.9999
"""No record of a load is long enough for more digits of the time that it stays below a limit."""

Needs = dict[str, float]
Input = tuple[str, tuple[str, Demand, Plan], tuple[str, Demand, Plan]]
"""Its name, and both ends of its range with the plan then."""


# Which input moves the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """
    What one input of a plan changes of its answer, everything else as planned.

    Parameters
    ----------
    input : str
        In the user's terms.
    low_text, high_text : str
        The ends of its range, with unit.
    answer : str
        What is compared: "cost" where it is known, else what the input moves most, such as
        "adapters" or "server cores".
    answer_low, answer_high : float
        The answer with either end, before it is rounded up to whole adapters and cores.
    planned : float
        The same of the plan.
    currency : str
        Of a cost.
    """

    input: str
    low_text: str
    high_text: str
    answer: str
    answer_low: float
    answer_high: float
    planned: float
    currency: str = ""

    @property
    def swing(self) -> float:
        """Distance of both answers."""
        return abs(self.answer_high - self.answer_low)

    @property
    def swing_ratio(self) -> float:
        """The same over the answer of the plan."""
        return self.swing / self.planned

    @property
    def text(self) -> str:
        """In a line, such as "server cost 0.14 to 0.18 cores/(Gbit/s): 6.1 to 7.9 server cores"."""
        ends = span_text(
            *(
                plain_number(float(f"{end:.{SENTENCE_DIGITS}g}"))
                for end in (self.answer_low, self.answer_high)
            )
        )
        moved = f"{ends} {self.answer}"
        if self.answer == COST:
            moved = f"{COST} {ends} {self.currency}".rstrip()
        return f"{self.input} {self.low_text} to {self.high_text}: {moved}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "swing": self.swing, "swing_ratio": self.swing_ratio}


def needs_of(
    demand: Demand, plan: Plan, adapter_cost: float | None = None, core_cost: float | None = None
) -> Needs:
    r"""
    Adapters, cores of each side, and their cost that a demand needs, before they are rounded up.

    Parameters
    ----------
    demand : Demand
        The demand of the plan, or a changed one.
    plan : Plan
        For its headroom, corner, adapters and cores.
    adapter_cost, core_cost : float, optional
        Of an adapter and a core.

    Returns
    -------
    needs : dict of str to float
        Real numbers, so that small changes show; the cost of both sides where one is given.

    Notes
    -----
    With the load :math:`L_r` of the :math:`n` adapters or cores of the plan, and
    :math:`L'_r` while :math:`f` of them have failed

    .. math:: n_r = \max\left(\frac{n\,L_r}{u_{max}}, \frac{(n - f)\,L'_r}{u_{fail}} + f\right)

    and :math:`n_r \le n` where the plan holds. Connections divide as on the adapters of the plan.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.
    """
    room = plan.headroom
    spare_counts = {Kind.ADAPTER: room.spare_count, Kind.CORES: room.spare_core_count}
    names = {pool.name: f"{pool.of_side} {pool.unit}s" for pool in plan.pools}
    needs = {ADAPTERS: 1.0 + room.spare_count}
    for each in loads_of(demand, plan).resources:
        if each.kind not in spare_counts or (each.kind is Kind.CORES and each.side is None):
            continue
        spares = spare_counts[each.kind]
        use, after = (plan.corner.of(ratio) for ratio in (each.use_ratio, each.after_failure_ratio))
        needed = max(
            each.unit_count * use / each.limit_ratio,
            (each.unit_count - spares) * after / each.after_failure_limit_ratio + spares,
        )
        name = ADAPTERS if each.kind is Kind.ADAPTER else names[each.name]
        needs[name] = max(needs.get(name, 0.0), needed)
    if adapter_cost is not None or core_cost is not None:
        sides = max(sum(each is not None for each in (plan.client_adapter, plan.server_adapter)), 1)
        cores = sum(needed for name, needed in needs.items() if name != ADAPTERS)
        needs[COST] = sides * needs[ADAPTERS] * (adapter_cost or 0.0) + cores * (core_cost or 0.0)
    return needs


def sensitivities(
    plan: Plan,
    path: SpecifiedPath,
    volumes: Sequence[PlannedVolume] = (),
    *,
    adapter_cost: float | None = None,
    core_cost: float | None = None,
    currency: str = "",
    physics_only: bool = False,
) -> tuple[Sensitivity, ...]:
    """
    What each input moves of the answer of a plan, over its own range, the largest swing first.

    Parameters
    ----------
    plan : Plan
        With its demand.
    path : SpecifiedPath
        That it was made on.
    volumes : sequence of PlannedVolume
        Of its flows, with their distributions; each demand is tried 10 % lower and higher where
        nothing is known of it.
    adapter_cost, core_cost : float, optional
        Of an adapter and a core; the answer is their cost where one is given.
    currency : str
        Of the costs.
    physics_only : bool
        As in the plan.

    Returns
    -------
    sensitivities : tuple of Sensitivity
        Of inputs that change something; none where no number of adapters is enough. All else is
        as the plan has it, at its corner: one end of each uncertain parameter is often the plan.
    """
    demand = plan.demand
    if demand is None or plan.chosen_count is None:
        return ()

    def again(flows: Sequence[Flow], mtu_bytes: float) -> Demand:
        return demand_of(
            flows,
            path,
            mtu_bytes,
            demand.predictions[0].stack,
            spreading=demand.spreading,
            physics_only=physics_only,
            joint=demand.joint,
        )

    planned = needs_of(demand, plan, adapter_cost, core_cost)
    inputs = chain(
        _of_path(demand, plan),
        _of_volumes(demand, plan, volumes),
        _of_choices(demand, plan, again),
    )
    found = []
    for name, low_end, high_end in inputs:
        low, high = (
            needs_of(changed, of, adapter_cost, core_cost) for _, changed, of in (low_end, high_end)
        )
        swings = {
            each: abs(high.get(each, 0.0) - low.get(each, 0.0)) / need
            for each, need in planned.items()
            if need > 0
        }
        answer = COST if COST in planned else max(swings, key=lambda each: swings[each])
        if ROUNDING_RATIO < swings.get(answer, 0.0) < math.inf:
            moved = Sensitivity(
                input=name,
                low_text=low_end[0],
                high_text=high_end[0],
                answer=answer,
                answer_low=low[answer],
                answer_high=high[answer],
                planned=planned[answer],
                currency=currency if answer == COST else "",
            )
            found.append(moved)
    return tuple(sorted(found, key=lambda each: each.swing_ratio, reverse=True))


def _of_path(demand: Demand, plan: Plan) -> Iterator[Input]:
    """CPU costs that are ranges, all else that is known as a range, and printed bounds."""
    pools = [pool for pool in demand.path.pools if pool.cost is not None and pool.cost.has_range]
    for pool in pools:
        assert pool.cost is not None
        low, high = (
            (text, _with_costs(demand, [pool.name], end), plan)
            for text, end in zip(_cost_texts(pool.cost), ("low", "high"), strict=True)
        )
        name = "cost" if pool.side is None else f"{pool.side.value} cost"
        yield name, low, high
    planned = {Corner.BEST: "low", Corner.VALUE: "value", Corner.WORST: "high"}[plan.corner]
    known = _with_costs(demand, [pool.name for pool in pools], planned) if pools else demand
    best, worst = (replace(plan, corner=corner) for corner in (Corner.BEST, Corner.WORST))
    yield "service times and gains", ("best", known, best), ("worst case", known, worst)
    if demand.published:
        left_out = ("left out", replace(demand, published=()), plan)
        yield "bounds that documents print", left_out, ("counted", demand, plan)


def _with_costs(demand: Demand, pools: Sequence[str], end: str) -> Demand:
    """The demand with the costs of these pools at an end of their ranges."""

    def fixed(stage: Stage) -> Stage:
        if stage.pool not in pools:
            return stage
        return stage.changed(
            lambda value, _: getattr(value, end) if isinstance(value, Interval) else value
        )

    predictions = (
        predict_path(
            replace(each.path, stages=tuple(map(fixed, each.path.stages))),
            each.traffic,
            each.mtu_bytes,
            each.stack,
        )
        for each in demand.predictions
    )
    return replace(demand, predictions=tuple(predictions))


def _cost_texts(cost: CpuCost) -> tuple[str, str]:
    """Both ends of a cost, as given or converted to the case of the plan, the cheaper first."""
    ends = cost_ends(cost.text)
    low, high = (ends[0], ends[-1])
    if cost.text.endswith("/core"):
        low, high = high, low  # more data per core cost less
    if cost.carried_ratios is not None:
        low, high = (
            f"{end} times {by:.3g}"
            for end, by in zip((low, high), cost.carried_ratios[1:], strict=True)
        )
    number, _, unit = low.partition(" ")
    return (number if high.endswith(f" {unit}") else low), high


def _of_volumes(demand: Demand, plan: Plan, volumes: Sequence[PlannedVolume]) -> Iterator[Input]:
    """Each volume at quantiles of its distribution, else 10 % less and more."""
    for place, flow in enumerate(demand.flows):
        ratios = np.array([1 - _DEMAND_STEP, 1 + _DEMAND_STEP])
        if place < len(volumes) and volumes[place].varies:
            ratios = np.maximum(volumes[place].load_ratios(np.array(_QUANTILES)), [_LEAST_RATIO, 0])
        low, high = (
            (
                format_rate(flow.payload_rate_bps * ratio, SENTENCE_DIGITS),
                demand.scaled([ratio if n == place else 1.0 for n in range(len(demand.flows))]),
                plan,
            )
            for ratio in ratios.tolist()
        )
        yield flow.name, low, high


def _of_choices(demand: Demand, plan: Plan, again: Callable[..., Demand]) -> Iterator[Input]:
    """The usual MTUs, twice the connections, and the share that may be used."""
    for mtu_bytes in sorted({*_USUAL_MTUS_BYTES} - {plan.mtu_bytes}):
        with suppress(NetmodelError):  # the path or the headers do not pass this MTU
            ends = {mtu_bytes: again(demand.flows, mtu_bytes), plan.mtu_bytes: demand}
            low, high = ((f"{end:g}", ends[end], plan) for end in (min(ends), max(ends)))
            yield "MTU", low, high
    counts = [flow.connection_count for flow in demand.flows if flow.connection_count is not None]
    if len(counts) == len(demand.flows):
        doubled = [
            replace(flow, traffic=replace(flow.traffic, connection_count=2 * each))
            for flow, each in zip(demand.flows, counts, strict=True)
        ]
        with suppress(NetmodelError):
            few, many = (f"{ratio * sum(counts):,.9g}" for ratio in (1, 2))
            yield (
                "connections",
                (few, demand, plan),
                (many, again(doubled, plan.mtu_bytes), plan),
            )
    room = plan.headroom
    shares = [room.max_utilisation_ratio - _USE_STEP, room.max_utilisation_ratio + _USE_STEP]
    shares = [min(max(share, _USE_STEP), 1.0) for share in shares]
    less, more = (
        replace(plan, headroom=replace(room, max_utilisation_ratio=share)) for share in shares
    )
    low_text, high_text = (f"{WHOLE_PERCENT * share:.3g}" for share in shares)
    yield "highest use", (low_text, demand, less), (f"{high_text} %", demand, more)


# What one unit more adds


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowPrice:
    """
    What one unit more of a resource of a plan adds to the volumes.

    Parameters
    ----------
    resource : str
        Stage, pool or limit.
    kind : Kind
        What it is to a planner.
    unit : str
        What is bought of it: an adapter at each side, a core, 1 Gbit/s of each line; one percent
        of what is not bought in units.
    whole_unit_ratio : float
        By how much all volumes may grow with one unit more, as a ratio to the planned volumes; 0
        where it is not the bottleneck, or where another ties. An adapter brings all its
        directions, and connections divide over one more.
    is_binding : bool
        Whether it is used up when all volumes grow as far as they may.
    slack_ratio : float
        Share of what may be used of it that is left then.
    tied_with : tuple of str
        Other resources that are used up at the same volumes.
    """

    resource: str
    kind: Kind
    unit: str
    whole_unit_ratio: float
    is_binding: bool
    slack_ratio: float
    tied_with: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "kind": self.kind.value, "tied_with": list(self.tied_with)}

    @property
    def text(self) -> str:
        """In a line: what one more unit adds, or what is left of it."""
        if not self.is_binding:
            left = f"{WHOLE_PERCENT * self.slack_ratio:.{_DIGITS}g} %"
            return f"{resource_text(self.resource)}: more of it adds nothing, {left} is left"
        unit = self.unit if self.unit == PART_UNIT else f" {self.unit}"
        of = "" if self.kind is Kind.CORES else f"{resource_text(self.resource)}: "
        more = f"{of}1{unit} more adds"
        if not self.whole_unit_ratio:
            others = few_names([resource_text(name) for name in self.tied_with], "others")
            return f"{more} nothing alone: {others} just as scarce"
        return f"{more} {WHOLE_PERCENT * self.whole_unit_ratio:.{_DIGITS}g} % to the volumes"


def shadow_prices(demand: Demand, plan: Plan) -> tuple[ShadowPrice, ...]:
    r"""
    What one more unit of each resource of a plan adds to the volumes, computed anew.

    Parameters
    ----------
    demand : Demand
        With the flows at their planned rates.
    plan : Plan
        Of this demand.

    Returns
    -------
    prices : tuple of ShadowPrice
        The resource that limits first, then by what is left.

    Raises
    ------
    DomainError
        If no number of adapters is enough.

    Notes
    -----
    All volumes together may grow to

    .. math:: \lambda^* = \min_r \frac{C_r}{L_r}

    with the load :math:`L_r` of the planned volumes and what may be used, :math:`C_r`: while all
    work, and after as many have failed as may fail.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the bottleneck.
    """

    def scales_of(loads: Loads) -> list[float]:
        return [_scale(each, plan, _units(each, demand, plan)) for each in loads.resources]

    loads = loads_of(demand, plan)
    scales = scales_of(loads)
    most = min(scales)
    another = loads_of(demand, plan, adapter_count=(plan.chosen_count or 0) + 1)
    with_adapter = min(scales_of(another))
    ties = [place for place, scale in enumerate(scales) if scale <= most * (1 + ROUNDING_RATIO)]
    prices = []
    for place, (each, scale) in enumerate(zip(loads.resources, scales, strict=True)):
        if math.isinf(scale):
            continue  # nothing is used of it
        units = _units(each, demand, plan)
        raised = min([_scale(each, plan, units, 1), *scales[:place], *scales[place + 1 :]])
        gain = (with_adapter if units.name == ADAPTER_UNIT else raised) - most
        slack = 1 - most / scale
        is_binding = place in ties
        others = [loads.resources[other].name for other in ties if is_binding and other != place]
        price = ShadowPrice(
            resource=each.name,
            kind=each.kind,
            unit=units.name,
            whole_unit_ratio=gain if gain > ROUNDING_RATIO * most else 0.0,
            is_binding=is_binding,
            slack_ratio=slack if slack > ROUNDING_RATIO else 0.0,
            tied_with=tuple(others),
        )
        prices.append(price)
    return tuple(sorted(prices, key=lambda each: each.slack_ratio))


class _Units(NamedTuple):
    """What is bought of a resource, how many there are, and how many are left after failures."""

    name: str
    there: float
    left: float


def _units(load: ResourceLoad, demand: Demand, plan: Plan) -> _Units:
    if load.name in LINE_STAGES:
        line = next(stage for stage in demand.path.stages if stage.name == load.name)
        times = next(each for each in (line.to_server, line.to_client) if each.named)
        rate_bps = BITS_PER_BYTE / require_one("per_byte_s", quoted_of(times.per_byte_s))
        return _Units(LINE_UNIT, rate_bps / GIGA, rate_bps / GIGA)
    count, room = load.unit_count, plan.headroom
    if load.kind is Kind.ADAPTER:
        return _Units(ADAPTER_UNIT, count, count - room.spare_count)
    if load.kind is Kind.CORES:
        names = {pool.name: f"{pool.of_side} {pool.unit}" for pool in plan.pools if pool.is_cpu}
        return _Units(names[load.name], count, count - room.spare_core_count)
    return _Units(PART_UNIT, WHOLE_PERCENT, WHOLE_PERCENT)


def _scale(load: ResourceLoad, plan: Plan, units: _Units, more: int = 0) -> float:
    """Factor to which all volumes may grow within a resource of so many units more."""
    case = load.case_of(plan.corner)
    states = (
        (load.uses()[case], load.limit_ratio, units.there),
        (load.uses(after_failure=True)[case], load.after_failure_limit_ratio, units.left),
    )
    scales = (
        limit * (1 + more / count) / float(use)
        for use, limit, count in states
        if use > 0 and count > 0
    )
    return min(scales, default=math.inf)


# How often it holds


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingProbability:
    """
    Share of the time in which a plan holds, as a range.

    Parameters
    ----------
    low, high : float
        Share of the time in which every load is within what may be used, with the parameters and
        the dependence of the loads that make it smallest and largest.
    carried_low, carried_high : float
        Share of the time in which every load is carried at all, without headroom.
    bound : Bound
        UPPER where more may be used of a resource than the loads say, as where rates are upper
        bounds.
    basis : str
        What is random.
    notes : tuple of str
        What is taken as fixed, or as known.
    """

    low: float
    high: float
    carried_low: float
    carried_high: float
    bound: Bound
    basis: str
    notes: tuple[str, ...] = ()

    @property
    def within_text(self) -> str:
        """The share of the time within the limits."""
        return f"{self.bound.sign}{_range_text(self.low, self.high)}"

    @property
    def text(self) -> str:
        """In a line."""
        within = _range_text(self.low, self.high)
        carried = _range_text(self.carried_low, self.carried_high)
        bound = "upper bounds; " if self.bound is Bound.UPPER else ""
        return f"{within} of the time within its limits, {carried} carried ({bound}{self.basis})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "bound": self.bound.value, "notes": list(self.notes)}


def holding_probability(
    loads: Loads, volumes: Sequence[PlannedVolume]
) -> HoldingProbability | None:
    r"""
    Share of the time in which every load of a plan stays within its limits.

    Parameters
    ----------
    loads : Loads
        Of the planned adapters and cores, at the planned rates.
    volumes : sequence of PlannedVolume
        Where the rate of each flow comes from, with what is known of its distribution.

    Returns
    -------
    probability : HoldingProbability or None
        None where no volume has a distribution: then the plan holds or does not.

    Notes
    -----
    .. math:: P = \Pr\Big(\sum_k k_k\, L_{rk} \le u_{max} \text{ for all } r\Big)

    with :math:`L_{rk}` what flow :math:`k` uses of resource :math:`r` at its planned rate, and
    :math:`k_k` its load over that rate: lognormal or normal by its variation, or what its series
    was. Series of the same times are taken at the same times. All other loads are taken as
    independent of each other, and as rising and falling together, and the range covers both.

    Parameters known as sets or intervals have no distribution. One end of the range takes each
    resource at its highest use, the other at its lowest.

    References
    ----------
    E. J. Gumbel, "Statistics of Extremes" (1958), section 1.2, for exceedances;
    H. Niederreiter, "Random number generation and quasi-Monte Carlo methods" (1992), chapter 3,
    for the points.
    """
    alone = [(place,) for place, each in enumerate(volumes) if each.series is None and each.varies]
    groups = [*same_times(volumes), *alone]
    if not groups:
        return None
    limits = np.array([each.limit_ratio for each in loads.resources])
    within, carried = [], []
    for of_all in {len(groups) == 1, True}:
        drawn = _drawn(volumes, groups, of_all)
        for worst in (np.argmax, np.argmin):
            tables = [each.flow_use_ratios for each in loads.resources]
            rows = np.array([table[int(worst(table.sum(axis=1)))] for table in tables])
            uses = drawn @ rows.T / (1 + ROUNDING_RATIO)
            within.append(float((uses <= limits).all(axis=1).mean()))
            carried.append(float((uses <= 1).all(axis=1).mean()))
    random = {place for group in groups for place in group}
    fixed = [volume.name for place, volume in enumerate(volumes) if place not in random]
    notes = []
    if fixed:
        notes.append(f"{few_names(fixed, 'classes')}: no variation is known, so the load is fixed")
    if len(groups) > 1:
        notes.append("whether loads rise together is not known: the probability covers both")
    bounds = {each.bound for each in loads.resources}
    first = [volumes[group[0]] for group in groups]
    bases = (
        "loads over time as given" if each.series is not None else f"{each.distribution} loads"
        for each in first
    )
    return HoldingProbability(
        low=min(within),
        high=max(within),
        carried_low=min(carried),
        carried_high=max(carried),
        bound=Bound.VALUE if bounds == {Bound.VALUE} else Bound.UPPER,
        basis="; ".join(dict.fromkeys(bases)),
        notes=tuple(notes),
    )


def _drawn(
    volumes: Sequence[PlannedVolume], groups: Sequence[tuple[int, ...]], together: bool
) -> Floats:
    """A row for each moment: loads over the planned ones; those that do not vary are 1."""
    # points that fill a cube evenly: multiples of roots of primes (R. D. Richtmyer, 1951)
    numbers = np.arange(_MOMENT_COUNT) + 0.5
    primes = (n for n in count(2) if all(n % each for each in range(2, math.isqrt(n) + 1)))
    moment: Floats = numbers / _MOMENT_COUNT
    ratios = np.ones((_MOMENT_COUNT, len(volumes)))
    for number, group in enumerate(groups):
        if number and not together:
            moment = np.asarray(numbers * math.sqrt(next(primes)) % 1, dtype=np.float64)
        for place in group:
            volume = volumes[place]
            if len(group) == 1:
                ratios[:, place] = volume.load_ratios(moment)
            elif volume.series is not None:  # of the same times as others: in their order
                loads_bps = series_rates_bps(volume.series, volume.payload_bits)
                order = (moment * len(loads_bps)).astype(np.intp)
                ratios[:, place] = loads_bps[order] / volume.planned_bps
    return ratios


def _range_text(low: float, high: float) -> str:
    """A share of the time, or a range of them."""
    texts = dict.fromkeys(
        f"over {WHOLE_PERCENT * _CERTAIN_RATIO:g}"
        if _CERTAIN_RATIO < ratio < 1
        else f"{WHOLE_PERCENT * ratio:.4g}"
        for ratio in (low, high)
    )
    return f"{' to '.join(texts)} %"
