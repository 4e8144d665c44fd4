# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import FloatOrArray, Floats, Number, QuantityLike
from netmodel.transport._window import MAX_WINDOW_BYTES

LINUX_MIN_TIMEOUT_S: float
MAX_RESPONSE_LOSS_EVENT_RATIO: float

@overload
def mathis_payload_rate_bps(
    segment_bytes: Number,
    round_trip_s: Number,
    loss_event_ratio: Number,
    segments_per_ack: Number = 1,
) -> float: ...
@overload
def mathis_payload_rate_bps(
    segment_bytes: QuantityLike,
    round_trip_s: QuantityLike,
    loss_event_ratio: QuantityLike,
    segments_per_ack: QuantityLike = 1,
) -> Floats: ...
@overload
def pftk_payload_rate_bps(
    segment_bytes: Number,
    round_trip_s: Number,
    timeout_s: Number,
    loss_event_ratio: Number,
    segments_per_ack: Number = 1,
    window_segment_count: Number = MAX_WINDOW_BYTES,
) -> float: ...
@overload
def pftk_payload_rate_bps(
    segment_bytes: QuantityLike,
    round_trip_s: QuantityLike,
    timeout_s: QuantityLike,
    loss_event_ratio: QuantityLike,
    segments_per_ack: QuantityLike = 1,
    window_segment_count: QuantityLike = MAX_WINDOW_BYTES,
) -> Floats: ...
@overload
def pftk_received_rate_bps(
    segment_bytes: Number,
    round_trip_s: Number,
    timeout_s: Number,
    loss_event_ratio: Number,
    segments_per_ack: Number = 1,
    window_segment_count: Number = MAX_WINDOW_BYTES,
) -> float: ...
@overload
def pftk_received_rate_bps(
    segment_bytes: QuantityLike,
    round_trip_s: QuantityLike,
    timeout_s: QuantityLike,
    loss_event_ratio: QuantityLike,
    segments_per_ack: QuantityLike = 1,
    window_segment_count: QuantityLike = MAX_WINDOW_BYTES,
) -> Floats: ...
@overload
def timeout_ratio(p: float, window: float) -> float: ...
@overload
def timeout_ratio(p: FloatOrArray, window: FloatOrArray) -> Floats: ...
@overload
def backoff_ratio(p: float) -> float: ...
@overload
def backoff_ratio(p: FloatOrArray) -> Floats: ...
@overload
def pftk_approximate_rate_bps(
    segment_bytes: Number,
    round_trip_s: Number,
    timeout_s: Number,
    loss_event_ratio: Number,
    segments_per_ack: Number = 1,
    window_segment_count: Number = MAX_WINDOW_BYTES,
) -> float: ...
@overload
def pftk_approximate_rate_bps(
    segment_bytes: QuantityLike,
    round_trip_s: QuantityLike,
    timeout_s: QuantityLike,
    loss_event_ratio: QuantityLike,
    segments_per_ack: QuantityLike = 1,
    window_segment_count: QuantityLike = MAX_WINDOW_BYTES,
) -> Floats: ...
@overload
def tfrc_payload_rate_bps(
    segment_bytes: Number, round_trip_s: Number, loss_event_ratio: Number
) -> float: ...
@overload
def tfrc_payload_rate_bps(
    segment_bytes: QuantityLike, round_trip_s: QuantityLike, loss_event_ratio: QuantityLike
) -> Floats: ...
@overload
def retransmission_timeout_s(round_trip_s: Number, deviation_s: Number = 0) -> float: ...
@overload
def retransmission_timeout_s(
    round_trip_s: QuantityLike, deviation_s: QuantityLike = 0
) -> Floats: ...
@overload
def random_loss_event_ratio(loss_ratio: Number, window_segment_count: Number) -> float: ...
@overload
def random_loss_event_ratio(
    loss_ratio: QuantityLike, window_segment_count: QuantityLike
) -> Floats: ...
@overload
def burst_loss_event_ratio(
    loss_ratio: Number, mean_burst_count: Number, window_segment_count: Number
) -> float: ...
@overload
def burst_loss_event_ratio(
    loss_ratio: QuantityLike, mean_burst_count: QuantityLike, window_segment_count: QuantityLike
) -> Floats: ...
@overload
def frame_loss_ratio(bit_error_ratio: Number, frame_bytes: Number) -> float: ...
@overload
def frame_loss_ratio(bit_error_ratio: QuantityLike, frame_bytes: QuantityLike) -> Floats: ...
