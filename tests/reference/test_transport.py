"""Distance and windows: examples of RFC 6349, a published comparison, and numbers by hand."""

import pytest

from netmodel.transport import (
    MAX_WINDOW_BYTES,
    bandwidth_delay_product_bytes,
    effective_window_bytes,
    endpoint_latencies,
    max_window_bytes,
    propagation_delay_s,
    propagation_round_trip_s,
    required_window_bytes,
    window_limited_payload_rate_bps,
    window_payload_rate_bps,
    window_shift_count,
)

KIB = 1024


def test_light_in_fibre_takes_almost_five_microseconds_for_a_kilometre() -> None:
    """By hand: 1.4682 * 1000 / 299 792 458; a group index of 1.4675 gives 4.895."""
    assert propagation_delay_s(1000) * 1e6 == pytest.approx(4.897, rel=0, abs=0.5e-3)
    assert propagation_delay_s(1000, 1.4675) * 1e6 == pytest.approx(4.895, rel=0, abs=0.5e-3)
    assert propagation_delay_s(299_792_458, 1) == 1


@pytest.mark.parametrize(("distance_km", "round_trip_ms"), [(10, 0.097948), (100, 0.979478)])
def test_round_trips_over_10_and_100_km(distance_km: float, round_trip_ms: float) -> None:
    """By hand: twice the way at 4.897 us/km, to the digits shown."""
    found_s = propagation_round_trip_s(distance_km * 1000)
    assert found_s * 1e3 == pytest.approx(round_trip_ms, rel=0, abs=0.5e-6)
    with_equipment_s = propagation_round_trip_s(distance_km * 1000, equipment_time_s=20e-6)
    assert (with_equipment_s - found_s) * 1e6 == pytest.approx(20, rel=1e-9)


@pytest.mark.parametrize(
    ("rate_bps", "round_trip_s", "printed_bytes", "half_digit"),
    [
        (44.21e6, 25e-3, 138.16e3, 0.005e3),
        (10e9, 0.3e-3, 375e3, 0.5),
        (1e9, 0.1e-3, 12.5e3, 0.05e3),
        (25e9, 0.98e-3, 3.0625e6, 0.5),  # by hand: 100 km
    ],
)
def test_bandwidth_delay_products_are_those_of_rfc_6349(
    rate_bps: float, round_trip_s: float, printed_bytes: float, half_digit: float
) -> None:
    """RFC 6349, section 3.3.1, where KB is 1000 bytes."""
    result = bandwidth_delay_product_bytes(rate_bps, round_trip_s)
    assert result == pytest.approx(printed_bytes, rel=0, abs=half_digit)


@pytest.mark.parametrize(("round_trip_ms", "rate_mbps"), [(5, 25.6), (10, 12.8)])
def test_window_limits_are_those_of_rfc_6349(round_trip_ms: float, rate_mbps: float) -> None:
    """RFC 6349: a window of 16 KB, which is 16 000 bytes there."""
    found_bps = window_payload_rate_bps(16_000, round_trip_ms / 1e3)
    assert found_bps / 1e6 == pytest.approx(rate_mbps, rel=1e-12)


@pytest.mark.parametrize(
    ("window_bytes", "at_10_km", "at_100_km"),
    [
        (65_535, 5.3526, 0.53526),
        (256 * KIB, 21.411, 2.1411),
        (1024 * KIB, 85.644, 8.5644),
    ],
)
def test_windows_over_distance(window_bytes: int, at_10_km: float, at_100_km: float) -> None:
    """By hand: 8 W over the round trip of the fibre alone, in Gbit/s."""
    for distance_m, rate_gbps in ((10e3, at_10_km), (100e3, at_100_km)):
        round_trip_s = propagation_round_trip_s(distance_m)
        found_bps = window_payload_rate_bps(window_bytes, round_trip_s)
        assert found_bps / 1e9 == pytest.approx(rate_gbps, rel=2.5e-5)
        limited_bps = window_limited_payload_rate_bps(25e9, window_bytes, round_trip_s)
        assert limited_bps == min(25e9, found_bps)


def test_flows_add_their_windows() -> None:
    """By hand: 4 * 8 * 64 KiB / 1 ms = 2.097152 Gbit/s, and a quarter of the need for each."""
    assert window_payload_rate_bps(64 * KIB, 1e-3, 4) == pytest.approx(2.097152e9, rel=1e-12)
    assert window_limited_payload_rate_bps(2e9, 64 * KIB, 1e-3, 4) == 2e9
    assert window_limited_payload_rate_bps(2e9, 64 * KIB, 1e-3, 3) < 2e9
    assert required_window_bytes(2.097152e9, 1e-3, 4) == pytest.approx(64 * KIB, rel=1e-12)


def test_the_smallest_limit_is_the_window() -> None:
    """RFC 6349, section 3.3; by hand."""
    assert effective_window_bytes(4_000_000, 14_480, 262_144) == 14_480
    assert effective_window_bytes(4_000_000, 3_000_000, 262_144) == 262_144
    assert effective_window_bytes(65_535) == 65_535
    assert effective_window_bytes(4_000_000, rmbe_bytes=64 * KIB) == 64 * KIB
    assert effective_window_bytes(0, 14_480) == 0


@pytest.mark.parametrize(
    ("window_bytes", "shift"),
    [
        (0, 0),
        (65_535, 0),
        (65_536, 1),
        (131_070, 1),
        (131_071, 2),
        (MAX_WINDOW_BYTES // 2, 13),
        (MAX_WINDOW_BYTES // 2 + 1, 14),
        (MAX_WINDOW_BYTES, 14),
    ],
)
def test_the_smallest_shift_that_announces_a_window(window_bytes: int, shift: int) -> None:
    """RFC 7323, section 2.3: 16 bits, shifted by up to 14; by hand."""
    assert window_shift_count(window_bytes) == shift


def test_the_largest_window_of_tcp() -> None:
    """RFC 7323, section 2.2: less than 2^30; by hand 65 535 * 16 384."""
    assert max_window_bytes(14) == MAX_WINDOW_BYTES == 65_535 * 16_384 < 2**30
    assert max_window_bytes(0) == 65_535


def test_gains_over_distance_show_the_latencies_at_the_ends() -> None:
    """IBM (2014): up to 47 % less at 10 km, up to 9 % at 100 km; solved by hand: 110.9, 12.7 us."""
    result = endpoint_latencies(0.47, 0.098e-3, 0.09, 0.98e-3)
    assert result.baseline_latency_s * 1e6 == pytest.approx(110.9, rel=0, abs=0.05)
    assert result.endpoint_latency_s * 1e6 == pytest.approx(12.7, rel=0, abs=0.05)
    assert result.latency_ratio(0.098e-3) == pytest.approx(0.53, rel=1e-9)
    assert result.latency_ratio(0.98e-3) == pytest.approx(0.91, rel=1e-9)
    swapped = endpoint_latencies(0.09, 0.98e-3, 0.47, 0.098e-3)
    assert swapped.baseline_latency_s == pytest.approx(result.baseline_latency_s, rel=1e-12)
