# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def message_cpu_time_s(
    message_bytes: Number,
    segment_count: Number,
    ack_count: Number,
    time_per_message_s: Number,
    time_per_wakeup_s: Number,
    time_per_interrupt_s: Number,
    time_per_packet_s: Number,
    time_per_ack_s: Number,
    time_per_byte_s: Number,
    messages_per_wakeup: Number = 1,
    frames_per_interrupt: Number = 1,
    segments_per_packet: Number = 1,
) -> float: ...
@overload
def message_cpu_time_s(
    message_bytes: QuantityLike,
    segment_count: QuantityLike,
    ack_count: QuantityLike,
    time_per_message_s: QuantityLike,
    time_per_wakeup_s: QuantityLike,
    time_per_interrupt_s: QuantityLike,
    time_per_packet_s: QuantityLike,
    time_per_ack_s: QuantityLike,
    time_per_byte_s: QuantityLike,
    messages_per_wakeup: QuantityLike = 1,
    frames_per_interrupt: QuantityLike = 1,
    segments_per_packet: QuantityLike = 1,
) -> Floats: ...
@overload
def streaming_consumption_us_per_gbit(
    segment_bytes: Number,
    message_bytes: Number,
    time_per_message_s: Number,
    time_per_packet_s: Number,
    time_per_byte_s: Number,
    segments_per_packet: Number = 1,
) -> float: ...
@overload
def streaming_consumption_us_per_gbit(
    segment_bytes: QuantityLike,
    message_bytes: QuantityLike,
    time_per_message_s: QuantityLike,
    time_per_packet_s: QuantityLike,
    time_per_byte_s: QuantityLike,
    segments_per_packet: QuantityLike = 1,
) -> Floats: ...
