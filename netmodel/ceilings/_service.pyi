# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def frame_time_s(
    payload_bytes: Number, time_per_frame_s: Number, time_per_byte_s: Number
) -> float: ...
@overload
def frame_time_s(
    payload_bytes: QuantityLike, time_per_frame_s: QuantityLike, time_per_byte_s: QuantityLike
) -> Floats: ...
@overload
def stage_payload_rate_bps(payload_bytes: Number, frame_time_s: Number) -> float: ...
@overload
def stage_payload_rate_bps(payload_bytes: QuantityLike, frame_time_s: QuantityLike) -> Floats: ...
@overload
def frame_time_of_rate_s(payload_rate_bps: Number, payload_bytes: Number) -> float: ...
@overload
def frame_time_of_rate_s(payload_rate_bps: QuantityLike, payload_bytes: QuantityLike) -> Floats: ...
@overload
def frame_rate_of_payload_fps(payload_rate_bps: Number, payload_bytes: Number) -> float: ...
@overload
def frame_rate_of_payload_fps(
    payload_rate_bps: QuantityLike, payload_bytes: QuantityLike
) -> Floats: ...
