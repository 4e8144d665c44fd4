# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike
from netmodel.framing.unchecked import ETHERNET_HEADER_BYTES

TCP_IPV4_HEADER_BYTES: int

@overload
def frame_bytes(
    packet_bytes: Number, link_header_bytes: Number = ETHERNET_HEADER_BYTES
) -> float: ...
@overload
def frame_bytes(
    packet_bytes: QuantityLike, link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES
) -> Floats: ...
@overload
def wire_bytes(
    packet_bytes: Number, link_header_bytes: Number = ETHERNET_HEADER_BYTES
) -> float: ...
@overload
def wire_bytes(
    packet_bytes: QuantityLike, link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES
) -> Floats: ...
@overload
def payload_bytes(mtu_bytes: Number, header_bytes: Number = TCP_IPV4_HEADER_BYTES) -> float: ...
@overload
def payload_bytes(
    mtu_bytes: QuantityLike, header_bytes: QuantityLike = TCP_IPV4_HEADER_BYTES
) -> Floats: ...
