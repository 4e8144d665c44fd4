"""Laws of distance and window, for any path."""

from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from netmodel.transport import (
    MAX_WINDOW_BYTES,
    bandwidth_delay_product_bytes,
    propagation_delay_s,
    propagation_round_trip_s,
    required_window_bytes,
    window_payload_rate_bps,
    window_shift_count,
)

positive = st.fractions(min_value=Fraction(1, 1000), max_value=10**9, max_denominator=10**6)
counts = st.integers(1, 1000).map(Fraction)
scales = st.fractions(min_value=2, max_value=1000, max_denominator=1000)
windows = st.integers(0, 200_000) | st.integers(0, MAX_WINDOW_BYTES)
edges = st.integers(0, 14).map(lambda shift: 65_535 << shift)
near_edges = st.builds(lambda edge, more: edge + more, edges, st.integers(-1, 0))


# Windows


@given(positive, positive, counts)
def test_the_required_window_undoes_the_window_rate(
    rate_bps: Fraction, round_trip_s: Fraction, flows: Fraction
) -> None:
    window_bytes = required_window_bytes(rate_bps, round_trip_s, flows)
    assert window_payload_rate_bps(window_bytes, round_trip_s, flows) == rate_bps
    assert flows * window_bytes == bandwidth_delay_product_bytes(rate_bps, round_trip_s)


@given(windows | near_edges)
@example(0)
@example(65_535)
@example(65_536)
def test_the_shift_is_the_smallest_that_holds_the_window(window_bytes: int) -> None:
    shift = window_shift_count(window_bytes)
    assert isinstance(shift, int)
    assert 0 <= shift <= 14
    assert window_bytes <= 65_535 << shift
    assert shift == 0 or 65_535 << (shift - 1) < window_bytes


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
