"""The scatter of repeated runs."""

import math

import pytest

from netmodel.calibration._noise import pooled
from netmodel.calibration.observations import Observed


def repeat(middle_s: float, half_ratio: float = 0.0, n: int = 1) -> Observed:
    low, high = middle_s * math.exp(-half_ratio), middle_s * math.exp(half_ratio)
    return Observed(quantity="y_s", at={"n": n}, low=low, high=high)


def test_scatter_is_pooled_over_repeats() -> None:
    """d² / 2 for each pair: 0.1² / 2 + 0.2² / 2 of two degrees of freedom."""
    first = [repeat(1.0), repeat(math.exp(0.1))]
    second = [repeat(3.0, n=2), repeat(3 * math.exp(0.2), n=2), repeat(9.0, n=3)]
    assert pooled([*first, *second]) == pytest.approx((math.sqrt((0.005 + 0.02) / 2), 2))


def test_scatter_is_at_least_that_of_the_digits() -> None:
    equal = [repeat(2.0, 0.01), repeat(2.0, 0.01)]
    assert pooled(equal) == pytest.approx((0.02 / math.sqrt(12), 1))
    assert pooled([repeat(2.0), repeat(2.0)]) is None
