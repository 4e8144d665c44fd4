"""Datagrams in fragments, counted by hand from the rules of IP."""

import pytest

from netmodel.ceilings import layer_rate_bps
from netmodel.framing import Stack, ethernet, ipv6, udp, udp_packet_count, udp_stack, udp_wire_bytes


@pytest.mark.parametrize(
    ("datagram_bytes", "mtu_bytes", "packets", "wire_bytes"),
    [
        (1472, 1500, 1, 1538),  # fills one packet: 1472 + 8 + 20
        (1473, 1500, 2, 1538 + 84),  # the last byte in a padded frame
        (30720, 1500, 21, 31946),  # 30728 = 20 * 1480 + 1128; 30728 + 21 * 58
        (30720, 9000, 4, 30960),  # 30728 = 3 * 8976 + 3800; 30728 + 4 * 58
        (0, 1500, 1, 84),
        (65507, 1500, 45, 65515 + 45 * 58),  # the largest: 65515 = 44 * 1480 + 395
    ],
)
def test_ipv4_fragments(datagram_bytes: int, mtu_bytes: int, packets: int, wire_bytes: int) -> None:
    """RFC 791, section 3.2: multiples of 8 bytes; each frame has 20 + 38 bytes around them."""
    assert udp_packet_count(datagram_bytes, mtu_bytes) == packets
    assert udp_wire_bytes(datagram_bytes, mtu_bytes) == wire_bytes
    assert udp_stack().message_wire_bytes(datagram_bytes, mtu_bytes) == wire_bytes


@pytest.mark.parametrize(
    ("datagram_bytes", "mtu_bytes", "packets", "wire_bytes"),
    [
        (1452, 1500, 1, 1538),  # fits without a fragment header: 1452 + 8 + 40
        (1453, 1500, 2, 1461 + 2 * 86),  # 1461 = 1448 + 13
        (30720, 1500, 22, 32620),  # 30728 = 21 * 1448 + 320; 30728 + 22 * 86
        (30720, 9000, 4, 30728 + 4 * 86),  # 30728 = 3 * 8952 + 3872
        (2464, 1280, 3, 2472 + 3 * 86),  # 2472 = 2 * 1232 + 8
    ],
)
def test_ipv6_fragments(datagram_bytes: int, mtu_bytes: int, packets: int, wire_bytes: int) -> None:
    """RFC 8200, section 4.5: 8 bytes of fragment header, so 48 + 38 around each fragment."""
    assert udp_packet_count(datagram_bytes, mtu_bytes, 40, 8) == packets
    assert udp_wire_bytes(datagram_bytes, mtu_bytes, 40, 8) == wire_bytes
    assert udp_stack(ip_version=6).message_wire_bytes(datagram_bytes, mtu_bytes) == wire_bytes


def test_extension_headers_stand_in_every_fragment() -> None:
    """By hand, MTU 1500: 1500 - 40 - 16 - 8 leaves 1432; 30728 = 21 * 1432 + 656."""
    stack = Stack((ethernet(), ipv6(extension_bytes=16), udp()))
    assert stack.message_wire_bytes(30720, 1500) == 30728 + 22 * (38 + 40 + 16 + 8)


def test_datagrams_of_30_kib_on_25_gbe() -> None:
    """By hand: 25 * 30720 / 31946 = 24.040568 and 25 * 30720 / 30960 = 24.806202."""
    rates = [layer_rate_bps(25e9, 30720, udp_wire_bytes(30720, mtu)) for mtu in (1500, 9000)]
    assert rates == pytest.approx([24.040568e9, 24.806202e9], rel=0, abs=500)
