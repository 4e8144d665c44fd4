"""What a line carries, a path delivers and a demand needs, asked with ids and text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from netmodel._numeric import QuantityLike, require_at_most, require_one
from netmodel.api._arguments import (
    ArgumentsError,
    CostArguments,
    DistanceArguments,
    ExchangeArguments,
    File,
    HeaderArguments,
    MtuArguments,
    Number,
    PathArguments,
    Whole,
    WrongTextError,
    WrongValueError,
    choice,
    given_workload,
    in_base_units,
    ip_mtu,
    is_number,
    listed_values,
    number,
    optional_number,
    optional_whole,
    rate_text,
    require_own_mtu,
    size_notes,
    whole,
)
from netmodel.ceilings import MAX_PACKET_BYTES, LineCeiling, line_ceiling
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, UnitError
from netmodel.framing import Stack
from netmodel.framing._stack import mtu_of_rdma

if TYPE_CHECKING:
    from netmodel.path import Path, Prediction, SpecifiedPath, Traffic, Unbounded
    from netmodel.planning import Flow, Headroom, Plan
    from netmodel.records import Adapter, Host, PathRecord, Workload


@in_base_units
def ceiling(
    line_rate_bps: Number,
    mtu_bytes: Whole | None = None,
    *,
    link_mtu_bytes: Whole | None = None,
    rdma_mtu_bytes: Whole | None = None,
    stack: Stack | str | None = None,
    ip: int | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: int | None = None,
) -> LineCeiling:
    """
    What an Ethernet line carries, and each byte that is not payload.

    Parameters
    ----------
    line_rate_bps : float or str
        MAC rate, such as ``25e9`` or ``"25 Gbit/s"``. [bit/s]
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface (inside any tunnel). This or `link_mtu_bytes`. [byte]
    link_mtu_bytes : int or str, optional
        Largest outermost IP packet. [byte]
    rdma_mtu_bytes : int or str, optional
        Payload of a full RDMA packet, beside or in place of an MTU. [byte]
    stack : Stack or str, optional
        All headers, outermost first, such as ``"ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"``,
        in place of the four arguments below.
    ip : int, optional
        IP version, 4 by default.
    transport : str, optional
        ``"tcp"`` (default) or ``"udp"``.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option, by default yes.
    vlan_tags : int, optional
        802.1Q tags in each frame, 0 by default.

    Returns
    -------
    ceiling : LineCeiling
        Rates of each layer, and the parts of a frame.

    Raises
    ------
    ContradictionError
        If both MTUs or none are given, or a stack beside one of its parts.
    DomainError
        If the line cannot exist, or the MTU leaves no room for payload.

    Examples
    --------
    >>> import netmodel
    >>> round(netmodel.ceiling("25 Gbit/s", 1500).payload_rate_bps)
    23537061118
    """
    headers = HeaderArguments(
        stack=stack, ip=ip, transport=transport, timestamps=timestamps, vlan_tags=vlan_tags
    )
    frame = headers.of_frame()
    mtu = MtuArguments(mtu_bytes=mtu_bytes, link_mtu_bytes=link_mtu_bytes)
    of_rdma = optional_whole("rdma_mtu_bytes", rdma_mtu_bytes)
    if of_rdma is None:
        inner_bytes = mtu.needed_bytes(frame)
    else:
        inner_bytes = mtu_of_rdma(of_rdma, mtu.inner_bytes(frame), frame)
    return line_ceiling(number("line_rate_bps", line_rate_bps), inner_bytes, frame)


@dataclass(frozen=True, kw_only=True)
class PredictQuestion:
    """What a path delivers of a workload: the arguments of `predict` and of the command."""

    path: PathArguments
    mtu: MtuArguments
    headers: HeaderArguments
    exchange: ExchangeArguments
    cost: CostArguments = field(default_factory=CostArguments)
    distance: DistanceArguments = field(default_factory=DistanceArguments)
    physics_only: bool = False
    adapter: "Adapter | File | None" = None

    def __post_init__(self) -> None:
        from netmodel.path import Path, Traffic

        object.__setattr__(self, "path", self.path.with_both(self.adapter))
        if isinstance(self.exchange.workload, Traffic):
            self.exchange.refuse_beside_traffic()
        if isinstance(self.path.path, Path):
            for name in (*self.path.given(), *self.cost.given()):
                if name != "path":
                    raise ArgumentsError(
                        f"leave out {{{name}}}: a composed Path has it in its stages"
                    )

    @cached_property
    def stack(self) -> Stack:
        """Headers of each frame; those of SMC-R where it carries the data."""
        return self.distance.stack(self.headers)

    @cached_property
    def workload(self) -> "Workload":
        """The record of the workload, where it is not a Traffic."""
        return given_workload(self.exchange.workload)

    @cached_property
    def specified(self) -> "SpecifiedPath":
        """Adapters, hosts and record of the path, where it is not a composed Path."""
        between = self.distance.distance()
        return replace(self.cost.on(self.path.needed()), distance=between)

    @cached_property
    def composed(self) -> "Path":
        """Stages from client to server, without CPU costs that are given."""
        from netmodel.path import Path, Traffic

        if isinstance(self.path.path, Path):
            return self.path.path
        exchanged = self.exchange.workload
        sent = exchanged if isinstance(exchanged, Traffic) else self.workload
        return self.specified.path(sent.sender)

    @property
    def is_composed(self) -> bool:
        """Whether the path is a composed Path, of which nothing is published."""
        from netmodel.path import Path

        return isinstance(self.path.path, Path)

    def predicted(
        self, connection_count: QuantityLike | None, mtu_bytes: QuantityLike | None = None
    ) -> "Prediction | Unbounded":
        """
        The prediction for this number of connections, None for any, with all that is known.

        An MTU given here, which may be an array, goes before that of the question. [byte]
        """
        from netmodel.records._load import unchanged_files

        with unchanged_files():  # looking at them many times takes a fifth of a prediction
            return self._predicted(connection_count, mtu_bytes)

    def _predicted(
        self, connection_count: QuantityLike | None, mtu_bytes: QuantityLike | None
    ) -> "Prediction | Unbounded":
        from netmodel.path import (
            Traffic,
            predict_path,
            workload_traffic,
        )
        from netmodel.path._distance import over_distance
        from netmodel.path._limits import Beside

        exchange = self.exchange
        if isinstance(exchange.workload, Traffic):
            traffic = exchange.workload
        else:
            traffic = workload_traffic(
                self.workload,
                connection_count,
                segments_per_ack=exchange.segments_per_ack,
                payload_bytes=optional_whole("payload_bytes", exchange.payload_bytes),
            )
        inner_bytes = self.mtu.inner_bytes(self.stack) if mtu_bytes is None else mtu_bytes
        if inner_bytes is None:
            if self.is_composed or not self.specified.is_unbounded:
                require_own_mtu(self.composed, "{mtu_bytes} or {link_mtu_bytes}")
        else:
            require_at_most("mtu_bytes", inner_bytes, MAX_PACKET_BYTES, "byte")
        between = self.distance.distance()
        if not self.is_composed and self.specified.is_unbounded and between is None:
            from netmodel.published._of_path import unbounded

            one_bytes = None if inner_bytes is None else require_one("mtu_bytes", inner_bytes)
            found = unbounded(self.specified, traffic, one_bytes)
            return replace(found, beside=Beside) if self.physics_only else found
        if self.is_composed:
            path = self.composed if between is None else over_distance(self.composed, between)
        else:
            costed = self.specified
            if costed.has_cost_of_another_case:
                from netmodel.published._of_path import with_costs_of_case

                one_bytes = None if inner_bytes is None else require_one("mtu_bytes", inner_bytes)
                costed = with_costs_of_case(costed, traffic, one_bytes)
            path = costed.path_of(traffic)
        if between is not None:
            self.distance.require_suiting(path)
        result = predict_path(path, traffic, inner_bytes, self.stack)
        if between is not None and not self.is_composed:
            from netmodel.path._endpoints import with_endpoint_times

            ends = self.specified.adapters(traffic.sender)
            result = with_endpoint_times(result, ends, between)
        if not isinstance(exchange.workload, Traffic) and exchange.payload_bytes is None:
            notes = size_notes(self.workload)
            result = replace(result, path_notes=(*notes, *result.path_notes))
        if self.is_composed or self.physics_only:
            return result
        from netmodel.published._of_path import with_published

        return with_published(result, self.specified)


@in_base_units
def predict(
    *,
    workload: "Workload | Traffic | File",
    sender: "Adapter | File | None" = None,
    receiver: "Adapter | File | None" = None,
    path: "Path | PathRecord | File | None" = None,
    mtu_bytes: Whole | None = None,
    link_mtu_bytes: Whole | None = None,
    connections: Whole | Sequence[int] | None = None,
    client_host: "Host | File | None" = None,
    server_host: "Host | File | None" = None,
    client_cost: str | None = None,
    server_cost: str | None = None,
    cpu_frequency_hz: Number | None = None,
    cpu_time_basis: str | None = None,
    smt_gain: Number | None = None,
    cost_measured_with: "str | Mapping[str, object] | None" = None,
    line_rate_bps: Number | None = None,
    stack: Stack | str | None = None,
    ip: int | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: int | None = None,
    segments_per_ack: int | None = None,
    payload_bytes: Whole | None = None,
    physics_only: bool = False,
    km: Number | Sequence[float] | None = None,
    rtt_s: Number | Sequence[float] | None = None,
    equipment_s: Number | None = None,
    window_bytes: Number | Sequence[float] | None = None,
    loss_ratio: Number | Sequence[float] | None = None,
    protocol: str | None = None,
    adapter: "Adapter | File | None" = None,
) -> "Prediction | Unbounded":
    """
    Upper bound of what a path delivers, its CPU cost, and the bottleneck.

    Parameters
    ----------
    workload : Workload, Traffic, str or path
        What is exchanged: an id of the catalog, a ``.toml`` file or an object.
    sender, receiver : Adapter, str or path, optional
        Adapter of the side that sends more of the payload (the client when equal), and of the
        other. Both, or a path.
    path : Path, PathRecord, str or path, optional
        What lies between: an id of the catalog, a ``.toml`` file, a record, or stages that you
        composed yourself.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface; that of the path by default. [byte]
    link_mtu_bytes : int or str, optional
        Largest outermost IP packet, in place of `mtu_bytes`. [byte]
    connections : int, str or sequence of int, optional
        Connections at the same time. A sequence gives arrays in the prediction. By default any
        number: no limit then depends on it.
    client_host, server_host : Host, str or path, optional
        Hosts whose CPU service times count.
    client_cost, server_cost : str, optional
        CPU cost of each side as one figure, in place of CPU times of its host, such as
        ``"0.16 cores/(Gbit/s)"`` of the payload of both directions together, or
        ``"35 µs/transaction"``, or a range such as ``"0.14..0.18 cores/(Gbit/s)"``.
    cpu_frequency_hz : float or str, optional
        Clock of the CPUs, for costs in cycles/byte. [Hz]
    cpu_time_basis : {"core", "thread"}, optional
        What the costs are time of: cores with one busy thread (default), or threads. That of the
        host where it has one.
    smt_gain : float, optional
        Work of a core with two busy threads over that with one, 1 to 2, for core time.
    cost_measured_with : str or mapping, optional
        Conditions under which the costs were measured, where they differ from the question, as of
        `netmodel.compare`: ``"mtu=1500 connections=10"``. The costs are multiplied by the printed
        ratio of the two cases; without one they are used unchanged, and a note says so.
    line_rate_bps : float or str, optional
        MAC rate of the line; that of the slower adapter by default. [bit/s]
    stack, ip, transport, timestamps, vlan_tags : optional
        Headers of each frame, as in `ceiling`.
    segments_per_ack : int, optional
        Also count pure acknowledgements, each for this many frames.
    payload_bytes : int or str, optional
        Size of the larger message, where the workload has a range of sizes. [byte]
    physics_only : bool
        Whether to leave out what documents print, and compute from the parts of the path alone.
    km : float, str or sequence of float, optional
        Distance between the sites, in km of fibre, or with a unit: ``"800 m"``. A sequence
        gives arrays in the prediction, as those of the three arguments below do. [km]
    rtt_s : float, str or sequence of float, optional
        Round trip between the sites without queues, in place of `km`. [s]
    equipment_s : float or str, optional
        What equipment adds to the round trip of `km`, in both directions together. [s]
    window_bytes : float, str or sequence of float, optional
        Payload that each connection may have in flight; that of the path by default. [byte]
    loss_ratio : float, str or sequence of float, optional
        Share of packets that are lost, independently of each other.
    protocol : {"tcp", "smc-r"}, optional
        Protocol that carries the data of sockets, TCP by default.
    adapter : Adapter, str or path, optional
        Adapter at both ends, in place of `sender` and `receiver`.

    Returns
    -------
    prediction : Prediction or Unbounded
        With the bound that a printed ratio sets (`bounded_by`), and what documents print of its
        case (`published`). Unbounded, with printed ratios alone, where the path has no line.

    Raises
    ------
    ContradictionError
        If arguments exclude each other.
    DomainError
        If an argument is of the wrong kind or cannot be, or no MTU is known.
    UnknownRecordError
        If the catalog has no such id; near matches are named.

    See Also
    --------
    netmodel.path.predict_path : What the path alone allows, of a composed path and traffic.

    Examples
    --------
    >>> import netmodel
    >>> osa = "osa-express7s-25gbe"
    >>> result = netmodel.predict(sender=osa, receiver=osa, workload="str-writex30k",
    ...                          mtu_bytes=1500, connections=50)
    >>> result.binding, round(result.throughput_bps.value / 1e9, 2)
    ('server_adapter_in', 13.4)
    """
    exchange = ExchangeArguments(
        workload=workload,
        connections=connections,
        segments_per_ack=segments_per_ack,
        payload_bytes=payload_bytes,
    )
    question = PredictQuestion(
        path=PathArguments(
            sender=sender,
            receiver=receiver,
            path=path,
            line_rate_bps=line_rate_bps,
            client_host=client_host,
            server_host=server_host,
        ),
        cost=CostArguments(
            client_cost=client_cost,
            server_cost=server_cost,
            cpu_frequency_hz=cpu_frequency_hz,
            cpu_time_basis=cpu_time_basis,
            smt_gain=smt_gain,
            cost_measured_with=cost_measured_with,
        ),
        mtu=MtuArguments(mtu_bytes=mtu_bytes, link_mtu_bytes=link_mtu_bytes),
        headers=HeaderArguments(
            stack=stack, ip=ip, transport=transport, timestamps=timestamps, vlan_tags=vlan_tags
        ),
        exchange=exchange,
        adapter=adapter,
        physics_only=physics_only,
        distance=DistanceArguments(
            km=km,
            rtt_s=rtt_s,
            equipment_s=equipment_s,
            window_bytes=window_bytes,
            loss_ratio=loss_ratio,
            protocol=protocol,
        ),
    )
    return question.predicted(exchange.connection_count)


@dataclass(frozen=True, kw_only=True)
class PlanQuestion:
    """What a demand needs: the arguments of `plan` and of the command."""

    flows: "Number | Flow | Iterable[Number | Flow]"
    connections: Whole | Sequence[int] | None
    segments_per_ack: int | None
    adapters: "Adapter | File | Sequence[Adapter | File]"
    mtu_bytes: Whole | Sequence[Whole]
    spreading: str
    plan_on: str
    path: PathArguments
    headers: HeaderArguments
    headroom: "Headroom"
    cost: CostArguments = field(default_factory=CostArguments)
    distance: DistanceArguments = field(default_factory=DistanceArguments)
    physics_only: bool = False
    adapters_available: Whole | None = None
    link_mtu_bytes: Whole | Sequence[Whole] = ()

    def demand(self) -> "list[Flow]":
        """Each flow; connections and acknowledgements are those of flows given as text."""
        from netmodel.concurrency._spreading import MAX_FLOW_COUNT
        from netmodel.planning import parse_flow

        flows: Sequence[str | Flow] = tuple(
            rate_text("flows", each) if is_number(each) else each
            for each in listed_values(self.flows)
        )
        if not all(isinstance(each, str) for each in flows):
            for name in ("connections", "segments_per_ack"):
                if getattr(self, name) is not None:
                    raise ArgumentsError(f"leave out {{{name}}}: a Flow has its own in its traffic")
        counts = () if self.connections is None else listed_values(self.connections)
        if len(counts) > 1:
            raise ArgumentsError("give one number of {connections}: that of each flow")
        count = optional_whole("connections", next(iter(counts), None))
        if count is not None and not 1 <= count <= MAX_FLOW_COUNT:
            problem = "{connections} must be from 1 to {most:,}; got {count:,}"
            raise WrongValueError(problem, most=MAX_FLOW_COUNT, count=count)
        if count is None and self.spreading == "hashed" and isinstance(flows[0], str):
            raise ArgumentsError("give {connections}: a hash spreads them over the adapters")
        demand = []
        for each in flows:
            try:
                demand.append(
                    parse_flow(each, count, self.segments_per_ack)
                    if isinstance(each, str)
                    else each
                )
            except UnitError as error:
                raise WrongTextError("{flows}: {reason}", reason=error) from error
            except ContradictionError as error:
                raise ArgumentsError("{flows}: {reason}", reason=error) from error
        return demand

    def paths(self) -> "list[SpecifiedPath]":
        """A path with each of the adapters at both ends, or the one that is specified otherwise."""
        cards = list(listed_values(self.adapters))
        if not cards:
            if not {"sender", "receiver", "path"}.intersection(self.path.given()):
                alone = "; netmodel consumption cpus has CPUs alone"
                raise ArgumentsError(
                    "give {adapters}, or {sender} and {receiver}, or {path}"
                    + (alone if self.cost != CostArguments() else "")
                )
            return [self.cost.on(self.path.needed())]
        if (self.path.sender, self.path.receiver) != (None, None):
            raise ArgumentsError("give {adapters}, or {sender} and {receiver}, not both")
        different = [card for number, card in enumerate(cards) if card not in cards[:number]]
        return [self.cost.on(self.path.between(card, card)) for card in different]

    def plans(self) -> "tuple[Plan, ...]":
        """A plan for each candidate, the best first."""
        from netmodel.planning import Corner, Spreading, compare_plans

        stack = self.distance.stack(self.headers)
        mtus_bytes = self._mtus_bytes(stack)
        paths = [
            replace(path, distance=case.distance())
            for path in self.paths()
            for case in self.distance.cases()
        ]
        for path in paths:
            if path.distance is not None:
                self.distance.require_suiting(path.path_of(self.demand()[0].traffic))
        if not mtus_bytes:
            for path in paths:
                require_own_mtu(path.path(Side.CLIENT), "{mtu_bytes} or {link_mtu_bytes}")
        return compare_plans(
            self.demand(),
            paths,
            mtus_bytes or [None],
            stack,
            headroom=self.headroom,
            corner=choice("plan_on", self.plan_on, Corner),
            spreading=choice("spreading", self.spreading, Spreading),
            physics_only=self.physics_only,
            adapters_available=self._available,
        )

    def _mtus_bytes(self, stack: Stack | None) -> list[int]:
        """The innermost MTU of each candidate, whichever is given. [byte]"""
        outer, inner = listed_values(self.link_mtu_bytes), listed_values(self.mtu_bytes)
        if outer and inner:
            raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}, not both")
        if inner:
            return [ip_mtu(each) for each in inner]
        links = (MtuArguments(link_mtu_bytes=ip_mtu(each, "link_mtu_bytes")) for each in outer)
        return [each.needed_bytes(stack) for each in links]

    @property
    def _available(self) -> int | None:
        count = optional_whole("adapters_available", self.adapters_available)
        if count is not None and count < 1:
            raise WrongValueError(
                "{adapters_available} must be at least 1; got {count}", count=count
            )
        return count


@in_base_units
def plan(
    flows: "Number | Flow | Iterable[Number | Flow]",
    *,
    adapters: "Adapter | File | Sequence[Adapter | File]" = (),
    sender: "Adapter | File | None" = None,
    receiver: "Adapter | File | None" = None,
    path: "PathRecord | File | None" = None,
    mtu_bytes: Whole | Sequence[Whole] = (),
    link_mtu_bytes: Whole | Sequence[Whole] = (),
    connections: Whole | None = None,
    client_host: "Host | File | None" = None,
    server_host: "Host | File | None" = None,
    max_utilisation: Number | None = None,
    max_utilisation_after_failure: Number | None = None,
    spares: Whole | None = None,
    spare_cores: Whole | None = None,
    adapters_available: Whole | None = None,
    spreading: str = "even",
    plan_on: str = "worst",
    client_cost: str | None = None,
    server_cost: str | None = None,
    cpu_frequency_hz: Number | None = None,
    cpu_time_basis: str | None = None,
    smt_gain: Number | None = None,
    cost_measured_with: "str | Mapping[str, object] | None" = None,
    line_rate_bps: Number | None = None,
    stack: Stack | str | None = None,
    ip: int | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: int | None = None,
    segments_per_ack: int | None = None,
    physics_only: bool = False,
    km: Number | Sequence[float] | None = None,
    rtt_s: Number | Sequence[float] | None = None,
    equipment_s: Number | None = None,
    window_bytes: Number | Sequence[float] | None = None,
    loss_ratio: Number | Sequence[float] | None = None,
    protocol: str | None = None,
) -> "tuple[Plan, ...]":
    """
    How many adapters and CPUs a demand needs, with headroom and spares.

    Parameters
    ----------
    flows : str, float, Flow or iterable of them
        The demand: a payload rate or transactions per second, and a workload, such as
        ``"25 Gbit/s str-writex30k"`` or ``"1e5/s rr1c-200x1000 from client"``. A rate alone,
        ``"18 Gbit/s in"`` or ``18e9`` in bit/s, is a stream of full frames; ``in`` and ``out``
        are as seen from the server, ``in`` by default.
    adapters : Adapter, str, path or sequence of them, optional
        Adapter at both ends; several are candidates to compare.
    sender, receiver, path : optional
        The path, as in `predict`, in place of `adapters`.
    mtu_bytes : int, str or sequence of them, optional
        IP MTU of the innermost interface; several are candidates. [byte]
    link_mtu_bytes : int, str or sequence of them, optional
        IP MTU of the outermost interface, in place of `mtu_bytes`. [byte]
    connections : int or str, optional
        Connections of each flow, on all adapters together.
    client_host, server_host : optional
        Hosts whose CPU service times count, as in `predict`.
    max_utilisation : float or str, optional
        Share of each stage that may be used, 0.7 by default.
    max_utilisation_after_failure : float or str, optional
        Share that may be used while `spares` adapters have failed; `max_utilisation` by default.
    spares : int or str, optional
        Adapters of a side that may fail at the same time, 1 by default.
    spare_cores : int or str, optional
        Cores of a side that may be lost at the same time, 0 by default.
    adapters_available : int or str, optional
        Adapters at each side that there are, or of the server where all flows are "in" or "out"; a
        plan that needs more does not hold.
    spreading : {"even", "hashed"}
        How connections come to use several adapters.
    plan_on : {"worst", "value", "best"}
        Which case of the parameter uncertainty to size for.
    client_cost, server_cost : str, optional
        CPU cost of each side as one figure, as in `predict`; the plan then has its cores.
    cpu_frequency_hz : float or str, optional
        Clock of the CPUs, for costs in cycles/byte. [Hz]
    cpu_time_basis : {"core", "thread"}, optional
        What the costs are time of, as in `predict`.
    smt_gain : float, optional
        Work of a core with two busy threads over that with one, for core time.
    cost_measured_with : str or mapping, optional
        Conditions under which the costs were measured, where they are not those of the plan, as
        of `predict`.
    line_rate_bps : float or str, optional
        MAC rate of the line of each adapter; that of the slower adapter by default. [bit/s]
    stack, ip, transport, timestamps, vlan_tags : optional
        Headers of each frame, as in `ceiling`.
    segments_per_ack : int, optional
        Also count pure acknowledgements of streams, each for this many frames.
    physics_only : bool
        Whether to leave out what documents print, and compute from the parts of the path alone.
    km : float, str or sequence of float, optional
        Distance between the sites, in km of fibre; several are candidates to compare. [km]
    rtt_s : float, str or sequence of float, optional
        Round trip between the sites without queues, in place of `km`. [s]
    equipment_s : float or str, optional
        What equipment adds to the round trip of `km`, in both directions together. [s]
    window_bytes : float, str or sequence of float, optional
        Payload that each connection may have in flight. [byte]
    loss_ratio : float, str or sequence of float, optional
        Share of packets that are lost, independently of each other.
    protocol : {"tcp", "smc-r"}, optional
        Protocol that carries the data of sockets, TCP by default.

    Returns
    -------
    plans : tuple of Plan
        One for each candidate, the best first. Counts of adapters are lower bounds.

    Raises
    ------
    ContradictionError
        If arguments exclude each other.
    DomainError
        If an argument is of the wrong kind or cannot be, or no MTU is known.
    UnitError
        If a flow is not a rate and a workload.
    UnknownRecordError
        If the catalog has no such id; near matches are named.

    Examples
    --------
    >>> import netmodel
    >>> best, *_ = netmodel.plan("40 Gbit/s str-writex30k", adapters="osa-express7s-25gbe",
    ...                          mtu_bytes=[1500, 9000])
    >>> best.mtu_bytes, best.chosen_count
    (9000, 4)
    """
    from netmodel.planning import Headroom

    usual = Headroom()
    share = optional_number("max_utilisation", max_utilisation)
    return PlanQuestion(
        flows=flows,
        connections=connections,
        segments_per_ack=segments_per_ack,
        adapters=adapters,
        mtu_bytes=mtu_bytes,
        link_mtu_bytes=link_mtu_bytes,
        spreading=spreading,
        plan_on=plan_on,
        path=PathArguments(
            sender=sender,
            receiver=receiver,
            path=path,
            line_rate_bps=line_rate_bps,
            client_host=client_host,
            server_host=server_host,
        ),
        cost=CostArguments(
            client_cost=client_cost,
            server_cost=server_cost,
            cpu_frequency_hz=cpu_frequency_hz,
            cpu_time_basis=cpu_time_basis,
            smt_gain=smt_gain,
            cost_measured_with=cost_measured_with,
        ),
        headers=HeaderArguments(
            stack=stack, ip=ip, transport=transport, timestamps=timestamps, vlan_tags=vlan_tags
        ),
        headroom=Headroom(
            usual.max_utilisation_ratio if share is None else share,
            usual.spare_count if spares is None else whole("spares", spares),
            optional_number("max_utilisation_after_failure", max_utilisation_after_failure),
            usual.spare_core_count if spare_cores is None else whole("spare_cores", spare_cores),
        ),
        physics_only=physics_only,
        adapters_available=adapters_available,
        distance=DistanceArguments(
            km=km,
            rtt_s=rtt_s,
            equipment_s=equipment_s,
            window_bytes=window_bytes,
            loss_ratio=loss_ratio,
            protocol=protocol,
        ),
    ).plans()
