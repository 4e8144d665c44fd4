# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def required_socket_buffer_bytes(
    payload_rate_bps: Number,
    round_trip_s: Number,
    flow_count: Number = 1,
    window_share_ratio: Number = 1,
) -> float: ...
@overload
def required_socket_buffer_bytes(
    payload_rate_bps: QuantityLike,
    round_trip_s: QuantityLike,
    flow_count: QuantityLike = 1,
    window_share_ratio: QuantityLike = 1,
) -> Floats: ...
@overload
def socket_buffer_ratio(
    buffer_bytes: Number,
    payload_rate_bps: Number,
    round_trip_s: Number,
    flow_count: Number = 1,
    window_share_ratio: Number = 1,
) -> float: ...
@overload
def socket_buffer_ratio(
    buffer_bytes: QuantityLike,
    payload_rate_bps: QuantityLike,
    round_trip_s: QuantityLike,
    flow_count: QuantityLike = 1,
    window_share_ratio: QuantityLike = 1,
) -> Floats: ...
