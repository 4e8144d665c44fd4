"""Stages of a path: what kinds there are, and what a file tells of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, StrictBool, model_validator

from netmodel.consumption import Side
from netmodel.framing import Stack, parse_stack
from netmodel.records._figures import parts_of_figure
from netmodel.records._quantities import (
    CapValue,
    FrameRateValue,
    LengthValue,
    MtuValue,
    PayloadValue,
    TimeValue,
    WholeValue,
)
from netmodel.records._values import FROZEN, Sourced, Text, with_defaults

__all__ = [
    "KIND_TRAITS",
    "CountedLayer",
    "PathStage",
    "StageKind",
    "StageTimePoint",
    "StageTimes",
    "StageTraits",
]

CountedLayer = Literal[1, 2, 4]
_POINT_KEYS = ("per_message", "per_frame", "per_byte")


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
    counted_layer: CountedLayer = 4


_CPU = StageTraits(is_cpu=True, shares_directions=True)
_THREAD = StageTraits(is_cpu=True, shares_directions=True, is_serial=True)

KIND_TRAITS: Mapping[StageKind, StageTraits] = MappingProxyType(
    {
        StageKind.APPLICATION_CPU: _THREAD,
        StageKind.PROTOCOL_CPU: _THREAD,
        StageKind.RECEIVE_QUEUE_CPU: StageTraits(
            is_cpu=True, shares_directions=True, spreads_flows=True
        ),
        StageKind.HYPERVISOR_CPU: _CPU,
        StageKind.VIRTUAL_SWITCH: _CPU,
        StageKind.SHARED_ETHERNET_ADAPTER: _CPU,
        StageKind.TRUNK: StageTraits(counted_layer=1),
        StageKind.ADAPTER: StageTraits(),
        StageKind.BUS: StageTraits(),
        StageKind.LINK: StageTraits(counted_layer=1),
        StageKind.SWITCH: StageTraits(counted_layer=1),
        StageKind.LINK_AGGREGATION: StageTraits(spreads_flows=True, counted_layer=1),
        StageKind.SHAPER: StageTraits(counted_layer=2),
        StageKind.FIBRE: StageTraits(),
    }
)
"""What holds for each kind of stage. A virtual switch copies on CPUs; a bus such as PCIe has lanes
for each direction."""

_TIMES = ("out", "in", "to_server", "to_client", "both")
_ALL = frozenset(StageKind)
_CPUS = frozenset(kind for kind, traits in KIND_TRAITS.items() if traits.is_cpu)
_SERVING = _ALL - {StageKind.SHAPER, StageKind.FIBRE}
_KINDS_OF_KEY: Mapping[str, frozenset[StageKind]] = MappingProxyType(
    {
        **dict.fromkeys((*_TIMES, "servers", "segments_per_packet"), _SERVING),
        **dict.fromkeys(("pool", "serial"), _CPUS),
        "line_rate": frozenset(
            {StageKind.LINK, StageKind.TRUNK, StageKind.LINK_AGGREGATION, StageKind.BUS}
        ),
        "distance": frozenset({StageKind.FIBRE}),
        "delay": _ALL - {StageKind.SHAPER},
        **dict.fromkeys(("rate_cap", "frame_rate_cap", "shared_engine"), _ALL - {StageKind.FIBRE}),
    }
)
"""Keys that not every kind has."""
_LIMITS = ("rate_cap", "frame_rate_cap")
_ABSOLUTE = (*_LIMITS, "line_rate", "delay")
_NEEDED = {StageKind.FIBRE: ("delay", "distance"), StageKind.SHAPER: _LIMITS}
_NEEDED_ELSE = (*_TIMES, "delay", "line_rate", *_LIMITS, "mtu")


class StageTimePoint(BaseModel):
    """
    What a stage spends on one message, one frame and one byte, known together.

    Parameters
    ----------
    per_message, per_frame, per_byte : Value, optional
        Times; at least one of them. One that is absent is 0.
    """

    model_config = FROZEN

    per_message: TimeValue | None = None
    per_frame: TimeValue | None = None
    per_byte: TimeValue | None = None

    @property
    def told(self) -> tuple[str, ...]:
        """Which of the times it tells, by name."""
        return tuple(key for key in _POINT_KEYS if getattr(self, key) is not None)

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, key)} {key.replace('_', ' ')}" for key in self.told)

    @model_validator(mode="after")
    def _tells_something(self) -> Self:
        if not self.told and not self._told_elsewhere():
            raise ValueError(f"{', '.join(_POINT_KEYS)}: at least one is needed")
        return self

    def _told_elsewhere(self) -> bool:
        return False


def _told_with(defaults: Mapping[str, Any], told: Any) -> Any:
    """The same with the defaults in each figure: in points by name, or in several of these."""
    if isinstance(told, list | tuple):
        return [_told_with(defaults, one) for one in told]
    if isinstance(told, str):
        try:
            return with_defaults(defaults, parts_of_figure(told))
        except ValueError:
            return told
    if isinstance(told, Mapping) and not set(told) & set(_POINT_KEYS):
        return with_defaults(defaults, told)
    if isinstance(told, Mapping):
        return {key: _told_with(defaults, one) for key, one in told.items()}
    return told


class StageTimes(StageTimePoint):
    """
    Times of a stage: plain, or as points where they are known together only.

    Exactly one of: plain times, vertices, samples.

    Parameters
    ----------
    per_message, per_frame, per_byte : Value, optional
        See `StageTimePoint`.
    vertices : tuple of StageTimePoint
        Corners of the set of times that are possible, the one to quote first.
    samples : tuple of StageTimePoint
        Times that were drawn together, the one to quote first.
    known_payload : Value, optional
        Payload in each frame with which the times were found: a size, or a
        range. Results with other frames then come with a warning.

    Notes
    -----
    ``source``, ``locator``, ``grade`` and ``note`` beside them serve those of its
    values that lack their own, before the defaults of the file do.
    """

    vertices: tuple[StageTimePoint, ...] = ()
    samples: tuple[StageTimePoint, ...] = ()
    known_payload: PayloadValue | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_own_defaults(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        own = {key: data[key] for key in Sourced.model_fields if key in data}
        rest = {key: told for key, told in data.items() if key not in own}
        return {key: _told_with(own, told) for key, told in rest.items()} if own else rest

    @model_validator(mode="after")
    def _is_of_one_form(self) -> Self:
        forms = [*self.told[:1], *(["vertices"] if self.vertices else [])]
        forms += ["samples"] if self.samples else []
        if len(forms) > 1:
            raise ValueError(f"{' and '.join(forms)}: only one of them can be given")
        for name, points in (("vertices", self.vertices), ("samples", self.samples)):
            if len({point.told for point in points}) > 1:
                raise ValueError(f"{name}: all of them need the same times")
        return self

    def _told_elsewhere(self) -> bool:
        return bool(self.vertices or self.samples)

    @property
    def points(self) -> tuple[StageTimePoint, ...]:
        """The vertices or samples; plain times are one point."""
        return self.vertices or self.samples or (self,)

    @property
    def quoted(self) -> StageTimePoint:
        """The point to quote: the first."""
        return self.points[0]

    @property
    def provenance(self) -> str | None:
        """Grade, source, place and note of its points, where all have the same ones."""
        if not (self.vertices or self.samples):
            return None
        values = [getattr(point, key) for point in self.points for key in point.told]
        known = {one.provenance for one in (*values, self.known_payload) if one is not None}
        return known.pop() if len(known) == 1 else None

    def __str__(self) -> str:
        if not (self.vertices or self.samples):
            return super().__str__()
        form = "vertices" if self.vertices else "samples"
        told = f"{len(self.points)} {form}, the first to quote"
        if self.known_payload is None:
            return told
        return f"{told}, found with {self.known_payload} of payload in each frame"


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
        Time that passes one way, however much is on it.
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
    segments_per_packet : Value, optional
        Segments that it handles as one packet (large send).
    mtu : Value, optional
        Largest outermost packet that passes.
    shared_engine : bool, optional
        Whether both directions share its servers; absent for what its kind implies.
    relative : bool
        Whether its times are known up to one factor only, which is that of all
        stages of its pool: they tell how times stand to each other, and nothing else.
    serial : bool, optional
        Whether a connection keeps no more than one of its servers busy; absent for
        what its kind implies; CPU kinds only.
    note : str, optional
        What a reader should know.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. `load_network_path` raises
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
    segments_per_packet: WholeValue | None = None
    mtu: MtuValue | None = None
    shared_engine: StrictBool | None = None
    relative: StrictBool = False
    serial: StrictBool | None = None
    note: Text | None = None

    @model_validator(mode="after")
    def _parts_belong_together(self) -> Self:
        present = frozenset(key.rstrip("_") for key, part in self if part is not None)
        for key in sorted(present & set(_KINDS_OF_KEY)):
            if self.kind not in _KINDS_OF_KEY[key]:
                raise ValueError(f"{key}: is not a part of kind {self.kind.value}")
        needed = _NEEDED.get(self.kind, _NEEDED_ELSE)
        if not present & set(needed):
            raise ValueError(f"kind {self.kind.value} needs one of {', '.join(needed)}")
        self._require_directions(present)
        if self.relative:
            self._require_relative(present)
        return self

    def _require_relative(self, present: frozenset[str]) -> None:
        if not present & set(_TIMES):
            raise ValueError(f"relative: needs one of {', '.join(_TIMES)}")
        for key in _ABSOLUTE:
            if key in present:
                raise ValueError(f"{key}: is no time up to a factor; give it a stage of its own")

    def _require_directions(self, present: frozenset[str]) -> None:
        told = [key for key in _TIMES if key in present]
        if "both" in told and len(told) > 1:
            raise ValueError(f"{told[0]}: both already tells the times of each direction")
        for key in told:
            if self.side is None and key in {"out", "in"}:
                raise ValueError(f"{key}: needs side, the end whose host it is seen from")
            if self.side is not None and key in {"to_server", "to_client"}:
                raise ValueError(f"{key}: is for a stage without side; with one write out or in")

    @property
    def traits(self) -> StageTraits:
        """What its kind implies."""
        return KIND_TRAITS[self.kind]

    @property
    def factor_name(self) -> str | None:
        """Name of the factor up to which its times are known: its pool, or itself."""
        return (self.pool or self.name) if self.relative else None

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

    @property
    def times_to_server(self) -> StageTimes | None:
        """Times of what goes to the server, however the file tells them."""
        seen = self.in_ if self.side is Side.SERVER else self.out
        return self.both or self.to_server or seen

    @property
    def times_to_client(self) -> StageTimes | None:
        """Times of what goes to the client, however the file tells them."""
        seen = self.out if self.side is Side.SERVER else self.in_
        return self.both or self.to_client or seen

    def __str__(self) -> str:
        side = f", {self.side.value}" if self.side else ""
        known = ", times up to a factor" if self.relative else ""
        return f"{self.name} ({self.kind.value}{side}{known})"
