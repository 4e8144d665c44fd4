"""Requests over distance with TCP and SMC-R: published figures, and what follows by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.errors import DomainError, UnknownRecordError
from netmodel.path._transport_times import TransportTimes, amounts, transport_times
from netmodel.records._transports import transport_record
from netmodel.transport import endpoint_latencies, propagation_round_trip_s

TIMES = transport_times("roce-express-10gbe")
KIB = 1024
LIGHT_KM_PER_S, GROUP_INDEX = 299_792.458, 1.4682
SIZES = st.integers(1, 200_000)
ROUND_TRIPS_S = st.floats(0, 0.05)


def round_trip_s(km: float) -> float:
    return 2 * km * GROUP_INDEX / LIGHT_KM_PER_S


def gain_percents(size_bytes: int, km: float) -> list[float]:
    ratio = TIMES.time_ratio(size_bytes, size_bytes, round_trip_s(km))
    return [100 * (1 - float(end)) for end in (ratio.high, ratio.value, ratio.low)]


@pytest.mark.parametrize(
    ("size_bytes", "km", "low", "high"),
    [
        (KIB, 10, 46.5, 47.5),  # up to 47 % less latency, 88 % more throughput: 46.7 to 46.9
        (KIB, 100, 7.83, 9.5),  # 9 %; 9 % more throughput: 7.8 to 8.7
        (32 * KIB, 10, 59.5, 60.5),  # 60 %
        (32 * KIB, 100, 24.5, 26.2),  # 25 %; 35 % more throughput: 25.7 to 26.2
    ],
)
def test_published_gains_are_within_their_rounding(
    size_bytes: int, km: float, low: float, high: float
) -> None:
    smallest, middle, largest = gain_percents(size_bytes, km)
    assert low - 0.01 <= smallest < middle < largest <= high + 0.01


def test_one_kib_at_50_km_gains_about_16_percent() -> None:
    """1/gain is linear in distance: 5/9 of that at 10 km and 4/9 of that at 100 km."""
    low, middle, high = gain_percents(KIB, 50)
    assert middle == pytest.approx(16.4, abs=0.2)
    assert high <= 100 / (5 / 9 / 0.475 + 4 / 9 / 0.095) + 0.01  # 17.1
    assert low >= 100 / (5 / 9 / 0.465 + 4 / 9 / 0.0782) - 0.01  # 14.5
    assert (round(low), round(high)) == (15, 17)


def test_figures_as_printed_are_among_the_allowed_times() -> None:
    printed = endpoint_latencies(0.47, round_trip_s(10), 0.09, round_trip_s(100))
    for name, time_s in (
        ("tcp", printed.baseline_latency_s),
        ("smc-r", printed.endpoint_latency_s),
    ):
        allowed = TIMES.endpoint_time_s(name, KIB, KIB)
        assert float(allowed.low) < time_s < float(allowed.high)


def test_messages_between_lie_between_and_their_range_is_frames_against_bytes() -> None:
    """16 KiB: 12 frames of 1440 byte where 32 KiB are 23 and 1 KiB is 1."""
    ends = {size: TIMES.endpoint_time_s("tcp", size, size) for size in (KIB, 16 * KIB, 32 * KIB)}
    small, between, large = (float(ends[size].value) for size in sorted(ends))
    assert small < between < large
    assert (between - small) / (large - small) == pytest.approx(11 / 22, abs=0.02)
    low, middle, high = gain_percents(16 * KIB, 50)
    assert 25 < low < middle < high < 35


def test_a_transaction_takes_endpoint_time_and_round_trips() -> None:
    trip_s = round_trip_s(100)
    endpoint = TIMES.endpoint_time_s("tcp", KIB, KIB)
    once, thrice = (TIMES.transaction_time_s("tcp", KIB, KIB, trip_s, count) for count in (1, 3))
    assert once.value == pytest.approx(endpoint.value + trip_s)
    assert thrice.low == pytest.approx(endpoint.low + 3 * trip_s)


@pytest.mark.parametrize(
    ("size_kib", "window_kib", "first_kib", "count"),
    [
        (32, 64, None, 1),
        (64, 64, None, 1),
        (65, 64, None, 3),  # two windows each way: the request waits once, the response once
        (200, 64, None, 7),  # four each way
        (32, 64, 14, 3),  # 14 and 28 KiB: two rounds each way
        (200, 64, 14, 9),  # 14, 28, 56, 64 and 38 KiB: five
        (1, 64, 14, 1),
    ],
)
def test_messages_beyond_the_window_wait_for_round_trips(
    size_kib: int, window_kib: int, first_kib: int | None, count: int
) -> None:
    size, window = size_kib * KIB, window_kib * KIB
    first = None if first_kib is None else first_kib * KIB
    assert TIMES.round_trip_count("tcp", size, size, window, first) == count
    if first is None:
        assert TIMES.round_trip_count("smc-r", size, size, window) == count


def test_round_trips_of_both_protocols_enter_the_ratio() -> None:
    trip_s = round_trip_s(100)
    plain = TIMES.time_ratio(KIB, KIB, trip_s)
    waiting = TIMES.time_ratio(KIB, KIB, trip_s, 1, 2)
    assert waiting.high < plain.low
    far = TIMES.time_ratio(KIB, KIB, 1000.0, 2, 3)
    assert far.value == pytest.approx(2 / 3, rel=1e-6)


def test_the_wire_is_part_of_the_endpoint_time() -> None:
    """Two messages of 1 KiB over 10 Gbit/s: 1024 + 90 byte of headers and silence each."""
    of_each = amounts(transport_record().protocols["tcp"], KIB, KIB)
    assert (of_each.frame_count, of_each.payload_bytes) == (2, 2 * KIB)
    assert of_each.wire_s == pytest.approx(2 * (KIB + 90) * 8 / 10e9)


@given(SIZES, SIZES, ROUND_TRIPS_S, ROUND_TRIPS_S)
def test_gains_fade_with_distance(
    request_bytes: int, response_bytes: int, first_s: float, second_s: float
) -> None:
    near, far = (
        TIMES.time_ratio(request_bytes, response_bytes, trip)
        for trip in sorted((first_s, second_s))
    )
    for end in ("low", "value", "high"):
        assert getattr(near, end) <= getattr(far, end) * (1 + 1e-12) < 1 + 1e-9


@given(SIZES, st.floats(0.01, 0.5))
def test_at_the_crossover_the_gain_is_the_share(size_bytes: int, share: float) -> None:
    crossover = TIMES.crossover_round_trip_s(share, size_bytes, size_bytes)
    for end, other in (("low", "high"), ("high", "low")):
        trip_s = float(getattr(crossover, end))
        gain = 1 - float(getattr(TIMES.time_ratio(size_bytes, size_bytes, trip_s), other))
        assert gain == pytest.approx(share, rel=1e-9) or (trip_s == 0 and gain < share)


def test_arrays_are_their_numbers() -> None:
    trips_s, sizes = np.array([1e-4, 1e-3]), np.array([[KIB], [20_000]])
    many = TIMES.time_ratio(sizes, sizes, trips_s)
    assert many.low.shape == (2, 2)
    one = TIMES.time_ratio(20_000, 20_000, 1e-3)
    ends = (many.value[1, 1], many.low[1, 1], many.high[1, 1])
    assert ends == pytest.approx((one.value, one.low, one.high))
    assert isinstance(one.value, float)


def test_the_line_carries_both_messages() -> None:
    """The other way round they take as long; twice the larger one would be more."""
    protocol = TIMES.record.protocols["tcp"]
    there, back = amounts(protocol, 200, 30_000), amounts(protocol, 30_000, 200)
    assert there == pytest.approx(back)
    assert there.wire_s > 8 * 30_200 / 10e9
    assert there.wire_s < amounts(protocol, 30_000, 30_000).wire_s


def test_notes_say_what_the_figures_do_not_cover() -> None:
    assert len(TIMES.notes(KIB, 32 * KIB)) == 1
    first, second = TIMES.notes(1, KIB)
    assert first.startswith("extrapolated")
    assert "up to" in second
    assert all(len(note) <= 100 for note in (first, second))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: TIMES.endpoint_time_s("udp", 1, 1), "protocol must be one of tcp, smc-r"),
        (lambda: TIMES.endpoint_time_s("tcp", 0, 1), "request_bytes must be above 0"),
        (lambda: TIMES.time_ratio(1, 1, 1, 1, 0), "baseline_round_trip_count must be at least 1"),
        (lambda: TIMES.round_trip_count("smc-r", 1, 1, 9, 1), "has no window that grows"),
        (lambda: TIMES.round_trip_count("tcp", 1, 1, 0), "window_bytes must be at least 1 byte"),
        (lambda: TIMES.time_ratio(1, 1, -1), "round_trip_s must be at least 0"),
        (lambda: TIMES.transaction_time_s("tcp", 1, 1, 1, 0), "round_trip_count must be at least"),
        (lambda: TIMES.crossover_round_trip_s(0, 1, 1), "gain_ratio must be above 0"),
    ],
)
def test_impossible_input_is_refused(call, words: str) -> None:
    with pytest.raises(DomainError, match=words):
        call()


def test_unknown_adapters_are_named() -> None:
    with pytest.raises(UnknownRecordError, match="tcp over osa-express5s-10gbe"):
        transport_times("osa-express7s-25gbe")
    assert isinstance(transport_times(), TransportTimes)
    assert propagation_round_trip_s(10_000) == pytest.approx(round_trip_s(10))
