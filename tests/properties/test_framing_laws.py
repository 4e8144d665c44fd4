"""Laws of frames, stacks and fragments, for any sizes."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from testing.strategies import full_packets, ip_layers, link_layers, stacks, tcp_layers

from netmodel.framing import (
    MIN_FRAME_BYTES,
    Layer,
    Part,
    Stack,
    frame_bytes,
    payload_bytes,
    tcp,
    udp,
    udp_packet_count,
    udp_stack,
    udp_wire_bytes,
    wire_bytes,
)

PACKETS = st.integers(0, 100) | st.integers(0, 65535)
LINK_HEADERS = st.integers(0, 60)
DATAGRAMS = st.integers(0, 200) | st.integers(0, 65507)
MTUS = st.integers(576, 1600) | st.integers(576, 65535)
SHORTEST_FRAGMENT_PADDING_BYTES = 64 - 14 - 20 - 1 - 4


def lengths(parts: tuple[Part, ...]) -> dict[str, int]:
    return {part.name: part.bytes for part in parts}


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


@given(PACKETS, LINK_HEADERS)
def test_a_longer_packet_never_takes_a_shorter_frame(packet: int, link_header: int) -> None:
    step = frame_bytes(packet + 1, link_header) - frame_bytes(packet, link_header)
    assert step == (1 if packet + link_header + 5 > 64 else 0)
    assert frame_bytes(packet, link_header + 1) == frame_bytes(packet + 1, link_header)


@given(st.integers(0, 1000), st.integers(1, 60_000))
def test_headers_and_payload_fill_the_mtu(header: int, payload: int) -> None:
    assert payload_bytes(header + payload, header) == payload


@given(full_packets())
def test_parts_add_up_to_the_wire(full_packet: tuple[Stack, int]) -> None:
    stack, mtu_bytes = full_packet
    parts = stack.parts(mtu_bytes)
    assert sum(part.bytes for part in parts) == stack.wire_bytes(mtu_bytes)
    named = lengths(parts)
    assert named["payload"] == stack.payload_bytes(mtu_bytes)
    assert named["payload"] == mtu_bytes - stack.header_bytes
    assert "padding" not in named or stack.frame_bytes(mtu_bytes) == MIN_FRAME_BYTES


@given(stacks, st.integers(0, 100))
def test_small_packets_are_padded_by_what_is_missing(stack: Stack, payload: int) -> None:
    packet = stack.header_bytes + payload
    named = lengths(stack.parts(packet))
    bare = packet + stack.link_header_bytes + 4
    assert named.get("padding", 0) == max(0, 64 - bare)
    assert named.get("payload", 0) == payload
    assert all(length > 0 for length in named.values())


@given(stacks)
def test_parts_stand_in_the_order_of_the_wire(stack: Stack) -> None:
    named = list(lengths(stack.parts(stack.minimum_mtu_bytes)))
    assert named[:3] == ["preamble", "sfd", "ethernet_header"]
    assert named[-2:] == ["fcs", "interframe_gap"]
    assert named.index("payload") > max(
        named.index(part.name) for layer in stack.layers for part in layer.header
    )


@given(link_layers, ip_layers, tcp_layers)
def test_each_layer_adds_its_header(link: tuple[Layer, ...], ip: Layer, transport: Layer) -> None:
    stack = Stack((*link, ip, transport))
    assert stack.link_header_bytes == sum(layer.header_bytes for layer in link)
    assert stack.header_bytes == ip.header_bytes + transport.header_bytes
    assert stack.minimum_mtu_bytes >= stack.header_bytes + 1
    assert str(stack) == "/".join(str(layer) for layer in stack.layers)
    assert stack.protocols == tuple(str(layer).split("+")[0] for layer in stack.layers)


@given(st.booleans(), st.integers(0, 3))
def test_tcp_headers_are_whole_words_of_at_most_60_bytes(timestamps: bool, blocks: int) -> None:
    header = tcp(timestamps=timestamps, sack_blocks=blocks).header_bytes
    assert header % 4 == 0
    assert 20 <= header <= 60


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


@given(DATAGRAMS, MTUS, st.sampled_from([(20, 0), (40, 8)]))
def test_a_datagram_takes_more_on_the_wire_than_it_has(
    datagram: int, mtu: int, headers: tuple[int, int]
) -> None:
    count = udp_packet_count(datagram, mtu, *headers)
    assert count >= 1
    assert (count == 1) == (datagram + 8 + headers[0] <= mtu)
    assert udp_wire_bytes(datagram, mtu, *headers) >= datagram + 8 + count * (38 + headers[0])


@given(DATAGRAMS, MTUS, MTUS)
def test_a_larger_mtu_never_takes_more_packets(datagram: int, first: int, second: int) -> None:
    small, large = sorted((first, second))
    assert udp_packet_count(datagram, large) <= udp_packet_count(datagram, small)
    assert udp_wire_bytes(datagram, large) <= (
        udp_wire_bytes(datagram, small) + SHORTEST_FRAGMENT_PADDING_BYTES
    )


@given(DATAGRAMS, MTUS)
def test_a_larger_datagram_never_takes_less(datagram: int, mtu: int) -> None:
    assert udp_packet_count(datagram + 1, mtu) >= udp_packet_count(datagram, mtu)
    assert udp_wire_bytes(datagram + 1, mtu) >= udp_wire_bytes(datagram, mtu)


@given(st.integers(0, 32_000), st.integers(0, 32_000), MTUS)
def test_one_datagram_takes_no_more_than_two_of_its_halves(
    first: int, second: int, mtu: int
) -> None:
    """But for the padding of a last fragment, less the UDP header that is saved."""
    together = udp_packet_count(first + second, mtu)
    assert together <= udp_packet_count(first, mtu) + udp_packet_count(second, mtu)
    most = udp_wire_bytes(first, mtu) + udp_wire_bytes(second, mtu)
    assert udp_wire_bytes(first + second, mtu) <= most + SHORTEST_FRAGMENT_PADDING_BYTES - 8


@given(link_layers, ip_layers, DATAGRAMS, MTUS)
def test_a_datagram_that_fits_is_a_packet_like_any_other(
    link: tuple[Layer, ...], ip: Layer, datagram: int, mtu: int
) -> None:
    stack = Stack((*link, ip, udp()))
    packet = stack.header_bytes + datagram
    assume(packet <= 65535)
    mtu = max(mtu, packet, stack.minimum_mtu_bytes)
    assert stack.datagram_wire_bytes(datagram, mtu) == stack.wire_bytes(packet)


@pytest.mark.parametrize("ip_version", [4, 6])
@given(datagram=DATAGRAMS, mtu=st.integers(1280, 65535), tags=st.integers(0, 3))
@settings(max_examples=50)
def test_tags_lengthen_every_fragment(ip_version: int, datagram: int, mtu: int, tags: int) -> None:
    plain = udp_stack(ip_version=ip_version).datagram_wire_bytes(datagram, mtu)
    tagged = udp_stack(ip_version=ip_version, vlan_tags=tags).datagram_wire_bytes(datagram, mtu)
    headers = (20, 0) if ip_version == 4 else (40, 8)
    most = 4 * tags * udp_packet_count(datagram, mtu, *headers)
    assert most - 4 * tags <= tagged - plain <= most
