"""The bare arithmetic of a frame, for formulas that have checked their arguments already."""

from netmodel._numeric import FloatOrArray, maximum

__all__ = [
    "ETHERNET_HEADER_BYTES",
    "FCS_BYTES",
    "GAP_BYTES",
    "MIN_FRAME_BYTES",
    "PREAMBLE_BYTES",
    "SFD_BYTES",
    "SILENT_BYTES",
    "frame_bytes",
    "wire_bytes",
]

PREAMBLE_BYTES = 7
SFD_BYTES = 1
GAP_BYTES = 12
SILENT_BYTES = PREAMBLE_BYTES + SFD_BYTES + GAP_BYTES
"""Bytes of a frame's slot on the line outside the frame itself."""

ETHERNET_HEADER_BYTES = 14
FCS_BYTES = 4
MIN_FRAME_BYTES = 64


def frame_bytes(packet_bytes: FloatOrArray, link_header_bytes: FloatOrArray) -> FloatOrArray:
    """Destination address to frame check sequence, padded to the shortest legal frame."""
    return maximum(MIN_FRAME_BYTES, packet_bytes + (link_header_bytes + FCS_BYTES))


def wire_bytes(packet_bytes: FloatOrArray, link_header_bytes: FloatOrArray) -> FloatOrArray:
    """Frame with preamble, start of frame delimiter and interframe gap."""
    return SILENT_BYTES + frame_bytes(packet_bytes, link_header_bytes)
