"""Loss and rate: tables of RFC 9438 and RFC 5348, PFTK with 50 digits, and chains by hand."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from approximate import digits
from mpmath import mp, mpf

from netmodel.errors import DomainError
from netmodel.transport import (
    MAX_RESPONSE_LOSS_EVENT_RATIO,
    LossResponse,
    burst_loss_event_ratio,
    cubic_allowed_loss_event_ratio,
    cubic_crossover_round_trip_s,
    cubic_payload_rate_bps,
    cubic_recovery_time_s,
    cubic_window_segment_count,
    frame_loss_ratio,
    go_back_n_payload_rate_bps,
    mathis_payload_rate_bps,
    pfc_headroom_bytes,
    pftk_approximate_rate_bps,
    pftk_payload_rate_bps,
    pftk_received_rate_bps,
    propagation_round_trip_s,
    random_loss_event_ratio,
    rdma_throughput,
    reno_window_segment_count,
    retransmission_timeout_s,
    tcp_throughput,
    tfrc_payload_rate_bps,
)

LOSSES = (1e-4, 1e-3, 0.01, 0.05, 0.1)
DIGITS = 50


def of_segments(rate_bps: Any) -> Any:
    """Segments per second of a rate that was computed for segments of one byte."""
    return rate_bps / 8


# Square-root law


def test_the_square_root_law() -> None:
    """By hand: 1460 * 8 / 0.1 * sqrt(1.5) / 0.01, and 0.866 in place of 1.2247 for two segments."""
    assert mathis_payload_rate_bps(1460, 0.1, 1e-4) / 1e6 == pytest.approx(14.3050, rel=1e-5)
    fitted = mathis_payload_rate_bps(1460, 0.1, 1e-4, 1.5 / 0.93**2)
    assert fitted / 1e6 == pytest.approx(10.8624, rel=1e-5)
    two = mathis_payload_rate_bps(1460, 0.1, 1e-4, 2)
    assert two / mathis_payload_rate_bps(1460, 0.1, 1e-4) == pytest.approx(math.sqrt(0.5))
    assert two * 0.1 / (8 * 1460) == pytest.approx(0.8660 * 100, rel=1e-4)


@pytest.mark.parametrize("peak", [4, 30, 500])
def test_the_square_root_law_is_the_mean_of_a_sawtooth(peak: int) -> None:
    """Windows w/2, w/2 + 1, .. w - 1, then a loss: one in the sum of the windows; for large w."""
    windows = range(peak // 2, peak)
    loss = 1 / sum(windows)
    mean = sum(windows) / len(windows)
    law = of_segments(mathis_payload_rate_bps(1, 1, loss))
    assert law == pytest.approx(mean, rel=1 / peak)


# PFTK


@pytest.mark.parametrize(
    ("window", "rates"),
    [
        (None, (861.6299, 265.5733, 69.5245, 18.6029, 9.1060)),
        (20, (197.0512, 174.2403, 69.5245, 18.6029, 9.1060)),
    ],
)
def test_pftk_against_numbers_worked_out(window: int | None, rates: tuple[float, ...]) -> None:
    """A round trip of 0.1 s, a timeout of 1 s, two segments for each acknowledgement."""
    limit = {} if window is None else {"window_segment_count": window}
    for loss, rate in zip(LOSSES, rates, strict=True):
        result = pftk_payload_rate_bps(1, 0.1, 1, loss, 2, **limit)
        assert of_segments(result) == pytest.approx(rate, rel=1e-6, abs=0.5e-4)


def test_pftk_in_short_against_numbers_worked_out() -> None:
    rates = [of_segments(pftk_approximate_rate_bps(1, 0.1, 1, loss, 2)) for loss in LOSSES]
    assert rates == [digits(rate, 4) for rate in (864.0812, 267.8348, 70.6544, 17.4853, 6.8983)]


def pftk_by_the_paper(
    round_trip_s: float, timeout_s: float, p: mpf, b: int, limit: float, *, is_received: bool
) -> mpf:
    """Segments per second, as equations 22 to 32 of Padhye et al. (2000) print them."""
    c = mpf(2 + b) / (3 * b)
    expected = c + mp.sqrt(8 * (1 - p) / (3 * b * p) + c**2)
    window = min(expected, mpf(limit))
    q = mpf(1)
    if window > 3:
        u = 1 - p
        q = min(q, (1 - u**3) * (1 + u**3 * (1 - u ** (window - 3))) / (1 - u**window))
    f = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    if expected < limit:
        rounds = b * expected / 2 + 1
    else:
        rounds = b * mpf(limit) / 8 + (1 - p) / (p * limit) + 2
    segments = (1 - p) / p + (window / 2 + q if is_received else window + q / (1 - p))
    return segments / (round_trip_s * rounds + q * timeout_s * f / (1 - p))


@pytest.mark.parametrize("is_received", [False, True])
@pytest.mark.parametrize("b", [1, 2, 5])
@pytest.mark.parametrize("limit", [1, 3, 3.5, 20, 700, 2**30])
def test_pftk_against_fifty_digits(b: int, limit: float, *, is_received: bool) -> None:
    function = pftk_received_rate_bps if is_received else pftk_payload_rate_bps
    losses = (1e-12, 1e-8, 1e-4, 0.004, 0.03, 0.2, 0.49, 0.51, 0.9, 0.999)
    for round_trip_s, timeout_s in ((0.1, 1), (0.001, 0.201)):
        with mp.workdps(DIGITS):
            wanted = [
                float(
                    pftk_by_the_paper(
                        round_trip_s, timeout_s, mpf(p), b, limit, is_received=is_received
                    )
                )
                for p in losses
            ]
        result = of_segments(function(1, round_trip_s, timeout_s, losses, b, limit))
        assert result == pytest.approx(wanted, rel=1e-12)


def test_pftk_at_both_ends() -> None:
    """Without loss the window; with nothing but loss, one segment in 64 timeouts, none arrives."""
    assert of_segments(pftk_payload_rate_bps(1, 0.1, 1, 0, 2, 20)) == pytest.approx(200, rel=1e-12)
    received = pftk_received_rate_bps(1, 0.1, 1, 0, 2, 20)
    assert of_segments(received) == pytest.approx(200, rel=1e-12)
    assert of_segments(pftk_payload_rate_bps(1, 0.1, 2, 1)) == pytest.approx(1 / 128, rel=1e-12)
    assert pftk_received_rate_bps(1, 0.1, 2, 1) == 0


@pytest.mark.parametrize(
    ("timeout_s", "jump"), [(0.1, 0.054), (0.4, 0.035), (1.0, 0.024), (1e-9, 0.12)]
)
def test_pftk_with_one_segment_for_an_acknowledgement_jumps_at_the_window(
    timeout_s: float, jump: float
) -> None:
    """The denominators differ by RTT (2 - b) / 4: none at b = 2; upwards with loss at b = 1."""
    limits = np.linspace(1.7, 200, 2000)
    for b, most in ((2, 0), (1, jump)):
        c = (2 + b) / (3 * b)
        # E = W_m where 8 (1 - p) / (3 b p) = (W_m - c)^2 - c^2
        p = 1 / (1 + 3 * b / 8 * ((limits - c) ** 2 - c**2))
        below, above = (
            pftk_payload_rate_bps(1, 0.1, timeout_s, np.clip(p * side, 0, 1), b, limits)
            for side in (1 - 1e-9, 1 + 1e-9)
        )
        inside = (p > 0) & (p < 1) & (limits > 2 * c)
        assert np.max((above / below - 1)[inside]) == pytest.approx(most, abs=0.0025)


def test_pftk_in_full_and_in_short_agree_for_little_loss() -> None:
    """Round trips of 0.1 s, timeouts of 0.2 to 3 s, b = 2, loss up to 5 %: 0.977 to 1.108."""
    loss, timeout_s = np.geomspace(1e-7, 0.05, 400), np.linspace(0.2, 3, 60)[:, None]
    full = pftk_payload_rate_bps(1, 0.1, timeout_s, loss, 2)
    ratio = full / pftk_approximate_rate_bps(1, 0.1, timeout_s, loss, 2)
    assert ratio.min() == pytest.approx(0.977, abs=0.002)
    assert ratio.max() == pytest.approx(1.108, abs=0.002)


@pytest.mark.parametrize(
    ("loss", "table"),
    [(1e-4, 8172), (2e-3, 37172), (0.01, 89021), (0.05, 271305), (0.1, 564939), (1.0, 243315981)],
)
def test_tfrc_against_the_table_of_linux(loss: float, table: int) -> None:
    """net/dccp/ccids/lib/tfrc_equation.c: a million times 1 / X for round trips of 1 s."""
    assert 1e6 / of_segments(tfrc_payload_rate_bps(1, 1, loss)) == pytest.approx(table, abs=1)


# CUBIC


@pytest.mark.parametrize(
    ("round_trip_s", "windows"),
    [
        (0.1, (12, 38, 187, 1054, 5926, 33325, 187400)),
        (0.01, (12, 38, 120, 379, 1200, 5926, 33325)),
    ],
)
def test_windows_of_cubic_are_those_of_rfc_9438(
    round_trip_s: float, windows: tuple[int, ...]
) -> None:
    """RFC 9438, section 5: losses of 10^-2 to 10^-8."""
    losses = 10.0 ** -np.arange(2, 9)
    result = cubic_window_segment_count(round_trip_s, losses)
    assert result == pytest.approx(windows, rel=5e-5, abs=0.5)


def test_reno_windows_are_those_of_rfc_9438() -> None:
    """RFC 9438, section 5: 12, 38, 120, .. 12000."""
    windows = reno_window_segment_count(10.0 ** -np.arange(2, 9))
    assert windows.round().tolist() == [12, 38, 120, 379, 1200, 3795, 12000]
    assert mathis_payload_rate_bps(1, 1, 0.01) / 8 > windows[0]  # 12.247, not rounded


def test_loss_that_10_gbit_per_s_allow() -> None:
    """RFC 9438, section 5, 1500 bytes and 100 ms: 2.9e-8; Reno 2.0e-10, as 2.0736e-10 prints."""
    allowed = cubic_allowed_loss_event_ratio(1500, 0.1, 10e9)
    assert allowed == pytest.approx(2.9e-8, rel=0.05)
    assert allowed == pytest.approx(2.946e-8, rel=1e-3)
    segments = 10e9 * 0.1 / (8 * 1500)
    assert (1.2 / segments) ** 2 == pytest.approx(2.0736e-10, rel=1e-4)
    assert reno_window_segment_count(2.0736e-10) == pytest.approx(segments, rel=1e-6)
    assert cubic_payload_rate_bps(1500, 0.1, allowed) == pytest.approx(10e9, rel=1e-12)


def test_cubic_over_a_machine_room_is_reno() -> None:
    """By hand: 1.2^(4/3) / (0.4 * 3.7 / 1.2)^(1/3) = 1.189, times the third root of the loss."""
    assert cubic_crossover_round_trip_s(1e-6) * 1e3 == pytest.approx(11.89, abs=0.005)
    assert cubic_crossover_round_trip_s(1) == pytest.approx(1.189, abs=0.0005)
    assert cubic_window_segment_count(1e-3, 1e-6) == reno_window_segment_count(1e-6) == 1200


def test_recovery_of_cubic() -> None:
    """RFC 9438, section 4.2; by hand cube root of 1000 * 0.3 / 0.4."""
    assert cubic_recovery_time_s(1000) == pytest.approx(9.0856, abs=5e-5)
    assert cubic_recovery_time_s(0) == 0


def test_the_mean_of_a_cubic_period_is_the_window_of_the_formula() -> None:
    """Integral of C (t - K)^3 + W over one period, by Gauss-Legendre, exact for a cubic."""
    peak = 5000.0
    period_s = cubic_recovery_time_s(peak)
    nodes, weights = np.polynomial.legendre.leggauss(2)
    times_s = (nodes + 1) / 2 * period_s
    mean = np.sum(weights / 2 * (0.4 * (times_s - period_s) ** 3 + peak))
    round_trip_s = 0.1
    loss = round_trip_s / (mean * period_s)  # one in the segments of a period
    assert cubic_window_segment_count(round_trip_s, loss) == pytest.approx(mean, rel=1e-12)


# How often loss counts


def test_frames_with_bit_errors() -> None:
    """By hand: 8 * 1518 * 1e-12 less half its square; as many digits at any error."""
    for size, ratio in ((1518, 1.2144e-8), (9018, 7.2144e-8)):
        assert frame_loss_ratio(1e-12, size) == pytest.approx(ratio, rel=1e-6)
    with mp.workdps(DIGITS):
        for error in (1e-18, 1e-9, 1e-4, 0.3, 0.5, 0.9):
            wanted = float(1 - (1 - mpf(error)) ** (8 * 1518))
            assert frame_loss_ratio(error, 1518) == pytest.approx(wanted, rel=1e-12)


def loss_events(lost: np.ndarray, window: int) -> int:
    """First losses, each with the window - 1 segments that follow it left out."""
    count, at = 0, 0
    places = np.flatnonzero(lost)
    while (index := np.searchsorted(places, at)) < len(places):
        count, at = count + 1, places[index] + window
    return count


@pytest.mark.parametrize(("loss", "window"), [(0.01, 12), (0.1, 30), (0.3, 3), (0.001, 400)])
def test_events_of_independent_losses_against_drawn_ones(loss: float, window: int) -> None:
    generator = np.random.default_rng(1)
    lost = generator.random(round(40_000 / loss)) < loss
    drawn = loss_events(lost, window) / len(lost)
    assert random_loss_event_ratio(loss, window) == pytest.approx(drawn, rel=0.02)


@pytest.mark.parametrize(
    ("loss", "burst", "window"), [(0.01, 3, 12), (0.1, 20, 8), (0.2, 4, 30), (0.001, 5, 400)]
)
def test_events_of_bursts_against_drawn_ones(loss: float, burst: float, window: int) -> None:
    """Geometric bursts and gaps, drawn in turn, with means for the burst and the loss."""
    generator = np.random.default_rng(2)
    gap = burst * (1 - loss) / loss
    runs = np.empty(2 * 40_000, dtype=int)
    runs[0::2] = generator.geometric(1 / gap, 40_000)
    runs[1::2] = generator.geometric(1 / burst, 40_000)
    lost = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    drawn = loss_events(lost, window) / len(lost)
    assert burst_loss_event_ratio(loss, burst, window) == pytest.approx(drawn, rel=0.03)


def test_shortest_bursts_are_independent_losses() -> None:
    for loss in (1e-9, 0.01, 0.5, 0.9):
        for window in (1, 2, 12, 1000):
            burst = burst_loss_event_ratio(loss, 1 / (1 - loss), window)
            assert burst == pytest.approx(random_loss_event_ratio(loss, window), rel=1e-9)
    with pytest.raises(DomainError, match=r"mean_burst_count must be at least 2; got 1\.5"):
        burst_loss_event_ratio(0.5, 1.5, 10)


def test_rare_short_bursts_count_once_each() -> None:
    assert burst_loss_event_ratio(1e-9, 7, 40) == pytest.approx(1e-9 / 7, rel=1e-2)
    assert burst_loss_event_ratio(1e-9, 7, 1) == pytest.approx(1e-9, rel=1e-12)


# RDMA


def test_go_back_n_of_a_thousand_packets() -> None:
    """By hand: (1 - 1e-4) / (1 + 999e-4)."""
    full_bps = 1000 * 1024 * 8 / 1e-3
    share = go_back_n_payload_rate_bps(full_bps, 1e-3, 1e-4, 1024) / full_bps
    assert share == pytest.approx(0.909083, abs=5e-7)
    assert share == pytest.approx((1 - 1e-4) / (1 + 999e-4), rel=1e-12)
    assert go_back_n_payload_rate_bps(full_bps, 0, 0.25, 1024) == 0.75 * full_bps


def test_headroom_of_a_priority_over_100_km() -> None:
    """By hand: 25e9 * 0.98e-3 / 8 = 3.0625 MB, and two frames."""
    assert pfc_headroom_bytes(25e9, 0.98e-3, 1500) == pytest.approx(3_065_500, rel=1e-12)


# Which limit


def test_timeouts_of_linux() -> None:
    """By hand: 200 ms above the round trip, or four deviations."""
    assert retransmission_timeout_s(0.035) == pytest.approx(0.235)
    assert retransmission_timeout_s(0.035, 0.06) == pytest.approx(0.275)


@pytest.mark.parametrize(
    ("window_bytes", "loss", "flows", "limit", "rate_bps"),
    [
        (2**30 - 2**20, 0, 1, "line", 9.4e9),
        (65536, 0, 1, "window", 65536 * 8 / 1e-3),
        (65536, 0, 4, "window", 4 * 65536 * 8 / 1e-3),
        (65536, 0, 64, "line", 9.4e9),
        (65536, 1e-2, 1, "loss", 12 * 1448 * 8 / 1e-3),
        (65536, 1e-2, 4, "loss", 4 * 12 * 1448 * 8 / 1e-3),
    ],
)
def test_what_limits_a_stream(
    window_bytes: int, loss: float, flows: int, limit: str, rate_bps: float
) -> None:
    """By hand: a round trip of 1 ms, where CUBIC is Reno with 1.2 / sqrt(loss) segments."""
    result = tcp_throughput(9.4e9, 1e-3, window_bytes, loss, flows)
    assert (result.limit, result.payload_rate_bps) == (limit, pytest.approx(rate_bps, rel=1e-12))
    assert result.margins[limit] == 0
    assert min(result.margins.values()) == 0
    assert result.to_dict()["limit"] == limit


def test_of_equal_limits_the_line_is_named() -> None:
    """By hand: 64 KiB a millisecond are 524.288 Mbit/s, the rate of the line."""
    one = tcp_throughput(524.288e6, 1e-3, 65536)
    several = tcp_throughput(np.array([524.288e6]), 1e-3, 65536)
    assert one.margins["line"] == one.margins["window"] == 0
    assert (one.limit, several.limit) == ("line", ["line"])


def test_what_limits_nothing_has_no_rate() -> None:
    without = tcp_throughput(9.4e9, 0, 65536, 0.01)
    assert (without.limit, without.payload_rate_bps) == ("line", 9.4e9)
    assert without.margins == {"line": 0, "window": 1, "loss": 1}
    assert without.to_dict()["window_rate_bps"] is None
    assert tcp_throughput(9.4e9, 1e-3).to_dict()["loss_rate_bps"] is None
    assert "window rate" not in without._repr_html_()
    assert repr(without) == "<StreamThroughput 9.4 Gbit/s, limited by line>"
    assert "9.4 Gbit/s" in without._repr_html_()


def test_limits_of_an_array() -> None:
    trips_s = [0, 1e-5, 1e-3, 0.1]
    result = tcp_throughput(9.4e9, trips_s, 65536, [[0], [1e-2]])
    assert result.payload_rate_bps.shape == (2, 4)
    assert result.limit.tolist() == [
        ["line", "line", "window", "window"],
        ["line", "line", "loss", "loss"],
    ]
    for index in np.ndindex(2, 4):
        one = tcp_throughput(9.4e9, trips_s[index[1]], 65536, [0, 1e-2][index[0]])
        assert one.limit == result.limit[index]
        assert one.payload_rate_bps == result.payload_rate_bps[index]
    assert result.to_dict()["margins"]["window"][0][0] == 1
    assert "8" in result._repr_html_()
    assert repr(result) == "<StreamThroughput of 8 cases>"


def test_nothing_limits_what_is_not_a_number() -> None:
    assert tcp_throughput(9.4e9, math.nan, 65536).limit == "unknown"
    assert rdma_throughput(9.4e9, [1e-3, math.nan], 65536).limit.tolist() == ["window", "unknown"]


def test_responses_to_loss_differ() -> None:
    """Over 100 ms at 1e-6: CUBIC 5926 segments, Reno 1200, PFTK with one segment an ACK 1225."""
    rates = {
        response: tcp_throughput(1e12, 0.1, 2**30 - 2**20, 1e-6, response=response)
        for response in LossResponse
    }
    assert {result.limit for result in rates.values()} == {"loss"}
    windows = {
        str(response): result.payload_rate_bps * 0.1 / 8 / 1448
        for response, result in rates.items()
    }
    assert windows == pytest.approx({"cubic": 5926, "reno": 1200, "pftk": 1224}, rel=2e-3)
    with pytest.raises(DomainError, match="response must be one of cubic, reno, pftk; got 'bbr'"):
        tcp_throughput(1e9, 0.1, response="bbr")  # type: ignore[arg-type]


def test_pftk_has_the_window_in_its_mean() -> None:
    result = tcp_throughput(1e12, 0.1, 20 * 1448, 1e-3, response=LossResponse.PFTK)
    alone = pftk_payload_rate_bps(1448, 0.1, 0.3, 1e-3, 1, 20)
    assert result.payload_rate_bps == pytest.approx(alone, rel=1e-12)
    assert result.payload_rate_bps < result.window_rate_bps < result.loss_rate_bps
    assert result.limit == "window"


def test_pftk_with_a_window_of_one_segment_waits_for_each_loss() -> None:
    """One segment a round trip of 0.1 s, and for each lost one a timeout of 0.3 s, then 0.6 s."""
    result = tcp_throughput(1e12, 0.1, 1448, 1e-3, response=LossResponse.PFTK)
    timeout_s = 0.3 * (1 + 1e-3)  # to first order in the loss
    expected_bps = 8 * 1448 / (0.1 + 1e-3 * timeout_s)
    assert result.payload_rate_bps == pytest.approx(expected_bps, rel=3e-3)
    assert result.payload_rate_bps < result.window_rate_bps * (1 - 1e-3)


def test_segments_of_one_byte_lose_as_many_segments() -> None:
    small, large = (
        tcp_throughput(1e12, 0.1, 2**20, 1e-4, segment_bytes=size, response=LossResponse.RENO)
        for size in (1, 1000)
    )
    assert large.loss_rate_bps == pytest.approx(1000 * small.loss_rate_bps, rel=1e-12)


def test_what_limits_smc_r() -> None:
    """By hand: 64 KiB over 10 km, then go-back-N with 1000 packets in flight."""
    round_trip_s = propagation_round_trip_s(10e3)
    clean = rdma_throughput(9.4e9, round_trip_s, 65536)
    assert (clean.limit, clean.payload_rate_bps) == (
        "window",
        pytest.approx(65536 * 8 / round_trip_s, rel=1e-12),
    )
    line_bps = 1000 * 1024 * 8 / 1e-3
    lossy = rdma_throughput(line_bps, 1e-3, 2**24, 1e-4)
    assert lossy.payload_rate_bps / line_bps == pytest.approx(0.909083, abs=5e-7)
    assert (lossy.limit, lossy.loss_rate_bps > line_bps) == ("line", True)
    assert lossy.loss_rate_bps == pytest.approx(8 * 1024 * (1 - 1e-4) / (1e-4 * 1e-3), rel=1e-12)
    assert rdma_throughput(line_bps, 1e-3, 2**24, 0.1).limit == "loss"
    four = rdma_throughput(line_bps, 1e-3, 2**24, 1e-4, flow_count=4)
    assert four.loss_rate_bps == pytest.approx(4 * lossy.loss_rate_bps)
    assert rdma_throughput(line_bps, 0, 1, 0.25).payload_rate_bps == 0.75 * line_bps
    halves = rdma_throughput(line_bps, 1e-3, 2**24, 1e-4, 2)
    assert halves.payload_rate_bps / line_bps == pytest.approx(
        float(Fraction(9999, 10000) / (1 + 499 * Fraction(1, 10000))), rel=1e-12
    )


def test_without_timeouts_a_rate_holds_to_a_fourth_up_to_one_loss_in_a_hundred() -> None:
    """
    Mathis over PFTK at 100 ms, a timeout of 1 s, an ACK for two segments.

    86.603 / 69.5245 segments/s at 1 %; at 5 % the timeouts halve the rate: 38.730 / 18.6029.
    """

    def ratio(loss: float) -> float:
        without = mathis_payload_rate_bps(1460, 0.1, loss, 2)
        return without / pftk_payload_rate_bps(1460, 0.1, 1, loss, 2)

    assert MAX_RESPONSE_LOSS_EVENT_RATIO == 0.01
    assert ratio(MAX_RESPONSE_LOSS_EVENT_RATIO) == pytest.approx(86.603 / 69.5245, rel=1e-4)
    assert ratio(0.05) == pytest.approx(38.730 / 18.6029, rel=1e-4)
