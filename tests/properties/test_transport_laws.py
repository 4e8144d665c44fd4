"""Laws of distance and window, for any path."""

from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from netmodel.transport import (
    MAX_WINDOW_BYTES,
    MAX_WINDOW_SHIFT_COUNT,
    bandwidth_delay_product_bytes,
    effective_window_bytes,
    endpoint_latencies,
    latency_ratio,
    max_window_bytes,
    propagation_delay_s,
    propagation_round_trip_s,
    required_window_bytes,
    window_limited_payload_rate_bps,
    window_payload_rate_bps,
    window_shift_count,
)

positive = st.fractions(min_value=Fraction(1, 1000), max_value=10**9, max_denominator=10**6)
counts = st.integers(1, 1000).map(Fraction)
scales = st.fractions(min_value=2, max_value=1000, max_denominator=1000)
windows = st.integers(0, 200_000) | st.integers(0, MAX_WINDOW_BYTES)
edges = st.integers(0, MAX_WINDOW_SHIFT_COUNT).map(max_window_bytes)
near_edges = st.builds(lambda edge, more: edge + more, edges, st.integers(-1, 0))
reals = st.floats(1e-3, 1e9)


# Windows


@given(positive, positive, positive, counts)
def test_the_rate_is_the_smaller_of_path_and_window(
    path_bps: Fraction, window_bytes: Fraction, round_trip_s: Fraction, flows: Fraction
) -> None:
    result = window_limited_payload_rate_bps(path_bps, window_bytes, round_trip_s, flows)
    of_window = window_payload_rate_bps(window_bytes, round_trip_s, flows)
    assert result <= path_bps
    assert result <= of_window
    assert result in (path_bps, of_window)


@given(positive, positive, counts, scales)
def test_the_window_rate_goes_with_window_over_round_trip(
    window_bytes: Fraction, round_trip_s: Fraction, flows: Fraction, scale: Fraction
) -> None:
    base = window_payload_rate_bps(window_bytes, round_trip_s, flows)
    assert window_payload_rate_bps(scale * window_bytes, scale * round_trip_s, flows) == base
    assert window_payload_rate_bps(scale * window_bytes, round_trip_s, flows) == scale * base
    assert window_payload_rate_bps(window_bytes, scale * round_trip_s, flows) == base / scale
    assert window_payload_rate_bps(window_bytes, round_trip_s, 1) * flows == base


@given(positive, positive, counts)
def test_the_required_window_undoes_the_window_rate(
    rate_bps: Fraction, round_trip_s: Fraction, flows: Fraction
) -> None:
    window_bytes = required_window_bytes(rate_bps, round_trip_s, flows)
    assert window_payload_rate_bps(window_bytes, round_trip_s, flows) == rate_bps
    assert flows * window_bytes == bandwidth_delay_product_bytes(rate_bps, round_trip_s)


@given(reals, reals)
def test_the_rate_without_a_round_trip_is_that_of_the_path(
    path_bps: float, window_bytes: float
) -> None:
    for round_trip_s in (1e-300, 5e-324):
        rate_bps = window_limited_payload_rate_bps(path_bps, window_bytes, round_trip_s)
        assert rate_bps == path_bps


@given(st.lists(windows, min_size=4, max_size=4), st.integers(0, 3))
def test_the_effective_window_is_one_of_its_limits_and_above_none(
    limits: list[int], place: int
) -> None:
    result = effective_window_bytes(*limits)
    assert result in limits
    assert all(result <= limit for limit in limits)
    without = list(limits)
    without[place] = MAX_WINDOW_BYTES
    assert effective_window_bytes(*without) >= result
    assert effective_window_bytes(*limits[:2]) == min(limits[:2])


@given(windows | near_edges)
@example(0)
@example(65_535)
@example(65_536)
def test_the_shift_is_the_smallest_that_holds_the_window(window_bytes: int) -> None:
    shift = window_shift_count(window_bytes)
    assert isinstance(shift, int)
    assert 0 <= shift <= MAX_WINDOW_SHIFT_COUNT
    assert window_bytes <= max_window_bytes(shift)
    assert shift == 0 or max_window_bytes(shift - 1) < window_bytes


# Distance


@given(positive, positive, positive, scales)
def test_delays_add_up_over_a_distance(
    first_m: Fraction, second_m: Fraction, equipment_s: Fraction, scale: Fraction
) -> None:
    index = Fraction(14_682, 10_000)
    both = propagation_delay_s(first_m + second_m, index)
    assert both == propagation_delay_s(first_m, index) + propagation_delay_s(second_m, index)
    assert propagation_delay_s(scale * first_m, index) == scale * propagation_delay_s(
        first_m, index
    )
    assert propagation_delay_s(first_m, scale * index) == propagation_delay_s(
        scale * first_m, index
    )
    round_trip_s = propagation_round_trip_s(first_m, index, equipment_s)
    assert round_trip_s == 2 * propagation_delay_s(first_m, index) + equipment_s


@given(positive, positive, positive, scales)
def test_a_ratio_of_latencies_goes_to_one_with_the_distance(
    latency_s: Fraction, baseline_s: Fraction, round_trip_s: Fraction, scale: Fraction
) -> None:
    near = latency_ratio(latency_s, baseline_s, round_trip_s)
    far = latency_ratio(latency_s, baseline_s, scale * round_trip_s)
    at_home = latency_ratio(latency_s, baseline_s, 0)
    assert at_home == latency_s / baseline_s
    if latency_s == baseline_s:
        assert near == far == 1
    else:
        assert 0 < (1 - far) / (1 - near) < 1
        assert 0 < (1 - near) / (1 - at_home) < 1
    assert latency_ratio(baseline_s, latency_s, round_trip_s) == 1 / near
    scaled = latency_ratio(scale * latency_s, scale * baseline_s, scale * round_trip_s)
    assert scaled == near
    very_far = latency_ratio(latency_s, baseline_s, 10**30)
    assert very_far == pytest.approx(1, rel=1e-15)


@given(positive, positive, positive, scales, st.booleans())
def test_latencies_are_recovered_from_their_ratios(
    latency_s: Fraction, baseline_s: Fraction, round_trip_s: Fraction, scale: Fraction, swap: bool
) -> None:
    assume(latency_s != baseline_s)
    trips = [round_trip_s, scale * round_trip_s]
    gains = [(1 - latency_ratio(latency_s, baseline_s, trip), trip) for trip in trips]
    first, second = reversed(gains) if swap else gains
    result = endpoint_latencies(*first, *second)  # type: ignore[arg-type]
    assert (result.endpoint_latency_s, result.baseline_latency_s) == (latency_s, baseline_s)
    assert [1 - result.latency_ratio(trip) for trip in trips] == [gain for gain, _ in gains]
