"""Stages of a path: what kinds there are, and what a file says of each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, StrictBool, model_validator

from netmodel.consumption import Side
from netmodel.framing import Stack, parse_stack
from netmodel.records.times import StageTimes
from netmodel.records.values import (
    FROZEN,
    BatchValue,
    CapValue,
    FrameRateValue,
    LengthValue,
    MtuValue,
    Text,
    TimeValue,
    VariationValue,
    WholeValue,
)

CountedLayer = Literal[1, 2, 4]
"""Layers of the OSI model whose bytes count: wire, frame, payload of the transport."""
Direction = Literal["out", "in", "to_server", "to_client"]
Towards = Literal["to_server", "to_client"]


def _stack(text: str) -> str:
    parse_stack(text)
    return text


class StageKind(Enum):
    """What a stage is."""

    APPLICATION_CPU = "application-cpu"
    PROTOCOL_CPU = "protocol-cpu"
    RECEIVE_QUEUE_CPU = "receive-queue-cpu"
    HYPERVISOR_CPU = "hypervisor-cpu"
    VIRTUAL_SWITCH = "virtual-switch"
    SHARED_ETHERNET_ADAPTER = "shared-ethernet-adapter"
    TRUNK = "trunk"
    ADAPTER = "adapter"
    BUS = "bus"
    LINK = "link"
    SWITCH = "switch"
    LINK_AGGREGATION = "link-aggregation"
    SHAPER = "shaper"
    FIBRE = "fibre"


@dataclass(frozen=True, slots=True)
class StageTraits:
    """
    What holds for stages of a kind, unless a stage says otherwise.

    Parameters
    ----------
    is_cpu : bool
        Whether its times are CPU times, and it may draw on a pool of CPUs.
    shares_directions : bool
        Whether both directions share its servers.
    spreads_flows : bool
        Whether each flow is bound to one of its servers.
    is_serial : bool
        Whether a connection keeps no more than one of its servers busy.
    counted_layer : int
        Whose bytes its times and rate caps count: 1 of the wire, 2 of the
        frame, 4 of the payload.
    """

    is_cpu: bool = False
    shares_directions: bool = False
    spreads_flows: bool = False
    is_serial: bool = False
    counted_layer: CountedLayer = 4  # the payload of TCP or UDP


_CPU = StageTraits(is_cpu=True, shares_directions=True)
_THREAD = replace(_CPU, is_serial=True)
_WIRE = StageTraits(counted_layer=1)

KIND_TRAITS: Mapping[StageKind, StageTraits] = MappingProxyType(
    {
        StageKind.APPLICATION_CPU: _THREAD,
        StageKind.PROTOCOL_CPU: _THREAD,
        StageKind.RECEIVE_QUEUE_CPU: replace(_CPU, spreads_flows=True),
        StageKind.HYPERVISOR_CPU: _CPU,
        StageKind.VIRTUAL_SWITCH: _CPU,
        StageKind.SHARED_ETHERNET_ADAPTER: _CPU,
        StageKind.TRUNK: _WIRE,
        StageKind.ADAPTER: StageTraits(),
        StageKind.BUS: StageTraits(),
        StageKind.LINK: _WIRE,
        StageKind.SWITCH: _WIRE,
        StageKind.LINK_AGGREGATION: replace(_WIRE, spreads_flows=True),
        StageKind.SHAPER: StageTraits(counted_layer=2),
        StageKind.FIBRE: StageTraits(),
    }
)
"""What holds for each kind of stage. A virtual switch copies on CPUs; a bus such as PCIe has lanes
for each direction."""

_TIMES = ("out", "in", "to_server", "to_client", "both")
_BATCHES = ("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet")
_ALL = frozenset(StageKind)
_CPUS = frozenset(kind for kind, traits in KIND_TRAITS.items() if traits.is_cpu)
_SERVING = _ALL - {StageKind.SHAPER, StageKind.FIBRE}
_LINES = frozenset({StageKind.LINK, StageKind.TRUNK, StageKind.LINK_AGGREGATION, StageKind.BUS})
_KINDS_OF_KEY: Mapping[str, frozenset[StageKind]] = {
    **dict.fromkeys((*_TIMES, "servers", "service_variation", *_BATCHES), _SERVING),
    **dict.fromkeys(("pool", "serial", "incomplete"), _CPUS),
    **dict.fromkeys(("rate_cap", "frame_rate_cap", "shared_engine"), _ALL - {StageKind.FIBRE}),
    "line_rate": _LINES,
    "distance": frozenset({StageKind.FIBRE}),
    "delay": _ALL - {StageKind.SHAPER},
}
"""Keys that not every kind has."""
_LIMITS = ("rate_cap", "frame_rate_cap")
_NEEDED = {StageKind.FIBRE: ("delay", "distance"), StageKind.SHAPER: _LIMITS}
_NEEDED_ELSE = (*_TIMES, "delay", "line_rate", *_LIMITS, "mtu")


class PathStage(BaseModel):
    """
    A place on a path where what passes takes time, or is limited.

    Parameters
    ----------
    name : str
        Its own on the path.
    kind : StageKind
        What it is; `KIND_TRAITS` says what that implies.
    side : Side, optional
        The end that it belongs to; absent for what lies between.
    pool : str, optional
        Name of the pool of CPUs that it draws on; CPU kinds only.
    out, in : StageTimes, optional
        Times of what leaves and enters the host of its side, which it needs.
        Python calls the second one ``in_``.
    to_server, to_client : StageTimes, optional
        Times of each direction, for a stage without a side.
    both : StageTimes, optional
        Times that hold for each of the two directions.
    servers : Value, optional
        How many it serves at a time.
    delay : Value, optional
        Time that passes in one direction, however much is on it.
    distance : Value, optional
        Length of a fibre.
    line_rate : Value, optional
        Bit rate of each of its servers; of a link, trunk, link aggregation or bus.
        A rated one of round digits is exact where its grade is standard.
    rate_cap, frame_rate_cap : Value, optional
        Most bits, and frames, all its servers together: in each direction, or
        in both where `shared_engine` says so.
    counted_layer : int, optional
        Whose bytes times per byte and the rate cap count: 1 of the wire, 2 of
        the frame, 4 of the payload; absent for what its kind implies.
    stack : str, optional
        Header stack, where it is another one than that of the path.
    messages_per_wakeup, frames_per_interrupt : Value, optional
        How many share each, 1 when absent. Means need not be whole.
    segments_per_packet : Value, optional
        Segments that it handles as one packet (large send), 1 when absent.
    service_variation : Value, optional
        Coefficient of variation of its service times, standard deviation over mean: 0 if they
        are constant, 1 as exponential ones; that of its pool, else 1, when absent.
    mtu : Value, optional
        Largest outermost packet that passes.
    shared_engine : bool, optional
        Whether both directions share its servers; absent for what its kind implies.
    serial : bool, optional
        Whether a connection keeps no more than one of its servers busy; absent for
        what its kind implies; CPU kinds only.
    incomplete : tuple of str
        Directions, named as their times are, for which these times leave some
        work out: CPU cost is predicted for messages of no more than their
        ``known_payload``; CPU kinds only.
    note : str, optional
        What a reader should know.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. `path_record` raises
        `ParseError` instead.
    """

    model_config = FROZEN

    name: Text
    kind: StageKind
    side: Side | None = None
    pool: Text | None = None
    out: StageTimes | None = None
    in_: StageTimes | None = Field(default=None, alias="in")
    to_server: StageTimes | None = None
    to_client: StageTimes | None = None
    both: StageTimes | None = None
    servers: WholeValue | None = None
    delay: TimeValue | None = None
    distance: LengthValue | None = None
    line_rate: CapValue | None = None
    rate_cap: CapValue | None = None
    frame_rate_cap: FrameRateValue | None = None
    counted_layer: CountedLayer | None = None
    stack: Annotated[Text, AfterValidator(_stack)] | None = None
    messages_per_wakeup: BatchValue | None = None
    frames_per_interrupt: BatchValue | None = None
    segments_per_packet: BatchValue | None = None
    service_variation: VariationValue | None = None
    mtu: MtuValue | None = None
    shared_engine: StrictBool | None = None
    serial: StrictBool | None = None
    incomplete: tuple[Direction, ...] = ()
    note: Text | None = None

    @model_validator(mode="after")
    def _parts_belong_together(self) -> Self:
        present = frozenset(key.rstrip("_") for key, part in self if part not in (None, ()))
        for key in sorted(present & set(_KINDS_OF_KEY)):
            if self.kind not in _KINDS_OF_KEY[key]:
                raise ValueError(f"{key}: is not a part of kind {self.kind.value}")
        needed = _NEEDED.get(self.kind, _NEEDED_ELSE)
        if not present & set(needed):
            raise ValueError(f"kind {self.kind.value} needs one of {', '.join(needed)}")
        self._require_directions(present)
        return self

    def _require_directions(self, present: frozenset[str]) -> None:
        """Times are seen from the host of the stage, or are directions of the path."""
        given = [key for key in _TIMES if key in present]
        if "both" in given and len(given) > 1:
            raise ValueError(
                f"{given[0]}: both already gives the times of each direction; keep one of them"
            )
        seen = {"out", "in"} if self.side is None else {"to_server", "to_client"}
        for key in (*given, *self.incomplete):
            if key in seen:
                side = "needs side" if self.side is None else "is for a stage without side"
                raise ValueError(f"{key}: {side}: out and in are seen from a host")

    @property
    def traits(self) -> StageTraits:
        """What its kind implies."""
        return KIND_TRAITS[self.kind]

    @property
    def shares_directions(self) -> bool:
        """Whether both directions share its servers."""
        return self.traits.shares_directions if self.shared_engine is None else self.shared_engine

    @property
    def is_serial(self) -> bool:
        """Whether a connection keeps no more than one of its servers busy."""
        return self.traits.is_serial if self.serial is None else self.serial

    @property
    def layer(self) -> CountedLayer:
        """Whose bytes its times per byte and its rate cap count."""
        return self.counted_layer or self.traits.counted_layer

    @property
    def header_stack(self) -> Stack | None:
        """Its own header stack."""
        return None if self.stack is None else parse_stack(self.stack)

    def times(self, direction: Towards) -> StageTimes | None:
        """Return the times of what goes in a direction, by any key of the file."""
        key = self._key(direction)
        given: StageTimes | None = getattr(self, "in_" if key == "in" else key)
        return self.both or given

    def is_complete(self, direction: Towards) -> bool:
        """Return whether its times in one direction are complete."""
        return self._key(direction) not in self.incomplete

    def _key(self, direction: Towards) -> str:
        """Return the key of a direction: as seen from the host of its side, where it has one."""
        if self.side is None:
            return direction
        return "out" if (direction == "to_server") == (self.side is Side.CLIENT) else "in"

    def __str__(self) -> str:
        side = f", {self.side.value}" if self.side else ""
        return f"{self.name} ({self.kind.value}{side})"
