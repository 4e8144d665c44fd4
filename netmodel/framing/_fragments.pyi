# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import NamedTuple, overload

from netmodel._numeric import FloatOrArray, Floats, Number, QuantityLike
from netmodel.framing.layers._internet import IPV4_HEADER_BYTES
from netmodel.framing.unchecked import ETHERNET_HEADER_BYTES

MAX_DATAGRAM_BYTES: int
FRAGMENT_UNIT_BYTES: int

@overload
def udp_packet_count(
    datagram_bytes: Number,
    mtu_bytes: Number,
    ip_header_bytes: Number = IPV4_HEADER_BYTES,
    fragment_header_bytes: Number = 0,
) -> float: ...
@overload
def udp_packet_count(
    datagram_bytes: QuantityLike,
    mtu_bytes: QuantityLike,
    ip_header_bytes: QuantityLike = IPV4_HEADER_BYTES,
    fragment_header_bytes: QuantityLike = 0,
) -> Floats: ...
@overload
def udp_wire_bytes(
    datagram_bytes: Number,
    mtu_bytes: Number,
    ip_header_bytes: Number = IPV4_HEADER_BYTES,
    fragment_header_bytes: Number = 0,
    link_header_bytes: Number = ETHERNET_HEADER_BYTES,
) -> float: ...
@overload
def udp_wire_bytes(
    datagram_bytes: QuantityLike,
    mtu_bytes: QuantityLike,
    ip_header_bytes: QuantityLike = IPV4_HEADER_BYTES,
    fragment_header_bytes: QuantityLike = 0,
    link_header_bytes: QuantityLike = ETHERNET_HEADER_BYTES,
) -> Floats: ...

class Fragmentation(NamedTuple):
    full_count: FloatOrArray
    full_packet_bytes: FloatOrArray
    last_packet_bytes: FloatOrArray

def udp_fragmentation(
    datagram_bytes: QuantityLike,
    mtu_bytes: QuantityLike,
    ip_header_bytes: QuantityLike,
    fragment_header_bytes: QuantityLike,
) -> Fragmentation: ...
