"""What a demand needs on one kind of path: adapters by direction, CPUs by side; and in words."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from netmodel.consumption import Side
from netmodel.estimates import Bound, Predicted, combined
from netmodel.grades import Grade, weakest_grade
from netmodel.html import definition_table
from netmodel.lazy_numpy import np
from netmodel.numeric import Floats, require_at_least, require_kind, require_one, require_whole
from netmodel.path import Pool
from netmodel.path.ensemble import ends_of, quoted_of
from netmodel.path.limits import Published
from netmodel.path.stages import (
    ADAPTER_STAGES,
    DIRECTION_AT,
    LINE_STAGES,
    host_pool_name,
    settings_text,
)
from netmodel.planning.demand import (
    MAX_ADAPTER_COUNT,
    Demand,
    Headroom,
    Resource,
    bound_of,
    planned,
)
from netmodel.planning.notes import (
    CARRIED_DIGITS,
    amount_text,
    beside_adapters,
    plain_number,
    plan_notes,
)
from netmodel.planning.sizing import required_adapter_count
from netmodel.predicted_text import copy_text
from netmodel.results import Result, short_repr
from netmodel.terminal import Column, columns_html, columns_table, fitted
from netmodel.text import SENTENCE_DIGITS, fixed_percent, listed, percent_text, range_text
from netmodel.units import BITS_PER_BYTE, format_rate

_CPU = "CPU"
"""Time basis of a host whose record does not say whether a CPU is a core or a thread."""
WITH_HEADROOM = Headroom()
_BUSY_DIGITS = 3
"""Of busy CPUs: one more than the costs of the field repeat to."""
_TIE_DIGITS = 8
"""Uses that agree so far are a tie: more than any figure has, less than rounding leaves."""
_SPEED = re.compile(r" [0-9.]+ (GbE|Gigabit Ethernet)$")
"""End of the titles of adapters, which a sentence about rates leaves out."""
_VERBS = {"in": "receives", "out": "sends"}


@dataclass(frozen=True)
class Carried(Result):
    """
    What one adapter at each side carries of a demand, in full use.

    Parameters
    ----------
    demand_ratio : Predicted
        Share of the demand, an upper bound as that of a prediction: the highest that parameters
        leave open, with published figures as printed. Above 1 where they carry more.
    payload_rate_bps : Predicted
        The share as payload of the sides that send more, all flows together. [bit/s]
    binding : str
        The stage that bounds it.
    side : Side
        Whose adapters, or whose end of the line; the server where both.
    direction : str
        ``"in"`` or ``"out"``, as seen from the host of that side.
    """

    demand_ratio: Predicted[float]
    payload_rate_bps: Predicted[float]
    binding: str
    side: Side
    direction: str

    json_keys = (
        "value=payload_rate_bps.value low=payload_rate_bps.low high=payload_rate_bps.high "
        "bound=payload_rate_bps.bound demand_ratio binding side direction"
    )


@dataclass(frozen=True)
class StageUse(Result):
    """
    How much of a stage a demand uses.

    Parameters
    ----------
    name : str
        That of the stage.
    is_of_adapters : bool
        Whether each adapter brings one.
    adapter_count : Predicted, optional
        Adapters that it needs, with the spares; None where they do not change it.
    use_ratio : Predicted, optional
        Share that is used of it with the adapters of the plan; None where no
        number of them is enough.
    after_failure_ratio : Predicted, optional
        The same while as many have failed as may fail.
    """

    name: str
    is_of_adapters: bool
    adapter_count: Predicted[float] | None
    use_ratio: Predicted[float] | None
    after_failure_ratio: Predicted[float] | None


@dataclass(frozen=True)
class DirectionNeed(Result):
    """
    Adapters that one direction of one side needs.

    Parameters
    ----------
    side : Side
        Whose adapters.
    direction : str
        ``"out"`` or ``"in"``, as seen from its host.
    binding : StageUse
        The stage that needs most of them.
    adapter_count : Predicted
        How many, with the spares; infinite where no number is enough.
    """

    side: Side
    direction: str
    binding: StageUse
    adapter_count: Predicted[float]

    json_keys = "side direction binding=binding.name adapter_count"


@dataclass(frozen=True)
class PoolNeed(Result):
    """
    CPUs, or other servers, that the stages of a pool need.

    Parameters
    ----------
    pool : Pool
        The servers.
    busy_count : Predicted
        Those that the demand keeps busy.
    needed_count : Predicted
        Whole ones of which no more than allowed is used.
    core_count : Predicted
        Whole cores for that, with what a second thread gains.
    present_count : float, optional
        Those that the path has, the value to quote; None where that is not known.
    """

    pool: Pool
    busy_count: Predicted[float]
    needed_count: Predicted[float]
    core_count: Predicted[float]
    present_count: float | None

    json_keys = (
        "name=pool.name side=pool.side is_cpu=pool.is_cpu busy_count needed_count present_count "
        "time_basis=pool.time_basis core_count=cpu_core_count cost=pool.cost.given_text smt_gain"
    )

    @property
    def cpu_core_count(self) -> Predicted[float] | None:
        """Whole cores that are needed; None where its time is not CPU time."""
        return self.core_count if self.pool.is_cpu else None

    @property
    def smt_gain(self) -> Predicted[float] | None:
        """Work of a core with two busy threads over that with one, where it counts."""
        low, high = (require_one("smt_gain", each) for each in ends_of(self.pool.smt_gain))
        quoted = require_one("smt_gain", quoted_of(self.pool.smt_gain))
        return None if high == 1 else Predicted(quoted, low, high)

    @property
    def unit(self) -> str:
        """What is planned: cores, or CPUs where it is not known whether these are threads."""
        return _CPU if self.pool.time_basis == _CPU else "core"

    @property
    def of_side(self) -> str:
        """Whose CPUs: the side of a host, else the name of the pool."""
        side = self.pool.side
        is_host = side is not None and self.pool.name == host_pool_name(side)
        return side.value if side is not None and is_host else self.pool.name


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan(Result):
    """
    What a demand needs on one kind of path, and what is used of it then.

    Parameters
    ----------
    demand : Demand
        What is to be carried, over which path.
    headroom : Headroom
        What may be used, and what may fail.
    adapters_available : int, optional
        Adapters at each side, or of the side that is asked for, that there are; None for any
        number.
    volume_bytes : float, optional
        Payload of a copy, of which the time is asked for. [byte]

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

    json_keys = (
        "client_adapter=demand.client_adapter server_adapter=demand.server_adapter "
        "path=demand.path_id mtu_bytes distance=demand.path.distance answer holds one_adapter "
        "count_without_spares adapters_available chosen_count asked_side=demand.asked_side "
        "side_counts adapter_count binding max_utilisation_ratio=headroom.max_utilisation_ratio "
        "max_utilisation_after_failure_ratio=headroom.after_failure_ratio "
        "spare_count=headroom.spare_count directions stages pools flows=demand.flows copy_time_s "
        "shortfalls measured_with=demand.path.settings grade notes"
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
        counts = demand.reaching(
            demand.largest(self.needed, demand.asked_side), self.headroom.spare_count
        )
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
    def _rows(self) -> list[tuple[Resource, StageUse]]:
        """Each resource with its use by the adapters of its side; its own if it is not asked."""
        demand, asked = self.demand, self.demand.asked_side
        own = dict.fromkeys((None, *Side), planned(self.adapter_count))
        if asked is not None:
            own[asked.other] = planned(demand.largest(self.needed, asked.other))
        counts = np.array([[own[each.side]] for each in demand.resources])
        uses = (
            demand.spread(demand.use_ratios(np.maximum(counts - failed, 1)))
            for failed in (0, self.headroom.spare_count)
        )
        rows = []
        for each, need, *of in zip(demand.resources, self.needed, *uses, strict=True):
            is_known = not each.is_of_adapters or math.isfinite(own[each.side])
            count = need if each.is_of_adapters else None
            known = of if is_known else (None, None)
            rows.append((each, StageUse(each.name, each.is_of_adapters, count, *known)))
        return rows

    @cached_property
    def _scarcity(self) -> dict[str, tuple[float, float, bool]]:
        """Adapters that each resource needs, and use of one; of ties, the line is what is known."""
        alone = self.demand.spread(self.demand.use_ratios(1))
        return {
            each.name: (planned(need), round(planned(use), _TIE_DIGITS), each.name in LINE_STAGES)
            for each, need, use in zip(self.demand.resources, self.needed, alone, strict=True)
        }

    @property
    def stages(self) -> tuple[StageUse, ...]:
        """Stages that the flows share, in the order of the path."""
        return tuple(use for each, use in self._rows if each.pool is None)

    @cached_property
    def directions(self) -> tuple[DirectionNeed, ...]:
        """Each direction of each side that carries something."""
        counts, demand = self.adapter_count, self.demand
        by_stages = demand.largest(self.needed, demand.asked_side)
        more = [] if counts == replace(by_stages, bound=counts.bound) else [counts]

        result = []
        for (side, direction), on_path in DIRECTION_AT.items():
            passed = [
                use
                for each, use in self._rows
                if each.is_of_adapters and each.side in (None, side) and on_path in each.directions
            ]
            if passed:
                needs = [*(each.adapter_count for each in passed if each.adapter_count), *more]
                count = combined(max, needs, counts.bound)
                binding = max(passed, key=lambda stage: self._scarcity[stage.name])
                result.append(DirectionNeed(side, direction, binding, count))
        return tuple(result)

    @property
    def side_counts(self) -> dict[Side, Predicted[float]]:
        """Adapters that each side needs for what it sends and receives, with the spares."""
        bound, result = self.adapter_count.bound, dict[Side, Predicted[float]]()
        for need in self.directions:
            counts = [need.adapter_count, result.get(need.side, need.adapter_count)]
            result[need.side] = combined(max, counts, bound)
        return result

    @property
    def scarcest(self) -> DirectionNeed:
        """The direction that needs most adapters, and uses most of them."""

        def scarcity(each: DirectionNeed) -> tuple[float, float]:
            use = each.binding.use_ratio
            return planned(each.adapter_count), 0 if use is None else planned(use)

        asked = self.demand.asked_side
        return max((each for each in self.directions if asked in (None, each.side)), key=scarcity)

    @property
    def binding(self) -> str:
        """The stage that needs most adapters."""
        return self.scarcest.binding.name

    @cached_property
    def one_adapter(self) -> Carried:
        r"""What one adapter at each side carries of the flows: :math:`1 / \max_r L_r` of each."""
        demand, used = self.demand, self.demand.use_ratios(1)
        rows = demand.adapter_rows(demand.asked_side)
        least = np.where(demand.are_printed, used, np.inf).min(axis=1)
        # of stages that tie, the line is what is known
        scarcest = demand.resources[
            max(
                rows,
                key=lambda row: (
                    round(least[row], _TIE_DIGITS),
                    demand.resources[row].name in LINE_STAGES,
                ),
            )
        ]
        ends = (least[rows].max(), used[rows].max(), used[rows].min(axis=1).max())
        value, low, high = (1 / float(use) if use else math.inf for use in ends)
        ratio = Predicted(value, low, high, Bound.UPPER)
        rate = ratio.scaled(sum(flow.payload_rate_bps for flow in demand.flows))
        # the server's end of a line, where flows send most
        side, ways = scarcest.side or Side.SERVER, scarcest.directions
        way = next(iter(ways)) if len(ways) == 1 else DIRECTION_AT[demand.sending, "out"]
        direction = "in" if way == DIRECTION_AT[side, "in"] else "out"
        return Carried(ratio, rate, scarcest.name, side, direction)

    # ---- CPUs, and all that is not enough

    @cached_property
    def pools(self) -> tuple[PoolNeed, ...]:
        """CPUs and other servers, as far as the path has service times for the flows."""
        demand, share = self.demand, self.headroom.max_utilisation_ratio
        used, result = demand.use_ratios(1), []

        def whole(row: int, per_core: float, bound: Bound) -> Predicted[float]:
            """Whole ones for the busy ones over the share allowed."""
            counts: Floats = np.asarray(required_adapter_count(used, per_core, share), dtype=float)
            return replace(demand.spread(counts)[row], bound=bound)

        for row, each in enumerate(demand.resources):
            pool = each.pool
            if pool is None:
                continue
            busy, present, bound = (
                used[row],
                demand.server_counts[row, 0],
                bound_of(pool, demand.path),
            )
            gains = (quoted_of(pool.smt_gain), *ends_of(pool.smt_gain))
            # in the time basis of the pool: fewest cores with the largest gain
            cores, most, least = (
                whole(row, require_one("smt_gain", gain) * pool.threads_per_core, bound)
                for gain in gains
            )
            result.append(
                PoolNeed(
                    pool,
                    Predicted(float(busy[0]), float(busy.min()), float(busy.max())),
                    whole(row, 1, bound),
                    Predicted(cores.value, least.low, most.high, bound),
                    None if np.isnan(present) else float(present),
                )
            )
        return tuple(result)

    @property
    def cpu_needs(self) -> list[PoolNeed]:
        """Those of the sides, of which CPUs are planned."""
        return [each for each in self.pools if each.pool.is_cpu and each.pool.side is not None]

    @cached_property
    def shortfalls(self) -> tuple[str, ...]:
        """Why the demand is not carried; empty where it is, with the headroom."""
        count, available = self.chosen_count, self.adapters_available
        lacking = [*beside_adapters(self.demand, self.headroom, count or 1)]
        if count is None:
            lacking.append(
                "the connections are too few: one adapter has more of the load than it may carry, "
                f"also where there are {MAX_ADAPTER_COUNT:,} of them"
            )
        elif available is not None and count > available:
            lacking.append(
                f"{count:,} adapters are needed {self.where}, and {available:,} available"
            )
        return tuple(lacking)

    @property
    def holds(self) -> bool:
        """Whether the demand is carried with the headroom."""
        return not self.shortfalls

    @property
    def copy_time_s(self) -> float | None:
        """Time of a copy at the planned rate of all flows, or at the one that they reach. [s]"""
        if self.volume_bytes is None:
            return None
        flows, count = self.demand.flows, self.chosen_count or 1
        limits = (self.demand.flow_limits(place, count) for place in range(len(flows)))
        slowed = max([1.0, *(planned(use) for each in limits for use in each.values())])
        rate_bps = sum(flow.payload_rate_bps for flow in flows) / slowed
        return BITS_PER_BYTE * self.volume_bytes / rate_bps

    # ---- Evidence

    @property
    def _printed(self) -> list[Published]:
        """What documents print that needs most adapters of a direction."""
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
        """What the plan leaves out or rests on, most important first."""
        printed = (each.text for each in self._printed)
        return tuple(plan_notes(self.demand, self.chosen_count, printed))

    # ---- In words

    @property
    def answer(self) -> str:
        """The decision in a sentence: what is needed and one adapter carries, or what lacks."""
        if not self.holds:
            return f"No: {refusal_text(self)}.{copied_text(self)}"
        needs, one = needs_text(self), rate_of_one(self, shows_share=not self.cpu_needs)
        return f"{needs[0].upper()}{needs[1:]}: {one}.{copied_text(self)}"

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield what the plan rests on, by a word."""
        path, (first, *_) = self.demand.path, self.demand.flows
        yield from (("flow", str(flow)) for flow in self.demand.flows)
        for need in self.pools:
            pool = need.pool
            if need not in self.cpu_needs:
                needed, busy = (planned(each) for each in (need.needed_count, need.busy_count))
                yield pool.name, f"{plain_number(needed)} needed, {plain_number(busy)} busy"
            if pool.cost is not None and pool.side is not None:
                size = float(first.traffic.exchanged_bytes)
                yield (
                    f"{pool.side.value} cost",
                    f"{pool.cost.conversion_text(size)}, of {first.name}",
                )
        if self.grade is not None:
            yield "evidence", f"{self.grade.value}, the weakest of all parameters"
        if path.settings:
            yield "measured with", settings_text(path.settings)
        yield from (("not enough", text) for text in self.shortfalls)

    def __str__(self) -> str:
        rows = [*self.rows(), *(("note", note) for note in self.notes)]
        lines = [self.answer, "", columns_table(need_columns(self)), "", *map(": ".join, rows)]
        return fitted("\n".join(lines))

    def __repr__(self) -> str:
        return short_repr(self, f"{self.equipment}, MTU {self.mtu_bytes:g}: {self.answer}")

    def _repr_html_(self) -> str:
        rows = [*self.rows(), *(("note", note) for note in self.notes)]
        return columns_html(self.answer, need_columns(self)) + definition_table("", rows)


# ---- The decision


def copied_text(plan: Plan) -> str:
    """How long a copy takes; empty where none is asked for."""
    time_s = plan.copy_time_s
    if plan.volume_bytes is None or time_s is None:
        return ""
    rate = format_rate(BITS_PER_BYTE * plan.volume_bytes / time_s, SENTENCE_DIGITS)
    return f" {copy_text(plan.volume_bytes, time_s)} at {rate}."


def refusal_text(plan: Plan) -> str:
    """Why a plan does not hold."""
    count, available = plan.chosen_count, plan.adapters_available
    if len(plan.shortfalls) > 1 or (count and (available is None or count <= available)):
        return plan.shortfalls[0]
    if count is None:
        return f"the connections use too few adapters: {rate_of_one(plan)}"
    return f"{_adapters_text(plan)} needed, {available:,} available: {rate_of_one(plan)}"


def needs_text(plan: Plan, shows_spares: bool = True) -> str:
    """Adapters, and cores of each side whose CPU cost is known; what is a bound says so first."""
    is_bound = plan.adapter_count.bound is Bound.LOWER
    cores = (
        f"{'at least ' * (need.core_count.bound is Bound.LOWER and not is_bound)}"
        f"{counted(planned(need.core_count), f'{need.of_side} {need.unit}')}"
        for need in plan.cpu_needs
    )
    return listed([_adapters_text(plan, shows_spares), *cores])


def _adapters_text(plan: Plan, shows_spares: bool = True) -> str:
    """Adapters with their spares, such as "at least 3 adapters (2 + 1 spare)"."""
    count, spare_count = plan.chosen_count or 0, plan.headroom.spare_count
    fewest = int(planned(plan.count_without_spares))
    parts = f"{fewest:,} + {spare_count:,} spare" if fewest + spare_count == count else ""
    parts = parts or f"{spare_count:,} may fail"
    has_both = None not in (plan.demand.client_adapter, plan.demand.server_adapter)
    both = " at each side" if plan.demand.asked_side is None and has_both else ""
    spares = f" ({parts if spare_count else 'no spare'})" if shows_spares else ""
    least = "at least " * (plan.adapter_count.bound is Bound.LOWER)
    return f"{least}{counted(count, 'adapter')}{both}{spares}"


def counted(count: float, noun: str) -> str:
    """Return a number of things, such as "1 adapter"."""
    return f"{plain_number(count)} {noun}{'s' * (count != 1)}"


def rate_of_one(plan: Plan, name: str = "", *, shows_share: bool = True) -> str:
    """What one adapter carries at most, or that connections need more of them."""
    fewer, enough = (planned(each) for each in (plan.count_by_bounds, plan.count_without_spares))
    if fewer < enough < math.inf:
        return f"the connections reach the rate over {plain_number(enough)} adapters only"
    demand, one, share = plan.demand, plan.one_adapter, plan.headroom.max_utilisation_ratio
    where = "" if name else f" at MTU {plan.mtu_bytes:g}"
    where += f" over {demand.path_id}" if demand.path_id else ""
    if not math.isfinite(one.demand_ratio.value):
        return f"no limit of the adapters is known{where}"
    # the share of the demand that one adapter is planned with
    ratio = one.demand_ratio
    use = planned(Predicted(1 / ratio.value, 1 / ratio.high, 1 / ratio.low))
    ratios = (ratio.value, share / use)
    if len(demand.flows) == 1:
        most, used = (amount_text(demand.flows[0], ratio) for ratio in ratios)
    else:
        most, used = (f"{100 * ratio:.{CARRIED_DIGITS}g} % of the mix" for ratio in ratios)
    text = f"{_subject(plan, name)} at most {most}{where}"
    if not shows_share or share == 1 or enough <= math.ceil(round(use, _TIE_DIGITS)):
        return text
    return f"{text}, {used} at {percent_text(share, CARRIED_DIGITS)} use"


def _subject(plan: Plan, name: str) -> str:
    """What carries, and how it does."""
    one, (flow, *others) = plan.one_adapter, plan.demand.flows
    if one.binding in LINE_STAGES:
        return "the line carries"
    name = name or adapter_name(plan, one.side) or "an adapter"
    is_of_payload = DIRECTION_AT[one.side, one.direction] == DIRECTION_AT[flow.sender, "out"]
    if others or flow.is_in_transactions or not is_of_payload or one.binding not in ADAPTER_STAGES:
        return f"{name} carries"
    return f"{name} {_VERBS[one.direction]}"


def adapter_name(plan: Plan, side: Side) -> str:
    """Return the title of the adapter of a side, without its speed."""
    demand = plan.demand
    own = demand.server_adapter if side is Side.SERVER else demand.client_adapter
    titles = (_SPEED.sub("", each.title) for each in demand.records if each.id == own)
    return next(titles, own or "")


# ---- Tables


def need_columns(plan: Plan) -> list[Column]:
    """Return the needs of a plan as columns: a row for each direction and each side's CPUs."""
    rows = []
    for need in plan.directions:
        counts, stage = need.adapter_count, need.binding
        after = stage.after_failure_ratio if plan.headroom.spare_count else None
        uses = [
            "" if use is None else f">= {fixed_percent(planned(use), 1)}"
            for use in (stage.use_ratio, after)
        ]
        texts = bound_text(counts), range_of(counts), stage.name
        rows.append((need.side.value, f"adapters {need.direction}", *texts, *uses))
    for pool in plan.cpu_needs:
        present = "" if pool.present_count is None else f" of {plain_number(pool.present_count)}"
        span = range_of(pool.busy_count, _BUSY_DIGITS)
        busy = plain_number(float(f"{pool.busy_count.value:.{_BUSY_DIGITS}g}"))
        busy += f" busy ({span})" if span else " busy"
        texts = f"{bound_text(pool.core_count)}{present}", range_of(pool.core_count), ""
        rows.append((pool.of_side, f"{pool.unit}s", *texts, busy, ""))
    heads = ("side", "needs", "count", "range", "bottleneck", "in use", "after failure")
    numbers = ("count", "in use", "after failure")
    columns = zip(heads, zip(*rows, strict=True), strict=True)
    return [Column(head, cells, is_number=head in numbers) for head, cells in columns]


def bound_text(counts: Predicted[float]) -> str:
    """Return the number that is planned, with the sign of its bound."""
    count = planned(counts)
    return f"{counts.bound.sign}{plain_number(count)}" if math.isfinite(count) else "none"


def range_of(counts: Predicted[float], digits: int | None = None) -> str:
    """Return both ends, to significant digits if given; empty where they are printed alike."""
    ends = (
        end if digits is None or not math.isfinite(end) else float(f"{end:.{digits}g}")
        for end in (counts.low, counts.high)
    )
    low, high = (plain_number(end) if math.isfinite(end) else "none" for end in ends)
    return "" if low == high else range_text(low, high)
