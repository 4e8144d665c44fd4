"""Lengths of secured and RDMA packets against those that scapy builds."""

import warnings

import pytest

from netmodel.framing import parse_stack

pytest.importorskip("scapy")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from scapy.config import conf
    from scapy.contrib.macsec import MACsecSA
    from scapy.contrib.roce import BTH, GRH
    from scapy.layers.inet import IP, TCP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.layers.ipsec import ESP, SecurityAssociation
    from scapy.layers.l2 import Dot1Q, Ether
    from scapy.packet import Packet, Raw

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
needs_cryptography = pytest.mark.skipif(
    not conf.crypto_valid, reason="scapy encrypts only with the cryptography package"
)

MACS = {"src": "02:00:00:00:00:01", "dst": "02:00:00:00:00:02"}
ETHER = Ether(**MACS)
V4 = IP(src="192.0.2.1", dst="192.0.2.2")
V6 = IPv6(src="2001:db8::1", dst="2001:db8::2")
INNER_V4 = IP(src="198.51.100.1", dst="198.51.100.2")
TIMESTAMPS = [("NOP", None), ("NOP", None), ("Timestamp", (1, 2))]
SEGMENT = TCP(sport=9, dport=9, options=TIMESTAMPS)

FCS_BYTES = 4  # scapy leaves it out, with the padding of short frames
SHORTEST_FRAME_BYTES = 64
PAYLOADS = [*range(18), 500, 1397, 1398, 1399, 8900]


def frame_bytes(sent_bytes: int) -> int:
    return max(SHORTEST_FRAME_BYTES, sent_bytes + FCS_BYTES)


ROCE = {
    "ethernet/rocev1": ETHER / GRH(),
    "ethernet/vlan/rocev1": ETHER / Dot1Q() / GRH(),
    "ethernet/ipv4/udp/rocev2": ETHER / V4 / UDP(dport=4791),
    "ethernet/ipv6/udp/rocev2": ETHER / V6 / UDP(dport=4791),
}


@pytest.mark.parametrize(("text", "outside"), ROCE.items(), ids=list(ROCE))
def test_rdma_packets(text: str, outside: Packet) -> None:
    """scapy builds the CRC; the padding is what the packet states as its pad count."""
    stack = parse_stack(text)
    for payload in [*range(9), 255, 256, 1024, 4095, 4096]:
        pad = -payload % 4
        transport = BTH(opcode=7, padcount=pad, icrc=0)  # a middle packet of a write
        sent = bytes(outside / transport / Raw(bytes(payload + pad)))
        packet_bytes = stack.packet_bytes(payload)
        assert packet_bytes == len(sent) - stack.link_header_bytes
        assert stack.frame_bytes(packet_bytes) == frame_bytes(len(sent))


@needs_cryptography
@pytest.mark.parametrize("tags", [0, 2])
@pytest.mark.parametrize(("text", "sci"), [("macsec", False), ("macsec+sci", True)])
def test_frames_secured_by_macsec(text: str, sci: bool, tags: int) -> None:
    stack = parse_stack("/".join(["ethernet", text, *["vlan"] * tags, "ipv4/tcp+timestamps"]))
    association = MACsecSA(
        sci=bytes(8), an=0, pn=100, key=bytes(16), icvlen=16, encrypt=1, send_sci=int(sci)
    )
    for payload in PAYLOADS:
        packet = V4 / SEGMENT / Raw(bytes(payload))
        plain = ETHER
        for _ in range(tags):
            plain = plain / Dot1Q(vlan=5)
        secured = association.encrypt(association.encap(plain / packet))
        assert stack.frame_bytes(len(packet)) == frame_bytes(len(bytes(secured)))


SUITES: dict[str, dict[str, object]] = {
    "aes-gcm": {"crypt_algo": "AES-GCM", "crypt_key": bytes(20)},
    "chacha20-poly1305": {"crypt_algo": "CHACHA20-POLY1305", "crypt_key": bytes(36)},
    "aes-cbc-sha1": {
        "crypt_algo": "AES-CBC",
        "crypt_key": bytes(16),
        "auth_algo": "HMAC-SHA1-96",
        "auth_key": bytes(20),
    },
    "aes-cbc-sha256": {
        "crypt_algo": "AES-CBC",
        "crypt_key": bytes(16),
        "auth_algo": "SHA2-256-128",
        "auth_key": bytes(32),
    },
}
NAT_TRAVERSAL = UDP(sport=4500, dport=4500)
SIZES_AROUND_BLOCKS = [*range(34), 500, *range(1380, 1415)]


def secured_bytes(packet: Packet, **arguments: object) -> int:
    association = SecurityAssociation(ESP, spi=1, **arguments)
    return len(bytes(association.encrypt(packet)))


@needs_cryptography
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize(
    ("ip", "header", "natt"),
    [("ipv4", V4, False), ("ipv4", V4, True), ("ipv6", V6, False)],
    ids=["ipv4", "ipv4_natt", "ipv6"],
)
def test_packets_through_esp_in_tunnel_mode(
    ip: str, header: Packet, natt: bool, suite: str
) -> None:
    """scapy puts UDP in front of ESP over IPv4 only."""
    stack = parse_stack(f"ethernet/{ip}/esp+suite={suite}{'+natt' * natt}/ipv4/tcp+timestamps")
    arguments = {**SUITES[suite], "nat_t_header": NAT_TRAVERSAL if natt else None}
    for payload in SIZES_AROUND_BLOCKS:
        packet = INNER_V4 / SEGMENT / Raw(bytes(payload))
        expected = secured_bytes(packet, tunnel_header=header, **arguments)
        assert stack.outer_packet_bytes(len(packet)) == expected
