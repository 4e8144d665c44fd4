# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike
from netmodel.framing import ETHERNET_HEADER_BYTES, TCP_IPV4_HEADER_BYTES

@overload
def frame_rate_fps(line_rate_bps: Number, frame_bytes: Number) -> float: ...
@overload
def frame_rate_fps(line_rate_bps: QuantityLike, frame_bytes: QuantityLike) -> Floats: ...
@overload
def layer_rate_bps(line_rate_bps: Number, layer_bytes: Number, wire_bytes: Number) -> float: ...
@overload
def layer_rate_bps(
    line_rate_bps: QuantityLike, layer_bytes: QuantityLike, wire_bytes: QuantityLike
) -> Floats: ...
@overload
def efficiency_ratio(
    mtu_bytes: Number,
    header_bytes: Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Number = ETHERNET_HEADER_BYTES,
) -> float: ...
@overload
def efficiency_ratio(
    mtu_bytes: QuantityLike,
    header_bytes: QuantityLike = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES,
) -> Floats: ...
@overload
def payload_rate_bps(
    line_rate_bps: Number,
    mtu_bytes: Number,
    header_bytes: Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Number = ETHERNET_HEADER_BYTES,
) -> float: ...
@overload
def payload_rate_bps(
    line_rate_bps: QuantityLike,
    mtu_bytes: QuantityLike,
    header_bytes: QuantityLike = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES,
) -> Floats: ...
