"""Stages, pools and service times of a path."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from netmodel.ceilings import ByteLayer, Capacity
from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.errors import DomainError
from netmodel.grades import Grade
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray, require_above, require_at_least, require_at_most
from netmodel.path.ensemble import Parameter, is_nothing, is_one, require_a, require_parameter
from netmodel.results import Result, fields_repr
from netmodel.transport import MAX_WINDOW_BYTES
from netmodel.units import format_time

TIMES_OF_MESSAGES = ("per_message_s", "per_wakeup_s")
"""Times that a message takes once, however many frames it has."""
TIME_NAMES = (*TIMES_OF_MESSAGES, "per_interrupt_s", "per_frame_s", "per_ack_s", "per_byte_s")
"""All times of a stage."""
BATCH_NAMES = ("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet")
"""How many share a wake-up, an interrupt and the time of a packet: 1 unless said."""
COUNT_NAMES = (*BATCH_NAMES, "segments_per_ack")

Direction: TypeAlias = Literal["to_server", "to_client"]
DIRECTIONS: tuple[Direction, Direction] = ("to_server", "to_client")
"""The two directions of a path."""
DIRECTION_AT: dict[tuple[Side, str], Direction] = {
    (Side.CLIENT, "out"): "to_server",
    (Side.CLIENT, "in"): "to_client",
    (Side.SERVER, "out"): "to_client",
    (Side.SERVER, "in"): "to_server",
}
"""Direction on the path of what leaves and enters the host of each side."""

ADAPTER_STAGES = {
    f"{side.value}_adapter_{direction}": on_path
    for (side, direction), on_path in DIRECTION_AT.items()
}
"""Direction on the path of what passes each direction of the adapters, by the name of its stage."""
LINE_STAGES = ("wire_to_server", "wire_to_client")
"""Names of the two directions of the line between two adapters."""


NO_LINE = "line rate and limits not known"
"""Why nothing bounds the rate of a path."""


class ValidityRange(NamedTuple):
    """
    Frames that service times were calibrated for.

    Parameters
    ----------
    low_payload_bytes, high_payload_bytes : float
        Smallest and largest payload of a frame. [byte]
    note : str
        What a reader should know of results with other frames.

    Examples
    --------
    >>> ValidityRange(1448, 8948, "smaller frames may be slower").low_payload_bytes
    1448
    """

    low_payload_bytes: float
    high_payload_bytes: float
    note: str


def require_count(name: str, count: Parameter | None) -> Parameter | None:
    """Return a count that is above zero; None for one that is not there."""
    return None if count is None else require_parameter(name, count, 0, "", require_above)


@dataclass(frozen=True)
class Times:
    """
    Service times of a stage in one direction.

    Parameters
    ----------
    per_message_s, per_frame_s, per_byte_s : float, array_like, Interval or Joint
        On each message, each frame or packet, and each byte. [s]
    per_wakeup_s, per_interrupt_s : float, array_like, Interval or Joint
        On each wake-up, which messages share, and each interrupt, which frames share. [s]
    per_ack_s : float, array_like, Interval or Joint, optional
        On each pure acknowledgement, in place of what a frame takes; None
        where it takes what a frame does. [s]
    validity : ValidityRange, optional
        Frames that the times were calibrated for; others make a note.
    is_complete : bool
        Whether nothing that it spends is left out. Where something is, CPU cost of its
        side is predicted for messages of one frame of `validity` at most, and never where
        there is none.
    grades : mapping of str to Grade
        How good the evidence for them is, by their names.
    named : tuple of (str, float, array_like, Interval or Joint)
        Name and value of each time that is there; not an argument.

    Raises
    ------
    DomainError
        If a time is negative or infinite.

    Examples
    --------
    >>> Times(per_frame_s=0.5e-6, per_byte_s=0.25e-9).per_message_s
    0
    """

    per_message_s: Parameter = 0
    per_frame_s: Parameter = 0
    per_byte_s: Parameter = 0
    per_wakeup_s: Parameter = 0
    per_interrupt_s: Parameter = 0
    per_ack_s: Parameter | None = None
    validity: ValidityRange | None = None
    is_complete: bool = True
    grades: Mapping[str, Grade] = field(default_factory=dict, hash=False)
    named: tuple[tuple[str, Parameter], ...] = field(init=False, repr=False, compare=False)

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        named = []
        for name in TIME_NAMES:
            value = getattr(self, name)
            if is_nothing(value) or (value is None and name == "per_ack_s"):
                continue
            value = require_parameter(name, value, 0, "s")
            object.__setattr__(self, name, value)
            named.append((name, value))
        object.__setattr__(self, "named", tuple(named))


NO_TIME = Times()


@dataclass(frozen=True, kw_only=True)
class Stage:
    """
    A place where transactions take time, a limited number of them at once.

    Everything between two applications is a stage: a CPU that handles
    packets, one direction of an adapter or of a line, a hypervisor, a rate cap,
    a fibre. What serves both directions with the same servers is one stage;
    what serves each with its own is two.

    Parameters
    ----------
    name : str
        What to call it in results.
    to_server, to_client : Times
        What it spends on each direction; nothing when left out.
    parallel_count : float, array_like, Interval or Joint, optional
        How many it serves at a time: queues, CPUs, members of an aggregate.
        None where there is no limit of its own: a pure delay, or a stage that
        may use a whole pool.
    pool : str, optional
        Name of the pool that its time is taken from.
    hashes_flows : bool
        Whether each connection stays on one of its servers, chosen by a hash.
    is_serial : bool
        Whether a connection keeps no more than one of its servers busy, as a
        thread does with CPUs.
    delays : bool
        Whether a transaction waits for it when no other is in progress. A
        rate cap does not delay.
    byte_layer : ByteLayer
        Which bytes its time per byte counts.
    capacity : Capacity, optional
        What its time per byte is of, at the first rate of a bucket.
    messages_per_wakeup, frames_per_interrupt : float, array_like, Interval or Joint
        How many share each, at least 1.
    segments_per_packet : float, array_like, Interval or Joint
        Segments in each packet that it handles, where large send or receive
        makes one of several.
    segments_per_ack : float, array_like, Interval or Joint, optional
        Frames that one pure acknowledgement answers, beyond those that messages of the other
        direction answer; where the traffic does not say. None: they take no time.
    ratio : float or array_like
        Factor of all its times.
    side : Side, optional
        Whose it is.
    grades : mapping of str to Grade
        How good the evidence for its counts is, by their names.
    parameters : tuple of float, array_like, Interval or Joint
        Everything of it that may be uncertain; not an argument.

    Raises
    ------
    DomainError
        If a count is not above zero, or flows are hashed to servers without a number.

    Examples
    --------
    One direction of a line of 25 Gbit/s:

    >>> line = Stage(
    ...     name="wire", to_server=Times(per_byte_s=8 / 25e9), byte_layer=ByteLayer.WIRE
    ... )
    >>> line.is_delay
    False
    """

    name: str
    to_server: Times = NO_TIME
    to_client: Times = NO_TIME
    parallel_count: Parameter | None = 1
    pool: str | None = None
    hashes_flows: bool = False
    is_serial: bool = False
    delays: bool = True
    byte_layer: ByteLayer = ByteLayer.PAYLOAD
    capacity: Capacity | None = None
    messages_per_wakeup: Parameter = 1
    frames_per_interrupt: Parameter = 1
    segments_per_packet: Parameter = 1
    segments_per_ack: Parameter | None = None
    ratio: FloatOrArray = 1
    side: Side | None = None
    grades: Mapping[str, Grade] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = field(init=False, repr=False, compare=False)

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        for direction in DIRECTIONS:
            require_a(f"{direction} of stage {self.name}", getattr(self, direction), Times)
        if self.hashes_flows and self.parallel_count is None:
            raise DomainError(
                f"stage {self.name!r} hashes flows to servers: give parallel_count, their number"
            )
        count = require_count(f"parallel_count of {self.name}", self.parallel_count)
        object.__setattr__(self, "parallel_count", count)
        parameters = [value for _, value in (*self.to_server.named, *self.to_client.named)]
        for name in COUNT_NAMES:
            if not (getattr(self, name) is None or is_one(getattr(self, name))):
                value = require_parameter(f"{name} of {self.name}", getattr(self, name), 1, "")
                object.__setattr__(self, name, value)
                parameters.append(value)
        if count is not None:
            parameters.append(count)
        object.__setattr__(self, "parameters", tuple(parameters))

    @property
    def is_delay(self) -> bool:
        """True if any number may be in it at once, as in a fibre."""
        return self.parallel_count is None and self.pool is None

    @property
    def is_assumed(self) -> bool:
        """True if a time of it is assumed, so that its limit refutes no measurement."""
        return Grade.ASSUMED in {*self.to_server.grades.values(), *self.to_client.grades.values()}

    def changed(self, change: Callable[[Parameter], Parameter]) -> "Stage":
        """Return the stage with every time changed by a function; itself if none changes."""
        made: dict[str, Times] = {}
        for direction in DIRECTIONS:
            times: Times = getattr(self, direction)
            new: dict[str, Any] = {name: change(value) for name, value in times.named}
            if any(new[name] is not value for name, value in times.named):
                made[direction] = replace(times, **new)
        return replace(self, **made) if made else self  # type: ignore[arg-type]


@dataclass(frozen=True)
class Pool:
    """
    CPUs that several stages share, such as those of a host.

    Parameters
    ----------
    name : str
        What the stages call it.
    parallel_count : float, array_like, Interval or Joint, optional
        How many CPUs it has, in the time basis of the stages; None where
        that is not known.
    side : Side, optional
        Whose it is; None for a machine between the sides.
    time_basis : str
        What a second of its stages is a second of.
    grade : Grade, optional
        How good the evidence for the count is.
    smt_gain : float, array_like, Interval or Joint
        Of core time: work of a core with two busy threads over that with one.
    threads_per_core : float
        Of thread time: threads that a core has.
    cost : CpuCost, optional
        The cost that its time was given as; None where it comes from service times.

    Raises
    ------
    DomainError
        If the count is not above zero.

    Examples
    --------
    >>> Pool("client-cpu", 8, Side.CLIENT).time_basis
    'CPU'
    """

    name: str
    parallel_count: Parameter | None
    side: Side | None = None
    time_basis: str = "CPU"
    grade: Grade | None = None
    smt_gain: Parameter = 1
    threads_per_core: float = 1
    cost: CpuCost | None = None

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        count = require_count(f"parallel_count of {self.name}", self.parallel_count)
        object.__setattr__(self, "parallel_count", count)


SMCR_STACK = "ethernet/rocev1/smcr"
"""Headers of SMC-R, version 1 of which runs over RoCE version 1 (RFC 7609, section 1.1)."""
_LENGTH_DIGITS = 6
"""Of a length in a sentence: a metre in a thousand kilometres."""
_TIME_DIGITS = 4
"""Of a round trip in a sentence, as routers print it."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Distance(Result):
    """
    Distance between two sites: round trip, window, loss and protocol.

    Parameters
    ----------
    round_trip_s : float or array_like, optional
        Time there and back between the sites, without queues; None leaves the delays of the
        path as they are. [s]
    window_bytes : float or array_like, optional
        Payload that each connection may have in flight: the smallest of its windows and
        buffers, over SMC-R the peer's memory buffer (RMBE); None leaves that of the path. [byte]
    loss_ratio : float or array_like, optional
        Share of packets that are lost, independently of each other.
    protocol : {"tcp", "smc-r"}
        Protocol that carries the data of sockets.
    distance_km : float or array_like, optional
        Way between the sites that the round trip follows from. [km]

    Raises
    ------
    DomainError
        If a time or distance is negative, a window is below 1 byte or, over TCP, above the
        largest that TCP can announce, or a ratio is negative, or 1 or more.

    Examples
    --------
    >>> print(Distance(round_trip_s=0.35e-3, window_bytes=2**18))
    a round trip of 350 µs
    """

    round_trip_s: FloatOrArray | None = None
    window_bytes: FloatOrArray | None = None
    loss_ratio: FloatOrArray | None = None
    protocol: Literal["tcp", "smc-r"] = "tcp"
    distance_km: FloatOrArray | None = None

    json_keys = "distance_km round_trip_s window_bytes loss_ratio protocol"

    def __post_init__(self) -> None:
        least = {"round_trip_s": (0, "s"), "distance_km": (0, "km")}
        least |= {"window_bytes": (1, "byte"), "loss_ratio": (0, "")}
        for name, (limit, unit) in least.items():
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, require_at_least(name, given, limit, unit))
        if self.window_bytes is not None and self.protocol == "tcp":
            require_at_most("window_bytes", self.window_bytes, MAX_WINDOW_BYTES, "byte")
        if self.loss_ratio is not None and np.any(np.asarray(self.loss_ratio) >= 1):
            raise DomainError("loss_ratio must be below 1: all packets would be lost")

    def __str__(self) -> str:
        if self.distance_km is not None:
            return f"{float(self.distance_km):.{_LENGTH_DIGITS}g} km"
        if self.round_trip_s is not None:
            return f"a round trip of {format_time(float(self.round_trip_s), _TIME_DIGITS)}"
        return self.protocol


EVERY_HOP_MTU = "mtu"
"""Name of the setting that is no offload: every hop of the path needs the MTU."""


class Setting(NamedTuple):
    """
    A setting that service times or limits of a record were measured with.

    Parameters
    ----------
    of : str
        Id of the record.
    name : str
        As ethtool has it, such as ``"tso"``, or the system, such as ``"mtu_bypass"``; ``"mtu"``
        for the rule on the hops of the path.
    value : str
        ``"on"`` or ``"off"``; of the MTU, where it is needed.
    source, locator : str
        Document and place.
    note : str
        What the record says of it.

    """

    of: str
    name: str
    value: str
    source: str
    locator: str
    note: str


def settings_text(settings: Sequence[Setting]) -> str:
    """Return all settings in a line: offloads by adapter, and whether every hop needs the MTU."""
    by_adapter: dict[str, dict[str, list[str]]] = {}
    for each in settings:
        if each.name != EVERY_HOP_MTU:
            by_adapter.setdefault(each.of, {}).setdefault(each.value, []).append(each.name)
    texts = []
    for of, values in by_adapter.items():
        switched = (f"{', '.join(names)} {value}" for value, names in values.items())
        texts.append(f"{of}: {' and '.join(switched)}")
    hops = dict.fromkeys(each.value for each in settings if each.name == EVERY_HOP_MTU)
    texts += [f"MTU on {value}" for value in hops]
    return "; ".join(texts)


@dataclass(frozen=True, kw_only=True)
class Path:
    """
    Stages between a client and a server, and the pools that they share.

    Parameters
    ----------
    stages : tuple of Stage
        From the client to the server. The order matters to expected times of messages of several
        frames alone.
    pools : tuple of Pool
        Those that the stages name.
    window_bytes : float, array_like, Interval or Joint, optional
        Payload that each connection may have in flight; None where it does not limit. [byte]
    window_grade : Grade, optional
        How good the evidence for it is.
    unknown : tuple of str
        Parts that are not modelled. Where there are any, limits are upper bounds, and
        latency is not predicted.
    notes : tuple of str
        What a reader of a prediction should know.
    name : str
        What it is called in titles, such as the id of its record; no part of a comparison.
    settings : tuple of Setting
        What its equipment was measured with, such as offloads.
    loss_ratio : float, array_like, Interval or Joint, optional
        Share of packets that are lost, independently of each other; None where it does not limit.
    mixed_notes : tuple of str
        Where CPU time or costs of several kinds meet, or a cost is used in another case: what a
        reader should know first.
    distance : Distance, optional
        What lies between two sites, where that was given; no part of a comparison.

    Raises
    ------
    DomainError
        If there is no stage, two stages or pools have the same name, a stage
        names a pool that is not there.

    Examples
    --------
    >>> from netmodel.path import Stage, Times
    >>> path = Path(stages=(Stage(name="cpu", to_server=Times(per_message_s=6e-6)),))
    >>> path.stages[0].to_server.per_message_s
    6e-06
    """

    stages: tuple[Stage, ...]
    pools: tuple[Pool, ...] = ()
    window_bytes: Parameter | None = None
    window_grade: Grade | None = None
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    name: str = field(default="", compare=False)
    settings: tuple[Setting, ...] = ()
    loss_ratio: Parameter | None = None
    mixed_notes: tuple[str, ...] = ()
    distance: Distance | None = field(default=None, compare=False)

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        for name, wanted in (("stages", Stage), ("pools", Pool)):
            given = getattr(self, name)
            if isinstance(given, str) or not isinstance(given, Iterable):
                require_a(f"{name} of a path", given, tuple, f"write {name}=(...,)")
            object.__setattr__(self, name, tuple(given))
            for number, item in enumerate(getattr(self, name)):
                require_a(f"{name}[{number}] of a path", item, wanted)
        if not self.stages:
            raise DomainError("a path needs at least one stage")
        pools = {pool.name for pool in self.pools}
        names = [*(stage.name for stage in self.stages), *(pool.name for pool in self.pools)]
        taken = {"window", "loss", "connections"}  # names of limits that are no stage
        for name in names:
            if name in taken:
                raise DomainError(f"two stages or pools have the name {name!r}")
            taken.add(name)
        for stage in self.stages:
            if stage.pool is not None and stage.pool not in pools:
                raise DomainError(f"stage {stage.name!r} names a pool {stage.pool!r}, not known")
        for name, least, unit in (("window_bytes", 1, "byte"), ("loss_ratio", 0, "")):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, require_parameter(name, given, least, unit))

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Everything that may be uncertain."""
        others = (*(pool.parallel_count for pool in self.pools), self.window_bytes, self.loss_ratio)
        of_stages = (value for stage in self.stages for value in stage.parameters)
        return *of_stages, *(value for value in others if value is not None)

    def cpu_stages(self, side: Side) -> tuple[Stage, ...]:
        """Stages that take CPU time of a side: that of their pool, else their own."""
        pools = {pool.name: pool for pool in self.pools}
        return tuple(
            stage
            for stage in self.stages
            if stage.pool in pools and (pools[stage.pool].side or stage.side) is side
        )


def host_pool_name(side: Side) -> str:
    """Return the name of the CPU pool of a side."""
    return f"{side.value}_cpus"
