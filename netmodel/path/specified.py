"""Paths as a user specifies them: adapters, hosts, a record, a line, CPU costs and a distance."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from netmodel.ceilings import ByteLayer, Capacity
from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.errors import ContradictionError
from netmodel.lazy_numpy import np
from netmodel.numeric import require_plain
from netmodel.path.ensemble import Interval, Parameter
from netmodel.path.from_records import (
    HOSTS_AND_NETWORK,
    NETWORK,
    adapter_stages,
    capacity_servers,
    capacity_stages,
    cpu_notes,
    cpu_pool,
    has_figure,
    host_pool,
    host_stages,
    host_unknown,
    line_rate_of,
    notes_of,
    parameter_of,
    recorded_times,
    require_record,
    settings_of,
    wire_stages,
)
from netmodel.path.over_distance import over_distance
from netmodel.path.stages import (
    DIRECTION_AT,
    DIRECTIONS,
    NO_LINE,
    NO_TIME,
    Direction,
    Distance,
    Path,
    Pool,
    Stage,
    Times,
    host_pool_name,
)
from netmodel.path.traffic import Traffic
from netmodel.records import record
from netmodel.records.files import record_files
from netmodel.results import fields_repr
from netmodel.text import argument
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from netmodel.records import Adapter, Host
    from netmodel.records.paths import PathRecord
    from netmodel.records.stages import PathStage
    from netmodel.records.values import Value

_SEEN_FROM = {(side, on_path): seen for (side, seen), on_path in DIRECTION_AT.items()}
_OF_HOSTS = ("application-cpu", "protocol-cpu", "receive-queue-cpu")
"""Kinds of stages whose times a host has, where it has any."""
_OF_RECORDS = {"out", "in", "send", "receive", "core_count", "processor_count"}
"""Parts of adapters and hosts that service times and CPUs come from."""
_OUTSIDE = "outside"
"""Fact of a machine type: what it may exchange with addresses outside its own network."""
_RECORDS = {"sender": "adapters", "receiver": "adapters", "record": "paths"}
_THREADS_OF_SMT = 2
"""Threads of a core where thread time is given without a host: SMT-2, as of most servers."""


@lru_cache
def _composed(given: "SpecifiedPath", sending: Side, *_texts: str) -> Path:
    """
    Compose the path of a record or of two adapters; given parts replace those of the record.

    Capacities compare equal whatever their text, which notes print: the texts tell paths apart.
    """
    record, hosts = given.record, given.hosts
    cards = dict(zip(Side, given.adapters(sending), strict=True))
    recorded, name = (record.stages, record.id) if record else ((), "")
    # a line that is given takes the place of recorded links, but not of their delay and capacity
    given_rate = {} if given.line_rate_bps is None else {"line_rate": None}
    recorded = tuple(x.model_copy(update=given_rate) if _is_link(x) else x for x in recorded)
    # (1) stages of the record, by the side that they belong to, and those of adapters and hosts
    own: dict[Side | None, list[Stage]] = {Side.CLIENT: [], None: [], Side.SERVER: []}
    for stage in recorded:
        host = hosts[stage.side] if stage.side else None
        if stage.side and host and host.has_cpu_times and stage.kind.value in _OF_HOSTS:
            raise ContradictionError(
                f"stage {stage.name} of {name} and host {host.id} both have CPU times of the "
                f"{stage.side.value}: leave one of them out"
            )
        own[stage.side] += _stages(stage, cards[stage.side] if stage.side else None)
    ends = {side: host_stages(host, side) if host else () for side, host in hosts.items()}
    line: list[Stage] = []
    known_cards = [card for card in cards.values() if card]
    line_rate_bps, grade = line_rate_of(known_cards, given.line_rate_bps)
    if line_rate_bps < math.inf:
        line += wire_stages(line_rate_bps, grade)
    client, server = (adapter_stages(card, side) if card else () for side, card in cards.items())
    is_whole = record is None and line and all(cards.values())
    line = [*client, *line, *reversed(server)]
    if is_whole:  # each direction after the other
        line = [line[place] for place in (0, 2, 4, 5, 3, 1)]
    # (2) what is not known of it
    has_cpus = {stage.side for stage in recorded if stage.kind.is_cpu}
    has_cpus -= {side for side, host in hosts.items() if host and host.has_cpu_times}
    lacking = (host_unknown(host, side) for side, host in hosts.items() if side not in has_cpus)
    unknown = tuple(chain.from_iterable(lacking))
    if record is not None:
        unknown = (*record.unknown, *unknown)
    else:
        unknown = (*unknown, NETWORK) if any(hosts.values()) else (HOSTS_AND_NETWORK,)
    some = _capacities(given.capacities, cards) if given.has_capacities else []
    of_capacities = chain.from_iterable(
        capacity_stages(each, side, [(x, str(y)) for x, y in some[:place]].count((side, str(each))))
        for place, (side, each) in enumerate(some)
    )
    said = [*_capacity_notes(cards.values(), bool(given.capacities))]
    lack = "taken as payload, as its layer is not given; less if it counts ip"
    texts = dict.fromkeys(f"capacity {each}: {lack}" for _, each in some if each.layer is None)
    window = record.window if record else None
    ends_given = (given.sender, given.receiver)[:: 1 if sending is Side.CLIENT else -1]
    known_ends = [f"{s.value} {x.id}" for s, x in zip(Side, ends_given, strict=True) if x]
    between = (*line, *own[None], *of_capacities)
    of_server = (*own[Side.SERVER], *reversed(ends[Side.SERVER]))
    stages = (*ends[Side.CLIENT], *own[Side.CLIENT], *between, *of_server)
    return Path(
        stages=stages,
        pools=tuple(_pools(record, hosts)),
        window_bytes=parameter_of(window.size_bytes_estimate) if window else None,
        window_grade=window.grade if window else None,
        unknown=unknown,
        notes=(*said[2:], *texts, *_notes(record, cards, hosts)),
        mixed_notes=tuple(said[:2]),
        settings=tuple(settings_of(filter(None, [record, *cards.values(), *hosts.values()]))),
        name=": ".join(filter(None, (name, ", ".join(known_ends)))),
    )


def _capacities(
    given: Iterable[Capacity], cards: "Mapping[Side, Adapter | None]"
) -> list[tuple[Side | None, Capacity]]:
    """Return each rate with its side, None for both; one per flow replaces recorded ones."""
    some: list[tuple[Side | None, Capacity]] = [(None, each) for each in given]
    has_flow = any(each.scope == "flow" for each in given)
    for side, card in cards.items():
        own = [Capacity.parse(fact.value) for fact in card.capacities] if card else []
        # both ends limit the same flow
        known = (x for x in own if not (has_flow and x.scope == "flow"))
        some += [(None if x.scope == "flow" else side, x) for x in known]
    return [*dict.fromkeys(some)]


def _capacity_notes(cards: "Iterable[Adapter | None]", has_own: bool) -> Iterator[str]:
    """Yield notes of recorded capacities with their adapters; where none is given, of a cloud's."""
    owners: dict[str, dict[str, None]] = {}
    for card in (card for card in cards if card and card.capacities):
        beyond = (x for key, x in card.facts.items() if key == _OUTSIDE and not has_own)
        give = "give it as a capacity there, in a plan per adapter"
        limits = (f"at most {each} {each.note}; {give}" for each in beyond)
        unknown = (f"not known: {text}" for text in card.unknown)
        for text in (*limits, *unknown, *(each.note for each in card.capacities if each.note)):
            owners.setdefault(text, {})[card.id] = None
    yield from (f"{' and '.join(ids)}: {text}" for text, ids in owners.items())


def _is_link(stage: "PathStage") -> bool:
    """Return True if a recorded stage is the line between two adapters."""
    return stage.kind.value == "link" and stage.servers is None


def _stages(stage: "PathStage", card: "Adapter | None") -> Iterator[Stage]:
    """Yield the stages of one recorded stage: servers by direction, capacity, delay."""
    plain: dict[str, Any] = {"byte_layer": ByteLayer(stage.layer), "side": stage.side}
    # (1) parts that limit or delay each for itself, with what the name of each ends in
    to_server, to_client = (_own_times(stage, direction) for direction in DIRECTIONS)
    # and whether both directions share its servers
    pieces: list[tuple[str, bool, dict[str, Any], Times, Times]] = []
    if to_server.grades or to_client.grades:
        pieces.append(("", stage.kind.is_cpu, _servers(stage, card), to_server, to_client))
    if stage.capacity is not None:
        capacity, cap = stage.capacity.capacity, _with_rate(NO_TIME, stage.capacity)
        # out and in are one direction, as its side sees it
        only = DIRECTION_AT.get((stage.side or Side.CLIENT, capacity.direction or ""))
        forth, back = (cap if only in (None, way) else NO_TIME for way in DIRECTIONS)
        limits = capacity_servers(capacity, plain["byte_layer"])
        pieces.append(("_capacity", capacity.direction == "both", limits, forth, back))
    if stage.delay is not None:
        time_s = parameter_of(stage.delay.time_s_estimate)
        delay = Times(per_message_s=time_s, grades={"per_message_s": stage.delay.grade})
        pieces.append(("_delay", True, {"parallel_count": None}, delay, delay))
    # (2) servers of each direction are a stage each, unless both directions share them
    for suffix, is_shared, given, forth, back in pieces:
        name = stage.name + suffix * (len(pieces) > 1)
        both = Stage(name=name, to_server=forth, to_client=back, **(plain | given))
        if is_shared or not (forth.grades and back.grades):
            yield both
            continue
        halves = replace(both, to_client=NO_TIME), replace(both, to_server=NO_TIME)
        for direction, half in zip(DIRECTIONS, halves, strict=True):
            # as seen from its host, where it has one
            seen = _SEEN_FROM[stage.side, direction] if stage.side else direction
            yield replace(half, name=f"{name}_{seen}")


def _own_times(stage: "PathStage", direction: Direction) -> Times:
    """Return the service times of a stage in one direction; a line rate is a time per byte."""
    recorded = stage.times(direction)
    times = recorded_times(recorded, f"{stage.name} {direction}") if recorded else NO_TIME
    if stage.line_rate is not None:
        if "per_byte_s" in times.grades:
            raise ContradictionError(f"{stage.name}: line_rate and per_byte are the same time")
        times = _with_rate(times, stage.line_rate)
    return replace(times, is_complete=stage.is_complete(direction))


def _servers(stage: "PathStage", card: "Adapter | None") -> dict[str, Any]:
    """Return the servers of a stage: its own, those of receive queues, or those of its pool."""
    kind = stage.kind
    queues = card.receive_queue_count if card and kind.spreads_flows and kind.is_cpu else None
    pool, servers = _pool_name(stage), stage.servers or queues
    count: Parameter | None = 1
    if servers is not None:
        count = parameter_of(servers.number_estimate)
    elif kind.is_cpu and not kind.spreads_flows and pool:
        count = None  # only its pool limits it
    return {
        "parallel_count": count,
        "pool": pool,
        "hashes_flows": kind.spreads_flows,
        "is_serial": stage.is_serial,
        "grades": {} if servers is None else {"parallel_count": servers.grade},
    }


def _with_rate(times: Times, rate: "Value") -> Times:
    """Return the times with that of a byte at a rate; a rate printed as one figure is exact."""
    known = rate.capacity_estimate
    time_s: Parameter = BITS_PER_BYTE / known.value
    if rate.relation.value != "equal" and known.low:
        ends = BITS_PER_BYTE / known.value, BITS_PER_BYTE / known.high, BITS_PER_BYTE / known.low
        time_s = Interval(*ends, has_figure(rate))
    return replace(times, per_byte_s=time_s, grades={**times.grades, "per_byte_s": rate.grade})


def _pool_name(stage: "PathStage") -> str | None:
    """Return the CPU pool of a stage: the one that it names, or that of its side."""
    if stage.pool is not None or stage.side is None or not stage.kind.is_cpu:
        return stage.pool
    return host_pool_name(stage.side)


def _pools(record: "PathRecord | None", hosts: "Mapping[Side, Host | None]") -> Iterator[Pool]:
    """Yield the CPU pools of the record, and those of hosts that its stages use."""
    own = record.pools if record else {}
    for name, pool in own.items():
        yield cpu_pool(name, pool.side, pool, pool.core_count)
    used = {_pool_name(stage) for stage in record.stages} if record else set()
    for side, host in hosts.items():
        name = host_pool_name(side)
        if name not in own and (name in used or (host is not None and host.has_cpu_times)):
            yield host_pool(host, side) if host else Pool(name, None, side)


def _notes(
    record: "PathRecord | None",
    cards: "Mapping[Side, Adapter | None]",
    hosts: "Mapping[Side, Host | None]",
) -> Iterator[str]:
    """Yield notes on the record, and on adapters and hosts that replace its own."""
    own: list[object] = []

    def of_parts(each: "Adapter | Host") -> Iterator[str]:
        parts = each.parts.items()
        return notes_of(each.id, {k: x for k, x in parts if k.partition(".")[0] in _OF_RECORDS})

    if record is not None:
        yield from notes_of(record.id, record.parts)
        own = [*record.adapters.values(), *record.hosts.values()]
    for card in dict.fromkeys(card for card in cards.values() if card and card not in own):
        yield from of_parts(card)
    for name, pool in record.pools.items() if record else ():
        yield from cpu_notes(name, pool)
    for side, host in hosts.items():
        if host is not None and (record or host.has_cpu_times):
            yield from cpu_notes(side.value, host)
    for host in dict.fromkeys(host for host in hosts.values() if host and host not in own):
        yield from of_parts(host) if host.has_cpu_times else ()


@dataclass(frozen=True)
class SpecifiedPath:
    """
    A path by its ends and what lies between; the workload decides which end is the client.

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
    capacities : tuple of Capacity
        Rates that a machine, an adapter or each flow has.
    has_capacities : bool
        False leaves out all capacities, recorded ones too.

    Raises
    ------
    ContradictionError
        If there is neither a record nor a capacity nor an adapter at both ends.
    DomainError
        If an adapter or a record is something else.

    Examples
    --------
    >>> from netmodel.path import Traffic, predict_path
    >>> from netmodel.records import adapter, path_record
    >>> roce, osa = adapter("roce-express2.1-25gbe"), adapter("osa-express7s-25gbe")
    >>> stream = Traffic(30720, waits=False, shares_segments=True)
    >>> prediction = predict_path(SpecifiedPath(roce, osa).path(), stream, 1500)
    >>> round(prediction.throughput_bps.value / 1e9, 3), prediction.binding
    (13.4, 'server_adapter_in')

    A record of the catalog:

    >>> path = SpecifiedPath(record=path_record("worked-closed-network")).path()
    >>> prediction = predict_path(path, Traffic(200, 1000, connection_count=250), 1500)
    >>> round(prediction.transaction_rate_tps.value), prediction.ties
    (166667, ('client-queue', 'server-queue'))
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
    capacities: tuple[Capacity, ...] = ()
    has_capacities: bool = True

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        require_plain(line_rate_bps=self.line_rate_bps)
        for name, kind in _RECORDS.items():
            if (given := getattr(self, name)) is not None:
                require_record(name, given, kind)
        lacks_ends = self.sender is None or self.receiver is None
        if self.record is None and lacks_ends and not self.capacities:
            raise ContradictionError("give the adapters of both sides, or the path between them")

    def adapters(self, sending: Side) -> "tuple[Adapter | None, Adapter | None]":
        """Return the adapters of client and server, where this side sends more."""
        ends = (self.sender, self.receiver)
        client, server = ends if sending is Side.CLIENT else ends[::-1]
        if self.record is not None:
            client = client or self.record.adapter(Side.CLIENT)
            server = server or self.record.adapter(Side.SERVER)
        return client, server

    @property
    def hosts(self) -> "dict[Side, Host | None]":
        """Hosts of client and server."""
        given = zip(Side, (self.client_host, self.server_host), strict=True)
        return {x: host or (self.record.host(x) if self.record else None) for x, host in given}

    @property
    def records(self) -> "tuple[Adapter | Host | PathRecord, ...]":
        """Its path, adapters and hosts; one at both ends comes twice."""
        known = (self.record, *self.adapters(Side.CLIENT), *self.hosts.values())
        return tuple(record for record in known if record is not None)

    def catalog_ids(self, sending: Side) -> dict[str, str]:
        """
        Return the id of the path, or of the adapters of client and server if this side sends more.

        Empty where something else is given, such as records of a user's own or another line.
        """
        if self.capacities:
            return {}
        ends: Any = dict(zip(("client", "server"), self.adapters(sending), strict=True))
        own, kind = SpecifiedPath(self.sender, self.receiver, self.record), "adapters"
        if self.record is not None:
            own, kind, ends = SpecifiedPath(record=self.record), "paths", {"path": self.record}
        is_own = self.records == own.records
        is_own &= self.line_rate_bps is None or self.line_rate_bps == own.own_line_rate_bps
        # a record of a user's own may have the id of one of the catalog
        known = (record_files(kind, x.id) and record(x.id, kind) == x for x in {*ends.values()})
        return {key: x.id for key, x in ends.items()} if is_own and all(known) else {}

    @property
    def is_unbounded(self) -> bool:
        """True if no stage, line, adapter or host is known: nothing bounds the rate."""
        record = self.record
        if record is None or self.line_rate_bps is not None or self.capacities:
            return False
        return not (len(self.records) > 1 or record.stages or record.window)

    @property
    def adapters_line_rate_bps(self) -> float | None:
        """Line rate of the slower adapter; None where none has one. [bit/s]"""
        known = [card for card in self.adapters(Side.CLIENT) if card and card.line_rate]
        return line_rate_of(known, None)[0] if known else None

    @property
    def own_line_rate_bps(self) -> float | None:
        """Line rate of the slower adapter, else of the slowest link of the record. [bit/s]"""
        links = [each for each in (self.record.stages if self.record else ()) if _is_link(each)]
        rates_bps = [each.line_rate.rate_bps for each in links if each.line_rate]
        return self.adapters_line_rate_bps or min(rates_bps, default=None)

    def loading_capacities(self, sending: Side, source: Side) -> tuple[Capacity, ...]:
        """Return rates, given and recorded, that limit the source, where `sending` sends more."""
        cards = dict(zip(Side, self.adapters(sending), strict=True))
        others = {source: "in", source.other: "out", None: ""}
        known = _capacities(self.capacities, cards)
        return tuple(dict.fromkeys(each for end, each in known if each.direction != others[end]))

    def path(self, sending: Side = Side.CLIENT) -> Path:
        """
        Return the path without costs and distance, where this side sends more; composed once.

        Stages of the client, the adapters with the line, what lies between, and the stages of the
        server. A stage that serves each direction with its own servers is two; a capacity and a
        delay are one of their own.

        Raises
        ------
        ContradictionError
            If nothing of it limits a rate, limits that were measured on an adapter cannot be true
            together, an adapter is slower than the line rate given, or stages and a host both have
            CPU times of the host.
        AmbiguousValueError
            If a line rate is only known as a range.
        """
        if self.is_unbounded:
            assert self.record is not None
            raise ContradictionError(
                f"{self.record.id}: {NO_LINE}, so it has no rates: give the line rate and "
                "adapters, or let netmodel compare print its ratios"
            )
        more = self.client_cost or self.server_cost or self.distance
        bare = replace(self, client_cost=None, server_cost=None, distance=None) if more else self
        return _composed(bare, sending, *(each.text for each in self.capacities))

    def path_of(self, traffic: Traffic, sending: Side | None = None) -> Path:
        """Return the path of this traffic with the given CPU costs and distance."""
        base = self.path(traffic.sender if sending is None else sending)
        if traffic.connection_count is None:
            way = DIRECTION_AT[traffic.sender, "out"]
            own = (x for x in base.stages if x.capacity and x.is_serial and getattr(x, way).named)
            lack = f"limits nothing without {argument('connections', '--connections')}"
            texts = dict.fromkeys(f"capacity {each.capacity}: {lack}" for each in own)
            base = replace(base, mixed_notes=(*texts, *base.mixed_notes)) if texts else base
        costs = {Side.CLIENT: self.client_cost, Side.SERVER: self.server_cost}
        path = with_given_costs(base, traffic, costs, self.hosts)
        return path if self.distance is None else over_distance(path, self.distance)


# ---- CPU costs that are given as one figure


def with_given_costs(
    path: Path,
    traffic: Traffic,
    costs: Mapping[Side, CpuCost | None],
    hosts: "Mapping[Side, Host | None]",
) -> Path:
    """
    Return the path with the CPU cost of each side that is given as one figure.

    Parameters
    ----------
    path : Path
        Without CPU times of these sides.
    traffic : Traffic
        What is exchanged, which converts a cost per transaction.
    costs : mapping of Side to CpuCost or None
        None where a side has none.
    hosts : mapping of Side to Host or None
        Whose CPUs are counted; None where their number is not known.

    Returns
    -------
    path : Path
        With a stage such as ``"client_cost"`` on the pool ``"client_cpus"``: it takes CPU time,
        and bounds the rate where the number of CPUs is known. Where in a transaction that time
        falls is not known, so it adds no latency.

    Raises
    ------
    ContradictionError
        If the path has CPU times of the side, or the cost and the host count different CPU time.
    """
    given = {side: cost for side, cost in costs.items() if cost is not None}
    if not given:
        return path
    of_both = [*chain.from_iterable(host_unknown(None, side) for side in Side), NETWORK]
    unknown = [*chain(*(of_both if x == HOSTS_AND_NETWORK else [x] for x in path.unknown))]
    stages, notes = list(path.stages), list(path.notes)
    pools = {pool.name: pool for pool in path.pools}
    # what a plan or a comparison rests on: which cost is used in which case, and of which sides
    cases: dict[tuple[str, str], list[str]] = {}
    for side, cost in given.items():
        host, whose = hosts[side], side.value
        if path.cpu_stages(side):
            owner = host.id if host is not None and host.has_cpu_times else "the path"
            raise ContradictionError(
                f"the CPU cost of the {whose} is given, and {owner} has CPU times of the {whose}: "
                "leave one of them out"
            )
        pool = pools[host_pool_name(side)] = _pool_of_cost(cost, side, host)
        per_byte_s: Parameter = (middle_s := cost.per_byte_s(traffic.exchanged_bytes))
        if cost.has_range:  # of a printed ratio, its value as printed
            is_figure = not np.any(cost.spread_ratio)
            per_byte_s = Interval(*cost.range_of(middle_s), has_figure=is_figure)
        times = Times(per_byte_s=per_byte_s)
        stage = Stage(name=f"{whose}_cost", side=side, pool=pool.name, parallel_count=None)
        stage = replace(stage, to_server=times, to_client=times, delays=False)
        stages.insert(0 if side is Side.CLIENT else len(stages), stage)
        lacking = {*host_unknown(None, side), *host_unknown(host, side)}
        is_counted = pool.parallel_count is not None
        unknown = [part for part in unknown if part not in lacking]
        unknown.append(f"CPU latency {'' if is_counted else 'and number of CPUs '}of the {whose}")
        if host is not None and is_counted:
            notes += cpu_notes(whose, host)
        for case in _cases_of_cost(cost, traffic):
            cases.setdefault(case, []).append(whose)
    # costs that may be of another kind of traffic first
    known_cases = sorted(cases.items(), key=lambda each: each[0][0], reverse=True)
    said = (f"{lead} {' and '.join(who)}{text}" for (lead, text), who in known_cases)
    return replace(
        path,
        stages=tuple(stages),
        pools=tuple(sorted(pools.values(), key=lambda pool: pool.side is Side.SERVER)),
        unknown=tuple(unknown),
        notes=tuple(notes),
        mixed_notes=(*path.mixed_notes, *said),
    )


def _cases_of_cost(cost: CpuCost, traffic: Traffic) -> Iterator[tuple[str, str]]:
    """Yield notes on a cost in this case: the text before and after the name of the side."""
    if cost.carried_ratios is not None:
        yield "CPU cost of the", f": {cost.carried_text}"
        return
    if traffic.waits and cost.s_per_transaction is None:
        yield "cost of the", " per data: must come from a request-response run"
    elif not traffic.waits and cost.s_per_transaction is not None:
        yield "cost of the", " per transaction on a stream: each write counts as one transaction"
    yield "CPU cost of the", " as given: no change with MTU, message or connections"


def _pool_of_cost(cost: CpuCost, side: Side, host: "Host | None") -> Pool:
    """Return the CPU pool of a given cost: that of the host, or one of unknown size."""
    if host is None:
        basis = cost.time_basis or "core"
        threads = _THREADS_OF_SMT if basis == "thread" else 1
        name = host_pool_name(side)
        return Pool(name, None, side, time_basis=basis, threads_per_core=threads, cost=cost)
    of_host = host.cpu_time_basis
    if of_host and cost.time_basis and of_host != cost.time_basis:
        raise ContradictionError(
            f"the CPU cost of the {side.value} is {cost.time_basis} time, and {host.id} counts "
            f"{of_host} time: convert one of them"
        )
    if cost.time_basis is not None:
        host = host.model_copy(update={"cpu_time_basis": cost.time_basis})
    return replace(host_pool(host, side), cost=cost)
