"""Tags and tunnels worked out by hand from the layouts in the standards.

ESP fills content, padding and 2 bytes of trailer up to blocks (RFC 4303, section 2.4). Around
them stand, in tunnel mode over IPv4,

    suite               IP  SPI, sequence  IV  check value  block  reference
    AES-GCM, ChaCha20   20        8         8      16         4    RFC 4106, RFC 7634
    AES-CBC + SHA-1     20        8        16      12        16    RFC 3602, RFC 2404
    AES-CBC + SHA-256   20        8        16      16        16    RFC 3602, RFC 4868

so of 1500 bytes AES-GCM leaves 1448 = 362 x 4, that is 1446 of content, and AES-CBC with SHA-256
1440 = 90 x 16, that is 1438.
"""

import pytest

from netmodel.errors import NetmodelError
from netmodel.framing import parse_stack

TCP = "ipv4/tcp+timestamps"  # 52 bytes of headers: RFC 791, RFC 9293, RFC 7323


@pytest.mark.parametrize(
    ("outside", "inner"),
    [
        ("ipv4/esp", 1446),
        ("ipv4/esp+suite=aes-gcm", 1446),
        ("ipv4/esp+suite=chacha20-poly1305", 1446),
        ("ipv4/esp+suite=aes-cbc-sha1", 1438),  # 1500 - 56 = 1444, of which 90 x 16
        ("ipv4/esp+suite=aes-cbc-sha256", 1438),
        ("ipv4/esp+natt", 1438),  # RFC 3948, 8 of UDP: 1500 - 60 = 360 x 4
        ("ipv4/esp+suite=aes-cbc-sha1+natt", 1422),  # 1500 - 64 = 1436, of which 89 x 16
        ("ipv4/esp+suite=aes-cbc-sha256+natt", 1422),  # 1500 - 68 = 1432, of which 89 x 16
        ("ipv6/esp", 1426),  # 1500 - 72 = 357 x 4
        ("ipv6/esp+suite=aes-cbc-sha1", 1422),  # 1500 - 76 = 89 x 16
        ("ipv6/esp+suite=aes-cbc-sha256", 1406),  # 1500 - 80 = 1420, of which 88 x 16
        ("ipv4/esp+implicit-iv", 1454),  # RFC 8750: 1500 - 44 = 364 x 4
        ("ipv4/esp+suite=chacha20-poly1305+implicit-iv", 1454),
        ("ipv4/ipv4/esp", 1426),  # 1500 - 72
    ],
)
def test_the_largest_packet_inside_esp(outside: str, inner: int) -> None:
    stack = parse_stack(f"ethernet/{outside}/{TCP}")
    assert stack.mtu_bytes(1500) == inner
    assert stack.outer_packet_bytes(inner) <= 1500 < stack.outer_packet_bytes(inner + 1)


@pytest.mark.parametrize(
    ("suite", "inner", "outer"),
    [
        ("aes-gcm", 52, 108),  # 20 + 16 + 56 + 16
        ("aes-gcm", 1000, 1056),  # 20 + 16 + 1004 + 16
        ("aes-gcm", 1446, 1500),
        ("aes-cbc-sha256", 52, 124),  # 20 + 24 + 64 + 16
        ("aes-cbc-sha256", 1000, 1068),  # 20 + 24 + 1008 + 16
        ("aes-cbc-sha256", 1438, 1500),
        ("aes-cbc-sha1", 52, 120),
        ("aes-cbc-sha1", 1438, 1496),
    ],
)
def test_the_size_of_a_packet_inside_esp(suite: str, inner: int, outer: int) -> None:
    stack = parse_stack(f"ethernet/ipv4/esp+suite={suite}/{TCP}")
    assert stack.outer_packet_bytes(inner) == outer


@pytest.mark.parametrize(
    ("esp", "payload", "packet"),
    [
        ("esp", 1414, 1500),  # 1446 - 32
        ("esp+implicit-iv", 1422, 1500),  # 1454 - 32
        ("esp+suite=aes-cbc-sha256", 1406, 1500),  # 1438 - 32
        ("esp+suite=aes-cbc-sha256+natt", 1390, 1492),  # 1422 - 32; 68 + 89 x 16
    ],
)
def test_transport_mode_saves_the_inner_ip_header(esp: str, payload: int, packet: int) -> None:
    """RFC 4303, section 3.1.1: the segment with its 32 bytes of header is the content."""
    stack = parse_stack(f"ethernet/ipv4/{esp}/tcp+timestamps")
    assert stack.mtu_bytes(1500) == 1500
    assert stack.payload_bytes(1500) == payload
    assert stack.packet_bytes(payload) == packet
    assert stack.packet_bytes(payload + 1) > 1500


def test_one_byte_more_can_cost_a_block() -> None:
    """1422 + 2 = 89 x 16; with one byte more it is 90 x 16."""
    stack = parse_stack(f"ethernet/ipv4/esp+suite=aes-cbc-sha256/{TCP}")
    assert [stack.wire_bytes(packet) for packet in (1422, 1423, 1438)] == [1522, 1538, 1538]


@pytest.mark.parametrize(("ip", "mtu"), [("ipv6", 1420), ("ipv4", 1440)])
def test_wireguard_leaves_the_mtus_that_its_author_names(ip: str, mtu: int) -> None:
    """J. A. Donenfeld, WireGuard mailing list (2017): 1420 over IPv6, 1440 over IPv4.

    By hand: IP 40 or 20, UDP 8, type 4, receiver 4, counter 8, check value 16.
    """
    assert parse_stack(f"ethernet/{ip}/udp/wireguard/{TCP}").mtu_bytes(1500) == mtu


@pytest.mark.parametrize(
    ("ip", "inner", "mtu", "outer"),
    [
        ("ipv6", 1420, 1420, 1500),
        ("ipv4", 1420, 1420, 1480),
        ("ipv4", 1440, 1440, 1500),
        ("ipv4", 52, 1420, 124),  # an acknowledgement: 64 + 60
        ("ipv6", 52, 1420, 144),
        ("ipv4", 64, 1420, 124),
        ("ipv4", 65, 1420, 140),
        ("ipv4", 1409, 1420, 1480),  # 1424 would be whole blocks, but the interface ends at 1420
        ("ipv4", 1408, 1420, 1468),
    ],
)
def test_wireguard_pads_to_16_but_not_beyond_its_interface(
    ip: str, inner: int, mtu: int, outer: int
) -> None:
    """J. A. Donenfeld, "WireGuard", section 5.4.6."""
    stack = parse_stack(f"ethernet/{ip}/udp/wireguard/{TCP}")
    assert stack.outer_packet_bytes(inner, mtu) == outer


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (52, 188),  # 64 + 60 = 124, padded to 128, and 60
        (1371, 1500),  # 1376 + 60 = 1436, padded to 1440, and 60
        (1377, 1500),  # 1380 + 60 = 1440, where each padding ends at its own interface
        (1380, 1500),
    ],
)
def test_wireguard_inside_wireguard_pads_to_each_interface(inner: int, outer: int) -> None:
    """1500 - 60 = 1440 is the MTU of the outer interface, 1440 - 60 = 1380 of the inner."""
    stack = parse_stack(f"ethernet/ipv4/udp/wireguard/ipv4/udp/wireguard/{TCP}")
    assert stack.mtu_bytes(1500) == 1380
    assert stack.outer_packet_bytes(inner, 1380) == outer


@pytest.mark.parametrize(
    ("outside", "inner"),
    [
        ("ipv4/udp/vxlan/ethernet", 1450),  # RFC 7348: 20 + 8 + 8 + 14
        ("ipv6/udp/vxlan/ethernet", 1430),
        ("ipv4/udp/vxlan/ethernet/vlan", 1446),
        ("ipv4/udp/geneve/ethernet", 1450),  # RFC 8926: 20 + 8 + 8 + 14
        ("ipv4/udp/geneve+options=8/ethernet", 1442),
        ("ipv6/udp/geneve+options=252/ethernet", 1178),
        ("ipv4/udp/geneve", 1464),
        ("ipv4/gre", 1476),  # RFC 2784: 20 + 4
        ("ipv6/gre", 1456),
        ("ipv4/gre+key", 1472),  # RFC 2890
        ("ipv4/gre+checksum+key+sequence", 1464),
        ("ipv4/gre/ethernet", 1462),  # frames instead of packets: 20 + 4 + 14
        ("ipv4/gre+key/ethernet/vlan", 1454),
        ("ipv4/gre/mpls", 1472),  # RFC 4023
        ("ipv4", 1480),  # RFC 2003
        ("ipv6", 1460),  # RFC 2473
        ("ipv4/ipv6", 1440),
        ("ipv4/udp/vxlan/ethernet/ipv4/udp/wireguard", 1390),  # 50 and 60
        ("ipv4/udp/wireguard/ipv4/udp/vxlan/ethernet", 1390),
        ("ipv4/gre/ipv4/esp", 1422),  # 1476 - 52 = 356 x 4
        ("ipv4/esp/ipv4/gre", 1422),  # 1446 - 24
        ("ipv4/esp+suite=aes-cbc-sha256/ipv4/gre", 1414),  # 1438 - 24
        ("ipv4/gre/ipv4/esp+suite=aes-cbc-sha256", 1406),  # 1476 - 60 = 1416, of which 88 x 16
    ],
)
def test_the_inner_mtu_at_an_outer_mtu_of_1500(outside: str, inner: int) -> None:
    stack = parse_stack(f"ethernet/{outside}/{TCP}")
    assert stack.mtu_bytes(1500) == inner
    assert stack.outer_packet_bytes(inner, inner) <= 1500


@pytest.mark.parametrize(
    ("outside", "outer"),
    [
        ("ipv4/udp/vxlan/ethernet/ipv4/udp/wireguard", 174),  # 64 + 60 + 50
        ("ipv4/udp/wireguard/ipv4/udp/vxlan/ethernet", 172),  # 102 is padded to 112, and 60
        ("ipv4/gre/ipv4/esp", 132),  # 108 + 24
        ("ipv4/esp/ipv4/gre", 132),  # 76 + 2 fills 80: 20 + 16 + 80 + 16
        ("ipv4/esp+suite=aes-cbc-sha256/ipv4/esp", 172),  # 108 + 2 fills 112: 60 + 112
        ("ipv4/esp/ipv4/esp+suite=aes-cbc-sha256", 180),  # 124 + 2 fills 128: 52 + 128
    ],
)
def test_an_acknowledgement_through_nested_tunnels(outside: str, outer: int) -> None:
    stack = parse_stack(f"ethernet/{outside}/{TCP}")
    assert stack.outer_packet_bytes(52, 1390) == outer


@pytest.mark.parametrize(
    ("text", "mtu", "payload", "wire", "efficiency"),
    [
        (f"ethernet/ipv4/esp/{TCP}", 1446, 1394, 1538, 0.906371912),
        (f"ethernet/ipv4/udp/vxlan/ethernet/{TCP}", 1500, 1448, 1588, 0.911838791),
        (f"ethernet/ipv4/udp/vxlan/ethernet/{TCP}", 1450, 1398, 1538, 0.908972692),
        (f"ethernet/ipv4/gre/{TCP}", 1476, 1424, 1538, 0.925877763),
        (f"ethernet/pppoe/{TCP}", 1492, 1440, 1538, 0.936280884),
        ("ethernet/ipv6+extension=8/tcp+timestamps", 1500, 1420, 1538, 0.923276983),
        (f"ethernet/mpls/{TCP}", 1500, 1448, 1542, 0.939040208),
        (f"ethernet/vlan/{TCP}", 1500, 1448, 1542, 0.939040208),
        (f"ethernet/qinq/{TCP}", 1500, 1448, 1546, 0.936610608),
        (f"ethernet/macsec+sci/{TCP}", 1500, 1448, 1570, 0.922292994),
        (f"ethernet/macsec/{TCP}", 1500, 1448, 1562, 0.927016645),
        (f"ethernet/qinq/mpls/mpls/{TCP}", 1500, 1448, 1554, 0.931788932),
        (f"ethernet/macsec+sci/vlan/{TCP}", 1500, 1448, 1574, 0.919949174),
    ],
)
def test_what_full_frames_carry(
    text: str, mtu: int, payload: int, wire: int, efficiency: float
) -> None:
    """RFC 7348, RFC 2784, RFC 2516, RFC 8200, RFC 3032, IEEE 802.1Q, 802.1ad and 802.1AE."""
    stack = parse_stack(text)
    assert stack.payload_bytes(mtu) == payload
    assert stack.wire_bytes(mtu) == wire
    assert payload / wire == pytest.approx(efficiency, abs=5e-10)


def test_only_tunnels_take_room_from_the_mtu() -> None:
    """IEEE 802.1Q, clause 9, and 802.1AE; RFC 2516, section 7: PPPoE has an MTU of 1492."""
    for link in ("ethernet/vlan", "ethernet/qinq", "ethernet/macsec+sci", "ethernet/mpls/mpls"):
        assert parse_stack(f"{link}/{TCP}").mtu_bytes(1500) == 1500
    session = parse_stack(f"ethernet/pppoe/{TCP}")
    assert session.frame_bytes(1492) == parse_stack(f"ethernet/{TCP}").frame_bytes(1500) == 1518


@pytest.mark.parametrize("mtu", [1492, 8992])
def test_llc_and_snap_take_the_8_bytes_that_odd_mtus_leave_free(mtu: int) -> None:
    """RFC 1042: with 3 of LLC and 5 of SNAP such a packet is as long as one of 1500 or 9000."""
    stack = parse_stack(f"ethernet/llc-snap/{TCP}")
    assert stack.frame_bytes(mtu) == 14 + 8 + mtu + 4
    assert stack.frame_bytes(mtu) in (1518, 9018)


def test_a_secured_tunnel_part_by_part() -> None:
    """RFC 4303: 1444 + 2 is no multiple of 4, so 2 bytes of padding follow 1392 of payload."""
    stack = parse_stack(f"ethernet/ipv4/esp/{TCP}")
    named = [(part.name, part.bytes) for part in stack.full_frame_parts(1444)]
    assert named[2:6] == [
        ("ethernet_header", 14),
        ("ipv4_header", 20),
        ("esp_header", 8),
        ("esp_iv", 8),
    ]
    assert named[9:13] == [
        ("payload", 1392),
        ("esp_padding", 2),
        ("esp_trailer", 2),
        ("esp_icv", 16),
    ]


@pytest.mark.parametrize("suite", ["aes-cbc-sha1", "aes-cbc-sha256"])
def test_chained_blocks_need_their_vector(suite: str) -> None:
    """RFC 8750, section 2: for AES-CTR, AES-CCM, AES-GCM and ChaCha20-Poly1305 only."""
    with pytest.raises(NetmodelError, match="must send its initialisation vector"):
        parse_stack(f"ethernet/ipv4/esp+suite={suite}+implicit-iv/ipv4/tcp")
