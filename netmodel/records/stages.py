"""Stages of a path: what kinds there are, and what a file says of each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Literal, Self

from pydantic import BaseModel, Field, StrictBool, model_validator

from netmodel.consumption import Side
from netmodel.records.times import StageTimes
from netmodel.records.values import FROZEN, CapValue, FrameRateValue, Text, TimeValue, WholeValue

CountedLayer = Literal[1, 2, 4]
"""Layers of the OSI model whose bytes count: wire, frame, payload of the transport."""
Direction = Literal["out", "in"]
Towards = Literal["to_server", "to_client"]


class StageKind(Enum):
    """Kind of a stage."""

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
    Traits of stages of a kind, unless a stage says otherwise.

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
"""Traits of each kind of stage. A virtual switch copies on CPUs; a bus such as PCIe has lanes
for each direction."""

_NEEDED = ("out", "in", "both", "delay", "line_rate", "rate_cap", "frame_rate_cap")
"""Keys of which each stage has one: what takes time or limits."""


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
    both : StageTimes, optional
        Times that hold for each of the two directions.
    servers : Value, optional
        How many it serves at a time.
    delay : Value, optional
        Time that passes in one direction, however much is on it.
    line_rate : Value, optional
        Bit rate of each of its servers; of a link, trunk, link aggregation or bus.
        A rated one of round digits is exact where its grade is standard.
    rate_cap, frame_rate_cap : Value, optional
        Most bits, and frames, all its servers together, in each direction.
    counted_layer : int, optional
        Whose bytes times per byte and the rate cap count: 1 of the wire, 2 of
        the frame, 4 of the payload; absent for what its kind implies.
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
    both: StageTimes | None = None
    servers: WholeValue | None = None
    delay: TimeValue | None = None
    line_rate: CapValue | None = None
    rate_cap: CapValue | None = None
    frame_rate_cap: FrameRateValue | None = None
    counted_layer: CountedLayer | None = None
    serial: StrictBool | None = None
    incomplete: tuple[Direction, ...] = ()
    note: Text | None = None

    @model_validator(mode="after")
    def _parts_belong_together(self) -> Self:
        present = {key.rstrip("_") for key, part in self if part not in (None, ())}
        if present.isdisjoint(_NEEDED):
            raise ValueError(f"needs one of {', '.join(_NEEDED)}")
        if "both" in present and present & {"out", "in"}:
            raise ValueError("both: gives the times of each direction; leave out and in away")
        if self.side is None and (seen := present & {"out", "in"} or {*self.incomplete}):
            raise ValueError(f"{min(seen)}: needs side: out and in are seen from a host")
        return self

    @property
    def traits(self) -> StageTraits:
        """Traits of its kind."""
        return KIND_TRAITS[self.kind]

    @property
    def is_serial(self) -> bool:
        """True where a connection keeps no more than one of its servers busy."""
        return self.traits.is_serial if self.serial is None else self.serial

    @property
    def layer(self) -> CountedLayer:
        """Whose bytes its times per byte and its rate cap count."""
        return self.counted_layer or self.traits.counted_layer

    def times(self, direction: Towards) -> StageTimes | None:
        """Return the times of what goes in a direction."""
        return self.both or (self.out if self._seen(direction) == "out" else self.in_)

    def is_complete(self, direction: Towards) -> bool:
        """Return whether its times in one direction are complete."""
        return self._seen(direction) not in self.incomplete

    def _seen(self, direction: Towards) -> Direction:
        """Return a direction as seen from the host of its side."""
        return "out" if (direction == "to_server") == (self.side is Side.CLIENT) else "in"

    def __str__(self) -> str:
        side = f", {self.side.value}" if self.side else ""
        return f"{self.name} ({self.kind.value}{side})"
