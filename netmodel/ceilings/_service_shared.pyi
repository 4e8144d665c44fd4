# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from collections.abc import Sequence
from typing import overload

from netmodel._numeric import (
    FloatOrArray,
    Floats,
    Number,
    PerStage,
    QuantityLike,
)

@overload
def wire_time_s(line_rate_bps: Number, wire_bytes: Number) -> float: ...
@overload
def wire_time_s(line_rate_bps: QuantityLike, wire_bytes: QuantityLike) -> Floats: ...
@overload
def pipelined_payload_rate_bps(
    line_rate_bps: Number, payload_bytes: Number, wire_bytes: Number, stage_time_s: Number
) -> float: ...
@overload
def pipelined_payload_rate_bps(
    line_rate_bps: QuantityLike,
    payload_bytes: QuantityLike,
    wire_bytes: QuantityLike,
    stage_time_s: QuantityLike,
) -> Floats: ...
@overload
def serial_payload_rate_bps(
    line_rate_bps: Number, payload_bytes: Number, wire_bytes: Number, stage_time_s: Number
) -> float: ...
@overload
def serial_payload_rate_bps(
    line_rate_bps: QuantityLike,
    payload_bytes: QuantityLike,
    wire_bytes: QuantityLike,
    stage_time_s: QuantityLike,
) -> Floats: ...
@overload
def shared_engine_utilisation_ratio(
    in_frame_rate_fps: Number,
    in_frame_time_s: Number,
    out_frame_rate_fps: Number,
    out_frame_time_s: Number,
) -> float: ...
@overload
def shared_engine_utilisation_ratio(
    in_frame_rate_fps: QuantityLike,
    in_frame_time_s: QuantityLike,
    out_frame_rate_fps: QuantityLike,
    out_frame_time_s: QuantityLike,
) -> Floats: ...
@overload
def shared_engine_payload_rate_bps(
    in_payload_rate_bps: Number, out_payload_rate_bps: Number
) -> float: ...
@overload
def shared_engine_payload_rate_bps(
    in_payload_rate_bps: QuantityLike, out_payload_rate_bps: QuantityLike
) -> Floats: ...
@overload
def soft_minimum_rate_bps(limits_bps: Sequence[Number], sharpness: float) -> float: ...
@overload
def soft_minimum_rate_bps(limits_bps: Sequence[QuantityLike], sharpness: float) -> Floats: ...
@overload
def soft_minimum_rate_bps(limits_bps: PerStage, sharpness: float) -> FloatOrArray: ...
