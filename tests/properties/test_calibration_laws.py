"""Laws of scores, coverage, leave-one-out errors and shares of variance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scores import crps_normal, interval_score, leave_one_out_errors

from netmodel.calibration import variance_shares
from netmodel.calibration._leave_out import coverage
from netmodel.calibration._next import VarianceShare

NUMBERS = st.floats(-1e6, 1e6)
SPREADS = st.floats(1e-3, 1e6)
LEVELS = st.floats(0.01, 0.99)
SEEDS = st.integers(0, 2**32 - 1)
SAMPLING = 0.03
few_examples = settings(max_examples=20, deadline=None)


def close(expected: float) -> object:
    return pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(NUMBERS, SPREADS, NUMBERS)
def test_the_score_lies_between_zero_and_the_error(
    mean: float, deviation: float, observed: float
) -> None:
    score, error = crps_normal(mean, deviation, observed), abs(observed - mean)
    assert 0 < score
    assert error - 0.5642 * deviation <= score + 1e-9
    assert score <= error + 0.2337 * deviation + 1e-9


@given(NUMBERS, NUMBERS)
def test_a_sure_prediction_is_off_by_its_error(mean: float, observed: float) -> None:
    assert crps_normal(mean, 1e-6, observed) == pytest.approx(abs(observed - mean), abs=1e-6)


@given(NUMBERS, SPREADS, NUMBERS, NUMBERS, SPREADS)
def test_scores_shift_and_scale_with_their_unit(
    mean: float, deviation: float, observed: float, shift: float, factor: float
) -> None:
    score = crps_normal(mean, deviation, observed)
    moved = crps_normal(factor * mean, factor * deviation, factor * observed)
    assert moved == pytest.approx(factor * score, rel=1e-7)
    low, high = mean - deviation, mean + deviation
    ends = [factor * (value + shift) for value in (low, high, observed)]
    assert interval_score(*ends, 0.9) == pytest.approx(
        factor * interval_score(low, high, observed, 0.9), rel=1e-6, abs=1e-6 * factor
    )


@given(NUMBERS, SPREADS, NUMBERS)
def test_the_better_of_two_equal_spreads_is_the_nearer(
    mean: float, deviation: float, observed: float
) -> None:
    nearer = (mean + observed) / 2
    assert crps_normal(nearer, deviation, observed) <= crps_normal(mean, deviation, observed)


@given(st.integers(-20, 20), st.integers(0, 20), st.integers(-20, 40), LEVELS)
def test_an_interval_costs_its_width_and_more_where_it_misses(
    low: int, width: int, observed: int, level: float
) -> None:
    high = low + width
    score = interval_score(low, high, observed, level)
    assert score >= high - low
    assert (score == high - low) is (low <= observed <= high)


def test_the_true_quantiles_score_best() -> None:
    drawn = np.random.default_rng(7).normal(size=20_000)
    half_widths = np.linspace(1, 2.4, 29)
    scores = [interval_score(-half, half, drawn, 0.9).mean() for half in half_widths]
    assert half_widths[np.argmin(scores)] == pytest.approx(1.645, abs=0.06)


@given(st.integers(0, 200), st.integers(1, 200), LEVELS, LEVELS)
def test_coverage_holds_its_share_and_nests_with_its_level(
    hits: int, more: int, level: float, other_level: float
) -> None:
    narrow, wide = (coverage(hits, hits + more, each) for each in sorted((level, other_level)))
    assert 0 <= wide.low_ratio <= narrow.low_ratio
    assert narrow.low_ratio <= narrow.ratio == hits / (hits + more) <= narrow.high_ratio
    assert narrow.high_ratio <= wide.high_ratio <= 1


@given(st.integers(0, 200), st.integers(1, 200), LEVELS)
def test_hits_and_misses_are_reported_alike(hits: int, misses: int, level: float) -> None:
    of_hits, of_misses = (coverage(k, hits + misses, level) for k in (hits, misses))
    assert of_hits.low_ratio == close(1 - of_misses.high_ratio)
    assert of_hits.high_ratio == close(1 - of_misses.low_ratio)


@given(st.integers(3, 12), st.integers(1, 2), SEEDS)
def test_errors_left_out_are_those_of_refits(rows: int, columns: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    design, observed = generator.normal(size=(rows, columns)), generator.normal(size=rows)
    errors = leave_one_out_errors(design, observed)
    for row in range(rows):
        kept = np.arange(rows) != row
        result = np.linalg.lstsq(design[kept], observed[kept])[0]
        assert errors[row] == pytest.approx(
            observed[row] - design[row] @ result, rel=1e-5, abs=1e-7
        )


@given(st.integers(4, 12), SEEDS, st.floats(1e-3, 1e3))
def test_units_of_the_columns_change_no_error(rows: int, seed: int, factor: float) -> None:
    generator = np.random.default_rng(seed)
    design, observed = generator.normal(size=(rows, 2)), generator.normal(size=rows)
    errors = leave_one_out_errors(design, observed)
    assert leave_one_out_errors(design * [factor, 1e-18], observed) == pytest.approx(
        errors, rel=1e-6
    )
    fitted_by_one = observed + design @ [3, factor]
    assert leave_one_out_errors(design, fitted_by_one) == pytest.approx(
        errors, rel=1e-6, abs=1e-9 * factor
    )


def shares_of(
    weights: dict[str, float], product_weight: float, scale: float = 1, shift: float = 0
) -> tuple[VarianceShare, ...]:
    """Of a weighted sum of parameters, and of the product of the first two."""

    def model(**values: np.ndarray) -> np.ndarray:
        total = sum(weights[name] * value for name, value in values.items())
        return scale * (total + product_weight * values["a"] * values["b"]) + shift

    return variance_shares(model, dict.fromkeys(weights, (0.0, 1.0)), 1024)


WEIGHTS = st.fixed_dictionaries({name: st.floats(0.1, 10) for name in "abc"})


@given(WEIGHTS, st.floats(-5, 5))
@few_examples
def test_shares_are_ordered_and_add_up(weights: dict[str, float], product_weight: float) -> None:
    shares = shares_of(weights, product_weight)
    for share in shares:
        assert -SAMPLING <= share.first_order_ratio <= share.total_ratio + SAMPLING
    assert sum(share.first_order_ratio for share in shares) <= 1 + SAMPLING
    assert sum(share.total_ratio for share in shares) >= 1 - SAMPLING


@given(WEIGHTS)
@few_examples
def test_additive_parameters_have_only_their_own_variance(weights: dict[str, float]) -> None:
    variance = sum(weight**2 for weight in weights.values())
    for share in shares_of(weights, 0):
        own = pytest.approx(weights[share.name] ** 2 / variance, abs=SAMPLING)
        assert share.first_order_ratio == own
        assert share.total_ratio == own


@given(WEIGHTS, st.floats(0.01, 100), st.floats(-100, 100))
@few_examples
def test_units_of_the_prediction_change_no_share(
    weights: dict[str, float], scale: float, shift: float
) -> None:
    for plain, moved in zip(
        shares_of(weights, 2), shares_of(weights, 2, scale, shift), strict=True
    ):
        assert moved.name == plain.name
        assert moved.first_order_ratio == pytest.approx(plain.first_order_ratio, abs=1e-6)
        assert moved.total_ratio == pytest.approx(plain.total_ratio, abs=1e-6)


def test_a_limit_that_is_the_bottleneck_takes_the_shares_of_the_others() -> None:
    def smallest(line_bps: np.ndarray, adapter_bps: np.ndarray) -> np.ndarray:
        return np.minimum(line_bps, adapter_bps)

    line, adapter = variance_shares(
        smallest, {"line_bps": (24e9, 25e9), "adapter_bps": (13e9, 14e9)}
    )
    assert (line.first_order_ratio, line.total_ratio) == (0, 0)
    assert adapter.first_order_ratio == pytest.approx(1, abs=1e-3)
    assert adapter.total_ratio == pytest.approx(1, abs=1e-3)
