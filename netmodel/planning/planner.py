"""From a demand and a path to what is needed."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import Stack
from netmodel.grades import Grade, weakest_grade
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    Floats,
    require_at_least,
    require_kind,
    require_one,
    require_whole,
)
from netmodel.path import Bound, Path, Pool, Predicted, Prediction, SpecifiedPath
from netmodel.path.ensemble import ends_of, quoted_of
from netmodel.path.from_records import lacks_cpu_time
from netmodel.path.over_distance import UNCOUNTED_LOSS, is_lossy, missing_window_text
from netmodel.path.stages import (
    ADAPTER_STAGES,
    DIRECTION_AT,
    DIRECTIONS,
    LINE_STAGES,
    host_pool_name,
)
from netmodel.planning.demand import (
    CONNECTIONS,
    FULL_RATIO,
    MAX_ADAPTER_COUNT,
    TIE_DIGITS,
    Demand,
    Headroom,
    PoolLoad,
    Resource,
    demand_of,
    is_partly_known,
    largest,
    planned,
    takes_time,
)
from netmodel.planning.flows import Flow
from netmodel.planning.plans import (
    CARRIED_DIGITS,
    Carried,
    DirectionNeed,
    Plan,
    PoolNeed,
    StageUse,
    amount_text,
    plain_number,
    resource_text,
    whole,
)
from netmodel.planning.sizing import required_adapter_count, required_core_count
from netmodel.text import (
    RESULT_DIGITS,
    SENTENCE_DIGITS,
    few_names,
    fixed_percent,
    percent_text,
    range_text,
)
from netmodel.transport import required_window_bytes
from netmodel.units import format_rate
from netmodel.units.formatting import window_text
from netmodel.units.prefixes import KIBI

WITH_HEADROOM = Headroom()
_GIVE_A_COST = 'give their cost, such as "0.16 cores/(Gbit/s)"'


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
    return plan_demand(demand, headroom, adapters_available)


def plan_demand(
    demand: Demand,
    headroom: Headroom = WITH_HEADROOM,
    adapters_available: int | None = None,
) -> Plan:
    """Return the plan of a demand whose flows are predicted already."""
    require_kind("headroom", headroom, Headroom, "a Headroom")
    if adapters_available is not None:
        count = require_whole("adapters_available", adapters_available)
        require_at_least("adapters_available", count, 1, "")
    flows, predictions, path = demand.flows, demand.predictions, demand.path
    spares, asked = headroom.spare_count, demand.asked_side
    # (1) adapters that each stage needs, and n: the largest number of the side that is asked for
    needed = {each.name: each.needed(headroom) for each in demand.shared if each.is_of_adapters}
    if not needed:
        raise DomainError("the flows use no adapter and no line of this path: nothing to plan")
    of_side = {
        side: [
            each
            for each in demand.shared
            if each.name in needed and side in (None, *demand.sides_of(each))
        ]
        for side in (None, *Side)
    }
    by_stages = {
        side: largest([needed[each.name] for each in of_side[side]])
        for side in dict.fromkeys((asked, asked.other if asked else asked))
    }
    counts = _reaching(demand, by_stages[asked], spares)
    chosen = whole(counts)
    planned_at: dict[Side | None, int | None] = dict.fromkeys((None, *Side), chosen)
    if asked is not None:
        planned_at[asked.other] = whole(by_stages[asked.other])

    # (2) the share of each stage that is used with these, also after failures
    stages = []
    for resource in demand.shared:
        sides = demand.sides_of(resource)
        there = chosen if asked in (None, *sides) else planned_at[next(iter(sides))]
        if _is_used(resource, there, spares):
            stages.append(_use_of(resource, there, spares, needed.get(resource.name)))
    # (3) each direction of the adapters of each side, and the stage that needs most of them
    more = [] if counts == by_stages[asked] else [counts]
    directions = []
    for side, direction in DIRECTION_AT:
        there = planned_at[side]
        passed = [
            each
            for each in of_side[side]
            if each.serves(side, direction) and _is_used(each, there, spares)
        ]
        if passed:
            by_name = {each.name: each for each in passed}
            uses = {
                name: planned(each.cases.needed(each.use_ratios(there or 1)))
                for name, each in by_name.items()
            }
            # of stages that tie, the line is what is known
            scarcest = max(
                uses,
                key=lambda name: (
                    planned(needed[name]),
                    round(uses[name], TIE_DIGITS),
                    name in LINE_STAGES,
                ),
            )
            directions.append(
                DirectionNeed(
                    side=side,
                    direction=direction,
                    binding=_use_of(by_name[scarcest], there, spares, needed[scarcest]),
                    adapter_count=largest([*(needed[name] for name in by_name), *more]),
                )
            )
    # (4) what adapters do not help with
    shortfalls = [*beside_adapters(demand, headroom, chosen or 1)]
    if chosen is None:
        shortfalls.append(
            "the connections are too few: one adapter has more of the load than it may carry, "
            f"also where there are {MAX_ADAPTER_COUNT:,} of them"
        )
    elif adapters_available is not None and chosen > adapters_available:
        where = "at each side" if asked is None else f"at the {asked.value}"
        shortfalls.append(
            f"{plain_number(chosen)} adapters are needed {where}, and "
            f"{plain_number(adapters_available)} available"
        )
    # (5) what it rests on
    binding = {need.binding.name for need in directions}
    printed = [each.published for each in demand.shared if each.published and each.name in binding]
    notes = (
        *_unlimited(predictions),
        *(note for each in predictions for note in each.path.mixed_notes),
        *(note for flow in flows if flow.fills_frames for note in flow.notes),
        *(f"bounded by a document: {each.text}" for each in printed),
        *_notes(flows, predictions, chosen),
    )
    grades = [*(each.grade for each in predictions), *(Grade.PUBLISHED for _ in printed)]
    without_spares = Headroom(headroom.max_utilisation_ratio, 0)
    by_bounds = largest([each.needed(without_spares) for each in of_side[asked]])
    return Plan(
        flows=flows,
        client_adapter=demand.client_adapter,
        server_adapter=demand.server_adapter,
        path=demand.path_id,
        mtu_bytes=require_one("mtu_bytes", predictions[0].mtu_bytes),
        headroom=headroom,
        adapter_count=counts,
        stages=tuple(stages),
        directions=tuple(directions),
        pools=tuple(pool_need(load, headroom, path) for load in demand.pool_loads),
        shortfalls=tuple(shortfalls),
        grade=weakest_grade(grades),
        notes=tuple(dict.fromkeys(notes)),
        count_without_spares=_reaching(demand, by_bounds, 0),
        count_by_bounds=by_bounds,
        one_adapter=_carried(flows, of_side[asked]),
        asked_side=asked,
        adapters_available=adapters_available,
        settings=path.settings,
        distance=path.distance,
        demand=demand,
    )


def _left(count: int | None, spare_count: int) -> tuple[int, int]:
    """Adapters, and those after failures; 1 where no number is enough."""
    return count or 1, max((count or 1) - spare_count, 1)


def _is_used(resource: Resource, count: int | None, spare_count: int) -> bool:
    """Whether flows use it: what is published may bound fewer connections than an adapter has."""
    is_stage = resource.published is None
    return is_stage or resource.use_ratios(_left(count, spare_count)[1]).max() > 0


def _use_of(
    resource: Resource, count: int | None, spare_count: int, needed: Predicted[float] | None
) -> StageUse:
    """Return what a number of adapters leaves of a stage, also after failures."""
    uses = [resource.cases.needed(resource.use_ratios(n)) for n in _left(count, spare_count)]
    is_known = count is not None or not resource.is_of_adapters
    use, after = uses if is_known else (None, None)
    return StageUse(
        name=resource.name,
        is_of_adapters=resource.is_of_adapters,
        adapter_count=needed,
        use_ratio=use,
        after_failure_ratio=after,
    )


def _reaching(demand: Demand, counts: Predicted[float], spare_count: int) -> Predicted[float]:
    """As many adapters, or more where connections are expected to reach the rate only then."""

    def enough(count: float, end: str) -> float:
        for place, flow in enumerate(demand.flows):

            def reaches(number: int, place: int = place) -> bool:
                use = demand.expected_use(place, number)
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


def too_small(
    plan: Plan,
    volume_ratios: float | Sequence[float],
    adapters: int = 0,
    cores: Mapping[str, int] | None = None,
) -> str:
    """
    Return what of a plan is too small for its volumes times a factor; empty where nothing is.

    Parameters
    ----------
    plan : Plan
        One that holds.
    volume_ratios : float or sequence of float
        Of all flows, or of each.
    adapters : int
        At each side, beyond those of the plan.
    cores : mapping of str to int, optional
        Beyond those of the plan, by the pool.
    """
    assert plan.demand is not None
    grown = plan.demand.scaled(volume_ratios)
    count = (plan.chosen_count or 0) + adapters
    counted = [
        each
        for each in grown.shared
        if each.is_of_adapters and plan.asked_side in (None, *grown.sides_of(each))
    ]
    full = [each for each in counted if not each.holds(count, plan.headroom).all()]
    if full:
        return max(full, key=lambda each: each.use_ratios(count, is_planned=True).max()).name
    for had, load in zip(plan.pools, grown.pool_loads, strict=True):
        need = pool_need(load, plan.headroom, grown.path)
        there = planned(had.core_count) + (cores or {}).get(had.name, 0)
        if had in plan.cpu_needs and planned(need.core_count) > there:
            return had.name
    return next(beside_adapters(grown, plan.headroom, count), "")


def beside_adapters(demand: Demand, headroom: Headroom, adapter_count: int) -> Iterator[str]:
    """Yield what is too small of stages, pools and connections that adapters do not bring."""
    allowed = headroom.max_utilisation_ratio
    most = percent_text(allowed, CARRIED_DIGITS)
    for stage in demand.shared:
        use = planned(stage.cases.needed(stage.use_ratios(1)))
        if not stage.is_of_adapters and use > allowed * FULL_RATIO:
            share = fixed_percent(use, 1)
            yield f"{stage.name} would be {share} busy, and {most} may be, whatever the adapters"
    # pools of CPUs, in the planned case: of load and of CPUs
    for load in demand.pool_loads:
        if load.present is None:
            continue
        uses = load.busy / load.present
        case = int(np.flatnonzero(uses == planned(load.cases.needed(uses)))[0])
        if uses[case] > allowed * FULL_RATIO:
            yield (
                f"{plain_number(load.busy[case])} of {load.present[case]:g} "
                f"{resource_text(load.pool.name)} would be busy, and {most} may be"
            )
    # limits that a flow shares with no other, such as the window of its connections
    for place, (flow, prediction) in enumerate(demand.pairs):
        for name, need in demand.flow_limits(place, adapter_count).items():
            if planned(need) <= FULL_RATIO:
                continue
            expected = demand.expected(place, adapter_count)
            if name == CONNECTIONS and expected is not None:
                rate = expected.transaction_rate_tps.numbers()
                yield _expected_text(flow, rate)
            else:
                yield _own_limit_text(flow, prediction, name, planned(need))


def pool_need(load: PoolLoad, headroom: Headroom, path: Path) -> PoolNeed:
    """Return servers of a pool, m: those that the flows keep busy over the share allowed."""
    pool, busy, share = load.pool, load.busy, headroom.max_utilisation_ratio
    bound, smt_gain = bound_of(pool, path), [quoted_of(pool.smt_gain), *ends_of(pool.smt_gain)]
    gain, low_gain, high_gain = (require_one("smt_gain", each) for each in smt_gain)

    def cores(smt_gain: float) -> Predicted[float]:
        """Whole cores, in the time basis of the pool."""
        per_core = smt_gain * pool.threads_per_core
        counts: Floats = np.asarray(required_adapter_count(busy, per_core, share), dtype=float)
        return load.cases.needed(counts, bound)

    value, least, most = (cores(each) for each in (gain, high_gain, low_gain))
    return PoolNeed(
        name=pool.name,
        side=pool.side,
        is_cpu=pool.is_cpu,
        busy_count=Predicted(float(busy[0]), float(busy.min()), float(busy.max()), Bound.VALUE),
        needed_count=load.cases.needed(np.asarray(required_core_count(busy, share), float), bound),
        core_count=Predicted(value.value, least.low, most.high, bound),
        cost=pool.cost,
        smt_gain=None if high_gain == 1 else Predicted(gain, low_gain, high_gain),
        present_count=None if load.present is None else float(load.present[0]),
        time_basis=pool.time_basis,
    )


def bound_of(pool: Pool, path: Path) -> Bound:
    """A value where nothing is left out of the CPU time of the pool, else a lower bound."""
    if pool.cost is not None:
        return pool.cost.bound
    if pool.side is not None and pool.name == host_pool_name(pool.side):
        is_complete = not lacks_cpu_time(path.unknown, pool.side)
    else:
        is_complete = not path.unknown
    return Bound.VALUE if is_complete else Bound.LOWER


def _carried(flows: Sequence[Flow], of_adapters: Sequence[Resource]) -> Carried:
    r"""What one adapter carries of the flows: a share :math:`1 / \max_r L_r` of each."""
    needs = [each.cases.needed(each.use_ratios(1)) for each in of_adapters]
    quoted = [float(each.use_ratios(1)[each.cases.are_printed].min()) for each in of_adapters]
    # of stages that tie, the line is what is known
    scarcest, _ = max(
        zip(of_adapters, quoted, strict=True),
        key=lambda pair: (round(pair[1], TIE_DIGITS), pair[0].name in LINE_STAGES),
    )
    most = largest(needs)
    value, low, high = (1 / use if use else math.inf for use in (max(quoted), most.high, most.low))
    ratio = Predicted(value, low, high, Bound.UPPER)
    side, direction = _place(scarcest, flows)
    return Carried(
        demand_ratio=ratio,
        payload_rate_bps=ratio.scaled(sum(flow.payload_rate_bps for flow in flows)),
        binding=scarcest.name,
        side=side,
        direction=direction,
    )


def _place(resource: Resource, flows: Sequence[Flow]) -> tuple[Side, str]:
    """Side and direction of a stage; the server's end of a line, where flows send most."""
    if resource.name in ADAPTER_STAGES and resource.side is not None:
        return resource.side, resource.name.rpartition("_")[2]
    side = Side.SERVER if resource.side is None else resource.side
    if len(resource.directions) == 1:
        return side, "in" if DIRECTION_AT[side, "in"] in resource.directions else "out"
    sent_bps = dict.fromkeys(Side, 0.0)
    for flow in flows:
        sent_bps[flow.sender] += flow.payload_rate_bps
    is_in = Side.sending_more(sent_bps[Side.CLIENT], sent_bps[Side.SERVER]) is Side.CLIENT
    return side, "in" if is_in is (side is Side.SERVER) else "out"


# ---- In words


def _expected_text(flow: Flow, rate: Predicted[float]) -> str:
    """What the connections of a flow are expected to reach, with any number of adapters."""
    count, tps = flow.connection_count or 1, flow.transaction_rate_tps
    value, low, high = (_rate_text(flow, each / tps) for each in (rate.value, rate.low, rate.high))
    # an expected value beyond the planned rate is refused for its range
    reached = f"about {value}" if rate.value < tps else range_text(low, high)
    number = "one connection carries" if count == 1 else f"{count:,.9g} connections carry"
    return f"{number} {reached} of {flow.name}"


def _rate_text(flow: Flow, ratio: float) -> str:
    """A multiple of the rate of a flow, in the unit in which that was given."""
    if flow.is_in_transactions:
        return f"{flow.transaction_rate_tps * ratio:,.0f}/s"
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
    advice = _larger_window(flow, prediction) if name == "window" else ""
    highest_tps = next(limit.rate.value for limit in prediction.all_limits if limit.name == name)
    rate = amount_text(flow, float(highest_tps) / flow.transaction_rate_tps)
    planned_rate = amount_text(flow, 1 / use_ratio)
    most = rate if planned_rate == rate else range_text(planned_rate, rate)
    return f"{subject} {sign} {most} of {flow.name}{advice}"


def _notes(
    flows: Sequence[Flow],
    predictions: Sequence[Prediction],
    chosen_count: int | None,
) -> tuple[str, ...]:
    """What the plan leaves out or rests on, most important first, each once."""
    path = predictions[0].path
    notes = [*_in_flight_notes(flows, predictions)]
    if path.unknown:
        parts = path.unknown[0] if len(path.unknown) == 1 else f"{len(path.unknown)} parts"
        notes.append(f"lower bound: {parts} not modelled")
    if not any(map(path.cpu_stages, Side)):
        notes += _missing_cpus(path, predictions)
    notes += (text for prediction in predictions for text in prediction.path_notes)
    # Frames other than those that service times were calibrated for, for all flows together
    extrapolated: dict[str, dict[str, None]] = {}
    for prediction in predictions:
        for text, names in prediction.outside_validity.items():
            extrapolated.setdefault(text, {}).update(dict.fromkeys(names))
    notes += (f"{name}: {text}" for text, names in extrapolated.items() for name in names)
    notes += _uneven(flows, chosen_count)
    notes += _missing_cpus(path, predictions)
    if len(path.unknown) > 1:
        notes += (f"not modelled: {part}" for part in path.unknown)
    notes += (text for flow in flows if not flow.fills_frames for text in flow.notes)
    return tuple(dict.fromkeys(notes))


def _unlimited(predictions: Sequence[Prediction]) -> Iterator[str]:
    """Directions of adapters that carry something, and of which no limit is known."""
    names = [
        name
        for name, direction in ADAPTER_STAGES.items()
        if any(name in each.demands for each in predictions)
        and not any(each.demands.get(name) for each in predictions)
        and any(
            count.frame_count or count.ack_count
            for each in predictions
            for count in [each.counts[DIRECTIONS.index(direction)]]
        )
    ]
    if names:
        is_all = len(names) == len(ADAPTER_STAGES)
        whose = "all adapters" if is_all else few_names(names, "adapter directions")
        yield f"limit of {whose} not known: planned at line rate"


def _uneven(flows: Sequence[Flow], chosen_count: int | None) -> Iterator[str]:
    """Flows whose connections are taken to divide evenly over the adapters of the plan."""
    names = dict.fromkeys(flow.name for flow in flows if flow.connection_count is None)
    if names and chosen_count not in (None, 1):
        whose = few_names([*names], "flows")
        yield f"number of connections not given for {whose}: assuming an even split"


def _missing_cpus(path: Path, predictions: Sequence[Prediction]) -> Iterator[str]:
    """CPUs that are not planned, and why."""
    without_model = [side.value for side in Side if not path.cpu_stages(side)]
    if without_model:
        yield f"CPUs of the {' and '.join(without_model)} not planned: {_GIVE_A_COST}"
    lacking: dict[str, list[str]] = {}
    for pool in path.pools:
        if not any(takes_time(pool, prediction) for prediction in predictions):
            text = "{}: the path has no service time for these flows"
        elif is_partly_known(pool, predictions):
            text = "CPUs of {} not planned: some service times not known"
        elif bound_of(pool, path) is Bound.LOWER:
            text = "CPU counts are lower bounds: see what is not modelled"
        else:
            continue
        lacking.setdefault(text, []).append(pool.name)
    for text, names in lacking.items():
        yield text.format(few_names(names, "pools"))


def _larger_window(flow: Flow, prediction: Prediction) -> str:
    """What window, or how many connections, a flow needs; empty where that is not known."""
    trip_s, count, window = _round_trip_s(prediction), flow.connection_count, prediction.path
    if not trip_s or count is None or window.window_bytes is None:
        return ""
    needed_bytes = float(required_window_bytes(flow.payload_rate_bps, trip_s))
    window_bytes = float(quoted_of(window.window_bytes))
    size = _kibibytes(needed_bytes / count)
    return f"; use a window of {size}, or {math.ceil(needed_bytes / window_bytes):,} connections"


def _in_flight_notes(flows: Sequence[Flow], predictions: Sequence[Prediction]) -> Iterator[str]:
    """What the windows of streams have to hold, where they or the connections are not given."""
    for flow, prediction in zip(flows, predictions, strict=True):
        trip_s, path = _round_trip_s(prediction), prediction.path
        if is_lossy(path) and flow.connection_count is None:
            yield UNCOUNTED_LOSS
        is_limit = path.window_bytes is not None and flow.connection_count is not None
        if not trip_s or flow.traffic.waits or is_limit:
            continue
        window = missing_window_text(path, prediction.traffic, flow.payload_rate_bps)
        if window:
            rate = format_rate(flow.payload_rate_bps, SENTENCE_DIGITS)
            yield f"no window given: {rate} of {flow.name} takes {window}"
            continue
        size = _kibibytes(float(required_window_bytes(flow.payload_rate_bps, trip_s)))
        yield f"connections not given: windows of {flow.name} must hold {size} together"


def _kibibytes(size_bytes: float) -> str:
    """A size that is enough, in whole KiB as windows are set."""
    return window_text(KIBI * math.ceil(size_bytes / KIBI))


def _round_trip_s(prediction: Prediction) -> float:
    """The round trip over the distance that was given; 0 without one. [s]"""
    between = prediction.path.distance
    trip_s = None if between is None else between.round_trip_s
    return 0.0 if trip_s is None else require_one("round_trip_s", trip_s)
