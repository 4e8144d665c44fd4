"""Random stacks of the layers that scapy builds without keys, as long as its packets."""

import random
import warnings
from collections.abc import Callable

import pytest

from netmodel.framing import parse_stack

pytest.importorskip("scapy")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from scapy.contrib.geneve import GENEVE, GeneveOptions
    from scapy.contrib.mpls import MPLS
    from scapy.layers.inet import IP, TCP, UDP, IPOption_NOP
    from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt
    from scapy.layers.l2 import GRE, LLC, SNAP, Dot1AD, Dot1Q, Dot3, Ether
    from scapy.layers.ppp import PPP, PPPoE
    from scapy.layers.vxlan import VXLAN
    from scapy.packet import Packet, Raw

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

STACK_COUNT = 120
MOST_TUNNELS = 3
FCS_BYTES = 4  # scapy leaves it out, with the padding of short frames
SHORTEST_FRAME_BYTES = 64
WORD_BYTES = 4
MOST_SACK_BLOCKS = {True: 3, False: 4}
"""What fits into 40 byte of options beside timestamps, and without (RFC 2018, section 3)."""

Chance = random.Random
Built = tuple[str, Packet]


def ether() -> Packet:
    return Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")


def tags(chance: Chance) -> Built:
    """Tags behind an Ethernet header, of one or two kinds."""
    text, packet = "ethernet", ether()
    if chance.random() < 0.3:
        text, packet = f"{text}/qinq", packet / Dot1AD(vlan=5) / Dot1Q(vlan=6)
    for number in range(chance.choice((0, 0, 1, 2))):
        text, packet = f"{text}/vlan", packet / Dot1Q(vlan=7 + number)
    return text, packet


def link(chance: Chance) -> Built:
    text, packet = tags(chance)
    if text == "ethernet" and chance.random() < 0.15:
        header = Dot3(src="02:00:00:00:00:01") / LLC(dsap=170, ssap=170, ctrl=3) / SNAP(code=0x800)
        return "ethernet/llc-snap", header
    labels = chance.choice((0, 0, 0, 1, 2, 3))
    for number in range(labels):
        text, packet = f"{text}/mpls", packet / MPLS(s=int(number == labels - 1))
    if not labels and chance.random() < 0.15:
        text, packet = f"{text}/pppoe", packet / PPPoE(sessionid=1) / PPP()
    return text, packet


def internet(chance: Chance) -> Built:
    """IPv4 with options, or IPv6 with extension headers of 8 byte each."""
    if chance.random() < 0.5:
        words = chance.choice((0, 0, 1, 5, 10))
        options = f"+options={WORD_BYTES * words}" if words else ""
        return f"ipv4{options}", IP(
            src="192.0.2.1", dst="192.0.2.2", options=[IPOption_NOP()] * (WORD_BYTES * words)
        )
    packet: Packet = IPv6(src="2001:db8::1", dst="2001:db8::2")
    count = chance.choice((0, 0, 1, 3))
    for _ in range(count):
        packet = packet / IPv6ExtHdrDestOpt()
    return f"ipv6+extension={8 * count}" if count else "ipv6", packet


def gre(chance: Chance) -> Built:
    checksum, key, sequence = (chance.random() < 0.4 for _ in range(3))
    text = "gre" + "+checksum" * checksum + "+key" * key + "+sequence" * sequence
    fields = {
        **({"chksum_present": 1} if checksum else {}),
        **({"key_present": 1, "key": 1} if key else {}),
        **({"seqnum_present": 1, "sequence_number": 1} if sequence else {}),
    }
    if chance.random() < 0.3:
        inner, frame = tags(chance)
        return f"{text}/{inner}", GRE(**fields, proto=0x6558) / frame
    if chance.random() < 0.2:
        return f"{text}/mpls", GRE(**fields, proto=0x8847) / MPLS()
    return text, GRE(**fields)


def vxlan(chance: Chance) -> Built:
    inner, frame = tags(chance)
    return f"udp/vxlan/{inner}", UDP(sport=49152, dport=4789) / VXLAN(vni=1) / frame


def geneve(chance: Chance) -> Built:
    words = [chance.randint(0, 31) for _ in range(chance.choice((0, 0, 1, 2)))]
    options_bytes = WORD_BYTES * sum(1 + each for each in words)
    header = GENEVE(
        proto=0x6558, options=[GeneveOptions(data=bytes(WORD_BYTES * each)) for each in words]
    )
    text = f"udp/geneve+options={options_bytes}" if words else "udp/geneve"
    inner, frame = tags(chance)
    return f"{text}/{inner}", UDP(sport=49152, dport=6081) / header / frame


def nothing(chance: Chance) -> Built:
    """IP in IP."""
    return "", Packet()


TUNNELS: tuple[Callable[[Chance], Built], ...] = (gre, vxlan, geneve, nothing)


def transport(chance: Chance) -> Built:
    if chance.random() < 0.3:
        return "udp", UDP(sport=9, dport=9)
    timestamps = chance.random() < 0.5
    blocks = chance.randint(0, MOST_SACK_BLOCKS[timestamps])
    options: list[object] = [("NOP", None), ("NOP", None), ("Timestamp", (1, 2))] * timestamps
    if blocks:
        options += [("NOP", None), ("NOP", None), ("SAck", tuple(range(2 * blocks)))]
    text = "tcp" + "+timestamps" * timestamps + f"+sack={blocks}" * bool(blocks)
    return text, TCP(sport=9, dport=9, options=options)


def joined(texts: list[str]) -> str:
    return "/".join(text for text in texts if text)


@pytest.mark.parametrize("seed", range(STACK_COUNT))
def test_a_random_stack_is_as_long_as_its_packet(seed: int) -> None:
    chance = random.Random(seed)
    link_text, frame = link(chance)
    outer: list[Built] = []
    for _ in range(chance.randint(0, MOST_TUNNELS)):
        outer += [internet(chance), chance.choice(TUNNELS)(chance)]
    inner = [internet(chance), transport(chance)]
    stack = parse_stack(joined([link_text, *(text for text, _ in (*outer, *inner))]))
    payload = Raw(bytes(chance.choice((0, 1, chance.randint(2, 60), chance.randint(61, 1400)))))

    packet: Packet = inner[0][1] / inner[1][1] / payload
    packet_bytes = len(bytes(packet))
    for text, header in reversed(outer):
        packet = header / packet if text else packet
    sent_bytes = len(bytes(frame / packet))
    assert stack.packet_bytes(len(payload)) == packet_bytes
    assert stack.outer_packet_bytes(packet_bytes) == len(bytes(packet))
    assert stack.link_header_bytes == len(bytes(frame))
    assert stack.frame_bytes(packet_bytes) == max(SHORTEST_FRAME_BYTES, sent_bytes + FCS_BYTES)
