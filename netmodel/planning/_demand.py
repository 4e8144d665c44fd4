"""A demand before it is planned: flows, what a path makes of each, and what they share."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.estimates import Bound, combined
from netmodel.framing import Stack, tcp_stack
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, require_kind, require_one
from netmodel.path import Path, Predicted, Prediction, SpecifiedPath, predict_path
from netmodel.path._prediction import not_known
from netmodel.path._uncertain import mapped
from netmodel.planning._flows import Flow
from netmodel.planning._resources import (
    PoolLoad,
    Resource,
    is_partly_known,
    own_limits,
    pool_load,
    published_resource,
    resources,
)

if TYPE_CHECKING:
    from netmodel.path._expected_rate import Expected
    from netmodel.records.equipment import Record

CONNECTIONS = "connections"
"""Limit of the rate that the connections of a flow reach."""


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
    client_adapter, server_adapter, path_id : str, optional
        Ids of the records.
    records : tuple of records
        Adapters, hosts, paths and workloads that it is made of, each once.
    """

    flows: tuple[Flow, ...]
    predictions: tuple[Prediction, ...]
    shared: tuple[Resource, ...]
    client_adapter: str | None = None
    server_adapter: str | None = None
    path_id: str | None = None
    records: "tuple[Record, ...]" = ()
    _expected: "dict[tuple[int, int], Expected]" = field(
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
        count = len(self.flows)
        ratios = [*np.broadcast_to(np.asarray(volume_ratios, dtype=np.float64), (count,))]
        result = replace(
            self,
            flows=tuple(
                replace(flow, transaction_rate_tps=flow.transaction_rate_tps * float(ratio))
                for flow, ratio in zip(self.flows, ratios, strict=True)
            ),
            shared=tuple(each.scaled(ratios) for each in self.shared),
        )
        result._expected.update(self._expected)
        return result

    def expected(self, place: int, adapter_count: int) -> "Expected | None":
        """What a flow alone is expected to reach without pauses; None for bounds alone."""
        prediction = self.predictions[place]
        if prediction.expected is None or prediction.is_known_as_whole:
            return prediction.expected
        key = place, adapter_count
        if key not in self._expected:
            path = _with_adapters(prediction.path, self._of_adapters, adapter_count)
            over = predict_path(path, prediction.traffic, prediction.mtu_bytes, prediction.stack)
            assert over.expected is not None
            self._expected[key] = over.expected
        return self._expected[key]

    def expected_use(self, place: int, adapter_count: int) -> Predicted[float] | None:
        """Share of the rate expected of a flow alone that is planned; None for bounds alone."""
        expected = self.expected(place, adapter_count)
        if expected is None:
            return None
        rate, planned_tps = (
            expected.transaction_rate_tps.numbers(),
            self.flows[place].transaction_rate_tps,
        )
        return Predicted(planned_tps / rate.value, planned_tps / rate.high, planned_tps / rate.low)

    def flow_limits(self, place: int, adapter_count: int) -> dict[str, Predicted[float]]:
        """
        Limits that a flow shares with no other, and the share of each that it uses.

        What its connections reach is the expected value where there is one, else a bound.
        """
        limits = dict(own_limits(self.flows[place], self.predictions[place]))
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
                max(each.use_ratios(1))
                for each in self.shared
                if each.is_of_adapters and each.published is None and each.side in (None, side)
            )
            for side in Side
        }
        limit = max(uses.values()) * (1 - ROUNDING_RATIO)
        return frozenset(side for side, use in uses.items() if use >= limit)

    @cached_property
    def _of_adapters(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.shared if each.is_of_adapters)

    @cached_property
    def pool_loads(self) -> tuple[PoolLoad, ...]:
        """Servers of each pool that are busy, where all service times are known."""
        loads = (pool_load(pool, list(self.pairs)) for pool in self.path.pools)
        return tuple(
            load
            for load in loads
            if load is not None and not is_partly_known(load.pool, self.predictions)
        )


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

    if any(flow.fills_frames for flow in flows):
        flows = _in_frames(flows, path, sending, mtu_bytes, tcp_stack() if stack is None else stack)

    def path_of(flow: Flow) -> Path:
        costed = path
        if path.has_cost_of_another_case:
            from netmodel.published import with_costs_of_case

            costed = with_costs_of_case(path, flow.traffic, mtu_bytes)
        composed = costed.path_of(flow.traffic, sending)
        if physics_only:
            return composed
        # a plan of numbers alone starts without what reads documents
        from netmodel.published import with_printed_costs

        return with_printed_costs(composed, path, flow.traffic, mtu_bytes, stack or tcp_stack())

    predictions = [predict_path(path_of(flow), flow.traffic, mtu_bytes, stack) for flow in flows]
    published: list[Resource] = []
    if not physics_only:
        from netmodel.published import with_published

        predictions = [with_published(each, path) for each in predictions]
    if path.record is None:
        # each adapter brings what documents allow one of them
        pairs = enumerate(zip(flows, predictions, strict=True))
        found = [published_resource(flow, n, each) for n, (flow, each) in pairs]
        published = [each for each in found if each is not None]
        predictions = [_of_physics(each) for each in predictions]
    client, server = path.adapters(sending)
    return Demand(
        flows=flows,
        predictions=tuple(predictions),
        shared=(*resources(flows, predictions), *published),
        client_adapter=None if client is None else client.id,
        server_adapter=None if server is None else server.id,
        path_id=None if path.record is None else path.record.id,
        records=tuple(
            {
                (type(record), record.id): record
                for record in (*path.records, *(flow.workload for flow in flows))
                if record is not None
            }.values()
        ),
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


def _of_physics(prediction: Prediction) -> Prediction:
    """Return a prediction without what documents print of one adapter at each end."""
    return replace(prediction, published_limit=None, known_expected=not_known)


def _in_frames(
    flows: tuple[Flow, ...],
    path: SpecifiedPath,
    sending: Side,
    mtu_bytes: float | None,
    stack: Stack,
) -> tuple[Flow, ...]:
    """Flows of full frames with the payload of one, at the MTU that the path lets pass."""
    for side, cost in ((Side.CLIENT, path.client_cost), (Side.SERVER, path.server_cost)):
        if cost is not None and cost.s_per_transaction is not None:
            raise ContradictionError(
                f"the {side.value} cost is per transaction, and full frames have none: name a "
                "workload, or give the cost per data"
            )
    frame_bytes = require_one("mtu_bytes", path.path(sending).mtu_bytes(stack, mtu_bytes))
    payload_bytes = require_one("payload_bytes", stack.payload_bytes(frame_bytes))
    return tuple(flow.in_frames(payload_bytes, frame_bytes) for flow in flows)


def checked_flows(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """All flows; DomainError for none, or for something else."""
    require_kind("flows", flows, Iterable, "several Flow, such as parse_flow makes them")
    checked: Sequence[Flow] = tuple(flows)
    for place, flow in enumerate(checked):
        require_kind(f"flows[{place}]", flow, Flow, "a Flow, as parse_flow makes it of '40 Gbit/s'")
    if not checked:
        raise DomainError("a plan needs at least one flow")
    return tuple(checked)
