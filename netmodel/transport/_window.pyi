# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

MAX_WINDOW_SHIFT_COUNT: int
MAX_WINDOW_BYTES: int

@overload
def bandwidth_delay_product_bytes(path_rate_bps: Number, round_trip_s: Number) -> float: ...
@overload
def bandwidth_delay_product_bytes(
    path_rate_bps: QuantityLike, round_trip_s: QuantityLike
) -> Floats: ...
@overload
def window_payload_rate_bps(
    window_bytes: Number, round_trip_s: Number, flow_count: Number = 1
) -> float: ...
@overload
def window_payload_rate_bps(
    window_bytes: QuantityLike, round_trip_s: QuantityLike, flow_count: QuantityLike = 1
) -> Floats: ...
@overload
def window_limited_payload_rate_bps(
    path_rate_bps: Number, window_bytes: Number, round_trip_s: Number, flow_count: Number = 1
) -> float: ...
@overload
def window_limited_payload_rate_bps(
    path_rate_bps: QuantityLike,
    window_bytes: QuantityLike,
    round_trip_s: QuantityLike,
    flow_count: QuantityLike = 1,
) -> Floats: ...
@overload
def required_window_bytes(
    payload_rate_bps: Number, round_trip_s: Number, flow_count: Number = 1
) -> float: ...
@overload
def required_window_bytes(
    payload_rate_bps: QuantityLike, round_trip_s: QuantityLike, flow_count: QuantityLike = 1
) -> Floats: ...
@overload
def effective_window_bytes(
    receive_window_bytes: Number,
    congestion_window_bytes: Number = MAX_WINDOW_BYTES,
    send_buffer_bytes: Number = MAX_WINDOW_BYTES,
    rmbe_bytes: Number = MAX_WINDOW_BYTES,
) -> float: ...
@overload
def effective_window_bytes(
    receive_window_bytes: QuantityLike,
    congestion_window_bytes: QuantityLike = MAX_WINDOW_BYTES,
    send_buffer_bytes: QuantityLike = MAX_WINDOW_BYTES,
    rmbe_bytes: QuantityLike = MAX_WINDOW_BYTES,
) -> Floats: ...
@overload
def window_shift_count(window_bytes: Number) -> float: ...
@overload
def window_shift_count(window_bytes: QuantityLike) -> Floats: ...
def max_window_bytes(shift_count: int) -> int: ...
