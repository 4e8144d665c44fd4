"""Parts of frames, and rates of stacks whose packets are not those of TCP, added up by hand."""

import pytest

from netmodel.ceilings import line_ceiling
from netmodel.framing import parse_stack


def test_parts_of_a_segment_with_markers() -> None:
    """Three markers: 8 + 14 + 20 + 32 in front, then 12 + 2 + 14, payload, and CRC 4."""
    stack = parse_stack("ethernet/ipv4/tcp+timestamps/mpa-markers/iwarp")
    named = {part.name: part.bytes for part in stack.full_frame_parts(1500)}
    assert (named["mpa_markers"], named["payload"], sum(named.values())) == (3 * 4, 1416, 1538)


def test_both_directions_of_rdma_and_of_a_stream_of_records() -> None:
    """By hand, at MTU 1500: an ACK of 86 bytes for 30 packets of 1106; one of 90 for 2 of 1538."""
    rdma = line_ceiling(25e9, 1500, parse_stack("ethernet/ipv4/udp/rocev2"))
    rate_bps = rdma.acknowledged_payload_rate_bps(30)
    assert rate_bps == pytest.approx(25e9 * 30 * 1024 / (30 * 1106 + 86), rel=1e-12)
    tls = line_ceiling(25e9, 1500, parse_stack("ethernet/ipv4/tcp+timestamps/tls"))
    rate_bps = tls.acknowledged_payload_rate_bps(2)
    assert rate_bps == pytest.approx(22.867972e9 * 16384 / 16406, rel=5e-8)
