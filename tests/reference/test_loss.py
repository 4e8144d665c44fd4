"""Loss and rate: tables of RFC 9438 and RFC 5348, PFTK with 50 digits, and chains by hand."""

from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from netmodel.transport import (
    MAX_RESPONSE_LOSS_EVENT_RATIO,
    burst_loss_event_ratio,
    mathis_payload_rate_bps,
    pftk_payload_rate_bps,
    pftk_received_rate_bps,
    tcp_throughput,
)

DIGITS = 50


def of_segments(rate_bps: Any) -> Any:
    """Segments per second of a rate that was computed for segments of one byte."""
    return rate_bps / 8


# PFTK


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


# How often loss counts


def loss_events(lost: np.ndarray, window: int) -> int:
    """First losses, each with the window - 1 segments that follow it left out."""
    count, at = 0, 0
    places = np.flatnonzero(lost)
    while (index := np.searchsorted(places, at)) < len(places):
        count, at = count + 1, places[index] + window
    return count


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


# Which limit


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
    assert {rate.shape for rate in result} == {(2, 4)}


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
