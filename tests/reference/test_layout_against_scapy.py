"""Lengths of stacks against frames that scapy builds (none is sent)."""

import warnings

import pytest

from netmodel.framing import (
    Layer,
    Stack,
    ethernet,
    ipv4,
    ipv6,
    qinq,
    tcp,
    udp,
    udp_packet_count,
    vlan,
)

pytest.importorskip("scapy")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from scapy.layers.inet import IP, TCP, UDP, IPOption_NOP, fragment
    from scapy.layers.inet6 import (
        IPv6,
        IPv6ExtHdrDestOpt,
        IPv6ExtHdrFragment,
        IPv6ExtHdrHopByHop,
        fragment6,
    )
    from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
    from scapy.packet import Packet, Raw

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

MACS = {"src": "02:00:00:00:00:01", "dst": "02:00:00:00:00:02"}
V4 = {"src": "192.0.2.1", "dst": "192.0.2.2"}
V6 = {"src": "2001:db8::1", "dst": "2001:db8::2"}
PORTS = {"sport": 9, "dport": 9}
NOP = ("NOP", None)
TIMESTAMPS = [NOP, NOP, ("Timestamp", (1, 2))]
FCS_BYTES = 4  # scapy leaves out the check sequence, the padding, the preamble and the gap
SHORTEST_FRAME_BYTES = 64
AROUND_FRAME_BYTES = 20


def selective_acknowledgement(blocks: int) -> list:
    return [NOP, NOP, ("SAck", tuple(range(2 * blocks)))]


LINKS = [
    ((ethernet(),), Ether(**MACS)),
    ((ethernet(), vlan()), Ether(**MACS) / Dot1Q(vlan=5)),
    ((ethernet(), vlan(), vlan()), Ether(**MACS) / Dot1Q(vlan=5) / Dot1Q(vlan=6)),
    ((ethernet(), qinq()), Ether(**MACS) / Dot1AD(vlan=5) / Dot1Q(vlan=6)),
]
INTERNETS = [
    (ipv4(), IP(**V4)),
    (ipv4(options_bytes=8), IP(**V4, options=[IPOption_NOP()] * 8)),
    (ipv4(options_bytes=40), IP(**V4, options=[IPOption_NOP()] * 40)),
    (ipv6(), IPv6(**V6)),
    (ipv6(extension_bytes=8), IPv6(**V6) / IPv6ExtHdrDestOpt()),
    (ipv6(extension_bytes=16), IPv6(**V6) / IPv6ExtHdrHopByHop() / IPv6ExtHdrDestOpt()),
]
TRANSPORTS = [
    (udp(), UDP(**PORTS)),
    (tcp(timestamps=False), TCP(**PORTS)),
    (tcp(), TCP(**PORTS, options=TIMESTAMPS)),
    (tcp(sack_blocks=1), TCP(**PORTS, options=TIMESTAMPS + selective_acknowledgement(1))),
    (tcp(sack_blocks=3), TCP(**PORTS, options=TIMESTAMPS + selective_acknowledgement(3))),
    (
        tcp(timestamps=False, sack_blocks=4),
        TCP(**PORTS, options=selective_acknowledgement(4)),
    ),
]


def names(layers: list[tuple[Layer, Packet]]) -> list[str]:
    return [str(layer) for layer, _ in layers]


def lengths_around_the_steps(headers_bytes: int) -> list[int]:
    """Payloads around the shortest frame and around packets of usual MTUs."""
    unpadded = SHORTEST_FRAME_BYTES - FCS_BYTES - headers_bytes
    steps = [0, unpadded, 1500 + 14 - headers_bytes, 9000 + 14 - headers_bytes]
    return sorted({step + near for step in steps for near in (-1, 0, 1) if step + near >= 0})


@pytest.mark.parametrize(("transport", "transport_header"), TRANSPORTS, ids=names(TRANSPORTS))
@pytest.mark.parametrize(("internet", "internet_header"), INTERNETS, ids=names(INTERNETS))
def test_a_stack_is_as_long_as_the_headers_that_scapy_builds(
    internet: Layer, internet_header: Packet, transport: Layer, transport_header: Packet
) -> None:
    inside_bytes = len(internet_header / transport_header)
    for link, link_header in LINKS:
        stack = Stack((*link, internet, transport))
        assert stack.link_header_bytes == len(link_header)
        assert stack.header_bytes == inside_bytes


@pytest.mark.parametrize("transport", TRANSPORTS[:3], ids=names(TRANSPORTS[:3]))
@pytest.mark.parametrize("internet", INTERNETS[::3], ids=names(INTERNETS[::3]))
@pytest.mark.parametrize("link", LINKS, ids=[str(Stack(link)) for link, _ in LINKS])
def test_frames_are_as_long_as_those_that_scapy_builds(
    link: tuple[tuple[Layer, ...], Packet],
    internet: tuple[Layer, Packet],
    transport: tuple[Layer, Packet],
) -> None:
    stack = Stack((*link[0], internet[0], transport[0]))
    headers = link[1] / internet[1] / transport[1]
    for payload_bytes in lengths_around_the_steps(len(headers)):
        sent_bytes = len(bytes(headers / Raw(bytes(payload_bytes)))) + FCS_BYTES
        frame_bytes = max(SHORTEST_FRAME_BYTES, sent_bytes)
        packet_bytes = sent_bytes - FCS_BYTES - stack.link_header_bytes
        assert stack.frame_bytes(packet_bytes) == frame_bytes
        assert stack.wire_bytes(packet_bytes) == frame_bytes + AROUND_FRAME_BYTES


@pytest.mark.parametrize(("internet", "header"), INTERNETS, ids=names(INTERNETS))
@pytest.mark.parametrize("mtu_bytes", [1500, 8992, 9000])
def test_a_full_packet_is_as_long_as_the_mtu(
    internet: Layer, header: Packet, mtu_bytes: int
) -> None:
    stack = Stack((ethernet(), internet, tcp()))
    segment = TCP(**PORTS, options=TIMESTAMPS) / Raw(bytes(stack.payload_bytes(mtu_bytes)))
    assert len(header / segment) == mtu_bytes


def wire_bytes_of(packets: list[Packet], link_header: Packet) -> int:
    frames = [len(bytes(link_header / packet)) + FCS_BYTES for packet in packets]
    return sum(max(SHORTEST_FRAME_BYTES, frame) + AROUND_FRAME_BYTES for frame in frames)


@pytest.mark.parametrize(("link", "link_header"), LINKS[:2], ids=["untagged", "tagged"])
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
