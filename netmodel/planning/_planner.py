"""From a demand and a path to what is needed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from netmodel._grades import weakest_grade
from netmodel._numeric import Floats, require_kind, require_member, require_one
from netmodel._text import few_names
from netmodel.concurrency import usable_capacity_ratio
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import Stack
from netmodel.path import (
    Bound,
    Path,
    Pool,
    Prediction,
    SpecifiedPath,
    Stage,
    predict_path,
)
from netmodel.path._distance import Protocol
from netmodel.path._from_records import ADAPTER_STAGES
from netmodel.path._narrowing import narrowing
from netmodel.path._path import DIRECTIONS, LINE_STAGES
from netmodel.path._uncertain import ends_of
from netmodel.planning._expected_load import expected_load
from netmodel.planning._far import in_flight_notes, larger_window
from netmodel.planning._flows import Flow
from netmodel.planning._plan import Corner, DirectionNeed, Plan, PoolNeed, StageUse, plain_number
from netmodel.planning._resources import (
    FULL_RATIO,
    MAX_ADAPTER_COUNT,
    SIDE_DIRECTIONS,
    Headroom,
    Resource,
    Spreading,
    bound_of,
    cores_of,
    gain_of,
    is_partly_known,
    largest,
    need_of,
    own_limits,
    pool_load,
    published_resources,
    resources,
    takes_time,
)
from netmodel.planning.sizing import required_core_count

_TIE_DIGITS = 8
"""Uses that agree so far are a tie: more than any figure has, less than rounding leaves."""
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
    corner: Corner = Corner.WORST,
    spreading: Spreading = Spreading.EVEN,
    without_statements: bool = False,
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
    corner : Corner
        Which of all values that parameters may have the plan is made for.
    spreading : Spreading
        How connections come to use several adapters.
    without_statements : bool
        Whether to leave out the bounds that published statements set.

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

    Published statements on the adapters count too, each as one more stage of an adapter. Its
    capacity is the upper bound that the statement sets at the adapter's number of connections
    (see `netmodel.judging`); with more adapters each has fewer connections.

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
    if spreading is Spreading.HASHED and any(
        flow.traffic.connection_count is None for flow in flows
    ):
        raise ContradictionError(
            "give the connections of every flow: spreading them by a hash needs their number"
        )
    sending = Side.sending_more(
        sum(flow.transaction_rate_tps * float(flow.traffic.request_bytes) for flow in flows),
        sum(flow.transaction_rate_tps * float(flow.traffic.response_bytes) for flow in flows),
    )

    def path_of(flow: Flow) -> Path:
        costed = path
        if path.has_cost_of_another_case:
            from netmodel.judging._measured_cost import with_costs_of_case

            costed = with_costs_of_case(path, flow.traffic, mtu_bytes, stack, sending)
        return costed.path_of(flow.traffic, sending)

    predictions = [predict_path(path_of(flow), flow.traffic, mtu_bytes, stack) for flow in flows]
    published: list[Resource] = []
    between = path.distance
    if between is not None:
        # what is published of hosts beside each other bounds them over a distance too
        path = replace(path, distance=None)
    if not without_statements and (between is None or between.protocol is Protocol.TCP):
        if path.record is None:
            # each adapter brings what statements allow one of them
            for number, (flow, alone) in enumerate(zip(flows, predictions, strict=True), start=1):
                for each in published_resources(flow, path, alone, spreading):
                    is_named = each.name in {other.name for other in published}
                    name = f"{each.name} (flow {number})" if is_named else each.name
                    published.append(replace(each, name=name))
        else:
            from netmodel.judging import with_statements

            predictions = [with_statements(each, path) for each in predictions]
    client, server = path.adapters(sending)
    return _Planner(flows, predictions, headroom, corner, spreading, tuple(published)).plan(
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
    without_statements: bool = False,
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
    without_statements : bool
        Whether to leave out the bounds that published statements set.

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
    >>> [(each.mtu_bytes, each.chosen_count) for each in plans]
    [(9000, 4), (1500, 6)]
    """
    from netmodel.records._load import unchanged_files

    flows = _checked_flows(flows)
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
            corner=corner,
            spreading=spreading,
            without_statements=without_statements,
        )
        for path in paths
        for mtu in mtus_bytes
    )
    with unchanged_files():
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


def _order(result: Plan) -> tuple[float, ...]:
    """Sort key: plans that hold, fewest adapters, best evidence, narrowest range, least used."""
    evidence = -1 if result.grade is None else result.grade.rank
    uses = (stage.use_ratio for stage in result.stages)
    most_used = max((result.corner.of(use) for use in uses if use is not None), default=0.0)
    counts, corner = result.adapter_count, result.corner
    return not result.holds, corner.of(counts), evidence, counts.high, counts.low, most_used


@dataclass(frozen=True)
class _Planner:
    """A demand, its predictions, and what a plan of them keeps free."""

    flows: tuple[Flow, ...]
    predictions: Sequence[Prediction]
    headroom: Headroom
    corner: Corner
    spreading: Spreading
    published: tuple[Resource, ...]

    def plan(
        self, client_adapter: str | None, server_adapter: str | None, path_id: str | None
    ) -> Plan:
        # (1) load of each stage that the flows share, L_r, and adapters that it needs, n_r
        shared = resources(self.flows, self.predictions, self.spreading) + self.published
        of_adapters = [resource for resource in shared if resource.is_of_adapters]
        if not of_adapters:
            raise DomainError("the flows use no adapter and no line of this path: nothing to plan")
        counts_of = {
            resource.name: resource.needed(resource.adapter_counts(self.headroom))
            for resource in of_adapters
        }
        # (2) n, the largest of them, and what it leaves of each stage, also after failures
        counts = largest(list(counts_of.values()))
        needed = self.corner.of(counts)
        chosen = int(needed) if np.isfinite(needed) else None
        present = 1 if chosen is None else chosen
        left = max(present - self.headroom.spare_count, 1)
        uses, scarcity = {}, {}
        for resource in shared:
            name, is_of_adapters = resource.name, resource.is_of_adapters
            is_known = chosen is not None or not is_of_adapters
            use = resource.needed(resource.use_ratios(present))
            after = resource.needed(resource.use_ratios(left))
            if resource.published is not None and not after.high:
                continue  # it bounds fewer connections than an adapter has
            uses[name] = StageUse(
                name=name,
                is_of_adapters=is_of_adapters,
                adapter_count=counts_of.get(name),
                use_ratio=use if is_known else None,
                after_failure_ratio=after if is_known else None,
            )
            if is_of_adapters:
                # of stages that tie, the line is what is known
                use_ratio = round(self.corner.of(use), _TIE_DIGITS)
                scarcity[name] = self.corner.of(counts_of[name]), use_ratio, name in LINE_STAGES
        # (3) each direction of the adapters of each side, and the stage that needs most of them
        directions = []
        for side, direction in SIDE_DIRECTIONS:
            serving = [each.name for each in of_adapters if each.serves(side, direction)]
            passed = [name for name in serving if name in uses]
            if passed:
                directions.append(
                    DirectionNeed(
                        side=side,
                        direction=direction,
                        binding=uses[max(passed, key=scarcity.__getitem__)],
                        adapter_count=largest([counts_of[name] for name in passed]),
                    )
                )
        binding = {need.binding.name for need in directions}
        binding_statements = [
            each.published for each in self.published if each.published and each.name in binding
        ]
        path = self.predictions[0].path
        # (4) servers of each pool, m: those that the flows keep busy over the share allowed
        pools = [
            PoolNeed(
                name=pool.name,
                side=pool.side,
                is_cpu=pool.is_cpu,
                busy_count=need_of(busy, are_printed, Bound.VALUE),
                needed_count=need_of(
                    required_core_count(busy, self.headroom.max_utilisation_ratio),
                    are_printed,
                    bound_of(pool, path),
                ),
                core_count=cores_of(pool, busy, are_printed, self.headroom, bound_of(pool, path)),
                cost=pool.cost,
                smt_gain=gain_of(pool),
                narrowing=narrowing(
                    [(flow.transaction_rate_tps, each) for flow, each in self._pairs], pool
                ),
                present_count=None if there is None else float(there[0]),
                time_basis=pool.time_basis,
            )
            for pool, busy, there, are_printed in self._pool_loads()
        ]
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
            directions=tuple(directions),
            pools=tuple(pools),
            shortfalls=tuple(self._shortfalls(shared, chosen)),
            grade=weakest_grade(
                (
                    *(prediction.grade for prediction in self.predictions),
                    *(published.grade for published in binding_statements),
                )
            ),
            notes=(
                *dict.fromkeys(note for each in self.predictions for note in each.path.mixed_notes),
                *_range_notes(pools),
                *dict.fromkeys(note for each in binding_statements for note in each.notes),
                *_notes(self.flows, self.predictions, self.spreading, chosen),
            ),
            settings=path.settings,
            distance=path.distance,
            expected=None
            if chosen is None or len(self.flows) > 1
            else expected_load(self.flows[0], self.predictions[0], [*counts_of], chosen),
        )

    def _shortfalls(self, shared: Sequence[Resource], chosen: int | None) -> Iterator[str]:
        """What is too small, regardless of the number of adapters."""
        allowed = self.headroom.max_utilisation_ratio
        # Stages that no adapter brings
        for stage in shared:
            use = self.corner.of(stage.needed(stage.use_ratios(1)))
            if not stage.is_of_adapters and use > allowed * FULL_RATIO:
                yield (
                    f"{stage.name} is used at {use:,.1%}, more than the {allowed:.1%} allowed, and "
                    "adapters do not change that"
                )
        # Pools of CPUs, in the case of the corner: of load and of CPUs
        for pool, busy, present, are_printed in self._pool_loads():
            if present is None:
                continue
            uses = busy / present
            case = int(np.argmax(uses == self.corner.of(need_of(uses, are_printed))))
            if uses[case] > allowed * FULL_RATIO:
                taken, there = (counts[case] for counts in np.broadcast_arrays(busy, present))
                yield (
                    f"{pool.name} has {there:g} and {plain_number(taken)} are busy, more than the "
                    f"{allowed:.1%} allowed"
                )
            lost, after = self.headroom.spare_core_count, self.headroom.after_failure_ratio
            left = present - lost * ends_of(pool.smt_gain)[1] * pool.threads_per_core
            uses = busy / np.maximum(left, np.finfo(float).tiny)
            if lost and self.corner.of(need_of(uses, are_printed)) > after * FULL_RATIO:
                yield (
                    f"{pool.name} is too small without {lost:,} of its cores: more than the "
                    f"{after:.1%} allowed then are busy"
                )
        # Limits that a flow shares with no other, such as the window of its connections
        for flow, prediction in self._pairs:
            for name, uses_of_limit in own_limits(flow, prediction):
                use = self.corner.of(uses_of_limit)
                if use > FULL_RATIO:
                    advice = larger_window(flow, prediction) if name == "window" else ""
                    yield (
                        f"{flow.name} takes {plain_number(use)} times what its limit {name!r} "
                        f"allows, and adapters do not change that{advice}"
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
        """Servers of each pool that are busy and present, where both are known."""
        for pool in self.predictions[0].path.pools:
            load = pool_load(pool, list(self._pairs))
            if load and not is_partly_known(pool, self.predictions):
                yield pool, *load


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
    if not any(map(path.cpu_stages, Side)):
        notes += _missing_cpus(path, predictions)
    notes += in_flight_notes(flows, predictions)
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
        streams = few_names([*dict.fromkeys(uncounted)], "streams")
        notes.append(
            f"acknowledgements of {streams} not counted beside other flows: give segments per ack"
        )
    notes += _uneven(flows, spreading, chosen_count)
    notes += _missing_cpus(path, predictions)
    if len(path.unknown) > 1:
        notes += (f"not modelled: {part}" for part in path.unknown)
    notes += (text for flow in flows for text in flow.notes)
    return tuple(dict.fromkeys(notes))


def _range_notes(pools: Sequence[PoolNeed]) -> Iterator[str]:
    """What would narrow the range of the CPUs of each side, or why there is none."""
    texts: dict[str, list[str]] = {}
    for pool in pools:
        if not pool.is_cpu or pool.side is None:
            continue
        if pool.narrowing is not None:
            text = pool.narrowing.note(f"{{}} {pool.unit}s")
        elif pool.cost is not None:
            text = f'range of {{}} {pool.unit}s not known: give a cost as "LOW..HIGH UNIT"'
        else:
            text = f"range of {{}} {pool.unit}s not known: its service times are single figures"
        texts.setdefault(text, []).append(pool.of_side)
    for text, whose in texts.items():
        yield text.format(" and ".join(whose))


def _unlimited(stages: Sequence[Stage], predictions: Sequence[Prediction]) -> Iterator[str]:
    """Directions of adapters that carry something, and for which the data allow any rate."""
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
    for names, what_follows in (
        (unknown, "not known: planned at line rate"),
        (bounded, "never measured: worst case is the slowest that fits"),
    ):
        if names:
            directions = few_names(names, "adapter directions")
            whose = "all adapters" if len(names) == len(ADAPTER_STAGES) else directions
            yield f"limit of {whose} {what_follows}"


def _uneven(flows: Sequence[Flow], spreading: Spreading, chosen_count: int | None) -> Iterator[str]:
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
        excess_ratio = 1 / usable_capacity_ratio(count, chosen_count)
        if excess_ratio < _UNEVEN_RATIO:
            continue
        verb = "puts" if spreading is Spreading.HASHED else "would put"
        even = "an even split is" if spreading is Spreading.HASHED else "the plan assumes"
        yield (
            f"{whose}: a hash {verb} {100 * excess_ratio / chosen_count:.3g}% of its {count:,.9g} "
            f"connections on one adapter; {even} {100 / chosen_count:.3g}%"
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
