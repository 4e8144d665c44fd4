"""Paths from records: what a file tells of its stages, as numbers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from netmodel._estimates import Estimate
from netmodel._grades import Grade
from netmodel.consumption import Side, smt_capacity_core_count
from netmodel.errors import ContradictionError
from netmodel.path._adapters import (
    LINE_STAGES,
    WAYS,
    adapter_notes,
    adapter_stages,
    line_rate_of,
    wire_stages,
)
from netmodel.path._path import Path
from netmodel.path._reference import Reference
from netmodel.path._stage import Pool, Stage
from netmodel.path._told import Told, notes_of, parameter_of, timed, told_times
from netmodel.path._traffic import ByteLayer
from netmodel.path._uncertain import Interval, Parameter
from netmodel.transport import propagation_delay_s
from netmodel.units import BITS_PER_BYTE, format_rate

if TYPE_CHECKING:
    from netmodel.records import Adapter, Host, NetworkPath, PathPool, PathStage, Value

__all__ = ["recorded_path"]

_WAYS = ("to_server", "to_client")
_SEEN_FROM = {(side, way): direction for (side, direction), way in WAYS.items()}
_NO_GAIN = (
    "its CPUs have several threads, and smt_gain is not told: taken as that many cores, "
    "and up to that many threads"
)


def recorded_path(
    record: "NetworkPath",
    client: "Adapter | None" = None,
    server: "Adapter | None" = None,
    line_rate_bps: float | None = None,
) -> Path:
    """
    The path that a record describes.

    Parameters
    ----------
    record : NetworkPath
        From the catalog, or from a file.
    client : Adapter, optional
        In place of the adapter that the record has at this end.
    server : Adapter, optional
        Likewise.
    line_rate_bps : float, optional
        MAC rate of the line between them; that of its link or of the slower
        adapter when left out. [bit/s]

    Returns
    -------
    path : Path
        Stages of the client, the adapters with the line, what lies between,
        and the stages of the server. A stage that serves each direction with
        its own servers is two; a rate cap and a delay are one of their own.

    Raises
    ------
    ContradictionError
        If limits that were seen on an adapter cannot be true together, an
        adapter is slower than the line rate stated, or a stage with the name
        of the line has another rate.
    DomainError
        If two stages or pools get the same name.

    Examples
    --------
    >>> from netmodel.path import Traffic, predict
    >>> from netmodel.records import network_path
    >>> path = recorded_path(network_path("worked-closed-network"))
    >>> prediction = predict(path, Traffic(200, 1000, connection_count=250), 1500)
    >>> round(prediction.transaction_rate_tps.value), prediction.ties
    (166667, ('client-queue', 'server-queue'))
    """
    cards = {
        Side.CLIENT: client or record.client_adapter,
        Side.SERVER: server or record.server_adapter,
    }
    own = {
        side: [
            made
            for stage in record.stages
            if stage.side is side
            for made in _stages(stage, cards[side] if side else None)
        ]
        for side in (Side.CLIENT, None, Side.SERVER)
    }
    return Path(
        stages=(
            *own[Side.CLIENT],
            *_ends(record, cards, line_rate_bps, [*chain.from_iterable(own.values())]),
            *own[None],
            *own[Side.SERVER],
        ),
        pools=tuple(_pools(record)),
        window_bytes=record.window and parameter_of(record.window.size_bytes_estimate),
        window_grade=record.window.grade if record.window else None,
        unknown=(*record.unknown, *_without_cpus(record)),
        notes=tuple(_notes(record, cards.values())),
        reference=_reference(record),
    )


def _reference(record: "NetworkPath") -> Reference | None:
    told = record.reference
    if told is None:
        return None
    return Reference(
        told.mtu.size_bytes if told.mtu else None,
        {name: parameter_of(count.number_estimate) for name, count in told.pools.items()},
        {name: parameter_of(ratio.number_estimate) for name, ratio in told.times.items()},
    )


def _ends(
    record: "NetworkPath",
    cards: "Mapping[Side, Adapter | None]",
    line_rate_bps: float | None,
    own: list[Stage],
) -> Iterator[Stage]:
    """Adapters and the line between them, as far as there are any and no stage is the line."""
    client, server, link = cards[Side.CLIENT], cards[Side.SERVER], record.link_record
    known = [card for card in (client, server) if card]
    stated_grade = None
    if line_rate_bps is None and link is not None and link.line_rate is not None:
        line_rate_bps, stated_grade = link.line_rate_bps, link.line_rate.grade
    if client:
        yield from adapter_stages(client, Side.CLIENT)
    if known or line_rate_bps is not None:
        rate_bps, grade = line_rate_of(known, line_rate_bps)
        if not _has_line(own, rate_bps):
            yield from wire_stages(rate_bps, grade or stated_grade)
    if link is not None and link.distance is not None:
        delay_s = parameter_of(_propagation(link.distance))
        told = Told({"per_message_s": (delay_s, link.distance.grade)})
        yield timed(Stage(name="link_delay", parallel_count=None), told, told)
    if server:
        yield from reversed(adapter_stages(server, Side.SERVER))


def _has_line(own: list[Stage], rate_bps: float) -> bool:
    """Whether stages of the record are the line itself, by their names; it then has this rate."""
    lines = [one for one in own if one.name in LINE_STAGES]
    for line in lines:
        times = line.to_server if line.name == LINE_STAGES[0] else line.to_client
        if times.per_byte_s != BITS_PER_BYTE / rate_bps:
            raise ContradictionError(
                f"the line is {format_rate(rate_bps)}, but stage {line.name} of the path is "
                "another one: give it another name or this rate"
            )
    return bool(lines)


def _stages(stage: "PathStage", card: "Adapter | None") -> Iterator[Stage]:
    """What a record calls one stage: its servers by direction, its caps, its delays."""
    pieces = list(_pieces(stage, card))
    for suffix, made, to_server, to_client in pieces:
        named = replace(made, name=stage.name + suffix * (len(pieces) > 1))
        shares = stage.shares_directions if made.delays else stage.shared_engine
        if shares or made.is_delay or not (to_server and to_client):
            yield timed(named, to_server, to_client)
        else:
            yield timed(_of_way(named, stage, "to_server"), to_server, Told())
            yield timed(_of_way(named, stage, "to_client"), Told(), to_client)


def _pieces(stage: "PathStage", card: "Adapter | None") -> Iterator[tuple[str, Stage, Told, Told]]:
    """Parts that limit or delay each for itself, with what the name of each ends in."""
    plain = Stage(
        name=stage.name,
        byte_layer=ByteLayer(stage.layer),
        stack=stage.header_stack,
        segments_per_packet=_count(stage.segments_per_packet) or 1,
        mtu_bytes=stage.mtu.size_bytes if stage.mtu else None,
        side=stage.side,
        factor=stage.factor_name,
    )
    times = [_times(stage, way) for way in _WAYS]
    if any(times):
        serving = replace(
            plain,
            parallel_count=_server_count(stage, card),
            pool=_pool_name(stage),
            hashes_flows=stage.traits.spreads_flows,
            is_serial=stage.is_serial,
            grades=dict(_count_grades(stage, card)),
        )
        yield "", serving, times[0], times[1]
    for suffix, cap in (
        ("_cap", _byte_time(stage.rate_cap)),
        ("_frame_cap", _frame_time(stage.frame_rate_cap)),
    ):
        if cap:
            yield suffix, replace(plain, delays=False), cap, cap
    for suffix, delay in (("_delay", stage.delay), ("_distance", stage.distance)):
        if delay is not None:
            known = delay.time_s_estimate if delay is stage.delay else _propagation(delay)
            told = Told({"per_message_s": (parameter_of(known), delay.grade)})
            yield suffix, replace(plain, parallel_count=None), told, told
    if not any(times) and plain.mtu_bytes is not None:
        yield "_mtu", plain, Told(), Told()


def _times(stage: "PathStage", way: str) -> Told:
    """Times of a stage in one direction."""
    times = stage.times_to_server if way == "to_server" else stage.times_to_client
    told = told_times(times, f"{stage.name} {way}") if times else Told()
    line = _byte_time(stage.line_rate)
    if line and "per_byte_s" in told.figures:
        raise ContradictionError(f"{stage.name}: line_rate and per_byte tell the same time")
    return replace(told, figures={**told.figures, **line.figures})


def _byte_time(rate: "Value | None") -> Told:
    if rate is None:
        return Told()
    time_s = _inverse(rate, rate.rate_bps_estimate, BITS_PER_BYTE)
    return Told({"per_byte_s": (time_s, rate.grade)})


def _frame_time(rate: "Value | None") -> Told:
    if rate is None:
        return Told()
    time_s = _inverse(rate, rate.frame_rate_fps_estimate, 1)
    return Told({"per_frame_s": (time_s, rate.grade)})


def _inverse(rate: "Value", known: Estimate, amount: float) -> Parameter:
    """Time of an amount at a rate; one that is printed alone was set, and is exact."""
    value, low, high = known
    if rate.relation.value == "equal" or low <= 0:
        return amount / value
    return Interval(amount / value, amount / high, amount / low)


def _propagation(distance: "Value") -> Estimate:
    known = distance.length_m_estimate
    return Estimate(*(propagation_delay_s(one) for one in known))


def _of_way(made: Stage, stage: "PathStage", way: str) -> Stage:
    """The stage with the name of its direction: as seen from its host, where it has one."""
    direction = _SEEN_FROM[stage.side, way] if stage.side else way
    return replace(made, name=f"{made.name}_{direction}")


def _count(value: "Value | None") -> Parameter | None:
    return None if value is None else parameter_of(value.number_estimate)


def _count_grades(stage: "PathStage", card: "Adapter | None") -> Iterator[tuple[str, Grade]]:
    """Grades of how many it serves at a time, and of the segments in its packets."""
    queues = card.receive_queue_count if card and _has_queues(stage) else None
    counts = {
        "parallel_count": stage.servers or queues,
        "segments_per_packet": stage.segments_per_packet,
    }
    yield from ((name, count.grade) for name, count in counts.items() if count is not None)


def _has_queues(stage: "PathStage") -> bool:
    """Whether its servers are the CPUs of receive queues."""
    return stage.traits.spreads_flows and stage.traits.is_cpu


def _server_count(stage: "PathStage", card: "Adapter | None") -> Parameter | None:
    """How many it serves at a time; None where only its pool limits it."""
    if stage.servers is not None:
        return _count(stage.servers)
    if _has_queues(stage) and card and card.receive_queue_count:
        return _count(card.receive_queue_count)
    takes_pool = stage.traits.is_cpu and not stage.traits.spreads_flows
    return None if takes_pool and _pool_name(stage) else 1


def _pool_name(stage: "PathStage") -> str | None:
    """The CPUs that it draws on: those that it names, or those of its side."""
    if stage.pool is not None or stage.side is None or not stage.traits.is_cpu:
        return stage.pool
    return f"{stage.side.value}_cpus"


def _pools(record: "NetworkPath") -> Iterator[Pool]:
    for name, pool in record.pools.items():
        yield _pool(name, pool.side, pool, pool.core_count)
    hosts = {Side.CLIENT: record.client_host, Side.SERVER: record.server_host}
    used = {_pool_name(stage) for stage in record.stages}
    for side, host in hosts.items():
        name = f"{side.value}_cpus"
        if name in used and name not in record.pools:
            if host is None:
                yield Pool(name, None, side)
            else:
                yield _pool(name, side, host, host.core_count or host.processor_count)


def _pool(name: str, side: Side | None, cpus: "PathPool | Host", cores: "Value | None") -> Pool:
    """CPUs in the time basis of the stages: threads, or cores with one busy thread."""
    basis = cpus.cpu_time_basis.value if cpus.cpu_time_basis else "core"
    threads = _thread_count(cpus)
    if cores is None:
        return Pool(name, None, side)
    known = cores.number_estimate
    if threads > 1 and basis == "core" and cpus.smt_gain:
        pairs = zip(known, cpus.smt_gain.number_estimate, strict=True)
        count = [smt_capacity_core_count(core, gain) for core, gain in pairs]
    elif _lacks_gain(cpus):
        count = [known.value, known.low, threads * known.high]
    else:
        count = [core * (threads if basis == "thread" else 1) for core in known]
    grades = [cores.grade]
    if threads > 1:
        told = (cpus.threads_per_core, cpus.smt_gain if basis == "core" else None)
        grades += [value.grade for value in told if value is not None]
    worst = max(grades, key=tuple(Grade).index)
    return Pool(name, parameter_of(Estimate(*count)), side, time_basis=basis, grade=worst)


def _thread_count(cpus: "PathPool | Host") -> float:
    return cpus.threads_per_core.number_estimate.value if cpus.threads_per_core else 1


def _lacks_gain(cpus: "PathPool | Host") -> bool:
    """Whether it is not told what a core with several threads does, though times count cores."""
    counts_threads = cpus.cpu_time_basis is not None and cpus.cpu_time_basis.value == "thread"
    return _thread_count(cpus) > 1 and cpus.smt_gain is None and not counts_threads


def _without_cpus(record: "NetworkPath") -> Iterator[str]:
    for side in Side:
        if not any(stage.side is side and stage.traits.is_cpu for stage in record.stages):
            yield f"CPU times of the {side.value}"


def _notes(record: "NetworkPath", cards: "Iterable[Adapter | None]") -> Iterator[str]:
    yield from notes_of(record.id, record.parts)
    own = record.adapters.values()
    yield from adapter_notes(card for card in cards if card and card not in own)
    for name, cpus in {
        **record.pools,
        "client": record.client_host,
        "server": record.server_host,
    }.items():
        if cpus is not None and _lacks_gain(cpus):
            yield f"{name}: {_NO_GAIN}"
