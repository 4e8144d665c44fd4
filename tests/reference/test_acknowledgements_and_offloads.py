"""Acknowledgements, transactions and aggregates, worked out by hand."""

import pytest

from netmodel.ceilings import (
    acknowledged_payload_rate_bps,
    full_duplex_transaction_rate_tps,
    half_duplex_transaction_rate_tps,
    payload_rate_bps,
)
from netmodel.framing import (
    BIG_TCP_AGGREGATE_BYTES,
    LEGACY_AGGREGATE_BYTES,
    Stack,
    segments_per_aggregate_count,
    tcp_stack,
    wire_bytes,
)


@pytest.mark.parametrize(
    ("stack", "ack_wire_bytes"),
    [
        (tcp_stack(), 20 + 14 + 52 + 4),
        (tcp_stack(timestamps=False), 20 + 64),
        (tcp_stack(ip_version=6), 20 + 14 + 72 + 4),
    ],
)
def test_a_pure_acknowledgement_is_a_frame_without_payload(
    stack: Stack, ack_wire_bytes: int
) -> None:
    assert stack.wire_bytes(stack.packet_bytes(0)) == ack_wire_bytes


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


def test_rare_acknowledgements_leave_the_line_to_the_data() -> None:
    rate_bps = acknowledged_payload_rate_bps(25e9, 1448, 1538, 90, 1e12)
    assert rate_bps == pytest.approx(payload_rate_bps(25e9, 1500), rel=1e-12)


@pytest.mark.parametrize(
    ("line_rate_bps", "request_bytes", "response_bytes", "tps"),
    [(25e9, 290, 1090, 2_866_972), (1e9, 290, 1090, 114_679), (25e9, 290, 32700, 95_566)],
)
def test_transactions_of_the_busier_direction(
    line_rate_bps: float, request_bytes: int, response_bytes: int, tps: int
) -> None:
    assert (
        round(full_duplex_transaction_rate_tps(line_rate_bps, request_bytes, response_bytes)) == tps
    )
    assert (
        round(full_duplex_transaction_rate_tps(line_rate_bps, response_bytes, request_bytes)) == tps
    )
    shared = half_duplex_transaction_rate_tps(line_rate_bps, request_bytes, response_bytes)
    assert shared == pytest.approx(line_rate_bps / 8 / (request_bytes + response_bytes), rel=1e-12)


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
    ],
)
def test_segments_of_an_aggregate(segment_bytes: int, aggregate_bytes: int, segments: int) -> None:
    """(65536 - 321) / 1448 = 45.04; 45 x 1448 is the well-known packet of 65160 bytes."""
    assert segments_per_aggregate_count(segment_bytes, aggregate_bytes) == segments
