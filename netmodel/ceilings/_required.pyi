# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike
from netmodel.framing import (
    ETHERNET_HEADER_BYTES,
    TCP_IPV4_HEADER_BYTES,
)

MAX_PACKET_BYTES: int

@overload
def required_line_rate_bps(
    payload_rate_bps: Number,
    mtu_bytes: Number,
    header_bytes: Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Number = ETHERNET_HEADER_BYTES,
) -> float: ...
@overload
def required_line_rate_bps(
    payload_rate_bps: QuantityLike,
    mtu_bytes: QuantityLike,
    header_bytes: QuantityLike = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES,
) -> Floats: ...
@overload
def required_mtu_bytes(
    payload_rate_bps: Number,
    line_rate_bps: Number,
    header_bytes: Number = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: Number = ETHERNET_HEADER_BYTES,
) -> float: ...
@overload
def required_mtu_bytes(
    payload_rate_bps: QuantityLike,
    line_rate_bps: QuantityLike,
    header_bytes: QuantityLike = TCP_IPV4_HEADER_BYTES,
    link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES,
) -> Floats: ...
