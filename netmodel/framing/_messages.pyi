# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike
from netmodel.framing._frame import TCP_IPV4_HEADER_BYTES
from netmodel.framing.unchecked import ETHERNET_HEADER_BYTES

@overload
def segment_count(message_bytes: Number, segment_bytes: Number) -> float: ...
@overload
def segment_count(message_bytes: QuantityLike, segment_bytes: QuantityLike) -> Floats: ...
@overload
def tail_bytes(message_bytes: Number, segment_bytes: Number) -> float: ...
@overload
def tail_bytes(message_bytes: QuantityLike, segment_bytes: QuantityLike) -> Floats: ...
@overload
def message_wire_bytes(
    message_bytes: Number,
    segment_bytes: Number,
    header_bytes: Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Number = ETHERNET_HEADER_BYTES,
) -> float: ...
@overload
def message_wire_bytes(
    message_bytes: QuantityLike,
    segment_bytes: QuantityLike,
    header_bytes: QuantityLike = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES,
) -> Floats: ...
