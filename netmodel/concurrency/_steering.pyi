# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def queue_frame_rate_fps(frame_time_s: Number, busiest_share_ratio: Number) -> float: ...
@overload
def queue_frame_rate_fps(
    frame_time_s: QuantityLike, busiest_share_ratio: QuantityLike
) -> Floats: ...
@overload
def steering_cpu_time_s(
    hash_time_s: Number, ipi_time_s: Number, frames_per_ipi: Number, enqueue_time_s: Number
) -> float: ...
@overload
def steering_cpu_time_s(
    hash_time_s: QuantityLike,
    ipi_time_s: QuantityLike,
    frames_per_ipi: QuantityLike,
    enqueue_time_s: QuantityLike,
) -> Floats: ...
@overload
def steered_frame_rate_fps(
    poll_time_s: Number,
    hash_time_s: Number,
    ipi_time_s: Number,
    frames_per_ipi: Number,
    protocol_time_s: Number,
    enqueue_time_s: Number,
    cpu_count: Number,
    efficiency_ratio: Number,
) -> float: ...
@overload
def steered_frame_rate_fps(
    poll_time_s: QuantityLike,
    hash_time_s: QuantityLike,
    ipi_time_s: QuantityLike,
    frames_per_ipi: QuantityLike,
    protocol_time_s: QuantityLike,
    enqueue_time_s: QuantityLike,
    cpu_count: QuantityLike,
    efficiency_ratio: QuantityLike,
) -> Floats: ...
