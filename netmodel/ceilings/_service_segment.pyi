# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import Generic, overload

from netmodel._dataclasses import dataclass
from netmodel._display import fields_repr
from netmodel._numeric import (
    Floats,
    Number,
    Q_co,
    QuantityLike,
)

@dataclass(frozen=True, slots=True)
class FrameTimes(Generic[Q_co]):
    time_per_frame_s: Q_co
    time_per_byte_s: Q_co
    __repr__ = fields_repr

    @overload
    def frame_time_s(self: FrameTimes[float], payload_bytes: Number) -> float: ...
    @overload
    def frame_time_s(self, payload_bytes: QuantityLike) -> Floats: ...
    @overload
    def payload_rate_bps(self: FrameTimes[float], payload_bytes: Number) -> float: ...
    @overload
    def payload_rate_bps(self, payload_bytes: QuantityLike) -> Floats: ...
    def to_dict(self) -> dict[str, Q_co]: ...

@dataclass(frozen=True, slots=True)
class FrameTimeSegment(Generic[Q_co]):
    all_per_frame: FrameTimes[Q_co]
    most_per_byte: FrameTimes[Q_co]
    __repr__ = fields_repr

    @overload
    def at(self: FrameTimeSegment[float], share_ratio: Number) -> FrameTimes[float]: ...
    @overload
    def at(self, share_ratio: QuantityLike) -> FrameTimes[Floats]: ...
    @overload
    def payload_rate_bounds_bps(
        self: FrameTimeSegment[float], payload_bytes: Number
    ) -> tuple[float, float]: ...
    @overload
    def payload_rate_bounds_bps(self, payload_bytes: QuantityLike) -> tuple[Floats, Floats]: ...
    def to_dict(self) -> dict[str, dict[str, Q_co]]: ...

@overload
def frame_time_segment(
    payload_bytes: Number,
    frame_time_s: Number,
    censored_payload_bytes: Number,
    censored_frame_time_s: Number,
) -> FrameTimeSegment[float]: ...
@overload
def frame_time_segment(
    payload_bytes: QuantityLike,
    frame_time_s: QuantityLike,
    censored_payload_bytes: QuantityLike,
    censored_frame_time_s: QuantityLike,
) -> FrameTimeSegment[Floats]: ...
