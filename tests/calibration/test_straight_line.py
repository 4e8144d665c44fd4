"""A straight line through repeats, whose every figure textbooks give, and what follows of it."""

import math

import numpy as np
import pytest
from scipy.stats import t

from netmodel.calibration import Fit, Observed, Point, fit
from netmodel.calibration.models import FreeParameter, demand_model

TIMES = {0: (1.9, 2.1), 1: (3.8, 4.0), 2: (6.1, 6.3)}
"""Two figures at each place: means 2, 3.9 and 6.2."""
FIXED, EACH = 29 / 15, 2.1
"""Slope (6.2 - 2) / 2 and, at 0, the mean 12.1 / 3 less the slope."""
LACK, PURE = 2 * (0.2**2 + 0.4**2 + 0.2**2) / 9, 6 * 0.1**2
"""Squares of the means about the line, 2/30, 4/30 and 2/30 of it, and of figures about theirs."""
SD = math.sqrt((LACK + PURE) / 4)
"""Of a run, for six figures less two parameters."""
# the inverse of [[6, 6], [6, 10]]
VARIANCES = {"fixed_s": 10 / 24 * SD**2, "each_s": 6 / 24 * SD**2}
LINE = demand_model(
    "y_s",
    (FreeParameter("fixed_s", "s"), FreeParameter("each_s", "s")),
    lambda at: (1, float(at["x"])),
    is_rate=False,
)


def seen(x: float, figure_s: float) -> Observed:
    return Observed(quantity="y_s", at={"x": x}, low=figure_s, high=figure_s)


def line() -> Fit:
    observed = [seen(x, time_s) for x, times in TIMES.items() for time_s in times]
    return fit(observed, LINE, noise="absolute")


def test_a_line_is_that_of_least_squares() -> None:
    result = line()
    for (name, (value, low, high)), expected in zip(
        result.parameters.items(), (FIXED, EACH), strict=True
    ):
        half = t.ppf(0.975, 4) * math.sqrt(VARIANCES[name])
        assert (value, low, high) == pytest.approx((expected, expected - half, expected + half))
    assert np.diag(result.covariance) == pytest.approx([*VARIANCES.values()])
    assert result.noise_sd == pytest.approx(math.sqrt((LACK + PURE) / 6))
    assert result.scatter_ratio == pytest.approx(SD)
    assert result.degrees_of_freedom == 4
    likelihood = -3 * (math.log(2 * math.pi * (LACK + PURE) / 6) + 1)
    assert result.log_likelihood == pytest.approx(likelihood)


@pytest.mark.parametrize("x", [0, 1, 2, 5])
def test_a_prediction_has_the_interval_of_the_mean(x: float) -> None:
    """With a sixth for the mean of all and a quarter for each square of the way from 1."""
    half = t.ppf(0.975, 4) * SD * math.sqrt(1 / 6 + (x - 1) ** 2 / 4)
    estimate, expected = line().predict(Point("y_s", {"x": x})), FIXED + EACH * x
    assert estimate == pytest.approx((expected, expected - half, expected + half), rel=1e-6)
    assert line().scatter_ratio == pytest.approx(SD)


def test_residuals_are_judged_by_their_own_spread() -> None:
    """Ones near the middle spread more; of six, the chance of the largest is six times its own."""
    result = line()
    for each in result.residuals:
        x = float(each.at["x"])
        left = each.measured - (FIXED + EACH * x)
        spread = SD * math.sqrt(5 / 6 - (x - 1) ** 2 / 4)
        assert each.deviations == pytest.approx(left / spread)
        without = left / spread * math.sqrt(3 / (4 - (left / spread) ** 2))
        assert each.probability_ratio == pytest.approx(min(1, 6 * 2 * t.sf(abs(without), 3)))
    assert (result.largest_residual.measured, result.largest_residual.at) == (3.8, {"x": 1})


# Ends of intervals, and digits


def test_a_quantity_of_zero_is_zero_where_noise_is_a_ratio() -> None:
    slope = demand_model(
        "y_s", (FreeParameter("each_s", "s"),), lambda at: (float(at["x"]),), is_rate=False
    )
    result = fit([seen(1, 2.0), seen(1, 2.2), seen(2, 4.1)], slope)
    run = result.predict(Point("y_s", {"x": 0}))
    assert (run.value, run.low) == (0, 0)
