"""From a demand and a path to what is needed."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from netmodel.concurrency import busiest_queue_flow_count
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import Stack
from netmodel.grades import Grade, weakest_grade
from netmodel.numeric import (
    require_at_least,
    require_kind,
    require_one,
    require_whole,
)
from netmodel.path import (
    Bound,
    Path,
    Predicted,
    Prediction,
    SpecifiedPath,
    Stage,
)
from netmodel.path._from_records import ADAPTER_STAGES
from netmodel.path._path import DIRECTIONS, LINE_STAGES
from netmodel.planning._answer import CARRIED_DIGITS, amount_text, plain_number, resource_text
from netmodel.planning._carried import carried
from netmodel.planning._demand import CONNECTIONS, Demand, checked_flows, demand_of
from netmodel.planning._far import in_flight_notes, larger_window
from netmodel.planning._flows import Flow
from netmodel.planning._plan import DirectionNeed, Plan, Plans, PoolNeed, StageUse
from netmodel.planning._resources import (
    FULL_RATIO,
    MAX_ADAPTER_COUNT,
    SIDE_DIRECTIONS,
    TIE_DIGITS,
    Headroom,
    Resource,
    bound_of,
    cores_of,
    gain_of,
    is_partly_known,
    largest,
    need_of,
    planned,
    takes_time,
)
from netmodel.planning.sizing import required_core_count
from netmodel.text import (
    RESULT_DIGITS,
    few_names,
    fixed_percent,
    percent_text,
    range_text,
)
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.path._expected_rate import Expected

_UNEVEN_RATIO = 1.005
"""Below it what a hash does shows in no digit that is printed."""
_WITH_HEADROOM = Headroom()
_GIVE_A_COST = 'give their cost, such as "0.16 cores/(Gbit/s)"'


def plan(
    flows: Iterable[Flow],
    path: SpecifiedPath,
    mtu_bytes: float | None = None,
    stack: Stack | None = None,
    *,
    headroom: Headroom = _WITH_HEADROOM,
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
    return plan_demand(demand, headroom, adapters_available)


def compare_plans(
    flows: Iterable[Flow],
    paths: Iterable[SpecifiedPath],
    mtus_bytes: Iterable[float | None],
    stack: Stack | None = None,
    *,
    headroom: Headroom = _WITH_HEADROOM,
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
        Those that hold first, with fewer adapters first, and of as many those
        with better evidence, a smaller MTU, a narrower range and less in use.

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
    mtus_bytes = tuple(mtus_bytes)
    plans = (
        plan(
            flows,
            path,
            mtu,
            stack,
            headroom=headroom,
            physics_only=physics_only,
            adapters_available=adapters_available,
        )
        for path in paths
        for mtu in mtus_bytes
    )
    return Plans(sorted(plans, key=_order))


def _order(result: Plan) -> tuple[float, ...]:
    """Sort key: plans that hold, fewest adapters, best evidence, usual MTU, least used."""
    evidence = -1 if result.grade is None else result.grade.rank
    uses = (stage.use_ratio for stage in result.stages)
    most_used = max((planned(use) for use in uses if use is not None), default=0.0)
    counts = result.adapter_count
    return not result.holds, planned(counts), evidence, result.mtu_bytes, counts.low, most_used


def plan_demand(
    demand: Demand,
    headroom: Headroom = _WITH_HEADROOM,
    adapters_available: int | None = None,
) -> Plan:
    """Return the plan of a demand whose flows are predicted already."""
    require_kind("headroom", headroom, Headroom, "a Headroom")
    if adapters_available is not None:
        count = require_whole("adapters_available", adapters_available)
        require_at_least("adapters_available", count, 1, "")
    return Planner(demand, headroom, adapters_available).plan()


@dataclass(frozen=True)
class Planner:
    """A demand with its predictions, and what a plan of it keeps free."""

    demand: Demand
    headroom: Headroom
    adapters_available: int | None = None

    @cached_property
    def _of_adapters(self) -> list[Resource]:
        """Load of each stage of adapters that the flows share, L_r."""
        shared = [resource for resource in self.demand.shared if resource.is_of_adapters]
        if not shared:
            raise DomainError("the flows use no adapter and no line of this path: nothing to plan")
        return shared

    @cached_property
    def _counts_of(self) -> dict[str, Predicted[float]]:
        """Adapters that each stage needs, n_r."""
        return {
            resource.name: resource.needed(resource.adapter_counts(self.headroom))
            for resource in self._of_adapters
        }

    def _of_side(self, side: Side | None) -> list[Resource]:
        """Stages that bear on the adapters of a side, all where none is asked for."""
        return [each for each in self._of_adapters if side in (None, *self.demand.sides_of(each))]

    def _largest(self, side: Side | None) -> Predicted[float]:
        return largest([self._counts_of[each.name] for each in self._of_side(side)])

    @cached_property
    def counts(self) -> Predicted[float]:
        """Adapters, n: the largest number of a stage, or of those of the side that is asked for."""
        return self._reaching(self._largest(self.demand.asked_side), self.headroom.spare_count)

    @cached_property
    def of_sides(self) -> dict[Side | None, int | None]:
        """Adapters that are planned, of the demand (None) and of each side."""
        asked, chosen = self.demand.asked_side, self._chosen(self.counts)
        of_sides: dict[Side | None, int | None] = dict.fromkeys((None, *Side), chosen)
        if asked is not None:
            of_sides[asked.other] = self._chosen(self._largest(asked.other))
        return of_sides

    def _use_of(self, resource: Resource, count: int | None) -> StageUse:
        """Return what a number of adapters leaves of a stage, also after failures."""
        present = 1 if count is None else count
        left = max(present - self.headroom.spare_count, 1)
        is_known = count is not None or not resource.is_of_adapters
        use, after = (resource.needed(resource.use_ratios(each)) for each in (present, left))
        return StageUse(
            name=resource.name,
            is_of_adapters=resource.is_of_adapters,
            adapter_count=self._counts_of.get(resource.name),
            use_ratio=use if is_known else None,
            after_failure_ratio=after if is_known else None,
        )

    def _is_used(self, resource: Resource, count: int | None) -> bool:
        # what is published may bound fewer connections than an adapter has
        left = max((1 if count is None else count) - self.headroom.spare_count, 1)
        return resource.published is None or max(resource.use_ratios(left)) > 0

    @cached_property
    def directions(self) -> tuple[DirectionNeed, ...]:
        """Each direction of the adapters of each side, and the stage that needs most of them."""
        directions = []
        for side, direction in SIDE_DIRECTIONS:
            there = self.of_sides[side]
            passed = [
                each
                for each in self._of_side(side)
                if each.serves(side, direction) and self._is_used(each, there)
            ]
            if passed:
                scarcest = max(passed, key=lambda each: self._scarcity(each, there))
                counts = [self._counts_of[each.name] for each in passed]
                if self.counts != self._largest(self.demand.asked_side):
                    counts.append(self.counts)
                binding, most = self._use_of(scarcest, there), largest(counts)
                directions.append(
                    DirectionNeed(
                        side=side, direction=direction, binding=binding, adapter_count=most
                    )
                )
        return tuple(directions)

    def _scarcity(self, resource: Resource, count: int | None) -> tuple[float, float, bool]:
        use = resource.needed(resource.use_ratios(1 if count is None else count))
        # of stages that tie, the line is what is known
        use_ratio = round(planned(use), TIE_DIGITS)
        name = resource.name
        return planned(self._counts_of[name]), use_ratio, name in LINE_STAGES

    @cached_property
    def pools(self) -> tuple[PoolNeed, ...]:
        """Servers of each pool, m: those that the flows keep busy over the share allowed."""
        share, path = self.headroom.max_utilisation_ratio, self.demand.path
        return tuple(
            PoolNeed(
                name=pool.name,
                side=pool.side,
                is_cpu=pool.is_cpu,
                busy_count=Predicted(busy[0], min(busy), max(busy), Bound.VALUE),
                needed_count=need_of(
                    tuple(float(required_core_count(each, share)) for each in busy),
                    are_printed,
                    bound_of(pool, path),
                ),
                core_count=cores_of(pool, busy, are_printed, self.headroom, bound_of(pool, path)),
                cost=pool.cost,
                smt_gain=gain_of(pool),
                present_count=None if there is None else there[0],
                time_basis=pool.time_basis,
            )
            for pool, busy, there, are_printed in self.demand.pool_loads
        )

    def plan(self) -> Plan:
        """Return adapters and CPUs, what is used of them, and what to know of both."""
        demand, path = self.demand, self.demand.path
        flows, predictions = demand.flows, demand.predictions
        asked, chosen = demand.asked_side, self.of_sides[None]
        without_spares = Headroom(self.headroom.max_utilisation_ratio, 0)
        counted = self._of_side(asked)
        by_bounds = largest([each.needed(each.adapter_counts(without_spares)) for each in counted])
        uses = []
        for resource in demand.shared:
            sides = demand.sides_of(resource)
            own = chosen if asked in (None, *sides) else self.of_sides[next(iter(sides))]
            if self._is_used(resource, own):
                uses.append(self._use_of(resource, own))
        binding = {need.binding.name for need in self.directions}
        printed = [
            each.published for each in demand.shared if each.published and each.name in binding
        ]
        return Plan(
            flows=flows,
            client_adapter=demand.client_adapter,
            server_adapter=demand.server_adapter,
            path=demand.path_id,
            mtu_bytes=require_one("mtu_bytes", predictions[0].mtu_bytes),
            headroom=self.headroom,
            adapter_count=self.counts,
            stages=tuple(uses),
            directions=self.directions,
            pools=self.pools,
            shortfalls=tuple(self.shortfalls()),
            grade=weakest_grade(
                (
                    *(prediction.grade for prediction in predictions),
                    *(Grade.PUBLISHED for _ in printed),
                )
            ),
            notes=tuple(
                dict.fromkeys(
                    (
                        *_unlimited(path.stages, predictions),
                        *(note for each in predictions for note in each.path.mixed_notes),
                        *_costs_of_other_frames(path, predictions),
                        *(note for flow in flows if flow.fills_frames for note in flow.notes),
                        *(f"bounded by a document: {each.text}" for each in printed),
                        *_notes(flows, predictions, chosen),
                    )
                )
            ),
            count_without_spares=self._reaching(by_bounds, 0),
            count_by_bounds=by_bounds,
            one_adapter=carried(flows, counted),
            asked_side=asked,
            adapters_available=self.adapters_available,
            settings=path.settings,
            distance=path.distance,
            demand=demand,
        )

    def _chosen(self, counts: Predicted[float]) -> int | None:
        """The count that is planned; None where no number is enough."""
        needed = planned(counts)
        return int(needed) if math.isfinite(needed) else None

    def shortfalls(self) -> Iterator[str]:
        """Yield what is too small, regardless of the number of adapters."""
        allowed, chosen = self.headroom.max_utilisation_ratio, self.of_sides[None]
        # Stages that no adapter brings
        for stage in self.demand.shared:
            use = planned(stage.needed(stage.use_ratios(1)))
            if not stage.is_of_adapters and use > allowed * FULL_RATIO:
                yield (
                    f"{stage.name} would be {fixed_percent(use, 1)} busy, and "
                    f"{percent_text(allowed, CARRIED_DIGITS)} may be, whatever the adapters"
                )
        # Pools of CPUs, in the planned case: of load and of CPUs
        for pool, busy, present, are_printed in self.demand.pool_loads:
            if present is None:
                continue
            uses = tuple(taken / there for taken, there in zip(busy, present, strict=True))
            case = uses.index(planned(need_of(uses, are_printed)))
            if uses[case] > allowed * FULL_RATIO:
                yield (
                    f"{plain_number(busy[case])} of {present[case]:g} {resource_text(pool.name)} "
                    f"would be busy, and {percent_text(allowed, CARRIED_DIGITS)} may be"
                )
        # Limits that a flow shares with no other, such as the window of its connections
        count = 1 if chosen is None else chosen
        for place, (flow, prediction) in enumerate(self.demand.pairs):
            for name, uses_of_limit in self.demand.flow_limits(place, count).items():
                use = planned(uses_of_limit)
                if use <= FULL_RATIO:
                    continue
                expected = self.demand.expected(place, count)
                if name == CONNECTIONS and expected is not None:
                    yield _expected_text(flow, expected)
                else:
                    yield _own_limit_text(flow, prediction, name, use)
        if chosen is None:
            yield (
                "the connections are too few: one adapter has more of the load than it may carry, "
                f"also where there are {MAX_ADAPTER_COUNT:,} of them"
            )
        elif self.adapters_available is not None and chosen > self.adapters_available:
            asked = self.demand.asked_side
            where = "at each side" if asked is None else f"at the {asked.value}"
            yield (
                f"{plain_number(chosen)} adapters are needed {where}, and "
                f"{plain_number(self.adapters_available)} available"
            )

    def _reaching(self, counts: Predicted[float], spare_count: int) -> Predicted[float]:
        """As many adapters, or more where connections are expected to reach the rate only then."""

        def enough(count: float, end: str) -> float:
            for place, flow in enumerate(self.demand.flows):

                def reaches(number: int, place: int = place) -> bool:
                    use = self.demand.expected_use(place, number)
                    return use is None or getattr(use, end) <= FULL_RATIO

                if not math.isfinite(count) or flow.connection_count is None:
                    continue
                least = max(int(count) - spare_count, 1)
                # each connection uses one adapter at a time
                numbers = range(least, max(least, int(flow.connection_count)) + 1)
                if not reaches(least) and reaches(numbers[-1]):
                    count = numbers[bisect_left(numbers, True, key=reaches)] + spare_count
            return float(count)

        value, low, high = (enough(getattr(counts, end), end) for end in ("value", "low", "high"))
        return Predicted(value, low, high, counts.bound)


def _expected_text(flow: Flow, expected: "Expected") -> str:
    """What the connections of a flow are expected to reach, with any number of adapters."""
    count = require_one("connection_count", flow.connection_count or 1)
    rate = expected.transaction_rate_tps.numbers()
    value, low, high = (_rate_text(flow, each) for each in (rate.value, rate.low, rate.high))
    # an expected value beyond the planned rate is refused for its range
    is_less = rate.value < flow.transaction_rate_tps
    reached = f"about {value}" if is_less else range_text(low, high)
    number = "one connection carries" if count == 1 else f"{count:,.9g} connections carry"
    return f"{number} {reached} of {flow.name}"


def _rate_text(flow: Flow, rate_tps: float) -> str:
    """A rate in the unit in which that of the flow was given."""
    if flow.is_in_transactions:
        return f"{rate_tps:,.0f}/s"
    ratio = rate_tps / flow.transaction_rate_tps
    return format_rate(flow.payload_rate_bps * ratio, RESULT_DIGITS)


def _own_limit_text(flow: Flow, prediction: Prediction, name: str, use_ratio: float) -> str:
    """What a limit that a flow shares with no other allows, and what would change it."""
    count = flow.connection_count
    whose = "connections" if count is None else f"{count:,.9g} connections"
    whose = "one connection" if count == 1 else whose
    subject = {
        "window": f"windows of {whose} allow",
        "loss": f"loss on {whose} allows",
        "connections": f"{whose} {'carries' if count == 1 else 'carry'}",
        "published": f"printed figures of {whose} allow",
    }.get(name, f"{name} of {whose} allows")
    sign = "about" if name == "loss" else "at most"
    advice = larger_window(flow, prediction) if name == "window" else ""
    highest_tps = next(limit.rate.value for limit in prediction.all_limits if limit.name == name)
    rate = amount_text(flow, float(highest_tps) / flow.transaction_rate_tps)
    planned = amount_text(flow, 1 / use_ratio)
    most = rate if planned == rate else range_text(planned, rate)
    return f"{subject} {sign} {most} of {flow.name}{advice}"


def _notes(
    flows: Sequence[Flow],
    predictions: Sequence[Prediction],
    chosen_count: int | None,
) -> tuple[str, ...]:
    """What the plan leaves out or rests on, most important first, each once."""
    path = predictions[0].path
    notes = [*in_flight_notes(flows, predictions)]
    if path.unknown:
        parts = path.unknown[0] if len(path.unknown) == 1 else f"{len(path.unknown)} parts"
        notes.append(f"lower bound: {parts} not modelled")
    if not any(map(path.cpu_stages, Side)):
        notes += _missing_cpus(path, predictions)
    notes += _slowest_that_fits(path.stages, predictions)
    notes += (text for prediction in predictions for text in prediction.path_notes)
    # Frames other than those that service times were calibrated for, for all flows together
    extrapolated: dict[str, dict[str, None]] = {}
    for prediction in predictions:
        for text, names in prediction.outside_validity.items():
            extrapolated.setdefault(text, {}).update(dict.fromkeys(names))
    notes += (f"{name}: {text}" for text, names in extrapolated.items() for name in names)
    # Streams whose acknowledgements would share a direction with frames of other flows
    uncounted = [
        flow.name
        for flow, prediction in zip(flows, predictions, strict=True)
        if not flow.traffic.waits
        and flow.traffic.segments_per_ack is None
        and any(
            own.message_count and not streamed.message_count
            for other in predictions
            for own, streamed in zip(other.counts, prediction.counts, strict=True)
        )
    ]
    if uncounted:
        streams = few_names([*dict.fromkeys(uncounted)], "streams")
        notes.append(
            f"acknowledgements of {streams} not counted beside other flows: give segments per ack"
        )
    notes += _uneven(flows, chosen_count)
    notes += _missing_cpus(path, predictions)
    if len(path.unknown) > 1:
        notes += (f"not modelled: {part}" for part in path.unknown)
    notes += (text for flow in flows if not flow.fills_frames for text in flow.notes)
    return tuple(dict.fromkeys(notes))


def _unlimited(stages: Sequence[Stage], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Directions of adapters that carry something, and of which no limit is known."""
    names = [
        name
        for name, passing in _passing(stages, predictions)
        if not any(prediction.demands[name] for prediction in passing)
    ]
    yield from _limit_note(names, "not known: planned at line rate")


def _costs_of_other_frames(path: Path, predictions: Sequence[Prediction]) -> Iterator[str]:
    """CPU times that were calibrated for other frames than these, such as at another MTU."""
    stages = {stage.name for side in Side for stage in path.cpu_stages(side)}
    for prediction in predictions:
        for text, places in prediction.outside_validity.items():
            yield from (f"{each}: {text}" for each in places if each.partition(" (")[0] in stages)


def _slowest_that_fits(stages: Sequence[Stage], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Directions of adapters that carry something, and for which the data allow any rate."""
    names = [
        name
        for name, passing in _passing(stages, predictions)
        if any(prediction.demands[name] for prediction in passing)
        and not any(prediction.loads_s[name].low for prediction in passing)
    ]
    yield from _limit_note(names, "never measured: worst case is the slowest that fits")


def _passing(
    stages: Sequence[Stage], predictions: Sequence[Prediction]
) -> Iterator[tuple[str, list[Prediction]]]:
    """Directions of adapters that carry something, with the flows that pass them."""
    for name in (stage.name for stage in stages if stage.name in ADAPTER_STAGES):
        place = DIRECTIONS.index(ADAPTER_STAGES[name])
        passing = [
            prediction
            for prediction in predictions
            if prediction.counts[place].frame_count or prediction.counts[place].ack_count
        ]
        if passing:
            yield name, passing


def _limit_note(names: Sequence[str], what_follows: str) -> Iterator[str]:
    if names:
        directions = few_names(names, "adapter directions")
        whose = "all adapters" if len(names) == len(ADAPTER_STAGES) else directions
        yield f"limit of {whose} {what_follows}"


def _uneven(flows: Sequence[Flow], chosen_count: int | None) -> Iterator[str]:
    """What a hash makes of the connections of flows on the adapters of the plan."""
    if chosen_count is None or chosen_count == 1:
        return
    names_by_count: dict[float | None, dict[str, None]] = {}
    for flow in flows:
        names_by_count.setdefault(flow.connection_count, {})[flow.name] = None
    for count, names in names_by_count.items():
        whose = few_names([*names], "flows")
        if count is None:
            yield f"number of connections not given for {whose}: assuming an even split"
            continue
        hashed = float(busiest_queue_flow_count(count, chosen_count)) / count
        even = -(-count // chosen_count) / count
        if hashed < even * _UNEVEN_RATIO:
            continue
        yield (
            f"{whose}: a hash would put {percent_text(hashed, CARRIED_DIGITS)} of its "
            f"{count:,.9g} connections on one adapter; the plan assumes "
            f"{percent_text(even, CARRIED_DIGITS)}"
        )


def _missing_cpus(path: Path, predictions: Sequence[Prediction]) -> Iterator[str]:
    """CPUs that are not planned, and why."""
    without_model = [side.value for side in Side if not path.cpu_stages(side)]
    if without_model:
        yield f"CPUs of the {' and '.join(without_model)} not planned: {_GIVE_A_COST}"
    is_used = {
        pool.name: any(takes_time(pool, prediction) for prediction in predictions)
        for pool in path.pools
    }
    unused = [name for name, used in is_used.items() if not used]
    if unused:
        yield f"{few_names(unused, 'pools')}: the path has no service time for these flows"
    partly = [
        pool.name
        for pool in path.pools
        if is_used[pool.name] and is_partly_known(pool, predictions)
    ]
    if partly:
        yield f"CPUs of {few_names(partly, 'pools')} not planned: some service times not known"
    bounded = [
        pool
        for pool in path.pools
        if is_used[pool.name] and pool.name not in partly and bound_of(pool, path) is Bound.LOWER
    ]
    if bounded:
        yield "CPU counts are lower bounds: see what is not modelled"
