"""Paths from records of stages, and paths by what a user gives: ends, a record, a line rate."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from netmodel.ceilings import wire_time_s
from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.errors import ContradictionError
from netmodel.estimates import Estimate
from netmodel.numeric import require_plain
from netmodel.path.distance import Distance
from netmodel.path.ensemble import Interval, Parameter
from netmodel.path.from_records import (
    HOSTS_AND_NETWORK,
    NETWORK,
    RecordedTimes,
    adapter_notes,
    adapter_stages,
    cpu_notes,
    cpu_pool,
    has_figure,
    host_notes,
    host_pool,
    host_stages,
    host_unknown,
    line_rate_of,
    notes_of,
    parameter_of,
    recorded_times,
    require_record,
    wire_stages,
    with_times,
)
from netmodel.path.given_cost import with_given_costs
from netmodel.path.over_distance import over_distance
from netmodel.path.settings import settings_of
from netmodel.path.stages import (
    DIRECTION_AT,
    DIRECTIONS,
    LINE_STAGES,
    ByteLayer,
    Direction,
    Path,
    Pool,
    Stage,
    host_pool_name,
)
from netmodel.path.traffic import Traffic
from netmodel.path.unbounded import NO_LINE
from netmodel.results import short_repr
from netmodel.units import BITS_PER_BYTE, format_rate

if TYPE_CHECKING:
    from netmodel.records import (
        Adapter,
        Host,
        PathRecord,
        Value,
    )
    from netmodel.records.stages import PathStage

_SEEN_FROM = {(side, on_path): seen for (side, seen), on_path in DIRECTION_AT.items()}
_OF_HOSTS = ("application-cpu", "protocol-cpu", "receive-queue-cpu")
"""Kinds of stages whose times a host has, where it has any."""


def recorded_path(
    record: "PathRecord",
    client: "Adapter | None" = None,
    server: "Adapter | None" = None,
    line_rate_bps: float | None = None,
    client_host: "Host | None" = None,
    server_host: "Host | None" = None,
) -> Path:
    """
    The path that a record describes.

    Parameters
    ----------
    record : PathRecord
        From the catalog, or from a file.
    client : Adapter, optional
        In place of the adapter that the record has at this end.
    server : Adapter, optional
        Likewise.
    line_rate_bps : float, optional
        MAC rate of the line between them; that of the slower adapter when left
        out. [bit/s]
    client_host : Host, optional
        In place of the host that the record has at this end.
    server_host : Host, optional
        Likewise.

    Returns
    -------
    path : Path
        Stages of the client, the adapters with the line, what lies between,
        and the stages of the server. A stage that serves each direction with
        its own servers is two; a rate cap and a delay are one of their own.

    Raises
    ------
    ContradictionError
        If limits that were measured on an adapter cannot be true together, an
        adapter is slower than the line rate given, a stage with the name
        of the line has another rate, or stages and a host both have CPU times
        of the host.
    DomainError
        If it is no record of a path, or two stages or pools get the same name.

    Examples
    --------
    >>> from netmodel.path import Traffic, predict_path
    >>> from netmodel.records import path_record
    >>> path = recorded_path(path_record("worked-closed-network"))
    >>> prediction = predict_path(path, Traffic(200, 1000, connection_count=250), 1500)
    >>> round(prediction.transaction_rate_tps.value), prediction.ties
    (166667, ('client-queue', 'server-queue'))
    """
    require_record("record", record, "PathRecord")
    return _composed(record, client, server, line_rate_bps, client_host, server_host)


def adapter_path(
    client: "Adapter",
    server: "Adapter",
    line_rate_bps: float | None = None,
    client_host: "Host | None" = None,
    server_host: "Host | None" = None,
) -> Path:
    """
    Path from the adapter of a client to that of a server, as far as these are known.

    Parameters
    ----------
    client : Adapter
        From the catalog, or from a file.
    server : Adapter
        Likewise.
    line_rate_bps : float, optional
        MAC rate of the line; that of the slower adapter when left out. [bit/s]
    client_host : Host, optional
        What spends CPU time behind the adapter of the client.
    server_host : Host, optional
        Likewise of the server.

    Returns
    -------
    path : Path
        Both directions of both adapters and of the line, and the hosts as far
        as they have CPU times.

    Raises
    ------
    ContradictionError
        If limits that were measured on an adapter cannot be true together, or an
        adapter is slower than the line rate given.
    DomainError
        If an adapter or a host is no record.
    AmbiguousValueError
        If a line rate is only known as a range.

    Examples
    --------
    >>> from netmodel.path import Traffic, predict_path
    >>> from netmodel.records import adapter
    >>> path = adapter_path(adapter("roce-express2.1-25gbe"), adapter("osa-express7s-25gbe"))
    >>> stream = Traffic(30720, waits=False, shares_segments=True)
    >>> prediction = predict_path(path, stream, 1500)
    >>> round(prediction.throughput_bps.value / 1e9, 3), prediction.binding
    (13.4, 'server_adapter_in')
    """
    require_record("client", client, "Adapter")
    require_record("server", server, "Adapter")
    return _composed(None, client, server, line_rate_bps, client_host, server_host)


def _composed(
    record: "PathRecord | None",
    client: "Adapter | None",
    server: "Adapter | None",
    line_rate_bps: float | None,
    client_host: "Host | None",
    server_host: "Host | None",
) -> Path:
    """The path of a record, else of two adapters; what is given goes before that of the record."""
    cards = {Side.CLIENT: client, Side.SERVER: server}
    hosts = {Side.CLIENT: client_host, Side.SERVER: server_host}
    stages: tuple[PathStage, ...] = ()
    if record is not None:
        stages = record.stages
        cards = {
            Side.CLIENT: client or record.client_adapter,
            Side.SERVER: server or record.server_adapter,
        }
        hosts = {
            Side.CLIENT: client_host or record.client_host,
            Side.SERVER: server_host or record.server_host,
        }
        _require_one_source(record, hosts)
    own: dict[Side | None, list[Stage]] = {Side.CLIENT: [], None: [], Side.SERVER: []}
    for stage in stages:
        own[stage.side] += _stages(stage, cards[stage.side] if stage.side else None)
    ends = {side: host_stages(host, side) if host else () for side, host in hosts.items()}
    known_hosts = [host for host in hosts.values() if host]
    has_cpus = {stage.side for stage in stages if stage.traits.is_cpu}
    unknown_cpus = chain.from_iterable(
        host_unknown(host, side) for side, host in hosts.items() if side not in has_cpus
    )
    if record is not None:
        unknown = (*record.unknown, *unknown_cpus)
    else:
        unknown = (*unknown_cpus, NETWORK) if known_hosts else (HOSTS_AND_NETWORK,)
    line = [*_line(record, cards, line_rate_bps, [*chain.from_iterable(own.values())])]
    if record is None:  # each direction after the other
        line = [line[place] for place in (0, 2, 4, 5, 3, 1)]
    window = record.window if record else None
    known: list[Adapter | Host | PathRecord] = [*filter(None, cards.values()), *known_hosts]
    known[:0] = [record] if record else []
    return Path(
        stages=(
            *ends[Side.CLIENT],
            *own[Side.CLIENT],
            *line,
            *own[None],
            *own[Side.SERVER],
            *reversed(ends[Side.SERVER]),
        ),
        pools=tuple(_pools(record, hosts)),
        window_bytes=parameter_of(window.size_bytes_estimate) if window else None,
        window_grade=window.grade if window else None,
        unknown=unknown,
        notes=tuple(_notes(record, cards, hosts)),
        settings=tuple(settings_of(known)),
        name=": ".join(filter(None, (record.id if record else "", ends_text(client, server)))),
    )


def _require_one_source(record: "PathRecord", hosts: "Mapping[Side, Host | None]") -> None:
    """Raise ContradictionError if stages and a host both have CPU times of the host."""
    for side, host in hosts.items():
        for stage in record.stages:
            if host and host.has_cpu_times and stage.side is side and stage.kind.value in _OF_HOSTS:
                raise ContradictionError(
                    f"stage {stage.name} of {record.id} and host {host.id} both have CPU times of "
                    f"the {side.value}: leave one of them out"
                )


def ends_text(client: "Adapter | None", server: "Adapter | None") -> str:
    """The adapters at both ends, as far as there are any."""
    if client is not None and server is not None and client.id == server.id:
        return f"{client.id} at both ends"
    ends = (("client", client), ("server", server))
    return ", ".join(f"{side} {card.id}" for side, card in ends if card is not None)


def _line(
    record: "PathRecord | None",
    cards: "Mapping[Side, Adapter | None]",
    line_rate_bps: float | None,
    own: list[Stage],
) -> Iterator[Stage]:
    """Adapters and the line between them, as far as there are any and no stage is the line."""
    client, server = cards[Side.CLIENT], cards[Side.SERVER]
    known = [card for card in (client, server) if card]
    if client:
        yield from adapter_stages(client, Side.CLIENT)
    if known or line_rate_bps is not None:
        rate_bps, grade = line_rate_of(known, line_rate_bps)
        # stages with the name of the line are the line, which then has this rate
        lines = [stage for stage in own if stage.name in LINE_STAGES]
        for each in lines:
            times = each.to_server if each.name == LINE_STAGES[0] else each.to_client
            if times.per_byte_s != wire_time_s(rate_bps, 1):
                raise ContradictionError(
                    f"the line is {format_rate(rate_bps)}, but stage {each.name} of the path is "
                    "another one: give it another name or this rate"
                )
        if not lines:
            yield from wire_stages(rate_bps, grade)
    if server:
        yield from reversed(adapter_stages(server, Side.SERVER))


def _stages(stage: "PathStage", card: "Adapter | None") -> Iterator[Stage]:
    """What a record calls one stage: its servers by direction, its caps, its delays."""
    plain = Stage(name=stage.name, byte_layer=ByteLayer(stage.layer), side=stage.side)
    # (1) parts that limit or delay each for itself, with what the name of each ends in
    pieces: list[tuple[str, Stage, Mapping[Direction, RecordedTimes]]] = []
    own = {direction: _own_times(stage, direction) for direction in DIRECTIONS}
    if any(own.values()):
        pieces.append(("", _serving(stage, plain, card), own))
    if stage.rate_cap is not None:
        time_s = _inverse(stage.rate_cap, stage.rate_cap.rate_bps_estimate, BITS_PER_BYTE)
        cap = RecordedTimes({"per_byte_s": (time_s, stage.rate_cap.grade)})
        pieces.append(("_cap", replace(plain, delays=False), dict.fromkeys(DIRECTIONS, cap)))
    if stage.frame_rate_cap is not None:
        time_s = _inverse(stage.frame_rate_cap, stage.frame_rate_cap.frame_rate_fps_estimate, 1)
        cap = RecordedTimes({"per_frame_s": (time_s, stage.frame_rate_cap.grade)})
        pieces.append(("_frame_cap", replace(plain, delays=False), dict.fromkeys(DIRECTIONS, cap)))
    if stage.delay is not None:
        delay = _each_message(stage.delay.time_s_estimate, stage.delay)
        waits = replace(plain, parallel_count=None)
        pieces.append(("_delay", waits, dict.fromkeys(DIRECTIONS, delay)))
    # (2) servers of each direction are a stage each, unless both directions share them
    for suffix, made, times in pieces:
        named = replace(made, name=stage.name + suffix * (len(pieces) > 1))
        is_shared = made.delays and stage.traits.shares_directions
        if is_shared or made.is_delay or not all(times.get(direction) for direction in DIRECTIONS):
            yield with_times(named, times)
            continue
        for direction, item in times.items():
            # as seen from its host, where it has one
            seen = _SEEN_FROM[stage.side, direction] if stage.side else direction
            yield with_times(replace(named, name=f"{named.name}_{seen}"), {direction: item})


def _own_times(stage: "PathStage", direction: Direction) -> RecordedTimes:
    """Service times of a stage in one direction; a line rate is a time of each byte."""
    times = stage.times(direction)
    result = recorded_times(times, f"{stage.name} {direction}") if times else RecordedTimes()
    figures = dict(result.figures)
    if stage.line_rate is not None:
        if "per_byte_s" in figures:
            raise ContradictionError(f"{stage.name}: line_rate and per_byte are the same time")
        time_s = _inverse(stage.line_rate, stage.line_rate.rate_bps_estimate, BITS_PER_BYTE)
        figures["per_byte_s"] = (time_s, stage.line_rate.grade)
    return replace(result, figures=figures, is_complete=stage.is_complete(direction))


def _serving(stage: "PathStage", plain: Stage, card: "Adapter | None") -> Stage:
    """The stage with its servers: its own, those of receive queues, or those of its pool."""
    traits = stage.traits
    queues = card.receive_queue_count if card and traits.spreads_flows and traits.is_cpu else None
    pool = _pool_name(stage)
    servers = stage.servers or queues
    count: Parameter | None = 1
    if servers is not None:
        count = parameter_of(servers.number_estimate)
    elif traits.is_cpu and not traits.spreads_flows and pool:
        count = None  # only its pool limits it
    grades = {} if servers is None else {"parallel_count": servers.grade}
    return replace(
        plain,
        parallel_count=count,
        pool=pool,
        hashes_flows=traits.spreads_flows,
        is_serial=stage.is_serial,
        grades=grades,
    )


def _each_message(time_s: Estimate, source: "Value") -> RecordedTimes:
    """A time that each message takes and that nothing is busy with."""
    return RecordedTimes({"per_message_s": (parameter_of(time_s), source.grade)})


def _inverse(rate: "Value", known: Estimate, amount: float) -> Parameter:
    """Time of an amount at a rate; one that is printed alone was set, and is exact."""
    value, low, high = known
    if rate.relation.value == "equal" or low <= 0:
        return amount / value
    return Interval(amount / value, amount / high, amount / low, has_figure(rate))


def _pool_name(stage: "PathStage") -> str | None:
    """The CPUs that it draws on: those that it names, or those of its side."""
    if stage.pool is not None or stage.side is None or not stage.traits.is_cpu:
        return stage.pool
    return host_pool_name(stage.side)


def _pools(record: "PathRecord | None", hosts: "Mapping[Side, Host | None]") -> Iterator[Pool]:
    """CPUs that the record has, and those of hosts that its stages draw on."""
    own = record.pools if record else {}
    for name, pool in own.items():
        yield cpu_pool(name, pool.side, pool, pool.core_count)
    used = {_pool_name(stage) for stage in record.stages} if record else set()
    for side, host in hosts.items():
        name = host_pool_name(side)
        is_used = name in used or (host is not None and host.has_cpu_times)
        if is_used and name not in own:
            yield host_pool(host, side) if host else Pool(name, None, side)


def _notes(
    record: "PathRecord | None",
    cards: "Mapping[Side, Adapter | None]",
    hosts: "Mapping[Side, Host | None]",
) -> Iterator[str]:
    """What a reader should know of the record, and of adapters and hosts in place of its own."""
    own: list[object] = []
    if record is not None:
        yield from notes_of(record.id, record.parts)
        own = [*record.adapters.values(), *record.hosts.values()]
    yield from adapter_notes(card for card in cards.values() if card and card not in own)
    for name, pool in record.pools.items() if record else ():
        yield from cpu_notes(name, pool)
    for side, host in hosts.items():
        if host is not None and (record or host.has_cpu_times):
            yield from cpu_notes(side.value, host)
    for host in dict.fromkeys(host for host in hosts.values() if host and host not in own):
        yield from host_notes(host)


@dataclass(frozen=True)
class SpecifiedPath:
    """
    A path by what is at its ends and between; which end is the client depends on the workload.

    Parameters
    ----------
    sender, receiver : Adapter, optional
        Of the side that sends more payload, and of the other. They go before
        the adapters that a record has.
    record : PathRecord, optional
        Record of its stages; without one both adapters are needed.
    line_rate_bps : float, optional
        MAC rate of the line; that of the slower adapter when left out. [bit/s]
    client_host, server_host : Host, optional
        What spends CPU time at each end; they go before those of the record.
    client_cost, server_cost : CpuCost, optional
        CPU cost of each side as one figure, in place of CPU times of its host.
    distance : Distance, optional
        What lies between the two sites; `path` leaves it out, `path_of` has it.

    Raises
    ------
    ContradictionError
        If there is neither a record nor an adapter at both ends.

    Examples
    --------
    >>> from netmodel.records import adapter
    >>> roce, osa = adapter("roce-express2.1-25gbe"), adapter("osa-express7s-25gbe")
    >>> SpecifiedPath(roce, osa).adapters(Side.SERVER)[0].id
    'osa-express7s-25gbe'
    """

    sender: "Adapter | None" = None
    receiver: "Adapter | None" = None
    record: "PathRecord | None" = None
    line_rate_bps: float | None = None
    client_host: "Host | None" = None
    server_host: "Host | None" = None
    client_cost: CpuCost | None = None
    server_cost: CpuCost | None = None
    distance: Distance | None = None
    _composed: dict[Side, Path] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_plain(line_rate_bps=self.line_rate_bps)
        if self.record is None and (self.sender is None or self.receiver is None):
            raise ContradictionError("give the adapters of both sides, or the path between them")

    def adapters(self, sending: Side) -> "tuple[Adapter | None, Adapter | None]":
        """Those of client and server, where this side sends more."""
        ends = (self.sender, self.receiver)
        client, server = ends if sending is Side.CLIENT else ends[::-1]
        if self.record is not None:
            client = client or self.record.client_adapter
            server = server or self.record.server_adapter
        return client, server

    @property
    def records(self) -> "tuple[Adapter | Host | PathRecord, ...]":
        """Path, adapters and hosts that it is made of; one at both ends comes twice."""
        of_record = self.record
        hosts = [self.client_host, self.server_host]
        if of_record is not None:
            hosts = [hosts[0] or of_record.client_host, hosts[1] or of_record.server_host]
        known = (of_record, *self.adapters(Side.CLIENT), *hosts)
        return tuple(record for record in known if record is not None)

    @property
    def has_cost_of_another_case(self) -> bool:
        """Whether a CPU cost was measured in another case, and is to be carried to this one."""
        return any(cost is not None and cost.case for cost in (self.client_cost, self.server_cost))

    @property
    def is_unbounded(self) -> bool:
        """True where no stage, line, adapter or host is known: then nothing bounds the rate."""
        record = self.record
        parts = (self.sender, self.receiver, self.line_rate_bps, self.client_host, self.server_host)
        if record is None or any(part is not None for part in parts):
            return False
        known = (record.stages, record.client_adapter, record.server_adapter)
        hosts = (record.client_host, record.server_host, record.window)
        return not any((*known, *hosts))

    @property
    def own_line_rate_bps(self) -> float | None:
        """That of the slower adapter, else None. [bit/s]"""
        known = [card for card in self.adapters(Side.CLIENT) if card]
        return line_rate_of(known, None)[0] if known else None

    def path(self, sending: Side) -> Path:
        """
        The path without costs and distance, where this side sends more; composed once.

        Raises
        ------
        ContradictionError
            If nothing of it limits a rate.
        """
        if self.is_unbounded:
            assert self.record is not None
            raise ContradictionError(
                f"{self.record.id}: {NO_LINE}, so it has no rates: give the line rate and "
                "adapters, or let netmodel compare print its ratios"
            )
        if sending not in self._composed:
            client, server = self.adapters(sending)
            hosts = self.client_host, self.server_host
            composed = _composed(self.record, client, server, self.line_rate_bps, *hosts)
            self._composed[sending] = composed
        return self._composed[sending]

    def path_of(self, traffic: Traffic, sending: Side | None = None) -> Path:
        """The path of this traffic with the CPU costs and the distance that are given."""
        base = self.path(traffic.sender if sending is None else sending)
        costs = {Side.CLIENT: self.client_cost, Side.SERVER: self.server_cost}
        hosts = {Side.CLIENT: self.client_host, Side.SERVER: self.server_host}
        if self.record is not None:
            hosts[Side.CLIENT] = self.client_host or self.record.client_host
            hosts[Side.SERVER] = self.server_host or self.record.server_host
        path = with_given_costs(base, traffic, costs, hosts)
        return path if self.distance is None else over_distance(path, self.distance)

    def __repr__(self) -> str:
        ends = [None if each is None else each.id for each in (self.sender, self.receiver)]
        rate = "" if self.line_rate_bps is None else format_rate(self.line_rate_bps)
        return short_repr(
            self,
            "" if self.record is None else self.record.id,
            " to ".join(each for each in ends if each),
            rate,
        )
