"""The range that published statements leave of a throughput, from its figures to its words."""

import json
import math
from dataclasses import replace

import pytest

from netmodel.concurrency import Bounds
from netmodel.path._data_band import NO_RATE_KNOWN, Bands, DataBand, no_bands
from netmodel.records import Grade

BAND = DataBand(
    connection_count=10,
    throughput_bps=Bounds(4e9, 16e9),
    one_connection_bps=Bounds(0.5e9, 8e9),
    expected_bps=Bounds(5e9, 12.5e9),
    one_expected_bps=Bounds(1e9, 4e9),
    payload_bits=100_000,
    ratios={"the old card": Bounds(1.2, 3.0)},
    statements={"faster": Bounds(4e9, math.inf)},
    low_from=("faster", "old"),
    high_from=("bound",),
    grade=Grade.PUBLISHED,
    notes=("one is not used",),
)
STREAM = replace(BAND, payload_bits=None)
OPEN = replace(BAND, throughput_bps=Bounds(0.0, 16e9), one_connection_bps=NO_RATE_KNOWN)


def test_times_follow_from_rates_by_littles_law() -> None:
    """10 messages of 100,000 bit at 4 to 16 Gbit/s: the highest rate has the shortest time."""
    assert BAND.transaction_time_s == pytest.approx((62.5e-6, 250e-6))
    assert BAND.zero_load_time_s == pytest.approx((12.5e-6, 200e-6))
    assert BAND.expected_time_s == pytest.approx((80e-6, 200e-6))
    assert BAND.expected_zero_load_time_s == pytest.approx((25e-6, 100e-6))
    assert OPEN.transaction_time_s == (pytest.approx(62.5e-6), math.inf)
    # of a rate that has no end either way nothing is known
    assert OPEN.zero_load_time_s == (0, math.inf)


def test_a_stream_has_no_times() -> None:
    assert STREAM.transaction_time_s is STREAM.zero_load_time_s is None
    assert STREAM.expected_time_s is STREAM.expected_zero_load_time_s is None
    assert STREAM.zero_load_text == ""
    without = replace(BAND, expected_bps=None, one_expected_bps=None)
    assert without.expected_time_s is without.expected_zero_load_time_s is None
    assert without.transaction_time_s == BAND.transaction_time_s


@pytest.mark.parametrize(
    ("bound_bps", "throughput", "expected"),
    [
        (20e9, (4e9, 16e9), (5e9, 12.5e9)),
        (14e9, (4e9, 14e9), (5e9, 12.5e9)),
        (10e9, (4e9, 10e9), (5e9, 10e9)),
        (5e9, (4e9, 5e9), (5e9, 5e9)),
        # what is expected contradicts the bound, what holds for any times does not
        (4.5e9, (4e9, 4.5e9), None),
        (4e9, (4e9, 4e9), None),
        # a lower end above the bound by rounding alone is the bound
        (4e9 * (1 - 1e-12), (4e9 * (1 - 1e-12),) * 2, None),
        (5e9 * (1 - 1e-12), (4e9, 5e9 * (1 - 1e-12)), (5e9 * (1 - 1e-12),) * 2),
    ],
)
def test_below_an_upper_bound_a_range_is_cut(
    bound_bps: float, throughput: tuple[float, float], expected: tuple[float, float] | None
) -> None:
    band = BAND.below(bound_bps)
    assert band is not None
    assert (band.throughput_bps, band.expected_bps) == (throughput, expected)
    assert band.one_connection_bps == BAND.one_connection_bps
    assert replace(BAND, expected_bps=None).below(bound_bps) == replace(band, expected_bps=None)


def test_a_range_above_the_bound_contradicts_it() -> None:
    assert BAND.below(3.99e9) is None


@pytest.mark.parametrize(
    ("band", "text"),
    [
        (
            BAND,
            "between 4 Gbit/s and 16 Gbit/s by published statements; expected between 5 Gbit/s and "
            "12.5 Gbit/s if service times are random and independent of load",
        ),
        (
            replace(BAND, expected_bps=None),
            "between 4 Gbit/s and 16 Gbit/s by published statements",
        ),
        (OPEN, "at most 16 Gbit/s, with no lower end"),
    ],
)
def test_a_band_in_words(band: DataBand, text: str) -> None:
    assert band.text == text
    assert f"10 connections: {text[:20]}" in repr(band)


def test_the_zero_load_time_in_words() -> None:
    text = "between 12.5 µs and 200 µs"
    assert BAND.zero_load_text == f"{text}; expected between 25 µs and 100 µs"
    assert replace(BAND, one_expected_bps=None).zero_load_text == text
    assert replace(OPEN, one_expected_bps=None).zero_load_text == "between 0 ns and any time"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1.2, 3.0, "1.2 to 3 times that of old"),
        (1.2346, math.inf, "at least 1.23 times that of old"),
        (0.0, 3.0, "at most 3 times that of old"),
    ],
)
def test_a_ratio_in_words(low: float, high: float, text: str) -> None:
    assert replace(BAND, ratios={"old": Bounds(low, high)}).ratio_texts == (text,)


def test_a_band_has_plain_values_without_open_ends() -> None:
    result = json.loads(json.dumps(BAND.to_dict(), allow_nan=False))
    assert result == {
        "throughput_bps": {"low": 4e9, "high": 16e9},
        "transaction_time_s": {"low": pytest.approx(62.5e-6), "high": pytest.approx(250e-6)},
        "zero_load_time_s": {"low": pytest.approx(12.5e-6), "high": pytest.approx(200e-6)},
        "expected": {
            "throughput_bps": {"low": 5e9, "high": 12.5e9},
            "transaction_time_s": {"low": pytest.approx(80e-6), "high": pytest.approx(200e-6)},
            "zero_load_time_s": {"low": pytest.approx(25e-6), "high": pytest.approx(100e-6)},
            "assumption": "service times are random and independent of load",
        },
        "ratios": {"the old card": {"low": 1.2, "high": 3.0}},
        "statements": {"faster": {"low": 4e9, "high": None}},
        "low_from": ["faster", "old"],
        "high_from": ["bound"],
        "grade": "published",
        "notes": ["one is not used"],
    }
    bare = replace(OPEN, expected_bps=None, grade=None).to_dict()
    assert bare["throughput_bps"] == {"low": None, "high": 16e9}
    assert bare["transaction_time_s"]["high"] is None
    assert (bare["expected"], bare["grade"]) == (None, None)
    assert STREAM.to_dict()["transaction_time_s"] is None


def test_a_path_that_no_statement_is_about_has_no_band_for_any_number() -> None:
    assert no_bands([1, 10]) == Bands((None, None), "")
