"""The scatter of repeated runs."""

import math

import numpy as np
import pytest

from netmodel.calibration._noise import pooled
from netmodel.calibration.observations import Observed


def repeat(middle_s: float, weight: float, half_ratio: float = 0.0, n: int = 1) -> Observed:
    low, high = middle_s * math.exp(-half_ratio), middle_s * math.exp(half_ratio)
    return Observed(quantity="y_s", at={"n": n}, low=low, high=high, weight=weight)


def test_scatter_is_pooled_over_weighted_repeats() -> None:
    """w1 w2 / (w1 + w2) d² for each pair: 4/5 0.1² + 3/4 0.2² of two degrees of freedom."""
    first = [repeat(1.0, 1), repeat(math.exp(0.1), 4)]
    second = [repeat(3.0, 1, n=2), repeat(3 * math.exp(0.2), 3, n=2), repeat(9.0, 2, n=3)]
    assert pooled([*first, *second]) == pytest.approx((math.sqrt((0.008 + 0.03) / 2), 2))


def test_scatter_is_at_least_that_of_the_digits() -> None:
    """A run of weight 4 is known to half the deviation: its digits hide twice as much of one."""
    equal = [repeat(2.0, 1, 0.01), repeat(2.0, 4, 0.01)]
    widths = [0.02 * math.sqrt(weight) for weight in (1, 4)]
    assert pooled(equal) == pytest.approx((math.sqrt(np.mean(np.square(widths)) / 12), 1))
    assert pooled([repeat(2.0, 1), repeat(2.0, 4)]) is None
