"""Acknowledgements, transactions and aggregates, worked out by hand."""

import pytest

from netmodel.ceilings import (
    acknowledged_payload_rate_bps,
    full_duplex_transaction_rate_tps,
    line_ceiling,
    payload_rate_bps,
)
from netmodel.framing import Stack, parse_stack, segments_per_aggregate_count, tcp_stack, wire_bytes
from netmodel.framing.lengths import BIG_TCP_AGGREGATE_BYTES, LEGACY_AGGREGATE_BYTES


@pytest.mark.parametrize(
    ("stack", "ack_wire_bytes"),
    [
        (tcp_stack(), 20 + 14 + 52 + 4),
        (tcp_stack(timestamps=False), 20 + 64),
        (tcp_stack(ip_version=6), 20 + 14 + 72 + 4),
        (tcp_stack(ip_version=6, timestamps=False), 20 + 14 + 60 + 4),
        (tcp_stack(vlan_tags=1), 90 + 4),
        (tcp_stack(timestamps=False, vlan_tags=1), 20 + 64),  # 14 + 4 + 40 + 4 is 62
        (tcp_stack(timestamps=False, vlan_tags=2), 20 + 66),
        (parse_stack("ethernet/qinq/ipv4/tcp"), 20 + 66),
    ],
    ids=str,
)
def test_a_pure_acknowledgement_is_a_frame_without_payload(
    stack: Stack, ack_wire_bytes: int
) -> None:
    assert stack.acknowledgement_wire_bytes() == ack_wire_bytes
    assert stack.wire_bytes(stack.packet_bytes(0)) == ack_wire_bytes


@pytest.mark.parametrize(
    ("text", "ack_wire_bytes"),
    [
        # 50 bytes of IP, UDP, VXLAN and inner Ethernet; the inner frame is not padded.
        ("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps", 38 + 50 + 52),
        ("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp", 38 + 50 + 40),
        # 52 padded to 64, with 32 of WireGuard, UDP 8 and IP 20.
        ("ethernet/ipv4/udp/wireguard/ipv4/tcp+timestamps", 38 + 60 + 64),
        # 52 and a trailer of 2 padded to 56, with ESP 8 + 8 + 16 and IP 20.
        ("ethernet/ipv4/esp/ipv4/tcp+timestamps", 38 + 52 + 56),
        # Of TCP, whatever it carries.
        ("ethernet/ipv4/tcp+timestamps/tls", 90),
        ("ethernet/ipv4/tcp+timestamps/tls/nvme-tcp", 90),
        ("ethernet/ipv4/tcp+timestamps/mpa-markers/iwarp", 90),
    ],
)
def test_a_pure_acknowledgement_inside_a_tunnel_and_under_records(
    text: str, ack_wire_bytes: int
) -> None:
    assert parse_stack(text).acknowledgement_wire_bytes(1420) == ack_wire_bytes


@pytest.mark.parametrize(
    ("mtu_bytes", "segments_per_ack", "gbps"),
    [
        (1500, 1, 22.235872),
        (1500, 2, 22.867972),
        (1500, 45, 23.506494),
        (9000, 1, 24.507011),
        (9000, 2, 24.628427),
        (9000, 45, 24.745575),
    ],
)
def test_both_directions_of_25_gbe_full_of_data(
    mtu_bytes: int, segments_per_ack: int, gbps: float
) -> None:
    """25 Gbit/s x D / (W + 90 / b), to six decimals."""
    rate_bps = acknowledged_payload_rate_bps(
        25e9, mtu_bytes - 52, wire_bytes(mtu_bytes), 90, segments_per_ack
    )
    assert rate_bps / 1e9 == pytest.approx(gbps, abs=5e-7)
    assert rate_bps < payload_rate_bps(25e9, mtu_bytes)
    ceiling = line_ceiling(25e9, mtu_bytes)
    assert ceiling.acknowledged_payload_rate_bps(segments_per_ack) == rate_bps


def test_both_directions_of_rdma_and_of_a_stream_of_records() -> None:
    """By hand, at MTU 1500: an ACK of 86 bytes for 30 packets of 1106; one of 90 for 2 of 1538."""
    rdma = line_ceiling(25e9, 1500, parse_stack("ethernet/ipv4/udp/rocev2"))
    rate_bps = rdma.acknowledged_payload_rate_bps(30)
    assert rate_bps == pytest.approx(25e9 * 30 * 1024 / (30 * 1106 + 86), rel=1e-12)
    tls = line_ceiling(25e9, 1500, parse_stack("ethernet/ipv4/tcp+timestamps/tls"))
    rate_bps = tls.acknowledged_payload_rate_bps(2)
    assert rate_bps == pytest.approx(22.867972e9 * 16384 / 16406, rel=5e-8)


@pytest.mark.parametrize(
    ("line_rate_bps", "mtu_bytes", "request_bytes", "response_bytes", "tps"),
    [
        (25e9, 1500, 200, 1000, 2_866_972),
        (1e9, 1500, 200, 1000, 114_679),
        (25e9, 9000, 200, 1000, 2_866_972),
        (25e9, 1500, 200, 30720, 95_566),
        (25e9, 9000, 200, 30720, 100_547),
    ],
)
def test_transactions_whose_acknowledgements_ride_on_data(
    line_rate_bps: float, mtu_bytes: int, request_bytes: int, response_bytes: int, tps: int
) -> None:
    ceiling = line_ceiling(line_rate_bps, mtu_bytes)
    sizes = [ceiling.message(each).wire_bytes for each in (request_bytes, response_bytes)]
    for each in (sizes, sizes[::-1]):
        assert round(full_duplex_transaction_rate_tps(line_rate_bps, *each)) == tps


@pytest.mark.parametrize(
    ("segment_bytes", "aggregate_bytes", "segments"),
    [
        (1448, LEGACY_AGGREGATE_BYTES, 45),
        (1440, LEGACY_AGGREGATE_BYTES, 45),
        (1460, LEGACY_AGGREGATE_BYTES, 44),
        (8948, LEGACY_AGGREGATE_BYTES, 7),
        (8940, LEGACY_AGGREGATE_BYTES, 7),
        (1448, 185_000, 127),
        (1448, BIG_TCP_AGGREGATE_BYTES, 361),
        (70_000, LEGACY_AGGREGATE_BYTES, 1),
        (1, BIG_TCP_AGGREGATE_BYTES, 8 * 65535 - 321),  # Linux: 8 * GSO_MAX_SEGS
    ],
)
def test_segments_of_an_aggregate(segment_bytes: int, aggregate_bytes: int, segments: int) -> None:
    """(65536 - 321) / 1448 = 45.04; 45 x 1448 is the well-known packet of 65160 bytes."""
    assert segments_per_aggregate_count(segment_bytes, aggregate_bytes) == segments
