"""A demand: a matrix of what each flow takes of each resource, in each case of parameters."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from netmodel.ceilings import ByteLayer
from netmodel.concurrency import busiest_queue_flow_count
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.estimates import Bound, Predicted, combined
from netmodel.framing import Stack, tcp_stack
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    Floats,
    require_at_least,
    require_kind,
    require_one,
    require_share,
    require_whole,
)
from netmodel.path import Path, Pool, Prediction, SpecifiedPath
from netmodel.path.ensemble import Parameter, mapped
from netmodel.path.from_records import ADAPTER_CAPACITY, lacks_cpu_time
from netmodel.path.limits import PUBLISHED
from netmodel.path.over_distance import is_lossy, is_rdma
from netmodel.path.prediction import bounded, not_known
from netmodel.path.stages import ADAPTER_STAGES, DIRECTION_AT, LINE_STAGES, Stage
from netmodel.planning.flows import Flow
from netmodel.results import fields_repr

if TYPE_CHECKING:
    import numpy.typing as npt

    from netmodel.records.equipment import Record

MAX_ADAPTER_COUNT = 2**16
"""More are not tried where connections do not divide evenly: no plan buys as many."""
CONNECTIONS = "connections"
"""Limit of the rate that the connections of a flow reach."""
PRINTED_RATIO = 0.005
"""Half a step of the last of three digits, which rates of adapters are printed with."""
FULL_RATIO = 1 + ROUNDING_RATIO
"""All of what may be used, with what rounding and the search for ends of parameters may add."""


def planned(need: Predicted[float]) -> float:
    """Return the need that a plan is made for: the largest, but for rounding of printed figures."""
    return float(need.value if need.high <= (1 + PRINTED_RATIO) * need.value else need.high)


@dataclass(frozen=True)
class Headroom:
    """
    Highest planned utilisation, and adapters that may fail.

    Parameters
    ----------
    max_utilisation_ratio : float
        Share of each adapter and stage, also of a capacity per flow, that may be used while all
        work; of what windows, loss or waiting let connections reach, all may be.
    spare_count : int
        Adapters that may fail at the same time; 1 is known as N+1.
    max_utilisation_after_failure_ratio : float, optional
        Share that may be used then; the same when left out.

    Raises
    ------
    DomainError
        If a share is not above 0 and at most 1, or the spares are not a whole
        number from 0 up.

    Examples
    --------
    >>> Headroom(0.6, max_utilisation_after_failure_ratio=0.9).spare_count
    1
    """

    # a queue with random arrivals (M/M/1) takes 1 / (1 - 0.7) = 3.3 service times then
    max_utilisation_ratio: float = 0.7
    spare_count: int = 1
    max_utilisation_after_failure_ratio: float | None = None

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        for name in ("max_utilisation_ratio", "max_utilisation_after_failure_ratio"):
            if (ratio := getattr(self, name)) is not None:
                require_share(name, require_one(name, ratio))
        require_at_least("spare_count", require_whole("spare_count", self.spare_count), 0, "")

    @property
    def after_failure_ratio(self) -> float:
        """Share that may be used after a failure."""
        after = self.max_utilisation_after_failure_ratio
        return self.max_utilisation_ratio if after is None else after


class Resource(NamedTuple):
    """
    A stage that flows share, what documents print of one flow, or a pool of servers.

    Parameters
    ----------
    name : str
        That of the stage or pool.
    side : Side, optional
        Whose it is; None for the line and what lies between.
    directions : frozenset of str
        ``"to_server"`` and ``"to_client"``, as far as the flows use it.
    is_of_adapters : bool
        Whether each adapter brings one.
    hashes_flows : bool
        Whether a hash spreads connections to its servers.
    published : str
        What documents print with its place, if it is no stage.
    pool : Pool, optional
        The pool, if it is one.
    """

    name: str
    side: Side | None
    directions: frozenset[str] = frozenset()
    is_of_adapters: bool = False
    hashes_flows: bool = False
    published: str = ""
    pool: Pool | None = None


_Part: TypeAlias = "tuple[Floats, Floats, npt.NDArray[np.bool_]]"
"""Servers that a flow keeps busy, those that there are, and whether figures are as printed, in each
case of what parameters may be."""


@dataclass(frozen=True, eq=False)
class Demand:
    """
    Flows on one kind of path, and what each takes of its resources in each case.

    Parameters
    ----------
    flows : tuple of Flow
        Everything that is sent at the same time.
    predictions : tuple of Prediction
        Of each flow alone, over one adapter at each side.
    resources : tuple of Resource
        Stages that the flows share, what documents allow an adapter, and pools of servers whose
        service times are known.
    loads : numpy.ndarray
        Share of one resource that a flow uses, of a pool its busy servers: flows by resources by
        cases of what parameters may be, the case to quote first.
    server_counts : numpy.ndarray
        Servers of a pool, or of a stage to which a hash spreads connections: resources by cases;
        NaN where they are not known, or do not matter.
    are_printed : numpy.ndarray
        Whether a case takes all published figures as printed: resources by cases.
    sending : Side
        The side that sends more of all payload; the client when equal.
    client_adapter, server_adapter, path_id : str, optional
        Ids of the records.
    records : tuple of records
        Adapters, hosts, paths and workloads that it is made of, each once.
    known_predictions : dict
        That of a flow, by its place and the number of adapters: it is the same at
        every volume.
    """

    flows: tuple[Flow, ...]
    predictions: tuple[Prediction, ...]
    resources: tuple[Resource, ...]
    loads: Floats
    server_counts: Floats
    are_printed: "npt.NDArray[np.bool_]"
    sending: Side
    client_adapter: str | None = None
    server_adapter: str | None = None
    path_id: str | None = None
    records: "tuple[Record, ...]" = ()
    known_predictions: dict[tuple[int, float], Prediction] = field(default_factory=dict, repr=False)

    @property
    def path(self) -> Path:
        """The stages of one adapter at each side and what is between."""
        return self.predictions[0].path

    def scaled(self, volume_ratios: float | Sequence[float]) -> "Demand":
        """Return the demand with all volumes times a factor, or each flow times its own."""
        ratios = np.broadcast_to(np.asarray(volume_ratios, dtype=float), (len(self.flows),))
        flows = (
            replace(flow, transaction_rate_tps=flow.transaction_rate_tps * ratio)
            for flow, ratio in zip(self.flows, ratios.tolist(), strict=True)
        )
        return replace(self, flows=tuple(flows), loads=self.loads * ratios[:, None, None])

    # ---- Evaluations of the matrix

    def use_ratios(self, adapter_count: FloatOrArray, *, is_planned: bool = False) -> Floats:
        """
        Return the utilisation of the busiest adapter, or the planned one: resources by cases.

        For a pool, the number of its busy servers.
        """
        counts: Floats = np.where([[x.is_of_adapters] for x in self.resources], adapter_count, 1.0)
        used = np.zeros_like(self.server_counts)
        loads = self._planned_loads if is_planned else self.loads
        for flow, load in zip(self.flows, loads, strict=True):
            if (connections := flow.connection_count) is None:
                used += load / counts
                continue
            # the adapter with most of its connections, and the server with most of these
            most = np.array(np.broadcast_to(-(-connections // counts), used.shape))
            for row, each in enumerate(self.resources):
                if each.hashes_flows and load[row].any():
                    servers = self.server_counts[row]
                    most[row] = busiest_queue_flow_count(most[row], servers) * servers
            used += load * most / connections
        return used

    def full_ratios(self, adapter_count: FloatOrArray) -> Floats:
        """Return the utilisation of each resource as a whole: resources by cases."""
        is_pool = [[each.pool is not None] for each in self.resources]
        return self.use_ratios(adapter_count) / np.where(is_pool, self.server_counts, 1)

    @cached_property
    def _planned_loads(self) -> Floats:
        """Loads, capped by those of printed figures where they differ only by rounding."""
        total = self.loads.sum(axis=0)
        quoted = np.where(self.are_printed, total, -np.inf).max(axis=1, keepdims=True)
        is_rounding = total.max(axis=1, keepdims=True) <= (1 + PRINTED_RATIO) * quoted
        kept = np.minimum(1, quoted / np.where(total > 0, total, np.inf))
        result: Floats = self.loads * np.where(is_rounding & (total > 0), kept, 1)
        return result

    def holds(self, adapter_count: FloatOrArray, headroom: Headroom) -> "npt.NDArray[np.bool_]":
        """Return True where this number of adapters has the headroom: resources by cases."""
        left = np.asarray(adapter_count) - headroom.spare_count
        use, after = (self.use_ratios(n, is_planned=True) for n in (adapter_count, left))
        within = use <= headroom.max_utilisation_ratio * FULL_RATIO
        return within & (after <= headroom.after_failure_ratio * FULL_RATIO)

    def needed(self, headroom: Headroom) -> list[Predicted[float]]:
        """Return the fewest adapters that give each resource the headroom; infinite for none."""
        # more than these divide no connections, or have the headroom of all
        counts = [flow.connection_count or MAX_ADAPTER_COUNT for flow in self.flows]
        if not any(flow.connection_count for flow in self.flows):
            least = min(headroom.max_utilisation_ratio, headroom.after_failure_ratio)
            counts = [self.use_ratios(1, is_planned=True).max() / least]
        most = math.ceil(max(1, min(max(counts), MAX_ADAPTER_COUNT))) + headroom.spare_count
        shape = self.are_printed.shape
        low, high = np.full(shape, headroom.spare_count + 1), np.full(shape, most)
        while (low < high).any():
            middle = (low + high) // 2
            does_hold = self.holds(middle, headroom)
            low, high = np.where(does_hold, low, middle + 1), np.where(does_hold, middle, high)
        return self.spread(np.where(self.holds(most, headroom), low, np.inf))

    def spread(self, needs: Floats) -> list[Predicted[float]]:
        """
        Return the need of each resource over all cases: the largest as printed, and both ends.

        A lower bound, as upper bounds of rates make it.
        """
        quoted = np.where(self.are_printed, needs, -np.inf).max(axis=1)
        ends = np.stack([quoted, needs.min(axis=1), needs.max(axis=1)], axis=1)
        return [Predicted(value, low, high, Bound.LOWER) for value, low, high in ends.tolist()]

    @cached_property
    def asked_side(self) -> Side | None:
        """Side whose adapters all flows ask for, where both have some; None for both sides."""
        sides = {flow.asked_side for flow in self.flows}
        has_both = self.path_id is None and None not in (self.client_adapter, self.server_adapter)
        return sides.pop() if has_both and len(sides) == 1 else None

    def adapter_rows(self, side: Side | None) -> list[int]:
        """Return the rows of resources of a side's adapters; of any for None, or without limits."""
        rows = [row for row, each in enumerate(self.resources) if each.is_of_adapters]
        own = [row for row in rows if self.resources[row].side in (None, side)]
        return own if side and own else rows

    def largest(self, needs: Sequence[Predicted[float]], side: Side | None) -> Predicted[float]:
        """Return the largest need of the resources of a side's adapters, or of any."""
        return combined(max, [needs[row] for row in self.adapter_rows(side)], Bound.LOWER)

    # ---- What connections are expected to reach

    def expected_tps(self, place: int, adapter_count: int) -> Predicted[float] | None:
        """Return the expected rate of a flow alone without pauses; None for bounds alone."""
        known = self.predictions[place]
        if known.expected is not None and not known.is_known_as_whole:
            known = self.over(place, adapter_count)
        expected = known.expected
        return None if expected is None else expected.transaction_rate_tps.numbers()

    def over(self, place: int, adapter_count: int) -> Prediction:
        """Predict a flow alone over several adapters."""
        prediction, connections = self.predictions[place], self.flows[place].connection_count
        # each connection uses one at a time
        count = adapter_count if connections is None else min(adapter_count, connections)
        if (key := (place, count)) not in self.known_predictions:
            # adapters and lines of all of them are servers that any transaction uses
            names, stages = {each.name for each in self.resources if each.is_of_adapters}, []
            for stage in prediction.path.stages:
                servers = stage.parallel_count
                if servers is not None and stage.name in names:
                    servers = mapped(servers, lambda each: each * count)
                stages.append(replace(stage, parallel_count=servers))
            path = replace(prediction.path, stages=tuple(stages))
            self.known_predictions[key] = bounded(path, prediction.load)
        return self.known_predictions[key]

    def reaching(self, counts: Predicted[float], spare_count: int) -> Predicted[float]:
        """Return the adapters, raised until connections are expected to reach the rate."""

        def enough(end: str) -> float:
            count = getattr(counts, end)

            def reaches(place: int, number: int) -> bool:
                uses = self.flow_limits(place, number).items()
                known = (x for name, x in uses if name in {"loss", CONNECTIONS})
                return all(getattr(each, end) <= FULL_RATIO for each in known)

            for place, flow in enumerate(self.flows):
                if not math.isfinite(count) or flow.connection_count is None:
                    continue
                least = int(count) - spare_count
                # each connection uses one adapter at a time
                numbers = range(least, max(least, int(flow.connection_count)) + 1)
                if not reaches(place, least) and reaches(place, numbers[-1]):
                    enough_at = bisect_left(numbers, True, key=partial(reaches, place))
                    count = numbers[enough_at] + spare_count
            return float(count)

        return Predicted(enough("value"), enough("low"), enough("high"), counts.bound)

    def limited(self, place: int, adapter_count: int) -> Prediction:
        """Return the prediction with a flow's limits: over RDMA, loss depends on the adapters."""
        known = self.predictions[place]
        is_shared = is_lossy(known.path) and is_rdma(known.load)
        return self.over(place, adapter_count) if is_shared else known

    def flow_limits(self, place: int, adapter_count: int) -> dict[str, Predicted[float]]:
        """
        Return the utilisation of each limit that a flow has to itself.

        The limit of its connections is the expected rate where there is one, else a bound.
        """
        path, tps = self.predictions[place].path, self.flows[place].transaction_rate_tps
        shared = {each.name for each in path.stages if each.parallel_count is not None}
        shared |= {each.name for each in path.pools}
        limits = {}
        for limit in self.limited(place, adapter_count).all_limits:
            if limit.name not in shared:
                use, value = limit.rate.numbers().inverse(tps), tps / float(limit.smallest_tps)
                limits[limit.name] = replace(use.numbers(), value=value, bound=Bound.LOWER)
        if (rate := self.expected_tps(place, adapter_count)) is not None:
            expected = rate.inverse(tps).numbers()
            # what is printed is of the same figures
            known = filter(None, (limits.pop(name, None) for name in (CONNECTIONS, PUBLISHED)))
            limits[CONNECTIONS] = combined(max, [expected, *known], Bound.VALUE)
        return limits


def demand_of(
    flows: Iterable[Flow],
    path: SpecifiedPath,
    mtu_bytes: float | None = None,
    stack: Stack | None = None,
    *,
    physics_only: bool = False,
) -> Demand:
    """
    Build the demand of flows on a path: predictions, published limits and the load matrix.

    Parameters
    ----------
    flows : iterable of Flow
        Everything that is sent at the same time, in either direction.
    path : SpecifiedPath
        One adapter at each side and what is between. Its sender is the side that
        sends more of all payload, the client when equal.
    mtu_bytes : float, optional
        Largest packet of the innermost interface; that of the path when left out. [byte]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.
    physics_only : bool
        Whether to leave out the bounds that documents print.

    Returns
    -------
    demand : Demand
        To be planned, and loaded with other volumes.

    Raises
    ------
    DomainError
        If there is no flow, no MTU is given, an MTU or message does not fit the
        headers, nothing limits the path, or the flows use no adapter and no line.
    ContradictionError
        If what is known of the adapters cannot be true together.

    Examples
    --------
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = demand_of([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> [each.name for each in demand.resources][:2], demand.loads.shape
    (['client_adapter_out', 'wire_to_server'], (1, 3, 6))
    """
    flows = checked_flows(flows)
    require_kind("path", path, SpecifiedPath, "a SpecifiedPath, which two adapters or a path make")
    if mtu_bytes is None:
        raise DomainError("give mtu_bytes: the largest packet of the innermost interface")
    require_one("mtu_bytes", mtu_bytes)
    sending = Side.sending_more(
        sum(flow.transaction_rate_tps * float(flow.traffic.request_bytes) for flow in flows),
        sum(flow.transaction_rate_tps * float(flow.traffic.response_bytes) for flow in flows),
    )
    headers = tcp_stack() if stack is None else stack
    if any(flow.traffic.fills_frames for flow in flows):
        flows = _in_frames(flows, path, mtu_bytes, headers)

    # (1) the prediction of each flow alone
    from netmodel.published import predicted

    # flows without end find the buckets of capacities empty
    predictions = tuple(
        predicted(path, each, mtu_bytes, stack, sending, physics_only=physics_only)
        for each in (replace(flow.traffic, volume_bytes=math.inf) for flow in flows)
    )
    # (2) what flows take of each resource
    rows = [*_stages(flows, predictions)]
    if path.record is None:
        # each adapter brings what documents allow one of them
        rows += _published(flows, predictions)
        predictions = tuple(
            replace(each, published_limit=None, known_expected=not_known) for each in predictions
        )
    if not any(resource.is_of_adapters for resource, _ in rows):
        raise DomainError('nothing to plan: give an adapter, or "10Gbit/s per adapter" as capacity')
    rows += _pools(flows, predictions)
    if path.record is None and None not in path.adapters(sending):
        rows += _without_limit([resource for resource, _ in rows])
    # (3) the matrix
    resources, matrix = tuple(resource for resource, _ in rows), _matrix(rows, len(flows))
    named = (*path.adapters(sending), path.record)
    client, server, path_id = (None if each is None else each.id for each in named)
    known = filter(None, (*path.records, *(flow.workload for flow in flows)))
    records = {(type(each), each.id): each for each in known}
    own, ids = tuple(records.values()), (client, server, path_id)
    demand = Demand(flows, predictions, resources, *matrix, sending, *ids, own)
    if demand.asked_side is None:
        return demand
    # (4) what is published of a pair of adapters is of the side that limits it
    used = demand.use_ratios(1).max(axis=1)
    at_client, at_server = (
        max(used[row] for row in demand.adapter_rows(side) if not resources[row].published)
        for side in (Side.CLIENT, Side.SERVER)
    )
    is_tie = math.isclose(at_client, at_server, rel_tol=ROUNDING_RATIO)
    limiting = None if is_tie else Side.sending_more(at_client, at_server)
    sided = (each._replace(side=limiting) if each.published else each for each in resources)
    return replace(demand, resources=tuple(sided))


def checked_flows(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """Return all flows; DomainError for none, or for something else."""
    require_kind("flows", flows, Iterable, "several Flow, such as parse_flow makes them")
    checked = tuple(flows)
    for place, flow in enumerate(checked):
        require_kind(f"flows[{place}]", flow, Flow, "a Flow, as parse_flow makes it of '40 Gbit/s'")
    if not checked:
        raise DomainError("a plan needs at least one flow")
    return checked


def _in_frames(
    flows: tuple[Flow, ...], path: SpecifiedPath, mtu_bytes: float, stack: Stack
) -> tuple[Flow, ...]:
    """Return the flows, those of full frames with the payload of one frame."""
    for side, cost in ((Side.CLIENT, path.client_cost), (Side.SERVER, path.server_cost)):
        if cost is not None and cost.s_per_transaction is not None:
            raise ContradictionError(
                f"the {side.value} cost is per transaction, and full frames have none: name a "
                "workload, or give the cost per data"
            )
    payload_bytes = require_one("payload_bytes", stack.payload_bytes(mtu_bytes))
    return tuple(flow.in_frames(payload_bytes, mtu_bytes) for flow in flows)


# ---- Rows of the matrix: a resource, and the part of each flow that uses it, by its place

_Row = tuple[Resource, dict[int, _Part]]


def _stages(flows: Sequence[Flow], predictions: Sequence[Prediction]) -> Iterator[_Row]:
    """Yield the stages on which flows spend time."""
    for number, stage in enumerate(predictions[0].path.stages):
        name = stage.name
        terms = [each.demands[name] for each in predictions]
        if stage.parallel_count is None or not any(terms):
            continue
        # each adapter brings its directions, its line, and CPUs of its receive queues
        has_queues = stage.hashes_flows and stage.pool is not None and stage.side is not None
        is_of_adapters = has_queues or name in {*LINE_STAGES, *ADAPTER_STAGES}
        is_ports = stage.hashes_flows and stage.byte_layer is ByteLayer.WIRE  # link aggregation
        is_of_adapters |= is_ports or ADAPTER_CAPACITY in name
        parts = {}
        for place, (flow, each) in enumerate(zip(flows, predictions, strict=True)):
            if terms[place]:
                own = each.path.stages[number]
                parts[place] = _part(flow, each, [own], own.parallel_count)
        ways = frozenset(term.split(".")[-2] for own_terms in terms for term, _ in own_terms)
        yield Resource(name, stage.side, ways, is_of_adapters, stage.hashes_flows), parts


def _published(flows: Sequence[Flow], predictions: Sequence[Prediction]) -> Iterator[_Row]:
    """
    Yield the published limit of an adapter, where it is below that of the path.

    It also holds for fewer connections on each of several adapters: no connection gets faster.
    """
    for place, (flow, each) in enumerate(zip(flows, predictions, strict=True)):
        if (limit := each.published_limit) is not None:
            # by the far end of its printed digits
            busy = np.array([flow.transaction_rate_tps / float(limit.rate.high)])
            part = busy, np.ones(1), np.array([True])
            name = PUBLISHED if place == 0 else f"{PUBLISHED} (flow {place + 1})"
            directions = frozenset({DIRECTION_AT[flow.sender, "out"]})
            yield Resource(name, None, directions, True, published=limit.published), {place: part}


def _without_limit(known: Sequence[Resource]) -> Iterator[_Row]:
    """Yield adapter directions without a known limit, so that the other end does not size them."""
    for (side, seen), way in DIRECTION_AT.items():
        sides = {each.side for each in known if each.is_of_adapters and way in each.directions}
        if sides == {side.other}:
            name = f"{side.value} adapters {seen}: no limit known"
            yield Resource(name, side, frozenset({way}), is_of_adapters=True), {}


def _pools(flows: Sequence[Flow], predictions: Sequence[Prediction]) -> Iterator[_Row]:
    """Yield the pools of servers for which all service times of the flows are known."""
    for pool in predictions[0].path.pools:
        own = {each.name for each in predictions[0].path.stages if each.pool == pool.name}
        parts = {}
        for place, (flow, each) in enumerate(zip(flows, predictions, strict=True)):
            stages = [stage for stage in each.path.stages if stage.name in own]
            parts[place] = _part(flow, each, stages, pool.parallel_count)
        is_known = all(own.isdisjoint(each.partly_known) for each in predictions)
        if is_known and any(busy.any() for busy, *_ in parts.values()):
            yield Resource(pool.name, pool.side, pool=pool), parts


def bound_of(pool: Pool, path: Path) -> Bound:
    """Return VALUE where the CPU time of a pool is complete, else LOWER."""
    if pool.cost is not None:
        return pool.cost.bound
    lacks = lacks_cpu_time(path.unknown, pool.side) if pool.side else path.unknown
    return Bound.LOWER if lacks else Bound.VALUE


def _part(
    flow: Flow, prediction: Prediction, stages: Sequence[Stage], count: Parameter | None
) -> _Part:
    """
    Return the servers of stages that a flow keeps busy, and all servers, NaN if not known.

    Busy servers are capped at a rate that runs reach: service times that contradict a measured
    rate, or a line that runs were seen to fill, are left out.
    """
    axes = prediction.load.axes
    times = (time_s for stage in stages for _, time_s in prediction.load.demand(stage))
    taken = flow.transaction_rate_tps * sum(times)
    known = np.nan if count is None else axes.array(count, False)
    # every parameter, so that flows in either direction have the same cases
    every = (axes.array(each, True) for stage in stages for each in stage.parameters)
    (busy, there, *_), are_printed = axes.cases(taken, known, *every)
    reached_tps = float(prediction.transaction_rate_tps.low)
    busy = np.fmin(busy, there * flow.transaction_rate_tps / reached_tps)
    return busy, there, are_printed


def _matrix(rows: Sequence[_Row], flow_count: int) -> _Part:
    """Return loads, servers and which cases are as printed; short rows repeat their cases."""
    same = [_in_same_cases(parts) for _, parts in rows]
    cases = np.arange(max(busy.size for parts in same for busy, *_ in parts.values()))
    loads = np.zeros((flow_count, len(rows), cases.size))
    servers = np.full(loads.shape[1:], np.nan)
    are_printed = np.ones(loads.shape[1:], dtype=bool)
    for row, ((resource, _), parts) in enumerate(zip(rows, same, strict=True)):
        for place, part in sorted(parts.items(), key=lambda each: each[1][0].size):
            busy, there, printed = (each[cases % each.size] for each in part)
            loads[place, row] = busy if resource.pool else busy / there
            servers[row], are_printed[row] = there, printed
    return loads, servers, are_printed


def _in_same_cases(parts: dict[int, _Part]) -> dict[int, _Part]:
    """Align parts of flows to the same cases; other parameter sets move to their ends together."""
    if len({busy.size for busy, *_ in parts.values()} - {1}) < 2:
        return parts
    ends = {}
    for place, (busy, there, are_printed) in parts.items():
        printed = np.flatnonzero(are_printed)
        least, most = (printed[find(busy[printed])] for find in (np.argmin, np.argmax))
        cases = [0, least, most, busy.argmin(), busy.argmax()]
        ends[place] = busy[cases], there[cases], np.array([True, True, True, False, False])
    return ends
