"""The bare arithmetic of a frame, for formulas that have checked their arguments already."""

from netmodel.numeric import Q, maximum

# IEEE 802.3, clauses 3.1.1, 3.2 and 4A.4.2
PREAMBLE_BYTES = 7
SFD_BYTES = 1
GAP_BYTES = 12
"""Interframe gap of RFC 2544, which IEEE 802.3 calls the interpacket gap: 96 bit times."""
SILENT_BYTES = PREAMBLE_BYTES + SFD_BYTES + GAP_BYTES
"""Bytes of a frame's slot on the line outside the frame itself."""

ETHERNET_HEADER_BYTES = 14
"""Both addresses and the type."""
FCS_BYTES = 4
"""Frame check sequence."""
MIN_FRAME_BYTES = 64
"""Addresses to check sequence; shorter ones are padded."""


def frame_bytes(packet_bytes: Q | float, link_header_bytes: Q | float) -> Q:
    """Destination address to frame check sequence, padded to the shortest legal frame."""
    return maximum(MIN_FRAME_BYTES, packet_bytes + (link_header_bytes + FCS_BYTES))


def wire_bytes(packet_bytes: Q | float, link_header_bytes: Q | float) -> Q:
    """Frame with preamble, start of frame delimiter and interframe (interpacket) gap."""
    return SILENT_BYTES + frame_bytes(packet_bytes, link_header_bytes)
