# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import FloatOrArray, Floats

PREAMBLE_BYTES: int
SFD_BYTES: int
GAP_BYTES: int
SILENT_BYTES: int
ETHERNET_HEADER_BYTES: int
FCS_BYTES: int
MIN_FRAME_BYTES: int

@overload
def frame_bytes(packet_bytes: float, link_header_bytes: float) -> float: ...
@overload
def frame_bytes(packet_bytes: FloatOrArray, link_header_bytes: FloatOrArray) -> Floats: ...
@overload
def wire_bytes(packet_bytes: float, link_header_bytes: float) -> float: ...
@overload
def wire_bytes(packet_bytes: FloatOrArray, link_header_bytes: FloatOrArray) -> Floats: ...
