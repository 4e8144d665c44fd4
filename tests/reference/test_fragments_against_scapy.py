"""Fragments of datagrams against those that scapy cuts (none is sent)."""

import warnings

import pytest

from netmodel.framing import (
    Layer,
    Stack,
    ethernet,
    ipv4,
    ipv6,
    udp,
    udp_packet_count,
    vlan,
)

pytest.importorskip("scapy")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from scapy.layers.inet import IP, UDP, fragment
    from scapy.layers.inet6 import (
        IPv6,
        IPv6ExtHdrFragment,
        fragment6,
    )
    from scapy.layers.l2 import Dot1Q, Ether
    from scapy.packet import Packet, Raw

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

MACS = {"src": "02:00:00:00:00:01", "dst": "02:00:00:00:00:02"}
V4 = {"src": "192.0.2.1", "dst": "192.0.2.2"}
V6 = {"src": "2001:db8::1", "dst": "2001:db8::2"}
PORTS = {"sport": 9, "dport": 9}
FCS_BYTES = 4  # scapy leaves out the check sequence, the padding, the preamble and the gap
SHORTEST_FRAME_BYTES = 64
AROUND_FRAME_BYTES = 20


LINKS = [
    ((ethernet(),), Ether(**MACS)),
    ((ethernet(), vlan()), Ether(**MACS) / Dot1Q(vlan=5)),
]


def wire_bytes_of(packets: list[Packet], link_header: Packet) -> int:
    frames = [len(bytes(link_header / packet)) + FCS_BYTES for packet in packets]
    return sum(max(SHORTEST_FRAME_BYTES, frame) + AROUND_FRAME_BYTES for frame in frames)


@pytest.mark.parametrize(("link", "link_header"), LINKS, ids=["untagged", "tagged"])
@pytest.mark.parametrize(
    ("datagram_bytes", "mtu_bytes"),
    [
        *((datagram, 576) for datagram in (1, 548, 549, 1100, 1101)),  # 556 holds 552, not 556
        *((datagram, 1500) for datagram in (1, 1472, 1473, 2952, 2953, 30720)),
        *((datagram, 9000) for datagram in (8972, 8973, 30720, 65507)),
    ],
)
def test_ipv4_fragments_are_those_that_scapy_cuts(
    link: tuple[Layer, ...], link_header: Packet, datagram_bytes: int, mtu_bytes: int
) -> None:
    datagram = IP(**V4) / UDP(**PORTS) / Raw(bytes(datagram_bytes))
    packets = (
        fragment(datagram, fragsize=mtu_bytes - 20) if len(datagram) > mtu_bytes else [datagram]
    )
    stack = Stack((*link, ipv4(), udp()))
    assert udp_packet_count(datagram_bytes, mtu_bytes) == len(packets)
    assert stack.message_wire_bytes(datagram_bytes, mtu_bytes) == wire_bytes_of(
        packets, link_header
    )


@pytest.mark.parametrize("mtu_bytes", [1280, 1500, 9000])
@pytest.mark.parametrize("datagram_bytes", [1, 1452, 1453, 2464, 2465, 30720, 60000])
def test_ipv6_fragments_are_those_that_scapy_cuts(mtu_bytes: int, datagram_bytes: int) -> None:
    payload = UDP(**PORTS) / Raw(bytes(datagram_bytes))
    packets = [IPv6(**V6) / payload]
    if len(packets[0]) > mtu_bytes:
        packets = fragment6(IPv6(**V6) / IPv6ExtHdrFragment() / payload, mtu_bytes)
    stack = Stack((ethernet(), ipv6(), udp()))
    assert udp_packet_count(datagram_bytes, mtu_bytes, 40, 8) == len(packets)
    assert stack.message_wire_bytes(datagram_bytes, mtu_bytes) == wire_bytes_of(
        packets, Ether(**MACS)
    )
