"""Laws of loss, slow start and short transfers, for any path."""

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from netmodel.transport import (
    burst_loss_event_ratio,
    cubic_allowed_loss_event_ratio,
    cubic_payload_rate_bps,
    cubic_window_segment_count,
    go_back_n_payload_rate_bps,
    mathis_payload_rate_bps,
    pftk_payload_rate_bps,
    pftk_received_rate_bps,
    random_loss_event_ratio,
    rdma_throughput,
    short_transfer_time_s,
    tcp_throughput,
)

ROUNDING = 1 + 1e-9

losses = st.floats(-9, -0.05).map(lambda exponent: 10**exponent)
rare = st.floats(-9, -2).map(lambda exponent: 10**exponent)
trips_s = st.floats(-5, 0).map(lambda exponent: 10**exponent)
rates_bps = st.floats(7, 11.5).map(lambda exponent: 10**exponent)
windows = st.floats(0, 6).map(lambda exponent: 10**exponent)
more = st.floats(1.001, 100)
per_ack = st.sampled_from([1, 1.5, 2, 3, 10])
sizes = st.floats(0, 9).map(lambda exponent: 10**exponent)
few_examples = settings(max_examples=60)


# PFTK


@few_examples
@given(trips_s, st.floats(1, 1000), losses, per_ack, windows, more)
def test_pftk_falls_with_round_trip_and_timeout_and_scales_with_time(
    trip_s: float, timeouts: float, loss: float, b: float, window: float, factor: float
) -> None:
    timeout_s = timeouts * trip_s
    for function in (pftk_payload_rate_bps, pftk_received_rate_bps):
        base = function(1448, trip_s, timeout_s, loss, b, window)
        assert 0 < base
        assert function(1448, factor * trip_s, timeout_s, loss, b, window) <= base * ROUNDING
        assert function(1448, trip_s, factor * timeout_s, loss, b, window) <= base * ROUNDING
        scaled = function(1448, factor * trip_s, factor * timeout_s, loss, b, window)
        assert scaled == pytest.approx(base / factor, rel=1e-9)
        larger = function(1448 * factor, trip_s, timeout_s, loss, b, window)
        assert larger == pytest.approx(base * factor, rel=1e-9)


@few_examples
@given(trips_s, per_ack)
def test_pftk_of_rare_loss_is_the_square_root_law(trip_s: float, b: float) -> None:
    for loss in (1e-10, 1e-12):
        law = mathis_payload_rate_bps(1448, trip_s, loss, b)
        rate = pftk_payload_rate_bps(1448, trip_s, 3 * trip_s, loss, b)
        assert rate == pytest.approx(law, rel=20 * math.sqrt(loss * b))


# Square-root law and CUBIC


@few_examples
@given(trips_s, losses, more)
def test_cubic_is_never_below_reno_and_falls_with_loss_and_round_trip(
    trip_s: float, loss: float, factor: float
) -> None:
    window = cubic_window_segment_count(trip_s, loss)
    assert window >= 1.2 / math.sqrt(loss) / ROUNDING
    rate = cubic_payload_rate_bps(1448, trip_s, loss)
    assert cubic_payload_rate_bps(1448, factor * trip_s, loss) <= rate * ROUNDING
    assert cubic_payload_rate_bps(1448, trip_s, min(factor * loss, 1)) <= rate * ROUNDING
    # beyond the Reno-friendly region the window depends on round trip over loss alone
    crossover_s = (1.2**4 / (0.4 * 3.7 / 1.2) * loss) ** (1 / 3)
    far_s = 1.001 * crossover_s
    far, farther = (cubic_window_segment_count(times * far_s, loss) for times in (1, factor))
    assert farther == pytest.approx(far * factor**0.75, rel=1e-9)
    near = cubic_window_segment_count(0.999 * crossover_s, loss)
    assert near == pytest.approx(1.2 / math.sqrt(loss), rel=1e-12)


@few_examples
@given(trips_s, rare)
def test_the_allowed_loss_undoes_the_rate(trip_s: float, loss: float) -> None:
    rate = cubic_payload_rate_bps(1448, trip_s, loss)
    assert cubic_allowed_loss_event_ratio(1448, trip_s, rate) == pytest.approx(loss, rel=1e-9)


# Loss events


@few_examples
@given(losses, windows, more, more)
def test_events_lie_between_one_in_a_window_and_every_loss(
    loss: float, window: float, longer: float, factor: float
) -> None:
    assume(loss < 0.99)
    random = random_loss_event_ratio(loss, window)
    bursts = burst_loss_event_ratio(loss, longer / (1 - loss), window)
    assert bursts <= random * ROUNDING
    assert random <= loss * ROUNDING
    assert random <= 1 / window * ROUNDING
    assert burst_loss_event_ratio(loss, longer * factor / (1 - loss), window) <= bursts * ROUNDING
    assert random_loss_event_ratio(loss, factor * window) <= random
    assert burst_loss_event_ratio(loss, longer / (1 - loss), factor * window) <= bursts * ROUNDING


# Streams


@few_examples
@given(rates_bps, trips_s, windows, losses, st.integers(1, 50), more)
def test_a_stream_is_below_every_limit_and_monotone(
    path_bps: float,
    trip_s: float,
    window: float,
    loss: float,
    flows: int,
    factor: float,
) -> None:
    def rate(
        path: float = 1, trip: float = 1, size: float = 1, lost: float = 1, n: float = 1
    ) -> Any:
        return tcp_throughput(
            path_bps * path,
            trip_s * trip,
            1448 * window * size,
            min(loss * lost, 1),
            flows * n,
        )

    base = rate()
    limits = (base.line_rate_bps, base.window_rate_bps, base.loss_rate_bps)
    assert base.payload_rate_bps == min(limits)
    assert base.limit == ("line", "window", "loss")[limits.index(min(limits))]
    most = base.payload_rate_bps * ROUNDING
    assert rate(trip=factor).payload_rate_bps <= most
    assert rate(lost=factor).payload_rate_bps <= most
    for raised in (rate(path=factor), rate(size=factor), rate(n=factor)):
        assert raised.payload_rate_bps * ROUNDING >= base.payload_rate_bps


@few_examples
@given(rates_bps, trips_s, windows, losses, st.integers(1, 50), more)
def test_smc_r_falls_with_distance_and_loss(
    path_bps: float, trip_s: float, window: float, loss: float, flows: int, factor: float
) -> None:
    assume(loss * factor < 1)
    size = 1024 * window
    base = rdma_throughput(path_bps, trip_s, size, loss, flows).payload_rate_bps
    assert 0 < base <= min(path_bps, 8 * flows * size / trip_s) * ROUNDING
    assert rdma_throughput(path_bps, factor * trip_s, size, loss, flows).payload_rate_bps <= (
        base * ROUNDING
    )
    worse = rdma_throughput(path_bps, trip_s, size, factor * loss, flows)
    assert worse.payload_rate_bps <= base * ROUNDING
    assert rdma_throughput(path_bps, trip_s, factor * size, loss, flows).payload_rate_bps >= (
        base / ROUNDING
    )
    alone = go_back_n_payload_rate_bps(path_bps, trip_s, loss, 1024)
    assert alone <= path_bps * (1 - loss) * ROUNDING
    assert go_back_n_payload_rate_bps(path_bps, trip_s, 0, 1024) == path_bps


# Transfers


@few_examples
@given(sizes, rates_bps, trips_s, st.floats(1, 100), per_ack, windows, more)
def test_a_transfer_takes_longer_with_size_and_round_trip(
    size: float,
    path_bps: float,
    trip_s: float,
    first: float,
    b: float,
    limit: float,
    factor: float,
) -> None:
    def time(**changed: float) -> float:
        values = {"size": size, "path": path_bps, "trip": trip_s, "first": first, "limit": limit}
        values |= changed
        return short_transfer_time_s(
            *(values["size"], values["path"], values["trip"], 1448, values["first"], b),
            values["limit"],
        )

    base = time()
    least = 2 * trip_s + size * 8 / path_bps
    assert base * ROUNDING >= least
    assert time(size=factor * size) * ROUNDING >= base
    assert time(trip=factor * trip_s) * ROUNDING >= base
    assert time(path=factor * path_bps) <= base * ROUNDING
    assert time(first=factor * first) <= base * ROUNDING
    assert time(limit=factor * limit) <= base * ROUNDING
