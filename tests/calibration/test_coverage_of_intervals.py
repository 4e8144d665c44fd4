"""
Intervals that ``netmodel calibrate`` prints cover the truth of a simulation that is not its own.

A few trials of some cases; the table of all is in the documentation, and tests/report holds it to
the same limits.
"""

import math
from pathlib import Path

import pytest
from coverage_trials import (
    KINDS,
    PREDICTED,
    Case,
    KnownNoise,
    intervals_of,
    printed,
    profile_intervals,
    tallies_of,
)
from scipy import stats

pytestmark = pytest.mark.thorough

TRIALS, PROFILED_TRIALS = 6, 2
"""Of each case: with 90 % coverage, fewer than 3 of 6 are covered once in a thousand."""
NIGHTLY_TRIALS = 48
RARE = 1e-3
LEAST_COVERAGE_RATIO = 0.90
MOST_WIDTH_RATIO = 1.5
GIVEN, REPEATS, NOTHING = KnownNoise

SAMPLE = (
    Case("adapter", 2, 4, 0.05, GIVEN),
    Case("adapter", 4, 1, 0.02, GIVEN),
    Case("adapter", 2, 4, 0.02, REPEATS),
    Case("adapter", 2, 4, 0.01, NOTHING),
    Case("adapter", 8, 4, 0.05, NOTHING),
    Case("adapter at the line", 4, 4, 0.01, GIVEN),
    Case("adapter at the line", 3, 4, 0.01, NOTHING),
    Case("adapter at the line", 4, 2, 0.05, REPEATS),
    Case("adapter by ratios", 4, 4, 0.01, GIVEN),
    Case("host", 4, 4, 0.01, GIVEN),
    Case("host", 3, 4, 0.01, NOTHING),
    Case("scalability", 3, 4, 0.01, NOTHING),
    Case("scalability", 3, 2, 0.05, REPEATS),
)


def name_of(case: Case) -> str:
    return "-".join(case.printed().values())


def check(case: Case, trials: int) -> None:
    for each in tallies_of(case, trials, PROFILED_TRIALS):
        assert each.covered_count >= stats.binom.ppf(
            RARE, each.closed_count, LEAST_COVERAGE_RATIO
        ), each
        if case.known is GIVEN and case.point_count >= 4:
            assert not each.profiled_open_count, each
            assert max(each.width_ratios, default=1) <= MOST_WIDTH_RATIO, each


@pytest.mark.parametrize("case", SAMPLE, ids=name_of)
def test_intervals_cover_the_truth(case: Case) -> None:
    check(case, TRIALS)


@pytest.mark.nightly
@pytest.mark.parametrize("case", SAMPLE, ids=name_of)
def test_intervals_cover_the_truth_of_many_trials(case: Case) -> None:
    check(case, NIGHTLY_TRIALS)


@pytest.mark.parametrize("name", KINDS)
def test_runs_without_scatter_give_the_parameters_back(name: str, tmp_path: Path) -> None:
    """The formulas of the simulation and of the command agree: else coverage says nothing."""
    case = Case(name, 8, digit_count=9, scatter_ratio=1e-4, known=GIVEN)
    truth, figures = case.drawn(0)
    result = intervals_of(case, figures, tmp_path)
    assert result is not None
    for quantity, true in {**truth, PREDICTED: KINDS[name].seen(truth)}.items():
        assert result[quantity] == pytest.approx((true, true), rel=2e-3)


def test_profile_intervals_of_exact_figures_are_those_of_the_normal_distribution() -> None:
    """
    Three figures for three parameters: any is met by some, whatever the others are.

    The time of one alone is one over the first figure, and its logarithm as sure as that of the
    figure: 1.96 standard deviations each way.
    """
    case = Case("scalability", 3, digit_count=4, scatter_ratio=0.05, known=GIVEN)
    truth, figures = case.drawn(0)
    low, high = profile_intervals(case, truth, figures)["alone_s"]
    seen_s = 1 / float(figures[0].text)
    reach = stats.norm.ppf(0.975) * case.scatter_ratio
    assert (math.log(low / seen_s), math.log(high / seen_s)) == pytest.approx(
        (-reach, reach), rel=0.01
    )


@pytest.mark.parametrize(
    ("value", "digit_count", "text", "resolution", "ends"),
    [
        (13.449, 1, "10", "10", (5, 15)),
        (13.449, 2, "13", "", (12.5, 13.5)),
        (13.449, 4, "13.45", "", (13.445, 13.455)),
        (7.0, 1, "7", "", (6.5, 7.5)),
        (19960.0, 2, "20000", "1000", (19500, 20500)),
        (20.0, 2, "20", "1", (19.5, 20.5)),
        (0.0999, 1, "0.1", "", (0.05, 0.15)),
    ],
)
def test_figures_are_printed_as_people_do(
    value: float, digit_count: int, text: str, resolution: str, ends: tuple[float, float]
) -> None:
    """Worked out by hand: so many digits, and the step where a 0 may only hold a place."""
    result = printed({}, value, digit_count)
    assert (result.text, result.resolution) == (text, resolution)
    assert (result.low, result.high) == pytest.approx(ends)
