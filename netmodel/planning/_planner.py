"""From a demand and a path to what is needed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netmodel._grades import weakest_grade
from netmodel._numeric import Floats, require_one
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
from netmodel.path._adapters import ADAPTER_STAGES
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
        The demand: all that goes at the same time, either way.
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
        If there is no flow, no MTU is told, an MTU or message does not fit the
        headers, or nothing limits the path.
    ContradictionError
        If a hash is to spread connections whose number is not stated, or what
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
    belong to an adapter, and limits of single flows, are not mended by more of
    them: where they are too small, the plan says so.

    Where :math:`N` connections are stated, the adapter that has most of them
    counts: its share, :math:`\lceil N/n \rceil / N` or what a hash is expected
    to make of it, takes the place of :math:`1/n`. Flows are taken to have their
    largest shares on the same adapter.

    Not in it: bursts within the time that the rates are means of, and CPU
    times that the path does not tell.

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
    >>> found = plan([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> found.chosen_count, found.binding
    (6, 'server_adapter_in')
    """
    flows = tuple(flows)
    if not flows:
        raise DomainError("a plan needs at least one flow")
    if mtu_bytes is not None:
        require_one("mtu_bytes", mtu_bytes)
    if spreading is Spreading.HASHED and any(one.traffic.connection_count is None for one in flows):
        raise ContradictionError("state the connections of every flow for a hash to spread them")
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
        If a hash is to spread connections whose number is not stated, or what
        is known of adapters cannot be true together.

    Examples
    --------
    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = [parse_flow("40 Gbit/s str-writex30k")]
    >>> found = compare_plans(demand, [SpecifiedPath(osa, osa)], [1500, 9000])
    >>> [(one.mtu_bytes, one.chosen_count) for one in found]
    [(9000, 4), (1500, 6)]
    """
    flows, mtus_bytes = tuple(flows), tuple(mtus_bytes)
    plans = (
        plan(flows, path, mtu, stack, headroom=headroom, corner=corner, spreading=spreading)
        for path in paths
        for mtu in mtus_bytes
    )
    return tuple(sorted(plans, key=_order))


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
            mtu_bytes=self.predictions[0].mtu_bytes,
            headroom=self.headroom,
            corner=self.corner,
            spreading=self.spreading,
            adapter_count=counts,
            stages=tuple(uses.values()),
            directions=tuple(self._directions(of_adapters, uses, counts_of, chosen)),
            pools=tuple(self._pool_needs()),
            shortfalls=tuple(self._shortfalls(shared, chosen)),
            grade=weakest_grade(one.grade for one in self.predictions),
            warnings=plan_warnings(self.flows, self.predictions, self.spreading, chosen),
        )

    def _use(self, one: Resource, counts: Predicted | None, chosen: int | None) -> StageUse:
        of_adapters = one.is_of_adapters
        is_told = chosen is not None or not of_adapters
        present = 1 if chosen is None else chosen
        left = max(present - self.headroom.spare_count, 1)
        return StageUse(
            name=one.name,
            is_of_adapters=of_adapters,
            adapter_count=counts,
            use_ratio=one.needed(one.use_ratios(present)) if is_told else None,
            after_failure_ratio=one.needed(one.use_ratios(left)) if is_told else None,
        )

    def _directions(
        self,
        of_adapters: Sequence[Resource],
        uses: dict[str, StageUse],
        counts_of: dict[str, Predicted],
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

    def _scarcity(self, one: Resource, counts: Predicted, chosen: int | None) -> tuple[float, ...]:
        """What stages are compared by; of those that tie, the line is what is known."""
        use = self.corner.of(one.needed(one.use_ratios(1 if chosen is None else chosen)))
        needed = self.corner.of(counts)
        return needed, round(use, _TIE_DIGITS), one.name in LINE_STAGES

    def _shortfalls(self, shared: Sequence[Resource], chosen: int | None) -> Iterator[str]:
        """What is too small, whatever the number of adapters."""
        yield from self._full_stages(shared)
        yield from self._full_pools()
        yield from self._own_shortfalls()
        if chosen is None:
            yield (
                "the connections are too few: one adapter has more of the load than it may carry, "
                f"also where there are {MAX_ADAPTER_COUNT:,} of them"
            )

    def _full_stages(self, shared: Sequence[Resource]) -> Iterator[str]:
        allowed = self.headroom.max_utilisation_ratio
        for one in shared:
            use = self.corner.of(one.needed(one.use_ratios(1)))
            if not one.is_of_adapters and use > allowed * FULL_RATIO:
                yield (
                    f"{one.name} is used at {use:,.1%}, more than the {allowed:.1%} allowed, and "
                    "adapters do not change that"
                )

    def _full_pools(self) -> Iterator[str]:
        """Pools of which too much is busy, in the case of the corner: of load and of CPUs."""
        allowed = self.headroom.max_utilisation_ratio
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

    def _own_shortfalls(self) -> Iterator[str]:
        """Limits that flows share with no other, and that are too small for them."""
        for flow, prediction in self._pairs:
            for name, uses in own_limits(flow, prediction):
                use = self.corner.of(uses)
                if use > FULL_RATIO:
                    yield (
                        f"{flow.name} takes {plain_number(use)} times what its limit {name!r} "
                        "allows, and adapters do not change that"
                    )

    @property
    def _pairs(self) -> Iterator[tuple[Flow, Prediction]]:
        return zip(self.flows, self.predictions, strict=True)

    def _pool_loads(
        self,
    ) -> "Iterator[tuple[Pool, Floats, Floats | None, npt.NDArray[np.bool_]]]":
        """Servers of each pool that are busy and there, where all that is known."""
        for pool in self.predictions[0].path.pools:
            found = pool_load(pool, list(self._pairs))
            if found and not is_partly_known(pool, self.predictions):
                yield pool, *found

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


_UNEVEN_RATIO = 1.005
"""Below it what a hash does shows in no digit that is printed."""


def plan_warnings(
    flows: Sequence[Flow],
    predictions: Sequence[Prediction],
    spreading: Spreading,
    chosen_count: int | None,
) -> tuple[str, ...]:
    """Each once: what is not known, and where times are used beyond what they are valid for."""
    path = predictions[0].path
    found = (
        *_unknown(path),
        *_without_limits(path.stages, predictions),
        *(text for flow in flows for text in flow.notes),
        *(text for prediction in predictions for text in prediction.path_notes),
        *_elsewhere(predictions),
        *_without_acks(flows, predictions),
        *_uneven(flows, spreading, chosen_count),
        *_cpus(path, predictions),
    )
    return tuple(dict.fromkeys(found))


def _unknown(path: Path) -> Iterator[str]:
    if path.unknown:
        yield f"lower bound only; not modelled: {'; '.join(path.unknown)}"


def _without_limits(stages: Sequence[Stage], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Directions of adapters that carry something, and that may be endlessly fast as is known."""
    unknown, bounded = [], []
    for name in (one.name for one in stages if one.name in ADAPTER_STAGES):
        passing = [one for one in predictions if _passes(ADAPTER_STAGES[name], one)]
        if passing and not any(one.demands[name] for one in passing):
            unknown.append(name)
        elif passing and not sum(one.loads_s[name].low for one in passing):
            bounded.append(name)
    if unknown:
        yield f"{', '.join(unknown)}: no limit of its own is known; planned as if it were the line"
    if bounded:
        yield (
            f"{', '.join(bounded)}: was never seen at a limit of its own; planned from the slowest "
            "that carries what was seen, which is the worst, to no limit of its own"
        )


def _passes(way: str, prediction: Prediction) -> bool:
    """Whether something of a flow goes this way."""
    count = prediction.counts[DIRECTIONS.index(way)]
    return bool(count.frame_count or count.ack_count)


def _elsewhere(predictions: Sequence[Prediction]) -> Iterator[str]:
    """Where frames are other than those that times were calibrated for, for all flows."""
    found: dict[str, dict[str, None]] = {}
    for prediction in predictions:
        for text, names in prediction.outside_validity.items():
            found.setdefault(text, {}).update(dict.fromkeys(names))
    yield from (f"{', '.join(names)}: {text}" for text, names in found.items())


def _without_acks(flows: Sequence[Flow], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Streams whose acknowledgements would share a direction with frames of other flows."""
    names = [
        flow.name
        for flow, prediction in zip(flows, predictions, strict=True)
        if not flow.traffic.waits
        and flow.traffic.segments_per_ack is None
        and any(_goes_against(one, prediction) for one in predictions)
    ]
    if names:
        yield (
            f"acknowledgements of {', '.join(dict.fromkeys(names))} go in the direction of other "
            "flows and take frames too, which are not counted: give the segments per "
            "acknowledgement"
        )


def _goes_against(one: Prediction, stream: Prediction) -> bool:
    """Whether one sends where a stream sends nothing."""
    ways = zip(one.counts, stream.counts, strict=True)
    return any(own.message_count and not other.message_count for own, other in ways)


def _uneven(flows: Sequence[Flow], spreading: Spreading, chosen_count: int | None) -> Iterator[str]:
    """What a hash makes of the connections of flows on several adapters."""
    if chosen_count is None or chosen_count == 1:
        return
    names: dict[float | None, dict[str, None]] = {}
    for flow in flows:
        names.setdefault(flow.traffic.connection_count, {})[flow.name] = None
    for count, several in names.items():
        whose = ", ".join(several)
        if count is None:
            yield f"connections of {whose} not given: assuming an even split over the adapters"
            continue
        times = 1 / usable_capacity_ratio(count, chosen_count)
        if times < _UNEVEN_RATIO:
            continue
        percent = f"{100 * times / chosen_count:.3g}%"
        is_in = "in the plan" if spreading is Spreading.HASHED else "not in the plan"
        yield (
            f"{whose}: on average, a hash puts {percent} of {count:,.9g} connections "
            f"on one of {chosen_count} adapters, {times:.3g} times an even share; that is {is_in}"
        )


def _cpus(path: Path, predictions: Sequence[Prediction]) -> Iterator[str]:
    untold = [side.value for side in Side if not path.cpu_stages(side)]
    if untold:
        yield f"CPUs of the {' and '.join(untold)} not planned: no CPU model"
    told = {pool.name: any(takes_time(pool, one) for one in predictions) for pool in path.pools}
    untimed = [name for name, is_told in told.items() if not is_told]
    if untimed:
        yield f"{', '.join(untimed)}: the path has no service time for these flows"
    partly = [
        pool.name for pool in path.pools if told[pool.name] and is_partly_known(pool, predictions)
    ]
    if partly:
        yield (
            f"CPUs of {', '.join(partly)} not planned: not all service times for these flows are "
            "known"
        )
    if path.unknown and any(is_told for name, is_told in told.items() if name not in partly):
        yield "CPU counts are lower bounds: see what is not modelled"
