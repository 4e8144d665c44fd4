"""Scores, coverage, leave-one-out errors, shares of variance: numbers published and by hand."""

import math

import numpy as np
import pytest
from approximate import digits
from scipy import stats
from scipy.integrate import quad
from scores import crps_normal, interval_score, leave_one_out_errors

from netmodel.calibration import variance_shares
from netmodel.calibration._leave_out import coverage

LINE_X = np.arange(1, 9)
LINE_Y = np.array([2.4, 2.1, 4.6, 4.2, 6.5, 5.4, 6.5, 6.5])
ISHIGAMI = {"x1": (0.313905, 0.557589), "x2": (0.442411, 0.442411), "x3": (0, 0.243684)}
"""First-order and total shares for a = 7, b = 0.1, worked out from the integrals."""


def test_a_standard_normal_prediction_that_was_right() -> None:
    """By hand: (√2 - 1) / √π."""
    assert crps_normal(0, 1, 0) == digits(0.233695, 6)
    assert crps_normal(0, 1, 0) == pytest.approx((math.sqrt(2) - 1) / math.sqrt(math.pi), rel=1e-14)


@pytest.mark.parametrize("observed", [-3.5, 13.4, 14.1, 30])
def test_the_score_is_the_integral_that_defines_it(observed: float) -> None:
    """The squared distance of the distribution from a step at what was observed."""
    normal = stats.norm(13.4, 1.7)
    below, _ = quad(lambda x: normal.cdf(x) ** 2, -np.inf, observed)
    above, _ = quad(lambda x: normal.sf(x) ** 2, observed, np.inf)
    assert crps_normal(13.4, 1.7, observed) == pytest.approx(below + above, rel=1e-7)


@pytest.mark.parametrize(
    ("observed", "score"), [(13.4, 0.2), (13.3, 0.2), (13.6, 0.2 + 40 * 0.1), (13, 0.2 + 40 * 0.3)]
)
def test_an_interval_pays_for_its_width_and_for_each_miss(observed: float, score: float) -> None:
    """By hand: 2 / 0.05 = 40 times the miss."""
    assert interval_score(13.3, 13.5, observed, 0.95) == pytest.approx(score, rel=1e-12)


@pytest.mark.parametrize(
    ("level_ratio", "most"),
    [
        (0.90, 0.0487),  # one-sided at 95 %: the rule of three says 5 %
        (0.95, 0.0596),
    ],
)
def test_misses_that_60_hits_leave_possible(level_ratio: float, most: float) -> None:
    """By hand: 1 - 0.05^(1/60) and 1 - 0.025^(1/60)."""
    result = coverage(60, 60, level_ratio)
    assert 1 - result.low_ratio == digits(most, 4)
    assert (result.ratio, result.high_ratio) == (1, 1)


@pytest.mark.parametrize(("hits", "count"), [(0, 1), (1, 1), (7, 20), (94, 100), (0, 60), (20, 20)])
@pytest.mark.parametrize("level_ratio", [0.5, 0.95, 0.999])
def test_the_range_is_that_of_scipy(hits: int, count: int, level_ratio: float) -> None:
    result = coverage(hits, count, level_ratio)
    expected = stats.binomtest(hits, count).proportion_ci(level_ratio, method="exact")
    assert (result.low_ratio, result.high_ratio) == pytest.approx(
        (expected.low, expected.high), rel=1e-10
    )


def test_errors_of_eight_points_on_a_line() -> None:
    """Least squares give the slope 0.659524; the sum of squares left out, by refits: 6.857516."""
    design = np.column_stack([np.ones(8), LINE_X])
    errors = leave_one_out_errors(design, LINE_Y)
    assert np.linalg.lstsq(design, LINE_Y)[0][1] == digits(0.659524, 6)
    assert errors @ errors == digits(6.857516, 6)


def test_shares_of_the_ishigami_function() -> None:
    shares = variance_shares(
        lambda x1, x2, x3: np.sin(x1) + 7 * np.sin(x2) ** 2 + 0.1 * x3**4 * np.sin(x1),
        dict.fromkeys(ISHIGAMI, (-math.pi, math.pi)),
        sample_count=2**14,
    )
    assert [share.name for share in shares] == list(ISHIGAMI)
    for share in shares:
        assert (share.first_order_ratio, share.total_ratio) == pytest.approx(
            ISHIGAMI[share.name], abs=3e-3
        )


def test_the_exact_shares_of_the_ishigami_function() -> None:
    """T. Ishigami and T. Homma (1990): the variance is 13.844588, and its parts give the shares."""
    a, b, pi = 7, 0.1, math.pi
    alone_1, alone_2 = (1 + b * pi**4 / 5) ** 2 / 2, a**2 / 8
    together = b**2 * pi**8 * (1 / 18 - 1 / 50)
    variance = alone_1 + alone_2 + together
    assert variance == digits(13.844588, 6)
    assert ISHIGAMI["x1"] == (
        digits(alone_1 / variance, 6),
        digits((alone_1 + together) / variance, 6),
    )
    assert ISHIGAMI["x2"] == (digits(alone_2 / variance, 6),) * 2
    assert ISHIGAMI["x3"] == (0, digits(together / variance, 6))
