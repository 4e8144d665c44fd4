"""Short transfers, metrics and buffers: examples of RFCs, rounds counted one by one, 50 digits."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf

from netmodel.transport import (
    MAX_WINDOW_BYTES,
    available_capacity_bps,
    bandwidth_delay_product_bytes,
    buffer_delay_ratio,
    full_utilisation_buffer_bytes,
    lossy_transfer_time_s,
    reno_utilisation_ratio,
    restarted_window_segment_count,
    short_transfer_time_s,
    slow_start_round_count,
    tcp_efficiency_ratio,
    transfer_time_ratio,
)

SEGMENT_BYTES = 1448


# Slow start


@pytest.mark.parametrize(
    ("segments", "b", "rounds"),
    [
        *((0, 1, 0), (1, 1, 1), (10, 1, 1), (11, 1, 2), (30, 1, 2), (31, 1, 3), (1000, 1, 7)),
        *((14_484, 1, 11), (10, 2, 1), (25, 2, 2), (26, 2, 3), (100, 2, 5), (1000, 2, 10)),
    ],
)
def test_rounds_of_a_window_that_doubles_or_grows_by_half(
    segments: int, b: int, rounds: int
) -> None:
    """By hand: 10, 30, 70, .. or 10, 25, 47.5, .. segments; 14 484 are 20 MiB."""
    assert slow_start_round_count(segments, segments_per_ack=b) == rounds


@pytest.mark.parametrize("b", [1, 2, 3])
@pytest.mark.parametrize("first", [1, 10])
@pytest.mark.parametrize("limit", [1, 10, 64, MAX_WINDOW_BYTES])
def test_rounds_against_a_loop(b: int, first: int, limit: int) -> None:
    """Windows as exact fractions, one round after the other."""
    wanted, window, sent, rounds = [0], Fraction(min(first, limit)), Fraction(0), 0
    for count in range(1, 1001):
        while sent < count:
            sent, rounds = sent + window, rounds + 1
            window = min(window * (1 + Fraction(1, b)), Fraction(limit))
        wanted.append(rounds)
    assert slow_start_round_count(np.arange(1001), first, b, limit).tolist() == wanted


@pytest.mark.parametrize("doublings", range(1, 50))
def test_rounds_are_right_where_a_sum_just_holds_the_transfer(doublings: int) -> None:
    """1 (2^n - 1): the logarithm alone first fails at 536 870 911."""
    full = 2**doublings - 1
    assert slow_start_round_count(full, 1, 1, 2**60) == doublings
    assert slow_start_round_count(full + 1, 1, 1, 2**60) == doublings + 1
    both = slow_start_round_count([full, full + 1], 1, 1, 2**60)
    assert both.tolist() == [doublings, doublings + 1]


# Transfers without loss


def time_segment_by_segment(
    segments: int, segment_time_s: float, round_trip_s: float, limit: int, first: int = 10
) -> float:
    """
    When the last acknowledgement comes, where each one lets two segments go, or one at the limit.

    A segment waits for the line. The other end acknowledges it when it has all of it, so that its
    acknowledgement comes a round trip after the line has sent its last bit.
    """
    window = min(first, limit)
    sendable = [0.0] * window
    acknowledged: list[float] = []
    free_s, next_ack = 0.0, 0
    for index in range(segments):
        if index == len(sendable):
            credit = 2 if window < limit else 1
            sendable += [acknowledged[next_ack]] * credit
            window, next_ack = window + credit - 1, next_ack + 1
        free_s = max(free_s, sendable[index]) + segment_time_s
        acknowledged.append(free_s + round_trip_s)
    return acknowledged[-1]


def time_round_by_round(
    segments: int, segment_time_s: float, round_trip_s: float, limit: int
) -> float:
    """
    When the last acknowledgement comes: the rounds of Kurose and Ross, one after the other.

    The next round begins with the first acknowledgement, r + S/R after this one began, or when
    the line has sent this window.
    """
    window, left, began_s = min(10, limit), segments, 0.0
    while left > window:
        began_s += max(window * segment_time_s, round_trip_s + segment_time_s)
        left -= window
        window = min(2 * window, limit)
    return began_s + left * segment_time_s + round_trip_s


@pytest.mark.parametrize("limit", [16, 10_000])
@pytest.mark.parametrize("round_trip_s", [1e-4, 1.1e-3, 2e-3, 20e-3, 100e-3])
@pytest.mark.parametrize("segments", [1, 9, 45, 181, 724, 2897])
def test_transfers_against_segments_one_by_one(
    segments: int, round_trip_s: float, limit: int
) -> None:
    path_rate_bps = 100e6
    segment_time_s = SEGMENT_BYTES * 8 / path_rate_bps
    in_packets_s = time_segment_by_segment(segments, segment_time_s, round_trip_s, limit)
    in_rounds_s = time_round_by_round(segments, segment_time_s, round_trip_s, limit)
    assert in_rounds_s == pytest.approx(in_packets_s, rel=1e-12)
    result_s = short_transfer_time_s(
        segments * SEGMENT_BYTES, path_rate_bps, round_trip_s, window_segment_count=limit
    )
    assert result_s == pytest.approx(round_trip_s + in_packets_s, rel=1e-12)


@pytest.mark.parametrize(
    ("round_trip", "round_trips", "segment_times"), [(3.5, 5, 11), (1.5, 4, 14), (0.5, 3, 15)]
)
def test_the_latency_of_a_static_object(
    round_trip: float, round_trips: int, segment_times: int
) -> None:
    """
    Kurose and Ross: 15 segments from a window of one, RTT in times of a segment.

    The server stalls P = 3, 2 and 1 times: 2 RTT + O/R + P (RTT + S/R) - (2^P - 1) S/R.
    """
    result_s = short_transfer_time_s(15 * 1250, 1e7, round_trip * 1e-3, 1250, 1)
    assert result_s == pytest.approx((round_trips * round_trip + segment_times) * 1e-3, rel=1e-12)


def test_a_transfer_by_hand() -> None:
    """
    3000 segments of 0.1 ms over 20 ms, 201 until an acknowledgement: 10, 20, 40, 80, 160, the line.

    Five rounds of 20.1 ms, 2690 segments, one round trip, and one for the handshake.
    """
    result_s = short_transfer_time_s(3000 * 1250, 100e6, 20e-3, 1250)
    assert result_s == pytest.approx(5 * 20.1e-3 + 2690 * 1e-4 + 20e-3 + 20e-3, rel=1e-12)


def test_a_transfer_that_waits_for_rounds_only() -> None:
    """
    10 Gbit/s and 10 ms: a handshake, seven rounds, and the 94 segments of the last of them.

    Six rounds wait for an acknowledgement, and each sends a segment before.
    """
    segments = 724
    result_s = short_transfer_time_s(segments * 1448, 10e9, 10e-3)
    last = segments - 10 * (2**6 - 1)
    assert result_s == pytest.approx(8 * 10e-3 + (6 + last) * 1448 * 8 / 10e9, rel=1e-12)
    without = short_transfer_time_s(segments * 1448, 10e9, 10e-3, handshake_count=0)
    assert result_s - without == pytest.approx(10e-3, rel=1e-9)


def test_long_transfers_have_the_rate_of_line_or_window() -> None:
    size_bytes = 1e12
    line_s = short_transfer_time_s(size_bytes, 1e9, 1e-3)
    assert size_bytes * 8 / line_s == pytest.approx(1e9, rel=1e-5)
    window_s = short_transfer_time_s(size_bytes, 1e9, 0.1, window_segment_count=45)
    # 45 segments each round trip and time of a segment
    assert size_bytes * 8 / window_s == pytest.approx(45 * 1448 * 8 / (0.1 + 11.584e-6), rel=1e-5)
    assert short_transfer_time_s(125, 1e9, 0) == pytest.approx(1e-6, rel=1e-12)


# Transfers with loss


@pytest.mark.parametrize(
    ("segments", "b", "time_s"), [(1000, 1, 0.665821), (1000, 2, 0.969708), (10, 1, 0.1)]
)
def test_transfers_without_loss_by_cardwell(segments: int, b: int, time_s: float) -> None:
    """By hand: 0.1 log2(1000 / 10 + 1), 0.1 log1.5(1000 / 20 + 1)."""
    result_s = lossy_transfer_time_s(segments, 0.1, 1, 0, segments_per_ack=b)
    assert result_s == pytest.approx(time_s, abs=5e-7)


@pytest.mark.parametrize("p", [1e-9, 1e-4, 0.01, 0.2])
@pytest.mark.parametrize("d", [1, 50, 5000])
@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("limit", [4, 40, 10**6])
def test_transfers_with_loss_against_fifty_digits(p: float, d: int, b: int, limit: int) -> None:
    """Cardwell et al. (2000), equations 5 to 25, and PFTK for the rest."""
    with mp.workdps(50):
        loss, trip_s, timeout_s = mpf(p), mpf("0.1"), mpf("0.3")
        growth, first = 1 + mpf(1) / b, mpf(min(10, limit))
        any_lost = 1 - (1 - loss) ** d
        part = min(mpf(d), any_lost * (1 - loss) / loss + 1)
        window = part * (growth - 1) / growth + first / growth
        if window <= limit:
            rounds = mp.log(part * (growth - 1) / first + 1) / mp.log(growth)
        else:
            rest = (part - (growth * limit - first) / (growth - 1)) / limit
            rounds = mp.log(limit / first) / mp.log(growth) + 1 + rest
        at = min(window, mpf(limit))
        q, u = mpf(1), 1 - loss
        if at > 3:
            q = min(q, (1 - u**3) * (1 + u**3 * (1 - u ** (at - 3))) / (1 - u**at))
        f = 1 + loss + sum(2**k * loss ** (k + 1) for k in range(1, 6))
        recovery_s = any_lost * (q * f * timeout_s / (1 - loss) + (1 - q) * trip_s)
        c = mpf(2 + b) / (3 * b)
        peak = c + mp.sqrt(8 * (1 - loss) / (3 * b * loss) + c**2)
        w = min(peak, mpf(limit))
        qw = mpf(1)
        if w > 3:
            qw = min(qw, (1 - u**3) * (1 + u**3 * (1 - u ** (w - 3))) / (1 - u**w))
        n = b * peak / 2 + 1 if peak < limit else b * mpf(limit) / 8 + u / (loss * limit) + 2
        rate = (u / loss + w + qw / u) / (trip_s * n + qw * timeout_s * f / u)
        wanted_s = float(trip_s * rounds + recovery_s + (d - part) / rate)
    result_s = lossy_transfer_time_s(d, 0.1, 0.3, p, segments_per_ack=b, window_segment_count=limit)
    assert result_s == pytest.approx(wanted_s, rel=1e-9)


def test_a_first_window_of_one_waits_for_the_delayed_acknowledgement() -> None:
    for first, delay_s in ((1, 0.1), (2, 0), (10, 0)):
        times_s = [lossy_transfer_time_s(50, 0.1, 1, 0, first, 2, 1e6, d) for d in (0, 0.1)]
        assert times_s[1] - times_s[0] == pytest.approx(delay_s, abs=1e-12)


def test_a_transfer_of_nothing_takes_no_time() -> None:
    assert lossy_transfer_time_s(0, 0.1, 1, 0) == 0
    assert lossy_transfer_time_s(0, 0.1, 1, 0.1) == 0


@pytest.mark.parametrize(
    ("window", "idle_s", "first", "left"),
    [
        (100, 0, 10, 100),
        (100, 0.2, 10, 100),
        (100, 0.2001, 10, 50),
        (101, 0.3, 10, 50),
        (100, 0.5, 10, 25),
        (100, 0.7, 10, 12),
        (100, 0.9, 10, 10),
        (100, 99, 10, 10),
        (7, 99, 10, 7),
    ],
)
def test_windows_after_an_idle_time(window: int, idle_s: float, first: int, left: int) -> None:
    """Linux, tcp_cwnd_restart, by hand: shifted once for each full timeout of 0.2 s."""
    assert restarted_window_segment_count(window, idle_s, 0.2, first) == left


# Metrics


def test_metrics_of_rfc_6349() -> None:
    """RFC 6349, sections 4.1 to 4.3: 1.5, 98.03 % as printed for 98.0392, 28 %."""
    assert transfer_time_ratio(12, 8) == 1.5
    assert tcp_efficiency_ratio(102_000, 2_000) * 100 == pytest.approx(98.03, abs=0.01)
    assert tcp_efficiency_ratio(102_000, 2_000) == pytest.approx(100 / 102, rel=1e-12)
    assert buffer_delay_ratio(32, 25) == pytest.approx(0.28, rel=1e-12)


def test_the_narrow_link_need_not_be_the_tight_one() -> None:
    """RFC 5136, section 2.3; by hand 2 of 10 and 4 of 5 Gbit/s."""
    capacities_bps, used = np.array([10e9, 5e9]), np.array([0.8, 0.2])
    available_bps = available_capacity_bps(capacities_bps, used)
    assert available_bps == pytest.approx([2e9, 4e9])
    assert np.argmin(capacities_bps) != np.argmin(available_bps)


# Buffers


def test_utilisation_of_one_reno_flow() -> None:
    """By hand: 3 (1 + b)^2 / (4 (1 + b + b^2))."""
    ratios = reno_utilisation_ratio([0, 0.25, 0.5, 0.75, 1])
    assert ratios == pytest.approx([0.75, 0.892857, 0.964286, 0.993243, 1], abs=5e-7)
    assert reno_utilisation_ratio(3) == 1


@pytest.mark.parametrize("buffer", [0, 0.3, 0.7, 1])
def test_utilisation_of_one_reno_flow_against_its_sawtooth(buffer: float) -> None:
    """Windows of one segment more each round trip, which the queue makes longer."""
    product = 20_000
    peak = (1 + buffer) * product
    windows = np.arange(peak / 2, peak)
    times = np.maximum(windows / product, 1)
    used = windows.sum() / (times.sum() * product)
    assert reno_utilisation_ratio(buffer) == pytest.approx(used, rel=1e-4)


def test_buffers_of_routers() -> None:
    """Appenzeller et al. (2004): 312.5 MB, a hundredth for 10,000 flows; by hand 197 642 B."""
    assert full_utilisation_buffer_bytes(10e9, 0.25) == 312.5e6
    assert full_utilisation_buffer_bytes(10e9, 0.25, 10_000) == 3.125e6
    assert full_utilisation_buffer_bytes(25e9, 1e-3, 250) == pytest.approx(197_642, abs=0.5)
    product_bytes = bandwidth_delay_product_bytes(10e9, 0.25)
    cubic_bytes = full_utilisation_buffer_bytes(10e9, 0.25, decrease_ratio=0.7)
    assert cubic_bytes / product_bytes == pytest.approx(0.43, abs=0.005)
