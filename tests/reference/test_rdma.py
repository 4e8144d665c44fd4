"""RDMA packets worked out by hand from their headers.

InfiniBand Architecture Specification, annexes A16 and A17: base transport header 12 and invariant
CRC 4 around a payload padded to 4; in front of them a global route header of 40 (RoCE version 1) or
IP 20 or 40 and UDP 8 (version 2). With 38 of Ethernet that is 94, 82 and 102 around the payload.
"""

import pytest

from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import parse_stack, rdma_mtu_bytes

V1 = "ethernet/rocev1"
V2_IPV4 = "ethernet/ipv4/udp/rocev2"
V2_IPV6 = "ethernet/ipv6/udp/rocev2"
IWARP = "ethernet/ipv4/tcp+timestamps/iwarp"
MARKED = "ethernet/ipv4/tcp+timestamps/mpa-markers/iwarp"

FULL_PACKETS = [
    (V1, 1024, 1118, 0.915921),
    (V1, 4096, 4190, 0.977566),
    (V2_IPV4, 256, 338, 0.757396),
    (V2_IPV4, 512, 594, 0.861953),
    (V2_IPV4, 1024, 1106, 0.925859),
    (V2_IPV4, 2048, 2130, 0.961502),
    (V2_IPV4, 4096, 4178, 0.980373),
    (V2_IPV6, 1024, 1126, 0.909414),
    (V2_IPV6, 4096, 4198, 0.975703),
]


@pytest.mark.parametrize(
    ("mtu", "rdma_mtu"),
    [
        *((1500, 1024), (2048, 1024), (2144, 2048), (4191, 2048), (4192, 4096), (9000, 4096)),
        *((352, 256), (607, 256), (608, 512), (1119, 512), (1120, 1024), (2143, 1024)),
        (65535, 4096),
    ],
)
def test_the_rdma_mtu_leaves_room_for_96_bytes_of_headers(mtu: int, rdma_mtu: int) -> None:
    """Linux, include/rdma/ib_addr.h: route 40, UDP 8, transport 12, XRC 4, atomic 28, CRC 4."""
    assert rdma_mtu_bytes(mtu) == rdma_mtu
    assert parse_stack(V2_IPV4).payload_bytes(mtu) == rdma_mtu


@pytest.mark.parametrize("mtu", [351, 0, -1])
def test_an_interface_too_small_for_rdma_is_refused(mtu: int) -> None:
    """256 + 96 = 352."""
    with pytest.raises(DomainError, match=f"mtu_bytes must be at least 352 byte; got {mtu}"):
        rdma_mtu_bytes(mtu)


@pytest.mark.parametrize(("text", "rdma_mtu", "wire", "efficiency"), FULL_PACKETS)
def test_a_full_middle_packet(text: str, rdma_mtu: int, wire: int, efficiency: float) -> None:
    stack = parse_stack(text)
    assert stack.wire_bytes(stack.packet_bytes(rdma_mtu)) == wire
    assert rdma_mtu / wire == pytest.approx(efficiency, abs=5e-7)


@pytest.mark.parametrize(
    ("text", "mtu", "gbps"),
    [(V2_IPV4, 1500, 23.146474), (V2_IPV4, 9000, 24.509335), (V1, 1500, 22.898032)],
)
def test_what_rdma_carries_over_25_gbps(text: str, mtu: int, gbps: float) -> None:
    ceiling = line_ceiling(25e9, mtu, parse_stack(text))
    assert ceiling.payload_rate_bps / 1e9 == pytest.approx(gbps, abs=5e-7)


@pytest.mark.parametrize(
    ("text", "wire"),
    [
        (V2_IPV4, 86),
        (V1, 98),
        (V2_IPV6, 4 + 102),
        (f"{V1}/smcr", 98),
        (f"{V2_IPV4}/smcr", 86),
        ("ethernet/vlan/ipv4/udp/rocev2", 86 + 4),
        # UDP 8 + transport 12 + 4 + CRC 4 = 28, with a trailer of 2 padded to 32: that, ESP 8 + 8
        # in front and 16 behind, IP 20 and 38 of Ethernet.
        ("ethernet/ipv4/esp/udp/rocev2", 32 + 32 + 20 + 38),
    ],
)
def test_an_acknowledgement_carries_4_bytes_of_its_own_header(text: str, wire: int) -> None:
    """The AETH of 4 bytes stands where the payload of other packets does: 4 + 82 and 4 + 94."""
    stack = parse_stack(text)
    assert stack.acknowledgement_wire_bytes(1500) == wire
    assert stack.wire_bytes(stack.packet_bytes(4), 1500) == wire
    assert {each.acknowledgement_bytes for each in stack.layers} == {None, 4}


@pytest.mark.parametrize(
    ("operation", "message", "wire"),
    [
        ("", 512, 512 + 82 + 16),
        ("", 1025, 1028 + 2 * 82 + 16),
        ("+operation=write", 1024, 1024 + 82 + 16),
        ("+operation=send", 512, 512 + 82),
        ("+operation=send", 3000, 3000 + 3 * 82),
        ("+operation=read", 512, 512 + 82 + 4),
        ("+operation=read", 1024, 1024 + 82 + 4),
        ("+operation=read", 1025, 1028 + 2 * (82 + 4)),
        ("+operation=read", 4000, 4000 + 4 * 82 + 2 * 4),
    ],
)
def test_headers_depend_on_the_operation(operation: str, message: int, wire: int) -> None:
    """
    InfiniBand specification, section 9.3: BTH 12 and ICRC 4 of every packet.

    RETH 16 in the first packet of a write, AETH 4 in the first, last or only one of the answer to
    a read, nothing of a send. 20 + 8 of IPv4 and UDP and 38 of Ethernet make 82.
    """
    stack = parse_stack(V2_IPV4 + operation)
    assert stack.message_wire_bytes(message, 1500) == wire
    v1 = parse_stack(V1 + operation)
    frames = -(-message // 1024)
    assert v1.message_wire_bytes(message, 1500) == wire + frames * (94 - 82)


def test_sends_of_512_byte_over_25_gbps() -> None:
    """512 of 594 byte."""
    send = line_ceiling(25e9, 1120, parse_stack(f"{V2_IPV4}+operation=send")).message(512)
    assert send.payload_rate_bps / 1e9 == pytest.approx(21.549, abs=5e-4)


@pytest.mark.parametrize(
    ("text", "mtu", "message", "frames", "write", "notice", "efficiency"),
    [
        # 30 packets of 1024 bytes, or 8 of up to 4096; the first one has an RETH of 16 bytes.
        (V1, 1500, 30720, 31, 30720 + 30 * 94 + 16, 44 + 94, 0.91174),
        (V2_IPV4, 1500, 30720, 31, 30720 + 30 * 82 + 16, 44 + 82, 0.92191),
        (V2_IPV4, 9000, 30720, 9, 30720 + 8 * 82 + 16, 44 + 82, 0.97468),
        (V2_IPV4, 1500, 1000, 2, 1000 + 82 + 16, 44 + 82, 0.81699),
        (V2_IPV6, 1500, 999, 2, 1000 + 102 + 16, 44 + 102, None),
        (V1, 1500, 1, 2, 4 + 94 + 16, 44 + 94, None),
    ],
)
def test_smc_r_writes_and_then_shows_of_it(
    text: str,
    mtu: int,
    message: int,
    frames: int,
    write: int,
    notice: int,
    efficiency: float | None,
) -> None:
    """RFC 7609: one RDMA write, and a send of 44 bytes that moves the cursor."""
    stack = parse_stack(f"{text}/smcr")
    assert stack.message_wire_bytes(message, mtu) == write + notice
    assert parse_stack(text).message_wire_bytes(message, mtu) == write
    assert stack.message_frame_count(message, mtu) == frames
    assert stack.message_segment_count(message, mtu) == frames - 1
    if efficiency is not None:
        assert message / (write + notice) == pytest.approx(efficiency, abs=5e-6)


def test_a_full_packet_of_smc_r_is_one_of_rdma() -> None:
    for text in (V1, V2_IPV4, V2_IPV6):
        plain, sockets = (
            line_ceiling(25e9, 1500, parse_stack(f"{text}{s}")) for s in ("", "/smcr")
        )
        assert sockets.parts == plain.parts
        assert sockets.payload_rate_bps == plain.payload_rate_bps


@pytest.mark.parametrize(
    ("suite", "message", "wire"),
    [
        # UDP 8 + transport 12 + CRC 4 = 24 around 1024, 1024 and 952 bytes of payload, the first
        # with 16 more; with the trailer of 2 that is 1066, 1050 and 978, padded by 2 each to a
        # multiple of 4; around that ESP 8 + 8 + 16, IP 20 and Ethernet 38.
        ("", 3000, 1068 + 1052 + 980 + 3 * 90),
        # The last payload is padded by 1 itself.
        ("", 2999, 1068 + 1052 + 980 + 3 * 90),
        # To multiples of 16, by 6, 6 and 14; a vector of 16.
        ("+suite=aes-cbc-sha256", 3000, 1072 + 1056 + 992 + 3 * 98),
        ("+suite=aes-cbc-sha256", 1, 48 + 98),
    ],
)
def test_the_header_of_a_write_is_encrypted_and_padded_too(
    suite: str, message: int, wire: int
) -> None:
    """1 byte: 24 + 16 + 1, padded by RDMA to 44, and with the trailer of 2 to 48."""
    stack = parse_stack(f"ethernet/ipv4/esp{suite}/udp/rocev2")
    assert stack.message_wire_bytes(message, 1500) == wire


def test_the_notice_of_smc_r_is_encrypted_too() -> None:
    """44 + 24 and a trailer of 2, padded to 72; ESP 32, IP 20 and Ethernet 38 around it."""
    stack = parse_stack("ethernet/ipv4/esp/udp/rocev2/smcr")
    plain = parse_stack("ethernet/ipv4/esp/udp/rocev2")
    notice = stack.message_wire_bytes(3000, 1500) - plain.message_wire_bytes(3000, 1500)
    assert notice == 72 + 32 + 20 + 38


@pytest.mark.parametrize("text", [V1, V2_IPV4, V2_IPV6, IWARP])
def test_payload_is_padded_to_whole_words(text: str) -> None:
    stack = parse_stack(text)
    least = stack.packet_bytes(0)
    padded = [stack.packet_bytes(payload) - least for payload in range(9)]
    assert padded == [0, 4, 4, 4, 4, 8, 8, 8, 8]


@pytest.mark.parametrize(
    ("text", "mtu", "payload"),
    [
        (IWARP, 1500, 1428),  # 1448 - 20
        (IWARP, 9000, 8928),  # 8948 - 20
        ("ethernet/ipv4/tcp/iwarp", 1500, 1440),  # 1460 - 20
        (IWARP, 1501, 1428),
        (IWARP, 1503, 1428),
        (IWARP, 1504, 1432),
        (f"{IWARP}+untagged", 1500, 1424),  # 1448 - 2 - 18 - 4
        (f"{IWARP}+untagged", 9000, 8924),
    ],
)
def test_iwarp_carries_20_bytes_less_than_a_segment(text: str, mtu: int, payload: int) -> None:
    """RFC 5044, RFC 5041, RFC 5040: length 2, tagged header 14, CRC 4, without markers."""
    assert parse_stack(text).payload_bytes(mtu) == payload


@pytest.mark.parametrize(
    ("text", "mtu", "payload"),
    [
        # 1448 = 512 + 512 + 424, in each of which 4 are a marker: 1436, less 20.
        (MARKED, 1500, 1416),
        # 8948 = 17 x 512 + 244: 18 markers leave 8876.
        (MARKED, 9000, 8856),
        # 1460 = 512 + 512 + 436 leave 1448.
        ("ethernet/ipv4/tcp/mpa-markers/iwarp", 1500, 1428),
        (f"{MARKED}+untagged", 1500, 1412),  # 1436 - 24
        # 1024 are two markers, the next 1 to 4 bytes hold no more than a third one.
        (MARKED, 1024 + 52, 1016 - 20),
        (MARKED, 1024 + 52 + 4, 1016 - 20),
        (MARKED, 1024 + 52 + 8, 1020 - 20),
    ],
)
def test_markers_take_4_of_each_512_bytes(text: str, mtu: int, payload: int) -> None:
    """RFC 5044, section 4.3: as many as can fall into a segment."""
    assert parse_stack(text).payload_bytes(mtu) == payload


@pytest.mark.parametrize(("text", "header"), [(IWARP, 14), (f"{IWARP}+untagged", 18)])
def test_the_headers_of_iwarp_by_hand(text: str, header: int) -> None:
    """RFC 5041: tagged 2 + 4 + 8; untagged 2 + 4 + 4 + 4 + 4, around 100 bytes of payload."""
    assert parse_stack(text).packet_bytes(100) == 52 + 2 + header + 100 + 4
    assert parse_stack(text).message_wire_bytes(100, 1500) == 90 + 2 + header + 100 + 4


def test_parts_of_a_segment_with_markers() -> None:
    """Three markers: 8 + 14 + 20 + 32 in front, then 12 + 2 + 14, payload, and CRC 4."""
    parts = parse_stack(MARKED).full_frame_parts(1500)
    named = {part.name: part.bytes for part in parts}
    assert named["mpa_markers"] == 3 * 4
    assert named["payload"] == 1416
    assert sum(named.values()) == 1538
