"""Messages over TCP with timestamps over IPv4, UDP and RoCE, worked out by hand.

A full frame at MTU 1500 takes 1538 bytes on the wire and carries 1448, at MTU 9000 9038 and 8948;
a tail of t bytes takes t + 90. So 30720 bytes at MTU 1500 are 21 x 1448 + 312 in 21 x 1538 + 402
bytes.
"""

import pytest

from netmodel.ceilings import line_ceiling
from netmodel.framing import (
    message_wire_bytes,
    parse_stack,
    segment_count,
    tail_bytes,
    tcp_stack,
)

MESSAGES = [
    (200, 1500, 1, 200, 290),
    (1000, 1500, 1, 1000, 1090),
    (30720, 1500, 22, 312, 32700),
    (30720, 9000, 4, 3876, 31080),
    (30720, 1492, 22, 480, 32700),
    (30720, 8992, 4, 3900, 31080),
    (32768, 1500, 23, 912, 34838),
    (32768, 9000, 4, 5924, 33128),
    (20 * 2**20, 1500, 14484, 136, 22275080),
]


@pytest.mark.parametrize(("message", "mtu", "segments", "tail", "wire"), MESSAGES)
def test_a_message_becomes_segments_a_tail_and_frames(
    message: int, mtu: int, segments: int, tail: int, wire: int
) -> None:
    assert (segments - 1) * (mtu - 52) + tail == message
    assert (segments - 1) * (mtu + 38) + tail + 90 == wire
    assert segment_count(message, mtu - 52) == segments
    assert tail_bytes(message, mtu - 52) == tail
    assert message_wire_bytes(message, mtu - 52) == wire
    assert tcp_stack().message_wire_bytes(message, mtu) == wire


@pytest.mark.parametrize(
    ("message", "mtu", "gbps_25", "gbps_10"),
    [
        (1000, 1500, 22.9358, 9.1743),
        (30720, 1500, 23.4862, 9.3945),
        (30720, 9000, 24.7104, 9.8842),
    ],
)
def test_what_a_line_carries_in_messages(
    message: int, mtu: int, gbps_25: float, gbps_10: float
) -> None:
    for line_rate_bps, gbps in ((25e9, gbps_25), (10e9, gbps_10)):
        result = line_ceiling(line_rate_bps, mtu).message(message)
        assert result.payload_rate_bps / 1e9 == pytest.approx(gbps, abs=5e-5)


@pytest.mark.parametrize(
    ("stack", "mtu", "message", "wire"),
    [
        # 30 packets of 1024 bytes with 94 bytes around each, and one RETH of 16.
        ("ethernet/rocev1", 1500, 30720, 30 * (1024 + 94) + 16),
        ("ethernet/ipv4/udp/rocev2", 1500, 30720, 30 * (1024 + 82) + 16),
        ("ethernet/ipv4/udp/rocev2", 9000, 30720, 7 * (4096 + 82) + 2048 + 82 + 16),
        ("ethernet/ipv4/udp/rocev2", 1500, 1000, 1000 + 82 + 16),
        # 21 fragments, all but the last of 1480 bytes; and one datagram that fits.
        ("ethernet/ipv4/udp", 1500, 30720, 31946),
        ("ethernet/ipv4/udp", 9000, 30720, 30960),
        ("ethernet/ipv4/udp", 1500, 1472, 1538),
        # 4 bytes of MPLS label in each of 22 frames.
        ("ethernet/mpls/ipv4/tcp+timestamps", 1500, 30720, 32700 + 22 * 4),
        # 20 x 1398 + 360 bytes with 140 bytes around each.
        ("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps", 1450, 28320, 28320 + 21 * 140),
    ],
)
def test_messages_of_other_stacks(stack: str, mtu: int, message: int, wire: int) -> None:
    assert parse_stack(stack).message_wire_bytes(message, mtu) == wire
