"""
Linear problems of NIST, and the scalability law beside ``curve_fit`` of SciPy.

The problems are of the Statistical Reference Datasets, linear least squares: Longley (higher level
of difficulty: six predictors that are nearly combinations of each other), NoInt1 and NoInt2
(average: no constant). Data and certified figures are those of the files of NIST.
"""

import math

import numpy as np
import pytest

from netmodel.calibration import Fit, Observed, fit
from netmodel.calibration.models import FreeParameter, LinearModel, demand_model

pytestmark = pytest.mark.thorough

LONGLEY = np.array(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
        [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
        [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
        [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
        [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
        [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
        [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
        [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
        [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ]
)
"""Response, and six predictors."""
LONGLEY_CERTIFIED = (
    (-3482258.63459582, 890420.383607373),
    (15.0618722713733, 84.9149257747669),
    (-0.0358191792925910, 0.0334910077722432),
    (-2.02022980381683, 0.488399681651699),
    (-1.03322686717359, 0.214274163161675),
    (-0.0511041056535807, 0.226073200069370),
    (1829.15146461355, 455.478499142212),
)
"""Each parameter, the constant first, and its standard deviation."""
LONGLEY_DEVIATION = 304.854073561965
NO_CONSTANT = {
    "NoInt1": (range(60, 71), range(130, 141), 2.07438016528926, 0.0165289256198347),
    "NoInt2": ((4, 5, 6), (3, 4, 4), 0.727272727272727, 0.0420827318078432),
}
"""Predictor, response, certified slope and its standard deviation."""
LOST_DIGITS = 1e-6
"""The predictors of Longley have a condition number of 5e9 (scaled 4e4), which leaves a float
six to eleven digits of the parameters; NIST itself computed with 500."""


def of_predictors(*names: str) -> LinearModel:
    free = tuple(FreeParameter(f"b_{name}", "", -math.inf) for name in names)
    return demand_model(
        "y", free, lambda at: tuple(at.get(name, 1.0) for name in names), is_rate=False
    )


def fitted(rows: np.ndarray, *names: str) -> Fit:
    observed = [
        Observed(quantity="y", at=dict(zip(names, at, strict=True)), low=seen, high=seen)
        for seen, *at in rows.tolist()
    ]
    names = ("1", *names) if len(names) > 1 else names
    return fit(observed, of_predictors(*names), noise="absolute")


def test_longley() -> None:
    result = fitted(LONGLEY, *(f"x{number}" for number in range(1, 7)))
    values, deviations = zip(*LONGLEY_CERTIFIED, strict=True)
    assert [*result.values.values()] == pytest.approx(values, rel=LOST_DIGITS)
    assert np.sqrt(np.diag(result.covariance)) == pytest.approx(deviations, rel=LOST_DIGITS)
    variance = result.noise_sd**2 * len(LONGLEY) / result.degrees_of_freedom
    assert math.sqrt(variance) == pytest.approx(LONGLEY_DEVIATION, rel=LOST_DIGITS)


@pytest.mark.parametrize("name", NO_CONSTANT)
def test_lines_through_the_origin(name: str) -> None:
    x, y, slope, deviation = NO_CONSTANT[name]
    result = fitted(np.array([y, x], dtype=float).T, "x")
    assert [*result.values.values()] == pytest.approx([slope], rel=1e-13)
    assert np.sqrt(np.diag(result.covariance)) == pytest.approx([deviation], rel=1e-12)


def law(count: np.ndarray, alone_s: float, contention_s: float, coherency_s: float) -> np.ndarray:
    """Gunther's law, N / (a + c (N - 1) + k N (N - 1)), written out."""
    return count / (alone_s + contention_s * (count - 1) + coherency_s * count * (count - 1))
