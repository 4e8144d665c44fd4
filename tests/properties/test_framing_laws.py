"""Laws of frames, stacks and fragments, for any sizes."""

from hypothesis import assume, given
from hypothesis import strategies as st
from testing.strategies import ip_layers, link_layers

from netmodel.framing import (
    Layer,
    Stack,
    frame_bytes,
    udp,
    udp_packet_count,
    udp_wire_bytes,
    wire_bytes,
)

PACKETS = st.integers(0, 100) | st.integers(0, 65535)
LINK_HEADERS = st.integers(0, 60)
DATAGRAMS = st.integers(0, 200) | st.integers(0, 65507)
MTUS = st.integers(576, 1600) | st.integers(576, 65535)


@given(PACKETS, LINK_HEADERS)
def test_a_frame_is_padded_only_up_to_the_shortest(packet: int, link_header: int) -> None:
    bare = packet + link_header + 4
    frame = frame_bytes(packet, link_header)
    assert frame >= 64
    if bare >= 64:
        assert frame == bare
    else:
        assert frame == 64
    assert wire_bytes(packet, link_header) - frame == 7 + 1 + 12


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


@given(link_layers, ip_layers, DATAGRAMS, MTUS)
def test_a_datagram_that_fits_is_a_packet_like_any_other(
    link: tuple[Layer, ...], ip: Layer, datagram: int, mtu: int
) -> None:
    stack = Stack((*link, ip, udp()))
    packet = stack.header_bytes + datagram
    assume(packet <= 65535)
    mtu = max(mtu, packet, stack.minimum_mtu_bytes)
    assert stack.message_wire_bytes(datagram, mtu) == stack.wire_bytes(packet)
