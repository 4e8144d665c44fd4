"""RDMA packets worked out by hand from their headers.

InfiniBand Architecture Specification, annexes A16 and A17: base transport header 12 and invariant
CRC 4 around a payload padded to 4; in front of them a global route header of 40 (RoCE version 1) or
IP 20 or 40 and UDP 8 (version 2). With 38 of Ethernet that is 94, 82 and 102 around the payload.
"""

import numpy as np
import pytest

from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import parse_stack, rdma_mtu_bytes

V1 = "ethernet/rocev1"
V2_IPV4 = "ethernet/ipv4/udp/rocev2"
V2_IPV6 = "ethernet/ipv6/udp/rocev2"
IWARP = "ethernet/ipv4/tcp+timestamps/iwarp"

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


def test_the_rdma_mtu_of_an_array() -> None:
    mtus = np.array([1500, 2144, 9000])
    assert rdma_mtu_bytes(mtus).tolist() == [1024, 2048, 4096]


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


@pytest.mark.parametrize(("text", "wire"), [(V2_IPV4, 86), (V1, 98)])
def test_an_acknowledgement_carries_4_bytes_of_its_own_header(text: str, wire: int) -> None:
    """The AETH of 4 bytes stands where the payload of other packets does: 4 + 82 and 4 + 94."""
    stack = parse_stack(text)
    assert stack.wire_bytes(stack.packet_bytes(4)) == wire


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
    ],
)
def test_iwarp_carries_20_bytes_less_than_a_segment(text: str, mtu: int, payload: int) -> None:
    """RFC 5044, RFC 5041, RFC 5040: length 2, tagged header 14, CRC 4, without markers."""
    assert parse_stack(text).payload_bytes(mtu) == payload


def test_the_efficiency_of_iwarp() -> None:
    """1428/1538 = 0.928479."""
    stack = parse_stack(IWARP)
    ratio = stack.payload_bytes(1500) / stack.wire_bytes(1500)
    assert ratio == pytest.approx(0.928479, abs=5e-7)


@pytest.mark.parametrize("size", [256, 512, 1024, 2048, 4096])
def test_version_2_is_leaner_than_version_1_over_ipv4_and_stouter_over_ipv6(size: int) -> None:
    """IP and UDP take 28 or 48 bytes, the global route header 40."""
    lean, middle, stout = (
        stack.wire_bytes(stack.packet_bytes(size))
        for stack in map(parse_stack, (V2_IPV4, V1, V2_IPV6))
    )
    assert (middle - lean, stout - middle) == (12, 8)


@pytest.mark.parametrize("text", [V1, V2_IPV4, V2_IPV6])
def test_a_larger_rdma_mtu_is_never_less_efficient(text: str) -> None:
    stack = parse_stack(text)
    sizes = (256, 512, 1024, 2048, 4096)
    ratios = [size / stack.wire_bytes(stack.packet_bytes(size)) for size in sizes]
    assert ratios == sorted(ratios)
