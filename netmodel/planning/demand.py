"""A demand before it is planned: what each flow takes of each stage, in each case of parameters."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from netmodel.concurrency import busiest_queue_flow_count
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.estimates import combined
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
from netmodel.path import Bound, Path, Pool, Predicted, Prediction, SpecifiedPath, predict_path
from netmodel.path.ensemble import Parameter, mapped
from netmodel.path.limits import Published
from netmodel.path.prediction import not_known
from netmodel.path.response import Expected
from netmodel.path.stages import ADAPTER_STAGES, DIRECTION_AT, DIRECTIONS, LINE_STAGES, Stage
from netmodel.planning.flows import Flow
from netmodel.results import fields_repr

if TYPE_CHECKING:
    import numpy.typing as npt

    from netmodel.records.equipment import Record

MAX_ADAPTER_COUNT = 2**16
"""Where the number of connections is given, more are not tried: no plan buys as many."""
CONNECTIONS = "connections"
"""Limit of the rate that the connections of a flow reach."""
TIE_DIGITS = 8
"""Uses that agree so far are a tie: more than any figure has, less than rounding leaves."""
PRINTED_RATIO = 0.005
"""Half a step of the last of three digits, which rates of adapters are printed with."""
FULL_RATIO = 1 + 1e-12
"""All of what may be used, with what the rounding of floats may add."""


def planned(need: Predicted[float]) -> float:
    """Return the need that a plan is made for: the largest, but for rounding of printed figures."""
    is_rounded = need.high <= (1 + PRINTED_RATIO) * need.value
    return float(need.value if is_rounded else need.high)


def largest(needs: Sequence[Predicted[float]]) -> Predicted[float]:
    """The largest of independent needs, end by end."""
    return combined(max, needs, needs[0].bound)


@dataclass(frozen=True, slots=True)
class Headroom:
    """
    What of a capacity may be used, and what may fail.

    Parameters
    ----------
    max_utilisation_ratio : float
        Share of each adapter and stage that may be used while all work.
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
            ratio = getattr(self, name)
            if ratio is not None:
                require_share(name, require_one(name, ratio))
        require_at_least("spare_count", require_whole("spare_count", self.spare_count), 0, "")

    @property
    def after_failure_ratio(self) -> float:
        """Share that may be used after a failure."""
        after = self.max_utilisation_after_failure_ratio
        return self.max_utilisation_ratio if after is None else after


class Cases(NamedTuple):
    """
    Loads of flows in each case of what parameters may be, the one to quote first.

    Parameters
    ----------
    loads : numpy.ndarray
        A row for each flow, a column for each case.
    are_printed : numpy.ndarray
        Whether a case takes all published figures as printed.
    """

    loads: Floats
    are_printed: "npt.NDArray[np.bool_]"

    def needed(self, needs: Floats, bound: Bound = Bound.LOWER) -> Predicted[float]:
        """
        A need over all cases; the one to quote is the largest with figures as printed.

        A lower bound, as upper bounds of rates make it, unless another is named.
        """
        value = needs[self.are_printed].max()
        return Predicted(float(value), float(needs.min()), float(needs.max()), bound)

    @property
    def without_rounding(self) -> Floats:
        """The loads; of those that differ by rounding alone at most that of figures as printed."""
        total = self.loads.sum(axis=0)
        quoted = total[self.are_printed].max()
        if not quoted or total.max() > (1 + PRINTED_RATIO) * quoted:
            return self.loads
        kept: Floats = np.minimum(1, quoted / np.where(total > 0, total, quoted))
        return self.loads * kept


@dataclass(frozen=True)
class Resource:
    """
    A stage that flows share, or what documents print of one flow.

    Parameters
    ----------
    name : str
        That of the stage.
    side : Side, optional
        Whose it is; None for the line and what lies between.
    directions : frozenset of str
        ``"to_server"`` and ``"to_client"``, as far as the flows use it.
    is_of_adapters : bool
        Whether each adapter brings one.
    cases : Cases
        Share of one that each flow uses.
    connection_counts : tuple of float or None
        Of each flow; None divides evenly.
    places : tuple of int
        Of the flows that use it.
    server_counts : numpy.ndarray, optional
        Servers in each case where a hash spreads connections to them.
    published : Published, optional
        Where it is published, if it is no stage.
    """

    name: str
    side: Side | None
    directions: frozenset[str]
    is_of_adapters: bool
    cases: Cases
    connection_counts: tuple[float | None, ...]
    places: tuple[int, ...] = (0,)
    server_counts: Floats | None = None
    published: Published | None = None

    def scaled(self, volume_ratios: Floats) -> "Resource":
        """The same with the rate of each flow times a factor, by the places of the flows."""
        loads = self.cases.loads * volume_ratios[list(self.places), np.newaxis]
        return replace(self, cases=self.cases._replace(loads=loads))

    def serves(self, side: Side, direction: str) -> bool:
        """Whether it is passed out of, or into, the host of a side."""
        return self.side in (None, side) and DIRECTION_AT[side, direction] in self.directions

    def use_ratios(self, adapter_count: FloatOrArray, *, is_planned: bool = False) -> Floats:
        """Share in use of the adapter with most to do, in each case; or that to plan for."""
        count = np.asarray(adapter_count if self.is_of_adapters else 1)
        loads = self._planned_loads if is_planned else self.cases.loads
        used = [
            load * self._share(flows, count)
            for load, flows in zip(loads, self.connection_counts, strict=True)
        ]
        return np.asarray(sum(used), dtype=float)

    @cached_property
    def _planned_loads(self) -> Floats:
        return self.cases.without_rounding

    def _share(self, flows: float | None, count: Floats) -> Floats:
        """Part of a flow that the adapter with most of its connections has."""
        if flows is None:
            return 1 / count
        most = -(-flows // count)
        if self.server_counts is None:
            return most / flows
        busiest = np.asarray(busiest_queue_flow_count(most, self.server_counts))
        return busiest * self.server_counts / flows

    def holds(self, adapter_count: FloatOrArray, headroom: Headroom) -> "npt.NDArray[np.bool_]":
        """Whether so many adapters have the headroom, in each case."""
        left = np.maximum(np.asarray(adapter_count) - headroom.spare_count, 1)
        use, after = (self.use_ratios(n, is_planned=True) for n in (adapter_count, left))
        within = use <= headroom.max_utilisation_ratio * FULL_RATIO
        return within & (after <= headroom.after_failure_ratio * FULL_RATIO)

    def needed(self, headroom: Headroom) -> Predicted[float]:
        """Fewest adapters with which it has the headroom; infinite for none."""
        spares, case_count = headroom.spare_count, self.cases.are_printed.size
        low = np.full(case_count, spares + 1)
        counts = [count for count in self.connection_counts if count is not None]
        largest_count: float = MAX_ADAPTER_COUNT
        if not counts:  # then any number may do
            even = self.use_ratios(1, is_planned=True).max(initial=1.0)
            least_ratio = min(headroom.max_utilisation_ratio, headroom.after_failure_ratio)
            largest_count = 1 + np.ceil(even / least_ratio)
        elif len(counts) == len(self.connection_counts):  # more do not divide connections
            largest_count = min(np.ceil(max(counts)), MAX_ADAPTER_COUNT)
        high = most = np.full(case_count, spares + largest_count)
        while (low < high).any():
            middle = (low + high) // 2
            does_hold = self.holds(middle, headroom)
            low, high = np.where(does_hold, low, middle + 1), np.where(does_hold, middle, high)
        return self.cases.needed(np.where(self.holds(most, headroom), low, np.inf).astype(float))


class PoolLoad(NamedTuple):
    """
    Servers of a pool that flows keep busy.

    Parameters
    ----------
    pool : Pool
        The pool.
    cases : Cases
        Those that each flow keeps busy.
    present : numpy.ndarray, optional
        Those that there are, in each case; None where that is not known.
    """

    pool: Pool
    cases: Cases
    present: Floats | None

    @property
    def busy(self) -> Floats:
        """Those that all flows keep busy, in each case."""
        return np.asarray(self.cases.loads.sum(axis=0))


@dataclass(frozen=True)
class Demand:
    """
    Flows on one kind of path, and what it makes of each.

    Parameters
    ----------
    flows : tuple of Flow
        Everything that is sent at the same time.
    predictions : tuple of Prediction
        Of each flow alone, over one adapter at each side.
    shared : tuple of Resource
        Stages that the flows share, and what documents allow an adapter.
    pool_loads : tuple of PoolLoad
        Servers of each pool that are busy, where all service times are known.
    client_adapter, server_adapter, path_id : str, optional
        Ids of the records.
    records : tuple of records
        Adapters, hosts, paths and workloads that it is made of, each once.
    """

    flows: tuple[Flow, ...]
    predictions: tuple[Prediction, ...]
    shared: tuple[Resource, ...]
    pool_loads: tuple[PoolLoad, ...]
    client_adapter: str | None = None
    server_adapter: str | None = None
    path_id: str | None = None
    records: "tuple[Record, ...]" = ()
    _expected: dict[tuple[int, int], Expected] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By the place of a flow and the number of adapters: it is the same at every volume."""

    @property
    def path(self) -> Path:
        """The stages of one adapter at each side and what is between."""
        return self.predictions[0].path

    @property
    def pairs(self) -> Iterator[tuple[Flow, Prediction]]:
        """Each flow with its prediction."""
        return zip(self.flows, self.predictions, strict=True)

    def scaled(self, volume_ratios: float | Sequence[float]) -> "Demand":
        """The same with all volumes times a factor, or each flow with one of its own."""
        ratios = np.broadcast_to(np.asarray(volume_ratios, dtype=float), (len(self.flows),))
        flows = (
            replace(flow, transaction_rate_tps=flow.transaction_rate_tps * float(ratio))
            for flow, ratio in zip(self.flows, ratios, strict=True)
        )
        pools = (
            load._replace(cases=load.cases._replace(loads=load.cases.loads * ratios[:, np.newaxis]))
            for load in self.pool_loads
        )
        shared = tuple(each.scaled(ratios) for each in self.shared)
        result = replace(self, flows=tuple(flows), shared=shared, pool_loads=tuple(pools))
        result._expected.update(self._expected)
        return result

    def expected(self, place: int, adapter_count: int) -> Expected | None:
        """What a flow alone is expected to reach without pauses; None for bounds alone."""
        prediction = self.predictions[place]
        if prediction.expected is None or prediction.is_known_as_whole:
            return prediction.expected
        key = place, adapter_count
        if key not in self._expected:
            names = [each.name for each in self.shared if each.is_of_adapters]
            path = _with_adapters(prediction.path, names, adapter_count)
            over = predict_path(path, prediction.traffic, prediction.mtu_bytes, prediction.stack)
            assert over.expected is not None
            self._expected[key] = over.expected
        return self._expected[key]

    def expected_use(self, place: int, adapter_count: int) -> Predicted[float] | None:
        """Share of the rate expected of a flow alone that is planned; None for bounds alone."""
        expected = self.expected(place, adapter_count)
        if expected is None:
            return None
        rate, tps = expected.transaction_rate_tps.numbers(), self.flows[place].transaction_rate_tps
        return Predicted(tps / rate.value, tps / rate.high, tps / rate.low)

    def flow_limits(self, place: int, adapter_count: int) -> dict[str, Predicted[float]]:
        """
        Limits that a flow shares with no other, and the share of each that it uses.

        What its connections reach is the expected value where there is one, else a bound.
        """
        path, tps = self.predictions[place].path, self.flows[place].transaction_rate_tps
        shared = {each.name for each in path.stages} | {each.name for each in path.pools}
        limits = {}
        for limit in self.predictions[place].all_limits:
            if limit.name not in shared:
                rate, least = limit.rate.numbers(), limit.smallest_tps
                value = tps / (rate.value if least is None else float(least))
                limits[limit.name] = Predicted(value, tps / rate.high, tps / rate.low, Bound.LOWER)
        expected = self.expected_use(place, adapter_count)
        if expected is not None:
            known = [each for name, each in limits.items() if name == CONNECTIONS]
            limits[CONNECTIONS] = combined(max, [expected, *known], Bound.VALUE)
        return limits

    @cached_property
    def asked_side(self) -> Side | None:
        """Whose adapters all flows ask for, where both sides have some; None for both sides."""
        sides = {flow.asked_side for flow in self.flows}
        has_both = self.path_id is None and None not in (self.client_adapter, self.server_adapter)
        return sides.pop() if has_both and len(sides) == 1 else None

    def sides_of(self, resource: Resource) -> frozenset[Side]:
        """
        Sides whose number of adapters a stage of adapters bears on.

        A line bears on both. What is published of a pair of adapters bears on the side that limits
        the pair, where the other one is asked for.
        """
        if resource.side is not None:
            return frozenset({resource.side})
        if resource.published is None or self.asked_side is None:
            return frozenset(Side)
        uses = {
            side: max(
                each.use_ratios(1).max()
                for each in self.shared
                if each.is_of_adapters and each.published is None and each.side in (None, side)
            )
            for side in Side
        }
        limit = max(uses.values()) * (1 - ROUNDING_RATIO)
        return frozenset(side for side, use in uses.items() if use >= limit)


def demand_of(
    flows: Iterable[Flow],
    path: SpecifiedPath,
    mtu_bytes: float | None = None,
    stack: Stack | None = None,
    *,
    physics_only: bool = False,
) -> Demand:
    """
    Flows on a path, with the prediction of each and what documents print of its adapters.

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
        headers, or nothing limits the path.
    ContradictionError
        If what is known of the adapters cannot be true together.

    Examples
    --------
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = demand_of([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> [each.name for each in demand.shared][:2]
    ['client_adapter_out', 'wire_to_server']
    """
    flows = checked_flows(flows)
    require_kind("path", path, SpecifiedPath, "a SpecifiedPath, which two adapters or a path make")
    if mtu_bytes is not None:
        require_one("mtu_bytes", mtu_bytes)
    sending = Side.sending_more(
        sum(flow.transaction_rate_tps * float(flow.traffic.request_bytes) for flow in flows),
        sum(flow.transaction_rate_tps * float(flow.traffic.response_bytes) for flow in flows),
    )
    headers = tcp_stack() if stack is None else stack
    if any(flow.fills_frames for flow in flows):
        flows = _in_frames(flows, path, mtu_bytes, headers)

    def prediction_of(flow: Flow) -> Prediction:
        costed = path
        if path.has_cost_of_another_case:
            from netmodel.published import with_costs_of_case

            costed = with_costs_of_case(path, flow.traffic, mtu_bytes)
        composed = costed.path_of(flow.traffic, sending)
        if physics_only:
            return predict_path(composed, flow.traffic, mtu_bytes, stack)
        # a plan of numbers alone starts without what reads documents
        from netmodel.published import with_printed_costs, with_published

        composed = with_printed_costs(composed, path, flow.traffic, mtu_bytes, headers)
        return with_published(predict_path(composed, flow.traffic, mtu_bytes, stack), path)

    predictions = [prediction_of(flow) for flow in flows]
    published: list[Resource] = []
    if path.record is None:
        # each adapter brings what documents allow one of them
        pairs = enumerate(zip(flows, predictions, strict=True))
        found = (_published(flow, place, each) for place, (flow, each) in pairs)
        published = [each for each in found if each is not None]
        predictions = [
            replace(each, published_limit=None, known_expected=not_known) for each in predictions
        ]
    client, server = path.adapters(sending)
    named = (*path.records, *(flow.workload for flow in flows))
    records = {(type(each), each.id): each for each in named if each is not None}
    pools = (_pool_load(pool, flows, predictions) for pool in predictions[0].path.pools)
    return Demand(
        flows=flows,
        predictions=tuple(predictions),
        shared=(*_resources(flows, predictions), *published),
        pool_loads=tuple(each for each in pools if each is not None),
        client_adapter=None if client is None else client.id,
        server_adapter=None if server is None else server.id,
        path_id=None if path.record is None else path.record.id,
        records=tuple(records.values()),
    )


def _with_adapters(path: Path, of_adapters: Collection[str], adapter_count: int) -> Path:
    """The path with the adapters and lines of all of them as servers that any transaction uses."""
    stages = tuple(
        stage
        if stage.name not in of_adapters or stage.parallel_count is None
        else replace(
            stage,
            parallel_count=mapped(stage.parallel_count, lambda servers: servers * adapter_count),
        )
        for stage in path.stages
    )
    return replace(path, stages=stages)


def _in_frames(
    flows: tuple[Flow, ...],
    path: SpecifiedPath,
    mtu_bytes: float | None,
    stack: Stack,
) -> tuple[Flow, ...]:
    """Flows of full frames with the payload of one."""
    for side, cost in ((Side.CLIENT, path.client_cost), (Side.SERVER, path.server_cost)):
        if cost is not None and cost.s_per_transaction is not None:
            raise ContradictionError(
                f"the {side.value} cost is per transaction, and full frames have none: name a "
                "workload, or give the cost per data"
            )
    if mtu_bytes is None:
        raise DomainError("give mtu_bytes: the largest packet of the innermost interface")
    payload_bytes = require_one("payload_bytes", stack.payload_bytes(mtu_bytes))
    return tuple(flow.in_frames(payload_bytes, mtu_bytes) for flow in flows)


def checked_flows(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """All flows; DomainError for none, or for something else."""
    require_kind("flows", flows, Iterable, "several Flow, such as parse_flow makes them")
    checked = tuple(flows)
    for place, flow in enumerate(checked):
        require_kind(f"flows[{place}]", flow, Flow, "a Flow, as parse_flow makes it of '40 Gbit/s'")
    if not checked:
        raise DomainError("a plan needs at least one flow")
    return checked


def _resources(flows: Sequence[Flow], predictions: Sequence[Prediction]) -> Iterator[Resource]:
    """The stages that flows share, as far as they take time of them."""
    for number, stage in enumerate(predictions[0].path.stages):
        name = stage.name
        places = tuple(n for n, each in enumerate(predictions) if each.demands[name])
        if stage.parallel_count is None or not places:
            continue
        # each adapter brings its directions, its line, and CPUs of its receive queues
        has_queues = stage.hashes_flows and stage.pool is not None and stage.side is not None
        is_of_adapters = has_queues or name in {*LINE_STAGES, *ADAPTER_STAGES}
        parts = []
        for place in places:
            own = predictions[place].path.stages[number]
            part = _part(flows[place], predictions[place], [own], own.parallel_count)
            if not is_of_adapters:
                part = _reached(part, flows[place], predictions[place])
            parts.append(part)
        columns, are_printed = _together(parts)
        busy, there = columns[:, 0], columns[:, 1]
        terms = {term for each in predictions for term, _ in each.demands[name]}
        yield Resource(
            name=name,
            side=stage.side,
            directions=frozenset(
                way for way in DIRECTIONS if any(t.startswith(f"{name}.{way}.") for t in terms)
            ),
            is_of_adapters=is_of_adapters,
            cases=Cases(busy / there, are_printed),
            connection_counts=tuple(flows[place].connection_count for place in places),
            places=places,
            server_counts=there[0] if stage.hashes_flows else None,
        )


_Part = tuple[Floats, "npt.NDArray[np.bool_]"]
"""Rows of busy and present servers in each case, and which cases take figures as printed."""


def _part(
    flow: Flow, prediction: Prediction, stages: Sequence[Stage], count: Parameter | None
) -> _Part:
    """Servers of stages that a flow keeps busy, and those that there are, NaN if not known."""
    axes = prediction.load.axes
    times = (time_s for stage in stages for _, time_s in prediction.load.demand(stage))
    busy = flow.transaction_rate_tps * sum(times)
    there = np.nan if count is None else axes.array(count, False)
    # every parameter, so that flows in either direction have the same cases
    every = (axes.array(each, True) for each in chain.from_iterable(s.parameters for s in stages))
    columns, are_printed = axes.cases(busy, there, *every)
    return np.stack(columns[:2]), are_printed


def _reached(part: _Part, flow: Flow, prediction: Prediction) -> _Part:
    """
    Busy servers in each case, at most those there are at the rate that a measured series reaches.

    Service times with more connections than were measured have a wide range, and those that would
    not allow this rate are left out.
    """
    if prediction.expected is None or not prediction.is_known_as_whole:
        return part
    share = flow.transaction_rate_tps / float(prediction.expected.transaction_rate_tps.value)
    (busy, there), are_printed = part
    return np.stack([np.fmin(busy, there * share), there]), are_printed


def _together(parts: Sequence[_Part]) -> _Part:
    """Parts of flows in the same cases; flows with other sets move to their ends together."""
    if len({are_printed.size for _, are_printed in parts} - {1}) > 1:
        ends = []
        for columns, are_printed in parts:
            busy, printed = columns[0], columns[0][are_printed]
            order = [0, printed.argmin(), printed.argmax(), busy.argmin(), busy.argmax()]
            places = [0, *np.flatnonzero(are_printed)[order[1:3]], *order[3:]]
            ends.append((columns[:, places], np.array([True, True, True, False, False])))
        parts = ends
    widest = max((are_printed for _, are_printed in parts), key=lambda each: each.size)
    return np.stack([np.broadcast_to(each, (2, widest.size)) for each, _ in parts]), widest


def _published(flow: Flow, place: int, prediction: Prediction) -> Resource | None:
    """
    The rate that documents allow an adapter of a flow; None where its path allows no more.

    With fewer connections on each of several adapters it holds too: no connection gets faster.
    """
    limit = prediction.published_limit
    if limit is None:
        return None
    ends = np.array([limit.rate.value, limit.rate.low, limit.rate.high], dtype=float)
    return Resource(
        name="published" if place == 0 else f"published (flow {place + 1})",
        side=None,
        directions=frozenset({DIRECTION_AT[flow.sender, "out"]}),
        is_of_adapters=True,
        # the value to quote, then its ends
        cases=Cases(flow.transaction_rate_tps / ends[np.newaxis], np.array([True, False, False])),
        connection_counts=(flow.connection_count,),
        places=(place,),
        published=limit.published,
    )


def takes_time(pool: Pool, prediction: Prediction) -> bool:
    """Whether a transaction takes time of a pool."""
    stages = (stage for stage in prediction.path.stages if stage.pool == pool.name)
    return any(prediction.demands[stage.name] for stage in stages)


def is_partly_known(pool: Pool, predictions: Sequence[Prediction]) -> bool:
    """Whether flows take more time of a pool than the path has service times for."""
    return any(
        stage.pool == pool.name and stage.name in prediction.partly_known
        for prediction in predictions
        for stage in prediction.path.stages
    )


def _pool_load(
    pool: Pool, flows: Sequence[Flow], predictions: Sequence[Prediction]
) -> PoolLoad | None:
    """Servers of a pool that flows keep busy, and that are present; None where none is known."""
    if is_partly_known(pool, predictions):
        return None
    parts = []
    for flow, prediction in zip(flows, predictions, strict=True):
        stages = [stage for stage in prediction.path.stages if stage.pool == pool.name]
        part = _part(flow, prediction, stages, pool.parallel_count)
        parts.append(_reached(part, flow, prediction))
    columns, are_printed = _together(parts)
    if not columns[:, 0].any():
        return None
    present = None if pool.parallel_count is None else columns[0, 1]
    return PoolLoad(pool, Cases(columns[:, 0], are_printed), present)
