"""What a path is made of: stages, and the pools that several of them draw on."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from netmodel._grades import Grade
from netmodel._numeric import Quantity
from netmodel._numpy import np
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import Stack
from netmodel.path._traffic import ByteLayer, is_nothing
from netmodel.path._uncertain import Parameter, require_count, require_parameter

__all__ = [
    "COUNT_NAMES",
    "DIRECTIONS",
    "DIRECTION_AT",
    "NO_TIME",
    "TIMES_OF_MESSAGES",
    "TIME_NAMES",
    "Direction",
    "Pool",
    "Stage",
    "Times",
    "ValidityRange",
    "require_unique",
]

TIMES_OF_MESSAGES = ("per_message_s", "per_wakeup_s")
"""Times that a message takes once, however many frames it has."""
TIME_NAMES = (*TIMES_OF_MESSAGES, "per_interrupt_s", "per_frame_s", "per_ack_s", "per_byte_s")
"""All times of a stage."""
COUNT_NAMES = ("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet")
"""How many share a wake-up, an interrupt and the time of a packet."""

Direction: TypeAlias = Literal["to_server", "to_client"]
DIRECTIONS: tuple[Direction, Direction] = ("to_server", "to_client")
"""The two ways on a path."""
DIRECTION_AT: dict[tuple[Side, str], Direction] = {
    (Side.CLIENT, "out"): "to_server",
    (Side.CLIENT, "in"): "to_client",
    (Side.SERVER, "out"): "to_client",
    (Side.SERVER, "in"): "to_server",
}
"""Direction on the path of each direction, which is as seen from the host of a side."""

_Change = Callable[[Parameter, bool], Parameter]
_Changed = TypeVar("_Changed", "Times", "Stage")
_ROUNDING_RATIO = 1e-9


class ValidityRange(NamedTuple):
    """
    Frames with which times were found.

    Parameters
    ----------
    low_payload_bytes, high_payload_bytes : float
        Payload in each frame, at the least and at the most. [byte]
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


@dataclass(frozen=True, slots=True)
class Times:
    """
    What a stage spends on what passes it in one direction.

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
        Frames with which the times were found; others make a warning.
    is_complete : bool
        Whether nothing that it spends is left out. Where something is, CPU time of its
        side is told with messages of one frame of `validity` at most, and never where
        there is none.

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

    def __post_init__(self) -> None:
        for name, value in self.named():
            object.__setattr__(self, name, require_parameter(name, value, 0, "s"))

    def are_found_with(self, frame_payload_bytes: Quantity) -> bool:
        """Whether they were found with frames of this payload, as far as that is told."""
        if self.validity is None:
            return True
        low, high = self.validity.low_payload_bytes, self.validity.high_payload_bytes
        least_one, most = np.min(frame_payload_bytes), np.max(frame_payload_bytes)
        return bool(
            least_one >= low * (1 - _ROUNDING_RATIO) and most <= high * (1 + _ROUNDING_RATIO)
        )

    def changed(self, change: _Change) -> "Times":
        """Every time as the function has it."""
        return _with(self, {name: change(value, True) for name, value in self.named()})

    def named(self) -> Iterator[tuple[str, Parameter]]:
        """Name and value of each time that is there."""
        for name in TIME_NAMES:
            value = getattr(self, name)
            if not is_nothing(value) and (value is not None or name != "per_ack_s"):
                yield name, value


NO_TIME = Times()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """
    A place where transactions take time, and so many at a time at most.

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
        Whether a transaction waits for it when nothing else is under way. A
        rate cap does not delay.
    byte_layer : ByteLayer
        Which bytes its time per byte counts.
    stack : Stack, optional
        Headers of the frames here; those of the path when left out. A tunnel
        that begins in front of it changes them.
    messages_per_wakeup, frames_per_interrupt : float, array_like, Interval or Joint
        How many share each, at least 1.
    segments_per_packet : float, array_like, Interval or Joint
        Segments in each packet that it handles, where large send or receive
        makes one of several.
    mtu_bytes : int, optional
        Largest outermost packet here. [byte]
    side : Side, optional
        Whose it is.
    grades : mapping of str to Grade
        How good the evidence for its parameters is, by their names, such as
        ``"to_server.per_frame_s"``.
    factor : str, optional
        Name of the unknown factor that its times are to be multiplied with, one for
        all stages of the same name; None where they are known as they are.

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
    stack: Stack | None = None
    messages_per_wakeup: Parameter = 1
    frames_per_interrupt: Parameter = 1
    segments_per_packet: Parameter = 1
    mtu_bytes: int | None = None
    side: Side | None = None
    grades: Mapping[str, Grade] = field(default_factory=dict)
    factor: str | None = None

    def __post_init__(self) -> None:
        if self.hashes_flows and self.parallel_count is None:
            raise DomainError(
                f"stage {self.name!r} hashes flows to servers: give parallel_count, their number"
            )
        count = require_count(f"parallel_count of {self.name}", self.parallel_count)
        object.__setattr__(self, "parallel_count", count)
        for name, value in self._shared():
            required = require_parameter(f"{name} of {self.name}", value, 1, "")
            object.__setattr__(self, name, required)

    @property
    def is_delay(self) -> bool:
        """Whether any number may be in it at once, as in a fibre."""
        return self.parallel_count is None and self.pool is None

    @property
    def reversed(self) -> "Stage":
        """The same with client and server exchanged; grades go with their times."""
        return replace(
            self,
            to_server=self.to_client,
            to_client=self.to_server,
            side=self.side and self.side.other,
            grades={_other_way(name): grade for name, grade in self.grades.items()},
        )

    def changed(self, change: _Change) -> "Stage":
        """The stage with every parameter as the function has it."""
        values = {
            "to_server": self.to_server.changed(change),
            "to_client": self.to_client.changed(change),
            "parallel_count": _changed_count(self.parallel_count, change),
        }
        return _with(self, values | {n: change(one, False) for n, one in self._shared()})

    def parameters(self) -> Iterator[Parameter]:
        """Everything that may be uncertain."""
        for times in (self.to_server, self.to_client):
            yield from (value for _, value in times.named())
        yield from (value for _, value in self._shared())
        if self.parallel_count is not None:
            yield self.parallel_count

    def _shared(self) -> Iterator[tuple[str, Parameter]]:
        """Name and value of each count that is not the number 1."""
        for name in COUNT_NAMES:
            value = getattr(self, name)
            if type(value) is not int or value != 1:
                yield name, value


@dataclass(frozen=True, slots=True)
class Pool:
    """
    Servers that several stages share, such as the CPUs of a host.

    Parameters
    ----------
    name : str
        What the stages call it.
    parallel_count : float, array_like, Interval or Joint, optional
        How many servers it has, in the time basis of the stages; None where
        that is not known.
    side : Side, optional
        Whose it is.
    is_cpu : bool
        Whether its time is CPU time.
    time_basis : str
        What a second of its stages is a second of.
    grade : Grade, optional
        How good the evidence for the count is.

    Raises
    ------
    DomainError
        If the count is not above zero.

    Examples
    --------
    >>> Pool("client-cpu", 8, Side.CLIENT).is_cpu
    True
    """

    name: str
    parallel_count: Parameter | None
    side: Side | None = None
    is_cpu: bool = True
    time_basis: str = "CPU"
    grade: Grade | None = None

    def __post_init__(self) -> None:
        count = require_count(f"parallel_count of {self.name}", self.parallel_count)
        object.__setattr__(self, "parallel_count", count)

    @property
    def reversed(self) -> "Pool":
        """The same with client and server exchanged."""
        return replace(self, side=self.side and self.side.other)

    def changed(self, change: _Change) -> "Pool":
        """The pool with its count as the function has it."""
        return replace(self, parallel_count=_changed_count(self.parallel_count, change))


def _changed_count(count: Parameter | None, change: _Change) -> Parameter | None:
    return None if count is None else change(count, False)


def _other_way(name: str) -> str:
    for one, other in (("to_server.", "to_client."), ("to_client.", "to_server.")):
        if name.startswith(one):
            return other + name.removeprefix(one)
    return name


def require_unique(kind: str, names: Iterable[str]) -> None:
    """Raise DomainError if a name is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DomainError(f"two {kind} have the name {name!r}")
        seen.add(name)


def _with(one: _Changed, values: Mapping[str, Any]) -> _Changed:
    """The same with these values, and the very same where none of them is another."""
    others = {name: value for name, value in values.items() if value is not getattr(one, name)}
    return replace(one, **others) if others else one
