"""Laws of frames, stacks and fragments, for any sizes."""

from hypothesis import given
from hypothesis import strategies as st

from netmodel.framing import (
    udp_packet_count,
    udp_wire_bytes,
)

PACKETS = st.integers(0, 100) | st.integers(0, 65535)
LINK_HEADERS = st.integers(0, 60)
DATAGRAMS = st.integers(0, 200) | st.integers(0, 65507)
MTUS = st.integers(576, 1600) | st.integers(576, 65535)


@given(DATAGRAMS, MTUS, st.sampled_from([(20, 0), (40, 8), (60, 0), (56, 8)]))
def test_fragments_carry_the_datagram_and_their_headers(
    datagram: int, mtu: int, headers: tuple[int, int]
) -> None:
    """Counted another way: fragment after fragment, each as full as it may be."""
    ip_header, fragment_header = headers
    left, packets = datagram + 8, []
    if left > mtu - ip_header:
        while left > mtu - ip_header - fragment_header:
            full = (mtu - ip_header - fragment_header) // 8 * 8
            packets.append(full + ip_header + fragment_header)
            left -= full
        packets.append(left + ip_header + fragment_header)
    else:
        packets.append(left + ip_header)
    assert udp_packet_count(datagram, mtu, *headers) == len(packets)
    wire = sum(20 + max(64, packet + 14 + 4) for packet in packets)
    assert udp_wire_bytes(datagram, mtu, *headers) == wire
