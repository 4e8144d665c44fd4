"""Fits of the scalability law to many series, against one at a time and against SciPy."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

from netmodel.calibration import Observed, curve_model, fit, fit_scalability
from netmodel.errors import CalibrationError, DomainError

COUNTS = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])
NAMES = ["alone_s", "contention_s", "coherency_s"]


def rates(truth: tuple[float, float, float], scatter_ratio: float, shape: tuple[int, ...]) -> Any:
    """N / (t1 + ts (N - 1) + tk N (N - 1)), with scatter."""
    alone_s, contention_s, coherency_s = truth
    times_s = alone_s + contention_s * (COUNTS - 1) + coherency_s * COUNTS * (COUNTS - 1)
    scatter = np.random.default_rng(1).standard_normal((*shape, COUNTS.size))
    return COUNTS / times_s * np.exp(scatter_ratio * scatter)


@pytest.mark.parametrize(
    ("truth", "scatter_ratio"),
    [((1e-2, 3e-4, 1e-6), 0.02), ((1e-2, 3e-4, 1e-8), 0.02), ((1e-2, 3e-4, 1e-6), 0.7)],
    ids=["inside", "at a bound", "far off"],
)
def test_the_same_as_one_fit_at_a_time(
    truth: tuple[float, float, float], scatter_ratio: float
) -> None:
    series = rates(truth, scatter_ratio, (6,))
    found = fit_scalability(COUNTS, series)
    assert list(found) == NAMES
    for place, own in enumerate(series):
        seen = [
            Observed(
                quantity="transaction_rate_tps", at={"connection_count": count}, low=rate, high=rate
            )
            for count, rate in zip(COUNTS.tolist(), own.tolist(), strict=True)
        ]
        one = fit(seen, curve_model("scalability")).values
        for name in NAMES:
            assert found[name][place] == pytest.approx(one[name], rel=1e-7)


def test_the_least_squares_of_logarithms_within_bounds() -> None:
    """SciPy's search within bounds ends no lower, and near the same parameters."""
    series = rates((1e-2, 3e-4, 1e-8), 0.1, (4,))
    found = np.stack([*fit_scalability(COUNTS, series).values()])
    scales = np.array([1e-2, 1e-4, 1e-6])
    for own, ours in zip(series, found.T, strict=True):

        def misses(scaled: np.ndarray, own: np.ndarray = own) -> np.ndarray:
            alone_s, contention_s, coherency_s = scaled * scales
            times_s = alone_s + (COUNTS - 1) * (contention_s + coherency_s * COUNTS)
            return np.asarray(np.log(own * times_s / COUNTS))

        theirs = least_squares(misses, [1, 1, 1], bounds=(0, np.inf), xtol=1e-14, ftol=1e-14)
        assert (misses(ours / scales) ** 2).sum() <= 2 * theirs.cost * (1 + 1e-9)
        np.testing.assert_allclose(ours / scales, theirs.x, rtol=1e-3, atol=1e-3)
    assert (found == 0).any()


def test_axes_of_series_are_kept_and_nan_stays_in_its_own() -> None:
    series = rates((1e-2, 3e-4, 1e-6), 0.01, (2, 3))
    series[1, 0, 4] = np.nan
    found = fit_scalability(COUNTS, series)
    for name in NAMES:
        assert found[name].shape == (2, 3)
        assert np.argwhere(np.isnan(found[name])).tolist() == [[1, 0]]
    (alone,) = (fit_scalability(COUNTS, series[0, 2])[name] for name in NAMES[:1])
    assert alone.shape == ()
    assert alone == pytest.approx(found["alone_s"][0, 2])


@pytest.mark.parametrize("factor", [1e-250, 1e-9, 1e12, 1e250])
def test_any_unit_of_time_gives_the_same_parameters(factor: float) -> None:
    series = rates((1e-2, 3e-4, 1e-6), 0.05, (2,))
    one, other = fit_scalability(COUNTS, series), fit_scalability(COUNTS, factor * series)
    for name in NAMES:
        assert (one[name] > 0).all()
        assert other[name] * factor == pytest.approx(one[name], rel=1e-9)


def test_a_count_that_is_not_known_leaves_all_series_unknown() -> None:
    counts = np.where(COUNTS == 4, np.nan, COUNTS)
    found = fit_scalability(counts, rates((1e-2, 3e-4, 1e-6), 0.05, (2,)))
    assert all(np.isnan(each).all() and each.shape == (2,) for each in found.values())


@pytest.mark.parametrize(
    ("counts", "series", "error", "message"),
    [
        ([1, 2, 2], [1, 2, 2], CalibrationError, "different connection_counts"),
        ([1, 2, 3], [1, 2], DomainError, "a rate for each"),
        ([[1, 2, 3]], [[1, 2, 3]], DomainError, "a rate for each"),
        ([0, 2, 3], [1, 2, 3], DomainError, "connection_counts must be at least 1"),
        ([1, 2, 3], [1, 0, 3], DomainError, "rates_tps must be above 0"),
    ],
)
def test_what_cannot_be_fitted_is_an_error(
    counts: list[float], series: list[float], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        fit_scalability(counts, series)
