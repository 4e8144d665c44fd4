"""Paths through memory, worked out by hand: a time for each message, and a rate for its bytes."""

import pytest

from netmodel.ceilings import memory_path_payload_rate_bps


@pytest.mark.parametrize(
    ("message_bytes", "time_s", "copy_bps", "gbps"),
    [
        (10_000, 1e-6, 80e9, 40),  # 1 us and 80 000 bit / 80 Gbit/s = 1 us
        (30_000, 1e-6, 80e9, 60),  # 240 000 bit in 1 us + 3 us
        (1_000, 1.9e-6, 80e9, 4),  # 8000 bit in 1.9 us + 0.1 us
        (65_536, 10e-6, 64e9, 524_288 / 18_192),  # 10 us + 8.192 us
        (1, 0, 12e9, 12),
    ],
)
def test_payload_rates_by_hand(
    message_bytes: float, time_s: float, copy_bps: float, gbps: float
) -> None:
    rate_bps = memory_path_payload_rate_bps(message_bytes, time_s, copy_bps)
    assert rate_bps / 1e9 == pytest.approx(gbps, rel=1e-12)


def test_limits_of_long_and_of_short_messages() -> None:
    """The copy rate, and 8 bits of each byte in the time of a message."""
    assert memory_path_payload_rate_bps(1e15, 1e-6, 80e9) == pytest.approx(80e9, rel=1e-8)
    assert memory_path_payload_rate_bps(1e-6, 1e-6, 80e9) == pytest.approx(8, rel=1e-9)
    assert memory_path_payload_rate_bps(1000, 1e-6, 1e30) == pytest.approx(8e9, rel=1e-12)
    assert memory_path_payload_rate_bps(1000, 0, 80e9) == 80e9
