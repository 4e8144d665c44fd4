"""Frames of one packet: by hand, at the steps, and outside the domain."""

from fractions import Fraction
from typing import Any

import numpy as np
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


def test_whole_bytes_stay_whole_and_fractions_exact() -> None:
    assert type(frame_bytes(1500)) is int
    assert type(frame_bytes(1500.0)) is float
    assert frame_bytes(Fraction(3001, 2)) == Fraction(3037, 2)


def test_the_smallest_fragments_carry_8_bytes() -> None:
    """By hand, room for 8: a datagram of 92 and its header of 8 in 13 fragments."""
    assert udp_packet_count(92, 28) == 13
    assert udp_wire_bytes(92, 28) == 13 * 84
    assert udp_packet_count(100, 128) == 1


@pytest.mark.parametrize("ip_header_bytes", [20, np.uint8(20), np.int64(20), np.float64(20)])
def test_an_ip_header_may_be_a_small_integer(ip_header_bytes: Any) -> None:
    """A sum with it must not wrap round at 255."""
    assert udp_wire_bytes(1000, 1500, ip_header_bytes) == 1000 + 8 + 20 + 38
