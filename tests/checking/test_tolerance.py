"""The tolerance of a verdict, part by part."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import EVEN_CEILING_BPS, EVEN_LINE, run

from netmodel.checking import check
from netmodel.checking.tolerance import Tolerance
from netmodel.readers import Measurement

LONG = {"duration_s": 10.0}


def tolerance_of(measurement: Measurement) -> Tolerance:
    result = check(measurement, EVEN_LINE).tolerance
    assert result is not None
    return result


def test_all_parts_add_up() -> None:
    result = tolerance_of(run(**LONG, is_bidirectional=True, half_width_bps=1e6))
    assert result.min_ratio == pytest.approx(1 - sum(each.below_ratio for each in result.parts))
    assert result.max_ratio == pytest.approx(1 + sum(each.above_ratio for each in result.parts))
    assert all(each.reason for each in result.parts)


def test_the_tolerance_is_part_of_the_plain_values() -> None:
    result = check(run(**LONG), EVEN_LINE).to_dict()
    assert result["tolerance_ratio"] == pytest.approx(0.031)
    assert (result["min_ratio"], result["max_ratio"]) == pytest.approx((0.969, 1.0016))
    assert [each["name"] for each in result["tolerance"]] == ["floor", "timing", "recovery"]
    assert set(result["tolerance"][0]) == {"name", "below_ratio", "above_ratio", "reason"}


@given(
    duration_s=st.floats(0.01, 1e4),
    longer=st.floats(1, 100),
    reported=st.fixed_dictionaries(
        {
            "congestion_window_bytes": st.none() | st.integers(1, 10**8),
            "round_trip_s": st.none() | st.floats(1e-6, 1),
            "segment_bytes": st.none() | st.integers(1, 8948),
            "is_at_sender": st.booleans(),
            "is_bidirectional": st.booleans(),
        }
    ),
)
def test_a_longer_run_has_no_wider_tolerance(
    duration_s: float, longer: float, reported: dict[str, Any]
) -> None:
    short = run(duration_s=duration_s, **reported)
    shorter, wider = tolerance_of(dataclasses.replace(short, duration_s=duration_s * longer)), None
    wider = tolerance_of(short)
    assert wider.min_ratio <= shorter.min_ratio <= 1 <= shorter.max_ratio <= wider.max_ratio


def test_the_ratios_that_are_shown_are_those_that_pass() -> None:
    """Acknowledgements may take 5.53 %, and no tolerance passes less than 0.95."""
    message = run(0.94 * EVEN_CEILING_BPS, duration_s=3600.0, is_bidirectional=True)
    shown = check(message, EVEN_LINE).to_dict()
    assert (shown["min_ratio"], shown["tolerance_ratio"]) == (0.95, 0.05)
