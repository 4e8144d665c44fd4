"""Paths from records: what a file tells of its stages, as numbers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from netmodel._estimates import Estimate
from netmodel._grades import Grade
from netmodel.ceilings import wire_time_s
from netmodel.consumption import Side
from netmodel.errors import ContradictionError
from netmodel.path._adapters import (
    adapter_notes,
    adapter_stages,
    largest_scatter,
    line_rate_of,
    wire_stages,
)
from netmodel.path._hosts import (
    cpu_notes,
    cpu_pool,
    host_notes,
    host_pool,
    host_pool_name,
    host_stages,
    host_unknown,
)
from netmodel.path._path import (
    COUNT_NAMES,
    DIRECTION_AT,
    DIRECTIONS,
    LINE_STAGES,
    ByteLayer,
    Direction,
    Gain,
    Path,
    Pool,
    Reference,
    Stage,
)
from netmodel.path._told import (
    Told,
    has_figure,
    notes_of,
    parameter_of,
    timed,
    timed_one_way,
    told_times,
)
from netmodel.path._uncertain import Interval, Parameter
from netmodel.transport import propagation_delay_s
from netmodel.units import BITS_PER_BYTE, format_rate

if TYPE_CHECKING:
    from netmodel.records import (
        Adapter,
        Host,
        PathRecord,
        Value,
    )
    from netmodel.records._references import PathGain
    from netmodel.records._stages import PathStage

__all__ = ["recorded_path"]

_SEEN_FROM = {(side, way): direction for (side, direction), way in DIRECTION_AT.items()}
_OF_HOSTS = ("application-cpu", "protocol-cpu", "receive-queue-cpu")
"""Kinds of stages whose times a host tells, where it tells any."""


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
        MAC rate of the line between them; that of its link or of the slower
        adapter when left out. [bit/s]
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
        If limits that were seen on an adapter cannot be true together, an
        adapter is slower than the line rate stated, a stage with the name
        of the line has another rate, or stages and a host both tell CPU times
        of the host.
    DomainError
        If two stages or pools get the same name.

    Examples
    --------
    >>> from netmodel.path import Traffic, predict_path
    >>> from netmodel.records import path_record
    >>> path = recorded_path(path_record("worked-closed-network"))
    >>> prediction = predict_path(path, Traffic(200, 1000, connection_count=250), 1500)
    >>> round(prediction.transaction_rate_tps.value), prediction.ties
    (166667, ('client-queue', 'server-queue'))
    """
    cards = {
        Side.CLIENT: client or record.client_adapter,
        Side.SERVER: server or record.server_adapter,
    }
    hosts = {
        Side.CLIENT: client_host or record.client_host,
        Side.SERVER: server_host or record.server_host,
    }
    _require_told_once(record, hosts)
    own = {
        side: list(_of_side(record, side, cards[side] if side else None))
        for side in (Side.CLIENT, None, Side.SERVER)
    }
    ends = {side: host_stages(host, side) if host else () for side, host in hosts.items()}
    return Path(
        stages=(
            *ends[Side.CLIENT],
            *own[Side.CLIENT],
            *_ends(record, cards, line_rate_bps, [*chain.from_iterable(own.values())]),
            *own[None],
            *own[Side.SERVER],
            *reversed(ends[Side.SERVER]),
        ),
        pools=tuple(_pools(record, hosts)),
        window_bytes=record.window and parameter_of(record.window.size_bytes_estimate),
        window_grade=record.window.grade if record.window else None,
        unknown=(*record.unknown, *_without_cpus(record, hosts)),
        notes=tuple(_notes(record, cards.values(), hosts)),
        reference=_reference(record),
        scatter_ratio=largest_scatter(
            one for one in (*cards.values(), *hosts.values()) if one is not None
        ),
    )


def _of_side(record: "PathRecord", side: Side | None, card: "Adapter | None") -> Iterator[Stage]:
    """Stages that the record has of a side, or between the sides."""
    for stage in record.stages:
        if stage.side is side:
            yield from _stages(stage, card)


def _reference(record: "PathRecord") -> Reference | None:
    told = record.reference
    if told is None:
        return None
    return Reference(
        told.mtu.size_bytes if told.mtu else None,
        {name: parameter_of(count.number_estimate) for name, count in told.pools.items()},
        {name: parameter_of(ratio.number_estimate) for name, ratio in told.times.items()},
        tuple(map(_gain, told.gains)),
    )


def _gain(told: "PathGain") -> Gain:
    """A ratio, of a range the ends as they are printed."""
    ratio = told.ratio
    known = ratio.number_estimate
    ends = (known.low, known.high)
    if ratio.low is not None and ratio.high is not None:
        ends = (float(ratio.low), float(ratio.high))
    return Gain(
        told.mtu.size_bytes,
        *ends,
        None if ratio.value is None else known.value,
        told.of,
        ratio.note or "",
        ratio.grade,
    )


def _require_told_once(record: "PathRecord", hosts: "Mapping[Side, Host | None]") -> None:
    """Refuse CPU times of a host that stages of the path tell as well."""
    for side, host in hosts.items():
        for stage in record.stages:
            if host and host.tells_cost and stage.side is side and stage.kind.value in _OF_HOSTS:
                raise ContradictionError(
                    f"stage {stage.name} of {record.id} and host {host.id} both tell CPU times of "
                    f"the {side.value}: leave one of them out"
                )


def _ends(
    record: "PathRecord",
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
        told = _each_message(_propagation(link.distance), link.distance)
        yield timed(Stage(name="link_delay", parallel_count=None), told, told)
    if server:
        yield from reversed(adapter_stages(server, Side.SERVER))


def _has_line(own: list[Stage], rate_bps: float) -> bool:
    """Whether stages of the record are the line itself, by their names; it then has this rate."""
    lines = [one for one in own if one.name in LINE_STAGES]
    for line in lines:
        times = line.to_server if line.name == LINE_STAGES[0] else line.to_client
        if times.per_byte_s != wire_time_s(rate_bps, 1):
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
            for way, told in zip(DIRECTIONS, (to_server, to_client), strict=True):
                yield timed_one_way(_of_way(named, stage, way), way, told)


def _pieces(stage: "PathStage", card: "Adapter | None") -> Iterator[tuple[str, Stage, Told, Told]]:
    """Parts that limit or delay each for itself, with what the name of each ends in."""
    plain = _plain(stage)
    times = [_times(stage, way) for way in DIRECTIONS]
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
    for suffix, told in _delays(stage):
        yield suffix, replace(plain, parallel_count=None), told, told
    if not any(times) and plain.mtu_bytes is not None:
        yield "_mtu", plain, Told(), Told()


def _plain(stage: "PathStage") -> Stage:
    """What all its pieces have in common."""
    shared: dict[str, Any] = {name: _count(getattr(stage, name)) or 1 for name in COUNT_NAMES}
    return Stage(
        name=stage.name,
        byte_layer=ByteLayer(stage.layer),
        stack=stage.header_stack,
        **shared,
        mtu_bytes=stage.mtu.size_bytes if stage.mtu else None,
        side=stage.side,
        factor=stage.factor_name,
    )


def _delays(stage: "PathStage") -> Iterator[tuple[str, Told]]:
    """Times that each message takes and that nothing is busy with."""
    if stage.delay is not None:
        yield "_delay", _each_message(stage.delay.time_s_estimate, stage.delay)
    if stage.distance is not None:
        yield "_distance", _each_message(_propagation(stage.distance), stage.distance)


def _each_message(time_s: Estimate, source: "Value") -> Told:
    return Told({"per_message_s": (parameter_of(time_s), source.grade)})


def _times(stage: "PathStage", way: Direction) -> Told:
    """Times of a stage in one direction."""
    times = stage.times_to_server if way == "to_server" else stage.times_to_client
    told = told_times(times, f"{stage.name} {way}") if times else Told()
    line = _byte_time(stage.line_rate)
    if line and "per_byte_s" in told.figures:
        raise ContradictionError(f"{stage.name}: line_rate and per_byte tell the same time")
    figures = {**told.figures, **line.figures}
    return replace(told, figures=figures, is_complete=stage.is_complete(way))


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
    return Interval(amount / value, amount / high, amount / low, has_figure(rate))


def _propagation(distance: "Value") -> Estimate:
    known = distance.length_m_estimate
    return Estimate(*(propagation_delay_s(one) for one in known))


def _of_way(made: Stage, stage: "PathStage", way: Direction) -> Stage:
    """The stage with the name of its direction: as seen from its host, where it has one."""
    direction = _SEEN_FROM[stage.side, way] if stage.side else way
    return replace(made, name=f"{made.name}_{direction}")


def _count(value: "Value | None") -> Parameter | None:
    return None if value is None else parameter_of(value.number_estimate)


def _count_grades(stage: "PathStage", card: "Adapter | None") -> Iterator[tuple[str, Grade]]:
    """Grades of how many it serves at a time, and of how many share its times."""
    queues = card.receive_queue_count if card and _has_queues(stage) else None
    counts = {
        "parallel_count": stage.servers or queues,
        **{name: getattr(stage, name) for name in COUNT_NAMES},
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
    return host_pool_name(stage.side)


def _pools(record: "PathRecord", hosts: "Mapping[Side, Host | None]") -> Iterator[Pool]:
    for name, pool in record.pools.items():
        yield cpu_pool(name, pool.side, pool, pool.core_count)
    used = {_pool_name(stage) for stage in record.stages}
    for side, host in hosts.items():
        name = host_pool_name(side)
        is_used = name in used or (host is not None and host.tells_cost)
        if is_used and name not in record.pools:
            yield host_pool(host, side) if host else Pool(name, None, side)


def _without_cpus(record: "PathRecord", hosts: "Mapping[Side, Host | None]") -> Iterator[str]:
    for side, host in hosts.items():
        if not any(stage.side is side and stage.traits.is_cpu for stage in record.stages):
            yield from host_unknown(host, side)


def _notes(
    record: "PathRecord",
    cards: "Iterable[Adapter | None]",
    hosts: "Mapping[Side, Host | None]",
) -> Iterator[str]:
    yield from notes_of(record.id, record.parts)
    own = record.adapters.values()
    yield from adapter_notes(card for card in cards if card and card not in own)
    for name, pool in record.pools.items():
        yield from cpu_notes(name, pool)
    for side, host in hosts.items():
        if host is not None:
            yield from cpu_notes(side.value, host)
            yield from () if host in record.hosts.values() else host_notes(host)
