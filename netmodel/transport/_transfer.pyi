# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike
from netmodel.transport._throughput import COMMON_SEGMENT_BYTES
from netmodel.transport._window import MAX_WINDOW_BYTES

INITIAL_WINDOW_SEGMENTS: int

@overload
def slow_start_round_count(
    segment_count: Number,
    initial_window_segment_count: Number = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: Number = 1,
    window_segment_count: Number = MAX_WINDOW_BYTES,
) -> float: ...
@overload
def slow_start_round_count(
    segment_count: QuantityLike,
    initial_window_segment_count: QuantityLike = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: QuantityLike = 1,
    window_segment_count: QuantityLike = MAX_WINDOW_BYTES,
) -> Floats: ...
@overload
def short_transfer_time_s(
    transfer_bytes: Number,
    path_rate_bps: Number,
    round_trip_s: Number,
    segment_bytes: Number = COMMON_SEGMENT_BYTES,
    initial_window_segment_count: Number = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: Number = 1,
    window_segment_count: Number = MAX_WINDOW_BYTES,
    handshake_count: Number = 1,
) -> float: ...
@overload
def short_transfer_time_s(
    transfer_bytes: QuantityLike,
    path_rate_bps: QuantityLike,
    round_trip_s: QuantityLike,
    segment_bytes: QuantityLike = COMMON_SEGMENT_BYTES,
    initial_window_segment_count: QuantityLike = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: QuantityLike = 1,
    window_segment_count: QuantityLike = MAX_WINDOW_BYTES,
    handshake_count: QuantityLike = 1,
) -> Floats: ...
@overload
def lossy_transfer_time_s(
    segment_count: Number,
    round_trip_s: Number,
    timeout_s: Number,
    loss_ratio: Number,
    initial_window_segment_count: Number = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: Number = 1,
    window_segment_count: Number = MAX_WINDOW_BYTES,
    delayed_ack_s: Number = 0,
) -> float: ...
@overload
def lossy_transfer_time_s(
    segment_count: QuantityLike,
    round_trip_s: QuantityLike,
    timeout_s: QuantityLike,
    loss_ratio: QuantityLike,
    initial_window_segment_count: QuantityLike = INITIAL_WINDOW_SEGMENTS,
    segments_per_ack: QuantityLike = 1,
    window_segment_count: QuantityLike = MAX_WINDOW_BYTES,
    delayed_ack_s: QuantityLike = 0,
) -> Floats: ...
@overload
def restarted_window_segment_count(
    window_segment_count: Number,
    idle_time_s: Number,
    timeout_s: Number,
    initial_window_segment_count: Number = INITIAL_WINDOW_SEGMENTS,
) -> float: ...
@overload
def restarted_window_segment_count(
    window_segment_count: QuantityLike,
    idle_time_s: QuantityLike,
    timeout_s: QuantityLike,
    initial_window_segment_count: QuantityLike = INITIAL_WINDOW_SEGMENTS,
) -> Floats: ...
