"""What a demand needs on one kind of path: adapters by direction, CPUs by side; and in words."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.estimates import Bound, Predicted
from netmodel.grades import Grade
from netmodel.html import definition_table
from netmodel.path.distance import Distance
from netmodel.path.settings import Setting, settings_text
from netmodel.path.stages import ADAPTER_STAGES, DIRECTION_AT, LINE_STAGES, host_pool_name
from netmodel.planning.demand import Demand, Headroom, largest, planned
from netmodel.planning.flows import Flow
from netmodel.predicted_text import copy_text
from netmodel.results import Result, short_repr
from netmodel.terminal import Column, columns_html, columns_table, fitted
from netmodel.text import (
    RESULT_DIGITS,
    SENTENCE_DIGITS,
    fixed_percent,
    listed,
    percent_text,
    range_text,
)
from netmodel.units import BITS_PER_BYTE, format_rate

if TYPE_CHECKING:
    pass

_CPU = "CPU"
"""Time basis of a host whose record does not say whether a CPU is a core or a thread."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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

    @property
    def uses(self) -> tuple[Predicted[float] | None, ...]:
        """Shares in use with all adapters, and after failures."""
        return self.use_ratio, self.after_failure_ratio


@dataclass(frozen=True, slots=True, kw_only=True)
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


def whole(counts: Predicted[float]) -> int | None:
    """Return the count that is planned; None where no number is enough."""
    count = planned(counts)
    return int(count) if math.isfinite(count) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNeed(Result):
    """
    CPUs, or other servers, that the stages of a pool need.

    Parameters
    ----------
    name : str
        That of the pool.
    side : Side, optional
        Whose it is.
    is_cpu : bool
        Whether its time is CPU time.
    busy_count : Predicted
        Those that the demand keeps busy.
    needed_count : Predicted
        Whole ones of which no more than allowed is used.
    present_count : float, optional
        Those that the path has, the value to quote; None where that is not known.
    time_basis : str
        What one of them is: a thread, or a core with one busy thread.
    core_count : Predicted
        Whole cores for that, with what a second thread gains, and spare cores.
    cost : CpuCost, optional
        The cost that the demand was computed from; None where service times were.
    smt_gain : Predicted, optional
        Work of a core with two busy threads over that with one, where it counts.
    """

    name: str
    side: Side | None
    is_cpu: bool
    busy_count: Predicted[float]
    needed_count: Predicted[float]
    present_count: float | None
    time_basis: str
    core_count: Predicted[float]
    cost: CpuCost | None = None
    smt_gain: Predicted[float] | None = None

    json_keys = (
        "name side is_cpu busy_count needed_count present_count time_basis "
        "core_count=cpu_core_count cost=cost.given_text smt_gain"
    )

    @property
    def cpu_core_count(self) -> Predicted[float] | None:
        """Whole cores that are needed; None where its time is not CPU time."""
        return self.core_count if self.is_cpu else None

    @property
    def unit(self) -> str:
        """What is planned: cores, or CPUs where it is not known whether these are threads."""
        return _CPU if self.time_basis == _CPU else "core"

    @property
    def of_side(self) -> str:
        """Whose CPUs: the side of a host, else the name of the pool."""
        if self.side is not None and self.name == host_pool_name(self.side):
            return self.side.value
        return self.name


@dataclass(frozen=True, kw_only=True)
class Plan(Result):
    """
    What a demand needs on one kind of path, and what is used of it then.

    Parameters
    ----------
    flows : tuple of Flow
        The demand.
    client_adapter, server_adapter : str, optional
        Ids of the adapters; None where the path has none there.
    path : str, optional
        Id of the record of the path, where there is one.
    mtu_bytes : float
        Largest innermost packet. [byte]
    headroom : Headroom
        What may be used, and what may fail.
    adapter_count : Predicted
        Adapters at each side, or of the side that is asked for, with the spares, as a lower bound:
        the rates that they carry are upper bounds. Infinite where no number is enough.
    one_adapter : Carried
        What one adapter at each side carries, in full use.
    stages : tuple of StageUse
        Stages that the flows share, in the order of the path.
    directions : tuple of DirectionNeed
        Each direction of each side that carries something.
    pools : tuple of PoolNeed
        CPUs and other servers, as far as the path has service times for the flows.
    shortfalls : tuple of str
        Why the demand is not carried, regardless of the number of adapters.
    grade : Grade, optional
        The worst grade of all parameters.
    notes : tuple of str
        What the plan leaves out or rests on, most important first.
    settings : tuple of Setting
        What the adapters were measured with, such as offloads.
    distance : Distance, optional
        What lies between the sites.
    count_without_spares : Predicted
        Adapters at each side with the share that may be used while all work, without spares.
    count_by_bounds : Predicted
        The same by upper bounds of rates alone; fewer where connections are expected to reach the
        planned rate only over more adapters.
    adapters_available : int, optional
        Adapters at each side, or of the side that is asked for, that there are; None for any
        number.
    volume_bytes : float, optional
        Payload of a copy, of which the time is asked for. [byte]
    asked_side : Side, optional
        Whose adapters are counted, where the demand asks for one side; None for those of each.
    demand : Demand, optional
        What it was made from, with the records of all values; not compared, and not in JSON.

    Examples
    --------
    >>> import netmodel
    >>> (plan,) = netmodel.plan("40 Gbit/s", adapters="ethernet-25gbe", mtu_bytes=1500)
    >>> plan.chosen_count
    4
    """

    flows: tuple[Flow, ...]
    client_adapter: str | None
    server_adapter: str | None
    path: str | None
    mtu_bytes: float
    headroom: Headroom
    adapter_count: Predicted[float]
    count_without_spares: Predicted[float]
    count_by_bounds: Predicted[float]
    one_adapter: Carried
    stages: tuple[StageUse, ...]
    directions: tuple[DirectionNeed, ...]
    pools: tuple[PoolNeed, ...]
    shortfalls: tuple[str, ...]
    grade: Grade | None
    notes: tuple[str, ...]
    settings: tuple[Setting, ...] = ()
    distance: Distance | None = None
    adapters_available: int | None = None
    volume_bytes: float | None = None
    asked_side: Side | None = None
    demand: Demand | None = field(default=None, repr=False, compare=False)

    json_keys = (
        "client_adapter server_adapter path mtu_bytes distance answer holds one_adapter "
        "count_without_spares adapters_available chosen_count asked_side side_counts "
        "adapter_count binding max_utilisation_ratio=headroom.max_utilisation_ratio "
        "max_utilisation_after_failure_ratio=headroom.after_failure_ratio "
        "spare_count=headroom.spare_count directions stages pools flows copy_time_s shortfalls "
        "measured_with=settings grade notes"
    )

    @property
    def chosen_count(self) -> int | None:
        """Adapters at each side that are planned; None where no number is enough."""
        return whole(self.adapter_count)

    @property
    def copy_time_s(self) -> float | None:
        """Time of a copy at the planned rate of all flows, or at the one that they reach. [s]"""
        if self.volume_bytes is None or self.demand is None:
            return None
        limits = [
            self.demand.flow_limits(place, self.chosen_count or 1)
            for place in range(len(self.flows))
        ]
        slowed = max([1.0, *(planned(use) for each in limits for use in each.values())])
        rate_bps = sum(flow.payload_rate_bps for flow in self.flows) / slowed
        return BITS_PER_BYTE * self.volume_bytes / rate_bps

    @property
    def side_counts(self) -> dict[Side, Predicted[float]]:
        """Adapters that each side needs for what it sends and receives, with the spares."""
        needs = {
            side: [need.adapter_count for need in self.directions if need.side is side]
            for side in Side
        }
        return {side: largest(counts) for side, counts in needs.items() if counts}

    @property
    def where(self) -> str:
        """Whose adapters are counted, in words."""
        return "at each side" if self.asked_side is None else f"at the {self.asked_side.value}"

    @property
    def holds(self) -> bool:
        """Whether the demand is carried with the headroom."""
        return self.chosen_count is not None and not self.shortfalls

    @property
    def binding(self) -> str:
        """The stage that needs most adapters."""
        return self.scarcest.binding.name

    @property
    def equipment(self) -> str:
        """Ids of the adapters, client first, once where both are the same; and of the path."""
        ids = dict.fromkeys(filter(None, (self.client_adapter, self.server_adapter)))
        over = filter(None, (" to ".join(ids), self.path))
        return " over ".join(over)

    @property
    def text(self) -> str:
        """The decision in a sentence, and what is needed of each side."""
        return f"{self.answer}\n\n{columns_table(need_columns(self))}"

    def details(self) -> str:
        """Lines on what the plan rests on."""
        return "\n".join(map(": ".join, self._rows()))

    def __str__(self) -> str:
        notes = (f"note: {note}" for note in self.notes)
        return fitted("\n".join([self.text, "", self.details(), *notes]))

    def __repr__(self) -> str:
        return short_repr(self, f"{self.equipment}, MTU {self.mtu_bytes:g}: {self.answer}")

    def _repr_html_(self) -> str:
        notes = (("note", note) for note in self.notes)
        table = columns_html(self.answer, need_columns(self))
        return table + definition_table("", (*self._rows(), *notes))

    @property
    def answer(self) -> str:
        """The decision in a sentence."""
        return need_text(self)

    @property
    def cpu_needs(self) -> list[PoolNeed]:
        """Those of the sides, of which CPUs are planned."""
        return [pool for pool in self.pools if pool.is_cpu and pool.side is not None]

    @property
    def scarcest(self) -> DirectionNeed:
        """The direction that needs most adapters, and uses most of them."""

        def need(direction: DirectionNeed) -> tuple[float, float]:
            use = direction.binding.use_ratio
            return planned(direction.adapter_count), 0.0 if use is None else planned(use)

        return max(
            (each for each in self.directions if self.asked_side in (None, each.side)), key=need
        )

    def _cost_texts(self, cost: CpuCost) -> Iterator[str]:
        """The cost in both units, for each size of transactions."""
        sizes = {flow.name: flow.traffic.exchanged_bytes for flow in self.flows}
        if cost.case and len(self.flows) > 1:
            yield f"{cost.given_text}, for each flow by the printed ratio"
            return
        for name, exchanged_bytes in sizes.items():
            yield f"{cost.conversion_text(float(exchanged_bytes))}, of {name}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield from (("flow", str(flow)) for flow in self.flows)
        for pool in self.pools:
            if pool not in self.cpu_needs:
                needed, busy = planned(pool.needed_count), planned(pool.busy_count)
                noun = "CPUs" if pool.is_cpu else "servers"
                yield pool.name, f"{plain_number(needed)} {noun}, {plain_number(busy)} busy"
            if pool.cost is not None and pool.side is not None:
                yield f"{pool.side.value} cost", "; ".join(self._cost_texts(pool.cost))
        if self.grade is not None:
            yield "evidence", f"{self.grade.value}, the weakest of all parameters"
        if self.settings:
            yield "measured with", settings_text(self.settings)
        yield from (("not enough", text) for text in self.shortfalls)


def resource_text(name: str) -> str:
    """Return a resource as people call it: "server cores" for the CPUs of the server."""
    return _CORES.get(name, name)


# The decision


def need_text(plan: Plan) -> str:
    """Return what a plan needs and what one adapter carries, or why it does not hold."""
    if not plan.holds:
        return f"No: {refusal_text(plan)}.{copied_text(plan)}"
    shows_share = not plan.cpu_needs
    return f"{needs_text(plan)}: {rate_of_one(plan, shows_share=shows_share)}.{copied_text(plan)}"


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
    """Adapters, and cores of each side whose CPU cost is known."""
    cores = (
        f"{(need.core_count.bound is Bound.LOWER and 'at least ') or ''}"
        f"{counted(planned(need.core_count), f'{need.of_side} {need.unit}')}"
        for need in plan.cpu_needs
    )
    return listed([_adapters_text(plan, shows_spares), *cores])


def _adapters_text(plan: Plan, shows_spares: bool = True) -> str:
    """Adapters with their spares, such as "3 adapters (2 + 1 spare)"."""
    count, spare_count = plan.chosen_count or 0, plan.headroom.spare_count
    fewest = int(planned(plan.count_without_spares))
    parts = f"{fewest:,} + {spare_count:,} spare" if fewest + spare_count == count else ""
    parts = parts or f"{spare_count:,} may fail"
    has_both = None not in (plan.client_adapter, plan.server_adapter)
    both = " at each side" if plan.asked_side is None and has_both else ""
    spares = f" ({parts if spare_count else 'no spare'})" if shows_spares else ""
    return f"{counted(count, 'adapter')}{both}{spares}"


def counted(count: float, noun: str) -> str:
    """Return a number of things, such as "1 adapter"."""
    return f"{plain_number(count)} {noun}{'s' * (count != 1)}"


def rate_of_one(plan: Plan, name: str = "", *, shows_share: bool = True) -> str:
    """What one adapter carries at most, or that connections need more of them."""
    fewer, enough = (planned(each) for each in (plan.count_by_bounds, plan.count_without_spares))
    if fewer < enough < math.inf:
        return f"the connections reach the rate over {plain_number(enough)} adapters only"
    need = plan.one_adapter.demand_ratio
    ratio, share = need.value, plan.headroom.max_utilisation_ratio
    where = "" if name else f" at MTU {plan.mtu_bytes:g}"
    where += f" over {plan.path}" if plan.path else ""
    if not math.isfinite(ratio):
        return f"no limit of the adapters is known{where}"
    # the share of the demand that one adapter is planned with, in full use
    planned_ratio = 1 / planned(Predicted(1 / need.value, 1 / need.high, 1 / need.low))
    most, full, used = (
        _amount_text(plan, each) for each in (ratio, planned_ratio, planned_ratio * share)
    )
    text = f"{_subject(plan, name)} at most {most}{where}"
    if share < 1 and shows_share and enough > math.ceil(round(1 / planned_ratio, 9)):
        return f"{text}, {used} at {percent_text(share, CARRIED_DIGITS)} use"
    return text if full == most else f"{text}, planned with {full}"


def _subject(plan: Plan, name: str) -> str:
    """What carries, and how it does."""
    one, (flow, *others) = plan.one_adapter, plan.flows
    if one.binding in LINE_STAGES:
        return "the line carries"
    name = name or adapter_name(plan, one.side) or "an adapter"
    is_of_payload = DIRECTION_AT[one.side, one.direction] == DIRECTION_AT[flow.sender, "out"]
    if others or flow.is_in_transactions or not is_of_payload or one.binding not in ADAPTER_STAGES:
        return f"{name} carries"
    return f"{name} {_VERBS[one.direction]}"


def adapter_name(plan: Plan, side: Side) -> str:
    """Return the title of the adapter of a side, without its speed."""
    own = plan.server_adapter if side is Side.SERVER else plan.client_adapter
    records = () if plan.demand is None else plan.demand.records
    titles = (_SPEED.sub("", each.title) for each in records if each.id == own)
    return next(titles, own or "")


def _amount_text(plan: Plan, ratio: float) -> str:
    """A share of the demand, as a rate where it is a single flow."""
    if len(plan.flows) == 1:
        return amount_text(plan.flows[0], ratio)
    digits = _digits(ratio)
    is_more = ratio > 1
    return (
        f"{ratio:,.{digits}g} times the mix"
        if is_more
        else f"{100 * ratio:.{digits}g} % of the mix"
    )


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


def need_columns(plan: Plan) -> list[Column]:
    """Return the needs of a plan as columns: a row for each direction and each side's CPUs."""
    rows = []
    for need in plan.directions:
        counts, name = need.adapter_count, need.binding.name
        texts = bound_text(planned(counts)), counts_range_text(counts), name
        use, after = map(_use_text, need.binding.uses)
        after = after if plan.headroom.spare_count else ""
        rows.append((need.side.value, f"adapters {need.direction}", *texts, use, after))
    for pool in plan.cpu_needs:
        present = "" if pool.present_count is None else f" of {plain_number(pool.present_count)}"
        count = f"{pool.core_count.bound.sign}{plain_number(planned(pool.core_count))}{present}"
        busy = plain_number(float(f"{pool.busy_count.value:.{BUSY_DIGITS}g}"))
        span = counts_range_text(pool.busy_count, BUSY_DIGITS)
        busy += f" busy ({span})" if span else " busy"
        texts = count, counts_range_text(pool.core_count), ""
        rows.append((pool.of_side, f"{pool.unit}s", *texts, busy, ""))
    heads = ("side", "needs", "count", "range", "bottleneck", "in use", "after failure")
    numbers = ("count", "in use", "after failure")
    columns = zip(heads, zip(*rows, strict=True), strict=True)
    return [Column(head, cells, is_number=head in numbers) for head, cells in columns]


def use_cells(plan: Plan) -> tuple[str, str, str]:
    """Return the range of the count, and what is in use of the bottleneck, also after failures."""
    need, has_spares = plan.scarcest, plan.headroom.spare_count
    use, after = map(_use_text, need.binding.uses)
    return counts_range_text(need.adapter_count), use, after if has_spares else ""


def _use_text(use: Predicted[float] | None) -> str:
    return "" if use is None else f">= {fixed_percent(planned(use), 1)}"


# Numbers


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
