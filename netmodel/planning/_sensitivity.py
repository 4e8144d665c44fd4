"""Which input moves the answer of a plan most: one at a time, each over its own range."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._numeric import ROUNDING_RATIO, require_one
from netmodel._text import SENTENCE_DIGITS, few_names, span_text
from netmodel.consumption._cost import CpuCost, cost_ends
from netmodel.errors import NetmodelError
from netmodel.path import Path, Pool, SpecifiedPath, Stage, predict_path
from netmodel.path._narrowing import Narrowing
from netmodel.path._path import COUNT_NAMES, DIRECTIONS
from netmodel.path._uncertain import Interval, Joint, Parameter, ends_of
from netmodel.planning._answer import plain_number
from netmodel.planning._demand import Demand, demand_of
from netmodel.planning._flows import Flow
from netmodel.planning._loads import Kind, loads_of
from netmodel.planning._plan import Plan
from netmodel.planning._volumes import PlannedVolume
from netmodel.units import format_rate, format_time
from netmodel.units._prefixes import WHOLE_PERCENT

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
_TIMES = {
    "per_message_s": "message",
    "per_wakeup_s": "wake-up",
    "per_interrupt_s": "interrupt",
    "per_frame_s": "frame",
    "per_ack_s": "acknowledgement",
    "per_byte_s": "byte",
}
_NAMED_TIMES = 2
"""Of a point of several times, this many are named: more do not fit a line."""
ADAPTERS, COST = "adapters", "cost"


class UnitCosts(NamedTuple):
    """What an adapter and a core cost, None where it is not given, and in what."""

    adapter_cost: float | None = None
    core_cost: float | None = None
    currency: str = ""

    def of(self, adapters: float, cores: float) -> float | None:
        """Cost of these numbers of adapters and cores, summed over both sides."""
        if self.adapter_cost is None and self.core_cost is None:
            return None
        return adapters * (self.adapter_cost or 0.0) + cores * (self.core_cost or 0.0)


_NO_COSTS = UnitCosts()


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
    run : str
        Measurement that would narrow the range; empty where none is known.
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
    run: str = ""
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
        ends = span_text(_number_text(self.answer_low), _number_text(self.answer_high))
        moved = f"{ends} {self.answer}"
        if self.answer == COST:
            moved = f"{COST} {ends} {self.currency}".rstrip()
        return f"{self.input} {self.low_text} to {self.high_text}: {moved}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "input": self.input,
            "low_text": self.low_text,
            "high_text": self.high_text,
            "answer": self.answer,
            "answer_low": self.answer_low,
            "answer_high": self.answer_high,
            "planned": self.planned,
            "swing": self.swing,
            "swing_ratio": self.swing_ratio,
            "run": self.run,
            "currency": self.currency,
        }


def needs_of(demand: Demand, plan: Plan, unit_costs: UnitCosts = _NO_COSTS) -> dict[str, float]:
    r"""
    Adapters, cores of each side, and their cost that a demand needs, before they are rounded up.

    Parameters
    ----------
    demand : Demand
        The demand of the plan, or a changed one.
    plan : Plan
        For its headroom, corner, adapters and cores.
    unit_costs : UnitCosts
        Of an adapter and a core.

    Returns
    -------
    needs : dict of str to float
        Real numbers, so that small changes show; the cost where unit costs are given.

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
    spare_counts = {
        Kind.ADAPTER: plan.headroom.spare_count,
        Kind.CORES: plan.headroom.spare_core_count,
    }
    units = {pool.name: f"{pool.of_side} {pool.unit}s" for pool in plan.pools}
    needs = {ADAPTERS: 1.0 + plan.headroom.spare_count}
    for each in loads_of(demand, plan).resources:
        if each.kind not in spare_counts or (each.kind is Kind.CORES and each.side is None):
            continue
        spares = spare_counts[each.kind]
        use, after = (plan.corner.of(ratio) for ratio in (each.use_ratio, each.after_failure_ratio))
        needed = max(
            each.unit_count * use / each.limit_ratio,
            (each.unit_count - spares) * after / each.after_failure_limit_ratio + spares,
        )
        name = ADAPTERS if each.kind is Kind.ADAPTER else units[each.name]
        needs[name] = max(needs.get(name, 0.0), needed)
    sides = max(sum(each is not None for each in (plan.client_adapter, plan.server_adapter)), 1)
    cores = sum(needed for name, needed in needs.items() if name != ADAPTERS)
    cost = unit_costs.of(sides * needs[ADAPTERS], cores)
    return needs if cost is None else {**needs, COST: cost}


class _Input(NamedTuple):
    """An input with both ends of its range, as texts and as what the plan then needs."""

    name: str
    texts: tuple[str, str]
    low: Mapping[str, float]
    high: Mapping[str, float]
    run: str = ""


def sensitivities(
    plan: Plan,
    path: SpecifiedPath,
    *,
    volumes: Sequence[PlannedVolume] = (),
    unit_costs: UnitCosts = _NO_COSTS,
    without_statements: bool = False,
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
    unit_costs : UnitCosts
        Of an adapter and a core; the answer is their cost where one is given.
    without_statements : bool
        As in the plan.

    Returns
    -------
    sensitivities : tuple of Sensitivity
        Of inputs that change something; none where no number of adapters is enough. All else is
        as the plan has it, at its corner: one end of each uncertain parameter is often the plan.

    Notes
    -----
    One input at a time says what a planner can act on: which figure to measure, which volume to
    ask for, which setting to choose. Variance-based (Sobol) indices need a distribution of each
    input, which a feasible set, a choice of MTU or a policy does not have; and as adapters are
    the largest of several needs, most inputs would have the index 0.
    """
    demand = plan.demand
    if demand is None or plan.chosen_count is None:
        return ()
    planned = needs_of(demand, plan, unit_costs)
    inputs = [
        *_parameters(demand, plan, unit_costs),
        *_demands(demand, plan, unit_costs, volumes),
        *_choices(demand, plan, path, unit_costs, without_statements, planned),
    ]
    result = []
    for each in inputs:
        swings = {
            name: abs(each.high.get(name, 0.0) - each.low.get(name, 0.0)) / need
            for name, need in planned.items()
            if need > 0
        }
        answer = COST if COST in planned else max(swings, key=lambda name: swings[name])
        if swings.get(answer, 0.0) > ROUNDING_RATIO and math.isfinite(swings[answer]):
            result.append(
                Sensitivity(
                    input=each.name,
                    low_text=each.texts[0],
                    high_text=each.texts[1],
                    answer=answer,
                    answer_low=each.low[answer],
                    answer_high=each.high[answer],
                    planned=planned[answer],
                    run=each.run,
                    currency=unit_costs.currency if answer == COST else "",
                )
            )
    return tuple(sorted(result, key=lambda each: each.swing_ratio, reverse=True))


def _parameters(demand: Demand, plan: Plan, unit_costs: UnitCosts) -> Iterator[_Input]:
    """Service times, costs, SMT gains and published rates, each at its lowest and highest."""
    path = demand.path
    narrowings = {pool.name: pool.narrowing for pool in plan.pools}

    def needs(change: Callable[[Path], Path]) -> dict[str, float]:
        predictions = tuple(
            predict_path(change(each.path), each.traffic, each.mtu_bytes, each.stack)
            for each in demand.predictions
        )
        return needs_of(replace(demand, predictions=predictions), plan, unit_costs)

    def fixed(stages: Iterable[str], value_of: Callable[[Parameter], Parameter]) -> Any:
        chosen = set(stages)
        return lambda path: replace(
            path,
            stages=tuple(
                stage.changed(lambda value, _: value_of(value)) if stage.name in chosen else stage
                for stage in path.stages
            ),
        )

    pools = {pool.name: pool for pool in path.pools}
    intervals: dict[tuple[str, Interval], list[Stage]] = {}
    sets: dict[str, dict[tuple[str, str], Joint]] = {}
    for stage in path.stages:
        cost = _cost_of(pools, stage)
        for name, value in _named(stage):
            if isinstance(value, Joint):
                sets.setdefault(value.of, {})[stage.name, name] = value
            elif isinstance(value, Interval) and cost is None:
                intervals.setdefault((name, value), []).append(stage)
        # (1) costs as they were given
        if cost is not None and any(isinstance(value, Interval) for _, value in _named(stage)):
            pool = pools[stage.pool or ""]
            low, high = (needs(fixed([stage.name], _end_of(at_low))) for at_low in (True, False))
            side = "" if pool.side is None else f"{pool.side.value} "
            yield _Input(
                f"{side}cost", _cost_texts(cost), low, high, _run(narrowings.get(pool.name))
            )
    # (2) intervals; stages of adapters of one record have the same, and move together
    for (name, interval), stages in intervals.items():
        low, high = (
            needs(fixed([stage.name for stage in stages], _only(interval, end)))
            for end in (interval.low, interval.high)
        )
        texts = _value_text(name, interval.low), _value_text(name, interval.high)
        of = few_names([stage.name for stage in stages], "stages")
        run = _run(narrowings.get(stages[0].pool or ""))
        yield _Input(f"{_words(name)} of {of}", texts, low, high, run)
    # (3) points of times that belong together: those with which least and most is needed
    for of, members in sets.items():
        stages_of = dict.fromkeys(stage for stage, _ in members)
        count = len(next(iter(members.values())).values)
        points = [needs(fixed(stages_of, _point_of(of, place))) for place in range(count)]
        key = COST if COST in points[0] else ADAPTERS
        least, most = (
            choose(range(count), key=lambda place: points[place][key]) for choose in (min, max)
        )
        texts = _point_text(members, least), _point_text(members, most)
        yield _Input(f"service times of {of}", texts, points[least], points[most])
    # (4) what a second thread of a core gains
    for pool in path.pools:
        low_gain, high_gain = (require_one("smt_gain", end) for end in ends_of(pool.smt_gain))
        if high_gain > low_gain:
            low, high = (needs(_with_gain(pool, gain)) for gain in (low_gain, high_gain))
            side = "" if pool.side is None else f" of the {pool.side.value}"
            yield _Input(f"SMT gain{side}", (f"{low_gain:g}", f"{high_gain:g}"), low, high)
    # (5) rates that statements allow
    if demand.published:
        without = needs_of(replace(demand, published=()), plan, unit_costs)
        counted = needs_of(demand, plan, unit_costs)
        yield _Input("bounds of published statements", ("left out", "counted"), without, counted)


def _demands(
    demand: Demand, plan: Plan, unit_costs: UnitCosts, volumes: Sequence[PlannedVolume]
) -> Iterator[_Input]:
    """Each flow at a low and a high volume."""
    for place, flow in enumerate(demand.flows):
        ratios = _demand_ratios(volumes[place] if place < len(volumes) else None)
        low, high = (
            needs_of(
                demand.scaled(
                    [ratio if place == other else 1.0 for other in range(len(demand.flows))]
                ),
                plan,
                unit_costs,
            )
            for ratio in ratios
        )
        rates = [format_rate(flow.payload_rate_bps * ratio, SENTENCE_DIGITS) for ratio in ratios]
        yield _Input(flow.name, (rates[0], rates[1]), low, high)


def _choices(
    demand: Demand,
    plan: Plan,
    path: SpecifiedPath,
    unit_costs: UnitCosts,
    without_statements: bool,
    planned: Mapping[str, float],
) -> Iterator[_Input]:
    """What a planner chooses: the MTU, the share that may be used, the connections."""

    def again(flows: Sequence[Flow], mtu_bytes: float) -> dict[str, float] | None:
        try:
            other = demand_of(
                flows,
                path,
                mtu_bytes,
                demand.predictions[0].stack,
                spreading=demand.spreading,
                without_statements=without_statements,
                joint=demand.joint,
            )
        except NetmodelError:
            return None  # the path or the headers do not pass this MTU
        return needs_of(other, plan, unit_costs)

    for mtu_bytes in _USUAL_MTUS_BYTES:
        if mtu_bytes != plan.mtu_bytes and (other := again(demand.flows, mtu_bytes)):
            pairs = sorted(
                [(plan.mtu_bytes, planned), (mtu_bytes, other)], key=lambda pair: pair[0]
            )
            (low_mtu, low), (high_mtu, high) = pairs
            yield _Input("MTU", (f"{low_mtu:g}", f"{high_mtu:g}"), low, high)
    room = plan.headroom
    shares = [
        min(max(room.max_utilisation_ratio + step, _USE_STEP), 1.0)
        for step in (-_USE_STEP, _USE_STEP)
    ]
    low, high = (
        needs_of(
            demand,
            replace(plan, headroom=replace(room, max_utilisation_ratio=share)),
            unit_costs,
        )
        for share in shares
    )
    texts = [f"{WHOLE_PERCENT * share:.3g}" for share in shares]
    yield _Input("highest use", (texts[0], f"{texts[1]} %"), low, high)
    counts = [flow.connection_count for flow in demand.flows]
    known = [count for count in counts if count is not None]
    if len(known) == len(counts):
        doubled = [
            replace(flow, traffic=replace(flow.traffic, connection_count=2 * count))
            for flow, count in zip(demand.flows, known, strict=True)
        ]
        if other := again(doubled, plan.mtu_bytes):
            total = sum(known)
            yield _Input("connections", (f"{total:,.9g}", f"{2 * total:,.9g}"), planned, other)


def _demand_ratios(volume: PlannedVolume | None) -> tuple[float, float]:
    """Ends of a demand over the planned one."""
    if volume is None or not volume.varies:
        return 1 - _DEMAND_STEP, 1 + _DEMAND_STEP
    low, high = volume.load_ratios(np.array(_QUANTILES))
    return max(float(low), _LEAST_RATIO), float(high)


def _cost_of(pools: Mapping[str, Pool], stage: Stage) -> CpuCost | None:
    """The cost that was given for the CPUs of a stage."""
    pool = pools.get(stage.pool or "")
    return None if pool is None else pool.cost


def _named(stage: Stage) -> Iterator[tuple[str, Parameter]]:
    """Parameters of a stage by their names."""
    for direction in DIRECTIONS:
        yield from getattr(stage, direction).named
    for name in (*COUNT_NAMES, "parallel_count"):
        value = getattr(stage, name)
        if value is not None:
            yield name, value


def _end_of(at_low: bool) -> Callable[[Parameter], Parameter]:
    """Every interval at one of its ends."""
    return lambda value: (
        (value.low if at_low else value.high) if isinstance(value, Interval) else value
    )


def _only(interval: Interval, end: Any) -> Callable[[Parameter], Parameter]:
    """One interval at an end."""
    return lambda value: end if value == interval and isinstance(value, Interval) else value


def _point_of(of: str, place: int) -> Callable[[Parameter], Parameter]:
    """A set of values that belong together at one of them."""
    return lambda value: (
        value.values[place] if isinstance(value, Joint) and value.of == of else value
    )


def _with_gain(pool: Pool, gain: float) -> Callable[[Path], Path]:
    return lambda path: replace(
        path,
        pools=tuple(
            replace(each, smt_gain=gain) if each.name == pool.name else each for each in path.pools
        ),
    )


def _cost_texts(cost: CpuCost) -> tuple[str, str]:
    """Both ends of a cost, as given or converted to the case of the plan."""
    ends = cost_ends(cost.text)
    low, high = (ends[0], ends[-1])
    if cost.text.endswith("/core"):
        low, high = high, low  # more data per core cost less
    if cost.carried_ratios is not None:
        _, least, most = cost.carried_ratios
        low, high = (f"{end} times {by:.3g}" for end, by in ((low, least), (high, most)))
    number, _, unit = low.partition(" ")
    return (number if high.endswith(f" {unit}") else low), high


def _words(name: str) -> str:
    """A parameter in words."""
    if name in _TIMES:
        return f"time per {_TIMES[name]}"
    return "servers" if name == "parallel_count" else name.replace("_", " ")


def _value_text(name: str, value: Any) -> str:
    if np.ndim(value):
        return "its end"
    return format_time(value, SENTENCE_DIGITS) if name in _TIMES else f"{value:.3g}"


def _point_text(members: Mapping[tuple[str, str], Joint], place: int) -> str:
    """One point of a set: its first times, each named once."""
    texts = dict.fromkeys(
        f"{_value_text(name, joint.values[place])} per {_TIMES.get(name, name)}"
        for (_, name), joint in members.items()
    )
    return " and ".join([*texts][:_NAMED_TIMES])


def _run(narrowing: Narrowing | None) -> str:
    return "" if narrowing is None else narrowing.run


def _number_text(value: float) -> str:
    return plain_number(float(f"{value:.{SENTENCE_DIGITS}g}"))
