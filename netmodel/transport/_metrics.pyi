# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

RENO_DECREASE_RATIO: float

@overload
def transfer_time_ratio(actual_transfer_time_s: Number, ideal_transfer_time_s: Number) -> float: ...
@overload
def transfer_time_ratio(
    actual_transfer_time_s: QuantityLike, ideal_transfer_time_s: QuantityLike
) -> Floats: ...
@overload
def tcp_efficiency_ratio(sent_bytes: Number, retransmitted_bytes: Number) -> float: ...
@overload
def tcp_efficiency_ratio(sent_bytes: QuantityLike, retransmitted_bytes: QuantityLike) -> Floats: ...
@overload
def buffer_delay_ratio(mean_round_trip_s: Number, baseline_round_trip_s: Number) -> float: ...
@overload
def buffer_delay_ratio(
    mean_round_trip_s: QuantityLike, baseline_round_trip_s: QuantityLike
) -> Floats: ...
@overload
def available_capacity_bps(link_capacity_bps: Number, utilisation_ratio: Number) -> float: ...
@overload
def available_capacity_bps(
    link_capacity_bps: QuantityLike, utilisation_ratio: QuantityLike
) -> Floats: ...
@overload
def full_utilisation_buffer_bytes(
    path_rate_bps: Number,
    round_trip_s: Number,
    flow_count: Number = 1,
    decrease_ratio: Number = RENO_DECREASE_RATIO,
) -> float: ...
@overload
def full_utilisation_buffer_bytes(
    path_rate_bps: QuantityLike,
    round_trip_s: QuantityLike,
    flow_count: QuantityLike = 1,
    decrease_ratio: QuantityLike = RENO_DECREASE_RATIO,
) -> Floats: ...
@overload
def reno_utilisation_ratio(buffer_ratio: Number) -> float: ...
@overload
def reno_utilisation_ratio(buffer_ratio: QuantityLike) -> Floats: ...
