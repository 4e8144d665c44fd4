# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

CUBIC_SCALE: float
CUBIC_DECREASE_RATIO: float
CUBIC_RENO_INCREASE: int

@overload
def reno_window_segment_count(loss_event_ratio: Number) -> float: ...
@overload
def reno_window_segment_count(loss_event_ratio: QuantityLike) -> Floats: ...
@overload
def cubic_window_segment_count(round_trip_s: Number, loss_event_ratio: Number) -> float: ...
@overload
def cubic_window_segment_count(
    round_trip_s: QuantityLike, loss_event_ratio: QuantityLike
) -> Floats: ...
@overload
def cubic_payload_rate_bps(
    segment_bytes: Number, round_trip_s: Number, loss_event_ratio: Number
) -> float: ...
@overload
def cubic_payload_rate_bps(
    segment_bytes: QuantityLike, round_trip_s: QuantityLike, loss_event_ratio: QuantityLike
) -> Floats: ...
@overload
def cubic_allowed_loss_event_ratio(
    segment_bytes: Number, round_trip_s: Number, payload_rate_bps: Number
) -> float: ...
@overload
def cubic_allowed_loss_event_ratio(
    segment_bytes: QuantityLike, round_trip_s: QuantityLike, payload_rate_bps: QuantityLike
) -> Floats: ...
@overload
def cubic_crossover_round_trip_s(loss_event_ratio: Number) -> float: ...
@overload
def cubic_crossover_round_trip_s(loss_event_ratio: QuantityLike) -> Floats: ...
@overload
def cubic_recovery_time_s(window_segment_count: Number) -> float: ...
@overload
def cubic_recovery_time_s(window_segment_count: QuantityLike) -> Floats: ...
