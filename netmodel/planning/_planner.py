"""From a demand and a path to what is needed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netmodel._grades import weakest_grade
from netmodel._numeric import Floats, require_kind, require_member, require_one
from netmodel.concurrency import usable_capacity_ratio
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import Stack
from netmodel.path import (
    Bound,
    Path,
    Pool,
    Predicted,
    Prediction,
    SpecifiedPath,
    Stage,
    predict_path,
)
from netmodel.path._from_records import ADAPTER_STAGES
from netmodel.path._path import DIRECTIONS, LINE_STAGES
from netmodel.planning._flows import Flow, sender_of
from netmodel.planning._plan import Corner, DirectionNeed, Plan, PoolNeed, StageUse, plain_number
from netmodel.planning._resources import (
    FULL_RATIO,
    MAX_ADAPTER_COUNT,
    SIDE_DIRECTIONS,
    Headroom,
    Resource,
    Spreading,
    is_partly_known,
    largest,
    need_of,
    own_limits,
    pool_load,
    resources,
    takes_time,
)
from netmodel.planning.sizing import required_core_count

_TIE_DIGITS = 8
"""Uses that agree so far are a tie: more than any figure has, less than rounding leaves."""
_UNEVEN_RATIO = 1.005
"""Below it what a hash does shows in no digit that is printed."""
_WITH_HEADROOM = Headroom()


def plan(
    flows: Iterable[Flow],
    path: SpecifiedPath,
    mtu_bytes: float | None = None,
    stack: Stack | None = None,
    *,
    headroom: Headroom = _WITH_HEADROOM,
    corner: Corner = Corner.WORST,
    spreading: Spreading = Spreading.EVEN,
) -> Plan:
    r"""
    Adapters and CPUs that a demand needs on a path, with headroom and spares.

    Parameters
    ----------
    flows : iterable of Flow
        The demand: all that goes at the same time, in either direction.
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
    corner : Corner
        Which of all values that parameters may have the plan is made for.
    spreading : Spreading
        How connections come to use several adapters.

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
        If a hash is to spread connections whose number is not given, or what
        is known of the adapters cannot be true together.

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

    Where :math:`N` connections are given, the adapter that has most of them
    counts: its share, :math:`\lceil N/n \rceil / N` or what a hash is expected
    to make of it, takes the place of :math:`1/n`. Flows are taken to have their
    largest shares on the same adapter.

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
    flows = _checked_flows(flows)
    require_kind("path", path, SpecifiedPath, "a SpecifiedPath, which two adapters or a path make")
    require_kind("headroom", headroom, Headroom, "a Headroom")
    require_member("corner", corner, Corner)
    require_member("spreading", spreading, Spreading)
    if mtu_bytes is not None:
        require_one("mtu_bytes", mtu_bytes)
    if spreading is Spreading.HASHED and any(one.traffic.connection_count is None for one in flows):
        raise ContradictionError(
            "give the connections of every flow: spreading them by a hash needs their number"
        )
    sending = sender_of(flows)
    composed = path.path(sending)
    predictions = [predict_path(composed, flow.traffic, mtu_bytes, stack) for flow in flows]
    client, server = path.adapters(sending)
    return _Planner(flows, predictions, headroom, corner, spreading).plan(
        *(None if record is None else record.id for record in (client, server, path.record))
    )


def compare_plans(
    flows: Iterable[Flow],
    paths: Iterable[SpecifiedPath],
    mtus_bytes: Iterable[float | None],
    stack: Stack | None = None,
    *,
    headroom: Headroom = _WITH_HEADROOM,
    corner: Corner = Corner.WORST,
    spreading: Spreading = Spreading.EVEN,
) -> tuple[Plan, ...]:
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
    corner : Corner
        Which of all values that parameters may have the plans are made for.
    spreading : Spreading
        How connections come to use several adapters.

    Returns
    -------
    plans : tuple of Plan
        Those that hold first, with fewer adapters first, and of as many those
        with better evidence, a narrower range and less in use.

    Raises
    ------
    DomainError
        If one of the plans cannot be made, as in `plan`.
    ContradictionError
        If a hash is to spread connections whose number is not given, or what
        is known of adapters cannot be true together.

    Examples
    --------
    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = [parse_flow("40 Gbit/s str-writex30k")]
    >>> plans = compare_plans(demand, [SpecifiedPath(osa, osa)], [1500, 9000])
    >>> [(one.mtu_bytes, one.chosen_count) for one in plans]
    [(9000, 4), (1500, 6)]
    """
    flows = _checked_flows(flows)
    require_kind("paths", paths, Iterable, "several SpecifiedPath, such as a list")
    require_kind("mtus_bytes", mtus_bytes, Iterable, "several MTUs, such as a list")
    mtus_bytes = tuple(mtus_bytes)
    plans = (
        plan(flows, path, mtu, stack, headroom=headroom, corner=corner, spreading=spreading)
        for path in paths
        for mtu in mtus_bytes
    )
    return tuple(sorted(plans, key=_order))


def _checked_flows(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """All flows; DomainError for none, or for something else."""
    require_kind("flows", flows, Iterable, "several Flow, such as parse_flow makes them")
    checked = tuple(flows)
    for place, flow in enumerate(checked):
        require_kind(f"flows[{place}]", flow, Flow, "a Flow, as parse_flow makes it")
    if not checked:
        raise DomainError("a plan needs at least one flow")
    return checked


def _order(one: Plan) -> tuple[float, ...]:
    evidence = -1 if one.grade is None else one.grade.rank
    uses = (stage.use_ratio for stage in one.stages)
    most_used = max((one.corner.of(use) for use in uses if use is not None), default=0.0)
    counts = one.adapter_count
    return not one.holds, one.corner.of(counts), evidence, counts.high, counts.low, most_used


@dataclass(frozen=True)
class _Planner:
    """A demand with its predictions, on the way to a plan."""

    flows: tuple[Flow, ...]
    predictions: Sequence[Prediction]
    headroom: Headroom
    corner: Corner
    spreading: Spreading

    def plan(
        self, client_adapter: str | None, server_adapter: str | None, path_id: str | None
    ) -> Plan:
        shared = resources(self.flows, self.predictions, self.spreading)
        of_adapters = [one for one in shared if one.is_of_adapters]
        if not of_adapters:
            raise DomainError("the flows use no adapter and no line of this path: nothing to plan")
        counts_of = {one.name: one.needed(one.adapter_counts(self.headroom)) for one in of_adapters}
        counts = largest(list(counts_of.values()))
        needed = self.corner.of(counts)
        chosen = int(needed) if np.isfinite(needed) else None
        uses = {one.name: self._use(one, counts_of.get(one.name), chosen) for one in shared}
        return Plan(
            flows=self.flows,
            client_adapter=client_adapter,
            server_adapter=server_adapter,
            path=path_id,
            mtu_bytes=require_one("mtu_bytes", self.predictions[0].mtu_bytes),
            headroom=self.headroom,
            corner=self.corner,
            spreading=self.spreading,
            adapter_count=counts,
            stages=tuple(uses.values()),
            directions=tuple(self._directions(of_adapters, uses, counts_of, chosen)),
            pools=tuple(self._pool_needs()),
            shortfalls=tuple(self._shortfalls(shared, chosen)),
            grade=weakest_grade(one.grade for one in self.predictions),
            notes=_notes(self.flows, self.predictions, self.spreading, chosen),
        )

    def _use(self, one: Resource, counts: Predicted[float] | None, chosen: int | None) -> StageUse:
        of_adapters = one.is_of_adapters
        is_known = chosen is not None or not of_adapters
        present = 1 if chosen is None else chosen
        left = max(present - self.headroom.spare_count, 1)
        return StageUse(
            name=one.name,
            is_of_adapters=of_adapters,
            adapter_count=counts,
            use_ratio=one.needed(one.use_ratios(present)) if is_known else None,
            after_failure_ratio=one.needed(one.use_ratios(left)) if is_known else None,
        )

    def _directions(
        self,
        of_adapters: Sequence[Resource],
        uses: dict[str, StageUse],
        counts_of: dict[str, Predicted[float]],
        chosen: int | None,
    ) -> Iterator[DirectionNeed]:
        def scarcity(one: Resource) -> tuple[float, ...]:
            return self._scarcity(one, counts_of[one.name], chosen)

        for side, direction in SIDE_DIRECTIONS:
            passed = [one for one in of_adapters if one.serves(side, direction)]
            if passed:
                yield DirectionNeed(
                    side=side,
                    direction=direction,
                    binding=uses[max(passed, key=scarcity).name],
                    adapter_count=largest([counts_of[one.name] for one in passed]),
                )

    def _scarcity(
        self, one: Resource, counts: Predicted[float], chosen: int | None
    ) -> tuple[float, ...]:
        """What stages are compared by; of those that tie, the line is what is known."""
        use = self.corner.of(one.needed(one.use_ratios(1 if chosen is None else chosen)))
        needed = self.corner.of(counts)
        return needed, round(use, _TIE_DIGITS), one.name in LINE_STAGES

    def _shortfalls(self, shared: Sequence[Resource], chosen: int | None) -> Iterator[str]:
        """What is too small, regardless of the number of adapters."""
        allowed = self.headroom.max_utilisation_ratio
        # Stages that no adapter brings
        for one in shared:
            use = self.corner.of(one.needed(one.use_ratios(1)))
            if not one.is_of_adapters and use > allowed * FULL_RATIO:
                yield (
                    f"{one.name} is used at {use:,.1%}, more than the {allowed:.1%} allowed, and "
                    "adapters do not change that"
                )
        # Pools of CPUs, in the case of the corner: of load and of CPUs
        for pool, busy, present, are_printed in self._pool_loads():
            if present is None:
                continue
            uses = busy / present
            case = int(np.argmax(uses == self.corner.of(need_of(uses, are_printed))))
            if uses[case] > allowed * FULL_RATIO:
                taken, there = (one[case] for one in np.broadcast_arrays(busy, present))
                yield (
                    f"{pool.name} has {there:g} and {plain_number(taken)} are busy, more than the "
                    f"{allowed:.1%} allowed"
                )
        # Limits that a flow shares with no other, such as the window of its connections
        for flow, prediction in self._pairs:
            for name, uses_of_limit in own_limits(flow, prediction):
                use = self.corner.of(uses_of_limit)
                if use > FULL_RATIO:
                    yield (
                        f"{flow.name} takes {plain_number(use)} times what its limit {name!r} "
                        "allows, and adapters do not change that"
                    )
        if chosen is None:
            yield (
                "the connections are too few: one adapter has more of the load than it may carry, "
                f"also where there are {MAX_ADAPTER_COUNT:,} of them"
            )

    @property
    def _pairs(self) -> Iterator[tuple[Flow, Prediction]]:
        return zip(self.flows, self.predictions, strict=True)

    def _pool_loads(
        self,
    ) -> "Iterator[tuple[Pool, Floats, Floats | None, npt.NDArray[np.bool_]]]":
        """Servers of each pool that are busy and there, where all that is known."""
        for pool in self.predictions[0].path.pools:
            load = pool_load(pool, list(self._pairs))
            if load and not is_partly_known(pool, self.predictions):
                yield pool, *load

    def _pool_needs(self) -> Iterator[PoolNeed]:
        for pool, busy, present, are_printed in self._pool_loads():
            yield PoolNeed(
                name=pool.name,
                side=pool.side,
                is_cpu=pool.is_cpu,
                busy_count=need_of(busy, are_printed, Bound.VALUE),
                needed_count=need_of(
                    required_core_count(busy, self.headroom.max_utilisation_ratio), are_printed
                ),
                present_count=None if present is None else float(present[0]),
                time_basis=pool.time_basis,
            )


def _notes(
    flows: Sequence[Flow],
    predictions: Sequence[Prediction],
    spreading: Spreading,
    chosen_count: int | None,
) -> tuple[str, ...]:
    """What the plan leaves out or rests on, most important first, each once."""
    path = predictions[0].path
    notes = []
    if path.unknown:
        parts = path.unknown[0] if len(path.unknown) == 1 else f"{len(path.unknown)} parts"
        notes.append(f"lower bound: {parts} not modelled")
    notes += _unlimited(path.stages, predictions)
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
        names_text = ", ".join(dict.fromkeys(uncounted))
        notes.append(
            f"acknowledgements of {names_text} not counted beside other flows: give "
            "segments per acknowledgement"
        )
    notes += _uneven(flows, spreading, chosen_count)
    notes += _missing_cpus(path, predictions)
    if len(path.unknown) > 1:
        notes += (f"not modelled: {part}" for part in path.unknown)
    notes += (text for flow in flows for text in flow.notes)
    return tuple(dict.fromkeys(notes))


def _unlimited(stages: Sequence[Stage], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Directions of adapters that carry something, and that may be endlessly fast as is known."""
    unknown, bounded = [], []
    for name in (stage.name for stage in stages if stage.name in ADAPTER_STAGES):
        place = DIRECTIONS.index(ADAPTER_STAGES[name])
        passing = [
            prediction
            for prediction in predictions
            if prediction.counts[place].frame_count or prediction.counts[place].ack_count
        ]
        if passing and not any(prediction.demands[name] for prediction in passing):
            unknown.append(name)
        elif passing and not sum(prediction.loads_s[name].low for prediction in passing):
            bounded.append(name)
    if unknown:
        yield f"limit of {_directions_text(unknown)} not known: planned at line rate"
    if bounded:
        yield (
            f"limit of {_directions_text(bounded)} never measured: planned from the slowest that "
            "fits to none"
        )


def _directions_text(names: Sequence[str]) -> str:
    return "all adapters" if len(names) == len(ADAPTER_STAGES) else ", ".join(names)


def _uneven(flows: Sequence[Flow], spreading: Spreading, chosen_count: int | None) -> Iterator[str]:
    """What a hash makes of the connections of flows on the adapters of the plan."""
    if chosen_count is None or chosen_count == 1:
        return
    names_by_count: dict[float | None, dict[str, None]] = {}
    for flow in flows:
        names_by_count.setdefault(flow.connection_count, {})[flow.name] = None
    for count, names in names_by_count.items():
        whose = ", ".join(names)
        if count is None:
            yield f"number of connections not given for {whose}: assuming an even split"
            continue
        times = 1 / usable_capacity_ratio(count, chosen_count)
        if times < _UNEVEN_RATIO:
            continue
        percent = f"{100 * times / chosen_count:.3g}%"
        is_in = "in the plan" if spreading is Spreading.HASHED else "not in the plan"
        yield (
            f"{whose}: a hash puts {percent} of {count:,.9g} connections on one of {chosen_count} "
            f"adapters ({times:.3g} times even; {is_in})"
        )


def _missing_cpus(path: Path, predictions: Sequence[Prediction]) -> Iterator[str]:
    """CPUs that are not planned, and why."""
    without_model = [side.value for side in Side if not path.cpu_stages(side)]
    if without_model:
        yield f"CPUs of the {' and '.join(without_model)} not planned: no CPU model"
    is_used = {
        pool.name: any(takes_time(pool, prediction) for prediction in predictions)
        for pool in path.pools
    }
    unused = [name for name, used in is_used.items() if not used]
    if unused:
        yield f"{', '.join(unused)}: the path has no service time for these flows"
    partly = [
        pool.name
        for pool in path.pools
        if is_used[pool.name] and is_partly_known(pool, predictions)
    ]
    if partly:
        yield (
            f"CPUs of {', '.join(partly)} not planned: not all service times for these flows are "
            "known"
        )
    if path.unknown and any(used for name, used in is_used.items() if name not in partly):
        yield "CPU counts are lower bounds: see what is not modelled"
