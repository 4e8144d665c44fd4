# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def frames_per_interrupt(frame_rate_fps: Number, coalescing_time_s: Number) -> float: ...
@overload
def frames_per_interrupt(
    frame_rate_fps: QuantityLike, coalescing_time_s: QuantityLike
) -> Floats: ...
@overload
def capped_frames_per_interrupt(
    frame_rate_fps: Number, coalescing_time_s: Number, max_frames_per_interrupt: Number
) -> float: ...
@overload
def capped_frames_per_interrupt(
    frame_rate_fps: QuantityLike,
    coalescing_time_s: QuantityLike,
    max_frames_per_interrupt: QuantityLike,
) -> Floats: ...
@overload
def batched_cpu_time_s(
    transaction_rate_tps: Number,
    time_per_transaction_s: Number,
    time_per_batch_s: Number,
    batching_time_s: Number,
) -> float: ...
@overload
def batched_cpu_time_s(
    transaction_rate_tps: QuantityLike,
    time_per_transaction_s: QuantityLike,
    time_per_batch_s: QuantityLike,
    batching_time_s: QuantityLike,
) -> Floats: ...
@overload
def polled_cpu_time_s(
    utilisation_ratio: Number, time_per_frame_s: Number, time_per_interrupt_s: Number
) -> float: ...
@overload
def polled_cpu_time_s(
    utilisation_ratio: QuantityLike,
    time_per_frame_s: QuantityLike,
    time_per_interrupt_s: QuantityLike,
) -> Floats: ...
