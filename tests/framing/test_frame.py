"""Frames of one packet: by hand, at the steps, and outside the domain."""

import pytest

from netmodel.framing import (
    frame_bytes,
    lengths,
    udp_packet_count,
    udp_wire_bytes,
    wire_bytes,
)


@pytest.mark.parametrize(
    ("packet_bytes", "link_header_bytes", "expected"),
    [
        (1500, 14, 1518),
        (1500, 18, 1522),
        (46, 14, 64),
        (47, 14, 65),
        (45, 14, 64),
        (42, 18, 64),  # the tag counts towards the shortest frame
        (43, 18, 65),
        (0, 14, 64),
        (0, 0, 64),
        (60, 0, 64),
        (61, 0, 65),
    ],
)
def test_frames_by_hand(packet_bytes: int, link_header_bytes: int, expected: int) -> None:
    assert frame_bytes(packet_bytes, link_header_bytes) == expected
    assert wire_bytes(packet_bytes, link_header_bytes) == expected + 20
    assert lengths.frame_bytes(packet_bytes, link_header_bytes) == expected
    assert lengths.wire_bytes(packet_bytes, link_header_bytes) == expected + 20


def test_the_smallest_fragments_carry_8_bytes() -> None:
    """By hand, room for 8: a datagram of 92 and its header of 8 in 13 fragments."""
    assert udp_packet_count(92, 28) == 13
    assert udp_wire_bytes(92, 28) == 13 * 84
    assert udp_packet_count(100, 128) == 1
