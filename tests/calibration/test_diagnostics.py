"""A new run, residuals, their probabilities, lack of fit: by textbook formulas."""

import math

import numpy as np
import pytest
from scipy import stats

from netmodel.calibration import Fit, Observed, Point, fit
from netmodel.calibration._fit import with_hidden_outlier
from netmodel.calibration._likelihood import Noise
from netmodel.calibration.models import FreeParameter, demand_model

LEVEL = demand_model("y_s", (FreeParameter("level_s", "s"),), lambda at: (1,), is_rate=False)
LINE = demand_model(
    "y_s",
    (FreeParameter("fixed_s", "s"), FreeParameter("each_s", "s")),
    lambda at: (1, at["x"]),
    is_rate=False,
)


def seen(figure_s: float, half_s: float = 0.0, x: float = 0) -> Observed:
    low, high = figure_s - half_s, figure_s + half_s
    return Observed(quantity="y_s", at={"x": x}, low=low, high=high)


def fitted_line() -> Fit:
    """y = 2.2 + 0.9 x through 2, 3, 5, 4, 6 at 0 to 4: residuals -0.2, -0.1, 1, -0.9, 0.2."""
    figures_s = (2, 3, 5, 4, 6)
    observed = [seen(figure_s, x=x) for x, figure_s in enumerate(figures_s)]
    return fit(observed, LINE, noise="absolute")


RESIDUALS_S = (-0.2, -0.1, 1.0, -0.9, 0.2)
LEFT = (0.4, 0.7, 0.8, 0.7, 0.4)
"""One less the leverage 1/5 + (x - 2)²/10."""
SQUARES = 1.90


def test_residuals_of_a_line_are_studentised() -> None:
    """Weisberg, Applied Linear Regression, 9.1: r / (s √(1 - h)), and s without the figure."""
    result = fitted_line()
    differences_s = [each.measured - each.fitted for each in result.residuals]
    assert differences_s == pytest.approx(RESIDUALS_S)
    internal = [
        own / math.sqrt(SQUARES / 3 * left) for own, left in zip(RESIDUALS_S, LEFT, strict=True)
    ]
    assert [each.deviations for each in result.residuals] == pytest.approx(internal)
    for each, own, left in zip(result.residuals, RESIDUALS_S, LEFT, strict=True):
        others = (SQUARES - own**2 / left) / 2
        external = abs(own) / math.sqrt(others * left)
        probability = min(1.0, 2 * 5 * stats.t.sf(external, 2))
        assert each.probability_ratio == pytest.approx(probability)
    assert result.residuals[2].probability_ratio < 1


def test_rounding_adds_to_known_noise_in_deviations() -> None:
    """Variances of 0.3² and 0.4²/12, of which the mean of four takes a quarter."""
    half = math.exp(0.2)
    observed = [
        Observed(quantity="y_s", at={}, low=middle / half, high=middle * half)
        for middle in (10, 10, 10, 20)
    ]
    result = fit(observed, LEVEL, noise_ratio=0.3)
    sd = math.sqrt((0.3**2 + 0.4**2 / 12) * 3 / 4)
    for each, middle in zip(result.residuals, (10, 10, 10, 20), strict=True):
        deviations = math.log(middle / each.fitted) / sd
        assert each.deviations == pytest.approx(deviations)
        both_tails = math.erfc(abs(deviations) / math.sqrt(2))
        assert each.probability_ratio == pytest.approx(min(1.0, 4 * both_tails))


def test_an_outlier_beside_equal_figures_is_judged_by_their_rounding() -> None:
    """Equal figures seem to have no scatter: it is at least that of their digits."""
    observed = [seen(figure_s, 0.5) for figure_s in (10, 10, 10, 11.2)]
    outlier = fit(observed, LEVEL, noise="absolute").residuals[-1]
    student = (11.2 - outlier.fitted) / math.sqrt(3 / 4 / 12)
    assert outlier.probability_ratio == pytest.approx(2 * 4 * stats.t.sf(student, 2))
    assert outlier.probability_ratio < 1


@pytest.mark.parametrize(
    ("figures_s", "student"),
    [((1.0, 1.1, 0.9, 3.0), math.sqrt(3 / 0.01)), ((1.0, 1.1, 30.0), math.sqrt(558.735 / 0.005))],
)
def test_a_mean_that_is_shifted_is_judged_by_the_scatter_of_the_others(
    figures_s: tuple[float, ...], student: float
) -> None:
    """F test: 3.02 - 0.02 over 0.02 of two degrees; 558.74 - 0.005 over 0.005 of one."""
    fitted = fit([seen(each) for each in figures_s], LEVEL, noise="absolute")
    worst = with_hidden_outlier(fitted).residuals[-1]
    assert worst.deviations == pytest.approx(student, rel=1e-6)
    chance = 2 * len(figures_s) * stats.t.sf(student, len(figures_s) - 2)
    assert worst.probability_ratio == pytest.approx(chance, rel=1e-6)


def test_a_single_degree_of_freedom_is_noted_beside_two_parameters() -> None:
    hardly = "one degree of freedom hardly determines the noise"
    figures_s = (2, 3, 5, 4, 6)
    for count, model, is_noted in ((2, LEVEL, False), (3, LINE, True), (4, LINE, False)):
        observed = [seen(each, x=x) for x, each in enumerate(figures_s[:count])]
        result = fit(observed, model, noise="absolute")
        assert any(note.startswith(hardly) for note in result.notes) is is_noted
        # without it none is left for the noise of the others
        has_none = result.degrees_of_freedom == 1
        for each in result.residuals:
            assert (each.probability_ratio is None) is has_none
            assert not (has_none and each.is_beyond_noise(1.0))


@pytest.mark.parametrize("noise", ["relative", "absolute"])
def test_the_mean_is_in_the_interval_of_student(noise: Noise) -> None:
    """
    Mean ± t s √(1/n), t = 2.776445 for 4 degrees of freedom.

    2, 3, 5, 4, 6 have the mean 4 and a variance of 2.5; the logarithms of others are these.
    """
    is_relative = noise == "relative"
    figures_s = [math.exp(each) if is_relative else 10 + each for each in (2, 3, 5, 4, 6)]
    result = fit([seen(each) for each in figures_s], LEVEL, noise=noise)
    estimate = result.predict(Point("y_s", {"x": 0}))
    ends = [math.log(each) if is_relative else each - 10 for each in estimate]
    half = 2.776445 * math.sqrt(2.5 * 0.2)
    assert ends == pytest.approx([4, 4 - half, 4 + half], rel=1e-6)


@pytest.mark.parametrize("noise_ratio", [None, 0.5, 0.05])
def test_the_misfit_is_that_of_other_programs(noise_ratio: float | None) -> None:
    """Lack of fit beside repeats by F (Draper and Smith, 2.1), all misses by a given noise."""
    x, y = np.repeat(range(4), 2), np.array([2, 2.2, 3.1, 2.9, 5, 5.4, 4.6, 4.9])
    observed = [seen(figure_s, x=at) for at, figure_s in zip(x.tolist(), y.tolist(), strict=True)]
    result = fit(observed, LINE, noise="absolute", noise_ratio=noise_ratio)
    line, means = stats.linregress(x, y), np.repeat(y.reshape(4, 2).mean(axis=1), 2)
    fitted = line.intercept + line.slope * x
    lack, pure, every = (
        ((a - b) ** 2).sum() for a, b in ((means, fitted), (y, means), (y, fitted))
    )
    p = stats.f.sf(lack / 2 / (pure / 4), 2, 4)
    if noise_ratio is not None:
        p = stats.chi2.sf(every / noise_ratio**2, 6)
    assert result.misfit_ratio == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(("count", "degrees", "sd"), [(3, 1, 0.1), (2, 2, math.sqrt(4 / 2))])
def test_repeats_beyond_a_given_noise_never_narrow_its_intervals(
    count: int, degrees: int, sd: float
) -> None:
    """Means are on a line: t of the one that is left of three, of two t of the scatter of runs."""
    observed = [seen(20 * x + y, x=x) for x in range(count) for y in (21, 23)]
    result = fit(observed, LINE, noise="absolute", noise_ratio=0.1)
    misfit = stats.chi2.sf(2 * count / 0.1**2, 2 * count - 2)
    assert result.misfit_ratio == pytest.approx(misfit, rel=1e-9)
    design = np.vander(np.repeat(range(count), 2), 2, increasing=True)
    sds = sd * np.sqrt(np.diag(np.linalg.inv(design.T @ design)))
    reach = [each.high - each.value for each in result.parameters.values()]
    assert reach == pytest.approx(stats.t.ppf(0.975, degrees) * sds, rel=1e-6)
