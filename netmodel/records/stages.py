"""Stages of a path: what kinds there are, and what a file says of each."""

from enum import Enum
from typing import Any, Literal, Self

from pydantic import BaseModel, Field, StrictBool, model_validator

from netmodel.consumption import Side
from netmodel.records.times import StageTimes
from netmodel.records.values import FROZEN, CapacityValue, RateValue, Text, TimeValue, WholeValue

CountedLayer = Literal[1, 2, 4]
"""Layers of the OSI model whose bytes count: wire, frame, payload of the transport."""
Direction = Literal["out", "in"]
Towards = Literal["to_server", "to_client"]


_USUAL = (4, False, False, False)
"""Traits of a stage of no CPU, whose times count payload."""


class StageKind(Enum):
    """
    Kind of a stage, and what that implies unless the stage says otherwise.

    Parameters
    ----------
    text : str
        In files.
    counted_layer : int
        Whose bytes its times and capacity count: 1 of the wire, 2 of the frame, 4 of the
        payload of TCP or UDP.
    is_cpu : bool
        Whether its times are CPU times, and it may draw on a pool of CPUs; both directions
        then share its servers.
    spreads_flows : bool
        Whether each flow is bound to one of its servers.
    is_serial : bool
        Whether a connection keeps no more than one of its servers busy.
    """

    #                        text, counted_layer, is_cpu, spreads_flows, is_serial
    APPLICATION_CPU = "application-cpu", 4, True, False, True
    PROTOCOL_CPU = "protocol-cpu", 4, True, False, True
    RECEIVE_QUEUE_CPU = "receive-queue-cpu", 4, True, True
    HYPERVISOR_CPU = "hypervisor-cpu", 4, True
    VIRTUAL_SWITCH = "virtual-switch", 4, True  # copies on CPUs
    SHARED_ETHERNET_ADAPTER = "shared-ethernet-adapter", 4, True
    TRUNK = "trunk", 1
    ADAPTER = "adapter"
    BUS = "bus"  # such as PCIe, with lanes for each direction
    LINK = "link", 1
    SWITCH = "switch", 1
    LINK_AGGREGATION = "link-aggregation", 1, False, True
    SHAPER = "shaper", 2
    FIBRE = "fibre"

    counted_layer: CountedLayer
    is_cpu: bool
    spreads_flows: bool
    is_serial: bool

    def __new__(cls, text: str, *traits: Any) -> Self:
        """Make a kind with its traits; those left out are those of an adapter."""
        kind = object.__new__(cls)
        kind._value_ = text
        given = (*traits, *_USUAL[len(traits) :])
        kind.counted_layer, kind.is_cpu, kind.spreads_flows, kind.is_serial = given
        return kind


_NEEDED = ("out", "in", "both", "delay", "line_rate", "capacity")
"""Keys of which each stage has one: what takes time or limits."""


class PathStage(BaseModel):
    """
    A place on a path where what passes takes time, or is limited.

    Parameters
    ----------
    name : str
        Its own on the path.
    kind : StageKind
        What it is.
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
    capacity : Value, optional
        Of all its servers together, in each direction unless it says otherwise: a rate with
        the words that `netmodel.ceilings.Capacity` has, such as ``"5 Gbit/s ip per flow"``.
    counted_layer : int, optional
        Whose bytes times per byte, and a capacity without a word for it, count: 1 of the
        wire, 2 of the frame, 4 of the payload; absent for what its kind implies.
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
    line_rate: RateValue | None = None
    capacity: CapacityValue | None = None
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
        seen = present & {"out", "in"} or {*self.incomplete}
        if self.capacity and self.capacity.capacity.direction in ("out", "in"):
            seen.add("capacity")
        if self.side is None and seen:
            raise ValueError(f"{min(seen)}: needs side: out and in are seen from a host")
        return self

    @property
    def is_serial(self) -> bool:
        """True where a connection keeps no more than one of its servers busy."""
        return self.kind.is_serial if self.serial is None else self.serial

    @property
    def layer(self) -> CountedLayer:
        """Whose bytes its times per byte count, and its capacity without a word for it."""
        return self.counted_layer or self.kind.counted_layer

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
