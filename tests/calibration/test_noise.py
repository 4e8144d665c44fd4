"""Contributions to likelihoods: against other ways to work them out, and far out in the tails."""

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import integrate, special, stats

from netmodel.calibration._noise import (
    Contribution,
    _log_cdf,
    log_between,
    log_exact,
    log_largest,
    pooled,
)
from netmodel.calibration._observed import Observed

STEP = 1e-5
INFINITE = math.inf
ENDS = [
    (-1.2, 0.7),
    (0.3, 5.0),
    (-9.0, -8.5),
    (1.0, INFINITE),
    (-INFINITE, -3.0),
    (30.0, INFINITE),
    (4.0, 4.0009),
    (-0.5, -0.4995),
]


def between(low: float, high: float) -> Contribution:
    return log_between(np.array([low]), np.array([high]))


def exact(z: float, _: float) -> Contribution:
    return log_exact(np.array([z]))


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_probability_between_ends(low: float, high: float) -> None:
    ends = max(low, -40.0), min(high, low + 5 if low > -40 else high)
    probability, _ = integrate.quad(stats.norm.pdf, *ends, epsabs=0)
    assert between(low, high).value == pytest.approx([math.log(probability)], rel=1e-7)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (100.0, INFINITE, stats.norm.logsf(100)),
        (-INFINITE, -100.0, stats.norm.logcdf(-100)),
        (100.0, 101.0, stats.norm.logsf(100)),
        (-101.0, -100.0, stats.norm.logcdf(-100)),
        (50.0, 50.0 + 1e-4, stats.norm.logpdf(50.00005) + math.log(1e-4)),
    ],
)
def test_tails_keep_their_digits(low: float, high: float, expected: float) -> None:
    assert between(low, high).value == pytest.approx([expected], rel=1e-9)


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_slopes_of_ends(low: float, high: float) -> None:
    assert_slopes(between, low, high)


@pytest.mark.parametrize(("low", "high"), [(4.0, 4.0009), (-0.5, -0.4991), (-1.2, 0.7)])
def test_derivatives_keep_the_digits_of_narrow_intervals(low: float, high: float) -> None:
    """By arithmetic of 50 digits: ends are shifted by d and stretched by k."""
    with mp.workdps(50):

        def value(shift: mpf, stretch: mpf) -> mpf:
            above, below = (mpmath.ncdf(stretch * mpf(end) + shift) for end in (high, low))
            return mpmath.log(above - below)

        orders = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
        exact = [float(mpmath.diff(value, (0, 1), order)) for order in orders]
    assert [float(part[0]) for part in between(low, high)] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("z", [-3.0, 0.0, 0.4, 12.0])
def test_slopes_of_figures(z: float) -> None:
    message, more, less = (log_exact(np.array([z + step])) for step in (0, STEP, -STEP))
    assert (more.value - less.value) / (2 * STEP) == pytest.approx(message.shift, abs=1e-6)
    assert (more.shift - less.shift) / (2 * STEP) == pytest.approx(message.shift_shift, rel=1e-6)
    stretched = [
        log_exact(np.array([z * (1 + step)])).value + math.log(1 + step) for step in (STEP, -STEP)
    ]
    assert (stretched[0] - stretched[1]) / (2 * STEP) == pytest.approx(message.stretch, abs=1e-5)


def assert_slopes(
    likelihood: Callable[[float, float], Contribution], low: float, high: float
) -> None:
    message = likelihood(low, high)
    up, down = likelihood(low + STEP, high + STEP), likelihood(low - STEP, high - STEP)
    wide = likelihood(low * (1 + STEP), high * (1 + STEP))
    slim = likelihood(low * (1 - STEP), high * (1 - STEP))
    near = {"rel": 2e-4, "abs": 2e-6}
    assert (up.value - down.value) / (2 * STEP) == pytest.approx(message.shift, **near)
    assert (up.shift - down.shift) / (2 * STEP) == pytest.approx(message.shift_shift, **near)
    assert (wide.value - slim.value) / (2 * STEP) == pytest.approx(message.stretch, **near)
    assert (up.stretch - down.stretch) / (2 * STEP) == pytest.approx(
        message.shift_stretch + message.shift, **near
    )


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_information_is_never_negative(low: float, high: float) -> None:
    message = between(low, high)
    matrix = -np.array(
        [
            [message.shift_shift[0], message.shift_stretch[0]],
            [message.shift_stretch[0], message.stretch_stretch[0]],
        ]
    )
    assert np.linalg.eigvalsh(matrix).min() >= -1e-6 * np.abs(matrix).max()


def test_the_largest_of_one_case_is_the_case() -> None:
    first, same = log_largest(np.array([-0.4]), np.array([0.9])), between(-0.4, 0.9)
    assert first.value == pytest.approx(same.value)
    assert first.shift == pytest.approx(same.shift)
    assert first.stretch == pytest.approx(same.stretch)


@pytest.mark.parametrize(
    ("low", "high"),
    [([-1.0, 0.2], [0.5, 1.7]), ([-INFINITE] * 2, [0.5, 1.7]), ([1.0, -0.5], [1.0, -0.5])],
)
def test_the_largest_of_two_cases(low: list[float], high: list[float]) -> None:
    """Against the product of distributions, and its slopes by differences."""
    cdf, pdf = stats.norm.cdf, stats.norm.pdf

    def expected(low: np.ndarray, high: np.ndarray) -> float:
        if np.array_equal(low, high):
            a, b = high
            return math.log(pdf(a) * cdf(b) + pdf(b) * cdf(a))
        return math.log(np.prod(cdf(high)) - np.prod(cdf(low)))

    ends = np.array(low), np.array(high)
    message = log_largest(*ends)
    assert message.value.sum() == pytest.approx(expected(*ends), rel=1e-12)
    for case, step in enumerate(np.eye(2) * STEP):
        up, down = (expected(*(end + each for end in ends)) for each in (step, -step))
        assert (up - down) / (2 * STEP) == pytest.approx(message.shift[case], rel=1e-6)
    is_density = low == high
    wide, slim = (
        expected(*(end * (1 + each) for end in ends)) + is_density * math.log(1 + each)
        for each in (STEP, -STEP)
    )
    assert (wide - slim) / (2 * STEP) == pytest.approx(message.stretch.sum(), rel=1e-6)


def test_the_largest_of_cases_keeps_its_digits_where_all_are_certain() -> None:
    message = log_largest(np.array([20.0, 22.0]), np.array([21.0, 23.0]))
    assert message.value.sum() == pytest.approx(stats.norm.logsf(20), rel=1e-6)


@pytest.mark.parametrize("count", [1, 64, 65])
def test_the_distribution_of_few_ends_and_of_many(count: int) -> None:
    # the rounding of an end near 10 changes its tail by parts in 10^14
    ends = np.concatenate([-np.logspace(-3, 6, 40), [0.0], np.logspace(-3, 1, 19)])
    ends = np.concatenate([ends, [-math.inf, math.inf, -25.0, math.nextafter(-25.0, 0), 5e-324]])
    assert len(ends) == 65
    chosen = ends[-count:]
    assert _log_cdf(chosen) == pytest.approx(special.log_ndtr(chosen), rel=2e-14)
    assert _log_cdf(chosen[:, np.newaxis]).shape == (count, 1)
    assert np.isnan(_log_cdf(np.array([math.nan]))).all()


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
