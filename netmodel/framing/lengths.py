"""Lengths that standards fix, and the bare arithmetic of a frame for arguments already checked."""

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

TCP_HEADER_BYTES = 20
"""Without options (RFC 9293, section 3.1). [byte]"""
UDP_HEADER_BYTES = 8
"""Ports, length and checksum (RFC 768). [byte]"""
IPV4_HEADER_BYTES = 20
"""Without options (RFC 791, section 3.1)."""
IPV6_HEADER_BYTES = 40
"""Version to destination address (RFC 8200, section 3)."""
TIMESTAMPS_BYTES = 12
"""10 bytes of the TCP option (RFC 7323, section 3.2) and two of padding."""
TCP_IPV4_HEADER_BYTES = IPV4_HEADER_BYTES + TCP_HEADER_BYTES + TIMESTAMPS_BYTES
"""IPv4 header, TCP header and the timestamps option that Linux negotiates by default."""

MIN_IPV4_MTU_BYTES = 68
"""RFC 791, section 3.2."""
LARGEST_MTU_BYTES = 9216
"""Largest jumbo frames that switches and adapters commonly offer; IEEE 802.3 has none."""
MAX_PACKET_BYTES = 65535
"""Largest IPv4 packet: its length field has 16 bits (RFC 791, section 3.1)."""
LEGACY_AGGREGATE_BYTES = 65536
"""Largest aggregate without BIG TCP (Linux, ``GSO_LEGACY_MAX_SIZE``)."""
RDMA_MTUS_BYTES = (256, 512, 1024, 2048, 4096)
"""Sizes that InfiniBand defines (Linux, ``ib_addr.h``)."""
RDMA_HEADERS_BYTES = 40 + 8 + 12 + 4 + 28 + 4
"""Room that an interface keeps for the headers of RDMA, whichever a packet has: global route, UDP,
base transport, XRC and atomic headers and the invariant CRC."""


def frame_bytes(packet_bytes: Q | float, link_header_bytes: Q | float) -> Q:
    """Return a frame from destination address to FCS, padded to the shortest legal one."""
    return maximum(MIN_FRAME_BYTES, packet_bytes + (link_header_bytes + FCS_BYTES))


def wire_bytes(packet_bytes: Q | float, link_header_bytes: Q | float) -> Q:
    """Return a frame with preamble, start of frame delimiter and interframe (interpacket) gap."""
    return SILENT_BYTES + frame_bytes(packet_bytes, link_header_bytes)
