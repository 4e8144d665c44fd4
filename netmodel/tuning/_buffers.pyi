# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike
from netmodel.framing import ETHERNET_HEADER_BYTES

QDIO_BUFFER_BYTES: int
PAGE_BYTES: int

@overload
def drain_time_s(queued_bytes: Number, drain_rate_bps: Number) -> float: ...
@overload
def drain_time_s(queued_bytes: QuantityLike, drain_rate_bps: QuantityLike) -> Floats: ...
@overload
def buffer_memory_bytes(
    buffer_count: Number, buffer_bytes: Number = QDIO_BUFFER_BYTES
) -> float: ...
@overload
def buffer_memory_bytes(
    buffer_count: QuantityLike, buffer_bytes: QuantityLike = QDIO_BUFFER_BYTES
) -> Floats: ...
@overload
def buffer_drain_time_s(
    buffer_count: Number, drain_rate_bps: Number, buffer_bytes: Number = QDIO_BUFFER_BYTES
) -> float: ...
@overload
def buffer_drain_time_s(
    buffer_count: QuantityLike,
    drain_rate_bps: QuantityLike,
    buffer_bytes: QuantityLike = QDIO_BUFFER_BYTES,
) -> Floats: ...
@overload
def queue_drain_time_s(
    packet_count: Number, line_rate_bps: Number, wire_bytes: Number
) -> float: ...
@overload
def queue_drain_time_s(
    packet_count: QuantityLike, line_rate_bps: QuantityLike, wire_bytes: QuantityLike
) -> Floats: ...
@overload
def queue_packet_count(
    queue_time_s: Number, line_rate_bps: Number, wire_bytes: Number
) -> float: ...
@overload
def queue_packet_count(
    queue_time_s: QuantityLike, line_rate_bps: QuantityLike, wire_bytes: QuantityLike
) -> Floats: ...
@overload
def queue_memory_bytes(
    packet_count: Number, packet_bytes: Number, link_header_bytes: Number = ETHERNET_HEADER_BYTES
) -> float: ...
@overload
def queue_memory_bytes(
    packet_count: QuantityLike,
    packet_bytes: QuantityLike,
    link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES,
) -> Floats: ...
@overload
def pages_per_packet_count(mtu_bytes: Number, page_bytes: Number = PAGE_BYTES) -> float: ...
@overload
def pages_per_packet_count(
    mtu_bytes: QuantityLike, page_bytes: QuantityLike = PAGE_BYTES
) -> Floats: ...
@overload
def page_fill_ratio(mtu_bytes: Number, page_bytes: Number = PAGE_BYTES) -> float: ...
@overload
def page_fill_ratio(mtu_bytes: QuantityLike, page_bytes: QuantityLike = PAGE_BYTES) -> Floats: ...
